/* told.h - a plan as it is written: what it tells, before anybody believes it. */
#ifndef STOW_VERIFY_TOLD_H
#define STOW_VERIFY_TOLD_H

#include "base/arena.h"
#include "model/snapshot.h"
#include "model/values/money.h"
#include "read/text/cursor.h"

/* Where it stands in the plan: a token. */
struct stow_told_text {
    struct stow_str text;
    uint32_t token;
};

struct stow_told_money {
    bool given;
    stow_nano amount; /* STOW_MONEY_UNKNOWN: null */
    uint32_t token;
};

struct stow_told_range {
    uint32_t first, count;
};

/* A node with its pods, which are a range of stow_told.pod. */
struct stow_told_node {
    struct stow_told_text name, group; /* group: of new nodes only */
    struct stow_told_money price;
    bool upcoming, committed;
    struct stow_told_range pods;
};

/* Of a consolidation: a pod that moves, and a step. */
struct stow_told_move {
    uint32_t pod; /* of stow_told.pod */
    struct stow_told_text from, to;
    bool waits; /* until the nodes that its step removes are gone */
};

/* A pending pod for which room is kept: before the first step, or from the end of a step on. */
struct stow_told_await {
    uint32_t pod; /* of stow_told.pod */
    struct stow_told_text node;
};

struct stow_told_change {
    uint32_t token;
    struct stow_told_range add, move, remove; /* of stow_told.node, .move and .name */
    struct stow_told_range room;              /* of stow_told.room */
    struct stow_told_money saving;
    int64_t prepares; /* the number of a later step; 0: none */
};

/* Of a consolidation: another plan, of which it gives no steps but these figures.  The first steps
 * of its own are one, too. */
struct stow_told_row {
    uint32_t token;
    int64_t moved, nodes, steps; /* -1: not told */
    struct stow_told_money saving, cost;
    bool chosen, first_steps;
    bool tells; /* which nodes go and what comes: */
    /* Of stow_told.name; groups, one for each new node. */
    struct stow_told_range remove, add, committed;
};

struct stow_told_group {
    struct stow_told_text group;
    int64_t from, to, committed;
};

struct stow_told_class {
    uint32_t token;
    struct stow_told_range pods;
    struct stow_told_money price;
    struct stow_told_text key; /* topologyKey: it has a price per domain */
};

/* A price of a class in a leaf; those by domain are a range of stow_told.zone. */
struct stow_told_worth {
    uint32_t token;
    stow_nano price;
    bool by_zone;
    struct stow_told_range zones;
};

struct stow_told_zone {
    struct stow_told_text value; /* of the label */
    stow_nano price;
};

/* A row of limits: its price and what it names. */
struct stow_told_limit {
    uint32_t token;
    struct stow_told_text limit, group, pool, commitment, resource, amount;
    struct stow_told_range nodes; /* of stow_told.name */
    struct stow_told_money price;
};

#define STOW_TOLD_NONE UINT32_MAX

struct stow_told_tree {
    uint32_t token;
    bool is_leaf, is_split;
    struct stow_told_range prices, limits; /* of stow_told.price and .limit */
    struct stow_told_money per_hour;
    struct stow_told_text group;
    struct stow_told_range nodes; /* of stow_told.name: it splits these, and no group */
    int64_t at;
    uint32_t le, gt; /* trees; STOW_TOLD_NONE: missing */
};

/* A group that stands for others in splits. */
struct stow_told_set {
    struct stow_told_text group;
    struct stow_told_range others; /* of stow_told.name */
};

struct stow_told_price {
    struct stow_told_text resource;
    stow_nano price;
};

struct stow_told {
    struct stow_told_text api_version, kind, strategy, currency;
    struct stow_told_money cost, weighed;
    int64_t unpriced; /* -1: not told */
    uint32_t unpriced_token;

    bool at_least; /* the cost says that it has unknown parts */
    bool has_bound;
    uint32_t bound_token;
    struct stow_told_money bound;
    struct stow_told_text gap, method, bound_for;
    struct stow_told_text bound_order;      /* "groups": for plans that keep their order */
    struct stow_told_range unpriced_groups; /* of name: which the bound knows nothing of */

    struct stow_told_text *pod; /* what ranges of pods point into */
    struct stow_told_text *name;
    struct stow_told_node *node, *existing;
    struct stow_told_group *group;
    struct stow_told_range unplaced, order; /* of pod */
    uint32_t pods, pod_cap, names, name_cap, nodes, node_cap, existings, existing_cap, groups,
        group_cap;

    /* of a consolidation */
    bool is_consolidation, waits;          /* waits: pods may be pending until nodes are gone */
    bool counts_nodes;                     /* amounts are nodes: one is 1.000000000 */
    bool speaks_of_nodes, speaks_of_money; /* in what it states amounts */
    struct stow_told_text spread_removal;  /* that pods may wait, as it says so */
    struct stow_told_text minimise;        /* what it counts, likewise */
    struct stow_told_money before, after, saving, fees; /* fees: of commitments */
    int64_t moved;                                      /* -1: not told */
    uint32_t moved_token;
    int64_t surge_nodes, moves_per_step, moves_all; /* its limits; -1: none */
    struct stow_told_money surge_cost;
    bool has_without;
    struct stow_told_row without; /* limits */
    struct stow_told_row *row;    /* of the frontier */
    uint32_t rows, row_cap;
    struct stow_told_change *change;
    struct stow_told_move *move;
    struct stow_told_text *kept;          /* names of nodes */
    struct stow_told_await *await, *room; /* before the first step, and in steps */
    uint32_t changes, change_cap, moves, move_cap, kepts, kept_cap, awaits, await_cap, rooms,
        room_cap;

    bool has_proof, has_lift, has_resources;
    uint32_t proof_token, lift_token, resources_token;
    struct stow_told_class *class;
    struct stow_told_limit *limit;
    struct stow_told_tree *tree;
    struct stow_told_set *set;
    struct stow_told_worth *price;
    struct stow_told_zone *zone;
    struct stow_told_price *resource;
    uint32_t classes, class_cap, limits, limit_cap, trees, tree_cap, prices, price_cap, zones,
        zone_cap, resources, resource_cap, sets, set_cap;
    uint32_t root;                /* STOW_TOLD_NONE: no tree */
    struct stow_told_range fixed; /* of name: nodes that stay in any case; of a consolidation */
    struct stow_told_text lift_rule;
    struct stow_told_money lift_unit, lift_per_hour, resources_per_hour;

    struct stow_arena arena; /* texts */
};

/* Reads the only document of the tape.  Malformed text is an error with its place; names are not
 * looked up yet.  `ret` is valid for done in any case. */
int stow_told_read(const struct stow_tape *tape, struct stow_told *ret, struct stow_err *err);
void stow_told_done(struct stow_told *told);

#endif
