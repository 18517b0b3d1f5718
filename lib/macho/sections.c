/*
 * macho/sections.c: segments and sections, and where their bytes are.
 */
#include "macho/sections.h"

#include "base/cursor.h"
#include "macho/commands.h"

#include <stdlib.h>

enum {
    SECTION_32_BYTES = 68,
    SECTION_64_BYTES = 80,
    ALIGNMENT_SLACK = 1 << 20 /* 32 KB at most for each of some 20 sections */
};

#define FOUR_GB ((uint64_t)1 << 32)

/* A 16-byte name that need not end in a NUL. */
static void read_name(struct ms_cursor *c, char out[17])
{
    struct ms_bytes name = ms_cursor_bytes(c, 16);
    memset(out, 0, 17);
    if (name.at)
        memcpy(out, name.at, 16);
}

static uint64_t read_word(struct ms_cursor *c, bool is64)
{
    return is64 ? ms_cursor_u64(c) : ms_cursor_u32(c);
}

static void note_damage(struct ms_macho *macho, uint64_t command_off, const char *kind,
                        const char *name, uint64_t at, uint64_t n, const char *what)
{
    if (macho->damage.status != MS_OK)
        return;
    (void)ms_fail(&macho->damage, MS_E_FORMAT, macho->where, command_off,
                  "%s %s: 0x%llx bytes from 0x%llx reach past the end of the %s", kind, name,
                  (unsigned long long)n, (unsigned long long)at, what);
}

/* So that at + *n never wraps, for whoever trusts us later. */
static bool clip_to_address_space(uint64_t at, uint64_t *n)
{
    if (*n <= UINT64_MAX - at)
        return false;
    *n = UINT64_MAX - at;
    return true;
}

static struct ms_segment read_segment(struct ms_cursor *c, bool is64)
{
    struct ms_segment segment;
    memset(&segment, 0, sizeof segment);
    ms_cursor_skip(c, 8);
    read_name(c, segment.name);
    segment.vm = read_word(c, is64);
    segment.vm_bytes = read_word(c, is64);
    segment.off = read_word(c, is64);
    segment.file_bytes = read_word(c, is64);
    segment.maxprot = ms_cursor_u32(c);
    segment.initprot = ms_cursor_u32(c);
    segment.n_sections = ms_cursor_u32(c);
    segment.flags = ms_cursor_u32(c);
    return segment;
}

static struct ms_section read_section(struct ms_cursor *c, bool is64)
{
    struct ms_section section;
    memset(&section, 0, sizeof section);
    read_name(c, section.name);
    read_name(c, section.segment_name);
    section.vm = read_word(c, is64);
    section.vm_bytes = read_word(c, is64);
    section.off = ms_cursor_u32(c);
    section.align = ms_cursor_u32(c);
    section.reloff = ms_cursor_u32(c);
    section.nreloc = ms_cursor_u32(c);
    section.flags = ms_cursor_u32(c);
    section.reserved1 = ms_cursor_u32(c);
    section.reserved2 = ms_cursor_u32(c);
    ms_cursor_skip(c, is64 ? 4 : 0);
    return section;
}

static bool is_segment(const struct ms_load_command *command)
{
    return command->cmd == MS_LC_SEGMENT || command->cmd == MS_LC_SEGMENT_64;
}

/* How many segments and sections there are, each checked to be inside its command. */
static enum ms_status count(const struct ms_macho *macho, size_t *n_segments, size_t *n_sections,
                            struct ms_error *err)
{
    *n_segments = *n_sections = 0;
    for (size_t i = 0; i < macho->n_commands; i++) {
        const struct ms_load_command *command = &macho->commands[i];
        if (!is_segment(command))
            continue;
        bool is64 = command->cmd == MS_LC_SEGMENT_64;
        struct ms_cursor c = ms_cursor_over(command->body, macho->big);
        struct ms_segment segment = read_segment(&c, is64);
        size_t left = ms_cursor_left(&c), each = is64 ? SECTION_64_BYTES : SECTION_32_BYTES;
        if (segment.n_sections > left / each)
            return ms_fail(err, MS_E_FORMAT, macho->where, command->off,
                           "segment %s: %u sections need %llu bytes, %zu remain of its command",
                           segment.name, (unsigned)segment.n_sections,
                           (unsigned long long)segment.n_sections * each, left);
        *n_segments += 1;
        *n_sections += segment.n_sections;
    }
    return MS_OK;
}

