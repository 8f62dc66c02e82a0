/* class.c - the classes of a yard's pods, and what decides where each may go. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/affinity.h"
#include "place/counts/roll.h"
#include "place/counts/spread.h"
#include "place/filters/disks.h"
#include "place/filters/ports.h"
#include "place/place.h"
#include "place/rules.h"
#include "scale/yard/rules.h"

/* Everything that a filter can tell pods apart by. */
struct class_key {
    stow_spec_id spec;
    stow_sym namespace;
    stow_blob labels, annotations, owner;
    int32_t priority;
    uint32_t origin;
};

/* What one yard is made with. */
struct asking {
    struct stow_yard *yard;
    struct stow_intern overlay_key; /* addresses of counters */
    const void *spread_options;     /* of the profile's filter; NULL: it has none */
    bool affinity, ports, disks;    /* the profile has the filter */
    stow_node_id *list;             /* fresh nodes, then room for all */
    uint32_t fresh;
    uint8_t *fits;
};

static void asking_done(struct asking *a)
{
    stow_intern_done(&a->overlay_key);
    free(a->list);
    free(a->fits);
}

/* ---- sorting pods into classes ----------------------------------------------------------- */

/* Constraints of the profile are derived from who controls the pod; those of the system are soft.
 */
static bool owners_matter(const struct stow_profile *profile)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (profile->filter[i].rule == &stow_filter_topology_spread)
            return ((const struct stow_spread_options *)profile->filter[i].self)->listed;
    return false;
}

/* The scheduler's own filters read no annotations. */
static bool annotations_matter(const struct stow_profile *profile)
{
    for (uint32_t i = 0; i < profile->filters; i++)
        if (!profile->filter[i].rule->plugin)
            return true;
    return false;
}

static struct class_key key_of(const struct stow_pod *p, bool owners, bool annotations)
{
    return (struct class_key){
        .spec = p->spec,
        .namespace = p->namespace,
        .labels = p->labels,
        .annotations = annotations ? p->annotations : 0,
        .owner = owners ? p->owner : 0,
        .priority = p->priority,
        .origin = (p->flags & STOW_POD_GENERATED) | (p->created == STOW_TIME_ALWAYS),
    };
}

static int fill_need(struct stow_yard *yard, struct stow_yard_class *class)
{
    const struct stow_demand *demand = &yard->s->demand[yard->s->pod[class->pod].spec];
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(yard->s, demand->requests, struct stow_amount, &count);

    class->need = stow_arena_zalloc(&yard->arena, yard->dims * sizeof(*class->need));
    class->dim = stow_arena_alloc(&yard->arena, yard->dims * sizeof(*class->dim));
    if (!class->need || !class->dim)
        return STOW_ENOMEM;
    class->nonzero_cpu = demand->nonzero_cpu;
    class->nonzero_memory = demand->nonzero_memory;
    class->need[0] = 1;
    for (uint32_t d = 1; d < yard->resource_dims; d++)
        for (uint32_t i = 0; i < count; i++)
            if (list[i].resource == yard->resource[d] && list[i].value > 0)
                class->need[d] = list[i].value;
    for (uint32_t d = 0; d < yard->resource_dims; d++) /* volumes come later: volumes.c */
        if (class->need[d])
            class->dim[class->dims++] = d;
    return STOW_OK;
}

static int number_pods(struct stow_yard *yard, const stow_pod_id *pods, uint32_t count,
                       struct stow_intern *keys)
{
    const bool owners = owners_matter(yard->profile);
    const bool annotations = annotations_matter(yard->profile);
    uint32_t cap = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct class_key key = key_of(&yard->s->pod[pods[i]], owners, annotations);
        uint32_t number = stow_intern_blob(keys, &key, sizeof(key));

        if (number == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
        number--; /* 0 is the empty one */
        if (number == yard->classes) {
            struct stow_yard_class *made = STOW_PUSH(&yard->class, &yard->classes, &cap);

            if (!made)
                return STOW_ENOMEM;
            made->pod = pods[i];
            made->priority = yard->s->pod[pods[i]].priority;
            made->clash = STOW_NONE;
        }
        yard->class[number].pods++;
        yard->class_of[pods[i]] = number;
    }
    return STOW_OK;
}

