/* breakdown_keys.c - which row of a breakdown a pod belongs to, and a node. */
#include "price/bill/breakdown_keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static int intern_key(struct stow_breakdown_keys *k, struct stow_str text, uint32_t *ret)
{
    *ret = stow_intern_text(k->text, text);
    return *ret == STOW_INTERN_FAILED ? STOW_ENOMEM : STOW_OK;
}

/* ---- by node ----------------------------------------------------------------------------- */

static struct stow_str node_text(const struct stow_breakdown_keys *k, const struct stow_bill *bill,
                                 stow_node_id node)
{
    struct stow_str zone = bill->node[node].offer.zone;

    if (k->options->by == STOW_BY_GROUP)
        return stow_str_of(k->s->group[k->s->node[node].group].name);
    return zone.len ? zone : STOW_STR(STOW_BREAKDOWN_NONE);
}

static int find_nodes(struct stow_breakdown_keys *k, const struct stow_bill *bill)
{
    k->of_node = calloc(k->s->nodes + 1, sizeof(*k->of_node));
    if (!k->of_node)
        return STOW_ENOMEM;
    for (stow_node_id i = 0; i < k->s->nodes; i++)
        STOW_TRY(intern_key(k, node_text(k, bill, i), &k->of_node[i]));
    return STOW_OK;
}

/* ---- by owner ---------------------------------------------------------------------------- */

static int name_owner(struct stow_breakdown_keys *k, const struct stow_pod *pod, uint32_t *ret)
{
    const struct stow_controller top = stow_controller_top(&k->controllers, pod);

    k->buf.len = 0;
    stow_buf_add(&k->buf, top.kind);
    stow_buf_char(&k->buf, '/');
    stow_buf_add(&k->buf, stow_text(k->s, pod->namespace));
    stow_buf_char(&k->buf, '/');
    stow_buf_add(&k->buf, top.name);
    return k->buf.failed ? STOW_ENOMEM : intern_key(k, stow_buf_str(&k->buf), ret);
}

/* Names are put together once per owner, not per pod. */
static int owner_key(struct stow_breakdown_keys *k, const struct stow_pod *pod, uint32_t *ret)
{
    const uint32_t found_by[] = {pod->namespace, pod->owner,
                                 stow_controller_clue(&k->controllers, pod)};
    stow_blob at;

    if (!pod->owner)
        return name_owner(k, pod, ret);
    at = stow_intern_blob(&k->cache, found_by, sizeof(found_by));
    if (at == STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    while (k->cached_count <= at) {
        uint32_t *slot = STOW_PUSH(&k->cached, &k->cached_count, &k->cached_cap);

        if (!slot)
            return STOW_ENOMEM;
        *slot = STOW_NONE;
    }
    if (k->cached[at] == STOW_NONE)
        STOW_TRY(name_owner(k, pod, &k->cached[at]));
    *ret = k->cached[at];
    return STOW_OK;
}

/* ---- any --------------------------------------------------------------------------------- */

static int label_key(struct stow_breakdown_keys *k, const struct stow_pod *pod, uint32_t *ret)
{
    const stow_sym value =
        k->label == STOW_INTERN_FAILED ? STOW_NONE : stow_label_value(k->s, pod->labels, k->label);

    return intern_key(
        k, value == STOW_NONE ? STOW_STR(STOW_BREAKDOWN_NONE) : stow_text(k->s, value), ret);
}

int stow_breakdown_key(struct stow_breakdown_keys *k, const struct stow_pod *pod, uint32_t *ret)
{
    if (pod->flags & STOW_POD_ASIDE && !k->of_node)
        return intern_key(k, STOW_STR(STOW_BREAKDOWN_REST), ret);
    switch (k->options->by) {
    case STOW_BY_NAMESPACE:
        return intern_key(k, stow_text(k->s, pod->namespace), ret);
    case STOW_BY_OWNER:
        return owner_key(k, pod, ret);
    case STOW_BY_LABEL:
        return label_key(k, pod, ret);
    default:
        if (pod->node == STOW_NONE)
            return intern_key(k, STOW_STR(STOW_BREAKDOWN_NONE), ret);
        *ret = k->of_node[pod->node];
        return STOW_OK;
    }
}

int stow_breakdown_keys_init(struct stow_breakdown_keys *ret, const struct stow_snapshot *s,
                             const struct stow_bill *bill,
                             const struct stow_breakdown_options *options, struct stow_intern *text)
{
    *ret = (struct stow_breakdown_keys){.s = s, .options = options, .text = text};
    if (options->by == STOW_BY_OWNER)
        return stow_controllers_init(&ret->controllers, s);
    if (options->by == STOW_BY_LABEL)
        ret->label = stow_intern_find(&s->text, options->label);
    return options->by == STOW_BY_GROUP || options->by == STOW_BY_ZONE ? find_nodes(ret, bill)
                                                                       : STOW_OK;
}

void stow_breakdown_keys_done(struct stow_breakdown_keys *k)
{
    stow_controllers_done(&k->controllers);
    stow_intern_done(&k->cache);
    stow_buf_done(&k->buf);
    free(k->cached);
    free(k->of_node);
}
