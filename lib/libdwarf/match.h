/**
 * libdwarf/match.h: which DIEs have a name, found by our own pass over all units: libdwarf
 * takes some ten times as long for one.
 */
#ifndef MS_LIBDWARF_MATCH_H
#define MS_LIBDWARF_MATCH_H

#include "dwarf/dwarf.h"

/** Gets a DIE, by its offsets as struct ms_types counts them; false ends the search. */
typedef bool ms_match_taker(void *owner, uint64_t unit_off, uint64_t off);
/** Gets the first fault of a unit; false ends the search. */
typedef bool ms_match_fault(void *owner, const struct ms_error *fault);

/**
 * Hands on, in the order of the sections, the DIEs whose DW_AT_name or linkage name is one of
 * `names`, or that come from such a one: inlined calls, definitions of declarations.
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_match_names(struct ms_dwarf *dwarf, const char *const *names, size_t n_names,
                              ms_match_taker *take, ms_match_fault *fault, void *owner,
                              struct ms_error *err);

#endif
