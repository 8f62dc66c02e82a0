/* chain_plan.c - the autoscaler's decision, once or until nothing is pending.
 *
 * A round: every group that may grow makes an option (how many nodes, which pods; estimate.c),
 * the chain of rankers takes one of them, limits cut it, similar groups share it, and the pods
 * settle on what was bought.  One round is what the autoscaler decides in one loop; `greedy` goes
 * on as it would loop after loop, with the nodes bought so far in the cluster.
 *
 * An estimate adds its nodes one by one, a purchase all at once; with spread constraints that
 * makes a difference.  So what an estimate put on its nodes is tried again on those that are
 * really bought, and a pod that finds no place there waits for the next round. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "scale/rules/rank_price.h"
#include "scale/session.h"

/* What an estimate comes to, for all groups of a kind. */
struct outlook {
    bool made;
    stow_node_limit limit; /* of which it was made */
    uint32_t nodes, pods;
    double pods_price;
    int64_t pods_cpu, pods_memory;
    const struct stow_taken_pods *taken; /* for the explanation */
    uint32_t takens;
};

struct chain_plan {
    struct stow_session *session;
    const struct stow_strategy *strategy;
    struct stow_estimator estimator;
    struct stow_run *run; /* what is still pending */
    double *pod_price;    /* per class */
    /* with balancing only */
    uint8_t *can;                    /* [group * classes + class] */
    struct stow_similar_node *alike; /* per group: what is compared */
    struct stow_arena arena;         /* of one round */
    /* of the round at hand */
    struct outlook *outlook; /* per group, for the first of each kind */
    struct stow_round_option *option;
    struct stow_candidate *candidate;
    stow_group_id *candidate_group;
    uint32_t options, candidates;
    struct stow_chain_result result;
};

static void chain_plan_done(struct chain_plan *p)
{
    stow_estimator_done(&p->estimator);
    free(p->run);
    free(p->pod_price);
    free(p->can);
    stow_arena_done(&p->arena);
}

/* ---- similar groups ---------------------------------------------------------------------- */

static int compare_resources(const void *a, const void *b)
{
    const stow_sym x = ((const struct stow_exact *)a)->resource;
    const stow_sym y = ((const struct stow_exact *)b)->resource;

    return (x > y) - (x < y);
}

/* What the daemon pods of a new node ask for, also where that follows from DaemonSets. */
static int describe_group(struct chain_plan *p, stow_group_id group)
{
    const struct stow_snapshot *s = p->session->scale->s;
    struct stow_similar_node *node = &p->alike[group];
    struct stow_exact *sum =
        stow_arena_zalloc(p->session->arena, (s->resources + 1) * sizeof(*sum));

    if (!sum)
        return STOW_ENOMEM;
    *node = (struct stow_similar_node){&s->fresh[group], s->group[group].daemon_overhead, NULL, 0};
    if (node->daemons != STOW_NONE)
        return STOW_OK;
    node->sum = sum;
    for (stow_resource_id r = 0; r < s->resources; r++) {
        const stow_i128 unit = r == STOW_RESOURCE_CPU ? 1000000 : 1000000000;
        const int64_t amount = s->overhead[(size_t)r * s->groups + group];

        if (amount && r != STOW_RESOURCE_PODS)
            sum[node->sums++] = stow_exact_of(s->resource[r], amount * unit);
    }
    qsort(sum, node->sums, sizeof(*sum), compare_resources);
    return STOW_OK;
}

static int describe_groups(struct chain_plan *p)
{
    const uint32_t groups = p->session->scale->s->groups;

    p->alike = stow_arena_zalloc(p->session->arena, ((size_t)groups + 1) * sizeof(*p->alike));
    if (!p->alike)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < groups; g++)
        if (p->session->grows[g])
            STOW_TRY(describe_group(p, g));
    return STOW_OK;
}

/* Takes every class of pods that `group` can. */
static bool takes_as_much(const struct chain_plan *p, stow_group_id group, stow_group_id other)
{
    const uint32_t classes = p->session->yard->classes;

    for (uint32_t i = 0; i < classes; i++)
        if (p->can[(size_t)group * classes + i] && !p->can[(size_t)other * classes + i])
            return false;
    return true;
}

