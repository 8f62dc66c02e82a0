/* price.c - what a replica of a workload costs on each cluster of a fleet.
 *
 * A price per replica is taken as it is.  Prices per core, GiB and device are multiplied
 * with what one replica requests, exactly, and rounded up to a nano-unit once, at the end:
 * never cheaper than it is.  There are no floats but in the proposal's own score, which
 * is kept to show what it does to prices. */
#include "divide/cost/price.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "divide/cost/price_memo.h"
#include "model/build.h"
#include "model/pods/requests.h"
#include "model/values/quantity.h"

#define PRICE_PER    "stowage.dev/price-per-"
#define PER_REPLICA  "stowage.dev/price-per-replica-hour"
#define PER_RESOURCE "stowage.dev/price-per-hour."

#define GIB        ((stow_i128)1 << 30)
#define NANO_UNITS 1000000000

const char *stow_price_from_name(enum stow_price_from from)
{
    static const char *const names[] = {"nothing", "price book", "annotation", "nodes"};

    return names[from];
}

/* ---- price books ------------------------------------------------------------------------- */

static int add_rate(struct stow_divide_costs *costs, struct stow_str resource, stow_nano price)
{
    stow_sym symbol = stow_intern_find(&costs->s->text, resource);

    if (symbol == STOW_INTERN_FAILED)
        return STOW_OK; /* it is not needed */

    struct stow_rate *made = STOW_PUSH(&costs->rate, &costs->rates, &costs->rate_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_rate){symbol, price};
    return STOW_OK;
}

static int read_book_entry(struct stow_divide_costs *costs, const struct stow_cluster_price *entry,
                           struct stow_err *err)
{
    const struct stow_book *book = &costs->s->book;
    struct stow_str name = stow_intern_get(&book->text, entry->cluster);
    stow_sym symbol = stow_intern_find(&costs->s->text, name);
    stow_cluster_id cluster =
        symbol == STOW_INTERN_FAILED ? STOW_NONE : stow_cluster_find(costs->s, symbol);

    if (cluster == STOW_NONE)
        return STOW_OK; /* a book may know more clusters than this fleet has */

    struct stow_tariff *tariff = &costs->tariff[cluster];

    if (tariff->from == STOW_PRICE_FROM_BOOK)
        return stow_fail(err, STOW_EPARSE,
                         "PriceBook: clusters: '%.*s' has a price twice; give one", STOW_FMT(name));
    *tariff = (struct stow_tariff){
        .from = STOW_PRICE_FROM_BOOK, .per_replica = entry->per_replica, .rate = costs->rates};
    for (uint32_t i = 0; i < entry->rates; i++) {
        const struct stow_rate *rate = &book->cluster_rate[entry->rate + i];

        if (add_rate(costs, stow_intern_get(&book->text, rate->resource), rate->price) < 0)
            return stow_fail_memory(err);
    }
    tariff->rates = costs->rates - tariff->rate;
    return STOW_OK;
}

/* ---- annotations ------------------------------------------------------------------------- */

static int parse_annotation(const struct stow_divide_costs *costs, stow_cluster_id cluster,
                            const struct stow_label *label, stow_nano *ret, struct stow_err *err)
{
    struct stow_err why = {0};

    if (stow_money_parse(stow_text(costs->s, label->value), ret, &why) < 0)
        return stow_fail(err, STOW_EPARSE, "Cluster '%s': annotation %.*s: %s",
                         costs->s->cluster[cluster].name, STOW_FMT(stow_text(costs->s, label->key)),
                         why.msg);
    return STOW_OK;
}

static int read_annotation(struct stow_divide_costs *costs, stow_cluster_id cluster,
                           const struct stow_label *label, struct stow_tariff *into,
                           struct stow_err *err)
{
    const struct stow_str prefix = STOW_STR(PER_RESOURCE);
    struct stow_str key = stow_text(costs->s, label->key);
    stow_nano price;

    if (stow_str_is(key, PER_REPLICA)) {
        into->from = STOW_PRICE_FROM_ANNOTATION;
        return parse_annotation(costs, cluster, label, &into->per_replica, err);
    }
    if (!stow_str_starts(key, STOW_STR(PRICE_PER)))
        return STOW_OK;
    if (!stow_str_starts(key, prefix) || key.len == prefix.len)
        return stow_fail(err, STOW_EPARSE,
                         "Cluster '%s': annotation %.*s is not known; expected " PER_REPLICA
                         " or " PER_RESOURCE "RESOURCE",
                         costs->s->cluster[cluster].name, STOW_FMT(key));
    STOW_TRY(parse_annotation(costs, cluster, label, &price, err));
    into->from = STOW_PRICE_FROM_ANNOTATION;
    into->rates++;
    key = (struct stow_str){key.ptr + prefix.len, key.len - prefix.len};
    return add_rate(costs, key, price) < 0 ? stow_fail_memory(err) : STOW_OK;
}

