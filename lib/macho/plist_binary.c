/*
 * macho/plist_binary.c: "bplist00", the form that Xcode gives an app's Info.plist. Objects refer
 * to each other by number, so that a few bytes can spell a list of any size, or one without an
 * end: the builder's bounds on depth and on the number of values hold both, and a budget holds the
 * bytes of strings that are used again and again.
 */
#include "base/cursor.h"
#include "macho/plist_tree.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct reader {
    struct ms_plist_builder *b;
    struct ms_bytes in;
    uint64_t n_objects, table_off;
    unsigned offset_bytes, ref_bytes;
    uint64_t copied;  /* bytes of text so far */
    bool is_too_much; /* a text was not copied */
};

/* Real lists copy less than they are long. */
enum { MAX_COPIED = 64 << 20 };

/* An open dictionary or array: its references, read one after another. */
struct level {
    struct ms_cursor keys, values;
    uint64_t left, off;
    bool is_dict;
};

static enum ms_status bad(const struct reader *r, uint64_t off, const char *what,
                          struct ms_error *err)
{
    return ms_fail(err, MS_E_FORMAT, r->b->where, off, "%s", what);
}

static enum ms_status read_trailer(struct reader *r, uint64_t *top, struct ms_error *err)
{
    struct ms_bytes trailer;
    if (r->in.n < 40 || memcmp(r->in.at, "bplist0", 7) != 0)
        return bad(r, 0, "not a binary property list of version 0", err);
    (void)ms_bytes_part(r->in, r->in.n - 32, 32, &trailer);
    struct ms_cursor c = ms_cursor_over(trailer, true);
    ms_cursor_skip(&c, 6);
    r->offset_bytes = ms_cursor_u8(&c);
    r->ref_bytes = ms_cursor_u8(&c);
    r->n_objects = ms_cursor_u64(&c);
    *top = ms_cursor_u64(&c);
    r->table_off = ms_cursor_u64(&c);
    uint64_t table_bytes;
    if (r->offset_bytes < 1 || r->offset_bytes > 8 || r->ref_bytes < 1 || r->ref_bytes > 8 ||
        *top >= r->n_objects || r->table_off > r->in.n - 32 ||
        ms_mul_overflows(r->n_objects, r->offset_bytes, &table_bytes) ||
        table_bytes > r->in.n - 32 - r->table_off)
        return bad(r, r->in.n - 32, "the trailer's table of objects lies outside", err);
    return MS_OK;
}

/* Big-endian, of 1 to 8 bytes. */
static uint64_t read_uint(struct ms_cursor *c, unsigned n)
{
    uint64_t value = 0;
    while (n--)
        value = value << 8 | ms_cursor_u8(c);
    return value;
}

/* A cursor at the object's marker. */
static bool seek_object(const struct reader *r, uint64_t number, struct ms_cursor *c)
{
    if (number >= r->n_objects)
        return false;
    struct ms_cursor table = ms_cursor_over(r->in, true);
    ms_cursor_seek(&table, r->table_off + number * r->offset_bytes);
    uint64_t off = read_uint(&table, r->offset_bytes);
    *c = ms_cursor_over(r->in, true);
    ms_cursor_seek(c, off);
    return !table.bad && !c->bad && off < r->table_off;
}

/* The count in a marker's lower half; 15 = an integer object with the count follows. */
static uint64_t read_count(struct ms_cursor *c, unsigned low)
{
    if (low < 15)
        return low;
    unsigned marker = ms_cursor_u8(c);
    if (marker >> 4 != 1 || (marker & 15) > 3) {
        ms_cursor_spoil(c);
        return 0;
    }
    return read_uint(c, 1u << (marker & 15));
}

static bool spend(struct reader *r, size_t n)
{
    r->copied += n;
    r->is_too_much = r->is_too_much || r->copied > MAX_COPIED;
    return !r->is_too_much;
}

static const char *copy(struct reader *r, struct ms_bytes bytes)
{
    if (!spend(r, bytes.n))
        return "";
    return ms_arena_copy(&r->b->tree->arena, bytes.n ? (const char *)bytes.at : "", bytes.n);
}

