/* class.c - a class of pods that are alike, and what its nodes are worth.
 *
 * What rules of static scope say is worked out once.  What depends on a node's own
 * pods is kept in one of two views and asked again, for all nodes that changed
 * since the view was last looked at, in one call:
 *
 *   board  whole keys in the order of the tie-break, for decisions that need no
 *          look at other nodes.  Grades of normalised scorers are in the keys;
 *          when a grade appears or dies out, the points of all grades change
 *          and the board is written anew.  That is rare: nodes only fill up.
 *   own    sums before normalised scorers, for surveys.
 *
 * Filters of local scope only ever get stricter (pods are added, never removed),
 * so a node that has left a view stays out of it and is not asked again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "place/engine_parts.h"
#include "place/judge.h"

#define NOT_MADE UINT32_MAX

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
static void ask_staged(struct stow_engine *e, const struct stow_class *c, const stow_node_id *nodes,
                       uint32_t count)
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
static void ask_local(struct stow_engine *e, const struct stow_class *c, uint32_t count)
{
    stow_stage_fill(e->state->stage, e->state->hot, e->list, count);
    ask_staged(e, c, e->list, count);
}

/* The same over a stretch of the log, whose columns are there already. */
static const stow_node_id *ask_log(struct stow_engine *e, const struct stow_class *c, uint32_t at,
                                   uint32_t count)
{
    const stow_node_id *nodes = e->log + at;

    stow_stage_set(e->state->stage, nodes, count, stow_hot_columns_from(&e->log_hot, at));
    ask_staged(e, c, nodes, count);
    return nodes;
}

/* ---- opening ----------------------------------------------------------------------------- */

static uint32_t list_batch(struct stow_engine *e, uint32_t from)
{
    uint32_t left = e->state->nodes - from, count = left < STOW_BATCH ? left : STOW_BATCH;

    for (uint32_t i = 0; i < count; i++)
        e->list[i] = from + i;
    return count;
}

/* Most classes have nothing here: memory is taken at the first point that is not 0. */
static int keep_fixed(struct stow_engine *e, struct stow_class *c, uint32_t from, uint32_t count)
{
    bool any = c->fixed != NULL;

    for (uint32_t i = 0; i < count && !any; i++)
        any = e->sum[i] != 0;
    if (!any)
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
        uint32_t count = list_batch(e, from);

        memset(e->fits, !c->never, count);
        memset(e->sum, 0, count * sizeof(*e->sum));
        stow_class_ask_filters(e, c, STOW_SCOPE_STATIC, e->list, count);
        memcpy(c->possible + from, e->fits, count);
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

/* The grade of every node that is possible. */
static int grade_nodes(struct stow_engine *e, struct stow_class *c, struct stow_graded *g)
{
    const struct stow_profile_scorer *f = &c->profile->scorer[g->scorer];

    for (uint32_t from = 0; from < e->state->nodes; from += STOW_BATCH) {
        uint32_t count = list_batch(e, from);

        f->rule->score(f->self, c->scorer_prep[g->scorer], e->state, &c->pod, e->list, count,
                       e->column);
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
static void normalise_grades(struct stow_engine *e, struct stow_class *c, struct stow_graded *g)
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
            normalise_grades(e, c, g);
        }
        c->gradeds++;
    }
    return STOW_OK;
}

int stow_class_open(struct stow_engine *e, struct stow_class *c)
{
    c->filter_prep = stow_engine_zalloc(e, c->profile->filters, sizeof(*c->filter_prep));
    c->scorer_prep = stow_engine_zalloc(e, c->profile->scorers, sizeof(*c->scorer_prep));
    c->skipped = stow_engine_zalloc(e, c->profile->scorers, sizeof(*c->skipped));
    c->possible = stow_engine_zalloc(e, e->state->nodes, sizeof(*c->possible));
    c->board_log = c->own_log = NOT_MADE;
    if (!c->filter_prep || !c->scorer_prep || !c->skipped || !c->possible)
        return STOW_ENOMEM;
    STOW_TRY(prepare_rules(e, c));
    STOW_TRY(ask_static(e, c));
    return make_graded(e, c);
}

void stow_class_close(struct stow_class *c)
{
    stow_board_done(&c->board);
    free(c->own);
    free(c->candidate);
}

/* ---- the board --------------------------------------------------------------------------- */

