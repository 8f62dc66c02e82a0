/* yard.h - a cluster with nodes that do not exist yet, while pods are put on them.
 *
 *     stow_yard_new(state, real, profile, pods, count, &yard, err);
 *     uint32_t mark = stow_yard_mark(yard);
 *     uint32_t node = stow_yard_add_node(yard, group);
 *     if (stow_yard_fits(yard, class, node))
 *         stow_yard_place(yard, class, node, 1);
 *     stow_yard_rollback(yard, mark);
 *
 * Nodes are numbered: those that are real (in the cluster or on their way) as in
 * the snapshot, new ones after them in order of creation.  Pods are handled by
 * class: pods that every filter sees alike.  See yard.c for the idea. */
#ifndef STOW_SCALE_YARD_YARD_H
#define STOW_SCALE_YARD_YARD_H

#include "base/arena.h"
#include "place/profiles/profile.h"
#include "place/state.h"

#define STOW_YARD_NODES_MAX 10000000 /* new ones, so that numbers fit */

/* One more matching pod here or there: running counts per domain over those of place's tally. */
struct stow_overlay {
    const struct stow_counter *base;
    bool own_domains;  /* every new node is a domain of its own (the host name) */
    bool cordon_hides; /* of spreading: a node that is cordoned does not count */
    uint32_t *extra;   /* per domain of the topology, then per new node when own_domains */
    uint32_t cap;
    uint64_t entries; /* extra pods in domains that count */
    uint64_t version; /* counts up with every change */
    uint8_t *reached; /* per domain: a real node of it counts; made for spreading only */
    uint32_t reach;   /* how many */
    /* of spreading, as of a version of the counts (0: not made yet): the domains that exist, by how
     * many pods they have */
    uint64_t listed_at;
    uint32_t *with, with_cap; /* per count: domains that have this many */
    uint32_t domains;         /* how many there are */
    uint32_t least;           /* no domain has fewer */
    uint32_t listed;          /* nodes whose domains are among them */
    uint32_t *news;           /* per domain of the topology: new nodes in it that count */
};

/* What a node that is being emptied is to spreading. */
enum stow_drain {
    STOW_DRAIN_NOT,
    STOW_DRAIN_CORDONED, /* it counts, but for constraints whose overlay says otherwise */
    STOW_DRAIN_AWAY,     /* as if it were gone */
    STOW_DRAIN_GONE,
};

/* A hard spread constraint of a class. */
struct stow_yard_spread {
    uint32_t overlay;
    int32_t max_skew, min_domains;
    bool self;
    /* per domain as in the overlay: pods of the class that the yard put there; kept only while
     * pods of other classes could break the constraint */
    bool watched;
    uint32_t *mine, mine_cap;
};

/* A constraint of another class that one more pod of this one may break. */
struct stow_yard_mind {
    uint32_t class, rule;
};

/* A volume that several pods share takes its place on a node once. */
struct stow_yard_volume {
    uint32_t mount; /* number in s->mounts */
    uint32_t *at;   /* per node: who uses it there */
};

struct stow_yard_use {
    uint32_t dim, volume;
};

struct stow_yard_class {
    stow_pod_id pod; /* one of them, for asking */
    uint32_t pods;   /* how many there are */
    int32_t priority;
    bool alone_possible; /* some group, when its node is empty, could take one */
    bool plain;          /* nothing but resources and what is static decides where it fits */
    bool never;          /* a filter refuses it everywhere */
    int64_t *need;       /* per dimension */
    uint32_t *dim;       /* the dimensions it needs */
    uint32_t dims;
    int64_t nonzero_cpu, nonzero_memory; /* as kube-scheduler's scores count */
    uint8_t *on_group;                   /* per group: static filters pass on its fresh node */
    uint8_t *on_real; /* per real node; NULL until asked for (stow_yard_ask_real) */
    struct stow_yard_spread *spread;
    uint32_t spreads;
    uint32_t *attract, *shun; /* overlays: affinity terms; anti-affinity, own and others' */
    uint32_t attracts, shuns;
    uint32_t own_shuns; /* the first ones, this many, are its own */
    bool self;          /* it matches its own affinity terms */
    uint32_t *feeds;    /* overlays that its pods count in */
    uint32_t feedings;
    uint32_t clash;  /* index of its own column of clashes, STOW_NONE: it has neither host ports nor
                        disks of its own */
    uint32_t *takes; /* columns in which its pods take ports or disks */
    uint32_t takings;
    struct stow_yard_use *use; /* volumes that it shares with others, in order of dimensions */
    uint32_t uses;
    uint32_t *sole; /* claims that one pod only may have: numbers in the snapshot */
    uint32_t soles;
    bool host_spread; /* has spread constraints, one of them over host names */
    struct stow_yard_mind *mind;
    uint32_t minds;
};

