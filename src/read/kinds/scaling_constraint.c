/* scaling_constraint.c - reading Gardener scaling-advisor's ScalingConstraint.
 *
 * A constraint lists node pools; a pool has templates and zones.  Every (pool,
 * template, zone) is a candidate of the planner, and becomes a group of its own,
 * named POOL/TEMPLATE/ZONE.  The node it would add is the one that the planner's
 * simulation creates: its labels, the pool's taints, and as allocatable what is
 * left of the capacity when both reserves are taken off.  Unlike the planner, the
 * pool's labels and annotations are put on it; what it would be without them is
 * kept in the origin.
 *
 * A pool's fields come in any order, so its groups are made when it has been read
 * to its end.  The constraint's own name may come later still and is filled in
 * last. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/nodes/placement.h"
#include "model/nodes/sizes.h"
#include "model/pods/requests.h"
#include "read/kinds/reader.h"

#define KIND           "ScalingConstraint"
#define EBS_ZONE_LABEL "topology.ebs.csi.aws.com/zone"
#define DEFAULT_PODS   110

struct template
{
    stow_sym name, architecture, instance_type;
    stow_blob capacity, kube_reserved, system_reserved;
    int32_t priority;
    uint32_t token;
};

struct pool_in {
    struct stow_reader *r;
    uint32_t id, token;
    stow_sym name, region;
    stow_blob zones; /* of stow_sym */
    stow_blob taints, labels, annotations, quota;
    int32_t priority;
    struct template *template;
    uint32_t templates, template_cap;
};

struct constraint_in {
    struct stow_reader *r;
    struct stow_meta meta;
    uint32_t pools;
};

/* ---- templates --------------------------------------------------------------------------- */

struct template_in {
    struct stow_reader *r;
    struct template made;
};

static const struct stow_field template_fields[] = {
    STOW_FIELD_AT("architecture", sym, struct template_in, made.architecture),
    STOW_FIELD_AT("capacity", amounts, struct template_in, made.capacity),
    STOW_FIELD_AT("instanceType", sym, struct template_in, made.instance_type),
    STOW_FIELD_AT("kubeReservedCapacity", amounts, struct template_in, made.kube_reserved),
    STOW_FIELD_AT("name", sym, struct template_in, made.name),
    STOW_FIELD_FROM("priority", int32, INT32_MIN, struct template_in, made.priority),
    STOW_FIELD_AT("systemReservedCapacity", amounts, struct template_in, made.system_reserved),
};

/* Blank is as bad as absent: neither can be a label. */
static bool is_blank(const struct stow_reader *r, stow_sym sym)
{
    return stow_str_trim(stow_text(r->s, sym)).len == 0;
}

static bool has_cpu(const struct stow_reader *r, stow_blob capacity)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(r->s, capacity, struct stow_exact, &count);
    stow_i128 nano = 0;

    return stow_exact_find(list, count, STOW_SYM_CPU, &nano) && nano > 0;
}

/* The catalogue has the size of the type. */
static bool is_known(const struct stow_reader *r, stow_sym instance_type)
{
    return stow_size_find(STOW_STR(""), stow_text(r->s, instance_type)) != NULL;
}

static int check_template(struct stow_cursor *c, const struct stow_reader *r,
                          const struct template *t)
{
    const char *name = stow_text(r->s, t->name).ptr;

    if (is_blank(r, t->name))
        return stow_cursor_fail_at(c, t->token,
                                   "node template of a " KIND " has no name; expected `name`");
    if (is_blank(r, t->architecture))
        return stow_cursor_fail_at(c, t->token,
                                   "node template '%s' of a " KIND
                                   " has no architecture; expected one such as \"amd64\"",
                                   name);
    if (is_blank(r, t->instance_type))
        return stow_cursor_fail_at(c, t->token,
                                   "node template '%s' of a " KIND
                                   " has no instanceType; expected one such as \"m5.large\"",
                                   name);
    if (t->capacity ? !has_cpu(r, t->capacity) : !is_known(r, t->instance_type))
        return stow_cursor_fail_at(c, t->token,
                                   "node template '%s' of a " KIND
                                   " has no cpu; expected capacity with `cpu` above 0, or no "
                                   "capacity and an instanceType that the catalogue knows",
                                   name);
    return STOW_OK;
}

