/* Unit headers, first DIEs, what values mean, references, range lists, sets of ranges. */
#include "dwarf/aranges.h"
#include "dwarf/function.h"
#include "dwarf/ranges.h"
#include "dwarf/reader.h"
#include "unit/dwarf_builder.h"

#include <criterion/criterion.h>

/* ---- headers ------------------------------------------------------------------------------ */

static void expect_header(struct dw_image *image, enum ms_status status, uint64_t off, uint64_t end,
                          const char *text)
{
    struct ms_unit_header header;
    struct ms_error err;
    cr_assert_eq(ms_unit_header_read(dw_open(image), false, off, &header, &err), status);
    cr_assert_eq(header.end, end, "end 0x%llx", (unsigned long long)header.end);
    if (status != MS_OK) {
        cr_assert_str_eq(err.where, "t __debug_info");
        cr_assert_eq(err.offset, off);
        cr_assert_str_eq(err.text, text, "%s", err.text);
    }
    dw_close(image);
}

static struct dw_image image_of(const void *bytes, size_t n)
{
    struct dw_image image = dw_image(4, 8, 4, false);
    dw_bytes(&image.info, bytes, n);
    return image;
}

Test(dwarf_unit, headers_that_are_wrong)
{
    struct dw_image image = image_of("\7\0\0\0\4\0\0\0\0\0\10", 11);
    expect_header(&image, MS_OK, 0, 11, NULL);
    image = image_of("\7\0\0\0\4\0\0\0\0\0\10", 11);
    expect_header(&image, MS_E_FORMAT, 11, 0, "unit header: outside the section, at 11");
    image = image_of("\7\0\0", 3);
    expect_header(&image, MS_E_FORMAT, 0, 0, "unit header: cut short, bytes that remain: 3");
    image = image_of("\xf0\xff\xff\xff\4\0", 6);
    expect_header(&image, MS_E_FORMAT, 0, 0, "unit header: reserved length 4294967280");
    image = image_of("\xff\xff\xff\xff\1\0\0", 7);
    expect_header(&image, MS_E_FORMAT, 0, 0, "unit header: cut short, bytes that remain: 7");
    image = image_of("\x08\0\0\0\4\0\0\0\0\0\10", 11);
    expect_header(&image, MS_E_FORMAT, 0, 0, "unit header: the unit needs 8 bytes, 7 remain");
    image = image_of("\7\0\0\0\1\0\0\0\0\0\10", 11);
    expect_header(&image, MS_E_UNSUPPORTED, 0, 11,
                  "unit header: 2 to 5 are known, not DWARF version 1");
    image = image_of("\7\0\0\0\6\0\0\0\0\0\10", 11);
    expect_header(&image, MS_E_UNSUPPORTED, 0, 11,
                  "unit header: 2 to 5 are known, not DWARF version 6");
    image = image_of("\7\0\0\0\4\0\0\0\0\0\2", 11);
    expect_header(&image, MS_E_UNSUPPORTED, 0, 11,
                  "unit header: 4 or 8 expected, not address size 2");
    image = image_of("\6\0\0\0\4\0\0\0\0\0\10", 11);
    expect_header(&image, MS_E_FORMAT, 0, 10, "unit header: longer than its unit of bytes: 10");
    image = image_of("\1\0\0\0\4", 5);
    expect_header(&image, MS_E_FORMAT, 0, 5, "unit header: longer than its unit of bytes: 5");
    image = image_of("\0\0\0\0", 4);
    expect_header(&image, MS_E_FORMAT, 0, 4, "unit header: longer than its unit of bytes: 4");
}

