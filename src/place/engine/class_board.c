/* class_board.c - the board of a class: a key for every node, kept from turn to turn.
 *
 * Keys are in the order of the terrain (terrain.c).  At its next turn a class reads in the log
 * which nodes changed and asks its local rules about those: by one formula for all of them where
 * there is one (formula.c), else rule by rule.
 *
 * Grades of normalised scorers are in the keys; when a grade appears or dies out, the
 * points of all grades change and the board is rewritten.  That is rare: nodes only
 * fill up.
 *
 * Lone nodes (sample.c) are not on the board while it is looked at: their keys are put back when
 * the log is read, and taken off again. */
#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"
#include "place/engine/engine_internal.h"
#include "place/judge.h"

#define MANY      4  /* changes per part of a board from which on all of it is looked at */
#define ODD_TURNS 32 /* turns without the formula after one that was too close */

void stow_class_expect(const struct stow_class *c)
{
    if (c->board_log != STOW_NOT_MADE)
        stow_board_expect(&c->board);
}

/* ---- keys -------------------------------------------------------------------------------- */

int64_t stow_class_key(const struct stow_class *c, double total)
{
    return c->ranking->whole ? (int64_t)total : stow_total_key(total);
}

/* The points of the grades that differ between nodes. */
static double graded_points(const struct stow_class *c, stow_node_id node, bool uniform)
{
    double points = 0;

    for (uint32_t i = 0; i < c->gradeds; i++) {
        const struct stow_graded *g = &c->graded[i];

        if (g->grade || uniform)
            points +=
                c->profile->scorer[g->scorer].weight * g->value[g->grade ? g->grade[node] : 0];
    }
    return points;
}

bool stow_class_has_grades(const struct stow_class *c)
{
    for (uint32_t i = 0; i < c->gradeds; i++)
        if (c->graded[i].grade)
            return true;
    return false;
}

/* Counts a node in or out of its grades; true when a grade appears or dies out. */
static bool count_grades(struct stow_class *c, stow_node_id node, bool in)
{
    bool changed = false;

    for (uint32_t i = 0; i < c->gradeds; i++) {
        struct stow_graded *g = &c->graded[i];

        if (g->grade)
            changed |= in ? g->alive[g->grade[node]]++ == 0 : --g->alive[g->grade[node]] == 0;
    }
    return changed;
}

/* The plain case: narrow keys, no grades. */
static void write_plain_keys(struct stow_engine *e, struct stow_class *c, uint32_t count)
{
    const uint32_t *restrict slot_of = c->ranking->slot_of;
    const stow_node_id *restrict list = e->list;
    const uint8_t *restrict fits = e->fits;
    const double *restrict sum = e->sum;
    int16_t *restrict key = c->board.key.narrow;
    uint8_t *restrict dirty = e->dirty;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = slot_of[list[i]];
        int16_t points = (int16_t)sum[i];

        key[slot] = (int16_t)(fits[i] ? points : INT16_MIN);
        dirty[slot / STOW_BOARD_PART] = 1;
    }
}

