/**
 * dwarf/line_index.h: a line program made searchable without storing its rows: every
 * so many rows the machine's registers are noted, and a look-up runs the program on from
 * the last note before the address. Half a byte a row.
 *
 * Gives the same row as line_scan.h does.
 */
#ifndef MS_DWARF_LINE_INDEX_H
#define MS_DWARF_LINE_INDEX_H

#include "dwarf/line_scan.h"
#include "dwarf/ranges.h"

/** The machine after a row. */
struct ms_line_mark {
    uint64_t address;
    uint64_t at; /* in the program, behind the opcode that made the row */
    uint32_t file, line, column, op_index;
};

struct ms_line_sequence {
    uint64_t low, high;
    uint64_t lowest; /* `low` of this one and all that follow */
    size_t first_mark, n_marks;
    enum ms_trust trust;
    bool ascending; /* its rows never go back */
};

struct ms_line_index {
    struct ms_line_mark *marks;
    size_t n_marks, marks_room;
    struct ms_line_sequence *sequences; /* by high; of equal ones the first in the program */
    size_t n_sequences, sequences_room;
};

/**
 * Runs the machine over the whole program. What stood before a fault is usable.
 * @param max_bytes  what the index may take; MS_E_LIMIT when that is too little
 */
enum ms_status ms_line_index_build(const struct ms_line_machine *machine, size_t max_bytes,
                                   struct ms_line_index *out, struct ms_error *err);
void ms_line_index_fini(struct ms_line_index *index);
size_t ms_line_index_bytes(const struct ms_line_index *index);

/** The row of the address into *hit; false when no sequence has it. */
bool ms_line_index_find(const struct ms_line_index *index, const struct ms_line_machine *machine,
                        uint64_t address, struct ms_row_hit *hit);

#endif
