/* handle_karmada_whole.c - whole decisions of karmada-scheduler (group divide/whole-1.18).
 *
 * A case has clusters, a binding, and steps that follow: patches on what the step
 * before left behind.  Objects are kept as JSON; what our decision would write
 * into the binding is a patch like the others.  Everything stated is compared but
 * the order of `clusters`; reasons as sets. */
#include <stdlib.h>

#include "tests/conformance/karmada.h"

#define SCHEDULED_AT "2026-03-01T12:00:00Z"

/* ---- JSON merge patches ------------------------------------------------------------------ */

static void write_member(struct stow_buf *out, struct stow_view key, bool *first)
{
    if (!*first)
        stow_buf_char(out, ',');
    *first = false;
    stow_buf_add(out, stow_view_raw(key));
    stow_buf_char(out, ':');
}

static void merge(struct stow_buf *out, struct stow_view base, struct stow_view patch)
{
    struct stow_buf room = {0};
    bool first = true;

    if (stow_view_type(patch) != STOW_TOKEN_OBJECT) {
        stow_buf_add(out, stow_view_raw(stow_view_type(patch) == STOW_TOKEN_END ? base : patch));
        return;
    }
    stow_buf_char(out, '{');
    for (struct stow_view_walk w = stow_view_walk(base);
         stow_view_type(base) == STOW_TOKEN_OBJECT && stow_view_next(&w);) {
        stow_view_text(w.key, &room);

        struct stow_str key = stow_view_text(w.key, &room);
        char *name = strndup(key.ptr, key.len);
        struct stow_view to = stow_view_get(patch, name);

        free(name);
        if (stow_view_type(to) == STOW_TOKEN_NULL)
            continue;
        write_member(out, w.key, &first);
        merge(out, w.value, to);
    }
    for (struct stow_view_walk w = stow_view_walk(patch); stow_view_next(&w);) {
        struct stow_str key = stow_view_text(w.key, &room);
        char *name = strndup(key.ptr, key.len);
        struct stow_view from = stow_view_get(base, name);

        free(name);
        if (stow_view_type(from) != STOW_TOKEN_END || stow_view_type(w.value) == STOW_TOKEN_NULL)
            continue;
        write_member(out, w.key, &first);
        merge(out, from, w.value);
    }
    stow_buf_char(out, '}');
    stow_buf_done(&room);
}

/* Replaces `text` by itself with the patch applied. */
static int patch_text(struct stow_buf *text, struct stow_view patch, struct stow_err *err)
{
    struct stow_case_file file;
    struct stow_buf out = {0};
    int code = stow_case_file_parse(&file, "object", stow_buf_str(text), err);

    if (code >= 0)
        merge(&out, stow_view_root(&file), patch);
    stow_case_file_done(&file);
    stow_buf_done(text);
    *text = out;
    return code;
}

static int patch_json(struct stow_buf *text, struct stow_str patch, struct stow_err *err)
{
    struct stow_case_file file;
    int code = stow_case_file_parse(&file, "patch", patch, err);

    if (code >= 0)
        code = patch_text(text, stow_view_root(&file), err);
    stow_case_file_done(&file);
    return code;
}

/* ---- the objects ------------------------------------------------------------------------- */

struct scene {
    struct stow_buf binding;
    struct stow_buf *cluster; /* empty: gone */
    uint32_t clusters;
};

static void scene_done(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->clusters; i++)
        stow_buf_done(&scene->cluster[i]);
    free(scene->cluster);
    stow_buf_done(&scene->binding);
}

static int open_scene(struct stow_conf_case *c, struct scene *scene, struct stow_err *err)
{
    struct stow_view list = stow_conf_get(c, "clusters");

    scene->cluster = calloc(stow_view_count(list) + 1, sizeof(*scene->cluster));
    if (!scene->cluster)
        return stow_fail_memory(err);
    for (struct stow_view_walk w = stow_view_walk(list); stow_view_next(&w);)
        stow_buf_add(&scene->cluster[scene->clusters++], stow_view_raw(w.value));
    stow_buf_add(&scene->binding, stow_view_raw(stow_conf_get(c, "binding")));
    return STOW_OK;
}

