/* scale_check.c - whether a plan can be carried out, whoever made it and however its nodes arrive.
 *
 * All nodes of the plan are added to the cluster.  Then its pods come, in the order that it names
 * or, if it names none, in any: every filter must accept each when it comes.  Once all are there,
 * every rule over several pods must hold for each of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/scale_reference.h"

struct check {
    struct sref *r;
    const struct stow_plan *plan;
    struct sref_world w;
    bool put[REF_PODS];
    uint32_t to[REF_PODS]; /* of those put: their node */
    uint32_t bought[SCALE_GROUPS];
};

static const char *pod_name(const struct check *k, stow_pod_id pod)
{
    return k->r->s->pod[pod].name;
}

static uint32_t group_named(const struct check *k, const char *name)
{
    for (uint32_t g = 0; g < k->r->input->groups; g++)
        if (strcmp(k->r->input->group[g].name, name) == 0)
            return g;
    return SCALE_NONE;
}

/* ---- building the cluster of the plan ---------------------------------------------------- */

static bool put_pods(struct check *k, struct stow_pod_range range, uint32_t node)
{
    for (uint32_t i = 0; i < range.count; i++) {
        const stow_pod_id pod = k->plan->pod[range.first + i];

        if (pod >= k->r->s->pods || !sref_waits(k->r, pod) || k->put[pod])
            return property_fails("pod %u is put though it does not wait", pod);
        k->put[pod] = true;
        k->to[pod] = node;
    }
    return true;
}

/* Upcoming nodes are called as they will be. */
static uint32_t node_named(const struct check *k, const struct stow_plan_existing *e)
{
    uint32_t at = k->r->given;

    for (uint32_t i = 0; i < k->r->given && !e->upcoming; i++)
        if (strcmp(k->w.node[i].name, e->name) == 0)
            return i;
    for (uint32_t g = 0; g < k->r->input->groups && e->upcoming; g++)
        for (uint32_t i = k->r->input->group[g].given; i < k->r->input->group[g].current; i++) {
            char name[24];

            snprintf(name, sizeof(name), "%s-%u", k->r->input->group[g].name, i);
            if (strcmp(name, e->name) == 0)
                return at;
            at++;
        }
    return SCALE_NONE;
}

static bool put_existing(struct check *k)
{
    for (uint32_t i = 0; i < k->plan->existings; i++) {
        const uint32_t node = node_named(k, &k->plan->existing[i]);

        if (node == SCALE_NONE)
            return property_fails("there is no node %s", k->plan->existing[i].name);
        if (!put_pods(k, k->plan->existing[i].pods, node))
            return false;
    }
    return true;
}

static bool put_new(struct check *k)
{
    for (uint32_t i = 0; i < k->plan->nodes; i++) {
        const struct stow_plan_node *node = &k->plan->node[i];
        const uint32_t g = group_named(k, k->plan->s->group[node->group].name);
        char name[24];

        if (g == SCALE_NONE)
            return property_fails("node %s is of no group that can grow", node->name);
        snprintf(name, sizeof(name), "%s-%u", k->r->input->group[g].name,
                 k->r->input->group[g].current + k->bought[g]++);
        if (strcmp(name, node->name) != 0)
            return property_fails("a new node is called %s, not %s", node->name, name);
        if (!sref_add_node(k->r, &k->w, g, name))
            return true; /* too large */
        if (!put_pods(k, node->pods, k->w.view.nodes - 1))
            return false;
    }
    return true;
}

/* ---- pods -------------------------------------------------------------------------------- */

static bool everybody_is_somewhere(const struct check *k)
{
    bool listed[REF_PODS] = {false};
    uint32_t put = 0;

    for (uint32_t i = 0; i < k->plan->unplaceds; i++) {
        const stow_pod_id pod = k->plan->unplaced[i].pod;

        if (listed[pod] || k->put[pod] || k->r->s->pod[pod].node_name != 0)
            return property_fails("pod %s is unplaced, and somewhere", pod_name(k, pod));
        if (k->plan->unplaced[i].reasons == 0)
            return property_fails("pod %s is unplaced without a reason", pod_name(k, pod));
        listed[pod] = true;
    }
    for (stow_pod_id i = 0; i < k->r->s->pods; i++) {
        if (sref_waits(k->r, i) && !k->put[i] && !listed[i])
            return property_fails("pod %s is lost", pod_name(k, i));
        put += k->put[i];
    }
    return put == k->plan->placed ||
           property_fails("%u pods are placed, not %u", put, k->plan->placed);
}

static bool arrives(struct check *k, stow_pod_id pod)
{
    int why;

    if (pod >= k->r->s->pods || !k->put[pod] || k->w.c.on[pod] != STOW_NONE)
        return property_fails("the order has pod %u, which does not come now", pod);
    why = ref_dropped_by(&k->w.c, &k->r->profile, pod, k->to[pod]);
    ref_place(&k->w.c, pod, k->to[pod]);
    return why == -1 ||
           property_fails("pod %s may not come to node %s: %s", pod_name(k, pod),
                          k->w.node[k->to[pod]].name, why >= 0 ? ref_filter_name[why] : "outside");
}

