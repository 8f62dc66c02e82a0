/* consolidation.c - a Consolidation checked by carrying it out, step by step.
 *
 * Before the first step the cluster is as the input has it.  A step adds nodes, cordons those that
 * it removes, evicts all pods that it moves at once, places them one after the other, removes
 * nodes.  Each pod that moves must be allowed to (movable.c), and is asked about by every filter at
 * its new node: with those before it in their places, those after it on no node, and the nodes that
 * the step removes still there; it is there from then on.  If the plan lets pods wait, those that
 * say so are on no node until these nodes are gone, and are asked about then.  No budget loses more
 * pods in a step than it allows at once.  Pending pods that fit before the first step have room
 * after each step (pending.c).  After each step all pods have a node, and pods with rules
 * about other pods still comply (company.c), unless they did not in the first place and have not
 * moved since.  Limits hold at every moment, and what is saved is added up again.
 *
 * Asking about a move needs a scene (scene.c) in which everybody is where he is just then.  One
 * scene for each move would do and be slow.  So one is made for a step, without all the pods that
 * move in it; a pod is asked there if it has no rules about others and no pod repels it.  For the
 * others a scene is made each time.
 *
 * That no choice of nodes is cheaper than its bound is checked by its proof: proof.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"
#include "place/counts/tally.h"
#include "verify/company.h"
#include "verify/consolidation/limits.h"
#include "verify/consolidation/pending.h"
#include "verify/consolidation/pools.h"
#include "verify/consolidation/rows.h"
#include "verify/movable.h"

#define NODE STOW_NANO_PER_UNIT /* where nodes are counted, one of them */

struct walking {
    struct stow_audit *a;
    bool *there, *came;   /* per node of a->all; came with this step */
    bool *cordoned;       /* per node of a->all: this step removes it */
    stow_node_id *at;     /* per pod: its node in a->all; STOW_NONE: on none */
    bool *evicted;        /* per pod: this step moves it, and it has no place yet */
    bool *excused;        /* per pod: its rules did not hold in the beginning */
    uint32_t *budget;     /* per pod; STOW_NONE: none */
    bool *budgets;        /* per pod: it has several */
    bool *mobile;         /* per pod: it may move at all */
    int64_t *allowed;     /* per budget */
    uint32_t *used;       /* per budget, in this step */
    uint32_t *size;       /* per group */
    bool repelled;        /* some pod repels others; ... */
    bool *shunned;        /* ... per pod: some pod repels it */
    stow_node_id *was_at; /* as they were before the steps since the last one that had to pay ... */
    bool *was_there;
    stow_nano *price; /* per node of a->all: what it counts */
    stow_i128 saving; /* ... and of those */
    uint64_t moves;   /* in them */
    stow_i128 total;
    struct stow_pace pace;
    double deadline; /* 0: none */
    bool late;
};

