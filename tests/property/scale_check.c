/* scale_check.c - whether a plan can be carried out, whoever made it.
 *
 * The nodes of the plan are added to the cluster and the pods put on them; then every pod is
 * asked about where it is.  Rules that later pods cannot break must hold at the end: room,
 * ports, taints, node affinity, anti-affinity, and affinity when the pod itself counts.
 * Spreading must hold at the end where all domains were there from the start and nobody
 * else is counted. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/property/scale_reference.h"

struct check {
    struct sref *r;
    const struct stow_plan *plan;
    struct sref_world w;
    bool put[REF_PODS];
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
        ref_place(&k->w.c, pod, node);
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

/* Room, ports, taints, node affinity and whatever else looks at one node only. */
static bool suits_its_node(struct check *k, stow_pod_id pod)
{
    struct ref_profile one = k->r->profile;
    const stow_node_id node = k->w.c.on[pod];
    int why;

    one.filter[REF_SPREAD] = one.filter[REF_POD_AFFINITY] = false;
    ref_remove(&k->w.c, pod);
    why = ref_dropped_by(&k->w.c, &one, pod, node);
    ref_place(&k->w.c, pod, node);
    return why == -1 ||
           property_fails("pod %s does not suit node %s: %s", pod_name(k, pod),
                          k->w.node[node].name, why >= 0 ? ref_filter_name[why] : "outside");
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

/* ---- spreading --------------------------------------------------------------------------- */

static bool same_kind(const struct check *k, stow_pod_id a, stow_pod_id b)
{
    const struct stow_pod *x = &k->r->s->pod[a], *y = &k->r->s->pod[b];

    return x->labels == y->labels && x->spec == y->spec && x->namespace == y->namespace;
}

/* Only pods of its own kind are counted among those that were put. */
static bool counts_its_own(const struct check *k, stow_pod_id pod, const struct stow_spread *one)
{
    for (stow_pod_id i = 0; i < k->r->s->pods; i++)
        if (k->put[i] && !same_kind(k, i, pod) &&
            k->r->s->pod[i].namespace == k->r->s->pod[pod].namespace &&
            ref_selects(k->r->s, one->selector, k->r->s->pod[i].labels))
            return false;
    return true;
}

/* A node whose domains count for every constraint of the pod, whatever the policies are. */
static bool counts_for_all(const struct check *k, stow_pod_id pod, uint32_t node)
{
    struct ref_profile one = {.filter = {[REF_TAINTS] = true, [REF_NODE_AFFINITY] = true}};
    uint32_t count;
    const struct stow_spread *list = STOW_LIST(
        k->r->s, stow_spec(k->r->s, k->r->s->pod[pod].spec)->spread, struct stow_spread, &count);

    for (uint32_t i = 0; i < count; i++)
        if (ref_label(k->r->s, k->w.node[node].labels, list[i].topology_key) == STOW_NONE)
            return false;
    return ref_dropped_by(&k->w.c, &one, pod, node) == -1;
}

/* The plan brings no domain that was not there. */
static bool domains_were_there(const struct check *k, stow_pod_id pod,
                               const struct stow_spread *one)
{
    for (uint32_t i = k->r->bare.view.nodes; i < k->w.view.nodes; i++) {
        bool seen = false;

        for (uint32_t n = 0; n < k->r->bare.view.nodes; n++)
            seen |= ref_label(k->r->s, k->w.node[n].labels, one->topology_key) ==
                        ref_label(k->r->s, k->w.node[i].labels, one->topology_key) &&
                    counts_for_all(k, pod, n);
        if (!seen)
            return false;
    }
    return true;
}

/* Whether what is said of spreading holds to the end.  A decision that is carried out at once
 * has all its nodes before its pods. */
static bool spread_lasts(const struct check *k, stow_pod_id pod, bool at_once)
{
    uint32_t count;
    const struct stow_spread *list = STOW_LIST(
        k->r->s, stow_spec(k->r->s, k->r->s->pod[pod].spec)->spread, struct stow_spread, &count);
    const bool new_node = k->w.c.on[pod] >= k->r->bare.view.nodes;

    for (uint32_t i = 0; i < count; i++)
        if ((list[i].flags & STOW_SPREAD_HARD) &&
            (!counts_its_own(k, pod, &list[i]) ||
             !((at_once && new_node) || domains_were_there(k, pod, &list[i]))))
            return false;
    return count > 0;
}

static bool is_spread(struct check *k, stow_pod_id pod, bool at_once)
{
    struct ref_profile one = {.filter = {[REF_SPREAD] = true}};
    const stow_node_id node = k->w.c.on[pod];
    int why;

    if (!spread_lasts(k, pod, at_once))
        return true;
    ref_remove(&k->w.c, pod);
    why = ref_dropped_by(&k->w.c, &one, pod, node);
    ref_place(&k->w.c, pod, node);
    return why == -1 || property_fails("pod %s on node %s is not spread", pod_name(k, pod),
                                       k->w.node[node].name);
}

static bool pods_are_well(struct check *k, bool at_once)
{
    for (stow_pod_id i = 0; i < k->r->s->pods; i++)
        if (k->put[i] &&
            (!suits_its_node(k, i) || !has_its_company(k, i) || !is_spread(k, i, at_once)))
            return false;
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

/* Nobody is left whom one more node would take. */
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
        for (stow_pod_id i = 0; i < k->r->s->pods && good; i++)
            if (sref_waits(k->r, i) && !k->put[i] && sref_fits(k->r, w, i, w->view.nodes - 1))
                good = property_fails("pod %s is left, and would go to a node of %s",
                                      pod_name(k, i), k->r->input->group[g].name);
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
        good = everybody_is_somewhere(k) && pods_are_well(k, at_once) && sizes_hold(k) &&
               limits_hold(k) && money_is_right(k) && all_or_nothing_holds(k) &&
               (at_once || r->input->all_or_nothing || nobody_would_go(k));
    free(k);
    return good;
}
