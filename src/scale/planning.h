/* planning.h - `optimal` at work: what its files share. */
#ifndef STOW_SCALE_PLANNING_H
#define STOW_SCALE_PLANNING_H

#include "optimal/solve.h"
#include "scale/parts.h"
#include "scale/realize.h"
#include "scale/record.h"
#include "scale/worth.h"

/* Pods times groups: */
#define STOW_PLANNING_TINY  20000    /* a problem is solved at once */
#define STOW_PLANNING_SMALL 10000000 /* other strategies take a second */

struct stow_planning {
    struct stow_session *session;
    struct stow_yard *yard;
    struct stow_weights weights;
    struct stow_crews crews;
    struct stow_formulate_options options;
    struct stow_ruler ruler;
    struct stow_sketch best;
    struct stow_record realized; /* what came of it */
    struct stow_worth best_worth, worth;
    bool has_best;
    uint32_t asked;           /* so many of the other strategies have been */
    double started, deadline; /* of stow_clock(); 0: none */
    double realizing;         /* seconds that the longest realizing took */
    /* of groups in order */
    bool *open;       /* per group: other strategies may buy from it; NULL: all that grow */
    bool *shut;       /* per group: not of the step of priorities at hand */
    stow_nano *steep; /* per group: what a node weighs in that step */
    uint32_t *most;   /* per group: nodes of the best plan */
    struct stow_arena arena;
};

/* What is made for one problem, freed together. */
struct stow_solving {
    struct stow_parts parts;
    struct stow_formulation formulation;
    struct stow_solution solution;
    struct stow_sketch sketch;
};

void stow_solving_done(struct stow_solving *s);

/* The problems of a plan, and the one whose bound is best. */
struct stow_problems {
    struct stow_solving whole, shared, tight;
    const struct stow_solving *proof;
};

/* planner_problems.c */

void stow_problems_done(struct stow_problems *q);

/* What is to be placed, cut into parts in each of the three ways. */
int stow_problems_cut(struct stow_planning *p, struct stow_problems *q);

/* Every problem, one after the other. */
int stow_problems_try(struct stow_planning *p, struct stow_problems *q, struct stow_err *err);

/* Says in the plan, in a few words, which rules it keeps and the bound knows nothing of. */
void stow_problems_relax(struct stow_planning *p, const struct stow_problems *q);

/* Whether the best plan leaves only pods that fit nowhere, and is so close to the bound.  How few
 * pods limits must leave out is not proven, so others may know better. */
bool stow_planning_is_within(const struct stow_planning *p, const struct stow_solving *whole,
                             double gap);

/* planner_polish.c: node by node, what can be made better of the best plan. */
int stow_planning_polish(struct stow_planning *p, const struct stow_solving *whole);

/* planner_optimal.c */

/* Takes everything back. */
void stow_planning_clear(struct stow_planning *p);

/* The best plan so far, and nothing else, in the session. */
int stow_planning_show_best(struct stow_planning *p);

/* To what the session has already, as long as there is time for it.  1: there was not, and what the
 * session has is of no use; a plan is there then. */
int stow_planning_realize(struct stow_planning *p, const struct stow_sketch *sketch);

/* Realizes a sketch from nothing and keeps it when it is better than the best so far, or, if that
 * will do, as good; takes the sketch then. */
int stow_planning_try(struct stow_planning *p, struct stow_sketch *sketch, bool as_good);
/* ... for loads in no particular order. */
int stow_planning_try_sorted(struct stow_planning *p, struct stow_sketch *sketch, bool as_good);
int stow_planning_try_solution(struct stow_planning *p, struct stow_solving *s,
                               struct stow_err *err);

/* Solves for the parts, in a share of the time. */
int stow_planning_solve(struct stow_planning *p, struct stow_solving *s, double share,
                        struct stow_err *err);

/* The plans of other strategies: where there are limits, the quickest of them, and, as long as pods
 * are left, more; all others, as far as there is time. */
int stow_planning_try_first(struct stow_planning *p, struct stow_err *err);
int stow_planning_try_others(struct stow_planning *p, struct stow_err *err);
/* Where rules over several nodes make much of a sketch impossible, as many as there is time for. */
int stow_planning_try_some(struct stow_planning *p, struct stow_err *err);

/* Whether something may keep pods from the groups that suit them best. */
bool stow_planning_has_limits(const struct stow_planning *p);

/* Whether nothing more should be begun. */
bool stow_planning_is_late(const struct stow_planning *p);

/* Whether some class minds more than one node. */
bool stow_planning_has_rules(const struct stow_planning *p);

/* Whether the best plan leaves pods that fit somewhere. */
bool stow_planning_leaves_more(const struct stow_planning *p, const struct stow_solving *whole);

/* Whether there are so few pods times groups. */
bool stow_planning_is_below(const struct stow_planning *p, uint64_t size);

/* The best plan into the session, with a proof; `whole`: the problem without rules over several
 * nodes, and with all groups. */
int stow_planning_finish(struct stow_planning *p, const struct stow_formulation *whole,
                         const struct stow_solving *proof, struct stow_err *err);

/* planner_ordered.c: groups with priorities, one step of the order after the other. */
int stow_plan_in_order(struct stow_planning *p, struct stow_err *err);

/* every.c: where rules over several nodes matter and there is little, every plan is tried.  No plan
 * that places all pods weighs less than `at_least`. */
int stow_plan_every(struct stow_planning *p, stow_nano at_least);

#endif
