#include "dwarf/cover.h"

#include "dwarf/reader.h"

static enum ms_status cover_by_functions(struct ms_lookup *l, const struct ms_unit *unit,
                                         ms_cover_taker take, void *owner, struct ms_error *err)
{
    struct ms_error found;
    if (!unit->has_children)
        return MS_OK;
    enum ms_status status = ms_lookup_collect(l, unit, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK && l->error.status == MS_OK)
        l->error = found;
    for (size_t i = 0; i < l->scan.n_seen; i++)
        if (!take(owner, unit, l->scan.seen[i].low, l->scan.seen[i].high))
            return ms_fail_memory(err);
    return MS_OK;
}

enum ms_status ms_cover_unit(struct ms_lookup *l, const struct ms_unit *unit, ms_cover_taker take,
                             void *owner, struct ms_error *err)
{
    struct ms_ranges ranges;
    uint64_t low, high;
    l->error.status = MS_OK;
    if (!ms_unit_may_have_code(unit))
        return MS_OK;
    if (!ms_pcs_known(&unit->pcs))
        return cover_by_functions(l, unit, take, owner, err);
    ms_ranges_start(&ranges, unit, &unit->pcs, &l->budget.ranges);
    while (ms_ranges_next(&ranges, &low, &high))
        if (!take(owner, unit, low, high))
            return ms_fail_memory(err);
    if (ranges.status == MS_E_FORMAT)
        return cover_by_functions(l, unit, take, owner, err);
    if (ranges.status != MS_OK)
        (void)ms_ranges_fail(&ranges, &l->error);
    return MS_OK;
}
