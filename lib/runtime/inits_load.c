/*
 * runtime/inits_load.c: +load of classes and categories, and where its code is, out of the
 * metadata of Objective-C. Layouts: objc4, objc-runtime-new.h.
 */
#include "runtime/inits.h"

#include "base/array.h"
#include "base/cursor.h"
#include "base/index.h"

#include <stdlib.h>

enum {
    MAX_METHODS = 1 << 16, /* of one list; real: 3,000 */
    CLASS_PREFIX = 14      /* of "_OBJC_CLASS_$_X" */
};
#define ENTSIZE_FLAGS 0xffff0003u
#define RELATIVE_METHODS 0x80000000u /* entries of three offsets instead of three pointers … */
#define DIRECT_SELECTORS                                                                           \
    0x40000000u /* … the first of which leads to the name, not to a pointer                      \
                 */

static uint64_t field(const struct ms_init_list *list, uint64_t vm, unsigned n)
{
    return vm + (uint64_t)n * ms_fixups_pointer_bytes(list->fixups);
}

/* The address that a pointer holds; MS_ABSENT when it is null, MS_E_FORMAT when it is none. */
static enum ms_status follow(struct ms_init_list *list, uint64_t slot_vm, uint64_t *out,
                             struct ms_error *fault)
{
    struct ms_slot slot;
    enum ms_status status = ms_fixups_read(list->fixups, slot_vm, &slot, fault);
    *out = slot.target_vm;
    if (status == MS_OK && slot.kind == MS_SLOT_NULL)
        return MS_ABSENT;
    if (status != MS_ABSENT && (status != MS_OK || slot.kind == MS_SLOT_REBASE))
        return status;
    if (status == MS_OK && slot.kind == MS_SLOT_BIND)
        return ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                       "the pointer at 0x%llx leads into another image, to %.100s",
                       (unsigned long long)slot_vm, slot.name);
    return ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                   status == MS_ABSENT ? "the file has no bytes at 0x%llx"
                                       : "there is no pointer at 0x%llx",
                   (unsigned long long)slot_vm);
}

static const char *string_at(const struct ms_init_list *list, uint64_t vm)
{
    struct ms_bytes bytes;
    struct ms_error ignored;
    if (ms_fixups_bytes(list->fixups, vm, &bytes, &ignored) != MS_OK)
        return NULL;
    bytes.n = bytes.n < 4096 ? bytes.n : 4096;
    return ms_bytes_string(bytes, 0, NULL);
}

static enum ms_status read_u32(const struct ms_init_list *list, uint64_t vm, uint32_t *out,
                               struct ms_error *fault)
{
    struct ms_bytes bytes;
    enum ms_status status = ms_fixups_bytes(list->fixups, vm, &bytes, fault);
    if (status == MS_ABSENT || (status == MS_OK && bytes.n < 4))
        return ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                       "the file has no bytes at 0x%llx", (unsigned long long)vm);
    if (status == MS_OK)
        *out = ms_load_u32(bytes.at, list->macho->big);
    return status;
}

/* ---- methods --------------------------------------------------------------------------------- */

/* An offset that counts from where it stands. */
static enum ms_status relative(const struct ms_init_list *list, uint64_t vm, uint64_t *out,
                               struct ms_error *fault)
{
    uint32_t offset = 0;
    enum ms_status status = read_u32(list, vm, &offset, fault);
    *out = vm + (uint64_t)(int64_t)(int32_t)offset;
    return status;
}

/* The selector of the method at `vm`, and where its code is. */
static enum ms_status read_method(struct ms_init_list *list, uint64_t vm, uint32_t flags,
                                  const char **selector, uint64_t *code, struct ms_error *fault)
{
    uint64_t name = 0;
    enum ms_status status;
    if (flags & RELATIVE_METHODS) {
        status = relative(list, vm, &name, fault);
        if (status == MS_OK && !(flags & DIRECT_SELECTORS))
            status = follow(list, name, &name, fault);
        if (status == MS_OK)
            status = relative(list, vm + 8, code, fault);
    } else {
        status = follow(list, vm, &name, fault);
        if (status == MS_OK)
            status = follow(list, field(list, vm, 2), code, fault);
    }
    *selector = status == MS_OK ? string_at(list, name) : NULL;
    return status;
}

