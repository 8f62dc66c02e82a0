/* pool_overlays.h - NodeOverlays put on the groups of NodePools: a step of expanding them. */
#ifndef STOW_MODEL_KARPENTER_POOL_OVERLAYS_H
#define STOW_MODEL_KARPENTER_POOL_OVERLAYS_H

#include "model/karpenter/pool.h"

/* Groups of pools have their labels and amounts; prices are changed when they are looked up. */
int stow_apply_overlays(struct stow_snapshot *s);

#endif
