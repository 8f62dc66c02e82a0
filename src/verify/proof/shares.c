/* shares.c - classes of the proof that have a price per domain.
 *
 * A class whose pods a rule shares out over zones may have a price per zone: a node is in one zone,
 * so what a node can hold stays arithmetic.  The pods of a plan are then worth what they are where
 * they are, and that is at least what the cheapest way comes to that the rule allows.  Which ways
 * these are is worked out here, from the input:
 *
 *   maxSkew    every zone with a node that counts has at least L matching pods in the end, and a
 *              zone that gets a pod at most L + maxSkew, for some L;
 *   affinity   of pods that want their own company: all in one zone, or where such pods are;
 *   repelling  of pods that want none of it: one in a zone, and none where such pods are.
 *
 * That holds if no other pod that comes counts for the rule: other classes and the daemons of new
 * nodes are asked; and if every node that could take a pod of the class counts, or is refused for
 * want of the label.  A proof that needs more than that is refused. */
#include "verify/proof/shares.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/affinity.h"
#include "place/counts/roll.h"
#include "place/counts/spread.h"
#include "place/place.h"
#include "place/rules.h"
#include "place/state.h"

#define LEVELS_MAX 4096 /* smallest counts that are looked at one by one */

enum sort_of_rule { NO_RULE, SPREAD, REPEL, COMPANY };

/* A rule of a pod over the class's key. */
struct rule {
    enum sort_of_rule sort;
    const struct stow_topology *topology;
    const struct stow_counter *counter;
    int64_t max_skew;
    struct stow_clause clause;
};

struct sharing {
    struct stow_audit *a;
    struct stow_berths *b;
    struct stow_state state; /* of the bare cluster */
    bool made;
    struct stow_proof_share **share;
    /* of the class at hand */
    uint32_t class;
    stow_sym key;
    struct rule rule;
};

static void sharing_done(struct sharing *s)
{
    if (s->made)
        stow_state_done(&s->state);
}

#define WRONG(s, ...)                                                                      \
    (stow_audit_wrong((s)->a, STOW_VERIFY_BOUND, (s)->a->told.class[(s)->class].key.token, \
                      __VA_ARGS__),                                                        \
     0)

static stow_pod_id pod_at(const struct sharing *s, uint32_t i)
{
    return s->a->pod[s->a->told.class[s->class].pods.first + i];
}

static uint32_t pods_of(const struct sharing *s)
{
    return s->a->told.class[s->class].pods.count;
}

/* ---- rules of a pod ---------------------------------------------------------------------- */

static const struct stow_profile_filter *find_filter(const struct stow_profile *profile,
                                                     const struct stow_filter_rule *rule)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (profile->filter[i].rule == rule)
            return &profile->filter[i];
    return NULL;
}

/* The first hard constraint over the key that the pod states itself and counts for. */
static int find_spread(struct sharing *s, stow_pod_id id, struct rule *ret)
{
    const struct stow_snapshot *snap = s->state.s;
    const struct stow_profile_filter *filter =
        find_filter(s->a->profile, &stow_filter_topology_spread);
    const struct stow_subject subject = stow_subject_of(snap, id);
    const struct stow_spread_plan *plan = NULL;
    uint32_t count, hard = 0;
    const struct stow_spread *list =
        STOW_LIST(snap, subject.spec->spread, struct stow_spread, &count);

    if (!filter || !count)
        return STOW_OK;
    STOW_TRY(stow_spread_plan(filter->self, &s->state, &subject, true, &plan));
    for (uint32_t i = 0; i < count && plan && ret->sort == NO_RULE; i++) {
        if (!(list[i].flags & STOW_SPREAD_HARD))
            continue;

        const struct stow_spread_rule *rule = &plan->rule[hard++];

        if (list[i].topology_key != s->key || !rule->self)
            continue;
        *ret = (struct rule){SPREAD, rule->topology, rule->counter, rule->max_skew, {0}};
        memset(&ret->clause, 0, sizeof(ret->clause));
        ret->clause.selector = list[i].selector;
        ret->clause.namespace = subject.pod->namespace;
        ret->clause.namespace_selector = STOW_SELECTOR_NULL;
        STOW_TRY(stow_pairs_of_keys(s->state.tally, list[i].match_keys, subject.pod->labels,
                                    &ret->clause.like));
    }
    return STOW_OK;
}

