/* workers.c - a pool of threads for loops of a few milliseconds.
 *
 * A round of pricing takes a millisecond or less, so threads live as long as the search and wait
 * for a loop by watching a number for a moment before they go to sleep.  Numbers are handed out by
 * one counter: who takes which is chance, what is computed for each is not. */
#include "optimal/workers.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"

#define WATCH 2000 /* looks before a thread goes to sleep */

struct thread {
    pthread_t id;
    struct stow_workers *workers;
    uint32_t number;
};

struct stow_workers {
    uint32_t threads, started;
    pthread_mutex_t lock;
    pthread_cond_t wake, finished;
    atomic_uint loop; /* goes up by one with every loop */
    atomic_uint next; /* the next number to take */
    atomic_uint busy; /* threads that have not finished this loop */
    atomic_bool ended;
    uint32_t count;
    void (*work)(void *, uint32_t, uint32_t);
    void *context;
    const bool *stop; /* what ends the search that they work for */
    struct thread thread[];
};

static void take_numbers(struct stow_workers *w, uint32_t thread)
{
    for (uint32_t i; (i = atomic_fetch_add(&w->next, 1)) < w->count;)
        w->work(w->context, thread, i);
}

/* Waits for another loop than `seen`. */
static unsigned wait_for_loop(struct stow_workers *w, unsigned seen)
{
    for (int i = 0; i < WATCH; i++)
        if (atomic_load(&w->loop) != seen)
            return atomic_load(&w->loop);
    pthread_mutex_lock(&w->lock);
    while (atomic_load(&w->loop) == seen)
        pthread_cond_wait(&w->wake, &w->lock);
    pthread_mutex_unlock(&w->lock);
    return atomic_load(&w->loop);
}

static void *run_thread(void *argument)
{
    struct thread *self = argument;
    struct stow_workers *w = self->workers;

    stow_clock_watch(w->stop);
    for (unsigned seen = 0;;) {
        seen = wait_for_loop(w, seen);
        if (atomic_load(&w->ended))
            return NULL;
        take_numbers(w, self->number);
        if (atomic_fetch_sub(&w->busy, 1) == 1) {
            pthread_mutex_lock(&w->lock);
            pthread_cond_signal(&w->finished);
            pthread_mutex_unlock(&w->lock);
        }
    }
}

static void start_loop(struct stow_workers *w)
{
    pthread_mutex_lock(&w->lock);
    atomic_store(&w->busy, w->started);
    atomic_store(&w->next, 0);
    atomic_fetch_add(&w->loop, 1);
    pthread_cond_broadcast(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

struct stow_workers *stow_workers_new(uint32_t threads)
{
    struct stow_workers *w;

    threads = threads ? threads : 1;
    w = calloc(1, sizeof(*w) + threads * sizeof(w->thread[0]));
    if (!w)
        return NULL;
    w->stop = stow_clock_watched();
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->wake, NULL);
    pthread_cond_init(&w->finished, NULL);
    for (uint32_t i = 1; i < threads; i++) {
        struct thread *t = &w->thread[i];

        *t = (struct thread){.workers = w, .number = i};
        if (pthread_create(&t->id, NULL, run_thread, t) != 0)
            break; /* fewer threads do the same work */
        w->started++;
    }
    w->threads = w->started + 1;
    return w;
}

void stow_workers_free(struct stow_workers *w)
{
    if (!w)
        return;
    atomic_store(&w->ended, true);
    start_loop(w);
    for (uint32_t i = 1; i <= w->started; i++)
        pthread_join(w->thread[i].id, NULL);
    pthread_cond_destroy(&w->finished);
    pthread_cond_destroy(&w->wake);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

uint32_t stow_workers_count(const struct stow_workers *w)
{
    return w->threads;
}

void stow_workers_run(struct stow_workers *w, uint32_t count,
                      void (*work)(void *, uint32_t, uint32_t), void *context)
{
    assert(!atomic_load(&w->busy)); /* one loop at a time */
    w->count = count;
    w->work = work;
    w->context = context;
    if (!w->started || count < 2) {
        for (uint32_t i = 0; i < count; i++)
            work(context, 0, i);
        return;
    }
    start_loop(w);
    take_numbers(w, 0);
    for (int i = 0; i < WATCH && atomic_load(&w->busy); i++)
        continue;
    pthread_mutex_lock(&w->lock);
    while (atomic_load(&w->busy))
        pthread_cond_wait(&w->finished, &w->lock);
    pthread_mutex_unlock(&w->lock);
}
