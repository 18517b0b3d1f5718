#include "macho/candidates.h"

#include "base/array.h"
#include "base/cursor.h"
#include "macho/commands.h"
#include "macho/exports.h"
#include "macho/names.h"
#include "macho/starts.h"

#include <stdlib.h>

enum { N_COLD_FUNC = 0x400 };

/* Entries of the indirect table that stand for no symbol. */
#define INDIRECT_LOCAL 0x80000000u
#define INDIRECT_ABS 0x40000000u

/* ---- code sections ----------------------------------------------------------------------- */

/* `__text` of a hand-linked kernel may lack the attributes. */
static bool holds_code(const struct ms_section *section)
{
    if (ms_section_is_zerofill(section) || section->vm_bytes == 0)
        return false;
    return ms_section_is_code(section) || (section->flags & MS_S_TYPE) == MS_S_SYMBOL_STUBS ||
           (strcmp(section->name, "__text") == 0 &&
            strncmp(section->segment_name, "__TEXT", 6) == 0);
}

static int by_address(const void *a, const void *b)
{
    const struct ms_code_range *one = a, *two = b;
    if (one->low != two->low)
        return one->low < two->low ? -1 : 1;
    return one->high < two->high ? -1 : one->high > two->high;
}

static bool in_range(struct ms_code_range range, uint64_t at)
{
    return at >= range.low && at < range.high;
}

/* Collects the code sections. Those that overlap, which no linker makes, are cut short. */
static enum ms_status collect_code(struct ms_candidates *all, struct ms_error *err)
{
    const struct ms_macho *macho = all->macho;
    all->ranges = malloc((macho->n_sections + 1) * sizeof *all->ranges);
    if (!all->ranges)
        return ms_fail_memory(err);
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if (!holds_code(section))
            continue;
        struct ms_code_range range = {section->vm, section->vm + section->vm_bytes};
        all->ranges[all->n_ranges++] = range;
        if (i < MS_SECT_MAX)
            all->by_sect[i + 1] = range;
    }
    qsort(all->ranges, all->n_ranges, sizeof *all->ranges, by_address);
    for (size_t i = 1; i < all->n_ranges; i++)
        if (all->ranges[i - 1].high > all->ranges[i].low)
            all->ranges[i - 1].high = all->ranges[i].low;
    return MS_OK;
}

const struct ms_code_range *ms_candidates_range(const struct ms_candidates *all, uint64_t at)
{
    size_t low = 0, high = all->n_ranges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->ranges[middle].low <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at < all->ranges[low - 1].high ? &all->ranges[low - 1] : NULL;
}

/* ---- records ----------------------------------------------------------------------------- */

/* The stretch between wanted addresses that has this one. */
static inline struct ms_near *near_of(struct ms_candidates *all, uint64_t at)
{
    const uint64_t *wanted = all->wanted;
    size_t slot = all->slot;
    if ((slot && at <= wanted[slot - 1]) || (slot < all->n_wanted && at > wanted[slot])) {
        size_t high = all->n_wanted;
        for (slot = 0; slot < high;) {
            size_t middle = slot + (high - slot) / 2;
            if (wanted[middle] < at)
                slot = middle + 1;
            else
                high = middle;
        }
        all->slot = slot;
    }
    return &all->near[slot];
}

/* True when a record at that address can still change an answer. */
static inline bool matters(struct ms_candidates *all, uint64_t at)
{
    if (!all->wanted)
        return true;
    const struct ms_near *near = near_of(all, at);
    return !near->any || at >= near->last.at || at < near->first;
}

static bool add(struct ms_candidates *all, struct ms_record record)
{
    if (!all->wanted)
        return MS_PUSH(all->records, all->n, all->room, record);
    struct ms_near *near = near_of(all, record.at);
    if (!near->any || record.at > near->last.at ||
        (record.at == near->last.at && record.rank <= near->last.rank))
        near->last = record;
    if (!near->any || record.at < near->first)
        near->first = record.at;
    near->any = true;
    return true;
}

/* Sorts the records and keeps the best of each address. */
static enum ms_status settle(struct ms_candidates *all, struct ms_error *err)
{
    if (!ms_records_sort(all->records, all->n))
        return ms_fail_memory(err);
    size_t kept = 0;
    for (size_t i = 0; i < all->n; i++) {
        if (kept && all->records[kept - 1].at == all->records[i].at) {
            if (all->records[i].rank <= all->records[kept - 1].rank)
                all->records[kept - 1] = all->records[i];
        } else {
            all->records[kept++] = all->records[i];
        }
    }
    all->n = kept;
    return MS_OK;
}

