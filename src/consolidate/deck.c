/* deck.c - where every pod is while nodes are emptied, and back again.
 *
 * The yard (yard.h) knows what fits where while pods are added.  Here they also leave: all pods
 * that may move wait in the yard's snapshot and are put where they run, and each can be taken from
 * one node to another.  Beside them stand pods that do not move but have rules over several pods
 * (spreading, affinity): a move may break what they ask for.  Everything is in a log and can be
 * undone back to a mark.
 *
 * Rules hold twice: a pod that moves is asked for by every filter when it arrives, with the
 * nodes that are emptied still there, and without the pods that are yet to arrive, as the scheduler
 * will do it (seat.c); and at the end of a step every pod with
 * rules over several pods is asked again where it is (`holds`), unless it did not comply in
 * the first place.
 *
 * A node that is being emptied is an empty domain to spreading while it is still there: cordoned,
 * it counts, unless the constraint honours taints.  Whoever lets pods wait until it is gone may
 * leave it out at once (`drain`). */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/consolidate_internal.h"
#include "scale/yard/rules.h"

/* ---- making it --------------------------------------------------------------------------- */

static bool reserve(struct stow_deck *deck, uint32_t nodes)
{
    uint32_t caps[4] = {deck->node_cap, deck->node_cap, deck->node_cap, deck->list_cap};
    const uint32_t need = nodes + nodes / 2 + 64;

    if (nodes <= deck->node_cap)
        return true;
    if (stow_vec_reserve(&deck->first, &caps[0], need, sizeof(*deck->first)) < 0 ||
        stow_vec_reserve(&deck->shut, &caps[1], need, sizeof(*deck->shut)) < 0 ||
        stow_vec_reserve(&deck->gone, &caps[2], need, sizeof(*deck->gone)) < 0 ||
        stow_vec_reserve(&deck->list, &caps[3], need, sizeof(*deck->list)) < 0) {
        deck->failed = true;
        return false;
    }
    for (uint32_t i = deck->node_cap; i < need; i++) {
        deck->first[i] = STOW_NONE;
        deck->shut[i] = deck->gone[i] = false;
    }
    deck->node_cap = need;
    deck->list_cap = need;
    return true;
}

/* Pods come (1) or go (-1). */
static void shift(struct stow_deck *deck, stow_pod_id pod, uint32_t node, int64_t by)
{
    struct stow_yard *yard = deck->yard;

    stow_yard_shift(yard, yard->class_of[pod], node, by);
    deck->failed |= yard->failed;
}

static void put(struct stow_deck *deck, stow_pod_id pod, uint32_t node)
{
    shift(deck, pod, node, 1);
    deck->at[pod] = node;
    deck->next[pod] = deck->first[node];
    deck->before[pod] = STOW_NONE;
    if (deck->first[node] != STOW_NONE)
        deck->before[deck->first[node]] = pod;
    deck->first[node] = pod;
    deck->moved += node != deck->home[pod] && !deck->pending[pod];
}

static void take(struct stow_deck *deck, stow_pod_id pod)
{
    const uint32_t node = deck->at[pod];

    shift(deck, pod, node, -1);
    if (deck->before[pod] == STOW_NONE)
        deck->first[node] = deck->next[pod];
    else
        deck->next[deck->before[pod]] = deck->next[pod];
    if (deck->next[pod] != STOW_NONE)
        deck->before[deck->next[pod]] = deck->before[pod];
    deck->moved -= node != deck->home[pod] && !deck->pending[pod];
    deck->at[pod] = STOW_NONE;
}

