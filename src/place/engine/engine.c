/* engine.c - deciding fast.
 *
 * Problem: 50,000 pods over 5,000 nodes are 250 million questions, asked again
 * after every decision.  Three facts make nearly all of them unnecessary:
 *
 *  - Pods are alike.  Pods with the same spec, namespace, labels, owner and
 *    priority are one class; what does not depend on other pods is worked out
 *    once per class (class.c).
 *  - A decision changes one node.  Placements go into a log; a class remembers
 *    how far it has read it, and at its next turn asks its rules again about the
 *    nodes that changed since, in one call for all of them (class_board.c), and
 *    in one loop where the rules are the usual ones (formula.c).
 *  - Only the best node is wanted.  A class keeps its nodes on a board (board.c)
 *    in the order of the tie-break, so that the first of the largest keys is the
 *    answer.
 *
 * Rules over several nodes (spreading, affinity between pods) are asked at every
 * decision, unless they have nothing to say about the class; that is remembered until
 * a pod with terms of its own is placed (state.epoch).  As a rule a sample of the
 * nodes tells all (sample.c); else they are asked about all candidates that the other
 * filters left (survey.c).
 *
 * Invariant, checked by property tests: the choice equals stow_judge's.  Totals
 * are added in the same groups as there: static scorers, local ones, then those
 * that look at all candidates, each in the order of the profile.
 *
 * Cost per decision: (changed nodes) * (local rules) + blocks; with a sample, (zones
 * and nodes that have counted pods) * (rules over several nodes) more; with a survey,
 * (nodes) * (rules over several nodes).  Memory: 3 to 9 bytes per class and node, 12 more
 * where surveys are made; 130 bytes per pod for the log. */
#include "place/engine/engine.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/engine/engine_internal.h"
#include "place/judge.h"
#include "place/place.h"

/* What makes pods alike: everything a rule may look at. */
struct class_key {
    stow_spec_id spec;
    stow_sym namespace;
    stow_blob labels, annotations, owner;
    int32_t priority;
    stow_sym nominated;
    uint32_t origin;   /* made from a workload, or without a creation time: label keys of its terms
                          are still to be merged then (clause.c) */
    stow_pod_id named; /* itself, where a rule looks at names; else 0 */
};

static_assert(sizeof(struct class_key) == 9 * sizeof(uint32_t), "a key without padding");

/* ---- classes ----------------------------------------------------------------------------- */

/* A class with too many grades is kept without them, and so is one that is nominated to a node,
 * which is rare. */
static int open_class(struct stow_engine *e, struct stow_class *c)
{
    int code = stow_class_open(e, c);

    if (code != STOW_ELIMIT && (code < 0 || !c->pod.pod->nominated))
        return code;
    c->judged = stow_engine_zalloc(e, c->profile->scorers, sizeof(*c->judged));
    return c->judged ? STOW_OK : STOW_ENOMEM;
}

static int add_class(struct stow_engine *e, stow_pod_id pod, uint32_t handle)
{
    struct stow_class *c = stow_engine_zalloc(e, 1, sizeof(*c));

    if (!c || stow_vec_reserve(&e->class, &e->class_cap, handle + 1, sizeof(void *)) < 0)
        return STOW_ENOMEM;
    while (e->classes <= handle)
        e->class[e->classes++] = NULL;
    c->pod = stow_subject_of(e->state->s, pod);
    c->profile = stow_profiles_for(e->profiles, &c->pod);
    if (c->profile) {
        c->ranking = &e->ranking[c->profile - e->profiles->profile];
        STOW_TRY(open_class(e, c));
    }
    e->class[handle] = c;
    return STOW_OK;
}

static struct class_key key_of(const struct stow_engine *e, stow_pod_id pod)
{
    const struct stow_pod *p = &e->state->s->pod[pod];
    uint32_t origin = (p->flags & STOW_POD_GENERATED) | (p->created == STOW_TIME_ALWAYS);

