#include "dwarf/types.h"

#include "base/array.h"
#include "dwarf/reader.h"

#include <stdlib.h>

/* ---- DIEs by their place in the section --------------------------------------------------- */

void ms_types_init(struct ms_types *types, struct ms_dwarf *dwarf, uint64_t left)
{
    memset(types, 0, sizeof *types);
    types->dwarf = dwarf;
    types->left = left;
}

void ms_types_fini(struct ms_types *types)
{
    for (size_t i = 0; i < types->n_kept; i++)
        ms_families_fini(&types->kept[i].families);
    free(types->kept);
    free(types->type_units);
    ms_index_fini(&types->by_unit);
    ms_types_init(types, types->dwarf, 0);
}

uint64_t ms_types_base(const struct ms_types *types, const struct ms_unit *unit)
{
    return unit->header.off + (unit->header.in_types ? types->dwarf->s.info.n : 0);
}

static bool read_type_units(struct ms_types *types)
{
    struct ms_unit_walk walk = {types->dwarf, true, 0};
    struct ms_unit_header header;
    enum ms_status status;
    types->has_type_units = true;
    while ((status = ms_unit_walk_next(&walk, &header, NULL)) != MS_ABSENT)
        if (status == MS_OK &&
            !MS_PUSH(types->type_units, types->n_type_units, types->type_units_room, header.off))
            return false;
    return true;
}

/* The unit of .debug_types that holds `off` of it. */
static const struct ms_unit *type_unit_at(struct ms_types *types, uint64_t off)
{
    struct ms_unit_header header;
    const struct ms_unit *unit;
    for (unsigned i = 0; i < types->opened.n; i++) {
        const struct ms_unit_header *h = &types->opened.units[i].header;
        if (h->in_types && off >= h->off && off < h->end)
            return &types->opened.units[i];
    }
    if (!types->has_type_units && !read_type_units(types)) {
        types->no_memory = true;
        return NULL;
    }
    size_t low = 0, high = types->n_type_units;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (types->type_units[middle] <= off)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low ||
        ms_unit_header_read(types->dwarf, true, types->type_units[low - 1], &header, NULL) !=
            MS_OK ||
        off >= header.end)
        return NULL;
    enum ms_status status =
        ms_opened_units_open(types->dwarf, &types->opened, &header, &unit, NULL);
    types->no_memory |= status == MS_E_NOMEM;
    return status == MS_OK ? unit : NULL;
}

const struct ms_unit *ms_types_unit(struct ms_types *types, uint64_t off)
{
    if (off >= types->dwarf->s.info.n)
        return type_unit_at(types, off - types->dwarf->s.info.n);
    struct ms_unit nowhere; /* a reference from outside all units */
    const struct ms_unit *unit;
    uint64_t die_off;
    memset(&nowhere, 0, sizeof nowhere);
    struct ms_value value = {.form = DW_FORM_ref_addr, .u = off};
    enum ms_status status =
        ms_unit_follow(types->dwarf, &types->opened, &nowhere, &value, &unit, &die_off, NULL);
    types->no_memory |= status == MS_E_NOMEM;
    return status == MS_OK ? unit : NULL;
}

bool ms_types_follow(struct ms_types *types, const struct ms_unit *from,
                     const struct ms_value *value, uint64_t *off)
{
    struct ms_unit copy = *from; /* which the unit that is opened may take the place of */
    const struct ms_unit *unit;
    uint64_t die_off;
    enum ms_status status =
        ms_unit_follow(types->dwarf, &types->opened, &copy, value, &unit, &die_off, NULL);
    types->no_memory |= status == MS_E_NOMEM;
    if (status != MS_OK)
        return false;
    *off = ms_types_base(types, unit) + die_off;
    return true;
}

static void take_reference(struct ms_types *types, const struct ms_unit *unit,
                           const struct ms_value *value, bool *has, uint64_t *off)
{
    /* Within the unit, which nearly all are, nothing needs to be opened. */
    bool near = value->form >= DW_FORM_ref1 && value->form <= DW_FORM_ref_udata;
    if (near && value->u < unit->bytes.n) {
        *has = true;
        *off = ms_types_base(types, unit) + value->u;
    } else {
        *has = ms_types_follow(types, unit, value, off);
    }
}

static void take_number(const struct ms_value *value, bool *has, uint64_t *number)
{
    *has = ms_value_is_constant(value);
    *number = value->u;
}

