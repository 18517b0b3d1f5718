/*
 * Builds DWARF byte by byte for the tests of lib/dwarf: each section is a heap of bytes that
 * a test writes to, so that its reader sees which byte is about what. The builder keeps
 * count of lengths and writes numbers in the image's byte order; it knows no format.
 */
#ifndef DWARF_BUILDER_H
#define DWARF_BUILDER_H

#include "dwarf/constants.h"
#include "dwarf/dwarf.h"

#include <stdlib.h>
#include <string.h>

/* One section. */
struct dw {
    uint8_t *at;
    size_t n, room;
    bool big;
};

/* The sections of one image, and what its units are written as. */
struct dw_image {
    struct dw abbrev, addr, aranges, info, line, line_str, ranges, rnglists, str, str_offsets,
        types;
    uint16_t version;
    uint8_t address_size, offset_size;
    bool big;
    struct ms_dwarf_range code[4];
    size_t n_code;
    struct ms_dwarf *reader;
};

static inline void dw_bytes(struct dw *b, const void *bytes, size_t n)
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

static inline void dw_write(struct dw *b, size_t off, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        b->at[off + (b->big ? size - 1 - i : i)] = (uint8_t)(value >> (8 * i));
}

static inline void dw_uint(struct dw *b, uint64_t value, unsigned size)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < size && i < sizeof bytes; i++)
        bytes[b->big ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
    dw_bytes(b, bytes, size);
}

static inline void dw_u8(struct dw *b, unsigned value)
{
    dw_uint(b, value, 1);
}
static inline void dw_u16(struct dw *b, unsigned value)
{
    dw_uint(b, value, 2);
}
static inline void dw_u32(struct dw *b, uint32_t value)
{
    dw_uint(b, value, 4);
}
static inline void dw_u64(struct dw *b, uint64_t value)
{
    dw_uint(b, value, 8);
}

static inline void dw_uleb(struct dw *b, uint64_t value)
{
    do {
        dw_u8(b, (value & 0x7f) | (value > 0x7f ? 0x80 : 0));
        value >>= 7;
    } while (value);
}

static inline void dw_sleb(struct dw *b, int64_t value)
{
    for (;;) {
        unsigned low = value & 0x7f;
        value = value < 0 ? ~(~value >> 7) : value >> 7;
        if ((value == 0 && !(low & 0x40)) || (value == -1 && (low & 0x40))) {
            dw_u8(b, low);
            return;
        }
        dw_u8(b, low | 0x80);
    }
}

/* With its NUL; returns where it starts. */
static inline size_t dw_str(struct dw *b, const char *text)
{
    size_t off = b->n;
    dw_bytes(b, text, strlen(text) + 1);
    return off;
}

/* ---- values that hang on the image -------------------------------------------------------- */

static inline struct dw_image dw_image(unsigned version, unsigned address_size,
                                       unsigned offset_size, bool big)
{
    struct dw_image image;
    memset(&image, 0, sizeof image);
    image.version = (uint16_t)version;
    image.address_size = (uint8_t)address_size;
    image.offset_size = (uint8_t)offset_size;
    image.big = big;
    struct dw *sections[] = {&image.abbrev, &image.addr,        &image.aranges, &image.info,
                             &image.line,   &image.line_str,    &image.ranges,  &image.rnglists,
                             &image.str,    &image.str_offsets, &image.types};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        sections[i]->big = big;
    dw_u8(&image.str, 0); /* so that no string has the offset 0 */
    dw_u8(&image.line_str, 0);
    image.code[0] = (struct ms_dwarf_range){0x1000, 0x9000};
    image.n_code = 1;
    return image;
}

static inline void dw_address(struct dw_image *image, struct dw *b, uint64_t address)
{
    dw_uint(b, address, image->address_size);
}
static inline void dw_offset(struct dw_image *image, struct dw *b, uint64_t offset)
{
    dw_uint(b, offset, image->offset_size);
}

/* An initial length to be filled by dw_end; returns the position behind it. */
static inline size_t dw_begin(struct dw_image *image, struct dw *b)
{
    if (image->offset_size == 8)
        dw_u32(b, 0xffffffff);
    dw_offset(image, b, 0);
    return b->n;
}
static inline void dw_end(struct dw_image *image, struct dw *b, size_t behind)
{
    dw_write(b, behind - image->offset_size, b->n - behind, image->offset_size);
}

/* ---- units -------------------------------------------------------------------------------- */

/* A declaration: pairs of attribute and form up to a 0. An implicit constant is not for this. */
static inline void dw_declare(struct dw_image *image, unsigned code, unsigned tag, bool children,
                              const unsigned *specs)
{
    dw_uleb(&image->abbrev, code);
    dw_uleb(&image->abbrev, tag);
    dw_u8(&image->abbrev, children);
    for (; specs[0]; specs += 2) {
        dw_uleb(&image->abbrev, specs[0]);
        dw_uleb(&image->abbrev, specs[1]);
    }
    dw_u16(&image->abbrev, 0);
}

