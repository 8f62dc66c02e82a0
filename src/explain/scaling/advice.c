/* advice.c - a plan in the words of scaling-advisor: its ScalingAdvice. */
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "explain/scaling/scaling_internal.h"

/* ---- whose advice it is ------------------------------------------------------------------ */

static const struct stow_origin *origin_of(const struct stow_plan *plan, stow_group_id group)
{
    uint32_t origin = plan->s->group[group].origin;

    return origin == STOW_NONE ? NULL : &plan->s->origin[origin];
}

static bool same_constraint(const struct stow_origin *a, const struct stow_origin *b)
{
    return a->namespace == b->namespace && strcmp(a->constraint, b->constraint) == 0;
}

static int check_group(const struct stow_plan *plan, stow_group_id group,
                       const struct stow_origin **found, struct stow_err *err)
{
    const struct stow_origin *o = origin_of(plan, group);

    if (!o)
        return stow_fail(err, STOW_EINVAL,
                         "-o scaling-advice: group %s of the plan is not from a ScalingConstraint",
                         stow_plan_group_name(plan, group));
    if (*found && !same_constraint(*found, o))
        return stow_fail(err, STOW_EINVAL,
                         "-o scaling-advice: the plan has groups of the ScalingConstraints %s and "
                         "%s; advice is about one",
                         (*found)->constraint, o->constraint);
    *found = o;
    return STOW_OK;
}

/* The ScalingConstraint that all groups of the plan are from; of a plan that buys nothing, the only
 * one that is given.  NULL: there is none, `err` says why. */
static const struct stow_origin *find_constraint(const struct stow_plan *plan, struct stow_err *err)
{
    const struct stow_origin *found = NULL;

    for (uint32_t i = 0; i < plan->groups; i++)
        if (check_group(plan, plan->group[i].group, &found, err) < 0)
            return NULL;
    for (stow_group_id i = 0; plan->groups == 0 && i < plan->s->groups; i++)
        if (origin_of(plan, i) && check_group(plan, i, &found, err) < 0)
            return NULL;
    if (!found)
        stow_fail(err, STOW_EINVAL,
                  "-o scaling-advice: there is no ScalingConstraint among the objects");
    return found;
}

/* ---- the advice -------------------------------------------------------------------------- */

static struct stow_value *reference_value(struct stow_doc *doc, const struct stow_plan *plan,
                                          const struct stow_origin *o)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "name", stow_doc_text(doc, o->constraint));
    stow_value_set(doc, v, "namespace", stow_doc_str(doc, stow_text(plan->s, o->namespace)));
    return v;
}

static int compare_groups(const void *a, const void *b, void *ctx)
{
    const struct stow_plan *plan = ctx;
    const struct stow_origin *x = origin_of(plan, ((const struct stow_plan_group *)a)->group);
    const struct stow_origin *y = origin_of(plan, ((const struct stow_plan_group *)b)->group);
    const stow_sym left[] = {x->pool, x->template, x->zone},
                   right[] = {y->pool, y->template, y->zone};
    int order = 0;

    for (int i = 0; order == 0 && i < 3; i++)
        order = stow_str_cmp(stow_text(plan->s, left[i]), stow_text(plan->s, right[i]));
    return order;
}

static struct stow_value *item_value(struct stow_doc *doc, const struct stow_plan *plan,
                                     const struct stow_plan_group *g)
{
    const struct stow_origin *o = origin_of(plan, g->group);
    const struct stow_snapshot *s = plan->s;
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "poolName", stow_doc_str(doc, stow_text(s, o->pool)));
    stow_value_set(doc, v, "templateName", stow_doc_str(doc, stow_text(s, o->template)));
    stow_value_set(doc, v, "instanceType", stow_doc_str(doc, stow_text(s, o->instance_type)));
    stow_value_set(doc, v, "region", stow_doc_str(doc, stow_text(s, o->region)));
    stow_value_set(doc, v, "availabilityZone", stow_doc_str(doc, stow_text(s, o->zone)));
    stow_value_set(doc, v, "currentReplicas", stow_doc_int(doc, s->group[g->group].current_nodes));
    stow_value_set(doc, v, "delta", stow_doc_int(doc, (int64_t)g->to - g->from));
    return v;
}

static struct stow_value *items_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *list = stow_doc_array(doc);
    uint32_t count = 0;
    STOW_AUTO(stow_free_local)
    struct stow_plan_group *sorted = calloc((size_t)plan->groups + 1, sizeof(*sorted));

    if (!sorted) {
        doc->failed = true;
        return list;
    }
    for (uint32_t i = 0; i < plan->groups; i++) {
        uint32_t committed;
        bool first;

        sorted[count] = stow_plan_whole(plan, i, &committed, &first);
        count += first;
    }
    qsort_r(sorted, count, sizeof(*sorted), compare_groups, (void *)plan);
    for (uint32_t i = 0; i < count; i++)
        stow_value_push(doc, list, item_value(doc, plan, &sorted[i]));
    return list;
}

static int compare_texts(const void *a, const void *b)
{
    const struct stow_value *const *x = a, *const *y = b;

    return stow_str_cmp((*x)->as.text, (*y)->as.text);
}

/* Sorted as texts: "a-b/x" comes before "a/x", which pods by namespace and name are not. */
static void fill_unsatisfied(struct stow_doc *doc, struct stow_value *list,
                             const struct stow_plan *plan, struct stow_value **name)
{
    for (uint32_t i = 0; i < plan->unplaceds; i++) {
        const struct stow_pod *pod = &plan->s->pod[plan->unplaced[i].pod];

        name[i] = stow_doc_textf(doc, "%s/%s", stow_text(plan->s, pod->namespace).ptr, pod->name);
    }
    if (doc->failed)
        return;
    qsort(name, plan->unplaceds, sizeof(struct stow_value *), compare_texts);
    for (uint32_t i = 0; i < plan->unplaceds; i++)
        stow_value_push(doc, list, name[i]);
}

static void set_unsatisfied(struct stow_doc *doc, struct stow_value *to,
                            const struct stow_plan *plan)
{
    struct stow_value **name = calloc((size_t)plan->unplaceds + 1, sizeof(struct stow_value *));
    struct stow_value *list = stow_doc_array(doc);

    doc->failed |= !name;
    if (name && plan->unplaceds) {
        fill_unsatisfied(doc, list, plan, name);
        stow_value_set(doc, to, "unsatisfiedPodNames", list);
    }
    free(name);
}

int stow_scaling_advice_value(struct stow_doc *doc, const struct stow_plan *plan,
                              struct stow_value **ret, struct stow_err *err)
{
    struct stow_value *v = stow_doc_object(doc), *spec = stow_doc_object(doc);
    struct stow_value *out = stow_doc_object(doc);
    const struct stow_origin *constraint = find_constraint(plan, err);

    if (!constraint)
        return STOW_EINVAL;
    set_unsatisfied(doc, out, plan);
    stow_value_set(doc, out, "items", items_value(doc, plan));
    stow_value_set(doc, spec, "constraintRef", reference_value(doc, plan, constraint));
    stow_value_set(doc, spec, "scaleOutPlan", out);
    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "sa.gardener.cloud/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "ScalingAdvice"));
    stow_value_set(doc, v, "metadata", reference_value(doc, plan, constraint));
    stow_value_set(doc, v, "spec", spec);
    *ret = v;
    return STOW_OK;
}
