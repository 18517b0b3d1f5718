/*
 * macho/fat.c: the outer shape of a file: universal, one Mach-O, or an archive.
 * Source: mach-o/fat.h. The fat header is big-endian whatever the slices are.
 */
#include "base/cursor.h"
#include "base/error.h"
#include "base/limits.h"
#include "macho/magic.h"
#include "macho/where.h"
#include "machsym/macho.h"

#include <stdlib.h>

enum {
    FAT_HEADER_BYTES = 8,
    FAT_ARCH_BYTES = 20,
    FAT_ARCH_64_BYTES = 32,
    /* A Java class file has 0xcafebabe too, and its version where nfat_arch stands: 45 and up
     * since Java 1.1. */
    FIRST_JAVA_VERSION = 45
};

static enum ms_slice_kind kind_of(struct ms_bytes bytes)
{
    bool is64, big;
    if (ms_magic_is_macho(ms_magic_of(bytes), &is64, &big))
        return MS_SLICE_MACHO;
    return ms_magic_is_archive(bytes) ? MS_SLICE_ARCHIVE : MS_SLICE_OTHER;
}

/* The architecture in a Mach-O header; zeros for what is none. */
static void read_arch(struct ms_bytes bytes, uint32_t *cputype, uint32_t *cpusubtype)
{
    bool is64, big;
    *cputype = *cpusubtype = 0;
    if (!ms_magic_is_macho(ms_magic_of(bytes), &is64, &big))
        return;
    struct ms_cursor c = ms_cursor_over(bytes, big);
    ms_cursor_skip(&c, 4);
    *cputype = ms_cursor_u32(&c);
    *cpusubtype = ms_cursor_u32(&c);
}

/* A thin archive's header doesn't name its architecture: the first Mach-O in it does. */
static void read_archive_arch(struct ms_bytes bytes, const char *name, struct ms_slice *slice)
{
    struct ms_archive archive;
    struct ms_archive_member member;
    struct ms_error ignored;
    if (ms_archive_open(bytes, name, &archive, &ignored) != MS_OK)
        return;
    while (!slice->cputype && ms_archive_next(&archive, &member, &ignored) == MS_OK)
        read_arch(member.bytes, &slice->cputype, &slice->cpusubtype);
}

static enum ms_status parse_thin(struct ms_bytes file, struct ms_fat *out, struct ms_error *err)
{
    enum ms_slice_kind kind = kind_of(file);
    if (!file.n)
        return ms_fail(err, MS_E_FORMAT, out->where, MS_NO_OFFSET, "the file is empty");
    if (kind == MS_SLICE_OTHER || (kind == MS_SLICE_MACHO && file.n < 28))
        return ms_fail(err, MS_E_FORMAT, out->where, 0, "not a Mach-O file: %s",
                       ms_magic_guess(file));
    struct ms_slice *slice = calloc(1, sizeof *slice);
    if (!slice)
        return ms_fail_memory(err);
    slice->bytes = file;
    slice->kind = kind;
    if (kind == MS_SLICE_ARCHIVE)
        read_archive_arch(file, out->where, slice);
    else
        read_arch(file, &slice->cputype, &slice->cpusubtype);
    out->slices = slice;
    out->n_slices = 1;
    return MS_OK;
}

/* One fat_arch or fat_arch_64, its place not yet checked: `size` goes to bytes.n as it is. */
struct fat_entry {
    struct ms_slice slice;
    uint64_t size;
};

static struct fat_entry read_entry(struct ms_cursor *c, bool is64)
{
    struct fat_entry entry = {{{NULL, 0}, 0, 0, 0, 0, MS_SLICE_OTHER, false}, 0};
    entry.slice.cputype = ms_cursor_u32(c);
    entry.slice.cpusubtype = ms_cursor_u32(c);
    entry.slice.file_off = is64 ? ms_cursor_u64(c) : ms_cursor_u32(c);
    entry.size = is64 ? ms_cursor_u64(c) : ms_cursor_u32(c);
    entry.slice.align = ms_cursor_u32(c);
    if (is64)
        ms_cursor_skip(c, 4);
    return entry;
}

/* Two slices that share bytes, or are of one architecture, leave open which one is meant. */
static enum ms_status check_pair(const struct ms_fat *fat, const struct ms_slice *one,
                                 const struct ms_slice *two, const char *arch, uint64_t entry_off,
                                 struct ms_error *err)
{
    char room[MS_ARCH_TEXT];
    if (one->cputype == two->cputype && one->cpusubtype == two->cpusubtype)
        return ms_fail(err, MS_E_FORMAT, fat->where, entry_off, "two slices of architecture %s",
                       arch);
    const struct ms_slice *low = one->file_off <= two->file_off ? one : two;
    const struct ms_slice *high = low == one ? two : one;
    if (high->bytes.n && low->bytes.n > high->file_off - low->file_off)
        return ms_fail(err, MS_E_FORMAT, fat->where, entry_off,
                       "slice %s at 0x%llx overlaps slice %s at 0x%llx", arch,
                       (unsigned long long)two->file_off,
                       ms_arch_text(one->cputype, one->cpusubtype, room),
                       (unsigned long long)one->file_off);
    return MS_OK;
}

