/* answer_joint.c - the part of an answer that is divided together.
 *
 * Together with others goes what may be anywhere there is room: CostOptimized, Aggregated and
 * DynamicWeight.  Duplicated and StaticWeight say how many
 * replicas each cluster has; they stay as they are, unless the strategy is asked for. */
#include <stdlib.h>

#include "divide/answer/answer_internal.h"
#include "divide/divide_internal.h"

static bool goes_together(const struct stow_fleet_work *k, const struct stow_binding *b)
{
    const struct stow_propagation *placement = stow_propagation_get(k->s, b->placement);

    if (k->options->each.strategy == STOW_DIVIDE_COST_OPTIMIZED)
        return true;
    switch (stow_division_strategy_of(placement)) {
    case STOW_DIVIDE_DYNAMIC_WEIGHT:
    case STOW_DIVIDE_AGGREGATED:
    case STOW_DIVIDE_COST_OPTIMIZED:
        return true;
    default:
        return false;
    }
}

static bool as_cheap(const struct stow_joint_answer *a, const struct stow_joint_answer *b)
{
    return a->cost.left_out == b->cost.left_out && a->cost.price == b->cost.price &&
           a->cost.moved < b->cost.moved;
}

/* Where moves cost nothing, as many are made as it pleases.  Once more, at the smallest price there
 * is: what costs the same and moves less is taken, with the bound that was proven. */
static int spare_moves(struct stow_fleet_work *k, const struct stow_joint_options *o,
                       struct stow_err *err)
{
    struct stow_joint_division *joint = &k->ret->joint, again;
    struct stow_joint_options priced = *o;

    if (o->disruption > 0 || joint->answer.cost.moved == 0)
        return STOW_OK;
    priced.disruption = 1;
    STOW_TRY(stow_divide_jointly(k->divider, &priced, &again, err));
    if (as_cheap(&again.answer, &joint->answer)) {
        struct stow_joint_division first = *joint;

        again.answer.bound = first.answer.bound;
        again.answer.bounded = first.answer.bounded;
        again.answer.settled = first.answer.settled;
        again.answer.one_by_one = first.answer.one_by_one;
        again.unpriced_apart = first.unpriced_apart;
        again.answer.cost.total = again.answer.cost.price;
        *joint = again;
        again = first;
    }
    stow_joint_division_done(&again);
    return STOW_OK;
}

/* No division can be called the cheapest while such a cluster could take replicas. */
static int warn_of_prices(struct stow_fleet_work *k, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    uint32_t count = 0;

    stow_buf_text(&text, "a cheaper division may exist: no known price for cluster ");
    for (stow_cluster_id i = 0; i < k->s->clusters; i++)
        if (stow_joint_lacks_price(&k->ret->joint, i))
            stow_buf_printf(&text, "%s%s", count++ ? ", " : "", k->s->cluster[i].name);
    stow_buf_char(&text, '\0');
    if (text.failed)
        return stow_fail_memory(err);
    return count ? stow_fleet_warn(k->ret, NULL, text.ptr, err) : STOW_OK;
}

int stow_fleet_jointly(struct stow_fleet_work *k, struct stow_err *err)
{
    struct stow_fleet_answer *a = k->ret;
    bool *in = stow_arena_zalloc(&a->arena, k->s->bindings + 1);
    struct stow_joint_options o = {.costs = k->options->costs,
                                   .disruption = k->options->disruption,
                                   .fresh = k->options->each.fresh,
                                   .in = in,
                                   .karmada = k->options->each.karmada};

    if (!in)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < a->workloads; i++) {
        const struct stow_binding *b = a->workload[i].binding;

        in[b - k->s->binding] = goes_together(k, b) && !(b->flags & STOW_BINDING_SUSPENDED);
    }
    STOW_TRY(stow_divide_jointly(k->divider, &o, &a->joint, err));
    STOW_TRY(spare_moves(k, &o, err));
    STOW_TRY(warn_of_prices(k, err));
    a->jointly = true;
    for (uint32_t i = 0; i < a->workloads; i++) {
        struct stow_fleet_workload *w = &a->workload[i];

        w->joint = a->joint.binding[w->binding - k->s->binding].skip == STOW_JOINT_IN;
    }
    return STOW_OK;
}

static const struct stow_joint_binding *part_of(const struct stow_fleet_work *k,
                                                const struct stow_fleet_workload *w)
{
    return &k->ret->joint.binding[w->binding - k->s->binding];
}

