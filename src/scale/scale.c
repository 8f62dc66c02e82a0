/* scale.c - which node groups should grow, and by how much: what is prepared once, and the way
 * from a strategy's name to its plan. */
#include "scale/scale.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/vec.h"
#include "model/karpenter/pool.h"
#include "model/pods/resident.h"
#include "place/money.h"
#include "scale/by_rule.h"
#include "scale/cheapest/fallback.h"
#include "scale/least.h"
#include "scale/session.h"
#include "scale/weigh.h"

/* ---- strategies -------------------------------------------------------------------------- */

int stow_strategy_parse(const char *text, struct stow_strategy *ret, struct stow_err *err)
{
    static const char greedy[] = "greedy:";
    static const struct {
        const char *name;
        enum stow_strategy_kind kind;
    } planners[] = {
        {"nru", STOW_STRATEGY_NRU},
        {"optimal", STOW_STRATEGY_OPTIMAL},
        {"karpenter", STOW_STRATEGY_KARPENTER},
    };

    *ret = (struct stow_strategy){.text = text, .kind = STOW_STRATEGY_CHAIN};
    for (uint32_t i = 0; i < sizeof(planners) / sizeof(planners[0]); i++)
        if (strcmp(text, planners[i].name) == 0) {
            ret->kind = planners[i].kind;
            return STOW_OK;
        }
    if (strncmp(text, greedy, sizeof(greedy) - 1) == 0) {
        ret->kind = STOW_STRATEGY_GREEDY;
        text += sizeof(greedy) - 1;
    }
    return stow_chain_parse(stow_str_of(text), &ret->chain, err);
}

/* ---- preparing --------------------------------------------------------------------------- */

static int warn(struct stow_scale *scale, const char *text)
{
    const char **made = STOW_PUSH(&scale->warning, &scale->warnings, &scale->warning_cap);

    if (!made || !text)
        return STOW_ENOMEM;
    *made = text;
    return STOW_OK;
}

/* Groups that can be bought from have a document and a template. */
static int find_groups(struct stow_scale *scale)
{
    const struct stow_snapshot *s = scale->s;

    scale->grows = stow_arena_zalloc(&scale->arena, (s->groups + 1) * sizeof(*scale->grows));
    if (!scale->grows)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++) {
        const struct stow_group *group = &s->group[g];

        scale->grows[g] = !group->implied && group->has_fresh;
        if (!group->implied && !group->has_fresh)
            STOW_TRY(warn(scale, stow_arena_printf(&scale->arena,
                                                   "NodeGroup '%s' has neither a template nor an "
                                                   "existing node: nothing can be bought from it; "
                                                   "give it a template with the label "
                                                   "node.kubernetes.io/instance-type",
                                                   group->name)));
    }
    return STOW_OK;
}

/* Nothing is known of what its nodes cost, so none is bought to have minNodes. */
static const char *say_no_price(struct stow_scale *scale, stow_group_id id)
{
    const struct stow_group *group = &scale->s->group[id];
    const char *why = scale->bill.node[scale->extension.fresh[id]].why;

    if (group->current_nodes >= group->min_nodes)
        return stow_arena_printf(&scale->arena,
                                 "NodeGroup '%s' has no price%s%s%s: give it a pricePerHour, or a "
                                 "price book",
                                 group->name, why ? " (" : "", why ? why : "", why ? ")" : "");
    return stow_arena_printf(
        &scale->arena,
        "NodeGroup '%s' has no price%s%s%s, so nothing is bought to have its minNodes "
        "of %u (it has %u): give it a pricePerHour, or a price book",
        group->name, why ? " (" : "", why ? why : "", why ? ")" : "", group->min_nodes,
        group->current_nodes);
}

/* Whether nothing tells where the nodes of a group would be. */
static bool is_nowhere(const struct stow_scale *scale, stow_group_id group)
{
    const stow_blob labels = scale->s->fresh[group].labels;

    return stow_label_value(scale->s, labels, STOW_SYM_ZONE) == STOW_NONE &&
           stow_label_value(scale->s, labels, STOW_SYM_REGION) == STOW_NONE;
}

/* A pool has a group for every machine and place: one sentence is about all that lack a price. */
static int warn_of_pool(struct stow_scale *scale, const struct stow_node_pool *pool)
{
    const struct stow_snapshot *s = scale->s;
    stow_group_id first = STOW_NONE;
    uint32_t groups = 0, without = 0;

    for (stow_group_id g = 0; g < s->groups; g++) {
        if (!scale->grows[g] || stow_group_pool(s, g) != pool)
            continue;
        groups++;
        without += !scale->price[g].known;
        first = first == STOW_NONE && !scale->price[g].known ? g : first;
    }
    if (!without)
        return STOW_OK;

    if (without == groups && is_nowhere(scale, first))
        return warn(scale, stow_arena_printf(
                               &scale->arena,
                               "NodePool '%s': neither its zones nor its region are known, so "
                               "nothing of it has a price; give --region, or its node class with "
                               "the status, or nodes",
                               pool->name));

    const char *why = scale->bill.node[scale->extension.fresh[first]].why;

    return warn(scale, stow_arena_printf(
                           &scale->arena,
                           "NodePool '%s': %u of the %u offerings that it admits have no price, "
                           "and are not bought, for example %s%s%s%s; import prices of these, or "
                           "narrow the pool",
                           pool->name, without, groups, s->group[first].name, why ? " (" : "",
                           why ? why : "", why ? ")" : ""));
}

