/*
 * macho/load_commands.c: one pass over the load commands that checks all that later readers
 * rely on, and sorts out what makes an image unreadable (MS_E_FORMAT) from what costs it one
 * table (`damage`): a file that was cut off in a download still has its UUID and sections.
 */
#include "base/cursor.h"
#include "base/error.h"
#include "base/limits.h"
#include "macho/commands.h"
#include "macho/magic.h"
#include "macho/sections.h"
#include "macho/where.h"
#include "machsym/macho.h"

#include <stdio.h>
#include <stdlib.h>

enum { HEADER_32_BYTES = 28, HEADER_64_BYTES = 32, COMMAND_BYTES = 8 };

/*
 * What the format says of a command: the least bytes it can have, and whether a second one
 * would contradict the first (cctools refuses such files too).
 */
static const struct command_rule {
    uint32_t cmd;
    uint32_t least_bytes;
    bool once;
    const char *name;
} RULES[] = {
    {MS_LC_SEGMENT, 56, false, "LC_SEGMENT"},
    {MS_LC_SYMTAB, 24, true, "LC_SYMTAB"},
    {0x3, 16, false, "LC_SYMSEG"},
    {0x4, 8, false, "LC_THREAD"},
    {MS_LC_UNIXTHREAD, 8, false, "LC_UNIXTHREAD"},
    {0x6, 8, false, "LC_LOADFVMLIB"},
    {0x7, 8, false, "LC_IDFVMLIB"},
    {0x8, 8, false, "LC_IDENT"},
    {0x9, 8, false, "LC_FVMFILE"},
    {0xa, 8, false, "LC_PREPAGE"},
    {MS_LC_DYSYMTAB, 80, true, "LC_DYSYMTAB"},
    {0xc, 24, false, "LC_LOAD_DYLIB"},
    {0xd, 24, false, "LC_ID_DYLIB"},
    {0xe, 12, false, "LC_LOAD_DYLINKER"},
    {0xf, 12, false, "LC_ID_DYLINKER"},
    {0x10, 20, false, "LC_PREBOUND_DYLIB"},
    {0x11, 40, false, "LC_ROUTINES"},
    {0x12, 12, false, "LC_SUB_FRAMEWORK"},
    {0x13, 12, false, "LC_SUB_UMBRELLA"},
    {0x14, 12, false, "LC_SUB_CLIENT"},
    {0x15, 12, false, "LC_SUB_LIBRARY"},
    {0x16, 16, false, "LC_TWOLEVEL_HINTS"},
    {0x17, 12, false, "LC_PREBIND_CKSUM"},
    {0x80000018, 24, false, "LC_LOAD_WEAK_DYLIB"},
    {MS_LC_SEGMENT_64, 72, false, "LC_SEGMENT_64"},
    {0x1a, 72, false, "LC_ROUTINES_64"},
    {MS_LC_UUID, 24, true, "LC_UUID"},
    {0x8000001c, 12, false, "LC_RPATH"},
    {0x1d, 16, false, "LC_CODE_SIGNATURE"},
    {0x1e, 16, false, "LC_SEGMENT_SPLIT_INFO"},
    {0x8000001f, 24, false, "LC_REEXPORT_DYLIB"},
    {0x20, 24, false, "LC_LAZY_LOAD_DYLIB"},
    {0x21, 20, false, "LC_ENCRYPTION_INFO"},
    {MS_LC_DYLD_INFO, 48, true, "LC_DYLD_INFO"},
    {MS_LC_DYLD_INFO_ONLY, 48, true, "LC_DYLD_INFO_ONLY"},
    {0x80000023, 24, false, "LC_LOAD_UPWARD_DYLIB"},
    {MS_LC_VERSION_MIN_MACOSX, 16, false, "LC_VERSION_MIN_MACOSX"},
    {MS_LC_VERSION_MIN_IPHONEOS, 16, false, "LC_VERSION_MIN_IPHONEOS"},
    {MS_LC_FUNCTION_STARTS, 16, true, "LC_FUNCTION_STARTS"},
    {0x27, 12, false, "LC_DYLD_ENVIRONMENT"},
    {0x80000028, 24, false, "LC_MAIN"},
    {0x29, 16, false, "LC_DATA_IN_CODE"},
    {0x2a, 16, false, "LC_SOURCE_VERSION"},
    {0x2b, 16, false, "LC_DYLIB_CODE_SIGN_DRS"},
    {0x2c, 24, false, "LC_ENCRYPTION_INFO_64"},
    {0x2d, 12, false, "LC_LINKER_OPTION"},
    {0x2e, 16, false, "LC_LINKER_OPTIMIZATION_HINT"},
    {MS_LC_VERSION_MIN_TVOS, 16, false, "LC_VERSION_MIN_TVOS"},
    {MS_LC_VERSION_MIN_WATCHOS, 16, false, "LC_VERSION_MIN_WATCHOS"},
    {0x31, 40, false, "LC_NOTE"},
    {MS_LC_BUILD_VERSION, 24, false, "LC_BUILD_VERSION"},
    {MS_LC_DYLD_EXPORTS_TRIE, 16, true, "LC_DYLD_EXPORTS_TRIE"},
    {0x80000034, 16, true, "LC_DYLD_CHAINED_FIXUPS"},
    {MS_LC_FILESET_ENTRY, 32, false, "LC_FILESET_ENTRY"},
    {0x36, 16, false, "LC_ATOM_INFO"},
    {0x37, 16, false, "LC_FUNCTION_VARIANTS"},
    {0x38, 16, false, "LC_FUNCTION_VARIANT_FIXUPS"},
    {0x39, 24, false, "LC_TARGET_TRIPLE"},
};
enum { N_RULES = sizeof RULES / sizeof *RULES };

