/* custom.h - rules that the asking program brings, as placing sees them.
 *
 * Problem: a rule of ours is trusted.  It is a constant struct with functions over the state, it
 * looks at what its scope says, it never fails and its points are in order.  A rule of somebody
 * else's program promises the same, but may be wrong about it, and must not see our structures,
 * which change from version to version.
 *
 * Idea: the registry makes a struct stow_filter_rule or stow_scorer_rule of every public one, so
 * that profiles, the engine and explanations need to know nothing new.  Its functions hand out
 * views (view.c) and look at what comes back.  A promise that is broken is noted in the rule's own
 * memory of the profile, and the node gets 0 points, or passes; whoever has asked looks there
 * afterwards (stow_profile_fault) and gives up.
 *
 * Scopes: a rule that sees nothing that changes is STATIC.  A scorer that sees what is requested is
 * LOCAL.  Such a filter is of CLUSTER scope, because the engine takes for granted that a local
 * filter never passes a node again that it once dropped.
 *
 * Threads: a registry does not change once a question has it; notes are written once, by whoever
 * comes first. */
#ifndef STOW_PLACE_CUSTOM_CUSTOM_H
#define STOW_PLACE_CUSTOM_CUSTOM_H

#include <stdatomic.h>

#include <stowage/rule.h>

#include "place/rule.h"

/* Which rules a list of a Policy has named is 64 bits; ours are fewer than 32. */
#define STOW_CUSTOM_MAX 32

struct stow_custom {
    const char *kind; /* "filter" or "scorer" */
    struct stow_filter filter;
    struct stow_scorer scorer; /* of the two, the one that `kind` says */
    const char *name;
    uint32_t sees;
    const char *const *annotations;
    const struct stow_rule_setting *options;
    struct stow_filter_rule filter_rule; /* what placing gets */
    struct stow_scorer_rule scorer_rule;
    struct stow_rule_option option[STOW_RULE_OPTIONS_MAX + 1];
};

struct stow_rules {
    atomic_uint refs;
    struct stow_arena arena;
    struct stow_custom *filter[STOW_CUSTOM_MAX], *scorer[STOW_CUSTOM_MAX];
    uint32_t filters, scorers;
};

/* The first promise that was broken. */
struct stow_custom_fault {
    atomic_int noted; /* 0: none, 1: it is being written, 2: it can be read */
    struct stow_err err;
};

/* What a profile has of such a rule: its `self`. */
struct stow_custom_self {
    const struct stow_custom *rule;
    const char *value[STOW_RULE_OPTIONS_MAX]; /* NULL: not given */
    struct stow_custom_fault fault;
};

struct stow_rule_pod {
    const struct stow_state *state;
    const struct stow_subject *subject;
    struct stow_custom_self *self;
};

struct stow_rule_nodes {
    const struct stow_state *state;
    const stow_node_id *node;
    uint32_t count;
    struct stow_custom_self *self;
};

/* What placing gets: fills in filter_rule or scorer_rule (adapter.c). */
void stow_custom_adapt(struct stow_custom *rule);

/* Notes what a rule did wrong, behind its kind and name; the first note stays. */
void stow_custom_note(struct stow_custom_self *self, int code, const char *fmt, ...)
    STOW_PRINTF(3, 4);

/* STOW_OK, or what was noted. */
int stow_custom_fault(const struct stow_custom_self *self, struct stow_err *err);

#endif
