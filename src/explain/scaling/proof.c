/* proof.c - the proof of an optimal plan as data: classes with their prices, the tree, the
 * lift, and prices of resources.  Amounts of money are written to the nano-unit, so that whoever
 * reads them can do the sums again. */
#include <math.h>

#include "explain/scaling/scaling_internal.h"
#include "model/values/amount.h"
#include "model/volumes/devices.h"

static struct stow_value *classes_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->proof.classes; i++) {
        const struct stow_plan_class *class = &plan->proof.class[i];
        struct stow_value *v = stow_doc_object(doc), *pods = stow_doc_array(doc);

        for (uint32_t n = 0; n < class->pods; n++)
            stow_value_push(doc, pods, stow_plan_pod_value(doc, plan, class->pod[n]));
        stow_value_set(doc, v, "pods", pods);
        stow_value_set(doc, v, "pricePerHour", stow_doc_money(doc, class->price));
        if (class->topology)
            stow_value_set(doc, v, "topologyKey", stow_doc_text(doc, class->topology));
        stow_value_push(doc, list, v);
    }
    return list;
}

/* ---- limits ------------------------------------------------------------------------------ */

static const char *limit_name(enum stow_proof_limit_kind kind)
{
    static const char *const names[] = {
        [STOW_PROOF_MAX_NODES] = "maxNodes",
        [STOW_PROOF_MIN_NODES] = "minNodes",
        [STOW_PROOF_NODES_TOTAL] = "nodesTotal",
        [STOW_PROOF_QUOTA] = "quota",
        [STOW_PROOF_POOL] = "pool",
        [STOW_PROOF_COMMITMENT] = "commitment",
        [STOW_PROOF_BUDGET] = "budget",
        [STOW_PROOF_NODE] = "node",
        [STOW_PROOF_AT_MOST] = "atMost",
        [STOW_PROOF_AT_LEAST] = "atLeast",
    };

    return names[kind];
}

static struct stow_value *node_names(struct stow_doc *doc, const struct stow_plan *plan,
                                     const uint32_t *node, uint32_t nodes)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < nodes; i++)
        stow_value_push(doc, list, stow_doc_text(doc, plan->real_name[node[i]]));
    return list;
}

/* Nodes are counted; a quota is a quantity, the budget money. */
static struct stow_value *amount_value(struct stow_doc *doc, const struct stow_plan *plan,
                                       const struct stow_plan_limit *limit)
{
    char text[STOW_AMOUNT_TEXT];

    if (limit->kind == STOW_PROOF_BUDGET)
        return stow_doc_money(doc, limit->amount);
    if (!limit->resource.ptr || !stow_str_is(limit->resource, "cpu"))
        return stow_doc_int(doc, limit->amount);
    return stow_doc_text(doc, stow_amount_exact(plan->s, STOW_RESOURCE_CPU, limit->amount, text));
}

static struct stow_value *limits_value(struct stow_doc *doc, const struct stow_plan *plan,
                                       const struct stow_plan_branch *leaf)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < leaf->limits; i++) {
        const struct stow_plan_limit *limit = &leaf->limit[i];
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "limit", stow_doc_text(doc, limit_name(limit->kind)));
        if (limit->group != STOW_NONE)
            stow_value_set(doc, v, "group",
                           stow_doc_text(doc, stow_plan_part_name(plan, limit->group)));
        if (limit->pool)
            stow_value_set(doc, v, "pool", stow_doc_text(doc, limit->pool));
        if (limit->commitment)
            stow_value_set(doc, v, "commitment", stow_doc_text(doc, limit->commitment));
        if (limit->kind == STOW_PROOF_QUOTA || limit->pool)
            stow_value_set(doc, v, "resource", stow_doc_str(doc, limit->resource));
        if (limit->node)
            stow_value_set(doc, v, "nodes", node_names(doc, plan, limit->node, limit->nodes));
        stow_value_set(doc, v, "amount", amount_value(doc, plan, limit));
        stow_value_set(doc, v, "pricePerHour", stow_doc_money(doc, limit->price));
        stow_value_push(doc, list, v);
    }
    return list;
}

/* ---- the tree ---------------------------------------------------------------------------- */

/* The price of a class, or its prices by domain. */
static struct stow_value *price_value(struct stow_doc *doc, const struct stow_plan_class *class,
                                      const stow_nano *price)
{
    struct stow_value *v;

    if (!class->topology)
        return stow_doc_money(doc, price[class->slot]);
    v = stow_doc_object(doc);
    for (uint32_t i = 0; i < class->domains; i++)
        stow_value_set(doc, v, class->domain[i], stow_doc_money(doc, price[class->slot + i]));
    return v;
}

static struct stow_value *leaf_value(struct stow_doc *doc, const struct stow_plan *plan,
                                     const struct stow_plan_branch *leaf)
{
    struct stow_value *v = stow_doc_object(doc), *prices = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->proof.classes; i++)
        stow_value_push(doc, prices, price_value(doc, &plan->proof.class[i], leaf -> price));
    stow_value_set(doc, v, "prices", prices);
    stow_value_set(doc, v, "limits", limits_value(doc, plan, leaf));
    stow_value_set(doc, v, "perHour", stow_doc_money(doc, leaf->bound));
    return v;
}

