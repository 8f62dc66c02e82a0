/* judged.c - a pod judged for an explanation: candidates ranked, dropped nodes grouped.
 *
 * A cluster of 5,000 nodes drops nodes by the thousand, for a handful of reasons.
 * So every node is asked for its reasons, equal ones are put together, and within a
 * group the node that is nearest to fitting comes first: that is the one a person
 * can do something about. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "explain/placement/placement_internal.h"

const char *stow_drop_filter(const struct stow_profile *profile, int32_t filter)
{
    if (filter == STOW_NOT_TRIED)
        return "nominated";
    return filter < 0 ? "node-affinity" : profile->filter[filter].rule->name;
}

const char *stow_not_tried(const struct stow_decision *decision)
{
    if (decision->outcome == STOW_GATED)
        return "has scheduling gates";
    if (decision->outcome == STOW_NO_PROFILE)
        return "no profile is for its schedulerName";
    return NULL;
}

const char *stow_points_text(double points, char text[STOW_POINTS_TEXT])
{
    double size = fabs(points);
    size_t len;

    snprintf(text, STOW_POINTS_TEXT, "%.*f", size >= 0.1 ? 4 : size >= 0.0001 ? 6 : 9, points);
    len = strlen(text);
    while (text[len - 1] == '0')
        text[--len] = '\0';
    if (text[len - 1] == '.')
        text[--len] = '\0';
    return strcmp(text, "-0") == 0 ? "0" : text;
}

void stow_points_cell(struct stow_table *table, double points)
{
    char shown[STOW_POINTS_TEXT], exact[STOW_POINTS_TEXT];

    snprintf(exact, sizeof(exact), "%.9f", points);
    stow_table_both(table, stow_points_text(points, shown), exact);
}

void stow_why_done(struct stow_why *why)
{
    free(why->candidate);
    free(why->dropped);
    free(why->group);
    stow_judgement_done(&why->judgement);
}

/* ---- reasons, grouped -------------------------------------------------------------------- */

static int find_group(struct stow_why *why, const char *text, int32_t filter, uint32_t *ret)
{
    for (*ret = 0; *ret < why->groups; ++*ret)
        if (why->group[*ret].filter == filter && strcmp(why->group[*ret].text, text) == 0)
            return STOW_OK;

    struct stow_drop_group *made = STOW_PUSH(&why->group, &why->groups, &why->group_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_drop_group){.text = text, .filter = filter};
    return STOW_OK;
}

static int add_dropped(struct stow_why *why, stow_node_id node, const struct stow_reason *reason)
{
    uint32_t group;

    STOW_TRY(find_group(why, reason->text, why->judgement.node[node].filter, &group));

    struct stow_dropped *made = STOW_PUSH(&why->dropped, &why->dropped_count, &why->dropped_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_dropped){node, group, *reason};
    why->group[group].nodes++;
    return STOW_OK;
}

static int add_node(struct stow_why *why, stow_node_id node)
{
    static const struct stow_reason outside = {.text = "node(s) didn't match the pod's node names",
                                               .resource = STOW_NONE};
    struct stow_judgement *j = &why->judgement;
    struct stow_reasons reasons;

    stow_judge_explain(why->state, why->profile, &why->pod, j, node, &j->arena, &reasons);
    if (j->arena.failed)
        return STOW_ENOMEM;
    if (reasons.count == 0)
        return add_dropped(why, node, &outside);
    for (uint32_t i = 0; i < reasons.count; i++)
        STOW_TRY(add_dropped(why, node, &reasons.reason[i]));
    return STOW_OK;
}

static int compare_dropped(const void *a, const void *b)
{
    const struct stow_dropped *x = a, *y = b;

    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->reason.resource != STOW_NONE && x->reason.free != y->reason.free)
        return x->reason.free > y->reason.free ? -1 : 1;
    if (x->reason.detail && y->reason.detail && strcmp(x->reason.detail, y->reason.detail) != 0)
        return strcmp(x->reason.detail, y->reason.detail);
    return (x->node > y->node) - (x->node < y->node); /* ids are in order of names */
}

static int compare_groups(const void *a, const void *b)
{
    const struct stow_drop_group *x = a, *y = b;

    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return strcmp(x->text, y->text);
}

static int group_dropped(struct stow_why *why)
{
    uint32_t first = 0;

    for (stow_node_id i = 0; i < why->judgement.nodes; i++)
        if (!why->judgement.node[i].feasible)
            STOW_TRY(add_node(why, i));
    if (why->groups == 0)
        return STOW_OK;
    qsort(why->dropped, why->dropped_count, sizeof(*why->dropped), compare_dropped);
    for (uint32_t i = 0; i < why->groups; i++) {
        why->group[i].dropped = why->dropped + first;
        first += why->group[i].nodes;
    }
    qsort(why->group, why->groups, sizeof(*why->group), compare_groups);
    return STOW_OK;
}

/* ---- candidates, ranked ------------------------------------------------------------------ */

struct ranking {
    const struct stow_node_verdict *node;
    const uint32_t *turn; /* per node: its place in the order of the tie-break */
};

static int compare_candidates(const void *a, const void *b, void *ctx)
{
    const struct ranking *r = ctx;
    stow_node_id x = *(const stow_node_id *)a, y = *(const stow_node_id *)b;

    if (r->node[x].key != r->node[y].key)
        return r->node[x].key > r->node[y].key ? -1 : 1;
    return r->turn[x] < r->turn[y] ? -1 : r->turn[x] > r->turn[y];
}

static int rank(struct stow_why *why)
{
    struct stow_judgement *j = &why->judgement;
    uint32_t *turn = stow_arena_alloc(&j->arena, (j->nodes + 1) * sizeof(*turn));
    struct ranking ranking = {j->node, turn};

    why->candidate = calloc(j->nodes + 1, sizeof(*why->candidate));
    if (!turn || !why->candidate)
        return STOW_ENOMEM;
    stow_tie_order(why->state, why->profile, why->candidate);
    for (uint32_t i = 0; i < j->nodes; i++)
        turn[why->candidate[i]] = i;
    for (stow_node_id i = 0; i < j->nodes; i++)
        if (j->node[i].feasible)
            why->candidate[why->candidates++] = i;
    qsort_r(why->candidate, why->candidates, sizeof(*why->candidate), compare_candidates, &ranking);
    return STOW_OK;
}

int stow_why_make(const struct stow_state *state, const struct stow_decision *decision,
                  struct stow_why *ret, struct stow_err *err)
{
    *ret = (struct stow_why){.state = state,
                             .profile = decision->profile,
                             .pod = stow_subject_of(state->s, decision->pod)};
    STOW_TRY(stow_judge(state, decision->profile, &ret->pod, &ret->judgement, err));
    if (rank(ret) < 0 || group_dropped(ret) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}

/* ---- parts of a score -------------------------------------------------------------------- */

static void keep_part(void *ctx, const char *name, double value, double weight, const char *flag)
{
    struct stow_score_parts *to = ctx;

    if (strcmp(name, "mode") == 0)
        to->mode = flag;
    else if (to->count < STOW_SCORE_PARTS)
        to->part[to->count++] = (struct stow_score_part){name, flag, value, weight};
}

void stow_why_parts(const struct stow_why *why, uint32_t scorer, stow_node_id node,
                    struct stow_score_parts *ret)
{
    const struct stow_profile_scorer *f = &why->profile->scorer[scorer];

    ret->count = 0;
    ret->mode = NULL;
    if (f->rule->explain)
        f->rule->explain(f->self, why->judgement.scorer_prep[scorer], why->state, &why->pod, node,
                         keep_part, ret);
}
