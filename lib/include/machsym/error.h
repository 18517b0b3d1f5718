/**
 * machsym/error.h: turning a struct ms_error into the line that a person reads.
 */
#ifndef MACHSYM_ERROR_H
#define MACHSYM_ERROR_H

#include "machsym/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Room that any described error fits in. */
#define MS_ERROR_LINE 640

/**
 * Writes "WHERE at 0xOFFSET: TEXT: STRERROR", leaving out what is unknown. Control
 * bytes of untrusted names come out as '?', so a file name cannot forge a second line.
 * @return out
 */
const char *ms_error_describe(const struct ms_error *error, char out[MS_ERROR_LINE]);

#ifdef __cplusplus
}
#endif
#endif