static void walking_done(struct walking *w)
{
    free(w->there);
    free(w->came);
    free(w->cordoned);
    free(w->at);
    free(w->evicted);
    free(w->excused);
    free(w->shunned);
    free(w->budget);
    free(w->budgets);
    free(w->mobile);
    free(w->allowed);
    free(w->used);
    free(w->size);
    free(w->was_at);
    free(w->was_there);
    free(w->price);
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- opening ----------------------------------------------------------------------------- */

static bool allocate(struct walking *w)
{
    const struct stow_snapshot *s = w->a->s;
    const size_t nodes = (size_t)w->a->all.s.nodes + 1, pods = (size_t)s->pods + 1;

    w->there = calloc(nodes, sizeof(*w->there));
    w->came = calloc(nodes, sizeof(*w->came));
    w->cordoned = calloc(nodes, sizeof(*w->cordoned));
    w->at = calloc(pods, sizeof(*w->at));
    w->evicted = calloc(pods, sizeof(*w->evicted));
    w->excused = calloc(pods, sizeof(*w->excused));
    w->shunned = calloc(pods, sizeof(*w->shunned));
    w->budget = malloc(pods * sizeof(*w->budget));
    w->budgets = calloc(pods, sizeof(*w->budgets));
    w->mobile = calloc(pods, sizeof(*w->mobile));
    w->allowed = calloc((size_t)s->budgets + 1, sizeof(*w->allowed));
    w->used = calloc((size_t)s->budgets + 1, sizeof(*w->used));
    w->size = calloc((size_t)s->groups + 1, sizeof(*w->size));
    w->was_at = calloc(pods, sizeof(*w->was_at));
    w->was_there = calloc(nodes, sizeof(*w->was_there));
    w->price = calloc(nodes, sizeof(*w->price));
    return w->was_at && w->was_there && w->price && w->there && w->came && w->cordoned && w->at &&
           w->evicted && w->excused && w->shunned && w->budget && w->budgets && w->mobile &&
           w->allowed && w->used && w->size;
}

static void find_budgets(struct walking *w)
{
    const struct stow_snapshot *s = w->a->s;

    memset(w->budget, 0xFF, ((size_t)s->pods + 1) * sizeof(*w->budget));
    for (uint32_t b = 0; b < s->budgets; b++) {
        w->allowed[b] = stow_audit_budget_allows(w->a, b);
        for (stow_pod_id i = 0; i < s->pods; i++) {
            if (!stow_audit_budget_covers(w->a, b, i))
                continue;
            w->budgets[i] = w->budget[i] != STOW_NONE;
            w->budget[i] = b;
        }
    }
}

/* Pods that are pending take no part. */
static void look_over(struct walking *w)
{
    const struct stow_snapshot *s = w->a->s;

    for (stow_node_id i = 0; i < w->a->real; i++)
        w->there[i] = true;
    for (stow_pod_id i = 0; i < s->pods; i++) {
        w->at[i] = stow_pod_counts(&s->pod[i]) ? s->pod[i].node : STOW_NONE;
        w->repelled |= w->at[i] != STOW_NONE && stow_spec(s, s->pod[i].spec)->anti_required != 0;
    }
    for (stow_group_id g = 0; g < s->groups; g++)
        w->size[g] = s->group[g].current_nodes;
    find_budgets(w);
    for (stow_pod_id i = 0; i < s->pods; i++)
        w->mobile[i] = !stow_audit_stays(w->a, i) && !w->budgets[i] &&
                       (w->budget[i] == STOW_NONE || w->allowed[w->budget[i]] > 0);
}

/* The cluster as it is now, with pods as given. */
static int open_now(const struct walking *w, struct stow_scene *scene, const stow_node_id *at,
                    struct stow_err *err)
{
    const struct stow_moment moment = {w->there, w->cordoned, at};

    return stow_scene_open(scene, w->a, &moment, err);
}

/* ---- rules between pods ------------------------------------------------------------------ */

/* Pods that have to comply wherever they are, as long as they are there. */
static bool is_watched(const struct walking *w, stow_pod_id pod)
{
    const struct stow_pod_spec *spec = stow_spec(w->a->s, w->a->s->pod[pod].spec);

    return w->at[pod] != STOW_NONE && (spec->spread || spec->affinity_required) &&
           !stow_audit_is_resident(w->a, pod);
}

/* All watched pods at this moment.  `token` UINT32_MAX: it is the beginning, and whoever does not
 * comply is excused. */
static int watch(struct walking *w, uint32_t token, struct stow_err *err)
{
    STOW_AUTO(stow_scene_done) struct stow_scene scene = {0};
    bool open = false;

    for (stow_pod_id i = 0; i < w->a->s->pods; i++) {
        int holds;

        if (!is_watched(w, i) || (w->excused[i] && w->at[i] == w->a->s->pod[i].node))
            continue;
        if (!open)
            STOW_TRY(open_now(w, &scene, w->at, err));
        open = true;
        holds = stow_company_holds(&scene, i, w->at[i]);
        if (holds < 0)
            return stow_fail_memory(err);
        if (token == UINT32_MAX)
            w->excused[i] = !holds;
        else if (!holds)
            stow_audit_wrong(w->a, STOW_VERIFY_FILTERS, token,
                             "after this step spreading or affinity of pod %s does not hold",
                             stow_audit_pod_name(w->a, i));
    }
    return STOW_OK;
}

/* Whom others repel, as they all are in the beginning. */
static int find_shunned(struct walking *w, struct stow_err *err)
{
    STOW_AUTO(stow_scene_done) struct stow_scene scene = {0};

    if (!w->repelled)
        return STOW_OK;
    STOW_TRY(open_now(w, &scene, w->at, err));
    for (stow_pod_id i = 0; i < w->a->s->pods; i++) {
        const int shunned = w->at[i] == STOW_NONE ? 0 : stow_company_shuns(&scene, i);

        if (shunned < 0)
            return stow_fail_memory(err);
        w->shunned[i] = shunned;
    }
    return STOW_OK;
}

/* ---- adding ------------------------------------------------------------------------------ */

/* What a node counts: its price, or one where nodes are counted; STOW_MONEY_UNKNOWN. */
static stow_nano weight_of(const struct walking *w, stow_node_id node)
{
    const struct stow_audit *a = w->a;

    if (a->told.counts_nodes)
        return NODE;
    return node < a->real ? stow_audit_weight(a, node) : a->price[a->group_of[node - a->real]];
}

static void check_price(struct walking *w, uint32_t number)
{
    struct stow_audit *a = w->a;
    const struct stow_told_node *node = &a->told.node[number];
    const stow_nano price = weight_of(w, a->real + number);
    const bool right = a->told.counts_nodes
                           ? !node->price.given
                           : price != STOW_MONEY_UNKNOWN && node->price.amount == price;
    char is[STOW_MONEY_TEXT];

    if (!right)
        stow_audit_wrong(a, STOW_VERIFY_COST,
                         node->price.given ? node->price.token : node->name.token,
                         a->told.counts_nodes ? "nodes are counted, and a node of %s has a price"
                                              : "a node of %s costs %s per hour",
                         a->s->group[a->group_of[number]].name, stow_money_exact(price, is));
}

static void add_node(struct walking *w, uint32_t number, stow_i128 *saving)
{
    struct stow_audit *a = w->a;
    const struct stow_told_node *node = &a->told.node[number];
    const stow_group_id g = a->group_of[number];
    const struct stow_group *group = &a->s->group[g];
    const stow_nano weight = weight_of(w, a->real + number);

    w->there[a->real + number] = w->came[a->real + number] = true;
    check_price(w, number);
    *saving -= weight == STOW_MONEY_UNKNOWN ? 0 : weight;
    if (group->scaling == STOW_SCALING_ZERO_OR_MAX)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, node->name.token,
                         "group %s has all of its nodes or none", group->name);
    if (++w->size[g] > group->max_nodes && group->max_nodes != STOW_NONE)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, node->name.token,
                         "group %s has %u nodes then, and its maxNodes is %u", group->name,
                         w->size[g], group->max_nodes);
}

