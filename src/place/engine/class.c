/* class.c - a class of pods that are alike, and what its nodes are worth.
 *
 * What rules of static scope say is worked out once.  What depends on a node's own
 * pods is kept in one of two views and asked again, for all nodes that changed
 * since the view was last looked at, in one call:
 *
 *   board  whole keys in the order of the tie-break, for decisions that need no
 *          look at other nodes, or at a sample of them (class_board.c).
 *   own    sums before normalised scorers, for surveys of all nodes.
 *
 * Filters of local scope only ever get stricter (pods are added, never removed),
 * so a node that has left a view stays out of it and is not asked again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "place/engine/engine_internal.h"
#include "place/judge.h"

/* ---- asking rules ------------------------------------------------------------------------ */

static int prepare_filter(struct stow_engine *e, struct stow_class *c, uint32_t i)
{
    int prepared = stow_prepare_filter(&c->profile->filter[i], e->state, &c->pod, &e->arena,
                                       &c->filter_prep[i]);

    if (prepared == STOW_PREPARED_NEVER)
        c->never = true;
    if (prepared == STOW_PREPARED_SKIP)
        c->filter_prep[i] = NULL;
    return prepared < 0 ? prepared : STOW_OK;
}

static int prepare_scorer(struct stow_engine *e, struct stow_class *c, uint32_t i)
{
    int prepared = stow_prepare_scorer(&c->profile->scorer[i], e->state, &c->pod, &e->arena,
                                       &c->scorer_prep[i]);

    c->skipped[i] = prepared == STOW_PREPARED_SKIP;
    return prepared < 0 ? prepared : STOW_OK;
}

static int prepare_rules(struct stow_engine *e, struct stow_class *c)
{
    for (uint32_t i = 0; i < c->profile->filters; i++) {
        if (c->profile->filter[i].rule->scope == STOW_SCOPE_CLUSTER)
            c->has_cluster = true;
        else
            STOW_TRY(prepare_filter(e, c, i));
    }
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        c->has_cluster |= stow_is_surveyed(c->profile->scorer[i].rule);
        if (c->profile->scorer[i].rule->scope == STOW_SCOPE_CLUSTER)
            c->skipped[i] = true;
        else
            STOW_TRY(prepare_scorer(e, c, i));
    }
    return STOW_OK;
}

void stow_class_ask_filters(struct stow_engine *e, const struct stow_class *c,
                            enum stow_scope scope, const stow_node_id *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < c->profile->filters; i++) {
        const struct stow_profile_filter *f = &c->profile->filter[i];

        if (f->rule->scope == scope && c->filter_prep[i])
            f->rule->check(f->self, c->filter_prep[i], e->state, &c->pod, nodes, count, e->fits);
    }
}

STOW_KERNEL static void add_weighted(double *restrict sum, const double *restrict column,
                                     double weight, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        sum[i] += weight * column[i];
}

/* sum[] += the scorers of one scope that are not normalised; true when there is any. */
static bool ask_scorers(struct stow_engine *e, const struct stow_class *c, enum stow_scope scope,
                        const stow_node_id *nodes, uint32_t count)
{
    bool any = false;

    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        const struct stow_profile_scorer *f = &c->profile->scorer[i];

        if (f->rule->scope != scope || f->rule->normalise || c->skipped[i])
            continue;
        any = true;
        f->rule->score(f->self, c->scorer_prep[i], e->state, &c->pod, nodes, count, e->column);
        add_weighted(e->sum, e->column, f->weight, count);
    }
    return any;
}

/* Local rules over nodes[], which are on the stage: fits[], and sum[] with the fixed part. */
void stow_class_ask_staged(struct stow_engine *e, const struct stow_class *c,
                           const stow_node_id *nodes, uint32_t count)
{
    memset(e->fits, 1, count);
    memset(e->sum, 0, count * sizeof(*e->sum));
    for (uint32_t i = 0; c->fixed && i < count; i++)
        e->sum[i] = c->fixed[nodes[i]];
    stow_class_ask_filters(e, c, STOW_SCOPE_LOCAL, nodes, count);
    ask_scorers(e, c, STOW_SCOPE_LOCAL, nodes, count);
    stow_stage_clear(e->state->stage);
}

/* The same over e->list. */
void stow_class_ask_local(struct stow_engine *e, const struct stow_class *c, uint32_t count)
{
    stow_stage_fill(e->state->stage, e->state->hot, e->list, count);
    stow_class_ask_staged(e, c, e->list, count);
}

/* The same over a stretch of the log, whose columns are there already. */
const stow_node_id *stow_class_ask_log(struct stow_engine *e, const struct stow_class *c,
                                       uint32_t at, uint32_t count)
{
    const stow_node_id *nodes = e->log + at;

    stow_stage_set(e->state->stage, nodes, count, stow_hot_columns_from(&e->log_hot, at));
    stow_class_ask_staged(e, c, nodes, count);
    return nodes;
}

/* ---- opening ----------------------------------------------------------------------------- */

STOW_KERNEL static void count_up(stow_node_id *list, uint32_t from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        list[i] = from + i;
}

