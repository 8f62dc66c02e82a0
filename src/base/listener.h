/* listener.h - who waits for a search is told of each better plan and bound. */
#ifndef STOW_BASE_LISTENER_H
#define STOW_BASE_LISTENER_H

#include <stdint.h>

/* Amounts are in the units of the search.  Only the thread that searches for the asker tells. */
struct stow_listener {
    void *ctx;
    void (*plan)(void *ctx, int64_t cost);
    void (*bound)(void *ctx, int64_t bound);
};

/* `listener` may be NULL: nobody waits. */
static inline void stow_tell_plan(const struct stow_listener *listener, int64_t cost)
{
    if (listener)
        listener->plan(listener->ctx, cost);
}

static inline void stow_tell_bound(const struct stow_listener *listener, int64_t bound)
{
    if (listener)
        listener->bound(listener->ctx, bound);
}

#endif
