/* course.c - courses: rows of steps that were found, the best of them, and what can be
 * saved with how many moves.
 *
 * Searches end in steps.  Each row of them is kept as a course, whatever found it, so that the
 * answer is the best of all that was ever found: more time adds courses and takes none away.  Of
 * courses that cost the same, but for what --gap leaves open, the one that moves fewest pods is the
 * best.
 *
 * A course can be left after any step that pays (its beginning is a course, too): so one course is
 * many points of the frontier. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "consolidate/consolidate_internal.h"

static void course_done(struct stow_course *course)
{
    free(course->step);
    free(course->held);
}

void stow_courses_done(struct stow_courses *courses)
{
    for (uint32_t i = 0; i < courses->count; i++)
        course_done(&courses->of[i]);
    free(courses->of);
    memset(courses, 0, sizeof(*courses));
}

/* ---- taking ------------------------------------------------------------------------------ */

/* Whether steps that save so much and move this many pods are worth it. */
static bool pays(const struct stow_consolidating *c, stow_i128 saving, uint64_t moves)
{
    return saving > 0 && saving >= c->options->min_saving &&
           saving > (stow_i128)c->disruption_price * (stow_i128)moves;
}

/* Steps that pay together, from how things are when the first of them begins. */
struct unit {
    stow_i128 saving;
    uint64_t moves;
    uint32_t *at; /* per pod; NULL: nobody weighs what is disrupted */
    bool *gone;   /* per real node */
    uint32_t news;
    uint32_t *remove, removes;
};

static void unit_done(struct unit *u)
{
    free(u->at);
    free(u->gone);
    free(u->remove);
}

static int open_unit(const struct stow_consolidating *c, struct unit *u)
{
    const size_t pods = (size_t)c->s->pods + 1, nodes = (size_t)c->deck.yard->real + 1;

    if (!c->pools.eviction)
        return STOW_OK;
    u->at = malloc(pods * sizeof(*u->at));
    u->gone = calloc(nodes, sizeof(*u->gone));
    u->remove = malloc(nodes * sizeof(*u->remove));
    if (!u->at || !u->gone || !u->remove)
        return STOW_ENOMEM;
    memset(u->at, 0xFF, pods * sizeof(*u->at));
    return STOW_OK;
}

static void add_to_unit(struct unit *u, const struct stow_step *step)
{
    u->saving += step->saving;
    u->moves += step->moves;
    for (uint32_t i = 0; i < step->removes && u->at; i++)
        u->remove[u->removes++] = step->remove[i];
}

/* Its steps are taken: the next one begins. */
static void close_unit(struct unit *u, const struct stow_step *step, uint32_t steps)
{
    u->saving = 0;
    u->moves = 0;
    for (uint32_t i = 0; i < u->removes; i++)
        u->gone[u->remove[i]] = true;
    u->removes = 0;
    for (uint32_t i = 0; i < steps && u->at; i++) {
        u->news += step[i].adds;
        for (uint32_t m = 0; m < step[i].moves; m++)
            u->at[step[i].move[m].pod] = step[i].move[m].node;
    }
}

static bool is_approved(struct stow_consolidating *c, const struct unit *u)
{
    const struct stow_step_start now = {u->at, u->gone, u->news};
    const struct stow_step_change change = {u->remove, u->removes, u->saving};

    return !u->at || stow_balance_approves(c, &now, &change, NULL);
}

/* Steps that do not pay say with which later one they do; what comes after the last that pays is
 * left out, and what moves more pods than all may.  Returns how many are left. */
static uint32_t find_prepared(struct stow_consolidating *c, struct unit *u, struct stow_step *step,
                              uint32_t steps, uint32_t most)
{
    uint64_t all = 0;
    uint32_t paid = 0;

    for (uint32_t i = 0; i < steps; i++) {
        all += step[i].moves;
        if (all > most)
            break;
        add_to_unit(u, &step[i]);
        step[i].prepares = 0;
        if (!pays(c, u->saving, u->moves) || !is_approved(c, u))
            continue;
        for (uint32_t n = paid; n < i; n++)
            step[n].prepares = i + 1;
        close_unit(u, step + paid, i + 1 - paid);
        paid = i + 1;
    }
    return paid;
}

/* Which of its steps a course keeps. */
static int choose_steps(struct stow_consolidating *c, struct stow_course *course, uint32_t steps,
                        uint32_t most)
{
    struct unit u = {0};
    const int code = open_unit(c, &u);

    if (code >= 0)
        course->steps = find_prepared(c, &u, course->step, steps, most);
    unit_done(&u);
    return code;
}

