/* planned.h - the plan of a strategy, at the prices that the cluster itself states. */
#ifndef STOW_TESTS_PROPERTY_PLANNED_H
#define STOW_TESTS_PROPERTY_PLANNED_H

#include "scale/scale.h"

struct planned {
    struct stow_books books;
    struct stow_scale *scale;
    struct stow_plan plan;
    struct stow_err err;
};

/* False: it failed, and `err` says why.  `ret` is to be freed with done in any case. */
bool planned_make(struct stow_snapshot *s, const struct stow_scale_options *options,
                  const char *strategy, struct planned *ret);
void planned_done(struct planned *planned);

#endif
