/**
 * dwarf/stretches.h: which addresses a unit has, by .debug_aranges and by its own word.
 */
#ifndef MS_DWARF_STRETCHES_H
#define MS_DWARF_STRETCHES_H

#include "dwarf/ranges.h"

/** Ranges of .debug_aranges, by unit and then by address. */
struct ms_named_ranges {
    struct ms_range_of_unit {
        uint64_t unit_off, low, high;
    } *items;
    size_t n, room;
};
enum ms_status ms_named_ranges_read(struct ms_named_ranges *out, struct ms_dwarf *dwarf,
                                    struct ms_error *err);
void ms_named_ranges_fini(struct ms_named_ranges *named);

/** Half-open; ascending and disjoint once joined. Zeroed is empty. */
struct ms_stretches {
    struct ms_dwarf_range *items;
    size_t n, room;
};
void ms_stretches_fini(struct ms_stretches *stretches);

/** Adds [low, high), as far as it is believed (enum ms_trust). False without memory. */
bool ms_stretches_add(struct ms_stretches *stretches, const struct ms_dwarf *dwarf, uint64_t low,
                      uint64_t high);
/** Adds what .debug_aranges names for the unit. False without memory. */
bool ms_stretches_add_named(struct ms_stretches *stretches, const struct ms_dwarf *dwarf,
                            const struct ms_named_ranges *named, uint64_t unit_off);
/** Sorts, and joins what overlaps or touches. */
void ms_stretches_join(struct ms_stretches *stretches);
/** The first that ends behind the address; n when none does. */
size_t ms_stretches_find(const struct ms_stretches *stretches, uint64_t address);

#endif
