/* consolidate_world.h - random clusters that have something to save. */
#ifndef TESTS_PROPERTY_CONSOLIDATE_WORLD_H
#define TESTS_PROPERTY_CONSOLIDATE_WORLD_H

#include "consolidate/consolidate.h"
#include "tests/property/property.h"

#define GROUPS 4
#define NODES  48
#define APPS   7
#define PODS   96

enum budget { NO_BUDGET, MIN_PODS, MAX_PODS, MIN_SHARE, MAX_SHARE, STATUS };

struct group {
    int64_t cpu, memory, price; /* milli-cores, MiB, 10^-9 */
    bool unpriced;              /* the price is not told */
    uint32_t zone;
    uint32_t min, max; /* max 0: no limit */
    uint32_t volumes;  /* that its nodes take, as their CSINodes say; 0: no limit */
};

struct node {
    char name[24];
    uint32_t group;
    bool there, fixed, cordoned; /* fixed: annotated */
    bool drains;                 /* cordoned and tainted: it is about to be removed */
};

enum mounting { NO_VOLUME, OWN_VOLUME, SHARED_VOLUME, OWN_DISK, MOUNTINGS };

/* Pods of an app are alike. */
struct app {
    int64_t cpu, memory;
    bool zone_spread, host_spread, anti, alone, fixed, port; /* alone: no controller */
    bool honours;                                            /* taints, when it is spread */
    uint32_t near; /* the app it wants to be in a zone with; APPS: none */
    uint32_t zone; /* of its nodeSelector; 3: none */
    enum mounting mounting;
    enum budget budget;
    uint32_t amount, pods;
};

struct pod {
    char name[24];
    uint32_t app;
    uint32_t on;  /* NODES: nowhere */
    bool pending; /* it does not run: `on` is where there is room for it */
    bool was_wrong;
};

struct world {
    struct group group[GROUPS];
    struct node node[NODES];
    struct app app[APPS];
    struct pod pod[PODS];
    uint32_t groups, nodes, apps, pods;
    bool daemons;
    struct stow_consolidate_options options;
};

/* `plain`: no rules over several pods.  False: failed, and said. */
bool world_open(struct world *w, uint64_t seed, bool plain);

/* Some groups do not tell their price; every node counts as one. */
void world_forget(struct world *w, uint64_t seed);
void world_count_nodes(struct world *w, uint64_t seed);

/* Some pods are pending. */
void world_await(struct world *w, uint64_t seed);

/* What a node of a group counts; 0: that is not told. */
int64_t world_weight(const struct world *w, uint32_t group);

/* Its documents; NULL: failed, and said. */
struct stow_snapshot *world_load(const struct world *w);

/* By name: a node that is there, NODES if none is; a pod. */
uint32_t world_node(const struct world *w, const char *name);
uint32_t world_pod(const struct world *w, const char *name);

/* What `stow_consolidate` says; `greedy`: without the solver. */
bool world_consolidate(const struct world *w, const struct stow_snapshot *s, bool greedy,
                       struct stow_consolidation *ret);

#endif
