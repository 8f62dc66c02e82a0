/* problem.h - the cheapest set of nodes for classes of pods, stated without Kubernetes.
 *
 *     minimise, in this order:  pods left out, highest priority first
 *                               sum of price(kind) * nodes(kind)
 *                               the number of nodes, then the order of kinds
 *     such that every node's pods fit its kind, and the limits hold.
 *
 * A class is a number of pods that nothing tells apart; a kind is a type of node that can be had
 * any number of times within its limits.  Nodes that exist already are kinds of price 0 of which
 * there are as many as there are.  A resource that a class does not ask for never limits it, not
 * even where a kind has none of it or less. */
#ifndef STOW_OPTIMAL_PROBLEM_H
#define STOW_OPTIMAL_PROBLEM_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#define STOW_SCARCE_MAX        128 /* resources that can run out on one kind must be fewer */
#define STOW_PROBLEM_UNLIMITED UINT32_MAX

struct stow_problem_class {
    const int64_t *need; /* per resource, >= 0 */
    uint32_t count;
    int32_t priority;
    uint32_t most; /* of it on a node; 0: as many as fit */
    uint32_t cap;  /* of a family: this many at most, whatever `count` is; 0: it is of none */
};

/* Pods that a rule shares out over domains: a class for each domain, which may be on the kinds of
 * that domain.  The counts of these classes are one way to share them out, for plans; a bound is
 * for every way that the rule allows.  It is not known which domains purchases will bring, so these
 * count only where they get pods. */
#define STOW_FAMILY_MAX 64
struct stow_problem_family {
    uint32_t first, classes; /* classes that follow one another, STOW_FAMILY_MAX at most */
    uint32_t count;          /* pods in all */
    bool together;           /* all in one domain; else: */
    int64_t max_skew;        /* 0: any */
    int64_t level_most;      /* the smallest count is at most that: of domains that take none of
                                them; INT64_MAX: there are none */
    const int64_t *held;     /* per class: pods in the domain that count already */
    const bool *exists;      /* per class: the domain is there, whatever is bought */
};

struct stow_problem_kind {
    const int64_t *capacity; /* per resource; below 0 is as good as 0 */
    int64_t price;           /* nano-units per hour, >= 0 */
    uint32_t least, most;    /* how many; most STOW_PROBLEM_UNLIMITED: no limit */
    bool at_once;            /* a block: `most` of them, or none */
    const uint64_t *allowed; /* bit per class that may be there; NULL: all */
};

/* sum of amount(kind) * nodes(kind) <= limit.  Prices are whole numbers of nano-units: of a row in
 * bytes they would be far too coarse, so a price is for `unit` of it.  What a node pays is rounded
 * down then, what the limit takes off a bound is rounded up. */
struct stow_problem_row {
    const int64_t *amount; /* per kind, >= 0 */
    int64_t limit;
    bool in_proof; /* false: the plan obeys it, the bound leaves it out */
    int64_t unit;  /* that a price is for; 0: 1 */
};

struct stow_problem {
    uint32_t dims, classes, kinds, rows, families;
    const struct stow_problem_class *class;
    const struct stow_problem_kind *kind;
    const struct stow_problem_row *row;
    const struct stow_problem_family *family;
};

static inline bool stow_problem_allows(const struct stow_problem_kind *kind, uint32_t class)
{
    return !kind->allowed || (kind->allowed[class / 64] >> (class % 64) & 1);
}

/* ---- plans ------------------------------------------------------------------------------- */

struct stow_term {
    uint32_t class, count;
};

/* `times` nodes of a kind with the same pods on each: terms ascending by class, counts > 0. */
struct stow_load {
    uint32_t kind, times;
    uint32_t first, terms; /* in the term array of the plan */
};

struct stow_packing {
    struct stow_load *load;
    struct stow_term *term;
    uint32_t loads, load_cap, terms, term_cap;
};

/* What a plan leaves out and costs.  Any order of loads; counts beyond a class are an error. */
void stow_packing_done(struct stow_packing *packing);
int stow_packing_add(struct stow_packing *packing, uint32_t kind, uint32_t times,
                     const struct stow_term *term, uint32_t terms);

/* Fails with STOW_EWRONG and a reason when the packing breaks a rule of the problem (fit, allowed,
 * most, counts, limits); writes what it costs, and per class how many pods it leaves out (may be
 * NULL). */
int stow_packing_check(const struct stow_problem *problem, const struct stow_packing *packing,
                       int64_t *ret_cost, uint32_t *ret_left, struct stow_err *err);

#endif
