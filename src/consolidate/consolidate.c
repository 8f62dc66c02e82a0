/* consolidate.c - which running nodes can be removed, or replaced by cheaper ones.
 *
 * Problem: nodes that were right when they were bought are not right for ever.  Autoscalers look
 * at one node at a time: remove it, or replace it by one cheaper node.  Two for one, one for two
 * or three for two they do not find, and what order is safe they find out as they go.
 *
 * Idea: it is the problem of buying (cheapest/optimal.c) over again.  In a view of the cluster the
 * pods that may move wait for a node (detach.h), and nodes that may go are for sale at what they
 * cost, one of each.  What the solver answers says which nodes stay, which go and what is bought
 * instead; its bound says how much cheaper anything could be.
 *
 *   1. What may move, what may go (movable.h), and a deck with every pod where it runs.
 *   2. Layouts: how things could be.  One by a plain search (greedy.c), some by the
 *      solver (solve.c), improved by the same search; where few pods are to move, some
 *      in which most nodes stay as they are (stay.c).
 *   3. Each is turned into steps, part by part (steps.c) or, within the limits, in
 *      small ones (cut.c).
 *   4. From where these lead the plain search goes on, until nothing more is to be saved.
 *   5. All of it again, in rounds, each longer than the one before and from the best that is known.
 *      Every row of steps is kept (course.c), and the best is the answer: more time
 *      adds to what it is chosen from.
 *
 * Invariant: after every step all pods have a node and every filter holds; whoever stops after
 * any of them is no worse off.  (A step that prepares another is the exception: it may have bought
 * what only a later one pays for.)
 *
 * Pending pods that fit a node have room after every step, too (pending.c). */
#include "consolidate/consolidate.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/consolidate_internal.h"

static void consolidating_done(struct stow_consolidating *c)
{
    stow_deck_close(&c->deck);
    if (c->open)
        stow_session_close(&c->session);
    stow_plan_done(&c->plan);
    stow_scale_free(c->scale);
    stow_detached_done(&c->view);
    stow_movable_done(&c->movable);
    stow_consolidate_pools_done(c);
    free((void *)c->kept);
    free((void *)c->reserved);
    free(c->held);
    free(c->closed);
    free(c->may_go);
    free(c->price);
    free(c->group_price);
    free((void *)c->name);
    stow_names_done(&c->names);
    stow_courses_done(&c->course);
    stow_packing_done(&c->fresh[0]);
    stow_packing_done(&c->fresh[1]);
    free(c->worth);
}

void stow_consolidation_done(struct stow_consolidation *consolidation)
{
    free(consolidation->step);
    free((void *)consolidation->warning);
    stow_arena_done(&consolidation->arena);
    memset(consolidation, 0, sizeof(*consolidation));
}

int stow_consolidation_warn(struct stow_consolidation *ret, const char *text)
{
    const char **made = STOW_PUSH(&ret->warning, &ret->warnings, &ret->warning_cap);

    if (!made || !text)
        return STOW_ENOMEM;
    *made = text;
    return STOW_OK;
}

/* ---- layouts ----------------------------------------------------------------------------- */

void stow_layout_done(struct stow_layout *layout)
{
    free(layout->at);
    free(layout->group);
    free(layout->gone);
    memset(layout, 0, sizeof(*layout));
}

int stow_layout_take(const struct stow_consolidating *c, struct stow_layout *ret)
{
    const struct stow_deck *deck = &c->deck;
    const uint32_t there = deck->there, nodes = deck->yard->nodes;
    STOW_AUTO(stow_free_local) uint32_t *number = malloc((nodes + 1) * sizeof(*number));

    memset(ret, 0, sizeof(*ret));
    ret->at = malloc((deck->s->pods + 1) * sizeof(*ret->at));
    ret->gone = calloc(there + 1, sizeof(*ret->gone));
    if (!number || !ret->at || !ret->gone)
        return STOW_ENOMEM;
    for (uint32_t node = 0; node < nodes; node++) {
        number[node] = node;
        if (node < deck->yard->real)
            ret->gone[node] = deck->gone[node] && !deck->absent[node];
        if (node < there || deck->gone[node])
            continue;

        stow_group_id *group = STOW_PUSH(&ret->group, &ret->groups, &ret->group_cap);

        if (!group)
            return STOW_ENOMEM;
        *group = stow_deck_group(deck, node);
        number[node] = there + ret->groups - 1;
    }
    for (stow_pod_id i = 0; i < deck->s->pods; i++)
        ret->at[i] = deck->at[i] == STOW_NONE ? STOW_NONE : number[deck->at[i]];
    return STOW_OK;
}

