/* render/plist_write.c: property lists as XML, as codesign's tree, as JSON. */
#include "base/bytes.h"
#include "machsym/plist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Containers within each other: what the readers let through, and one more. */
enum { MAX_DEPTH = 48 };

static void indent(struct ms_sink *sink, unsigned depth)
{
    while (depth--)
        ms_sink_write(sink, "\t", 1);
}

/* Three bytes to four digits, in pieces that end on a whole group but for the last. */
static size_t base64(const uint8_t *in, size_t n, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t to = 0;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t word = (uint32_t)in[i] << 16 | (i + 1 < n ? (uint32_t)in[i + 1] << 8 : 0) |
                        (i + 2 < n ? in[i + 2] : 0);
        out[to++] = digits[word >> 18];
        out[to++] = digits[word >> 12 & 63];
        out[to++] = i + 1 < n ? digits[word >> 6 & 63] : '=';
        out[to++] = i + 2 < n ? digits[word & 63] : '=';
    }
    return to;
}

enum { GROUP_IN = 48, GROUP_OUT = 64 };

/* ---- XML ------------------------------------------------------------------------------------ */

/* What stands for the byte at `at`, or NULL. Control characters go by number, so that no terminal
 * obeys them; those below a blank XML can't hold at all. C1 ones take two bytes in UTF-8. */
static const char *escape_of(const unsigned char *at, size_t n, char room[8])
{
    switch (*at) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '\t':
    case '\n':
        return NULL;
    }
    bool is_c1 = *at == 0xc2 && n > 1 && at[1] >= 0x80 && at[1] < 0xa0;
    if (*at == '\r' || *at == 0x7f || is_c1) {
        snprintf(room, 8, "&#%u;", is_c1 ? at[1] : *at);
        return room;
    }
    return *at < 0x20 ? "\xef\xbf\xbd" : NULL;
}

static void write_escaped(struct ms_sink *sink, const char *text, size_t n)
{
    size_t from = 0;
    char room[8];
    for (size_t i = 0; i < n; i++) {
        const unsigned char *at = (const unsigned char *)text + i;
        const char *as = escape_of(at, n - i, room);
        if (!as)
            continue;
        ms_sink_write(sink, text + from, i - from);
        ms_sink_puts(sink, as);
        i += *at == 0xc2;
        from = i + 1;
    }
    ms_sink_write(sink, text + from, n - from);
}

static void write_xml_data(struct ms_sink *sink, const struct ms_plist *value, unsigned depth)
{
    char line[GROUP_OUT];
    ms_sink_puts(sink, "<data>\n");
    for (size_t at = 0; at < value->text_bytes; at += GROUP_IN) {
        size_t n = value->text_bytes - at < GROUP_IN ? value->text_bytes - at : GROUP_IN;
        indent(sink, depth);
        ms_sink_write(sink, line, base64((const uint8_t *)value->text + at, n, line));
        ms_sink_puts(sink, "\n");
    }
    indent(sink, depth);
    ms_sink_puts(sink, "</data>\n");
}

static void write_xml_text(struct ms_sink *sink, const char *element, const struct ms_plist *value)
{
    ms_sink_printf(sink, "<%s>", element);
    write_escaped(sink, value->text, value->text_bytes);
    ms_sink_printf(sink, "</%s>\n", element);
}

static void write_xml_leaf(struct ms_sink *sink, const struct ms_plist *value, unsigned depth)
{
    switch (value->kind) {
    case MS_PLIST_BOOL:
        ms_sink_puts(sink, value->boolean ? "<true/>\n" : "<false/>\n");
        break;
    case MS_PLIST_INTEGER:
        ms_sink_printf(sink, "<integer>%s%llu</integer>\n", value->is_negative ? "-" : "",
                       (unsigned long long)value->number);
        break;
    case MS_PLIST_DATA:
        write_xml_data(sink, value, depth);
        break;
    case MS_PLIST_DATE:
        write_xml_text(sink, "date", value);
        break;
    case MS_PLIST_REAL:
        write_xml_text(sink, "real", value);
        break;
    default:
        write_xml_text(sink, "string", value);
    }
}

static void write_xml(struct ms_sink *sink, const struct ms_plist *value, unsigned depth)
{
    indent(sink, depth);
    if (value->kind != MS_PLIST_DICT && value->kind != MS_PLIST_ARRAY) {
        write_xml_leaf(sink, value, depth);
        return;
    }
    const char *element = value->kind == MS_PLIST_DICT ? "dict" : "array";
    if (!value->first || depth >= MAX_DEPTH) {
        ms_sink_printf(sink, "<%s/>\n", element);
        return;
    }
    ms_sink_printf(sink, "<%s>\n", element);
    for (const struct ms_plist *m = value->first; m; m = m->next) {
        if (m->key) {
            indent(sink, depth + 1);
            ms_sink_puts(sink, "<key>");
            write_escaped(sink, m->key, m->key_bytes);
            ms_sink_puts(sink, "</key>\n");
        }
        write_xml(sink, m, depth + 1);
    }
    indent(sink, depth);
    ms_sink_printf(sink, "</%s>\n", element);
}

