#include "unit/macho_builder.h"

#include "macho/exports.h"
#include "macho/records.h"
#include "machsym/error.h"

#include <criterion/criterion.h>

enum { T_LOCAL = MS_N_SECT, T_EXT = MS_N_SECT | MS_N_EXT, T_PRIVATE = MS_N_SECT | MS_N_PEXT };
enum { COLD = 0x400, STUBS = 0x8 };

/* What is built and what was read of it; each test has one. */
static struct build built;
static struct ms_macho macho;
static struct ms_symbols symbols;
static struct ms_error err;

static void parse(void)
{
    char line[MS_ERROR_LINE];
    cr_assert_eq(ms_macho_parse(build_bytes(&built), "t", &macho, &err), MS_OK, "%s",
                 ms_error_describe(&err, line));
    cr_assert_eq(macho.damage.status, MS_OK, "%s", macho.damage.text);
}

static void check_single_lookups(void);
static void check_some_lookups(void);

static void read_all(struct image *image)
{
    built = finish_image(image);
    parse();
    cr_assert_eq(ms_symbols_read(&macho, &symbols, &err), MS_OK);
    check_single_lookups();
    check_some_lookups();
}

static void done(void)
{
    ms_symbols_fini(&symbols);
    ms_macho_fini(&macho);
    build_free(&built);
}

