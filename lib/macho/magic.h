/**
 * macho/magic.h: what the first bytes of a file or slice say that it is.
 */
#ifndef MS_MACHO_MAGIC_H
#define MS_MACHO_MAGIC_H

#include "base/bytes.h"

/* Read big-endian. */
#define MS_MAGIC_FAT 0xcafebabeu
#define MS_MAGIC_FAT_64 0xcafebabfu
#define MS_MAGIC_32 0xfeedfaceu
#define MS_MAGIC_64 0xfeedfacfu
#define MS_MAGIC_32_LITTLE 0xcefaedfeu
#define MS_MAGIC_64_LITTLE 0xcffaedfeu

/** The first four bytes, big-endian; 0 when there are fewer. */
uint32_t ms_magic_of(struct ms_bytes bytes);
/** True for a thin Mach-O; then *is64 and *big tell its shape. */
bool ms_magic_is_macho(uint32_t magic, bool *is64, bool *big);
/** True for "!<arch>\n" and for a thin archive, "!<thin>\n". */
bool ms_magic_is_archive(struct ms_bytes bytes);
/** What a file that is none of these looks like: "an ELF file", …. Never NULL. */
const char *ms_magic_guess(struct ms_bytes bytes);

#endif
