/* clock.h - how much time has passed, for limits of time. */
#ifndef STOW_BASE_CLOCK_H
#define STOW_BASE_CLOCK_H

#include <stdbool.h>

/* Seconds, monotonic. */
double stow_clock(void);

/* Whether a moment of that clock has passed; 0 never does. */
bool stow_clock_is_past(double moment);

#endif
