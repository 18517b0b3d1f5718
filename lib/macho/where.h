/**
 * macho/where.h: how this floor names an input in messages.
 */
#ifndef MS_MACHO_WHERE_H
#define MS_MACHO_WHERE_H

#include <stddef.h>
#include <stdint.h>

/**
 * Writes "NAME", or "NAME (ARCH)" when arch is not NULL, into `room` bytes. A name that is
 * too long loses its beginning, since the end of a path says more.
 */
void ms_where_write(char *out, size_t room, const char *name, const char *arch);

#endif