int stow_yard_sort_pods(struct stow_yard *yard, const stow_pod_id *pods, uint32_t count)
{
    struct stow_intern keys = {0};

    yard->class_of = malloc((yard->s->pods + 1) * sizeof(*yard->class_of));
    if (!yard->class_of)
        return STOW_ENOMEM;
    memset(yard->class_of, 0xFF, (yard->s->pods + 1) * sizeof(*yard->class_of));

    int code = number_pods(yard, pods, count, &keys);

    stow_intern_done(&keys);
    for (uint32_t i = 0; i < yard->classes && code >= 0; i++)
        code = fill_need(yard, &yard->class[i]);
    return code;
}

/* ---- static filters ---------------------------------------------------------------------- */

/* Filters that the yard works out by itself.  Limits of volumes are asked for like static ones, for
 * what is there before any pod comes, and then by itself. */
static bool is_own(const struct stow_filter_rule *rule)
{
    return rule == &stow_filter_node_resources_fit || rule == &stow_filter_node_ports ||
           rule->scope == STOW_SCOPE_CLUSTER;
}

/* fits[i] = whether all static filters pass on list[i]. */
static int ask_filters(struct stow_yard *yard, struct stow_yard_class *class,
                       const stow_node_id *list, uint32_t count, uint8_t *fits)
{
    struct stow_arena scratch = {0};
    const struct stow_subject pod = stow_subject_of(yard->s, class->pod);
    int code = STOW_OK;

    memset(fits, 1, count);
    for (uint32_t i = 0; i < yard->profile->filters && code >= 0; i++) {
        const struct stow_profile_filter *filter = &yard->profile->filter[i];
        const void *prep = NULL;

        if (is_own(filter->rule))
            continue;
        code = stow_prepare_filter(filter, yard->state, &pod, &scratch, &prep);
        if (code == STOW_PREPARED_NEVER)
            class->never = true;
        if (code == STOW_PREPARED)
            filter->rule->check(filter->self, prep, yard->state, &pod, list, count, fits);
    }
    if (class->never)
        memset(fits, 0, count);
    stow_arena_done(&scratch);
    return code < 0 ? code : STOW_OK;
}

int stow_yard_ask_real(struct stow_yard *yard, uint32_t class)
{
    struct stow_yard_class *c = &yard->class[class];
    STOW_AUTO(stow_free_local) stow_node_id *list = NULL;

    if (c->on_real)
        return STOW_OK;

    uint8_t *fits = stow_arena_zalloc(&yard->arena, yard->real + 1);

    list = malloc((yard->real + 1) * sizeof(*list));
    if (!fits || !list)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < yard->real; i++)
        list[i] = i;
    STOW_TRY(ask_filters(yard, c, list, yard->real, fits));
    c->on_real = fits;
    return STOW_OK;
}

static int ask_groups(struct asking *a, struct stow_yard_class *class)
{
    struct stow_yard *yard = a->yard;

    class->on_group = stow_arena_zalloc(&yard->arena, yard->s->groups + 1);
    if (!class->on_group)
        return STOW_ENOMEM;
    STOW_TRY(ask_filters(yard, class, a->list, a->fresh, a->fits));
    for (uint32_t i = 0; i < a->fresh; i++)
        class->on_group[yard->s->node[a->list[i]].group] = a->fits[i];
    return STOW_OK;
}

/* ---- rules over several pods ------------------------------------------------------------- */

/* What tells overlays apart: hashed as bytes, no padding. */
struct overlay_key {
    const struct stow_counter *counter;
    uint64_t cordon_hides;
};

