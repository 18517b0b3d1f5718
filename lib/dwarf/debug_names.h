/**
 * dwarf/debug_names.h: .debug_names, the table of DWARF 5 that leads from names to DIEs.
 * Source: DWARF 5 §6.1.1, §7.19.
 */
#ifndef MS_DWARF_DEBUG_NAMES_H
#define MS_DWARF_DEBUG_NAMES_H

#include "base/error.h"
#include "dwarf/form.h"
#include "dwarf/named.h"

/** How the entries of one abbreviation look. */
struct ms_names_abbrev {
    uint64_t code;
    uint32_t first, n; /* its attributes */
    uint16_t tag;
};

struct ms_names_attribute {
    uint16_t index; /* DW_IDX_* */
    uint8_t form;   /* normalised */
    int64_t implicit;
};

/** One name index: a linker makes one of all, compilers one a unit. */
struct ms_names_index {
    struct ms_bytes bytes; /* behind its length */
    struct ms_encoding encoding;
    uint32_t n_units, n_buckets, n_names;
    uint64_t units_off, buckets_off, hashes_off, strings_off, entries_off; /* of the arrays */
    uint64_t pool_off;               /* what the last one's offsets count from */
    struct ms_names_abbrev *abbrevs; /* ascending */
    size_t n_abbrevs, abbrevs_room;
    struct ms_names_attribute *attributes;
    size_t n_attributes, attributes_room;
};

/** Zeroed is empty. */
struct ms_debug_names {
    struct ms_names_index *items;
    size_t n, room;
    struct ms_bytes strings; /* .debug_str, which ends in a NUL */
};

/**
 * Checks all headers, and reads the abbreviations.
 * @param where  the image, for messages
 * @return MS_ABSENT without a section; MS_E_FORMAT; MS_E_UNSUPPORTED, also for an index without
 *         hashes; MS_E_LIMIT; MS_E_NOMEM. *out is to be closed in any case
 */
enum ms_status ms_debug_names_open(struct ms_bytes section, struct ms_bytes strings, bool big,
                                   const char *where, struct ms_debug_names *out,
                                   struct ms_error *err);
void ms_debug_names_close(struct ms_debug_names *table);

/**
 * Hands on the subprograms of a name: no other DIEs.
 * @return false when they may not be all: the table is damaged, the budget used up, the name isn't
 *         ASCII, or `take` ended the search
 */
bool ms_debug_names_find(const struct ms_debug_names *table, const struct ms_named *named);

#endif
