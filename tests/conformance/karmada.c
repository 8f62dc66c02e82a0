/* karmada.c - fleets of cases, as the product itself would load them. */
#include "tests/conformance/karmada.h"

#include <stdio.h>
#include <stdlib.h>

#include "divide/divide_internal.h"

int stow_conf_fleet_open(struct stow_conf_fleet *fleet, struct stow_str documents,
                         struct stow_err *err)
{
    struct stow_buf text = {0};

    stow_buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    stow_buf_add(&text, documents);
    stow_buf_text(&text, "]}");

    int code = text.failed ? stow_fail_memory(err)
                           : stow_snapshot_load_text("case.json", text.ptr, text.len,
                                                     &stow_conf_as_given, &fleet->s, err);

    stow_buf_done(&text);
    STOW_TRY(code);
    return stow_divider_new(fleet->s, &fleet->divider, err);
}

void stow_conf_fleet_done(struct stow_conf_fleet *fleet)
{
    stow_division_done(&fleet->made);
    stow_divider_free(fleet->divider);
    stow_snapshot_unref(fleet->s);
}

/* `spec` less its braces, behind the resource that the binding is for; a case may name its own. */
void stow_conf_write_binding(struct stow_buf *out, struct stow_str spec, struct stow_str status)
{
    stow_buf_text(out, "{\"apiVersion\":\"work.karmada.io/v1alpha2\",\"kind\":\"ResourceBinding\","
                       "\"metadata\":{\"name\":\"web-deployment\",\"namespace\":\"default\"},"
                       "\"spec\":{");
    if (!stow_str_contains(spec, STOW_STR("\"resource\"")))
        stow_buf_text(out, "\"resource\":{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\","
                           "\"name\":\"web\",\"namespace\":\"default\"},");
    if (spec.len > 2)
        stow_buf_add(out, (struct stow_str){spec.ptr + 1, spec.len - 2});
    else if (out->len)
        out->len--;
    stow_buf_printf(out, "},\"status\":%.*s}", STOW_FMT(status.len ? status : STOW_STR("{}")));
}

/* ---- stages ------------------------------------------------------------------------------ */

void stow_conf_write_member(struct stow_buf *out, const char *name, struct stow_view value)
{
    if (!stow_view_given(value))
        return;
    stow_buf_printf(out, "%s\"%s\":", out->len && out->ptr[out->len - 1] != '{' ? "," : "", name);
    stow_buf_add(out, stow_view_raw(value));
}

void stow_conf_write_constraint(struct stow_buf *out, const char *field, struct stow_view limits)
{
    int64_t min = 0, max = 0;

    stow_view_int(stow_view_get(limits, "minGroups"), &min);
    stow_view_int(stow_view_get(limits, "maxGroups"), &max);
    stow_buf_printf(out, "{\"spreadByField\":\"%s\",\"minGroups\":%d,\"maxGroups\":%d}", field,
                    (int)min, (int)max);
}

void stow_conf_write_spread(struct stow_buf *out, struct stow_view list)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};

    if (!stow_view_given(list)) {
        stow_buf_text(out, "[]");
        return;
    }
    if (stow_view_type(list) != STOW_TOKEN_OBJECT) {
        stow_buf_add(out, stow_view_raw(list));
        return;
    }
    stow_buf_char(out, '[');
    if (stow_view_given(stow_view_get(list, "spreadByField"))) {
        stow_buf_add(out, stow_view_raw(list));
    } else {
        for (struct stow_view_walk w = stow_view_walk(list); stow_view_next(&w);) {
            char field[32];

            snprintf(field, sizeof(field), "%.*s", STOW_FMT(stow_view_text(w.key, &room)));
            stow_buf_text(out, w.index ? "," : "");
            stow_conf_write_constraint(out, field, w.value);
        }
    }
    stow_buf_char(out, ']');
}

