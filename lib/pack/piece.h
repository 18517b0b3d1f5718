/**
 * pack/piece.h: the code of an image cut into pieces that don't overlap, each with the one
 * function that counts there, all that is inlined into it, and its lines: what ready indexes
 * are made of, and what they give back. Plain data; strings are borrowed.
 */
#ifndef MS_PACK_PIECE_H
#define MS_PACK_PIECE_H

#include "machsym/types.h"

#define MS_NO_PARENT UINT32_MAX

/** A function, or a call inlined into it. */
struct ms_piece_node {
    const char *linkage, *name; /* as in struct ms_frame; NULL when unknown */
    uint32_t names;    /* nodes of one number, of pieces out of one spool, have these two the same;
                          0 = nobody has looked */
    uint64_t start_vm; /* its entry; meaningful when has_start */
    bool has_start;
    uint32_t parent; /* the node it is inlined into, always an earlier one; MS_NO_PARENT */
    /* Of an inlined call: where it stands in its parent. */
    uint32_t call_file; /* 1 + index into the piece's files; 0 = unknown */
    uint32_t call_line, call_column;
};

/** From `low` on, up to the next span, this node is the innermost. */
struct ms_piece_span {
    uint64_t low;
    uint32_t node;
};

/** From `low` on, up to the next row, this is the line. */
struct ms_piece_row {
    uint64_t low;
    uint32_t file; /* 1 + index into the piece's files; 0 = nothing is known from here on */
    uint32_t line, column;
};

/** As in struct ms_frame: each may be NULL, and they join as ms_frame_path says. */
struct ms_piece_file {
    const char *comp_dir, *dir, *file;
};

struct ms_piece {
    uint64_t low, high;    /* half-open, _vm, never empty */
    enum ms_source source; /* of the function's name: DWARF, nlist, …; inlined calls: DWARF */
    bool damaged;          /* its unit is broken: more may have been known */
    bool more;             /* a further part of the function (split.h) whose code ends at `low` */
    /* nodes[0] is the function; 0 of them: lines alone are known. */
    const struct ms_piece_node *nodes;
    size_t n_nodes;
    const struct ms_piece_span *spans; /* ascending; spans[0].low == low; none without nodes */
    size_t n_spans;
    const struct ms_piece_row *rows; /* ascending, within [low, high); may start behind low */
    size_t n_rows;
    const struct ms_piece_file *files;
    size_t n_files;
};

/** Of a piece that says nothing but that a damaged unit may have known more. */
enum { MS_RANK_DAMAGE = 2 };

/**
 * Which of several pieces counts where they overlap: the one with the lower rank; then one with
 * a function before mere lines; then the one whose function's range is smaller; then the lower
 * order.
 */
struct ms_piece_claim {
    uint8_t rank;
    uint64_t size;  /* of the function's range; 0 = lines alone */
    uint64_t order; /* of the unit it comes from */
};

#endif
