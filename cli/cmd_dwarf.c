/*
 * machsym dwarf: looks inside debug information: trees, line tables, one address with
 * everything around it, how much of the code is covered, and whether it is sound.
 */
#include "common/answer_json.h"
#include "common/console.h"
#include "common/dwarf_json.h"
#include "common/dwarf_limits.h"
#include "common/dwarf_options.h"
#include "common/dwarf_tree.h"
#include "common/input.h"
#include "common/llvm_verify.h"
#include "common/members.h"
#include "common/out.h"
#include "common/prefixes.h"
#include "common/uuids.h"
#include "machsym/dwarf.h"
#include "machsym/symbolize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct dwarf_options opt;

/* One run over all files. */
struct run {
    struct out out;
    struct ms_json json;
    struct ms_show_pool *pool;
    struct ms_object_search search;
    bool any_named;           /* --name: there was such a DIE */
    size_t n_members, n_bare; /* of the archive at hand; those without debug information */
    int status;
};

/* One image at hand: a slice, or a member of an archive. */
struct subject {
    const char *path;              /* of what it is called by in headings */
    const char *slice, *member;    /* what stands behind that in parentheses; NULL */
    struct ms_image_inside inside; /* where it is in its file; path NULL: the slice of that UUID */
    uint64_t file_bytes;
    struct ms_image *image;
    struct ms_image_info info;
    bool is_mapped; /* there is a debug map, and no debug information but that of its objects */
};

static void note(struct run *run, int status)
{
    run->status = worse(run->status, status);
}

static void show_file_format(struct run *run, const struct subject *s, const char *before)
{
    struct ms_sink *sink = &run->out.sink;
    ms_sink_puts(sink, before);
    ms_sink_plain(sink, input_shown(s->path));
    if (s->slice)
        ms_sink_printf(sink, "(%s)", s->slice);
    if (s->member) {
        ms_sink_puts(sink, "(");
        ms_sink_plain(sink, s->member);
        ms_sink_puts(sink, ")");
    }
    ms_sink_printf(sink, ":\tfile format %s\n", ms_image_format(s->image));
}

/* ---- line tables ------------------------------------------------------------------------- */

/* Rows of the table at hand: text as they come, so that nothing is held back. */
static void show_rows(struct run *run, struct ms_line_tables *tables)
{
    struct ms_line_row row;
    struct ms_error fault;
    bool any = false;
    if (opt.json) {
        ms_json_key(&run->json, "rows");
        ms_json_array(&run->json);
    }
    while (!run->out.sink.failed && ms_line_rows_next(tables, &row, &fault)) {
        if (opt.json)
            json_line_row(&run->json, &row);
        else if (!any)
            ms_line_row_write_heading(&run->out.sink);
        if (!opt.json)
            ms_line_row_write(&row, &run->out.sink);
        any = true;
    }
    if (opt.json)
        ms_json_array_end(&run->json);
    if (!run->out.sink.failed && fault.status != MS_OK)
        note(run, complain_error(&fault));
}

static void show_tables(struct run *run, struct ms_line_tables *tables)
{
    struct ms_line_table table;
    struct ms_error err;
    enum ms_status status = MS_OK;
    while (!run->out.sink.failed && (status = ms_line_tables_next(tables, &table, &err)) == MS_OK) {
        if (opt.json)
            json_line_table(&run->json, &table);
        else
            ms_line_table_write(&table, &run->out.sink);
        if (table.damage.status != MS_OK) {
            out_flush(&run->out);
            note(run, complain_error(&table.damage));
        }
        show_rows(run, tables);
        if (opt.json)
            ms_json_object_end(&run->json);
        else
            ms_sink_puts(&run->out.sink, "\n");
    }
    if (status != MS_OK && status != MS_ABSENT)
        note(run, complain_error(&err));
}

