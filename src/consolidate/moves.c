/* moves.c - a step carried out on deck: nodes come, pods move, nodes go.
 *
 * The nodes that a step removes are cordoned when it begins, and all its pods are evicted at once,
 * as drains do it and budgets count it.  Then the pods find their places one after the other
 * (seat.c), while these nodes are still there: to most spread constraints they are
 * empty domains.  If pods may wait, those that are refused for that stay pending, and come when the
 * nodes are gone.
 *
 * Pods that are pending anyway come last, when all that run have their places without them.  They
 * need room after the step, not in it: they may always wait.
 *
 * Where a budget allows fewer pods at once than a step moves, there are rounds: the last one
 * removes nodes, those before only add and move, and prepare it. */
#include <string.h>

#include "base/vec.h"
#include "consolidate/obstacle.h"
#include "consolidate/stepping.h"

/* What is paid for at one time is more than --max-surge allows with one more node. */
static bool is_above(const struct stow_stepping *s, stow_group_id group,
                     struct stow_kept_reason *why)
{
    char most[STOW_WEIGHT_TEXT];

    if (s->deck->cost <= s->c->reach.peak - s->c->group_price[group])
        return false;
    *why = stow_reason_of(
        STOW_NONE, "limit",
        stow_arena_printf(&s->c->ret->arena,
                          "a node of group %s would have to be bought first, and --max-surge "
                          "allows %s above the cost before the first step",
                          s->deck->s->group[group].name,
                          stow_weight_text(s->c, s->c->ret->limits.cost, most)));
    return true;
}

bool stow_step_add_nodes(struct stow_stepping *s, const struct stow_step_part *part,
                         struct stow_kept_reason *why)
{
    const uint32_t there = s->deck->there;

    for (uint32_t i = 0; i < part->nodes; i++) {
        const uint32_t node = part->node[i];
        const char *limit = NULL;

        if (node < there)
            continue;
        s->new_at[node - there] = STOW_NONE;
        if (!stow_session_may_add(s->deck->session, s->layout->group[node - there], &limit)) {
            *why = stow_reason_of(
                STOW_NONE, "limit",
                stow_arena_printf(&s->c->ret->arena,
                                  "a node of group %s would have to be bought first: %s",
                                  s->deck->s->group[s->layout->group[node - there]].name,
                                  limit ? limit : "a limit"));
            return false;
        }
        if (is_above(s, s->layout->group[node - there], why))
            return false;
        s->new_at[node - there] = stow_deck_add(s->deck, s->layout->group[node - there]);
        if (s->new_at[node - there] == STOW_NONE)
            return false;
    }
    return true;
}

static uint32_t target_of(const struct stow_stepping *s, stow_pod_id pod)
{
    const uint32_t at = s->layout->at[pod];

    return at < s->deck->there ? at : s->new_at[at - s->deck->there];
}

/* ---- who moves in a round ---------------------------------------------------------------- */

/* One more pod within its budget; false: that allows no more at once. */
static bool use_budget(struct stow_stepping *s, stow_pod_id pod)
{
    const uint32_t budget = s->c->movable.budget[pod];

    if (budget == STOW_NONE)
        return true;
    if (s->used[budget] >= s->c->movable.allowed[budget])
        return false;
    s->used[budget]++;
    return true;
}

static void forget_budgets(struct stow_stepping *s)
{
    memset(s->used, 0, ((size_t)s->deck->s->budgets + 1) * sizeof(*s->used));
}

static struct stow_seat seat_of(const struct stow_stepping *s, stow_pod_id pod)
{
    return (struct stow_seat){pod, target_of(s, pod), true};
}

/* All pods that have not moved, those that run first; returns how many. */
static uint32_t list_all(struct stow_stepping *s, const struct stow_step_part *part)
{
    uint32_t count = 0;

    for (int pending = 0; pending < 2; pending++)
        for (uint32_t i = 0; i < part->pods; i++)
            if (!s->is_moved[part->pod[i]] && s->deck->pending[part->pod[i]] == (bool)pending)
                s->seat[count++] = seat_of(s, part->pod[i]);
    return count;
}

