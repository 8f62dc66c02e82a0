/* admit_runtime.c - what the RuntimeClass of a pod adds: overhead, a node selector, tolerations. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/pods/admit.h"

static const struct stow_runtime_class *find_class(const struct stow_snapshot *s, stow_sym name)
{
    for (uint32_t i = 0; i < s->runtime_classes; i++)
        if (s->runtime_class[i].name == name)
            return &s->runtime_class[i];
    return NULL;
}

/* ---- classes that are not given ---------------------------------------------------------- */

struct missing {
    stow_sym class;
    const struct stow_pod *first;
    uint32_t pods;
};

struct missing_list {
    struct missing *item;
    uint32_t count, cap;
};

static void missing_done(struct missing_list *list)
{
    free(list->item);
}

static int note_missing(struct missing_list *list, stow_sym class, const struct stow_pod *pod)
{
    uint32_t at = 0;

    while (at < list->count && list->item[at].class != class)
        at++;
    if (at == list->count) {
        struct missing *made = STOW_PUSH(&list->item, &list->count, &list->cap);

        if (!made)
            return STOW_ENOMEM;
        *made = (struct missing){.class = class, .first = pod};
    }
    list->item[at].pods++;
    return STOW_OK;
}

int stow_warn_of_runtime_classes(struct stow_snapshot *s)
{
    STOW_AUTO(missing_done) struct missing_list list = {0};

    for (stow_pod_id i = 0; i < s->pods; i++) {
        uint32_t count;
        const struct stow_intake *intake =
            STOW_LIST(s, s->pod[i].intake, struct stow_intake, &count);

        if (count && intake->runtime_class && !find_class(s, intake->runtime_class))
            STOW_TRY(note_missing(&list, intake->runtime_class, &s->pod[i]));
    }
    for (uint32_t i = 0; i < list.count; i++)
        STOW_TRY(stow_snapshot_warn(
            s,
            "RuntimeClass '%s' is not given: the API server would reject the pods that "
            "name it (%u; the first is '%s/%s'); its overhead, node selector and tolerations are "
            "not counted",
            stow_text(s, list.item[i].class).ptr, list.item[i].pods,
            stow_text(s, list.item[i].first->namespace).ptr, list.item[i].first->name));
    return STOW_OK;
}

static void set_overhead(struct stow_admission *a, const struct stow_runtime_class *class,
                         stow_sym from)
{
    if (!class->has_overhead)
        return;
    if (a->spec.overhead && a->spec.overhead != class->overhead) {
        stow_admission_refuse(a, "its overhead differs from that of RuntimeClass '%s'",
                              stow_text(a->s, class->name).ptr);
        return;
    }
    stow_manifest_merge(&a->manifest, &a->spec.overhead, class->overhead,
                        (struct stow_added){.field = STOW_ADDED_OVERHEAD, .from = from});
}

/* ---- node selector ----------------------------------------------------------------------- */

/* Refuses where pod and class want different values of a label. */
static bool agrees(struct stow_admission *a, const struct stow_runtime_class *class)
{
    const struct stow_snapshot *s = a->s;
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, class->node_selector, struct stow_label, &count);
    const struct stow_label *first = NULL;

    for (uint32_t i = 0; i < count; i++) {
        stow_sym own = stow_label_value(s, a->spec.node_selector, list[i].key);

        if (own != STOW_NONE && own != list[i].value &&
            (!first || stow_str_cmp(stow_text(s, list[i].key), stow_text(s, first->key)) < 0))
            first = &list[i];
    }
    if (first)
        stow_admission_refuse(
            a, "its nodeSelector requires %s=%s, RuntimeClass '%s' requires %s=%s",
            stow_text(s, first->key).ptr,
            stow_text(s, stow_label_value(s, a->spec.node_selector, first->key)).ptr,
            stow_text(s, class->name).ptr, stow_text(s, first->key).ptr,
            stow_text(s, first->value).ptr);
    return !first;
}

