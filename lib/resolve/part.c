#include "resolve/part.h"

#include "base/error.h"
#include "machsym/pack.h"
#include "pack/gsym.h"
#include "resolve/pack_shell.h"
#include "resolve/part_gsym.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ms_part_close(struct ms_part *part)
{
    if (!part->file)
        return;
    ms_macho_fini(&part->macho);
    ms_file_close(part->file);
    free(part->shell);
    free(part->name);
    memset(part, 0, sizeof *part);
}

bool ms_part_has_dwarf(const struct ms_part *part)
{
    return part->file && ms_macho_has_dwarf(&part->macho);
}

bool ms_macho_has_dwarf(const struct ms_macho *macho)
{
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        struct ms_bytes bytes;
        if (strcmp(section->name, "__debug_info") != 0 &&
            strcmp(section->name, "__zdebug_info") != 0)
            continue;
        /* A dSYM made from an object has empty copies of its sections before the real ones. */
        if (ms_macho_section_bytes(macho, section, &bytes, NULL) == MS_OK && bytes.n)
            return true;
    }
    return false;
}

bool ms_macho_index(const struct ms_macho *macho, struct ms_bytes *out)
{
    const struct ms_section *section = ms_macho_section(macho, MS_PACK_SEGMENT, MS_PACK_SECTION);
    return section && ms_macho_section_bytes(macho, section, out, NULL) == MS_OK && out->n;
}

bool ms_part_index(const struct ms_part *part, struct ms_bytes *out)
{
    *out = part->gsym;
    return part->gsym.n || (part->file && ms_macho_index(&part->macho, out));
}

/* Takes the file over on success. */
static enum ms_status open_slice(struct ms_part *part, struct ms_file *file,
                                 const struct ms_slice *slice, struct ms_error *err)
{
    enum ms_status status = ms_macho_parse(slice->bytes, ms_file_path(file), &part->macho, err);
    if (status == MS_OK)
        part->file = file;
    return status;
}

enum ms_status ms_part_open_uuid(struct ms_part *part, const char *path, const struct ms_uuid *uuid,
                                 struct ms_error *err)
{
    const char *paths[] = {path};
    return ms_part_choose(part, paths, 1, path, NULL, uuid, err);
}

/* What one look over a file's slices finds. */
struct choice {
    size_t path, slice; /* of the first that suits */
    size_t n_suiting, n_archives;
};

/* What there is, as the message lists it: "x86_64, arm64e". */
struct roll {
    char text[200];
    size_t n;
};

static void roll_add(struct roll *roll, const char *arch)
{
    size_t at = strlen(roll->text);
    snprintf(roll->text + at, sizeof roll->text - at, "%s%s", roll->n ? ", " : "", arch);
    roll->n++;
}

/* MS_OK, MS_ABSENT when the slice isn't the one, MS_E_NOMEM. */
static enum ms_status suits(const struct ms_slice *slice, const char *where, const char *arch,
                            const struct ms_uuid *uuid, struct ms_error *err)
{
    if (uuid) {
        struct ms_macho macho;
        enum ms_status status = ms_macho_parse(slice->bytes, where, &macho, NULL);
        if (status == MS_E_NOMEM)
            return ms_fail_memory(err);
        if (status != MS_OK)
            return MS_ABSENT;
        bool same = macho.has_uuid && ms_uuid_equal(&macho.uuid, uuid);
        ms_macho_fini(&macho);
        return same ? MS_OK : MS_ABSENT;
    }
    char room[MS_ARCH_TEXT];
    return !arch || strcmp(ms_arch_text(slice->cputype, slice->cpusubtype, room), arch) == 0
               ? MS_OK
               : MS_ABSENT;
}

enum ms_status ms_part_fail_archive(const char *label, struct ms_error *err)
{
    return ms_fail(err, MS_E_UNSUPPORTED, label, MS_NO_OFFSET,
                   "is a static archive: its objects have no address until they are linked");
}

static enum ms_status none_suits(const char *label, const struct roll *roll, const char *arch,
                                 const struct ms_uuid *uuid, struct ms_error *err)
{
    if (!roll->n)
        return ms_fail(err, MS_E_FORMAT, label, MS_NO_OFFSET, "holds no Mach-O image");
    if (uuid) {
        char text[MS_UUID_TEXT];
        ms_uuid_format(uuid, text);
        return ms_fail(err, MS_ABSENT, label, MS_NO_OFFSET, "has no slice with UUID %s", text);
    }
    return ms_fail(err, MS_ABSENT, label, MS_NO_OFFSET, "has no %s slice; it has %s", arch,
                   roll->text);
}

