/* node_pools.c - NodePools narrowed to what a plan buys of them.
 *
 * Karpenter decides itself then, but among the types, zones and capacity types of the plan.  Those
 * of nodes that stay in the pool are in the lists, too, as far as the pool admits them now: a node
 * that its pool no longer admits drifts, and Karpenter replaces it.  All else of a pool is written
 * as it was read.  A minValues that the plan's types do not meet is left out, or the pool could buy
 * nothing. */
#include <stdio.h>
#include <stdlib.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "explain/karpenter/node_claims_internal.h"
#include "model/karpenter/requirement.h"

/* What is written of one pool. */
struct narrowing {
    struct stow_doc *doc;
    const struct stow_claims_input *in;
    const struct stow_snapshot *s;
    const struct stow_node_pool *pool;
    struct stow_value_sets admits; /* what the pool asks for now */
    stow_sym *value;               /* room for one per node, there or coming */
};

/* ---- requirements -------------------------------------------------------------------------- */

static int compare_texts(const void *a, const void *b, void *of)
{
    return stow_str_cmp(stow_text(of, *(const stow_sym *)a), stow_text(of, *(const stow_sym *)b));
}

/* The value of a node or claim of the pool that the pool admits; 0: there is none. */
static stow_sym kept_value(const struct narrowing *n, stow_blob labels, enum stow_decided_key key)
{
    const struct stow_str text = stow_label_text(n->s, labels, stow_decided_key[key]);
    const struct stow_value_set *set =
        stow_value_sets_find(&n->admits, stow_str_of(stow_decided_key[key]));

    if (!text.len ||
        !stow_str_is(stow_label_text(n->s, labels, STOW_NODEPOOL_LABEL), n->pool->name) ||
        (set && !stow_value_set_has(set, text)))
        return 0;
    return stow_intern_find(&n->s->text, text);
}

/* Of nodes that stay, and of claims whose nodes are still to come. */
static uint32_t list_kept(struct narrowing *n, enum stow_decided_key key, uint32_t count)
{
    for (uint32_t i = 0; i < n->in->kepts; i++) {
        const stow_sym value = kept_value(n, n->s->node[n->in->kept[i]].labels, key);

        if (value)
            n->value[count++] = value;
    }
    for (uint32_t i = 0; i < n->s->node_claims; i++) {
        const struct stow_machine_claim *claim = &n->s->node_claim[i];
        const stow_sym value = kept_value(n, claim->labels, key);

        if (value && !claim->node_name && !(claim->flags & STOW_MACHINE_CLAIM_DELETED))
            n->value[count++] = value;
    }
    return count;
}

/* The values that the nodes of the pool have, sorted, each once. */
static uint32_t list_values(struct narrowing *n, enum stow_decided_key key)
{
    uint32_t count = 0, kept = 0;

    for (uint32_t i = 0; i < n->in->nodes; i++) {
        const stow_group_id group = n->in->node[i].group;

        if (stow_group_pool(n->s, group) == n->pool && stow_decided_value(n->s, group, key))
            n->value[count++] = stow_decided_value(n->s, group, key);
    }
    count = list_kept(n, key, count);
    qsort_r(n->value, count, sizeof(*n->value), compare_texts, (void *)n->s);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || n->value[i] != n->value[kept - 1])
            n->value[kept++] = n->value[i];
    return kept;
}

/* The largest minValues that the pool asks of a key and this many values meet; 0: none. */
static int64_t least_values(const struct narrowing *n, const char *key, uint32_t values)
{
    uint32_t count;
    const struct stow_pool_requirement *list =
        STOW_LIST(n->s, n->pool->requirements, struct stow_pool_requirement, &count);
    int64_t least = 0;

    for (uint32_t i = 0; i < count; i++)
        if (stow_str_is(stow_text(n->s, list[i].key), key) && list[i].min_values > least &&
            (uint32_t)list[i].min_values <= values)
            least = list[i].min_values;
    return least;
}

static void push_decided(struct narrowing *n, enum stow_decided_key key, struct stow_value *list)
{
    struct stow_value *line = stow_doc_object(n->doc), *values = stow_doc_array(n->doc);
    const uint32_t count = list_values(n, key);
    const int64_t least = least_values(n, stow_decided_key[key], count);

    if (!count)
        return;
    stow_value_set(n->doc, line, "key", stow_doc_text(n->doc, stow_decided_key[key]));
    stow_value_set(n->doc, line, "operator", stow_doc_text(n->doc, "In"));
    for (uint32_t i = 0; i < count; i++)
        stow_value_push(n->doc, values, stow_doc_str(n->doc, stow_text(n->s, n->value[i])));
    stow_value_set(n->doc, line, "values", values);
    if (least)
        stow_value_set(n->doc, line, "minValues", stow_doc_int(n->doc, least));
    stow_value_push(n->doc, list, line);
}

