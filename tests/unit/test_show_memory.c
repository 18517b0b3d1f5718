/* lib/resolve/show: memory that runs out anywhere is told, and nothing is lost. */
#include "unit/memory_out.h"

#include "machsym/demangle.h"
#include "machsym/symbolize.h"

#include <string.h>

/* Frames and symbols of one pool, each twice. */
static enum ms_status show_all(struct ms_error *err)
{
    static const char *const symbols[] = {"_ZN3foo3barEi", "ZN3foo3barEi",
                                          "__ZN3foo3barEv_block_invoke", "_RNvCs1234_7mycrate3foo",
                                          "_$s6Widget6GadgetC4spinyySiFTo"};
    static const struct ms_show_style style = {.demangle = MS_DEMANGLE_FULL};
    struct ms_frame frames[] = {{.linkage = "_ZN3foo3barEi", .file = "a.c", .inlined = true},
                                {.linkage = "$s6Widget6GadgetC4spinyySiF", .inlined = true},
                                {.name = "_RNvCs1234_7mycrate3foo", .comp_dir = "/src"}};
    struct ms_answer answer = {frames, 3, MS_WHY_COMPLETE};
    struct ms_show_pool *pool;
    struct ms_shown shown;
    enum ms_status status = ms_show_pool_open(&pool, err);
    if (status != MS_OK)
        return status;
    for (size_t i = 0; i < 10 && status == MS_OK; i++) {
        status = ms_show(pool, &answer, &style, 0, 0, &shown, err);
        if (status == MS_OK && !shown.frames[0].function)
            status = MS_E_FORMAT;
        if (status == MS_OK)
            status = ms_show_symbol(pool, symbols[i % 5], &style, &shown, err);
        if (status == MS_OK && (!shown.symbol || !shown.mangled))
            status = MS_E_FORMAT; /* a name that could be read wasn't */
    }
    ms_show_pool_close(pool);
    return status;
}

Test(show_memory, told_wherever_it_runs_out)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc can't be replaced here");
    struct ms_error err;
    enum ms_status status = MS_E_NOMEM;
    cr_assert_eq(show_all(&err), MS_OK);
    long n = 0;
    for (; status != MS_OK && n < 1000; n++) {
        long before = alive;
        countdown = n;
        status = show_all(&err);
        countdown = -1;
        cr_assert(status == MS_OK || status == MS_E_NOMEM, "allocation %ld: %d", n, (int)status);
        cr_assert_eq(alive, before, "allocation %ld: %ld blocks lost", n, alive - before);
    }
    cr_assert(n > 5 && n < 1000, "%ld", n);
}
