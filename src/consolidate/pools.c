/* pools.c - nodes that Karpenter launched go by the rules of their NodePool.
 *
 * Some keep a node in any case: a static pool, consolidateAfter, a policy that lets only empty
 * nodes go.  Budgets say how many nodes of a pool may be disrupted at once: where that is none now,
 * its nodes stay; else no step removes more.  Each step counts again, with the nodes that are there
 * then, as Karpenter's rounds do.
 *
 * A node is empty if none of its pods would have to move when the first step begins, or none whose
 * eviction costs anything.  What earlier steps have emptied was disrupted, and is counted so.
 *
 * Karpenter moves no pods to a node that is not initialized, or where a pod came or left within
 * consolidateAfter.  And it leaves alone what it knows no pool of. */
#include "consolidate/pools.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "consolidate/consolidate_internal.h"
#include "model/karpenter/disruption.h"
#include "model/karpenter/pool.h"
#include "model/karpenter/schedule.h"
#include "model/values/few.h"

#define RULE "node-pool"

/* ---- facts ------------------------------------------------------------------------------- */

static uint32_t pool_of(const struct stow_snapshot *s, const struct stow_node *node)
{
    const struct stow_node_pool *pool =
        stow_node_pool_find(s, stow_label_text(s, node->labels, STOW_NODEPOOL_LABEL));

    return pool ? (uint32_t)(pool - s->node_pool) : STOW_NONE;
}

/* Whether the pod would have to go elsewhere without its node. */
static bool has_to_move(const struct stow_consolidating *c, stow_pod_id pod)
{
    const enum stow_keep_reason hold = c->movable.hold[pod];

    return c->s->pod[pod].node != STOW_NONE && hold != STOW_HOLD_ABSENT &&
           hold != STOW_HOLD_RESIDENT;
}

/* Pods that would have to move, and when the last one came, as far as that is known.  One whose
 * eviction costs nothing leaves its node empty. */
static void look_at_pods(struct stow_consolidating *c)
{
    for (stow_pod_id i = 0; i < c->s->pods; i++) {
        const struct stow_pod *pod = &c->s->pod[i];

        if (!has_to_move(c, i))
            continue;
        if (stow_disruption_cost(c->s, pod) > 0)
            c->pools.is_empty[pod->node] = false;
        if (pod->created > c->pools.last_event[pod->node])
            c->pools.last_event[pod->node] = pod->created;
    }
}

/* How long ago a pod came or left, in seconds; -1: not known, or consolidateAfter has passed since.
 */
static int64_t unrest_of(const struct stow_consolidating *c, stow_node_id id)
{
    const struct stow_node_pool *pool = &c->s->node_pool[c->pools.of[id]];
    const stow_time last =
        stow_disruption_last_event(stow_disruption_claim(c->s, id), c->pools.last_event[id]);
    const int64_t since = last == STOW_TIME_ALWAYS ? -1 : c->pools.now - last;

    return since >= 0 && since < pool->consolidate_after.seconds ? since : -1;
}

const char *stow_pools_refuse(const struct stow_consolidating *c, stow_node_id node)
{
    const uint32_t pool = c->pools.of ? c->pools.of[node] : STOW_NONE;

    if (pool == STOW_NONE)
        return NULL;
    if (!stow_disruption_is_ready_for(c->s, node))
        return "the node is not initialized yet";
    if (c->s->node_pool[pool].consolidate_after.seconds == STOW_POOL_NEVER ||
        unrest_of(c, node) < 0)
        return NULL;
    return "a pod came to the node or left it within consolidateAfter of its NodePool";
}