    return (struct class_key){p->spec,     p->namespace, p->labels, p->annotations,    p->owner,
                              p->priority, p->nominated, origin,    e->names ? pod : 0};
}

/* The handle of a pod's class, known or not.  Pods of one class often follow one another: compare
 * with the last one before looking it up. */
static uint32_t handle_of(struct stow_engine *e, stow_pod_id pod)
{
    struct class_key key, last;

    if (e->last_pod == pod)
        return e->last_class;
    key = key_of(e, pod);
    if (e->last_pod != STOW_NONE) {
        last = key_of(e, e->last_pod);
        if (memcmp(&key, &last, sizeof(key)) == 0)
            return e->last_class;
    }
    return stow_intern_blob(&e->class_keys, &key, sizeof(key));
}

static int class_of(struct stow_engine *e, stow_pod_id pod, uint32_t *ret)
{
    *ret = handle_of(e, pod);
    if (*ret == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (*ret >= e->classes || !e->class[*ret])
        STOW_TRY(add_class(e, pod, *ret));
    e->last_pod = pod;
    e->last_class = *ret;
    return STOW_OK;
}

void stow_engine_expect(struct stow_engine *engine, stow_pod_id pod)
{
    uint32_t class = handle_of(engine, pod);

    if (class == STOW_INTERN_FAILED || class == engine->last_class)
        return;
    engine->last_pod = pod;
    engine->last_class = class;
    if (class < engine->classes && engine->class[class])
        stow_class_expect(engine->class[class]);
}

/* ---- deciding ---------------------------------------------------------------------------- */

/* The best of the board: cell by cell, since only inside a cell places are in the order of the
 * tie-break. */
static int take_best(struct stow_engine *e, struct stow_class *c, struct stow_choice *ret)
{
    const struct stow_ranking *r = c->ranking;
    int64_t top = STOW_BOARD_LOWEST;

    stow_class_gather(e, c);
    STOW_TRY(stow_class_refresh_board(e, c));
    for (uint32_t from = 0; from < r->first_block[r->cells];) {
        const uint32_t place = stow_board_best(&c->board, from, r->first_block[r->cells]);

        if (place == UINT32_MAX)
            break;

        const int64_t key = stow_board_key(&c->board, stow_board_slot(c->board.wide, place));
        const stow_node_id node = r->node_at[place];

        if (key < top)
            break;
        top = key;
        if (ret->node == STOW_NONE || r->tie_of[node] < r->tie_of[ret->node])
            ret->node = node;
        from = r->first_block[r->cell_of[node] + 1];
    }
    if (ret->node != STOW_NONE)
        ret->total = stow_class_total(c, ret->node);
    return STOW_OK;
}

static int judge_anew(struct stow_engine *e, struct stow_class *c, struct stow_choice *ret)
{
    STOW_AUTO(stow_judgement_done) struct stow_judgement judgement = {0};
    struct stow_err err;

    STOW_TRY(stow_judge(e->state, c->profile, &c->pod, &judgement, &err));
    ret->node = judgement.best;
    if (ret->node == STOW_NONE)
        return STOW_OK;
    ret->total = judgement.node[ret->node].total;
    for (uint32_t i = 0; i < judgement.scorers; i++) {
        c->judged[i] = judgement.score[(size_t)i * judgement.nodes + ret->node];
        c->skipped[i] = judgement.skipped[i];
    }
    return STOW_OK;
}

static int decide(struct stow_engine *e, stow_pod_id pod, struct stow_choice *ret)
{
    struct stow_class *c;

    *ret = (struct stow_choice){.node = STOW_NONE};
    STOW_TRY(class_of(e, pod, &ret->class));
    c = e->class[ret->class];
    ret->profile = c->profile;
    if (!c->profile || c->never)
        return STOW_OK;
    if (c->judged)
        return judge_anew(e, c, ret);
    STOW_TRY(stow_survey_prepare(e, c));
    if (!c->surveyed)
        return take_best(e, c, ret);

    const int decided = stow_sample_decide(e, c, ret);

    if (decided)
        return decided < 0 ? decided : STOW_OK;
    STOW_TRY(stow_class_refresh_own(e, c));
    stow_survey(e, c, ret);
    return STOW_OK;
}

int stow_engine_decide(struct stow_engine *engine, stow_pod_id pod, struct stow_choice *ret,
                       struct stow_err *err)
{
    const int code = decide(engine, pod, ret);

    if (ret->profile) /* its rules may be why it failed */
        STOW_TRY(stow_profile_fault(ret->profile, err));
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

void stow_engine_place(struct stow_engine *engine, stow_pod_id pod, stow_node_id node)
{
    stow_state_place(engine->state, pod, node);
    engine->last_log[node] = engine->logged;
    stow_hot_columns_write(&engine->log_hot, engine->logged, &engine->state->hot[node]);
    if (engine->formulas)
        stow_formula_columns_write(&engine->log_formula, engine->logged, &engine->state->hot[node],
                                   engine->share[node]);
    for (uint32_t i = 0; i < engine->profiles->count; i++)
        engine->ranking[i].log_slot[engine->logged] = engine->ranking[i].slot_of[node];
    engine->log[engine->logged++] = node; /* there is room for every pod */
}

/* ---- components -------------------------------------------------------------------------- */

static double component(struct stow_engine *e, struct stow_class *c,
                        const struct stow_choice *choice, uint32_t scorer)
{
    const struct stow_profile_scorer *f = &c->profile->scorer[scorer];
    double score = 0;

    if (c->judged)
        return c->judged[scorer];
    if (f->rule->normalise && c->surveyed && c->sampled)
        return stow_sample_component(e, c, scorer, choice->node);
    if (f->rule->normalise && c->surveyed)
        return stow_survey_component(e, c, scorer, choice->node);
    for (uint32_t i = 0; i < c->gradeds; i++) {
        const struct stow_graded *g = &c->graded[i];

        if (g->scorer == scorer)
            return g->value[g->grade ? g->grade[choice->node] : 0];
    }
    f->rule->score(f->self, c->scorer_prep[scorer], e->state, &c->pod, &choice->node, 1, &score);
    return score;
}

void stow_engine_components(struct stow_engine *engine, const struct stow_choice *choice,
                            double *ret_score, bool *ret_skipped)
{
    struct stow_class *c = engine->class[choice->class];

    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        ret_skipped[i] = c->skipped[i];
        ret_score[i] = c->skipped[i] ? 0 : component(engine, c, choice, i);
    }
}

uint32_t stow_engine_classes(const struct stow_engine *engine)
{
    return engine->class_keys.entries ? engine->class_keys.entries - 1 : 0;
}

/* ---- the engine -------------------------------------------------------------------------- */

/* kube-scheduler's scorers give whole numbers, and most of them from 0 to 100. */
static void measure_totals(struct stow_ranking *r, const struct stow_profile *p)
{
    double most = 0;
    bool bounded = true;

    r->whole = true;
    for (uint32_t i = 0; i < p->scorers; i++) {
        double weight = p->scorer[i].weight;

        r->whole &= p->scorer[i].rule->plugin && floor(weight) == weight;
        bounded &= !p->scorer[i].rule->unbounded;
        most += fabs(weight) * 100;
    }
    r->narrow = r->whole && bounded && most < INT16_MAX;
}

static int make_ranking(struct stow_engine *e, uint32_t profile)
{
    struct stow_ranking *r = &e->ranking[profile];
    const struct stow_profile *p = &e->profiles->profile[profile];

    measure_totals(r, p);
    return stow_terrain_open(e, r, p);
}

/* What classes with a formula need. */
static int open_formulas(struct stow_engine *e)
{
    bool narrow = false;

    for (uint32_t i = 0; i < e->profiles->count; i++)
        narrow |= e->ranking[i].narrow;
    e->formulas = narrow && stow_formula_exact(e->state->hot, e->state->nodes);
    if (!e->formulas)
        return STOW_OK;
    e->share = stow_engine_zalloc(e, e->state->nodes, sizeof(*e->share));
    e->key = stow_engine_zalloc(e, STOW_BATCH + STOW_FORMULA_PAD, sizeof(*e->key));
    e->log_formula = stow_formula_columns_new(e->state->s->pods + 1);
    e->ground = stow_formula_columns_new(e->state->nodes);
    if (!e->share || !e->key || !e->log_formula.before || !e->ground.before)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < e->state->nodes; i++) {
        e->share[i][0] = 100.0 / (double)e->state->hot[i].cpu;
        e->share[i][1] = 100.0 / (double)e->state->hot[i].memory;
        stow_formula_columns_write(&e->ground, i, &e->state->hot[i], e->share[i]);
    }
    return STOW_OK;
}

