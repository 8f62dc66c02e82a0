/* prop_optimal.c - small random problems, against trying everything.
 *
 * A problem has up to three classes with seven pods in all, up to four kinds, limits of every sort,
 * classes that stand alone on a node, nodes that exist already, priorities, resources that some
 * kinds lack or have less than none of.  All plans are tried.  Then: the plan obeys all rules; the
 * bound is no more, and the cost no less, than the cheapest plan that places as many pods of each
 * priority; both are equal when the gap is said to be 0.  The proof is checked on its own, from its
 * data alone, by trying every set of pods on every kind.  Nothing of this uses the solver's code.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "optimal/solve.h"
#include "tests/property/property.h"

#define CLASSES 3
#define KINDS   4
#define ROWS    2
#define DIMS    3
#define MORE    37 /* resources beside those, in some problems */
#define PODS    7
#define LEVELS  3
#define MANY    1000000

struct tiny {
    struct stow_problem p;
    struct stow_problem_class class[CLASSES];
    struct stow_problem_kind kind[KINDS];
    struct stow_problem_row row[ROWS];
    int64_t need[CLASSES][DIMS + MORE], capacity[KINDS][DIMS + MORE], amount[ROWS][KINDS];
    uint64_t allowed[KINDS];
    int64_t unit; /* of prices */
};

/* ---- random problems
 * ------------------------------------------------------------------------------------ */

static void random_classes(struct chance *c, struct tiny *t)
{
    uint32_t pods = 1 + chance_below(c, PODS);

    t->p.classes = 1 + chance_below(c, CLASSES);
    for (uint32_t k = 0; k < t->p.classes; k++) {
        uint32_t count = k + 1 == t->p.classes ? pods : chance_below(c, pods + 1);

        for (uint32_t d = 0; d < t->p.dims; d++)
            t->need[k][d] = chance_one_in(c, 4) ? 0 : 1 + chance_below(c, 6);
        t->class[k] =
            (struct stow_problem_class){.need = t->need[k],
                                        .count = count,
                                        .priority = (int32_t)chance_below(c, LEVELS),
                                        .most = chance_one_in(c, 6) ? 1 + chance_below(c, 3) : 0};
        if (chance_one_in(c, 3) && k)
            t->class[k].priority = t->class[0].priority;
        pods -= count;
    }
}

static void random_kind(struct chance *c, struct tiny *t, uint32_t g, bool limits)
{
    struct stow_problem_kind *kind = &t->kind[g];

    for (uint32_t d = 0; d < t->p.dims; d++)
        t->capacity[g][d] =
            chance_one_in(c, 5) ? (int64_t)chance_below(c, 3) - 2 : 1 + chance_below(c, 14);
    *kind = (struct stow_problem_kind){.capacity = t->capacity[g],
                                       .price = t->unit * (1 + chance_below(c, 12)),
                                       .most = STOW_PROBLEM_UNLIMITED};
    if (chance_one_in(c, 3)) {
        t->allowed[g] = chance_next(c);
        kind->allowed = &t->allowed[g];
    }
    if (limits && chance_one_in(c, 2))
        kind->most = chance_below(c, 4);
    if (limits && chance_one_in(c, 5))
        kind->least = chance_below(c, 3);
    if (limits && chance_one_in(c, 4)) { /* existing nodes */
        kind->price = 0;
        kind->most = chance_below(c, 3);
        kind->least = 0;
    }
    if (kind->least > kind->most)
        kind->least = kind->most;
}

/* Rows leave room for what must be bought. */
static void random_row(struct chance *c, struct tiny *t, uint32_t r)
{
    int64_t must = 0;
    bool money = chance_one_in(c, 3), nodes = chance_one_in(c, 2);

    for (uint32_t g = 0; g < t->p.kinds; g++) {
        t->amount[r][g] = money ? t->kind[g].price : nodes ? 1 : chance_below(c, 5);
        must += t->amount[r][g] * t->kind[g].least;
    }
    t->row[r] = (struct stow_problem_row){
        .amount = t->amount[r],
        .limit = must + (money ? t->unit * chance_below(c, 20) : chance_below(c, 8)),
        .in_proof = !money,
        .unit = chance_one_in(c, 2) ? 1 : 1 + chance_below(c, 40)};
}

