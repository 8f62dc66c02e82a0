/* every.c - where rules over several nodes matter and there is little, every plan is tried.
 *
 * Problem: the solver knows what one node can hold.  Spreading and affinity make plans that no
 * pattern knows of: one more node is one more domain, and may allow less than was there without it.
 * What realizing makes of a sketch is good and not always the best.
 *
 * Idea: choose how many nodes of each group are bought; with all of them there, walk through the
 * states that pods can reach one by one, each accepted by every filter when it comes.  A state is
 * how many pods of each class are on each node.  Nodes of a group are alike, so states that differ
 * only in which of them is which are one.  A state counts if every spread constraint holds in it.
 *
 * What is not worth a look: nodes that weigh as much as the best plan or less than the bound,
 * and, once all pods have a place, states from which some pod can find no room any more.
 *
 * Cost: a limited number of states.  Beyond that the best so far stays, which is what the other
 * ways have found. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/intern.h"
#include "base/vec.h"
#include "scale/cheapest/cheapest_internal.h"
#include "scale/least.h"

/* Decided by clusters of ten pods and three groups, which need up to 30,000; a quarter of a second.
 */
#define STATES_MAX  100000
#define CHOICES_MAX 20000 /* sets of nodes */
#define CELLS_MAX   2048  /* classes times nodes */
#define PODS_MAX    64
#define LOOK        256 /* states, after which the clock is looked at */

struct every {
    struct stow_planning *p;
    struct stow_session *session;
    struct stow_yard *yard;
    stow_nano at_least;       /* no plan that leaves nothing weighs less */
    uint32_t most_nodes;      /* new ones: a node without pods is useless */
    uint32_t states, choices; /* looked at so far */
    struct stow_intern seen;
    uint8_t *key;
    struct stow_worth worth, best;
    struct stow_sketch found;
    bool full;    /* the best leaves only pods that fit nowhere */
    bool late;    /* the time limit was reached */
    bool settled; /* nothing better is to be had of the nodes at hand */
    uint32_t placeable;
    bool *nowhere; /* per class */
};

static void every_done(struct every *e)
{
    stow_intern_done(&e->seen);
    stow_sketch_done(&e->found);
    free(e->key);
    free(e->nowhere);
}

static bool is_over(const struct every *e)
{
    return e->late || e->states >= STATES_MAX || e->choices >= CHOICES_MAX;
}

static uint32_t remaining(const struct every *e, uint32_t class)
{
    return e->nowhere[class] ? 0 : e->yard->class[class].pods - e->session->class_put[class];
}

/* ---- states ------------------------------------------------------------------------------ */

/* Columns are compared by their bytes: how many do not matter but that they are all as long. */
static int compare_columns(const void *a, const void *b, void *classes)
{
    return memcmp(a, b, *(const size_t *)classes);
}

/* Pods per class, node by node, nodes that are alike in order of their columns.  A pod more than
 * a byte counts does not come: PODS_MAX. */
static void write_key(struct every *e)
{
    const struct stow_session *session = e->session;
    const struct stow_yard *yard = e->yard;
    size_t classes = yard->classes;

    memset(e->key, 0, classes * yard->nodes);
    for (uint32_t i = 0; i < session->puts; i++)
        e->key[session->put[i].node * classes + yard->class_of[session->put[i].pod[0]]] +=
            (uint8_t)session->put[i].count;
    for (uint32_t node = yard->real, end; node < yard->nodes; node = end) {
        for (end = node + 1; end < yard->nodes &&
                             yard->group_of[end - yard->real] == yard->group_of[node - yard->real];)
            end++;
        qsort_r(e->key + node * classes, end - node, classes, compare_columns, &classes);
    }
}

/* 1: it is new. */
static int enter(struct every *e)
{
    const uint32_t had = e->seen.entries;

    write_key(e);
    if (stow_intern_blob(&e->seen, e->key, (size_t)e->yard->classes * e->yard->nodes) ==
        STOW_INTERN_FAILED)
        return STOW_ENOMEM;
    if (e->states++ % LOOK == 0)
        e->late = stow_clock_is_past(e->p->deadline);
    return e->seen.entries != had;
}

