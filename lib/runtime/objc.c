/*
 * Classes, categories and their methods. Layouts: objc4, objc-runtime-new.h. A class is {isa,
 * superclass, cache, vtable, data}; data leads to its constant part, class_ro, and isa to the
 * metaclass, whose methods are the class methods.
 */
#include "runtime/objc.h"

#include "base/array.h"
#include "machsym/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_METHODS = 1 << 16, /* of one list; real: 3,000 */
    CLASS_SUPER = 1,       /* pointers of a class … */
    CLASS_DATA = 4,
    RO_NAME = 1, /* … of a class_ro, behind its numbers */
    RO_METHODS = 2,
    CATEGORY_NAME = 0, /* … and of a category */
    CATEGORY_CLASS = 1,
    CATEGORY_METHODS = 2,
    CATEGORY_CLASS_METHODS = 3,
    IS_SWIFT = 3 /* bits of a class's data pointer: old and new Swift */
};
#define ENTSIZE_FLAGS 0xffff0003u
#define RELATIVE_METHODS 0x80000000u /* entries are three offsets instead of three pointers … */
#define DIRECT_SELECTORS 0x40000000u /* … the first of which leads to the name, not to a slot */

struct reader {
    struct ms_metadata *m;
    struct ms_objc *out;
    size_t classes_room, methods_room;
    uint64_t *loads; /* classes and categories that have +load, sorted */
    size_t n_loads;
};

const char *ms_objc_class_of_symbol(const char *symbol)
{
    static const char PREFIX[] = "_OBJC_CLASS_$_";
    size_t n = sizeof PREFIX - 1;
    return symbol && strncmp(symbol, PREFIX, n) == 0 && symbol[n] ? symbol + n : NULL;
}

static enum ms_status fail_vm(const struct ms_metadata *m, struct ms_error *fault, const char *what,
                              uint64_t vm)
{
    return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET, "%s at 0x%llx", what,
                   (unsigned long long)vm);
}

/* ---- classes --------------------------------------------------------------------------------- */

static enum ms_status class_ro(struct ms_metadata *m, uint64_t class_vm, uint64_t *out,
                               bool *is_swift, struct ms_error *fault)
{
    uint64_t data;
    enum ms_status status =
        ms_metadata_follow(m, ms_metadata_field(m, class_vm, CLASS_DATA), &data, fault);
    *is_swift = (data & IS_SWIFT) != 0;
    *out = data & ~(uint64_t)(m->macho->is64 ? 7 : 3);
    return status == MS_ABSENT ? fail_vm(m, fault, "there is no data of the class", class_vm)
                               : status;
}

/* Where class_ro's pointers begin: behind three numbers, and a fourth in 64 bits. */
static uint64_t ro_field(const struct ms_metadata *m, uint64_t ro_vm, unsigned n)
{
    return ms_metadata_field(m, ro_vm + (m->macho->is64 ? 16 : 12), n);
}

static const char *name_of_ro(struct ms_metadata *m, uint64_t ro)
{
    struct ms_error ignored;
    uint64_t name;
    if (ms_metadata_follow(m, ro_field(m, ro, RO_NAME), &name, &ignored) != MS_OK)
        return NULL;
    return ms_metadata_string(m, name);
}

const char *ms_objc_class_name(struct ms_metadata *m, uint64_t class_vm)
{
    struct ms_error ignored;
    uint64_t ro;
    bool is_swift;
    if (class_ro(m, class_vm, &ro, &is_swift, &ignored) != MS_OK)
        return NULL;
    return name_of_ro(m, ro);
}

/* The name of the class that a pointer leads to, in this image or another. The low bit tells of
 * a class that is only made at run time. */
static const char *class_at(struct ms_metadata *m, uint64_t slot_vm)
{
    struct ms_error ignored;
    uint64_t vm;
    const char *import;
    if (ms_metadata_pointer(m, slot_vm, &vm, &import, &ignored) != MS_OK)
        return NULL;
    return import ? ms_objc_class_of_symbol(import) : ms_objc_class_name(m, vm & ~(uint64_t)1);
}

