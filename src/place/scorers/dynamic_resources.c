/* dynamic_resources.c - kube-scheduler's DynamicResources for pods whose claims, if any, are
 * allocated: 0 everywhere.  Others are not placed (filters/dynamic_resources.c).
 *
 * Here so that a profile of kube-scheduler's shows all the scorers that upstream shows. */
#include <string.h>

#include "place/rules.h"

static void score(const void *self, const void *prep, const struct stow_state *state,
                  const struct stow_subject *pod, const stow_node_id *nodes, uint32_t count,
                  double *raw)
{
    (void)self;
    (void)prep;
    (void)state;
    (void)pod;
    (void)nodes;
    memset(raw, 0, count * sizeof(*raw));
}

const struct stow_scorer_rule stow_score_dynamic_resources = {
    .name = "dynamic-resources",
    .plugin = "DynamicResources",
    .summary = "0 everywhere; here so that kube-scheduler's profile is complete",
    .scope = STOW_SCOPE_STATIC,
    .weight = 2,
    .score = score,
};