static const struct command_rule *find_rule(uint32_t cmd)
{
    for (int i = 0; i < N_RULES; i++)
        if (RULES[i].cmd == cmd)
            return &RULES[i];
    return NULL;
}

const char *ms_load_command_name(uint32_t cmd)
{
    const struct command_rule *rule = find_rule(cmd);
    return rule ? rule->name : NULL;
}

static struct ms_cursor over_body(const struct ms_macho *macho,
                                  const struct ms_load_command *command)
{
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    ms_cursor_skip(&c, COMMAND_BYTES);
    return c;
}

/* ---- the header -------------------------------------------------------------------------- */

struct header {
    uint32_t n_commands, command_bytes;
    uint64_t off, end; /* of the header in the file; where the commands begin */
};

static enum ms_status read_header(struct ms_macho *macho, struct ms_bytes image,
                                  struct header *header, const char *name, struct ms_error *err)
{
    char room[MS_ARCH_TEXT];
    ms_where_write(macho->where, sizeof macho->where, name, NULL);
    if (!ms_magic_is_macho(ms_magic_of(image), &macho->is64, &macho->big))
        return ms_fail(err, MS_E_FORMAT, macho->where, header->off, "not a Mach-O file: %s",
                       ms_magic_guess(image));
    uint32_t bytes = macho->is64 ? HEADER_64_BYTES : HEADER_32_BYTES;
    struct ms_cursor c = ms_cursor_over(image, macho->big);
    ms_cursor_skip(&c, 4);
    macho->cputype = ms_cursor_u32(&c);
    macho->cpusubtype = ms_cursor_u32(&c);
    macho->filetype = ms_cursor_u32(&c);
    header->n_commands = ms_cursor_u32(&c);
    header->command_bytes = ms_cursor_u32(&c);
    macho->flags = ms_cursor_u32(&c);
    ms_cursor_skip(&c, macho->is64 ? 4 : 0);
    if (c.bad)
        return ms_fail(err, MS_E_FORMAT, macho->where, header->off,
                       "a Mach-O header needs %u bytes, %zu remain", (unsigned)bytes, image.n);
    ms_where_write(macho->where, sizeof macho->where, name,
                   ms_arch_text(macho->cputype, macho->cpusubtype, room));
    header->end = header->off + bytes;
    if (header->command_bytes > ms_cursor_left(&c))
        return ms_fail(err, MS_E_FORMAT, macho->where, header->off + 20,
                       "the load commands take %u bytes, %zu remain",
                       (unsigned)header->command_bytes, ms_cursor_left(&c));
    if (header->n_commands > ms_cursor_left(&c) / COMMAND_BYTES)
        return ms_fail(err, MS_E_FORMAT, macho->where, header->off + 16,
                       "%u load commands do not fit into the %zu bytes that remain",
                       (unsigned)header->n_commands, ms_cursor_left(&c));
    /* The second bound keeps the offsets of commands in 32 bits; real ones take some KB. */
    if (header->n_commands > MS_MAX_LOAD_COMMANDS || header->command_bytes > UINT32_MAX / 4)
        return ms_fail(err, MS_E_LIMIT, macho->where, header->off + 16,
                       "%u load commands of %u bytes, at most %d of %u are read",
                       (unsigned)header->n_commands, (unsigned)header->command_bytes,
                       MS_MAX_LOAD_COMMANDS, (unsigned)(UINT32_MAX / 4));
    return MS_OK;
}

