/* fresh_node.c - what a new node of a group has beside what its document says.
 *
 * Problem: a NodeGroup that names an instance type says all there is to say, but pods ask for
 * labels that kubelet and the cloud's controller put on every node, and for room.  A new node
 * without them takes no pod of most published manifests.
 *
 * Idea: what the document states counts.  What it leaves out is, in this order, what the group's
 * own nodes have (of the same type, where it is about size), what the caller says of new nodes
 * (--provider, --region), what the catalogue knows of the instance type, and what kubelet would do:
 * linux, amd64, 110 pods, all of the capacity for pods. The processor is asked of the catalogue
 * first: it follows from the type.
 *
 * Labels come in pairs: kubelet sets kubernetes.io/os and arch and their beta forms, cloud
 * controllers set instance type, zone and region and theirs.  A beta form is left out in a cluster
 * whose nodes do not have it.  What CSI drivers call the zone is in zone_labels.h.
 *
 * Groups of a ScalingConstraint are upstream's to the letter, but for their size: where a template
 * states no capacity, it is that of its instance type. */
#include "model/nodes/fresh_node.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/vec.h"
#include "model/nodes/groups.h"
#include "model/nodes/passing.h"
#include "model/nodes/sizes.h"
#include "model/nodes/zones.h"
#include "model/pods/requests.h"

#define NANO         1000000000
#define MILLI_NANO   1000000
#define MIB          1048576
#define DEFAULT_PODS 110 /* kubelet's maxPods */

static const struct {
    stow_sym stable, beta;
} twins[STOW_FACT_POOL] = {
    [STOW_FACT_OS] = {STOW_SYM_OS, STOW_SYM_OS_BETA},
    [STOW_FACT_ARCH] = {STOW_SYM_ARCH, STOW_SYM_ARCH_BETA},
    [STOW_FACT_TYPE] = {STOW_SYM_INSTANCE_TYPE, STOW_SYM_INSTANCE_TYPE_BETA},
    [STOW_FACT_ZONE] = {STOW_SYM_ZONE, STOW_SYM_ZONE_BETA},
    [STOW_FACT_REGION] = {STOW_SYM_REGION, STOW_SYM_REGION_BETA},
};

struct completing {
    struct stow_snapshot *s;
    stow_group_id id;
    const struct stow_group *group;
    const struct stow_known_nodes *known;
    const struct stow_group_nodes *nodes; /* of the group */
    const struct stow_node *witness;      /* the model, if it is of the same type, or NULL */
    const struct stow_size *size;         /* of its type, or NULL */
    struct stow_node *node;
    struct stow_collect label, capacity, allocatable; /* of stow_label, stow_exact, stow_exact */
};

static void completing_done(struct completing *c)
{
    free(c->label.items);
    free(c->capacity.items);
    free(c->allocatable.items);
}

/* ---- what the group's nodes have in common ------------------------------------------------- */

static stow_sym twin_value(const struct stow_snapshot *s, stow_blob labels, enum stow_fact fact)
{
    stow_sym value = stow_label_value(s, labels, twins[fact].stable);

    return value == STOW_NONE ? stow_label_value(s, labels, twins[fact].beta) : value;
}

static struct stow_label fact_of(const struct stow_snapshot *s, const struct stow_node *node,
                                 enum stow_fact fact)
{
    if (fact == STOW_FACT_POOL)
        return stow_pool_label(s, node->labels);
    return (struct stow_label){twins[fact].stable, twin_value(s, node->labels, fact)};
}

/* Whether a node is starting or being removed. */
static bool is_passing(const struct stow_snapshot *s, const struct stow_node *node)
{
    uint32_t count;
    const struct stow_taint *taint = STOW_LIST(s, node->taints, struct stow_taint, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_taint_passes(stow_text(s, taint[i].key)))
            return true;
    return node->flags & STOW_NODE_UNSCHEDULABLE;
}

/* How well a node shows what new ones are like; 0: not at all. */
static uint32_t worth(const struct stow_snapshot *s, const struct stow_node *node)
{
    if (node->flags & (STOW_NODE_NOT_READY | STOW_NODE_TERMINATING)) {
        const bool leaves = node->flags & STOW_NODE_TERMINATING;

        return !node->allocatable ? 0 : leaves ? 1 : 2;
    }
    return is_passing(s, node) ? 3 : 4;
}

