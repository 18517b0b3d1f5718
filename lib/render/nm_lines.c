#include "render/nm_lines.h"

#include <stdint.h>

/* What clang writes for '@' in the names of block descriptors. It does a terminal no harm. */
enum { CLANGS_AT = 1 };

void nm_lines_hex(struct nm_lines *lines, uint64_t value, unsigned digits)
{
    static const char hex[] = "0123456789abcdef";
    char *at = nm_lines_reserve(lines, 16);
    for (unsigned i = digits; i > 0; value >>= 4)
        at[--i] = hex[value & 15];
    lines->n += digits;
}

/* False when one of eight bytes is 0x80 or more, 0x7f, or below a blank. */
static bool is_ascii(const unsigned char *at)
{
    const uint64_t each = 0x0101010101010101u;
    uint64_t eight;
    memcpy(&eight, at, 8);
    return !((eight | (eight + each) | (eight - 0x20 * each)) & 0x80 * each);
}

/* How many bytes from the start belong to no control character, found out for eight at a time. */
static size_t plain_run(const unsigned char *at, size_t n)
{
    size_t i = 0;
    while (n - i >= 8 && is_ascii(at + i))
        i += 8;
    if (n - i < 8 && n >= 8 && is_ascii(at + n - 8))
        return n;
    for (; i < n; i++)
        if ((at[i] < 0x20 && at[i] != CLANGS_AT) || at[i] == 0x7f ||
            (at[i] == 0xc2 && i + 1 < n && at[i + 1] >= 0x80 && at[i + 1] < 0xa0))
            break;
    return i;
}

void nm_lines_plain(struct nm_lines *lines, const char *text, size_t n)
{
    const unsigned char *at = (const unsigned char *)text;
    for (;;) {
        size_t run = plain_run(at, n);
        nm_lines_add(lines, (const char *)at, run);
        if (run == n)
            return;
        size_t cut = at[run] == 0xc2 ? 2 : 1; /* two bytes make one character */
        at += run + cut;
        n -= run + cut;
        nm_lines_putc(lines, '?');
    }
}
