/* hold_search.c - looking for a set that is worth more than the limit, until there is none left.
 *
 * Item by item, all partial sets side by side: a label is what is left of each dimension and what
 * it is worth.  Of labels that leave the same only the one worth most stays; of many, also none
 * that another one leaves no less than in every dimension and is worth no less than.  A label goes
 * when a table or a cut says that the items to come cannot bring it above the limit.  One that is
 * above it after the last item is a set worth too much, and the proof is wrong.
 *
 * A level that grows too large is cut into batches, each followed to the end before the next: then
 * labels of different batches are not merged, which costs time and never truth.
 *
 * A search may be told to follow only the labels with the best prospects of each level.  A set that
 * it finds is worth too much all the same; that it finds none says something only if no label was
 * left out. */
#include <stdlib.h>
#include <string.h>

#include <stowage/error.h>

#include "verify/hold/hold_internal.h"

#define START  (1u << 8) /* room for as many labels at first */
#define THIRDS 48        /* amounts of a third dimension, devices or places for pods */

void stow_hold_search_done(struct stow_hold_work *work)
{
    for (uint32_t i = 0; i < work->batch_cap; i++) {
        free(work->batch[i].left);
        free(work->batch[i].worth);
        free(work->batch[i].rest);
        free(work->batch[i].slot);
    }
    free(work->batch);
}

static int make_batches(struct stow_hold_work *work)
{
    const uint32_t need = work->core.items + 1;

    if (need <= work->batch_cap)
        return STOW_OK;

    struct stow_hold_batch *grown = realloc(work->batch, need * sizeof(*grown));

    if (!grown)
        return STOW_ENOMEM;
    memset(grown + work->batch_cap, 0, (need - work->batch_cap) * sizeof(*grown));
    work->batch = grown;
    work->batch_cap = need;
    return STOW_OK;
}

/* Memory for this many labels. */
static int reserve(struct stow_hold_batch *b, uint32_t labels)
{
    if (labels <= b->memory && b->dims <= b->memory_dims)
        return STOW_OK;
    labels = labels > b->memory ? labels : b->memory;

    const uint32_t dims = b->dims > b->memory_dims ? b->dims : b->memory_dims;
    int64_t *left = realloc(b->left, (size_t)labels * (dims ? dims : 1) * sizeof(*left));

    b->left = left ? left : b->left;

    int64_t *worth = realloc(b->worth, (size_t)labels * sizeof(*worth));

    b->worth = worth ? worth : b->worth;

    int64_t *rest = realloc(b->rest, (size_t)labels * sizeof(*rest));

    b->rest = rest ? rest : b->rest;

    uint32_t *slot = realloc(b->slot, (size_t)labels * 2 * sizeof(*slot));

    b->slot = slot ? slot : b->slot;
    if (!left || !worth || !rest || !slot)
        return STOW_ENOMEM;
    b->memory = labels;
    b->memory_dims = dims;
    return STOW_OK;
}

static int open_batch(struct stow_hold_batch *b, const struct stow_core *c)
{
    b->dims = c->dims;
    if (reserve(b, START) < 0)
        return STOW_ENOMEM;
    for (uint32_t d = 0; d < c->dims; d++) {
        uint32_t at = d;

        for (; at > 0 && c->room[b->by_room[at - 1]] < c->room[d]; at--)
            b->by_room[at] = b->by_room[at - 1];
        b->by_room[at] = d;
    }
    b->slots = START * 2;
    memset(b->slot, 0, b->slots * sizeof(*b->slot));
    b->count = b->next = b->stayed = 0;
    return STOW_OK;
}

static uint32_t hash(const int64_t *left, uint32_t dims)
{
    uint64_t h = 0;

    for (uint32_t d = 0; d < dims; d++) {
        h = (h ^ (uint64_t)left[d]) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 29;
    }
    return (uint32_t)h;
}

/* The slot of a label that leaves this, or where it would be. */
static uint32_t find_slot(const struct stow_hold_batch *b, const int64_t *left)
{
    uint32_t at = hash(left, b->dims) & (b->slots - 1);

    while (b->slot[at] && memcmp(b->left + (size_t)(b->slot[at] - 1) * b->dims, left,
                                 b->dims * sizeof(*left)) != 0)
        at = (at + 1) & (b->slots - 1);
    return at;
}

static int grow(struct stow_hold_batch *b)
{
    if (reserve(b, b->slots) < 0)
        return STOW_ENOMEM;
    b->slots *= 2;
    memset(b->slot, 0, b->slots * sizeof(*b->slot));
    for (uint32_t i = 0; i < b->count; i++)
        b->slot[find_slot(b, b->left + (size_t)i * b->dims)] = i + 1;
    return STOW_OK;
}