static int warn_of_prices(struct stow_scale *scale)
{
    const struct stow_snapshot *s = scale->s;

    if (scale->options.prices == STOW_PRICES_NONE)
        return STOW_OK;
    for (stow_group_id g = 0; g < s->groups; g++)
        if (scale->grows[g] && !scale->price[g].known && !stow_group_pool(s, g))
            STOW_TRY(warn(scale, say_no_price(scale, g)));
    for (uint32_t i = 0; i < s->node_pools; i++)
        STOW_TRY(warn_of_pool(scale, &s->node_pool[i]));
    return STOW_OK;
}

/* Whether a group of a pool is the first that is not sure: the pool is named once. */
static bool speaks_for_pool(const struct stow_scale *scale, stow_group_id group)
{
    const struct stow_node_pool *pool = stow_group_pool(scale->s, group);

    for (stow_group_id g = 0; g < group && pool; g++)
        if (scale->grows[g] && scale->s->group[g].unsure_of_daemons &&
            stow_group_pool(scale->s, g) == pool)
            return false;
    return true;
}

/* What is bought there may have less room than it seems. */
static int warn_of_daemons(struct stow_scale *scale)
{
    const struct stow_snapshot *s = scale->s;
    const char *groups = NULL, *daemons;

    for (stow_group_id g = 0; g < s->groups; g++) {
        const struct stow_node_pool *pool = stow_group_pool(s, g);

        if (!scale->grows[g] || !s->group[g].unsure_of_daemons || !speaks_for_pool(scale, g))
            continue;
        groups = stow_arena_printf(&scale->arena, "%s%s%s'%s'", groups ? groups : "",
                                   groups ? ", " : "", pool ? "NodePool " : "NodeGroup ",
                                   pool ? pool->name : s->group[g].name);
        if (!groups)
            return STOW_ENOMEM;
    }
    if (!groups)
        return STOW_OK;
    daemons = stow_unsure_daemons(s, &scale->arena);
    return !daemons
               ? STOW_ENOMEM
               : warn(scale, stow_arena_printf(
                                 &scale->arena,
                                 "the DaemonSets or static pods of some running pods are not given "
                                 "(%s), and %s has no node that shows their requests: new nodes "
                                 "may have less room; also give the DaemonSets (kubectl get "
                                 "daemonsets -A -o json), or daemonOverhead of the group",
                                 daemons, groups));
}

/* Once, however many plans are made. */
static int warn_of_rates(struct stow_scale *scale, struct stow_err *err)
{
    struct stow_weights weights;

    if (!scale->options.risk)
        return STOW_OK;
    STOW_TRY(stow_weigh(scale, &scale->arena, &weights, err));
    for (stow_group_id g = 0; g < scale->s->groups; g++)
        if (weights.guessed[g] &&
            warn(scale, stow_arena_printf(&scale->arena,
                                          "NodeGroup '%s' has no interruptionRate: it is weighed "
                                          "as if 0.30 of its nodes were interrupted in 30 days",
                                          scale->s->group[g].name)) < 0)
            return stow_fail_memory(err);
    return STOW_OK;
}

static int find_rates(struct stow_scale *scale)
{
    enum stow_layer layer = STOW_LAYER_COUNT;

    scale->rate =
        stow_arena_zalloc(&scale->arena, (scale->s->resources + 1) * sizeof(*scale->rate));
    if (!scale->rate)
        return STOW_ENOMEM;
    stow_bill_rates(scale->s, scale->input.books, scale->rate, &layer);
    return STOW_OK;
}

static int choose_profile(struct stow_scale *scale, struct stow_err *err)
{
    if (scale->input.profiles && scale->input.profiles->count) {
        scale->profile = &scale->input.profiles->profile[0];
        return STOW_OK;
    }
    STOW_TRY(stow_profiles_builtin("kube-default", &scale->kube, err));
    scale->profile = &scale->kube.profile[0];
    return STOW_OK;
}

static int bind_nru(struct stow_scale *scale, struct stow_err *err)
{
    const struct stow_scale_options *options = &scale->options;

    scale->nru.rules = options->nru_rules;
    scale->nru.scorer = options->nru_scorer;
    return stow_nru_bind(scale->s, options->nru_weight, options->nru_weights, &scale->arena,
                         &scale->nru, err);
}

