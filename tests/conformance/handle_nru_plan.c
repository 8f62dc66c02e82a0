/* handle_nru_plan.c - whole plans of scaling-advisor (family scaling-advisor).
 *
 * doc-scenario and derived hold the document's rule to its scores, plan and cost; of the
 * rule that main selects by only the choice counts.  plan and plan/random were answered
 * by the program itself; where it draws lots, any member of the tied set is right
 * (placements that nothing tells apart are counted as one), and its accident of failing
 * once everything is placed is met by a plan that places everything and holds.
 *
 * The cheapest plans of all these cases were found by enumeration: `optimal` has to find them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/conformance/advisor.h"
#include "tests/conformance/names.h"

#define SCORE_PRINTED 0.00005000001 /* scores have four decimals */
#define MONEY_NEAR    1e-9

/* ---- comparing --------------------------------------------------------------------------- */

static void same_cost(struct stow_conf_case *c, const char *what, struct stow_view expected,
                      const struct stow_plan *plan)
{
    if (stow_view_given(expected))
        stow_conf_near(c, what, expected, (double)plan->cost.amount / STOW_NANO_PER_UNIT,
                       MONEY_NEAR);
}

static struct stow_str label_of(const struct stow_advisor *a, stow_group_id group)
{
    const struct stow_advisor_offer *offer = stow_advisor_offer_of(a, group);

    return offer ? offer->label : STOW_STR("?");
}

/* The placements of a plan's nodes, in the order in which they were bought. */
static void same_order(const struct stow_advisor *a, const char *what, struct stow_view expected,
                       const struct stow_plan *plan)
{
    struct stow_str *name =
        stow_arena_alloc(a->c->scratch, ((size_t)plan->nodes + 1) * sizeof(*name));

    for (uint32_t i = 0; name && i < plan->nodes; i++)
        name[i] = label_of(a, plan->node[i].group);
    if (!name)
        stow_conf_differ(a->c, what, "out of memory");
    else if (stow_view_given(expected))
        stow_conf_same_names(a->c, what, expected, name, plan->nodes);
}

static const struct stow_round_placement *placement_of(const struct stow_advisor *a,
                                                       const struct stow_round *round,
                                                       struct stow_str label)
{
    for (uint32_t i = 0; i < round->placements; i++)
        if (stow_str_eq(label_of(a, round->placement[i].group), label))
            return &round->placement[i];
    return NULL;
}

/* {NP1: 0.5, NP2: 0.45}: a placement that is out of the running scores 0. */
static void same_scores(const struct stow_advisor *a, const char *what, struct stow_view expected,
                        const struct stow_round *round)
{
    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);) {
        const struct stow_round_placement *got =
            placement_of(a, round, stow_conf_text(a->c, walk.key));

        if (got)
            stow_conf_near(a->c, what, walk.value, got->why ? 0 : got->score, SCORE_PRINTED);
        else
            stow_conf_differ(a->c, what, "%.*s was not tried", STOW_FMT(stow_view_raw(walk.key)));
    }
}

/* A list of scores per pass, of the passes that had a winner. */
static void same_passes(const struct stow_advisor *a, struct stow_view expected,
                        const struct stow_plan *plan)
{
    uint32_t passes = 0;
    char what[40];

    if (!stow_view_given(expected))
        return;
    for (uint32_t i = 0; i < plan->rounds; i++)
        passes += plan->round[i].winner != UINT32_MAX;
    if (passes != stow_view_count(expected))
        stow_conf_differ(a->c, "passes", "expected %u, got %u", stow_view_count(expected), passes);
    for (struct stow_view_walk walk = stow_view_walk(expected);
         stow_view_next(&walk) && walk.index < plan->rounds;) {
        snprintf(what, sizeof(what), "scores of pass %u", walk.index + 1);
        same_scores(a, what, walk.value, &plan->round[walk.index]);
    }
}

static void same_first_winner(const struct stow_advisor *a, const char *what,
                              struct stow_view expected, const struct stow_plan *plan)
{
    struct stow_str got = {"", 0};

