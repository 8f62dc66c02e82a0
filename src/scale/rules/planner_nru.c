/* planner_nru.c - one node at a time, whichever places most per price.
 *
 * The rule
 * --------
 * Groups form tiers by the priority of their pool and template.  Of the highest tier
 * one more node of each group is tried: the pending pods are placed with it there,
 * by pod priority, then NRU, then name, each on the feasible node that is then
 * fullest (MostAllocated over cpu and memory), of equals the oldest.  Who gets no pod
 * onto the new node is out; the others are scored by all that they placed, also on
 * older nodes, and the winner's placements are kept.  So it goes on until nothing is
 * pending, or no group helps and it is the turn of the next tier.  A new node that gets no pod may
 * mean that older ones have come to take what is left (affinity to pods of the last round): that
 * costs nothing, and is done before anybody is given up (the rule set `document`; upstream leaves
 * them).
 *
 * How it is done without trying everything every time
 * ---------------------------------------------------
 * The order of pods is cut into *runs* of one class.  When one pod of a run finds no
 * place, the next does not either: a simulation costs as much as there are runs, not
 * pods.
 *
 * A class is *settled* when nothing that happens to other pods can make room for it:
 * its fit depends on resources, ports and anti-affinity, all of which only get worse.
 * After the first round a pending pod of such a class fits no older node (it was tried
 * on each of them after they got their last pod but those that made it worse), so
 * only the new node is asked.  Spreading and affinity to pods are different: there a
 * node may open by what happens elsewhere, and all nodes are asked every time.
 *
 * Once all classes that have pods left are settled and no anti-affinity of theirs reaches
 * beyond a host, what one more node of a group takes depends on nothing but how many pods are left
 * of each run.  It took n of a run either because n was all that fitted or because n was all there
 * was; both stay true while n are left.  So a simulation is remembered until one of the runs it
 * took from has too few pods.  Runs are then grouped into blocks of neighbours, each with the least
 * that any pod of it needs of every resource: a node that lacks it passes over all of them at once.
 *
 * Invariant, tested on random clusters: the plan is that of stow_plan_nru_slowly().
 *
 * Cost: rounds x groups x runs at worst; usually few simulations per round. */
#include "scale/rules/planner_nru.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scale/rules/nru_order.h"
#include "scale/tiers.h"

#define BLOCK 32 /* runs */
#define LOOK  16 /* simulations or pods, after which the clock is looked at */

struct take {
    uint32_t run, count;
};

/* One more node of a group. */
struct candidate {
    stow_group_id group;
    const char *why; /* it is out of the running; NULL: it is not */
    bool refused;    /* for good: limits only get tighter */
    bool known;      /* what follows is what a simulation would say now */
    uint32_t pods, side_pods;
    int64_t *allocatable, *placed; /* by resource id */
    struct take *take;             /* of all its pods, by run */
    uint32_t takes, take_cap;
};

struct planner {
    struct stow_session *session;
    struct stow_yard *yard;
    const struct stow_nru_rule *rule;
    bool slowly;
    bool started; /* pods have been tried on every node that is there: settled ones fit none */
    bool lasting; /* simulations can be remembered */
    bool late;    /* the time limit was reached */
    uint32_t looks;

    struct stow_nru_order order; /* the pending pods; the plan's, as puts are */
    uint32_t from;               /* runs before this one have no pods left */
    uint32_t left;               /* of all runs */
    bool *settled;               /* per class */
    uint32_t *failed_in;         /* per class: the simulation in which it found no place last */
    struct stow_yard_refusal *refusal; /* per class: by the nodes that are there for good */
    uint32_t simulation;               /* number of the one that runs */
    uint32_t classes_left;             /* that have pods left */
    uint32_t *class_left;
    int64_t *need;  /* per run and dimension; NULL: until simulations can be remembered */
    int64_t *least; /* the same per block of runs */

    struct candidate *candidate; /* of all tiers, in their order */
    uint32_t candidates;
    struct stow_nru_candidate *choice; /* of a round */
    uint32_t *chosen;                  /* per choice: the candidate */
    struct stow_tiers tiers;
};

/* The rest lies in the arena that it was made in. */
static void planner_done(struct planner *p)
{
    for (uint32_t i = 0; i < p->candidates; i++)
        free(p->candidate[i].take);
    stow_tiers_done(&p->tiers);
    free(p->need);
    free(p->least);
}

/* ---- making it --------------------------------------------------------------------------- */

