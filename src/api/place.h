/* place.h - what the ways of `stowage place` share: the cluster, the profiles, and the cluster
 * made ready for one of them. */
#ifndef STOW_API_PLACE_H
#define STOW_API_PLACE_H

#include "api/cluster.h"
#include "place/place.h"

#define STOW_PLACE_DEFAULT "kube-default" /* what the cluster's own scheduler would do */

/* What decides: a shipped profile, a Policy, or the profiles of a scheduler's configuration. */
struct stow_call_contender {
    const char *name;
    struct stow_profiles profiles;
};

#define STOW_CONTENDERS_MAX 32

struct stow_call_placing {
    struct stow_call *call;
    struct stow_call_cluster cluster;
    struct stow_keys keys; /* of the snapshot, before a profile brought its own */
    struct stow_call_contender contender[STOW_CONTENDERS_MAX];
    uint32_t contenders;
};

/* The cluster with prices as one contender wants it. */
struct stow_call_turn {
    struct stow_bill bill;
    struct stow_node_money *money;
    struct stow_state state;
};

/* The contender that --policy and --profile name. */
int stow_call_contender_open(struct stow_call_placing *p, struct stow_err *err);

/* Those of --compare, in the order of the answer. */
int stow_call_contenders_open(struct stow_call_placing *p, struct stow_err *err);

/* Reads the cluster, with all that the contenders want kept of it. */
int stow_call_placing_load(struct stow_call_placing *p, struct stow_err *err);
void stow_call_placing_done(struct stow_call_placing *p);

/* Ends with stow_call_turn_done in any case; one at a time. */
int stow_call_turn_open(struct stow_call_placing *p, const struct stow_call_contender *contender,
                        struct stow_call_turn *ret, struct stow_err *err);
void stow_call_turn_done(struct stow_call_turn *turn);

/* The other ways: `--compare` and `--how-many`. */
struct stow_writing;

struct stow_call_comparison;
int stow_call_place_compare(struct stow_call_placing *placing, struct stow_call_comparison **ret,
                            struct stow_err *err);
int stow_call_comparison_write(const struct stow_call_comparison *comparison,
                               struct stow_writing *w, struct stow_err *err);
void stow_call_comparison_done(struct stow_call_comparison *comparison);

struct stow_call_how_many;
int stow_call_place_how_many(struct stow_call_placing *placing, struct stow_call_turn *turn,
                             struct stow_call_how_many **ret, struct stow_err *err);
int stow_call_how_many_write(const struct stow_call_how_many *counted, struct stow_writing *w,
                             struct stow_err *err);
void stow_call_how_many_done(struct stow_call_how_many *counted);

#endif