    if (plan->rounds && plan->round[0].winner != UINT32_MAX)
        got = label_of(a, plan->round[0].placement[plan->round[0].winner].group);
    if (stow_view_given(expected))
        stow_conf_same_text(a->c, what, expected, got);
}

/* ---- doc-scenario ------------------------------------------------------------------------ */

/* cpu5_mem1: 5 per core and 1 per GiB. */
static int read_weighting(struct stow_advisor *a, struct stow_view key,
                          struct stow_nru_named weight[2])
{
    char text[64];
    int cpu, memory;

    snprintf(text, sizeof(text), "%.*s", STOW_FMT(stow_conf_text(a->c, key)));
    if (sscanf(text, "cpu%d_mem%d", &cpu, &memory) != 2)
        return stow_fail(a->err, STOW_EPARSE, "no weighting is called %s", text);
    weight[0] = (struct stow_nru_named){"cpu", cpu * INT64_C(1000000000), STOW_NRU_CORE};
    weight[1] = (struct stow_nru_named){"memory", memory * INT64_C(1000000000), STOW_NRU_GIB};
    return STOW_OK;
}

static int compare_weighting(struct stow_advisor *a, struct stow_view key,
                             struct stow_view expected)
{
    struct stow_nru_named weight[2];
    struct stow_plan plan;

    STOW_TRY(read_weighting(a, key, weight));
    const struct stow_advisor_rules rules = {.weight = weight, .weights = 2};

    STOW_TRY(stow_advisor_plan(a, &rules, &plan));
    same_passes(a, stow_view_get(expected, "per_pass_scores"), &plan);
    same_order(a, "plan_in_order", stow_view_get(expected, "plan_in_order"), &plan);
    same_cost(a->c, "total_cost", stow_view_get(expected, "total_cost"), &plan);
    stow_plan_done(&plan);
    return STOW_OK;
}

/* Whether main cannot tell two groups apart. */
static bool same_size(const struct stow_advisor *a, stow_group_id x, stow_group_id y)
{
    return x != STOW_NONE && y != STOW_NONE &&
           a->s->group[x].node.allocatable == a->s->group[y].node.allocatable;
}

/* Equal, but for lots that main draws among nodes of the same size. */
static bool drawn_alike(const struct stow_advisor *a, struct stow_view order,
                        const struct stow_plan *plan)
{
    if (stow_view_count(order) != plan->nodes)
        return false;
    for (struct stow_view_walk walk = stow_view_walk(order); stow_view_next(&walk);)
        if (!same_size(a, stow_advisor_group_of(a, stow_conf_text(a->c, walk.value)),
                       plan->node[walk.index].group))
            return false;
    return true;
}

static bool same_labels(const struct stow_advisor *a, struct stow_view order,
                        const struct stow_plan *plan)
{
    for (struct stow_view_walk walk = stow_view_walk(order); stow_view_next(&walk);)
        if (walk.index >= plan->nodes || !stow_str_eq(stow_conf_text(a->c, walk.value),
                                                      label_of(a, plan->node[walk.index].group)))
            return false;
    return true;
}

/* What is compared with one of several outcomes. */
struct outcome {
    struct stow_advisor *a;
    const struct stow_plan *plan;
};

static int compare_main(struct stow_conf_case *c, struct stow_view expected, const void *got,
                        struct stow_err *err)
{
    const struct outcome *o = got;
    struct stow_view order = stow_view_get(expected, "plan_in_order");

    (void)err;
    if (drawn_alike(o->a, order, o->plan) && !same_labels(o->a, order, o->plan))
        return STOW_OK;
    same_order(o->a, "main: plan_in_order", order, o->plan);
    same_cost(c, "main: total_cost", stow_view_get(expected, "total_cost"), o->plan);
    return STOW_OK;
}

