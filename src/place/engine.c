/* engine.c - deciding fast.
 *
 * Problem: 50,000 pods over 5,000 nodes are 250 million questions, asked again
 * after every decision.  Three facts make nearly all of them unnecessary:
 *
 *  - Pods are alike.  Pods with the same spec, namespace, labels, owner and
 *    priority are one class; what does not depend on other pods is worked out
 *    once per class.
 *  - A decision changes one node.  Placements go into a log; a class remembers
 *    how far it has read it, and at its next turn asks its rules again about the
 *    nodes that changed since, in one call for all of them.
 *  - Only the best node is wanted.  A class keeps its nodes on a board (board.h)
 *    in the order of the tie-break, so that the first of the largest keys is the
 *    answer.
 *
 * Scorers that are normalised over the candidates (taints, preferred affinity)
 * give each node one of a few grades.  The normalised points of a grade depend on
 * which grades still have a candidate; the board is rebuilt when that changes,
 * which is rare, because nodes only ever fill up.
 *
 * Rules over several nodes (spreading, affinity between pods) are asked at every
 * decision about all candidates that the other filters left (`survey`), unless
 * they have nothing to say about the class; that is remembered until a pod with
 * terms of its own is placed (state.epoch).
 *
 * Invariant, checked by property tests: the choice equals stow_judge's.  Totals
 * are added in the same groups as there: static scorers, local ones, then those
 * that look at all candidates, each in the order of the profile.
 *
 * Cost per decision: (changed nodes) * (local rules) + blocks; with a survey,
 * (nodes) * (rules over several nodes).  Memory: 8 to 16 bytes per class and
 * node. */
#include "place/engine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/board.h"
#include "place/judge.h"

#define GRADES_MAX 256
#define BATCH      1024 /* nodes asked about in one call */

/* A scorer that is normalised over the candidates, of static scope: a grade per node. */
struct graded {
    uint32_t scorer;
    uint8_t *grade;  /* per node */
    uint32_t *alive; /* candidates per grade */
    double *raw, *value;
    uint32_t grades;
};

struct class
{
    struct stow_subject pod;
    const struct stow_profile *profile;
    uint32_t profile_index;
    const void **filter_prep; /* NULL: skipped, or over several nodes */
    const void **scorer_prep;
    bool *skipped;        /* per scorer */
    bool never;           /* no node can take the pod */
    bool surveyed;        /* rules over several nodes had something to say last time */
    bool has_cluster;     /* the profile has rules over several nodes */
    uint64_t quiet_epoch; /* state.epoch at which they had nothing to say; 0: not known */
    uint8_t *possible;    /* per node: static filters pass */
    double *fixed;        /* per node: static scorers, not normalised */
    double *own;          /* per node: fixed + local; -INFINITY: not a candidate */
    struct graded *graded;
    uint32_t gradeds;
    struct stow_board board; /* by place in the tie order */
    uint32_t log_at;         /* what of the log has been read */
};

/* What a profile has in common for all its classes. */
struct ranking {
    stow_node_id *node_at; /* by place in the tie order */
    uint32_t *place_of;    /* by node */
    bool whole;            /* all totals are whole numbers */
};

struct stow_engine {
    struct stow_state *state;
    const struct stow_profiles *profiles;
    struct ranking *ranking; /* per profile */
    struct stow_arena arena; /* classes and what they prepared */
    struct stow_arena scratch;
    struct stow_intern class_keys;
    struct class **class; /* by handle */
    uint32_t classes, class_cap;
    stow_node_id *log;
    uint32_t logged, log_cap;
    uint32_t *last_log; /* per node: index of its last entry */
    /* Room for one call. */
    stow_node_id *list;
    uint8_t *fits;
    double *column, *sum;
    bool refused; /* a rule over several nodes allows no node at all this time */
};

/* What makes pods alike: everything a rule may look at. */
struct class_key {
    stow_spec_id spec;
    stow_sym namespace;
    stow_blob labels, annotations, owner;
    int32_t priority;
};

/* ---- asking rules ------------------------------------------------------------------------ */

