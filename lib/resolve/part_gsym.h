/**
 * resolve/part_gsym.h: a GSYM file as a part of an image. It is no Mach-O, and an image is made
 * of such: so one is made up in memory of what the file's header says, a dSYM without debug
 * information, with a UUID and with __TEXT at the base address, which is code from the first
 * function on.
 */
#ifndef MS_RESOLVE_PART_GSYM_H
#define MS_RESOLVE_PART_GSYM_H

#include "resolve/part.h"

/** What stands in the place of the architecture, which the file doesn't tell. */
#define MS_GSYM_ARCH "unknown"

/** Opens the file as a part. Takes it over on success. */
enum ms_status ms_part_open_gsym(struct ms_part *part, struct ms_file *file, struct ms_error *err);

#endif