static int compare_main_rule(struct stow_advisor *a, struct stow_view expected)
{
    const struct stow_advisor_rules rules = {.rules = STOW_NRU_MAIN};
    struct stow_plan plan;

    if (!stow_view_given(expected))
        return STOW_OK;
    STOW_TRY(stow_advisor_plan(a, &rules, &plan));
    const struct outcome got = {a, &plan};
    int code = stow_conf_one_of(a->c, expected, compare_main, &got, a->err);

    stow_plan_done(&plan);
    return code;
}

/* The rounded scores of the first pass, and who wins by them. */
static int compare_integers(struct stow_advisor *a, struct stow_view expected)
{
    static const struct stow_nru_named weight[] = {
        {"cpu", INT64_C(6000000000), STOW_NRU_CORE},
        {"memory", INT64_C(1000000000), STOW_NRU_GIB},
    };
    const struct stow_advisor_rules rules = {
        .rules = STOW_NRU_PR158, .weight = weight, .weights = 2};
    struct stow_view scores = stow_view_get(expected, "integer_scores");
    struct stow_plan plan;

    if (!stow_view_given(scores))
        return STOW_OK;
    STOW_TRY(stow_advisor_plan(a, &rules, &plan));
    for (struct stow_view_walk walk = stow_view_walk(scores); stow_view_next(&walk);) {
        const struct stow_round_placement *got =
            plan.rounds ? placement_of(a, &plan.round[0], stow_conf_text(a->c, walk.key)) : NULL;

        stow_conf_same_int(a->c, "integer_scores", walk.value, got && !got->why ? got->value : 0);
    }
    same_first_winner(a, "winner_with_integer_scores",
                      stow_view_get(expected, "winner_with_integer_scores"), &plan);
    stow_plan_done(&plan);
    return STOW_OK;
}

/* The document's rule with its own weights: first winner, and, in derived, the whole plan. */
static int compare_document(struct stow_advisor *a, struct stow_view expected)
{
    const struct stow_advisor_rules rules = {.rules = STOW_NRU_DOCUMENT};
    struct stow_view greedy = stow_view_get(expected, "document_greedy");
    struct stow_plan plan;

    STOW_TRY(stow_advisor_plan(a, &rules, &plan));
    same_first_winner(a, "document_rule_winner_first_pass",
                      stow_view_get(expected, "document_rule_winner_first_pass"), &plan);
    same_first_winner(a, "winner_with_exact_scores",
                      stow_view_get(expected, "winner_with_exact_scores"), &plan);
    same_passes(a, stow_view_get(greedy, "per_pass_scores"), &plan);
    same_order(a, "document_greedy: plan", stow_view_get(greedy, "plan"), &plan);
    same_cost(a->c, "document_greedy: cost", stow_view_get(greedy, "cost"), &plan);
    stow_plan_done(&plan);
    return STOW_OK;
}

/* ---- the cheapest ------------------------------------------------------------------------ */

/* {NP1: 2}: as many nodes of each placement, and no others. */
static bool buys(const struct stow_advisor *a, struct stow_view listed,
                 const struct stow_plan *plan)
{
    int64_t sum = 0;

    for (struct stow_view_walk walk = stow_view_walk(listed); stow_view_next(&walk);) {
        int64_t want = 0, got = 0;

        for (uint32_t i = 0; i < plan->nodes; i++)
            got += stow_str_eq(label_of(a, plan->node[i].group), stow_conf_text(a->c, walk.key));
        if (!stow_view_int(walk.value, &want) || want != got)
            return false;
        sum += got;
    }
    return sum == plan->nodes;
}

/* Any of the plans that are as cheap will do. */
static void same_buys(const struct stow_advisor *a, struct stow_view list,
                      const struct stow_plan *plan)
{
    bool found = false;

    if (!stow_view_given(list))
        return;
    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);)
        found |= buys(a, walk.value, plan);
    if (!found)
        stow_conf_differ(a->c, "cheapest_plans", "expected one of %.*s, got %u nodes for %.4f",
                         STOW_FMT(stow_view_raw(list)), plan->nodes,
                         (double)plan->cost.amount / STOW_NANO_PER_UNIT);
}