static struct stow_value *requirements_value(struct narrowing *n)
{
    struct stow_value *list = stow_doc_array(n->doc);
    uint32_t count;
    const struct stow_pool_requirement *given =
        STOW_LIST(n->s, n->pool->requirements, struct stow_pool_requirement, &count);

    for (int i = 0; i < STOW_DECIDED_KEYS; i++)
        push_decided(n, (enum stow_decided_key)i, list);
    for (uint32_t i = 0; i < count; i++) {
        struct stow_value *line;

        if (stow_requirement_is_decided(n->s, &given[i]))
            continue;
        line = stow_requirement_value(n->doc, n->s, &given[i]);
        if (given[i].min_values &&
            (uint32_t)given[i].min_values <= stow_claims_values(n->in, n->pool, &given[i]))
            stow_value_set(n->doc, line, "minValues", stow_doc_int(n->doc, given[i].min_values));
        stow_value_push(n->doc, list, line);
    }
    return list;
}

/* ---- disruption ---------------------------------------------------------------------------- */

static struct stow_value *budgets_value(struct narrowing *n)
{
    struct stow_value *list = stow_doc_array(n->doc);
    uint32_t count;
    const struct stow_pool_budget *budget =
        STOW_LIST(n->s, n->pool->budgets, struct stow_pool_budget, &count);

    for (uint32_t i = 0; i < count; i++) {
        struct stow_value *v = stow_doc_object(n->doc), *reasons = stow_doc_array(n->doc);
        uint32_t others;
        const stow_sym *reason = STOW_LIST(n->s, budget[i].reasons, stow_sym, &others);

        stow_value_set(n->doc, v, "nodes", stow_doc_str(n->doc, stow_text(n->s, budget[i].nodes)));
        for (uint32_t r = 0; r < others; r++)
            stow_value_push(n->doc, reasons, stow_doc_str(n->doc, stow_text(n->s, reason[r])));
        if (budget[i].has_reasons)
            stow_value_set(n->doc, v, "reasons", reasons);
        if (budget[i].schedule)
            stow_value_set(n->doc, v, "schedule",
                           stow_doc_str(n->doc, stow_text(n->s, budget[i].schedule)));
        if (budget[i].duration.text)
            stow_value_set(n->doc, v, "duration",
                           stow_doc_str(n->doc, stow_text(n->s, budget[i].duration.text)));
        stow_value_push(n->doc, list, v);
    }
    return list;
}

static struct stow_value *disruption_value(struct narrowing *n)
{
    struct stow_value *v = stow_doc_object(n->doc);
    const stow_sym after = n->pool->consolidate_after.text;

    stow_value_set(n->doc, v, "consolidationPolicy",
                   stow_doc_text(n->doc, stow_pool_policy_name[n->pool->policy]));
    stow_value_set(n->doc, v, "consolidateAfter",
                   after ? stow_doc_str(n->doc, stow_text(n->s, after))
                   : n->pool->consolidate_after.seconds == STOW_POOL_NEVER
                       ? stow_doc_text(n->doc, "Never")
                       : stow_doc_text(n->doc, "0s"));
    if (n->pool->has_budgets)
        stow_value_set(n->doc, v, "budgets", budgets_value(n));
    return v;
}

/* ---- the pool ------------------------------------------------------------------------------ */

static int set_template(struct narrowing *n, struct stow_value *spec, struct stow_err *err)
{
    struct stow_value *template = stow_doc_object(n->doc), *inner = stow_doc_object(n->doc);
    struct stow_value *metadata = stow_doc_object(n->doc);
    struct stow_value *labels = stow_labels_value(n->doc, n->s, n->pool->labels);
    struct stow_value *annotations = stow_labels_value(n->doc, n->s, n->pool->annotations);

    if (labels)
        stow_value_set(n->doc, metadata, "labels", labels);
    if (annotations)
        stow_value_set(n->doc, metadata, "annotations", annotations);
    if (labels || annotations)
        stow_value_set(n->doc, template, "metadata", metadata);
    stow_value_set(n->doc, inner, "requirements", requirements_value(n));
    STOW_TRY(stow_template_set(n->doc, n->s, n->pool, inner, err));
    stow_value_set(n->doc, template, "spec", inner);
    stow_value_set(n->doc, spec, "template", template);
    return STOW_OK;
}

