/*
 * dwarf_seeds FOLDER [dSYM…]: writes the seed corpora of the DWARF targets below FOLDER: the
 * program of tests/unit/dwarf_program.h in every kind, and the sections of the small dSYMs
 * named. make-dwarf-seeds builds and runs it.
 */
#include "fuzz/dwarf_container.h"
#include "fuzz/dwarf_target.h"
#include "machsym/macho.h"
#include "unit/dwarf_names.h"

#include <sys/stat.h>
#include <zlib.h>

static const char *folder;

static void save(const char *target, const char *name, int first, struct ms_bytes bytes)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, target);
    (void)mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%s", folder, target, name);
    FILE *out = fopen(path, "wb");
    if (!out || (first >= 0 && fputc(first, out) == EOF) ||
        fwrite(bytes.at, 1, bytes.n, out) != bytes.n || fclose(out) != 0) {
        perror(path);
        exit(1);
    }
}

static void save_whole(const char *name, struct ms_dwarf_sections *s, unsigned flags)
{
    struct ms_bytes *sections[CONTAINER_SECTIONS];
    struct dw out = {0};
    container_list(s, sections);
    dw_u8(&out, flags | (s->big ? CONTAINER_BIG : 0) | (s->address_size == 4 ? CONTAINER_32 : 0));
    for (int i = 0; i < CONTAINER_SECTIONS; i++) {
        dw_u32(&out, (uint32_t)sections[i]->n);
        dw_bytes(&out, sections[i]->at, sections[i]->n);
    }
    save("dwarf_whole", name, -1, dw_section(&out));
    free(out.at);
}

static void save_program(unsigned kind)
{
    struct ms_dwarf_sections s = dw_sections(&target_program(kind)->image);
    char name[32];
    int first = (int)kind | (kind % 2 ? 0x80 : 0);
    snprintf(name, sizeof name, "program-%02u", kind);
    save("dwarf_abbrev", name, first, s.abbrev);
    save("dwarf_info", name, first, s.info);
    save("dwarf_line", name, first, s.line);
    save("dwarf_ranges", name, first, s.ranges.n ? s.ranges : s.rnglists);
    save("dwarf_aranges", name, (int)kind, s.aranges);
    if (s.addr.n) {
        save("dwarf_addr", name, first, s.addr);
        snprintf(name, sizeof name, "strings-%02u", kind);
        save("dwarf_addr", name, first, s.str_offsets);
        snprintf(name, sizeof name, "program-%02u", kind);
    }
    save_whole(name, &s, kind % 3 ? CONTAINER_CODE : 0);
}

/* Where a text stands in .debug_str. */
static size_t string_of(const struct dw_image *image, const char *text)
{
    for (size_t off = 0; off + strlen(text) < image->str.n; off++)
        if (strcmp((const char *)image->str.at + off, text) == 0)
            return off;
    return 0;
}

/* Both tables of a program's names, without and with its .debug_info. */
static void save_names(unsigned kind)
{
    const struct program *p = target_program(kind);
    const struct names_item items[] = {
        {"walk", string_of(&p->image, "walk"), 2, {p->walk, p->leaf, 0, 0}},
        {"_ZN1N1S6methodEv", string_of(&p->image, "_ZN1N1S6methodEv"), 1, {p->concrete, 0, 0, 0}},
        {"split", p->image.str.n, 1, {p->split, 0, 0, 0}}}; /* the target adds that string */
    for (unsigned i = 0; i < 4; i++) {
        struct dw table = {.big = p->image.big}, out = {0};
        char name[32];
        if (i & 1)
            names_debug(&table, items, 3, 2, p->image.offset_size, 0);
        else
            names_apple(&table, items, 3, 2);
        dw_u8(&out, kind | (i & 2 ? 0x80u : 0));
        dw_u8(&out, i & 1);
        dw_u16(&out, (unsigned)table.n);
        dw_bytes(&out, table.at, table.n);
        if (i & 2)
            dw_bytes(&out, p->image.info.at, p->image.info.n);
        snprintf(name, sizeof name, "program-%02u-%u", kind, i);
        save("dwarf_names", name, -1, dw_section(&out));
        free(table.at);
        free(out.at);
    }
}

/* Two units that refer to each other, and one of a type. */
static void save_more(void)
{
    struct program p = program_make(5, 8, 4, false, true);
    program_more(&p);
    struct ms_dwarf_sections s = dw_sections(&p.image);
    save_whole("more", &s, CONTAINER_CODE);
    dw_close(&p.image);
}

