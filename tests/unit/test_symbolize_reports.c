/* lib/resolve: several reports looked up together. */
#include "machsym/symbolize.h"

#include <criterion/criterion.h>
#include <string.h>

#define APP "fixtures/magicnumbers/MagicNumbers"

enum { N = 3 };

struct job {
    struct ms_file *files[N];
    struct ms_report_file reports[N];
    struct ms_symbolize_request requests[N];
    struct ms_symbolication out[N];
    struct ms_symbolizer *symbolizer;
};

static void start(struct job *job)
{
    static const char *const names[N] = {APP ".crash", APP ".ips", APP ".crash"};
    struct ms_error err;
    memset(job, 0, sizeof *job);
    cr_assert_eq(ms_symbolizer_open(&job->symbolizer, &err), MS_OK);
    cr_assert_eq(ms_symbolizer_add(job->symbolizer, APP ".dSYM", false, &err), MS_OK);
    for (int i = 0; i < N; i++) {
        cr_assert_eq(ms_file_open(names[i], &job->files[i], &err), MS_OK);
        cr_assert_eq(
            ms_report_parse(ms_file_bytes(job->files[i]), names[i], &job->reports[i], &err), MS_OK);
        job->requests[i].report = &job->reports[i].reports[0];
    }
}

static void look_up(struct job *job, size_t n)
{
    struct ms_error err;
    cr_assert_eq(ms_symbolize_reports(job->symbolizer, job->requests, n, job->out, &err), MS_OK);
}

static void stop(struct job *job)
{
    ms_symbolizer_close(job->symbolizer);
    for (int i = 0; i < N; i++) {
        ms_report_file_fini(&job->reports[i]);
        ms_file_close(job->files[i]);
    }
}

/* The first frame that was looked up. */
static const struct ms_shown *first_of(const struct ms_symbolication *names)
{
    for (size_t i = 0; i < names->n_shown; i++)
        if (names->shown[i].n_frames)
            return &names->shown[i];
    cr_assert(false, "nothing was found");
    return NULL;
}

static bool same_frames(const struct ms_shown *a, const struct ms_shown *b)
{
    if (a->n_frames != b->n_frames || a->why != b->why)
        return false;
    for (size_t i = 0; i < a->n_frames; i++)
        if (strcmp(a->frames[i].function, b->frames[i].function) != 0 ||
            a->frames[i].line != b->frames[i].line || a->frames[i].offset != b->frames[i].offset ||
            a->frames[i].start_rt != b->frames[i].start_rt)
            return false;
    return true;
}

Test(reports, what_is_shown_of_an_address_is_shared)
{
    struct job job;
    start(&job);
    look_up(&job, N);
    for (int i = 0; i < N; i++) {
        cr_assert_eq(job.out[i].n_resolved, 8);
        cr_assert_eq(job.out[i].n_kept, 13);
        cr_assert_eq(job.out[i].n_frames, 21);
    }
    cr_assert_eq(job.out[0].shown[0].frames, job.out[2].shown[0].frames);
    for (int i = 0; i < N; i++)
        ms_symbolication_fini(&job.out[i]);
    stop(&job);
}

Test(reports, each_is_as_if_it_were_alone)
{
    struct job job;
    struct ms_symbolication alone;
    struct ms_error err;
    start(&job);
    job.requests[1].options = (struct ms_symbolize_options){
        .style = {.no_demangle = true}, .scope = MS_SCOPE_ALL, .all_registers = true};
    job.requests[2].options = (struct ms_symbolize_options){
        .style = {.full_path = true}, .one_thread = true, .thread = 2};
    look_up(&job, N);
    for (int i = 0; i < N; i++) {
        cr_assert_eq(ms_symbolize_report(job.symbolizer, job.requests[i].report,
                                         &job.requests[i].options, &alone, &err),
                     MS_OK);
        cr_assert_eq(alone.n_resolved, job.out[i].n_resolved);
        for (size_t k = 0; k < alone.n_shown; k++)
            cr_assert(same_frames(&alone.shown[k], &job.out[i].shown[k]), "report %d frame %zu", i,
                      k);
        ms_symbolication_fini(&alone);
    }
    cr_assert_eq(job.out[2].n_resolved, 3, "thread 2 alone");
    cr_assert_eq(strncmp(first_of(&job.out[1])->frames[0].function, "$s", 2), 0);
    for (int i = 0; i < N; i++)
        ms_symbolication_fini(&job.out[i]);
    stop(&job);
}

/* The same image at another place: the runtime addresses of functions differ, all else is equal. */
Test(reports, slides_of_their_own)
{
    enum { MOVED = 0x4000000 };
    struct job job;
    start(&job);
    struct ms_report *moved = &job.reports[2].reports[0];
    for (size_t i = 0; i < moved->n_images; i++)
        moved->images[i].load_rt += MOVED;
    for (size_t i = 0; i < moved->n_frames; i++) {
        moved->frames[i].address_rt += MOVED;
        moved->frames[i].lookup_rt += MOVED;
    }
    look_up(&job, N);
    const struct ms_shown *a = first_of(&job.out[0]), *b = first_of(&job.out[2]);
    cr_assert_str_eq(a->frames[0].function, b->frames[0].function);
    cr_assert_eq(a->frames[0].start_rt + MOVED, b->frames[0].start_rt);
    for (int i = 0; i < N; i++)
        ms_symbolication_fini(&job.out[i]);
    stop(&job);
}

/* Results of one call outlive others of it, later calls, and the symbolizer's own copy. */
Test(reports, results_are_freed_in_any_order)
{
    struct job job;
    struct ms_symbolication later[N];
    struct ms_error err;
    start(&job);
    look_up(&job, N);
    const struct ms_shown *shown = first_of(&job.out[1]);
    ms_symbolication_fini(&job.out[2]);
    ms_symbolication_fini(&job.out[0]);
    cr_assert_eq(ms_symbolize_reports(job.symbolizer, job.requests, N, later, &err), MS_OK);
    cr_assert(same_frames(shown, first_of(&later[1])));
    ms_symbolication_fini(&job.out[1]);
    for (int i = 0; i < N; i++)
        ms_symbolication_fini(&later[i]);
    cr_assert_eq(ms_symbolize_reports(job.symbolizer, job.requests, 0, later, &err), MS_OK);
    look_up(&job, 1);
    ms_symbolizer_close(job.symbolizer);
    job.symbolizer = NULL;
    ms_symbolication_fini(&job.out[0]);
    stop(&job);
}