/* Whether a pod that has not moved is one of those, and fits as things are or does not. */
static bool is_listed(const struct stow_stepping *s, stow_pod_id pod, bool pending, bool fitting)
{
    return !s->is_moved[pod] && s->deck->pending[pod] == pending &&
           stow_deck_fits(s->deck, pod, target_of(s, pod)) == fitting;
}

/* Those that budgets allow: first pods that fit as things are, then others. */
static uint32_t list_some(struct stow_stepping *s, const struct stow_step_part *part)
{
    uint32_t count = 0;

    forget_budgets(s);
    for (int turn = 0; turn < 4; turn++)
        for (uint32_t i = 0; i < part->pods; i++) {
            const bool pending = turn / 2, fitting = turn % 2 == 0;

            if ((pending || count < s->c->reach.moves) &&
                is_listed(s, part->pod[i], pending, fitting) && use_budget(s, part->pod[i]))
                s->seat[count++] = seat_of(s, part->pod[i]);
        }
    return count;
}

/* How many of the seats are for pods that run: they come first. */
static uint32_t count_running(const struct stow_stepping *s, uint32_t count)
{
    uint32_t running = 0;

    while (running < count && !s->deck->pending[s->seat[running].pod])
        running++;
    return running;
}

static void evict(struct stow_stepping *s, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        stow_deck_evict(s->deck, s->seat[i].pod);
}

/* The seats are the moves of the round; from `waiting` on they wait. */
static void note_moves(struct stow_stepping *s, uint32_t count, uint32_t waiting, uint32_t round)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct stow_seat *seat = &s->seat[i];
        struct stow_made_move *move = STOW_PUSH(&s->move, &s->moves, &s->move_cap);

        if (!move) {
            s->deck->failed = true;
            return;
        }
        *move = (struct stow_made_move){seat->pod, s->deck->home[seat->pod], seat->to, round,
                                        i >= waiting};
        s->is_moved[seat->pod] = true;
    }
}

/* ---- rounds that prepare ----------------------------------------------------------------- */

/* One pod, evicted alone; how many that are: 0 or 1. */
static uint32_t move_one(struct stow_stepping *s, const struct stow_step_part *part)
{
    for (uint32_t i = 0; i < part->pods; i++) {
        const stow_pod_id pod = part->pod[i];
        const uint32_t to = target_of(s, pod);

        forget_budgets(s);
        if (s->is_moved[pod] || !use_budget(s, pod) || !stow_deck_fits(s->deck, pod, to))
            continue;
        stow_deck_move(s->deck, pod, to);
        s->seat[0] = seat_of(s, pod);
        return 1;
    }
    return 0;
}

/* As many as find places; the others are struck out. */
static uint32_t seat_some(struct stow_stepping *s, uint32_t count)
{
    const uint32_t running = count_running(s, count);
    const uint32_t seated = stow_deck_seat_plainly(s->deck, s->seat, running, false);

    memmove(s->seat + seated, s->seat + running, (count - running) * sizeof(*s->seat));
    return seated + stow_deck_seat_plainly(s->deck, s->seat + seated, count - running, false);
}

/* What can move within what budgets allow at once, all of it evicted first; returns how many. */
static uint32_t move_some(struct stow_stepping *s, const struct stow_step_part *part,
                          uint32_t round)
{
    const uint32_t mark = stow_deck_mark(s->deck);
    uint32_t count = list_some(s, part), seated = STOW_NONE;

    while (count && seated != count && !s->deck->failed) {
        count = seated < count ? seated : count; /* without those that found no place */
        stow_deck_rollback(s->deck, mark);
        evict(s, count);
        seated = seat_some(s, count);
    }
    if (!count)
        count = move_one(s, part);
    note_moves(s, count, count, round);
    return count;
}

/* ---- the end of a part ------------------------------------------------------------------- */

static bool goes(const struct stow_stepping *s, uint32_t node)
{
    return node < s->deck->there && s->layout->gone[node];
}

static void drain_nodes(struct stow_stepping *s, const struct stow_step_part *part,
                        enum stow_drain how)
{
    for (uint32_t i = 0; i < part->nodes; i++)
        if (goes(s, part->node[i]))
            stow_deck_drain(s->deck, part->node[i], how);
}