int64_t stow_class_key(const struct stow_class *c, double total)
{
    return c->ranking->whole ? (int64_t)total : stow_total_key(total);
}

/* The points of the grades that differ between nodes. */
static double graded_points(const struct stow_class *c, stow_node_id node, bool uniform)
{
    double points = 0;

    for (uint32_t i = 0; i < c->gradeds; i++) {
        const struct stow_graded *g = &c->graded[i];

        if (g->grade || uniform)
            points +=
                c->profile->scorer[g->scorer].weight * g->value[g->grade ? g->grade[node] : 0];
    }
    return points;
}

static bool has_grades(const struct stow_class *c)
{
    for (uint32_t i = 0; i < c->gradeds; i++)
        if (c->graded[i].grade)
            return true;
    return false;
}

/* Counts a node in or out of its grades; true when a grade appears or dies out. */
static bool count_grades(struct stow_class *c, stow_node_id node, bool in)
{
    bool changed = false;

    for (uint32_t i = 0; i < c->gradeds; i++) {
        struct stow_graded *g = &c->graded[i];

        if (g->grade)
            changed |= in ? g->alive[g->grade[node]]++ == 0 : --g->alive[g->grade[node]] == 0;
    }
    return changed;
}

/* The plain case: narrow keys, no grades. */
static void write_plain_keys(struct stow_engine *e, struct stow_class *c, uint32_t count)
{
    const uint32_t *restrict place_of = c->ranking->place_of;
    const stow_node_id *restrict list = e->list;
    const uint8_t *restrict fits = e->fits;
    const double *restrict sum = e->sum;
    int16_t *restrict key = c->board.key.narrow;
    uint8_t *restrict dirty = e->dirty;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = place_of[list[i]];
        int16_t points = (int16_t)sum[i];

        key[place] = (int16_t)(fits[i] ? points : INT16_MIN);
        dirty[place / STOW_BOARD_BLOCK] = 1;
    }
}

/* Writes the keys of e->list, by fits[] and sum[]. */
static void write_keys(struct stow_engine *e, struct stow_class *c, uint32_t count)
{
    const uint32_t *place_of = c->ranking->place_of;
    bool graded = has_grades(c);

    if (!graded && !c->board.wide) {
        write_plain_keys(e, c, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        stow_node_id node = e->list[i];
        double total = e->sum[i] + (graded ? graded_points(c, node, false) : 0);

        stow_board_write(&c->board, place_of[node],
                         e->fits[i] ? stow_class_key(c, total) : STOW_BOARD_LOWEST);
        e->dirty[place_of[node] / STOW_BOARD_BLOCK] = 1;
    }
}

static void touch_dirty(struct stow_engine *e, struct stow_class *c)
{
    for (uint32_t i = 0; i < c->board.blocks; i++)
        if (e->dirty[i]) {
            e->dirty[i] = 0;
            stow_board_touch(&c->board, i);
        }
}

/* Every node anew.  The first pass counts the candidates per grade, so that their points are known
 * when keys are written. */
static void write_board(struct stow_engine *e, struct stow_class *c)
{
    bool count_first = has_grades(c);

    for (uint32_t i = 0; i < c->gradeds; i++)
        memset(c->graded[i].alive, 0, STOW_GRADES * sizeof(uint32_t));
    for (int pass = count_first ? 0 : 1; pass < 2; pass++) {
        for (uint32_t from = 0; from < e->state->nodes; from += STOW_BATCH) {
            uint32_t count = list_batch(e, from);

            ask_local(e, c, count);
            for (uint32_t i = 0; i < count; i++) {
                e->fits[i] &= c->possible[from + i];
                if (pass == 0 && e->fits[i])
                    count_grades(c, from + i, true);
            }
            if (pass == 1)
                write_keys(e, c, count);
        }
        for (uint32_t i = 0; i < c->gradeds && pass == 0; i++)
            normalise_grades(e, c, &c->graded[i]);
    }
    touch_dirty(e, c);
    c->board_log = e->logged;
}

/* A class that was not asked for a while is no longer in the cache: its keys are called for before
 * the rules are asked, and looked at behind. */
static void expect_keys(const struct stow_engine *e, const struct stow_class *c, uint32_t at,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        stow_board_expect(&c->board, c->ranking->place_of[e->log[at + i]]);
}

/* The nodes of a stretch of the log into e->list: each once, only those that are still in. */
static uint32_t list_changed(struct stow_engine *e, const struct stow_class *c, uint32_t at,
                             uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        stow_node_id node = e->log[at + i];

        e->list[kept] = node;
        kept +=
            e->last_log[node] == at + i && stow_board_has(&c->board, c->ranking->place_of[node]);
    }
    return kept;
}

