/* judge.c - one pod against every node, in full.
 *
 * The order is kube-scheduler's: every filter is prepared, then every node is
 * asked filter by filter until one drops it; the nodes that are left are scored by
 * each scorer over all of them, normalised, weighted and added up.  Totals are compared as whole
 * numbers of 10^-9, ties in the order of the profile's tie-break. */
#include "place/judge.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* What one judgement works with. */
struct court {
    const struct stow_state *state;
    const struct stow_profile *profile;
    const struct stow_subject *pod;
    struct stow_judgement *ret;
    stow_node_id *list; /* the nodes still in */
    uint32_t count;
    uint8_t *fits;
    double *column;
};

static void *zeroed(struct court *j, size_t count, size_t size)
{
    return stow_arena_zalloc(&j->ret->arena, (count + 1) * size);
}

static bool allocate(struct court *j)
{
    struct stow_judgement *r = j->ret;
    size_t nodes = j->state->nodes, scorers = j->profile->scorers;

    r->nodes = j->state->nodes;
    r->scorers = j->profile->scorers;
    r->never = -1;
    r->best = r->runner_up = STOW_NONE;
    r->node = zeroed(j, nodes, sizeof(*r->node));
    r->score = zeroed(j, nodes * scorers, sizeof(*r->score));
    r->raw = zeroed(j, nodes * scorers, sizeof(*r->raw));
    r->skipped = zeroed(j, scorers, sizeof(*r->skipped));
    r->filter_prep = zeroed(j, j->profile->filters, sizeof(*r->filter_prep));
    r->scorer_prep = zeroed(j, scorers, sizeof(*r->scorer_prep));
    j->list = zeroed(j, nodes, sizeof(*j->list));
    j->fits = zeroed(j, nodes, sizeof(*j->fits));
    j->column = zeroed(j, nodes, sizeof(*j->column));
    return r->node && r->score && r->raw && r->skipped && r->filter_prep && r->scorer_prep &&
           j->list && j->fits && j->column;
}

/* ---- filters ----------------------------------------------------------------------------- */

/* Takes the nodes that the filter dropped off the list. */
static void drop(struct court *j, int32_t filter)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < j->count; i++) {
        if (j->fits[i])
            j->list[kept++] = j->list[i];
        else
            j->ret->node[j->list[i]].filter = filter;
    }
    j->count = kept;
}

static int prepare_filters(struct court *j)
{
    for (uint32_t i = 0; i < j->profile->filters; i++) {
        const void **prep = &j->ret->filter_prep[i];
        int prepared =
            stow_prepare_filter(&j->profile->filter[i], j->state, j->pod, &j->ret->arena, prep);

        if (prepared < 0)
            return prepared;
        if (prepared == STOW_PREPARED_SKIP)
            *prep = NULL;
        if (prepared == STOW_PREPARED_NEVER && j->ret->never < 0)
            j->ret->never = (int32_t)i;
    }
    return STOW_OK;
}

/* A filter may name the only nodes that are asked at all. */
static void keep_pinned(struct court *j)
{
    for (uint32_t i = 0; i < j->profile->filters; i++) {
        const struct stow_filter_rule *rule = j->profile->filter[i].rule;
        uint32_t count = 0, at = 0;
        const stow_node_id *pinned = rule->pins && j->ret->filter_prep[i]
                                         ? rule->pins(j->ret->filter_prep[i], &count)
                                         : NULL;

        if (!pinned)
            continue;
        for (uint32_t n = 0; n < j->count; n++) { /* both ascend */
            while (at < count && pinned[at] < j->list[n])
                at++;
            j->fits[n] = at < count && pinned[at] == j->list[n];
        }
        drop(j, STOW_OUTSIDE);
    }
}

static void run_filters(struct court *j)
{
    for (uint32_t i = 0; i < j->profile->filters && j->count > 0; i++) {
        const struct stow_profile_filter *f = &j->profile->filter[i];

        if (!j->ret->filter_prep[i])
            continue;
        memset(j->fits, 1, j->count);
        f->rule->check(f->self, j->ret->filter_prep[i], j->state, j->pod, j->list, j->count,
                       j->fits);
        drop(j, (int32_t)i);
    }
}

