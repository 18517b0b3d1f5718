#include "machsym/workers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct job {
    ms_work work;
    void *owner;
    size_t n_items;
    atomic_size_t next;
};

struct worker {
    struct job *job;
    size_t number;
};

static void *run(void *argument)
{
    const struct worker *w = argument;
    size_t item;
    while ((item = atomic_fetch_add_explicit(&w->job->next, 1, memory_order_relaxed)) <
           w->job->n_items)
        w->job->work(w->job->owner, w->number, item);
    return NULL;
}

void ms_workers_run(size_t n_workers, size_t n_items, ms_work work, void *owner)
{
    struct job job = {.work = work, .owner = owner, .n_items = n_items};
    struct worker workers[MS_MAX_WORKERS];
    pthread_t threads[MS_MAX_WORKERS];
    size_t n = 1;
    if (n_workers > MS_MAX_WORKERS)
        n_workers = MS_MAX_WORKERS;
    if (n_workers > n_items)
        n_workers = n_items;
    atomic_init(&job.next, 0);
    for (size_t i = 0; i < MS_MAX_WORKERS; i++)
        workers[i] = (struct worker){&job, i};
    while (n < n_workers && pthread_create(&threads[n], NULL, run, &workers[n]) == 0)
        n++;
    run(&workers[0]);
    while (--n)
        pthread_join(threads[n], NULL);
}

size_t ms_workers_of_machine(void)
{
#ifdef _SC_NPROCESSORS_ONLN
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (n > 1)
        return n < MS_MAX_WORKERS ? (size_t)n : MS_MAX_WORKERS;
#endif
    return 1;
}