static int add_pool(struct narrowing *n, struct stow_value *list, struct stow_err *err)
{
    struct stow_value *v = stow_doc_object(n->doc), *metadata = stow_doc_object(n->doc);
    struct stow_value *spec = stow_doc_object(n->doc);

    stow_value_set(n->doc, v, "apiVersion", stow_doc_text(n->doc, "karpenter.sh/v1"));
    stow_value_set(n->doc, v, "kind", stow_doc_text(n->doc, "NodePool"));
    stow_value_set(n->doc, metadata, "name", stow_doc_text(n->doc, n->pool->name));
    stow_value_set(n->doc, v, "metadata", metadata);
    STOW_TRY(set_template(n, spec, err));
    stow_value_set(n->doc, spec, "disruption", disruption_value(n));
    if (n->pool->limits != STOW_NONE && n->pool->limits)
        stow_value_set(n->doc, spec, "limits", stow_amounts_value(n->doc, n->s, n->pool->limits));
    if (n->pool->weight)
        stow_value_set(n->doc, spec, "weight", stow_doc_int(n->doc, n->pool->weight));
    stow_value_set(n->doc, v, "spec", spec);
    stow_value_push(n->doc, list, v);
    return STOW_OK;
}

static bool buys_from(const struct stow_claims_input *in, const struct stow_node_pool *pool)
{
    for (uint32_t i = 0; i < in->nodes; i++)
        if (stow_group_pool(in->s, in->node[i].group) == pool)
            return true;
    return false;
}

int stow_node_pools_value(struct stow_doc *doc, const struct stow_claims_input *in,
                          struct stow_value **ret, struct stow_err *err)
{
    struct stow_value *list = stow_doc_array(doc);
    STOW_AUTO(stow_free_local)
    stow_sym *value =
        malloc(((size_t)in->nodes + in->kepts + in->s->node_claims + 1) * sizeof(*value));
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};

    STOW_TRY(stow_claims_check(in, "nodepool", err));
    if (!value)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < in->s->node_pools; i++) {
        struct narrowing n = {
            .doc = doc, .in = in, .s = in->s, .pool = &in->s->node_pool[i], .value = value};

        if (!buys_from(in, n.pool))
            continue;
        if (stow_value_sets_of_pool(&scratch, in->s, n.pool->requirements, n.pool->labels,
                                    &n.admits) < 0)
            return stow_fail_memory(err);
        STOW_TRY(add_pool(&n, list, err));
    }
    *ret = stow_list_value(doc, list);
    return STOW_OK;
}

/* ---- what is not met ----------------------------------------------------------------------- */

static void say_unmet(const struct stow_snapshot *s, const struct stow_node_pool *pool,
                      stow_claims_say *say, void *to)
{
    uint32_t count;
    const struct stow_pool_requirement *list =
        STOW_LIST(s, pool->requirements, struct stow_pool_requirement, &count);
    char text[600];

    for (uint32_t i = 0; i < count; i++) {
        if (list[i].min_values < 2)
            continue;
        snprintf(text, sizeof(text),
                 "NodePool '%s' asks for %d values of %s (minValues), and a node of the plan has "
                 "one: Karpenter launches the NodeClaims anyway, and a narrowed NodePool "
                 "keeps minValues only where its types suffice",
                 pool->name, (int)list[i].min_values, stow_text(s, list[i].key).ptr);
        say(to, text);
    }
}

/* What v1 has no field for: its pools leave kubelet to the node class. */
static void say_lost(const struct stow_node_pool *pool, stow_claims_say *say, void *to)
{
    const struct stow_kubelet *k = &pool->kubelet;
    char text[600];

    if (!pool->is_beta || (k->max_pods < 0 && k->pods_per_core < 0 && !k->kube_reserved &&
                           !k->system_reserved && !k->eviction_hard))
        return;
    snprintf(
        text, sizeof(text),
        "NodePool '%s' is v1beta1 and has kubelet settings, which karpenter.sh/v1 keeps in the "
        "node class: set them there before you apply these objects, or new nodes will have "
        "other room than the plan counts on",
        pool->name);
    say(to, text);
}

void stow_claims_unmet(const struct stow_claims_input *in, stow_claims_say *say, void *to)
{
    for (uint32_t i = 0; i < in->s->node_pools; i++)
        if (buys_from(in, &in->s->node_pool[i])) {
            say_unmet(in->s, &in->s->node_pool[i], say, to);
            say_lost(&in->s->node_pool[i], say, to);
        }
}