static bool all_arrive(struct check *k)
{
    for (uint32_t i = 0; i < k->plan->placed && k->plan->order; i++)
        if (!arrives(k, k->plan->order[i]))
            return false;
    for (stow_pod_id i = 0; i < k->r->s->pods && !k->plan->order; i++)
        if (k->put[i] && !arrives(k, i))
            return false;
    return true;
}

static bool has_its_company(const struct check *k, stow_pod_id pod)
{
    for (stow_pod_id i = 0; i < k->r->s->pods; i++)
        if (i != pod && k->w.c.on[i] != STOW_NONE &&
            (ref_repels(&k->w.c, pod, i) || ref_repels(&k->w.c, i, pod)))
            return property_fails("pods %s and %s repel each other", pod_name(k, pod),
                                  pod_name(k, i));
    return ref_is_drawn(&k->w.c, pod) ||
           property_fails("pod %s lacks the company it asks for", pod_name(k, pod));
}

static bool is_spread(struct sref_world *w, stow_pod_id pod)
{
    struct ref_profile one = {.filter = {[REF_SPREAD] = true}};
    const stow_node_id node = w->c.on[pod];
    int why;

    ref_remove(&w->c, pod);
    why = ref_dropped_by(&w->c, &one, pod, node);
    ref_place(&w->c, pod, node);
    return why == -1;
}

static bool pods_are_well(struct check *k)
{
    for (stow_pod_id i = 0; i < k->r->s->pods; i++) {
        if (k->put[i] && !has_its_company(k, i))
            return false;
        if (k->put[i] && !is_spread(&k->w, i))
            return property_fails("pod %s on node %s is not spread in the end", pod_name(k, i),
                                  k->w.node[k->to[i]].name);
    }
    return true;
}

/* ---- groups and money -------------------------------------------------------------------- */

static bool sizes_hold(const struct check *k)
{
    uint32_t growing = 0;

    for (uint32_t g = 0; g < k->r->input->groups; g++) {
        const struct scale_group *group = &k->r->input->group[g];
        const uint32_t to = group->current + k->bought[g];

        growing += k->bought[g] > 0;
        if (k->bought[g] && group->max != SCALE_NONE && to > group->max)
            return property_fails("group %s has %u nodes", group->name, to);
        if (k->bought[g] && group->at_once && to != group->max)
            return property_fails("group %s has neither none nor all of its nodes", group->name);
    }
    for (uint32_t i = 0; i < k->plan->groups; i++) {
        const struct stow_plan_group *said = &k->plan->group[i];
        const uint32_t g = group_named(k, k->plan->s->group[said->group].name);

        if (g == SCALE_NONE || said->from != k->r->input->group[g].current ||
            said->to != said->from + k->bought[g] || !k->bought[g])
            return property_fails("a group goes from %u to %u", said->from, said->to);
    }
    return growing == k->plan->groups || property_fails("%u groups grow", growing);
}

static bool limits_hold(const struct check *k)
{
    const struct scale_case *input = k->r->input;

    if (k->plan->nodes && input->max_nodes_total && k->w.view.nodes > input->max_nodes_total)
        return property_fails("%u nodes in all", k->w.view.nodes);
    for (uint32_t q = 0; q < input->quotas; q++) {
        int64_t left = input->extra[q], bought = 0;

        for (uint32_t i = k->r->bare.view.nodes; i < k->w.view.nodes; i++)
            bought += sref_counts_for(k->r, &k->w.node[i], input->quota[q]);
        if (bought > 0 && bought > left)
            return property_fails("quota %u: %lld of %lld", q, (long long)bought, (long long)left);
    }
    return true;
}

static bool money_is_right(const struct check *k)
{
    int64_t cost = 0;
    uint32_t unpriced = 0;

    for (uint32_t g = 0; g < k->r->input->groups; g++) {
        const struct scale_group *group = &k->r->input->group[g];

        if (group->priced)
            cost += (group->price + group->fee) * k->bought[g];
        else
            unpriced += k->bought[g];
    }
    if (!k->plan->nodes && k->plan->lacks_price)
        unpriced = 1; /* what the pods that are left need */
    if (cost != k->plan->cost.amount || unpriced != k->plan->cost.unknown)
        return property_fails("it costs %lld, not %lld, and %u nodes have no price",
                              (long long)cost, (long long)k->plan->cost.amount, unpriced);
    return k->plan->waste.amount >= 0 && k->plan->waste.amount <= k->plan->cost.amount
               ? true
               : property_fails("waste of %lld", (long long)k->plan->waste.amount);
}

static bool all_or_nothing_holds(const struct check *k)
{
    if (!k->r->input->all_or_nothing || k->plan->nodes == 0)
        return true;
    for (stow_pod_id i = 0; i < k->r->s->pods; i++)
        if (sref_waits(k->r, i) && !k->put[i])
            return property_fails("nodes are bought and pod %s is left", pod_name(k, i));
    return true;
}