/* Where the code of "load" is, out of the method list that `slot_vm` points to. */
static enum ms_status find_load(struct ms_init_list *list, uint64_t slot_vm, struct ms_init *init,
                                struct ms_error *fault)
{
    uint64_t methods;
    uint32_t entsize, n = 0;
    enum ms_status status = follow(list, slot_vm, &methods, fault);
    methods &= ~(uint64_t)3; /* bits of a shared cache's lists of lists */
    if (status == MS_OK)
        status = read_u32(list, methods, &entsize, fault);
    if (status == MS_OK)
        status = read_u32(list, methods + 4, &n, fault);
    uint32_t bytes = status == MS_OK ? entsize & ~ENTSIZE_FLAGS : 0;
    uint32_t least = status == MS_OK && entsize & RELATIVE_METHODS
                         ? 12
                         : 3 * ms_fixups_pointer_bytes(list->fixups);
    if (status == MS_OK && (bytes < least || n > MAX_METHODS))
        return ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                       "the method list at 0x%llx: %u entries of %u bytes",
                       (unsigned long long)methods, (unsigned)n, (unsigned)bytes);
    for (uint32_t i = 0; i < n && status == MS_OK; i++) {
        const char *selector;
        uint64_t code;
        if (!list->steps)
            return ms_fail(fault, MS_E_LIMIT, list->macho->where, MS_NO_OFFSET,
                           "the method lists are longer than the file allows for");
        list->steps--;
        status =
            read_method(list, methods + 8 + (uint64_t)i * bytes, entsize, &selector, &code, fault);
        if (status == MS_OK && selector && strcmp(selector, "load") == 0) {
            init->vm = ms_init_code_address(list->macho, code);
            init->has_address = true;
            return MS_OK;
        }
    }
    if (status != MS_OK && status != MS_ABSENT)
        return status;
    return ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                   "its list of methods has no +load");
}

/* ---- classes --------------------------------------------------------------------------------- */

/* The class_ro of a class: its constant part. The low bits of the pointer are flags. */
static enum ms_status class_ro(struct ms_init_list *list, uint64_t class_vm, uint64_t *out,
                               struct ms_error *fault)
{
    enum ms_status status = follow(list, field(list, class_vm, 4), out, fault);
    *out &= ~(uint64_t)(list->macho->is64 ? 7 : 3);
    return status == MS_ABSENT
               ? ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                         "the class at 0x%llx has no data", (unsigned long long)class_vm)
               : status;
}

/* Where class_ro's pointers begin: behind three numbers, and a fourth in 64 bits. */
static uint64_t ro_field(const struct ms_init_list *list, uint64_t ro_vm, unsigned n)
{
    return field(list, ro_vm + (list->macho->is64 ? 16 : 12), n);
}

static const char *class_name(struct ms_init_list *list, uint64_t class_vm)
{
    struct ms_error ignored;
    uint64_t ro, name;
    if (class_ro(list, class_vm, &ro, &ignored) != MS_OK ||
        follow(list, ro_field(list, ro, 1), &name, &ignored) != MS_OK)
        return NULL;
    return string_at(list, name);
}

static enum ms_status read_class(struct ms_init_list *list, uint64_t class_vm, struct ms_init *init,
                                 struct ms_error *fault)
{
    uint64_t meta, ro;
    init->class_name = class_name(list, class_vm);
    enum ms_status status = follow(list, class_vm, &meta, fault);
    if (status == MS_ABSENT)
        return ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                       "the class at 0x%llx has no metaclass", (unsigned long long)class_vm);
    if (status == MS_OK)
        status = class_ro(list, meta, &ro, fault);
    return status == MS_OK ? find_load(list, ro_field(list, ro, 2), init, fault) : status;
}

