/* zones.h - what names of zones and provider ids tell: provider, zone and region of a node. */
#ifndef STOW_MODEL_NODES_ZONES_H
#define STOW_MODEL_NODES_ZONES_H

#include "base/str.h"

/* How books spell a provider: gce of gcp, and known names in small letters; others as they are. */
struct stow_str stow_provider_name(struct stow_str provider);

/* "aws" of "aws:///us-east-1a/i-0abc"; empty: the id does not say. */
struct stow_str stow_provider_of(struct stow_str provider_id);

/* The zone in a provider id of aws or gce; empty: it has none. */
struct stow_str stow_provider_zone(struct stow_str provider_id);

/* The region that a zone is in, where the provider names zones after regions: us-east-1 of
 * us-east-1a (aws), us-central1 of us-central1-a (gce), eastus of eastus-1 (azure).  An empty
 * provider: by the forms of aws and gce.  Empty: the name does not tell. */
struct stow_str stow_zone_region(struct stow_str provider, struct stow_str zone);

/* The place whose prices hold in a zone of a region.  Local Zones and Wavelength Zones of aws have
 * prices of their own, under the name of their group: us-west-2-lax-1 of us-west-2-lax-1a.  Of
 * other zones it is the region. */
struct stow_str stow_price_region(struct stow_str provider, struct stow_str region,
                                  struct stow_str zone);

/* Whether the provider names its regions so; false for providers whose names have no form. */
bool stow_region_is_of(struct stow_str provider, struct stow_str region);

#endif
