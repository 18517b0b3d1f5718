/**
 * dwarf/piece_rows.h: the line table of a unit as stretches of code, each with its row, by the
 * rules of line_scan.h.
 */
#ifndef MS_DWARF_PIECE_ROWS_H
#define MS_DWARF_PIECE_ROWS_H

#include "dwarf/bounds.h"
#include "dwarf/lookup.h"

/** The file of a stretch that no row has. */
#define MS_NO_ROW UINT32_MAX

/** From `low` on, to the next one's. */
struct ms_unit_row {
    uint64_t low;
    uint32_t file; /* DWARF's number; MS_NO_ROW: then line and column are 0 */
    uint32_t line, column;
};

/** Zeroed is empty; reused from unit to unit. */
struct ms_piece_rows {
    struct ms_unit_row *items; /* ascending; no two in succession say the same */
    size_t n, room;
    size_t found;            /* by the last search */
    struct ms_bounds starts; /* of a table that is looked up address by address */
};
void ms_piece_rows_fini(struct ms_piece_rows *rows);

/**
 * Reads the line table of the unit that `lookup` was started on; a fault goes to lookup->error.
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_piece_rows_read(struct ms_piece_rows *rows, struct ms_lookup *lookup,
                                  struct ms_error *err);

/** The last row at or before the address; the first one when all lie behind it. Quick when it lies
 *  close behind the one that was found last. */
size_t ms_piece_rows_find(struct ms_piece_rows *rows, uint64_t address);

#endif