static int prepare(struct stow_scale *scale, struct stow_err *err)
{
    STOW_TRY(choose_profile(scale, err));
    STOW_TRY(stow_extend(scale->s, true, &scale->extension, err));
    STOW_TRY(stow_bill_make(&scale->extension.s, scale->input.books, scale->input.bill,
                            &scale->bill, err));
    STOW_TRY(stow_node_money_make(&scale->extension.s, scale->input.books, scale->input.bill,
                                  &scale->bill, &scale->money, err));
    if (find_groups(scale) < 0 || find_rates(scale) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_scale_price_groups(scale, err));
    STOW_TRY(bind_nru(scale, err));
    if (warn_of_prices(scale) < 0 || warn_of_daemons(scale) < 0)
        return stow_fail_memory(err);
    return warn_of_rates(scale, err);
}

int stow_scale_new(const struct stow_scale_input *input, const struct stow_scale_options *options,
                   struct stow_scale **ret, struct stow_err *err)
{
    struct stow_scale *scale = calloc(1, sizeof(*scale));

    if (!scale)
        return stow_fail_memory(err);
    scale->input = *input;
    scale->options = *options;
    scale->s = input->s;

    int code = prepare(scale, err);

    if (code < 0) {
        stow_scale_free(scale);
        return code;
    }
    *ret = scale;
    return STOW_OK;
}

void stow_scale_free(struct stow_scale *scale)
{
    if (!scale)
        return;
    for (uint32_t i = 0; i < STOW_GROUNDS; i++)
        stow_ground_done(&scale->ground[i]);
    stow_bill_done(&scale->bill);
    free(scale->money);
    stow_extension_done(&scale->extension);
    stow_extension_done(&scale->bare);
    stow_profiles_done(&scale->kube);
    free((void *)scale->warning);
    stow_arena_done(&scale->arena);
    free(scale);
}

/* ---- planning ---------------------------------------------------------------------------- */

/* minNodes are asked for whatever pods there are. */
static int buy_least(struct stow_session *session, struct stow_err *err)
{
    struct stow_weights weights;

    STOW_TRY(stow_weigh(session->scale, session->arena, &weights, err));
    session->plan->weight = 0;
    for (stow_group_id g = 0; g < session->scale->s->groups; g++)
        for (uint32_t left = stow_least(session, g); left; left--) {
            if (stow_session_buy(session, g) == STOW_NONE)
                return stow_fail_memory(err);
            session->plan->weight += weights.price[g];
        }
    return STOW_OK;
}

static int search(struct stow_session *session, const struct stow_known_plans *known,
                  struct stow_err *err)
{
    const struct stow_scale_options *o = &session->scale->options;

    STOW_TRY(stow_session_adds_up(session, NULL, err));
    STOW_TRY(stow_plan_optimal(session, known, err));
    if (o->all_or_nothing && stow_session_take_back_some(session))
        STOW_TRY(buy_least(session, err));
    STOW_TRY(stow_session_conclude(session, false, err));
    return o->risk ? stow_plan_fallbacks(session, err) : STOW_OK;
}

static int plan_cheapest(struct stow_scale *scale, const struct stow_strategy *strategy,
                         const struct stow_known_plans *known, struct stow_plan *ret,
                         struct stow_err *err)
{
    STOW_AUTO(stow_session_close) struct stow_session session = {0};
    struct stow_ground *ground = NULL;
    int code;

    STOW_TRY(stow_scale_ground(scale, STOW_GROUND_OPEN, &ground, err));
    code = stow_plan_start(scale, strategy, ret) < 0 ||
                   stow_session_open(&session, scale, ground, ret) < 0
               ? stow_fail_memory(err)
               : search(&session, known, err);
    ret->stopped = stow_clock_is_stopped();
    if (code < 0)
        stow_plan_done(ret);
    return code;
}

/* Rules that buy node by node have no plan before they are done, so one that was cut off is none.
 */
static int plan_in_time(struct stow_scale *scale, const struct stow_strategy *strategy,
                        struct stow_plan *ret, struct stow_err *err)
{
    const double limit = scale->options.all_timed ? scale->options.time_limit : 0;
    struct stow_terms terms = {.grows = scale->grows};
    struct stow_ground *ground;

    STOW_TRY(stow_rule_ground(scale, strategy, &ground, err)); /* the limit is for the rule alone */
    terms.deadline = limit > 0 ? stow_clock() + limit : 0;
    STOW_TRY(stow_plan_by_rule(scale, strategy, &terms, ret, err));
    if (limit <= 0 || !stow_clock_is_past(terms.deadline))
        return STOW_OK;
    stow_plan_done(ret);
    return stow_fail(err, STOW_ETIME,
                     stow_clock_is_stopped() ? "stopped before it finished"
                                             : "not finished within the time limit");
}

int stow_scale_plan(struct stow_scale *scale, const struct stow_strategy *strategy,
                    const struct stow_known_plans *known, struct stow_plan *ret,
                    struct stow_err *err)
{
    memset(ret, 0, sizeof(*ret));
    return strategy->kind == STOW_STRATEGY_OPTIMAL ? plan_cheapest(scale, strategy, known, ret, err)
                                                   : plan_in_time(scale, strategy, ret, err);
}