/* Takes nodes that no longer fit out of their grades; true when points change. */
static bool drop_grades(struct stow_engine *e, struct stow_class *c, uint32_t count)
{
    bool changed = false;

    for (uint32_t i = 0; i < count; i++)
        if (!e->fits[i])
            changed |= count_grades(c, e->list[i], false);
    return changed;
}

/* The plain case of a stretch of the log: superseded entries and nodes that are out are passed
 * over.
 */
static void write_plain_log(struct stow_engine *e, struct stow_class *c, uint32_t at,
                            uint32_t count)
{
    const uint32_t *restrict place_of = c->ranking->place_of, *restrict last = e->last_log;
    const stow_node_id *restrict nodes = e->log + at;
    const uint8_t *restrict fits = e->fits;
    const double *restrict sum = e->sum;
    int16_t *restrict key = c->board.key.narrow;
    uint8_t *restrict dirty = e->dirty;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = place_of[nodes[i]];
        int16_t points = (int16_t)sum[i];

        if (last[nodes[i]] != at + i || key[place] == STOW_BOARD_NONE)
            continue;
        key[place] = (int16_t)(fits[i] ? points : INT16_MIN);
        dirty[place / STOW_BOARD_BLOCK] = 1;
    }
}

/* One stretch of the log; true when the whole board must be written anew.  Wide keys belong to
 * profiles that pack, where a few nodes change again and again: there each is asked about once. */
static bool update_board(struct stow_engine *e, struct stow_class *c, uint32_t at, uint32_t count)
{
    expect_keys(e, c, at, count);
    if (!c->board.wide && !has_grades(c)) {
        ask_log(e, c, at, count);
        write_plain_log(e, c, at, count);
        return false;
    }
    count = list_changed(e, c, at, count);
    ask_local(e, c, count);
    if (has_grades(c) && drop_grades(e, c, count))
        return true;
    write_keys(e, c, count);
    return false;
}

int stow_class_refresh_board(struct stow_engine *e, struct stow_class *c)
{
    if (c->board_log == NOT_MADE &&
        stow_board_init(&c->board, e->state->nodes, !c->ranking->narrow) < 0)
        return STOW_ENOMEM;
    if (c->board_log == NOT_MADE || e->logged - c->board_log > e->state->nodes) {
        write_board(e, c);
        return STOW_OK;
    }
    while (c->board_log < e->logged) {
        uint32_t at = c->board_log, left = e->logged - at;
        uint32_t count = left < STOW_BATCH ? left : STOW_BATCH;

        c->board_log += count;
        if (update_board(e, c, at, count)) {
            write_board(e, c);
            return STOW_OK;
        }
    }
    touch_dirty(e, c);
    return STOW_OK;
}

double stow_class_total(const struct stow_class *c, stow_node_id node)
{
    uint32_t place = c->ranking->place_of[node];
    int64_t key = c->board.wide ? c->board.key.wide[place] : c->board.key.narrow[place];
    double total = c->ranking->whole ? (double)key : (double)key / 1e9;

    /* The key has the points of grades that differ; those that do not are not in it. */
    return total + graded_points(c, node, true) - graded_points(c, node, false);
}

/* ---- the own view ------------------------------------------------------------------------ */

static void write_own(struct stow_engine *e, struct stow_class *c)
{
    c->candidates = 0;
    for (uint32_t from = 0; from < e->state->nodes; from += STOW_BATCH) {
        uint32_t count = list_batch(e, from);

        ask_local(e, c, count);
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
    const stow_node_id *nodes = ask_log(e, c, at, count);
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

    if (c->own_log == NOT_MADE) {
        c->own = malloc((e->state->nodes + 1) * sizeof(*c->own));
        c->candidate = malloc((e->state->nodes + 1) * sizeof(*c->candidate));
        if (!c->own || !c->candidate)
            return STOW_ENOMEM;
    }
    if (c->own_log == NOT_MADE || e->logged - c->own_log > e->state->nodes) {
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
