/* consolidate_moves.c - a step carried out on deck: nodes come, pods move, nodes go.
 *
 * The nodes that a step removes are cordoned when it begins, and still there while pods move: to
 * most spread constraints they are empty domains.  If pods may wait, those that are refused for
 * that stay pending, and come when the nodes are gone.
 *
 * Where a budget allows fewer pods at once than a step moves, there are rounds: the last one
 * removes nodes, those before only add and move, and prepare it. */
#include <string.h>

#include "base/vec.h"
#include "scale/consolidate_stepping.h"
#include "scale/obstacle.h"

const char *stow_step_add_nodes(struct stow_stepping *s, const struct stow_step_part *part)
{
    const uint32_t there = s->deck->there;

    for (uint32_t i = 0; i < part->nodes; i++) {
        const uint32_t node = part->node[i];
        const char *why = NULL;

        if (node < there)
            continue;
        s->new_at[node - there] = STOW_NONE;
        if (!stow_session_may_add(s->deck->session, s->layout->group[node - there], &why))
            return stow_arena_printf(
                &s->c->ret->arena, "a node of group %s would have to be bought first: %s",
                s->deck->s->group[s->layout->group[node - there]].name, why ? why : "a limit");
        s->new_at[node - there] = stow_deck_add(s->deck, s->layout->group[node - there]);
        if (s->new_at[node - there] == STOW_NONE)
            return "out of memory";
    }
    return NULL;
}

static uint32_t target_of(const struct stow_stepping *s, stow_pod_id pod)
{
    const uint32_t at = s->layout->at[pod];

    return at < s->deck->there ? at : s->new_at[at - s->deck->there];
}

static bool budget_allows(const struct stow_stepping *s, stow_pod_id pod)
{
    const uint32_t budget = s->c->movable.budget[pod];

    return budget == STOW_NONE || s->used[budget] < s->c->movable.allowed[budget];
}

static bool note_move(struct stow_stepping *s, const struct stow_made_move *made)
{
    const uint32_t budget = s->c->movable.budget[made->pod];
    struct stow_made_move *move = STOW_PUSH(&s->move, &s->moves, &s->move_cap);

    if (!move) {
        s->deck->failed = true;
        return false;
    }
    *move = *made;
    if (budget != STOW_NONE)
        s->used[budget]++;
    return true;
}

static bool move_pod(struct stow_stepping *s, stow_pod_id pod, uint32_t round)
{
    const struct stow_made_move move = {pod, s->deck->at[pod], target_of(s, pod), round, false};

    if (!budget_allows(s, pod) || !stow_deck_fits(s->deck, pod, move.to) || !note_move(s, &move))
        return false;
    stow_deck_move(s->deck, pod, move.to);
    return true;
}

/* All that can move within what budgets allow at once; returns how many. */
static uint32_t move_some(struct stow_stepping *s, const struct stow_step_part *part,
                          uint32_t round)
{
    uint32_t sum = 0, moved;

    do {
        moved = 0;
        for (uint32_t i = 0; i < part->pods; i++) {
            if (s->is_moved[i] || !move_pod(s, part->pod[i], round))
                continue;
            s->is_moved[i] = true;
            moved++;
        }
        sum += moved;
    } while (moved);
    return sum;
}

/* ---- the end of a part ------------------------------------------------------------------- */

static bool goes(const struct stow_stepping *s, uint32_t node)
{
    return node < s->deck->there && s->layout->gone[node];
}

static void drain_nodes(struct stow_stepping *s, const struct stow_step_part *part)
{
    for (uint32_t i = 0; i < part->nodes; i++)
        if (goes(s, part->node[i]))
            stow_deck_drain(s->deck, part->node[i], STOW_DRAIN_CORDONED);
}

static void shut_nodes(struct stow_stepping *s, const struct stow_step_part *part)
{
    for (uint32_t i = 0; i < part->nodes; i++)
        if (goes(s, part->node[i]))
            stow_deck_shut(s->deck, part->node[i]);
}

/* Pods that are left leave their nodes and wait; false: a budget forbids it. */
static bool evict_rest(struct stow_stepping *s, const struct stow_step_part *part, uint32_t round)
{
    for (uint32_t i = 0; i < part->pods; i++) {
        const stow_pod_id pod = part->pod[i];
        const struct stow_made_move move = {pod, s->deck->at[pod], target_of(s, pod), round, true};

        if (s->is_moved[i])
            continue;
        if (!s->layout->gone[move.from] || !budget_allows(s, pod) || !note_move(s, &move))
            return false;
        stow_deck_evict(s->deck, pod);
    }
    return true;
}

