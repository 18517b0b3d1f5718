/*
 * Merging what several sources say of one address.
 *
 * The records of all sources are sorted by address, those of one address in the order of
 * enum ms_tree_source. So they are gone through once, in groups of one address, beside
 * LC_FUNCTION_STARTS. In a group each name stands once. A group can be as large as the
 * file, so a large one is searched with an index.
 */
#include "base/array.h"
#include "base/index.h"
#include "macho/starts.h"
#include "resolve/symbol_tree.h"

#include <stdlib.h>

enum {
    SEARCHED = 12,   /* symbols of a group that are compared one by one */
    MAX_FOLDED = 32, /* names of one function that are listed */
    MAX_NAME = 8192, /* names of a table may overlap, so that each of n names has n bytes: no more
                        than this of each is compared. Real ones have 5,000 */
    SOURCES = MS_TREE_NLIST | MS_TREE_DWARF | MS_TREE_DEBUG_MAP | MS_TREE_STARTS
};

struct merging {
    struct ms_tree_store *store;
    size_t first;          /* symbol of the group at hand */
    size_t free;           /* in the group: all functions before it have DWARF */
    struct ms_index index; /* by name, of large groups */
    size_t indexed;        /* symbols before this one are in it */
};

/* ---- names in a group ------------------------------------------------------------------------ */

/* The name as DWARF has it, without Mach-O's underscore. */
static const char *plain_name(const struct ms_tree_symbol *symbol)
{
    bool table = symbol->flags & (MS_TREE_NAME_NLIST | MS_TREE_NAME_EXPORT);
    return symbol->name + (table && symbol->name[0] == '_');
}

static bool same_name(const struct ms_tree_symbol *symbol, const char *plain)
{
    if (!symbol->name)
        return false;
    const char *name = plain_name(symbol);
    return name == plain || strncmp(name, plain, MAX_NAME) == 0;
}

static uint64_t hash_of(const char *plain)
{
    return ms_hash(0, plain, strnlen(plain, MAX_NAME));
}

static bool catch_up(struct merging *m)
{
    struct ms_tree_store *s = m->store;
    for (; m->indexed < s->n_symbols; m->indexed++) {
        const struct ms_tree_symbol *symbol = &s->symbols[m->indexed];
        if (!symbol->name)
            continue;
        uint64_t hash = hash_of(plain_name(symbol));
        bool known = false;
        uint32_t i;
        for (size_t probe = 0;
             !known && (i = ms_index_next(&m->index, hash, &probe)) != MS_INDEX_NONE;)
            known = same_name(&s->symbols[m->first + i], plain_name(symbol));
        if (!known && !ms_index_add(&m->index, hash, (uint32_t)(m->indexed - m->first)))
            return false;
    }
    return true;
}

/* The symbol of the group with that name, NULL when there is none. */
static struct ms_tree_symbol *find(struct merging *m, const char *plain, bool *no_memory)
{
    struct ms_tree_store *s = m->store;
    size_t n = s->n_symbols - m->first;
    if (n <= SEARCHED) {
        for (size_t i = m->first; i < s->n_symbols; i++)
            if (same_name(&s->symbols[i], plain))
                return &s->symbols[i];
        return NULL;
    }
    if (!catch_up(m)) {
        *no_memory = true;
        return NULL;
    }
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&m->index, hash_of(plain), &probe)) != MS_INDEX_NONE;)
        if (same_name(&s->symbols[m->first + i], plain))
            return &s->symbols[m->first + i];
    return NULL;
}

static bool append(struct merging *m, uint64_t vm, uint64_t bytes, const char *name, uint32_t flags)
{
    struct ms_tree_store *s = m->store;
    if (name && flags & MS_TREE_FUNC && (name[0] == '-' || name[0] == '+') && name[1] == '[')
        flags |= MS_TREE_OBJC;
    struct ms_tree_symbol symbol = {vm, bytes, name, flags};
    return MS_PUSH(s->symbols, s->n_symbols, s->symbols_room, symbol);
}

/* ---- one record ------------------------------------------------------------------------------ */

static bool take_nlist(struct merging *m, const struct ms_record *record,
                       const struct ms_macho *macho)
{
    struct ms_nlist entry = ms_nlist_at(macho, record->index, NULL);
    const char *name = entry.name[0] ? entry.name : NULL;
    bool no_memory = false;
    if (name && m->store->n_symbols > m->first) {
        if (find(m, name + (name[0] == '_'), &no_memory))
            return true;
        if (no_memory)
            return false;
    }
    uint32_t flags = MS_TREE_NLIST;
    if (name)
        flags |= MS_TREE_NAME_NLIST | MS_TREE_MANGLED_NLIST;
    if (entry.type & MS_N_PEXT)
        flags |= MS_TREE_PEXT;
    else if (entry.type & MS_N_EXT)
        flags |= MS_TREE_EXT;
    if (entry.sect && entry.sect <= macho->n_sections) {
        const struct ms_section *section = &macho->sections[entry.sect - 1];
        /* __mh_execute_header counts as of __text, and stands before it */
        if (record->at - section->vm < section->vm_bytes && ms_section_is_code(section))
            flags |= MS_TREE_FUNC;
    }
    if (macho->cputype == MS_CPU_ARM && flags & MS_TREE_FUNC && entry.desc & MS_N_ARM_THUMB_DEF)
        flags |= MS_TREE_THUMB;
    return append(m, record->at, 0, name, flags);
}