/* Checks an entry against the file, the headers and the slices before it, and cuts it out. */
static enum ms_status place_entry(struct ms_bytes file, const struct ms_fat *fat,
                                  struct fat_entry *entry, uint64_t entry_off, uint64_t headers_end,
                                  struct ms_error *err)
{
    char room[MS_ARCH_TEXT];
    struct ms_slice *slice = &entry->slice;
    const char *arch = ms_arch_text(slice->cputype, slice->cpusubtype, room);
    if (!ms_bytes_part(file, slice->file_off, entry->size, &slice->bytes))
        return ms_fail(err, MS_E_FORMAT, fat->where, entry_off,
                       "slice %s takes 0x%llx bytes from 0x%llx, the file has 0x%llx", arch,
                       (unsigned long long)entry->size, (unsigned long long)slice->file_off,
                       (unsigned long long)file.n);
    if (slice->file_off < headers_end)
        return ms_fail(err, MS_E_FORMAT, fat->where, entry_off,
                       "slice %s starts at 0x%llx, inside the fat headers, which end at 0x%llx",
                       arch, (unsigned long long)slice->file_off, (unsigned long long)headers_end);
    for (size_t i = 0; i < fat->n_slices; i++) {
        enum ms_status status = check_pair(fat, &fat->slices[i], slice, arch, entry_off, err);
        if (status != MS_OK)
            return status;
    }
    slice->kind = kind_of(slice->bytes);
    return MS_OK;
}

/*
 * Xcode 4 to 6 wrote arm64 slices behind the last counted entry (lipo -hideARM64), so that
 * tools that didn't know them passed over them. What stands there is one only if it says
 * arm64 and fits in every respect; anything else is padding.
 */
static void find_hidden(struct ms_bytes file, struct ms_fat *fat, struct ms_cursor *c)
{
    uint64_t at = ms_cursor_offset(c);
    for (size_t i = 0; i < fat->n_slices; i++)
        if (fat->slices[i].file_off < at + FAT_ARCH_BYTES)
            return;
    struct fat_entry entry = read_entry(c, false);
    if (c->bad || entry.slice.cputype != MS_CPU_ARM64 || entry.size == 0 ||
        place_entry(file, fat, &entry, at, at + FAT_ARCH_BYTES, NULL) != MS_OK ||
        entry.slice.kind == MS_SLICE_OTHER)
        return;
    entry.slice.hidden = true;
    fat->slices[fat->n_slices++] = entry.slice; /* parse_fat made room for it */
}

static enum ms_status check_count(const struct ms_fat *fat, uint32_t count, uint64_t left,
                                  struct ms_error *err)
{
    if (count == 0)
        return ms_fail(err, MS_E_FORMAT, fat->where, 4, "a fat file without slices");
    if (!fat->is_fat64 && count >= FIRST_JAVA_VERSION)
        return ms_fail(err, MS_E_FORMAT, fat->where, 4,
                       "not a Mach-O file: a Java class file (or a fat file of %u slices)",
                       (unsigned)count);
    if (count > MS_MAX_FAT_SLICES)
        return ms_fail(err, MS_E_FORMAT, fat->where, 4, "%u slices, at most %d are read",
                       (unsigned)count, MS_MAX_FAT_SLICES);
    uint64_t need = (uint64_t)count * (fat->is_fat64 ? FAT_ARCH_64_BYTES : FAT_ARCH_BYTES);
    if (need > left)
        return ms_fail(err, MS_E_FORMAT, fat->where, 4,
                       "%u slices need %llu bytes of headers, %llu remain", (unsigned)count,
                       (unsigned long long)need, (unsigned long long)left);
    return MS_OK;
}

static enum ms_status parse_fat(struct ms_bytes file, struct ms_fat *out, struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(file, true);
    ms_cursor_skip(&c, 4);
    uint32_t count = ms_cursor_u32(&c);
    if (c.bad)
        return ms_fail(err, MS_E_FORMAT, out->where, 0,
                       "a fat header needs %d bytes, the file has %zu", FAT_HEADER_BYTES, file.n);
    enum ms_status status = check_count(out, count, ms_cursor_left(&c), err);
    if (status != MS_OK)
        return status;
    out->slices = calloc((size_t)count + 1, sizeof *out->slices); /* and a hidden one */
    if (!out->slices)
        return ms_fail_memory(err);
    uint64_t entry_bytes = out->is_fat64 ? FAT_ARCH_64_BYTES : FAT_ARCH_BYTES;
    uint64_t headers_end = FAT_HEADER_BYTES + count * entry_bytes;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t entry_off = ms_cursor_offset(&c);
        struct fat_entry entry = read_entry(&c, out->is_fat64);
        status = place_entry(file, out, &entry, entry_off, headers_end, err);
        if (status != MS_OK)
            return status;
        out->slices[out->n_slices++] = entry.slice;
    }
    if (!out->is_fat64)
        find_hidden(file, out, &c);
    return MS_OK;
}

enum ms_status ms_fat_parse(struct ms_bytes file, const char *name, struct ms_fat *out,
                            struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    ms_where_write(out->where, sizeof out->where, name, NULL);
    uint32_t magic = ms_magic_of(file);
    out->is_fat64 = magic == MS_MAGIC_FAT_64;
    out->is_fat = out->is_fat64 || magic == MS_MAGIC_FAT;
    enum ms_status status = out->is_fat ? parse_fat(file, out, err) : parse_thin(file, out, err);
    if (status != MS_OK)
        ms_fat_fini(out);
    return status;
}

void ms_fat_fini(struct ms_fat *fat)
{
    free(fat->slices);
    fat->slices = NULL;
    fat->n_slices = 0;
}