static int read_template(struct stow_cursor *c, void *into)
{
    struct pool_in *pool = into;
    struct template_in in = {.r = pool->r, .made = {.token = c->at}};

    STOW_TRY(STOW_FIELDS(c, template_fields, &in));
    STOW_TRY(check_template(c, in.r, &in.made));

    struct template *kept = STOW_PUSH(&pool->template, &pool->templates, &pool->template_cap);

    if (!kept)
        return stow_cursor_fail_memory(c);
    *kept = in.made;
    return STOW_OK;
}

/* ---- pools ------------------------------------------------------------------------------- */

static const struct stow_field pool_fields[] = {
    STOW_FIELD_AT("annotations", annotations, struct pool_in, annotations),
    STOW_FIELD_AT("availabilityZones", syms, struct pool_in, zones),
    STOW_FIELD_AT("labels", labels, struct pool_in, labels),
    STOW_FIELD_AT("name", sym, struct pool_in, name),
    STOW_FIELD_ITEMS("nodeTemplates", read_template),
    STOW_FIELD_FROM("priority", int32, INT32_MIN, struct pool_in, priority),
    STOW_FIELD_AT("quota", amounts, struct pool_in, quota),
    STOW_FIELD_AT("region", sym, struct pool_in, region),
    STOW_FIELD_AT("taints", taints, struct pool_in, taints),
};

static int check_zones(struct stow_cursor *c, const struct pool_in *in)
{
    uint32_t count;
    const stow_sym *zone = STOW_LIST(in->r->s, in->zones, stow_sym, &count);

    for (uint32_t i = 0; i < count; i++)
        if (is_blank(in->r, zone[i]))
            return stow_cursor_fail_at(
                c, in->token, "node pool '%s' of a " KIND " has a blank zone in availabilityZones",
                stow_text(in->r->s, in->name).ptr);
    return STOW_OK;
}

static int check_pool(struct stow_cursor *c, const struct pool_in *in)
{
    const char *name = stow_text(in->r->s, in->name).ptr;
    const char *lacks = is_blank(in->r, in->region) ? "no region; expected `region`"
                        : !in->zones     ? "no zones; expected at least one in `availabilityZones`"
                        : !in->templates ? "no templates; expected at least one in `nodeTemplates`"
                                         : NULL;

    if (is_blank(in->r, in->name))
        return stow_cursor_fail_at(c, in->token,
                                   "node pool of a " KIND " has no name; expected `name`");
    if (lacks)
        return stow_cursor_fail_at(c, in->token, "node pool '%s' of a " KIND " has %s", name,
                                   lacks);
    return check_zones(c, in);
}

/* ---- the node of a group ----------------------------------------------------------------- */

/* One candidate. */
struct candidate {
    const struct pool_in *pool;
    const struct template *template;
    stow_sym zone;
};

static int push_label(struct stow_reader *r, stow_sym key, stow_sym value)
{
    struct stow_label *label = key == STOW_INTERN_FAILED || value == STOW_INTERN_FAILED
                                   ? NULL
                                   : STOW_COLLECT(&r->labels, struct stow_label);

    if (!label)
        return STOW_ENOMEM;
    *label = (struct stow_label){key, value};
    return STOW_OK;
}

static int push_named(struct stow_reader *r, const char *key, stow_sym value)
{
    return push_label(r, stow_intern_text(&r->s->text, stow_str_of(key)), value);
}

/* The five that a node of the group is known by. */
static int push_placement(struct stow_reader *r, const struct candidate *made)
{
    r->labels.count = 0;
    STOW_TRY(push_label(r, STOW_SYM_INSTANCE_TYPE, made->template->instance_type));
    STOW_TRY(push_label(r, STOW_SYM_ZONE, made->zone));
    STOW_TRY(push_label(r, STOW_SYM_REGION, made->pool->region));
    STOW_TRY(push_named(r, STOW_POOL_LABEL, made->pool->name));
    return push_named(r, STOW_TEMPLATE_LABEL, made->template->name);
}

