/* proof.c - what shows that a plan is as cheap as it says, in the words of the input.
 *
 * The solver proves in classes and kinds: prices y of classes, w of limits, such that no node is
 * worth more than it costs.  Here they become pods, groups, nodes and resources, and the sums are
 * made again, in integers, for the pods that the plan really places: when rules over several nodes
 * have left pods out that the solver had placed, the bound is for plans that place as many. */
#include "scale/proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"
#include "base/whole.h"
#include "optimal/family.h"
#include "place/domains.h"
#include "scale/fluid.h"
#include "scale/margin.h"

struct proving {
    struct stow_session *session;
    const struct stow_yard *yard;
    const struct stow_formulation *f;
    const struct stow_formulation *whole; /* without rules over several nodes */
    const struct stow_solution *solution;
    const struct stow_weights *weights;
    struct stow_plan *plan;
    struct stow_arena *arena;
    uint32_t *class_of; /* per class of the proof: of the problem, the first one of a family */
    uint32_t *slot_of;  /* per class of the proof: in lists of prices, and behind them how many */
    const struct stow_problem_family **family; /* per class of the proof; NULL: none */
    uint32_t classes;
    struct stow_plan_branch *branch;
    struct stow_plan_class *class;
    struct unit *unit; /* per class of the proof, sorted for sums */
};

/* A class of the proof with the value that is summed. */
struct unit {
    int32_t priority;
    uint32_t class, pods;
    stow_i128 value; /* of one pod */
    stow_i128 all;   /* of all of them: more, where a rule does not let all be where it is least */
};

static void proving_done(struct proving *p)
{
    free(p->unit);
}

static void *take(struct proving *p, size_t count, size_t size)
{
    return stow_arena_zalloc(p->arena, (count + 1) * size);
}

static uint32_t yard_class(const struct proving *p, uint32_t class)
{
    return p->f->class[p->class_of[class]].class;
}

/* ---- sums over the pods that are placed --------------------------------------------------- */

/* By priority, then by value: of each priority the cheapest are taken first. */
static int compare_units(const void *a, const void *b)
{
    const struct unit *x = a, *y = b;

    if (x->priority != y->priority)
        return x->priority < y->priority ? 1 : -1;
    return (x->value > y->value) - (x->value < y->value);
}

/* How many pods of a priority the plan places. */
static uint64_t placed_of(const struct proving *p, int32_t priority)
{
    uint64_t placed = 0;

    for (uint32_t i = 0; i < p->classes; i++)
        if (p->yard->class[yard_class(p, i)].priority == priority)
            placed += p->session->class_put[yard_class(p, i)];
    return placed;
}

/* How many there are. */
static uint64_t pods_of(const struct proving *p, int32_t priority)
{
    uint64_t pods = 0;

    for (uint32_t i = 0; i < p->classes; i++)
        if (p->unit[i].priority == priority)
            pods += p->unit[i].pods;
    return pods;
}

/* The sum of the values of as many pods of each priority as the plan places, the smallest ones. */
static stow_i128 sum_placed(const struct proving *p)
{
    stow_i128 sum = 0;
    uint64_t left = 0;
    bool all = false;

    qsort(p->unit, p->classes, sizeof(*p->unit), compare_units);
    for (uint32_t i = 0; i < p->classes; i++) {
        const struct unit *u = &p->unit[i];
        uint64_t some;

        if (i == 0 || u->priority != p->unit[i - 1].priority) {
            left = placed_of(p, u->priority);
            all = left == pods_of(p, u->priority);
        }
        some = u->pods < left ? u->pods : left;
        sum += all ? u->all : u->value * (stow_i128)some;
        left -= some;
    }
    return sum;
}

/* What the pods of a family are worth: one, and all of them, wherever the rule lets them be. */
static void value_family(const struct proving *p, uint32_t class, const stow_nano *price,
                         struct unit *ret)
{
    const struct stow_problem_family *f = p->family[class];
    uint32_t cap[STOW_FAMILY_MAX], share[STOW_FAMILY_MAX];

    for (uint32_t i = 0; i < f->classes; i++)
        cap[i] = p->solution->nowhere[f->first + i] ? 0 : p->f->problem.class[f->first + i].cap;
    ret->all = stow_family_cheapest(f, price, cap, share);
    ret->value = ret->all / ret->pods;

