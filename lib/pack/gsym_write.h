/**
 * pack/gsym_write.h: from pieces in the order of addresses to a GSYM file; see gsym_format.h.
 */
#ifndef MS_PACK_GSYM_WRITE_H
#define MS_PACK_GSYM_WRITE_H

#include "base/error.h"
#include "pack/piece.h"

struct ms_gsym_writer;

/**
 * @param base_vm  where the image is linked
 * @param uuid     NULL when it has none
 */
enum ms_status ms_gsym_writer_open(uint64_t base_vm, const struct ms_uuid *uuid,
                                   struct ms_gsym_writer **out, struct ms_error *err);
void ms_gsym_writer_close(struct ms_gsym_writer *writer); /* takes NULL */

/**
 * Adds a piece; each starts at or behind the end of the one before. One without a name is left
 * out, since the format can't say anything of it.
 * @return MS_E_NOMEM; MS_E_LIMIT for what passes 4 GB; MS_E_UNSUPPORTED for a piece below the
 *         base; MS_E_ARGUMENT for one before the one before
 */
enum ms_status ms_gsym_add(struct ms_gsym_writer *writer, const struct ms_piece *piece,
                           struct ms_error *err);

/** Ends the file. @return its bytes in *n, those that hold functions in *n_functions */
enum ms_status ms_gsym_finish(struct ms_gsym_writer *writer, uint64_t *n, uint64_t *n_functions,
                              struct ms_error *err);

/** Hands the finished file to `write`, part by part; false when `write` returned false. */
bool ms_gsym_give(const struct ms_gsym_writer *writer,
                  bool (*write)(void *to, const char *bytes, size_t n), void *to);

#endif
