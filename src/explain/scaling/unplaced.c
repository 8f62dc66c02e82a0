/* unplaced.c - the pods that a plan leaves, as data.
 *
 * What each group has to say is long, and the same for all pods that are alike: hundreds of groups
 * times thousands of pods.  It is told once, beside the first of them; the others have the short
 * reasons, and name the pod that has the long ones. */
#include <stdlib.h>

#include "base/intern.h"
#include "base/vec.h"
#include "explain/scaling/scaling_internal.h"
#include "explain/words.h"
#include "model/values/amount.h"

static void set_amount(struct stow_doc *doc, struct stow_value *v, const char *name,
                       const struct stow_plan *plan, const struct stow_plan_where *at,
                       int64_t amount)
{
    char text[STOW_AMOUNT_TEXT];

    stow_value_set(
        doc, v, name,
        stow_doc_textf(doc, "%s", stow_amount_exact(plan->s, at->resource, amount, text)));
}

/* What each group has to say. */
static struct stow_value *where_value(struct stow_doc *doc, const struct stow_plan *plan,
                                      const struct stow_plan_reason *reason)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < reason->groups; i++) {
        const struct stow_plan_where *at = &reason->where[i];
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "group", stow_doc_text(doc, stow_plan_group_name(plan, at->group)));
        if (at->detail)
            stow_value_set(doc, v, "detail", stow_doc_text(doc, at->detail));
        if (at->resource != STOW_NONE) {
            stow_value_set(doc, v, "resource",
                           stow_doc_str(doc, stow_text(plan->s, plan->s->resource[at->resource])));
            set_amount(doc, v, "wanted", plan, at, at->wanted);
            set_amount(doc, v, "free", plan, at, at->free);
            set_amount(doc, v, "allocatable", plan, at, at->capacity);
            set_amount(doc, v, "daemonPods", plan, at, at->used);
        }
        stow_value_push(doc, list, v);
    }
    return list;
}

/* `full`: with what each group has to say. */
static struct stow_value *reasons_value(struct stow_doc *doc, const struct stow_plan *plan,
                                        const struct stow_unplaced *u, bool full)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < u->reasons; i++) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "reason", stow_doc_text(doc, u->reason[i].text));
        if (u->reason[i].groups)
            stow_value_set(doc, v, "groups", stow_doc_int(doc, u->reason[i].groups));
        if (u->reason[i].filter)
            stow_value_set(doc, v, "filter", stow_doc_text(doc, u->reason[i].filter));
        if (u->reason[i].where && full)
            stow_value_set(doc, v, "where", where_value(doc, plan, &u->reason[i]));
        stow_value_push(doc, list, v);
    }
    if (u->reasons == 0 && u->awaits) {
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "reason", stow_doc_text(doc, STOW_AWAITS));
        stow_value_push(doc, list, v);
    }
    return list;
}

/* ---- pods that are alike ----------------------------------------------------------------- */

/* Pods with the same reasons, group by group. */
struct sort {
    const struct stow_unplaced *first;
    struct stow_value *name;    /* of the first; NULL: there is nothing long to tell */
    struct stow_value *reasons; /* of the others */
};

struct sorts {
    struct stow_intern seen; /* lists of reasons, by where they lie */
    uint32_t *of;            /* per list: its sort */
    struct sort *sort;
    uint32_t ofs, of_cap, sorts, sort_cap;
};

static void sorts_done(struct sorts *s)
{
    stow_intern_done(&s->seen);
    free(s->of);
    free(s->sort);
}

static bool same_where(const struct stow_plan_where *a, const struct stow_plan_where *b)
{
    return a->group == b->group && a->resource == b->resource && a->wanted == b->wanted &&
           a->free == b->free && a->used == b->used && a->capacity == b->capacity &&
           stow_same_text(a->detail, b->detail);
}

static bool same_reason(const struct stow_plan_reason *a, const struct stow_plan_reason *b)
{
    if (a->groups != b->groups || !a->where != !b->where || !stow_same_text(a->text, b->text) ||
        !stow_same_text(a->filter, b->filter))
        return false;
    for (uint32_t i = 0; i < a->groups && a->where; i++)
        if (!same_where(&a->where[i], &b->where[i]))
            return false;
    return true;
}

static bool same_reasons(const struct stow_unplaced *a, const struct stow_unplaced *b)
{
    if (a->reasons != b->reasons || a->awaits != b->awaits)
        return false;
    for (uint32_t i = 0; i < a->reasons && a->reason != b->reason; i++)
        if (!same_reason(&a->reason[i], &b->reason[i]))
            return false;
    return true;
}

static bool is_long(const struct stow_unplaced *u)
{
    for (uint32_t i = 0; i < u->reasons; i++)
        if (u->reason[i].where)
            return true;
    return false;
}

/* The number of the sort that has these reasons; a new one if there is none. */
static uint32_t find_sort(struct sorts *s, const struct stow_unplaced *u)
{
    uint32_t at = 0;
    struct sort *made;

    while (at < s->sorts && !same_reasons(s->sort[at].first, u))
        at++;
    if (at < s->sorts)
        return at;
    made = STOW_PUSH(&s->sort, &s->sorts, &s->sort_cap);
    if (!made)
        return STOW_NONE;
    *made = (struct sort){.first = u};
    return at;
}

/* The sort of a pod that is left; NULL: out of memory. */
static struct sort *sort_of(struct sorts *s, const struct stow_unplaced *u)
{
    const uint64_t key[] = {(uint64_t)(uintptr_t)u->reason, u->reasons, u->awaits};
    const uint32_t list = stow_intern_blob(&s->seen, key, sizeof(key));

    if (list == STOW_INTERN_FAILED)
        return NULL;
    while (s->ofs <= list) {
        uint32_t *made = STOW_PUSH(&s->of, &s->ofs, &s->of_cap);

        if (!made)
            return NULL;
        *made = STOW_NONE;
    }
    if (s->of[list] == STOW_NONE)
        s->of[list] = find_sort(s, u);
    return s->of[list] == STOW_NONE ? NULL : &s->sort[s->of[list]];
}

/* The reasons of a pod into its value: the long ones for the first of its sort. */
static void set_reasons(struct stow_doc *doc, const struct stow_plan *plan, struct sort *sort,
                        const struct stow_unplaced *u, struct stow_value *name,
                        struct stow_value *v)
{
    const bool first = sort->first == u;

    if (first && is_long(u))
        sort->name = name;
    if (!first && sort->name)
        stow_value_set(doc, v, "like", sort->name);
    if (!first && !sort->reasons)
        sort->reasons = reasons_value(doc, plan, u, false);
    stow_value_set(doc, v, "reasons", first ? reasons_value(doc, plan, u, true) : sort->reasons);
}

struct stow_value *stow_plan_unplaced_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    STOW_AUTO(sorts_done) struct sorts sorts = {0};
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->unplaceds && !doc->failed; i++) {
        const struct stow_unplaced *u = &plan->unplaced[i];
        struct sort *sort = sort_of(&sorts, u);
        struct stow_value *v = stow_doc_object(doc);
        struct stow_value *name = stow_plan_pod_value(doc, plan, u->pod);

        if (!sort) {
            doc->failed = true;
            break;
        }
        stow_value_set(doc, v, "pod", name);
        if (u->awaits)
            stow_value_set(doc, v, "awaits", stow_doc_bool(doc, true));
        set_reasons(doc, plan, sort, u, name, v);
        stow_value_push(doc, list, v);
    }
    return list;
}
