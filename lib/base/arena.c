#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16, FIRST_BLOCK = 4096, LARGEST_BLOCK = 1 << 20 };

struct ms_arena_block {
    struct ms_arena_block *older;
    size_t bytes;
};

enum { HEAD = (sizeof(struct ms_arena_block) + ALIGN - 1) / ALIGN * ALIGN };

void ms_arena_init(struct ms_arena *arena, size_t max_bytes)
{
    memset(arena, 0, sizeof *arena);
    arena->max_bytes = max_bytes;
}

void ms_arena_init_on(struct ms_arena *arena, size_t max_bytes, void *first, size_t n)
{
    ms_arena_init(arena, max_bytes);
    arena->at = first;
    arena->end = arena->at + n;
}

void ms_arena_fini(struct ms_arena *arena)
{
    struct ms_arena_block *block = arena->newest;
    while (block) {
        struct ms_arena_block *older = block->older;
        free(block);
        block = older;
    }
    ms_arena_init(arena, arena->max_bytes);
}

void ms_arena_clear(struct ms_arena *arena)
{
    struct ms_arena_block *kept = arena->newest;
    if (!kept || kept->older || kept->bytes > FIRST_BLOCK) {
        ms_arena_fini(arena);
        return;
    }
    arena->at = (char *)kept + HEAD;
}

static bool add_block(struct ms_arena *arena, size_t n)
{
    size_t bytes = arena->next_bytes ? arena->next_bytes : FIRST_BLOCK;
    if (bytes < LARGEST_BLOCK)
        arena->next_bytes = bytes * 2;
    if (n > SIZE_MAX - HEAD)
        return false;
    if (bytes < n + HEAD)
        bytes = n + HEAD;
    if (arena->max_bytes && bytes > arena->max_bytes - arena->total_bytes)
        return false;
    struct ms_arena_block *block = malloc(bytes);
    if (!block)
        return false;
    block->older = arena->newest;
    block->bytes = bytes;
    arena->newest = block;
    arena->total_bytes += bytes;
    arena->at = (char *)block + HEAD;
    arena->end = (char *)block + bytes;
    return true;
}

void *ms_arena_take(struct ms_arena *arena, size_t n)
{
    if (n > SIZE_MAX - ALIGN)
        return NULL;
    n = (n + ALIGN - 1) / ALIGN * ALIGN;
    if (n == 0)
        n = ALIGN;
    if ((size_t)(arena->end - arena->at) < n && !add_block(arena, n))
        return NULL;
    void *out = arena->at;
    arena->at += n;
    return out;
}

void *ms_arena_zeroed(struct ms_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return NULL;
    void *out = ms_arena_take(arena, count * size);
    if (out)
        memset(out, 0, count * size);
    return out;
}

char *ms_arena_copy(struct ms_arena *arena, const char *text, size_t n)
{
    char *out = n < SIZE_MAX ? ms_arena_take(arena, n + 1) : NULL;
    if (!out)
        return NULL;
    if (n)
        memcpy(out, text, n);
    out[n] = 0;
    return out;
}
