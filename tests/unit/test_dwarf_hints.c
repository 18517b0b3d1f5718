/* Functions found by their names: the same answers as by a pass over the unit, or that pass. */
#include "unit/dwarf_chain.h"
#include "unit/dwarf_names.h"

#include <criterion/criterion.h>

static const uint64_t asked[] = {0x1000, 0x1012, 0x1019, 0x10ff, 0x1200, 0x123f, 0x130f, 0x140f};
enum { N = sizeof asked / sizeof *asked };

/* The program, with tables of its names. */
struct named_program {
    struct program p;
    struct dw apple, names;
    struct names_item items[4];
    unsigned n_items;
    struct names_symbols symbols;
};

static struct named_program make(unsigned version, unsigned address_size, unsigned offset_size,
                                 bool big, bool indexed)
{
    struct named_program np = {
        .p = program_make(version, address_size, offset_size, big, indexed),
        .n_items = 3,
        .symbols = {program_symbols, 4, 0, MS_OK},
        .items = {{.text = "walk", .n_dies = 1},
                  {.text = "split", .n_dies = 1},
                  {.text = "_ZN1N1S6methodEv", .n_dies = 1},
                  {.text = "cold"}},
    };
    program_aranges(&np.p);
    for (unsigned i = 0; i < 4; i++)
        np.items[i].string = dw_str(&np.p.image.str, np.items[i].text);
    np.items[0].dies[0] = np.p.walk;
    np.items[1].dies[0] = np.p.split;
    np.items[2].dies[0] = np.p.concrete;
    np.apple.big = np.names.big = big;
    return np;
}

static void drop(struct named_program *np)
{
    dw_close(&np->p.image);
    free(np->apple.at);
    free(np->names.at);
}

enum { APPLE = 1, NAMES = 2 };

static void add_tables(struct named_program *np, unsigned which)
{
    if (which & APPLE)
        names_apple(&np->apple, np->items, np->n_items, 3);
    if (which & NAMES)
        names_debug(&np->names, np->items, np->n_items, 3, 4, 0);
}

/* The end of the unit gives a fault: whoever passes by it tells. */
static void break_end(struct named_program *np)
{
    np->p.image.info.at[np->p.image.info.n - 1] = 0x7f;
}

/* Asks all; fills the text with the answers, and tells whether the whole unit was passed. */
static bool ask(struct named_program *np, bool by_name, const uint64_t *addresses, size_t n,
                char *out, size_t room)
{
    struct ms_dwarf_sections sections = dw_sections(&np->p.image);
    struct ms_dwarf_answers answers = {0};
    struct ms_dwarf *dwarf;
    const struct ms_dwarf_hinter hinter = {.owner = &np->symbols, .always = true, .ask = names_ask};
    sections.apple_names = dw_section(&np->apple);
    sections.names = dw_section(&np->names);
    cr_assert_eq(ms_dwarf_open(&sections, &dwarf, NULL), MS_OK);
    ms_dwarf_set_hinter(dwarf, by_name ? &hinter : NULL);
    cr_assert_eq(ms_dwarf_find_many(dwarf, addresses, n, &answers, NULL), MS_OK);
    out[0] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t at = strlen(out);
        chain(&answers, i, out + at, room - at);
        at = strlen(out);
        snprintf(
            out + at, room - at, " row %llx die %llx\n", (unsigned long long)answers.hits[i].row_vm,
            answers.hits[i].n_frames ? (unsigned long long)answers.hits[i].frames[0].die_off : 0);
    }
    bool passed = answers.n_errors;
    ms_dwarf_answers_fini(&answers);
    ms_dwarf_close(dwarf);
    return passed;
}

