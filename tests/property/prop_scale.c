/* prop_scale.c - scaling: the reference and the product decide alike, and every plan holds.
 *
 * Random clusters are scaled by the product, and by a program that is slow and obvious
 * (scale_reference.h): what each group offers, whom each rule keeps, which group is
 * chosen and how much it and those like it grow must be the same.  The plans of all
 * strategies are carried out and every pod asked whether it may be where it is; and the
 * order of the documents must change no byte of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/snapshot.h>

#include "explain/render/render.h"
#include "explain/scaling/scaling.h"
#include "scale/scale.h"
#include "tests/property/scale_reference.h"

/* One cluster. */
struct play {
    struct scale_case input;
    struct sref *r;
    bool plain; /* no rules over several nodes */
    struct stow_snapshot *s;
    struct stow_books books;
    struct stow_quota quota[SCALE_QUOTAS];
    stow_sym ignored[2]; /* labels that similar groups need not share */
    struct stow_scale_options options;
    struct stow_scale *scale;
};

static void play_done(struct play *p)
{
    stow_scale_free(p->scale);
    stow_books_done(&p->books);
    stow_snapshot_unref(p->s);
    if (p->r)
        sref_done(p->r);
    free(p->r);
    scale_random_done(&p->input);
}

/* What there is already counts. */
static void set_quotas(struct play *p)
{
    static const char *const names[] = {"cpu", "memory", "nodes", "nvidia.com/gpu"};

    for (uint32_t q = 0; q < p->input.quotas; q++) {
        const char *name = names[p->input.quota[q]];
        const stow_sym sym = stow_intern_find(&p->s->text, stow_str_of(name));
        int64_t used = 0;

        if (p->input.quota[q] != QUOTA_NODES && sym == STOW_INTERN_FAILED)
            continue;
        for (uint32_t i = 0; i < p->r->bare.view.nodes; i++)
            used += sref_counts_for(p->r, &p->r->bare.node[i], p->input.quota[q]);
        p->quota[p->options.quotas++] =
            (struct stow_quota){p->input.quota[q] == QUOTA_NODES ? STOW_NONE : sym,
                                stow_str_of(name), used + p->input.extra[q]};
    }
    p->options.quota = p->quota;
}

static void set_options(struct play *p)
{
    p->options.explain = true;
    p->options.max_nodes_total = p->input.max_nodes_total;
    p->options.max_nodes_per_scaleup = p->input.per_scaleup;
    p->options.balance_similar = p->input.balance;
    p->options.all_or_nothing = p->input.all_or_nothing;
    p->options.strict_upstream = p->input.strict;
    p->ignored[0] = stow_intern_find(&p->s->text, STOW_STR("pool"));
    p->ignored[1] = stow_intern_find(&p->s->text, STOW_STR("group"));
    p->options.similar = (struct stow_similar_options){.ignored = p->ignored, .ignored_count = 2};
    set_quotas(p);
}

static bool prepare(struct play *p)
{
    static const struct stow_bill_options bill;
    const struct stow_scale_input input = {.s = p->s, .books = &p->books, .bill = &bill};
    struct stow_err err;

    if (stow_scale_new(&input, &p->options, &p->scale, &err) < 0)
        return property_fails("%s", err.msg);
    return true;
}

/* `shuffled`: the documents in another order. */
static bool play_open(struct play *p, uint64_t seed, struct scale_wishes wishes,
                      struct chance *shuffled)
{
    memset(p, 0, sizeof(*p));
    p->plain = wishes.plain;
    stow_books_init(&p->books);
    scale_random_make(&p->input, seed, wishes);
    p->r = malloc(sizeof(*p->r));
    if (!p->r)
        abort();
    if (!sref_open(p->r, &p->input))
        return false;
    p->s = scale_random_load(&p->input, shuffled);
    if (!p->s)
        return false;
    set_options(p);
    return prepare(p);
}

static bool plan_of(struct play *p, const char *strategy, struct stow_plan *ret)
{
    struct stow_strategy parsed;
    struct stow_err err;

    if (stow_strategy_parse(strategy, &parsed, &err) < 0 ||
        stow_scale_plan(p->scale, &parsed, NULL, ret, &err) < 0)
        return property_fails("%s: %s", strategy, err.msg);
    return true;
}

/* ---- options ----------------------------------------------------------------------------- */

