/**
 * dwarf/line.h: the line number program of a unit: its header with the tables of
 * directories and files, and the machine that makes rows.
 * Source: DWARF 5 §6.2; older headers DWARF 2 to 4 §6.2.4.
 */
#ifndef MS_DWARF_LINE_H
#define MS_DWARF_LINE_H

#include "dwarf/unit.h"

struct ms_line_header {
    const struct ms_unit *unit;
    uint64_t off;               /* of the table, in .debug_line */
    struct ms_encoding encoding; /* version and sizes of the table, not of the unit */
    struct ms_bytes tables;     /* directories and files */
    uint64_t tables_off;        /* in .debug_line */
    struct ms_bytes program;
    uint64_t program_off;       /* in .debug_line */
    struct ms_bytes opcode_lengths;
    uint8_t min_inst_length, max_ops, line_range, opcode_base;
    int8_t line_base;
};

/**
 * Reads the header of the unit's table.
 * @return MS_ABSENT when the unit has none; MS_E_FORMAT, MS_E_UNSUPPORTED (version)
 */
enum ms_status ms_line_header_read(const struct ms_unit *unit, struct ms_line_header *out,
                                   struct ms_error *err);

/* ---- files ------------------------------------------------------------------------------ */

struct ms_line_file {
    const char *name;
    uint64_t dir;
};

/** The tables as arrays; reused from unit to unit, so that their memory stays warm. */
struct ms_line_files {
    const char **dirs;
    size_t n_dirs, dirs_room;
    struct ms_line_file *files;
    size_t n_files, files_room;
};

/**
 * Fills *files with the directories and files of the header. What stands before a fault
 * is kept.
 */
enum ms_status ms_line_files_read(const struct ms_line_header *header, struct ms_line_files *files,
                                  struct ms_error *err);
void ms_line_files_fini(struct ms_line_files *files);

/**
 * Writes comp_dir, dir and file of file number `index` into *frame, so that they join to
 * the path. Leaves them NULL and returns false when there is no such file.
 */
bool ms_line_file_put(const struct ms_line_header *header, const struct ms_line_files *files,
                      uint64_t index, struct ms_frame *frame);

/* ---- rows ------------------------------------------------------------------------------- */

struct ms_line_row {
    uint64_t address;
    uint32_t file, line, column;
    bool end; /* first address behind the sequence; the rest means nothing */
};

/** Runs a program. Copied freely: a copy continues where the original stood. */
struct ms_line_machine {
    struct ms_cursor c; /* over the program */
    struct ms_line_row row;
    uint32_t op_index;
    bool restart; /* the last row ended a sequence: the registers are to be reset */
    const struct ms_line_header *header;
    struct ms_line_files *files; /* gets the files of DW_LNE_define_file; may be NULL */
    uint32_t const_operations;   /* of DW_LNS_const_add_pc */
    const char *fault;           /* when c.bad, what was wrong; NULL = cut short */
    /* Of each special opcode: bytes (with VLIW bundles: operations) and lines. The two
     * tables save a division a row. */
    uint16_t advance[256];
    int16_t line_advance[256];
};

void ms_line_machine_init(struct ms_line_machine *machine, const struct ms_line_header *header,
                          struct ms_line_files *files);

/** Runs one opcode that isn't a special one. True when it completed a row. */
bool ms_line_machine_other(struct ms_line_machine *machine, uint8_t opcode);
/** Runs one special opcode of a machine with VLIW bundles. */
void ms_line_machine_special(struct ms_line_machine *machine, uint8_t opcode);
/** Sets the registers as at the start of a sequence. */
void ms_line_machine_reset(struct ms_line_machine *machine);

/** Runs to the next row, which is then in `row`. False at the end or at a fault (c.bad). */
static inline bool ms_line_next(struct ms_line_machine *m)
{
    if (m->restart)
        ms_line_machine_reset(m);
    while (ms_cursor_left(&m->c)) {
        uint8_t opcode = ms_cursor_u8(&m->c);
        if (opcode >= m->header->opcode_base) {
            if (m->header->max_ops > 1) {
                ms_line_machine_special(m, opcode);
            } else {
                m->row.address += m->advance[opcode];
                m->row.line += (uint32_t)m->line_advance[opcode];
            }
            return true;
        }
        if (ms_line_machine_other(m, opcode))
            return true;
    }
    return false;
}

/** The error of a machine whose cursor went bad, or that ended inside a sequence. */
enum ms_status ms_line_machine_fail(const struct ms_line_machine *machine, struct ms_error *err);

#endif