/* The first term over the key that takes the pod itself. */
static int find_term(struct sharing *s, stow_pod_id id, stow_blob terms,
                     const struct stow_affinity_terms *plan, struct rule *ret)
{
    const struct stow_pod *pod = &s->state.s->pod[id];
    uint32_t count;
    const struct stow_pod_term *term = STOW_LIST(s->state.s, terms, struct stow_pod_term, &count);

    for (uint32_t i = 0; i < count && i < plan->count; i++) {
        struct stow_clause clause;

        if (term[i].topology_key != s->key)
            continue;
        memset(&clause, 0, sizeof(clause));
        STOW_TRY(stow_clause_of_term(s->state.tally, &term[i], pod->namespace,
                                     stow_unmerged_labels(pod), &clause));
        if (!stow_clause_takes(s->state.tally, &clause, pod->namespace, pod->labels))
            continue;
        *ret = (struct rule){ret->sort, plan->term[i].topology, plan->term[i].counter, 0, clause};
        return 1;
    }
    return 0;
}

static int find_affinity(struct sharing *s, stow_pod_id id, struct rule *ret)
{
    const struct stow_subject subject = stow_subject_of(s->state.s, id);
    const struct stow_affinity_plan *plan = NULL;
    int found = 0;

    if (!find_filter(s->a->profile, &stow_filter_inter_pod_affinity))
        return STOW_OK;
    STOW_TRY(stow_affinity_plan(&s->state, &subject, &plan));
    if (plan) {
        ret->sort = REPEL;
        found = find_term(s, id, subject.spec->anti_required, &plan->anti, ret);
    }
    if (plan && found == 0 && plan->self && plan->affinity.count == 1) {
        ret->sort = COMPANY;
        found = find_term(s, id, subject.spec->affinity_required, &plan->affinity, ret);
    }
    ret->sort = found == 1 ? ret->sort : NO_RULE;
    return found < 0 ? found : STOW_OK;
}

static int find_rule(struct sharing *s, stow_pod_id id, struct rule *ret)
{
    memset(ret, 0, sizeof(*ret));
    STOW_TRY(find_spread(s, id, ret));
    return ret->sort == NO_RULE ? find_affinity(s, id, ret) : STOW_OK;
}

/* 1: every pod of the class has the same rule. */
static int find_class_rule(struct sharing *s)
{
    for (uint32_t i = 0; i < pods_of(s); i++) {
        struct rule rule;

        STOW_TRY(find_rule(s, pod_at(s, i), &rule));
        if (i == 0)
            s->rule = rule;
        if (rule.sort == NO_RULE || rule.sort != s->rule.sort || rule.counter != s->rule.counter ||
            rule.max_skew != s->rule.max_skew ||
            s->a->s->pod[pod_at(s, i)].priority != s->a->s->pod[pod_at(s, 0)].priority)
            return WRONG(s,
                         "pods of this class have no common rule that spreads them over this key");
    }
    return pods_of(s) > 0;
}

/* ---- who else counts --------------------------------------------------------------------- */

static bool counts(const struct sharing *s, stow_pod_id id)
{
    const struct stow_pod *pod = &s->state.s->pod[id];

    return stow_clause_takes(s->state.tally, &s->rule.clause, pod->namespace, pod->labels);
}

/* 1: no other pod that comes. */
static int is_alone(struct sharing *s)
{
    const struct stow_audit *a = s->a;
    STOW_AUTO(stow_free_local) bool *own = calloc((size_t)a->s->pods + 1, sizeof(*own));

    if (!own)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < pods_of(s); i++)
        own[pod_at(s, i)] = true;
    for (uint32_t i = 0; i < a->pendings; i++)
        if (!own[a->pending[i]] && counts(s, a->pending[i]))
            return WRONG(s, "pod %s counts for the rule of this class, and is not in it",
                         stow_audit_pod_name(s->a, a->pending[i]));
    for (stow_node_id node = a->real; node < s->state.s->nodes; node++)
        for (stow_pod_id id = s->state.first_on[node]; id != STOW_NONE; id = s->state.next_on[id])
            if (counts(s, id))
                return WRONG(s, "pods that come with new nodes count for the rule of this class");
    return 1;
}

/* ---- domains ----------------------------------------------------------------------------- */

static bool is_counted(const struct sharing *s, stow_node_id node)
{
    return !s->rule.counter->counted || s->rule.counter->counted[node];
}

