/* ms_image_statistics: how much of the code the debug information knows. */
#include "machsym/dwarf.h"

#include "base/array.h"
#include "dwarf/lookup.h"
#include "dwarf/reader.h"
#include "resolve/image.h"
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
    bool no_memory;
};

/* ---- ranges -------------------------------------------------------------------------------- */

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

/* ---- one unit -------------------------------------------------------------------------------- */

/* The function whose ranges come one after the other. */
struct functions {
    struct store *store;
    uint64_t die_off;
    bool named;
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
    return !f->named || push(&f->store->unit[NAMED], low, high);
}

static bool count_only(void *owner, const struct ms_unit *unit, uint64_t die_off, uint64_t low,
                       uint64_t high)
{
    (void)owner;
    (void)unit;
    (void)die_off;
    (void)low;
    (void)high;
    return true;
}

static enum ms_status cover_functions(struct store *s, const struct ms_unit *unit,
                                      struct ms_cover *out, struct ms_error *err)
{
    struct functions functions = {s, UINT64_MAX, false};
    struct ms_lookup *l = &s->lookup;
    enum ms_status status = ms_lookup_pass(l, unit, MS_SCAN_CHECK, count_only, NULL, err);
    out->n_functions = l->scan.n_functions;
    out->n_inlined = l->scan.n_inlined;
    enum ms_status second =
        ms_lookup_pass(l, unit, MS_SCAN_COLLECT, take_function, &functions, NULL);
    return status != MS_OK ? status : second;
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
    bool inside = false, trusted = false;
    while (ms_line_next(&l->machine, &state)) {
        out->n_rows++;
        if (!inside)
            trusted = ms_dwarf_trust(l->dwarf, state.address) == MS_TRUST_ALL;
        else if (trusted && !push(&s->unit[line ? LINED : ZERO], last, state.address))
            return ms_fail_memory(err);
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

/* ---- the whole ---------------------------------------------------------------------------------
 */

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
    if (status == MS_OK)
        status = cover_units(s, out, err);
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
    if (!dwarf)
        return image->dwarf_ready == MS_FAILED ? image->dwarf_error.status : MS_ABSENT;
    struct store *s = calloc(1, sizeof *s);
    if (!s)
        return ms_fail_memory(err);
    out->storage = s;
    ms_lookup_init(&s->lookup, dwarf, 0);
    enum ms_status status = take_all(s, image, out, err);
    if (status != MS_OK)
        ms_dwarf_statistics_fini(out);
    return status;
}
