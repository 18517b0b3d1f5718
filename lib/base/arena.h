/**
 * base/arena.h: memory that is given out piece by piece and given back all at once.
 * One arena a unit or a request; no allocation a DIE.
 */
#ifndef MS_BASE_ARENA_H
#define MS_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct ms_arena_block;

struct ms_arena {
    struct ms_arena_block *newest;
    char *at, *end;     /* what is left of the newest block */
    size_t next_bytes;  /* size of the block to come: grows so that many small ones stay few */
    size_t total_bytes; /* all blocks */
    size_t max_bytes;   /* ceiling on total_bytes; 0 = none */
};

/**
 * As ms_arena_init, giving out n bytes at `first`, aligned for anything, before any are taken from
 * the system: what most requests need can lie on the stack.
 */
void ms_arena_init_on(struct ms_arena *arena, size_t max_bytes, void *first, size_t n);
/** `max_bytes` bounds what the arena may take from the system; 0 for no bound. */
void ms_arena_init(struct ms_arena *arena, size_t max_bytes);
/** Frees everything; the arena is empty and usable again (a first block of the caller's is not
 *  used again). Takes a zeroed arena. */
void ms_arena_fini(struct ms_arena *arena);

/** Empties it, too, and keeps some memory for what comes: for one that is filled again and again. */
void ms_arena_clear(struct ms_arena *arena);

/** n bytes, aligned for anything, not zeroed. NULL when memory or the bound is out. */
void *ms_arena_take(struct ms_arena *arena, size_t n);
/** The same for `count` items of `size` bytes, zeroed; NULL also when the product wraps. */
void *ms_arena_zeroed(struct ms_arena *arena, size_t count, size_t size);
/** A NUL-terminated copy of n bytes. */
char *ms_arena_copy(struct ms_arena *arena, const char *text, size_t n);

#endif