static void *zeroed(struct stow_engine *e, size_t count, size_t size)
{
    return stow_arena_zalloc(&e->arena, (count + 1) * size);
}

static bool is_graded(const struct stow_scorer *rule)
{
    return rule->normalise && rule->scope == STOW_SCOPE_STATIC;
}

/* Looks at all candidates at every decision. */
static bool is_surveyed(const struct stow_scorer *rule)
{
    return rule->scope == STOW_SCOPE_CLUSTER || (rule->normalise && !is_graded(rule));
}

static int prepare_filter(struct stow_engine *e, struct class *c, uint32_t i)
{
    const struct stow_profile_filter *f = &c->profile->filter[i];
    void *prep = zeroed(e, f->rule->prep_size, 1);
    int prepared = STOW_PREPARED;

    if (!prep)
        return STOW_ENOMEM;
    if (f->rule->prepare)
        prepared = f->rule->prepare(f->self, e->state, &c->pod, prep, &e->arena);
    if (prepared == STOW_PREPARED_NEVER)
        c->never = true;
    c->filter_prep[i] = prepared == STOW_PREPARED_SKIP ? NULL : prep;
    return prepared < 0 ? prepared : STOW_OK;
}

static int prepare_scorer(struct stow_engine *e, struct class *c, uint32_t i)
{
    const struct stow_profile_scorer *f = &c->profile->scorer[i];
    void *prep = zeroed(e, f->rule->prep_size, 1);
    int prepared = STOW_PREPARED;

    if (!prep)
        return STOW_ENOMEM;
    if (f->rule->prepare)
        prepared = f->rule->prepare(f->self, e->state, &c->pod, prep, &e->arena);
    c->scorer_prep[i] = prep;
    c->skipped[i] = prepared == STOW_PREPARED_SKIP;
    return prepared < 0 ? prepared : STOW_OK;
}

static int prepare_rules(struct stow_engine *e, struct class *c)
{
    for (uint32_t i = 0; i < c->profile->filters; i++) {
        if (c->profile->filter[i].rule->scope == STOW_SCOPE_CLUSTER)
            c->has_cluster = true;
        else
            STOW_TRY(prepare_filter(e, c, i));
    }
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        if (c->profile->scorer[i].rule->scope == STOW_SCOPE_CLUSTER)
            c->has_cluster = c->skipped[i] = true;
        else
            STOW_TRY(prepare_scorer(e, c, i));
        if (is_surveyed(c->profile->scorer[i].rule))
            c->has_cluster = true;
    }
    return STOW_OK;
}

/* fits[] of the filters of one scope over nodes[]. */
static void ask_filters(struct stow_engine *e, const struct class *c, enum stow_scope scope,
                        const stow_node_id *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < c->profile->filters; i++) {
        const struct stow_profile_filter *f = &c->profile->filter[i];

        if (f->rule->scope == scope && c->filter_prep[i])
            f->rule->check(f->self, c->filter_prep[i], e->state, &c->pod, nodes, count, e->fits);
    }
}

/* sum[] += the scorers of one scope that are not normalised, over nodes[]. */
static void ask_scorers(struct stow_engine *e, const struct class *c, enum stow_scope scope,
                        const stow_node_id *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        const struct stow_profile_scorer *f = &c->profile->scorer[i];

        if (f->rule->scope != scope || f->rule->normalise || c->skipped[i])
            continue;
        f->rule->score(f->self, c->scorer_prep[i], e->state, &c->pod, nodes, count, e->column);
        for (uint32_t n = 0; n < count; n++)
            e->sum[n] += f->weight * e->column[n];
    }
}

/* ---- a new class ------------------------------------------------------------------------- */

static int add_grade(struct graded *g, double raw, uint8_t *ret)
{
    for (uint32_t i = 0; i < g->grades; i++)
        if (g->raw[i] == raw) {
            *ret = (uint8_t)i;
            return STOW_OK;
        }
    if (g->grades == GRADES_MAX)
        return STOW_ELIMIT;
    g->raw[g->grades] = raw;
    *ret = (uint8_t)g->grades++;
    return STOW_OK;
}

