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
    uint64_t off;                /* of the table, in .debug_line */
    struct ms_encoding encoding; /* version and sizes of the table, not of the unit */
    struct ms_bytes tables;      /* directories and files */
    uint64_t tables_off;         /* in .debug_line */
    struct ms_bytes program;
    uint64_t program_off; /* in .debug_line */
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

/** What running a program takes and doesn't change. */
struct ms_line_machine {
    const struct ms_line_header *header;
    struct ms_bytes program;
    struct ms_line_files *files; /* gets the files of DW_LNE_define_file; may be NULL */
    uint8_t opcode_base;
    bool bundles;              /* VLIW: an address holds several operations */
    uint32_t const_operations; /* of DW_LNS_const_add_pc */
    /* What each special opcode adds: bytes (with bundles: operations) and lines. Saves a
     * division a row. */
    struct {
        uint16_t advance;
        int16_t lines;
    } special[256];
};

/**
 * The registers. A plain value: a copy continues where the original stood.
 * Line, column and file do not stand side by side: a compiler would read two of them at
 * once right after each was written alone, which stalls the processor at every row.
 */
struct ms_line_state {
    size_t at; /* next byte of the program */
    uint64_t address;
    uint32_t line, op_index, column;
    bool is_row; /* the last opcode completed a row */
    bool end;    /* the row is the first address behind the sequence, nothing else */
    uint32_t file;
    const char *fault; /* what was wrong; the machine stands still. NULL = nothing */
};

void ms_line_machine_init(struct ms_line_machine *machine, const struct ms_line_header *header,
                          struct ms_line_files *files);
/** The registers as at the start of a sequence that begins at byte `at`. */
struct ms_line_state ms_line_state_at(size_t at);

/** Runs one opcode of any kind, which stands before state->at. */
void ms_line_run(const struct ms_line_machine *machine, struct ms_line_state *state,
                 uint8_t opcode);

/** ms_line_next without the short cuts: for bundles, and for the last bytes of a program. */
bool ms_line_next_plain(const struct ms_line_machine *machine, struct ms_line_state *state);

/**
 * Runs to the next row. False at the end or at a fault.
 * The frequent opcodes are done here, on registers of the processor's, as long as three
 * bytes remain: the longest of them is as long.
 */
static inline bool ms_line_next(const struct ms_line_machine *m, struct ms_line_state *s)
{
    const uint8_t *bytes = m->program.at;
    const size_t n = m->program.n;
    if (s->end)
        *s = ms_line_state_at(s->at);
    if (m->bundles)
        return ms_line_next_plain(m, s);
    const unsigned opcode_base = m->opcode_base;
    size_t at = s->at;
    uint32_t line = s->line, column = s->column;
    while (at + 2 < n) {
        const unsigned opcode = bytes[at], operand = bytes[at + 1], second = bytes[at + 2];
        if (opcode >= opcode_base) {
            s->address += m->special[opcode].advance;
            s->line = line + (uint32_t)m->special[opcode].lines;
            s->column = column;
            s->at = at + 1;
            return true;
        }
        if (opcode == DW_LNS_set_column && operand < 0x80) {
            column = operand;
            at += 2;
        } else if (opcode == DW_LNS_negate_stmt) { /* says nothing that is asked for */
            at++;
        } else if (opcode == DW_LNS_advance_line && operand < 0x80) {
            line += (operand ^ 0x40) - 0x40;
            at += 2;
        } else if (opcode == DW_LNS_advance_line && second < 0x80) {
            line += ((second << 7 | (operand & 0x7f)) ^ 0x2000) - 0x2000;
            at += 3;
        } else {
            s->at = at + 1;
            s->line = line;
            s->column = column;
            ms_line_run(m, s, (uint8_t)opcode);
            if (s->is_row)
                return true;
            at = s->at;
            line = s->line;
            column = s->column;
        }
    }
    s->at = at;
    s->line = line;
    s->column = column;
    return ms_line_next_plain(m, s);
}

/** The error of a program that stopped in the middle of a sequence, or at a fault. */
enum ms_status ms_line_machine_fail(const struct ms_line_machine *machine,
                                    const struct ms_line_state *state, struct ms_error *err);

#endif