/* The first by name of those that show it best. */
static void choose_model(const struct stow_snapshot *s, stow_node_id id,
                         struct stow_group_nodes *to)
{
    const uint32_t had = to->model == STOW_NONE ? 0 : worth(s, &s->node[to->model]);

    if (worth(s, &s->node[id]) > had)
        to->model = id;
}

static void add_to_group(const struct stow_snapshot *s, stow_node_id id,
                         struct stow_group_nodes *to)
{
    const struct stow_node *node = &s->node[id];
    const struct stow_str provider = stow_provider_of(stow_text(s, node->provider_id));
    const bool first = to->nodes++ == 0;

    for (enum stow_fact i = 0; i < STOW_FACT_COUNT; i++) {
        const struct stow_label fact = fact_of(s, node, i);

        if (first)
            to->fact[i] = fact;
        else if (fact.key != to->fact[i].key || fact.value != to->fact[i].value)
            to->fact[i].value = STOW_NONE;
    }
    if (first)
        to->provider = provider;
    else if (!stow_str_eq(provider, to->provider))
        to->provider = STOW_STR("");
    choose_model(s, id, to);
}

int stow_known_nodes_add(const struct stow_snapshot *s, stow_node_id id,
                         struct stow_known_nodes *to)
{
    const struct stow_node *node = &s->node[id];

    add_to_group(s, id, &to->group[node->group]);
    for (enum stow_fact i = 0; i < STOW_FACT_POOL; i++)
        to->beta[i] |= stow_label_value(s, node->labels, twins[i].beta) != STOW_NONE;
    return stow_zone_labels_add(s, node, twin_value(s, node->labels, STOW_FACT_ZONE), &to->zone);
}

/* STOW_NONE: nothing, or an empty text, which says nothing. */
static stow_sym agreed(const struct completing *c, enum stow_fact fact)
{
    const stow_sym value = c->nodes->nodes ? c->nodes->fact[fact].value : STOW_NONE;

    return value == STOW_SYM_EMPTY ? STOW_NONE : value;
}

/* ---- noting ------------------------------------------------------------------------------ */

/* Groups that cannot grow have nothing to tell, and those of a pool are made up as a whole. */
static int note(struct completing *c, struct stow_group_default made)
{
    struct stow_snapshot *s = c->s;

    if (c->group->implied ||
        (c->group->origin != STOW_NONE && s->origin[c->group->origin].node_pool != STOW_NONE))
        return STOW_OK;

    struct stow_group_default *kept =
        STOW_PUSH(&s->group_default, &s->group_defaults, &s->group_default_cap);

    if (!kept || !made.from)
        return STOW_ENOMEM;
    made.group = c->id;
    *kept = made;
    return STOW_OK;
}

/* By kind and name: lists of labels and amounts are in order of handles, which depends on the
 * order of the input. */
static int compare_notes(const void *a, const void *b, void *snapshot)
{
    const struct stow_group_default *x = a, *y = b;
    const bool labels = x->kind == STOW_DEFAULT_LABEL;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return stow_str_cmp(stow_text(snapshot, labels ? x->key : x->amount.resource),
                        stow_text(snapshot, labels ? y->key : y->amount.resource));
}

static void sort_notes(struct completing *c, uint32_t first)
{
    struct stow_snapshot *s = c->s;

    if (s->group_defaults > first)
        qsort_r(s->group_default + first, s->group_defaults - first, sizeof(*s->group_default),
                compare_notes, s);
}

/* "node NAME" of the node that was asked. */
static const char *from_witness(const struct completing *c)
{
    return stow_arena_printf(&c->s->arena, "node %s", c->s->node[c->nodes->model].name);
}

/* ---- labels ------------------------------------------------------------------------------ */

static stow_sym label_of(const struct completing *c, stow_sym key)
{
    const struct stow_label *list = c->label.items;

    for (uint32_t i = 0; i < c->label.count; i++)
        if (list[i].key == key)
            return list[i].value;
    return STOW_NONE;
}