static int add_label(struct stow_hold_batch *b, const int64_t *left, int64_t worth, int64_t rest)
{
    if (b->count * 2 >= b->slots && grow(b) < 0)
        return STOW_ENOMEM;

    const uint32_t at = find_slot(b, left);

    if (b->slot[at]) {
        int64_t *known = &b->worth[b->slot[at] - 1];

        *known = worth > *known ? worth : *known;
        return STOW_OK;
    }
    memcpy(b->left + (size_t)b->count * b->dims, left, b->dims * sizeof(*left));
    b->worth[b->count] = worth;
    b->rest[b->count] = rest;
    b->slot[at] = ++b->count;
    return STOW_OK;
}

/* ---- one label --------------------------------------------------------------------------- */

/* What the items from a level on can add to a label at most, as far as cuts and the dense table
 * know; -1: too little to bring it to the target, as one of them or a small table shows. */
static int64_t rest_of(struct stow_hold_work *work, uint32_t level, const int64_t *left,
                       int64_t worth)
{
    const struct stow_core *c = &work->core;
    const int64_t missing = c->scale * (c->target - worth);
    int64_t least = work->dense ? stow_hold_rest(work->dense, c, level, left) : INT64_MAX;

    if (least < missing)
        return -1;
    for (uint32_t i = 0; i < work->cuts; i++) {
        const int64_t rest = stow_hold_cut_rest(&work->cut[i], c, level, left);

        if (rest < missing) {
            work->cut[i].used = ++work->uses;
            return -1;
        }
        least = rest < least ? rest : least;
    }
    for (uint32_t i = 0; i < work->tables; i++)
        if (stow_hold_rest(&work->table[i], c, level, left) < missing)
            return -1;
    return least;
}

/* Tries every number of copies of the level's item. */
static int expand(struct stow_hold_work *work, uint32_t level, const int64_t *from, int64_t worth,
                  struct stow_hold_batch *to)
{
    const struct stow_core *c = &work->core;
    const uint32_t dims = c->dims;
    const int64_t *need = c->need + (size_t)level * dims;
    int64_t left[STOW_HOLD_DIMS];

    memcpy(left, from, dims * sizeof(*left));
    for (uint32_t copies = 0;; copies++) {
        const int64_t rest = rest_of(work, level + 1, left, worth);

        if (rest >= 0)
            STOW_TRY(add_label(to, left, worth, rest));
        if (copies == c->most[level])
            return STOW_OK;
        for (uint32_t d = 0; d < dims; d++) {
            left[d] -= need[d];
            if (left[d] < 0)
                return STOW_OK;
        }
        worth += c->worth[level];
    }
}

/* With all items decided: what a set is worth. */
static bool has_winner(const struct stow_hold_work *work, const struct stow_hold_batch *b)
{
    for (uint32_t i = 0; i < b->count; i++)
        if (b->worth[i] >= work->core.target)
            return true;
    return false;
}

/* ---- labels that others make needless ---------------------------------------------------- */

/* What a label leaves of a dimension, the roomiest one first. */
static int64_t left_of(const struct stow_hold_batch *b, uint32_t label, uint32_t place)
{
    return place < b->dims ? b->left[(size_t)label * b->dims + b->by_room[place]] : 0;
}

/* Labels in the order in which each can only be beaten by those before it: grouped by what they
 * leave of all dimensions but three, and in a group those worth most first. */
static int compare_labels(const void *pa, const void *pb, void *context)
{
    const struct stow_hold_batch *b = context;
    const uint32_t x = *(const uint32_t *)pa, y = *(const uint32_t *)pb;

    for (uint32_t i = 3; i < b->dims; i++)
        if (left_of(b, x, i) != left_of(b, y, i))
            return left_of(b, x, i) < left_of(b, y, i) ? -1 : 1;
    if (b->worth[x] != b->worth[y])
        return b->worth[x] > b->worth[y] ? -1 : 1;
    for (uint32_t i = 0; i < b->dims && i < 3; i++)
        if (left_of(b, x, i) != left_of(b, y, i))
            return left_of(b, x, i) > left_of(b, y, i) ? -1 : 1;
    return 0;
}

static bool same_group(const struct stow_hold_batch *b, uint32_t x, uint32_t y)
{
    for (uint32_t i = 3; i < b->dims; i++)
        if (left_of(b, x, i) != left_of(b, y, i))
            return false;
    return true;
}