static int push_simulated(struct stow_reader *r, const struct candidate *made)
{
    STOW_TRY(push_label(r, STOW_SYM_ARCH, made->template->architecture));
    STOW_TRY(push_label(r, STOW_SYM_OS, stow_intern_text(&r->s->text, STOW_STR("linux"))));
    return push_named(r, EBS_ZONE_LABEL, made->zone);
}

static bool is_pushed(const struct stow_reader *r, stow_sym key, uint32_t count)
{
    const struct stow_label *list = r->labels.items;

    for (uint32_t i = 0; i < count; i++)
        if (list[i].key == key)
            return true;
    return false;
}

/* The pool's own after those that are facts; facts stand. */
static int push_pool_labels(struct stow_reader *r, const struct pool_in *pool)
{
    uint32_t count, facts = r->labels.count;
    const struct stow_label *list = STOW_LIST(r->s, pool->labels, struct stow_label, &count);

    for (uint32_t i = 0; i < count; i++)
        if (!is_pushed(r, list[i].key, facts))
            STOW_TRY(push_label(r, list[i].key, list[i].value));
    return STOW_OK;
}

static int close_labels(struct stow_reader *r, stow_blob *ret)
{
    stow_labels_sort(r->labels.items, r->labels.count);
    *ret =
        stow_intern_blob(&r->s->blob, r->labels.items, r->labels.count * sizeof(struct stow_label));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int make_labels(struct stow_reader *r, const struct candidate *made,
                       struct stow_group *group, struct stow_origin *origin)
{
    STOW_TRY(push_placement(r, made));
    STOW_TRY(close_labels(r, &group->selector));
    STOW_TRY(push_placement(r, made));
    STOW_TRY(push_simulated(r, made));
    STOW_TRY(close_labels(r, &origin->bare_labels));
    STOW_TRY(push_pool_labels(r, made->pool));
    return close_labels(r, &group->node.labels);
}

/* ---- its amounts ------------------------------------------------------------------------- */

/* Takes what is reserved off the amounts collected; what is not among them is passed over. */
static int subtract(struct stow_reader *r, stow_blob reserved)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(r->s, reserved, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++) {
        stow_i128 have;

        if (stow_exact_find(r->amounts.items, r->amounts.count, list[i].resource, &have) &&
            stow_exact_add(&r->amounts, list[i].resource, -stow_exact_nano(&list[i])) < 0)
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

static int collect_capacity(struct stow_reader *r, stow_blob capacity)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(r->s, capacity, struct stow_exact, &count);
    stow_i128 pods;

    r->amounts.count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (stow_exact_add(&r->amounts, list[i].resource, stow_exact_nano(&list[i])) < 0)
            return STOW_ENOMEM;
    if (!stow_exact_find(list, count, STOW_SYM_PODS, &pods))
        return stow_exact_add(&r->amounts, STOW_SYM_PODS, (stow_i128)DEFAULT_PODS * 1000000000);
    return STOW_OK;
}

static int close_amounts(struct stow_reader *r, stow_blob *ret)
{
    stow_exact_sort(r->amounts.items, r->amounts.count);
    *ret = stow_intern_blob(&r->s->blob, r->amounts.items,
                            r->amounts.count * sizeof(struct stow_exact));
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

static int make_amounts(struct stow_reader *r, const struct template *t, struct stow_node *node)
{
    if (!t->capacity)
        return STOW_OK; /* that of its instance type, once all is read */
    STOW_TRY(collect_capacity(r, t->capacity));
    STOW_TRY(close_amounts(r, &node->capacity));
    STOW_TRY(subtract(r, t->system_reserved));
    STOW_TRY(subtract(r, t->kube_reserved));
    return close_amounts(r, &node->allocatable);
}

/* ---- groups ------------------------------------------------------------------------------ */

static int fill_group(struct stow_reader *r, const struct candidate *made, struct stow_group *group,
                      struct stow_origin *origin)
{
    struct stow_snapshot *s = r->s;
    const struct pool_in *pool = made->pool;

    *origin = (struct stow_origin){
        .pool = pool->name,
        .template = made->template->name,
        .zone = made->zone,
        .instance_type = made->template->instance_type,
        .region = pool->region,
        .pool_id = pool->id,
        .quota = pool->quota,
        .node_pool = STOW_NONE,
    };
    *group = (struct stow_group){
        .name =
            stow_arena_printf(&s->arena, "%s/%s/%s", stow_text(s, pool->name).ptr,
                              stow_text(s, made->template->name).ptr, stow_text(s, made->zone).ptr),
        .exists = true,
        .has_template = true,
        .max_nodes = STOW_NONE,
        .current_nodes = STOW_NONE,
        .pool_priority = pool->priority,
        .template_priority = made->template->priority,
        .price = STOW_MONEY_UNKNOWN,
        .rate = -1,
        .daemon_overhead = STOW_NONE,
        .origin = s->origins - 1,
        .node = {.created = STOW_TIME_ALWAYS,
                 .taints = pool->taints,
                 .annotations = pool->annotations,
                 .group = STOW_NONE},
    };
    if (!group->name)
        return STOW_ENOMEM;
    STOW_TRY(make_labels(r, made, group, origin));
    return make_amounts(r, made->template, &group->node);
}

static int make_group(struct stow_reader *r, const struct candidate *made)
{
    struct stow_snapshot *s = r->s;
    struct stow_origin *origin = STOW_PUSH(&s->origin, &s->origins, &s->origin_cap);
    struct stow_group *group = STOW_PUSH(&s->group, &s->groups, &s->group_cap);

    return origin && group ? fill_group(r, made, group, origin) : STOW_ENOMEM;
}

static int make_groups(struct stow_reader *r, const struct pool_in *pool)
{
    uint32_t zones;
    const stow_sym *zone = STOW_LIST(r->s, pool->zones, stow_sym, &zones);

    for (uint32_t t = 0; t < pool->templates; t++)
        for (uint32_t z = 0; z < zones; z++)
            STOW_TRY(make_group(r, &(struct candidate){pool, &pool->template[t], zone[z]}));
    return STOW_OK;
}

static void pool_done(struct pool_in *pool)
{
    free(pool->template);
}

/* Pools of one snapshot are distinguished by where their groups begin. */
static int read_pool(struct stow_cursor *c, void *into)
{
    struct stow_reader *r = ((struct constraint_in *)into)->r;
    STOW_AUTO(pool_done)
    struct pool_in pool = {.r = r, .id = r->s->origins, .token = c->at, .quota = STOW_NONE};

    STOW_TRY(STOW_FIELDS(c, pool_fields, &pool));
    STOW_TRY(check_pool(c, &pool));
    ((struct constraint_in *)into)->pools++;
    return make_groups(r, &pool) < 0 ? stow_cursor_fail_memory(c) : STOW_OK;
}

/* ---- the constraint ---------------------------------------------------------------------- */

static const struct stow_field spec_fields[] = {STOW_FIELD_ITEMS("nodePools", read_pool)};

static const struct stow_field constraint_fields[] = {
    STOW_FIELD_AT("metadata", meta, struct constraint_in, meta),
    STOW_FIELD_OBJECT("spec", spec_fields),
};

int stow_read_scaling_constraint(struct stow_cursor *c, struct stow_reader *r)
{
    struct constraint_in in = {.r = r};
    struct stow_snapshot *s = r->s;
    uint32_t first = s->origins;

    STOW_TRY(STOW_FIELDS(c, constraint_fields, &in));
    in.meta.r = r;
    STOW_TRY(stow_check_name(c, &in.meta, KIND));
    if (!in.pools)
        return stow_cursor_fail_at(
            c, r->object, KIND " '%s' has no node pools; expected spec.nodePools", in.meta.name);
    for (uint32_t i = first; i < s->origins; i++) {
        s->origin[i].constraint = in.meta.name;
        s->origin[i].namespace = stow_meta_namespace(&in.meta);
    }
    return STOW_OK;
}
