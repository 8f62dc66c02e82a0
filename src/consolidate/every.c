/* every.c - where there is little, every row of steps is tried.
 *
 * Problem: which nodes can be emptied with three moves, two nodes at a time and a bill that never
 * rises?  Searches that look for a good end and then for a way there miss ends that are a little
 * worse and can be reached, and a limit that is looser sends them elsewhere.
 *
 * Idea: walk.  A *stance* is how things are in the middle of a step: where the pods are, which of
 * them this step has moved, which nodes are bought and which are gone.  From each, one pod moves to
 * a node or to a new one, or is held until others have moved (so that pods can change places), or
 * the step ends and nodes that are empty go.  Stances are visited by how many moves they took, so
 * each is met first on a shortest way; and the cheapest end for every number of moves is the whole
 * frontier, for any --max-moves.  Pods of a class are alike, and so are new nodes of a group:
 * stances that differ in names only are one.
 *
 * What is not worth a look: with r moves left, no more can be saved than the nodes are worth that
 * have r pods together.  Where that does not beat what is known for this many moves, the walk turns
 * back.  So it is fast where the other searches were good.
 *
 * Each end that is better than what is known is carried out on deck like any other row of steps
 * (steps.c), with nodes drained and pods evicted at once: only what passes counts. From
 * there it goes on, one node after the other: a row with few moves more, which the walk might not
 * come to.
 *
 * Cost: at most a fixed number of stances, 8 microseconds each.  Beyond that what was found is
 * good, and maybe not the best. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/consolidate_internal.h"

#define STANCES_MAX 60000 /* clusters of five nodes and eight pods need up to 6,000 */
#define SEEN        (1U << 18)
#define PODS_MAX    48
#define NODES_MAX   24U /* that are there in the beginning */
#define NEW_MAX     6
#define OFFERS_MAX  16
#define KEPT_MAX    2   /* empty nodes of which some may stay */
#define TRIES_MAX   200 /* ends that are carried out in vain */
#define LOOK        64  /* stances, after which the clock is looked at */
#define NOTHING     UINT8_MAX

struct stance {
    uint64_t stepped;       /* pods that the step at hand has moved */
    uint64_t gone;          /* nodes */
    stow_nano cost;         /* of what is on deck */
    uint32_t from;          /* the stance before it; STOW_NONE: none */
    uint32_t next;          /* of as many moves, still to be looked at */
    uint8_t moves;          /* in all, of pods that run */
    uint8_t in_step;        /* in the step at hand */
    uint8_t held;           /* a pod that is nowhere; NOTHING */
    bool ended;             /* a step has just ended */
    uint8_t news;           /* nodes that are bought ... */
    uint8_t news_before;    /* ... as the step at hand began ... */
    uint8_t offer[NEW_MAX]; /* ... of these */
    uint8_t at[PODS_MAX];   /* per pod: a node */
};

struct walker {
    struct stow_consolidating *c;
    struct stow_deck *deck;
    uint32_t real, pods, offers;
    stow_pod_id pod[PODS_MAX];
    stow_group_id offer[OFFERS_MAX];
    bool awaits;     /* some pods are pending: their room can be elsewhere without a move */
    bool in_steps;   /* something limits a step, or depends on who moves first */
    uint32_t most;   /* moves */
    stow_nano *best; /* per number of moves: the least cost that is known */
    stow_nano floor; /* nothing costs less */
    struct stance *stance;
    uint32_t stances, stance_cap;
    uint32_t *level; /* per number of moves: the first stance to be looked at */
    uint64_t *seen;
    uint8_t *seen_moves; /* the fewest with which it was seen */
    uint32_t *end;       /* stances that are better than what is known */
    uint32_t ends, end_cap;
    uint32_t tries, looks;
    bool cut_short; /* not everything was looked at */
};

static void walker_done(struct walker *w)
{
    free(w->best);
    free(w->stance);
    free(w->level);
    free(w->seen);
    free(w->seen_moves);
    free(w->end);
}