/* Why Karpenter's rules let a node not go, budgets aside; NULL: they do, or out of memory. */
static const char *reason_of(struct stow_consolidating *c, stow_node_id id, bool *ret_kept)
{
    const struct stow_node_pool *pool = &c->s->node_pool[c->pools.of[id]];
    struct stow_arena *arena = &c->ret->arena;
    const struct stow_machine_claim *claim = stow_disruption_claim(c->s, id);
    const int64_t since = unrest_of(c, id);

    *ret_kept = true;
    if (pool->replicas >= 0)
        return stow_arena_printf(arena, "NodePool '%s' is static: it has %" PRId32 " node%s",
                                 pool->name, pool->replicas, pool->replicas == 1 ? "" : "s");
    if (pool->consolidate_after.seconds == STOW_POOL_NEVER)
        return stow_arena_printf(arena, "NodePool '%s' has consolidateAfter: Never", pool->name);
    if (!stow_disruption_is_ready_for(c->s, id))
        return "is not initialized yet (no label karpenter.sh/initialized: \"true\")";
    if (claim && !(claim->flags & STOW_MACHINE_CLAIM_REGISTERED) &&
        stow_str_is(stow_label_text(c->s, claim->annotations, STOW_DO_NOT_DISRUPT), "true"))
        return "its NodeClaim is annotated " STOW_DO_NOT_DISRUPT;
    if (pool->policy == STOW_POOL_WHEN_EMPTY && !c->pools.is_empty[id])
        return stow_arena_printf(
            arena, "NodePool '%s' lets only empty nodes go (consolidationPolicy: WhenEmpty)",
            pool->name);
    if (since >= 0)
        return stow_arena_printf(
            arena,
            "%s %" PRId64 " s ago, and NodePool '%s' has "
            "consolidateAfter: %s",
            claim && claim->last_pod_event == STOW_TIME_ALWAYS ? "it was initialized"
                                                               : "a pod came or left",
            since, pool->name, stow_text(c->s, pool->consolidate_after.text).ptr);
    *ret_kept = false;
    return NULL;
}

/* ---- budgets ----------------------------------------------------------------------------- */

void stow_pools_begin_step(struct stow_consolidating *c, uint32_t there)
{
    const struct stow_deck *deck = &c->deck;

    if (!c->pools.of)
        return;
    memcpy(c->pools.present, c->pools.nodes, c->s->node_pools * sizeof(*c->pools.present));
    for (uint32_t i = 0; i < c->s->nodes; i++)
        if (deck->gone[i] && c->pools.counted[i])
            c->pools.present[c->pools.of[i]]--;
    for (uint32_t i = deck->yard->real; i < there; i++) {
        const struct stow_node_pool *pool = stow_group_pool(c->s, stow_deck_group(deck, i));

        if (pool)
            c->pools.present[pool - c->s->node_pool]++;
    }
}

static struct stow_disruption allowance(const struct stow_consolidating *c, uint32_t pool,
                                        enum stow_disruption_reason reason)
{
    return stow_disruption_of(c->s, c->s->node_pool[pool].budgets, c->pools.present[pool],
                              c->pools.disrupting[pool], reason, c->pools.now);
}

/* ", schedule 0 9 * * 1-5 for 8h"; NULL: out of memory. */
static const char *schedule_text(struct stow_consolidating *c,
                                 const struct stow_pool_budget *budget)
{
    struct stow_schedule schedule;

    if (!budget || !budget->schedule)
        return "";
    if (!stow_schedule_parse(stow_text(c->s, budget->schedule), &schedule))
        return stow_arena_printf(&c->ret->arena,
                                 ", but its schedule '%s' cannot be read, so it allows none",
                                 stow_text(c->s, budget->schedule).ptr);
    return stow_arena_printf(&c->ret->arena, ", schedule %s for %s",
                             stow_text(c->s, budget->schedule).ptr,
                             stow_text(c->s, budget->duration.text).ptr);
}

/* "NodePool 'x' allows 1 node to be disrupted now (budget 10% of 9)" */
static const char *budget_text(struct stow_consolidating *c, uint32_t pool,
                               const struct stow_disruption *d)
{
    const uint32_t nodes = c->pools.present[pool], busy = c->pools.disrupting[pool];
    const char *schedule = schedule_text(c, d->budget);
    char of[48] = "", less[64] = "";

    if (d->budget && d->budget->is_percent)
        snprintf(of, sizeof(of), " of %u", nodes);
    if (busy)
        snprintf(less, sizeof(less), ", and %u %s being disrupted or not ready", busy,
                 busy == 1 ? "is" : "are");
    return !schedule ? NULL
                     : stow_arena_printf(&c->ret->arena,
                                         "NodePool '%s' allows %" PRId64
                                         " node%s to be disrupted now (budget %s%s%s%s)",
                                         c->s->node_pool[pool].name, d->remaining,
                                         d->remaining == 1 ? "" : "s",
                                         d->budget ? stow_text(c->s, d->budget->nodes).ptr : "none",
                                         of, schedule, less);
}

static enum stow_disruption_reason kind_of(const struct stow_consolidating *c, uint32_t node)
{
    return c->pools.is_empty[node] ? STOW_DISRUPTION_EMPTY : STOW_DISRUPTION_UNDERUTILIZED;
}

