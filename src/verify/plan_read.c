/* plan_read.c - a ScalePlan or a Consolidation from its text: which fields there are and what they
 * may hold.
 *
 * Unknown members are refused where the format is ours to the letter (inside the proof); around it
 * they are passed over, so that an older `verify` reads a newer plan. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "verify/reading.h"
#include "verify/verify.h"

#define CONSOLIDATION "Consolidation"

/* ---- nodes ------------------------------------------------------------------------------- */

static int read_price(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;

    return stow_told_money_at(c, false, &((struct stow_told_node *)r->item)->price);
}

STOW_READER(node_name, struct stow_told_node, stow_told_text_at(c, r, &item->name))
STOW_READER(node_group, struct stow_told_node, stow_told_text_at(c, r, &item->group))
STOW_READER(node_upcoming, struct stow_told_node, stow_cursor_bool(c, &item->upcoming))
STOW_READER(node_committed, struct stow_told_node, stow_cursor_bool(c, &item->committed))
STOW_READER(node_pods, struct stow_told_node, stow_told_pods_at(c, r, &item->pods))

int stow_told_new_node_at(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("name", node_name),           STOW_FIELD("group", node_group),
        STOW_FIELD("committed", node_committed), STOW_FIELD("pricePerHour", read_price),
        STOW_FIELD("pods", node_pods),           STOW_FIELD("daemonPods", stow_told_pass),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_node node = {.price = {.amount = STOW_MONEY_UNKNOWN}};
    struct stow_reading inner = {told, &node};
    const uint32_t token = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    STOW_TRY(stow_told_need(c, token, &node.name, "name"));
    STOW_TRY(stow_told_need(c, token, &node.group, "group"));

    struct stow_told_node *made = STOW_PUSH(&told->node, &told->nodes, &told->node_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = node;
    return STOW_OK;
}

static int read_existing_node(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("name", node_name),
        STOW_FIELD("upcoming", node_upcoming),
        STOW_FIELD("pods", node_pods),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_node node = {.upcoming = false};
    struct stow_reading inner = {told, &node};
    const uint32_t token = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    STOW_TRY(stow_told_need(c, token, &node.name, "name"));

    struct stow_told_node *made = STOW_PUSH(&told->existing, &told->existings, &told->existing_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = node;
    return STOW_OK;
}

/* ---- groups and pods that are left ------------------------------------------------------- */

STOW_READER(group_name, struct stow_told_group, stow_told_text_at(c, r, &item->group))
STOW_READER(group_from, struct stow_told_group, stow_cursor_int(c, 0, UINT32_MAX - 1, &item->from))
STOW_READER(group_committed, struct stow_told_group,
            stow_cursor_int(c, 0, UINT32_MAX - 1, &item->committed))
STOW_READER(group_to, struct stow_told_group, stow_cursor_int(c, 0, UINT32_MAX - 1, &item->to))

static int read_group(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("group", group_name),
        STOW_FIELD("from", group_from),
        STOW_FIELD("to", group_to),
        STOW_FIELD("committed", group_committed),
        STOW_FIELD("fallbacks", stow_told_pass),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_group group = {.from = -1, .to = -1};
    struct stow_reading inner = {told, &group};
    const uint32_t token = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    STOW_TRY(stow_told_need(c, token, &group.group, "group"));
    if (group.from < 0 || group.to < 0)
        return stow_cursor_fail_at(c, token, "%s is missing", group.from < 0 ? "from" : "to");

    struct stow_told_group *made = STOW_PUSH(&told->group, &told->groups, &told->group_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = group;
    return STOW_OK;
}

STOW_READER(unplaced_pod, struct stow_told_text, stow_told_text_at(c, r, item))

static int read_unplaced(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("pod", unplaced_pod),
        STOW_FIELD("like", stow_told_pass),
        STOW_FIELD("awaits", stow_told_pass),
        STOW_FIELD("reasons", stow_told_pass),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_text pod = {{NULL, 0}, 0};
    struct stow_reading inner = {told, &pod};
    const uint32_t token = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    STOW_TRY(stow_told_need(c, token, &pod, "pod"));

    struct stow_told_text *made = STOW_PUSH(&told->pod, &told->pods, &told->pod_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = pod;
    return STOW_OK;
}

/* ---- cost and bound ---------------------------------------------------------------------- */

STOW_READER(cost_per_hour, struct stow_told_money, stow_told_money_at(c, false, item))
STOW_READER(cost_before, void, stow_told_money_at(c, false, &r->told->before))
STOW_READER(cost_after, void, stow_told_money_at(c, false, &r->told->after))
STOW_READER(cost_committed, void, stow_told_money_at(c, false, &r->told->fees))
STOW_READER(cost_at_least, void, stow_cursor_bool(c, &r->told->at_least))
STOW_READER(cost_currency, struct stow_told_money, stow_told_text_at(c, r, &r->told->currency))

static int read_cost(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("perHour", cost_per_hour),    STOW_FIELD("before", cost_before),
        STOW_FIELD("after", cost_after),         STOW_FIELD("atLeast", cost_at_least),
        STOW_FIELD("currency", cost_currency),   STOW_FIELD("oneMomentPrices", stow_told_pass),
        STOW_FIELD("committed", cost_committed), STOW_FIELD("ratePrices", stow_told_pass),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_reading inner = {told, &told->cost};

    told->cost = (struct stow_told_money){true, STOW_MONEY_UNKNOWN, c->at};
    told->before = told->after = told->cost;
    told->speaks_of_money = true;
    return STOW_FIELDS_STRICT(c, fields, &inner);
}

/* Of a consolidation that counts nodes. */
static int read_nodes(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("before", cost_before),
        STOW_FIELD("after", cost_after),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_reading inner = {told, NULL};

    told->before = told->after = (struct stow_told_money){true, STOW_MONEY_UNKNOWN, c->at};
    told->speaks_of_nodes = true;
    return STOW_FIELDS_STRICT(c, fields, &inner);
}

static int read_weighed(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {STOW_FIELD("perHour", cost_per_hour)};
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_reading inner = {told, &told->weighed};

    told->weighed = (struct stow_told_money){true, STOW_MONEY_UNKNOWN, c->at};
    return STOW_FIELDS_STRICT(c, fields, &inner);
}

STOW_READER(bound_gap, void, stow_told_scalar_at(c, r, &r->told->gap))
STOW_READER(bound_method, void, stow_told_text_at(c, r, &r->told->method))
STOW_READER(bound_for, void, stow_told_text_at(c, r, &r->told->bound_for))
STOW_READER(bound_order, void, stow_told_text_at(c, r, &r->told->bound_order))
STOW_READER(bound_unpriced, void, stow_told_names_at(c, r, &r->told->unpriced_groups))

static int read_bound(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("perHour", cost_per_hour),  STOW_FIELD("nodes", cost_per_hour),
        STOW_FIELD("gap", bound_gap),          STOW_FIELD("method", bound_method),
        STOW_FIELD("for", bound_for),          STOW_FIELD("unpricedGroups", bound_unpriced),
        STOW_FIELD("order", bound_order),      STOW_FIELD("podsNotSimulated", stow_told_pass),
        STOW_FIELD("atLeast", stow_told_pass),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_reading inner = {told, &told->bound};

    told->has_bound = true;
    told->bound_token = c->at;
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    if (!told->bound.given)
        return stow_cursor_fail_at(c, told->bound_token, "perHour is missing");
    return STOW_OK;
}

/* ---- the proof --------------------------------------------------------------------------- */

STOW_READER(class_pods, struct stow_told_class, stow_told_pods_at(c, r, &item->pods))
STOW_READER(class_key, struct stow_told_class, stow_told_text_at(c, r, &item->key))
STOW_READER(class_price, struct stow_told_class, stow_told_money_at(c, false, &item->price))

static int read_class(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("pods", class_pods),
        STOW_FIELD("pricePerHour", class_price),
        STOW_FIELD("topologyKey", class_key),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_class class = {.token = c->at};
    struct stow_reading inner = {told, &class};

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));

    struct stow_told_class *made = STOW_PUSH(&told->class, &told->classes, &told->class_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = class;
    return STOW_OK;
}

static int read_classes(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_class, into);
}

/* The members are values of a label, so there is no table. */
static int read_zone_prices(struct stow_cursor *c, struct stow_reading *r,
                            struct stow_told_range *ret)
{
    struct stow_told *told = r->told;
    struct stow_str value;
    int more;

    ret->first = told->zones;
    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &value)) > 0) {
        struct stow_told_zone *made = STOW_PUSH(&told->zone, &told->zones, &told->zone_cap);
        struct stow_told_money money = {0};

        if (!made)
            return stow_cursor_fail_memory(c);
        STOW_TRY(stow_told_keep(c, r, value, c->at, &made->value));
        STOW_TRY(stow_told_money_at(c, false, &money));
        made->price = money.amount;
    }
    ret->count = told->zones - ret->first;
    return more;
}