static bool is_over(struct walker *w)
{
    if (w->stances >= STANCES_MAX || w->tries >= TRIES_MAX ||
        (w->looks++ % LOOK == 0 && stow_consolidate_is_late(w->c)))
        w->cut_short = true;
    return w->cut_short || w->deck->failed;
}

/* ---- stances that are alike -------------------------------------------------------------- */

static uint64_t mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9E3779B97F4A7C15U;
    x ^= x >> 29;
    x *= 0xBF58476D1CE4E5B9U;
    return x ^ (x >> 32);
}

static uint32_t class_of(const struct walker *w, uint32_t i)
{
    return w->deck->yard->class_of[w->pod[i]];
}

static bool runs(const struct walker *w, uint32_t i)
{
    return !w->deck->pending[w->pod[i]];
}

/* What the pod that is nowhere has to do at least. */
static uint32_t held_moves(const struct walker *w, const struct stance *s)
{
    return s->held != NOTHING && runs(w, s->held) ? 1 : 0;
}

static bool is_stepped(const struct stance *s, uint32_t i)
{
    return s->stepped >> i & 1;
}

/* A number for all stances that are alike: sums do not know which node or pod was first. */
static uint64_t key_of(const struct walker *w, const struct stance *s)
{
    uint64_t on[NODES_MAX + NEW_MAX] = {0}, sum = mix(s->gone + 1) + s->ended;

    for (uint32_t i = 0; i < w->pods; i++) {
        const uint64_t pod = mix(((uint64_t)class_of(w, i) + 1) * 8 + (is_stepped(s, i) ? 2U : 0U) +
                                 (runs(w, i) ? 0U : 4U));

        if (i == s->held)
            sum += mix(pod + 1);
        else
            on[s->at[i]] += pod;
    }
    for (uint32_t node = 0; node < w->real + s->news; node++) {
        const uint32_t which = node < w->real ? node : NODES_MAX + s->offer[node - w->real];

        sum += mix(on[node] + mix((uint64_t)which + 0x10000));
    }
    return sum ? sum : 1;
}

/* Notes it; false: one like it was seen before, with no more moves. */
static bool is_new(struct walker *w, const struct stance *s)
{
    const uint64_t key = key_of(w, s);
    uint32_t at = (uint32_t)(key & (SEEN - 1));

    while (w->seen[at] && w->seen[at] != key)
        at = (at + 1) & (SEEN - 1);
    if (w->seen[at] == key && w->seen_moves[at] <= s->moves)
        return false;
    w->seen[at] = key;
    w->seen_moves[at] = s->moves;
    return true;
}

/* ---- what can still be saved ------------------------------------------------------------- */

static bool may_go(const struct walker *w, const struct stance *s, uint32_t node)
{
    return w->deck->may_go[node] && !(s->gone >> node & 1);
}

/* Whether with some number of moves it may be better than what is known. */
static bool is_hopeful(const struct walker *w, const struct stance *s)
{
    const uint32_t left = w->most - s->moves;
    uint32_t on[NODES_MAX + NEW_MAX] = {0};
    stow_nano saves[2 * PODS_MAX + 1] = {0}; /* at most, with this many moves */

    for (uint32_t i = 0; i < w->pods; i++)
        if (i != s->held)
            on[s->at[i]] += runs(w, i);
    for (uint32_t node = 0; node < w->real; node++)
        for (uint32_t r = left + 1; may_go(w, s, node) && r > on[node]; r--) {
            const stow_nano with = saves[r - 1 - on[node]] + w->deck->price[node];

            saves[r - 1] = with > saves[r - 1] ? with : saves[r - 1];
        }
    for (uint32_t r = held_moves(w, s); r <= left; r++) {
        const stow_nano least = s->cost - saves[r];

        if ((least > w->floor ? least : w->floor) < w->best[s->moves + r])
            return true;
    }
    return false;
}

/* ---- the deck as a stance has it -------------------------------------------------------- */

