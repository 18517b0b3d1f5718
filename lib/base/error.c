#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void ms_text_keep_end(char *out, size_t room, const char *text)
{
    static const char mark[] = "...";
    size_t n = strlen(text);
    const char *cut = "";
    if (n >= room && room > sizeof mark) {
        text += n - (room - sizeof mark);
        while (((unsigned char)*text & 0xc0) == 0x80) /* not within a character */
            text++;
        cut = mark;
    }
    snprintf(out, room, "%s%s", cut, text);
}

static void fill(struct ms_error *err, enum ms_status status, int number, const char *where,
                 uint64_t offset, const char *format, va_list args)
{
    if (!err)
        return;
    err->status = status;
    err->sys_errno = number;
    err->offset = offset;
    ms_text_keep_end(err->where, sizeof err->where, where ? where : "");
    vsnprintf(err->text, sizeof err->text, format, args);
}

enum ms_status ms_fail(struct ms_error *err, enum ms_status status, const char *where,
                       uint64_t offset, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, 0, where, offset, format, args);
    va_end(args);
    return status;
}

enum ms_status ms_fail_io(struct ms_error *err, const char *where, int number, const char *format,
                          ...)
{
    enum ms_status status = number == ENOMEM ? MS_E_NOMEM : MS_E_IO;
    va_list args;
    va_start(args, format);
    fill(err, status, number, where, MS_NO_OFFSET, format, args);
    va_end(args);
    return status;
}

enum ms_status ms_fail_memory(struct ms_error *err)
{
    return ms_fail(err, MS_E_NOMEM, NULL, MS_NO_OFFSET, "out of memory");
}

const char *ms_error_describe(const struct ms_error *error, char out[MS_ERROR_LINE])
{
    size_t n = 0;
    const size_t room = MS_ERROR_LINE;
    if (error->where[0])
        n += (size_t)snprintf(out + n, room - n, "%s", error->where);
    if (error->offset != MS_NO_OFFSET)
        n += (size_t)snprintf(out + n, room - n, "%sat 0x%llx", n ? " " : "",
                              (unsigned long long)error->offset);
    n += (size_t)snprintf(out + n, room - n, "%s%s", n ? ": " : "", error->text);
    if (error->sys_errno)
        snprintf(out + n, room - n, ": %s", strerror(error->sys_errno));
    /* Names come from untrusted files: a newline or an escape in one must not reach a terminal. */
    ms_text_make_plain(out);
    return out;
}

void ms_text_make_plain(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++) {
        if (*c < 0x20 || *c == 0x7f)
            *c = '?';
        else if (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
            c[0] = c[1] = '?';
    }
}
