/**
 * pack/ready.h: what a ready index, of whichever format, answers.
 */
#ifndef MS_PACK_READY_H
#define MS_PACK_READY_H

#include "base/limits.h"
#include "pack/piece.h"

/** Reused from address to address: heavy, not for the stack. */
struct ms_ready_answer {
    struct ms_frame frames[MS_MAX_INLINE_DEPTH + 1]; /* innermost first */
    size_t n_frames;
    enum ms_source source; /* of the outermost frame's name */
    bool damaged;          /* more was lost when the index was made: a unit was broken */
    uint64_t low, high;    /* the stretch of code that the function has around the address */
};

/** The row of an address; NULL where no line is known. */
const struct ms_piece_row *ms_piece_row_at(const struct ms_piece *piece, uint64_t address_vm);
/** The innermost node at an address; 0, the function, before the first span. */
uint32_t ms_piece_node_at(const struct ms_piece *piece, uint64_t address_vm);

/**
 * The frames that a piece has at an address in it; the piece's strings are borrowed. A chain of
 * more than MS_MAX_INLINE_DEPTH calls is told by its function alone.
 */
void ms_ready_from_piece(const struct ms_piece *piece, uint64_t address_vm,
                         struct ms_ready_answer *out);

#endif