/* A group whose nodes could be bought. */
struct stow_yard_group {
    stow_node_id fresh;             /* its node in the state; STOW_NONE: it has no template */
    int64_t *room;                  /* per dimension: of an empty node, daemons taken off */
    struct stow_yard_class *daemon; /* their pods: they come and go with a node, and count */
    uint32_t daemons;
};

struct stow_yard_entry {
    uint32_t node, class, count; /* class STOW_NONE: the node was added */
};

struct stow_yard {
    const struct stow_snapshot *s; /* with the nodes on their way, and a fresh one per group */
    const struct stow_state *state;
    const struct stow_profile *profile;
    uint32_t real; /* nodes that are there or on their way */
    uint32_t dims;
    stow_resource_id *resource; /* per dimension; the first is pod slots */
    /* dimensions from here on are volumes of a driver (resource STOW_NONE) that only that pod uses;
     * who has no limit has `plenty`, more than all pods together ask for */
    uint32_t resource_dims;
    uint32_t *driver; /* per dimension from there on: number in s->mounts */
    int64_t *plenty;
    struct stow_yard_class *class;
    uint32_t classes;
    uint32_t *class_of;            /* per pod of the snapshot, STOW_NONE: not pending here */
    struct stow_yard_group *group; /* by group id */
    stow_group_id *kind; /* per group: the first whose nodes no pod can tell from its; NULL until
                            asked for (stow_yard_find_kinds) */

    uint32_t nodes, node_cap;
    stow_group_id *group_of;               /* per new node, from `real` on */
    int64_t **free;                        /* [dimension][node] */
    int64_t *nonzero_cpu, *nonzero_memory; /* per node, requested */
    uint8_t *drained;                      /* per real node: enum stow_drain; NULL: none is */

    struct stow_overlay *overlay;
    uint32_t overlays, overlay_cap;
    uint32_t listed;  /* the most nodes that an overlay has listed */
    uint32_t **taken; /* [column of clashes][node] */
    uint32_t clashes, clash_cap;
    struct stow_yard_volume *volume; /* those that several pods share */
    uint32_t volumes, volume_cap;
    uint32_t *claim_uses; /* per claim: pods that have it; NULL: no claim is for one pod only */

    struct stow_yard_entry *log;
    uint32_t logged, log_cap;
    bool failed; /* out of memory since it was made; what it says is void then */
    struct stow_arena arena;
};

/* `state` is over a snapshot from stow_extend (model/nodes/extend.h), with every pod placed that is
 * to stay; `pods` are the ones that the yard is about.  Everything is borrowed. */
int stow_yard_new(const struct stow_state *state, uint32_t real, const struct stow_profile *profile,
                  const stow_pod_id *pods, uint32_t count, struct stow_yard **ret,
                  struct stow_err *err);
void stow_yard_free(struct stow_yard *yard);

/* One more node of a group, empty; STOW_NONE: out of memory. */
uint32_t stow_yard_add_node(struct stow_yard *yard, stow_group_id group);

/* Whether one more pod of the class may go to a node. */
bool stow_yard_fits(struct stow_yard *yard, uint32_t class, uint32_t node);

/* Whether a node has the room, the host ports and the disks for one more; and whether it has the
 * latter two.  Static filters and rules over several nodes are left aside. */
bool stow_yard_holds(const struct stow_yard *yard, uint32_t class, uint32_t node);
bool stow_yard_keeps_apart(const struct stow_yard *yard, uint32_t class, uint32_t node);

/* Whether one more pod of the class on a node breaks a hard spread constraint of pods that the yard
 * has put: kube-scheduler does not ask that, but the constraint would not hold in the end. */
bool stow_yard_disturbs(struct stow_yard *yard, uint32_t class, uint32_t node);

/* Whether pods may be refused where they would be accepted at another moment. */
bool stow_yard_has_order(const struct stow_yard *yard);

/* Whether every hard spread constraint of the pods put holds as things are. */
bool stow_yard_is_even(struct stow_yard *yard);