static int push_label(struct completing *c, stow_sym key, stow_sym value)
{
    struct stow_label *made = STOW_COLLECT(&c->label, struct stow_label);

    if (!made)
        return STOW_ENOMEM;
    *made = (struct stow_label){key, value};
    return STOW_OK;
}

/* Unless the document states it, or there is nothing to say. */
static int add_label(struct completing *c, stow_sym key, stow_sym value, const char *from)
{
    if (value == STOW_NONE || label_of(c, key) != STOW_NONE)
        return STOW_OK;
    STOW_TRY(push_label(c, key, value));
    return note(c, (struct stow_group_default){
                       .kind = STOW_DEFAULT_LABEL, .key = key, .value = value, .from = from});
}

static int add_text(struct completing *c, stow_sym key, struct stow_str value, const char *from)
{
    if (!value.len || label_of(c, key) != STOW_NONE)
        return STOW_OK;

    const stow_sym sym = stow_intern_text(&c->s->text, value);

    return sym == STOW_INTERN_FAILED ? STOW_ENOMEM : add_label(c, key, sym, from);
}

static int add_agreed(struct completing *c, enum stow_fact fact)
{
    return add_label(c, c->nodes->fact[fact].key, agreed(c, fact), "nodes of the group");
}

static int take_labels(struct completing *c)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(c->s, c->node->labels, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(push_label(c, list[i].key, list[i].value));
    return STOW_OK;
}

static int warn_of_selector(struct completing *c, struct stow_label asked)
{
    const struct stow_snapshot *s = c->s;

    return stow_snapshot_warn(
        c->s,
        "NodeGroup '%s': its template has the label %s: %s, but its nodeSelector asks for %s: a "
        "new node would not belong to the group",
        c->group->name, stow_text(s, asked.key).ptr, stow_text(s, label_of(c, asked.key)).ptr,
        stow_text(s, asked.value).ptr);
}

/* A node that lacks a label of the selector would not be the group's.  Of labels that contradict
 * it the first by name is told. */
static int select_labels(struct completing *c)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(c->s, c->group->selector, struct stow_label, &count);
    const struct stow_label *wrong = NULL;

    for (uint32_t i = 0; i < count; i++) {
        STOW_TRY(add_label(c, list[i].key, list[i].value, "nodeSelector"));
        if (label_of(c, list[i].key) != list[i].value &&
            (!wrong || stow_str_cmp(stow_text(c->s, list[i].key), stow_text(c->s, wrong->key)) < 0))
            wrong = &list[i];
    }
    return wrong && c->group->has_template ? warn_of_selector(c, *wrong) : STOW_OK;
}

/* Who states the beta form only means both. */
static int stable_forms(struct completing *c)
{
    for (enum stow_fact i = 0; i < STOW_FACT_POOL; i++)
        STOW_TRY(add_label(c, twins[i].stable, label_of(c, twins[i].beta),
                           stow_text(c->s, twins[i].beta).ptr));
    return STOW_OK;
}

static int beta_forms(struct completing *c)
{
    for (enum stow_fact i = 0; i < STOW_FACT_POOL; i++)
        if (c->known->beta[i] || c->s->nodes == 0)
            STOW_TRY(add_label(c, twins[i].beta, label_of(c, twins[i].stable),
                               stow_text(c->s, twins[i].stable).ptr));
    return STOW_OK;
}

/* ---- provider, zone and region ----------------------------------------------------------- */

static struct stow_str provider_of(const struct completing *c)
{
    return stow_provider_of(stow_text(c->s, c->node->provider_id));
}

static struct stow_str text_of(const struct completing *c, stow_sym key)
{
    const stow_sym value = label_of(c, key);

    return value == STOW_NONE ? STOW_STR("") : stow_text(c->s, value);
}