static int start_graded(struct stow_engine *e, struct graded *g, uint32_t scorer)
{
    g->scorer = scorer;
    g->grade = zeroed(e, e->state->nodes, sizeof(*g->grade));
    g->alive = zeroed(e, GRADES_MAX, sizeof(*g->alive));
    g->raw = zeroed(e, GRADES_MAX, sizeof(*g->raw));
    g->value = zeroed(e, GRADES_MAX, sizeof(*g->value));
    return g->grade && g->alive && g->raw && g->value ? STOW_OK : STOW_ENOMEM;
}

/* The grade of every node by one scorer. */
static int grade_nodes(struct stow_engine *e, struct class *c, struct graded *g)
{
    const struct stow_profile_scorer *f = &c->profile->scorer[g->scorer];

    for (uint32_t from = 0; from < e->state->nodes; from += BATCH) {
        uint32_t count = e->state->nodes - from < BATCH ? e->state->nodes - from : BATCH;

        for (uint32_t i = 0; i < count; i++)
            e->list[i] = from + i;
        f->rule->score(f->self, c->scorer_prep[g->scorer], e->state, &c->pod, e->list, count,
                       e->column);
        for (uint32_t i = 0; i < count; i++)
            if (c->possible[from + i])
                STOW_TRY(add_grade(g, e->column[i], &g->grade[from + i]));
    }
    return STOW_OK;
}

static int make_graded(struct stow_engine *e, struct class *c)
{
    c->graded = zeroed(e, c->profile->scorers, sizeof(*c->graded));
    if (!c->graded)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        struct graded *g = &c->graded[c->gradeds];

        if (!is_graded(c->profile->scorer[i].rule) || c->skipped[i])
            continue;
        STOW_TRY(start_graded(e, g, i));
        STOW_TRY(grade_nodes(e, c, g));
        c->gradeds++;
    }
    return STOW_OK;
}

/* What static rules say of every node. */
static void ask_static(struct stow_engine *e, struct class *c)
{
    for (uint32_t from = 0; from < e->state->nodes; from += BATCH) {
        uint32_t count = e->state->nodes - from < BATCH ? e->state->nodes - from : BATCH;

        for (uint32_t i = 0; i < count; i++) {
            e->list[i] = from + i;
            e->sum[i] = 0;
        }
        memset(e->fits, !c->never, count);
        ask_filters(e, c, STOW_SCOPE_STATIC, e->list, count);
        ask_scorers(e, c, STOW_SCOPE_STATIC, e->list, count);
        memcpy(c->possible + from, e->fits, count);
        memcpy(c->fixed + from, e->sum, count * sizeof(*e->sum));
    }
}

static int allocate_class(struct stow_engine *e, struct class *c)
{
    size_t nodes = e->state->nodes;

    c->filter_prep = zeroed(e, c->profile->filters, sizeof(*c->filter_prep));
    c->scorer_prep = zeroed(e, c->profile->scorers, sizeof(*c->scorer_prep));
    c->skipped = zeroed(e, c->profile->scorers, sizeof(*c->skipped));
    c->possible = zeroed(e, nodes, sizeof(*c->possible));
    c->fixed = zeroed(e, nodes, sizeof(*c->fixed));
    c->own = zeroed(e, nodes, sizeof(*c->own));
    if (!c->filter_prep || !c->scorer_prep || !c->skipped || !c->possible || !c->fixed || !c->own)
        return STOW_ENOMEM;
    for (size_t i = 0; i < nodes; i++)
        c->own[i] = -INFINITY;
    return stow_board_init(&c->board, e->state->nodes) < 0 ? STOW_ENOMEM : STOW_OK;
}

static void refresh(struct stow_engine *e, struct class *c);

static int open_class(struct stow_engine *e, struct class *c)
{
    STOW_TRY(allocate_class(e, c));
    STOW_TRY(prepare_rules(e, c));
    ask_static(e, c);
    STOW_TRY(make_graded(e, c));
    c->log_at = UINT32_MAX; /* everything is new */
    refresh(e, c);
    return STOW_OK;
}

