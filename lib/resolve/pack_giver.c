#include "resolve/pack_giver.h"

#include "base/array.h"
#include "base/sort.h"
#include "dwarf/scan.h"

#include <stdlib.h>
#include <string.h>

void ms_pack_giver_fini(struct ms_pack_giver *g)
{
    free(g->bounds);
    free(g->rows);
    free(g->files);
    free(g->numbers);
    free(g->nodes);
    free(g->spans);
}

bool ms_pack_wants(const struct ms_pack_request *request, uint64_t low, uint64_t high)
{
    if (!request->only)
        return true;
    size_t i = ms_lower_bound(request->only, request->n_only, low);
    return i < request->n_only && request->only[i] < high;
}

static enum ms_status give(struct ms_pack_giver *g, const struct ms_piece *piece,
                           struct ms_error *err)
{
    if (!ms_pack_wants(g->request, piece->low, piece->high))
        return MS_OK;
    g->counts->n_pieces++;
    return ms_spool_put(g->spool, piece) ? MS_OK : ms_fail_memory(err);
}

static bool add_symbol_bounds(struct ms_pack_giver *g, const struct ms_symbols *symbols)
{
    for (size_t i = 0; i < symbols->n; i++)
        if (!MS_PUSH(g->bounds, g->n_bounds, g->bounds_room, symbols->items[i].start_vm) ||
            !MS_PUSH(g->bounds, g->n_bounds, g->bounds_room, symbols->items[i].end_vm))
            return false;
    return true;
}

enum ms_status ms_pack_giver_read(struct ms_pack_giver *g, struct ms_error *err)
{
    ms_image_read_symbols(g->image);
    if (g->image->starved || !add_symbol_bounds(g, &g->image->binary_symbols) ||
        !add_symbol_bounds(g, &g->image->debug_symbols))
        return ms_fail_memory(err);
    uint64_t *scratch = malloc((g->n_bounds + 1) * sizeof *scratch);
    if (!scratch)
        return ms_fail_memory(err);
    ms_sort_u64(g->bounds, scratch, g->n_bounds);
    g->n_bounds = ms_unique_u64(g->bounds, g->n_bounds);
    free(scratch);
    return MS_OK;
}

/* Only files of the rows that are left are named, since the others are not asked for. */
static bool keep_files(struct ms_pack_giver *g, const struct ms_piece *lines)
{
    g->n_files = 0;
    while (g->numbers_room < lines->n_files)
        if (!ms_array_grow(&g->numbers, g->numbers_room, &g->numbers_room, sizeof *g->numbers))
            return false;
    for (size_t i = 0; i < lines->n_files; i++)
        g->numbers[i] = 0;
    for (size_t i = 0; i < g->n_rows; i++) {
        uint32_t file = g->rows[i].file;
        if (!file)
            continue;
        if (!g->numbers[file - 1]) {
            if (!MS_PUSH(g->files, g->n_files, g->files_room, lines->files[file - 1]))
                return false;
            g->numbers[file - 1] = (uint32_t)g->n_files;
        }
        g->rows[i].file = g->numbers[file - 1];
    }
    return true;
}

/* The rows of [low, high), the first of them cut to start there. */
static bool cut_rows(struct ms_pack_giver *g, const struct ms_piece *lines, uint64_t low,
                     uint64_t high)
{
    g->n_rows = g->n_files = 0;
    for (size_t i = 0; lines && i < lines->n_rows && lines->rows[i].low < high; i++) {
        struct ms_piece_row row = lines->rows[i];
        if (row.low <= low) {
            row.low = low;
            g->n_rows = 0;
        }
        if (!MS_PUSH(g->rows, g->n_rows, g->rows_room, row))
            return false;
    }
    return !lines || lines->n_nodes || keep_files(g, lines);
}

