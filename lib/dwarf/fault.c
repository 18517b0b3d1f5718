#include "dwarf/fault.h"

#include <stdio.h>

enum ms_status ms_dwarf_fail(struct ms_error *err, enum ms_status status, const char *image,
                             const char *section, uint64_t offset, const char *format, ...)
{
    char where[1024], text[sizeof err->text];
    va_list arguments;
    if (image && image[0])
        snprintf(where, sizeof where, "%.*s %s", (int)(sizeof where - 300), image, section);
    else
        snprintf(where, sizeof where, "%s", section);
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ms_fail(err, status, where, offset, "%s", text);
}