static int load_scene(const struct scene *scene, struct stow_conf_fleet *fleet,
                      struct stow_err *err)
{
    struct stow_buf text = {0};

    for (uint32_t i = 0; i < scene->clusters; i++)
        if (scene->cluster[i].len) {
            stow_buf_add(&text, stow_buf_str(&scene->cluster[i]));
            stow_buf_text(&text, ",\n");
        }
    stow_buf_add(&text, stow_buf_str(&scene->binding));

    int code = stow_conf_fleet_open(fleet, stow_buf_str(&text), err);

    stow_buf_done(&text);
    return code;
}

/* ---- comparing --------------------------------------------------------------------------- */

static void same_message(struct stow_conf_case *c, struct stow_view expected, const char *got)
{
    struct stow_view all = stow_view_get(expected, "messages");
    struct stow_str text = stow_str_of(got ? got : "");

    stow_conf_same_text(c, "message", stow_view_get(expected, "message"), text);
    if (!stow_view_given(all))
        return;
    for (struct stow_view_walk w = stow_view_walk(all); stow_view_next(&w);)
        if (stow_view_is(w.value, text.ptr))
            return;
    stow_conf_differ(c, "messages", "got \"%s\"", text.ptr);
}

/* Each expected reason is there, and as many as expected. */
static void same_reasons(struct stow_conf_case *c, const struct stow_conf_fleet *fleet,
                         stow_cluster_id id, struct stow_view expected)
{
    const struct stow_divide_cluster *cluster = &fleet->made.cluster[id];
    struct stow_buf text = {0};
    uint32_t count = 0;

    for (uint32_t r = 0; !cluster->deleted && r < STOW_REJECTS; r++) {
        bool found = false;

        if (!(cluster->rejected & (1U << r)))
            continue;
        count++;
        text.len = 0;
        stow_reject_text(fleet->s, cluster, (enum stow_reject)r, &text);
        stow_buf_char(&text, '\0');
        for (struct stow_view_walk w = stow_view_walk(expected); stow_view_next(&w);)
            found |= stow_view_is(w.value, text.ptr);
        if (!found)
            stow_conf_differ(c, "rejected", "%s: \"%s\" is not expected",
                             fleet->s->cluster[id].name, text.ptr);
    }
    if (count != stow_view_count(expected))
        stow_conf_differ(c, "rejected", "%s: expected %.*s, got %u reasons",
                         fleet->s->cluster[id].name, STOW_FMT(stow_view_raw(expected)), count);
    stow_buf_done(&text);
}

static void same_order(struct stow_conf_case *c, const struct stow_conf_fleet *fleet,
                       struct stow_view expected)
{
    if (stow_view_count(expected) != fleet->made.orders)
        stow_conf_differ(c, "order", "expected %u clusters, got %u", stow_view_count(expected),
                         fleet->made.orders);
    for (struct stow_view_walk w = stow_view_walk(expected);
         stow_view_next(&w) && w.index < fleet->made.orders;) {
        stow_cluster_id id = fleet->made.order[w.index];
        const struct stow_divide_cluster *cluster = &fleet->made.cluster[id];
        struct stow_view overflow = stow_view_get(w.value, "overflowOrder");
        int64_t tier = 0;

        stow_view_int(overflow, &tier);
        stow_conf_same_text(c, "order.name", stow_view_get(w.value, "name"),
                            stow_str_of(fleet->s->cluster[id].name));
        stow_conf_same_int(c, "order.score", stow_view_get(w.value, "score"), cluster->score);
        stow_conf_same_int(c, "order.allocatable", stow_view_get(w.value, "allocatable"),
                           cluster->allocatable);
        stow_conf_same_int(c, "order.available", stow_view_get(w.value, "available"),
                           cluster->available);
        if ((int64_t)cluster->overflow != tier)
            stow_conf_differ(c, "order.overflowOrder", "expected %d, got %u", (int)tier,
                             cluster->overflow);
    }
}