void stow_conf_write_given_placement(struct stow_buf *out, struct stow_view placement)
{
    STOW_AUTO(stow_buf_done) struct stow_buf room = {0};

    if (!stow_view_given(placement))
        return;
    if (stow_view_type(stow_view_get(placement, "spreadConstraints")) != STOW_TOKEN_OBJECT) {
        stow_conf_write_member(out, "placement", placement);
        return;
    }
    stow_buf_printf(out, "%s\"placement\":{\"spreadConstraints\":", out->len ? "," : "");
    stow_conf_write_spread(out, stow_view_get(placement, "spreadConstraints"));
    for (struct stow_view_walk w = stow_view_walk(placement); stow_view_next(&w);)
        if (!stow_str_is(stow_view_text(w.key, &room), "spreadConstraints"))
            stow_buf_printf(out, ",%.*s:%.*s", STOW_FMT(stow_view_raw(w.key)),
                            STOW_FMT(stow_view_raw(w.value)));
    stow_buf_char(out, '}');
}

static struct stow_view name_of(struct stow_view entry)
{
    return stow_view_type(entry) == STOW_TOKEN_TEXT ? entry : stow_view_get(entry, "name");
}

static void write_cluster(struct stow_buf *out, struct stow_view entry)
{
    stow_buf_printf(out,
                    "%s{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
                    "\"metadata\":{\"name\":%.*s",
                    out->len ? ",\n" : "", STOW_FMT(stow_view_raw(name_of(entry))));
    stow_conf_write_member(out, "labels", stow_view_get(entry, "labels"));
    stow_buf_text(out, "},\"spec\":{");
    stow_conf_write_member(out, "provider", stow_view_get(entry, "provider"));
    stow_conf_write_member(out, "region", stow_view_get(entry, "region"));
    stow_conf_write_member(out, "zones", stow_view_get(entry, "zones"));
    stow_buf_text(out, "}}");
}

void stow_conf_stage_clusters(struct stow_conf_stage *stage, struct stow_view list)
{
    for (struct stow_view_walk w = stow_view_walk(list); stow_view_next(&w);)
        write_cluster(&stage->clusters, w.value);
}

static const char *preference_of(struct stow_view strategy)
{
    if (stow_view_is(strategy, "Aggregated"))
        return "\"replicaDivisionPreference\":\"Aggregated\"";
    if (stow_view_is(strategy, "DynamicWeight"))
        return "\"replicaDivisionPreference\":\"Weighted\",\"weightPreference\":{"
               "\"dynamicWeight\":\"AvailableReplicas\"}";
    return "\"replicaDivisionPreference\":\"Weighted\"";
}

void stow_conf_write_placement(struct stow_buf *out, struct stow_view strategy,
                               struct stow_view weights, const char *terms)
{
    stow_buf_printf(out,
                    "\"placement\":{%s\"replicaScheduling\":{\"replicaSchedulingType\":", terms);
    if (stow_view_is(strategy, "Duplicated"))
        stow_buf_text(out, "\"Duplicated\"");
    else
        stow_buf_printf(out, "\"Divided\",%s", preference_of(strategy));
    if (stow_view_given(weights))
        stow_buf_printf(out, ",\"weightPreference\":{\"staticWeightList\":%.*s}",
                        STOW_FMT(stow_view_raw(weights)));
    stow_buf_text(out, "}}");
}

