/* lanes.h - four numbers at once, for kernels (kernel.h) whose loops a compiler gets wrong.
 *
 * A loop over a fixed number of places inside one over a few resources is such a case: gcc unrolls
 * the inner one and vectorises the outer one, whose three rounds then run one number at a time.
 * With these the places go side by side on any machine: the compiler divides four lanes into as
 * many registers as it takes.  Not more of them: what is wider than a register of the machine goes
 * through memory, at ten times the cost.  Passed by pointer, since how to pass them by value
 * differs between machines. */
#ifndef STOW_BASE_LANES_H
#define STOW_BASE_LANES_H

#include <stdint.h>

#define STOW_LANES 4

/* May lie anywhere in an array of doubles. */
typedef double stow_lanes
    __attribute__((vector_size(STOW_LANES * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef int64_t stow_lane_mask
    __attribute__((vector_size(STOW_LANES * sizeof(int64_t)), aligned(sizeof(int64_t)), may_alias));

/* Lane by lane, the smaller one into `a`. */
static inline void stow_lanes_lower(stow_lanes *a, const stow_lanes *b)
{
    stow_lane_mask less = *b < *a;

    *a = (stow_lanes)(((stow_lane_mask)*b & less) | ((stow_lane_mask)*a & ~less));
}

/* Lane by lane, the larger one into `a`. */
static inline void stow_lanes_raise(stow_lanes *a, const stow_lanes *b)
{
    stow_lane_mask more = *b > *a;

    *a = (stow_lanes)(((stow_lane_mask)*b & more) | ((stow_lane_mask)*a & ~more));
}

/* The smallest of all. */
static inline double stow_lanes_least(const stow_lanes *a)
{
    const double x = (*a)[0] < (*a)[2] ? (*a)[0] : (*a)[2];
    const double y = (*a)[1] < (*a)[3] ? (*a)[1] : (*a)[3];

    return x < y ? x : y;
}

#endif
