/* consolidate_internal.h - what the files of consolidation share. */
#ifndef STOW_CONSOLIDATE_CONSOLIDATE_INTERNAL_H
#define STOW_CONSOLIDATE_CONSOLIDATE_INTERNAL_H

#include "base/clock.h"
#include "consolidate/consolidate.h"
#include "consolidate/pools.h"
#include "model/pods/detach.h"
#include "optimal/problem.h"
#include "scale/names.h"
#include "scale/session.h"

struct stow_part;
struct stow_solution;

/* ---- the deck: where every pod is, and what can be undone ------------------------------- */

enum stow_deck_event { STOW_DECK_MOVED, STOW_DECK_ADDED, STOW_DECK_SHUT, STOW_DECK_DRAINED };

struct stow_deck_entry {
    enum stow_deck_event event;
    uint32_t pod, node; /* moved: where it was, STOW_NONE: on none; shut, drained: the node, and
                           in `pod` how it was drained before */
};

struct stow_deck {
    struct stow_session *session;
    struct stow_yard *yard;
    const struct stow_snapshot *s; /* of the yard: pods that are on deck wait in it */
    uint32_t
        there; /* nodes that exist as the search begins: real ones, and those of earlier steps */
    uint32_t *home, *at; /* per pod: where it runs, where it is now; STOW_NONE: not here, or it
                            waits for a node to be gone */
    bool *pinned;        /* per pod: it is here to be looked at, and does not move */
    bool *pending;       /* per pod: it does not run yet; room is kept for it, and to keep that
                            elsewhere is no move */
    bool *excused;       /* per pod: rules did not hold for it from the beginning */
    stow_pod_id *first, *next, *before; /* pods per node: first[node], lists through the others */
    bool *shut;                         /* per node: nothing may go there */
    bool *gone;                         /* per node: it is not paid for any more */
    bool *absent;                       /* per real node: earlier steps have removed it */
    uint32_t node_cap;
    const bool *closed;           /* per real node: never a place to go to */
    const bool *may_go;           /* per real node */
    const stow_nano *price;       /* per real node: what is saved without it */
    const stow_nano *group_price; /* per group: what a new node costs, where they are for sale */
    stow_pod_id *watcher;         /* pods with rules over several pods */
    uint32_t watchers;
    uint32_t *touched; /* per overlay of the yard: the entry of the log that changed it first since
                          all rules were seen to hold; STOW_NONE: none did */
    stow_nano cost;    /* of the nodes that may go and of new ones */
    uint32_t moved;    /* pods that run, and are not at home */
    struct stow_deck_entry *log;
    uint32_t logged, log_cap;
    uint32_t base;  /* what is before it in the log is settled */
    uint32_t *list; /* nodes, for searching */
    uint32_t list_cap;
    uint32_t asks; /* questions that searches may still ask (seat.c) */
    bool failed;   /* out of memory: what it says is void */
};

#define STOW_DECK_ASKS 2000000 /* from a restart on: half a second */

/* Where everybody is in the view, to be. */
struct stow_viewing {
    stow_node_id *node; /* per pod: STOW_NONE: it waits */
    uint32_t *home;
    bool *hidden, *pinned, *pending;
};

/* Every waiting pod of the session's ground is put where it runs. */
int stow_deck_open(struct stow_deck *deck, struct stow_session *session,
                   const struct stow_viewing *view);
void stow_deck_close(struct stow_deck *deck);

/* Whether pods may go to the node at all. */
static inline bool stow_deck_is_open(const struct stow_deck *deck, uint32_t node)
{
    return !deck->shut[node] && !(node < deck->yard->real && deck->closed[node]);
}

bool stow_deck_fits(struct stow_deck *deck, stow_pod_id pod, uint32_t node);
void stow_deck_move(struct stow_deck *deck, stow_pod_id pod, uint32_t node);

/* The pod is on no node, until it moves to one. */
void stow_deck_evict(struct stow_deck *deck, stow_pod_id pod);

