/* choose.c - which pods a question is about. */
#include "model/pods/choose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/vec.h"
#include "model/build.h"
#include "model/fork.h"
#include "model/values/match.h"
#include "model/values/selector.h"

#define TOLD 8 /* names in a message */

struct choosing {
    struct stow_snapshot *s;
    const char *namespace, *text;
    stow_blob selector;
};

static bool in_namespace(const struct choosing *c, const struct stow_pod *pod)
{
    return !c->namespace || stow_str_is(stow_text(c->s, pod->namespace), c->namespace);
}

/* ---- nothing is chosen ------------------------------------------------------------------- */

/* Names for a message, each once, and the one nearest to what was typed. */
struct names {
    struct stow_intern seen;
    struct stow_str *name;
    uint32_t count, cap;
    struct stow_nearest nearest;
    bool failed;
};

static void names_done(struct names *n)
{
    stow_intern_done(&n->seen);
    free(n->name);
}

static void add_name(struct names *n, struct stow_str name)
{
    const uint32_t had = n->seen.entries;
    struct stow_str *made;

    n->failed |= stow_intern_text(&n->seen, name) == STOW_INTERN_FAILED;
    if (n->failed || (had && n->seen.entries == had))
        return;
    made = STOW_PUSH(&n->name, &n->count, &n->cap);
    n->failed |= !made;
    if (made)
        *made = name;
    stow_nearest_try(&n->nearest, name);
}

static int compare_names(const void *a, const void *b)
{
    return stow_str_cmp(*(const struct stow_str *)a, *(const struct stow_str *)b);
}

/* "a, b and 3 more; did you mean a?" */
static void add_names(struct stow_buf *text, struct names *n)
{
    if (n->count)
        qsort(n->name, n->count, sizeof(*n->name), compare_names);
    for (uint32_t i = 0; i < n->count && i < TOLD; i++)
        stow_buf_printf(text, "%s%.*s", i ? ", " : "",
                        STOW_FMT(n->name[i].len ? n->name[i] : STOW_STR("\"\"")));
    if (n->count > TOLD)
        stow_buf_printf(text, " and %u more", n->count - TOLD);
    if (stow_nearest_found(&n->nearest))
        stow_buf_printf(text, "; did you mean %.*s?", STOW_FMT(n->nearest.best));
    text->failed |= n->failed;
}

static int fail_names(struct names *n, const char *problem, struct stow_err *err)
{
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    add_names(&text, n);
    if (text.failed)
        return stow_fail_memory(err);
    return stow_fail(err, STOW_ENOTFOUND, "%s%.*s", problem, STOW_FMT(stow_buf_str(&text)));
}

static int fail_namespace(const struct choosing *c, struct stow_err *err)
{
    STOW_AUTO(names_done) struct names n = {.count = 0};
    char problem[320];

    stow_nearest_init(&n.nearest, stow_str_of(c->namespace));
    for (stow_pod_id i = 0; i < c->s->pods; i++)
        add_name(&n, stow_text(c->s, c->s->pod[i].namespace));
    snprintf(problem, sizeof(problem), "no pod is in the namespace %s%s",
             c->namespace[0] ? c->namespace : "\"\"",
             n.count ? "; there are pods in " : ": there are no pods at all");
    return fail_names(&n, problem, err);
}

/* How many pods of the namespace one requirement chooses by itself. */
static uint32_t chosen_by(const struct choosing *c, const struct stow_requirement *requirement)
{
    const stow_blob alone = stow_intern_blob(&c->s->blob, requirement, sizeof(*requirement));
    uint32_t count = 0;

    for (stow_pod_id i = 0; i < c->s->pods && alone != STOW_INTERN_FAILED; i++)
        count += in_namespace(c, &c->s->pod[i]) &&
                 stow_selector_matches(c->s, alone, c->s->pod[i].labels);
    return count;
}

/* The values that pods have of a label, or the labels that they have when none has this one. */
static int fail_requirement(const struct choosing *c, const struct stow_requirement *requirement,
                            struct stow_err *err)
{
    STOW_AUTO(names_done) struct names values = {.count = 0};
    STOW_AUTO(names_done) struct names keys = {.count = 0};
    const struct stow_str key = stow_text(c->s, requirement->key);
    uint32_t wanted, count;
    const stow_sym *value = STOW_LIST(c->s, requirement->values, stow_sym, &wanted);
    char problem[512];

    stow_nearest_init(&keys.nearest, key);
    stow_nearest_init(&values.nearest, wanted ? stow_text(c->s, value[0]) : STOW_STR(""));
    for (stow_pod_id i = 0; i < c->s->pods; i++) {
        const struct stow_label *label =
            STOW_LIST(c->s, c->s->pod[i].labels, struct stow_label, &count);

        for (uint32_t n = 0; n < count && in_namespace(c, &c->s->pod[i]); n++) {
            add_name(&keys, stow_text(c->s, label[n].key));
            if (label[n].key == requirement->key)
                add_name(&values, stow_text(c->s, label[n].value));
        }
    }
    snprintf(problem, sizeof(problem), "no pod matches %s: %s%.*s%s", c->text,
             values.count ? "values of " : "no pod has the label ", STOW_FMT(key),
             values.count ? " are "
             : keys.count ? "; there are "
                          : "");
    return fail_names(values.count ? &values : &keys, problem, err);
}

