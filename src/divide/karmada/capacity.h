/* capacity.h - how many replicas fit each cluster: Karmada's general estimator. */
#ifndef STOW_DIVIDE_KARMADA_CAPACITY_H
#define STOW_DIVIDE_KARMADA_CAPACITY_H

#include "model/snapshot.h"

/* A set of grades that clusters share, or have alone. */
struct stow_grade_set {
    stow_blob grades;      /* of stow_grade */
    uint32_t first, count; /* its places in `fits` of an estimate */
};

/* What clusters have free, as columns. */
struct stow_capacity {
    const struct stow_snapshot *s;
    stow_sym *resource; /* those any cluster has */
    uint32_t resources;
    int64_t *free;    /* [resource * clusters + cluster]; INT64_MIN: the cluster has none of it */
    int64_t *pods;    /* per cluster, at least 0 */
    uint32_t *model;  /* per cluster: index into `models`, STOW_NONE: no counts of nodes */
    uint32_t *counts; /* per cluster: where its counts start */
    int64_t *count;   /* nodes per grade, in the order of the grades */
    struct stow_grade_set *models;
    uint32_t model_count, grades; /* grades of all models */
};

int stow_capacity_init(struct stow_capacity *c, const struct stow_snapshot *s,
                       struct stow_err *err);
void stow_capacity_done(struct stow_capacity *c);

struct stow_estimate_question {
    stow_blob requests; /* of stow_exact, of one replica */
    bool has_requirements;
    uint32_t karmada; /* minor version, 15 to 18: how models are counted */
};

/* Replicas per cluster into ret[clusters]. */
int stow_capacity_estimate(const struct stow_capacity *c, const struct stow_estimate_question *q,
                           int32_t *ret, struct stow_err *err);

/* The same before the limit of pods: what models allow, and without models the summary. */
int stow_capacity_room(const struct stow_capacity *c, const struct stow_estimate_question *q,
                       int64_t *ret, struct stow_err *err);

/* Whole sets of components for one cluster, after what is assumed to be on its way there. */
struct stow_sets_question {
    const struct stow_component *component;
    uint32_t components;
    const stow_blob *assumed; /* each of stow_component */
    uint32_t assumptions;
};

int stow_capacity_sets(const struct stow_capacity *c, stow_cluster_id cluster,
                       const struct stow_sets_question *q, int32_t *ret, struct stow_err *err);

/* By models alone: -1 where upstream has an error. */
int stow_capacity_sets_by_model(const struct stow_capacity *c, stow_cluster_id cluster,
                                const struct stow_sets_question *q, int64_t limit, int64_t *ret,
                                struct stow_err *err);

#endif