/* Nothing may go to the node any more: it is being emptied.  `how` says what it is to spreading. */
void stow_deck_drain(struct stow_deck *deck, uint32_t node, enum stow_drain how);

/* One more node, paid for; STOW_NONE: out of memory. */
uint32_t stow_deck_add(struct stow_deck *deck, stow_group_id group);

/* Nothing may go to the node any more, and it is not paid for. */
void stow_deck_shut(struct stow_deck *deck, uint32_t node);

stow_nano stow_deck_price(const struct stow_deck *deck, uint32_t node);
stow_group_id stow_deck_group(const struct stow_deck *deck, uint32_t node);

static inline uint32_t stow_deck_mark(const struct stow_deck *deck)
{
    return deck->logged;
}
void stow_deck_rollback(struct stow_deck *deck, uint32_t mark);

/* What is on deck is how things are from now on: only restarting undoes it. */
void stow_deck_commit(struct stow_deck *deck);

/* As it was in the beginning. */
void stow_deck_restart(struct stow_deck *deck);

/* Whether every rule over several pods holds for every pod where it is. */
bool stow_deck_holds(struct stow_deck *deck);

/* A pod for which it does not; STOW_NONE: there is none. */
stow_pod_id stow_deck_broken(struct stow_deck *deck);

/* For a look at the yard with none of the pods in it, and groups and limits without the nodes that
 * may go: `up`, and then back again. */
void stow_deck_lift(struct stow_deck *deck, bool up);

/* The open node that a pod fits best: one that stays in any case, then the fullest.  STOW_NONE:
 * it fits none. */
uint32_t stow_deck_find(struct stow_deck *deck, stow_pod_id pod);

/* The pods on a node, large ones first, into `*list` (grown as needed); < 0: out of memory. */
struct stow_pod_list {
    stow_pod_id *pod;
    uint32_t count, cap;
};
void stow_pod_list_done(struct stow_pod_list *list);
int stow_deck_gather(const struct stow_deck *deck, uint32_t node, struct stow_pod_list *list);

/* How many of these pods run: those are disrupted when they move. */
uint32_t stow_deck_running(const struct stow_deck *deck, const stow_pod_id *pod, uint32_t count);
void stow_deck_sort(const struct stow_deck *deck, struct stow_pod_list *list);

/* ---- places for pods that have been evicted ---------------------------------------------- */

struct stow_seat {
    stow_pod_id pod; /* it is on no node */
    uint32_t to;     /* where it goes, or went */
    bool fixed;      /* there and nowhere else */
};

/* Whether what is on deck will do; what the question changes stays only if it will. */
struct stow_acceptance {
    bool (*ask)(void *context);
    void *context;
};

/* Puts pods on nodes, each in its turn; returns how many found one: they come first among the
 * seats, in the order in which they went.  `whole`: all or none, it may end early. */
uint32_t stow_deck_seat_plainly(struct stow_deck *deck, struct stow_seat *seat, uint32_t count,
                                bool whole);

/* All of them, by search, so that the result is accepted; the seats are in the order in which they
 * went.  False: there is no way, or too much to search; nothing has changed but the order of the
 * seats. */
bool stow_deck_seat_all(struct stow_deck *deck, struct stow_seat *seat, uint32_t count,
                        const struct stow_acceptance *accept);

/* All of them, each in its turn; where there is no room others that are on nodes make some and
 * move, too.  False: there is no way, or too much to search; nothing has changed. */
bool stow_deck_seat_swapping(struct stow_deck *deck, struct stow_seat *seat, uint32_t count);

/* ---- a consolidation in the making ------------------------------------------------------- */

/* Where every pod is to be, and on which nodes: what a search ends in. */
struct stow_layout {
    uint32_t *at; /* per pod: a node that is there, or their number + index of a new one */
    stow_group_id *group;
    uint32_t groups, group_cap; /* new nodes */
    bool *gone;                 /* per node that is there */
};

