/*
 * A debug map joined with its objects, as dsymutil does it: which of two equal names counts, what
 * becomes of aliases and of common symbols, is what it makes of them.
 */
#include "base/array.h"
#include "base/error.h"
#include "macho/commands.h"
#include "macho/records.h"
#include "resolve/objects.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_NAME = 8192,  /* names of a table may overlap, so that n of them are n bytes long */
    MAX_ALIASES = 64, /* names of one address that are tried; real: 3 */
    UNLINKED = 0
};

/* Entries of all objects' symbol tables. A map may name one object a million times; real: 40
 * million in the largest apps. */
#define MAX_ENTRIES ((uint64_t)1 << 28)

struct link {
    const struct ms_macho *image;
    const struct ms_object_search *search;
    struct ms_linked_map *out;
    struct ms_arena *arena; /* of the result: paths */
    struct ms_object_files files;
    struct ms_debug_map map;
    struct ms_index by_name; /* the image's symbols that count, to entries of its table */
    struct ms_record *by_address;
    size_t n_by_address;
    bool has_addresses;
    uint64_t budget; /* of entries */
    /* The object in hand. */
    struct ms_object object;
    struct ms_index in_object; /* names to entries of its table */
    struct ms_index stems;     /* the same without ThinLTO's suffix */
    bool has_stems;
    struct ms_index present; /* names to symbols of the result */
    struct ms_error *err;
};

static enum ms_status note(struct link *l, enum ms_note_kind kind, const struct ms_error *error)
{
    struct ms_linked_map *out = l->out;
    if (out->n_noted[kind] >= MS_MAX_NOTES) {
        out->n_left_out[kind]++;
        return MS_OK;
    }
    out->n_noted[kind]++;
    return MS_PUSH(out->notes, out->n_notes, out->notes_room, *error) ? MS_OK
                                                                      : ms_fail_memory(l->err);
}

/* ---- names ----------------------------------------------------------------------------- */

static size_t length_of(const char *name)
{
    return strnlen(name, MAX_NAME);
}

/* The entry of a table that the index has for exactly these n bytes. With `stem` the entry's
 * name goes on after them. */
static uint32_t find_entry(const struct ms_index *index, const struct ms_macho *macho,
                           const char *name, size_t n, bool stem)
{
    uint64_t hash = ms_hash(0, name, n);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(index, hash, &probe)) != MS_INDEX_NONE;) {
        const char *known = ms_nlist_at(macho, i, NULL).name;
        if (strncmp(known, name, n) == 0 && (stem || !known[n]))
            return i;
    }
    return MS_INDEX_NONE;
}

/* From the end of the table, so that of several entries of one name the last is there. */
static bool index_object(struct link *l)
{
    const struct ms_macho *macho = &l->object.macho;
    for (uint32_t i = macho->n_nlist; i-- > 0;) {
        const char *name = ms_nlist_at(macho, i, NULL).name;
        size_t n = length_of(name);
        if (n < MAX_NAME && find_entry(&l->in_object, macho, name, n, false) == MS_INDEX_NONE &&
            !ms_index_add(&l->in_object, ms_hash(0, name, n), i))
            return false;
    }
    return true;
}

/* ThinLTO gives private symbols that others need a suffix: "_helper.llvm.1234". */
static bool index_stems(struct link *l)
{
    static const char suffix[] = ".llvm.";
    const struct ms_macho *macho = &l->object.macho;
    l->has_stems = true;
    for (uint32_t i = 0; i < macho->n_nlist; i++) {
        const char *name = ms_nlist_at(macho, i, NULL).name;
        size_t n = length_of(name), at = n;
        while (at > 0 && !(name[at] == '.' && n - at >= sizeof suffix - 1 &&
                           memcmp(name + at, suffix, sizeof suffix - 1) == 0))
            at--;
        if (at && n < MAX_NAME && find_entry(&l->stems, macho, name, at, true) == MS_INDEX_NONE &&
            !ms_index_add(&l->stems, ms_hash(0, name, at), i))
            return false;
    }
    return true;
}

static bool is_external(const struct ms_nlist *entry)
{
    return (entry->type & (MS_N_EXT | MS_N_PEXT)) != 0;
}

/* Those that a name of the map may mean: defined, and local ones only where there is data. */
static bool counts(const struct ms_macho *image, const struct ms_nlist *entry)
{
    if (entry->type & MS_N_STAB || (entry->type & MS_N_TYPE) == MS_N_UNDF || !entry->name[0] ||
        entry->sect > image->n_sections)
        return false;
    bool code =
        !entry->sect || image->sections[entry->sect - 1].flags & MS_S_ATTR_PURE_INSTRUCTIONS;
    return is_external(entry) || !code;
}

