/* pool_groups.c - NodePools as groups of nodes.
 *
 * Problem: a NodePool names no machine.  It says what must hold of a machine's labels, and
 * Karpenter picks one when pods are waiting.  Whoever compares prices needs every machine as a
 * group.
 *
 * Idea: one group for each instance type, zone and capacity type that the pool admits
 * (pool_offers.c), named POOL/TYPE/ZONE/CAPACITY, and where pods ask for labels that the pool
 * leaves open, one more for each value that matters (pool_variants.c), named with it:
 * ",tier=silver".  Its node is what Karpenter would make: labels of the pool, of the type and of
 * the place, the pool's taints without startup taints, and what is left of the machine when kubelet
 * and the system have their part (machine.c).  Limits of the pool are the quota of all its groups
 * together.
 *
 * A pool that Karpenter would not use (it is not ready, is being deleted, or asks for keys that it
 * keeps for itself) gives no groups, and a warning says why.
 *
 * Cost: one pass over the machines of a region for each pool; texts and lists are interned, so that
 * groups that differ in place share what they have in common. */
#include "model/karpenter/pool_groups.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/finish.h"
#include "model/karpenter/machine.h"
#include "model/karpenter/pool_labels.h"
#include "model/karpenter/pool_offers.h"
#include "model/karpenter/pool_overlays.h"
#include "model/karpenter/pool_variants.h"
#include "model/nodes/groups.h"
#include "model/nodes/zones.h"
#include "model/pods/requests.h"
#include "model/values/few.h"

#define NANO INT64_C(1000000000)

struct expanding {
    struct stow_snapshot *s;
    struct stow_arena arena; /* of the pool in hand */
    struct stow_pool_surroundings around;
    int64_t *seen; /* by handle of an instance type: least memory of its nodes; 0: none */
    stow_sym seens;
    stow_sym pool_key, capacity_key, class_key, zone_id_key;
    struct stow_collect label, amount; /* of the type in hand */
    struct stow_few classless;         /* pools whose node class is not given */
    enum stow_class_form classless_form;
};

static void expanding_done(struct expanding *x)
{
    stow_arena_done(&x->arena);
    free(x->around.zone);
    free(x->seen);
    free(x->label.items);
    free(x->amount.items);
    stow_few_done(&x->classless);
}

/* ---- what the nodes tell ----------------------------------------------------------------- */

static enum stow_class_form cloud_of(struct stow_str provider)
{
    for (uint32_t i = 0; i < STOW_CLASS_FORMS; i++)
        if (stow_str_eq(provider, stow_class_provider((enum stow_class_form)i)))
            return (enum stow_class_form)i;
    return STOW_CLASS_FORMS;
}

static int add_zone(struct expanding *x, stow_sym zone)
{
    struct stow_pool_surroundings *a = &x->around;

    for (uint32_t i = 0; i < a->zones; i++)
        if (a->zone[i] == zone)
            return STOW_OK;

    stow_sym *kept = STOW_PUSH(&a->zone, &a->zones, &a->zone_cap);

    if (!kept)
        return STOW_ENOMEM;
    *kept = zone;
    return STOW_OK;
}

/* Of all nodes of a type the one with the least memory counts. */
static void see_memory(struct expanding *x, const struct stow_node *node)
{
    const stow_sym type = stow_label_value(x->s, node->labels, STOW_SYM_INSTANCE_TYPE);
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(x->s, node->capacity, struct stow_exact, &count);
    stow_i128 nano = 0;

    if (type == STOW_NONE || !stow_exact_find(list, count, STOW_SYM_MEMORY, &nano) || nano <= 0 ||
        stow_label_value(x->s, node->labels, x->pool_key) == STOW_NONE)
        return;

    const int64_t bytes = (int64_t)(nano / NANO);

    if (!x->seen[type] || bytes < x->seen[type])
        x->seen[type] = bytes;
}

