/* pool_nodes.c - which nodes and NodeClaims are those of a NodePool's groups. */
#include "model/karpenter/pool_nodes.h"

#include <stdio.h>
#include <string.h>

#include "base/vec.h"
#include "model/build.h"
#include "model/values/few.h"
#include "model/values/match.h"

/* More than names of pools, types and zones can have together. */
#define NAME_MAX_BYTES 600

static struct stow_str text_of(const struct stow_snapshot *s, stow_blob labels, stow_sym key)
{
    const stow_sym value = stow_label_value(s, labels, key);

    return value == STOW_NONE ? STOW_STR("") : stow_text(s, value);
}

static stow_group_id find_group(const struct stow_snapshot *s, const char *name, uint32_t groups)
{
    uint32_t low = 0, high = groups;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const int order = strcmp(s->group[middle].name, name);

        if (order == 0)
            return middle;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return STOW_NONE;
}

static stow_group_id find_parts(const struct stow_snapshot *s, const struct stow_str part[4],
                                uint32_t groups)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%.*s/%.*s/%.*s/%.*s", STOW_FMT(part[0]), STOW_FMT(part[1]),
             STOW_FMT(part[2]), STOW_FMT(part[3]));

    const stow_group_id found = find_group(s, name, groups);

    return found != STOW_NONE && stow_group_pool(s, found) ? found : STOW_NONE;
}

/* Where the zones of a pool are not known, its groups have none. */
static stow_group_id find_any_zone(const struct stow_snapshot *s, struct stow_str part[4],
                                   uint32_t groups)
{
    const stow_group_id found = find_parts(s, part, groups);

    if (found != STOW_NONE)
        return found;
    part[2] = STOW_STR("");
    return find_parts(s, part, groups);
}

/* Of a group and its variants, which follow it with a longer name, the one with most of the labels
 * that it chose; all of those that it chose must be there. */
static stow_group_id find_variant(const struct stow_snapshot *s, stow_group_id ordinary,
                                  stow_blob labels, uint32_t groups)
{
    const size_t length = strlen(s->group[ordinary].name);
    stow_group_id best = ordinary;
    uint32_t most = 0;

    for (stow_group_id g = ordinary + 1;
         g < groups && strncmp(s->group[g].name, s->group[ordinary].name, length) == 0 &&
         s->group[g].name[length] == ',';
         g++) {
        const stow_blob chosen = s->origin[s->group[g].origin].variant;
        uint32_t count;

        STOW_LIST(s, chosen, struct stow_label, &count);
        if (count > most && stow_labels_include(s, labels, chosen)) {
            most = count;
            best = g;
        }
    }
    return best;
}

stow_group_id stow_pool_group_of(const struct stow_snapshot *s, stow_blob labels, uint32_t groups)
{
    const struct stow_str pool = stow_label_text(s, labels, STOW_NODEPOOL_LABEL);
    struct stow_str part[4] = {
        pool,
        text_of(s, labels, STOW_SYM_INSTANCE_TYPE),
        text_of(s, labels, STOW_SYM_ZONE),
        stow_label_text(s, labels, STOW_CAPACITY_LABEL),
    };

    if (!s->node_pools || !pool.len || !part[1].len)
        return STOW_NONE;

    const stow_group_id found = find_any_zone(s, part, groups);

    return found == STOW_NONE ? STOW_NONE : find_variant(s, found, labels, groups);
}

int stow_pool_adopt(struct stow_snapshot *s, const struct stow_node *node)
{
    struct stow_group *group = &s->group[node->group];
    const struct stow_node_pool *pool =
        s->node_pools && group->implied && group->origin == STOW_NONE
            ? stow_node_pool_find(s, stow_label_text(s, node->labels, STOW_NODEPOOL_LABEL))
            : NULL;

    if (!pool || pool->pool_id == STOW_NONE || pool->limits == STOW_NONE)
        return STOW_OK;

    struct stow_origin *origin = STOW_PUSH(&s->origin, &s->origins, &s->origin_cap);

    if (!origin)
        return STOW_ENOMEM;
    *origin = (struct stow_origin){
        .constraint = "",
        .pool = pool->symbol,
        .pool_id = pool->pool_id,
        .quota = pool->limits,
        .node_pool = (uint32_t)(pool - s->node_pool),
    };
    group->origin = s->origins - 1;
    return STOW_OK;
}

/* ---- claims ------------------------------------------------------------------------------ */

/* The only value that the claim's requirements leave of a key; empty: there are several. */
static struct stow_str only_value(const struct stow_snapshot *s,
                                  const struct stow_machine_claim *claim, const char *key)
{
    uint32_t count, values;
    const struct stow_pool_requirement *r =
        STOW_LIST(s, claim->requirements, struct stow_pool_requirement, &count);

    for (uint32_t i = 0; i < count; i++) {
        const stow_sym *value = STOW_LIST(s, r[i].values, stow_sym, &values);

        if (r[i].op == STOW_POOL_IN && values == 1 && stow_str_is(stow_text(s, r[i].key), key))
            return stow_text(s, value[0]);
    }
    return STOW_STR("");
}

/* A claim that is not launched is known by its requirements, where they leave no choice. */
static stow_group_id group_of_claim(const struct stow_snapshot *s,
                                    const struct stow_machine_claim *claim)
{
    const stow_group_id by_labels = stow_pool_group_of(s, claim->labels, s->groups);
    struct stow_str part[4] = {
        stow_label_text(s, claim->labels, STOW_NODEPOOL_LABEL),
        only_value(s, claim, "node.kubernetes.io/instance-type"),
        only_value(s, claim, "topology.kubernetes.io/zone"),
        only_value(s, claim, STOW_CAPACITY_LABEL),
    };

    if (by_labels != STOW_NONE || !part[0].len)
        return by_labels;

    const stow_group_id found = find_any_zone(s, part, s->groups);

    return found == STOW_NONE ? STOW_NONE : find_variant(s, found, claim->labels, s->groups);
}

static bool has_node(const struct stow_snapshot *s, const struct stow_machine_claim *claim)
{
    return claim->node_name && stow_node_find(s, stow_text(s, claim->node_name)) != STOW_NONE;
}

/* Karpenter deletes the claim first, and with it the node. */
static void mark_deleted(struct stow_snapshot *s)
{
    for (uint32_t i = 0; i < s->node_claims; i++) {
        const struct stow_machine_claim *claim = &s->node_claim[i];

        if ((claim->flags & STOW_MACHINE_CLAIM_DELETED) && has_node(s, claim))
            s->node[stow_node_find(s, stow_text(s, claim->node_name))].flags |=
                STOW_NODE_TERMINATING;
    }
}

int stow_count_machine_claims(struct stow_snapshot *s)
{
    STOW_AUTO(stow_few_done) struct stow_few lost = {0};

    mark_deleted(s);
    for (uint32_t i = 0; i < s->node_claims && s->node_pools; i++) {
        const struct stow_machine_claim *claim = &s->node_claim[i];

        if ((claim->flags & STOW_MACHINE_CLAIM_DELETED) || has_node(s, claim))
            continue;

        const stow_group_id group = group_of_claim(s, claim);

        if (group == STOW_NONE)
            stow_few_add(&lost, "%s", claim->name);
        else
            s->group[group].current_nodes++;
    }
    if (!lost.count)
        return STOW_OK;

    const struct stow_str names = stow_few_text(&lost);

    return names.ptr ? stow_snapshot_warn(s,
                                          "NodeClaims without a node whose node group is not known "
                                          "are left out: %u (%.*s)",
                                          lost.count, STOW_FMT(names))
                     : STOW_ENOMEM;
}
