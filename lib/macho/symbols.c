/*
 * macho/symbols.c: which function an address belongs to, by all that an image says about it
 * without debug information.
 *
 * Every source becomes records of 16 bytes (address, where its name is, how good it is); one
 * sort by address, then one merge with LC_FUNCTION_STARTS cuts each code section into
 * ranges. No name is copied but those of the exports trie, which stand nowhere in one piece.
 */
#include "base/arena.h"
#include "base/array.h"
#include "base/cursor.h"
#include "base/error.h"
#include "macho/commands.h"
#include "macho/exports.h"
#include "macho/names.h"
#include "macho/records.h"
#include "macho/starts.h"
#include "machsym/macho.h"

#include <stdlib.h>

/*
 * A record's rank: which of several names of one address is taken, the lowest. Equal ones:
 * the last in the table, as other symbolicators choose.
 */
enum {
    RANK_PRIVATE = 0x1, /* external in its object, not beyond the image */
    RANK_LOCAL = 0x2,
    RANK_COLD = 0x4,    /* the split-off part of another function */
    RANK_ALT = 0x8,     /* an entry inside another function */
    RANK_EXPORT = 0x10, /* index counts export_names; below: offset in the string table */
    RANK_STUB = 0x20,   /* offset in the string table, of the symbol that the stub calls */
    RANK_NAMELESS = 0x40
};

enum { N_COLD_FUNC = 0x400, N_SECT_MAX = 255 };

/* Index of a stub that stands for no symbol of the table. */
#define INDIRECT_LOCAL 0x80000000u
#define INDIRECT_ABS 0x40000000u

/* A code section's addresses; empty for other sections. */
struct range {
    uint64_t low, high;
};

struct reading {
    const struct ms_macho *macho;
    struct range *ranges; /* ascending, disjoint */
    size_t n_ranges;
    struct range by_sect[N_SECT_MAX + 1]; /* by n_sect: the same ranges */
    struct ms_record *records;
    size_t n, room;
    struct ms_arena *arena; /* names of exports */
    const char **export_names;
    size_t n_exports, export_room;
    struct ms_error *err;
    enum ms_status damage; /* of the first table that is broken; *err tells */
};

/* ---- code sections --------------------------------------------------------------------------- */

static bool holds_code(const struct ms_section *section)
{
    if (ms_section_is_zerofill(section) || section->vm_bytes == 0)
        return false;
    return ms_section_is_code(section) || (section->flags & MS_S_TYPE) == MS_S_SYMBOL_STUBS ||
           (strcmp(section->name, "__text") == 0 && strcmp(section->segment_name, "__TEXT") == 0);
}

static int by_address(const void *a, const void *b)
{
    const struct range *one = a, *two = b;
    if (one->low != two->low)
        return one->low < two->low ? -1 : 1;
    return one->high < two->high ? -1 : one->high > two->high;
}

static bool in_range(struct range range, uint64_t at)
{
    return at >= range.low && at < range.high;
}

/* Collects the code sections. Those that overlap, which no linker makes, are cut short. */
static enum ms_status collect_code(struct reading *r)
{
    const struct ms_macho *macho = r->macho;
    r->ranges = malloc((macho->n_sections + 1) * sizeof *r->ranges);
    if (!r->ranges)
        return ms_fail_memory(r->err);
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if (!holds_code(section))
            continue;
        struct range range = {section->vm, section->vm + section->vm_bytes};
        r->ranges[r->n_ranges++] = range;
        if (i < N_SECT_MAX)
            r->by_sect[i + 1] = range;
    }
    qsort(r->ranges, r->n_ranges, sizeof *r->ranges, by_address);
    for (size_t i = 1; i < r->n_ranges; i++)
        if (r->ranges[i - 1].high > r->ranges[i].low)
            r->ranges[i - 1].high = r->ranges[i].low;
    return MS_OK;
}

/* True when the address lies in code, by any section. */
static bool is_code_address(const struct reading *r, uint64_t at)
{
    size_t low = 0, high = r->n_ranges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->ranges[middle].low <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && at < r->ranges[low - 1].high;
}