static int fail_selector(const struct choosing *c, struct stow_err *err)
{
    uint32_t count;
    const struct stow_requirement *list =
        STOW_LIST(c->s, c->selector, struct stow_requirement, &count);

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_requirement one = list[i]; /* the table may move */

        if (!chosen_by(c, &one))
            return fail_requirement(c, &one, err);
        list = STOW_LIST(c->s, c->selector, struct stow_requirement, &count);
    }
    return stow_fail(err, STOW_ENOTFOUND, "no pod matches all of %s", c->text);
}

static int fail_nothing(const struct choosing *c, struct stow_err *err)
{
    for (stow_pod_id i = 0; i < c->s->pods; i++)
        if (in_namespace(c, &c->s->pod[i]))
            return fail_selector(c, err);
    if (c->namespace)
        return fail_namespace(c, err);
    return stow_fail(err, STOW_ENOTFOUND, "no pod matches %s: there are no pods at all", c->text);
}

/* ---- choosing ---------------------------------------------------------------------------- */

/* Sets aside what is not chosen; how many are. */
static uint32_t set_aside(const struct choosing *c, uint32_t *ret_pending)
{
    uint32_t chosen = 0;

    *ret_pending = 0;
    for (stow_pod_id i = 0; i < c->s->pods; i++) {
        struct stow_pod *pod = &c->s->pod[i];

        if (pod->flags & STOW_POD_SAMPLE)
            continue;
        if (in_namespace(c, pod) && stow_selector_matches(c->s, c->selector, pod->labels)) {
            chosen++;
            continue;
        }
        *ret_pending += stow_pod_pending(pod);
        pod->flags |= STOW_POD_ASIDE;
    }
    return chosen;
}

static void add_pod(const struct stow_snapshot *s, const struct stow_pod *pod,
                    struct stow_asked_columns *to)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(s, s->demand[pod->spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        stow_add_clamped(&to->requested[(size_t)list[i].resource * s->nodes + pod->node],
                         list[i].value);
    stow_add_clamped(&to->requested[(size_t)STOW_RESOURCE_PODS * s->nodes + pod->node], 1);
    to->pods_on[pod->node]++;
}

/* What the chosen pods request, as columns beside those of all. */
static int add_up(struct stow_snapshot *s)
{
    struct stow_asked_columns *asked = stow_arena_zalloc(&s->arena, sizeof(*asked));

    if (!asked)
        return STOW_ENOMEM;
    asked->requested =
        stow_arena_zalloc(&s->arena, ((size_t)s->resources * s->nodes + 1) * sizeof(int64_t));
    asked->pods_on = stow_arena_zalloc(&s->arena, ((size_t)s->nodes + 1) * sizeof(uint32_t));
    if (!asked->requested || !asked->pods_on)
        return STOW_ENOMEM;
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (s->pod[i].node != STOW_NONE && stow_pod_counts(&s->pod[i]) &&
            !(s->pod[i].flags & STOW_POD_ASIDE))
            add_pod(s, &s->pod[i], asked);
    s->asked = asked;
    return STOW_OK;
}

int stow_snapshot_choose(struct stow_snapshot *s, const struct stow_choice_of_pods *choice,
                         struct stow_err *err)
{
    struct choosing c = {.s = s, .namespace = choice->namespace, .text = choice->selector};
    uint32_t others;

    if (stow_fork_own(s) < 0)
        return stow_fail_memory(err);
    if (choice->selector)
        STOW_TRY(stow_selector_parse(s, stow_str_of(choice->selector), &c.selector, err));
    if (!set_aside(&c, &others))
        return fail_nothing(&c, err);
    if (add_up(s) < 0 || (others && stow_snapshot_warn(s, "%u other pending pod%s not selected",
                                                       others, others == 1 ? " is" : "s are") < 0))
        return stow_fail_memory(err);
    return STOW_OK;
}

/* ---- labels that no pod has -------------------------------------------------------------- */

/* The labels of the chosen pods; whether there are any such pods, and none has this one. */
static bool lacks_label(const struct stow_snapshot *s, struct stow_str key, struct names *keys)
{
    bool any = false;

    for (stow_pod_id i = 0; i < s->pods; i++) {
        const struct stow_pod *pod = &s->pod[i];
        uint32_t count;
        const struct stow_label *label = STOW_LIST(s, pod->labels, struct stow_label, &count);

        if (pod->flags & STOW_POD_ASIDE)
            continue;
        any = true;
        for (uint32_t n = 0; n < count; n++) {
            if (stow_str_eq(stow_text(s, label[n].key), key))
                return false;
            add_name(keys, stow_text(s, label[n].key));
        }
    }
    return any;
}

int stow_snapshot_note_label(struct stow_snapshot *s, struct stow_str key, struct stow_err *err)
{
    STOW_AUTO(names_done) struct names keys = {.count = 0};
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};

    stow_nearest_init(&keys.nearest, key);
    if (!lacks_label(s, key, &keys))
        return STOW_OK;
    stow_buf_printf(&text, "no pod has the label %.*s%s", STOW_FMT(key),
                    !keys.count       ? "; pods have no labels at all"
                    : keys.count == 1 ? "; there is "
                                      : "; there are ");
    add_names(&text, &keys);
    if (text.failed || stow_snapshot_warn(s, "%.*s", STOW_FMT(stow_buf_str(&text))) < 0)
        return stow_fail_memory(err);
    return STOW_OK;
}
