#include "runtime/inits.h"

#include "base/array.h"
#include "base/cursor.h"
#include "macho/commands.h"

#include <stdlib.h>

enum {
    LC_ROUTINES = 0x11,
    LC_ROUTINES_64 = 0x1a,
    S_MOD_INIT_FUNC_POINTERS = 9,
    S_INIT_FUNC_OFFSETS = 0x16,
    MAX_ARENA = 1 << 28
};

const char *ms_init_kind_name(enum ms_init_kind kind)
{
    static const char *const NAMES[] = {"load-class", "load-category", "routine", "pointer",
                                        "offset"};
    return (unsigned)kind < sizeof NAMES / sizeof *NAMES ? NAMES[kind] : "unknown";
}

const char *ms_init_source(const char *symbol)
{
    static const char *const PREFIXES[] = {"_GLOBAL__sub_I_", "_GLOBAL_sub_I_"};
    if (!symbol)
        return NULL;
    symbol += symbol[0] == '_' && symbol[1] == '_'; /* Mach-O's */
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        size_t n = strlen(PREFIXES[i]);
        if (strncmp(symbol, PREFIXES[i], n) == 0 && symbol[n])
            return symbol + n;
    }
    return NULL;
}

/* What stands behind struct ms_inits. */
struct storage {
    struct ms_fixups *fixups;
    struct ms_arena arena;
};

enum ms_status ms_init_list_add(struct ms_init_list *list, const struct ms_init *init,
                                struct ms_error *err)
{
    if (list->out->n >= MS_MAX_INITS)
        return ms_fail(err, MS_E_LIMIT, list->macho->where, MS_NO_OFFSET,
                       "more than %d static initialisers", MS_MAX_INITS);
    return MS_PUSH(list->out->items, list->out->n, list->room, *init) ? MS_OK : ms_fail_memory(err);
}

const struct ms_error *ms_init_list_fault(struct ms_init_list *list, const struct ms_error *fault)
{
    if (list->n_faults < MS_MAX_INIT_FAULTS) {
        struct ms_error *copy = ms_arena_take(&list->arena, sizeof *copy);
        if (!copy)
            return NULL;
        *copy = *fault;
        list->last_fault = copy;
        list->n_faults++;
    }
    return list->last_fault;
}

uint64_t ms_init_code_address(const struct ms_macho *macho, uint64_t vm)
{
    return macho->cputype == MS_CPU_ARM ? vm & ~(uint64_t)1 : vm;
}

/* The entry as it stands, or with the fault that kept it from being read. */
static enum ms_status add(struct ms_init_list *list, struct ms_init init, enum ms_status status,
                          struct ms_error *fault, struct ms_error *err)
{
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK) {
        init.fault = ms_init_list_fault(list, fault);
        if (!init.fault)
            return ms_fail_memory(err);
    }
    return ms_init_list_add(list, &init, err);
}

/* dyld refuses to run what lies outside the image's code. */
static enum ms_status check_target(const struct ms_init_list *list, struct ms_init *init,
                                   struct ms_error *fault)
{
    const struct ms_macho *macho = list->macho;
    init->vm = ms_init_code_address(macho, init->vm);
    for (size_t i = 0; i < macho->n_segments; i++) {
        const struct ms_segment *s = &macho->segments[i];
        if (init->vm >= s->vm && init->vm - s->vm < s->vm_bytes) {
            init->has_address = true;
            return MS_OK;
        }
    }
    return ms_fail(fault, MS_E_FORMAT, macho->where, MS_NO_OFFSET,
                   "the initialiser at 0x%llx lies in no segment", (unsigned long long)init->vm);
}

static enum ms_status read_pointer(struct ms_init_list *list, struct ms_init *init,
                                   struct ms_error *fault)
{
    struct ms_slot slot;
    enum ms_status status = ms_fixups_read(list->fixups, init->entry_vm, &slot, fault);
    if (status == MS_ABSENT)
        return ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                       "the file has no bytes for the pointer at 0x%llx",
                       (unsigned long long)init->entry_vm);
    if (status != MS_OK)
        return status;
    if (slot.kind == MS_SLOT_BIND) {
        init->import = slot.name;
        return MS_OK;
    }
    if (slot.kind == MS_SLOT_NULL)
        return ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                       "the pointer at 0x%llx is null", (unsigned long long)init->entry_vm);
    init->vm = slot.kind == MS_SLOT_REBASE ? slot.target_vm : slot.value;
    return check_target(list, init, fault);
}

static enum ms_status read_offset(struct ms_init_list *list, struct ms_init *init,
                                  struct ms_error *fault)
{
    struct ms_bytes bytes;
    enum ms_status status = ms_fixups_bytes(list->fixups, init->entry_vm, &bytes, fault);
    if (status == MS_ABSENT || (status == MS_OK && bytes.n < 4))
        return ms_fail(fault, MS_E_FORMAT, list->macho->where, MS_NO_OFFSET,
                       "the file has no bytes for the offset at 0x%llx",
                       (unsigned long long)init->entry_vm);
    if (status != MS_OK)
        return status;
    init->vm = ms_fixups_base(list->fixups) + ms_load_u32(bytes.at, list->macho->big);
    return check_target(list, init, fault);
}

