/* Overlapping ranges made disjoint, against counting by hand. */
#include "dwarf/spans.h"

#include <criterion/criterion.h>
#include <stdlib.h>

static const struct ms_range_seen *by_hand(const struct ms_range_seen *seen, size_t n,
                                           uint64_t address)
{
    const struct ms_range_seen *best = NULL;
    for (size_t i = 0; i < n; i++) {
        if (address < seen[i].low || address >= seen[i].high)
            continue;
        if (!best || seen[i].high - seen[i].low < best->high - best->low)
            best = &seen[i];
    }
    return best;
}

Test(dwarf_spans, agree_with_counting_by_hand)
{
    unsigned random = 1;
    for (int round = 0; round < 300; round++) {
        struct ms_range_seen seen[24];
        struct ms_span *spans;
        size_t n = (size_t)round % 24 + 1, n_spans;
        for (size_t i = 0; i < n; i++) {
            random = random * 1103515245 + 12345;
            uint64_t low = (random >> 8) % 60, size = (random >> 20) % 20 + 1;
            seen[i] = (struct ms_range_seen){low, low + size, i};
        }
        cr_assert_eq(ms_spans_build(seen, n, &spans, &n_spans, NULL), MS_OK);
        for (size_t i = 1; i < n_spans; i++)
            cr_assert_leq(spans[i - 1].high, spans[i].low);
        for (uint64_t address = 0; address < 90; address++) {
            const struct ms_range_seen *hand = by_hand(seen, n, address);
            const struct ms_span *span = ms_spans_find(spans, n_spans, address);
            cr_assert_eq(hand != NULL, span != NULL);
            if (hand) {
                cr_assert_eq(span->off, hand->off);
                cr_assert_eq(span->size, hand->high - hand->low);
            }
        }
        free(spans);
    }
}

Test(dwarf_spans, none)
{
    struct ms_span *spans;
    size_t n;
    cr_assert_eq(ms_spans_build(NULL, 0, &spans, &n, NULL), MS_OK);
    cr_assert_null(spans);
    cr_assert_null(ms_spans_find(spans, n, 0));
}

Test(dwarf_spans, the_highest_address)
{
    struct ms_range_seen seen[] = {{0, UINT64_MAX, 1}, {UINT64_MAX - 1, UINT64_MAX, 2}};
    struct ms_span *spans;
    size_t n;
    cr_assert_eq(ms_spans_build(seen, 2, &spans, &n, NULL), MS_OK);
    cr_assert_eq(ms_spans_find(spans, n, UINT64_MAX - 1)->off, 2);
    cr_assert_eq(ms_spans_find(spans, n, UINT64_MAX - 2)->off, 1);
    cr_assert_null(ms_spans_find(spans, n, UINT64_MAX));
    free(spans);
}