static struct stow_subject subject_of(const struct stow_engine *e, stow_pod_id pod)
{
    const struct stow_snapshot *s = e->state->s;

    return (struct stow_subject){s, &s->pod[pod], stow_spec(s, s->pod[pod].spec),
                                 &s->demand[s->pod[pod].spec]};
}

static int add_class(struct stow_engine *e, stow_pod_id pod, uint32_t handle)
{
    struct class *c = zeroed(e, 1, sizeof(*c));

    if (!c || stow_vec_reserve(&e->class, &e->class_cap, handle + 1, sizeof(void *)) < 0)
        return STOW_ENOMEM;
    while (e->classes <= handle)
        e->class[e->classes++] = NULL;
    e->class[handle] = c;
    c->pod = subject_of(e, pod);
    c->profile = stow_profiles_for(e->profiles, &c->pod);
    if (!c->profile)
        return STOW_OK;
    c->profile_index = (uint32_t)(c->profile - e->profiles->profile);
    return open_class(e, c);
}

static int class_of(struct stow_engine *e, stow_pod_id pod, uint32_t *ret)
{
    const struct stow_pod *p = &e->state->s->pod[pod];
    struct class_key key = {p->spec,        p->namespace, p->labels,
                            p->annotations, p->owner,     p->priority};

    *ret = stow_intern_blob(&e->class_keys, &key, sizeof(key));
    if (*ret == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (*ret < e->classes && e->class[*ret])
        return STOW_OK;
    return add_class(e, pod, *ret);
}

/* ---- keeping up -------------------------------------------------------------------------- */

static int64_t key_of(const struct ranking *r, double total)
{
    return r->whole ? (int64_t)total : stow_total_key(total);
}

/* A node's total: its own and the points of its grades. */
static double total_of(const struct class *c, stow_node_id node)
{
    double total = c->own[node];

    for (uint32_t i = 0; i < c->gradeds; i++) {
        const struct graded *g = &c->graded[i];

        total += c->profile->scorer[g->scorer].weight * g->value[g->grade[node]];
    }
    return total;
}

static void show(struct stow_engine *e, struct class *c, stow_node_id node)
{
    const struct ranking *r = &e->ranking[c->profile_index];

    c->board.key[r->place_of[node]] =
        c->own[node] == -INFINITY ? STOW_BOARD_LOWEST : key_of(r, total_of(c, node));
}

/* Counts a node in or out of its grades; true when a grade appears or ends. */
static bool count_grades(struct class *c, stow_node_id node, bool in)
{
    bool changed = false;

    for (uint32_t i = 0; i < c->gradeds; i++) {
        uint32_t *alive = &c->graded[i].alive[c->graded[i].grade[node]];

        changed |= in ? (*alive)++ == 0 : --*alive == 0;
    }
    return changed;
}

/* The normalised points of the grades that have a candidate. */
static void normalise_grades(struct stow_engine *e, struct class *c)
{
    for (uint32_t i = 0; i < c->gradeds; i++) {
        struct graded *g = &c->graded[i];
        const struct stow_profile_scorer *f = &c->profile->scorer[g->scorer];
        double points[GRADES_MAX];
        uint32_t which[GRADES_MAX], count = 0;

        for (uint32_t n = 0; n < g->grades; n++)
            if (g->alive[n]) {
                points[count] = g->raw[n];
                which[count++] = n;
            }
        f->rule->normalise(f->self, c->scorer_prep[g->scorer], e->state, &c->pod, NULL, count,
                           points);
        for (uint32_t n = 0; n < count; n++)
            g->value[which[n]] = points[n];
    }
}

static void show_all(struct stow_engine *e, struct class *c)
{
    for (stow_node_id i = 0; i < e->state->nodes; i++)
        show(e, c, i);
    stow_board_rebuild(&c->board);
}

/* Asks the local rules about nodes (at most BATCH, in e->list); true when grades appear or end. */
static bool update_nodes(struct stow_engine *e, struct class *c, uint32_t count)
{
    bool regrade = false;

    memset(e->fits, 1, count);
    for (uint32_t i = 0; i < count; i++)
        e->sum[i] = c->fixed[e->list[i]];
    ask_filters(e, c, STOW_SCOPE_LOCAL, e->list, count);
    ask_scorers(e, c, STOW_SCOPE_LOCAL, e->list, count);
    for (uint32_t i = 0; i < count; i++) {
        stow_node_id node = e->list[i];
        bool was = c->own[node] != -INFINITY, is = e->fits[i];

        c->own[node] = is ? e->sum[i] : -INFINITY;
        if (was != is && c->gradeds)
            regrade |= count_grades(c, node, is);
    }
    return regrade;
}

/* Reads the log from where the class stopped into e->list, each node once, only those that static
 * rules allow; returns how many, at most BATCH. */
static uint32_t read_log(struct stow_engine *e, struct class *c)
{
    uint32_t count = 0;

    for (; c->log_at < e->logged && count < BATCH; c->log_at++) {
        stow_node_id node = e->log[c->log_at];

        if (e->last_log[node] == c->log_at && c->possible[node])
            e->list[count++] = node;
    }
    return count;
}

static void update_all(struct stow_engine *e, struct class *c)
{
    uint32_t count = 0;

    for (stow_node_id i = 0; i < e->state->nodes; i++) {
        if (c->possible[i])
            e->list[count++] = i;
        if (count == BATCH || i + 1 == e->state->nodes) {
            update_nodes(e, c, count);
            count = 0;
        }
    }
    c->log_at = e->logged;
    normalise_grades(e, c);
    show_all(e, c);
}

/* Brings a class up to date with everything placed since its last turn. */
static void refresh(struct stow_engine *e, struct class *c)
{
    const struct ranking *r = &e->ranking[c->profile_index];

    if (c->log_at == UINT32_MAX || e->logged - c->log_at > e->state->nodes) {
        update_all(e, c);
        return;
    }
    while (c->log_at < e->logged) {
        uint32_t count = read_log(e, c);

        if (update_nodes(e, c, count)) {
            normalise_grades(e, c);
            show_all(e, c);
            continue;
        }
        for (uint32_t i = 0; i < count; i++)
            show(e, c, e->list[i]);
        for (uint32_t i = 0; i < count; i++)
            stow_board_touch(&c->board, r->place_of[e->list[i]]);
    }
}

/* ---- surveys: rules over several nodes --------------------------------------------------- */

/* Prepares them for this decision; true when any has something to say. */
static int prepare_survey(struct stow_engine *e, struct class *c, bool *ret_active)
{
    *ret_active = e->refused = false;
    for (uint32_t i = 0; i < c->profile->filters; i++) {
        const struct stow_profile_filter *f = &c->profile->filter[i];
        void *prep = NULL;
        int prepared = STOW_PREPARED;

        if (f->rule->scope != STOW_SCOPE_CLUSTER)
            continue;
        prep = stow_arena_zalloc(&e->scratch, f->rule->prep_size + 1);
        if (!prep)
            return STOW_ENOMEM;
        prepared = f->rule->prepare(f->self, e->state, &c->pod, prep, &e->scratch);
        if (prepared < 0)
            return prepared;
        c->filter_prep[i] = prepared == STOW_PREPARED_SKIP ? NULL : prep;
        e->refused |= prepared == STOW_PREPARED_NEVER;
        *ret_active |= prepared != STOW_PREPARED_SKIP;
    }
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        const struct stow_profile_scorer *f = &c->profile->scorer[i];
        void *prep = NULL;
        int prepared = STOW_PREPARED;

        if (f->rule->scope != STOW_SCOPE_CLUSTER) {
            *ret_active |= is_surveyed(f->rule) && !c->skipped[i];
            continue;
        }
        prep = stow_arena_zalloc(&e->scratch, f->rule->prep_size + 1);
        if (!prep)
            return STOW_ENOMEM;
        prepared = f->rule->prepare(f->self, e->state, &c->pod, prep, &e->scratch);
        if (prepared < 0)
            return prepared;
        c->scorer_prep[i] = prep;
        c->skipped[i] = prepared == STOW_PREPARED_SKIP;
        *ret_active |= prepared != STOW_PREPARED_SKIP;
    }
    return STOW_OK;
}

