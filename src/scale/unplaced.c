/* unplaced.c - why a pod is left: the first filter that refuses it on a new node of each group, or
 * what keeps the group from growing. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/karpenter/pool.h"
#include "model/pods/requests.h"
#include "model/prices/commitments.h"
#include "model/values/match.h"
#include "model/volumes/devices.h"
#include "place/counts/attached.h"
#include "place/place.h"
#include "place/rules.h"
#include "scale/session.h"
#include "scale/yard/rules.h"

#define AWAITS "waits for the next round: this decision chose another group"

/* The reasons of one class of pods. */
struct reasons {
    struct stow_plan_reason *item;
    uint32_t count, cap;
};

/* What a filter has prepared for the class at hand. */
struct prepared {
    int code; /* of stow_prepare_filter */
    const void *prep;
};

struct asking {
    struct stow_session *session;
    bool one_round;
    struct reasons *of; /* per class */
    bool *asked, *fits;
    struct prepared *prepared; /* per filter of the profile */
    struct stow_arena scratch; /* of the class at hand */
};

static void asking_done(struct asking *a)
{
    for (uint32_t i = 0; a->of && i < a->session->yard->classes; i++)
        free(a->of[i].item);
    free(a->of);
    free(a->asked);
    free(a->fits);
    free(a->prepared);
    stow_arena_done(&a->scratch);
}

/* One more group says so.  The list doubles when the number of groups is a power of two. */
static int add_where(struct asking *a, struct stow_plan_reason *to,
                     const struct stow_plan_where *where)
{
    struct stow_plan_where *list = (struct stow_plan_where *)to->where;

    if ((to->groups & (to->groups - 1)) == 0) {
        list = stow_arena_alloc(a->session->arena, 2 * ((size_t)to->groups + 1) * sizeof(*list));
        if (!list)
            return STOW_ENOMEM;
        if (to->groups)
            memcpy(list, to->where, to->groups * sizeof(*list));
        to->where = list;
    }
    list[to->groups++] = *where;
    return STOW_OK;
}

static int add_refusal(struct asking *a, struct reasons *to, const char *filter, const char *text,
                       const struct stow_plan_where *where)
{
    for (uint32_t i = 0; i < to->count; i++)
        if (strcmp(to->item[i].text, text) == 0)
            return add_where(a, &to->item[i], where);

    struct stow_plan_reason *made = STOW_PUSH(&to->item, &to->count, &to->cap);
    const char *kept = stow_arena_text(a->session->arena, stow_str_of(text));

    if (!made || !kept)
        return STOW_ENOMEM;
    *made = (struct stow_plan_reason){.text = kept, .filter = filter};
    return add_where(a, made, where);
}

static int add_reason(struct asking *a, struct reasons *to, stow_group_id group, const char *text)
{
    return add_refusal(a, to, NULL, text,
                       &(struct stow_plan_where){.group = group, .resource = STOW_NONE});
}

/* ---- what filters say -------------------------------------------------------------------- */

/* Rules over several pods are the yard's own: the state has a node of every group in it. */
static bool is_yards(const struct stow_filter_rule *rule)
{
    return rule->scope == STOW_SCOPE_CLUSTER;
}

/* Every kubelet reports ephemeral-storage: where a template does not, how much there is is unknown.
 */
static bool is_unstated(const struct stow_yard *yard, stow_node_id fresh, stow_resource_id resource)
{
    uint32_t count;
    const struct stow_exact *list =
        STOW_LIST(yard->s, yard->s->node[fresh].allocatable, struct stow_exact, &count);
    stow_i128 found;

    return resource == STOW_RESOURCE_EPHEMERAL &&
           !stow_exact_find(list, count, yard->s->resource[resource], &found);
}

