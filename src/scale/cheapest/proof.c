/* proof.c - what shows that a plan is as cheap as it says, in the words of the input.
 *
 * The solver proves in classes and kinds: prices y of classes, w of limits, such that no node is
 * worth more than it costs.  Here they become pods, groups, nodes and resources, and the sums are
 * made again, in integers, for the pods that the plan really places: when rules over several nodes
 * have left pods out that the solver had placed, the bound is for plans that place as many.
 *
 * Where running nodes are consolidated all pods that may move are placed, and existing nodes cost
 * money, too: then rows and splits speak of existing nodes as of groups. */
#include "scale/cheapest/proof.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/int128.h"
#include "base/vec.h"
#include "optimal/proof/family.h"
#include "place/counts/domains.h"
#include "scale/cheapest/margin.h"
#include "scale/cheapest/proof_internal.h"

static void proving_done(struct stow_proof_job *p)
{
    free(p->unit);
}

/* ---- sums over the pods that are placed --------------------------------------------------- */

/* By priority, then by value: of each priority the cheapest are taken first. */
static int compare_units(const void *a, const void *b)
{
    const struct stow_proof_unit *x = a, *y = b;

    if (x->priority != y->priority)
        return x->priority < y->priority ? 1 : -1;
    return (x->value > y->value) - (x->value < y->value);
}

/* How many pods a class of the proof has. */
static uint32_t pods_in(const struct stow_proof_job *p, uint32_t class)
{
    return p->pinned ? p->f->problem.class[p->class_of[class]].count
                     : p->yard->class[stow_proof_job_class(p, class)].pods;
}

/* How many pods of a priority the plan places. */
static uint64_t placed_of(const struct stow_proof_job *p, int32_t priority)
{
    uint64_t placed = 0;

    for (uint32_t i = 0; i < p->classes; i++)
        if (p->yard->class[stow_proof_job_class(p, i)].priority == priority)
            placed += p->pinned ? pods_in(p, i) : p->session->class_put[stow_proof_job_class(p, i)];
    return placed;
}

/* How many there are. */
static uint64_t pods_of(const struct stow_proof_job *p, int32_t priority)
{
    uint64_t pods = 0;

    for (uint32_t i = 0; i < p->classes; i++)
        if (p->unit[i].priority == priority)
            pods += p->unit[i].pods;
    return pods;
}