uint32_t stow_class_list_batch(struct stow_engine *e, uint32_t from)
{
    uint32_t left = e->state->nodes - from, count = left < STOW_BATCH ? left : STOW_BATCH;

    count_up(e->list, from, count);
    return count;
}

STOW_KERNEL static bool all_are(const double *column, uint32_t count, double value)
{
    uint32_t other = 0;

    for (uint32_t i = 0; i < count; i++)
        other |= column[i] != value;
    return !other;
}

/* Most classes have nothing here: memory is taken at the first point that is not 0. */
static int keep_fixed(struct stow_engine *e, struct stow_class *c, uint32_t from, uint32_t count)
{
    if (!c->fixed && all_are(e->sum, count, 0))
        return STOW_OK;
    if (!c->fixed)
        c->fixed = stow_engine_zalloc(e, e->state->nodes, sizeof(*c->fixed));
    if (!c->fixed)
        return STOW_ENOMEM;
    memcpy(c->fixed + from, e->sum, count * sizeof(*e->sum));
    return STOW_OK;
}

/* What static rules say of every node. */
static int ask_static(struct stow_engine *e, struct stow_class *c)
{
    for (uint32_t from = 0; from < e->state->nodes; from += STOW_BATCH) {
        uint32_t count = stow_class_list_batch(e, from);

        memset(e->fits, !c->never, count);
        memset(e->sum, 0, count * sizeof(*e->sum));
        stow_class_ask_filters(e, c, STOW_SCOPE_STATIC, e->list, count);
        memcpy(c->possible + from, e->fits, count);
        c->everywhere &= !memchr(e->fits, 0, count);
        if (ask_scorers(e, c, STOW_SCOPE_STATIC, e->list, count))
            STOW_TRY(keep_fixed(e, c, from, count));
    }
    return STOW_OK;
}

static int add_grade(struct stow_graded *g, double raw, uint8_t *ret)
{
    for (uint32_t i = 0; i < g->grades; i++)
        if (g->raw[i] == raw) {
            *ret = (uint8_t)i;
            return STOW_OK;
        }
    if (g->grades == STOW_GRADES)
        return STOW_ELIMIT;
    g->raw[g->grades] = raw;
    *ret = (uint8_t)g->grades++;
    return STOW_OK;
}

/* The grade of every node that is possible; as a rule all have the first. */
static int grade_nodes(struct stow_engine *e, struct stow_class *c, struct stow_graded *g)
{
    const struct stow_profile_scorer *f = &c->profile->scorer[g->scorer];

    for (uint32_t from = 0; from < e->state->nodes; from += STOW_BATCH) {
        uint32_t count = stow_class_list_batch(e, from);

        f->rule->score(f->self, c->scorer_prep[g->scorer], e->state, &c->pod, e->list, count,
                       e->column);
        if (all_are(e->column, count, g->grades ? g->raw[0] : e->column[0])) {
            if (memchr(c->possible + from, 1, count))
                STOW_TRY(add_grade(g, e->column[0], &g->grade[from]));
            continue; /* the first grade is 0 */
        }
        for (uint32_t i = 0; i < count; i++)
            if (c->possible[from + i])
                STOW_TRY(add_grade(g, e->column[i], &g->grade[from + i]));
    }
    return STOW_OK;
}

static int start_graded(struct stow_engine *e, struct stow_graded *g, uint32_t scorer)
{
    g->scorer = scorer;
    g->grade = stow_engine_zalloc(e, e->state->nodes, sizeof(*g->grade));
    g->alive = stow_engine_zalloc(e, STOW_GRADES, sizeof(*g->alive));
    g->raw = stow_engine_zalloc(e, STOW_GRADES, sizeof(*g->raw));
    g->value = stow_engine_zalloc(e, STOW_GRADES, sizeof(*g->value));
    return g->grade && g->alive && g->raw && g->value ? STOW_OK : STOW_ENOMEM;
}

/* Normalises the grades that `alive` counts (all of them when there is only one). */
void stow_class_normalise_grades(struct stow_engine *e, struct stow_class *c, struct stow_graded *g)
{
    const struct stow_profile_scorer *f = &c->profile->scorer[g->scorer];
    double points[STOW_GRADES];
    uint32_t which[STOW_GRADES] = {0}, count = 0;

    for (uint32_t n = 0; n < g->grades; n++)
        if (g->alive[n] || g->grades == 1) {
            points[count] = g->raw[n];
            which[count++] = n;
        }
    f->rule->normalise(f->self, c->scorer_prep[g->scorer], e->state, &c->pod, NULL, count, points);
    for (uint32_t n = 0; n < count; n++)
        g->value[which[n]] = points[n];
}

static int make_graded(struct stow_engine *e, struct stow_class *c)
{
    c->graded = stow_engine_zalloc(e, c->profile->scorers, sizeof(*c->graded));
    if (!c->graded)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        struct stow_graded *g = &c->graded[c->gradeds];

        if (!stow_is_graded(c->profile->scorer[i].rule) || c->skipped[i])
            continue;
        STOW_TRY(start_graded(e, g, i));
        STOW_TRY(grade_nodes(e, c, g));
        if (g->grades <= 1) { /* whatever the candidates are, the points are the same */
            g->grade = NULL;
            stow_class_normalise_grades(e, c, g);
        }
        c->gradeds++;
    }
    return STOW_OK;
}

