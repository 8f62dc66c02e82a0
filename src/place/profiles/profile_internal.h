/* profile_internal.h - a profile while it is put together: what the readers of a Policy and of a
 * KubeSchedulerConfiguration share. */
#ifndef STOW_PLACE_PROFILES_PROFILE_INTERNAL_H
#define STOW_PLACE_PROFILES_PROFILE_INTERNAL_H

#include "place/profiles/profile.h"

/* ---- places in a document (profile.c) ---------------------------------------------------- */

/* JSON has no order: what decides about the rest may come last.  So readers note where the parts
 * are and go back to them; the frames are kept for the path that errors show. */
#define STOW_PLACE_DEPTH 16
struct stow_place {
    bool given; /* false, as in zeroed memory: nowhere */
    uint32_t at, depth;
    struct stow_cursor_frame frame[STOW_PLACE_DEPTH];
};

struct stow_place stow_place_here(const struct stow_cursor *c);
void stow_place_go(struct stow_cursor *c, const struct stow_place *place);

static inline bool stow_place_is(const struct stow_place *place)
{
    return place->given;
}

/* A reader for tables of fields: notes the place of a value in the struct stow_place `into`, and
 * skips it. */
int stow_place_note(struct stow_cursor *c, struct stow_place *ret);

/* apiVersion and kind of the object at the cursor, which stays where it is. */
struct stow_document_type {
    char version[96], kind[64];
};

int stow_type_peek(struct stow_cursor *c, struct stow_document_type *ret);

/* ---- putting rules into a profile (profile.c) -------------------------------------------- */

/* A new profile at the end of the list.  Pointers to earlier profiles do not last. */
struct stow_profile *stow_profile_add(struct stow_profiles *all, struct stow_str name);

/* Opens a rule with its defaults; one of the same name is replaced in its place, else the new
 * one comes last.  NULL: out of memory. */
struct stow_profile_filter *stow_profile_put_filter(struct stow_profile *p,
                                                    const struct stow_filter_rule *rule);
struct stow_profile_scorer *stow_profile_put_scorer(struct stow_profile *p,
                                                    const struct stow_scorer_rule *rule);

/* False when there was none. */
bool stow_profile_drop_filter(struct stow_profile *p, const struct stow_filter_rule *rule);
bool stow_profile_drop_scorer(struct stow_profile *p, const struct stow_scorer_rule *rule);

/* The number of an option in a table, or -1. */
int stow_option_find(const struct stow_rule_option *options, struct stow_str name);

/* Reads an option from JSON that the caller made up; a failure is reported at `at`. */
int stow_option_read_text(struct stow_cursor *c, const struct stow_place *at,
                          const struct stow_rule_option *option, struct stow_str json, void *self);

/* A rule's own check of its options; a failure is reported at `at`. */
int stow_filter_check(struct stow_cursor *c, const struct stow_place *at,
                      const struct stow_profile_filter *f);
int stow_scorer_check(struct stow_cursor *c, const struct stow_place *at,
                      const struct stow_profile_scorer *f);

/* Gives a rule that was just opened the profile's priorityThreshold, if it has such an option; its
 * own options come later and win. */
int stow_profile_seed(struct stow_cursor *c, const struct stow_profile *p,
                      const struct stow_rule_option *options, void *self);

/* Once all options are read: scorers become the variants that they ask for. */
void stow_profile_settle(struct stow_profile *p);

/* The last look at a profile: it is settled, something must be in it, and totals must fit. */
int stow_profile_end(struct stow_cursor *c, const struct stow_place *at, struct stow_profile *p);

/* A line for the user, once. */
int stow_profiles_warn(struct stow_profiles *all, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A Policy's `keys` (keys.c); those that it does not name stay as they are. */
int stow_profile_keys_read(struct stow_cursor *c, struct stow_profile_keys *ret);

/* ---- Policies (policy.c) --------------------------------------------------------- */

struct stow_policy_entry {
    char name[254];
    struct stow_place at;
    bool open; /* being applied: to meet it again is a cycle */
};

/* The Policies of one input. */
struct stow_policies {
    struct stow_profiles *all;
    struct stow_cursor *c;
    struct stow_policy_entry *entry;
    uint32_t entries, entry_cap;
    bool shipped; /* the input is the shipped one */
};

void stow_policies_done(struct stow_policies *set);

/* Notes the Policy at the cursor, and skips it. */
int stow_policies_note(struct stow_policies *set, const struct stow_document_type *type);

struct stow_policy_entry *stow_policies_find(const struct stow_policies *set, struct stow_str name);

/* Applies a Policy, and before it what it starts from, to a profile. */
int stow_policy_apply(struct stow_policies *set, struct stow_policy_entry *entry,
                      struct stow_profile *p);

/* ---- shipped profiles (builtin.c) ------------------------------------------------ */

bool stow_profile_is_shipped(struct stow_str name);

/* Applies a shipped profile to `p`. */
int stow_profile_apply_shipped(struct stow_profiles *all, struct stow_profile *p,
                               struct stow_str name, struct stow_err *err);

/* ---- what the options of the scorer `ultron` set elsewhere (ultron.c) ----------- */

enum stow_ultron_switch {
    STOW_SWITCH_MODE,
    STOW_SWITCH_DISK,
    STOW_SWITCH_NETWORK,
    STOW_SWITCH_BASIS,
    STOW_SWITCH_PRIORITY,
    STOW_SWITCH_TIE,
    STOW_SWITCH_COUNT,
};

struct stow_ultron_switches {
    bool present;                     /* the Policy has the scorer */
    uint8_t value[STOW_SWITCH_COUNT]; /* index of the word + 1; 0: not given */
    struct stow_place at[STOW_SWITCH_COUNT];
};

/* Whether this option of `ultron` is one of them: then it is read (the cursor is after the value,
 * as after any option) and 1 is returned, else 0. */
int stow_ultron_switch_read(struct stow_cursor *c, struct stow_str name,
                            struct stow_ultron_switches *ret);

/* The filter that a switch sets, NULL for the mode and the tie-break; and the switch's name. */
const char *stow_ultron_switch_filter(enum stow_ultron_switch which);
const char *stow_ultron_switch_name(enum stow_ultron_switch which);

/* Sets filters and tie-break of the profile. */
int stow_ultron_switches_apply(struct stow_cursor *c, const struct stow_ultron_switches *s,
                               struct stow_profile *p);

/* ---- KubeSchedulerConfiguration (profile_kube*.c) --------------------------------------- */

/* Reads the document at the cursor; one profile each is added. */
int stow_kube_read(struct stow_cursor *c, const struct stow_document_type *type,
                   struct stow_profiles *all);

/* Once all documents are read: which pods are whose. */
void stow_kube_end(struct stow_profiles *all);

bool stow_kube_is_group(const char *version);

#define STOW_KUBE_KIND "KubeSchedulerConfiguration"

/* What upstream's validation says about args: its type of error and the field. */
struct stow_arg_fault {
    const char *type; /* "Invalid", "Required", "NotSupported", "Forbidden", "Duplicate" */
    char field[96];
    char why[96];
    struct stow_place at;
};

#define STOW_ARG_FAULTS 32
struct stow_arg_faults {
    uint32_t count; /* beyond the array they are only counted */
    struct stow_arg_fault fault[STOW_ARG_FAULTS];
};

/* Reads NodeResourcesFitArgs at the cursor and validates them, with or without upstream's defaults
 * filled in before.  < 0: they cannot even be decoded. */
int stow_kube_fit_faults(struct stow_cursor *c, bool defaulted, struct stow_arg_faults *ret);

#endif
