/* admit.c - what admission adds to pods that are created.
 *
 * A stored pod has been through admission; a manifest and the pods of a workload's template have
 * not.  So LimitRanges and RuntimeClasses of the input act on these, in the order of the API
 * server's plugins: defaults of LimitRanges, then the RuntimeClass, then the pod is decoded again
 * from what is stored, then LimitRanges check it.  (What needs no other object, the default
 * tolerations, was added when the pod was read: nothing here looks at them.)
 *
 * What the API server would refuse stays in the input, as it is, with a warning: the question is
 * usually about capacity, and a missing pod would be a silent answer to another one.
 *
 * Pods of a kind (equal spec, equal containers, one namespace) are admitted once.  Workloads keep
 * their template as it is for making pods (a DaemonSet chooses nodes by it), and get the admitted
 * one afterwards, for what daemon pods take on new nodes. */
#include "model/pods/admit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/finish.h"

/* Pods that are admitted as one, and what became of them. */
struct kind {
    stow_spec_id spec;
    stow_blob intake;
    const struct stow_pod *first; /* NULL: a template */
    uint32_t pods;
};

struct work {
    struct stow_admission a;
    struct stow_intern known; /* (spec, intake, namespace): place in `kind` + 1 */
    struct kind *kind;
    uint32_t kinds, kind_cap;
};

static void work_done(struct work *w)
{
    stow_manifest_done(&w->a.manifest);
    stow_intern_done(&w->known);
    free(w->a.refusal);
    free(w->kind);
}

/* ---- what the parts share ---------------------------------------------------------------- */

/* Several items of a LimitRange may say the same. */
static bool is_refused(const struct stow_admission *a, const char *why)
{
    for (uint32_t i = a->refusals; i-- > 0 && a->refusal[i].kind == a->kind;)
        if (a->refusal[i].why && strcmp(a->refusal[i].why, why) == 0)
            return true;
    return false;
}

void stow_admission_refuse(struct stow_admission *a, const char *fmt, ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (is_refused(a, text))
        return;

    struct stow_admit_refusal *kept = STOW_PUSH(&a->refusal, &a->refusals, &a->refusal_cap);
    const char *why = stow_arena_text(&a->s->arena, stow_str_of(text));

    a->manifest.failed |= !kept || !why;
    if (kept)
        *kept = (struct stow_admit_refusal){a->kind, why};
}

stow_sym stow_admission_text(struct stow_admission *a, const char *fmt, ...)
{
    char text[600];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);

    stow_sym made = stow_intern_text(&a->s->text, stow_str_of(text));

    a->manifest.failed |= made == STOW_INTERN_FAILED;
    return made == STOW_INTERN_FAILED ? 0 : made;
}

/* ---- one kind of pod --------------------------------------------------------------------- */

static const struct stow_intake *intake_of(const struct stow_snapshot *s, stow_blob intake)
{
    uint32_t count;
    const struct stow_intake *list = STOW_LIST(s, intake, struct stow_intake, &count);

    return count ? list : NULL;
}

static bool is_new(const struct stow_snapshot *s, stow_blob intake)
{
    return intake && (intake_of(s, intake)->flags & STOW_INTAKE_NEW);
}

/* The pod as it was read, open again. */
static void open_manifest(struct stow_admission *a, const struct stow_intake *intake)
{
    struct stow_manifest *m = &a->manifest;
    uint32_t count, names, added;
    const struct stow_container *list =
        STOW_LIST(a->s, a->spec.containers, struct stow_container, &count);
    const stow_sym *name = STOW_LIST(a->s, intake->names, stow_sym, &names);
    const struct stow_added *before = STOW_LIST(a->s, intake->added, struct stow_added, &added);

    stow_manifest_start(m, a->s, &a->spec);
    for (uint32_t i = 0; i < count; i++) {
        struct stow_manifest_container *kept =
            STOW_COLLECT(&m->container, struct stow_manifest_container);

        m->failed |= !kept;
        if (kept)
            *kept = (struct stow_manifest_container){list[i], i < names ? name[i] : 0};
    }
    for (uint32_t i = 0; i < added; i++)
        stow_manifest_add(m, before[i]);
}

/* Workloads make no pods there (expand.c); a manifest of a pod is refused. */
static void check_namespace(struct stow_admission *a)
{
    for (uint32_t i = 0; i < a->s->namespaces; i++)
        if (a->s->namespace[i].deleted && a->s->namespace[i].name == a->namespace)
            stow_admission_refuse(a, "its namespace is being deleted");
}

