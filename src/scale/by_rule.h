/* by_rule.h - the plan of a rule that buys node by node: a chain of rankers, nru, Karpenter. */
#ifndef STOW_SCALE_BY_RULE_H
#define STOW_SCALE_BY_RULE_H

#include "scale/session.h"

/* What a plan is made under. */
struct stow_terms {
    const bool *grows;  /* per group: it may be bought from */
    double deadline;    /* of stow_clock(): what is bought by then is the plan, without reasons for
                           pods that are left; 0: none */
    bool measured_only; /* nobody reads the plan: it needs no reasons for pods that are left */
};

/* What the rule starts from. */
int stow_rule_ground(struct stow_scale *scale, const struct stow_strategy *strategy,
                     struct stow_ground **ret, struct stow_err *err);

/* The plan of a strategy other than `optimal`, to be freed with stow_plan_done. */
int stow_plan_by_rule(struct stow_scale *scale, const struct stow_strategy *strategy,
                      const struct stow_terms *terms, struct stow_plan *ret, struct stow_err *err);

/* ---- for every strategy ------------------------------------------------------------------ */

/* An empty plan that says which strategy it is of; < 0: out of memory. */
int stow_plan_start(const struct stow_scale *scale, const struct stow_strategy *strategy,
                    struct stow_plan *ret);

/* All-or-nothing: takes back what the session has bought unless every pod has a place.  1: it did.
 */
int stow_session_take_back_some(struct stow_session *session);

/* The plan of what the session has, and which limits it breaks. */
int stow_session_conclude(struct stow_session *session, bool one_round, struct stow_err *err);

#endif