static int add_filter_reason(struct asking *a, const struct stow_filter_rule *rule,
                             stow_node_id fresh, const struct stow_reason *why, struct reasons *to)
{
    const struct stow_yard *yard = a->session->yard;
    const bool amounts = why->resource != STOW_NONE;
    struct stow_plan_where where = {
        .group = yard->s->node[fresh].group,
        .resource = why->resource,
        .wanted = why->wanted,
        .free = why->free < 0 ? 0 : why->free,
        .used = why->used,
        .capacity = why->capacity,
    };
    const char *text = why->text;

    if (amounts && is_unstated(yard, fresh, why->resource)) {
        text = "the group does not state ephemeral-storage: give it in template.status.capacity";
        where.resource = STOW_NONE;
    }
    if (why->detail)
        where.detail = stow_arena_text(a->session->arena, stow_str_of(why->detail));
    if (why->detail && !where.detail)
        return STOW_ENOMEM;
    return add_refusal(a, to, rule->name, text, &where);
}

static int prepare_filters(struct asking *a, uint32_t class)
{
    const struct stow_yard *yard = a->session->yard;
    const struct stow_subject pod = stow_subject_of(yard->s, yard->class[class].pod);

    stow_arena_reset(&a->scratch);
    for (uint32_t i = 0; i < yard->profile->filters; i++) {
        const struct stow_profile_filter *filter = &yard->profile->filter[i];
        struct prepared *to = &a->prepared[i];

        to->code = STOW_PREPARED_SKIP;
        if (!is_yards(filter->rule))
            to->code = stow_prepare_filter(filter, yard->state, &pod, &a->scratch, &to->prep);
        if (to->code < 0)
            return to->code;
    }
    return STOW_OK;
}

/* The reasons of the first filter that refuses the pod on an empty node of the group; 1: one did.
 */
static int ask_filters(struct asking *a, uint32_t class, stow_node_id fresh, struct reasons *to)
{
    const struct stow_yard *yard = a->session->yard;
    const struct stow_subject pod = stow_subject_of(yard->s, yard->class[class].pod);

    for (uint32_t i = 0; i < yard->profile->filters; i++) {
        const struct stow_profile_filter *filter = &yard->profile->filter[i];
        const struct prepared *by = &a->prepared[i];
        struct stow_reasons why = {.arena = &a->scratch};
        uint8_t fits = 1;

        if (by->code == STOW_PREPARED_SKIP)
            continue;
        if (by->code == STOW_PREPARED)
            filter->rule->check(filter->self, by->prep, yard->state, &pod, &fresh, 1, &fits);
        if (by->code == STOW_PREPARED && fits)
            continue;
        filter->rule->explain(filter->self, by->prep, yard->state, &pod, fresh, &why);
        if (a->scratch.failed)
            return STOW_ENOMEM;
        for (uint32_t r = 0; r < why.count; r++)
            STOW_TRY(add_filter_reason(a, filter->rule, fresh, &why.reason[r], to));
        return 1;
    }
    return 0;
}

/* The domain of a node in a topology, for people. */
static const char *domain_words(const struct stow_yard *yard, uint32_t node, stow_sym key)
{
    const struct stow_node *like = &yard->s->node[stow_yard_template(yard, node)];
    const stow_sym value = stow_label_value(yard->s, like->labels, key);

    if (key == STOW_SYM_HOSTNAME && stow_yard_is_new(yard, node))
        return "a new node";
    return value == STOW_NONE ? "no domain" : stow_text(yard->s, value).ptr;
}

static const char *spread_words(const struct asking *a, uint32_t class, uint32_t node)
{
    struct stow_yard *yard = a->session->yard;
    struct stow_arena *arena = a->session->arena;
    struct stow_spread_refusal why;

    if (!stow_yard_spread_refuses(yard, class, node, &why))
        return NULL;

    const char *key = stow_text(yard->s, why.key).ptr, *here = domain_words(yard, node, why.key);

    if (why.no_label)
        return stow_arena_printf(arena, "no label %s", key);
    if (why.node == STOW_NONE)
        return stow_arena_printf(arena, "%s: %u matching in %s; %u of %d minDomains, maxSkew %d",
                                 key, why.count, here, why.domains, why.min_domains, why.max_skew);
    return stow_arena_printf(arena, "%s: %u matching in %s, %u in %s, maxSkew %d", key, why.count,
                             here, why.least, domain_words(yard, why.node, why.key), why.max_skew);
}

