/* handle_karmada_capacity.c - how many replicas and sets fit (family karmada). */
#include <stdio.h>
#include <stdlib.h>

#include "divide/divide_internal.h"
#include "divide/karmada/capacity.h"
#include "divide/karmada/first_fit.h"
#include "divide/members/members.h"
#include "tests/conformance/karmada.h"

#define MAX_NODES   256
#define MAX_ASSUMED 16

static void fleet_close(struct stow_conf_fleet *fleet)
{
    stow_conf_fleet_done(fleet);
}

/* ---- writing ----------------------------------------------------------------------------- */

static void write_range(struct stow_buf *out, struct stow_view range, bool zero, bool comma)
{
    stow_buf_printf(
        out, "%s{\"name\":%.*s,\"min\":%.*s}", comma ? "," : "",
        STOW_FMT(stow_view_raw(stow_view_get(range, "name"))),
        STOW_FMT(zero ? STOW_STR("\"0\"") : stow_view_raw(stow_view_get(range, "min"))));
}

/* Upstream's functions take grades as they are; the reader wants the first to start at 0, so an
 * empty one is put in front and the others move up. */
static void write_models(struct stow_buf *out, struct stow_view models)
{
    for (struct stow_view_walk w = stow_view_walk(models); stow_view_next(&w);) {
        struct stow_view ranges = stow_view_get(w.value, "ranges");
        int64_t grade = 0;

        for (int zero = w.index == 0; zero >= 0; zero--) {
            stow_view_int(stow_view_get(w.value, "grade"), &grade);
            stow_buf_printf(out, "%s{\"grade\":%d,\"ranges\":[", w.index || !zero ? "," : "",
                            zero ? 0 : (int)grade + 1);
            for (struct stow_view_walk r = stow_view_walk(ranges); stow_view_next(&r);)
                write_range(out, r.value, zero != 0, r.index != 0);
            stow_buf_text(out, "]}");
        }
    }
}

static void write_counts(struct stow_buf *out, struct stow_view counts)
{
    for (struct stow_view_walk w = stow_view_walk(counts); stow_view_next(&w);) {
        int64_t grade = 0, count = 0;

        stow_view_int(stow_view_get(w.value, "grade"), &grade);
        stow_view_int(stow_view_get(w.value, "count"), &count);
        stow_buf_printf(out, "%s{\"grade\":%d,\"count\":%d}", w.index ? "," : "", (int)grade + 1,
                        (int)count);
    }
}

/* One cluster, named "one", with a summary (absent or null: none) and models. */
static void write_cluster(struct stow_buf *out, struct stow_view summary, struct stow_view models,
                          struct stow_view counts)
{
    stow_buf_text(out, "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
                       "\"metadata\":{\"name\":\"one\"},\"spec\":{\"resourceModels\":[");
    write_models(out, models);
    stow_buf_text(out, "]},\"status\":{");
    if (stow_view_given(summary) || stow_view_given(counts)) {
        stow_buf_text(out, "\"resourceSummary\":{");
        stow_conf_write_member(out, "allocatable", stow_view_get(summary, "allocatable"));
        stow_conf_write_member(out, "allocated", stow_view_get(summary, "allocated"));
        stow_conf_write_member(out, "allocating", stow_view_get(summary, "allocating"));
        stow_buf_printf(out, "%s\"allocatableModelings\":[",
                        out->ptr[out->len - 1] == '{' ? "" : ",");
        write_counts(out, counts);
        stow_buf_text(out, "]}");
    }
    stow_buf_text(out, "}}");
}

/* The estimator's messages say nodeAffinity where the API says hardNodeAffinity. */
static void write_requirements(struct stow_buf *out, struct stow_view requirements)
{
    const struct stow_view claim = stow_view_get(requirements, "nodeClaim");

    if (!stow_view_given(stow_view_get(claim, "nodeAffinity"))) {
        stow_conf_write_member(out, "replicaRequirements", requirements);
        return;
    }
    stow_buf_printf(out, "%s\"replicaRequirements\":{",
                    out->len && out->ptr[out->len - 1] != '{' ? "," : "");
    stow_conf_write_member(out, "resourceRequest", stow_view_get(requirements, "resourceRequest"));
    stow_buf_printf(out, "%s\"nodeClaim\":{", out->ptr[out->len - 1] == '{' ? "" : ",");
    stow_conf_write_member(out, "hardNodeAffinity", stow_view_get(claim, "nodeAffinity"));
    stow_conf_write_member(out, "nodeSelector", stow_view_get(claim, "nodeSelector"));
    stow_conf_write_member(out, "tolerations", stow_view_get(claim, "tolerations"));
    stow_buf_text(out, "}}");
}

