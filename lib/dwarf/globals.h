/**
 * dwarf/globals.h: the variables of a unit that stand at fixed addresses, and the functions that
 * clang makes to initialise one each.
 */
#ifndef MS_DWARF_GLOBALS_H
#define MS_DWARF_GLOBALS_H

#include "dwarf/line.h"
#include "dwarf/units.h"

enum { MS_MAX_GLOBALS = 1 << 20 /* of one unit; real: 20,000 */ };

struct ms_global {
    uint64_t vm;
    uint64_t die_off; /* in .debug_info */
    const char *linkage, *name;
    bool is_member;           /* defined outside of its class, so that `declared` is another line */
    struct ms_frame declared; /* comp_dir, dir, file and line, as far as they are known */
};

/** A function __cxx_global_var_init with code of its own. */
struct ms_global_init {
    uint64_t low, high;
};

struct ms_globals {
    struct ms_global *items; /* ascending addresses; one an address, the first that has it */
    size_t n, room;
    struct ms_global_init *inits; /* ascending */
    size_t n_inits, inits_room;
};

/** True for a name like "__cxx_global_var_init.12". */
bool ms_is_global_init(const char *name);

/**
 * Fills *out, which is zeroed or was filled before, from the unit. What stands before a fault in
 * it is kept.
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_globals_read(struct ms_dwarf *dwarf, const struct ms_unit *unit,
                               struct ms_globals *out, struct ms_error *err);
void ms_globals_fini(struct ms_globals *globals);

/** The variable at exactly that address, NULL. */
const struct ms_global *ms_globals_find(const struct ms_globals *globals, uint64_t vm);
const struct ms_global_init *ms_globals_find_init(const struct ms_globals *globals, uint64_t vm);

#endif