/* Prices are multiples of the unit; 0: of a usual one. */
static void random_problem_of(struct chance *c, struct tiny *t, int64_t unit)
{
    bool limits = chance_one_in(c, 2);

    memset(t, 0, sizeof(*t));
    t->unit = chance_one_in(c, 4) ? 10 : 10000000;
    t->unit = unit ? unit : t->unit;
    t->p.dims = 1 + chance_below(c, DIMS);
    t->p.kinds = 1 + chance_below(c, KINDS);
    t->p.rows = limits ? chance_below(c, ROWS + 1) : 0;
    t->p.class = t->class;
    t->p.kind = t->kind;
    t->p.row = t->row;
    random_classes(c, t);
    for (uint32_t g = 0; g < t->p.kinds; g++)
        random_kind(c, t, g, limits);
    for (uint32_t r = 0; r < t->p.rows; r++)
        random_row(c, t, r);
}

static void random_problem(struct chance *c, struct tiny *t)
{
    random_problem_of(c, t, 0);
}

/* ---- trying everything
 * ------------------------------------------------------------------------------------ */

struct set {
    uint32_t kind, count[CLASSES];
};

struct trial {
    const struct tiny *t;
    struct set *set;
    uint32_t sets, cap;
    uint32_t rest[CLASSES], nodes[KINDS];
    int64_t cost;
    bool wanted_only; /* only plans that leave as many as `wanted` */
    int64_t wanted[LEVELS], best_left[LEVELS], best_cost;
    bool found;
};

static bool fits(const struct tiny *t, uint32_t g, const uint32_t *count)
{
    const struct stow_problem_kind *kind = &t->kind[g];

    for (uint32_t k = 0; k < t->p.classes; k++)
        if (count[k] && ((t->class[k].most && count[k] > t->class[k].most) ||
                         (kind->allowed && !(kind->allowed[0] >> k & 1))))
            return false;
    for (uint32_t d = 0; d < t->p.dims; d++) {
        int64_t used = 0;

        for (uint32_t k = 0; k < t->p.classes; k++)
            used += t->need[k][d] * count[k];
        if (used > 0 && used > t->capacity[g][d])
            return false;
    }
    return true;
}

/* The next set of pods, like an odometer; false: that was the last. */
static bool next_set(const struct tiny *t, uint32_t *count)
{
    for (uint32_t k = 0; k < t->p.classes; k++) {
        if (count[k] < t->class[k].count) {
            count[k]++;
            return true;
        }
        count[k] = 0;
    }
    return false;
}

/* Every set of pods that every kind holds, the empty one too. */
static void list_sets(struct trial *r)
{
    for (uint32_t g = 0; g < r->t->p.kinds; g++) {
        uint32_t count[CLASSES] = {0};

        do {
            if (!fits(r->t, g, count))
                continue;
            if (r->sets == r->cap) {
                r->cap = r->cap ? r->cap * 2 : 64;
                r->set = realloc(r->set, r->cap * sizeof(*r->set));
            }
            r->set[r->sets].kind = g;
            memcpy(r->set[r->sets++].count, count, sizeof(count));
        } while (next_set(r->t, count));
    }
}

static bool within_limits(const struct trial *r)
{
    for (uint32_t g = 0; g < r->t->p.kinds; g++)
        if (r->nodes[g] < r->t->kind[g].least)
            return false;
    return true;
}

static void left_of(const struct tiny *t, const uint32_t *rest, int64_t *left)
{
    memset(left, 0, LEVELS * sizeof(*left));
    for (uint32_t k = 0; k < t->p.classes; k++)
        left[LEVELS - 1 - t->class[k].priority] += rest[k];
}

