/* rank_price.h - the price rule's parts: the node a cluster would rather have, what a candidate's
 * size counts for, and its score. */
#ifndef STOW_SCALE_RULES_RANK_PRICE_H
#define STOW_SCALE_RULES_RANK_PRICE_H

#include "price/models/gce.h"
#include "scale/rules/rank.h"

/* A node that fits the cluster, by how many nodes there are. */
struct stow_preferred_node {
    uint32_t max_nodes; /* of the cluster; UINT32_MAX: no limit */
    uint32_t pods;
    int64_t cpu, memory; /* milli-cores and bytes */
};

/* `nodes`: all there are, ready or not, in a group or not. */
const struct stow_preferred_node *stow_preferred_node(enum stow_price_rules rules, uint32_t nodes);

/* X: the price of the pod that is added to both sides of the ratio.  It has half a core; under
 * `current` 500 MiB, too. */
double stow_price_stabiliser(enum stow_price_rules rules, const struct stow_gce_rates *rates);

/* Whether the autoscaler takes the node for one with GPUs: GCE's label, or an allocatable device.
 */
bool stow_price_gpu_node(const struct stow_snapshot *s, const struct stow_node *node);

/* max(preferred / node, node / preferred): 1 for the preferred node, more for every other. */
double stow_price_unfitness(int64_t preferred_cpu, int64_t node_cpu);

/* Unfitness counts less the more nodes are added: (u - 1) * (1 - tanh((n - 1) / 15)) + 1, with Go's
 * tanh to the last bit. */
double stow_price_suppress(double unfitness, uint32_t nodes);

/* The values of a candidate, in this order. */
enum stow_price_value {
    STOW_PRICE_NODE_COST, /* C: of all its nodes */
    STOW_PRICE_POD_COST,  /* T: of its pods on machines that fit them perfectly */
    STOW_PRICE_RATIO,     /* (C + X) / (T + X) */
    STOW_PRICE_UNFITNESS,
    STOW_PRICE_SUPPRESSED, /* unfitness as it counts */
    STOW_PRICE_SCORE,      /* the lowest wins */
    STOW_PRICE_VALUES,
};

/* Of a candidate whose prices are known. */
void stow_price_score(const struct stow_rank_context *ctx, const struct stow_candidate *candidate,
                      double ret[STOW_PRICE_VALUES]);

#endif
