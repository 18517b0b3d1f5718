/* The part of a symbol tree that stands in the tables of the linker. */
#include "base/array.h"
#include "base/cursor.h"
#include "macho/commands.h"
#include "macho/exports.h"
#include "macho/starts.h"
#include "resolve/symbol_tree.h"

#include <stdlib.h>

#define INDIRECT_LOCAL 0x80000000u
#define INDIRECT_ABS 0x40000000u

static bool is_code_sect(const struct ms_macho *macho, unsigned sect)
{
    return sect && sect <= macho->n_sections && ms_section_is_code(&macho->sections[sect - 1]);
}

/* Every definition in a section; the sort keeps the order of the table. */
static enum ms_status read_nlist(struct ms_tree_store *s, const struct ms_macho *macho,
                                 enum ms_tree_source source, struct ms_error *err)
{
    uint64_t mask = ms_code_mask(macho);
    uint32_t bad = 0;
    size_t need = s->n_records + macho->n_nlist;
    if (need > s->records_room) { /* the table is in the file, so its size is paid for */
        struct ms_record *records = realloc(s->records, (need + 1) * sizeof *records);
        if (!records)
            return ms_fail_memory(err);
        s->records = records;
        s->records_room = need + 1;
    }
    for (uint32_t i = 0; i < macho->n_nlist; i++) {
        bool bad_name = false;
        struct ms_nlist entry = ms_nlist_at(macho, i, &bad_name);
        if (entry.type & MS_N_STAB || (entry.type & MS_N_TYPE) != MS_N_SECT)
            continue;
        bad += bad_name;
        uint64_t vm = is_code_sect(macho, entry.sect) ? entry.value & mask : entry.value;
        s->records[s->n_records++] = (struct ms_record){vm, i, source};
        s->out->n_nlist++;
    }
    if (bad) {
        struct ms_error fault;
        ms_fail(&fault, MS_E_FORMAT, macho->where, macho->nlist_off,
                "%u symbols have names outside the string table of %zu bytes", bad,
                macho->strings.n);
        ms_tree_fault(s, &fault);
    }
    return MS_OK;
}

/* ---- exports --------------------------------------------------------------------------------- */

/* Where among sorted records an address can be: those of a trie come in no order, so that a search
 * over all of a large table would read other memory at every step. */
enum { N_SPANS = 1 << 12 };
struct spans {
    size_t n;
    unsigned shift; /* from the distance to the first address to a span's number */
    uint32_t first[N_SPANS + 1];
};

static void make_spans(struct spans *spans, const struct ms_record *records, size_t n)
{
    spans->n = n;
    spans->shift = 0;
    if (!n)
        return;
    while ((records[n - 1].at - records[0].at) >> spans->shift >= N_SPANS)
        spans->shift++;
    size_t i = 0;
    for (size_t k = 0; k <= N_SPANS; k++) {
        while (i < n && (records[i].at - records[0].at) >> spans->shift < k)
            i++;
        spans->first[k] = (uint32_t)i;
    }
}

