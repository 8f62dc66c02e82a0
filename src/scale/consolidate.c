/* consolidate.c - which running nodes can be removed, or replaced by cheaper ones.
 *
 * Problem: nodes that were right when they were bought are not right for ever.  Autoscalers look
 * at one node at a time: remove it, or replace it by one cheaper node.  Two for one, one for two
 * or three for two they do not find, and what order is safe they find out as they go.
 *
 * Idea: it is the problem of buying (planner_optimal.c) over again.  In a view of the cluster the
 * pods that may move wait for a node (detach.h), and nodes that may go are for sale at what they
 * cost, one of each.  What the solver answers says which nodes stay, which go and what is bought
 * instead; its bound says how much cheaper anything could be.
 *
 *   1. What may move, what may go (movable.h), and a deck with every pod where it runs.
 *   2. Layouts: how things could be.  One by a plain search (consolidate_greedy.c), some by the
 *      solver (consolidate_solve.c), in which pods stay where they are as far as possible, improved
 *      by the same search.
 *   3. Each is turned into steps (consolidate_steps.c); the one whose steps are worth most is kept.
 *   4. From where these lead the plain search goes on, until nothing more is to be saved.
 *
 * Invariant: after every step all pods have a node and every filter holds; whoever stops after
 * any of them is no worse off.  (A step that prepares another is the exception: it may have bought
 * what only the next one pays for.)
 *
 * Pending pods are not part of the problem, but the room where they fit is not given away: the
 * nodes they would go to are kept. */
#include "scale/consolidate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/vec.h"
#include "place/open_claim.h"
#include "scale/consolidate_parts.h"