stow_i128 stow_proof_job_sum(const struct stow_proof_job *p)
{
    stow_i128 sum = 0;
    uint64_t left = 0;
    bool all = false;

    qsort(p->unit, p->classes, sizeof(*p->unit), compare_units);
    for (uint32_t i = 0; i < p->classes; i++) {
        const struct stow_proof_unit *u = &p->unit[i];
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
static void value_family(const struct stow_proof_job *p, uint32_t class, const stow_nano *price,
                         struct stow_proof_unit *ret)
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

static void value_classes(struct stow_proof_job *p, const stow_nano *price)
{
    for (uint32_t i = 0; i < p->classes; i++) {
        const uint32_t pods = pods_in(p, i);
        const stow_nano *own = price + p->slot_of[i];

        p->unit[i] = (struct stow_proof_unit){
            .priority = p->yard->class[stow_proof_job_class(p, i)].priority,
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
static const struct stow_problem_family *family_at(const struct stow_proof_job *p, uint32_t class)
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
static int name_domains(struct stow_proof_job *p, const struct stow_problem_family *f,
                        struct stow_plan_class *class)
{
    const struct stow_class_source *source = &p->f->class[f->first];
    const char **domain = stow_proof_job_take(p, f->classes, sizeof(*domain));

    if (!domain)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < f->classes; i++)
        domain[i] = domain_name(p->yard->s, source->topology, source[i].domain);
    class->topology = stow_text(p->yard->s, source->topology->key).ptr;
    class->domain = domain;
    class->domains = f->classes;
    return STOW_OK;
}

/* The pods of a class that have a part in the proof. */
static const stow_pod_id *pods_of_class(struct stow_proof_job *p, uint32_t class)
{
    const struct stow_ground *ground = p->session->ground;
    const stow_pod_id *all = ground->class_pod + ground->class_first[class];
    stow_pod_id *some;
    uint32_t count = 0;

    if (!p->pinned)
        return all;
    some = stow_proof_job_take(p, p->yard->class[class].pods, sizeof(*some));
    for (uint32_t i = 0; some && i < p->yard->class[class].pods; i++)
        if (!p->pinned[all[i]])
            some[count++] = all[i];
    return some;
}

/* A class of the problem, or the first one of a family; how many prices it has. */
static int list_class(struct stow_proof_job *p, uint32_t first, uint32_t slot)
{
    const struct stow_problem_family *family = family_at(p, first);
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
        .pod = pods_of_class(p, p->f->class[first].class),
        .pods = pods_in(p, p->classes),
        .slot = slot,
    };
    if (!p->class[p->classes].pod)
        return STOW_ENOMEM;
    if (family)
        STOW_TRY(name_domains(p, family, &p->class[p->classes]));
    p->classes++;
    return (int)prices;
}

static int list_classes(struct stow_proof_job *p)
{
    const uint32_t all = p->f->problem.classes;
    uint32_t slot = 0;

    p->class_of = stow_proof_job_take(p, all, sizeof(*p->class_of));
    p->slot_of = stow_proof_job_take(p, all, sizeof(*p->slot_of));
    p->family = stow_proof_job_take(p, all, sizeof(void *));
    p->class = stow_proof_job_take(p, all, sizeof(*p->class));
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

/* The plan outlives the problem: lists of nodes are copied, once. */
static int nodes_of_kind(struct stow_proof_job *p, uint32_t kind, const uint32_t **ret)
{
    const struct stow_kind_source *from = &p->f->kind[kind];

    if (!p->node)
        p->node = stow_proof_job_take(p, p->f->problem.kinds, sizeof(*p->node));
    if (p->node && !p->node[kind])
        p->node[kind] = stow_arena_copy(p->arena, from->node, from->nodes * sizeof(*from->node));
    *ret = p->node ? p->node[kind] : NULL;
    return *ret ? STOW_OK : STOW_ENOMEM;
}

static int limit_of_kind(struct stow_proof_job *p, const struct stow_proof_limit *from,
                         struct stow_plan_limit *ret)
{
    const struct stow_kind_source *kind = &p->f->kind[from->kind];
    const struct stow_problem_kind *own = &p->f->problem.kind[from->kind];
    const bool there = kind->group == STOW_NONE;
    struct stow_plan_limit made = {
        .group = kind->group, .amount = from->amount, .price = from->price, .nodes = kind->nodes};

    if (from->at_least) {
        made.kind = from->amount == own->least ? STOW_PROOF_MIN_NODES : STOW_PROOF_AT_LEAST;
        made.amount = -(int64_t)from->amount;
    } else {
        made.kind = from->amount != own->most ? STOW_PROOF_AT_MOST
                    : there                   ? STOW_PROOF_NODE
                                              : STOW_PROOF_MAX_NODES;
    }
    if (there)
        STOW_TRY(nodes_of_kind(p, from->kind, &made.node));
    *ret = made;
    return STOW_OK;
}

/* Rows of the problem are the session's limits in order; the budget comes after them. */
static bool limit_of_row(const struct stow_proof_job *p, const struct stow_proof_node *node,
                         uint32_t row, struct stow_plan_limit *ret)
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

/* The proof of a consolidation outlives the session, which has the name. */
static int keep_name(struct stow_proof_job *p, struct stow_plan_limit *limit)
{
    if (!limit->commitment)
        return STOW_OK;
    limit->commitment = stow_arena_text(p->arena, stow_str_of(limit->commitment));
    return limit->commitment ? STOW_OK : STOW_ENOMEM;
}

/* What a limit takes off a bound: its amount at its price, rounded against the bound. */
static stow_i128 taken_off(const struct stow_plan_limit *limit)
{
    const stow_i128 product = (stow_i128)limit->amount * limit->price;

    return limit->unit > 1 ? (product + limit->unit - 1) / limit->unit : product;
}

/* ---- branches ---------------------------------------------------------------------------- */

static int make_leaf(struct stow_proof_job *p, const struct stow_proof_node *from,
                     struct stow_plan_branch *to)
{
    const uint32_t slots = p->slot_of[p->classes];
    stow_nano *price = stow_proof_job_take(p, slots, sizeof(*price));
    struct stow_plan_limit *limit =
        stow_proof_job_take(p, from->limits + p->f->problem.rows, sizeof(*limit));
    stow_i128 bound;

    if (!price || !limit)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->classes; i++)
        for (uint32_t n = p->slot_of[i]; n < p->slot_of[i + 1]; n++)
            price[n] = from->price[p->class_of[i] + n - p->slot_of[i]];
    for (uint32_t row = 0; row < p->f->problem.rows; row++)
        if (limit_of_row(p, from, row, &limit[to->limits]))
            STOW_TRY(keep_name(p, &limit[to->limits++]));
    for (uint32_t i = 0; i < from->limits; i++)
        if (from->limit[i].price)
            STOW_TRY(limit_of_kind(p, &from->limit[i], &limit[to->limits++]));
    value_classes(p, price);
    bound = stow_proof_job_sum(p);
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

/* Children come after their parent, so the last node first: bounds come up from the leaves. */
static int make_branches(struct stow_proof_job *p)
{
    const struct stow_proof *proof = &p->solution->proof;

    p->branch = stow_proof_job_take(p, proof->nodes, sizeof(*p->branch));
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
            .nodes = p->f->kind[from->kind].nodes,
        };
        if (to->group == STOW_NONE)
            STOW_TRY(nodes_of_kind(p, from->kind, &to->node));
        to->bound = p->branch[from->le].bound < p->branch[from->gt].bound
                        ? p->branch[from->le].bound
                        : p->branch[from->gt].bound;
    }
    return STOW_OK;
}

/* Which kinds splits name that lead others. */
static uint32_t mark_leaders(const struct stow_proof_job *p, bool *ret)
{
    const struct stow_proof *proof = &p->solution->proof;
    uint32_t count = 0;

    for (uint32_t i = 0; i < proof->nodes; i++)
        if (proof->node[i].is_split)
            ret[proof->node[i].kind] = true;
    for (uint32_t g = 0; g < p->f->problem.kinds; g++)
        count += ret[g];
    return count;
}

/* The groups that a group leads; no group that is split leads existing nodes (stow_model.mixed). */
static int make_set(struct stow_proof_job *p, uint32_t kind, struct stow_plan_set *ret)
{
    const uint32_t *leader = p->solution->proof.leader;
    const uint32_t kinds = p->f->problem.kinds;
    stow_group_id *other;

    *ret = (struct stow_plan_set){.group = p->f->kind[kind].group};
    for (uint32_t g = 0; g < kinds; g++)
        ret->others += g != kind && leader[g] == kind;
    other = stow_proof_job_take(p, ret->others, sizeof(*other));
    if (!other)
        return STOW_ENOMEM;
    ret->other = other;
    for (uint32_t g = 0; g < kinds; g++)
        if (g != kind && leader[g] == kind)
            *other++ = p->f->kind[g].group;
    return STOW_OK;
}

static int make_sets(struct stow_proof_job *p, struct stow_plan_proof *ret)
{
    bool *split = stow_proof_job_take(p, p->f->problem.kinds, sizeof(*split));
    struct stow_plan_set *set =
        split ? stow_proof_job_take(p, mark_leaders(p, split), sizeof(*set)) : NULL;
    uint32_t count = 0;

    if (!set)
        return STOW_ENOMEM;
    for (uint32_t g = 0; g < p->f->problem.kinds; g++)
        if (split[g]) {
            STOW_TRY(make_set(p, g, &set[count]));
            count += set[count].others > 0;
        }
    ret->set = set;
    ret->sets = count;
    return STOW_OK;
}

/* What one more is worth where it is worth least. */
static stow_nano cheapest(const struct stow_proof_job *p, uint32_t class, const stow_nano *price)
{
    stow_nano least = price[0];

    for (uint32_t i = 1; i < p->slot_of[class + 1] - p->slot_of[class]; i++)
        least = price[i] < least ? price[i] : least;
    return least;
}

/* The prices that people see are those of the root: further down, limits of the splits take over
 * what a pod is worth. */
static int show_prices(struct stow_proof_job *p)
{
    const struct stow_proof_node *root = &p->solution->proof.node[0];
    struct stow_margin margin;

    STOW_TRY(stow_margin_open(&margin, p->session, p->weights));
    for (uint32_t i = 0; i < p->classes; i++) {
        p->class[i].price = cheapest(p, i,
                                     p->branch[0].is_split ? root->price + p->class_of[i]
                                                           : p->branch[0].price + p->slot_of[i]);
        STOW_TRY(stow_margin_price(&margin, stow_proof_job_class(p, i), &p->class[i].price));
    }
    return STOW_OK;
}

/* ---- the bound --------------------------------------------------------------------------- */

/* `cost`: of a plan, above which no sum matters. */
static int lift_bound(const struct stow_problem *problem, stow_nano cost, stow_nano tree,
                      struct stow_plan_proof *proof, stow_nano *ret)
{
    struct stow_lift lift;
    enum stow_lift_rule rule = STOW_LIFT_NONE;

    *ret = 0;
    proof->tree_bound = tree;
    if (tree <= 0)
        return STOW_OK;
    if (stow_lift_init(&lift, problem, cost) < 0)
        return STOW_ENOMEM;
    *ret = stow_lift_up(&lift, tree, &rule);
    proof->lift_unit = lift.unit;
    stow_lift_done(&lift);
    if (*ret > tree && rule == STOW_LIFT_COMMON_DIVISOR)
        proof->lift = "common-divisor";
    if (*ret > tree && rule == STOW_LIFT_REACHABLE)
        proof->lift = "reachable";
    return STOW_OK;
}

static void measure(struct stow_proof_job *p)
{
    const struct stow_yard *yard = p->yard;
    struct stow_plan *plan = p->plan;

    for (uint32_t node = yard->real; node < yard->nodes; node++)
        plan->weight += p->weights->price[yard->group_of[node - yard->real]];
    for (uint32_t i = 0; i < p->classes; i++)
        plan->as_many |= p->session->class_put[stow_proof_job_class(p, i)] <
                         yard->class[stow_proof_job_class(p, i)].pods;
    plan->is_weighed = p->weights->weighed;
}

/* A plan that costs nothing cannot be undercut, whatever the others cost; but more pods could be
 * placed. */
static bool is_at_stake(const struct stow_proof_job *p, uint32_t class)
{
    const uint32_t pods = p->yard->class[class].pods;

    return pods && (p->plan->weight > 0 || p->session->class_put[class] < pods);
}

/* Whether more of a group without a price could be bought, and would take a pending pod. */
static bool could_take_any(const struct stow_proof_job *p, stow_group_id group)
{
    const struct stow_scale *scale = p->session->scale;

    if (!scale->grows[group] || stow_is_for_sale(p->weights->price, group) ||
        p->session->size[group] >= scale->s->group[group].max_nodes)
        return false;
    for (uint32_t i = 0; i < p->yard->classes; i++)
        if (is_at_stake(p, i) && stow_yard_fresh_room(p->yard, i, group))
            return true;
    return false;
}

static int find_unpriced(struct stow_proof_job *p)
{
    stow_group_id *list = stow_proof_job_take(p, p->session->scale->s->groups, sizeof(*list));

    if (!list)
        return STOW_ENOMEM;
    p->plan->unpriced = list;
    for (stow_group_id g = 0; g < p->session->scale->s->groups; g++)
        if (could_take_any(p, g))
            list[p->plan->unpriceds++] = g;
    return STOW_OK;
}

static int make(struct stow_proof_job *p)
{
    STOW_TRY(list_classes(p));
    measure(p);
    STOW_TRY(find_unpriced(p));
    if (!p->solution->proof.nodes)
        return STOW_OK;
    STOW_TRY(make_branches(p));
    STOW_TRY(make_sets(p, &p->plan->proof));
    STOW_TRY(show_prices(p));
    STOW_TRY(stow_proof_job_price_resources(p));
    STOW_TRY(lift_bound(&p->whole->problem, p->plan->weight, p->branch[0].bound, &p->plan->proof,
                        &p->plan->bound));
    p->plan->has_bound = true;
    return STOW_OK;
}

int stow_proof_bound(struct stow_session *session, const struct stow_formulation *formulation,
                     const struct stow_solution *solution, const struct stow_weights *weights,
                     stow_nano *ret)
{
    struct stow_arena arena = {0};
    struct stow_proof_job p = {
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
    struct stow_proof_job p = {
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
    if (plan->bound > plan->weight) /* then the proof is wrong: it must not be used */
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

/* The prices that people see are of plans that buy; these only prove. */
static void price_classes(struct stow_proof_job *p)
{
    const struct stow_proof_node *root = &p->solution->proof.node[0];

    for (uint32_t i = 0; i < p->classes; i++)
        p->class[i].price =
            p->branch[0].is_split ? root->price[p->class_of[i]] : p->branch[0].price[p->slot_of[i]];
}

int stow_proof_of_running(struct stow_session *session, const struct stow_formulation *formulation,
                          const struct stow_solution *solution, const bool *pinned,
                          struct stow_arena *arena, struct stow_plan_proof *ret,
                          stow_nano *ret_bound)
{
    STOW_AUTO(proving_done)
    struct stow_proof_job p = {
        .session = session,
        .yard = session->yard,
        .f = formulation,
        .solution = solution,
        .pinned = pinned,
        .arena = arena,
    };

    *ret_bound = 0;
    *ret = (struct stow_plan_proof){0};
    if (!solution->proof.nodes)
        return STOW_OK;
    STOW_TRY(list_classes(&p));
    STOW_TRY(make_branches(&p));
    price_classes(&p);
    *ret = (struct stow_plan_proof){
        .class = p.class,
        .classes = p.classes,
        .branch = p.branch,
        .branches = solution->proof.nodes,
    };
    STOW_TRY(make_sets(&p, ret));
    return lift_bound(&formulation->problem, solution->cost, p.branch[0].bound, ret, ret_bound);
}
