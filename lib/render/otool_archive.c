/*
 * render/otool_archive.c: the headers of an archive's members, ar(5): fields of blank-padded text.
 */
#include "render/otool.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADER_BYTES = 60 };

/* A field as text, control characters as '?'; NUL and the blanks at its end are left out. */
static void get_field(struct ms_bytes header, uint64_t off, size_t n, char out[17])
{
    memcpy(out, header.at + off, n);
    out[n] = 0;
    n = strlen(out);
    while (n && out[n - 1] == ' ')
        out[--n] = 0;
    ms_text_make_plain(out);
}

/* "-rwxr-xr-x", as ls(1) has it. */
static void mode_text(unsigned long mode, char out[11])
{
    static const struct otool_name kinds[] = {{4, "d"},  {2, "c"},  {6, "b"}, {8, "-"},
                                              {10, "l"}, {12, "s"}, {0, NULL}};
    const char *kind = otool_name_of(kinds, mode >> 12 & 15);
    out[0] = kind ? *kind : '?';
    for (int i = 0; i < 9; i++)
        out[1 + i] = mode >> (8 - i) & 1 ? "rwxrwxrwx"[i] : '-';
    for (int i = 0; i < 3; i++)
        if (mode >> (11 - i) & 1)
            out[3 + 3 * i] = "sst"[i];
    out[10] = 0;
}

static void put_mode(const char *field, const struct ms_otool_out *out)
{
    char text[11], *end;
    unsigned long bits = strtoul(field, &end, 8);
    if (*end)
        ms_sink_printf(out->sink, "(mode: \"%s\" contains non-octal chars) ", field);
    mode_text(bits, text);
    ms_sink_puts(out->sink, text);
}

static void put_date(const char *field, const struct ms_otool_out *out)
{
    char text[32], *end;
    unsigned long long seconds = strtoull(field, &end, 10);
    if (*end)
        ms_sink_printf(out->sink, "(date: \"%s\" contains non-decimal chars) ", field);
    otool_date(out, (uint32_t)seconds, text);
    ms_sink_printf(out->sink, "%s ", text);
}

/* The whole name: BSD has a long one in front of the member's bytes, SysV in a member of its own.
 */
static void put_name(const struct ms_archive *archive, const char *field, struct ms_bytes body,
                     const struct ms_otool_out *out)
{
    struct ms_bytes name = {NULL, 0};
    unsigned long number = strtoul(field + (strncmp(field, "#1/", 3) == 0 ? 3 : 1), NULL, 10);
    if (strncmp(field, "#1/", 3) == 0) {
        if (ms_bytes_part(body, 0, number, &name))
            name.n = strnlen((const char *)name.at, name.n);
    } else if (field[0] == '/' && field[1] >= '0' && field[1] <= '9' &&
               ms_bytes_from(archive->long_names, number, &name)) {
        size_t n = 0;
        while (n < name.n && name.at[n] != '\n' && name.at[n])
            n++;
        name.n = n && name.at[n - 1] == '/' ? n - 1 : n;
    }
    if (name.n)
        otool_plain(out->sink, name.at, name.n);
    else
        ms_sink_puts(out->sink, field);
    ms_sink_puts(out->sink, "\n");
}

uint64_t ms_otool_archive_header(const struct ms_archive *archive, uint64_t off,
                                 const struct ms_otool_out *out)
{
    char name[17], date[17], uid[17], gid[17], mode[17], size[17];
    struct ms_bytes header, body = {NULL, 0};
    if (!ms_bytes_part(archive->bytes, off, HEADER_BYTES, &header))
        return 0;
    get_field(header, 0, 16, name);
    get_field(header, 16, 12, date);
    get_field(header, 28, 6, uid);
    get_field(header, 34, 6, gid);
    get_field(header, 40, 8, mode);
    get_field(header, 48, 10, size);
    if (out->style->very_verbose)
        ms_sink_printf(out->sink, "%llu\t", (unsigned long long)off);
    if (out->style->verbose)
        put_mode(mode, out);
    else
        ms_sink_printf(out->sink, "0%s ", mode);
    ms_sink_printf(out->sink, "%3s/%-3s %5s ", uid, gid, size);
    if (out->style->verbose)
        put_date(date, out);
    else
        ms_sink_printf(out->sink, "%s ", date);
    (void)ms_bytes_from(archive->bytes, off + HEADER_BYTES, &body);
    if (out->style->verbose)
        put_name(archive, name, body, out);
    else
        ms_sink_printf(out->sink, "%s\n", name);
    uint64_t bytes = strtoull(size, NULL, 10); /* of ten digits at most: no overflow below */
    return off + HEADER_BYTES + bytes + (bytes & 1);
}
