/* ms_image_statistics: how much of the code the debug information knows. */
#include "machsym/dwarf.h"

#include "base/array.h"
#include "base/error.h"
#include "dwarf/lookup.h"
#include "dwarf/reader.h"
#include "macho/debug_map.h"
#include "resolve/image.h"
#include "resolve/oso_unit.h"
#include "resolve/unit_info.h"

#include <stdlib.h>

/* Half-open ranges, as found until they are merged: then ascending and disjoint. */
struct ranges {
    struct ms_dwarf_range *items;
    size_t n, room;
    size_t merge_at; /* when so many stand there they are merged, which mostly frees room */
};

/* What is known of a piece of code. */
enum kind { NAMED, LINED, ZERO, N_KINDS };

struct store {
    struct ms_lookup lookup;
    struct ranges text;          /* of the section __text */
    struct ranges unit[N_KINDS]; /* of the unit at hand */
    struct ranges all[N_KINDS];
    struct ms_unit_cover *units;
    size_t n_units, units_room;
    struct ms_debug_section *sections;
    /* Of the object at hand, when a debug map leads to it. */
    const struct ms_oso_part *part;
    const char *object; /* its path */
    uint64_t steps;     /* over places, that may still be made */
    struct ms_arena strings;
};

/* A range of an object's code may reach over all of its functions, and there may be many. */
#define MAX_STEPS ((uint64_t)1 << 28)

/* ---- ranges ------------------------------------------------------------------------------ */

