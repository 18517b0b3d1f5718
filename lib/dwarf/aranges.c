#include "dwarf/aranges.h"

#include "dwarf/fault.h"
#include "dwarf/reader.h"

void ms_aranges_start(struct ms_aranges *a, const struct ms_dwarf *dwarf, struct ms_error *err)
{
    memset(a, 0, sizeof *a);
    a->sets = ms_cursor_over(dwarf->s.aranges, dwarf->s.big);
    a->dwarf = dwarf;
    a->err = err;
}

static bool set_fault(struct ms_aranges *a, const char *what)
{
    if (a->status == MS_OK)
        a->status = ms_dwarf_fail(a->err, MS_E_FORMAT, a->dwarf->s.where, "__debug_aranges",
                                  a->set_off, "set of ranges: %s", what);
    return false;
}

/* Reads the header of the set that `a->set` is over; leaves that at the first range. */
static bool read_header(struct ms_aranges *a, unsigned length_size, unsigned offset_size)
{
    struct ms_cursor *c = &a->set;
    uint16_t version = ms_cursor_u16(c);
    a->unit_off = ms_cursor_uint(c, offset_size);
    a->address_size = ms_cursor_u8(c);
    uint8_t segment_size = ms_cursor_u8(c);
    if (c->bad)
        return set_fault(a, "header cut short");
    if (version != 2)
        return set_fault(a, "not version 2");
    if (a->address_size != 4 && a->address_size != 8)
        return set_fault(a, "address size is neither 4 nor 8");
    if (segment_size)
        return set_fault(a, "has segments");
    /* Ranges are aligned to their own size, counted from the start of the set. */
    unsigned range = 2u * a->address_size;
    uint64_t at = length_size + ms_cursor_offset(c);
    ms_cursor_skip(c, (range - at % range) % range);
    return true;
}

bool ms_aranges_next_set(struct ms_aranges *a)
{
    for (;;) {
        if (!ms_cursor_left(&a->sets))
            return false;
        a->set_off = ms_cursor_offset(&a->sets);
        uint64_t length = ms_cursor_u32(&a->sets);
        bool wide = length == 0xffffffff;
        if (wide)
            length = ms_cursor_u64(&a->sets);
        struct ms_bytes set = ms_cursor_bytes(&a->sets, length);
        if (a->sets.bad)
            return set_fault(a, "longer than the section");
        a->set = ms_cursor_over(set, a->sets.big);
        if (read_header(a, wide ? 12 : 4, wide ? 8 : 4))
            return true;
    }
}

bool ms_aranges_next(struct ms_aranges *a, uint64_t *low, uint64_t *high)
{
    for (;;) {
        unsigned size = a->address_size;
        while (size && ms_cursor_left(&a->set) >= 2 * size) {
            *low = ms_cursor_uint(&a->set, size);
            uint64_t length = ms_cursor_uint(&a->set, size);
            if (length && !ms_add_overflows(*low, length, high))
                return true;
        }
        if (!ms_aranges_next_set(a))
            return false;
    }
}
