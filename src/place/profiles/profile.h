/* profile.h - which filters and scorers decide, with their options, weights and the tie-break. */
#ifndef STOW_PLACE_PROFILES_PROFILE_H
#define STOW_PLACE_PROFILES_PROFILE_H

#include "place/rule.h"

enum stow_tie { STOW_TIE_PRICE, STOW_TIE_RATE, STOW_TIE_NAME, STOW_TIE_INPUT_ORDER };

struct stow_profile_filter {
    const struct stow_filter_rule *rule;
    void *self;
};

struct stow_profile_scorer {
    const struct stow_scorer_rule *rule;
    void *self;
    double weight;
};

/* Labels or annotations that a fact is read from, first hit wins; NULL: the profile does not say,
 * so the snapshot's own keys hold (model/snapshot.h). */
struct stow_key_names {
    const char *const *name;
    uint32_t count;
};

struct stow_profile_keys {
    struct stow_key_names disk_type, network_type, storage, priority, capacity_type;
};

struct stow_profile {
    const char *name;           /* of the shipped profile, the Policy or the scheduler */
    const char *scheduler_name; /* pods with another one are not this profile's; NULL: all are */
    struct stow_arena arena;    /* owns everything below */
    struct stow_profile_filter *filter; /* in the order in which they are asked */
    struct stow_profile_scorer *scorer; /* in the order in which they are added up */
    uint32_t filters, scorers;
    enum stow_tie tie[4];
    uint32_t ties;
    struct stow_profile_keys keys;
    bool custom;                 /* it has rules that the asking program brought */
    bool elsewhere;              /* the Policy has sections for other verbs: it may be empty here */
    bool has_priority_threshold; /* else no pod is high by the value of its class */
    int32_t priority_threshold;
};

static inline bool stow_profile_has(const struct stow_profile *profile,
                                    const struct stow_filter_rule *rule)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (profile->filter[i].rule == rule)
            return true;
    return false;
}

/* What a rule that the asking program brought did wrong up to now: everything that rules of this
 * profile said since is void.  Look after asking them. */
int stow_profile_fault(const struct stow_profile *profile, struct stow_err *err);

/* Whether a rule looks at the names of pods, so that no two pods are alike. */
bool stow_profile_sees_names(const struct stow_profile *profile);

/* The first filter that the asking program brought; NULL: none. */
const char *stow_profile_custom_filter(const struct stow_profile *profile);

/* Makes the rule's prep in `arena` and prepares it for a pod; < 0 or enum stow_prepared. */
int stow_prepare_filter(const struct stow_profile_filter *filter, const struct stow_state *state,
                        const struct stow_subject *pod, struct stow_arena *arena, const void **ret);
int stow_prepare_scorer(const struct stow_profile_scorer *scorer, const struct stow_state *state,
                        const struct stow_subject *pod, struct stow_arena *arena, const void **ret);

#define STOW_DEFAULT_SCHEDULER "default-scheduler" /* of pods that name none */

struct stow_rules;

/* One or several profiles (a KubeSchedulerConfiguration may have several). */
struct stow_profiles {
    const struct stow_rules *rules; /* that Policies may name beside ours, borrowed; or NULL */
    struct stow_profile *profile;
    uint32_t count, cap;
    const char *only;     /* scheduler whose profile is the only one that was given, or NULL */
    bool strict;          /* read with --strict */
    const char **warning; /* things that were read and have no effect */
    uint32_t warnings, warning_cap;
    struct stow_arena arena;
};

/* Names of the shipped profiles; NULL ends the list. */
extern const char *const stow_profile_names[];

/* A shipped profile by name: kube-default, ultron, gpu-cluster, cheapest. */
int stow_profiles_builtin(const char *name, struct stow_profiles *ret, struct stow_err *err);

/* A file ("-": standard input) with Policy documents or KubeSchedulerConfigurations, as they are or
 * as texts in ConfigMaps; other kinds in it are left alone.  Several Policies: `name` says which
 * (NULL: there must be one).  The profiles of several KubeSchedulerConfigurations are put together;
 * `name` leaves only the profile of that scheduler.  What a KubeSchedulerConfiguration has and is
 * not simulated is a warning, with `strict` an error.  `rules` are those that the asking program
 * brought, which must outlive the profiles; or NULL.  On failure `ret` is empty, here and in the
 * other two. */
int stow_profiles_read(const struct stow_rules *rules, const char *path, const char *name,
                       bool strict, struct stow_profiles *ret, struct stow_err *err);

/* The document at the cursor, of kind Policy or KubeSchedulerConfiguration; it is read, and the
 * cursor is after it.  A Policy can start from shipped profiles only. */
int stow_profiles_read_document(struct stow_cursor *c, struct stow_profiles *ret);

void stow_profiles_done(struct stow_profiles *profiles);

/* The annotations that a profile's keys name and that rules of the asking program read: to be shown
 * (model/annotations.h).  Writes up to `room` of them, returns how many there are. */
uint32_t stow_profile_annotations(const struct stow_profile *profile, const char **ret,
                                  uint32_t room);

/* Makes a profile's keys those of a snapshot that was just loaded and is not shared yet. */
int stow_profile_set_keys(const struct stow_profile *profile, struct stow_snapshot *s,
                          struct stow_err *err);

/* The profile that decides about a pod: the only one, or that of its schedulerName; NULL: none. */
const struct stow_profile *stow_profiles_for(const struct stow_profiles *profiles,
                                             const struct stow_subject *pod);

/* Warns, in the snapshot, of pending pods whose schedulerName no profile has: they are not tried,
 * or decided by the only profile there is. */
int stow_profiles_match(const struct stow_profiles *profiles, struct stow_snapshot *s,
                        struct stow_err *err);

#endif
