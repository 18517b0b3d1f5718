#include "runtime/swift_context.h"

#include "base/array.h"
#include "base/cursor.h"
#include "machsym/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_DEPTH = 64,   /* contexts in each other; real: 6 */
    MAX_MANGLED = 512 /* bytes of an extended type's mangled name; real: 60 */
};

void ms_swift_contexts_fini(struct ms_swift_contexts *contexts)
{
    free(contexts->items);
    ms_index_fini(&contexts->by_vm);
    memset(contexts, 0, sizeof *contexts);
}

/* ---- texts ----------------------------------------------------------------------------------- */

/* Puts "A.B" together; NULL with MS_E_NOMEM or MS_E_LIMIT. */
static enum ms_status join(struct ms_metadata *m, const char *outer, const char *inner,
                           const char **out, struct ms_error *fault)
{
    size_t n_outer = outer ? strlen(outer) : 0, n_inner = strlen(inner);
    if (n_outer == 0) {
        *out = inner;
        return MS_OK;
    }
    if (n_outer + n_inner + 2 > m->text_left || n_outer > MS_MAX_METADATA_STRING)
        return ms_fail(fault, MS_E_LIMIT, m->macho->where, MS_NO_OFFSET,
                       "the names of types are longer than the file allows for");
    m->text_left -= n_outer + n_inner + 2;
    char *text = ms_arena_take(&m->arena, n_outer + n_inner + 2);
    if (!text)
        return ms_fail_memory(fault);
    memcpy(text, outer, n_outer);
    text[n_outer] = '.';
    memcpy(text + n_outer + 1, inner, n_inner + 1);
    *out = text;
    return MS_OK;
}

static enum ms_status keep(struct ms_metadata *m, const char *text, size_t n, const char **out,
                           struct ms_error *fault)
{
    if (n > m->text_left)
        return ms_fail(fault, MS_E_LIMIT, m->macho->where, MS_NO_OFFSET,
                       "the names of types are longer than the file allows for");
    m->text_left -= n;
    *out = ms_arena_copy(&m->arena, text, n);
    return *out ? MS_OK : ms_fail_memory(fault);
}

/* "(extension in M):Swift.Array": M declares what stands in it. */
static const char EXTENSION_IN[] = "(extension in ";

static const char *without_prefix(const char *text)
{
    static const char *const PREFIXES[] = {"nominal type descriptor for ",
                                           "protocol descriptor for ", "module descriptor "};
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        size_t n = strlen(PREFIXES[i]);
        if (strncmp(text, PREFIXES[i], n) == 0)
            return text + n;
    }
    return text;
}

/* A name that the demangler tells with its module and without. */
static enum ms_status split(struct ms_metadata *m, const char *mangled, size_t n,
                            struct ms_swift_name *out, struct ms_error *fault)
{
    char full_text[1024], short_text[1024];
    size_t n_full = ms_demangle(mangled, n, MS_DEMANGLE_FULL, full_text, sizeof full_text);
    size_t n_short = ms_demangle(mangled, n, MS_DEMANGLE_SIMPLIFIED, short_text, sizeof short_text);
    if (!n_full || n_full >= sizeof full_text || n_short >= sizeof short_text)
        return ms_fail(fault, MS_E_UNSUPPORTED, m->macho->where, MS_NO_OFFSET,
                       "the name %.150s can't be read", mangled);
    const char *full = without_prefix(full_text), *path = without_prefix(short_text);
    n_full = strlen(full);
    n_short = strlen(path);
    if (n > 3 && memcmp(mangled + n - 3, "MXM", 3) == 0) {
        out->path = NULL;
        return keep(m, full, n_full, &out->module, fault);
    }
    bool is_end = n_short && n_short + 1 < n_full && full[n_full - n_short - 1] == '.' &&
                  memcmp(full + n_full - n_short, path, n_short) == 0;
    if (!is_end) {
        out->module = NULL;
        return keep(m, full, n_full, &out->path, fault);
    }
    size_t n_module = n_full - n_short - 1;
    const char *colon = memchr(full, ':', n_module); /* "(extension in M):Swift" */
    const char *module = colon ? colon + 1 : full;
    enum ms_status status =
        keep(m, module, n_module - (size_t)(module - full), &out->module, fault);
    size_t n_in = strlen(EXTENSION_IN);
    if (status == MS_OK && colon && (size_t)(colon - full) > n_in + 1 &&
        strncmp(full, EXTENSION_IN, n_in) == 0)
        status = keep(m, full + n_in, (size_t)(colon - full) - n_in - 1, &out->declared_in, fault);
    return status == MS_OK ? keep(m, path, n_short, &out->path, fault) : status;
}