static void show_lines(struct run *run, const struct subject *s)
{
    struct ms_line_tables *tables = NULL;
    struct ms_error err;
    if (s->is_mapped)
        return; /* its objects are named */
    enum ms_status status = ms_image_lines_open(s->image, &tables, &err);
    if (opt.json) {
        ms_json_key(&run->json, "line_tables");
        ms_json_array(&run->json);
    } else {
        ms_sink_puts(&run->out.sink, "\n.debug_line contents:\n");
    }
    if (status == MS_OK)
        show_tables(run, tables);
    else if (status != MS_ABSENT)
        note(run, complain_error(&err));
    if (opt.json)
        ms_json_array_end(&run->json);
    ms_line_tables_close(tables);
}

/* ---- one address ------------------------------------------------------------------------- */

static int show_place(struct run *run, uint64_t address, const struct ms_place *place)
{
    const struct ms_show_style style = {true, opt.style.mangled, name_style(&opt.style)};
    struct ms_shown shown;
    struct ms_error err;
    struct ms_frame *frames = calloc(place->n_levels + 1, sizeof *frames);
    if (!frames) {
        complain("out of memory");
        return EXIT_SYSTEM;
    }
    for (size_t i = 0; i < place->n_levels; i++)
        frames[i] = place->levels[i].frame;
    struct ms_answer answer = {frames, place->n_levels, place->why};
    enum ms_status status = ms_show(run->pool, &answer, &style, 0, 0, &shown, &err);
    if (status == MS_OK && opt.json)
        json_place(&run->json, place, &shown, address, opt.style.mangled);
    else if (status == MS_OK)
        ms_place_write(place, &shown, address, opt.style.mangled, &run->out.sink);
    ms_show_pool_clear(run->pool);
    free(frames);
    return status == MS_OK ? EXIT_DONE : complain_error(&err);
}

static void show_lookups(struct run *run, const struct subject *s)
{
    if (opt.json) {
        ms_json_key(&run->json, "lookups");
        ms_json_array(&run->json);
    }
    for (size_t i = 0; i < opt.lookups.n && !run->out.sink.failed; i++) {
        struct ms_place place;
        struct ms_error err;
        if (ms_image_place(s->image, opt.addresses[i], &place, &err) != MS_OK) {
            note(run, complain_error(&err));
            continue;
        }
        if (!opt.json)
            ms_sink_puts(&run->out.sink, "\n");
        note(run, show_place(run, opt.addresses[i], &place));
        if (place.damage.status != MS_OK) {
            out_flush(&run->out);
            note(run, complain_error(&place.damage));
        }
        ms_place_fini(&place);
    }
    if (opt.json)
        ms_json_array_end(&run->json);
}

/* ---- LLVM's verifier --------------------------------------------------------------------- */

static bool take_report(void *to, const char *bytes, size_t n)
{
    struct run *run = to;
    if (!opt.json)
        ms_sink_write(&run->out.sink, bytes, n);
    else /* it is no part of the document */
        fwrite(bytes, 1, n, stderr);
    return !run->out.sink.failed;
}

/* LLVM's first and last line. */
static void show_verdict(struct run *run, const struct subject *s, const char *verdict)
{
    if (opt.json || opt.quiet)
        return;
    if (verdict)
        ms_sink_puts(&run->out.sink, verdict);
    else
        show_file_format(run, s, "Verifying ");
}

static void show_verify(struct run *run, const struct subject *s)
{
    bool clean;
    if (s->is_mapped || !s->info.has_dwarf)
        return;
    if (!s->info.has_uuid && !s->inside.path) {
        complain("%s (%s): has no UUID, by which LLVM's verifier would find it", s->info.debug_path,
                 s->info.arch);
        note(run, EXIT_INPUT);
        return;
    }
    bool wanted = !opt.quiet && (!opt.json || opt.verbose);
    show_verdict(run, s, NULL);
    out_flush(&run->out);
    int status = llvm_verify(s->info.debug_path, s->info.arch, &s->info.uuid,
                             s->inside.path ? &s->inside : NULL, s->file_bytes,
                             wanted ? take_report : NULL, run, &clean);
    if (status != EXIT_DONE) {
        note(run, status);
        return;
    }
    if (opt.json)
        ms_json_field_bool(&run->json, "dwarf_clean", clean);
    if (!run->out.sink.failed)
        show_verdict(run, s, clean ? "No errors.\n" : "Errors detected.\n");
    note(run, clean ? EXIT_DONE : EXIT_NO);
}

