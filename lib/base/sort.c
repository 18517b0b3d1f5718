#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

enum { DIGIT = 11, DIGITS = 1 << DIGIT, FEW = 48 };

static void insertion_sort(uint64_t *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t item = items[i];
        size_t at = i;
        for (; at && items[at - 1] > item; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* One pass of a radix sort: stable, by one digit. */
static void by_digit(const uint64_t *from, uint64_t *to, size_t n, uint64_t least, unsigned shift)
{
    size_t starts[DIGITS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++)
        starts[(from[i] - least) >> shift & (DIGITS - 1)]++;
    for (size_t d = 0; d < DIGITS; d++) {
        size_t count = starts[d];
        starts[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[(from[i] - least) >> shift & (DIGITS - 1)]++] = from[i];
}

void ms_sort_u64(uint64_t *items, uint64_t *scratch, size_t n)
{
    uint64_t least = UINT64_MAX, most = 0;
    uint64_t *from = items, *to = scratch;
    bool ascending = true;
    if (n <= FEW) {
        insertion_sort(items, n);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        least = items[i] < least ? items[i] : least;
        most = items[i] > most ? items[i] : most;
        ascending &= !i || items[i - 1] <= items[i];
    }
    for (unsigned shift = 0; !ascending && shift < 64 && (most - least) >> shift; shift += DIGIT) {
        by_digit(from, to, n, least, shift);
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, n * sizeof *items);
}

size_t ms_unique_u64(uint64_t *items, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || items[kept - 1] != items[i])
            items[kept++] = items[i];
    return kept;
}
