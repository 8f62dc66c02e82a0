/* score.c - `-o placement-score`: prices as scores for Open Cluster Management.
 *
 * Its Placements rank clusters by scores from -100 to 100 that anybody may publish, one object per
 * cluster.  Here the cheapest cluster has 100, the most expensive -100, and the others lie between
 * them in proportion to their prices, exactly, rounded to the nearest whole number and halves to
 * the even one.  A cluster without a price has no object: no score is not a bad score.
 *
 * One score per cluster is for all workloads given.  The price of a cluster is what all their
 * replicas together would cost there per hour; of one workload that is its price per replica, up to
 * a factor which does not change scores. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/int128.h"
#include "base/vec.h"
#include "divide/cost/price.h"
#include "explain/karmada/karmada_internal.h"

#define VALID_FOR   3600 /* seconds */
#define SCORE_LIMIT 100
#define SCORE_RANGE 200

/* What all replicas cost on each cluster. */
struct bills {
    stow_i128 *sum; /* by cluster id */
    bool *known;
    stow_i128 least, most; /* of those that are known */
    uint32_t count;
};

static void bills_done(struct bills *b)
{
    free(b->sum);
    free(b->known);
}

/* ---- prices ------------------------------------------------------------------------------ */

/* What one replica costs first; STOW_MONEY_UNKNOWN. */
static stow_nano first_price(const struct stow_divide_costs *costs,
                             const struct stow_price_list *list)
{
    const stow_nano price = list->steps ? list->step[0].price : STOW_MONEY_UNKNOWN;

    return price == STOW_MONEY_UNKNOWN && costs->unknown == STOW_UNKNOWN_ASSUME ? costs->assumed
                                                                                : price;
}

static int add_workload(const struct stow_karmada_work *w, const struct stow_binding *binding,
                        int64_t replicas, struct bills *b, struct stow_err *err)
{
    STOW_AUTO(stow_arena_done) struct stow_arena arena = {0};
    struct stow_price_list *prices;

    STOW_TRY(stow_divide_prices(w->options->costs, binding, &arena, &prices, err));
    for (stow_cluster_id i = 0; i < w->s->clusters; i++) {
        const stow_nano price = first_price(w->options->costs, &prices[i]);

        if (price == STOW_MONEY_UNKNOWN)
            b->known[i] = false;
        else
            b->sum[i] += (stow_i128)price * replicas; /* 2^94 each: scores of all have room */
    }
    return STOW_OK;
}

/* Workloads without replicas count where there are no others. */
static int add_workloads(const struct stow_karmada_work *w, struct bills *b, struct stow_err *err)
{
    bool some = false;

    for (uint32_t i = 0; i < w->in->items; i++)
        some |= w->in->item[i].binding->replicas > 0;
    for (uint32_t i = 0; i < w->in->items; i++) {
        const struct stow_binding *binding = w->in->item[i].binding;

        if (!some || binding->replicas > 0)
            STOW_TRY(add_workload(w, binding, some ? binding->replicas : 1, b, err));
    }
    return STOW_OK;
}

static int add_up(const struct stow_karmada_work *w, struct bills *b, struct stow_err *err)
{
    const size_t room = (size_t)w->s->clusters + 1;

    b->sum = calloc(room, sizeof(*b->sum));
    b->known = calloc(room, sizeof(*b->known));
    if (!b->sum || !b->known)
        return stow_fail_memory(err);
    for (stow_cluster_id i = 0; i < w->s->clusters; i++)
        b->known[i] = !(w->s->cluster[i].flags & STOW_CLUSTER_DELETED);
    STOW_TRY(add_workloads(w, b, err));
    for (stow_cluster_id i = 0; i < w->s->clusters; i++) {
        if (!b->known[i])
            continue;
        b->least = b->count == 0 || b->sum[i] < b->least ? b->sum[i] : b->least;
        b->most = b->count == 0 || b->sum[i] > b->most ? b->sum[i] : b->most;
        b->count++;
    }
    return STOW_OK;
}

/* ---- scores ------------------------------------------------------------------------------ */

/* a / b to the nearest whole number, halves to the even one; b > 0, a >= 0. */
static int64_t divide_to_even(stow_i128 a, stow_i128 b)
{
    const int64_t whole = (int64_t)(a / b);
    const stow_i128 twice = a % b * 2;

    return whole + (twice > b || (twice == b && whole % 2 != 0));
}