static int by_low(const void *a, const void *b)
{
    const struct ms_dwarf_range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

static void merge(struct ranges *r)
{
    size_t n = 0;
    if (r->n > 1)
        qsort(r->items, r->n, sizeof *r->items, by_low);
    for (size_t i = 0; i < r->n; i++) {
        if (n && r->items[i].low <= r->items[n - 1].high) {
            if (r->items[i].high > r->items[n - 1].high)
                r->items[n - 1].high = r->items[i].high;
        } else {
            r->items[n++] = r->items[i];
        }
    }
    r->n = n;
}

static bool push(struct ranges *r, uint64_t low, uint64_t high)
{
    struct ms_dwarf_range item = {low, high};
    if (low >= high)
        return true;
    if (r->n && r->items[r->n - 1].high == low) { /* rows follow each other */
        r->items[r->n - 1].high = high;
        return true;
    }
    if (r->n >= 4096 && r->n >= r->merge_at) {
        merge(r);
        r->merge_at = 2 * r->n;
    }
    return MS_PUSH(r->items, r->n, r->room, item);
}

static bool push_all(struct ranges *to, const struct ranges *from)
{
    for (size_t i = 0; i < from->n; i++)
        if (!push(to, from->items[i].low, from->items[i].high))
            return false;
    return true;
}

/* Bytes of `a`, merged, inside `text`, merged; all of them when no text is known. */
static uint64_t bytes_within(const struct ranges *a, const struct ranges *text)
{
    uint64_t sum = 0;
    size_t k = 0;
    for (size_t i = 0; i < a->n; i++) {
        uint64_t low = a->items[i].low, high = a->items[i].high;
        if (!text->n) {
            sum += high - low;
            continue;
        }
        while (k < text->n && text->items[k].high <= low)
            k++;
        for (size_t j = k; j < text->n && text->items[j].low < high; j++) {
            uint64_t from = text->items[j].low > low ? text->items[j].low : low;
            uint64_t to = text->items[j].high < high ? text->items[j].high : high;
            sum += to - from;
        }
    }
    return sum;
}

/* Takes out of *a what lies in b; both merged. */
static bool subtract(struct ranges *a, const struct ranges *b)
{
    struct ranges out = {NULL, 0, 0, SIZE_MAX};
    size_t k = 0;
    bool ok = true;
    for (size_t i = 0; i < a->n && ok; i++) {
        uint64_t low = a->items[i].low, high = a->items[i].high;
        while (k < b->n && b->items[k].high <= low)
            k++;
        for (size_t j = k; j < b->n && b->items[j].low < high && ok; j++) {
            ok = push(&out, low, b->items[j].low < high ? b->items[j].low : high);
            low = b->items[j].high > low ? b->items[j].high : low;
        }
        ok = ok && push(&out, low, high);
    }
    free(a->items);
    *a = out;
    return ok;
}

/* Sums of the three, once merged. Where a row has a line and another says 0, the line counts. */
static bool sum_up(struct ranges ranges[N_KINDS], const struct ranges *text, struct ms_cover *out)
{
    for (int i = 0; i < N_KINDS; i++)
        merge(&ranges[i]);
    if (ranges[ZERO].n && ranges[LINED].n && !subtract(&ranges[ZERO], &ranges[LINED]))
        return false;
    out->named_bytes = bytes_within(&ranges[NAMED], text);
    out->line_bytes = bytes_within(&ranges[LINED], text);
    out->zero_bytes = bytes_within(&ranges[ZERO], text);
    return true;
}

/* ---- objects ----------------------------------------------------------------------------- */

/* The first place that may hold `vm`, or that starts behind it. */
static size_t first_place(const struct ms_oso_part *part, uint64_t vm)
{
    size_t low = 0, high = part->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (part->places[middle].object_vm <= vm)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return 0;
    uint64_t start = part->places[low - 1].object_vm;
    while (low && part->places[low - 1].object_vm == start)
        low--; /* names of one function, which may have been linked more than once */
    return low;
}

/*
 * Notes code of the unit at hand where it is in the image: that of an object only as far as it lies
 * in functions that were linked. *inside tells whether any of it is.
 */
static bool push_code(struct store *s, enum kind kind, uint64_t low, uint64_t high, bool *inside)
{
    bool ok = true;
    *inside = !s->part && low < high;
    if (!s->part)
        return push(&s->unit[kind], low, high);
    for (size_t i = first_place(s->part, low);
         ok && i < s->part->n && s->part->places[i].object_vm < high && s->steps; i++, s->steps--) {
        const struct ms_oso_place *p = &s->part->places[i];
        uint64_t from = low > p->object_vm ? low - p->object_vm : 0;
        uint64_t to = high - p->object_vm < p->bytes ? high - p->object_vm : p->bytes;
        if (from >= to)
            continue;
        *inside = true;
        ok = push(&s->unit[kind], p->vm + from, p->vm + to);
    }
    return ok;
}

/* ---- one unit ---------------------------------------------------------------------------- */

/* The function whose ranges come one after the other. */
struct functions {
    struct store *store;
    struct ms_cover *out;
    uint64_t die_off;
    bool named;
    /* Of an object: the functions of the unit that are in the image, ascending. */
    uint64_t *linked;
    size_t n, room, next;
    bool inside; /* the one at hand is */
};

static bool take_function(void *owner, const struct ms_unit *unit, uint64_t die_off, uint64_t low,
                          uint64_t high)
{
    struct functions *f = owner;
    struct ms_lookup *l = &f->store->lookup;
    if (f->die_off != die_off) {
        struct ms_function function;
        f->die_off = die_off;
        f->named =
            ms_function_read(l->dwarf, &l->references, unit, die_off, &function, NULL) == MS_OK &&
            (function.linkage || function.name);
    }
    bool inside;
    if (!f->named)
        return true;
    if (!push_code(f->store, NAMED, low, high, &inside))
        return false;
    if (!f->store->part || !inside || (f->n && f->linked[f->n - 1] == die_off))
        return true;
    return MS_PUSH(f->linked, f->n, f->room, die_off);
}

/* Of an object what was linked counts, and the calls inlined there. */
static bool count_linked(void *owner, const struct ms_unit *unit, uint64_t die_off, uint64_t low,
                         uint64_t high)
{
    struct functions *f = owner;
    struct ms_die die;
    (void)low;
    (void)high;
    if (!f->store->part || !ms_die_open(unit, die_off, &die))
        return true;
    if (die.abbrev->tag != DW_TAG_subprogram) {
        f->out->n_inlined += f->inside;
        return true;
    }
    while (f->next < f->n && f->linked[f->next] < die_off)
        f->next++;
    f->inside = f->next < f->n && f->linked[f->next] == die_off;
    f->out->n_functions += f->inside;
    return true;
}

static enum ms_status cover_functions(struct store *s, const struct ms_unit *unit,
                                      struct ms_cover *out, struct ms_error *err)
{
    struct functions functions = {.store = s, .out = out, .die_off = UINT64_MAX};
    struct ms_lookup *l = &s->lookup;
    struct ms_error fault;
    enum ms_status first =
        ms_lookup_pass(l, unit, MS_SCAN_COLLECT, take_function, &functions, &fault);
    enum ms_status status = ms_lookup_pass(l, unit, MS_SCAN_CHECK, count_linked, &functions, err);
    if (!s->part) {
        out->n_functions = l->scan.n_functions;
        out->n_inlined = l->scan.n_inlined;
    }
    free(functions.linked);
    if (status != MS_OK || first == MS_OK)
        return status;
    if (err)
        *err = fault;
    return first;
}

static enum ms_status cover_lines(struct store *s, const struct ms_unit *unit, struct ms_cover *out,
                                  struct ms_error *err)
{
    struct ms_lookup *l = &s->lookup;
    enum ms_status status = ms_lookup_start(l, unit, NULL, 0, err);
    if (status != MS_OK)
        return status;
    bool open = ms_lookup_open_lines(l, &status, err);
    if (status != MS_OK || l->error.status != MS_OK) {
        if (status == MS_OK && err)
            *err = l->error;
        return status != MS_OK ? status : l->error.status;
    }
    if (!open)
        return MS_OK;
    struct ms_line_state state = ms_line_state_at(0);
    uint64_t last = 0;
    uint32_t line = 0;
    bool inside = false, trusted = false, linked = true;
    while (ms_line_next(&l->machine, &state)) {
        if (!inside)
            trusted = ms_dwarf_trust(l->dwarf, state.address) == MS_TRUST_ALL;
        else if (trusted && !push_code(s, line ? LINED : ZERO, last, state.address, &linked))
            return ms_fail_memory(err);
        out->n_rows += !s->part || (inside && trusted && linked);
        last = state.address;
        line = state.line;
        inside = !state.end;
    }
    return state.fault || inside ? ms_line_machine_fail(&l->machine, &state, err) : MS_OK;
}

static void note_fault(struct ms_dwarf_statistics *out, const struct ms_error *fault)
{
    if (out->first_fault.status == MS_OK)
        out->first_fault = *fault;
    out->n_broken++;
}

/* An object is closed once it was read. */
static bool keep_strings(struct store *s, struct ms_unit_info *unit)
{
    const char **strings[] = {&unit->name, &unit->comp_dir, &unit->producer};
    for (int i = 0; i < 3; i++) {
        if (!*strings[i])
            continue;
        *strings[i] = ms_arena_copy(&s->strings, *strings[i], strlen(*strings[i]));
        if (!*strings[i])
            return false;
    }
    return true;
}

static enum ms_status cover_unit(struct store *s, const struct ms_unit_header *header,
                                 struct ms_dwarf_statistics *out, struct ms_error *err)
{
    struct ms_unit unit;
    struct ms_error fault;
    struct ms_unit_cover item;
    memset(&item, 0, sizeof item);
    enum ms_status status = ms_unit_open(s->lookup.dwarf, header, &unit, &fault);
    if (status == MS_OK && (!unit.tag || !ms_unit_may_have_code(&unit)))
        return MS_OK;
    if (status == MS_OK) {
        ms_unit_info_read(&unit, &item.unit);
        item.object = s->object;
        if (s->part && !keep_strings(s, &item.unit))
            return ms_fail_memory(err);
        for (int i = 0; i < N_KINDS; i++)
            s->unit[i].n = 0;
        status = cover_functions(s, &unit, &item.cover, &fault);
        if (status != MS_E_NOMEM) {
            struct ms_error second;
            enum ms_status lines = cover_lines(s, &unit, &item.cover, &second);
            if (status == MS_OK && lines != MS_OK)
                fault = second;
            status = lines == MS_E_NOMEM || status == MS_OK ? lines : status;
        }
        if (status == MS_E_NOMEM || !sum_up(s->unit, &s->text, &item.cover))
            return ms_fail_memory(err);
        for (int i = 0; i < N_KINDS; i++)
            if (!push_all(&s->all[i], &s->unit[i]))
                return ms_fail_memory(err);
    } else if (status == MS_E_NOMEM) {
        return ms_fail_memory(err);
    } else {
        item.unit.off = header->off;
        item.unit.version = header->encoding.version;
    }
    item.broken = status != MS_OK;
    if (item.broken)
        note_fault(out, &fault);
    out->total.n_functions += item.cover.n_functions;
    out->total.n_inlined += item.cover.n_inlined;
    out->total.n_rows += item.cover.n_rows;
    return MS_PUSH(s->units, s->n_units, s->units_room, item) ? MS_OK : ms_fail_memory(err);
}

/* ---- the whole --------------------------------------------------------------------------- */

static enum ms_status cover_units(struct store *s, struct ms_dwarf_statistics *out,
                                  struct ms_error *err)
{
    struct ms_unit_walk walk = {s->lookup.dwarf, false, 0};
    struct ms_unit_header header;
    struct ms_error fault;
    for (enum ms_status status;
         (status = ms_unit_walk_next(&walk, &header, &fault)) != MS_ABSENT;) {
        if (status != MS_OK) {
            note_fault(out, &fault);
            continue;
        }
        s->lookup.budget.info_bytes = ms_budget_for(s->lookup.dwarf, 0).info_bytes;
        status = cover_unit(s, &header, out, err);
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
}

static void note_missing(struct ms_dwarf_statistics *out, const struct ms_error *error)
{
    if (!out->n_missing++)
        out->first_missing = *error;
}

/* One object of the debug map, which is closed again. */
static enum ms_status cover_object(struct store *s, struct ms_oso_part *part,
                                   struct ms_dwarf_statistics *out, struct ms_error *err)
{
    out->n_objects++;
    if (part->unit.status != MS_OK)
        note_missing(out, &part->unit.error);
    if (part->unit.status != MS_OK || !part->unit.dwarf.reader)
        return MS_OK;
    s->part = part;
    ms_lookup_init(&s->lookup, part->unit.dwarf.reader, 0);
    enum ms_status status = cover_units(s, out, err);
    ms_lookup_fini(&s->lookup);
    s->part = NULL;
    if (status == MS_OK && ms_file_torn(part->unit.object.file))
        status = ms_fail(err, MS_E_IO, ms_file_path(part->unit.object.file), MS_NO_OFFSET,
                         "was truncated while it was read");
    return status;
}

/* Without DWARF of its own an image has that of the objects it was linked from. */
static enum ms_status cover_objects(struct store *s, struct ms_image *image,
                                    struct ms_dwarf_statistics *out, struct ms_error *err)
{
    struct ms_debug_map map;
    struct ms_oso *oso = ms_image_oso(image);
    enum ms_status status = ms_debug_map_read(&image->binary.macho, &map, err);
    if (status != MS_OK)
        return status == MS_ABSENT ? MS_OK : status;
    s->steps = MAX_STEPS;
    for (size_t i = 0; i < map.n_objects && status == MS_OK; i++) {
        struct ms_oso_part part;
        bool last;
        status = ms_oso_part_open(oso, i, &part, &last, err);
        if (status == MS_ABSENT) { /* no code of it was linked */
            status = MS_OK;
            continue;
        }
        if (status != MS_OK)
            break;
        const char *path = ms_object_path(&image->search, map.objects[i].path, &s->strings);
        s->object = path ? ms_arena_copy(&s->strings, path, strlen(path)) : NULL;
        status = s->object ? cover_object(s, &part, out, err) : ms_fail_memory(err);
        ms_oso_part_close(&part);
    }
    ms_debug_map_fini(&map);
    if (status == MS_OK && !s->steps)
        status = ms_fail(err, MS_E_LIMIT, image->binary.macho.where, MS_NO_OFFSET,
                         "the objects' code overlaps the functions of the debug map too often");
    return status;
}

static bool take_text(struct store *s, const struct ms_macho *macho)
{
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if (strcmp(section->name, "__text") == 0 && section->vm_bytes <= UINT64_MAX - section->vm &&
            !push(&s->text, section->vm, section->vm + section->vm_bytes))
            return false;
    }
    merge(&s->text);
    return true;
}

/* What symbols name beyond DWARF. */
static enum ms_status cover_symbols(struct store *s, struct ms_image *image,
                                    struct ms_dwarf_statistics *out, struct ms_error *err)
{
    ms_image_read_symbols(image);
    const struct ms_symbols *tables[] = {&image->binary_symbols, &image->debug_symbols};
    struct ranges named = {NULL, 0, 0, 0};
    bool ok = push_all(&named, &s->all[NAMED]);
    for (int t = 0; t < 2 && ok; t++)
        for (size_t i = 0; i < tables[t]->n && ok; i++)
            if (tables[t]->items[i].name)
                ok = push(&named, tables[t]->items[i].start_vm, tables[t]->items[i].end_vm);
    merge(&named);
    out->symbol_bytes = bytes_within(&named, &s->text);
    free(named.items);
    return ok && !image->starved ? MS_OK : ms_fail_memory(err);
}

enum ms_status ms_image_debug_sections(struct ms_image *image, struct ms_debug_section **out,
                                       size_t *n, struct ms_error *err)
{
    const struct ms_macho *macho = &ms_image_dwarf_part(image)->macho;
    *n = 0;
    *out = calloc(macho->n_sections + 1, sizeof **out);
    if (!*out)
        return ms_fail_memory(err);
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if (strcmp(section->segment_name, "__DWARF") != 0)
            continue;
        struct ms_debug_section *item = &(*out)[(*n)++];
        memcpy(item->name, section->name, sizeof item->name);
        item->off = section->off;
        item->bytes = section->vm_bytes;
    }
    return MS_OK;
}

