#include "dwarf/function.h"

#include "base/limits.h"
#include "dwarf/ranges.h"

/* The values of one DIE, before any is looked up. */
struct parts {
    struct ms_value linkage, name, origin, specification;
    struct ms_value entry;
    struct ms_pcs pcs;
    struct ms_value call_file, call_line, call_column;
};

static void take(struct parts *p, uint64_t attribute, const struct ms_value *value)
{
    switch (attribute) {
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        p->linkage = *value;
        break;
    case DW_AT_name:
        p->name = *value;
        break;
    case DW_AT_abstract_origin:
        p->origin = *value;
        break;
    case DW_AT_specification:
        p->specification = *value;
        break;
    case DW_AT_low_pc:
        p->pcs.low = *value;
        break;
    case DW_AT_ranges:
        p->pcs.ranges = *value;
        break;
    case DW_AT_entry_pc:
        p->entry = *value;
        break;
    case DW_AT_call_file:
        p->call_file = *value;
        break;
    case DW_AT_call_line:
        p->call_line = *value;
        break;
    case DW_AT_call_column:
        p->call_column = *value;
        break;
    }
}

static bool read_parts(const struct ms_unit *unit, uint64_t die_off, struct parts *out)
{
    struct ms_die die;
    uint64_t attribute;
    struct ms_value value;
    memset(out, 0, sizeof *out);
    if (!ms_die_open(unit, die_off, &die))
        return false;
    while (ms_die_next(&die, &attribute, &value))
        take(out, attribute, &value);
    return !die.values.bad;
}

/* DW_AT_entry_pc, an address or (DWARF 5) a distance from the base; else the base: low_pc,
 * or where the first range starts (DWARF 5 §2.18). */
static void set_entry(const struct ms_unit *unit, const struct parts *p, struct ms_function *out)
{
    uint64_t high, budget = 16;
    out->has_entry = ms_unit_address(unit, &p->entry, &out->entry_vm);
    if (out->has_entry)
        return;
    out->has_entry = ms_unit_address(unit, &p->pcs.low, &out->entry_vm);
    if (!out->has_entry && p->pcs.ranges.form) {
        struct ms_ranges ranges;
        ms_ranges_start(&ranges, unit, &p->pcs, &budget);
        out->has_entry = ms_ranges_next(&ranges, &out->entry_vm, &high);
    }
    if (out->has_entry && ms_value_is_constant(&p->entry))
        out->entry_vm += p->entry.u;
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
                         const struct ms_unit *unit, const struct parts *first,
                         struct ms_function *out)
{
    struct lead leads[2 * MS_MAX_ORIGIN_CHAIN + 2];
    struct parts parts = *first;
    int n = 0, next = 0;
    for (int hops = 0; hops < MS_MAX_ORIGIN_CHAIN && (!out->linkage || !out->name); hops++) {
        if (parts.origin.form)
            leads[n++] = (struct lead){unit, parts.origin};
        if (parts.specification.form)
            leads[n++] = (struct lead){unit, parts.specification};
        if (next == n)
            return;
        struct lead lead = leads[next++];
        uint64_t die_off;
        memset(&parts, 0, sizeof parts);
        if (ms_unit_follow(dwarf, opened, lead.unit, &lead.reference, &unit, &die_off, NULL) !=
                MS_OK ||
            !read_parts(unit, die_off, &parts))
            continue;
        if (!out->linkage)
            out->linkage = text(unit, &parts.linkage);
        if (!out->name)
            out->name = text(unit, &parts.name);
    }
}

/* The place in .debug_info of the one DIE that can have the missing names; false when there
 * are two such, or it is in no place that can be told without a search. */
static bool only_lead(const struct ms_unit *unit, const struct parts *parts, uint64_t *off)
{
    const struct ms_value *lead = parts->origin.form ? &parts->origin : &parts->specification;
    if (!lead->form || (parts->origin.form && parts->specification.form) || parts->name.form ||
        parts->linkage.form || unit->header.in_types || lead->form == DW_FORM_ref_sig8)
        return false;
    bool far = lead->form == DW_FORM_ref_addr;
    *off = far ? lead->u : unit->header.off + lead->u;
    return far ? lead->u < UINT64_MAX : lead->u < unit->bytes.n;
}

static void find_names(struct ms_dwarf *dwarf, struct ms_references *references,
                       const struct ms_unit *unit, const struct parts *parts,
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
    struct parts parts;
    memset(out, 0, sizeof *out);
    if (!read_parts(unit, die_off, &parts))
        return ms_unit_fail(unit, err, MS_E_FORMAT, die_off, "function DIE cannot be read");
    out->linkage = text(unit, &parts.linkage);
    out->name = text(unit, &parts.name);
    out->call_file = ms_value_is_constant(&parts.call_file) ? parts.call_file.u : 0;
    out->call_line = number(&parts.call_line);
    out->call_column = number(&parts.call_column);
    set_entry(unit, &parts, out);
    if (!out->linkage || !out->name)
        find_names(dwarf, references, unit, &parts, out);
    return MS_OK;
}