Test(dwarf_unit, every_type_of_a_dwarf_5_unit)
{
    static const struct {
        unsigned type, extra;
    } types[] = {{DW_UT_compile, 0}, {DW_UT_partial, 0},       {DW_UT_skeleton, 8},
                 {DW_UT_type, 12},   {DW_UT_split_compile, 8}, {DW_UT_split_type, 12}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct dw_image image = dw_image(5, 8, 4, false);
        struct ms_unit_header header;
        size_t unit = dw_begin(&image, &image.info);
        dw_u16(&image.info, 5);
        dw_u8(&image.info, types[i].type);
        dw_u8(&image.info, 8);
        dw_u32(&image.info, 0x44);
        for (unsigned k = 1; k <= types[i].extra; k++)
            dw_u8(&image.info, k);
        dw_end(&image, &image.info, unit);
        cr_assert_eq(ms_unit_header_read(dw_open(&image), false, 0, &header, NULL), MS_OK);
        cr_assert_eq(header.type, types[i].type);
        cr_assert_eq(header.root, 12 + types[i].extra);
        cr_assert_eq(header.abbrevs_off, 0x44);
        if (types[i].extra == 12) {
            cr_assert_eq(header.signature, 0x0807060504030201);
            cr_assert_eq(header.type_off, 0x0c0b0a09);
        }
        dw_close(&image);
    }
}

/* A unit of the DIE bytes given, with the declarations of `declare`, opened. */
static enum ms_status open_unit(struct dw_image *image, const void *dies, size_t n,
                                struct ms_unit *unit, struct ms_error *err)
{
    struct ms_unit_header header;
    size_t start = dw_unit(image, 0);
    dw_bytes(&image->info, dies, n);
    dw_end(image, &image->info, start);
    enum ms_status status = ms_unit_header_read(dw_open(image), false, 0, &header, err);
    return status == MS_OK ? ms_unit_open(image->reader, &header, unit, err) : status;
}

Test(dwarf_unit, first_dies)
{
    static const unsigned name[] = {DW_AT_comp_dir, DW_FORM_string, 0};
    struct ms_unit unit;
    struct ms_error err;
    struct dw_image image = dw_image(4, 8, 4, false);
    dw_declare(&image, 1, DW_TAG_compile_unit, true, name);
    dw_u8(&image.abbrev, 0);
    cr_assert_eq(open_unit(&image, "\1/d\0", 4, &unit, &err), MS_OK);
    cr_assert_str_eq(unit.comp_dir, "/d");
    cr_assert_eq(unit.tag, DW_TAG_compile_unit);
    cr_assert(unit.has_children && !unit.has_lines);
    struct dw abbrev = image.abbrev;
    memset(&image.abbrev, 0, sizeof image.abbrev);
    dw_close(&image);

    static const struct {
        const char *bytes;
        size_t n;
        uint64_t off;
        const char *text;
    } wrong[] = {{"\2", 1, 11, "the unit has no first DIE of a known abbreviation"},
                 {"\x81", 1, 11, "the unit has no first DIE of a known abbreviation"},
                 {"\1/d", 3, 11, "the first DIE is longer than its unit"}};
    for (size_t i = 0; i < 3; i++) {
        image = dw_image(4, 8, 4, false);
        image.abbrev = abbrev;
        cr_assert_eq(open_unit(&image, wrong[i].bytes, wrong[i].n, &unit, &err), MS_E_FORMAT);
        cr_assert_eq(err.offset, wrong[i].off);
        cr_assert_str_eq(err.text, wrong[i].text);
        memset(&image.abbrev, 0, sizeof image.abbrev);
        dw_close(&image);
    }
    for (size_t n = 0; n < 2; n++) { /* dsymutil's empty units */
        image = dw_image(4, 8, 4, false);
        image.abbrev = abbrev;
        cr_assert_eq(open_unit(&image, "\0", n, &unit, &err), MS_OK);
        cr_assert_not(unit.has_children);
        memset(&image.abbrev, 0, sizeof image.abbrev);
        dw_close(&image);
    }
    free(abbrev.at);
}

/* ---- values ------------------------------------------------------------------------------- */

static const char *string_of(const struct ms_unit *unit, unsigned form, uint64_t u)
{
    struct ms_value value = {.form = (uint8_t)form, .u = u};
    if (form == DW_FORM_string)
        value.string = "inline";
    return ms_unit_string(unit, &value);
}