static void expect(size_t i, uint64_t start, uint64_t end, const char *name, enum ms_source source)
{
    cr_assert_lt(i, symbols.n);
    const struct ms_symbol *symbol = &symbols.items[i];
    cr_assert_eq(symbol->start_vm, start, "%zu starts at 0x%llx", i,
                 (unsigned long long)symbol->start_vm);
    cr_assert_eq(symbol->end_vm, end, "%zu ends at 0x%llx", i, (unsigned long long)symbol->end_vm);
    if (name)
        cr_assert_str_eq(symbol->name, name);
    else
        cr_assert_null(symbol->name, "%zu is named %s", i, symbol->name);
    cr_assert_eq(symbol->source, source);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A single lookup must give what the table gives, everywhere. */
static void check_single_lookups(void)
{
    struct ms_error ignored;
    for (size_t i = 0; i < symbols.n; i++) {
        uint64_t at[] = {symbols.items[i].start_vm - 1, symbols.items[i].start_vm,
                         symbols.items[i].end_vm - 1, symbols.items[i].end_vm};
        for (size_t k = 0; k < 4; k++) {
            const struct ms_symbol *all = ms_symbols_find(&symbols, at[k]);
            struct ms_symbols one;
            cr_assert_eq(ms_symbols_read_at(&macho, at[k], &one, &ignored), MS_OK);
            cr_assert_eq(one.n, all ? 1 : 0, "at 0x%llx", (unsigned long long)at[k]);
            if (all) {
                cr_assert_eq(one.items->start_vm, all->start_vm);
                cr_assert_eq(one.items->end_vm, all->end_vm);
                cr_assert_eq(one.items->source, all->source);
                cr_assert_eq(one.items->external, all->external);
                cr_assert(same_text(one.items->name, all->name));
            }
            ms_symbols_fini(&one);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* So must one of several: every second of the places above, every third, … */
static void check_some_lookups(void)
{
    struct ms_error ignored;
    uint64_t *all = malloc((symbols.n * 4 + 1) * sizeof *all);
    uint64_t *some = malloc((symbols.n * 4 + 1) * sizeof *some);
    size_t n_all = 0;
    for (size_t i = 0; i < symbols.n; i++) {
        all[n_all++] = symbols.items[i].start_vm - 1;
        all[n_all++] = symbols.items[i].start_vm;
        all[n_all++] = symbols.items[i].end_vm - 1;
        all[n_all++] = symbols.items[i].end_vm;
    }
    qsort(all, n_all, sizeof *all, by_value);
    for (size_t step = 1; step < 9; step++) {
        struct ms_symbols got;
        size_t n = 0;
        for (size_t i = step / 2; i < n_all; i += step)
            some[n++] = all[i];
        cr_assert_eq(ms_symbols_read_some(&macho, some, n, &got, &ignored), MS_OK);
        for (size_t i = 0; i < n; i++) {
            const struct ms_symbol *want = ms_symbols_find(&symbols, some[i]);
            const struct ms_symbol *is = ms_symbols_find(&got, some[i]);
            cr_assert_eq(want != NULL, is != NULL, "at 0x%llx", (unsigned long long)some[i]);
            if (!want)
                continue;
            cr_assert_eq(is->start_vm, want->start_vm);
            cr_assert_eq(is->end_vm, want->end_vm);
            cr_assert_eq(is->source, want->source);
            cr_assert_eq(is->external, want->external);
            cr_assert(same_text(is->name, want->name));
        }
        for (size_t i = 1; i < got.n; i++)
            cr_assert_lt(got.items[i - 1].start_vm, got.items[i].start_vm);
        ms_symbols_fini(&got);
    }
    free(all);
    free(some);
}

static struct image begin_dylib(void)
{
    struct image image = begin_image(true, false, MS_CPU_ARM64, 0, MS_MH_DYLIB, 0x4000);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x5000, 0x100, 0x1000,
                0x80000000 | CODE);
    put_section(&image.b, image.segment, "__const", "__TEXT", 0x5100, 0x100, 0x1100, 0);
    return image;
}

/* ---- nlist ---------------------------------------------------------------------------------- */

Test(symbols, each_ends_where_the_next_begins, .fini = done)
{
    struct image image = begin_dylib();
    add_symbol(&image, "_c", T_EXT, 1, 0, 0x5080);
    add_symbol(&image, "_a", T_LOCAL, 1, 0, 0x5010);
    add_symbol(&image, "-[B b]", T_LOCAL, 1, 0, 0x5020);
    read_all(&image);
    cr_assert_eq(symbols.n, 3);
    expect(0, 0x5010, 0x5020, "_a", MS_SOURCE_NLIST);
    expect(1, 0x5020, 0x5080, "-[B b]", MS_SOURCE_NLIST);
    expect(2, 0x5080, 0x5100, "_c", MS_SOURCE_NLIST);
    cr_assert(!symbols.items[0].external);
    cr_assert(symbols.items[2].external);
    cr_assert_null(ms_symbols_find(&symbols, 0x500f));
    cr_assert_eq(ms_symbols_find(&symbols, 0x5010), &symbols.items[0]);
    cr_assert_eq(ms_symbols_find(&symbols, 0x501f), &symbols.items[0]);
    cr_assert_eq(ms_symbols_find(&symbols, 0x50ff), &symbols.items[2]);
    cr_assert_null(ms_symbols_find(&symbols, 0x5100));
    cr_assert_null(ms_symbols_find(&symbols, 0));
    cr_assert_null(ms_symbols_find(&symbols, UINT64_MAX));
}

Test(symbols, what_names_no_code, .fini = done)
{
    struct image image = begin_dylib();
    add_symbol(&image, "_data", T_EXT, 2, 0, 0x5110);
    add_symbol(&image, "_wrong_section", T_EXT, 2, 0, 0x5010);
    add_symbol(&image, "_outside_its_section", T_EXT, 1, 0, 0x5100);
    add_symbol(&image, "_no_such_section", T_EXT, 77, 0, 0x5010);
    add_symbol(&image, "_absolute", MS_N_ABS | MS_N_EXT, 0, 0, 0x5010);
    add_symbol(&image, "_undefined", MS_N_UNDF | MS_N_EXT, 0, 0, 0x5010);
    add_symbol(&image, "_stab", MS_N_FUN, 1, 0, 0x5010);
    add_symbol(&image, "__mh_dylib_header", T_PRIVATE, 1, 0, 0x5010);
    add_symbol(&image, "ltmp0", T_LOCAL, 1, 0, 0x5010);
    add_symbol(&image, "l_label", T_LOCAL, 1, 0, 0x5010);
    add_symbol(&image, "Lloop", T_LOCAL, 1, 0, 0x5010);
    read_all(&image);
    cr_assert_eq(symbols.n, 0);
}

Test(symbols, the_best_name_of_an_address, .fini = done)
{
    struct image image = begin_dylib();
    add_symbol(&image, "_static", T_LOCAL, 1, 0, 0x5000);
    add_symbol(&image, "_public", T_EXT, 1, 0, 0x5000);
    add_symbol(&image, "_hidden", T_PRIVATE, 1, 0, 0x5000);
    add_symbol(&image, "_whole", T_LOCAL, 1, 0, 0x5010);
    add_symbol(&image, "_entry", T_EXT, 1, MS_N_ALT_ENTRY, 0x5010);
    add_symbol(&image, "_hot", T_LOCAL, 1, 0, 0x5020);
    add_symbol(&image, "_hot.cold.1", T_EXT, 1, COLD, 0x5020);
    add_symbol(&image, "_first", T_EXT, 1, 0, 0x5030);
    add_symbol(&image, "_last", T_EXT, 1, 0, 0x5030);
    add_symbol(&image, "_static2", T_LOCAL, 1, 0, 0x5040);
    add_symbol(&image, "_hidden2", T_PRIVATE | MS_N_EXT, 1, 0, 0x5040);
    add_symbol(&image, NULL, T_EXT, 1, 0, 0x5050);
    add_symbol(&image, "_named", T_LOCAL, 1, 0, 0x5050);
    add_symbol(&image, "<redacted>", T_LOCAL, 1, 0, 0x5060);
    read_all(&image);
    cr_assert_eq(symbols.n, 7);
    expect(0, 0x5000, 0x5010, "_public", MS_SOURCE_NLIST);
    expect(1, 0x5010, 0x5020, "_whole", MS_SOURCE_NLIST);
    expect(2, 0x5020, 0x5030, "_hot", MS_SOURCE_NLIST);
    expect(3, 0x5030, 0x5040, "_last", MS_SOURCE_NLIST);
    expect(4, 0x5040, 0x5050, "_hidden2", MS_SOURCE_NLIST);
    cr_assert(!symbols.items[4].external);
    expect(5, 0x5050, 0x5060, "_named", MS_SOURCE_NLIST);
    expect(6, 0x5060, 0x5100, NULL, MS_SOURCE_FUNCTION_START);
}

Test(symbols, names_outside_the_string_table, .fini = done)
{
    struct image image = begin_dylib();
    add_symbol(&image, "_good", T_EXT, 1, 0, 0x5000);
    put_nlist(&image.nlist, 0x7fffffff, T_EXT, 1, 0, 0x5010);
    image.n_nlist++;
    read_all(&image);
    bool bad = false;
    cr_assert_str_eq(ms_nlist_at(&macho, 0, &bad).name, "_good");
    cr_assert(!bad);
    cr_assert_str_eq(ms_nlist_at(&macho, 1, &bad).name, "");
    cr_assert(bad);
    cr_assert_str_eq(ms_nlist_at(&macho, 2, &bad).name, "");
    cr_assert_str_eq(ms_nlist_at(&macho, UINT32_MAX, NULL).name, "");
    /* Nobody knows its name, but _good ends where it begins. */
    cr_assert_eq(symbols.n, 2);
    expect(0, 0x5000, 0x5010, "_good", MS_SOURCE_NLIST);
    expect(1, 0x5010, 0x5100, NULL, MS_SOURCE_FUNCTION_START);
}

Test(symbols, string_table_without_a_last_nul, .fini = done)
{
    struct image image = begin_dylib();
    add_symbol(&image, "_good", T_EXT, 1, 0, 0x5000);
    add_symbol(&image, "_open", T_EXT, 1, 0, 0x5010);
    image.strings.n--;
    built = finish_image(&image);
    parse();
    bool bad;
    cr_assert_str_eq(ms_nlist_at(&macho, 0, &bad).name, "_good");
    cr_assert(!bad);
    cr_assert_str_eq(ms_nlist_at(&macho, 1, &bad).name, "");
    cr_assert(bad);
}

static void check_nlist(bool is64, bool big)
{
    struct image image =
        begin_image(is64, big, is64 ? MS_CPU_PPC64 : MS_CPU_PPC, 0, MS_MH_DYLIB, 0);
    add_symbol(&image, "_x", T_EXT, 3, 0x1234, 0x76543210);
    built = finish_image(&image);
    parse();
    struct ms_nlist entry = ms_nlist_at(&macho, 0, NULL);
    cr_assert_str_eq(entry.name, "_x");
    cr_assert_eq(entry.type, T_EXT);
    cr_assert_eq(entry.sect, 3);
    cr_assert_eq(entry.desc, 0x1234);
    cr_assert_eq(entry.value, 0x76543210);
    done();
}

Test(symbols, nlist_in_all_four_shapes)
{
    check_nlist(false, false);
    check_nlist(false, true);
    check_nlist(true, false);
    check_nlist(true, true);
}

Test(symbols, big_endian_table, .fini = done)
{
    struct image image = begin_image(false, true, MS_CPU_PPC, 0, MS_MH_EXECUTE, 0x1000);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x2000, 0x100, 0x1000, CODE);
    add_symbol(&image, "_b", T_EXT, 1, MS_N_ALT_ENTRY, 0x2010);
    add_symbol(&image, "_a", T_EXT, 1, 0, 0x2010);
    put_uleb(&image.starts, 0x1040);
    read_all(&image);
    cr_assert_eq(symbols.n, 2);
    expect(0, 0x2010, 0x2040, "_a", MS_SOURCE_NLIST);
    expect(1, 0x2040, 0x2100, NULL, MS_SOURCE_FUNCTION_START);
}

/* Two code sections with a gap: nothing reaches over the end of its section. */
Test(symbols, sections_end_ranges, .fini = done)
{
    struct image image = begin_image(true, false, MS_CPU_X86_64, 3, MS_MH_EXECUTE, 0x4000);
    put_section(&image.b, image.segment, "__cold", "__TEXT", 0x6000, 0x10, 0x2000, CODE);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x5000, 0x100, 0x1000, 0);
    add_symbol(&image, "_cold", T_EXT, 1, 0, 0x6004);
    add_symbol(&image, "_hot", T_EXT, 2, 0, 0x5000);
    read_all(&image);
    cr_assert_eq(symbols.n, 2);
    expect(0, 0x5000, 0x5100, "_hot", MS_SOURCE_NLIST);
    expect(1, 0x6004, 0x6010, "_cold", MS_SOURCE_NLIST);
    cr_assert_null(ms_symbols_find(&symbols, 0x6000));
}

Test(symbols, overlapping_sections_stay_disjoint, .fini = done)
{
    struct image image = begin_image(true, false, MS_CPU_X86_64, 3, MS_MH_EXECUTE, 0x4000);
    put_section(&image.b, image.segment, "__a", "__TEXT", 0x5000, 0x100, 0x1000, CODE);
    put_section(&image.b, image.segment, "__b", "__TEXT", 0x5080, 0x10, 0x1080, CODE);
    put_section(&image.b, image.segment, "__c", "__TEXT", 0x5080, 0x100, 0x1080, CODE);
    add_symbol(&image, "_a", T_EXT, 1, 0, 0x5000);
    add_symbol(&image, "_b", T_EXT, 2, 0, 0x5088);
    add_symbol(&image, "_c", T_EXT, 3, 0, 0x5100);
    read_all(&image);
    for (size_t i = 0; i < symbols.n; i++) {
        cr_assert_lt(symbols.items[i].start_vm, symbols.items[i].end_vm);
        if (i)
            cr_assert_leq(symbols.items[i - 1].end_vm, symbols.items[i].start_vm);
    }
    cr_assert_str_eq(ms_symbols_find(&symbols, 0x5000)->name, "_a");
    cr_assert_str_eq(ms_symbols_find(&symbols, 0x5104)->name, "_c");
}

/* In an object, addresses are those of its sections, and there is no __TEXT segment. */
Test(symbols, object_file, .fini = done)
{
    struct image image = begin_image(true, false, MS_CPU_ARM64, 0, MS_MH_OBJECT, 0);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0, 0x20, 0x400, 0x80000000 | CODE);
    add_symbol(&image, "ltmp0", T_LOCAL, 1, 0, 0);
    add_symbol(&image, "_f", T_EXT, 1, 0, 0);
    add_symbol(&image, "_g", T_EXT, 1, 0, 0x10);
    read_all(&image);
    cr_assert_eq(symbols.n, 2);
    expect(0, 0, 0x10, "_f", MS_SOURCE_NLIST);
    expect(1, 0x10, 0x20, "_g", MS_SOURCE_NLIST);
}

