#include "resolve/catalog.h"

#include "base/array.h"
#include "pack/gsym.h"
#include "pack/gsym_format.h"
#include "pack/msym.h"
#include "resolve/part_gsym.h"
#include "resolve/paths.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void ms_catalog_init(struct ms_catalog *catalog)
{
    memset(catalog, 0, sizeof *catalog);
    ms_arena_init(&catalog->arena, 0);
}

void ms_catalog_fini(struct ms_catalog *catalog)
{
    free(catalog->items);
    free(catalog->last_uuid);
    free(catalog->last_name);
    ms_index_fini(&catalog->by_uuid);
    ms_index_fini(&catalog->by_name);
    ms_arena_fini(&catalog->arena);
    memset(catalog, 0, sizeof *catalog);
}

/* An .app holds thousands of pictures: four bytes tell them apart without mapping each. */
static bool has_known_magic(const char *path)
{
    static const uint32_t magics[] = {0xfeedface, 0xfeedfacf, 0xcefaedfe, 0xcffaedfe,
                                      0xcafebabe, 0xcafebabf, GSYM_MAGIC, GSYM_MAGIC_SWAPPED};
    uint8_t head[4];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return true; /* it may be one: opening it will say why not */
    ssize_t got = read(fd, head, sizeof head);
    close(fd);
    if (got != (ssize_t)sizeof head)
        return false;
    uint32_t magic =
        (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 | (uint32_t)head[2] << 8 | head[3];
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (magics[i] == magic)
            return true;
    return false;
}

static const struct ms_catalog_entry *first_with_uuid(const struct ms_catalog *catalog,
                                                      const struct ms_uuid *uuid)
{
    uint64_t hash = ms_hash(0, uuid->byte, sizeof uuid->byte);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&catalog->by_uuid, hash, &probe)) != MS_INDEX_NONE;)
        if (ms_uuid_equal(&catalog->items[i].uuid, uuid))
            return &catalog->items[i];
    return NULL;
}

static const struct ms_catalog_entry *first_with_name(const struct ms_catalog *catalog,
                                                      const char *name)
{
    uint64_t hash = ms_hash(0, name, strlen(name));
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&catalog->by_name, hash, &probe)) != MS_INDEX_NONE;)
        if (strcmp(ms_path_base(catalog->items[i].path), name) == 0)
            return &catalog->items[i];
    return NULL;
}

static const struct ms_catalog_entry *entry_at(const struct ms_catalog *catalog, uint32_t i)
{
    return i == MS_INDEX_NONE ? NULL : &catalog->items[i];
}

/*
 * Appends an entry, and to the chains of its UUID and its name. The array `last_…` runs in
 * parallel to the items; it is meaningful for the first of each chain.
 */
static bool add_entry(struct ms_catalog *catalog, struct ms_catalog_entry entry)
{
    uint32_t i = (uint32_t)catalog->n;
    size_t n = catalog->n; /* of both arrays, which grow in step */
    entry.next_uuid = entry.next_name = MS_INDEX_NONE;
    const struct ms_catalog_entry *uuid = first_with_uuid(catalog, &entry.uuid);
    const char *base = ms_path_base(entry.path);
    const struct ms_catalog_entry *name = first_with_name(catalog, base);
    size_t first_uuid = uuid ? (size_t)(uuid - catalog->items) : n;
    size_t first_name = name ? (size_t)(name - catalog->items) : n;
    if (n >= MS_INDEX_NONE - 1 ||
        !ms_array_grow(&catalog->last_uuid, n, &catalog->last_uuid_room, sizeof(uint32_t)) ||
        !ms_array_grow(&catalog->last_name, n, &catalog->last_name_room, sizeof(uint32_t)) ||
        !ms_array_grow(&catalog->items, n, &catalog->room, sizeof *catalog->items))
        return false;
    /* The item stands before an index leads to it. */
    catalog->items[n] = entry;
    if (!uuid &&
        !ms_index_add(&catalog->by_uuid, ms_hash(0, entry.uuid.byte, sizeof entry.uuid.byte), i))
        return false;
    catalog->n++;
    if (!name && !ms_index_add(&catalog->by_name, ms_hash(0, base, strlen(base)), i))
        return false;
    if (uuid)
        catalog->items[catalog->last_uuid[first_uuid]].next_uuid = i;
    if (name)
        catalog->items[catalog->last_name[first_name]].next_name = i;
    catalog->last_uuid[first_uuid] = catalog->last_name[first_name] = i;
    return true;
}

