/* The slices of what a person names as one thing, with their UUIDs. */
#include "machsym/image.h"

#include "base/array.h"
#include "resolve/companion.h"
#include "resolve/part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct list {
    struct ms_slice_uuid *items;
    size_t n, room;
    size_t n_archives; /* slices that are none */
};

static enum ms_status add(struct list *list, const struct ms_file *file,
                          const struct ms_macho *macho, struct ms_error *err)
{
    struct ms_slice_uuid slice;
    memset(&slice, 0, sizeof slice);
    char room[MS_ARCH_TEXT];
    snprintf(slice.arch, sizeof slice.arch, "%s",
             ms_arch_text(macho->cputype, macho->cpusubtype, room));
    slice.has_uuid = macho->has_uuid;
    slice.uuid = macho->uuid;
    slice.mtime = ms_file_mtime(file);
    slice.file_bytes = ms_file_bytes(file).n;
    slice.filetype = macho->filetype;
    struct ms_bytes index;
    slice.has_dwarf = ms_macho_has_dwarf(macho) || ms_macho_index(macho, &index);
    slice.text_vm = macho->text_vm;
    size_t n = strlen(ms_file_path(file)) + 1;
    slice.path = malloc(n);
    if (slice.path)
        memcpy(slice.path, ms_file_path(file), n);
    if (!slice.path || !MS_PUSH(list->items, list->n, list->room, slice)) {
        free(slice.path);
        return ms_fail_memory(err);
    }
    return MS_OK;
}

static enum ms_status add_file(struct list *list, const char *path, struct ms_error *err)
{
    struct ms_file *file = NULL;
    struct ms_fat fat;
    enum ms_status status = ms_file_open(path, &file, err);
    if (status != MS_OK)
        return status;
    status = ms_fat_parse(ms_file_bytes(file), path, &fat, err);
    if (status == MS_OK) {
        for (size_t i = 0; i < fat.n_slices && status == MS_OK; i++) {
            struct ms_macho macho;
            list->n_archives += fat.slices[i].kind == MS_SLICE_ARCHIVE;
            if (fat.slices[i].kind != MS_SLICE_MACHO)
                continue;
            status = ms_macho_parse(fat.slices[i].bytes, path, &macho, err);
            if (status == MS_OK) {
                status = add(list, file, &macho, err);
                ms_macho_fini(&macho);
            }
        }
        ms_fat_fini(&fat);
    }
    if (status == MS_OK && ms_file_torn(file))
        status = ms_fail(err, MS_E_IO, path, MS_NO_OFFSET, "was truncated while it was read");
    ms_file_close(file);
    return status;
}

enum ms_status ms_slice_uuids_read(const char *path, struct ms_slice_uuid **out, size_t *n,
                                   struct ms_error *err)
{
    struct list list = {NULL, 0, 0, 0};
    struct ms_paths paths;
    ms_paths_init(&paths);
    enum ms_status status = ms_companion_files(&paths, path, false, err);
    for (size_t i = 0; i < paths.n && status == MS_OK; i++)
        status = add_file(&list, paths.items[i], err);
    if (status == MS_OK && !list.n && list.n_archives)
        status = ms_part_fail_archive(path, err);
    else if (status == MS_OK && !list.n)
        status = ms_fail(err, MS_E_FORMAT, path, MS_NO_OFFSET, "holds no Mach-O image");
    ms_paths_fini(&paths);
    if (status != MS_OK) {
        ms_slice_uuids_free(list.items, list.n);
        return status;
    }
    *out = list.items;
    *n = list.n;
    return MS_OK;
}

void ms_slice_uuids_free(struct ms_slice_uuid *slices, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(slices[i].path);
    free(slices);
}
