/* translate.c - what a workload of a fleet asks for, in the words of a member.
 *
 * The fleet and the member are two snapshots with texts of their own.  What the workload asks for
 * is therefore written again with the member's texts, new ones included: interning adds,
 * and changes nothing that is there.
 *
 * A template is written again only where its pods mind other pods (host ports, affinity, spread,
 * volumes), or pods of the member mind others: everything else about it is in the claim and
 * the requests. */
#include "divide/members/translate.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/fork.h"
#include "model/pods/requests.h"

/* ---- lists ------------------------------------------------------------------------------- */

/* `failed` is remembered, so that not every text is asked for it. */
struct translation {
    const struct stow_snapshot *from;
    struct stow_snapshot *to;
    bool failed;
};

static stow_sym text_of(struct translation *t, stow_sym symbol)
{
    stow_sym made = stow_intern_text(&t->to->text, stow_text(t->from, symbol));

    t->failed |= made == STOW_INTERN_FAILED;
    return made;
}

static void change_label(struct translation *t, void *item)
{
    struct stow_label *label = item;

    label->key = text_of(t, label->key);
    label->value = text_of(t, label->value);
}

static void change_amount(struct translation *t, void *item)
{
    struct stow_exact *amount = item;

    amount->resource = text_of(t, amount->resource);
}

/* Writes a list again; every item is a copy that `change` gives the texts of the other side.  Some
 * lists are in the order of handles, which is another one there. */
static stow_blob list_of(struct translation *t, stow_blob blob, size_t size,
                         void (*change)(struct translation *t, void *item))
{
    uint32_t count;
    const void *list = stow_list(t->from, blob, size, &count);
    STOW_AUTO(stow_free_local) char *copy = count ? malloc(count * size) : NULL;

    if (blob == STOW_NONE || count == 0)
        return blob;
    if (!copy) {
        t->failed = true;
        return 0;
    }
    memcpy(copy, list, count * size);
    for (uint32_t i = 0; i < count; i++)
        change(t, copy + i * size);
    if (change == change_label)
        stow_labels_sort((void *)copy, count);
    if (change == change_amount)
        stow_exact_sort((void *)copy, count);

    stow_blob made = stow_intern_blob(&t->to->blob, copy, count * size);

    t->failed |= made == STOW_INTERN_FAILED;
    return made;
}

static void change_text(struct translation *t, void *item)
{
    stow_sym *symbol = item;

    *symbol = text_of(t, *symbol);
}

static void change_requirement(struct translation *t, void *item)
{
    struct stow_requirement *r = item;

    r->key = text_of(t, r->key);
    r->values = list_of(t, r->values, sizeof(stow_sym), change_text);
}

static void change_term(struct translation *t, void *item)
{
    struct stow_node_term *term = item;

    term->expressions =
        list_of(t, term->expressions, sizeof(struct stow_requirement), change_requirement);
    term->fields = list_of(t, term->fields, sizeof(struct stow_requirement), change_requirement);
}

static void change_toleration(struct translation *t, void *item)
{
    struct stow_toleration *toleration = item;

    toleration->key = text_of(t, toleration->key);
    toleration->value = text_of(t, toleration->value);
}

static void change_pod_term(struct translation *t, void *item)
{
    struct stow_pod_term *term = item;

    term->selector =
        list_of(t, term->selector, sizeof(struct stow_requirement), change_requirement);
    term->namespaces = list_of(t, term->namespaces, sizeof(stow_sym), change_text);
    term->namespace_selector =
        list_of(t, term->namespace_selector, sizeof(struct stow_requirement), change_requirement);
    term->topology_key = text_of(t, term->topology_key);
    term->match_keys = list_of(t, term->match_keys, sizeof(stow_sym), change_text);
    term->mismatch_keys = list_of(t, term->mismatch_keys, sizeof(stow_sym), change_text);
}

static void change_spread(struct translation *t, void *item)
{
    struct stow_spread *spread = item;

    spread->topology_key = text_of(t, spread->topology_key);
    spread->selector =
        list_of(t, spread->selector, sizeof(struct stow_requirement), change_requirement);
    spread->match_keys = list_of(t, spread->match_keys, sizeof(stow_sym), change_text);
}

