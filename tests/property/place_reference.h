/* place_reference.h - placing, the slow and obvious way.
 *
 * One pod against all nodes one by one, from the rules as they are written down
 * (kube-scheduler 1.36, Koordinator, Ultron), over the objects of a snapshot and a list
 * of which pod is on which node.  Knows no columns, counters, classes or plans and
 * shares no code with src/place: what both say is right, or twice misread. */
#ifndef TESTS_PROPERTY_PLACE_REFERENCE_H
#define TESTS_PROPERTY_PLACE_REFERENCE_H

#include "place/state.h" /* struct stow_node_money: prices are input here */

#define REF_NODES     64
#define REF_PODS      160
#define REF_RESOURCES 12

/* In the order in which they are asked. */
enum ref_filter {
    REF_NODE_UNSCHEDULABLE,
    REF_NODE_NAME,
    REF_TAINTS,
    REF_NODE_AFFINITY,
    REF_NODE_PORTS,
    REF_FIT,
    REF_VOLUME_RESTRICTIONS,
    REF_VOLUME_LIMITS,
    REF_VOLUME_ZONE,
    REF_SPREAD,
    REF_POD_AFFINITY,
    REF_DEVICES,
    REF_STORAGE,
    REF_DISK_TYPE,
    REF_NETWORK_TYPE,
    REF_LIMITS,
    REF_DURABILITY,
    REF_MAX_INTERRUPTION,
    REF_MAX_PRICE,
    REF_FILTERS,
};

enum ref_scorer {
    REF_S_ULTRON,
    REF_S_FIT_PLUS,
    REF_S_SCARCE,
    REF_S_LEAST,
    REF_S_MOST,
    REF_S_RATIO,
    REF_S_BALANCED,
    REF_S_TAINTS,
    REF_S_NODE_AFFINITY,
    REF_S_SPREAD,
    REF_S_POD_AFFINITY,
    REF_S_IMAGES,
    REF_S_DEVICES,
    REF_SCORERS,
};

/* As Stowage calls them. */
extern const char *const ref_filter_name[REF_FILTERS];
extern const char *const ref_scorer_name[REF_SCORERS];

struct ref_weight {
    const char *name;
    int64_t weight;
    bool most; /* fit plus: MostAllocated */
};

struct ref_weights {
    struct ref_weight item[4];
    uint32_t count;
};

/* A constraint for pods that list none. */
struct ref_default {
    const char *key;
    int32_t max_skew, min_domains;
    bool hard, ignore_affinity, honor_taints;
};

enum ref_mode { REF_LITERAL, REF_CORRECTED, REF_UPSTREAM, REF_ECONOMIC };
enum ref_price_ref { REF_OWN_MEDIAN, REF_ON_DEMAND, REF_FLEET };

struct ref_ultron {
    enum ref_mode mode;
    bool pack, price_over_median, spot_only, match, required, untyped_zero, neutral;
    enum ref_price_ref price_ref;
    double clamp, cap; /* INFINITY: none */
    double alpha, beta, gamma, delta, epsilon, zeta, hours_lost;
};

enum ref_tie { REF_TIE_PRICE, REF_TIE_RATE, REF_TIE_NAME, REF_TIE_INPUT };

struct ref_profile {
    bool filter[REF_FILTERS], scorer[REF_SCORERS];
    double weight[REF_SCORERS];
    enum ref_tie tie[4];
    uint32_t ties;

    const char *ignored, *ignored_group;  /* NULL: none */
    bool added_required, added_preferred; /* pool In [p0, p1]; weight 30 for disk Exists */
    int64_t hard_weight;
    bool ignore_preferred;
    bool listed; /* `fallback` instead of the system's defaults */
    struct ref_default fallback[2];
    uint32_t fallbacks;
    struct ref_weights resources; /* of least, most and ratio; none: cpu and memory */
    int32_t shape_x[4], shape_y[4];
    uint32_t shape;
    struct ref_weights balanced; /* none: cpu and memory */
    bool balanced_1_35;
    struct ref_weights fit_plus, scarce;
    bool fit_plus_corrected, scarce_corrected;
    struct ref_ultron ultron;
    bool has_threshold; /* priorityThreshold */
    int32_t threshold;
    bool limits_taken; /* limits: pods on a node take their limits */
    int64_t max_rate;
    stow_nano max_price;
};

/* What pods ask for and nodes have; `on` changes as pods are placed. */
struct ref_cluster {
    const struct stow_snapshot *s;
    const struct stow_node_money *money; /* NULL: nothing is known */
    stow_sym resource[REF_RESOURCES];    /* all names that count; cpu and memory come first */
    uint32_t resources;
    int64_t allocatable[REF_NODES][REF_RESOURCES];
    int64_t need[REF_PODS][REF_RESOURCES];
    bool names[REF_PODS][REF_RESOURCES]; /* the request has the name, be it with 0 */
    int64_t nonzero[REF_PODS][2];
    stow_node_id on[REF_PODS];
    /* Of the pods that are there now. */
    int64_t used[REF_NODES][REF_RESOURCES], used_nonzero[REF_NODES][2], pods_on[REF_NODES];
};

