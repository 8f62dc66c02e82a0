/* terrain.c - the order in which boards have the nodes.
 *
 * A board gives the best of a run of blocks, and the first of the best.  So nodes stand in the
 * order of the profile's tie-break, cell by cell: a cell is made of nodes that are in the same
 * domains of all topologies that rules over several nodes look at (zones, as a rule).  Those rules
 * then need one answer per cell, and the best node of each is a lookup.
 *
 * Cells start at whole blocks, which leaves places without a node.  A topology with too many
 * domains is not taken; what looks at it asks about all nodes. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "place/counts/domains.h"
#include "place/engine/engine_internal.h"
#include "place/judge.h"

/* At most as many places are left empty as there are nodes, and a few more. */
uint32_t stow_terrain_most_cells(const struct stow_engine *e)
{
    return 16 + e->state->nodes / STOW_BOARD_BLOCK;
}

/* ---- the order --------------------------------------------------------------------------- */

/* Room for all places with this many cells. */
static size_t most_places(const struct stow_engine *e, uint32_t cells)
{
    return (size_t)e->state->nodes + (size_t)(cells + 1) * STOW_BOARD_BLOCK;
}

static void count_cells(const struct stow_engine *e, struct stow_ranking *r)
{
    memset(r->cell_size, 0, r->cells * sizeof(*r->cell_size));
    for (uint32_t i = 0; i < e->state->nodes; i++)
        r->cell_size[r->cell_of[i]]++;
    for (uint32_t i = 0; i < r->cells; i++)
        r->first_block[i + 1] =
            r->first_block[i] + (r->cell_size[i] + STOW_BOARD_BLOCK - 1) / STOW_BOARD_BLOCK;
}

/* Puts the nodes on their places. */
static void lay_out(const struct stow_engine *e, struct stow_ranking *r, uint32_t *next)
{
    count_cells(e, r);
    r->places = r->first_block[r->cells] * STOW_BOARD_BLOCK;
    for (uint32_t i = 0; i < r->cells; i++)
        next[i] = r->first_block[i] * STOW_BOARD_BLOCK;
    for (uint32_t i = 0; i < r->places; i++)
        r->node_at[i] = STOW_NONE;
    for (uint32_t i = 0; i < e->state->nodes; i++) {
        const stow_node_id node = r->by_tie[i];
        const uint32_t place = next[r->cell_of[node]]++;

        r->node_at[place] = node;
        r->slot_of[node] = stow_board_slot(!r->narrow, place);
    }
    r->version++;
}

int stow_terrain_open(struct stow_engine *e, struct stow_ranking *r,
                      const struct stow_profile *profile)
{
    const size_t nodes = e->state->nodes, cells = stow_terrain_most_cells(e);
    uint32_t only = 0;

    r->by_tie = stow_engine_zalloc(e, nodes, sizeof(*r->by_tie));
    r->tie_of = stow_engine_zalloc(e, nodes, sizeof(*r->tie_of));
    r->slot_of = stow_engine_zalloc(e, nodes, sizeof(*r->slot_of));
    r->cell_of = stow_engine_zalloc(e, nodes, sizeof(*r->cell_of));
    r->log_slot = stow_engine_zalloc(e, e->state->s->pods, sizeof(*r->log_slot));
    r->cell_size = stow_engine_zalloc(e, cells, sizeof(*r->cell_size));
    r->first_block = stow_engine_zalloc(e, cells + 1, sizeof(*r->first_block));
    r->node_at = stow_engine_zalloc(e, most_places(e, (uint32_t)cells), sizeof(*r->node_at));
    if (!r->by_tie || !r->tie_of || !r->slot_of || !r->cell_of || !r->log_slot || !r->cell_size ||
        !r->first_block || !r->node_at)
        return STOW_ENOMEM;
    stow_tie_order(e->state, profile, r->by_tie);
    for (uint32_t i = 0; i < nodes; i++)
        r->tie_of[r->by_tie[i]] = i;
    r->cells = 1;
    lay_out(e, r, &only);
    return STOW_OK;
}

/* ---- more cells -------------------------------------------------------------------------- */

/* Numbers the pairs of cell and domain that nodes have; 0: they are too many. */
static uint32_t divide(const struct stow_engine *e, const struct stow_ranking *r,
                       const struct stow_topology *topology, uint32_t *number, uint32_t *ret)
{
    uint32_t cells = 0;

    for (uint32_t i = 0; i < e->state->nodes; i++) {
        uint32_t *pair = &number[r->cell_of[i] * topology->domains + topology->of[i]];

        if (!*pair)
            *pair = ++cells;
        if (cells > stow_terrain_most_cells(e))
            return 0;
        ret[i] = *pair - 1;
    }
    return cells;
}

static int add_topology(struct stow_engine *e, struct stow_ranking *r,
                        const struct stow_topology *topology)
{
    STOW_AUTO(stow_free_local)
    uint32_t *number = calloc((size_t)r->cells * topology->domains + stow_terrain_most_cells(e) + 1,
                              sizeof(*number));
    STOW_AUTO(stow_free_local)
    uint32_t *cell_of = calloc(e->state->nodes + 1, sizeof(*cell_of));
    uint32_t cells;

    if (!number || !cell_of)
        return STOW_ENOMEM;
    cells = divide(e, r, topology, number, cell_of);
    if (!cells)
        return 0;
    r->topology[r->topologies++] = topology;
    if (cells == r->cells)
        return 1;
    r->cells = cells;
    memcpy(r->cell_of, cell_of, e->state->nodes * sizeof(*cell_of));
    lay_out(e, r, number); /* no longer needed for pairs, and large enough */
    return 1;
}

int stow_terrain_show(struct stow_engine *e, struct stow_ranking *r,
                      const struct stow_topology *topology)
{
    for (uint32_t i = 0; i < r->topologies; i++)
        if (r->topology[i] == topology)
            return 1;
    if (r->topologies == STOW_OUTLOOK_MAX || topology->domains > 2 * stow_terrain_most_cells(e))
        return 0;
    return add_topology(e, r, topology);
}