static bool allocate(struct stow_deck *deck)
{
    const size_t pods = (size_t)deck->s->pods + 1;

    deck->at = malloc(pods * sizeof(*deck->at));
    deck->next = malloc(pods * sizeof(*deck->next));
    deck->before = malloc(pods * sizeof(*deck->before));
    deck->excused = calloc(pods, sizeof(*deck->excused));
    deck->home = malloc(pods * sizeof(*deck->home));
    deck->pinned = calloc(pods, sizeof(*deck->pinned));
    deck->pending = calloc(pods, sizeof(*deck->pending));
    deck->watcher = malloc(pods * sizeof(*deck->watcher));
    deck->touched = malloc(((size_t)deck->yard->overlays + 1) * sizeof(*deck->touched));
    deck->absent = calloc((size_t)deck->yard->real + 1, sizeof(*deck->absent));
    deck->yard->drained = stow_arena_zalloc(&deck->yard->arena, (size_t)deck->yard->real + 1);
    if (!deck->at || !deck->next || !deck->before || !deck->excused || !deck->home ||
        !deck->pinned || !deck->pending || !deck->watcher || !deck->absent || !deck->touched ||
        !deck->yard->drained)
        return false;
    memset(deck->at, 0xFF, pods * sizeof(*deck->at));
    memset(deck->touched, 0xFF, (deck->yard->overlays + 1) * sizeof(*deck->touched));
    return reserve(deck, deck->yard->real + 64);
}

/* ---- rules over several pods ------------------------------------------------------------- */

static bool rule_holds(struct stow_deck *deck, stow_pod_id pod)
{
    struct stow_yard *yard = deck->yard;
    struct stow_yard_class *class = &yard->class[yard->class_of[pod]];
    const uint32_t node = deck->at[pod];
    bool holds;

    shift(deck, pod, node, -1);
    holds = (class->clash == STOW_NONE || !yard->taken[class->clash][node]) &&
            stow_yard_spread_allows(yard, class, node) &&
            stow_yard_affinity_allows(yard, class, node);
    shift(deck, pod, node, 1);
    return holds;
}

/* Whether a pod came, went, or a domain changed that the rules of a class look at. */
static bool is_concerned(const struct stow_deck *deck, const struct stow_yard_class *class)
{
    for (uint32_t i = 0; i < class->spreads; i++)
        if (deck->touched[class->spread[i].overlay] != STOW_NONE)
            return true;
    for (uint32_t i = 0; i < class->attracts; i++)
        if (deck->touched[class->attract[i]] != STOW_NONE)
            return true;
    for (uint32_t i = 0; i < class->shuns; i++)
        if (deck->touched[class->shun[i]] != STOW_NONE)
            return true;
    return false;
}

static void forget_touches(struct stow_deck *deck, uint32_t from)
{
    for (uint32_t i = 0; i < deck->yard->overlays; i++)
        if (deck->touched[i] >= from)
            deck->touched[i] = STOW_NONE;
}

/* By the entry of the log that was made last. */
static void touch(struct stow_deck *deck, uint32_t overlay)
{
    if (deck->touched[overlay] == STOW_NONE)
        deck->touched[overlay] = deck->logged - 1;
}

stow_pod_id stow_deck_broken(struct stow_deck *deck)
{
    for (uint32_t i = 0; i < deck->watchers; i++) {
        const stow_pod_id pod = deck->watcher[i];

        if ((deck->excused[pod] && deck->at[pod] == deck->home[pod]) ||
            !is_concerned(deck, &deck->yard->class[deck->yard->class_of[pod]]))
            continue;
        if (!rule_holds(deck, pod))
            return pod;
    }
    return STOW_NONE;
}

bool stow_deck_holds(struct stow_deck *deck)
{
    if (stow_deck_broken(deck) != STOW_NONE)
        return false;
    forget_touches(deck, 0);
    return true;
}

/* ---- domains that go with their last node ------------------------------------------------ */

static bool is_counted(const struct stow_overlay *o, uint32_t node)
{
    return !o->base->counted || o->base->counted[node];
}

static bool is_away(const struct stow_deck *deck, const struct stow_overlay *o, uint32_t node)
{
    return deck->gone[node] || stow_yard_hides(deck->yard, o, node);
}

/* Whether a node that is still there is in the domain, too. */
static bool is_shared(const struct stow_deck *deck, const struct stow_overlay *o, uint32_t domain)
{
    for (uint32_t i = 0; i < deck->yard->real; i++)
        if (!is_away(deck, o, i) && o->base->topology->of[i] == domain && is_counted(o, i))
            return true;
    return false;
}

