/* handle_karmada_small.c - the dispenser, matching, triggers and the descheduler (family karmada).
 */
#include <stdlib.h>
#include <string.h>

#include "divide/divide_internal.h"
#include "divide/karmada/webster.h"
#include "tests/conformance/karmada.h"

#define MAX_PARTIES 256

static bool is_true(struct stow_view v)
{
    bool value = false;

    return stow_view_bool(v, &value) && value;
}

static void stage_close(struct stow_conf_stage *stage)
{
    stow_conf_stage_done(stage);
}

/* ---- the dispenser ----------------------------------------------------------------------- */

struct ballot {
    struct stow_webster_party party[MAX_PARTIES];
    char *name[MAX_PARTIES];
    uint32_t count;
};

static void ballot_done(struct ballot *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        free(b->name[i]);
}

static struct stow_webster_party *party_of(struct ballot *b, struct stow_view name)
{
    struct stow_buf room = {0};
    struct stow_str text = stow_view_text(name, &room);
    uint32_t i = 0;

    while (i < b->count && !stow_str_is(text, b->name[i]))
        i++;
    if (i == b->count && i < MAX_PARTIES) {
        b->name[i] = strndup(text.ptr, text.len);
        b->party[b->count++] = (struct stow_webster_party){0};
    }
    stow_buf_done(&room);
    return &b->party[i < MAX_PARTIES ? i : 0];
}

static void rank_names(struct ballot *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        for (uint32_t k = 0; k < b->count; k++)
            b->party[i].rank += strcmp(b->name[k], b->name[i]) < 0;
}

/* Entries of a list {name, MEMBER} or of an object {name: number}. */
static void read_entries(struct ballot *b, struct stow_view list, const char *member, bool weights)
{
    for (struct stow_view_walk w = stow_view_walk(list); stow_view_next(&w);) {
        bool object = stow_view_type(list) == STOW_TOKEN_OBJECT;
        struct stow_webster_party *p = party_of(b, object ? w.key : stow_view_get(w.value, "name"));

        stow_view_int(object ? w.value : stow_view_get(w.value, member),
                      weights ? &p->weight : &p->seats);
    }
}

/* Those not expected have nothing. */
static void same_seats(struct stow_conf_case *c, struct ballot *b, const char *member)
{
    struct stow_view expected = stow_conf_get(c, "expected");
    int64_t sum = 0, wanted = 0;

    for (struct stow_view_walk w = stow_view_walk(expected); stow_view_next(&w);) {
        const struct stow_webster_party *p = party_of(b, stow_view_get(w.value, "name"));
        int64_t want = 0;

        stow_view_int(stow_view_get(w.value, member), &want);
        wanted += want;
        if (p->seats != want)
            stow_conf_differ(c, "expected", "%.*s: got %d", STOW_FMT(stow_view_raw(w.value)),
                             (int)p->seats);
    }
    for (uint32_t i = 0; i < b->count; i++)
        sum += b->party[i].seats;
    if (sum != wanted)
        stow_conf_differ(c, "expected", "expected %d in all, got %d", (int)wanted, (int)sum);
}

static enum stow_webster_tie tie_of(struct stow_conf_case *c)
{
    static const char *const names[] = {"seats_then_name_asc", "seats_then_name_desc", "name_asc",
                                        "name_desc"};
    struct stow_buf room = {0};
    enum stow_webster_tie tie = stow_uid_tie(stow_view_text(stow_conf_get(c, "uid"), &room));

    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (stow_view_is(stow_conf_get(c, "tie_break"), names[i]))
            tie = (enum stow_webster_tie)i;
    stow_buf_done(&room);
    stow_conf_same_bool(c, "uid_fnv1a32_odd", stow_conf_get(c, "uid_fnv1a32_odd"),
                        tie == STOW_TIE_DESCENDING);
    return tie;
}

static int run_webster(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(ballot_done) struct ballot b = {.count = 0};
    int64_t seats = 0;

    read_entries(&b, stow_conf_get(c, "votes"), NULL, true);
    read_entries(&b, stow_conf_get(c, "initial_seats"), NULL, false);
    rank_names(&b);
    stow_view_int(stow_conf_get(c, "new_seats"), &seats);
    STOW_TRY(stow_webster(b.party, b.count, seats, tie_of(c), err));
    same_seats(c, &b, "seats");
    return STOW_OK;
}

