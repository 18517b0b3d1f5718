/**
 * resolve/pack_shell.h: the Mach-O around a ready index: what a dSYM of the image has in front of
 * its debug information, so that whatever reads a dSYM's load commands finds the UUID,
 * the architecture and the sections of the code. Of the linked image where that is there, since
 * it is asked first whether an address lies in a segment.
 */
#ifndef MS_RESOLVE_PACK_SHELL_H
#define MS_RESOLVE_PACK_SHELL_H

#include "base/text.h"
#include "machsym/macho.h"

/** Where the index lies in it: a dSYM's segment, and a section that none has. */
#define MS_PACK_SEGMENT "__DWARF"
#define MS_PACK_SECTION "__msym"

/**
 * Appends header and load commands, padded to where the index is to follow: the UUID and the
 * build version of `macho`, and its segments without any content; the index takes the place of
 * __DWARF.
 * @param n  bytes of the index
 * @return MS_E_UNSUPPORTED for a big-endian image; MS_E_LIMIT for more than 4 GB; MS_E_NOMEM
 */
enum ms_status ms_pack_shell(const struct ms_macho *macho, uint64_t n, struct ms_text *out,
                             struct ms_error *err);

#endif
