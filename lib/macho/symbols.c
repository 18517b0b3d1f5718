/*
 * macho/symbols.c: which function an address belongs to, by all that an image says about it
 * without debug information.
 *
 * Candidates are records of 16 bytes, sorted by address; one merge with LC_FUNCTION_STARTS
 * cuts each code section into ranges. Fresh memory is what this costs, so no name is copied
 * but those of the exports trie, and for a single address nothing is kept at all.
 */
#include "base/cursor.h"
#include "base/error.h"
#include "macho/candidates.h"
#include "macho/starts.h"
#include "machsym/macho.h"

#include <stdlib.h>

/* The merge of records and function starts, one code section after the other. */
struct merge {
    const struct ms_candidates *all;
    struct ms_starts starts;
    size_t next;    /* record */
    uint64_t start; /* next function start; meaningful when has_start */
    bool has_start;
    struct ms_symbols *out;
};

static struct ms_symbol nameless(uint64_t start_vm)
{
    struct ms_symbol symbol = {start_vm, 0, NULL, MS_SOURCE_FUNCTION_START, false};
    return symbol;
}

static struct ms_symbol symbol_of(const struct ms_candidates *all, const struct ms_record *record)
{
    struct ms_symbol symbol = nameless(record->at);
    symbol.name = ms_candidate_name(all, record);
    if (!symbol.name)
        return symbol;
    symbol.source = record->rank == MS_RANK_EXPORT ? MS_SOURCE_EXPORT
                    : record->rank == MS_RANK_STUB ? MS_SOURCE_STUB
                                                   : MS_SOURCE_NLIST;
    symbol.external = !(record->rank & (MS_RANK_LOCAL | MS_RANK_PRIVATE | MS_RANK_STUB));
    return symbol;
}

/* All starts of one code section. Its last range ends where it does. */
static void merge_range(struct merge *m, struct ms_code_range range)
{
    const struct ms_candidates *all = m->all;
    struct ms_symbol *previous = NULL;
    while (m->next < all->n && all->records[m->next].at < range.low)
        m->next++;
    while (m->has_start && m->start < range.low)
        m->has_start = ms_starts_next(&m->starts, &m->start);
    for (;;) {
        bool record = m->next < all->n && all->records[m->next].at < range.high;
        bool start = m->has_start && m->start < range.high;
        if (!record && !start)
            break;
        struct ms_symbol symbol = nameless(m->start);
        if (record && (!start || all->records[m->next].at <= m->start))
            symbol = symbol_of(all, &all->records[m->next++]);
        if (start && m->start == symbol.start_vm)
            m->has_start = ms_starts_next(&m->starts, &m->start);
        if (previous)
            previous->end_vm = symbol.start_vm;
        previous = &m->out->items[m->out->n++];
        *previous = symbol;
    }
    if (previous)
        previous->end_vm = range.high;
}

/* Room for as many items as can come of the records and function starts, which were all paid
 * for by bytes of the file. What is not needed of it is never touched, and given back. */
static enum ms_status build_all(struct ms_candidates *all, struct ms_symbols *out,
                                struct ms_error *err)
{
    size_t most = all->n + ms_starts_bound(all->macho);
    if (most == 0)
        return MS_OK;
    if (most > SIZE_MAX / sizeof *out->items)
        return ms_fail_memory(err);
    out->items = malloc(most * sizeof *out->items);
    if (!out->items)
        return ms_fail_memory(err);
    out->room = most;
    struct merge m;
    memset(&m, 0, sizeof m);
    m.all = all;
    m.out = out;
    ms_starts_open(all->macho, &m.starts);
    m.has_start = ms_starts_next(&m.starts, &m.start);
    for (size_t i = 0; i < all->n_ranges; i++)
        merge_range(&m, all->ranges[i]);
    if (m.starts.damaged)
        all->damage = ms_starts_fail(&m.starts, all->macho, err);
    struct ms_symbol *shorter = out->n ? realloc(out->items, out->n * sizeof *out->items) : NULL;
    if (shorter) {
        out->items = shorter;
        out->room = out->n;
    }
    return MS_OK;
}

/* The same cut around one address: from the last start at or below it to the next one. */
static enum ms_status build_one(struct ms_candidates *all, struct ms_symbols *out,
                                struct ms_error *err)
{
    const struct ms_code_range *range = NULL;
    for (size_t i = 0; i < all->n_ranges && !range; i++)
        if (all->address >= all->ranges[i].low && all->address < all->ranges[i].high)
            range = &all->ranges[i];
    if (!range)
        return MS_OK;
    bool found = all->n && all->records[0].at >= range->low;
    struct ms_symbol symbol = found ? symbol_of(all, &all->records[0]) : nameless(0);
    symbol.end_vm = all->upper < range->high ? all->upper : range->high;
    struct ms_starts starts;
    uint64_t start;
    ms_starts_open(all->macho, &starts);
    while (ms_starts_next(&starts, &start)) {
        if (start > all->address) {
            symbol.end_vm = start < symbol.end_vm ? start : symbol.end_vm;
            break;
        }
        if (start < range->low || (found && start <= symbol.start_vm))
            continue;
        uint64_t end_vm = symbol.end_vm;
        symbol = nameless(start);
        symbol.end_vm = end_vm;
        found = true;
    }
    if (starts.damaged)
        all->damage = ms_starts_fail(&starts, all->macho, err);
    if (!found)
        return MS_OK;
    out->items = malloc(sizeof *out->items);
    if (!out->items)
        return ms_fail_memory(err);
    out->items[0] = symbol;
    out->n = out->room = 1;
    return MS_OK;
}

static enum ms_status read_symbols(const struct ms_macho *macho, const uint64_t *only,
                                   struct ms_symbols *out, struct ms_error *err)
{
    struct ms_candidates all;
    memset(out, 0, sizeof *out);
    enum ms_status status = ms_candidates_read(macho, only, &all, err);
    if (status == MS_OK)
        status = only ? build_one(&all, out, err) : build_all(&all, out, err);
    out->storage = all.arena;
    ms_candidates_fini(&all);
    if (status != MS_OK)
        ms_symbols_fini(out);
    else if (err)
        err->status = all.damage;
    return status;
}

enum ms_status ms_symbols_read(const struct ms_macho *macho, struct ms_symbols *out,
                               struct ms_error *err)
{
    return read_symbols(macho, NULL, out, err);
}

enum ms_status ms_symbols_read_at(const struct ms_macho *macho, uint64_t address_vm,
                                  struct ms_symbols *out, struct ms_error *err)
{
    return read_symbols(macho, &address_vm, out, err);
}

void ms_symbols_fini(struct ms_symbols *symbols)
{
    free(symbols->items);
    if (symbols->storage) {
        ms_arena_fini(symbols->storage);
        free(symbols->storage);
    }
    symbols->items = NULL;
    symbols->storage = NULL;
    symbols->n = symbols->room = 0;
}

const struct ms_symbol *ms_symbols_find(const struct ms_symbols *symbols, uint64_t address_vm)
{
    size_t low = 0, high = symbols->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->items[middle].start_vm <= address_vm)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || address_vm >= symbols->items[low - 1].end_vm)
        return NULL;
    return &symbols->items[low - 1];
}
