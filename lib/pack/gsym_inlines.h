/**
 * pack/gsym_inlines.h: the inlined calls of a function of a GSYM file.
 */
#ifndef MS_PACK_GSYM_INLINES_H
#define MS_PACK_GSYM_INLINES_H

#include "base/error.h"
#include "pack/piece.h"

/** Where a node has code. */
struct ms_gsym_range {
    uint64_t low, high;
    uint32_t node;
};

/** Reused from function to function. Zeroed is empty. */
struct ms_gsym_inlines {
    struct ms_piece_node *nodes; /* the function first; names are still missing */
    uint32_t *names;             /* strings of the nodes */
    uint32_t *ranks; /* of two nodes that have the same code the lower is the inner, or first */
    uint32_t *first_range, *n_own_ranges; /* of each node: ascending, disjoint, in the parent's */
    size_t n_nodes, nodes_room, names_room, ranks_room, first_room, own_room;
    struct ms_piece_span *spans;
    size_t n_spans, spans_room;
    uint32_t entry; /* see gsym_format.h; 0 where nothing is said */
    struct ms_gsym_range *ranges;
    uint32_t *heap; /* ranges, the one of lowest rank first */
    size_t n_ranges, ranges_room, n_heap, heap_room;
};

void ms_gsym_inlines_fini(struct ms_gsym_inlines *inlines);

/** The function alone, at `low`. */
enum ms_status ms_gsym_inlines_begin(struct ms_gsym_inlines *inlines, uint64_t low,
                                     struct ms_error *err);

/**
 * Adds the calls. Files stay numbers of the file's table.
 * @param address  NULL: all calls; else those at this address alone, which is all that can be
 *                 asked then
 * @param off      where `bytes` lie in the file, for messages
 * @return MS_E_FORMAT; MS_E_LIMIT; MS_E_NOMEM
 */
enum ms_status ms_gsym_inlines_read(struct ms_gsym_inlines *inlines, struct ms_bytes bytes,
                                    bool big, uint64_t low, const uint64_t *address,
                                    const char *where, uint64_t off, struct ms_error *err);

#endif