static void change_port(struct translation *t, void *item)
{
    struct stow_port *port = item;

    port->ip = text_of(t, port->ip);
    port->protocol = text_of(t, port->protocol);
}

static void change_disk(struct translation *t, void *item)
{
    struct stow_disk *disk = item;

    disk->id = text_of(t, disk->id);
    disk->pool = text_of(t, disk->pool);
    disk->monitors = list_of(t, disk->monitors, sizeof(stow_sym), change_text);
}

static void change_device(struct translation *t, void *item)
{
    struct stow_pod_claim *claim = item;

    claim->name = text_of(t, claim->name);
    claim->claim = text_of(t, claim->claim);
    claim->template = text_of(t, claim->template);
}

static void change_own(struct translation *t, void *item)
{
    struct stow_own_claim *own = item;

    own->volume = text_of(t, own->volume);
    own->class = own->class == STOW_NONE ? STOW_NONE : text_of(t, own->class);
}

/* Of containers only the ports are asked about: what they request is in the binding. */
static void change_container(struct translation *t, void *item)
{
    struct stow_container *container = item;

    container->image = 0;
    container->requests = container->limits = 0;
    container->ports = list_of(t, container->ports, sizeof(struct stow_port), change_port);
}

/* ---- templates --------------------------------------------------------------------------- */

static bool has_ports(const struct stow_snapshot *s, const struct stow_pod_spec *spec)
{
    uint32_t count;
    const struct stow_container *list =
        STOW_LIST(s, spec->containers, struct stow_container, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].ports)
            return true;
    return false;
}

static bool has_hard_spread(const struct stow_snapshot *s, const struct stow_pod_spec *spec)
{
    uint32_t count;
    const struct stow_spread *list = STOW_LIST(s, spec->spread, struct stow_spread, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].flags & STOW_SPREAD_HARD)
            return true;
    return false;
}

/* Whether a pod of the spec looks at others, or at volumes, before it goes to a node. */
static bool looks_around(const struct stow_snapshot *s, const struct stow_pod_spec *spec)
{
    return spec->affinity_required || spec->anti_required || spec->claims || spec->disks ||
           spec->devices || has_hard_spread(s, spec) || has_ports(s, spec);
}

static bool anyone_repels(const struct stow_snapshot *s)
{
    for (stow_spec_id i = 1; i < stow_spec_end(s); i++)
        if (stow_spec(s, i)->anti_required)
            return true;
    return false;
}

static struct stow_pod_spec translate_spec(struct translation *t, const struct stow_pod_spec *spec)
{
    return (struct stow_pod_spec){
        .containers = list_of(t, spec->containers, sizeof(struct stow_container), change_container),
        .node_selector = list_of(t, spec->node_selector, sizeof(struct stow_label), change_label),
        .node_required =
            list_of(t, spec->node_required, sizeof(struct stow_node_term), change_term),
        .affinity_required =
            list_of(t, spec->affinity_required, sizeof(struct stow_pod_term), change_pod_term),
        .anti_required =
            list_of(t, spec->anti_required, sizeof(struct stow_pod_term), change_pod_term),
        .tolerations =
            list_of(t, spec->tolerations, sizeof(struct stow_toleration), change_toleration),
        .spread = list_of(t, spec->spread, sizeof(struct stow_spread), change_spread),
        .claims = list_of(t, spec->claims, sizeof(stow_sym), change_text),
        .disks = list_of(t, spec->disks, sizeof(struct stow_disk), change_disk),
        .devices = list_of(t, spec->devices, sizeof(struct stow_pod_claim), change_device),
        .own_claims = list_of(t, spec->own_claims, sizeof(struct stow_own_claim), change_own),
    };
}

