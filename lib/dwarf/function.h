/**
 * dwarf/function.h: what a function's DIE says of itself: names, entry, call site.
 */
#ifndef MS_DWARF_FUNCTION_H
#define MS_DWARF_FUNCTION_H

#include "dwarf/units.h"

struct ms_function {
    const char *linkage, *name; /* NULL when unknown */
    bool has_entry;
    uint64_t entry_vm;
    uint32_t call_line, call_column; /* of an inlined call; 0 = unknown */
    uint64_t call_file;
};

/** Names lately found behind a reference: a function is inlined in many places. */
enum { MS_KNOWN_NAMES = 256 };
struct ms_known_names {
    struct {
        uint64_t off; /* of the DIE referred to, in .debug_info, + 1; 0 = empty */
        const char *linkage, *name;
    } items[MS_KNOWN_NAMES];
};

/** What following references takes; a worker's own. Zeroed before its first use. */
struct ms_references {
    struct ms_opened_units opened;
    struct ms_known_names names;
};

/**
 * Reads the function or inlined call at `die_off`. Names that the DIE itself does not
 * have are looked for where DW_AT_abstract_origin and DW_AT_specification lead, in
 * whichever unit, over at most MS_MAX_ORIGIN_CHAIN steps.
 * @return a fault of the DIE itself; a reference that leads nowhere only leaves the name
 *         unknown
 */
enum ms_status ms_function_read(struct ms_dwarf *dwarf, struct ms_references *references,
                                const struct ms_unit *unit, uint64_t die_off,
                                struct ms_function *out, struct ms_error *err);

#endif