/* The same of spans, and all nodes. */
static bool cut_nodes(struct ms_pack_giver *g, const struct ms_piece *cut, uint64_t low,
                      uint64_t high)
{
    g->n_spans = 0;
    for (size_t i = 0; i < cut->n_spans && cut->spans[i].low < high; i++) {
        struct ms_piece_span span = cut->spans[i];
        if (span.low <= low) {
            span.low = low;
            g->n_spans = 0;
        }
        if (!MS_PUSH(g->spans, g->n_spans, g->spans_room, span))
            return false;
    }
    size_t n = 0;
    for (size_t i = 0; i < cut->n_nodes; i++)
        if (!MS_PUSH(g->nodes, n, g->nodes_room, cut->nodes[i]))
            return false;
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_name(const struct ms_frame *a, const struct ms_frame *b)
{
    return a->source == b->source && a->has_start == b->has_start && a->start_vm == b->start_vm &&
           same_text(a->linkage, b->linkage) && same_text(a->name, b->name);
}

/* One stretch that a symbol names, or nothing does; lines may be known all the same, and what is
 * inlined into a function without a name. */
static enum ms_status give_named(struct ms_pack_giver *g, const struct ms_frame *frame,
                                 const struct ms_piece *cut, uint64_t low, uint64_t high,
                                 struct ms_error *err)
{
    struct ms_piece_node node = {.linkage = frame->linkage,
                                 .name = frame->name,
                                 .start_vm = frame->start_vm,
                                 .has_start = frame->has_start,
                                 .parent = MS_NO_PARENT};
    struct ms_piece_span span = {low, 0};
    struct ms_piece piece = {.low = low, .high = high, .source = MS_SOURCE_DWARF};
    bool named = frame->has_start; /* a symbol always has one */
    bool in_function = cut && cut->n_nodes;
    if (!cut_rows(g, cut, low, high) || (in_function && !cut_nodes(g, cut, low, high)))
        return ms_fail_memory(err);
    if (in_function) {
        if (named)
            g->nodes[0] = node;
        piece.nodes = g->nodes;
        piece.n_nodes = cut->n_nodes;
        piece.spans = g->spans;
        piece.n_spans = g->n_spans;
    } else if (named) {
        piece.nodes = &node;
        piece.spans = &span;
        piece.n_nodes = piece.n_spans = 1;
    }
    if (named)
        piece.source = frame->source;
    piece.rows = g->rows;
    piece.n_rows = g->n_rows;
    piece.files = in_function ? cut->files : g->files;
    piece.n_files = in_function ? cut->n_files : g->n_files;
    piece.damaged = cut && cut->damaged;
    return piece.n_nodes || piece.n_rows || piece.damaged ? give(g, &piece, err) : MS_OK;
}

/* What no function of DWARF's has, from `low` on: named by symbols as far as they go. */
static enum ms_status give_unnamed(struct ms_pack_giver *g, const struct ms_piece *lines,
                                   uint64_t low, uint64_t high, struct ms_error *err)
{
    struct ms_frame frame, next;
    enum ms_status status = MS_OK;
    while (g->at < g->n_bounds && g->bounds[g->at] <= low)
        g->at++;
    ms_image_symbol_frame(g->image, low, &frame);
    for (; g->at < g->n_bounds && g->bounds[g->at] < high && status == MS_OK; g->at++) {
        uint64_t bound = g->bounds[g->at];
        ms_image_symbol_frame(g->image, bound, &next);
        if (same_name(&frame, &next))
            continue;
        status = give_named(g, &frame, lines, low, bound, err);
        frame = next;
        low = bound;
    }
    return status == MS_OK && low < high ? give_named(g, &frame, lines, low, high, err) : status;
}

/* The i-th stretch, in which DWARF names a function, or symbols may. */
static enum ms_status give_stretch(struct ms_pack_giver *g, size_t i, struct ms_piece_room *room,
                                   struct ms_error *err)
{
    struct ms_piece piece;
    uint64_t low, high;
    if (!ms_spool_is_named(g->spool, i))
        return ms_spool_get(g->spool, i, room, &piece)
                   ? give_unnamed(g, &piece, piece.low, piece.high, err)
                   : ms_fail_memory(err);
    ms_spool_range(g->spool, i, &low, &high);
    if (!ms_pack_wants(g->request, low, high))
        return MS_OK;
    g->counts->n_pieces++;
    return ms_spool_keep(g->spool, i, room) ? MS_OK : ms_fail_memory(err);
}

enum ms_status ms_pack_giver_run(struct ms_pack_giver *g, struct ms_error *err)
{
    struct ms_piece_room room;
    enum ms_status status = MS_OK;
    uint64_t end = 0; /* of what has been given */
    memset(&room, 0, sizeof room);
    for (size_t i = 0; i < ms_spool_n(g->spool) && status == MS_OK; i++) {
        uint64_t low, high;
        ms_spool_range(g->spool, i, &low, &high);
        if (end < low)
            status = give_unnamed(g, NULL, end, low, err);
        if (status == MS_OK)
            status = give_stretch(g, i, &room, err);
        end = high;
    }
    if (status == MS_OK)
        status = give_unnamed(g, NULL, end, UINT64_MAX, err);
    ms_piece_room_fini(&room);
    ms_spool_replace(g->spool);
    return status;
}
