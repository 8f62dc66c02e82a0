/* fleet.h - Karmada's objects: member clusters, propagation policies and resource bindings.
 *
 * They are part of a snapshot (snapshot.h): clusters sorted by name, policies and
 * bindings by namespace and name.  Lists are interned like those of pods, so two
 * equal placements are one handle.  "Blob of X" means what stow_list() returns;
 * none of the structs that go into blobs has padding.
 *
 * Workloads that come without a binding get one that is `implied`: from the
 * policy that selects them, or, where no policy does, one that may go anywhere, as
 * cheaply as possible (fleet.c). */
#ifndef STOW_MODEL_FLEET_FLEET_H
#define STOW_MODEL_FLEET_FLEET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "model/prices/book.h"

struct stow_snapshot;

typedef uint32_t stow_cluster_id;
typedef uint32_t stow_binding_id;

/* ---- clusters ---------------------------------------------------------------------------- */

/* One resource kind that a cluster's API server knows. */
struct stow_api {
    stow_sym group_version, kind;
};

/* A class of nodes: what one of them has free at least.  `min` is a blob of stow_exact. */
struct stow_grade {
    uint32_t grade;
    stow_blob min;
};

/* How many nodes of a grade there are. */
struct stow_grade_count {
    uint32_t grade;
    int32_t count; /* may be below 0: upstream takes that for an error */
};

enum stow_cluster_flags {
    STOW_CLUSTER_DELETED = 1,     /* has a deletionTimestamp */
    STOW_CLUSTER_HAS_SUMMARY = 2, /* status.resourceSummary is there */
    STOW_CLUSTER_NOT_READY = 4,   /* by its condition; only its taints keep replicas away */
    STOW_CLUSTER_PULL = 8,        /* syncMode: Pull */
    STOW_CLUSTER_ANY_API = 16,    /* no object says which APIs it has (join.h) */
};

struct stow_cluster {
    const char *name;
    stow_sym symbol; /* the name */
    stow_sym uid;
    stow_blob labels, annotations; /* of stow_label */
    stow_sym provider, region;     /* 0: not given */
    stow_blob fields;              /* of stow_label: provider and region, where given */
    stow_blob zones;               /* of stow_sym */
    stow_blob taints;              /* of stow_taint */
    stow_blob apis;                /* of stow_api */
    stow_blob models;              /* of stow_grade, ascending */
    stow_blob model_counts;        /* of stow_grade_count */
    stow_blob allocatable, allocated, allocating; /* of stow_exact */
    int32_t nodes, ready_nodes;                   /* -1: not given */
    uint32_t flags;                               /* enum stow_cluster_flags */
};

/* ---- placements -------------------------------------------------------------------------- */

/* Which clusters: all parts must hold.  A selector that upstream cannot parse is
 * STOW_SELECTOR_NULL and matches nothing. */
struct stow_cluster_affinity {
    stow_blob labels; /* selector; 0: any */
    stow_blob fields; /* of stow_requirement on provider and region; 0: any */
    stow_blob zones;  /* of stow_requirement, each on the list of zones; 0: any */
    stow_blob names;  /* of stow_sym; 0: any */
    stow_blob exclude;
    uint32_t reserved;
};

/* A named group of clusterAffinities, or one of its overflowAffinities (these overflow no more). */
struct stow_cluster_term {
    stow_sym name;
    stow_blob overflow; /* of stow_cluster_term */
    struct stow_cluster_affinity affinity;
};

enum stow_spread_field {
    STOW_SPREAD_CLUSTER,
    STOW_SPREAD_REGION,
    STOW_SPREAD_ZONE,
    STOW_SPREAD_PROVIDER,
    STOW_SPREAD_LABEL, /* spreadByLabel: upstream knows the name and does nothing with it */
    STOW_SPREAD_FIELDS,
};

struct stow_spread_constraint {
    uint32_t field; /* enum stow_spread_field */
    stow_sym label;
    int32_t min_groups,
        max_groups; /* as defaulted: minGroups 0 is 1; maxGroups 0 selects nothing */
};

struct stow_weight_rule {
    struct stow_cluster_affinity target;
    int64_t weight;
};

enum stow_scheduling_type {
    STOW_SCHEDULING_NONE, /* no replicaScheduling: as Duplicated */
    STOW_SCHEDULING_DUPLICATED,
    STOW_SCHEDULING_DIVIDED,
    STOW_SCHEDULING_OTHER, /* not in policies; Karmada fails on it */
};

enum stow_preference {
    STOW_PREFERENCE_NONE, /* only where the webhook was gone around; it sets Weighted */
    STOW_PREFERENCE_WEIGHTED,
    STOW_PREFERENCE_AGGREGATED,
    STOW_PREFERENCE_COST_OPTIMIZED, /* the proposal's; a real API server refuses it */
    STOW_PREFERENCE_OTHER,          /* likewise */
};

enum stow_propagation_flags {
    STOW_PROPAGATION_AFFINITY = 1, /* clusterAffinity is given */
    STOW_PROPAGATION_WEIGHTS = 2,  /* weightPreference is given */
    STOW_PROPAGATION_DYNAMIC = 4,  /* dynamicWeight: AvailableReplicas */
};

