/* roster.h - the members of a fleet that are given by their own objects: nodes, pods, groups.
 *
 *     struct stow_roster roster = {0};
 *     for each member:
 *         STOW_TRY(stow_roster_add(&roster, &member, err));
 *     STOW_TRY(stow_roster_join(&roster, fleet, err));     before a divider and costs are made
 *     STOW_TRY(stow_divide_costs_new(fleet, &policy, &costs, err));
 *     STOW_TRY(stow_roster_price(&roster, &prices, costs, err));
 *     for each binding:
 *         STOW_TRY(stow_divide_room(costs, binding, room, err));
 *         options.estimate = room, options.estimate_decides = true;
 *     stow_divide_costs_free(costs);
 *     stow_roster_done(&roster);
 *
 * The joint division asks the costs for room itself. */
#ifndef STOW_DIVIDE_MEMBERS_ROSTER_H
#define STOW_DIVIDE_MEMBERS_ROSTER_H

#include "divide/cost/price.h"

/* A member and the files with its objects. */
struct stow_roster_files {
    const char *name;
    const char *const *path;
    uint32_t paths;
    const struct stow_load_options *load; /* may be NULL */
};

struct stow_rostered {
    char *name;
    struct stow_snapshot *s;
    struct stow_books books; /* of a member with PriceBooks of its own */
    struct stow_bill bill;   /* of its nodes */
    stow_nano *group_price;  /* of a node that a group could buy */
};

/* Zeroed is a valid empty one. */
struct stow_roster {
    struct stow_rostered *member; /* in the order in which they were added */
    uint32_t members, member_cap;
};

struct stow_roster_prices {
    const struct stow_books *books; /* that all members share */
    struct stow_bill_options bill;  /* where neither nodes nor Clusters say more */
    bool provisionable;             /* what groups could still buy counts as room */
};

/* Reads the objects of a member.  An error: a name that no cluster can have, or one that was added
 * before. */
int stow_roster_add(struct stow_roster *roster, const struct stow_roster_files *files,
                    struct stow_err *err);

/* Makes them clusters of the fleet, or fills in what its Clusters leave open (model/fleet/join.h).
 */
int stow_roster_join(const struct stow_roster *roster, struct stow_snapshot *fleet,
                     struct stow_err *err);

/* Prices their nodes, and room there, for the costs of the fleet they joined.  Must outlive them;
 * once per roster. */
int stow_roster_price(struct stow_roster *roster, const struct stow_roster_prices *prices,
                      struct stow_divide_costs *costs, struct stow_err *err);

void stow_roster_done(struct stow_roster *roster);

#endif