static struct stow_value *split_value(struct stow_doc *doc, const struct stow_plan *plan,
                                      const struct stow_plan_branch *split)
{
    struct stow_value *v = stow_doc_object(doc);

    if (split->node)
        stow_value_set(doc, v, "nodes", node_names(doc, plan, split->node, split->nodes));
    else
        stow_value_set(doc, v, "group",
                       stow_doc_text(doc, stow_plan_part_name(plan, split->group)));
    stow_value_set(doc, v, "at", stow_doc_int(doc, split->at));
    return v;
}

/* Children have larger numbers than their parent: from the last one, every child is there when its
 * parent is made. */
static struct stow_value *tree_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    const struct stow_plan_proof *proof = &plan->proof;
    struct stow_value **made =
        stow_arena_zalloc(&doc->arena, (proof->branches + 1) * sizeof(void *));

    if (!made) {
        doc->failed = true;
        return stow_doc_object(doc);
    }
    for (uint32_t i = proof->branches; i > 0; i--) {
        const struct stow_plan_branch *branch = &proof->branch[i - 1];

        if (!branch->is_split) {
            made[i - 1] = leaf_value(doc, plan, branch);
            continue;
        }
        made[i - 1] = stow_doc_object(doc);
        stow_value_set(doc, made[i - 1], "split", split_value(doc, plan, branch));
        stow_value_set(doc, made[i - 1], "le", made[branch->le]);
        stow_value_set(doc, made[i - 1], "gt", made[branch->gt]);
    }
    return made[0];
}

static struct stow_value *sets_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->proof.sets; i++) {
        const struct stow_plan_set *set = &plan->proof.set[i];
        struct stow_value *v = stow_doc_object(doc), *others = stow_doc_array(doc);

        for (uint32_t n = 0; n < set->others; n++)
            stow_value_push(doc, others,
                            stow_doc_text(doc, stow_plan_part_name(plan, set->other[n])));
        stow_value_set(doc, v, "group", stow_doc_text(doc, stow_plan_part_name(plan, set->group)));
        stow_value_set(doc, v, "others", others);
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *lift_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "rule", stow_doc_text(doc, plan->proof.lift));
    if (stow_str_is(stow_str_of(plan->proof.lift), "common-divisor"))
        stow_value_set(doc, v, "unit", stow_doc_money(doc, plan->proof.lift_unit));
    stow_value_set(doc, v, "perHour", stow_doc_money(doc, plan->bound));
    return v;
}

static struct stow_value *resources_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *v = stow_doc_object(doc), *prices = stow_doc_object(doc);

    for (stow_resource_id r = 0; r < plan->s->resources; r++)
        if (plan->proof.resource_price[r] || r == STOW_RESOURCE_CPU || r == STOW_RESOURCE_MEMORY ||
            r == STOW_RESOURCE_PODS)
            stow_value_set(doc, prices, stow_text(plan->s, plan->s->resource[r]).ptr,
                           stow_doc_money(doc, plan->proof.resource_price[r]));
    stow_value_set(doc, v, "prices", prices);
    stow_value_set(doc, v, "perHour", stow_doc_money(doc, plan->proof.resource_bound));
    return v;
}

/* To a millionth, as people compare it. */
static struct stow_value *gap_value(struct stow_doc *doc, double gap)
{
    return isfinite(gap) ? stow_doc_real(doc, round(gap * 1e6) / 1e6) : stow_doc_null(doc);
}

/* Which plans cost no less. */
static const char *bound_for(const struct stow_plan *plan)
{
    if (plan->unpriceds)
        return plan->as_many ? "as-many-priced-groups" : "priced-groups";
    return plan->as_many ? "as-many" : "all";
}

static struct stow_value *unpriced_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->unpriceds; i++)
        stow_value_push(doc, list,
                        stow_doc_text(doc, stow_plan_part_name(plan, plan->unpriced[i])));
    return list;
}

struct stow_value *stow_plan_bound_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "perHour", stow_doc_money(doc, plan->bound));
    if (!plan->unpriceds && !stow_plan_is_unsure(plan))
        stow_value_set(doc, v, "gap", gap_value(doc, plan->gap));
    stow_value_set(doc, v, "method", stow_doc_text(doc, "pattern-lp"));
    stow_value_set(doc, v, "for", stow_doc_text(doc, bound_for(plan)));
    if (plan->proof.in_order)
        stow_value_set(doc, v, "order", stow_doc_text(doc, "groups"));
    if (plan->unpriceds)
        stow_value_set(doc, v, "unpricedGroups", unpriced_value(doc, plan));

    const uint32_t waiting = stow_devices_waiting(plan->s);

    if (waiting) /* pods that no plan places, for want of knowing better */
        stow_value_set(doc, v, "podsNotSimulated", stow_doc_int(doc, waiting));
    return v;
}

struct stow_value *stow_plan_proof_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "classes", classes_value(doc, plan));
    if (plan->proof.sets)
        stow_value_set(doc, v, "sets", sets_value(doc, plan));
    stow_value_set(doc, v, "tree", tree_value(doc, plan));
    if (plan->proof.lift)
        stow_value_set(doc, v, "lift", lift_value(doc, plan));
    if (plan->proof.resource_price)
        stow_value_set(doc, v, "resources", resources_value(doc, plan));
    return v;
}