static int open_engine(struct stow_engine *e)
{
    size_t room = e->state->nodes > STOW_BATCH ? e->state->nodes : STOW_BATCH;

    e->last_pod = STOW_NONE;
    for (uint32_t i = 0; i < e->profiles->count; i++)
        e->names |= stow_profile_sees_names(&e->profiles->profile[i]);
    e->ranking = stow_engine_zalloc(e, e->profiles->count, sizeof(*e->ranking));
    e->last_log = stow_engine_zalloc(e, e->state->nodes, sizeof(*e->last_log));
    e->list = stow_engine_zalloc(e, room, sizeof(*e->list));
    e->fits = stow_engine_zalloc(e, room, sizeof(*e->fits));
    e->dirty = stow_engine_zalloc(e, room / STOW_BOARD_BLOCK + 1, sizeof(*e->dirty));
    e->column = stow_engine_zalloc(e, room, sizeof(*e->column));
    e->sum = stow_engine_zalloc(e, room, sizeof(*e->sum));
    e->sample = stow_engine_zalloc(e, room, sizeof(*e->sample));
    e->cell_best = stow_engine_zalloc(e, stow_terrain_most_cells(e), sizeof(*e->cell_best));
    e->cell_count = stow_engine_zalloc(e, stow_terrain_most_cells(e), sizeof(*e->cell_count));
    e->log_hot = stow_hot_columns_new(e->state->s->pods + 1);
    if (!e->log_hot.cpu || !e->ranking || !e->last_log || !e->list || !e->fits || !e->dirty ||
        !e->column || !e->sum || !e->sample || !e->cell_best || !e->cell_count ||
        stow_vec_reserve(&e->log, &e->log_cap, e->state->s->pods + 1, sizeof(*e->log)) < 0)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < e->profiles->count; i++)
        STOW_TRY(make_ranking(e, i));
    return open_formulas(e);
}

int stow_engine_new(struct stow_state *state, const struct stow_profiles *profiles,
                    struct stow_engine **ret, struct stow_err *err)
{
    struct stow_engine *e = calloc(1, sizeof(*e));

    if (!e)
        return stow_fail_memory(err);
    e->state = state;
    e->profiles = profiles;
    if (open_engine(e) < 0) {
        stow_engine_free(e);
        return stow_fail_memory(err);
    }
    *ret = e;
    return STOW_OK;
}

void stow_engine_free(struct stow_engine *engine)
{
    if (!engine)
        return;
    for (uint32_t i = 0; i < engine->classes; i++)
        if (engine->class[i])
            stow_class_close(engine->class[i]);
    free(engine->class);
    free(engine->log);
    stow_hot_columns_free(&engine->log_hot);
    stow_formula_columns_free(&engine->log_formula);
    stow_formula_columns_free(&engine->ground);
    stow_intern_done(&engine->class_keys);
    stow_arena_done(&engine->arena);
    stow_arena_done(&engine->scratch);
    free(engine);
}