/* Whether a node that can be had could take a pod of the class. */
static bool takes(const struct sharing *s, stow_node_id node)
{
    const struct stow_audit *a = s->a;
    const stow_group_id g = node < a->real ? STOW_NONE : a->bare.s.node[node].group;
    const uint32_t berth = g == STOW_NONE ? s->b->of_node[node] : s->b->of_group[g];

    if (berth == STOW_NONE || (g != STOW_NONE && a->s->group[g].max_nodes != STOW_NONE &&
                               a->s->group[g].current_nodes >= a->s->group[g].max_nodes))
        return false;
    for (uint32_t i = 0; i < s->b->items; i++)
        if (s->b->item[i].class == s->class && s->b->berth[berth].most[i])
            return true;
    return false;
}

/* 1: wherever a pod can be, it counts.  `takers` per domain. */
static int find_takers(struct sharing *s, bool *takers)
{
    for (stow_node_id node = 0; node < s->state.s->nodes; node++) {
        const uint32_t domain = s->rule.topology->of[node];

        if (!takes(s, node))
            continue;
        if (domain ? !is_counted(s, node) : s->rule.sort == REPEL)
            return WRONG(s,
                         "pods of this class may be on nodes where its rule does not count them");
        takers[domain] = domain > 0;
    }
    return 1;
}

static bool is_there(const struct sharing *s, uint32_t domain)
{
    for (stow_node_id node = 0; node < s->a->real; node++)
        if (s->rule.topology->of[node] == domain && is_counted(s, node))
            return true;
    return false;
}

static bool any_held(const struct sharing *s)
{
    for (uint32_t d = 1; d < s->rule.topology->domains; d++)
        if (s->rule.counter->count[d])
            return true;
    return false;
}

static uint32_t cap_of(const struct sharing *s, uint32_t domain)
{
    const uint32_t held = s->rule.counter->count[domain];

    if (s->rule.sort == REPEL)
        return held ? 0 : 1;
    return s->rule.sort == COMPANY && any_held(s) && !held ? 0 : pods_of(s);
}

static stow_sym value_of(const struct sharing *s, uint32_t domain)
{
    stow_node_id node = 0;

    while (s->rule.topology->of[node] != domain)
        node++;
    return stow_label_value(s->state.s, s->state.s->node[node].labels, s->key);
}

static int describe(struct sharing *s, const bool *takers, struct stow_proof_share *ret)
{
    const uint32_t domains = s->rule.topology->domains;
    struct stow_arena *arena = &s->b->arena;

    *ret = (struct stow_proof_share){
        .pods = pods_of(s),
        .together = s->rule.sort == COMPANY && !any_held(s),
        .max_skew = s->rule.max_skew,
        .floor = INT64_MAX,
        .value = stow_arena_zalloc(arena, domains * sizeof(*ret->value)),
        .held = stow_arena_zalloc(arena, domains * sizeof(*ret->held)),
        .there = stow_arena_zalloc(arena, domains * sizeof(*ret->there)),
        .cap = stow_arena_zalloc(arena, domains * sizeof(*ret->cap)),
    };
    if (!ret->value || !ret->held || !ret->there || !ret->cap)
        return STOW_ENOMEM;
    for (uint32_t d = 1; d < domains; d++) {
        const int64_t held = s->rule.counter->count[d];
        const bool there = s->rule.sort == SPREAD && is_there(s, d);

        if (!takers[d] || !cap_of(s, d)) {
            ret->floor = there && held < ret->floor ? held : ret->floor;
            continue;
        }
        ret->value[ret->domains] = value_of(s, d);
        ret->held[ret->domains] = held;
        ret->there[ret->domains] = there;
        ret->cap[ret->domains++] = cap_of(s, d);
    }
    return STOW_OK;
}

static int share_class(struct sharing *s)
{
    struct stow_proof_share *made = stow_arena_zalloc(&s->b->arena, sizeof(*made));
    int code = made ? find_class_rule(s) : STOW_ENOMEM;

    if (code == 1)
        code = is_alone(s);
    if (code != 1)
        return code;

    STOW_AUTO(stow_free_local)
    bool *takers = calloc((size_t)s->rule.topology->domains + 1, sizeof(*takers));

    code = takers ? find_takers(s, takers) : STOW_ENOMEM;
    if (code != 1)
        return code;
    STOW_TRY(describe(s, takers, made));
    s->share[s->class] = made;
    return STOW_OK;
}

static int share_all(struct sharing *s)
{
    const struct stow_audit *a = s->a;

    /* terms may ask for the labels of namespaces, which the roll knows */
    STOW_TRY(stow_roll_take(s->state.tally, &s->state));
    for (s->class = 0; s->class < a->told.classes; s->class ++) {
        if (s->b->class_key[s->class] == STOW_NONE)
            continue;
        s->key = s->b->key[s->b->class_key[s->class]];
        STOW_TRY(share_class(s));
    }
    return s->state.tally->failed ? STOW_ENOMEM : STOW_OK;
}