/* ---- the list of commands ----------------------------------------------------------------- */

static const char *describe(uint32_t cmd, char room[32])
{
    const char *name = ms_load_command_name(cmd);
    if (name)
        return name;
    snprintf(room, 32, "load command 0x%x", (unsigned)cmd);
    return room;
}

static enum ms_status check_rule(const struct ms_macho *macho,
                                 const struct ms_load_command *command,
                                 const uint32_t seen_off[N_RULES], struct ms_error *err)
{
    const struct command_rule *rule = find_rule(command->cmd);
    if (!rule)
        return MS_OK;
    if (command->body.n < rule->least_bytes)
        return ms_fail(err, MS_E_FORMAT, macho->where, command->off,
                       "%s has %zu bytes, at least %u expected", rule->name, command->body.n,
                       (unsigned)rule->least_bytes);
    if (rule->once && seen_off[rule - RULES])
        return ms_fail(err, MS_E_FORMAT, macho->where, command->off,
                       "a second %s, the first is at 0x%x", rule->name,
                       (unsigned)seen_off[rule - RULES]);
    return MS_OK;
}

/*
 * Reads the header of the command at the cursor, which runs to the end of the file: one that
 * leaves the space that the Mach-O header gives to commands is damage, not the end, since
 * hand-made kernel collections have a number there that is too small.
 */
static enum ms_status read_command(struct ms_macho *macho, struct ms_cursor *c, uint64_t area_off,
                                   uint32_t i, struct ms_load_command *out, struct ms_error *err)
{
    char room[32];
    uint64_t at = ms_cursor_offset(c);
    size_t left = ms_cursor_left(c);
    out->off = (uint32_t)(area_off + at);
    out->cmd = ms_cursor_u32(c);
    uint32_t size = ms_cursor_u32(c);
    if (c->bad)
        return ms_fail(err, MS_E_FORMAT, macho->where, out->off,
                       "load command %u needs %d bytes, %zu remain", (unsigned)i, COMMAND_BYTES,
                       left);
    if (size < COMMAND_BYTES || size % 4)
        return ms_fail(err, MS_E_FORMAT, macho->where, (uint64_t)out->off + 4,
                       "%s has a size of %u bytes, expected a multiple of 4 of at least 8",
                       describe(out->cmd, room), (unsigned)size);
    ms_cursor_skip(c, size - COMMAND_BYTES);
    if (c->bad)
        return ms_fail(err, MS_E_FORMAT, macho->where, (uint64_t)out->off + 4,
                       "%s has %u bytes, %zu remain", describe(out->cmd, room), (unsigned)size,
                       left);
    (void)ms_bytes_part(macho->bytes, out->off, size, &out->body);
    return MS_OK;
}