static int overlay_of(struct asking *a, const struct stow_counter *counter, bool cordon_hides,
                      uint32_t *ret)
{
    struct stow_yard *yard = a->yard;
    const struct overlay_key key = {counter, cordon_hides};
    uint32_t number = stow_intern_blob(&a->overlay_key, (const void *)&key, sizeof(key));

    if (number == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    *ret = number - 1;
    if (*ret < yard->overlays)
        return STOW_OK;

    struct stow_overlay *made = STOW_PUSH(&yard->overlay, &yard->overlays, &yard->overlay_cap);

    if (!made)
        return STOW_ENOMEM;
    made->base = counter;
    made->cordon_hides = cordon_hides;
    made->own_domains = counter->topology->key == STOW_SYM_HOSTNAME;
    made->version = 1;
    return STOW_OK;
}

/* Upstream asks for any, also one that is only preferred. */
static bool names_hosts(const struct stow_snapshot *s, const struct stow_pod_spec *spec)
{
    uint32_t count;
    const struct stow_spread *list = STOW_LIST(s, spec->spread, struct stow_spread, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].topology_key == STOW_SYM_HOSTNAME)
            return true;
    return false;
}

static int plan_spread(struct asking *a, struct stow_yard_class *class,
                       const struct stow_subject *pod)
{
    struct stow_yard *yard = a->yard;
    const struct stow_spread_plan *plan = NULL;

    if (!a->spread_options)
        return STOW_OK;
    STOW_TRY(stow_spread_plan(a->spread_options, yard->state, pod, true, &plan));
    if (!plan)
        return STOW_OK;
    class->host_spread = names_hosts(yard->s, pod->spec);
    class->spread = stow_arena_zalloc(&yard->arena, plan->rules * sizeof(*class->spread));
    if (!class->spread)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < plan->rules; i++) {
        const struct stow_spread_rule *rule = &plan->rule[i];
        struct stow_yard_spread *made = &class->spread[class->spreads];

        made->max_skew = rule->max_skew;
        made->min_domains = rule->min_domains;
        made->self = rule->self;
        STOW_TRY(overlay_of(a, rule->counter, rule->cordon_hides, &made->overlay));
        STOW_TRY(stow_yard_reach(yard, &yard->overlay[made->overlay]));
        class->spreads++;
    }
    return STOW_OK;
}

/* The overlays of a class's own terms, and of those of others that keep it off. */
static int lay_terms(struct asking *a, struct stow_yard_class *class,
                     const struct stow_affinity_plan *plan)
{
    struct stow_yard *yard = a->yard;
    const uint32_t sheets = plan->sheets ? plan->sheets->count : 0;

    class->attract =
        stow_arena_alloc(&yard->arena, (plan->affinity.count + 1) * sizeof(*class->attract));
    class->shun =
        stow_arena_alloc(&yard->arena, (plan->anti.count + sheets + 1) * sizeof(*class->shun));
    if (!class->attract || !class->shun)
        return STOW_ENOMEM;
    class->self = plan->self;
    for (uint32_t i = 0; i < plan->affinity.count; i++)
        STOW_TRY(overlay_of(a, plan->affinity.term[i].counter, false,
                            &class->attract[class->attracts++]));
    for (uint32_t i = 0; i < plan->anti.count; i++)
        STOW_TRY(overlay_of(a, plan->anti.term[i].counter, false, &class->shun[class->shuns++]));
    class->own_shuns = class->shuns;
    for (uint32_t i = 0; i < sheets; i++)
        if (plan->sheets->sheet[i].repelled)
            STOW_TRY(overlay_of(a, plan->sheets->sheet[i].repelled, false,
                                &class->shun[class->shuns++]));
    return STOW_OK;
}

static int plan_affinity(struct asking *a, struct stow_yard_class *class,
                         const struct stow_subject *pod)
{
    const struct stow_affinity_plan *plan = NULL;

    if (!a->affinity)
        return STOW_OK;
    STOW_TRY(stow_affinity_plan(a->yard->state, pod, &plan));
    return plan ? lay_terms(a, class, plan) : STOW_OK;
}

