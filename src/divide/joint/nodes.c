/* nodes.c - the nodes of a member, those that are alike as one. */
#include "divide/joint/nodes.h"

#include <stdlib.h>

/* A node on its way into a class: price, then per resource its size and its room. */
struct sized {
    uint32_t number;
    stow_nano price;
    const int64_t *size, *room;
    uint32_t resources;
};

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_looks(const struct sized *x, const struct sized *y)
{
    int order = compare_numbers(x->price, y->price);

    for (uint32_t r = 0; !order && r < x->resources; r++) {
        order = compare_numbers(x->size[r], y->size[r]);
        if (!order)
            order = compare_numbers(x->room[r], y->room[r]);
    }
    return order;
}

static int compare_sized(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    int order = compare_looks(x, y);

    return order ? order : compare_numbers(x->number, y->number);
}

/* The member's number of a resource of the fleet. */
static stow_resource_id resource_of(const struct stow_node_question *q, uint32_t number)
{
    stow_sym symbol =
        stow_intern_find(&q->member->s->text, stow_text(q->fleet, q->resource[number]));

    return symbol == STOW_INTERN_FAILED ? STOW_NONE : stow_resource_find(q->member->s, symbol);
}

static void measure(const struct stow_node_question *q, stow_node_id node, int64_t *size,
                    int64_t *room)
{
    const struct stow_snapshot *s = q->member->s;

    for (uint32_t r = 0; r < q->resources; r++) {
        stow_resource_id id = resource_of(q, r);
        bool pods = r + 1 == q->resources;

        size[r] = room[r] = 0;
        if (id == STOW_NONE)
            continue;
        size[r] = s->allocatable[(size_t)id * s->nodes + node];
        room[r] = size[r] - (pods ? s->pods_on[node] : s->requested[(size_t)id * s->nodes + node]);
        room[r] = room[r] > 0 ? room[r] : 0;
    }
}

/* A class of the nodes that a group could buy, after its daemon pods. */
static void add_group(const struct stow_node_question *q, stow_group_id group,
                      struct stow_node_classes *ret)
{
    const struct stow_snapshot *s = q->member->s;
    int64_t size = q->member->provisionable ? stow_group_free_size(s, group) : 0;

    ret->of[s->nodes + group] = size > 0 ? ret->count : STOW_NONE;
    if (size == 0)
        return;
    for (uint32_t r = 0; r < q->resources; r++) {
        stow_resource_id id = resource_of(q, r);
        int64_t *free = &ret->free[(size_t)ret->count * q->resources + r], each = 0;

        if (id != STOW_NONE)
            each = stow_resource_amount(s, s->fresh[group].allocatable, id) -
                   s->overhead[(size_t)id * s->groups + group];
        if (each < 0 || __builtin_mul_overflow(each, size, free))
            *free = each < 0 ? 0 : INT64_MAX / 4;
    }
    ret->count++;
}

static void make_classes(const struct stow_node_question *q, const struct sized *list,
                         struct stow_node_classes *ret)
{
    for (uint32_t i = 0; i < q->member->s->nodes; i++) {
        int64_t *free;

        if (i == 0 || compare_looks(&list[i - 1], &list[i]) != 0)
            ret->count++;
        ret->of[list[i].number] = ret->count - 1;
        free = ret->free + (size_t)(ret->count - 1) * q->resources;
        for (uint32_t r = 0; r < q->resources; r++)
            stow_add_clamped(&free[r], list[i].room[r]);
    }
}

int stow_node_classes_find(const struct stow_node_question *q, struct stow_arena *arena,
                           struct stow_node_classes *ret, struct stow_err *err)
{
    const struct stow_snapshot *s = q->member->s;
    size_t count = (size_t)s->nodes + s->groups + 1;
    struct sized *list = stow_arena_alloc(arena, count * sizeof(*list));
    int64_t *amounts = stow_arena_alloc(arena, 2 * count * q->resources * sizeof(*amounts));

    *ret = (struct stow_node_classes){
        .of = stow_arena_alloc(arena, count * sizeof(*ret->of)),
        .free = stow_arena_zalloc(arena, count * q->resources * sizeof(*ret->free))};
    if (!list || !amounts || !ret->of || !ret->free)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < s->nodes; i++) {
        int64_t *size = amounts + (size_t)2 * i * q->resources, *room = size + q->resources;

        measure(q, i, size, room);
        list[i] = (struct sized){i, q->member->bill->node[i].price, size, room, q->resources};
    }
    qsort(list, s->nodes, sizeof(*list), compare_sized);
    make_classes(q, list, ret);
    for (uint32_t i = 0; i < s->groups; i++)
        add_group(q, i, ret);
    return STOW_OK;
}
