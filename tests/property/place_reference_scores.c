/* place_reference_scores.c - the scorers that look at one node, and Ultron's. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/property/place_reference.h"

/* ---- normalising ------------------------------------------------------------------------- */

static void normalise(const struct ref_question *q, bool reverse, double *ret)
{
    int64_t max = 0;

    for (uint32_t i = 0; i < q->candidates; i++)
        if ((int64_t)ret[q->candidate[i]] > max)
            max = (int64_t)ret[q->candidate[i]];
    for (uint32_t i = 0; i < q->candidates; i++) {
        int64_t points = (int64_t)ret[q->candidate[i]];

        if (max > 0)
            points = 100 * points / max;
        if (reverse)
            points = 100 - points;
        ret[q->candidate[i]] = (double)points;
    }
}

/* ---- shares of resources ----------------------------------------------------------------- */

/* What the scorer of NodeResourcesFit takes for the pod's request: containers with the defaults of
 * those that name no cpu or memory, and overhead; spec.resources is not looked at. */
static int64_t scored_request(const struct ref_question *q, int at)
{
    static const stow_i128 missing[2] = {(stow_i128)100 * 1000000,
                                         (stow_i128)209715200 * 1000000000};
    stow_sym resource = q->c->resource[at];
    uint32_t count;
    const struct stow_container *c =
        STOW_LIST(q->s, q->spec->containers, struct stow_container, &count);
    stow_i128 run = 0, sidecars = 0, peak = 0, overhead = 0;

    for (uint32_t i = 0; i < count; i++) {
        stow_i128 amount = at < 2 ? missing[at] : 0;

        ref_amount(q->s, c[i].requests, resource, &amount);
        if (!(c[i].flags & STOW_CONTAINER_INIT)) {
            run += amount;
            continue;
        }
        peak = sidecars + amount > peak ? sidecars + amount : peak;
        if (c[i].flags & STOW_CONTAINER_SIDECAR)
            sidecars += amount;
    }
    ref_amount(q->s, q->spec->overhead, resource, &overhead);
    return ref_units(resource, (run + sidecars > peak ? run + sidecars : peak) + overhead);
}

static int64_t used_for_scoring(const struct ref_question *q, int at, stow_node_id node)
{
    if (at == 0 || at == 1)
        return q->c->used_nonzero[node][at];
    return q->c->used[node][at];
}

static const struct ref_weights cpu_and_memory = {{{"cpu", 1, false}, {"memory", 1, false}}, 2};

static const struct ref_weights *listed(const struct ref_weights *list)
{
    return list->count ? list : &cpu_and_memory;
}

/* The score at one point of the shape, from 0 to 100. */
static int64_t shape_y(const struct ref_profile *p, uint32_t i)
{
    return (int64_t)p->shape_y[i] * 10;
}

static int64_t shape_at(const struct ref_profile *p, int64_t x)
{
    const int32_t *at = p->shape_x;

    if (x <= at[0])
        return shape_y(p, 0);
    for (uint32_t i = 1; i < p->shape; i++)
        if (x <= at[i])
            return shape_y(p, i - 1) +
                   (shape_y(p, i) - shape_y(p, i - 1)) * (x - at[i - 1]) / (at[i] - at[i - 1]);
    return shape_y(p, p->shape - 1);
}

/* Points of one resource with R of `cap` used. */
static int64_t share(const struct ref_profile *p, enum ref_scorer which, int64_t used, int64_t cap)
{
    int64_t taken = used > cap ? cap : used;

    if (which == REF_S_LEAST)
        return (int64_t)((stow_i128)(cap - taken) * 100 / cap);
    taken = (int64_t)((stow_i128)taken * 100 / cap);
    return which == REF_S_MOST ? taken : shape_at(p, taken);
}

static double fit_score(const struct ref_question *q, enum ref_scorer which, stow_node_id node)
{
    const struct ref_weights *list = listed(&q->p->resources);
    int64_t sum = 0, weights = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        int at = ref_resource(q->c, list->item[i].name);
        int64_t cap = at < 0 ? 0 : q->c->allocatable[node][at];
        int64_t request = at < 0 ? 0 : scored_request(q, at), points;

        if (cap == 0 || (ref_is_scalar(list->item[i].name) && request == 0))
            continue;
        points = share(q->p, which, used_for_scoring(q, at, node) + request, cap);
        if (which == REF_S_RATIO && points == 0)
            continue;
        sum += points * list->item[i].weight;
        weights += list->item[i].weight;
    }
    if (weights == 0)
        return 0;

    const int64_t mean = sum / weights;

    return which == REF_S_RATIO ? round((double)sum / (double)weights) : (double)mean;
}

