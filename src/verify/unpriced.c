/* unpriced.c - prices that are not known, and matter.
 *
 * A consolidation keeps nodes whose price is not known and buys nothing from groups without a
 * price.  Where such a node could go, or such a group could take a pod that moves, it is not known
 * that no other choice of nodes is cheaper. */
#include <stdlib.h>

#include "base/vec.h"
#include "model/pods/detach.h"
#include "verify/movable.h"
#include "verify/proof/sorts.h"

/* Whether nothing but its price keeps a node. */
static bool could_go(const struct stow_audit *a, const bool *held, stow_node_id node)
{
    const stow_group_id group = a->s->node[node].group;
    const struct stow_group *g = group == STOW_NONE ? NULL : &a->s->group[group];

    return !held[node] && !stow_audit_is_kept(a, node) &&
           (!g || g->implied || g->current_nodes > g->min_nodes);
}

/* Nodes with a pod that has to stay there. */
static void find_held(const struct stow_audit *a, const bool *mobile, bool *held)
{
    for (stow_pod_id i = 0; i < a->s->pods; i++) {
        const struct stow_pod *pod = &a->s->pod[i];

        if (pod->node != STOW_NONE && stow_pod_counts(pod) && !mobile[i] &&
            !stow_audit_is_resident(a, i))
            held[pod->node] = true;
    }
}

/* Whether more could be bought from a group, had it a price; `at_once`: also one that is bought
 * whole. */
static bool could_grow(const struct stow_audit *a, stow_group_id g, bool at_once)
{
    const struct stow_group *group = &a->s->group[g];

    return a->grows[g] && a->price[g] == STOW_MONEY_UNKNOWN &&
           (at_once || group->scaling != STOW_SCALING_ZERO_OR_MAX) &&
           (group->max_nodes == STOW_NONE || group->current_nodes < group->max_nodes);
}

/* The first group without a price whose empty node takes the pod; STOW_NONE: none does. */
static int find_group(struct stow_audit *a, const struct stow_state *state, stow_pod_id pod,
                      bool at_once, struct stow_arena *scratch, stow_group_id *ret)
{
    struct stow_asker asker;

    *ret = STOW_NONE;
    stow_arena_reset(scratch);
    if (stow_asker_init(&asker, state, a->profile, pod, scratch) < 0)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < a->s->groups && *ret == STOW_NONE; g++) {
        uint8_t fits = 1;

        if (!could_grow(a, g, at_once))
            continue;
        stow_asker_check(&asker, &a->bare.fresh[g], 1, true, &fits);
        *ret = fits ? g : STOW_NONE;
    }
    return STOW_OK;
}

/* Pods of one spec are asked about once. */
static int ask_groups(struct stow_audit *a, const bool *mobile, const struct stow_state *state,
                      stow_group_id *ret)
{
    STOW_AUTO(stow_free_local) bool *asked = calloc(stow_spec_end(a->s), sizeof(*asked));
    struct stow_arena scratch = {0};
    int code = asked ? STOW_OK : STOW_ENOMEM;

    *ret = STOW_NONE;
    for (stow_pod_id i = 0; code >= 0 && i < a->s->pods && *ret == STOW_NONE; i++) {
        if (!mobile[i] || asked[a->s->pod[i].spec])
            continue;
        asked[a->s->pod[i].spec] = true;
        code = find_group(a, state, i, false, &scratch, ret);
    }
    stow_arena_done(&scratch);
    return code;
}

int stow_audit_lacks_price(struct stow_audit *a, bool *ret, struct stow_err *err)
{
    struct stow_arena scratch = {0};
    struct stow_state state;
    stow_group_id group = STOW_NONE;
    int code = STOW_OK;

    STOW_TRY(stow_state_init(&state, &a->bare.s, NULL, err));
    for (uint32_t i = 0; i < a->pendings && group == STOW_NONE && code >= 0; i++)
        if (a->node_of[a->pending[i]] == STOW_NONE)
            code = find_group(a, &state, a->pending[i], true, &scratch, &group);
    *ret = group != STOW_NONE;
    stow_arena_done(&scratch);
    stow_state_done(&state);
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* In a view of the cluster in which no pod that may move is anywhere: filters would hold it to the
 * node it is on. */
static int ask_in_view(struct stow_audit *a, const bool *mobile, stow_group_id *ret,
                       struct stow_err *err)
{
    const struct stow_snapshot *bare = &a->bare.s; /* its last pods are those of daemons */
    STOW_AUTO(stow_free_local) stow_node_id *at = calloc((size_t)bare->pods + 1, sizeof(*at));
    STOW_AUTO(stow_free_local) bool *hidden = calloc((size_t)bare->pods + 1, sizeof(*hidden));
    STOW_AUTO(stow_detached_done) struct stow_detached view = {0};
    struct stow_state state;
    int code;

    if (!at || !hidden)
        return stow_fail_memory(err);
    for (stow_pod_id i = 0; i < bare->pods; i++)
        at[i] = i < a->s->pods && mobile[i] ? STOW_NONE : bare->pod[i].node;
    STOW_TRY(stow_detach(bare, at, hidden, &view, err));
    STOW_TRY(stow_state_init(&state, &view.s, NULL, err));
    code = ask_groups(a, mobile, &state, ret);
    stow_state_done(&state);
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* A node that could go, and is not known to cost nothing: there is a choice. */
static bool has_choice(const struct stow_audit *a, const bool *held, const char **ret_unpriced)
{
    bool choice = false;

    for (stow_node_id i = 0; i < a->s->nodes; i++) {
        const stow_nano price = a->bill.node[i].price;

        if (!could_go(a, held, i))
            continue;
        choice |= price > 0;
        if (price == STOW_MONEY_UNKNOWN)
            *ret_unpriced = a->s->node[i].name;
    }
    return choice;
}

static int find_choice(struct stow_audit *a, const bool *mobile, const char **ret,
                       struct stow_err *err)
{
    STOW_AUTO(stow_free_local) bool *held = calloc((size_t)a->s->nodes + 1, sizeof(*held));
    stow_group_id group = STOW_NONE;

    if (!held)
        return stow_fail_memory(err);
    find_held(a, mobile, held);
    if (has_choice(a, held, ret) && !*ret)
        STOW_TRY(ask_in_view(a, mobile, &group, err));
    if (group != STOW_NONE)
        *ret = a->s->group[group].name;
    return STOW_OK;
}

int stow_audit_unpriced_choice(struct stow_audit *a, const bool *mobile, const char **ret,
                               struct stow_err *err)
{
    *ret = NULL;
    return a->pendings ? STOW_OK : find_choice(a, mobile, ret, err);
}
