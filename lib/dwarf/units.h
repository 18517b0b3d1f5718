/**
 * dwarf/units.h: which unit an offset of .debug_info lies in, and which type unit has a
 * signature. Both are asked only when a reference leaves its unit.
 */
#ifndef MS_DWARF_UNITS_H
#define MS_DWARF_UNITS_H

#include "dwarf/unit.h"

/** Goes through the unit headers of one section in order. */
struct ms_unit_walk {
    const struct ms_dwarf *dwarf;
    bool in_types;
    uint64_t next;
};

/**
 * The next unit. A header that can't be read is reported through the return value, and
 * the walk goes on behind that unit if its length could be believed, else it is over.
 * @return MS_ABSENT at the end
 */
enum ms_status ms_unit_walk_next(struct ms_unit_walk *walk, struct ms_unit_header *out,
                                 struct ms_error *err);

struct ms_signature {
    uint64_t signature, off;
    bool in_types;
};

/** What is known of where units start. */
struct ms_unit_map {
    /** Ascending offsets of units in .debug_info: at first those that .debug_aranges
     *  names, so that a look-up in a large file needs no walk over all headers; all of
     *  them once that has turned out not to do. */
    uint64_t *starts;
    size_t n, room;
    bool filled, complete;
    struct ms_signature *signatures; /* ascending */
    size_t n_signatures, signatures_room;
    bool has_signatures;
};

void ms_unit_map_fini(struct ms_unit_map *map);

/** The header of the unit that holds byte `off` of .debug_info. MS_ABSENT when none does. */
enum ms_status ms_unit_map_find(struct ms_dwarf *dwarf, uint64_t off, struct ms_unit_header *out,
                                struct ms_error *err);
/** The header of the type unit with that signature. MS_ABSENT when there is none. */
enum ms_status ms_unit_map_find_type(struct ms_dwarf *dwarf, uint64_t signature,
                                     struct ms_unit_header *out, struct ms_error *err);

/** Units lately referred to, opened: a worker's own. */
enum { MS_OPENED_UNITS = 16 };
struct ms_opened_units {
    struct ms_unit units[MS_OPENED_UNITS];
    unsigned n, next;
};

/**
 * Opens a unit whose header was read, and keeps it.
 * @param out  borrowed until MS_OPENED_UNITS others were asked for
 */
enum ms_status ms_opened_units_open(struct ms_dwarf *dwarf, struct ms_opened_units *opened,
                                    const struct ms_unit_header *header, const struct ms_unit **out,
                                    struct ms_error *err);

/**
 * The DIE that a reference leads to.
 * @param from   the unit the value stands in
 * @param unit   gets the unit of the DIE: `from`, or one of `opened`, which keeps it
 *               until it is asked for another MS_OPENED_UNITS times
 * @param die_off  gets its offset in that unit
 * @return MS_ABSENT when the value is no reference, or leads out of all units
 */
enum ms_status ms_unit_follow(struct ms_dwarf *dwarf, struct ms_opened_units *opened,
                              const struct ms_unit *from, const struct ms_value *value,
                              const struct ms_unit **unit, uint64_t *die_off, struct ms_error *err);

#endif