static int look_around(struct expanding *x)
{
    const struct stow_snapshot *s = x->s;

    x->around.cloud = cloud_of(stow_text(s, s->given_provider));
    x->seens = s->text.entries;
    x->seen = calloc(x->seens, sizeof(*x->seen));
    if (!x->seen)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < s->nodes; i++) {
        const struct stow_node *node = &s->node[i];
        const stow_sym zone = stow_label_value(s, node->labels, STOW_SYM_ZONE);
        const stow_sym region = stow_label_value(s, node->labels, STOW_SYM_REGION);

        if (zone != STOW_NONE && zone)
            STOW_TRY(add_zone(x, zone));
        if (region != STOW_NONE && !x->around.region)
            x->around.region = region;
        if (x->around.cloud == STOW_CLASS_FORMS)
            x->around.cloud = cloud_of(stow_provider_of(stow_text(s, node->provider_id)));
        see_memory(x, node);
    }
    return STOW_OK;
}

/* ---- whose pool it is -------------------------------------------------------------------- */

static bool is_form(const struct stow_snapshot *s, const struct stow_class_ref *ref,
                    enum stow_class_form form)
{
    return (!ref->group || stow_str_is(stow_text(s, ref->group), stow_class_group(form))) &&
           (!ref->kind || stow_str_is(stow_text(s, ref->kind), stow_class_kind(form)));
}

/* The form that the reference names; where it names none, the cloud of the nodes, else AWS. */
static enum stow_class_form form_of(const struct expanding *x, const struct stow_class_ref *ref)
{
    if (!ref->group && !ref->kind)
        return x->around.cloud == STOW_CLASS_FORMS ? STOW_CLASS_EC2 : x->around.cloud;
    for (uint32_t i = 0; i < STOW_CLASS_FORMS; i++)
        if (is_form(x->s, ref, (enum stow_class_form)i))
            return (enum stow_class_form)i;
    return STOW_CLASS_FORMS;
}

static uint32_t find_class(const struct stow_snapshot *s, const struct stow_class_ref *ref,
                           enum stow_class_form form)
{
    for (uint32_t i = 0; i < s->node_classes; i++)
        if (s->node_class[i].form == form && s->node_class[i].symbol == ref->name)
            return i;
    return STOW_NONE;
}

/* ---- pools that Karpenter does not use --------------------------------------------------- */

static const char *requirement_fault(struct expanding *x, const struct stow_pool_requirement *r)
{
    const struct stow_snapshot *s = x->s;
    uint32_t count;
    const stow_sym *value = STOW_LIST(s, r->values, stow_sym, &count);
    struct stow_str *text = stow_arena_alloc(&x->arena, (count + 1) * sizeof(*text));

    if (!text)
        return NULL;
    for (uint32_t i = 0; i < count; i++)
        text[i] = stow_text(s, value[i]);

    const char *fault = stow_pool_requirement_fault(
        (enum stow_pool_operator)r->op, stow_text(s, r->key), text, count, (uint32_t)r->min_values);

    return fault ? stow_arena_printf(&x->s->arena, "its requirement on '%s' %s",
                                     stow_text(s, r->key).ptr, fault)
                 : NULL;
}

/* The first label, by name, that a pool may not have. */
static const char *label_fault(struct expanding *x, const struct stow_node_pool *pool)
{
    const struct stow_snapshot *s = x->s;
    uint32_t count;
    const struct stow_label *label = STOW_LIST(s, pool->labels, struct stow_label, &count);
    struct stow_str worst = {NULL, 0};

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_str key = stow_text(s, label[i].key);

        if ((stow_str_is(key, STOW_NODEPOOL_LABEL) || stow_label_is_restricted(key)) &&
            (!worst.ptr || stow_str_cmp(key, worst) < 0))
            worst = key;
    }
    return worst.ptr
               ? stow_arena_printf(&x->s->arena,
                                   "its template has the label '%.*s', which Karpenter reserves",
                                   STOW_FMT(worst))
               : NULL;
}

static const char *class_fault(const struct expanding *x, const struct stow_node_pool *pool)
{
    const struct stow_node_class *class =
        pool->class_at == STOW_NONE ? NULL : &x->s->node_class[pool->class_at];

    return class && class->deleted     ? "its node class is being deleted"
           : class && class->not_ready ? "its node class is not ready"
                                       : NULL;
}

/* NULL: Karpenter uses it. */
static const char *find_fault(struct expanding *x, const struct stow_node_pool *pool)
{
    uint32_t count;
    const struct stow_pool_requirement *list =
        STOW_LIST(x->s, pool->requirements, struct stow_pool_requirement, &count);
    const char *fault = pool->deleted         ? "it is being deleted"
                        : pool->not_ready     ? "it is not ready"
                        : pool->replicas >= 0 ? "it is static: it does not grow for pending pods"
                                              : class_fault(x, pool);

    for (uint32_t i = 0; i < count && !fault; i++)
        fault = requirement_fault(x, &list[i]);
    return fault ? fault : label_fault(x, pool);
}

