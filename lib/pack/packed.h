/**
 * pack/packed.h: a piece as bytes, as a record of an .msym has it from its head on
 * (msym_format.h), with numbers that somebody else gives its files and names. They never leave
 * the process before they are written, so whoever reads them here trusts them.
 */
#ifndef MS_PACK_PACKED_H
#define MS_PACK_PACKED_H

#include "pack/piece.h"

#include <stddef.h>
#include <stdint.h>

/** More bytes than the piece takes; SIZE_MAX when that can't be said. */
size_t ms_packed_most(const struct ms_piece *piece);

/**
 * Writes a piece.
 * @param files, names  the number of each file, and of each node's names
 * @return behind the last byte
 */
uint8_t *ms_packed_put(uint8_t *at, const struct ms_piece *piece, const uint32_t *files,
                       const uint32_t *names);

/** The most that ms_packed_renumber makes of n bytes. */
enum { MS_RENUMBERED_TIMES = 5 };

/**
 * Copies n packed bytes with other numbers for files and names.
 * @param files, names  the new number by the old one
 * @return behind the last byte
 */
uint8_t *ms_packed_renumber(uint8_t *to, const uint8_t *from, size_t n, const uint32_t *files,
                            const uint32_t *names);

/** Whether the piece is a further part of a function. */
bool ms_packed_goes_on(const uint8_t *from);

/** Hands all numbers to `take`, of files first; false when that returned false. */
bool ms_packed_numbers(const uint8_t *from,
                       bool (*take)(void *owner, bool is_name, uint32_t number), void *owner);

/** What unpacking needs; one a thread. Zeroed before its first use. */
struct ms_piece_room {
    struct ms_piece_node *nodes;
    struct ms_piece_span *spans;
    struct ms_piece_row *rows;
    struct ms_piece_file *files;
    uint32_t *numbers; /* of the files */
    size_t nodes_room, spans_room, rows_room, files_room, numbers_room;
};
void ms_piece_room_fini(struct ms_piece_room *room);

/**
 * Unpacks what a piece that was packed with its start at `from_low` has of [low, high). Strings
 * are left to others: a node has the number of its names plus one in `names`, files theirs in
 * room->numbers. *out is borrowed from `room`. False without memory.
 */
bool ms_packed_get(const uint8_t *from, uint64_t from_low, uint64_t low, uint64_t high,
                   struct ms_piece_room *room, struct ms_piece *out);

#endif
