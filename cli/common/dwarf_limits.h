/*
 * common/dwarf_limits.h: debug information that outgrows its formats.
 */
#ifndef MACHSYM_CLI_DWARF_LIMITS_H
#define MACHSYM_CLI_DWARF_LIMITS_H

#include "machsym/image.h"

/*
 * Warns of sections near or past the reach of 32-bit offsets, which DWARF and Mach-O have for
 * most: past them tools read the wrong bytes, without a word. Ours puts the start of a section
 * right, but no offset into one. `path` is for messages.
 */
void warn_of_limits(struct ms_image *image, const char *path);

#endif