/* The candidates that the rules over several nodes leave, in e->list, their own totals in e->sum.
 */
static uint32_t survey_candidates(struct stow_engine *e, struct class *c)
{
    uint32_t count = 0, kept = 0;

    for (stow_node_id i = 0; i < e->state->nodes; i++)
        if (c->own[i] != -INFINITY)
            e->list[count++] = i;
    memset(e->fits, !e->refused, count);
    ask_filters(e, c, STOW_SCOPE_CLUSTER, e->list, count);
    for (uint32_t i = 0; i < count; i++)
        if (e->fits[i])
            e->list[kept++] = e->list[i];
    for (uint32_t i = 0; i < kept; i++)
        e->sum[i] = c->own[e->list[i]];
    return kept;
}

/* Normalised scorers over the candidates, all in the order of the profile. */
static void survey_scores(struct stow_engine *e, struct class *c, uint32_t count)
{
    for (uint32_t i = 0; i < c->profile->scorers; i++) {
        const struct stow_profile_scorer *f = &c->profile->scorer[i];

        if ((!is_surveyed(f->rule) && !is_graded(f->rule)) || c->skipped[i])
            continue;
        f->rule->score(f->self, c->scorer_prep[i], e->state, &c->pod, e->list, count, e->column);
        if (f->rule->normalise)
            f->rule->normalise(f->self, c->scorer_prep[i], e->state, &c->pod, e->list, count,
                               e->column);
        for (uint32_t n = 0; n < count; n++)
            e->sum[n] += f->weight * e->column[n];
    }
}

