#include "dwarf/ranges.h"

#include "base/bytes.h"
#include "dwarf/fault.h"
#include "dwarf/reader.h"

static void set_fault(struct ms_ranges *r, enum ms_status status, const char *what)
{
    r->status = status;
    r->what = what;
    r->kind = MS_RANGES_NONE;
}

static const char *list_section(const struct ms_ranges *r)
{
    return r->unit->encoding.version >= 5 ? "__debug_rnglists" : "__debug_ranges";
}

enum ms_status ms_ranges_fail(const struct ms_ranges *r, struct ms_error *err)
{
    return ms_dwarf_fail(err, r->status, r->unit->dwarf->s.where, list_section(r), r->off,
                         "range list: %s", r->what);
}

/* An index counts offsets from the unit's base, and those count from there too. */
static bool list_offset(const struct ms_unit *unit, const struct ms_value *value, uint64_t *off)
{
    if (value->form != DW_FORM_rnglistx) {
        *off = value->u;
        return true;
    }
    struct ms_bytes entry;
    unsigned size = unit->encoding.offset_size;
    uint64_t at;
    if (ms_mul_overflows(value->u, size, &at) || ms_add_overflows(at, unit->rnglists_base, &at) ||
        !ms_bytes_part(unit->dwarf->s.rnglists, at, size, &entry))
        return false;
    struct ms_cursor c = ms_cursor_over(entry, unit->encoding.big);
    return !ms_add_overflows(ms_cursor_uint(&c, size), unit->rnglists_base, off);
}

void ms_ranges_start(struct ms_ranges *r, const struct ms_unit *unit,
                     const struct ms_value pcs[MS_N_PCS], uint64_t *budget)
{
    r->unit = unit;
    r->budget = budget;
    r->base = unit->low;
    r->status = MS_OK;
    r->off = 0;
    if (!pcs[MS_RANGES].form) {
        r->kind = ms_unit_low_high(unit, pcs, &r->low, &r->high) ? MS_RANGES_ONE : MS_RANGES_NONE;
        return;
    }
    bool is_5 = unit->encoding.version >= 5;
    struct ms_bytes section = is_5 ? unit->dwarf->s.rnglists : unit->dwarf->s.ranges;
    r->kind = is_5 ? MS_RANGES_5 : MS_RANGES_OLD;
    r->list = ms_cursor_over(section, unit->encoding.big);
    if (!list_offset(unit, &pcs[MS_RANGES], &r->off) || r->off >= section.n) {
        set_fault(r, MS_E_FORMAT, "starts outside the section");
        return;
    }
    ms_cursor_seek(&r->list, r->off);
}

static uint64_t highest_address(const struct ms_ranges *r)
{
    return r->unit->encoding.address_size == 4 ? UINT32_MAX : UINT64_MAX;
}

/* One entry of .debug_ranges. True when it is a range. */
static bool next_old(struct ms_ranges *r, uint64_t *low, uint64_t *high)
{
    unsigned size = r->unit->encoding.address_size;
    *low = ms_cursor_uint(&r->list, size);
    *high = ms_cursor_uint(&r->list, size);
    if (r->list.bad) {
        set_fault(r, MS_E_FORMAT, "has no end");
        return false;
    }
    if (*low == 0 && *high == 0) {
        r->kind = MS_RANGES_NONE;
        return false;
    }
    if (*low == highest_address(r)) {
        r->base = *high;
        return false;
    }
    if (*low == highest_address(r) - 1) /* lld's mark of dropped code */
        return false;
    *low += r->base;
    *high += r->base;
    return true;
}

static bool index_address(struct ms_ranges *r, uint64_t *out)
{
    uint64_t index = ms_cursor_uleb(&r->list);
    if (r->list.bad || ms_unit_address_at(r->unit, index, out))
        return true; /* a bad cursor is noticed by the caller */
    set_fault(r, MS_E_FORMAT, "an index lies outside __debug_addr");
    return false;
}

