/* schedule.h - when something happens again and again: five cron fields in UTC, as Karpenter reads
 * those of disruption budgets. */
#ifndef STOW_MODEL_KARPENTER_SCHEDULE_H
#define STOW_MODEL_KARPENTER_SCHEDULE_H

#include "base/str.h"
#include "model/prices/book.h"

/* Sets of numbers, one bit each. */
struct stow_schedule {
    uint64_t minute, hour, day, month, weekday; /* weekday: 0 is Sunday */
    bool any_day, any_weekday;                  /* not restricted: the other one decides alone */
};

/* "0 9 * * mon-fri", "@daily"; false: it is none. */
bool stow_schedule_parse(struct stow_str text, struct stow_schedule *ret);

/* The first time after `after`; STOW_TIME_ALWAYS: there is none within five years. */
stow_time stow_schedule_next(const struct stow_schedule *schedule, stow_time after);

#endif
