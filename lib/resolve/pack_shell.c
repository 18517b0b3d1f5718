#include "resolve/pack_shell.h"

#include "macho/commands.h"

#include <string.h>

enum { PAGE = 4096, SEGMENT_64 = 72, SEGMENT_32 = 56, SECTION_64 = 80, SECTION_32 = 68 };

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_u64(uint8_t *at, uint64_t value)
{
    put_u32(at, (uint32_t)value);
    put_u32(at + 4, (uint32_t)(value >> 32));
}

/* Header and commands under way. */
struct shell {
    struct ms_text *out;
    bool is64;
    size_t start; /* of the header, in `out` */
    uint32_t n_commands;
};

static void add(struct shell *s, const void *bytes, size_t n)
{
    ms_text_add(s->out, bytes, n);
}

/* A copy of the command; where it stands in `out`, NULL without memory. */
static uint8_t *add_command(struct shell *s, struct ms_bytes body)
{
    size_t at = s->out->n;
    add(s, body.at, body.n);
    s->n_commands++;
    return s->out->failed ? NULL : (uint8_t *)s->out->at + at;
}

/* A segment says where its code will be, and that the file has nothing of it. */
static void add_segment(struct shell *s, struct ms_bytes body)
{
    size_t head = s->is64 ? SEGMENT_64 : SEGMENT_32, section = s->is64 ? SECTION_64 : SECTION_32;
    uint8_t *at = add_command(s, body);
    if (!at)
        return;
    memset(at + (s->is64 ? 40 : 32), 0, s->is64 ? 16 : 8); /* fileoff, filesize */
    for (size_t off = head; off + section <= body.n; off += section) {
        memset(at + off + (s->is64 ? 48 : 40), 0, 4); /* offset */
        memset(at + off + (s->is64 ? 56 : 48), 0, 8); /* reloff, nreloc */
    }
}

static bool is_kept(uint32_t cmd)
{
    static const uint32_t kept[] = {MS_LC_UUID,
                                    MS_LC_BUILD_VERSION,
                                    MS_LC_VERSION_MIN_MACOSX,
                                    MS_LC_VERSION_MIN_IPHONEOS,
                                    MS_LC_VERSION_MIN_TVOS,
                                    MS_LC_VERSION_MIN_WATCHOS};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (kept[i] == cmd)
            return true;
    return false;
}

static void add_commands(struct shell *s, const struct ms_macho *macho)
{
    size_t segment = 0;
    for (size_t i = 0; i < macho->n_commands; i++) {
        const struct ms_load_command *command = &macho->commands[i];
        if (is_kept(command->cmd))
            (void)add_command(s, command->body);
        if (command->cmd != (macho->is64 ? MS_LC_SEGMENT_64 : MS_LC_SEGMENT) ||
            segment == macho->n_segments)
            continue;
        const char *name = macho->segments[segment++].name;
        if (strcmp(name, MS_PACK_SEGMENT) != 0)
            add_segment(s, command->body);
    }
}

/* Where in memory the segment of the index is said to be. */
struct place {
    uint64_t vm, bytes;
};

/*
 * Where the debug information was, if it was in this file, so that what lies in a segment and what
 * doesn't stays the same; where that is too small, behind all else.
 */
static struct place find_place(const struct ms_macho *macho, uint64_t n)
{
    uint64_t end = 0;
    const struct ms_segment *debug = NULL;
    for (size_t i = 0; i < macho->n_segments; i++) {
        const struct ms_segment *s = &macho->segments[i];
        if (strcmp(s->name, MS_PACK_SEGMENT) == 0)
            debug = debug ? debug : s;
        else if (s->vm_bytes <= UINT64_MAX - s->vm - PAGE && s->vm + s->vm_bytes > end)
            end = s->vm + s->vm_bytes;
    }
    if (debug && (debug->vm_bytes >= n || debug->vm >= end))
        return (struct place){debug->vm, debug->vm_bytes > n ? debug->vm_bytes : n};
    return (struct place){(end + PAGE - 1) / PAGE * PAGE, (n + PAGE - 1) / PAGE * PAGE};
}

