/* shape.h - a line with bends over utilization, as RequestedToCapacityRatio has it. */
#ifndef STOW_PLACE_SCORERS_SHAPE_H
#define STOW_PLACE_SCORERS_SHAPE_H

#include "place/profiles/options.h"

struct stow_shape_point {
    int64_t utilization, score;
};

struct stow_shape {
    struct stow_shape_point *point;
    uint32_t points, cap;
};

/* A list of {utilization, score}. */
int stow_shape_read(struct stow_cursor *c, struct stow_shape *ret);

/* Upstream's validation: at least one point, utilization strictly increasing in 0..100, score in
 * 0..10. */
int stow_shape_check(const struct stow_shape *shape, struct stow_err *err);

/* The line at `utilization`, its scores times `scale`: flat before the first point and after the
 * last, in between cut off toward zero.  0 without points. */
int64_t stow_shape_at(const struct stow_shape *shape, int64_t utilization, int64_t scale);

#endif