/* Nodes of steps that are left out because too many pods would move. */
static void say_too_many(const struct stow_consolidating *c, struct stow_course *course)
{
    const struct stow_consolidation *ret = c->ret;
    const struct stow_kept_reason why = {
        .pod = STOW_NONE,
        .rule = "limit",
        .text = "more pods would move than --max-moves allows",
        .resource = STOW_NONE,
    };

    for (uint32_t i = course->steps; i < ret->steps && c->moves_all != UINT32_MAX; i++)
        for (uint32_t n = 0; n < ret->step[i].removes; n++)
            course->held[ret->step[i].remove[n]] = why;
}

static void add_step(struct stow_course *course, const struct stow_step *step)
{
    course->saving += step->saving;
    course->moves += step->moves;
    course->nodes_after += step->adds - step->removes;
}

/* With no more moves than this many. */
static int take_with(struct stow_consolidating *c, bool waits, uint32_t most)
{
    const struct stow_consolidation *ret = c->ret;
    const uint32_t nodes = c->scale->extension.real, steps = ret->steps;
    struct stow_course *course = STOW_PUSH(&c->course.of, &c->course.count, &c->course.cap);

    if (!course)
        return STOW_ENOMEM;
    *course = (struct stow_course){
        .step = malloc((steps + 1) * sizeof(*course->step)),
        .held = malloc((nodes + 1) * sizeof(*course->held)),
        .nodes_after = c->s->nodes,
        .disruption_price = c->disruption_price,
        .waits = waits,
        .limited = c->reach.limited,
    };
    if (!course->step || !course->held)
        return STOW_ENOMEM;
    if (steps)
        memcpy(course->step, ret->step, steps * sizeof(*course->step));
    memcpy(course->held, c->held, nodes * sizeof(*course->held));
    STOW_TRY(choose_steps(c, course, steps, most));
    say_too_many(c, course);
    for (uint32_t i = 0; i < course->steps; i++)
        add_step(course, &course->step[i]);
    course->beyond = course->moves > c->moves_all;
    return STOW_OK;
}

/* What the cluster costs after the best course. */
static void tell_best(const struct stow_consolidating *c)
{
    const uint32_t best = stow_course_best(c, true);

    if (best != STOW_NONE && !c->options->counts_nodes)
        stow_tell_plan(c->scaling.listener, c->initial + c->certain - c->course.of[best].saving);
}

/* What --max-moves costs is known by what it leaves out. */
int stow_course_take(struct stow_consolidating *c, bool waits)
{
    const struct stow_consolidation *ret = c->ret;
    uint64_t moves = 0;

    for (uint32_t i = 0; i < ret->steps; i++)
        moves += ret->step[i].moves;
    STOW_TRY(take_with(c, waits, c->moves_all));
    tell_best(c);
    return moves > c->moves_all ? take_with(c, waits, UINT32_MAX) : STOW_OK;
}

/* ---- the best ---------------------------------------------------------------------------- */

/* What it saves, less what its moves must earn. */
static stow_i128 worth(const struct stow_consolidating *c, const struct stow_course *course)
{
    return (stow_i128)course->saving -
           (stow_i128)c->options->disruption_price * (stow_i128)course->moves;
}

static bool keeps_limits(const struct stow_consolidating *c, const struct stow_course *course)
{
    return (!c->ret->limits.any || course->limited) && !course->beyond;
}

static bool is_candidate(const struct stow_consolidating *c, const struct stow_course *course,
                         bool limited)
{
    return (!limited || keeps_limits(c, course)) &&
           course->disruption_price >= c->options->disruption_price;
}

/* Fewer pods wait, or move; or it saves more. */
static bool is_gentler(const struct stow_consolidating *c, const struct stow_course *a,
                       const struct stow_course *b)
{
    if (a->waits != b->waits)
        return b->waits;
    if (a->moves != b->moves)
        return a->moves < b->moves;
    return worth(c, a) > worth(c, b);
}

/* What may be given up for fewer moves: --gap of what things cost then. */
static stow_i128 slack_of(const struct stow_consolidating *c, stow_i128 most)
{
    const stow_i128 cost = (stow_i128)c->initial + c->certain - most;

    return c->options->scale.gap > 0 && cost > 0 && !c->options->counts_nodes
               ? (stow_i128)((double)cost * c->options->scale.gap)
               : 0;
}

