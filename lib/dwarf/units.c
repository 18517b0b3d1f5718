#include "dwarf/units.h"

#include "base/array.h"
#include "dwarf/aranges.h"
#include "dwarf/reader.h"

#include <stdlib.h>

/* Headers to go through from a known start before the complete list is made. */
enum { MAX_STEPS = 32 };

enum ms_status ms_unit_walk_next(struct ms_unit_walk *walk, struct ms_unit_header *out,
                                 struct ms_error *err)
{
    size_t n = walk->in_types ? walk->dwarf->s.types.n : walk->dwarf->s.info.n;
    if (walk->next >= n)
        return MS_ABSENT;
    enum ms_status status = ms_unit_header_read(walk->dwarf, walk->in_types, walk->next, out, err);
    walk->next = out->end > walk->next ? out->end : n;
    return status;
}

void ms_unit_map_fini(struct ms_unit_map *map)
{
    free(map->starts);
    free(map->signatures);
    memset(map, 0, sizeof *map);
}

static int by_offset(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static bool push_start(struct ms_unit_map *map, uint64_t off)
{
    return MS_PUSH(map->starts, map->n, map->room, off);
}

static enum ms_status fill_from_aranges(struct ms_dwarf *dwarf, struct ms_error *err)
{
    struct ms_unit_map *map = &dwarf->units;
    struct ms_aranges sets;
    bool ascending = true;
    ms_aranges_start(&sets, dwarf, NULL);
    while (ms_aranges_next_set(&sets)) {
        if (map->n && map->starts[map->n - 1] > sets.unit_off)
            ascending = false;
        if (!push_start(map, sets.unit_off))
            return ms_fail_memory(err);
    }
    if (!ascending)
        qsort(map->starts, map->n, sizeof *map->starts, by_offset);
    map->filled = true;
    return MS_OK;
}

static enum ms_status fill_all(struct ms_dwarf *dwarf, struct ms_error *err)
{
    struct ms_unit_map *map = &dwarf->units;
    struct ms_unit_walk walk = {dwarf, false, 0};
    struct ms_unit_header header;
    map->n = 0;
    map->complete = map->filled = true;
    for (;;) {
        uint64_t off = walk.next;
        if (ms_unit_walk_next(&walk, &header, NULL) == MS_ABSENT)
            return MS_OK;
        if (!push_start(map, off))
            return ms_fail_memory(err);
    }
}

/* Walks from the last known start at or before `off`. */
static enum ms_status walk_to(struct ms_dwarf *dwarf, uint64_t off, struct ms_unit_header *out,
                              struct ms_error *err)
{
    const struct ms_unit_map *map = &dwarf->units;
    size_t low = 0, high = map->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->starts[middle] <= off)
            low = middle + 1;
        else
            high = middle;
    }
    struct ms_unit_walk walk = {dwarf, false, low ? map->starts[low - 1] : 0};
    for (int i = 0; i < MAX_STEPS && walk.next <= off; i++) {
        enum ms_status status = ms_unit_walk_next(&walk, out, err);
        if (status != MS_OK && (status == MS_ABSENT || map->complete))
            return status;
        if (status == MS_OK && off < out->end)
            return MS_OK;
    }
    return MS_ABSENT;
}

enum ms_status ms_unit_map_find(struct ms_dwarf *dwarf, uint64_t off, struct ms_unit_header *out,
                                struct ms_error *err)
{
    struct ms_unit_map *map = &dwarf->units;
    enum ms_status status = MS_OK;
    if (off >= dwarf->s.info.n)
        return MS_ABSENT;
    if (!map->filled)
        status = fill_from_aranges(dwarf, err);
    if (status == MS_OK)
        status = walk_to(dwarf, off, out, err);
    if (status == MS_OK || status == MS_E_NOMEM || map->complete)
        return status;
    status = fill_all(dwarf, err);
    return status == MS_OK ? walk_to(dwarf, off, out, err) : status;
}

/* ---- type units ------------------------------------------------------------------------- */

static int by_signature(const void *a, const void *b)
{
    const struct ms_signature *x = a, *y = b;
    if (x->signature != y->signature)
        return x->signature < y->signature ? -1 : 1;
    return x->off < y->off ? -1 : x->off > y->off;
}