/* plutil gives the outermost dictionary and its members the same indentation: none, then one. */
void ms_plist_write_xml(struct ms_sink *sink, const struct ms_plist *plist)
{
    ms_sink_puts(sink, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
                       "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
                       "<plist version=\"1.0\">\n");
    write_xml(sink, plist, 0);
    ms_sink_puts(sink, "</plist>\n");
}

/* ---- the tree ------------------------------------------------------------------------------- */

/* A string may hold a NUL or a line end: neither may look like a line of the tree. */
static void write_plain(struct ms_sink *sink, const char *text, size_t n)
{
    while (n) {
        size_t part = strlen(text);
        if (part > n)
            part = n;
        ms_sink_plain(sink, text);
        text += part;
        n -= part;
        if (n) {
            ms_sink_puts(sink, "?");
            text++;
            n--;
        }
    }
}

static void write_hex(struct ms_sink *sink, const struct ms_plist *value)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < value->text_bytes; i++) {
        unsigned char c = (unsigned char)value->text[i];
        char pair[2] = {digits[c >> 4], digits[c & 15]};
        ms_sink_write(sink, pair, 2);
    }
}

static void write_tree_leaf(struct ms_sink *sink, const struct ms_plist *value)
{
    static const char *const kinds[] = {"Dict", "Array", "String", "Int",
                                        "Real", "Bool",  "Data",   "Date"};
    ms_sink_printf(sink, "[%s] ", kinds[value->kind]);
    if (value->kind == MS_PLIST_BOOL)
        ms_sink_puts(sink, value->boolean ? "true" : "false");
    else if (value->kind == MS_PLIST_INTEGER)
        ms_sink_printf(sink, "%s%llu", value->is_negative ? "-" : "",
                       (unsigned long long)value->number);
    else if (value->kind == MS_PLIST_DATA)
        write_hex(sink, value);
    else
        write_plain(sink, value->text, value->text_bytes);
    ms_sink_puts(sink, "\n");
}

static void write_tree(struct ms_sink *sink, const struct ms_plist *value, unsigned depth)
{
    indent(sink, depth);
    if (value->kind != MS_PLIST_DICT && value->kind != MS_PLIST_ARRAY) {
        write_tree_leaf(sink, value);
        return;
    }
    ms_sink_puts(sink, value->kind == MS_PLIST_DICT ? "[Dict]\n" : "[Array]\n");
    for (const struct ms_plist *m = value->first; m && depth < MAX_DEPTH * 2; m = m->next) {
        if (m->key) {
            indent(sink, depth + 1);
            ms_sink_puts(sink, "[Key] ");
            write_plain(sink, m->key, m->key_bytes);
            ms_sink_puts(sink, "\n");
            indent(sink, depth + 1);
            ms_sink_puts(sink, "[Value]\n");
        }
        write_tree(sink, m, depth + (m->key ? 2 : 1));
    }
}

void ms_plist_write_tree(struct ms_sink *sink, const struct ms_plist *plist)
{
    write_tree(sink, plist, 0);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void write_json_integer(struct ms_json *json, const struct ms_plist *value)
{
    char text[24];
    if (value->number <= (uint64_t)1 << 53) {
        if (value->is_negative)
            ms_json_int(json, -(int64_t)value->number);
        else
            ms_json_uint(json, value->number);
        return;
    }
    char *at = text + sizeof text;
    *--at = 0;
    for (uint64_t n = value->number; n; n /= 10)
        *--at = (char)('0' + n % 10);
    if (value->is_negative)
        *--at = '-';
    ms_json_string(json, at);
}

static void write_json_data(struct ms_json *json, const struct ms_plist *value)
{
    char *text = malloc(value->text_bytes / 3 * 4 + 5);
    if (!text) {
        json->sink->failed = true;
        return;
    }
    ms_json_string_n(json, text, base64((const uint8_t *)value->text, value->text_bytes, text));
    free(text);
}

static void write_json(struct ms_json *json, const struct ms_plist *value)
{
    bool is_dict = value->kind == MS_PLIST_DICT;
    if (is_dict || value->kind == MS_PLIST_ARRAY) {
        (is_dict ? ms_json_object : ms_json_array)(json);
        for (const struct ms_plist *m = value->first; m; m = m->next) {
            if (m->key)
                ms_json_key(json, m->key);
            write_json(json, m);
        }
        (is_dict ? ms_json_object_end : ms_json_array_end)(json);
    } else if (value->kind == MS_PLIST_BOOL) {
        ms_json_bool(json, value->boolean);
    } else if (value->kind == MS_PLIST_INTEGER) {
        write_json_integer(json, value);
    } else if (value->kind == MS_PLIST_DATA) {
        write_json_data(json, value);
    } else {
        ms_json_string_n(json, value->text, value->text_bytes);
    }
}

void ms_plist_write_json(struct ms_json *json, const struct ms_plist *plist)
{
    write_json(json, plist);
}
