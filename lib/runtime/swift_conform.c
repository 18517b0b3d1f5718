/*
 * Which function of a type meets which requirement of a protocol. Layout: Swift's Metadata.h,
 * TargetProtocolConformanceDescriptor. Two sources: the witnesses that a descriptor lists (the
 * protocol is another module's, which may change it), or the witness table (of protocols whose
 * requirements the compiler knew).
 */
#include "runtime/swift_conform.h"

#include "base/array.h"
#include "runtime/objc.h"
#include "runtime/swift_types.h"

#include <stdlib.h>
#include <string.h>

enum {
    TYPE_DIRECT = 0, /* kinds of references to types */
    TYPE_INDIRECT = 1,
    TYPE_OBJC_NAME = 2,
    TYPE_OBJC_CLASS = 3,
    IS_RETROACTIVE = 1 << 6, /* flags of a conformance */
    IS_SYNTHESIZED = 1 << 7,
    HAS_RESILIENT_WITNESSES = 1 << 16,
    CONDITION_BYTES = 12,
    PACK_BYTES = 8,
    REQUIREMENT_KIND = 15, /* flags of a requirement */
    IS_INSTANCE = 0x10,
    IS_ASYNC = 0x20
};

/* One conformance while it is read. */
struct job {
    struct ms_swift_reader *r;
    struct ms_swift_conformance *c;
    uint32_t flags;
    uint64_t type_vm, protocol_vm; /* 0: of another image */
    bool has_requirements;
    struct ms_swift_requirements requirements; /* of a protocol of this image */
};

/* ---- requirements ---------------------------------------------------------------------------- */

static bool ends(const char *text, size_t n, const char *end)
{
    size_t n_end = strlen(end);
    return n >= n_end && memcmp(text + n - n_end, end, n_end) == 0;
}

enum ms_swift_requirement ms_swift_kind_of_symbol(const char *symbol)
{
    static const struct {
        const char *end;
        enum ms_swift_requirement kind;
    } WHOLE[] = {{"Tl", MS_SWIFT_ASSOCIATED_TYPE},
                 {"Tn", MS_SWIFT_ASSOCIATED_CONFORMANCE},
                 {"Tb", MS_SWIFT_BASE_PROTOCOL}},
      ENDS[] = {{"g", MS_SWIFT_GETTER}, {"s", MS_SWIFT_SETTER}, {"M", MS_SWIFT_MODIFY},
                {"x", MS_SWIFT_MODIFY}, {"r", MS_SWIFT_READ},   {"y", MS_SWIFT_READ},
                {"C", MS_SWIFT_INIT},   {"", MS_SWIFT_METHOD}};
    size_t n = strlen(symbol);
    for (size_t i = 0; i < sizeof WHOLE / sizeof *WHOLE; i++)
        if (ends(symbol, n, WHOLE[i].end))
            return WHOLE[i].kind;
    if (!ends(symbol, n, "Tq") && !ends(symbol, n, "TW"))
        return MS_SWIFT_UNKNOWN_REQUIREMENT;
    n -= 2;
    n -= n && symbol[n - 1] == 'Z'; /* static */
    size_t i = 0;
    while (!ends(symbol, n, ENDS[i].end))
        i++;
    return ENDS[i].kind;
}

static bool is_function(enum ms_swift_requirement kind)
{
    return kind >= MS_SWIFT_METHOD && kind <= MS_SWIFT_MODIFY;
}

/*
 * Fills in where the function is. An async function is led to by a record {offset of its code,
 * size of its frame} instead. What is no code is no function, whatever its requirement says.
 */
static void set_function(struct ms_metadata *m, struct ms_swift_witness *witness, uint64_t vm,
                         bool is_async)
{
    struct ms_error ignored;
    uint64_t code = ms_metadata_code(m, vm);
    if (!is_function(witness->kind) || (code == vm && vm & 1))
        return;
    if (!ms_metadata_is_code(m, code) && is_async) {
        if (ms_metadata_relative(m, vm, &code, &ignored) != MS_OK)
            return;
        code = ms_metadata_code(m, code);
    }
    witness->has_address = code && ms_metadata_is_code(m, code);
    witness->vm = witness->has_address ? code : 0;
}

/*
 * The names of a protocol's associated types, with spaces between, in the order of its
 * requirements. NULL unless there are as many as types.
 */