static int read_leaf_price(struct stow_cursor *c, void *into)
{
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_worth worth = {.token = c->at,
                                    .by_zone = stow_cursor_peek(c) == STOW_TOKEN_OBJECT};
    struct stow_told_money money = {0};

    if (worth.by_zone)
        STOW_TRY(read_zone_prices(c, into, &worth.zones));
    else
        STOW_TRY(stow_told_money_at(c, false, &money));
    worth.price = money.amount;

    struct stow_told_worth *made = STOW_PUSH(&told->price, &told->prices, &told->price_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = worth;
    return STOW_OK;
}

STOW_READER(limit_limit, struct stow_told_limit, stow_told_text_at(c, r, &item->limit))
STOW_READER(limit_group, struct stow_told_limit, stow_told_text_at(c, r, &item->group))
STOW_READER(limit_pool, struct stow_told_limit, stow_told_text_at(c, r, &item->pool))
STOW_READER(limit_commitment, struct stow_told_limit, stow_told_text_at(c, r, &item->commitment))
STOW_READER(limit_resource, struct stow_told_limit, stow_told_text_at(c, r, &item->resource))
STOW_READER(limit_amount, struct stow_told_limit, stow_told_scalar_at(c, r, &item->amount))
STOW_READER(limit_price, struct stow_told_limit, stow_told_money_at(c, false, &item->price))

STOW_READER(limit_nodes, struct stow_told_limit, stow_told_names_at(c, r, &item->nodes))

static int read_limit(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("limit", limit_limit),        STOW_FIELD("group", limit_group),
        STOW_FIELD("pool", limit_pool),          STOW_FIELD("resource", limit_resource),
        STOW_FIELD("nodes", limit_nodes),        STOW_FIELD("amount", limit_amount),
        STOW_FIELD("pricePerHour", limit_price), STOW_FIELD("commitment", limit_commitment),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_limit limit = {.token = c->at};
    struct stow_reading inner = {told, &limit};

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    STOW_TRY(stow_told_need(c, limit.token, &limit.limit, "limit"));
    STOW_TRY(stow_told_need(c, limit.token, &limit.amount, "amount"));
    if (!limit.price.given)
        return stow_cursor_fail_at(c, limit.token, "pricePerHour is missing");

    struct stow_told_limit *made = STOW_PUSH(&told->limit, &told->limits, &told->limit_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = limit;
    return STOW_OK;
}

static int read_tree(struct stow_cursor *c, struct stow_reading *r, uint32_t *ret);

static int tree_prices(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told_tree *tree = r->item;

    tree->is_leaf = true;
    tree->prices.first = r->told->prices;
    STOW_TRY(stow_cursor_items(c, read_leaf_price, r));
    tree->prices.count = r->told->prices - tree->prices.first;
    return STOW_OK;
}

static int tree_limits(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told_tree *tree = r->item;

    tree->is_leaf = true;
    tree->limits.first = r->told->limits;
    STOW_TRY(stow_cursor_items(c, read_limit, r));
    tree->limits.count = r->told->limits - tree->limits.first;
    return STOW_OK;
}

STOW_READER(tree_per_hour, struct stow_told_tree, stow_told_money_at(c, true, &item->per_hour))
STOW_READER(tree_le, struct stow_told_tree, read_tree(c, r, &item->le))
STOW_READER(tree_gt, struct stow_told_tree, read_tree(c, r, &item->gt))
STOW_READER(split_group, struct stow_told_tree, stow_told_text_at(c, r, &item->group))
STOW_READER(split_nodes, struct stow_told_tree, stow_told_names_at(c, r, &item->nodes))
STOW_READER(split_at, struct stow_told_tree, stow_cursor_int(c, 0, UINT32_MAX - 1, &item->at))

static int tree_split(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("group", split_group),
        STOW_FIELD("nodes", split_nodes),
        STOW_FIELD("at", split_at),
    };
    struct stow_told_tree *tree = ((struct stow_reading *)into)->item;
    const uint32_t token = c->at;

    tree->is_split = true;
    tree->at = -1;
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, into));
    if (!tree->nodes.count)
        STOW_TRY(stow_told_need(c, token, &tree->group, "group"));
    return tree->at < 0 ? stow_cursor_fail_at(c, token, "at is missing") : STOW_OK;
}