static void trace_result(const struct stow_fleet_work *k, const struct stow_joint_binding *part,
                         struct stow_divide_cluster *cluster)
{
    for (uint32_t i = 0; i < k->s->clusters; i++) {
        cluster[i].replicas = 0;
        cluster[i].selected = !cluster[i].rejected && !cluster[i].deleted;
    }
    for (uint32_t i = 0; i < part->targets; i++)
        cluster[part->target[i].cluster].replicas = (int32_t)part->target[i].replicas;
}

static int write_result(const struct stow_fleet_work *k, const struct stow_joint_binding *part,
                        int64_t replicas, struct stow_division *made)
{
    made->target = stow_arena_alloc(&made->arena, (part->targets + 1) * sizeof(*made->target));
    made->message = part->left_out == 0
                        ? "divided together"
                        : stow_arena_printf(&made->arena, "%lld of %lld replicas have no place",
                                            (long long)part->left_out, (long long)replicas);
    if (!made->target || !made->message)
        return STOW_ENOMEM;
    made->targets = part->targets;
    for (uint32_t i = 0; i < part->targets; i++)
        made->target[i] = (struct stow_target){k->s->cluster[part->target[i].cluster].symbol,
                                               (int32_t)part->target[i].replicas};
    return STOW_OK;
}

int stow_fleet_joint_result(struct stow_fleet_work *k, struct stow_fleet_workload *w,
                            struct stow_err *err)
{
    const struct stow_joint_binding *part = part_of(k, w);
    struct stow_division *made = &w->made;

    if (write_result(k, part, w->binding->replicas, made) < 0)
        return stow_fail_memory(err);
    if (made->cluster)
        trace_result(k, part, made->cluster);
    made->strategy = STOW_DIVIDE_COST_OPTIMIZED;
    made->outcome = part->left_out ? STOW_DIVIDE_UNSCHEDULABLE : STOW_DIVIDE_SUCCESS;
    made->unplaced = part->left_out;
    made->available_sum = part->left_out ? w->binding->replicas - part->left_out : -1;
    made->select_error = NULL;
    made->regions = 0;
    if (part->anew)
        return stow_fleet_warn(
            k->ret, w->binding,
            "the existing replicas violate the spread constraints: divided from scratch", err);
    return STOW_OK;
}

/* Both lists are in order of names. */
void stow_fleet_joint_costs(const struct stow_fleet_work *k, struct stow_fleet_workload *w)
{
    const struct stow_joint_binding *part = part_of(k, w);

    for (uint32_t i = 0; i < part->targets && i < w->targets; i++)
        w->target[i].cost = part->target[i].price;
}

/* ---- figures ----------------------------------------------------------------------------- */

static stow_nano amount(stow_i128 value)
{
    return value < 0 || value > INT64_MAX ? STOW_MONEY_UNKNOWN : (stow_nano)value;
}

/* Whether a replica of the workload finds room where it may go: what it asks for is there. */
static bool has_room(const struct stow_joint_problem *p, const struct stow_joint_workload *w,
                     const struct stow_joint_option *option)
{
    const struct stow_joint_site *site = &p->site[option->site];

    for (uint32_t i = site->use; i < site->use + site->uses; i++)
        if (w->request[p->use[i].resource] > p->row[p->use[i].row].free)
            return false;
    return true;
}

bool stow_joint_lacks_price(const struct stow_joint_division *joint, stow_cluster_id cluster)
{
    const struct stow_joint_problem *p = &joint->problem;

    for (uint32_t i = 0; i < p->workloads; i++) {
        const struct stow_joint_workload *w = &p->workload[i];

        for (uint32_t k = w->option; k < w->option + w->options; k++)
            if (p->option[k].price == joint->unpriced_weight && has_room(p, w, &p->option[k]) &&
                (cluster == STOW_NONE || p->site[p->option[k].site].cluster == cluster))
                return true;
    }
    return false;
}

static int64_t count_placed(const struct stow_joint_division *joint)
{
    int64_t placed = 0;

    for (uint32_t i = 0; i < joint->problem.options; i++)
        placed += joint->answer.replicas[i];
    return placed;
}

/* What `placed` replicas cost, and how many of them have no price. */
static struct stow_money_sum sum_placed(const struct stow_joint_division *joint,
                                        const struct stow_joint_cost *cost, int64_t placed,
                                        int64_t unpriced)
{
    const stow_i128 priced = cost->price - (stow_i128)unpriced * joint->unpriced_weight;
    struct stow_money_sum sum = {0};

    stow_money_sum_add_parts(&sum, amount(priced), placed - unpriced);
    stow_money_sum_add_parts(&sum, STOW_MONEY_UNKNOWN, unpriced);
    return sum;
}