static int add_nodes(struct walking *w, const struct stow_told_change *step, stow_i128 *saving,
                     struct stow_err *err)
{
    memset(w->came, 0, w->a->all.s.nodes * sizeof(*w->came));
    for (uint32_t i = 0; i < step->add.count; i++)
        add_node(w, step->add.first + i, saving);
    return stow_audit_limits_now(w->a, w->there, w->came, step->token, err);
}

/* ---- moving ------------------------------------------------------------------------------ */

static stow_node_id node_named(const struct walking *w, struct stow_str name)
{
    return stow_audit_any_node(w->a, name);
}

static bool is_open(const struct walking *w, stow_node_id node)
{
    return stow_audit_is_open(w->a, w->there, node);
}

/* What forbids a move, filters aside; NULL: nothing. */
static const char *forbidden(struct walking *w, const struct stow_told_move *move)
{
    const stow_pod_id pod = w->a->pod[move->pod];
    const stow_node_id from = node_named(w, move->from.text), to = node_named(w, move->to.text);
    const char *why = stow_audit_stays(w->a, pod);
    const uint32_t budget = w->budget[pod];

    if (why)
        return why;
    if (from == STOW_NONE || w->at[pod] != from)
        return "it is not on the node that it leaves";
    if (!is_open(w, to))
        return "its new node does not exist or is not ready";
    if (to < w->a->s->nodes && stow_audit_pool_refuses(w->a, to))
        return "its new node is not initialized, or within consolidateAfter of its NodePool";
    if (w->budgets[pod])
        return "it has several PodDisruptionBudgets";
    if (budget != STOW_NONE && (int64_t)++w->used[budget] > w->allowed[budget])
        return "its PodDisruptionBudget allows no more disruptions at once";
    return NULL;
}

static bool minds_others(const struct walking *w, stow_pod_id pod)
{
    const struct stow_pod_spec *spec = stow_spec(w->a->s, w->a->s->pod[pod].spec);

    return w->shunned[pod] || spec->spread || spec->affinity_required || spec->anti_required;
}

/* In a scene of its own: everybody where he is now. */
static int ask_alone(struct walking *w, stow_pod_id pod, stow_node_id to,
                     struct stow_scene_refusal *ret, struct stow_err *err)
{
    STOW_AUTO(stow_scene_done) struct stow_scene scene = {0};
    int code;