/*
 * A section header has 32 bits for its offset, a segment 64: in a dSYM of more than 4 GB the
 * offsets wrap. Addresses run in parallel to offsets there, but for some alignment, so the
 * offset is the value with these low bits that is nearest to what the address lets expect.
 * Where it isn't near, the order of the headers decides: each section stands behind the one
 * before.
 */
static uint64_t unwrap(const struct ms_segment *segment, const struct ms_section *section,
                       uint64_t floor)
{
    uint64_t end = segment->off + segment->file_bytes; /* the caller saw that it doesn't wrap */
    uint64_t expected = segment->off + (section->vm - segment->vm);
    int32_t apart = (int32_t)((uint32_t)section->off - (uint32_t)expected);
    uint64_t off = expected + (uint64_t)(int64_t)apart;
    if (apart > -ALIGNMENT_SLACK && apart < ALIGNMENT_SLACK && off >= segment->off && off <= end &&
        section->vm_bytes <= end - off)
        return off;
    off = (floor & ~(FOUR_GB - 1)) | section->off;
    if (off < floor)
        off += FOUR_GB;
    return off <= end && section->vm_bytes <= end - off ? off : section->off;
}

static void unwrap_offsets(struct ms_macho *macho, const struct ms_segment *segment)
{
    if (segment->off > UINT64_MAX - segment->file_bytes ||
        segment->off + segment->file_bytes <= FOUR_GB)
        return;
    uint64_t floor = segment->off;
    for (uint32_t i = 0; i < segment->n_sections; i++) {
        struct ms_section *section = &macho->sections[segment->first_section + i];
        if (section->vm_bytes == 0 || ms_section_is_zerofill(section))
            continue;
        section->off = unwrap(segment, section, floor);
        if (section->off >= floor && section->vm_bytes <= UINT64_MAX - section->off)
            floor = section->off + section->vm_bytes;
    }
}

static void read_one(struct ms_macho *macho, const struct ms_load_command *command)
{
    bool is64 = command->cmd == MS_LC_SEGMENT_64;
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    struct ms_segment segment = read_segment(&c, is64);
    struct ms_bytes ignored;
    if (clip_to_address_space(segment.vm, &segment.vm_bytes))
        note_damage(macho, command->off, "segment", segment.name, segment.vm, segment.vm_bytes,
                    "address space");
    if (segment.file_bytes &&
        !ms_bytes_part(macho->bytes, segment.off, segment.file_bytes, &ignored))
        note_damage(macho, command->off, "segment", segment.name, segment.off, segment.file_bytes,
                    "file");
    segment.first_section = (uint32_t)macho->n_sections;
    for (uint32_t i = 0; i < segment.n_sections; i++) {
        struct ms_section section = read_section(&c, is64);
        if (clip_to_address_space(section.vm, &section.vm_bytes))
            note_damage(macho, command->off, "section", section.name, section.vm, section.vm_bytes,
                        "address space");
        section.segment = (uint32_t)macho->n_segments;
        macho->sections[macho->n_sections++] = section;
    }
    macho->segments[macho->n_segments++] = segment;
    unwrap_offsets(macho, &segment);
    /* An object has one segment, without a name and at address 0. */
    if (!macho->has_text && macho->filetype != MS_MH_OBJECT &&
        strcmp(segment.name, "__TEXT") == 0) {
        macho->has_text = true;
        macho->text_vm = segment.vm;
        macho->text_bytes = segment.vm_bytes;
    }
}

enum ms_status ms_sections_read(struct ms_macho *macho, struct ms_error *err)
{
    size_t n_segments, n_sections;
    enum ms_status status = count(macho, &n_segments, &n_sections, err);
    if (status != MS_OK)
        return status;
    macho->segments = calloc(n_segments + 1, sizeof *macho->segments);
    macho->sections = calloc(n_sections + 1, sizeof *macho->sections);
    if (!macho->segments || !macho->sections)
        return ms_fail_memory(err);
    for (size_t i = 0; i < macho->n_commands; i++)
        if (is_segment(&macho->commands[i]))
            read_one(macho, &macho->commands[i]);
    return MS_OK;
}

