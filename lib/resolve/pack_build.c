#include "resolve/pack_build.h"

#include "base/array.h"
#include "base/sort.h"
#include "dwarf/pieces.h"
#include "dwarf/scan.h"
#include "dwarf/units.h"
#include "machsym/workers.h"

#include <stdlib.h>
#include <string.h>

/* ---- DWARF, unit by unit ----------------------------------------------------------------- */

/* One thread's: nothing in it is shared, but the sections that the reader reads. */
struct worker {
    struct build *build;
    size_t lane;
    uint32_t turn; /* the unit in hand */
    struct ms_dwarf *reader;
    struct ms_piece_maker *maker;
    enum ms_status status; /* MS_OK, MS_E_NOMEM */
    char pad[64];
};

struct build {
    struct ms_image *image;
    const struct ms_pack_request *request;
    struct ms_spool *spool;
    struct ms_named_ranges named;
    uint64_t *units; /* offsets in .debug_info */
    size_t n_units, units_room;
    struct ms_unit_fault *faults; /* one a unit */
    struct worker *workers;
    size_t n_workers;
};

static bool is_wanted(const struct ms_pack_request *request, uint64_t low, uint64_t high)
{
    if (!request->only)
        return true;
    size_t i = ms_lower_bound(request->only, request->n_only, low);
    return i < request->n_only && request->only[i] < high;
}

static bool take_piece(void *owner, const struct ms_piece *piece,
                       const struct ms_piece_claim *claim)
{
    struct worker *w = owner;
    return !is_wanted(w->build->request, piece->low, piece->high) ||
           ms_spool_add(w->build->spool, w->lane, w->turn, piece, *claim);
}

static void do_unit(void *owner, size_t worker, size_t item)
{
    struct build *b = owner;
    struct worker *w = &b->workers[worker];
    if (w->status != MS_OK)
        return;
    if (!w->maker) {
        w->status = ms_dwarf_open(&b->image->dwarf.sections, &w->reader, NULL);
        if (w->status == MS_OK)
            w->status = ms_piece_maker_open(w->reader, &b->named, &w->maker, NULL);
    }
    w->turn = (uint32_t)item;
    if (w->status == MS_OK)
        w->status =
            ms_piece_maker_run(w->maker, b->units[item], take_piece, w, &b->faults[item], NULL);
}

static enum ms_status list_units(struct build *b, struct ms_dwarf *dwarf,
                                 struct ms_pack_counts *counts, struct ms_error *err)
{
    struct ms_unit_walk walk = {dwarf, false, 0};
    struct ms_unit_header header;
    struct ms_error found;
    for (enum ms_status status;
         (status = ms_unit_walk_next(&walk, &header, &found)) != MS_ABSENT;) {
        if (status == MS_E_NOMEM)
            return ms_fail_memory(err);
        counts->n_units++;
        counts->lost |= status != MS_OK;
        if (status != MS_OK && !counts->n_broken++)
            counts->first_fault = found;
        if (status == MS_OK && !MS_PUSH(b->units, b->n_units, b->units_room, header.off))
            return ms_fail_memory(err);
    }
    return MS_OK;
}

/*
 * What .debug_aranges names and the walk over the units doesn't find: a look-up tries it, too, and
 * says of its addresses that it is damaged.
 */
static bool list_named(struct build *b)
{
    size_t n = b->n_units, at = 0;
    uint64_t last = UINT64_MAX;
    for (size_t i = 0; i < b->named.n; i++) {
        uint64_t off = b->named.items[i].unit_off;
        while (at < n && b->units[at] < off)
            at++;
        if (off == last || (at < n && b->units[at] == off))
            continue;
        if (!MS_PUSH(b->units, b->n_units, b->units_room, off))
            return false;
        last = off;
    }
    return true;
}

static void count_faults(const struct build *b, size_t n, struct ms_pack_counts *counts)
{
    for (size_t i = 0; i < n; i++) {
        counts->lost |= b->faults[i].lost;
        if (b->faults[i].error.status != MS_OK && !counts->n_broken++)
            counts->first_fault = b->faults[i].error;
    }
}

static enum ms_status run_units(struct build *b, struct ms_dwarf *dwarf,
                                struct ms_pack_counts *counts, struct ms_error *err)
{
    enum ms_status status = list_units(b, dwarf, counts, err);
    size_t n_walked = b->n_units;
    if (status == MS_OK)
        status = ms_named_ranges_read(&b->named, dwarf, err);
    if (status == MS_OK && !list_named(b))
        status = ms_fail_memory(err);
    if (status != MS_OK)
        return status;
    if (b->n_units >= UINT32_MAX) /* turns are counted in 32 bits */
        return ms_fail_memory(err);
    b->faults = calloc(b->n_units + 1, sizeof *b->faults);
    b->workers = calloc(b->n_workers, sizeof *b->workers);
    if (!b->faults || !b->workers)
        return ms_fail_memory(err);
    for (size_t i = 0; i < b->n_workers; i++)
        b->workers[i] = (struct worker){.build = b, .lane = i};
    ms_workers_run(b->n_workers, b->n_units, do_unit, b);
    for (size_t i = 0; i < b->n_workers; i++)
        if (b->workers[i].status != MS_OK)
            return ms_fail_memory(err);
    count_faults(b, n_walked, counts);
    return ms_spool_settle(b->spool, err);
}

