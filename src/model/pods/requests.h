/* requests.h - what a pod asks for. */
#ifndef STOW_MODEL_PODS_REQUESTS_H
#define STOW_MODEL_PODS_REQUESTS_H

#include "model/build.h"
#include "model/values/quantity.h"

struct stow_request_rules {
    bool defaults;       /* containers without cpu or memory count 100m and 200Mi */
    bool skip_overhead;  /* leave spec.overhead out */
    bool skip_pod_level; /* leave spec.resources out */
};

/* The effective request of a spec as exact amounts: keys that nothing names are absent, names are
 * not filtered.  Appends stow_exact to `ret`, sorted by handle; < 0 when out of memory. */
int stow_requests_exact(const struct stow_snapshot *s, const struct stow_pod_spec *spec,
                        struct stow_request_rules rules, struct stow_collect *ret);

/* Whether spec.resources requests anything that may be requested there (cpu, memory, huge pages).
 */
bool stow_requests_pod_level(const struct stow_snapshot *s, const struct stow_pod_spec *spec);

/* Adds or raises an amount in a list that is being collected. */
int stow_exact_add(struct stow_collect *list, stow_sym resource, stow_i128 nano);

/* The amount of a resource in a list, and whether it is there at all. */
bool stow_exact_find(const struct stow_exact *list, uint32_t count, stow_sym resource,
                     stow_i128 *ret);

#endif