/* ---- function starts
 * ------------------------------------------------------------------------------ */

Test(symbols, no_name_reaches_over_a_function_start, .fini = done)
{
    struct image image = begin_dylib();
    add_symbol(&image, "_a", T_EXT, 1, 0, 0x5010);
    add_symbol(&image, "_label", T_LOCAL, 1, 0, 0x5090);
    put_uleb(&image.starts, 0x1000); /* 0x5000: a static function that was stripped */
    put_uleb(&image.starts, 0x10);   /* 0x5010: _a */
    put_uleb(&image.starts, 0x30);   /* 0x5040 */
    put_uleb(&image.starts, 0x40);   /* 0x5080 */
    put_uleb(&image.starts, 0x1000); /* 0x6080: outside code */
    put_zeros(&image.starts, 3);
    read_all(&image);
    cr_assert_eq(symbols.n, 5);
    expect(0, 0x5000, 0x5010, NULL, MS_SOURCE_FUNCTION_START);
    expect(1, 0x5010, 0x5040, "_a", MS_SOURCE_NLIST);
    expect(2, 0x5040, 0x5080, NULL, MS_SOURCE_FUNCTION_START);
    expect(3, 0x5080, 0x5090, NULL, MS_SOURCE_FUNCTION_START);
    expect(4, 0x5090, 0x5100, "_label", MS_SOURCE_NLIST);
    cr_assert_eq(err.status, MS_OK);
}

