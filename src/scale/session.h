/* session.h - what the files of scaling share: the prepared input, and a plan in the making. */
#ifndef STOW_SCALE_SESSION_H
#define STOW_SCALE_SESSION_H

#include "model/nodes/extend.h"
#include "price/bill/bill.h"
#include "scale/rules/equivalence.h"
#include "scale/rules/estimate.h"
#include "scale/scale.h"
#include "scale/yard/yard.h"

/* Where the pending pods that fit real nodes are. */
enum stow_ground_kind {
    STOW_GROUND_BASELINE, /* placed there first */
    STOW_GROUND_OPEN,     /* pending like the others: whoever plans decides about them, too */
    STOW_GROUND_BARE,     /* likewise; and new nodes lack the labels that scaling-advisor forgets */
    STOW_GROUNDS
};

struct stow_ground {
    bool made;
    struct stow_state state; /* over scale->extension, or scale->bare */
    struct stow_yard *yard;
    stow_pod_id *pending; /* what the yard is about, in order of namespace and name */
    uint32_t pendings;
    struct stow_equivalence alike;
    struct stow_run *run; /* over alike.pod */
    uint32_t runs;
    stow_pod_id *class_pod; /* the pending pods by class, in order of namespace and name */
    uint32_t *class_first;  /* per class, one more than there are */
    /* The baseline: pod and node, in the order in which they were placed. */
    stow_pod_id *placed;
    stow_node_id *placed_on;
    uint32_t placeds;
};

/* What one node of a group costs. */
struct stow_group_price {
    stow_nano price; /* fee included; STOW_MONEY_UNKNOWN */
    bool known;
    bool ranked;      /* as_double holds; also where the price is not known */
    double as_double; /* for rules that are defined in doubles */
    const char *from; /* "group", "documents", "imported", "catalogue", "gce model" */
    const struct stow_node_bill *bill; /* that the price is of; NULL: there is none */
};

struct stow_scale {
    struct stow_scale_input input;
    struct stow_scale_options options;
    const struct stow_snapshot *s; /* as given */
    struct stow_extension extension;
    struct stow_extension bare;    /* without the labels that rule sets main and pr158 leave out */
    struct stow_node_money *money; /* per node of the extension, for rules about money */
    struct stow_bill bill;         /* of the extension's nodes */
    struct stow_profiles kube;     /* the filters when none are given */
    const struct stow_profile *profile;
    struct stow_group_price *price; /* per group */
    stow_nano *paid;                /* per group: its price, 0 where it is not known */
    bool *grows;                    /* per group: it has a document and a template */
    stow_nano *rate;                /* per resource: what it is worth, for waste */
    struct stow_nru_rule nru;
    const char **warning;
    uint32_t warnings, warning_cap;
    struct stow_ground ground[STOW_GROUNDS];
    struct stow_arena arena;
};

/* ground.c: the one asked for, made when it is first needed. */
int stow_scale_ground(struct stow_scale *scale, enum stow_ground_kind kind,
                      struct stow_ground **ret, struct stow_err *err);
void stow_ground_done(struct stow_ground *ground);

/* group_price.c */
int stow_scale_price_groups(struct stow_scale *scale, struct stow_err *err);

/* The price of a pod of the class for an hour, as the price rule sees it. */
int stow_scale_pod_price(const struct stow_scale *scale, stow_spec_id spec, double *ret,
                         struct stow_err *err);
double stow_scale_stabiliser(const struct stow_scale *scale);

/* ---- a plan in the making ---------------------------------------------------------------- */

/* Pods that go to a node of the yard. */
struct stow_put {
    const stow_pod_id *pod;
    uint32_t count, node;
    uint32_t nodes; /* how many nodes the yard had then */
};

/* A limit on the nodes that are there and bought, all of them or those of some groups. */
struct stow_limit {
    stow_sym resource; /* STOW_NONE: nodes are counted */
    struct stow_str name;
    const char *scope; /* "cluster-wide", or whose quota it is */
    bool of_pool;      /* of the NodePool `scope`: a row of the proof */
    bool total;        /* --max-nodes-total */
    /* Of committed nodes (model/prices/commitments.h): what the commitment is, as a row of the
     * proof. */
    const char *commitment;
    bool of_size;        /* maxNodes of `group`, its committed part included: a row of the proof */
    bool new_only;       /* existing nodes are taken off already */
    stow_group_id group; /* with of_size */
    const char *says;    /* all there is to say about it; NULL: name and scope say it */
    const bool *of;      /* per group; NULL: all */
    int64_t left;
    int64_t *per_node; /* per group */
};