    STOW_TRY(open_now(w, &scene, w->at, err));
    code = stow_scene_ask(&scene, pod, to, ret);
    if (code == 0) { /* the words go with the scene */
        const char *text =
            stow_arena_printf(&w->a->arena, "%s%s%s", ret->text, ret->detail ? ": " : "",
                              ret->detail ? ret->detail : "");

        *ret = (struct stow_scene_refusal){text, NULL};
        code = text ? 0 : STOW_ENOMEM;
    }
    return code < 0 ? stow_fail_memory(err) : code;
}

static void refuse_move(struct stow_audit *a, const struct stow_told_move *move,
                        const struct stow_scene_refusal *why)
{
    const struct stow_told_text *name = &a->told.pod[move->pod];

    stow_audit_wrong(a, STOW_VERIFY_FILTERS, name->token,
                     "pod %.*s may not go to node %.*s: %s%s%s", STOW_FMT(name->text),
                     STOW_FMT(move->to.text), why->text, why->detail ? ": " : "",
                     why->detail ? why->detail : "");
}

/* What forbids that a pod waits; NULL: nothing. */
static const char *impatient(const struct walking *w, const struct stow_told_move *move)
{
    if (!move->waits)
        return NULL;
    if (!w->a->told.waits)
        return "it is marked as waiting, and spreadOnRemoval is strict";
    if (!w->cordoned[w->at[w->a->pod[move->pod]]])
        return "it is marked as waiting, and its node is not removed by this step";
    return NULL;
}

/* All pods that the step moves leave their nodes at once. */
static void evict_pods(struct walking *w, const struct stow_told_change *step)
{
    struct stow_audit *a = w->a;

    memset(w->used, 0, ((size_t)a->s->budgets + 1) * sizeof(*w->used));
    memset(w->evicted, 0, ((size_t)a->s->pods + 1) * sizeof(*w->evicted));
    for (uint32_t i = 0; i < step->move.count; i++) {
        const struct stow_told_move *move = &a->told.move[step->move.first + i];
        const struct stow_told_text *name = &a->told.pod[move->pod];
        const stow_pod_id pod = a->pod[move->pod];
        const char *why = w->evicted[pod] ? "it moves twice in one step" : forbidden(w, move);

        if (!why)
            why = impatient(w, move);
        if (why) {
            stow_audit_wrong(a, STOW_VERIFY_PODS, name->token, "pod %.*s must not move: %s",
                             STOW_FMT(name->text), why);
            continue;
        }
        w->evicted[pod] = true;
        w->at[pod] = STOW_NONE;
    }
    stow_audit_leave_rooms(a, step, w->at);
}

/* One of them takes its place.  Pods without rules about others are asked in `scene`. */
static int place_pod(struct walking *w, const struct stow_told_move *move, struct stow_scene *scene,
                     struct stow_err *err)
{
    const stow_pod_id pod = w->a->pod[move->pod];
    const stow_node_id to = node_named(w, move->to.text);
    struct stow_scene_refusal refusal = {"the node does not exist or is not ready", NULL};
    int fits = 0;

    if (is_open(w, to))
        fits = minds_others(w, pod) ? ask_alone(w, pod, to, &refusal, err)
                                    : stow_scene_ask(scene, pod, to, &refusal);
    if (fits < 0)
        return stow_fail_memory(err);
    if (!fits)
        refuse_move(w->a, move, &refusal);
    w->evicted[pod] = false;
    if (!is_open(w, to))
        return STOW_OK;
    stow_scene_place(scene, pod, to);
    w->at[pod] = to;
    return STOW_OK;
}

/* Those that do not wait, or those that do, in the order of the plan. */
static int place_pods(struct walking *w, const struct stow_told_change *step, bool waiting,
                      struct stow_err *err)
{
    STOW_AUTO(stow_scene_done) struct stow_scene scene = {0};
    const struct stow_audit *a = w->a;
    bool open = false;

    for (uint32_t i = 0; i < step->move.count; i++) {
        const struct stow_told_move *move = &a->told.move[step->move.first + i];

        w->late = w->late || (w->deadline > 0 && seconds_now() > w->deadline);
        if (w->late)
            return STOW_OK;
        if (!w->evicted[a->pod[move->pod]] || move->waits != waiting)
            continue;
        if (!open)
            STOW_TRY(open_now(w, &scene, w->at, err));
        open = true;
        STOW_TRY(place_pod(w, move, &scene, err));
    }
    return open && scene.state.tally->failed ? stow_fail_memory(err) : STOW_OK;
}