static enum ms_status open_chosen(struct ms_part *part, const char *path, size_t slice,
                                  struct ms_error *err)
{
    struct ms_file *file = NULL;
    struct ms_fat fat;
    enum ms_status status = ms_file_open(path, &file, err);
    if (status != MS_OK)
        return status;
    if (ms_gsym_has_magic(ms_file_bytes(file))) {
        status = ms_part_open_gsym(part, file, err);
        if (status != MS_OK)
            ms_file_close(file);
        return status;
    }
    status = ms_fat_parse(ms_file_bytes(file), path, &fat, err);
    if (status == MS_OK) {
        if (slice >= fat.n_slices) /* the file was replaced since we looked */
            status = ms_fail(err, MS_E_FORMAT, path, MS_NO_OFFSET, "changed while it was read");
        else if (fat.slices[slice].kind == MS_SLICE_ARCHIVE)
            status = ms_part_fail_archive(path, err);
        else
            status = open_slice(part, file, &fat.slices[slice], err);
        ms_fat_fini(&fat);
    }
    if (status != MS_OK)
        ms_file_close(file);
    return status;
}

/* A GSYM file, which is one slice that suits unless another UUID is asked for. */
static void look_over_gsym(const struct ms_file *file, size_t index, const struct ms_uuid *uuid,
                           struct choice *best, struct roll *roll)
{
    struct ms_uuid its;
    roll_add(roll, MS_GSYM_ARCH);
    bool is_it =
        !uuid || (ms_gsym_identify(ms_file_bytes(file), ms_file_path(file), &its, NULL) == MS_OK &&
                  ms_uuid_equal(&its, uuid));
    if (is_it && !best->n_suiting++) {
        best->path = index;
        best->slice = 0;
    }
}

/* Looks over one file; adds what suits to *best and what there is to *roll. */
static enum ms_status look_over(const char *path, size_t index, const char *arch,
                                const struct ms_uuid *uuid, struct choice *best, struct roll *roll,
                                struct ms_error *err)
{
    struct ms_file *file = NULL;
    struct ms_fat fat;
    enum ms_status status = ms_file_open(path, &file, err);
    if (status != MS_OK)
        return status;
    if (ms_gsym_has_magic(ms_file_bytes(file))) {
        look_over_gsym(file, index, uuid, best, roll);
        ms_file_close(file);
        return MS_OK;
    }
    status = ms_fat_parse(ms_file_bytes(file), path, &fat, err);
    if (status == MS_OK) {
        for (size_t i = 0; status == MS_OK && i < fat.n_slices; i++) {
            char room[MS_ARCH_TEXT];
            roll_add(roll, ms_arch_text(fat.slices[i].cputype, fat.slices[i].cpusubtype, room));
            best->n_archives += fat.slices[i].kind == MS_SLICE_ARCHIVE;
            enum ms_status suiting = suits(&fat.slices[i], path, arch, uuid, err);
            if (suiting == MS_E_NOMEM)
                status = suiting;
            if (suiting == MS_OK && !best->n_suiting++) {
                best->path = index;
                best->slice = i;
            }
        }
        ms_fat_fini(&fat);
    }
    ms_file_close(file);
    return status;
}

enum ms_status ms_part_choose(struct ms_part *part, const char *const *paths, size_t n_paths,
                              const char *label, const char *arch, const struct ms_uuid *uuid,
                              struct ms_error *err)
{
    struct choice best = {0, 0, 0, 0};
    struct roll roll = {"", 0};
    memset(part, 0, sizeof *part);
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < n_paths; i++) {
        enum ms_status one = look_over(paths[i], i, arch, uuid, &best, &roll, err);
        if (one == MS_E_NOMEM)
            return one;
        if (one != MS_OK)
            status = one;
    }
    /* Whichever of its slices were chosen. */
    if (roll.n && best.n_archives == roll.n)
        return ms_part_fail_archive(label, err);
    if (!best.n_suiting)
        return status != MS_OK && !roll.n ? status : none_suits(label, &roll, arch, uuid, err);
    if (best.n_suiting > 1 && !uuid && !arch)
        return ms_fail(err, MS_E_ARGUMENT, label, MS_NO_OFFSET,
                       "has several slices (%s): choose one with -arch", roll.text);
    return open_chosen(part, paths[best.path], best.slice, err);
}
