/**
 * macho/candidates.h: all that an image says, without debug information, about where its
 * functions start and what they are called: nlist, stubs and exports, as records.
 */
#ifndef MS_MACHO_CANDIDATES_H
#define MS_MACHO_CANDIDATES_H

#include "base/arena.h"
#include "base/error.h"
#include "macho/records.h"
#include "machsym/macho.h"

/*
 * A record's rank: which of several names of one address is taken, the lowest. Equal ones:
 * the last in the table, as other symbolicators choose.
 */
enum {
    MS_RANK_PRIVATE = 0x1, /* external in its object, not beyond the image */
    MS_RANK_LOCAL = 0x2,
    MS_RANK_COLD = 0x4,    /* the split-off part of another function */
    MS_RANK_ALT = 0x8,     /* an entry inside another function */
    MS_RANK_EXPORT = 0x10, /* index counts export_names; else: offset in the string table */
    MS_RANK_STUB = 0x20,   /* of the symbol that the stub calls */
    MS_RANK_NAMELESS = 0x40
};

/** A code section's addresses, half-open. */
struct ms_code_range {
    uint64_t low, high;
};

/** Of the records behind one wanted address, up to the next: all that these two can need. */
struct ms_near {
    struct ms_record last;
    uint64_t first; /* address of the lowest */
    bool any;
};

enum { MS_SECT_MAX = 255 }; /* n_sect of an nlist is one byte */

struct ms_candidates {
    const struct ms_macho *macho;
    struct ms_code_range *ranges; /* ascending, disjoint */
    size_t n_ranges;
    struct ms_code_range by_sect[MS_SECT_MAX + 1]; /* by n_sect; empty: not code */

    /* Ascending, one an address; none when some addresses alone are wanted. */
    struct ms_record *records;
    size_t n, room;
    /* Then near[i] has what stands behind wanted[i - 1], up to wanted[i]; n_wanted + 1 of them. */
    const uint64_t *wanted; /* ascending */
    size_t n_wanted;
    struct ms_near *near;
    size_t slot; /* the last one that was looked at: tables are more or less in order */

    struct ms_arena *arena; /* names of exports, which stand nowhere in one piece */
    const char **export_names;
    size_t n_exports, export_room;
    enum ms_status damage; /* of a table that is broken, told by the error; else MS_OK */
};

/**
 * Collects them. Of `wanted`, when not NULL, the n addresses are asked for: ascending, borrowed.
 * @return MS_OK also when a table is damaged: then out->damage and *err say how
 */
enum ms_status ms_candidates_read(const struct ms_macho *macho, const uint64_t *wanted, size_t n,
                                  struct ms_candidates *out, struct ms_error *err);
/** Frees all but the arena, which the caller may have taken (and set to NULL). */
void ms_candidates_fini(struct ms_candidates *candidates);

/** The code section that has an address; NULL when none does. */
const struct ms_code_range *ms_candidates_range(const struct ms_candidates *candidates,
                                                uint64_t address_vm);

/** The name of a record, NULL when it has none. Borrowed from the string table or the arena. */
const char *ms_candidate_name(const struct ms_candidates *candidates,
                              const struct ms_record *record);

#endif