/* All local rules in one, where every one of them can be said so. */
static bool formulate(const struct stow_class *c, struct stow_formula *to)
{
    for (uint32_t i = 0; i < c->profile->filters; i++) {
        const struct stow_filter_rule *rule = c->profile->filter[i].rule;

        if (rule->scope == STOW_SCOPE_LOCAL && c->filter_prep[i] &&
            !(rule->formulate && rule->formulate(c->filter_prep[i], to)))
            return false;
    }
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        const struct stow_profile_scorer *f = &c->profile->scorer[i];

        if (f->rule->scope != STOW_SCOPE_LOCAL || c->skipped[i])
            continue;
        if (!f->rule->formulate || f->rule->normalise || f->weight < 0 ||
            !f->rule->formulate(f->self, c->scorer_prep[i], f->weight, to))
            return false;
    }
    return to->has_need;
}

static int make_formula(struct stow_engine *e, struct stow_class *c)
{
    struct stow_formula made = {.has_need = false};

    if (!e->formulas || !c->ranking->narrow || !formulate(c, &made))
        return STOW_OK;
    c->formula = stow_engine_zalloc(e, 1, sizeof(*c->formula));
    if (!c->formula)
        return STOW_ENOMEM;
    *c->formula = made;
    return STOW_OK;
}

int stow_class_open(struct stow_engine *e, struct stow_class *c)
{
    c->filter_prep = stow_engine_zalloc(e, c->profile->filters, sizeof(*c->filter_prep));
    c->scorer_prep = stow_engine_zalloc(e, c->profile->scorers, sizeof(*c->scorer_prep));
    c->skipped = stow_engine_zalloc(e, c->profile->scorers, sizeof(*c->skipped));
    c->possible = stow_engine_zalloc(e, e->state->nodes, sizeof(*c->possible));
    c->board_log = c->own_log = STOW_NOT_MADE;
    c->everywhere = true;
    if (!c->filter_prep || !c->scorer_prep || !c->skipped || !c->possible)
        return STOW_ENOMEM;
    STOW_TRY(prepare_rules(e, c));
    STOW_TRY(ask_static(e, c));
    STOW_TRY(make_formula(e, c));
    return make_graded(e, c);
}

void stow_class_close(struct stow_class *c)
{
    stow_board_done(&c->board);
    free(c->lone);
    free(c->watch);
    free(c->own);
    free(c->candidate);
}

/* ---- the own view ------------------------------------------------------------------------ */

static void write_own(struct stow_engine *e, struct stow_class *c)
{
    c->candidates = 0;
    for (uint32_t from = 0; from < e->state->nodes; from += STOW_BATCH) {
        uint32_t count = stow_class_list_batch(e, from);

        stow_class_ask_local(e, c, count);
        for (uint32_t i = 0; i < count; i++) {
            bool in = e->fits[i] && c->possible[from + i];

            c->own[from + i] = in ? e->sum[i] : -INFINITY;
            if (in)
                c->candidate[c->candidates++] = from + i;
        }
    }
    c->own_log = e->logged;
}

/* One stretch of the log; true when a candidate was lost. */
static bool update_own(struct stow_engine *e, struct stow_class *c, uint32_t at, uint32_t count)
{
    const stow_node_id *nodes = stow_class_ask_log(e, c, at, count);
    bool dropped = false;

    for (uint32_t i = 0; i < count; i++) {
        double *own = &c->own[nodes[i]];

        if (e->last_log[nodes[i]] != at + i || *own == -INFINITY)
            continue;
        *own = e->fits[i] ? e->sum[i] : -INFINITY;
        dropped |= !e->fits[i];
    }
    return dropped;
}

static void drop_candidates(struct stow_class *c)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < c->candidates; i++)
        if (c->own[c->candidate[i]] != -INFINITY)
            c->candidate[kept++] = c->candidate[i];
    c->candidates = kept;
}

int stow_class_refresh_own(struct stow_engine *e, struct stow_class *c)
{
    bool dropped = false;

    if (c->own_log == STOW_NOT_MADE) {
        c->own = malloc((e->state->nodes + 1) * sizeof(*c->own));
        c->candidate = malloc((e->state->nodes + 1) * sizeof(*c->candidate));
        if (!c->own || !c->candidate)
            return STOW_ENOMEM;
    }
    if (c->own_log == STOW_NOT_MADE || e->logged - c->own_log > e->state->nodes) {
        write_own(e, c);
        return STOW_OK;
    }
    while (c->own_log < e->logged) {
        uint32_t at = c->own_log, left = e->logged - at;
        uint32_t count = left < STOW_BATCH ? left : STOW_BATCH;

        c->own_log += count;
        dropped |= update_own(e, c, at, count);
    }
    if (dropped)
        drop_candidates(c);
    return STOW_OK;
}