static bool add(struct reading *r, uint64_t at, uint32_t index, uint32_t rank)
{
    struct ms_record record = {at, index, rank};
    return MS_PUSH(r->records, r->n, r->room, record);
}

/* Sorts the records and keeps the best of each address. */
static enum ms_status settle(struct reading *r)
{
    if (!ms_records_sort(r->records, r->n))
        return ms_fail_memory(r->err);
    size_t kept = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (kept && r->records[kept - 1].at == r->records[i].at) {
            if (r->records[i].rank <= r->records[kept - 1].rank)
                r->records[kept - 1] = r->records[i];
        } else {
            r->records[kept++] = r->records[i];
        }
    }
    r->n = kept;
    return MS_OK;
}

/* ---- nlist -------------------------------------------------------------------------------------
 */

enum use { USE_NAME, USE_ADDRESS, USE_NOTHING };

/*
 * Whether a name says something to people. Assembler and linker make labels that are no
 * functions (`ltmp0`, `l_x`, `Lx`: a function's own name starts with '_', '-' or '+'), and
 * the header's symbol names no code. Stripped names leave the address as a function's start.
 */
static enum use judge(const char *name)
{
    if (!name || !*name || strcmp(name, "<redacted>") == 0)
        return USE_ADDRESS;
    if (*name == 'L' || strncmp(name, "l_", 2) == 0 || strncmp(name, "ltmp", 4) == 0)
        return USE_NOTHING;
    return strncmp(name, "__mh_", 5) == 0 ? USE_NOTHING : USE_NAME;
}

static uint32_t rank_of(uint8_t type, uint16_t desc)
{
    /* A private symbol loses N_EXT when it is linked. */
    uint32_t rank = type & MS_N_PEXT ? RANK_PRIVATE : type & MS_N_EXT ? 0 : RANK_LOCAL;
    return rank | (desc & N_COLD_FUNC ? RANK_COLD : 0u) | (desc & MS_N_ALT_ENTRY ? RANK_ALT : 0u);
}

static bool is_defined(uint8_t type)
{
    return !(type & MS_N_STAB) && (type & MS_N_TYPE) == MS_N_SECT;
}

static enum ms_status collect_nlist(struct reading *r)
{
    const struct ms_macho *macho = r->macho;
    const uint64_t mask = ms_code_mask(macho);
    const size_t each = macho->is64 ? 16 : 12;
    struct ms_bytes entry;
    /* Read here and not by ms_nlist_at: this loop is what a lookup in a stripped image costs. */
    for (uint32_t i = 0; i < macho->n_nlist; i++) {
        if (!ms_bytes_part(macho->nlist, (uint64_t)i * each, each, &entry))
            break;
        uint8_t type = entry.at[4], sect = entry.at[5];
        if (!is_defined(type))
            continue;
        uint64_t at = (macho->is64 ? ms_load_u64(entry.at + 8, macho->big)
                                   : ms_load_u32(entry.at + 8, macho->big)) &
                      mask;
        if (!in_range(r->by_sect[sect], at))
            continue;
        uint32_t name_off = ms_load_u32(entry.at, macho->big);
        uint16_t desc = (uint16_t)(macho->big ? entry.at[6] << 8 | entry.at[7]
                                              : entry.at[7] << 8 | entry.at[6]);
        enum use use = judge(name_off ? ms_macho_string(macho, name_off) : NULL);
        if (use == USE_NOTHING)
            continue;
        if (!add(r, at, name_off, use == USE_NAME ? rank_of(type, desc) : RANK_NAMELESS))
            return ms_fail_memory(r->err);
    }
    return MS_OK;
}

/* ---- stubs
 * --------------------------------------------------------------------------------------- */

static struct ms_bytes indirect_table(const struct ms_macho *macho)
{
    struct ms_bytes table = {NULL, 0};
    const struct ms_load_command *command = ms_macho_command(macho, MS_LC_DYSYMTAB);
    if (!command)
        return table;
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    ms_cursor_seek(&c, 56);
    uint64_t off = ms_cursor_u32(&c), count = ms_cursor_u32(&c);
    (void)ms_bytes_part(macho->bytes, off, count * 4, &table);
    return table;
}