    const stow_i128 least = stow_family_least(f, price, cap, share);

    ret->all = least > ret->all ? least : ret->all;
}

static void value_classes(struct proving *p, const stow_nano *price)
{
    for (uint32_t i = 0; i < p->classes; i++) {
        const uint32_t pods = p->yard->class[yard_class(p, i)].pods;
        const stow_nano *own = price + p->slot_of[i];

        p->unit[i] = (struct unit){
            .priority = p->yard->class[yard_class(p, i)].priority,
            .class = i,
            .pods = pods,
            .value = *own,
            .all = (stow_i128)*own * pods,
        };
        if (p->family[i])
            value_family(p, i, own, &p->unit[i]);
    }
}

/* ---- classes ----------------------------------------------------------------------------- */

/* The family that begins with a class of the problem; NULL: none does. */
static const struct stow_problem_family *family_at(const struct proving *p, uint32_t class)
{
    for (uint32_t i = 0; i < p->f->problem.families; i++)
        if (p->f->problem.family[i].first == class)
            return &p->f->problem.family[i];
    return NULL;
}

/* What the nodes of a domain have in common, by one of them. */
static const char *domain_name(const struct stow_snapshot *s, const struct stow_topology *t,
                               uint32_t domain)
{
    stow_node_id node = 0;

    while (node + 1 < s->nodes && t->of[node] != domain)
        node++;
    return stow_text(s, stow_label_value(s, s->node[node].labels, t->key)).ptr;
}

/* The names of the domains of a family. */
static int name_domains(struct proving *p, const struct stow_problem_family *f,
                        struct stow_plan_class *class)
{
    const struct stow_class_source *source = &p->f->class[f->first];
    const char **domain = take(p, f->classes, sizeof(*domain));

    if (!domain)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < f->classes; i++)
        domain[i] = domain_name(p->yard->s, source->topology, source[i].domain);
    class->topology = stow_text(p->yard->s, source->topology->key).ptr;
    class->domain = domain;
    class->domains = f->classes;
    return STOW_OK;
}

/* A class of the problem, or the first one of a family; how many prices it has. */
static int list_class(struct proving *p, uint32_t first, uint32_t slot)
{
    const struct stow_problem_family *family = family_at(p, first);
    const struct stow_ground *ground = p->session->ground;
    const uint32_t class = p->f->class[first].class;
    const uint32_t prices = family ? family->classes : 1;
    bool nowhere = true;

    for (uint32_t i = 0; i < prices; i++)
        nowhere &= p->solution->nowhere[first + i];
    if (nowhere)
        return 0;
    p->class_of[p->classes] = first;
    p->slot_of[p->classes] = slot;
    p->family[p->classes] = family;
    p->class[p->classes] = (struct stow_plan_class){
        .pod = ground->class_pod + ground->class_first[class],
        .pods = p->yard->class[class].pods,
        .slot = slot,
    };
    if (family)
        STOW_TRY(name_domains(p, family, &p->class[p->classes]));
    p->classes++;
    return (int)prices;
}

static int list_classes(struct proving *p)
{
    const uint32_t all = p->f->problem.classes;
    uint32_t slot = 0;

    p->class_of = take(p, all, sizeof(*p->class_of));
    p->slot_of = take(p, all, sizeof(*p->slot_of));
    p->family = take(p, all, sizeof(void *));
    p->class = take(p, all, sizeof(*p->class));
    p->unit = calloc((size_t)all + 1, sizeof(*p->unit)); /* arenas align less than it needs */
    if (!p->class_of || !p->slot_of || !p->family || !p->class || !p->unit)
        return STOW_ENOMEM;
    for (uint32_t i = 0, step; i < all; i += step) {
        const struct stow_problem_family *family = family_at(p, i);
        const int prices = list_class(p, i, slot);

        if (prices < 0)
            return prices;
        slot += (uint32_t)prices;
        step = family ? family->classes : 1;
    }
    p->slot_of[p->classes] = slot;
    return STOW_OK;
}

/* ---- limits ------------------------------------------------------------------------------ */