/* Is the plan at hand the best so far? */
static void judge(struct trial *r)
{
    int64_t left[LEVELS];
    int order;

    if (!within_limits(r))
        return;
    left_of(r->t, r->rest, left);
    if (r->wanted_only && memcmp(left, r->wanted, sizeof(left)) != 0)
        return;
    order = 0;
    for (uint32_t l = 0; r->found && !order && l < LEVELS; l++)
        order = left[l] < r->best_left[l] ? -1 : left[l] > r->best_left[l];
    if (!r->found || order < 0 || (order == 0 && r->cost < r->best_cost)) {
        memcpy(r->best_left, left, sizeof(left));
        r->best_cost = r->cost;
        r->found = true;
    }
}

static bool may_buy(const struct trial *r, uint32_t g)
{
    if (r->nodes[g] >= r->t->kind[g].most)
        return false;
    for (uint32_t i = 0; i < r->t->p.rows; i++) {
        int64_t sum = r->t->amount[i][g];

        for (uint32_t h = 0; h < r->t->p.kinds; h++)
            sum += r->t->amount[i][h] * r->nodes[h];
        if (sum > r->t->row[i].limit)
            return false;
    }
    return true;
}

static bool available(const struct trial *r, const struct set *s)
{
    uint32_t pods = 0;

    for (uint32_t k = 0; k < r->t->p.classes; k++) {
        if (s->count[k] > r->rest[k])
            return false;
        pods += s->count[k];
    }
    /* an empty node is only of use for a minimum */
    return (pods || r->nodes[s->kind] < r->t->kind[s->kind].least) && may_buy(r, s->kind);
}

static void put(struct trial *r, const struct set *s, bool back)
{
    for (uint32_t k = 0; k < r->t->p.classes; k++)
        r->rest[k] += back ? s->count[k] : -s->count[k];
    r->nodes[s->kind] += back ? UINT32_MAX : 1;
    r->cost += back ? -r->t->kind[s->kind].price : r->t->kind[s->kind].price;
}

/* Sets in the order of the list, so that every plan is met once. */
static void try_from(struct trial *r, uint32_t from)
{
    judge(r);
    for (uint32_t i = from; i < r->sets; i++) {
        if (!available(r, &r->set[i]))
            continue;
        put(r, &r->set[i], false);
        try_from(r, i);
        put(r, &r->set[i], true);
    }
}

static void try_all(struct trial *r, const struct tiny *t, const int64_t *wanted)
{
    memset(r, 0, sizeof(*r));
    r->t = t;
    r->wanted_only = wanted != NULL;
    if (wanted)
        memcpy(r->wanted, wanted, sizeof(r->wanted));
    for (uint32_t k = 0; k < t->p.classes; k++)
        r->rest[k] = t->class[k].count;
    list_sets(r);
    try_from(r, 0);
    free(r->set);
}

/* ---- the plan
 * ------------------------------------------------------------------------------------------------
 */

/* Recounts a plan by the rules of this file; what it leaves out goes to `rest`. */
static bool plan_holds(const struct tiny *t, const struct stow_solution *s, uint32_t *rest)
{
    uint32_t nodes[KINDS] = {0};
    int64_t cost = 0;

    for (uint32_t k = 0; k < t->p.classes; k++)
        rest[k] = t->class[k].count;
    for (uint32_t i = 0; i < s->plan.loads; i++) {
        const struct stow_load *load = &s->plan.load[i];
        uint32_t count[CLASSES] = {0};

        for (uint32_t j = 0; j < load->terms; j++)
            count[s->plan.term[load->first + j].class] += s->plan.term[load->first + j].count;
        if (!fits(t, load->kind, count))
            return property_fails("a node of kind %u holds too much", load->kind);
        for (uint32_t k = 0; k < t->p.classes; k++) {
            if (count[k] * load->times > rest[k])
                return property_fails("more pods of class %u than there are", k);
            rest[k] -= count[k] * load->times;
        }
        nodes[load->kind] += load->times;
        cost += t->kind[load->kind].price * load->times;
    }
    for (uint32_t g = 0; g < t->p.kinds; g++)
        if (nodes[g] < t->kind[g].least || nodes[g] > t->kind[g].most)
            return property_fails("%u nodes of kind %u", nodes[g], g);
    for (uint32_t r = 0; r < t->p.rows; r++) {
        int64_t sum = 0;

        for (uint32_t g = 0; g < t->p.kinds; g++)
            sum += t->amount[r][g] * nodes[g];
        if (sum > t->row[r].limit)
            return property_fails("row %u is exceeded", r);
    }
    if (cost != s->cost || memcmp(rest, s->left, t->p.classes * sizeof(*rest)) != 0)
        return property_fails("cost or pods left out are not as stated");
    return true;
}

