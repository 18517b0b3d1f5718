#include "dwarf/abbrev.h"

#include "base/array.h"
#include "base/bytes.h"
#include "dwarf/fault.h"

#include <stdlib.h>

/* Attributes of one declaration; real: 30. Without a bound each DIE of some bytes could
 * make us read a whole section of specifications whose values take no bytes. */
enum { MAX_ATTRIBUTES = 128, MAX_SKIP = 0xffff };

bool ms_spec_next(struct ms_cursor *specs, struct ms_spec *out)
{
    out->attribute = ms_cursor_uleb(specs);
    uint64_t form = ms_cursor_uleb(specs);
    out->form = ms_form_normalize(form);
    out->implicit = form == DW_FORM_implicit_const ? ms_cursor_sleb(specs) : 0;
    if (specs->bad || (out->attribute == 0 && form == 0))
        return false;
    if (out->form == MS_FORM_UNKNOWN) {
        ms_cursor_spoil(specs);
        return false;
    }
    return true;
}

const struct ms_abbrev *ms_abbrev_find_sparse(const struct ms_abbrevs *table, uint64_t code)
{
    size_t low = 0, high = table->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->codes[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->n && table->codes[low] == code ? &table->items[low] : NULL;
}

/* ---- compiling ----------------------------------------------------------------------- */

/* A program under way: bytes to skip that no step has taken up yet. */
struct maker {
    struct ms_abbrevs *table;
    uint64_t skip;
    bool failed; /* memory */
};

static void push_step(struct maker *m, struct ms_step step)
{
    struct ms_abbrevs *t = m->table;
    if (!MS_PUSH(t->steps, t->n_steps, t->steps_room, step))
        m->failed = true;
}

static void act(struct maker *m, uint8_t action, uint8_t form)
{
    while (m->skip > MAX_SKIP) {
        push_step(m, (struct ms_step){MAX_SKIP, MS_ACT_NONE, 0});
        m->skip -= MAX_SKIP;
    }
    push_step(m, (struct ms_step){(uint16_t)m->skip, action, form});
    m->skip = 0;
}

static void add_skip(struct maker *m, uint8_t form)
{
    static const uint8_t actions[] = {
        [MS_SHAPE_LEB] = MS_ACT_LEB,           [MS_SHAPE_STRING] = MS_ACT_STRING,
        [MS_SHAPE_BLOCK1] = MS_ACT_BLOCK1,     [MS_SHAPE_BLOCK2] = MS_ACT_BLOCK2,
        [MS_SHAPE_BLOCK4] = MS_ACT_BLOCK4,     [MS_SHAPE_BLOCK] = MS_ACT_BLOCK,
        [MS_SHAPE_INDIRECT] = MS_ACT_INDIRECT,
    };
    unsigned size;
    enum ms_form_shape shape = ms_form_shape(form, &m->table->encoding, &size);
    if (shape != MS_SHAPE_FIXED)
        act(m, actions[shape], form);
    m->skip += size;
}

enum ms_die_part ms_part_of(uint64_t attribute)
{
    switch (attribute) {
    case DW_AT_low_pc:
        return MS_LOW;
    case DW_AT_high_pc:
        return MS_HIGH;
    case DW_AT_ranges:
        return MS_RANGES;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        return MS_LINKAGE;
    case DW_AT_name:
        return MS_NAME;
    case DW_AT_abstract_origin:
        return MS_ORIGIN;
    case DW_AT_specification:
        return MS_SPECIFICATION;
    case DW_AT_entry_pc:
        return MS_ENTRY;
    case DW_AT_call_file:
        return MS_CALL_FILE;
    case DW_AT_call_line:
        return MS_CALL_LINE;
    case DW_AT_call_column:
        return MS_CALL_COLUMN;
    }
    return MS_N_PARTS;
}

/* Takes the value if it is one of the first `n_parts` parts, else skips it. */
static bool add_part(struct maker *m, const struct ms_spec *spec, enum ms_die_part n_parts)
{
    enum ms_die_part part = ms_part_of(spec->attribute);
    if (part >= n_parts) {
        add_skip(m, spec->form);
        return false;
    }
    act(m, (uint8_t)(MS_ACT_TAKE + part), spec->form);
    if (spec->form == DW_FORM_implicit_const) {
        struct ms_step halves[2];
        memcpy(halves, &spec->implicit, sizeof halves);
        push_step(m, halves[0]);
        push_step(m, halves[1]);
    }
    return true;
}

static uint8_t kind_of(uint64_t tag, bool children, bool has_code)
{
    if (tag == DW_TAG_inlined_subroutine)
        return MS_DIE_INLINED;
    if (tag != DW_TAG_subprogram)
        return MS_DIE_PLAIN;
    if (has_code)
        return MS_DIE_FUNCTION;
    return children ? MS_DIE_DECLARATION : MS_DIE_PLAIN;
}

/* Compiles the specifications at `c` into a program that passes the DIE by and takes the
 * first `n_parts` parts; leaves c behind their end. */
static uint32_t compile_program(struct maker *m, struct ms_cursor *c, enum ms_die_part n_parts,
                                bool *has_code, bool *too_many)
{
    uint32_t first = (uint32_t)m->table->n_steps;
    struct ms_spec spec;
    unsigned n = 0;
    m->skip = 0;
    while (ms_spec_next(c, &spec)) {
        if (++n > MAX_ATTRIBUTES) {
            *too_many = true;
            return first;
        }
        if (spec.attribute == DW_AT_low_pc || spec.attribute == DW_AT_ranges)
            *has_code = true;
        (void)add_part(m, &spec, n_parts);
    }
    act(m, MS_ACT_END, 0);
    return first;
}

/* The same for all parts; what follows the last of them is left out. */
static uint32_t compile_describe(struct maker *m, struct ms_cursor c)
{
    struct ms_abbrevs *t = m->table;
    uint32_t first = (uint32_t)t->n_steps;
    size_t n = t->n_steps;
    struct ms_spec spec;
    m->skip = 0;
    while (ms_spec_next(&c, &spec))
        if (add_part(m, &spec, MS_N_PARTS))
            n = t->n_steps;
    t->n_steps = n;
    m->skip = 0;
    act(m, MS_ACT_END, 0);
    return first;
}

static enum ms_status fault(struct ms_abbrev_cache *cache, struct ms_error *err,
                            enum ms_status status, uint64_t off, const char *what)
{
    return ms_dwarf_fail(err, status, cache->where, "__debug_abbrev", off, "%s", what);
}

/* One declaration behind its code. Adds nothing to `items`: the caller does. */
static enum ms_status compile_one(struct ms_abbrev_cache *cache, struct ms_abbrevs *table,
                                  struct ms_cursor *c, struct ms_abbrev *out, struct ms_error *err)
{
    uint64_t off = table->off + ms_cursor_offset(c);
    uint64_t tag = ms_cursor_uleb(c);
    bool children = ms_cursor_u8(c) != 0, has_code = false, too_many = false;
    uint64_t specs_off = ms_cursor_offset(c);
    if (c->bad)
        return fault(cache, err, MS_E_FORMAT, off, "declaration cut short");
    if (specs_off > UINT32_MAX || table->n_steps > UINT32_MAX / 2)
        return fault(cache, err, MS_E_LIMIT, off, "table over 4 GiB");
    struct maker m = {table, 0, false};
    struct ms_cursor again = *c, copy = *c;
    out->specs_off = (uint32_t)specs_off;
    out->skip = compile_program(&m, c, MS_LOW, &has_code, &too_many);
    if (m.failed)
        return ms_fail_memory(err);
    if (too_many)
        return fault(cache, err, MS_E_LIMIT, off, "more than 128 attributes in a declaration");
    if (c->bad)
        return fault(cache, err, MS_E_FORMAT, off, "declaration cut short or of an unknown form");
    out->tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
    out->children = children;
    out->kind = kind_of(tag, children, has_code);
    out->watch = out->describe = MS_NO_PROGRAM;
    out->first = table->steps[out->skip++];
    if (out->kind == MS_DIE_FUNCTION || out->kind == MS_DIE_INLINED)
        out->watch = compile_program(&m, &copy, MS_N_PCS, &has_code, &too_many);
    if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
        out->describe = compile_describe(&m, again);
    return m.failed ? ms_fail_memory(err) : MS_OK;
}

/* Codes ascend by one from 1 in what all known producers write; as long as they do, no
 * list of them is kept. */
static bool push_item(struct ms_abbrevs *t, uint64_t code, struct ms_abbrev item)
{
    size_t n = t->n;
    if (!t->codes && code != n + 1) {
        size_t room = n + 16;
        t->codes = malloc(room * sizeof *t->codes);
        if (!t->codes)
            return false;
        t->codes_room = room;
        for (size_t i = 0; i < n; i++)
            t->codes[i] = i + 1;
    }
    if (t->codes && !ms_array_grow(&t->codes, n, &t->codes_room, sizeof *t->codes))
        return false;
    if (!ms_array_grow(&t->items, n, &t->room, sizeof *t->items))
        return false;
    if (t->codes)
        t->codes[n] = code;
    t->items[t->n++] = item;
    return true;
}

struct coded {
    uint64_t code;
    size_t i;
};

static int by_code(const void *a, const void *b)
{
    const struct coded *x = a, *y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return x->i < y->i ? -1 : 1; /* of two with one code the first counts */
}

static bool sort_codes(struct ms_abbrevs *t)
{
    bool ascending = true;
    for (size_t i = 1; i < t->n && ascending; i++)
        ascending = t->codes[i - 1] < t->codes[i];
    if (ascending)
        return true;
    struct coded *order = malloc(t->n * sizeof *order);
    struct ms_abbrev *items = malloc(t->n * sizeof *items);
    if (!order || !items) {
        free(order);
        free(items);
        return false;
    }
    for (size_t i = 0; i < t->n; i++)
        order[i] = (struct coded){t->codes[i], i};
    qsort(order, t->n, sizeof *order, by_code);
    for (size_t i = 0; i < t->n; i++) {
        t->codes[i] = order[i].code;
        items[i] = t->items[order[i].i];
    }
    free(order);
    free(t->items);
    t->items = items;
    t->room = t->n;
    return true;
}

/* The DIE of an item in short, if it is passed by in one or two steps. */
static struct ms_quick quick_of(const struct ms_abbrevs *t, size_t code)
{
    const struct ms_abbrev *item = &t->items[code - 1];
    const struct ms_step *first = &item->first, *second = &t->steps[item->skip];
    struct ms_quick quick = {.how = MS_QUICK_NOT, .deeper = item->children, .dies = 1};
    unsigned bytes = first->skip + (code < 0x80 ? 1u : 2u);
    if (bytes > UINT16_MAX)
        return quick;
    quick.bytes = (uint16_t)bytes;
    if (first->action == MS_ACT_END) {
        quick.how = MS_QUICK_FIXED;
        quick.jump = bytes < MS_QUICK_JUMPS ? (uint8_t)bytes : 0;
    } else if ((first->action == MS_ACT_LEB || first->action == MS_ACT_BLOCK) &&
               second->action == MS_ACT_END) {
        quick.how = first->action == MS_ACT_LEB ? MS_QUICK_LEB : MS_QUICK_BLOCK;
        quick.rest = second->skip;
        if (quick.how == MS_QUICK_LEB && bytes < MS_QUICK_JUMPS)
            quick.jump = (uint8_t)(MS_QUICK_JUMPS + bytes);
    }
    return quick;
}

/* Codes with gaps are looked up the long way. */
static bool make_quick(struct ms_abbrevs *t)
{
    size_t n = t->codes ? 1 : 1 + (t->n < MS_MAX_QUICK ? t->n : MS_MAX_QUICK);
    t->quick = calloc(2 * n, sizeof *t->quick);
    if (!t->quick)
        return false;
    t->n_quick = n;
    t->n_short = n < 0x80 ? n : 0x80;
    t->quick[0] = t->quick[n] = (struct ms_quick){.bytes = 1, .deeper = -1, .jump = 1};
    for (size_t i = 1; i < n; i++) {
        const struct ms_quick looked_at = {.how = MS_QUICK_NOT}, passed = quick_of(t, i);
        const uint8_t kind = t->items[i - 1].kind;
        t->quick[i] = kind == MS_DIE_PLAIN ? passed : looked_at;
        /* A declaration hides inlined calls, which are hidden there anyway. */
        t->quick[n + i] = kind == MS_DIE_FUNCTION ? looked_at : passed;
    }
    return true;
}

static enum ms_status compile_table(struct ms_abbrev_cache *cache, struct ms_abbrevs *table,
                                    struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(table->bytes, cache->big);
    enum ms_status status = MS_OK;
    for (;;) {
        uint64_t off = table->off + ms_cursor_offset(&c);
        uint64_t code = ms_cursor_uleb(&c);
        if (c.bad) {
            status = fault(cache, err, MS_E_FORMAT, off, "table has no end");
            break;
        }
        if (code == 0)
            break;
        struct ms_abbrev item = {0};
        status = compile_one(cache, table, &c, &item, err);
        if (status != MS_OK)
            break;
        if (!push_item(table, code, item)) {
            status = ms_fail_memory(err);
            break;
        }
        if (ms_cursor_offset(&c) > cache->left) {
            status = fault(cache, err, MS_E_LIMIT, off, "tables overlap too often");
            break;
        }
    }
    uint64_t used = ms_cursor_offset(&c) + 64; /* a table costs something even when empty */
    cache->left -= used < cache->left ? used : cache->left;
    if (status != MS_E_NOMEM && ((table->codes && !sort_codes(table)) || !make_quick(table)))
        return ms_fail_memory(err);
    return status;
}

/* ---- cache --------------------------------------------------------------------------- */

void ms_abbrev_cache_init(struct ms_abbrev_cache *cache, struct ms_bytes section, bool big,
                          const char *where)
{
    memset(cache, 0, sizeof *cache);
    cache->section = section;
    cache->big = big;
    cache->where = where;
    cache->left = 4 * (uint64_t)section.n + 65536;
}

static void free_table(struct ms_abbrevs *table)
{
    free(table->items);
    free(table->codes);
    free(table->steps);
    free(table->quick);
    free(table->fault);
    free(table);
}

void ms_abbrev_cache_fini(struct ms_abbrev_cache *cache)
{
    for (size_t i = 0; i < cache->n; i++)
        free_table(cache->tables[i]);
    free(cache->tables);
    free(cache->slots);
    memset(cache, 0, sizeof *cache);
}

static bool same_encoding(const struct ms_encoding *a, const struct ms_encoding *b)
{
    return a->address_size == b->address_size && a->offset_size == b->offset_size &&
           a->ref_addr_size == b->ref_addr_size;
}

static size_t first_slot(const struct ms_abbrev_cache *cache, uint64_t off)
{
    return (size_t)(off * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (cache->n_slots - 1);
}

static void put_slot(struct ms_abbrev_cache *cache, size_t table)
{
    size_t at = first_slot(cache, cache->tables[table]->off);
    while (cache->slots[at])
        at = (at + 1) & (cache->n_slots - 1);
    cache->slots[at] = table + 1;
}

/* At most half full, so that a search always meets an empty slot. */
static bool make_slots(struct ms_abbrev_cache *cache)
{
    if (cache->n_slots >= 2 * (cache->n + 1))
        return true;
    size_t n = cache->n_slots ? 2 * cache->n_slots : 16;
    size_t *slots = calloc(n, sizeof *slots);
    if (!slots)
        return false;
    free(cache->slots);
    cache->slots = slots;
    cache->n_slots = n;
    for (size_t i = 0; i < cache->n; i++)
        put_slot(cache, i);
    return true;
}

static struct ms_abbrevs *find_table(const struct ms_abbrev_cache *cache, uint64_t off,
                                     const struct ms_encoding *encoding)
{
    if (!cache->n_slots)
        return NULL;
    for (size_t at = first_slot(cache, off); cache->slots[at];
         at = (at + 1) & (cache->n_slots - 1)) {
        struct ms_abbrevs *table = cache->tables[cache->slots[at] - 1];
        if (table->off == off && same_encoding(&table->encoding, encoding))
            return table;
    }
    return NULL;
}

static enum ms_status add_table(struct ms_abbrev_cache *cache, struct ms_abbrevs *table,
                                struct ms_error *err)
{
    struct ms_error found;
    enum ms_status status = compile_table(cache, table, &found);
    if (status == MS_OK)
        return MS_OK;
    if (status == MS_E_NOMEM || !(table->fault = malloc(sizeof *table->fault)))
        return ms_fail_memory(err);
    *table->fault = found;
    return MS_OK;
}

enum ms_status ms_abbrev_cache_find(struct ms_abbrev_cache *cache, uint64_t off,
                                    const struct ms_encoding *encoding,
                                    const struct ms_abbrevs **out, struct ms_error *err)
{
    struct ms_abbrevs *table = find_table(cache, off, encoding);
    if (!table) {
        struct ms_bytes bytes;
        if (!cache->left)
            return fault(cache, err, MS_E_LIMIT, off, "tables overlap too often");
        if (!ms_bytes_from(cache->section, off, &bytes) || !bytes.n)
            return fault(cache, err, MS_E_FORMAT, off, "table lies outside the section");
        if (!make_slots(cache) ||
            !ms_array_grow(&cache->tables, cache->n, &cache->room, sizeof *cache->tables) ||
            !(table = calloc(1, sizeof *table)))
            return ms_fail_memory(err);
        table->off = off;
        table->encoding = *encoding;
        table->bytes = bytes;
        enum ms_status status = add_table(cache, table, err);
        if (status != MS_OK) {
            free_table(table);
            return status;
        }
        cache->tables[cache->n++] = table;
        put_slot(cache, cache->n - 1);
    }
    if (table->fault && !table->n) { /* remembered like a success */
        if (err)
            *err = *table->fault;
        return table->fault->status;
    }
    *out = table;
    return MS_OK;
}
