/* pool_groups.h - NodePools as groups of nodes: steps of finishing a snapshot (finish.c). */
#ifndef STOW_MODEL_KARPENTER_POOL_GROUPS_H
#define STOW_MODEL_KARPENTER_POOL_GROUPS_H

#include "model/karpenter/pool.h"

/* Makes a group for each instance type, zone and capacity type that a pool admits.  Pools and node
 * classes are in order; groups are sorted afterwards. */
int stow_expand_pools(struct stow_snapshot *s);

#endif