/* ---- questions ------------------------------------------------------------------------------- */

/* Names have 16 bytes in the file: a longer one that is asked for was cut there. */
static bool is_named(const char name[17], const char *wanted)
{
    return strncmp(name, wanted, 16) == 0;
}

const struct ms_section *ms_macho_section(const struct ms_macho *macho, const char *segment,
                                          const char *section)
{
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *candidate = &macho->sections[i];
        if (is_named(candidate->name, section) &&
            (!segment || is_named(candidate->segment_name, segment)))
            return candidate;
    }
    return NULL;
}

const struct ms_section *ms_macho_section_at(const struct ms_macho *macho, uint64_t address_vm)
{
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if (address_vm >= section->vm && address_vm - section->vm < section->vm_bytes)
            return section;
    }
    return NULL;
}

const struct ms_segment *ms_macho_segment(const struct ms_macho *macho, const char *name)
{
    for (size_t i = 0; i < macho->n_segments; i++)
        if (is_named(macho->segments[i].name, name))
            return &macho->segments[i];
    return NULL;
}

bool ms_section_is_code(const struct ms_section *section)
{
    return (section->flags & (MS_S_ATTR_PURE_INSTRUCTIONS | MS_S_ATTR_SOME_INSTRUCTIONS)) != 0;
}

/* The part of the file that no section can lie in: header and load commands. */
static bool is_in_headers(const struct ms_macho *macho, uint64_t off)
{
    if (macho->n_commands == 0)
        return false;
    const struct ms_load_command *first = &macho->commands[0];
    const struct ms_load_command *last = &macho->commands[macho->n_commands - 1];
    uint32_t header = macho->is64 ? 32 : 28;
    return off >= first->off - header && off < (uint64_t)last->off + last->body.n;
}

/*
 * dsymutil keeps the headers of all of the image's sections and none of their bytes but those
 * of __DWARF. Their offset is 0, or stands where the image had it: what is there in this file
 * is something else.
 */
static bool is_empty_copy(const struct ms_macho *macho, const struct ms_section *section)
{
    const struct ms_segment *segment = &macho->segments[section->segment];
    if (section->off == 0)
        return true;
    if (macho->filetype != MS_MH_DSYM && macho->filetype != MS_MH_DYLIB_STUB)
        return false;
    return segment->file_bytes == 0 || section->off < segment->off;
}

enum ms_status ms_macho_section_bytes(const struct ms_macho *macho,
                                      const struct ms_section *section, struct ms_bytes *out,
                                      struct ms_error *err)
{
    out->at = NULL;
    out->n = 0;
    if (section->vm_bytes == 0 || ms_section_is_zerofill(section) || is_empty_copy(macho, section))
        return MS_ABSENT;
    if (is_in_headers(macho, section->off))
        return ms_fail(err, MS_E_FORMAT, macho->where, section->off,
                       "section %s,%s lies on the load commands", section->segment_name,
                       section->name);
    if (!ms_bytes_part(macho->bytes, section->off, section->vm_bytes, out))
        return ms_fail(err, MS_E_FORMAT, macho->where, section->off,
                       "section %s,%s takes 0x%llx bytes from there, the file has 0x%llx",
                       section->segment_name, section->name, (unsigned long long)section->vm_bytes,
                       (unsigned long long)macho->bytes.n);
    return MS_OK;
}

const char *ms_filetype_name(uint32_t filetype)
{
    static const char *const NAMES[] = {NULL,      "OBJECT",      "EXECUTE",  "FVMLIB",
                                        "CORE",    "PRELOAD",     "DYLIB",    "DYLINKER",
                                        "BUNDLE",  "DYLIB_STUB",  "DSYM",     "KEXT_BUNDLE",
                                        "FILESET", "GPU_EXECUTE", "GPU_DYLIB"};
    return filetype < sizeof NAMES / sizeof *NAMES ? NAMES[filetype] : NULL;
}
