/* Forms: what each takes, what each gives, and abbreviations compiled from them. */
#include "dwarf/abbrev.h"
#include "unit/dwarf_builder.h"

#include <criterion/criterion.h>

static const struct ms_encoding little = {4, 8, 4, 4, false}, big64 = {2, 4, 8, 4, true};

static struct ms_value read_one(const char *bytes, size_t n, const struct ms_encoding *encoding,
                                unsigned form, size_t *used)
{
    struct ms_cursor c =
        ms_cursor_over((struct ms_bytes){(const uint8_t *)bytes, n}, encoding->big);
    struct ms_value value = ms_value_read(&c, encoding, ms_form_normalize(form), -7);
    *used = c.bad ? SIZE_MAX : (size_t)ms_cursor_offset(&c);
    return value;
}

Test(dwarf_form, every_form_has_its_size_and_value)
{
    static const char bytes[] = "\x05\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f";
    static const struct {
        unsigned form;
        size_t used, used64; /* for `little`, for `big64` */
        uint64_t u;
    } forms[] = {
        {DW_FORM_addr, 8, 4, 0x0706050403020105},
        {DW_FORM_block2, 2 + 0x105, 0, 0},
        {DW_FORM_block1, 6, 6, 5},
        {DW_FORM_block, 6, 6, 5},
        {DW_FORM_exprloc, 6, 6, 5},
        {DW_FORM_data1, 1, 1, 5},
        {DW_FORM_flag, 1, 1, 5},
        {DW_FORM_data2, 2, 2, 0x0105},
        {DW_FORM_data4, 4, 4, 0x03020105},
        {DW_FORM_data8, 8, 8, 0x0706050403020105},
        {DW_FORM_data16, 16, 16, 0},
        {DW_FORM_sdata, 1, 1, 5},
        {DW_FORM_udata, 1, 1, 5},
        {DW_FORM_strp, 4, 8, 0x03020105},
        {DW_FORM_sec_offset, 4, 8, 0x03020105},
        {DW_FORM_line_strp, 4, 8, 0x03020105},
        {DW_FORM_strp_sup, 4, 8, 0x03020105},
        {DW_FORM_GNU_strp_alt, 4, 8, 0x03020105},
        {DW_FORM_GNU_ref_alt, 4, 8, 0x03020105},
        {DW_FORM_ref_addr, 4, 4, 0x03020105},
        {DW_FORM_ref1, 1, 1, 5},
        {DW_FORM_ref2, 2, 2, 0x0105},
        {DW_FORM_ref4, 4, 4, 0x03020105},
        {DW_FORM_ref8, 8, 8, 0x0706050403020105},
        {DW_FORM_ref_udata, 1, 1, 5},
        {DW_FORM_ref_sup4, 4, 4, 0x03020105},
        {DW_FORM_ref_sup8, 8, 8, 0x0706050403020105},
        {DW_FORM_ref_sig8, 8, 8, 0x0706050403020105},
        {DW_FORM_indirect, 6, 0, 0x0504030201}, /* form 5: data2 */
        {DW_FORM_flag_present, 0, 0, 1},
        {DW_FORM_implicit_const, 0, 0, (uint64_t)-7},
        {DW_FORM_strx, 1, 1, 5},
        {DW_FORM_addrx, 1, 1, 5},
        {DW_FORM_loclistx, 1, 1, 5},
        {DW_FORM_rnglistx, 1, 1, 5},
        {DW_FORM_strx1, 1, 1, 5},
        {DW_FORM_strx2, 2, 2, 0x0105},
        {DW_FORM_strx3, 3, 3, 0x020105},
        {DW_FORM_strx4, 4, 4, 0x03020105},
        {DW_FORM_addrx1, 1, 1, 5},
        {DW_FORM_addrx2, 2, 2, 0x0105},
        {DW_FORM_addrx3, 3, 3, 0x020105},
        {DW_FORM_addrx4, 4, 4, 0x03020105},
        {DW_FORM_GNU_addr_index, 1, 1, 5},
        {DW_FORM_GNU_str_index, 1, 1, 5},
        {DW_FORM_LLVM_addrx_offset, 5, 5, 5},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        size_t used;
        struct ms_value v = read_one(bytes, 16, &little, forms[i].form, &used);
        if (forms[i].form == DW_FORM_block2) {
            cr_assert_eq(used, SIZE_MAX); /* longer than what is there */
            continue;
        }
        if (forms[i].form == DW_FORM_indirect) {
            cr_assert_eq(used, 3);
            cr_assert_eq(v.form, DW_FORM_data2);
            cr_assert_eq(v.u, 0x0201);
            continue;
        }
        cr_assert_eq(used, forms[i].used, "form 0x%x took %zu", forms[i].form, used);
        cr_assert_eq(v.u, forms[i].u, "form 0x%x gave 0x%llx", forms[i].form,
                     (unsigned long long)v.u);
        (void)read_one(bytes, 16, &big64, forms[i].form, &used);
        cr_assert_eq(used, forms[i].used64, "form 0x%x took %zu", forms[i].form, used);
        if (forms[i].used) {
            (void)read_one(bytes, forms[i].used - 1, &little, forms[i].form, &used);
            cr_assert_eq(used, SIZE_MAX, "form 0x%x, cut short", forms[i].form);
        }
    }
}

