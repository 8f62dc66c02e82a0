/* nru.c - normalised resource units, and who wins by them.
 *
 * The document's rule
 * -------------------
 * NRU turns amounts of several resources into one number: 6 per core and 1 per GiB.
 * A candidate scores what it places per price, and the highest score wins.  Ties are
 * common (two small machines cost what a large one does), and a rounded score makes
 * ties where there are none: so nothing is rounded.  All units are 1000 (milli-cores of
 * a core), 2^30 (bytes of a GiB) or 1, so all weights of a rule have the common
 * denominator D = lcm of their units, one of 1, 1000, 2^30, 125 * 2^30; an NRU is then
 * an integer of 10^-9 / D, and a / p > b / q is a * q > b * p.
 *
 * Nothing overflows.  |amount| < 2^63, or < 2^64 for the difference of two; a weight is
 * at most 10^18 < 2^60 nano; D / unit <= 125 * 2^30 < 2^37.  One product is below 2^161,
 * at most 64 = 2^6 of them below 2^167, times a price (< 2^63) below 2^230; 256 bits
 * with a sign hold 2^255.  128 bits would not do: a terabyte at 1 per byte times a
 * price is beyond them.
 *
 * Upstream's rules
 * ----------------
 * `main` and `pr158` compute in doubles: a quantity becomes its mantissa times a power
 * of ten (1920m is 1920 * 10^-3, which is not always 1920 / 1000), then weights are
 * multiplied and added.  Upstream adds in the order of a hash map; here it is the order
 * of resource ids.  main's least-cost never looks at the score; main's least-waste
 * counts the cheapest candidates and takes a random number below that count as an
 * index into the list of all: the number is read as 0, so the first candidate wins. */
#include "scale/rules/nru.h"

#include <math.h>
#include <string.h>

const char *const stow_nru_rules_names[] = {"document", "main", "pr158", NULL};
const char *const stow_nru_scorer_names[] = {"least-cost", "least-waste", NULL};

static bool find_name(const char *const *names, struct stow_str name, int *ret)
{
    for (int i = 0; names[i]; i++) {
        if (!stow_str_is(name, names[i]))
            continue;
        *ret = i;
        return true;
    }
    return false;
}

bool stow_nru_rules_find(struct stow_str name, enum stow_nru_rules *ret)
{
    int i;

    if (!find_name(stow_nru_rules_names, name, &i))
        return false;
    *ret = (enum stow_nru_rules)i;
    return true;
}

bool stow_nru_scorer_find(struct stow_str name, enum stow_nru_scorer *ret)
{
    int i;

    if (!find_name(stow_nru_scorer_names, name, &i))
        return false;
    *ret = (enum stow_nru_scorer)i;
    return true;
}

/* ---- weights ----------------------------------------------------------------------------- */

#define NANO INT64_C(1000000000)

static const struct stow_nru_named document_weights[] = {
    {"cpu", 6 * NANO, STOW_NRU_CORE},
    {"memory", 1 * NANO, STOW_NRU_GIB},
};

static const struct stow_nru_named upstream_weights[] = {
    {"cpu", 9 * NANO, STOW_NRU_CORE},
    {"memory", 1 * NANO, STOW_NRU_BYTE},
    {"nvidia.com/gpu", 20 * NANO, STOW_NRU_DEVICE},
};

const struct stow_nru_named *stow_nru_own_weights(enum stow_nru_rules rules, uint32_t *ret_count)
{
    if (rules == STOW_NRU_DOCUMENT) {
        *ret_count = sizeof(document_weights) / sizeof(document_weights[0]);
        return document_weights;
    }
    *ret_count = sizeof(upstream_weights) / sizeof(upstream_weights[0]);
    return upstream_weights;
}

static stow_resource_id resource_named(const struct stow_snapshot *s, const char *name)
{
    stow_sym sym = stow_intern_find(&s->text, stow_str_of(name));

    return sym == STOW_INTERN_FAILED ? STOW_NONE : stow_resource_find(s, sym);
}

/* Puts a weight at its place in the order of ids; a resource that is there already is replaced. */
static uint32_t put_weight(struct stow_nru_weight *list, uint32_t count, struct stow_nru_weight w)
{
    uint32_t at = 0;

    while (at < count && list[at].resource < w.resource)
        at++;
    if (at == count || list[at].resource != w.resource) {
        memmove(list + at + 1, list + at, (count - at) * sizeof(*list));
        count++;
    }
    list[at] = w;
    return count;
}

