/*
 * common/otool_file.c: the slices of a file and the members of an archive that otool shows.
 */
#include "common/console.h"
#include "common/input.h"
#include "common/otool_show.h"
#include "machsym/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_wanted(uint32_t cputype, uint32_t cpusubtype, const char *arch)
{
    char room[MS_ARCH_TEXT];
    return !arch || strcmp(arch, ms_arch_text(cputype, cpusubtype, room)) == 0;
}

/* Is anything wanted of an image? Not of the file around it. */
static bool wants_image(const struct otool_wanted *want)
{
    return want->header || want->commands || want->libraries || want->id ||
           otool_wants_sections(want);
}

/* A member of an archive; true when it was an image of the architecture. */
static bool show_member(struct otool_run *run, const struct ms_archive *archive,
                        const struct ms_archive_member *member, const char *arch)
{
    const struct otool_wanted *want = run->want;
    struct ms_fat fat;
    struct ms_error ignored;
    bool shown = false;
    if (ms_fat_parse(member->bytes, run->path, &fat, &ignored) != MS_OK) {
        if (want->archive)
            ms_otool_archive_header(archive, member->off, &run->to);
        if (!want->json && wants_image(want))
            otool_heading(run, member->name, "", " is not an object file");
        return true;
    }
    for (size_t i = 0; i < fat.n_slices; i++) {
        if (fat.slices[i].kind != MS_SLICE_MACHO ||
            !is_wanted(fat.slices[i].cputype, fat.slices[i].cpusubtype, arch))
            continue;
        if (want->archive && !shown)
            ms_otool_archive_header(archive, member->off, &run->to);
        if (wants_image(want))
            otool_show_image(run, fat.slices[i].bytes, member->name);
        shown = true;
    }
    ms_fat_fini(&fat);
    return shown;
}

/* The members between two others are symbol tables and lists of names. */
static void show_tables(struct otool_run *run, const struct ms_archive *archive, uint64_t from,
                        uint64_t to)
{
    while (run->want->archive && from < to && !run->out.sink.failed) {
        uint64_t next = ms_otool_archive_header(archive, from, &run->to);
        if (next <= from)
            return;
        from = next;
    }
}

static void show_archive_heading(struct otool_run *run, const char *arch)
{
    if (run->want->json)
        return;
    ms_sink_puts(&run->out.sink, "Archive : ");
    ms_sink_plain(&run->out.sink, input_shown(run->path));
    if (run->by_architecture)
        ms_sink_printf(&run->out.sink, " (architecture %s)", arch);
    ms_sink_puts(&run->out.sink, "\n");
}

/* That no member has the section which was asked for by name. */
static void note_unnamed(struct otool_run *run)
{
    const struct otool_wanted *want = run->want;
    if (run->has_named || !(want->section || want->text || want->data))
        return;
    if (want->start.given || want->stop.given || want->lookup.given)
        return; /* those have said what they didn't find */
    out_flush(&run->out);
    complain("%s: no member has a section (%s,%s)", run->path,
             want->section ? want->segment
             : want->text  ? "__TEXT"
                           : "__DATA",
             want->section ? want->section
             : want->text  ? "__text"
                           : "__data");
}

/* `only` is the one member that is asked for, or NULL. */
static bool show_archive(struct otool_run *run, struct ms_bytes bytes, const char *only,
                         const char *slice_arch, const char *arch)
{
    struct ms_archive archive;
    struct ms_archive_member member;
    struct ms_error err;
    bool shown = false;
    run->has_named = false;
    enum ms_status status = ms_archive_open(bytes, run->path, &archive, &err);
    if (status == MS_OK && !only)
        show_archive_heading(run, slice_arch);
    while (status == MS_OK && !run->out.sink.failed) {
        uint64_t from = archive.next;
        status = ms_archive_next(&archive, &member, &err);
        if (!only && (status == MS_OK || status == MS_ABSENT))
            show_tables(run, &archive, from, status == MS_OK ? member.off : bytes.n);
        if (status == MS_OK && (!only || strcmp(only, member.name) == 0))
            shown = show_member(run, &archive, &member, arch) || shown;
    }
    if (status != MS_ABSENT && status != MS_OK)
        otool_note_error(run, &err);
    if (shown)
        note_unnamed(run);
    return shown || status != MS_ABSENT;
}

static bool show_slice(struct otool_run *run, const struct ms_slice *slice, const char *only,
                       const char *arch)
{
    char room[MS_ARCH_TEXT];
    const char *name = ms_arch_text(slice->cputype, slice->cpusubtype, room);
    if (slice->kind == MS_SLICE_ARCHIVE)
        return show_archive(run, slice->bytes, only, name, arch);
    if (slice->kind == MS_SLICE_MACHO) {
        if (wants_image(run->want))
            otool_show_image(run, slice->bytes, NULL);
        return true;
    }
    complain("%s (%s): the slice is neither Mach-O nor an archive", run->path, name);
    otool_note(run, EXIT_INPUT);
    return true;
}

