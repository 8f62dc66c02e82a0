/* view.c - what a rule that a program brought may see of the pod and the nodes. */
#include <string.h>

#include "place/custom/custom.h"

/* ---- shared ------------------------------------------------------------------------------ */

/* NULL for a text that is not there. */
static const char *text_of(const struct stow_snapshot *s, stow_sym sym)
{
    return sym && sym != STOW_NONE ? stow_text(s, sym).ptr : NULL;
}

static stow_resource_id resource_of(const struct stow_snapshot *s, const char *name)
{
    const stow_sym sym = name ? stow_intern_find(&s->text, stow_str_of(name)) : STOW_INTERN_FAILED;

    return sym == STOW_INTERN_FAILED ? STOW_NONE : stow_resource_find(s, sym);
}

/* Objects show annotations of keys that were declared, and of no others (model/annotations.h). */
static bool is_declared(struct stow_custom_self *self, const char *key)
{
    for (const char *const *one = self->rule->annotations; key && *one; one++)
        if (strcmp(*one, key) == 0)
            return true;
    stow_custom_note(self, STOW_EWRONG,
                     "reads the annotation '%.100s', which is not in its list of annotations",
                     key ? key : "");
    return false;
}

/* A rule is asked again only about what it says that it sees. */
static bool may_see(struct stow_custom_self *self, uint32_t what, const char *words)
{
    if (self->rule->sees & what)
        return true;
    stow_custom_note(self, STOW_EWRONG, "reads %s without saying so in `sees`", words);
    return false;
}

/* ---- the pod ----------------------------------------------------------------------------- */

const char *stow_rule_pod_namespace(const struct stow_rule_pod *pod)
{
    return pod ? stow_text(pod->state->s, pod->subject->pod->namespace).ptr : NULL;
}

const char *stow_rule_pod_label(const struct stow_rule_pod *pod, const char *key)
{
    return pod && key ? stow_label_text(pod->state->s, pod->subject->pod->labels, key).ptr : NULL;
}

const char *stow_rule_pod_priority_class(const struct stow_rule_pod *pod)
{
    return pod ? text_of(pod->state->s, pod->subject->spec->priority_class) : NULL;
}

int32_t stow_rule_pod_priority(const struct stow_rule_pod *pod)
{
    return pod ? pod->subject->pod->priority : 0;
}

static const struct stow_owner *owner_of(const struct stow_rule_pod *pod)
{
    uint32_t count = 0;
    const struct stow_owner *owner =
        pod ? STOW_LIST(pod->state->s, pod->subject->pod->owner, struct stow_owner, &count) : NULL;

    return count ? owner : NULL;
}

const char *stow_rule_pod_owner_kind(const struct stow_rule_pod *pod)
{
    const struct stow_owner *owner = owner_of(pod);

    return owner ? text_of(pod->state->s, owner->kind) : NULL;
}

const char *stow_rule_pod_owner_name(const struct stow_rule_pod *pod)
{
    const struct stow_owner *owner = owner_of(pod);

    return owner ? text_of(pod->state->s, owner->name) : NULL;
}

int64_t stow_rule_pod_request(const struct stow_rule_pod *pod, const char *resource)
{
    const stow_resource_id wanted = pod ? resource_of(pod->state->s, resource) : STOW_NONE;
    const struct stow_amount *amount;
    uint32_t count;

    if (wanted == STOW_NONE)
        return 0;
    amount = STOW_LIST(pod->state->s, pod->subject->demand->requests, struct stow_amount, &count);
    for (uint32_t i = 0; i < count; i++)
        if (amount[i].resource == wanted)
            return amount[i].value;
    return 0;
}

const char *stow_rule_pod_annotation(const struct stow_rule_pod *pod, const char *key)
{
    if (!pod || !is_declared(pod->self, key))
        return NULL;
    return stow_label_text(pod->state->s, pod->subject->pod->annotations, key).ptr;
}

const char *stow_rule_pod_name(const struct stow_rule_pod *pod)
{
    if (!pod || !may_see(pod->self, STOW_RULE_SEES_POD_NAMES, "names of pods"))
        return NULL;
    return pod->subject->pod->name;
}

const char *stow_rule_option_value(const struct stow_rule_pod *pod, const char *option)
{
    const struct stow_rule_setting *options = pod ? pod->self->rule->options : NULL;

    for (uint32_t i = 0; options && option && options[i].name; i++)
        if (strcmp(options[i].name, option) == 0)
            return pod->self->value[i] ? pod->self->value[i] : options[i].fallback;
    if (pod)
        stow_custom_note(pod->self, STOW_EWRONG,
                         "reads the option '%.100s', which is not in its list of options",
                         option ? option : "");
    return NULL;
}

/* ---- nodes ------------------------------------------------------------------------------- */

/* NULL for an index that is too large. */
static const struct stow_node *node_of(const struct stow_rule_nodes *nodes, uint32_t i)
{
    if (nodes && i < nodes->count)
        return &nodes->state->s->node[nodes->node[i]];
    if (nodes)
        stow_custom_note(nodes->self, STOW_EWRONG, "reads node %u of %u", i, nodes->count);
    return NULL;
}

const char *stow_rule_node_name(const struct stow_rule_nodes *nodes, uint32_t i)
{
    const struct stow_node *node = node_of(nodes, i);

    return node ? node->name : NULL;
}