Test(dwarf_unit, strings)
{
    static const unsigned none[] = {0};
    struct dw_image image = dw_image(5, 8, 4, false);
    struct ms_unit unit;
    dw_declare(&image, 1, DW_TAG_compile_unit, false, none);
    dw_u8(&image.abbrev, 0);
    dw_str(&image.str, "one");      /* at 1 */
    dw_bytes(&image.str, "two", 3); /* at 5, without an end: no string */
    dw_str(&image.line_str, "three");
    dw_u64(&image.str_offsets, 0); /* header */
    dw_u32(&image.str_offsets, 1);
    dw_u32(&image.str_offsets, 5);
    dw_u32(&image.str_offsets, 0xffffffff);
    cr_assert_eq(open_unit(&image, "\1", 1, &unit, NULL), MS_OK);
    cr_assert_str_eq(string_of(&unit, DW_FORM_string, 0), "inline");
    cr_assert_str_eq(string_of(&unit, DW_FORM_strp, 1), "one");
    cr_assert_str_eq(string_of(&unit, DW_FORM_strp, 3), "e");
    cr_assert_null(string_of(&unit, DW_FORM_strp, 5));
    cr_assert_null(string_of(&unit, DW_FORM_strp, UINT64_MAX));
    cr_assert_str_eq(string_of(&unit, DW_FORM_line_strp, 1), "three");
    cr_assert_null(string_of(&unit, DW_FORM_line_strp, 7));
    cr_assert_eq(unit.str_offsets_base, 8, "the default of DWARF 5");
    for (unsigned form = DW_FORM_strx1; form <= DW_FORM_strx4; form++)
        cr_assert_str_eq(string_of(&unit, form, 0), "one");
    cr_assert_str_eq(string_of(&unit, DW_FORM_strx, 0), "one");
    cr_assert_null(string_of(&unit, DW_FORM_strx, 1));
    cr_assert_null(string_of(&unit, DW_FORM_strx, 2));
    cr_assert_null(string_of(&unit, DW_FORM_strx, 3));
    cr_assert_null(string_of(&unit, DW_FORM_strx, UINT64_MAX / 4 + 1));
    cr_assert_null(string_of(&unit, DW_FORM_strx, UINT64_MAX));
    cr_assert_null(string_of(&unit, DW_FORM_data4, 1));
    cr_assert_null(string_of(&unit, DW_FORM_strp_sup, 1), "the other file isn't here");
    dw_close(&image);
}

Test(dwarf_unit, addresses)
{
    static const unsigned none[] = {0};
    struct dw_image image = dw_image(5, 4, 4, true);
    struct ms_unit unit;
    uint64_t address, low, high;
    dw_declare(&image, 1, DW_TAG_compile_unit, false, none);
    dw_u8(&image.abbrev, 0);
    dw_u64(&image.addr, 0);
    dw_u32(&image.addr, 0x1234);
    cr_assert_eq(open_unit(&image, "\1", 1, &unit, NULL), MS_OK);
    struct ms_value value = {.form = DW_FORM_addrx};
    cr_assert(ms_unit_address(&unit, &value, &address));
    cr_assert_eq(address, 0x1234);
    value = (struct ms_value){.form = MS_FORM_addrx_offset, .extra = 6};
    cr_assert(ms_unit_address(&unit, &value, &address));
    cr_assert_eq(address, 0x123a);
    value.u = 1;
    cr_assert_not(ms_unit_address(&unit, &value, &address));
    value.form = DW_FORM_addrx4;
    cr_assert_not(ms_unit_address(&unit, &value, &address));
    value.form = DW_FORM_data4;
    cr_assert_not(ms_unit_address(&unit, &value, &address));

    struct ms_value pcs[MS_N_PCS] = {[MS_LOW] = {.form = DW_FORM_addr, .u = 0x10},
                                     [MS_HIGH] = {.form = DW_FORM_data4, .u = 0x20}};
    cr_assert(ms_unit_low_high(&unit, pcs, &low, &high));
    cr_assert_eq(high, 0x30);
    pcs[MS_HIGH].form = DW_FORM_addr;
    cr_assert(ms_unit_low_high(&unit, pcs, &low, &high));
    cr_assert_eq(high, 0x20);
    pcs[MS_HIGH].u = 0x10;
    cr_assert_not(ms_unit_low_high(&unit, pcs, &low, &high), "empty");
    pcs[MS_HIGH] = (struct ms_value){.form = DW_FORM_udata, .u = UINT64_MAX};
    cr_assert_not(ms_unit_low_high(&unit, pcs, &low, &high), "wraps");
    pcs[MS_HIGH] = (struct ms_value){.form = DW_FORM_block1, .u = 1};
    cr_assert_not(ms_unit_low_high(&unit, pcs, &low, &high));
    pcs[MS_HIGH].form = 0;
    cr_assert_not(ms_unit_low_high(&unit, pcs, &low, &high));
    dw_close(&image);
}

