#include "dwarf/spans.h"

#include "base/array.h"

#include <stdlib.h>

/* A range with its place in the order asked for. */
struct ranked {
    struct ms_range_seen range;
    size_t rank;
};

struct maker {
    struct ranked *ranges; /* by low */
    size_t n;
    uint64_t *points; /* all lows and highs, ascending */
    size_t n_points;
    size_t *heap; /* ranges that have begun; the one that counts on top */
    size_t n_heap;
    struct ms_span *spans;
    size_t n_spans, room;
};

static int by_low(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->range.low != y->range.low)
        return x->range.low < y->range.low ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static uint64_t size_of(const struct ms_range_seen *range)
{
    return range->high - range->low;
}

static bool counts_before(const struct maker *m, size_t a, size_t b)
{
    uint64_t x = size_of(&m->ranges[a].range), y = size_of(&m->ranges[b].range);
    return x != y ? x < y : m->ranges[a].rank < m->ranges[b].rank;
}

static void swap(size_t *a, size_t *b)
{
    size_t t = *a;
    *a = *b;
    *b = t;
}

static void heap_push(struct maker *m, size_t range)
{
    size_t at = m->n_heap++;
    m->heap[at] = range;
    while (at && counts_before(m, m->heap[at], m->heap[(at - 1) / 2])) {
        swap(&m->heap[at], &m->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void heap_pop(struct maker *m)
{
    size_t at = 0;
    m->heap[0] = m->heap[--m->n_heap];
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < m->n_heap && counts_before(m, m->heap[child + 1], m->heap[child]))
            child++;
        if (child >= m->n_heap || !counts_before(m, m->heap[child], m->heap[at]))
            return;
        swap(&m->heap[child], &m->heap[at]);
        at = child;
    }
}

static bool push_span(struct maker *m, uint64_t low, uint64_t high,
                      const struct ms_range_seen *range)
{
    struct ms_span *last = m->n_spans ? &m->spans[m->n_spans - 1] : NULL;
    if (last && last->high == low && last->off == range->off && last->size == size_of(range)) {
        last->high = high;
        return true;
    }
    struct ms_span span = {low, high, size_of(range), range->off};
    return MS_PUSH(m->spans, m->n_spans, m->room, span);
}

static bool prepare(struct maker *m, const struct ms_range_seen *seen, size_t n)
{
    if (n > SIZE_MAX / 2 / sizeof *m->ranges)
        return false;
    m->ranges = malloc(n * sizeof *m->ranges);
    m->points = malloc(2 * n * sizeof *m->points);
    m->heap = malloc(n * sizeof *m->heap);
    if (!m->ranges || !m->points || !m->heap)
        return false;
    m->n = n;
    for (size_t i = 0; i < n; i++) {
        m->ranges[i] = (struct ranked){seen[i], i};
        m->points[m->n_points++] = seen[i].low;
        m->points[m->n_points++] = seen[i].high;
    }
    qsort(m->ranges, n, sizeof *m->ranges, by_low);
    qsort(m->points, m->n_points, sizeof *m->points, by_value);
    return true;
}

/* From point to point; between two of them the same range counts all along. */
static bool sweep(struct maker *m)
{
    size_t next = 0;
    for (size_t i = 0; i + 1 < m->n_points; i++) {
        uint64_t at = m->points[i];
        if (at == m->points[i + 1])
            continue;
        while (next < m->n && m->ranges[next].range.low <= at)
            heap_push(m, next++);
        while (m->n_heap && m->ranges[m->heap[0]].range.high <= at)
            heap_pop(m);
        if (m->n_heap && !push_span(m, at, m->points[i + 1], &m->ranges[m->heap[0]].range))
            return false;
    }
    return true;
}

enum ms_status ms_spans_build(const struct ms_range_seen *seen, size_t n, struct ms_span **out,
                              size_t *n_out, struct ms_error *err)
{
    struct maker m = {0};
    *out = NULL;
    *n_out = 0;
    if (!n)
        return MS_OK;
    bool made = prepare(&m, seen, n) && sweep(&m);
    free(m.ranges);
    free(m.points);
    free(m.heap);
    if (!made) {
        free(m.spans);
        return ms_fail_memory(err);
    }
    *out = m.spans;
    *n_out = m.n_spans;
    return MS_OK;
}

const struct ms_span *ms_spans_find(const struct ms_span *spans, size_t n, uint64_t address)
{
    size_t low = 0, end = n;
    while (n) { /* the first span that ends behind the address */
        size_t half = n / 2;
        if (spans[low + half].high <= address) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low < end && spans[low].low <= address ? &spans[low] : NULL;
}