static void merge_selector(struct stow_admission *a, const struct stow_runtime_class *class,
                           stow_sym from)
{
    struct stow_manifest *m = &a->manifest;
    uint32_t had, offered, made, before = m->added.count;
    const struct stow_label *given =
        STOW_LIST(a->s, a->spec.node_selector, struct stow_label, &had);
    const struct stow_label *other =
        STOW_LIST(a->s, class->node_selector, struct stow_label, &offered);
    STOW_AUTO(stow_free_local)
    struct stow_label *all = calloc(had + offered + 1, sizeof(*all));

    m->failed |= !all;
    if (!all)
        return;
    if (had)
        memcpy(all, given, had * sizeof(*all));
    made = had;
    for (uint32_t i = 0; i < offered; i++) {
        if (stow_label_value(a->s, a->spec.node_selector, other[i].key) != STOW_NONE)
            continue;
        all[made++] = other[i];
        stow_manifest_add(m, (struct stow_added){.field = STOW_ADDED_NODE_SELECTOR,
                                                 .key = other[i].key,
                                                 .from = from,
                                                 .lo = other[i].value});
    }
    stow_labels_sort(all, made);
    stow_manifest_set(m, all, made * sizeof(*all), &a->spec.node_selector);
    stow_manifest_sort_added(m, before);
}

/* ---- tolerations ------------------------------------------------------------------------- */

/* As kubectl describes one. */
static stow_sym describe(struct stow_admission *a, const struct stow_toleration *t)
{
    static const char *const effects[] = {"", ":NoSchedule", ":PreferNoSchedule", ":NoExecute", ""};
    const struct stow_snapshot *s = a->s;
    bool exists = t->op == STOW_TOLERATE_EXISTS;

    return stow_admission_text(a, "%s%s%s%s%s", stow_text(s, t->key).ptr, t->value ? "=" : "",
                               stow_text(s, t->value).ptr, effects[t->effect],
                               exists ? " op=Exists" : "");
}

static bool is_among(const struct stow_toleration *list, uint32_t count,
                     const struct stow_toleration *one)
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(&list[i], one, sizeof(*one)) == 0)
            return true;
    return false;
}

static void merge_tolerations(struct stow_admission *a, const struct stow_runtime_class *class,
                              stow_sym from)
{
    uint32_t had, offered, made;
    const struct stow_toleration *given =
        STOW_LIST(a->s, a->spec.tolerations, struct stow_toleration, &had);
    const struct stow_toleration *other =
        STOW_LIST(a->s, class->tolerations, struct stow_toleration, &offered);
    STOW_AUTO(stow_free_local)
    struct stow_toleration *all = calloc(had + offered + 1, sizeof(*all));

    a->manifest.failed |= !all;
    if (!all)
        return;
    if (had)
        memcpy(all, given, had * sizeof(*all));
    made = had;
    for (uint32_t i = 0; i < offered; i++) {
        if (is_among(all, made, &other[i]))
            continue;
        all[made++] = other[i];
        stow_manifest_add(&a->manifest, (struct stow_added){.field = STOW_ADDED_TOLERATION,
                                                            .key = other[i].key,
                                                            .from = from,
                                                            .lo = describe(a, &other[i])});
    }
    stow_manifest_set(&a->manifest, all, made * sizeof(*all), &a->spec.tolerations);
}

void stow_admit_runtime_class(struct stow_admission *a)
{
    const struct stow_runtime_class *class = find_class(a->s, a->runtime_class);

    if (!class) /* none, or told by stow_warn_of_runtime_classes */
        return;

    stow_sym from = stow_admission_text(a, "RuntimeClass %s", stow_text(a->s, class->name).ptr);

    set_overhead(a, class, from);
    if (!agrees(a, class))
        return;
    merge_selector(a, class, from);
    merge_tolerations(a, class, from);
}