/* Groups that get all their nodes at once are not balanced with others. */
static bool shares(const struct stow_session *session, stow_group_id group)
{
    return session->grows[group] &&
           session->scale->s->group[group].scaling != STOW_SCALING_ZERO_OR_MAX;
}

/* The groups among which nodes of `group` may be divided, itself first, others by name. */
static uint32_t similar_groups(const struct chain_plan *p, stow_group_id group, stow_group_id *ret)
{
    const struct stow_scale *scale = p->session->scale;
    uint32_t count = 0;

    ret[count++] = group;
    if (!scale->options.balance_similar || !shares(p->session, group))
        return count;
    for (stow_group_id g = 0; g < scale->s->groups; g++)
        if (g != group && shares(p->session, g) && stow_session_may_add(p->session, g, NULL) &&
            stow_similar(scale->s, p->alike[group], p->alike[g], &scale->options.similar) &&
            takes_as_much(p, group, g))
            ret[count++] = g;
    return count;
}

/* Which classes each group takes on a fresh node, before anything is packed. */
static int ask_groups(struct chain_plan *p)
{
    const struct stow_scale *scale = p->session->scale;
    struct stow_yard *yard = p->session->yard;

    if (!scale->options.balance_similar)
        return STOW_OK;
    if (!p->can)
        p->can = malloc((size_t)scale->s->groups * yard->classes + 1);
    if (!p->can || (!p->alike && describe_groups(p) < 0))
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < scale->s->groups; g++) {
        uint32_t mark = stow_yard_mark(yard), node;

        if (!p->session->grows[g])
            continue;
        node = stow_yard_add_node(yard, g);
        if (node == STOW_NONE)
            return STOW_ENOMEM;
        for (uint32_t i = 0; i < yard->classes; i++)
            p->can[(size_t)g * yard->classes + i] = stow_yard_fits(yard, i, node);
        stow_yard_rollback(yard, mark);
    }
    return STOW_OK;
}

/* ---- options ----------------------------------------------------------------------------- */

static stow_node_limit limit_of(const struct chain_plan *p, stow_group_id group,
                                stow_group_id *similar)
{
    const struct stow_session *session = p->session;
    const struct stow_scale_options *options = &session->scale->options;
    const uint32_t count = similar_groups(p, group, similar);
    struct stow_size_room room = {0};
    struct stow_limiter limiter = {.nodes = options->max_nodes_per_scaleup};

    if (options->unlimited_estimates)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        stow_size_room_add(&room, session->scale->s->group[similar[i]].max_nodes,
                           session->size[similar[i]]);
    stow_limiter_narrow(&limiter, stow_limit_of_sizes(&room), 0);
    stow_limiter_narrow(&limiter,
                        stow_limit_of_cluster(options->max_nodes_total, session->yard->nodes), 0);
    return limiter.nodes;
}

static uint32_t pending_pods(const struct chain_plan *p)
{
    uint32_t pods = 0;

    for (uint32_t i = 0; i < p->session->ground->runs; i++)
        pods += p->run[i].pods;
    return pods;
}

/* Prices and requests of the pods that the estimate took. */
static void add_up(const struct chain_plan *p, struct outlook *outlook)
{
    const struct stow_yard *yard = p->session->yard;
    const struct stow_estimate *estimate = &p->estimator.ret;

    for (uint32_t i = 0; i < p->estimator.runs; i++) {
        const uint32_t number = estimate->order[i], taken = estimate->taken[number];
        const struct stow_yard_class *class = &yard->class[p->run[number].class];

        for (uint32_t n = 0; n < taken; n++) /* one by one: the sum is upstream's, to the bit */
            outlook->pods_price += p->pod_price[p->run[number].class];
        for (uint32_t d = 1; d < yard->dims && taken; d++) {
            if (yard->resource[d] == STOW_RESOURCE_CPU)
                outlook->pods_cpu += class->need[d] * taken;
            if (yard->resource[d] == STOW_RESOURCE_MEMORY)
                outlook->pods_memory += class->need[d] * taken;
        }
    }
}