/* From 100 for the cheapest to -100; counted from the even number -100, so that halves stay. */
static int64_t score_of(const struct bills *b, stow_i128 price)
{
    if (b->most == b->least)
        return SCORE_LIMIT;
    return divide_to_even((b->most - price) * SCORE_RANGE, b->most - b->least) - SCORE_LIMIT;
}

static struct stow_value *score_value(struct stow_karmada_work *w, int64_t score)
{
    struct stow_value *v = stow_doc_object(w->doc), *list = stow_doc_array(w->doc);
    struct stow_value *item = stow_doc_object(w->doc);
    const int64_t seconds = w->options->valid_for ? w->options->valid_for : VALID_FOR;
    char text[32];

    stow_value_set(w->doc, item, "name", stow_doc_text(w->doc, "cost"));
    stow_value_set(w->doc, item, "value", stow_doc_int(w->doc, score));
    stow_value_push(w->doc, list, item);
    stow_value_set(w->doc, v, "scores", list);
    stow_value_set(w->doc, v, "validUntil",
                   stow_doc_text(w->doc, stow_time_format(w->options->now + seconds, text)));
    return v;
}

static int write_cluster(struct stow_karmada_work *w, const struct stow_cluster *cluster,
                         int64_t score, struct stow_err *err)
{
    struct stow_value *v = stow_doc_object(w->doc), *meta = stow_doc_object(w->doc);

    stow_value_set(w->doc, meta, "name", stow_doc_text(w->doc, "stowage"));
    stow_value_set(w->doc, meta, "namespace", stow_doc_text(w->doc, cluster->name));
    stow_value_set(w->doc, v, "apiVersion",
                   stow_doc_text(w->doc, "cluster.open-cluster-management.io/v1alpha1"));
    stow_value_set(w->doc, v, "kind", stow_doc_text(w->doc, "AddOnPlacementScore"));
    stow_value_set(w->doc, v, "metadata", meta);
    stow_value_set(w->doc, v, "status", score_value(w, score));
    return stow_karmada_push(w, NULL, v, err);
}

static int write(struct stow_karmada_work *w, struct stow_err *err)
{
    STOW_AUTO(bills_done) struct bills b = {0};

    if (!w->options->costs || !w->in->items)
        return stow_fail(err, STOW_EINVAL,
                         "-o placement-score: there is no workload whose price could be compared");
    STOW_TRY(add_up(w, &b, err));
    for (stow_cluster_id i = 0; i < w->s->clusters; i++) {
        const struct stow_cluster *cluster = &w->s->cluster[i];

        if (b.known[i])
            STOW_TRY(write_cluster(w, cluster, score_of(&b, b.sum[i]), err));
        else if (!(cluster->flags & STOW_CLUSTER_DELETED))
            STOW_TRY(
                stow_karmada_warn(w, NULL, err, "%s: no score: it has no price", cluster->name));
    }
    return b.count ? STOW_OK
                   : stow_fail(err, STOW_EWRONG, "-o placement-score: no cluster has a price");
}

/* ---- what its users would see ------------------------------------------------------------ */

static int check(const struct stow_karmada_work *w, const struct stow_karmada_item *item,
                 const struct stow_value *document, struct stow_err *err)
{
    const struct stow_value *status = stow_karmada_get(document, "status");
    const struct stow_value *scores = stow_karmada_get(status, "scores");
    stow_time until;

    (void)item;
    if (!scores || scores->members != 1)
        return stow_fail(err, STOW_EWRONG, "a cluster has no score");

    const int64_t value = stow_karmada_get_int(scores->as.list.first->value, "value", INT64_MAX);

    if (value < -SCORE_LIMIT || value > SCORE_LIMIT)
        return stow_fail(err, STOW_EWRONG, "a score is %" PRId64 "; expected %d to %d", value,
                         -SCORE_LIMIT, SCORE_LIMIT);
    if (!stow_time_parse(stow_karmada_get_text(status, "validUntil"), &until) ||
        until <= w->options->now)
        return stow_fail(err, STOW_EWRONG, "a score is not valid at all; expected a later time");
    return STOW_OK;
}

const struct stow_karmada_writer stow_karmada_score = {
    .name = "placement-score",
    .write = write,
    .check = check,
};