void stow_layout_put(struct stow_consolidating *c, const struct stow_layout *layout)
{
    struct stow_deck *deck = &c->deck;
    const uint32_t there = deck->there;

    for (uint32_t i = 0; i < layout->groups && !deck->failed; i++)
        deck->failed |= stow_deck_add(deck, layout->group[i]) != there + i;
    for (uint32_t i = 0; i < c->ground->pendings && !deck->failed; i++) {
        const stow_pod_id pod = c->ground->pending[i];

        if (layout->at[pod] != deck->at[pod])
            stow_deck_move(deck, pod, layout->at[pod]);
    }
    for (uint32_t i = 0; i < there && !deck->failed; i++)
        if (layout->gone[i])
            stow_deck_shut(deck, i);
}

/* ---- courses ----------------------------------------------------------------------------- */

#define STAGES_MAX 64 /* each saves something; later ones little */

bool stow_consolidate_is_late(const struct stow_consolidating *c)
{
    return stow_clock_is_past(c->until);
}

static void choice_done(struct stow_layouts *choice)
{
    for (uint32_t i = 0; i < choice->layouts; i++)
        stow_layout_done(&choice->layout[i]);
}

static void choices_done(struct stow_layouts (*choices)[2])
{
    choice_done(&(*choices)[0]);
    choice_done(&(*choices)[1]);
}

/* Layouts without new nodes, and with: what a limit or a budget forbids at once may be possible one
 * after the other. */
static int search(struct stow_consolidating *c, struct stow_layouts *to)
{
    for (int buying = 0; buying < 2; buying++) {
        STOW_TRY(stow_consolidate_greedy(c, buying));
        to->layouts++;
        STOW_TRY(stow_layout_take(c, &to->layout[to->layouts - 1]));
    }
    stow_deck_rollback(&c->deck, c->deck.base);
    return STOW_OK;
}

/* The steps of the layout whose steps are worth most, of equal ones of the one that moves fewest
 * pods; ties go to the first. */
static int take_better(struct stow_consolidating *c, const struct stow_layouts *of)
{
    uint32_t best = STOW_NONE, fewest = 0;
    stow_i128 least = 0;

    for (uint32_t i = 0; i < of->layouts && !(i && stow_consolidate_is_late(c)); i++) {
        STOW_TRY(stow_consolidate_steps(c, &of->layout[i]));
        if (best != STOW_NONE && (stow_deck_weight(c) > least ||
                                  (stow_deck_weight(c) == least && c->deck.moved >= fewest)))
            continue;
        least = stow_deck_weight(c);
        fewest = c->deck.moved;
        best = i;
    }
    return best + 1 == of->layouts ? STOW_OK : stow_consolidate_steps(c, &of->layout[best]);
}

bool stow_consolidate_settle(struct stow_consolidating *c)
{
    const bool found = c->ret->steps > c->settled;

    c->settled = c->ret->steps;
    stow_deck_commit(&c->deck);
    return found;
}

/* Steps from how things are now, by the plain search.  `*ret_found`: there are any. */
static int take_stage(struct stow_consolidating *c, bool *ret_found)
{
    STOW_AUTO(choice_done) struct stow_layouts own = {0};

    STOW_TRY(search(c, &own));
    STOW_TRY(take_better(c, &own));
    *ret_found = stow_consolidate_settle(c);
    return STOW_OK;
}

