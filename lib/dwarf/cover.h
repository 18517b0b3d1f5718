/**
 * dwarf/cover.h: the addresses that a unit says are its own, without .debug_aranges.
 */
#ifndef MS_DWARF_COVER_H
#define MS_DWARF_COVER_H

#include "dwarf/lookup.h"

/** Units that are asked about one address. Honest files name one, or two where code was
 *  folded. */
enum { MS_MAX_CANDIDATES = 16 };

/** Gets a unit's range; false stops (memory). */
typedef bool (*ms_cover_taker)(void *owner, const struct ms_unit *unit, uint64_t low,
                               uint64_t high);

/**
 * Hands all ranges of a unit to `take`: those of its first DIE or, when that says nothing
 * of them or its list is broken, those of all its subprograms, which takes a pass over the
 * unit. Uses lookup->scan and its budgets. A fault of the unit goes to lookup->error.
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_cover_unit(struct ms_lookup *lookup, const struct ms_unit *unit,
                             ms_cover_taker take, void *owner, struct ms_error *err);

#endif