static double balance(const struct ref_question *q, stow_node_id node, bool with_pod)
{
    const struct ref_weights *list = listed(&q->p->balanced);
    double f[4], mean = 0, squares = 0, std = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        int at = ref_resource(q->c, list->item[i].name);
        int64_t cap = at < 0 ? 0 : q->c->allocatable[node][at];
        int64_t need = at < 0 ? 0 : q->c->need[q->id][at];

        if (cap == 0 || (ref_is_scalar(list->item[i].name) && need == 0))
            continue;
        f[n] = (double)(q->c->used[node][at] + (with_pod ? need : 0)) / (double)cap;
        f[n] = f[n] > 1 ? 1 : f[n];
        n++;
    }
    if (n == 2)
        std = fabs(f[0] - f[1]) / 2;
    for (uint32_t i = 0; i < n; i++)
        mean += f[i];
    mean /= n ? (double)n : 1;
    for (uint32_t i = 0; i < n; i++)
        squares += (f[i] - mean) * (f[i] - mean);
    if (n > 2)
        std = sqrt(squares / (double)n);
    return trunc((1 - std) * 100);
}

static bool balanced_skips(const struct ref_question *q)
{
    const struct ref_weights *list = listed(&q->p->balanced);

    for (uint32_t i = 0; i < list->count; i++) {
        int at = ref_resource(q->c, list->item[i].name);

        if (at >= 0 && q->c->need[q->id][at] > 0)
            return false;
    }
    return true;
}

static double balanced_score(const struct ref_question *q, stow_node_id node)
{
    int64_t after = (int64_t)balance(q, node, true), before = (int64_t)balance(q, node, false);

    return (double)(q->p->balanced_1_35 ? after : 50 + (50 + after - before) / 2);
}

/* ---- Koordinator ------------------------------------------------------------------------- */

static int64_t container_amount(const struct ref_question *q, const struct stow_container *c,
                                int at)
{
    stow_i128 nano;

    if (ref_amount(q->s, c->requests, q->c->resource[at], &nano))
        return ref_units(q->c->resource[at], nano);
    return at == 0 ? 100 : at == 1 ? 209715200 : 0;
}

/* Containers, then init containers in order: a sidecar adds, another raises. */
static int64_t koordinator_amount(const struct ref_question *q, int at)
{
    uint32_t count;
    const struct stow_container *c =
        STOW_LIST(q->s, q->spec->containers, struct stow_container, &count);
    int64_t total = 0;

    for (uint32_t i = 0; i < count; i++)
        if (!(c[i].flags & STOW_CONTAINER_INIT))
            total += container_amount(q, &c[i], at);
    for (uint32_t i = 0; i < count; i++) {
        int64_t amount = container_amount(q, &c[i], at);

        if (c[i].flags & STOW_CONTAINER_SIDECAR)
            total += amount;
        else if ((c[i].flags & STOW_CONTAINER_INIT) && amount > total)
            total = amount;
    }
    return total;
}

static double fit_plus_score(const struct ref_question *q, stow_node_id node)
{
    const struct ref_weights *list = &q->p->fit_plus;
    int64_t sum = 0, weights = 0;

    for (uint32_t i = 0; i < list->count; i++) {
        int at = ref_resource(q->c, list->item[i].name);
        int64_t points = 0, used, cap;

        if (at < 0 || q->c->need[q->id][at] <= 0)
            continue;
        used = !q->p->fit_plus_corrected ? koordinator_amount(q, at)
               : at < 2                  ? q->c->nonzero[q->id][at]
                                         : q->c->need[q->id][at];
        used += used_for_scoring(q, at, node);
        cap = q->c->allocatable[node][at];
        if (cap > 0)
            points = share(q->p, list->item[i].most ? REF_S_MOST : REF_S_LEAST, used, cap);
        sum += points * list->item[i].weight;
        weights += list->item[i].weight;
    }

    const int64_t mean = weights ? sum / weights : 100;

    return (double)mean;
}

static bool is_scarce(const struct ref_question *q, stow_sym resource)
{
    for (uint32_t i = 0; i < q->p->scarce.count; i++)
        if (ref_is(q->s, resource, q->p->scarce.item[i].name))
            return true;
    return false;
}

static double scarce_by_type(const struct ref_question *q, stow_node_id node)
{
    int64_t surplus = 0, scarce = 0;

    for (uint32_t i = 0; i < q->c->resources; i++) {
        if (q->c->allocatable[node][i] <= 0 || q->c->need[q->id][i] > 0)
            continue;
        surplus++;
        scarce += is_scarce(q, q->c->resource[i]);
    }

    const int64_t points = surplus && scarce ? (surplus - scarce) * 100 / surplus : 100;

    return (double)points;
}

/* 100 * (1 - sum / weights), rounded down, with everything over one denominator. */
static double scarce_by_amount(const struct ref_question *q, stow_node_id node)
{
    stow_i128 over = 0, under = 1;
    int64_t weights = 0;

    for (uint32_t i = 0; i < q->p->scarce.count; i++) {
        const struct ref_weight *w = &q->p->scarce.item[i];
        int at = ref_resource(q->c, w->name);
        int64_t cap = at < 0 ? 0 : q->c->allocatable[node][at];
        int64_t room = at < 0 ? 0 : cap - q->c->used[node][at];

        if (at >= 0 && q->c->need[q->id][at] > 0)
            continue;
        weights += w->weight;
        if (room <= 0)
            continue;
        over = over * cap + (stow_i128)w->weight * room * under;
        under *= cap;
    }
    if (weights == 0)
        return 100;
    return (double)(int64_t)((100 * (weights * under - over)) / (weights * under));
}

