/*
 * One small program as DWARF of every version, format and byte order: a function with a
 * call inlined into it that has another inlined in two pieces; a function of two ranges;
 * a method whose names are at its declaration.
 *
 *   0x1000-0x1100 walk
 *   0x1010-0x1020   leaf, inlined at walk.c:12:7
 *   0x1012-0x1014     inner, inlined at leaf.h:5
 *   0x1018-0x101a     inner
 *   0x1200-0x1240 split        0x1300-0x1310 split, its cold part
 *   0x1400-0x1410 N::S::method
 */
#ifndef DWARF_PROGRAM_H
#define DWARF_PROGRAM_H

#include "unit/dwarf_builder.h"

struct program {
    struct dw_image image;
    bool indexed;               /* strx, addrx, rnglistx */
    size_t leaf, inner, method; /* DIEs of abstract functions and declarations, in the unit */
    size_t walk, split, concrete; /* DIEs of functions with code */
    size_t inner_ranges, split_ranges, unit_ranges;
    uint64_t n_addresses, n_strings;
};

enum { UNIT = 1, ABSTRACT, WALK, BLOCK, LEAF, INNER, SPLIT, SPACE, CLASS, METHOD, CONCRETE, PAD };

static inline void program_string(struct program *p, struct dw *b, const char *text)
{
    struct dw_image *image = &p->image;
    size_t off = dw_str(&image->str, text);
    if (p->indexed) {
        dw_offset(image, &image->str_offsets, off);
        dw_uleb(b, p->n_strings++);
    } else {
        dw_offset(image, b, off);
    }
}

static inline void program_address(struct program *p, struct dw *b, uint64_t address)
{
    struct dw_image *image = &p->image;
    if (p->indexed) {
        dw_address(image, &image->addr, address);
        dw_uleb(b, p->n_addresses++);
    } else {
        dw_address(image, b, address);
    }
}

/* DW_AT_low_pc and DW_AT_high_pc: an address before DWARF 4, a length since. */
static inline void program_low_high(struct program *p, uint64_t low, uint64_t high)
{
    program_address(p, &p->image.info, low);
    if (p->image.version >= 4)
        dw_u32(&p->image.info, (uint32_t)(high - low));
    else
        program_address(p, &p->image.info, high);
}

static inline void program_abbrevs(struct program *p)
{
    struct dw_image *image = &p->image;
    unsigned strp = p->indexed ? DW_FORM_strx : DW_FORM_strp;
    unsigned addr = p->indexed ? DW_FORM_addrx : DW_FORM_addr;
    unsigned high = image->version >= 4 ? DW_FORM_data4 : DW_FORM_addr;
    unsigned offset = image->version >= 4       ? DW_FORM_sec_offset
                      : image->offset_size == 8 ? DW_FORM_data8
                                                : DW_FORM_data4;
    unsigned ranges = p->indexed ? DW_FORM_rnglistx : offset;
    unsigned bases = p->indexed ? DW_AT_addr_base : 0;
    const unsigned unit[] = {0x25,
                             DW_FORM_string,
                             DW_AT_comp_dir,
                             strp,
                             DW_AT_stmt_list,
                             offset,
                             DW_AT_low_pc,
                             addr,
                             DW_AT_ranges,
                             ranges,
                             bases,
                             offset,
                             DW_AT_str_offsets_base,
                             offset,
                             DW_AT_rnglists_base,
                             offset,
                             0};
    const unsigned abstract[] = {DW_AT_name,    strp, DW_AT_linkage_name, strp, 0x20,
                                 DW_FORM_data1, 0};
    const unsigned walk[] = {DW_AT_low_pc,   addr,       DW_AT_high_pc, high, 0x40,
                             DW_FORM_block1, DW_AT_name, strp,          0};
    const unsigned block[] = {DW_AT_low_pc, addr, DW_AT_high_pc, high, 0};
    const unsigned leaf[] = {DW_AT_abstract_origin,
                             DW_FORM_ref4,
                             DW_AT_low_pc,
                             addr,
                             DW_AT_high_pc,
                             high,
                             DW_AT_call_file,
                             DW_FORM_data1,
                             DW_AT_call_line,
                             DW_FORM_data1,
                             DW_AT_call_column,
                             DW_FORM_data1,
                             0};
    const unsigned inner[] = {
        DW_AT_abstract_origin, DW_FORM_ref_udata, DW_AT_ranges,  ranges, DW_AT_call_file,
        DW_FORM_udata,         DW_AT_call_line,   DW_FORM_data2, 0};
    const unsigned split[] = {DW_AT_name, DW_FORM_string, DW_AT_ranges, ranges, 0};
    const unsigned none[] = {0};
    const unsigned method[] = {DW_AT_name, strp, DW_AT_linkage_name, strp, 0x3c, DW_FORM_flag, 0};
    const unsigned concrete[] = {
        DW_AT_specification, DW_FORM_ref4, DW_AT_low_pc, addr, DW_AT_high_pc, high, 0};
    const unsigned pad[] = {0x02, DW_FORM_block, 0x49, DW_FORM_ref_addr, 0x1c, DW_FORM_sdata,
                            0x3b, DW_FORM_data8, 0x0b, DW_FORM_indirect, 0};
    dw_declare(image, UNIT, DW_TAG_compile_unit, true, unit);
    dw_declare(image, ABSTRACT, DW_TAG_subprogram, false, abstract);
    dw_declare(image, WALK, DW_TAG_subprogram, true, walk);
    dw_declare(image, BLOCK, 0x0b, true, block);
    dw_declare(image, LEAF, DW_TAG_inlined_subroutine, true, leaf);
    dw_declare(image, INNER, DW_TAG_inlined_subroutine, false, inner);
    dw_declare(image, SPLIT, DW_TAG_subprogram, false, split);
    dw_declare(image, SPACE, 0x39, true, none);
    dw_declare(image, CLASS, 0x13, true, none);
    dw_declare(image, METHOD, DW_TAG_subprogram, false, method);
    dw_declare(image, CONCRETE, DW_TAG_subprogram, false, concrete);
    dw_declare(image, PAD, 0x34, false, pad);
    dw_u8(&image->abbrev, 0);
}

