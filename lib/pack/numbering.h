/**
 * pack/numbering.h: one number for each file, for the names of each function, and one place for
 * each string, of all that a spool hands out; the same ones whichever lanes the pieces came by.
 */
#ifndef MS_PACK_NUMBERING_H
#define MS_PACK_NUMBERING_H

#include "pack/bytes_out.h"
#include "pack/spool.h"

/** A string and where it goes. */
struct ms_placed {
    const char *text;
    uint32_t n; /* bytes with the NUL */
    uint32_t off;
    uint32_t first; /* of the names that begin with it: the newest, plus one; 0 = none */
};

struct ms_numbered {
    struct ms_index by_texts; /* the hash of its strings' places to `items` */
    uint32_t *items;          /* places of the strings, as many as each has; 0 = none */
    size_t n, room;           /* of places in it */
    uint32_t **by_lane;       /* the item's number by the lane's */
};

/** Zeroed is empty. */
struct ms_numbering {
    size_t n_lanes;
    struct ms_numbered files, names; /* names that are in no chain alone are in by_texts */
    uint32_t *chain; /* of names that begin with the same string, the one before, plus one */
    size_t chain_room;
    struct ms_index by_text;   /* to `strings` */
    struct ms_placed *strings; /* in the order of their places */
    size_t n_strings, strings_room;
    uint64_t string_bytes; /* the first, at place 0, is a NUL */
};

/** Where the first string goes: place 0 is "none", and before each string is its length. */
enum { MS_FIRST_PLACE = 2 };

/**
 * Numbers what the spool hands out after ms_spool_replace.
 * @param first  a string that goes to MS_FIRST_PLACE; may be NULL
 * @return MS_E_NOMEM; MS_E_LIMIT when strings pass 4 GB
 */
enum ms_status ms_numbering_make(const struct ms_spool *spool, const char *first,
                                 struct ms_numbering *out, struct ms_error *err);
void ms_numbering_fini(struct ms_numbering *numbering);

#endif
