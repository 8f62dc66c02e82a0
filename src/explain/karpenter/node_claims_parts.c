/* node_claims_parts.c - pieces of Karpenter's objects, as NodeClaims and NodePools both have them.
 */
#include "explain/karpenter/node_claims_internal.h"

#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/karpenter/pool_labels.h"

const char *const stow_decided_key[STOW_DECIDED_KEYS] = {
    [STOW_DECIDED_TYPE] = "node.kubernetes.io/instance-type",
    [STOW_DECIDED_ZONE] = "topology.kubernetes.io/zone",
    [STOW_DECIDED_CAPACITY] = STOW_CAPACITY_LABEL,
};

static stow_sym label_of(const struct stow_snapshot *s, stow_group_id group, struct stow_str key)
{
    const stow_sym sym = stow_intern_find(&s->text, key);
    const stow_sym value =
        sym == STOW_INTERN_FAILED ? STOW_NONE : stow_label_value(s, s->fresh[group].labels, sym);

    return value == STOW_NONE ? 0 : value;
}

stow_sym stow_decided_value(const struct stow_snapshot *s, stow_group_id group,
                            enum stow_decided_key key)
{
    return label_of(s, group, stow_str_of(stow_decided_key[key]));
}

bool stow_requirement_is_decided(const struct stow_snapshot *s,
                                 const struct stow_pool_requirement *requirement)
{
    const struct stow_str key = stow_label_normal(stow_text(s, requirement->key));

    for (int i = 0; i < STOW_DECIDED_KEYS; i++)
        if (stow_str_is(key, stow_decided_key[i]))
            return true;
    return false;
}

uint32_t stow_claims_values(const struct stow_claims_input *in, const struct stow_node_pool *pool,
                            const struct stow_pool_requirement *requirement)
{
    const struct stow_str key = stow_label_normal(stow_text(in->s, requirement->key));
    uint32_t count = 0;

    for (uint32_t i = 0; i < in->nodes; i++) {
        const stow_sym value = label_of(in->s, in->node[i].group, key);
        bool first = value != 0 && stow_group_pool(in->s, in->node[i].group) == pool;

        for (uint32_t j = 0; j < i && first; j++)
            first = stow_group_pool(in->s, in->node[j].group) != pool ||
                    label_of(in->s, in->node[j].group, key) != value;
        count += first;
    }
    return count;
}

/* ---- labels and requirements --------------------------------------------------------------- */

static int compare_labels(const void *a, const void *b, void *of)
{
    const struct stow_snapshot *s = of;

    return stow_str_cmp(stow_text(s, ((const struct stow_label *)a)->key),
                        stow_text(s, ((const struct stow_label *)b)->key));
}

struct stow_value *stow_labels_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                     stow_blob labels)
{
    uint32_t count;
    const struct stow_label *list = STOW_LIST(s, labels, struct stow_label, &count);
    struct stow_value *v;
    STOW_AUTO(stow_free_local) struct stow_label *sorted = NULL;

    if (!count)
        return NULL;
    v = stow_doc_object(doc);
    sorted = malloc(count * sizeof(*sorted));
    doc->failed |= !sorted;
    if (!sorted)
        return v;
    memcpy(sorted, list, count * sizeof(*sorted));
    qsort_r(sorted, count, sizeof(*sorted), compare_labels, (void *)s);
    for (uint32_t i = 0; i < count; i++)
        stow_value_set_str(doc, v, stow_text(s, sorted[i].key),
                           stow_doc_str(doc, stow_text(s, sorted[i].value)));
    return v;
}

struct stow_value *stow_requirement_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                          const struct stow_pool_requirement *requirement)
{
    struct stow_value *v = stow_doc_object(doc), *values = stow_doc_array(doc);
    uint32_t count;
    const stow_sym *list = STOW_LIST(s, requirement->values, stow_sym, &count);

    stow_value_set(doc, v, "key", stow_doc_str(doc, stow_text(s, requirement->key)));
    stow_value_set(doc, v, "operator",
                   stow_doc_text(doc, stow_pool_operator_name[requirement->op]));
    for (uint32_t i = 0; i < count; i++)
        stow_value_push(doc, values, stow_doc_str(doc, stow_text(s, list[i])));
    if (count)
        stow_value_set(doc, v, "values", values);
    return v;
}

/* ---- the template -------------------------------------------------------------------------- */