static int check_tree(struct stow_cursor *c, const struct stow_told_tree *tree)
{
    const bool branches = tree->le != STOW_TOLD_NONE || tree->gt != STOW_TOLD_NONE;

    if (tree->is_leaf && (tree->is_split || branches))
        return stow_cursor_fail_at(c, tree->token, "a tree is a leaf or a split, not both");
    if (!tree->is_leaf && !tree->is_split)
        return stow_cursor_fail_at(c, tree->token, "a tree needs prices, or a split");
    if (tree->is_leaf && !tree->per_hour.given)
        return stow_cursor_fail_at(c, tree->token, "perHour is missing");
    return STOW_OK;
}

/* Goes as deep as the input nests, which the tape limits. */
static int read_tree(struct stow_cursor *c, struct stow_reading *r, uint32_t *ret)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("prices", tree_prices),
        STOW_FIELD("limits", tree_limits),
        STOW_FIELD("perHour", tree_per_hour),
        STOW_FIELD("split", tree_split),
        STOW_FIELD("le", tree_le),
        STOW_FIELD("gt", tree_gt),
    };
    struct stow_told *told = r->told;
    struct stow_told_tree tree = {.token = c->at, .le = STOW_TOLD_NONE, .gt = STOW_TOLD_NONE};
    struct stow_reading inner = {told, &tree};

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    STOW_TRY(check_tree(c, &tree));

    struct stow_told_tree *made = STOW_PUSH(&told->tree, &told->trees, &told->tree_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = tree;
    *ret = told->trees - 1;
    return STOW_OK;
}

