/* spread.h - topology spread constraints: what the filter and the scorer have in common. */
#ifndef STOW_PLACE_COUNTS_SPREAD_H
#define STOW_PLACE_COUNTS_SPREAD_H

#include "place/counts/tally.h"
#include "place/rule.h"

/* A constraint of the profile, for pods that list none. */
struct stow_spread_default {
    const char *key;
    int32_t max_skew, min_domains;
    uint32_t flags; /* enum stow_spread_flags */
};

/* PodTopologySpreadArgs. */
struct stow_spread_options {
    bool listed; /* defaultingType: List */
    const struct stow_spread_default *fallback;
    uint32_t fallbacks;
    struct stow_str words; /* all of it in one text, so that equal options are known to be equal */
};

extern const struct stow_rule_option stow_spread_option_table[];
int stow_spread_check_options(const void *self, struct stow_err *err);

struct stow_spread_rule {
    const struct stow_topology *topology;
    struct stow_counter *counter;   /* matching pods that count */
    const struct stow_reach *reach; /* DoNotSchedule only */
    int32_t max_skew, min_domains;
    bool self;         /* the pod itself matches */
    bool cordon_hides; /* a node that is cordoned does not count: nodeTaintsPolicy Honor, and the
                          pod does not tolerate the taint that comes with it */
    bool per_node;     /* ScheduleAnyway by host name: the node's own pods are counted */
};

/* The constraints of a class of pods, hard or soft ones. */
struct stow_spread_plan {
    uint32_t rules;
    bool all_keys; /* a node must carry all keys (not so with the system's defaults) */
    const struct stow_node_set *complete; /* soft: the nodes that carry all keys */
    struct stow_spread_rule rule[];
};

/* The plan of a pod; *ret is NULL when there is no constraint.  < 0: out of memory. */
int stow_spread_plan(const struct stow_spread_options *options, const struct stow_state *state,
                     const struct stow_subject *pod, bool hard,
                     const struct stow_spread_plan **ret);

#endif