void ms_dwarf_statistics_fini(struct ms_dwarf_statistics *statistics)
{
    struct store *s = statistics->storage;
    if (s) {
        ms_lookup_fini(&s->lookup);
        for (int i = 0; i < N_KINDS; i++) {
            free(s->unit[i].items);
            free(s->all[i].items);
        }
        free(s->text.items);
        free(s->units);
        free(s->sections);
        ms_arena_fini(&s->strings);
        free(s);
    }
    memset(statistics, 0, sizeof *statistics);
}

static enum ms_status take_all(struct store *s, struct ms_image *image,
                               struct ms_dwarf_statistics *out, struct ms_error *err)
{
    enum ms_status status = take_text(s, ms_image_macho(image)) ? MS_OK : ms_fail_memory(err);
    if (status == MS_OK)
        status = ms_image_debug_sections(image, &s->sections, &out->n_sections, err);
    if (status == MS_OK && image->dwarf.reader)
        status = cover_units(s, out, err);
    else if (status == MS_OK)
        status = cover_objects(s, image, out, err);
    if (status == MS_OK && !sum_up(s->all, &s->text, &out->total))
        status = ms_fail_memory(err);
    if (status == MS_OK)
        status = cover_symbols(s, image, out, err);
    for (size_t i = 0; i < s->text.n; i++)
        out->text_bytes += s->text.items[i].high - s->text.items[i].low;
    out->units = s->units;
    out->n_units = s->n_units;
    out->sections = s->sections;
    return status == MS_OK ? ms_image_intact(image, err) : status;
}

enum ms_status ms_image_statistics(struct ms_image *image, struct ms_dwarf_statistics *out,
                                   struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct ms_dwarf *dwarf = ms_image_dwarf(image);
    if (!dwarf && image->dwarf_ready == MS_FAILED && err)
        *err = image->dwarf_error;
    if (!dwarf && image->dwarf_ready == MS_FAILED)
        return image->dwarf_error.status;
    if (!dwarf && !ms_image_oso(image))
        return image->starved ? ms_fail_memory(err) : MS_ABSENT;
    struct store *s = calloc(1, sizeof *s);
    if (!s)
        return ms_fail_memory(err);
    out->storage = s;
    ms_arena_init(&s->strings, 0);
    if (dwarf)
        ms_lookup_init(&s->lookup, dwarf, 0);
    enum ms_status status = take_all(s, image, out, err);
    if (status != MS_OK)
        ms_dwarf_statistics_fini(out);
    return status;
}
