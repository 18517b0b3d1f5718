/**
 * pack/msym.h: reading a ready index; see msym_format.h. Borrows the bytes and touches those that
 * an answer needs, whose checksums it tests first.
 */
#ifndef MS_PACK_MSYM_H
#define MS_PACK_MSYM_H

#include "base/error.h"
#include "pack/piece.h"
#include "pack/ready.h"

struct ms_msym;

/**
 * Reads the header.
 * @param where  for messages: "App.msym (arm64) __msym"; borrowed
 * @return MS_E_FORMAT; MS_E_UNSUPPORTED (a later version); MS_E_NOMEM
 */
enum ms_status ms_msym_open(struct ms_bytes bytes, const char *where, struct ms_msym **out,
                            struct ms_error *err);
void ms_msym_close(struct ms_msym *msym); /* takes NULL */

/** True for an index, as far as its header can be believed, out of which nothing was left. */
bool ms_msym_is_whole(struct ms_bytes bytes);

/** File name of the image that the index is of, out of the file; NULL when it can't be read. */
const char *ms_msym_name(struct ms_bytes bytes);

/** What the header says. */
struct ms_msym_head {
    uint64_t base_vm, n_records;
    uint64_t n_functions; /* and stretches of code without one, of which lines are known */
    size_t n_blocks;
    bool partial, broken, lost; /* MSYM_PARTIAL, MSYM_BROKEN, MSYM_LOST */
};
void ms_msym_head(const struct ms_msym *msym, struct ms_msym_head *out);

/**
 * What is known of an address. Strings are borrowed from the file.
 * @return MS_ABSENT: nothing, or no more than out->damaged; MS_E_FORMAT: what has it is damaged;
 *         MS_E_NOMEM
 */
enum ms_status ms_msym_find(struct ms_msym *msym, uint64_t address_vm, struct ms_ready_answer *out,
                            struct ms_error *err);

/** Gets each record as the piece that it was made of; false stops. */
typedef bool (*ms_msym_taker)(void *owner, const struct ms_piece *piece);
/** Reads all of it, every checksum and every record. `take` may be NULL. */
enum ms_status ms_msym_check(struct ms_msym *msym, ms_msym_taker take, void *owner,
                             struct ms_error *err);

#endif
