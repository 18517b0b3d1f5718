/**
 * dwarf/loclists.h: lists of where a variable is, by ranges of addresses: .debug_loc (DWARF 2
 * to 4) and .debug_loclists (DWARF 5).
 * Source: DWARF 4 §2.6.2, DWARF 5 §2.6.2, §7.29.
 */
#ifndef MS_DWARF_LOCLISTS_H
#define MS_DWARF_LOCLISTS_H

#include "dwarf/unit.h"

struct ms_loclist {
    const struct ms_unit *unit;
    struct ms_cursor list; /* over the section */
    uint64_t base;
    uint64_t off; /* where it starts */
    bool is_5, over;
    const char *fault; /* what was wrong; NULL = nothing */
};

struct ms_loclist_entry {
    bool is_default;    /* for all addresses that no other entry has */
    uint64_t low, high; /* half-open */
    struct ms_bytes expression;
};

/**
 * Starts on the list of a location attribute.
 * @param section  .debug_loc or .debug_loclists, as the unit's version asks for
 * @param base5    DW_AT_loclists_base of the unit; 0 for none
 * @return false when the value leads outside
 */
bool ms_loclist_start(struct ms_loclist *list, const struct ms_unit *unit, struct ms_bytes section,
                      uint64_t base5, const struct ms_value *value);
/** The next entry that has an expression. False at the end, which a fault also is. */
bool ms_loclist_next(struct ms_loclist *list, struct ms_loclist_entry *out);

#endif