/* Which pods the estimate took, for the explanation. */
static void note_taken(struct chain_plan *p, struct outlook *outlook)
{
    struct stow_session *session = p->session;
    const uint32_t *taken = p->estimator.ret.taken;
    struct stow_taken_pods *list;

    if (!session->scale->options.explain)
        return;
    list = stow_arena_alloc(session->arena, (p->estimator.runs + 1) * sizeof(*list));
    if (!list) {
        session->failed = true;
        return;
    }
    for (uint32_t i = 0; i < p->estimator.runs; i++)
        if (taken[i])
            list[outlook->takens++] =
                (struct stow_taken_pods){session->ground->alike.pod[p->run[i].first], taken[i]};
    outlook->taken = list;
}

/* Some pods would be left, and then nothing is to be bought. */
static bool falls_short(const struct chain_plan *p, const struct outlook *outlook)
{
    return p->session->scale->options.all_or_nothing && outlook->pods < pending_pods(p);
}

static int look_out(struct chain_plan *p, stow_group_id group, stow_node_limit limit,
                    struct outlook *ret)
{
    struct stow_session *session = p->session;
    const uint32_t mark = stow_yard_mark(session->yard);

    STOW_TRY(stow_estimate(&p->estimator, group, limit));
    stow_yard_rollback(session->yard, mark);
    *ret = (struct outlook){
        .made = true,
        .limit = limit,
        .nodes = p->estimator.ret.nodes,
        .pods = p->estimator.ret.pods,
    };
    if (falls_short(p, ret))
        return STOW_OK;
    for (uint32_t i = 0; i < session->yard->classes; i++)
        session->could[i] |= p->estimator.can[i];
    add_up(p, ret);
    note_taken(p, ret);
    return STOW_OK;
}

/* Groups of one kind and limit have one estimate.  The fast path looks at more of a group than pods
 * do. */
static int outlook_of(struct chain_plan *p, stow_group_id group, stow_node_limit limit,
                      const struct outlook **ret)
{
    const stow_group_id kind = p->estimator.fastpath ? group : p->session->yard->kind[group];
    struct outlook *outlook = &p->outlook[kind];

    if (!outlook->made || outlook->limit != limit)
        STOW_TRY(look_out(p, group, limit, outlook));
    *ret = outlook;
    return STOW_OK;
}

/* What rankers see of a group. */
static struct stow_candidate describe(const struct chain_plan *p, stow_group_id group,
                                      const struct outlook *outlook)
{
    const struct stow_scale *scale = p->session->scale;
    const struct stow_group *g = &scale->s->group[group];
    const struct stow_node *fresh = &scale->s->fresh[group];
    uint32_t nodes = outlook->nodes;

    if (g->scaling == STOW_SCALING_ZERO_OR_MAX) /* upstream's number is wrong when it has some */
        nodes =
            scale->options.strict_upstream ? g->max_nodes : stow_session_room(p->session, group);
    return (struct stow_candidate){
        .group = stow_str_of(g->name),
        .nodes = nodes,
        .pods = outlook->pods,
        .has_template = true,
        .exists = g->exists,
        .gpu = stow_price_gpu_node(scale->s, fresh),
        .cpu = stow_capacity_of(scale->s, fresh, STOW_SYM_CPU),
        .memory = stow_capacity_of(scale->s, fresh, STOW_SYM_MEMORY),
        .pods_cpu = outlook->pods_cpu,
        .pods_memory = outlook->pods_memory,
        .priced = scale->price[group].ranked,
        .pods_priced = true,
        .node_price = scale->price[group].as_double,
        .pods_price = outlook->pods_price,
    };
}

static int make_option(struct chain_plan *p, stow_group_id group, stow_group_id *similar)
{
    struct stow_session *session = p->session;
    struct stow_round_option *option = &p->option[p->options++];
    struct stow_candidate *candidate = &p->candidate[p->candidates];
    const struct outlook *outlook = NULL;

    *option = (struct stow_round_option){.group = group, .why = session->refused[group]};
    if (option->why || !stow_session_may_add(session, group, &option->why))
        return STOW_OK;
    STOW_TRY(outlook_of(p, group, limit_of(p, group, similar), &outlook));
    if (falls_short(p, outlook)) {
        option->why = session->refused[group] = STOW_ALL_OR_NOTHING;
        return STOW_OK;
    }
    if (!outlook->pods || !outlook->nodes) {
        option->why = "no pending pod fits a new node";
        return STOW_OK;
    }
    *candidate = describe(p, group, outlook);
    option->nodes = candidate->nodes;
    option->pods = candidate->pods;
    option->taken = outlook->taken;
    option->takens = outlook->takens;
    p->candidate_group[p->candidates++] = group;
    return STOW_OK;
}