static const struct sref_option *option_of(const struct play *p, const char *group)
{
    for (uint32_t i = 0; i < p->r->options; i++)
        if (strcmp(p->input.group[p->r->option[i].group].name, group) == 0)
            return &p->r->option[i];
    return NULL;
}

static bool same_taken(const struct play *p, const struct sref_option *want,
                       const struct stow_round_option *got)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i < p->r->runs; i++) {
        if (!want->taken[i])
            continue;
        if (at == got->takens || got->taken[at].count != want->taken[i] ||
            got->taken[at].pod != p->r->pending[p->r->run[i].pod[0]])
            return property_fails("group %s takes %u like pod %s, not %u",
                                  p->s->group[got->group].name, want->taken[i],
                                  p->r->s->pod[p->r->pending[p->r->run[i].pod[0]]].name,
                                  at < got->takens ? got->taken[at].count : 0);
        at++;
    }
    return at == got->takens || property_fails("group %s takes pods of %u more kinds",
                                               p->s->group[got->group].name, got->takens - at);
}

static bool same_options(const struct play *p, const struct stow_round *round)
{
    for (uint32_t i = 0; i < round->options; i++) {
        const struct stow_round_option *got = &round->option[i];
        const char *name = p->s->group[got->group].name;
        const struct sref_option *want = option_of(p, name);

        if ((want ? want->nodes : 0) != got->nodes || (want ? want->pods : 0) != got->pods)
            return property_fails("group %s: %u nodes for %u pods (%s), expected %u for %u", name,
                                  got->nodes, got->pods, got->why ? got->why : "",
                                  want ? want->nodes : 0, want ? want->pods : 0);
        if (want && !same_taken(p, want, got))
            return false;
    }
    return round->options == p->input.groups || property_fails("%u options", round->options);
}

/* ---- decisions --------------------------------------------------------------------------- */

static bool same_kept(const struct play *p, const struct stow_round *round, uint32_t step,
                      const struct sref_decision *want)
{
    const struct stow_chain_step *got = &round->chain.step[step];
    bool kept[SCALE_GROUPS] = {false};

    for (uint32_t i = 0; i < got->kept_count; i++)
        for (uint32_t g = 0; g < p->input.groups; g++)
            kept[g] |= stow_str_is(round->candidate[got->kept[i]].group, p->input.group[g].name);
    for (uint32_t g = 0; g < p->input.groups; g++)
        if (kept[g] != want->kept[step][g])
            return property_fails("%s %s group %s", got->ranker->name, kept[g] ? "keeps" : "drops",
                                  p->input.group[g].name);
    return true;
}

/* The last value of a mark is its score. */
static bool same_scores(const struct play *p, const struct stow_round *round, bool price,
                        const struct sref_decision *want)
{
    for (uint32_t i = 0; i < round->candidates; i++)
        for (uint32_t g = 0; g < p->input.groups; g++) {
            const struct stow_rank_mark *mark = &round->chain.step[0].mark[i];
            const double got = mark->value[price ? 5 : 2];

            if (stow_str_is(round->candidate[i].group, p->input.group[g].name) && !mark->skipped &&
                !(fabs(got - want->score[g]) <= 1e-12 * fmax(1, fabs(want->score[g]))))
                return property_fails("group %s scores %.17g, expected %.17g",
                                      p->input.group[g].name, got, want->score[g]);
        }
    return true;
}

static uint32_t increase_of(const struct play *p, const struct stow_plan *plan, uint32_t group)
{
    for (uint32_t i = 0; i < plan->groups; i++)
        if (strcmp(p->s->group[plan->group[i].group].name, p->input.group[group].name) == 0)
            return plan->group[i].to - plan->group[i].from;
    return 0;
}

/* All or nothing: the pods did not all find their place after all (an estimate adds nodes one by
 * one, and similar groups may have a little less room), or only on nodes of the one group. */
static bool was_changed(const struct play *p, const struct stow_plan *plan,
                        const struct sref_decision *want)
{
    if (!p->input.all_or_nothing || want->chosen == SCALE_NONE)
        return false;
    return plan->nodes == 0
               ? !p->plain || p->input.balance
               : p->input.balance && increase_of(p, plan, want->chosen) == plan->nodes &&
                     plan->nodes == option_of(p, p->input.group[want->chosen].name)->nodes;
}

