#include "machsym/output.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the sink ------------------------------------------------------------------------ */

static void fail(struct ms_sink *sink)
{
    sink->failed = true;
    sink->at = sink->end = NULL;
}

/* What doesn't fit into the room that the owner lends. */
static void write_through(struct ms_sink *sink, const char *bytes, size_t n)
{
    if (!sink->failed && n && !sink->write(sink->to, bytes, n))
        fail(sink);
}

/* Most of what is written is shorter than what calling memcpy is worth. */
static inline void copy_short(char *to, const char *from, size_t n)
{
    if (n > 16) {
        memcpy(to, from, n);
    } else if (n >= 8) {
        memcpy(to, from, 8);
        memcpy(to + n - 8, from + n - 8, 8);
    } else if (n >= 4) {
        memcpy(to, from, 4);
        memcpy(to + n - 4, from + n - 4, 4);
    } else {
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
    }
}

static inline void put(struct ms_sink *sink, const char *bytes, size_t n)
{
    if (n >= (size_t)(sink->end - sink->at)) {
        write_through(sink, bytes, n);
        return;
    }
    copy_short(sink->at, bytes, n);
    sink->at += n;
}

void ms_sink_write(struct ms_sink *sink, const char *bytes, size_t n)
{
    put(sink, bytes, n);
}

void ms_sink_puts(struct ms_sink *sink, const char *text)
{
    put(sink, text, strlen(text));
}

static bool is_control(const unsigned char *at)
{
    return *at < 0x20 || *at == 0x7f || (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0);
}

#define EACH_BYTE 0x0101010101010101u

/* Top bits for what isn't plain ASCII among eight bytes: of 0x80 or more, 0x7f, or below a blank.
 * One of them may make others look like it. */
static inline uint64_t not_plain(const unsigned char *at)
{
    uint64_t eight;
    memcpy(&eight, at, 8);
    return eight | (eight + EACH_BYTE) | (eight - 0x20 * EACH_BYTE);
}

static inline bool eight_are_plain(const unsigned char *at)
{
    return !(not_plain(at) & 0x80 * EACH_BYTE);
}

/* How many bytes from `at` on are none of a control character: found out for eight at a time. */
static size_t plain_run(const unsigned char *at, size_t n)
{
    size_t i = 0;
    while (n - i >= 16 && !((not_plain(at + i) | not_plain(at + i + 8)) & 0x80 * EACH_BYTE))
        i += 16;
    if (n - i >= 8 && eight_are_plain(at + i))
        i += 8;
    if (n - i < 8 && n >= 8 && eight_are_plain(at + n - 8))
        return n;
    while (i < n && !is_control(at + i))
        i++;
    return i;
}

void ms_sink_plain(struct ms_sink *sink, const char *text)
{
    ms_sink_plain_n(sink, text, strlen(text));
}

void ms_sink_plain_n(struct ms_sink *sink, const char *text, size_t n_text)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + n_text;
    while (at < end) {
        size_t n = plain_run(at, (size_t)(end - at));
        put(sink, (const char *)at, n);
        at += n;
        if (at == end)
            return;
        at += *at == 0xc2 ? 2 : 1; /* two bytes make one character */
        ms_sink_write(sink, "?", 1);
    }
}

void ms_sink_uint(struct ms_sink *sink, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    for (; value >= 10; value /= 100) { /* two at a time, since each waits for the one before */
        unsigned two = (unsigned)(value % 100);
        digits[--at] = (char)('0' + two % 10);
        digits[--at] = (char)('0' + two / 10);
    }
    if (value || at == sizeof digits)
        digits[--at] = (char)('0' + value);
    put(sink, digits + at, sizeof digits - at);
}

void ms_sink_printf(struct ms_sink *sink, const char *format, ...)
{
    char small[512];
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    if (n < 0) {
        fail(sink);
    } else if ((size_t)n < sizeof small) {
        ms_sink_write(sink, small, (size_t)n);
    } else {
        char *large = sink->failed ? NULL : malloc((size_t)n + 1);
        if (large) {
            vsnprintf(large, (size_t)n + 1, format, again);
            ms_sink_write(sink, large, (size_t)n);
            free(large);
        } else {
            fail(sink);
        }
    }
    va_end(again);
}

/* ---- JSON ---------------------------------------------------------------------------- */

void ms_json_init(struct ms_json *json, struct ms_sink *sink, unsigned indent)
{
    memset(json, 0, sizeof *json);
    json->sink = sink;
    json->indent = indent;
}

static void new_line(struct ms_json *json)
{
    static const char blanks[] = "                                ";
    if (!json->indent)
        return;
    put(json->sink, "\n", 1);
    size_t left = (size_t)json->indent * json->depth;
    while (left) {
        size_t part = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
        put(json->sink, blanks, part);
        left -= part;
    }
}

/* Puts what separates a value (or a key) from what stands before it. */
static void separate(struct ms_json *json)
{
    if (json->after_key) {
        json->after_key = false;
        return;
    }
    if (json->depth == 0)
        return;
    bool *has_member = &json->has_member[json->depth - 1];
    if (*has_member)
        put(json->sink, ",", 1);
    *has_member = true;
    new_line(json);
}

