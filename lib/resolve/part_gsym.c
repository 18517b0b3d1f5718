#include "resolve/part_gsym.h"

#include "base/error.h"
#include "macho/commands.h"
#include "machsym/pack.h"
#include "pack/gsym.h"
#include "resolve/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEADER = 32,
    UUID = 24,
    SEGMENT = 72,
    SECTION = 80,
    SHELL = HEADER + UUID + SEGMENT + SECTION
};

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

static void put_text(uint8_t *at, const struct ms_gsym_head *head)
{
    enum { ALL_CODE = 0x80000400, READ_EXECUTE = 5 };
    uint8_t *section = at + SEGMENT;
    put_u32(at, MS_LC_SEGMENT_64);
    put_u32(at + 4, SEGMENT + SECTION);
    memcpy(at + 8, "__TEXT", 6);
    put_u64(at + 24, head->base_vm);
    put_u64(at + 32, head->end_vm - head->base_vm);
    put_u32(at + 56, READ_EXECUTE); /* maxprot, initprot, nsects */
    put_u32(at + 60, READ_EXECUTE);
    put_u32(at + 64, 1);
    memcpy(section, "__text", 6);
    memcpy(section + 16, "__TEXT", 6);
    put_u64(section + 32, head->start_vm);
    put_u64(section + 40, head->end_vm - head->start_vm);
    put_u32(section + 64, ALL_CODE);
}

/* Returns the bytes of it. */
static size_t make_shell(const struct ms_gsym_head *head, uint8_t shell[SHELL])
{
    size_t n = HEADER;
    memset(shell, 0, SHELL);
    if (head->has_uuid) {
        put_u32(shell + n, MS_LC_UUID);
        put_u32(shell + n + 4, UUID);
        memcpy(shell + n + 8, head->uuid.byte, sizeof head->uuid.byte);
        n += UUID;
    }
    put_text(shell + n, head);
    n += SEGMENT + SECTION;
    put_u32(shell, 0xfeedfacf);
    put_u32(shell + 12, MS_MH_DSYM);
    put_u32(shell + 16, head->has_uuid ? 2 : 1);
    put_u32(shell + 20, (uint32_t)(n - HEADER));
    return n;
}

/* "App" of "/x/App.gsym" and of "/x/App.dSYM.gsym". */
static char *name_of(const char *path)
{
    static const char *const suffixes[] = {".gsym", ".dSYM"};
    const char *base = ms_path_base(path);
    size_t n = strlen(base);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t suffix = strlen(suffixes[i]);
        if (n > suffix && memcmp(base + n - suffix, suffixes[i], suffix) == 0)
            n -= suffix;
    }
    char *name = malloc(n + 1);
    if (!name)
        return NULL;
    memcpy(name, base, n);
    name[n] = 0;
    return name;
}

enum ms_status ms_gsym_identify(struct ms_bytes file, const char *name, struct ms_uuid *out,
                                struct ms_error *err)
{
    struct ms_gsym *gsym;
    struct ms_gsym_head head;
    if (!ms_gsym_has_magic(file))
        return MS_ABSENT;
    enum ms_status status = ms_gsym_open(file, name, &gsym, err);
    if (status != MS_OK)
        return status;
    ms_gsym_head(gsym, &head);
    ms_gsym_close(gsym);
    *out = head.uuid;
    return MS_OK;
}

enum ms_status ms_part_open_gsym(struct ms_part *part, struct ms_file *file, struct ms_error *err)
{
    struct ms_bytes bytes = ms_file_bytes(file);
    struct ms_gsym *gsym;
    struct ms_gsym_head head;
    const char *path = ms_file_path(file);
    enum ms_status status = ms_gsym_open(bytes, path, &gsym, err);
    if (status != MS_OK)
        return status;
    ms_gsym_head(gsym, &head);
    ms_gsym_close(gsym);
    part->shell = malloc(SHELL);
    part->name = name_of(path);
    if (part->shell && part->name) {
        struct ms_bytes shell = {part->shell, make_shell(&head, part->shell)};
        status = ms_macho_parse(shell, path, &part->macho, err);
    } else {
        status = ms_fail_memory(err);
    }
    if (status != MS_OK) {
        free(part->shell);
        free(part->name);
        memset(part, 0, sizeof *part);
        return status;
    }
    ms_text_keep_end(part->macho.where, sizeof part->macho.where, path);
    part->gsym = bytes;
    part->file = file;
    return MS_OK;
}
