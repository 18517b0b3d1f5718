/**
 * dwarf/line_table.h: line tables with everything that stands in them, for printing. The
 * passes that look addresses up have a machine of their own (line.h), which leaves out what
 * no answer needs.
 * Source: DWARF 5 §6.2; older headers DWARF 2 to 4 §6.2.4.
 */
#ifndef MS_DWARF_LINE_TABLE_H
#define MS_DWARF_LINE_TABLE_H

#include "dwarf/dwarf.h"
#include "machsym/dwarf.h"

/** Starts on .debug_line. MS_ABSENT when it is empty; MS_E_NOMEM. `dwarf` is borrowed. */
enum ms_status ms_line_tables_open(struct ms_dwarf *dwarf, struct ms_line_tables **out,
                                   struct ms_error *err);

#endif
