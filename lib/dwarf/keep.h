/**
 * dwarf/keep.h: what ms_dwarf_find remembers of the units it was asked about: which
 * function has which addresses, and marks in the line program. Both only lead to the
 * place from which the same passes start that answer a batch, so that both give the same
 * answers.
 */
#ifndef MS_DWARF_KEEP_H
#define MS_DWARF_KEEP_H

#include "dwarf/line_index.h"
#include "dwarf/spans.h"
#include "dwarf/unit_index.h"

struct ms_kept_unit {
    struct ms_unit unit;
    struct ms_span *spans, *outside; /* by trust: ALL, OUTSIDE */
    size_t n_spans, n_outside;
    bool stream; /* its indexes would be larger than may be kept: it is gone through anew */
    bool has_lines;
    struct ms_line_header line_header; /* its unit is the one above */
    struct ms_line_files files;
    struct ms_line_index lines;
    struct ms_error error; /* the first fault; MS_OK = none. Remembered like a success */
    uint64_t used;         /* when: counts look-ups */
    size_t bytes;
};

struct ms_keep {
    struct ms_lookup lookup;
    struct ms_unit_index named, covered; /* .debug_aranges; the units' own ranges */
    bool stream;                         /* the indexes would be larger than may be kept */
    struct ms_kept_unit **units;
    size_t n_units, units_room;
    size_t bytes; /* of all kept units and indexes */
    uint64_t clock;
};

/** Makes it at the first call. NULL without memory. */
struct ms_keep *ms_keep_of(struct ms_dwarf *dwarf);
void ms_keep_close(struct ms_keep *keep); /* takes NULL */

/**
 * The unit at `unit_off`, indexed now if it isn't kept yet. Stays until ms_keep_trim.
 * @return MS_OK with a unit whose `error` may tell of a fault; MS_E_* when not even its
 *         header can be read
 */
enum ms_status ms_keep_unit(struct ms_keep *keep, uint64_t unit_off, struct ms_kept_unit **out,
                            struct ms_error *err);

/** Frees the units used longest ago until at most `bytes` are kept. */
void ms_keep_trim(struct ms_keep *keep, size_t bytes);

#endif
