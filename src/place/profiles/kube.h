/* kube.h - plugins of kube-scheduler and their args, as its configuration names them. */
#ifndef STOW_PLACE_PROFILES_KUBE_H
#define STOW_PLACE_PROFILES_KUBE_H

#include "place/profiles/profile_internal.h"

/* Extension points, in the order of a scheduling attempt. */
enum stow_kube_point {
    STOW_KUBE_PRE_ENQUEUE,
    STOW_KUBE_QUEUE_SORT,
    STOW_KUBE_PRE_FILTER,
    STOW_KUBE_FILTER,
    STOW_KUBE_POST_FILTER,
    STOW_KUBE_PRE_SCORE,
    STOW_KUBE_SCORE,
    STOW_KUBE_RESERVE,
    STOW_KUBE_PERMIT,
    STOW_KUBE_PRE_BIND,
    STOW_KUBE_BIND,
    STOW_KUBE_POST_BIND,
    STOW_KUBE_POINTS,
    STOW_KUBE_MULTI_POINT = STOW_KUBE_POINTS, /* all of a plugin's points at once */
    STOW_KUBE_SETS,
};

/* Versions of the configuration, as far as they differ in what is enabled by default. */
enum stow_kube_version {
    STOW_KUBE_V1BETA1 = 1, /* and v1alpha2, v1alpha1 */
    STOW_KUBE_V1BETA2,
    STOW_KUBE_V1BETA3, /* multiPoint, and today's weights */
    STOW_KUBE_V1,
};

/* One field of a plugin's args, and the rule that has an option of this name. */
struct stow_kube_field {
    const char *name; /* NULL ends the table */
    bool filter, scorer;
};

#define STOW_KUBE_FIELDS 4

struct stow_kube_plugin {
    const char *name;
    uint16_t points;         /* bits: 1 << enum stow_kube_point */
    uint16_t v1beta1_points; /* those of version v1beta1; 0: the same */
    uint8_t weight;          /* by default; 0: not stated */
    uint8_t v1beta2_weight;  /* that of v1beta2 and before; 0: the same */
    bool common;             /* enabled by default */
    bool ended;              /* v1beta1 is the last version that has it */
    /* Without these its Filter or Score fails every pod. */
    bool needs_pre_filter, needs_pre_score;
    const char *filter, *scorer;          /* our rules; NULL: no effect on the choice of a node */
    const struct stow_kube_field *fields; /* NULL: it has no args */
};

/* All plugins that are known, the default ones first and in their order; `name` NULL ends it. */
extern const struct stow_kube_plugin stow_kube_plugins[];
#define STOW_KUBE_PLUGINS 40 /* room for all of them */

/* Its number in the list; STOW_NONE: the version does not have it, or it is unknown. */
uint32_t stow_kube_plugin_find(struct stow_str name, enum stow_kube_version version);

/* The points that a plugin has in this version. */
uint32_t stow_kube_plugin_points(uint32_t plugin, enum stow_kube_version version);

const char *stow_kube_point_name(enum stow_kube_point point);

/* ---- plugins that are not in the list (kube_others.c) ---------------------------- */

/* What a profile says about a plugin that is not simulated. */
struct stow_kube_other {
    const char *name;
    uint16_t enabled; /* bits: 1 << enum stow_kube_point, multiPoint too */
    bool disabled, configured;
    struct stow_place at; /* where it is named first; whoever makes the entry says so */
};

struct stow_kube_others {
    struct stow_kube_other *other;
    uint32_t count, cap;
};

void stow_kube_others_done(struct stow_kube_others *others);

/* The entry of this name, made when there is none; NULL: failed, and said so in c->err. */
struct stow_kube_other *stow_kube_other(struct stow_cursor *c, struct stow_kube_others *others,
                                        struct stow_str name);

/* Warns of every plugin that would have a say in the choice of a node; an error when the profiles
 * are read strictly. */
int stow_kube_others_end(struct stow_cursor *c, const struct stow_kube_others *others,
                         const char *profile, struct stow_profiles *all);

/* ---- sets of plugins (kube_sets.c) ----------------------------------------------- */

/* An entry of `enabled`. */
struct stow_kube_entry {
    uint32_t plugin;
    bool weighed;
    int32_t weight;
    uint32_t token; /* of the entry */
};

struct stow_kube_list {
    struct stow_kube_entry entry[STOW_KUBE_PLUGINS];
    uint32_t count;
};

/* One point's lists. */
struct stow_kube_set {
    struct stow_kube_list enabled;
    uint64_t disabled; /* bits of plugins */
    bool all_disabled;
};

/* All of them, in a configuration of some version. */
struct stow_kube_sets {
    enum stow_kube_version version;
    struct stow_kube_set set[STOW_KUBE_SETS];
    struct stow_kube_others others;
};

bool stow_kube_lists(const struct stow_kube_list *list, uint32_t plugin);

/* Reads `plugins` at the cursor into sets that have nothing but their version. */
int stow_kube_sets_read(struct stow_cursor *c, struct stow_kube_sets *ret);

/* What is enabled at each of STOW_KUBE_POINTS in the end. */
void stow_kube_sets_merge(const struct stow_kube_sets *sets, struct stow_kube_list *ret);

/* ---- args (kube_args.c) ---------------------------------------------------------- */

/* What a plugin's args were found to be. */
struct stow_kube_args {
    struct stow_place at; /* the args object */
    struct stow_place field[STOW_KUBE_FIELDS];
    /* NodeResourcesFit's scoringStrategy: our scorer, and the places of its options. */
    const char *strategy;
    struct stow_place resources, shape;
    enum stow_kube_version version;
    bool listed; /* PodTopologySpread's constraints of v1beta1 are a list without saying so */
};

/* Reads and validates the args at the cursor, which null and absence make defaults. */
int stow_kube_args_read(struct stow_cursor *c, const struct stow_kube_plugin *plugin,
                        enum stow_kube_version version, struct stow_kube_args *ret);

/* Hands the args to the rules that stand for the plugin. */
int stow_kube_args_to_filter(struct stow_cursor *c, const struct stow_kube_plugin *plugin,
                             const struct stow_kube_args *args, struct stow_profile_filter *f);
int stow_kube_args_to_scorer(struct stow_cursor *c, const struct stow_kube_plugin *plugin,
                             const struct stow_kube_args *args, struct stow_profile_scorer *f);

#endif
