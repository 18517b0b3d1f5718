/* The few functions that belong to the public plain values of machsym/types.h. */
#include "machsym/types.h"

#include <string.h>

void ms_uuid_format(const struct ms_uuid *uuid, char text[MS_UUID_TEXT])
{
    static const char digits[] = "0123456789ABCDEF";
    char *to = text;
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *to++ = '-';
        *to++ = digits[uuid->byte[i] >> 4];
        *to++ = digits[uuid->byte[i] & 15];
    }
    *to = 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool ms_uuid_parse(const char *text, size_t n, struct ms_uuid *out)
{
    struct ms_uuid uuid = {{0}};
    int digits = 0;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '-')
            continue;
        int value = hex_digit(text[i]);
        if (value < 0 || digits == 32)
            return false;
        uuid.byte[digits / 2] = (uint8_t)(uuid.byte[digits / 2] << 4 | value);
        digits++;
    }
    if (digits != 32)
        return false;
    *out = uuid;
    return true;
}

bool ms_uuid_is_zero(const struct ms_uuid *uuid)
{
    static const struct ms_uuid zero;
    return ms_uuid_equal(uuid, &zero);
}

bool ms_uuid_equal(const struct ms_uuid *a, const struct ms_uuid *b)
{
    return memcmp(a->byte, b->byte, sizeof a->byte) == 0;
}

const char *ms_source_name(enum ms_source source)
{
    static const char *const names[] = {
        [MS_SOURCE_NONE] = "none",     [MS_SOURCE_DWARF] = "dwarf",
        [MS_SOURCE_DEBUG_MAP] = "debug-map", [MS_SOURCE_NLIST] = "nlist",
        [MS_SOURCE_OBJC] = "objc",     [MS_SOURCE_SWIFT] = "swift",
        [MS_SOURCE_EXPORT] = "export", [MS_SOURCE_STUB] = "stub",
        [MS_SOURCE_FUNCTION_START] = "function-start", [MS_SOURCE_REPORT] = "report",
    };
    return (size_t)source < sizeof names / sizeof *names ? names[source] : "none";
}

const char *ms_why_name(enum ms_why why)
{
    static const char *const names[] = {
        [MS_WHY_COMPLETE] = "complete",
        [MS_WHY_NO_IMAGE] = "no-image",
        [MS_WHY_UUID_DIFFERS] = "uuid-differs",
        [MS_WHY_NO_FILE] = "no-file",
        [MS_WHY_NO_SLIDE] = "no-slide",
        [MS_WHY_STRIPPED] = "stripped",
        [MS_WHY_OUTSIDE_CODE] = "outside-code",
        [MS_WHY_BAD_DEBUG_INFO] = "bad-debug-info",
        [MS_WHY_NO_OBJECT] = "no-object",
        [MS_WHY_STALE_OBJECT] = "stale-object",
    };
    return (size_t)why < sizeof names / sizeof *names ? names[why] : "complete";
}

/* Appends like snprintf: `at` counts on past `room`, nothing is written there. */
static size_t put(char *out, size_t room, size_t at, const char *text)
{
    for (; *text; text++, at++)
        if (at + 1 < room)
            out[at] = *text;
    return at;
}

size_t ms_frame_path(const struct ms_frame *frame, char *out, size_t room)
{
    if (room)
        out[0] = 0;
    if (!frame->file)
        return 0;
    const char *parts[3] = {frame->comp_dir, frame->dir, frame->file};
    int first = 0;
    for (int i = 0; i < 3; i++)
        if (parts[i] && parts[i][0] == '/')
            first = i;
    size_t n = 0;
    bool slash = true; /* nothing to separate from yet */
    for (int i = first; i < 3; i++) {
        if (!parts[i] || !parts[i][0])
            continue;
        if (!slash)
            n = put(out, room, n, "/");
        n = put(out, room, n, parts[i]);
        slash = parts[i][strlen(parts[i]) - 1] == '/';
    }
    if (room)
        out[n < room ? n : room - 1] = 0;
    return n;
}
