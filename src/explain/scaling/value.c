/* value.c - a plan as data: `kind: ScalePlan`. */
#include "explain/defaulted.h"
#include "explain/scaling/scaling_internal.h"
#include "explain/warnings.h"
#include "explain/words.h"
#include "model/values/amount.h"

struct stow_value *stow_plan_pod_value(struct stow_doc *doc, const struct stow_plan *plan,
                                       stow_pod_id id)
{
    const struct stow_pod *pod = &plan->s->pod[id];

    return stow_doc_textf(doc, "%s/%s", stow_text(plan->s, pod->namespace).ptr, pod->name);
}

static struct stow_value *pods_value(struct stow_doc *doc, const struct stow_plan *plan,
                                     struct stow_pod_range pods)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < pods.count; i++)
        stow_value_push(doc, list, stow_plan_pod_value(doc, plan, plan->pod[pods.first + i]));
    return list;
}

/* What daemon pods take of a new node of the group; NULL: nothing. */
static struct stow_value *daemons_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                        stow_group_id group)
{
    struct stow_value *v = NULL;

    for (stow_resource_id r = 0; r < s->resources; r++) {
        const int64_t amount = s->overhead[(size_t)r * s->groups + group];
        char text[STOW_AMOUNT_TEXT];

        if (!amount)
            continue;
        if (!v)
            v = stow_doc_object(doc);
        stow_value_set(doc, v, stow_text(s, s->resource[r]).ptr,
                       stow_doc_textf(doc, "%s", stow_amount_exact(s, r, amount, text)));
    }
    return v;
}

static struct stow_value *new_nodes_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->nodes; i++) {
        const struct stow_plan_node *node = &plan->node[i];
        struct stow_value *v = stow_doc_object(doc);
        struct stow_value *daemons = daemons_value(doc, plan->s, node->group);

        stow_value_set(doc, v, "name", stow_doc_text(doc, node->name));
        stow_value_set(doc, v, "group",
                       stow_doc_text(doc, stow_plan_group_name(plan, node->group)));
        if (plan->s->group[node->group].commitment)
            stow_value_set(doc, v, "committed", stow_doc_bool(doc, true));
        stow_value_set(doc, v, "pricePerHour", stow_doc_money(doc, node->price));
        stow_value_set(doc, v, "pods", pods_value(doc, plan, node->pods));
        if (daemons)
            stow_value_set(doc, v, "daemonPods", daemons);
        stow_value_push(doc, list, v);
    }
    return list;
}

static struct stow_value *existing_nodes_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->existings; i++) {
        const struct stow_plan_existing *node = &plan->existing[i];
        struct stow_value *v = stow_doc_object(doc);

        stow_value_set(doc, v, "name", stow_doc_text(doc, node->name));
        if (node->upcoming)
            stow_value_set(doc, v, "upcoming", stow_doc_bool(doc, true));
        stow_value_set(doc, v, "pods", pods_value(doc, plan, node->pods));
        stow_value_push(doc, list, v);
    }
    return list;
}

/* Pods in an order in which all of them are accepted, with every new node there. */
static struct stow_value *order_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->placed; i++)
        stow_value_push(doc, list, stow_plan_pod_value(doc, plan, plan->order[i]));
    return list;
}

static struct stow_value *fallbacks_value(struct stow_doc *doc, const struct stow_plan *plan,
                                          const struct stow_plan_fallback *f)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < f->count; i++)
        stow_value_push(doc, list, stow_doc_text(doc, stow_plan_group_name(plan, f->group[i])));
    return list;
}

static struct stow_value *group_value(struct stow_doc *doc, const struct stow_plan *plan,
                                      const struct stow_plan_group *group)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "group", stow_doc_text(doc, stow_plan_group_name(plan, group->group)));
    stow_value_set(doc, v, "from", stow_doc_int(doc, group->from));
    stow_value_set(doc, v, "to", stow_doc_int(doc, group->to));
    return v;
}

struct stow_value *stow_plan_groups_value(struct stow_doc *doc, const struct stow_plan *plan,
                                          const struct stow_plan_group *group, uint32_t count)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < count; i++)
        stow_value_push(doc, list, group_value(doc, plan, &group[i]));
    return list;
}