/* The overlays among the followers of a kind or bearer. */
static void find_feeds(const struct asking *a, struct stow_yard_class *class,
                       const struct stow_followers *followers)
{
    for (uint32_t i = 0; i < 2 * followers->count; i++) {
        const struct overlay_key key = {followers->item[i / 2].counter, i % 2};
        uint32_t number =
            stow_intern_find(&a->overlay_key, (struct stow_str){(const char *)&key, sizeof(key)});

        if (number != STOW_INTERN_FAILED && number)
            class->feeds[class->feedings++] = number - 1;
    }
}

static int plan_feeds(struct asking *a, struct stow_yard_class *class)
{
    const struct stow_roll *r = a->yard->state->tally->roll;

    if (!r || !r->kind_of[class->pod])
        return STOW_OK;

    const struct stow_followers *of_kind = &r->kind[r->kind_of[class->pod]].followers;
    const uint32_t bearer = r->bearer_of[class->pod];
    const uint32_t of_bearer = bearer ? r->bearer[bearer].followers.count : 0;

    class->feeds = stow_arena_alloc(&a->yard->arena,
                                    (2 * (of_kind->count + of_bearer) + 1) * sizeof(*class->feeds));
    if (!class->feeds)
        return STOW_ENOMEM;
    find_feeds(a, class, of_kind);
    if (bearer)
        find_feeds(a, class, &r->bearer[bearer].followers);
    return STOW_OK;
}

/* ---- host ports and disks ---------------------------------------------------------------- */

/* Whether pods of the two specs cannot be on one node. */
static bool clash(const struct asking *a, const struct stow_pod_spec *one,
                  const struct stow_pod_spec *other)
{
    const struct stow_snapshot *s = a->yard->s;

    return (a->ports && stow_ports_conflict(s, one, other)) ||
           (a->disks && stow_disks_conflict(s, one, other));
}

static bool may_clash(const struct asking *a, const struct stow_pod_spec *spec)
{
    return (a->ports && stow_ports_any(a->yard->s, spec)) || (a->disks && spec->disks);
}

static const struct stow_pod_spec *spec_of(const struct stow_yard *yard,
                                           const struct stow_yard_class *class)
{
    return stow_spec(yard->s, yard->s->pod[class->pod].spec);
}

/* A column of clashes for the class, filled for the real nodes. */
static int add_clashes(struct asking *a, struct stow_yard_class *class)
{
    struct stow_yard *yard = a->yard;
    const struct stow_snapshot *s = yard->s;
    STOW_AUTO(stow_free_local) uint8_t *with = calloc(stow_spec_end(s) + 1, 1);
    uint32_t **column = STOW_PUSH(&yard->taken, &yard->clashes, &yard->clash_cap);

    if (column)
        *column = calloc(yard->node_cap + 1, sizeof(**column));
    if (!with || !column || !*column)
        return STOW_ENOMEM;
    for (stow_spec_id i = 1; i < stow_spec_end(s); i++)
        with[i] = clash(a, spec_of(yard, class), stow_spec(s, i));
    for (stow_node_id i = 0; i < yard->real; i++)
        for (stow_pod_id pod = yard->state->first_on[i]; pod != STOW_NONE && !(*column)[i];
             pod = yard->state->next_on[pod])
            (*column)[i] = with[s->pod[pod].spec];
    class->clash = yard->clashes - 1;
    return STOW_OK;
}

/* Whose columns a class of pods with ports or disks takes them in. */
static int find_takings(struct asking *a, struct stow_yard_class *class)
{
    struct stow_yard *yard = a->yard;

    class->takes = stow_arena_alloc(&yard->arena, (yard->clashes + 1) * sizeof(*class->takes));
    if (!class->takes)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < yard->classes; i++) {
        const struct stow_yard_class *other = &yard->class[i];

        if (other->clash != STOW_NONE && clash(a, spec_of(yard, class), spec_of(yard, other)))
            class->takes[class->takings++] = other->clash;
    }
    return STOW_OK;
}

