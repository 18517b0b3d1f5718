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

/* Where the first record behind each wanted address is. NULL without memory. */
static uint64_t *find_next(const struct ms_candidates *all)
{
    uint64_t *next = malloc(all->n_wanted * sizeof *next), at = UINT64_MAX;
    for (size_t i = all->n_wanted; next && i--;) {
        at = all->near[i + 1].any ? all->near[i + 1].first : at;
        next[i] = at;
    }
    return next;
}

/* Function starts, which ascend, on their way past the wanted addresses. */
struct starts {
    struct ms_starts at;
    uint64_t last, next; /* at or below the address; behind it */
    bool has_last, has_next;
};

static void pass_starts(struct starts *starts, uint64_t address)
{
    while (starts->has_next && starts->next <= address) {
        starts->last = starts->next;
        starts->has_last = true;
        starts->has_next = ms_starts_next(&starts->at, &starts->next);
    }
}

/*
 * The range that has an address: from the last record or start at or below it to the first one
 * behind, within its section. False: there is none.
 */
static bool cut_range(const struct ms_candidates *all, const struct ms_record *record,
                      uint64_t next, const struct starts *starts, uint64_t address,
                      struct ms_symbol *out)
{
    const struct ms_code_range *range = ms_candidates_range(all, address);
    if (!range)
        return false;
    bool found = record && record->at >= range->low;
    bool later =
        starts->has_last && starts->last >= range->low && (!found || starts->last > record->at);
    uint64_t end_vm = next < range->high ? next : range->high;
    if (!found && !later)
        return false;
    *out = later ? nameless(starts->last) : symbol_of(all, record);
    out->end_vm = starts->has_next && starts->next < end_vm ? starts->next : end_vm;
    return true;
}

/* The same cut around the wanted addresses alone. */
static enum ms_status build_wanted(struct ms_candidates *all, struct ms_symbols *out,
                                   struct ms_error *err)
{
    const struct ms_record *record = NULL;
    struct starts starts;
    uint64_t *next = find_next(all);
    out->items = malloc(all->n_wanted * sizeof *out->items);
    if (!next || !out->items) {
        free(next);
        return ms_fail_memory(err);
    }
    out->room = all->n_wanted;
    memset(&starts, 0, sizeof starts);
    ms_starts_open(all->macho, &starts.at);
    starts.has_next = ms_starts_next(&starts.at, &starts.next);
    for (size_t i = 0; i < all->n_wanted; i++) {
        struct ms_symbol symbol;
        if (all->near[i].any)
            record = &all->near[i].last;
        pass_starts(&starts, all->wanted[i]);
        if (cut_range(all, record, next[i], &starts, all->wanted[i], &symbol) &&
            (!out->n || out->items[out->n - 1].start_vm != symbol.start_vm))
            out->items[out->n++] = symbol;
    }
    if (starts.at.damaged)
        all->damage = ms_starts_fail(&starts.at, all->macho, err);
    free(next);
    return MS_OK;
}

static enum ms_status read_symbols(const struct ms_macho *macho, const uint64_t *wanted, size_t n,
                                   struct ms_symbols *out, struct ms_error *err)
{
    struct ms_candidates all;
    memset(out, 0, sizeof *out);
    enum ms_status status = ms_candidates_read(macho, wanted, n, &all, err);
    if (status == MS_OK)
        status = wanted ? build_wanted(&all, out, err) : build_all(&all, out, err);
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
    return read_symbols(macho, NULL, 0, out, err);
}

enum ms_status ms_symbols_read_at(const struct ms_macho *macho, uint64_t address_vm,
                                  struct ms_symbols *out, struct ms_error *err)
{
    return read_symbols(macho, &address_vm, 1, out, err);
}

enum ms_status ms_symbols_read_some(const struct ms_macho *macho, const uint64_t *addresses_vm,
                                    size_t n, struct ms_symbols *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    return n ? read_symbols(macho, addresses_vm, n, out, err) : MS_OK;
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