/* Some pods that must find a place have no room for it. */
static bool is_dead_end(const struct every *e)
{
    for (uint32_t c = 0; c < e->yard->classes && e->full; c++) {
        uint64_t room = 0;
        const uint32_t need = remaining(e, c);

        for (uint32_t node = 0; node < e->yard->nodes && room < need; node++)
            room += stow_yard_room(e->yard, c, node);
        if (room < need)
            return true;
    }
    return false;
}

/* Whether no plan is better by the order of groups: there is none, or all pods are at its top. */
static bool is_in_order(const struct every *e, const struct stow_worth *worth)
{
    return e->p->weights.tiers <= 1 || worth->on[0] == e->placeable;
}

static int keep_best(struct every *e)
{
    stow_worth_measure(&e->p->ruler, &e->worth);
    if (stow_worth_compare(&e->p->ruler, &e->worth, &e->best) >= 0 || !stow_yard_is_even(e->yard))
        return STOW_OK;
    stow_worth_copy(&e->p->ruler, &e->worth, &e->best);
    stow_sketch_done(&e->found);
    return stow_sketch_of_session(e->session, &e->found);
}

static uint32_t count_put(const struct every *e)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < e->yard->classes; i++)
        count += e->session->class_put[i];
    return count;
}

/* A node that is as another one before it: the same state would come of it. */
static bool is_twin(const struct every *e, uint32_t node)
{
    const struct stow_yard *yard = e->yard;

    return node > yard->real &&
           yard->group_of[node - yard->real] == yard->group_of[node - 1 - yard->real] &&
           yard->free[0][node] == yard->group[yard->group_of[node - yard->real]].room[0] &&
           yard->free[0][node - 1] == yard->free[0][node];
}

static int explore(struct every *e);

/* One more pod of a class on a node, what comes of it, and back. */
static int step(struct every *e, uint32_t class, uint32_t node)
{
    struct stow_session *session = e->session;
    const struct stow_ground *ground = session->ground;
    const uint32_t mark = stow_yard_mark(e->yard);
    int code = stow_session_put(
        session, ground->class_pod + ground->class_first[class] + session->class_put[class], 1,
        node);

    if (code < 0)
        return code;
    session->class_put[class]++;
    code = explore(e);
    session->class_put[class]--;
    session->puts--;
    stow_yard_rollback(e->yard, mark);
    return code;
}

/* Depth: the number of pods, PODS_MAX at most. */
static int explore(struct every *e) // NOLINT(misc-no-recursion)
{
    int code = enter(e);

    if (code != 1)
        return code;
    STOW_TRY(keep_best(e));
    if (is_in_order(e, &e->worth) && count_put(e) == e->placeable && stow_yard_is_even(e->yard)) {
        e->settled = e->full = true;
        return STOW_OK;
    }
    if (is_dead_end(e))
        return STOW_OK;
    for (uint32_t c = 0; c < e->yard->classes; c++)
        for (uint32_t node = 0; node < e->yard->nodes && remaining(e, c); node++) {
            if (e->settled || is_over(e))
                return STOW_OK;
            if (!is_twin(e, node) && stow_yard_fits(e->yard, c, node))
                STOW_TRY(step(e, c, node));
        }
    return STOW_OK;
}

/* ---- sets of nodes ----------------------------------------------------------------------- */

static stow_nano weight_now(const struct every *e)
{
    stow_nano sum = 0;

    for (uint32_t node = e->yard->real; node < e->yard->nodes; node++)
        sum += e->p->weights.price[e->yard->group_of[node - e->yard->real]];
    return sum;
}

/* The weight decides between plans that leave as little. */
static bool is_too_heavy(const struct every *e)
{
    return e->full && is_in_order(e, &e->best) && weight_now(e) >= e->best.weight;
}

static int explore_nodes(struct every *e)
{
    const bool too_light = e->full && weight_now(e) < e->at_least;

    e->choices++;
    if (too_light || is_too_heavy(e) || (size_t)e->yard->classes * e->yard->nodes > CELLS_MAX)
        return STOW_OK;
    stow_intern_done(&e->seen);
    e->seen = (struct stow_intern){0};
    e->settled = false;
    return explore(e);
}

