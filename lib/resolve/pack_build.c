#include "resolve/pack_build.h"

#include "base/array.h"
#include "dwarf/pieces.h"
#include "dwarf/units.h"
#include "machsym/workers.h"
#include "pack/split.h"
#include "resolve/pack_giver.h"

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
    struct ms_split_room split;
    struct ms_piece_claim claim; /* of the piece that is split */
    enum ms_status status;       /* MS_OK, MS_E_NOMEM */
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
    struct ms_pack_giver giver;
    enum ms_status symbols; /* MS_OK, MS_E_NOMEM */
};

static bool take_part(void *owner, const struct ms_piece *part)
{
    struct worker *w = owner;
    return ms_spool_add(w->build->spool, w->lane, w->turn, part, w->claim);
}

static bool take_piece(void *owner, const struct ms_piece *piece,
                       const struct ms_piece_claim *claim)
{
    struct worker *w = owner;
    if (!ms_pack_wants(w->build->request, piece->low, piece->high))
        return true;
    w->claim = *claim;
    return w->build->request->in_parts ? ms_piece_split(piece, &w->split, take_part, w)
                                       : take_part(w, piece);
}

/* Symbols first, then the units. */
static void do_item(void *owner, size_t worker, size_t item)
{
    struct build *b = owner;
    struct worker *w = &b->workers[worker];
    if (!item--) {
        b->symbols = ms_pack_giver_read(&b->giver, NULL);
        return;
    }
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
    ms_workers_run(b->n_workers, b->n_units + 1, do_item, b);
    if (b->symbols != MS_OK)
        return ms_fail_memory(err);
    for (size_t i = 0; i < b->n_workers; i++)
        if (b->workers[i].status != MS_OK)
            return ms_fail_memory(err);
    count_faults(b, n_walked, counts);
    return ms_spool_settle(b->spool, err);
}

static void free_build(struct build *b)
{
    for (size_t i = 0; b->workers && i < b->n_workers; i++) {
        ms_split_room_fini(&b->workers[i].split);
        ms_piece_maker_close(b->workers[i].maker);
        ms_dwarf_close(b->workers[i].reader);
    }
    free(b->workers);
    free(b->units);
    free(b->faults);
    ms_named_ranges_fini(&b->named);
    ms_pack_giver_fini(&b->giver);
}

/* ---- all of it --------------------------------------------------------------------------- */

enum ms_status ms_pack_build(struct ms_image *image, const struct ms_pack_request *request,
                             struct ms_spool **out, struct ms_pack_counts *counts,
                             struct ms_error *err)
{
    struct build b = {.image = image, .request = request, .n_workers = request->n_workers};
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
    b.giver = (struct ms_pack_giver){
        .image = image, .request = request, .spool = b.spool, .counts = counts};
    if (status == MS_OK)
        status = run_units(&b, dwarf, counts, err);
    if (status == MS_OK)
        status = ms_pack_giver_run(&b.giver, err);
    if (status == MS_OK)
        status = ms_image_intact(image, err);
    free_build(&b);
    if (status != MS_OK)
        ms_spool_close(b.spool);
    else
        *out = b.spool;
    return status;
}