static void check_starts(const uint64_t *expected, size_t n_expected, enum ms_status damage)
{
    uint64_t *starts;
    size_t n;
    cr_assert_eq(ms_function_starts_read(&macho, &starts, &n, &err), MS_OK);
    cr_assert_eq(n, n_expected);
    for (size_t i = 0; i < n; i++)
        cr_assert_eq(starts[i], expected[i]);
    cr_assert_eq(err.status, damage);
    if (!n)
        cr_assert_null(starts);
    free(starts);
}

Test(starts, list_ends_at_zero)
{
    static const uint8_t PAYLOAD[] = {0xa0, 0x10, 0x5c, 0x30, 0x00, 0x10, 0x00};
    static const uint64_t EXPECTED[] = {0x100000820, 0x10000087c, 0x1000008ac};
    memset(&macho, 0, sizeof macho);
    macho.is64 = true;
    macho.text_vm = 0x100000000;
    macho.function_starts = (struct ms_bytes){PAYLOAD, sizeof PAYLOAD};
    check_starts(EXPECTED, 3, MS_OK);
    macho.function_starts.n = 4; /* no terminator: the payload ends it */
    check_starts(EXPECTED, 3, MS_OK);
    macho.function_starts.n = 1; /* within a number */
    check_starts(NULL, 0, MS_E_FORMAT);
    cr_assert_str_eq(err.text, "LC_FUNCTION_STARTS: a difference that leaves its 1 bytes or the "
                               "address space, after address 0x100000000");
    macho.function_starts.n = 0;
    check_starts(NULL, 0, MS_OK);
}