/* Of the few bytes that a number has the highest bit is its sign. */
static int64_t with_sign(const struct ms_value *value)
{
    switch (value->form) {
    case DW_FORM_data1:
        return (int8_t)value->u;
    case DW_FORM_data2:
        return (int16_t)value->u;
    case DW_FORM_data4:
        return (int32_t)value->u;
    }
    return (int64_t)value->u;
}

static void take_attribute(struct ms_types *types, const struct ms_unit *unit, uint64_t attribute,
                           const struct ms_value *value, struct ms_type_die *out)
{
    bool is_number;
    switch (attribute) {
    case DW_AT_name:
        out->name = ms_unit_string(unit, value);
        break;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        out->linkage = ms_unit_string(unit, value);
        break;
    case DW_AT_type:
        take_reference(types, unit, value, &out->has_type, &out->type);
        break;
    case DW_AT_signature:
        take_reference(types, unit, value, &out->has_signature, &out->signature);
        break;
    case DW_AT_containing_type:
        take_reference(types, unit, value, &out->has_container, &out->container);
        break;
    case DW_AT_specification:
        if (!out->has_origin)
            take_reference(types, unit, value, &out->has_origin, &out->origin);
        break;
    case DW_AT_abstract_origin:
        take_reference(types, unit, value, &out->has_origin, &out->origin);
        break;
    case DW_AT_lower_bound:
        take_number(value, &out->has_lower, &out->lower);
        break;
    case DW_AT_upper_bound:
        take_number(value, &out->has_upper, &out->upper);
        break;
    case DW_AT_count:
        take_number(value, &out->has_count, &out->count);
        break;
    case DW_AT_const_value:
        out->has_const = ms_value_is_constant(value);
        out->constant = with_sign(value);
        break;
    case DW_AT_GNU_template_name:
        out->template_name = ms_unit_string(unit, value);
        break;
    case DW_AT_decl_file:
        take_number(value, &is_number, &out->decl_file);
        break;
    case DW_AT_decl_line:
        take_number(value, &is_number, &out->decl_line);
        break;
    case DW_AT_calling_convention:
        out->convention = value->u;
        break;
    case DW_AT_artificial:
        out->artificial = true;
        break;
    case DW_AT_reference:
        out->reference = true;
        break;
    case DW_AT_rvalue_reference:
        out->rvalue_reference = true;
        break;
    }
}

bool ms_type_die_read(struct ms_types *types, uint64_t off, struct ms_type_die *out)
{
    memset(out, 0, sizeof *out);
    const struct ms_unit *at = ms_types_unit(types, off);
    if (!at)
        return false;
    struct ms_unit unit = *at;
    struct ms_die die;
    struct ms_value value;
    uint64_t attribute;
    uint64_t base = ms_types_base(types, &unit);
    out->off = off;
    if (off - base < unit.header.root || !ms_die_open(&unit, off - base, &die))
        return false;
    out->tag = die.abbrev->tag;
    out->children = die.abbrev->children;
    while (ms_die_next(&die, &attribute, &value))
        take_attribute(types, &unit, attribute, &value, out);
    return !die.values.bad;
}

/* ---- parents ------------------------------------------------------------------------------ */

static const struct ms_families *families_of(struct ms_types *types, const struct ms_unit *unit)
{
    uint64_t off = ms_types_base(types, unit), hash = ms_hash(0, &off, sizeof off);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&types->by_unit, hash, &probe)) != MS_INDEX_NONE;)
        if (types->kept[i].unit_off == off)
            return &types->kept[i].families;
    uint64_t cost = unit->bytes.n / 16; /* real DIEs have some 10 bytes */
    if (cost > types->left || types->n_kept == MS_INDEX_NONE - 1)
        return NULL;
    types->left -= cost;
    struct ms_kept_families item = {off, {NULL, 0, 0}};
    bool read = ms_families_read(unit, &item.families);
    if (!read || !MS_PUSH(types->kept, types->n_kept, types->kept_room, item)) {
        ms_families_fini(&item.families);
        types->no_memory = true;
        return NULL;
    }
    types->no_memory |= !ms_index_add(&types->by_unit, hash, (uint32_t)(types->n_kept - 1));
    return &types->kept[types->n_kept - 1].families;
}

bool ms_types_parent(struct ms_types *types, uint64_t off, uint64_t *parent)
{
    const struct ms_unit *unit = ms_types_unit(types, off);
    if (!unit)
        return false;
    const struct ms_families *families = families_of(types, unit);
    uint64_t base = ms_types_base(types, unit);
    const struct ms_family *family = families ? ms_families_find(families, off - base) : NULL;
    if (!family)
        return false;
    *parent = base + family->off;
    return true;
}
