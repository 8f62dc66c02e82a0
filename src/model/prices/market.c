/* market.c - looking up regions and what they offer. */
#include "model/prices/market.h"

#include <assert.h>
#include <string.h>

static int compare(const struct stow_market_region *region, struct stow_str provider,
                   struct stow_str name)
{
    int order = stow_str_cmp(stow_str_of(region->provider), provider);

    return order ? order : stow_str_cmp(stow_str_of(region->region), name);
}

static const struct stow_market_region *find_of(struct stow_str provider, struct stow_str name)
{
    uint32_t low = 0, high = stow_market_regions;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = compare(&stow_market_table[middle], provider, name);

        if (order == 0)
            return &stow_market_table[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const struct stow_market_region *find_anywhere(struct stow_str name)
{
    for (uint32_t i = 0; i < stow_market_regions; i++)
        if (stow_str_is(name, stow_market_table[i].region))
            return &stow_market_table[i];
    return NULL;
}

const struct stow_market_region *stow_market_find(struct stow_str provider, struct stow_str region)
{
    if (!provider.len)
        return find_anywhere(region);
    return find_of(stow_str_is(provider, "gcp") ? STOW_STR("gce") : provider, region);
}

struct stow_str stow_azure_region(struct stow_str region)
{
    for (uint32_t i = 0; i < stow_market_regions; i++)
        if (stow_str_eq_nocase(region, stow_str_of(stow_market_table[i].region)) &&
            strcmp(stow_market_table[i].provider, "azure") == 0)
            return stow_str_of(stow_market_table[i].region);
    return region;
}

struct stow_str stow_azure_type(struct stow_str instance_type)
{
    if (stow_size_find(STOW_STR("azure"), instance_type))
        return instance_type;
    for (uint32_t i = 0; i < stow_sizes; i++)
        if (stow_str_eq_nocase(instance_type, stow_str_of(stow_size_table[i].instance_type)) &&
            strcmp(stow_size_table[i].provider, "azure") == 0)
            return stow_str_of(stow_size_table[i].instance_type);
    return instance_type;
}

const struct stow_market_offer *stow_market_offer(const struct stow_market_region *region,
                                                  const struct stow_size *size)
{
    const ptrdiff_t number = size - stow_size_table;
    uint32_t low = 0, high = region->offers;

    assert(number >= 0 && number < stow_sizes);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (region->offer[middle].size < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < region->offers && region->offer[low].size == number ? &region->offer[low] : NULL;
}