/* The last external symbol of a name counts, else the first local one. */
static bool index_image(struct link *l)
{
    const struct ms_macho *image = l->image;
    for (int external = 1; external >= 0; external--)
        for (uint32_t k = 0; k < image->n_nlist; k++) {
            uint32_t i = external ? image->n_nlist - 1 - k : k;
            struct ms_nlist entry = ms_nlist_at(image, i, NULL);
            if (!counts(image, &entry) || is_external(&entry) != external)
                continue;
            size_t n = length_of(entry.name);
            if (n < MAX_NAME &&
                find_entry(&l->by_name, image, entry.name, n, false) == MS_INDEX_NONE &&
                !ms_index_add(&l->by_name, ms_hash(0, entry.name, n), i))
                return false;
        }
    return true;
}

/* Where the image has a symbol of that name; UNLINKED when it has none. */
static uint64_t image_address(const struct link *l, const char *name, size_t n)
{
    uint32_t i = find_entry(&l->by_name, l->image, name, n, false);
    return i == MS_INDEX_NONE ? UNLINKED : ms_nlist_at(l->image, i, NULL).value;
}

/* ---- aliases --------------------------------------------------------------------------- */

static enum ms_status read_addresses(struct link *l)
{
    if (l->has_addresses)
        return MS_OK;
    l->by_address = malloc(((size_t)l->image->n_nlist + 1) * sizeof *l->by_address);
    for (uint32_t i = 0; l->by_address && i < l->image->n_nlist; i++) {
        struct ms_nlist entry = ms_nlist_at(l->image, i, NULL);
        if (counts(l->image, &entry))
            l->by_address[l->n_by_address++] = (struct ms_record){entry.value, i, 0};
    }
    if (!l->by_address || !ms_records_sort(l->by_address, l->n_by_address))
        return ms_fail_memory(l->err);
    l->has_addresses = true;
    return MS_OK;
}

/* An entry of the object that another name of that address leads to. */
static enum ms_status find_alias(struct link *l, const char *name, size_t n, uint64_t address_vm,
                                 uint32_t *out)
{
    if (find_entry(&l->by_name, l->image, name, n, false) == MS_INDEX_NONE ||
        image_address(l, name, n) != address_vm)
        return MS_OK;
    enum ms_status status = read_addresses(l);
    if (status != MS_OK)
        return status;
    size_t low = 0, high = l->n_by_address;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (l->by_address[middle].at < address_vm)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i < l->n_by_address && i - low < MAX_ALIASES &&
                         l->by_address[i].at == address_vm && *out == MS_INDEX_NONE;
         i++) {
        const char *alias = ms_nlist_at(l->image, l->by_address[i].index, NULL).name;
        *out = find_entry(&l->in_object, &l->object.macho, alias, length_of(alias), false);
    }
    return MS_OK;
}

/* ---- one object ------------------------------------------------------------------------ */

static bool is_common(const struct ms_nlist *entry)
{
    return (entry->type & MS_N_TYPE) == MS_N_UNDF && (entry->type & MS_N_EXT) && entry->value;
}

/* Adds the symbol unless its name is there. */
static enum ms_status add(struct link *l, struct ms_linked_object *to,
                          const struct ms_linked_symbol *symbol, bool *added)
{
    size_t n = length_of(symbol->name);
    uint64_t hash = ms_hash(0, symbol->name, n);
    uint32_t i;
    *added = false;
    for (size_t probe = 0; (i = ms_index_next(&l->present, hash, &probe)) != MS_INDEX_NONE;)
        if (strncmp(to->symbols[i].name, symbol->name, MAX_NAME) == 0)
            return MS_OK;
    if (!MS_PUSH(to->symbols, to->n_symbols, to->symbols_room, *symbol) ||
        !ms_index_add(&l->present, hash, (uint32_t)(to->n_symbols - 1)))
        return ms_fail_memory(l->err);
    *added = true;
    return MS_OK;
}

static enum ms_status note_symbol(struct link *l, const struct ms_linked_object *to,
                                  const char *format, const char *name)
{
    struct ms_error error;
    (void)ms_fail(&error, MS_ABSENT, to->path, MS_NO_OFFSET, format, name);
    return note(l, MS_NOTE_SYMBOL, &error);
}