/* A real node has come back or has been removed, cordoned, ... */
static void update_domains(struct stow_deck *deck, uint32_t node)
{
    for (uint32_t i = 0; i < deck->yard->overlays && node < deck->yard->real; i++) {
        struct stow_overlay *o = &deck->yard->overlay[i];
        const uint32_t domain = o->base->topology->of[node];
        bool reached;

        if (!o->reached || !domain || !is_counted(o, node))
            continue;
        reached = !is_away(deck, o, node) || is_shared(deck, o, domain);
        if (reached != o->reached[domain])
            touch(deck, i);
        o->reach = o->reach + reached - o->reached[domain];
        o->reached[domain] = reached;
        o->version++;
    }
}

/* Rules that do not hold in the beginning are not held against anybody who stays. */
static void excuse(struct stow_deck *deck)
{
    for (uint32_t i = 0; i < deck->watchers; i++)
        deck->excused[deck->watcher[i]] = !rule_holds(deck, deck->watcher[i]);
}

int stow_deck_open(struct stow_deck *deck, struct stow_session *session,
                   const struct stow_viewing *view)
{
    const struct stow_ground *ground = session->ground;
    const uint32_t pods = session->scale->s->pods;

    deck->session = session;
    deck->yard = session->yard;
    deck->s = session->yard->s;
    deck->there = session->yard->real;
    deck->asks = STOW_DECK_ASKS;
    if (!allocate(deck))
        return STOW_ENOMEM;
    memset(deck->home, 0xFF, deck->s->pods * sizeof(*deck->home));
    memcpy(deck->home, view->home, pods * sizeof(*deck->home));
    memcpy(deck->pinned, view->pinned, pods * sizeof(*deck->pinned));
    memcpy(deck->pending, view->pending, pods * sizeof(*deck->pending));
    for (uint32_t i = 0; i < deck->yard->classes; i++)
        STOW_TRY(stow_yard_ask_real(deck->yard, i));
    for (uint32_t i = ground->pendings; i > 0; i--) /* so that the lists are in order */
        put(deck, ground->pending[i - 1], deck->home[ground->pending[i - 1]]);
    for (uint32_t i = 0; i < ground->pendings; i++)
        if (!deck->yard->class[deck->yard->class_of[ground->pending[i]]].plain)
            deck->watcher[deck->watchers++] = ground->pending[i];
    excuse(deck);
    return deck->failed ? STOW_ENOMEM : STOW_OK;
}

void stow_deck_close(struct stow_deck *deck)
{
    free(deck->at);
    free(deck->next);
    free(deck->before);
    free(deck->excused);
    free(deck->home);
    free(deck->pinned);
    free(deck->pending);
    free(deck->watcher);
    free(deck->touched);
    free(deck->absent);
    free(deck->first);
    free(deck->shut);
    free(deck->gone);
    free(deck->list);
    free(deck->log);
    memset(deck, 0, sizeof(*deck));
}

/* ---- nodes ------------------------------------------------------------------------------- */

stow_nano stow_deck_price(const struct stow_deck *deck, uint32_t node)
{
    if (node < deck->yard->real)
        return deck->price[node];
    return deck->group_price[deck->yard->group_of[node - deck->yard->real]];
}

stow_group_id stow_deck_group(const struct stow_deck *deck, uint32_t node)
{
    return node < deck->yard->real ? deck->s->node[node].group
                                   : deck->yard->group_of[node - deck->yard->real];
}

/* A node less (-1) or more in its group and under the limits. */
static void count_node(struct stow_deck *deck, uint32_t node, int by)
{
    struct stow_session *session = deck->session;
    const stow_group_id group = stow_deck_group(deck, node);

    if (group == STOW_NONE)
        return;
    session->size[group] = (uint32_t)((int64_t)session->size[group] + by);
    for (uint32_t i = 0; i < session->limits; i++) {
        struct stow_limit *limit = &session->limit[i];
        const int64_t each =
            limit->resource == STOW_NONE
                ? 1
                : stow_capacity_of(deck->s, &deck->s->node[stow_yard_template(deck->yard, node)],
                                   limit->resource);

        if (!limit->of || limit->of[group])
            limit->left -= by * each;
    }
}