Test(starts, thumb_bit_is_kept_in_the_sum_only)
{
    static const uint8_t PAYLOAD[] = {0x11, 0x01, 0x0e, 0x11, 0x00};
    static const uint64_t EXPECTED[] = {0x4010, 0x4012, 0x4020, 0x4030};
    memset(&macho, 0, sizeof macho);
    macho.cputype = MS_CPU_ARM;
    macho.text_vm = 0x4000;
    macho.function_starts = (struct ms_bytes){PAYLOAD, sizeof PAYLOAD};
    /* 0x4011, 0x4012, 0x4020, 0x4031 */
    check_starts(EXPECTED, 4, MS_OK);
    static const uint8_t TWICE[] = {0x10, 0x01, 0x0f, 0x00}; /* 0x4010, 0x4011, 0x4020 */
    static const uint64_t ONCE[] = {0x4010, 0x4020};
    macho.function_starts = (struct ms_bytes){TWICE, sizeof TWICE};
    check_starts(ONCE, 2, MS_OK);
}

Test(starts, sums_that_leave_the_address_space)
{
    static const uint8_t PAYLOAD[] = {0x10, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x10};
    static const uint64_t EXPECTED[] = {0x4010};
    memset(&macho, 0, sizeof macho);
    macho.text_vm = 0x4000;
    macho.function_starts = (struct ms_bytes){PAYLOAD, sizeof PAYLOAD};
    check_starts(EXPECTED, 1, MS_E_FORMAT);
    static const uint8_t LONG[] = {0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                   0x80, 0x80, 0x80, 0x80, 0x80, 0x01};
    macho.is64 = true;
    macho.function_starts = (struct ms_bytes){LONG, sizeof LONG};
    check_starts(EXPECTED, 1, MS_E_FORMAT);
}