/* A Swift class is listed by its mangled name. @return false without memory */
static bool demangled(struct ms_metadata *m, const char *name, const char **out)
{
    char text[1024];
    *out = name;
    if (!name)
        return true;
    size_t n = strlen(name);
    if (ms_mangling_of(name, n) != MS_MANGLING_SWIFT)
        return true;
    size_t need = ms_demangle(name, n, MS_DEMANGLE_FULL, text, sizeof text);
    if (!need || need >= sizeof text || need > m->text_left)
        return true;
    m->text_left -= need;
    *out = ms_arena_copy(&m->arena, text, need);
    return *out != NULL;
}

static bool set_shown_names(struct ms_metadata *m, struct ms_objc_class *c)
{
    return demangled(m, c->name, &c->shown_name) &&
           demangled(m, c->superclass, &c->shown_superclass);
}

/* ---- methods --------------------------------------------------------------------------------- */

/* The selector of the method at `vm`, its types, and where its code is. */
static enum ms_status read_big(struct ms_metadata *m, struct ms_objc_method *out,
                               struct ms_error *fault)
{
    uint64_t name, types;
    struct ms_error ignored;
    enum ms_status status = ms_metadata_follow(m, out->entry_vm, &name, fault);
    if (status == MS_OK)
        out->selector = ms_metadata_string(m, name);
    if (ms_metadata_follow(m, ms_metadata_field(m, out->entry_vm, 1), &types, &ignored) == MS_OK)
        out->types = ms_metadata_string(m, types);
    struct ms_error second;
    enum ms_status code = ms_metadata_pointer(m, ms_metadata_field(m, out->entry_vm, 2), &out->vm,
                                              &out->import, &second);
    if (status == MS_OK && code != MS_OK)
        *fault = second;
    return status == MS_OK ? code : status;
}

static enum ms_status read_relative(struct ms_metadata *m, uint32_t flags,
                                    struct ms_objc_method *out, struct ms_error *fault)
{
    uint64_t name, types;
    struct ms_error ignored;
    enum ms_status status = ms_metadata_relative(m, out->entry_vm, &name, fault);
    if (status == MS_OK && !(flags & DIRECT_SELECTORS))
        status = ms_metadata_follow(m, name, &name, fault);
    if (status == MS_OK)
        out->selector = ms_metadata_string(m, name);
    if (ms_metadata_relative(m, out->entry_vm + 4, &types, &ignored) == MS_OK && types)
        out->types = ms_metadata_string(m, types);
    struct ms_error second;
    enum ms_status code = ms_metadata_relative(m, out->entry_vm + 8, &out->vm, &second);
    if (code == MS_OK && !out->vm)
        code = MS_ABSENT;
    if (status == MS_OK && code != MS_OK)
        *fault = second;
    return status == MS_OK ? code : status;
}

/* Compilers write no blanks and no control characters into selectors. */
static bool is_selector(const char *text)
{
    for (; text && *text; text++)
        if ((unsigned char)*text <= ' ' || *text == 0x7f)
            return false;
    return text != NULL;
}

static enum ms_status read_method(struct ms_metadata *m, uint32_t flags, struct ms_objc_method *out,
                                  struct ms_error *fault)
{
    enum ms_status status =
        flags & RELATIVE_METHODS ? read_relative(m, flags, out, fault) : read_big(m, out, fault);
    /* The first function of an object file is at 0. */
    if (out->vm || (status == MS_OK && !out->import)) {
        out->vm = ms_metadata_code(m, out->vm);
        out->has_address = ms_metadata_is_code(m, out->vm);
    }
    if (status == MS_ABSENT)
        return fail_vm(m, fault, "there is a null pointer in the method", out->entry_vm);
    if (!is_selector(out->selector))
        out->selector = NULL;
    if (status == MS_OK && !out->selector)
        return fail_vm(m, fault, "there is no selector of the method", out->entry_vm);
    if (status == MS_OK && !out->has_address && !out->import)
        return fail_vm(m, fault, "no section of code is", out->vm);
    return status;
}