static int make_options(struct chain_plan *p)
{
    const struct stow_scale *scale = p->session->scale;
    const size_t groups = (size_t)scale->s->groups + 1;
    stow_group_id *similar = stow_arena_alloc(&p->arena, groups * sizeof(*similar));

    p->options = p->candidates = 0;
    p->option = stow_arena_alloc(&p->arena, groups * sizeof(*p->option));
    p->candidate = stow_arena_alloc(&p->arena, groups * sizeof(*p->candidate));
    p->candidate_group = stow_arena_alloc(&p->arena, groups * sizeof(*p->candidate_group));
    p->outlook = stow_arena_zalloc(&p->arena, groups * sizeof(*p->outlook));
    if (!similar || !p->outlook || !p->option || !p->candidate || !p->candidate_group)
        return STOW_ENOMEM;
    memset(p->session->could, 0, p->session->yard->classes);
    STOW_TRY(stow_yard_find_kinds(p->session->yard));
    STOW_TRY(ask_groups(p));
    for (stow_group_id g = 0; g < scale->s->groups && !stow_session_is_late(p->session); g++)
        if (p->session->grows[g])
            STOW_TRY(make_option(p, g, similar));
    return STOW_OK;
}

/* ---- buying ------------------------------------------------------------------------------ */

/* How many nodes each group gets of a decision. */
struct purchase {
    stow_group_id *group;
    struct stow_group_share *share;
    uint32_t count;
};

/* `alone`: groups that are similar get nothing. */
static int divide(struct chain_plan *p, stow_group_id group, uint32_t nodes, bool alone,
                  struct purchase *ret)
{
    const struct stow_session *session = p->session;
    const struct stow_snapshot *s = session->scale->s;
    const uint32_t quota = stow_session_quota(session, group);

    ret->group = stow_arena_alloc(&p->arena, (s->groups + 1) * sizeof(*ret->group));
    ret->share = stow_arena_zalloc(&p->arena, (s->groups + 1) * sizeof(*ret->share));
    if (!ret->group || !ret->share)
        return STOW_ENOMEM;
    ret->count = similar_groups(p, group, ret->group);
    ret->count = alone ? 1 : ret->count;
    for (uint32_t i = 0; i < ret->count; i++) {
        const struct stow_group *g = &s->group[ret->group[i]];

        ret->share[i] = (struct stow_group_share){
            .name = g->name, .max = g->max_nodes, .current = session->size[ret->group[i]]};
    }
    stow_balance(ret->share, ret->count, nodes < quota ? nodes : quota);
    return STOW_OK;
}

/* Buys what each group gets, the chosen group first; a list of the new nodes. */
static int buy(struct chain_plan *p, const struct purchase *purchase, struct stow_round *round)
{
    struct stow_session *session = p->session;
    struct stow_plan_group *bought =
        stow_arena_alloc(session->arena, purchase->count * sizeof(*bought) + 1);
    uint32_t count = 0;

    if (!bought)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < purchase->count; i++) {
        const stow_group_id group = purchase->group[i];
        const uint32_t from = session->size[group], target = purchase->share[i].target;

        while (session->size[group] < target && stow_session_quota(session, group))
            if (stow_session_buy(session, group) == STOW_NONE)
                return STOW_ENOMEM;
        if (session->size[group] > from)
            bought[count++] = (struct stow_plan_group){group, from, session->size[group]};
    }
    if (round) {
        round->bought = bought;
        round->boughts = count;
    }
    return STOW_OK;
}

/* ---- settling ---------------------------------------------------------------------------- */

/* Puts up to `count` pods of a run on a node; how many are left of them is in `count`. */
static int settle_on(struct chain_plan *p, struct stow_run *run, uint32_t node, uint32_t *count)
{
    struct stow_session *session = p->session;
    const stow_pod_id *pods = session->ground->alike.pod;

    while (*count && stow_yard_fits(session->yard, run->class, node)) {
        uint32_t put = 1;

        if (session->yard->class[run->class].plain) {
            put = stow_yard_room(session->yard, run->class, node);
            put = put < *count ? put : *count;
        }
        STOW_TRY(stow_session_put(session, pods + run->first, put, node));
        run->first += put;
        run->pods -= put;
        *count -= put;
    }
    return STOW_OK;
}

