/**
 * pack/msym_write.h: from settled pieces to a ready index; see msym_format.h.
 */
#ifndef MS_PACK_MSYM_WRITE_H
#define MS_PACK_MSYM_WRITE_H

#include "base/error.h"
#include "pack/spool.h"

struct ms_msym_choice {
    uint64_t base_vm; /* what addresses count from: where the image is linked, or below */
    const char *name; /* file name of the image; may be NULL */
    unsigned flags;   /* MSYM_PARTIAL, MSYM_BROKEN, MSYM_LOST */
    size_t n_workers; /* threads that make it; what they make is the same however many there are */
};

struct ms_msym_writer;

/**
 * Makes an index of what the spool hands out after ms_spool_replace, which it isn't asked for
 * afterwards.
 * @return MS_E_NOMEM; MS_E_LIMIT when strings pass 4 GB; MS_E_ARGUMENT for a piece below the base
 */
enum ms_status ms_msym_write(const struct ms_spool *spool, const struct ms_msym_choice *choice,
                             struct ms_msym_writer **out, struct ms_error *err);
void ms_msym_writer_close(struct ms_msym_writer *writer); /* takes NULL */

/** Bytes of the index. */
uint64_t ms_msym_bytes(const struct ms_msym_writer *writer);
/** Functions in it, and stretches of code without one, of which lines are known. */
uint64_t ms_msym_functions(const struct ms_msym_writer *writer);

/** Hands the index to `write`, part by part; false when `write` returned false. */
bool ms_msym_give(const struct ms_msym_writer *writer,
                  bool (*write)(void *to, const char *bytes, size_t n), void *to);

#endif
