/* zones.h - the domains of a rule as one class of pods sees them: what parts.c and shared.c share.
 */
#ifndef STOW_SCALE_CHEAPEST_ZONES_H
#define STOW_SCALE_CHEAPEST_ZONES_H

#include "scale/cheapest/parts.h"

/* The domains of one topology, as one class sees them. */
struct stow_zones {
    const struct stow_yard *yard;
    const struct stow_topology *topology;
    uint32_t class;
    double *price;   /* per domain: of one pod; < 0: nothing there takes it */
    uint32_t *count; /* per domain: matching pods there */
    uint32_t *given; /* per domain: pods of the class that go there */
    uint32_t *had;   /* per domain: this many of them a plan has there already */
    bool *exists;    /* per domain: it counts for the smallest */
    int64_t max_skew, min_domains;
    bool self, apart, together;
};

/* The overlay of the first rule of the class over something else than hosts; NULL: none. */
const struct stow_overlay *stow_zone_rule(const struct stow_yard *yard, uint32_t class,
                                          struct stow_zones *ret);

/* What a pod costs in each domain, and how many count there; lies in the arena. */
int stow_zones_open(struct stow_session *session, const struct stow_weights *weights,
                    const struct stow_overlay *overlay, struct stow_arena *arena,
                    struct stow_zones *zones);

/* Gives pods to domains: those of a plan (`like`; NULL: none) where it has them, the others to the
 * cheapest first, as far as the rule allows; how many are left. */
uint32_t stow_zones_give(struct stow_zones *zones, const struct stow_record *like, uint32_t pods);

/* The part of the class that goes to one domain. */
int stow_zone_part(const struct stow_session *session, const struct stow_zones *zones,
                   uint32_t domain, struct stow_arena *arena, struct stow_part *ret);

#endif
