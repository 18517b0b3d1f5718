/**
 * libdwarf/names.h: the words for DWARF's numbers: libdwarf's own, and those that came after
 * the oldest libdwarf we build with. "DW_AT_name", "DW_LANG_C99", …
 */
#ifndef MS_LIBDWARF_NAMES_H
#define MS_LIBDWARF_NAMES_H

#include <stdint.h>

/** NULL for a number without a name. */
const char *ms_name_of_tag(uint64_t tag);
const char *ms_name_of_attribute(uint64_t attribute);
const char *ms_name_of_unit_type(uint64_t type);
/** The word for a value of an attribute that has words: DW_AT_language, DW_AT_encoding, … */
const char *ms_name_of_value(uint64_t attribute, uint64_t value);

#endif