/* A pod that others were evicted for goes where they were, if it fits; no other node is tried. */
static void keep_nominated(struct court *j)
{
    const struct stow_snapshot *s = j->state->s;
    const struct stow_str name = stow_text(s, j->pod->pod->nominated);
    bool passed = false;

    for (uint32_t i = 0; i < j->count; i++) {
        j->fits[i] = stow_str_is(name, s->node[j->list[i]].name);
        passed |= j->fits[i];
    }
    if (passed)
        drop(j, STOW_NOT_TRIED);
}

/* ---- scorers ----------------------------------------------------------------------------- */

static void run_scorer(struct court *j, uint32_t i)
{
    const struct stow_profile_scorer *f = &j->profile->scorer[i];
    const void *prep = j->ret->scorer_prep[i];
    double *raw = j->ret->raw + (size_t)i * j->ret->nodes;
    double *score = j->ret->score + (size_t)i * j->ret->nodes;

    f->rule->score(f->self, prep, j->state, j->pod, j->list, j->count, j->column);
    for (uint32_t n = 0; n < j->count; n++)
        raw[j->list[n]] = j->column[n];
    if (f->rule->normalise)
        f->rule->normalise(f->self, prep, j->state, j->pod, j->list, j->count, j->column);
    for (uint32_t n = 0; n < j->count; n++) {
        score[j->list[n]] = j->column[n];
        j->ret->node[j->list[n]].total += f->weight * j->column[n];
    }
}

static int prepare_scorer(struct court *j, uint32_t i)
{
    int prepared = stow_prepare_scorer(&j->profile->scorer[i], j->state, j->pod, &j->ret->arena,
                                       &j->ret->scorer_prep[i]);

    j->ret->skipped[i] = prepared == STOW_PREPARED_SKIP;
    return prepared < 0 ? prepared : STOW_OK;
}

/* Scorers are added up in three groups: those that never change for a node, those that change with
 * the node, those that look at all candidates.  The engine keeps the first two between decisions;
 * adding in another order could round another way. */
static int group_of(const struct stow_scorer_rule *rule)
{
    if (rule->normalise || rule->scope == STOW_SCOPE_CLUSTER)
        return 2;
    return rule->scope == STOW_SCOPE_LOCAL ? 1 : 0;
}

static int run_scorers(struct court *j)
{
    for (uint32_t i = 0; i < j->profile->scorers; i++)
        STOW_TRY(prepare_scorer(j, i));
    for (int group = 0; group < 3 && j->count > 0; group++)
        for (uint32_t i = 0; i < j->profile->scorers; i++)
            if (!j->ret->skipped[i] && group_of(j->profile->scorer[i].rule) == group)
                run_scorer(j, i);
    return STOW_OK;
}

/* ---- ties -------------------------------------------------------------------------------- */

struct tie_key {
    const struct stow_state *state;
    const struct stow_profile *profile;
};

/* Unknown after known. */
static int compare_known(int64_t a, bool a_known, int64_t b, bool b_known)
{
    if (a_known != b_known)
        return a_known ? -1 : 1;
    return a_known ? (a > b) - (a < b) : 0;
}

static int compare_by(const struct tie_key *key, enum stow_tie tie, stow_node_id a, stow_node_id b)
{
    const struct stow_node_money *money = key->state->money;
    const struct stow_node *node = key->state->s->node;

    switch (tie) {
    case STOW_TIE_PRICE:
        return money ? compare_known(money[a].price, money[a].price != STOW_MONEY_UNKNOWN,
                                     money[b].price, money[b].price != STOW_MONEY_UNKNOWN)
                     : 0;
    case STOW_TIE_RATE:
        return money ? compare_known(money[a].rate, money[a].rate >= 0, money[b].rate,
                                     money[b].rate >= 0)
                     : 0;
    case STOW_TIE_INPUT_ORDER:
        return (node[a].sequence > node[b].sequence) - (node[a].sequence < node[b].sequence);
    case STOW_TIE_NAME:
        break;
    }
    return (a > b) - (a < b); /* ids are in order of names */
}