/* What a pod of the template requests, by the member's resources. */
static stow_blob demand_of(struct translation *t, stow_blob requests)
{
    struct stow_snapshot *s = t->to;
    uint32_t count, made = 0;
    const struct stow_exact *list = STOW_LIST(s, requests, struct stow_exact, &count);
    STOW_AUTO(stow_free_local) struct stow_amount *amount = calloc(count + 1, sizeof(*amount));

    t->failed |= !amount;
    for (stow_resource_id r = 0; !t->failed && r < s->resources; r++) {
        stow_i128 nano;

        if (r != STOW_RESOURCE_PODS && stow_exact_find(list, count, s->resource[r], &nano))
            amount[made++] = (struct stow_amount){r, 0, stow_resource_units(r, nano)};
    }

    stow_blob blob = stow_intern_blob(&s->blob, amount, made * sizeof(*amount));

    t->failed |= blob == STOW_INTERN_FAILED;
    return t->failed ? 0 : blob;
}

/* The template among the specs of the member, which is told what it requests. */
static stow_spec_id add_template(struct translation *t, const struct stow_pod_spec *spec,
                                 stow_blob requests)
{
    struct stow_snapshot *s = t->to;
    const uint32_t before = stow_spec_end(s);
    const bool owned = stow_fork_own(s) >= 0;
    const struct stow_pod_spec made = translate_spec(t, spec);
    const stow_blob demand = demand_of(t, requests);
    const stow_spec_id id =
        t->failed || !owned ? STOW_INTERN_FAILED : stow_intern_blob(&s->spec, &made, sizeof(made));
    struct stow_demand *grown;

    t->failed |= id == STOW_INTERN_FAILED;
    if (t->failed)
        return STOW_NONE;
    grown = realloc(s->demand, stow_spec_end(s) * sizeof(*grown));
    t->failed |= !grown;
    if (!grown)
        return STOW_NONE;
    s->demand = grown;
    if (id >= before)
        s->demand[id] = (struct stow_demand){.requests = demand};
    return id;
}

static void translate_template(struct translation *t, const struct stow_binding *b,
                               struct stow_asked *ret)
{
    const struct stow_workload *w =
        b->flags & STOW_BINDING_IMPLIED ? &t->from->workload[b->workload] : NULL;

    ret->template = STOW_NONE;
    if (!w || w->template_spec == STOW_NONE)
        return;

    const struct stow_pod_spec *spec = stow_spec(t->from, w->template_spec);

    if (!looks_around(t->from, spec) &&
        !(spec->own_claims && (t->to->mounts || t->to->storage_classes)) && !anyone_repels(t->to))
        return;
    ret->namespace = text_of(t, w->namespace);
    ret->labels = list_of(t, w->template_labels, sizeof(struct stow_label), change_label);
    ret->template = add_template(t, spec, ret->requests);
}

static struct stow_node_claim translate_claim(struct translation *t,
                                              const struct stow_node_claim *claim)
{
    return (struct stow_node_claim){
        .node_selector = list_of(t, claim->node_selector, sizeof(struct stow_label), change_label),
        .node_required =
            list_of(t, claim->node_required, sizeof(struct stow_node_term), change_term),
        .tolerations =
            list_of(t, claim->tolerations, sizeof(struct stow_toleration), change_toleration),
    };
}

int stow_translate_binding(const struct stow_snapshot *fleet, struct stow_snapshot *member,
                           const struct stow_binding *b, struct stow_asked *ret,
                           struct stow_err *err)
{
    struct translation t = {fleet, member, false};

    ret->claim = translate_claim(&t, &b->claim);
    ret->requests = list_of(&t, b->requests, sizeof(struct stow_exact), change_amount);
    translate_template(&t, b, ret);
    return t.failed ? stow_fail_memory(err) : STOW_OK;
}

int stow_translate_components(const struct stow_snapshot *fleet, struct stow_snapshot *member,
                              const struct stow_binding *b, struct stow_component *ret,
                              struct stow_err *err)
{
    struct translation t = {fleet, member, false};
    uint32_t count;
    const struct stow_component *list =
        STOW_LIST(fleet, b->components, struct stow_component, &count);

    for (uint32_t i = 0; i < count; i++) {
        ret[i] = list[i];
        ret[i].name = text_of(&t, list[i].name);
        ret[i].requests = list_of(&t, list[i].requests, sizeof(struct stow_exact), change_amount);
        ret[i].claim = translate_claim(&t, &list[i].claim);
    }
    return t.failed ? stow_fail_memory(err) : STOW_OK;
}
