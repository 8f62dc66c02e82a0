/* placement.c - where scaling-advisor says a node is.
 *
 * Upstream fails the whole request at its very end when one node lacks one of the
 * labels.  Here such a node is counted nowhere, and a warning says so (groups.c). */
#include "model/nodes/placement.h"

const char *stow_placement_of(const struct stow_snapshot *s, const struct stow_node *node,
                              struct stow_node_placement *ret)
{
    struct stow_node_placement made;
    stow_sym unused;
    const struct {
        const char *label;
        stow_sym *to;
    } wanted[] = {
        {"node.kubernetes.io/instance-type", &made.instance_type},
        {"kubernetes.io/arch", &unused},
        {"topology.kubernetes.io/zone", &made.zone},
        {"topology.kubernetes.io/region", &made.region},
        {"kubernetes.io/hostname", &unused},
        {STOW_POOL_LABEL, &made.pool},
        {STOW_TEMPLATE_LABEL, &made.template},
    };

    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        stow_sym key = stow_intern_find(&s->text, stow_str_of(wanted[i].label));
        stow_sym value =
            key == STOW_INTERN_FAILED ? STOW_NONE : stow_label_value(s, node->labels, key);

        if (value == STOW_NONE)
            return wanted[i].label;
        *wanted[i].to = value;
    }
    *ret = made;
    return NULL;
}