static uint32_t best_of_survey(const struct stow_engine *e, const struct class *c, uint32_t count)
{
    const struct ranking *r = &e->ranking[c->profile_index];
    uint32_t best = UINT32_MAX;
    int64_t top = 0;

    for (uint32_t i = 0; i < count; i++) {
        int64_t key = key_of(r, e->sum[i]);

        if (best == UINT32_MAX || key > top ||
            (key == top && r->place_of[e->list[i]] < r->place_of[e->list[best]])) {
            best = i;
            top = key;
        }
    }
    return best;
}

static void survey(struct stow_engine *e, struct class *c, struct stow_choice *ret)
{
    uint32_t count = survey_candidates(e, c);

    if (count)
        survey_scores(e, c, count);

    uint32_t best = best_of_survey(e, c, count);

    if (best != UINT32_MAX) {
        ret->node = e->list[best];
        ret->total = e->sum[best];
    }
}

/* ---- deciding ---------------------------------------------------------------------------- */

static void take_best(struct stow_engine *e, struct class *c, struct stow_choice *ret)
{
    uint32_t place = stow_board_best(&c->board);

    if (place == UINT32_MAX)
        return;
    ret->node = e->ranking[c->profile_index].node_at[place];
    ret->total = total_of(c, ret->node);
}

/* Whether rules over several nodes have something to say this time. */
static int needs_survey(struct stow_engine *e, struct class *c, bool *ret)
{
    *ret = false;
    if (!c->has_cluster || c->quiet_epoch == e->state->epoch)
        return STOW_OK;
    stow_arena_reset(&e->scratch);
    STOW_TRY(prepare_survey(e, c, ret));
    c->quiet_epoch = *ret ? 0 : e->state->epoch;
    return STOW_OK;
}

static int decide(struct stow_engine *e, stow_pod_id pod, struct stow_choice *ret)
{
    *ret = (struct stow_choice){.node = STOW_NONE};
    STOW_TRY(class_of(e, pod, &ret->class));

    struct class *c = e->class[ret->class];

    ret->profile = c->profile;
    if (!c->profile || c->never)
        return STOW_OK;
    refresh(e, c);
    STOW_TRY(needs_survey(e, c, &c->surveyed));
    if (c->surveyed)
        survey(e, c, ret);
    else
        take_best(e, c, ret);
    return STOW_OK;
}

