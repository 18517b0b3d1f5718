/**
 * dwarf/apple_names.h: __apple_names, the table of a dSYM up to DWARF 4 that leads from the name
 * of a function or variable to its DIEs.
 * Source: https://llvm.org/docs/SourceLevelDebugging.html#name-accelerator-tables
 */
#ifndef MS_DWARF_APPLE_NAMES_H
#define MS_DWARF_APPLE_NAMES_H

#include "base/error.h"
#include "dwarf/named.h"

/** A table whose header was checked. */
struct ms_apple_names {
    struct ms_bytes section;
    struct ms_bytes strings; /* .debug_str, which ends in a NUL */
    bool big;
    uint32_t n_buckets, n_hashes;
    uint64_t buckets_off, hashes_off, lists_off; /* of the three arrays */
    unsigned atoms_bytes;                        /* what is said of one DIE … */
    unsigned die_at, die_size;                   /* … and where its offset is in that */
};

/**
 * Checks the header; touches nothing else.
 * @param where  the image, for messages
 * @return MS_ABSENT without a section; MS_E_FORMAT; MS_E_UNSUPPORTED
 */
enum ms_status ms_apple_names_open(struct ms_bytes section, struct ms_bytes strings, bool big,
                                   const char *where, struct ms_apple_names *out,
                                   struct ms_error *err);

/**
 * Hands on the DIEs of a name.
 * @return false when they may not be all: the table is damaged, the budget used up, or `take`
 *         ended the search
 */
bool ms_apple_names_find(const struct ms_apple_names *table, const struct ms_named *named);

#endif
