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

int stow_board_init(struct stow_board *board, uint32_t count)
{
    memset(board, 0, sizeof(*board));
    board->count = count;
    board->blocks = (count + STOW_BOARD_BLOCK - 1) / STOW_BOARD_BLOCK;

    size_t keys = (size_t)board->blocks * STOW_BOARD_BLOCK;

    board->key = aligned_alloc(64, (keys + STOW_BOARD_BLOCK) * sizeof(*board->key));
    board->top = calloc(board->blocks + 1, sizeof(*board->top));
    if (!board->key || !board->top) {
        stow_board_done(board);
        return -1;
    }
    for (size_t i = 0; i < keys; i++)
        board->key[i] = STOW_BOARD_LOWEST;
    for (uint32_t i = 0; i < board->blocks; i++)
        board->top[i] = STOW_BOARD_LOWEST;
    return 0;
}

void stow_board_done(struct stow_board *board)
{
    free(board->key);
    free(board->top);
    memset(board, 0, sizeof(*board));
}

STOW_KERNEL static int64_t largest(const int64_t *key, uint32_t count)
{
    int64_t top = STOW_BOARD_LOWEST;

    for (uint32_t i = 0; i < count; i++)
        top = key[i] > top ? key[i] : top;
    return top;
}

void stow_board_touch(struct stow_board *board, uint32_t at)
{
    uint32_t block = at / STOW_BOARD_BLOCK;

    board->top[block] =
        largest(board->key + (size_t)block * STOW_BOARD_BLOCK, STOW_BOARD_BLOCK);
}

void stow_board_rebuild(struct stow_board *board)
{
    for (uint32_t i = 0; i < board->blocks; i++)
        stow_board_touch(board, i * STOW_BOARD_BLOCK);
}

uint32_t stow_board_best(const struct stow_board *board)
{
    int64_t top = largest(board->top, board->blocks);
    uint32_t block = 0, at;

    if (top == STOW_BOARD_LOWEST)
        return UINT32_MAX;
    while (board->top[block] != top)
        block++;
    at = block * STOW_BOARD_BLOCK;
    while (board->key[at] != top)
        at++;
    return at;
}
