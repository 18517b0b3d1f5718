#include "dwarf/form.h"

uint8_t ms_form_normalize(uint64_t form)
{
    switch (form) {
    case DW_FORM_GNU_addr_index:
        return DW_FORM_addrx;
    case DW_FORM_GNU_str_index:
        return DW_FORM_strx;
    case DW_FORM_GNU_strp_alt:
        return DW_FORM_strp_sup;
    case DW_FORM_GNU_ref_alt:
        return MS_FORM_ref_alt;
    case DW_FORM_LLVM_addrx_offset:
        return MS_FORM_addrx_offset;
    case 0x02: /* never assigned */
        return MS_FORM_UNKNOWN;
    }
    return form >= DW_FORM_addr && form <= DW_FORM_addrx4 ? (uint8_t)form : MS_FORM_UNKNOWN;
}

/* Sizes that hang on the unit, in the table below. */
enum { ADDRESS = 0x20, OFFSET, REF_ADDR };

/* Shape and number of bytes of each form that has a number of the standard. */
static const struct {
    uint8_t shape, size;
} forms[] = {
    [DW_FORM_addr] = {MS_SHAPE_FIXED, ADDRESS},
    [DW_FORM_block2] = {MS_SHAPE_BLOCK2, 0},
    [DW_FORM_block4] = {MS_SHAPE_BLOCK4, 0},
    [DW_FORM_data2] = {MS_SHAPE_FIXED, 2},
    [DW_FORM_data4] = {MS_SHAPE_FIXED, 4},
    [DW_FORM_data8] = {MS_SHAPE_FIXED, 8},
    [DW_FORM_string] = {MS_SHAPE_STRING, 0},
    [DW_FORM_block] = {MS_SHAPE_BLOCK, 0},
    [DW_FORM_block1] = {MS_SHAPE_BLOCK1, 0},
    [DW_FORM_data1] = {MS_SHAPE_FIXED, 1},
    [DW_FORM_flag] = {MS_SHAPE_FIXED, 1},
    [DW_FORM_sdata] = {MS_SHAPE_LEB, 0},
    [DW_FORM_strp] = {MS_SHAPE_FIXED, OFFSET},
    [DW_FORM_udata] = {MS_SHAPE_LEB, 0},
    [DW_FORM_ref_addr] = {MS_SHAPE_FIXED, REF_ADDR},
    [DW_FORM_ref1] = {MS_SHAPE_FIXED, 1},
    [DW_FORM_ref2] = {MS_SHAPE_FIXED, 2},
    [DW_FORM_ref4] = {MS_SHAPE_FIXED, 4},
    [DW_FORM_ref8] = {MS_SHAPE_FIXED, 8},
    [DW_FORM_ref_udata] = {MS_SHAPE_LEB, 0},
    [DW_FORM_indirect] = {MS_SHAPE_INDIRECT, 0},
    [DW_FORM_sec_offset] = {MS_SHAPE_FIXED, OFFSET},
    [DW_FORM_exprloc] = {MS_SHAPE_BLOCK, 0},
    [DW_FORM_flag_present] = {MS_SHAPE_FIXED, 0},
    [DW_FORM_strx] = {MS_SHAPE_LEB, 0},
    [DW_FORM_addrx] = {MS_SHAPE_LEB, 0},
    [DW_FORM_ref_sup4] = {MS_SHAPE_FIXED, 4},
    [DW_FORM_strp_sup] = {MS_SHAPE_FIXED, OFFSET},
    [DW_FORM_data16] = {MS_SHAPE_FIXED, 16},
    [DW_FORM_line_strp] = {MS_SHAPE_FIXED, OFFSET},
    [DW_FORM_ref_sig8] = {MS_SHAPE_FIXED, 8},
    [DW_FORM_implicit_const] = {MS_SHAPE_FIXED, 0},
    [DW_FORM_loclistx] = {MS_SHAPE_LEB, 0},
    [DW_FORM_rnglistx] = {MS_SHAPE_LEB, 0},
    [DW_FORM_ref_sup8] = {MS_SHAPE_FIXED, 8},
    [DW_FORM_strx1] = {MS_SHAPE_FIXED, 1},
    [DW_FORM_strx2] = {MS_SHAPE_FIXED, 2},
    [DW_FORM_strx3] = {MS_SHAPE_FIXED, 3},
    [DW_FORM_strx4] = {MS_SHAPE_FIXED, 4},
    [DW_FORM_addrx1] = {MS_SHAPE_FIXED, 1},
    [DW_FORM_addrx2] = {MS_SHAPE_FIXED, 2},
    [DW_FORM_addrx3] = {MS_SHAPE_FIXED, 3},
    [DW_FORM_addrx4] = {MS_SHAPE_FIXED, 4},
};

