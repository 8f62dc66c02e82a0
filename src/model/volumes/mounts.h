/* mounts.h - volumes that count against the limit of their driver.
 *
 * A node takes a limited number of volumes of a driver (stow_volume_limit).  Two pods on a node
 * that use the same volume need it there once.  Made when a snapshot is finished and any node,
 * existing or not, has a limit; only drivers with a limit are in it. */
#ifndef STOW_MODEL_VOLUMES_MOUNTS_H
#define STOW_MODEL_VOLUMES_MOUNTS_H

#include "model/snapshot.h"

/* A volume, and who uses it. */
struct stow_mount {
    uint32_t driver;            /* number in `driver` */
    uint32_t first_user, users; /* in `user`: pods that name it, running or waiting, ascending */
    uint32_t first_at, ats;     /* in `at`: nodes that have it though no pod there uses it */
};

struct stow_mounts {
    stow_sym *driver; /* in order of names */
    uint32_t drivers;
    struct stow_mount *mount;
    uint32_t mounts;
    stow_pod_id *user;
    stow_sym *at;           /* names of nodes */
    struct stow_intern key; /* what a volume is: its mount + 1 */
};

void stow_mounts_free(struct stow_mounts *mounts);

/* A step of finishing, after all that changes pods, nodes and their specs. */
int stow_find_mounts(struct stow_snapshot *s);

/* How many volumes of a driver a node takes; -1: no limit. */
int32_t stow_volume_limit(const struct stow_snapshot *s, const struct stow_node *node,
                          uint32_t driver);

/* One volume of a pod. */
struct stow_mounted {
    uint32_t driver;
    uint32_t mount; /* STOW_NONE: made for the pod, not shared */
};

/* Walks over the volumes of a pod that count: each once.
 *
 *     struct stow_mount_walk walk = stow_mount_walk(s, namespace, spec);
 *     while (stow_mount_next(&walk, &mounted)) ... */
struct stow_mount_walk {
    const struct stow_snapshot *s;
    stow_sym namespace;
    const stow_sym *claim;
    const struct stow_disk *disk;
    const struct stow_own_claim *own;
    uint32_t claims, disks, owns;
    uint32_t at;
};

struct stow_mount_walk stow_mount_walk(const struct stow_snapshot *s, stow_sym namespace,
                                       const struct stow_pod_spec *spec);
bool stow_mount_next(struct stow_mount_walk *walk, struct stow_mounted *ret);

/* Whether only this pod can have brought the volume to a node. */
static inline bool stow_mount_is_private(const struct stow_snapshot *s,
                                         const struct stow_mounted *mounted,
                                         const struct stow_pod *pod)
{
    const struct stow_mounts *m = s->mounts;
    const struct stow_mount *mount;

    if (mounted->mount == STOW_NONE)
        return true;
    mount = &m->mount[mounted->mount];
    return mount->ats == 0 &&
           (mount->users == 0 || (mount->users == 1 && &s->pod[m->user[mount->first_user]] == pod));
}

#endif
