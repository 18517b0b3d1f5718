/**
 * pack/msym_write.h: from pieces in the order of addresses to a ready index; see msym_format.h.
 */
#ifndef MS_PACK_MSYM_WRITE_H
#define MS_PACK_MSYM_WRITE_H

#include "base/error.h"
#include "pack/piece.h"

struct ms_msym_writer;

/**
 * @param base_vm  what addresses count from: where the image is linked, or below
 * @param name     file name of the image
 */
enum ms_status ms_msym_writer_open(uint64_t base_vm, const char *name, struct ms_msym_writer **out,
                                   struct ms_error *err);
void ms_msym_writer_close(struct ms_msym_writer *writer); /* takes NULL */

/**
 * Adds a piece; each starts at or behind the end of the one before.
 * @return MS_E_NOMEM; MS_E_LIMIT when strings pass 4 GB; MS_E_ARGUMENT for a piece below the
 *         base or before the one before
 */
enum ms_status ms_msym_add(struct ms_msym_writer *writer, const struct ms_piece *piece,
                           struct ms_error *err);

/** Ends the index. @param flags  MSYM_PARTIAL, MSYM_BROKEN, MSYM_LOST. @return its bytes in *n */
enum ms_status ms_msym_finish(struct ms_msym_writer *writer, unsigned flags, uint64_t *n,
                              struct ms_error *err);

/** Hands the finished index to `write`, part by part; false when `write` returned false. */
bool ms_msym_give(const struct ms_msym_writer *writer,
                  bool (*write)(void *to, const char *bytes, size_t n), void *to);

#endif
