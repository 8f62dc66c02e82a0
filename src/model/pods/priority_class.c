/* priority_class.c - priorities of pods that do not state one: from their class, else from the
 * class that is the default of all. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/pods/stored.h"

/* What one class comes to. */
struct resolved {
    bool known; /* looked up */
    bool found; /* a class, built in or given */
    bool never; /* preempts no other pod */
    int32_t value;
    stow_sym name, from; /* from: "PriorityClass NAME"; 0 without a class */
    uint32_t missing;    /* pods that name it in vain */
    uint32_t differing;  /* pods that state another priority */
    const struct stow_pod *first, *first_differing;
};

struct priorities {
    struct stow_snapshot *s;
    struct stow_manifest manifest; /* for lists of what was added */
    struct resolved *by_class;     /* by handle of the name */
    stow_sym *order;               /* classes that are missing */
    uint32_t orders, order_cap;
    stow_blob last_intake, last_made;
    stow_sym last_class;
    bool last_preemption;
};

static void priorities_done(struct priorities *p)
{
    stow_manifest_done(&p->manifest);
    free(p->by_class);
    free(p->order);
}

static bool find_class(const struct stow_snapshot *s, stow_sym name, struct resolved *ret)
{
    struct stow_str text = stow_text(s, name);
    bool node = stow_str_is(text, "system-node-critical");

    ret->name = name;
    if (node || stow_str_is(text, "system-cluster-critical")) {
        ret->value = node ? 2000001000 : 2000000000;
        return true;
    }
    for (uint32_t i = 0; i < s->priority_classes; i++)
        if (s->priority_class[i].name == name) {
            ret->value = s->priority_class[i].value;
            ret->never = s->priority_class[i].never;
            return true;
        }
    return false;
}

/* Of several defaults the one with the lowest value, as the API server does it. */
static bool find_default(const struct stow_snapshot *s, struct resolved *ret)
{
    const struct stow_priority_class *best = NULL;

    for (uint32_t i = 0; i < s->priority_classes; i++) {
        const struct stow_priority_class *c = &s->priority_class[i];

        if (c->global_default && (!best || c->value < best->value))
            best = c;
    }
    if (!best)
        return false;
    ret->name = best->name;
    ret->value = best->value;
    ret->never = best->never;
    return true;
}