static bool same_increases(const struct play *p, const struct stow_plan *plan,
                           const struct sref_decision *want)
{
    for (uint32_t g = 0; g < p->input.groups; g++)
        if (increase_of(p, plan, g) != want->increase[g] && !was_changed(p, plan, want))
            return property_fails("group %s gets %u nodes, expected %u", p->input.group[g].name,
                                  increase_of(p, plan, g), want->increase[g]);
    return true;
}

/* ---- pods -------------------------------------------------------------------------------- */

/* Without rules over several nodes, all pods of an option find their place when all its nodes are
 * bought from one group. */
static bool all_settle(const struct play *p, const struct stow_plan *plan,
                       const struct sref_decision *want)
{
    const struct sref_option *option =
        want->chosen == SCALE_NONE ? NULL : option_of(p, p->input.group[want->chosen].name);
    uint32_t pods = 0;

    for (uint32_t i = 0; i < plan->nodes; i++)
        pods += plan->node[i].pods.count;
    if (!p->plain || !option || want->increase[want->chosen] != option->nodes || !plan->nodes)
        return true;
    return pods == option->pods || property_fails("%u pods settle of %u", pods, option->pods);
}

static uint32_t run_of(const struct play *p, stow_pod_id pod)
{
    for (uint32_t i = 0; i < p->r->runs; i++)
        for (uint32_t n = 0; n < p->r->run[i].pods; n++)
            if (p->r->pending[p->r->run[i].pod[n]] == pod)
                return i;
    return SCALE_NONE;
}

/* A pod awaits the next round when some group that may grow could take it. */
static bool same_prospects(const struct play *p, const struct stow_plan *plan,
                           const struct sref_decision *want)
{
    for (uint32_t i = 0; i < plan->unplaceds && !p->input.all_or_nothing; i++) {
        const struct stow_unplaced *left = &plan->unplaced[i];
        const uint32_t run = run_of(p, left->pod);
        bool could = false, choice = false;

        if (scale_pod_is_lost(left))
            continue; /* the rule had a place for it */
        for (uint32_t g = 0; g < p->input.groups && run != SCALE_NONE; g++) {
            could |= sref_may_grow(p->r, g) && p->r->can[g][run];
            choice |= g == want->chosen && p->r->can[g][run];
        }
        if (left->awaits != could || left->choice_fits != choice)
            return property_fails("pod %s awaits: %d, the chosen group could: %d",
                                  p->s->pod[left->pod].name, left->awaits, left->choice_fits);
    }
    return true;
}

/* ---- chains ------------------------------------------------------------------------------ */

struct chain {
    const char *text;
    enum sref_rule rule[3];
    uint32_t rules;
};

static const struct chain chains[] = {
    {"price", {SREF_PRICE}, 1},
    {"least-waste", {SREF_LEAST_WASTE}, 1},
    {"most-pods", {SREF_MOST_PODS}, 1},
    {"least-nodes", {SREF_LEAST_NODES}, 1},
    {"most-pods,least-nodes,price", {SREF_MOST_PODS, SREF_LEAST_NODES, SREF_PRICE}, 3},
    {"least-nodes,least-waste", {SREF_LEAST_NODES, SREF_LEAST_WASTE}, 2},
};

#define CHAINS (sizeof(chains) / sizeof(chains[0]))

static bool same_decision(struct play *p, const struct chain *chain, const struct stow_plan *plan)
{
    struct sref_decision want;
    const struct stow_round *round = plan->round;

    if (!p->r->pendings)
        return plan->rounds == 0 || property_fails("nothing is pending, and something decided");
    if (plan->rounds != 1)
        return property_fails("%u rounds", plan->rounds);
    sref_decide(p->r, chain->rule, chain->rules, &want);
    if (!same_options(p, round))
        return false;
    if (p->r->options && round->chain.steps != want.steps)
        return property_fails("%u steps, expected %u", round->chain.steps, want.steps);
    for (uint32_t i = 0; i < round->chain.steps && p->r->options; i++)
        if (!same_kept(p, round, i, &want))
            return false;
    if (chain->rule[0] <= SREF_LEAST_WASTE && p->r->options &&
        !same_scores(p, round, chain->rule[0] == SREF_PRICE, &want))
        return false;
    return same_increases(p, plan, &want) && all_settle(p, plan, &want) &&
           same_prospects(p, plan, &want);
}

/* ---- properties -------------------------------------------------------------------------- */

