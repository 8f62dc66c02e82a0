/* policy.h - what `divide` reads of a Policy: the sections `costOptimized` and `divide`.
 *
 *     costOptimized: {rules: cheapest-first, unknownPrice: last}
 *     divide: {limits: [{workload: default/web, cluster: member1, min: 1, max: 10}]}
 *
 * Names are only texts here; stow_divide_costs_new looks for them in a fleet. */
#ifndef STOW_DIVIDE_POLICY_H
#define STOW_DIVIDE_POLICY_H

#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "base/str.h"
#include "model/values/money.h"

enum stow_cost_rules {
    STOW_COST_CHEAPEST_FIRST, /* what the proposal's story promises */
    STOW_COST_KEP_LITERAL,    /* what its sketch would do */
};

/* Clusters without a price: after all others, not at all, or at a price that is assumed. */
enum stow_unknown_price { STOW_UNKNOWN_LAST, STOW_UNKNOWN_EXCLUDE, STOW_UNKNOWN_ASSUME };

#define STOW_LIMIT_NO_MAX INT32_MAX

/* How many replicas of a workload a cluster has at least, when there are this many, and at most. */
struct stow_divide_limit {
    const char *workload, *cluster;
    int32_t min, max;
};

struct stow_divide_policy {
    enum stow_cost_rules rules;
    enum stow_unknown_price unknown;
    stow_nano assumed; /* of STOW_UNKNOWN_ASSUME */
    const struct stow_divide_limit *limit;
    uint32_t limits;
    struct stow_arena arena; /* owns the limits */
};

/* A file with Policy documents or a KubeSchedulerConfiguration (which has neither section).
 * Several Policies: `name` says which, NULL: there must be one.  A Policy that starts from another
 * one of the file has its sections, too, unless it says otherwise.  `ret` is to be freed with done;
 * on failure it is empty. */
int stow_divide_policy_read(const char *path, const char *name, struct stow_divide_policy *ret,
                            struct stow_err *err);
void stow_divide_policy_done(struct stow_divide_policy *policy);

/* "last", "exclude", "assume=0.05". */
int stow_unknown_price_parse(struct stow_str text, struct stow_divide_policy *ret,
                             struct stow_err *err);

/* "cheapest-first", "kep-literal". */
int stow_cost_rules_parse(struct stow_str text, struct stow_divide_policy *ret,
                          struct stow_err *err);

#endif
