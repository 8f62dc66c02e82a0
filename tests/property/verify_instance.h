/* verify_instance.h - random problems for the verifier, so small that everything can be tried. */
#ifndef TESTS_PROPERTY_VERIFY_INSTANCE_H
#define TESTS_PROPERTY_VERIFY_INSTANCE_H

#include "base/str.h"
#include "tests/property/property.h"

#define CLASSES   3
#define COPIES    3
#define GROUPS    3
#define NODES     2
#define PATTERNS  64 /* (COPIES + 1) ^ CLASSES */
#define USED      10
#define NEW_MAX   9
#define NEVER     INT64_MAX
#define PRICE_MAX INT64_C(50000000000) /* of a class that nothing limits */

enum { CPU, MEMORY, GPU, SLOTS, RESOURCES };

struct place {
    int64_t room[RESOURCES]; /* milli-cores, GiB, devices, pods */
    bool tainted;
};

struct instance {
    uint32_t classes, groups, nodes;
    struct {
        int64_t need[RESOURCES];
        uint32_t count;
        int selector; /* a group's label, -1: none */
        bool tolerates, alone;
        int32_t priority;
    } class[CLASSES];
    struct {
        struct place place;
        int64_t overhead; /* milli-cores */
        int64_t price, fee;
        uint32_t max, min; /* max UINT32_MAX: no limit */
    } group[GROUPS];
    struct place node[NODES];
    uint32_t total;      /* --max-nodes-total, 0: none */
    int64_t quota;       /* of new nodes only, milli-cores or MiB; 0: none */
    bool of_memory;      /* the quota */
    bool taken[CLASSES]; /* something could take one alone */
};

/* What to buy; patterns are counts per class, as one number. */
struct plan {
    uint32_t nodes;
    struct {
        uint32_t group, pattern;
    } node[NEW_MAX + GROUPS];
    uint32_t on_node[NODES]; /* patterns */
    uint32_t left[CLASSES];  /* pods that are not placed */
    int64_t cost;
};

/* ---- instances: verify_instance.c ---------------------------------------------------------- */

void instance_make(struct instance *in, struct chance *c);

/* Which classes something could take alone. */
void instance_find_taken(struct instance *in);

/* All that a node of a group costs. */
int64_t instance_price(const struct instance *in, uint32_t g);

/* Milli-cores that new nodes may have; 0: no limit. */
int64_t instance_quota(const struct instance *in);

/* What a place takes of the quota, and how much of it one price is for: a core, a GiB. */
int64_t instance_counts(const struct instance *in, const struct place *place);
int64_t instance_unit(const struct instance *in);

void counts_of(uint32_t pattern, uint32_t count[CLASSES]);
uint32_t pattern_of(const uint32_t count[CLASSES]);
bool fits_group(const struct instance *in, uint32_t g, uint32_t pattern);
bool fits_node(const struct instance *in, uint32_t n, uint32_t pattern);

/* The best plan for these pods; false: there is none. */
bool instance_best_plan(const struct instance *in, const uint32_t demand[CLASSES],
                        struct plan *ret);
bool plan_leaves_out(const struct plan *plan);

/* ---- proofs: verify_proof.c ---------------------------------------------------------------- */

struct leaf {
    int64_t y[CLASSES];
    int64_t w_node[NODES], w_max[GROUPS], w_min[GROUPS], w_total,
        w_quota;             /* quota: per core or GiB */
    int64_t w_most, w_least; /* of the split */
    int64_t value;
};

struct proof {
    bool split;
    uint32_t group, at;  /* of the split */
    struct leaf leaf[2]; /* le, gt; or the only one */
    int64_t tree, lifted, unit;
    bool has_lift, reachable;
    int64_t core_price, resources;
};

/* Prices raised until some pattern of some node stands against each of them. */
void proof_make(const struct instance *in, const struct plan *plan, struct chance *c,
                struct proof *p);

/* ---- text: verify_text.c ------------------------------------------------------------------- */

/* What is changed in a plan before it is written. */
enum change {
    RIGHT,
    POD_TWICE,
    POD_MISSING,
    POD_UNKNOWN,
    NODE_UNKNOWN,
    GROUP_UNKNOWN,
    SAME_NAMES,
    NAME_TAKEN,
    NEW_NAMELESS,
    NODE_NAMELESS,
    LIMIT_NAMELESS,
    PRICE_OFF,
    COST_OFF,
    SIZE_OFF,
    GAP_OFF,
    CURRENCY_OFF,
    FOR_OFF,
    BOUND_OFF,
    NO_PROOF,
    LEAF_OFF,
    Y_RAISED,
    AMOUNT_OFF,
    LIMIT_PRICE_OFF,
    BRANCH_MISSING,
    SPLIT_OFF,
    LIFT_OFF,
    UNIT_OFF,
    CLASS_SHORT,
    CLASS_TWICE,
    CLASS_PRICE_OFF,
    RESOURCES_OFF,
    CORES_OFF,
    CHANGES
};

struct writing {
    const struct instance *in;
    const struct plan *plan;
    const struct proof *proof;
    enum change change;
    struct stow_buf *to;
    uint32_t next[CLASSES]; /* the next pod of each class */
    bool done;              /* the change was made */
};

/* The documents of an instance; and a plan with its proof, one thing changed. */
void instance_text(struct stow_buf *to, const struct instance *in);
void plan_text(struct writing *w);

#endif