uint32_t stow_course_best(const struct stow_consolidating *c, bool limited)
{
    const struct stow_courses *all = &c->course;
    uint32_t best = STOW_NONE;
    stow_i128 most = 0;

    for (uint32_t i = 0; i < all->count; i++)
        if (is_candidate(c, &all->of[i], limited) && worth(c, &all->of[i]) > most)
            most = worth(c, &all->of[i]);
    for (uint32_t i = 0; i < all->count; i++) {
        const struct stow_course *course = &all->of[i];

        if (!is_candidate(c, course, limited) || worth(c, course) < most - slack_of(c, most))
            continue;
        if (best == STOW_NONE || is_gentler(c, course, &all->of[best]))
            best = i;
    }
    return best;
}

/* A course after each of its steps that pay. */
static void note_least(const struct stow_consolidating *c, const struct stow_course *course,
                       stow_nano *least, uint32_t most)
{
    stow_nano cost = c->initial;
    uint32_t moves = 0;

    for (uint32_t i = 0; i < course->steps; i++) {
        cost -= course->step[i].saving;
        moves += course->step[i].moves;
        if (moves <= most && !course->step[i].prepares && cost < least[moves])
            least[moves] = cost;
    }
}

void stow_course_least(const struct stow_consolidating *c, bool limited, stow_nano *ret,
                       uint32_t most)
{
    for (uint32_t i = 0; i <= most; i++)
        ret[i] = c->initial;
    for (uint32_t i = 0; i < c->course.count; i++)
        if (is_candidate(c, &c->course.of[i], limited))
            note_least(c, &c->course.of[i], ret, most);
    for (uint32_t i = 1; i <= most; i++)
        ret[i] = ret[i - 1] < ret[i] ? ret[i - 1] : ret[i];
}

/* ---- following --------------------------------------------------------------------------- */

/* Without asking: it was possible once. */
static int follow_step(struct stow_consolidating *c, const struct stow_step *step)
{
    struct stow_deck *deck = &c->deck;

    for (uint32_t i = 0; i < step->adds; i++) {
        const uint32_t node = stow_deck_add(deck, step->add[i].group);

        if (node == STOW_NONE)
            return STOW_ENOMEM;
        STOW_TRY(stow_vec_reserve(&c->name, &c->name_cap, node - deck->yard->real + 1,
                                  sizeof(*c->name)));
        c->name[node - deck->yard->real] = step->add[i].name;
    }
    for (uint32_t i = 0; i < step->moves; i++)
        stow_deck_move(deck, step->move[i].pod, step->move[i].node);
    for (uint32_t i = 0; i < step->rooms; i++)
        stow_deck_move(deck, step->room[i].pod, step->room[i].node);
    for (uint32_t i = 0; i < step->removes; i++)
        stow_deck_shut(deck, step->remove[i]);
    stow_deck_commit(deck);
    return deck->failed ? STOW_ENOMEM : STOW_OK;
}

/* Why its steps leave nodes alone, and where they say nothing, what others of the kind say. */
static void gather_reasons(struct stow_consolidating *c, const struct stow_course *course)
{
    const uint32_t nodes = c->scale->extension.real;

    memcpy(c->held, course->held, nodes * sizeof(*c->held));
    for (uint32_t i = 0; i < c->course.count; i++)
        for (uint32_t n = 0; n < nodes && c->course.of[i].limited == course->limited; n++)
            if (!c->held[n].text)
                c->held[n] = c->course.of[i].held[n];
}

int stow_course_follow(struct stow_consolidating *c, const struct stow_course *course)
{
    struct stow_consolidation *ret = c->ret;

    stow_deck_restart(&c->deck);
    stow_consolidate_hold(c, course->limited);
    gather_reasons(c, course);
    STOW_TRY(stow_vec_reserve(&ret->step, &ret->step_cap, course->steps + 1, sizeof(*ret->step)));
    for (uint32_t i = 0; i < course->steps; i++) {
        ret->step[i] = course->step[i];
        STOW_TRY(follow_step(c, &course->step[i]));
    }
    ret->steps = c->settled = course->steps;
    return STOW_OK;
}

/* ---- the frontier ------------------------------------------------------------------------ */

#define POINTS 50 /* that are shown: those in between say little */

struct points {
    struct stow_frontier_point *of;
    uint32_t count, cap;
};

