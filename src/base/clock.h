/* clock.h - how much time has passed, for limits of time. */
#ifndef STOW_BASE_CLOCK_H
#define STOW_BASE_CLOCK_H

#include <stdbool.h>

/* Seconds, monotonic. */
double stow_clock(void);

/* Whether a moment of that clock has passed; 0 never does. */
bool stow_clock_is_past(double moment);

/* Whether a search has to end: its deadline (0: none) has passed, or it is stopped. */
bool stow_clock_is_over(double deadline);

/* Once `stop` becomes true, every moment but 0 has passed and every search is over for this thread:
 * whoever keeps a time limit ends with the best found so far.  Another thread or a handler of
 * signals may set it, atomically.  NULL: nothing stops this thread.  A thread that works for
 * another watches what that one does. */
void stow_clock_watch(const bool *stop);
const bool *stow_clock_watched(void);
bool stow_clock_is_stopped(void);

#endif