/* Pods of a run to any node from `from` on (plain ones never fit older nodes). */
static int settle_anywhere(struct chain_plan *p, struct stow_run *run, uint32_t from,
                           uint32_t count)
{
    struct stow_yard *yard = p->session->yard;

    if (from < yard->real)
        STOW_TRY(stow_yard_ask_real(yard, run->class));
    for (uint32_t node = from; node < yard->nodes && count; node++) {
        if (node >= yard->real) {
            node = stow_yard_next_room(yard, run->class, node, yard->nodes);
            if (node >= yard->nodes)
                break;
        }
        STOW_TRY(settle_on(p, run, node, &count));
    }
    return STOW_OK;
}

/* A purchase as the estimate saw it. */
struct seen {
    struct stow_yard_entry *entry;
    uint32_t count;
    uint32_t first; /* new nodes from here on */
    uint32_t *node; /* the estimate's nodes that got a pod: their places among those bought */
};

static int remember(struct chain_plan *p, uint32_t mark, uint32_t first, struct seen *ret)
{
    const struct stow_yard *yard = p->session->yard;
    const uint32_t made = yard->nodes - first;
    uint32_t used = 0;

    ret->count = yard->logged - mark;
    ret->first = first;
    ret->entry = stow_arena_copy(&p->arena, yard->log + mark, ret->count * sizeof(*ret->entry));
    ret->node = stow_arena_alloc(&p->arena, (made + 1) * sizeof(*ret->node));
    if (!ret->entry || !ret->node)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < made; i++) {
        const stow_group_id group = yard->group_of[first + i - yard->real];
        const bool empty = yard->free[0][first + i] == yard->group[group].room[0];

        ret->node[i] = empty ? UINT32_MAX : used++;
    }
    return STOW_OK;
}

/* The pods of the estimate go where it put them, as far as that was bought. */
static int settle_as_seen(struct chain_plan *p, const struct seen *seen)
{
    const struct stow_yard *yard = p->session->yard;
    const struct stow_estimate *estimate = &p->estimator.ret;
    uint32_t at = 0, used = 0;

    for (uint32_t i = 0; i < p->estimator.runs; i++) {
        const uint32_t number = estimate->order[i];
        uint32_t left = estimate->taken[number];

        while (left && at < seen->count) {
            const struct stow_yard_entry *e = &seen->entry[at];
            uint32_t node = e->node, count = e->count - used;

            if (e->class == STOW_NONE) {
                at++;
                continue;
            }
            count = count < left ? count : left;
            left -= count;
            used += count;
            at += used == e->count;
            used = used == e->count ? 0 : used;
            if (node >= seen->first)
                node = seen->first + seen->node[node - seen->first];
            if (node < yard->nodes)
                STOW_TRY(settle_on(p, &p->run[number], node, &count));
        }
    }
    return STOW_OK;
}

/* Pods that found their place taken or their node not bought: anywhere, as long as one moves. */
static int settle_rest(struct chain_plan *p, uint32_t first, const uint32_t *wanted)
{
    const struct stow_yard *yard = p->session->yard;
    bool moved = true;

    while (moved) {
        moved = false;
        for (uint32_t i = 0; i < p->session->ground->runs; i++) {
            struct stow_run *run = &p->run[i];
            const uint32_t had = run->pods, most = had > wanted[i] ? had - wanted[i] : 0;

            if (!most)
                continue;
            STOW_TRY(settle_anywhere(p, run, yard->class[run->class].plain ? first : 0, most));
            moved |= run->pods < had;
        }
    }
    return STOW_OK;
}

/* ---- rounds ------------------------------------------------------------------------------ */

static struct stow_rank_context context_of(const struct chain_plan *p)
{
    const struct stow_scale *scale = p->session->scale;
    const struct stow_yard *yard = p->session->yard;
    const uint32_t nodes = scale->s->nodes + (yard->nodes - yard->real);

    return (struct stow_rank_context){
        .price_rules = scale->options.price_rules,
        .strict = scale->options.strict_upstream,
        .stabiliser = stow_scale_stabiliser(scale),
        .preferred_cpu = stow_preferred_node(scale->options.price_rules, nodes)->cpu,
        .priorities = scale->options.priorities,
        .seed = scale->options.seed + p->session->plan->rounds,
    };
}

