#include "dwarf/piece_layout.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void ms_piece_layout_fini(struct ms_piece_layout *layout)
{
    ms_bounds_fini(&layout->bounds);
    free(layout->marks);
    memset(layout, 0, sizeof *layout);
}

static bool make_room(struct ms_piece_layout *layout, size_t n)
{
    while (layout->room < n)
        if (!ms_array_grow(&layout->marks, layout->room, &layout->room, sizeof *layout->marks))
            return false;
    return true;
}

/* ---- a function of one range ------------------------------------------------------------- */

/*
 * Nearly all functions have one range, and calls that are inlined there lie within their callers'.
 * Each is painted over what is there already, which costs two spots at most. With more than so
 * many ranges, moving the spots behind would take too long.
 */
enum { MOST_PAINTED = 64 };

/* A mark, small, since it is moved often. */
struct spot {
    uint32_t low; /* from the function's */
    uint32_t node;
};

struct painting {
    struct spot spots[2 * MOST_PAINTED + 2];
    size_t n;
    size_t last; /* that was painted */
};

/* Whether all of the range is in one stretch, or none of it in any. */
static bool is_even(const struct ms_stretches *s, const struct ms_gathered *g)
{
    size_t i = ms_stretches_find(s, g->low);
    return i == s->n || s->items[i].low >= g->high ||
           (s->items[i].low <= g->low && s->items[i].high >= g->high);
}

static bool is_plain(const struct ms_layout_input *in, uint32_t first)
{
    const struct ms_gathered *own = &in->gathered[first - 1];
    size_t n = 1;
    if (own->node != own->root || own->high - own->low > UINT32_MAX ||
        ms_dwarf_trust(in->dwarf, own->low) != MS_TRUST_ALL || !is_even(in->listed, own) ||
        !is_even(in->covered, own))
        return false;
    for (uint32_t i = in->next[first - 1]; i; i = in->next[i - 1])
        if (++n > MOST_PAINTED || in->gathered[i - 1].node == own->root)
            return false;
    return true;
}

/* [low, high) within the function; the spot where that ends is there, so that there always is one
 * behind. */
static void paint(struct painting *p, uint32_t low, uint32_t high, uint32_t node)
{
    struct spot *spots = p->spots;
    size_t at = p->last; /* calls lie near those that stand before them in the tree */
    while (spots[at].low > low)
        at--;
    while (spots[at + 1].low <= low)
        at++;
    size_t behind = at + 1;
    while (spots[behind].low < high)
        behind++;
    uint32_t under = spots[behind - 1].node;
    at += spots[at].low < low;
    size_t to = at + 1 + (high < spots[behind].low);
    if (to != behind)
        memmove(spots + to, spots + behind, (p->n - behind) * sizeof *spots);
    p->n = p->n - behind + to;
    p->last = at;
    spots[at] = (struct spot){low, node};
    if (to == at + 2)
        spots[at + 1] = (struct spot){high, under};
}

static bool lay_out_plain(struct ms_piece_layout *layout, const struct ms_layout_input *in,
                          uint32_t first)
{
    const struct ms_gathered *own = &in->gathered[first - 1];
    const uint64_t size = own->high - own->low;
    struct painting p;
    p.spots[0] = (struct spot){0, own->node};
    p.spots[1] = (struct spot){(uint32_t)size, MS_NO_NODE};
    p.n = 2;
    p.last = 0;
    for (uint32_t i = in->next[first - 1]; i; i = in->next[i - 1]) {
        const struct ms_gathered *g = &in->gathered[i - 1];
        uint64_t low = g->low > own->low ? g->low : own->low;
        uint64_t high = g->high < own->high ? g->high : own->high;
        if (low < high)
            paint(&p, (uint32_t)(low - own->low), (uint32_t)(high - own->low), g->node);
    }
    if (!make_room(layout, p.n))
        return false;
    for (size_t i = 0; i < p.n; i++)
        layout->marks[i] = (struct ms_mark){own->low + p.spots[i].low, size, p.spots[i].node};
    layout->marks[p.n - 1].size = 0;
    layout->n = p.n;
    return true;
}

/* ---- any other --------------------------------------------------------------------------- */

/* Where the stretches that reach into [low, high) start and end. */
static bool add_stretch_bounds(struct ms_bounds *b, const struct ms_stretches *s, uint64_t low,
                               uint64_t high)
{
    for (size_t i = ms_stretches_find(s, low); i < s->n && s->items[i].low < high; i++)
        if ((s->items[i].low > low && !ms_bounds_add(b, s->items[i].low)) ||
            (s->items[i].high < high && !ms_bounds_add(b, s->items[i].high)))
            return false;
    return true;
}

/* The bounds of a function's ranges and of all that is inlined there. False without memory. */
static bool collect_bounds(struct ms_piece_layout *layout, const struct ms_layout_input *in,
                           uint32_t first)
{
    struct ms_bounds *b = &layout->bounds;
    b->n = 0;
    for (uint32_t i = first; i; i = in->next[i - 1]) {
        const struct ms_gathered *g = &in->gathered[i - 1];
        if (!ms_bounds_add(b, g->low) || !ms_bounds_add(b, g->high))
            return false;
        if (g->node != g->root)
            continue;
        if ((ms_dwarf_trust(in->dwarf, g->low) != MS_TRUST_ALL &&
             !ms_bounds_add_code(b, in->dwarf, g->low, g->high)) ||
            !add_stretch_bounds(b, in->listed, g->low, g->high) ||
            !add_stretch_bounds(b, in->covered, g->low, g->high))
            return false;
    }
    if (!ms_bounds_sort(b) || !make_room(layout, b->n))
        return false;
    layout->n = b->n;
    for (size_t i = 0; i < b->n; i++)
        layout->marks[i] = (struct ms_mark){b->items[i], 0, MS_NO_NODE};
    return true;
}

/* A range of the function itself: it has what no smaller one of its ranges has. */
static void fill_function(struct ms_piece_layout *layout, const struct ms_dwarf *dwarf,
                          const struct ms_gathered *g)
{
    enum ms_trust trust = ms_dwarf_trust(dwarf, g->low);
    for (size_t i = ms_lower_bound(layout->bounds.items, layout->n, g->low);
         i < layout->n && layout->marks[i].low < g->high && layout->budget; i++) {
        struct ms_mark *mark = &layout->marks[i];
        layout->budget--;
        if ((mark->size && mark->size <= g->high - g->low) ||
            !ms_trust_allows(dwarf, trust, mark->low))
            continue;
        mark->size = g->high - g->low;
        mark->node = g->node;
    }
}

/* A call that is inlined there. */
static void fill_inlined(struct ms_piece_layout *layout, const struct ms_gathered *g)
{
    for (size_t i = ms_lower_bound(layout->bounds.items, layout->n, g->low);
         i < layout->n && layout->marks[i].low < g->high && layout->budget; i++) {
        layout->budget--;
        if (layout->marks[i].size)
            layout->marks[i].node = g->node;
    }
}

/* In the order of the tree, so that the deepest call wins; a function's own ranges stand before
 * what is inlined into it. */
bool ms_piece_layout_make(struct ms_piece_layout *layout, const struct ms_layout_input *in,
                          uint32_t first)
{
    if (is_plain(in, first))
        return lay_out_plain(layout, in, first);
    if (!collect_bounds(layout, in, first))
        return false;
    for (uint32_t i = first; i; i = in->next[i - 1]) {
        const struct ms_gathered *g = &in->gathered[i - 1];
        if (g->node == g->root)
            fill_function(layout, in->dwarf, g);
        else
            fill_inlined(layout, g);
    }
    return true;
}
