/**
 * dwarf/pieces.h: all that a unit knows of its code, cut into pieces (pack/piece.h) that say
 * at every address what a look-up of that address says. One pass over the DIEs gathers the
 * ranges of all functions and inlined calls; each function is then laid out by itself.
 */
#ifndef MS_DWARF_PIECES_H
#define MS_DWARF_PIECES_H

#include "dwarf/lookup.h"
#include "dwarf/stretches.h"
#include "pack/piece.h"

/** Gets a piece, borrowed until it returns. False ends the work, for want of memory. */
typedef bool (*ms_piece_taker)(void *owner, const struct ms_piece *piece,
                               const struct ms_piece_claim *claim);

/** A worker: what the passes need, taken along from unit to unit. */
struct ms_piece_maker;
/** Both are borrowed; `dwarf` may serve no other thread meanwhile. */
enum ms_status ms_piece_maker_open(struct ms_dwarf *dwarf, const struct ms_named_ranges *named,
                                   struct ms_piece_maker **out, struct ms_error *err);
void ms_piece_maker_close(struct ms_piece_maker *maker); /* takes NULL */

/** What is wrong with a unit. */
struct ms_unit_fault {
    struct ms_error error; /* status MS_OK: it is whole */
    bool lost;             /* what it has can't be told, so that any address may be of it */
};

/**
 * Makes the pieces of the unit at `unit_off`, in any order; functions that share code have
 * pieces that overlap, whose claims tell which one counts.
 * @param fault  gets the unit's first fault; pieces of MS_RANK_DAMAGE say what it has then
 * @return MS_OK, however broken the unit is; MS_E_NOMEM
 */
enum ms_status ms_piece_maker_run(struct ms_piece_maker *maker, uint64_t unit_off,
                                  ms_piece_taker take, void *owner, struct ms_unit_fault *fault,
                                  struct ms_error *err);

#endif
