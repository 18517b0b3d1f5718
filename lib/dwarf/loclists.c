#include "dwarf/loclists.h"

enum {
    LLE_end_of_list,
    LLE_base_addressx,
    LLE_startx_endx,
    LLE_startx_length,
    LLE_offset_pair,
    LLE_default_location,
    LLE_base_address,
    LLE_start_end,
    LLE_start_length
};

bool ms_loclist_start(struct ms_loclist *l, const struct ms_unit *unit, struct ms_bytes section,
                      uint64_t base5, const struct ms_value *value)
{
    struct ms_bytes entry;
    uint64_t at;
    unsigned size = unit->encoding.offset_size;
    *l = (struct ms_loclist){.unit = unit,
                             .list = ms_cursor_over(section, unit->encoding.big),
                             .base = unit->low,
                             .off = value->u,
                             .is_5 = unit->encoding.version >= 5};
    if (value->form == DW_FORM_loclistx) {
        if (ms_mul_overflows(value->u, size, &at) || ms_add_overflows(at, base5, &at) ||
            !ms_bytes_part(section, at, size, &entry))
            return false;
        struct ms_cursor c = ms_cursor_over(entry, unit->encoding.big);
        if (ms_add_overflows(ms_cursor_uint(&c, size), base5, &l->off))
            return false;
    }
    if (l->off >= section.n)
        return false;
    ms_cursor_seek(&l->list, l->off);
    return true;
}

static bool stop(struct ms_loclist *l, const char *fault)
{
    l->over = true;
    l->fault = fault;
    return false;
}

static uint64_t highest(const struct ms_loclist *l)
{
    return l->unit->encoding.address_size == 4 ? UINT32_MAX : UINT64_MAX;
}

/* True when *out is an entry to hand on. */
static bool read_old(struct ms_loclist *l, struct ms_loclist_entry *out)
{
    unsigned size = l->unit->encoding.address_size;
    out->low = ms_cursor_uint(&l->list, size);
    out->high = ms_cursor_uint(&l->list, size);
    if (l->list.bad)
        return stop(l, "has no end");
    if (out->low == 0 && out->high == 0)
        return stop(l, NULL);
    if (out->low == highest(l)) {
        l->base = out->high;
        return false;
    }
    out->low += l->base;
    out->high += l->base;
    out->expression = ms_cursor_bytes(&l->list, ms_cursor_u16(&l->list));
    return l->list.bad ? stop(l, "has no end") : true;
}

/* The range of a kind of entry that has one. */
static bool read_range_5(struct ms_loclist *l, uint8_t kind, struct ms_loclist_entry *out)
{
    unsigned size = l->unit->encoding.address_size;
    switch (kind) {
    case LLE_startx_endx:
        return ms_unit_address_at(l->unit, ms_cursor_uleb(&l->list), &out->low) &&
               ms_unit_address_at(l->unit, ms_cursor_uleb(&l->list), &out->high);
    case LLE_startx_length:
        if (!ms_unit_address_at(l->unit, ms_cursor_uleb(&l->list), &out->low))
            return false;
        out->high = out->low + ms_cursor_uleb(&l->list);
        return true;
    case LLE_offset_pair:
        out->low = l->base + ms_cursor_uleb(&l->list);
        out->high = l->base + ms_cursor_uleb(&l->list);
        return true;
    case LLE_default_location:
        out->is_default = true;
        return true;
    case LLE_start_end:
        out->low = ms_cursor_uint(&l->list, size);
        out->high = ms_cursor_uint(&l->list, size);
        return true;
    case LLE_start_length:
        out->low = ms_cursor_uint(&l->list, size);
        out->high = out->low + ms_cursor_uleb(&l->list);
        return true;
    }
    return false;
}

static bool read_5(struct ms_loclist *l, struct ms_loclist_entry *out)
{
    uint8_t kind = ms_cursor_u8(&l->list);
    if (l->list.bad)
        return stop(l, "has no end");
    switch (kind) {
    case LLE_end_of_list:
        return stop(l, NULL);
    case LLE_base_addressx:
        if (!ms_unit_address_at(l->unit, ms_cursor_uleb(&l->list), &l->base))
            return stop(l, "names an address that isn't there");
        return false;
    case LLE_base_address:
        l->base = ms_cursor_uint(&l->list, l->unit->encoding.address_size);
        return false;
    }
    if (!read_range_5(l, kind, out))
        return stop(l, "has an entry of an unknown kind, or names an address that isn't there");
    out->expression = ms_cursor_bytes(&l->list, ms_cursor_uleb(&l->list));
    return l->list.bad ? stop(l, "has no end") : true;
}

bool ms_loclist_next(struct ms_loclist *l, struct ms_loclist_entry *out)
{
    while (!l->over) {
        memset(out, 0, sizeof *out);
        if (l->is_5 ? read_5(l, out) : read_old(l, out))
            return true;
    }
    return false;
}
