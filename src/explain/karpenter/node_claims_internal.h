/* node_claims_internal.h - pieces of Karpenter's objects, as NodeClaims and NodePools both have
 * them.
 */
#ifndef STOW_EXPLAIN_KARPENTER_NODE_CLAIMS_INTERNAL_H
#define STOW_EXPLAIN_KARPENTER_NODE_CLAIMS_INTERNAL_H

#include "explain/karpenter/node_claims.h"
#include "model/karpenter/pool.h"

/* The keys that a plan decides. */
enum stow_decided_key {
    STOW_DECIDED_TYPE,
    STOW_DECIDED_ZONE,
    STOW_DECIDED_CAPACITY,
    STOW_DECIDED_KEYS,
};

extern const char *const stow_decided_key[STOW_DECIDED_KEYS];

/* What a group says of one; 0: nothing. */
stow_sym stow_decided_value(const struct stow_snapshot *s, stow_group_id group,
                            enum stow_decided_key key);

/* Whether a requirement is about one of them. */
bool stow_requirement_is_decided(const struct stow_snapshot *s,
                                 const struct stow_pool_requirement *requirement);

/* How many values of the requirement's key the nodes of a pool have. */
uint32_t stow_claims_values(const struct stow_claims_input *in, const struct stow_node_pool *pool,
                            const struct stow_pool_requirement *requirement);

/* Labels, with the keys sorted by name; NULL: there are none. */
struct stow_value *stow_labels_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                     stow_blob labels);

/* One line of requirements, as it was written. */
struct stow_value *stow_requirement_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                          const struct stow_pool_requirement *requirement);

/* taints, startupTaints, nodeClassRef, expireAfter and terminationGracePeriod, as the template has
 * them. */
int stow_template_set(struct stow_doc *doc, const struct stow_snapshot *s,
                      const struct stow_node_pool *pool, struct stow_value *spec,
                      struct stow_err *err);

/* Amounts of resources. */
struct stow_value *stow_amounts_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                      stow_blob amounts);

/* The group and kind of the node class of a pool; false: neither the pool nor its class says. */
bool stow_pool_class(const struct stow_snapshot *s, const struct stow_node_pool *pool,
                     struct stow_str *ret_group, struct stow_str *ret_kind);

/* The pool of each node, or an error that names the group which is of none. */
int stow_claims_check(const struct stow_claims_input *in, const char *form, struct stow_err *err);

/* A v1 List. */
struct stow_value *stow_list_value(struct stow_doc *doc, struct stow_value *items);

#endif
