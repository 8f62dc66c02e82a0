/* divide_slow.h - the obvious ways that bench_divide is measured against. */
#ifndef STOW_BENCH_DIVIDE_SLOW_H
#define STOW_BENCH_DIVIDE_SLOW_H

#include "divide/karmada/regions.h"
#include "divide/karmada/webster.h"

#define SLOW_GROUPS_MAX 8 /* groups of one choice */

/* One seat after another, ties in ascending order. */
void seat_by_seat(struct stow_webster_party *party, uint32_t count, int64_t seats);

/* Every combination of at most `max` groups kept and ranked, as Karmada does it.  `group` is sorted
 * here; `ret` gets ranks.  Returns how many are chosen, -1 without memory. */
int choose_by_enumeration(struct stow_group_choice *group, uint32_t count, int64_t min, int64_t max,
                          int64_t target, uint32_t *ret);

#endif