/* ---- the proof
 * --------------------------------------------------------------------------------------------------
 */

/* Limits on the way from the root to a leaf. */
struct path {
    uint32_t least[KINDS], most[KINDS];
    const uint32_t *leader; /* per kind */
};

/* Whether a limit is of a kind: of its own, or, where a split says so, of all that its leader
 * leads.
 */
static bool is_limit_of(const struct tiny *t, const struct path *path,
                        const struct stow_proof_limit *limit, uint32_t g)
{
    const struct stow_problem_kind *own = &t->kind[limit->kind];

    if (limit->kind == g)
        return true;
    return path->leader[g] == limit->kind &&
           limit->amount != (limit->at_least ? own->least : own->most);
}

/* What a node of a kind costs at the prices of a leaf. */
static bool kind_cost(const struct tiny *t, const struct stow_proof_node *n,
                      const struct path *path, uint32_t g, int64_t *ret)
{
    *ret = t->kind[g].price;
    for (uint32_t r = 0; r < t->p.rows; r++)
        *ret += t->amount[r][g] * n->row_price[r] / t->row[r].unit;
    for (uint32_t i = 0; i < n->limits; i++) {
        const struct stow_proof_limit *limit = &n->limit[i];

        if (limit->price < 0)
            return property_fails("a limit with a price below 0");
        if (!is_limit_of(t, path, limit, g))
            continue;
        if (limit->at_least ? limit->amount > path->least[limit->kind]
                            : limit->amount < path->most[limit->kind])
            return property_fails("a limit that is not one here");
        *ret += limit->at_least ? -limit->price : limit->price;
    }
    return true;
}

static bool condition_holds(const struct tiny *t, const struct stow_proof_node *n,
                            const struct path *path)
{
    for (uint32_t g = 0; g < t->p.kinds; g++) {
        uint32_t count[CLASSES] = {0};
        int64_t cost;

        if (!kind_cost(t, n, path, g, &cost))
            return false;
        if (path->most[g] == 0 || path->most[path->leader[g]] == 0)
            continue;
        do {
            int64_t worth = 0;

            for (uint32_t k = 0; k < t->p.classes; k++)
                worth += n->price[k] * count[k];
            if (worth > cost && fits(t, g, count))
                return property_fails("a node of kind %u is worth %lld and costs %lld", g,
                                      (long long)worth, (long long)cost);
        } while (next_set(t, count));
    }
    return true;
}

/* The sum over the cheapest pods of each priority, as many as are placed. */
static int64_t sum_placed(const struct tiny *t, const struct stow_solution *s,
                          const struct stow_proof_node *n)
{
    uint32_t out[CLASSES] = {0};
    int64_t left[LEVELS] = {0}, sum = 0;

    for (uint32_t k = 0; k < t->p.classes; k++)
        if (!s->nowhere[k])
            left[t->class[k].priority] += s->left[k];
    for (int l = 0; l < LEVELS; l++)
        while (left[l]-- > 0) { /* the dearest that is left of this priority goes */
            uint32_t best = CLASSES;

            for (uint32_t k = 0; k < t->p.classes; k++)
                if (!s->nowhere[k] && t->class[k].priority == l && out[k] < t->class[k].count &&
                    (best == CLASSES || n->price[k] > n->price[best]))
                    best = k;
            if (best < CLASSES)
                out[best]++;
        }
    for (uint32_t k = 0; k < t->p.classes; k++)
        if (!s->nowhere[k])
            sum += n->price[k] * (t->class[k].count - out[k]);
    return sum;
}