static void *keep(struct stow_session *session, const void *from, size_t bytes)
{
    void *made = stow_arena_copy(session->arena, from, bytes);

    session->failed |= !made;
    return made;
}

/* The options and what the chain said of them, for the explanation. */
static struct stow_round *note_round(struct chain_plan *p)
{
    struct stow_session *session = p->session;
    struct stow_round *round = stow_session_round(session);

    if (!round)
        return NULL;
    round->option = keep(session, p->option, p->options * sizeof(*p->option));
    round->options = p->options;
    round->candidate = keep(session, p->candidate, p->candidates * sizeof(*p->candidate));
    round->candidate_group =
        keep(session, p->candidate_group, p->candidates * sizeof(*p->candidate_group));
    round->candidates = p->candidates;
    round->chain = p->result;
    return round;
}

/* How things stood before a decision was carried out. */
struct before {
    uint32_t mark, nodes, puts;
    struct stow_run *run;
};

static int note_before(struct chain_plan *p, struct before *ret)
{
    const struct stow_session *session = p->session;
    const size_t bytes = session->ground->runs * sizeof(*ret->run);

    *ret = (struct before){stow_yard_mark(session->yard), session->yard->nodes, session->puts,
                           stow_arena_copy(&p->arena, p->run, bytes)};
    return ret->run ? STOW_OK : STOW_ENOMEM;
}

/* What is wrong with a decision that was carried out, NULL: nothing. */
static const char *objection(const struct chain_plan *p, const struct before *before,
                             uint32_t nodes)
{
    const struct stow_session *session = p->session;

    if (session->scale->options.all_or_nothing &&
        (session->yard->nodes - before->nodes < nodes || pending_pods(p)))
        return STOW_ALL_OR_NOTHING;
    return session->puts == before->puts ? "its new nodes would take no pod" : NULL;
}

static void take_back(struct chain_plan *p, const struct before *before, struct stow_round *round)
{
    struct stow_session *session = p->session;

    stow_session_give_back(session, before->mark);
    session->puts = before->puts;
    memcpy(p->run, before->run, session->ground->runs * sizeof(*p->run));
    if (round)
        round->boughts = 0;
}

/* Nothing came of the decision: the group is let be. */
static void refuse(struct chain_plan *p, stow_group_id group, const char *why)
{
    struct stow_session *session = p->session;

    session->refused[group] = why;
    if (session->scale->options.all_or_nothing)
        memset(session->could, 0, session->yard->classes);
    memset(session->choice, 0, session->yard->classes);
}

/* The estimate of the group that was chosen, as it was when it was compared. */
static int estimate_again(struct chain_plan *p, stow_group_id group, const struct before *before,
                          struct seen *ret)
{
    struct stow_session *session = p->session;
    stow_group_id *similar =
        stow_arena_alloc(&p->arena, (session->scale->s->groups + 1) * sizeof(*similar));

    if (!similar)
        return STOW_ENOMEM;
    STOW_TRY(stow_estimate(&p->estimator, group, limit_of(p, group, similar)));
    memcpy(session->choice, p->estimator.can, session->yard->classes);
    STOW_TRY(remember(p, before->mark, before->nodes, ret));
    stow_yard_rollback(session->yard, before->mark);
    return STOW_OK;
}

/* Pods of the estimate go to what was bought; none of the others does. */
static int settle(struct chain_plan *p, const struct before *before, const struct seen *seen)
{
    const uint32_t runs = p->session->ground->runs;
    uint32_t *others = stow_arena_alloc(&p->arena, (runs + 1) * sizeof(*others));

    if (!others)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < runs; i++)
        others[i] = p->run[i].pods - p->estimator.ret.taken[i];
    STOW_TRY(settle_as_seen(p, seen));
    return settle_rest(p, before->nodes, others);
}

/* Buys what the chain chose and settles the pods; what is wrong with that, NULL: nothing. */
static int attempt(struct chain_plan *p, const struct before *before, const struct seen *seen,
                   bool alone, struct stow_round *round, const char **ret_why)
{
    const stow_group_id group = p->candidate_group[p->result.best];
    const uint32_t nodes = p->candidate[p->result.best].nodes;
    struct purchase purchase;

    STOW_TRY(divide(p, group, nodes, alone, &purchase));
    STOW_TRY(buy(p, &purchase, round));
    STOW_TRY(settle(p, before, seen));
    *ret_why = objection(p, before, nodes);
    if (*ret_why)
        take_back(p, before, round);
    return STOW_OK;
}

