/* scale_random.h - random clusters with node groups that could grow. */
#ifndef TESTS_PROPERTY_SCALE_RANDOM_H
#define TESTS_PROPERTY_SCALE_RANDOM_H

#include "tests/property/place_random.h"

#define SCALE_GROUPS 6
#define SCALE_QUOTAS 4
#define SCALE_NONE   UINT32_MAX

/* What is said of a group besides its template. */
struct scale_group {
    char name[8];
    bool selects;     /* nodes with the label pool=p<number> are the group's */
    uint32_t given;   /* nodes that are there */
    uint32_t current; /* and on their way */
    uint32_t max;     /* SCALE_NONE: no limit */
    uint32_t rank;    /* its priority; 0: not said */
    bool at_once;     /* zero-or-max */
    bool exists, priced;
    int64_t price, fee;                 /* in 10^-9; the fee is not in the price */
    int64_t daemons[4];                 /* cpu (milli), memory, GPUs, pods */
    struct stow_buf labels, spec, rest; /* of the template: members of objects */
};

enum scale_quota_of { QUOTA_CPU, QUOTA_MEMORY, QUOTA_NODES, QUOTA_GPU };

struct scale_case {
    struct random_cluster cluster; /* everything that the product is given */
    uint32_t plain_objects;        /* the first of them are no NodeGroups and no pending pods */
    uint32_t pods;                 /* pending */
    struct scale_group group[SCALE_GROUPS];
    uint32_t groups;
    /* options */
    uint32_t max_nodes_total, per_scaleup; /* 0: no limit */
    enum scale_quota_of quota[SCALE_QUOTAS];
    int64_t extra[SCALE_QUOTAS]; /* so much more than there is */
    uint32_t quotas;
    bool balance, all_or_nothing, strict;
};

/* How a case is to be. */
struct scale_wishes {
    uint32_t nodes, running, pending, sorts, groups;
    bool plain;          /* no rules over several nodes */
    bool no_limits;      /* of any kind */
    bool own_label;      /* templates have the name of their group as the label `group` */
    bool tame;           /* rules of pods look for pods with certain labels only */
    bool as_daemon_sets; /* what daemon pods take follows from DaemonSets */
    bool ranked;         /* groups have priorities */
};

void scale_random_make(struct scale_case *ret, uint64_t seed, struct scale_wishes wishes);
void scale_random_done(struct scale_case *s);

/* Wishes for small clusters of all kinds. */
struct scale_wishes scale_random_wishes(struct chance *c);

/* All documents of the product in the order of `c` (NULL: as they were made), or those of the
 * reference: no NodeGroups, and beside the nodes one "~GROUP" after each template.  NULL: failed,
 * and said. */
struct stow_snapshot *scale_random_load(const struct scale_case *s, struct chance *c);
struct stow_snapshot *scale_random_load_models(const struct scale_case *s);

#endif