/* They come when the nodes are gone, in the order that is noted then. */
static bool place_rest(struct stow_stepping *s, uint32_t first)
{
    for (uint32_t done = first; done < s->moves; done++) {
        uint32_t at = done;

        while (at < s->moves && !stow_deck_fits(s->deck, s->move[at].pod, s->move[at].to))
            at++;
        if (at == s->moves)
            return false;

        const struct stow_made_move next = s->move[at];

        s->move[at] = s->move[done];
        s->move[done] = next;
        stow_deck_move(s->deck, next.pod, next.to);
    }
    return true;
}

/* The last round: nodes are cordoned, all that is left moves, nodes go.  False: it is not the last,
 * or cannot be. */
static bool move_last(struct stow_stepping *s, const struct stow_step_part *part, uint32_t round,
                      uint32_t left)
{
    uint32_t first;

    drain_nodes(s, part);
    left -= move_some(s, part, round);
    first = s->moves;
    if (left && !(s->c->options->waits && evict_rest(s, part, round)))
        return false;
    shut_nodes(s, part);
    return place_rest(s, first);
}

/* One round: the last if that is possible, else one that prepares it.  Returns how many moved. */
static uint32_t take_round(struct stow_stepping *s, const struct stow_step_part *part,
                           uint32_t round, uint32_t left, bool *ret_last)
{
    const uint32_t mark = stow_deck_mark(s->deck), moves = s->moves;
    const size_t bytes = part->pods * sizeof(*s->is_moved);
    const size_t budgets = ((size_t)s->deck->s->budgets + 1) * sizeof(*s->used);

    memset(s->used, 0, budgets);
    memcpy(s->was_moved, s->is_moved, bytes);
    *ret_last = move_last(s, part, round, left);
    if (*ret_last)
        return left;
    stow_deck_rollback(s->deck, mark);
    s->moves = moves;
    memset(s->used, 0, budgets);
    memcpy(s->is_moved, s->was_moved, bytes);
    return move_some(s, part, round);
}

/* Which pod cannot move, and what keeps it off where it should go. */
static const char *stuck(struct stow_stepping *s, const struct stow_step_part *part)
{
    struct stow_arena *arena = &s->c->ret->arena;
    uint32_t i = 0;

    while (i + 1 < part->pods && s->is_moved[i])
        i++;
    drain_nodes(s, part);

    const struct stow_pod *pod = &s->deck->s->pod[part->pod[i]];
    const char *space = stow_text(s->deck->s, pod->namespace).ptr;
    const uint32_t to = target_of(s, part->pod[i]), budget = s->c->movable.budget[part->pod[i]];
    struct stow_obstacle o;

    if (stow_deck_obstacle(s->deck, part->pod[i], to, arena, &o) > 0)
        return stow_arena_printf(
            arena, "pod %s/%s: %s: %s", space, pod->name, o.rule,
            stow_obstacle_text(&o, s->deck->s, stow_deck_name(s->deck, to), arena));
    if (budget != STOW_NONE)
        return stow_arena_printf(
            arena, "pod %s/%s: PodDisruptionBudget %s/%s allows %u disruption%s at once", space,
            pod->name, space, s->deck->s->budget[budget].name, s->c->movable.allowed[budget],
            s->c->movable.allowed[budget] == 1 ? "" : "s");
    return stow_arena_printf(
        arena, "pod %s/%s cannot move as long as others are where they are now", space, pod->name);
}

/* Whose rules do not hold as things are. */
static const char *broken(struct stow_stepping *s, const char *when)
{
    struct stow_arena *arena = &s->c->ret->arena;
    const stow_pod_id number = stow_deck_broken(s->deck);
    const struct stow_pod *pod = number == STOW_NONE ? NULL : &s->deck->s->pod[number];
    struct stow_obstacle o;

    if (!pod || stow_deck_obstacle(s->deck, number, s->deck->at[number], arena, &o) <= 0)
        return stow_arena_printf(arena, "rules between pods would not hold %s", when);
    return stow_arena_printf(
        arena, "%s, pod %s/%s: %s: %s", when, stow_text(s->deck->s, pod->namespace).ptr, pod->name,
        o.rule,
        stow_obstacle_text(&o, s->deck->s, stow_deck_name(s->deck, s->deck->at[number]), arena));
}

const char *stow_step_move_all(struct stow_stepping *s, const struct stow_step_part *part,
                               uint32_t *ret_rounds)
{
    uint32_t left = part->pods;
    bool last = false;

    memset(s->is_moved, 0, part->pods * sizeof(*s->is_moved));
    for (*ret_rounds = 0; !last; ++*ret_rounds) {
        const uint32_t moved = take_round(s, part, *ret_rounds, left, &last);

        if (s->deck->failed)
            return "out of memory";
        if (!last && !moved)
            return stuck(s, part);
        left -= moved;
        if (!last && !stow_deck_holds(s->deck))
            return broken(s, "in between");
    }
    return stow_deck_holds(s->deck) ? NULL : broken(s, "without it");
}
