/*
 * Builds the two tables that lead from names to DIEs, byte by byte, and what a symbol table would
 * say of the functions of dwarf_program.h.
 */
#ifndef DWARF_NAMES_H
#define DWARF_NAMES_H

#include "unit/dwarf_program.h"

enum { NAMES_MAX_DIES = 4 };

struct names_item {
    const char *text;
    size_t string; /* in .debug_str */
    unsigned n_dies;
    uint64_t dies[NAMES_MAX_DIES];
};

static inline uint32_t names_hash(const char *text, bool fold)
{
    uint32_t hash = 5381;
    for (; *text; text++) {
        unsigned c = (unsigned char)*text;
        hash = hash * 33 + (fold && c >= 'A' && c <= 'Z' ? c + 32 : c);
    }
    return hash;
}

/* Indices of the items by bucket, those of one hash together. */
static inline void names_sort(const struct names_item *items, unsigned n, unsigned n_buckets,
                              bool fold, unsigned *order)
{
    for (unsigned i = 0; i < n; i++) {
        uint32_t hash = names_hash(items[i].text, fold);
        unsigned k = i;
        for (; k; k--) {
            uint32_t other = names_hash(items[order[k - 1]].text, fold);
            if (other % n_buckets < hash % n_buckets ||
                (other % n_buckets == hash % n_buckets && other <= hash))
                break;
            order[k] = order[k - 1];
        }
        order[k] = i;
    }
}

/* The buckets: where each one's first name is, counted from `base`. */
static inline void names_buckets(struct dw *b, const struct names_item *items, unsigned n,
                                 unsigned n_buckets, bool fold, const unsigned *order,
                                 unsigned base, uint32_t empty)
{
    for (unsigned bucket = 0; bucket < n_buckets; bucket++) {
        unsigned i = 0;
        while (i < n && names_hash(items[order[i]].text, fold) % n_buckets != bucket)
            i++;
        dw_u32(b, i < n ? i + base : empty);
    }
}

/* __apple_names, with a tag behind each offset. Hashes that are equal are there twice, which a
 * reader can do with. */
static inline void names_apple(struct dw *b, const struct names_item *items, unsigned n,
                               unsigned n_buckets)
{
    unsigned order[16];
    names_sort(items, n, n_buckets, false, order);
    dw_u32(b, 0x48415348);
    dw_u16(b, 1);
    dw_u16(b, 0);
    dw_u32(b, n_buckets);
    dw_u32(b, n);
    dw_u32(b, 16);
    dw_u32(b, 0); /* base */
    dw_u32(b, 2);
    dw_u16(b, 1); /* DIE offset */
    dw_u16(b, DW_FORM_data4);
    dw_u16(b, 3); /* tag */
    dw_u16(b, DW_FORM_data2);
    names_buckets(b, items, n, n_buckets, false, order, 0, UINT32_MAX);
    for (unsigned i = 0; i < n; i++)
        dw_u32(b, names_hash(items[order[i]].text, false));
    size_t offsets = b->n;
    for (unsigned i = 0; i < n; i++)
        dw_u32(b, 0);
    for (unsigned i = 0; i < n; i++) {
        const struct names_item *item = &items[order[i]];
        dw_write(b, offsets + 4 * i, b->n, 4);
        dw_u32(b, (uint32_t)item->string);
        dw_u32(b, item->n_dies);
        for (unsigned k = 0; k < item->n_dies; k++) {
            dw_u32(b, (uint32_t)item->dies[k]);
            dw_u16(b, DW_TAG_subprogram);
        }
        dw_u32(b, 0);
    }
}