/* ---- names and references ------------------------------------------------------------------- */

enum { CU = 1, FUNCTION, NAMED, FAR, SIGNED, BOTH };

static void name_abbrevs(struct dw_image *image)
{
    static const unsigned none[] = {0};
    static const unsigned near[] = {DW_AT_abstract_origin, DW_FORM_ref4, 0};
    static const unsigned named[] = {DW_AT_name, DW_FORM_string, DW_AT_MIPS_linkage_name,
                                     DW_FORM_string, 0};
    static const unsigned far[] = {DW_AT_specification, DW_FORM_ref_addr, 0};
    static const unsigned sig[] = {DW_AT_specification, DW_FORM_ref_sig8, 0};
    static const unsigned both[] = {DW_AT_abstract_origin, DW_FORM_ref1, DW_AT_specification,
                                    DW_FORM_ref1, 0};
    dw_declare(image, CU, DW_TAG_compile_unit, true, none);
    dw_declare(image, FUNCTION, DW_TAG_subprogram, false, near);
    dw_declare(image, NAMED, DW_TAG_subprogram, false, named);
    dw_declare(image, FAR, DW_TAG_subprogram, false, far);
    dw_declare(image, SIGNED, DW_TAG_subprogram, false, sig);
    dw_declare(image, BOTH, DW_TAG_subprogram, false, both);
    dw_u8(&image->abbrev, 0);
}

static void expect_names(struct dw_image *image, uint64_t die, const char *name,
                         const char *linkage)
{
    struct ms_references references;
    struct ms_unit_header header;
    struct ms_unit unit;
    struct ms_function function;
    memset(&references, 0, sizeof references);
    struct ms_dwarf *dwarf = image->reader ? image->reader : dw_open(image);
    cr_assert_eq(ms_unit_header_read(dwarf, false, 0, &header, NULL), MS_OK);
    cr_assert_eq(ms_unit_open(dwarf, &header, &unit, NULL), MS_OK);
    for (int i = 0; i < 2; i++) { /* the second time from what is remembered */
        cr_assert_eq(ms_function_read(dwarf, &references, &unit, die, &function, NULL), MS_OK);
        cr_assert_eq(name != NULL, function.name != NULL);
        if (name)
            cr_assert_str_eq(function.name, name);
        if (linkage)
            cr_assert_str_eq(function.linkage, linkage);
        else
            cr_assert_null(function.linkage);
    }
}

Test(dwarf_function, names_are_found_across_units)
{
    struct dw_image image = dw_image(4, 8, 4, false);
    struct dw *b = &image.info;
    name_abbrevs(&image);
    size_t unit = dw_unit(&image, 0);
    dw_uleb(b, CU);
    size_t near = b->n;
    dw_uleb(b, FUNCTION);
    dw_u32(b, (uint32_t)near + 5); /* the next DIE, which leads on */
    dw_uleb(b, FAR);
    size_t hole = b->n;
    dw_u32(b, 0);
    dw_u8(b, 0);
    dw_end(&image, b, unit);
    unit = dw_unit(&image, 0);
    dw_uleb(b, CU);
    dw_write(b, hole, b->n, 4);
    dw_uleb(b, NAMED);
    dw_str(b, "f");
    dw_str(b, "_f");
    dw_u8(b, 0);
    dw_end(&image, b, unit);
    expect_names(&image, near, "f", "_f");
    dw_close(&image);
}

