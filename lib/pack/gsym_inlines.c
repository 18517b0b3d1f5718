#include "pack/gsym_inlines.h"

#include "base/array.h"
#include "base/cursor.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RANGES = 1 << 22 }; /* of one function; real: 10,000 */

void ms_gsym_inlines_fini(struct ms_gsym_inlines *in)
{
    free(in->nodes);
    free(in->names);
    free(in->ranks);
    free(in->first_range);
    free(in->n_own_ranges);
    free(in->spans);
    free(in->ranges);
    free(in->heap);
    memset(in, 0, sizeof *in);
}

static bool add_node(struct ms_gsym_inlines *in, struct ms_piece_node node, uint32_t name)
{
    size_t n = in->n_nodes;
    if (!ms_array_grow(&in->names, n, &in->names_room, sizeof *in->names) ||
        !ms_array_grow(&in->ranks, n, &in->ranks_room, sizeof *in->ranks) ||
        !ms_array_grow(&in->first_range, n, &in->first_room, sizeof *in->first_range) ||
        !ms_array_grow(&in->n_own_ranges, n, &in->own_room, sizeof *in->n_own_ranges) ||
        !MS_PUSH(in->nodes, in->n_nodes, in->nodes_room, node))
        return false;
    in->names[n] = name;
    in->ranks[n] = UINT32_MAX; /* until it is whole */
    return true;
}

enum ms_status ms_gsym_inlines_begin(struct ms_gsym_inlines *in, uint64_t low, struct ms_error *err)
{
    struct ms_piece_node function = {.parent = MS_NO_PARENT};
    struct ms_piece_span span = {low, 0};
    in->n_nodes = in->n_spans = in->n_ranges = 0;
    in->entry = 0;
    if (!add_node(in, function, 0) || !MS_PUSH(in->spans, in->n_spans, in->spans_room, span))
        return ms_fail_memory(err);
    return MS_OK;
}

/* ---- which node is the innermost where ------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
    const struct ms_gsym_range *x = a, *y = b;
    return x->low != y->low ? (x->low < y->low ? -1 : 1) : 0;
}

static bool goes_before(const struct ms_gsym_inlines *in, uint32_t a, uint32_t b)
{
    return in->ranks[in->ranges[a].node] < in->ranks[in->ranges[b].node];
}

static bool heap_push(struct ms_gsym_inlines *in, uint32_t range)
{
    if (!MS_PUSH(in->heap, in->n_heap, in->heap_room, range))
        return false;
    size_t i = in->n_heap - 1;
    for (; i && goes_before(in, range, in->heap[(i - 1) / 2]); i = (i - 1) / 2)
        in->heap[i] = in->heap[(i - 1) / 2];
    in->heap[i] = range;
    return true;
}

static void heap_pop(struct ms_gsym_inlines *in)
{
    uint32_t last = in->heap[--in->n_heap];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < in->n_heap; i = child) {
        if (child + 1 < in->n_heap && goes_before(in, in->heap[child + 1], in->heap[child]))
            child++;
        if (!goes_before(in, in->heap[child], last))
            break;
        in->heap[i] = in->heap[child];
    }
    in->heap[i] = last;
}

/*
 * From range to range in the order of addresses. The inner of two calls, and the first of two
 * beside each other, was whole before the other: that is its rank.
 */
