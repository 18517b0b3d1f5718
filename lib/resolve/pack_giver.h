/**
 * resolve/pack_giver.h: what the second list of a spool (pack/spool.h) holds: the pieces of DWARF,
 * and what symbols name where DWARF names nothing.
 */
#ifndef MS_RESOLVE_PACK_GIVER_H
#define MS_RESOLVE_PACK_GIVER_H

#include "resolve/pack_build.h"

/** Goes through the pieces in order. */
struct ms_pack_giver {
    struct ms_image *image;
    const struct ms_pack_request *request;
    struct ms_spool *spool;
    struct ms_pack_counts *counts;
    uint64_t *bounds; /* where another symbol may begin or one ends, ascending */
    size_t n_bounds, bounds_room;
    size_t at; /* the first bound behind what has been given */
    struct ms_piece_row *rows;
    size_t n_rows, rows_room;
    struct ms_piece_file *files; /* of those rows */
    size_t n_files, files_room;
    struct ms_piece_node *nodes; /* of the piece that is cut, with a symbol's name */
    size_t nodes_room;
    struct ms_piece_span *spans;
    size_t n_spans, spans_room;
    uint32_t *numbers; /* by the number of a file in the piece that is cut: that in `files` */
    size_t numbers_room;
};
void ms_pack_giver_fini(struct ms_pack_giver *giver);

/** Whether the request asks for anything in [low, high). */
bool ms_pack_wants(const struct ms_pack_request *request, uint64_t low, uint64_t high);

/** Reads the image's symbols; may be done while the spool is filled. @return MS_OK, MS_E_NOMEM */
enum ms_status ms_pack_giver_read(struct ms_pack_giver *giver, struct ms_error *err);

/** Makes the second list of the settled spool, and puts it in place of the first.
 *  @return MS_OK, MS_E_NOMEM */
enum ms_status ms_pack_giver_run(struct ms_pack_giver *giver, struct ms_error *err);

#endif