/* Nothing that happens to other pods makes room for it. */
static bool is_settled(const struct stow_yard_class *class)
{
    return class->spreads == 0 && class->attracts == 0;
}

static bool reaches_beyond_host(const struct stow_yard *yard, const struct stow_yard_class *class)
{
    for (uint32_t i = 0; i < class->shuns; i++)
        if (!yard->overlay[class->shun[i]].own_domains)
            return true;
    return false;
}

/* Asks about the nodes that are there. */
static int ask_classes(struct planner *p)
{
    for (uint32_t i = 0; i < p->yard->classes; i++) {
        STOW_TRY(stow_yard_ask_real(p->yard, i));
        p->settled[i] = is_settled(&p->yard->class[i]);
    }
    return STOW_OK;
}

/* Whether simulations can be remembered from now on, by the classes that have pods left. */
static bool is_lasting(const struct planner *p)
{
    for (uint32_t i = 0; i < p->yard->classes; i++)
        if (p->class_left[i] &&
            (!p->settled[i] || reaches_beyond_host(p->yard, &p->yard->class[i])))
            return false;
    return !p->slowly;
}

static bool lists(const struct stow_snapshot *s, const struct stow_node *node,
                  stow_resource_id resource)
{
    uint32_t count;
    const struct stow_exact *list = STOW_LIST(s, node->allocatable, struct stow_exact, &count);

    for (uint32_t i = 0; i < count; i++)
        if (list[i].resource == s->resource[resource])
            return true;
    return false;
}

static int open_candidate(const struct planner *p, struct candidate *c, stow_group_id group,
                          struct stow_arena *arena)
{
    const struct stow_snapshot *s = p->yard->s;
    const stow_node_id fresh = p->yard->group[group].fresh;

    c->group = group;
    c->allocatable =
        stow_arena_zalloc(arena, 2 * ((size_t)s->resources + 1) * sizeof(*c->allocatable));
    if (!c->allocatable)
        return STOW_ENOMEM;
    c->placed = c->allocatable + s->resources;
    for (stow_resource_id r = 0; r < s->resources; r++)
        c->allocatable[r] = lists(s, &s->node[fresh], r)
                                ? stow_state_allocatable(p->yard->state, r, fresh)
                                : STOW_NRU_ABSENT;
    return STOW_OK;
}

/* The groups that can grow, by tiers. */
static int open_candidates(struct planner *p, struct stow_arena *arena)
{
    const struct stow_snapshot *s = p->yard->s;
    stow_group_id *group = stow_arena_alloc(arena, (s->groups + 1) * sizeof(*group));
    uint32_t count = 0;

    if (!group)
        return STOW_ENOMEM;
    for (stow_group_id g = 0; g < s->groups; g++)
        if (p->session->grows[g] && p->yard->group[g].fresh != STOW_NONE)
            group[count++] = g;
    STOW_TRY(stow_tiers_make(s, group, count, &p->tiers));
    p->candidate = stow_arena_zalloc(arena, ((size_t)count + 1) * sizeof(*p->candidate));
    p->choice = stow_arena_zalloc(arena, ((size_t)count + 1) * sizeof(*p->choice));
    p->chosen = stow_arena_zalloc(arena, ((size_t)count + 1) * sizeof(*p->chosen));
    if (!p->candidate || !p->choice || !p->chosen)
        return STOW_ENOMEM;
    for (; p->candidates < count; p->candidates++)
        STOW_TRY(
            open_candidate(p, &p->candidate[p->candidates], p->tiers.group[p->candidates], arena));
    return STOW_OK;
}

static void count_left(struct planner *p)
{
    for (uint32_t i = 0; i < p->order.runs; i++) {
        const struct stow_nru_run *run = &p->order.run[i];

        p->classes_left += p->class_left[run->class] == 0;
        p->class_left[run->class] += run->left;
        p->left += run->left;
    }
}

static int planner_fill(struct planner *p, struct stow_arena *arena, struct stow_err *err)
{
    const uint32_t classes = p->yard->classes;

    p->settled = stow_arena_zalloc(arena, ((size_t)classes + 1) * sizeof(*p->settled));
    p->failed_in = stow_arena_zalloc(arena, ((size_t)classes + 1) * sizeof(*p->failed_in));
    p->class_left = stow_arena_zalloc(arena, ((size_t)classes + 1) * sizeof(*p->class_left));
    p->refusal = stow_arena_zalloc(arena, ((size_t)classes + 1) * sizeof(*p->refusal));
    if (!p->settled || !p->failed_in || !p->class_left || !p->refusal)
        return stow_fail_memory(err);
    STOW_TRY(stow_nru_order(p->session->ground, p->session->arena, &p->order, err));
    count_left(p);
    if (ask_classes(p) < 0 || open_candidates(p, arena) < 0)
        return stow_fail_memory(err);
    p->lasting = is_lasting(p);
    return STOW_OK;
}

