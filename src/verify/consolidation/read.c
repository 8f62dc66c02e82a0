/* read.c - the steps of a Consolidation from its text. */
#include "base/vec.h"
#include "verify/reading.h"

static int move_pod(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told *told = r->told;
    struct stow_told_text *made = STOW_PUSH(&told->pod, &told->pods, &told->pod_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    ((struct stow_told_move *)r->item)->pod = told->pods - 1;
    return stow_told_text_at(c, r, made);
}

STOW_READER(move_from, struct stow_told_move, stow_told_text_at(c, r, &item->from))
STOW_READER(move_to, struct stow_told_move, stow_told_text_at(c, r, &item->to))
STOW_READER(move_waits, struct stow_told_move, stow_cursor_bool(c, &item->waits))

static int read_move(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("pod", move_pod),
        STOW_FIELD("from", move_from),
        STOW_FIELD("to", move_to),
        STOW_FIELD("waits", move_waits),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_move move = {.pod = STOW_TOLD_NONE};
    struct stow_reading inner = {told, &move};
    const uint32_t token = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    if (move.pod == STOW_TOLD_NONE)
        return stow_cursor_fail_at(c, token, "pod is missing");
    STOW_TRY(stow_told_need(c, token, &move.from, "from"));
    STOW_TRY(stow_told_need(c, token, &move.to, "to"));

    struct stow_told_move *made = STOW_PUSH(&told->move, &told->moves, &told->move_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = move;
    return STOW_OK;
}

/* ---- pending pods ------------------------------------------------------------------------ */

static int await_pod(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told *told = r->told;
    struct stow_told_text *made = STOW_PUSH(&told->pod, &told->pods, &told->pod_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    ((struct stow_told_await *)r->item)->pod = told->pods - 1;
    return stow_told_text_at(c, r, made);
}

STOW_READER(await_node, struct stow_told_await, stow_told_text_at(c, r, &item->node))

static int read_await(struct stow_cursor *c, struct stow_told *told, struct stow_told_await *ret)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("pod", await_pod),
        STOW_FIELD("node", await_node),
    };
    struct stow_reading inner = {told, ret};
    const uint32_t token = c->at;

    *ret = (struct stow_told_await){.pod = STOW_TOLD_NONE};
    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    if (ret->pod == STOW_TOLD_NONE)
        return stow_cursor_fail_at(c, token, "pod is missing");
    return stow_told_need(c, token, &ret->node, "node");
}

int stow_told_await_at(struct stow_cursor *c, void *into)
{
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_await await = {0}, *made;

    STOW_TRY(read_await(c, told, &await));
    made = STOW_PUSH(&told->await, &told->awaits, &told->await_cap);
    if (!made)
        return stow_cursor_fail_memory(c);
    *made = await;
    return STOW_OK;
}

static int room_at(struct stow_cursor *c, void *into)
{
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_await room = {0}, *made;

    STOW_TRY(read_await(c, told, &room));
    made = STOW_PUSH(&told->room, &told->rooms, &told->room_cap);
    if (!made)
        return stow_cursor_fail_memory(c);
    *made = room;
    return STOW_OK;
}

/* ---- steps ------------------------------------------------------------------------------- */

static int change_add(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told_change *change = r->item;

    change->add.first = r->told->nodes;
    STOW_TRY(stow_cursor_items(c, stow_told_new_node_at, r));
    change->add.count = r->told->nodes - change->add.first;
    return STOW_OK;
}

static int change_move(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told_change *change = r->item;

    change->move.first = r->told->moves;
    STOW_TRY(stow_cursor_items(c, read_move, r));
    change->move.count = r->told->moves - change->move.first;
    return STOW_OK;
}

static int change_room(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told_change *change = r->item;

    change->room.first = r->told->rooms;
    STOW_TRY(stow_cursor_items(c, room_at, r));
    change->room.count = r->told->rooms - change->room.first;
    return STOW_OK;
}

STOW_READER(change_remove, struct stow_told_change, stow_told_names_at(c, r, &item->remove))
STOW_READER(change_saving, struct stow_told_change, stow_told_money_at(c, true, &item->saving))

static int change_saved(struct stow_cursor *c, void *into)
{
    ((struct stow_reading *)into)->told->speaks_of_nodes = true;
    return change_saving(c, into);
}

STOW_READER(change_prepares, struct stow_told_change,
            stow_cursor_int(c, 1, UINT32_MAX - 1, &item->prepares))

int stow_told_change_at(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("add", change_add),           STOW_FIELD("move", change_move),
        STOW_FIELD("remove", change_remove),     STOW_FIELD("savingPerHour", change_saving),
        STOW_FIELD("prepares", change_prepares), STOW_FIELD("savedNodes", change_saved),
        STOW_FIELD("pending", change_room),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_change change = {.token = c->at};
    struct stow_reading inner = {told, &change};

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    if (!change.saving.given)
        return stow_cursor_fail_at(c, change.token, "savingPerHour or savedNodes is missing");

    struct stow_told_change *made = STOW_PUSH(&told->change, &told->changes, &told->change_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = change;
    return STOW_OK;
}

STOW_READER(kept_node, struct stow_told_text, stow_told_text_at(c, r, item))

int stow_told_kept_at(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("node", kept_node),
        STOW_FIELD("reason", stow_told_pass),
        STOW_FIELD("reasons", stow_told_pass),
    };
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_text name = {{NULL, 0}, 0};
    struct stow_reading inner = {told, &name};
    const uint32_t token = c->at;

    STOW_TRY(STOW_FIELDS_STRICT(c, fields, &inner));
    STOW_TRY(stow_told_need(c, token, &name, "node"));

    struct stow_told_text *made = STOW_PUSH(&told->kept, &told->kepts, &told->kept_cap);

    if (!made)
        return stow_cursor_fail_memory(c);
    *made = name;
    return STOW_OK;
}

/* ---- other plans ------------------------------------------------------------------------- */

STOW_READER(row_moved, struct stow_told_row, stow_cursor_int(c, 0, UINT32_MAX, &item->moved))
STOW_READER(row_nodes, struct stow_told_row, stow_cursor_int(c, 0, UINT32_MAX, &item->nodes))
STOW_READER(row_steps, struct stow_told_row, stow_cursor_int(c, 0, UINT32_MAX, &item->steps))
STOW_READER(row_saving, struct stow_told_row, stow_told_money_at(c, true, &item->saving))
STOW_READER(row_cost, struct stow_told_row, stow_told_money_at(c, false, &item->cost))
STOW_READER(row_chosen, struct stow_told_row, stow_cursor_bool(c, &item->chosen))
STOW_READER(row_first, struct stow_told_row, stow_cursor_bool(c, &item->first_steps))
STOW_READER(row_committed, struct stow_told_row, stow_told_names_at(c, r, &item->committed))
STOW_READER(row_add, struct stow_told_row, stow_told_names_at(c, r, &item->add))

static int row_remove(struct stow_cursor *c, void *into)
{
    struct stow_reading *r = into;
    struct stow_told_row *row = r->item;

    row->tells = true;
    return stow_told_names_at(c, r, &row->remove);
}

static int read_row(struct stow_cursor *c, struct stow_told *told, struct stow_told_row *ret)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("moved", row_moved),
        STOW_FIELD("nodes", row_nodes),
        STOW_FIELD("steps", row_steps),
        STOW_FIELD("savingPerHour", row_saving),
        STOW_FIELD("savedNodes", row_saving),
        STOW_FIELD("cost", row_cost),
        STOW_FIELD("chosen", row_chosen),
        STOW_FIELD("firstSteps", row_first),
        STOW_FIELD("remove", row_remove),
        STOW_FIELD("add", row_add),
        STOW_FIELD("addCommitted", row_committed),
        STOW_FIELD("atLeast", stow_told_pass),
    };
    struct stow_reading inner = {told, ret};

    *ret = (struct stow_told_row){.token = c->at, .moved = -1, .nodes = -1, .steps = -1};
    return STOW_FIELDS_STRICT(c, fields, &inner);
}