/* UTF-16BE to UTF-8: at most three bytes for two, since a pair makes four. */
static const char *copy_utf16(struct reader *r, struct ms_bytes bytes, size_t *n)
{
    *n = 0;
    if (!spend(r, bytes.n / 2 * 3))
        return "";
    char *out = ms_arena_take(&r->b->tree->arena, bytes.n / 2 * 3 + 1), *to = out;
    if (!out)
        return NULL;
    for (size_t i = 0; i + 1 < bytes.n; i += 2) {
        uint32_t c = (uint32_t)bytes.at[i] << 8 | bytes.at[i + 1];
        if ((c & 0xfc00) == 0xd800 && i + 3 < bytes.n && (bytes.at[i + 2] & 0xfc) == 0xdc) {
            uint32_t low = (uint32_t)bytes.at[i + 2] << 8 | bytes.at[i + 3];
            c = 0x10000 + ((c & 0x3ff) << 10) + (low & 0x3ff);
            i += 2;
        } else if ((c & 0xf800) == 0xd800) {
            c = 0xfffd;
        }
        if (c < 0x80) {
            *to++ = (char)c;
        } else if (c < 0x800) {
            *to++ = (char)(0xc0 | c >> 6);
            *to++ = (char)(0x80 | (c & 0x3f));
        } else if (c < 0x10000) {
            *to++ = (char)(0xe0 | c >> 12);
            *to++ = (char)(0x80 | (c >> 6 & 0x3f));
            *to++ = (char)(0x80 | (c & 0x3f));
        } else {
            *to++ = (char)(0xf0 | c >> 18);
            *to++ = (char)(0x80 | (c >> 12 & 0x3f));
            *to++ = (char)(0x80 | (c >> 6 & 0x3f));
            *to++ = (char)(0x80 | (c & 0x3f));
        }
    }
    *to = 0;
    *n = (size_t)(to - out);
    return out;
}

static bool read_string(struct reader *r, struct ms_cursor *c, unsigned marker, const char **text,
                        size_t *n)
{
    uint64_t count = read_count(c, marker & 15);
    bool wide = marker >> 4 == 6;
    if (wide && count > ms_cursor_left(c) / 2)
        ms_cursor_spoil(c);
    struct ms_bytes bytes = ms_cursor_bytes(c, wide ? count * 2 : count);
    *n = bytes.n;
    *text = wide ? copy_utf16(r, bytes, n) : copy(r, bytes);
    return *text != NULL;
}

/* Seconds since 2001 as the text that XML has. */
static const char *date_text(struct reader *r, double seconds, size_t *n)
{
    char text[40];
    struct tm tm;
    time_t at = seconds > -6e10 && seconds < 2e11 ? (time_t)seconds + 978307200 : 0;
    memset(&tm, 0, sizeof tm);
    if (!gmtime_r(&at, &tm))
        memset(&tm, 0, sizeof tm);
    *n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return ms_arena_copy(&r->b->tree->arena, text, *n);
}

