/**
 * dwarf/hints.h: the functions of a few addresses of a large unit, found by their names instead of
 * by a pass over all of it.
 *
 * A symbol table, which the engine knows nothing of, says where the function of an address starts
 * and what it is called; a table of the debug information (__apple_names, .debug_names) says which
 * DIEs have that name; the passes of lookup.h then go through these DIEs alone. Whatever isn't
 * certain on the way leaves the unit to the whole pass.
 */
#ifndef MS_DWARF_HINTS_H
#define MS_DWARF_HINTS_H

#include "dwarf/apple_names.h"
#include "dwarf/debug_names.h"
#include "dwarf/lookup.h"

/** The tables of one image. Zeroed is empty. */
struct ms_name_tables {
    struct ms_apple_names apple;
    struct ms_debug_names names;
    bool has_apple, has_names;
};

/**
 * Checks what tables there are; a damaged one counts as none.
 * @return MS_OK when one is of use; MS_ABSENT; MS_E_NOMEM
 */
enum ms_status ms_name_tables_open(const struct ms_dwarf *dwarf, struct ms_name_tables *out,
                                   struct ms_error *err);
void ms_name_tables_close(struct ms_name_tables *tables);

/** Bytes of DIEs that are passed by in the time that one address takes by its name: the price at
 *  which names are asked for. */
enum { MS_HINT_BYTES = 3000 };

/** What is known of the addresses that a unit is asked for. */
struct ms_hints {
    const struct ms_name_tables *tables;
    const struct ms_dwarf_hint *const *items; /* one an address */
    const char *const *names;                 /* that the items count in */
};

/**
 * Does what ms_lookup_functions does for all of a unit, by way of names, after ms_lookup_start.
 * @param done  gets false when an address is left without a function that is certain: then
 *              ms_lookup_start must be called anew
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_hints_functions(struct ms_lookup *lookup, const struct ms_hints *hints,
                                  bool *done, struct ms_error *err);

#endif