/* Cuts the commands apart; from here on each body is inside the file and as long as it says. */
static enum ms_status list_commands(struct ms_macho *macho, const struct header *header,
                                    struct ms_error *err)
{
    uint32_t seen_off[N_RULES] = {0};
    struct ms_bytes area;
    (void)ms_bytes_from(macho->bytes, header->end, &area);
    /* At least 8 bytes of input for each: read_header checked it. */
    macho->commands = calloc((size_t)header->n_commands + 1, sizeof *macho->commands);
    if (!macho->commands)
        return ms_fail_memory(err);
    struct ms_cursor c = ms_cursor_over(area, macho->big);
    for (uint32_t i = 0; i < header->n_commands; i++) {
        struct ms_load_command *command = &macho->commands[i];
        enum ms_status status = read_command(macho, &c, header->end, i, command, err);
        if (status == MS_OK)
            status = check_rule(macho, command, seen_off, err);
        if (status != MS_OK)
            return status;
        const struct command_rule *rule = find_rule(command->cmd);
        if (rule)
            seen_off[rule - RULES] = command->off;
        macho->n_commands++;
    }
    if (ms_cursor_offset(&c) > header->command_bytes)
        (void)ms_fail(&macho->damage, MS_E_FORMAT, macho->where, header->off + 20,
                      "the load commands take %llu bytes, the header says %u",
                      (unsigned long long)ms_cursor_offset(&c), (unsigned)header->command_bytes);
    return MS_OK;
}

/* ---- single commands ------------------------------------------------------------------------ */

static void read_uuid(struct ms_macho *macho, struct ms_cursor c)
{
    struct ms_bytes uuid = ms_cursor_bytes(&c, sizeof macho->uuid.byte);
    if (!uuid.at)
        return;
    memcpy(macho->uuid.byte, uuid.at, sizeof macho->uuid.byte);
    macho->has_uuid = true;
}

/* LC_VERSION_MIN_* of before 2018 names no simulator: an Intel iOS image is one. */
static uint32_t platform_of(const struct ms_macho *macho, uint32_t cmd)
{
    bool intel = (macho->cputype & ~(uint32_t)MS_CPU_64) == MS_CPU_I386;
    switch (cmd) {
    case MS_LC_VERSION_MIN_IPHONEOS:
        return intel ? 7 : 2;
    case MS_LC_VERSION_MIN_TVOS:
        return intel ? 8 : 3;
    case MS_LC_VERSION_MIN_WATCHOS:
        return intel ? 9 : 4;
    }
    return 1;
}

/* Zippered images have two LC_BUILD_VERSION, macOS first; the first one of any kind counts, but
 * a build version replaces a version minimum. */
static void read_build(struct ms_macho *macho, uint32_t cmd, struct ms_cursor c, bool *exact)
{
    bool is_build = cmd == MS_LC_BUILD_VERSION;
    if (macho->has_build && (*exact || !is_build))
        return;
    macho->platform = is_build ? ms_cursor_u32(&c) : platform_of(macho, cmd);
    macho->minos = ms_cursor_u32(&c);
    macho->sdk = ms_cursor_u32(&c);
    macho->has_build = true;
    *exact = is_build;
}

static void note_damage(struct ms_macho *macho, const struct ms_load_command *command,
                        const char *what, uint64_t off, uint64_t n)
{
    char room[32];
    if (macho->damage.status != MS_OK)
        return; /* the first is enough to know that the file isn't whole */
    (void)ms_fail(&macho->damage, MS_E_FORMAT, macho->where, command->off,
                  "%s: %s takes 0x%llx bytes from 0x%llx, the file has 0x%llx",
                  describe(command->cmd, room), what, (unsigned long long)n,
                  (unsigned long long)off, (unsigned long long)macho->bytes.n);
}

/* The part of the file that a command's (offset, size) pair names; damage when outside. */
static struct ms_bytes table_part(struct ms_macho *macho, const struct ms_load_command *command,
                                  const char *what, uint64_t off, uint64_t n)
{
    struct ms_bytes part = {NULL, 0};
    if (n && !ms_bytes_part(macho->bytes, off, n, &part))
        note_damage(macho, command, what, off, n);
    return part;
}