const char *stow_rule_node_label(const struct stow_rule_nodes *nodes, uint32_t i, const char *key)
{
    const struct stow_node *node = node_of(nodes, i);

    return node && key ? stow_label_text(nodes->state->s, node->labels, key).ptr : NULL;
}

/* The label, or the one that it had in its beta. */
static const char *label_of(const struct stow_rule_nodes *nodes, uint32_t i, stow_sym key,
                            stow_sym beta)
{
    const struct stow_node *node = node_of(nodes, i);
    stow_sym value = STOW_NONE;

    if (node)
        value = stow_label_value(nodes->state->s, node->labels, key);
    if (node && value == STOW_NONE)
        value = stow_label_value(nodes->state->s, node->labels, beta);
    return node ? text_of(nodes->state->s, value) : NULL;
}

const char *stow_rule_node_zone(const struct stow_rule_nodes *nodes, uint32_t i)
{
    return label_of(nodes, i, STOW_SYM_ZONE, STOW_SYM_ZONE_BETA);
}

const char *stow_rule_node_region(const struct stow_rule_nodes *nodes, uint32_t i)
{
    return label_of(nodes, i, STOW_SYM_REGION, STOW_SYM_REGION_BETA);
}

const char *stow_rule_node_instance_type(const struct stow_rule_nodes *nodes, uint32_t i)
{
    return label_of(nodes, i, STOW_SYM_INSTANCE_TYPE, STOW_SYM_INSTANCE_TYPE_BETA);
}

bool stow_rule_node_is_spot(const struct stow_rule_nodes *nodes, uint32_t i)
{
    return node_of(nodes, i) && nodes->state->facts[nodes->node[i]].spot;
}

bool stow_rule_node_is_unschedulable(const struct stow_rule_nodes *nodes, uint32_t i)
{
    const struct stow_node *node = node_of(nodes, i);

    return node && node->flags & STOW_NODE_UNSCHEDULABLE;
}

int64_t stow_rule_node_allocatable(const struct stow_rule_nodes *nodes, uint32_t i,
                                   const char *resource)
{
    const stow_resource_id wanted =
        node_of(nodes, i) ? resource_of(nodes->state->s, resource) : STOW_NONE;

    return wanted == STOW_NONE ? 0 : stow_state_allocatable(nodes->state, wanted, nodes->node[i]);
}

int64_t stow_rule_node_price(const struct stow_rule_nodes *nodes, uint32_t i)
{
    if (!node_of(nodes, i) || !nodes->state->money)
        return STOW_MONEY_UNKNOWN;
    return nodes->state->money[nodes->node[i]].price;
}

uint32_t stow_rule_node_taints(const struct stow_rule_nodes *nodes, uint32_t i)
{
    const struct stow_node *node = node_of(nodes, i);
    uint32_t count = 0;

    if (node)
        stow_list(nodes->state->s, node->taints, sizeof(struct stow_taint), &count);
    return count;
}

bool stow_rule_node_taint(const struct stow_rule_nodes *nodes, uint32_t i, uint32_t taint,
                          const char **ret_key, const char **ret_value, const char **ret_effect)
{
    static const char *const effects[] = {[STOW_EFFECT_ANY] = "",
                                          [STOW_EFFECT_NO_SCHEDULE] = "NoSchedule",
                                          [STOW_EFFECT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
                                          [STOW_EFFECT_NO_EXECUTE] = "NoExecute",
                                          [STOW_EFFECT_UNKNOWN] = ""};
    const struct stow_node *node = node_of(nodes, i);
    const struct stow_taint *list;
    uint32_t count = 0;

    list = node ? STOW_LIST(nodes->state->s, node->taints, struct stow_taint, &count) : NULL;
    if (taint >= count)
        return false;
    if (ret_key)
        *ret_key = stow_text(nodes->state->s, list[taint].key).ptr;
    if (ret_value)
        *ret_value = stow_text(nodes->state->s, list[taint].value).ptr;
    if (ret_effect)
        *ret_effect = effects[list[taint].effect];
    return true;
}

const char *stow_rule_node_annotation(const struct stow_rule_nodes *nodes, uint32_t i,
                                      const char *key)
{
    const struct stow_node *node = node_of(nodes, i);

    if (!node || !is_declared(nodes->self, key))
        return NULL;
    return stow_label_text(nodes->state->s, node->annotations, key).ptr;
}

static bool may_see_use(const struct stow_rule_nodes *nodes, uint32_t i)
{
    return node_of(nodes, i) &&
           may_see(nodes->self, STOW_RULE_SEES_USE, "what is requested on nodes");
}

int64_t stow_rule_node_requested(const struct stow_rule_nodes *nodes, uint32_t i,
                                 const char *resource)
{
    const stow_resource_id wanted =
        may_see_use(nodes, i) ? resource_of(nodes->state->s, resource) : STOW_NONE;

    if (wanted == STOW_RESOURCE_PODS)
        return nodes->state->pods_on[nodes->node[i]];
    return wanted == STOW_NONE ? 0 : stow_state_requested(nodes->state, wanted, nodes->node[i]);
}

uint32_t stow_rule_node_pods(const struct stow_rule_nodes *nodes, uint32_t i)
{
    return may_see_use(nodes, i) ? nodes->state->pods_on[nodes->node[i]] : 0;
}