static int admit(struct work *w, stow_spec_id spec, stow_blob intake, struct kind *ret)
{
    struct stow_admission *a = &w->a;
    const struct stow_intake *from = intake_of(a->s, intake);

    a->spec = *stow_spec(a->s, spec);
    a->runtime_class = from->runtime_class;
    open_manifest(a, from);
    check_namespace(a);
    stow_admit_limit_defaults(a);
    stow_admit_runtime_class(a);
    stow_manifest_defaults(&a->manifest);
    stow_manifest_close(&a->manifest);
    stow_admit_check_limits(a);
    stow_admit_check_requests(a);
    ret->intake = stow_manifest_intake(&a->manifest, true, 0);
    ret->spec = stow_intern_blob(&a->s->spec, &a->spec, sizeof(a->spec));
    return a->manifest.failed || ret->spec == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* The kind of a pod, admitted when it is the first; NULL: out of memory. */
static struct kind *kind_of(struct work *w, stow_spec_id spec, stow_blob intake, stow_sym namespace)
{
    const uint32_t key[] = {spec, intake, namespace};
    uint32_t handle = stow_intern_blob(&w->known, key, sizeof(key));

    if (handle == STOW_INTERN_FAILED)
        return NULL;
    if (handle > w->kinds) { /* handles count from 1 */
        struct kind *made = STOW_PUSH(&w->kind, &w->kinds, &w->kind_cap);

        w->a.kind = w->kinds - 1;
        w->a.namespace = namespace;
        if (!made || admit(w, spec, intake, made) < 0)
            return NULL;
    }
    return &w->kind[handle - 1];
}

/* ---- all of them ------------------------------------------------------------------------- */

static int admit_pods(struct work *w)
{
    struct stow_snapshot *s = w->a.s;

    for (uint32_t i = 0; i < s->pods; i++) {
        struct stow_pod *pod = &s->pod[i];
        struct kind *kind;

        if (!is_new(s, pod->intake))
            continue;
        kind = kind_of(w, pod->spec, pod->intake, pod->namespace);
        if (!kind)
            return STOW_ENOMEM;
        if (!kind->first)
            kind->first = pod;
        kind->pods++;
        pod->spec = kind->spec;
        pod->intake = kind->intake;
    }
    return STOW_OK;
}

static int admit_templates(struct work *w)
{
    struct stow_snapshot *s = w->a.s;

    for (uint32_t i = 0; i < s->workloads; i++) {
        struct stow_workload *of = &s->workload[i];
        const struct kind *kind;

        if (of->template_spec == STOW_NONE || !is_new(s, of->template_intake))
            continue;
        kind = kind_of(w, of->template_spec, of->template_intake, of->namespace);
        if (!kind)
            return STOW_ENOMEM;
        of->template_spec = kind->spec;
        of->template_intake = kind->intake;
    }
    return STOW_OK;
}

static int warn_refusal(const struct work *w, const struct stow_admit_refusal *refusal)
{
    const struct kind *kind = &w->kind[refusal->kind];
    char others[48] = "";

    if (!kind->first) /* no pod is made from this template */
        return STOW_OK;
    if (kind->pods > 1)
        snprintf(others, sizeof(others), " and %u like it", kind->pods - 1);
    return stow_snapshot_warn(w->a.s, "the API server would reject pod '%s/%s'%s: %s",
                              stow_text(w->a.s, kind->first->namespace).ptr, kind->first->name,
                              others, refusal->why);
}

static bool is_any_over(const struct stow_snapshot *s)
{
    for (uint32_t i = 0; i < s->pods; i++)
        if (s->pod[i].intake && (intake_of(s, s->pod[i].intake)->flags & STOW_INTAKE_OVER))
            return true;
    return false;
}

static bool is_any_deleted(const struct stow_snapshot *s)
{
    for (uint32_t i = 0; i < s->namespaces; i++)
        if (s->namespace[i].deleted)
            return true;
    return false;
}

int stow_admit_pods(struct stow_snapshot *s)
{
    STOW_AUTO(work_done) struct work w = {.a = {.s = s}};

    STOW_TRY(stow_warn_of_runtime_classes(s));
    if (!s->limit_ranges && !s->runtime_classes && !is_any_over(s) && !is_any_deleted(s))
        return STOW_OK;
    if (stow_intern_blob(&w.known, "", 0) != 0)
        return STOW_ENOMEM;
    STOW_TRY(admit_pods(&w));
    STOW_TRY(admit_templates(&w));
    for (uint32_t i = 0; i < w.a.refusals; i++)
        STOW_TRY(warn_refusal(&w, &w.a.refusal[i]));
    return STOW_OK;
}
