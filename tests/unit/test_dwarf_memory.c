/*
 * Memory that runs out at the n-th allocation, for every n: each call of lib/dwarf must say
 * so and leave nothing behind. Takes the place of malloc, so only where that can be done.
 */
#include "unit/dwarf_program.h"
#include "unit/memory_out.h"

#include <criterion/criterion.h>
#include <errno.h>

static const uint64_t addresses[] = {0x2004, 0x1012, 0x2012, 0x1230, 0x1408, 0x5000, 0x1012};

static enum ms_status many(struct ms_dwarf *dwarf, struct ms_error *err)
{
    struct ms_dwarf_answers out = {0};
    enum ms_status status = ms_dwarf_find_many(dwarf, addresses, 7, &out, err);
    ms_dwarf_answers_fini(&out);
    return status;
}

static enum ms_status one(struct ms_dwarf *dwarf, struct ms_error *err)
{
    struct ms_dwarf_answers out = {0};
    enum ms_status status = MS_OK;
    for (int i = 0; i < 14 && status == MS_OK; i++)
        status = ms_dwarf_find(dwarf, addresses[i % 7], &out, err);
    ms_dwarf_answers_fini(&out);
    return status;
}

static enum ms_status check(struct ms_dwarf *dwarf, struct ms_error *err)
{
    struct ms_dwarf_counts counts;
    return ms_dwarf_check(dwarf, NULL, NULL, &counts, err);
}

static enum ms_status run(const struct ms_dwarf_sections *sections, struct ms_error *err,
                          enum ms_status (*step)(struct ms_dwarf *, struct ms_error *))
{
    struct ms_dwarf *dwarf;
    enum ms_status status = ms_dwarf_open(sections, &dwarf, err);
    if (status == MS_OK)
        status = step(dwarf, err);
    ms_dwarf_close(dwarf);
    return status;
}

/* Runs `step` with the first, second, … allocation failing until it succeeds. */
static void exhaust(enum ms_status (*step)(struct ms_dwarf *, struct ms_error *))
{
    struct program p = program_make(5, 8, 4, false, true);
    program_more(&p);
    for (int aranges = 0; aranges < 2; aranges++) {
        if (aranges)
            program_aranges(&p);
        struct ms_dwarf_sections sections = dw_sections(&p.image);
        for (long n = CAN_FAIL ? 0 : 999;; n++) { /* else one run, with all the memory */
            struct ms_error err;
            memset(&err, 0, sizeof err);
            long before = alive;
            countdown = n;
            enum ms_status status = run(&sections, &err, step);
            countdown = -1;
            cr_assert_eq(alive, before, "allocation %ld: %ld blocks lost", n, alive - before);
            if (status == MS_OK) {
                cr_assert_gt(n, 3);
                break;
            }
            cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: status %d", n, status);
            cr_assert_eq(err.status, MS_E_NOMEM);
            cr_assert_lt(n, 1000);
        }
    }
    dw_close(&p.image);
}

Test(dwarf_memory, a_batch)
{
    exhaust(many);
}

Test(dwarf_memory, one_by_one)
{
    exhaust(one);
}

Test(dwarf_memory, a_check)
{
    exhaust(check);
}
