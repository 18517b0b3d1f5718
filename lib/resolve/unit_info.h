/**
 * resolve/unit_info.h: what a unit says of itself, for people.
 */
#ifndef MS_RESOLVE_UNIT_INFO_H
#define MS_RESOLVE_UNIT_INFO_H

#include "dwarf/unit.h"
#include "machsym/dwarf.h"

void ms_unit_info_read(const struct ms_unit *unit, struct ms_unit_info *out);

#endif