/* What is on a new node before all others is a daemon pod or a static one. */
static const char *affinity_words(const struct asking *a, uint32_t node,
                                  const struct stow_affinity_refusal *why)
{
    const struct stow_yard *yard = a->session->yard;
    const bool alone = why->key == STOW_SYM_HOSTNAME;

    return stow_arena_printf(a->session->arena, "%s: %s %s", stow_text(yard->s, why->key).ptr,
                             why->misses ? "no matching pod in"
                             : alone     ? "conflicts with a daemon or static pod of"
                                         : "conflicts with a pod in",
                             domain_words(yard, node, why->key));
}

/* What rules over several pods say of a new node beside those of the plan. */
static int ask_yard(struct asking *a, uint32_t class, stow_group_id group, struct reasons *to)
{
    struct stow_yard *yard = a->session->yard;
    struct stow_yard_class *c = &yard->class[class];
    const uint32_t mark = stow_yard_mark(yard), node = stow_yard_add_node(yard, group);
    struct stow_plan_where where = {.group = group, .resource = STOW_NONE};
    const struct stow_filter_rule *rule = NULL;
    struct stow_affinity_refusal why;
    const char *text = NULL;

    if (node == STOW_NONE)
        return STOW_ENOMEM;
    if (stow_yard_claim_taken(yard, c)) {
        rule = &stow_filter_volume_restrictions;
        text = STOW_REASON_SOLE_CLAIM;
    } else if (!stow_yard_volumes_allow(yard, c, node)) {
        rule = &stow_filter_node_volume_limits;
        text = STOW_REASON_VOLUME_LIMIT;
    } else if (!stow_yard_spread_allows(yard, c, node)) {
        rule = &stow_filter_topology_spread;
        text = "node(s) didn't match pod topology spread constraints";
        where.detail = spread_words(a, class, node);
    } else {
        rule = &stow_filter_inter_pod_affinity;
        if (stow_yard_affinity_refuses(yard, class, node, &why)) {
            text = why.text;
            where.detail = affinity_words(a, node, &why);
        }
    }
    stow_yard_rollback(yard, mark);
    if (a->session->arena->failed)
        return STOW_ENOMEM;
    return text ? add_refusal(a, to, rule->name, text, &where) < 0 ? STOW_ENOMEM : 1 : 0;
}

/* Of pods that a rule had a place for while its nodes were still to come: what keeps them off the
 * nodes of the plan. */
static const char *lost_by(const struct stow_session *session, uint32_t class)
{
    struct stow_yard *yard = session->yard;

    for (uint32_t node = 0; node < yard->nodes; node++)
        if (stow_yard_only_spread(yard, class, node))
            return "once all new nodes exist, topology spread constraints refuse it: plan again "
                   "then, or use --strategy optimal";
    return "once all new nodes exist, no node has room for it";
}

/* Budgets and shares are kept by `optimal` only.  A group that scales at once costs as a whole, and
 * that is said.  NULL: the budget allows it. */
static const char *over_budget(const struct stow_session *session, stow_group_id group)
{
    const struct stow_scale *scale = session->scale;
    const bool at_once = scale->s->group[group].scaling == STOW_SCALING_ZERO_OR_MAX;
    const uint32_t nodes = at_once ? stow_session_room(session, group) : 1;
    const stow_i128 cost = (stow_i128)scale->paid[group] * nodes;
    const stow_nano left = scale->options.budget - stow_session_spent(session);
    char is[STOW_MONEY_TEXT], has[STOW_MONEY_TEXT];

    if (!scale->options.has_budget || strcmp(session->plan->strategy, "optimal") != 0 ||
        cost <= left)
        return NULL;
    if (!at_once || cost > INT64_MAX)
        return "the budget is used up";
    return stow_arena_printf(
        session->arena,
        "its %u nodes are bought at once and cost %s per hour, and %s of the budget is left", nodes,
        stow_money_short((stow_nano)cost, is), stow_money_short(left, has));
}

