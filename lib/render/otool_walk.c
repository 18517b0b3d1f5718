/*
 * render/otool_walk.c: reading a header and the load commands without believing anything, and
 * the small conversions that all of otool needs.
 */
#include "render/otool.h"

#include <stdio.h>
#include <time.h>

const char *otool_name_of(const struct otool_name *table, uint32_t value)
{
    for (; table->name; table++)
        if (table->value == value)
            return table->name;
    return NULL;
}

uint16_t otool_u16(struct ms_bytes in, uint64_t off, bool big)
{
    struct ms_bytes part;
    if (!ms_bytes_part(in, off, 2, &part))
        return 0;
    return (uint16_t)(big ? part.at[0] << 8 | part.at[1] : part.at[1] << 8 | part.at[0]);
}

uint32_t otool_u32(struct ms_bytes in, uint64_t off, bool big)
{
    struct ms_bytes part;
    return ms_bytes_part(in, off, 4, &part) ? ms_load_u32(part.at, big) : 0;
}

uint64_t otool_u64(struct ms_bytes in, uint64_t off, bool big)
{
    struct ms_bytes part;
    return ms_bytes_part(in, off, 8, &part) ? ms_load_u64(part.at, big) : 0;
}

void otool_name16(struct ms_bytes in, uint64_t off, char out[17])
{
    struct ms_bytes part;
    memset(out, 0, 17);
    if (!ms_bytes_part(in, off, 16, &part))
        return;
    memcpy(out, part.at, 16);
    ms_text_make_plain(out);
}

void otool_plain(struct ms_sink *sink, const uint8_t *at, size_t n)
{
    char part[512];
    while (n) {
        size_t m = n < sizeof part - 1 ? n : sizeof part - 1;
        memcpy(part, at, m);
        part[m] = 0;
        ms_sink_plain(sink, part);
        at += m;
        n -= m;
    }
}

void otool_version(uint32_t version, char out[24])
{
    unsigned x = version >> 16, y = version >> 8 & 0xff, z = version & 0xff;
    if (z)
        snprintf(out, 24, "%u.%u.%u", x, y, z);
    else
        snprintf(out, 24, "%u.%u", x, y);
}

void otool_dylib_version(uint32_t version, char out[24])
{
    snprintf(out, 24, "%u.%u.%u", (unsigned)(version >> 16), (unsigned)(version >> 8 & 0xff),
             (unsigned)(version & 0xff));
}

void otool_date(const struct ms_otool_out *out, uint32_t seconds, char text[32])
{
    if (out->style->date) {
        out->style->date(seconds, text);
        return;
    }
    time_t time = (time_t)seconds;
    struct tm parts;
    text[0] = 0;
    if (gmtime_r(&time, &parts))
        strftime(text, 32, "%a %b %e %H:%M:%S %Y", &parts);
}

enum ms_status ms_otool_open(struct ms_bytes slice, const char *name, struct ms_otool_image *out,
                             struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    snprintf(out->where, sizeof out->where, "%s", name);
    out->bytes = slice;
    uint32_t magic = otool_u32(slice, 0, false);
    out->big = magic == 0xcefaedfe || magic == 0xcffaedfe;
    out->magic = otool_u32(slice, 0, out->big);
    out->is64 = out->magic == 0xfeedfacf;
    if (!out->is64 && out->magic != 0xfeedface)
        return ms_fail(err, MS_E_FORMAT, out->where, 0,
                       "not a Mach-O file: its magic number is 0x%08x", (unsigned)magic);
    struct ms_cursor c = ms_cursor_over(slice, out->big);
    ms_cursor_skip(&c, 4);
    out->cputype = ms_cursor_u32(&c);
    out->cpusubtype = ms_cursor_u32(&c);
    out->filetype = ms_cursor_u32(&c);
    out->n_commands = ms_cursor_u32(&c);
    out->command_bytes = ms_cursor_u32(&c);
    out->flags = ms_cursor_u32(&c);
    ms_cursor_skip(&c, out->is64 ? 4 : 0);
    if (c.bad)
        return ms_fail(err, MS_E_FORMAT, out->where, 0,
                       "a Mach-O header needs %d bytes, the file has %zu", out->is64 ? 32 : 28,
                       slice.n);
    return MS_OK;
}

void otool_walk_start(const struct ms_otool_image *image, struct otool_walk *walk)
{
    memset(walk, 0, sizeof *walk);
    walk->base_off = image->is64 ? 32 : 28;
    walk->n = image->n_commands;
    walk->big = image->big;
    (void)ms_bytes_from(image->bytes, walk->base_off, &walk->area);
    walk->limit = image->command_bytes < walk->area.n ? image->command_bytes : walk->area.n;
}

enum ms_status otool_walk_next(const struct ms_otool_image *image, struct otool_walk *walk,
                               struct ms_load_command *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    if (walk->index == walk->n)
        return MS_ABSENT;
    uint32_t index = walk->index++;
    uint64_t left = walk->at < walk->limit ? walk->limit - walk->at : 0;
    uint64_t off = walk->base_off + walk->at;
    if (left < 8) {
        walk->n = walk->index;
        return ms_fail(err, MS_E_FORMAT, image->where, off,
                       "load command %u of %u needs 8 bytes, %llu remain", (unsigned)index,
                       (unsigned)image->n_commands, (unsigned long long)left);
    }
    left = walk->area.n - walk->at; /* the header may give them less space than they take */
    out->cmd = otool_u32(walk->area, walk->at, walk->big);
    out->off = (uint32_t)off;
    uint32_t bytes = otool_u32(walk->area, walk->at + 4, walk->big);
    (void)ms_bytes_part(walk->area, walk->at, bytes < left ? bytes : left, &out->body);
    walk->at += bytes;
    if (bytes >= 8 && bytes <= left)
        return MS_OK;
    walk->n = walk->index;
    if (bytes < 8)
        return ms_fail(err, MS_E_FORMAT, image->where, off + 4,
                       "load command %u has a size of %u bytes, at least 8 expected",
                       (unsigned)index, (unsigned)bytes);
    return ms_fail(err, MS_E_FORMAT, image->where, off + 4,
                   "load command %u has %u bytes, %llu remain", (unsigned)index, (unsigned)bytes,
                   (unsigned long long)left);
}