static enum ms_status add_signatures(struct ms_dwarf *dwarf, bool in_types, struct ms_error *err)
{
    struct ms_unit_map *map = &dwarf->units;
    struct ms_unit_walk walk = {dwarf, in_types, 0};
    struct ms_unit_header header;
    for (enum ms_status status; (status = ms_unit_walk_next(&walk, &header, NULL)) != MS_ABSENT;) {
        if (status != MS_OK || header.type != DW_UT_type)
            continue;
        struct ms_signature item = {header.signature, header.off, in_types};
        if (!MS_PUSH(map->signatures, map->n_signatures, map->signatures_room, item))
            return ms_fail_memory(err);
    }
    return MS_OK;
}

enum ms_status ms_unit_map_find_type(struct ms_dwarf *dwarf, uint64_t signature,
                                     struct ms_unit_header *out, struct ms_error *err)
{
    struct ms_unit_map *map = &dwarf->units;
    if (!map->has_signatures) {
        map->has_signatures = true;
        enum ms_status status = add_signatures(dwarf, true, err);
        if (status == MS_OK)
            status = add_signatures(dwarf, false, err);
        if (status != MS_OK)
            return status;
        if (map->n_signatures)
            qsort(map->signatures, map->n_signatures, sizeof *map->signatures, by_signature);
    }
    size_t low = 0, high = map->n_signatures;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->signatures[middle].signature < signature)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == map->n_signatures || map->signatures[low].signature != signature)
        return MS_ABSENT;
    return ms_unit_header_read(dwarf, map->signatures[low].in_types, map->signatures[low].off, out,
                               err);
}

/* ---- references ------------------------------------------------------------------------- */

static const struct ms_unit *find_opened(const struct ms_opened_units *opened, uint64_t off)
{
    for (unsigned i = 0; i < opened->n; i++) {
        const struct ms_unit_header *h = &opened->units[i].header;
        if (!h->in_types && off >= h->off && off < h->end)
            return &opened->units[i];
    }
    return NULL;
}

enum ms_status ms_opened_units_open(struct ms_dwarf *dwarf, struct ms_opened_units *opened,
                                    const struct ms_unit_header *header, const struct ms_unit **out,
                                    struct ms_error *err)
{
    struct ms_unit unit;
    enum ms_status status = ms_unit_open(dwarf, header, &unit, err);
    if (status != MS_OK)
        return status;
    struct ms_unit *place = &opened->units[opened->next];
    opened->next = (opened->next + 1) % MS_OPENED_UNITS;
    if (opened->n < MS_OPENED_UNITS)
        opened->n++;
    *place = unit;
    *out = place;
    return MS_OK;
}

static enum ms_status follow_far(struct ms_dwarf *dwarf, struct ms_opened_units *opened,
                                 const struct ms_unit *from, uint64_t off,
                                 const struct ms_unit **unit, uint64_t *die_off,
                                 struct ms_error *err)
{
    struct ms_unit_header header;
    bool near = !from->header.in_types && off >= from->header.off && off < from->header.end;
    const struct ms_unit *known = near ? from : find_opened(opened, off);
    enum ms_status status = MS_OK;
    if (!known) {
        status = ms_unit_map_find(dwarf, off, &header, err);
        if (status == MS_OK)
            status = ms_opened_units_open(dwarf, opened, &header, &known, err);
    }
    if (status == MS_OK) {
        *unit = known;
        *die_off = off - known->header.off;
    }
    return status;
}

enum ms_status ms_unit_follow(struct ms_dwarf *dwarf, struct ms_opened_units *opened,
                              const struct ms_unit *from, const struct ms_value *value,
                              const struct ms_unit **unit, uint64_t *die_off, struct ms_error *err)
{
    struct ms_unit_header header;
    enum ms_status status;
    switch (value->form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
        *unit = from;
        *die_off = value->u;
        return value->u < from->bytes.n ? MS_OK : MS_ABSENT;
    case DW_FORM_ref_addr:
        return follow_far(dwarf, opened, from, value->u, unit, die_off, err);
    case DW_FORM_ref_sig8:
        status = ms_unit_map_find_type(dwarf, value->u, &header, err);
        if (status == MS_OK)
            status = ms_opened_units_open(dwarf, opened, &header, unit, err);
        *die_off = header.type_off;
        return status;
    }
    return MS_ABSENT;
}
