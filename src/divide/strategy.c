/* strategy.c - the strategies by name, and what they share. */
#include "divide/strategy.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/vec.h"
#include "divide/divide_internal.h"

static const char *const names[STOW_DIVISION_STRATEGIES] = {
    [STOW_DIVIDE_AS_PLACED] = "as placed",        [STOW_DIVIDE_DUPLICATED] = "Duplicated",
    [STOW_DIVIDE_STATIC_WEIGHT] = "StaticWeight", [STOW_DIVIDE_DYNAMIC_WEIGHT] = "DynamicWeight",
    [STOW_DIVIDE_AGGREGATED] = "Aggregated",      [STOW_DIVIDE_COST_OPTIMIZED] = "CostOptimized",
    [STOW_DIVIDE_UNSUPPORTED] = "unsupported",
};

const char *stow_division_strategy_name(enum stow_division_strategy strategy)
{
    return names[strategy];
}

bool stow_division_strategy_parse(struct stow_str text, enum stow_division_strategy *ret)
{
    for (uint32_t i = STOW_DIVIDE_DUPLICATED; i <= STOW_DIVIDE_COST_OPTIMIZED; i++)
        if (stow_str_is(text, names[i])) {
            *ret = (enum stow_division_strategy)i;
            return true;
        }
    return false;
}

const char *stow_divide_outcome_name(enum stow_divide_outcome outcome)
{
    static const char *const texts[] = {
        [STOW_DIVIDE_SUCCESS] = "Success",
        [STOW_DIVIDE_NO_CLUSTER_FIT] = "NoClusterFit",
        [STOW_DIVIDE_UNSCHEDULABLE] = "Unschedulable",
        [STOW_DIVIDE_ERROR] = "SchedulerError",
    };

    return texts[outcome];
}

const struct stow_divide_strategy *stow_divide_strategy(enum stow_division_strategy strategy)
{
    static const struct stow_divide_strategy *const table[STOW_DIVISION_STRATEGIES] = {
        [STOW_DIVIDE_DUPLICATED] = &stow_divide_duplicated,
        [STOW_DIVIDE_STATIC_WEIGHT] = &stow_divide_static_weight,
        [STOW_DIVIDE_DYNAMIC_WEIGHT] = &stow_divide_dynamic_weight,
        [STOW_DIVIDE_AGGREGATED] = &stow_divide_aggregated,
        [STOW_DIVIDE_COST_OPTIMIZED] = &stow_divide_cost_optimized,
    };

    return table[strategy];
}

int stow_decision_fail(struct stow_binding_decision *d, struct stow_err *err,
                       enum stow_divide_outcome outcome, const char *fmt, ...)
{
    STOW_AUTO(stow_free_local) char *text = NULL;
    va_list args;

    va_start(args, fmt);

    int len = vasprintf(&text, fmt, args);

    va_end(args);
    if (len < 0) {
        text = NULL;
        return stow_fail_memory(err);
    }
    d->outcome = outcome;
    d->message = stow_arena_text(d->arena, (struct stow_str){text, (size_t)len});
    return d->message ? STOW_DECISION_FAILED : stow_fail_memory(err);
}

int stow_decision_warn(struct stow_binding_decision *d, struct stow_err *err, const char *fmt, ...)
{
    STOW_AUTO(stow_free_local) char *text = NULL;
    struct stow_division *to = d->division;
    va_list args;

    va_start(args, fmt);

    int len = vasprintf(&text, fmt, args);

    va_end(args);
    if (len < 0) {
        text = NULL;
        return stow_fail_memory(err);
    }
    for (uint32_t i = 0; i < to->warnings; i++) /* of an affinity term tried before */
        if (strcmp(to->warning[i], text) == 0)
            return STOW_OK;

    const char *copy = stow_arena_text(d->arena, (struct stow_str){text, (size_t)len});
    const char **kept = copy ? STOW_PUSH(&to->warning, &to->warnings, &to->warning_cap) : NULL;

    if (!kept)
        return stow_fail_memory(err);
    *kept = copy;
    return STOW_OK;
}

void stow_decision_give(struct stow_binding_decision *d, stow_sym cluster, int32_t replicas)
{
    stow_cluster_id id = stow_decision_cluster(d, cluster);

    if (id != STOW_NONE) {
        int32_t *to = &d->cluster[id].replicas;

        *to = (*to < 0 ? 0 : *to) + replicas;
        return;
    }
    for (uint32_t i = 0; i < d->losts; i++)
        if (d->lost[i].cluster == cluster) {
            d->lost[i].replicas += replicas;
            return;
        }
    d->lost[d->losts++] = (struct stow_target){cluster, replicas};
}