/* ---- nlist ------------------------------------------------------------------------------- */

enum use { USE_NAME, USE_ADDRESS, USE_NOTHING };

/*
 * Whether a name says something to people. Assembler and linker make labels that are no
 * functions (`ltmp0`, `l_x`, `Lx`: a function's own name starts with '_', '-' or '+'), and
 * the header's symbol names no code. Stripped names leave the address as a function's start.
 */
static enum use judge(const char *name)
{
    if (!name)
        return USE_ADDRESS;
    switch (*name) {
    case 0:
        return USE_ADDRESS;
    case '<':
        return strcmp(name, "<redacted>") == 0 ? USE_ADDRESS : USE_NAME;
    case 'L':
        return USE_NOTHING;
    case 'l':
        return name[1] == '_' || strncmp(name, "ltmp", 4) == 0 ? USE_NOTHING : USE_NAME;
    case '_':
        /* Names of C++ have two underscores, too. */
        return name[1] == '_' && name[2] == 'm' && strncmp(name, "__mh_", 5) == 0 ? USE_NOTHING
                                                                                  : USE_NAME;
    }
    return USE_NAME;
}

static uint32_t rank_of(uint8_t type, uint16_t desc)
{
    /* A private symbol loses N_EXT when it is linked. */
    uint32_t rank = type & MS_N_PEXT ? MS_RANK_PRIVATE : type & MS_N_EXT ? 0 : MS_RANK_LOCAL;
    return rank | (desc & N_COLD_FUNC ? MS_RANK_COLD : 0u) |
           (desc & MS_N_ALT_ENTRY ? MS_RANK_ALT : 0u);
}

static bool is_defined(uint8_t type)
{
    return !(type & MS_N_STAB) && (type & MS_N_TYPE) == MS_N_SECT;
}

static bool add_entry(struct ms_candidates *all, const uint8_t *entry, uint64_t at)
{
    bool big = all->macho->big;
    uint32_t name_off = ms_load_u32(entry, big);
    uint16_t desc = (uint16_t)(big ? entry[6] << 8 | entry[7] : entry[7] << 8 | entry[6]);
    enum use use = judge(name_off ? ms_macho_string(all->macho, name_off) : NULL);
    if (use == USE_NOTHING)
        return true;
    struct ms_record record = {at, name_off,
                               use == USE_NAME ? rank_of(entry[4], desc) : MS_RANK_NAMELESS};
    return add(all, record);
}

static enum ms_status collect_nlist(struct ms_candidates *all, struct ms_error *err)
{
    const struct ms_macho *macho = all->macho;
    const uint64_t mask = ms_code_mask(macho);
    const size_t each = macho->is64 ? 16 : 12;
    if (!all->wanted && macho->n_nlist) {
        /* Room for all at once: what stays unused is never touched, so it takes no memory. */
        all->records = malloc(macho->n_nlist * sizeof *all->records);
        if (!all->records)
            return ms_fail_memory(err);
        all->room = macho->n_nlist;
    }
    /* Read here and not by ms_nlist_at: this loop is what a lookup in a stripped image costs. */
    for (uint32_t i = 0; i < macho->n_nlist; i++) {
        struct ms_bytes entry;
        if (!ms_bytes_part(macho->nlist, (uint64_t)i * each, each, &entry))
            break;
        if (!is_defined(entry.at[4]))
            continue;
        uint64_t at = macho->is64 ? ms_load_u64(entry.at + 8, macho->big)
                                  : ms_load_u32(entry.at + 8, macho->big);
        at &= mask;
        if (in_range(all->by_sect[entry.at[5]], at) && matters(all, at) &&
            !add_entry(all, entry.at, at))
            return ms_fail_memory(err);
    }
    return MS_OK;
}

/* ---- stubs ------------------------------------------------------------------------------- */

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

/* The stub at `at`, named by the symbol that entry i of the indirect table means. */
static struct ms_record stub_record(const struct ms_macho *macho, struct ms_bytes table, uint64_t i,
                                    uint64_t at)
{
    struct ms_record record = {at, 0, MS_RANK_NAMELESS};
    struct ms_bytes word, entry;
    if (!ms_bytes_part(table, i * 4, 4, &word))
        return record;
    uint32_t symbol = ms_load_u32(word.at, macho->big);
    size_t each = macho->is64 ? 16 : 12;
    if (symbol & (INDIRECT_LOCAL | INDIRECT_ABS) ||
        !ms_bytes_part(macho->nlist, (uint64_t)symbol * each, each, &entry))
        return record;
    record.index = ms_load_u32(entry.at, macho->big);
    if (record.index && judge(ms_macho_string(macho, record.index)) == USE_NAME)
        record.rank = MS_RANK_STUB;
    return record;
}

