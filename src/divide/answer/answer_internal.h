/* answer_internal.h - a fleet while it is divided. */
#ifndef STOW_DIVIDE_ANSWER_ANSWER_INTERNAL_H
#define STOW_DIVIDE_ANSWER_ANSWER_INTERNAL_H

#include "divide/answer/answer.h"

struct stow_fleet_work {
    const struct stow_snapshot *s;
    const struct stow_fleet_options *options;
    struct stow_fleet_answer *ret;
    struct stow_divider *divider;
    struct stow_division made;     /* memory for the next decision */
    struct stow_arena scratch;     /* prices of a workload that are not kept */
    struct stow_price_list *price; /* of the workload at hand, by cluster id */
    int64_t *room;                 /* likewise: what fits by nodes */
    bool *overfull;                /* by cluster id: a workload alone has more than fits */
};

/* A line for the user, about a binding or (NULL) about all; said once. */
int stow_fleet_warn(struct stow_fleet_answer *a, const struct stow_binding *of, const char *text,
                    struct stow_err *err);

/* k->price of a workload. */
int stow_fleet_price(struct stow_fleet_work *k, struct stow_fleet_workload *w,
                     struct stow_err *err);

/* stow_divide with what the members' nodes hold. */
int stow_fleet_decide(struct stow_fleet_work *k, const struct stow_binding *b,
                      struct stow_divide_options *o, struct stow_division *ret,
                      struct stow_err *err);

/* answer_joint.c: divides what is divided together, and marks it; then a workload's part of that
 * takes the place of what it would have got by itself. */
int stow_fleet_jointly(struct stow_fleet_work *k, struct stow_err *err);
int stow_fleet_joint_result(struct stow_fleet_work *k, struct stow_fleet_workload *w,
                            struct stow_err *err);
void stow_fleet_joint_costs(const struct stow_fleet_work *k, struct stow_fleet_workload *w);

/* answer_spread.c: w->broken, w->spread. */
void stow_fleet_check_spread(const struct stow_fleet_work *k, struct stow_fleet_workload *w);
int stow_fleet_spread_costs(struct stow_fleet_work *k, struct stow_fleet_workload *w,
                            struct stow_err *err);

/* answer_room.c: ret->overfull, and a warning where the workloads together are too much. */
int stow_fleet_check_room(struct stow_fleet_work *k, struct stow_err *err);

/* answer_nodes.c: a warning where they are too much for the nodes of members; `told`, by cluster
 * id: not looked at. */
int stow_fleet_check_nodes(struct stow_fleet_work *k, const bool *told, struct stow_err *err);

#endif