/* Every kind of entry that a list of DWARF 5 can have, and every kind of old one. */
static void save_lists(void)
{
    struct dw_image image = dw_image(5, 8, 4, false);
    struct dw *b = &image.rnglists;
    size_t start = dw_begin(&image, b);
    dw_bytes(b, "\5\0\x08\0\3\0\0\0\x0c\0\0\0\x0c\0\0\0\x0c\0\0\0", 20);
    dw_bytes(b, "\4\x10\x20\1\0\4\1\2\2\0\1\3\1\4", 14);
    dw_u8(b, DW_RLE_base_address);
    dw_u64(b, 0x1200);
    dw_bytes(b, "\4\0\0\4\0\x40", 6);
    dw_u8(b, DW_RLE_start_end);
    dw_u64(b, 0x1300);
    dw_u64(b, 0x1310);
    dw_u8(b, DW_RLE_start_length);
    dw_u64(b, 0x1400);
    dw_bytes(b, "\x10\0", 2);
    dw_end(&image, b, start);
    save("dwarf_ranges", "entries-5", 8, dw_section(b));
    const uint64_t words[] = {
        0x12,           0x14,       UINT64_MAX, 0x1018, 0,      2, UINT64_MAX - 1,
        UINT64_MAX - 1, UINT64_MAX, 0,          0x1200, 0x1240, 0, 0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        dw_u64(&image.ranges, words[i]);
    save("dwarf_ranges", "entries-4", 4, dw_section(&image.ranges));
    dw_close(&image);
}

/* Many units, the first of which refers to the last; long codes; all kinds of blocks. */
static void save_many(void)
{
    static const unsigned unit_specs[] = {DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4,
                                          0};
    static const unsigned far[] = {DW_AT_specification,
                                   DW_FORM_ref_addr,
                                   DW_AT_low_pc,
                                   DW_FORM_addr,
                                   DW_AT_high_pc,
                                   DW_FORM_udata,
                                   0};
    static const unsigned named[] = {DW_AT_name, DW_FORM_string,   2, DW_FORM_block1,
                                     2,          DW_FORM_block2,   2, DW_FORM_block4,
                                     2,          DW_FORM_indirect, 0};
    struct dw_image image = dw_image(4, 8, 4, false);
    struct dw *b = &image.info;
    size_t hole = 0;
    dw_declare(&image, 1, DW_TAG_compile_unit, true, unit_specs);
    dw_declare(&image, 300, DW_TAG_subprogram, false, far);
    dw_declare(&image, 20000, DW_TAG_subprogram, true, named);
    dw_u8(&image.abbrev, 0);
    for (unsigned i = 0; i < 40; i++) {
        size_t unit = dw_unit(&image, 0);
        dw_uleb(b, 1);
        dw_u64(b, 0x1000 + i * 0x10);
        dw_u32(b, 0x10);
        dw_uleb(b, 300);
        hole = i ? hole : b->n;
        dw_u32(b, 0);
        dw_u64(b, 0x1000 + i * 0x10);
        dw_uleb(b, 0x10);
        if (i == 39)
            dw_write(b, hole, b->n, 4);
        dw_uleb(b, 20000);
        dw_bytes(b, "f\0\1x\1\0x\1\0\0\0x\x0f\5\0\0", 16);
        dw_end(&image, b, unit);
    }
    struct ms_dwarf_sections s = dw_sections(&image);
    save_whole("many", &s, CONTAINER_CODE);
    dw_close(&image);
}

/* A section as Go's linker compresses it. */
static void save_compressed(const char *name, struct ms_bytes section)
{
    static uint8_t packed[1 << 16];
    uLongf n = sizeof packed - 12;
    memcpy(packed, "ZLIB", 4);
    for (int i = 0; i < 8; i++)
        packed[4 + i] = (uint8_t)((uint64_t)section.n >> (56 - 8 * i));
    if (compress(packed + 12, &n, section.at, (uLong)section.n) != Z_OK)
        exit(1);
    save("dwarf_zdebug", name, -1, (struct ms_bytes){packed, n + 12});
}

/* A function with a value of every form, all of them zero. */
static void save_forms(void)
{
    static const unsigned vendors[] = {DW_FORM_GNU_addr_index, DW_FORM_GNU_str_index,
                                       DW_FORM_GNU_ref_alt, DW_FORM_GNU_strp_alt,
                                       DW_FORM_LLVM_addrx_offset};
    struct dw_image image = dw_image(5, 8, 4, false);
    unsigned specs[128], n = 0;
    for (unsigned form = 1; form < DW_FORM_addrx4 + 6u; form++) {
        unsigned vendor = form - DW_FORM_addrx4 - 1u;
        if (form == 2 || form == DW_FORM_indirect || form == DW_FORM_implicit_const)
            continue;
        specs[n++] = 0x3f; /* of no interest: it is skipped */
        specs[n++] = form <= DW_FORM_addrx4 ? form : vendors[vendor];
    }
    specs[n++] = DW_AT_low_pc;
    specs[n++] = DW_FORM_LLVM_addrx_offset;
    specs[n++] = DW_AT_high_pc;
    specs[n++] = DW_FORM_data2;
    specs[n++] = DW_AT_name;
    specs[n++] = DW_FORM_strx3;
    specs[n] = 0;
    dw_declare(&image, 1, DW_TAG_subprogram, false, specs);
    dw_u8(&image.abbrev, 0);
    dw_bytes(&image.addr, "\x0c\0\0\0\5\0\x08\0\0\x10\0\0\0\0\0\0", 16);
    dw_bytes(&image.str_offsets, "\x08\0\0\0\5\0\0\0\0\0\0\0", 12);
    size_t unit = dw_unit(&image, 0);
    dw_u8(&image.info, 1);
    for (int i = 0; i < 150; i++)
        dw_u8(&image.info, 0);
    dw_end(&image, &image.info, unit);
    struct ms_dwarf_sections s = dw_sections(&image);
    save_whole("forms", &s, CONTAINER_CODE);
    dw_close(&image);
}

/* Sets of two units by turns, of which each has all addresses. */
static void save_turns(void)
{
    struct dw_image image = dw_image(4, 8, 4, false);
    for (unsigned i = 0; i < 60; i++)
        dw_arange_set(&image, i % 2, (const uint64_t[]){0x1000, 0x1000, 0, 0});
    save("dwarf_aranges", "turns", 4, dw_section(&image.aranges));
    dw_close(&image);
}

/* A dSYM made of one object has each section twice, the first time without bytes. */
static struct ms_bytes section(const struct ms_macho *macho, const char *name)
{
    struct ms_bytes bytes = {NULL, 0};
    for (size_t i = 0; i < macho->n_sections && !bytes.n; i++)
        if (strcmp(macho->sections[i].name, name) == 0 &&
            ms_macho_section_bytes(macho, &macho->sections[i], &bytes, NULL) != MS_OK)
            bytes.n = 0;
    return bytes;
}

static void save_file(const char *path, int number)
{
    struct ms_file *file;
    struct ms_fat fat;
    struct ms_macho macho;
    char name[32];
    if (ms_file_open(path, &file, NULL) != MS_OK ||
        ms_fat_parse(ms_file_bytes(file), path, &fat, NULL) != MS_OK ||
        ms_macho_parse(fat.slices[0].bytes, path, &macho, NULL) != MS_OK) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(1);
    }
    struct ms_dwarf_sections s = {
        .abbrev = section(&macho, "__debug_abbrev"),
        .addr = section(&macho, "__debug_addr"),
        .aranges = section(&macho, "__debug_aranges"),
        .info = section(&macho, "__debug_info"),
        .line = section(&macho, "__debug_line"),
        .line_str = section(&macho, "__debug_line_str"),
        .ranges = section(&macho, "__debug_ranges"),
        .rnglists = section(&macho, "__debug_rnglists"),
        .str = section(&macho, "__debug_str"),
        .str_offsets = section(&macho, "__debug_str_offs"),
        .big = macho.big,
        .address_size = macho.is64 ? 8 : 4,
    };
    snprintf(name, sizeof name, "file-%02d", number);
    save_whole(name, &s, 0);
    ms_macho_fini(&macho);
    ms_fat_fini(&fat);
    ms_file_close(file);
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    folder = argv[1];
    for (unsigned kind = 0; kind < TARGET_KINDS; kind++) {
        save_program(kind);
        save_names(kind);
    }
    save_lists();
    save_many();
    save_forms();
    save_turns();
    save_more();
    struct ms_dwarf_sections s = dw_sections(&target_program(4)->image);
    save_compressed("info", s.info);
    save_compressed("line", s.line);
    save_compressed("empty", s.types);
    for (int i = 2; i < argc; i++)
        save_file(argv[i], i - 2);
    return 0;
}
