/**
 * base/sort.h: sorting many numbers. Linear, whatever their order: qsort's comparisons are what
 * takes the time where a million addresses are sorted.
 */
#ifndef MS_BASE_SORT_H
#define MS_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/** Sorts items ascending. @param scratch  room for n items, of no meaning before or after
 *  @param n        below 2^32 */
void ms_sort_u64(uint64_t *items, uint64_t *scratch, size_t n);

/** A number, and what it is of. */
struct ms_keyed {
    uint64_t key, value;
};

/** Sorts items by their keys, ascending; those of the same key stay in their order.
 *  @param scratch  as for ms_sort_u64
 *  @param n        below 2^32 */
void ms_sort_keyed(struct ms_keyed *items, struct ms_keyed *scratch, size_t n);

/** Drops what is there twice out of sorted items; returns how many remain. */
size_t ms_unique_u64(uint64_t *items, size_t n);

#endif
