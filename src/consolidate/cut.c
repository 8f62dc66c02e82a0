/* cut.c - a layout reached in small steps.
 *
 * Problem: the cheapest layout changes everything at once.  Steps may move only a limited number of
 * pods, buy only a limited number of nodes before others go, and must never leave a higher bill
 * than the first one.
 *
 * Idea: pods of a class are alike.  A layout says how many of each class a node is to hold; which
 * ones does not matter.  So it is a set of *slots* (a node and a class, this many), and every pod
 * of a node that goes takes any free slot of its class: it moves once.  Nodes of the layout are
 * bought when the first pod needs one.  Where a node that stays has no room for a pod that it is to
 * hold, those leave it in the same step of which it has too many: what it holds then is part of
 * what the layout has there, so there is room.
 *
 * A step is filled node by node: of those that have to go the one that saves most for each pod that
 * moves, with what would have to be bought for it taken off; until no more pods may move.  The last
 * row of nodes with which the bill is not above the first one is the step.  At last, where a node
 * has more pods than may move, or than budgets let go, some of them go ahead.
 *
 * Where nothing can be bought yet, pods that find no slot may go to other nodes that have to go
 * later: they move twice, and nodes go that make room for new ones.
 *
 * Every step is tried in full (steps.c) before it counts.  What rules between pods
 * refuse is tried again with fewer nodes, then left alone. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/stepping.h"

#define DETOURS  2  /* of one pod */
#define FAILURES 16 /* nodes that are tried for one step in vain */

struct slot {
    uint32_t class, target; /* the number of a node of the layout */
    uint32_t want, have;    /* pods of the class: to be there, and there now */
};

/* A node that has to go. */
struct task {
    uint32_t node;
    bool blocked;   /* rules refuse it by itself */
    uint32_t tried; /* in the attempt of this number */
};

struct cutting {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    const struct stow_layout *layout;
    uint32_t targets;
    uint32_t *target_at;  /* per target: its node on deck; STOW_NONE: not bought yet */
    stow_group_id *group; /* per target that is bought */
    uint32_t *target_of;  /* per node that was there in the beginning: its target; STOW_NONE */
    struct slot *slot;    /* by class */
    uint32_t slots, slot_cap;
    uint32_t *first_slot; /* per class, and one more */
    uint32_t *by_target;  /* slots again, by target */
    uint32_t *first_of;   /* per target, and one more: into by_target */
    uint32_t *unfilled;   /* per class: free slots on nodes that are there */
    uint32_t *here;       /* per class: pods of the node at hand */
    struct task *task;
    uint32_t tasks;
    bool *is_moved;    /* per pod: by this step */
    uint8_t *detoured; /* per pod: so often */
    uint32_t *used;    /* per budget: pods of this step */
    uint32_t *opened;  /* targets that this step buys */
    uint32_t opens;
    struct stow_pod_list pods;
    stow_nano per_pod; /* what new nodes cost for each pod that comes to them */
    /* the step at hand */
    bool detours;           /* pods may go to nodes that have to go later */
    bool partly;            /* some pods of a node may go ahead */
    uint32_t attempt, most; /* tasks that may be in it */
    uint32_t moves, taken;
    stow_nano freed;
    struct task *partial; /* a node of which only some pods move; NULL */
    uint32_t *gone;       /* nodes that go with it */
    uint32_t gones;
};

static void cutting_done(struct cutting *k)
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

static uint32_t class_of(const struct cutting *k, stow_pod_id pod)
{
    return k->deck->yard->class_of[pod];
}

/* ---- slots ------------------------------------------------------------------------------- */

static bool allocate(struct cutting *k)
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