/* The plan outlives the problem: lists of nodes are copied. */
static int limit_of_kind(const struct proving *p, const struct stow_proof_limit *from,
                         struct stow_plan_limit *ret)
{
    const struct stow_kind_source *kind = &p->f->kind[from->kind];
    const struct stow_problem_kind *own = &p->f->problem.kind[from->kind];
    struct stow_plan_limit made = {
        .group = kind->group, .amount = from->amount, .price = from->price};

    if (kind->group == STOW_NONE) {
        made.kind = STOW_PROOF_NODE;
        made.node = stow_arena_copy(p->arena, kind->node, kind->nodes * sizeof(*kind->node));
        made.nodes = kind->nodes;
        if (!made.node)
            return STOW_ENOMEM;
    } else if (from->at_least) {
        made.kind = from->amount == own->least ? STOW_PROOF_MIN_NODES : STOW_PROOF_AT_LEAST;
        made.amount = -(int64_t)from->amount;
    } else {
        made.kind = from->amount == own->most ? STOW_PROOF_MAX_NODES : STOW_PROOF_AT_MOST;
    }
    *ret = made;
    return STOW_OK;
}

/* Rows of the problem are the session's limits in order; the budget comes behind them. */
static bool limit_of_row(const struct proving *p, const struct stow_proof_node *node, uint32_t row,
                         struct stow_plan_limit *ret)
{
    const struct stow_limit *limit = row < p->session->limits ? &p->session->limit[row] : NULL;

    if (!node->row_price[row])
        return false;
    *ret = (struct stow_plan_limit){
        .kind = !limit              ? STOW_PROOF_BUDGET
                : limit->total      ? STOW_PROOF_NODES_TOTAL
                : limit->of_pool    ? STOW_PROOF_POOL
                : limit->of_size    ? STOW_PROOF_MAX_NODES
                : limit->commitment ? STOW_PROOF_COMMITMENT
                                    : STOW_PROOF_QUOTA,
        .pool = limit && limit->of_pool ? limit->scope : NULL,
        .commitment = limit ? limit->commitment : NULL,
        .group = limit && limit->of_size ? limit->group : STOW_NONE,
        .resource = limit ? limit->name : (struct stow_str){0},
        .amount = p->f->problem.row[row].limit,
        .price = node->row_price[row],
        .unit = p->f->problem.row[row].unit,
    };
    return true;
}

/* What a limit takes off a bound: its amount at its price, rounded against the bound. */
static stow_i128 taken_off(const struct stow_plan_limit *limit)
{
    const stow_i128 product = (stow_i128)limit->amount * limit->price;

    return limit->unit > 1 ? (product + limit->unit - 1) / limit->unit : product;
}

/* ---- branches ---------------------------------------------------------------------------- */

static int make_leaf(struct proving *p, const struct stow_proof_node *from,
                     struct stow_plan_branch *to)
{
    const uint32_t slots = p->slot_of[p->classes];
    stow_nano *price = take(p, slots, sizeof(*price));
    struct stow_plan_limit *limit = take(p, from->limits + p->f->problem.rows, sizeof(*limit));
    stow_i128 bound;

    if (!price || !limit)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->classes; i++)
        for (uint32_t n = p->slot_of[i]; n < p->slot_of[i + 1]; n++)
            price[n] = from->price[p->class_of[i] + n - p->slot_of[i]];
    for (uint32_t row = 0; row < p->f->problem.rows; row++)
        to->limits += limit_of_row(p, from, row, &limit[to->limits]);
    for (uint32_t i = 0; i < from->limits; i++)
        if (from->limit[i].price)
            STOW_TRY(limit_of_kind(p, &from->limit[i], &limit[to->limits++]));
    value_classes(p, price);
    bound = sum_placed(p);
    for (uint32_t i = 0; i < to->limits; i++)
        bound -= taken_off(&limit[i]);
    to->price = price;
    to->limit = limit;
    if (bound < 0 || bound > INT64_MAX) { /* no prices at all prove more, or something */
        memset(price, 0, slots * sizeof(*price));
        to->limits = 0;
        bound = 0;
    }
    to->bound = (stow_nano)bound;
    return STOW_OK;
}