/* A provider id that says no more than who the provider is. */
static int add_provider(struct completing *c, struct stow_str provider, const char *from)
{
    if (c->node->provider_id || !provider.len)
        return STOW_OK;

    const char *text = stow_arena_printf(&c->s->arena, "%.*s://", STOW_FMT(provider));
    const stow_sym id =
        text ? stow_intern_text(&c->s->text, stow_str_of(text)) : STOW_INTERN_FAILED;

    if (id == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    c->node->provider_id = id;
    return note(c, (struct stow_group_default){
                       .kind = STOW_DEFAULT_PROVIDER_ID, .value = id, .from = from});
}

static int add_place(struct completing *c)
{
    STOW_TRY(
        add_provider(c, c->nodes->nodes ? c->nodes->provider : STOW_STR(""), "nodes of the group"));
    STOW_TRY(add_text(c, STOW_SYM_ZONE, stow_provider_zone(stow_text(c->s, c->node->provider_id)),
                      "providerID"));
    STOW_TRY(add_agreed(c, STOW_FACT_ZONE));
    STOW_TRY(add_text(c, STOW_SYM_REGION,
                      stow_zone_region(provider_of(c), text_of(c, STOW_SYM_ZONE)), "zone"));
    STOW_TRY(add_agreed(c, STOW_FACT_REGION));
    return c->s->given_region ? add_label(c, STOW_SYM_REGION, c->s->given_region, "--region")
                              : STOW_OK;
}

/* ---- zones as CSI drivers call them -------------------------------------------------------- */

static int add_zone_labels(struct completing *c)
{
    const struct stow_zone_labels *known = &c->known->zone;
    const stow_sym zone = label_of(c, STOW_SYM_ZONE);

    for (uint32_t i = 0; i < known->count; i++)
        if (known->item[i].zone == zone)
            STOW_TRY(add_label(c, known->item[i].key, known->item[i].value, "nodes of the zone"));
    return STOW_OK;
}

/* With a known provider also where no node could show it; else only if some object names it. */
static bool has_driver(const struct completing *c, const struct stow_driver_label *driver)
{
    const struct stow_str provider = provider_of(c);
    const bool named =
        stow_intern_find(&c->s->text, stow_str_of(driver->key)) != STOW_INTERN_FAILED;

    return provider.len ? stow_str_is(provider, driver->provider) && (named || c->s->nodes == 0)
                        : named;
}

static bool is_number(struct stow_str text)
{
    int64_t number;

    return stow_str_int(text, &number);
}

/* Azure's zones are REGION-1 to REGION-3 and, outside of them, 0. */
static int add_numbered(struct completing *c, stow_sym key)
{
    const struct stow_str zone = text_of(c, STOW_SYM_ZONE), region = text_of(c, STOW_SYM_REGION);

    if (stow_str_is(zone, "0"))
        return add_label(c, key, STOW_SYM_EMPTY, "zone");
    if (!region.len)
        return STOW_OK;

    const char *both =
        stow_arena_printf(&c->s->arena, "%.*s-%.*s", STOW_FMT(region), STOW_FMT(zone));

    return both ? add_text(c, key, stow_str_of(both), "zone") : STOW_ENOMEM;
}

static int add_driver_label(struct completing *c, const struct stow_driver_label *driver)
{
    const struct stow_str zone = text_of(c, STOW_SYM_ZONE);
    const stow_sym key = stow_intern_text(&c->s->text, stow_str_of(driver->key));

    if (key == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (driver->region)
        return add_text(c, key, text_of(c, STOW_SYM_REGION), "region");
    return driver->numbered && is_number(zone) ? add_numbered(c, key)
                                               : add_text(c, key, zone, "zone");
}

static int add_driver_labels(struct completing *c)
{
    STOW_TRY(add_zone_labels(c));
    for (size_t i = 0; i < stow_driver_labels_count; i++)
        if (has_driver(c, &stow_driver_labels[i]))
            STOW_TRY(add_driver_label(c, &stow_driver_labels[i]));
    return STOW_OK;
}

/* ---- provider and machine ------------------------------------------------------------------ */

/* Other clouds have an m1.large as well: only a region of the same provider settles it. */
static int settle_provider(struct completing *c)
{
    const struct stow_size *size = stow_size_find(STOW_STR(""), text_of(c, STOW_SYM_INSTANCE_TYPE));

    if (c->s->given_provider)
        return add_provider(c, stow_text(c->s, c->s->given_provider), "--provider");
    if (!size || !stow_region_is_of(stow_str_of(size->provider), text_of(c, STOW_SYM_REGION)))
        return STOW_OK;
    return add_provider(c, stow_str_of(size->provider), "instance type and region");
}

/* The model tells the size of new ones if they are of its type, and if nothing else tells
 * their size: then they are of its type. */
static int find_witness(struct completing *c)
{
    const stow_sym type = label_of(c, STOW_SYM_INSTANCE_TYPE);

    if (c->nodes->model == STOW_NONE)
        return STOW_OK;

    const struct stow_node *node = &c->s->node[c->nodes->model];
    const stow_sym its = twin_value(c->s, node->labels, STOW_FACT_TYPE);

    if (type == STOW_NONE ? !c->node->capacity && !c->node->allocatable : type == its)
        c->witness = node;
    return c->witness && type == STOW_NONE
               ? add_label(c, STOW_SYM_INSTANCE_TYPE, its, from_witness(c))
               : STOW_OK;
}

/* What follows from the type, and what kubelet says of itself. */
static int add_machine(struct completing *c)
{
    c->size = stow_size_find(provider_of(c), text_of(c, STOW_SYM_INSTANCE_TYPE));
    if (c->size)
        STOW_TRY(add_text(c, STOW_SYM_ARCH, stow_str_of(c->size->arch), "catalogue"));
    STOW_TRY(add_agreed(c, STOW_FACT_ARCH));
    STOW_TRY(add_text(c, STOW_SYM_ARCH, STOW_STR("amd64"), "default"));
    STOW_TRY(add_agreed(c, STOW_FACT_OS));
    return add_text(c, STOW_SYM_OS, STOW_STR("linux"), "default");
}

static int state_labels(struct completing *c)
{
    STOW_TRY(take_labels(c));
    STOW_TRY(select_labels(c));
    return stable_forms(c);
}

static int complete_labels(struct completing *c)
{
    STOW_TRY(state_labels(c));
    STOW_TRY(add_agreed(c, STOW_FACT_POOL));
    STOW_TRY(add_agreed(c, STOW_FACT_TYPE));
    STOW_TRY(add_place(c));
    STOW_TRY(settle_provider(c));
    STOW_TRY(add_driver_labels(c));
    STOW_TRY(find_witness(c));
    STOW_TRY(add_machine(c));
    return beta_forms(c);
}

/* ---- amounts ----------------------------------------------------------------------------- */

static bool find(const struct stow_collect *list, stow_sym resource, stow_i128 *ret)
{
    return stow_exact_find(list->items, list->count, resource, ret);
}

static bool find_in(const struct completing *c, stow_blob amounts, stow_sym resource,
                    stow_i128 *ret)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(c->s, amounts, struct stow_exact, &count);

    return stow_exact_find(list, count, resource, ret);
}

static int take_amounts(const struct completing *c, stow_blob from, struct stow_collect *to)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(c->s, from, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++)
        STOW_TRY(stow_exact_add(to, list[i].resource, stow_exact_nano(&list[i])));
    return STOW_OK;
}

