/* Which function has an address where they overlap, nest or are broken; several units. */
#include "base/limits.h"
#include "unit/dwarf_builder.h"
#include "unit/dwarf_chain.h"

#include <criterion/criterion.h>

enum {
    CU = 1,
    CU_RANGE,
    FUNCTION,
    PARENT,
    INLINED,
    INLINED_PARENT,
    DECLARATION,
    BLOCK,
    LISTED,
    LINES
};

/* Functions with an inline name; units without anything, with a range, with lines. */
static struct dw_image begin(void)
{
    static const unsigned none[] = {0};
    static const unsigned range[] = {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0};
    static const unsigned named[] = {
        DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0};
    static const unsigned listed[] = {DW_AT_name, DW_FORM_string, DW_AT_ranges, DW_FORM_sec_offset,
                                      0};
    static const unsigned lines[] = {DW_AT_stmt_list,
                                     DW_FORM_sec_offset,
                                     DW_AT_low_pc,
                                     DW_FORM_addr,
                                     DW_AT_high_pc,
                                     DW_FORM_data4,
                                     0};
    struct dw_image image = dw_image(4, 8, 4, false);
    dw_declare(&image, CU, DW_TAG_compile_unit, true, none);
    dw_declare(&image, CU_RANGE, DW_TAG_compile_unit, true, range);
    dw_declare(&image, FUNCTION, DW_TAG_subprogram, false, named);
    dw_declare(&image, PARENT, DW_TAG_subprogram, true, named);
    dw_declare(&image, INLINED, DW_TAG_inlined_subroutine, false, named);
    dw_declare(&image, INLINED_PARENT, DW_TAG_inlined_subroutine, true, named);
    dw_declare(&image, DECLARATION, DW_TAG_subprogram, true, none);
    dw_declare(&image, BLOCK, 0x0b, true, none);
    dw_declare(&image, LISTED, DW_TAG_subprogram, false, listed);
    dw_declare(&image, LINES, DW_TAG_compile_unit, false, lines);
    dw_u8(&image.abbrev, 0);
    return image;
}

static void range(struct dw_image *image, uint64_t low, uint64_t high)
{
    dw_u64(&image->info, low);
    dw_u32(&image->info, (uint32_t)(high - low));
}

static void die(struct dw_image *image, unsigned code, const char *name, uint64_t low,
                uint64_t high)
{
    dw_uleb(&image->info, code);
    dw_str(&image->info, name);
    range(image, low, high);
}

static void up(struct dw_image *image)
{
    dw_u8(&image->info, 0);
}

/* Names of the chain at an address, innermost first; by a batch and alone. */
static void expect(struct dw_image *image, uint64_t address, const char *names)
{
    struct ms_dwarf *dwarf = image->reader ? image->reader : dw_open(image);
    struct ms_dwarf_answers many = {0}, one = {0};
    cr_assert_eq(ms_dwarf_find_many(dwarf, &address, 1, &many, NULL), MS_OK);
    cr_assert_eq(ms_dwarf_find(dwarf, address, &one, NULL), MS_OK);
    const struct ms_dwarf_answers *both[] = {&many, &one};
    for (int k = 0; k < 2; k++) {
        char text[512] = "";
        for (uint32_t i = 0; i < both[k]->hits[0].n_frames; i++) {
            const struct ms_frame *frame = &both[k]->hits[0].frames[i];
            strcat(text, i ? " " : "");
            strcat(text, frame->name ? frame->name : "-");
        }
        cr_assert_str_eq(text, names, "%s at 0x%llx: %s", k ? "alone" : "in a batch",
                         (unsigned long long)address, text);
        cr_assert_eq(both[k]->hits[0].status, names[0] ? MS_OK : MS_ABSENT);
    }
    ms_dwarf_answers_fini(&many);
    ms_dwarf_answers_fini(&one);
}