/* By name or not, the answers are the same; whether names led to them is as expected. */
static void expect_same(struct named_program *np, const uint64_t *addresses, size_t n, bool by_name,
                        const char *what)
{
    char whole[4096], named[4096];
    (void)ask(np, false, addresses, n, whole, sizeof whole);
    (void)ask(np, true, addresses, n, named, sizeof named);
    cr_assert_str_eq(named, whole, "%s: %s instead of %s", what, named, whole);
    uint8_t last = np->p.image.info.at[np->p.image.info.n - 1];
    break_end(np);
    cr_assert(ask(np, false, addresses, n, whole, sizeof whole));
    bool passed = ask(np, true, addresses, n, named, sizeof named);
    cr_assert_eq(passed, !by_name, "%s: the unit was %spassed", what, passed ? "" : "not ");
    cr_assert_str_eq(named, whole, "%s, broken: %s instead of %s", what, named, whole);
    np->p.image.info.at[np->p.image.info.n - 1] = last;
}

Test(dwarf_hints, the_same_answers)
{
    for (unsigned kind = 0; kind < 4 * 8; kind++) {
        unsigned version = 2 + kind / 8, address = kind & 1 ? 4 : 8, offset = kind & 2 ? 8 : 4;
        if (version == 2 && offset == 8)
            continue;
        for (unsigned which = APPLE; which <= (APPLE | NAMES); which++) {
            struct named_program np = make(version, address, offset, kind & 4, version >= 5);
            char what[80];
            snprintf(what, sizeof what, "DWARF %u kind %u tables %u", version, kind, which);
            add_tables(&np, which);
            expect_same(&np, asked, N, true, what);
            for (size_t i = 0; i + 2 <= N; i++)
                expect_same(&np, asked + i, 2, true, what);
            drop(&np);
        }
    }
}

Test(dwarf_hints, who_is_asked_and_when)
{
    struct named_program np = make(4, 8, 4, false, false);
    char text[4096];
    (void)ask(&np, true, asked, N, text, sizeof text);
    cr_assert_eq(np.symbols.n_asked, 0, "there is no table");
    add_tables(&np, APPLE);
    (void)ask(&np, true, asked, 1, text, sizeof text);
    cr_assert_eq(np.symbols.n_asked, 0, "one address by itself");
    (void)ask(&np, true, (const uint64_t[]){0x1000, 0x1000}, 2, text, sizeof text);
    cr_assert_eq(np.symbols.n_asked, 0, "one address, twice");
    (void)ask(&np, true, asked, N, text, sizeof text);
    cr_assert_eq(np.symbols.n_asked, 1);
    np.symbols.status = MS_ABSENT;
    expect_same(&np, asked, N, false, "no symbols");
    drop(&np);
}

Test(dwarf_hints, no_memory_for_names)
{
    struct named_program np = make(4, 8, 4, false, false);
    struct ms_dwarf_answers answers = {0};
    add_tables(&np, APPLE);
    np.symbols.status = MS_E_NOMEM;
    const struct ms_dwarf_hinter hinter = {.owner = &np.symbols, .always = true, .ask = names_ask};
    struct ms_dwarf_sections sections = dw_sections(&np.p.image);
    struct ms_dwarf *dwarf;
    sections.apple_names = dw_section(&np.apple);
    cr_assert_eq(ms_dwarf_open(&sections, &dwarf, NULL), MS_OK);
    ms_dwarf_set_hinter(dwarf, &hinter);
    cr_assert_eq(ms_dwarf_find_many(dwarf, asked, N, &answers, NULL), MS_E_NOMEM);
    ms_dwarf_close(dwarf);
    drop(&np);
}

/* Only where it pays: the unit is far too small for its price. */
Test(dwarf_hints, not_for_small_units)
{
    struct named_program np = make(4, 8, 4, false, false);
    struct ms_dwarf_answers answers = {0};
    struct ms_dwarf *dwarf;
    add_tables(&np, APPLE);
    const struct ms_dwarf_hinter hinter = {.owner = &np.symbols, .ask = names_ask};
    struct ms_dwarf_sections sections = dw_sections(&np.p.image);
    sections.apple_names = dw_section(&np.apple);
    cr_assert_eq(ms_dwarf_open(&sections, &dwarf, NULL), MS_OK);
    ms_dwarf_set_hinter(dwarf, &hinter);
    cr_assert_eq(ms_dwarf_find_many(dwarf, asked, N, &answers, NULL), MS_OK);
    cr_assert_eq(np.symbols.n_asked, 0);
    ms_dwarf_answers_fini(&answers);
    ms_dwarf_close(dwarf);
    drop(&np);
}