/* ---- one simulation ---------------------------------------------------------------------- */

/* The pending pods are placed with one more node there. */
struct simulation {
    struct planner *p;
    struct candidate *c;
    uint32_t node; /* the new one */
    bool keep;     /* for good */
    uint32_t dead; /* settled classes that found no place */
};

static bool is_late(struct planner *p)
{
    if (!p->late && p->looks++ % LOOK == 0)
        p->late = stow_session_is_late(p->session);
    return p->late;
}

/* `done` pods of the run have a node already. */
static int put(struct simulation *sim, const struct stow_nru_run *run, uint32_t done,
               uint32_t count, uint32_t node)
{
    struct planner *p = sim->p;

    if (node == sim->node)
        sim->c->pods += count;
    else
        sim->c->side_pods += count;
    if (sim->keep)
        return stow_session_put(p->session, &p->order.pod[run->first + done], count, node);
    stow_yard_place(p->yard, run->class, node, count);
    return p->yard->failed ? STOW_ENOMEM : STOW_OK;
}

/* Tries every node for every pod, but for those that are known to refuse it. */
static int fill_all(struct simulation *sim, const struct stow_nru_run *run, uint32_t *ret_done)
{
    struct planner *p = sim->p;
    struct stow_yard_refusal *refusal = &p->refusal[run->class];
    uint32_t done = 0;

    for (; done < run->left && !is_late(p); done++) {
        const uint32_t from = p->slowly ? 0 : stow_yard_refused(p->yard, run->class, refusal);
        int64_t score;
        const uint32_t node = stow_nru_best_node(p->yard, run->class, from, &score);

        if (node == STOW_NONE && sim->keep)
            stow_yard_note_refusal(p->yard, run->class, p->yard->nodes, refusal);
        if (node == STOW_NONE)
            break;
        STOW_TRY(put(sim, run, done, 1, node));
    }
    *ret_done = done;
    return STOW_OK;
}

/* Tries the new node only. */
static int fill_new(struct simulation *sim, const struct stow_nru_run *run, uint32_t *ret_done)
{
    struct stow_yard *yard = sim->p->yard;
    const struct stow_yard_class *class = &yard->class[run->class];
    uint32_t done = 0;

    while (done < run->left && stow_yard_fits(yard, run->class, sim->node)) {
        uint32_t count = 1;

        if (class->plain && class->clash == STOW_NONE)
            count = stow_yard_room(yard, run->class, sim->node);
        if (count > run->left - done)
            count = run->left - done;
        STOW_TRY(put(sim, run, done, count, sim->node));
        done += count;
    }
    *ret_done = done;
    return STOW_OK;
}

static int note_taken(struct simulation *sim, uint32_t run, uint32_t count)
{
    struct candidate *c = sim->c;
    struct take *take = STOW_PUSH(&c->take, &c->takes, &c->take_cap);

    if (!take)
        return STOW_ENOMEM;
    *take = (struct take){run, count};
    stow_nru_add_requests(sim->p->yard, sim->p->order.run[run].class, count, c->placed);
    return STOW_OK;
}

static int fill_run(struct simulation *sim, uint32_t number)
{
    struct planner *p = sim->p;
    struct stow_nru_run *run = &p->order.run[number];
    const bool settled = p->settled[run->class] && !p->slowly;
    uint32_t done = 0;

    if (run->left == 0 || (settled && p->failed_in[run->class] == p->simulation))
        return STOW_OK;
    if (!settled || !p->started)
        STOW_TRY(fill_all(sim, run, &done));
    else if (sim->node != STOW_NONE)
        STOW_TRY(fill_new(sim, run, &done));
    if (done < run->left && settled) {
        p->failed_in[run->class] = p->simulation;
        sim->dead++;
    }
    return done ? note_taken(sim, number, done) : STOW_OK;
}

/* Whether the new node has room for so much. */
static bool holds(const struct simulation *sim, const int64_t *need)
{
    const struct stow_yard *yard = sim->p->yard;

    for (uint32_t d = 0; d < yard->dims; d++)
        if (need[d] > 0 && yard->free[d][sim->node] < need[d])
            return false;
    return true;
}

