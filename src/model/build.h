/* build.h - filling a snapshot, and finishing it. */
#ifndef STOW_MODEL_BUILD_H
#define STOW_MODEL_BUILD_H

#include "base/int128.h"
#include "model/snapshot.h"

struct stow_snapshot *stow_snapshot_new(void);

/* Sorts, drops what was given twice (the last wins), binds pods to nodes and nodes to groups, makes
 * pending pods from workloads that have none, adds up resources. */
int stow_snapshot_finish(struct stow_snapshot *s, struct stow_err *err);

/* A line for the user; formatted into the snapshot. */
int stow_snapshot_warn(struct stow_snapshot *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Lists being collected before they are interned.  Zeroed is a valid empty one. */
struct stow_collect {
    void *items;
    uint32_t count, cap;
};

#define STOW_COLLECT(list, type) \
    ((type *)stow_vec_push(&(list)->items, &(list)->count, &(list)->cap, sizeof(type)))

/* Sort by key or resource; a key that comes twice is left as it is. */
void stow_labels_sort(struct stow_label *labels, uint32_t count);
void stow_exact_sort(struct stow_exact *amounts, uint32_t count);

static inline struct stow_exact stow_exact_of(stow_sym resource, stow_i128 nano)
{
    return (struct stow_exact){resource, 0, (uint64_t)nano, (int64_t)(nano >> 64)};
}

static inline stow_i128 stow_exact_nano(const struct stow_exact *e)
{
    return (stow_i128)(((stow_u128)(uint64_t)e->hi << 64) | e->lo);
}

#endif
