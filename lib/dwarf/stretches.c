#include "dwarf/stretches.h"

#include "base/array.h"
#include "dwarf/aranges.h"
#include "dwarf/reader.h"

#include <stdlib.h>
#include <string.h>

static int by_unit_and_low(const void *a, const void *b)
{
    const struct ms_range_of_unit *x = a, *y = b;
    if (x->unit_off != y->unit_off)
        return x->unit_off < y->unit_off ? -1 : 1;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

enum ms_status ms_named_ranges_read(struct ms_named_ranges *out, struct ms_dwarf *dwarf,
                                    struct ms_error *err)
{
    struct ms_aranges aranges;
    uint64_t low, high;
    bool ascending = true;
    memset(out, 0, sizeof *out);
    ms_aranges_start(&aranges, dwarf, NULL);
    while (ms_aranges_next(&aranges, &low, &high)) {
        struct ms_range_of_unit range = {aranges.unit_off, low, high};
        if (ms_dwarf_trust(dwarf, low) == MS_TRUST_NONE)
            continue;
        ascending &= !out->n || by_unit_and_low(&out->items[out->n - 1], &range) <= 0;
        if (!MS_PUSH(out->items, out->n, out->room, range)) {
            ms_named_ranges_fini(out);
            return ms_fail_memory(err);
        }
    }
    if (!ascending)
        qsort(out->items, out->n, sizeof *out->items, by_unit_and_low);
    return MS_OK;
}

void ms_named_ranges_fini(struct ms_named_ranges *named)
{
    free(named->items);
    memset(named, 0, sizeof *named);
}

/* The first range of the unit, or of one behind it. */
static size_t first_named(const struct ms_named_ranges *named, uint64_t unit_off)
{
    size_t from = 0, n = named->n;
    while (n) {
        size_t half = n / 2;
        if (named->items[from + half].unit_off < unit_off) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

static int by_low(const void *a, const void *b)
{
    const struct ms_dwarf_range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Sorts, and joins what overlaps or touches. */
void ms_stretches_join(struct ms_stretches *s)
{
    size_t kept = 0;
    if (s->n)
        qsort(s->items, s->n, sizeof *s->items, by_low);
    for (size_t i = 0; i < s->n; i++) {
        struct ms_dwarf_range *last = kept ? &s->items[kept - 1] : NULL;
        if (last && s->items[i].low <= last->high)
            last->high = s->items[i].high > last->high ? s->items[i].high : last->high;
        else
            s->items[kept++] = s->items[i];
    }
    s->n = kept;
}

/* A range that starts outside the code has only what lies outside it, so it may be cut. */
bool ms_stretches_add(struct ms_stretches *s, const struct ms_dwarf *dwarf, uint64_t low,
                      uint64_t high)
{
    enum ms_trust trust = ms_dwarf_trust(dwarf, low);
    if (trust == MS_TRUST_NONE || low >= high)
        return true;
    if (trust == MS_TRUST_OUTSIDE)
        for (size_t i = 0; i < dwarf->s.n_code; i++)
            if (dwarf->s.code[i].low >= low && dwarf->s.code[i].low < high) {
                struct ms_dwarf_range before = {low, dwarf->s.code[i].low};
                if (before.low < before.high && !MS_PUSH(s->items, s->n, s->room, before))
                    return false;
                low = dwarf->s.code[i].high;
                if (low >= high)
                    return true;
            }
    struct ms_dwarf_range range = {low, high};
    return MS_PUSH(s->items, s->n, s->room, range);
}

bool ms_stretches_add_named(struct ms_stretches *s, const struct ms_dwarf *dwarf,
                            const struct ms_named_ranges *named, uint64_t unit_off)
{
    for (size_t i = first_named(named, unit_off);
         i < named->n && named->items[i].unit_off == unit_off; i++)
        if (!ms_stretches_add(s, dwarf, named->items[i].low, named->items[i].high))
            return false;
    return true;
}

size_t ms_stretches_find(const struct ms_stretches *s, uint64_t address)
{
    size_t from = 0, n = s->n;
    while (n) {
        size_t half = n / 2;
        if (s->items[from + half].high <= address) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

void ms_stretches_fini(struct ms_stretches *s)
{
    free(s->items);
    memset(s, 0, sizeof *s);
}
