/* rank.h - how a rule that chooses among node groups plugs in.
 *
 * A candidate is one way to grow: this many nodes of this group would take these
 * pods.  A ranker is a filter over candidates: it keeps the best ones (several when
 * they tie) and writes down the numbers it decided by.  Rankers form a chain
 * (chain.h): each works on what the one before kept.
 *
 * To write one: copy rank_most_pods.c and add a line to rankers.c. */
#ifndef STOW_SCALE_RULES_RANK_H
#define STOW_SCALE_RULES_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/str.h"

/* What rankers see of an option.  Prices are doubles because the rules that read them are defined
 * in doubles (money that is paid stays in nano-units, plan.h). */
struct stow_candidate {
    struct stow_str group; /* its name */
    uint32_t nodes, pods;
    bool has_template; /* false: nothing below is known */
    bool exists;
    bool gpu;            /* the template is a GPU node (reference: label or allocatable) */
    int64_t cpu, memory; /* capacity of one node: milli-cores and bytes */
    int64_t pods_cpu, pods_memory; /* sums of the requests of its pods */
    bool priced, pods_priced;      /* false: the price is not known */
    double node_price;             /* of one node for an hour */
    double pods_price; /* of its pods for an hour, added up in the order they were placed */
};

/* The numbers of one candidate, in the order of the ranker's `value` names; and why it was left
 * out, when it was not compared at all. */
#define STOW_RANK_VALUES 6
struct stow_rank_mark {
    double value[STOW_RANK_VALUES];
    const char *skipped; /* static text; NULL: it was compared */
};

/* What all rankers of one run share. */
struct stow_rank_context {
    enum stow_price_rules { STOW_PRICE_CURRENT, STOW_PRICE_PROPOSAL } price_rules;
    bool strict;           /* upstream's behaviour where ours is kinder: a candidate without a price
                              is dropped, not ranked last */
    double stabiliser;     /* X: the price of the stabilising pod; 0: it has none */
    int64_t preferred_cpu; /* milli-cores */
    const struct stow_priorities *priorities; /* priority.h; NULL: none given */
    uint64_t seed;
};

struct stow_ranker {
    const char *name;    /* "least-waste" */
    const char *summary; /* one line */
    bool last;           /* nothing may follow it in a chain */
    /* Names of what it writes into marks, ended by NULL; snake_case as JSON has them. */
    const char *const *value;
    /* From the candidates kept[0..*count) (indices into `all`, ascending) keeps the best, in the
     * same order; may leave none.  `mark` has an entry per candidate of `all`. */
    int (*keep)(const struct stow_rank_context *ctx, const struct stow_candidate *all,
                uint32_t *kept, uint32_t *count, struct stow_rank_mark *mark, struct stow_err *err);
};

extern const struct stow_ranker *const stow_rankers[]; /* ends with NULL */
const struct stow_ranker *stow_ranker_find(struct stow_str name);

#endif