static bool is_shared_spot(const struct stow_session *session, stow_group_id group)
{
    const struct stow_scale *scale = session->scale;

    return (scale->options.has_spot_share || scale->options.min_durable) &&
           strcmp(session->plan->strategy, "optimal") == 0 &&
           scale->money[scale->extension.fresh[group]].capacity_type == STOW_CAPACITY_SPOT;
}

static int ask_group(struct asking *a, uint32_t class, stow_group_id group, struct reasons *to)
{
    const struct stow_session *session = a->session;
    const char *why = session->refused[group];
    int said = ask_filters(a, class, session->scale->extension.fresh[group], to);

    if (said != 0)
        return said < 0 ? said : STOW_OK;
    if (why || !stow_session_may_add(session, group, &why)) {
        session->plan->lacks_price |= strcmp(why, STOW_NO_PRICE) == 0;
        return add_reason(a, to, group, why);
    }
    said = ask_yard(a, class, group, to);
    if (said != 0)
        return said < 0 ? said : STOW_OK;
    if (a->one_round && session->could[class])
        return add_reason(a, to, group, AWAITS);
    if (!session->scale->price[group].known) {
        session->plan->lacks_price = true;
        return add_reason(a, to, group, "the price of the group is not known");
    }
    if (session->scale->options.all_or_nothing)
        return add_reason(a, to, group, STOW_ALL_OR_NOTHING);
    why = over_budget(session, group);
    if (why)
        return add_reason(a, to, group, why);
    if (session->arena->failed)
        return STOW_ENOMEM;
    if (is_shared_spot(session, group))
        return add_reason(a, to, group, "no more pods of its workload may be on spot nodes");
    return add_reason(a, to, group, "the strategy bought no node for it");
}

/* ---- pods -------------------------------------------------------------------------------- */

static int compare_reasons(const void *a, const void *b)
{
    const struct stow_plan_reason *x = a, *y = b;

    return x->groups != y->groups ? (x->groups < y->groups) - (x->groups > y->groups)
                                  : strcmp(x->text, y->text);
}

/* A reason that is not about groups; `filter` may be NULL. */
static int add_only(struct asking *a, struct reasons *to, const char *filter, const char *text)
{
    STOW_TRY(add_refusal(a, to, filter, text,
                         &(struct stow_plan_where){.group = STOW_NONE, .resource = STOW_NONE}));
    to->item[0].groups = 0;
    to->item[0].where = NULL;
    return STOW_OK;
}

/* Why no group is asked; NULL: out of memory. */
static const char *no_groups(const struct stow_snapshot *s, struct stow_arena *arena)
{
    const struct stow_node_pool *pool = s->node_pool;

    for (stow_group_id i = 0; i < s->groups; i++)
        if (!s->group[i].implied)
            return "no NodeGroup that is given can grow: none has a template or an existing node";
    if (!s->node_pools)
        return "no NodeGroup is given";
    return s->node_pools == 1
               ? stow_arena_printf(arena, "NodePool '%s' has no offer: %s", pool->name,
                                   pool->unused ? pool->unused : "nothing is left for pods")
               : stow_arena_printf(arena, "none of the %u NodePools has an offer; '%s': %s",
                                   s->node_pools, pool->name,
                                   pool->unused ? pool->unused : "nothing is left for pods");
}

/* Upstream's rule sets of nru keep a placement only in a round that buys a node with pods on it,
 * and so leave pods that a node has room for.  STOW_NONE: none has. */