bool stow_pools_let_go(struct stow_consolidating *c, const uint32_t *gone, uint32_t gones,
                       uint32_t node, const char **ret_why)
{
    const uint32_t pool = node < c->s->nodes && c->pools.of ? c->pools.of[node] : STOW_NONE;
    struct stow_disruption d;
    int64_t going = 1;
    bool mixed = false;

    if (pool == STOW_NONE)
        return true;
    for (uint32_t i = 0; i < gones; i++)
        if (gone[i] < c->s->nodes && c->pools.of[gone[i]] == pool) {
            going++;
            mixed |= kind_of(c, gone[i]) != kind_of(c, node);
        }
    d = allowance(c, pool, kind_of(c, node));
    if (mixed) { /* then both count all of them */
        const struct stow_disruption other = allowance(
            c, pool, STOW_DISRUPTION_EMPTY + STOW_DISRUPTION_UNDERUTILIZED - kind_of(c, node));

        d = other.remaining < d.remaining ? other : d;
    }
    if (going > d.remaining && ret_why)
        *ret_why = budget_text(c, pool, &d);
    return going <= d.remaining;
}

bool stow_pools_limit(const struct stow_consolidating *c)
{
    if (c->pools.eviction)
        return true;
    for (uint32_t i = 0; i < c->s->nodes && c->pools.of; i++)
        if (c->pools.of[i] != STOW_NONE && !c->kept[i] &&
            allowance(c, c->pools.of[i], kind_of(c, i)).allowed != STOW_DISRUPTION_ANY)
            return true;
    return false;
}

/* ---- opening ----------------------------------------------------------------------------- */

static bool allocate(struct stow_consolidating *c)
{
    const size_t nodes = (size_t)c->s->nodes + 1, pools = (size_t)c->s->node_pools + 1;

    c->pools.of = malloc(nodes * sizeof(*c->pools.of));
    c->pools.is_empty = malloc(nodes * sizeof(*c->pools.is_empty));
    c->pools.counted = calloc(nodes, sizeof(*c->pools.counted));
    c->pools.last_event = malloc(nodes * sizeof(*c->pools.last_event));
    c->pools.nodes = calloc(pools, sizeof(*c->pools.nodes));
    c->pools.present = calloc(pools, sizeof(*c->pools.present));
    c->pools.disrupting = calloc(pools, sizeof(*c->pools.disrupting));
    return c->pools.of && c->pools.is_empty && c->pools.counted && c->pools.last_event &&
           c->pools.nodes && c->pools.present && c->pools.disrupting;
}

static void count_pools(struct stow_consolidating *c)
{
    for (stow_node_id i = 0; i < c->s->nodes; i++) {
        const struct stow_node *node = &c->s->node[i];

        c->pools.of[i] = pool_of(c->s, node);
        c->pools.is_empty[i] = true;
        c->pools.last_event[i] = node->created;
        if (c->pools.of[i] == STOW_NONE || !stow_disruption_is_ready_for(c->s, i))
            continue;
        c->pools.counted[i] = true;
        c->pools.nodes[c->pools.of[i]]++;
        c->pools.disrupting[c->pools.of[i]] +=
            (node->flags & (STOW_NODE_TERMINATING | STOW_NODE_NOT_READY)) != 0;
    }
    look_at_pods(c);
    memcpy(c->pools.present, c->pools.nodes, c->s->node_pools * sizeof(*c->pools.present));
}

/* A warning about pools, if there are any: `format` with their names in it. */
__attribute__((format(printf, 2, 0))) static int warn_of(struct stow_consolidating *c,
                                                         const char *format, struct stow_few *pools)
{
    if (!pools->count)
        return STOW_OK;

    const struct stow_str names = stow_few_text(pools);
    const char *text = names.ptr ? stow_arena_printf(&c->ret->arena, format, names.ptr) : NULL;

    return text ? stow_consolidation_warn(c->ret, text) : STOW_ENOMEM;
}

static int keep(struct stow_consolidating *c, stow_node_id id, const char *text)
{
    c->kept[id] = text;
    c->movable.rule[id] = RULE;
    c->ret->held_by_pools = true;
    return text ? STOW_OK : STOW_ENOMEM;
}

/* The pool that a node is labelled with and that is not among the objects; NULL: there is none. */
static const char *missing_pool(const struct stow_snapshot *s, stow_node_id id)
{
    const struct stow_str name = stow_label_text(s, s->node[id].labels, STOW_NODEPOOL_LABEL);

    return name.len && !stow_node_pool_find(s, name) ? name.ptr : NULL;
}