static const char *type_names(struct job *job)
{
    struct ms_metadata *m = job->r->m;
    const struct ms_swift_requirements *all = &job->requirements;
    const char *names = all->types_vm ? ms_metadata_string(m, all->types_vm) : NULL;
    size_t n_types = 0, n_names = 0;
    struct ms_error ignored;
    uint32_t flags;
    if (!names)
        return NULL;
    for (uint32_t i = 0; i < all->n; i++) {
        if (ms_swift_requirement_flags(m, all, i, &flags, &ignored) != MS_OK)
            return NULL;
        n_types += (flags & REQUIREMENT_KIND) == MS_SWIFT_ASSOCIATED_TYPE;
    }
    for (const char *at = names + strspn(names, " "); *at; at += strspn(at, " ")) {
        at += strcspn(at, " ");
        n_names++;
    }
    return n_names == n_types ? names : NULL;
}

/* Kind and symbol of the requirement with that index. */
static enum ms_status describe(struct job *job, uint32_t index, struct ms_swift_witness *witness,
                               bool *is_async, struct ms_error *fault)
{
    uint32_t flags;
    enum ms_status status =
        ms_swift_requirement_flags(job->r->m, &job->requirements, index, &flags, fault);
    if (status != MS_OK)
        return status;
    unsigned kind = flags & REQUIREMENT_KIND;
    witness->kind = kind < MS_SWIFT_UNKNOWN_REQUIREMENT ? (enum ms_swift_requirement)kind
                                                        : MS_SWIFT_UNKNOWN_REQUIREMENT;
    witness->index = index;
    witness->has_index = true;
    *is_async = (flags & IS_ASYNC) != 0;
    witness->is_static =
        is_function(witness->kind) && witness->kind != MS_SWIFT_INIT && !(flags & IS_INSTANCE);
    uint64_t vm = job->requirements.vm + 8 * (uint64_t)index;
    return ms_swift_requirement_symbol(job->r, vm, &witness->symbol) ? MS_OK
                                                                     : ms_fail_memory(fault);
}

static enum ms_status add_witness(struct job *job, const struct ms_swift_witness *witness,
                                  struct ms_error *fault)
{
    struct ms_swift_reader *r = job->r;
    enum ms_status status = ms_metadata_step(r->m, fault);
    if (status != MS_OK)
        return status;
    if (r->out->n_witnesses >= MS_MAX_METADATA)
        return ms_fail(fault, MS_E_LIMIT, r->m->macho->where, MS_NO_OFFSET,
                       "more than %d witnesses", MS_MAX_METADATA);
    return MS_PUSH(r->out->witnesses, r->out->n_witnesses, r->witnesses_room, *witness)
               ? MS_OK
               : ms_fail_memory(fault);
}

/* ---- witnesses that the descriptor lists ----------------------------------------------------- */

static enum ms_status read_resilient(struct job *job, uint64_t vm, struct ms_error *fault)
{
    struct ms_metadata *m = job->r->m;
    struct ms_swift_witness witness;
    uint64_t requirement, function;
    const char *symbol;
    bool is_async = false;
    memset(&witness, 0, sizeof witness);
    witness.kind = MS_SWIFT_UNKNOWN_REQUIREMENT;
    witness.slot_vm = vm + 4;
    enum ms_status status = ms_metadata_indirect(m, vm, &requirement, &symbol, fault);
    if (status == MS_ABSENT)
        status = ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                         "the witness at 0x%llx is of no requirement", (unsigned long long)vm);
    if (status != MS_OK)
        return status;
    if (symbol) {
        witness.symbol = symbol + (symbol[0] == '_');
        witness.kind = ms_swift_kind_of_symbol(witness.symbol);
        is_async = strstr(witness.symbol, "Ya") != NULL;
    } else {
        uint64_t at = requirement - job->requirements.vm;
        if (!job->has_requirements || at % 8 || at / 8 >= job->requirements.n)
            return ms_fail(
                fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                "the witness at 0x%llx is of a requirement at 0x%llx, which isn't one of "
                "its protocol",
                (unsigned long long)vm, (unsigned long long)requirement);
        status = describe(job, (uint32_t)(at / 8), &witness, &is_async, fault);
    }
    if (status == MS_OK)
        status = ms_metadata_relative(m, vm + 4, &function, fault);
    if (status != MS_OK)
        return status;
    if (function)
        set_function(m, &witness, function, is_async);
    return add_witness(job, &witness, fault);
}

static enum ms_status read_listed(struct job *job, uint64_t vm, struct ms_error *fault)
{
    struct ms_metadata *m = job->r->m;
    struct ms_error own;
    struct ms_bytes rest;
    uint32_t n;
    enum ms_status status = ms_metadata_u32(m, vm, &n, fault), first = MS_OK;
    if (status != MS_OK)
        return status;
    if (ms_fixups_bytes(m->fixups, vm + 4, &rest, fault) != MS_OK || rest.n / 8 < n)
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "%u witnesses at 0x%llx are more than the segment holds", (unsigned)n,
                       (unsigned long long)vm);
    for (uint32_t i = 0; i < n; i++) {
        status = read_resilient(job, vm + 4 + 8 * (uint64_t)i, &own);
        if (status != MS_OK && (first == MS_OK || ms_swift_is_end(status))) {
            *fault = own;
            first = status;
        }
        if (ms_swift_is_end(status))
            break;
    }
    return first;
}