static void free_build(struct build *b)
{
    for (size_t i = 0; b->workers && i < b->n_workers; i++) {
        ms_piece_maker_close(b->workers[i].maker);
        ms_dwarf_close(b->workers[i].reader);
    }
    free(b->workers);
    free(b->units);
    free(b->faults);
    ms_named_ranges_fini(&b->named);
}

/* ---- symbols, where DWARF names nothing ------------------------------------------------------ */

/* Goes through the pieces in order, for the second list. */
struct giver {
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

static enum ms_status give(struct giver *g, const struct ms_piece *piece, struct ms_error *err)
{
    if (!is_wanted(g->request, piece->low, piece->high))
        return MS_OK;
    g->counts->n_pieces++;
    return ms_spool_put(g->spool, piece) ? MS_OK : ms_fail_memory(err);
}

static bool add_symbol_bounds(struct giver *g, const struct ms_symbols *symbols)
{
    for (size_t i = 0; i < symbols->n; i++)
        if (!MS_PUSH(g->bounds, g->n_bounds, g->bounds_room, symbols->items[i].start_vm) ||
            !MS_PUSH(g->bounds, g->n_bounds, g->bounds_room, symbols->items[i].end_vm))
            return false;
    return true;
}

static enum ms_status find_symbol_bounds(struct giver *g, struct ms_error *err)
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
static bool keep_files(struct giver *g, const struct ms_piece *lines)
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
static bool cut_rows(struct giver *g, const struct ms_piece *lines, uint64_t low, uint64_t high)
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
static bool cut_nodes(struct giver *g, const struct ms_piece *cut, uint64_t low, uint64_t high)
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
static enum ms_status give_named(struct giver *g, const struct ms_frame *frame,
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
static enum ms_status give_unnamed(struct giver *g, const struct ms_piece *lines, uint64_t low,
                                   uint64_t high, struct ms_error *err)
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
static enum ms_status give_stretch(struct giver *g, size_t i, struct ms_piece_room *room,
                                   struct ms_error *err)
{
    struct ms_piece piece;
    uint64_t low, high;
    if (!ms_spool_is_named(g->spool, i))
        return ms_spool_get(g->spool, i, room, &piece)
                   ? give_unnamed(g, &piece, piece.low, piece.high, err)
                   : ms_fail_memory(err);
    ms_spool_range(g->spool, i, &low, &high);
    if (!is_wanted(g->request, low, high))
        return MS_OK;
    g->counts->n_pieces++;
    return ms_spool_keep(g->spool, i, room) ? MS_OK : ms_fail_memory(err);
}

static enum ms_status give_all(struct giver *g, struct ms_error *err)
{
    struct ms_piece_room room;
    enum ms_status status = find_symbol_bounds(g, err);
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

static void free_giver(struct giver *g)
{
    free(g->bounds);
    free(g->rows);
    free(g->files);
    free(g->numbers);
    free(g->nodes);
    free(g->spans);
}

/* ---- all of it --------------------------------------------------------------------------- */

enum ms_status ms_pack_build(struct ms_image *image, const struct ms_pack_request *request,
                             struct ms_spool **out, struct ms_pack_counts *counts,
                             struct ms_error *err)
{
    struct build b = {.image = image, .request = request, .n_workers = request->n_workers};
    struct giver g = {.image = image, .request = request, .counts = counts};
    memset(counts, 0, sizeof *counts);
    struct ms_dwarf *dwarf = ms_image_dwarf(image);
    if (!dwarf && image->dwarf_ready == MS_FAILED) {
        if (err)
            *err = image->dwarf_error;
        return image->dwarf_error.status;
    }
    if (!dwarf)
        return MS_ABSENT;
    if (!b.n_workers)
        b.n_workers = ms_workers_of_machine();
    if (b.n_workers > MS_MAX_WORKERS)
        b.n_workers = MS_MAX_WORKERS;
    enum ms_status status = ms_spool_open(b.n_workers, &b.spool, err);
    if (status == MS_OK)
        status = run_units(&b, dwarf, counts, err);
    free_build(&b);
    g.spool = b.spool;
    if (status == MS_OK)
        status = give_all(&g, err);
    if (status == MS_OK)
        status = ms_image_intact(image, err);
    free_giver(&g);
    if (status != MS_OK)
        ms_spool_close(b.spool);
    else
        *out = b.spool;
    return status;
}
