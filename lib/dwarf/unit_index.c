#include "dwarf/unit_index.h"

#include "base/array.h"
#include "dwarf/aranges.h"
#include "dwarf/reader.h"

#include <stdlib.h>

void ms_unit_index_fini(struct ms_unit_index *index)
{
    free(index->ranges);
    free(index->top);
    memset(index, 0, sizeof *index);
}

size_t ms_unit_index_bytes(const struct ms_unit_index *index)
{
    return index->room * sizeof *index->ranges + (index->top ? index->n * sizeof *index->top : 0);
}

static int by_low(const void *a, const void *b)
{
    const struct ms_range_seen *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    if (x->off != y->off)
        return x->off < y->off ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

/* Sorts, and notes how far back a look-up must go where ranges overlap. */
static enum ms_status finish(struct ms_unit_index *index, struct ms_error *err)
{
    bool ascending = true, overlap = false;
    uint64_t high = 0;
    index->built = true;
    for (size_t i = 1; i < index->n && ascending; i++)
        ascending = by_low(&index->ranges[i - 1], &index->ranges[i]) <= 0;
    if (!ascending)
        qsort(index->ranges, index->n, sizeof *index->ranges, by_low);
    for (size_t i = 1; i < index->n && !overlap; i++)
        overlap = index->ranges[i].low < index->ranges[i - 1].high;
    if (!overlap)
        return MS_OK;
    index->top = malloc(index->n * sizeof *index->top);
    if (!index->top)
        return ms_fail_memory(err);
    for (size_t i = 0; i < index->n; i++) {
        if (index->ranges[i].high > high)
            high = index->ranges[i].high;
        index->top[i] = high;
    }
    return MS_OK;
}

static bool push(struct ms_unit_index *index, uint64_t low, uint64_t high, uint64_t unit_off)
{
    struct ms_range_seen range = {low, high, unit_off};
    index->too_large |= index->n >= index->max;
    if (index->too_large)
        return true;
    return MS_PUSH(index->ranges, index->n, index->room, range);
}

enum ms_status ms_unit_index_from_aranges(struct ms_unit_index *index, struct ms_dwarf *dwarf,
                                          size_t max_bytes, struct ms_error *err)
{
    struct ms_aranges aranges;
    uint64_t low, high;
    index->max = max_bytes / sizeof *index->ranges;
    ms_aranges_start(&aranges, dwarf, NULL);
    while (ms_aranges_next(&aranges, &low, &high))
        if (ms_dwarf_trust(dwarf, low) != MS_TRUST_NONE &&
            !push(index, low, high, aranges.unit_off))
            return ms_fail_memory(err);
    return finish(index, err);
}

static bool take_cover(void *owner, const struct ms_unit *unit, uint64_t low, uint64_t high)
{
    return ms_dwarf_trust(unit->dwarf, low) == MS_TRUST_NONE ||
           push(owner, low, high, unit->header.off);
}

static void note_broken(struct ms_unit_index *index, const struct ms_error *fault)
{
    if (index->broken.status == MS_OK)
        index->broken = *fault;
}

enum ms_status ms_unit_index_from_units(struct ms_unit_index *index, struct ms_lookup *lookup,
                                        size_t max_bytes, struct ms_error *err)
{
    struct ms_dwarf *dwarf = lookup->dwarf;
    struct ms_unit_walk walk = {dwarf, false, 0};
    struct ms_unit_header header;
    struct ms_unit unit;
    struct ms_error found;
    index->max = max_bytes / sizeof *index->ranges;
    for (enum ms_status status;
         (status = ms_unit_walk_next(&walk, &header, &found)) != MS_ABSENT;) {
        if (status == MS_OK)
            status = ms_unit_open(dwarf, &header, &unit, &found);
        if (status == MS_E_NOMEM)
            return ms_fail_memory(err);
        if (status != MS_OK) {
            note_broken(index, &found);
            continue;
        }
        status = ms_cover_unit(lookup, &unit, take_cover, index, err);
        if (status != MS_OK)
            return status;
        note_broken(index, &lookup->error);
    }
    return finish(index, err);
}

/* Keeps `units` ascending and without duplicates. */
static size_t insert(uint64_t *units, size_t n, uint64_t unit_off)
{
    size_t at = 0;
    while (at < n && units[at] < unit_off)
        at++;
    if (n == MS_MAX_CANDIDATES || (at < n && units[at] == unit_off))
        return n;
    memmove(units + at + 1, units + at, (n - at) * sizeof *units);
    units[at] = unit_off;
    return n + 1;
}

size_t ms_unit_index_find(const struct ms_unit_index *index, const struct ms_dwarf *dwarf,
                          uint64_t address, uint64_t units[MS_MAX_CANDIDATES])
{
    size_t i = 0, n = index->n, n_units = 0;
    while (n) { /* the first range that starts behind the address */
        size_t half = n / 2;
        if (index->ranges[i + half].low <= address) {
            i += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    while (i-- > 0 && (!index->top || index->top[i] > address)) {
        const struct ms_range_seen *range = &index->ranges[i];
        if (address < range->high &&
            ms_trust_allows(dwarf, ms_dwarf_trust(dwarf, range->low), address))
            n_units = insert(units, n_units, range->off);
        if (!index->top)
            break; /* none overlap: only the last one to start can hold it */
    }
    return n_units;
}
