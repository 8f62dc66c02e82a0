/* inspection.c - the figures of an inspection, and its form as data. */
#include "explain/inspection/inspection.h"

#include <stdlib.h>

#include "base/vec.h"
#include "explain/defaulted.h"
#include "explain/inspection/inspection_internal.h"
#include "explain/warnings.h"
#include "explain/words.h"
#include "model/values/amount.h"

/* ---- figures ----------------------------------------------------------------------------- */

struct ranked {
    stow_nano waste, price; /* unknown is the smallest number: it comes last */
    stow_node_id node;
};

static int compare_ranked(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->waste != y->waste)
        return x->waste > y->waste ? -1 : 1;
    if (x->price != y->price)
        return x->price > y->price ? -1 : 1;
    return x->node < y->node ? -1 : 1; /* ids are in order of names */
}

stow_node_id *stow_worst_nodes(const struct stow_snapshot *s, const struct stow_bill *bill)
{
    STOW_AUTO(stow_free_local) struct ranked *list = calloc(s->nodes + 1, sizeof(*list));
    stow_node_id *order = calloc(s->nodes + 1, sizeof(*order));

    if (!list || !order) {
        free(order);
        return NULL;
    }
    for (stow_node_id i = 0; i < s->nodes; i++)
        list[i] = (struct ranked){bill->node[i].waste, bill->node[i].price, i};
    qsort(list, s->nodes, sizeof(*list), compare_ranked);
    for (uint32_t i = 0; i < s->nodes; i++)
        order[i] = list[i].node;
    return order;
}

static void add_node(const struct stow_snapshot *s, stow_node_id node,
                     struct stow_resource_sum *sums)
{
    for (stow_resource_id r = 0; r < s->resources; r++) {
        int64_t all = s->allocatable[(size_t)r * s->nodes + node];
        int64_t wanted = s->requested[(size_t)r * s->nodes + node];

        stow_add_clamped(&sums[r].allocatable, all);
        stow_add_clamped(&sums[r].requested, stow_asked_requested(s, r, node));
        stow_add_clamped(&sums[r].free, wanted < all ? all - wanted : 0);
    }
}

static void add_pending(const struct stow_snapshot *s, struct stow_resource_sum *sums)
{
    for (stow_pod_id i = 0; i < s->pods; i++) {
        uint32_t count;
        const struct stow_amount *list;

        if (!stow_pod_pending(&s->pod[i]))
            continue;
        list = STOW_LIST(s, s->demand[s->pod[i].spec].requests, struct stow_amount, &count);
        for (uint32_t j = 0; j < count; j++)
            stow_add_clamped(&sums[list[j].resource].pending, list[j].value);
        stow_add_clamped(&sums[STOW_RESOURCE_PODS].pending, 1);
    }
}

struct stow_resource_sum *stow_resource_sums(const struct stow_snapshot *s, stow_group_id group)
{
    struct stow_resource_sum *sums = calloc(s->resources + 1, sizeof(*sums));

    if (!sums)
        return NULL;
    for (stow_node_id i = 0; i < s->nodes; i++)
        if (group == STOW_NONE || s->node[i].group == group)
            add_node(s, i, sums);
    if (group == STOW_NONE)
        add_pending(s, sums);
    return sums;
}

bool stow_resource_in_use(const struct stow_resource_sum *sum)
{
    return sum->allocatable || sum->requested || sum->pending;
}

/* ---- as data ----------------------------------------------------------------------------- */

static struct stow_value *text_or_null(struct stow_doc *doc, struct stow_str text)
{
    return text.len ? stow_doc_str(doc, text) : stow_doc_null(doc);
}

static void set_amount(struct stow_doc *doc, struct stow_value *object, const char *key,
                       const struct stow_snapshot *s, stow_resource_id r, int64_t amount)
{
    char text[STOW_AMOUNT_TEXT];

    stow_value_set(doc, object, key, stow_doc_text(doc, stow_amount_exact(s, r, amount, text)));
}

static struct stow_value *sums_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                     stow_group_id group)
{
    STOW_AUTO(stow_free_local) struct stow_resource_sum *sums = stow_resource_sums(s, group);
    struct stow_value *all = stow_doc_object(doc);

    if (!sums)
        doc->failed = true;
    for (stow_resource_id r = 0; sums && r < s->resources; r++) {
        struct stow_value *one;

        if (!stow_resource_in_use(&sums[r]))
            continue;
        one = stow_doc_object(doc);
        set_amount(doc, one, "allocatable", s, r, sums[r].allocatable);
        set_amount(doc, one, "requested", s, r, sums[r].requested);
        set_amount(doc, one, "free", s, r, sums[r].free);
        if (group == STOW_NONE)
            set_amount(doc, one, "pending", s, r, sums[r].pending);
        stow_value_set_str(doc, all, stow_text(s, s->resource[r]), one);
    }
    return all;
}

