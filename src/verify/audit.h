/* audit.h - one plan being checked: what the parts of the verifier share. */
#ifndef STOW_VERIFY_AUDIT_H
#define STOW_VERIFY_AUDIT_H

#include "model/nodes/extend.h"
#include "place/money.h"
#include "verify/told.h"
#include "verify/verify.h"

/* A list of taints, and the same of a node that is cordoned. */
struct stow_cordon {
    stow_blob without, with;
};

/* Where the proof of a consolidation is looked at: nodes that are there cost money, too, and pods
 * that run may be where they are, whatever filters say. */
struct stow_standing {
    const stow_nano *price;   /* per real node: what keeping it costs; 0: it stays in any case */
    const bool *fixed;        /* per real node: it does */
    const bool *shut;         /* per real node: nothing else may come */
    const stow_node_id *home; /* per pod that may move: where it runs */
};

struct stow_audit {
    const struct stow_verify_input *in;
    const struct stow_verify_options *options;
    const struct stow_tape *tape;
    struct stow_verdicts *out;
    struct stow_snapshot *s;  /* `own` */
    struct stow_snapshot own; /* the input, with texts and lists that can be added to */
    struct stow_told told;
    bool failed; /* out of memory while a finding was noted */

    struct stow_profiles kube;
    const struct stow_profile *profile;
    struct stow_extension bare; /* with a fresh node per group */
    struct stow_bill bill;      /* of its nodes */
    struct stow_node_money *money;

    /* Groups that can be bought from. */
    bool *grows;       /* per group: it has a document and a template */
    stow_nano *price;  /* per group: all that a node costs; STOW_MONEY_UNKNOWN */
    stow_nano *weight; /* per group: the same weighed with risk and priority */
    bool weighs;       /* some weight is not the price */
    uint32_t *bought;  /* per group: new nodes of the plan */

    /* What names of the plan mean. */
    stow_pod_id *pod;             /* per told pod; STOW_NONE: unknown */
    stow_group_id *group_of;      /* per new node; STOW_NONE: unknown */
    stow_node_id *existing;       /* per existing node of the plan */
    struct stow_intern node_name; /* of existing nodes and those on their way */
    stow_node_id *node_by_name;   /* by handle */

    /* The cluster as the plan leaves it: real nodes, then the new ones in the plan's order. */
    struct stow_extension all;
    struct stow_node *coming; /* upcoming nodes and new ones, for `all` */
    uint32_t real;
    stow_node_id *node_of; /* per pod: its node in `all`, STOW_NONE: not placed by the plan */
    uint32_t *place_token; /* per pod: where the plan says so */
    bool *is_left;         /* per pod: told to be unplaced */
    stow_pod_id *pending;  /* pods that wait for a node and are not gated */
    uint32_t pendings;

    const struct stow_standing *standing; /* NULL: what is there costs nothing, and stays */
    struct stow_cordon *cordon; /* per list of taints that nodes have; of a consolidation */
    uint32_t cordons, cordon_cap;

    struct stow_arena arena;
};

/* Opens everything but `told`, which must be read. */
int stow_audit_open(struct stow_audit *a, struct stow_err *err);
void stow_audit_done(struct stow_audit *a);