Test(dwarf_scan, of_overlapping_functions_the_smallest_counts)
{
    struct dw_image image = begin();
    size_t unit = dw_unit(&image, 0);
    dw_uleb(&image.info, CU);
    die(&image, PARENT, "wide", 0x1000, 0x1100);
    die(&image, INLINED, "in-wide", 0x1010, 0x1030);
    up(&image);
    die(&image, PARENT, "narrow", 0x1020, 0x1060);
    die(&image, INLINED, "in-narrow", 0x1028, 0x1050);
    up(&image);
    die(&image, FUNCTION, "same", 0x1020, 0x1060); /* folded: the first counts */
    up(&image);
    dw_end(&image, &image.info, unit);
    expect(&image, 0x1000, "wide");
    expect(&image, 0x1010, "in-wide wide");
    expect(&image, 0x1020, "narrow");
    expect(&image, 0x1028, "in-narrow narrow");
    expect(&image, 0x1050, "narrow");
    expect(&image, 0x1060, "wide");
    expect(&image, 0x1100, "");
    dw_close(&image);
}

Test(dwarf_scan, nested_functions_are_found_wherever_they_stand)
{
    struct dw_image image = begin();
    size_t unit = dw_unit(&image, 0);
    dw_uleb(&image.info, CU);
    die(&image, PARENT, "outer", 0x1000, 0x1100);
    dw_uleb(&image.info, BLOCK);
    die(&image, PARENT, "nested", 0x2000, 0x2100); /* its code is elsewhere */
    die(&image, INLINED, "in-nested", 0x2010, 0x2020);
    up(&image);
    die(&image, INLINED, "in-outer", 0x1010, 0x1020);
    up(&image);
    dw_uleb(&image.info, DECLARATION);            /* a method of a local class, … */
    die(&image, INLINED, "lost", 0x1040, 0x1050); /* whose insides aren't outer's */
    die(&image, FUNCTION, "method", 0x3000, 0x3010);
    up(&image);
    die(&image, INLINED_PARENT, "a", 0x1060, 0x1080);
    dw_uleb(&image.info, BLOCK);
    die(&image, INLINED_PARENT, "b", 0x1060, 0x1070);
    die(&image, INLINED, "c", 0x1064, 0x1068);
    up(&image);
    up(&image);
    up(&image);
    die(&image, INLINED, "later", 0x1078, 0x1090); /* overlaps a: the later counts */
    up(&image);
    up(&image);
    dw_end(&image, &image.info, unit);
    expect(&image, 0x1000, "outer");
    expect(&image, 0x1010, "in-outer outer");
    expect(&image, 0x1044, "outer");
    expect(&image, 0x1060, "b a outer");
    expect(&image, 0x1064, "c b a outer");
    expect(&image, 0x1070, "a outer");
    expect(&image, 0x1078, "later outer");
    expect(&image, 0x2000, "nested");
    expect(&image, 0x2010, "in-nested nested");
    expect(&image, 0x3000, "method");
    dw_close(&image);
}

/* A call inlined outside of what it is inlined into belongs there all the same. */
Test(dwarf_scan, the_tree_says_what_is_inlined_where)
{
    struct dw_image image = begin();
    size_t unit = dw_unit(&image, 0);
    dw_uleb(&image.info, CU);
    die(&image, PARENT, "f", 0x1000, 0x1100);
    die(&image, INLINED_PARENT, "a", 0x1010, 0x1020);
    die(&image, INLINED, "b", 0x1018, 0x1028);
    up(&image);
    die(&image, INLINED, "outside", 0x2000, 0x2010);
    up(&image);
    up(&image);
    dw_end(&image, &image.info, unit);
    expect(&image, 0x1024, "b a f");
    expect(&image, 0x2004, "");
    dw_close(&image);
}

