/*
 * Memory that runs out at the n-th allocation, for every n, while reports are looked up together:
 * it is said so, nothing is left behind, and each of them can be looked up afterwards.
 */
#include "machsym/symbolize.h"

#include "unit/memory_out.h"

#include <string.h>

#define APP "fixtures/magicnumbers/MagicNumbers"

enum { N = 2, MOST = 5000 };

struct job {
    struct ms_file *file;
    struct ms_report_file report;
    struct ms_symbolize_request requests[N];
    struct ms_symbolication out[N];
};

static enum ms_status look_up(struct job *job, struct ms_symbolizer *symbolizer, long n,
                              struct ms_error *err)
{
    countdown = n;
    enum ms_status status = ms_symbolize_reports(symbolizer, job->requests, N, job->out, err);
    countdown = -1;
    for (int i = 0; i < N; i++) {
        if (status == MS_OK)
            cr_assert_eq(job->out[i].n_resolved, 8, "allocation %ld", n);
        else
            cr_assert_null(job->out[i].shown);
        ms_symbolication_fini(&job->out[i]);
    }
    return status;
}

/* Each frame that lies in the app, alone: what was read in half must not answer it. */
static void look_up_each(const struct job *job, struct ms_symbolizer *symbolizer, long n)
{
    struct ms_error err;
    size_t n_found = 0;
    for (size_t i = 0; i < job->report.reports[0].n_frames; i++) {
        struct ms_report one = job->report.reports[0];
        struct ms_symbolize_options options = {.scope = MS_SCOPE_UNNAMED};
        struct ms_symbolication found;
        one.frames += i;
        one.n_frames = 1;
        cr_assert_eq(ms_symbolize_report(symbolizer, &one, &options, &found, &err), MS_OK);
        n_found += found.n_resolved;
        ms_symbolication_fini(&found);
    }
    cr_assert_eq(n_found, 8, "allocation %ld", n);
}

/* Whether it got through with n allocations. */
static bool runs_with(struct job *job, const char *files, long n)
{
    struct ms_symbolizer *symbolizer;
    struct ms_error err;
    long before = alive;
    cr_assert_eq(ms_symbolizer_open(&symbolizer, &err), MS_OK);
    cr_assert_eq(ms_symbolizer_add(symbolizer, files, false, &err), MS_OK);
    enum ms_status status = look_up(job, symbolizer, n, &err);
    if (status != MS_OK) {
        cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: %s", n, err.text);
        if (n % 2)
            look_up_each(job, symbolizer, n);
        cr_assert_eq(look_up(job, symbolizer, -1, &err), MS_OK, "allocation %ld: %s", n, err.text);
        if (n % 2 == 0)
            look_up_each(job, symbolizer, n);
    }
    ms_symbolizer_close(symbolizer);
    cr_assert_eq(alive, before, "allocation %ld leaks", n);
    return status == MS_OK;
}

static void run_out(const char *files)
{
    struct job job;
    struct ms_error err;
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    memset(&job, 0, sizeof job);
    cr_assert_eq(ms_file_open(APP ".crash", &job.file, &err), MS_OK);
    cr_assert_eq(ms_report_parse(ms_file_bytes(job.file), "test", &job.report, &err), MS_OK);
    for (int i = 0; i < N; i++)
        job.requests[i].report = &job.report.reports[0];
    long n = 0;
    while (!runs_with(&job, files, n))
        cr_assert_lt(++n, MOST);
    cr_assert_gt(n, 20);
    ms_report_file_fini(&job.report);
    ms_file_close(job.file);
}

Test(symbolize_memory, dsym)
{
    run_out(APP ".dSYM");
}

/* Its tables, and the metadata of its runtimes. */
Test(symbolize_memory, binary)
{
    run_out("fixtures/magicnumbers");
    run_out(APP);
}