static bool is_first_of(const struct stow_snapshot *s, stow_node_id id, const char *pool)
{
    for (stow_node_id i = 0; i < id; i++)
        if (stow_str_is(stow_label_text(s, s->node[i].labels, STOW_NODEPOOL_LABEL), pool))
            return false;
    return true;
}

/* Nothing is known of what the pools of those nodes allow.  Where no pool at all is given, the
 * question is about the nodes alone, and a warning says what is not looked at. */
static int keep_strangers(struct stow_consolidating *c)
{
    STOW_AUTO(stow_few_done) struct stow_few pools = {0};

    for (stow_node_id i = 0; i < c->s->nodes; i++) {
        const char *pool = missing_pool(c->s, i);

        if (!pool)
            continue;
        if (!c->kept[i] && c->s->node_pools)
            STOW_TRY(keep(
                c, i,
                stow_arena_printf(&c->ret->arena, "its NodePool '%s' is not in the input", pool)));
        if (is_first_of(c->s, i, pool))
            stow_few_add(&pools, "%s", pool);
    }
    if (!pools.count)
        return STOW_OK;
    return warn_of(
        c,
        c->s->node_pools
            ? "nodes of NodePools that are not in the input stay (%s): also give what "
              "kubectl get nodepools,nodeclaims -o yaml prints"
            : "NodePools are not in the input (%s), so their budgets and policies are "
              "not known: also give what kubectl get nodepools,nodeclaims -o yaml prints",
        &pools);
}

/* consolidateAfter counts from what NodeClaims say. */
static int warn_without_claims(struct stow_consolidating *c)
{
    STOW_AUTO(stow_few_done) struct stow_few pools = {0};

    for (uint32_t p = 0; p < c->s->node_pools; p++) {
        bool lacks = false;

        for (stow_node_id i = 0; i < c->s->nodes && !lacks; i++)
            lacks = c->pools.of[i] == p && !stow_disruption_claim(c->s, i);
        if (lacks && c->s->node_pool[p].consolidate_after.seconds > 0 &&
            c->s->node_pool[p].consolidate_after.seconds != STOW_POOL_NEVER)
            stow_few_add(&pools, "%s", c->s->node_pool[p].name);
    }
    return warn_of(c,
                   "consolidateAfter of NodePools (%s) counts from when pods were "
                   "created, since NodeClaims are not in the input: get them, too: "
                   "kubectl get nodeclaims -o yaml",
                   &pools);
}

/* What evictions cost, where pools weigh that. */
static int cost_evictions(struct stow_consolidating *c)
{
    bool weighed = false;

    for (uint32_t p = 0; p < c->s->node_pools; p++)
        weighed |= c->s->node_pool[p].policy == STOW_POOL_BALANCED;
    if (!weighed)
        return STOW_OK;
    c->pools.eviction = calloc((size_t)c->s->pods + 1, sizeof(*c->pools.eviction));
    for (stow_pod_id i = 0; i < c->s->pods && c->pools.eviction; i++)
        if (has_to_move(c, i))
            c->pools.eviction[i] = stow_disruption_cost(c->s, &c->s->pod[i]);
    return c->pools.eviction ? STOW_OK : STOW_ENOMEM;
}

int stow_consolidate_keep_pools(struct stow_consolidating *c, stow_time now)
{
    c->pools.now = now;
    STOW_TRY(keep_strangers(c));
    if (!c->s->node_pools)
        return STOW_OK;
    if (!allocate(c))
        return STOW_ENOMEM;
    count_pools(c);
    STOW_TRY(warn_without_claims(c));
    STOW_TRY(cost_evictions(c));
    for (stow_node_id i = 0; i < c->s->nodes; i++) {
        const char *text;
        bool kept;

        if (c->kept[i] || c->pools.of[i] == STOW_NONE)
            continue;
        text = reason_of(c, i, &kept);
        if (!kept && stow_pools_let_go(c, NULL, 0, i, &text))
            continue;
        STOW_TRY(keep(c, i, text));
    }
    return STOW_OK;
}

void stow_consolidate_pools_done(struct stow_consolidating *c)
{
    free(c->pools.of);
    free(c->pools.is_empty);
    free(c->pools.counted);
    free(c->pools.last_event);
    free(c->pools.nodes);
    free(c->pools.present);
    free(c->pools.disrupting);
    free(c->pools.eviction);
}
