/* policy.h - what `scale` reads of a Policy: the sections `price` and `nru`.
 *
 *     price: {rules: proposal}
 *     nru: {rules: document, scorer: least-cost, weights: {cpu: 6 per core, memory: 0.5 per GiB}}
 *
 * The filters of the same document are a profile (place/profiles/profile.h); reading it checks
 * everything else that a Policy may say. */
#ifndef STOW_SCALE_POLICY_H
#define STOW_SCALE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "scale/rules/nru.h"

struct stow_scale_policy {
    bool price_proposal; /* else the rules that the autoscaler ships now */
    enum stow_nru_rules nru_rules;
    enum stow_nru_scorer nru_scorer;
    const struct stow_nru_named *weight; /* those given, in order of resources; */
    uint32_t weights;                    /* the others are the rule set's own (stow_nru_bind) */
    struct stow_arena arena;             /* owns the weights */
};

/* A file with Policy documents or a KubeSchedulerConfiguration (which has neither section). Several
 * Policies: `name` says which, NULL: there must be one.  A Policy that starts from another one of
 * the file has its sections, too, unless it says otherwise.  Not from standard input: the profile
 * is read from there.  `ret` is to be freed with done; on failure it is empty. */
int stow_scale_policy_read(const char *path, const char *name, struct stow_scale_policy *ret,
                           struct stow_err *err);
void stow_scale_policy_done(struct stow_scale_policy *policy);

/* One weight of the command line, "cpu=6/core" or "cpu=6 per core": put among those of the policy,
 * in place of one for the same resource. */
int stow_scale_policy_weigh(struct stow_scale_policy *policy, struct stow_str text,
                            struct stow_err *err);

#endif
