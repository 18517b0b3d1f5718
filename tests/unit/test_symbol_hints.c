/* What a symbol table says of a batch's functions: starts and all their names. */
#include "resolve/symbol_hints.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A Mach-O of which only what the pass needs is there: sections 1 (code), 2 (__text by name alone)
 * and 3 (data). */
struct table {
    struct ms_macho macho;
    struct ms_section sections[3];
    uint8_t nlist[200 * 16];
    char strings[16384];
    size_t n_strings;
};

static void start(struct table *t, bool is64, bool big)
{
    memset(t, 0, sizeof *t);
    t->macho.is64 = is64;
    t->macho.big = big;
    t->macho.sections = t->sections;
    t->macho.n_sections = 3;
    strcpy(t->sections[0].name, "__code");
    t->sections[0].flags = 0x80000400;
    strcpy(t->sections[1].name, "__text");
    strcpy(t->sections[2].name, "__data");
    t->n_strings = 1;
}

static void put(uint8_t *at, uint64_t value, unsigned size, bool big)
{
    for (unsigned i = 0; i < size; i++)
        at[big ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

static void add(struct table *t, const char *name, unsigned type, unsigned sect, uint64_t value)
{
    struct ms_macho *m = &t->macho;
    uint8_t *at = t->nlist + m->n_nlist++ * (m->is64 ? 16u : 12u);
    put(at, name ? t->n_strings : 0, 4, m->big);
    at[4] = (uint8_t)type;
    at[5] = (uint8_t)sect;
    put(at + 8, value, m->is64 ? 8 : 4, m->big);
    if (name) {
        memcpy(t->strings + t->n_strings, name, strlen(name) + 1);
        t->n_strings += strlen(name) + 1;
    }
}

static enum ms_status ask(struct table *t, const uint64_t *addresses, size_t n,
                          struct ms_dwarf_hints *out)
{
    t->macho.nlist = (struct ms_bytes){t->nlist, t->macho.n_nlist * (t->macho.is64 ? 16u : 12u)};
    t->macho.strings = (struct ms_bytes){(const uint8_t *)t->strings, t->n_strings};
    *out = (struct ms_dwarf_hints){NULL, NULL};
    return ms_symbol_hints(&t->macho, addresses, n, out, NULL);
}

/* "START NAME NAME …", of which the order isn't promised but stays. */
static void expect(const struct ms_dwarf_hints *hints, size_t i, const char *expected)
{
    char text[256];
    const struct ms_dwarf_hint *hint = &hints->items[i];
    int n = snprintf(text, sizeof text, "%llx", (unsigned long long)hint->start_vm);
    for (uint32_t k = 0; k < hint->n_names; k++)
        n += snprintf(text + n, sizeof text - (size_t)n, " %s", hints->names[hint->first_name + k]);
    cr_assert_str_eq(text, expected, "%zu: %s instead of %s", i, text, expected);
}

static void drop(struct ms_dwarf_hints *hints)
{
    free(hints->items);
    free(hints->names);
}

Test(symbol_hints, starts_and_names)
{
    static const uint64_t addresses[] = {0xfff,  0x1000, 0x100f, 0x1010, 0x101f,
                                         0x1020, 0x1024, 0x2000, 0x9000};
    for (unsigned kind = 0; kind < 4; kind++) {
        struct table t;
        struct ms_dwarf_hints hints;
        start(&t, kind & 1, kind & 2);
        add(&t, "_later", MS_N_SECT | MS_N_EXT, 1, 0x1020); /* in no order */
        add(&t, "_first", MS_N_SECT, 1, 0x1000);
        add(&t, "_folded", MS_N_SECT, 1, 0x1010);
        add(&t, "-[C m]", MS_N_SECT, 1, 0x1010);
        add(&t, "__Z1fv", MS_N_SECT | MS_N_EXT, 1, 0x1010);
        add(&t, "_before", MS_N_SECT, 1, 0x1008);
        add(&t, "_data", MS_N_SECT, 3, 0x1022);  /* no code */
        add(&t, "_gone", MS_N_UNDF, 0, 0x1022);  /* not here */
        add(&t, "_stab", 0x24, 1, 0x1022);       /* of the debug map */
        add(&t, "_odd", MS_N_SECT, 200, 0x1022); /* in no section */
        add(&t, "_kernel", MS_N_SECT, 2, 0x2000);
        add(&t, NULL, MS_N_SECT, 1, 0x8000); /* it hides what stands before it */
        cr_assert_eq(ask(&t, addresses, 9, &hints), MS_OK);
        expect(&hints, 0, "0");
        expect(&hints, 1, "1000 first");
        expect(&hints, 2, "1008 before");
        expect(&hints, 3, "1010 _Z1fv -[C m] folded");
        expect(&hints, 4, "1010 _Z1fv -[C m] folded");
        expect(&hints, 5, "1020 later");
        expect(&hints, 6, "1020 later");
        expect(&hints, 7, "2000 kernel");
        expect(&hints, 8, "8000");
        drop(&hints);
    }
}

Test(symbol_hints, names_that_are_none)
{
    static const uint64_t addresses[] = {0x1000, 0x1010, 0x1020, 0x1030, 0x1040};
    struct table t;
    struct ms_dwarf_hints hints;
    char longest[4097];
    memset(longest, 'x', sizeof longest - 1);
    longest[4096] = 0;
    start(&t, true, false);
    add(&t, "", MS_N_SECT, 1, 0x1000);
    add(&t, "_good", MS_N_SECT, 1, 0x1000); /* with another that is unknown: so is this */
    add(&t, "_", MS_N_SECT, 1, 0x1010);
    add(&t, longest, MS_N_SECT, 1, 0x1020);
    add(&t, longest + 1, MS_N_SECT, 1, 0x1030);
    add(&t, "_out", MS_N_SECT, 1, 0x1040);
    put(t.nlist + 16u * (t.macho.n_nlist - 1), 16384, 4, false);
    cr_assert_eq(ask(&t, addresses, 5, &hints), MS_OK);
    expect(&hints, 0, "1000");
    expect(&hints, 1, "1010");
    expect(&hints, 2, "1020");
    cr_assert_eq(hints.items[3].n_names, 1);
    cr_assert_eq(strlen(hints.names[hints.items[3].first_name]), 4095);
    expect(&hints, 4, "1040");
    drop(&hints);
}

/* As many names as one start can have, and one more. */
Test(symbol_hints, many_names_of_one_start)
{
    static const uint64_t addresses[] = {0x1000, 0x1001};
    for (unsigned n = 63; n <= 70; n++) {
        struct table t;
        struct ms_dwarf_hints hints;
        start(&t, true, false);
        for (unsigned i = 0; i < n; i++)
            add(&t, "_name", MS_N_SECT, 1, 0x1000);
        cr_assert_eq(ask(&t, addresses, 2, &hints), MS_OK);
        cr_assert_eq(hints.items[0].n_names, n <= 64 ? n : 0);
        cr_assert_eq(hints.items[1].n_names, n <= 64 ? n : 0);
        drop(&hints);
    }
}

Test(symbol_hints, no_symbols)
{
    static const uint64_t addresses[] = {0x1000, 0x1001};
    struct table t;
    struct ms_dwarf_hints hints;
    start(&t, true, false);
    cr_assert_eq(ask(&t, addresses, 2, &hints), MS_ABSENT);
    cr_assert_eq(hints.items, NULL);
    add(&t, "_behind", MS_N_SECT, 1, 0x1002);
    cr_assert_eq(ask(&t, addresses, 2, &hints), MS_ABSENT);
    t.macho.n_nlist = 100; /* more than there are bytes for */
    t.macho.nlist.n = 16;
    t.macho.nlist.at = t.nlist;
    put(t.nlist + 8, 0x1000, 8, false);
    cr_assert_eq(ms_symbol_hints(&t.macho, addresses, 2, &hints, NULL), MS_OK);
    expect(&hints, 1, "1000 behind");
    drop(&hints);
}
