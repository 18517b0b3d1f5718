#include "resolve/image.h"

#include "machsym/workers.h"
#include "pack/msym.h"
#include "resolve/companion.h"
#include "resolve/part_gsym.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct ms_macho *ms_image_macho(const struct ms_image *image)
{
    return image->binary.file ? &image->binary.macho : &image->debug.macho;
}

const struct ms_part *ms_image_dwarf_part(const struct ms_image *image)
{
    return image->debug.file ? &image->debug : &image->binary;
}

static char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);
    if (copy)
        memcpy(copy, text, n);
    return copy;
}

/* Remembers the dSYM that a person would take for the right one. */
static enum ms_status note_mismatch(struct ms_image *image, const struct ms_catalog_entry *entry,
                                    struct ms_error *err)
{
    image->mismatch_path = copy_text(entry->path);
    if (!image->mismatch_path)
        return ms_fail_memory(err);
    image->has_mismatch = true;
    image->mismatch_uuid = entry->uuid;
    return MS_OK;
}

/* Of the dSYMs beside the binary: the one with its UUID, else the one to warn of. */
static enum ms_status add_debug(struct ms_image *image, struct ms_error *err)
{
    const struct ms_macho *macho = &image->binary.macho;
    if (!macho->has_uuid || ms_part_has_dwarf(&image->binary))
        return MS_OK;
    struct ms_catalog catalog;
    ms_catalog_init(&catalog);
    enum ms_status status = ms_companion_dsyms(&catalog, ms_file_path(image->binary.file), err);
    const struct ms_catalog_entry *match = ms_catalog_debug(&catalog, &macho->uuid);
    for (size_t i = 0; !match && status == MS_OK && i < catalog.n; i++) {
        const struct ms_catalog_entry *e = &catalog.items[i];
        /* The high byte of a subtype tells of capabilities that a dSYM leaves out. */
        if (e->cputype != macho->cputype || ((e->cpusubtype ^ macho->cpusubtype) & 0x00ffffff) != 0)
            continue;
        /* It is of this build, only without debug information: no other has to be found. */
        if (ms_uuid_equal(&e->uuid, &macho->uuid))
            continue;
        status = note_mismatch(image, e, err);
        break;
    }
    if (match && status == MS_OK &&
        ms_part_open_uuid(&image->debug, match->path, &macho->uuid, err) == MS_E_NOMEM)
        status = MS_E_NOMEM;
    ms_catalog_fini(&catalog);
    return status;
}

/* The binary beside a dSYM adds function starts and stubs; without it all else still works. */
static enum ms_status add_binary(struct ms_image *image, struct ms_error *err)
{
    const struct ms_macho *macho = &image->debug.macho;
    if (!macho->has_uuid)
        return MS_OK;
    struct ms_catalog catalog;
    ms_catalog_init(&catalog);
    enum ms_status status = ms_companion_binaries(&catalog, ms_file_path(image->debug.file), err);
    const struct ms_catalog_entry *match = ms_catalog_binary(&catalog, &macho->uuid);
    if (match && status == MS_OK &&
        ms_part_open_uuid(&image->binary, match->path, &macho->uuid, err) == MS_E_NOMEM)
        status = MS_E_NOMEM;
    ms_catalog_fini(&catalog);
    return status;
}

static void finish_open(struct ms_image *image)
{
    const struct ms_macho *macho = ms_image_macho(image);
    char room[MS_ARCH_TEXT];
    snprintf(image->arch, sizeof image->arch, "%s",
             image->debug.gsym.n && !image->binary.file
                 ? MS_GSYM_ARCH
                 : ms_arch_text(macho->cputype, macho->cpusubtype, room));
}

enum ms_status ms_image_open(const struct ms_image_choice *choice, struct ms_image **out,
                             struct ms_error *err)
{
    struct ms_image *image = calloc(1, sizeof *image);
    if (!image)
        return ms_fail_memory(err);
    struct ms_paths paths;
    ms_paths_init(&paths);
    struct ms_part part;
    memset(&part, 0, sizeof part);
    enum ms_status status = ms_companion_files(&paths, choice->path, choice->uuid != NULL, err);
    if (status == MS_OK)
        status = ms_part_choose(&part, paths.items, paths.n, choice->path, choice->arch,
                                choice->uuid, err);
    if (status == MS_OK) {
        bool is_dsym = part.macho.filetype == MS_MH_DSYM;
        *(is_dsym ? &image->debug : &image->binary) = part;
        if (!choice->no_companion)
            status = is_dsym ? add_binary(image, err) : add_debug(image, err);
        finish_open(image);
    }
    ms_paths_fini(&paths);
    if (status != MS_OK) {
        ms_image_close(image);
        return status;
    }
    *out = image;
    return MS_OK;
}