static int read_annotations(struct stow_divide_costs *costs, stow_cluster_id cluster,
                            struct stow_err *err)
{
    uint32_t count;
    const struct stow_label *label =
        STOW_LIST(costs->s, costs->s->cluster[cluster].annotations, struct stow_label, &count);
    struct stow_tariff made = {.per_replica = STOW_MONEY_UNKNOWN, .rate = costs->rates};

    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(read_annotation(costs, cluster, &label[i], &made, err));
    if (made.rates && made.per_replica != STOW_MONEY_UNKNOWN)
        return stow_fail(err, STOW_EPARSE,
                         "Cluster '%s': annotations: either " PER_REPLICA " or " PER_RESOURCE
                         "RESOURCE, not both",
                         costs->s->cluster[cluster].name);
    made.rates = costs->rates - made.rate;
    if (costs->tariff[cluster].from == STOW_PRICE_FROM_NOTHING)
        costs->tariff[cluster] = made;
    return STOW_OK;
}

/* ---- limits ------------------------------------------------------------------------------ */

/* "namespace/name" of the object, or its name alone when it has no namespace. */
static bool is_workload(const struct stow_snapshot *s, const struct stow_binding *b,
                        struct stow_str text)
{
    struct stow_str name, namespace = stow_str_cut(text, '/', &name);

    if (!name.ptr)
        return b->object_namespace == 0 && stow_str_eq(stow_text(s, b->object), text);
    return stow_str_eq(stow_text(s, b->object_namespace), namespace) &&
           stow_str_eq(stow_text(s, b->object), name);
}

static int bind_limit(struct stow_divide_costs *costs, const struct stow_divide_limit *limit,
                      struct stow_err *err)
{
    const struct stow_snapshot *s = costs->s;
    stow_sym symbol = stow_intern_find(&s->text, stow_str_of(limit->cluster));
    stow_cluster_id cluster =
        symbol == STOW_INTERN_FAILED ? STOW_NONE : stow_cluster_find(s, symbol);
    uint32_t before = costs->limits;

    if (cluster == STOW_NONE)
        return stow_fail(err, STOW_EPARSE, "Policy: divide.limits: there is no cluster '%s'",
                         limit->cluster);
    for (uint32_t i = 0; i < s->bindings; i++)
        if (is_workload(s, &s->binding[i], stow_str_of(limit->workload)))
            costs->limit[costs->limits++] =
                (struct stow_cost_limit){i, cluster, limit->min, limit->max};
    if (costs->limits == before)
        return stow_fail(err, STOW_EPARSE,
                         "Policy: divide.limits: there is no workload '%s'; expected "
                         "NAMESPACE/NAME",
                         limit->workload);
    return STOW_OK;
}

static int compare_limits(const void *a, const void *b)
{
    const struct stow_cost_limit *x = a, *y = b;

    if (x->binding != y->binding)
        return x->binding < y->binding ? -1 : 1;
    return (x->cluster > y->cluster) - (x->cluster < y->cluster);
}

static int bind_limits(struct stow_divide_costs *costs, const struct stow_divide_policy *policy,
                       struct stow_err *err)
{
    size_t room = (size_t)policy->limits * costs->s->bindings + 1;

    costs->limit = stow_arena_alloc(&costs->arena, room * sizeof(*costs->limit));
    if (!costs->limit)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < policy->limits; i++)
        STOW_TRY(bind_limit(costs, &policy->limit[i], err));
    qsort(costs->limit, costs->limits, sizeof(*costs->limit), compare_limits);
    return STOW_OK;
}

const struct stow_cost_limit *stow_cost_limit_find(const struct stow_divide_costs *costs,
                                                   const struct stow_binding *binding,
                                                   stow_cluster_id cluster)
{
    if (!costs || !costs->limits)
        return NULL;

    struct stow_cost_limit key = {(stow_binding_id)(binding - costs->s->binding), cluster, 0, 0};

    return bsearch(&key, costs->limit, costs->limits, sizeof(key), compare_limits);
}

/* ---- all of it --------------------------------------------------------------------------- */

static int fill_costs(struct stow_divide_costs *costs, const struct stow_divide_policy *policy,
                      struct stow_err *err)
{
    const struct stow_snapshot *s = costs->s;

