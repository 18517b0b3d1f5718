/**
 * macho/records.h: candidates for the name of an address, small enough that a million of them
 * can be sorted in the time it takes to read them.
 */
#ifndef MS_MACHO_RECORDS_H
#define MS_MACHO_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** 16 bytes. What `index` counts is told by the kind in `rank`; a lower rank is better. */
struct ms_record {
    uint64_t at;
    uint32_t index;
    uint32_t rank;
};

/**
 * Sorts by `at`; records of one address keep their order.
 * @return false, with the order unspecified, when there is no memory for a second copy
 */
bool ms_records_sort(struct ms_record *records, size_t n);

#endif
