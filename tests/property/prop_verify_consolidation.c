/* prop_verify_consolidation.c - the verifier accepts consolidations as they are handed out, and
 * refuses them with one thing wrong.
 *
 * Random clusters are consolidated, and the answer is rendered and verified.  Then one thing in it
 * is changed: an amount by a billionth, a move more or less or to somewhere else, a node that goes
 * though it must not, a step too many, a price of the proof.  Each change is one that cannot be
 * right; where it would be (nothing to change, or it makes no difference) it is not tried. */
#include <stdlib.h>
#include <string.h>

#include <stowage/export.h>
#include <stowage/snapshot.h>

#include "explain/consolidation/consolidation.h"
#include "explain/render/render.h"
#include "tests/property/consolidate_world.h"
#include "tests/property/opinion.h"

enum change {
    RIGHT,
    BEFORE_OFF,
    AFTER_OFF,
    STEP_SAVING_OFF,
    PRICE_OFF,
    MOVED_OFF,
    UNPRICED_OFF,
    BOUND_OFF,
    CURRENCY_OFF,
    MOVE_MISSING,
    MOVE_TWICE,
    MOVE_FROM_ELSEWHERE,
    MOVE_TO_NOWHERE,
    MOVE_TO_REMOVED,
    REMOVE_TWICE,
    REMOVE_MISSING,
    REMOVE_ANOTHER,
    ADD_MISSING,
    STEPS_SWAPPED,
    PREPARES_NOTHING,
    KEPT_MISSING,
    KEPT_TWICE,
    ROW_SAVING_OFF,
    ROW_NODES_OFF,
    ROW_MOVED_OFF,
    ROWS_SWAPPED,
    WITHOUT_COST_OFF,
    WITHOUT_NODES_OFF,
    MOVES_ALL_OFF,
    BOUND_RAISED,
    PROOF_RAISED,
    PRICE_RAISED,
    FIXED_ANOTHER,
    FIXED_TWICE,
    POD_MISSING,
    PENDING_MISSING,
    ROOM_MISSING,
    ROOM_TO_NOWHERE,
    ROOM_TWICE,
    CHANGES
};

struct trial {
    const struct world *w;
    const struct stow_snapshot *s;
    struct stow_consolidation *k;
    struct stow_arena arena; /* what is changed */
};

/* ---- changing it ------------------------------------------------------------------------- */

/* A copy of a list that can be changed, with room for one more. */
static void *copy(struct trial *t, const void *list, size_t count, size_t size)
{
    void *made = stow_arena_zalloc(&t->arena, (count + 1) * size);

    if (!made)
        abort();
    if (count)
        memcpy(made, list, count * size);
    return made;
}

/* The first step with moves, with removed nodes, with new ones; steps: none. */
static uint32_t step_with(const struct trial *t, bool moves, bool removes, bool adds)
{
    uint32_t i = 0;

    while (i < t->k->steps &&
           ((moves && !t->k->step[i].moves) || (removes && !t->k->step[i].removes) ||
            (adds && !t->k->step[i].adds)))
        i++;
    return i;
}

/* False: there is nothing to be changed so. */
static bool change_amounts(struct trial *t, enum change change)
{
    struct stow_consolidation *k = t->k;
    const uint32_t adds = step_with(t, false, false, true);

    switch (change) {
    case BEFORE_OFF:
        k->before.amount++;
        k->nodes_before++;
        return k->before.known;
    case AFTER_OFF:
        k->after.amount++;
        k->nodes_after++;
        return k->after.known;
    case STEP_SAVING_OFF:
        if (k->steps)
            k->step[k->steps - 1].saving -= k->counts_nodes ? STOW_NODE_WEIGHT : 1;
        return k->steps;
    case MOVED_OFF:
        k->moved++;
        return true;
    case UNPRICED_OFF:
        k->before.unknown++;
        return !k->counts_nodes;
    case BOUND_OFF:
        k->bound = k->after.amount + (k->counts_nodes ? STOW_NODE_WEIGHT : 1);
        k->method = "pattern-lp";
        return k->before.known;
    case CURRENCY_OFF:
        k->currency = STOW_STR("XYZ");
        return !k->counts_nodes;
    default:
        break;
    }
    if (change != PRICE_OFF || adds == k->steps || k->counts_nodes)
        return false;

    struct stow_step_node *add =
        copy(t, k->step[adds].add, k->step[adds].adds, sizeof(*k->step[adds].add));

    add[0].price++;
    k->step[adds].add = add;
    k->step[adds].saving--; /* so that only the price is wrong */
    k->saving--;
    k->after.amount++;
    return true;
}

