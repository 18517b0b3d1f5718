/*
 * Memory that runs out at the n-th allocation, for every n, while a report is read and written:
 * it is said so, and nothing is left behind. Takes the place of malloc, so only where that can
 * be done.
 */
#include "unit/memory_out.h"
#include "report_text.h"

#include <errno.h>
#include <stdlib.h>

static const char report[] =
    HEADER "Last Exception Backtrace:\n(0x1834d9e50 0x1026020f8)\n\n"
           "Thread 0 name:  first\n"
           "Thread 0 Crashed:\n"
           "0   Widget   \t0x102601a40 0x1025f8000 + 39488\n"
           "1   Missing  \t0x400000010 0x400000000 + 16\n"
           "2   Widget   \t0x1026020f8 main + 8 (main.m:3)\n"
           "Thread 0 crashed with ARM Thread State (64-bit):\n    pc: 0x0000000102601a40\n"
           "Binary Images:\n" IOS_IMAGE;

Test(report_memory, reading)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    for (long n = 0;; n++) {
        struct ms_report_file file;
        struct ms_error err;
        long before = alive;
        countdown = n;
        enum ms_status status = ms_report_parse(bytes_of(report), "test", &file, &err);
        countdown = -1;
        cr_assert_lt(n, 200);
        if (status == MS_OK) {
            cr_assert_gt(n, 5);
            cr_assert_eq(file.reports[0].n_frames, 6);
            ms_report_file_fini(&file);
            cr_assert_eq(alive, before);
            return;
        }
        cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: %s", n, err.text);
        cr_assert_str_eq(err.text, "out of memory");
        cr_assert_eq(alive, before, "allocation %ld leaks", n);
    }
}

/* Runs where malloc cannot be replaced, too. */
Test(report_memory, the_report_is_good)
{
    expect_frames(report, "L0 #0 0x1834d9e50-1 -\n"
                          "L0 #1 0x1026020f8-1 Widget\n"
                          "T0 #0 0x102601a40 Widget\n"
                          "T0 #1 0x400000010-1 Missing\n"
                          "T0 #2 0x1026020f8-1 Widget main+8 main.m:3 kept\n"
                          "R0 #0 0x102601a40 Widget\n");
}

static bool count_bytes(void *to, const char *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)to += n;
    return true;
}

Test(report_memory, writing)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    struct ms_report_file file = parse(report);
    struct ms_shown_frame name = {.function = "a_function_of_that_name", .has_offset = true};
    struct ms_shown shown[6];
    for (size_t i = 0; i < 6; i++)
        shown[i] = (struct ms_shown){.frames = &name, .n_frames = 1};
    for (long n = 0;; n++) {
        struct ms_error err;
        size_t written = 0;
        struct ms_sink sink = {.write = count_bytes, .to = &written};
        long before = alive;
        countdown = n;
        enum ms_status status = ms_report_write(&file, 0, shown, MS_FORMAT_SAME, NULL, &sink, &err);
        countdown = -1;
        cr_assert_eq(alive, before, "allocation %ld leaks", n);
        cr_assert_lt(n, 200);
        if (status == MS_OK) {
            cr_assert_gt(n, 0);
            cr_assert_gt(written, sizeof report);
            break;
        }
        cr_assert_eq(status, MS_E_NOMEM, "allocation %ld", n);
    }
    ms_report_file_fini(&file);
}