/* spec.placement.  (struct stow_placement is where pods went.) */
struct stow_propagation {
    struct stow_cluster_affinity affinity;
    stow_blob terms;                     /* of stow_cluster_term: clusterAffinities */
    stow_blob tolerations;               /* of stow_toleration */
    stow_blob spread;                    /* of stow_spread_constraint */
    stow_blob weights;                   /* of stow_weight_rule: staticWeightList */
    uint32_t type;                       /* enum stow_scheduling_type */
    uint32_t preference;                 /* enum stow_preference */
    uint32_t flags;                      /* enum stow_propagation_flags */
    stow_sym type_word, preference_word; /* as written */
};

/* ---- policies ---------------------------------------------------------------------------- */

/* A selected object: empty parts match any; a name makes `labels` not count. */
struct stow_resource_selector {
    stow_sym api_version, kind, namespace, name;
    stow_blob labels; /* selector; 0: any */
    uint32_t reserved;
};

struct stow_propagation_policy {
    const char *name;
    stow_sym symbol, namespace;
    bool cluster_wide; /* a ClusterPropagationPolicy; namespace is 0 */
    int32_t priority;
    stow_blob selectors;    /* of stow_resource_selector */
    stow_blob placement;    /* one stow_propagation */
    stow_sym scheduler;     /* 0: default-scheduler */
    struct stow_str source; /* the whole object as JSON, for what is printed back */
};

/* ---- bindings ---------------------------------------------------------------------------- */

/* An entry of spec.clusters. */
struct stow_target {
    stow_sym cluster;
    int32_t replicas;
};

/* What one replica needs of its node, beside resources. */
struct stow_node_claim {
    stow_blob node_selector; /* of stow_label */
    stow_blob node_required; /* of stow_node_term, or STOW_SELECTOR_NULL: none given */
    stow_blob tolerations;   /* of stow_toleration */
};

/* One pod template of several. */
struct stow_component {
    stow_sym name;
    int32_t replicas;
    stow_blob requests; /* of stow_exact */
    uint32_t has_requirements;
    struct stow_node_claim claim;
    uint32_t reserved;
};

enum stow_applied {
    STOW_APPLIED_ABSENT, /* never scheduled: counts as changed */
    STOW_APPLIED_BROKEN, /* cannot be parsed: counts as unchanged */
    STOW_APPLIED_KNOWN,
};

enum stow_binding_flags {
    STOW_BINDING_IMPLIED = 1,          /* made of a workload, not given */
    STOW_BINDING_CLUSTER_WIDE = 2,     /* a ClusterResourceBinding */
    STOW_BINDING_HAS_REQUIREMENTS = 4, /* replicaRequirements is there */
    STOW_BINDING_SUSPENDED = 8,        /* suspension.scheduling */
    STOW_BINDING_MANAGED = 16,         /* has a label by which the scheduler takes it */
    STOW_BINDING_DELETED = 32,
};

struct stow_binding {
    const char *name;
    stow_sym symbol, namespace, uid;
    stow_sym api_version, kind, object, object_namespace, object_uid; /* spec.resource */
    stow_blob labels;                                                 /* of the binding */
    int32_t replicas;
    int32_t priority;   /* schedulePriority, 0 when not given */
    stow_blob requests; /* of stow_exact, of one replica */
    struct stow_node_claim claim;
    stow_sym priority_class;
    stow_blob components;        /* of stow_component */
    stow_blob clusters;          /* of stow_target: where it is now */
    stow_blob evicted;           /* of stow_sym: clusters with a graceful eviction task */
    stow_blob placement;         /* one stow_propagation, 0: none */
    stow_blob applied_placement; /* likewise, of the annotation */
    uint32_t applied;            /* enum stow_applied */
    stow_sym scheduler;          /* 0: default-scheduler */
    stow_sym observed_affinity;  /* status.schedulerObservingAffinityName */
    stow_time reschedule_triggered, last_scheduled; /* STOW_TIME_ALWAYS: not given */
    int64_t generation;
    uint32_t flags;         /* enum stow_binding_flags */
    uint32_t workload;      /* of an implied one: index of the workload, else STOW_NONE */
    uint32_t policy;        /* of an implied one: index of the policy, else STOW_NONE */
    struct stow_str source; /* the whole object as JSON; empty when implied */
};

/* ---- looking inside ---------------------------------------------------------------------- */

stow_cluster_id stow_cluster_find(const struct stow_snapshot *s, stow_sym name);

/* util.ClusterMatches: whether an affinity takes a cluster. */
bool stow_affinity_matches(const struct stow_snapshot *s, const struct stow_cluster_affinity *a,
                           const struct stow_cluster *cluster);

/* The placement behind a handle; an empty one for 0. */
const struct stow_propagation *stow_propagation_get(const struct stow_snapshot *s,
                                                    stow_blob placement);

/* Sorted ids and bindings for workloads without one; a step of stow_snapshot_finish. */
int stow_finish_fleet(struct stow_snapshot *s);

#endif