static bool change_moves(struct trial *t, enum change change)
{
    struct stow_consolidation *k = t->k;
    const uint32_t at = step_with(t, true, change == MOVE_TO_REMOVED, false);
    struct stow_step *step = &k->step[at];

    if (at == k->steps)
        return false;

    struct stow_step_move *move = copy(t, step->move, step->moves, sizeof(*move));

    step->move = move;
    switch (change) {
    case MOVE_MISSING: /* somebody is left on a node that goes */
        for (uint32_t i = at; i < k->steps; i++)
            for (uint32_t n = 0; n < k->step[i].removes; n++)
                if (strcmp(t->s->node[k->step[i].remove[n]].name, move[0].from) == 0) {
                    memmove(move, move + 1, --step->moves * sizeof(*move));
                    k->moved--;
                    return true;
                }
        return false;
    case MOVE_TWICE:
        move[step->moves] = move[0];
        step->moves++;
        k->moved++;
        return true;
    case MOVE_FROM_ELSEWHERE:
        move[0].from = move[0].to;
        return true;
    case MOVE_TO_NOWHERE:
        move[0].to = "nowhere";
        return true;
    case MOVE_TO_REMOVED:
        move[0].to = t->s->node[step->remove[0]].name;
        return true;
    default:
        return false;
    }
}

/* A node that is kept, and with reason: somebody is on it who may not move, or it is annotated. */
static uint32_t node_to_keep(const struct trial *t)
{
    for (uint32_t i = 0; i < t->w->nodes; i++)
        if (t->w->node[i].fixed)
            return stow_node_find(t->s, stow_str_of(t->w->node[i].name));
    return STOW_NONE;
}

static bool change_removes(struct trial *t, enum change change)
{
    struct stow_consolidation *k = t->k;
    const uint32_t at = step_with(t, false, true, false), keep = node_to_keep(t);
    struct stow_step *step = &k->step[at];

    if (at == k->steps || (change == REMOVE_ANOTHER && keep == STOW_NONE))
        return false;

    stow_node_id *remove = copy(t, step->remove, step->removes, sizeof(*remove));
    stow_nano *price = copy(t, step->price, step->removes, sizeof(*price));

    step->remove = remove;
    step->price = price;
    if (change == REMOVE_MISSING) {
        step->removes--;
        return true;
    }
    remove[step->removes] = change == REMOVE_TWICE ? remove[0] : keep;
    price[step->removes++] = 0;
    return true;
}

static bool change_steps(struct trial *t, enum change change)
{
    struct stow_consolidation *k = t->k;
    const uint32_t adds = step_with(t, true, false, true);

    switch (change) {
    case ADD_MISSING: /* its pods have nowhere to go */
        if (adds == k->steps || strcmp(k->step[adds].move[0].to, k->step[adds].add[0].name) != 0)
            return false;
        k->step[adds].saving += k->step[adds].add[0].price;
        k->saving += k->step[adds].add[0].price;
        k->after.amount -= k->step[adds].add[0].price;
        k->nodes_after--;
        k->step[adds].add++;
        k->step[adds].adds--;
        return true;
    case STEPS_SWAPPED: /* a step that goes on where another one ended */
        for (uint32_t i = 0; i + 1 < k->steps; i++)
            if (k->step[i].prepares && k->step[i].adds && k->step[i + 1].moves &&
                strcmp(k->step[i + 1].move[0].to, k->step[i].add[0].name) == 0) {
                const struct stow_step swap = k->step[i];

                k->step[i] = k->step[i + 1];
                k->step[i + 1] = swap;
                return true;
            }
        return false;
    case PREPARES_NOTHING:
        if (!k->steps || k->step[k->steps - 1].prepares)
            return false;
        k->step[k->steps - 1].prepares = k->steps;
        return true;
    default:
        break;
    }
    if (!k->kepts)
        return false;
    k->kept = copy(t, k->kept, k->kepts, sizeof(*k->kept));
    if (change == KEPT_TWICE)
        k->kept[k->kepts] = k->kept[0];
    k->kepts = change == KEPT_TWICE ? k->kepts + 1 : k->kepts - 1;
    return true;
}