static int add_amount(struct completing *c, enum stow_default_kind kind, stow_sym resource,
                      stow_i128 nano, const char *from)
{
    struct stow_collect *to = kind == STOW_DEFAULT_CAPACITY ? &c->capacity : &c->allocatable;
    stow_i128 has;

    if (find(to, resource, &has))
        return STOW_OK;
    STOW_TRY(stow_exact_add(to, resource, nano));
    if (!stow_resource_counts(stow_text(c->s, resource)))
        return STOW_OK;
    return note(c, (struct stow_group_default){
                       .kind = kind, .amount = stow_exact_of(resource, nano), .from = from});
}

/* What the size says; negative numbers are not known. */
static int add_sized(struct completing *c, stow_sym resource, int64_t amount, int64_t unit)
{
    if (amount < 0)
        return STOW_OK;
    return add_amount(c, STOW_DEFAULT_CAPACITY, resource, (stow_i128)amount * unit, "catalogue");
}

static int capacity_of_type(struct completing *c)
{
    const struct stow_size *size = c->size;

    if (!size)
        return STOW_OK;
    STOW_TRY(add_sized(c, STOW_SYM_CPU, size->cpu_milli, MILLI_NANO));
    STOW_TRY(add_sized(c, STOW_SYM_MEMORY, size->memory_mib, (int64_t)MIB * NANO));
    STOW_TRY(add_sized(c, STOW_SYM_PODS, size->allocatable_pods, NANO));
    if (size->gpus <= 0 || !size->gpu_resource[0])
        return STOW_OK;

    const stow_sym device = stow_intern_text(&c->s->text, stow_str_of(size->gpu_resource));

    return device == STOW_INTERN_FAILED ? STOW_ENOMEM : add_sized(c, device, size->gpus, NANO);
}