/* ---- statistics -------------------------------------------------------------------------- */

static void show_statistics(struct run *run, const struct subject *s)
{
    struct ms_dwarf_statistics statistics;
    struct ms_error err;
    if (!s->info.has_dwarf && !s->is_mapped)
        return;
    if (ms_image_statistics(s->image, &statistics, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    if (opt.json)
        json_statistics(&run->json, &statistics);
    else
        ms_dwarf_statistics_write(&statistics, &run->out.sink);
    if (statistics.first_fault.status != MS_OK) {
        out_flush(&run->out);
        note(run, complain_error(&statistics.first_fault));
    }
    if (statistics.n_missing) {
        out_flush(&run->out);
        complain("%zu of %zu objects can't be used; the first of them:", statistics.n_missing,
                 statistics.n_objects);
        note(run, complain_error(&statistics.first_missing));
    }
    ms_dwarf_statistics_fini(&statistics);
}

/* ---- the objects of a debug map ---------------------------------------------------------- */

static const char *state_of(const struct ms_map_part *part)
{
    if (part->status == MS_OK)
        return part->has_dwarf ? "read" : "no-debug-information";
    if (part->stale)
        return "stale";
    return part->status == MS_ABSENT || part->status == MS_E_IO ? "missing" : "malformed";
}

static void show_part(struct run *run, const struct subject *s, const struct ms_map_part *part)
{
    char line[MS_ERROR_LINE], heading[4096 + 64];
    struct ms_sink *sink = &run->out.sink;
    bool wanted = opt.names.n && part->has_dwarf;
    struct tree_request request = {
        part->inside.path, s->info.arch,    NULL,        &part->inside,   part->inside.bytes,
        heading,           opt.names.items, opt.names.n, &run->any_named,
    };
    if (opt.json) {
        ms_json_object(&run->json);
        ms_json_field(&run->json, "path", part->path);
        ms_json_field(&run->json, "state", state_of(part));
        if (wanted) {
            ms_json_key(&run->json, "units");
            ms_json_array(&run->json);
            note(run, print_tree(&request, &run->out, &run->json));
            ms_json_array_end(&run->json);
        }
        ms_json_object_end(&run->json);
    } else if (wanted) {
        snprintf(heading, sizeof heading, "\nobject    %s\n", part->path);
        note(run, print_tree(&request, &run->out, NULL));
    } else if (!opt.names.n) {
        ms_sink_puts(sink, "  ");
        ms_sink_plain(sink, part->path);
        ms_sink_puts(sink, part->has_dwarf         ? ""
                           : part->status == MS_OK ? ": has no debug information"
                                                   : ": can't be used");
        ms_sink_puts(sink, "\n");
    }
    if (part->status == MS_OK)
        return;
    out_flush(&run->out);
    warn("%s", ms_error_describe(&part->error, line));
    note(run, EXIT_INPUT);
}

/* With --name looks into each; else lists them, since it is one of them that has to be named. */
static void show_parts(struct run *run, const struct subject *s)
{
    struct ms_map_parts parts;
    struct ms_error err;
    size_t n_usable = 0;
    if (ms_image_map_parts(s->image, &parts, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    if (opt.json) {
        ms_json_key(&run->json, "objects");
        ms_json_array(&run->json);
    } else if (!opt.names.n) {
        ms_sink_puts(&run->out.sink, "\nobjects\n");
    }
    for (size_t i = 0; i < parts.n && !run->out.sink.failed; i++) {
        show_part(run, s, &parts.items[i]);
        n_usable += parts.items[i].has_dwarf;
    }
    if (opt.json)
        ms_json_array_end(&run->json);
    if (opt.line || opt.verify || !opt.names.n) {
        out_flush(&run->out);
        if (n_usable)
            complain("%s (%s): has a debug map and no debug information of its own: %zu of the %zu "
                     "objects named here have it; name one of those instead",
                     s->path, s->info.arch, n_usable, parts.n);
        else
            complain(
                "%s (%s): has a debug map and no debug information of its own, and none of "
                "the %zu objects has any, or is there: --oso-prefix-map says where they are now",
                s->path, s->info.arch, parts.n);
        note(run, EXIT_INPUT);
    }
    ms_map_parts_fini(&parts);
}

/* ---- one image --------------------------------------------------------------------------- */

static void show_tree(struct run *run, const struct subject *s)
{
    struct tree_request request = {
        s->info.debug_path,
        s->info.arch,
        s->info.has_uuid ? &s->info.uuid : NULL,
        s->inside.path ? &s->inside : NULL,
        s->file_bytes,
        NULL,
        opt.names.items,
        opt.names.n,
        &run->any_named,
    };
    if (opt.json) {
        ms_json_key(&run->json, "units");
        ms_json_array(&run->json);
    } else if (!opt.names.n) {
        ms_sink_puts(&run->out.sink, "\n.debug_info contents:\n");
    }
    if (s->info.has_dwarf)
        note(run, print_tree(&request, &run->out, opt.json ? &run->json : NULL));
    if (opt.json)
        ms_json_array_end(&run->json);
}

/* The verifier has a first line of its own. */
static bool only_verifies(const struct subject *s)
{
    bool others = opt.info || opt.line || opt.statistics || opt.lookups.n;
    return opt.verify && !others && (opt.quiet || (s->info.has_dwarf && !s->is_mapped));
}

static void show_image(struct run *run, const struct subject *s)
{
    if (opt.json) {
        char uuid[MS_UUID_TEXT];
        ms_uuid_format(&s->info.uuid, uuid);
        ms_json_object(&run->json);
        ms_json_field(&run->json, "path", input_shown(s->path));
        if (s->member)
            ms_json_field(&run->json, "member", s->member);
        ms_json_field(&run->json, "arch", s->info.arch);
        ms_json_field(&run->json, "uuid", s->info.has_uuid ? uuid : NULL);
    } else if (!only_verifies(s)) {
        show_file_format(run, s, "");
    }
    if (s->is_mapped && (opt.info || opt.line || opt.verify))
        show_parts(run, s);
    else if (opt.info)
        show_tree(run, s);
    if (opt.line)
        show_lines(run, s);
    if (opt.lookups.n)
        show_lookups(run, s);
    if (opt.statistics)
        show_statistics(run, s);
    if (opt.verify)
        show_verify(run, s);
    if (opt.json)
        ms_json_object_end(&run->json);
    out_flush(&run->out);
}

static void complain_of_none(struct run *run, const struct subject *s)
{
    complain("%s (%s): %s%s%s", s->path, s->info.arch,
             s->info.has_index
                 ? "is a ready index, for atos and crash: trees, tables and variables "
                   "are in the dSYM alone"
                 : "has no debug information",
             s->info.mismatch_path ? ", and another UUID than " : "",
             s->info.mismatch_path ? s->info.mismatch_path : "");
    note(run, EXIT_INPUT);
}

/* Takes s->image over. A member without debug information is shown as one that has nothing. */
static void serve(struct run *run, struct subject *s)
{
    ms_image_set_object_search(s->image, &run->search);
    ms_image_info(s->image, &s->info);
    if (s->info.damage && s->info.damage->status != MS_OK)
        warn("%s", ms_error_describe(s->info.damage, (char[MS_ERROR_LINE]){0}));
    s->is_mapped = !s->info.has_dwarf && ms_image_has_debug_map(s->image);
    if (s->info.has_dwarf) {
        if (!s->member)
            s->path = s->info.debug_path;
        warn_of_limits(s->image, s->info.debug_path);
    }
    if (s->info.has_dwarf || s->is_mapped || s->member)
        show_image(run, s);
    else
        complain_of_none(run, s);
    run->n_bare += !s->info.has_dwarf;
    ms_image_close(s->image);
}

static void open_slice(struct run *run, const struct ms_slice_uuid *slice, bool one_of_many)
{
    struct subject s = {.path = slice->path,
                        .slice = one_of_many ? slice->arch : NULL,
                        .file_bytes = slice->file_bytes};
    struct ms_image_choice choice = {slice->path, slice->has_uuid ? NULL : slice->arch,
                                     slice->has_uuid ? &slice->uuid : NULL, false};
    struct ms_error err;
    if (ms_image_open(&choice, &s.image, &err) != MS_OK)
        note(run, complain_error(&err));
    else
        serve(run, &s);
}

/* ---- one file ---------------------------------------------------------------------------- */

static void take_member(void *owner, const struct member *member)
{
    struct run *run = owner;
    struct subject s = {.path = member->path,
                        .slice = member->slice,
                        .member = member->name,
                        .inside = {member->path, member->name, member->off, member->bytes, 0},
                        .file_bytes = member->bytes};
    struct ms_error err;
    if (run->out.sink.failed)
        return;
    run->n_members++;
    if (ms_image_open_inside(&s.inside, &s.image, &err) != MS_OK)
        note(run, complain_error(&err));
    else
        serve(run, &s);
}

/* True when it is an archive, or a member of one. */
static bool read_members(struct run *run, const char *word)
{
    bool is_archive;
    run->n_members = run->n_bare = 0;
    note(run, members_walk(word, opt.arch, take_member, run, &is_archive));
    if (is_archive && run->n_members && run->n_members == run->n_bare) {
        complain("%s: has no debug information", word);
        note(run, EXIT_INPUT);
    }
    return is_archive;
}

static void complain_of_arch(const char *path, const struct ms_slice_uuid *slices, size_t n)
{
    char list[400] = "";
    for (size_t i = 0; i < n; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", slices[i].arch);
    }
    if (opt.arch)
        complain("%s: has no %s slice; it has %s", path, opt.arch, list);
    else
        complain("%s: has several slices (%s): choose one with -arch", path, list);
}

static void read_operand(struct run *run, const char *path)
{
    struct ms_slice_uuid *slices;
    struct ms_error err;
    size_t n, n_shown = 0;
    int status = input_path(&path);
    if (status != EXIT_DONE) {
        note(run, status);
        return;
    }
    if (read_members(run, path))
        return;
    if (ms_slice_uuids_read(path, &slices, &n, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    if (opt.lookups.n && n > 1 && !opt.arch) {
        complain_of_arch(path, slices, n);
        note(run, EXIT_USAGE);
        n_shown = n;
    }
    for (size_t i = 0; i < n && n_shown < n && !run->out.sink.failed; i++) {
        if (opt.arch && strcmp(opt.arch, slices[i].arch) != 0)
            continue;
        n_shown++;
        open_slice(run, &slices[i], n > 1);
    }
    if (!n_shown && !run->out.sink.failed) {
        complain_of_arch(path, slices, n);
        note(run, EXIT_INPUT);
    }
    ms_slice_uuids_free(slices, n);
}

static int complain_of_names(void)
{
    for (size_t i = 0; i < opt.names.n; i++)
        complain("no DIE is called %s", opt.names.items[i]);
    return EXIT_NO;
}

static int read_all(const struct word_list *words, const struct ms_object_search *search)
{
    static struct run run; /* large: it holds the output buffer */
    struct ms_error err;
    run.search = *search;
    if (ms_show_pool_open(&run.pool, &err) != MS_OK)
        return complain_error(&err);
    out_stdout(&run.out);
    if (opt.json)
        json_list(&run.json, &run.out.sink, "slices");
    for (size_t i = 0; i < words->n && !run.out.sink.failed; i++)
        read_operand(&run, words->items[i]);
    if (opt.json)
        json_list_end(&run.json);
    ms_show_pool_close(run.pool);
    out_flush(&run.out);
    if (opt.names.n && !run.any_named && !run.out.sink.failed)
        note(&run, complain_of_names());
    return out_finish(&run.out, run.status, true);
}

/* ---- start ------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    struct prefixes prefixes = {NULL, NULL};
    struct ms_object_search search = {NULL, 0, NULL};
    int status = dwarf_options_read(&opt, argc, argv, &words);
    if (status == ARGS_RUN)
        status = prefixes_read(&prefixes, opt.command, &opt.prefixes, &search);
    if (status == ARGS_RUN && opt.uuid)
        status = print_uuids(&words, opt.arch, opt.json);
    else if (status == ARGS_RUN)
        status = read_all(&words, &search);
    prefixes_fini(&prefixes);
    dwarf_options_fini(&opt);
    word_list_fini(&words);
    return status;
}
