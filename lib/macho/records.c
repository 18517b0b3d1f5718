#include "macho/records.h"

#include <stdlib.h>
#include <string.h>

enum {
    DIGIT_BITS = 11, /* 2,048 counters: 16 KB stay in the first-level cache */
    DIGITS = 1 << DIGIT_BITS,
    FEW = 64 /* below that, counting costs more than it saves */
};

static void sort_few(struct ms_record *records, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct ms_record record = records[i];
        size_t j = i;
        for (; j > 0 && records[j - 1].at > record.at; j--)
            records[j] = records[j - 1];
        records[j] = record;
    }
}

/* One pass of a least-significant-digit radix sort: stable. */
static void distribute(const struct ms_record *from, struct ms_record *to, size_t n,
                       uint64_t lowest, unsigned shift)
{
    size_t next[DIGITS] = {0};
    for (size_t i = 0; i < n; i++)
        next[(from[i].at - lowest) >> shift & (DIGITS - 1)]++;
    size_t total = 0;
    for (size_t digit = 0; digit < DIGITS; digit++) {
        size_t count = next[digit];
        next[digit] = total;
        total += count;
    }
    for (size_t i = 0; i < n; i++)
        to[next[(from[i].at - lowest) >> shift & (DIGITS - 1)]++] = from[i];
}

bool ms_records_sort(struct ms_record *records, size_t n)
{
    if (n <= FEW) {
        sort_few(records, n);
        return true;
    }
    uint64_t lowest = UINT64_MAX, highest = 0;
    bool sorted = true;
    for (size_t i = 0; i < n; i++) {
        sorted = sorted && records[i].at >= highest;
        lowest = records[i].at < lowest ? records[i].at : lowest;
        highest = records[i].at > highest ? records[i].at : highest;
    }
    if (sorted)
        return true;
    struct ms_record *copy = malloc(n * sizeof *copy);
    if (!copy)
        return false;
    struct ms_record *from = records, *to = copy;
    /* Code lies within some megabytes, so two or three passes do. */
    for (unsigned shift = 0; shift < 64 && (highest - lowest) >> shift; shift += DIGIT_BITS) {
        distribute(from, to, n, lowest, shift);
        struct ms_record *swap = from;
        from = to;
        to = swap;
    }
    if (from != records)
        memcpy(records, from, n * sizeof *records);
    free(copy);
    return true;
}