Test(symbols, damaged_function_starts_leave_the_rest, .fini = done)
{
    struct image image = begin_dylib();
    add_symbol(&image, "_a", T_EXT, 1, 0, 0x5010);
    put_uleb(&image.starts, 0x1020);
    put_u8(&image.starts, 0x80);
    read_all(&image);
    cr_assert_eq(err.status, MS_E_FORMAT);
    cr_assert_eq(symbols.n, 2);
    expect(0, 0x5010, 0x5020, "_a", MS_SOURCE_NLIST);
    expect(1, 0x5020, 0x5100, NULL, MS_SOURCE_FUNCTION_START);
}

Test(symbols, thumb, .fini = done)
{
    struct image image = begin_image(false, false, MS_CPU_ARM, 9, MS_MH_EXECUTE, 0x4000);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x5000, 0x100, 0x1000, CODE);
    add_symbol(&image, "_thumb", T_EXT, 1, MS_N_ARM_THUMB_DEF, 0x5011);
    put_uleb(&image.starts, 0x1011);
    put_uleb(&image.starts, 0x10);
    read_all(&image);
    cr_assert_eq(symbols.n, 2);
    expect(0, 0x5010, 0x5020, "_thumb", MS_SOURCE_NLIST);
    expect(1, 0x5020, 0x5100, NULL, MS_SOURCE_FUNCTION_START);
}

/* ---- stubs
 * ---------------------------------------------------------------------------------------- */

static struct image begin_stubs(uint32_t first, uint32_t size)
{
    struct image image = begin_dylib();
    size_t section = put_section(&image.b, image.segment, "__stubs", "__TEXT", 0x5200, 0x30, 0x1200,
                                 0x80000000 | CODE | STUBS);
    set_u32(&image.b, section + 68, first); /* reserved1, reserved2 */
    set_u32(&image.b, section + 72, size);
    return image;
}

Test(symbols, stubs_are_named_by_the_indirect_table, .fini = done)
{
    struct image image = begin_stubs(1, 12);
    add_symbol(&image, "_main", T_EXT, 1, 0, 0x5000);
    add_symbol(&image, "_puts", MS_N_UNDF | MS_N_EXT, 0, 0, 0);
    add_symbol(&image, "_exit", MS_N_UNDF | MS_N_EXT, 0, 0, 0);
    put_u32(&image.indirect, 99);
    put_u32(&image.indirect, 2);
    put_u32(&image.indirect, 1);
    put_u32(&image.indirect, 0x80000000); /* a local symbol that was stripped */
    put_u32(&image.indirect, 4711);
    read_all(&image);
    cr_assert_eq(symbols.n, 5);
    expect(0, 0x5000, 0x5100, "_main", MS_SOURCE_NLIST);
    expect(1, 0x5200, 0x520c, "_exit", MS_SOURCE_STUB);
    expect(2, 0x520c, 0x5218, "_puts", MS_SOURCE_STUB);
    expect(3, 0x5218, 0x5224, NULL, MS_SOURCE_FUNCTION_START);
    expect(4, 0x5224, 0x5230, NULL, MS_SOURCE_FUNCTION_START);
    cr_assert(!symbols.items[1].external);
}

Test(symbols, stubs_beyond_the_indirect_table, .fini = done)
{
    struct image image = begin_stubs(0xfffffff0, 1);
    add_symbol(&image, "_puts", MS_N_UNDF | MS_N_EXT, 0, 0, 0);
    put_u32(&image.indirect, 0);
    put_u32(&image.indirect, 0);
    read_all(&image);
    cr_assert_eq(symbols.n, 2); /* as many as the table could name */
    expect(0, 0x5200, 0x5201, NULL, MS_SOURCE_FUNCTION_START);
}

Test(symbols, stubs_of_no_size, .fini = done)
{
    struct image image = begin_stubs(0, 0);
    add_symbol(&image, "_puts", MS_N_UNDF | MS_N_EXT, 0, 0, 0);
    put_u32(&image.indirect, 0);
    read_all(&image);
    cr_assert_eq(symbols.n, 0);
}

/* ---- exports
 * ------------------------------------------------------------------------------------------ */

/* A node of the trie: what it exports (0 = nothing), and its edges. */
static void put_node(struct build *trie, uint64_t flags, uint64_t address, unsigned edges)
{
    if (address) {
        struct build terminal = {0};
        put_uleb(&terminal, flags);
        put_uleb(&terminal, address);
        put_uleb(trie, terminal.n);
        put_bytes(trie, terminal.at, terminal.n);
        build_free(&terminal);
    } else {
        put_u8(trie, 0);
    }
    put_u8(trie, edges);
}