static bool make_spans(struct ms_gsym_inlines *in, uint64_t low)
{
    size_t next = 0;
    in->n_heap = 0;
    if (in->n_ranges)
        qsort(in->ranges, in->n_ranges, sizeof *in->ranges, by_low);
    for (uint64_t at = low;;) {
        for (; next < in->n_ranges && in->ranges[next].low <= at; next++)
            if (!heap_push(in, (uint32_t)next))
                return false;
        while (in->n_heap && in->ranges[in->heap[0]].high <= at)
            heap_pop(in);
        struct ms_piece_span span = {at, in->n_heap ? in->ranges[in->heap[0]].node : 0};
        struct ms_piece_span *last = &in->spans[in->n_spans - 1];
        if (last->low == at)
            last->node = span.node;
        else if (last->node != span.node && !MS_PUSH(in->spans, in->n_spans, in->spans_room, span))
            return false;
        if (!in->n_heap && next == in->n_ranges)
            return true;
        at = in->n_heap ? in->ranges[in->heap[0]].high : UINT64_MAX;
        if (next < in->n_ranges && in->ranges[next].low < at)
            at = in->ranges[next].low;
    }
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The tree under way. */
struct walk {
    struct ms_gsym_inlines *in;
    struct ms_cursor c;
    bool at_one; /* the calls at `address` alone */
    uint64_t address;
    uint32_t parent;
    uint64_t bases[MS_MAX_INLINE_DEPTH + 2]; /* what the ranges at each depth count from */
    size_t depth;
    uint32_t n_whole;
    bool done, out_of_memory, has_too_many;
    /* Of the node in hand. */
    uint64_t first, last_high;
    /* At one address: the range of the parent that has it, and of the node in hand. */
    uint64_t outer_low, outer_high, low, high;
    bool has_address;
};

/* Whether the parent has all of the range; the function has everything. */
static bool is_in_parent(const struct walk *w, const struct ms_gsym_range *range)
{
    const struct ms_gsym_inlines *in = w->in;
    if (!w->parent)
        return true;
    size_t from = in->first_range[w->parent], n = in->n_own_ranges[w->parent];
    while (n) {
        size_t half = n / 2;
        if (in->ranges[from + half].low <= range->low) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from > in->first_range[w->parent] && range->high <= in->ranges[from - 1].high;
}

/* What isn't in order, or in the caller, is in no file that was made with care: it is left out. */
static void take_range(struct walk *w, const struct ms_gsym_range *range)
{
    struct ms_gsym_inlines *in = w->in;
    if (range->low < w->first)
        w->first = range->low;
    if (range->low >= range->high || range->low < w->last_high)
        return;
    w->last_high = range->high;
    if (w->at_one) {
        if (range->low < w->outer_low || range->high > w->outer_high)
            return;
        if (range->low <= w->address && w->address < range->high) {
            w->has_address = true;
            w->low = range->low;
            w->high = range->high;
        }
    } else if (is_in_parent(w, range)) {
        w->has_too_many |= in->n_ranges == MOST_RANGES;
        w->out_of_memory |= !MS_PUSH(in->ranges, in->n_ranges, in->ranges_room, *range);
    }
}

/* The ranges of the node that comes next. @return false: it has none, so it is no node */
static bool read_ranges(struct walk *w)
{
    uint64_t n = ms_cursor_uleb(&w->c), base = w->bases[w->depth];
    if (n > ms_cursor_left(&w->c) / 2)
        ms_cursor_spoil(&w->c);
    w->first = UINT64_MAX;
    w->last_high = 0;
    w->has_address = false;
    for (uint64_t i = 0; i < n && !w->c.bad && !w->out_of_memory && !w->has_too_many; i++) {
        struct ms_gsym_range range = {0, 0, (uint32_t)w->in->n_nodes};
        uint64_t start = ms_cursor_uleb(&w->c), size = ms_cursor_uleb(&w->c);
        if (ms_add_overflows(base, start, &range.low) ||
            ms_add_overflows(range.low, size, &range.high))
            ms_cursor_spoil(&w->c);
        if (!w->c.bad)
            take_range(w, &range);
    }
    return n && !w->c.bad;
}

/* The node's children, or those of the one around it, are all there. */
static void end_siblings(struct walk *w)
{
    struct ms_gsym_inlines *in = w->in;
    if (!w->depth || w->at_one) {
        w->done = true;
        return;
    }
    w->depth--;
    /* The root stands for the function, and has no node of its own unless it is a call. */
    if (w->parent) {
        in->ranks[w->parent] = w->n_whole++;
        w->parent = in->nodes[w->parent].parent;
    }
    w->done = !w->depth;
}

/* Steps over all children of a node. */
static void skip_children(struct ms_cursor *c)
{
    for (size_t depth = 1; depth && !c->bad;) {
        uint64_t n = ms_cursor_uleb(c);
        if (!n) {
            depth--;
            continue;
        }
        for (; n && !c->bad; n--) {
            ms_cursor_uleb(c);
            ms_cursor_uleb(c);
        }
        depth += ms_cursor_u8(c) != 0;
        ms_cursor_skip(c, 4);
        ms_cursor_uleb(c);
        ms_cursor_uleb(c);
    }
}

static void enter(struct walk *w, uint32_t node)
{
    w->has_too_many |= w->depth > MS_MAX_INLINE_DEPTH;
    if (w->has_too_many)
        return;
    w->bases[++w->depth] = w->first;
    w->parent = node;
}

static void read_node(struct walk *w)
{
    struct ms_gsym_inlines *in = w->in;
    size_t first_range = in->n_ranges;
    if (!read_ranges(w)) {
        if (!w->c.bad)
            end_siblings(w);
        return;
    }
    bool has_children = ms_cursor_u8(&w->c) != 0;
    uint32_t name = ms_cursor_u32(&w->c), file = (uint32_t)ms_cursor_uleb(&w->c),
             line = (uint32_t)ms_cursor_uleb(&w->c);
    if (w->c.bad || w->out_of_memory || w->has_too_many)
        return;
    if (!w->depth && !file) { /* the function */
        in->n_ranges = first_range;
        in->entry = line;
        w->done = !has_children;
        enter(w, 0);
        return;
    }
    if (w->at_one && !w->has_address) {
        if (has_children)
            skip_children(&w->c);
        w->done = !w->depth;
        return;
    }
    /* As LLVM counts; unless this is a later part of the function, and so maybe of the call. */
    struct ms_piece_node node = {.parent = w->parent,
                                 .call_file = file,
                                 .call_line = line,
                                 .has_start = !in->entry,
                                 .start_vm = w->first};
    w->out_of_memory |= !add_node(in, node, name);
    if (w->out_of_memory)
        return;
    uint32_t number = (uint32_t)in->n_nodes - 1;
    in->first_range[number] = (uint32_t)first_range;
    in->n_own_ranges[number] = (uint32_t)(in->n_ranges - first_range);
    w->outer_low = w->low;
    w->outer_high = w->high;
    if (has_children) {
        enter(w, number);
        return;
    }
    in->ranks[number] = w->n_whole++;
    w->done = !w->depth || w->at_one;
}

enum ms_status ms_gsym_inlines_read(struct ms_gsym_inlines *in, struct ms_bytes bytes, bool big,
                                    uint64_t low, const uint64_t *address, const char *where,
                                    uint64_t off, struct ms_error *err)
{
    struct walk w = {.in = in, .c = ms_cursor_over(bytes, big), .outer_high = UINT64_MAX};
    w.bases[0] = low;
    w.at_one = address != NULL;
    w.address = address ? *address : 0;
    enum ms_status status = ms_gsym_inlines_begin(in, low, err);
    if (status != MS_OK)
        return status;
    while (!w.done && !w.c.bad && !w.out_of_memory && !w.has_too_many)
        read_node(&w);
    if (w.has_too_many)
        return ms_fail(err, MS_E_LIMIT, where, off,
                       "inlined calls of the function at 0x%llx: more than %d deep, or %d ranges",
                       (unsigned long long)low, MS_MAX_INLINE_DEPTH, MOST_RANGES);
    if (w.c.bad)
        return ms_fail(err, MS_E_FORMAT, where, off,
                       "inlined calls of the function at 0x%llx cannot be read",
                       (unsigned long long)low);
    if (address)
        in->spans[0].node = (uint32_t)in->n_nodes - 1;
    return w.out_of_memory || (!address && !make_spans(in, low)) ? ms_fail_memory(err) : MS_OK;
}