/* ---- removing ---------------------------------------------------------------------------- */

/* What forbids removing a node, pods aside; NULL: nothing. */
static const char *held(const struct walking *w, stow_node_id node)
{
    const struct stow_audit *a = w->a;

    if (node == STOW_NONE || !w->there[node])
        return "it does not exist";
    if (node >= a->s->nodes && node < a->real)
        return "it is upcoming";
    if (weight_of(w, node) == STOW_MONEY_UNKNOWN)
        return "its price is not known";
    if (node >= a->s->nodes)
        return NULL;
    return stow_audit_is_kept(a, node) ? stow_audit_is_kept(a, node)
                                       : stow_audit_pool_keeps(a, node);
}

static void remove_node(struct walking *w, const struct stow_told_text *name, stow_i128 *saving)
{
    struct stow_audit *a = w->a;
    const stow_node_id node = node_named(w, name->text);
    const char *why = held(w, node);
    stow_group_id group;

    if (why) {
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, name->token, "node %.*s must not be removed: %s",
                         STOW_FMT(name->text), why);
        return;
    }
    group = a->all.s.node[node].group;
    w->there[node] = false;
    *saving += weight_of(w, node);
    if (!a->told.counts_nodes && !stow_audit_shares_left(a, w->there, node))
        stow_audit_wrong(a, STOW_VERIFY_COST, name->token,
                         "node %.*s saves nothing: fewer nodes like it are left than are committed",
                         STOW_FMT(name->text));
    if (group == STOW_NONE || a->s->group[group].implied)
        return;
    if (--w->size[group] < a->s->group[group].min_nodes)
        stow_audit_wrong(a, STOW_VERIFY_LIMITS, name->token,
                         "group %s has %u nodes then, and its minNodes is %u",
                         a->s->group[group].name, w->size[group], a->s->group[group].min_nodes);
}

static void remove_nodes(struct walking *w, const struct stow_told_change *step, stow_i128 *saving)
{
    struct stow_audit *a = w->a;

    for (uint32_t i = 0; i < step->remove.count; i++)
        remove_node(w, &a->told.name[step->remove.first + i], saving);
    for (stow_pod_id i = 0; i < a->s->pods && step->remove.count; i++) {
        if (w->at[i] == STOW_NONE || w->there[w->at[i]])
            continue;
        if (!stow_audit_is_resident(a, i))
            stow_audit_wrong(a, STOW_VERIFY_PODS, step->token,
                             stow_pod_pending(&a->s->pod[i])
                                 ? "pod %s is pending, and this step removes the node with its room"
                                 : "pod %s is on a node that this step removes",
                             stow_audit_pod_name(a, i));
        w->at[i] = STOW_NONE;
    }
}

/* ---- steps ------------------------------------------------------------------------------- */

/* "0.380000000", "2" nodes; below 0 with a sign. */
static const char *amount_text(const struct stow_audit *a, stow_i128 amount,
                               char text[STOW_MONEY_TEXT])
{
    const stow_nano exact = (stow_nano)amount;

    if (!a->told.counts_nodes || exact % NODE)
        return stow_money_exact(exact, text);
    snprintf(text, STOW_MONEY_TEXT, "%lld", (long long)(exact / NODE));
    return text;
}

static void check_amount(struct stow_audit *a, const struct stow_told_money *told, stow_i128 is,
                         const char *what)
{
    char said[STOW_MONEY_TEXT], right[STOW_MONEY_TEXT];

    if (told->given && told->amount != is)
        stow_audit_wrong(a, STOW_VERIFY_COST, told->token, "%s is %s %s, not %s", what,
                         amount_text(a, is, right), a->told.counts_nodes ? "nodes" : "per hour",
                         amount_text(a, told->amount, said));
}

/* What comes next is counted from here. */
static void begin_unit(struct walking *w)
{
    w->saving = 0;
    w->moves = 0;
    memcpy(w->was_at, w->at, w->a->s->pods * sizeof(*w->was_at));
    memcpy(w->was_there, w->there, w->a->all.s.nodes * sizeof(*w->was_there));
}