/* How far steps may go just now. */
struct stow_leeway {
    bool limited;      /* as the options say; else without limits of their own */
    uint32_t moves;    /* pods in a step */
    stow_nano peak;    /* what is on deck may cost, at any time ... */
    stow_nano ceiling; /* ... and after each step */
};

/* Steps that lead somewhere, kept so that they can be taken again without searching. */
struct stow_course {
    struct stow_step *step; /* parts lie in the answer's arena */
    uint32_t steps;
    struct stow_kept_reason *held; /* per node, as of struct stow_consolidating */
    stow_nano saving;
    stow_nano disruption_price; /* at which it was looked for */
    uint32_t moves, nodes_after;
    bool waits; /* pods might wait from the beginning on */
    bool limited;
    bool beyond; /* it moves more pods than all steps together may */
};

struct stow_courses {
    struct stow_course *of;
    uint32_t count, cap;
};

struct stow_consolidating {
    const struct stow_consolidate_options *options;
    struct stow_scale_options scaling; /* those of `options`, without prices where nodes count */
    const struct stow_snapshot *s;     /* as given */
    struct stow_movable movable;
    struct stow_detached view;
    struct stow_scale *scale;
    struct stow_ground *ground;
    struct stow_plan plan; /* its arena is the session's */
    struct stow_session session;
    bool open;  /* the session is */
    bool waits; /* pods may wait in the steps at hand; only where the options let them */
    struct stow_deck deck;
    struct stow_pool_facts pools;
    const char **kept;             /* per node: why it stays; NULL: it may go */
    const char **reserved;         /* per node: for whom its room is kept; NULL: for none */
    uint32_t not_simulated;        /* pods: where they may go is not known (DynamicResources) */
    bool *closed, *may_go;         /* per real node */
    stow_nano *price;              /* per real node; 0 where it is not known */
    stow_nano certain;             /* of the nodes that cannot go */
    struct stow_kept_reason *held; /* per node: why a step that removes it was left out; without
                                      a text: none was */
    stow_nano *group_price;        /* per group: STOW_MONEY_UNKNOWN: not for sale */
    bool unsure;                   /* prices that are not known could make another choice cheaper */
    double started, deadline;      /* as stow_clock has it */
    double until;                  /* of the search at hand; never after the deadline */
    stow_nano disruption_price;    /* of the search at hand */
    struct stow_leeway reach;
    uint32_t surge;             /* the limit of the session for --max-surge */
    uint32_t moves_all;         /* pods that all steps together may move; UINT32_MAX: any number */
    stow_nano initial;          /* what is on deck costs before the first step */
    struct stow_courses course; /* all that were found */
    /* what would be bought without the nodes that may go; empty.  Without limits, and with. */
    struct stow_packing fresh[2];
    int64_t fresh_cost[2];
    double *worth;     /* per class: what a pod costs elsewhere (stay.c); NULL: not known */
    uint32_t settled;  /* steps that are decided */
    const char **name; /* per new node of the yard */
    uint32_t name_cap;
    struct stow_taken_names names;
    struct stow_consolidation *ret;
};

/* What a node that is being emptied is to spreading while plans are searched for. */
static inline enum stow_drain stow_drain_of(const struct stow_consolidating *c)
{
    return c->waits ? STOW_DRAIN_AWAY : STOW_DRAIN_CORDONED;
}

/* Where a pod is. */
static inline uint32_t stow_step_start_at(const struct stow_consolidating *c,
                                          const struct stow_step_start *now, stow_pod_id pod)
{
    return now->at[pod] == STOW_NONE ? c->s->pod[pod].node : now->at[pod];
}

/* open.c: all that the search needs to begin. */
int stow_consolidate_open(struct stow_consolidating *c, const struct stow_scale_input *input,
                          struct stow_err *err);

/* pending.c: pending pods take the room that they will get anyway. */
int stow_consolidate_await(struct stow_consolidating *c, const struct stow_scale_input *input,
                           struct stow_viewing *view, struct stow_err *err);