/* More units than a look-up walks over before it makes the list of them all. */
Test(dwarf_function, names_in_the_last_of_many_units)
{
    for (int aranges = 0; aranges < 2; aranges++) {
        struct dw_image image = dw_image(4, 8, 4, false);
        struct dw *b = &image.info;
        size_t hole = 0, function = 0;
        name_abbrevs(&image);
        for (int i = 0; i < 100; i++) {
            if (aranges && i % 50 == 0)
                dw_arange_set(&image, b->n, (const uint64_t[]){0, 0});
            size_t unit = dw_unit(&image, 0);
            dw_uleb(b, CU);
            if (i == 0) {
                function = b->n;
                dw_uleb(b, FAR);
                hole = b->n;
                dw_u32(b, 0);
            } else if (i == 99) {
                dw_write(b, hole, b->n, 4);
                dw_uleb(b, NAMED);
                dw_str(b, "last");
                dw_str(b, "");
            }
            dw_u8(b, 0);
            dw_end(&image, b, unit);
        }
        expect_names(&image, function, "last", NULL);
        dw_close(&image);
    }
}

Test(dwarf_function, names_in_type_units)
{
    for (int in_types = 0; in_types < 2; in_types++) {
        struct dw_image image = dw_image(in_types ? 4 : 5, 8, 4, false);
        struct dw *b = &image.info;
        name_abbrevs(&image);
        size_t unit = dw_unit(&image, 0);
        dw_uleb(b, CU);
        size_t function = b->n;
        dw_uleb(b, SIGNED);
        dw_u64(b, 0x1122334455667788);
        size_t lost = b->n;
        dw_uleb(b, SIGNED);
        dw_u64(b, 1); /* nobody's signature */
        dw_u8(b, 0);
        dw_end(&image, b, unit);
        b = in_types ? &image.types : b;
        for (uint64_t signature = 0x1122334455667789; signature > 0x1122334455667786; signature--) {
            size_t start = b->n;
            unit = dw_begin(&image, b);
            dw_u16(b, image.version);
            if (!in_types) {
                dw_u8(b, DW_UT_type);
                dw_u8(b, 8);
            }
            dw_u32(b, 0);
            if (in_types)
                dw_u8(b, 8);
            dw_u64(b, signature);
            size_t type = b->n;
            dw_u32(b, 0);
            dw_uleb(b, CU);
            dw_write(b, type, b->n - start, 4);
            dw_uleb(b, NAMED);
            dw_str(b, signature == 0x1122334455667788 ? "right" : "wrong");
            dw_str(b, "");
            dw_u8(b, 0);
            dw_end(&image, b, unit);
        }
        expect_names(&image, function, "right", NULL);
        expect_names(&image, lost, NULL, NULL);
        dw_close(&image);
    }
}

Test(dwarf_function, references_that_lead_nowhere_or_in_circles)
{
    struct dw_image image = dw_image(4, 8, 4, false);
    struct dw *b = &image.info;
    name_abbrevs(&image);
    size_t unit = dw_unit(&image, 0);
    dw_uleb(b, CU);
    size_t self = b->n;
    dw_uleb(b, FUNCTION);
    dw_u32(b, (uint32_t)self);
    size_t outside = b->n;
    dw_uleb(b, FUNCTION);
    dw_u32(b, 0x1000);
    size_t far = b->n;
    dw_uleb(b, FAR);
    dw_u32(b, 0x2000);
    size_t both = b->n; /* the origin leads nowhere, the specification has it */
    dw_uleb(b, BOTH);
    dw_u8(b, 0xff);
    dw_u8(b, (unsigned)both + 3);
    dw_uleb(b, NAMED);
    dw_str(b, "both");
    dw_str(b, "_both");
    size_t chain = b->n;
    for (int i = 0; i < 12; i++) {
        dw_uleb(b, FUNCTION);
        dw_u32(b, (uint32_t)b->n + 4);
    }
    dw_uleb(b, NAMED);
    dw_str(b, "end");
    dw_str(b, "");
    dw_u8(b, 0);
    dw_end(&image, b, unit);
    expect_names(&image, self, NULL, NULL);
    expect_names(&image, outside, NULL, NULL);
    expect_names(&image, far, NULL, NULL);
    expect_names(&image, both, "both", "_both");
    expect_names(&image, chain, NULL, NULL); /* 12 steps are too many */
    expect_names(&image, chain + 5 * 5, "end", NULL);
    dw_close(&image);
}

