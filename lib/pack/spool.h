/**
 * pack/spool.h: the pieces of an image while they are collected: from several threads at once,
 * in any order, packed tightly; then put into order, with overlaps settled, and handed out by
 * address. What comes out depends on what came in alone, not on which thread was first.
 */
#ifndef MS_PACK_SPOOL_H
#define MS_PACK_SPOOL_H

#include "base/error.h"
#include "pack/piece.h"

struct ms_spool;

/** A spool that `n_lanes` threads may fill at once, each its own lane. */
enum ms_status ms_spool_open(size_t n_lanes, struct ms_spool **out, struct ms_error *err);
void ms_spool_close(struct ms_spool *spool); /* takes NULL */

/** Adds a piece; its strings are borrowed for as long as the spool is. False without memory. */
bool ms_spool_add(struct ms_spool *spool, size_t lane, const struct ms_piece *piece,
                  struct ms_piece_claim claim);

/** Settles who has what; nothing is added afterwards. Time n log n, whatever overlaps. */
enum ms_status ms_spool_settle(struct ms_spool *spool, struct ms_error *err);

/** Stretches of code that one piece has, after ms_spool_settle: ascending, disjoint. */
size_t ms_spool_n(const struct ms_spool *spool);
/** Where the i-th of them lies. */
void ms_spool_range(const struct ms_spool *spool, size_t i, uint64_t *low, uint64_t *high);

/** What unpacking needs; one a thread. Zeroed before its first use. */
struct ms_piece_room {
    struct ms_piece_node *nodes;
    struct ms_piece_span *spans;
    struct ms_piece_row *rows;
    struct ms_piece_file *files;
    size_t nodes_room, spans_room, rows_room, files_room;
};
void ms_piece_room_fini(struct ms_piece_room *room);

/** Unpacks the i-th stretch; *out is borrowed from `room`. False without memory. */
bool ms_spool_get(const struct ms_spool *spool, size_t i, struct ms_piece_room *room,
                  struct ms_piece *out);

#endif