/* A list of half-open ranges, as pairs up to a 0; offsets count from 0x1000. */
static inline size_t program_list(struct program *p, const uint64_t *pairs)
{
    struct dw_image *image = &p->image;
    struct dw *b = image->version >= 5 ? &image->rnglists : &image->ranges;
    size_t off = b->n;
    for (; pairs[1]; pairs += 2) {
        if (image->version >= 5) {
            dw_u8(b, DW_RLE_offset_pair);
            dw_uleb(b, pairs[0] - 0x1000);
            dw_uleb(b, pairs[1] - 0x1000);
        } else {
            dw_address(image, b, pairs[0] - 0x1000);
            dw_address(image, b, pairs[1] - 0x1000);
        }
    }
    if (image->version >= 5) {
        dw_u8(b, DW_RLE_end_of_list);
    } else {
        dw_address(image, b, 0);
        dw_address(image, b, 0);
    }
    return off;
}

static inline void program_ranges(struct program *p)
{
    struct dw_image *image = &p->image;
    size_t start = 0, base = 0;
    if (image->version >= 5) {
        start = dw_begin(image, &image->rnglists);
        dw_u16(&image->rnglists, 5);
        dw_u8(&image->rnglists, image->address_size);
        dw_u8(&image->rnglists, 0);
        dw_u32(&image->rnglists, p->indexed ? 3 : 0);
        base = image->rnglists.n;
        for (int i = 0; i < 3 && p->indexed; i++)
            dw_offset(image, &image->rnglists, 0);
    }
    size_t lists[3];
    lists[0] = program_list(p, (const uint64_t[]){0x1012, 0x1014, 0x1018, 0x101a, 0, 0});
    lists[1] = program_list(p, (const uint64_t[]){0x1200, 0x1240, 0x1300, 0x1310, 0, 0});
    lists[2] = program_list(p, (const uint64_t[]){0x1000, 0x1100, 0x1200, 0x1240, 0x1300, 0x1310,
                                                  0x1400, 0x1410, 0, 0});
    for (int i = 0; i < 3 && p->indexed; i++) {
        dw_write(&image->rnglists, base + (size_t)i * image->offset_size, lists[i] - base,
                 image->offset_size);
        lists[i] = (size_t)i;
    }
    if (image->version >= 5)
        dw_end(image, &image->rnglists, start);
    p->inner_ranges = lists[0];
    p->split_ranges = lists[1];
    p->unit_ranges = lists[2];
}

static inline void program_list_value(struct program *p, size_t list)
{
    if (p->indexed)
        dw_uleb(&p->image.info, list);
    else
        dw_offset(&p->image, &p->image.info, list);
}

static inline void program_pad(struct program *p)
{
    struct dw *b = &p->image.info;
    dw_uleb(b, PAD);
    dw_uleb(b, 3);
    dw_bytes(b, "\1\2\3", 3);
    dw_uint(b, 0, p->image.version == 2 ? p->image.address_size : p->image.offset_size);
    dw_sleb(b, -300);
    dw_u64(b, 99);
    dw_uleb(b, DW_FORM_data2);
    dw_u16(b, 7);
}

static inline void program_unit_die(struct program *p)
{
    struct dw_image *image = &p->image;
    struct dw *b = &image->info;
    unsigned header = image->offset_size == 8 ? 16 : 8;
    dw_uleb(b, UNIT);
    dw_str(b, "cc");
    program_string(p, b, "/src");
    dw_offset(image, b, 0);
    program_address(p, b, 0x1000);
    program_list_value(p, p->unit_ranges);
    if (p->indexed) {
        dw_offset(image, b, header);
        dw_offset(image, b, header);
        dw_offset(image, b, header + 4);
    }
}

