/**
 * dwarf/unit_index.h: which units claim an address, for one address after the other. The
 * batch needs no such index: it goes through the ranges once.
 */
#ifndef MS_DWARF_UNIT_INDEX_H
#define MS_DWARF_UNIT_INDEX_H

#include "dwarf/cover.h"
#include "dwarf/spans.h"

/** Ranges of units by address; `off` of each is the unit's, in .debug_info. */
struct ms_unit_index {
    struct ms_range_seen *ranges; /* by low, then as found */
    size_t n, room;
    uint64_t *top; /* highest `high` up to and with each; NULL when no two overlap */
    bool built;
    size_t max;             /* ranges that may be held … */
    bool too_large;         /* … and whether there were more: then it is of no use */
    struct ms_error broken; /* the first unit that couldn't be asked; MS_OK = none */
};

/** Fills the index from .debug_aranges, with at most `max_bytes` of ranges. */
enum ms_status ms_unit_index_from_aranges(struct ms_unit_index *index, struct ms_dwarf *dwarf,
                                          size_t max_bytes, struct ms_error *err);
/** Fills it from what all units say of themselves. */
enum ms_status ms_unit_index_from_units(struct ms_unit_index *index, struct ms_lookup *lookup,
                                        size_t max_bytes, struct ms_error *err);
void ms_unit_index_fini(struct ms_unit_index *index);
size_t ms_unit_index_bytes(const struct ms_unit_index *index);

/** Offsets of the units that claim the address, ascending, each once: at most
 *  MS_MAX_CANDIDATES. Returns how many. */
size_t ms_unit_index_find(const struct ms_unit_index *index, const struct ms_dwarf *dwarf,
                          uint64_t address, uint64_t units[MS_MAX_CANDIDATES]);

#endif