static double read_real(struct ms_cursor *c, unsigned low)
{
    if (low == 2) {
        uint32_t bits = ms_cursor_u32(c);
        float value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint64_t bits = ms_cursor_u64(c);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static bool read_number(struct reader *r, struct ms_cursor *c, unsigned marker,
                        struct ms_plist *value)
{
    unsigned low = marker & 15;
    char text[40];
    if (marker >> 4 == 1) {
        value->kind = MS_PLIST_INTEGER;
        if (low == 4)
            ms_cursor_skip(c, 8); /* an unsigned one past 2^63 takes 16 bytes */
        if (low > 4)
            ms_cursor_spoil(c);
        value->number = read_uint(c, low >= 3 ? 8 : 1u << low);
        value->is_negative = low == 3 && value->number >> 63;
        if (value->is_negative)
            value->number = 0 - value->number;
        return true;
    }
    if (low != 2 && low != 3)
        ms_cursor_spoil(c);
    double number = read_real(c, low);
    value->kind = marker == 0x33 ? MS_PLIST_DATE : MS_PLIST_REAL;
    if (value->kind == MS_PLIST_DATE) {
        value->text = date_text(r, number, &value->text_bytes);
    } else {
        value->text_bytes = (size_t)snprintf(text, sizeof text, "%.17g", number);
        value->text = ms_arena_copy(&r->b->tree->arena, text, value->text_bytes);
    }
    return value->text != NULL;
}

/* Everything but containers. False without memory; the cursor is bad for what can't be. */
static bool read_leaf(struct reader *r, struct ms_cursor *c, unsigned marker,
                      struct ms_plist *value)
{
    switch (marker >> 4) {
    case 0:
        value->kind = MS_PLIST_BOOL;
        value->boolean = marker == 9;
        if (marker != 8 && marker != 9)
            ms_cursor_spoil(c);
        return true;
    case 1:
    case 2:
    case 3:
        return read_number(r, c, marker, value);
    case 4:
        value->kind = MS_PLIST_DATA;
        value->text_bytes = (size_t)read_count(c, marker & 15);
        value->text = copy(r, ms_cursor_bytes(c, value->text_bytes));
        return value->text != NULL;
    case 5:
    case 6:
    case 7: /* UTF-8, in lists of later systems */
        value->kind = MS_PLIST_STRING;
        return read_string(r, c, marker, &value->text, &value->text_bytes);
    case 8: /* a UID of an archive of objects: a number */
        value->kind = MS_PLIST_INTEGER;
        value->number = read_uint(c, (marker & 15) < 8 ? (marker & 15) + 1 : 8);
        return true;
    }
    ms_cursor_spoil(c);
    return true;
}

static bool open_level(const struct reader *r, struct ms_cursor *c, unsigned marker,
                       struct level *level)
{
    level->off = ms_cursor_offset(c) - 1;
    level->is_dict = marker >> 4 == 13;
    level->left = read_count(c, marker & 15);
    uint64_t bytes = 0;
    if (ms_mul_overflows(level->left, r->ref_bytes, &bytes) || bytes > ms_cursor_left(c))
        ms_cursor_spoil(c);
    level->keys = level->values = *c;
    if (level->is_dict)
        ms_cursor_skip(&level->values, bytes);
    return !c->bad && !level->values.bad;
}

static enum ms_status read_key(struct reader *r, struct level *level, struct ms_error *err)
{
    struct ms_cursor c;
    const char *text = NULL;
    size_t n = 0;
    unsigned marker = 0;
    if (!seek_object(r, read_uint(&level->keys, r->ref_bytes), &c))
        return bad(r, level->off, "a key's object lies outside", err);
    uint64_t off = ms_cursor_offset(&c);
    marker = ms_cursor_u8(&c);
    if (marker >> 4 < 5 || marker >> 4 > 7)
        return bad(r, off, "a key that is no string", err);
    if (!read_string(r, &c, marker, &text, &n))
        return ms_fail_memory(err);
    if (c.bad)
        return bad(r, off, "a string that reaches past the end", err);
    return ms_plist_key(r->b, text, n, off, err);
}

/* Adds the object; *level is filled when it is a container. */
static enum ms_status read_object(struct reader *r, uint64_t number, uint64_t from_off,
                                  struct level *level, bool *is_container, struct ms_error *err)
{
    struct ms_cursor c;
    struct ms_plist value;
    memset(&value, 0, sizeof value);
    if (!seek_object(r, number, &c))
        return bad(r, from_off, "an object lies outside", err);
    uint64_t off = ms_cursor_offset(&c);
    unsigned marker = ms_cursor_u8(&c), kind = marker >> 4;
    *is_container = kind == 10 || kind == 12 || kind == 13;
    if (*is_container) {
        value.kind = kind == 13 ? MS_PLIST_DICT : MS_PLIST_ARRAY;
        if (!open_level(r, &c, marker, level))
            return bad(r, off, "a container that reaches past the end", err);
    } else if (!read_leaf(r, &c, marker, &value)) {
        return ms_fail_memory(err);
    } else if (c.bad) {
        return bad(r, off, "an object of an unknown kind, or past the end", err);
    }
    return ms_plist_add(r->b, &value, off, err);
}

static enum ms_status too_much(const struct reader *r, struct ms_error *err)
{
    return ms_fail(err, MS_E_LIMIT, r->b->where, MS_NO_OFFSET,
                   "texts that are used so often that they take more than %d bytes", MAX_COPIED);
}

enum ms_status ms_plist_read_binary(struct ms_plist_builder *b, struct ms_bytes in,
                                    struct ms_error *err)
{
    struct reader r = {b, in, 0, 0, 0, 0, 0, false};
    struct level levels[MS_PLIST_MAX_DEPTH + 1];
    bool is_container = false;
    uint64_t top = 0;
    unsigned depth = 0;
    enum ms_status status = read_trailer(&r, &top, err);
    if (status == MS_OK)
        status = read_object(&r, top, in.n - 32, &levels[0], &is_container, err);
    depth = status == MS_OK && is_container;
    while (status == MS_OK && depth) {
        struct level *level = &levels[depth - 1];
        if (!level->left) {
            status = ms_plist_leave(b, level->off, err);
            depth--;
            continue;
        }
        level->left--;
        if (level->is_dict)
            status = read_key(&r, level, err);
        if (status == MS_OK)
            status = read_object(&r, read_uint(&level->values, r.ref_bytes), level->off,
                                 &levels[depth], &is_container, err);
        depth += status == MS_OK && is_container;
        if (status == MS_OK && r.is_too_much)
            status = too_much(&r, err);
    }
    return status;
}
