/**
 * llvm/llvm_dwarf.h: a C interface to what is used of LLVM's libDebugInfoDWARF, for which
 * llvm-c has no calls. Linked by machsym-helper-llvm alone: that library dies on one in
 * eight damaged files, so it runs in a process of its own.
 */
#ifndef MS_LLVM_LLVM_DWARF_H
#define MS_LLVM_LLVM_DWARF_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ms_llvm_verdict {
    MS_LLVM_CLEAN,     /**< no errors */
    MS_LLVM_ERRORS,    /**< errors, printed */
    MS_LLVM_UNREADABLE /**< no Mach-O, or no slice of that UUID; `message` says which */
};

/**
 * Runs `dwarfdump --verify` over the slice with this UUID and prints its report to stdout.
 * @param path     a thin or fat Mach-O
 * @param uuid     16 bytes
 * @param message  one line when the verdict is MS_LLVM_UNREADABLE; `room` bytes
 */
enum ms_llvm_verdict ms_llvm_verify(const char *path, const uint8_t *uuid, char *message,
                                    size_t room);

/** The same for the Mach-O at `off` of the file: an object, or a member of a static archive. */
enum ms_llvm_verdict ms_llvm_verify_at(const char *path, uint64_t off, uint64_t bytes,
                                       char *message, size_t room);

#ifdef __cplusplus
}
#endif
#endif
