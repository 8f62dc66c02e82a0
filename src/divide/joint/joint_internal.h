/* joint_internal.h - the joint division while it is being made. */
#ifndef STOW_DIVIDE_JOINT_JOINT_INTERNAL_H
#define STOW_DIVIDE_JOINT_JOINT_INTERNAL_H

#include "divide/cost/cheapest_internal.h"
#include "divide/joint/joint.h"

/* Workloads that are alike, taken as one; or one that is like no other. */
struct stow_joint_party {
    uint32_t member, members; /* in joint->member */
    uint32_t berth, berths;
    uint32_t cell, cells;
    int64_t replicas; /* of all members, less what is fixed */
    const int64_t *request;
    const struct stow_joint_workload *first;
    bool pattern; /* constrained: its divisions are columns of the program */
};

/* A cluster that a party may go to: cells from `cell` on, cheapest first. */
struct stow_joint_choice {
    uint32_t cluster, cell, cells;
    int64_t held;        /* that may stay */
    int64_t least, most; /* limits; of a party that is not a pattern 0 and any */
};

struct stow_joint_cell {
    uint32_t site, berth;
    int64_t most;
    stow_nano price;
};

struct stow_joint {
    const struct stow_joint_problem *p;
    struct stow_arena *arena;  /* for the whole run */
    struct stow_arena scratch; /* for one question */
    bool apart;                /* every workload is a party of its own, nothing is fixed */
    struct stow_joint_party *party;
    struct stow_joint_choice *berth;
    struct stow_joint_cell *cell;
    uint32_t *member;   /* workloads by party */
    uint32_t *party_of; /* per workload, STOW_JOINT_NONE: all of it is fixed */
    uint32_t parties, berths, cells;
    int64_t *fixed;     /* per option: replicas that are settled beforehand */
    int64_t *row_free;  /* after what is fixed */
    int64_t *room;      /* per cell: for questions */
    stow_nano left_out; /* what a replica without a place counts */
};

#define STOW_JOINT_NONE UINT32_MAX

/* ---- party.c ----------------------------------------------------------------------- */

int stow_joint_open(struct stow_joint *j, struct stow_err *err);

/* Hands the replicas of parties out to their workloads: per option, with what is fixed. */
int stow_joint_hand_out(struct stow_joint *j, const int64_t *plan, int64_t *ret,
                        struct stow_err *err);

/* What a division per option costs. */
void stow_joint_add_up(const struct stow_joint_problem *p, const int64_t *replicas,
                       struct stow_joint_cost *ret);

/* ---- plans: replicas per cell (plan.c) --------------------------------------------- */

struct stow_joint_plan {
    int64_t *replicas; /* per cell */
    int64_t *free;     /* per row */
    int64_t *missing;  /* per party */
};

int stow_plan_open(const struct stow_joint *j, struct stow_joint_plan *plan, struct stow_err *err);
void stow_plan_copy(const struct stow_joint *j, struct stow_joint_plan *to,
                    const struct stow_joint_plan *from);

/* Replicas of a party that still fit a site. */
int64_t stow_plan_fit(const struct stow_joint *j, const struct stow_joint_plan *plan,
                      const struct stow_joint_party *party, uint32_t site);
void stow_plan_put(const struct stow_joint *j, struct stow_joint_plan *plan,
                   const struct stow_joint_party *party, uint32_t cell, int64_t replicas);

/* Replicas left out, then what counts: prices, less D for all that stay. */
int64_t stow_plan_missing(const struct stow_joint *j, const struct stow_joint_plan *plan);
stow_i128 stow_plan_cost(const struct stow_joint *j, const struct stow_joint_plan *plan);
bool stow_plan_is_better(const struct stow_joint *j, const struct stow_joint_plan *a,
                         const struct stow_joint_plan *b);

/* Divides one party again on what is free, at `price` per cell (NULL: its own); as many as fit. */
int stow_plan_divide(struct stow_joint *j, struct stow_joint_plan *plan,
                     const struct stow_joint_party *party, const stow_nano *price,
                     struct stow_err *err);

/* Shares what is missing out, cheapest by `price` first. */
int stow_plan_complete(const struct stow_joint *j, struct stow_joint_plan *plan,
                       const stow_nano *price, struct stow_err *err);

/* Moves replicas to where they cost less, until nothing is gained. */
int stow_plan_improve(struct stow_joint *j, struct stow_joint_plan *plan, struct stow_err *err);

/* single.c: one workload after another, each the cheapest on what is left. */
int stow_joint_one_by_one(struct stow_joint *j, int64_t *ret, struct stow_err *err);

/* ---- the program and its prices (lp.c) --------------------------------------------- */

struct stow_joint_lp {
    stow_i128 *row_price; /* of the best bound */
    stow_i128 bound;      /* at these, without constants; -infinity: none */
    stow_nano *price;     /* per cell, with what its rows cost */
    double *replicas;     /* per cell, of the last solution */
    int64_t *division;    /* per cell of a constrained party: its largest part of the solution, */
    double *weight;       /* and per party how large that is */
    uint32_t rounds;
};

/* Solves the relaxation on `row_free`; `patterns`: with the constrained parties. */
int stow_joint_relax(struct stow_joint *j, const int64_t *row_free, bool patterns,
                     struct stow_joint_lp *ret, struct stow_err *err);

/* search.c: a better plan than `best`, when the problem is small enough to try.  1: there is
 * none better than it is now; 0: perhaps there is. */
int stow_joint_search(struct stow_joint *j, const struct stow_joint_lp *lp,
                      struct stow_joint_plan *best, struct stow_err *err);

/* price.c: prices per cell when rows have prices. */
void stow_joint_price_cells(const struct stow_joint *j, const stow_i128 *row_price, stow_nano *ret);

/* What a party is asked. */
struct stow_party_question {
    const struct stow_joint_party *party;
    const stow_nano *price; /* per cell of all */
    const int64_t *room;    /* likewise */
    int64_t replicas;
    bool partial; /* replicas may be left out at j->left_out; then spread constraints are, too */
    bool exact;   /* take the time to settle it */
};

struct stow_party_answer {
    int64_t *replicas; /* per cell of the party; in the scratch arena */
    stow_i128 cost, bound;
    int64_t room; /* when there is none: how many replicas an allowed choice would hold */
};

/* The cheapest division of a party; 1: found, 0: there is none. */
int stow_party_ask(struct stow_joint *j, const struct stow_party_question *q,
                   struct stow_party_answer *ret, struct stow_err *err);

#endif