static int compare_amounts(const void *pa, const void *pb)
{
    const int64_t x = *(const int64_t *)pa, y = *(const int64_t *)pb;

    return x < y ? -1 : x > y;
}

/* The place of an amount among those that occur, the largest first and from 1 on. */
static uint32_t rank_of(const int64_t *amount, uint32_t count, int64_t of)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (amount[middle] < of)
            low = middle + 1;
        else
            high = middle;
    }
    return count - low;
}

/* Largest second amounts by rank of the first, as sums of powers of two: asking about all ranks up
 * to one, and raising one, take a logarithm of steps. */
static int64_t most_up_to(const int64_t *most, uint32_t rank)
{
    int64_t best = -1;

    for (; rank; rank &= rank - 1)
        best = most[rank] > best ? most[rank] : best;
    return best;
}

static void raise_from(int64_t *most, uint32_t ranks, uint32_t rank, int64_t amount)
{
    for (; rank <= ranks; rank += rank & -rank)
        most[rank] = amount > most[rank] ? amount : most[rank];
}

/* What pruning needs: amounts of the first dimension and a tree per amount of the third, all of a
 * group; the order of all labels, and which stay. */
struct prune {
    int64_t *amount, *most, third[THIRDS];
    uint32_t *order, thirds;
    bool *stays;
};

static bool prune_memory(struct prune *p, uint32_t count)
{
    p->amount = malloc(count * sizeof(*p->amount));
    p->most = malloc(THIRDS * (count + (size_t)1) * sizeof(*p->most));
    p->order = malloc(count * sizeof(*p->order));
    p->stays = calloc(count, sizeof(*p->stays));
    return p->amount && p->most && p->order && p->stays;
}

static void prune_done(struct prune *p)
{
    free(p->amount);
    free(p->most);
    free(p->order);
    free(p->stays);
}

/* Lists the amounts of the third dimension, the smallest first; false: there are too many. */
static bool list_thirds(const struct stow_hold_batch *b, struct prune *p, const uint32_t *order,
                        uint32_t count)
{
    p->thirds = 0;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t third = left_of(b, order[i], 2);
        uint32_t at = 0;

        while (at < p->thirds && p->third[at] < third)
            at++;
        if (at < p->thirds && p->third[at] == third)
            continue;
        if (p->thirds == THIRDS)
            return false;
        memmove(p->third + at + 1, p->third + at, (p->thirds - at) * sizeof(*p->third));
        p->third[at] = third;
        p->thirds++;
    }
    return true;
}

/* Whether a label worth no less leaves no less of all three. */
static bool is_needless(const struct prune *p, uint32_t count, uint32_t third, uint32_t rank,
                        int64_t second)
{
    for (; third < p->thirds; third++)
        if (most_up_to(p->most + third * (count + (size_t)1), rank) >= second)
            return true;
    return false;
}

/* The labels of one group, in their order. */
static void mark_group(const struct stow_hold_batch *b, struct prune *p, const uint32_t *order,
                       uint32_t count)
{
    const bool few = list_thirds(b, p, order, count);

    for (uint32_t i = 0; i < count; i++) {
        p->stays[order[i]] = true;
        p->amount[i] = left_of(b, order[i], 0);
    }
    if (!few)
        return; /* all of them stay */
    qsort(p->amount, count, sizeof(*p->amount), compare_amounts);
    memset(p->most, 0xFF, p->thirds * (count + (size_t)1) * sizeof(*p->most)); /* -1 */
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t rank = rank_of(p->amount, count, left_of(b, order[i], 0));
        const int64_t second = left_of(b, order[i], 1);
        uint32_t third = 0;

        while (p->third[third] != left_of(b, order[i], 2))
            third++;
        p->stays[order[i]] = !is_needless(p, count, third, rank, second);
        if (p->stays[order[i]])
            raise_from(p->most + third * (count + (size_t)1), count, rank, second);
    }
}

static void mark(const struct stow_hold_batch *b, struct prune *p)
{
    for (uint32_t first = 0, end; first < b->count; first = end) {
        for (end = first + 1; end < b->count; end++)
            if (!same_group(b, p->order[first], p->order[end]))
                break;
        mark_group(b, p, p->order + first, end - first);
    }
}

static void keep_marked(struct stow_hold_batch *b, const bool *stays)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < b->count; i++)
        if (stays[i])
            stow_hold_move(b, kept++, i);
    b->count = kept;
}