static uint32_t node_with_room(const struct stow_session *session, uint32_t class)
{
    struct stow_yard *yard = session->yard;

    if (!session->plan->strategy || strcmp(session->plan->strategy, "nru") != 0 ||
        session->plan->nru_rules == STOW_NRU_DOCUMENT)
        return STOW_NONE;
    for (uint32_t node = 0; node < yard->nodes; node++)
        if (stow_yard_fits(yard, class, node))
            return node;
    return STOW_NONE;
}

static const char *fits_words(const struct asking *a, uint32_t node)
{
    const struct stow_yard *yard = a->session->yard;
    const struct stow_node *like = &yard->s->node[stow_yard_template(yard, node)];
    struct stow_arena *arena = a->session->arena;

    if (stow_yard_is_new(yard, node))
        return stow_arena_printf(arena,
                                 "it fits on a new node of %s: kube-scheduler places it there",
                                 yard->s->group[stow_group_listed(yard->s, like->group)].name);
    return stow_arena_printf(arena, "it fits on node %s: kube-scheduler places it there",
                             like->name);
}

/* A group's committed part is no group to its user: the group has the same reasons. */
static bool speaks_for(const struct stow_session *session, stow_group_id part)
{
    const struct stow_group *group = &session->scale->s->group[part];

    return group->commitment && session->grows[group->listed];
}

static int ask_all(struct asking *a, uint32_t class, struct reasons *to)
{
    const struct stow_scale *scale = a->session->scale;
    const struct stow_yard *yard = a->session->yard;
    const uint32_t room = node_with_room(a->session, class);

    if (room != STOW_NONE) {
        const char *text = fits_words(a, room);

        a->fits[class] = true;
        return text ? add_only(a, to, NULL, text) : STOW_ENOMEM;
    }
    if (a->session->lost && a->session->lost[class])
        return add_only(a, to, NULL, lost_by(a->session, class));
    STOW_TRY(prepare_filters(a, class));
    for (stow_group_id g = 0; g < scale->s->groups; g++)
        if (a->session->grows[g] && !speaks_for(a->session, g))
            STOW_TRY(ask_group(a, class, g, to));
    if (to->count)
        return STOW_OK;
    if (stow_pod_waits_for_devices(yard->s, &yard->s->pod[yard->class[class].pod]))
        return add_only(a, to, stow_filter_dynamic_resources.name, STOW_DEVICES_NOT_SIMULATED);

    const char *why = no_groups(scale->s, a->session->arena);

    return why ? add_only(a, to, NULL, why) : STOW_ENOMEM;
}

static int ask_class(struct asking *a, uint32_t class)
{
    struct reasons *to = &a->of[class];

    if (a->asked[class])
        return STOW_OK;
    a->asked[class] = true;
    STOW_TRY(ask_all(a, class, to));
    qsort(to->item, to->count, sizeof(*to->item), compare_reasons);

    struct stow_plan_reason *kept =
        stow_arena_copy(a->session->arena, to->item, to->count * sizeof(*kept));

    if (!kept)
        return STOW_ENOMEM;
    free(to->item);
    to->item = NULL;
    a->session->class_reason[class] = kept;
    return STOW_OK;
}

static const struct stow_plan_reason gated[] = {{.text = "the pod has scheduling gates"}};

static int add_unplaced(struct asking *a, stow_pod_id pod)
{
    struct stow_session *session = a->session;
    struct stow_unplaced *made = &session->plan->unplaced[session->plan->unplaceds];
    const uint32_t class = session->yard->class_of[pod];

    *made = (struct stow_unplaced){.pod = pod, .reasons = 1, .reason = gated};
    if (class != STOW_NONE) {
        STOW_TRY(ask_class(a, class));
        made->awaits =
            a->one_round && (session->could[class] || (session->lost && session->lost[class]));
        made->choice_fits = a->one_round && session->choice[class];
        made->fits = a->fits[class];
        made->reasons = a->of[class].count;
        made->reason = session->class_reason[class];
    }
    session->plan->unplaceds++;
    return STOW_OK;
}