static void write_components(struct stow_buf *out, struct stow_view list)
{
    for (struct stow_view_walk w = stow_view_walk(list); stow_view_next(&w);) {
        struct stow_view request = stow_view_get(w.value, "resourceRequest");
        struct stow_view requirements = stow_view_get(w.value, "replicaRequirements");

        stow_buf_printf(out, "%s{", w.index ? "," : "");
        stow_conf_write_member(out, "name", stow_view_get(w.value, "name"));
        stow_conf_write_member(out, "replicas", stow_view_get(w.value, "replicas"));
        write_requirements(out, requirements);
        if (stow_view_given(request))
            stow_buf_printf(out, ",\"replicaRequirements\":{\"resourceRequest\":%.*s}",
                            STOW_FMT(stow_view_raw(request)));
        stow_buf_char(out, '}');
    }
}

static void write_workload(struct stow_buf *out, const char *name, struct stow_view components,
                           struct stow_view requirements)
{
    stow_buf_printf(out,
                    ",{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\","
                    "\"metadata\":{\"name\":\"%s\"},\"spec\":{\"resource\":{\"kind\":"
                    "\"Deployment\",\"name\":\"%s\"},\"components\":[",
                    name, name);
    write_components(out, components);
    stow_buf_char(out, ']');
    write_requirements(out, requirements);
    stow_buf_text(out, "}}");
}

/* ---- one cluster ------------------------------------------------------------------------- */

static struct stow_view either(struct stow_view one, struct stow_view other)
{
    return stow_view_given(one) ? one : other;
}

/* A fleet of one cluster, the workload "a" and what is assumed, "b0" and on; models are the
 * cluster's or the case's. */
static int open_fleet(struct stow_conf_case *c, struct stow_view summary, struct stow_view models,
                      struct stow_view assumed, struct stow_conf_fleet *fleet, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0}, requirements = {0};
    struct stow_view absent = stow_conf_get(c, "absent");
    struct stow_view request = stow_conf_get(c, "resourceRequest");

    write_cluster(&text, summary, either(models, stow_conf_get(c, "resourceModels")),
                  either(stow_view_get(summary, "allocatableModelings"),
                         stow_conf_get(c, "allocatableModelings")));
    if (stow_view_given(request)) {
        struct stow_case_file file;

        stow_buf_printf(&requirements, "{\"resourceRequest\":%.*s}",
                        STOW_FMT(stow_view_raw(request)));
        STOW_TRY(stow_case_file_parse(&file, "request", stow_buf_str(&requirements), err));
        write_workload(&text, "a", absent, stow_view_root(&file));
        stow_case_file_done(&file);
    } else {
        write_workload(&text, "a", stow_conf_get(c, "components"),
                       stow_conf_get(c, "replicaRequirements"));
    }
    for (struct stow_view_walk w = stow_view_walk(assumed); stow_view_next(&w);) {
        char name[16];

        snprintf(name, sizeof(name), "b%u", w.index);
        write_workload(&text, name, w.value, absent);
    }
    return stow_conf_fleet_open(fleet, stow_buf_str(&text), err);
}

static const struct stow_capacity *capacity_of(const struct stow_conf_fleet *fleet)
{
    return &fleet->divider->capacity;
}

static void ask_sets(const struct stow_conf_fleet *fleet, struct stow_sets_question *q,
                     stow_blob *assumed)
{
    const struct stow_snapshot *s = fleet->s;

    q->component = STOW_LIST(s, s->binding[0].components, struct stow_component, &q->components);
    q->assumed = assumed;
    for (uint32_t i = 1; i < s->bindings && q->assumptions < MAX_ASSUMED; i++)
        assumed[q->assumptions++] = s->binding[i].components;
}

/* What summary and models allow the first workload on the only cluster, before the limit of pods.
 */
static int room_of(const struct stow_conf_fleet *fleet, int64_t *ret, struct stow_err *err)
{
    const struct stow_estimate_question q = {fleet->s->binding[0].requests, true, 18};

    return stow_capacity_room(capacity_of(fleet), &q, ret, err);
}

