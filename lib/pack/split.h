/**
 * pack/split.h: a large piece of code as several small ones that say the same. A look-up reads a
 * piece from its beginning, and finds its way between them by searching.
 */
#ifndef MS_PACK_SPLIT_H
#define MS_PACK_SPLIT_H

#include "pack/piece.h"

#include <stddef.h>

/** What splitting needs; one a thread. Zeroed before its first use. */
struct ms_split_room {
    struct ms_piece_node *nodes;
    struct ms_piece_span *spans;
    struct ms_piece_row *rows;
    struct ms_piece_file *files;
    /* By the number of a node or a file in the whole piece that in the part, plus one; 0 = it is
     * not there. Between parts all are 0. */
    uint32_t *node_numbers, *file_numbers;
    uint64_t *used, *used_scratch; /* nodes of the part, by their number in the whole */
    uint32_t *used_files;
    size_t nodes_room, spans_room, rows_room, files_room, node_numbers_room, file_numbers_room,
        used_room, used_scratch_room, used_files_room;
};
void ms_split_room_fini(struct ms_split_room *room);

/** Gets each part, in the order of addresses; false stops. */
typedef bool (*ms_split_taker)(void *owner, const struct ms_piece *part);

/**
 * Gives a piece in parts that begin where rows do. Each has what is inlined there, and no more,
 * besides the function. A small piece is given as it is.
 * @return false without memory, or when `take` said so
 */
bool ms_piece_split(const struct ms_piece *piece, struct ms_split_room *room, ms_split_taker take,
                    void *owner);

#endif
