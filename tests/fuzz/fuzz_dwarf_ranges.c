/* Range lists: the input is .debug_ranges and .debug_rnglists of a sound program. */
#include "fuzz/dwarf_target.h"

DWARF_TARGET(s.ranges = s.rnglists = rest)