/* Upstream refuses a cluster without models; stowage goes by the summary there. */
static int run_models(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(fleet_close) struct stow_conf_fleet fleet = {0};
    struct stow_view absent = stow_conf_get(c, "absent");
    int64_t room;

    STOW_TRY(open_fleet(c, absent, absent, absent, &fleet, err));
    STOW_TRY(room_of(&fleet, &room, err));
    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"),
                       capacity_of(&fleet)->model[0] == STOW_NONE ? -1 : room);
    return STOW_OK;
}

static int run_model_sets(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(fleet_close) struct stow_conf_fleet fleet = {0};
    struct stow_view absent = stow_conf_get(c, "absent");
    struct stow_sets_question q = {0};
    stow_blob assumed[MAX_ASSUMED];
    int64_t limit = 0, sets;

    STOW_TRY(open_fleet(c, absent, absent, stow_conf_get(c, "assumed"), &fleet, err));
    ask_sets(&fleet, &q, assumed);
    stow_view_int(stow_conf_get(c, "upper_bound"), &limit);
    STOW_TRY(stow_capacity_sets_by_model(capacity_of(&fleet), 0, &q, limit, &sets, err));
    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"), sets);
    return STOW_OK;
}

static int run_sets(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(fleet_close) struct stow_conf_fleet fleet = {0};
    struct stow_sets_question q = {0};
    stow_blob assumed[MAX_ASSUMED];
    int32_t sets;

    STOW_TRY(open_fleet(c, stow_conf_get(c, "resourceSummary"), stow_conf_get(c, "absent"),
                        stow_conf_get(c, "assumed"), &fleet, err));
    ask_sets(&fleet, &q, assumed);
    STOW_TRY(stow_capacity_sets(capacity_of(&fleet), 0, &q, &sets, err));
    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"), sets);
    return STOW_OK;
}

static int run_pods(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(fleet_close) struct stow_conf_fleet fleet = {0};

    STOW_TRY(open_fleet(c, stow_conf_get(c, "resourceSummary"), stow_conf_get(c, "absent"),
                        stow_conf_get(c, "absent"), &fleet, err));
    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"), capacity_of(&fleet)->pods[0]);
    return STOW_OK;
}

static int run_summary(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(fleet_close) struct stow_conf_fleet fleet = {0};
    int64_t room;

    STOW_TRY(open_fleet(c, stow_conf_get(c, "resourceSummary"), stow_conf_get(c, "absent"),
                        stow_conf_get(c, "absent"), &fleet, err));
    STOW_TRY(room_of(&fleet, &room, err));
    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"), room);
    return STOW_OK;
}

/* What is assumed to be on its way is one set each of a single component. */
static int estimate_one(struct stow_conf_case *c, struct stow_view cluster, struct stow_err *err)
{
    STOW_AUTO(fleet_close) struct stow_conf_fleet fleet = {0};
    stow_blob assumed[MAX_ASSUMED];
    struct stow_sets_question q = {0};
    int32_t fits;

    STOW_TRY(open_fleet(c, stow_view_get(cluster, "resourceSummary"),
                        stow_view_get(cluster, "resourceModels"), stow_view_get(cluster, "assumed"),
                        &fleet, err));

    const struct stow_binding *b = &fleet.s->binding[0];
    const struct stow_estimate_question e = {b->requests,
                                             (b->flags & STOW_BINDING_HAS_REQUIREMENTS) != 0, 18};
    struct stow_component one = {.replicas = 1, .requests = b->requests, .claim = b->claim};

    ask_sets(&fleet, &q, assumed);
    q.component = &one;
    q.components = 1;
    if (q.assumptions)
        STOW_TRY(stow_capacity_sets(capacity_of(&fleet), 0, &q, &fits, err));
    else
        STOW_TRY(stow_capacity_estimate(capacity_of(&fleet), &e, &fits, err));
    stow_conf_same_int(c, "expected", stow_view_get(cluster, "expected"), fits);
    return STOW_OK;
}

static int run_estimate(struct stow_conf_case *c, struct stow_err *err)
{
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "clusters"));
         stow_view_next(&w);)
        STOW_TRY(estimate_one(c, w.value, err));
    return STOW_OK;
}

/* ---- nodes ------------------------------------------------------------------------------- */

