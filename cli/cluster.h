/* cluster.h - the cluster that `-f` gives, with everything known about its prices. */
#ifndef STOW_CLI_CLUSTER_H
#define STOW_CLI_CLUSTER_H

#include "cli/cli.h"
#include "model/choose.h"
#include "model/snapshot.h"
#include "place/profile.h"
#include "price/bill.h"
#include "price/pricing.h"

struct stow_cli_cluster {
    struct stow_snapshot *snapshot;
    struct stow_pricing pricing;
    struct stow_bill_options bill; /* --provider, --region, --currency, --at */
    bool priced;                   /* pricing is open */
};

/* Options that a verb with a cluster takes. */
/* clang-format off */
#define STOW_CLI_CLUSTER STOW_CLI_CLUSTER_WITH(STOW_CLI_OUTPUT)
/* ... with a row of its own for the form of the answer. */
#define STOW_CLI_CLUSTER_WITH(...)                                                               \
    STOW_CLI_FILES, __VA_ARGS__, STOW_CLI_BOOK,                                                  \
    {.name = "provider", .argument = "NAME", .help = "provider of nodes that state none"},       \
    {.name = "region", .argument = "NAME", .help = "region of nodes that state none"},           \
    {.name = "currency", .argument = "CODE",                                                     \
     .help = "currency of the bill; else that of the PriceBooks given, else USD"},               \
    {.name = "at", .argument = "TIME",                                                           \
     .help = "prices as of this time (2026-11-01T00:00:00Z), else now"}
/* ... of a verb with --policy. */
#define STOW_CLI_STRICT                                                                          \
    {.name = "strict",                                                                           \
     .help = "refuse a KubeSchedulerConfiguration that has plugins or fields that are not "      \
             "simulated, instead of a warning"}
/* clang-format on */

/* Reads the files and prices that the options name; what the reader warns of goes to stderr.
 * `annotations` (may be NULL) are keys that the verb wants kept.  `ret` is valid for
 * stow_cli_cluster_done in any case. */
int stow_cli_cluster_load(struct stow_cli *cli, const struct stow_load_options *annotations,
                          struct stow_cli_cluster *ret, struct stow_err *err);

/* Keys of annotations that are to be kept: the verb's, and those that the imported book looks
 * prices of single nodes up by.  The caller frees the list; NULL: out of memory. */
const char **stow_cli_annotations(const struct stow_book *book,
                                  const struct stow_load_options *more, uint32_t *ret_count);

/* What --namespace and --selector say: of pods, or of workloads.  --all-namespaces wins. */
void stow_cli_choice(const struct stow_cli *cli, struct stow_choice_of_pods *ret);

/* Tells the user what was added to the warnings of a snapshot since there were `known`. */
void stow_cli_warn_since(const struct stow_cli *cli, const struct stow_snapshot *s, uint32_t known);

/* Sets aside the pods that they do not choose. */
int stow_cli_cluster_choose(struct stow_cli *cli, struct stow_cli_cluster *cluster,
                            struct stow_err *err);

/* What deciding about pending pods leaves out of account: claims that are not bound, and a Policy
 * among the objects that only --policy would decide by. */
void stow_cli_cluster_warn(const struct stow_cli *cli, const struct stow_cli_cluster *cluster);
void stow_cli_cluster_done(struct stow_cli_cluster *cluster);

/* The shipped profile of this name, or with `file` the profiles there (profile.h); both NULL: none.
 * --strict holds; what they warn of goes to stderr. */
int stow_cli_profiles_open(const struct stow_cli *cli, const char *file, const char *name,
                           struct stow_profiles *ret, struct stow_err *err);

/* Makes their warnings those of a snapshot that was just loaded, so that every answer about it has
 * them. */
int stow_cli_profiles_note(const struct stow_profiles *profiles, struct stow_snapshot *s,
                           struct stow_err *err);

#endif