static enum ms_status link_symbol(struct link *l, struct ms_linked_object *to,
                                  const struct ms_map_symbol *from)
{
    const struct ms_macho *macho = &l->object.macho;
    size_t n = length_of(from->name);
    uint64_t vm = from->kind == MS_MAP_GLOBAL ? image_address(l, from->name, n) : from->vm;
    uint32_t i = find_entry(&l->in_object, macho, from->name, n, false);
    enum ms_status status = MS_OK;
    if (i == MS_INDEX_NONE && from->kind != MS_MAP_STATIC)
        status = find_alias(l, from->name, n, vm, &i);
    if (status == MS_OK && i == MS_INDEX_NONE) {
        if (!l->has_stems && !index_stems(l))
            return ms_fail_memory(l->err);
        i = find_entry(&l->stems, macho, from->name, n, true);
    }
    if (status != MS_OK)
        return status;
    if (i == MS_INDEX_NONE)
        return note_symbol(l, to, "has no symbol %.150s, which the debug map names", from->name);
    struct ms_nlist entry = ms_nlist_at(macho, i, NULL);
    bool absolute = (entry.type & MS_N_TYPE) == MS_N_ABS, added;
    struct ms_linked_symbol symbol = {from->name, entry.value, vm, (uint32_t)from->bytes,
                                      !absolute && !is_common(&entry)};
    status = add(l, to, &symbol, &added);
    if (status == MS_OK && !added)
        status = note_symbol(l, to, "the debug map names the symbol %.150s twice", from->name);
    return status;
}

/* Common symbols have no stab: the object names them, the image knows where they came to lie. */
static enum ms_status link_commons(struct link *l, struct ms_linked_object *to)
{
    const struct ms_macho *macho = &l->object.macho;
    for (uint32_t i = 0; i < macho->n_nlist; i++) {
        struct ms_nlist entry = ms_nlist_at(macho, i, NULL);
        if (!is_common(&entry) || entry.type & MS_N_STAB)
            continue;
        size_t n = length_of(entry.name);
        uint32_t known = find_entry(&l->by_name, l->image, entry.name, n, false);
        if (known == MS_INDEX_NONE)
            continue;
        struct ms_nlist ours = ms_nlist_at(l->image, known, NULL);
        struct ms_linked_symbol symbol = {ours.name, 0, ours.value, 0, false};
        bool added;
        if (ours.value != UNLINKED && add(l, to, &symbol, &added) != MS_OK)
            return MS_E_NOMEM;
    }
    return MS_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ms_linked_symbol *)a)->name,
                  ((const struct ms_linked_symbol *)b)->name);
}

static enum ms_note_kind kind_of(enum ms_status status)
{
    return status == MS_ABSENT || status == MS_E_IO ? MS_NOTE_MISSING : MS_NOTE_MALFORMED;
}

/* Opens the object; *usable tells whether there is one. */
static enum ms_status open_object(struct link *l, struct ms_linked_object *to, bool *usable)
{
    struct ms_object_request request = {.path = to->path,
                                        .mtime = to->mtime,
                                        .cputype = l->image->cputype,
                                        .cpusubtype = l->image->cpusubtype,
                                        .use_stale = true};
    enum ms_why why;
    struct ms_error error;
    to->status = ms_object_open(&l->files, &request, &l->object, &why, &error);
    *usable = to->status == MS_OK;
    if (to->status == MS_E_NOMEM)
        return ms_fail_memory(l->err);
    if (!*usable)
        return note(l, kind_of(to->status), &error);
    *usable = l->object.macho.n_nlist <= l->budget;
    if (!*usable) {
        to->status = ms_fail(&error, MS_E_LIMIT, to->path, MS_NO_OFFSET,
                             "the objects have more symbols than are read");
        return note(l, MS_NOTE_MALFORMED, &error);
    }
    l->budget -= l->object.macho.n_nlist;
    if (!l->object.stale)
        return MS_OK;
    to->stale = true;
    (void)ms_object_stale(to->path, to->mtime, ms_file_mtime(l->object.file), &error);
    return note(l, MS_NOTE_STALE, &error);
}

static enum ms_status link_object(struct link *l, const struct ms_map_object *from, bool last,
                                  struct ms_linked_object *to)
{
    bool usable;
    enum ms_status status = open_object(l, to, &usable);
    if (status == MS_OK && usable && !index_object(l))
        status = ms_fail_memory(l->err);
    for (size_t i = 0; i < from->n && usable && status == MS_OK; i++)
        status = link_symbol(l, to, &l->map.symbols[from->first + i]);
    if (status == MS_OK && usable && !last) /* dsymutil forgets those of the last object */
        status = link_commons(l, to);
    if (usable && status == MS_OK && ms_file_torn(l->object.file)) {
        struct ms_error error;
        to->status =
            ms_fail(&error, MS_E_IO, to->path, MS_NO_OFFSET, "was truncated while it was read");
        to->n_symbols = 0;
        status = note(l, MS_NOTE_MALFORMED, &error);
    }
    if (to->n_symbols > 1)
        qsort(to->symbols, to->n_symbols, sizeof *to->symbols, by_name);
    ms_object_close(&l->object);
    ms_index_fini(&l->in_object);
    ms_index_fini(&l->stems);
    ms_index_fini(&l->present);
    l->has_stems = false;
    return status;
}

