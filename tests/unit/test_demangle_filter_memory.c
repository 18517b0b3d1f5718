/*
 * Memory that runs out at the n-th allocation, for every n: a filter loses no byte, names stay
 * mangled, and nothing is left behind. Takes the place of malloc, so only where that can be done.
 */
#include "machsym/demangle.h"
#include "unit/memory_out.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* The text as it was, names included, and how many those were. */
static struct {
    char at[8192];
    size_t n, names;
} got;

static bool on_text(void *to, const char *bytes, size_t n)
{
    (void)to;
    cr_assert_lt(got.n + n, sizeof got.at);
    memcpy(got.at + got.n, bytes, n);
    got.n += n;
    return true;
}

static bool on_name(void *to, const struct ms_found_name *name)
{
    got.names++;
    return on_text(to, name->mangled, name->n);
}

Test(demangle_filter_memory, no_byte_is_lost)
{
    static char text[6000], long_name[2001];
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    memset(long_name, 'a', 2000);
    size_t n = (size_t)sprintf(text, "at _Z3foov and _Z2000%sv, _Z3foov _RNvC1a1b\n_", long_name);
    struct ms_name_filter_sink sink = {NULL, on_text, on_name, NULL};
    size_t most = 0;
    for (long fails = 0; fails < 200; fails++) {
        for (size_t piece = 3; piece < n * 2; piece *= 11) {
            got.n = got.names = 0;
            long before = alive;
            countdown = fails;
            struct ms_name_filter *filter = ms_name_filter_open(&sink, 0, NULL, NULL);
            bool good = true;
            for (size_t i = 0; filter && i < n; i += piece)
                good = good && ms_name_filter_feed(filter, text + i, n - i < piece ? n - i : piece);
            good = good && (!filter || ms_name_filter_finish(filter));
            countdown = -1;
            ms_name_filter_close(filter);
            cr_assert_eq(alive, before);
            cr_assert(good);
            if (!filter)
                continue;
            cr_assert_eq(got.n, n, "allocation %ld: %zu of %zu bytes", fails, got.n, n);
            cr_assert_eq(memcmp(got.at, text, n), 0);
            most = got.names > most ? got.names : most;
        }
    }
    cr_assert_eq(most, 4);
}