static void read_symtab(struct ms_macho *macho, const struct ms_load_command *command)
{
    struct ms_cursor c = over_body(macho, command);
    uint64_t off = ms_cursor_u32(&c), count = ms_cursor_u32(&c);
    uint64_t strings_off = ms_cursor_u32(&c), strings = ms_cursor_u32(&c);
    macho->nlist =
        table_part(macho, command, "the symbol table", off, count * (macho->is64 ? 16 : 12));
    if (macho->nlist.n) {
        macho->nlist_off = off;
        macho->n_nlist = (uint32_t)count;
    }
    macho->strings = table_part(macho, command, "the string table", strings_off, strings);
    macho->strings_off = strings_off;
    /* Of a string table that is cut off, the names before the cut are still right. */
    if (!macho->strings.n && strings && strings_off < macho->bytes.n)
        (void)ms_bytes_from(macho->bytes, strings_off, &macho->strings);
    if (!macho->strings.n)
        macho->strings_off = 0;
}

/* A command whose body is an offset and a size in __LINKEDIT. */
static bool is_linkedit_data(uint32_t cmd)
{
    switch (cmd) {
    case 0x1d:
    case 0x1e:
    case MS_LC_FUNCTION_STARTS:
    case 0x29:
    case 0x2b:
    case 0x2e:
    case MS_LC_DYLD_EXPORTS_TRIE:
    case 0x80000034:
    case 0x36:
    case 0x37:
    case 0x38:
        return true;
    }
    return false;
}

static void read_linkedit_data(struct ms_macho *macho, const struct ms_load_command *command)
{
    struct ms_cursor c = over_body(macho, command);
    uint64_t off = ms_cursor_u32(&c), n = ms_cursor_u32(&c);
    struct ms_bytes part = table_part(macho, command, "its data", off, n);
    if (command->cmd == MS_LC_FUNCTION_STARTS)
        macho->function_starts = part;
}

static void read_dyld_info(struct ms_macho *macho, const struct ms_load_command *command)
{
    static const char *const WHAT[] = {"the rebase list", "the bind list", "the weak bind list",
                                       "the lazy bind list", "the exports trie"};
    struct ms_cursor c = over_body(macho, command);
    for (int i = 0; i < 5; i++) {
        uint64_t off = ms_cursor_u32(&c), n = ms_cursor_u32(&c);
        (void)table_part(macho, command, WHAT[i], off, n);
    }
}

static void read_dysymtab(struct ms_macho *macho, const struct ms_load_command *command)
{
    struct ms_cursor c = over_body(macho, command);
    ms_cursor_skip(&c, 48);
    uint64_t off = ms_cursor_u32(&c), count = ms_cursor_u32(&c);
    (void)table_part(macho, command, "the indirect symbol table", off, count * 4);
}

