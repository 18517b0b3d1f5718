#include "base/cursor.h"

struct ms_leb ms_uleb_slow(const uint8_t *at, const uint8_t *end)
{
    const struct ms_leb bad = {NULL, 0};
    uint64_t value = 0;
    for (unsigned shift = 0; at < end; shift += 7, at++) {
        uint64_t low = *at & 0x7f;
        if (shift < 64 ? (shift == 63 && low > 1) : low != 0)
            return bad;
        if (shift < 64)
            value |= low << shift;
        if (!(*at & 0x80))
            return (struct ms_leb){at + 1, value};
    }
    return bad;
}

void ms_cursor_skip_lebs(struct ms_cursor *c, uint64_t n)
{
    const uint64_t each = 0x0101010101010101u;
    const uint8_t *at = c->at;
    /* The last byte of each has a top bit of 0: counted in eight at a time. */
    for (uint64_t eight; n >= 8 && c->end - at >= 8; at += 8) {
        memcpy(&eight, at, 8);
        n -= ((~eight >> 7 & each) * each) >> 56;
    }
    while (n && at < c->end)
        n -= *at++ < 0x80;
    if (n)
        ms_cursor_spoil(c);
    else
        c->at = at;
}

int64_t ms_cursor_sleb(struct ms_cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t *p;
        if (!ms_cursor_take(c, 1, &p))
            return 0;
        uint64_t low = *p & 0x7f;
        if (shift < 63) {
            value |= low << shift;
        } else {
            /* Only copies of the sign may stand at bit 63 and above. */
            uint64_t sign = shift == 63 ? (low & 1) : value >> 63;
            if (low != (sign ? 0x7f : 0)) {
                ms_cursor_spoil(c);
                return 0;
            }
            if (shift == 63)
                value |= sign << 63;
        }
        if (*p & 0x80)
            continue;
        if (shift + 7 < 64 && (low & 0x40))
            value |= UINT64_MAX << (shift + 7);
        return (int64_t)value;
    }
}