/* Numbers the resources of a list and puts them among those that are there. */
static uint32_t put_weights(const struct stow_snapshot *s, const struct stow_nru_named *named,
                            uint32_t count, struct stow_nru_weight *list, uint32_t kept)
{
    for (uint32_t i = 0; i < count; i++) {
        stow_resource_id id = resource_named(s, named[i].resource);

        if (id != STOW_NONE)
            kept =
                put_weight(list, kept, (struct stow_nru_weight){id, named[i].nano, named[i].unit});
    }
    return kept;
}

int stow_nru_bind(const struct stow_snapshot *s, const struct stow_nru_named *named, uint32_t count,
                  struct stow_arena *arena, struct stow_nru_rule *ret, struct stow_err *err)
{
    uint32_t owns;
    const struct stow_nru_named *own = stow_nru_own_weights(ret->rules, &owns);

    if (count > STOW_NRU_WEIGHTS_MAX - owns)
        return stow_fail(err, STOW_ELIMIT, "more than %d weights",
                         (int)(STOW_NRU_WEIGHTS_MAX - owns));

    struct stow_nru_weight *list = stow_arena_zalloc(arena, (owns + count) * sizeof(*list));

    if (!list)
        return stow_fail_memory(err);
    ret->weights = put_weights(s, own, owns, list, 0);
    ret->weights = put_weights(s, named, count, list, ret->weights);
    ret->weight = list;
    return STOW_OK;
}

static bool is_unit(int64_t unit)
{
    return unit == STOW_NRU_CORE || unit == STOW_NRU_GIB || unit == STOW_NRU_BYTE;
}

int stow_nru_check(const struct stow_nru_rule *rule, struct stow_err *err)
{
    if (rule->weights == 0)
        return stow_fail(err, STOW_EINVAL, "nru: no resource here has a weight");
    if (rule->weights > STOW_NRU_WEIGHTS_MAX)
        return stow_fail(err, STOW_ELIMIT, "nru: more than %d weights", STOW_NRU_WEIGHTS_MAX);
    for (uint32_t i = 0; i < rule->weights; i++) {
        const struct stow_nru_weight *w = &rule->weight[i];

        if (w->nano < 0 || w->nano > STOW_NRU_NANO_MAX || !is_unit(w->unit))
            return stow_fail(err, STOW_EINVAL, "nru: a weight is out of range");
        if (i > 0 && w[-1].resource >= w->resource)
            return stow_fail(err, STOW_EINVAL, "nru: weights out of order");
    }
    return STOW_OK;
}

/* ---- 256 bits ---------------------------------------------------------------------------- */

static struct stow_wide wide_negate(struct stow_wide a)
{
    uint64_t carry = 1;

    for (int i = 0; i < 4; i++) {
        a.limb[i] = ~a.limb[i] + carry;
        carry = carry && a.limb[i] == 0;
    }
    return a;
}

static struct stow_wide wide_add(struct stow_wide a, struct stow_wide b)
{
    stow_u128 sum = 0;

    for (int i = 0; i < 4; i++) {
        sum += (stow_u128)a.limb[i] + b.limb[i];
        a.limb[i] = (uint64_t)sum;
        sum >>= 64;
    }
    return a;
}

/* Modulo 2^256, which is right for negative numbers, too. */
static struct stow_wide wide_times(struct stow_wide a, uint64_t by)
{
    stow_u128 carry = 0;