static void shut_nodes(struct stow_stepping *s, const struct stow_step_part *part)
{
    for (uint32_t i = 0; i < part->nodes; i++)
        if (goes(s, part->node[i]))
            stow_deck_shut(s->deck, part->node[i]);
}

static bool accept_any(void *context)
{
    (void)context;
    return true;
}

/* These seats are taken, in some order. */
static bool seat_these(struct stow_stepping *s, uint32_t first, uint32_t count)
{
    const struct stow_acceptance accept = {accept_any, NULL};
    const uint32_t mark = stow_deck_mark(s->deck);

    if (stow_deck_seat_plainly(s->deck, s->seat + first, count - first, true) == count - first)
        return true;
    stow_deck_rollback(s->deck, mark);
    return stow_deck_seat_all(s->deck, s->seat + first, count - first, &accept);
}

/* Those from `first` on: of pods that run, then of those that are pending. */
static bool seat_all(struct stow_stepping *s, uint32_t first, uint32_t count)
{
    const uint32_t mark = stow_deck_mark(s->deck), all = count_running(s, count);
    const uint32_t running = all < first ? first : all;

    if (seat_these(s, first, running) && (running == count || seat_these(s, running, count)))
        return true;
    stow_deck_rollback(s->deck, mark);
    return false;
}

/* Of pods that run, only those of nodes that go wait for that. */
static bool may_wait(const struct stow_stepping *s, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < count; i++)
        if (!s->deck->pending[s->seat[i].pod] &&
            (!s->c->waits || !goes(s, s->deck->home[s->seat[i].pod])))
            return false;
    return true;
}

/* The nodes go with the first `seated` pods in their places, and then the others take theirs. */
static bool seat_waiting(struct stow_stepping *s, const struct stow_step_part *part,
                         uint32_t seated, uint32_t count)
{
    if (!may_wait(s, seated, count))
        return false;
    shut_nodes(s, part);
    return seat_all(s, seated, count);
}

/* All pods are evicted and find their places; nodes go.  Returns how many do without waiting;
 * STOW_NONE: it cannot be. */
static uint32_t empty_nodes(struct stow_stepping *s, const struct stow_step_part *part,
                            uint32_t count)
{
    uint32_t mark, seated;

    drain_nodes(s, part, STOW_DRAIN_CORDONED);
    evict(s, count);
    mark = stow_deck_mark(s->deck);
    if (seat_all(s, 0, count)) {
        shut_nodes(s, part);
        return count;
    }
    seated = stow_deck_seat_plainly(s->deck, s->seat, count_running(s, count), false);
    if (seat_waiting(s, part, seated, count))
        return seated;
    stow_deck_rollback(s->deck, mark);
    return seat_waiting(s, part, 0, count) ? 0 : STOW_NONE;
}

/* The last round: all that is left moves.  False: it is not the last, or cannot be. */
static bool move_last(struct stow_stepping *s, const struct stow_step_part *part, uint32_t round)
{
    const uint32_t count = list_all(s, part);
    uint32_t seated, running = 0;

    forget_budgets(s);
    for (uint32_t i = 0; i < count; i++) {
        running += !s->deck->pending[s->seat[i].pod];
        if (running > s->c->reach.moves || !use_budget(s, s->seat[i].pod))
            return false;
    }
    seated = empty_nodes(s, part, count);
    if (seated == STOW_NONE)
        return false;
    note_moves(s, count, seated, round);
    return true;
}

/* One round: the last if that is possible, else one that prepares it; false: neither is. */
static bool take_round(struct stow_stepping *s, const struct stow_step_part *part, uint32_t round,
                       bool *ret_last)
{
    const uint32_t mark = stow_deck_mark(s->deck);

    *ret_last = move_last(s, part, round);
    if (*ret_last)
        return true;
    stow_deck_rollback(s->deck, mark);
    return !s->single && move_some(s, part, round) > 0;
}

/* ---- why not ----------------------------------------------------------------------------- */

