/* board.c - the best of many keys, kept while single keys change.
 *
 * A decision changes one node, so a class of pods meets a handful of changed keys
 * at its next turn and wants the largest of all.  A heap would move entries
 * around for every change; a row of keys with one maximum per block of 64 costs
 * one block of additional reading per change and a short scan per question, both
 * of which the compiler turns into vector code.
 *
 * Keys of 16 bits lie across: the first keys of 16 blocks, then the second ones, and so on.  16
 * maxima are then found side by side, without a step from one lane of a register to
 * another, and all maxima of 5,000 keys take as many instructions as there are loads. */
#include "place/engine/board.h"

#include <stowage/error.h>

#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"

STOW_KERNEL static void fill_narrow(int16_t *key, size_t count)
{
    for (size_t i = 0; i < count; i++)
        key[i] = STOW_BOARD_NONE;
}

STOW_KERNEL static void fill_wide(int64_t *key, size_t count)
{
    for (size_t i = 0; i < count; i++)
        key[i] = STOW_BOARD_LOWEST;
}

int stow_board_init(struct stow_board *board, uint32_t count, bool wide)
{
    size_t size = wide ? sizeof(int64_t) : sizeof(int16_t);
    uint32_t part = wide ? STOW_BOARD_BLOCK : STOW_BOARD_PART;

    memset(board, 0, sizeof(*board));
    board->wide = wide;
    board->parts = (count + part - 1) / part;
    board->blocks = board->parts * (part / STOW_BOARD_BLOCK);

    size_t keys = ((size_t)board->parts + wide) * part;
    size_t tops = ((size_t)board->blocks / 32 + 1) * 32;

    board->key.narrow = aligned_alloc(64, keys * size + 64);
    board->top.narrow = aligned_alloc(64, tops * size);
    if (!board->key.narrow || !board->top.narrow) {
        stow_board_done(board);
        return STOW_ENOMEM;
    }
    if (wide) {
        fill_wide(board->key.wide, keys);
        fill_wide(board->top.wide, tops);
    } else {
        fill_narrow(board->key.narrow, keys);
        fill_narrow(board->top.narrow, tops);
    }
    return 0;
}

void stow_board_done(struct stow_board *board)
{
    free(board->key.narrow);
    free(board->top.narrow);
    memset(board, 0, sizeof(*board));
}

_Static_assert(STOW_BOARD_PART == STOW_BOARD_BLOCK * STOW_BOARD_LANES, "a part is whole blocks");

void stow_board_expect(const struct stow_board *board)
{
    const char *key = (const char *)board->key.narrow;
    size_t bytes = board->wide ? 0 : (size_t)board->parts * STOW_BOARD_PART * sizeof(int16_t);

    for (size_t i = 0; i < bytes; i += 256) {
        __builtin_prefetch(key + i, 1);
        __builtin_prefetch(key + i + 64, 1);
        __builtin_prefetch(key + i + 128, 1);
        __builtin_prefetch(key + i + 192, 1);
    }
}

STOW_KERNEL static uint32_t count_narrow(const int16_t *key, uint32_t count)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found += key[i] != STOW_BOARD_NONE;
    return found;
}

STOW_KERNEL static uint32_t count_wide(const int64_t *key, uint32_t count)
{
    uint32_t found = 0;

    for (uint32_t i = 0; i < count; i++)
        found += key[i] != STOW_BOARD_LOWEST;
    return found;
}

uint32_t stow_board_count(const struct stow_board *board)
{
    const uint32_t count = board->blocks * STOW_BOARD_BLOCK;

    return board->wide ? count_wide(board->key.wide, count)
                       : count_narrow(board->key.narrow, count);
}

/* ---- maxima ------------------------------------------------------------------------------ */

STOW_KERNEL static int16_t largest_narrow(const int16_t *key, uint32_t count)
{
    int16_t top = STOW_BOARD_NONE;

    for (uint32_t i = 0; i < count; i++)
        if (key[i] > top)
            top = key[i];
    return top;
}

STOW_KERNEL static int64_t largest_wide(const int64_t *key, uint32_t count)
{
    int64_t top = INT64_MIN;

    for (uint32_t i = 0; i < count; i++)
        top = key[i] > top ? key[i] : top;
    return top;
}

static inline int16_t larger(int16_t a, int16_t b)
{
    return (int16_t)(a > b ? a : b);
}

/* The maxima of blocks that lie side by side. */
STOW_KERNEL static void largest_of_lanes(const int16_t *restrict key, int16_t *restrict top)
{
    for (uint32_t lane = 0; lane < STOW_BOARD_LANES; lane++) {
        int16_t a = STOW_BOARD_NONE, b = a, c = a, d = a;

        for (uint32_t i = 0; i < STOW_BOARD_PART; i += 4 * STOW_BOARD_LANES) {
            a = larger(a, key[i + lane]);
            b = larger(b, key[i + STOW_BOARD_LANES + lane]);
            c = larger(c, key[i + 2 * STOW_BOARD_LANES + lane]);
            d = larger(d, key[i + 3 * STOW_BOARD_LANES + lane]);
        }
        top[lane] = larger(larger(a, b), larger(c, d));
    }
}

void stow_board_touch(struct stow_board *board, uint32_t part)
{
    if (board->wide)
        board->top.wide[part] =
            largest_wide(board->key.wide + (size_t)part * STOW_BOARD_BLOCK, STOW_BOARD_BLOCK);
    else
        largest_of_lanes(board->key.narrow + (size_t)part * STOW_BOARD_PART,
                         board->top.narrow + (size_t)part * STOW_BOARD_LANES);
}

/* ---- the best ---------------------------------------------------------------------------- */

static uint32_t best_narrow(const struct stow_board *board, uint32_t from, uint32_t to)
{
    int16_t top = largest_narrow(board->top.narrow + from, to - from);
    uint32_t block = from, at = 0;

    if (top == STOW_BOARD_NONE)
        return UINT32_MAX;
    while (board->top.narrow[block] != top)
        block++;

    const int16_t *key = board->key.narrow + stow_board_slot(false, block * STOW_BOARD_BLOCK);

    while (key[(size_t)at * STOW_BOARD_LANES] != top)
        at++;
    return block * STOW_BOARD_BLOCK + at;
}

static uint32_t best_wide(const struct stow_board *board, uint32_t from, uint32_t to)
{
    int64_t top = largest_wide(board->top.wide + from, to - from);
    uint32_t block = from, at;

    if (top == INT64_MIN)
        return UINT32_MAX;
    while (board->top.wide[block] != top)
        block++;
    at = block * STOW_BOARD_BLOCK;
    while (board->key.wide[at] != top)
        at++;
    return at;
}

uint32_t stow_board_best(const struct stow_board *board, uint32_t from_block, uint32_t to_block)
{
    return board->wide ? best_wide(board, from_block, to_block)
                       : best_narrow(board, from_block, to_block);
}
