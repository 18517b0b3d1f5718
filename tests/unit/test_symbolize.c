/* lib/resolve: from addresses and whole reports to what is shown. */
#include "machsym/symbolize.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APP "fixtures/magicnumbers/MagicNumbers"

static struct ms_image *open_image(const char *path)
{
    struct ms_image_choice choice = {.path = path};
    struct ms_image *image = NULL;
    struct ms_error err;
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK, "%s: %s", path, err.text);
    return image;
}

Test(lookup, order_of_answers_is_that_of_the_questions)
{
    struct ms_image *image = open_image(APP);
    /* The same twice, unsorted, one that nobody knows between them. */
    const uint64_t addresses[] = {0x10000077b, 0x10000069c, 0x100000004, 0x10000077b};
    struct ms_answers answers;
    struct ms_error err;
    cr_assert_eq(ms_image_find_many(image, addresses, 4, &answers, &err), MS_OK);
    cr_assert_eq(answers.n, 4);
    cr_assert_eq(answers.items[0].n_frames, 5);
    cr_assert_eq(answers.items[1].n_frames, 6);
    cr_assert_eq(answers.items[3].n_frames, 5);
    cr_assert_eq(answers.items[0].why, MS_WHY_COMPLETE);
    cr_assert_eq(answers.items[2].n_frames, 0);
    cr_assert_eq(answers.items[2].why, MS_WHY_OUTSIDE_CODE);
    const struct ms_frame *inner = &answers.items[1].frames[0], *outer = &answers.items[1].frames[5];
    cr_assert_str_eq(inner->name, "Swift runtime failure: Index out of range");
    cr_assert(inner->inlined);
    cr_assert_not(outer->inlined);
    cr_assert_str_eq(outer->linkage, "$s12MagicNumbers8MagicianC6reveal5roundS2i_tF");
    cr_assert_eq(outer->line, 14);
    cr_assert_eq(outer->column, 22);
    cr_assert_eq(outer->offset, 28);
    cr_assert_eq(outer->source, MS_SOURCE_DWARF);
    ms_answers_fini(&answers);
    cr_assert_eq(ms_image_find_many(image, addresses, 0, &answers, &err), MS_OK);
    cr_assert_eq(answers.n, 0);
    ms_answers_fini(&answers);
    ms_image_close(image);
}

static void same_text(const char *a, const char *b, uint64_t address)
{
    cr_assert((!a && !b) || (a && b && strcmp(a, b) == 0), "0x%llx: %s / %s",
              (unsigned long long)address, a ? a : "-", b ? b : "-");
}

/* One address at a time reads the same debug information another way. */
static void one_by_one_agrees(const char *path)
{
    enum { MOST = 60000 };
    struct ms_image *image = open_image(path);
    struct ms_image_info info;
    ms_image_info(image, &info);
    size_t n = (size_t)(info.end_vm - info.text_vm);
    if (n > MOST)
        n = MOST;
    uint64_t *addresses = calloc(n, sizeof *addresses);
    for (size_t i = 0; i < n; i++)
        addresses[i] = info.text_vm + i;
    struct ms_answers many, one;
    struct ms_error err;
    memset(&one, 0, sizeof one);
    cr_assert_eq(ms_image_find_many(image, addresses, n, &many, &err), MS_OK);
    for (size_t i = 0; i < n; i++) {
        cr_assert_eq(ms_image_find(image, addresses[i], &one, &err), MS_OK);
        const struct ms_answer *a = &many.items[i], *b = &one.items[0];
        cr_assert_eq(a->n_frames, b->n_frames, "%s 0x%llx", path,
                     (unsigned long long)addresses[i]);
        cr_assert_eq(a->why, b->why);
        for (size_t k = 0; k < a->n_frames; k++) {
            const struct ms_frame *x = &a->frames[k], *y = &b->frames[k];
            same_text(x->linkage, y->linkage, addresses[i]);
            same_text(x->name, y->name, addresses[i]);
            same_text(x->file, y->file, addresses[i]);
            same_text(x->dir, y->dir, addresses[i]);
            cr_assert_eq(x->line, y->line);
            cr_assert_eq(x->column, y->column);
            cr_assert_eq(x->offset, y->offset, "%s 0x%llx frame %zu", path,
                         (unsigned long long)addresses[i], k);
            cr_assert_eq(x->source, y->source);
        }
    }
    ms_answers_fini(&many);
    ms_answers_fini(&one);
    free(addresses);
    ms_image_close(image);
}

Test(lookup, one_by_one_agrees_with_many)
{
    one_by_one_agrees(APP);
    one_by_one_agrees("fixtures/c/dwarf4/deep");
    one_by_one_agrees("fixtures/c/dwarf2/small");
    one_by_one_agrees("fixtures/c/stripped/deep");
    one_by_one_agrees("fixtures/cxx/lto/shapes");
    one_by_one_agrees("fixtures/c/noaranges/deep.dSYM");
}

Test(lookup, names_without_machos_underscore)
{
    struct ms_image *image = open_image("fixtures/c/stripped/symbols/deep.dSYM");
    struct ms_frame alias;
    uint64_t address;
    struct ms_error err;
    cr_assert_eq(ms_image_find_name(image, "main", &address, &err), MS_OK);
    uint64_t same;
    cr_assert_eq(ms_image_find_name(image, "_main", &same, &err), MS_OK);
    cr_assert_eq(address, same);
    cr_assert_eq(ms_image_alias(image, address, 0, &alias, &err), MS_OK);
    cr_assert_str_eq(alias.linkage, "main");
    cr_assert_eq(ms_image_alias(image, address, 1, &alias, &err), MS_ABSENT);
    cr_assert_eq(ms_image_find_name(image, "nobody", &same, &err), MS_ABSENT);
    ms_image_close(image);
}