/* What was found by trying everything is what the solver finds; the fluid bound is that of resource
 * prices.  A bound above the cheapest would be a lie. */
static int compare_cheapest(struct stow_advisor *a, struct stow_view expected)
{
    static const char *const costs[] = {"cheapest_total_cost", "cheapest_cost",
                                        "cheapest_hourly_cost"};
    struct stow_view fluid = stow_view_get(expected, "fluid_lower_bound");
    struct stow_view only = stow_view_get(expected, "cheapest_plan");
    struct stow_plan plan;

    STOW_TRY(stow_advisor_optimal(a, &plan));
    for (size_t i = 0; i < sizeof(costs) / sizeof(costs[0]); i++)
        same_cost(a->c, costs[i], stow_view_get(expected, costs[i]), &plan);
    same_buys(a, stow_view_get(expected, "cheapest_plans"), &plan);
    if (stow_view_given(only) && !buys(a, only, &plan))
        stow_conf_differ(a->c, "cheapest_plan", "expected %.*s, got other nodes",
                         STOW_FMT(stow_view_raw(only)));
    if (stow_view_given(fluid))
        stow_conf_near(a->c, "fluid_lower_bound", fluid,
                       (double)plan.proof.resource_bound / STOW_NANO_PER_UNIT, SCORE_PRINTED);
    if (!plan.has_bound || plan.bound > plan.cost.amount || plan.unplaceds)
        stow_conf_differ(a->c, "bound", "no bound, one above the cost, or pods are left");
    stow_plan_done(&plan);
    return STOW_OK;
}

static int run_limits(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_advisor_done) struct stow_advisor a;

    stow_advisor_init(&a, c, err);
    STOW_TRY(
        stow_advisor_read_limits(&a, stow_conf_get(c, "input"), stow_conf_get(c, "constraints")));
    return compare_cheapest(&a, stow_conf_get(c, "computed"));
}

/* ---- all of a scenario ------------------------------------------------------------------- */

static int run_scenario(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_advisor_done) struct stow_advisor a;
    struct stow_view expected = stow_conf_get(c, "expected");

    stow_advisor_init(&a, c, err);
    STOW_TRY(stow_advisor_read_scenario(&a, stow_conf_get(c, "input")));
    STOW_TRY(compare_document(&a, expected));
    for (struct stow_view_walk walk = stow_view_walk(stow_view_get(expected, "document_rule"));
         stow_view_next(&walk);)
        STOW_TRY(compare_weighting(&a, walk.key, walk.value));
    STOW_TRY(compare_main_rule(&a, stow_view_get(expected, "main_commit_select_rule")));
    STOW_TRY(compare_integers(&a, expected));
    return compare_cheapest(&a, expected);
}

/* ---- plan -------------------------------------------------------------------------------- */

/* Nodes of a pool: there already, and bought. */
static void count_pool(const struct stow_advisor *a, const struct stow_plan *plan,
                       struct stow_str pool, int64_t *ret_current, int64_t *ret_delta)
{
    *ret_current = *ret_delta = 0;
    for (stow_group_id g = 0; g < a->s->groups; g++) {
        const struct stow_advisor_offer *offer = stow_advisor_offer_of(a, g);

        if (offer && stow_str_eq(offer->pool, pool))
            *ret_current += a->s->group[g].current_nodes;
    }
    for (uint32_t i = 0; i < plan->nodes; i++)
        *ret_delta += stow_str_eq(stow_advisor_offer_of(a, plan->node[i].group)->pool, pool);
}

static void same_items(const struct stow_advisor *a, struct stow_view items,
                       const struct stow_plan *plan)
{
    int64_t current, delta, total = 0;

    for (struct stow_view_walk walk = stow_view_walk(items); stow_view_next(&walk);) {
        count_pool(a, plan, stow_conf_text(a->c, stow_view_get(walk.value, "pool")), &current,
                   &delta);
        stow_conf_same_int(a->c, "delta", stow_view_get(walk.value, "delta"), delta);
        stow_conf_same_int(a->c, "current_replicas", stow_view_get(walk.value, "current_replicas"),
                           current);
        total += delta;
    }
    if (total != plan->nodes)
        stow_conf_differ(a->c, "items", "%lld nodes are of pools that are not expected",
                         (long long)(plan->nodes - total));
}

