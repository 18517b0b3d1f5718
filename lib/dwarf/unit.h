/**
 * dwarf/unit.h: one unit of .debug_info or .debug_types: its header, its first DIE, and
 * what its values mean, which hangs on bases that the first DIE gives.
 * Source: DWARF 5 §3.1, §7.5.1; earlier headers DWARF 2 to 4 §7.5.1.
 */
#ifndef MS_DWARF_UNIT_H
#define MS_DWARF_UNIT_H

#include "dwarf/abbrev.h"
#include "dwarf/dwarf.h"

struct ms_dwarf;

/** A unit's header, checked. Offsets are in its section unless said otherwise. */
struct ms_unit_header {
    uint64_t off;
    uint64_t end;  /* of the unit; 0 when even the length is wrong */
    uint32_t root; /* of the first DIE, from `off` */
    struct ms_encoding encoding;
    uint8_t type;  /* DW_UT_*; before DWARF 5 compile, or type in .debug_types */
    bool in_types; /* .debug_types, not .debug_info */
    uint64_t abbrevs_off;
    uint64_t signature; /* of a type unit */
    uint64_t type_off;  /* of its type's DIE, from `off` */
};

struct ms_unit {
    const struct ms_dwarf *dwarf;
    struct ms_unit_header header;
    struct ms_encoding encoding; /* = header.encoding, near what the pass reads */
    struct ms_bytes bytes;       /* header and DIEs: offsets of DIEs count from here */
    const struct ms_abbrevs *abbrevs;
    /* of the first DIE */
    uint16_t tag;
    bool has_children, has_lines;
    uint64_t lines_off; /* in .debug_line */
    uint64_t addr_base, str_offsets_base, rnglists_base;
    uint64_t low;                  /* what the unit's range lists count from */
    struct ms_value pcs[MS_N_PCS]; /* where its code is, as it stands */
    const char *comp_dir;          /* or NULL */
};

/**
 * Reads and checks the header at `off`. Even when it fails `out->end` leads on to the
 * next unit if the length could be believed.
 * @return MS_E_FORMAT, MS_E_UNSUPPORTED (a version that isn't 2 to 5)
 */
enum ms_status ms_unit_header_read(const struct ms_dwarf *dwarf, bool in_types, uint64_t off,
                                   struct ms_unit_header *out, struct ms_error *err);

/** Finds the abbreviations of a unit and reads its first DIE. Borrows from the reader. */
enum ms_status ms_unit_open(struct ms_dwarf *dwarf, const struct ms_unit_header *header,
                            struct ms_unit *out, struct ms_error *err);

/** An error of a unit's DIEs; `die_off` counts from the unit's start. */
enum ms_status ms_unit_fail(const struct ms_unit *unit, struct ms_error *err, enum ms_status status,
                            uint64_t die_off, const char *format, ...) MS_PRINTF(5, 6);

/** True for units that can hold code: type units and split skeletons' likes are not. */
bool ms_unit_may_have_code(const struct ms_unit *unit);

/* ---- one DIE, attribute by attribute --------------------------------------------------- */

struct ms_die {
    const struct ms_unit *unit;
    const struct ms_abbrev *abbrev;
    struct ms_cursor specs, values;
};

/** The DIE at `off` in the unit; false when there is none, or of an unknown code. */
bool ms_die_open(const struct ms_unit *unit, uint64_t off, struct ms_die *out);
/** The next attribute; false at the end, or at a fault (values.bad or specs.bad). */
bool ms_die_next(struct ms_die *die, uint64_t *attribute, struct ms_value *out);

/* ---- what a value means ---------------------------------------------------------------- */

/** The string; NULL when the value is no string or lies outside its section. */
const char *ms_unit_string(const struct ms_unit *unit, const struct ms_value *value);

/** An address, directly or by index; false when the value is none. */
bool ms_unit_address(const struct ms_unit *unit, const struct ms_value *value, uint64_t *out);
/** Entry `index` of the unit's part of .debug_addr. */
bool ms_unit_address_at(const struct ms_unit *unit, uint64_t index, uint64_t *out);

/**
 * The half-open range of DW_AT_low_pc and DW_AT_high_pc, whether that is an address or a
 * length; false when there is none or it is empty.
 */
bool ms_unit_low_high(const struct ms_unit *unit, const struct ms_value pcs[MS_N_PCS],
                      uint64_t *low, uint64_t *high);

/**
 * Runs a program over the DIE whose code ends at `at`.
 * @param parts  gets what the program takes, as many as it can; `form` 0 for the others.
 *               MS_N_PCS or MS_N_PARTS of them
 * @return where the program ended; past the unit's end when the DIE runs out of it
 */
size_t ms_unit_take(const struct ms_unit *unit, const struct ms_step *program, size_t at,
                    struct ms_value *parts, size_t n_parts);

#endif
