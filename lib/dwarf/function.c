#include "dwarf/function.h"

#include "base/limits.h"
#include "dwarf/ranges.h"

/* Reads the parts of a DIE of any tag: one that isn't a function can still have a name. */
static bool read_parts(const struct ms_unit *unit, uint64_t die_off,
                       struct ms_value parts[MS_N_PARTS])
{
    struct ms_die die;
    uint64_t attribute;
    struct ms_value value;
    if (!ms_die_open(unit, die_off, &die))
        return false;
    if (die.abbrev->describe != MS_NO_PROGRAM) {
        size_t at = (size_t)ms_cursor_offset(&die.values);
        return ms_unit_take(unit, unit->abbrevs->steps + die.abbrev->describe, at, parts,
                            MS_N_PARTS) <= unit->bytes.n;
    }
    for (int i = 0; i < MS_N_PARTS; i++)
        parts[i].form = 0;
    while (ms_die_next(&die, &attribute, &value))
        if (ms_part_of(attribute) < MS_N_PARTS)
            parts[ms_part_of(attribute)] = value;
    return !die.values.bad;
}

/* DW_AT_entry_pc, an address or (DWARF 5) a distance from the base; else the base: low_pc,
 * or where the first range starts (DWARF 5 §2.18). */
static void set_entry(const struct ms_unit *unit, const struct ms_value *parts,
                      struct ms_function *out)
{
    uint64_t high, budget = 16;
    out->has_entry = ms_unit_address(unit, &parts[MS_ENTRY], &out->entry_vm);
    if (out->has_entry)
        return;
    out->has_entry = ms_unit_address(unit, &parts[MS_LOW], &out->entry_vm);
    if (!out->has_entry && parts[MS_RANGES].form) {
        struct ms_ranges ranges;
        ms_ranges_start(&ranges, unit, parts, &budget);
        out->has_entry = ms_ranges_next(&ranges, &out->entry_vm, &high);
    }
    if (out->has_entry && ms_value_is_constant(&parts[MS_ENTRY]))
        out->entry_vm += parts[MS_ENTRY].u;
}

static uint32_t number(const struct ms_value *value)
{
    return ms_value_is_constant(value) && value->u <= UINT32_MAX ? (uint32_t)value->u : 0;
}

static const char *text(const struct ms_unit *unit, const struct ms_value *value)
{
    const char *string = ms_unit_string(unit, value);
    return string && string[0] ? string : NULL;
}

/* A place that a name may still be found at. */
struct lead {
    const struct ms_unit *unit;
    struct ms_value reference;
};

/* Where the name is missing, the declaration has it, or the abstract function, or the
 * declaration of that: a walk over at most two leads a DIE. */
static void follow_names(struct ms_dwarf *dwarf, struct ms_opened_units *opened,
                         const struct ms_unit *unit, const struct ms_value *first,
                         struct ms_function *out)
{
    struct lead leads[2 * MS_MAX_ORIGIN_CHAIN + 2];
    struct ms_value parts[MS_N_PARTS];
    memcpy(parts, first, sizeof parts);
    int n = 0, next = 0;
    for (int hops = 0; hops < MS_MAX_ORIGIN_CHAIN && (!out->linkage || !out->name); hops++) {
        if (parts[MS_ORIGIN].form)
            leads[n++] = (struct lead){unit, parts[MS_ORIGIN]};
        if (parts[MS_SPECIFICATION].form)
            leads[n++] = (struct lead){unit, parts[MS_SPECIFICATION]};
        if (next == n)
            return;
        struct lead lead = leads[next++];
        uint64_t die_off;
        parts[MS_ORIGIN].form = parts[MS_SPECIFICATION].form = 0;
        if (ms_unit_follow(dwarf, opened, lead.unit, &lead.reference, &unit, &die_off, NULL) !=
                MS_OK ||
            !read_parts(unit, die_off, parts))
            continue;
        if (!out->linkage)
            out->linkage = text(unit, &parts[MS_LINKAGE]);
        if (!out->name)
            out->name = text(unit, &parts[MS_NAME]);
    }
}

/* The place in .debug_info of the one DIE that can have the missing names; false when there
 * are two such, or it is in no place that can be told without a search. */
static bool only_lead(const struct ms_unit *unit, const struct ms_value *parts, uint64_t *off)
{
    bool origin = parts[MS_ORIGIN].form;
    const struct ms_value *lead = &parts[origin ? MS_ORIGIN : MS_SPECIFICATION];
    if (!lead->form || (origin && parts[MS_SPECIFICATION].form) || parts[MS_NAME].form ||
        parts[MS_LINKAGE].form || unit->header.in_types || lead->form == DW_FORM_ref_sig8)
        return false;
    bool far = lead->form == DW_FORM_ref_addr;
    *off = far ? lead->u : unit->header.off + lead->u;
    return far ? lead->u < UINT64_MAX : lead->u < unit->bytes.n;
}

static void find_names(struct ms_dwarf *dwarf, struct ms_references *references,
                       const struct ms_unit *unit, const struct ms_value *parts,
                       struct ms_function *out)
{
    uint64_t off;
    if (!only_lead(unit, parts, &off)) {
        follow_names(dwarf, &references->opened, unit, parts, out);
        return;
    }
    size_t at = (size_t)(off ^ off >> 8) % MS_KNOWN_NAMES;
    if (references->names.items[at].off != off + 1) {
        follow_names(dwarf, &references->opened, unit, parts, out);
        references->names.items[at].off = off + 1;
        references->names.items[at].linkage = out->linkage;
        references->names.items[at].name = out->name;
    }
    out->linkage = references->names.items[at].linkage;
    out->name = references->names.items[at].name;
}

enum ms_status ms_function_read(struct ms_dwarf *dwarf, struct ms_references *references,
                                const struct ms_unit *unit, uint64_t die_off,
                                struct ms_function *out, struct ms_error *err)
{
    struct ms_value parts[MS_N_PARTS];
    memset(out, 0, sizeof *out);
    if (!read_parts(unit, die_off, parts))
        return ms_unit_fail(unit, err, MS_E_FORMAT, die_off, "function DIE cannot be read");
    out->linkage = text(unit, &parts[MS_LINKAGE]);
    out->name = text(unit, &parts[MS_NAME]);
    out->call_file = ms_value_is_constant(&parts[MS_CALL_FILE]) ? parts[MS_CALL_FILE].u : 0;
    out->call_line = number(&parts[MS_CALL_LINE]);
    out->call_column = number(&parts[MS_CALL_COLUMN]);
    set_entry(unit, parts, out);
    if (!out->linkage || !out->name)
        find_names(dwarf, references, unit, parts, out);
    return MS_OK;
}
