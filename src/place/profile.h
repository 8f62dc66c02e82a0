/* profile.h - which filters and scorers decide, with their options, weights and the tie-break. */
#ifndef STOW_PLACE_PROFILE_H
#define STOW_PLACE_PROFILE_H

#include "place/rule.h"

enum stow_tie { STOW_TIE_PRICE, STOW_TIE_RATE, STOW_TIE_NAME, STOW_TIE_INPUT_ORDER };

struct stow_profile_filter {
    const struct stow_filter *rule;
    void *self;
};

struct stow_profile_scorer {
    const struct stow_scorer *rule;
    void *self;
    double weight;
};

struct stow_profile {
    const char *name;           /* of the shipped profile or the Policy */
    const char *scheduler_name; /* pods with another one are not this profile's; NULL: all are */
    struct stow_arena arena;    /* owns everything below */
    struct stow_profile_filter *filter; /* in the order in which they are asked */
    struct stow_profile_scorer *scorer; /* in the order in which they are added up */
    uint32_t filters, scorers;
    enum stow_tie tie[4];
    uint32_t ties;
};

/* One or several profiles (a KubeSchedulerConfiguration may have several). */
struct stow_profiles {
    struct stow_profile *profile;
    uint32_t count, cap;
    const char **warning; /* things that were read and have no effect */
    uint32_t warnings, warning_cap;
    struct stow_arena arena;
};

/* A shipped profile by name: ultron, kube-default, gpu-cluster, cheapest. */
int stow_profiles_builtin(const char *name, struct stow_profiles *ret, struct stow_err *err);

/* A file with Policy documents or a KubeSchedulerConfiguration.  Several Policies: `name` says which
 * (NULL: there must be one). */
int stow_profiles_read(const char *path, const char *name, struct stow_profiles *ret,
                       struct stow_err *err);

/* The document at the cursor, of kind Policy or KubeSchedulerConfiguration. */
int stow_profiles_read_document(struct stow_cursor *c, struct stow_profiles *ret);

void stow_profiles_done(struct stow_profiles *profiles);

/* The profile that decides about a pod: the only one, or that of its schedulerName; NULL: none. */
const struct stow_profile *stow_profiles_for(const struct stow_profiles *profiles,
                                             const struct stow_subject *pod);

#endif