/* Header of a compile unit with the abbreviations at `abbrevs`. Ends by dw_end. */
static inline size_t dw_unit(struct dw_image *image, uint64_t abbrevs)
{
    size_t start = dw_begin(image, &image->info);
    dw_u16(&image->info, image->version);
    if (image->version >= 5) {
        dw_u8(&image->info, DW_UT_compile);
        dw_u8(&image->info, image->address_size);
        dw_offset(image, &image->info, abbrevs);
    } else {
        dw_offset(image, &image->info, abbrevs);
        dw_u8(&image->info, image->address_size);
    }
    return start;
}

/* A set of .debug_aranges; ranges as pairs of low and length up to a length of 0. */
static inline void dw_arange_set(struct dw_image *image, uint64_t unit_off, const uint64_t *pairs)
{
    struct dw *b = &image->aranges;
    size_t set = b->n, start = dw_begin(image, b);
    dw_u16(b, 2);
    dw_offset(image, b, unit_off);
    dw_u8(b, image->address_size);
    dw_u8(b, 0);
    while ((b->n - set) % (2u * image->address_size))
        dw_u8(b, 0);
    for (; pairs[1]; pairs += 2) {
        dw_address(image, b, pairs[0]);
        dw_address(image, b, pairs[1]);
    }
    dw_address(image, b, 0);
    dw_address(image, b, 0);
    dw_end(image, b, start);
}

/* ---- line tables -------------------------------------------------------------------------- */

struct dw_line {
    size_t start, header; /* for the two lengths */
};

/* The header up to the tables, with the parameters that clang writes. */
static inline struct dw_line dw_line(struct dw_image *image)
{
    static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};
    struct dw *b = &image->line;
    struct dw_line out;
    out.start = dw_begin(image, b);
    dw_u16(b, image->version);
    if (image->version >= 5) {
        dw_u8(b, image->address_size);
        dw_u8(b, 0);
    }
    dw_offset(image, b, 0);
    out.header = b->n;
    dw_u8(b, 1); /* minimum_instruction_length */
    if (image->version >= 4)
        dw_u8(b, 1); /* maximum_operations_per_instruction */
    dw_u8(b, 1);     /* default_is_stmt */
    dw_u8(b, 0xfb);  /* line_base -5 */
    dw_u8(b, 14);    /* line_range */
    dw_u8(b, 13);    /* opcode_base */
    dw_bytes(b, lengths, sizeof lengths);
    return out;
}

/* Behind the tables. */
static inline void dw_line_program(struct dw_image *image, struct dw_line line)
{
    dw_write(&image->line, line.header - image->offset_size, image->line.n - line.header,
             image->offset_size);
}

static inline void dw_set_address(struct dw_image *image, uint64_t address)
{
    dw_u8(&image->line, 0);
    dw_uleb(&image->line, 1u + image->address_size);
    dw_u8(&image->line, DW_LNE_set_address);
    dw_address(image, &image->line, address);
}

/* A row by plain opcodes: so many bytes and lines on. */
static inline void dw_row(struct dw_image *image, unsigned advance, int lines)
{
    dw_u8(&image->line, DW_LNS_advance_pc);
    dw_uleb(&image->line, advance);
    dw_u8(&image->line, DW_LNS_advance_line);
    dw_sleb(&image->line, lines);
    dw_u8(&image->line, DW_LNS_copy);
}

static inline void dw_end_sequence(struct dw_image *image, unsigned advance)
{
    static const uint8_t end[] = {0, 1, DW_LNE_end_sequence};
    dw_u8(&image->line, DW_LNS_advance_pc);
    dw_uleb(&image->line, advance);
    dw_bytes(&image->line, end, sizeof end);
}

/* ---- the reader --------------------------------------------------------------------------- */

static inline struct ms_bytes dw_section(const struct dw *b)
{
    return (struct ms_bytes){b->at, b->n};
}

static inline struct ms_dwarf_sections dw_sections(const struct dw_image *image)
{
    return (struct ms_dwarf_sections){
        .abbrev = dw_section(&image->abbrev),
        .addr = dw_section(&image->addr),
        .aranges = dw_section(&image->aranges),
        .info = dw_section(&image->info),
        .line = dw_section(&image->line),
        .line_str = dw_section(&image->line_str),
        .ranges = dw_section(&image->ranges),
        .rnglists = dw_section(&image->rnglists),
        .str = dw_section(&image->str),
        .str_offsets = dw_section(&image->str_offsets),
        .types = dw_section(&image->types),
        .big = image->big,
        .address_size = image->address_size,
        .code = image->n_code ? image->code : NULL,
        .n_code = image->n_code,
        .where = "t",
    };
}

/* The sections must not grow while the reader is open. */
static inline struct ms_dwarf *dw_open(struct dw_image *image)
{
    struct ms_dwarf_sections sections = dw_sections(image);
    if (ms_dwarf_open(&sections, &image->reader, NULL) != MS_OK)
        abort();
    return image->reader;
}

static inline void dw_close(struct dw_image *image)
{
    struct dw *sections[] = {&image->abbrev, &image->addr,        &image->aranges, &image->info,
                             &image->line,   &image->line_str,    &image->ranges,  &image->rnglists,
                             &image->str,    &image->str_offsets, &image->types};
    ms_dwarf_close(image->reader);
    image->reader = NULL;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        free(sections[i]->at);
        memset(sections[i], 0, sizeof *sections[i]);
    }
}

#endif