/* The slices of one architecture, or all for NULL. */
static void show_arch(struct otool_run *run, const struct ms_fat *fat, const char *only,
                      const char *arch)
{
    bool shown = false;
    char list[200] = "", room[MS_ARCH_TEXT];
    for (size_t i = 0; i < fat->n_slices && !run->out.sink.failed; i++) {
        const struct ms_slice *slice = &fat->slices[i];
        bool archive = !fat->is_fat && slice->kind == MS_SLICE_ARCHIVE;
        const char *name = ms_arch_text(slice->cputype, slice->cpusubtype, room);
        size_t n = strlen(list);
        if (!archive)
            snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", name);
        /* A thin archive's members have architectures, not the file. */
        if (archive || is_wanted(slice->cputype, slice->cpusubtype, arch))
            shown = show_slice(run, slice, only, archive ? arch : NULL) || shown;
    }
    if (shown)
        return;
    out_flush(&run->out);
    if (only)
        complain("%s: has no member '%s'%s%s", run->path, only, arch ? " of architecture " : "",
                 arch ? arch : "");
    else if (list[0])
        complain("%s: has no %s slice; it has %s", run->path, arch, list);
    else
        complain("%s: has no %s%s", run->path, arch ? arch : "", arch ? " member" : "member");
    otool_note(run, EXIT_INPUT);
}

static void show_fat(struct otool_run *run, const struct ms_fat *fat, const char *only)
{
    bool all = run->want->all_archs || !run->want->archs.n;
    run->by_architecture = all ? fat->n_slices > 1 : run->want->archs.n > 1 && fat->is_fat;
    if (run->want->fat && !run->want->json)
        ms_otool_fat(fat, &run->to);
    if (run->want->json) {
        ms_json_object(&run->json);
        ms_json_field(&run->json, "path", input_shown(run->path));
        if (run->want->fat && fat->is_fat) {
            ms_json_key(&run->json, "fat");
            ms_json_object(&run->json);
            ms_otool_fat(fat, &run->to);
            ms_json_object_end(&run->json);
        }
        ms_json_key(&run->json, "images");
        ms_json_array(&run->json);
    }
    if (run->want->archive || wants_image(run->want)) {
        if (all)
            show_arch(run, fat, only, NULL);
        for (size_t i = 0; i < run->want->archs.n && !all; i++)
            show_arch(run, fat, only, run->want->archs.items[i]);
    }
    if (run->want->json) {
        ms_json_array_end(&run->json);
        ms_json_object_end(&run->json);
    }
}

/* ARCHIVE(MEMBER): cuts the word in two; false for anything else and for a file of that name. */
static bool split_member(const struct otool_wanted *want, char *word, char **member)
{
    struct stat st;
    size_t n = strlen(word);
    char *open = n && word[n - 1] == ')' ? strrchr(word, '(') : NULL;
    if (want->no_member || !open || open == word || stat(word, &st) == 0)
        return false;
    *open = 0;
    word[n - 1] = 0;
    *member = open + 1;
    return true;
}

static void show_file(struct otool_run *run, const char *path, const char *only)
{
    struct input input;
    struct ms_fat fat;
    struct ms_error err;
    run->path = path;
    int status = input_open(&input, path);
    run->start = input.file ? input.bytes.at : NULL;
    if (status != EXIT_DONE)
        otool_note(run, status);
    else if (ms_fat_parse(input.bytes, input.name, &fat, &err) != MS_OK)
        otool_note_error(run, &err);
    else {
        show_fat(run, &fat, only);
        ms_fat_fini(&fat);
    }
    if (!input_intact(&input))
        otool_note(run, EXIT_INPUT);
    input_close(&input);
}

void otool_show_operand(struct otool_run *run, const char *word)
{
    struct stat st;
    int status = input_path(&word);
    if (status != EXIT_DONE) {
        otool_note(run, status);
        return;
    }
    char *copy = malloc(strlen(word) + 1), *member = NULL;
    if (!copy) {
        complain("out of memory");
        otool_note(run, EXIT_SYSTEM);
        return;
    }
    strcpy(copy, word);
    if (stat(word, &st) == 0 && S_ISDIR(st.st_mode)) {
        struct ms_slice_uuid *slices = NULL;
        struct ms_error err;
        size_t n = 0;
        if (ms_slice_uuids_read(word, &slices, &n, &err) == MS_OK && n)
            show_file(run, slices[0].path, NULL);
        else
            otool_note_error(run, &err);
        ms_slice_uuids_free(slices, n);
    } else {
        split_member(run->want, copy, &member);
        show_file(run, copy, member);
    }
    free(copy);
}