static int open_decision(struct stow_conf_stage *stage, struct stow_err *err)
{
    const struct stow_snapshot *s = stage->fleet.s;
    struct stow_binding_decision *d = &stage->d;
    struct stow_arena *arena = &stage->fleet.made.arena;
    size_t room = s->clusters + 1;

    *d = (struct stow_binding_decision){
        .divider = stage->fleet.divider,
        .s = s,
        .binding = &s->binding[0],
        .placement = stow_propagation_get(s, s->binding[0].placement),
        .options = &stage->options,
        .karmada = stage->options.karmada ? stage->options.karmada : 18,
        .tie = stow_uid_tie(stow_text(s, s->binding[0].object_uid)),
        .replicas = s->binding[0].replicas,
        .cluster = stow_arena_zalloc(arena, room * sizeof(*d->cluster)),
        .order = stow_arena_zalloc(arena, room * sizeof(*d->order)),
        .selected = stow_arena_zalloc(arena, room * sizeof(*d->selected)),
        .candidate = stow_arena_zalloc(arena, room * sizeof(*d->candidate)),
        .lost = stow_arena_zalloc(arena, 1000 * sizeof(*d->lost)),
        .division = &stage->fleet.made,
        .arena = arena,
    };
    d->strategy = stow_division_strategy_of(d->placement);
    if (!d->cluster || !d->order || !d->selected || !d->candidate || !d->lost)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < s->clusters; i++)
        d->cluster[i].replicas = -1;
    return STOW_OK;
}

static void mark_held(struct stow_binding_decision *d)
{
    uint32_t count;
    const struct stow_target *list =
        STOW_LIST(d->s, d->binding->clusters, struct stow_target, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_cluster_id id = stow_decision_cluster(d, list[i].cluster);

        if (id == STOW_NONE)
            continue;
        d->cluster[id].target = true;
        d->cluster[id].held = list[i].replicas;
    }
}

int stow_conf_stage_open(struct stow_conf_stage *stage, struct stow_str status,
                         struct stow_err *err)
{
    struct stow_buf text = {0};
    struct stow_buf spec = {0};

    stow_buf_printf(&spec, "{%.*s}", (int)stage->spec.len, stage->spec.ptr);
    stow_buf_add(&text, stow_buf_str(&stage->clusters));
    if (text.len)
        stow_buf_text(&text, ",\n");
    stow_conf_write_binding(&text, stow_buf_str(&spec), status);

    int code = text.failed || spec.failed
                   ? stow_fail_memory(err)
                   : stow_conf_fleet_open(&stage->fleet, stow_buf_str(&text), err);

    stow_buf_done(&text);
    stow_buf_done(&spec);
    STOW_TRY(code);
    STOW_TRY(open_decision(stage, err));
    mark_held(&stage->d);
    return STOW_OK;
}

static void read_number(struct stow_view entry, const char *name, const char *other, int64_t *ret)
{
    if (!stow_view_int(stow_view_get(entry, name), ret) && other)
        stow_view_int(stow_view_get(entry, other), ret);
}

int stow_conf_stage_cast(struct stow_conf_stage *stage, struct stow_view list, uint32_t tier,
                         struct stow_err *err)
{
    struct stow_binding_decision *d = &stage->d;
    struct stow_buf room = {0};

    for (struct stow_view_walk w = stow_view_walk(list); stow_view_next(&w);) {
        struct stow_str name = stow_view_text(name_of(w.value), &room);
        stow_sym sym = stow_intern_find(&d->s->text, name);
        stow_cluster_id id = sym == STOW_INTERN_FAILED ? STOW_NONE : stow_decision_cluster(d, sym);
        int64_t allocatable = 0, available = INT64_MIN, score = 0, overflow = tier;

        if (id == STOW_NONE)
            return stow_fail(err, STOW_EPARSE, "cluster %.*s was not loaded", STOW_FMT(name));
        read_number(w.value, "allocatable_replicas", "allocatableReplicas", &allocatable);
        read_number(w.value, "availableReplicas", NULL, &available);
        read_number(w.value, "score", NULL, &score);
        read_number(w.value, "overflowOrder", NULL, &overflow);
        d->cluster[id].allocatable = (int32_t)allocatable;
        d->cluster[id].available =
            available == INT64_MIN ? allocatable + d->cluster[id].held : available;
        d->cluster[id].score = score;
        d->cluster[id].overflow = (uint32_t)overflow;
        d->cluster[id].selected = d->candidate[id] = true;
        d->order[d->orders++] = id;
        d->selected[d->selections++] = id;
    }
    stow_buf_done(&room);
    return STOW_OK;
}

