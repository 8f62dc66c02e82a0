/* snapshot.h - loading a cluster from files and asking what is in it.
 *
 *     struct stow_err err;
 *     struct stow_snapshot *s;
 *     if (stow_snapshot_load(paths, count, NULL, &s, &err) < 0) ...;
 *     printf("%u nodes\n", stow_snapshot_count(s, STOW_NODES));
 *     stow_snapshot_unref(s);
 *
 * A snapshot never changes once loaded: any number of threads may read it, and ask about it
 * (ask.h). */
#ifndef STOWAGE_SNAPSHOT_H
#define STOWAGE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <stowage/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stow_snapshot;

/* `size` is sizeof(struct stow_load_options): what later versions add is 0 for those who do not
 * know it. */
struct stow_load_options {
    size_t size;
    const char *sample; /* for --how-many: a file with one Pod or workload.  Its pod is read,
                           finished and set aside, neither running nor pending; NULL: none */
    const char *provider, *region; /* of new nodes that say neither; NULL: not known */
    uint64_t max_input;   /* bytes that one input may have, also when decompressed; 0: 16 GiB */
    bool skip_unreadable; /* files that cannot be read are left out, with a warning */
    bool as_given;   /* take objects as they are; else what they leave out is filled in as the API
                        server would */
    bool moves_pods; /* NodePools offer nodes with the labels that running pods ask for, too.
                        Consolidation needs it where pods that run ask for a label that a NodePool
                        leaves open and no pod that waits asks for; it says so then */
};

/* Reads files, folders (every .yaml, .yml and .json below them, by name), tar archives (likewise)
 * and "-" (standard input) into one snapshot.  All may be compressed with gzip.  `options` may be
 * NULL.  On failure `err` has file, line and column.  The caller owns one reference. */
STOW_API int stow_snapshot_load(const char *const *paths, uint32_t count,
                                const struct stow_load_options *options, struct stow_snapshot **ret,
                                struct stow_err *err);

/* The same from memory; `name` is for messages. */
STOW_API int stow_snapshot_load_text(const char *name, const char *text, size_t len,
                                     const struct stow_load_options *options,
                                     struct stow_snapshot **ret, struct stow_err *err);

STOW_API struct stow_snapshot *stow_snapshot_ref(struct stow_snapshot *s);
STOW_API void stow_snapshot_unref(struct stow_snapshot *s); /* NULL is fine */

enum stow_count {
    STOW_NODES,
    STOW_PODS,
    STOW_PODS_RUNNING, /* bound to a node and not ended */
    STOW_PODS_PENDING, /* waiting for a node, those made from workloads included */
    STOW_GROUPS,
    STOW_POD_SPECS, /* distinct ones */
    STOW_RESOURCES,
    STOW_WARNINGS,
};

STOW_API uint32_t stow_snapshot_count(const struct stow_snapshot *s, enum stow_count what);

/* Names, by index below the count; they live as long as the snapshot. */
STOW_API const char *stow_snapshot_node_name(const struct stow_snapshot *s, uint32_t node);
STOW_API const char *stow_snapshot_group_name(const struct stow_snapshot *s, uint32_t group);
STOW_API const char *stow_snapshot_resource_name(const struct stow_snapshot *s, uint32_t resource);
STOW_API const char *stow_snapshot_warning(const struct stow_snapshot *s, uint32_t warning);

/* The group a node belongs to. */
STOW_API uint32_t stow_snapshot_node_group(const struct stow_snapshot *s, uint32_t node);

/* Milli-cores of cpu, bytes, devices; what pods on the node ask for, and what it offers. */
STOW_API int64_t stow_snapshot_allocatable(const struct stow_snapshot *s, uint32_t node,
                                           uint32_t resource);
STOW_API int64_t stow_snapshot_requested(const struct stow_snapshot *s, uint32_t node,
                                         uint32_t resource);

/* One pod: its names, its node (UINT32_MAX: none) and its request of a resource. */
STOW_API const char *stow_snapshot_pod_namespace(const struct stow_snapshot *s, uint32_t pod);
STOW_API const char *stow_snapshot_pod_name(const struct stow_snapshot *s, uint32_t pod);
STOW_API uint32_t stow_snapshot_pod_node(const struct stow_snapshot *s, uint32_t pod);
STOW_API int64_t stow_snapshot_pod_request(const struct stow_snapshot *s, uint32_t pod,
                                           uint32_t resource);

/* Bytes of memory held, and bytes of input read. */
STOW_API size_t stow_snapshot_bytes(const struct stow_snapshot *s);
STOW_API size_t stow_snapshot_input_bytes(const struct stow_snapshot *s);

#ifdef __cplusplus
}
#endif
#endif
