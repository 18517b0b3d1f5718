/**
 * dwarf/spans.h: ranges that may overlap, made into disjoint spans, each with the range
 * that counts there: the smallest, of equal ones the first.
 */
#ifndef MS_DWARF_SPANS_H
#define MS_DWARF_SPANS_H

#include "base/error.h"

/** A range of a function, or of a unit. */
struct ms_range_seen {
    uint64_t low, high;
    uint64_t off; /* of what the range belongs to: a DIE, a unit */
};

struct ms_span {
    uint64_t low, high; /* half-open */
    uint64_t size;      /* of the whole range that counts here */
    uint64_t off;       /* of its owner */
};

/**
 * @param seen  n ranges, none empty; of equal ones the first counts
 * @param out   malloc'ed, ascending by address; NULL when n is 0
 */
enum ms_status ms_spans_build(const struct ms_range_seen *seen, size_t n, struct ms_span **out,
                              size_t *n_out, struct ms_error *err);

/** The span that holds the address, or NULL. */
const struct ms_span *ms_spans_find(const struct ms_span *spans, size_t n, uint64_t address);

#endif
