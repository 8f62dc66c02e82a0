/* arena.c - memory that is freed all at once.
 *
 * A snapshot is built once, read by many and dropped as a whole, and so is the
 * scratch memory of one solve or one request.  Chunks double in size up to
 * 1 MiB, so a small arena stays small and a large one costs one malloc per MiB;
 * an allocation larger than that gets a chunk of its own.  Text is packed
 * without alignment (names of pods dominate a snapshot), everything else is
 * aligned to 8 bytes.
 *
 * Threads: none; an arena belongs to one thread while it is being filled. */
#include "base/arena.h"

#include <stowage/error.h>

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_FIRST 4096u
#define CHUNK_MAX   (1u << 20)

struct stow_arena_chunk {
    struct stow_arena_chunk *before;
    size_t size;
    _Alignas(16) unsigned char bytes[];
};

static int grow(struct stow_arena *arena, size_t need)
{
    size_t size = arena->size ? arena->size * 2 : CHUNK_FIRST;

    if (size > CHUNK_MAX)
        size = CHUNK_MAX;
    if (size < need)
        size = need;
    if (size > SIZE_MAX - sizeof(struct stow_arena_chunk))
        return STOW_ENOMEM;

    struct stow_arena_chunk *chunk = malloc(sizeof(*chunk) + size);

    if (!chunk)
        return STOW_ENOMEM;
    chunk->before = arena->last;
    chunk->size = size;
    arena->last = chunk;
    arena->size = size;
    arena->used = 0;
    arena->total_bytes += size;
    return STOW_OK;
}

static void *take(struct stow_arena *arena, size_t bytes, size_t align)
{
    size_t start = (arena->used + align - 1) & ~(align - 1);

    assert((align & (align - 1)) == 0 && arena->used <= arena->size);
    if (!arena->last || start > arena->size || bytes > arena->size - start) {
        if (grow(arena, bytes) < 0) {
            arena->failed = true;
            return NULL;
        }
        start = 0;
    }
    arena->used = start + bytes;
    assert(start % align == 0 && arena->used <= arena->size);
    return arena->last->bytes + start;
}

void *stow_arena_alloc(struct stow_arena *arena, size_t bytes)
{
    return take(arena, bytes, 8);
}

void *stow_arena_zalloc(struct stow_arena *arena, size_t bytes)
{
    void *made = take(arena, bytes, 8);

    if (made)
        memset(made, 0, bytes);
    return made;
}

const char *stow_arena_text(struct stow_arena *arena, struct stow_str text)
{
    char *made = take(arena, text.len + 1, 1);

    if (!made)
        return NULL;
    if (text.len)
        memcpy(made, text.ptr, text.len);
    made[text.len] = '\0';
    return made;
}

void *stow_arena_copy(struct stow_arena *arena, const void *from, size_t bytes)
{
    void *made = take(arena, bytes, 8);

    if (made && bytes)
        memcpy(made, from, bytes);
    return made;
}

const char *stow_arena_printf(struct stow_arena *arena, const char *fmt, ...)
{
    va_list args;
    char small[256];

    va_start(args, fmt);
    int len = vsnprintf(small, sizeof(small), fmt, args);
    va_end(args);
    if (len < 0)
        return NULL;
    if ((size_t)len < sizeof(small))
        return stow_arena_text(arena, (struct stow_str){small, (size_t)len});

    char *made = take(arena, (size_t)len + 1, 1);

    if (!made)
        return NULL;
    va_start(args, fmt);
    vsnprintf(made, (size_t)len + 1, fmt, args);
    va_end(args);
    return made;
}

static void free_before(struct stow_arena_chunk *chunk)
{
    while (chunk) {
        struct stow_arena_chunk *before = chunk->before;

        free(chunk);
        chunk = before;
    }
}

void stow_arena_reset(struct stow_arena *arena)
{
    if (!arena->last)
        return;
    free_before(arena->last->before);
    arena->last->before = NULL;
    arena->total_bytes = arena->size;
    arena->used = 0;
}

void stow_arena_done(struct stow_arena *arena)
{
    free_before(arena->last);
    memset(arena, 0, sizeof(*arena));
}
