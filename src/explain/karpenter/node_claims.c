/* node_claims.c - nodes to buy as NodeClaims that a running Karpenter launches as they are.
 *
 * Problem: Karpenter launches whatever NodeClaim exists, whoever made it, and asks nothing of the
 * pool that it names: not its limits, not its weight.  But from then on it is a node of that pool,
 * and what the claim lacks makes it drift at once, which replaces it.
 *
 * So a claim has all that Karpenter itself would have written: the pool's labels and a value for
 * every custom key of its requirements, its annotations and the hash of the pool that it was made
 * from, its taints, its node class.  Of well-known labels it has none: the provider fills them in,
 * and labels that are given here would win over the real ones.  The requirements name one instance
 * type, zone and capacity type, so that what is launched is what was planned.
 *
 * Names are made of what the claim is for: applying a plan twice buys nothing twice. */
#include "explain/karpenter/node_claims.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>

#include "base/vec.h"
#include "consolidate/consolidate.h"
#include "explain/karpenter/node_claims_internal.h"
#include "model/karpenter/pool_labels.h"
#include "model/karpenter/requirement.h"
#include "scale/plan.h"

#define DO_NOT_DISRUPT "karpenter.sh/do-not-disrupt"
#define KIND_MAX       63
#define SUFFIX         10 /* letters after the pool's name */

/* What is written, one claim after the other. */
struct writing {
    struct stow_doc *doc;
    const struct stow_claims_input *in;
    const struct stow_snapshot *s;
    struct stow_arena *scratch;
    int64_t *sum; /* per resource */
    struct stow_err *err;
};

/* ---- which nodes --------------------------------------------------------------------------- */

int stow_claims_of_plan(const struct stow_plan *plan, struct stow_arena *arena,
                        struct stow_claims_input *ret, struct stow_err *err)
{
    struct stow_claims_node *list =
        stow_arena_alloc(arena, ((size_t)plan->nodes + 1) * sizeof(*list));
    stow_node_id *kept = stow_arena_alloc(arena, ((size_t)plan->s->nodes + 1) * sizeof(*kept));

    if (!list || !kept)
        return stow_fail_memory(err);
    for (stow_node_id i = 0; i < plan->s->nodes; i++)
        kept[i] = i;
    for (uint32_t i = 0; i < plan->nodes; i++)
        list[i] = (struct stow_claims_node){
            plan->node[i].group, plan->pod + plan->node[i].pods.first, plan->node[i].pods.count};
    *ret = (struct stow_claims_input){
        .s = plan->s, .node = list, .nodes = plan->nodes, .kept = kept, .kepts = plan->s->nodes};
    return STOW_OK;
}

/* The pods that are on a node in the end: those whose last move leads there. */
static int list_moved(const struct stow_consolidation *c, const char *name,
                      struct stow_arena *arena, struct stow_claims_node *to)
{
    stow_pod_id *list = stow_arena_alloc(arena, ((size_t)c->moved + 1) * sizeof(*list));

    if (!list)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < c->steps; i++)
        for (uint32_t m = 0; m < c->step[i].moves; m++) {
            const struct stow_step_move *move = &c->step[i].move[m];
            uint32_t at = 0;

            while (at < to->pods && list[at] != move->pod)
                at++;
            if (at < to->pods)
                list[at] = list[--to->pods];
            if (strcmp(move->to, name) == 0 && to->pods < c->moved)
                list[to->pods++] = move->pod;
        }
    to->pod = list;
    return STOW_OK;
}

int stow_claims_of_consolidation(const struct stow_consolidation *c, struct stow_arena *arena,
                                 struct stow_claims_input *ret, struct stow_err *err)
{
    stow_node_id *kept = stow_arena_alloc(arena, ((size_t)c->kepts + 1) * sizeof(*kept));
    struct stow_claims_node *list;
    uint32_t count = 0;

    for (uint32_t i = 0; i < c->steps; i++)
        count += c->step[i].adds;
    list = stow_arena_zalloc(arena, ((size_t)count + 1) * sizeof(*list));
    if (!list || !kept)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < c->kepts; i++)
        kept[i] = c->kept[i].node;
    *ret = (struct stow_claims_input){
        .s = c->s, .node = list, .nodes = count, .held = true, .kept = kept, .kepts = c->kepts};
    for (uint32_t i = 0; i < c->steps; i++)
        for (uint32_t n = 0; n < c->step[i].adds; n++, list++) {
            list->group = c->step[i].add[n].group;
            if (list_moved(c, c->step[i].add[n].name, arena, list) < 0)
                return stow_fail_memory(err);
        }
    return STOW_OK;
}