/* The entries that speak of plain addresses. True when it is a range. */
static bool next_5_plain(struct ms_ranges *r, uint8_t entry, uint64_t *low, uint64_t *high)
{
    unsigned size = r->unit->encoding.address_size;
    switch (entry) {
    case DW_RLE_end_of_list:
        r->kind = MS_RANGES_NONE;
        return false;
    case DW_RLE_offset_pair:
        *low = ms_cursor_uleb(&r->list) + r->base;
        *high = ms_cursor_uleb(&r->list) + r->base;
        return r->base != highest_address(r); /* code that was dropped with its base */
    case DW_RLE_base_address:
        r->base = ms_cursor_uint(&r->list, size);
        return false;
    case DW_RLE_start_end:
        *low = ms_cursor_uint(&r->list, size);
        *high = ms_cursor_uint(&r->list, size);
        return true;
    case DW_RLE_start_length:
        *low = ms_cursor_uint(&r->list, size);
        *high = *low + ms_cursor_uleb(&r->list);
        return true;
    }
    set_fault(r, MS_E_FORMAT, "has an entry of an unknown kind");
    return false;
}

static bool next_5(struct ms_ranges *r, uint64_t *low, uint64_t *high)
{
    uint8_t entry = ms_cursor_u8(&r->list);
    if (r->list.bad)
        return false;
    switch (entry) {
    case DW_RLE_base_addressx:
        (void)index_address(r, &r->base);
        return false;
    case DW_RLE_startx_endx:
        return index_address(r, low) && index_address(r, high);
    case DW_RLE_startx_length:
        if (!index_address(r, low))
            return false;
        *high = *low + ms_cursor_uleb(&r->list);
        return true;
    }
    return next_5_plain(r, entry, low, high);
}

bool ms_ranges_next(struct ms_ranges *r, uint64_t *low, uint64_t *high)
{
    if (r->kind == MS_RANGES_ONE) {
        r->kind = MS_RANGES_NONE;
        *low = r->low;
        *high = r->high;
        return true;
    }
    while (r->kind != MS_RANGES_NONE) {
        if (*r->budget == 0) {
            set_fault(r, MS_E_LIMIT, "more entries than the section can honestly hold");
            break;
        }
        --*r->budget;
        *low = *high = 0;
        bool is_range = r->kind == MS_RANGES_OLD ? next_old(r, low, high) : next_5(r, low, high);
        if (r->list.bad) {
            if (r->status == MS_OK)
                set_fault(r, MS_E_FORMAT, "has no end");
            break;
        }
        if (is_range && *low < *high)
            return true;
    }
    return false;
}

uint64_t ms_ranges_budget(const struct ms_dwarf *dwarf)
{
    return 4096 + 2 * ((uint64_t)dwarf->s.ranges.n + dwarf->s.rnglists.n);
}

static bool is_code(const struct ms_dwarf *dwarf, uint64_t address_vm)
{
    const struct ms_dwarf_range *code = dwarf->s.code;
    size_t low = 0, high = dwarf->s.n_code;
    while (low < high) { /* the first range that ends behind it */
        size_t middle = low + (high - low) / 2;
        if (code[middle].high <= address_vm)
            low = middle + 1;
        else
            high = middle;
    }
    return low < dwarf->s.n_code && code[low].low <= address_vm;
}

enum ms_trust ms_dwarf_trust(const struct ms_dwarf *dwarf, uint64_t low_vm)
{
    uint64_t highest = dwarf->s.address_size == 4 ? UINT32_MAX : UINT64_MAX;
    if (dwarf->s.code && is_code(dwarf, low_vm))
        return MS_TRUST_ALL;
    if (low_vm == 0 || low_vm >= highest - 1)
        return MS_TRUST_NONE;
    return dwarf->s.code ? MS_TRUST_OUTSIDE : MS_TRUST_ALL;
}

bool ms_trust_allows(const struct ms_dwarf *dwarf, enum ms_trust trust, uint64_t address_vm)
{
    return trust == MS_TRUST_ALL || (trust == MS_TRUST_OUTSIDE && !is_code(dwarf, address_vm));
}
