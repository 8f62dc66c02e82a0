/* solve.h - the cheapest plan for a problem, and a proof of how close to the cheapest it is. */
#ifndef STOW_OPTIMAL_SOLVE_H
#define STOW_OPTIMAL_SOLVE_H

#include "base/listener.h"
#include "optimal/phases.h"
#include "optimal/problem.h"
#include "optimal/proof/lift.h"

struct stow_solve_options {
    double seconds;                   /* of wall time; 0: no limit */
    double gap;                       /* (cost - bound) / bound at which it stops */
    uint32_t threads;                 /* 0: as many as there are processors */
    const struct stow_packing *start; /* plans that the answer must not be worse than; what breaks
                                         a rule of the problem is none, and passed over */
    uint32_t starts;
    const struct stow_listener *listener; /* told of plans that leave nothing out; NULL: nobody */
};

/* ---- the proof
 * ------------------------------------------------------------------------------------ */

/* A priced limit of a leaf: at most (or at least) `amount` nodes of a kind, or, where it is of a
 * split, of all kinds that it leads (stow_proof.leader). */
struct stow_proof_limit {
    uint32_t kind;
    bool at_least;
    uint32_t amount;
    int64_t price;
};

/* A leaf: prices such that no node is worth more than it costs (bound.c); or a split:
 * at most `at` nodes of all kinds that a kind leads (child `le`), or more (child `gt`). */
struct stow_proof_node {
    bool is_split;
    uint32_t kind, at, le, gt;      /* of a split; children are numbers of nodes */
    int64_t *price;                 /* of a leaf and of the root, per class of the problem */
    int64_t *row_price;             /* per row; 0 for rows that are not in the proof */
    struct stow_proof_limit *limit; /* those with a price */
    uint32_t limits;
    int64_t bound;
};

struct stow_proof {
    struct stow_proof_node *node; /* the first is the root */
    uint32_t nodes, node_cap;
    uint32_t *leader; /* per kind of the problem: the one that splits name in its place */
    enum stow_lift_rule lift;
    int64_t lift_unit;
    int64_t tree_bound; /* before the lift */
};

struct stow_solution {
    struct stow_packing plan;
    uint32_t *left; /* per class of the problem */
    bool *nowhere;  /* per class: nothing takes it even alone; not in the proof */
    int64_t cost;
    int64_t bound; /* for plans that place as many pods of each priority */
    double gap;    /* cost / bound - 1 */
    bool all;      /* nothing is left out but what fits nowhere */
    bool failed;   /* a linear program could not be solved: the bound might have been better */
    bool settled;  /* ended by the gap or by having nothing left to try, not by time */
    struct stow_proof proof;

    /* how it went */
    struct stow_phases phases;
    double first_plan_seconds, seconds;
    int64_t first_plan_cost;
    uint32_t rounds, patterns, branch_nodes, improvements;
};

int stow_solve(const struct stow_problem *problem, const struct stow_solve_options *options,
               struct stow_solution *ret, struct stow_err *err);
void stow_solution_done(struct stow_solution *solution);

#endif