/* ---- names --------------------------------------------------------------------------------- */

/* The same for the same group and pods, wherever the claim is. */
static uint64_t digest(const struct stow_snapshot *s, const struct stow_claims_node *node,
                       uint32_t copy)
{
    const char *group = s->group[node->group].name;
    uint64_t both[2] = {stow_hash(group, strlen(group)), copy};
    uint64_t made = stow_hash(both, sizeof(both));

    for (uint32_t i = 0; i < node->pods; i++) {
        const struct stow_pod *pod = &s->pod[node->pod[i]];
        const struct stow_str namespace = stow_text(s, pod->namespace);

        both[0] = stow_hash(pod->name, strlen(pod->name));
        both[1] = stow_hash(namespace.ptr, namespace.len);
        made += stow_hash(both, sizeof(both)); /* pods in any order */
    }
    return made;
}

/* Nodes without pods differ by their number alone. */
static uint32_t copies_before(const struct stow_claims_input *in, uint32_t at)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < at && !in->node[at].pods; i++)
        count += !in->node[i].pods && in->node[i].group == in->node[at].group;
    return count;
}

static struct stow_value *name_value(struct writing *w, const struct stow_node_pool *pool,
                                     uint32_t at)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    uint64_t rest = digest(w->s, &w->in->node[at], copies_before(w->in, at));
    char suffix[SUFFIX + 1] = "";

    for (uint32_t i = 0; i < SUFFIX; i++, rest /= sizeof(letters) - 1)
        suffix[i] = letters[rest % (sizeof(letters) - 1)];
    return stow_doc_textf(w->doc, "%s-%s", pool->name, suffix);
}

/* ---- metadata ------------------------------------------------------------------------------ */

/* The value that the nodes of a group have of a key; STOW_NONE: they lack the label. */
static stow_sym value_of(const struct writing *w, stow_group_id group, struct stow_str key)
{
    const stow_sym known = stow_intern_find(&w->s->text, key);

    return known == STOW_INTERN_FAILED ? STOW_NONE
                                       : stow_label_value(w->s, w->s->fresh[group].labels, known);
}

/* Custom keys that the group's nodes have: a node without one that its pool asks for drifts. */
static int set_custom(struct writing *w, const struct stow_node_pool *pool, stow_group_id group,
                      struct stow_value *labels)
{
    struct stow_value_sets sets = {0};
    int code = stow_value_sets_of_pool(w->scratch, w->s, pool->requirements, pool->labels, &sets);

    for (uint32_t i = 0; code >= 0 && i < sets.count; i++) {
        const struct stow_str key = sets.set[i].key;
        const stow_sym value = value_of(w, group, key);

        if (value != STOW_NONE && !stow_label_is_well_known(key))
            stow_value_set_str(w->doc, labels, key, stow_doc_str(w->doc, stow_text(w->s, value)));
    }
    return code < 0 ? stow_fail_memory(w->err) : STOW_OK;
}

/* GROUP/KIND of the node class, the kind in lower case; empty: not known, which the spec refuses.
 */
static const char *class_key(struct writing *w, const struct stow_node_pool *pool)
{
    struct stow_str api, kind;
    char lower[KIND_MAX + 1] = "";

    if (!stow_pool_class(w->s, pool, &api, &kind))
        return "";
    for (size_t i = 0; i < kind.len && i < KIND_MAX; i++)
        lower[i] = (char)tolower((unsigned char)kind.ptr[i]);
    return stow_arena_printf(w->scratch, "%.*s/%s", STOW_FMT(api), lower);
}

static int set_labels(struct writing *w, const struct stow_node_pool *pool, stow_group_id group,
                      struct stow_value *metadata)
{
    struct stow_value *labels = stow_labels_value(w->doc, w->s, pool->labels);
    const char *key;

    labels = labels ? labels : stow_doc_object(w->doc);
    STOW_TRY(set_custom(w, pool, group, labels));
    key = class_key(w, pool);
    if (!key)
        return stow_fail_memory(w->err);
    if (key[0])
        stow_value_set(w->doc, labels, key,
                       stow_doc_str(w->doc, stow_text(w->s, pool->class.name)));
    stow_value_set(w->doc, labels, STOW_NODEPOOL_LABEL, stow_doc_text(w->doc, pool->name));
    stow_value_set(w->doc, metadata, "labels", labels);
    return STOW_OK;
}