static inline void program_abstract(struct program *p, const char *name, const char *linkage)
{
    dw_uleb(&p->image.info, ABSTRACT);
    program_string(p, &p->image.info, name);
    program_string(p, &p->image.info, linkage);
    dw_u8(&p->image.info, 1);
}

static inline void program_walk(struct program *p)
{
    struct dw *b = &p->image.info;
    p->walk = b->n;
    dw_uleb(b, WALK);
    program_low_high(p, 0x1000, 0x1100);
    dw_u8(b, 2);
    dw_bytes(b, "\x50\x51", 2);
    program_string(p, b, "walk");
    program_pad(p);
    dw_uleb(b, BLOCK);
    program_low_high(p, 0x1008, 0x1080);
    dw_uleb(b, LEAF);
    dw_u32(b, (uint32_t)p->leaf);
    program_low_high(p, 0x1010, 0x1020);
    dw_u8(b, 1);
    dw_u8(b, 12);
    dw_u8(b, 7);
    program_pad(p);
    dw_uleb(b, INNER);
    dw_uleb(b, p->inner);
    program_list_value(p, p->inner_ranges);
    dw_uleb(b, 2);
    dw_u16(b, 5);
    dw_u8(b, 0); /* leaf */
    dw_u8(b, 0); /* block */
    dw_u8(b, 0); /* walk */
}

static inline void program_class(struct program *p)
{
    struct dw *b = &p->image.info;
    dw_uleb(b, SPACE);
    dw_uleb(b, CLASS);
    p->method = b->n;
    dw_uleb(b, METHOD);
    program_string(p, b, "method");
    program_string(p, b, "_ZN1N1S6methodEv");
    dw_u8(b, 1);
    dw_u8(b, 0);
    dw_u8(b, 0);
    p->concrete = b->n;
    dw_uleb(b, CONCRETE);
    dw_u32(b, (uint32_t)p->method);
    program_low_high(p, 0x1400, 0x1410);
}

/* Files 1 and 2 are walk.c and, in /src/include, leaf.h; DWARF 5 counts walk.c as 0 too. */
static inline void program_files(struct dw_image *image)
{
    struct dw *b = &image->line;
    if (image->version < 5) {
        dw_str(b, "include");
        dw_u8(b, 0);
        dw_str(b, "walk.c");
        dw_bytes(b, "\0\0\0", 3);
        dw_str(b, "leaf.h");
        dw_bytes(b, "\1\0\0", 3);
        dw_u8(b, 0);
        return;
    }
    dw_bytes(b, "\1\1\x1f\2", 4); /* one column: DW_LNCT_path, line_strp; two of them */
    dw_offset(image, b, dw_str(&image->line_str, "/src"));
    dw_offset(image, b, dw_str(&image->line_str, "include"));
    dw_bytes(b, "\3\1\x08\2\x0b\5\x1e\3", 8); /* path string, directory data1, MD5; three */
    for (int i = 0; i < 3; i++) {
        dw_str(b, i < 2 ? "walk.c" : "leaf.h");
        dw_u8(b, i < 2 ? 0 : 1);
        dw_u64(b, 1);
        dw_u64(b, 2);
    }
}

static inline void program_lines(struct program *p)
{
    struct dw_image *image = &p->image;
    struct dw *b = &image->line;
    struct dw_line line = dw_line(image);
    program_files(image);
    dw_line_program(image, line);
    dw_set_address(image, 0x1000);
    dw_row(image, 0, 9); /* 0x1000 walk.c:10 */
    dw_u8(b, DW_LNS_set_column);
    dw_uleb(b, 3);
    dw_u8(b, DW_LNS_set_prologue_end);
    dw_row(image, 8, 1); /* 0x1008 walk.c:11:3 */
    dw_u8(b, DW_LNS_set_file);
    dw_uleb(b, 2);
    dw_row(image, 8, -7); /* 0x1010 leaf.h:4:3 */
    dw_row(image, 2, 96); /* 0x1012 leaf.h:100:3, twice: the second counts */
    dw_u8(b, DW_LNS_negate_stmt);
    dw_row(image, 0, 1);           /* 0x1012 leaf.h:101:3 */
    dw_u8(b, 13 + 14 * 2 + 5);     /* 0x1014, the line as it was */
    dw_u8(b, DW_LNS_const_add_pc); /* + 17 */
    dw_u8(b, DW_LNS_set_file);
    dw_uleb(b, 1);
    dw_row(image, 0, -81); /* 0x1025 walk.c:20:3 */
    dw_end_sequence(image, 0x1100 - 0x1025);
    dw_set_address(image, 0x1200);
    dw_row(image, 0, 29); /* 0x1200 walk.c:30 */
    dw_end_sequence(image, 0x40);
    dw_set_address(image, 0x1300);
    dw_row(image, 0, 39); /* 0x1300 walk.c:40 */
    dw_u8(b, DW_LNS_fixed_advance_pc);
    dw_u16(b, 0x10);
    dw_end_sequence(image, 0);
    dw_set_address(image, 0x1400);
    dw_row(image, 0, 49); /* 0x1400 walk.c:50 */
    dw_end_sequence(image, 0x10);
    dw_end(image, b, line.start);
}