static struct stow_value *taints_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                       stow_blob taints)
{
    static const char *const effects[] = {[STOW_EFFECT_NO_SCHEDULE] = "NoSchedule",
                                          [STOW_EFFECT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
                                          [STOW_EFFECT_NO_EXECUTE] = "NoExecute"};
    struct stow_value *list = stow_doc_array(doc);
    uint32_t count;
    const struct stow_taint *taint = STOW_LIST(s, taints, struct stow_taint, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct stow_value *v = stow_doc_object(doc);
        const bool known =
            taint[i].effect >= STOW_EFFECT_NO_SCHEDULE && taint[i].effect <= STOW_EFFECT_NO_EXECUTE;

        stow_value_set(doc, v, "key", stow_doc_str(doc, stow_text(s, taint[i].key)));
        if (taint[i].value)
            stow_value_set(doc, v, "value", stow_doc_str(doc, stow_text(s, taint[i].value)));
        stow_value_set(doc, v, "effect", stow_doc_text(doc, known ? effects[taint[i].effect] : ""));
        stow_value_push(doc, list, v);
    }
    return count ? list : NULL;
}

bool stow_pool_class(const struct stow_snapshot *s, const struct stow_node_pool *pool,
                     struct stow_str *ret_group, struct stow_str *ret_kind)
{
    const bool known = pool->class_at != STOW_NONE;
    const enum stow_class_form form = known ? s->node_class[pool->class_at].form : 0;

    *ret_group = pool->class.group ? stow_text(s, pool->class.group)
                                   : stow_str_of(known ? stow_class_group(form) : "");
    *ret_kind = pool->class.kind ? stow_text(s, pool->class.kind)
                                 : stow_str_of(known ? stow_class_kind(form) : "");
    return ret_group->len && ret_kind->len;
}

static int set_class(struct stow_doc *doc, const struct stow_snapshot *s,
                     const struct stow_node_pool *pool, struct stow_value *spec,
                     struct stow_err *err)
{
    struct stow_value *v = stow_doc_object(doc);
    struct stow_str group, kind;

    if (!stow_pool_class(s, pool, &group, &kind))
        return stow_fail(err, STOW_EINVAL,
                         "NodePool '%s' does not state the group and kind of its node class; also "
                         "give the node class",
                         pool->name);
    stow_value_set(doc, v, "group", stow_doc_str(doc, group));
    stow_value_set(doc, v, "kind", stow_doc_str(doc, kind));
    stow_value_set(doc, v, "name", stow_doc_str(doc, stow_text(s, pool->class.name)));
    stow_value_set(doc, spec, "nodeClassRef", v);
    return STOW_OK;
}

int stow_template_set(struct stow_doc *doc, const struct stow_snapshot *s,
                      const struct stow_node_pool *pool, struct stow_value *spec,
                      struct stow_err *err)
{
    struct stow_value *taints = taints_value(doc, s, pool->taints);
    struct stow_value *startup = taints_value(doc, s, pool->startup_taints);

    if (taints)
        stow_value_set(doc, spec, "taints", taints);
    if (startup)
        stow_value_set(doc, spec, "startupTaints", startup);
    STOW_TRY(set_class(doc, s, pool, spec, err));
    if (pool->expire_after.text)
        stow_value_set(doc, spec, "expireAfter",
                       stow_doc_str(doc, stow_text(s, pool->expire_after.text)));
    if (pool->termination_grace.text)
        stow_value_set(doc, spec, "terminationGracePeriod",
                       stow_doc_str(doc, stow_text(s, pool->termination_grace.text)));
    return STOW_OK;
}

struct stow_value *stow_amounts_value(struct stow_doc *doc, const struct stow_snapshot *s,
                                      stow_blob amounts)
{
    struct stow_value *v = stow_doc_object(doc);
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, amounts, struct stow_exact, &count);
    char text[STOW_RESOURCE_TEXT];

    for (uint32_t i = 0; i < count; i++) {
        const struct stow_str name = stow_text(s, list[i].resource);

        stow_value_set_str(
            doc, v, name,
            stow_doc_text(doc, stow_resource_text(name, stow_exact_nano(&list[i]), text)));
    }
    return v;
}

/* ---- lists --------------------------------------------------------------------------------- */

int stow_claims_check(const struct stow_claims_input *in, const char *form, struct stow_err *err)
{
    for (uint32_t i = 0; i < in->nodes; i++)
        if (!stow_group_pool(in->s, in->node[i].group))
            return stow_fail(err, STOW_EINVAL,
                             "-o %s: group '%s' of the plan does not belong to a NodePool; only "
                             "nodes of NodePools can be written for Karpenter",
                             form, in->s->group[in->node[i].group].name);
    return STOW_OK;
}

struct stow_value *stow_list_value(struct stow_doc *doc, struct stow_value *items)
{
    struct stow_value *v = stow_doc_object(doc);

    stow_value_set(doc, v, "apiVersion", stow_doc_text(doc, "v1"));
    stow_value_set(doc, v, "kind", stow_doc_text(doc, "List"));
    stow_value_set(doc, v, "items", items);
    return v;
}
