/* cluster.h - random clusters: a list of objects, each of them once. */
#ifndef TESTS_PROPERTY_CLUSTER_H
#define TESTS_PROPERTY_CLUSTER_H

#include "tests/property/tree.h"

#define CLUSTER_OBJECTS_MAX 60

struct cluster {
    struct tree *object[CLUSTER_OBJECTS_MAX];
    uint32_t objects;
};

void cluster_make(struct stow_arena *a, struct chance *c, struct cluster *ret);

#endif