double stow_clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void consolidating_done(struct stow_consolidating *c)
{
    stow_deck_close(&c->deck);
    if (c->open)
        stow_session_close(&c->session);
    stow_plan_done(&c->plan);
    stow_scale_free(c->scale);
    stow_detached_done(&c->view);
    stow_movable_done(&c->movable);
    free((void *)c->kept);
    free(c->held);
    free(c->closed);
    free(c->may_go);
    free(c->price);
    free(c->group_price);
    free((void *)c->name);
    stow_names_done(&c->names);
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

/* ---- pending pods ------------------------------------------------------------------------ */

/* Where everybody is in the view, to be. */
struct viewing {
    stow_node_id *node;
    uint32_t *home;
    bool *hidden, *pinned;
    uint32_t lost; /* pending pods that fit nowhere */
};

static void viewing_done(struct viewing *v)
{
    free(v->node);
    free(v->home);
    free(v->hidden);
    free(v->pinned);
}

static int place_pending(struct stow_consolidating *c, const struct stow_ground *ground,
                         struct viewing *v)
{
    for (uint32_t i = 0; i < ground->placeds; i++) {
        const stow_pod_id pod = ground->placed[i];
        const stow_node_id node = ground->placed_on[i];

        if (node >= c->s->nodes)
            continue; /* it will find its node when that has come */
        v->node[pod] = node;
        v->hidden[pod] = false;
        if (c->kept[node])
            continue;
        c->movable.rule[node] = "pending";
        c->kept[node] =
            stow_arena_printf(&c->ret->arena, "pod %s/%s is pending and can go there",
                              stow_text(c->s, c->s->pod[pod].namespace).ptr, c->s->pod[pod].name);
        if (!c->kept[node])
            return STOW_ENOMEM;
    }
    v->lost = ground->pendings;
    return STOW_OK;
}

/* Pending pods take the room that they will get anyway. */
static int await_pending(struct stow_consolidating *c, const struct stow_scale_input *input,
                         struct viewing *v, struct stow_err *err)
{
    struct stow_scale *scale = NULL;
    struct stow_ground *ground = NULL;
    uint32_t waiting = 0;
    int code;

    for (stow_pod_id i = 0; i < c->s->pods; i++)
        waiting += stow_pod_pending(&c->s->pod[i]) && !(c->s->pod[i].flags & STOW_POD_GATED);
    if (!waiting)
        return STOW_OK;
    STOW_TRY(stow_scale_new(input, &c->scaling, &scale, err));
    code = stow_scale_ground(scale, STOW_GROUND_BASELINE, &ground, err);
    if (code >= 0 && place_pending(c, ground, v) < 0)
        code = stow_fail_memory(err);
    stow_scale_free(scale);
    if (code >= 0 && v->lost &&
        stow_consolidation_warn(
            c->ret, stow_arena_printf(&c->ret->arena,
                                      "%u pending pod%s fit%s no node: `stowage scale` says what "
                                      "to buy, and no room is kept here",
                                      v->lost, v->lost == 1 ? "" : "s", v->lost == 1 ? "s" : "")) <
            0)
        code = stow_fail_memory(err);
    return code;
}

/* ---- the view ---------------------------------------------------------------------------- */

/* Pods that do not move, but whose rules a move of others may break. */
static bool has_rules(const struct stow_snapshot *s, const struct stow_pod *pod)
{
    const struct stow_pod_spec *spec = stow_spec(s, pod->spec);

    return spec->affinity_required || spec->spread;
}

static bool look_at_pods(struct stow_consolidating *c, struct viewing *v)
{
    const struct stow_snapshot *s = c->s;
    const size_t pods = (size_t)s->pods + 1;

    v->node = malloc(pods * sizeof(*v->node));
    v->home = malloc(pods * sizeof(*v->home));
    v->hidden = calloc(pods, sizeof(*v->hidden));
    v->pinned = calloc(pods, sizeof(*v->pinned));
    if (!v->node || !v->home || !v->hidden || !v->pinned)
        return false;
    for (stow_pod_id i = 0; i < s->pods; i++) {
        const enum stow_hold hold = c->movable.hold[i];

        v->node[i] = v->home[i] = s->pod[i].node;
        v->hidden[i] = hold == STOW_HOLD_ABSENT;
        v->pinned[i] = hold != STOW_HOLD_NONE && hold != STOW_HOLD_ABSENT &&
                       hold != STOW_HOLD_RESIDENT && has_rules(s, &s->pod[i]);
        if (hold == STOW_HOLD_NONE || v->pinned[i])
            v->node[i] = STOW_NONE;
    }
    return true;
}

/* ---- what nodes are to it ---------------------------------------------------------------- */

static bool allocate(struct stow_consolidating *c, uint32_t real)
{
    const size_t nodes = (size_t)real + 1;

    c->held = calloc(nodes, sizeof(*c->held));
    c->closed = calloc(nodes, sizeof(*c->closed));
    c->may_go = calloc(nodes, sizeof(*c->may_go));
    c->price = calloc(nodes, sizeof(*c->price));
    c->group_price = malloc((c->s->groups + 1) * sizeof(*c->group_price));
    return c->held && c->closed && c->may_go && c->price && c->group_price;
}

/* Groups that are at their smallest size keep what they have. */
static int keep_smallest(struct stow_consolidating *c)
{
    for (stow_node_id i = 0; i < c->s->nodes; i++) {
        const stow_group_id group = c->s->node[i].group;
        const struct stow_group *g = group == STOW_NONE ? NULL : &c->s->group[group];

        if (c->kept[i] || !g || g->implied || c->session.size[group] > g->min_nodes)
            continue;
        c->movable.rule[i] = "min-nodes";
        c->kept[i] = stow_arena_printf(&c->ret->arena, "group %s has no more than its minNodes, %u",
                                       g->name, g->min_nodes);
        if (!c->kept[i])
            return STOW_ENOMEM;
    }
    return STOW_OK;
}

/* ---- preparing --------------------------------------------------------------------------- */

static int find_movable(struct stow_consolidating *c, struct stow_err *err)
{
    STOW_TRY(stow_movable_find(c->s, &c->movable, err));
    c->kept = malloc((c->s->nodes + 1) * sizeof(*c->kept));
    if (!c->kept)
        return stow_fail_memory(err);
    if (c->s->nodes)
        memcpy((void *)c->kept, (const void *)c->movable.kept, c->s->nodes * sizeof(*c->kept));
    return STOW_OK;
}

static int open_deck(struct stow_consolidating *c, const struct viewing *v)
{
    STOW_TRY(stow_session_open(&c->session, c->scale, c->ground, &c->plan));
    c->open = true;
    if (!allocate(c, c->scale->extension.real))
        return STOW_ENOMEM;
    STOW_TRY(keep_smallest(c));
    stow_consolidate_keep_unpriced(c);
    STOW_TRY(stow_deck_open(&c->deck, &c->session, v->home, v->pinned));
    c->deck.closed = c->closed;
    c->deck.may_go = c->may_go;
    c->deck.price = c->price;
    c->deck.group_price = c->group_price;
    return stow_consolidate_price(c);
}

static int prepare(struct stow_consolidating *c, const struct stow_scale_input *input,
                   struct stow_err *err)
{
    STOW_AUTO(viewing_done) struct viewing v = {0};
    struct stow_scale_input view = *input;

    STOW_TRY(find_movable(c, err));
    if (!look_at_pods(c, &v))
        return stow_fail_memory(err);
    STOW_TRY(await_pending(c, input, &v, err));
    STOW_TRY(stow_detach(c->s, v.node, v.hidden, &c->view, err));
    view.s = &c->view.s;
    STOW_TRY(stow_scale_new(&view, &c->scaling, &c->scale, err));
    c->ret->currency = c->scale->bill.currency;
    STOW_TRY(stow_scale_ground(c->scale, STOW_GROUND_OPEN, &c->ground, err));
    return open_deck(c, &v) < 0 ? stow_fail_memory(err) : STOW_OK;
}

/* ---- choosing ---------------------------------------------------------------------------- */

#define STAGES_MAX 64 /* each saves something; later ones little */

/* The layouts whose steps were taken, stage by stage: so that they can be taken again without
 * searching. */
struct record {
    bool waits; /* pods may from the beginning on */
    struct stow_layout layout[STAGES_MAX];
    uint32_t layouts;
    uint32_t patient; /* from this layout on pods may wait */
    stow_i128 weight; /* what things cost then, and what the moves must earn */
    stow_i128 moves;
};

static void record_done(struct record *record)
{
    for (uint32_t i = 0; i < record->layouts; i++)
        stow_layout_done(&record->layout[i]);
}

static bool is_late(const struct stow_consolidating *c)
{
    return stow_clock_seconds() > c->deadline;
}

/* The plain search ends at this share of the time, at the latest. */
static void search_until(struct stow_consolidating *c, double share)
{
    c->until = c->started + share * (c->deadline - c->started);
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

/* The layout whose steps are worth most, of equal ones the one that moves fewest pods, which is
 * taken out of its list; ties go to the first. */
static int choose(struct stow_consolidating *c, struct stow_layouts *own,
                  struct stow_layouts *given, struct stow_layout *ret)
{
    const uint32_t count = own->layouts + given->layouts;
    struct stow_layout *layout = NULL, *best = NULL;
    stow_i128 least = 0;
    uint32_t fewest = 0;

    for (uint32_t i = 0; i < count && !(best && is_late(c)); i++) {
        layout = i < own->layouts ? &own->layout[i] : &given->layout[i - own->layouts];
        STOW_TRY(stow_consolidate_steps(c, layout));
        if (best && (stow_deck_weight(c) > least ||
                     (stow_deck_weight(c) == least && c->deck.moved >= fewest)))
            continue;
        least = stow_deck_weight(c);
        fewest = c->deck.moved;
        best = layout;
    }
    if (!best)
        return STOW_OK;
    if (best != layout)
        STOW_TRY(stow_consolidate_steps(c, best));
    *ret = *best;
    *best = (struct stow_layout){0};
    return STOW_OK;
}

/* The steps that were made are where the next ones begin; whether there are any. */
static bool settle(struct stow_consolidating *c)
{
    const bool found = c->ret->steps > c->settled;

    c->settled = c->ret->steps;
    stow_deck_commit(&c->deck);
    return found;
}

/* Steps from how things are now, by the plain search and by layouts that are given.  `*ret_found`:
 * there are any. */
static int take_stage(struct stow_consolidating *c, struct stow_layouts *given,
                      struct record *record, bool *ret_found)
{
    STOW_AUTO(choice_done) struct stow_layouts own = {0};

    STOW_TRY(search(c, &own));
    STOW_TRY(choose(c, &own, given, &record->layout[record->layouts++]));
    *ret_found = settle(c);
    return STOW_OK;
}

/* Where much at once cannot be carried out, one node at a time may be.  `*ret_found`: one goes. */
static int take_single(struct stow_consolidating *c, struct record *record, bool *ret_found)
{
    bool more = true;

    for (uint32_t at = 0; more && !*ret_found && !is_late(c);) {
        struct stow_layout *layout = &record->layout[record->layouts];

        STOW_TRY(stow_consolidate_single(c, &at, &more));
        if (!more)
            break;
        record->layouts++;
        STOW_TRY(stow_layout_take(c, layout));
        STOW_TRY(stow_consolidate_steps(c, layout));
        *ret_found = settle(c);
        if (*ret_found)
            break;
        stow_layout_done(layout);
        *layout = (struct stow_layout){0};
        record->layouts--;
    }
    stow_deck_rollback(&c->deck, c->deck.base);
    return STOW_OK;
}

static void begin_stages(struct stow_consolidating *c)
{
    stow_deck_restart(&c->deck);
    memset(c->held, 0, c->scale->extension.real * sizeof(*c->held));
    c->settled = 0;
}

/* What things cost when all steps are taken, and what their moves must earn. */
static void weigh_steps(const struct stow_consolidating *c, struct record *record)
{
    record->moves = 0;
    for (uint32_t i = 0; i < c->ret->steps; i++)
        record->moves += c->ret->step[i].moves;
    record->weight = (stow_i128)c->deck.cost + record->moves * c->options->disruption_price;
}

/* Stages until nothing is found any more. */
static int go_on(struct stow_consolidating *c, struct stow_layouts *given, struct record *record)
{
    struct stow_layouts none = {0};
    bool found = true;

    while (record->layouts + 1 < STAGES_MAX && found && !(record->layouts && is_late(c))) {
        STOW_TRY(take_stage(c, record->layouts == 0 ? given : &none, record, &found));
        if (!found)
            STOW_TRY(take_single(c, record, &found));
    }
    return STOW_OK;
}

/* All steps from the beginning on; `given` are layouts for the first of them.  When nothing is
 * found any more without pods that wait, and they may, it goes on with such. */
static int take_stages(struct stow_consolidating *c, struct stow_layouts *given,
                       struct record *record)
{
    begin_stages(c);
    c->waits = record->waits;
    STOW_TRY(go_on(c, given, record));
    record->patient = record->waits ? 0 : record->layouts;
    if (c->options->waits && !record->waits) {
        c->waits = true;
        STOW_TRY(go_on(c, given, record));
    }
    weigh_steps(c, record);
    return STOW_OK;
}

/* The same steps as before, and all of them: they were written within the time once. */
static int take_again(struct stow_consolidating *c, const struct record *record)
{
    const double deadline = c->deadline;
    int code = STOW_OK;

    begin_stages(c);
    c->deadline = INFINITY;
    for (uint32_t i = 0; i < record->layouts && code >= 0; i++) {
        c->waits = c->options->waits && i >= record->patient;
        code = stow_consolidate_steps(c, &record->layout[i]);
        settle(c);
    }
    c->deadline = deadline;
    return code;
}

static int finish(struct stow_consolidating *c)
{
    struct stow_consolidation *ret = c->ret;

    ret->nodes_before = ret->nodes_after = c->s->nodes;
    for (uint32_t i = 0; i < ret->steps; i++) {
        ret->saving += ret->step[i].saving;
        ret->nodes_after = ret->nodes_after + ret->step[i].adds - ret->step[i].removes;
        ret->moved += ret->step[i].moves;
        for (uint32_t n = 0; n < ret->step[i].adds; n++)
            if (c->s->group[ret->step[i].add[n].group].unsure_of_daemons)
                ret->bound = STOW_MONEY_UNKNOWN;
        for (uint32_t m = 0; m < ret->step[i].moves; m++)
            if (stow_pod_open_claim(c->s, &c->s->pod[ret->step[i].move[m].pod]).name)
                ret->bound = STOW_MONEY_UNKNOWN;
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

#define RECORDS 4 /* the plain search and the solver, each without pods that wait and with */

struct records {
    struct record of[RECORDS];
    uint32_t count;
};

static void records_free(struct records **records)
{
    for (uint32_t i = 0; *records && i < (*records)->count; i++)
        record_done(&(*records)->of[i]);
    free(*records);
}

/* One more record without pods that wait and, where they may, one with; each has half of the time
 * that is given. */
static int take_both(struct stow_consolidating *c, struct stow_layouts given[2],
                     struct records *records, double from, double to)
{
    for (int waits = 0; waits < (c->options->waits ? 2 : 1); waits++) {
        struct record *record = &records->of[records->count++];

        record->waits = waits;
        search_until(c, waits == c->options->waits ? to : (from + to) / 2);
        if (!waits || !is_late(c))
            STOW_TRY(take_stages(c, &given[waits], record));
        else
            records->count--;
    }
    return STOW_OK;
}

/* Worth more; or as much, and fewer pods wait, or move. */
static bool is_better(const struct record *a, const struct record *b)
{
    if (a->weight != b->weight)
        return a->weight < b->weight;
    if (a->waits != b->waits)
        return b->waits;
    return a->moves <= b->moves;
}

static int take_best(struct stow_consolidating *c, const struct records *records)
{
    uint32_t best = 0;

    for (uint32_t i = 1; i < records->count; i++)
        if (is_better(&records->of[i], &records->of[best]))
            best = i;
    return best + 1 == records->count ? STOW_OK : take_again(c, &records->of[best]);
}

/* The plain search alone, then with what the solver says, and the better of both: where one leads
 * cannot be told from how it begins.  Pods wait only where that saves more than if none does.  Each
 * has its share of the time; writing steps down has the rest, and what cannot be written by then is
 * left out. */
static int decide(struct stow_consolidating *c, struct stow_err *err)
{
    STOW_AUTO(choices_done) struct stow_layouts solved[2] = {{.layouts = 0}, {.layouts = 0}};
    STOW_AUTO(records_free) struct records *records = calloc(1, sizeof(*records));

    if (!records || take_both(c, solved, records, 0, c->options->greedy_only ? 0.8 : 0.35) < 0)
        return stow_fail_memory(err);
    if (!c->options->greedy_only && !is_late(c)) {
        stow_deck_restart(&c->deck);
        search_until(c, 0.75);
        STOW_TRY(stow_consolidate_solve(c, solved, err));
        if (take_both(c, solved, records, 0.75, 0.8) < 0)
            return stow_fail_memory(err);
    }
    if (take_best(c, records) < 0)
        return stow_fail_memory(err);
    return finish(c) < 0 ? stow_fail_memory(err) : STOW_OK;
}

int stow_consolidate(const struct stow_scale_input *input,
                     const struct stow_consolidate_options *options, struct stow_consolidation *ret,
                     struct stow_err *err)
{
    STOW_AUTO(consolidating_done)
    struct stow_consolidating c = {
        .options = options, .s = input->s, .scaling = options->scale, .ret = ret};
    const double limit = options->scale.time_limit;

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
    c.started = stow_clock_seconds();
    c.deadline = c.started + (limit > 0 ? limit : 1e9);
    STOW_TRY(prepare(&c, input, err));
    return decide(&c, err);
}