/* Carries the decision out; `ret_done`: nothing came of it.  Similar groups may have a little less
 * room: when that leaves nothing, the group gets all the nodes itself. */
static int carry_out(struct chain_plan *p, struct stow_round *round, bool *ret_done)
{
    const stow_group_id group = p->candidate_group[p->result.best];
    const char *why = NULL;
    struct before before;
    struct seen seen;

    STOW_TRY(note_before(p, &before));
    STOW_TRY(estimate_again(p, group, &before, &seen));
    STOW_TRY(attempt(p, &before, &seen, false, round, &why));
    if (why && p->session->scale->options.balance_similar)
        STOW_TRY(attempt(p, &before, &seen, true, round, &why));
    *ret_done = why != NULL;
    if (why)
        refuse(p, group, why);
    return STOW_OK;
}

/* Pods that fit what is there by now: in the cluster of the next loop they do not wait. */
static int sweep(struct chain_plan *p)
{
    uint32_t *none = stow_arena_zalloc(&p->arena, (p->session->ground->runs + 1) * sizeof(*none));

    if (!none)
        return STOW_ENOMEM;
    return settle_rest(p, p->session->yard->real, none);
}

/* 1: something was bought, 0: nothing more to do. */
static int run_round(struct chain_plan *p, struct stow_err *err)
{
    const struct stow_rank_context ctx = context_of(p);
    bool done = false;

    stow_arena_reset(&p->arena);
    if (make_options(p) < 0)
        return stow_fail_memory(err);
    STOW_TRY(stow_chain_run(&p->strategy->chain, &ctx, p->candidate, p->candidates,
                            p->session->arena, &p->result, err));

    struct stow_round *round = note_round(p);

    if (p->result.best == UINT32_MAX || p->candidate[p->result.best].nodes == 0)
        return 0;
    if (carry_out(p, round, &done) < 0)
        return stow_fail_memory(err);
    return done && p->strategy->kind == STOW_STRATEGY_CHAIN ? 0 : 1;
}

/* ---- the plan ---------------------------------------------------------------------------- */

static int price_classes(struct chain_plan *p, struct stow_err *err)
{
    const struct stow_yard *yard = p->session->yard;

    p->pod_price = malloc((yard->classes + 1) * sizeof(*p->pod_price));
    if (!p->pod_price)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < yard->classes; i++)
        STOW_TRY(stow_scale_pod_price(p->session->scale, yard->s->pod[yard->class[i].pod].spec,
                                      &p->pod_price[i], err));
    return STOW_OK;
}

static int open_plan(struct chain_plan *p, struct stow_err *err)
{
    struct stow_session *session = p->session;
    const struct stow_ground *ground = session->ground;

    p->run = malloc((ground->runs + 1) * sizeof(*p->run));
    if (!p->run)
        return stow_fail_memory(err);
    if (ground->runs)
        memcpy(p->run, ground->run, ground->runs * sizeof(*p->run));
    if (stow_estimator_init(&p->estimator, session->yard, p->run, ground->runs) < 0)
        return stow_fail_memory(err);
    p->estimator.pod = ground->alike.pod;
    p->estimator.deadline = session->deadline;
    p->estimator.upstream = session->scale->options.strict_upstream;
    p->estimator.fastpath = session->scale->options.fastpath;
    return price_classes(p, err);
}

int stow_plan_chain(struct stow_session *session, const struct stow_strategy *strategy,
                    struct stow_err *err)
{
    STOW_AUTO(chain_plan_done) struct chain_plan p = {.session = session, .strategy = strategy};
    int more = 1;

    STOW_TRY(open_plan(&p, err));
    while (more > 0 && pending_pods(&p) && !stow_session_is_late(session)) {
        more = run_round(&p, err);
        if (more <= 0 || strategy->kind == STOW_STRATEGY_CHAIN)
            break;
        if (sweep(&p) < 0)
            return stow_fail_memory(err);
    }
    return more < 0 ? more : session->failed ? stow_fail_memory(err) : STOW_OK;
}
