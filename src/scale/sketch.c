/* sketch.c - nodes, and how many pods of which class are meant for each. */
#include "scale/sketch.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

void stow_sketch_done(struct stow_sketch *sketch)
{
    free(sketch->node);
    free(sketch->load);
    memset(sketch, 0, sizeof(*sketch));
}

int stow_sketch_add_node(struct stow_sketch *sketch, stow_group_id group, uint32_t there)
{
    struct stow_sketch_node *node = STOW_PUSH(&sketch->node, &sketch->nodes, &sketch->node_cap);

    if (!node)
        return STOW_ENOMEM;
    *node = (struct stow_sketch_node){group, there};
    return STOW_OK;
}

int stow_sketch_add_load(struct stow_sketch *sketch, uint32_t class, uint32_t count)
{
    struct stow_sketch_load *load = STOW_PUSH(&sketch->load, &sketch->loads, &sketch->load_cap);

    if (!load)
        return STOW_ENOMEM;
    *load = (struct stow_sketch_load){sketch->nodes - 1, class, count};
    return STOW_OK;
}

static int sketch_node(const struct stow_formulation *formulation,
                       const struct stow_packing *packing, const struct stow_load *load,
                       struct stow_sketch *ret)
{
    for (uint32_t t = 0; t < load->terms; t++) {
        const struct stow_term *term = &packing->term[load->first + t];

        STOW_TRY(stow_sketch_add_load(ret, formulation->class[term->class].class, term->count));
    }
    return STOW_OK;
}

int stow_sketch_of(const struct stow_formulation *formulation, const struct stow_packing *packing,
                   struct stow_sketch *ret)
{
    STOW_AUTO(stow_free_local)
    uint32_t *used = calloc(formulation->problem.kinds + 1, sizeof(*used));

    if (!used)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < packing->loads; i++) {
        const struct stow_load *load = &packing->load[i];
        const struct stow_kind_source *kind = &formulation->kind[load->kind];

        for (uint32_t n = 0; n < load->times; n++) {
            const uint32_t there =
                kind->group == STOW_NONE ? kind->node[used[load->kind]++] : STOW_NONE;

            STOW_TRY(stow_sketch_add_node(ret, kind->group, there));
            STOW_TRY(sketch_node(formulation, packing, load, ret));
        }
    }
    return STOW_OK;
}

/* The smallest maxSkew of a class; without constraints it may come last. */
static uint32_t slack_of(const struct stow_yard *yard, uint32_t class)
{
    const struct stow_yard_class *c = &yard->class[class];
    uint32_t slack = UINT32_MAX;

    for (uint32_t i = 0; i < c->spreads; i++)
        if ((uint32_t)c->spread[i].max_skew < slack)
            slack = (uint32_t)c->spread[i].max_skew;
    return slack;
}

/* A load with its place, so that equal ones stay in order. */
struct sorted_load {
    struct stow_sketch_load load;
    uint32_t slack, at;
};

static int compare_slack(const void *a, const void *b)
{
    const struct sorted_load *x = a, *y = b;

    if (x->slack != y->slack)
        return x->slack < y->slack ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

int stow_sketch_sort(const struct stow_yard *yard, struct stow_sketch *sketch)
{
    STOW_AUTO(stow_free_local)
    struct sorted_load *sorted = malloc((sketch->loads + 1) * sizeof(*sorted));

    if (!sorted)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < sketch->loads; i++)
        sorted[i] = (struct sorted_load){sketch->load[i], slack_of(yard, sketch->load[i].class), i};
    qsort(sorted, sketch->loads, sizeof(*sorted), compare_slack);
    for (uint32_t i = 0; i < sketch->loads; i++)
        sketch->load[i] = sorted[i].load;
    return STOW_OK;
}

int stow_sketch_by_node(const struct stow_sketch *sketch, struct stow_sketch *ret)
{
    STOW_AUTO(stow_free_local) uint32_t *first = calloc((size_t)sketch->nodes + 2, sizeof(*first));
    uint32_t at = 0;

    if (!first)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < sketch->nodes; i++)
        STOW_TRY(stow_sketch_add_node(ret, sketch->node[i].group, sketch->node[i].there));
    for (uint32_t i = 0; i < sketch->loads; i++) {
        first[sketch->load[i].node + 1]++;
        STOW_TRY(stow_sketch_add_load(ret, 0, 0));
    }
    for (uint32_t i = 0; i < sketch->nodes; i++) {
        const uint32_t count = first[i + 1];

        first[i + 1] = at; /* moves to the end of the node's loads while they are filled in */
        at += count;
    }
    for (uint32_t i = 0; i < sketch->loads; i++)
        ret->load[first[sketch->load[i].node + 1]++] = sketch->load[i];
    return STOW_OK;
}
