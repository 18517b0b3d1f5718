/**
 * pack/msym_record.h: one record of a ready index (msym_format.h), read as far as an address
 * needs: of hundreds of calls and rows that a function may have, an answer takes a few.
 */
#ifndef MS_PACK_MSYM_RECORD_H
#define MS_PACK_MSYM_RECORD_H

#include "base/cursor.h"
#include "base/error.h"
#include "pack/piece.h"

/**
 * What has been read of it is in `piece`. A record gives numbers for files and names: a file in
 * the piece has no strings yet, and a node in `names` the number of its names plus one.
 * Zeroed it is empty.
 */
struct ms_msym_record {
    struct ms_piece piece;
    struct ms_bytes bytes;
    uint64_t n_names;
    unsigned scale;
    /* What the piece's arrays point to; the room that each has. */
    struct ms_piece_file *files;
    uint64_t *file_numbers; /* one each */
    struct ms_piece_node *nodes;
    struct ms_piece_span *spans;
    struct ms_piece_row *rows;
    size_t files_room, numbers_room, nodes_room, spans_room, rows_room;
    /* Where reading goes on, and how many are left there. */
    struct ms_cursor nodes_at, spans_at, rows_at;
    size_t nodes_left, spans_left, rows_left;
    uint64_t names, start_vm; /* what the next node is told by its distance from */
    uint64_t address;         /* the one that was sought last */
};

/**
 * Begins to read a record; of its piece only files are there.
 * @param bytes      what stands behind the three numbers that every record begins with; borrowed
 * @param low, high  the code that it is of
 * @param n_names    numbers of names are below
 * @return MS_E_FORMAT (*err as it was), MS_E_NOMEM: the piece is of no code
 */
enum ms_status ms_msym_record_start(struct ms_msym_record *record, struct ms_bytes bytes,
                                    uint64_t low, uint64_t high, uint64_t n_names,
                                    struct ms_error *err);

/**
 * Has the piece tell of an address of its code: the span and the row that count there, and the
 * nodes up to that span's. In ascending order several cost no more than the last. What stands
 * behind is passed over unread, and may be anything.
 * @return as ms_msym_record_start
 */
enum ms_status ms_msym_record_seek(struct ms_msym_record *record, uint64_t address_vm,
                                   struct ms_error *err);

/** As ms_msym_record_start, and reads all of it. */
enum ms_status ms_msym_record_read(struct ms_msym_record *record, struct ms_bytes bytes,
                                   uint64_t low, uint64_t high, uint64_t n_names,
                                   struct ms_error *err);

void ms_msym_record_fini(struct ms_msym_record *record);

#endif