static bool has_record(const struct spans *spans, const struct ms_record *records, uint64_t at)
{
    if (!spans->n || at < records[0].at || at > records[spans->n - 1].at)
        return false;
    uint64_t k = (at - records[0].at) >> spans->shift;
    size_t low = spans->first[k], high = spans->first[k + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (records[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < spans->n && records[low].at == at;
}

/* Exports where nlist has nothing: of a stripped image all of them. A small trie can spell a
 * huge amount of names, real ones 2 to 3 times their own size. */
static enum ms_status read_exports(struct ms_tree_store *s, const struct ms_macho *macho,
                                   struct ms_error *err)
{
    struct ms_exports exports;
    struct ms_export item;
    struct ms_error fault;
    ms_exports_open(macho, &exports);
    size_t most = 64 * exports.trie.n + (1 << 16);
    enum ms_status status = MS_OK;
    struct spans *spans = exports.trie.n ? malloc(sizeof *spans) : NULL;
    if (exports.trie.n && (!spans || !ms_records_sort(s->records, s->n_records)))
        status = MS_E_NOMEM;
    if (spans && status == MS_OK)
        make_spans(spans, s->records, s->n_records);
    while (status == MS_OK && (status = ms_exports_next(&exports, &item, &fault)) == MS_OK) {
        const struct ms_section *section = ms_macho_section_at(macho, item.vm);
        bool code = section && ms_section_is_code(section);
        uint64_t vm = code ? item.vm & ms_code_mask(macho) : item.vm;
        if (has_record(spans, s->records, vm))
            continue;
        if (s->arena.total_bytes > most) {
            status = ms_fail(&fault, MS_E_LIMIT, macho->where, exports.trie_off,
                             "exports trie: its names take more than %zu bytes", most);
            break;
        }
        struct ms_tree_fact fact = {ms_arena_copy(&s->arena, item.name, item.name_bytes), NULL, 0,
                                    code, true};
        s->out->n_exports++;
        if (!fact.name || !ms_tree_add(s, MS_FROM_EXPORT, vm, &fact))
            status = MS_E_NOMEM;
    }
    ms_exports_close(&exports);
    free(spans);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_ABSENT)
        ms_tree_fault(s, &fault);
    return MS_OK;
}

/* ---- stubs ----------------------------------------------------------------------------------- */

static struct ms_bytes indirect_table(const struct ms_macho *macho)
{
    struct ms_bytes table = {NULL, 0};
    const struct ms_load_command *command = ms_macho_command(macho, MS_LC_DYSYMTAB);
    if (!command)
        return table;
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    ms_cursor_seek(&c, 56);
    uint64_t off = ms_cursor_u32(&c), count = ms_cursor_u32(&c);
    if (!c.bad)
        (void)ms_bytes_part(macho->bytes, off, count * 4, &table);
    return table;
}

/* The symbol that entry i of the indirect table means; NULL for none. */
static const char *indirect_name(const struct ms_macho *macho, struct ms_bytes table, uint64_t i)
{
    struct ms_bytes word;
    if (!ms_bytes_part(table, i * 4, 4, &word))
        return NULL;
    uint32_t symbol = ms_load_u32(word.at, macho->big);
    if (symbol & (INDIRECT_LOCAL | INDIRECT_ABS) || symbol >= macho->n_nlist)
        return NULL;
    const char *name = ms_nlist_at(macho, symbol, NULL).name;
    return name[0] ? name : NULL;
}

static enum ms_status read_stubs(struct ms_tree_store *s, const struct ms_macho *macho,
                                 struct ms_error *err)
{
    struct ms_bytes table = indirect_table(macho);
    /* Each entry belongs to one section, so there can be no more stubs than entries, however many
     * sections claim the same ones. */
    uint64_t left = table.n / 4;
    for (size_t i = 0; i < macho->n_sections && left; i++) {
        const struct ms_section *section = &macho->sections[i];
        if ((section->flags & MS_S_TYPE) != MS_S_SYMBOL_STUBS || section->reserved2 == 0)
            continue;
        uint64_t count = section->vm_bytes / section->reserved2;
        for (uint64_t k = 0; k < count && left; k++, left--) {
            struct ms_tree_fact fact = {indirect_name(macho, table, section->reserved1 + k), NULL,
                                        section->reserved2, true, false};
            if (fact.name &&
                !ms_tree_add(s, MS_FROM_STUB, section->vm + k * section->reserved2, &fact))
                return ms_fail_memory(err);
        }
    }
    return MS_OK;
}

/* ---- the debug map --------------------------------------------------------------------------- */

static enum ms_status read_map(struct ms_tree_store *s, const struct ms_macho *macho,
                               struct ms_error *err)
{
    enum ms_status status = ms_debug_map_read(macho, &s->map, err);
    if (status == MS_ABSENT)
        return MS_OK;
    for (size_t i = 0; i < s->map.n_symbols && status == MS_OK; i++) {
        const struct ms_map_symbol *symbol = &s->map.symbols[i];
        if (symbol->kind == MS_MAP_GLOBAL && !symbol->vm)
            continue; /* nlist alone knows where it is */
        bool code = symbol->kind == MS_MAP_FUNCTION;
        struct ms_tree_fact fact = {symbol->name, NULL, symbol->bytes, code, false};
        uint64_t vm = code ? symbol->vm & ms_code_mask(macho) : symbol->vm;
        s->out->n_debug_map++;
        if (!ms_tree_add(s, MS_FROM_MAP, vm, &fact))
            status = ms_fail_memory(err);
    }
    return status;
}

/* -------------------------------------------------------------------------------------------- */

enum ms_status ms_tree_read_tables(struct ms_tree_store *store,
                                   const struct ms_tree_sources *sources, struct ms_error *err)
{
    const struct ms_image *image = store->image;
    const struct ms_macho *binary = image->binary.file ? &image->binary.macho : NULL;
    enum ms_status status = MS_OK;
    if (sources->nlist && binary)
        status = read_nlist(store, binary, MS_FROM_BINARY, err);
    if (sources->nlist && status == MS_OK && image->debug.file)
        status = read_nlist(store, &image->debug.macho, MS_FROM_DSYM, err);
    if (sources->nlist && status == MS_OK && binary)
        status = read_exports(store, binary, err);
    if (sources->nlist && status == MS_OK && binary)
        status = read_stubs(store, binary, err);
    if (sources->debug_map && status == MS_OK && binary)
        status = read_map(store, binary, err);
    return status;
}
