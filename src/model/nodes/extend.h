/* extend.h - a snapshot with nodes that do not exist yet.
 *
 * The extension shares everything with the snapshot but the nodes and their
 * columns: first the nodes of the snapshot with the same ids, then the nodes on their
 * way (s->upcoming), then, when asked for, a fresh node of each group (s->fresh).  After the pods
 * of the snapshot come those that DaemonSets put on these nodes, and copies of the residents of
 * their groups (resident.h): what they request is in the
 * columns (which daemonOverhead may replace), and rules over ports, volumes and other pods see
 * them. It must not outlive the snapshot. */
#ifndef STOW_MODEL_NODES_EXTEND_H
#define STOW_MODEL_NODES_EXTEND_H

#include "model/snapshot.h"

struct stow_extension {
    struct stow_snapshot s;
    uint32_t real;       /* nodes of the snapshot and on their way */
    stow_node_id *fresh; /* per group: its fresh node, STOW_NONE: it has none (or not asked for) */
};

int stow_extend(const struct stow_snapshot *s, bool with_fresh, struct stow_extension *ret,
                struct stow_err *err);
void stow_extension_done(struct stow_extension *extension);

#endif