static bool take_export(struct merging *m, uint64_t vm, const struct ms_tree_fact *fact)
{
    return append(m, vm, 0, fact->name,
                  (fact->code ? MS_TREE_FUNC : 0) | MS_TREE_EXT | MS_TREE_NAME_EXPORT);
}

static bool take_stub(struct merging *m, uint64_t vm, const struct ms_tree_fact *fact)
{
    return append(m, vm, fact->bytes, fact->name,
                  MS_TREE_STUB | MS_TREE_LENGTH | MS_TREE_NAME_NLIST | MS_TREE_MANGLED_NLIST |
                      MS_TREE_NLIST);
}

static bool take_map(struct merging *m, uint64_t vm, const struct ms_tree_fact *fact)
{
    bool no_memory = false;
    struct ms_tree_symbol *symbol = find(m, fact->name + (fact->name[0] == '_'), &no_memory);
    if (no_memory)
        return false;
    if (!symbol) {
        if (!append(m, vm, 0, fact->name,
                    (fact->code ? MS_TREE_FUNC : 0) | MS_TREE_NAME_NLIST | MS_TREE_MANGLED_NLIST))
            return false;
        symbol = &m->store->symbols[m->store->n_symbols - 1];
    }
    symbol->flags |= MS_TREE_DEBUG_MAP;
    if (fact->bytes) {
        symbol->flags |= MS_TREE_LENGTH;
        symbol->bytes = fact->bytes;
    }
    return true;
}

static void join_dwarf(struct ms_tree_symbol *symbol, const struct ms_tree_fact *fact)
{
    symbol->flags |= MS_TREE_FUNC | MS_TREE_DWARF | MS_TREE_LENGTH;
    symbol->bytes = fact->bytes;
    /* What the linker says of it counts more: -exported_symbols_list, visibility. */
    if (fact->external && !(symbol->flags & (MS_TREE_NLIST | MS_TREE_EXT)))
        symbol->flags |= MS_TREE_EXT;
    const char *name = fact->linkage ? fact->linkage : fact->name;
    if (symbol->name || !name)
        return;
    symbol->name = name;
    symbol->flags |= fact->linkage ? MS_TREE_NAME_LINKAGE | MS_TREE_MANGLED_LINKAGE
                                   : MS_TREE_NAME_DWARF | MS_TREE_MANGLED_DWARF;
}

/* By its linkage name, by its name, else with a function here that DWARF has not met yet: a name
 * that the compiler left out or cut. The same function twice is one. */
static bool take_dwarf(struct merging *m, uint64_t vm, const struct ms_tree_fact *fact)
{
    struct ms_tree_store *s = m->store;
    const char *const names[2] = {fact->linkage, fact->name};
    bool no_memory = false, met = false;
    for (int i = 0; i < 2 && s->n_symbols > m->first; i++) {
        struct ms_tree_symbol *symbol = names[i] ? find(m, names[i], &no_memory) : NULL;
        if (no_memory)
            return false;
        if (!symbol || symbol->flags & MS_TREE_STUB)
            continue;
        met |= (symbol->flags & MS_TREE_DWARF) != 0;
        if (symbol->flags & MS_TREE_DWARF && symbol->bytes == fact->bytes)
            return true;
        if (!(symbol->flags & MS_TREE_DWARF)) {
            join_dwarf(symbol, fact);
            return true;
        }
    }
    if (m->free < m->first)
        m->free = m->first;
    while (m->free < s->n_symbols && (s->symbols[m->free].flags & (MS_TREE_DWARF | MS_TREE_STUB) ||
                                      !(s->symbols[m->free].flags & MS_TREE_FUNC)))
        m->free++;
    if (m->free < s->n_symbols && !met) {
        join_dwarf(&s->symbols[m->free], fact);
        return true;
    }
    if (!append(m, vm, 0, NULL, 0))
        return false;
    join_dwarf(&s->symbols[s->n_symbols - 1], fact);
    struct ms_tree_symbol *symbol = &s->symbols[s->n_symbols - 1];
    if (symbol->name && (symbol->name[0] == '-' || symbol->name[0] == '+') &&
        symbol->name[1] == '[')
        symbol->flags |= MS_TREE_OBJC;
    return true;
}