static enum ms_status finish(struct ms_init_list *list, struct ms_init *init, enum ms_status status,
                             struct ms_error *fault, struct ms_error *err)
{
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK && !(init->fault = ms_init_list_fault(list, fault)))
        return ms_fail_memory(err);
    return ms_init_list_add(list, init, err);
}

/* Classes on their way into the list. */
struct schedule {
    struct ms_init_list *list;
    const struct ms_section *section;
    uint64_t *classes, *entries; /* what the section lists, and where; sorted by neither */
    size_t n;
    struct ms_index by_class; /* to the index above; classes in between have higher numbers */
    uint64_t *seen;           /* those, number less n */
    size_t n_seen, seen_room;
    bool *done;
    uint64_t *chain; /* from a class to its superclasses */
    size_t n_chain, chain_room;
};

/* The number of a class; MS_INDEX_NONE when it wasn't met yet. */
static uint32_t number_of(const struct schedule *s, uint64_t class_vm)
{
    size_t probe = 0;
    uint64_t hash = ms_hash(0, &class_vm, sizeof class_vm);
    for (;;) {
        uint32_t number = ms_index_next(&s->by_class, hash, &probe);
        if (number == MS_INDEX_NONE)
            return number;
        if ((number < s->n ? s->classes[number] : s->seen[number - s->n]) == class_vm)
            return number;
    }
}

static bool remember(struct schedule *s, uint64_t class_vm, uint32_t number)
{
    return ms_index_add(&s->by_class, ms_hash(0, &class_vm, sizeof class_vm), number);
}

/* Puts a class and those above it that weren't met yet on the chain. */
static enum ms_status climb(struct schedule *s, uint64_t class_vm, struct ms_error *err)
{
    s->n_chain = 0;
    for (;;) {
        struct ms_error fault;
        uint32_t number = number_of(s, class_vm);
        if (number < s->n ? s->done[number] : number != MS_INDEX_NONE)
            return MS_OK;
        if (number < s->n) {
            s->done[number] = true;
        } else if (!MS_PUSH(s->seen, s->n_seen, s->seen_room, class_vm) ||
                   !remember(s, class_vm, (uint32_t)(s->n + s->n_seen - 1))) {
            return ms_fail_memory(err);
        }
        if (!MS_PUSH(s->chain, s->n_chain, s->chain_room, class_vm))
            return ms_fail_memory(err);
        /* A superclass in another image has run already; a damaged one is as good as that. */
        enum ms_status status = follow(s->list, field(s->list, class_vm, 1), &class_vm, &fault);
        if (status == MS_E_NOMEM)
            return ms_fail_memory(err);
        if (status != MS_OK)
            return MS_OK;
    }
}

static enum ms_status add_chain(struct schedule *s, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    for (size_t i = s->n_chain; i-- > 0 && status == MS_OK;) {
        uint32_t number = number_of(s, s->chain[i]);
        struct ms_init init;
        struct ms_error fault;
        if (number >= s->n) /* without +load */
            continue;
        memset(&init, 0, sizeof init);
        init.kind = MS_INIT_LOAD_CLASS;
        init.section = s->section;
        init.entry_vm = s->entries[number];
        enum ms_status got = read_class(s->list, s->chain[i], &init, &fault);
        status = finish(s->list, &init, got, &fault, err);
    }
    return status;
}