static int plan_clashes(struct asking *a)
{
    struct stow_yard *yard = a->yard;

    for (uint32_t i = 0; i < yard->classes; i++)
        if (may_clash(a, spec_of(yard, &yard->class[i])))
            STOW_TRY(add_clashes(a, &yard->class[i]));
    for (uint32_t i = 0; i < yard->classes; i++)
        if (yard->class[i].clash != STOW_NONE)
            STOW_TRY(find_takings(a, &yard->class[i]));
    return STOW_OK;
}

/* ---- pods of DaemonSets on new nodes ----------------------------------------------------- */

static bool is_daemon(const struct stow_pod *pod)
{
    return pod->flags & STOW_POD_FRESH;
}

/* A daemon's pod keeps off every new node of the group whoever wants its ports or disks. */
static void bar_classes(const struct asking *a, const struct stow_pod *daemon, stow_group_id group)
{
    struct stow_yard *yard = a->yard;
    const struct stow_pod_spec *spec = stow_spec(yard->s, daemon->spec);

    if (!may_clash(a, spec))
        return;
    for (uint32_t i = 0; i < yard->classes; i++)
        if (yard->class[i].clash != STOW_NONE && clash(a, spec, spec_of(yard, &yard->class[i])))
            yard->class[i].on_group[group] = 0;
}

/* What rules over several nodes see of it comes with each node. */
static int add_daemon(struct asking *a, stow_pod_id pod)
{
    struct stow_yard *yard = a->yard;
    struct stow_yard_group *group = &yard->group[yard->s->node[yard->s->pod[pod].node].group];
    struct stow_yard_class *made = &group->daemon[group->daemons];

    *made = (struct stow_yard_class){.pod = pod};
    STOW_TRY(plan_feeds(a, made));
    group->daemons += made->feedings > 0;
    bar_classes(a, &yard->s->pod[pod], yard->s->node[yard->s->pod[pod].node].group);
    return STOW_OK;
}

