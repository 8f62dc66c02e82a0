/* arena.h - memory that is freed all at once. */
#ifndef STOW_BASE_ARENA_H
#define STOW_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct stow_arena_chunk;

/* Zeroed is a valid empty arena. */
struct stow_arena {
    struct stow_arena_chunk *last;
    size_t used, size;  /* of the last chunk */
    size_t total_bytes; /* of all chunks */
    bool failed;        /* memory was asked for once that there was none of */
};

/* Aligned to 8 bytes, not cleared; NULL when out of memory. */
void *stow_arena_alloc(struct stow_arena *arena, size_t bytes);

/* The same, cleared. */
void *stow_arena_zalloc(struct stow_arena *arena, size_t bytes);

/* A copy ended by NUL; NULL when out of memory.  Packed: text has no alignment. */
const char *stow_arena_text(struct stow_arena *arena, struct stow_str text);

void *stow_arena_copy(struct stow_arena *arena, const void *from, size_t bytes);

/* printf into the arena; NULL when out of memory. */
const char *stow_arena_printf(struct stow_arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Forgets everything but keeps the largest chunk for the next round. */
void stow_arena_reset(struct stow_arena *arena);

void stow_arena_done(struct stow_arena *arena);

#endif