/* Children stand behind their parent, so the last node first: bounds come up from the leaves. */
static int make_branches(struct proving *p)
{
    const struct stow_proof *proof = &p->solution->proof;

    p->branch = take(p, proof->nodes, sizeof(*p->branch));
    if (!p->branch)
        return STOW_ENOMEM;
    for (uint32_t i = proof->nodes; i > 0; i--) {
        const struct stow_proof_node *from = &proof->node[i - 1];
        struct stow_plan_branch *to = &p->branch[i - 1];

        if (!from->is_split) {
            STOW_TRY(make_leaf(p, from, to));
            continue;
        }
        *to = (struct stow_plan_branch){
            .is_split = true,
            .group = p->f->kind[from->kind].group,
            .at = from->at,
            .le = from->le,
            .gt = from->gt,
        };
        to->bound = p->branch[from->le].bound < p->branch[from->gt].bound
                        ? p->branch[from->le].bound
                        : p->branch[from->gt].bound;
    }
    return STOW_OK;
}

/* What one more is worth where it is worth least. */
static stow_nano cheapest(const struct proving *p, uint32_t class, const stow_nano *price)
{
    stow_nano least = price[0];

    for (uint32_t i = 1; i < p->slot_of[class + 1] - p->slot_of[class]; i++)
        least = price[i] < least ? price[i] : least;
    return least;
}

/* The prices that people see are those of the root: further down, limits of the splits take over
 * what a pod is worth. */
static int show_prices(struct proving *p)
{
    const struct stow_proof_node *root = &p->solution->proof.node[0];
    struct stow_margin margin;

    STOW_TRY(stow_margin_open(&margin, p->session, p->weights));
    for (uint32_t i = 0; i < p->classes; i++) {
        p->class[i].price = cheapest(p, i,
                                     p->branch[0].is_split ? root->price + p->class_of[i]
                                                           : p->branch[0].price + p->slot_of[i]);
        STOW_TRY(stow_margin_price(&margin, yard_class(p, i), &p->class[i].price));
    }
    return STOW_OK;
}

/* ---- resource prices --------------------------------------------------------------------- */

/* Milli-cores, bytes and devices per unit that a price is for. */
static int64_t unit_of(const struct proving *p, stow_resource_id r)
{
    if (r == STOW_RESOURCE_CPU)
        return 1000;
    return stow_resource_in_bytes(p->yard->s, r) ? INT64_C(1) << 30 : 1;
}

/* Sum of price * amount, in 1 / (1000 * 2^30) of a nano-unit, over all resources. */
static stow_i128 worth(const struct proving *p, const stow_nano *price, const int64_t *amount)
{
    stow_i128 sum = 0;

    for (uint32_t d = 0; d < p->yard->resource_dims; d++) {
        const stow_resource_id r = p->yard->resource[d];
        const stow_i128 factor = ((stow_i128)1000 << 30) / unit_of(p, r);

        if (amount[d] > 0)
            sum += (stow_i128)price[r] * amount[d] * factor;
    }
    return sum;
}

static bool undercut(const struct proving *p, const stow_nano *price, int64_t *amount)
{
    const struct stow_yard *yard = p->yard;

    for (uint32_t k = 0; k < p->whole->problem.kinds; k++) {
        const stow_group_id group = p->whole->kind[k].group;

        if (group == STOW_NONE)
            continue;
        for (uint32_t d = 0; d < yard->resource_dims; d++)
            amount[d] =
                stow_state_allocatable(yard->state, yard->resource[d], yard->group[group].fresh);
        if (worth(p, price, amount) > ((stow_i128)p->weights->price[group] * 1000) << 30)
            return true;
    }
    return false;
}

