/* clock.c - how much time has passed. */
#include "base/clock.h"

#include <time.h>

double stow_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool stow_clock_is_past(double moment)
{
    return moment > 0 && stow_clock() > moment;
}
