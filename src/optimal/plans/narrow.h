/* narrow.h - a task with the classes alone of which something is left. */
#ifndef STOW_OPTIMAL_PLANS_NARROW_H
#define STOW_OPTIMAL_PLANS_NARROW_H

#include "optimal/task.h"

/* A few pods of many classes: the same kinds and rows, and as few classes as can be, so that linear
 * programs and searches are as small as what they are about. */
struct stow_narrow {
    struct stow_model m; /* borrows from the whole all that is not per class; no `demand` */
    struct stow_task task;
    uint32_t *class; /* of the whole, per class here, ascending */
    uint32_t *place; /* here, per class of the whole */
    uint32_t *level_of;
};

/* Of a task that does not share out the pods of families. */
int stow_narrow_open(struct stow_narrow *narrow, const struct stow_task *whole);
void stow_narrow_done(struct stow_narrow *narrow);

#endif