static bool leaf_holds(const struct tiny *t, const struct stow_solution *s,
                       const struct stow_proof_node *n, const struct path *path, int64_t *ret)
{
    for (uint32_t k = 0; k < t->p.classes; k++)
        if (n->price[k] < 0)
            return property_fails("a price below 0");
    if (!condition_holds(t, n, path))
        return false;
    *ret = sum_placed(t, s, n);
    for (uint32_t r = 0; r < t->p.rows; r++) {
        if (n->row_price[r] < 0 || (n->row_price[r] && !t->row[r].in_proof))
            return property_fails("a row with a price it must not have");
        *ret -= (n->row_price[r] * t->row[r].limit + t->row[r].unit - 1) / t->row[r].unit;
    }
    for (uint32_t i = 0; i < n->limits; i++)
        *ret += n->limit[i].at_least ? n->limit[i].price * n->limit[i].amount
                                     : -n->limit[i].price * n->limit[i].amount;
    if (*ret < n->bound)
        return property_fails("a leaf proves %lld, not %lld", (long long)*ret, (long long)n->bound);
    return true;
}

static bool tree_holds(const struct tiny *t, const struct stow_solution *s, uint32_t number,
                       const struct path *path, int64_t *ret)
{
    const struct stow_proof_node *n = &s->proof.node[number];
    struct path below = *path, above = *path;
    int64_t le, gt;

    if (!n->is_split)
        return leaf_holds(t, s, n, path, ret);
    if (n->at < below.most[n->kind])
        below.most[n->kind] = n->at;
    if (n->at + 1 > above.least[n->kind])
        above.least[n->kind] = n->at + 1;
    if (!tree_holds(t, s, n->le, &below, &le) || !tree_holds(t, s, n->gt, &above, &gt))
        return false;
    *ret = le < gt ? le : gt;
    return true;
}

/* A plan may buy the kind: it takes a pod, or some of it must be bought. */
static bool may_appear(const struct tiny *t, uint32_t g)
{
    bool takes = t->kind[g].least > 0;

    for (uint32_t k = 0; k < t->p.classes; k++) {
        uint32_t count[CLASSES] = {0};

        count[k] = 1;
        takes |= t->class[k].count && fits(t, g, count);
    }
    return takes;
}

static bool can_be_sum(const struct tiny *t, int64_t sum)
{
    if (sum == 0)
        return true;
    for (uint32_t g = 0; g < t->p.kinds; g++)
        if (t->kind[g].price > 0 && t->kind[g].price <= sum && may_appear(t, g) &&
            can_be_sum(t, sum - t->kind[g].price))
            return true;
    return false;
}

static bool proof_holds(const struct tiny *t, const struct stow_solution *s)
{
    struct path path = {.leader = s->proof.leader};
    int64_t bound;

    for (uint32_t g = 0; g < t->p.kinds; g++) {
        path.least[g] = t->kind[g].least;
        path.most[g] = t->kind[g].most;
    }
    if (!tree_holds(t, s, 0, &path, &bound))
        return false;
    if (bound < s->proof.tree_bound)
        return property_fails("the tree proves less than it says");
    for (int64_t sum = bound > 0 ? (bound + t->unit - 1) / t->unit * t->unit : 0; sum < s->bound;
         sum += t->unit)
        if (can_be_sum(t, sum))
            return property_fails("lifted from %lld past %lld to %lld", (long long)bound,
                                  (long long)sum, (long long)s->bound);
    return true;
}

/* ---- the statements
 * ------------------------------------------------------------------------------------------------
 */

static bool compare(const struct tiny *t, const struct stow_solution *s)
{
    uint32_t rest[CLASSES];
    int64_t left[LEVELS];
    struct trial same;

    if (!plan_holds(t, s, rest) || !proof_holds(t, s))
        return false;
    left_of(t, rest, left);
    try_all(&same, t, left);
    if (!same.found)
        return property_fails("nobody else finds such a plan");
    if (s->bound > same.best_cost || s->cost < same.best_cost)
        return property_fails("bound %lld, optimum %lld, cost %lld", (long long)s->bound,
                              (long long)same.best_cost, (long long)s->cost);
    if (s->gap == 0 && s->cost != same.best_cost)
        return property_fails("said to be optimal, but %lld > %lld", (long long)s->cost,
                              (long long)same.best_cost);
    return true;
}

