/* regions.h - which groups of clusters a workload is spread over. */
#ifndef STOW_DIVIDE_KARMADA_REGIONS_H
#define STOW_DIVIDE_KARMADA_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

/* A group: `value` clusters, `weight` its score, `rank` the place of its name. */
struct stow_group_choice {
    int64_t value, weight;
    uint32_t rank;
};

/* Chooses between `min` and `max` groups with at least `target` clusters together, as Karmada's
 * enumeration of all combinations would; writes their indices in Karmada's order into `ret` (room
 * for `count`).  Returns how many: 0 when there is no such choice. */
int stow_choose_groups(const struct stow_group_choice *group, uint32_t count, int64_t min,
                       int64_t max, int64_t target, uint32_t *ret, struct stow_err *err);

#endif
