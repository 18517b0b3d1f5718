/* Abbreviation tables: the input is .debug_abbrev of a program that is otherwise sound. */
#include "fuzz/dwarf_target.h"

DWARF_TARGET(s.abbrev = rest)