struct stow_session {
    struct stow_scale *scale;
    struct stow_ground *ground;
    struct stow_yard *yard;
    struct stow_plan *plan;
    struct stow_arena *arena; /* the plan's */
    const bool *grows;        /* per group: it may be bought from; scale->grows, or fewer */
    double
        deadline; /* of a rule (stow_clock): who is late gives no reasons for pods left; 0: none */
    bool
        measured_only; /* the plan is compared and not shown: reasons of pods left are not needed */
    uint32_t *size;    /* per group: its nodes now, those on their way and bought included */
    const char **refused; /* per group: why it could not grow further; NULL: it could */
    struct stow_put *put;
    uint32_t puts, put_cap;
    bool in_order; /* every pod was put with all nodes there: the plan may say in which order */
    uint32_t *class_put; /* per class: how many of ground->class_pod are put (realize.c) */
    struct stow_limit *limit;
    uint32_t limits, limit_cap;
    struct stow_round *round; /* moved to the plan's arena at the end */
    uint32_t round_cap;
    uint8_t *lost; /* per class: some of its pods had a place while nodes were still to come; NULL:
                      none had */
    uint8_t *could, *choice; /* per class, as the last round began: some group could take its pods,
                                the group that was chosen could */
    const struct stow_plan_reason **class_reason; /* per class: why its pods are left */
    bool failed;                                  /* out of memory while rounds were kept */
};

int stow_session_open(struct stow_session *session, struct stow_scale *scale,
                      struct stow_ground *ground, struct stow_plan *plan);
void stow_session_close(struct stow_session *session);

/* Whether its deadline is past, or the search was stopped. */
bool stow_session_is_late(const struct stow_session *session);

/* One more limit: `left` is all that there may be, from which the nodes that are there are taken.
 */
int stow_session_limit(struct stow_session *session, const struct stow_limit *limit);

/* The pods, all of one class, go to a node that takes them; < 0: out of memory. */
int stow_session_put(struct stow_session *session, const stow_pod_id *pod, uint32_t count,
                     uint32_t node);

/* Buys a node: adds it to the yard and to the group's size; STOW_NONE: out of memory. */
uint32_t stow_session_buy(struct stow_session *session, stow_group_id group);

/* How much of a resource a node has, by what it says of its capacity, else of its allocatable. */
int64_t stow_capacity_of(const struct stow_snapshot *s, const struct stow_node *node,
                         stow_sym resource);

/* What the nodes bought so far cost per hour. */
stow_nano stow_session_spent(const struct stow_session *session);

/* What was bought and put since a mark of the yard is undone; the caller takes back its puts. */
void stow_session_give_back(struct stow_session *session, uint32_t mark);

/* How many more nodes the group's own limit allows, and the limits over several groups. */
uint32_t stow_session_room(const struct stow_session *session, stow_group_id group);
/* use_committed.c: nodes of the plan become committed ones as far as there are any. */
int stow_session_use_committed(struct stow_session *session);

uint32_t stow_session_quota(const struct stow_session *session, stow_group_id group);

/* How many more nodes a group may have (its max, --max-nodes-total, quotas); when that is 0,
 * `ret_why` (may be NULL) is the reason in upstream's words.  UINT32_MAX: no limit. */
uint32_t stow_session_may_add(const struct stow_session *session, stow_group_id group,
                              const char **ret_why);

/* sums.c: fails when a plan could cost more money than a sum holds; or, by what a node of each
 * group weighs (NULL: its price), weigh more. */
int stow_session_adds_up(const struct stow_session *session, const stow_nano *weight,
                         struct stow_err *err);

/* A new round for the explanation, valid until the next one; NULL: not wanted, or
 * (session->failed) out of memory. */
struct stow_round *stow_session_round(struct stow_session *session);

/* What is explained of one session goes on in another one of the same plan. */
void stow_session_hand_over_rounds(struct stow_session *from, struct stow_session *to);

/* Why groups get nothing when not all pods have a place. */
#define STOW_NO_PRICE       "no price is known"
#define STOW_ALL_OR_NOTHING "not all pods would fit and scale-up is all-or-nothing"

/* chain_plan.c and the planners */
int stow_plan_chain(struct stow_session *session, const struct stow_strategy *strategy,
                    struct stow_err *err);
int stow_plan_nru(struct stow_session *session, struct stow_err *err);
int stow_plan_optimal(struct stow_session *session, const struct stow_known_plans *known,
                      struct stow_err *err);
int stow_plan_karpenter(struct stow_session *session, struct stow_err *err);

/* settle.c: what a rule bought and put, with all its nodes there, into a session over the open
 * ground of the same scale and plan. */
int stow_session_settle(const struct stow_session *from, struct stow_session *to,
                        struct stow_err *err);

/* The same of pods, each with the node that a rule has for it, of a session that has all nodes of
 * the rule in it; < 0: out of memory. */
int stow_session_seat(struct stow_session *session, const stow_pod_id *pod, const uint32_t *node,
                      uint32_t count);

/* unplaced.c: every pod that is nowhere, with its reasons, into the plan. */
int stow_session_unplaced(struct stow_session *session, const uint8_t *is_put, bool one_round,
                          struct stow_err *err);

/* plan.c: the plan of what the session bought and put. */
int stow_session_finish(struct stow_session *session, bool one_round, struct stow_err *err);

#endif
