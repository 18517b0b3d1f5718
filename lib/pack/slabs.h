/**
 * pack/slabs.h: bytes that are added one after the other and never move, taken from the system in
 * large pieces. An array that grows would be copied, or moved by the system, again and again.
 */
#ifndef MS_PACK_SLABS_H
#define MS_PACK_SLABS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ms_slab;

/** Zeroed is empty. */
struct ms_slabs {
    struct ms_slab *last;
    uint8_t *at; /* where the next bytes go */
    size_t left; /* behind `at` */
};
void ms_slabs_fini(struct ms_slabs *slabs);

/** A slab of its own for n bytes, and some more when others have been full. False without memory.
 */
bool ms_slabs_grow(struct ms_slabs *slabs, size_t n);

/** Room for n bytes at slabs->at. False without memory. */
static inline bool ms_slabs_reserve(struct ms_slabs *slabs, size_t n)
{
    return n <= slabs->left || ms_slabs_grow(slabs, n);
}

/** The bytes up to `end`, within what was reserved, have been written. */
static inline void ms_slabs_take(struct ms_slabs *slabs, uint8_t *end)
{
    slabs->left -= (size_t)(end - slabs->at);
    slabs->at = end;
}

#endif
