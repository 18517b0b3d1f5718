/*
 * Swift's punycode: RFC 3492, but the delimiter is '_' and the digits above 25 are A to J.
 * Characters of ASCII that may not stand in a symbol are those 0xd800 above them.
 */
#include "demangle/swift_read.h"

#include <string.h>

enum {
    BASE = 36,
    T_MIN = 1,
    T_MAX = 26,
    SKEW = 38,
    DAMP = 700,
    FIRST_BIAS = 72,
    FIRST_POINT = 0x80,
    STAND_INS = 0xd800, /* of U+0000 to U+007F */
    STAND_INS_END = 0xd880
};

/* The value of a digit, or BASE. */
static uint32_t digit(char c)
{
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a');
    return c >= 'A' && c <= 'J' ? (uint32_t)(c - 'A') + 26 : BASE;
}

static uint32_t adapted(uint32_t delta, uint32_t n_points, bool is_first)
{
    delta /= is_first ? DAMP : 2;
    delta += delta / n_points;
    uint32_t k = 0;
    for (; delta > (BASE - T_MIN) * T_MAX / 2; k += BASE)
        delta /= BASE - T_MIN;
    return k + (BASE - T_MIN + 1) * delta / (delta + SKEW);
}

/* A number of the generalised variable length, added to *i. Returns the bytes read, 0 when it is
 * malformed. */
static size_t take_delta(const char *at, size_t n, uint32_t bias, uint32_t *i)
{
    uint32_t weight = 1;
    for (size_t used = 0; used < n;) {
        uint32_t value = digit(at[used++]);
        uint32_t k = (uint32_t)used * BASE;
        uint32_t threshold = k <= bias ? T_MIN : k >= bias + T_MAX ? T_MAX : k - bias;
        if (value == BASE || value > (INT32_MAX - *i) / weight)
            return 0;
        *i += value * weight;
        if (value < threshold)
            return used;
        if (weight > INT32_MAX / (BASE - threshold))
            return 0;
        weight *= BASE - threshold;
    }
    return 0;
}

/* Code points of an identifier; -1 when it is malformed. `room` of them fit. */
static int decode(const char *at, size_t n, uint32_t *points, uint32_t room)
{
    uint32_t n_points = 0, point = FIRST_POINT, bias = FIRST_BIAS, i = 0;
    size_t next = 0;
    for (size_t k = n; k-- > 0;)
        if (at[k] == '_') {
            for (next = 0; next < k; next++) {
                if ((unsigned char)at[next] >= FIRST_POINT)
                    return -1;
                points[n_points++] = (unsigned char)at[next];
            }
            next++;
            break;
        }
    while (next < n) {
        uint32_t before = i;
        size_t used = take_delta(at + next, n - next, bias, &i);
        if (!used || n_points == room)
            return -1;
        next += used;
        n_points++;
        bias = adapted(i - before, n_points, before == 0);
        if (i / n_points > 0x10ffff - point)
            return -1;
        point += i / n_points;
        i %= n_points;
        if (point >= STAND_INS_END && point < 0xe000)
            return -1;
        memmove(points + i + 1, points + i, (n_points - 1 - i) * sizeof *points);
        points[i++] = point;
    }
    return (int)n_points;
}

static char *put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
    } else if (c < 0x800) {
        *out++ = (char)(0xc0 | c >> 6);
        *out++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = (char)(0xe0 | c >> 12);
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    } else {
        *out++ = (char)(0xf0 | c >> 18);
        *out++ = (char)(0x80 | (c >> 12 & 0x3f));
        *out++ = (char)(0x80 | (c >> 6 & 0x3f));
        *out++ = (char)(0x80 | (c & 0x3f));
    }
    return out;
}

const char *ms_sr_punycode(struct ms_sr *r, const char *at, size_t n, size_t *out_bytes)
{
    /* Inserting takes time in the square of the length. Each code point has a byte at least. */
    if (n > MS_SR_PUNYCODE) {
        ms_sr_fail(r, MS_NAME_TOO_LARGE);
        return NULL;
    }
    uint32_t points[MS_SR_PUNYCODE];
    int n_points = decode(at, n, points, MS_SR_PUNYCODE);
    if (n_points < 0)
        return NULL;
    char *text = ms_arena_take(r->arena, 4 * (size_t)n_points), *end = text;
    if (!text) {
        ms_sr_no_memory(r);
        return NULL;
    }
    for (int k = 0; k < n_points; k++) {
        bool stands_in = points[k] >= STAND_INS && points[k] < STAND_INS_END;
        end = put_utf8(end, stands_in ? points[k] - STAND_INS : points[k]);
    }
    *out_bytes = (size_t)(end - text);
    return text;
}