static int run_dispenser(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(ballot_done) struct ballot b = {.count = 0};
    int64_t replicas = 0;

    read_entries(&b, stow_conf_get(c, "weights"), "weight", true);
    read_entries(&b, stow_conf_get(c, "initial"), "replicas", false);
    rank_names(&b);
    stow_view_int(stow_conf_get(c, "replicas"), &replicas);
    STOW_TRY(stow_webster(b.party, b.count, replicas, tie_of(c), err));
    same_seats(c, &b, "replicas");
    return STOW_OK;
}

/* ---- targets ----------------------------------------------------------------------------- */

/* Both lists are given out by a decision over no clusters: it adds them up by name. */
static int run_merge(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};
    struct stow_buf *spec = &stage.spec;
    uint32_t count;

    stow_buf_text(spec, "\"components\":[{\"name\":\"x\"}]");
    stow_conf_write_member(spec, "clusters", stow_conf_get(c, "old"));
    stow_buf_text(spec, ",\"placement\":{\"clusterAffinity\":{\"clusterNames\":[\"x\"");
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "new")); stow_view_next(&w);)
        stow_buf_printf(spec, ",%.*s", STOW_FMT(stow_view_raw(stow_view_get(w.value, "name"))));
    stow_buf_text(spec, "]}}");
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));

    const struct stow_target *old =
        STOW_LIST(stage.d.s, stage.d.binding->clusters, struct stow_target, &count);
    struct stow_buf room = {0};

    for (uint32_t i = 0; i < count; i++)
        stow_decision_give(&stage.d, old[i].cluster, old[i].replicas);
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "new")); stow_view_next(&w);) {
        struct stow_str name = stow_view_text(stow_view_get(w.value, "name"), &room);
        int64_t replicas = 0;

        stow_view_int(stow_view_get(w.value, "replicas"), &replicas);
        stow_decision_give(&stage.d, stow_intern_find(&stage.d.s->text, name), (int32_t)replicas);
    }
    stow_buf_done(&room);
    stow_conf_same_given(c, &stage, stow_conf_get(c, "expected"), true);
    return STOW_OK;
}

static int run_changed(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};
    struct stow_str spec = stow_view_raw(stow_conf_get(c, "spec"));
    struct stow_view scheduling = stow_conf_get(c, "replicaScheduling");

    stow_buf_add(&stage.spec, (struct stow_str){spec.ptr + 1, spec.len - 2});
    if (stow_view_given(scheduling))
        stow_buf_printf(&stage.spec, "%s\"placement\":{\"replicaScheduling\":%.*s}",
                        stage.spec.len ? "," : "", STOW_FMT(stow_view_raw(scheduling)));
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));
    stow_conf_same_bool(
        c, "expected", stow_conf_get(c, "expected"),
        stow_binding_replicas_changed(
            stage.d.s, stage.d.binding,
            is_true(stow_conf_get(c, "feature_gate_MultiplePodTemplatesScheduling"))));
    return STOW_OK;
}

static int32_t number_of(struct stow_view list, struct stow_view name, int32_t otherwise)
{
    int64_t value = otherwise;

    for (struct stow_view_walk w = stow_view_walk(list); stow_view_next(&w);)
        if (stow_str_eq(stow_view_raw(stow_view_get(w.value, "name")), stow_view_raw(name)))
            stow_view_int(stow_view_get(w.value, "replicas"), &value);
    return (int32_t)value;
}

/* What upstream's descheduler leaves of `assigned` replicas: less those that cannot be scheduled,
 * but all that are ready.  `ready` -1: not known.  Stowage has no descheduler. */
static int32_t deschedule(int32_t assigned, int32_t ready, int32_t unschedulable)
{
    if (ready >= assigned || unschedulable <= 0 || unschedulable > assigned)
        return assigned;

    int32_t left = assigned - unschedulable;

    return ready > left ? ready : left;
}

static int run_descheduler(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_view assigned = stow_conf_get(c, "assigned");

    (void)err;
    for (struct stow_view_walk w = stow_view_walk(assigned); stow_view_next(&w);) {
        struct stow_view name = stow_view_get(w.value, "name");
        int32_t left =
            deschedule(number_of(assigned, name, 0), number_of(stow_conf_get(c, "ready"), name, -1),
                       number_of(stow_conf_get(c, "unschedulable"), name, 0));
        int32_t expected = number_of(stow_conf_get(c, "expected"), name, -1);

        if (left != expected)
            stow_conf_differ(c, "expected", "%.*s: expected %d, got %d",
                             STOW_FMT(stow_view_raw(name)), expected, left);
    }
    return STOW_OK;
}

