/**
 * render/nm_lines.h: lines put together in a block of memory and handed to the sink a block at
 * a time, since a call a piece costs more than the piece.
 */
#ifndef MS_RENDER_NM_LINES_H
#define MS_RENDER_NM_LINES_H

#include "machsym/output.h"

#include <string.h>

struct nm_lines {
    struct ms_sink *sink;
    size_t n;
    char room[1 << 15];
};

static inline void nm_lines_flush(struct nm_lines *lines)
{
    ms_sink_write(lines->sink, lines->room, lines->n);
    lines->n = 0;
}

/* Room for n bytes, no more than a few hundred. */
static inline char *nm_lines_reserve(struct nm_lines *lines, size_t n)
{
    if (n > sizeof lines->room - lines->n)
        nm_lines_flush(lines);
    return lines->room + lines->n;
}

static inline void nm_lines_add(struct nm_lines *lines, const char *text, size_t n)
{
    if (n > sizeof lines->room - lines->n) {
        nm_lines_flush(lines);
        if (n > sizeof lines->room) {
            ms_sink_write(lines->sink, text, n);
            return;
        }
    }
    if (n)
        memcpy(lines->room + lines->n, text, n);
    lines->n += n;
}

static inline void nm_lines_puts(struct nm_lines *lines, const char *text)
{
    nm_lines_add(lines, text, strlen(text));
}

static inline void nm_lines_putc(struct nm_lines *lines, char c)
{
    *nm_lines_reserve(lines, 1) = c;
    lines->n++;
}

/* `digits` hexadecimal digits, 16 at most. */
void nm_lines_hex(struct nm_lines *lines, uint64_t value, unsigned digits);
/* A name out of a file: control characters come out as '?', but for the \1 that clang makes. */
void nm_lines_plain(struct nm_lines *lines, const char *text, size_t n);

#endif
