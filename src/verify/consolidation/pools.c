/* pools.c - Karpenter's rules about nodes that go, worked out again.
 *
 * A node of a static pool stays, one of a pool that never consolidates, one that is not empty where
 * only empty ones may go, one where a pod came too short a time ago, and one with a pod that must
 * not be disrupted.  And a step removes at most as many nodes of a pool as the smallest of its
 * active budgets allows of those that are there when the step begins.  Where a pool weighs what is
 * saved against what is disrupted, a step passes with those that prepare it. */
#include "verify/consolidation/pools.h"

#include "model/karpenter/disruption.h"
#include "model/karpenter/pool.h"
#include "verify/movable.h"

static const struct stow_node_pool *pool_of(const struct stow_audit *a, stow_node_id node)
{
    return stow_node_pool_find(a->s,
                               stow_label_text(a->s, a->s->node[node].labels, STOW_NODEPOOL_LABEL));
}

static stow_time now_of(const struct stow_audit *a)
{
    return a->in->bill->now;
}

/* No pod of the node would have to move in the beginning whose eviction costs anything;
 * `*ret_last`: when one came, the last. */
static bool was_empty(const struct stow_audit *a, stow_node_id node, stow_time *ret_last)
{
    bool empty = true;

    *ret_last = a->s->node[node].created;
    for (stow_pod_id i = 0; i < a->s->pods; i++) {
        const struct stow_pod *pod = &a->s->pod[i];

        if (pod->node != node || !stow_pod_counts(pod) || stow_audit_is_resident(a, i))
            continue;
        empty &= stow_disruption_cost(a->s, pod) <= 0;
        *ret_last = pod->created > *ret_last ? pod->created : *ret_last;
    }
    return empty;
}

static bool has_forbidding_pod(const struct stow_audit *a, stow_node_id node)
{
    for (stow_pod_id i = 0; i < a->s->pods; i++)
        if (a->s->pod[i].node == node && stow_pod_counts(&a->s->pod[i]) &&
            stow_disruption_forbids(a->s, &a->s->pod[i], now_of(a)))
            return true;
    return false;
}

/* A pod came or left within consolidateAfter. */
static bool is_unsettled(const struct stow_audit *a, const struct stow_node_pool *pool,
                         stow_node_id node)
{
    const struct stow_machine_claim *claim = stow_disruption_claim(a->s, node);
    stow_time last = stow_disruption_last_event(claim, STOW_TIME_ALWAYS);

    if (pool->consolidate_after.seconds <= 0 || pool->consolidate_after.seconds == STOW_POOL_NEVER)
        return false;
    if (last == STOW_TIME_ALWAYS)
        was_empty(a, node, &last);
    return last != STOW_TIME_ALWAYS && last <= now_of(a) &&
           now_of(a) - last < pool->consolidate_after.seconds;
}

bool stow_audit_pool_refuses(const struct stow_audit *a, stow_node_id node)
{
    const struct stow_node_pool *pool = pool_of(a, node);

    return pool && (!stow_disruption_is_ready_for(a->s, node) || is_unsettled(a, pool, node));
}