/* ---- affinity ---------------------------------------------------------------------------- */

static int run_index(struct stow_conf_case *c, struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};
    STOW_AUTO(stow_buf_done) struct stow_buf status = {0};
    uint32_t count;

    stow_buf_text(&stage.spec, "\"placement\":{\"clusterAffinities\":[");
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "terms")); stow_view_next(&w);)
        stow_buf_printf(&stage.spec, "%s{\"affinityName\":%.*s}", w.index ? "," : "",
                        STOW_FMT(stow_view_raw(w.value)));
    stow_buf_text(&stage.spec, "]}");
    stow_buf_char(&status, '{');
    stow_conf_write_member(&status, "schedulerObservingAffinityName", stow_conf_get(c, "observed"));
    stow_buf_char(&status, '}');
    STOW_TRY(stow_conf_stage_open(&stage, stow_buf_str(&status), err));

    const struct stow_cluster_term *term =
        STOW_LIST(stage.d.s, stage.d.placement->terms, struct stow_cluster_term, &count);

    stow_conf_same_int(c, "expected", stow_conf_get(c, "expected"),
                       stow_affinity_start(term, count, stage.d.binding->observed_affinity));
    return STOW_OK;
}

static int matches(struct stow_conf_case *c, struct stow_view cluster, struct stow_str affinity,
                   struct stow_err *err)
{
    STOW_AUTO(stage_close) struct stow_conf_stage stage = {0};
    struct stow_buf list = {0};
    struct stow_case_file file;

    stow_buf_printf(&list, "[%.*s]", STOW_FMT(stow_view_raw(cluster)));

    int code = stow_case_file_parse(&file, "cluster", stow_buf_str(&list), err);

    if (code >= 0)
        stow_conf_stage_clusters(&stage, stow_view_root(&file));
    stow_case_file_done(&file);
    stow_buf_done(&list);
    STOW_TRY(code);
    stow_buf_printf(&stage.spec, "\"placement\":{\"clusterAffinity\":%.*s}", STOW_FMT(affinity));
    STOW_TRY(stow_conf_stage_open(&stage, STOW_STR(""), err));
    stow_conf_same_bool(
        c, "expected", stow_conf_get(c, "expected"),
        stow_affinity_matches(stage.d.s, &stage.d.placement->affinity, &stage.d.s->cluster[0]));
    return STOW_OK;
}

static int run_matches(struct stow_conf_case *c, struct stow_err *err)
{
    return matches(c, stow_conf_get(c, "cluster"), stow_view_raw(stow_conf_get(c, "affinity")),
                   err);
}

/* A cluster with these zones and nothing else. */
static int run_zones(struct stow_conf_case *c, struct stow_err *err)
{
    struct stow_buf affinity = {0}, cluster = {0};
    struct stow_case_file file;

    stow_buf_printf(&affinity, "{\"fieldSelector\":{\"matchExpressions\":[%.*s]}}",
                    STOW_FMT(stow_view_raw(stow_conf_get(c, "expression"))));
    stow_buf_text(&cluster, "{\"name\":\"one\"");
    stow_conf_write_member(&cluster, "zones", stow_conf_get(c, "zones"));
    stow_buf_char(&cluster, '}');

    int code = stow_case_file_parse(&file, "cluster", stow_buf_str(&cluster), err);

    if (code >= 0)
        code = matches(c, stow_view_root(&file), stow_buf_str(&affinity), err);
    stow_case_file_done(&file);
    stow_buf_done(&affinity);
    stow_buf_done(&cluster);
    return code;
}

const struct stow_conf_handler stow_conf_karmada_small[] = {
    {"webster_allocate", "karmada", run_webster},
    {"dispenser_allocate_by_weight", "karmada", run_dispenser},
    {"spread_by_target_clusters", "karmada", run_dispenser},
    {"derived_dispenser", "karmada", run_dispenser},
    {"merge_target_clusters", "karmada", run_merge},
    {"is_binding_replicas_changed", "karmada", run_changed},
    {"descheduler", "karmada", run_descheduler},
    {"affinity_index", "karmada", run_index},
    {"cluster_matches", "karmada", run_matches},
    {"match_zones", "karmada", run_zones},
    {NULL, NULL, NULL},
};