/* Without the pool's hash a claim never drifts with the pool; with another one it drifts at once.
 */
static void set_annotations(struct writing *w, const struct stow_node_pool *pool,
                            struct stow_value *metadata)
{
    static const char *const hashes[] = {STOW_POOL_HASH, STOW_POOL_HASH_VERSION};
    struct stow_value *made = stow_labels_value(w->doc, w->s, pool->annotations);
    bool any = made != NULL;

    made = made ? made : stow_doc_object(w->doc);
    for (uint32_t i = 0; i < 2; i++) {
        const stow_sym key = stow_intern_find(&w->s->text, stow_str_of(hashes[i]));
        const stow_sym value = key == STOW_INTERN_FAILED
                                   ? STOW_NONE
                                   : stow_label_value(w->s, pool->own_annotations, key);

        if (value == STOW_NONE)
            continue;
        stow_value_set(w->doc, made, hashes[i], stow_doc_str(w->doc, stow_text(w->s, value)));
        any = true;
    }
    if (w->in->held)
        stow_value_set(w->doc, made, DO_NOT_DISRUPT, stow_doc_text(w->doc, "true"));
    if (any || w->in->held)
        stow_value_set(w->doc, metadata, "annotations", made);
}

/* Deleting the pool then removes the claim. */
static void set_owner(struct writing *w, const struct stow_node_pool *pool,
                      struct stow_value *metadata)
{
    struct stow_value *owner = stow_doc_object(w->doc), *list = stow_doc_array(w->doc);

    if (!pool->uid)
        return;
    stow_value_set(w->doc, owner, "apiVersion", stow_doc_text(w->doc, "karpenter.sh/v1"));
    stow_value_set(w->doc, owner, "kind", stow_doc_text(w->doc, "NodePool"));
    stow_value_set(w->doc, owner, "name", stow_doc_text(w->doc, pool->name));
    stow_value_set(w->doc, owner, "uid", stow_doc_str(w->doc, stow_text(w->s, pool->uid)));
    stow_value_set(w->doc, owner, "blockOwnerDeletion", stow_doc_bool(w->doc, true));
    stow_value_push(w->doc, list, owner);
    stow_value_set(w->doc, metadata, "ownerReferences", list);
}

static int set_metadata(struct writing *w, const struct stow_node_pool *pool, uint32_t at,
                        struct stow_value *claim)
{
    struct stow_value *metadata = stow_doc_object(w->doc);

    stow_value_set(w->doc, metadata, "name", name_value(w, pool, at));
    STOW_TRY(set_labels(w, pool, w->in->node[at].group, metadata));
    set_annotations(w, pool, metadata);
    set_owner(w, pool, metadata);
    stow_value_set(w->doc, claim, "metadata", metadata);
    return STOW_OK;
}

/* ---- spec ---------------------------------------------------------------------------------- */

/* `key In [value]`. */
static void push_in(struct writing *w, struct stow_str key, stow_sym value, struct stow_value *list)
{
    struct stow_value *line = stow_doc_object(w->doc), *values = stow_doc_array(w->doc);

    stow_value_set(w->doc, line, "key", stow_doc_str(w->doc, key));
    stow_value_set(w->doc, line, "operator", stow_doc_text(w->doc, "In"));
    stow_value_push(w->doc, values, stow_doc_str(w->doc, stow_text(w->s, value)));
    stow_value_set(w->doc, line, "values", values);
    stow_value_push(w->doc, list, line);
}

/* The value that the group chose of an open key, where the pool names it first. */
static void push_chosen(struct writing *w, const struct stow_pool_requirement *given, uint32_t at,
                        stow_blob variant, struct stow_value *list)
{
    for (uint32_t i = 0; i < at; i++)
        if (given[i].key == given[at].key)
            return;
    push_in(w, stow_text(w->s, given[at].key), stow_label_value(w->s, variant, given[at].key),
            list);
}