/* The next run with pods that may fit, from `i` on. */
static uint32_t next_run(const struct simulation *sim, uint32_t i)
{
    const struct planner *p = sim->p;
    const size_t dims = p->yard->dims;

    if (!p->need || !p->started || sim->node == STOW_NONE)
        return i;
    while (i < p->order.runs) {
        if (i % BLOCK == 0 && !holds(sim, p->least + i / BLOCK * dims))
            i += BLOCK;
        else if (!p->order.run[i].left || !holds(sim, p->need + i * dims))
            i++;
        else
            break;
    }
    return i;
}

static int fill(struct simulation *sim)
{
    struct planner *p = sim->p;
    struct candidate *c = sim->c;

    c->pods = c->side_pods = c->takes = 0;
    memset(c->placed, 0, p->yard->s->resources * sizeof(*c->placed));
    p->simulation++;
    for (uint32_t i = p->from; sim->dead < p->classes_left; i++) {
        i = next_run(sim, i);
        if (i >= p->order.runs)
            break;
        STOW_TRY(fill_run(sim, i));
    }
    return STOW_OK;
}

/* What would be placed with one more node of the group. */
static int simulate(struct planner *p, struct candidate *c)
{
    const uint32_t mark = stow_yard_mark(p->yard);
    struct simulation sim = {.p = p, .c = c, .node = stow_yard_add_node(p->yard, c->group)};
    int code = sim.node == STOW_NONE ? STOW_ENOMEM : fill(&sim);

    stow_yard_rollback(p->yard, mark);
    c->known = code >= 0;
    return code;
}

/* Takes the pods off the runs that a candidate was given. */
static void take_off(struct planner *p, const struct candidate *c)
{
    for (uint32_t i = 0; i < c->takes; i++) {
        struct stow_nru_run *run = &p->order.run[c->take[i].run];

        run->first += c->take[i].count;
        run->left -= c->take[i].count;
        p->left -= c->take[i].count;
        p->class_left[run->class] -= c->take[i].count;
        p->classes_left -= p->class_left[run->class] == 0;
    }
}

/* Runs without pods go.  Those among others stay while simulations are remembered, which know runs
 * by number. */
static void compact(struct planner *p)
{
    uint32_t kept = 0;

    while (p->from < p->order.runs && !p->order.run[p->from].left)
        p->from++;
    if (p->lasting)
        return;
    p->from = 0;
    for (uint32_t i = 0; i < p->order.runs; i++)
        if (p->order.run[i].left)
            p->order.run[kept++] = p->order.run[i];
    p->order.runs = kept;
}

static void measure_block(struct planner *p, uint32_t block)
{
    const size_t dims = p->yard->dims;
    const uint32_t first = block * BLOCK;

    for (uint32_t d = 0; d < dims; d++) {
        int64_t least = INT64_MAX; /* no pod is left: nothing has room for it */

        for (uint32_t i = first; i < first + BLOCK && i < p->order.runs; i++)
            if (p->order.run[i].left && p->need[i * dims + d] < least)
                least = p->need[i * dims + d];
        p->least[block * dims + d] = least;
    }
}

/* Runs keep their numbers from now on. */
static int start_blocks(struct planner *p)
{
    const uint32_t blocks = p->order.runs / BLOCK + 1;
    const size_t dims = p->yard->dims;

    p->need = calloc(p->order.runs * dims + 1, sizeof(*p->need));
    p->least = calloc(blocks * dims + 1, sizeof(*p->least));
    if (!p->need || !p->least)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < p->order.runs; i++)
        memcpy(p->need + i * dims, p->yard->class[p->order.run[i].class].need,
               dims * sizeof(*p->need));
    for (uint32_t i = 0; i < blocks; i++)
        measure_block(p, i);
    return STOW_OK;
}

/* What a winner took was perhaps the last of the smallest. */
static void measure_again(struct planner *p, const struct candidate *winner)
{
    for (uint32_t i = 0; i < winner->takes; i++)
        if (p->order.run[winner->take[i].run].left == 0)
            measure_block(p, winner->take[i].run / BLOCK);
}

static bool enough_left(const struct planner *p, const struct candidate *c)
{
    for (uint32_t i = 0; i < c->takes; i++)
        if (p->order.run[c->take[i].run].left < c->take[i].count)
            return false;
    return true;
}

