/* karmada_story.h - a fleet of two clusters, divided and written for Karmada. */
#ifndef TESTS_UNIT_KARMADA_STORY_H
#define TESTS_UNIT_KARMADA_STORY_H

#include "tests/unit/load.h"

#include "divide/cost/price.h"
#include "explain/karmada/karmada_out.h"

#define BOTH_CLUSTERS                                                                 \
    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\n"                        \
    "metadata: {name: a, annotations: {stowage.dev/price-per-replica-hour: '0.5'}}\n" \
    "status:\n"                                                                       \
    "  apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}]\n"  \
    "  resourceSummary: {allocatable: {cpu: '160', pods: '1000'}}\n"                  \
    "---\n"                                                                           \
    "apiVersion: cluster.karmada.io/v1alpha1\nkind: Cluster\n"                        \
    "metadata: {name: b, annotations: {stowage.dev/price-per-replica-hour: '0.3'}}\n" \
    "status:\n"                                                                       \
    "  apiEnablements: [{groupVersion: apps/v1, resources: [{kind: Deployment}]}]\n"  \
    "  resourceSummary: {allocatable: {cpu: '80', pods: '1000'}}\n"                   \
    "---\n"

#define WEB(replicas)                                                                    \
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: shop}\n"    \
    "spec:\n"                                                                            \
    "  replicas: " replicas "\n"                                                         \
    "  template: {spec: {containers: [{name: c, resources: {requests: {cpu: '8'}}}]}}\n" \
    "---\n"

#define MOMENT 1793534400 /* 2026-11-01T12:00:00Z */

struct written {
    struct stow_snapshot *s;
    struct stow_divide_costs *costs;
    struct stow_karmada_item *item;
    struct stow_division *made;
    struct stow_karmada_out out;
    struct stow_buf text;
    struct stow_err err;
    int code;
};

static void divide_all(struct written *w, const struct stow_divide_options *options)
{
    struct stow_divider *divider = NULL;

    assert_int_equal(stow_divider_new(w->s, &divider, &w->err), STOW_OK);
    w->item = calloc(w->s->bindings + 1, sizeof(*w->item));
    w->made = calloc(w->s->bindings + 1, sizeof(*w->made));
    assert_true(w->item && w->made);
    for (uint32_t i = 0; i < w->s->bindings; i++) {
        assert_int_equal(stow_divide(divider, &w->s->binding[i], options, &w->made[i], &w->err),
                         STOW_OK);
        w->item[i] = stow_karmada_item_of(&w->s->binding[i], &w->made[i]);
    }
    stow_divider_free(divider);
}

static struct written put(const char *yaml, enum stow_karmada_form form,
                          enum stow_division_strategy strategy, uint32_t karmada)
{
    struct written w = {.s = load_yaml(yaml)};
    struct stow_divide_options options = {
        .strategy = strategy, .karmada = karmada, .always = true, .fresh = true};

    assert_int_equal(stow_divide_costs_new(w.s, NULL, &w.costs, &w.err), STOW_OK);
    options.costs = w.costs;
    divide_all(&w, &options);

    const struct stow_karmada_input in = {w.s, w.item, w.s->bindings};
    const struct stow_karmada_options how = {
        .form = form, .karmada = karmada, .costs = w.costs, .now = MOMENT};

    w.code = stow_karmada_text(&in, &how, &w.out, &w.text, &w.err);
    return w;
}

static void done(struct written *w)
{
    for (uint32_t i = 0; i < w->s->bindings; i++)
        stow_division_done(&w->made[i]);
    free(w->made);
    free(w->item);
    stow_karmada_out_done(&w->out);
    stow_buf_done(&w->text);
    stow_divide_costs_free(w->costs);
    stow_snapshot_unref(w->s);
}

#endif