STOW_READER(set_group, struct stow_told_set, stow_told_text_at(c, r, &item->group))
STOW_READER(set_others, struct stow_told_set, stow_told_names_at(c, r, &item->others))

static int read_set(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("group", set_group),
        STOW_FIELD("others", set_others),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_set set = {0}, *made;
    struct stow_reading inner = {told, &set};
    const uint32_t token = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    STOW_TRY(stow_told_need(c, token, &set.group, "group"));
    made = STOW_PUSH(&told->set, &told->sets, &told->set_cap);
    if (!made)
        return stow_cursor_fail_memory(c);
    *made = set;
    return STOW_OK;
}

static int read_sets(struct stow_cursor *c, void *into)
{
    return stow_cursor_items(c, read_set, into);
}

STOW_READER(proof_tree, void, read_tree(c, r, &r->told->root))
STOW_READER(proof_fixed, void, stow_told_names_at(c, r, &r->told->fixed))
STOW_READER(lift_rule, void, stow_told_text_at(c, r, &r->told->lift_rule))
STOW_READER(lift_unit, void, stow_told_money_at(c, false, &r->told->lift_unit))
STOW_READER(lift_per_hour, void, stow_told_money_at(c, false, &r->told->lift_per_hour))

static int read_lift(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("rule", lift_rule),
        STOW_FIELD("unit", lift_unit),
        STOW_FIELD("perHour", lift_per_hour),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;

    told->has_lift = true;
    told->lift_token = c->at;
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, into));
    STOW_TRY(stow_told_need(c, told->lift_token, &told->lift_rule, "rule"));
    if (!told->lift_per_hour.given)
        return stow_cursor_fail_at(c, told->lift_token, "perHour is missing");
    return STOW_OK;
}