/* Writes the keys of e->list, by fits[] and sum[]. */
static void write_keys(struct stow_engine *e, struct stow_class *c, uint32_t count)
{
    const uint32_t *slot_of = c->ranking->slot_of;
    bool graded = stow_class_has_grades(c);

    if (!graded && !c->board.wide) {
        write_plain_keys(e, c, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        stow_node_id node = e->list[i];
        double total = e->sum[i] + (graded ? graded_points(c, node, false) : 0);

        stow_board_write(&c->board, slot_of[node],
                         e->fits[i] ? stow_class_key(c, total) : STOW_BOARD_LOWEST);
        e->dirty[stow_board_part(&c->board, slot_of[node])] = 1;
    }
}

/* Takes lone nodes off the board and keeps their keys; they are on it only while the log is read.
 */
static void hide_lones(struct stow_class *c)
{
    for (uint32_t i = 0; i < c->lones; i++) {
        const uint32_t slot = c->ranking->slot_of[c->lone[i].node];

        c->lone[i].key = stow_board_key(&c->board, slot);
        stow_board_write(&c->board, slot, STOW_BOARD_LOWEST);
    }
}

static void show_lones(struct stow_class *c)
{
    for (uint32_t i = 0; i < c->lones; i++)
        stow_board_write(&c->board, c->ranking->slot_of[c->lone[i].node], c->lone[i].key);
}

static void touch_dirty(struct stow_engine *e, struct stow_class *c)
{
    hide_lones(c);
    for (uint32_t i = 0; i < c->board.parts; i++)
        if (e->dirty[i]) {
            e->dirty[i] = 0;
            stow_board_touch(&c->board, i);
        }
}

/* Whether there is a board, and in the order that its ranking has now. */
static bool is_made(const struct stow_class *c)
{
    return c->board_log != STOW_NOT_MADE && c->version == c->ranking->version;
}

void stow_class_isolate(struct stow_engine *e, struct stow_class *c, struct stow_lone *lone)
{
    const uint32_t slot = c->ranking->slot_of[lone->node];

    if (!is_made(c))
        return;
    lone->key = stow_board_key(&c->board, slot);
    stow_board_write(&c->board, slot, STOW_BOARD_LOWEST);
    e->dirty[stow_board_part(&c->board, slot)] = 1;
}

void stow_class_gather(struct stow_engine *e, struct stow_class *c)
{
    if (is_made(c))
        show_lones(c);
    for (uint32_t i = 0; i < c->lones && is_made(c); i++)
        e->dirty[stow_board_part(&c->board, c->ranking->slot_of[c->lone[i].node])] = 1;
    c->lones = c->watches = 0;
}

/* ---- counting candidates ----------------------------------------------------------------- */

int stow_class_count(struct stow_engine *e, struct stow_class *c)
{
    if (c->alive)
        return STOW_OK;
    c->alive = stow_engine_zalloc(e, stow_terrain_most_cells(e), sizeof(*c->alive));
    c->version = 0; /* so that the board is rebuilt, and counted */
    return c->alive ? STOW_OK : STOW_ENOMEM;
}

static void count_all(const struct stow_engine *e, struct stow_class *c)
{
    if (!c->alive)
        return;
    memcpy(c->alive, c->ranking->cell_size, c->ranking->cells * sizeof(*c->alive));
    if (stow_board_count(&c->board) == e->state->nodes)
        return;
    for (stow_node_id i = 0; i < e->state->nodes; i++)
        c->alive[c->ranking->cell_of[i]] -= !stow_board_has(&c->board, c->ranking->slot_of[i]);
}

/* A node is no longer a candidate. */
static inline void leave(struct stow_class *c, stow_node_id node)
{
    if (c->alive)
        c->alive[c->ranking->cell_of[node]]--;
}

/* What static scorers give comes on top. */
static void add_fixed(struct stow_engine *e, const struct stow_class *c, const stow_node_id *nodes,
                      uint32_t count)
{
    for (uint32_t i = 0; i < count && c->fixed; i++)
        if (e->key[i] != STOW_BOARD_NONE)
            e->key[i] = (int16_t)(e->key[i] + c->fixed[nodes[i]]);
}

/* e->key[] by the formula; false: the rules must be asked. */
static bool try_formula(struct stow_engine *e, struct stow_class *c,
                        const struct stow_formula_columns *columns, const stow_node_id *nodes,
                        uint32_t count)
{
    if (!c->formula || c->odd) {
        c->odd -= c->odd > 0;
        return false;
    }
    if (!stow_formula_keys(c->formula, columns, count, e->key)) {
        c->odd = ODD_TURNS;
        return false;
    }
    add_fixed(e, c, nodes, count);
    return true;
}

/* The columns of all nodes, brought up to date from the log. */
static void refresh_ground(struct stow_engine *e)
{
    for (; e->ground_log < e->logged; e->ground_log++)
        stow_formula_columns_copy(&e->ground, e->log[e->ground_log], &e->log_formula,
                                  e->ground_log);
}

static void write_all_slots(int16_t *restrict key, const uint32_t *restrict slots,
                            const int16_t *restrict made, uint32_t count)
{
#pragma GCC unroll 8
    for (uint32_t i = 0; i < count; i++)
        key[slots[i]] = made[i];
}

/* The keys of a batch of nodes in order of ids, as e->list has it. */
static bool write_formula_keys(struct stow_engine *e, struct stow_class *c, uint32_t count)
{
    const uint32_t from = e->list[0], *slot_of = c->ranking->slot_of + from;
    const struct stow_formula_columns columns = stow_formula_columns_from(&e->ground, from);

    if (!c->formula || c->odd)
        return false;
    refresh_ground(e);
    if (!try_formula(e, c, &columns, e->list, count))
        return false;
    for (uint32_t i = 0; i < count && !c->everywhere; i++)
        if (!c->possible[from + i])
            e->key[i] = STOW_BOARD_NONE;
    write_all_slots(c->board.key.narrow, slot_of, e->key, count);
    memset(e->dirty, 1, c->board.parts);
    return true;
}

/* Every node again.  The first pass counts the candidates per grade, so that their points are known
 * when keys are written. */
static void write_board(struct stow_engine *e, struct stow_class *c)
{
    bool count_first = stow_class_has_grades(c);

    for (uint32_t i = 0; i < c->gradeds; i++)
        memset(c->graded[i].alive, 0, STOW_GRADES * sizeof(uint32_t));
    for (int pass = count_first ? 0 : 1; pass < 2; pass++) {
        for (uint32_t from = 0; from < e->state->nodes; from += STOW_BATCH) {
            uint32_t count = stow_class_list_batch(e, from);

            if (!count_first && write_formula_keys(e, c, count))
                continue;
            stow_class_ask_local(e, c, count);
            for (uint32_t i = 0; i < count; i++) {
                e->fits[i] &= c->possible[from + i];
                if (pass == 0 && e->fits[i])
                    count_grades(c, from + i, true);
            }
            if (pass == 1)
                write_keys(e, c, count);
        }
        for (uint32_t i = 0; i < c->gradeds && pass == 0; i++)
            stow_class_normalise_grades(e, c, &c->graded[i]);
    }
    count_all(e, c);
    touch_dirty(e, c);
    c->board_log = e->logged;
}

/* The nodes of a stretch of the log into e->list: each once, only those that are still in. */
static uint32_t list_changed(struct stow_engine *e, const struct stow_class *c, uint32_t at,
                             uint32_t count)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        stow_node_id node = e->log[at + i];

        e->list[kept] = node;
        kept += e->last_log[node] == at + i && stow_board_has(&c->board, c->ranking->slot_of[node]);
    }
    return kept;
}

