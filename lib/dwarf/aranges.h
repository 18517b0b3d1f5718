/**
 * dwarf/aranges.h: .debug_aranges, which says which unit an address belongs to without a
 * look at the unit. It is advice: sets may be missing, incomplete or wrong, so the units
 * have the last word.
 * Source: DWARF 5 §6.1.2.
 */
#ifndef MS_DWARF_ARANGES_H
#define MS_DWARF_ARANGES_H

#include "base/cursor.h"
#include "base/error.h"

struct ms_dwarf;

/** Goes through all ranges of all sets. */
struct ms_aranges {
    struct ms_cursor sets, set; /* the section; the rest of the current set */
    uint64_t unit_off;          /* of the current set, in .debug_info */
    uint8_t address_size;
    const struct ms_dwarf *dwarf;
    uint64_t set_off;      /* of the current set, in its section */
    struct ms_error *err;  /* gets the first fault; may be NULL */
    enum ms_status status; /* of that */
};

void ms_aranges_start(struct ms_aranges *aranges, const struct ms_dwarf *dwarf,
                      struct ms_error *err);

/**
 * The next range that isn't empty, of whichever set. A broken set is passed over if its
 * length can be believed.
 * @return false at the end
 */
bool ms_aranges_next(struct ms_aranges *aranges, uint64_t *low, uint64_t *high);

/** The next set, with its ranges unread; false at the end. */
bool ms_aranges_next_set(struct ms_aranges *aranges);

#endif
