/**
 * dwarf/lookup.h: a worker that answers a sorted batch of addresses from one unit: the
 * pass over its DIEs, the pass over its line program, and the frames made of both. It
 * holds all memory that the passes need and takes it along from unit to unit; two
 * workers share nothing but the reader.
 */
#ifndef MS_DWARF_LOOKUP_H
#define MS_DWARF_LOOKUP_H

#include "dwarf/answers.h"
#include "dwarf/function.h"
#include "dwarf/line_scan.h"
#include "dwarf/scan.h"

/** What a whole request may cost; each is far above what an honest file needs. */
struct ms_budget {
    uint64_t info_bytes; /* of .debug_info passed over */
    uint64_t line_bytes; /* of .debug_line */
    uint64_t ranges;     /* entries of range lists */
    uint64_t claims;     /* addresses in functions and inlined calls */
    uint64_t rows;       /* addresses in sequences */
    uint64_t frames;
};

/** Budgets for a request of n addresses. */
struct ms_budget ms_budget_for(const struct ms_dwarf *dwarf, size_t n);

struct ms_hints;

struct ms_lookup {
    struct ms_dwarf *dwarf;
    struct ms_budget budget;
    struct ms_scan scan;
    struct ms_references references;
    struct ms_line_header line_header;
    struct ms_line_machine machine;
    struct ms_line_files files;
    bool has_lines; /* line_header and files are the unit's */
    bool passed;    /* all of the unit's DIEs were */
    const struct ms_unit *unit;
    struct ms_row_hit *hits, *pending; /* one an address */
    size_t rows_room;
    struct ms_function *functions; /* of the nodes that were needed */
    size_t n_functions, functions_room;
    uint64_t *dies; /* functions that were found by their names: see hints.h */
    size_t n_dies, dies_room;
    size_t n_named, n_unnamed; /* units where names led to all functions, and where not */
    struct ms_error error; /* the unit's first fault; MS_OK = none */
    size_t worker;         /* whose memory frames are made in: see ms_answers_frames */
};

/** Zeroes it. `dwarf` is borrowed. */
void ms_lookup_init(struct ms_lookup *lookup, struct ms_dwarf *dwarf, size_t n);
void ms_lookup_fini(struct ms_lookup *lookup);

/**
 * Runs both passes for the addresses, ascending and without duplicates. A fault of the
 * unit goes to lookup->error, with what could be read before it.
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_lookup_run(struct ms_lookup *lookup, const struct ms_unit *unit,
                             const uint64_t *addresses, size_t n, struct ms_error *err);
/** The same, by way of what is known of the addresses as far as that leads; NULL: nothing is. */
enum ms_status ms_lookup_run_hinted(struct ms_lookup *lookup, const struct ms_unit *unit,
                                    const uint64_t *addresses, size_t n,
                                    const struct ms_hints *hints, struct ms_error *err);

/** Tells whoever wants to know that the unit's DIEs and lines were gone through. */
void ms_lookup_meter(const struct ms_lookup *lookup, const struct ms_unit *unit);
/** The same of a byte that was looked at: the system maps some pages around it, too. */
void ms_dwarf_meter_touch(const struct ms_dwarf *dwarf);

/** The two halves of ms_lookup_run, for one that has an index of functions or lines. */
enum ms_status ms_lookup_start(struct ms_lookup *lookup, const struct ms_unit *unit,
                               const uint64_t *addresses, size_t n, struct ms_error *err);
enum ms_status ms_lookup_functions(struct ms_lookup *lookup, uint64_t die_off, uint64_t only_die,
                                   struct ms_error *err);
/**
 * Runs a pass over the whole unit that hands on what it sees: COLLECT or CHECK.
 * @return the unit's fault; MS_E_NOMEM when `take` stopped it
 */
enum ms_status ms_lookup_pass(struct ms_lookup *lookup, const struct ms_unit *unit,
                              enum ms_scan_mode mode, ms_scan_taker take, void *owner,
                              struct ms_error *err);
/** Room for the rows of n addresses, none of which has one yet. False without memory. */
bool ms_lookup_make_rows(struct ms_lookup *lookup, size_t n);
/** The function of a node, read at its first use; valid until the next is. NULL without memory. */
const struct ms_function *ms_lookup_function(struct ms_lookup *lookup, uint32_t node);
/** Reads the line header and files; false when there is nothing to run. */
bool ms_lookup_open_lines(struct ms_lookup *lookup, enum ms_status *status, struct ms_error *err);

/** True when address i has a function, or a row. */
bool ms_lookup_found(const struct ms_lookup *lookup, size_t i);

/**
 * Makes the frames of address i, innermost first, in the memory of *out.
 * @param hit  gets all but the error's index
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_lookup_frames(struct ms_lookup *lookup, size_t i, struct ms_dwarf_answers *out,
                                struct ms_dwarf_hit *hit, struct ms_error *err);

#endif
