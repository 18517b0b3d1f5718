/**
 * dwarf/zdebug.h: the compressed sections (`__zdebug_info`, …) that Go's linker writes:
 * "ZLIB", the size as 8 bytes big-endian, a zlib stream.
 */
#ifndef MS_DWARF_ZDEBUG_H
#define MS_DWARF_ZDEBUG_H

#include "base/error.h"

/**
 * Decompresses a section. Nothing is allocated beyond what the stream can hold: deflate
 * never expands by more than 1032 to 1, so a larger size in the header is a lie; and more
 * than 64 to 1, beyond a first megabyte, is no debug information.
 * @param where  "prog (x86_64) __zdebug_info", for messages
 * @param out    malloc'ed, freed by the caller
 * @return MS_E_FORMAT (no header, broken stream, another size), MS_E_LIMIT, MS_E_NOMEM
 */
enum ms_status ms_zdebug_inflate(struct ms_bytes section, const char *where, uint8_t **out,
                                 size_t *n, struct ms_error *err);

#endif
