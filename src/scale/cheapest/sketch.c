/* sketch.c - nodes, and how many pods of which class are meant for each. */
#include "scale/cheapest/sketch.h"

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

/* ---- the other way round ----------------------------------------------------------------- */

struct packer {
    const struct stow_formulation *formulation;
    uint32_t *rest; /* per class of the problem: pods that are not packed yet */
    uint32_t *next; /* per class of the problem: the next one of the same class of the yard */
    uint32_t *head; /* per class of the yard: the first of them */
    struct stow_term *term;
    uint32_t terms; /* of the node at hand */
};

static void packer_done(struct packer *p)
{
    free(p->rest);
    free(p->next);
    free(p->head);
    free(p->term);
}

static int packer_open(struct packer *p, const struct stow_formulation *formulation,
                       uint32_t yard_classes)
{
    const struct stow_problem *problem = &formulation->problem;

    p->formulation = formulation;
    p->rest = malloc((problem->classes + 1) * sizeof(*p->rest));
    p->next = malloc((problem->classes + 1) * sizeof(*p->next));
    p->head = malloc((yard_classes + 1) * sizeof(*p->head));
    p->term = malloc((problem->classes + 1) * sizeof(*p->term));
    if (!p->rest || !p->next || !p->head || !p->term)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < yard_classes; i++)
        p->head[i] = STOW_NONE;
    for (uint32_t k = problem->classes; k-- > 0;) {
        uint32_t *head = &p->head[formulation->class[k].class];

        p->rest[k] = problem->class[k].count;
        p->next[k] = *head;
        *head = k;
    }
    return STOW_OK;
}

static bool is_kind_of(const struct stow_kind_source *kind, const struct stow_sketch_node *node)
{
    if (node->group != STOW_NONE || kind->group != STOW_NONE)
        return node->group == kind->group;
    for (uint32_t i = 0; i < kind->nodes; i++)
        if (kind->node[i] == node->there)
            return true;
    return false;
}

static uint32_t find_kind(const struct packer *p, const struct stow_sketch_node *node)
{
    uint32_t kind = 0;

    while (kind < p->formulation->problem.kinds && !is_kind_of(&p->formulation->kind[kind], node))
        kind++;
    return kind;
}

static void add_term(struct packer *p, uint32_t class, uint32_t count)
{
    uint32_t at = 0;

    while (at < p->terms && p->term[at].class != class)
        at++;
    if (at == p->terms)
        p->term[p->terms++] = (struct stow_term){class, 0};
    p->term[at].count += count;
    p->rest[class] -= count;
}

/* Adds a load to the terms of the node; false: the problem does not have this many pods for that
 * kind. */
static bool pack_load(struct packer *p, uint32_t kind, const struct stow_sketch_load *load)
{
    const struct stow_problem *problem = &p->formulation->problem;
    uint32_t left = load->count;

    for (uint32_t k = p->head[load->class]; k != STOW_NONE && left; k = p->next[k]) {
        const uint32_t some = left < p->rest[k] ? left : p->rest[k];

        if (!some || !stow_problem_allows(&problem->kind[kind], k))
            continue;
        add_term(p, k, some);
        left -= some;
    }
    return left == 0;
}

static int by_class(const void *a, const void *b)
{
    const struct stow_term *x = a, *y = b;

    return (x->class > y->class) - (x->class < y->class);
}

/* What is meant for a node that has the loads from `first` to `end`; 1: the problem has no such
 * node. */
static int pack_node(struct packer *p, const struct stow_sketch *sketch, uint32_t node,
                     uint32_t first, uint32_t end, struct stow_packing *ret)
{
    const uint32_t kind = find_kind(p, &sketch->node[node]);
    const bool found = kind < p->formulation->problem.kinds;

    if (!found) /* nodes that are there and that nothing goes to are not a kind */
        return first < end || sketch->node[node].group != STOW_NONE;
    p->terms = 0;
    for (uint32_t i = first; i < end; i++)
        if (!pack_load(p, kind, &sketch->load[i]))
            return 1;
    qsort(p->term, p->terms, sizeof(*p->term), by_class);
    return stow_packing_add(ret, kind, 1, p->term, p->terms);
}

int stow_sketch_pack(const struct stow_formulation *formulation, const struct stow_yard *yard,
                     const struct stow_sketch *sketch, struct stow_packing *ret)
{
    STOW_AUTO(packer_done) struct packer p = {0};
    STOW_AUTO(stow_sketch_done) struct stow_sketch by_node = {0};
    uint32_t at = 0;

    if (packer_open(&p, formulation, yard->classes) < 0 ||
        stow_sketch_by_node(sketch, &by_node) < 0)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < by_node.nodes; i++) {
        const uint32_t first = at;
        int code;

        while (at < by_node.loads && by_node.load[at].node == i)
            at++;
        code = pack_node(&p, &by_node, i, first, at, ret);
        if (code != 0)
            return code;
    }
    return STOW_OK;
}

/* ---- order ------------------------------------------------------------------------------- */

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
