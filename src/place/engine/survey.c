/* survey.c - decisions that need a look at pods on other nodes, about all of them.
 *
 * The way for what a sample cannot tell (sample.c).
 *
 * Rules over several nodes (spreading, affinity between pods) are prepared for the
 * decision, asked about all candidates that the other filters left, and scored
 * over those that remain; scorers that are normalised over the candidates join
 * in, because the candidates are others than the board's.  Everything is a few
 * passes over the nodes. */
#include <math.h>
#include <string.h>

#include "base/kernel.h"
#include "place/engine/engine_internal.h"
#include "place/judge.h"

/* ---- preparing --------------------------------------------------------------------------- */

static int prepare_filters(struct stow_engine *e, struct stow_class *c, bool *active)
{
    for (uint32_t i = 0; i < c->profile->filters; i++) {
        const struct stow_profile_filter *f = &c->profile->filter[i];
        int prepared;

        if (f->rule->scope != STOW_SCOPE_CLUSTER)
            continue;
        prepared = stow_prepare_filter(f, e->state, &c->pod, &e->scratch, &c->filter_prep[i]);
        if (prepared < 0)
            return prepared;
        if (prepared == STOW_PREPARED_SKIP)
            c->filter_prep[i] = NULL;
        c->refused |= prepared == STOW_PREPARED_NEVER;
        *active |= prepared != STOW_PREPARED_SKIP;
    }
    return STOW_OK;
}

static int prepare_scorers(struct stow_engine *e, struct stow_class *c, bool *active)
{
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        const struct stow_profile_scorer *f = &c->profile->scorer[i];

        if (f->rule->scope == STOW_SCOPE_CLUSTER) {
            int prepared =
                stow_prepare_scorer(f, e->state, &c->pod, &e->scratch, &c->scorer_prep[i]);

            if (prepared < 0)
                return prepared;
            c->skipped[i] = prepared == STOW_PREPARED_SKIP;
        }
        *active |= stow_is_surveyed(f->rule) && !c->skipped[i];
    }
    return STOW_OK;
}

int stow_survey_prepare(struct stow_engine *e, struct stow_class *c)
{
    c->surveyed = c->refused = false;
    if (!c->has_cluster || c->quiet_epoch == e->state->epoch)
        return STOW_OK;
    stow_arena_reset(&e->scratch);
    STOW_TRY(prepare_filters(e, c, &c->surveyed));
    STOW_TRY(prepare_scorers(e, c, &c->surveyed));
    c->quiet_epoch = c->surveyed ? 0 : e->state->epoch;
    return STOW_OK;
}

/* ---- candidates -------------------------------------------------------------------------- */

/* The candidates that rules over several nodes leave: the class's own list when that is all. */
static const stow_node_id *filter_candidates(struct stow_engine *e, const struct stow_class *c,
                                             uint32_t *ret_count)
{
    uint32_t kept = 0;

    memset(e->fits, !c->refused, c->candidates);
    stow_class_ask_filters(e, c, STOW_SCOPE_CLUSTER, c->candidate, c->candidates);
    *ret_count = c->candidates;
    if (!memchr(e->fits, 0, c->candidates))
        return c->candidate;
    for (uint32_t i = 0; i < c->candidates; i++) {
        e->list[kept] = c->candidate[i];
        kept += e->fits[i];
    }
    *ret_count = kept;
    return e->list;
}

/* ---- scores ------------------------------------------------------------------------------ */

static const struct stow_graded *graded_of(const struct stow_class *c, uint32_t scorer)
{
    for (uint32_t i = 0; i < c->gradeds; i++)
        if (c->graded[i].scorer == scorer)
            return &c->graded[i];
    return NULL;
}

/* column[] = the normalised scores of one scorer over the candidates. */
static void score(struct stow_engine *e, struct stow_class *c, uint32_t scorer,
                  const stow_node_id *nodes, uint32_t count)
{
    const struct stow_profile_scorer *f = &c->profile->scorer[scorer];
    const struct stow_graded *g = graded_of(c, scorer);

    if (g && g->grade)
        for (uint32_t i = 0; i < count; i++)
            e->column[i] = g->raw[g->grade[nodes[i]]];
    else
        f->rule->score(f->self, c->scorer_prep[scorer], e->state, &c->pod, nodes, count, e->column);
    if (f->rule->normalise)
        f->rule->normalise(f->self, c->scorer_prep[scorer], e->state, &c->pod, nodes, count,
                           e->column);
}

static void add_scores(struct stow_engine *e, struct stow_class *c, const stow_node_id *nodes,
                       uint32_t count)
{
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        const struct stow_profile_scorer *f = &c->profile->scorer[i];
        const struct stow_graded *g = graded_of(c, i);
        double weight = f->weight;

        if ((!stow_is_surveyed(f->rule) && !g) || c->skipped[i])
            continue;
        if (g && !g->grade) {
            for (uint32_t n = 0; n < count; n++)
                e->sum[n] += weight * g->value[0];
            continue;
        }
        score(e, c, i, nodes, count);
        for (uint32_t n = 0; n < count; n++)
            e->sum[n] += weight * e->column[n];
    }
}

STOW_KERNEL static double largest(const double *sum, uint32_t count)
{
    double top = -INFINITY;

    for (uint32_t i = 0; i < count; i++)
        top = sum[i] > top ? sum[i] : top;
    return top;
}

/* Keys are rounded totals, so the largest total has the largest key; others with the same key are
 * less than its rounding away. */
static void choose(const struct stow_engine *e, const struct stow_class *c,
                   const stow_node_id *nodes, uint32_t count, struct stow_choice *ret)
{
    const uint32_t *tie_of = c->ranking->tie_of;
    double top = largest(e->sum, count), close = top - 2e-9;
    int64_t key = stow_class_key(c, top);

    for (uint32_t i = 0; i < count; i++) {
        if (e->sum[i] < close || stow_class_key(c, e->sum[i]) != key)
            continue;
        if (ret->node == STOW_NONE || tie_of[nodes[i]] < tie_of[ret->node]) {
            ret->node = nodes[i];
            ret->total = e->sum[i];
        }
    }
}

void stow_survey(struct stow_engine *e, struct stow_class *c, struct stow_choice *ret)
{
    uint32_t count;
    const stow_node_id *nodes = filter_candidates(e, c, &count);

    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        e->sum[i] = c->own[nodes[i]];
    add_scores(e, c, nodes, count);
    choose(e, c, nodes, count, ret);
}

double stow_survey_component(struct stow_engine *e, struct stow_class *c, uint32_t scorer,
                             stow_node_id node)
{
    uint32_t count;
    const stow_node_id *nodes = filter_candidates(e, c, &count);

    score(e, c, scorer, nodes, count);
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i] == node)
            return e->column[i];
    return 0;
}
