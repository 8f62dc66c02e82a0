/* karmada.c - fleets of cases, as the product itself would load them. */
#include "tests/conformance/karmada.h"

#include <stdlib.h>

int stow_conf_fleet_open(struct stow_conf_fleet *fleet, struct stow_str documents,
                         struct stow_err *err)
{
    struct stow_buf text = {0};

    stow_buf_text(&text, "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[");
    stow_buf_add(&text, documents);
    stow_buf_text(&text, "]}");

    int code = text.failed
                   ? stow_fail_memory(err)
                   : stow_snapshot_load_text("case.json", text.ptr, text.len, NULL, &fleet->s, err);

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

void stow_conf_write_cluster(struct stow_buf *out, struct stow_view name, struct stow_str rest)
{
    stow_buf_printf(out,
                    "{\"apiVersion\":\"cluster.karmada.io/v1alpha1\",\"kind\":\"Cluster\","
                    "\"metadata\":{\"name\":%.*s},%.*s\"status\":{\"apiEnablements\":[{"
                    "\"groupVersion\":\"apps/v1\",\"resources\":[{\"kind\":\"Deployment\"}]}]}}",
                    STOW_FMT(stow_view_raw(name)), STOW_FMT(rest));
}

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