/* A step pays for its moves, with those that prepared it. */
static void check_worth(struct walking *w, const struct stow_told_change *step, uint32_t number)
{
    const struct stow_verify_options *o = w->a->options;

    if (step->prepares) {
        if (step->prepares <= number || step->prepares > w->a->told.changes)
            stow_audit_wrong(w->a, STOW_VERIFY_COST, step->token,
                             "step %u prepares step %lld, which does not come later", number,
                             (long long)step->prepares);
        return;
    }
    if (w->saving <= 0 || w->saving < o->min_saving)
        stow_audit_wrong(w->a, STOW_VERIFY_COST, step->saving.token,
                         w->saving <= 0 ? "step %u saves nothing"
                                        : "step %u saves less than --min-saving",
                         number);
    else if (w->saving <= (stow_i128)o->disruption_price * (stow_i128)w->moves)
        stow_audit_wrong(w->a, STOW_VERIFY_COST, step->saving.token,
                         "step %u saves no more than its moves at --disruption-price", number);
    stow_audit_pool_balance(
        w->a, &(struct stow_audit_unit){w->was_at, w->was_there, w->there, w->price, w->saving},
        step->token);
    begin_unit(w);
}

static void cordon_nodes(struct walking *w, const struct stow_told_change *step)
{
    memset(w->cordoned, 0, w->a->all.s.nodes * sizeof(*w->cordoned));
    for (uint32_t i = 0; i < step->remove.count; i++) {
        const stow_node_id node = node_named(w, w->a->told.name[step->remove.first + i].text);

        if (node != STOW_NONE)
            w->cordoned[node] = true;
    }
}

static int take_step(struct walking *w, uint32_t number, struct stow_err *err)
{
    const struct stow_told_change *step = &w->a->told.change[number];
    stow_i128 saving = 0;

    STOW_TRY(add_nodes(w, step, &saving, err));
    stow_pace_add(&w->pace, w->a, step, -saving);
    cordon_nodes(w, step);
    evict_pods(w, step);
    STOW_TRY(place_pods(w, step, false, err));
    if (w->late)
        return STOW_OK;
    stow_audit_pool_budgets(w->a, step, w->there, w->came);
    remove_nodes(w, step, &saving);
    STOW_TRY(place_pods(w, step, true, err));
    if (w->late)
        return STOW_OK;
    STOW_TRY(stow_audit_rooms(w->a, step, w->there, w->at, err));
    STOW_TRY(watch(w, step->token, err));
    check_amount(w->a, &step->saving, saving, "what this step saves");
    stow_pace_end(&w->pace, w->a, step, saving);
    w->saving += saving;
    w->total += saving;
    w->moves += step->move.count;
    check_worth(w, step, number + 1);
    return STOW_OK;
}

/* ---- sums -------------------------------------------------------------------------------- */

/* Every node that stays is in the list of those that do, once. */
static int check_kept(struct walking *w, struct stow_err *err)
{
    struct stow_audit *a = w->a;
    STOW_AUTO(stow_free_local) bool *seen = calloc((size_t)a->s->nodes + 1, sizeof(*seen));

    if (!seen)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->told.kepts; i++) {
        const struct stow_told_text *name = &a->told.kept[i];
        const stow_node_id node = stow_audit_node(a, name->text);

        if (node >= a->s->nodes || !w->there[node] || seen[node])
            stow_audit_wrong(a, STOW_VERIFY_PODS, name->token, "node %.*s does not stay, or is %s",
                             STOW_FMT(name->text), "listed twice");
        else
            seen[node] = true;
    }
    for (stow_node_id i = 0; i < a->s->nodes; i++)
        if (w->there[i] && !seen[i])
            stow_audit_wrong(a, STOW_VERIFY_PODS, UINT32_MAX,
                             "node %s stays, and is not among those that are kept",
                             a->s->node[i].name);
    return STOW_OK;
}

/* Of the nodes that were there, or of those that are there in the end. */
static struct stow_money_sum sum_up(const struct walking *w, bool end)
{
    const struct stow_audit *a = w->a;
    struct stow_money_sum sum = {0};

    for (stow_node_id i = 0; i < a->all.s.nodes; i++)
        if (i < a->s->nodes ? !end || w->there[i] : end && i >= a->real && w->there[i])
            stow_money_sum_add(&sum, weight_of(w, i));
    stow_add_clamped(&sum.amount, a->told.counts_nodes ? 0 : stow_audit_owed(a));
    return sum;
}

