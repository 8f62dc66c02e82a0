/* cut_slots.c - a layout as slots: which nodes are to hold how many pods of a class.
 *
 * Pods of a class are alike, so a layout is a number for each class and node.  A node of the layout
 * is a *target*: one that stays, or one that will be bought.  Slots lie in order of their class,
 * which is how a pod finds one, and are listed again by target, which is how a node finds its own.
 * Both are found by counting: one pass over the pods and a sort. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/cut_internal.h"

void stow_cutting_done(struct stow_cutting *k)
{
    free(k->target_at);
    free(k->group);
    free(k->target_of);
    free(k->slot);
    free(k->first_slot);
    free(k->by_target);
    free(k->first_of);
    free(k->unfilled);
    free(k->here);
    free(k->task);
    free(k->is_moved);
    free(k->detoured);
    free(k->used);
    free(k->opened);
    free(k->gone);
    stow_pod_list_done(&k->pods);
}

bool stow_cut_allocate(struct stow_cutting *k)
{
    const struct stow_yard *yard = k->deck->yard;
    const size_t nodes = (size_t)yard->real + k->layout->groups + 1,
                 pods = (size_t)k->deck->s->pods + 1;

    k->target_at = malloc(nodes * sizeof(*k->target_at));
    k->group = malloc(nodes * sizeof(*k->group));
    k->target_of = malloc(nodes * sizeof(*k->target_of));
    k->first_slot = calloc((size_t)yard->classes + 2, sizeof(*k->first_slot));
    k->first_of = calloc(nodes + 1, sizeof(*k->first_of));
    k->unfilled = calloc((size_t)yard->classes + 1, sizeof(*k->unfilled));
    k->here = calloc((size_t)yard->classes + 1, sizeof(*k->here));
    k->task = calloc(nodes, sizeof(*k->task));
    k->is_moved = calloc(pods, sizeof(*k->is_moved));
    k->detoured = calloc(pods, sizeof(*k->detoured));
    k->used = calloc((size_t)k->deck->s->budgets + 1, sizeof(*k->used));
    k->opened = malloc(nodes * sizeof(*k->opened));
    k->gone = malloc(nodes * sizeof(*k->gone));
    return k->target_at && k->group && k->target_of && k->first_slot && k->first_of &&
           k->unfilled && k->here && k->task && k->is_moved && k->detoured && k->used &&
           k->opened && k->gone;
}

void stow_cut_number_targets(struct stow_cutting *k)
{
    const struct stow_deck *deck = k->deck;

    for (uint32_t node = 0; node < deck->yard->real; node++) {
        k->target_of[node] = k->layout->gone[node] ? STOW_NONE : k->targets;
        if (k->layout->gone[node]) {
            k->task[k->tasks++] = (struct stow_cut_task){.node = node};
            continue;
        }
        k->group[k->targets] = STOW_NONE;
        k->target_at[k->targets++] = node;
    }
    for (uint32_t i = 0; i < k->layout->groups; i++) {
        k->group[k->targets] = k->layout->group[i];
        k->target_at[k->targets++] = STOW_NONE;
    }
}

/* Where a pod is to be, as the number of a target. */
static uint32_t target_for(const struct stow_cutting *k, stow_pod_id pod)
{
    const uint32_t at = k->layout->at[pod], real = k->deck->yard->real;

    return at < real ? k->target_of[at] : k->targets - k->layout->groups + (at - real);
}

static int by_class(const void *a, const void *b)
{
    const struct stow_cut_slot *x = a, *y = b;

    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

/* Slots that are the same become one. */
static void merge_slots(struct stow_cutting *k)
{
    uint32_t kept = 0;

    if (k->slots > 1)
        qsort(k->slot, k->slots, sizeof(*k->slot), by_class);
    for (uint32_t i = 0; i < k->slots; i++)
        if (kept && by_class(&k->slot[kept - 1], &k->slot[i]) == 0)
            k->slot[kept - 1].want++;
        else
            k->slot[kept++] = k->slot[i];
    k->slots = kept;
}

/* Counts in `first` become where each begins. */
static void sum_up(uint32_t *first, uint32_t count)
{
    uint32_t at = 0;

    for (uint32_t i = 0; i <= count; i++) {
        const uint32_t here = first[i];

        first[i] = at;
        at += here;
    }
}

static int index_slots(struct stow_cutting *k)
{
    k->by_target = malloc((k->slots + 1) * sizeof(*k->by_target));
    if (!k->by_target)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < k->slots; i++) {
        k->first_slot[k->slot[i].class]++;
        k->first_of[k->slot[i].target]++;
    }
    sum_up(k->first_slot, k->deck->yard->classes);
    sum_up(k->first_of, k->targets);
    for (uint32_t i = 0; i < k->slots; i++)
        k->by_target[k->first_of[k->slot[i].target]++] = i;
    for (uint32_t i = k->targets; i > 0; i--)
        k->first_of[i] = k->first_of[i - 1];
    k->first_of[0] = 0;
    return STOW_OK;
}

int stow_cut_make_slots(struct stow_cutting *k)
{
    const struct stow_ground *ground = k->c->ground;
    stow_nano sum = 0;
    uint32_t coming = 0;

    for (uint32_t i = 0; i < ground->pendings; i++) {
        const stow_pod_id pod = ground->pending[i];
        struct stow_cut_slot *made;

        if (k->deck->pinned[pod])
            continue;
        made = STOW_PUSH(&k->slot, &k->slots, &k->slot_cap);
        if (!made)
            return STOW_ENOMEM;
        *made = (struct stow_cut_slot){stow_cut_class(k, pod), target_for(k, pod), 1, 0};
        coming += k->layout->at[pod] >= k->deck->yard->real;
    }
    for (uint32_t i = 0; i < k->layout->groups; i++)
        sum += k->c->group_price[k->layout->group[i]];
    k->per_pod = coming ? sum / coming : 0;
    merge_slots(k);
    return index_slots(k);
}

struct stow_cut_slot *stow_cut_slot_on(const struct stow_cutting *k, uint32_t class,
                                       uint32_t target)
{
    for (uint32_t i = k->first_of[target]; i < k->first_of[target + 1]; i++)
        if (k->slot[k->by_target[i]].class == class)
            return &k->slot[k->by_target[i]];
    return NULL;
}

void stow_cut_count_slots(struct stow_cutting *k)
{
    const struct stow_deck *deck = k->deck;

    memset(k->unfilled, 0, ((size_t)deck->yard->classes + 1) * sizeof(*k->unfilled));
    for (uint32_t i = 0; i < k->slots; i++)
        k->slot[i].have = 0;
    for (uint32_t t = 0; t < k->targets; t++) {
        const uint32_t node = k->target_at[t];

        if (node == STOW_NONE)
            continue;
        for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod]) {
            struct stow_cut_slot *slot =
                deck->pinned[pod] ? NULL : stow_cut_slot_on(k, stow_cut_class(k, pod), t);

            if (slot)
                slot->have++;
        }
        for (uint32_t i = k->first_of[t]; i < k->first_of[t + 1]; i++) {
            const struct stow_cut_slot *slot = &k->slot[k->by_target[i]];

            if (slot->have < slot->want)
                k->unfilled[slot->class] += slot->want - slot->have;
        }
    }
}