/* The table of slots no longer holds afterwards: nothing is added to a batch that is full. */
static int prune(struct stow_hold_batch *b, uint32_t from)
{
    struct prune p = {0};
    const bool enough = b->count > 0 && b->count >= from && b->dims > 0;
    const bool memory = !enough || prune_memory(&p, b->count);

    if (memory && enough) {
        for (uint32_t i = 0; i < b->count; i++)
            p.order[i] = i;
        qsort_r(p.order, b->count, sizeof(*p.order), compare_labels, b);
        mark(b, &p);
        keep_marked(b, p.stays);
        b->stayed = b->count;
    }
    prune_done(&p);
    return memory ? STOW_OK : STOW_ENOMEM;
}

/* ---- those with the best prospects ------------------------------------------------------- */

/* Keeps this many labels, or more where prospects are the same. */
static int keep_best(const struct stow_core *c, struct stow_hold_batch *b, uint32_t width)
{
    int64_t *prospect = malloc(b->count * sizeof(*prospect));
    uint32_t kept = 0;

    if (!prospect)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < b->count; i++)
        prospect[i] = stow_hold_prospect(b, c, i);
    qsort(prospect, b->count, sizeof(*prospect), compare_amounts);

    const int64_t least = prospect[b->count - width];

    for (uint32_t i = 0; i < b->count; i++)
        if (stow_hold_prospect(b, c, i) >= least)
            stow_hold_move(b, kept++, i);
    b->count = kept;
    free(prospect);
    return STOW_OK;
}

/* ---- all of them ------------------------------------------------------------------------- */

/* As much of a batch as the next one holds; that one is filled from empty. */
static int descend(struct stow_hold_work *work, uint32_t level)
{
    struct stow_hold_batch *from = &work->batch[level], *to = &work->batch[level + 1];
    const struct stow_core *c = &work->core;

    if (open_batch(to, c) < 0)
        return STOW_ENOMEM;
    while (from->next < from->count &&
           (uint64_t)to->count + c->most[level] + 1 < work->sizes.batch) {
        const uint32_t label = from->next++;

        STOW_TRY(expand(work, level, from->left + (size_t)label * c->dims, from->worth[label], to));
    }
    STOW_TRY(stow_hold_learn(work, level + 1, to));
    to->stayed = from->stayed;
    return to->count / 2 < to->stayed ? STOW_OK : prune(to, work->sizes.compare);
}

/* The memory of a batch that was followed to the end serves the one after the next. */
static void hand_down(struct stow_hold_work *work, uint32_t level)
{
    struct stow_hold_batch *b = &work->batch[level];

    if (b->next < b->count || level + 2 > work->core.items)
        return;

    const struct stow_hold_batch done = *b;

    *b = work->batch[level + 2];
    work->batch[level + 2] = done;
    b->count = b->next = 0;
}

/* Everything below one batch of a level is followed before the next. */
static int follow(struct stow_hold_work *work, uint32_t width, bool only_all, double deadline)
{
    const struct stow_core *c = &work->core;
    uint32_t level = 0;
    bool all = true;

    for (;;) {
        struct stow_hold_batch *b = &work->batch[level];

        if (level == c->items) {
            if (has_winner(work, b))
                return STOW_HOLD_EXCEEDS;
            b->next = b->count;
        }
        if (b->next == b->count) { /* back to a level that has labels left */
            if (level == 0)
                return all ? STOW_HOLD_WITHIN : STOW_HOLD_UNSETTLED;
            level--;
            continue;
        }
        if (stow_hold_late(deadline))
            return STOW_HOLD_UNSETTLED;
        if (descend(work, level) < 0)
            return STOW_ENOMEM;
        hand_down(work, level);
        b = &work->batch[++level];
        if (b->count <= width)
            continue;
        if (only_all)
            return STOW_HOLD_UNSETTLED;
        all = false;
        if (keep_best(c, b, width) < 0)
            return STOW_ENOMEM;
    }
}

int stow_hold_search(struct stow_hold_work *work, uint32_t width, bool only_all, double deadline)
{
    const struct stow_core *c = &work->core;

    for (uint32_t i = 0; i < c->items; i++)
        if (c->most[i] >= work->sizes.batch / 2)
            return STOW_HOLD_UNSETTLED;
    if (make_batches(work) < 0 || open_batch(&work->batch[0], c) < 0)
        return STOW_ENOMEM;
    STOW_TRY(stow_hold_cuts_start(work));
    STOW_TRY(add_label(&work->batch[0], c->room, 0, 0));
    return follow(work, width, only_all, deadline);
}