/* ---- range lists ---------------------------------------------------------------------------- */

static void expect_ranges(struct dw_image *image, uint64_t off, const uint64_t *pairs,
                          enum ms_status status, const char *text)
{
    static const unsigned low[] = {DW_AT_low_pc, DW_FORM_addr, 0};
    struct ms_unit unit;
    struct ms_ranges ranges;
    struct ms_error err;
    uint64_t budget = 100, got_low, got_high;
    dw_declare(image, 1, DW_TAG_compile_unit, false, low);
    dw_u8(&image->abbrev, 0);
    struct dw die = {.big = image->big};
    dw_u8(&die, 1);
    dw_address(image, &die, 0x1000);
    cr_assert_eq(open_unit(image, die.at, die.n, &unit, NULL), MS_OK);
    free(die.at);
    struct ms_value pcs[MS_N_PCS] = {[MS_RANGES] = {.form = DW_FORM_sec_offset, .u = off}};
    ms_ranges_start(&ranges, &unit, pcs, &budget);
    for (; pairs[1]; pairs += 2) {
        cr_assert(ms_ranges_next(&ranges, &got_low, &got_high));
        cr_assert_eq(got_low, pairs[0], "low 0x%llx", (unsigned long long)got_low);
        cr_assert_eq(got_high, pairs[1], "high 0x%llx", (unsigned long long)got_high);
    }
    cr_assert_not(ms_ranges_next(&ranges, &got_low, &got_high));
    cr_assert_eq(ranges.status, status);
    if (status != MS_OK) {
        cr_assert_eq(ms_ranges_fail(&ranges, &err), status);
        cr_assert_str_eq(err.where,
                         image->version >= 5 ? "t __debug_rnglists" : "t __debug_ranges");
        cr_assert_eq(err.offset, off);
        cr_assert_str_eq(err.text, text, "%s", err.text);
    }
    dw_close(image);
}

Test(dwarf_ranges, the_old_lists)
{
    for (int size = 4; size <= 8; size += 4) {
        uint64_t all = size == 4 ? UINT32_MAX : UINT64_MAX;
        struct dw_image image = dw_image(4, (unsigned)size, 4, size == 4);
        const uint64_t words[] = {0x10, 0x20,                     /* from the unit's base */
                                  0x30, 0x30,                     /* empty */
                                  all,  0x5000,                   /* a new base */
                                  1,    2,      all - 1, all - 1, /* lld's mark of dropped code */
                                  all,  0,      0x7000,  0x7004,  0, 0};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            dw_address(&image, &image.ranges, words[i]);
        expect_ranges(&image, 0,
                      (const uint64_t[]){0x1010, 0x1020, 0x5001, 0x5002, 0x7000, 0x7004, 0, 0},
                      MS_OK, NULL);
    }
    struct dw_image image = dw_image(4, 8, 4, false);
    dw_u64(&image.ranges, 1);
    dw_u64(&image.ranges, 2);
    dw_u32(&image.ranges, 3);
    expect_ranges(&image, 0, (const uint64_t[]){0x1001, 0x1002, 0, 0}, MS_E_FORMAT,
                  "range list: has no end");
    image = dw_image(4, 8, 4, false);
    dw_u64(&image.ranges, 1);
    expect_ranges(&image, 8, (const uint64_t[]){0, 0}, MS_E_FORMAT,
                  "range list: starts outside the section");
}