struct stow_joint_figures stow_joint_figures(const struct stow_joint_division *joint)
{
    const struct stow_joint_answer *a = &joint->answer;
    const int64_t placed = count_placed(joint);
    const int64_t apart = placed + a->cost.left_out - a->one_by_one.left_out;
    struct stow_joint_figures f = {
        .price = sum_placed(joint, &a->cost, placed, joint->unpriced),
        .one_by_one = sum_placed(joint, &a->one_by_one, apart, joint->unpriced_apart),
        .weighed = STOW_MONEY_UNKNOWN,
        .one_by_one_weighed = STOW_MONEY_UNKNOWN,
        .bound = STOW_MONEY_UNKNOWN,
    };

    if (joint->unpriced == 0)
        f.weighed = amount(a->cost.total);
    if (joint->unpriced_apart == 0)
        f.one_by_one_weighed = amount(a->one_by_one.total);
    if (a->bounded && !stow_joint_lacks_price(joint, STOW_NONE))
        f.bound = amount(a->bound);
    return f;
}

/* ---- what is short ----------------------------------------------------------------------- */

/* How many units of a row make one that people count in: a core, a GiB. */
static int64_t units_of_one(const struct stow_snapshot *s, stow_sym resource)
{
    if (resource == STOW_SYM_CPU)
        return 1000;
    if (resource == STOW_SYM_MEMORY || resource == STOW_SYM_EPHEMERAL ||
        stow_str_starts(stow_text(s, resource), STOW_STR("hugepages-")))
        return INT64_C(1) << 30;
    return 1;
}

static stow_nano price_of_one(stow_i128 row_price, int64_t units)
{
    stow_i128 price;

    if (__builtin_mul_overflow(row_price, (stow_i128)units, &price))
        return INT64_MAX;
    price >>= STOW_JOINT_PRICE_BITS;
    return price > INT64_MAX ? INT64_MAX : (stow_nano)price;
}

/* By cluster, then by name of the resource, the most expensive first. */
static int compare_scarce(const void *a, const void *b, void *context)
{
    const struct stow_scarce *x = a, *y = b;
    const struct stow_snapshot *s = context;

    if (x->cluster != y->cluster)
        return x->cluster < y->cluster ? -1 : 1;
    if (x->resource != y->resource)
        return stow_str_cmp(stow_text(s, x->resource), stow_text(s, y->resource));
    return (x->price < y->price) - (x->price > y->price);
}

/* Of several rows for one resource (grades of nodes) the most expensive stays. */
static uint32_t keep_dearest(struct stow_scarce *list, uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || list[kept - 1].cluster != list[i].cluster ||
            list[kept - 1].resource != list[i].resource)
            list[kept++] = list[i];
    return kept;
}

/* Replicas left out weigh so much that nothing can be read off the prices, and so do places without
 * a price. */
static bool is_priced(const struct stow_joint_division *joint)
{
    return joint->answer.row_price && joint->answer.cost.left_out == 0 &&
           !stow_joint_lacks_price(joint, STOW_NONE);
}

int stow_joint_scarce(const struct stow_fleet_answer *answer, struct stow_arena *arena,
                      struct stow_scarce **ret, uint32_t *ret_count, struct stow_err *err)
{
    const struct stow_joint_division *joint = &answer->joint;
    const struct stow_joint_problem *p = &joint->problem;
    struct stow_scarce *list = stow_arena_alloc(arena, ((size_t)p->rows + 1) * sizeof(*list));
    uint32_t count = 0;

    if (!list)
        return stow_fail_memory(err);
    for (uint32_t i = 0; is_priced(joint) && i < p->rows; i++) {
        const struct stow_joint_row *row = &p->row[i];
        const stow_sym resource = joint->resource[row->resource];
        const stow_nano price =
            price_of_one(joint->answer.row_price[i], units_of_one(answer->s, resource));

        if (price > 0)
            list[count++] = (struct stow_scarce){row->cluster, resource, price};
    }
    qsort_r(list, count, sizeof(*list), compare_scarce, (void *)answer->s);
    *ret_count = keep_dearest(list, count);
    *ret = list;
    return STOW_OK;
}
