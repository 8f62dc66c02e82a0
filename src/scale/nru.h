/* nru.h - normalised resource units: what pods are worth per price, and the rules that choose by
 * them (reference: scaling-advisor, rule sets document, main, pr158).
 *
 * Under `document` everything is exact: amounts are integers, weights exact decimals with a unit,
 * fractions are compared by cross-multiplication.  `main` and `pr158` round as upstream does. */
#ifndef STOW_SCALE_NRU_H
#define STOW_SCALE_NRU_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "base/int128.h"
#include "model/snapshot.h"

enum stow_nru_rules { STOW_NRU_DOCUMENT, STOW_NRU_MAIN, STOW_NRU_PR158 };
enum stow_nru_scorer { STOW_NRU_LEAST_COST, STOW_NRU_LEAST_WASTE };

/* A weight with its unit: `nano` (10^-9 of one NRU) per `unit` base units of the resource
 * (milli-cores, bytes, devices): 6 per core is {6e9, 1000}, 1 per GiB {1e9, 2^30}. */
struct stow_nru_weight {
    stow_resource_id resource;
    int64_t nano;
    int64_t unit;
};

struct stow_nru_rule {
    enum stow_nru_rules rules;
    enum stow_nru_scorer scorer;
    const struct stow_nru_weight *weight;
    uint32_t weights;
};

/* NRU of amounts (by resource id, in the snapshot's units), exactly, as a fraction over a common
 * denominator that is the same for all calls with one rule. */
stow_i128 stow_nru_exact(const struct stow_nru_rule *rule, const int64_t *amount);

/* The same as upstream's double. */
double stow_nru_double(const struct stow_nru_rule *rule, const int64_t *amount);

/* A candidate of one round: one more node of one group. */
struct stow_nru_candidate {
    const int64_t *allocatable; /* by resource id */
    const int64_t *placed;      /* by resource id: requests of all pods placed in its simulation */
    stow_nano price;            /* per hour; unknown candidates are not given here */
    double price_double;        /* the same as upstream's double */
    bool has_value;             /* main, pr158: `value` is given and not computed */
    int64_t value;              /* main, pr158: the integer score */
};

/* main and pr158: the integer score (round(100 NRU / price), or truncate(100 NRU(waste))). */
int64_t stow_nru_value(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c);

/* The index of the winner, by the rule set's selection table; ties end at the lowest index.
 * `ret_runner_up` (may be NULL): who would win without it, UINT32_MAX: nobody. */
uint32_t stow_nru_select(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c,
                         uint32_t count, uint32_t *ret_runner_up);

#endif