int stow_engine_decide(struct stow_engine *engine, stow_pod_id pod, struct stow_choice *ret,
                       struct stow_err *err)
{
    int code = decide(engine, pod, ret);

    if (code == STOW_ELIMIT)
        return stow_fail(err, code, "more than %d different scores before normalising", GRADES_MAX);
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

void stow_engine_place(struct stow_engine *engine, stow_pod_id pod, stow_node_id node)
{
    stow_state_place(engine->state, pod, node);
    engine->last_log[node] = engine->logged;
    engine->log[engine->logged++] = node; /* there is room for every pod */
}

/* ---- components -------------------------------------------------------------------------- */

static double component(struct stow_engine *e, struct class *c, const struct stow_choice *choice,
                        uint32_t scorer)
{
    const struct stow_profile_scorer *f = &c->profile->scorer[scorer];
    double score = 0;

    for (uint32_t i = 0; i < c->gradeds && !c->surveyed; i++)
        if (c->graded[i].scorer == scorer)
            return c->graded[i].value[c->graded[i].grade[choice->node]];
    if (!f->rule->normalise) {
        f->rule->score(f->self, c->scorer_prep[scorer], e->state, &c->pod, &choice->node, 1,
                       &score);
        return score;
    }

    uint32_t count = survey_candidates(e, c);

    f->rule->score(f->self, c->scorer_prep[scorer], e->state, &c->pod, e->list, count, e->column);
    f->rule->normalise(f->self, c->scorer_prep[scorer], e->state, &c->pod, e->list, count,
                       e->column);
    for (uint32_t i = 0; i < count; i++)
        if (e->list[i] == choice->node)
            score = e->column[i];
    return score;
}

void stow_engine_components(struct stow_engine *engine, const struct stow_choice *choice,
                            double *ret_score, bool *ret_skipped)
{
    struct class *c = engine->class[choice->class];

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

static int make_ranking(struct stow_engine *e, uint32_t profile)
{
    struct ranking *r = &e->ranking[profile];
    const struct stow_profile *p = &e->profiles->profile[profile];
    size_t nodes = e->state->nodes;

    r->node_at = zeroed(e, nodes, sizeof(*r->node_at));
    r->place_of = zeroed(e, nodes, sizeof(*r->place_of));
    if (!r->node_at || !r->place_of)
        return STOW_ENOMEM;
    stow_tie_order(e->state, p, r->node_at);
    for (uint32_t i = 0; i < e->state->nodes; i++)
        r->place_of[r->node_at[i]] = i;
    r->whole = true;
    for (uint32_t i = 0; i < p->scorers; i++)
        r->whole &= p->scorer[i].rule->plugin && floor(p->scorer[i].weight) == p->scorer[i].weight;
    return STOW_OK;
}

static int open_engine(struct stow_engine *e)
{
    size_t room = e->state->nodes > BATCH ? e->state->nodes : BATCH;

    e->ranking = zeroed(e, e->profiles->count, sizeof(*e->ranking));
    e->last_log = zeroed(e, e->state->nodes, sizeof(*e->last_log));
    e->list = zeroed(e, room, sizeof(*e->list));
    e->fits = zeroed(e, room, sizeof(*e->fits));
    e->column = zeroed(e, room, sizeof(*e->column));
    e->sum = zeroed(e, room, sizeof(*e->sum));
    if (!e->ranking || !e->last_log || !e->list || !e->fits || !e->column || !e->sum ||
        stow_vec_reserve(&e->log, &e->log_cap, e->state->s->pods + 1, sizeof(*e->log)) < 0)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < e->profiles->count; i++)
        STOW_TRY(make_ranking(e, i));
    return STOW_OK;
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
            stow_board_done(&engine->class[i] -> board);
    free(engine->class);
    free(engine->log);
    stow_intern_done(&engine->class_keys);
    stow_arena_done(&engine->arena);
    stow_arena_done(&engine->scratch);
    free(engine);
}
