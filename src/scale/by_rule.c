/* by_rule.c - the plan of a rule that buys node by node: a chain of rankers, nru, Karpenter.
 *
 * A rule decides about a pod with the nodes that it has bought so far.  The plan is checked with
 * all nodes there, and a spread constraint may then refuse a pod that the rule has placed.  So the
 * pods of a rule are placed again at the end, with all its nodes there (rules/settle.c).
 *
 * Two callers use this file.  The front door (scale.c) shows the plan.  `optimal`
 * (cheapest/others.c) measures it beside its own; it may restrict the groups and set a deadline.
 * What differs is in the terms, which are passed: no plan leaves a trace in the prepared input. */
#include "scale/by_rule.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "scale/obey.h"

/* ---- the beginning ----------------------------------------------------------------------- */

/* scaling-advisor's own rule sets know no baseline. */
int stow_rule_ground(struct stow_scale *scale, const struct stow_strategy *strategy,
                     struct stow_ground **ret, struct stow_err *err)
{
    enum stow_ground_kind kind = STOW_GROUND_BASELINE;

    if (strategy->kind == STOW_STRATEGY_KARPENTER)
        kind = STOW_GROUND_OPEN;
    else if (strategy->kind == STOW_STRATEGY_NRU && scale->nru.rules != STOW_NRU_DOCUMENT)
        kind = STOW_GROUND_BARE;
    return stow_scale_ground(scale, kind, ret, err);
}

static const char *rules_of(const struct stow_scale *scale, const struct stow_strategy *strategy)
{
    if (strategy->kind == STOW_STRATEGY_NRU)
        return stow_nru_rules_names[scale->nru.rules];
    for (uint32_t i = 0; i < strategy->chain.count; i++)
        if (strcmp(strategy->chain.ranker[i]->name, "price") == 0)
            return scale->options.price_rules == STOW_PRICE_PROPOSAL ? "proposal" : "current";
    return NULL;
}

int stow_plan_start(const struct stow_scale *scale, const struct stow_strategy *strategy,
                    struct stow_plan *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->strategy = stow_arena_text(&ret->arena, stow_str_of(strategy->text));
    ret->rules = rules_of(scale, strategy);
    ret->nru_rules = scale->nru.rules;
    ret->nru_scorer = scale->nru.scorer;
    return ret->strategy ? STOW_OK : STOW_ENOMEM;
}

static int open_session(struct stow_session *session, struct stow_scale *scale,
                        struct stow_ground *ground, const struct stow_terms *terms,
                        struct stow_plan *plan)
{
    STOW_TRY(stow_session_open(session, scale, ground, plan));
    session->grows = terms->grows;
    session->deadline = terms->deadline;
    session->measured_only = terms->measured_only;
    return STOW_OK;
}

/* ---- all or nothing ---------------------------------------------------------------------- */

static void take_back(struct stow_session *session)
{
    stow_session_give_back(session, 0);
    session->puts = 0;
    session->plan->has_bound = false;
    for (stow_group_id g = 0; g < session->scale->s->groups; g++)
        session->refused[g] = STOW_ALL_OR_NOTHING;
    for (uint32_t i = 0; i < session->plan->rounds && session->round; i++)
        session->round[i].boughts = 0;
}

/* A planner that buys node by node knows only at the end whether all pods have a place. */
int stow_session_take_back_some(struct stow_session *session)
{
    uint32_t put = 0;

    for (uint32_t i = 0; i < session->puts; i++)
        put += session->put[i].count;
    assert(put <= session->ground->pendings);
    if (put == session->ground->pendings || session->yard->nodes == session->yard->real)
        return 0;
    take_back(session);
    return 1;
}

/* ---- the end ----------------------------------------------------------------------------- */

int stow_session_conclude(struct stow_session *session, bool one_round, struct stow_err *err)
{
    STOW_TRY(stow_session_finish(session, one_round, err));
    return stow_plan_obey(session) < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* What the session bought and put, with all its nodes there, in `ret`. */
static int settle_into(const struct stow_session *session, const struct stow_terms *terms,
                       struct stow_ground *open, struct stow_session *ret, struct stow_err *err)
{
    stow_session_close(ret);
    if (open_session(ret, session->scale, open, terms, session->plan) < 0)
        return stow_fail_memory(err);
    return stow_session_settle(session, ret, err);
}

static int settle(struct stow_session *session, const struct stow_terms *terms, bool one_round,
                  struct stow_err *err)
{
    STOW_AUTO(stow_session_close) struct stow_session settled = {0};
    struct stow_ground *open = NULL;

    STOW_TRY(stow_scale_ground(session->scale, STOW_GROUND_OPEN, &open, err));
    if (!stow_yard_has_order(open->yard))
        return stow_session_conclude(session, one_round, err);
    STOW_TRY(settle_into(session, terms, open, &settled, err));
    if (settled.lost && session->scale->options.all_or_nothing) {
        take_back(session);
        STOW_TRY(settle_into(session, terms, open, &settled, err));
    }
    stow_session_hand_over_rounds(session, &settled);
    return stow_session_conclude(&settled, one_round, err);
}

/* ---- all of it --------------------------------------------------------------------------- */

static int buy(struct stow_session *session, const struct stow_strategy *strategy,
               struct stow_err *err)
{
    assert(strategy->kind != STOW_STRATEGY_OPTIMAL);
    if (strategy->kind == STOW_STRATEGY_NRU)
        return stow_plan_nru(session, err);
    if (strategy->kind == STOW_STRATEGY_KARPENTER)
        return stow_plan_karpenter(session, err);
    return stow_plan_chain(session, strategy, err);
}

static int decide(struct stow_session *session, const struct stow_strategy *strategy,
                  const struct stow_terms *terms, struct stow_err *err)
{
    const struct stow_scale_options *o = &session->scale->options;
    const bool one_round = strategy->kind == STOW_STRATEGY_CHAIN;

    STOW_TRY(stow_session_adds_up(session, NULL, err));
    STOW_TRY(buy(session, strategy, err));
    if (o->all_or_nothing && !strategy->chain.count)
        stow_session_take_back_some(session);
    if (strategy->kind == STOW_STRATEGY_KARPENTER || o->as_nodes_come)
        return stow_session_conclude(session, one_round, err);
    return settle(session, terms, one_round, err);
}

int stow_plan_by_rule(struct stow_scale *scale, const struct stow_strategy *strategy,
                      const struct stow_terms *terms, struct stow_plan *ret, struct stow_err *err)
{
    STOW_AUTO(stow_session_close) struct stow_session session = {0};
    struct stow_ground *ground = NULL;
    int code;

    STOW_TRY(stow_rule_ground(scale, strategy, &ground, err));
    code = stow_plan_start(scale, strategy, ret) < 0 ||
                   open_session(&session, scale, ground, terms, ret) < 0
               ? stow_fail_memory(err)
               : decide(&session, strategy, terms, err);
    ret->stopped = stow_clock_is_stopped();
    if (code < 0)
        stow_plan_done(ret);
    return code;
}