static int look_up(struct priorities *p, stow_sym name, struct resolved *r)
{
    struct stow_snapshot *s = p->s;
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    r->known = true;
    r->found = name ? find_class(s, name, r) : find_default(s, r);
    if (!r->found)
        return STOW_OK;
    stow_buf_printf(&text, "PriorityClass %s", stow_text(s, r->name).ptr);
    r->from = text.failed ? STOW_INTERN_FAILED : stow_intern_text(&s->text, stow_buf_str(&text));
    return r->from == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* The intake of a pod with its priority added.  Pods alike come one after another. */
static int add_to_intake(struct priorities *p, stow_sym class, const struct resolved *r,
                         bool has_preemption, stow_blob *intake)
{
    uint32_t one, count;
    const struct stow_intake *from = STOW_LIST(p->s, *intake, struct stow_intake, &one);
    const struct stow_added *list =
        STOW_LIST(p->s, one ? from->added : 0, struct stow_added, &count);

    if (p->last_made && p->last_intake == *intake && p->last_class == class &&
        p->last_preemption == has_preemption) {
        *intake = p->last_made;
        return STOW_OK;
    }
    stow_manifest_start(&p->manifest, p->s, NULL);
    for (uint32_t i = 0; i < count; i++)
        stow_manifest_add(&p->manifest, list[i]);
    if (!class)
        stow_manifest_add(&p->manifest, (struct stow_added){.field = STOW_ADDED_PRIORITY_CLASS,
                                                            .from = r->from,
                                                            .lo = r->name});
    stow_manifest_add(&p->manifest, (struct stow_added){.field = STOW_ADDED_PRIORITY,
                                                        .from = r->from,
                                                        .lo = (uint64_t)(int64_t)r->value});
    if (!has_preemption)
        stow_manifest_add(
            &p->manifest,
            (struct stow_added){.field = STOW_ADDED_PREEMPTION,
                                .from = r->from,
                                .lo = r->never ? STOW_SYM_NEVER : STOW_SYM_PREEMPT_LOWER});
    p->last_preemption = has_preemption;
    p->last_intake = *intake;
    p->last_class = class;
    p->last_made = *intake = stow_manifest_intake(&p->manifest, false, 0);
    return p->manifest.failed ? STOW_ENOMEM : STOW_OK;
}

static int note_missing(struct priorities *p, stow_sym class, const struct stow_pod *pod)
{
    struct resolved *r = &p->by_class[class];

    if (r->missing++)
        return STOW_OK;
    r->first = pod;

    stow_sym *kept = STOW_PUSH(&p->order, &p->orders, &p->order_cap);

    if (!kept)
        return STOW_ENOMEM;
    *kept = class;
    return STOW_OK;
}

static bool is_new(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    uint32_t count;
    const struct stow_intake *intake = STOW_LIST(s, pod->intake, struct stow_intake, &count);

    return count && (intake->flags & STOW_INTAKE_NEW);
}

static int resolve(struct priorities *p, struct stow_pod *pod)
{
    stow_sym class = stow_spec(p->s, pod->spec)->priority_class;
    struct resolved *r = &p->by_class[class];

    if (!r->known)
        STOW_TRY(look_up(p, class, r));
    pod->priority = r->value;
    if (class && !r->found && is_new(p->s, pod))
        return note_missing(p, class, pod);
    return r->found && stow_pod_pending(pod)
               ? add_to_intake(p, class, r, pod->flags & STOW_POD_PREEMPTION, &pod->intake)
               : STOW_OK;
}

/* Of a new pod that states its priority, the API server compares it with that of the class. */
static int compare(struct priorities *p, struct stow_pod *pod)
{
    stow_sym class = stow_spec(p->s, pod->spec)->priority_class;
    struct resolved *r = &p->by_class[class];

    if (!is_new(p->s, pod))
        return STOW_OK;
    if (!r->known)
        STOW_TRY(look_up(p, class, r));
    if (class && !r->found)
        return note_missing(p, class, pod);
    if (pod->priority == r->value)
        return STOW_OK;
    if (r->differing++ == 0)
        r->first_differing = pod;
    return STOW_OK;
}

static int warn_differing(const struct priorities *p, const struct resolved *r)
{
    const struct stow_pod *first = r->first_differing;

    return stow_snapshot_warn(
        p->s,
        "the API server would reject pods that state another spec.priority than %s%s%s (%d): %u; "
        "the first is '%s/%s' with %d, which counts",
        r->found ? "PriorityClass '" : "the one of pods without a class",
        r->found ? stow_text(p->s, r->name).ptr : "", r->found ? "'" : "", r->value, r->differing,
        stow_text(p->s, first->namespace).ptr, first->name, first->priority);
}

/* In order of pods: handles depend on the order of the input. */
static int warn_of_priorities(const struct priorities *p)
{
    for (stow_pod_id i = 0; i < p->s->pods; i++) {
        const struct resolved *r = &p->by_class[stow_spec(p->s, p->s->pod[i].spec)->priority_class];

        if (r->first_differing == &p->s->pod[i])
            STOW_TRY(warn_differing(p, r));
    }
    return STOW_OK;
}

static int warn_missing(const struct priorities *p)
{
    for (uint32_t i = 0; i < p->orders; i++) {
        const struct resolved *r = &p->by_class[p->order[i]];

        STOW_TRY(stow_snapshot_warn(
            p->s,
            "PriorityClass '%s' is not given: the API server would reject the pods "
            "that name it (%u; the first is '%s/%s'); their priority counts as 0, unless they "
            "state it",
            stow_text(p->s, p->order[i]).ptr, r->missing, stow_text(p->s, r->first->namespace).ptr,
            r->first->name));
    }
    return STOW_OK;
}

int stow_resolve_priorities(struct stow_snapshot *s)
{
    STOW_AUTO(priorities_done)
    struct priorities p = {.s = s, .by_class = calloc(s->text.entries, sizeof(*p.by_class))};

    if (!p.by_class)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < s->pods; i++)
        STOW_TRY(s->pod[i].flags & STOW_POD_HAS_PRIORITY ? compare(&p, &s->pod[i])
                                                         : resolve(&p, &s->pod[i]));
    STOW_TRY(warn_of_priorities(&p));
    return warn_missing(&p);
}