/* Buys the node and places the pods for good; what others would place is then looked at again. */
static int keep(struct planner *p, struct candidate *winner)
{
    const bool side = winner->side_pods > 0 || !p->started;
    const uint32_t node = stow_session_buy(p->session, winner->group);
    struct simulation sim = {.p = p, .c = winner, .node = node, .keep = true};

    if (node == STOW_NONE)
        return STOW_ENOMEM;
    STOW_TRY(fill(&sim));
    take_off(p, winner);
    p->started = true;
    for (uint32_t i = 0; i < p->candidates; i++) {
        struct candidate *c = &p->candidate[i];

        c->known = c->known && p->lasting && !side && enough_left(p, c);
    }
    if (p->need)
        measure_again(p, winner);
    compact(p);
    p->lasting = p->lasting || is_lasting(p);
    return p->lasting && !p->need ? start_blocks(p) : STOW_OK;
}

/* Pods that older nodes have come to take; 1: some moved. */
static int sweep(struct planner *p)
{
    struct candidate older = {0};
    struct simulation sim = {.p = p, .c = &older, .node = STOW_NONE, .keep = true};
    int code;

    if (p->rule->rules != STOW_NRU_DOCUMENT || (p->lasting && p->started))
        return 0;
    older.placed = calloc(p->yard->s->resources + 1, sizeof(*older.placed));
    code = older.placed ? fill(&sim) : STOW_ENOMEM;
    if (code >= 0 && older.takes) {
        take_off(p, &older);
        for (uint32_t i = 0; i < p->candidates; i++)
            p->candidate[i].known = false;
        compact(p);
        code = 1;
    }
    free(older.placed);
    free(older.take);
    return code;
}

/* ---- one round --------------------------------------------------------------------------- */

/* Why no node of the group can be tried at all. */
static const char *why_not(const struct planner *p, stow_group_id group)
{
    const struct stow_session *session = p->session;
    const struct stow_group *g = &p->yard->s->group[group];
    const char *why = NULL;

    if (!session->scale->price[group].known)
        return STOW_NO_PRICE;
    if (stow_session_may_add(session, group, &why) == 0)
        return why;
    if (g->scaling == STOW_SCALING_ZERO_OR_MAX && (g->max_nodes != 1 || session->size[group] != 0))
        return "scales from zero to its maximum at once, nru adds one node at a time";
    return NULL;
}

static int try_candidate(struct planner *p, struct candidate *c)
{
    if (c->refused)
        return STOW_OK;
    c->why = why_not(p, c->group);
    if (c->why) {
        c->refused = true;
        p->session->refused[c->group] = c->why;
        return STOW_OK;
    }
    if (!c->known && !is_late(p))
        STOW_TRY(simulate(p, c));
    if (c->pods == 0)
        c->why = "no pending pod would go to it";
    return STOW_OK;
}

/* Who is in the running, as the rule sees them. */
static uint32_t line_up(struct planner *p, const struct stow_tier *tier)
{
    uint32_t count = 0;

    for (uint32_t i = tier->first; i < tier->first + tier->count; i++) {
        const struct candidate *c = &p->candidate[i];
        const struct stow_group_price *price = &p->session->scale->price[c->group];

        if (c->why)
            continue;
        p->choice[count] = (struct stow_nru_candidate){
            .allocatable = c->allocatable,
            .placed = c->placed,
            .price = price->price,
            .price_double = price->as_double,
        };
        p->chosen[count++] = i;
    }
    return count;
}

static struct stow_round_placement describe(const struct planner *p, const struct candidate *c)
{
    const struct stow_group_price *price = &p->session->scale->price[c->group];
    const struct stow_nru_candidate choice = {
        .allocatable = c->allocatable,
        .placed = c->placed,
        .price = price->price,
        .price_double = price->as_double,
    };
    struct stow_round_placement ret = {
        .group = c->group,
        .nru_capacity = stow_nru_double(p->rule, c->allocatable),
        .price = price->known ? price->price : STOW_MONEY_UNKNOWN,
        .why = c->why,
    };

    if (c->why)
        return ret;
    ret.pods = c->pods;
    ret.side_pods = c->side_pods;
    ret.nru = stow_nru_double(p->rule, c->placed);
    ret.score = stow_nru_score(p->rule, &choice);
    if (p->rule->rules != STOW_NRU_DOCUMENT)
        ret.value = stow_nru_value(p->rule, &choice);
    return ret;
}

