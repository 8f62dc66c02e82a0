/* workers.h - threads that share the numbers 0 to count - 1 among them. */
#ifndef STOW_OPTIMAL_WORKERS_H
#define STOW_OPTIMAL_WORKERS_H

#include <stdint.h>

struct stow_workers;

/* `threads` 1: no thread is started, the caller does it all.  NULL: out of memory. */
struct stow_workers *stow_workers_new(uint32_t threads);
void stow_workers_free(struct stow_workers *workers);
uint32_t stow_workers_count(const struct stow_workers *workers);

/* Calls work(context, thread, i) once for every i below count, in any order and on any thread, and
 * returns when all are done.  `thread` is below the number of threads, for scratch memory. */
void stow_workers_run(struct stow_workers *workers, uint32_t count,
                      void (*work)(void *context, uint32_t thread, uint32_t i), void *context);

#endif
