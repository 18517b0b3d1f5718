/*
 * llvm/disasm_symbols.c: symbols by address, labels of a section, relocations.
 */
#include "llvm/disasm_parts.h"

#include "base/array.h"

#include <stdlib.h>

enum { RELOC_BYTES = 8 };

/* Names that only stand for the file's parts: no labels, though cctools' sorted symbols have them.
 */
static bool is_header_name(const char *name)
{
    return strncmp(name, "__mh_", 5) == 0;
}

static bool is_label(const struct ms_macho *macho, const struct ms_nlist *symbol, size_t section)
{
    const struct ms_section *in = &macho->sections[section];
    return !(symbol->type & MS_N_STAB) && (symbol->type & MS_N_TYPE) == MS_N_SECT &&
           symbol->sect == section + 1 && symbol->value >= in->vm &&
           symbol->value - in->vm < in->vm_bytes && !is_header_name(symbol->name);
}

static enum ms_status read_labels(struct disasm_symbols *out, size_t section, struct ms_error *err)
{
    /* The records are by address, and keep the table's order within one. */
    for (size_t i = 0; i < out->n_records; i++) {
        struct ms_nlist symbol = ms_nlist_at(out->macho, out->records[i].index, NULL);
        if (!is_label(out->macho, &symbol, section))
            continue;
        struct disasm_label label = {symbol.value, symbol.name, symbol.desc & MS_N_ARM_THUMB_DEF,
                                     false};
        if (!MS_PUSH(out->labels, out->n_labels, out->label_room, label))
            return ms_fail_memory(err);
    }
    return MS_OK;
}

/*
 * Where a stripped 32-bit ARM image's functions start is also where its instruction set changes:
 * bit 0 of each says which.
 */
static enum ms_status read_starts(struct disasm_symbols *out, size_t section, struct ms_error *err)
{
    const struct ms_section *in = &out->macho->sections[section];
    struct ms_cursor c = ms_cursor_over(out->macho->function_starts, out->macho->big);
    uint64_t sum = out->macho->text_vm;
    while (ms_cursor_left(&c)) {
        uint64_t delta = ms_cursor_uleb(&c);
        if (c.bad || delta == 0 || delta > UINT32_MAX - sum)
            break;
        sum += delta;
        uint64_t vm = sum & ~(uint64_t)1;
        struct disasm_label label = {vm, NULL, sum & 1, false};
        if (vm >= in->vm && vm - in->vm < in->vm_bytes &&
            !MS_PUSH(out->labels, out->n_labels, out->label_room, label))
            return ms_fail_memory(err);
    }
    return MS_OK;
}

enum ms_status disasm_symbols_read(const struct ms_macho *macho, size_t section,
                                   struct disasm_symbols *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    out->macho = macho;
    out->records = malloc((macho->n_nlist + (size_t)1) * sizeof *out->records);
    if (!out->records)
        return ms_fail_memory(err);
    for (uint32_t i = 0; i < macho->n_nlist; i++) {
        struct ms_nlist symbol = ms_nlist_at(macho, i, NULL);
        if ((symbol.type & MS_N_STAB) || (symbol.type & MS_N_TYPE) == MS_N_UNDF ||
            !symbol.name[0] || strncmp(symbol.name, "ltmp", 4) == 0)
            continue;
        struct ms_record record = {symbol.value, i, 0};
        out->records[out->n_records++] = record;
    }
    if (!ms_records_sort(out->records, out->n_records))
        return ms_fail_memory(err);
    enum ms_status status = read_labels(out, section, err);
    if (status == MS_OK && !out->n_labels && macho->cputype == MS_CPU_ARM)
        status = read_starts(out, section, err);
    return status;
}

/* ---- labels of a range --------------------------------------------------------------------- */

/* Symbols of the table before starts without a name, and these as they are. */
static int by_label(const void *a, const void *b)
{
    const struct disasm_label *left = a, *right = b;
    if (left->vm != right->vm)
        return left->vm < right->vm ? -1 : 1;
    return (left->name == NULL) - (right->name == NULL);
}

/* One set of labels out of the symbols' and the functions', both by address. */
struct joined {
    struct disasm_label *items;
    size_t n;
    bool thumb; /* of what was passed last */
};

static void add(struct joined *to, struct disasm_label label)
{
    to->items[to->n++] = label;
}

/* The symbols up to the address, as far as they aren't before `low`; true for one that is there. */
static bool pass_labels(struct disasm_symbols *symbols, size_t *next, uint64_t vm, uint64_t low,
                        struct joined *to)
{
    bool there = false;
    for (; *next < symbols->n_labels && symbols->labels[*next].vm <= vm; ++*next) {
        struct disasm_label label = symbols->labels[*next];
        to->thumb = label.thumb;
        if (label.vm < low || !label.name)
            continue;
        there = there || label.vm == vm;
        add(to, label);
    }
    return there;
}

