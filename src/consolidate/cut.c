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
#include "consolidate/cut_internal.h"

#define DETOURS  2  /* of one pod */
#define FAILURES 16 /* nodes that are tried for one step in vain */

/* ---- places for one pod ------------------------------------------------------------------ */

static void move(struct stow_cutting *k, stow_pod_id pod, uint32_t node)
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
static bool fill_slot(struct stow_cutting *k, stow_pod_id pod)
{
    const uint32_t class = stow_cut_class(k, pod);

    if (!k->unfilled[class])
        return false;
    for (uint32_t i = k->first_slot[class]; i < k->first_slot[class + 1]; i++) {
        struct stow_cut_slot *slot = &k->slot[i];
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
static uint32_t could_take(const struct stow_cutting *k, uint32_t target)
{
    uint32_t sum = 0;

    for (uint32_t i = k->first_of[target]; i < k->first_of[target + 1]; i++) {
        const struct stow_cut_slot *slot = &k->slot[k->by_target[i]];
        const uint32_t here = k->here[slot->class];

        sum += here < slot->want ? here : slot->want;
    }
    return sum;
}

static bool may_open(const struct stow_cutting *k, uint32_t target, stow_nano most)
{
    const stow_nano price = k->c->group_price[k->group[target]];

    return k->deck->cost <= k->c->reach.peak - price && k->deck->cost <= most - price &&
           stow_session_may_add(k->deck->session, k->group[target], NULL);
}

/* Buys the node of the layout that takes most of the pods at hand, with a slot for the class.
 * `most`: that is on deck may cost then. */
static bool open_target(struct stow_cutting *k, uint32_t class, stow_nano most)
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
        struct stow_cut_slot *slot = &k->slot[k->by_target[i]];

        slot->have = 0;
        k->unfilled[slot->class] += slot->want;
    }
    return true;
}

/* Onto another node that has to go later, the fullest. */
static bool detour(struct stow_cutting *k, stow_pod_id pod)
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
        score = stow_yard_most_allocated(yard, stow_cut_class(k, pod), node);
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
static int list_pods(struct stow_cutting *k, const struct stow_cut_task *task)
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
        k->here[stow_cut_class(k, k->pods.pod[i])]++;
    return STOW_OK;
}

static void forget_pods(struct stow_cutting *k)
{
    for (uint32_t i = 0; i < k->pods.count; i++)
        k->here[stow_cut_class(k, k->pods.pod[i])] = 0;
    k->pods.count = 0;
}

/* How many of the pods at hand find no slot on nodes that are there. */
static double count_lost(const struct stow_cutting *k)
{
    double lost = 0;

    for (uint32_t i = 0; i < k->pods.count; i++) {
        const uint32_t class = stow_cut_class(k, k->pods.pod[i]);

        if (k->here[class] > k->unfilled[class]) /* each pod of the class has its share */
            lost += 1 - (double)k->unfilled[class] / k->here[class];
    }
    return lost;
}

static bool within_budgets(struct stow_cutting *k)
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

static bool is_within_step(const struct stow_cutting *k)
{
    return stow_deck_running(k->deck, k->pods.pod, k->pods.count) <= k->c->reach.moves - k->moves;
}

static bool keeps_least(const struct stow_cutting *k, uint32_t node)
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

static bool is_open_task(const struct stow_cutting *k, const struct stow_cut_task *task)
{
    return !k->deck->gone[task->node] && !task->blocked && task->tried != k->attempt;
}

/* What a node gains for each pod that moves. */
static double score_of(const struct stow_cutting *k, const struct stow_cut_task *task)
{
    const stow_nano price = k->deck->price[task->node];
    const double need = count_lost(k) * (double)k->per_pod;

    return ((double)price - need) / (stow_deck_running(k->deck, k->pods.pod, k->pods.count) + 0.1);
}