/* Something is wrong; `token` of the plan, UINT32_MAX: nowhere in particular. */
void stow_audit_wrong(struct stow_audit *a, enum stow_verify_part part, uint32_t token,
                      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* ... or could not be decided in time. */
void stow_audit_unsettled(struct stow_audit *a, enum stow_verify_part part, uint32_t token,
                          const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* What holds, unless something was wrong. */
void stow_audit_holds(struct stow_audit *a, enum stow_verify_part part, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static inline bool stow_audit_fine(const struct stow_audit *a, enum stow_verify_part part)
{
    return a->out->state[part] == STOW_VERIFY_NOTHING || a->out->state[part] == STOW_VERIFY_HOLDS;
}

/* "default/web-0". */
const char *stow_audit_pod_name(struct stow_audit *a, stow_pod_id pod);

/* The group of this name that can be bought from, or STOW_NONE. */
stow_group_id stow_audit_group(const struct stow_audit *a, struct stow_str name);

/* Likewise; `committed`: the part of it whose nodes are. */
stow_group_id stow_audit_part(const struct stow_audit *a, struct stow_str name, bool committed);

/* A node that is there or on its way, or STOW_NONE. */
stow_node_id stow_audit_node(const struct stow_audit *a, struct stow_str name);

/* The node's capacity of a resource (allocatable where it states none); STOW_NONE: 1. */
int64_t stow_audit_capacity(const struct stow_audit *a, const struct stow_node *node,
                            stow_sym resource);

/* Whether the plan claims to be the best there is. */
static inline bool stow_audit_is_optimal(const struct stow_audit *a)
{
    return a->told.has_bound || stow_str_is(a->told.strategy.text, "optimal");
}

/* Whether the bound is claimed for plans of groups with a price only. */
static inline bool stow_audit_is_priced_only(const struct stow_audit *a)
{
    return stow_str_is(a->told.bound_for.text, "priced-groups") ||
           stow_str_is(a->told.bound_for.text, "as-many-priced-groups");
}

/* ---- the parts --------------------------------------------------------------------------- */

/* cost.c */
int stow_audit_price_groups(struct stow_audit *a, struct stow_err *err);
int stow_audit_cost(struct stow_audit *a, struct stow_err *err);

/* names.c: what names mean; pods that are there twice or not at all. */
int stow_audit_names(struct stow_audit *a, struct stow_err *err);
int stow_audit_pods(struct stow_audit *a, struct stow_err *err);

/* feasible.c, in_order.c, spread.c, limits.c */
int stow_audit_filters(struct stow_audit *a, struct stow_err *err);
int stow_audit_in_order(struct stow_audit *a, struct stow_err *err);
int stow_audit_spread(struct stow_audit *a, const struct stow_profile_filter *filter,
                      struct stow_err *err);
int stow_audit_limits(struct stow_audit *a, struct stow_err *err);
int stow_audit_shares(struct stow_audit *a, struct stow_err *err);

/* limits.c: limits over several nodes, at one moment.  `there` and `came` per node of a->all. */
int stow_audit_limits_now(struct stow_audit *a, const bool *there, const bool *came, uint32_t token,
                          struct stow_err *err);

/* limits.c: whether one more node of a group would be within every limit. */
bool stow_audit_may_grow(struct stow_audit *a, stow_group_id group);

/* commitments.c.  Committed nodes of a type and region. */
struct stow_committed {
    struct stow_str instance_type, region;
};

/* The commitment of that name ("TYPE in REGION"); false: no PriceBook has it. */
bool stow_audit_commitment(struct stow_audit *a, struct stow_str name, struct stow_committed *ret);

/* How many committed nodes existing ones leave. */
int64_t stow_audit_uncommitted(const struct stow_audit *a, const struct stow_committed *of);

/* Whether new nodes of a group are such; whether a group is the committed part of another one. */
bool stow_audit_is_committed(const struct stow_audit *a, stow_group_id g,
                             const struct stow_committed *of);
bool stow_audit_is_part(const struct stow_audit *a, stow_group_id part, stow_group_id of);

/* New nodes of its committed part. */
int64_t stow_audit_bought_committed(const struct stow_audit *a, stow_group_id group);

/* Whether the plan leaves a committed node for such a group. */
bool stow_audit_commitment_left(struct stow_audit *a, stow_group_id g);
void stow_audit_commitments(struct stow_audit *a);

/* Whether two groups of committed nodes share a commitment, and what existing nodes leave of it. */
bool stow_audit_is_one(const struct stow_audit *a, stow_group_id x, stow_group_id y);
int64_t stow_audit_places_left(const struct stow_audit *a, stow_group_id g);

/* Of running nodes, where some go: what one weighs, what is owed whichever stay, and all fees of
 * that (price/bill/bill.h, worked out again). */
stow_nano stow_audit_weight(const struct stow_audit *a, stow_node_id node);
stow_nano stow_audit_owed(const struct stow_audit *a);
stow_nano stow_audit_fees(const struct stow_audit *a);

/* Whether as many nodes as are committed are there that share the node's commitment, or it shares
 * none; whether nodes at several prices share one. */
bool stow_audit_shares_left(const struct stow_audit *a, const bool *there, stow_node_id node);
bool stow_audit_shares_unevenly(const struct stow_audit *a);

/* Whether a new node of another kind could have what is committed in place of this one. */
bool stow_audit_place_could_pass(const struct stow_audit *a, stow_node_id node);

/* cost.c: how many different pairs of priorities are above that of a group. */
uint32_t stow_audit_steps_down(const struct stow_audit *a, stow_group_id group);

/* group_order.c: groups of high priority come first. */
int stow_audit_group_order(struct stow_audit *a, struct stow_err *err);

/* consolidation.c: a plan of kind Consolidation, step by step. */
int stow_audit_consolidation(struct stow_audit *a, struct stow_err *err);

/* unpriced.c: whether a pod that is left would fit an empty node of a group without a price. */
int stow_audit_lacks_price(struct stow_audit *a, bool *ret, struct stow_err *err);

/* unpriced.c: of a consolidation, a node or group without a price that could make another choice of
 * nodes cheaper; NULL: there is none.  `mobile` per pod: it may move.  With pods pending it is not
 * looked for: room is kept for them. */
int stow_audit_unpriced_choice(struct stow_audit *a, const bool *mobile, const char **ret,
                               struct stow_err *err);

/* cost.c: the bound is not above the cost, and the gap is what lies between. */
void stow_audit_gap(struct stow_audit *a, stow_nano cost);

/* bound.c: all that the proof says. */
int stow_audit_proof(struct stow_audit *a, struct stow_err *err);

/* bound.c: what the tree of a proof comes to, and its lift, where all pods are placed. */
int stow_audit_tree(struct stow_audit *a, stow_nano *ret, struct stow_err *err);

/* consolidation/proof.c: the bound of a consolidation.  `mobile` per pod: it may move; `weight` per
 * real node: what it counts, STOW_MONEY_UNKNOWN. */
int stow_audit_standing(struct stow_audit *a, const bool *mobile, const stow_nano *weight,
                        struct stow_err *err);

#endif
