/**
 * macho/relocs.h: relocations of an object file's sections, as far as debug information has
 * them.
 *
 * Compilers of today refer from debug information to sections alone: then what stands there is
 * the address in the object already. Where a relocation names a symbol, it is an addend.
 */
#ifndef MS_MACHO_RELOCS_H
#define MS_MACHO_RELOCS_H

#include "machsym/macho.h"

/**
 * Applies the relocations of a section as if the object were linked at its own addresses.
 * @param bytes  the section's, as ms_macho_section_bytes gives them
 * @param out    a malloc'ed copy of as many bytes, freed by the caller; NULL when `bytes`
 *               already are what is wanted
 * @return MS_OK; MS_E_FORMAT: relocations outside the file, one that lies outside the section
 *         or names no symbol of the table; MS_E_NOMEM
 */
enum ms_status ms_relocs_apply(const struct ms_macho *macho, const struct ms_section *section,
                               struct ms_bytes bytes, uint8_t **out, struct ms_error *err);

#endif