static bool solve(const struct tiny *t, uint32_t threads, struct stow_solution *s)
{
    struct stow_solve_options options = {.gap = 0, .threads = threads};
    struct stow_err err;

    if (stow_solve(&t->p, &options, s, &err) < 0)
        return property_fails("not solved: %s", err.msg);
    return true;
}

static bool bounds_and_plans_hold(uint64_t seed)
{
    struct chance c = {seed};
    struct tiny t;
    struct stow_solution s;

    random_problem(&c, &t);
    if (!solve(&t, 1, &s))
        return false;

    bool holds = compare(&t, &s);

    stow_solution_done(&s);
    return holds;
}

/* Nodes of up to 100,000 per hour. */
static bool prices_may_be_large(uint64_t seed)
{
    static const int64_t tops[] = {INT64_C(80000000000), INT64_C(800000000000),
                                   INT64_C(8000000000000)};
    struct chance c = {seed};
    struct tiny t;
    struct stow_solution s;
    const int64_t top = tops[chance_below(&c, 3)];

    random_problem_of(&c, &t, 1 + (int64_t)(chance_next(&c) % (uint64_t)top));
    if (!solve(&t, 1, &s))
        return false;

    bool holds = compare(&t, &s);

    stow_solution_done(&s);
    return holds;
}

/* Beside the usual ones there are many that few pods ask for; some can run out, others not. */
static bool resources_may_be_many(uint64_t seed)
{
    struct chance c = {seed};
    struct tiny t;
    struct stow_solution s;

    random_problem(&c, &t);
    for (uint32_t more = 1 + chance_below(&c, MORE); more > 0; more--, t.p.dims++) {
        for (uint32_t k = 0; k < t.p.classes; k++)
            t.need[k][t.p.dims] = chance_one_in(&c, 5) ? 1 + chance_below(&c, 6) : 0;
        for (uint32_t g = 0; g < t.p.kinds; g++)
            t.capacity[g][t.p.dims] = 3 + chance_below(&c, 20);
    }
    if (!solve(&t, 1, &s))
        return false;

    bool holds = compare(&t, &s);

    stow_solution_done(&s);
    return holds;
}

/* Pods are left out only when no plan places more; plans are as cheap as the cheapest. */
static bool plans_are_the_best(uint64_t seed)
{
    struct chance c = {seed};
    struct tiny t;
    struct stow_solution s;
    struct trial all;
    uint32_t rest[CLASSES];
    int64_t left[LEVELS];

    random_problem(&c, &t);
    if (!solve(&t, 1, &s) || !plan_holds(&t, &s, rest))
        return false;
    stow_solution_done(&s);
    left_of(&t, rest, left);
    try_all(&all, &t, NULL);
    for (uint32_t l = 0; l < LEVELS; l++)
        if (left[l] != all.best_left[l])
            return property_fails("leaves out %lld of level %u, not %lld", (long long)left[l], l,
                                  (long long)all.best_left[l]);
    return true;
}

static bool same_loads(const struct stow_packing *a, const struct stow_packing *b)
{
    return a->loads == b->loads && a->terms == b->terms &&
           (a->loads == 0 || memcmp(a->load, b->load, a->loads * sizeof(*a->load)) == 0) &&
           (a->terms == 0 || memcmp(a->term, b->term, a->terms * sizeof(*a->term)) == 0);
}

static bool threads_do_not_matter(uint64_t seed)
{
    struct chance c = {seed};
    struct tiny t;
    struct stow_solution one, two;

    random_problem(&c, &t);
    if (!solve(&t, 1, &one) || !solve(&t, 2, &two))
        return false;

    bool same = same_loads(&one.plan, &two.plan) && one.bound == two.bound;

    stow_solution_done(&one);
    stow_solution_done(&two);
    return same || property_fails("one and two threads disagree");
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"bounds-and-plans-hold", bounds_and_plans_hold, 3000},
        {"prices-may-be-large", prices_may_be_large, 3000},
        {"resources-may-be-many", resources_may_be_many, 1500},
        {"plans-are-the-best", plans_are_the_best, 1000},
        {"threads-do-not-matter", threads_do_not_matter, 200},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