/* Pods that are left, by name, against a list in any order. */
static bool same_left(const struct stow_advisor *a, struct stow_view expected,
                      const struct stow_plan *plan)
{
    uint32_t found = 0;

    for (struct stow_view_walk walk = stow_view_walk(expected); stow_view_next(&walk);)
        for (uint32_t i = 0; i < plan->unplaceds; i++)
            found += stow_str_eq(stow_conf_text(a->c, walk.value),
                                 stow_advisor_pod_name(a, plan->unplaced[i].pod));
    return found == plan->unplaceds && stow_view_count(expected) == plan->unplaceds;
}

static int run_plan(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_advisor_done) struct stow_advisor a;
    struct stow_view input = stow_conf_get(c, "input"), expected = stow_conf_get(c, "expected");
    struct stow_view scorer = stow_view_get(input, "scoring_strategy");
    struct stow_advisor_rules rules = {
        .rules = STOW_NRU_PR158,
        .multi = stow_view_is(stow_view_get(input, "simulator_strategy"), "multi-node-single-sim"),
    };
    struct stow_plan plan;

    stow_advisor_init(&a, c, err);
    if (!stow_nru_scorer_find(stow_conf_text(c, scorer), &rules.scorer))
        return stow_fail(err, STOW_EPARSE, "there is no scorer %.*s",
                         STOW_FMT(stow_view_raw(scorer)));
    STOW_TRY(stow_advisor_read_plan(&a, input));
    STOW_TRY(stow_advisor_plan(&a, &rules, &plan));
    same_items(&a, stow_view_get(expected, "items"), &plan);
    if (!same_left(&a, stow_view_get(expected, "unsatisfied"), &plan))
        stow_conf_differ(c, "unsatisfied", "expected %.*s, got %u pods",
                         STOW_FMT(stow_view_raw(stow_view_get(expected, "unsatisfied"))),
                         plan.unplaceds);
    same_cost(c, "hourly_cost", stow_view_get(expected, "hourly_cost"), &plan);
    stow_plan_done(&plan);
    return STOW_OK;
}

/* ---- plan/random ------------------------------------------------------------------------- */

/* Nodes that a listed outcome, and the plan, buy of placements that are like this one. */
static int64_t listed_of(const struct stow_advisor *a, struct stow_view items,
                         struct stow_str alike)
{
    int64_t sum = 0, delta = 0;

    for (struct stow_view_walk walk = stow_view_walk(items); stow_view_next(&walk);) {
        stow_group_id group = stow_advisor_group_of(a, stow_conf_text(a->c, walk.key));

        if (group == STOW_NONE)
            return -1;
        if (stow_str_eq(stow_advisor_offer_of(a, group)->alike, alike) &&
            stow_view_int(stow_view_get(walk.value, "delta"), &delta))
            sum += delta;
    }
    return sum;
}

static int64_t bought_of(const struct stow_advisor *a, const struct stow_plan *plan,
                         struct stow_str alike)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < plan->nodes; i++)
        sum += stow_str_eq(stow_advisor_offer_of(a, plan->node[i].group)->alike, alike);
    return sum;
}

/* Items carry the nodes that are there of their own placement. */
static bool same_current(const struct stow_advisor *a, struct stow_view items)
{
    for (struct stow_view_walk walk = stow_view_walk(items); stow_view_next(&walk);) {
        stow_group_id group = stow_advisor_group_of(a, stow_conf_text(a->c, walk.key));
        int64_t current = 0;

        if (group == STOW_NONE || (stow_view_int(stow_view_get(walk.value, "current"), &current) &&
                                   current != a->s->group[group].current_nodes))
            return false;
    }
    return true;
}