/* The entry is where the first range starts; what stands before it has no offset from it. */
Test(dwarf_scan, a_cold_part_before_the_entry)
{
    struct dw_image image = begin();
    struct ms_dwarf_answers one = {0};
    const uint64_t words[] = {0x2000, 0x2010, 0x1000, 0x1010, 0, 0};
    for (int i = 0; i < 6; i++)
        dw_u64(&image.ranges, words[i]);
    size_t unit = dw_unit(&image, 0);
    dw_uleb(&image.info, CU);
    dw_uleb(&image.info, LISTED);
    dw_str(&image.info, "f");
    dw_u32(&image.info, 0);
    up(&image);
    dw_end(&image, &image.info, unit);
    cr_assert_eq(ms_dwarf_find(dw_open(&image), 0x2004, &one, NULL), MS_OK);
    cr_assert(one.hits[0].frames[0].has_start);
    cr_assert_eq(one.hits[0].frames[0].start_vm, 0x2000);
    cr_assert_eq(one.hits[0].frames[0].offset, 4);
    cr_assert_eq(ms_dwarf_find(image.reader, 0x1004, &one, NULL), MS_OK);
    cr_assert_str_eq(one.hits[0].frames[0].name, "f");
    cr_assert_not(one.hits[0].frames[0].has_start);
    ms_dwarf_answers_fini(&one);
    dw_close(&image);
}

Test(dwarf_scan, dropped_code_claims_nothing)
{
    struct dw_image image = begin();
    size_t unit = dw_unit(&image, 0);
    dw_uleb(&image.info, CU);
    die(&image, FUNCTION, "zero", 0, 0x2000);
    die(&image, FUNCTION, "one", 1, 0x1f00); /* .debug_ranges' mark */
    die(&image, FUNCTION, "alive", 0x1000, 0x3000);
    die(&image, FUNCTION, "top", UINT64_MAX, UINT64_MAX);
    die(&image, FUNCTION, "data", 0xa000, 0xa100);
    up(&image);
    dw_end(&image, &image.info, unit);
    expect(&image, 0x1000, "alive");
    expect(&image, 0x1e00, "alive");
    expect(&image, 0x100, "one"); /* no code section: what starts outside may be there */
    expect(&image, 0xa000, "data");
    dw_close(&image);
}

Test(dwarf_scan, units_overlap_too)
{
    struct dw_image image = begin();
    for (int i = 0; i < 3; i++) {
        size_t unit = dw_unit(&image, 0);
        dw_uleb(&image.info, CU_RANGE);
        range(&image, 0x1000, 0x1100);
        if (i == 0)
            die(&image, FUNCTION, "wide", 0x1000, 0x1100);
        else
            die(&image, FUNCTION, i == 1 ? "first" : "second", 0x1040, 0x1080);
        up(&image);
        dw_end(&image, &image.info, unit);
    }
    expect(&image, 0x1000, "wide");
    expect(&image, 0x1040, "first");
    expect(&image, 0x10f0, "wide");
    dw_close(&image);
}

/* Two units' sets by turns: each address is asked of each unit once. */
Test(dwarf_scan, sets_that_take_turns)
{
    struct dw_image image = begin();
    size_t offs[2];
    for (int i = 0; i < 2; i++) {
        offs[i] = image.info.n;
        size_t unit = dw_unit(&image, 0);
        dw_uleb(&image.info, CU_RANGE);
        range(&image, 0x1000, 0x1100);
        die(&image, FUNCTION, i ? "small" : "large", 0x1000, i ? 0x1080 : 0x1100);
        up(&image);
        dw_end(&image, &image.info, unit);
    }
    for (int i = 0; i < 40; i++)
        dw_arange_set(&image, offs[i % 2], (const uint64_t[]){0x1000, 0x100, 0, 0});
    expect(&image, 0x1000, "small");
    expect(&image, 0x1080, "large");
    dw_close(&image);
}

Test(dwarf_scan, a_line_without_a_function)
{
    struct dw_image image = begin();
    size_t unit = dw_unit(&image, 0);
    struct ms_dwarf_answers one = {0};
    char text[256];
    dw_uleb(&image.info, LINES);
    dw_u32(&image.info, 0);
    range(&image, 0x1000, 0x1100);
    dw_end(&image, &image.info, unit);
    struct dw_line line = dw_line(&image);
    dw_bytes(&image.line, "\0a.s\0\0\0\0", 9);
    dw_line_program(&image, line);
    dw_set_address(&image, 0x1000);
    dw_row(&image, 0, 4);
    dw_u8(&image.line, DW_LNS_set_file);
    dw_u8(&image.line, 9);
    dw_row(&image, 0x10, 4); /* of no known file: says nothing */
    dw_end_sequence(&image, 0xf0);
    dw_end(&image, &image.line, line.start);
    cr_assert_eq(ms_dwarf_find(dw_open(&image), 0x1008, &one, NULL), MS_OK);
    cr_assert_eq(one.hits[0].status, MS_OK);
    chain(&one, 0, text, sizeof text);
    cr_assert_str_eq(text, "- - a.s:5:0 ?0|");
    cr_assert_eq(one.hits[0].frames[0].source, MS_SOURCE_DWARF);
    expect(&image, 0x1010, "");
    ms_dwarf_answers_fini(&one);
    dw_close(&image);
}