static void same_trace(struct stow_conf_case *c, const struct stow_conf_fleet *fleet,
                       struct stow_view expected)
{
    const struct stow_division *made = &fleet->made;

    if (!stow_view_given(expected) || !made->cluster)
        return;
    for (uint32_t i = 0; i < fleet->s->clusters; i++)
        same_reasons(c, fleet, i,
                     stow_view_get(stow_view_get(expected, "rejected"), fleet->s->cluster[i].name));
    same_order(c, fleet, stow_view_get(expected, "order"));
    stow_conf_same_clusters(c, fleet->s, "selected", stow_view_get(expected, "selected"),
                            made->selected, made->selections, true);
    if (stow_view_given(stow_view_get(expected, "selectError")) || made->select_error)
        stow_conf_same_text(c, "selectError", stow_view_get(expected, "selectError"),
                            stow_str_of(made->select_error ? made->select_error : ""));
}

static void same_decision(struct stow_conf_case *c, const struct stow_conf_fleet *fleet,
                          struct stow_view expected)
{
    const struct stow_division *made = &fleet->made;
    bool ran = made->trigger != STOW_TRIGGER_NONE;
    struct stow_view affinity = stow_view_get(expected, "observedAffinity");

    stow_conf_same_bool(c, "scheduled", stow_view_get(expected, "scheduled"), ran);
    stow_conf_same_targets(c, fleet->s, "clusters", stow_view_get(expected, "clusters"),
                           made->target, made->targets, true);
    if (stow_view_given(affinity) || made->observed_affinity)
        stow_conf_same_text(c, "observedAffinity", affinity,
                            stow_text(fleet->s, made->observed_affinity));
    if (!ran)
        return;
    stow_conf_same_text(c, "reason", stow_view_get(expected, "reason"),
                        stow_str_of(stow_divide_outcome_name(made->outcome)));
    same_message(c, expected, made->message);
    stow_conf_same_int(c, "attempts", stow_view_get(expected, "attempts"), made->attempts);
    stow_conf_same_bool(c, "retry", stow_view_get(expected, "retry"), made->retry);
    same_trace(c, fleet, stow_view_get(expected, "trace"));
}

/* ---- what the scheduler would write ------------------------------------------------------ */

static void write_text(struct stow_buf *out, struct stow_str text)
{
    stow_buf_char(out, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '"' || text.ptr[i] == '\\')
            stow_buf_char(out, '\\');
        stow_buf_char(out, text.ptr[i]);
    }
    stow_buf_char(out, '"');
}

static int write_back(struct scene *scene, const struct stow_conf_fleet *fleet,
                      struct stow_view placement, struct stow_err *err)
{
    const struct stow_division *made = &fleet->made;
    struct stow_buf patch = {0};

    if (made->trigger == STOW_TRIGGER_NONE ||
        (made->outcome != STOW_DIVIDE_SUCCESS && made->outcome != STOW_DIVIDE_NO_CLUSTER_FIT))
        return STOW_OK;
    stow_buf_text(&patch,
                  "{\"metadata\":{\"annotations\":{\"policy.karmada.io/applied-placement\":");
    write_text(&patch, stow_view_raw(placement));
    stow_buf_text(&patch, "}},\"spec\":{\"clusters\":[");
    for (uint32_t i = 0; i < made->targets; i++)
        stow_buf_printf(&patch, "%s{\"name\":\"%s\",\"replicas\":%d}", i ? "," : "",
                        stow_text(fleet->s, made->target[i].cluster).ptr, made->target[i].replicas);
    stow_buf_text(&patch, "]},\"status\":{\"schedulerObservingAffinityName\":");
    write_text(&patch, stow_text(fleet->s, made->observed_affinity));
    stow_buf_text(&patch, "}}");