int stow_shares_make(struct stow_audit *a, struct stow_berths *berths,
                     struct stow_proof_share ***ret, struct stow_err *err)
{
    STOW_AUTO(sharing_done) struct sharing s = {.a = a, .b = berths};

    s.share = stow_arena_zalloc(&berths->arena, ((size_t)a->told.classes + 1) * sizeof(void *));
    *ret = s.share;
    if (!s.share)
        return stow_fail_memory(err);
    if (!berths->keys)
        return STOW_OK;
    STOW_TRY(stow_state_init(&s.state, &a->bare.s, NULL, err));
    s.made = true;
    return share_all(&s) < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* ---- the least ------------------------------------------------------------------------------ */

/* The fewest that a domain gets, and how many more it may, when counts are from what `low` asks for
 * to what `high` allows. */
static int64_t fewest(const struct stow_proof_share *s, uint32_t d, int64_t low)
{
    return s->there[d] && low > s->held[d] ? low - s->held[d] : 0;
}

static int64_t more(const struct stow_proof_share *s, uint32_t d, int64_t low, int64_t high)
{
    int64_t room = s->cap[d];

    if (s->max_skew && high + s->max_skew - s->held[d] < room)
        room = high + s->max_skew - s->held[d];
    return room > fewest(s, d, low) ? room - fewest(s, d, low) : 0;
}

/* The next price above the last one; < 0: there is none. */
static stow_nano next_price(const struct stow_proof_share *s, const stow_nano *price,
                            stow_nano last)
{
    stow_nano next = -1;

    for (uint32_t d = 0; d < s->domains; d++)
        if (price[d] > last && (next < 0 || price[d] < next))
            next = price[d];
    return next;
}

/* The least when counts are between the two; < 0: that cannot be. */
static stow_i128 least_between(const struct stow_proof_share *s, const stow_nano *price,
                               int64_t low, int64_t high)
{
    stow_i128 sum = 0;
    int64_t pods = s->pods;

    for (uint32_t d = 0; d < s->domains; d++) {
        if (fewest(s, d, low) > s->cap[d])
            return -1;
        sum += (stow_i128)price[d] * fewest(s, d, low);
        pods -= fewest(s, d, low);
    }
    for (stow_nano at = next_price(s, price, -1); at >= 0; at = next_price(s, price, at))
        for (uint32_t d = 0; d < s->domains; d++) {
            const int64_t room = price[d] == at ? more(s, d, low, high) : 0;
            const int64_t some = room < pods ? room : pods;

            sum += some > 0 ? (stow_i128)at * some : 0;
            pods -= some > 0 ? some : 0;
        }
    return pods == 0 ? sum : -1;
}

static stow_i128 least_even(const struct stow_proof_share *s, const stow_nano *price)
{
    int64_t low, high, held = 0, there = 0;
    stow_i128 best = -1;

    for (uint32_t d = 0; d < s->domains; d++) {
        held += s->there[d] ? s->held[d] : 0;
        there += s->there[d];
    }
    /* all of them: no more than L + maxSkew each; those that are there: no fewer than L each */
    low = s->domains ? (int64_t)s->pods / s->domains - s->max_skew : 0;
    low = low > 0 ? low : 0;
    high = there ? (s->pods + held) / there : s->floor;
    high = high < s->floor ? high : s->floor;
    if (high - low >= LEVELS_MAX)
        return least_between(s, price, low, high);
    for (int64_t level = low; level <= high; level++) {
        const stow_i128 sum = least_between(s, price, level, level);

        best = sum >= 0 && (best < 0 || sum < best) ? sum : best;
    }
    return best;
}

stow_i128 stow_share_least(const struct stow_proof_share *s, const stow_nano *price)
{
    stow_nano cheapest = -1;
    stow_i128 least = -1;
    bool there = s->floor < INT64_MAX;

    for (uint32_t d = 0; d < s->domains; d++) {
        cheapest = cheapest < 0 || price[d] < cheapest ? price[d] : cheapest;
        there |= s->there[d];
    }
    cheapest = cheapest < 0 ? 0 : cheapest;
    if (!s->together && s->max_skew && there)
        least = least_even(s, price);
    else if (!s->together)
        least = least_between(s, price, 0, INT64_MAX / 4);

    const stow_i128 anywhere = (stow_i128)cheapest * s->pods;

    return least > anywhere ? least : anywhere;
}