const char *stow_audit_pool_keeps(const struct stow_audit *a, stow_node_id node)
{
    const struct stow_node_pool *pool = pool_of(a, node);
    const struct stow_machine_claim *claim = stow_disruption_claim(a->s, node);
    stow_time last;
    bool empty;

    if (has_forbidding_pod(a, node))
        return "a pod on it must not be disrupted (karpenter.sh/do-not-disrupt)";
    if (!pool)
        return a->s->node_pools &&
                       stow_label_text(a->s, a->s->node[node].labels, STOW_NODEPOOL_LABEL).len
                   ? "its NodePool is not in the input"
                   : NULL;
    empty = was_empty(a, node, &last);
    if (pool->replicas >= 0)
        return "its NodePool is static";
    if (pool->consolidate_after.seconds == STOW_POOL_NEVER)
        return "its NodePool has consolidateAfter: Never";
    if (!stow_disruption_is_ready_for(a->s, node))
        return "it is not initialized yet";
    if (claim && !(claim->flags & STOW_MACHINE_CLAIM_REGISTERED) &&
        stow_str_is(stow_label_text(a->s, claim->annotations, STOW_DO_NOT_DISRUPT), "true"))
        return "its NodeClaim is annotated karpenter.sh/do-not-disrupt";
    if (pool->policy == STOW_POOL_WHEN_EMPTY && !empty)
        return "its NodePool lets only empty nodes go (consolidationPolicy: WhenEmpty)";
    if (is_unsettled(a, pool, node))
        return "a pod came or left too short a time ago for consolidateAfter of its NodePool";
    return NULL;
}

/* ---- budgets ----------------------------------------------------------------------------- */

/* Nodes of a pool that count as a step begins (`there` NULL: as the first one does), and those of
 * them that are not ready. */
static void count_nodes(const struct stow_audit *a, const struct stow_node_pool *pool,
                        const bool *there, const bool *came, uint32_t *ret_nodes,
                        uint32_t *ret_disrupting)
{
    *ret_nodes = *ret_disrupting = 0;
    for (stow_node_id i = 0; i < a->s->nodes; i++) {
        if (pool_of(a, i) != pool || !stow_disruption_is_ready_for(a->s, i))
            continue;
        *ret_nodes += !there || there[i];
        *ret_disrupting +=
            (a->s->node[i].flags & (STOW_NODE_TERMINATING | STOW_NODE_NOT_READY)) != 0;
    }
    for (stow_node_id i = a->real; there && i < a->all.s.nodes; i++)
        *ret_nodes += there[i] && !came[i] && a->all.s.node[i].group != STOW_NONE &&
                      stow_group_pool(a->s, a->all.s.node[i].group) == pool;
}

static void check_pool(struct stow_audit *a, const struct stow_told_change *step,
                       const struct stow_node_pool *pool, const bool *there, const bool *came)
{
    uint32_t nodes, disrupting, going = 0;
    bool used[STOW_DISRUPTION_REASONS] = {false};

    for (uint32_t i = 0; i < step->remove.count; i++) {
        const stow_node_id node = stow_audit_node(a, a->told.name[step->remove.first + i].text);
        stow_time last;

        if (node >= a->s->nodes || pool_of(a, node) != pool)
            continue;
        used[was_empty(a, node, &last) ? STOW_DISRUPTION_EMPTY : STOW_DISRUPTION_UNDERUTILIZED] =
            true;
        going++;
    }
    if (!going)
        return;
    count_nodes(a, pool, there, came, &nodes, &disrupting);
    for (uint32_t r = 0; r < STOW_DISRUPTION_REASONS; r++) {
        const struct stow_disruption d =
            stow_disruption_of(a->s, pool->budgets, nodes, disrupting, r, now_of(a));

        if (used[r] && going > d.remaining)
            stow_audit_wrong(a, STOW_VERIFY_LIMITS, step->token,
                             "nodes of NodePool %s that go in this step: %u; its budgets allow "
                             "%lld (%s)",
                             pool->name, going, (long long)d.remaining,
                             stow_disruption_reason_name[r]);
    }
}

void stow_audit_pool_budgets(struct stow_audit *a, const struct stow_told_change *step,
                             const bool *there, const bool *came)
{
    for (uint32_t i = 0; i < a->s->node_pools && step->remove.count; i++)
        check_pool(a, step, &a->s->node_pool[i], there, came);
}