/* The frontier, and what would be possible without limits. */
static bool change_rows(struct trial *t, enum change change)
{
    struct stow_consolidation *k = t->k;
    struct stow_frontier_point *row = copy(t, k->point, k->points, sizeof(*row));
    struct stow_frontier_point *last = k->points ? &row[k->points - 1] : row;
    const struct stow_frontier_point swap = row[0];
    const stow_nano unit = k->counts_nodes ? STOW_NODE_WEIGHT : 1;

    k->point = row;
    switch (change) {
    case ROW_SAVING_OFF:
        row[0].saving -= unit;
        return k->points;
    case ROW_NODES_OFF:
        last->nodes_after++;
        return k->points;
    case ROW_MOVED_OFF:
        last->moved++;
        return k->points && last->chosen;
    case ROWS_SWAPPED:
        row[0] = *last;
        *last = swap;
        return k->points > 1;
    case WITHOUT_COST_OFF:
        k->limits.after.amount--;
        return k->limits.any && !k->counts_nodes && k->before.known && k->limits.after.amount >= 0;
    case WITHOUT_NODES_OFF:
        k->limits.nodes_after++;
        return k->limits.any;
    case MOVES_ALL_OFF:
        k->limits.moves_all = k->moved - 1;
        return k->moved;
    default:
        return false;
    }
}

/* A node that goes is said to stay in any case, or one that stays does so twice. */
static bool change_fixed(struct trial *t, enum change change)
{
    struct stow_consolidation *k = t->k;
    const uint32_t at = step_with(t, false, true, false);
    stow_node_id *fixed = copy(t, k->fixed, k->fixeds, sizeof(*fixed));

    k->fixed = fixed;
    if (change == FIXED_ANOTHER ? at == k->steps : !k->fixeds)
        return false;
    fixed[k->fixeds++] = change == FIXED_ANOTHER ? k->step[at].remove[0] : fixed[0];
    return true;
}

/* The proof. */
static bool change_proof(struct trial *t, enum change change)
{
    struct stow_consolidation *k = t->k;
    struct stow_plan_proof *proof = &k->proof;
    const stow_nano unit = k->counts_nodes ? STOW_NODE_WEIGHT : 1;

    if (k->bound == STOW_MONEY_UNKNOWN || !proof->branches)
        return false;

    struct stow_plan_branch *branch = copy(t, proof->branch, proof->branches, sizeof(*branch));
    struct stow_plan_class *class = copy(t, proof->class, proof->classes, sizeof(*class));
    stow_nano *price =
        copy(t, branch[0].price, branch[0].is_split ? 0 : proof->classes, sizeof(*price));

    proof->branch = branch;
    proof->class = class;
    switch (change) {
    case BOUND_RAISED:
        k->bound += unit;
        k->certain += unit; /* which the proof does not say */
        return k->bound <= k->after.amount;
    case PROOF_RAISED:
        branch[0].bound++;
        return !branch[0].is_split;
    case PRICE_RAISED: /* so far that any node is worth more than it costs */
        if (branch[0].is_split || !proof->classes)
            return false;
        price[0] += INT64_C(1000) * STOW_NANO_PER_UNIT;
        branch[0].price = price;
        branch[0].bound += INT64_C(1000) * STOW_NANO_PER_UNIT * class[0].pods;
        return true;
    case POD_MISSING:
        if (!proof->classes)
            return false;
        class[0].pods--;
        return true;
    default:
        return change_fixed(t, change);
    }
}

/* A pod that is pending has no room any more, from the beginning or at some step. */
static bool change_rooms(struct trial *t, enum change change)
{
    struct stow_consolidation *k = t->k;
    struct stow_step_move *room;
    uint32_t at = 0;

    if (change == PENDING_MISSING) {
        if (!k->awaiteds)
            return false;
        k->awaiteds--;
        return true;
    }
    while (at < k->steps && !k->step[at].rooms)
        at++;
    if (at == k->steps)
        return false;
    room = copy(t, k->step[at].room, k->step[at].rooms, sizeof(*room));
    k->step[at].room = room;
    if (change == ROOM_TO_NOWHERE)
        room[0].to = "nowhere";
    if (change == ROOM_TWICE)
        room[k->step[at].rooms++] = room[0];
    if (change != ROOM_MISSING)
        return true;
    k->step[at].rooms--;
    for (uint32_t i = 0; i < k->step[at].removes; i++)
        if (strcmp(t->s->node[k->step[at].remove[i]].name, room[k->step[at].rooms].from) == 0)
            return true;
    return false;
}

