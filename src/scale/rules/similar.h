/* similar.h - node groups that are alike but for their zone, and how new nodes are divided over
 * them (--balance-similar). */
#ifndef STOW_SCALE_RULES_SIMILAR_H
#define STOW_SCALE_RULES_SIMILAR_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "model/snapshot.h"

struct stow_similar_options {
    const stow_sym *ignored; /* label keys that may differ, beside the built-in ones */
    uint32_t ignored_count;
    const stow_sym *balancing; /* --balancing-label: only these are compared; count 0: everything */
    uint32_t balancing_count;
};

/* Two template nodes with what their daemon pods ask for (a blob or a list of stow_exact, sorted by
 * handle: whoever adds up several pods rounds each up to milli-cores and whole units first). */
struct stow_similar_node {
    const struct stow_node *node;
    stow_blob daemons;            /* STOW_NONE: nothing */
    const struct stow_exact *sum; /* in its place, when it is not NULL */
    uint32_t sums;
};

bool stow_similar(const struct stow_snapshot *s, struct stow_similar_node a,
                  struct stow_similar_node b, const struct stow_similar_options *options);

/* One of several groups that nodes are divided over. */
struct stow_group_share {
    const char *name; /* ties of equal sizes go by it */
    uint32_t max, current;
    uint32_t target; /* the answer: its size afterwards */
    uint32_t slot;   /* scratch */
};

/* Adds `nodes` one at a time to the smallest, as upstream; returns how many found room. */
uint32_t stow_balance(struct stow_group_share *shares, uint32_t count, uint32_t nodes);

#endif