int stow_told_row_at(struct stow_cursor *c, void *into)
{
    struct stow_told *told = ((struct stow_reading *)into)->told;
    struct stow_told_row row = {0}, *made;

    STOW_TRY(read_row(c, told, &row));
    made = STOW_PUSH(&told->row, &told->rows, &told->row_cap);
    if (!made)
        return stow_cursor_fail_memory(c);
    *made = row;
    return STOW_OK;
}

static int limits_without(struct stow_cursor *c, void *into)
{
    struct stow_told *told = ((struct stow_reading *)into)->told;

    told->has_without = true;
    return read_row(c, told, &told->without);
}

STOW_READER(limits_nodes, void, stow_cursor_int(c, 0, UINT32_MAX - 1, &r->told->surge_nodes))
STOW_READER(limits_cost, void, stow_told_money_at(c, false, &r->told->surge_cost))
STOW_READER(limits_moves, void, stow_cursor_int(c, 1, UINT32_MAX - 1, &r->told->moves_per_step))
STOW_READER(limits_all, void, stow_cursor_int(c, 0, UINT32_MAX - 1, &r->told->moves_all))

int stow_told_limits_at(struct stow_cursor *c, void *into)
{
    static const struct stow_field fields[] = {
        STOW_FIELD("surgeNodes", limits_nodes),   STOW_FIELD("surgePerHour", limits_cost),
        STOW_FIELD("movesPerStep", limits_moves), STOW_FIELD("moves", limits_all),
        STOW_FIELD("without", limits_without),
    };

    return STOW_FIELDS_STRICT(c, fields, into);
}