/* What is not known of the sums is said, and nothing is claimed of it. */
static void check_unknown(struct walking *w, const struct stow_money_sum *before)
{
    struct stow_audit *a = w->a;
    const struct stow_told *told = &a->told;

    if (told->unpriced >= 0 && told->unpriced != before->unknown)
        stow_audit_wrong(a, STOW_VERIFY_COST, told->unpriced_token,
                         "%lld nodes have no price, not %lld", (long long)before->unknown,
                         (long long)told->unpriced);
    if (told->at_least != stow_money_sum_is_least(before))
        stow_audit_wrong(a, STOW_VERIFY_COST, told->cost.token,
                         told->at_least ? "the sums are not minimums: leave out atLeast"
                                        : "some prices are not known: atLeast has to be true");
    if (stow_money_sum_is_unknown(before) && told->saving.given)
        stow_audit_wrong(a, STOW_VERIFY_COST, told->saving.token,
                         "no price is known, and a saving is stated");
    if (!stow_money_sum_is_exact(before) && told->gap.text.ptr)
        stow_audit_wrong(a, STOW_VERIFY_COST, told->gap.token,
                         "some prices are not known, and a gap is stated");
}

static void check_sums(struct walking *w)
{
    struct stow_audit *a = w->a;
    const struct stow_told *told = &a->told;
    const struct stow_money_sum before = sum_up(w, false), after = sum_up(w, true);

    check_amount(a, &told->before, stow_money_sum_least(&before),
                 told->counts_nodes ? "what is there before" : "the cost before");
    check_amount(a, &told->after, stow_money_sum_least(&after),
                 told->counts_nodes ? "what is there after" : "the cost after");
    check_amount(a, &told->saving, w->total, "what is saved");
    check_amount(a, &told->fees, stow_audit_fees(a), "what commitments cost");
    if (!told->fees.given && told->speaks_of_money && stow_audit_fees(a) > 0)
        stow_audit_wrong(a, STOW_VERIFY_COST, told->cost.token,
                         "the cost does not say what commitments cost (committed)");
    check_unknown(w, &before);
    if (told->moved >= 0 && told->moved != told->moves)
        stow_audit_wrong(a, STOW_VERIFY_COST, told->moved_token, "%u pods move, not %lld",
                         told->moves, (long long)told->moved);
    if (told->currency.text.ptr && !stow_str_eq(told->currency.text, a->bill.currency))
        stow_audit_wrong(a, STOW_VERIFY_COST, told->currency.token, "prices are in %.*s, not %.*s",
                         STOW_FMT(a->bill.currency), STOW_FMT(told->currency.text));
    stow_audit_gap(a, told->after.amount);
    a->out->before = before;
    a->out->cost = after;
}

/* What if a pod could move that stays only because of its devices? */
static void check_devices(struct stow_audit *a)
{
    for (stow_pod_id i = 0; i < a->s->pods; i++) {
        const struct stow_pod *pod = &a->s->pod[i];

        if (pod->node == STOW_NONE || !pod->owner || !stow_pod_counts(pod) ||
            stow_audit_is_resident(a, i) || !stow_audit_has_devices(a, i) ||
            (pod->flags & (STOW_POD_ASIDE | STOW_POD_TERMINATING)))
            continue;
        stow_audit_wrong(a, STOW_VERIFY_BOUND, a->told.bound_token,
                         "a bound is claimed, and where the devices of pod %s/%s could be "
                         "allocated again is not known",
                         stow_text(a->s, pod->namespace).ptr, pod->name);
        return;
    }
}

static int prove(struct walking *w, struct stow_err *err)
{
    const struct stow_audit *a = w->a;
    STOW_AUTO(stow_free_local) stow_nano *weight = calloc((size_t)a->real + 1, sizeof(*weight));

    if (!weight)
        return stow_fail_memory(err);
    for (stow_node_id i = 0; i < a->s->nodes; i++)
        weight[i] = weight_of(w, i);
    return stow_audit_standing(w->a, w->mobile, weight, err);
}

/* A bound where prices that matter are missing is none, nor is one where moves are not simulated.
 */
