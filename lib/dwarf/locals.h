/**
 * dwarf/locals.h: the parameters and variables of a function, out of the DIEs below its own.
 */
#ifndef MS_DWARF_LOCALS_H
#define MS_DWARF_LOCALS_H

#include "base/arena.h"
#include "dwarf/types.h"
#include "machsym/dwarf.h"

enum { MS_MAX_LOCALS = 4096 /* of one function; real: 200 */ };

/** What a request may cost. */
struct ms_locals_budget {
    uint64_t dies;   /* that may still be passed by */
    uint64_t ranges; /* entries of range lists */
};

struct ms_locals_budget ms_locals_budget_for(const struct ms_dwarf *dwarf);

/**
 * Fills type, parameters and variables of *level from the function or inlined call at
 * level->die_off; a DIE that can't be read leaves them empty.
 * @param arena  gets the arrays and the names of types
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_locals_read(struct ms_types *types, uint64_t address_vm, struct ms_arena *arena,
                              struct ms_locals_budget *budget, struct ms_place_level *level,
                              struct ms_error *err);

#endif
