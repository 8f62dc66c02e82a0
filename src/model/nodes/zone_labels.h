/* zone_labels.h - labels by which CSI drivers name a node's zone.
 *
 * Volumes and allowedTopologies name the label of the driver that makes them, not
 * topology.kubernetes.io/zone.  Kubelet puts that label on a node when the driver registers there,
 * so who states only the zone of a new node has not said it.  Nodes in the same zone tell; where
 * there are none, what the drivers of the clouds are known to do. */
#ifndef STOW_MODEL_NODES_ZONE_LABELS_H
#define STOW_MODEL_NODES_ZONE_LABELS_H

#include "model/build.h"

struct stow_zone_label {
    stow_sym zone, key, value; /* value STOW_NONE: nodes of the zone do not agree */
};

/* What nodes tell, one for each zone and key once it is sorted. */
struct stow_zone_labels {
    struct stow_zone_label *item;
    uint32_t count, cap;
};

/* Whether a label is topology.DRIVER/zone, of any driver. */
bool stow_label_names_zone(struct stow_str key);

/* Of one node in a zone; < 0: out of memory. */
int stow_zone_labels_add(const struct stow_snapshot *s, const struct stow_node *node, stow_sym zone,
                         struct stow_zone_labels *to);
void stow_zone_labels_sort(struct stow_zone_labels *labels);

/* What the driver of a cloud's disks calls its label. */
struct stow_driver_label {
    const char *provider, *key;
    bool region; /* its value is the region, else the zone */
    bool
        numbered; /* zones that are numbers are written REGION-NUMBER, and 0, no zone, as nothing */
};

extern const struct stow_driver_label stow_driver_labels[];
extern const size_t stow_driver_labels_count;

#endif