static void add_index(struct shell *s, struct place place, uint64_t off, uint64_t n)
{
    uint8_t command[SEGMENT_64 + SECTION_64] = {0};
    size_t word = s->is64 ? 8 : 4, head = s->is64 ? SEGMENT_64 : SEGMENT_32;
    size_t size = head + (s->is64 ? SECTION_64 : SECTION_32);
    const uint64_t segment[] = {place.vm, place.bytes, off, n}, section[] = {place.vm, n};
    put_u32(command, s->is64 ? MS_LC_SEGMENT_64 : MS_LC_SEGMENT);
    put_u32(command + 4, (uint32_t)size);
    memcpy(command + 8, MS_PACK_SEGMENT, sizeof MS_PACK_SEGMENT);
    for (size_t i = 0; i < 4; i++)
        (s->is64 ? put_u64(command + 24 + i * 8, segment[i])
                 : put_u32(command + 24 + i * 4, (uint32_t)segment[i]));
    uint8_t *rest = command + 24 + 4 * word; /* maxprot, initprot, nsects, flags */
    put_u32(rest, 7);
    put_u32(rest + 4, 3);
    put_u32(rest + 8, 1);
    memcpy(command + head, MS_PACK_SECTION, sizeof MS_PACK_SECTION);
    memcpy(command + head + 16, MS_PACK_SEGMENT, sizeof MS_PACK_SEGMENT);
    for (size_t i = 0; i < 2; i++)
        (s->is64 ? put_u64(command + head + 32 + i * 8, section[i])
                 : put_u32(command + head + 32 + i * 4, (uint32_t)section[i]));
    rest = command + head + 32 + 2 * word; /* offset, align */
    put_u32(rest, (uint32_t)off);
    put_u32(rest + 4, 12);
    (void)add_command(s, (struct ms_bytes){command, size});
}

enum ms_status ms_pack_shell(const struct ms_macho *macho, uint64_t n, struct ms_text *out,
                             struct ms_error *err)
{
    static const uint8_t zeros[PAGE];
    struct shell s = {out, macho->is64, out->n, 0};
    uint8_t header[32] = {0};
    size_t header_bytes = s.is64 ? 32 : 28,
           index = s.is64 ? SEGMENT_64 + SECTION_64 : SEGMENT_32 + SECTION_32;
    struct place place = find_place(macho, n);
    if (macho->big)
        return ms_fail(err, MS_E_UNSUPPORTED, macho->where, MS_NO_OFFSET,
                       "indexes of big-endian images are not made");
    if (n > UINT32_MAX - PAGE || (!s.is64 && place.vm + place.bytes > UINT32_MAX))
        return ms_fail(err, MS_E_LIMIT, macho->where, MS_NO_OFFSET,
                       "an index of %llu bytes is more than a section can have",
                       (unsigned long long)n);
    add(&s, header, header_bytes);
    add_commands(&s, macho);
    size_t commands = out->n - s.start + index;
    uint64_t off = (commands + PAGE - 1) / PAGE * PAGE;
    add_index(&s, place, off, n);
    add(&s, zeros, (size_t)(off - (out->n - s.start)));
    enum ms_status status = ms_text_check(out, err);
    if (status != MS_OK)
        return status;
    const uint32_t fields[] = {s.is64 ? 0xfeedfacf : 0xfeedface,
                               macho->cputype,
                               macho->cpusubtype,
                               MS_MH_DSYM,
                               s.n_commands,
                               (uint32_t)(commands - header_bytes)};
    for (size_t i = 0; i < 6; i++)
        put_u32((uint8_t *)out->at + s.start + 4 * i, fields[i]);
    return MS_OK;
}