static inline size_t program_header(struct dw_image *image, struct dw *b, unsigned version)
{
    size_t start = dw_begin(image, b);
    dw_u16(b, version);
    return start;
}

/* All sections but .debug_aranges. `indexed` only from DWARF 5 on. */
static inline struct program program_make(unsigned version, unsigned address_size,
                                          unsigned offset_size, bool big, bool indexed)
{
    struct program p = {.image = dw_image(version, address_size, offset_size, big),
                        .indexed = indexed};
    struct dw_image *image = &p.image;
    size_t strings = 0, addresses = 0;
    program_abbrevs(&p);
    program_ranges(&p);
    if (indexed) {
        strings = program_header(image, &image->str_offsets, 5);
        dw_u16(&image->str_offsets, 0);
        addresses = program_header(image, &image->addr, 5);
        dw_u8(&image->addr, image->address_size);
        dw_u8(&image->addr, 0);
    }
    size_t unit = dw_unit(image, 0);
    program_unit_die(&p);
    p.leaf = image->info.n;
    program_abstract(&p, "leaf", "_Z4leafv");
    p.inner = image->info.n;
    program_abstract(&p, "inner", "_Z5innerv");
    program_walk(&p);
    p.split = image->info.n;
    dw_uleb(&image->info, SPLIT);
    dw_str(&image->info, "split");
    program_list_value(&p, p.split_ranges);
    program_class(&p);
    dw_u8(&image->info, 0);
    dw_end(image, &image->info, unit);
    program_lines(&p);
    if (indexed) {
        dw_end(image, &image->str_offsets, strings);
        dw_end(image, &image->addr, addresses);
    }
    return p;
}

/* Adds .debug_aranges that name all of it. */
static inline void program_aranges(struct program *p)
{
    dw_arange_set(
        &p->image, 0,
        (const uint64_t[]){0x1000, 0x100, 0x1200, 0x40, 0x1300, 0x10, 0x1400, 0x10, 0, 0});
}

/*
 * Adds a second unit, whose functions overlap and have their names in the first unit and in
 * a type unit, from abbreviations with codes out of order. DWARF 5 alone.
 *
 *   0x2000-0x2010 method       0x2008-0x2018 one without a name
 */
static inline void program_more(struct program *p)
{
    static const unsigned far[] = {DW_AT_specification,
                                   DW_FORM_ref_addr,
                                   DW_AT_low_pc,
                                   DW_FORM_addr,
                                   DW_AT_high_pc,
                                   DW_FORM_data4,
                                   0};
    static const unsigned sig[] = {DW_AT_specification,
                                   DW_FORM_ref_sig8,
                                   DW_AT_low_pc,
                                   DW_FORM_addr,
                                   DW_AT_high_pc,
                                   DW_FORM_data4,
                                   0};
    static const unsigned none[] = {0};
    struct dw *b = &p->image.info;
    size_t abbrevs = p->image.abbrev.n;
    dw_declare(&p->image, 9, DW_TAG_compile_unit, true, none);
    dw_declare(&p->image, 3, DW_TAG_subprogram, false, far);
    dw_declare(&p->image, 2, DW_TAG_subprogram, false, sig);
    dw_u8(&p->image.abbrev, 0);
    size_t unit = dw_unit(&p->image, abbrevs);
    dw_uleb(b, 9);
    dw_uleb(b, 3);
    dw_u32(b, (uint32_t)p->method);
    dw_u64(b, 0x2000);
    dw_u32(b, 0x10);
    dw_uleb(b, 2);
    dw_u64(b, 77);
    dw_u64(b, 0x2008); /* overlaps the one before: spans are made */
    dw_u32(b, 0x10);
    dw_u8(b, 0);
    dw_end(&p->image, b, unit);
    unit = dw_begin(&p->image, b);
    dw_u16(b, 5);
    dw_u8(b, DW_UT_type);
    dw_u8(b, 8);
    dw_u32(b, (uint32_t)abbrevs);
    dw_u64(b, 77);
    dw_u32(b, 24);
    dw_uleb(b, 9);
    dw_u8(b, 0);
    dw_end(&p->image, b, unit);
}

#endif
