/**
 * base/cursor.h: a sticky reader over borrowed bytes. The first read past the end marks
 * the cursor bad; from then on every read gives 0 and moves nothing. So a record is
 * read in one straight run and `bad` is checked once, before any count, offset or
 * length out of it is used.
 */
#ifndef MS_BASE_CURSOR_H
#define MS_BASE_CURSOR_H

#include "base/bytes.h"

struct ms_cursor {
    const uint8_t *at;
    const uint8_t *end;
    const uint8_t *start;
    bool bad;
    bool big; /* byte order of the input: true = big-endian */
};

static inline struct ms_cursor ms_cursor_over(struct ms_bytes in, bool big)
{
    struct ms_cursor c = {in.at, in.at ? in.at + in.n : NULL, in.at, false, big};
    return c;
}

/** Bytes from the start of the input to the read position. */
static inline uint64_t ms_cursor_offset(const struct ms_cursor *c)
{
    return c->at ? (uint64_t)(c->at - c->start) : 0;
}

static inline size_t ms_cursor_left(const struct ms_cursor *c)
{
    return c->at ? (size_t)(c->end - c->at) : 0;
}

/** Marks the cursor bad, for a value that was read well but cannot be meant. */
static inline void ms_cursor_spoil(struct ms_cursor *c)
{
    c->bad = true;
    c->at = c->end; /* so that `left` is 0 and loops on it end */
}

/* The one test that every fixed-size read goes through. */
static inline bool ms_cursor_take(struct ms_cursor *c, uint64_t n, const uint8_t **from)
{
    if (n > ms_cursor_left(c) || c->bad) {
        ms_cursor_spoil(c);
        return false;
    }
    *from = c->at;
    if (n)
        c->at += n;
    return true;
}

static inline void ms_cursor_skip(struct ms_cursor *c, uint64_t n)
{
    const uint8_t *from;
    (void)ms_cursor_take(c, n, &from);
}

/** Moves to byte `off` of the input. */
static inline void ms_cursor_seek(struct ms_cursor *c, uint64_t off)
{
    if (c->bad || !c->at || off > (uint64_t)(c->end - c->start)) {
        if (off || c->bad || c->at != c->end)
            ms_cursor_spoil(c);
        return;
    }
    c->at = c->start + off;
}

static inline uint8_t ms_cursor_u8(struct ms_cursor *c)
{
    const uint8_t *p;
    return ms_cursor_take(c, 1, &p) ? *p : 0;
}

static inline uint16_t ms_cursor_u16(struct ms_cursor *c)
{
    const uint8_t *p;
    if (!ms_cursor_take(c, 2, &p))
        return 0;
    return (uint16_t)(c->big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

static inline uint32_t ms_cursor_u24(struct ms_cursor *c)
{
    const uint8_t *p;
    if (!ms_cursor_take(c, 3, &p))
        return 0;
    return c->big ? (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]
                  : (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static inline uint32_t ms_load_u32(const uint8_t *p, bool big)
{
    return big ? (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]
               : (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

static inline uint32_t ms_cursor_u32(struct ms_cursor *c)
{
    const uint8_t *p;
    return ms_cursor_take(c, 4, &p) ? ms_load_u32(p, c->big) : 0;
}

static inline uint64_t ms_load_u64(const uint8_t *p, bool big)
{
    uint64_t first = ms_load_u32(p, big), second = ms_load_u32(p + 4, big);
    return big ? first << 32 | second : second << 32 | first;
}

static inline uint64_t ms_cursor_u64(struct ms_cursor *c)
{
    const uint8_t *p;
    return ms_cursor_take(c, 8, &p) ? ms_load_u64(p, c->big) : 0;
}

/** An unsigned number of 1, 2, 4 or 8 bytes; any other size spoils the cursor. */
static inline uint64_t ms_cursor_uint(struct ms_cursor *c, unsigned size)
{
    switch (size) {
    case 1:
        return ms_cursor_u8(c);
    case 2:
        return ms_cursor_u16(c);
    case 4:
        return ms_cursor_u32(c);
    case 8:
        return ms_cursor_u64(c);
    }
    ms_cursor_spoil(c);
    return 0;
}

/** A number out of LEB128, and what stands behind it: NULL, it can't be read. By value, so that a
 *  loop's cursor can stay in registers. */
struct ms_leb {
    const uint8_t *at;
    uint64_t value;
};
struct ms_leb ms_uleb_slow(const uint8_t *at, const uint8_t *end);

/**
 * LEB128 (DWARF 5 §7.6). Padding bytes are accepted as producers write them; a value
 * that needs more than 64 bits, or more than 10 significant bytes, spoils the cursor.
 */
static inline uint64_t ms_cursor_uleb(struct ms_cursor *c)
{
    const uint8_t *at = c->at;
    if (at < c->end && *at < 0x80) { /* nearly all are one byte long */
        c->at = at + 1;
        return *at;
    }
    if (c->end - at >= 2 && at[1] < 0x80) { /* most others two */
        c->at = at + 2;
        return (at[0] & 0x7fu) | (unsigned)at[1] << 7;
    }
    struct ms_leb leb = ms_uleb_slow(at, c->end);
    if (!leb.at)
        ms_cursor_spoil(c);
    else
        c->at = leb.at;
    return leb.value;
}
int64_t ms_cursor_sleb(struct ms_cursor *c);

/** Passes over n numbers in LEB128, however long. */
void ms_cursor_skip_lebs(struct ms_cursor *c, uint64_t n);

/** A NUL-terminated string inside the input, borrowed; "" and a bad cursor without a NUL. */
static inline const char *ms_cursor_string(struct ms_cursor *c)
{
    const uint8_t *from = c->at;
    const uint8_t *nul =
        ms_cursor_left(c) ? (const uint8_t *)memchr(from, 0, ms_cursor_left(c)) : NULL;
    if (!nul) {
        ms_cursor_spoil(c);
        return "";
    }
    c->at = nul + 1;
    return (const char *)from;
}

/** The next n bytes, borrowed. */
static inline struct ms_bytes ms_cursor_bytes(struct ms_cursor *c, uint64_t n)
{
    struct ms_bytes out = {NULL, 0};
    const uint8_t *from;
    if (ms_cursor_take(c, n, &from)) {
        out.at = from;
        out.n = (size_t)n;
    }
    return out;
}

#endif