Test(dwarf_form, strings_blocks_and_offsets_of_addresses)
{
    size_t used;
    struct ms_value v = read_one("abc\0", 4, &little, DW_FORM_string, &used);
    cr_assert_str_eq(v.string, "abc");
    cr_assert_eq(used, 4);
    (void)read_one("abc", 3, &little, DW_FORM_string, &used);
    cr_assert_eq(used, SIZE_MAX);
    v = read_one("\1\0\0\0x", 5, &little, DW_FORM_block4, &used);
    cr_assert_eq(used, 5);
    v = read_one("\0\1x", 3, &big64, DW_FORM_block2, &used);
    cr_assert_eq(used, 3);
    v = read_one("\3\4\0\0\0", 5, &little, DW_FORM_LLVM_addrx_offset, &used);
    cr_assert_eq(v.u, 3);
    cr_assert_eq(v.extra, 4);
}

Test(dwarf_form, an_indirect_value_is_one_step)
{
    size_t used;
    (void)read_one("\x16\x0b\1", 3, &little, DW_FORM_indirect, &used);
    cr_assert_eq(used, SIZE_MAX, "indirect to indirect");
    (void)read_one("\x21\1", 2, &little, DW_FORM_indirect, &used);
    cr_assert_eq(used, SIZE_MAX, "indirect to a constant that stands nowhere");
    (void)read_one("\x7f\1", 2, &little, DW_FORM_indirect, &used);
    cr_assert_eq(used, SIZE_MAX, "indirect to an unknown form");
    cr_assert_eq(ms_form_normalize(2), 0);
    cr_assert_eq(ms_form_normalize(0x2d), 0);
    cr_assert_eq(ms_form_normalize(UINT64_MAX), 0);
}

Test(dwarf_form, constants)
{
    static const unsigned yes[] = {DW_FORM_data1,         DW_FORM_data2, DW_FORM_data4,
                                   DW_FORM_data8,         DW_FORM_udata, DW_FORM_sdata,
                                   DW_FORM_implicit_const};
    struct ms_value v = {0};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) {
        v.form = (uint8_t)yes[i];
        cr_assert(ms_value_is_constant(&v));
    }
    v.form = DW_FORM_addr;
    cr_assert_not(ms_value_is_constant(&v));
}

/* ---- abbreviations ------------------------------------------------------------------------ */

static struct ms_abbrev_cache cache_of(const struct dw *b)
{
    struct ms_abbrev_cache cache;
    ms_abbrev_cache_init(&cache, dw_section(b), b->big, "t");
    return cache;
}

static void declare(struct dw *b, unsigned code, unsigned tag, const unsigned *specs)
{
    dw_uleb(b, code);
    dw_uleb(b, tag);
    dw_u8(b, 1);
    for (; specs[0]; specs += 2) {
        dw_uleb(b, specs[0]);
        dw_uleb(b, specs[1]);
    }
    dw_u16(b, 0);
}

Test(dwarf_abbrev, codes_in_any_order)
{
    static const unsigned none[] = {0};
    static const unsigned orders[][4] = {
        {1, 2, 3, 4}, {4, 3, 2, 1}, {7, 500, 3, 1000}, {1, 2, 4, 2}};
    for (size_t k = 0; k < 4; k++) {
        struct dw b = {0};
        struct ms_error err;
        const struct ms_abbrevs *table;
        for (unsigned i = 0; i < 4; i++)
            declare(&b, orders[k][i], 0x20 + i, none);
        dw_u8(&b, 0);
        struct ms_abbrev_cache cache = cache_of(&b);
        cr_assert_eq(ms_abbrev_cache_find(&cache, 0, &little, &table, &err), MS_OK);
        cr_assert_eq(table->n, 4);
        cr_assert_eq(table->codes != NULL, k > 0);
        for (unsigned i = 0; i < 3; i++) {
            const struct ms_abbrev *a = ms_abbrev_find(table, orders[k][i]);
            cr_assert_not_null(a);
            cr_assert_eq(a->tag, 0x20 + i); /* of two 2s the first */
        }
        cr_assert_null(ms_abbrev_find(table, 0));
        cr_assert_null(ms_abbrev_find(table, 5));
        cr_assert_null(ms_abbrev_find(table, UINT64_MAX));
        const struct ms_abbrevs *again;
        cr_assert_eq(ms_abbrev_cache_find(&cache, 0, &little, &again, &err), MS_OK);
        cr_assert_eq(again, table, "shared");
        cr_assert_eq(ms_abbrev_cache_find(&cache, 0, &big64, &again, &err), MS_OK);
        cr_assert_neq(again, table, "another encoding has other sizes");
        ms_abbrev_cache_fini(&cache);
        free(b.at);
    }
}