#define REF_OUTSIDE (-2)

struct ref_answer {
    int dropped[REF_NODES]; /* enum ref_filter, -1: feasible, REF_OUTSIDE */
    bool skipped[REF_SCORERS];
    double score[REF_SCORERS][REF_NODES]; /* normalised */
    double total[REF_NODES];
    stow_node_id best; /* STOW_NONE: no node */
};

/* One question: a pod of a cluster under a profile. */
struct ref_question {
    const struct ref_cluster *c;
    const struct stow_snapshot *s;
    const struct ref_profile *p;
    const struct stow_pod *pod;
    const struct stow_pod_spec *spec;
    stow_pod_id id;
    stow_node_id candidate[REF_NODES];
    uint32_t candidates;
};

/* False when the cluster is too large. */
bool ref_open(struct ref_cluster *c, const struct stow_snapshot *s,
              const struct stow_node_money *money);
/* The columns of a node of c->s that has come since. */
void ref_measure_node(struct ref_cluster *c, stow_node_id node);
void ref_place(struct ref_cluster *c, stow_pod_id pod, stow_node_id node);
void ref_remove(struct ref_cluster *c, stow_pod_id pod);
void ref_decide(const struct ref_cluster *c, const struct ref_profile *p, stow_pod_id pod,
                struct ref_answer *ret);

/* The first filter of the profile that keeps a pod off a node, or -1, or REF_OUTSIDE. */
int ref_dropped_by(const struct ref_cluster *c, const struct ref_profile *p, stow_pod_id pod,
                   stow_node_id node);

/* Of pods where they are: an anti-affinity term of one means the other; somebody that the affinity
 * terms mean, maybe the pod itself, is in each of its domains. */
bool ref_repels(const struct ref_cluster *c, stow_pod_id whose, stow_pod_id other);
bool ref_is_drawn(const struct ref_cluster *c, stow_pod_id pod);

/* ---- between its files ------------------------------------------------------------------- */

stow_sym ref_label(const struct stow_snapshot *s, stow_blob labels, stow_sym key);
stow_sym ref_label_named(const struct stow_snapshot *s, stow_blob labels, const char *key);
bool ref_selects(const struct stow_snapshot *s, stow_blob selector, stow_blob labels);
bool ref_term_matches(const struct stow_snapshot *s, const struct stow_node_term *t,
                      stow_node_id node);
bool ref_pod_selects_node(const struct ref_question *q, stow_node_id node);
bool ref_tolerated(const struct ref_question *q, const struct stow_taint *taint, bool preferring);
bool ref_taints_ok(const struct ref_question *q, stow_node_id node);
bool ref_is(const struct stow_snapshot *s, stow_sym sym, const char *text);

/* Resources by name: an index, or -1. */
int ref_resource(const struct ref_cluster *c, const char *name);
bool ref_is_scalar(const char *name);
/* Of one container; false: it does not name the resource. */
bool ref_amount(const struct stow_snapshot *s, stow_blob amounts, stow_sym resource,
                stow_i128 *ret);
int64_t ref_units(stow_sym resource, stow_i128 nano);

/* What labels or annotations say under the first of `keys` that is there; STOW_NONE: nothing. */
stow_sym ref_fact(const struct stow_snapshot *s, const char *const *keys, stow_blob labels,
                  stow_blob annotations);
extern const char *const ref_disk_keys[], *const ref_network_keys[];
bool ref_is_high(const struct ref_question *q);
bool ref_is_spot(const struct ref_question *q, stow_node_id node);

bool ref_volumes_shareable(const struct ref_question *q, stow_node_id node);
bool ref_volumes_fit(const struct ref_question *q, stow_node_id node);
/* Of the pod's claims one is not among those given. */
bool ref_volumes_missing(const struct ref_question *q);
bool ref_volumes_reachable(const struct ref_question *q, stow_node_id node);
bool ref_spread_passes(const struct ref_question *q, stow_node_id node);
bool ref_pod_affinity_passes(const struct ref_question *q, stow_node_id node);

/* Points of all candidates, by node; false: the scorer has nothing to say. */
bool ref_score(const struct ref_question *q, enum ref_scorer which, double *ret);
bool ref_score_spread(const struct ref_question *q, double *ret);
bool ref_score_pod_affinity(const struct ref_question *q, double *ret);
void ref_score_ultron(const struct ref_question *q, double *ret);

#endif