    for (int i = 0; i < 4; i++) {
        carry += (stow_u128)a.limb[i] * by;
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

int stow_wide_compare(struct stow_wide a, struct stow_wide b)
{
    const uint64_t sign = UINT64_C(1) << 63;

    a.limb[3] ^= sign;
    b.limb[3] ^= sign;
    for (int i = 3; i >= 0; i--)
        if (a.limb[i] != b.limb[i])
            return a.limb[i] < b.limb[i] ? -1 : 1;
    return 0;
}

static bool wide_is_zero(struct stow_wide a)
{
    return (a.limb[0] | a.limb[1] | a.limb[2] | a.limb[3]) == 0;
}

/* ---- amounts ----------------------------------------------------------------------------- */

/* The least common multiple of the units. */
static int64_t denominator(const struct stow_nru_rule *rule)
{
    bool core = false, gib = false;

    for (uint32_t i = 0; i < rule->weights; i++) {
        core |= rule->weight[i].unit == STOW_NRU_CORE;
        gib |= rule->weight[i].unit == STOW_NRU_GIB;
    }
    if (gib)
        return core ? 125 * STOW_NRU_GIB : STOW_NRU_GIB;
    return core ? STOW_NRU_CORE : 1;
}

static struct stow_wide weigh(const struct stow_nru_weight *w, int64_t over, stow_i128 amount)
{
    uint64_t size = (uint64_t)(amount < 0 ? -amount : amount); /* |amount| < 2^64 */
    struct stow_wide product = {{size}};

    product = wide_times(product, (uint64_t)w->nano);
    product = wide_times(product, (uint64_t)(over / w->unit));
    return amount < 0 ? wide_negate(product) : product;
}

static int64_t listed(const int64_t *amount, stow_resource_id resource)
{
    return amount[resource] == STOW_NRU_ABSENT ? 0 : amount[resource];
}

struct stow_wide stow_nru_exact(const struct stow_nru_rule *rule, const int64_t *amount)
{
    const int64_t over = denominator(rule);
    struct stow_wide sum = {{0}};

    for (uint32_t i = 0; i < rule->weights; i++)
        sum =
            wide_add(sum, weigh(&rule->weight[i], over, listed(amount, rule->weight[i].resource)));
    return sum;
}

double stow_nru_near(const struct stow_nru_rule *rule, struct stow_wide nru)
{
    const bool minus = nru.limb[3] >> 63;
    double sum = 0;

    if (minus)
        nru = wide_negate(nru);
    for (int i = 3; i >= 0; i--)
        sum = sum * 0x1p64 + (double)nru.limb[i];
    sum = sum / (double)denominator(rule) / 1e9;
    return minus ? -sum : sum;
}

/* Allocatable less placed, for what the node lists. */
static struct stow_wide waste_exact(const struct stow_nru_rule *rule,
                                    const struct stow_nru_candidate *c)
{
    const int64_t over = denominator(rule);
    struct stow_wide sum = {{0}};

    for (uint32_t i = 0; i < rule->weights; i++) {
        stow_resource_id r = rule->weight[i].resource;

        if (c->allocatable[r] == STOW_NRU_ABSENT)
            continue;
        stow_i128 left = (stow_i128)c->allocatable[r] - c->placed[r];

        sum = wide_add(sum, weigh(&rule->weight[i], over, left));
    }
    return sum;
}

/* weight * quantity as upstream computes it: weights are per core, byte and device. */
static double weigh_double(const struct stow_nru_weight *w, stow_i128 amount)
{
    double weight = (double)w->nano / 1e9;

    if (w->unit == STOW_NRU_CORE)
        return weight * ((double)amount * 1e-3);
    return weight / (double)w->unit * (double)amount; /* the unit is a power of 2: exact */
}

double stow_nru_double(const struct stow_nru_rule *rule, const int64_t *amount)
{
    double sum = 0;

    for (uint32_t i = 0; i < rule->weights; i++)
        sum += weigh_double(&rule->weight[i], listed(amount, rule->weight[i].resource));
    return sum;
}

static double waste_double(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c)
{
    double sum = 0;

    for (uint32_t i = 0; i < rule->weights; i++) {
        stow_resource_id r = rule->weight[i].resource;

        if (c->allocatable[r] != STOW_NRU_ABSENT)
            sum += weigh_double(&rule->weight[i], (stow_i128)c->allocatable[r] - c->placed[r]);
    }
    return sum;
}

/* ---- scores ------------------------------------------------------------------------------ */

double stow_nru_score(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c)
{
    if (rule->scorer == STOW_NRU_LEAST_WASTE)
        return waste_double(rule, c);

    double nru = stow_nru_double(rule, c->placed);

    return nru == 0 ? 0 : nru / c->price_double;
}

/* Upstream converts what does not fit into the smallest number; a free node is then the worst.
 * Here it is the best there can be. */
static int64_t whole(double value)
{
    if (isnan(value))
        return 0;
    if (value >= 0x1p63)
        return INT64_MAX;
    return value < -0x1p63 ? INT64_MIN : (int64_t)value;
}

int64_t stow_nru_value(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c)
{
    if (rule->scorer == STOW_NRU_LEAST_WASTE)
        return whole(waste_double(rule, c) * 100);
    return whole(round(stow_nru_double(rule, c->placed) * 100 / c->price_double));
}

static int64_t value_of(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c)
{
    return c->has_value ? c->value : stow_nru_value(rule, c);
}

/* ---- choosing ---------------------------------------------------------------------------- */

/* All comparisons: > 0 when `a` is better. */
typedef int (*compare_fn)(const struct stow_nru_rule *rule, const struct stow_nru_candidate *a,
                          const struct stow_nru_candidate *b);

static int by_capacity(const struct stow_nru_rule *rule, const struct stow_nru_candidate *a,
                       const struct stow_nru_candidate *b)
{
    return stow_wide_compare(stow_nru_exact(rule, a->allocatable),
                             stow_nru_exact(rule, b->allocatable));
}

static int by_capacity_double(const struct stow_nru_rule *rule, const struct stow_nru_candidate *a,
                              const struct stow_nru_candidate *b)
{
    double x = stow_nru_double(rule, a->allocatable), y = stow_nru_double(rule, b->allocatable);

    return (x > y) - (x < y);
}

/* NRU per price, by cross-multiplication.  Doubles decide when they are further apart than their
 * errors (at most 64 terms, none negative: a relative 10^-14) could explain. */
static int by_score(const struct stow_nru_rule *rule, const struct stow_nru_candidate *a,
                    const struct stow_nru_candidate *b)
{
    const double about_a = stow_nru_double(rule, a->placed) * (double)b->price;
    const double about_b = stow_nru_double(rule, b->placed) * (double)a->price;

    if (fabs(about_a - about_b) > 1e-9 * (about_a + about_b))
        return about_a > about_b ? 1 : -1;

    struct stow_wide x = stow_nru_exact(rule, a->placed), y = stow_nru_exact(rule, b->placed);
    /* Nothing for nothing is a score of 0: an order needs 0 / 0 to be something. */
    uint64_t p = wide_is_zero(x) ? 1 : (uint64_t)a->price;
    uint64_t q = wide_is_zero(y) ? 1 : (uint64_t)b->price;

    return stow_wide_compare(wide_times(x, q), wide_times(y, p));
}

static int by_value(const struct stow_nru_candidate *a, const struct stow_nru_candidate *b)
{
    return (a->value > b->value) - (a->value < b->value);
}

static int document_cost(const struct stow_nru_rule *rule, const struct stow_nru_candidate *a,
                         const struct stow_nru_candidate *b)
{
    int score = a->has_value && b->has_value ? by_value(a, b) : by_score(rule, a, b);

    return score ? score : by_capacity(rule, a, b);
}

static int document_waste(const struct stow_nru_rule *rule, const struct stow_nru_candidate *a,
                          const struct stow_nru_candidate *b)
{
    int less = a->has_value && b->has_value
                   ? by_value(b, a)
                   : stow_wide_compare(waste_exact(rule, b), waste_exact(rule, a));

    return less ? less : (a->price < b->price) - (a->price > b->price);
}

static int pr158_cost(const struct stow_nru_rule *rule, const struct stow_nru_candidate *a,
                      const struct stow_nru_candidate *b)
{
    int64_t x = value_of(rule, a), y = value_of(rule, b);

    return x != y ? (x > y) - (x < y) : by_capacity_double(rule, a, b);
}

static int pr158_waste(const struct stow_nru_rule *rule, const struct stow_nru_candidate *a,
                       const struct stow_nru_candidate *b)
{
    int64_t x = value_of(rule, a), y = value_of(rule, b);

    if (x != y)
        return (x < y) - (x > y);
    return (a->price_double < b->price_double) - (a->price_double > b->price_double);
}

/* The first of the list (see the top). */
static int main_waste(const struct stow_nru_rule *rule, const struct stow_nru_candidate *a,
                      const struct stow_nru_candidate *b)
{
    (void)rule;
    (void)a;
    (void)b;
    return 0;
}

static compare_fn comparison(const struct stow_nru_rule *rule)
{
    static const compare_fn table[][2] = {
        [STOW_NRU_DOCUMENT] = {document_cost, document_waste},
        [STOW_NRU_MAIN] = {by_capacity_double, main_waste},
        [STOW_NRU_PR158] = {pr158_cost, pr158_waste},
    };

    return table[rule->rules][rule->scorer];
}

static uint32_t best_but(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c,
                         uint32_t count, uint32_t without)
{
    const compare_fn compare = comparison(rule);
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < count; i++)
        if (i != without && (best == UINT32_MAX || compare(rule, &c[i], &c[best]) > 0))
            best = i;
    return best;
}

uint32_t stow_nru_select(const struct stow_nru_rule *rule, const struct stow_nru_candidate *c,
                         uint32_t count, uint32_t *ret_runner_up)
{
    uint32_t best = best_but(rule, c, count, UINT32_MAX);

    if (ret_runner_up)
        *ret_runner_up = best == UINT32_MAX ? UINT32_MAX : best_but(rule, c, count, best);
    return best;
}
