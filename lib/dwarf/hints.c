#include "dwarf/hints.h"

#include "base/array.h"
#include "base/sort.h"
#include "dwarf/ranges.h"
#include "dwarf/reader.h"

#include <stdlib.h>

enum ms_status ms_name_tables_open(const struct ms_dwarf *dwarf, struct ms_name_tables *out,
                                   struct ms_error *err)
{
    const struct ms_dwarf_sections *s = &dwarf->s;
    memset(out, 0, sizeof *out);
    out->has_apple =
        ms_apple_names_open(s->apple_names, s->str, s->big, s->where, &out->apple, NULL) == MS_OK;
    enum ms_status status =
        ms_debug_names_open(s->names, s->str, s->big, s->where, &out->names, NULL);
    out->has_names = status == MS_OK;
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    return out->has_apple || out->has_names ? MS_OK : MS_ABSENT;
}

void ms_name_tables_close(struct ms_name_tables *tables)
{
    ms_debug_names_close(&tables->names);
    tables->has_apple = tables->has_names = false;
}

/* ---- which DIEs --------------------------------------------------------------------------- */

/* The search for the functions of one unit's addresses. */
struct search {
    struct ms_lookup *l;
    const struct ms_hints *hints;
    const struct ms_dwarf_hint *hint; /* of the address in hand */
    uint64_t address;
    uint64_t end;    /* of the range, from hint->start_vm, that was found to hold it */
    uint64_t budget; /* entries of tables that may still be looked at */
    bool no_memory;
};

static bool is_name(const struct search *s, const char *name)
{
    for (uint32_t i = 0; name && i < s->hint->n_names; i++)
        if (strcmp(name, s->hints->names[s->hint->first_name + i]) == 0)
            return true;
    return false;
}

/* The end of the DIE's range that starts where the symbol does and holds the address; 0 = it has
 * no such range. */
static uint64_t find_end(struct search *s, const struct ms_value pcs[MS_N_PCS])
{
    const struct ms_unit *unit = s->l->unit;
    struct ms_ranges ranges;
    uint64_t low, high;
    ms_ranges_start(&ranges, unit, pcs, &s->l->budget.ranges);
    while (ms_ranges_next(&ranges, &low, &high))
        if (low == s->hint->start_vm && s->address < high && s->address >= low)
            return high;
    return 0;
}

/*
 * A DIE that a table names. The table may lie, so that what is here need not be a DIE at all but
 * bytes in the midst of one. It counts if it is a subprogram whose range starts at the very address
 * of the symbol and holds the address, and which has, in .debug_str and by way of its references,
 * the very name of the symbol. Bytes that happen to do that don't exist by accident; who puts
 * them there deceives nobody of more than by writing a DIE like this, since the name and the start
 * that are shown are those of the symbol table. For memory nothing hangs on it: what reads the
 * DIE is the pass, which trusts no DIE, and lines come from the line table all the same.
 */
static bool take_die(void *owner, uint64_t off)
{
    struct search *s = owner;
    struct ms_lookup *l = s->l;
    const struct ms_unit *unit = l->unit;
    struct ms_value pcs[MS_N_PCS];
    struct ms_function function;
    struct ms_die die;
    uint64_t die_off = off - unit->header.off;
    if (die_off <= unit->header.root || !ms_die_open(unit, die_off, &die) ||
        die.abbrev->kind != MS_DIE_FUNCTION)
        return true; /* calls inlined, variables */
    if (ms_unit_take(unit, unit->abbrevs->steps + die.abbrev->watch,
                     (size_t)ms_cursor_offset(&die.values), pcs, MS_N_PCS) > unit->bytes.n)
        return true;
    uint64_t end = find_end(s, pcs);
    if (!end || ms_function_read(l->dwarf, &l->references, unit, die_off, &function, NULL) != MS_OK)
        return true;
    if (!is_name(s, function.linkage) && !is_name(s, function.name))
        return true;
    s->end = end > s->end ? end : s->end;
    s->no_memory = !MS_PUSH(l->dies, l->n_dies, l->dies_room, die_off);
    return !s->no_memory;
}

/* Looks for all functions that the tables have of one name. False: they may not be all. */
static bool find_name(struct search *s, const char *name)
{
    const struct ms_name_tables *tables = s->hints->tables;
    const struct ms_unit_header *header = &s->l->unit->header;
    /* The hash reads all of the name. */
    uint64_t cost = strlen(name) / 16;
    s->budget -= cost < s->budget ? cost : s->budget;
    const struct ms_named named = {name, header->off, header->end, &s->budget, take_die, s};
    if (tables->has_names && (header->encoding.version >= 5 || !tables->has_apple))
        return ms_debug_names_find(&tables->names, &named);
    return tables->has_apple && ms_apple_names_find(&tables->apple, &named);
}

/* Adds the functions that can have address i. False when it isn't certain that one does. */
static bool find_address(struct search *s, size_t i)
{
    const struct ms_dwarf_hint *hint = s->hints->items[i];
    const uint64_t address = s->l->scan.addresses[i];
    size_t before = s->l->n_dies;
    if (!hint->n_names)
        return false;
    /* Addresses ascend: what was found for the last one of this function does for all that are
     * in the same range. */
    if (s->hint && s->hint->start_vm == hint->start_vm && address < s->end)
        return true;
    s->hint = hint;
    s->address = address;
    s->end = 0;
    ms_dwarf_meter_touch(s->l->dwarf);
    for (uint32_t k = 0; k < hint->n_names; k++)
        if (!find_name(s, s->hints->names[hint->first_name + k]))
            return false;
    return s->l->n_dies > before;
}

/* ---- the passes --------------------------------------------------------------------------- */

/* Sorts what was found, so that of equal functions the first of the unit counts. */
static bool sort_dies(struct ms_lookup *l)
{
    uint64_t *scratch = malloc((l->n_dies + 1) * sizeof *scratch);
    if (!scratch)
        return false;
    ms_sort_u64(l->dies, scratch, l->n_dies);
    l->n_dies = ms_unique_u64(l->dies, l->n_dies);
    free(scratch);
    return true;
}

/*
 * Which functions have the addresses is settled by the pass, among those that were found. They are
 * all that can have them, for the names are those of all symbols at the start, and a linker that
 * leaves a function in debug information has a symbol where it starts: another one that holds the
 * address would start at a symbol nearer to it.
 */
enum ms_status ms_hints_functions(struct ms_lookup *l, const struct ms_hints *hints, bool *done,
                                  struct ms_error *err)
{
    struct search s = {.l = l, .hints = hints, .budget = 256 + l->unit->bytes.n / 16};
    *done = false;
    l->n_dies = 0;
    for (size_t i = 0; i < l->scan.n; i++)
        if (!find_address(&s, i))
            return s.no_memory ? ms_fail_memory(err) : MS_OK;
    if (!sort_dies(l))
        return ms_fail_memory(err);
    for (size_t i = 0, end = 0; i < l->n_dies; i++) {
        /* One inside another was passed with it: no byte is passed twice. */
        if (l->dies[i] < end)
            continue;
        enum ms_status status = ms_lookup_functions(l, l->dies[i], UINT64_MAX, err);
        if (status != MS_OK || l->error.status != MS_OK)
            return status;
        end = l->scan.end;
    }
    for (size_t i = 0; i < l->scan.n; i++)
        if (!l->scan.claims[i].size)
            return MS_OK;
    *done = true;
    return MS_OK;
}
