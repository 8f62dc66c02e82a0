/* advisor.h - the clusters of scaling-advisor's cases, as documents for the product.
 *
 * Every placement (pool, template, zone) becomes a NodeGroup that is named by its number in the
 * case, so that the order of names is that of the case. */
#ifndef TESTS_CONFORMANCE_ADVISOR_H
#define TESTS_CONFORMANCE_ADVISOR_H

#include "scale/session.h"
#include "tests/conformance/conformance.h"

/* One placement. */
struct stow_advisor_offer {
    struct stow_str label; /* "pool/template/zone", or the id of the placement */
    struct stow_str pool;
    struct stow_str alike; /* equal texts: nothing that matters tells them apart */
};

struct stow_advisor {
    struct stow_conf_case *c;
    struct stow_err *err;
    struct stow_buf text; /* the documents */
    struct stow_advisor_offer *offer;
    uint32_t offers, offer_cap;
    struct stow_snapshot *s;
    struct stow_books books;
    struct stow_bill_options bill;
    struct stow_scale *scale;
};

void stow_advisor_init(struct stow_advisor *a, struct stow_conf_case *c, struct stow_err *err);
void stow_advisor_done(struct stow_advisor *a);

/* {pods: [{count, cpu, memory_gi}], placements: [{id, price, cpu, memory_gi}]} */
int stow_advisor_read_scenario(struct stow_advisor *a, struct stow_view input);

/* {pods, pools, existing_nodes} in the short form of the group `plan`. */
int stow_advisor_read_plan(struct stow_advisor *a, struct stow_view input);

/* {pods: [{count, cpu_m, memory_mi}], pools: [{instance_type, max_nodes, ...}]}; a constraint
 * spreads the pods that it names by their cpu. */
int stow_advisor_read_limits(struct stow_advisor *a, struct stow_view input,
                             struct stow_view constraints);

/* {pods, nodes, nodePools, hourly_prices} as the planner itself takes them. */
int stow_advisor_read_request(struct stow_advisor *a, struct stow_view input);

/* What to plan by. */
struct stow_advisor_rules {
    enum stow_nru_rules rules;
    enum stow_nru_scorer scorer;
    const struct stow_nru_named *weight; /* none: the rule set's own */
    uint32_t weights;
    bool multi; /* multi-node-single-sim */
};

/* The plan; a->scale is then the one it was made with.  `ret` is to be freed with stow_plan_done.
 */
int stow_advisor_plan(struct stow_advisor *a, const struct stow_advisor_rules *rules,
                      struct stow_plan *ret);

/* The cheapest plan, searched for until it is proven or nothing is left to try. */
int stow_advisor_optimal(struct stow_advisor *a, struct stow_plan *ret);

/* Whether everything finds a place when all nodes of the plan are there at once. */
int stow_advisor_holds(struct stow_advisor *a, const struct stow_plan *plan, bool *ret);

/* The placement that a group of the snapshot stands for; NULL: it is none of the case. */
const struct stow_advisor_offer *stow_advisor_offer_of(const struct stow_advisor *a,
                                                       stow_group_id group);

/* The group of a placement. */
stow_group_id stow_advisor_group_of(const struct stow_advisor *a, struct stow_str label);

/* "namespace/name" in the scratch memory; {NULL, 0}: out of memory. */
struct stow_str stow_advisor_pod_name(const struct stow_advisor *a, stow_pod_id pod);

#endif
