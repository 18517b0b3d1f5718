/*
 * Memory that runs out at the n-th allocation, for every n, while a report is read and written:
 * it is said so, and nothing is left behind. Takes the place of malloc, so only where that can
 * be done.
 */
#include "report_text.h"

#include <errno.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_FAIL 1

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t count, size_t n);
void *__libc_realloc(void *at, size_t n);
void __libc_free(void *at);

static long countdown = -1; /* allocations that still succeed; negative: all */
static long balance;        /* blocks taken and not given back */

static bool fails_now(void)
{
    if (countdown < 0)
        return false;
    if (countdown-- > 0)
        return false;
    countdown = 0; /* and every one after it */
    errno = ENOMEM;
    return true;
}

static void *counted(void *at)
{
    balance += at != NULL;
    return at;
}

void *malloc(size_t n)
{
    return fails_now() ? NULL : counted(__libc_malloc(n));
}
void *calloc(size_t count, size_t n)
{
    return fails_now() ? NULL : counted(__libc_calloc(count, n));
}
void *realloc(void *at, size_t n)
{
    if (fails_now())
        return NULL;
    void *moved = __libc_realloc(at, n);
    balance += !at && moved;
    return moved;
}
void free(void *at)
{
    balance -= at != NULL;
    __libc_free(at);
}
#else
#define CAN_FAIL 0
static long countdown, balance;
#endif

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
        long before = balance;
        countdown = n;
        enum ms_status status = ms_report_parse(bytes_of(report), "test", &file, &err);
        countdown = -1;
        cr_assert_lt(n, 200);
        if (status == MS_OK) {
            cr_assert_gt(n, 5);
            cr_assert_eq(file.reports[0].n_frames, 6);
            ms_report_file_fini(&file);
            cr_assert_eq(balance, before);
            return;
        }
        cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: %s", n, err.text);
        cr_assert_str_eq(err.text, "out of memory");
        cr_assert_eq(balance, before, "allocation %ld leaks", n);
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
        shown[i] = (struct ms_shown){&name, 1, MS_WHY_COMPLETE};
    for (long n = 0;; n++) {
        struct ms_error err;
        size_t written = 0;
        struct ms_sink sink = {count_bytes, &written, false};
        long before = balance;
        countdown = n;
        enum ms_status status = ms_report_write(&file, 0, shown, MS_FORMAT_SAME, NULL, &sink, &err);
        countdown = -1;
        cr_assert_eq(balance, before, "allocation %ld leaks", n);
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