/* ---- all objects ----------------------------------------------------------------------- */

/* Marks the objects that the map names twice: nothing tells members of one name and time
 * apart. *is_double has one entry an object. */
static enum ms_status find_doubles(struct link *l, bool *is_double)
{
    struct ms_index index = {NULL, 0, 0};
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < l->map.n_objects && status == MS_OK; i++) {
        const struct ms_map_object *o = &l->map.objects[i];
        if (o->is_module)
            continue;
        uint64_t hash =
            ms_hash(ms_hash(0, o->path, length_of(o->path)), &o->mtime, sizeof o->mtime);
        uint32_t known;
        for (size_t probe = 0; (known = ms_index_next(&index, hash, &probe)) != MS_INDEX_NONE;) {
            const struct ms_map_object *other = &l->map.objects[known];
            if (other->mtime != o->mtime || strncmp(other->path, o->path, MAX_NAME) != 0)
                continue;
            if (!is_double[known]) {
                struct ms_error error;
                (void)ms_fail(&error, MS_ABSENT, o->path, MS_NO_OFFSET,
                              "the debug map names two objects so, of the same time: neither is "
                              "used");
                status = note(l, MS_NOTE_MALFORMED, &error);
            }
            is_double[known] = is_double[i] = true;
            break;
        }
        if (status == MS_OK && !is_double[i] && !ms_index_add(&index, hash, (uint32_t)i))
            status = ms_fail_memory(l->err);
    }
    ms_index_fini(&index);
    return status;
}

static enum ms_status link_all(struct link *l, const bool *is_double)
{
    const struct ms_debug_map *map = &l->map;
    size_t last = 0; /* the last object that is opened */
    bool skipping = false;
    for (size_t i = 0; i < map->n_objects; i++)
        if (!map->objects[i].is_module && !is_double[i])
            last = i;
    for (size_t i = 0; i < map->n_objects; i++) {
        const struct ms_map_object *from = &map->objects[i];
        struct ms_linked_object to;
        memset(&to, 0, sizeof to);
        if (!from->is_module)
            skipping = is_double[i];
        to.path = ms_object_path(l->search, from->path, l->arena);
        to.folder = from->folder;
        to.source = from->source;
        to.mtime = from->mtime;
        to.is_module = from->is_module;
        to.status = skipping ? MS_ABSENT : MS_OK;
        if (!to.path)
            return ms_fail_memory(l->err);
        enum ms_status status = MS_OK;
        if (!skipping && !from->is_module)
            status = link_object(l, from, i == last, &to);
        if (!MS_PUSH(l->out->objects, l->out->n_objects, l->out->objects_room, to)) {
            free(to.symbols);
            return ms_fail_memory(l->err);
        }
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
}

enum ms_status ms_linked_map_read(const struct ms_macho *image,
                                  const struct ms_object_search *search, struct ms_linked_map *out,
                                  struct ms_error *err)
{
    struct link l;
    memset(&l, 0, sizeof l);
    memset(out, 0, sizeof *out);
    l.image = image;
    l.search = search;
    l.out = out;
    l.err = err;
    l.budget = MAX_ENTRIES;
    enum ms_status status = ms_debug_map_read(image, &l.map, err);
    if (status != MS_OK)
        return status == MS_ABSENT ? MS_OK : status;
    bool *is_double = calloc(l.map.n_objects, sizeof *is_double);
    out->storage = l.arena = malloc(sizeof *l.arena);
    if (l.arena)
        ms_arena_init(l.arena, 0);
    if (!is_double || !l.arena || !index_image(&l))
        status = ms_fail_memory(err);
    if (status == MS_OK)
        status = find_doubles(&l, is_double);
    if (status == MS_OK)
        status = link_all(&l, is_double);
    free(is_double);
    free(l.by_address);
    ms_index_fini(&l.by_name);
    ms_debug_map_fini(&l.map);
    ms_object_files_fini(&l.files);
    if (status != MS_OK)
        ms_linked_map_fini(out);
    return status;
}

void ms_linked_map_fini(struct ms_linked_map *map)
{
    for (size_t i = 0; i < map->n_objects; i++)
        free(map->objects[i].symbols);
    free(map->objects);
    free(map->notes);
    if (map->storage) {
        ms_arena_fini(map->storage);
        free(map->storage);
    }
    memset(map, 0, sizeof *map);
}
