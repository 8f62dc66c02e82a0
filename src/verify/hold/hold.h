/* hold.h - what one node can be worth at given prices per pod: a bound that is exact, or nothing.
 *
 *     largest sum of worth * q   over whole q from 0 to most   such that   sum of need * q <= room
 *
 * The question is never how large it is, only whether it exceeds a limit. */
#ifndef STOW_VERIFY_HOLD_HOLD_H
#define STOW_VERIFY_HOLD_HOLD_H

#include <stdbool.h>
#include <stdint.h>

#define STOW_HOLD_DIMS 128 /* that can run out on one node */

struct stow_hold {
    uint32_t dims, items;
    const int64_t *room;  /* per dimension, >= 0 */
    const int64_t *need;  /* [item * dims + dim], >= 0 */
    const int64_t *worth; /* per item, > 0 */
    const uint32_t *most; /* per item, > 0 */
};

enum stow_hold_answer {
    STOW_HOLD_EXCEEDS,   /* some set is worth more */
    STOW_HOLD_WITHIN,    /* none is */
    STOW_HOLD_UNSETTLED, /* out of time */
};

/* Memory that is kept from one question to the next. */
struct stow_hold_work;
struct stow_hold_work *stow_hold_work_new(void);
void stow_hold_work_free(struct stow_hold_work *work);

/* The answer, or < 0 when out of memory.  `deadline` of stow_hold_clock(), 0: none. */
int stow_hold_ask(struct stow_hold_work *work, const struct stow_hold *hold, int64_t limit,
                  double deadline);

/* How many questions needed more than multipliers. */
uint32_t stow_hold_searches(const struct stow_hold_work *work);

double stow_hold_clock(void); /* seconds, monotonic */

/* relax.c: multipliers >= 0 of the relaxation, as good as doubles get them. */
void stow_hold_relax(const struct stow_hold *hold, double lambda[STOW_HOLD_DIMS]);

#endif