    costs->tariff = stow_arena_zalloc(&costs->arena, (s->clusters + 1) * sizeof(*costs->tariff));
    if (!costs->tariff)
        return stow_fail_memory(err);
    costs->tariffs = s->clusters;
    costs->currency =
        s->book.currency ? stow_intern_get(&s->book.text, s->book.currency) : STOW_STR("USD");
    for (uint32_t i = 0; i < s->clusters; i++)
        costs->tariff[i].per_replica = STOW_MONEY_UNKNOWN;
    for (uint32_t i = 0; i < s->book.clusters; i++)
        STOW_TRY(read_book_entry(costs, &s->book.cluster[i], err));
    for (uint32_t i = 0; i < s->clusters; i++)
        STOW_TRY(read_annotations(costs, i, err));
    if (!policy)
        return STOW_OK;
    costs->rules = policy->rules;
    costs->unknown = policy->unknown;
    costs->assumed = policy->assumed;
    return bind_limits(costs, policy, err);
}

int stow_divide_costs_new(const struct stow_snapshot *s, const struct stow_divide_policy *policy,
                          struct stow_divide_costs **ret, struct stow_err *err)
{
    struct stow_divide_costs *made = calloc(1, sizeof(*made));

    if (!made)
        return stow_fail_memory(err);
    made->s = s;

    int code = fill_costs(made, policy, err);

    if (code < 0) {
        stow_divide_costs_free(made);
        return code;
    }
    *ret = made;
    return STOW_OK;
}

void stow_divide_costs_free(struct stow_divide_costs *costs)
{
    if (!costs)
        return;
    for (uint32_t i = 0; i < costs->tariffs; i++)
        stow_price_memo_free(costs->tariff[i].memo);
    free(costs->rate);
    stow_arena_done(&costs->arena);
    free(costs);
}

static bool has_other_prices(const struct stow_divide_costs *costs)
{
    for (uint32_t i = 0; i < costs->s->clusters; i++)
        if (costs->tariff[i].from != STOW_PRICE_FROM_NOTHING)
            return true;
    return false;
}

int stow_divide_costs_member(struct stow_divide_costs *costs, stow_cluster_id cluster,
                             const struct stow_member *member, struct stow_err *err)
{
    struct stow_tariff *tariff = &costs->tariff[cluster];
    struct stow_str currency = member->bill->currency;

    if (member->bill->total.price.known && !stow_str_eq(currency, costs->currency)) {
        if (has_other_prices(costs))
            return stow_fail(err, STOW_EPARSE,
                             "Cluster '%s': its nodes are priced in %.*s, other clusters in %.*s; "
                             "give one currency",
                             costs->s->cluster[cluster].name, STOW_FMT(currency),
                             STOW_FMT(costs->currency));
        costs->currency = currency;
    }
    stow_price_memo_free(tariff->memo);
    tariff->memo = stow_price_memo_new();
    tariff->member = *member;
    if (tariff->from == STOW_PRICE_FROM_NOTHING)
        tariff->from = STOW_PRICE_FROM_NODES;
    return STOW_OK;
}

/* ---- a replica's price ------------------------------------------------------------------- */

static bool is_bytes(const struct stow_snapshot *s, stow_sym resource)
{
    return resource == STOW_SYM_MEMORY || resource == STOW_SYM_EPHEMERAL ||
           stow_str_starts(stow_text(s, resource), STOW_STR("hugepages-"));
}

/* Σ request * rate, rounded up; unknown when it does not fit. */
static stow_nano price_by_rates(const struct stow_divide_costs *costs,
                                const struct stow_tariff *tariff, const struct stow_exact *request,
                                uint32_t requests)
{
    const stow_i128 whole = NANO_UNITS * GIB;
    stow_i128 sum = 0;

    for (uint32_t i = 0; i < tariff->rates; i++) {
        const struct stow_rate *rate = &costs->rate[tariff->rate + i];
        stow_i128 amount = rate->resource == STOW_SYM_PODS ? NANO_UNITS : 0, part;

        stow_exact_find(request, requests, rate->resource, &amount);
        if (__builtin_mul_overflow(amount, (stow_i128)rate->price, &part) ||
            (!is_bytes(costs->s, rate->resource) && __builtin_mul_overflow(part, GIB, &part)) ||
            __builtin_add_overflow(sum, part, &sum))
            return STOW_MONEY_UNKNOWN;
    }
    sum = sum / whole + (sum % whole != 0);
    return sum > INT64_MAX ? STOW_MONEY_UNKNOWN : (stow_nano)sum;
}

/* What the nodes of a cluster have, computed once for a shape. */
static int find_steps(const struct stow_divide_costs *costs, stow_cluster_id cluster,
                      const struct stow_binding *binding, struct stow_arena *arena,
                      struct stow_price_list *ret, struct stow_err *err)
{
    const struct stow_tariff *tariff = &costs->tariff[cluster];
    struct stow_asked asked;

    STOW_TRY(stow_translate_binding(costs->s, tariff->member.s, binding, &asked, err));

