#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

/* Digits of a few numbers are small, so that counting them takes no longer than sorting them. */
enum { SMALL_DIGIT = 7, LARGE_DIGIT = 11, FEW = 24, MANY = 2048 };

/*
 * Items are of one word, or of two of which the first is the key: `words` is a constant wherever
 * these are called, and the compiler makes one function of each.
 */
static inline void move(uint64_t *to, const uint64_t *from, unsigned words)
{
    for (unsigned k = 0; k < words; k++)
        to[k] = from[k];
}

static inline void insertion_sort(uint64_t *items, size_t n, unsigned words)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t item[2];
        size_t at = i;
        move(item, items + i * words, words);
        for (; at && items[(at - 1) * words] > item[0]; at--)
            move(items + at * words, items + (at - 1) * words, words);
        move(items + at * words, item, words);
    }
}

/* One pass of a radix sort: stable, by one digit. */
static inline void by_digit(const uint64_t *from, uint64_t *to, size_t n, unsigned words,
                            uint64_t least, unsigned shift, unsigned digit)
{
    uint32_t starts[1 << LARGE_DIGIT];
    const uint64_t mask = ((uint64_t)1 << digit) - 1;
    uint32_t sum = 0;
    memset(starts, 0, sizeof *starts << digit);
    for (size_t i = 0; i < n; i++)
        starts[(from[i * words] - least) >> shift & mask]++;
    for (size_t d = 0; d <= mask; d++) {
        uint32_t count = starts[d];
        starts[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        move(to + (size_t)starts[(from[i * words] - least) >> shift & mask]++ * words,
             from + i * words, words);
}

static inline void sort(uint64_t *items, uint64_t *scratch, size_t n, unsigned words)
{
    uint64_t least = UINT64_MAX, most = 0, all = 0;
    uint64_t *from = items, *to = scratch;
    unsigned digit = n < MANY ? SMALL_DIGIT : LARGE_DIGIT, shift = 0;
    bool ascending = true;
    if (n <= FEW) {
        insertion_sort(items, n, words);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t key = items[i * words];
        least = key < least ? key : least;
        most = key > most ? key : most;
        all |= key ^ items[0];
        ascending &= !i || items[(i - 1) * words] <= key;
    }
    if (ascending)
        return;
    while (!(all >> shift & 1)) /* the lowest bits, in which all are the same */
        shift++;
    /* With those bits alike no number is nearer to the least than the next multiple. */
    for (; shift < 64 && (most - least) >> shift; shift += digit) {
        by_digit(from, to, n, words, least, shift, digit);
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, n * words * sizeof *items);
}

void ms_sort_u64(uint64_t *items, uint64_t *scratch, size_t n)
{
    sort(items, scratch, n, 1);
}

void ms_sort_keyed(struct ms_keyed *items, struct ms_keyed *scratch, size_t n)
{
    sort(&items->key, &scratch->key, n, 2);
}

size_t ms_unique_u64(uint64_t *items, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!kept || items[kept - 1] != items[i])
            items[kept++] = items[i];
    return kept;
}