static enum ms_status add_section(struct ms_init_list *list, const struct ms_section *section,
                                  enum ms_init_kind kind, struct ms_error *err)
{
    unsigned word = kind == MS_INIT_OFFSET ? 4 : ms_fixups_pointer_bytes(list->fixups);
    uint64_t n = section->vm_bytes / word;
    enum ms_status status = MS_OK;
    for (uint64_t i = 0; i < n && status == MS_OK; i++) {
        struct ms_error fault;
        struct ms_init init;
        memset(&init, 0, sizeof init);
        init.kind = kind;
        init.section = section;
        init.entry_vm = section->vm + i * word;
        enum ms_status got = kind == MS_INIT_OFFSET ? read_offset(list, &init, &fault)
                                                    : read_pointer(list, &init, &fault);
        status = add(list, init, got, &fault, err);
    }
    return status;
}

/* Its size was checked with the load commands. */
static enum ms_status add_routine(struct ms_init_list *list, struct ms_error *err)
{
    for (size_t i = 0; i < list->macho->n_commands; i++) {
        const struct ms_load_command *command = &list->macho->commands[i];
        if (command->cmd != LC_ROUTINES && command->cmd != LC_ROUTINES_64)
            continue;
        struct ms_cursor c = ms_cursor_over(command->body, list->macho->big);
        struct ms_error fault;
        struct ms_init init;
        memset(&init, 0, sizeof init);
        ms_cursor_seek(&c, 8);
        init.kind = MS_INIT_ROUTINE;
        init.vm = command->cmd == LC_ROUTINES_64 ? ms_cursor_u64(&c) : ms_cursor_u32(&c);
        enum ms_status got = check_target(list, &init, &fault);
        return add(list, init, got, &fault, err);
    }
    return MS_OK;
}

/* ---- the list -------------------------------------------------------------------------------- */

static bool is_list(const struct ms_section *section, const char *name)
{
    return strcmp(section->name, name) == 0 && strncmp(section->segment_name, "__DATA", 6) == 0;
}

/* Which kind of initialisers a section lists; false for most. */
static bool section_kind(const struct ms_section *section, enum ms_init_kind *kind)
{
    uint32_t type = section->flags & MS_S_TYPE;
    if (section->vm_bytes == 0)
        return false;
    if (type == S_MOD_INIT_FUNC_POINTERS)
        *kind = MS_INIT_POINTER;
    else if (type == S_INIT_FUNC_OFFSETS)
        *kind = MS_INIT_OFFSET;
    else if (is_list(section, "__objc_nlclslist"))
        *kind = MS_INIT_LOAD_CLASS;
    else if (is_list(section, "__objc_nlcatlist"))
        *kind = MS_INIT_LOAD_CATEGORY;
    else
        return false;
    return true;
}

static enum ms_status add_listed(struct ms_init_list *list, const struct ms_section *section,
                                 enum ms_init_kind kind, struct ms_error *err)
{
    struct ms_bytes bytes;
    struct ms_error fault;
    enum ms_status status = ms_macho_section_bytes(list->macho, section, &bytes, &fault);
    if (status == MS_OK && kind == MS_INIT_LOAD_CLASS)
        return ms_init_list_classes(list, section, err);
    if (status == MS_OK && kind == MS_INIT_LOAD_CATEGORY)
        return ms_init_list_categories(list, section, err);
    if (status == MS_OK)
        return add_section(list, section, kind, err);
    if (status != MS_ABSENT && list->out->damage.status == MS_OK)
        list->out->damage = fault;
    return MS_OK;
}

static enum ms_status read_all(struct ms_init_list *list, struct ms_error *err)
{
    const struct ms_macho *macho = list->macho;
    enum ms_status status = MS_OK;
    for (int k = MS_INIT_LOAD_CLASS; k <= MS_INIT_OFFSET && status == MS_OK; k++) {
        if (k == MS_INIT_ROUTINE)
            status = add_routine(list, err);
        for (size_t i = 0; i < macho->n_sections && status == MS_OK; i++) {
            enum ms_init_kind kind;
            if (section_kind(&macho->sections[i], &kind) && (int)kind == k)
                status = add_listed(list, &macho->sections[i], kind, err);
        }
    }
    return status;
}

static bool has_lists(const struct ms_macho *macho)
{
    enum ms_init_kind kind;
    for (size_t i = 0; i < macho->n_sections; i++)
        if (section_kind(&macho->sections[i], &kind))
            return true;
    return false;
}

enum ms_status ms_inits_read(const struct ms_macho *macho, struct ms_inits *out,
                             struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    if (macho->filetype == MS_MH_DSYM && has_lists(macho))
        return ms_fail(err, MS_E_UNSUPPORTED, macho->where, MS_NO_OFFSET,
                       "a dSYM has no bytes of the sections that list initialisers: the binary is "
                       "needed");
    struct storage *storage = calloc(1, sizeof *storage);
    if (!storage)
        return ms_fail_memory(err);
    struct ms_init_list list = {.macho = macho, .out = out, .steps = macho->bytes.n};
    ms_arena_init(&list.arena, MAX_ARENA);
    out->storage = storage;
    enum ms_status status = ms_fixups_open(macho, &storage->fixups, err);
    list.fixups = storage->fixups;
    struct ms_error limit;
    if (status == MS_OK)
        status = read_all(&list, &limit);
    storage->arena = list.arena;
    if (status == MS_E_LIMIT) { /* those before it are all right */
        out->damage = limit;
        status = MS_OK;
    }
    if (status != MS_OK) {
        ms_inits_fini(out);
        return ms_fail_memory(err);
    }
    return MS_OK;
}

void ms_inits_fini(struct ms_inits *inits)
{
    struct storage *storage = inits->storage;
    if (storage) {
        ms_fixups_close(storage->fixups);
        ms_arena_fini(&storage->arena);
        free(storage);
    }
    free(inits->items);
    memset(inits, 0, sizeof *inits);
}