/* ---- broken units ---------------------------------------------------------------------------- */

/* Status, message and place of an address by both ways; what names are still known. */
static void expect_error(struct dw_image *image, uint64_t address, enum ms_status status,
                         const char *where, uint64_t off, const char *text, const char *name)
{
    struct ms_dwarf *dwarf = image->reader ? image->reader : dw_open(image);
    struct ms_dwarf_answers many = {0}, one = {0};
    cr_assert_eq(ms_dwarf_find_many(dwarf, &address, 1, &many, NULL), MS_OK);
    cr_assert_eq(ms_dwarf_find(dwarf, address, &one, NULL), MS_OK);
    const struct ms_dwarf_answers *both[] = {&many, &one};
    for (int k = 0; k < 2; k++) {
        const struct ms_dwarf_hit *hit = &both[k]->hits[0];
        cr_assert_eq(hit->status, status, "%d: status %d", k, hit->status);
        cr_assert_lt(hit->error, both[k]->n_errors);
        const struct ms_error *err = &both[k]->errors[hit->error];
        cr_assert_eq(err->status, status);
        cr_assert_str_eq(err->where, where);
        cr_assert_eq(err->offset, off, "0x%llx", (unsigned long long)err->offset);
        cr_assert_str_eq(err->text, text, "%s", err->text);
        cr_assert_eq(hit->n_frames, name ? 1 : 0);
        if (name)
            cr_assert_str_eq(hit->frames[0].name, name);
    }
    ms_dwarf_answers_fini(&many);
    ms_dwarf_answers_fini(&one);
}

/* A sound unit, then one that claims [0x2000, 0x3000) and ends in `bytes`. */
static size_t two_units(struct dw_image *image, const void *bytes, size_t n)
{
    size_t unit = dw_unit(image, 0);
    dw_uleb(&image->info, CU_RANGE);
    range(image, 0x1000, 0x2000);
    die(image, FUNCTION, "sound", 0x1000, 0x1100);
    up(image);
    dw_end(image, &image->info, unit);
    unit = dw_unit(image, 0);
    dw_uleb(&image->info, CU_RANGE);
    range(image, 0x2000, 0x3000);
    die(image, FUNCTION, "before", 0x2000, 0x2100);
    size_t off = image->info.n;
    dw_bytes(&image->info, bytes, n);
    dw_end(image, &image->info, unit);
    return off;
}

Test(dwarf_scan, a_broken_unit_harms_itself_alone)
{
    struct dw_image image = begin();
    size_t off = two_units(&image, "\x63", 1);
    const char *text = "no abbreviation has the code 99 (table at 0x0 has 10)";
    expect(&image, 0x1000, "sound");
    expect_error(&image, 0x2000, MS_E_FORMAT, "t __debug_info", off, text, "before");
    expect_error(&image, 0x2200, MS_E_FORMAT, "t __debug_info", off, text, NULL);
    dw_close(&image);

    image = begin();
    off = two_units(&image, "\3name", 5);
    text = "DIE runs past its unit's end";
    expect(&image, 0x1000, "sound");
    expect_error(&image, 0x2000, MS_E_FORMAT, "t __debug_info", off, text, "before");
    dw_close(&image);

    image = begin();
    off = two_units(&image, "\x80", 1);
    expect_error(&image, 0x2000, MS_E_FORMAT, "t __debug_info", off,
                 "no abbreviation has the code 0 (table at 0x0 has 10)", "before");
    dw_close(&image);
}

