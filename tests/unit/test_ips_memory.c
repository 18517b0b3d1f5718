/*
 * Memory that runs out at the n-th allocation, for every n, while a JSON report is read and
 * written: each call must say so and leave nothing behind. Takes the place of malloc, so only
 * where that can be done.
 */
#include "unit/memory_out.h"
#include "unit/ips_builder.h"

#include <errno.h>

static const char report[] = HEADER PAYLOAD(
    "\"threads\":[{\"name\":\"\\u00e9\",\"queue\":\"q\",\"frames\":["
    "{\"imageIndex\":0,\"imageOffset\":16,\"symbol\":\"a\\n\"},"
    "{\"imageIndex\":0,\"imageOffset\":32}],\"recursionInfoArray\":[{\"hottestElided\":1,"
    "\"coldestElided\":2,\"depth\":3,\"keyFrame\":{\"imageIndex\":0,\"imageOffset\":16}}],"
    "\"originalLength\":4,\"threadState\":{\"pc\":{\"value\":4334780448}}}],"
    "\"asi\":{\"x\":[\"y\"]},\"asiBacktraces\":[\"0  Widget  0x00000001025f8010 Widget + 16\"]");

static const struct ms_shown_frame chain[] = {
    {.function = "inner", .inlined = true},
    {.function = "outer", .file = "o.c", .line = 1},
};

static bool swallow(void *to, const char *bytes, size_t n)
{
    (void)to, (void)bytes, (void)n;
    return true;
}

static enum ms_status write_named(const struct ms_report_file *file, enum ms_report_format format,
                                  struct ms_error *err)
{
    struct ms_shown shown[16];
    struct ms_sink sink = {.write = swallow};
    cr_assert_leq(file->reports[0].n_frames, 16);
    for (size_t i = 0; i < 16; i++)
        shown[i] = (struct ms_shown){.frames = chain, .n_frames = 2};
    return ms_report_write(file, 0, shown, format, NULL, &sink, err);
}

Test(ips_memory, reading_fails_cleanly_at_every_allocation)
{
    struct ms_bytes bytes = {(const uint8_t *)report, strlen(report)};
    enum ms_status status = MS_E_NOMEM;
    if (!CAN_FAIL)
        cr_skip_test("malloc can't be replaced here");
    for (long n = 0; status != MS_OK; n++) {
        struct ms_report_file file;
        struct ms_error err;
        cr_assert_lt(n, 10000);
        countdown = n;
        status = ms_report_parse(bytes, "x.ips", &file, &err);
        countdown = -1;
        if (status == MS_OK)
            ms_report_file_fini(&file);
        else
            cr_assert(status == MS_E_NOMEM && err.status == MS_E_NOMEM, "%ld: %d", n, (int)status);
    }
}

static void write_failing(enum ms_report_format format)
{
    struct ms_bytes bytes = {(const uint8_t *)report, strlen(report)};
    struct ms_report_file file;
    struct ms_error err;
    cr_assert_eq(ms_report_parse(bytes, "x.ips", &file, &err), MS_OK);
    enum ms_status status = MS_E_NOMEM;
    for (long n = 0; status != MS_OK; n++) {
        cr_assert_lt(n, 10000);
        countdown = n;
        status = write_named(&file, format, &err);
        countdown = -1;
        cr_assert(status == MS_OK || (status == MS_E_NOMEM && err.status == MS_E_NOMEM), "%ld: %d",
                  n, (int)status);
    }
    ms_report_file_fini(&file);
}

Test(ips_memory, writing_fails_cleanly_at_every_allocation)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc can't be replaced here");
    write_failing(MS_FORMAT_IPS);
    write_failing(MS_FORMAT_TEXT);
}