struct stow_plan_group stow_plan_whole(const struct stow_plan *plan, uint32_t at,
                                       uint32_t *ret_committed, bool *ret_first)
{
    const struct stow_snapshot *s = plan->s;
    const struct stow_group *of = &s->group[plan->group[at].group];
    const stow_group_id listed = of->commitment ? of->listed : plan->group[at].group;
    struct stow_plan_group whole = {.group = listed, .from = s->group[listed].current_nodes};
    uint32_t added = 0;

    *ret_committed = 0;
    *ret_first = true;
    for (uint32_t i = 0; i < plan->groups; i++) {
        const struct stow_plan_group *other = &plan->group[i];
        const struct stow_group *group = &s->group[other->group];

        if (other->group != listed && !(group->commitment && group->listed == listed))
            continue;
        *ret_first &= i >= at;
        if (other->group == listed)
            whole.from = other->from;
        added += other->to - other->from;
        *ret_committed += group->commitment ? other->to - other->from : 0;
    }
    whole.to = whole.from + added;
    return whole;
}

struct stow_value *stow_plan_sizes_value(struct stow_doc *doc, const struct stow_plan *plan,
                                         bool fallbacks)
{
    struct stow_value *list = stow_doc_array(doc);

    for (uint32_t i = 0; i < plan->groups; i++) {
        uint32_t committed;
        bool first;
        const struct stow_plan_group whole = stow_plan_whole(plan, i, &committed, &first);
        struct stow_value *v;

        if (!first)
            continue;
        v = group_value(doc, plan, &whole);
        if (committed)
            stow_value_set(doc, v, "committed", stow_doc_int(doc, committed));
        if (plan->fallback && fallbacks)
            stow_value_set(doc, v, "fallbacks", fallbacks_value(doc, plan, &plan->fallback[i]));
        stow_value_push(doc, list, v);
    }
    return list;
}

struct stow_value *stow_plan_cost_value(struct stow_doc *doc, const struct stow_plan *plan)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set_sum(doc, v, "perHour", &plan->cost);
    stow_value_set(doc, v, "currency", stow_doc_str(doc, plan->currency));
    stow_guesses_set(doc, v, &plan->guesses);
    stow_discounted_set(doc, v, &plan->guesses);
    return v;
}

struct stow_value *stow_scaling_value(struct stow_doc *doc, const struct stow_plan *plan,
                                      bool with_proof)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "stowage.dev/v1alpha1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "ScalePlan"));
    stow_value_set(doc, v, "strategy", stow_doc_text(doc, plan->strategy));
    if (plan->rules)
        stow_value_set(doc, v, "rules", stow_doc_text(doc, plan->rules));
    if (stow_plan_scorer(plan))
        stow_value_set(doc, v, "scorer", stow_doc_text(doc, stow_plan_scorer(plan)));
    stow_value_set(doc, v, "cost", stow_plan_cost_value(doc, plan));
    if (plan->is_weighed) {
        struct stow_value *weighed = stow_doc_object(doc);

        stow_value_set(doc, weighed, "perHour", stow_doc_money(doc, plan->weight));
        stow_value_set(doc, v, "weighed", weighed);
    }
    if (plan->has_bound)
        stow_value_set(doc, v, "bound", stow_plan_bound_value(doc, plan));
    if (stow_plan_ended(plan))
        stow_value_set(doc, v, "ended", stow_doc_text(doc, stow_plan_ended(plan)));
    stow_value_set(doc, v, "unpriced", stow_doc_int(doc, plan->nodes ? plan->cost.unknown : 0));
    stow_value_set(doc, v, "newNodes", new_nodes_value(doc, plan));
    stow_value_set(doc, v, "existingNodes", existing_nodes_value(doc, plan));
    if (plan->order)
        stow_value_set(doc, v, "order", order_value(doc, plan));
    stow_value_set(doc, v, "groups", stow_plan_sizes_value(doc, plan, true));
    stow_value_set(doc, v, "unplaced", stow_plan_unplaced_value(doc, plan));
    if (plan->has_bound && with_proof)
        stow_value_set(doc, v, "proof", stow_plan_proof_value(doc, plan));
    stow_defaulted_set(doc, v, plan->s, true);
    stow_warnings_set(doc, v, plan->s, plan->warning, plan->warnings);
    if (plan->rounds)
        stow_value_set(doc, v, "rounds", stow_plan_rounds_value(doc, plan));
    return v;
}