    const struct stow_price_list *kept = stow_price_memo_find(tariff->memo, &asked);

    if (!kept) {
        STOW_TRY(stow_member_steps(&tariff->member, &asked, arena, ret, err));
        stow_price_memo_keep(tariff->memo, &asked, ret);
        return STOW_OK;
    }

    struct stow_price_step *copy = stow_arena_alloc(arena, (kept->steps + 1) * sizeof(*copy));

    if (!copy)
        return stow_fail_memory(err);
    memcpy(copy, kept->step, kept->steps * sizeof(*copy));
    *ret = (struct stow_price_list){copy, kept->steps};
    return STOW_OK;
}

static int price_cluster(const struct stow_divide_costs *costs, stow_cluster_id cluster,
                         const struct stow_binding *binding, struct stow_arena *arena,
                         struct stow_price_list *ret, struct stow_err *err)
{
    const struct stow_tariff *tariff = &costs->tariff[cluster];
    uint32_t requests;
    const struct stow_exact *request =
        STOW_LIST(costs->s, binding->requests, struct stow_exact, &requests);

    if (tariff->from == STOW_PRICE_FROM_NODES)
        return find_steps(costs, cluster, binding, arena, ret, err);

    struct stow_price_step *step = stow_arena_alloc(arena, sizeof(*step));

    if (!step)
        return stow_fail_memory(err);
    *step = (struct stow_price_step){INT64_MAX, tariff->per_replica};
    if (tariff->from != STOW_PRICE_FROM_NOTHING && tariff->per_replica == STOW_MONEY_UNKNOWN)
        step->price = price_by_rates(costs, tariff, request, requests);
    *ret = (struct stow_price_list){step, 1};
    return STOW_OK;
}

int stow_divide_prices(const struct stow_divide_costs *costs, const struct stow_binding *binding,
                       struct stow_arena *arena, struct stow_price_list **ret, struct stow_err *err)
{
    uint32_t clusters = costs->s->clusters;
    struct stow_price_list *list = stow_arena_zalloc(arena, (clusters + 1) * sizeof(*list));

    if (!list)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < clusters; i++)
        STOW_TRY(price_cluster(costs, i, binding, arena, &list[i], err));
    *ret = list;
    return STOW_OK;
}

stow_nano stow_price_list_cost(const struct stow_price_list *list, int64_t held, int64_t replicas)
{
    stow_i128 cost = 0;

    for (uint32_t i = 0; i < list->steps && replicas > 0; i++) {
        int64_t room = list->step[i].capacity;

        stow_add_clamped(&room, i == 0 ? held : 0);

        int64_t here = room < replicas ? room : replicas;

        if (here > 0 && list->step[i].price == STOW_MONEY_UNKNOWN)
            return STOW_MONEY_UNKNOWN;
        cost += (stow_i128)list->step[i].price * here;
        replicas -= here;
    }
    return replicas > 0 || cost > INT64_MAX ? STOW_MONEY_UNKNOWN : (stow_nano)cost;
}

static int room_of(const struct stow_divide_costs *costs, stow_cluster_id cluster,
                   const struct stow_binding *binding, int64_t *ret, struct stow_err *err)
{
    const struct stow_member *member = &costs->tariff[cluster].member;
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    struct stow_price_list list = {0};
    uint32_t components;

    (void)STOW_LIST(costs->s, binding->components, struct stow_component, &components);
    if (components > 1)
        return stow_member_sets(member, costs->s, binding, ret, err);
    STOW_TRY(find_steps(costs, cluster, binding, &arena, &list, err));
    *ret = 0;
    for (uint32_t i = 0; i < list.steps; i++)
        stow_add_clamped(ret, list.step[i].capacity);
    return STOW_OK;
}

int stow_divide_room(const struct stow_divide_costs *costs, const struct stow_binding *binding,
                     int64_t *ret, struct stow_err *err)
{
    for (uint32_t i = 0; i < costs->s->clusters; i++) {
        ret[i] = -1;
        if (costs->tariff[i].member.s)
            STOW_TRY(room_of(costs, i, binding, &ret[i], err));
    }
    return STOW_OK;
}

/* ---- the proposal's score ---------------------------------------------------------------- */

/* A price as the proposal stores it.  Rounded once: where the double in between is not exact, its
 * last bit is made odd, so that rounding again cannot go wrong. */
static float as_float(stow_nano price)
{
    double value = (double)price / NANO_UNITS;
    double rest = fma(-value, NANO_UNITS, (double)price);
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    if (rest != 0 && !(bits & 1))
        value = nextafter(value, rest > 0 ? INFINITY : -INFINITY);
    return (float)value;
}

int64_t stow_kep_score(stow_nano price)
{
    float score = -as_float(price) * 100.0F;

    return (int64_t)score;
}
