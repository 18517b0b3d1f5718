/**
 * machsym/workers.h: one job's items done by several threads. Which thread does which item is left
 * to chance, so results must be stored by item.
 */
#ifndef MACHSYM_WORKERS_H
#define MACHSYM_WORKERS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** More threads than this are of no use to anything here. */
enum { MS_MAX_WORKERS = 64 };

/** Does item `item` as worker number `worker`, from 0 on: two calls of one worker never overlap. */
typedef void (*ms_work)(void *owner, size_t worker, size_t item);

/**
 * Does all items from 0 to n_items - 1, each once, mostly in that order. The caller's thread is
 * worker 0; with n_workers of 1, or where the system gives no threads, it does them all.
 */
void ms_workers_run(size_t n_workers, size_t n_items, ms_work work, void *owner);

/** How many threads the machine can run at once, as far as it tells: 1 to MS_MAX_WORKERS. */
size_t ms_workers_of_machine(void);

#ifdef __cplusplus
}
#endif

#endif