static enum ms_status collect_stubs(struct ms_candidates *all, struct ms_error *err)
{
    const struct ms_macho *macho = all->macho;
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
            uint64_t at = section->vm + k * section->reserved2;
            if (matters(all, at) &&
                !add(all, stub_record(macho, table, section->reserved1 + k, at)))
                return ms_fail_memory(err);
        }
    }
    return MS_OK;
}

/* ---- exports ----------------------------------------------------------------------------- */

/* True when a record of nlist names the address. The first n records are settled. */
static bool is_named(struct ms_candidates *all, size_t n, uint64_t at)
{
    if (all->wanted) {
        const struct ms_near *near = near_of(all, at);
        return near->any && near->last.at == at && near->last.rank < MS_RANK_EXPORT;
    }
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (all->records[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && all->records[low].at == at && all->records[low].rank < MS_RANK_EXPORT;
}

static enum ms_status keep_export(struct ms_candidates *all, const struct ms_export *export_,
                                  uint64_t at, size_t max_bytes, struct ms_error *err)
{
    if (!all->arena) {
        all->arena = malloc(sizeof *all->arena);
        if (!all->arena)
            return ms_fail_memory(err);
        ms_arena_init(all->arena, 0);
    }
    if (all->arena->total_bytes > max_bytes)
        return ms_fail(err, MS_E_LIMIT, all->macho->where, MS_NO_OFFSET,
                       "exports trie: its names take more than %zu bytes", max_bytes);
    const char *name = ms_arena_copy(all->arena, export_->name, export_->name_bytes);
    struct ms_record record = {at, (uint32_t)all->n_exports, MS_RANK_EXPORT};
    if (!name || all->n_exports >= UINT32_MAX ||
        !MS_PUSH(all->export_names, all->n_exports, all->export_room, name) || !add(all, record))
        return ms_fail_memory(err);
    return MS_OK;
}

/*
 * Adds the exports that nlist has no name for; the records are settled before and after.
 * Names share their beginnings in the trie, so that a small hostile one could spell a huge
 * amount: real ones spell 2 to 3 times their own size.
 */
static enum ms_status collect_exports(struct ms_candidates *all, struct ms_error *err)
{
    struct ms_exports exports;
    struct ms_export export_;
    enum ms_status status;
    size_t settled = all->n;
    ms_exports_open(all->macho, &exports);
    size_t max_bytes = 65536 + 16 * exports.trie.n;
    while ((status = ms_exports_next(&exports, &export_, err)) == MS_OK) {
        uint64_t at = export_.vm & ms_code_mask(all->macho);
        if (judge(export_.name) != USE_NAME || !matters(all, at) || !ms_candidates_range(all, at) ||
            is_named(all, settled, at))
            continue;
        status = keep_export(all, &export_, at, max_bytes, err);
        if (status != MS_OK)
            break;
    }
    ms_exports_close(&exports);
    if (status == MS_E_NOMEM)
        return status;
    if (status != MS_ABSENT)
        all->damage = status;
    return all->n > settled ? settle(all, err) : MS_OK;
}

/* ---- the whole --------------------------------------------------------------------------- */

enum ms_status ms_candidates_read(const struct ms_macho *macho, const uint64_t *wanted, size_t n,
                                  struct ms_candidates *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    out->macho = macho;
    if (wanted) {
        out->wanted = wanted;
        out->n_wanted = n;
        out->near = calloc(n + 1, sizeof *out->near);
        if (!out->near)
            return ms_fail_memory(err);
    }
    enum ms_status status = collect_code(out, err);
    if (status == MS_OK)
        status = collect_nlist(out, err);
    if (status == MS_OK)
        status = collect_stubs(out, err);
    if (status == MS_OK)
        status = settle(out, err);
    if (status == MS_OK)
        status = collect_exports(out, err);
    return status;
}

void ms_candidates_fini(struct ms_candidates *candidates)
{
    free(candidates->ranges);
    free(candidates->records);
    free(candidates->near);
    free(candidates->export_names);
    candidates->ranges = NULL;
    candidates->records = NULL;
    candidates->near = NULL;
    candidates->export_names = NULL;
    candidates->n = candidates->room = candidates->n_ranges = candidates->n_exports = 0;
}

const char *ms_candidate_name(const struct ms_candidates *candidates,
                              const struct ms_record *record)
{
    if (record->rank >= MS_RANK_NAMELESS)
        return NULL;
    if (record->rank == MS_RANK_EXPORT)
        return candidates->export_names[record->index];
    return ms_macho_string(candidates->macho, record->index);
}