/* Whatever isn't certain: the unit is passed, and the answers are the right ones. */
Test(dwarf_hints, what_is_not_certain)
{
    for (unsigned version = 4; version <= 5; version++) {
        for (unsigned which = APPLE; which <= NAMES; which++) {
            const struct {
                const char *what;
                unsigned item;
                uint64_t add;      /* to its DIE */
                uint64_t die;      /* or this one */
                const char *text;  /* or another name */
                const char *other; /* of the symbol */
                uint64_t start;    /* of the symbol, moved so far */
            } cases[] = {
                {.what = "a byte off", .item = 0, .add = 1},
                {.what = "far outside", .item = 1, .add = 0x100000},
                {.what = "in the header", .item = 1, .die = 3},
                {.what = "the unit's own", .item = 1, .die = 12},
                {.what = "not in the table", .item = 2, .text = "_ZN1N1S6method2Ev"},
                {.what = "another symbol", .item = 0, .other = "split"},
                {.what = "a symbol that is unknown", .item = 0, .other = "nobody"},
                {.what = "a symbol within", .item = 0, .start = 8},
                {.what = "a symbol before", .item = 3, .start = (uint64_t)-8},
            };
            for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                struct named_program np = make(version, 8, 4, false, false);
                struct names_symbol symbols[4];
                struct names_item *item = &np.items[cases[i].item];
                char what[80];
                memcpy(symbols, program_symbols, sizeof symbols);
                np.symbols.items = symbols;
                item->dies[0] = cases[i].die ? cases[i].die : item->dies[0] + cases[i].add;
                item->text = cases[i].text ? cases[i].text : item->text;
                if (cases[i].other)
                    symbols[cases[i].item].names[0] = cases[i].other;
                symbols[cases[i].item].start += cases[i].start;
                snprintf(what, sizeof what, "DWARF %u table %u, %s", version, which, cases[i].what);
                if (cases[i].die == 12 && version == 4)
                    np.items[1].dies[0] = 11;
                add_tables(&np, which);
                expect_same(&np, asked, N, false, what);
                drop(&np);
            }
        }
    }
}

/* DIEs of other kinds are passed by: calls inlined, declarations, the same one twice. */
Test(dwarf_hints, several_dies_of_one_name)
{
    struct named_program np = make(4, 8, 4, false, false);
    np.items[0].n_dies = 4;
    np.items[0].dies[0] = np.p.method;
    np.items[0].dies[1] = np.p.split;
    np.items[0].dies[2] = np.p.walk;
    np.items[0].dies[3] = np.p.walk;
    add_tables(&np, APPLE);
    expect_same(&np, asked, N, true, "several");
    drop(&np);
}

/* An address that no function has, and one between: the pass has the last word. */
Test(dwarf_hints, addresses_of_no_function)
{
    struct named_program np = make(5, 8, 4, false, false);
    add_tables(&np, NAMES);
    const uint64_t padded[] = {0x1000, 0x1240, 0x1400};
    dw_arange_set(&np.p.image, 0, (const uint64_t[]){0x1000, 0x1000, 0, 0});
    expect_same(&np, padded, 3, false, "padding");
    drop(&np);
}

/* ---- functions that overlap --------------------------------------------------------------- */

enum { OUTER = 2, LEAF_CODE };

/* One unit: a (0x1000, 0x20), b (0x1000, 0x20), c (0x1000, 0x10), which folding has put there; and
 * in d (0x1100, 0x40), as a DIE in its DIE, e (0x1110, 0x10), which has its own symbol or not. */