static void write_node(struct stow_buf *out, struct stow_view node)
{
    stow_buf_printf(out, "%s{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{",
                    out->len ? "," : "");
    stow_conf_write_member(out, "name", stow_view_get(node, "name"));
    stow_conf_write_member(out, "labels", stow_view_get(node, "labels"));
    stow_buf_text(out, "},\"spec\":{");
    stow_conf_write_member(out, "taints", stow_view_get(node, "taints"));
    stow_conf_write_member(out, "unschedulable", stow_view_get(node, "unschedulable"));
    stow_buf_text(out, "},\"status\":{");
    stow_conf_write_member(out, "allocatable", stow_view_get(node, "allocatable"));
    stow_buf_text(out, "}}");
}

static void write_pod(struct stow_buf *out, struct stow_view pod)
{
    stow_buf_text(out, ",{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{");
    stow_conf_write_member(out, "name", stow_view_get(pod, "name"));
    stow_buf_text(out, "},\"spec\":{");
    stow_conf_write_member(out, "nodeName", stow_view_get(pod, "node"));
    stow_buf_printf(out, ",\"containers\":[{\"name\":\"main\",\"resources\":{");
    stow_conf_write_member(out, "requests", stow_view_get(pod, "requests"));
    stow_buf_text(out, "}}]}");
    if (stow_view_given(stow_view_get(pod, "phase"))) {
        stow_buf_text(out, ",\"status\":{");
        stow_conf_write_member(out, "phase", stow_view_get(pod, "phase"));
        stow_buf_char(out, '}');
    }
    stow_buf_char(out, '}');
}

static int open_nodes(struct stow_conf_case *c, struct stow_conf_fleet *fleet, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "nodes")); stow_view_next(&w);)
        write_node(&text, w.value);
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "pods")); stow_view_next(&w);)
        write_pod(&text, w.value);
    write_workload(&text, "a", stow_conf_get(c, "components"),
                   stow_conf_get(c, "replicaRequirements"));
    return stow_conf_fleet_open(
        fleet, (struct stow_str){text.ptr + (text.ptr[0] == ','), text.len - (text.ptr[0] == ',')},
        err);
}

static int run_simulation(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(fleet_close) struct stow_conf_fleet fleet = {0};
    struct stow_fit_node node[MAX_NODES];
    struct stow_fit_question q = {.node = node};
    struct stow_buf room = {0};
    int64_t sets;

    STOW_TRY(open_nodes(c, &fleet, err));
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "nodes"));
         stow_view_next(&w) && q.nodes < MAX_NODES;) {
        stow_node_id id =
            stow_node_find(fleet.s, stow_view_text(stow_view_get(w.value, "name"), &room));
        const struct stow_node *of = &fleet.s->node[id];

        node[q.nodes++] = (struct stow_fit_node){
            of->allocatable, stow_resource_amount(fleet.s, of->allocatable, STOW_RESOURCE_PODS), 1,
            of};
    }
    stow_buf_done(&room);
    q.component =
        STOW_LIST(fleet.s, fleet.s->binding[0].components, struct stow_component, &q.components);
    stow_view_int(stow_conf_get(c, "upper_bound"), &q.limit);
    STOW_TRY(stow_first_fit(fleet.s, &q, &sets, err));
    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"), sets);
    return STOW_OK;
}

/* The accurate estimator sums over nodes; stowage keeps them apart, since they differ in price. */
static int64_t sum_of_nodes(const struct stow_snapshot *s, const struct stow_node_claim *claim,
                            stow_blob requests)
{
    int64_t sum = 0;

    for (stow_node_id i = 0; i < s->nodes; i++)
        sum += stow_node_replicas(s, i, claim, requests);
    return sum;
}

static int run_accurate(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(fleet_close) struct stow_conf_fleet fleet = {0};

    STOW_TRY(open_nodes(c, &fleet, err));
    stow_conf_same_int(
        c, "expected_maxReplicas", stow_conf_get(c, "expected_maxReplicas"),
        sum_of_nodes(fleet.s, &fleet.s->binding[0].claim, fleet.s->binding[0].requests));
    return STOW_OK;
}

const struct stow_conf_handler stow_conf_karmada_capacity[] = {
    {"max_replicas_by_resource_models", "karmada", run_models},
    {"max_sets_by_resource_models", "karmada", run_model_sets},
    {"general_estimator_replicas", "karmada", run_estimate},
    {"allowed_pod_number", "karmada", run_pods},
    {"max_replicas_by_summary", "karmada", run_summary},
    {"general_estimator_component_sets", "karmada", run_sets},
    {"simulator_first_fit", "karmada", run_simulation},
    {"accurate_estimator_max_replicas", "karmada", run_accurate},
    {NULL, NULL, NULL},
};
