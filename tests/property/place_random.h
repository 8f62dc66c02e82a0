/* place_random.h - random clusters and random profiles for placing. */
#ifndef TESTS_PROPERTY_PLACE_RANDOM_H
#define TESTS_PROPERTY_PLACE_RANDOM_H

#include "base/str.h"
#include "place/profiles/profile.h"
#include "tests/property/place_reference.h"
#include "tests/property/property.h"

/* How a cluster is to be. */
struct random_wishes {
    uint32_t nodes, running, pending;
    uint32_t specs;  /* pods are of so many sorts */
    bool plain;      /* no rules over several nodes */
    bool late_terms; /* only pending pods have terms, and few of them */
};

/* One document per object, so that they can be put in any order. */
struct random_cluster {
    struct stow_buf *object;
    uint32_t count, cap, nodes; /* the first `nodes` of them are the nodes */
};

void random_cluster_make(struct random_cluster *ret, uint64_t seed, struct random_wishes wishes);
void random_cluster_done(struct random_cluster *cluster);

/* Another document, empty yet. */
struct stow_buf *random_cluster_add(struct random_cluster *cluster);

/* The members of a pod's spec (`terms`: with spreading and affinity between pods), and its labels
 * and annotations. */
void random_pod_spec(struct stow_buf *to, struct chance *c, bool terms);
void random_pod_meta(struct stow_buf *to, struct chance *c);

/* Nodes stay in their order, the rest comes in the order of `c`; NULL: as they were made.  NULL is
 * returned when something is wrong, and has been said. */
struct stow_snapshot *random_cluster_load(const struct random_cluster *cluster, struct chance *c);

/* Prices by the names of nodes; free() it. */
struct stow_node_money *random_money(const struct stow_snapshot *s, uint64_t seed);

/* A profile as the reference wants it, and as text for the product: a Policy, or a
 * KubeSchedulerConfiguration. */
void random_profile(struct chance *c, struct ref_profile *ret, struct stow_buf *text);

/* Reads what random_profile wrote. */
bool random_profile_read(const struct stow_buf *text, struct stow_profiles *ret);

#endif
