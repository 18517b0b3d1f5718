#include "dwarf/keep.h"

#include "base/array.h"
#include "dwarf/reader.h"

#include <stdlib.h>

static void drop_indexes(struct ms_kept_unit *kept)
{
    free(kept->spans);
    free(kept->outside);
    ms_line_files_fini(&kept->files);
    ms_line_index_fini(&kept->lines);
    kept->spans = kept->outside = NULL;
    kept->n_spans = kept->n_outside = 0;
}

static void free_unit(struct ms_kept_unit *kept)
{
    if (!kept)
        return;
    drop_indexes(kept);
    free(kept);
}

struct ms_keep *ms_keep_of(struct ms_dwarf *dwarf)
{
    if (!dwarf->keep && (dwarf->keep = calloc(1, sizeof *dwarf->keep)))
        ms_lookup_init(&dwarf->keep->lookup, dwarf, 1);
    return dwarf->keep;
}

void ms_keep_close(struct ms_keep *keep)
{
    if (!keep)
        return;
    for (size_t i = 0; i < keep->n_units; i++)
        free_unit(keep->units[i]);
    free(keep->units);
    ms_unit_index_fini(&keep->named);
    ms_unit_index_fini(&keep->covered);
    ms_lookup_fini(&keep->lookup);
    free(keep);
}

void ms_keep_trim(struct ms_keep *keep, size_t bytes)
{
    while (keep->bytes > bytes && keep->n_units) {
        size_t oldest = 0;
        for (size_t i = 1; i < keep->n_units; i++)
            if (keep->units[i]->used < keep->units[oldest]->used)
                oldest = i;
        keep->bytes -= keep->units[oldest]->bytes;
        free_unit(keep->units[oldest]);
        keep->units[oldest] = keep->units[--keep->n_units];
    }
}

/* ---- indexing a unit --------------------------------------------------------------------- */

static void note(struct ms_kept_unit *kept, enum ms_status status, const struct ms_error *found)
{
    if (status != MS_OK && status != MS_ABSENT && kept->error.status == MS_OK)
        kept->error = *found;
}

/* The ranges of a unit's functions, parted by trust. */
struct parts {
    struct ms_range_seen *all, *outside;
    size_t n_all, all_room, n_outside, outside_room;
    size_t max;     /* ranges that may be held … */
    bool too_large; /* … and whether there were more */
};

static bool take_range(void *owner, const struct ms_unit *unit, uint64_t die_off, uint64_t low,
                       uint64_t high)
{
    struct parts *p = owner;
    struct ms_range_seen seen = {low, high, die_off};
    p->too_large |= p->n_all + p->n_outside >= p->max;
    if (p->too_large)
        return true;
    return ms_dwarf_trust(unit->dwarf, low) == MS_TRUST_ALL
               ? MS_PUSH(p->all, p->n_all, p->all_room, seen)
               : MS_PUSH(p->outside, p->n_outside, p->outside_room, seen);
}

static enum ms_status make_spans(struct ms_kept_unit *kept, const struct parts *p,
                                 struct ms_error *err)
{
    enum ms_status status = ms_spans_build(p->all, p->n_all, &kept->spans, &kept->n_spans, err);
    return status == MS_OK
               ? ms_spans_build(p->outside, p->n_outside, &kept->outside, &kept->n_outside, err)
               : status;
}

static enum ms_status index_functions(struct ms_lookup *l, struct ms_kept_unit *kept,
                                      struct ms_error *err)
{
    struct ms_error found;
    struct parts parts = {.max = l->dwarf->max_kept / sizeof *parts.all};
    enum ms_status status =
        ms_lookup_pass(l, &kept->unit, MS_SCAN_COLLECT, take_range, &parts, &found);
    note(kept, status, &found);
    if (status == MS_E_NOMEM)
        (void)ms_fail_memory(err);
    else if (!parts.too_large)
        status = make_spans(kept, &parts, err);
    kept->stream = parts.too_large;
    free(parts.all);
    free(parts.outside);
    return status == MS_E_NOMEM ? status : MS_OK;
}

static enum ms_status index_lines(struct ms_lookup *l, struct ms_kept_unit *kept,
                                  struct ms_error *err)
{
    struct ms_error found;
    enum ms_status status;
    bool open = ms_lookup_open_lines(l, &status, err);
    note(kept, l->error.status, &l->error);
    if (status != MS_OK)
        return status;
    if (!open)
        return MS_OK;
    status = ms_line_index_build(&l->machine, l->dwarf->max_kept, &kept->lines, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status == MS_E_LIMIT)
        kept->stream = true;
    else
        note(kept, status, &found);
    kept->has_lines = true;
    kept->line_header = l->line_header;
    kept->files = l->files; /* with those that the program defined */
    memset(&l->files, 0, sizeof l->files);
    return MS_OK;
}

static size_t bytes_of(const struct ms_kept_unit *kept)
{
    return sizeof *kept + (kept->n_spans + kept->n_outside) * sizeof *kept->spans +
           kept->files.dirs_room * sizeof *kept->files.dirs +
           kept->files.files_room * sizeof *kept->files.files + ms_line_index_bytes(&kept->lines);
}

static enum ms_status index_unit(struct ms_keep *keep, struct ms_kept_unit *kept,
                                 struct ms_error *err)
{
    struct ms_lookup *l = &keep->lookup;
    l->budget = ms_budget_for(l->dwarf, 1);
    enum ms_status status = index_functions(l, kept, err);
    if (status == MS_OK && !kept->stream)
        status = ms_lookup_start(l, &kept->unit, NULL, 0, err);
    if (status == MS_OK && !kept->stream)
        status = index_lines(l, kept, err);
    if (kept->stream)
        drop_indexes(kept);
    ms_lookup_meter(l, &kept->unit);
    kept->bytes = bytes_of(kept);
    return status;
}

enum ms_status ms_keep_unit(struct ms_keep *keep, uint64_t unit_off, struct ms_kept_unit **out,
                            struct ms_error *err)
{
    struct ms_dwarf *dwarf = keep->lookup.dwarf;
    struct ms_unit_header header;
    for (size_t i = 0; i < keep->n_units; i++) {
        if (keep->units[i]->unit.header.off == unit_off) {
            *out = keep->units[i];
            (*out)->used = ++keep->clock;
            return MS_OK;
        }
    }
    enum ms_status status = ms_unit_header_read(dwarf, false, unit_off, &header, err);
    if (status != MS_OK)
        return status;
    struct ms_kept_unit *kept = calloc(1, sizeof *kept);
    if (!kept ||
        !ms_array_grow(&keep->units, keep->n_units, &keep->units_room, sizeof *keep->units)) {
        free(kept);
        return ms_fail_memory(err);
    }
    status = ms_unit_open(dwarf, &header, &kept->unit, err);
    if (status == MS_OK)
        status = index_unit(keep, kept, err);
    if (status != MS_OK) {
        free_unit(kept);
        return status;
    }
    kept->used = ++keep->clock;
    keep->bytes += kept->bytes;
    keep->units[keep->n_units++] = kept;
    *out = kept;
    return MS_OK;
}