static bool note(struct stow_deck *deck, enum stow_deck_event event, uint32_t pod, uint32_t node)
{
    struct stow_deck_entry *entry = STOW_PUSH(&deck->log, &deck->logged, &deck->log_cap);

    if (!entry) {
        deck->failed = true;
        return false;
    }
    *entry = (struct stow_deck_entry){event, pod, node};
    return true;
}

/* A node of the group is, for some rules, a domain that was not there. */
static void touch_new_domains(struct stow_deck *deck, stow_group_id group)
{
    const stow_node_id fresh = deck->yard->group[group].fresh;

    for (uint32_t i = 0; i < deck->yard->overlays; i++) {
        const struct stow_overlay *o = &deck->yard->overlay[i];

        if (o->reached && (o->own_domains || !o->reached[o->base->topology->of[fresh]]))
            touch(deck, i);
    }
}

uint32_t stow_deck_add(struct stow_deck *deck, stow_group_id group)
{
    uint32_t node;

    if (!reserve(deck, deck->yard->nodes + 1) || !note(deck, STOW_DECK_ADDED, 0, 0))
        return STOW_NONE;
    node = stow_session_buy(deck->session, group);
    if (node == STOW_NONE) {
        deck->logged--;
        deck->failed = true;
        return STOW_NONE;
    }
    deck->shut[node] = deck->gone[node] = false;
    deck->first[node] = STOW_NONE;
    deck->cost += stow_deck_price(deck, node);
    touch_new_domains(deck, group);
    return node;
}

void stow_deck_shut(struct stow_deck *deck, uint32_t node)
{
    const bool real = node < deck->yard->real;

    if (!note(deck, STOW_DECK_SHUT, real ? deck->yard->drained[node] : 0, node))
        return;
    assert(node < deck->yard->nodes && !deck->gone[node]);
    deck->shut[node] = deck->gone[node] = true;
    if (real)
        deck->yard->drained[node] = STOW_DRAIN_GONE;
    deck->cost -= stow_deck_price(deck, node);
    count_node(deck, node, -1);
    update_domains(deck, node);
}

/* The pods on a node leave the counts that it is hidden from, or come back. */
static void hide_pods(struct stow_deck *deck, uint32_t node, bool hidden)
{
    struct stow_yard *yard = deck->yard;
    const uint8_t drain = yard->drained[node];

    for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod]) {
        yard->drained[node] = hidden ? STOW_DRAIN_NOT : drain;
        stow_yard_count(yard, &yard->class[yard->class_of[pod]], node, -1);
        yard->drained[node] = hidden ? drain : STOW_DRAIN_NOT;
        stow_yard_count(yard, &yard->class[yard->class_of[pod]], node, 1);
    }
    yard->drained[node] = drain;
}

void stow_deck_drain(struct stow_deck *deck, uint32_t node, enum stow_drain how)
{
    if (!note(deck, STOW_DECK_DRAINED, 0, node))
        return;
    deck->shut[node] = true;
    if (node >= deck->yard->real)
        return;
    deck->yard->drained[node] = (uint8_t)how;
    hide_pods(deck, node, true);
    update_domains(deck, node);
    for (uint32_t i = 0; i < deck->yard->overlays; i++)
        if (stow_yard_hides(deck->yard, &deck->yard->overlay[i], node))
            touch(deck, i);
}

static void undrain(struct stow_deck *deck, uint32_t node)
{
    deck->shut[node] = false;
    if (node >= deck->yard->real)
        return;
    hide_pods(deck, node, false);
    deck->yard->drained[node] = STOW_DRAIN_NOT;
    update_domains(deck, node);
}

/* ---- pods -------------------------------------------------------------------------------- */

