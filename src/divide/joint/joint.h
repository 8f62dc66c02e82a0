/* joint.h - many workloads over many clusters at once, as cheap as possible.
 *
 *     minimise   Σ price · replicas  +  D · replicas moved
 *     such that  every workload has all its replicas, clusters hold what they hold of every
 *                resource, spread constraints and limits are kept
 *
 * Stated without Kubernetes.  A site is a part of a cluster with room of its own (the whole
 * cluster, a grade of its nodes, a class of its nodes); a row is one resource of a site, or one
 * that several sites share.  The answer carries a lower bound and what proves it: a price per row.
 */
#ifndef STOW_DIVIDE_JOINT_JOINT_H
#define STOW_DIVIDE_JOINT_JOINT_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "base/int128.h"
#include "model/values/money.h"

struct stow_joint_row {
    int64_t free;
    uint32_t cluster, resource;
};

/* A replica takes request[resource] of the row. */
struct stow_joint_use {
    uint32_t row, resource;
};

struct stow_joint_site {
    uint32_t cluster;
    uint32_t use, uses;
};

/* A workload may go to a site at this price, at most this many replicas. */
struct stow_joint_option {
    uint32_t site;
    int64_t most;
    stow_nano price;
};

/* What is there, and limits, of a workload on a cluster that has any of these. */
struct stow_joint_share {
    uint32_t cluster;
    int64_t held, min, max; /* max INT64_MAX: no limit */
};

#define STOW_JOINT_NO_MAX UINT32_MAX

struct stow_joint_workload {
    int64_t replicas;
    const int64_t *request;   /* by resource */
    uint32_t option, options; /* in order of clusters */
    uint32_t share, shares;   /* likewise */
    uint32_t cluster_min, cluster_max, region_min, region_max;
};

struct stow_joint_problem {
    const struct stow_joint_workload *workload; /* in the order of one by one */
    const struct stow_joint_option *option;
    const struct stow_joint_share *share;
    const struct stow_joint_site *site;
    const struct stow_joint_use *use;
    const struct stow_joint_row *row; /* free: with what the workloads hold themselves */
    const uint32_t *region;           /* of clusters, below `regions` */
    uint32_t workloads, options, sites, rows, clusters, regions, resources;
    stow_nano disruption; /* D */
};

/* A sum over all workloads. */
struct stow_joint_cost {
    int64_t left_out; /* replicas without a place */
    int64_t moved;    /* replicas that are no longer where they were */
    stow_i128 price;  /* of all that are placed */
    stow_i128 total;  /* and D per moved one */
};

struct stow_joint_answer {
    int64_t *replicas; /* per option */
    int64_t *apart;    /* the same, one by one */
    struct stow_joint_cost cost, one_by_one;
    /* Every division that leaves out as few has at least this total; never above it. */
    stow_i128 bound;
    bool bounded;
    bool settled;         /* nothing better is left untried: the bound is the cost */
    stow_i128 *row_price; /* that prove it: 2^-40 nano-units per unit of the row */
    uint32_t parties;     /* workloads that are not alike */
    uint32_t rounds;      /* of prices */
    struct stow_arena arena;
};

#define STOW_JOINT_PRICE_BITS 40

/* `ret` is to be freed with done. */
int stow_joint_solve(const struct stow_joint_problem *problem, struct stow_joint_answer *ret,
                     struct stow_err *err);
void stow_joint_answer_done(struct stow_joint_answer *answer);

/* cost / bound - 1; 0 when both are 0. */
double stow_joint_gap(const struct stow_joint_answer *answer);

#endif