/* Where much at once cannot be carried out, one node at a time may be.  `*ret_found`: one goes. */
static int take_single(struct stow_consolidating *c, bool *ret_found)
{
    bool more = true;

    for (uint32_t at = 0; more && !*ret_found && !stow_consolidate_is_late(c);) {
        STOW_AUTO(stow_layout_done) struct stow_layout layout = {0};

        STOW_TRY(stow_consolidate_single(c, &at, &more));
        if (!more)
            break;
        STOW_TRY(stow_layout_take(c, &layout));
        STOW_TRY(stow_consolidate_steps(c, &layout));
        *ret_found = stow_consolidate_settle(c);
    }
    stow_deck_rollback(&c->deck, c->deck.base);
    return STOW_OK;
}

/* One node after the other, as long as that is possible. */
int stow_consolidate_go_singly(struct stow_consolidating *c)
{
    bool found = true;

    while (found && !stow_consolidate_is_late(c)) {
        found = false;
        STOW_TRY(take_single(c, &found));
    }
    return STOW_OK;
}

/* Stages until nothing is found any more. */
static int go_on(struct stow_consolidating *c)
{
    bool found = true;

    for (uint32_t i = 0; i < STAGES_MAX && found && !stow_consolidate_is_late(c); i++) {
        found = false;
        STOW_TRY(take_stage(c, &found));
        if (!found)
            STOW_TRY(take_single(c, &found));
    }
    return STOW_OK;
}

void stow_consolidate_begin(struct stow_consolidating *c, bool limited)
{
    stow_deck_restart(&c->deck);
    stow_consolidate_hold(c, limited);
    memset(c->held, 0, c->scale->extension.real * sizeof(*c->held));
    c->settled = c->ret->steps = 0;
}

static double earlier(double a, double b)
{
    return a < b ? a : b;
}

/* A course: how it begins, and how steps are made of that. */
struct beginning {
    const struct stow_layout *layout; /* NULL: the plain search from how things are */
    bool cut;                         /* in small steps; else part by part */
    bool limited;
    bool waits;     /* pods may from the beginning on */
    double seconds; /* for the search after that */
};

/* All steps from the beginning on.  When nothing is found any more without pods that wait, and they
 * may, it goes on with such. */
static int take_course(struct stow_consolidating *c, const struct beginning *b)
{
    stow_consolidate_begin(c, b->limited);
    c->waits = b->waits;
    c->until = c->deadline; /* a layout is there to be reached */
    if (b->layout && b->cut) {
        STOW_TRY(stow_consolidate_cut(c, b->layout));
    } else if (b->layout) {
        STOW_TRY(stow_consolidate_steps(c, b->layout));
        stow_consolidate_settle(c);
    }
    c->until = earlier(stow_clock() + b->seconds, c->deadline);
    STOW_TRY(go_on(c));
    if (c->options->waits && !b->waits) {
        c->waits = true;
        STOW_TRY(go_on(c));
    }
    return stow_course_take(c, b->waits);
}

/* Whether something but the layout itself says how much can be done at once. */
static bool is_hemmed(struct stow_consolidating *c)
{
    const bool surges = c->ret->limits.nodes != STOW_NONE; /* that one is the last */

    return (surges ? c->surge : c->session.limits) > 0 || c->s->budgets > 0 || stow_pools_limit(c);
}

/* The courses that a layout begins, each in this many seconds. */
static int follow_layout(struct stow_consolidating *c, const struct stow_layout *layout, bool waits,
                         double seconds)
{
    const struct beginning ways[] = {
        {layout, .cut = true, .limited = true, .waits = waits, .seconds = seconds},
        {layout, .waits = waits, .seconds = seconds},
        {layout, .cut = true, .waits = waits, .seconds = seconds},
    };

    for (uint32_t i = c->ret->limits.any ? 0 : 1; i < (is_hemmed(c) ? 3 : 2); i++)
        STOW_TRY(take_course(c, &ways[i]));
    return STOW_OK;
}