/* The edge's target is a one-byte number. */
static void put_edge(struct build *trie, const char *text, unsigned target)
{
    put_string(trie, text);
    put_u8(trie, target);
}

/* _f at 0x1010, _foo at 0x1020, _bar re-exported, _baz at 0x1040 */
static void put_trie(struct build *trie)
{
    put_node(trie, 0, 0, 1); /* 0 */
    put_edge(trie, "_", 5);
    put_node(trie, 0, 0, 2); /* 5 */
    put_edge(trie, "f", 14);
    put_edge(trie, "ba", 28);
    put_node(trie, 0, 0x1010, 1); /* 14 */
    put_edge(trie, "oo", 23);
    put_node(trie, 0, 0x1020, 0); /* 23 */
    put_node(trie, 0, 0, 2);      /* 28 */
    put_edge(trie, "r", 36);
    put_edge(trie, "z", 41);
    put_node(trie, 8, 0x1030, 0); /* 36 */
    put_node(trie, 0, 0x1040, 0); /* 41 */
}

Test(symbols, exports_name_what_nlist_does_not, .fini = done)
{
    struct image image = begin_dylib();
    put_trie(&image.trie);
    add_symbol(&image, "_local_f", T_LOCAL, 1, 0, 0x5010);
    put_uleb(&image.starts, 0x1030);
    read_all(&image);
    cr_assert_eq(err.status, MS_OK);
    cr_assert_eq(symbols.n, 4);
    expect(0, 0x5010, 0x5020, "_local_f", MS_SOURCE_NLIST);
    expect(1, 0x5020, 0x5030, "_foo", MS_SOURCE_EXPORT);
    cr_assert(symbols.items[1].external);
    expect(2, 0x5030, 0x5040, NULL, MS_SOURCE_FUNCTION_START);
    expect(3, 0x5040, 0x5100, "_baz", MS_SOURCE_EXPORT);
}

Test(symbols, an_export_is_better_than_a_blanked_name, .fini = done)
{
    struct image image = begin_dylib();
    put_trie(&image.trie);
    add_symbol(&image, "<redacted>", T_LOCAL, 1, 0, 0x5020);
    read_all(&image);
    cr_assert_eq(symbols.n, 3);
    expect(1, 0x5020, 0x5040, "_foo", MS_SOURCE_EXPORT);
}

static enum ms_status walk(struct build *trie, size_t *n, char last[64])
{
    struct ms_exports exports;
    struct ms_export found;
    uint8_t body[16] = {0x33,
                        0,
                        0,
                        0x80,
                        16,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        0,
                        (uint8_t)trie->n,
                        (uint8_t)(trie->n >> 8),
                        (uint8_t)(trie->n >> 16),
                        0};
    struct ms_load_command command = {0x80000033, 0, {body, sizeof body}};
    memset(&macho, 0, sizeof macho);
    macho.bytes = build_bytes(trie);
    macho.commands = &command;
    macho.n_commands = 1;
    strcpy(macho.where, "t");
    *n = 0;
    last[0] = 0;
    enum ms_status status;
    ms_exports_open(&macho, &exports);
    while ((status = ms_exports_next(&exports, &found, &err)) == MS_OK) {
        *n += 1;
        if (found.name_bytes < 64)
            strcpy(last, found.name);
        cr_assert_eq(strlen(found.name), found.name_bytes);
    }
    ms_exports_close(&exports);
    build_free(trie);
    return status;
}

Test(exports, walk)
{
    struct build trie = {0};
    size_t n;
    char last[64];
    put_trie(&trie);
    cr_assert_eq(walk(&trie, &n, last), MS_ABSENT);
    cr_assert_eq(n, 3);
    cr_assert_str_eq(last, "_baz");
}

Test(exports, cycle)
{
    struct build trie = {0};
    size_t n;
    char last[64];
    put_node(&trie, 0, 0x10, 1);
    put_edge(&trie, "x", 0);
    cr_assert_eq(walk(&trie, &n, last), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "exports trie of 7 bytes: its nodes are not a tree");
    cr_assert_eq(err.offset, 0);
    cr_assert_eq(n, 1);
}