/* Budgets allow fewer pods at once than are left. */
static bool say_budget(struct stow_stepping *s, uint32_t count, struct stow_kept_reason *ret)
{
    const struct stow_snapshot *view = s->deck->s;

    forget_budgets(s);
    for (uint32_t i = 0; i < count; i++) {
        const stow_pod_id pod = s->seat[i].pod;
        const uint32_t budget = s->c->movable.budget[pod];

        if (use_budget(s, pod))
            continue;
        *ret = stow_reason_of(
            pod, "pod-disruption-budget",
            stow_arena_printf(
                &s->c->ret->arena, "PodDisruptionBudget %s/%s allows %u disruption%s at once",
                stow_text(view, view->pod[pod].namespace).ptr, view->budget[budget].name,
                s->c->movable.allowed[budget], s->c->movable.allowed[budget] == 1 ? "" : "s"));
        return true;
    }
    return false;
}

/* Which pod cannot move, and what keeps it off where it should go. */
static void say_stuck(struct stow_stepping *s, const struct stow_step_part *part,
                      struct stow_kept_reason *ret)
{
    struct stow_arena *arena = &s->c->ret->arena;
    const uint32_t count = list_all(s, part);
    struct stow_obstacle o;
    uint32_t seated;

    if (say_budget(s, count, ret))
        return;
    drain_nodes(s, part, stow_drain_of(s->c));
    evict(s, count);
    seated = stow_deck_seat_plainly(s->deck, s->seat, count, false);
    if (seated < count &&
        stow_deck_obstacle(s->deck, s->seat[seated].pod, s->seat[seated].to, arena, &o) > 0)
        *ret = stow_obstacle_reason(&o, s->deck->s, stow_deck_name(s->deck, s->seat[seated].to),
                                    s->seat[seated].pod, arena);
    else
        *ret = stow_reason_of(STOW_NONE, "steps", "no order of moves was found that empties it");
}

/* Whose rules do not hold as things are. */
static void say_broken(struct stow_stepping *s, const char *when, struct stow_kept_reason *ret)
{
    struct stow_arena *arena = &s->c->ret->arena;
    const stow_pod_id pod = stow_deck_broken(s->deck);
    struct stow_obstacle o;

    if (pod == STOW_NONE || stow_deck_obstacle(s->deck, pod, s->deck->at[pod], arena, &o) <= 0) {
        *ret =
            stow_reason_of(STOW_NONE, "steps",
                           stow_arena_printf(arena, "rules between pods would not hold %s", when));
        return;
    }
    *ret =
        stow_obstacle_reason(&o, s->deck->s, stow_deck_name(s->deck, s->deck->at[pod]), pod, arena);
    if (ret->text)
        ret->text = stow_arena_printf(arena, "%s: %s", when, ret->text);
}

/* After a step it costs no more than before the first one. */
static bool is_too_dear(const struct stow_stepping *s, struct stow_kept_reason *why)
{
    char most[STOW_WEIGHT_TEXT];

    if (s->deck->cost <= s->c->reach.ceiling)
        return false;
    *why = stow_reason_of(
        STOW_NONE, "limit",
        stow_arena_printf(&s->c->ret->arena,
                          "after a step of at most %u pod%s the nodes would cost more than before "
                          "the first one, by %s; see --max-moves-per-step",
                          s->c->reach.moves, s->c->reach.moves == 1 ? "" : "s",
                          stow_weight_text(s->c, s->deck->cost - s->c->reach.ceiling, most)));
    return true;
}

bool stow_step_move_all(struct stow_stepping *s, const struct stow_step_part *part,
                        uint32_t *ret_rounds, struct stow_kept_reason *why)
{
    bool last = false;

    for (uint32_t i = 0; i < part->pods; i++)
        s->is_moved[part->pod[i]] = false;
    for (*ret_rounds = 0; !last; ++*ret_rounds) {
        const bool taken = take_round(s, part, *ret_rounds, &last);

        if (s->deck->failed)
            return false;
        if (!taken) {
            say_stuck(s, part, why);
            return false;
        }
        if (!last && !stow_deck_holds(s->deck)) {
            say_broken(s, "in between", why);
            return false;
        }
        if (is_too_dear(s, why))
            return false;
    }
    if (stow_deck_holds(s->deck))
        return true;
    say_broken(s, "without this node", why);
    return false;
}
