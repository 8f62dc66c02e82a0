/* cheapest_internal.h - `optimal` at work: what its files share. */
#ifndef STOW_SCALE_CHEAPEST_CHEAPEST_INTERNAL_H
#define STOW_SCALE_CHEAPEST_CHEAPEST_INTERNAL_H

#include "optimal/solve.h"
#include "scale/cheapest/parts.h"
#include "scale/cheapest/realize.h"
#include "scale/cheapest/record.h"
#include "scale/cheapest/worth.h"

/* Pods times groups: */
#define STOW_PLANNING_TINY  20000    /* a problem is solved at once */
#define STOW_PLANNING_SMALL 10000000 /* other strategies take a second */

/* A plan that was found: what was meant, what came of it, and how good it is. */
struct stow_found_plan {
    bool exists;
    struct stow_sketch sketch;
    struct stow_record realized;
    struct stow_worth worth;
};

/* A plan in the making.  What a sub-problem may buy, and where its pods may be, is its scope: it
 * starts as a copy of the scope of the problem that it is a part of, and is passed on. */
struct stow_planning {
    struct stow_session *session;
    struct stow_yard *yard;
    struct stow_weights weights;
    struct stow_crews crews;
    struct stow_formulate_options scope; /* of the whole problem */
    struct stow_ruler ruler;
    struct stow_known_plans known; /* of other strategies */
    struct stow_found_plan best;
    struct stow_worth measured; /* of the plan in the session */
    uint32_t found;             /* how often a better plan was found */
    double started, deadline;   /* of stow_clock(); 0: none */
    double realizing;           /* seconds that the longest realizing took */
    struct stow_arena arena;
};

/* What is made for one problem, freed together. */
struct stow_solving {
    struct stow_parts parts;
    struct stow_formulation formulation;
    struct stow_solution solution;
    struct stow_sketch sketch;
    const struct stow_listener *listener; /* of the solver; NULL: nobody */
};

void stow_solving_done(struct stow_solving *s);

/* Zones in which nothing is bought (closed_zones.c). */
struct stow_zone_set {
    bool *closed; /* per group */
    bool settled; /* a plan without them was solved to the end */
};

struct stow_zone_sets {
    struct stow_zone_set *set; /* in the planning's arena */
    uint32_t count;
};

#define STOW_PROBLEMS_KEPT 24 /* two a round; of 12 rounds the last takes weeks */

/* The problems of a plan whose bounds hold, and the one whose bound is best.  The first is the
 * whole one: without rules over several nodes. */
struct stow_problems {
    const struct stow_formulate_options *scope;
    uint32_t asked; /* how many of the other strategies have been asked */
    struct stow_solving solved[STOW_PROBLEMS_KEPT];
    uint32_t solveds;
    const struct stow_solving *proof;
    struct stow_zone_sets sets;
    bool zones;             /* some class is a family */
    bool loose;             /* families have not all the rules */
    bool tight, over_hosts; /* some rules can be cut in; those over hosts */
    bool shared_out;        /* with the cheapest share-out it was solved to the end */
    bool settled;           /* nothing of the last round ended by time */
};

/* problems.c */

void stow_problems_done(struct stow_problems *q);

/* Every problem, one after the other, in rounds that take longer and longer. */
int stow_problems_try(struct stow_planning *p, struct stow_problems *q, struct stow_err *err);

/* The best plan into the session, with the proof that has the best bound for it. */
int stow_problems_finish(struct stow_planning *p, struct stow_problems *q, struct stow_err *err);

/* Whether the best plan leaves only pods that fit nowhere, and is so close to the bound.  How few
 * pods limits must leave out is not proven, so others may know better. */
bool stow_planning_is_within(const struct stow_planning *p, const struct stow_solving *whole,
                             double gap);

/* Makes the best plan a sketch of what it has come to, which is where the solver can start; nothing
 * is in the session then. */
int stow_planning_settle(struct stow_planning *p);

/* closed_zones.c: which zones can be closed; none where no class is spread over zones. */
int stow_zone_sets_make(struct stow_planning *p, struct stow_zone_sets *ret);
uint32_t stow_zone_sets_open(const struct stow_zone_sets *sets); /* how many are not settled */

/* polish.c: node by node, what can be made better of the best plan. */
int stow_planning_polish(struct stow_planning *p, const struct stow_formulate_options *scope,
                         const struct stow_solving *whole);

/* optimal.c */

/* Takes everything back. */
void stow_planning_clear(struct stow_planning *p);

/* The best plan so far, and nothing else, in the session. */
int stow_planning_show_best(struct stow_planning *p);

/* To what the session has already, as long as there is time for it.  1: there was not, and what the
 * session has is of no use; a plan is there then. */
int stow_planning_realize(struct stow_planning *p, const struct stow_formulate_options *scope,
                          const struct stow_sketch *sketch);

/* Realizes a sketch from nothing and keeps it when it is better than the best so far, or, if that
 * will do, as good; takes the sketch then. */
int stow_planning_try(struct stow_planning *p, const struct stow_formulate_options *scope,
                      struct stow_sketch *sketch, bool as_good);
/* ... for loads in no particular order. */
int stow_planning_try_sorted(struct stow_planning *p, const struct stow_formulate_options *scope,
                             struct stow_sketch *sketch, bool as_good);
int stow_planning_try_solution(struct stow_planning *p, const struct stow_formulate_options *scope,
                               struct stow_solving *s, struct stow_err *err);

/* Solves for the parts, in this many seconds or what is left of them. */
int stow_planning_solve(struct stow_planning *p, const struct stow_formulate_options *scope,
                        struct stow_solving *s, double seconds, struct stow_err *err);

/* A share of the time limit, in seconds. */
double stow_planning_part(const struct stow_planning *p, double share);

/* What is left of the time, but for realizing what comes out. */
double stow_planning_left(const struct stow_planning *p);

/* What takes long after that is given up; 0: never, and where there is little. */
double stow_planning_last_moment(const struct stow_planning *p);

/* others.c: the plans of other strategies.  `asked`: how many of them have been asked already.
 *
 * First: where there are limits, the quickest of them, and, as long as pods are left, more. */
int stow_planning_try_first(struct stow_planning *p, const struct stow_formulate_options *scope,
                            uint32_t *asked, struct stow_err *err);
/* Where rules over several nodes make much of a sketch impossible, as many as there is time for. */
int stow_planning_try_some(struct stow_planning *p, const struct stow_formulate_options *scope,
                           uint32_t *asked, struct stow_err *err);
/* All that were not asked, as far as there is time. */
int stow_planning_try_others(struct stow_planning *p, const struct stow_formulate_options *scope,
                             uint32_t asked, struct stow_err *err);

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

/* ordered.c: groups with priorities, one step of the order after the other. */
int stow_plan_in_order(struct stow_planning *p, struct stow_err *err);

/* every.c: where rules over several nodes matter and there is little, every plan is tried.  No plan
 * that places all pods weighs less than `at_least`. */
int stow_plan_every(struct stow_planning *p, const struct stow_formulate_options *scope,
                    stow_nano at_least);

#endif