static struct stow_value *requirements_value(struct writing *w, const struct stow_node_pool *pool,
                                             stow_group_id group)
{
    const stow_blob variant = w->s->origin[w->s->group[group].origin].variant;
    struct stow_value *list = stow_doc_array(w->doc);
    uint32_t count;
    const struct stow_pool_requirement *given =
        STOW_LIST(w->s, pool->requirements, struct stow_pool_requirement, &count);

    for (int i = 0; i < STOW_DECIDED_KEYS; i++) {
        const stow_sym value = stow_decided_value(w->s, group, (enum stow_decided_key)i);

        if (value)
            push_in(w, stow_str_of(stow_decided_key[i]), value, list);
    }
    for (uint32_t i = 0; i < count; i++)
        if (stow_label_value(w->s, variant, given[i].key) != STOW_NONE)
            push_chosen(w, given, i, variant, list);
        else if (!stow_requirement_is_decided(w->s, &given[i]))
            stow_value_push(w->doc, list, stow_requirement_value(w->doc, w->s, &given[i]));
    return list;
}

static void add_pod(const struct writing *w, stow_pod_id pod)
{
    uint32_t count;
    const struct stow_amount *list =
        STOW_LIST(w->s, w->s->demand[w->s->pod[pod].spec].requests, struct stow_amount, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource != STOW_RESOURCE_PODS)
            w->sum[list[i].resource] += list[i].value;
    w->sum[STOW_RESOURCE_PODS]++;
}

/* What its pods and the daemons ask for: the machine must have it when it is launched. */
static struct stow_value *requests_value(struct writing *w, const struct stow_claims_node *node)
{
    struct stow_value *v = stow_doc_object(w->doc);
    char text[STOW_RESOURCE_TEXT];

    for (stow_resource_id r = 0; r < w->s->resources; r++)
        w->sum[r] = w->s->overhead[(size_t)r * w->s->groups + node->group];
    for (uint32_t i = 0; i < node->pods; i++)
        add_pod(w, node->pod[i]);
    for (stow_resource_id r = 0; r < w->s->resources; r++) {
        const struct stow_str name = stow_text(w->s, w->s->resource[r]);
        const stow_i128 unit = r == STOW_RESOURCE_CPU ? 1000000 : 1000000000;

        if (w->sum[r] > 0)
            stow_value_set_str(
                w->doc, v, name,
                stow_doc_text(w->doc, stow_resource_text(name, w->sum[r] * unit, text)));
    }
    return v;
}

static int set_spec(struct writing *w, const struct stow_node_pool *pool,
                    const struct stow_claims_node *node, struct stow_value *claim)
{
    struct stow_value *spec = stow_doc_object(w->doc), *resources = stow_doc_object(w->doc);

    stow_value_set(w->doc, spec, "requirements", requirements_value(w, pool, node->group));
    stow_value_set(w->doc, resources, "requests", requests_value(w, node));
    stow_value_set(w->doc, spec, "resources", resources);
    STOW_TRY(stow_template_set(w->doc, w->s, pool, spec, w->err));
    stow_value_set(w->doc, claim, "spec", spec);
    return STOW_OK;
}

static int add_claim(struct writing *w, uint32_t at, struct stow_value *list)
{
    const struct stow_node_pool *pool = stow_group_pool(w->s, w->in->node[at].group);
    struct stow_value *claim = stow_doc_object(w->doc);

    stow_value_set(w->doc, claim, "apiVersion", stow_doc_text(w->doc, "karpenter.sh/v1"));
    stow_value_set(w->doc, claim, "kind", stow_doc_text(w->doc, "NodeClaim"));
    STOW_TRY(set_metadata(w, pool, at, claim));
    STOW_TRY(set_spec(w, pool, &w->in->node[at], claim));
    stow_value_push(w->doc, list, claim);
    return STOW_OK;
}

int stow_node_claims_value(struct stow_doc *doc, const struct stow_claims_input *in,
                           struct stow_value **ret, struct stow_err *err)
{
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};
    struct writing w = {.doc = doc, .in = in, .s = in->s, .scratch = &scratch, .err = err};
    struct stow_value *list = stow_doc_array(doc);

    STOW_TRY(stow_claims_check(in, "nodeclaims", err));
    w.sum = stow_arena_zalloc(&scratch, ((size_t)in->s->resources + 1) * sizeof(*w.sum));
    if (!w.sum)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < in->nodes; i++)
        STOW_TRY(add_claim(&w, i, list));
    *ret = stow_list_value(doc, list);
    return STOW_OK;
}
