/* spread.c - topology spread constraints as plans.
 *
 * A plan is what a class of pods keeps from decision to decision: for each
 * constraint the topology, the counter that counts the matching pods, the domains
 * that exist.  Constraints come from the pod; a pod that lists none gets the
 * profile's, with a selector made from the Services that select it and the
 * workload that controls it.
 *
 * What counts (kube-scheduler 1.36): pods of the same namespace that match and are
 * not being deleted, on nodes that carry the keys of all constraints and pass
 * the constraint's inclusion policies.  An empty selector counts nothing although
 * the pod matches it; an absent one matches nothing, whatever matchLabelKeys say. */
#include "place/counts/spread.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/values/match.h"
#include "place/filters/tolerate.h"
#include "place/state.h"

/* A constraint on its way into a plan. */
struct wanted {
    struct stow_spread spread; /* selector and keys not set when `derived` */
    struct stow_clause clause;
    bool derived;
};

struct planning {
    struct stow_tally *t;
    const struct stow_state *state;
    const struct stow_subject *pod;
    bool hard, all_keys;
    struct stow_collect wanted; /* of struct wanted */
};

/* ---- the selector of a pod without constraints ------------------------------------------- */

/* Adds the pairs of every Service that selects the pod, each key once. */
static int add_services(const struct planning *p, struct stow_collect *pairs)
{
    const struct stow_snapshot *s = p->state->s;
    const struct stow_pod *pod = p->pod->pod;

    for (uint32_t i = 0; i < s->services; i++) {
        const struct stow_service *service = &s->service[i];
        uint32_t count;
        const struct stow_label *label = STOW_LIST(s, service->selector, struct stow_label, &count);

        if (service->namespace != pod->namespace ||
            !stow_labels_include(s, pod->labels, service->selector))
            continue;
        for (uint32_t j = 0; j < count; j++) {
            struct stow_label *made = STOW_COLLECT(pairs, struct stow_label);

            if (!made)
                return STOW_ENOMEM;
            *made = label[j];
        }
    }
    return STOW_OK;
}

/* The workload whose selector counts: the controller, when it is of the kinds upstream knows; a pod
 * made from a Deployment or Rollout will have a ReplicaSet with the same selector. */
static const struct stow_workload *controller(const struct planning *p)
{
    static const char *const names[STOW_WORKLOAD_KINDS] = {
        [STOW_DEPLOYMENT] = "Deployment",  [STOW_STATEFUL_SET] = "StatefulSet",
        [STOW_REPLICA_SET] = "ReplicaSet", [STOW_REPLICATION_CONTROLLER] = "ReplicationController",
        [STOW_ROLLOUT] = "Rollout",
    };
    const struct stow_snapshot *s = p->state->s;
    const struct stow_pod *pod = p->pod->pod;
    uint32_t count;
    const struct stow_owner *owner = STOW_LIST(s, pod->owner, struct stow_owner, &count);

    for (uint32_t i = 0; i < s->workloads && count; i++) {
        const struct stow_workload *w = &s->workload[i];

        if (w->symbol == owner->name && w->namespace == pod->namespace && names[w->kind] &&
            stow_str_is(stow_text(s, owner->kind), names[w->kind]))
            return (w->kind != STOW_DEPLOYMENT && w->kind != STOW_ROLLOUT) ||
                           (pod->flags & STOW_POD_GENERATED)
                       ? w
                       : NULL;
    }
    return NULL;
}

static bool names_key(const struct stow_snapshot *s, stow_blob selector, stow_sym key)
{
    uint32_t count;
    const struct stow_requirement *list = STOW_LIST(s, selector, struct stow_requirement, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].key == key)
            return true;
    return false;
}

/* Sorted, each pair once, without the keys of a ReplicationController: its pairs replace those of
 * Services, while other selectors are added to them. */
static void settle_pairs(const struct stow_snapshot *s, const struct stow_workload *w,
                         struct stow_collect *pairs)
{
    struct stow_label *pair = pairs->items;
    bool replaces = w && w->kind == STOW_REPLICATION_CONTROLLER;
    uint32_t kept = 0;

    stow_labels_sort(pair, pairs->count);
    for (uint32_t i = 0; i < pairs->count; i++)
        if ((kept == 0 || pair[kept - 1].key != pair[i].key) &&
            !(replaces && names_key(s, w->selector, pair[i].key)))
            pair[kept++] = pair[i];
    pairs->count = kept;
}

/* 1 and a clause; 0: nothing selects the pod. */
static int derive(const struct planning *p, struct stow_clause *ret)
{
    const struct stow_workload *w = controller(p);
    struct stow_collect pairs = {0};
    int code = add_services(p, &pairs);

    if (code >= 0) {
        settle_pairs(p->state->s, w, &pairs);
        ret->selector = w && w->selector != STOW_SELECTOR_NULL ? w->selector : 0;
        ret->like =
            stow_intern_blob(&p->t->labels, pairs.items, pairs.count * sizeof(struct stow_label));
        code = ret->like == STOW_INTERN_FAILED ? STOW_ENOMEM : ret->selector || ret->like;
    }
    free(pairs.items);
    return code;
}