static enum ms_status add_method(struct reader *r, uint32_t flags, struct ms_objc_method method,
                                 struct ms_error *fault)
{
    struct ms_error own;
    enum ms_status status = ms_metadata_step(r->m, fault);
    if (status != MS_OK)
        return status;
    if (r->out->n_methods >= MS_MAX_METADATA)
        return ms_fail(fault, MS_E_LIMIT, r->m->macho->where, MS_NO_OFFSET, "more than %d methods",
                       MS_MAX_METADATA);
    status = read_method(r->m, flags, &method, &own);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(fault);
    if (status != MS_OK && !(method.fault = ms_metadata_fault(r->m, &own)))
        return ms_fail_memory(fault);
    return MS_PUSH(r->out->methods, r->out->n_methods, r->methods_room, method)
               ? MS_OK
               : ms_fail_memory(fault);
}

/* Appends the methods of the list that a slot points to. A list that is damaged adds none. */
static enum ms_status read_list(struct reader *r, uint64_t slot_vm, bool is_class_method,
                                struct ms_error *fault)
{
    struct ms_metadata *m = r->m;
    uint64_t list;
    uint32_t flags, n = 0;
    enum ms_status status = ms_metadata_follow(m, slot_vm, &list, fault);
    if (status != MS_OK)
        return status == MS_ABSENT ? MS_OK : status;
    if (list & 1)
        return ms_fail(fault, MS_E_UNSUPPORTED, m->macho->where, MS_NO_OFFSET,
                       "the methods at 0x%llx are a list of lists, as a shared cache has them",
                       (unsigned long long)list);
    status = ms_metadata_u32(m, list, &flags, fault);
    if (status == MS_OK)
        status = ms_metadata_u32(m, list + 4, &n, fault);
    if (status != MS_OK)
        return status;
    uint32_t bytes = flags & ~ENTSIZE_FLAGS;
    uint32_t least = flags & RELATIVE_METHODS ? 12 : 3 * ms_fixups_pointer_bytes(m->fixups);
    if (bytes < least || n > MAX_METHODS)
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "the method list at 0x%llx: %u entries of %u bytes",
                       (unsigned long long)list, (unsigned)n, (unsigned)bytes);
    for (uint32_t i = 0; i < n; i++) {
        struct ms_bytes rest;
        struct ms_objc_method method;
        memset(&method, 0, sizeof method);
        method.entry_vm = list + 8 + (uint64_t)i * bytes;
        method.is_class_method = is_class_method;
        status = ms_fixups_bytes(m->fixups, method.entry_vm, &rest, fault);
        if (status != MS_OK || rest.n < least)
            return fail_vm(m, fault, "the file has no bytes for the method", method.entry_vm);
        status = add_method(r, flags, method, fault);
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
}

/* ---- the lists ------------------------------------------------------------------------------- */

/* Keeps the first fault. @return false without memory */
static bool note(struct reader *r, struct ms_objc_class *c, enum ms_status status,
                 const struct ms_error *fault)
{
    if (status != MS_OK && !c->fault)
        c->fault = ms_metadata_fault(r->m, fault);
    return status == MS_OK || c->fault;
}

static bool is_end(enum ms_status status)
{
    return status == MS_E_NOMEM || status == MS_E_LIMIT;
}

static enum ms_status read_class(struct reader *r, struct ms_objc_class *c, struct ms_error *fault)
{
    struct ms_metadata *m = r->m;
    uint64_t ro, meta, meta_ro;
    bool ignored;
    enum ms_status status = class_ro(m, c->vm, &ro, &c->is_swift, fault);
    if (status != MS_OK)
        return status;
    c->name = name_of_ro(m, ro);
    if (!c->name && !note(r, c, fail_vm(m, fault, "there is no name of the class", c->vm), fault))
        return MS_E_NOMEM;
    c->superclass = class_at(m, ms_metadata_field(m, c->vm, CLASS_SUPER));
    status = read_list(r, ro_field(m, ro, RO_METHODS), false, fault);
    if (is_end(status) || !note(r, c, status, fault))
        return status;
    status = ms_metadata_follow(m, c->vm, &meta, fault);
    if (status == MS_ABSENT)
        return fail_vm(m, fault, "there is no metaclass of the class", c->vm);
    if (status == MS_OK)
        status = class_ro(m, meta, &meta_ro, &ignored, fault);
    return status == MS_OK ? read_list(r, ro_field(m, meta_ro, RO_METHODS), true, fault) : status;
}

