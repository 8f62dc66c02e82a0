/* pull.c - pods go to nodes that are there where they can.
 *
 * When a new node is bought anyway, it costs nothing to put pods on it that would have found room
 * elsewhere, so the search does not care.  People do: a pod that can start at once should not wait
 * for a machine, and room on the new node is worth more than room on old ones.  A new node that
 * loses all its pods is not bought. */
#include "scale/cheapest/pull.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct pulling {
    const struct stow_yard *yard;
    const struct stow_formulate_options *options;
    const struct stow_sketch *from;
    int64_t *free;                  /* [node * dims + dimension], of nodes that are there */
    uint32_t *left;                 /* per load: pods that stay */
    struct stow_sketch_load *moved; /* `node` is of the yard */
    uint32_t moves, cap;
};

static void pulling_done(struct pulling *p)
{
    free(p->free);
    free(p->left);
    free(p->moved);
}

static int64_t *room_of(const struct pulling *p, uint32_t node)
{
    return p->free + (size_t)node * p->yard->dims;
}

static void take(struct pulling *p, uint32_t node, uint32_t class, uint32_t count)
{
    for (uint32_t d = 0; d < p->yard->dims; d++)
        room_of(p, node)[d] -= p->yard->class[class].need[d] * count;
}

static int open(struct pulling *p)
{
    const struct stow_sketch *s = p->from;

    p->free = malloc(((size_t)p->yard->real * p->yard->dims + 1) * sizeof(*p->free));
    p->left = malloc((s->loads + 1) * sizeof(*p->left));
    if (!p->free || !p->left)
        return STOW_ENOMEM;
    for (uint32_t node = 0; node < p->yard->real; node++)
        for (uint32_t d = 0; d < p->yard->dims; d++)
            room_of(p, node)[d] = p->yard->free[d][node];
    for (uint32_t i = 0; i < s->loads; i++) {
        p->left[i] = s->load[i].count;
        if (s->node[s->load[i].node].group == STOW_NONE)
            take(p, s->node[s->load[i].node].there, s->load[i].class, s->load[i].count);
    }
    return STOW_OK;
}

/* How many more pods of a class a node takes, by its room. */
static uint32_t fits(const struct pulling *p, uint32_t class, uint32_t node, uint32_t most)
{
    const struct stow_yard_class *c = &p->yard->class[class];

    if (!c->on_real[node] || (p->options->closed && p->options->closed[node]))
        return 0;
    for (uint32_t d = 0; d < p->yard->dims; d++) {
        const int64_t free = room_of(p, node)[d], need = c->need[d];

        if (need > 0)
            most = free < need ? 0 : free / need < most ? (uint32_t)(free / need) : most;
    }
    return most;
}

static int pull_load(struct pulling *p, uint32_t at)
{
    const uint32_t class = p->from->load[at].class;

    for (uint32_t node = 0; node < p->yard->real && p->left[at]; node++) {
        const uint32_t some = fits(p, class, node, p->left[at]);
        struct stow_sketch_load *made;

        if (!some)
            continue;
        made = STOW_PUSH(&p->moved, &p->moves, &p->cap);
        if (!made)
            return STOW_ENOMEM;
        *made = (struct stow_sketch_load){node, class, some};
        p->left[at] -= some;
        take(p, node, class, some);
    }
    return STOW_OK;
}

/* A node with what stays there; `at` goes on after its loads. */
static int write_node(const struct pulling *p, uint32_t node, uint32_t *at, struct stow_sketch *ret)
{
    const struct stow_sketch *s = p->from;

    STOW_TRY(stow_sketch_add_node(ret, s->node[node].group, s->node[node].there));
    for (; *at < s->loads && s->load[*at].node == node; (*at)++)
        if (p->left[*at])
            STOW_TRY(stow_sketch_add_load(ret, s->load[*at].class, p->left[*at]));
    return STOW_OK;
}

/* What stays, then what was moved. */
static int write(const struct pulling *p, struct stow_sketch *ret)
{
    ret->there_first = true;
    for (uint32_t node = 0, at = 0; node < p->from->nodes; node++)
        STOW_TRY(write_node(p, node, &at, ret));
    for (uint32_t i = 0; i < p->moves; i++) {
        STOW_TRY(stow_sketch_add_node(ret, STOW_NONE, p->moved[i].node));
        STOW_TRY(stow_sketch_add_load(ret, p->moved[i].class, p->moved[i].count));
    }
    return STOW_OK;
}

int stow_sketch_pull(struct stow_session *session, const struct stow_formulate_options *options,
                     const struct stow_sketch *sketch, struct stow_sketch *ret, uint32_t *ret_moved)
{
    STOW_AUTO(pulling_done)
    struct pulling p = {.yard = session->yard, .options = options, .from = sketch};

    for (uint32_t i = 0; i < p.yard->classes; i++)
        STOW_TRY(stow_yard_ask_real(session->yard, i));
    STOW_TRY(open(&p));
    for (uint32_t i = 0; i < sketch->loads; i++)
        if (sketch->node[sketch->load[i].node].group != STOW_NONE)
            STOW_TRY(pull_load(&p, i));
    *ret_moved = p.moves;
    return p.moves ? write(&p, ret) : STOW_OK;
}
