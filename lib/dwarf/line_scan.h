/**
 * dwarf/line_scan.h: the streaming pass over a line program: which row has each of a
 * sorted batch of addresses.
 *
 * The row of an address is the last one at or before it in the sequence around it. Where
 * sequences overlap, the one that ends first counts.
 */
#ifndef MS_DWARF_LINE_SCAN_H
#define MS_DWARF_LINE_SCAN_H

#include "dwarf/line.h"

struct ms_row_hit {
    uint64_t high; /* end of the sequence; 0 = no row has the address */
    uint32_t file, line, column;
    uint64_t low; /* where the row starts */
};

/**
 * Runs the program once.
 * @param hits     n of them, zeroed by the caller
 * @param pending  room for n, of no meaning before or after
 * @param budget   rows that may still be stored; at 0 the pass ends with MS_E_LIMIT
 */
enum ms_status ms_line_scan(const struct ms_line_machine *machine, const uint64_t *addresses,
                            size_t n, struct ms_row_hit *hits, struct ms_row_hit *pending,
                            uint64_t *budget, struct ms_error *err);

#endif
