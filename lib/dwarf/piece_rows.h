/**
 * dwarf/piece_rows.h: the line table of a unit as stretches of code, each with its row, by the
 * rules of line_scan.h.
 */
#ifndef MS_DWARF_PIECE_ROWS_H
#define MS_DWARF_PIECE_ROWS_H

#include "dwarf/bounds.h"
#include "dwarf/lookup.h"

/** Zeroed is empty; reused from unit to unit. */
struct ms_piece_rows {
    struct ms_bounds starts;       /* of the stretches; each goes on to the next one's */
    const struct ms_row_hit *hits; /* one each; high of 0: no row has it */
    struct ms_row_hit *own;        /* those of `hits` that needed no second look */
    size_t own_room;
};
void ms_piece_rows_fini(struct ms_piece_rows *rows);

/**
 * Reads the line table of the unit that `lookup` was started on; a fault goes to lookup->error.
 * The rows live until the next is read, or lookup runs another.
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_piece_rows_read(struct ms_piece_rows *rows, struct ms_lookup *lookup,
                                  struct ms_error *err);

#endif
