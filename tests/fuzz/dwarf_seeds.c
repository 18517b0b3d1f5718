/*
 * dwarf_seeds FOLDER [dSYM…]: writes the seed corpora of the DWARF targets below FOLDER: the
 * program of tests/unit/dwarf_program.h in every kind, and the sections of the small dSYMs
 * named. make-dwarf-seeds builds and runs it.
 */
#include "fuzz/dwarf_container.h"
#include "fuzz/dwarf_target.h"
#include "machsym/macho.h"

#include <sys/stat.h>

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
    for (unsigned kind = 0; kind < TARGET_KINDS; kind++)
        save_program(kind);
    save_turns();
    for (int i = 2; i < argc; i++)
        save_file(argv[i], i - 2);
    return 0;
}
