/*
 * common/llvm_verify.h: LLVM's DWARF verifier over one slice, in the helper program that holds
 * LLVM: machsym verify --dwarf, and machsym dwarf --verify.
 */
#ifndef MACHSYM_CLI_LLVM_VERIFY_H
#define MACHSYM_CLI_LLVM_VERIFY_H

#include "common/program.h"
#include "machsym/image.h"

/*
 * Runs it, and hands its report to `take`; NULL: nothing is said but why it can't run. `arch` is
 * for messages, `file_bytes` the size of the file, from which the limits of time and memory follow.
 * Of a static archive `inside` says where the member is; NULL: the slice of that UUID. Returns
 * EXIT_DONE with *clean set, or an exit status after having complained.
 */
int llvm_verify(const char *path, const char *arch, const struct ms_uuid *uuid,
                const struct ms_image_inside *inside, uint64_t file_bytes, helper_text *take,
                void *to, bool *clean);

#endif