const struct stow_cluster_term *stow_conf_stage_term(const struct stow_conf_stage *stage)
{
    const struct stow_binding_decision *d = &stage->d;
    uint32_t count;
    const struct stow_cluster_term *term =
        STOW_LIST(d->s, d->placement->terms, struct stow_cluster_term, &count);

    return count ? &term[stow_affinity_start(term, count, d->binding->observed_affinity)] : NULL;
}

void stow_conf_stage_done(struct stow_conf_stage *stage)
{
    stow_conf_fleet_done(&stage->fleet);
    stow_buf_done(&stage->clusters);
    stow_buf_done(&stage->spec);
}

/* ---- comparing --------------------------------------------------------------------------- */

static const struct stow_target *find_target(const struct stow_snapshot *s, struct stow_str name,
                                             const struct stow_target *target, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (stow_str_eq(stow_text(s, target[i].cluster), name))
            return &target[i];
    return NULL;
}

void stow_conf_same_targets(struct stow_conf_case *c, const struct stow_snapshot *s,
                            const char *what, struct stow_view expected,
                            const struct stow_target *target, uint32_t count, bool zeros)
{
    struct stow_buf room = {0};
    uint32_t matched = 0, given = 0;

    for (struct stow_view_walk w = stow_view_walk(expected); stow_view_next(&w);) {
        struct stow_str name = stow_view_text(stow_view_get(w.value, "name"), &room);
        const struct stow_target *got = find_target(s, name, target, count);
        int64_t replicas = 0;

        stow_view_int(stow_view_get(w.value, "replicas"), &replicas);
        if (replicas == 0 && !zeros)
            continue;
        if (!got || got->replicas != replicas)
            stow_conf_differ(c, what, "%.*s: expected %d, got %d", STOW_FMT(name), (int)replicas,
                             got ? got->replicas : -1);
        else
            matched++;
    }
    for (uint32_t i = 0; i < count; i++)
        given += zeros || target[i].replicas != 0;
    if (given != matched)
        stow_conf_differ(c, what, "expected %.*s, got %u entries, %u of them expected",
                         STOW_FMT(stow_view_raw(expected)), given, matched);
    stow_buf_done(&room);
}

void stow_conf_same_clusters(struct stow_conf_case *c, const struct stow_snapshot *s,
                             const char *what, struct stow_view expected,
                             const stow_cluster_id *cluster, uint32_t count, bool ordered)
{
    struct stow_buf room = {0};

    if (stow_view_count(expected) != count)
        stow_conf_differ(c, what, "expected %.*s, got %u clusters",
                         STOW_FMT(stow_view_raw(expected)), count);
    for (struct stow_view_walk w = stow_view_walk(expected); stow_view_next(&w);) {
        struct stow_str name = stow_view_text(w.value, &room);
        bool found = false;

        for (uint32_t i = 0; i < count; i++)
            found |= (!ordered || i == w.index) && stow_str_is(name, s->cluster[cluster[i]].name);
        if (!found)
            stow_conf_differ(c, what, "%.*s is missing at %u", STOW_FMT(name), w.index);
    }
    stow_buf_done(&room);
}

void stow_conf_same_given(struct stow_conf_case *c, const struct stow_conf_stage *stage,
                          struct stow_view expected, bool zeros)
{
    const struct stow_binding_decision *d = &stage->d;
    struct stow_target *list = calloc(d->s->clusters + d->losts + 1, sizeof(*list));
    uint32_t count = 0;

    for (uint32_t i = 0; list && i < d->s->clusters; i++)
        if (d->cluster[i].replicas >= 0)
            list[count++] = (struct stow_target){d->s->cluster[i].symbol, d->cluster[i].replicas};
    for (uint32_t i = 0; list && i < d->losts; i++)
        list[count++] = d->lost[i];
    stow_conf_same_targets(c, d->s, "expected", expected, list, count, zeros);
    free(list);
}