static void points_done(struct points *points)
{
    free(points->of);
}

/* A course after each step that pays. */
static int add_points(struct points *to, const struct stow_consolidating *c, uint32_t number,
                      bool chosen)
{
    const struct stow_course *course = &c->course.of[number];
    struct stow_frontier_point at = {
        .nodes_after = c->s->nodes, .chosen = chosen, .course = number};

    for (uint32_t i = 0; i < course->steps; i++) {
        const struct stow_step *step = &course->step[i];
        struct stow_frontier_point *made;

        at.saving += step->saving;
        at.moved += step->moves;
        at.nodes_after += step->adds - step->removes;
        at.largest = step->moves > at.largest ? step->moves : at.largest;
        at.steps = i + 1;
        if (step->prepares)
            continue;
        made = STOW_PUSH(&to->of, &to->count, &to->cap);
        if (!made)
            return STOW_ENOMEM;
        *made = at;
    }
    return STOW_OK;
}

static int fewest_moves(const void *a, const void *b)
{
    const struct stow_frontier_point *x = a, *y = b;

    if (x->moved != y->moved)
        return x->moved < y->moved ? -1 : 1;
    if (x->saving != y->saving)
        return x->saving > y->saving ? -1 : 1;
    if (x->chosen != y->chosen)
        return x->chosen ? -1 : 1;
    return (x->steps > y->steps) - (x->steps < y->steps);
}

/* Those that no other beats: each saves more than the one before. */
static void keep_front(struct points *points)
{
    uint32_t kept = 0;

    if (points->count > 1)
        qsort(points->of, points->count, sizeof(*points->of), fewest_moves);
    for (uint32_t i = 0; i < points->count; i++)
        if (!kept || points->of[i].saving > points->of[kept - 1].saving)
            points->of[kept++] = points->of[i];
    points->count = kept;
}

/* Few of them, evenly over what is saved; the last is always there. */
static void thin_out(struct points *points)
{
    const stow_nano all = points->count ? points->of[points->count - 1].saving : 0;
    uint32_t kept = 0, shown = 0;

    for (uint32_t i = 0; i < points->count && points->count > POINTS; i++) {
        const uint32_t part = (uint32_t)((stow_i128)points->of[i].saving * POINTS / (all + 1));

        if (i + 1 < points->count && kept && part < shown)
            continue;
        shown = part + 1;
        points->of[kept++] = points->of[i];
    }
    points->count = points->count > POINTS ? kept : points->count;
}

int stow_course_exchange(struct stow_consolidating *c, const struct stow_course *course,
                         uint32_t steps, struct stow_exchange *ret)
{
    struct stow_arena *arena = &c->ret->arena;
    uint32_t removes = 0, adds = 0;
    stow_node_id *remove;
    stow_group_id *add;

    for (uint32_t i = 0; i < steps; i++) {
        removes += course->step[i].removes;
        adds += course->step[i].adds;
    }
    remove = stow_arena_zalloc(arena, (removes + 1) * sizeof(*remove));
    add = stow_arena_zalloc(arena, (adds + 1) * sizeof(*add));
    if (!remove || !add)
        return STOW_ENOMEM;
    *ret = (struct stow_exchange){.remove = remove, .add = add};
    for (uint32_t i = 0; i < steps; i++) {
        for (uint32_t n = 0; n < course->step[i].removes; n++)
            remove[ret->removes++] = course->step[i].remove[n];
        for (uint32_t n = 0; n < course->step[i].adds; n++)
            add[ret->adds++] = course->step[i].add[n].group;
    }
    return STOW_OK;
}

int stow_course_frontier(struct stow_consolidating *c, uint32_t chosen)
{
    STOW_AUTO(points_done) struct points points = {0};

    for (uint32_t i = 0; i < c->course.count; i++)
        if (keeps_limits(c, &c->course.of[i]))
            STOW_TRY(add_points(&points, c, i, i == chosen));
    keep_front(&points);
    thin_out(&points);
    for (uint32_t i = 0; i < points.count; i++) {
        struct stow_frontier_point *point = &points.of[i];

        if (!point->chosen)
            STOW_TRY(stow_course_exchange(c, &c->course.of[point->course], point->steps,
                                          &point->exchange));
    }
    c->ret->point = stow_arena_copy(&c->ret->arena, points.of, points.count * sizeof(*points.of));
    c->ret->points = points.count;
    return c->ret->point || !points.count ? STOW_OK : STOW_ENOMEM;
}