Test(show, demangles_and_cuts_paths)
{
    struct ms_frame frame = {.linkage = "_ZN3foo3barEi",
                             .name = "bar",
                             .comp_dir = "/src",
                             .dir = "lib",
                             .file = "foo.cpp",
                             .line = 7,
                             .start_vm = 0x1000,
                             .offset = 4,
                             .has_start = true,
                             .source = MS_SOURCE_DWARF};
    struct ms_answer answer = {&frame, 1, MS_WHY_COMPLETE};
    struct ms_show_pool *pool = NULL;
    struct ms_shown shown;
    struct ms_error err;
    cr_assert_eq(ms_show_pool_open(&pool, &err), MS_OK);
    struct ms_show_style style = {false, false, 0};
    cr_assert_eq(ms_show(pool, &answer, &style, 1, 0x100, &shown, &err), MS_OK);
    cr_assert_str_eq(shown.frames[0].function, "foo::bar(int)");
    cr_assert_str_eq(shown.frames[0].mangled, "_ZN3foo3barEi");
    cr_assert_str_eq(shown.frames[0].file, "foo.cpp");
    cr_assert_str_eq(shown.frames[0].path, "/src/lib/foo.cpp");
    cr_assert_eq(shown.frames[0].offset, 5, "of the return address, which is one further");
    cr_assert_eq(shown.frames[0].start_rt, 0x1100);
    style = (struct ms_show_style){true, true, 0};
    cr_assert_eq(ms_show(pool, &answer, &style, 0, 0, &shown, &err), MS_OK);
    cr_assert_str_eq(shown.frames[0].function, "_ZN3foo3barEi");
    cr_assert_str_eq(shown.frames[0].file, "/src/lib/foo.cpp");
    ms_show_pool_close(pool);
}

/* ---- whole reports ----------------------------------------------------------------------- */

struct job {
    struct ms_file *file;
    struct ms_report_file report;
    struct ms_symbolizer *symbolizer;
    struct ms_symbolication names;
};

static void start(struct job *job, const char *report, const char *files)
{
    struct ms_error err;
    memset(job, 0, sizeof *job);
    cr_assert_eq(ms_file_open(report, &job->file, &err), MS_OK);
    cr_assert_eq(ms_report_parse(ms_file_bytes(job->file), report, &job->report, &err), MS_OK);
    cr_assert_eq(ms_symbolizer_open(&job->symbolizer, &err), MS_OK);
    if (files)
        cr_assert_eq(ms_symbolizer_add(job->symbolizer, files, false, &err), MS_OK);
}

static void run(struct job *job, const struct ms_symbolize_options *options)
{
    struct ms_error err;
    ms_symbolication_fini(&job->names);
    cr_assert_eq(ms_symbolize_report(job->symbolizer, &job->report.reports[0], options, &job->names,
                                     &err),
                 MS_OK);
}

static void stop(struct job *job)
{
    ms_symbolication_fini(&job->names);
    ms_symbolizer_close(job->symbolizer);
    ms_report_file_fini(&job->report);
    ms_file_close(job->file);
}

Test(report, text_and_ips_get_the_same_names)
{
    struct job text, ips;
    struct ms_symbolize_options options = {.scope = MS_SCOPE_UNNAMED};
    start(&text, APP ".crash", APP ".dSYM");
    start(&ips, APP ".ips", APP ".dSYM");
    run(&text, &options);
    run(&ips, &options);
    cr_assert_eq(text.names.n_resolved, 8);
    cr_assert_eq(text.names.n_kept, 13);
    cr_assert_eq(text.names.n_frames, 21);
    cr_assert_eq(ips.names.n_resolved, 8);
    cr_assert_eq(ips.names.n_kept, 13);
    cr_assert_eq(ips.names.n_frames, 21);
    stop(&text);
    stop(&ips);
}

Test(report, scope_and_thread)
{
    struct job job;
    struct ms_symbolize_options options = {.one_thread = true, .thread = 2};
    start(&job, APP ".crash", APP ".dSYM");
    run(&job, &options);
    cr_assert_eq(job.names.n_resolved, 3, "thread 2 alone");
    options = (struct ms_symbolize_options){.scope = MS_SCOPE_ALL};
    run(&job, &options);
    cr_assert_eq(job.names.n_resolved, 8);
    stop(&job);
}

/* What one report found no file for, a later one may: with its folder it is found. */
Test(report, files_that_come_later_are_used)
{
    struct job job;
    struct ms_symbolize_options options = {.scope = MS_SCOPE_UNNAMED};
    struct ms_error err;
    start(&job, APP ".crash", NULL);
    run(&job, &options);
    cr_assert_eq(job.names.n_resolved, 0);
    cr_assert_eq(ms_symbolizer_add(job.symbolizer, APP ".dSYM", false, &err), MS_OK);
    cr_assert_eq(ms_symbolizer_skipped(job.symbolizer, &err), 0);
    run(&job, &options);
    cr_assert_eq(job.names.n_resolved, 8);
    stop(&job);
}

Test(report, without_files_nothing_is_named)
{
    struct job job;
    struct ms_symbolize_options options = {.scope = MS_SCOPE_UNNAMED};
    start(&job, APP ".crash", NULL);
    run(&job, &options);
    cr_assert_eq(job.names.n_resolved, 0);
    bool missing = false;
    for (size_t i = 0; i < job.names.n_images; i++)
        missing |= job.names.images[i].why == MS_WHY_NO_FILE && job.names.images[i].n_frames == 8;
    cr_assert(missing, "the app's image, with its eight frames");
    stop(&job);
}