/* Offset of the name of the symbol that entry i of the indirect table means. */
static uint32_t indirect_name(const struct ms_macho *macho, struct ms_bytes table, uint64_t i,
                              uint32_t *rank)
{
    struct ms_bytes word, entry;
    *rank = RANK_NAMELESS;
    if (!ms_bytes_part(table, i * 4, 4, &word))
        return 0;
    uint32_t symbol = ms_load_u32(word.at, macho->big);
    size_t each = macho->is64 ? 16 : 12;
    if (symbol & (INDIRECT_LOCAL | INDIRECT_ABS) || symbol >= macho->n_nlist ||
        !ms_bytes_part(macho->nlist, (uint64_t)symbol * each, each, &entry))
        return 0;
    uint32_t name_off = ms_load_u32(entry.at, macho->big);
    if (name_off && judge(ms_macho_string(macho, name_off)) == USE_NAME)
        *rank = RANK_STUB;
    return name_off;
}

static enum ms_status collect_stubs(struct reading *r)
{
    const struct ms_macho *macho = r->macho;
    struct ms_bytes table = indirect_table(macho);
    /* Each entry belongs to one section, so this many stubs are all there can be, however
     * many sections claim the same ones. */
    uint64_t left = table.n / 4;
    for (size_t i = 0; i < macho->n_sections && left; i++) {
        const struct ms_section *section = &macho->sections[i];
        if ((section->flags & MS_S_TYPE) != MS_S_SYMBOL_STUBS || section->reserved2 == 0)
            continue;
        uint64_t count = section->vm_bytes / section->reserved2;
        for (uint64_t k = 0; k < count && left; k++, left--) {
            uint32_t rank;
            uint64_t at = section->vm + k * section->reserved2;
            uint32_t name_off = indirect_name(macho, table, section->reserved1 + k, &rank);
            if (!add(r, at, name_off, rank))
                return ms_fail_memory(r->err);
        }
    }
    return MS_OK;
}

/* ---- exports
 * --------------------------------------------------------------------------------------- */

/* True when a record names the address. The first n records are sorted, one an address. */
static bool is_named(const struct reading *r, size_t n, uint64_t at)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->records[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && r->records[low].at == at && r->records[low].rank < RANK_EXPORT;
}

static enum ms_status keep_export(struct reading *r, const struct ms_export *export_, uint64_t at,
                                  size_t name_bytes_max)
{
    if (!r->arena) {
        r->arena = malloc(sizeof *r->arena);
        if (!r->arena)
            return ms_fail_memory(r->err);
        ms_arena_init(r->arena, 0);
    }
    if (r->arena->total_bytes > name_bytes_max)
        return ms_fail(r->err, MS_E_LIMIT, r->macho->where, MS_NO_OFFSET,
                       "exports trie: its names take more than %zu bytes", name_bytes_max);
    const char *name = ms_arena_copy(r->arena, export_->name, export_->name_bytes);
    if (!name || r->n_exports >= UINT32_MAX ||
        !MS_PUSH(r->export_names, r->n_exports, r->export_room, name) ||
        !add(r, at, (uint32_t)(r->n_exports - 1), RANK_EXPORT))
        return ms_fail_memory(r->err);
    return MS_OK;
}

/*
 * Adds the exports that nlist has no name for; the records are settled before and after.
 * Names share their beginnings in the trie, so that a small hostile one could spell a huge
 * amount: real ones spell some 20 times their own size.
 */
static enum ms_status collect_exports(struct reading *r)
{
    struct ms_exports exports;
    struct ms_export export_;
    enum ms_status status;
    size_t sorted = r->n;
    ms_exports_open(r->macho, &exports);
    size_t name_bytes_max = 65536 + 64 * exports.trie.n;
    while ((status = ms_exports_next(&exports, &export_, r->err)) == MS_OK) {
        uint64_t at = export_.vm & ms_code_mask(r->macho);
        if (judge(export_.name) != USE_NAME || !is_code_address(r, at) || is_named(r, sorted, at))
            continue;
        status = keep_export(r, &export_, at, name_bytes_max);
        if (status != MS_OK)
            break;
    }
    ms_exports_close(&exports);
    if (status == MS_E_NOMEM)
        return status;
    if (status != MS_ABSENT)
        r->damage = status;
    return r->n > sorted ? settle(r) : MS_OK;
}

