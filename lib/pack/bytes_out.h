/**
 * pack/bytes_out.h: what the writers of indexes, and the spool, put numbers with.
 */
#ifndef MS_PACK_BYTES_OUT_H
#define MS_PACK_BYTES_OUT_H

#include <stdint.h>
#include <stdlib.h>

/** Bytes of a LEB128 of 64 bits, at most. */
enum { MS_MAX_LEB = 10 };

/** Growing bytes; zeroed is empty, `at` is malloc'ed. */
struct ms_buffer {
    uint8_t *at;
    size_t n, room;
};

/** Room for n bytes more, behind the last; NULL without memory, the bytes as they were. */
static inline uint8_t *ms_buffer_reserve(struct ms_buffer *b, size_t n)
{
    if (n > b->room - b->n) {
        size_t room = b->room + b->room / 2 + n + 4096;
        uint8_t *at = room > b->room ? (uint8_t *)realloc(b->at, room) : NULL;
        if (!at)
            return NULL;
        b->at = at;
        b->room = room;
    }
    return b->at + b->n;
}

/** Puts an unsigned LEB128 (DWARF 5 §7.6); returns where the next goes. */
static inline uint8_t *ms_put_uleb(uint8_t *at, uint64_t value)
{
    while (value >= 0x80) {
        *at++ = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    *at++ = (uint8_t)value;
    return at;
}

/** A signed number as an unsigned one, the sign in the lowest bit, so that small ones of either
 *  sign are short. */
static inline uint64_t ms_fold_sign(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static inline int64_t ms_unfold_sign(uint64_t value)
{
    return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

#endif
