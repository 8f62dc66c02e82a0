/* board.c - the best of many keys, kept while single keys change.
 *
 * A decision changes one node, so a class of pods meets a handful of changed keys
 * at its next turn and wants the largest of all.  A heap would move entries
 * around for every change; a row of keys with one maximum per block of 64 costs
 * one block of additional reading per change and a short scan per question, both
 * of which the compiler turns into vector code. */
#include "place/board.h"

#include <stdlib.h>
#include <string.h>

#include "base/kernel.h"

int stow_board_init(struct stow_board *board, uint32_t count, bool wide)
{
    size_t size = wide ? sizeof(int64_t) : sizeof(int16_t);

    memset(board, 0, sizeof(*board));
    board->wide = wide;
    board->count = count;
    board->blocks = (count + STOW_BOARD_BLOCK - 1) / STOW_BOARD_BLOCK;

    size_t keys = ((size_t)board->blocks + 1) * STOW_BOARD_BLOCK;
    size_t tops = ((size_t)board->blocks / 32 + 1) * 32;

    board->key.narrow = aligned_alloc(64, keys * size);
    board->top.narrow = aligned_alloc(64, tops * size);
    if (!board->key.narrow || !board->top.narrow) {
        stow_board_done(board);
        return -1;
    }
    for (size_t i = 0; i < (keys > tops ? keys : tops); i++) {
        if (i < keys)
            stow_board_write(board, (uint32_t)i, STOW_BOARD_LOWEST);
        if (i < tops && wide)
            board->top.wide[i] = INT64_MIN;
        else if (i < tops)
            board->top.narrow[i] = STOW_BOARD_NONE;
    }
    return 0;
}

void stow_board_done(struct stow_board *board)
{
    free(board->key.narrow);
    free(board->top.narrow);
    memset(board, 0, sizeof(*board));
}

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

void stow_board_touch(struct stow_board *board, uint32_t block)
{
    size_t from = (size_t)block * STOW_BOARD_BLOCK;

    if (board->wide)
        board->top.wide[block] = largest_wide(board->key.wide + from, STOW_BOARD_BLOCK);
    else
        board->top.narrow[block] = largest_narrow(board->key.narrow + from, STOW_BOARD_BLOCK);
}

static uint32_t best_narrow(const struct stow_board *board)
{
    int16_t top = largest_narrow(board->top.narrow, board->blocks);
    uint32_t block = 0, at;

    if (top == STOW_BOARD_NONE)
        return UINT32_MAX;
    while (board->top.narrow[block] != top)
        block++;
    at = block * STOW_BOARD_BLOCK;
    while (board->key.narrow[at] != top)
        at++;
    return at;
}

static uint32_t best_wide(const struct stow_board *board)
{
    int64_t top = largest_wide(board->top.wide, board->blocks);
    uint32_t block = 0, at;

    if (top == INT64_MIN)
        return UINT32_MAX;
    while (board->top.wide[block] != top)
        block++;
    at = block * STOW_BOARD_BLOCK;
    while (board->key.wide[at] != top)
        at++;
    return at;
}

uint32_t stow_board_best(const struct stow_board *board)
{
    return board->wide ? best_wide(board) : best_narrow(board);
}