bool stow_audit_pool_allows_none(const struct stow_audit *a, stow_node_id node)
{
    const struct stow_node_pool *pool = pool_of(a, node);
    uint32_t nodes, disrupting;
    stow_time last;

    if (!pool)
        return false;
    count_nodes(a, pool, NULL, NULL, &nodes, &disrupting);
    return stow_disruption_of(a->s, pool->budgets, nodes, disrupting,
                              was_empty(a, node, &last) ? STOW_DISRUPTION_EMPTY
                                                        : STOW_DISRUPTION_UNDERUTILIZED,
                              now_of(a))
               .remaining < 1;
}

/* ---- consolidationPolicy Balanced -------------------------------------------------------- */

static const struct stow_node_pool *pool_at(const struct stow_audit *a, stow_node_id node)
{
    if (node < a->s->nodes)
        return stow_disruption_is_ready_for(a->s, node) ? pool_of(a, node) : NULL;
    return node >= a->real ? stow_group_pool(a->s, a->group_of[node - a->real]) : NULL;
}

static int64_t eviction_of(const struct stow_audit *a, stow_pod_id pod)
{
    const int64_t cost = stow_disruption_cost(a->s, &a->s->pod[pod]);

    return stow_pod_counts(&a->s->pod[pod]) && !stow_audit_is_resident(a, pod) && cost > 0 ? cost
                                                                                           : 0;
}

/* Whether the steps remove it, and not because it is empty. */
static bool is_emptied(const struct stow_audit *a, const struct stow_audit_unit *u,
                       stow_node_id node)
{
    stow_time last;

    return u->there[node] && !u->is_there[node] && !(pool_of(a, node) && was_empty(a, node, &last));
}

/* Nodes of the pool that were there when the steps began, with the pods on them: all, or those
 * that the steps empty. */
static stow_i128 disruption(const struct stow_audit *a, const struct stow_audit_unit *u,
                            const struct stow_node_pool *pool, bool emptied)
{
    stow_i128 sum = 0;

    for (stow_node_id i = 0; i < a->all.s.nodes; i++) {
        if (!u->there[i] || u->price[i] <= 0 || pool_at(a, i) != pool ||
            (emptied && !is_emptied(a, u, i)))
            continue;
        sum += STOW_EVICTION;
        for (stow_pod_id p = 0; p < a->s->pods; p++)
            sum += u->at[p] == i ? eviction_of(a, p) : 0;
    }
    return sum;
}

/* What the pool has of the saving, by what its nodes cost that go, and what all of them cost. */
static void weigh(const struct stow_audit *a, const struct stow_audit_unit *u,
                  const struct stow_node_pool *pool, struct stow_balance *ret)
{
    stow_i128 all = 0, own = 0;

    ret->saving = u->saving;
    for (stow_node_id i = 0; i < a->all.s.nodes; i++) {
        const bool is_own = pool_at(a, i) == pool;

        if (!u->there[i] || u->price[i] <= 0)
            continue;
        ret->cost += is_own ? u->price[i] : 0;
        if (is_emptied(a, u, i)) {
            all += u->price[i];
            own += is_own ? u->price[i] : 0;
        } else if (!u->is_there[i]) {
            ret->saving -= u->price[i];
        }
    }
    if (own != all)
        ret->saving = ret->saving * own / all;
}

void stow_audit_pool_balance(struct stow_audit *a, const struct stow_audit_unit *u, uint32_t token)
{
    for (uint32_t i = 0; i < a->s->node_pools; i++) {
        const struct stow_node_pool *pool = &a->s->node_pool[i];
        struct stow_balance balance = {0};

        balance.disrupted = pool->policy == STOW_POOL_BALANCED ? disruption(a, u, pool, true) : 0;
        if (!balance.disrupted)
            continue;
        balance.most = disruption(a, u, pool, false);
        weigh(a, u, pool, &balance);
        if (!stow_disruption_is_balanced(&balance))
            stow_audit_wrong(a, STOW_VERIFY_LIMITS, token,
                             "NodePool %s has consolidationPolicy Balanced, and this step saves a "
                             "share of its cost that is less than half the share that it disrupts",
                             pool->name);
    }
}