/* ---- constraints ------------------------------------------------------------------------- */

static int want(struct planning *p, const struct stow_spread *spread, bool derived)
{
    if (((spread->flags & STOW_SPREAD_HARD) != 0) != p->hard)
        return STOW_OK;

    struct wanted *made = STOW_COLLECT(&p->wanted, struct wanted);

    if (!made)
        return STOW_ENOMEM;
    made->spread = *spread;
    made->derived = derived;
    return STOW_OK;
}

static int want_fallbacks(struct planning *p, const struct stow_spread_options *options)
{
    const struct stow_spread system[] = {
        {.topology_key = STOW_SYM_HOSTNAME, .max_skew = 3},
        {.topology_key = STOW_SYM_ZONE, .max_skew = 5},
    };

    if (!options->listed) {
        p->all_keys = false;
        STOW_TRY(want(p, &system[0], true));
        return want(p, &system[1], true);
    }
    for (uint32_t i = 0; i < options->fallbacks; i++) {
        const struct stow_spread_default *d = &options->fallback[i];
        stow_sym key = stow_intern_find(&p->state->s->text, stow_str_of(d->key));
        /* A key that no object names is on no node, like the empty one. */
        const struct stow_spread spread = {
            .topology_key = key == STOW_INTERN_FAILED ? 0 : key,
            .max_skew = d->max_skew,
            .min_domains = d->min_domains,
            .flags = d->flags,
        };

        STOW_TRY(want(p, &spread, true));
    }
    return STOW_OK;
}

/* All constraints of the wanted kind, from the pod or the profile. */
static int want_all(struct planning *p, const struct stow_spread_options *options)
{
    uint32_t count;
    const struct stow_spread *list =
        STOW_LIST(p->state->s, p->pod->spec->spread, struct stow_spread, &count);

    p->all_keys = true;
    if (!count)
        return want_fallbacks(p, options);
    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(want(p, &list[i], false));
    return STOW_OK;
}

/* Whose pods a constraint counts. */
static int fill_clause(const struct planning *p, struct wanted *w)
{
    w->clause = (struct stow_clause){
        .selector = w->spread.selector,
        .namespace = p->pod->pod->namespace,
        .namespace_selector = STOW_SELECTOR_NULL,
    };
    return stow_pairs_of_keys(p->t, w->spread.match_keys, p->pod->pod->labels, &w->clause.like);
}

static int fill_clauses(struct planning *p)
{
    struct wanted *list = p->wanted.items;
    struct stow_clause derived = {.namespace = p->pod->pod->namespace,
                                  .namespace_selector = STOW_SELECTOR_NULL};

    if (p->wanted.count && list[0].derived) {
        int found = derive(p, &derived);

        STOW_TRY(found);
        p->wanted.count = found ? p->wanted.count : 0;
    }
    for (uint32_t i = 0; i < p->wanted.count; i++) {
        if (list[i].derived)
            list[i].clause = derived;
        else
            STOW_TRY(fill_clause(p, &list[i]));
    }
    return STOW_OK;
}

/* ---- plans ------------------------------------------------------------------------------- */

/* The keys of all constraints, when there is more than one: a single key is looked at anyway. */
static uint32_t collect_keys(const struct planning *p, stow_sym *keys)
{
    const struct wanted *list = p->wanted.items;
    bool differ = false;

    for (uint32_t i = 0; i < p->wanted.count; i++) {
        keys[i] = list[i].spread.topology_key;
        differ |= keys[i] != keys[0];
    }
    return differ && p->all_keys ? p->wanted.count : 0;
}

static const struct stow_node_set *counted_nodes(const struct planning *p, uint32_t flags,
                                                 const stow_sym *keys, uint32_t count)
{
    const struct stow_pod_spec *spec = p->pod->spec;
    bool affinity = !(flags & STOW_SPREAD_IGNORE_AFFINITY);
    const struct stow_node_need need = {
        .selector = affinity ? spec->node_selector : 0,
        .required = affinity ? spec->node_required : STOW_SELECTOR_NULL,
        .tolerations = flags & STOW_SPREAD_HONOR_TAINTS ? spec->tolerations : STOW_NONE,
    };

    return stow_domains_set(&p->t->domains, &need, keys, count);
}

/* Whether a node leaves the counts as soon as it is cordoned. */
static bool is_hidden_by_cordon(const struct planning *p, uint32_t flags)
{
    const struct stow_snapshot *s = p->state->s;
    const struct stow_taint taint = stow_cordon_taint(s);

    return (flags & STOW_SPREAD_HONOR_TAINTS) &&
           !stow_tolerated(s, p->pod->spec->tolerations, &taint, false);
}