static bool take_record(struct merging *m, const struct ms_record *record)
{
    struct ms_tree_store *s = m->store;
    if (record->rank == MS_FROM_BINARY)
        return take_nlist(m, record, &s->image->binary.macho);
    if (record->rank == MS_FROM_DSYM)
        return take_nlist(m, record, &s->image->debug.macho);
    const struct ms_tree_fact *fact = &s->facts[record->index];
    if (record->rank == MS_FROM_EXPORT)
        return take_export(m, record->at, fact);
    if (record->rank == MS_FROM_STUB)
        return take_stub(m, record->at, fact);
    return record->rank == MS_FROM_MAP ? take_map(m, record->at, fact)
                                       : take_dwarf(m, record->at, fact);
}

/* ---- function starts ------------------------------------------------------------------------- */

struct starts {
    struct ms_starts list;
    const struct ms_macho *macho; /* NULL: there are none */
    bool any;
    uint64_t vm;
};

static void next_start(struct starts *starts)
{
    starts->any = ms_starts_next(&starts->list, &starts->vm);
}

static void open_starts(struct starts *starts, const struct ms_image *image)
{
    const struct ms_part *parts[] = {&image->binary, &image->debug};
    for (int i = 0; i < 2 && !starts->macho; i++)
        if (parts[i]->file && parts[i]->macho.function_starts.n)
            starts->macho = &parts[i]->macho;
    if (starts->macho) {
        ms_starts_open(starts->macho, &starts->list);
        next_start(starts);
    }
}

/* A function that nothing else names, by the runtimes' metadata: code that a linker folded has
 * several names there. */
static bool append_nameless(struct merging *m, uint64_t vm, uint32_t flags)
{
    struct ms_image *image = m->store->image;
    struct ms_runtime_name name;
    size_t n = 0;
    while (m->store->runtime && n < MAX_FOLDED &&
           ms_image_runtime_name(image, vm, n, &name) == MS_OK) {
        uint32_t from = name.source == MS_SOURCE_OBJC ? MS_TREE_NAME_OBJC : MS_TREE_NAME_SWIFT;
        if (!append(m, vm, 0, name.name, flags | from))
            return false;
        n++;
    }
    m->store->out->n_runtime += n != 0;
    return !image->starved && (n || append(m, vm, 0, NULL, flags));
}

/* Marks the function of the group that a start means, one that DWARF knows if there is one. */
static bool take_start(struct merging *m, const struct starts *starts)
{
    struct ms_tree_store *s = m->store;
    struct ms_tree_symbol *function = NULL;
    for (size_t i = m->first; i < s->n_symbols; i++) {
        struct ms_tree_symbol *symbol = &s->symbols[i];
        if (!(symbol->flags & MS_TREE_FUNC))
            continue;
        if (symbol->flags & MS_TREE_DWARF) {
            function = symbol;
            break;
        }
        if (!function)
            function = symbol;
    }
    bool thumb = starts->macho->cputype == MS_CPU_ARM && starts->list.sum & 1;
    uint32_t flags = MS_TREE_FUNC | MS_TREE_STARTS | (thumb ? MS_TREE_THUMB : 0);
    s->out->n_starts++;
    if (!function)
        return append_nameless(m, starts->vm, flags);
    function->flags |= flags;
    return true;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void end_group(struct merging *m)
{
    struct ms_tree_store *s = m->store;
    for (size_t i = m->first; i < s->n_symbols; i++) {
        uint32_t sources = s->symbols[i].flags & SOURCES;
        if (sources & (sources - 1))
            s->symbols[i].flags |= MS_TREE_MERGED;
    }
    m->first = s->n_symbols;
    if (m->index.n)
        ms_index_fini(&m->index);
    m->indexed = m->first;
}

static bool merge_all(struct merging *m, struct starts *starts)
{
    struct ms_tree_store *s = m->store;
    size_t i = 0;
    while (i < s->n_records || starts->any) {
        uint64_t vm = i < s->n_records ? s->records[i].at : starts->vm;
        if (starts->any && starts->vm < vm)
            vm = starts->vm;
        for (; i < s->n_records && s->records[i].at == vm; i++)
            if (!take_record(m, &s->records[i]))
                return false;
        if (starts->any && starts->vm == vm) {
            if (!take_start(m, starts))
                return false;
            next_start(starts);
        }
        end_group(m);
    }
    return true;
}

enum ms_status ms_tree_merge(struct ms_tree_store *store, bool with_starts, struct ms_error *err)
{
    struct merging m;
    struct starts starts;
    memset(&m, 0, sizeof m);
    memset(&starts, 0, sizeof starts);
    m.store = store;
    if (store->n_records > 1 && !ms_records_sort(store->records, store->n_records))
        return ms_fail_memory(err);
    if (with_starts)
        open_starts(&starts, store->image);
    bool whole = merge_all(&m, &starts);
    ms_index_fini(&m.index);
    if (!whole)
        return ms_fail_memory(err);
    if (starts.macho && starts.list.damaged) {
        struct ms_error fault;
        ms_starts_fail(&starts.list, starts.macho, &fault);
        ms_tree_fault(store, &fault);
    }
    return MS_OK;
}