    int code = patch_json(&scene->binding, stow_buf_str(&patch), err);

    stow_buf_done(&patch);
    return code;
}

static int decide(struct stow_conf_case *c, struct scene *scene, struct stow_view expected,
                  struct stow_err *err)
{
    const struct stow_divide_options options = {.karmada = 18};
    struct stow_conf_fleet fleet = {0};
    int code = load_scene(scene, &fleet, err);

    if (code >= 0)
        code = stow_divide(fleet.divider, &fleet.s->binding[0], &options, &fleet.made, err);
    if (code >= 0) {
        same_decision(c, &fleet, expected);
        code = write_back(
            scene, &fleet,
            stow_view_get(stow_view_get(stow_conf_get(c, "binding"), "spec"), "placement"), err);
    }
    stow_conf_fleet_done(&fleet);
    return code;
}

/* ---- steps ------------------------------------------------------------------------------- */

static bool is_named(const struct stow_buf *cluster, struct stow_str name)
{
    struct stow_case_file file;
    struct stow_buf room = {0};
    bool named =
        cluster->len && stow_case_file_parse(&file, "cluster", stow_buf_str(cluster), NULL) >= 0 &&
        stow_str_eq(
            stow_view_text(stow_view_get(stow_view_get(stow_view_root(&file), "metadata"), "name"),
                           &room),
            name);

    if (cluster->len)
        stow_case_file_done(&file);
    stow_buf_done(&room);
    return named;
}

static int patch_clusters(struct scene *scene, struct stow_view patches, struct stow_err *err)
{
    struct stow_buf room = {0};
    int code = STOW_OK;

    for (struct stow_view_walk w = stow_view_walk(patches); code >= 0 && stow_view_next(&w);) {
        struct stow_str name = stow_view_text(w.key, &room);

        for (uint32_t i = 0; code >= 0 && i < scene->clusters; i++) {
            if (!is_named(&scene->cluster[i], name))
                continue;
            if (stow_view_type(w.value) == STOW_TOKEN_NULL)
                scene->cluster[i].len = 0;
            else
                code = patch_text(&scene->cluster[i], w.value, err);
        }
    }
    stow_buf_done(&room);
    return code;
}

static int run_step(struct stow_conf_case *c, struct scene *scene, struct stow_view step,
                    struct stow_err *err)
{
    struct stow_view patch = stow_view_get(step, "bindingPatch");

    STOW_TRY(patch_json(&scene->binding,
                        STOW_STR("{\"status\":{\"lastScheduledTime\":\"" SCHEDULED_AT "\"}}"),
                        err));
    if (stow_view_given(patch))
        STOW_TRY(patch_text(&scene->binding, patch, err));
    STOW_TRY(patch_clusters(scene, stow_view_get(step, "clusterPatches"), err));
    return decide(c, scene, stow_view_get(step, "expected"), err);
}

static int run_scene(struct stow_conf_case *c, struct scene *scene, struct stow_err *err)
{
    STOW_TRY(open_scene(c, scene, err));
    STOW_TRY(decide(c, scene, stow_conf_get(c, "expected"), err));
    for (struct stow_view_walk w = stow_view_walk(stow_conf_get(c, "steps")); stow_view_next(&w);)
        STOW_TRY(run_step(c, scene, w.value, err));
    return STOW_OK;
}

static int run(struct stow_conf_case *c, struct stow_err *err)
{
    struct scene scene = {0};
    int code = run_scene(c, &scene, err);

    scene_done(&scene);
    return code;
}

const struct stow_conf_handler stow_conf_karmada_whole[] = {
    {"divide/whole-1.18", "karmada", run},
    {NULL, NULL, NULL},
};
