/* Sets of ranges: the input is .debug_aranges of a program that is otherwise sound. */
#include "fuzz/dwarf_target.h"

DWARF_TARGET(s.aranges = rest)