/* Takes nodes that no longer fit out of their grades; true when points change. */
static bool drop_grades(struct stow_engine *e, struct stow_class *c, uint32_t count)
{
    bool changed = false;

    for (uint32_t i = 0; i < count; i++)
        if (!e->fits[i])
            changed |= count_grades(c, e->list[i], false);
    return changed;
}

/* The plain case of a stretch of the log: superseded entries and nodes that are out are passed
 * over.
 */
static void write_plain_log(struct stow_engine *e, struct stow_class *c, uint32_t at,
                            uint32_t count)
{
    const uint32_t *restrict slots = c->ranking->log_slot + at, *restrict last = e->last_log;
    const stow_node_id *restrict nodes = e->log + at;
    const uint8_t *restrict fits = e->fits;
    const double *restrict sum = e->sum;
    int16_t *restrict key = c->board.key.narrow;
    uint8_t *restrict dirty = e->dirty;

    for (uint32_t i = 0; i < count; i++) {
        int16_t points = (int16_t)sum[i];

        if (last[nodes[i]] != at + i || key[slots[i]] == STOW_BOARD_NONE)
            continue;
        key[slots[i]] = (int16_t)(fits[i] ? points : INT16_MIN);
        dirty[slots[i] / STOW_BOARD_PART] = 1;
        if (!fits[i])
            leave(c, nodes[i]);
    }
}

