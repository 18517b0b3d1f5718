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
 * Each is painted over what is there already, which costs two marks at most. With more than so
 * many ranges, moving the marks behind would take too long.
 */
enum { MOST_PAINTED = 64 };

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
    if (own->node != own->root || ms_dwarf_trust(in->dwarf, own->low) != MS_TRUST_ALL ||
        !is_even(in->listed, own) || !is_even(in->covered, own))
        return false;
    for (uint32_t i = in->next[first - 1]; i; i = in->next[i - 1])
        if (++n > MOST_PAINTED || in->gathered[i - 1].node == own->root)
            return false;
    return true;
}

/* [low, high) within the function; the mark behind the last is there, so that there always is one
 * behind. */
static void paint(struct ms_piece_layout *layout, uint64_t low, uint64_t high, uint32_t node)
{
    struct ms_mark *marks = layout->marks;
    size_t at = 0;
    for (size_t n = layout->n - 1; n > 1;) { /* without a branch that nobody can foretell */
        size_t half = n / 2;
        at += half & (0 - (size_t)(marks[at + half].low <= low));
        n -= half;
    }
    size_t behind = at + 1;
    while (marks[behind].low < high)
        behind++;
    struct ms_mark under = marks[behind - 1];
    at += marks[at].low < low;
    size_t to = at + 1 + (high < marks[behind].low);
    if (to != behind)
        memmove(marks + to, marks + behind, (layout->n - behind) * sizeof *marks);
    layout->n = layout->n - behind + to;
    marks[at] = (struct ms_mark){low, under.size, node};
    if (to == at + 2)
        marks[at + 1] = (struct ms_mark){high, under.size, under.node};
}

static bool lay_out_plain(struct ms_piece_layout *layout, const struct ms_layout_input *in,
                          uint32_t first)
{
    const struct ms_gathered *own = &in->gathered[first - 1];
    if (!make_room(layout, 2 * MOST_PAINTED + 2))
        return false;
    layout->marks[0] = (struct ms_mark){own->low, own->high - own->low, own->node};
    layout->marks[1] = (struct ms_mark){own->high, 0, MS_NO_NODE};
    layout->n = 2;
    for (uint32_t i = in->next[first - 1]; i; i = in->next[i - 1]) {
        const struct ms_gathered *g = &in->gathered[i - 1];
        uint64_t low = g->low > own->low ? g->low : own->low;
        uint64_t high = g->high < own->high ? g->high : own->high;
        if (low < high)
            paint(layout, low, high, g->node);
    }
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
