/* ms_dwarf_find: one address after the other, from indexes that are kept. */
#include "dwarf/fault.h"
#include "dwarf/keep.h"
#include "dwarf/reader.h"

/* The best answer so far. */
struct best {
    uint64_t address, size;
    bool found;
    struct ms_dwarf_answers *out;
    uint64_t tried[MS_MAX_CANDIDATES];
    size_t n_tried;
};

static const struct ms_span *span_of(const struct ms_kept_unit *kept, uint64_t address)
{
    const struct ms_dwarf *dwarf = kept->unit.dwarf;
    const struct ms_span *inside = ms_spans_find(kept->spans, kept->n_spans, address);
    const struct ms_span *outside = ms_spans_find(kept->outside, kept->n_outside, address);
    if (!outside || !ms_trust_allows(dwarf, MS_TRUST_OUTSIDE, address))
        return inside;
    return !inside || outside->size < inside->size ? outside : inside;
}

/* Runs the passes from where the unit's indexes lead. */
static enum ms_status look_up(struct ms_lookup *l, struct ms_kept_unit *kept,
                              const uint64_t *address, struct ms_error *err)
{
    if (kept->stream)
        return ms_lookup_run(l, &kept->unit, address, 1, err);
    const struct ms_span *span = span_of(kept, *address);
    enum ms_status status = ms_lookup_start(l, &kept->unit, address, 1, err);
    l->error = kept->error;
    if (status == MS_OK && span)
        status = ms_lookup_functions(l, span->off, span->off, err);
    if (status != MS_OK || !kept->has_lines)
        return status;
    l->has_lines = true;
    l->line_header = kept->line_header;
    ms_line_machine_init(&l->machine, &l->line_header, NULL);
    (void)ms_line_index_find(&kept->lines, &l->machine, *address, &l->hits[0]);
    return MS_OK;
}

/* The unit broke: the address says so unless something better is known of it. */
static enum ms_status report_fault(struct best *best, const struct ms_error *fault,
                                   struct ms_error *err)
{
    struct ms_dwarf_hit *hit = &best->out->hits[0];
    if (fault->status == MS_OK)
        return MS_OK;
    if (!ms_answers_error(best->out, fault, &hit->error))
        return ms_fail_memory(err);
    hit->status = fault->status;
    return MS_OK;
}

static enum ms_status try_unit(struct ms_keep *keep, uint64_t unit_off, struct best *best,
                               struct ms_error *err)
{
    struct ms_kept_unit *kept;
    struct ms_lookup *l = &keep->lookup;
    struct ms_error found;
    enum ms_status status = ms_keep_unit(keep, unit_off, &kept, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK)
        return best->found ? MS_OK : report_fault(best, &found, err);
    l->budget = ms_budget_for(l->dwarf, 1);
    struct ms_line_files own = l->files;
    if (!kept->stream)
        l->files = kept->files;
    status = look_up(l, kept, &best->address, err);
    uint64_t size = status == MS_OK ? l->scan.claims[0].size : 0;
    bool better = status == MS_OK && ms_lookup_found(l, 0) &&
                  (size ? !best->size || size < best->size : !best->found);
    if (better) {
        status = ms_lookup_frames(l, 0, best->out, &best->out->hits[0], err);
        best->size = size;
        best->found = best->out->hits[0].n_frames > 0;
    }
    if (!kept->stream)
        l->files = own;
    if (status == MS_OK && (better || !best->found))
        status = report_fault(best, &l->error, err);
    return status;
}

static bool was_tried(const struct best *best, uint64_t unit_off)
{
    for (size_t i = 0; i < best->n_tried; i++)
        if (best->tried[i] == unit_off)
            return true;
    return false;
}

static enum ms_status try_units(struct ms_keep *keep, const struct ms_unit_index *index,
                                struct best *best, struct ms_error *err)
{
    uint64_t units[MS_MAX_CANDIDATES];
    size_t n = ms_unit_index_find(index, keep->lookup.dwarf, best->address, units);
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < n && status == MS_OK; i++)
        if (!was_tried(best, units[i]))
            status = try_unit(keep, units[i], best, err);
    memcpy(best->tried, units, n * sizeof *units);
    best->n_tried = n;
    return status;
}

/* An index is made at its first use, unless it is too large to keep. */
static enum ms_status make_index(struct ms_keep *keep, struct ms_unit_index *index, bool named,
                                 struct ms_error *err)
{
    struct ms_dwarf *dwarf = keep->lookup.dwarf;
    if (index->built)
        return MS_OK;
    keep->lookup.budget = ms_budget_for(dwarf, 1);
    enum ms_status status =
        named ? ms_unit_index_from_aranges(index, dwarf, dwarf->max_kept / 2, err)
              : ms_unit_index_from_units(index, &keep->lookup, dwarf->max_kept / 2, err);
    if (status != MS_OK || index->too_large) {
        keep->stream = status == MS_OK;
        ms_unit_index_fini(index);
        return status;
    }
    keep->bytes += ms_unit_index_bytes(index);
    return MS_OK;
}

static enum ms_status find_kept(struct ms_keep *keep, struct best *best, struct ms_error *err)
{
    enum ms_status status = make_index(keep, &keep->named, true, err);
    if (status == MS_OK && !keep->stream)
        status = try_units(keep, &keep->named, best, err);
    if (status != MS_OK || keep->stream || best->found)
        return status;
    status = make_index(keep, &keep->covered, false, err);
    if (status == MS_OK && !keep->stream)
        status = try_units(keep, &keep->covered, best, err);
    if (status == MS_OK && !keep->stream && best->out->hits[0].status == MS_ABSENT)
        status = report_fault(best, &keep->covered.broken, err);
    return status;
}

enum ms_status ms_dwarf_find(struct ms_dwarf *dwarf, uint64_t address_vm,
                             struct ms_dwarf_answers *out, struct ms_error *err)
{
    struct best best = {.address = address_vm, .out = out};
    struct ms_keep *keep = ms_keep_of(dwarf);
    enum ms_status status = keep ? ms_answers_start(out, 1, err) : ms_fail_memory(err);
    if (status == MS_OK && !keep->stream) {
        status = find_kept(keep, &best, err);
        ms_keep_trim(keep, dwarf->max_kept);
    }
    if (status == MS_OK && keep->stream)
        status = ms_dwarf_find_many(dwarf, &address_vm, 1, out, err);
    if (status != MS_OK)
        ms_dwarf_answers_fini(out);
    return status;
}