enum ms_status ms_image_open_pair(const char *binary, const char *debug, const struct ms_uuid *uuid,
                                  struct ms_image **out, struct ms_error *err)
{
    struct ms_image *image = calloc(1, sizeof *image);
    if (!image)
        return ms_fail_memory(err);
    enum ms_status status = MS_OK;
    if (binary)
        status = ms_part_open_uuid(&image->binary, binary, uuid, err);
    /* A binary that carries its own DWARF is both halves. */
    if (status == MS_OK && debug && !(binary && strcmp(binary, debug) == 0))
        status = ms_part_open_uuid(&image->debug, debug, uuid, err);
    if (status == MS_OK && !image->binary.file && !image->debug.file)
        status = ms_fail(err, MS_E_ARGUMENT, NULL, MS_NO_OFFSET, "neither a binary nor a dSYM");
    if (status != MS_OK) {
        ms_image_close(image);
        return status;
    }
    finish_open(image);
    *out = image;
    return MS_OK;
}

void ms_image_close(struct ms_image *image)
{
    if (!image)
        return;
    ms_oso_close(image->oso);
    ms_ready_index_close(image->index);
    ms_dwarf_unload(&image->dwarf);
    ms_symbols_fini(&image->binary_symbols);
    ms_symbols_fini(&image->debug_symbols);
    ms_names_fini(&image->binary_names);
    ms_names_fini(&image->debug_names);
    ms_runtime_names_close(image->runtime);
    for (size_t i = 0; i < image->n_single; i++)
        ms_symbols_fini(&image->single[i]);
    for (size_t i = 0; i < image->n_some; i++) {
        free(image->some[i].addresses);
        ms_symbols_fini(&image->some[i].binary);
        ms_symbols_fini(&image->some[i].debug);
    }
    free(image->mismatch_path);
    ms_part_close(&image->binary);
    ms_part_close(&image->debug);
    free(image);
}

void ms_image_set_object_search(struct ms_image *image, const struct ms_object_search *search)
{
    image->search = *search;
}

void ms_image_objects(const struct ms_image *image, struct ms_image_objects *out)
{
    memset(out, 0, sizeof *out);
    if (image->oso)
        ms_oso_objects(image->oso, out);
}

void ms_image_set_workers(struct ms_image *image, size_t n)
{
    image->n_workers = n ? n : ms_workers_of_machine();
}

/* The end of what is mapped into a process: __DWARF lies behind it in a dSYM alone. */
static uint64_t end_of_segments(const struct ms_macho *macho)
{
    uint64_t end = 0;
    for (size_t i = 0; i < macho->n_segments; i++) {
        const struct ms_segment *s = &macho->segments[i];
        if (strcmp(s->name, "__DWARF") != 0 && s->vm_bytes <= UINT64_MAX - s->vm &&
            s->vm + s->vm_bytes > end)
            end = s->vm + s->vm_bytes;
    }
    return end;
}

void ms_image_info(const struct ms_image *image, struct ms_image_info *out)
{
    const struct ms_macho *macho = ms_image_macho(image);
    const struct ms_part *dwarf = ms_image_dwarf_part(image);
    memset(out, 0, sizeof *out);
    out->binary_path = image->binary.file ? ms_file_path(image->binary.file) : NULL;
    out->has_dwarf = ms_part_has_dwarf(dwarf);
    struct ms_bytes index;
    out->has_index = ms_part_index(dwarf, &index);
    out->debug_path = image->debug.file || out->has_dwarf ? ms_file_path(dwarf->file) : NULL;
    const char *name = !out->has_index || out->binary_path ? NULL
                       : dwarf->name                      ? dwarf->name
                                                          : ms_msym_name(index);
    if (!name)
        name = out->binary_path ? out->binary_path : ms_file_path(image->debug.file);
    out->name = ms_path_base(name);
    out->arch = image->arch;
    out->has_uuid = macho->has_uuid;
    out->uuid = macho->uuid;
    out->text_vm = out->text_exec_vm = macho->text_vm;
    out->text_bytes = macho->text_bytes;
    const struct ms_segment *exec = ms_macho_segment(macho, "__TEXT_EXEC");
    if (exec)
        out->text_exec_vm = exec->vm;
    out->end_vm = end_of_segments(macho);
    out->mismatch_path = image->mismatch_path;
    out->mismatch_uuid = image->mismatch_uuid;
    out->damage =
        dwarf->file && dwarf->macho.damage.status != MS_OK ? &dwarf->macho.damage : &macho->damage;
}

enum ms_status ms_image_intact(const struct ms_image *image, struct ms_error *err)
{
    const struct ms_part *parts[] = {&image->binary, &image->debug};
    for (int i = 0; i < 2; i++)
        if (parts[i]->file && ms_file_torn(parts[i]->file))
            return ms_fail(err, MS_E_IO, ms_file_path(parts[i]->file), MS_NO_OFFSET,
                           "was truncated while it was read");
    return MS_OK;
}
