/* catalogue.c - the built-in prices in the words of price books.
 *
 * Every price of the catalogue states its provider, region and type, that the machine runs Linux,
 * and how it is bought; none states a zone.  So at most one fits a question, and it is found by
 * two searches: of the region and of the type in it.  Nothing is loaded beforehand.
 *
 * A spot price is the highest of the region's zones, at one moment: a guess that errs on the safe
 * side, which every answer that rests on it must say.  It is not a history, so that it has no
 * median.
 */
#include "price/catalogue.h"

#include "model/prices/market.h"

static const struct stow_str linux_os = {"linux", 5};

/* What all rows of the catalogue state, in the order of resolve.c. */
static uint32_t rank_of(enum stow_capacity_type capacity)
{
    const struct stow_offer offer = {
        .provider = 1, .region = 1, .instance_type = 1, .os = 1, .capacity_type = capacity};

    return stow_offer_rank(&offer, STOW_LAYER_CATALOGUE);
}

static stow_nano amount_of(const struct stow_market_offer *offer, enum stow_capacity_type capacity)
{
    if (capacity == STOW_CAPACITY_ON_DEMAND)
        return stow_market_price(offer->on_demand);
    return capacity == STOW_CAPACITY_SPOT ? stow_market_price(offer->spot_high)
                                          : STOW_MONEY_UNKNOWN;
}

static struct stow_resolved priced(const struct stow_market_region *region,
                                   const struct stow_market_offer *offer,
                                   enum stow_capacity_type capacity)
{
    const bool spot = capacity == STOW_CAPACITY_SPOT;

    return (struct stow_resolved){
        .price = amount_of(offer, capacity),
        .list = amount_of(offer, capacity),
        .currency = stow_str_of(region->currency),
        .layer = STOW_LAYER_CATALOGUE,
        .source = spot ? STOW_STR(STOW_ONE_MOMENT) : STOW_STR("catalogue"),
        .collected = stow_market_source_table[offer->source].collected,
        .rank = rank_of(capacity),
        .effective = STOW_TIME_ALWAYS,
        .one_moment = spot,
    };
}

static const struct stow_market_region *region_of(const struct stow_offer_texts *asked)
{
    if (!asked->region.len || (!asked->provider.len && !asked->any_provider) ||
        (asked->os.len && !stow_str_eq(asked->os, linux_os)))
        return NULL;
    return stow_market_find(asked->any_provider ? STOW_STR("") : asked->provider, asked->region);
}

bool stow_catalogue_price(const struct stow_offer_texts *asked, struct stow_resolved *ret)
{
    const struct stow_market_region *region = region_of(asked);
    const struct stow_size *size =
        region ? stow_size_find(stow_str_of(region->provider), asked->instance_type) : NULL;
    const struct stow_market_offer *offer = size ? stow_market_offer(region, size) : NULL;

    if (!offer || amount_of(offer, asked->capacity_type) == STOW_MONEY_UNKNOWN)
        return false;
    *ret = priced(region, offer, asked->capacity_type);
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int take_offer(const struct stow_market_region *region,
                      const struct stow_market_offer *offer, stow_row_taker *take, void *context)
{
    static const enum stow_capacity_type capacities[] = {STOW_CAPACITY_ON_DEMAND,
                                                         STOW_CAPACITY_SPOT};

    for (size_t i = 0; i < sizeof(capacities) / sizeof(capacities[0]); i++) {
        const struct stow_books_row row = {
            .offer = {.provider = stow_str_of(region->provider),
                      .region = stow_str_of(region->region),
                      .instance_type = stow_str_of(stow_size_table[offer->size].instance_type),
                      .os = linux_os,
                      .capacity_type = capacities[i]},
            .price = priced(region, offer, capacities[i]),
        };

        if (row.price.price != STOW_MONEY_UNKNOWN)
            STOW_TRY(take(context, &row));
    }
    return STOW_OK;
}

static int walk_type(const struct stow_market_region *region, struct stow_str type,
                     stow_row_taker *take, void *context)
{
    const struct stow_size *size = stow_size_find(stow_str_of(region->provider), type);
    const struct stow_market_offer *offer = size ? stow_market_offer(region, size) : NULL;

    return offer ? take_offer(region, offer, take, context) : STOW_OK;
}

int stow_catalogue_walk(struct stow_str instance_type, stow_row_taker *take, void *context)
{
    for (uint32_t r = 0; r < stow_market_regions; r++) {
        const struct stow_market_region *region = &stow_market_table[r];

        if (instance_type.len) {
            STOW_TRY(walk_type(region, instance_type, take, context));
            continue;
        }
        for (uint32_t i = 0; i < region->offers; i++)
            STOW_TRY(take_offer(region, &region->offer[i], take, context));
    }
    return STOW_OK;
}