Test(dwarf_scan, too_deep)
{
    struct dw_image image = begin();
    struct dw blocks = {0};
    for (int i = 0; i < MS_MAX_DIE_DEPTH; i++)
        dw_u8(&blocks, BLOCK);
    size_t off = two_units(&image, blocks.at, blocks.n);
    expect_error(&image, 0x2000, MS_E_LIMIT, "t __debug_info", off + blocks.n - 1,
                 "DIEs nest deeper than 1024", "before");
    dw_close(&image);
    image = begin();
    (void)two_units(&image, blocks.at, blocks.n - 1);
    expect(&image, 0x2000, "before");
    dw_close(&image);
    free(blocks.at);
}

Test(dwarf_scan, a_broken_range_list_leaves_the_rest)
{
    struct dw_image image = begin();
    (void)two_units(&image, "\x09list\0\x44\0\0\0\3after\0\0\x22\0\0\0\0\0\0\x10\0\0\0", 29);
    expect(&image, 0x1000, "sound");
    expect_error(&image, 0x2204, MS_E_FORMAT, "t __debug_ranges", 0x44,
                 "range list: starts outside the section", "after");
    dw_close(&image);
}

Test(dwarf_scan, tables_that_are_missing_or_broken)
{
    struct dw_image image = begin();
    size_t unit = dw_unit(&image, 0x1000); /* no such abbreviations */
    dw_uleb(&image.info, CU);
    dw_end(&image, &image.info, unit);
    dw_arange_set(&image, 0, (const uint64_t[]){0x1000, 0x100, 0, 0});
    dw_arange_set(&image, 0x500, (const uint64_t[]){0x2000, 0x100, 0, 0});
    expect_error(&image, 0x1000, MS_E_FORMAT, "t __debug_abbrev", 0x1000,
                 "table lies outside the section", NULL);
    expect_error(&image, 0x2000, MS_E_FORMAT, "t __debug_info", 0x500,
                 "unit header: outside the section, at 1280", NULL);
    /* No unit claims it, but one couldn't be asked. */
    expect_error(&image, 0x3000, MS_E_FORMAT, "t __debug_abbrev", 0x1000,
                 "table lies outside the section", NULL);
    dw_close(&image);

    image = begin();
    image.abbrev.n--; /* the end of the table */
    dw_bytes(&image.abbrev, "\x0b\x2e\1\3", 4);
    (void)two_units(&image, "\x0b", 1);
    expect(&image, 0x1000, "sound");
    expect_error(&image, 0x2000, MS_E_FORMAT, "t __debug_abbrev", image.abbrev.n - 3,
                 "declaration cut short or of an unknown form", "before");
    dw_close(&image);
}

Test(dwarf_scan, a_broken_line_table_leaves_the_function)
{
    struct dw_image image = begin();
    static const unsigned both[] = {DW_AT_stmt_list, DW_FORM_sec_offset, 0};
    image.abbrev.n--;
    dw_declare(&image, 20, DW_TAG_compile_unit, true, both);
    dw_u8(&image.abbrev, 0);
    size_t unit = dw_unit(&image, 0);
    dw_uleb(&image.info, 20);
    dw_u32(&image.info, 0x77);
    die(&image, FUNCTION, "f", 0x1000, 0x1100);
    up(&image);
    dw_end(&image, &image.info, unit);
    expect_error(&image, 0x1000, MS_E_FORMAT, "t __debug_line", 0x77,
                 "line table: outside the section of bytes: 0", "f");
    dw_close(&image);
}

/* ---- bounds ---------------------------------------------------------------------------------- */

Test(dwarf_scan, a_chain_that_is_too_long_names_the_function_alone)
{
    struct dw_image image = begin();
    size_t unit = dw_unit(&image, 0);
    dw_uleb(&image.info, CU);
    size_t function = image.info.n;
    die(&image, PARENT, "f", 0x1000, 0x1100);
    for (int i = 0; i < MS_MAX_INLINE_DEPTH; i++)
        die(&image, INLINED_PARENT, "i", 0x1000, 0x1080);
    for (int i = 0; i < MS_MAX_INLINE_DEPTH + 2; i++)
        up(&image);
    dw_end(&image, &image.info, unit);
    expect_error(&image, 0x1000, MS_E_LIMIT, "t __debug_info", function,
                 "too many calls are inlined here", "f");
    expect(&image, 0x1080, "f");
    dw_close(&image);
}

