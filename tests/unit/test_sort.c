/* base/sort.h against qsort, and workers: every item once, each worker by itself. */
#include "base/sort.h"
#include "machsym/workers.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static int by_key(const void *a, const void *b)
{
    const struct ms_keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* The value tells where the item stood: those of one key keep their order. */
static void expect_sorted_keys(const uint64_t *keys, size_t n)
{
    struct ms_keyed *got = malloc((n + 1) * sizeof *got), *want = malloc((n + 1) * sizeof *want);
    struct ms_keyed *scratch = malloc((n + 1) * sizeof *scratch);
    for (size_t i = 0; i < n; i++)
        got[i] = want[i] = (struct ms_keyed){keys[i], i};
    qsort(want, n, sizeof *want, by_key);
    ms_sort_keyed(got, scratch, n);
    cr_assert_eq(memcmp(got, want, n * sizeof *got), 0, "%zu keys", n);
    free(got);
    free(want);
    free(scratch);
}

static void expect_sorted(const uint64_t *items, size_t n)
{
    uint64_t *got = malloc((n + 1) * sizeof *got), *want = malloc((n + 1) * sizeof *want);
    uint64_t *scratch = malloc((n + 1) * sizeof *scratch);
    memcpy(got, items, n * sizeof *got);
    memcpy(want, items, n * sizeof *want);
    qsort(want, n, sizeof *want, by_value);
    ms_sort_u64(got, scratch, n);
    cr_assert_eq(memcmp(got, want, n * sizeof *got), 0, "%zu items", n);
    expect_sorted_keys(items, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!i || want[i] != want[i - 1])
            want[kept++] = want[i];
    cr_assert_eq(ms_unique_u64(got, n), kept);
    cr_assert_eq(memcmp(got, want, kept * sizeof *got), 0);
    free(got);
    free(want);
    free(scratch);
}

Test(sort, any_count_and_any_spread)
{
    static uint64_t items[5000];
    static const size_t counts[] = {0, 1, 2, 3, 47, 48, 49, 50, 300, 4096, 5000};
    uint64_t state = 88172645463325252u;
    for (unsigned bits = 1; bits <= 64; bits += 3)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            uint64_t base = bits < 60 ? next_random(&state) >> 1 : 0;
            for (size_t i = 0; i < counts[c]; i++)
                items[i] = base + (next_random(&state) >> (64 - bits));
            expect_sorted(items, counts[c]);
        }
}

Test(sort, orders_that_are_there_already)
{
    static uint64_t up[1000], down[1000], same[1000], ends[1000];
    for (size_t i = 0; i < 1000; i++) {
        up[i] = i * i * i;
        down[i] = UINT64_MAX - i;
        same[i] = 7;
        ends[i] = i % 2 ? UINT64_MAX : 0;
    }
    expect_sorted(up, 1000);
    expect_sorted(down, 1000);
    expect_sorted(same, 1000);
    expect_sorted(ends, 1000);
}

struct job {
    atomic_int done[1000];
    atomic_int busy[MS_MAX_WORKERS]; /* a worker is in no two items at once */
    atomic_int most;
};

static void work(void *owner, size_t worker, size_t item)
{
    struct job *job = owner;
    cr_assert_lt(worker, (size_t)MS_MAX_WORKERS);
    cr_assert_eq(atomic_fetch_add(&job->busy[worker], 1), 0);
    atomic_fetch_add(&job->done[item], 1);
    if ((int)worker > atomic_load(&job->most))
        atomic_store(&job->most, (int)worker);
    atomic_fetch_sub(&job->busy[worker], 1);
}

Test(workers, every_item_once)
{
    static const size_t workers[] = {0, 1, 2, 3, 64, 1000};
    static const size_t items[] = {0, 1, 2, 63, 1000};
    for (size_t w = 0; w < sizeof workers / sizeof *workers; w++)
        for (size_t n = 0; n < sizeof items / sizeof *items; n++) {
            static struct job job;
            memset(&job, 0, sizeof job);
            ms_workers_run(workers[w], items[n], work, &job);
            for (size_t i = 0; i < 1000; i++)
                cr_assert_eq(job.done[i], i < items[n]);
            if (workers[w] < 2)
                cr_assert_eq(job.most, 0);
        }
}

Test(workers, of_the_machine)
{
    size_t n = ms_workers_of_machine();
    cr_assert_geq(n, 1);
    cr_assert_leq(n, (size_t)MS_MAX_WORKERS);
}
