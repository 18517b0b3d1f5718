/**
 * resolve/pack_build.h: all that is known of an image's code, as pieces in the order of
 * addresses: its DWARF, unit by unit on several threads, and between that its symbols. At every
 * address they say what ms_image_find_many says.
 */
#ifndef MS_RESOLVE_PACK_BUILD_H
#define MS_RESOLVE_PACK_BUILD_H

#include "pack/spool.h"
#include "resolve/image.h"

struct ms_pack_request {
    size_t n_workers; /* threads; 0 = as many as the machine has */
    /** Only what holds one of these addresses (as linked, ascending); NULL = all. */
    const uint64_t *only;
    size_t n_only;
    bool in_parts; /* long functions in several pieces (pack/split.h) */
};

struct ms_pack_counts {
    uint64_t n_units, n_broken; /* broken: said of what could be read, all the same */
    bool lost;                  /* one of them may have had any address */
    uint64_t n_pieces;
    struct ms_error first_fault; /* status MS_OK when all is well */
};

/**
 * @param out  gets the pieces, as ms_spool_replace leaves them; their strings are the image's
 * @return MS_ABSENT when the image has no DWARF of its own; MS_E_NOMEM; MS_E_IO when a file was
 *         truncated meanwhile
 */
enum ms_status ms_pack_build(struct ms_image *image, const struct ms_pack_request *request,
                             struct ms_spool **out, struct ms_pack_counts *counts,
                             struct ms_error *err);

#endif
