/* Line tables: the input is .debug_line of a program that is otherwise sound. */
#include "fuzz/dwarf_target.h"

DWARF_TARGET(s.line = rest)