Test(dwarf_ranges, the_new_lists)
{
    struct dw_image image = dw_image(5, 8, 4, false);
    struct dw *b = &image.rnglists;
    dw_u64(&image.addr, 0); /* header */
    dw_u64(&image.addr, 0x3000);
    dw_u64(&image.addr, 0x3008);
    dw_bytes(b, "\4\x10\x20", 3); /* offset_pair from the unit's base */
    dw_bytes(b, "\1\0\4\1\2", 5); /* base_addressx 0, offset_pair */
    dw_bytes(b, "\2\0\1", 3);     /* startx_endx */
    dw_bytes(b, "\3\1\4", 3);     /* startx_length */
    dw_u8(b, DW_RLE_base_address);
    dw_u64(b, 0x4000);
    dw_bytes(b, "\4\0\0\4\1\3", 6); /* an empty pair, another */
    dw_u8(b, DW_RLE_start_end);
    dw_u64(b, 0x5000);
    dw_u64(b, 0x5005);
    dw_u8(b, DW_RLE_start_length);
    dw_u64(b, 0x6000);
    dw_u8(b, 6);
    dw_u8(b, DW_RLE_start_length); /* a tombstone's: wraps */
    dw_u64(b, UINT64_MAX);
    dw_u8(b, 6);
    dw_u8(b, DW_RLE_base_address); /* pairs from a tombstone */
    dw_u64(b, UINT64_MAX);
    dw_bytes(b, "\4\1\3\0", 4);
    expect_ranges(&image, 0,
                  (const uint64_t[]){0x1010, 0x1020, 0x3001, 0x3002, 0x3000, 0x3008, 0x3008, 0x300c,
                                     0x4001, 0x4003, 0x5000, 0x5005, 0x6000, 0x6006, 0, 0},
                  MS_OK, NULL);
}

Test(dwarf_ranges, faults_of_the_new_lists)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *text;
    } wrong[] = {
        {"\x10", 1, "range list: has an entry of an unknown kind"},
        {"\4\1\2", 3, "range list: has no end"},
        {"\4\1", 2, "range list: has no end"},
        {"\2\x50\1", 3, "range list: an index lies outside __debug_addr"},
        {"\2\x80", 2, "range list: has no end"},
        {"\3\x50\1", 3, "range list: an index lies outside __debug_addr"},
        {"\1\x50\1", 3, "range list: an index lies outside __debug_addr"},
        {"\7\1\2", 3, "range list: has no end"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct dw_image image = dw_image(5, 8, 4, false);
        const uint64_t none[] = {0, 0}, one[] = {0x1001, 0x1002, 0, 0};
        dw_bytes(&image.rnglists, wrong[i].bytes, wrong[i].n);
        expect_ranges(&image, 0, i == 1 ? one : none, MS_E_FORMAT, wrong[i].text);
    }
    struct dw_image image = dw_image(5, 8, 4, false);
    for (int i = 0; i < 200; i++)
        dw_bytes(&image.rnglists, "\4\0\0", 3);
    expect_ranges(&image, 0, (const uint64_t[]){0, 0}, MS_E_LIMIT,
                  "range list: more entries than the section can honestly hold");
}

Test(dwarf_ranges, trust)
{
    struct dw_image image = dw_image(4, 8, 4, false);
    dw_u8(&image.info, 0);
    image.code[1] = (struct ms_dwarf_range){0xa000, 0xb000};
    image.n_code = 2;
    struct ms_dwarf *dwarf = dw_open(&image);
    cr_assert_eq(ms_dwarf_trust(dwarf, 0x1000), MS_TRUST_ALL);
    cr_assert_eq(ms_dwarf_trust(dwarf, 0xafff), MS_TRUST_ALL);
    cr_assert_eq(ms_dwarf_trust(dwarf, 0x9000), MS_TRUST_OUTSIDE);
    cr_assert_eq(ms_dwarf_trust(dwarf, 0), MS_TRUST_NONE);
    cr_assert_eq(ms_dwarf_trust(dwarf, UINT64_MAX), MS_TRUST_NONE);
    cr_assert_eq(ms_dwarf_trust(dwarf, UINT64_MAX - 1), MS_TRUST_NONE);
    cr_assert(ms_trust_allows(dwarf, MS_TRUST_ALL, 0x9000));
    cr_assert(ms_trust_allows(dwarf, MS_TRUST_OUTSIDE, 0x9000));
    cr_assert_not(ms_trust_allows(dwarf, MS_TRUST_OUTSIDE, 0x1000));
    cr_assert_not(ms_trust_allows(dwarf, MS_TRUST_NONE, 0x9000));
    ms_dwarf_close(dwarf);
    image.n_code = 1;
    image.code[0].low = 0; /* an object file */
    dwarf = dw_open(&image);
    cr_assert_eq(ms_dwarf_trust(dwarf, 0), MS_TRUST_ALL);
    ms_dwarf_close(dwarf);
    image.n_code = 0;
    image.address_size = 4;
    dwarf = dw_open(&image);
    cr_assert_eq(ms_dwarf_trust(dwarf, 0), MS_TRUST_NONE);
    cr_assert_eq(ms_dwarf_trust(dwarf, 1), MS_TRUST_ALL);
    cr_assert_eq(ms_dwarf_trust(dwarf, UINT32_MAX), MS_TRUST_NONE);
    dw_close(&image);
}

