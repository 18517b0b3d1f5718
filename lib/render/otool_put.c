/*
 * render/otool_put.c: one field of a load command, as a row of text or a member in JSON.
 */
#include "render/otool.h"

#include <inttypes.h>

/* A key: right-aligned, or JSON's, in which a blank is '_'. */
void otool_put_key(const struct ms_otool_out *out, unsigned width, const char *key)
{
    char name[40];
    if (!out->json) {
        ms_sink_printf(out->sink, "%*s ", (int)width, key);
        return;
    }
    size_t n = 0;
    for (; key[n] && n + 1 < sizeof name; n++)
        name[n] = key[n] == ' ' ? '_' : key[n];
    name[n] = 0;
    ms_json_key(out->json, name);
}

void otool_put_text(const struct ms_otool_out *out, unsigned width, const char *key,
                    const char *text)
{
    otool_put_key(out, width, key);
    if (out->json) {
        ms_json_string(out->json, text);
        return;
    }
    ms_sink_plain(out->sink, text);
    ms_sink_puts(out->sink, "\n");
}

/* `remark` follows the number in text. */
void otool_put_number(const struct ms_otool_out *out, unsigned width, const char *key,
                      uint64_t value, const char *remark)
{
    otool_put_key(out, width, key);
    if (out->json)
        ms_json_uint(out->json, value);
    else
        ms_sink_printf(out->sink, "%" PRIu64 "%s\n", value, remark);
}

void otool_put_hex(const struct ms_otool_out *out, unsigned width, const char *key, uint64_t value,
                   int digits, const char *remark)
{
    otool_put_key(out, width, key);
    if (out->json)
        ms_json_address(out->json, value);
    else
        ms_sink_printf(out->sink, "0x%0*" PRIx64 "%s\n", digits, value, remark);
}

const char *otool_past_end(bool past)
{
    return past ? " (past end of file)" : "";
}

/* True when n bytes at off end beyond the slice; what overflows does. */
bool otool_is_past(const struct ms_otool_image *image, uint64_t off, uint64_t n)
{
    uint64_t end;
    return ms_add_overflows(off, n, &end) || end > image->bytes.n;
}