/* ---- the node of a group ----------------------------------------------------------------- */

/* One pool, and what its groups have in common. */
struct pool_job {
    struct expanding *x;
    struct stow_node_pool *pool;
    struct stow_pool_offers offers;
    struct stow_pool_variants variants;
    struct stow_machine_setup setup;
};

static int push_label(struct expanding *x, stow_sym key, stow_sym value)
{
    struct stow_label *kept = key == STOW_INTERN_FAILED || value == STOW_INTERN_FAILED
                                  ? NULL
                                  : STOW_COLLECT(&x->label, struct stow_label);

    if (!kept)
        return STOW_ENOMEM;
    *kept = (struct stow_label){key, value};
    return STOW_OK;
}

static int push_text(struct expanding *x, struct stow_str key, struct stow_str value)
{
    return push_label(x, stow_intern_text(&x->s->text, key), stow_intern_text(&x->s->text, value));
}

static bool is_pushed(const struct expanding *x, stow_sym key)
{
    const struct stow_label *list = x->label.items;

    for (uint32_t i = 0; i < x->label.count; i++)
        if (list[i].key == key)
            return true;
    return false;
}

/* Zone and capacity type are the group's. */
static bool is_of_place(const struct expanding *x, stow_sym key)
{
    return key == STOW_SYM_ZONE || key == x->capacity_key || key == x->zone_id_key;
}

/* What all nodes of the pool have. */
static int push_shared(struct pool_job *job)
{
    struct expanding *x = job->x;
    uint32_t count;
    const struct stow_label *own = STOW_LIST(x->s, job->pool->labels, struct stow_label, &count);

    x->label.count = 0;
    STOW_TRY(push_label(x, x->pool_key, job->pool->symbol));
    STOW_TRY(push_text(x, STOW_STR("karpenter.sh/registered"), STOW_STR("true")));
    STOW_TRY(push_text(x, STOW_STR("karpenter.sh/initialized"), STOW_STR("true")));
    STOW_TRY(push_label(x, x->class_key, job->pool->class.name));
    for (uint32_t i = 0; i < count; i++)
        if (!is_of_place(x, own[i].key) && !is_pushed(x, own[i].key))
            STOW_TRY(push_label(x, own[i].key, own[i].value));
    return STOW_OK;
}

/* Of a label with several values the first one is given. */
static int push_type(struct pool_job *job, const struct stow_pool_type *type)
{
    struct expanding *x = job->x;

    STOW_TRY(push_shared(job));
    for (uint32_t i = 0; i < type->labels.count; i++) {
        const struct stow_value_set *set = &type->labels.set[i];
        const stow_sym key = stow_intern_text(&x->s->text, set->key);

        if (key == STOW_INTERN_FAILED)
            return STOW_ENOMEM;
        if (is_of_place(x, key) || is_pushed(x, key))
            continue;
        STOW_TRY(push_label(x, key, stow_intern_text(&x->s->text, set->value[0])));
    }
    return STOW_OK;
}

/* Puts one more label into a sorted list that has room for it. */
static void insert_label(struct stow_label *list, uint32_t *count, struct stow_label label)
{
    uint32_t at = (*count)++;

    for (; at > 0 && list[at - 1].key > label.key; at--)
        list[at] = list[at - 1];
    list[at] = label;
}