static int capacity_of_witness(struct completing *c)
{
    uint32_t count;
    const struct stow_exact *list =
        c->witness ? STOW_LIST(c->s, c->witness->capacity, struct stow_exact, &count) : NULL;

    for (uint32_t i = 0; list && i < count; i++)
        STOW_TRY(add_amount(c, STOW_DEFAULT_CAPACITY, list[i].resource, stow_exact_nano(&list[i]),
                            from_witness(c)));
    return STOW_OK;
}

/* There is at least what pods can use. */
static int capacity_of_allocatable(struct completing *c)
{
    const struct stow_exact *list = c->allocatable.items;

    for (uint32_t i = 0; i < c->allocatable.count; i++) {
        const stow_i128 usable = stow_exact_nano(&list[i]);
        stow_i128 has = 0;

        if (!find(&c->capacity, list[i].resource, &has))
            STOW_TRY(add_amount(c, STOW_DEFAULT_CAPACITY, list[i].resource, usable, "allocatable"));
        else if (has < usable)
            STOW_TRY(stow_exact_add(&c->capacity, list[i].resource, usable - has));
    }
    return STOW_OK;
}

/* What of a resource is kept from pods; 0: nothing, or not known. */
static stow_i128 reserved(const struct completing *c, stow_sym resource, const char **ret_from)
{
    const struct stow_size *size = c->size;
    stow_i128 all = 0, usable = 0;

    *ret_from = "capacity";
    if (c->witness && find_in(c, c->witness->capacity, resource, &all) &&
        find_in(c, c->witness->allocatable, resource, &usable)) {
        *ret_from = from_witness(c);
        return all > usable ? all - usable : 0;
    }
    if (!size || size->allocatable_cpu_milli < 0 || size->allocatable_memory_mib < 0)
        return 0;
    if (resource != STOW_SYM_CPU && resource != STOW_SYM_MEMORY)
        return 0;
    *ret_from = size->derived ? STOW_FROM_DERIVED : "catalogue";
    if (resource == STOW_SYM_CPU)
        return (stow_i128)(size->cpu_milli - size->allocatable_cpu_milli) * MILLI_NANO;
    return (stow_i128)(size->memory_mib - size->allocatable_memory_mib) * MIB * NANO;
}

static int complete_allocatable(struct completing *c)
{
    const struct stow_exact *list = c->capacity.items;

    for (uint32_t i = 0; i < c->capacity.count; i++) {
        const char *from;
        const stow_i128 all = stow_exact_nano(&list[i]);
        const stow_i128 kept = reserved(c, list[i].resource, &from);

        STOW_TRY(add_amount(c, STOW_DEFAULT_ALLOCATABLE, list[i].resource,
                            all > kept ? all - kept : 0, from));
    }
    return STOW_OK;
}

static int complete_amounts(struct completing *c)
{
    STOW_TRY(take_amounts(c, c->node->capacity, &c->capacity));
    STOW_TRY(take_amounts(c, c->node->allocatable, &c->allocatable));
    STOW_TRY(capacity_of_witness(c));
    STOW_TRY(capacity_of_type(c));
    STOW_TRY(capacity_of_allocatable(c));
    STOW_TRY(add_amount(c, STOW_DEFAULT_CAPACITY, STOW_SYM_PODS, (stow_i128)DEFAULT_PODS * NANO,
                        "kubelet's default"));
    return complete_allocatable(c);
}

/* ---- whether it can be a node ------------------------------------------------------------ */

static bool lacks(const struct completing *c, stow_sym resource)
{
    stow_i128 all = 0, usable = 0;

    find(&c->capacity, resource, &all);
    find(&c->allocatable, resource, &usable);
    return all == 0 && usable == 0;
}

/* Why the size is not known, into `text`. */
static const char *say_unknown(const struct completing *c, char *text, size_t room)
{
    const struct stow_str type = text_of(c, STOW_SYM_INSTANCE_TYPE);

    if (!type.len)
        return "it names no instance type";
    if (c->size)
        return "it says so itself";
    snprintf(text, room, "the instance type '%.*s' is not in the catalogue%s%.*s", STOW_FMT(type),
             provider_of(c).len ? " of " : "", STOW_FMT(provider_of(c)));
    return text;
}