/* ---- taints, node affinity, images ------------------------------------------------------- */

static double bad_taints(const struct ref_question *q, stow_node_id node)
{
    uint32_t count, bad = 0;
    const struct stow_taint *t =
        STOW_LIST(q->s, q->s->node[node].taints, struct stow_taint, &count);

    for (uint32_t i = 0; i < count; i++)
        bad += t[i].effect == STOW_EFFECT_PREFER_NO_SCHEDULE && !ref_tolerated(q, &t[i], true);
    return bad;
}

/* The added preference of the tests: 30 for nodes with the label disk. */
static double preferences(const struct ref_question *q, stow_node_id node)
{
    uint32_t count;
    const struct stow_node_term *t =
        STOW_LIST(q->s, q->spec->node_preferred, struct stow_node_term, &count);
    int64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += ref_term_matches(q->s, &t[i], node) ? t[i].weight : 0;
    if (q->p->added_preferred &&
        ref_label_named(q->s, q->s->node[node].labels, "disk") != STOW_NONE)
        sum += 30;
    return (double)sum;
}

/* The bytes of an image on a node; -1: it is not there. */
static int64_t image_on(const struct ref_question *q, stow_node_id node, const char *name)
{
    uint32_t count;
    const struct stow_image *list =
        STOW_LIST(q->s, q->s->node[node].images, struct stow_image, &count);

    for (uint32_t i = 0; i < count; i++)
        if (ref_is(q->s, list[i].name, name))
            return list[i].bytes;
    return -1;
}

static int64_t image_points(const struct ref_question *q, stow_node_id node, stow_sym image)
{
    const char *text = stow_text(q->s, image).ptr, *slash = strrchr(text, '/');
    char name[128];
    int64_t with = 0, bytes;

    snprintf(name, sizeof(name), "%s%s", text, strchr(slash ? slash : text, ':') ? "" : ":latest");
    bytes = image_on(q, node, name);
    for (stow_node_id n = 0; n < q->s->nodes; n++)
        with += image_on(q, n, name) >= 0;
    return bytes < 0 ? 0 : (int64_t)((double)bytes * ((double)with / (double)q->s->nodes));
}

static double image_score(const struct ref_question *q, stow_node_id node)
{
    const int64_t mib = 1 << 20;
    uint32_t count;
    const struct stow_container *c =
        STOW_LIST(q->s, q->spec->containers, struct stow_container, &count);
    int64_t sum = 0, min = 23 * mib, max = 1000 * mib * count;

    for (uint32_t i = 0; i < count; i++)
        sum += image_points(q, node, c[i].image);
    sum = sum < min ? min : sum > max ? max : sum;

    const int64_t points = 100 * (sum - min) / (max - min);

    return (double)points;
}

/* ---- all of them ------------------------------------------------------------------------- */

static double score_on(const struct ref_question *q, enum ref_scorer which, stow_node_id node)
{
    switch (which) {
    case REF_S_FIT_PLUS:
        return fit_plus_score(q, node);
    case REF_S_SCARCE:
        return q->p->scarce_corrected ? scarce_by_amount(q, node) : scarce_by_type(q, node);
    case REF_S_LEAST:
    case REF_S_MOST:
    case REF_S_RATIO:
        return fit_score(q, which, node);
    case REF_S_BALANCED:
        return balanced_score(q, node);
    case REF_S_TAINTS:
        return bad_taints(q, node);
    case REF_S_NODE_AFFINITY:
        return preferences(q, node);
    case REF_S_IMAGES:
        return image_score(q, node);
    default:
        return 0;
    }
}

bool ref_score(const struct ref_question *q, enum ref_scorer which, double *ret)
{
    if (which == REF_S_SPREAD)
        return ref_score_spread(q, ret);
    if (which == REF_S_POD_AFFINITY)
        return ref_score_pod_affinity(q, ret);
    if (which == REF_S_BALANCED && balanced_skips(q))
        return false;
    if (which == REF_S_NODE_AFFINITY && !q->spec->node_preferred && !q->p->added_preferred)
        return false;
    if (which == REF_S_ULTRON) {
        ref_score_ultron(q, ret);
        return true;
    }
    for (uint32_t i = 0; i < q->candidates; i++)
        ret[q->candidate[i]] = score_on(q, which, q->candidate[i]);
    if (which == REF_S_TAINTS)
        normalise(q, true, ret);
    if (which == REF_S_NODE_AFFINITY)
        normalise(q, false, ret);
    return true;
}