enum ms_status ms_swift_symbol_name(struct ms_swift_contexts *contexts, const char *symbol,
                                    struct ms_swift_name *out, struct ms_error *fault)
{
    memset(out, 0, sizeof *out);
    symbol += symbol[0] == '_';
    return split(contexts->m, symbol, strnlen(symbol, MS_MAX_METADATA_STRING), out, fault);
}

/* ---- contexts -------------------------------------------------------------------------------- */

static enum ms_status name_of(struct ms_swift_contexts *c, uint64_t vm, unsigned depth,
                              struct ms_swift_name *out, struct ms_error *fault);

static enum ms_status name_at(struct ms_swift_contexts *c, uint64_t vm, const char *import,
                              unsigned depth, struct ms_swift_name *out, struct ms_error *fault)
{
    return import ? ms_swift_symbol_name(c, import, out, fault) : name_of(c, vm, depth, out, fault);
}

/*
 * The type that an extension extends. Its mangled name begins with an offset to the type's
 * descriptor (1: straight, 2: by way of a pointer), which may hold NULs; or is a name as symbols
 * have it.
 */
static enum ms_status extended_type(struct ms_swift_contexts *c, uint64_t vm, unsigned depth,
                                    struct ms_swift_name *out, struct ms_error *fault)
{
    struct ms_metadata *m = c->m;
    struct ms_bytes bytes;
    uint64_t text_vm, target;
    const char *import = NULL;
    enum ms_status status = ms_metadata_relative(m, vm + 8, &text_vm, fault);
    if (status == MS_OK)
        status = ms_fixups_bytes(m->fixups, text_vm, &bytes, fault);
    if (status != MS_OK || !text_vm || !bytes.n)
        return status == MS_E_NOMEM
                   ? status
                   : ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                             "the extension at 0x%llx has no type", (unsigned long long)vm);
    if (bytes.at[0] == 1 || bytes.at[0] == 2) {
        status = ms_metadata_relative(m, text_vm + 1, &target, fault);
        if (status == MS_OK && bytes.at[0] == 2)
            status = ms_metadata_pointer(m, target, &target, &import, fault);
        if (status == MS_ABSENT)
            status = ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                             "the pointer at 0x%llx is null", (unsigned long long)target);
        return status == MS_OK ? name_at(c, target, import, depth + 1, out, fault) : status;
    }
    char mangled[MAX_MANGLED + 8];
    const char *text = ms_metadata_string(m, text_vm);
    size_t n = text ? strlen(text) : 0;
    if (!n || n > MAX_MANGLED)
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "the extension at 0x%llx has no type that can be read",
                       (unsigned long long)vm);
    snprintf(mangled, sizeof mangled, "$s%sD", text);
    return split(m, mangled, n + 3, out, fault);
}

/* An imported type has behind its name what the symbols call it. */
static enum ms_status import_info(struct ms_metadata *m, uint64_t name_vm, const char **name,
                                  struct ms_error *fault)
{
    const char *related = NULL;
    uint64_t vm = name_vm + strlen(*name) + 1;
    for (int i = 0; i < 4; i++) {
        const char *part = ms_metadata_string(m, vm);
        if (!part || !*part)
            break;
        if (*part == 'N')
            *name = part + 1;
        else if (*part == 'R')
            related = part + 1;
        vm += strlen(part) + 1;
    }
    if (!related)
        return MS_OK;
    char text[1024];
    int n = snprintf(text, sizeof text, "related decl '%.200s' for %.700s", related, *name);
    return keep(m, text, (size_t)n, name, fault);
}

static enum ms_status parent_name(struct ms_swift_contexts *c, uint64_t vm, unsigned depth,
                                  struct ms_swift_name *out, struct ms_error *fault)
{
    uint64_t parent;
    const char *import;
    memset(out, 0, sizeof *out);
    enum ms_status status = ms_metadata_indirect(c->m, vm + 4, &parent, &import, fault);
    if (status == MS_ABSENT)
        return MS_OK;
    return status == MS_OK ? name_at(c, parent, import, depth + 1, out, fault) : status;
}