enum ms_status disasm_symbols_range(struct disasm_symbols *symbols, size_t section, uint64_t low,
                                    struct ms_error *err)
{
    const struct ms_section *in = &symbols->macho->sections[section];
    const struct ms_symbols *functions = &symbols->functions;
    enum ms_status status = ms_symbols_read(symbols->macho, &symbols->functions, err);
    /* Of 32-bit ARM they say which instruction set it is. */
    if (status == MS_OK && symbols->macho->cputype == MS_CPU_ARM)
        status = read_starts(symbols, section, err);
    if (status != MS_OK || !functions->n)
        return status;
    struct joined joined = {NULL, 0, false};
    size_t most = symbols->n_labels + functions->n;
    joined.items = malloc(most * sizeof *joined.items);
    if (!joined.items)
        return ms_fail_memory(err);
    if (symbols->n_labels)
        qsort(symbols->labels, symbols->n_labels, sizeof *symbols->labels, by_label);
    size_t next = 0;
    for (size_t i = 0; i < functions->n; i++) {
        const struct ms_symbol *function = &functions->items[i];
        if (function->start_vm < in->vm || function->start_vm - in->vm >= in->vm_bytes)
            continue;
        if (pass_labels(symbols, &next, function->start_vm, low, &joined))
            continue;
        add(&joined, (struct disasm_label){function->start_vm, function->name, joined.thumb,
                                           function->source == MS_SOURCE_STUB});
    }
    pass_labels(symbols, &next, UINT64_MAX, low, &joined);
    free(symbols->labels);
    symbols->labels = joined.items;
    symbols->n_labels = symbols->label_room = joined.n;
    return MS_OK;
}

void disasm_symbols_fini(struct disasm_symbols *symbols)
{
    ms_symbols_fini(&symbols->functions);
    free(symbols->records);
    free(symbols->labels);
    memset(symbols, 0, sizeof *symbols);
}

const char *disasm_symbol_at(const struct disasm_symbols *symbols, uint64_t vm)
{
    size_t low = 0, high = symbols->n_records;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols->records[middle].at <= vm)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || symbols->records[low - 1].at != vm)
        return NULL;
    return ms_nlist_at(symbols->macho, symbols->records[low - 1].index, NULL).name;
}

const char *disasm_symbol_name(const struct ms_macho *macho, uint32_t i)
{
    bool bad = i >= macho->n_nlist;
    struct ms_nlist symbol = {"", 0, 0, 0, 0};
    if (!bad)
        symbol = ms_nlist_at(macho, i, &bad);
    return bad || !symbol.name[0] ? NULL : symbol.name;
}

/* ---- relocations -------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    const struct disasm_reloc *left = a, *right = b;
    if (left->at != right->at)
        return left->at < right->at ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

bool disasm_relocation(const struct disasm_relocs *relocs, uint64_t index,
                       struct disasm_relocation *out)
{
    const bool big = relocs->macho->big;
    struct ms_bytes raw;
    memset(out, 0, sizeof *out);
    if (!ms_bytes_part(relocs->table, index * RELOC_BYTES, RELOC_BYTES, &raw))
        return false;
    uint32_t first = ms_load_u32(raw.at, big), second = ms_load_u32(raw.at + 4, big);
    const uint32_t cpu = relocs->macho->cputype;
    out->scattered = first >> 31 && cpu != MS_CPU_X86_64 && cpu != MS_CPU_ARM64;
    if (out->scattered) {
        out->address = first & 0xffffff;
        out->type = first >> 24 & 15;
        out->length = first >> 28 & 3;
        out->pcrel = first >> 30 & 1;
        out->value = second;
        return true;
    }
    out->address = first;
    out->symbol = big ? second >> 8 : second & 0xffffff;
    out->pcrel = big ? second >> 7 & 1 : second >> 24 & 1;
    out->length = big ? second >> 5 & 3 : second >> 25 & 3;
    out->external = big ? second >> 4 & 1 : second >> 27 & 1;
    out->type = big ? second & 15 : second >> 28;
    return true;
}

/* Those of the section of an object; of another image the external ones, as kexts have them. */
enum ms_status disasm_relocs_read(const struct ms_macho *macho, const struct ms_section *section,
                                  struct disasm_relocs *out, struct ms_error *err)
{
    uint64_t off = section->reloff, n = section->nreloc;
    memset(out, 0, sizeof *out);
    out->macho = macho;
    if (macho->filetype != MS_MH_OBJECT) {
        out->external = true;
        off = n = 0;
        for (size_t i = 0; i < macho->n_commands; i++) {
            const struct ms_load_command *command = &macho->commands[i];
            struct ms_bytes raw;
            if (command->cmd != 0xb || !ms_bytes_part(command->body, 64, 8, &raw))
                continue;
            off = ms_load_u32(raw.at, macho->big);
            n = ms_load_u32(raw.at + 4, macho->big);
        }
    }
    if (!n || !ms_bytes_part(macho->bytes, off, n * RELOC_BYTES, &out->table))
        return MS_OK;
    out->items = malloc((size_t)n * sizeof *out->items);
    if (!out->items)
        return ms_fail_memory(err);
    for (uint64_t i = 0; i < n; i++) {
        struct disasm_relocation reloc;
        disasm_relocation(out, i, &reloc);
        out->items[out->n++] = (struct disasm_reloc){reloc.address, (uint32_t)i};
    }
    qsort(out->items, out->n, sizeof *out->items, by_address);
    return MS_OK;
}

void disasm_relocs_fini(struct disasm_relocs *relocs)
{
    free(relocs->items);
    memset(relocs, 0, sizeof *relocs);
}

/* The first at or above `at`. */
static size_t lower_bound(const struct disasm_relocs *relocs, uint64_t at)
{
    size_t low = 0, high = relocs->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (relocs->items[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct disasm_reloc *disasm_reloc_at(const struct disasm_relocs *relocs, uint64_t at)
{
    size_t i = relocs->n ? lower_bound(relocs, at) : 0;
    return i < relocs->n && relocs->items[i].at == at ? &relocs->items[i] : NULL;
}

bool disasm_reloc_in(const struct disasm_relocs *relocs, uint64_t at, uint64_t n)
{
    size_t i = relocs->n ? lower_bound(relocs, at) : 0;
    return i < relocs->n && relocs->items[i].at - at < n;
}
