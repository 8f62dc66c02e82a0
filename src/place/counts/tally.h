/* tally.h - running counts of pods per domain, for rules over several nodes.
 *
 * A *counter* counts certain pods per domain of a topology and stays right while pods are placed.
 * Two questions make counters: "which pods match this selector?" (stow_tally_watch) and "what do
 * the terms of pods that are there already say about a pod like this?" (stow_tally_sheets). */
#ifndef STOW_PLACE_COUNTS_TALLY_H
#define STOW_PLACE_COUNTS_TALLY_H

#include "place/counts/domains.h"

struct stow_state;

struct stow_counter {
    const struct stow_topology *topology;
    const uint8_t *counted; /* per node: whether pods there count; NULL: they do */
    bool living;            /* pods that are being deleted do not count */
    uint64_t entries;       /* pods in domains other than 0 */
    uint32_t *count;        /* pods per domain, ... */
    int64_t *sum;           /* ... or the sums of their weights; the other one is NULL */

    /* The domains other than 0 that have pods, while they are few; those of `sum` may be listed
     * more than once. */
    uint32_t *busy;
    uint32_t busy_count;
    bool crowded; /* they are too many to be listed */
};

/* Domains that are listed at most: the replicas of most workloads. */
#define STOW_BUSY_MAX 256

enum stow_clause_flags {
    /* The namespace selector is also tried on no labels at all: what kube-scheduler 1.34 to 1.36 do
     * with the terms of the pod being placed. */
    STOW_CLAUSE_NO_LABELS = 1,
};

/* Which pods are meant.  Hashed as bytes: no padding. */
struct stow_clause {
    stow_blob selector;     /* STOW_SELECTOR_NULL: no pod */
    stow_blob like, unlike; /* of stow_label, in the tally's own table: pairs that the pod must
                               have, pairs that it must not have */
    stow_sym namespace;     /* the only one; STOW_NONE: by the next two */
    stow_blob namespaces;   /* of stow_sym */
    stow_blob namespace_selector; /* STOW_SELECTOR_NULL: none */
    uint32_t flags;               /* enum stow_clause_flags */
};

/* What the pods already there say, per topology; counters may be NULL: no pod does. */
struct stow_count_sheet {
    const struct stow_topology *topology;
    struct stow_counter *repelled; /* required anti-affinity: how many */
    struct stow_counter *drawn;    /* required affinity: how many */
    struct stow_counter *liked;    /* preferred (anti-)affinity: the sum of weights */
};

struct stow_sheets {
    struct stow_count_sheet *sheet;
    uint32_t count, cap;
};

/* Where a rule keeps what it worked out once per class of pods: plans by the bytes of their keys.
 */
struct stow_plans {
    struct stow_intern key;
    void **plan;
    uint32_t cap;
};

struct stow_tally {
    struct stow_domains domains;
    struct stow_arena arena;    /* counters, sheets and plans */
    struct stow_intern labels;  /* blobs of stow_label that no object has */
    struct stow_intern options; /* options that plans depend on */
    struct stow_intern watch_key;
    struct stow_counter **watch; /* by the words of the question */
    uint32_t watch_cap;
    struct stow_plans spread, affinity;
    struct stow_roll *roll; /* which pods there are; NULL until it is needed */
    bool failed;            /* out of memory while a pod was placed */
    bool looked, has_terms; /* whether any pod has (anti-)affinity terms; valid once looked */
};

struct stow_tally *stow_tally_new(const struct stow_snapshot *s);
void stow_tally_free(struct stow_tally *t);

/* A pod has been put on a node (state->node_of says so already).  Counts `state->epoch` up when
 * that may change what a rule has to say. */
void stow_tally_place(struct stow_tally *t, struct stow_state *state, stow_pod_id pod,
                      stow_node_id node);

/* Whether any pod of the snapshot has (anti-)affinity terms. */
bool stow_tally_has_terms(struct stow_tally *t);

/* Pods that every clause takes, counted per domain on the nodes of a set.  NULL: out of memory. */
struct stow_counter *stow_tally_watch(struct stow_tally *t, const struct stow_state *state,
                                      const struct stow_clause *clause, uint32_t count,
                                      const struct stow_topology *topology,
                                      const struct stow_node_set *set, bool living);

/* NULL: out of memory. */
const struct stow_sheets *stow_tally_sheets(struct stow_tally *t, const struct stow_state *state,
                                            stow_sym namespace, stow_blob labels);

bool stow_clause_takes(const struct stow_tally *t, const struct stow_clause *clause,
                       stow_sym namespace, stow_blob labels);

/* The clause of a term of a pod in `namespace`.  `labels`: of the pod when the term's
 * matchLabelKeys are still to be merged (the API server does that), else STOW_NONE.  < 0: out of
 * memory. */
int stow_clause_of_term(struct stow_tally *t, const struct stow_pod_term *term, stow_sym namespace,
                        stow_blob labels, struct stow_clause *ret);

/* The labels for that: a pod that no API server has seen has its keys still to be merged. */
stow_blob stow_unmerged_labels(const struct stow_pod *pod);

/* The pairs that `labels` have of these keys, as a blob of t->labels.  < 0: out of memory. */
int stow_pairs_of_keys(struct stow_tally *t, stow_blob keys, stow_blob labels, stow_blob *ret);

/* The place of the plan with this key, which is NULL until it is made.  NULL: out of memory.
 */
void **stow_plans_at(struct stow_plans *plans, const void *key, size_t len);

#endif