/* Nodes that stay are targets, then those that are bought; the others are tasks. */
static void number_targets(struct cutting *k)
{
    const struct stow_deck *deck = k->deck;

    for (uint32_t node = 0; node < deck->yard->real; node++) {
        k->target_of[node] = k->layout->gone[node] ? STOW_NONE : k->targets;
        if (k->layout->gone[node]) {
            k->task[k->tasks++] = (struct task){.node = node};
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
static uint32_t target_for(const struct cutting *k, stow_pod_id pod)
{
    const uint32_t at = k->layout->at[pod], real = k->deck->yard->real;

    return at < real ? k->target_of[at] : k->targets - k->layout->groups + (at - real);
}

static int by_class(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;

    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

/* Slots that are the same become one. */
static void merge_slots(struct cutting *k)
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

static int index_slots(struct cutting *k)
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

static int make_slots(struct cutting *k)
{
    const struct stow_ground *ground = k->c->ground;
    stow_nano sum = 0;
    uint32_t coming = 0;

    for (uint32_t i = 0; i < ground->pendings; i++) {
        const stow_pod_id pod = ground->pending[i];
        struct slot *made;

        if (k->deck->pinned[pod])
            continue;
        made = STOW_PUSH(&k->slot, &k->slots, &k->slot_cap);
        if (!made)
            return STOW_ENOMEM;
        *made = (struct slot){class_of(k, pod), target_for(k, pod), 1, 0};
        coming += k->layout->at[pod] >= k->deck->yard->real;
    }
    for (uint32_t i = 0; i < k->layout->groups; i++)
        sum += k->c->group_price[k->layout->group[i]];
    k->per_pod = coming ? sum / coming : 0;
    merge_slots(k);
    return index_slots(k);
}

/* The slot of a class on a target; NULL: there is none. */
static struct slot *slot_on(const struct cutting *k, uint32_t class, uint32_t target)
{
    for (uint32_t i = k->first_of[target]; i < k->first_of[target + 1]; i++)
        if (k->slot[k->by_target[i]].class == class)
            return &k->slot[k->by_target[i]];
    return NULL;
}

/* Who is where just now. */
static void count_slots(struct cutting *k)
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
            struct slot *slot = deck->pinned[pod] ? NULL : slot_on(k, class_of(k, pod), t);

            if (slot)
                slot->have++;
        }
        for (uint32_t i = k->first_of[t]; i < k->first_of[t + 1]; i++) {
            const struct slot *slot = &k->slot[k->by_target[i]];

            if (slot->have < slot->want)
                k->unfilled[slot->class] += slot->want - slot->have;
        }
    }
}

/* ---- places for one pod ------------------------------------------------------------------ */

static void move(struct cutting *k, stow_pod_id pod, uint32_t node)
{
    const uint32_t budget = k->c->movable.budget[pod];

    if (k->deck->at[pod] != STOW_NONE)
        stow_deck_evict(k->deck, pod);
    stow_deck_move(k->deck, pod, node);
    k->is_moved[pod] = true;
    k->moves += !k->deck->pending[pod];
    if (budget != STOW_NONE)
        k->used[budget]++;
}

/* Into a slot on a node that is there. */
static bool fill_slot(struct cutting *k, stow_pod_id pod)
{
    const uint32_t class = class_of(k, pod);

    if (!k->unfilled[class])
        return false;
    for (uint32_t i = k->first_slot[class]; i < k->first_slot[class + 1]; i++) {
        struct slot *slot = &k->slot[i];
        const uint32_t node = k->target_at[slot->target];

        if (node == STOW_NONE || slot->have >= slot->want || node == k->deck->at[pod] ||
            !stow_deck_fits(k->deck, pod, node))
            continue;
        slot->have++;
        k->unfilled[class]--;
        move(k, pod, node);
        return true;
    }
    return false;
}

/* How many pods of the node at hand a target could take. */
static uint32_t could_take(const struct cutting *k, uint32_t target)
{
    uint32_t sum = 0;

    for (uint32_t i = k->first_of[target]; i < k->first_of[target + 1]; i++) {
        const struct slot *slot = &k->slot[k->by_target[i]];
        const uint32_t here = k->here[slot->class];

        sum += here < slot->want ? here : slot->want;
    }
    return sum;
}

static bool may_open(const struct cutting *k, uint32_t target, stow_nano most)
{
    const stow_nano price = k->c->group_price[k->group[target]];

    return k->deck->cost <= k->c->reach.peak - price && k->deck->cost <= most - price &&
           stow_session_may_add(k->deck->session, k->group[target], NULL);
}

/* Buys the node of the layout that takes most of the pods at hand, with a slot for the class.
 * `most`: that is on deck may cost then. */
static bool open_target(struct cutting *k, uint32_t class, stow_nano most)
{
    uint32_t best = STOW_NONE, best_takes = 0;

    for (uint32_t i = k->first_slot[class]; i < k->first_slot[class + 1]; i++) {
        const uint32_t target = k->slot[i].target;
        const uint32_t takes = k->target_at[target] == STOW_NONE ? could_take(k, target) : 0;

        if (takes <= best_takes || !may_open(k, target, most))
            continue;
        best = target;
        best_takes = takes;
    }
    if (best == STOW_NONE)
        return false;
    k->target_at[best] = stow_deck_add(k->deck, k->group[best]);
    if (k->target_at[best] == STOW_NONE)
        return false;
    k->opened[k->opens++] = best;
    for (uint32_t i = k->first_of[best]; i < k->first_of[best + 1]; i++) {
        struct slot *slot = &k->slot[k->by_target[i]];

        slot->have = 0;
        k->unfilled[slot->class] += slot->want;
    }
    return true;
}

/* Onto another node that has to go later, the fullest. */
static bool detour(struct cutting *k, stow_pod_id pod)
{
    const struct stow_yard *yard = k->deck->yard;
    uint32_t best = STOW_NONE;
    int64_t best_score = -1;

    if (!k->detours || k->detoured[pod] >= DETOURS)
        return false;
    for (uint32_t i = 0; i < k->tasks; i++) {
        const uint32_t node = k->task[i].node;
        int64_t score;

        if (k->deck->gone[node] || node == k->deck->at[pod] || k->deck->first[node] == STOW_NONE ||
            !stow_deck_fits(k->deck, pod, node))
            continue;
        score = stow_yard_most_allocated(yard, class_of(k, pod), node);
        if (score <= best_score)
            continue;
        best = node;
        best_score = score;
    }
    if (best == STOW_NONE)
        return false;
    move(k, pod, best);
    return true;
}

/* ---- the pods of a node ------------------------------------------------------------------ */

/* Into k->pods and k->here: all that have to leave it. */
static int list_pods(struct cutting *k, const struct task *task)
{
    const struct stow_deck *deck = k->deck;
    uint32_t kept = 0;

    k->pods.count = 0;
    STOW_TRY(stow_deck_gather(deck, task->node, &k->pods));
    for (uint32_t i = 0; i < k->pods.count; i++)
        if (!deck->pinned[k->pods.pod[i]] && !k->is_moved[k->pods.pod[i]])
            k->pods.pod[kept++] = k->pods.pod[i];
    k->pods.count = kept;
    for (uint32_t i = 0; i < kept; i++)
        k->here[class_of(k, k->pods.pod[i])]++;
    return STOW_OK;
}

static void forget_pods(struct cutting *k)
{
    for (uint32_t i = 0; i < k->pods.count; i++)
        k->here[class_of(k, k->pods.pod[i])] = 0;
    k->pods.count = 0;
}

/* How many of the pods at hand find no slot on nodes that are there. */
static double count_lost(const struct cutting *k)
{
    double lost = 0;

    for (uint32_t i = 0; i < k->pods.count; i++) {
        const uint32_t class = class_of(k, k->pods.pod[i]);

        if (k->here[class] > k->unfilled[class]) /* each pod of the class has its share */
            lost += 1 - (double)k->unfilled[class] / k->here[class];
    }
    return lost;
}

static bool within_budgets(struct cutting *k)
{
    bool within = true;

    for (uint32_t i = 0; i < k->pods.count; i++) {
        const uint32_t budget = k->c->movable.budget[k->pods.pod[i]];

        if (budget != STOW_NONE)
            within &= ++k->used[budget] <= k->c->movable.allowed[budget];
    }
    for (uint32_t i = 0; i < k->pods.count; i++)
        if (k->c->movable.budget[k->pods.pod[i]] != STOW_NONE)
            k->used[k->c->movable.budget[k->pods.pod[i]]]--;
    return within;
}

static bool is_within_step(const struct cutting *k)
{
    return stow_deck_running(k->deck, k->pods.pod, k->pods.count) <= k->c->reach.moves - k->moves;
}

static bool keeps_least(const struct cutting *k, uint32_t node)
{
    const struct stow_snapshot *s = k->c->s;
    const stow_group_id group = stow_deck_group(k->deck, node);
    const bool lets = stow_pools_let_go(k->c, k->gone, k->gones, node, NULL) &&
                      stow_commitment_lets_go(k->c, k->gone, k->gones, node);
    uint32_t going = 1;

    if (!lets || group == STOW_NONE || s->group[group].implied)
        return lets;
    for (uint32_t i = 0; i < k->gones; i++)
        going += stow_deck_group(k->deck, k->gone[i]) == group;
    return k->deck->session->size[group] >= going + s->group[group].min_nodes;
}

/* ---- choosing ---------------------------------------------------------------------------- */

static bool is_open_task(const struct cutting *k, const struct task *task)
{
    return !k->deck->gone[task->node] && !task->blocked && task->tried != k->attempt;
}

/* What a node gains for each pod that moves. */
static double score_of(const struct cutting *k, const struct task *task)
{
    const stow_nano price = k->deck->price[task->node];
    const double need = count_lost(k) * (double)k->per_pod;

    return ((double)price - need) / (stow_deck_running(k->deck, k->pods.pod, k->pods.count) + 0.1);
}

/* The next node whose pods may all move; `any`: or some of them.  NULL: there is none. */
static int pick_task(struct cutting *k, bool any, struct task **ret)
{
    double best = 0;

    *ret = NULL;
    for (uint32_t i = 0; i < k->tasks; i++) {
        struct task *task = &k->task[i];
        double score;

        if (!is_open_task(k, task))
            continue;
        STOW_TRY(list_pods(k, task));
        score = score_of(k, task);
        if ((!*ret || score > best) &&
            (any || (is_within_step(k) && within_budgets(k) && keeps_least(k, task->node)))) {
            *ret = task;
            best = score;
        }
        forget_pods(k);
    }
    return STOW_OK;
}

/* ---- a step ------------------------------------------------------------------------------ */

/* Back to how it was when the step had so much. */
struct mark {
    uint32_t log, moves, opens, gones, taken;
    stow_nano freed;
};

static struct mark mark_of(const struct cutting *k)
{
    return (struct mark){stow_deck_mark(k->deck), k->moves, k->opens, k->gones, k->taken, k->freed};
}

static void go_back(struct cutting *k, const struct mark *mark)
{
    for (uint32_t i = mark->log; i < k->deck->logged; i++) {
        const struct stow_deck_entry *entry = &k->deck->log[i];
        const uint32_t budget =
            entry->event == STOW_DECK_MOVED ? k->c->movable.budget[entry->pod] : STOW_NONE;

        if (entry->event == STOW_DECK_MOVED)
            k->is_moved[entry->pod] = false;
        if (budget != STOW_NONE && entry->node == STOW_NONE) /* it came from none */
            k->used[budget]--;
    }
    while (k->opens > mark->opens)
        k->target_at[k->opened[--k->opens]] = STOW_NONE;
    stow_deck_rollback(k->deck, mark->log);
    k->moves = mark->moves;
    k->gones = mark->gones;
    k->taken = mark->taken;
    k->freed = mark->freed;
    count_slots(k);
}

/* Those leave a node that stays of which it has too many: they come after the pods at hand.  False:
 * there are none. */
static bool clear_out(struct cutting *k, uint32_t target)
{
    struct stow_deck *deck = k->deck;
    const uint32_t before = k->pods.count;
    stow_pod_id next;

    for (stow_pod_id pod = deck->first[k->target_at[target]]; pod != STOW_NONE; pod = next) {
        struct slot *slot = slot_on(k, class_of(k, pod), target);
        stow_pod_id *made;

        next = deck->next[pod];
        if (deck->pinned[pod] || k->is_moved[pod] || (slot && slot->have <= slot->want))
            continue;
        made = STOW_PUSH(&k->pods.pod, &k->pods.count, &k->pods.cap);
        if (!made) {
            deck->failed = true;
            return false;
        }
        *made = pod;
        k->here[class_of(k, pod)]++;
        if (slot)
            slot->have--;
        stow_deck_evict(deck, pod);
    }
    return k->pods.count > before;
}

/* Room for a pod of the class on a node that is to hold it; false: there is no such node. */
static bool make_room(struct cutting *k, uint32_t class)
{
    for (uint32_t i = k->first_slot[class]; i < k->first_slot[class + 1]; i++) {
        const struct slot *slot = &k->slot[i];

        if (k->target_at[slot->target] != STOW_NONE && slot->have < slot->want &&
            clear_out(k, slot->target))
            return true;
    }
    return false;
}

/* Budgets and the size of the step let one more pod go. */
static bool may_move(const struct cutting *k, stow_pod_id pod)
{
    const uint32_t budget = k->c->movable.budget[pod];

    return (k->moves < k->c->reach.moves || k->deck->pending[pod]) &&
           (budget == STOW_NONE || k->used[budget] < k->c->movable.allowed[budget]);
}

/* All pods at hand, of a node of this price, find places. */
static bool place_all(struct cutting *k, stow_nano price)
{
    /* what others save may pay for a node later in the step; on detours there may be no others */
    const stow_nano most = k->detours && k->c->reach.ceiling < INT64_MAX - price - k->freed
                               ? k->c->reach.ceiling + k->freed + price
                               : INT64_MAX;

    for (uint32_t i = 0; i < k->pods.count; i++) {
        const stow_pod_id pod = k->pods.pod[i];
        const uint32_t class = class_of(k, pod);

        if (!may_move(k, pod))
            return false;
        if (!fill_slot(k, pod) && !(make_room(k, class) && fill_slot(k, pod)) &&
            !(open_target(k, class, most) && fill_slot(k, pod)) && !detour(k, pod))
            return false;
        k->here[class]--;
    }
    return true;
}

/* A node is emptied; false: it cannot be, and nothing has changed. */
static int take_task(struct cutting *k, struct task *task, bool *ret)
{
    const struct mark before = mark_of(k);

    STOW_TRY(list_pods(k, task));
    stow_deck_sort(k->deck, &k->pods);
    stow_deck_drain(k->deck, task->node, STOW_DRAIN_CORDONED);
    *ret = place_all(k, k->deck->price[task->node]);
    for (uint32_t i = 0; i < k->pods.count; i++)
        k->here[class_of(k, k->pods.pod[i])] = 0;
    k->pods.count = 0;
    task->tried = k->attempt;
    if (!*ret) {
        go_back(k, &before);
        return k->deck->failed ? STOW_ENOMEM : STOW_OK;
    }
    k->taken++;
    k->gone[k->gones++] = task->node;
    k->freed += k->deck->price[task->node];
    return STOW_OK;
}

/* As many pods of a node as may move, though it cannot go yet. */
static int take_some(struct cutting *k, struct task *task)
{
    const struct mark before = mark_of(k);

    STOW_TRY(list_pods(k, task));
    stow_deck_sort(k->deck, &k->pods);
    for (uint32_t i = 0; i < k->pods.count; i++) {
        const stow_pod_id pod = k->pods.pod[i];

        if (!may_move(k, pod))
            continue;
        if (!fill_slot(k, pod) && open_target(k, class_of(k, pod), k->c->reach.ceiling))
            fill_slot(k, pod);
    }
    forget_pods(k);
    task->tried = k->attempt;
    if (k->moves == before.moves)
        go_back(k, &before);
    else
        k->taken++;
    k->partial = task;
    return STOW_OK;
}

static void begin_step(struct cutting *k)
{
    stow_deck_rollback(k->deck, k->deck->base);
    stow_pools_begin_step(k->c, k->deck->there);
    memset(k->is_moved, 0, k->deck->s->pods * sizeof(*k->is_moved));
    memset(k->used, 0, k->deck->s->budgets * sizeof(*k->used));
    k->moves = k->taken = k->opens = k->gones = 0;
    k->partial = NULL;
    k->freed = 0;
    k->attempt++;
    count_slots(k);
}

static bool is_full(const struct cutting *k)
{
    return k->taken >= k->most || stow_consolidate_is_late(k->c) || k->deck->failed;
}

/* Node after node, back to the last with which the bill is not above the first one. */
static int take_whole(struct cutting *k)
{
    struct mark good = mark_of(k);
    struct task *task = NULL;
    uint32_t failures = 0;

    do {
        bool taken = false;

        STOW_TRY(pick_task(k, false, &task));
        if (task)
            STOW_TRY(take_task(k, task, &taken));
        failures += !taken;
        if (taken && k->deck->cost - k->freed <= k->c->reach.ceiling)
            good = mark_of(k);
    } while (task && failures < FAILURES && !is_full(k));
    if (good.log != stow_deck_mark(k->deck))
        go_back(k, &good);
    return STOW_OK;
}

/* What is on deck after it; 0: nothing can be done. */
static int fill_step(struct cutting *k)
{
    begin_step(k);
    STOW_TRY(take_whole(k));
    for (uint32_t i = 0; k->partly && !k->taken && i < FAILURES && !is_full(k); i++) {
        struct task *task;

        STOW_TRY(pick_task(k, true, &task));
        if (!task)
            break;
        STOW_TRY(take_some(k, task));
    }
    return k->deck->failed ? STOW_ENOMEM : (int)(k->moves + k->gones);
}

/* The nodes of a step by which nothing can be done are left alone. */
static void block(struct cutting *k)
{
    for (uint32_t i = 0; i < k->tasks; i++)
        for (uint32_t g = 0; g < k->gones; g++)
            k->task[i].blocked |= k->task[i].node == k->gone[g];
    if (k->partial)
        k->partial->blocked = true;
}

/* Pods that did not get to where they are to be. */
static void note_detours(struct cutting *k)
{
    const struct stow_deck *deck = k->deck;

    for (uint32_t i = 0; i < k->tasks && k->detours; i++)
        for (stow_pod_id pod = deck->first[k->task[i].node]; pod != STOW_NONE;
             pod = deck->next[pod])
            k->detoured[pod] += k->is_moved[pod];
}

/* One step, carried out; `*ret`: there is one. */
static int take_step(struct cutting *k, bool *ret)
{
    *ret = false;
    for (k->most = UINT32_MAX; !*ret && !stow_consolidate_is_late(k->c); k->most = k->taken / 2) {
        STOW_AUTO(stow_layout_done) struct stow_layout layout = {0};
        const int found = fill_step(k);

        if (found <= 0)
            return found;
        for (uint32_t i = 0; i < k->gones; i++)
            stow_deck_shut(k->deck, k->gone[i]);
        STOW_TRY(stow_layout_take(k->c, &layout));
        STOW_TRY(stow_consolidate_step(k->c, &layout, ret));
        if (*ret) {
            note_detours(k);
            stow_consolidate_settle(k->c);
            return STOW_OK;
        }
        for (uint32_t i = 0; i < k->opens; i++)
            k->target_at[k->opened[i]] = STOW_NONE;
        if (k->taken > 1)
            continue;
        block(k);
        k->taken = UINT32_MAX;
    }
    return STOW_OK;
}

/* What still has to go when no step can be taken. */
static void say_why(struct cutting *k)
{
    const struct stow_kept_reason why = stow_reason_of(
        STOW_NONE, "limit",
        "no step that --max-surge and --max-moves-per-step allow was found that empties it");

    for (uint32_t i = 0; i < k->tasks && k->c->reach.limited; i++)
        if (!k->deck->gone[k->task[i].node] && !k->c->held[k->task[i].node].text)
            k->c->held[k->task[i].node] = why;
}

int stow_consolidate_cut(struct stow_consolidating *c, const struct stow_layout *layout)
{
    STOW_AUTO(cutting_done)
    struct cutting k = {.c = c, .deck = &c->deck, .layout = layout};
    bool found = true;

    if (!allocate(&k))
        return STOW_ENOMEM;
    number_targets(&k);
    STOW_TRY(make_slots(&k));
    while (found && !stow_consolidate_is_late(c)) {
        found = false;
        for (int way = 0; way < 3 && !found; way++) {
            k.detours = way == 1;
            k.partly = way == 2;
            STOW_TRY(take_step(&k, &found));
        }
    }
    stow_deck_rollback(&c->deck, c->deck.base);
    say_why(&k);
    return c->deck.failed ? STOW_ENOMEM : STOW_OK;
}