static enum ms_status read_name(struct ms_swift_contexts *c, uint64_t vm, unsigned depth,
                                struct ms_swift_name *out, struct ms_error *fault)
{
    struct ms_metadata *m = c->m;
    uint32_t flags;
    uint64_t name_vm;
    enum ms_status status = ms_metadata_u32(m, vm, &flags, fault);
    if (status != MS_OK)
        return status;
    unsigned kind = flags & MS_SWIFT_KIND_MASK;
    struct ms_swift_name parent;
    struct ms_error outer;
    enum ms_status above = parent_name(c, vm, depth, &parent, &outer);
    if (above == MS_E_NOMEM)
        return ms_fail_memory(fault);
    if (kind == MS_SWIFT_EXTENSION) {
        status = extended_type(c, vm, depth, out, fault);
        if (status == MS_OK && above == MS_OK && parent.module && out->module &&
            strcmp(parent.module, out->module) != 0)
            out->declared_in = parent.module;
        return status;
    }
    if (kind == MS_SWIFT_ANONYMOUS || kind == MS_SWIFT_OPAQUE) {
        *out = parent;
        if (above != MS_OK)
            *fault = outer;
        return above;
    }
    bool is_type = kind >= MS_SWIFT_CLASS && kind <= MS_SWIFT_ENUM;
    if (!is_type && kind != MS_SWIFT_MODULE && kind != MS_SWIFT_PROTOCOL)
        return ms_fail(fault, MS_E_UNSUPPORTED, m->macho->where, MS_NO_OFFSET,
                       "the context at 0x%llx is of kind %u", (unsigned long long)vm, kind);
    status = ms_metadata_relative(m, vm + 8, &name_vm, fault);
    const char *name = status == MS_OK ? ms_metadata_string(m, name_vm) : NULL;
    if (status == MS_OK && !name)
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "the context at 0x%llx has no name", (unsigned long long)vm);
    if (status == MS_OK && is_type && flags & MS_SWIFT_HAS_IMPORT_INFO)
        status = import_info(m, name_vm, &name, fault);
    if (status != MS_OK)
        return status;
    if (kind == MS_SWIFT_MODULE) {
        out->module = name;
        out->path = NULL;
        return MS_OK;
    }
    out->module = parent.module;
    out->declared_in = parent.declared_in;
    status = join(m, parent.path, name, &out->path, fault);
    if (status == MS_OK && above != MS_OK)
        *fault = outer;
    return status == MS_OK ? above : status;
}

static enum ms_status name_of(struct ms_swift_contexts *c, uint64_t vm, unsigned depth,
                              struct ms_swift_name *out, struct ms_error *fault)
{
    uint64_t hash = ms_hash(0, &vm, sizeof vm);
    uint32_t i;
    memset(out, 0, sizeof *out);
    for (size_t probe = 0; (i = ms_index_next(&c->by_vm, hash, &probe)) != MS_INDEX_NONE;) {
        if (c->items[i].vm != vm)
            continue;
        *out = c->items[i].name;
        return MS_OK;
    }
    if (depth > MAX_DEPTH)
        return ms_fail(fault, MS_E_FORMAT, c->m->macho->where, MS_NO_OFFSET,
                       "more than %d contexts in each other at 0x%llx", MAX_DEPTH,
                       (unsigned long long)vm);
    enum ms_status status = ms_metadata_step(c->m, fault);
    if (status == MS_OK)
        status = read_name(c, vm, depth, out, fault);
    if (status != MS_OK)
        return status;
    struct ms_swift_context item = {vm, *out};
    return c->n < MS_INDEX_NONE && MS_PUSH(c->items, c->n, c->room, item) &&
                   ms_index_add(&c->by_vm, hash, (uint32_t)(c->n - 1))
               ? MS_OK
               : ms_fail_memory(fault);
}

enum ms_status ms_swift_context_name(struct ms_swift_contexts *contexts, uint64_t vm,
                                     struct ms_swift_name *out, struct ms_error *fault)
{
    return name_of(contexts, vm, 0, out, fault);
}

size_t ms_swift_name_write(const struct ms_swift_name *name, char *out, size_t room)
{
    int n = snprintf(out, room, "%s%s%s", name->module ? name->module : "",
                     name->module && name->path ? "." : "",
                     name->path     ? name->path
                     : name->module ? ""
                                    : "?");
    return n > 0 ? (size_t)n : 0;
}
