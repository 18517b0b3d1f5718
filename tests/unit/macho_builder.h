/*
 * Builds Mach-O files byte by byte for the tests of lib/macho. Whoever reads a test sees
 * which command and which byte it is about; the builder only keeps count.
 */
#ifndef MACHO_BUILDER_H
#define MACHO_BUILDER_H

#include "machsym/macho.h"

#include <stdlib.h>
#include <string.h>

struct build {
    uint8_t *at;
    size_t n, room;
    bool is64, big;
};

static inline struct ms_bytes build_bytes(const struct build *b)
{
    return (struct ms_bytes){b->at, b->n};
}

static inline void build_free(struct build *b)
{
    free(b->at);
    memset(b, 0, sizeof *b);
}

static inline void put_bytes(struct build *b, const void *bytes, size_t n)
{
    if (b->n + n > b->room) {
        b->room = (b->n + n) * 2 + 64;
        b->at = realloc(b->at, b->room);
        if (!b->at)
            abort();
    }
    if (n)
        memcpy(b->at + b->n, bytes, n);
    b->n += n;
}

static inline void put_uint(struct build *b, uint64_t value, unsigned size)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size; i++)
        bytes[b->big ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
    put_bytes(b, bytes, size);
}

static inline void put_u8(struct build *b, unsigned value)
{
    put_uint(b, value, 1);
}
static inline void put_u16(struct build *b, unsigned value)
{
    put_uint(b, value, 2);
}
static inline void put_u32(struct build *b, uint32_t value)
{
    put_uint(b, value, 4);
}
static inline void put_u64(struct build *b, uint64_t value)
{
    put_uint(b, value, 8);
}
/* 4 or 8 bytes, as the image has it. */
static inline void put_word(struct build *b, uint64_t value)
{
    put_uint(b, value, b->is64 ? 8 : 4);
}

static inline void put_zeros(struct build *b, size_t n)
{
    while (n--)
        put_u8(b, 0);
}

static inline void put_string(struct build *b, const char *text)
{
    put_bytes(b, text, strlen(text) + 1);
}

static inline void put_name16(struct build *b, const char *name)
{
    char field[16] = {0};
    memcpy(field, name, strlen(name) < 16 ? strlen(name) : 16);
    put_bytes(b, field, 16);
}