/* ---- witness tables -------------------------------------------------------------------------- */

/* Word 0 leads back to the descriptor; the others are in the order of the requirements. */
static enum ms_status read_table(struct job *job, struct ms_error *fault)
{
    struct ms_metadata *m = job->r->m;
    uint64_t back = 0, table = job->c->table_vm;
    enum ms_status status = ms_metadata_follow(m, table, &back, fault);
    if (ms_swift_is_end(status))
        return status;
    if (status != MS_OK || back != job->c->vm)
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "the witness table at 0x%llx isn't that of the conformance at 0x%llx",
                       (unsigned long long)table, (unsigned long long)job->c->vm);
    const char *names = type_names(job);
    for (uint32_t i = 0; i < job->requirements.n; i++) {
        struct ms_swift_witness witness;
        uint64_t vm;
        bool is_async = false;
        memset(&witness, 0, sizeof witness);
        witness.slot_vm = ms_metadata_field(m, table, i + 1);
        status = describe(job, i, &witness, &is_async, fault);
        if (status != MS_OK)
            return status;
        if (names && witness.kind == MS_SWIFT_ASSOCIATED_TYPE) {
            witness.associated = names + strspn(names, " ");
            witness.n_associated = strcspn(witness.associated, " ");
            names = witness.associated + witness.n_associated;
        }
        status = ms_metadata_pointer(m, witness.slot_vm, &vm, &witness.import, fault);
        if (status != MS_OK && status != MS_ABSENT)
            return status;
        if (status == MS_OK && vm)
            set_function(m, &witness, vm, is_async);
        status = add_witness(job, &witness, fault);
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
}

/* ---- conformances ---------------------------------------------------------------------------- */

static enum ms_status absent(struct ms_metadata *m, const char *what, uint64_t vm,
                             struct ms_error *fault)
{
    return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                   "the conformance at 0x%llx has no %s", (unsigned long long)vm, what);
}

static enum ms_status read_protocol(struct job *job, struct ms_error *fault)
{
    struct ms_swift_reader *r = job->r;
    const char *import;
    enum ms_status status =
        ms_metadata_indirect(r->m, job->c->vm, &job->protocol_vm, &import, fault);
    if (status == MS_ABSENT)
        return absent(r->m, "protocol", job->c->vm, fault);
    if (status != MS_OK)
        return status;
    if (import)
        return ms_swift_symbol_name(&r->contexts, import, &job->c->protocol, fault);
    status = ms_swift_context_name(&r->contexts, job->protocol_vm, &job->c->protocol, fault);
    if (status != MS_OK)
        return status;
    status = ms_swift_requirements_read(r->m, job->protocol_vm, &job->requirements, fault);
    job->has_requirements = status == MS_OK;
    return status;
}

static enum ms_status objc_type(struct job *job, const char *name, struct ms_error *fault)
{
    job->c->type = (struct ms_swift_name){"__C", name, NULL};
    return name ? MS_OK : absent(job->r->m, "class name", job->c->vm, fault);
}

static enum ms_status read_type(struct job *job, struct ms_error *fault)
{
    struct ms_swift_reader *r = job->r;
    struct ms_metadata *m = r->m;
    unsigned kind = job->flags >> 3 & 7;
    uint64_t vm;
    const char *import = NULL;
    enum ms_status status = ms_metadata_relative(m, job->c->vm + 4, &vm, fault);
    if (status == MS_OK && !vm)
        return absent(m, "type", job->c->vm, fault);
    if (status == MS_OK && (kind == TYPE_INDIRECT || kind == TYPE_OBJC_CLASS))
        status = ms_metadata_pointer(m, vm, &vm, &import, fault);
    if (status == MS_ABSENT)
        return absent(m, "type", job->c->vm, fault);
    if (status != MS_OK)
        return status;
    switch (kind) {
    case TYPE_DIRECT:
    case TYPE_INDIRECT:
        job->type_vm = vm;
        return import ? ms_swift_symbol_name(&r->contexts, import, &job->c->type, fault)
                      : ms_swift_context_name(&r->contexts, vm, &job->c->type, fault);
    case TYPE_OBJC_NAME:
        return objc_type(job, ms_metadata_string(m, vm), fault);
    case TYPE_OBJC_CLASS:
        return objc_type(job, import ? ms_objc_class_of_symbol(import) : ms_objc_class_name(m, vm),
                         fault);
    default:
        return ms_fail(fault, MS_E_UNSUPPORTED, m->macho->where, MS_NO_OFFSET,
                       "the conformance at 0x%llx refers to its type in way %u",
                       (unsigned long long)job->c->vm, kind);
    }
}