static int check_bound(struct walking *w, struct stow_err *err)
{
    struct stow_audit *a = w->a;
    const char *name = NULL;

    if (!a->told.has_bound)
        return STOW_OK;
    check_devices(a);
    if (!a->told.counts_nodes)
        STOW_TRY(stow_audit_unpriced_choice(a, w->mobile, &name, err));
    if (!a->told.counts_nodes && stow_audit_shares_unevenly(a))
        stow_audit_wrong(a, STOW_VERIFY_BOUND, a->told.bound_token,
                         "a bound is claimed, and nodes at several prices share a commitment");
    if (name)
        stow_audit_wrong(a, STOW_VERIFY_BOUND, a->told.bound_token,
                         "a bound is claimed, and the price of %s is not known, which could make "
                         "another choice cheaper",
                         name);
    return stow_audit_fine(a, STOW_VERIFY_BOUND) && stow_audit_fine(a, STOW_VERIFY_FILTERS)
               ? prove(w, err)
               : STOW_OK;
}

static void conclude(struct walking *w)
{
    struct stow_audit *a = w->a;
    char text[STOW_MONEY_TEXT];

    stow_audit_holds(a, STOW_VERIFY_PODS,
                     "%u move%s in %u step%s, of pods that may move, as budgets allow%s",
                     a->told.moves, a->told.moves == 1 ? "" : "s", a->told.changes,
                     a->told.changes == 1 ? "" : "s",
                     a->told.awaits ? ", and room for pending pods that fit now" : "");
    stow_audit_holds(
        a, STOW_VERIFY_FILTERS,
        "every filter accepts each pod on its new node, and every rule holds after each step");
    stow_audit_holds(a, STOW_VERIFY_LIMITS,
                     "sizes of groups and every limit given, after each step");
    stow_audit_holds(a, STOW_VERIFY_COST, "%s %s are saved",
                     a->told.counts_nodes ? amount_text(a, w->total, text)
                                          : stow_money_short((stow_nano)w->total, text),
                     a->told.counts_nodes ? "nodes" : "per hour");
}

static int take_steps(struct walking *w, struct stow_err *err)
{
    for (stow_node_id i = 0; i < w->a->all.s.nodes; i++)
        w->price[i] = i < w->a->s->nodes || i >= w->a->real ? weight_of(w, i) : 0;
    begin_unit(w);
    for (uint32_t i = 0; i < w->a->told.changes && !w->late; i++)
        STOW_TRY(take_step(w, i, err));
    return STOW_OK;
}

static int walk(struct walking *w, struct stow_err *err)
{
    STOW_TRY(find_shunned(w, err));
    STOW_TRY(watch(w, UINT32_MAX, err));
    STOW_TRY(take_steps(w, err));
    if (w->late) {
        stow_audit_unsettled(w->a, STOW_VERIFY_FILTERS, UINT32_MAX,
                             "not all steps were checked within --time-limit");
        return STOW_OK;
    }
    STOW_TRY(check_kept(w, err));
    check_sums(w);
    stow_pace_close(&w->pace, w->a);
    STOW_TRY(stow_audit_rows(w->a, &w->pace, w->mobile, err));
    STOW_TRY(check_bound(w, err));
    conclude(w);
    return STOW_OK;
}

/* Whether it was made for what it is asked about. */
static void check_minimise(struct stow_audit *a)
{
    const enum stow_verify_minimise asked = a->options->minimise;
    const enum stow_verify_minimise told =
        a->told.counts_nodes ? STOW_VERIFY_FEWEST_NODES : STOW_VERIFY_LEAST_COST;

    if (asked != STOW_VERIFY_AS_TOLD && asked != told)
        stow_audit_wrong(a, STOW_VERIFY_COST,
                         a->told.minimise.text.ptr ? a->told.minimise.token : a->told.cost.token,
                         a->told.counts_nodes ? "the plan counts nodes, not what they cost"
                                              : "the plan counts what nodes cost, not nodes");
}

int stow_audit_consolidation(struct stow_audit *a, struct stow_err *err)
{
    STOW_AUTO(walking_done) struct walking w = {.a = a};

    if (!stow_audit_fine(a, STOW_VERIFY_PODS)) /* names that mean nothing */
        return STOW_OK;
    w.deadline = a->options->seconds > 0 ? seconds_now() + a->options->seconds : 0;
    if (!allocate(&w))
        return stow_fail_memory(err);
    look_over(&w);
    stow_pace_open(&w.pace, a);
    a->out->counts_nodes = a->told.counts_nodes;
    check_minimise(a);
    STOW_TRY(stow_audit_awaits(a, w.there, w.at, err));
    return walk(&w, err);
}