/* What is asked for and what can be bought, as a liquid: prices per unit of the yard's amounts. */
static int find_fluid(struct proving *p, double *price)
{
    const struct stow_yard *yard = p->yard;
    const uint32_t kinds = p->whole->problem.kinds, dims = yard->resource_dims;
    int64_t *capacity = take(p, (size_t)kinds * dims, sizeof(*capacity));
    int64_t *demand = take(p, dims, sizeof(*demand));
    stow_nano *paid = take(p, kinds, sizeof(*paid));
    uint32_t offers = 0;

    if (!capacity || !demand || !paid)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->classes; i++)
        for (uint32_t d = 0; d < dims; d++)
            demand[d] +=
                yard->class[yard_class(p, i)].need[d] * p->session->class_put[yard_class(p, i)];
    for (uint32_t k = 0; k < kinds; k++) {
        const struct stow_kind_source *kind = &p->whole->kind[k];

        if (kind->group != STOW_NONE)
            paid[offers] = p->weights->price[kind->group];
        for (uint32_t d = 0; d < dims; d++) {
            if (kind->group != STOW_NONE)
                capacity[(size_t)offers * dims + d] = stow_state_allocatable(
                    yard->state, yard->resource[d], yard->group[kind->group].fresh);
            else if (p->whole->problem.kind[k].capacity[d] > 0)
                demand[d] -= p->whole->problem.kind[k].capacity[d] * kind->nodes;
        }
        offers += kind->group != STOW_NONE;
    }
    return stow_fluid_prices(&(struct stow_fluid){dims, offers, demand, capacity, paid}, price);
}

/* Whole nano-units per core, GiB, device and slot that no group undercuts: the nearest ones if they
 * will do, else a little less. */
static int price_resources(struct proving *p, stow_nano *price)
{
    int64_t *amount = take(p, p->yard->resource_dims, sizeof(*amount));
    double *fluid = take(p, p->yard->resource_dims, sizeof(*fluid));
    double scale = 1;

    if (!amount || !fluid)
        return STOW_ENOMEM;
    STOW_TRY(find_fluid(p, fluid));
    for (uint32_t tries = 0; tries < 30; tries++) {
        for (uint32_t d = 0; d < p->yard->resource_dims; d++) {
            const stow_resource_id r = p->yard->resource[d];
            const double c = fluid[d] * (double)unit_of(p, r) * scale;

            price[r] = c > 0 && c < 4e18 ? stow_whole_clamped(c + (tries == 0 ? 0.5 : 0)) : 0;
        }
        if (!undercut(p, price, amount))
            return STOW_OK;
        if (tries > 0)
            scale *= 1 - 1e-9 * (double)(UINT64_C(1) << tries);
    }
    memset(price, 0, p->yard->s->resources * sizeof(*price));
    return STOW_OK;
}

static int bound_by_resources(struct proving *p)
{
    const struct stow_yard *yard = p->yard;
    stow_nano *price = take(p, yard->s->resources, sizeof(*price));
    int64_t *free = take(p, yard->dims, sizeof(*free));
    stow_i128 sum;

    if (!price || !free)
        return STOW_ENOMEM;
    STOW_TRY(price_resources(p, price));
    for (uint32_t i = 0; i < p->classes; i++) {
        const struct stow_yard_class *class = &yard->class[yard_class(p, i)];
        const stow_i128 value = worth(p, price, class->need);

        p->unit[i] =
            (struct unit){class->priority, i, class->pods, value, value * (stow_i128) class->pods};
    }
    sum = sum_placed(p);
    for (uint32_t k = 0; k < p->whole->problem.kinds; k++)
        if (p->whole->kind[k].group == STOW_NONE)
            sum -= worth(p, price, p->whole->problem.kind[k].capacity) * p->whole->kind[k].nodes;
    p->plan->proof.resource_price = price;
    p->plan->proof.resource_bound = sum <= 0 ? 0 : (stow_nano)(sum / ((stow_i128)1000 << 30));
    return STOW_OK;
}

/* ---- the bound --------------------------------------------------------------------------- */

static int lift_bound(struct proving *p, stow_nano tree)
{
    struct stow_plan_proof *proof = &p->plan->proof;
    struct stow_lift lift;
    enum stow_lift_rule rule = STOW_LIFT_NONE;

    proof->tree_bound = tree;
    if (tree <= 0)
        return STOW_OK;
    if (stow_lift_init(&lift, &p->whole->problem, p->plan->weight) < 0)
        return STOW_ENOMEM;
    p->plan->bound = stow_lift_up(&lift, tree, &rule);
    proof->lift_unit = lift.unit;
    stow_lift_done(&lift);
    if (p->plan->bound > tree && rule == STOW_LIFT_COMMON_DIVISOR)
        proof->lift = "common-divisor";
    if (p->plan->bound > tree && rule == STOW_LIFT_REACHABLE)
        proof->lift = "reachable";
    return STOW_OK;
}

