/**
 * dwarf/ranges.h: the address ranges of a DIE, whichever way they are written: low and
 * high pc, a list in .debug_ranges (DWARF 3, 4), a list in .debug_rnglists (DWARF 5).
 * Source: DWARF 4 §2.17.3, DWARF 5 §2.17.3, §7.25.
 */
#ifndef MS_DWARF_RANGES_H
#define MS_DWARF_RANGES_H

#include "dwarf/unit.h"

/** A DIE's ranges, one after the other. */
struct ms_ranges {
    const struct ms_unit *unit;
    struct ms_cursor list; /* over the section */
    uint64_t base;         /* what offset pairs count from */
    uint64_t low, high;    /* the one range, when there is no list */
    uint64_t *budget;      /* entries that may still be read, over all lists; not NULL */
    enum { MS_RANGES_NONE, MS_RANGES_ONE, MS_RANGES_OLD, MS_RANGES_5 } kind;
    enum ms_status status; /* of the list so far */
    const char *what;      /* when it isn't MS_OK */
    uint64_t off;          /* in the section, where the list starts */
};

/**
 * Starts on the ranges of a DIE. DW_AT_ranges counts before low and high pc.
 * @param budget  counted down by each list entry; at 0 the list ends with MS_E_LIMIT. A
 *                list is shared by as many DIEs as a hostile file likes.
 */
void ms_ranges_start(struct ms_ranges *ranges, const struct ms_unit *unit,
                     const struct ms_value pcs[MS_N_PCS], uint64_t *budget);

/**
 * The next range that isn't empty. False at the end, which a fault of the list also is:
 * then `status` isn't MS_OK.
 */
bool ms_ranges_next(struct ms_ranges *ranges, uint64_t *low, uint64_t *high);

/** The error that `status` stands for. */
enum ms_status ms_ranges_fail(const struct ms_ranges *ranges, struct ms_error *err);

/** True when the DIE says anything about its code at all. */
static inline bool ms_pcs_known(const struct ms_value pcs[MS_N_PCS])
{
    return pcs[MS_RANGES].form || (pcs[MS_LOW].form && pcs[MS_HIGH].form);
}

/** A budget that honest files stay far below: an entry has 2 bytes at least. */
uint64_t ms_ranges_budget(const struct ms_dwarf *dwarf);

/**
 * How far a range is believed, by where it starts. Linkers leave 0 or the highest addresses
 * in debug information of code they dropped, or an offset from there, which then seems to
 * cover the first functions of the image.
 */
enum ms_trust {
    MS_TRUST_NONE,    /* dropped code */
    MS_TRUST_OUTSIDE, /* starts in no code section: can only have what lies in none either */
    MS_TRUST_ALL
};

enum ms_trust ms_dwarf_trust(const struct ms_dwarf *dwarf, uint64_t low_vm);

/** True when a range so trusted can have the address. */
bool ms_trust_allows(const struct ms_dwarf *dwarf, enum ms_trust trust, uint64_t address_vm);

#endif