/* Symbols say so, whatever module the importer of C gives it to. */
static const char SYNTHESIZED[] = "__C_Synthesized";

static const char *declared_in(const struct ms_swift_name *name)
{
    return name->declared_in ? name->declared_in : name->module;
}

/* Which module declares it, where neither says so: that of the type or of the protocol. */
static void set_module(struct job *job)
{
    struct ms_swift_conformance *c = job->c;
    const char *type = job->type_vm ? declared_in(&c->type) : NULL;
    const char *protocol = job->protocol_vm ? declared_in(&c->protocol) : NULL;
    if (c->is_synthesized)
        c->module = SYNTHESIZED;
    else if (!type || !protocol || strcmp(type, protocol) == 0)
        c->module = type ? type : protocol;
}

/* What follows the descriptor, as far as the witnesses. */
static enum ms_status read_tail(struct job *job, struct ms_error *fault)
{
    struct ms_metadata *m = job->r->m;
    struct ms_swift_conformance *c = job->c;
    uint64_t at = c->vm + 16;
    enum ms_status status = MS_OK;
    if (c->is_retroactive) {
        uint64_t context;
        const char *import;
        struct ms_swift_name name = {NULL, NULL, NULL};
        status = ms_metadata_indirect(m, at, &context, &import, fault);
        if (status == MS_OK)
            status = import ? ms_swift_symbol_name(&job->r->contexts, import, &name, fault)
                            : ms_swift_context_name(&job->r->contexts, context, &name, fault);
        if (status != MS_OK && status != MS_ABSENT)
            return status;
        c->module = c->is_synthesized ? SYNTHESIZED : name.module;
        at += 4;
    } else {
        set_module(job);
    }
    at += (uint64_t)(job->flags >> 8 & 0xff) * CONDITION_BYTES;
    at += (uint64_t)(job->flags >> 24) * PACK_BYTES;
    if (job->flags & HAS_RESILIENT_WITNESSES)
        return read_listed(job, at, fault);
    return job->has_requirements && c->table_vm ? read_table(job, fault) : MS_OK;
}

/* Each part by itself: what can't be read of one leaves the others. */
static enum ms_status read_conformance(struct job *job, struct ms_error *fault)
{
    static enum ms_status (*const PARTS[])(struct job *, struct ms_error *) = {
        read_protocol, read_type, read_tail};
    struct ms_metadata *m = job->r->m;
    struct ms_swift_conformance *c = job->c;
    enum ms_status first = ms_metadata_u32(m, c->vm + 12, &job->flags, fault);
    if (first == MS_OK)
        first = ms_metadata_relative(m, c->vm + 8, &c->table_vm, fault);
    if (first != MS_OK)
        return first;
    c->is_retroactive = (job->flags & IS_RETROACTIVE) != 0;
    c->is_synthesized = (job->flags & IS_SYNTHESIZED) != 0;
    c->is_conditional = (job->flags >> 8 & 0xff) != 0;
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        struct ms_error own;
        enum ms_status status = PARTS[i](job, &own);
        if (status != MS_OK && (first == MS_OK || ms_swift_is_end(status))) {
            *fault = own;
            first = status;
        }
        if (ms_swift_is_end(status))
            break;
    }
    return first;
}

enum ms_status ms_swift_read_conformances(struct ms_swift_reader *r,
                                          const struct ms_section *section, struct ms_error *err)
{
    struct ms_metadata *m = r->m;
    for (uint64_t at = 0; section->vm_bytes - at >= 4; at += 4) {
        struct ms_swift_conformance c;
        struct ms_error fault;
        memset(&c, 0, sizeof c);
        c.first_witness = r->out->n_witnesses;
        enum ms_status status = ms_metadata_step(m, err);
        if (status != MS_OK)
            return status;
        struct job job = {.r = r, .c = &c};
        status = ms_metadata_relative(m, section->vm + at, &c.vm, &fault);
        if (status == MS_OK && !c.vm)
            status =
                ms_fail(&fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                        "the offset at 0x%llx is null", (unsigned long long)(section->vm + at));
        if (status == MS_OK)
            status = read_conformance(&job, &fault);
        if (status == MS_E_NOMEM || (status != MS_OK && !(c.fault = ms_metadata_fault(m, &fault))))
            return ms_fail_memory(err);
        c.n_witnesses = r->out->n_witnesses - c.first_witness;
        if (!MS_PUSH(r->out->conformances, r->out->n_conformances, r->conformances_room, c))
            return ms_fail_memory(err);
        if (status == MS_E_LIMIT) {
            *err = fault;
            return status;
        }
    }
    return MS_OK;
}