static void read_commands(struct ms_macho *macho)
{
    bool exact_build = false;
    for (size_t i = 0; i < macho->n_commands; i++) {
        const struct ms_load_command *command = &macho->commands[i];
        switch (command->cmd) {
        case MS_LC_UUID:
            read_uuid(macho, over_body(macho, command));
            break;
        case MS_LC_SYMTAB:
            read_symtab(macho, command);
            break;
        case MS_LC_DYSYMTAB:
            read_dysymtab(macho, command);
            break;
        case MS_LC_DYLD_INFO:
        case MS_LC_DYLD_INFO_ONLY:
            read_dyld_info(macho, command);
            break;
        case MS_LC_BUILD_VERSION:
        case MS_LC_VERSION_MIN_MACOSX:
        case MS_LC_VERSION_MIN_IPHONEOS:
        case MS_LC_VERSION_MIN_TVOS:
        case MS_LC_VERSION_MIN_WATCHOS:
            read_build(macho, command->cmd, over_body(macho, command), &exact_build);
            break;
        default:
            if (is_linkedit_data(command->cmd))
                read_linkedit_data(macho, command);
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------ */

enum ms_status ms_macho_parse_at(struct ms_bytes file, uint64_t header_off, const char *name,
                                 struct ms_macho *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    out->damage.offset = MS_NO_OFFSET;
    struct header header = {0, 0, header_off, 0};
    struct ms_bytes image;
    if (!ms_bytes_from(file, header_off, &image))
        return ms_fail(err, MS_E_FORMAT, name, header_off, "outside the file of 0x%llx bytes",
                       (unsigned long long)file.n);
    /* Command offsets are 32 bits wide, and no real fileset comes near. */
    if (header_off > UINT32_MAX / 2)
        return ms_fail(err, MS_E_LIMIT, name, header_off, "an image that starts beyond 2 GB");
    out->bytes = file;
    enum ms_status status = read_header(out, image, &header, name, err);
    if (status == MS_OK)
        status = list_commands(out, &header, err);
    if (status == MS_OK)
        status = ms_sections_read(out, err);
    if (status == MS_OK)
        read_commands(out);
    else
        ms_macho_fini(out);
    return status;
}

enum ms_status ms_macho_parse(struct ms_bytes slice, const char *name, struct ms_macho *out,
                              struct ms_error *err)
{
    return ms_macho_parse_at(slice, 0, name, out, err);
}

void ms_macho_fini(struct ms_macho *macho)
{
    free(macho->commands);
    free(macho->segments);
    free(macho->sections);
    macho->commands = NULL;
    macho->segments = NULL;
    macho->sections = NULL;
    macho->n_commands = macho->n_segments = macho->n_sections = 0;
}

const struct ms_load_command *ms_macho_command(const struct ms_macho *macho, uint32_t cmd)
{
    for (size_t i = 0; i < macho->n_commands; i++)
        if (macho->commands[i].cmd == cmd)
            return &macho->commands[i];
    return NULL;
}

/* Where the header of an entry is; UINT64_MAX for another command. */
static uint64_t fileset_off(const struct ms_macho *macho, const struct ms_load_command *command)
{
    if (command->cmd != MS_LC_FILESET_ENTRY)
        return UINT64_MAX;
    struct ms_cursor c = over_body(macho, command);
    ms_cursor_u64(&c);
    return ms_cursor_u64(&c);
}

/* Entries that all are one image, or the collection again, would be read as often as there are
 * entries. */
static bool is_taken(const struct ms_macho *macho, size_t position, uint64_t off)
{
    for (size_t i = 0; i < position; i++)
        if (fileset_off(macho, &macho->commands[i]) == off)
            return true;
    return macho->commands[0].off > off; /* within the collection's own header */
}

enum ms_status ms_macho_fileset_next(const struct ms_macho *macho, size_t *position,
                                     struct ms_fileset_entry *out, struct ms_error *err)
{
    while (*position < macho->n_commands) {
        const struct ms_load_command *command = &macho->commands[(*position)++];
        if (command->cmd != MS_LC_FILESET_ENTRY)
            continue;
        struct ms_cursor c = over_body(macho, command);
        out->vm = ms_cursor_u64(&c);
        out->off = ms_cursor_u64(&c);
        uint32_t name_off = ms_cursor_u32(&c);
        out->name = ms_bytes_string(command->body, name_off, NULL);
        if (*position > MS_MAX_FILESET_COMMANDS) {
            *position = macho->n_commands;
            return ms_fail(err, MS_E_LIMIT, macho->where, command->off,
                           "more than %d load commands of a collection", MS_MAX_FILESET_COMMANDS);
        }
        if (!out->name || name_off < 32)
            return ms_fail(err, MS_E_FORMAT, macho->where, command->off + 24,
                           "LC_FILESET_ENTRY: its name at 0x%x is not inside its %zu bytes",
                           (unsigned)name_off, command->body.n);
        if (out->off >= macho->bytes.n)
            return ms_fail(err, MS_E_FORMAT, macho->where, command->off + 16,
                           "LC_FILESET_ENTRY %s: its header at 0x%llx is outside the file of "
                           "0x%llx bytes",
                           out->name, (unsigned long long)out->off,
                           (unsigned long long)macho->bytes.n);
        if (is_taken(macho, *position - 1, out->off))
            return ms_fail(err, MS_E_FORMAT, macho->where, command->off + 16,
                           "LC_FILESET_ENTRY %s: its header at 0x%llx is that of another image",
                           out->name, (unsigned long long)out->off);
        return MS_OK;
    }
    return MS_ABSENT;
}