/* How many nodes one more purchase brings; 0: none is allowed. */
static uint32_t lot(const struct every *e, stow_group_id group)
{
    const struct stow_session *session = e->session;
    const struct stow_group *g = &session->scale->s->group[group];
    const stow_nano budget = e->p->scope.budget;
    uint32_t nodes = 1;

    if (!stow_is_for_sale(e->p->weights.price, group) ||
        !stow_session_may_add(session, group, NULL))
        return 0;
    if (g->scaling == STOW_SCALING_ZERO_OR_MAX)
        nodes = stow_session_room(session, group);
    if (budget != STOW_MONEY_UNKNOWN &&
        stow_session_spent(session) + (stow_i128)nodes * session->scale->paid[group] > budget)
        return 0;
    return e->yard->nodes - e->yard->real < e->most_nodes ? nodes : 0;
}

static int buy(struct every *e, stow_group_id group, uint32_t nodes)
{
    for (uint32_t i = 0; i < nodes; i++)
        if (stow_session_buy(e->session, group) == STOW_NONE)
            return STOW_ENOMEM;
    return STOW_OK;
}

/* Of nodes that come all at once, one with a pod is enough. */
static int buy_lot(struct every *e, stow_group_id group, uint32_t nodes)
{
    e->most_nodes += nodes - 1;
    return buy(e, group, nodes);
}

/* Any number of nodes of this group and of those after it. */
static int choose(struct every *e, stow_group_id group) // NOLINT(misc-no-recursion)
{
    const uint32_t mark = stow_yard_mark(e->yard), most_nodes = e->most_nodes;
    int code = STOW_OK;

    if (group == e->session->scale->s->groups)
        return explore_nodes(e);
    while (code >= 0 && !is_over(e)) {
        uint32_t nodes;

        code = choose(e, group + 1);
        nodes = lot(e, group);
        if (code < 0 || !nodes)
            break;
        code = buy_lot(e, group, nodes);
        if (is_too_heavy(e))
            break;
    }
    stow_session_give_back(e->session, mark);
    e->most_nodes = most_nodes;
    return code;
}

/* ---- all of it --------------------------------------------------------------------------- */

/* minNodes come first, whatever else is chosen. */
static int buy_least(struct every *e)
{
    for (stow_group_id g = 0; g < e->session->scale->s->groups; g++) {
        const uint32_t nodes = stow_least(e->session, g);

        e->most_nodes += nodes;
        STOW_TRY(buy(e, g, nodes));
    }
    return STOW_OK;
}

static int find_placeable(struct every *e)
{
    e->nowhere = calloc((size_t)e->yard->classes + 1, sizeof(*e->nowhere));
    e->key = malloc(CELLS_MAX + 1);
    if (!e->nowhere || !e->key)
        return STOW_ENOMEM;
    for (uint32_t c = 0; c < e->yard->classes; c++) {
        bool somewhere = false;

        STOW_TRY(stow_yard_ask_real(e->yard, c));
        for (stow_group_id g = 0; g < e->session->scale->s->groups; g++)
            somewhere |= stow_yard_fresh_room(e->yard, c, g) > 0;
        for (uint32_t node = 0; node < e->yard->real; node++)
            somewhere |= stow_yard_room(e->yard, c, node) > 0;
        e->nowhere[c] = !somewhere;
        e->placeable += somewhere ? e->yard->class[c].pods : 0;
    }
    return STOW_OK;
}

static int open_every(struct every *e)
{
    struct stow_planning *p = e->p;

    stow_planning_clear(p);
    STOW_TRY(find_placeable(e));
    STOW_TRY(stow_worth_make(&p->ruler, &p->arena, &e->worth));
    STOW_TRY(stow_worth_make(&p->ruler, &p->arena, &e->best));
    stow_worth_copy(&p->ruler, &p->best.worth, &e->best);
    e->full = stow_worth_left(&p->ruler, &e->best) == e->session->ground->pendings - e->placeable;
    e->most_nodes = e->placeable;
    return buy_least(e);
}

int stow_plan_every(struct stow_planning *p, const struct stow_formulate_options *scope,
                    stow_nano at_least)
{
    STOW_AUTO(every_done)
    struct every e = {.p = p, .session = p->session, .yard = p->yard, .at_least = at_least};

    if (stow_crews_asked(&p->crews) || p->session->ground->pendings > PODS_MAX ||
        (size_t)p->yard->classes * p->yard->real > CELLS_MAX)
        return STOW_OK;
    STOW_TRY(open_every(&e));
    STOW_TRY(choose(&e, 0));
    e.found.closed = e.found.tried = true; /* a node more was looked at, and is no better */
    return e.found.nodes ? stow_planning_try(p, scope, &e.found, false) : STOW_OK;
}