static struct stow_value *node_resources(struct stow_doc *doc, const struct stow_snapshot *s,
                                         stow_node_id node)
{
    struct stow_value *all = stow_doc_object(doc);

    for (stow_resource_id r = 0; r < s->resources; r++) {
        int64_t have = s->allocatable[(size_t)r * s->nodes + node];
        int64_t wanted = s->requested[(size_t)r * s->nodes + node];
        struct stow_value *one;

        if (!have && !wanted)
            continue;
        one = stow_doc_object(doc);
        set_amount(doc, one, "allocatable", s, r, have);
        set_amount(doc, one, "requested", s, r, stow_asked_requested(s, r, node));
        set_amount(doc, one, "free", s, r, wanted < have ? have - wanted : 0);
        stow_value_set_str(doc, all, stow_text(s, s->resource[r]), one);
    }
    return all;
}

static struct stow_value *node_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                     const struct stow_bill *bill, stow_node_id node)
{
    const struct stow_node_bill *b = &bill->node[node];
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "name", stow_doc_text(doc, s->node[node].name));
    stow_value_set(doc, v, "group", stow_doc_text(doc, s->group[s->node[node].group].name));
    stow_value_set(doc, v, "instanceType", text_or_null(doc, b->offer.instance_type));
    stow_value_set(doc, v, "region", text_or_null(doc, b->offer.region));
    stow_value_set(doc, v, "zone", text_or_null(doc, b->offer.zone));
    stow_value_set(doc, v, "capacityType",
                   stow_doc_text(doc, stow_capacity_type_name(b->offer.capacity_type)));
    stow_value_set(doc, v, "pricePerHour", stow_doc_money(doc, b->price));
    if (b->discount) {
        char text[STOW_MONEY_TEXT];

        stow_value_set(doc, v, "listPricePerHour", stow_doc_money(doc, b->list));
        stow_value_set(doc, v, "discountPercent",
                       stow_doc_number(doc, stow_money_short(b->discount, text)));
    }
    if (b->fee)
        stow_value_set(doc, v, "feePerNodeHour", stow_doc_money(doc, b->fee));
    stow_value_set(doc, v, "priceSource", stow_doc_text(doc, stow_node_bill_source(b)));
    if (b->collected && b->collected[0])
        stow_value_set(doc, v, "priceCollected", stow_doc_text(doc, b->collected));
    if (b->stale)
        stow_value_set(doc, v, "stale", stow_doc_bool(doc, true));
    if (b->why)
        stow_value_set(doc, v, "unpriced", stow_doc_text(doc, b->why));
    stow_value_set(doc, v, "wastePerHour", stow_doc_money(doc, b->waste));
    stow_value_set(doc, v, "pods", stow_doc_int(doc, stow_asked_pods(s, node)));
    stow_value_set(doc, v, "resources", node_resources(doc, s, node));
    return v;
}

static struct stow_value *group_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                      const struct stow_bill *bill, stow_group_id group)
{
    const struct stow_sum *sum = &bill->group[group];
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "group", stow_doc_text(doc, s->group[group].name));
    stow_value_set(doc, v, "nodes", stow_doc_int(doc, sum->nodes));
    stow_value_set(doc, v, "unpricedNodes", stow_doc_int(doc, sum->price.unknown));
    stow_value_set(doc, v, "pods", stow_doc_int(doc, sum->pods));
    stow_value_set_sum(doc, v, "pricePerHour", &sum->price);
    stow_value_set_sum(doc, v, "wastePerHour", &sum->waste);
    stow_value_set(doc, v, "resources", sums_value(doc, s, group));
    return v;
}

static struct stow_value *pending_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                        const struct stow_pod *pod)
{
    struct stow_value *v = stow_doc_object(doc), *requests = stow_doc_object(doc);
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(s, s->demand[pod->spec].requests, struct stow_amount, &count);

    stow_value_set(doc, v, "pod",
                   stow_doc_textf(doc, "%s/%s", stow_text(s, pod->namespace).ptr, pod->name));
    stow_value_set(doc, v, "priority", stow_doc_int(doc, pod->priority));
    for (uint32_t i = 0; i < count; i++)
        set_amount(doc, requests, stow_text(s, s->resource[list[i].resource]).ptr, s,
                   list[i].resource, list[i].value);
    stow_value_set(doc, v, "requests", requests);
    return v;
}

static int64_t count_ended(const struct stow_snapshot *s)
{
    int64_t count = 0;

    for (stow_pod_id i = 0; i < s->pods; i++)
        count += !stow_pod_counts(&s->pod[i]) && !(s->pod[i].flags & STOW_POD_ASIDE);
    return count;
}

