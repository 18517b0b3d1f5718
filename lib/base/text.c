#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ms_text_init(struct ms_text *text, size_t max)
{
    memset(text, 0, sizeof *text);
    text->max = max;
}

void ms_text_init_on(struct ms_text *text, size_t max, char *at, size_t room)
{
    ms_text_init(text, max);
    text->at = at;
    text->at[0] = 0;
    text->room = room <= max ? room : max + 1;
    text->borrowed = true;
}

void ms_text_fini(struct ms_text *text)
{
    if (!text->borrowed)
        free(text->at);
    ms_text_init(text, text->max);
}

void ms_text_clear(struct ms_text *text)
{
    text->n = 0;
    text->failed = false;
    if (text->at)
        text->at[0] = 0;
}

bool ms_text_reserve(struct ms_text *text, size_t n)
{
    if (text->failed || n > text->max - text->n) {
        text->failed = true;
        return false;
    }
    size_t need = text->n + n + 1;
    if (need <= text->room)
        return true;
    size_t room = text->room ? text->room : 128;
    while (room < need)
        room += room / 2 + 1;
    if (room > text->max) /* appending looks at the room alone */
        room = text->max + 1;
    char *at = realloc(text->borrowed ? NULL : text->at, room);
    if (!at) {
        text->failed = true;
        return false;
    }
    if (text->borrowed)
        memcpy(at, text->at, text->n + 1);
    text->borrowed = false;
    text->at = at;
    text->room = room;
    return true;
}

void ms_text_printf(struct ms_text *text, const char *format, ...)
{
    char small[256];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0) {
        text->failed = true;
    } else if ((size_t)n < sizeof small) {
        ms_text_add(text, small, (size_t)n);
    } else if (ms_text_reserve(text, (size_t)n)) {
        vsnprintf(text->at + text->n, (size_t)n + 1, format, again);
        text->n += (size_t)n;
    }
    va_end(again);
}

void ms_text_plain_from(struct ms_text *text, size_t from, bool lines)
{
    for (size_t i = from; !text->failed && i < text->n; i++) {
        unsigned char *c = (unsigned char *)text->at + i;
        bool line = lines && (*c == '\n' || *c == '\t');
        if ((*c < 0x20 && !line) || *c == 0x7f)
            *c = '?';
        else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0) /* c[1] may be the final NUL */
            c[0] = c[1] = '?';
    }
}

enum ms_status ms_text_check(const struct ms_text *text, struct ms_error *err)
{
    if (!text->failed)
        return MS_OK;
    if (text->max - text->n < 4096)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "text exceeds its limit of %zu bytes",
                       text->max);
    return ms_fail_memory(err);
}