static void put_on_deck(struct walker *w, const struct stance *s)
{
    struct stow_deck *deck = w->deck;

    stow_deck_rollback(deck, deck->base);
    for (uint32_t i = 0; i < s->news && !deck->failed; i++)
        stow_deck_add(deck, w->offer[s->offer[i]]);
    for (uint32_t i = 0; i < w->pods && !deck->failed; i++) {
        const uint32_t node = i == s->held ? STOW_NONE : s->at[i];

        if (deck->at[w->pod[i]] != node)
            stow_deck_move(deck, w->pod[i], node);
    }
    for (uint32_t node = 0; node < w->real && !deck->failed; node++)
        if (s->gone >> node & 1)
            stow_deck_shut(deck, node);
}

/* ---- ends -------------------------------------------------------------------------------- */

static int add_stance(struct walker *w, const struct stance *s, uint32_t *ret)
{
    struct stance *made = STOW_PUSH(&w->stance, &w->stances, &w->stance_cap);

    if (!made)
        return STOW_ENOMEM;
    *made = *s;
    *ret = w->stances - 1;
    return STOW_OK;
}

/* It waits to be looked at. */
static int enqueue(struct walker *w, const struct stance *s, uint32_t *ret)
{
    STOW_TRY(add_stance(w, s, ret));
    w->stance[*ret].next = w->level[s->moves];
    w->level[s->moves] = *ret;
    return STOW_OK;
}

/* Empty nodes that may go and whose groups let them, but for those with a bit in `keep`, counted
 * from the first; the stance is on deck. */
static uint64_t empty_nodes(const struct walker *w, const struct stance *s, uint32_t keep,
                            uint32_t *ret_count)
{
    const struct stow_snapshot *view = w->deck->s;
    uint64_t full = 0, goes = 0;
    uint32_t list[NODES_MAX], going = 0;

    *ret_count = 0;
    stow_pools_begin_step(w->c, w->real + s->news_before);
    for (uint32_t i = 0; i < w->pods; i++)
        full |= 1ULL << s->at[i];
    for (uint32_t node = 0; node < w->real; node++) {
        const stow_group_id group = view->node[node].group;
        const bool bound = group != STOW_NONE && !view->group[group].implied;
        uint32_t size = bound ? w->deck->session->size[group] : 0;

        if (!may_go(w, s, node) || full >> node & 1 || keep >> (*ret_count)++ & 1)
            continue;
        for (uint32_t i = 0; i < going; i++)
            size -= bound && view->node[list[i]].group == group;
        if ((bound && size <= view->group[group].min_nodes) ||
            !stow_pools_let_go(w->c, list, going, node, NULL) ||
            !stow_commitment_lets_go(w->c, list, going, node))
            continue;
        list[going++] = node;
        goes |= 1ULL << node;
    }
    return goes;
}

/* The step ends: those nodes go.  An end that is better than what is known is noted. */
static int end_with(struct walker *w, uint32_t from, uint64_t goes)
{
    struct stance next = w->stance[from];
    uint32_t index = STOW_NONE, *end;

    next.from = from;
    next.gone |= goes;
    next.stepped = 0;
    next.in_step = 0;
    next.news_before = next.news;
    next.ended = true;
    for (uint32_t node = 0; node < w->real; node++)
        next.cost -= goes >> node & 1 ? w->deck->price[node] : 0;
    if (next.cost > w->c->reach.ceiling)
        return STOW_OK;
    if (w->in_steps && is_hopeful(w, &next) && is_new(w, &next))
        STOW_TRY(enqueue(w, &next, &index));
    if (next.cost >= w->best[next.moves])
        return STOW_OK;
    if (index == STOW_NONE)
        STOW_TRY(add_stance(w, &next, &index));
    end = STOW_PUSH(&w->end, &w->ends, &w->end_cap);
    if (!end)
        return STOW_ENOMEM;
    *end = index;
    return STOW_OK;
}

/* With all empty nodes gone; and, where a later step might fill one, with some of them. */
static int end_step(struct walker *w, uint32_t from)
{
    const struct stance s = w->stance[from];
    uint32_t empty, count;
    const uint64_t all = empty_nodes(w, &s, 0, &empty);

    if (s.held != NOTHING || (!s.in_step && !all)) /* room that is kept elsewhere is no step */
        return STOW_OK;
    STOW_TRY(end_with(w, from, all));
    for (uint32_t keep = 1; w->in_steps && empty <= KEPT_MAX && keep < 1U << empty; keep++)
        if (s.in_step || keep + 1 < 1U << empty)
            STOW_TRY(end_with(w, from, empty_nodes(w, &s, keep, &count)));
    return STOW_OK;
}