static enum ms_status read_category(struct reader *r, struct ms_objc_class *c,
                                    struct ms_error *fault)
{
    struct ms_metadata *m = r->m;
    struct ms_error ignored;
    uint64_t name;
    c->category = "?";
    if (ms_metadata_follow(m, ms_metadata_field(m, c->vm, CATEGORY_NAME), &name, &ignored) ==
        MS_OK) {
        const char *text = ms_metadata_string(m, name);
        c->category = text ? text : "?";
    }
    c->name = class_at(m, ms_metadata_field(m, c->vm, CATEGORY_CLASS));
    enum ms_status status =
        read_list(r, ms_metadata_field(m, c->vm, CATEGORY_METHODS), false, fault);
    if (is_end(status) || !note(r, c, status, fault))
        return status;
    return read_list(r, ms_metadata_field(m, c->vm, CATEGORY_CLASS_METHODS), true, fault);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static enum ms_status add_class(struct reader *r, uint64_t slot_vm, bool is_category,
                                struct ms_error *err)
{
    struct ms_objc_class c;
    struct ms_error fault;
    memset(&c, 0, sizeof c);
    c.is_category = is_category;
    c.first_method = r->out->n_methods;
    enum ms_status status = ms_metadata_step(r->m, err);
    if (status != MS_OK)
        return status;
    if (r->out->n_classes >= MS_MAX_METADATA)
        return ms_fail(err, MS_E_LIMIT, r->m->macho->where, MS_NO_OFFSET, "more than %d classes",
                       MS_MAX_METADATA);
    status = ms_metadata_follow(r->m, slot_vm, &c.vm, &fault);
    if (status == MS_ABSENT)
        status = fail_vm(r->m, &fault, "there is a null pointer", slot_vm);
    if (status == MS_OK)
        status = is_category ? read_category(r, &c, &fault) : read_class(r, &c, &fault);
    if (status == MS_E_NOMEM || !note(r, &c, status, &fault) || !set_shown_names(r->m, &c))
        return ms_fail_memory(err);
    c.n_methods = r->out->n_methods - c.first_method;
    c.runs_load = r->n_loads && c.vm && bsearch(&c.vm, r->loads, r->n_loads, sizeof c.vm, by_value);
    if (!MS_PUSH(r->out->classes, r->out->n_classes, r->classes_room, c))
        return ms_fail_memory(err);
    if (status == MS_E_LIMIT) {
        *err = fault;
        return status;
    }
    return MS_OK;
}

static bool is_list(const struct ms_section *section, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(section->name, *names) == 0)
            return section->vm_bytes && strncmp(section->segment_name, "__DATA", 6) == 0;
    return false;
}

static const char *const CLASS_LISTS[] = {"__objc_classlist", NULL};
static const char *const CATEGORY_LISTS[] = {"__objc_catlist", "__objc_catlist2", NULL};
static const char *const LOAD_LISTS[] = {"__objc_nlclslist", "__objc_nlcatlist", NULL};

/* Whether the section's pointers can be read; what keeps them from it is told once. */
static bool has_bytes(struct reader *r, const struct ms_section *section)
{
    struct ms_bytes bytes;
    struct ms_error fault;
    enum ms_status status = ms_macho_section_bytes(r->m->macho, section, &bytes, &fault);
    if (status != MS_OK && status != MS_ABSENT && r->out->damage.status == MS_OK)
        r->out->damage = fault;
    return status == MS_OK;
}

