/* solver.h - one search: its state, and the steps that solve.c puts in order. */
#ifndef STOW_OPTIMAL_SOLVER_H
#define STOW_OPTIMAL_SOLVER_H

#include "optimal/plans/dives.h"
#include "optimal/plans/tree.h"
#include "optimal/solve.h"

struct stow_solver {
    const struct stow_problem *problem;
    const struct stow_solve_options *options;
    struct stow_solution *ret;
    struct stow_model m;
    struct stow_task stage, proof; /* all rows; those of the proof */
    uint32_t *level_of, levels;
    struct stow_pool pool;
    struct stow_workers *workers;
    struct stow_pricer pricer;
    struct stow_generator gen; /* of the root */
    struct stow_tree tree;
    struct stow_lift lift;
    struct stow_draft best;
    struct stow_score score;
    bool has_plan, has_gen;
    bool dived; /* the linear program has been asked for a plan */
    bool lost;  /* a plan that was given has no counterpart in the model */
    uint64_t improve_round;
    uint32_t given;    /* patterns of the plans that were given: the first ones of the pool */
    uint32_t absorbed; /* patterns of the pool that were looked at */
    double dive_gap;   /* between the linear program and its bound: the next dive is then */
    double dived_gap;  /* the same at the last dive */
    double dive_value; /* of the linear program at the last dive */
    double dive_pace;  /* seconds of the last dive over how much it had to do; 0: not known */
    double artificial, started, deadline;
    double bound_deadline; /* earlier: time is left to make a plan of what was found */
};

/* ---- life, clock and gap: solver.c ----------------------------------------------------------- */

int stow_solver_open(struct stow_solver *e);
void stow_solver_close(struct stow_solver *e);
bool stow_solver_late(const struct stow_solver *e);
/* The plan is as close to the best bound as was asked for. */
bool stow_solver_is_done(const struct stow_solver *e);

/* ---- plans: solver.c ------------------------------------------------------------------------- */

/* Dives that are made side by side. */
struct stow_ways {
    struct stow_fineness way[2];
    uint32_t count;
};

extern const struct stow_ways stow_ways_rough, stow_ways_usual, stow_ways_fine, stow_ways_in_halves;

/* The plans given: kept when they are of use. */
int stow_solver_take_starts(struct stow_solver *e);
/* Keeps a draft that is better than the best. */
int stow_solver_consider(struct stow_solver *e, const struct stow_draft *draft);
/* After the best plan has changed. */
int stow_solver_set_lift(struct stow_solver *e);
bool stow_solver_leaves_out(const struct stow_solver *e);
int stow_solver_dive_into(struct stow_solver *e, const struct stow_task *stage,
                          const struct stow_ways *how);
/* The same with a task for each way. */
int stow_solver_dive_apart(struct stow_solver *e, const struct stow_task *const *stage,
                           const struct stow_ways *how);
int stow_solver_dive(struct stow_solver *e, const struct stow_ways *how);
/* How many seconds such dives will take, by the last ones; 0: not known. */
double stow_solver_dive_seconds(const struct stow_solver *e, const struct stow_ways *how);
int stow_solver_flip_blocks(struct stow_solver *e);
/* Local search, until this many rounds in a row were without success or the gap is reached. */
int stow_solver_improve(struct stow_solver *e, uint32_t idle_max);

/* ---- the root: root.c ------------------------------------------------------------------------ */

int stow_solver_open_root(struct stow_solver *e);
int stow_solver_generate(struct stow_solver *e, uint32_t effort, uint32_t effort_max,
                         uint32_t rounds);
/* With limits: a first plan that leaves out as few pods as can be found. */
int stow_solver_settle_left_out(struct stow_solver *e);
/* What the best plan leaves out becomes what may be left out; 1 when that is something new. */
int stow_solver_allow(struct stow_solver *e);

#endif