static int fill_rule(const struct planning *p, const struct wanted *w, const stow_sym *keys,
                     uint32_t count, struct stow_spread_rule *ret)
{
    struct stow_domains *d = &p->t->domains;
    const struct stow_pod *pod = p->pod->pod;
    bool per_node = !p->hard && w->spread.topology_key == STOW_SYM_HOSTNAME;
    const struct stow_topology *topology = stow_domains_topology(d, w->spread.topology_key);
    const struct stow_topology *nodes = stow_domains_topology(d, STOW_TOPOLOGY_NODES);
    const struct stow_node_set *set = counted_nodes(p, w->spread.flags, keys, count);
    struct stow_clause clause = w->clause;

    if (!topology || !nodes || !set)
        return STOW_ENOMEM;
    if (clause.selector == 0 && clause.like == 0)
        clause.selector = STOW_SELECTOR_NULL; /* empty: counts nothing */
    *ret = (struct stow_spread_rule){
        .topology = topology,
        .counter = stow_tally_watch(p->t, p->state, &clause, 1, per_node ? nodes : topology,
                                    per_node ? NULL : set, true),
        .reach = p->hard ? stow_domains_reach(d, topology, set) : NULL,
        .max_skew = w->spread.max_skew,
        .min_domains = w->spread.min_domains ? w->spread.min_domains : 1,
        .per_node = per_node,
        .cordon_hides = is_hidden_by_cordon(p, w->spread.flags),
    };
    if (!ret->counter || (p->hard && !ret->reach))
        return STOW_ENOMEM;
    ret->self = stow_clause_takes(p->t, &w->clause, pod->namespace, pod->labels);
    return STOW_OK;
}

static int fill_plan(const struct planning *p, stow_sym *keys, struct stow_spread_plan **ret)
{
    const struct stow_node_need nothing = {0, STOW_SELECTOR_NULL, STOW_NONE};
    const struct wanted *list = p->wanted.items;
    const uint32_t rules = p->wanted.count, count = collect_keys(p, keys);
    struct stow_spread_plan *plan =
        stow_arena_zalloc(&p->t->arena, sizeof(*plan) + rules * sizeof(plan->rule[0]));

    if (!plan)
        return STOW_ENOMEM;
    plan->rules = rules;
    plan->all_keys = p->all_keys;
    plan->complete =
        stow_domains_set(&p->t->domains, &nothing, keys, p->all_keys && !p->hard ? rules : 0);
    if (!plan->complete)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < rules; i++)
        STOW_TRY(fill_rule(p, &list[i], keys, count, &plan->rule[i]));
    *ret = plan;
    return STOW_OK;
}

static int make_plan(struct planning *p, const struct stow_spread_options *options,
                     struct stow_spread_plan **ret)
{
    STOW_TRY(want_all(p, options));
    STOW_TRY(fill_clauses(p));

    stow_sym *keys = malloc((p->wanted.count + 1) * sizeof(*keys));

    if (!keys)
        return STOW_ENOMEM;

    int code = fill_plan(p, keys, ret);

    free(keys);
    return code;
}

/* Nothing to look up: no constraint, and nothing that could give the pod one. */
static bool surely_none(const struct stow_spread_options *options, const struct stow_subject *pod,
                        bool hard)
{
    if (pod->spec->spread)
        return false;
    if (options->listed ? options->fallbacks == 0 : hard)
        return true;
    return pod->s->services == 0 && (pod->s->workloads == 0 || pod->pod->owner == 0);
}

int stow_spread_plan(const struct stow_spread_options *options, const struct stow_state *state,
                     const struct stow_subject *pod, bool hard, const struct stow_spread_plan **ret)
{
    struct stow_tally *t = state->tally;
    bool own = pod->spec->spread != 0;

    *ret = NULL;
    if (surely_none(options, pod, hard))
        return STOW_OK;
    if (t->failed)
        return STOW_ENOMEM;

    const uint32_t key[] = {
        pod->pod->spec,
        pod->pod->namespace,
        pod->pod->labels,
        own ? 0 : pod->pod->owner,
        own || !options->listed ? 0 : stow_intern_text(&t->options, options->words),
        (uint32_t)hard | (own ? 0 : pod->pod->flags & STOW_POD_GENERATED),
    };
    void **slot = stow_plans_at(&t->spread, key, sizeof(key));

    if (!slot || key[4] == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (!*slot) {
        struct planning p = {.t = t, .state = state, .pod = pod, .hard = hard};
        struct stow_spread_plan *made = NULL;
        int code = make_plan(&p, options, &made);

        free(p.wanted.items);
        STOW_TRY(code);
        *slot = made;
    }

    const struct stow_spread_plan *plan = *slot;

    *ret = plan->rules ? plan : NULL;
    return STOW_OK;
}
