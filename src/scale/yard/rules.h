/* rules.h - what the files of the yard share. */
#ifndef STOW_SCALE_YARD_RULES_H
#define STOW_SCALE_YARD_RULES_H

#include "place/counts/tally.h"
#include "scale/yard/yard.h"

/* class.c: the classes of the pods, and what decides where each may go. */
int stow_yard_sort_pods(struct stow_yard *yard, const stow_pod_id *pods, uint32_t count);
int stow_yard_ask_rules(struct stow_yard *yard);

/* rules.c: rules over several pods. */
bool stow_yard_spread_allows(struct stow_yard *yard, struct stow_yard_class *class, uint32_t node);
bool stow_yard_affinity_allows(const struct stow_yard *yard, const struct stow_yard_class *class,
                               uint32_t node);
void stow_yard_count(struct stow_yard *yard, const struct stow_yard_class *class, uint32_t node,
                     int64_t change);

/* volumes.c: dimensions for drivers with a limit, after those of resources; then, per class,
 * what it needs of them.  < 0: out of memory. */
int stow_yard_find_drivers(struct stow_yard *yard, const stow_pod_id *pods, uint32_t count);
int stow_yard_find_volumes(struct stow_yard *yard);

/* What a node of the state has left of a driver's dimension. */
int64_t stow_yard_volume_room(const struct stow_yard *yard, uint32_t dim, stow_node_id node);

/* Whether another pod has a claim that one only may have. */
bool stow_yard_claim_taken(const struct stow_yard *yard, const struct stow_yard_class *class);

/* Volumes and claims that are shared. */
bool stow_yard_volumes_allow(const struct stow_yard *yard, const struct stow_yard_class *class,
                             uint32_t node);
void stow_yard_use_volumes(struct stow_yard *yard, const struct stow_yard_class *class,
                           uint32_t node, int64_t change);

/* The newest node is about to go: its domain is no longer one, for spreading. */
void stow_yard_leave_domains(struct stow_yard *yard, uint32_t node);

/* Pods of a class with constraints come or go. */
void stow_yard_count_own(struct stow_yard *yard, struct stow_yard_class *class, uint32_t node,
                         int64_t change);

/* Whether a node that is being emptied, and what is on it, does not count for an overlay. */
static inline bool stow_yard_hides(const struct stow_yard *yard, const struct stow_overlay *o,
                                   uint32_t node)
{
    const uint8_t drain = yard->drained && node < yard->real ? yard->drained[node] : 0;

    return drain && o->reached && (drain >= STOW_DRAIN_AWAY || o->cordon_hides);
}

/* Which of the domains of an overlay real nodes reach; < 0: out of memory. */
int stow_yard_reach(struct stow_yard *yard, struct stow_overlay *overlay);

/* The node of the state that stands for a node of the yard: itself, or the fresh one of its group.
 */
static inline stow_node_id stow_yard_template(const struct stow_yard *yard, uint32_t node)
{
    return node < yard->real ? node : yard->group[yard->group_of[node - yard->real]].fresh;
}

#endif
