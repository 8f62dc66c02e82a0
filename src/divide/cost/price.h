/* price.h - what a replica of a workload costs on each cluster of a fleet.
 *
 *     STOW_TRY(stow_divide_costs_new(s, &policy, &costs, err));
 *     STOW_TRY(stow_divide_costs_member(costs, cluster, &member, err));   where nodes are known
 *     options.costs = costs;
 *
 * The first of these that is given: an entry for the cluster in a PriceBook, annotations of the
 * Cluster, the prices of its nodes.  Else the price is unknown, which is a value of its own and
 * follows the policy. */
#ifndef STOW_DIVIDE_COST_PRICE_H
#define STOW_DIVIDE_COST_PRICE_H

#include "divide/divide.h"
#include "divide/policy.h"
#include "price/bill/bill.h"

/* This many replicas at this price each.  STOW_MONEY_UNKNOWN is a price. */
struct stow_price_step {
    int64_t capacity; /* further replicas; INT64_MAX: as many as fit */
    stow_nano price;  /* per hour */
};

/* The steps of a cluster for one workload, cheapest first, unknown last. */
struct stow_price_list {
    const struct stow_price_step *step;
    uint32_t steps;
};

enum stow_price_from {
    STOW_PRICE_FROM_NOTHING,
    STOW_PRICE_FROM_BOOK,
    STOW_PRICE_FROM_ANNOTATION,
    STOW_PRICE_FROM_NODES,
};

const char *stow_price_from_name(enum stow_price_from from);

/* A cluster's own objects.  All are borrowed; texts are added to the snapshot, so no other thread
 * may use it at the same time. */
struct stow_member {
    struct stow_snapshot *s;
    const struct stow_bill *bill; /* of its nodes */
    bool provisionable;           /* nodes that its groups could still buy count, too */
    const stow_nano *group_price; /* of a new node, fee included; STOW_MONEY_UNKNOWN; by group */
};

struct stow_price_memo; /* price_memo.h */

/* What the first cluster that charges so charges. */
struct stow_tariff {
    enum stow_price_from from;
    stow_nano per_replica; /* STOW_MONEY_UNKNOWN: by resources, or by nodes */
    uint32_t rate, rates;  /* in costs->rate */
    struct stow_member member;
    struct stow_price_memo *memo; /* of its steps; NULL: none are kept */
};

/* A limit of the policy, found in the fleet. */
struct stow_cost_limit {
    stow_binding_id binding;
    stow_cluster_id cluster;
    int32_t min, max;
};

struct stow_divide_costs {
    const struct stow_snapshot *s;
    enum stow_cost_rules rules;
    enum stow_unknown_price unknown;
    stow_nano assumed;
    struct stow_tariff *tariff; /* by cluster id */
    uint32_t tariffs;
    struct stow_rate *rate;        /* resources are texts of `s` */
    struct stow_cost_limit *limit; /* by binding */
    uint32_t rates, rate_cap, limits;
    struct stow_str currency; /* of all prices */
    uint32_t ignore_spread;   /* 1 << enum stow_spread_field: to see what a constraint costs */
    struct stow_arena arena;
};

/* Reads the prices of a fleet.  `policy` may be NULL.  Prices that are none, and limits for
 * workloads or clusters that do not exist, are errors that name the object and the field. */
int stow_divide_costs_new(const struct stow_snapshot *s, const struct stow_divide_policy *policy,
                          struct stow_divide_costs **ret, struct stow_err *err);
void stow_divide_costs_free(struct stow_divide_costs *costs);

/* Prices by nodes for a cluster that has no other.  Currencies must agree. */
int stow_divide_costs_member(struct stow_divide_costs *costs, stow_cluster_id cluster,
                             const struct stow_member *member, struct stow_err *err);

/* The price lists of all clusters for a workload, by cluster id, in the arena.  Unknown prices are
 * left as they are. */
int stow_divide_prices(const struct stow_divide_costs *costs, const struct stow_binding *binding,
                       struct stow_arena *arena, struct stow_price_list **ret,
                       struct stow_err *err);

/* What `replicas` cost, `held` of them in place before: these are of the first step and take none
 * of its room.  STOW_MONEY_UNKNOWN when one of them has no known price, or all together too high a
 * one. */
stow_nano stow_price_list_cost(const struct stow_price_list *list, int64_t held, int64_t replicas);

/* Replicas that fit by nodes (of several components: whole sets), by cluster id, -1: nothing is
 * known of its nodes; for stow_divide_options.estimate. */
int stow_divide_room(const struct stow_divide_costs *costs, const struct stow_binding *binding,
                     int64_t *ret, struct stow_err *err);

/* The limit of a binding on a cluster; NULL: none. */
const struct stow_cost_limit *stow_cost_limit_find(const struct stow_divide_costs *costs,
                                                   const struct stow_binding *binding,
                                                   stow_cluster_id cluster);

/* The proposal's score of a price: int64(-cost * 100) in 32-bit floating point. */
int64_t stow_kep_score(stow_nano price);

/* What a node, or a group that could buy some, has for a workload: replicas that fit, and the price
 * of one there. */
struct stow_node_offer {
    int64_t capacity;
    stow_nano price;
};

/* price_nodes.c: offers of all nodes, then of all groups, nodes + groups of them. */
int stow_member_offers(const struct stow_member *member, const struct stow_snapshot *fleet,
                       const struct stow_binding *binding, struct stow_node_offer *ret,
                       struct stow_err *err);

/* What the nodes of a member have free, then, of a provisionable one, nodes that its groups could
 * buy; `ret` has room for all nodes and groups. */
struct stow_fit_node;
int stow_member_fit_nodes(const struct stow_member *member, struct stow_fit_node *ret,
                          uint32_t *ret_count, struct stow_err *err);

/* Whole sets of the components of a binding that fit the member's nodes. */
int stow_member_sets(const struct stow_member *member, const struct stow_snapshot *fleet,
                     const struct stow_binding *binding, int64_t *ret, struct stow_err *err);

/* Nodes of a group that are not there: those on their way, and those that it can still add. */
int64_t stow_group_free_size(const struct stow_snapshot *s, stow_group_id number);

/* The steps of a cluster by its nodes, for what is asked of it in its own words. */
struct stow_asked;
int stow_member_steps(const struct stow_member *member, const struct stow_asked *asked,
                      struct stow_arena *arena, struct stow_price_list *ret, struct stow_err *err);

#endif