/* The members are names of resources, so there is no table. */
static int read_resource_prices(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told *told = r->told;
    struct stow_str key;
    int more;

    STOW_TRY(stow_cursor_enter(c, '{'));
    while ((more = stow_cursor_key(c, &key)) > 0) {
        struct stow_told_price *made =
            STOW_PUSH(&told->resource, &told->resources, &told->resource_cap);
        struct stow_told_money money = {0};

        if (!made)
            return stow_cursor_fail_memory(c);
        STOW_TRY(stow_told_keep(c, r, key, c->at, &made->resource));
        STOW_TRY(stow_told_money_at(c, false, &money));
        made->price = money.amount;
    }
    return more;
}

STOW_READER(resources_per_hour, void, stow_told_money_at(c, true, &r->told->resources_per_hour))

static int read_resources(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("prices", read_resource_prices),
        STOW_FIELD("perHour", resources_per_hour),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;

    told->has_resources = true;
    told->resources_token = c->at;
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, into));
    if (!told->resources_per_hour.given)
        return stow_cursor_fail_at(c, told->resources_token, "perHour is missing");
    return STOW_OK;
}

static int read_proof(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("classes", read_classes), STOW_FIELD("tree", proof_tree),
        STOW_FIELD("lift", read_lift),       STOW_FIELD("resources", read_resources),
        STOW_FIELD("fixed", proof_fixed),    STOW_FIELD("sets", read_sets),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;

    told->has_proof = true;
    told->proof_token = c->at;
    return STOW_FIELDS_STRICT(c, fields, into);
}

/* ---- the plan ---------------------------------------------------------------------------- */

STOW_READER(plan_api_version, void, stow_told_text_at(c, r, &r->told->api_version))
STOW_READER(plan_kind, void, stow_told_text_at(c, r, &r->told->kind))
STOW_READER(plan_strategy, void, stow_told_text_at(c, r, &r->told->strategy))
STOW_READER(plan_new_nodes, void, stow_cursor_items(c, stow_told_new_node_at, r))
STOW_READER(plan_existing_nodes, void, stow_cursor_items(c, read_existing_node, r))
STOW_READER(plan_order, void, stow_told_pods_at(c, r, &r->told->order))
STOW_READER(plan_groups, void, stow_cursor_items(c, read_group, r))

STOW_READER(plan_saving, void, stow_told_money_at(c, true, &r->told->saving))
STOW_READER(plan_minimise, void, stow_told_text_at(c, r, &r->told->minimise))
STOW_READER(plan_spread_removal, void, stow_told_text_at(c, r, &r->told->spread_removal))
STOW_READER(plan_changes, void, stow_cursor_items(c, stow_told_change_at, r))
STOW_READER(plan_kept, void, stow_cursor_items(c, stow_told_kept_at, r))

STOW_READER(plan_awaits, void, stow_cursor_items(c, stow_told_await_at, r))
STOW_READER(plan_rows, void, stow_cursor_items(c, stow_told_row_at, r))

