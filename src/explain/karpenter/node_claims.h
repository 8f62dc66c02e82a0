/* node_claims.h - nodes to buy as objects that a running Karpenter acts on.
 *
 *     const struct stow_claims_input in = {.s = s, .node = node, .nodes = nodes};
 *     STOW_TRY(stow_node_claims_value(&doc, &in, &root, err));
 *
 * Both are v1 Lists for `kubectl apply -f -`.  A node of a group that is of no NodePool is an
 * error: there is nothing that Karpenter would launch it by. */
#ifndef STOW_EXPLAIN_KARPENTER_NODE_CLAIMS_H
#define STOW_EXPLAIN_KARPENTER_NODE_CLAIMS_H

#include "explain/render/value.h"
#include "model/snapshot.h"

struct stow_plan;
struct stow_consolidation;

/* A node to launch, and the pods that it is for. */
struct stow_claims_node {
    stow_group_id group;
    const stow_pod_id *pod;
    uint32_t pods;
};

/* All borrowed. */
struct stow_claims_input {
    const struct stow_snapshot *s;
    const struct stow_claims_node *node;
    uint32_t nodes;
    bool held; /* pods come later than the nodes: these must not be disrupted meanwhile */
    const stow_node_id *kept; /* nodes that stay */
    uint32_t kepts;
};

/* What a plan buys, and what all steps of a consolidation add; lists are in the arena. */
int stow_claims_of_plan(const struct stow_plan *plan, struct stow_arena *arena,
                        struct stow_claims_input *ret, struct stow_err *err);
int stow_claims_of_consolidation(const struct stow_consolidation *consolidation,
                                 struct stow_arena *arena, struct stow_claims_input *ret,
                                 struct stow_err *err);

/* A NodeClaim for each node, of one instance type, zone and capacity type. */
int stow_node_claims_value(struct stow_doc *doc, const struct stow_claims_input *in,
                           struct stow_value **ret, struct stow_err *err);

/* The NodePools that these nodes are of, narrowed to their types, zones and capacity types, and to
 * those of nodes that stay. */
int stow_node_pools_value(struct stow_doc *doc, const struct stow_claims_input *in,
                          struct stow_value **ret, struct stow_err *err);

/* Tells, in a sentence each, which minValues of the pools one type per node does not meet, and what
 * the objects cannot say. */
typedef void stow_claims_say(void *to, const char *text);
void stow_claims_unmet(const struct stow_claims_input *in, stow_claims_say *say, void *to);

#endif
