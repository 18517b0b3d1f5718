#include "resolve/symbol_hints.h"

#include "base/array.h"
#include "base/cursor.h"
#include "macho/names.h"
#include "macho/starts.h"

#include <stdlib.h>

enum {
    BYTES_A_SYMBOL = 24, /* of DIEs that are passed by in the time of one symbol */
    MAX_NAMES = 64,      /* of one start: folded code has as many as there were copies */
    MAX_NAME_BYTES = 4096,
    MAX_SECT = 255,
    NONE = 0xffffffff
};

/* A name at the start that a slot has come to. */
struct name {
    uint32_t off;  /* in the string table; 0: the symbol has none */
    uint32_t next; /* NONE = the last */
};

/* The symbols at the highest address below or at one asked for, and behind the one before. */
struct slot {
    uint64_t start;
    uint32_t first, n; /* its names; 0: there is no symbol */
};

struct pass {
    const struct ms_macho *macho;
    const uint64_t *addresses;
    size_t n, at; /* `at`: the last slot that was looked at: tables are more or less in order */
    struct slot *slots;
    struct name *names;
    size_t n_names, names_room;
    bool is_code[MAX_SECT + 1]; /* by n_sect */
};

static void find_code(struct pass *p)
{
    for (size_t i = 0; i < p->macho->n_sections && i < MAX_SECT; i++) {
        const struct ms_section *section = &p->macho->sections[i];
        p->is_code[i + 1] = ms_section_is_code(section) || strcmp(section->name, "__text") == 0;
    }
}

/* The slot of the first address that isn't below `start`; NULL when all are. */
static struct slot *slot_of(struct pass *p, uint64_t start)
{
    size_t at = p->at;
    if ((at && start <= p->addresses[at - 1]) || (at < p->n && start > p->addresses[at])) {
        size_t high = p->n;
        for (at = 0; at < high;) {
            size_t middle = at + (high - at) / 2;
            if (p->addresses[middle] < start)
                at = middle + 1;
            else
                high = middle;
        }
        p->at = at;
    }
    return at < p->n ? &p->slots[at] : NULL;
}

/* False without memory. */
static bool add_symbol(struct pass *p, uint64_t start, uint32_t name_off)
{
    struct slot *slot = slot_of(p, start);
    if (!slot || (slot->n && start < slot->start))
        return true;
    if (slot->n && start > slot->start) { /* the memory of one name, mostly all, is used again */
        slot->start = start;
        slot->n = 1;
        p->names[slot->first] = (struct name){name_off, NONE};
        return true;
    }
    if (slot->n > MAX_NAMES)
        return true;
    struct name name = {name_off, slot->n ? slot->first : NONE};
    if (p->n_names >= NONE || !MS_PUSH(p->names, p->n_names, p->names_room, name))
        return false;
    slot->start = start;
    slot->first = (uint32_t)(p->n_names - 1);
    slot->n++;
    return true;
}

static bool read_table(struct pass *p)
{
    const struct ms_macho *macho = p->macho;
    const uint64_t mask = ms_code_mask(macho);
    const size_t each = macho->is64 ? 16 : 12;
    for (uint32_t i = 0; i < macho->n_nlist; i++) {
        struct ms_bytes entry;
        if (!ms_bytes_part(macho->nlist, (uint64_t)i * each, each, &entry))
            break;
        uint8_t type = entry.at[4];
        if (type & MS_N_STAB || (type & MS_N_TYPE) != MS_N_SECT || !p->is_code[entry.at[5]])
            continue;
        uint64_t start = macho->is64 ? ms_load_u64(entry.at + 8, macho->big)
                                     : ms_load_u32(entry.at + 8, macho->big);
        if (!add_symbol(p, start & mask, ms_load_u32(entry.at, macho->big)))
            return false;
    }
    return true;
}

/* The name as DWARF has it; NULL when it is none that a function can be found by. */
static const char *name_at(const struct ms_macho *macho, uint32_t off)
{
    const char *name = off ? ms_macho_string(macho, off) : NULL;
    if (!name || !*name || strnlen(name, MAX_NAME_BYTES) == MAX_NAME_BYTES)
        return NULL;
    name += *name == '_';
    return *name ? name : NULL;
}

/* Writes the names of a slot; none when one of them is missing: it may be the function's. */
static void give_names(const struct pass *p, const struct slot *slot, struct ms_dwarf_hints *out,
                       uint32_t *n_names, struct ms_dwarf_hint *hint)
{
    *hint = (struct ms_dwarf_hint){slot->start, *n_names, 0};
    if (!slot->n || slot->n > MAX_NAMES)
        return;
    uint32_t i = slot->first, n = 0;
    for (; i != NONE; i = p->names[i].next) {
        const char *name = name_at(p->macho, p->names[i].off);
        if (!name)
            return;
        out->names[*n_names + n++] = name;
    }
    hint->n_names = n;
    *n_names += n;
}

static enum ms_status give(const struct pass *p, struct ms_dwarf_hints *out, struct ms_error *err)
{
    uint32_t n_names = 0;
    if (!p->n_names)
        return MS_ABSENT;
    out->items = malloc(p->n * sizeof *out->items);
    out->names = malloc(p->n_names * sizeof *out->names);
    if (!out->items || !out->names) {
        free(out->items);
        free(out->names);
        *out = (struct ms_dwarf_hints){NULL, NULL};
        return ms_fail_memory(err);
    }
    for (size_t i = 0; i < p->n; i++) {
        if (i && !p->slots[i].n) /* no symbol between the two addresses */
            out->items[i] = out->items[i - 1];
        else
            give_names(p, &p->slots[i], out, &n_names, &out->items[i]);
    }
    return MS_OK;
}

enum ms_status ms_symbol_hints(void *macho, const uint64_t *addresses_vm, size_t n,
                               struct ms_dwarf_hints *out, struct ms_error *err)
{
    struct pass p = {.macho = macho, .addresses = addresses_vm, .n = n};
    p.slots = calloc(n, sizeof *p.slots);
    if (!p.slots)
        return ms_fail_memory(err);
    find_code(&p);
    enum ms_status status = read_table(&p) ? give(&p, out, err) : ms_fail_memory(err);
    free(p.slots);
    free(p.names);
    return status;
}

uint64_t ms_symbol_hints_cost(const struct ms_macho *macho)
{
    return (uint64_t)macho->n_nlist * BYTES_A_SYMBOL;
}