static int plan_moved(struct stow_cursor *c, void *into)
{
    struct stow_told *told = ((struct stow_reading *)into)->told;

    told->moved_token = c->at;
    return stow_cursor_int(c, 0, UINT32_MAX, &told->moved);
}

static int plan_unplaced(struct stow_cursor *c, void *into)
{
    struct stow_told *told = ((struct stow_reading *)into)->told;

    told->unplaced.first = told->pods;
    STOW_TRY(stow_cursor_items(c, read_unplaced, into));
    told->unplaced.count = told->pods - told->unplaced.first;
    return STOW_OK;
}

static int plan_unpriced(struct stow_cursor *c, void *into)
{
    struct stow_told *told = ((struct stow_reading *)into)->told;

    told->unpriced_token = c->at;
    return stow_cursor_int(c, 0, UINT32_MAX, &told->unpriced);
}

/* Amounts are all nodes, or all money. */
static int check_amounts(struct stow_cursor *c, struct stow_told *told, uint32_t token)
{
    const struct stow_told_text *what = &told->minimise;

    told->counts_nodes = told->is_consolidation && stow_str_is(what->text, "nodes");
    if (what->text.ptr && !told->counts_nodes && !stow_str_is(what->text, "cost"))
        return stow_cursor_fail_at(c, what->token, "minimise is cost or nodes, not '%.*s'",
                                   STOW_FMT(what->text));
    if (told->counts_nodes ? !told->speaks_of_nodes : !told->speaks_of_money)
        return stow_cursor_fail_at(c, token, "%s is missing",
                                   told->counts_nodes ? "nodes" : "cost");
    if (told->speaks_of_nodes && told->speaks_of_money)
        return stow_cursor_fail_at(c, token,
                                   "amounts are nodes and money at once; minimise says which");
    return STOW_OK;
}

/* Whether pods may wait for nodes to be gone. */
static int check_waiting(struct stow_cursor *c, struct stow_told *told)
{
    const struct stow_told_text *how = &told->spread_removal;

    told->waits = how->text.ptr && stow_str_is(how->text, "wait");
    if (how->text.ptr && !told->waits && !stow_str_is(how->text, "strict"))
        return stow_cursor_fail_at(c, how->token, "spreadOnRemoval is strict or wait, not '%.*s'",
                                   STOW_FMT(how->text));
    return STOW_OK;
}

static int check_plan(struct stow_cursor *c, struct stow_told *told, uint32_t token)
{
    told->is_consolidation = told->kind.text.ptr && stow_str_is(told->kind.text, CONSOLIDATION);
    STOW_TRY(stow_told_need(c, token, &told->api_version, "apiVersion"));
    if (!stow_str_is(told->api_version.text, "stowage.dev/v1alpha1"))
        return stow_cursor_fail_at(c, told->api_version.token,
                                   "apiVersion stowage.dev/v1alpha1 is expected, not '%.*s'",
                                   STOW_FMT(told->api_version.text));
    if (!told->kind.text.ptr)
        return stow_cursor_fail_at(c, token, "kind is missing: this is not a plan");
    if (!stow_str_is(told->kind.text, "ScalePlan") && !told->is_consolidation)
        return stow_cursor_fail_at(
            c, told->kind.token, "a plan of kind ScalePlan or Consolidation is expected, not %.*s",
            STOW_FMT(told->kind.text));
    STOW_TRY(check_amounts(c, told, token));
    if (told->is_consolidation && !told->saving.given && told->after.amount != STOW_MONEY_UNKNOWN)
        return stow_cursor_fail_at(c, token, "%s is missing",
                                   told->counts_nodes ? "savedNodes" : "savingPerHour");
    STOW_TRY(check_waiting(c, told));
    if (stow_cursor_peek(c) != STOW_TOKEN_END)
        return stow_cursor_fail(c, "one plan is expected, and here begins another document");
    return STOW_OK;
}

