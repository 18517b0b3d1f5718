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

/**
 * Puts '?' for every control character in a NUL-terminated text: the bytes below 0x20, DEL,
 * and both of U+0080 to U+009F in UTF-8, which some terminals obey as well. For names out of untrusted
 * files on their way to a terminal.
 */
void ms_text_make_plain(char *text);

#ifdef __cplusplus
}
#endif
#endif
