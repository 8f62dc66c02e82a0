/* nru.h - normalised resource units: what pods are worth per price, and the rules that choose by
 * them (rule sets document, main, pr158).
 *
 * Under `document` everything is exact: amounts are integers, weights exact decimals with a unit,
 * fractions are compared by cross-multiplication.  `main` and `pr158` round as upstream does. */
#ifndef STOW_SCALE_RULES_NRU_H
#define STOW_SCALE_RULES_NRU_H

#include <stdbool.h>
#include <stdint.h>

#include <stowage/error.h>

#include "base/arena.h"
#include "base/int128.h"
#include "base/str.h"
#include "model/snapshot.h"

enum stow_nru_rules { STOW_NRU_DOCUMENT, STOW_NRU_MAIN, STOW_NRU_PR158 };
enum stow_nru_scorer { STOW_NRU_LEAST_COST, STOW_NRU_LEAST_WASTE };

/* Their names by number, ended by NULL; and the number of a name, false: there is none. */
extern const char *const stow_nru_rules_names[];
extern const char *const stow_nru_scorer_names[];
bool stow_nru_rules_find(struct stow_str name, enum stow_nru_rules *ret);
bool stow_nru_scorer_find(struct stow_str name, enum stow_nru_scorer *ret);

/* ---- weights ----------------------------------------------------------------------------- */

#define STOW_NRU_WEIGHTS_MAX 64
#define STOW_NRU_NANO_MAX    INT64_C(1000000000000000000) /* a weight of at most 10^9 */

/* What a weight is per, in base units of the resource (milli-cores, bytes, devices). */
#define STOW_NRU_CORE   INT64_C(1000)
#define STOW_NRU_GIB    (INT64_C(1) << 30)
#define STOW_NRU_BYTE   INT64_C(1)
#define STOW_NRU_DEVICE INT64_C(1)

/* `nano` (10^-9 of one NRU) per `unit`, one of the four above: 6 per core is {6e9, 1000}, 1 per GiB
 * {1e9, 2^30}.  0 <= nano <= STOW_NRU_NANO_MAX. */
struct stow_nru_weight {
    stow_resource_id resource;
    int64_t nano;
    int64_t unit;
};

/* The same before there is a snapshot to number resources. */
struct stow_nru_named {
    const char *resource;
    int64_t nano;
    int64_t unit;
};

struct stow_nru_rule {
    enum stow_nru_rules rules;
    enum stow_nru_scorer scorer;
    const struct stow_nru_weight *weight; /* at most one per resource, ascending */
    uint32_t weights;                     /* at most STOW_NRU_WEIGHTS_MAX */
};

/* The rule set's own: document 6 per core and 1 per GiB, main and pr158 9 per core, 1 per byte, 20
 * per nvidia.com/gpu. */
const struct stow_nru_named *stow_nru_own_weights(enum stow_nru_rules rules, uint32_t *ret_count);

/* Fills in the weights of a rule whose rule set is chosen: those of the rule set, with `named` (may
 * be none) in place of and beside them.  Resources that no object of the snapshot names are left
 * out, they weigh nothing here.  The weights lie in `arena`. */
int stow_nru_bind(const struct stow_snapshot *s, const struct stow_nru_named *named, uint32_t count,
                  struct stow_arena *arena, struct stow_nru_rule *ret, struct stow_err *err);

/* What stow_nru_rule promises, and that there is a weight at all; a message says what is wrong. */
int stow_nru_check(const struct stow_nru_rule *rule, struct stow_err *err);

/* ---- amounts ----------------------------------------------------------------------------- */

/* In a node's allocatable: it does not list this resource. */
#define STOW_NRU_ABSENT INT64_MIN

/* A signed integer of 256 bits: two's complement, lowest limb first. */
struct stow_wide {
    uint64_t limb[4];
};

int stow_wide_compare(struct stow_wide a, struct stow_wide b); /* < 0, 0, > 0 */

/* NRU of amounts (by resource id, in the snapshot's units), exactly: in 10^-9 over a denominator
 * that is the same for all calls with one rule.  What is absent counts as 0. */
struct stow_wide stow_nru_exact(const struct stow_nru_rule *rule, const int64_t *amount);

/* The double nearest to such a number, give or take its last bit: in NRU. */
double stow_nru_near(const struct stow_nru_rule *rule, struct stow_wide nru);

/* NRU of amounts as upstream computes it. */
double stow_nru_double(const struct stow_nru_rule *rule, const int64_t *amount);

/* ---- choosing ---------------------------------------------------------------------------- */

/* A candidate of one round: one more node of one group. */
struct stow_nru_candidate {
    const int64_t *allocatable; /* by resource id; STOW_NRU_ABSENT where it lists none */
    const int64_t *placed;      /* by resource id: requests of all pods placed in its simulation;
                                   may be NULL where has_value */
    stow_nano price;            /* per hour, >= 0; unknown candidates are not given here */
    double price_double;        /* the same as upstream's double */
    bool has_value;             /* the score is given as `value` and not computed */
    int64_t value;              /* main, pr158: the integer score */
};

/* What it scores, for people: NRU placed per price, or NRU wasted. */
double stow_nru_score(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c);

/* main and pr158: the integer score (round(100 NRU / price), or truncate(100 NRU(waste))). */
int64_t stow_nru_value(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c);

/* The index of the winner, by the rule set's selection table; ties end at the lowest index.
 * UINT32_MAX: there are no candidates.  `ret_runner_up` (may be NULL): who would win without it,
 * UINT32_MAX: none. */
uint32_t stow_nru_select(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c,
                         uint32_t count, uint32_t *ret_runner_up);

#endif
