/**
 * macho/names.h: names in the string table.
 */
#ifndef MS_MACHO_NAMES_H
#define MS_MACHO_NAMES_H

#include "machsym/macho.h"

/**
 * The NUL-terminated name at offset `off` of the string table; NULL when it is not inside.
 * Takes the same time for every name of a table that ends in a NUL; in another one, names of
 * more than 4,096 bytes are not found.
 */
const char *ms_macho_string(const struct ms_macho *macho, uint32_t off);

#endif
