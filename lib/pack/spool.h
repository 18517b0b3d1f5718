/**
 * pack/spool.h: the pieces of an image while they are collected: from several threads at once,
 * in any order, packed tightly; then put into order, with overlaps settled, and handed out by
 * address. What comes out depends on what came in alone, not on which thread was first.
 */
#ifndef MS_PACK_SPOOL_H
#define MS_PACK_SPOOL_H

#include "base/error.h"
#include "pack/interned.h"
#include "pack/packed.h"

struct ms_spool;

/** A spool that `n_lanes` threads may fill at once, each its own lane. */
enum ms_status ms_spool_open(size_t n_lanes, struct ms_spool **out, struct ms_error *err);
void ms_spool_close(struct ms_spool *spool); /* takes NULL */

/**
 * Adds a piece; its strings are borrowed for as long as the spool is. False without memory.
 * @param turn  which part of the whole it is of: those of a lane never go down, and no two lanes
 *              have the same. By turns, and then in the order in which they are added, names and
 *              files are numbered where all pieces come out as they were added.
 */
bool ms_spool_add(struct ms_spool *spool, size_t lane, uint32_t turn, const struct ms_piece *piece,
                  struct ms_piece_claim claim);

/** Settles who has what; nothing is added afterwards. Time n log n, whatever overlaps. */
enum ms_status ms_spool_settle(struct ms_spool *spool, struct ms_error *err);

/** Stretches of code that one piece has, after ms_spool_settle: ascending, disjoint. */
size_t ms_spool_n(const struct ms_spool *spool);
/** Where the i-th of them lies. */
void ms_spool_range(const struct ms_spool *spool, size_t i, uint64_t *low, uint64_t *high);
/** Whether its function has a name. */
bool ms_spool_is_named(const struct ms_spool *spool, size_t i);

/** Unpacks the i-th stretch; *out is borrowed from `room`. False without memory. */
bool ms_spool_get(const struct ms_spool *spool, size_t i, struct ms_piece_room *room,
                  struct ms_piece *out);

/* ---- a second list of stretches ---------------------------------------------------------- */

/** The i-th stretch is in it, too. False without memory. */
bool ms_spool_keep(struct ms_spool *spool, size_t i, struct ms_piece_room *room);
/** This piece is in it, behind all that are. False without memory. */
bool ms_spool_put(struct ms_spool *spool, const struct ms_piece *piece);
/** The second list takes the place of the first. Every stretch in it is a packed piece by itself.
 */
void ms_spool_replace(struct ms_spool *spool);

/** The i-th stretch then, as it was packed with its lane's numbers. */
struct ms_spooled {
    uint64_t low, high;
    const uint8_t *at;
    uint32_t n;
    uint32_t lane;
};
struct ms_spooled ms_spool_packed(const struct ms_spool *spool, size_t i);

/** How many lanes there are, with one for what ms_spool_put has put. */
size_t ms_spool_n_lanes(const struct ms_spool *spool);
/** Whether pieces that were added are not in the second list, or not as they were. */
bool ms_spool_has_dropped(const struct ms_spool *spool);

/** From here on a lane is at this turn. */
struct ms_spool_turn {
    uint32_t turn;
    uint32_t first_file, first_name; /* of those that are new from there on */
};

struct ms_spool_lane {
    const struct ms_interned *files, *names;
    const struct ms_spool_turn *turns; /* ascending */
    size_t n_turns;
};
struct ms_spool_lane ms_spool_lane(const struct ms_spool *spool, size_t lane);

#endif