/* ---- from one stance to others ----------------------------------------------------------- */

static int reach(struct walker *w, const struct stance *next)
{
    uint32_t index;

    return is_hopeful(w, next) && is_new(w, next) ? enqueue(w, next, &index) : STOW_OK;
}

/* The stance with the pod on a node. */
static struct stance moved(const struct walker *w, uint32_t from, uint32_t i, uint32_t node)
{
    struct stance next = w->stance[from];

    next.from = from;
    next.at[i] = (uint8_t)node;
    next.held = next.held == i ? NOTHING : next.held;
    next.ended = false;
    next.moves = (uint8_t)(next.moves + runs(w, i));
    next.in_step = (uint8_t)(next.in_step + runs(w, i));
    next.stepped |= w->in_steps ? 1ULL << i % 64 : 0;
    return next;
}

/* To a new node of each group, but for one that has an empty one already. */
static int move_to_new(struct walker *w, uint32_t from, uint32_t i)
{
    struct stow_deck *deck = w->deck;
    const uint32_t mark = stow_deck_mark(deck), nodes = deck->yard->nodes;

    for (uint32_t o = 0; o < w->offers && w->stance[from].news < NEW_MAX; o++) {
        const stow_nano price = w->c->group_price[w->offer[o]];
        bool fits;

        if (deck->cost > w->c->reach.peak - price ||
            !stow_session_may_add(deck->session, w->offer[o], NULL))
            continue;
        if (stow_deck_add(deck, w->offer[o]) == STOW_NONE)
            return STOW_ENOMEM;
        fits = stow_deck_fits(deck, w->pod[i], nodes);
        stow_deck_rollback(deck, mark);
        if (fits) {
            struct stance next = moved(w, from, i, nodes);

            next.offer[next.news++] = (uint8_t)o;
            next.cost += price;
            STOW_TRY(reach(w, &next));
        }
    }
    return STOW_OK;
}

static int move_from(struct walker *w, uint32_t from, uint32_t i)
{
    const uint32_t nodes = w->deck->yard->nodes, at = w->stance[from].at[i];

    for (uint32_t node = 0; node < nodes; node++) {
        struct stance next;

        if (node == at || !stow_deck_fits(w->deck, w->pod[i], node))
            continue;
        next = moved(w, from, i, node);
        STOW_TRY(reach(w, &next));
    }
    return move_to_new(w, from, i);
}

/* Whether the pod may leave its node in the step at hand; one like it speaks for all of them. */
static bool may_leave(const struct walker *w, const struct stance *s, uint32_t i)
{
    const struct stow_movable *movable = &w->c->movable;
    const uint32_t budget = movable->budget[w->pod[i]];
    uint32_t used = 0;

    if (w->deck->pinned[w->pod[i]] || is_stepped(s, i) ||
        (runs(w, i) && (s->in_step + held_moves(w, s) >= w->c->reach.moves ||
                        s->moves + held_moves(w, s) >= w->most)))
        return false;
    for (uint32_t j = 0; j < w->pods; j++) {
        if (j < i && j != s->held && s->at[j] == s->at[i] && class_of(w, j) == class_of(w, i) &&
            runs(w, j) == runs(w, i) && !is_stepped(s, j) && !w->deck->pinned[w->pod[j]])
            return false;
        used += (is_stepped(s, j) || j == s->held) && movable->budget[w->pod[j]] == budget;
    }
    return budget == STOW_NONE || used < movable->allowed[budget];
}

/* The pod is nowhere until others have moved. */
static int hold(struct walker *w, uint32_t from, uint32_t i)
{
    struct stance next = w->stance[from];

    if (!w->awaits && (w->c->reach.moves - next.in_step < 2 || w->most - next.moves < 2))
        return STOW_OK;
    next.from = from;
    next.held = (uint8_t)i;
    next.ended = false;
    return reach(w, &next);
}