/* ---- sets of ranges ------------------------------------------------------------------------- */

Test(dwarf_aranges, all_sets)
{
    for (unsigned kind = 0; kind < 8; kind++) {
        struct dw_image image = dw_image(4, kind & 1 ? 4 : 8, kind & 2 ? 8 : 4, kind & 4);
        struct ms_aranges aranges;
        uint64_t low, high;
        dw_u8(&image.info, 0);
        dw_arange_set(&image, 0x33, (const uint64_t[]){0x1000, 0x10, 0x2000, 0x20, 0, 0});
        dw_arange_set(&image, 0x44, (const uint64_t[]){0, 0});
        dw_arange_set(&image, 0x55, (const uint64_t[]){0x3000, 0x30, 0, 0});
        ms_aranges_start(&aranges, dw_open(&image), NULL);
        cr_assert(ms_aranges_next(&aranges, &low, &high));
        cr_assert(low == 0x1000 && high == 0x1010 && aranges.unit_off == 0x33);
        cr_assert(ms_aranges_next(&aranges, &low, &high));
        cr_assert(low == 0x2000 && high == 0x2020 && aranges.unit_off == 0x33);
        cr_assert(ms_aranges_next(&aranges, &low, &high));
        cr_assert(low == 0x3000 && high == 0x3030 && aranges.unit_off == 0x55);
        cr_assert_not(ms_aranges_next(&aranges, &low, &high));
        cr_assert_eq(aranges.status, MS_OK);
        dw_close(&image);
    }
}

/* A set that is wrong is passed over, and named; the next one is read. */
static void expect_passed_over(const char *bytes, size_t n, const char *text)
{
    struct dw_image image = dw_image(4, 8, 4, false);
    struct ms_aranges aranges;
    struct ms_error err;
    uint64_t low, high;
    dw_u8(&image.info, 0);
    dw_bytes(&image.aranges, bytes, n);
    bool whole = n > 4;
    if (whole)
        dw_arange_set(&image, 0x55, (const uint64_t[]){0x3000, 0x30, 0, 0});
    ms_aranges_start(&aranges, dw_open(&image), &err);
    cr_assert_eq(ms_aranges_next(&aranges, &low, &high), whole);
    cr_assert_eq(aranges.status, MS_E_FORMAT);
    cr_assert_str_eq(err.where, "t __debug_aranges");
    cr_assert_eq(err.offset, 0);
    cr_assert_str_eq(err.text, text, "%s", err.text);
    dw_close(&image);
}

Test(dwarf_aranges, faults)
{
    expect_passed_over("\7\0\0\0\2\0\0\0\0\0\10", 11, "set of ranges: header cut short");
    expect_passed_over("\10\0\0\0\3\0\0\0\0\0\10\0", 12, "set of ranges: not version 2");
    expect_passed_over("\10\0\0\0\2\0\0\0\0\0\3\0", 12,
                       "set of ranges: address size is neither 4 nor 8");
    expect_passed_over("\10\0\0\0\2\0\0\0\0\0\10\1", 12, "set of ranges: has segments");
    expect_passed_over("\xff\0\0\0", 4, "set of ranges: longer than the section");
    expect_passed_over("\xff\xff", 2, "set of ranges: longer than the section");
}
