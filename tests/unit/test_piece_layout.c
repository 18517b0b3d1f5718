/*
 * dwarf/piece_layout.h: who is innermost in a function, against the rule itself asked of every
 * address: a few calls are painted, many sorted, and both must say the same.
 */
#include "dwarf/piece_layout.h"
#include "dwarf/reader.h"

#include <criterion/criterion.h>
#include <string.h>

enum { MOST = 200, SPACE = 400, LOW = 1000 };

static uint64_t state = 88172645463325252u;

static uint64_t up_to(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

struct input {
    struct ms_gathered gathered[MOST];
    uint32_t next[MOST];
    size_t n;
    struct ms_stretches listed, covered;
};

/* The range of the function's own that has the address: the smallest, of equal ones the first. */
static uint64_t own_size(const struct input *in, uint64_t address)
{
    uint64_t size = 0;
    for (size_t i = 0; i < in->n; i++) {
        const struct ms_gathered *g = &in->gathered[i];
        if (g->node == g->root && g->low <= address && address < g->high &&
            (!size || g->high - g->low < size))
            size = g->high - g->low;
    }
    return size;
}

/* In the order of the tree, the last call that holds it, if the function does. */
static uint32_t innermost(const struct input *in, uint64_t address)
{
    uint32_t node = MS_NO_NODE;
    if (!own_size(in, address))
        return node;
    for (size_t i = 0; i < in->n; i++) {
        const struct ms_gathered *g = &in->gathered[i];
        if (g->low <= address && address < g->high)
            node = g->node;
    }
    return node;
}

static void expect(struct ms_piece_layout *layout, const struct ms_dwarf *dwarf,
                   const struct input *in)
{
    struct ms_layout_input input = {dwarf, in->gathered, in->next, &in->listed, &in->covered};
    layout->budget = 1 << 20;
    cr_assert(ms_piece_layout_make(layout, &input, 1));
    cr_assert_geq(layout->n, 2);
    for (size_t i = 1; i < layout->n; i++)
        cr_assert_lt(layout->marks[i - 1].low, layout->marks[i].low);
    for (uint64_t at = LOW - 50; at < LOW + SPACE + 50; at++) {
        uint64_t size = 0;
        uint32_t node = MS_NO_NODE;
        for (size_t i = 0; i + 1 < layout->n; i++)
            if (layout->marks[i].low <= at && at < layout->marks[i + 1].low) {
                size = layout->marks[i].size;
                node = layout->marks[i].node;
            }
        cr_assert_eq(size, own_size(in, at), "%d: size %d", (int)at, (int)size);
        cr_assert_eq(node, innermost(in, at), "%d: node %d", (int)at, (int)node);
    }
}

/* `own` ranges of the function, then calls: half of them within another, the others anywhere. */
static void make(struct input *in, size_t own, size_t n)
{
    memset(in, 0, sizeof *in);
    in->n = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t low = LOW - 20 + up_to(SPACE), high = low + 1 + up_to(i % 3 ? 9 : 120);
        if (i >= own && i % 2) {
            const struct ms_gathered *outer = &in->gathered[up_to(i)];
            low = outer->low + up_to(outer->high - outer->low);
            high = low + 1 + up_to(outer->high - low);
        }
        if (!i) {
            low = LOW;
            high = LOW + SPACE - up_to(100);
        }
        in->gathered[i] =
            (struct ms_gathered){low, high, i < own ? 0 : (uint32_t)(1 + up_to(n)), 0};
        in->next[i] = i + 1 < n ? (uint32_t)i + 2 : 0;
    }
}

Test(piece_layout, the_last_call_that_holds_an_address_has_it)
{
    struct ms_piece_layout layout;
    struct ms_dwarf dwarf;
    static struct input in;
    memset(&layout, 0, sizeof layout);
    memset(&dwarf, 0, sizeof dwarf); /* no code is known: every range but at 0 is believed */
    dwarf.s.address_size = 8;
    for (int turn = 0; turn < 1500; turn++) {
        /* Around the number of ranges from which on bounds are sorted; and functions of several
         * ranges, which always are. */
        size_t n = turn % 3 == 0 ? 1 + up_to(12) : turn % 3 == 1 ? 55 + up_to(20) : 1 + up_to(MOST);
        make(&in, turn % 5 == 4 ? 1 + up_to(n < 4 ? n : 4) : 1, n);
        expect(&layout, &dwarf, &in);
    }
    ms_piece_layout_fini(&layout);
}

Test(piece_layout, edges_of_what_the_unit_has_are_marks)
{
    struct ms_piece_layout layout;
    struct ms_dwarf dwarf;
    static struct input in;
    struct ms_dwarf_range has[] = {{900, 1100}, {1200, 2000}};
    memset(&layout, 0, sizeof layout);
    memset(&dwarf, 0, sizeof dwarf);
    dwarf.s.address_size = 8;
    for (int turn = 0; turn < 100; turn++) {
        make(&in, 1, 1 + up_to(20));
        in.listed = (struct ms_stretches){has, 2, 2};
        expect(&layout, &dwarf, &in);
        size_t edges = 0;
        for (size_t i = 0; i < layout.n; i++)
            edges += layout.marks[i].low == 1100 || layout.marks[i].low == 1200;
        cr_assert_eq(edges, 2);
    }
    ms_piece_layout_fini(&layout);
}