/* ---- nodes that would be bought for their daemons ------------------------------------------ */

/* Whether a pod of a DaemonSet on some new node counts for a rule of this selector. */
static bool counts_daemons(const struct stow_scale *scale, stow_sym namespace, stow_blob selector)
{
    const struct stow_snapshot *all = &scale->extension.s;

    for (stow_pod_id i = scale->s->pods; i < all->pods; i++)
        if ((namespace == STOW_NONE || all->pod[i].namespace == namespace) &&
            stow_selector_matches(all, selector, all->pod[i].labels))
            return true;
    return false;
}

/* No planner buys a node without pods that wait; one could still help pods that are left, if its
 * daemons count for their spread constraints or affinity. */
static bool daemons_help(const struct stow_scale *scale, const struct stow_pod *pod)
{
    const struct stow_snapshot *all = &scale->extension.s;
    const struct stow_pod_spec *spec = stow_spec(all, pod->spec);
    uint32_t spreads, terms;
    const struct stow_spread *spread = STOW_LIST(all, spec->spread, struct stow_spread, &spreads);
    const struct stow_pod_term *term =
        STOW_LIST(all, spec->affinity_required, struct stow_pod_term, &terms);

    for (uint32_t i = 0; i < spreads; i++)
        if ((spread[i].flags & STOW_SPREAD_HARD) &&
            counts_daemons(scale, pod->namespace, spread[i].selector))
            return true;
    for (uint32_t i = 0; i < terms; i++)
        if (counts_daemons(scale, STOW_NONE, term[i].selector))
            return true;
    return false;
}

/* Pods of one spec are asked once, as they mostly follow each other. */
static void ask_daemons(struct stow_session *session)
{
    const struct stow_scale *scale = session->scale;
    stow_spec_id last = STOW_NONE;

    for (uint32_t i = 0; i < session->plan->unplaceds && !session->plan->daemons_help; i++) {
        const struct stow_pod *pod = &scale->s->pod[session->plan->unplaced[i].pod];

        session->plan->daemons_help = pod->spec != last && daemons_help(scale, pod);
        last = pod->spec;
    }
}

static int list_unplaced(struct asking *a, const uint8_t *is_put)
{
    struct stow_session *session = a->session;
    const struct stow_snapshot *s = session->scale->s;
    const size_t classes = (size_t)session->yard->classes + 1;
    uint32_t count = 0;

    for (stow_pod_id i = 0; i < s->pods; i++)
        count += stow_pod_pending(&s->pod[i]) && !is_put[i];
    session->plan->unplaced =
        stow_arena_alloc(session->arena, (count + 1) * sizeof(*session->plan->unplaced));
    session->class_reason = stow_arena_zalloc(session->arena, classes * sizeof(void *));
    a->of = calloc(classes, sizeof(*a->of));
    a->asked = calloc(classes, sizeof(*a->asked));
    a->fits = calloc(classes, sizeof(*a->fits));
    a->prepared = calloc((size_t)session->yard->profile->filters + 1, sizeof(*a->prepared));
    if (!session->plan->unplaced || !session->class_reason || !a->of || !a->asked || !a->fits ||
        !a->prepared)
        return STOW_ENOMEM;
    for (stow_pod_id i = 0; i < s->pods; i++)
        if (stow_pod_pending(&s->pod[i]) && !is_put[i])
            STOW_TRY(add_unplaced(a, i));
    ask_daemons(session);
    return STOW_OK;
}

int stow_session_unplaced(struct stow_session *session, const uint8_t *is_put, bool one_round,
                          struct stow_err *err)
{
    STOW_AUTO(asking_done) struct asking a = {.session = session, .one_round = one_round};

    return list_unplaced(&a, is_put) < 0 ? stow_fail_memory(err) : STOW_OK;
}
