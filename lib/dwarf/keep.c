#include "dwarf/keep.h"

#include "base/array.h"
#include "dwarf/reader.h"

#include <stdlib.h>

static void free_unit(struct ms_kept_unit *kept)
{
    if (!kept)
        return;
    free(kept->spans);
    free(kept->outside);
    ms_line_files_fini(&kept->files);
    ms_line_index_fini(&kept->lines);
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

/* Parts the ranges by trust, those that are trusted wholly first; keeps each part's order. */
static size_t part_by_trust(const struct ms_dwarf *dwarf, struct ms_range_seen *seen, size_t n,
                            struct ms_range_seen *outside)
{
    size_t n_all = 0, n_outside = 0;
    for (size_t i = 0; i < n; i++) {
        if (ms_dwarf_trust(dwarf, seen[i].low) == MS_TRUST_ALL)
            seen[n_all++] = seen[i];
        else
            outside[n_outside++] = seen[i];
    }
    return n_all;
}

static enum ms_status index_functions(struct ms_lookup *l, struct ms_kept_unit *kept,
                                      struct ms_error *err)
{
    struct ms_error found;
    enum ms_status status = ms_lookup_collect(l, &kept->unit, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    note(kept, status, &found);
    size_t n = l->scan.n_seen;
    struct ms_range_seen *outside = n ? malloc(n * sizeof *outside) : NULL;
    if (n && !outside)
        return ms_fail_memory(err);
    size_t n_all = part_by_trust(l->dwarf, l->scan.seen, n, outside);
    status = ms_spans_build(l->scan.seen, n_all, &kept->spans, &kept->n_spans, err);
    if (status == MS_OK)
        status = ms_spans_build(outside, n - n_all, &kept->outside, &kept->n_outside, err);
    free(outside);
    return status;
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
    status = ms_line_index_build(&l->machine, &kept->lines, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
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
           kept->files.files_room * sizeof *kept->files.files +
           kept->lines.marks_room * sizeof *kept->lines.marks +
           kept->lines.sequences_room * sizeof *kept->lines.sequences;
}

static enum ms_status index_unit(struct ms_keep *keep, struct ms_kept_unit *kept,
                                 struct ms_error *err)
{
    struct ms_lookup *l = &keep->lookup;
    l->budget = ms_budget_for(l->dwarf, 1);
    enum ms_status status = index_functions(l, kept, err);
    if (status != MS_OK)
        return status;
    status = ms_lookup_start(l, &kept->unit, NULL, 0, err);
    if (status == MS_OK)
        status = index_lines(l, kept, err);
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
