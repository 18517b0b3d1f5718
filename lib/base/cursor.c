#include "base/cursor.h"

uint64_t ms_cursor_uleb_slow(struct ms_cursor *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint8_t *p;
        if (!ms_cursor_take(c, 1, &p))
            return 0;
        uint64_t low = *p & 0x7f;
        if (shift < 64 ? (shift == 63 && low > 1) : low != 0) {
            ms_cursor_spoil(c);
            return 0;
        }
        if (shift < 64)
            value |= low << shift;
        if (!(*p & 0x80))
            return value;
    }
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
