/**
 * pack/gsym.h: reading a GSYM file of version 1, of either byte order, whoever wrote it; see
 * gsym_format.h. Borrows the bytes.
 */
#ifndef MS_PACK_GSYM_H
#define MS_PACK_GSYM_H

#include "base/error.h"
#include "pack/ready.h"

struct ms_gsym;

/** True when the bytes begin as a GSYM file does. */
bool ms_gsym_has_magic(struct ms_bytes bytes);

/**
 * Reads the header and where the tables are.
 * @param where  for messages; borrowed
 * @return MS_E_FORMAT; MS_E_UNSUPPORTED (another version); MS_E_NOMEM
 */
enum ms_status ms_gsym_open(struct ms_bytes bytes, const char *where, struct ms_gsym **out,
                            struct ms_error *err);
void ms_gsym_close(struct ms_gsym *gsym); /* takes NULL */

/** What the header says. */
struct ms_gsym_head {
    uint64_t base_vm;
    /* Of the first function, and behind the last as far as that can be read; base_vm without any.
     */
    uint64_t start_vm, end_vm;
    uint64_t n_functions;
    bool has_uuid; /* of 16 bytes: others are of no Mach-O */
    struct ms_uuid uuid;
};
void ms_gsym_head(const struct ms_gsym *gsym, struct ms_gsym_head *out);

/**
 * Begins a run of look-ups with ascending addresses. A sound file's functions are read a few times
 * at most in a run; one run reads no more than that, whatever the file says.
 */
void ms_gsym_begin(struct ms_gsym *gsym);

/**
 * What is known of an address. Strings are borrowed from the file.
 * @return MS_ABSENT: nothing; MS_E_FORMAT: what has it is damaged; MS_E_LIMIT; MS_E_NOMEM
 */
enum ms_status ms_gsym_find(struct ms_gsym *gsym, uint64_t address_vm, struct ms_ready_answer *out,
                            struct ms_error *err);

/** Gets each function, its calls and lines; false stops. */
typedef bool (*ms_gsym_taker)(void *owner, const struct ms_piece *piece);
/** Reads every function; the first fault. `take` may be NULL. */
enum ms_status ms_gsym_check(struct ms_gsym *gsym, ms_gsym_taker take, void *owner,
                             struct ms_error *err);

#endif