/* Reads the section's pointers; those that lead to no class of this image are added with why. */
static enum ms_status list_entries(struct schedule *s, struct ms_error *err)
{
    struct ms_init_list *list = s->list;
    unsigned word = ms_fixups_pointer_bytes(list->fixups);
    for (uint64_t at = 0; s->section->vm_bytes - at >= word; at += word) {
        struct ms_error fault;
        uint64_t class_vm, entry_vm = s->section->vm + at;
        enum ms_status status = follow(list, entry_vm, &class_vm, &fault);
        if (status == MS_OK && number_of(s, class_vm) != MS_INDEX_NONE)
            continue; /* listed twice, run once */
        if (status == MS_OK) {
            s->classes[s->n] = class_vm;
            s->entries[s->n] = entry_vm;
            if (!remember(s, class_vm, (uint32_t)s->n++))
                return ms_fail_memory(err);
            continue;
        }
        struct ms_init init;
        memset(&init, 0, sizeof init);
        init.kind = MS_INIT_LOAD_CLASS;
        init.section = s->section;
        init.entry_vm = entry_vm;
        if (status == MS_ABSENT)
            status = ms_fail(&fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                             "the pointer at 0x%llx is null", (unsigned long long)entry_vm);
        status = finish(list, &init, status, &fault, err);
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
}

enum ms_status ms_init_list_classes(struct ms_init_list *list, const struct ms_section *section,
                                    struct ms_error *err)
{
    size_t room = (size_t)(section->vm_bytes / ms_fixups_pointer_bytes(list->fixups)) + 1;
    if (room > MS_MAX_INITS)
        return ms_fail(err, MS_E_LIMIT, list->macho->where, section->off,
                       "section %s,%s lists more than %d classes", section->segment_name,
                       section->name, MS_MAX_INITS);
    struct schedule s = {.list = list, .section = section};
    s.classes = calloc(room, sizeof *s.classes);
    s.entries = calloc(room, sizeof *s.entries);
    s.done = calloc(room, sizeof *s.done);
    enum ms_status status =
        s.classes && s.entries && s.done ? list_entries(&s, err) : ms_fail_memory(err);
    for (size_t i = 0; i < s.n && status == MS_OK; i++) {
        status = climb(&s, s.classes[i], err);
        if (status == MS_OK)
            status = add_chain(&s, err);
    }
    free(s.classes);
    free(s.entries);
    free(s.done);
    free(s.seen);
    free(s.chain);
    ms_index_fini(&s.by_class);
    return status;
}

/* ---- categories ------------------------------------------------------------------------------ */

/* The name of the class that a category extends, mostly another image's. */
static const char *category_class(struct ms_init_list *list, uint64_t slot_vm)
{
    struct ms_slot slot;
    struct ms_error ignored;
    if (ms_fixups_read(list->fixups, slot_vm, &slot, &ignored) != MS_OK)
        return NULL;
    if (slot.kind == MS_SLOT_REBASE)
        return class_name(list, slot.target_vm & ~(uint64_t)1);
    if (slot.kind == MS_SLOT_BIND && strncmp(slot.name, "_OBJC_CLASS_$_", CLASS_PREFIX) == 0)
        return slot.name + CLASS_PREFIX;
    return NULL;
}

enum ms_status ms_init_list_categories(struct ms_init_list *list, const struct ms_section *section,
                                       struct ms_error *err)
{
    unsigned word = ms_fixups_pointer_bytes(list->fixups);
    enum ms_status status = MS_OK;
    for (uint64_t at = 0; section->vm_bytes - at >= word && status == MS_OK; at += word) {
        struct ms_init init;
        struct ms_error fault;
        uint64_t category, name;
        memset(&init, 0, sizeof init);
        init.kind = MS_INIT_LOAD_CATEGORY;
        init.section = section;
        init.entry_vm = section->vm + at;
        enum ms_status got = follow(list, init.entry_vm, &category, &fault);
        if (got == MS_ABSENT)
            got = ms_fail(&fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                          "the pointer at 0x%llx is null", (unsigned long long)init.entry_vm);
        if (got == MS_OK) {
            struct ms_error ignored;
            if (follow(list, category, &name, &ignored) == MS_OK)
                init.category = string_at(list, name);
            init.class_name = category_class(list, field(list, category, 1));
            got = find_load(list, field(list, category, 3), &init, &fault);
        }
        status = finish(list, &init, got, &fault, err);
    }
    return status;
}