static bool reference_decides_alike(uint64_t seed)
{
    struct chance c = {seed + 41};
    struct play p;
    bool good = play_open(&p, seed, scale_random_wishes(&c), NULL);

    for (uint32_t i = 0; i < CHAINS && good && !p.r->too_large; i++) {
        struct stow_plan plan = {0};

        good = plan_of(&p, chains[i].text, &plan);
        if (!good)
            break;
        good = same_decision(&p, &chains[i], &plan) && scale_plan_holds(p.r, &plan, true);
        stow_plan_done(&plan);
        if (!good)
            property_fails("strategy %s", chains[i].text);
    }
    play_done(&p);
    return good;
}

static const char *const planners[] = {"greedy:price",  "greedy:least-waste",
                                       "greedy:random", "greedy:most-pods,least-nodes",
                                       "nru",           "karpenter"};

#define PLANNERS (sizeof(planners) / sizeof(planners[0]))

static bool plans_hold(uint64_t seed)
{
    struct chance c = {seed + 43};
    struct play p;
    bool good = play_open(&p, seed, scale_random_wishes(&c), NULL);

    for (uint32_t i = 0; i < PLANNERS && good && !p.r->too_large; i++) {
        struct stow_plan plan = {0};

        good = plan_of(&p, planners[i], &plan);
        if (!good)
            break;
        good = scale_plan_holds(p.r, &plan, false);
        stow_plan_done(&plan);
        if (!good)
            property_fails("strategy %s", planners[i]);
    }
    play_done(&p);
    return good;
}

/* The plans of all strategies as JSON. */
static bool write_plans(struct play *p, struct stow_buf *to)
{
    for (uint32_t i = 0; i < CHAINS + PLANNERS; i++) {
        struct stow_doc doc = {0};
        struct stow_plan plan = {0};

        if (!plan_of(p, i < CHAINS ? chains[i].text : planners[i - CHAINS], &plan))
            return false;
        plan.milliseconds = 0;
        stow_render_json(to, stow_scaling_value(&doc, &plan, true));
        stow_doc_done(&doc);
        stow_plan_done(&plan);
    }
    return true;
}

static bool same_texts(const struct stow_buf *a, const struct stow_buf *b)
{
    size_t at = 0;

    if (stow_str_eq(stow_buf_str(a), stow_buf_str(b)))
        return true;
    while (at < a->len && at < b->len && a->ptr[at] == b->ptr[at])
        at++;
    at = at > 200 ? at - 200 : 0;
    return property_fails("in order:\n%.400s\n# in another:\n%.400s", a->ptr + at, b->ptr + at);
}

static bool order_of_input_does_not_matter(uint64_t seed)
{
    struct stow_buf text[3] = {{0}, {0}, {0}}; /* as made, shuffled, as made */
    bool good = true;

    for (int i = 0; i < 3 && good; i++) {
        struct chance c = {seed + 47}, shuffled = {seed};
        struct play p;

        good = play_open(&p, seed, scale_random_wishes(&c), i == 1 ? &shuffled : NULL) &&
               write_plans(&p, &text[i]);
        play_done(&p);
    }
    good = good && same_texts(&text[0], &text[1]) && same_texts(&text[0], &text[2]);
    for (int i = 0; i < 3; i++)
        stow_buf_done(&text[i]);
    return good;
}

/* Daemon pods count as what their DaemonSets ask for, unless rules over several pods see them.  On
 * nodes that are there they would wait, so there are none. */
static bool daemon_sets_are_their_sum(uint64_t seed)
{
    struct stow_buf text[2] = {{0}, {0}}; /* with daemonOverhead, with DaemonSets */
    bool good = true;

    for (int i = 0; i < 2 && good; i++) {
        struct chance c = {seed + 53};
        struct scale_wishes wishes = scale_random_wishes(&c);
        struct play p;

        wishes.nodes = 0;
        wishes.own_label = wishes.tame = true;
        wishes.as_daemon_sets = i == 1;
        good = play_open(&p, seed, wishes, NULL) && write_plans(&p, &text[i]);
        play_done(&p);
    }
    good = good && same_texts(&text[0], &text[1]);
    for (int i = 0; i < 2; i++)
        stow_buf_done(&text[i]);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"reference-decides-alike", reference_decides_alike, 3000},
        {"plans-hold", plans_hold, 1500},
        {"daemon-sets-are-their-sum", daemon_sets_are_their_sum, 400},
        {"order-of-scaling-input-does-not-matter", order_of_input_does_not_matter, 400},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