/* A pod is not in its own way: it is taken out (-1) while its rules are asked, and put back. */
static void step_aside(struct stow_deck *deck, stow_pod_id pod, int64_t by)
{
    if (deck->at[pod] != STOW_NONE && !deck->yard->class[deck->yard->class_of[pod]].plain)
        shift(deck, pod, deck->at[pod], by);
}

bool stow_deck_fits(struct stow_deck *deck, stow_pod_id pod, uint32_t node)
{
    bool fits;

    if (!stow_deck_is_open(deck, node))
        return false;
    step_aside(deck, pod, -1);
    fits = stow_yard_fits(deck->yard, deck->yard->class_of[pod], node);
    step_aside(deck, pod, 1);
    return fits;
}

/* From where it is to a node; STOW_NONE: to none. */
static void change_node(struct stow_deck *deck, stow_pod_id pod, uint32_t node)
{
    assert(node == STOW_NONE || node < deck->yard->nodes);
    if (deck->at[pod] != STOW_NONE)
        take(deck, pod);
    if (node != STOW_NONE)
        put(deck, pod, node);
}

void stow_deck_move(struct stow_deck *deck, stow_pod_id pod, uint32_t node)
{
    const struct stow_yard_class *class = &deck->yard->class[deck->yard->class_of[pod]];

    if (!note(deck, STOW_DECK_MOVED, pod, deck->at[pod]))
        return;
    change_node(deck, pod, node);
    for (uint32_t i = 0; i < class->feedings; i++)
        touch(deck, class->feeds[i]);
}

void stow_deck_evict(struct stow_deck *deck, stow_pod_id pod)
{
    stow_deck_move(deck, pod, STOW_NONE);
}

static void undo(struct stow_deck *deck, const struct stow_deck_entry *entry)
{
    switch (entry->event) {
    case STOW_DECK_MOVED:
        change_node(deck, entry->pod, entry->node);
        break;
    case STOW_DECK_ADDED:
        deck->cost -= stow_deck_price(deck, deck->yard->nodes - 1);
        stow_session_give_back(deck->session, deck->yard->logged - 1);
        break;
    case STOW_DECK_SHUT:
        deck->gone[entry->node] = false;
        deck->shut[entry->node] = entry->pod != STOW_DRAIN_NOT;
        if (entry->node < deck->yard->real)
            deck->yard->drained[entry->node] = (uint8_t)entry->pod;
        deck->cost += stow_deck_price(deck, entry->node);
        count_node(deck, entry->node, 1);
        update_domains(deck, entry->node);
        break;
    case STOW_DECK_DRAINED:
        undrain(deck, entry->node);
        break;
    }
}

void stow_deck_rollback(struct stow_deck *deck, uint32_t mark)
{
    assert(mark <= deck->logged);
    while (deck->logged > mark)
        undo(deck, &deck->log[--deck->logged]);
    forget_touches(deck, mark);
}

void stow_deck_lift(struct stow_deck *deck, bool up)
{
    const struct stow_ground *ground = deck->session->ground;

    for (uint32_t i = 0; i < ground->pendings; i++)
        if (!deck->pinned[ground->pending[i]])
            shift(deck, ground->pending[i], deck->at[ground->pending[i]], up ? -1 : 1);
    for (uint32_t i = 0; i < deck->yard->real; i++)
        if (deck->may_go[i] && !deck->gone[i])
            count_node(deck, i, up ? -1 : 1);
}

void stow_deck_commit(struct stow_deck *deck)
{
    const struct stow_ground *ground = deck->session->ground;

    for (uint32_t i = 0; i < ground->pendings; i++) {
        const stow_pod_id pod = ground->pending[i];

        deck->excused[pod] &= deck->at[pod] == deck->home[pod];
        deck->home[pod] = deck->at[pod];
    }
    for (uint32_t i = 0; i < deck->yard->real; i++)
        deck->absent[i] = deck->gone[i];
    deck->there = deck->yard->nodes;
    deck->moved = 0;
    deck->base = deck->logged;
    forget_touches(deck, 0);
}