/* Writes the round down, when that is wanted. */
static int explain(struct planner *p, const struct stow_tier *tier, uint32_t winner,
                   uint32_t runner_up)
{
    struct stow_session *session = p->session;

    if (!session->scale->options.explain)
        return STOW_OK;

    struct stow_round *round = stow_session_round(session);
    struct stow_round_placement *list =
        stow_arena_zalloc(session->arena, (tier->count + 1) * sizeof(*list));
    struct stow_plan_group *bought = stow_arena_zalloc(session->arena, sizeof(*bought));

    if (!round || !list || !bought)
        return STOW_ENOMEM;
    for (uint32_t i = 0; i < tier->count; i++)
        list[i] = describe(p, &p->candidate[tier->first + i]);
    round->placement = list;
    round->placements = tier->count;
    round->winner = winner == UINT32_MAX ? winner : winner - tier->first;
    round->runner_up = runner_up == UINT32_MAX ? runner_up : runner_up - tier->first;
    round->pool_priority = tier->pool;
    round->template_priority = tier->template;
    if (winner == UINT32_MAX)
        return STOW_OK;
    bought->group = p->candidate[winner].group;
    bought->from = session->size[bought->group];
    bought->to = bought->from + 1;
    round->bought = bought;
    round->boughts = 1;
    return STOW_OK;
}

/* 1: a node was bought; 0: no group of the tier helps, or the time limit was reached. */
static int run_round(struct planner *p, const struct stow_tier *tier)
{
    uint32_t runner_up;

    for (uint32_t i = tier->first; i < tier->first + tier->count; i++)
        STOW_TRY(try_candidate(p, &p->candidate[i]));
    if (p->late)
        return 0; /* what the last ones would take is not known */

    const uint32_t best = stow_nru_select(p->rule, p->choice, line_up(p, tier), &runner_up);
    const uint32_t winner = best == UINT32_MAX ? best : p->chosen[best];

    STOW_TRY(explain(p, tier, winner, runner_up == UINT32_MAX ? runner_up : p->chosen[runner_up]));
    if (winner == UINT32_MAX)
        return 0;
    STOW_TRY(keep(p, &p->candidate[winner]));
    return 1;
}

static int run_tiers(struct planner *p)
{
    for (uint32_t i = 0; i < p->tiers.tiers && p->left; i++) {
        int more;

        do {
            more = run_round(p, &p->tiers.tier[i]);
            more = more ? more : sweep(p);
        } while (more > 0 && p->left && !is_late(p));
        if (more < 0)
            return more;
    }
    return STOW_OK;
}

static int plan(struct stow_session *session, bool slowly, struct stow_err *err)
{
    const struct stow_nru_rule *rule = &session->scale->nru;
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};
    STOW_AUTO(planner_done)
    struct planner p = {.session = session, .yard = session->yard, .rule = rule, .slowly = slowly};

    STOW_TRY(stow_nru_check(rule, err));
    session->plan->rules = stow_nru_rules_names[rule->rules];
    session->plan->nru_rules = rule->rules;
    session->plan->nru_scorer = rule->scorer;
    STOW_TRY(planner_fill(&p, &scratch, err));
    return run_tiers(&p) < 0 || p.yard->failed ? stow_fail_memory(err) : STOW_OK;
}

int stow_plan_nru_holds(struct stow_session *session, const stow_group_id *group, uint32_t count,
                        bool *ret, struct stow_err *err)
{
    STOW_AUTO(stow_arena_done) struct stow_arena scratch = {0};
    STOW_AUTO(planner_done)
    struct planner p = {.session = session, .yard = session->yard, .slowly = true};
    struct simulation sim = {.p = &p, .node = STOW_NONE};
    const uint32_t mark = stow_yard_mark(session->yard);

    STOW_TRY(planner_fill(&p, &scratch, err));
    sim.c = stow_arena_zalloc(&scratch, sizeof(*sim.c));
    if (sim.c)
        sim.c->placed = stow_arena_zalloc(&scratch, p.yard->s->resources * sizeof(int64_t));
    if (!sim.c || !sim.c->placed)
        return stow_fail_memory(err);
    for (uint32_t i = 0; i < count && !p.yard->failed; i++)
        stow_yard_add_node(p.yard, group[i]);
    int code = p.yard->failed ? STOW_ENOMEM : fill(&sim);

    stow_yard_rollback(p.yard, mark);
    free(sim.c->take);
    *ret = sim.c->side_pods == p.left;
    return code < 0 ? stow_fail_memory(err) : STOW_OK;
}

int stow_plan_nru(struct stow_session *session, struct stow_err *err)
{
    return plan(session, false, err);
}

int stow_plan_nru_slowly(struct stow_session *session, struct stow_err *err)
{
    return plan(session, true, err);
}