/* The next node whose pods may all move; `any`: or some of them.  NULL: there is none. */
static int pick_task(struct stow_cutting *k, bool any, struct stow_cut_task **ret)
{
    double best = 0;

    *ret = NULL;
    for (uint32_t i = 0; i < k->tasks; i++) {
        struct stow_cut_task *task = &k->task[i];
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

static struct mark mark_of(const struct stow_cutting *k)
{
    return (struct mark){stow_deck_mark(k->deck), k->moves, k->opens, k->gones, k->taken, k->freed};
}

static void go_back(struct stow_cutting *k, const struct mark *mark)
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
    stow_cut_count_slots(k);
}

/* Those leave a node that stays of which it has too many: they come after the pods at hand.  False:
 * there are none. */
static bool clear_out(struct stow_cutting *k, uint32_t target)
{
    struct stow_deck *deck = k->deck;
    const uint32_t before = k->pods.count;
    stow_pod_id next;

    for (stow_pod_id pod = deck->first[k->target_at[target]]; pod != STOW_NONE; pod = next) {
        struct stow_cut_slot *slot = stow_cut_slot_on(k, stow_cut_class(k, pod), target);
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
        k->here[stow_cut_class(k, pod)]++;
        if (slot)
            slot->have--;
        stow_deck_evict(deck, pod);
    }
    return k->pods.count > before;
}

/* Room for a pod of the class on a node that is to hold it; false: there is no such node. */
static bool make_room(struct stow_cutting *k, uint32_t class)
{
    for (uint32_t i = k->first_slot[class]; i < k->first_slot[class + 1]; i++) {
        const struct stow_cut_slot *slot = &k->slot[i];

        if (k->target_at[slot->target] != STOW_NONE && slot->have < slot->want &&
            clear_out(k, slot->target))
            return true;
    }
    return false;
}

/* Budgets and the size of the step let one more pod go. */
static bool may_move(const struct stow_cutting *k, stow_pod_id pod)
{
    const uint32_t budget = k->c->movable.budget[pod];

    return (k->moves < k->c->reach.moves || k->deck->pending[pod]) &&
           (budget == STOW_NONE || k->used[budget] < k->c->movable.allowed[budget]);
}

/* All pods at hand, of a node of this price, find places. */
static bool place_all(struct stow_cutting *k, stow_nano price)
{
    /* what others save may pay for a node later in the step; on detours there may be no others */
    const stow_nano most = k->detours && k->c->reach.ceiling < INT64_MAX - price - k->freed
                               ? k->c->reach.ceiling + k->freed + price
                               : INT64_MAX;

    for (uint32_t i = 0; i < k->pods.count; i++) {
        const stow_pod_id pod = k->pods.pod[i];
        const uint32_t class = stow_cut_class(k, pod);

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
static int take_task(struct stow_cutting *k, struct stow_cut_task *task, bool *ret)
{
    const struct mark before = mark_of(k);

    STOW_TRY(list_pods(k, task));
    stow_deck_sort(k->deck, &k->pods);
    stow_deck_drain(k->deck, task->node, STOW_DRAIN_CORDONED);
    *ret = place_all(k, k->deck->price[task->node]);
    for (uint32_t i = 0; i < k->pods.count; i++)
        k->here[stow_cut_class(k, k->pods.pod[i])] = 0;
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
static int take_some(struct stow_cutting *k, struct stow_cut_task *task)
{
    const struct mark before = mark_of(k);

    STOW_TRY(list_pods(k, task));
    stow_deck_sort(k->deck, &k->pods);
    for (uint32_t i = 0; i < k->pods.count; i++) {
        const stow_pod_id pod = k->pods.pod[i];

        if (!may_move(k, pod))
            continue;
        if (!fill_slot(k, pod) && open_target(k, stow_cut_class(k, pod), k->c->reach.ceiling))
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

static void begin_step(struct stow_cutting *k)
{
    stow_deck_rollback(k->deck, k->deck->base);
    stow_pools_begin_step(k->c, k->deck->there);
    memset(k->is_moved, 0, k->deck->s->pods * sizeof(*k->is_moved));
    memset(k->used, 0, k->deck->s->budgets * sizeof(*k->used));
    k->moves = k->taken = k->opens = k->gones = 0;
    k->partial = NULL;
    k->freed = 0;
    k->attempt++;
    stow_cut_count_slots(k);
}

static bool is_full(const struct stow_cutting *k)
{
    return k->taken >= k->most || stow_consolidate_is_late(k->c) || k->deck->failed;
}

/* Node after node, back to the last with which the bill is not above the first one. */
static int take_whole(struct stow_cutting *k)
{
    struct mark good = mark_of(k);
    struct stow_cut_task *task = NULL;
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
static int fill_step(struct stow_cutting *k)
{
    begin_step(k);
    STOW_TRY(take_whole(k));
    for (uint32_t i = 0; k->partly && !k->taken && i < FAILURES && !is_full(k); i++) {
        struct stow_cut_task *task;

        STOW_TRY(pick_task(k, true, &task));
        if (!task)
            break;
        STOW_TRY(take_some(k, task));
    }
    return k->deck->failed ? STOW_ENOMEM : (int)(k->moves + k->gones);
}

/* The nodes of a step by which nothing can be done are left alone. */
static void block(struct stow_cutting *k)
{
    for (uint32_t i = 0; i < k->tasks; i++)
        for (uint32_t g = 0; g < k->gones; g++)
            k->task[i].blocked |= k->task[i].node == k->gone[g];
    if (k->partial)
        k->partial->blocked = true;
}

/* Pods that did not get to where they are to be. */
static void note_detours(struct stow_cutting *k)
{
    const struct stow_deck *deck = k->deck;

    for (uint32_t i = 0; i < k->tasks && k->detours; i++)
        for (stow_pod_id pod = deck->first[k->task[i].node]; pod != STOW_NONE;
             pod = deck->next[pod])
            k->detoured[pod] += k->is_moved[pod];
}

/* One step, carried out; `*ret`: there is one. */
static int take_step(struct stow_cutting *k, bool *ret)
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
static void say_why(struct stow_cutting *k)
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
    STOW_AUTO(stow_cutting_done)
    struct stow_cutting k = {.c = c, .deck = &c->deck, .layout = layout};
    bool found = true;

    if (!stow_cut_allocate(&k))
        return STOW_ENOMEM;
    stow_cut_number_targets(&k);
    STOW_TRY(stow_cut_make_slots(&k));
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