static enum ms_status read_lists(struct reader *r, const char *const *names, bool is_category,
                                 struct ms_error *err)
{
    unsigned word = ms_fixups_pointer_bytes(r->m->fixups);
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < r->m->macho->n_sections && status == MS_OK; i++) {
        const struct ms_section *s = &r->m->macho->sections[i];
        if (!is_list(s, names) || !has_bytes(r, s))
            continue;
        for (uint64_t at = 0; s->vm_bytes - at >= word && status == MS_OK; at += word)
            status = add_class(r, s->vm + at, is_category, err);
    }
    return status;
}

static enum ms_status read_loads(struct reader *r, struct ms_error *err)
{
    unsigned word = ms_fixups_pointer_bytes(r->m->fixups);
    size_t room = 0;
    for (size_t i = 0; i < r->m->macho->n_sections; i++) {
        const struct ms_section *s = &r->m->macho->sections[i];
        if (!is_list(s, LOAD_LISTS) || !has_bytes(r, s))
            continue;
        for (uint64_t at = 0; s->vm_bytes - at >= word; at += word) {
            struct ms_error ignored;
            uint64_t vm;
            enum ms_status status = ms_metadata_follow(r->m, s->vm + at, &vm, &ignored);
            if (ms_metadata_step(r->m, &ignored) != MS_OK)
                break; /* the classes will say so */
            if (status == MS_E_NOMEM ||
                (status == MS_OK && !MS_PUSH(r->loads, r->n_loads, room, vm)))
                return ms_fail_memory(err);
        }
    }
    if (r->n_loads)
        qsort(r->loads, r->n_loads, sizeof *r->loads, by_value);
    return MS_OK;
}

static bool has_lists(const struct ms_macho *macho)
{
    for (size_t i = 0; i < macho->n_sections; i++)
        if (is_list(&macho->sections[i], CLASS_LISTS) ||
            is_list(&macho->sections[i], CATEGORY_LISTS))
            return true;
    return false;
}

enum ms_status ms_objc_read(const struct ms_macho *macho, struct ms_objc *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    if (!has_lists(macho))
        return MS_OK;
    if (macho->filetype == MS_MH_DSYM)
        return ms_fail(err, MS_E_UNSUPPORTED, macho->where, MS_NO_OFFSET,
                       "a dSYM has no bytes of the sections with Objective-C's classes: the binary "
                       "is needed");
    struct ms_metadata *m = calloc(1, sizeof *m);
    if (!m)
        return ms_fail_memory(err);
    out->storage = m;
    struct reader r = {.m = m, .out = out};
    struct ms_error limit;
    enum ms_status status = ms_metadata_open(macho, m, err);
    if (status == MS_OK)
        status = read_loads(&r, &limit);
    if (status == MS_OK)
        status = read_lists(&r, CLASS_LISTS, false, &limit);
    if (status == MS_OK)
        status = read_lists(&r, CATEGORY_LISTS, true, &limit);
    free(r.loads);
    if (status == MS_E_LIMIT) { /* those before it are all right */
        out->damage = limit;
        status = MS_OK;
    }
    if (status != MS_OK) {
        ms_objc_fini(out);
        return ms_fail_memory(err);
    }
    return MS_OK;
}

void ms_objc_fini(struct ms_objc *objc)
{
    if (objc->storage) {
        ms_metadata_close(objc->storage);
        free(objc->storage);
    }
    free(objc->classes);
    free(objc->methods);
    memset(objc, 0, sizeof *objc);
}

size_t ms_objc_method_name(const struct ms_objc_class *owner, const struct ms_objc_method *method,
                           bool as_linked, char *out, size_t room)
{
    const char *name = as_linked ? owner->name : owner->shown_name;
    int n = snprintf(out, room, "%c[%s%s%s%s %s]", method->is_class_method ? '+' : '-',
                     name ? name : "?", owner->category ? "(" : "",
                     owner->category ? owner->category : "", owner->category ? ")" : "",
                     method->selector ? method->selector : "?");
    return n > 0 ? (size_t)n : 0;
}
