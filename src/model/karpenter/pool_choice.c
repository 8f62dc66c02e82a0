/* pool_choice.c - which machines a pool admits. */
#include "model/karpenter/pool_choice.h"

#include "model/karpenter/pool_labels.h"

bool stow_pool_takes_type(const struct stow_value_sets *pool, const struct stow_value_sets *labels,
                          enum stow_class_form form, const struct stow_value_set **ret)
{
    static const struct stow_value_set missing = {.values = 0};

    for (uint32_t i = 0; i < pool->count; i++) {
        const struct stow_value_set *set = &pool->set[i];
        const struct stow_value_set *own = stow_value_sets_find(labels, set->key);

        if (!own && stow_label_is_known_to(form, set->key) &&
            !stow_str_is(set->key, STOW_NODEPOOL_LABEL))
            own = &missing;
        if (own && !stow_value_set_agrees(own, set)) {
            *ret = set;
            return false;
        }
    }
    return true;
}

static bool agrees_on(const struct stow_value_sets *pool, const char *key, struct stow_str value)
{
    const struct stow_value_set *set = stow_value_sets_find(pool, stow_str_of(key));
    const struct stow_value_set own = {.value = &value, .values = value.len > 0};

    return !set || stow_value_set_agrees(set, &own);
}

bool stow_pool_takes_offering(const struct stow_value_sets *pool, struct stow_str zone,
                              struct stow_str capacity_type)
{
    static const char *const reservation[] = {
        "karpenter.k8s.aws/capacity-reservation-id", "karpenter.k8s.aws/capacity-reservation-type",
        "karpenter.k8s.aws/capacity-reservation-interruptible"};

    if ((zone.len && !agrees_on(pool, "topology.kubernetes.io/zone", zone)) ||
        !agrees_on(pool, STOW_CAPACITY_LABEL, capacity_type))
        return false;
    for (size_t i = 0; i < sizeof(reservation) / sizeof(reservation[0]); i++)
        if (!agrees_on(pool, reservation[i], STOW_STR("")))
            return false;
    return true;
}

uint32_t stow_pool_values(const struct stow_value_set *set,
                          const struct stow_value_sets *const *labels, uint32_t types,
                          struct stow_arena *arena)
{
    struct stow_str *seen = stow_arena_alloc(arena, (set->min_values + 1) * sizeof(*seen));
    uint32_t count = 0;

    for (uint32_t t = 0; seen && t < types && count < set->min_values; t++) {
        const struct stow_value_set *own = stow_value_sets_find(labels[t], set->key);

        for (uint32_t v = 0; own && v < own->values && count < set->min_values; v++) {
            uint32_t at = 0;

            while (at < count && !stow_str_eq(seen[at], own->value[v]))
                at++;
            if (at == count && stow_value_set_has(set, own->value[v]))
                seen[count++] = own->value[v];
        }
    }
    return count;
}