/* prices.c: nodes whose price is not known stay, unless something else keeps them ...
 */
void stow_consolidate_keep_unpriced(struct stow_consolidating *c);
/* ... and what nodes and groups weigh, once the deck is open. */
int stow_consolidate_price(struct stow_consolidating *c);

/* committed.c: whether two nodes share a commitment, and how many of those on deck that
 * share one with the node are more than it has places; UINT32_MAX: it shares none. */
bool stow_commitment_is_one(const struct stow_consolidating *c, uint32_t a, uint32_t b);
uint32_t stow_commitment_spare(const struct stow_consolidating *c, uint32_t node);

/* Whether a node may go with those. */
bool stow_commitment_lets_go(const struct stow_consolidating *c, const uint32_t *gone,
                             uint32_t gones, uint32_t node);

/* Why such a node stays when none is spare; NULL: out of memory. */
const char *stow_commitment_why(const struct stow_consolidating *c, uint32_t node);

/* Whether nodes at several prices share a commitment: which of them take it is not searched. */
bool stow_commitments_are_mixed(const struct stow_consolidating *c);

/* Whether a place could pass from a node to a new one of another kind: nor is that searched. */
bool stow_commitments_could_pass(const struct stow_consolidating *c);

/* What a step says about prices and the bound: its new nodes, and the pods that it moves. */
void stow_consolidate_note_step(struct stow_consolidating *c, const struct stow_step *step);

int stow_consolidation_warn(struct stow_consolidation *ret, const char *text);

/* An amount as reasons put it: "0.38 per hour", or "2 nodes" where nodes are counted. */
#define STOW_WEIGHT_TEXT (STOW_MONEY_TEXT + 16)
const char *stow_weight_text(const struct stow_consolidating *c, stow_nano weight,
                             char text[STOW_WEIGHT_TEXT]);

/* An amount as it was given as an option. */
const char *stow_option_text(const struct stow_consolidating *c, stow_nano amount,
                             char text[STOW_MONEY_TEXT]);

/* Everything is as it was in the beginning, and steps are held to the limits or not. */
void stow_consolidate_begin(struct stow_consolidating *c, bool limited);

/* Goes on with steps that remove one node each. */
int stow_consolidate_go_singly(struct stow_consolidating *c);

/* every.c: courses from every row of steps there is that moves no more than `most`
 * pods, where there is little. */
int stow_consolidate_every(struct stow_consolidating *c, bool limited, uint32_t most);

/* Whether the search at hand has no time left. */
bool stow_consolidate_is_late(const struct stow_consolidating *c);

/* limits.c: the options' limits in numbers of this cluster, into c->ret ... */
int stow_consolidate_limits(struct stow_consolidating *c);
/* ... and whether steps are held to them from now on; the deck is as it was in the beginning. */
void stow_consolidate_hold(struct stow_consolidating *c, bool limited);

/* What is on deck costs, and what the moves so far have to earn. */
stow_i128 stow_deck_weight(const struct stow_consolidating *c);

/* greedy.c: improves what is on deck, one, two nodes at a time; `buying`: also with new
 * nodes. */
int stow_consolidate_greedy(struct stow_consolidating *c, bool buying);

/* Removes the next node, from `*at` on in its own order, that can go by itself without new nodes;
 * `*ret`: there is one, and it is off the deck. */
int stow_consolidate_single(struct stow_consolidating *c, uint32_t *at, bool *ret);

/* Buys nodes for the pods and puts them there, the cheapest way it finds below `limit`; false and
 * nothing has changed: there is none. */
bool stow_consolidate_buy(struct stow_consolidating *c, const struct stow_pod_list *pods,
                          stow_nano limit);

/* Layouts to choose from. */
#define STOW_LAYOUTS 4
struct stow_layouts {
    struct stow_layout layout[STOW_LAYOUTS];
    uint32_t layouts;
};

struct stow_solve_ask {
    double seconds;                 /* of the solver; then ... */
    double improving;               /* ... seconds for layouts */
    bool bounds;                    /* a bound is wanted though moves must earn something */
    const struct stow_layout *best; /* so far; NULL */
};