int stow_told_read(const struct stow_tape *tape, struct stow_told *ret, struct stow_err *err)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("apiVersion", plan_api_version),
        STOW_FIELD("kind", plan_kind),
        STOW_FIELD("strategy", plan_strategy),
        STOW_FIELD("minimise", plan_minimise),
        STOW_FIELD("spreadOnRemoval", plan_spread_removal),
        STOW_FIELD("cost", read_cost),
        STOW_FIELD("nodes", read_nodes),
        STOW_FIELD("weighed", read_weighed),
        STOW_FIELD("unpriced", plan_unpriced),
        STOW_FIELD("bound", read_bound),
        STOW_FIELD("proof", read_proof),
        STOW_FIELD("newNodes", plan_new_nodes),
        STOW_FIELD("existingNodes", plan_existing_nodes),
        STOW_FIELD("order", plan_order),
        STOW_FIELD("groups", plan_groups),
        STOW_FIELD("unplaced", plan_unplaced),
        STOW_FIELD("savingPerHour", plan_saving),
        STOW_FIELD("savedNodes", plan_saving),
        STOW_FIELD("moved", plan_moved),
        STOW_FIELD("steps", plan_changes),
        STOW_FIELD("kept", plan_kept),
        STOW_FIELD("pending", plan_awaits),
        STOW_FIELD("limits", stow_told_limits_at),
        STOW_FIELD("frontier", plan_rows),
        /* what explains the plan, and is not part of it */
        STOW_FIELD("rules", stow_told_pass),
        STOW_FIELD("scorer", stow_told_pass),
        STOW_FIELD("ended", stow_told_pass),
        STOW_FIELD("rounds", stow_told_pass),
        STOW_FIELD("timings", stow_told_pass),
        STOW_FIELD("warnings", stow_told_pass),
        STOW_FIELD("skipped", stow_told_pass),
        STOW_FIELD("defaulted", stow_told_pass),
        STOW_FIELD("oneMomentPrices", stow_told_pass),
        STOW_FIELD("ratePrices", stow_told_pass),
    };
    struct stow_reading r = {ret, NULL};
    struct stow_cursor *c = calloc(1, sizeof(*c)); /* too large for a stack */
    int code;

    memset(ret, 0, sizeof(*ret));
    ret->root = STOW_TOLD_NONE;
    ret->unpriced = ret->moved = ret->surge_nodes = ret->moves_per_step = ret->moves_all = -1;
    if (!c)
        return stow_fail_memory(err);
    stow_cursor_init(c, tape, err);

    const uint32_t token = c->at;

    code = STOW_FIELDS_STRICT(c, fields, &r);
    if (code >= 0)
        code = check_plan(c, ret, token);
    stow_cursor_done(c);
    free(c);
    return code < 0 ? code : STOW_OK;
}

int stow_verify_moves_pods(const struct stow_tape *tape, bool *ret, struct stow_err *err)
{
    static const struct stow_field fields[] = {STOW_FIELD("kind", plan_kind)};
    struct stow_told told = {.root = STOW_TOLD_NONE};
    struct stow_reading r = {&told, NULL};
    struct stow_cursor *c = calloc(1, sizeof(*c));
    int code;

    if (!c)
        return stow_fail_memory(err);
    stow_cursor_init(c, tape, err);
    code = STOW_FIELDS(c, fields, &r);
    if (code >= 0)
        *ret = told.kind.text.ptr && stow_str_is(told.kind.text, CONSOLIDATION);
    stow_cursor_done(c);
    free(c);
    stow_told_done(&told);
    return code < 0 ? code : STOW_OK;
}

void stow_told_done(struct stow_told *told)
{
    free(told->pod);
    free(told->name);
    free(told->node);
    free(told->existing);
    free(told->group);
    free(told->change);
    free(told->move);
    free(told->kept);
    free(told->await);
    free(told->room);
    free(told->row);
    free(told->class);
    free(told->limit);
    free(told->tree);
    free(told->set);
    free(told->price);
    free(told->zone);
    free(told->resource);
    stow_arena_done(&told->arena);
    memset(told, 0, sizeof(*told));
}