static void open_level(struct ms_json *json, const char *bracket)
{
    separate(json);
    put(json->sink, bracket, 1);
    if (json->depth == MS_JSON_DEPTH) {
        /* The caller's mistake. Failing is better than a document with brackets missing. */
        fail(json->sink);
        return;
    }
    json->has_member[json->depth++] = false;
}

static void close_level(struct ms_json *json, const char *bracket)
{
    if (json->depth == 0) {
        fail(json->sink);
        return;
    }
    json->depth--;
    if (json->has_member[json->depth])
        new_line(json);
    put(json->sink, bracket, 1);
}

void ms_json_raw(struct ms_json *json, const char *text, size_t n)
{
    separate(json);
    put(json->sink, text, n);
}

void ms_json_object(struct ms_json *json)
{
    open_level(json, "{");
}

void ms_json_object_end(struct ms_json *json)
{
    close_level(json, "}");
}

void ms_json_array(struct ms_json *json)
{
    open_level(json, "[");
}

void ms_json_array_end(struct ms_json *json)
{
    close_level(json, "]");
}

void ms_json_key(struct ms_json *json, const char *key)
{
    ms_json_string(json, key);
    put(json->sink, ": ", json->indent ? 2 : 1);
    json->after_key = true;
}

void ms_json_string_n(struct ms_json *json, const char *text, size_t n)
{
    separate(json);
    put(json->sink, "\"", 1);
    ms_json_escape(json->sink, text, n);
    put(json->sink, "\"", 1);
}

void ms_json_string(struct ms_json *json, const char *text)
{
    if (text) {
        ms_json_string_n(json, text, strlen(text));
        return;
    }
    separate(json);
    ms_sink_puts(json->sink, "null");
}

void ms_json_uint(struct ms_json *json, uint64_t value)
{
    separate(json);
    ms_sink_uint(json->sink, value);
}

void ms_json_int(struct ms_json *json, int64_t value)
{
    separate(json);
    ms_sink_printf(json->sink, "%" PRId64, value);
}

void ms_json_bool(struct ms_json *json, bool value)
{
    separate(json);
    ms_sink_puts(json->sink, value ? "true" : "false");
}

void ms_json_address(struct ms_json *json, uint64_t value)
{
    separate(json);
    ms_sink_printf(json->sink, "\"0x%" PRIx64 "\"", value);
}

void ms_json_field(struct ms_json *json, const char *key, const char *text)
{
    if (!text)
        return;
    ms_json_key(json, key);
    ms_json_string(json, text);
}

void ms_json_field_uint(struct ms_json *json, const char *key, uint64_t value)
{
    ms_json_key(json, key);
    ms_json_uint(json, value);
}

void ms_json_field_address(struct ms_json *json, const char *key, uint64_t value)
{
    ms_json_key(json, key);
    ms_json_address(json, value);
}

void ms_json_field_bool(struct ms_json *json, const char *key, bool value)
{
    ms_json_key(json, key);
    ms_json_bool(json, value);
}

/* ---- strings ------------------------------------------------------------------------- */

/*
 * How many of the n bytes (n > 0, the first above 0x7f) make up one character, by the table of
 * well-formed sequences (Unicode, table 3-7): no overlong forms, no surrogates, nothing above
 * U+10FFFF. 0 when they don't; then *bad is how many bytes one U+FFFD stands for.
 */
static size_t utf8_length(const unsigned char *at, size_t n, size_t *bad)
{
    unsigned char first = at[0], low = 0x80, high = 0xbf;
    size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    *bad = 1;
    if (first < 0xc2 || first > 0xf4)
        return 0;
    if (first == 0xe0)
        low = 0xa0;
    else if (first == 0xed)
        high = 0x9f;
    else if (first == 0xf0)
        low = 0x90;
    else if (first == 0xf4)
        high = 0x8f;
    for (size_t i = 1; i < length; i++) {
        if (i == n || at[i] < low || at[i] > high) {
            *bad = i;
            return 0;
        }
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

static void escape_one(struct ms_sink *sink, unsigned char c)
{
    static const char named[] = "\b\f\n\r\t\"\\", letters[] = "bfnrt\"\\";
    const char *found = c ? strchr(named, c) : NULL;
    if (found) {
        char pair[2] = {'\\', letters[found - named]};
        put(sink, pair, 2);
    } else {
        ms_sink_printf(sink, "\\u%04x", c);
    }
}

void ms_json_escape(struct ms_sink *sink, const char *text, size_t n)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t done = 0, i = 0; /* bytes [done, i) stand as they are */
    while (i < n) {
        size_t bad = 0, length = 1;
        if (at[i] >= 0x80)
            length = utf8_length(at + i, n - i, &bad);
        else if (at[i] < 0x20 || at[i] == '"' || at[i] == '\\')
            length = 0;
        if (length) {
            i += length;
            continue;
        }
        put(sink, text + done, i - done);
        if (bad)
            put(sink, "\xef\xbf\xbd", 3);
        else
            escape_one(sink, at[i]);
        i += bad ? bad : 1;
        done = i;
    }
    if (n > done)
        put(sink, text + done, n - done);
}
