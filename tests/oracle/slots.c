/*
 * slots FILE ARCH: what each word of the data segments means, a line for every one that is an
 * address or is bound: ADDRESS rebase TARGET, ADDRESS bind SYMBOL. For compare-fixups.
 */
#include "macho/fixups.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int print_section(struct ms_fixups *fixups, const struct ms_section *section)
{
    unsigned word = ms_fixups_pointer_bytes(fixups);
    for (uint64_t at = 0; section->vm_bytes - at >= word; at += word) {
        struct ms_slot slot;
        struct ms_error err;
        enum ms_status status = ms_fixups_read(fixups, section->vm + at, &slot, &err);
        if (status == MS_ABSENT)
            return 0;
        if (status != MS_OK) {
            fprintf(stderr, "0x%" PRIx64 ": %s\n", section->vm + at, err.text);
            return 1;
        }
        if (slot.kind == MS_SLOT_REBASE)
            printf("0x%" PRIx64 " rebase 0x%" PRIx64 "\n", section->vm + at,
                   slot.target_vm | (uint64_t)slot.tag << 56);
        else if (slot.kind == MS_SLOT_BIND)
            printf("0x%" PRIx64 " bind %s\n", section->vm + at, slot.name);
    }
    return 0;
}

static int print_slice(const struct ms_slice *slice, const char *name)
{
    struct ms_macho macho;
    struct ms_fixups *fixups;
    struct ms_error err;
    int status = 0;
    if (ms_macho_parse(slice->bytes, name, &macho, &err) != MS_OK ||
        ms_fixups_open(&macho, &fixups, &err) != MS_OK) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        return 1;
    }
    for (size_t i = 0; i < macho.n_sections && !status; i++)
        if (strncmp(macho.sections[i].segment_name, "__DATA", 6) == 0)
            status = print_section(fixups, &macho.sections[i]);
    ms_fixups_close(fixups);
    ms_macho_fini(&macho);
    return status;
}

int main(int argc, char **argv)
{
    struct ms_file *file;
    struct ms_fat fat;
    struct ms_error err;
    int status = 1;
    if (argc != 3) {
        fputs("usage: slots FILE ARCH\n", stderr);
        return 2;
    }
    if (ms_file_open(argv[1], &file, &err) != MS_OK ||
        ms_fat_parse(ms_file_bytes(file), argv[1], &fat, &err) != MS_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], err.text);
        return 1;
    }
    for (size_t i = 0; i < fat.n_slices; i++) {
        const char *arch = ms_arch_name(fat.slices[i].cputype, fat.slices[i].cpusubtype);
        if (arch && strcmp(arch, argv[2]) == 0)
            status = print_slice(&fat.slices[i], argv[1]);
    }
    ms_fat_fini(&fat);
    ms_file_close(file);
    return status;
}