static bool make_change(struct trial *t, enum change change)
{
    if (change == RIGHT)
        return true;
    if (change < MOVE_MISSING)
        return change_amounts(t, change);
    if (change < REMOVE_TWICE)
        return change_moves(t, change);
    if (change < ADD_MISSING)
        return change_removes(t, change);
    if (change < ROW_SAVING_OFF)
        return change_steps(t, change);
    if (change < BOUND_RAISED)
        return change_rows(t, change);
    return change < PENDING_MISSING ? change_proof(t, change) : change_rooms(t, change);
}

/* ---- asking ------------------------------------------------------------------------------ */

static bool try_change(const struct world *w, const struct stow_snapshot *s,
                       struct stow_consolidation changed, enum change change)
{
    struct stow_step steps[256];
    struct trial t = {.w = w, .s = s, .k = &changed};
    struct stow_verify_options options = opinion_plain;
    STOW_AUTO(stow_buf_done) struct stow_buf text = {0};
    struct stow_books books;
    struct stow_doc doc = {0};
    char why[256];
    int code = STOW_OK;
    bool made;

    if (changed.steps > 255)
        return true;
    if (changed.steps)
        memcpy(steps, changed.step, changed.steps * sizeof(*steps));
    memset(&steps[changed.steps], 0, sizeof(*steps));
    changed.step = steps;
    made = make_change(&t, change);
    stow_books_init(&books);
    if (made) {
        options.max_nodes_total = w->options.scale.max_nodes_total;
        options.min_saving = w->options.min_saving;
        options.disruption_price = w->options.disruption_price;
        if (changed.steps % 2)
            options.minimise =
                w->options.counts_nodes ? STOW_VERIFY_FEWEST_NODES : STOW_VERIFY_LEAST_COST;
        stow_render_json(&text, stow_consolidation_value(&doc, &changed));
        code = opinion_of(s, &books, &options, stow_buf_str(&text), why, sizeof(why));
    }
    stow_books_done(&books);
    stow_doc_done(&doc);
    stow_arena_done(&t.arena);
    if (!made || code == (change == RIGHT ? STOW_OK : STOW_EWRONG))
        return true;
    return property_fails("change %d: code %d: %s\n%.*s", (int)change, code, why,
                          STOW_FMT(stow_buf_str(&text)));
}

static void set_limits(struct stow_consolidate_options *options, uint64_t seed)
{
    const struct stow_allowance few = {STOW_ALLOW_COUNT, (int64_t)(1 + seed % 3)};

    options->frontier = seed % 4 < 3;
    if (seed % 3)
        options->moves = few;
    if (seed % 5 < 3)
        options->surge = few;
    if (seed % 7 < 3)
        options->moves_all = few;
}

static bool judge_all(struct world *w, uint64_t seed)
{
    struct stow_consolidation k = {0};
    struct stow_snapshot *s = world_load(w);
    bool good;

    set_limits(&w->options, seed);
    good = s && world_consolidate(w, s, seed % 2, &k);

    for (int change = RIGHT; change < CHANGES && good; change++)
        good = try_change(w, s, k, (enum change)change);
    stow_consolidation_done(&k);
    stow_snapshot_unref(s);
    return good;
}

static bool consolidations_are_accepted_and_others_refused(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    const bool good = w && world_open(w, seed, seed % 3 == 0) && judge_all(w, seed);

    free(w);
    return good;
}

/* The same where prices are missing, and where nodes are counted. */
static bool those_without_prices_likewise(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    bool good = w && world_open(w, seed, seed % 3 == 0);

    if (good)
        world_forget(w, seed);
    if (good && seed % 2)
        world_count_nodes(w, seed);
    good = good && judge_all(w, seed / 2);
    free(w);
    return good;
}

/* And where pods are pending. */
static bool those_with_pending_pods_likewise(uint64_t seed)
{
    struct world *w = malloc(sizeof(*w));
    bool good = w && world_open(w, seed, seed % 3 == 0);

    if (good)
        world_await(w, seed);
    good = good && judge_all(w, seed / 2);
    free(w);
    return good;
}

int main(int argc, char **argv)
{
    static const struct property list[] = {
        {"consolidations-are-accepted-and-others-refused",
         consolidations_are_accepted_and_others_refused, 150},
        {"those-without-prices-likewise", those_without_prices_likewise, 150},
        {"those-with-pending-pods-likewise", those_with_pending_pods_likewise, 150},
    };

    return property_main(list, sizeof(list) / sizeof(list[0]), argc, argv);
}