Test(dwarf_scan, functions_that_overlap_without_end_have_a_budget)
{
    struct dw_image image = begin();
    struct ms_dwarf_answers many = {0};
    static uint64_t addresses[256];
    size_t unit = dw_unit(&image, 0);
    dw_uleb(&image.info, CU_RANGE);
    range(&image, 0x1000, 0x1100);
    for (int i = 0; i < 3000; i++)
        die(&image, FUNCTION, "f", 0x1000, 0x1100);
    up(&image);
    dw_end(&image, &image.info, unit);
    for (unsigned i = 0; i < 256; i++)
        addresses[i] = 0x1000 + i;
    cr_assert_eq(ms_dwarf_find_many(dw_open(&image), addresses, 256, &many, NULL), MS_OK);
    cr_assert_eq(many.n_errors, 1);
    cr_assert_str_eq(many.errors[0].text, "functions overlap too often");
    cr_assert_eq(many.hits[7].status, MS_E_LIMIT);
    cr_assert_str_eq(many.hits[7].frames[0].name, "f");
    ms_dwarf_answers_fini(&many);
    dw_close(&image);
}

Test(dwarf_scan, units_that_overlap_without_end_have_a_budget)
{
    struct dw_image image = begin();
    struct ms_dwarf_answers many = {0};
    uint64_t address = 0x1000;
    for (int i = 0; i < 6000; i++) {
        dw_arange_set(&image, image.info.n, (const uint64_t[]){0x1000, 0x100, 0, 0});
        size_t unit = dw_unit(&image, 0);
        dw_uleb(&image.info, CU_RANGE);
        range(&image, 0x1000, 0x1100);
        up(&image);
        dw_end(&image, &image.info, unit);
    }
    cr_assert_eq(ms_dwarf_find_many(dw_open(&image), &address, 1, &many, NULL), MS_OK);
    cr_assert_eq(many.hits[0].status, MS_E_LIMIT);
    cr_assert_str_eq(many.errors[many.hits[0].error].text, "the ranges of units overlap too often");
    ms_dwarf_answers_fini(&many);
    dw_close(&image);
}

/* ---- check ------------------------------------------------------------------------------------
 */

static bool take_fault(void *owner, const struct ms_error *fault)
{
    char *text = owner;
    snprintf(text + strlen(text), 512 - strlen(text), "%s 0x%llx %s|", fault->where,
             (unsigned long long)fault->offset, fault->text);
    return true;
}

static bool take_one(void *owner, const struct ms_error *fault)
{
    (void)take_fault(owner, fault);
    return false;
}

Test(dwarf_check, names_every_broken_unit)
{
    struct dw_image image = begin();
    struct ms_dwarf_counts counts;
    char text[512] = "";
    (void)two_units(&image, "\x63", 1);
    dw_bytes(&image.info, "\7\0\0\0\x09\0\0\0\0\0\10", 11); /* DWARF 9 */
    dw_u16(&image.info, 5);
    dw_u16(&image.aranges, 5);
    cr_assert_eq(ms_dwarf_check(dw_open(&image), take_fault, text, &counts, NULL), MS_OK);
    cr_assert_str_eq(text,
                     "t __debug_info 0x58 no abbreviation has the code 99 (table at 0x0 has 10)|"
                     "t __debug_info 0x59 unit header: 2 to 5 are known, not DWARF version 9|"
                     "t __debug_info 0x64 unit header: cut short, bytes that remain: 2|"
                     "t __debug_aranges 0x0 set of ranges: longer than the section|",
                     "%s", text);
    cr_assert_eq(counts.n_units, 4);
    cr_assert_eq(counts.n_broken, 3);
    cr_assert_eq(counts.n_functions, 2);
    text[0] = 0;
    cr_assert_eq(ms_dwarf_check(image.reader, take_one, text, &counts, NULL), MS_ABSENT);
    cr_assert_eq(counts.n_broken, 1);
    dw_close(&image);
}