/* The hard spread constraint that keeps one more pod of a class off a node. */
struct stow_spread_refusal {
    stow_sym key; /* of its topology */
    int32_t max_skew;
    bool no_label;    /* the node lacks the key */
    uint32_t count;   /* matching pods in the node's domain */
    uint32_t least;   /* in the emptiest domain */
    uint32_t node;    /* one of that domain, being emptied if one is; STOW_NONE: too few domains */
    uint32_t domains; /* if too few: this many there are, ... */
    int32_t min_domains; /* ... and this many are asked for */
    int64_t over;        /* matching pods too many, with the one more */
};
bool stow_yard_spread_refuses(struct stow_yard *yard, uint32_t class, uint32_t node,
                              struct stow_spread_refusal *ret);

/* How many matching pods too many there would be, by the constraint that is worst; 0: none; a
 * node without the label is as bad as can be. */
int64_t stow_yard_spread_excess(struct stow_yard *yard, uint32_t class, uint32_t node);

/* What affinity between pods says against it; false: nothing. */
struct stow_affinity_refusal {
    const char *text; /* upstream's */
    stow_sym key;     /* of the term's topology */
    bool misses;      /* there is no pod that it wants; else there is one that it must not meet */
};
bool stow_yard_affinity_refuses(const struct stow_yard *yard, uint32_t class, uint32_t node,
                                struct stow_affinity_refusal *ret);

/* Nodes that refuse a class keep refusing it while pods only come, unless the emptiest domain of a
 * spread constraint gets more pods, or pods that it wants to be near arrive. */
#define STOW_REFUSAL_RULES 4
struct stow_yard_refusal {
    uint32_t end;                       /* all nodes before it refuse; 0: nothing is known */
    uint32_t least[STOW_REFUSAL_RULES]; /* per spread constraint: in its emptiest domain */
    uint64_t company;                   /* pods that count for its affinity */
    uint64_t counted;                   /* pods that count for its constraints */
};

/* Notes that all nodes before `end` refuse a class; and up to which of them that is still so. */
void stow_yard_note_refusal(struct stow_yard *yard, uint32_t class, uint32_t end,
                            struct stow_yard_refusal *ret);
uint32_t stow_yard_refused(struct stow_yard *yard, uint32_t class,
                           const struct stow_yard_refusal *refusal);

/* Whether spreading is all that keeps it off. */
bool stow_yard_only_spread(struct stow_yard *yard, uint32_t class, uint32_t node);

/* How many pods of a class the room of a node holds; rules over several pods left aside. */
uint32_t stow_yard_room(const struct stow_yard *yard, uint32_t class, uint32_t node);

/* The same of an empty node of a group; 0 when the static filters refuse. */
uint32_t stow_yard_fresh_room(const struct stow_yard *yard, uint32_t class, stow_group_id group);

/* Puts pods of a class on a node; the caller knows that they fit. */
void stow_yard_place(struct stow_yard *yard, uint32_t class, uint32_t node, uint32_t count);

/* Pods of class `number` come to a node (count > 0) or leave it, beside the log. */
void stow_yard_shift(struct stow_yard *yard, uint32_t number, uint32_t node, int64_t count);

/* Everything since a mark is undone. */
static inline uint32_t stow_yard_mark(const struct stow_yard *yard)
{
    return yard->logged;
}
void stow_yard_rollback(struct stow_yard *yard, uint32_t mark);

/* Asks the static filters about the real nodes; < 0: out of memory. */
int stow_yard_ask_real(struct stow_yard *yard, uint32_t class);

/* Which groups are of one kind (kinds.c); < 0: out of memory. */
int stow_yard_find_kinds(struct stow_yard *yard);

/* MostAllocated over cpu and memory with one more pod of the class there: 0..100. */
int64_t stow_yard_most_allocated(const struct stow_yard *yard, uint32_t class, uint32_t node);

/* The most that any node has of a dimension; 0: it is not a resource. */
static inline int64_t stow_yard_largest(const struct stow_yard *yard, uint32_t dim)
{
    return dim < yard->resource_dims ? yard->state->largest[yard->resource[dim]] : 0;
}

static inline bool stow_yard_is_new(const struct stow_yard *yard, uint32_t node)
{
    return node >= yard->real;
}

/* The nodes from `from` on, before `to`, that have room for one pod of the class, in order, into
 * `ret`; returns how many.  Rules over several pods and static filters are left aside. */
uint32_t stow_yard_with_room(const struct stow_yard *yard, uint32_t class, uint32_t from,
                             uint32_t to, uint32_t *ret);

/* The first of them; `to`: none. */
uint32_t stow_yard_next_room(const struct stow_yard *yard, uint32_t class, uint32_t from,
                             uint32_t to);

#endif
