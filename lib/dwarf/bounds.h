/**
 * dwarf/bounds.h: addresses at which something changes.
 */
#ifndef MS_DWARF_BOUNDS_H
#define MS_DWARF_BOUNDS_H

#include "dwarf/ranges.h"

/** Ascending, and each once, when sorted. Zeroed is empty. */
struct ms_bounds {
    uint64_t *items;
    size_t n, room;
    uint64_t *scratch; /* of their sorting */
    size_t scratch_room;
};
void ms_bounds_fini(struct ms_bounds *bounds);

/** False without memory. */
bool ms_bounds_add(struct ms_bounds *bounds, uint64_t address);
/** How far a range is believed changes where code sections start and end: adds those places
 *  between low and high. False without memory. */
bool ms_bounds_add_code(struct ms_bounds *bounds, const struct ms_dwarf *dwarf, uint64_t low,
                        uint64_t high);
/** False without memory. */
bool ms_bounds_sort(struct ms_bounds *bounds);

#endif