/* solve.c: the cheapest nodes for all pods that may move, by the solver, as layouts,
 * and the bound (into c->ret).  `ret` is [0] where pods do not wait, and [1], where the options let
 * them, those where they do.  `*ret_settled`: more time would not help. */
int stow_consolidate_solve(struct stow_consolidating *c, const struct stow_solve_ask *ask,
                           struct stow_layouts ret[2], bool *ret_settled, struct stow_err *err);

struct stow_stay_ask {
    uint32_t moves;     /* pods that may move */
    stow_nano per_move; /* what each of them must earn */
    double seconds;     /* of the solver */
};

struct stow_stay {
    bool found;
    struct stow_layout layout; /* to be freed, in any case */
    stow_nano cost;            /* of the nodes that may go and of new ones then */
    stow_nano per_move;        /* what moves have to earn for such a choice */
};

/* stay.c: a layout in which nodes that stay keep their pods, from how things are now.
 */
int stow_consolidate_stay(struct stow_consolidating *c, const struct stow_stay_ask *ask,
                          struct stow_stay *ret, struct stow_err *err);

/* What pods cost elsewhere, half way to what an answer of the solver about them says: c->worth.
 * Without one, as far as nothing is known. */
int stow_consolidate_learn(struct stow_consolidating *c, const struct stow_part *part,
                           uint32_t parts, const struct stow_solution *solution);

/* consolidate.c: the deck as a layout: nodes that are gone are left out. */
int stow_layout_take(const struct stow_consolidating *c, struct stow_layout *ret);
void stow_layout_done(struct stow_layout *layout);

/* lay_out.c: what the nodes that may go and new ones cost then. */
stow_nano stow_layout_cost(const struct stow_consolidating *c, const struct stow_layout *layout);

/* Puts a layout on the deck as it is, whatever the rules say. */
void stow_layout_put(struct stow_consolidating *c, const struct stow_layout *layout);

/* why.c: every node that stays, and why, into c->ret. */
int stow_consolidate_why(struct stow_consolidating *c);

/* steps.c: from how things are to the target in steps, as far as that is possible;
 * the steps are in c->ret after those that are settled, the deck is left as they leave it. */
int stow_consolidate_steps(struct stow_consolidating *c, const struct stow_layout *layout);

/* The same in a single step, whatever it saves; `*ret`: it can be taken, and is. */
int stow_consolidate_step(struct stow_consolidating *c, const struct stow_layout *layout,
                          bool *ret);

/* The steps that were made are where the next ones begin; whether there are any. */
bool stow_consolidate_settle(struct stow_consolidating *c);

/* cut.c: from how things are to a layout that was made from the beginning, in steps
 * within the limits, as far as they let it.  The steps are settled. */
int stow_consolidate_cut(struct stow_consolidating *c, const struct stow_layout *layout);

/* course.c: the steps in c->ret as a course: one more. */
int stow_course_take(struct stow_consolidating *c, bool waits);
void stow_courses_done(struct stow_courses *courses);

/* The best of those that keep every limit, or of all: STOW_NONE: there is none. */
uint32_t stow_course_best(const struct stow_consolidating *c, bool limited);

/* Which nodes its first steps replace, for the answer. */
int stow_course_exchange(struct stow_consolidating *c, const struct stow_course *course,
                         uint32_t steps, struct stow_exchange *ret);

/* Per number of moves, up to `most`: the least that the nodes on deck cost with no more than
 * those, by all courses. */
void stow_course_least(const struct stow_consolidating *c, bool limited, stow_nano *ret,
                       uint32_t most);

/* Its steps are those of the answer, and the deck is as they leave it. */
int stow_course_follow(struct stow_consolidating *c, const struct stow_course *course);

/* What can be saved with how many moves, from all courses. */
int stow_course_frontier(struct stow_consolidating *c, uint32_t chosen);

#endif
