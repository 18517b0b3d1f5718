/* Indexed values: the input is .debug_addr and .debug_str_offsets of a sound program. */
#include "fuzz/dwarf_target.h"

DWARF_TARGET(s.addr = s.str_offsets = rest)