static int set_amount(struct expanding *x, stow_sym resource, int64_t amount, int64_t unit)
{
    struct stow_exact *kept = STOW_COLLECT(&x->amount, struct stow_exact);

    if (!kept || resource == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    *kept = stow_exact_of(resource, (stow_i128)(amount > 0 ? amount : 0) * unit);
    return STOW_OK;
}

static int close_amounts(struct expanding *x, stow_blob *ret)
{
    stow_exact_sort(x->amount.items, x->amount.count);
    *ret =
        stow_intern_blob(&x->s->blob, x->amount.items, x->amount.count * sizeof(struct stow_exact));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int make_list(struct expanding *x, const int64_t *amount, const struct stow_size *size,
                     stow_blob *ret)
{
    x->amount.count = 0;
    STOW_TRY(set_amount(x, STOW_SYM_CPU, amount[STOW_MACHINE_CPU], NANO / 1000));
    STOW_TRY(set_amount(x, STOW_SYM_MEMORY, amount[STOW_MACHINE_MEMORY], NANO));
    STOW_TRY(set_amount(x, STOW_SYM_EPHEMERAL, amount[STOW_MACHINE_STORAGE], NANO));
    STOW_TRY(set_amount(x, STOW_SYM_PODS, amount[STOW_MACHINE_PODS], NANO));
    if (size->gpus > 0 && size->gpu_resource[0])
        STOW_TRY(set_amount(x, stow_intern_text(&x->s->text, stow_str_of(size->gpu_resource)),
                            size->gpus, NANO));
    return close_amounts(x, ret);
}

static int64_t memory_seen(const struct expanding *x, const struct stow_size *size)
{
    const stow_sym type = stow_intern_find(&x->s->text, stow_str_of(size->instance_type));

    return type != STOW_INTERN_FAILED && type < x->seens ? x->seen[type] : 0;
}

/* Capacity and allocatable of a type; false: nothing is left for pods. */
static int make_amounts(struct pool_job *job, const struct stow_size *size, struct stow_node *node,
                        bool *ret_usable)
{
    struct expanding *x = job->x;
    struct stow_machine_amounts amounts;
    const int64_t pods = size->allocatable_pods < 0 ? 110 : size->allocatable_pods;

    stow_machine_amounts(x->s,
                         &(struct stow_machine){.type = stow_str_of(size->instance_type),
                                                .cpu_milli = size->cpu_milli,
                                                .memory_mib = size->memory_mib,
                                                .local_nvme_gb = size->local_nvme_gb,
                                                .pods = pods,
                                                .free_pods = pods,
                                                .arm = strcmp(size->arch, "arm64") == 0,
                                                .seen_memory = memory_seen(x, size)},
                         &job->setup, &amounts);
    *ret_usable =
        amounts.allocatable[STOW_MACHINE_CPU] > 0 && amounts.allocatable[STOW_MACHINE_MEMORY] > 0;
    STOW_TRY(make_list(x, amounts.capacity, size, &node->capacity));
    return make_list(x, amounts.allocatable, size, &node->allocatable);
}

/* ---- groups ------------------------------------------------------------------------------ */

/* One group: its type, zone and capacity type, and labels that the pool leaves open. */
struct choice {
    const struct stow_pool_type *type;
    uint32_t zone, capacity;
    const struct stow_pool_variant *variant;
};

static const char *group_name(const struct pool_job *job, const struct choice *c)
{
    const struct stow_snapshot *s = job->x->s;

    return stow_arena_printf(&job->x->s->arena, "%s/%s/%s/%s%s", job->pool->name,
                             c->type->size->instance_type,
                             stow_text(s, job->offers.zone[c->zone].zone).ptr,
                             stow_offer_name(c->capacity), c->variant->suffix);
}

/* Which nodes are the group's: those with the pool's name and the same type, zone and capacity. */
static int make_selector(struct pool_job *job, const struct choice *c, stow_blob *ret)
{
    struct expanding *x = job->x;
    const stow_sym zone = job->offers.zone[c->zone].zone;
    struct stow_label list[4] = {
        {x->pool_key, job->pool->symbol},
        {STOW_SYM_INSTANCE_TYPE,
         stow_intern_text(&x->s->text, stow_str_of(c->type->size->instance_type))},
        {x->capacity_key, stow_intern_text(&x->s->text, stow_str_of(stow_offer_name(c->capacity)))},
        {STOW_SYM_ZONE, zone},
    };
    const uint32_t count = zone ? 4 : 3;

    stow_labels_sort(list, count);
    *ret = stow_intern_blob(&x->s->blob, list, count * sizeof(*list));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* Labels of the variant and the place beside those of pool and type, which are sorted. */
#define PLACE_LABELS 3

static int close_labels(struct pool_job *job, const struct choice *c, stow_blob *ret)
{
    struct expanding *x = job->x;
    const struct stow_class_zone *zone = &job->offers.zone[c->zone];
    const stow_sym capacity =
        stow_intern_text(&x->s->text, stow_str_of(stow_offer_name(c->capacity)));
    uint32_t count = x->label.count;
    const uint32_t own = c->variant->labels;
    struct stow_label *list =
        stow_arena_alloc(&x->arena, (count + own + PLACE_LABELS) * sizeof(*list));

    if (!list || capacity == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    memcpy(list, x->label.items, count * sizeof(*list));
    for (uint32_t i = 0; i < own; i++)
        insert_label(list, &count, c->variant->label[i]);
    insert_label(list, &count, (struct stow_label){x->capacity_key, capacity});
    if (zone->id)
        insert_label(list, &count, (struct stow_label){x->zone_id_key, zone->id});
    if (zone->zone)
        insert_label(list, &count, (struct stow_label){STOW_SYM_ZONE, zone->zone});
    *ret = stow_intern_blob(&x->s->blob, list, count * sizeof(*list));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static struct stow_origin origin_of(const struct pool_job *job, const struct choice *c)
{
    return (struct stow_origin){
        .constraint = "",
        .pool = job->pool->symbol,
        .zone = job->offers.zone[c->zone].zone,
        .pool_id = job->pool->pool_id,
        .quota = job->pool->limits,
        .node_pool = (uint32_t)(job->pool - job->x->s->node_pool),
        .variant = c->variant->chosen,
    };
}

static int add_group(struct pool_job *job, const struct choice *c, const struct stow_node *model)
{
    struct stow_snapshot *s = job->x->s;
    struct stow_origin *origin = STOW_PUSH(&s->origin, &s->origins, &s->origin_cap);
    struct stow_group *group = STOW_PUSH(&s->group, &s->groups, &s->group_cap);

    if (!origin || !group)
        return STOW_ENOMEM;
    *origin = origin_of(job, c);
    *group = (struct stow_group){
        .name = group_name(job, c),
        .exists = true,
        .has_template = true,
        .capacity_type =
            c->capacity == STOW_OFFER_SPOT ? STOW_CAPACITY_SPOT : STOW_CAPACITY_ON_DEMAND,
        .max_nodes = STOW_NONE,
        .current_nodes = STOW_NONE,
        .template_mark = job->pool->mark,
        .pool_priority = job->pool->weight,
        .price = STOW_MONEY_UNKNOWN,
        .rate = -1,
        .daemon_overhead = STOW_NONE,
        .origin = s->origins - 1,
        .node = *model,
    };
    STOW_TRY(close_labels(job, c, &group->node.labels));
    return group->name ? make_selector(job, c, &group->selector) : STOW_ENOMEM;
}

/* The pool's taints, and on machines with GPUs the one that the node class may add. */
static int find_taints(const struct pool_job *job, const struct stow_size *size, stow_blob *ret)
{
    struct stow_snapshot *s = job->x->s;
    const struct stow_taint more = {
        .key = stow_intern_text(&s->text, STOW_STR("nvidia.com/gpu")),
        .value = stow_intern_text(&s->text, STOW_STR("present")),
        .effect = STOW_EFFECT_NO_SCHEDULE,
    };
    uint32_t count;
    const struct stow_taint *list = STOW_LIST(s, job->pool->taints, struct stow_taint, &count);
    struct stow_taint *all = stow_arena_alloc(&job->x->arena, (count + 1) * sizeof(*all));

    *ret = job->pool->taints;
    if (!all || more.key == STOW_INTERN_FAILED || more.value == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (!job->offers.class || !job->offers.class->gpu_taint || size->gpus <= 0)
        return STOW_OK;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].key == more.key && list[i].effect == more.effect)
            return STOW_OK;
        all[i] = list[i];
    }
    all[count] = more;
    *ret = stow_intern_blob(&s->blob, all, (count + 1) * sizeof(*all));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int add_variants(struct pool_job *job, struct choice choice, const struct stow_node *model)
{
    if (!stow_pool_offers_has(&job->offers, choice.type, choice.zone, choice.capacity))
        return STOW_OK;
    for (uint32_t i = 0; i < job->variants.count; i++) {
        choice.variant = &job->variants.variant[i];
        STOW_TRY(add_group(job, &choice, model));
    }
    return STOW_OK;
}

/* The groups of one type: its labels stand before those of the place. */
static int add_type(struct pool_job *job, const struct stow_pool_type *type)
{
    struct expanding *x = job->x;
    struct stow_node model = {
        .created = STOW_TIME_ALWAYS, .annotations = job->pool->annotations, .group = STOW_NONE};
    bool usable;

    STOW_TRY(find_taints(job, type->size, &model.taints));
    STOW_TRY(make_amounts(job, type->size, &model, &usable));
    STOW_TRY(push_type(job, type));
    stow_labels_sort(x->label.items, x->label.count);
    for (uint32_t z = 0; z < job->offers.zones && usable; z++)
        for (uint32_t c = 0; c < STOW_OFFER_TYPES; c++)
            STOW_TRY(
                add_variants(job, (struct choice){.type = type, .zone = z, .capacity = c}, &model));
    return STOW_OK;
}

static int fill_job(struct pool_job *job)
{
    struct expanding *x = job->x;
    struct stow_snapshot *s = x->s;
    struct stow_pool_offers *o = &job->offers;
    struct stow_node_pool *pool = job->pool;
    const char *class_key = stow_arena_printf(&x->arena, "%s/%s", stow_class_group(o->form),
                                              o->form == STOW_CLASS_EC2   ? "ec2nodeclass"
                                              : o->form == STOW_CLASS_AKS ? "aksnodeclass"
                                                                          : "gcenodeclass");

    o->class = pool->class_at == STOW_NONE ? NULL : &s->node_class[pool->class_at];
    job->setup = (struct stow_machine_setup){
        .form = o->form,
        .class = o->class,
        .kubelet = o->class ? o->class->kubelet : pool->kubelet,
        .overhead = -1,
    };
    if (pool->is_beta)
        job->setup.kubelet = pool->kubelet;
    x->class_key =
        class_key ? stow_intern_text(&s->text, stow_str_of(class_key)) : STOW_INTERN_FAILED;
    x->zone_id_key = stow_intern_text(&s->text, o->form == STOW_CLASS_GCE
                                                    ? STOW_STR("topology.k8s.gcp/zone-id")
                                                    : STOW_STR("topology.k8s.aws/zone-id"));
    if (x->class_key == STOW_INTERN_FAILED || x->zone_id_key == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    return stow_value_sets_of_pool(&x->arena, s, pool->requirements, pool->labels, &o->sets);
}

static int add_groups(struct pool_job *job)
{
    int code = stow_pool_variants_find(&job->offers, &job->variants);

    job->pool->pool_id = job->x->s->origins;
    for (uint32_t i = 0; i < job->offers.types && code >= 0; i++)
        code = add_type(job, &job->offers.type[i]);
    stow_pool_variants_done(&job->variants);
    return code;
}

/* ---- warnings ---------------------------------------------------------------------------- */

static int leave_out(struct expanding *x, struct stow_node_pool *pool, const char *why)
{
    if (!why)
        return STOW_ENOMEM;
    pool->unused = why;
    return stow_snapshot_warn(x->s, "nothing can be bought from NodePool '%s': %s", pool->name,
                              why);
}

/* All of them in one line: a cluster's pools often name one class. */
static int warn_of_classes(struct expanding *x)
{
    static const char *const plural[STOW_CLASS_FORMS] = {
        [STOW_CLASS_EC2] = "ec2nodeclasses",
        [STOW_CLASS_AKS] = "aksnodeclasses",
        [STOW_CLASS_GCE] = "gcenodeclasses",
    };

    if (!x->classless.count)
        return STOW_OK;

    const struct stow_str names = stow_few_text(&x->classless);

    return names.ptr
               ? stow_snapshot_warn(x->s,
                                    "NodePools whose node class is not among the objects: %u "
                                    "(%.*s); the provider's defaults are assumed: add the "
                                    "classes with kubectl get %s -o yaml",
                                    x->classless.count, STOW_FMT(names), plural[x->classless_form])
               : STOW_ENOMEM;
}

/* Requirements on labels of which the catalogue knows no values. */
static int warn_of_unknown(struct expanding *x, const struct stow_node_pool *pool)
{
    STOW_AUTO(stow_few_done) struct stow_few keys = {0};
    uint32_t count;
    const struct stow_pool_requirement *list =
        STOW_LIST(x->s, pool->requirements, struct stow_pool_requirement, &count);

    for (uint32_t i = 0; i < count; i++)
        if (stow_label_is_unknown(stow_text(x->s, list[i].key)))
            stow_few_add(&keys, "%s", stow_text(x->s, list[i].key).ptr);
    if (!keys.count)
        return STOW_OK;

    const struct stow_str names = stow_few_text(&keys);

    return names.ptr ? stow_snapshot_warn(x->s,
                                          "NodePool '%s': these labels of instance types are not "
                                          "in the catalogue and are not checked: %.*s",
                                          pool->name, STOW_FMT(names))
                     : STOW_ENOMEM;
}

/* Labels of the template that the requirements refuse: Karpenter buys such nodes all the same, and
 * finds at once that they do not meet the pool. */
static int warn_of_labels(struct expanding *x, const struct stow_node_pool *pool)
{
    STOW_AUTO(stow_few_done) struct stow_few wrong = {0};
    struct stow_value_sets sets = {0};
    uint32_t count;
    const struct stow_label *label = STOW_LIST(x->s, pool->labels, struct stow_label, &count);

    STOW_TRY(stow_value_sets_of_pool(&x->arena, x->s, pool->requirements, 0, &sets));
    for (uint32_t s = 0; s < sets.count; s++)
        for (uint32_t i = 0; i < count; i++)
            if (stow_str_eq(stow_label_normal(stow_text(x->s, label[i].key)), sets.set[s].key) &&
                !stow_value_set_has(&sets.set[s], stow_text(x->s, label[i].value)))
                stow_few_add(&wrong, "%s=%s", stow_text(x->s, label[i].key).ptr,
                             stow_text(x->s, label[i].value).ptr);
    if (!wrong.count)
        return STOW_OK;

    const struct stow_str names = stow_few_text(&wrong);

    return names.ptr ? stow_snapshot_warn(x->s,
                                          "NodePool '%s': its template has labels that its own "
                                          "requirements refuse (%.*s), so every node of it drifts "
                                          "at once; change the label or the requirement",
                                          pool->name, STOW_FMT(names))
                     : STOW_ENOMEM;
}

/* ---- all pools --------------------------------------------------------------------------- */

static int expand_pool(struct expanding *x, struct stow_node_pool *pool)
{
    struct pool_job job = {.x = x, .pool = pool};
    const enum stow_class_form form = form_of(x, &pool->class);
    const char *why;

    if (form == STOW_CLASS_FORMS)
        return leave_out(
            x, pool,
            stow_arena_printf(
                &x->s->arena,
                "its node class is of kind %s; expected EC2NodeClass, AKSNodeClass or GCENodeClass",
                stow_text(x->s, pool->class.kind).ptr));
    pool->class_at = find_class(x->s, &pool->class, form);
    why = find_fault(x, pool);
    if (why)
        return leave_out(x, pool, why);
    if (pool->class_at == STOW_NONE) {
        stow_few_add(&x->classless, "%s", pool->name);
        x->classless_form = form;
    }
    STOW_TRY(warn_of_unknown(x, pool));
    job.offers = (struct stow_pool_offers){
        .s = x->s, .arena = &x->arena, .around = &x->around, .pool = pool, .form = form};
    STOW_TRY(fill_job(&job));

    const int found = stow_pool_offers_find(&job.offers, &why);

    STOW_TRY(found);
    if (!found)
        return leave_out(x, pool, why);
    STOW_TRY(warn_of_labels(x, pool));
    return add_groups(&job);
}

static int expand_all(struct expanding *x)
{
    struct stow_snapshot *s = x->s;

    x->pool_key = stow_intern_text(&s->text, STOW_STR(STOW_NODEPOOL_LABEL));
    x->capacity_key = stow_intern_text(&s->text, STOW_STR(STOW_CAPACITY_LABEL));
    if (x->pool_key == STOW_INTERN_FAILED || x->capacity_key == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    STOW_TRY(look_around(x));
    for (uint32_t i = 0; i < s->node_pools; i++) {
        stow_arena_reset(&x->arena);
        STOW_TRY(expand_pool(x, &s->node_pool[i]));
    }
    return warn_of_classes(x);
}

int stow_expand_pools(struct stow_snapshot *s)
{
    struct expanding x = {.s = s};
    int code = s->node_pools ? expand_all(&x) : STOW_OK;

    expanding_done(&x);
    if (code < 0 || !s->node_pools)
        return code;
    STOW_TRY(stow_apply_overlays(s));
    return stow_order_groups(s);
}
