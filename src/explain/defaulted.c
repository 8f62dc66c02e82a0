/* defaulted.c - see defaulted.h. */
#include "explain/defaulted.h"

#include <stdlib.h>

#include "base/vec.h"
#include "explain/group_defaults.h"
#include "model/build.h"
#include "model/pods/sample.h"
#include "model/values/match.h"

/* Pods that share their entries. */
struct company {
    const struct stow_pod *first;
    uint32_t count;
};

struct listing {
    struct stow_doc *doc;
    const struct stow_snapshot *s;
    struct stow_intern known;   /* (namespace, owner, intake) */
    uint32_t *place, place_cap; /* by handle of `known`: place in `company` + 1 */
    struct company *company;
    uint32_t companies, company_cap;
    struct stow_value *list;
};

static void listing_done(struct listing *l)
{
    stow_intern_done(&l->known);
    free(l->place);
    free(l->company);
}

/* ---- who shares what --------------------------------------------------------------------- */

static bool is_told(const struct stow_pod *pod)
{
    return pod->intake && stow_pod_counts(pod);
}

/* Where the place of the pod's company is kept, NULL: out of memory. */
static uint32_t *place_of(struct listing *l, const struct stow_pod *pod)
{
    const uint32_t key[] = {pod->namespace, pod->owner, pod->intake};
    uint32_t had = l->place_cap;
    uint32_t handle = stow_intern_blob(&l->known, key, sizeof(key));

    if (handle == STOW_INTERN_FAILED ||
        stow_vec_reserve(&l->place, &l->place_cap, handle + 1, sizeof(*l->place)) < 0)
        return NULL;
    memset(l->place + had, 0, (l->place_cap - had) * sizeof(*l->place));
    return &l->place[handle];
}

/* Pods without an owner stand for themselves. */
static bool join_company(struct listing *l, const struct stow_pod *pod)
{
    uint32_t none = 0, *place = pod->owner ? place_of(l, pod) : &none;

    if (!place)
        return false;
    if (*place == 0) {
        struct company *made = STOW_PUSH(&l->company, &l->companies, &l->company_cap);

        if (!made)
            return false;
        made->first = pod;
        *place = l->companies;
    }
    l->company[*place - 1].count++;
    return true;
}

/* ---- entries ----------------------------------------------------------------------------- */

static struct stow_value *field_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                      const struct stow_added *a)
{
    static const char *const names[STOW_ADDED_COUNT] = {
        [STOW_ADDED_NAME] = "metadata.name",     [STOW_ADDED_REQUEST] = "resources.requests",
        [STOW_ADDED_LIMIT] = "resources.limits", [STOW_ADDED_HOST_PORT] = "ports.hostPort",
        [STOW_ADDED_OVERHEAD] = "overhead",      [STOW_ADDED_NODE_SELECTOR] = "nodeSelector",
        [STOW_ADDED_TOLERATION] = "tolerations", [STOW_ADDED_PRIORITY_CLASS] = "priorityClassName",
        [STOW_ADDED_PRIORITY] = "priority",      [STOW_ADDED_PREEMPTION] = "preemptionPolicy",
    };
    bool of_spec = !a->container && a->field != STOW_ADDED_NAME;
    bool keyed = a->key && a->field != STOW_ADDED_TOLERATION;

    return stow_doc_textf(doc, "%s%s%s%s", of_spec ? "spec." : "", names[a->field],
                          keyed ? "." : "", keyed ? stow_text(s, a->key).ptr : "");
}

static struct stow_value *added_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                      const struct stow_added *a)
{
    const struct stow_exact amount = {.lo = a->lo, .hi = a->hi};
    char text[STOW_RESOURCE_TEXT];

    switch ((enum stow_added_field)a->field) {
    case STOW_ADDED_REQUEST:
    case STOW_ADDED_LIMIT:
    case STOW_ADDED_OVERHEAD:
        return stow_doc_text(
            doc, stow_resource_text(stow_text(s, a->key), stow_exact_nano(&amount), text));
    case STOW_ADDED_HOST_PORT:
    case STOW_ADDED_PRIORITY:
        return stow_doc_int(doc, (int64_t)a->lo);
    default:
        return stow_doc_str(doc, stow_text(s, (stow_sym)a->lo));
    }
}