Test(exports, broken_nodes)
{
    struct build trie = {0};
    size_t n;
    char last[64];
    put_node(&trie, 0, 0, 1);
    put_edge(&trie, "x", 100);
    cr_assert_eq(walk(&trie, &n, last), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "exports trie of 5 bytes: an edge that reaches past the end");
    cr_assert_eq(err.offset, 2);
    put_u8(&trie, 9);
    put_u8(&trie, 0);
    put_u8(&trie, 1);
    cr_assert_eq(walk(&trie, &n, last), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "exports trie of 3 bytes: a node that reaches past the end");
    put_u8(&trie, 1);
    put_u8(&trie, 0);
    put_u8(&trie, 1);
    cr_assert_eq(walk(&trie, &n, last), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "exports trie of 3 bytes: an export that leaves its node");
    put_u8(&trie, 0);
    cr_assert_eq(walk(&trie, &n, last), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "exports trie of 1 bytes: a node that reaches past the end");
}

Test(exports, too_deep)
{
    struct build trie = {0};
    size_t n;
    char last[64];
    for (uint32_t i = 0; i < 5000; i++) { /* a chain of one-letter edges, 7 bytes each */
        uint32_t next = (i + 1) * 7;
        put_u8(&trie, 0);
        put_u8(&trie, 1);
        put_string(&trie, "a");
        put_u8(&trie, (next & 0x7f) | 0x80);
        put_u8(&trie, (next >> 7 & 0x7f) | 0x80);
        put_u8(&trie, next >> 14);
    }
    put_node(&trie, 0, 0x10, 0);
    cr_assert_eq(walk(&trie, &n, last), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "exports trie: more than 4096 edges deep");
}

Test(symbols, a_broken_trie_leaves_the_rest, .fini = done)
{
    struct image image = begin_dylib();
    add_symbol(&image, "_a", T_EXT, 1, 0, 0x5000);
    put_node(&image.trie, 0, 0, 1);
    put_edge(&image.trie, "x", 100);
    read_all(&image);
    cr_assert_eq(err.status, MS_E_FORMAT);
    cr_assert_eq(symbols.n, 1);
    expect(0, 0x5000, 0x5100, "_a", MS_SOURCE_NLIST);
}

/* One long edge and many leaves: a few KB that would spell megabytes are cut off. */
Test(symbols, names_that_multiply_are_bounded, .fini = done)
{
    struct image image = begin_dylib();
    struct build *trie = &image.trie;
    enum { LONG = 50000, LEAVES = 255 };
    put_node(trie, 0, 0, 1);
    for (int i = 0; i < LONG; i++)
        put_u8(trie, 'n');
    put_u8(trie, 0);
    put_uleb(trie, 2 + LONG + 1 + 3);
    put_node(trie, 0, 0, LEAVES);
    size_t leaves = trie->n + LEAVES * 5;
    for (unsigned i = 0; i < LEAVES; i++) {
        put_u8(trie, 1 + i);
        put_u8(trie, 0);
        put_uleb(trie, leaves + i * 5);
    }
    for (unsigned i = 0; i < LEAVES; i++)
        put_node(trie, 0, 0x1000 + i, 0);
    read_all(&image);
    cr_assert_eq(err.status, MS_E_LIMIT);
    cr_assert_gt(symbols.n, 10);
    cr_assert_lt(symbols.n, LEAVES);
}

/* ---- sorting
 * ------------------------------------------------------------------------------------------- */

static void check_sorted(struct ms_record *records, size_t n)
{
    for (size_t i = 0; i < n; i++)
        records[i].index = (uint32_t)i;
    cr_assert(ms_records_sort(records, n));
    for (size_t i = 1; i < n; i++) {
        cr_assert_leq(records[i - 1].at, records[i].at);
        if (records[i - 1].at == records[i].at)
            cr_assert_lt(records[i - 1].index, records[i].index);
    }
}

Test(records, sorting_is_stable)
{
    enum { MANY = 5000 };
    static struct ms_record records[MANY];
    static const uint64_t SPANS[] = {1, 7, 3000, 1 << 20, (uint64_t)1 << 40, UINT64_MAX};
    uint64_t state = 88172645463325252u;
    for (size_t span = 0; span < sizeof SPANS / sizeof *SPANS; span++) {
        for (size_t n = 0; n <= MANY; n = n * 3 + 1) {
            for (size_t i = 0; i < n; i++) {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                records[i].at = state % SPANS[span] + (SPANS[span] == UINT64_MAX ? 0 : 0x100000000);
            }
            check_sorted(records, n);
        }
    }
}