/* ---- seeking ----------------------------------------------------------------------------- */

/* Rounds of the same length whatever the limit: what a short search tries, a long one does, too. */
#define FIRST_ROUND  0.4 /* seconds */
#define LONGER       4
#define SEARCH_SHARE 0.92 /* of the time; the rest is for writing down */

struct seeking {
    struct stow_consolidating *c;
    struct stow_layout best; /* the cheapest so far; without pods: none */
    stow_nano cost;
    bool plain_done, settled;
};

static void seeking_done(struct seeking *k)
{
    stow_layout_done(&k->best);
}

/* Keeps it if it is the cheapest; then it is taken out of its list. */
static void keep_best(struct seeking *k, struct stow_layout *layout)
{
    const stow_nano cost = stow_layout_cost(k->c, layout);

    if (k->best.at && cost >= k->cost)
        return;
    stow_layout_done(&k->best);
    k->best = *layout;
    k->cost = cost;
    *layout = (struct stow_layout){0};
}

/* The plain search, without limits and with, without pods that wait and with. */
static int seek_plainly(struct seeking *k, double until)
{
    struct stow_consolidating *c = k->c;
    const double begin = stow_clock();

    for (int waits = 0; waits < (c->options->waits ? 2 : 1); waits++)
        for (int limited = c->ret->limits.any; limited >= 0; limited--) { /* the answer first */
            const bool last = waits == c->options->waits && !limited;
            const struct beginning b = {
                .limited = limited,
                .waits = waits,
                .seconds = (last ? until : (begin + until) / 2) - stow_clock(),
            };

            STOW_TRY(take_course(c, &b));
        }
    k->plain_done = !stow_clock_is_past(until);
    return STOW_OK;
}

/* Whether there are more nodes than --max-surge lets there be. */
static bool is_wide(const struct stow_consolidating *c, const struct stow_layout *layout)
{
    int64_t more = layout->groups;

    if (!layout->at || c->ret->limits.nodes == STOW_NONE)
        return false;
    for (uint32_t i = 0; i < c->deck.yard->real; i++)
        more -= layout->gone[i];
    return more >= c->ret->limits.nodes; /* one is for what comes before others go */
}

/* When what is done with an answer of the solver has to end. */
struct schedule {
    double solving;   /* seconds of the solver */
    double improving; /* seconds for layouts, after that */
    double walking;   /* seconds for courses, after that */
    double last;      /* nothing is begun after it */
};

/* A round of this many seconds, or as many as are left. */
static struct schedule schedule_of(double seconds, double last)
{
    const double left = last - stow_clock();
    const double all = left > 0.02 ? earlier(seconds, left) : 0.02;

    const double improving = earlier(0.12 * all, 0.5), walking = earlier(0.18 * all, 0.8);

    return (struct schedule){all - improving - walking, improving, walking, last};
}

/* What the solver finds, and the courses from that. */
static int seek_solved(struct seeking *k, bool limited, const struct schedule *when,
                       struct stow_err *err)
{
    STOW_AUTO(choices_done) struct stow_layouts solved[2] = {{.layouts = 0}, {.layouts = 0}};
    struct stow_consolidating *c = k->c;
    const struct stow_solve_ask ask = {when->solving, when->improving, !limited,
                                       k->best.at && !limited ? &k->best : NULL};
    bool settled = false;
    int code = STOW_OK;