/* What was filled in for whom: a pod or a workload. */
struct whose {
    const char *kind, *name;
    stow_sym namespace;
    uint32_t count;
};

static void push_entry(struct listing *l, const struct whose *whose, const struct stow_added *a)
{
    struct stow_doc *doc = l->doc;
    struct stow_value *v = stow_doc_object(doc);
    const uint32_t count = whose->count;

    stow_value_set(
        doc, v, whose->kind,
        stow_doc_textf(doc, "%s/%s", stow_text(l->s, whose->namespace).ptr, whose->name));
    if (count > 1)
        stow_value_set(doc, v, "count", stow_doc_int(doc, count));
    stow_value_set(doc, v, "container",
                   a->container ? stow_doc_str(doc, stow_text(l->s, a->container))
                                : stow_doc_null(doc));
    stow_value_set(doc, v, "field", field_value(doc, l->s, a));
    stow_value_set(doc, v, "value", added_value(doc, l->s, a));
    stow_value_set(doc, v, "from", stow_doc_str(doc, stow_text(l->s, a->from)));
    stow_value_push(doc, l->list, v);
}

static void push_added(struct listing *l, const struct whose *whose, stow_blob intake)
{
    uint32_t one, count;
    const struct stow_intake *found = STOW_LIST(l->s, intake, struct stow_intake, &one);
    const struct stow_added *list =
        STOW_LIST(l->s, one ? found->added : 0, struct stow_added, &count);

    for (uint32_t i = 0; i < count; i++)
        push_entry(l, whose, &list[i]);
}

static void push_company(struct listing *l, const struct company *company)
{
    const struct stow_pod *pod = company->first;
    const bool sample = pod->flags & STOW_POD_SAMPLE;

    push_added(
        l,
        &(struct whose){"pod",
                        sample ? stow_sample_name(l->s, (stow_pod_id)(pod - l->s->pod)) : pod->name,
                        pod->namespace, company->count},
        pod->intake);
}

/* Workloads of a fleet make no pods here. */
static void push_workloads(struct listing *l)
{
    for (uint32_t i = 0; i < l->s->workloads && l->s->clusters && !l->s->nodes; i++) {
        const struct stow_workload *w = &l->s->workload[i];

        push_added(l, &(struct whose){"workload", w->name, w->namespace, 1}, w->template_intake);
    }
}

/* ---- pods of DaemonSets on new nodes ------------------------------------------------------- */

static bool runs_on_new_nodes(const struct stow_snapshot *s, const struct stow_workload *w)
{
    for (stow_group_id g = 0; g < s->groups; g++)
        if (!s->group[g].implied && s->group[g].has_fresh && stow_daemon_of(s, w, g))
            return true;
    return false;
}

static void push_daemons(struct listing *l)
{
    for (uint32_t i = 0; i < l->s->workloads; i++) {
        const struct stow_workload *w = &l->s->workload[i];

        if (w->template_intake && runs_on_new_nodes(l->s, w))
            push_added(l, &(struct whose){"daemonSet", w->name, w->namespace, 1},
                       w->template_intake);
    }
}

static void push_pods(struct listing *l)
{
    for (stow_pod_id i = 0; i < l->s->pods; i++)
        if (is_told(&l->s->pod[i]) && !join_company(l, &l->s->pod[i])) {
            l->doc->failed = true;
            return;
        }
    for (uint32_t i = 0; i < l->companies; i++)
        push_company(l, &l->company[i]);
}

void stow_defaulted_set(struct stow_doc *doc, struct stow_value *answer,
                        const struct stow_snapshot *s, bool groups)
{
    STOW_AUTO(listing_done) struct listing l = {.doc = doc, .s = s, .list = stow_doc_array(doc)};

    if (groups)
        stow_group_defaults_push(doc, l.list, s);
    if (groups)
        push_daemons(&l);
    push_pods(&l);
    push_workloads(&l);
    if (l.list->members)
        stow_value_set(doc, answer, "defaulted", l.list);
}