static void folded(struct named_program *np, uint64_t dies[5])
{
    static const unsigned unit[] = {DW_AT_low_pc, DW_FORM_addr, 0};
    static const unsigned function[] = {
        DW_AT_name, DW_FORM_string, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0};
    static const struct {
        const char *name;
        uint64_t low;
        uint32_t size;
    } functions[] = {{"a", 0x1000, 0x20},
                     {"b", 0x1000, 0x20},
                     {"c", 0x1000, 0x10},
                     {"d", 0x1100, 0x40},
                     {"e", 0x1110, 0x10}};
    memset(np, 0, sizeof *np);
    np->p.image = dw_image(4, 8, 4, false);
    struct dw_image *image = &np->p.image;
    dw_declare(image, 1, DW_TAG_compile_unit, true, unit);
    dw_declare(image, OUTER, DW_TAG_subprogram, true, function);
    dw_declare(image, LEAF_CODE, DW_TAG_subprogram, false, function);
    dw_u8(&image->abbrev, 0);
    size_t start = dw_unit(image, 0);
    dw_u8(&image->info, 1);
    dw_u64(&image->info, 0);
    for (unsigned i = 0; i < 5; i++) {
        dies[i] = image->info.n;
        dw_u8(&image->info, i == 3 ? OUTER : LEAF_CODE);
        dw_str(&image->info, functions[i].name);
        dw_u64(&image->info, functions[i].low);
        dw_u32(&image->info, functions[i].size);
        np->items[i < 4 ? i : 0].string = 0;
    }
    dw_u16(&image->info, 0);
    dw_end(image, &image->info, start);
    dw_arange_set(image, 0, (const uint64_t[]){0x1000, 0x200, 0, 0});
}

Test(dwarf_hints, folded_functions)
{
    static const struct names_symbol both[] = {{0x1000, {"b", "a"}}, {0x1100, {"d", NULL}}};
    static const struct names_symbol small[] = {{0x1000, {"b", "c"}}, {0x1100, {"d", NULL}}};
    const uint64_t addresses[] = {0x1004, 0x1018, 0x1104, 0x1114};
    for (int i = 0; i < 2; i++) {
        struct named_program np;
        uint64_t dies[5];
        char text[4096];
        folded(&np, dies);
        const char *const names[] = {"b", "d", "a", "c"};
        const uint64_t offs[] = {dies[1], dies[3], dies[0], dies[2]};
        np.n_items = 4;
        for (unsigned k = 0; k < 4; k++)
            np.items[k] = (struct names_item){
                names[k], dw_str(&np.p.image.str, names[k]), 1, {offs[k], 0, 0, 0}};
        np.symbols = (struct names_symbols){i ? small : both, 2, 0, MS_OK};
        names_apple(&np.apple, np.items, np.n_items, 2);
        (void)ask(&np, true, addresses, 4, text, sizeof text);
        /* Of those that the symbols name: the first of equal ones, or the smaller one. */
        const char *expected[] = {"a - -:0:0 +4|", "a - -:0:0 +18|", "c - -:0:0 +4|",
                                  "b - -:0:0 +18|"};
        for (int k = 0; k < 2; k++)
            cr_assert(strstr(text, expected[2 * i + k]), "%d: %s", i, text);
        /* A function inside another's DIE counts as in the whole pass, named or not. */
        cr_assert(strstr(text, "d - -:0:0 +4|"), "%s", text);
        cr_assert(strstr(text, "e - -:0:0 +4|"), "%s", text);
        drop(&np);
    }
}

/* What a table can make the engine do stays within what the whole pass does: a name with DIEs
 * nested in each other is passed once. */
Test(dwarf_hints, nested_dies_are_passed_once)
{
    static const struct names_symbol symbols[] = {{0x1100, {"d", NULL}}, {0x1110, {"e", NULL}}};
    const uint64_t addresses[] = {0x1104, 0x1114, 0x111f, 0x1130};
    struct named_program np;
    uint64_t dies[5];
    folded(&np, dies);
    np.n_items = 2;
    np.items[0] = (struct names_item){"d", dw_str(&np.p.image.str, "d"), 1, {dies[3], 0, 0, 0}};
    np.items[1] = (struct names_item){"e", dw_str(&np.p.image.str, "e"), 1, {dies[4], 0, 0, 0}};
    np.symbols = (struct names_symbols){symbols, 2, 0, MS_OK};
    names_apple(&np.apple, np.items, np.n_items, 2);
    expect_same(&np, addresses, 3, true, "nested");
    expect_same(&np, addresses, 4, false, "0x1130 lies behind e, and its symbol is e's");
    drop(&np);
}
