#include "dwarf/cover.h"

#include "dwarf/reader.h"

/* Whose ranges they are is not of interest here. */
struct cover {
    ms_cover_taker take;
    void *owner;
};

static bool take_function(void *owner, const struct ms_unit *unit, uint64_t die_off, uint64_t low,
                          uint64_t high)
{
    const struct cover *cover = owner;
    (void)die_off;
    return cover->take(cover->owner, unit, low, high);
}

static enum ms_status cover_by_functions(struct ms_lookup *l, const struct ms_unit *unit,
                                         ms_cover_taker take, void *owner, struct ms_error *err)
{
    struct ms_error found;
    struct cover cover = {take, owner};
    if (!unit->has_children)
        return MS_OK;
    enum ms_status status = ms_lookup_pass(l, unit, MS_SCAN_COLLECT, take_function, &cover, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK && l->error.status == MS_OK)
        l->error = found;
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
    if (!ms_pcs_known(unit->pcs))
        return cover_by_functions(l, unit, take, owner, err);
    ms_ranges_start(&ranges, unit, unit->pcs, &l->budget.ranges);
    while (ms_ranges_next(&ranges, &low, &high))
        if (!take(owner, unit, low, high))
            return ms_fail_memory(err);
    if (ranges.status == MS_E_FORMAT)
        return cover_by_functions(l, unit, take, owner, err);
    if (ranges.status != MS_OK)
        (void)ms_ranges_fail(&ranges, &l->error);
    return MS_OK;
}
