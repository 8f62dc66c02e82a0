/* scale_reference.h - one decision of an autoscaler, the slow and obvious way.
 *
 * Pod by pod and node by node from the rules as they are written down (reference of the
 * Cluster Autoscaler, 3.2 to 3.6, with its deterministic form of step a), asking the
 * filters of place_reference about a cluster to which nodes are really added.  Knows no
 * classes, columns, logs or limits in closed form, and shares no code with src/scale. */
#ifndef TESTS_PROPERTY_SCALE_REFERENCE_H
#define TESTS_PROPERTY_SCALE_REFERENCE_H

#include "scale/plan.h" /* what is checked */
#include "tests/property/place_reference.h"
#include "tests/property/scale_random.h"

/* A cluster that can get more nodes. */
struct sref_world {
    struct stow_snapshot view; /* with nodes of its own */
    struct stow_node node[REF_NODES];
    uint32_t group[REF_NODES]; /* SCALE_NONE: nobody's */
    struct ref_cluster c;
};

/* Pods that are alike: indices into `pending`. */
struct sref_run {
    uint32_t pod[REF_PODS];
    uint32_t pods;
};

struct sref_option {
    uint32_t group, nodes, pods;
    uint32_t taken[REF_PODS]; /* per run */
    /* what rankers see */
    int64_t cpu, memory; /* requests of its pods */
    double pod_cost;
};

enum sref_rule { SREF_PRICE, SREF_LEAST_WASTE, SREF_MOST_PODS, SREF_LEAST_NODES, SREF_RULES };
extern const char *const sref_rule_name[SREF_RULES];

struct sref {
    const struct scale_case *input;
    struct stow_snapshot *s; /* of the models */
    struct sref_world bare;  /* what is there and on its way */
    struct sref_world world; /* with the pods that are placed there first */
    uint32_t given;          /* nodes that are there */
    struct stow_node model[SCALE_GROUPS];
    struct ref_profile profile;
    stow_pod_id pending[REF_PODS];
    uint32_t pendings;
    struct sref_run run[REF_PODS];
    uint32_t runs;
    bool can[SCALE_GROUPS][REF_PODS]; /* group, run: its first pod passes on a fresh node */
    int64_t left[SCALE_QUOTAS];       /* of each quota */
    bool too_large;                   /* for the arrays: no answer */
    struct sref_option option[SCALE_GROUPS];
    uint32_t options;
};

/* What comes of a chain of rules. */
struct sref_decision {
    bool kept[SREF_RULES][SCALE_GROUPS]; /* by the first rule of each step, by group */
    uint32_t steps;
    double score[SCALE_GROUPS]; /* of the first rule, by group */
    uint32_t chosen;            /* group, SCALE_NONE: nobody */
    uint32_t increase[SCALE_GROUPS];
};

/* Loads, places what fits, sorts the rest and makes the options; false: something failed, and said.
 */
bool sref_open(struct sref *r, const struct scale_case *input);
void sref_done(struct sref *r);

void sref_decide(const struct sref *r, const enum sref_rule *rule, uint32_t rules,
                 struct sref_decision *ret);

/* ---- between its files, and for who checks plans ----------------------------------------- */

void sref_copy(struct sref_world *to, const struct sref_world *from);

/* One more node of a group, called `name`; false: too many. */
bool sref_add_node(struct sref *r, struct sref_world *w, uint32_t group, const char *name);

/* What a node counts for in a quota. */
int64_t sref_counts_for(const struct sref *r, const struct stow_node *node,
                        enum scale_quota_of quota);

/* Pending, and without gates. */
bool sref_waits(const struct sref *r, stow_pod_id pod);
bool sref_fits(const struct sref *r, const struct sref_world *w, stow_pod_id pod, uint32_t node);

/* Its max, the quotas and the total allow a node, or all that it must have at once. */
bool sref_may_grow(const struct sref *r, uint32_t group);

/* The groups among which nodes of `group` are divided, itself first. */
uint32_t sref_similar(const struct sref *r, uint32_t group, uint32_t *ret);

/* A pod that the rule had a place for, while its nodes came one by one. */
bool scale_pod_is_lost(const struct stow_unplaced *left);

/* scale_check.c: whether the plan can be carried out.  `at_once`: it is one decision. */
bool scale_plan_holds(struct sref *r, const struct stow_plan *plan, bool at_once);

#endif