static int check_size(struct completing *c, struct stow_err *err)
{
    const struct stow_group *group = c->group;
    char why[320];

    if (!group->has_template)
        return STOW_OK;
    if (lacks(c, STOW_SYM_CPU))
        return stow_fail_marked(c->s, &group->template_mark, err,
                                "NodeGroup '%s': the template has no cpu, and %s; expected "
                                "template.status.capacity with `cpu` above 0, or a label "
                                "node.kubernetes.io/instance-type that the catalogue knows",
                                group->name, say_unknown(c, why, sizeof(why)));
    if (lacks(c, STOW_SYM_MEMORY))
        return stow_snapshot_warn(c->s,
                                  "NodeGroup '%s': the template has no memory, and %s: pods that "
                                  "ask for memory do not fit; give template.status.capacity.memory",
                                  group->name, say_unknown(c, why, sizeof(why)));
    return STOW_OK;
}

int stow_fail_marked(const struct stow_snapshot *s, const struct stow_mark *mark,
                     struct stow_err *err, const char *fmt, ...)
{
    struct stow_str file = stow_text(s, mark->file);
    char text[sizeof(err->msg)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);

    int code = stow_fail(err, STOW_EPARSE, "%s", text);

    if (err) {
        err->line = mark->line;
        err->col = mark->col;
        memcpy(err->file, file.ptr, file.len < sizeof(err->file) ? file.len + 1 : 1);
    }
    return code;
}

/* ------------------------------------------------------------------------------------------ */

static int keep_amounts(struct completing *c, struct stow_collect *list, stow_blob *ret)
{
    stow_exact_sort(list->items, list->count);
    *ret = stow_intern_blob(&c->s->blob, list->items, list->count * sizeof(struct stow_exact));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int keep(struct completing *c)
{
    struct stow_node *node = c->node;

    stow_labels_sort(c->label.items, c->label.count);
    node->labels =
        stow_intern_blob(&c->s->blob, c->label.items, c->label.count * sizeof(struct stow_label));
    if (node->labels == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    STOW_TRY(keep_amounts(c, &c->capacity, &node->capacity));
    return keep_amounts(c, &c->allocatable, &node->allocatable);
}

/* The size of the type: with the provider that the region tells, if it tells one. */
static int complete_size(struct completing *c)
{
    STOW_TRY(take_labels(c));
    c->size = stow_size_find(provider_of(c), text_of(c, STOW_SYM_INSTANCE_TYPE));
    STOW_TRY(capacity_of_type(c));
    STOW_TRY(complete_allocatable(c));
    STOW_TRY(keep_amounts(c, &c->capacity, &c->node->capacity));
    return keep_amounts(c, &c->allocatable, &c->node->allocatable);
}

static struct completing completing_of(struct stow_snapshot *s, stow_group_id group,
                                       const struct stow_known_nodes *known, struct stow_node *node)
{
    return (struct completing){.s = s,
                               .id = group,
                               .group = &s->group[group],
                               .known = known,
                               .nodes = &known->group[group],
                               .node = node};
}

int stow_fresh_size(struct stow_snapshot *s, stow_group_id group,
                    const struct stow_known_nodes *known, struct stow_node *node)
{
    STOW_AUTO(completing_done)
    struct completing c = completing_of(s, group, known, node);
    const uint32_t notes = s->group_defaults;

    STOW_TRY(complete_size(&c));
    sort_notes(&c, notes);
    return STOW_OK;
}

int stow_fresh_complete(struct stow_snapshot *s, stow_group_id group,
                        const struct stow_known_nodes *known, struct stow_node *node,
                        struct stow_err *err)
{
    STOW_AUTO(completing_done)
    struct completing c = completing_of(s, group, known, node);
    const uint32_t notes = s->group_defaults;

    STOW_TRY(complete_labels(&c));
    STOW_TRY(complete_amounts(&c));
    STOW_TRY(check_size(&c, err));
    sort_notes(&c, notes);
    return keep(&c);
}
