/* phases.h - where the time of a search went, and when it was how close. */
#ifndef STOW_OPTIMAL_PHASES_H
#define STOW_OPTIMAL_PHASES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"

enum stow_search_phase {
    STOW_PHASE_LP,      /* linear programs of the root */
    STOW_PHASE_PRICING, /* patterns for the root */
    STOW_PHASE_PROOF,   /* that there are no better ones */
    STOW_PHASE_DIVES,   /* whole plans, with all that they ask for */
    STOW_PHASE_LOCAL,   /* local search */
    STOW_PHASE_BRANCHES,
    STOW_PHASES,
};

/* The first is any plan at all. */
#define STOW_CLOSE_COUNT 7
#define STOW_CLOSE_GAPS                                  \
    {                                                    \
        1e300, 0.01, 0.005, 0.002, 0.001, 0.0005, 0.0001 \
    }

/* Seconds; zeroed is valid. */
struct stow_phases {
    double spent[STOW_PHASES];
    double close[STOW_CLOSE_COUNT]; /* when the gap was that small; 0: not yet */
};

/* Adds what has passed since `*since`, and begins again. */
static inline void stow_phases_add(struct stow_phases *p, enum stow_search_phase phase,
                                   double *since)
{
    const double now = stow_clock();

    if (p)
        p->spent[phase] += now - *since;
    *since = now;
}

static inline void stow_phases_reach(struct stow_phases *p, double gap, double seconds)
{
    static const double gaps[STOW_CLOSE_COUNT] = STOW_CLOSE_GAPS;

    for (uint32_t i = 0; i < STOW_CLOSE_COUNT && gap <= gaps[i]; i++)
        if (p->close[i] == 0)
            p->close[i] = seconds;
}

/* Adds up what several searches took.  The first of them tells how close they came, and began this
 * many seconds after all of it. */
static inline void stow_phases_sum(struct stow_phases *to, const struct stow_phases *from,
                                   double began)
{
    const bool first = to->close[0] == 0;

    for (uint32_t i = 0; i < STOW_PHASES; i++)
        to->spent[i] += from->spent[i];
    for (uint32_t i = 0; first && i < STOW_CLOSE_COUNT; i++)
        to->close[i] = from->close[i] > 0 ? from->close[i] + began : 0;
}

#endif
