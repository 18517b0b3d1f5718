#include "resolve/catalog.h"

#include "base/array.h"
#include "resolve/part.h"
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
    ms_arena_fini(&catalog->arena);
    memset(catalog, 0, sizeof *catalog);
}

/* An .app holds thousands of pictures: four bytes tell them apart without mapping each. */
static bool has_macho_magic(const char *path)
{
    static const uint32_t magics[] = {0xfeedface, 0xfeedfacf, 0xcefaedfe,
                                      0xcffaedfe, 0xcafebabe, 0xcafebabf};
    uint8_t head[4];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, head, sizeof head);
    close(fd);
    if (got != (ssize_t)sizeof head)
        return false;
    uint32_t magic = (uint32_t)head[0] << 24 | (uint32_t)head[1] << 16 | (uint32_t)head[2] << 8 |
                     head[3];
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (magics[i] == magic)
            return true;
    return false;
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
        enum ms_status parsed = ms_macho_parse(fat->slices[i].bytes, ms_file_path(file), &macho, err);
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
                path = ms_arena_copy(&catalog->arena, ms_file_path(file),
                                     strlen(ms_file_path(file)));
            struct ms_catalog_entry entry = {
                macho.uuid, path, macho.cputype, macho.cpusubtype, macho.filetype,
                ms_macho_has_dwarf(&macho), macho.filetype != MS_MH_DSYM,
                macho.damage.status != MS_OK, ms_file_mtime(file)};
            if (!path || !MS_PUSH(catalog->items, catalog->n, catalog->room, entry))
                status = ms_fail_memory(err);
        }
        ms_macho_fini(&macho);
        if (status == MS_E_NOMEM)
            return status;
    }
    return status == MS_ABSENT ? MS_OK : status;
}

static enum ms_status add_file(struct ms_catalog *catalog, const char *path, struct ms_error *err)
{
    struct ms_file *file = NULL;
    enum ms_status status = ms_file_open(path, &file, err);
    if (status != MS_OK)
        return status;
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
        if (!has_macho_magic(paths.items[i]))
            continue;
        enum ms_status added = add_file(catalog, paths.items[i], &inner);
        if (added == MS_E_NOMEM) {
            status = added;
            if (err)
                *err = inner;
        } else if (added != MS_OK) {
            catalog->incomplete = true;
        }
    }
    catalog->incomplete |= paths.incomplete;
    ms_paths_fini(&paths);
    return status;
}

const struct ms_catalog_entry *ms_catalog_debug(const struct ms_catalog *catalog,
                                                const struct ms_uuid *uuid)
{
    /* A dSYM before a binary that carries its own DWARF: the dSYM is linked and complete. */
    const struct ms_catalog_entry *best = NULL;
    for (size_t i = 0; i < catalog->n; i++) {
        const struct ms_catalog_entry *e = &catalog->items[i];
        if (!e->has_dwarf || !ms_uuid_equal(&e->uuid, uuid))
            continue;
        if (!best || (best->damaged && !e->damaged) || (best->has_code && !e->has_code))
            best = e;
    }
    return best;
}

const struct ms_catalog_entry *ms_catalog_binary(const struct ms_catalog *catalog,
                                                 const struct ms_uuid *uuid)
{
    for (size_t i = 0; i < catalog->n; i++)
        if (catalog->items[i].has_code && ms_uuid_equal(&catalog->items[i].uuid, uuid))
            return &catalog->items[i];
    return NULL;
}

const struct ms_catalog_entry *ms_catalog_any(const struct ms_catalog *catalog,
                                              const struct ms_uuid *uuid)
{
    for (size_t i = 0; i < catalog->n; i++)
        if (ms_uuid_equal(&catalog->items[i].uuid, uuid))
            return &catalog->items[i];
    return NULL;
}

const struct ms_catalog_entry *ms_catalog_namesake(const struct ms_catalog *catalog,
                                                   const char *name,
                                                   const struct ms_uuid *not_this, const char *arch)
{
    const struct ms_catalog_entry *best = NULL;
    int best_score = -1;
    for (size_t i = 0; i < catalog->n; i++) {
        const struct ms_catalog_entry *e = &catalog->items[i];
        if (strcmp(ms_path_base(e->path), name) != 0 || ms_uuid_equal(&e->uuid, not_this))
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