static struct stow_value *commitments_value(struct stow_doc *doc, const struct stow_bill *bill)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < bill->commitments; i++) {
        const struct stow_bill_commitment *c = &bill->commitment[i];
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "instanceType", stow_doc_str(doc, c->instance_type));
        stow_value_set(doc, v, "region", stow_doc_str(doc, c->region));
        stow_value_set(doc, v, "nodes", stow_doc_int(doc, c->nodes));
        stow_value_set(doc, v, "pricePerHour", stow_doc_money(doc, c->price));
        stow_value_set(doc, v, "usedNodes", stow_doc_int(doc, c->used));
        stow_value_set(doc, v, "unusedPerHour", stow_doc_money(doc, stow_unused_fee(c)));
        stow_value_push(doc, list, v);
    }
    return list;
}

/* Committed parts are no groups of their own. */
static uint32_t count_groups(const struct stow_snapshot *s)
{
    uint32_t count = 0;

    for (stow_group_id i = 0; i < s->groups; i++)
        count += !s->group[i].commitment;
    return count;
}

static struct stow_value *counts_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                       const struct stow_bill *bill)
{
    uint32_t running = stow_snapshot_count(s, STOW_PODS_RUNNING);
    uint32_t pending = stow_snapshot_count(s, STOW_PODS_PENDING);
    struct stow_value *v = stow_doc_object(doc), *pods = stow_doc_object(doc);

    stow_value_set(doc, pods, "running", stow_doc_int(doc, running));
    stow_value_set(doc, pods, "pending", stow_doc_int(doc, pending));
    stow_value_set(doc, pods, "ended", stow_doc_int(doc, count_ended(s)));
    stow_value_set(doc, v, "nodes", stow_doc_int(doc, s->nodes));
    stow_value_set(doc, v, "unpricedNodes", stow_doc_int(doc, stow_bill_unpriced(bill)));
    if (bill->guesses.discounted) {
        stow_value_set(doc, v, "discountedNodes", stow_doc_int(doc, bill->guesses.discounted));
        stow_value_set(doc, v, "discountPerHour", stow_doc_money(doc, bill->discounts));
    }
    if (bill->commitments)
        stow_value_set(doc, v, "commitments", commitments_value(doc, bill));
    else if (s->commitments)
        stow_value_set(doc, v, "commitmentsCurrency",
                       stow_doc_str(doc, stow_intern_get(&s->book.text, s->book.currency)));
    stow_guesses_set(doc, v, &bill->guesses);
    if (bill->absent)
        stow_value_set(doc, v, "absentNodes", stow_doc_int(doc, bill->absent));
    stow_value_set(doc, v, "groups", stow_doc_int(doc, count_groups(s)));
    stow_value_set(doc, v, "pods", pods);
    stow_value_set(doc, v, "resources", sums_value(doc, s, STOW_NONE));
    return v;
}

static struct stow_value *money_value(struct stow_doc *doc, const struct stow_bill *bill,
                                      const struct stow_money_sum *sum)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set_sum(doc, v, "perHour", sum);
    stow_value_set(doc, v, "currency", stow_doc_str(doc, bill->currency));
    return v;
}

static struct stow_value *nodes_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                      const struct stow_bill *bill)
{
    STOW_AUTO(stow_free_local) stow_node_id *worst = stow_worst_nodes(s, bill);
    struct stow_value *nodes = stow_doc_array(doc);

    if (!worst)
        doc->failed = true;
    for (uint32_t i = 0; worst && i < s->nodes; i++)
        stow_value_push(doc, nodes, node_value(doc, s, bill, worst[i]));
    return nodes;
}

struct stow_value *stow_inspection_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                         const struct stow_bill *bill)
{
    struct stow_value *v = stow_doc_object(doc), *groups = stow_doc_array(doc);
    struct stow_value *pending = stow_doc_array(doc);

    for (stow_group_id i = 0; i < s->groups; i++)
        if (!s->group[i].commitment)
            stow_value_push(doc, groups, group_value(doc, s, bill, i));
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (stow_pod_pending(&s->pod[i]))
            stow_value_push(doc, pending, pending_value(doc, s, &s->pod[i]));

    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "Inspection"));
    stow_value_set(doc, v, "cost", money_value(doc, bill, &bill->total.price));
    stow_value_set(doc, v, "waste", money_value(doc, bill, &bill->total.waste));
    stow_value_set(doc, v, "resourceRates",
                   stow_doc_text(doc, bill->rates == STOW_LAYER_COUNT
                                          ? "built-in"
                                          : stow_layer_name(bill->rates)));
    stow_value_set(doc, v, "totals", counts_value(doc, s, bill));
    stow_value_set(doc, v, "groups", groups);
    stow_value_set(doc, v, "nodes", nodes_value(doc, s, bill));
    stow_value_set(doc, v, "pending", pending);
    stow_defaulted_set(doc, v, s, false);
    stow_warnings_set(doc, v, s, NULL, 0);
    return v;
}