/*
 * A whole index before a dSYM, since it says the same and sooner; a dSYM before a binary that
 * carries its own DWARF: the dSYM is linked and complete. A GSYM file knows no columns; last what
 * was cut out of more.
 */
enum { RANK_INDEX, RANK_DSYM, RANK_BINARY, RANK_GSYM, RANK_PART };

/* False when there is no debug information. */
static bool find_rank(const struct ms_macho *macho, uint8_t *rank)
{
    struct ms_bytes index;
    *rank = macho->filetype == MS_MH_DSYM ? RANK_DSYM : RANK_BINARY;
    if (ms_macho_has_dwarf(macho))
        return true;
    if (!ms_macho_index(macho, &index))
        return false;
    *rank = ms_msym_is_whole(index) ? RANK_INDEX : RANK_PART;
    return true;
}

static enum ms_status add_slices(struct ms_catalog *catalog, const struct ms_file *file,
                                 const struct ms_fat *fat, struct ms_error *err)
{
    const char *path = NULL;
    enum ms_status status = MS_ABSENT; /* until one slice is well-formed */
    for (size_t i = 0; i < fat->n_slices; i++) {
        struct ms_macho macho;
        if (fat->slices[i].kind != MS_SLICE_MACHO)
            continue;
        enum ms_status parsed =
            ms_macho_parse(fat->slices[i].bytes, ms_file_path(file), &macho, err);
        if (parsed != MS_OK) {
            if (parsed == MS_E_NOMEM || status == MS_ABSENT)
                status = parsed;
            if (parsed == MS_E_NOMEM)
                return parsed;
            continue;
        }
        status = MS_OK;
        if (macho.has_uuid) {
            if (!path)
                path =
                    ms_arena_copy(&catalog->arena, ms_file_path(file), strlen(ms_file_path(file)));
            uint8_t rank;
            bool has_debug = find_rank(&macho, &rank);
            struct ms_catalog_entry entry = {macho.uuid,
                                             path,
                                             macho.cputype,
                                             macho.cpusubtype,
                                             macho.filetype,
                                             has_debug,
                                             rank,
                                             macho.filetype != MS_MH_DSYM,
                                             macho.damage.status != MS_OK,
                                             ms_file_mtime(file),
                                             MS_INDEX_NONE,
                                             MS_INDEX_NONE};
            if (!path || !add_entry(catalog, entry))
                status = ms_fail_memory(err);
        }
        ms_macho_fini(&macho);
        if (status == MS_E_NOMEM)
            return status;
    }
    return status == MS_ABSENT ? MS_OK : status;
}

static enum ms_status add_gsym(struct ms_catalog *catalog, const struct ms_file *file,
                               struct ms_error *err)
{
    const char *path = ms_file_path(file);
    struct ms_catalog_entry entry = {
        .filetype = MS_MH_DSYM, .has_dwarf = true, .rank = RANK_GSYM, .mtime = ms_file_mtime(file)};
    struct ms_gsym *gsym;
    struct ms_gsym_head head;
    enum ms_status status = ms_gsym_open(ms_file_bytes(file), path, &gsym, err);
    if (status != MS_OK)
        return status;
    ms_gsym_head(gsym, &head);
    ms_gsym_close(gsym);
    catalog->n_files++;
    if (!head.has_uuid)
        return MS_OK;
    entry.uuid = head.uuid;
    entry.path = ms_arena_copy(&catalog->arena, path, strlen(path));
    return entry.path && add_entry(catalog, entry) ? MS_OK : ms_fail_memory(err);
}

