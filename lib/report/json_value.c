/* What the values of a JSON document say; report/json_scan.h. */
#include "report/json_scan.h"

#include <string.h>

/* ---- numbers --------------------------------------------------------------------------- */

static bool read_decimal(const uint8_t *at, size_t n, uint64_t *out)
{
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++) {
        if (at[i] < '0' || at[i] > '9')
            return false;
        if (ms_mul_overflows(value, 10, &value) ||
            ms_add_overflows(value, (uint64_t)(at[i] - '0'), &value))
            return false;
    }
    *out = value;
    return n != 0;
}

static int hex_digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_hex(const uint8_t *at, size_t n, uint64_t *out)
{
    uint64_t value = 0;
    if (n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0 || value >> 60)
            return false;
        value = value << 4 | (uint64_t)digit;
    }
    *out = value;
    return true;
}

bool ms_json_u64(struct ms_bytes in, struct ms_json_value value, uint64_t *out)
{
    bool text = value.kind == MS_JSON_STRING;
    if (!text && value.kind != MS_JSON_NUMBER)
        return false;
    const uint8_t *at = in.at + value.off + text;
    size_t n = value.n - (text ? 2 : 0);
    if (text && n > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
        return read_hex(at + 2, n - 2, out);
    if (n && at[0] == '-') {
        uint64_t size;
        if (!read_decimal(at + 1, n - 1, &size) || size > (uint64_t)1 << 63)
            return false;
        *out = 0 - size;
        return true;
    }
    return read_decimal(at, n, out);
}

bool ms_json_index(struct ms_bytes in, struct ms_json_value value, uint32_t *out)
{
    uint64_t number;
    if (!ms_json_u64(in, value, &number) || number > INT32_MAX)
        return false;
    *out = (uint32_t)number;
    return true;
}

bool ms_json_truth(struct ms_bytes in, struct ms_json_value value)
{
    uint64_t number;
    if (value.kind == MS_JSON_NUMBER)
        return !ms_json_u64(in, value, &number) || number != 0;
    return value.kind == MS_JSON_TRUE;
}

/* ---- strings --------------------------------------------------------------------------- */

struct ms_json_value ms_json_inside(struct ms_json_value value)
{
    struct ms_json_value inside = {MS_JSON_BAD, false, value.off, 0};
    if (value.kind == MS_JSON_STRING) {
        inside.off++;
        inside.n = value.n - 2;
    }
    return inside;
}

/* The longest that one character or escape says. */
enum { ONE_ROOM = 4 };

static size_t put_utf8(char out[ONE_ROOM], uint32_t c)
{
    static const uint8_t lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (c & 0x3f));
        c >>= 6;
    }
    out[0] = (char)(lead[n == 1 ? 0 : n] | c);
    return n;
}

/* The value of four hexadecimal digits at `at`, or -1. */
static int32_t read_hex4(const uint8_t *at, size_t n)
{
    uint64_t value;
    return n >= 4 && read_hex(at, 4, &value) ? (int32_t)value : -1;
}

static size_t put_two(char out[ONE_ROOM], const uint8_t *at)
{
    memcpy(out, at, 2);
    return 2;
}

/* A \u escape, with the second half of a pair where one follows. */
static size_t put_unicode(char out[ONE_ROOM], const uint8_t *at, size_t n, size_t *used)
{
    int32_t c = read_hex4(at + 2, n - 2);
    if (c < 0) {
        *used = 2;
        return put_two(out, at);
    }
    *used = 6;
    if (c < 0xd800 || c > 0xdfff)
        return put_utf8(out, (uint32_t)c);
    if (c < 0xdc00 && n >= 12 && at[6] == '\\' && at[7] == 'u') {
        int32_t low = read_hex4(at + 8, n - 8);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *used = 12;
            return put_utf8(out, 0x10000 + (((uint32_t)c & 0x3ff) << 10 | ((uint32_t)low & 0x3ff)));
        }
    }
    return put_utf8(out, 0xfffd);
}

/* What the escape at `at`, which is a backslash, says; *used is its length. */
static size_t put_escape(char out[ONE_ROOM], const uint8_t *at, size_t n, size_t *used)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    *used = n < 2 ? 1 : 2;
    out[0] = (char)at[0];
    if (n < 2)
        return 1;
    if (at[1] == 'u')
        return put_unicode(out, at, n, used);
    const char *which = at[1] ? strchr(from, at[1]) : NULL;
    if (!which)
        return put_two(out, at);
    out[0] = to[which - from];
    return 1;
}

void ms_json_unescape(struct ms_text *text, struct ms_bytes in, size_t off, size_t n)
{
    const uint8_t *at = in.at + off;
    char one[ONE_ROOM];
    while (n) {
        const uint8_t *slash = memchr(at, '\\', n);
        size_t plain = slash ? (size_t)(slash - at) : n, used = 0;
        if (plain)
            ms_text_add(text, (const char *)at, plain);
        at += plain;
        n -= plain;
        if (n)
            ms_text_add(text, one, put_escape(one, at, n, &used));
        at += used;
        n -= used;
    }
}

size_t ms_json_unescape_to(char *room, size_t room_bytes, struct ms_bytes in, size_t off, size_t n)
{
    const uint8_t *at = in.at + off;
    size_t length = 0, used, put;
    for (; n; at += used, n -= used) {
        char one[ONE_ROOM] = {(char)*at};
        used = put = 1;
        if (*at == '\\')
            put = put_escape(one, at, n, &used);
        if (put > room_bytes - length)
            return room_bytes;
        memcpy(room + length, one, put);
        length += put;
    }
    return length;
}

void ms_json_add(struct ms_text *text, struct ms_bytes in, struct ms_json_value value)
{
    struct ms_json_value inside = ms_json_inside(value);
    if (value.kind == MS_JSON_STRING)
        ms_json_unescape(text, in, inside.off, inside.n);
    else if (value.kind >= MS_JSON_FALSE && value.kind <= MS_JSON_NUMBER)
        ms_text_add(text, (const char *)in.at + value.off, value.n);
}

bool ms_json_says(struct ms_bytes in, struct ms_json_value value, const char *text)
{
    struct ms_json_value inside = ms_json_inside(value);
    size_t n = strlen(text);
    char room[MS_JSON_NAME_ROOM];
    if (value.kind != MS_JSON_STRING)
        return false;
    const uint8_t *at = in.at + inside.off;
    if (!memchr(at, '\\', inside.n))
        return inside.n == n && memcmp(at, text, n) == 0;
    return n < sizeof room &&
           ms_json_unescape_to(room, sizeof room, in, inside.off, inside.n) == n &&
           memcmp(room, text, n) == 0;
}
