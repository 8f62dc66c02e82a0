/* clock.c - how much time has passed. */
#include "base/clock.h"

#include <stddef.h>
#include <time.h>

double stow_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static _Thread_local const bool *watched;

void stow_clock_watch(const bool *stop)
{
    watched = stop;
}

const bool *stow_clock_watched(void)
{
    return watched;
}

bool stow_clock_is_stopped(void)
{
    return watched && __atomic_load_n(watched, __ATOMIC_RELAXED);
}

bool stow_clock_is_past(double moment)
{
    return moment > 0 && (stow_clock_is_stopped() || stow_clock() > moment);
}

bool stow_clock_is_over(double deadline)
{
    return stow_clock_is_stopped() || stow_clock_is_past(deadline);
}