static enum ms_status add_file(struct ms_catalog *catalog, const char *path, struct ms_error *err)
{
    struct ms_file *file = NULL;
    enum ms_status status = ms_file_open(path, &file, err);
    if (status != MS_OK)
        return status;
    if (ms_gsym_has_magic(ms_file_bytes(file))) {
        status = add_gsym(catalog, file, err);
        ms_file_close(file);
        return status;
    }
    struct ms_fat fat;
    status = ms_fat_parse(ms_file_bytes(file), path, &fat, err);
    if (status == MS_OK) {
        catalog->n_files++;
        status = add_slices(catalog, file, &fat, err);
        ms_fat_fini(&fat);
    }
    ms_file_close(file);
    return status;
}

static void note_skipped(struct ms_catalog *catalog, size_t n, const struct ms_error *first)
{
    if (n && !catalog->n_skipped)
        catalog->first_skipped = *first;
    catalog->n_skipped += n;
}

enum ms_status ms_catalog_add(struct ms_catalog *catalog, const char *path, bool beside,
                              struct ms_error *err)
{
    if (!ms_path_is_folder(path))
        return add_file(catalog, path, err);
    struct ms_paths paths;
    ms_paths_init(&paths);
    enum ms_status status =
        ms_paths_collect(&paths, path, beside ? MS_REACH_BESIDE : MS_REACH_ALL, err);
    for (size_t i = 0; i < paths.n && status == MS_OK; i++) {
        struct ms_error inner;
        if (!has_known_magic(paths.items[i]))
            continue;
        enum ms_status added = add_file(catalog, paths.items[i], &inner);
        if (added == MS_E_NOMEM) {
            status = added;
            if (err)
                *err = inner;
        } else if (added != MS_OK) {
            note_skipped(catalog, 1, &inner);
        }
    }
    note_skipped(catalog, paths.n_skipped, &paths.first_skipped);
    ms_paths_fini(&paths);
    return status;
}

const struct ms_catalog_entry *ms_catalog_debug(const struct ms_catalog *catalog,
                                                const struct ms_uuid *uuid)
{
    const struct ms_catalog_entry *best = NULL, *e = first_with_uuid(catalog, uuid);
    for (; e; e = entry_at(catalog, e->next_uuid))
        if (e->has_dwarf && (!best || (best->damaged && !e->damaged) ||
                             (best->damaged == e->damaged && e->rank < best->rank)))
            best = e;
    return best;
}

const struct ms_catalog_entry *ms_catalog_binary(const struct ms_catalog *catalog,
                                                 const struct ms_uuid *uuid)
{
    const struct ms_catalog_entry *e = first_with_uuid(catalog, uuid);
    while (e && !e->has_code)
        e = entry_at(catalog, e->next_uuid);
    return e;
}

const struct ms_catalog_entry *ms_catalog_any(const struct ms_catalog *catalog,
                                              const struct ms_uuid *uuid)
{
    return first_with_uuid(catalog, uuid);
}

const struct ms_catalog_entry *ms_catalog_namesake(const struct ms_catalog *catalog,
                                                   const char *name, const struct ms_uuid *not_this,
                                                   const char *arch)
{
    enum { ENOUGH = 100 }; /* a report may ask this for each of many images of one name */
    const struct ms_catalog_entry *best = NULL, *e = first_with_name(catalog, name);
    int best_score = -1;
    for (int i = 0; e && i < ENOUGH; i++, e = entry_at(catalog, e->next_name)) {
        if (ms_uuid_equal(&e->uuid, not_this))
            continue;
        const char *its_arch = ms_arch_name(e->cputype, e->cpusubtype);
        int score = (arch && its_arch && strcmp(arch, its_arch) == 0 ? 2 : 0) + e->has_dwarf;
        if (score > best_score) {
            best = e;
            best_score = score;
        }
    }
    return best;
}
