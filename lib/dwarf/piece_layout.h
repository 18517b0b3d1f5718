/**
 * dwarf/piece_layout.h: a function laid out: from which address on which of its ranges has the
 * code, and what is innermost there.
 */
#ifndef MS_DWARF_PIECE_LAYOUT_H
#define MS_DWARF_PIECE_LAYOUT_H

#include "dwarf/bounds.h"
#include "dwarf/scan.h"
#include "dwarf/stretches.h"

/** From `low` on, up to the next mark. */
struct ms_mark {
    uint64_t low;
    uint64_t size; /* of the function's range that has it; 0 = none has */
    uint32_t node; /* the innermost; MS_NO_NODE where no range has it */
};

/** Zeroed is empty; reused from function to function. */
struct ms_piece_layout {
    struct ms_mark *marks; /* ascending; the last one says where the one before ends */
    size_t n, room;
    struct ms_bounds bounds; /* of a function that takes more than one look */
    uint64_t budget;         /* marks that may still be filled */
};
void ms_piece_layout_fini(struct ms_piece_layout *layout);

/** What there is to lay out. */
struct ms_layout_input {
    const struct ms_dwarf *dwarf;
    const struct ms_gathered *gathered;
    const uint32_t *next; /* of each of these, the next one of the same function, plus one; 0 */
    /** What the unit has; their edges are marks, too. */
    const struct ms_stretches *listed, *covered;
};

/** Lays out the function whose first range is `first`. False without memory. */
bool ms_piece_layout_make(struct ms_piece_layout *layout, const struct ms_layout_input *input,
                          uint32_t first);

#endif