static int compare_ties(const void *a, const void *b, void *ctx)
{
    const struct tie_key *key = ctx;
    stow_node_id x = *(const stow_node_id *)a, y = *(const stow_node_id *)b;

    for (uint32_t i = 0; i < key->profile->ties; i++) {
        int order = compare_by(key, key->profile->tie[i], x, y);

        if (order)
            return order;
    }
    return (x > y) - (x < y);
}

void stow_tie_order(const struct stow_state *state, const struct stow_profile *profile,
                    stow_node_id *ret)
{
    struct tie_key key = {state, profile};

    for (stow_node_id i = 0; i < state->nodes; i++)
        ret[i] = i;
    qsort_r(ret, state->nodes, sizeof(*ret), compare_ties, &key);
}

/* Goes through the nodes in the order of the tie-break: the first of the best wins. */
static void choose(struct court *j)
{
    struct stow_judgement *r = j->ret;

    stow_tie_order(j->state, j->profile, j->list);
    for (uint32_t i = 0; i < r->nodes; i++) {
        const struct stow_node_verdict *v = &r->node[j->list[i]];

        if (!v->feasible)
            continue;
        if (r->best == STOW_NONE || v->key > r->node[r->best].key) {
            r->runner_up = r->best;
            r->best = j->list[i];
        } else if (r->runner_up == STOW_NONE || v->key > r->node[r->runner_up].key) {
            r->runner_up = j->list[i];
        }
    }
}

static int judge(struct court *j)
{
    if (!allocate(j))
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < j->ret->nodes; i++) {
        j->ret->node[i].filter = -1;
        j->list[i] = i;
    }
    j->count = j->ret->nodes;
    STOW_TRY(prepare_filters(j));
    if (j->ret->never >= 0) {
        memset(j->fits, 0, j->count);
        drop(j, j->ret->never);
    }
    keep_pinned(j);
    run_filters(j);
    if (j->pod->pod->nominated)
        keep_nominated(j);
    STOW_TRY(run_scorers(j));
    for (uint32_t i = 0; i < j->count; i++) {
        struct stow_node_verdict *v = &j->ret->node[j->list[i]];

        v->feasible = true;
        v->key = stow_total_key(v->total);
    }
    choose(j);
    return STOW_OK;
}

int stow_judge(const struct stow_state *state, const struct stow_profile *profile,
               const struct stow_subject *pod, struct stow_judgement *ret, struct stow_err *err)
{
    struct court j = {.state = state, .profile = profile, .pod = pod, .ret = ret};

    int code;

    memset(ret, 0, sizeof(*ret));
    code = judge(&j) < 0 ? stow_fail_memory(err) : stow_profile_fault(profile, err);
    if (code < 0)
        stow_judgement_done(ret);
    return code;
}

void stow_judgement_done(struct stow_judgement *judgement)
{
    stow_arena_done(&judgement->arena);
    memset(judgement, 0, sizeof(*judgement));
}

void stow_judge_explain(const struct stow_state *state, const struct stow_profile *profile,
                        const struct stow_subject *pod, const struct stow_judgement *judgement,
                        stow_node_id node, struct stow_arena *arena, struct stow_reasons *ret)
{
    int32_t filter = judgement->node[node].filter;

    memset(ret, 0, sizeof(*ret));
    ret->arena = arena;
    if (filter == STOW_OUTSIDE) {
        ret->verdict = STOW_UNRESOLVABLE;
        return;
    }
    if (filter == STOW_NOT_TRIED) {
        ret->verdict = STOW_UNSCHEDULABLE;
        stow_reason_add(ret, STOW_REASON_NOMINATED, NULL);
    }
    if (filter < 0)
        return;

    const struct stow_profile_filter *f = &profile->filter[filter];

    ret->verdict = STOW_UNSCHEDULABLE;
    f->rule->explain(f->self, judgement->filter_prep[filter], state, pod, node, ret);
}