/* ---- the end ----------------------------------------------------------------------------- */

/* With what the plan bought, one more node of the group is allowed. */
static bool may_still_grow(const struct check *k, uint32_t g)
{
    const struct scale_case *input = k->r->input;
    const struct scale_group *group = &input->group[g];

    if (group->at_once || !group->priced ||
        (group->max != SCALE_NONE && group->current + k->bought[g] >= group->max) ||
        (input->max_nodes_total && k->w.view.nodes >= input->max_nodes_total))
        return false;
    for (uint32_t q = 0; q < input->quotas; q++) {
        int64_t left = input->extra[q];
        const int64_t each = sref_counts_for(k->r, &k->r->model[g], input->quota[q]);

        for (uint32_t i = k->r->bare.view.nodes; i < k->w.view.nodes; i++)
            left -= sref_counts_for(k->r, &k->w.node[i], input->quota[q]);
        if (each > 0 && left < each)
            return false;
    }
    return true;
}

bool scale_pod_is_lost(const struct stow_unplaced *left)
{
    static const char start[] = "once all new nodes exist";

    return strncmp(left->reason[0].text, start, sizeof(start) - 1) == 0;
}

/* A pod could go to the last node of the world, and everybody else could still be where he is. */
static bool would_go(const struct check *k, struct sref_world *w, stow_pod_id pod)
{
    bool good = sref_fits(k->r, w, pod, w->view.nodes - 1);

    ref_place(&w->c, pod, w->view.nodes - 1);
    for (stow_pod_id i = 0; i < k->r->s->pods && good; i++)
        good = !k->put[i] || is_spread(w, i);
    ref_remove(&w->c, pod);
    return good;
}

static bool some_are_lost(const struct check *k)
{
    for (uint32_t i = 0; i < k->plan->unplaceds; i++)
        if (scale_pod_is_lost(&k->plan->unplaced[i]))
            return true;
    return false;
}

/* Whether a hard spread constraint takes it depends on where the others are in the end, which need
 * not be where the rule had them. */
static bool is_spread_hard(const struct check *k, stow_pod_id pod)
{
    const struct stow_snapshot *s = k->r->s;
    uint32_t count;
    const struct stow_spread *list =
        STOW_LIST(s, stow_spec(s, s->pod[pod].spec)->spread, struct stow_spread, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].flags & STOW_SPREAD_HARD)
            return true;
    return false;
}

/* Karpenter drops required terms before preferences: a pod whose last term never holds is left,
 * though another one would do without the preference. */
static bool is_stuck(const struct check *k, stow_pod_id pod)
{
    const struct stow_snapshot *s = k->r->s;
    const struct stow_pod_spec *spec = stow_spec(s, s->pod[pod].spec);
    uint32_t terms = 0, preferences;

    if (spec->node_required != STOW_SELECTOR_NULL)
        STOW_LIST(s, spec->node_required, struct stow_node_term, &terms);
    STOW_LIST(s, spec->node_preferred, struct stow_node_term, &preferences);
    return strcmp(k->plan->strategy, "karpenter") == 0 && terms > 1 && preferences;
}

/* Nobody is left whom one more node would take, unless the rule believed that it had placed some
 * who are left: others were in their way then. */
static bool nobody_would_go(struct check *k)
{
    struct sref_world *w = malloc(sizeof(*w));
    bool good = true;

    if (!w)
        abort();
    for (uint32_t g = 0; g < k->r->input->groups && good; g++) {
        if (!may_still_grow(k, g))
            continue;
        sref_copy(w, &k->w);
        if (!sref_add_node(k->r, w, g, "~fresh"))
            break;
        for (uint32_t i = 0; i < k->plan->unplaceds && good; i++) {
            const stow_pod_id pod = k->plan->unplaced[i].pod;

            if (sref_waits(k->r, pod) && !is_spread_hard(k, pod) && !is_stuck(k, pod) &&
                would_go(k, w, pod))
                good = property_fails("pod %s is left, and would go to a node of %s",
                                      pod_name(k, pod), k->r->input->group[g].name);
        }
    }
    free(w);
    return good;
}

bool scale_plan_holds(struct sref *r, const struct stow_plan *plan, bool at_once)
{
    struct check *k = calloc(1, sizeof(*k));
    bool good;

    if (!k)
        abort();
    k->r = r;
    k->plan = plan;
    sref_copy(&k->w, &r->bare);
    good = put_existing(k) && put_new(k);
    if (good && !r->too_large)
        good = everybody_is_somewhere(k) && all_arrive(k) && pods_are_well(k) && sizes_hold(k) &&
               limits_hold(k) && money_is_right(k) && all_or_nothing_holds(k) &&
               (at_once || r->input->all_or_nothing || some_are_lost(k) || nobody_would_go(k));
    free(k);
    return good;
}
