/* sizes.c - looking up what machines of an instance type have. */
#include "model/sizes.h"

/* The first row that is not before `type`. */
static uint32_t lower_bound(struct stow_str type)
{
    uint32_t low = 0, high = stow_sizes;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (stow_str_cmp(stow_str_of(stow_size_table[middle].instance_type), type) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct stow_size *stow_size_find(struct stow_str provider, struct stow_str instance_type)
{
    for (uint32_t i = lower_bound(instance_type); i < stow_sizes; i++) {
        const struct stow_size *size = &stow_size_table[i];

        if (!stow_str_is(instance_type, size->instance_type))
            break;
        if (!provider.len || stow_str_is(provider, size->provider))
            return size;
    }
    return NULL;
}