static bool same_outcome(const struct stow_advisor *a, struct stow_view listed,
                         const struct stow_plan *plan)
{
    struct stow_view items = stow_view_get(listed, "items");

    for (uint32_t i = 0; i < a->offers; i++)
        if (listed_of(a, items, a->offer[i].alike) != bought_of(a, plan, a->offer[i].alike))
            return false;
    return same_current(a, items) && same_left(a, stow_view_get(listed, "unsatisfied"), plan);
}

static bool is_accident(struct stow_view listed)
{
    return stow_view_is(stow_view_get(listed, "error"), "no unscheduled pods in a later pass");
}

/* 1: the plan is a listed outcome, or meets it. */
static int meets(struct stow_advisor *a, struct stow_view list, const struct stow_plan *plan)
{
    bool only_accidents = true, holds = false;

    for (struct stow_view_walk walk = stow_view_walk(list); stow_view_next(&walk);) {
        bool error = stow_view_given(stow_view_get(walk.value, "error"));

        only_accidents &= is_accident(walk.value);
        if (error && !is_accident(walk.value) && plan->nodes == 0)
            return 1;
        if (!error && same_outcome(a, walk.value, plan))
            return 1;
    }
    if (!only_accidents || plan->unplaceds)
        return 0;
    STOW_TRY(stow_advisor_holds(a, plan, &holds));
    return holds;
}

static void tell(struct stow_advisor *a, const char *what, struct stow_view list,
                 const struct stow_plan *plan)
{
    struct stow_buf got = {0};

    for (uint32_t i = 0; i < plan->nodes; i++)
        stow_buf_printf(&got, "%s%.*s", i ? ", " : "", STOW_FMT(label_of(a, plan->node[i].group)));
    stow_conf_differ(a->c, what, "expected %.*s, got [%.*s] with %u left",
                     STOW_FMT(stow_view_raw(list)), (int)got.len, got.ptr ? got.ptr : "",
                     plan->unplaceds);
    stow_buf_done(&got);
}

static int compare_rule_set(struct stow_advisor *a, const struct stow_advisor_rules *rules,
                            struct stow_view list)
{
    struct stow_plan plan;

    STOW_TRY(stow_advisor_plan(a, rules, &plan));
    int code = meets(a, list, &plan);

    if (code == 0)
        tell(a, stow_nru_rules_names[rules->rules], list, &plan);
    stow_plan_done(&plan);
    return code < 0 ? code : STOW_OK;
}

static int run_random(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stow_advisor_done) struct stow_advisor a;
    struct stow_view input = stow_conf_get(c, "input");
    struct stow_view scorer = stow_view_get(input, "scoring_strategy");
    struct stow_advisor_rules rules = {.rules = STOW_NRU_MAIN};

    stow_advisor_init(&a, c, err);
    if (!stow_nru_scorer_find(stow_conf_text(c, scorer), &rules.scorer))
        return stow_fail(err, STOW_EPARSE, "there is no scorer %.*s",
                         STOW_FMT(stow_view_raw(scorer)));
    STOW_TRY(stow_advisor_read_request(&a, input));
    for (struct stow_view_walk walk = stow_view_walk(stow_conf_get(c, "expected"));
         stow_view_next(&walk);) {
        if (!stow_nru_rules_find(stow_conf_text(c, walk.key), &rules.rules))
            return stow_fail(err, STOW_EPARSE, "no rule set %.*s",
                             STOW_FMT(stow_view_raw(walk.key)));
        STOW_TRY(compare_rule_set(&a, &rules, stow_view_get(walk.value, "one_of")));
    }
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_nru_plan[] = {
    {.group = "doc-scenario", .family = "scaling-advisor", .run = run_scenario},
    {.group = "derived", .family = "scaling-advisor", .run = run_scenario},
    {.group = "plan-with-limits", .family = "scaling-advisor", .run = run_limits},
    {.group = "plan", .family = "scaling-advisor", .run = run_plan},
    {.group = "plan/random", .family = "scaling-advisor", .run = run_random},
    {0},
};