/* Passes over nodes that are out. */
static void write_slots(struct stow_class *c, const stow_node_id *nodes, const uint32_t *slots,
                        const int16_t *made, uint32_t count)
{
    int16_t *key = c->board.key.narrow;

    for (uint32_t i = 0; i < count; i++) {
        if (key[slots[i]] == STOW_BOARD_NONE)
            continue;
        key[slots[i]] = made[i];
        if (made[i] == STOW_BOARD_NONE)
            leave(c, nodes[i]);
    }
}

/* The plain case with a formula.  Of a node that changed twice the last entry is written last. */
static bool write_formula_log(struct stow_engine *e, struct stow_class *c, uint32_t at,
                              uint32_t count)
{
    const struct stow_formula_columns columns = stow_formula_columns_from(&e->log_formula, at);
    const uint32_t *slots = c->ranking->log_slot + at;

    if (!try_formula(e, c, &columns, e->log + at, count))
        return false;
    if (c->everywhere && !c->alive)
        write_all_slots(c->board.key.narrow, slots, e->key, count);
    else
        write_slots(c, e->log + at, slots, e->key, count);
    for (uint32_t i = 0; i < count && count < MANY * c->board.parts; i++)
        e->dirty[slots[i] / STOW_BOARD_PART] = 1;
    if (count >= MANY * c->board.parts)
        memset(e->dirty, 1, c->board.parts);
    return true;
}

/* One stretch of the log; true when the whole board must be rewritten.  Wide keys belong to
 * profiles that pack, where a few nodes change again and again: there each is asked about once. */
static bool update_board(struct stow_engine *e, struct stow_class *c, uint32_t at, uint32_t count)
{
    for (uint32_t i = 0; i < count && c->board.wide; i++)
        stow_board_expect_key(&c->board, c->ranking->log_slot[at + i]);
    if (!c->board.wide && !stow_class_has_grades(c)) {
        if (write_formula_log(e, c, at, count))
            return false;
        stow_class_ask_log(e, c, at, count);
        write_plain_log(e, c, at, count);
        return false;
    }
    count = list_changed(e, c, at, count);
    stow_class_ask_local(e, c, count);
    if (stow_class_has_grades(c) && drop_grades(e, c, count))
        return true;
    write_keys(e, c, count);
    for (uint32_t i = 0; i < count; i++)
        if (!e->fits[i])
            leave(c, e->list[i]);
    return false;
}

int stow_class_refresh_board(struct stow_engine *e, struct stow_class *c)
{
    if (!is_made(c)) {
        stow_board_done(&c->board);
        c->board_log = STOW_NOT_MADE;
        if (stow_board_init(&c->board, c->ranking->places, !c->ranking->narrow) < 0)
            return STOW_ENOMEM;
        c->version = c->ranking->version;
    }
    if (c->board_log == STOW_NOT_MADE || e->logged - c->board_log > e->state->nodes) {
        write_board(e, c);
        return STOW_OK;
    }
    show_lones(c);
    while (c->board_log < e->logged) {
        uint32_t at = c->board_log, left = e->logged - at;
        uint32_t count = left < STOW_BATCH ? left : STOW_BATCH;

        c->board_log += count;
        if (update_board(e, c, at, count)) {
            write_board(e, c);
            return STOW_OK;
        }
    }
    touch_dirty(e, c);
    return STOW_OK;
}

double stow_class_total(const struct stow_class *c, stow_node_id node)
{
    int64_t key = stow_board_key(&c->board, c->ranking->slot_of[node]);
    double total = c->ranking->whole ? (double)key : (double)key / 1e9;

    /* The key has the points of grades that differ; those that do not are not in it. */
    return total + graded_points(c, node, true) - graded_points(c, node, false);
}

double stow_class_points(struct stow_engine *e, const struct stow_class *c, int64_t key,
                         stow_node_id node)
{
    double total = (double)key;

    if (!c->ranking->whole) { /* keys are rounded: the node is asked once more */
        stow_stage_fill(e->state->stage, e->state->hot, &node, 1);
        stow_class_ask_staged(e, c, &node, 1);
        total = e->sum[0];
    }
    return total + graded_points(c, node, true);
}