void stow_deck_restart(struct stow_deck *deck)
{
    const struct stow_ground *ground = deck->session->ground;

    stow_deck_rollback(deck, 0);
    for (uint32_t i = 0; i < ground->pendings; i++)
        deck->home[ground->pending[i]] = deck->at[ground->pending[i]];
    memset(deck->absent, 0, (deck->yard->real + 1) * sizeof(*deck->absent));
    deck->there = deck->yard->real;
    deck->moved = deck->base = 0;
    deck->asks = STOW_DECK_ASKS;
    forget_touches(deck, 0);
    excuse(deck);
}

/* ---- searching --------------------------------------------------------------------------- */

/* The best of the nodes in deck->list. */
static uint32_t best_of(struct stow_deck *deck, stow_pod_id pod, uint32_t count)
{
    struct stow_yard *yard = deck->yard;
    const uint32_t class = yard->class_of[pod];
    uint32_t best = STOW_NONE;
    int64_t best_score = -1;

    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = deck->list[i];
        int64_t score;

        if (node == deck->at[pod] || !stow_deck_is_open(deck, node))
            continue;
        score = stow_yard_most_allocated(yard, class, node);
        if (node < yard->real && !deck->may_go[node])
            score += 1000;
        if (score <= best_score || !stow_yard_fits(yard, class, node))
            continue;
        best_score = score;
        best = node;
    }
    return best;
}

uint32_t stow_deck_find(struct stow_deck *deck, stow_pod_id pod)
{
    struct stow_yard *yard = deck->yard;
    const uint32_t home = deck->home[pod];
    uint32_t best;

    if (home != deck->at[pod] && stow_deck_fits(deck, pod, home))
        return home;
    step_aside(deck, pod, -1);
    best = best_of(deck, pod,
                   stow_yard_with_room(yard, yard->class_of[pod], 0, yard->nodes, deck->list));
    step_aside(deck, pod, 1);
    return best;
}

void stow_pod_list_done(struct stow_pod_list *list)
{
    free(list->pod);
    memset(list, 0, sizeof(*list));
}

int stow_deck_gather(const struct stow_deck *deck, uint32_t node, struct stow_pod_list *list)
{
    for (stow_pod_id pod = deck->first[node]; pod != STOW_NONE; pod = deck->next[pod]) {
        stow_pod_id *made = STOW_PUSH(&list->pod, &list->count, &list->cap);

        if (!made)
            return STOW_ENOMEM;
        *made = pod;
    }
    return STOW_OK;
}

uint32_t stow_deck_running(const struct stow_deck *deck, const stow_pod_id *pod, uint32_t count)
{
    uint32_t running = 0;

    for (uint32_t i = 0; i < count; i++)
        running += !deck->pending[pod[i]];
    return running;
}

/* How large a pod is: shares of the largest node, over all that it asks for. */
static int64_t size_of(const struct stow_deck *deck, stow_pod_id pod)
{
    const struct stow_yard *yard = deck->yard;
    const struct stow_yard_class *class = &yard->class[yard->class_of[pod]];
    int64_t sum = 0;

    for (uint32_t i = 0; i < class->dims; i++) {
        const int64_t most = stow_yard_largest(yard, class->dim[i]);

        if (class->dim[i] && most > 0)
            sum += (int64_t)((stow_i128) class->need[class->dim[i]] * 1000000 / most);
    }
    return sum;
}

static int by_size(const void *a, const void *b, void *of)
{
    const struct stow_deck *deck = of;
    const stow_pod_id x = *(const stow_pod_id *)a, y = *(const stow_pod_id *)b;
    const int64_t size_x = size_of(deck, x), size_y = size_of(deck, y);

    if (size_x != size_y)
        return size_x < size_y ? 1 : -1;
    if (deck->pending[x] != deck->pending[y])
        return deck->pending[x] ? -1 : 1; /* rather than one that runs */
    return (x > y) - (x < y);
}

void stow_deck_sort(const struct stow_deck *deck, struct stow_pod_list *list)
{
    if (list->count > 1)
        qsort_r(list->pod, list->count, sizeof(*list->pod), by_size, (void *)deck);
}