Test(dwarf_abbrev, runs_of_fixed_sizes_are_one_step)
{
    static const unsigned fixed[] = {3, DW_FORM_strp, 4, DW_FORM_data16, 5, DW_FORM_flag_present,
                                     6, DW_FORM_addr, 0};
    static const unsigned mixed[] = {3, DW_FORM_data4, 4, DW_FORM_udata, 5, DW_FORM_data1, 0};
    struct dw b = {0};
    const struct ms_abbrevs *table;
    declare(&b, 1, 0x34, fixed);
    declare(&b, 2, 0x34, mixed);
    dw_u8(&b, 0);
    struct ms_abbrev_cache cache = cache_of(&b);
    cr_assert_eq(ms_abbrev_cache_find(&cache, 0, &little, &table, NULL), MS_OK);
    const struct ms_abbrev *a = ms_abbrev_find(table, 1);
    cr_assert_eq(a->first.skip, 4 + 16 + 8);
    cr_assert_eq(a->first.action, MS_ACT_END);
    a = ms_abbrev_find(table, 2);
    cr_assert_eq(a->first.skip, 4);
    cr_assert_eq(a->first.action, MS_ACT_LEB);
    cr_assert_eq(table->steps[a->skip].skip, 1);
    cr_assert_eq(table->steps[a->skip].action, MS_ACT_END);
    ms_abbrev_cache_fini(&cache);
    free(b.at);
}

static void expect_fault(const struct dw *b, uint64_t off, enum ms_status status, uint64_t where,
                         const char *text)
{
    struct ms_abbrev_cache cache = cache_of(b);
    const struct ms_abbrevs *table;
    struct ms_error err;
    for (int i = 0; i < 2; i++) { /* a failure is remembered */
        cr_assert_eq(ms_abbrev_cache_find(&cache, off, &little, &table, &err), status);
        cr_assert_str_eq(err.where, "t __debug_abbrev");
        cr_assert_eq(err.offset, where, "at 0x%llx", (unsigned long long)err.offset);
        cr_assert_str_eq(err.text, text);
    }
    ms_abbrev_cache_fini(&cache);
}

Test(dwarf_abbrev, faults)
{
    static const unsigned unknown[] = {3, 0x77, 0};
    struct dw b = {0};
    expect_fault(&b, 0, MS_E_FORMAT, 0, "table lies outside the section");
    dw_bytes(&b, "\0\1", 2);
    expect_fault(&b, 9, MS_E_FORMAT, 9, "table lies outside the section");
    expect_fault(&b, 1, MS_E_FORMAT, 2, "declaration cut short");
    dw_bytes(&b, "\x34\1\3", 3);
    expect_fault(&b, 1, MS_E_FORMAT, 2, "declaration cut short or of an unknown form");
    b.n = 0;
    declare(&b, 1, 0x34, unknown);
    expect_fault(&b, 0, MS_E_FORMAT, 1, "declaration cut short or of an unknown form");
    b.n = 0;
    dw_bytes(&b, "\x80\x80", 2);
    expect_fault(&b, 0, MS_E_FORMAT, 0, "table has no end");
    b.n = 0;
    dw_bytes(&b, "\1\x34\0", 3);
    for (int i = 0; i < 129; i++)
        dw_bytes(&b, "\3\x19", 2); /* flag_present: no byte of the DIE */
    dw_bytes(&b, "\0\0\0", 3);
    expect_fault(&b, 0, MS_E_LIMIT, 1, "more than 128 attributes in a declaration");
    free(b.at);
}

Test(dwarf_abbrev, what_stands_before_a_fault_is_usable)
{
    static const unsigned none[] = {0};
    struct dw b = {0};
    const struct ms_abbrevs *table;
    declare(&b, 1, 0x11, none);
    dw_bytes(&b, "\2\x34", 2);
    struct ms_abbrev_cache cache = cache_of(&b);
    cr_assert_eq(ms_abbrev_cache_find(&cache, 0, &little, &table, NULL), MS_OK);
    cr_assert_not_null(ms_abbrev_find(table, 1));
    cr_assert_null(ms_abbrev_find(table, 2));
    cr_assert_not_null(table->fault);
    cr_assert_eq(table->fault->offset, 6);
    ms_abbrev_cache_fini(&cache);
    free(b.at);
}

Test(dwarf_abbrev, overlapping_tables_have_a_budget)
{
    static const unsigned none[] = {0};
    struct dw b = {0};
    const struct ms_abbrevs *table;
    struct ms_error err;
    for (unsigned i = 1; i <= 8000; i++)
        declare(&b, i, 0x34, none);
    dw_u8(&b, 0);
    struct ms_abbrev_cache cache = cache_of(&b);
    enum ms_status status = MS_OK;
    uint64_t off = 0;
    for (; off < 127 * 5 && status == MS_OK; off += 5) /* each declaration starts a table */
        status = ms_abbrev_cache_find(&cache, off, &little, &table, &err);
    cr_assert_eq(status, MS_E_LIMIT);
    cr_assert_str_eq(err.text, "tables overlap too often");
    cr_assert_lt(off, 64 * 5, "the sum is bounded, not each table");
    ms_abbrev_cache_fini(&cache);
    free(b.at);
}
