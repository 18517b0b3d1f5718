/**
 * base/error.h: filling a struct ms_error. The function that notices a fault calls
 * ms_fail once; all others hand the status up untouched.
 */
#ifndef MS_BASE_ERROR_H
#define MS_BASE_ERROR_H

#include "machsym/error.h"

#include <stdarg.h>

#if defined(__GNUC__)
#define MS_PRINTF(a, b) __attribute__((format(printf, a, b)))
#define MS_MUST_CHECK __attribute__((warn_unused_result))
#else
#define MS_PRINTF(a, b)
#define MS_MUST_CHECK
#endif

/**
 * Records the fault in *err (which may be NULL) and returns `status`.
 * @param where  the input, e.g. "App.dSYM (arm64) __debug_line"; NULL for none
 * @param offset byte in that input, or MS_NO_OFFSET
 */
enum ms_status ms_fail(struct ms_error *err, enum ms_status status, const char *where,
                       uint64_t offset, const char *format, ...) MS_PRINTF(5, 6);

/** The same for a refused system call: MS_E_IO (MS_E_NOMEM for ENOMEM) with errno `number`. */
enum ms_status ms_fail_io(struct ms_error *err, const char *where, int number, const char *format,
                          ...) MS_PRINTF(4, 5);

/**
 * Copies a path or what else says its most at its end. Where it doesn't fit, the front is left
 * out, with "..." in its place.
 * @param room  of `out`, with the NUL
 */
void ms_text_keep_end(char *out, size_t room, const char *text);

/** Memory ran out. */
enum ms_status ms_fail_memory(struct ms_error *err);

#endif