static int look_from(struct walker *w, uint32_t from)
{
    const struct stance s = w->stance[from];

    put_on_deck(w, &s);
    STOW_TRY(end_step(w, from));
    if (s.held != NOTHING)
        STOW_TRY(move_from(w, from, s.held));
    for (uint32_t i = 0; i < w->pods && !w->deck->failed; i++) {
        if (i == s.held || !may_leave(w, &s, i))
            continue;
        STOW_TRY(move_from(w, from, i));
        if (s.held == NOTHING)
            STOW_TRY(hold(w, from, i));
    }
    return w->deck->failed ? STOW_ENOMEM : STOW_OK;
}

/* ---- carrying out ------------------------------------------------------------------------ */

/* From where the deck is to a stance with which a step ends. */
static int lay_out(const struct walker *w, const struct stance *s, struct stow_layout *ret)
{
    const struct stow_deck *deck = w->deck;
    const uint32_t bought = deck->there - w->real;

    ret->at = malloc((deck->s->pods + 1) * sizeof(*ret->at));
    ret->gone = calloc(deck->there + 1, sizeof(*ret->gone));
    ret->group = malloc((NEW_MAX + 1) * sizeof(*ret->group));
    if (!ret->at || !ret->gone || !ret->group)
        return STOW_ENOMEM;
    if (deck->s->pods)
        memcpy(ret->at, deck->at, deck->s->pods * sizeof(*ret->at));
    for (uint32_t i = 0; i < w->pods; i++)
        ret->at[w->pod[i]] = s->at[i];
    for (uint32_t node = 0; node < w->real; node++)
        ret->gone[node] = s->gone >> node & 1 && !deck->absent[node];
    for (uint32_t i = bought; i < s->news; i++)
        ret->group[ret->groups++] = w->offer[s->offer[i]];
    return STOW_OK;
}

/* In one step; or, where nothing limits one, in as many as it falls into. */
static int take_end(struct walker *w, const struct stance *s, bool whole, bool *ret)
{
    STOW_AUTO(stow_layout_done) struct stow_layout layout = {0};

    STOW_TRY(lay_out(w, s, &layout));
    if (whole) {
        STOW_TRY(stow_consolidate_step(w->c, &layout, ret));
    } else {
        STOW_TRY(stow_consolidate_steps(w->c, &layout));
        *ret = w->deck->cost == s->cost;
    }
    if (*ret)
        stow_consolidate_settle(w->c);
    return STOW_OK;
}

/* All ends of steps on the way to a stance, the first one first; returns how many. */
static uint32_t list_ends(const struct walker *w, uint32_t end, uint32_t *list)
{
    uint32_t count = 0;

    for (uint32_t i = end; i != STOW_NONE; i = w->stance[i].from)
        if (w->stance[i].ended && w->stance[i].from != STOW_NONE)
            list[count++] = i;
    for (uint32_t i = 0; i < count / 2; i++) {
        const uint32_t other = list[count - 1 - i];

        list[count - 1 - i] = list[i];
        list[i] = other;
    }
    return count;
}

/* The steps to a stance as a course, if they can be taken. */
static int carry_out(struct walker *w, uint32_t end, bool whole, bool *ret)
{
    const bool limited = w->c->reach.limited;
    uint32_t list[2 * (2 * PODS_MAX + NODES_MAX)];
    const uint32_t count = list_ends(w, end, list);

    *ret = true;
    stow_consolidate_begin(w->c, limited);
    for (uint32_t i = 0; i < count && *ret; i++)
        STOW_TRY(take_end(w, &w->stance[list[i]], whole, ret));
    if (*ret) {
        STOW_TRY(stow_course_take(w->c, false));
        STOW_TRY(stow_consolidate_go_singly(w->c));
        STOW_TRY(stow_course_take(w->c, false));
    }
    stow_consolidate_begin(w->c, limited);
    return STOW_OK;
}

