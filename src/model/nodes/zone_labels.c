/* zone_labels.c - labels by which CSI drivers name a node's zone. */
#include "model/nodes/zone_labels.h"

#include <stdlib.h>

#include "base/vec.h"

const struct stow_driver_label stow_driver_labels[] = {
    {"aws", "topology.ebs.csi.aws.com/zone", false, false},
    {"azure", "topology.disk.csi.azure.com/zone", false, true},
    {"gce", "topology.gke.io/zone", false, false},
    {"openstack", "topology.cinder.csi.openstack.org/zone", false, false},
    {"alicloud", "topology.diskplugin.csi.alibabacloud.com/zone", false, false},
    {"scaleway", "topology.csi.scaleway.com/zone", false, false},
    {"hcloud", "csi.hetzner.cloud/location", true, false},
    {"linode", "topology.linode.com/region", true, false},
    {"digitalocean", "region", true, false},
};

const size_t stow_driver_labels_count = sizeof(stow_driver_labels) / sizeof(stow_driver_labels[0]);

bool stow_label_names_zone(struct stow_str key)
{
    static const struct stow_str start = {"topology.", 9}, end = {"/zone", 5};

    return stow_str_starts(key, start) && key.len > start.len + end.len &&
           memcmp(key.ptr + key.len - end.len, end.ptr, end.len) == 0;
}

static bool names_zone(const struct stow_snapshot *s, stow_sym key)
{
    return key != STOW_SYM_ZONE && stow_label_names_zone(stow_text(s, key));
}

static bool is_last(const struct stow_zone_labels *labels, struct stow_zone_label item)
{
    const struct stow_zone_label *last = labels->count ? &labels->item[labels->count - 1] : NULL;

    return last && last->zone == item.zone && last->key == item.key && last->value == item.value;
}

int stow_zone_labels_add(const struct stow_snapshot *s, const struct stow_node *node, stow_sym zone,
                         struct stow_zone_labels *to)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, node->labels, struct stow_label, &count);

    for (uint32_t i = 0; i < count && zone != STOW_NONE; i++) {
        const struct stow_zone_label item = {zone, list[i].key, list[i].value};

        if (!names_zone(s, item.key) || is_last(to, item))
            continue;

        struct stow_zone_label *made = STOW_PUSH(&to->item, &to->count, &to->cap);

        if (!made)
            return STOW_ENOMEM;
        *made = item;
    }
    return STOW_OK;
}

static int compare(const void *a, const void *b)
{
    const struct stow_zone_label *x = a, *y = b;

    if (x->zone != y->zone)
        return x->zone < y->zone ? -1 : 1;
    return x->key == y->key ? 0 : x->key < y->key ? -1 : 1;
}

void stow_zone_labels_sort(struct stow_zone_labels *labels)
{
    uint32_t kept = 0;

    if (!labels->count)
        return;
    qsort(labels->item, labels->count, sizeof(*labels->item), compare);
    for (uint32_t i = 1; i < labels->count; i++) {
        struct stow_zone_label *last = &labels->item[kept];

        if (compare(last, &labels->item[i]) != 0)
            labels->item[++kept] = labels->item[i];
        else if (last->value != labels->item[i].value)
            last->value = STOW_NONE;
    }
    labels->count = kept + 1;
}