static inline void put_uleb(struct build *b, uint64_t value)
{
    do {
        put_u8(b, (value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
}

static inline void set_u32(struct build *b, size_t off, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        b->at[off + (b->big ? 3 - i : i)] = (uint8_t)(value >> (8 * i));
}

static inline uint32_t get_u32(const struct build *b, size_t off)
{
    uint32_t value = 0;
    for (unsigned i = 0; i < 4; i++)
        value |= (uint32_t)b->at[off + (b->big ? 3 - i : i)] << (8 * i);
    return value;
}

static inline void pad_to(struct build *b, size_t off)
{
    while (b->n < off)
        put_u8(b, 0);
}

/* ---- header and commands -------------------------------------------------------------------- */

static inline struct build build_macho(bool is64, bool big, uint32_t cputype, uint32_t cpusubtype,
                                       uint32_t filetype)
{
    struct build b = {NULL, 0, 0, is64, big};
    put_u32(&b, is64 ? 0xfeedfacf : 0xfeedface);
    put_u32(&b, cputype);
    put_u32(&b, cpusubtype);
    put_u32(&b, filetype);
    put_u32(&b, 0); /* ncmds at 16, sizeofcmds at 20: counted by end_command */
    put_u32(&b, 0);
    put_u32(&b, 0);
    if (is64)
        put_u32(&b, 0);
    return b;
}

static inline struct build build_arm64(uint32_t filetype)
{
    return build_macho(true, false, MS_CPU_ARM64, 0, filetype);
}

static inline size_t begin_command(struct build *b, uint32_t cmd)
{
    size_t off = b->n;
    put_u32(b, cmd);
    put_u32(b, 0);
    return off;
}

static inline void end_command(struct build *b, size_t off)
{
    while ((b->n - off) % (b->is64 ? 8 : 4))
        put_u8(b, 0);
    set_u32(b, off + 4, (uint32_t)(b->n - off));
    set_u32(b, 16, get_u32(b, 16) + 1);
    set_u32(b, 20, get_u32(b, 20) + (uint32_t)(b->n - off));
}

/* A segment without sections yet; put_section adds them, end_command ends it. */
static inline size_t begin_segment(struct build *b, const char *name, uint64_t vm,
                                   uint64_t vm_bytes, uint64_t off, uint64_t file_bytes)
{
    size_t at = begin_command(b, b->is64 ? 0x19 : 0x1);
    put_name16(b, name);
    put_word(b, vm);
    put_word(b, vm_bytes);
    put_word(b, off);
    put_word(b, file_bytes);
    put_u32(b, 7);
    put_u32(b, 5);
    put_u32(b, 0); /* nsects */
    put_u32(b, 0);
    return at;
}

enum { CODE = 0x400 }; /* with the top bit: "pure instructions" */

/* Returns where the section's header is. */
static inline size_t put_section(struct build *b, size_t segment, const char *name,
                                 const char *segment_name, uint64_t vm, uint64_t vm_bytes,
                                 uint32_t off, uint32_t flags)
{
    size_t at = b->n, nsects = segment + (b->is64 ? 64 : 48);
    put_name16(b, name);
    put_name16(b, segment_name);
    put_word(b, vm);
    put_word(b, vm_bytes);
    put_u32(b, off);
    put_u32(b, 2);
    put_zeros(b, 8);
    put_u32(b, flags);
    put_zeros(b, b->is64 ? 12 : 8);
    set_u32(b, nsects, get_u32(b, nsects) + 1);
    return at;
}

static inline void put_uuid(struct build *b, uint8_t first)
{
    size_t at = begin_command(b, 0x1b);
    for (unsigned i = 0; i < 16; i++)
        put_u8(b, first + i);
    end_command(b, at);
}

/* A command of u32 fields; returns where the first field is. */
static inline size_t put_command(struct build *b, uint32_t cmd, const uint32_t *fields, size_t n)
{
    size_t at = begin_command(b, cmd);
    for (size_t i = 0; i < n; i++)
        put_u32(b, fields[i]);
    end_command(b, at);
    return at + 8;
}
#define PUT_COMMAND(b, cmd, ...)                                                                   \
    put_command(b, cmd, (const uint32_t[]){__VA_ARGS__},                                           \
                sizeof(uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

static inline void put_nlist(struct build *b, uint32_t name, unsigned type, unsigned sect,
                             unsigned desc, uint64_t value)
{
    put_u32(b, name);
    put_u8(b, type);
    put_u8(b, sect);
    put_u16(b, desc);
    put_word(b, value);
}

/* ---- an image with symbols ------------------------------------------------------------------- */

/*
 * One image under construction: __TEXT at `text_vm` with the sections that the test adds, and
 * in __LINKEDIT whatever tables it fills. finish_image puts them behind the commands.
 */
struct image {
    struct build b, nlist, strings, starts, indirect, trie;
    size_t segment, n_nlist;
};

static inline struct image begin_image(bool is64, bool big, uint32_t cputype, uint32_t cpusubtype,
                                       uint32_t filetype, uint64_t text_vm)
{
    struct image image;
    memset(&image, 0, sizeof image);
    image.b = build_macho(is64, big, cputype, cpusubtype, filetype);
    image.nlist.is64 = image.indirect.is64 = is64;
    image.nlist.big = image.indirect.big = big;
    put_u8(&image.strings, 0);
    image.segment =
        begin_segment(&image.b, filetype == MS_MH_OBJECT ? "" : "__TEXT", text_vm, 0x10000, 0, 0);
    return image;
}

static inline uint32_t add_string(struct image *image, const char *name)
{
    uint32_t off = (uint32_t)image->strings.n;
    put_string(&image->strings, name);
    return off;
}

static inline void add_symbol(struct image *image, const char *name, unsigned type, unsigned sect,
                              unsigned desc, uint64_t value)
{
    put_nlist(&image->nlist, name ? add_string(image, name) : 0, type, sect, desc, value);
    image->n_nlist++;
}

/* Puts a table behind the commands and its place into the two u32 at `field`. */
static inline void place_table(struct image *image, const struct build *table, size_t field,
                               uint32_t count)
{
    while (image->b.n % 8)
        put_u8(&image->b, 0);
    set_u32(&image->b, field, table->n ? (uint32_t)image->b.n : 0);
    set_u32(&image->b, field + 4, count);
    put_bytes(&image->b, table->at, table->n);
}

static inline struct build finish_image(struct image *image)
{
    struct build *b = &image->b;
    end_command(b, image->segment);
    put_uuid(b, 0x10);
    size_t symtab = PUT_COMMAND(b, 0x2, 0, 0, 0, 0);
    uint32_t none[18] = {0};
    size_t dysymtab = put_command(b, 0xb, none, 18);
    size_t starts = image->starts.n ? PUT_COMMAND(b, 0x26, 0, 0) : 0;
    size_t trie = image->trie.n ? PUT_COMMAND(b, 0x80000033, 0, 0) : 0;
    place_table(image, &image->nlist, symtab, (uint32_t)image->n_nlist);
    place_table(image, &image->indirect, dysymtab + 48, (uint32_t)image->indirect.n / 4);
    if (starts)
        place_table(image, &image->starts, starts, (uint32_t)image->starts.n);
    if (trie)
        place_table(image, &image->trie, trie, (uint32_t)image->trie.n);
    place_table(image, &image->strings, symtab + 8, (uint32_t)image->strings.n);
    build_free(&image->nlist);
    build_free(&image->indirect);
    build_free(&image->starts);
    build_free(&image->trie);
    build_free(&image->strings);
    return image->b;
}

#endif