    stow_consolidate_begin(c, limited);
    STOW_TRY(stow_consolidate_solve(c, &ask, solved, &settled, err));
    k->settled &= settled;
    for (uint32_t i = 0; i < 2 * STOW_LAYOUTS && code >= 0; i++) {
        const uint32_t number = i / 2, waits = i % 2;
        const struct beginning b = {&solved[waits].layout[number], true, true, waits,
                                    when->walking};

        if (number >= solved[waits].layouts)
            continue;
        code = limited ? take_course(c, &b) : follow_layout(c, b.layout, waits, when->walking / 2);
        if (!limited && code >= 0)
            keep_best(k, &solved[waits].layout[number]);
    }
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* ---- few moves --------------------------------------------------------------------------- */

static void stay_done(struct stow_stay *stay)
{
    stow_layout_done(&stay->layout);
}

/* A course that leaves most nodes alone with their pods.  `narrow`: with no more nodes than
 * --max-surge lets there be; `*ret_wide`: it has more. */
static int stay(struct seeking *k, const struct stow_stay_ask *ask, bool narrow, bool *ret_wide,
                struct stow_err *err)
{
    STOW_AUTO(stay_done) struct stow_stay answer = {0};
    struct stow_consolidating *c = k->c;
    const struct beginning b = {
        .layout = &answer.layout, .cut = true, .limited = c->ret->limits.any};
    int code;

