/* Units and DIEs: the input is .debug_info of a program that is otherwise sound. */
#include "fuzz/dwarf_target.h"

DWARF_TARGET(s.info = rest)