/* ---- putting it together
 * ------------------------------------------------------------------------------ */

/* The merge of records and function starts. */
struct merge {
    struct reading *r;
    struct ms_starts starts;
    size_t next;    /* record */
    uint64_t start; /* next function start; meaningful when has_start */
    bool has_start;
    struct ms_symbols *out;
};

static struct ms_symbol symbol_of(const struct reading *r, const struct ms_record *record)
{
    struct ms_symbol symbol = {record->at, 0, NULL, MS_SOURCE_FUNCTION_START, false};
    if (record->rank >= RANK_NAMELESS)
        return symbol;
    symbol.external = !(record->rank & (RANK_LOCAL | RANK_PRIVATE)) && record->rank != RANK_STUB;
    if (record->rank == RANK_EXPORT) {
        symbol.name = r->export_names[record->index];
        symbol.source = MS_SOURCE_EXPORT;
    } else {
        symbol.name = ms_macho_string(r->macho, record->index);
        symbol.source = record->rank == RANK_STUB ? MS_SOURCE_STUB : MS_SOURCE_NLIST;
    }
    return symbol;
}

/* All starts of one code section. Its last range ends where it does. */
static void merge_range(struct merge *m, struct range range)
{
    const struct reading *r = m->r;
    struct ms_symbol *previous = NULL;
    while (m->next < r->n && r->records[m->next].at < range.low)
        m->next++;
    while (m->has_start && m->start < range.low)
        m->has_start = ms_starts_next(&m->starts, &m->start);
    for (;;) {
        bool record = m->next < r->n && r->records[m->next].at < range.high;
        bool start = m->has_start && m->start < range.high;
        if (!record && !start)
            break;
        struct ms_symbol symbol = {m->start, 0, NULL, MS_SOURCE_FUNCTION_START, false};
        if (record && (!start || r->records[m->next].at <= m->start))
            symbol = symbol_of(r, &r->records[m->next++]);
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

static enum ms_status build(struct reading *r, struct ms_symbols *out)
{
    struct merge m;
    memset(&m, 0, sizeof m);
    m.r = r;
    m.out = out;
    /* Each item comes from a record or a function start, and those were all paid for by bytes
     * of the file. What is not needed of it is never touched. */
    size_t most = r->n + ms_starts_bound(r->macho);
    if (most == 0)
        return MS_OK;
    if (most > SIZE_MAX / sizeof *out->items)
        return ms_fail_memory(r->err);
    out->items = malloc(most * sizeof *out->items);
    if (!out->items)
        return ms_fail_memory(r->err);
    out->room = most;
    ms_starts_open(r->macho, &m.starts);
    m.has_start = ms_starts_next(&m.starts, &m.start);
    for (size_t i = 0; i < r->n_ranges; i++)
        merge_range(&m, r->ranges[i]);
    if (m.starts.damaged)
        r->damage = ms_starts_fail(&m.starts, r->macho, r->err);
    struct ms_symbol *shorter = out->n ? realloc(out->items, out->n * sizeof *out->items) : NULL;
    if (shorter) {
        out->items = shorter;
        out->room = out->n;
    }
    return MS_OK;
}

enum ms_status ms_symbols_read(const struct ms_macho *macho, struct ms_symbols *out,
                               struct ms_error *err)
{
    struct reading r;
    memset(&r, 0, sizeof r);
    memset(out, 0, sizeof *out);
    r.macho = macho;
    r.err = err;
    enum ms_status status = collect_code(&r);
    if (status == MS_OK)
        status = collect_nlist(&r);
    if (status == MS_OK)
        status = collect_stubs(&r);
    if (status == MS_OK)
        status = settle(&r);
    if (status == MS_OK)
        status = collect_exports(&r);
    if (status == MS_OK)
        status = build(&r, out);
    out->storage = r.arena;
    free(r.ranges);
    free(r.records);
    free(r.export_names);
    if (status != MS_OK)
        ms_symbols_fini(out);
    else if (err)
        err->status = r.damage;
    return status;
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