/* Ends that were found while others were looked at may be better than what is known no more. */
static int try_ends(struct walker *w)
{
    for (uint32_t i = 0; i < w->ends; i++) {
        const struct stance *s = &w->stance[w->end[i]];
        bool taken = false;

        if (s->cost >= w->best[s->moves])
            continue;
        if (!w->in_steps)
            STOW_TRY(carry_out(w, w->end[i], false, &taken));
        if (!taken)
            STOW_TRY(carry_out(w, w->end[i], true, &taken));
        if (taken)
            stow_course_least(w->c, w->c->reach.limited, w->best, w->most);
        w->tries += !taken || s->cost < w->best[s->moves];
    }
    w->ends = 0;
    return STOW_OK;
}

/* ---- the walk ---------------------------------------------------------------------------- */

/* Groups of which a node could pay and take some pod. */
static void find_offers(struct walker *w)
{
    const struct stow_consolidating *c = w->c;

    for (stow_group_id g = 0; g < c->s->groups; g++) {
        bool takes = false;

        for (uint32_t i = 0; i < w->pods && !takes; i++)
            takes = stow_yard_fresh_room(w->deck->yard, class_of(w, i), g) > 0;
        if (c->group_price[g] == STOW_MONEY_UNKNOWN || c->group_price[g] >= c->initial || !takes)
            continue;
        if (w->offers == OFFERS_MAX) {
            w->cut_short = true;
            return;
        }
        w->offer[w->offers++] = g;
    }
}

static bool has_budgets(const struct walker *w)
{
    for (uint32_t i = 0; i < w->pods; i++)
        if (w->c->movable.budget[w->pod[i]] != STOW_NONE)
            return true;
    return false;
}

static int open_walk(struct walker *w, uint32_t most)
{
    struct stow_consolidating *c = w->c;
    const struct stow_ground *ground = c->ground;
    struct stance first = {.from = STOW_NONE, .held = NOTHING, .ended = true, .cost = c->initial};
    uint32_t index;

    w->pods = ground->pendings;
    for (uint32_t i = 0; i < w->pods; i++) {
        w->pod[i] = ground->pending[i];
        first.at[i] = (uint8_t)w->deck->at[w->pod[i]];
    }
    find_offers(w);
    w->in_steps =
        c->reach.limited || has_budgets(w) || w->deck->watchers > 0 || stow_pools_limit(c);
    w->most = stow_deck_running(w->deck, w->pod, w->pods);
    w->awaits = w->most < w->pods;
    w->most *= w->in_steps ? 2 : 1;
    w->most = w->most < most ? w->most : most;
    w->floor = c->ret->bound == STOW_MONEY_UNKNOWN ? 0 : c->ret->bound - c->certain;
    w->best = malloc((w->most + 1) * sizeof(*w->best));
    w->level = malloc((w->most + 1) * sizeof(*w->level));
    w->seen = calloc(SEEN, sizeof(*w->seen));
    w->seen_moves = calloc(SEEN, sizeof(*w->seen_moves));
    if (!w->best || !w->level || !w->seen || !w->seen_moves)
        return STOW_ENOMEM;
    memset(w->level, 0xFF, (w->most + 1) * sizeof(*w->level));
    stow_course_least(c, c->reach.limited, w->best, w->most);
    return enqueue(w, &first, &index);
}

/* --min-saving is about steps that cannot be cut: ends say nothing of those. */
int stow_consolidate_every(struct stow_consolidating *c, bool limited, uint32_t most)
{
    STOW_AUTO(walker_done) struct walker w = {.c = c, .deck = &c->deck, .real = c->deck.yard->real};

    if (w.real > NODES_MAX || c->ground->pendings > PODS_MAX || c->options->min_saving)
        return STOW_OK;
    stow_consolidate_begin(c, limited);
    c->waits = false;
    STOW_TRY(open_walk(&w, most));
    for (uint32_t moves = 0; moves <= w.most; moves++)
        while (w.level[moves] != STOW_NONE && !is_over(&w)) {
            const uint32_t next = w.level[moves];

            w.level[moves] = w.stance[next].next;
            STOW_TRY(look_from(&w, next));
            STOW_TRY(try_ends(&w));
        }
    stow_consolidate_begin(c, limited);
    return c->deck.failed ? STOW_ENOMEM : STOW_OK;
}