/* Those of a group stand in a row. */
static int plan_daemons(struct asking *a)
{
    struct stow_yard *yard = a->yard;
    const struct stow_snapshot *s = yard->s;

    for (stow_pod_id pod = 0; pod < s->pods; pod++) {
        struct stow_yard_group *group =
            is_daemon(&s->pod[pod]) ? &yard->group[s->node[s->pod[pod].node].group] : NULL;
        stow_pod_id end = pod;

        if (!group)
            continue;
        while (!group->daemon && end < s->pods && s->pod[end].node == s->pod[pod].node)
            end++;
        if (!group->daemon)
            group->daemon = stow_arena_alloc(&yard->arena, (end - pod) * sizeof(*group->daemon));
        if (!group->daemon || add_daemon(a, pod) < 0)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int open_asking(struct asking *a)
{
    struct stow_yard *yard = a->yard;
    const struct stow_profile *profile = yard->profile;

    for (uint32_t i = 0; i < profile->filters; i++)
        if (profile->filter[i].rule == &stow_filter_topology_spread)
            a->spread_options = profile->filter[i].self;
    a->affinity = stow_profile_has(profile, &stow_filter_inter_pod_affinity);
    a->ports = stow_profile_has(profile, &stow_filter_node_ports);
    a->disks = stow_profile_has(profile, &stow_filter_volume_restrictions);
    a->list = malloc((2 * (size_t)yard->s->nodes + 1) * sizeof(*a->list));
    a->fits = malloc(yard->s->nodes + 1);
    if (!a->list || !a->fits)
        return STOW_ENOMEM;
    for (stow_node_id i = yard->real; i < yard->s->nodes; i++)
        a->list[a->fresh++] = i;
    return STOW_OK;
}

static bool could_ever(const struct stow_yard *yard, uint32_t class)
{
    for (stow_group_id g = 0; g < yard->s->groups; g++)
        if (stow_yard_fresh_room(yard, class, g))
            return true;
    return false;
}

static int ask_class(struct asking *a, struct stow_yard_class *class)
{
    const struct stow_subject pod = stow_subject_of(a->yard->s, class->pod);

    STOW_TRY(ask_groups(a, class));
    STOW_TRY(plan_spread(a, class, &pod));
    return plan_affinity(a, class, &pod);
}

/* Whether the class's own constraints already ask as much as a rule of another class. */
static bool asks_as_much(const struct stow_yard_class *class, const struct stow_yard_spread *rule)
{
    for (uint32_t i = 0; i < class->spreads; i++)
        if (class->spread[i].overlay == rule->overlay &&
            class->spread[i].max_skew <= rule->max_skew &&
            class->spread[i].min_domains >= rule->min_domains)
            return true;
    return false;
}

/* All constraints, those of one overlay in a row. */
struct by_overlay {
    struct stow_yard_mind *item;
    uint32_t *first; /* per overlay, one more than there are */
};

static void by_overlay_done(struct by_overlay *b)
{
    free(b->item);
    free(b->first);
}

static int sort_by_overlay(const struct stow_yard *yard, struct by_overlay *b)
{
    uint32_t at = 0;

    b->first = calloc((size_t)yard->overlays + 2, sizeof(*b->first));
    if (!b->first)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < yard->classes; k++)
        for (uint32_t r = 0; r < yard->class[k].spreads; r++)
            b->first[yard->class[k].spread[r].overlay + 1]++;
    for (uint32_t o = 0; o < yard->overlays; o++) {
        const uint32_t count = b->first[o + 1];

        b->first[o + 1] = at; /* moves to the end of the overlay while it is filled */
        at += count;
    }
    b->item = malloc((at + 1) * sizeof(*b->item));
    if (!b->item)
        return STOW_ENOMEM;
    for (uint32_t k = 0; k < yard->classes; k++)
        for (uint32_t r = 0; r < yard->class[k].spreads; r++)
            b->item[b->first[yard->class[k].spread[r].overlay + 1]++] =
                (struct stow_yard_mind){k, r};
    return STOW_OK;
}

/* The constraints of other classes that pods of a class count for and do not obey themselves. */
static int add_minds(struct stow_yard *yard, const struct by_overlay *b,
                     struct stow_yard_class *class)
{
    uint32_t cap = 0;

    for (uint32_t i = 0; i < class->feedings; i++)
        for (uint32_t n = b->first[class->feeds[i]]; n < b->first[class->feeds[i] + 1]; n++) {
            struct stow_yard_spread *rule = &yard->class[b->item[n].class].spread[b->item[n].rule];
            struct stow_yard_mind *made;

            if (asks_as_much(class, rule))
                continue;
            made = STOW_PUSH(&class->mind, &class->minds, &cap);
            if (!made)
                return STOW_ENOMEM;
            *made = b->item[n];
            rule->watched = true;
        }
    return STOW_OK;
}

static int plan_minds(struct stow_yard *yard)
{
    STOW_AUTO(by_overlay_done) struct by_overlay b = {0};

    STOW_TRY(sort_by_overlay(yard, &b));
    for (uint32_t i = 0; i < yard->classes; i++)
        STOW_TRY(add_minds(yard, &b, &yard->class[i]));
    return STOW_OK;
}

/* Whose pods count for whom can be said once all classes have their counters. */
static int ask_all(struct asking *a)
{
    struct stow_yard *yard = a->yard;

    STOW_TRY(open_asking(a));
    for (uint32_t i = 0; i < yard->classes; i++)
        STOW_TRY(ask_class(a, &yard->class[i]));
    STOW_TRY(plan_clashes(a));
    STOW_TRY(plan_daemons(a));
    for (uint32_t i = 0; i < yard->classes; i++) {
        struct stow_yard_class *class = &yard->class[i];

        STOW_TRY(plan_feeds(a, class));
        class->plain = !class->spreads && !class->attracts && !class->shuns &&
                       class->clash == STOW_NONE && !class->uses && !class->soles;
        class->alone_possible = could_ever(yard, i);
    }
    return plan_minds(yard);
}

int stow_yard_ask_rules(struct stow_yard *yard)
{
    STOW_AUTO(asking_done) struct asking a = {.yard = yard};

    return ask_all(&a);
}
