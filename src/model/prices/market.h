/* market.h - what machines cost in the regions of the clouds: the prices of the catalogue.
 *
 * catalogue/prices as constants: tools/market.py writes them when the library is built.  Nothing
 * is read or allocated when the program starts, and the pages of regions that are not used are
 * never loaded.
 *
 * Prices are whole millionths of the region's currency per hour, as published.  A spot price is
 * of one moment: the lowest and the highest of the region's zones. */
#ifndef STOW_MODEL_PRICES_MARKET_H
#define STOW_MODEL_PRICES_MARKET_H

#include <stdint.h>

#include "base/str.h"
#include "model/nodes/sizes.h"
#include "model/values/money.h"

#define STOW_MARKET_UNKNOWN UINT32_MAX

/* A machine in a region.  Its type is stow_size_table[size].instance_type. */
struct stow_market_offer {
    uint16_t size, source;                   /* indices of stow_size_table, of the sources */
    uint32_t on_demand, spot_low, spot_high; /* millionths per hour; STOW_MARKET_UNKNOWN */
};

/* A table of prices. */
struct stow_market_source {
    char provider[8], currency[4];
    char collected[12]; /* "2026-08-22", "2024-11"; empty: not known */
};

struct stow_market_region {
    const char *provider, *region;         /* "aws", "azure" or "gce", and as the cloud names it */
    const char *currency;                  /* "USD", "CNY" */
    const char *collected;                 /* of most of its prices, as in its source */
    const struct stow_market_offer *offer; /* by type, hence by `size` */
    uint32_t offers;
};

/* All regions, by provider and name. */
extern const struct stow_market_region stow_market_table[];
extern const uint32_t stow_market_regions;
extern const struct stow_market_source stow_market_source_table[];
extern const uint32_t stow_market_sources;

/* A region by its name; gcp is another name of gce, an empty provider: whoever has the region
 * (no two do).  NULL: not in the catalogue. */
const struct stow_market_region *stow_market_find(struct stow_str provider, struct stow_str region);

/* Names of azure, which letters' case does not tell apart, as the catalogue spells them; others as
 * they are. */
struct stow_str stow_azure_region(struct stow_str region);
struct stow_str stow_azure_type(struct stow_str instance_type);

/* What a region offers of a size; NULL: nothing. */
const struct stow_market_offer *stow_market_offer(const struct stow_market_region *region,
                                                  const struct stow_size *size);

/* A price of an offer as money per hour; STOW_MONEY_UNKNOWN. */
static inline stow_nano stow_market_price(uint32_t millionths)
{
    return millionths == STOW_MARKET_UNKNOWN ? STOW_MONEY_UNKNOWN : (stow_nano)millionths * 1000;
}

#endif