const uint8_t ms_form_quick_sizes[256] = {
    [DW_FORM_addr] = MS_QUICK_ADDRESS,
    [DW_FORM_data1] = 1,
    [DW_FORM_data2] = 2,
    [DW_FORM_data4] = 4,
    [DW_FORM_data8] = 8,
    [DW_FORM_strp] = MS_QUICK_OFFSET,
    [DW_FORM_line_strp] = MS_QUICK_OFFSET,
    [DW_FORM_sec_offset] = MS_QUICK_OFFSET,
    [DW_FORM_ref1] = 1,
    [DW_FORM_ref2] = 2,
    [DW_FORM_ref4] = 4,
    [DW_FORM_ref8] = 8,
    [DW_FORM_ref_addr] = MS_QUICK_REF_ADDR,
    [DW_FORM_strx1] = 1,
    [DW_FORM_strx2] = 2,
    [DW_FORM_strx3] = 3,
    [DW_FORM_strx4] = 4,
    [DW_FORM_addrx1] = 1,
    [DW_FORM_addrx2] = 2,
    [DW_FORM_addrx3] = 3,
    [DW_FORM_addrx4] = 4,
    [DW_FORM_udata] = MS_QUICK_ULEB,
    [DW_FORM_ref_udata] = MS_QUICK_ULEB,
    [DW_FORM_strx] = MS_QUICK_ULEB,
    [DW_FORM_addrx] = MS_QUICK_ULEB,
    [DW_FORM_rnglistx] = MS_QUICK_ULEB,
};

enum ms_form_shape ms_form_shape(uint8_t form, const struct ms_encoding *encoding, unsigned *size)
{
    *size = 0;
    if (form >= sizeof forms / sizeof *forms) {
        bool leb = form == MS_FORM_addrx_offset;
        *size = leb ? 4 : encoding->offset_size; /* MS_FORM_ref_alt */
        return leb ? MS_SHAPE_LEB : MS_SHAPE_FIXED;
    }
    *size = forms[form].size;
    if (*size >= ADDRESS)
        *size = *size == ADDRESS  ? encoding->address_size
                : *size == OFFSET ? encoding->offset_size
                                  : encoding->ref_addr_size;
    return (enum ms_form_shape)forms[form].shape;
}

static uint64_t read_fixed(struct ms_cursor *c, unsigned size)
{
    if (size == 0)
        return 0;
    if (size == 3)
        return ms_cursor_u24(c);
    if (size == 16) { /* a checksum or a vector: nothing here looks at it */
        ms_cursor_skip(c, 16);
        return 0;
    }
    return ms_cursor_uint(c, size);
}

static void read_block(struct ms_cursor *c, struct ms_value *out, uint64_t n)
{
    out->u = n;
    ms_cursor_skip(c, n);
}

struct ms_value ms_value_read(struct ms_cursor *c, const struct ms_encoding *encoding, uint8_t form,
                              int64_t implicit)
{
    struct ms_value out = {.form = form};
    unsigned size;
    switch (ms_form_shape(form, encoding, &size)) {
    case MS_SHAPE_FIXED:
        out.u = form == DW_FORM_implicit_const ? (uint64_t)implicit
                : form == DW_FORM_flag_present ? 1
                                               : read_fixed(c, size);
        break;
    case MS_SHAPE_LEB:
        out.u = form == DW_FORM_sdata ? (uint64_t)ms_cursor_sleb(c) : ms_cursor_uleb(c);
        if (size)
            out.extra = ms_cursor_u32(c);
        break;
    case MS_SHAPE_STRING:
        out.string = ms_cursor_string(c);
        break;
    case MS_SHAPE_BLOCK1:
        read_block(c, &out, ms_cursor_u8(c));
        break;
    case MS_SHAPE_BLOCK2:
        read_block(c, &out, ms_cursor_u16(c));
        break;
    case MS_SHAPE_BLOCK4:
        read_block(c, &out, ms_cursor_u32(c));
        break;
    case MS_SHAPE_BLOCK:
        read_block(c, &out, ms_cursor_uleb(c));
        break;
    case MS_SHAPE_INDIRECT:
        out.form = ms_form_normalize(ms_cursor_uleb(c));
        /* One step only, and the constant of an implicit one would have no place to stand. */
        if (out.form == MS_FORM_UNKNOWN || out.form == DW_FORM_indirect ||
            out.form == DW_FORM_implicit_const) {
            ms_cursor_spoil(c);
            break;
        }
        return ms_value_read(c, encoding, out.form, 0);
    }
    return out;
}

void ms_value_skip(struct ms_cursor *c, const struct ms_encoding *encoding, uint8_t form)
{
    (void)ms_value_read(c, encoding, form, 0);
}

bool ms_value_is_constant(const struct ms_value *value)
{
    switch (value->form) {
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_implicit_const:
        return true;
    }
    return false;
}