    stow_consolidate_begin(c, narrow);
    if (narrow)
        c->session.limit[c->surge].left--; /* one is for what comes before others go */
    c->until = earlier(stow_clock() + ask->seconds, c->deadline);
    STOW_TRY(stow_consolidate_stay(c, ask, &answer, err));
    *ret_wide = answer.found && is_wide(c, &answer.layout);
    c->disruption_price = answer.per_move;
    code = answer.found ? take_course(c, &b) : STOW_OK;
    c->disruption_price = c->options->disruption_price;
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* With this many moves, in this many seconds. */
static int seek_staying(struct seeking *k, uint32_t moves, double seconds, struct stow_err *err)
{
    const struct stow_stay_ask ask = {moves, k->c->options->disruption_price, seconds};
    bool wide;

    STOW_TRY(stay(k, &ask, false, &wide, err));
    return wide ? stay(k, &ask, true, &wide, err) : STOW_OK;
}

/* ---- rounds ------------------------------------------------------------------------------ */

/* One round of this many seconds, but none after `last`. */
static int seek_round(struct seeking *k, double seconds, double last, struct stow_err *err)
{
    struct stow_consolidating *c = k->c;
    const double plain = seconds > FIRST_ROUND ? 0.1 : 0.25;
    const double share = c->options->greedy_only ? 1 : k->plain_done ? 0 : plain;
    struct schedule when;

    if (!k->plain_done && seek_plainly(k, earlier(stow_clock() + share * seconds, last)) < 0)
        return stow_fail_memory(err);
    if (c->options->greedy_only) {
        k->settled = k->plain_done;
        return STOW_OK;
    }
    k->settled = true;
    if (c->options->disruption_price || c->moves_all != UINT32_MAX)
        STOW_TRY(seek_staying(k, c->moves_all, 0.4 * seconds, err));
    when = schedule_of((is_wide(c, &k->best) ? 0.5 : 1) * (1 - share) * seconds, last);
    STOW_TRY(seek_solved(k, false, &when, err));
    when = schedule_of(0.5 * seconds, last);
    if (is_wide(c, &k->best) && !stow_clock_is_past(last))
        STOW_TRY(seek_solved(k, true, &when, err));
    return STOW_OK;
}

/* Where there is little, whatever there is. */
static int seek_everywhere(struct seeking *k, double last, struct stow_err *err)
{
    struct stow_consolidating *c = k->c;
    int code = STOW_OK;

    c->until = last;
    for (int limited = c->ret->limits.any; limited >= 0 && code >= 0; limited--)
        code = stow_consolidate_every(c, limited, c->moves_all);
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* Rounds, each longer than the one before, until the time is over or nothing is left to find.  What
 * would be less than a round of this length belongs to it. */
static int seek(struct seeking *k, double last, struct stow_err *err)
{
    double seconds = FIRST_ROUND;

    do {
        const double left = last - stow_clock();

        STOW_TRY(seek_round(k, left < 2 * seconds ? left : seconds, last, err));
        if (seconds <= FIRST_ROUND && !k->c->options->greedy_only)
            STOW_TRY(seek_everywhere(k, last, err));
        seconds *= LONGER;
    } while (!(k->settled && k->plain_done) && !stow_clock_is_past(last));
    return STOW_OK;
}

/* ---- the frontier ------------------------------------------------------------------------ */

/* How many pods may move, as shares of those that the best course moves.  Few moves take little
 * time, what is left of it is for the others. */
static const double shares[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8, 0.9};

#define SHARES     (sizeof(shares) / sizeof(*shares))
#define MOVES_FEW  24 /* every number of them is tried */
#define MOVES_NEAR 8  /* likewise, with every row of steps */

/* What pods cost elsewhere is learned from choice to choice, and each leads to others. */
enum lessons {
    UPWARDS,  /* from few moves to many */
    AFRESH,   /* as if nothing were known */
    FROM_MOST /* as many moves teach it */
};

/* What is known of that is this, or nothing. */
static int relearn(struct stow_consolidating *c, const double *worth)
{
    const size_t bytes = ((size_t)c->deck.yard->classes + 1) * sizeof(*worth);

    free(c->worth);
    c->worth = worth ? malloc(bytes) : NULL;
    if (c->worth)
        memcpy(c->worth, worth, bytes);
    return worth && !c->worth ? STOW_ENOMEM : STOW_OK;
}

/* With every number of moves, until then. */
static int seek_numbers(struct seeking *k, uint32_t all, enum lessons lessons, double until,
                        struct stow_err *err)
{
    const uint32_t count = all <= MOVES_FEW ? all : SHARES;
    STOW_AUTO(stow_free_local) double *worth = NULL;

    if (lessons == FROM_MOST) {
        worth = k->c->worth;
        k->c->worth = NULL;
    }
    for (uint32_t i = 0; i < count && !stow_clock_is_past(until); i++) {
        const uint32_t moves = all <= MOVES_FEW ? i + 1 : (uint32_t)(shares[i] * all);

        if (lessons != UPWARDS && relearn(k->c, worth) < 0)
            return stow_fail_memory(err);
        STOW_TRY(seek_staying(k, moves, (until - stow_clock()) / (count - i), err));
    }
    k->settled &= !stow_clock_is_past(until);
    return STOW_OK;
}

/* Every row of steps with so few moves: a walk that goes no further sees more of what is near. */
static int seek_nearby(struct seeking *k, uint32_t most, double until, struct stow_err *err)
{
    struct stow_consolidating *c = k->c;

    c->until = until;
    for (uint32_t moves = 1; moves <= most && moves <= MOVES_NEAR; moves++)
        if (!stow_clock_is_past(until) && stow_consolidate_every(c, c->ret->limits.any, moves) < 0)
            return stow_fail_memory(err);
    return STOW_OK;
}

/* Courses that move fewer pods.  --max-moves looks where the frontier does, since more moves may
 * begin with fewer: so a row of the frontier can be asked for. */
static int seek_frontier(struct seeking *k, double last, struct stow_err *err)
{
    const struct stow_consolidating *c = k->c;
    const uint32_t best = stow_course_best(c, false);
    const uint32_t all = best == STOW_NONE ? 0 : c->course.of[best].moves;
    const double begin = stow_clock();

    STOW_TRY(
        seek_nearby(k, c->moves_all < all ? c->moves_all : all, begin + 0.3 * (last - begin), err));
    for (int lessons = UPWARDS; lessons <= FROM_MOST; lessons++)
        STOW_TRY(seek_numbers(k, all, (enum lessons)lessons,
                              begin + (0.5 + 0.2 * lessons) * (last - begin), err));
    if (c->moves_all < all && !stow_clock_is_past(last))
        STOW_TRY(seek_staying(k, c->moves_all, last - stow_clock(), err));
    return STOW_OK;
}

/* ---- deciding ---------------------------------------------------------------------------- */

/* What the best plan costs where steps are not held to limits. */
static int note_unlimited(struct stow_consolidating *c, const struct stow_course *answer)
{
    const uint32_t best = stow_course_best(c, false);
    const struct stow_course *course = &c->course.of[best];
    struct stow_step_limits *limits = &c->ret->limits;

    limits->after = c->ret->before;
    limits->after.amount -= course->saving;
    limits->nodes_after = course->nodes_after;
    limits->moved = course->moves;
    limits->same = course->saving == answer->saving && course->moves == answer->moves &&
                   course->nodes_after == answer->nodes_after;
    return limits->same ? STOW_OK
                        : stow_course_exchange(c, course, course->steps, &limits->exchange);
}

static int finish(struct stow_consolidating *c)
{
    struct stow_consolidation *ret = c->ret;

    ret->nodes_before = ret->nodes_after = c->s->nodes;
    for (uint32_t i = 0; i < ret->steps; i++) {
        ret->saving += ret->step[i].saving;
        ret->nodes_after = ret->nodes_after + ret->step[i].adds - ret->step[i].removes;
        ret->moved += ret->step[i].moves;
        stow_consolidate_note_step(c, &ret->step[i]);
    }
    ret->after = ret->before;
    ret->after.amount -= ret->saving;
    ret->after.known -= (int64_t)ret->nodes_before - ret->nodes_after; /* only those come and go */
    for (uint32_t i = 0; i < c->scale->warnings; i++)
        STOW_TRY(stow_consolidation_warn(
            ret, stow_arena_text(&ret->arena, stow_str_of(c->scale->warning[i]))));
    c->waits = c->options->waits;
    STOW_TRY(stow_consolidate_why(c));
    return c->deck.failed ? STOW_ENOMEM : STOW_OK;
}

/* The best of all courses is the answer. */
static int choose(struct stow_consolidating *c)
{
    const uint32_t best = stow_course_best(c, true);

    STOW_TRY(note_unlimited(c, &c->course.of[best]));
    if (c->options->frontier)
        STOW_TRY(stow_course_frontier(c, best));
    STOW_TRY(stow_course_follow(c, &c->course.of[best]));
    return finish(c);
}

/* The plain search and the solver, and the best of all that both find: where one leads cannot be
 * told from how it begins.  Pods wait only where that saves more than if none does. */
static int decide(struct stow_consolidating *c, struct stow_err *err)
{
    STOW_AUTO(seeking_done) struct seeking k = {.c = c};
    const double last = c->started + SEARCH_SHARE * (c->deadline - c->started);
    const bool few = c->options->frontier || c->moves_all != UINT32_MAX;
    const double share = few ? 0.3 : 1;

    STOW_TRY(seek(&k, c->started + share * (last - c->started), err));
    if (few && !c->options->greedy_only)
        STOW_TRY(seek_frontier(&k, last, err));
    c->ret->late |= !k.settled || !k.plain_done;
    c->ret->stopped = stow_clock_is_stopped();
    return choose(c) < 0 ? stow_fail_memory(err) : STOW_OK;
}

int stow_consolidate(const struct stow_scale_input *input,
                     const struct stow_consolidate_options *options, struct stow_consolidation *ret,
                     struct stow_err *err)
{
    const double limit = options->scale.time_limit, started = stow_clock();
    STOW_AUTO(consolidating_done)
    struct stow_consolidating c = {
        .options = options,
        .s = input->s,
        .scaling = options->scale,
        .started = started,
        .deadline = started + (limit > 0 ? limit : 1e9),
        .disruption_price = options->disruption_price,
        .ret = ret,
    };

    *ret = (struct stow_consolidation){
        .s = input->s,
        .counts_nodes = options->counts_nodes,
        .waits = options->waits,
        .bound = STOW_MONEY_UNKNOWN,
        .explained = options->explain_node
                         ? stow_node_find(input->s, stow_str_of(options->explain_node))
                         : STOW_NONE,
    };
    if (options->counts_nodes)
        c.scaling.prices = STOW_PRICES_NONE;
    STOW_TRY(stow_consolidate_open(&c, input, err));
    return decide(&c, err);
}
