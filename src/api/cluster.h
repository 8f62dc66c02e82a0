/* cluster.h - the cluster that is asked about, with everything known about its prices. */
#ifndef STOW_CALL_CLUSTER_H
#define STOW_CALL_CLUSTER_H

#include "api/prices.h"
#include "model/pods/choose.h"
#include "model/snapshot.h"
#include "place/profiles/profile.h"
#include "price/bill/bill.h"

struct stow_call_cluster {
    struct stow_snapshot *snapshot;
    struct stow_call_prices pricing;
    struct stow_bill_options bill; /* --provider, --region, --currency, --at */
};

/* Options that a verb with a cluster takes. */
/* clang-format off */
#define STOW_CALL_CLUSTER STOW_CALL_CLUSTER_WITH(STOW_CALL_OUTPUT)
/* ... with a row of its own for the form of the answer. */
#define STOW_CALL_CLUSTER_WITH(...)                                                               \
    STOW_CALL_FILES, __VA_ARGS__, STOW_CALL_BOOK,                                                  \
    {.name = "provider", .argument = "NAME", .help = "provider of nodes that state none"},       \
    {.name = "region", .argument = "NAME", .help = "region of nodes that state none"},           \
    {.name = "currency", .argument = "CODE",                                                     \
     .help = "currency of the bill; default: that of the PriceBooks given, or USD"},             \
    {.name = "at", .argument = "TIME",                                                           \
     .help = "prices as of this time (2026-11-01T00:00:00Z); default: now"}
/* ... of a verb with --policy. */
#define STOW_CALL_STRICT                                                                          \
    {.name = "strict",                                                                           \
     .help = "fail instead of warning when a KubeSchedulerConfiguration has plugins or "         \
             "fields that are not simulated"}
/* ... and of one that reads its filters and scorers. */
#define STOW_CALL_PLUGIN                                                                          \
    {.name = "plugin", .argument = "FILE", .repeats = true, .command = true,                     \
     .help = "load the filters and scorers of this shared library (FILE.so), which runs with your " \
             "rights"}
/* clang-format on */

/* Keys of annotations that a question names: those that the price model of GCE reads, and those
 * that policies read facts from.  Zeroed is none. */
#define STOW_CALL_KEYS_MAX 256
struct stow_call_keys {
    const char *key[STOW_CALL_KEYS_MAX];
    uint32_t count, of_prices;
};

void stow_call_keys_add_prices(struct stow_call_keys *keys);

/* STOW_ELIMIT: there are too many. */
int stow_call_keys_add(struct stow_call_keys *keys, const struct stow_profiles *profiles,
                       struct stow_err *err);

/* What a verb needs of a cluster beside its objects.  Zeroed is nothing. */
struct stow_call_needs {
    struct stow_call_keys keys; /* annotations that rules read */
    const char *sample;         /* the file of --how-many; NULL: none */
    bool moves_pods;            /* as in struct stow_load_options */
};

/* A fork of the asker's snapshot, or what is read from the question's files; what the reader warns
 * of is passed on.  `needs` may be NULL.  `ret` is valid for stow_call_cluster_done in any case. */
int stow_call_cluster_load(struct stow_call *call, const struct stow_call_needs *needs,
                           struct stow_call_cluster *ret, struct stow_err *err);

/* Objects show the annotations of `keys` (may be NULL), and those that the book looks prices of
 * single nodes up by. */
int stow_call_show_annotations(struct stow_snapshot *s, const struct stow_book *book,
                               const struct stow_call_keys *keys, struct stow_err *err);

/* What --namespace and --selector say: of pods, or of workloads.  --all-namespaces wins. */
void stow_call_choice(const struct stow_call *call, struct stow_choice_of_pods *ret);

/* Tells the user what was added to the warnings of a snapshot since there were `known`. */
void stow_call_warn_since(struct stow_call *call, const struct stow_snapshot *s, uint32_t known);

/* Sets aside the pods that they do not choose. */
int stow_call_cluster_choose(struct stow_call *call, struct stow_call_cluster *cluster,
                             struct stow_err *err);

/* What deciding about pending pods leaves out of account: claims that are not bound, and a Policy
 * among the objects that only --policy would decide by. */
void stow_call_cluster_warn(struct stow_call *call, const struct stow_call_cluster *cluster);
void stow_call_cluster_done(struct stow_call_cluster *cluster);

/* The shipped profile of this name, or with `file` the profiles there (profile.h); both NULL: none.
 * --strict holds; what they warn of is passed on. */
int stow_call_profiles_open(struct stow_call *call, const char *file, const char *name,
                            struct stow_profiles *ret, struct stow_err *err);

/* Makes their warnings those of a snapshot that was just loaded, so that every answer about it has
 * them. */
int stow_call_profiles_note(const struct stow_profiles *profiles, struct stow_snapshot *s,
                            struct stow_err *err);

/* Whether the verb can decide by the filters that the asking program brought (rules.c).
 * STOW_EINVAL: it cannot. */
int stow_call_rules_check(struct stow_call *call, const struct stow_profiles *profiles,
                          struct stow_err *err);

#endif