/* .debug_names of one unit. Abbreviations: 7, a subprogram of unit data1; 300, an inlined call. */
static inline void names_debug(struct dw *b, const struct names_item *items, unsigned n,
                               unsigned n_buckets, unsigned offset_size, uint64_t unit_off)
{
    static const uint8_t abbrevs[] = {
        0xac,          2, 0x1d,         3, DW_FORM_ref4,         0, 0, 7, DW_TAG_subprogram, 1,
        DW_FORM_data1, 3, DW_FORM_ref4, 4, DW_FORM_flag_present, 0, 0, 0};
    unsigned order[16];
    names_sort(items, n, n_buckets, true, order);
    if (offset_size == 8)
        dw_u32(b, UINT32_MAX);
    size_t length = b->n;
    dw_uint(b, 0, offset_size);
    dw_u16(b, 5);
    dw_u16(b, 0);
    dw_u32(b, 1); /* units */
    dw_u32(b, 0);
    dw_u32(b, 0);
    dw_u32(b, n_buckets);
    dw_u32(b, n);
    dw_u32(b, sizeof abbrevs);
    dw_u32(b, 6);
    dw_bytes(b, "test01\0\0", 8);
    dw_uint(b, unit_off, offset_size);
    names_buckets(b, items, n, n_buckets, true, order, 1, 0);
    for (unsigned i = 0; i < n; i++)
        dw_u32(b, names_hash(items[order[i]].text, true));
    for (unsigned i = 0; i < n; i++)
        dw_uint(b, items[order[i]].string, offset_size);
    size_t offsets = b->n;
    for (unsigned i = 0; i < n; i++)
        dw_uint(b, 0, offset_size);
    dw_bytes(b, abbrevs, sizeof abbrevs);
    size_t pool = b->n;
    for (unsigned i = 0; i < n; i++) {
        const struct names_item *item = &items[order[i]];
        dw_write(b, offsets + (size_t)offset_size * i, b->n - pool, offset_size);
        dw_uleb(b, 300);
        dw_u32(b, 0x20); /* an inlined call, which is no function */
        for (unsigned k = 0; k < item->n_dies; k++) {
            dw_u8(b, 7);
            dw_u8(b, 0);
            dw_u32(b, (uint32_t)(item->dies[k] - unit_off));
        }
        dw_u8(b, 0);
    }
    dw_write(b, length, b->n - length - offset_size, offset_size);
}

/* ---- the symbols of dwarf_program.h ------------------------------------------------------- */

struct names_symbol {
    uint64_t start;
    const char *names[2];
};

/* A symbol table, as the engine asks for it. */
struct names_symbols {
    const struct names_symbol *items;
    size_t n;
    unsigned n_asked;
    enum ms_status status; /* said instead of an answer */
};

static const struct names_symbol program_symbols[] = {{0x1000, {"walk", NULL}},
                                                      {0x1200, {"split", NULL}},
                                                      {0x1300, {"cold", "split"}},
                                                      {0x1400, {"_ZN1N1S6methodEv", NULL}}};

static inline enum ms_status names_ask(void *owner, const uint64_t *addresses, size_t n,
                                       struct ms_dwarf_hints *out, struct ms_error *err)
{
    struct names_symbols *symbols = owner;
    symbols->n_asked++;
    if (symbols->status != MS_OK)
        return symbols->status;
    out->items = calloc(n, sizeof *out->items);
    out->names = calloc(n * 2, sizeof *out->names);
    if (!out->items || !out->names) {
        free(out->items);
        free(out->names);
        *out = (struct ms_dwarf_hints){NULL, NULL};
        return ms_fail_memory(err);
    }
    for (size_t i = 0; i < n; i++) {
        struct ms_dwarf_hint *hint = &out->items[i];
        const struct names_symbol *found = NULL;
        hint->first_name = (uint32_t)(2 * i);
        for (size_t k = 0; k < symbols->n && symbols->items[k].start <= addresses[i]; k++)
            found = &symbols->items[k];
        for (; found && hint->n_names < 2 && found->names[hint->n_names]; hint->n_names++)
            out->names[2 * i + hint->n_names] = found->names[hint->n_names];
        hint->start_vm = found ? found->start : 0;
    }
    return MS_OK;
}

#endif