static void measure(struct proving *p)
{
    const struct stow_yard *yard = p->yard;
    struct stow_plan *plan = p->plan;

    for (uint32_t node = yard->real; node < yard->nodes; node++)
        plan->weight += p->weights->price[yard->group_of[node - yard->real]];
    for (uint32_t i = 0; i < p->classes; i++)
        plan->as_many |=
            p->session->class_put[yard_class(p, i)] < yard->class[yard_class(p, i)].pods;
    plan->is_weighed = p->weights->weighed;
}

/* A plan that costs nothing cannot be undercut, whatever the others cost; but more pods could be
 * placed. */
static bool is_at_stake(const struct proving *p, uint32_t class)
{
    const uint32_t pods = p->yard->class[class].pods;

    return pods && (p->plan->weight > 0 || p->session->class_put[class] < pods);
}

/* Whether more of a group without a price could be bought, and would take a pending pod. */
static bool could_take_any(const struct proving *p, stow_group_id group)
{
    const struct stow_scale *scale = p->session->scale;

    if (!scale->grows[group] || p->weights->price[group] != STOW_MONEY_UNKNOWN ||
        p->session->size[group] >= scale->s->group[group].max_nodes)
        return false;
    for (uint32_t i = 0; i < p->yard->classes; i++)
        if (is_at_stake(p, i) && stow_yard_fresh_room(p->yard, i, group))
            return true;
    return false;
}

static int find_unpriced(struct proving *p)
{
    stow_group_id *list = take(p, p->session->scale->s->groups, sizeof(*list));

    if (!list)
        return STOW_ENOMEM;
    p->plan->unpriced = list;
    for (stow_group_id g = 0; g < p->session->scale->s->groups; g++)
        if (could_take_any(p, g))
            list[p->plan->unpriceds++] = g;
    return STOW_OK;
}

static int make(struct proving *p)
{
    STOW_TRY(list_classes(p));
    measure(p);
    STOW_TRY(find_unpriced(p));
    if (!p->solution->proof.nodes)
        return STOW_OK;
    STOW_TRY(make_branches(p));
    STOW_TRY(show_prices(p));
    STOW_TRY(bound_by_resources(p));
    STOW_TRY(lift_bound(p, p->branch[0].bound));
    p->plan->has_bound = true;
    return STOW_OK;
}

int stow_proof_bound(struct stow_session *session, const struct stow_formulation *formulation,
                     const struct stow_solution *solution, const struct stow_weights *weights,
                     stow_nano *ret)
{
    struct stow_arena arena = {0};
    struct proving p = {
        .session = session,
        .yard = session->yard,
        .f = formulation,
        .solution = solution,
        .weights = weights,
        .arena = &arena,
    };
    int code = list_classes(&p);

    *ret = 0;
    if (code >= 0 && solution->proof.nodes)
        code = make_branches(&p);
    if (code >= 0 && solution->proof.nodes)
        *ret = p.branch[0].bound;
    proving_done(&p);
    stow_arena_done(&arena);
    return code < 0 ? code : STOW_OK;
}

int stow_proof_make(struct stow_session *session, const struct stow_formulation *whole,
                    const struct stow_formulation *formulation,
                    const struct stow_solution *solution, const struct stow_weights *weights,
                    struct stow_err *err)
{
    STOW_AUTO(proving_done)
    struct proving p = {
        .session = session,
        .yard = session->yard,
        .f = formulation,
        .whole = whole,
        .solution = solution,
        .weights = weights,
        .plan = session->plan,
        .arena = session->arena,
    };
    struct stow_plan *plan = session->plan;

    if (make(&p) < 0)
        return stow_fail_memory(err);
    if (!plan->has_bound)
        return STOW_OK;
    if (plan->bound > plan->weight) /* then something is wrong with the proof: nobody may use it */
        return stow_fail(err, STOW_EWRONG,
                         "internal error: the bound %lld is above the cost %lld of a plan",
                         (long long)plan->bound, (long long)plan->weight);
    plan->proof.class = p.class;
    plan->proof.classes = p.classes;
    plan->proof.branch = p.branch;
    plan->proof.branches = solution->proof.nodes;
    plan->gap = plan->bound > 0    ? (double)plan->weight / (double)plan->bound - 1
                : plan->weight > 0 ? INFINITY
                                   : 0;
    return STOW_OK;
}
