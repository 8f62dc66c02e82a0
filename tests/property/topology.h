/* topology.h - rules over several nodes, by counting. */
#ifndef TESTS_PROPERTY_TOPOLOGY_H
#define TESTS_PROPERTY_TOPOLOGY_H

#include "place/rule.h"
#include "place/state.h"
#include "tests/property/property.h"

#define TOPOLOGY_NODES_MAX 12

/* NULL: something is wrong, and has been said. */
struct stow_snapshot *topology_cluster(struct chance *c, uint64_t seed);

/* One question: a pod, and the nodes that are candidates for scoring. */
struct question {
    const struct stow_state *state;
    const struct stow_snapshot *s;
    const struct stow_pod *pod;
    const struct stow_pod_spec *spec;
    stow_node_id candidate[TOPOLOGY_NODES_MAX];
    uint32_t candidates;
};

/* Whether a filter has nothing to say about the pod. */
bool topology_spread_skips(const struct question *q);
bool topology_affinity_skips(const struct question *q);

enum stow_verdict topology_spread_verdict(const struct question *q, stow_node_id node);
enum stow_verdict topology_affinity_verdict(const struct question *q, stow_node_id node,
                                            const char **ret_why);

/* Normalised scores of the candidates; false: the scorer has nothing to say. */
bool topology_spread_scores(const struct question *q, int64_t *ret);
bool topology_affinity_scores(const struct question *q, int64_t hard, int64_t *ret);

#endif
