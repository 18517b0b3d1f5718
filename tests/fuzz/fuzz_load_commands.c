/* One Mach-O: its load commands, sections and their bytes, and the images of a fileset. */
#include "machsym/macho.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint8_t sink;

static void touch(struct ms_bytes bytes)
{
    if (bytes.n)
        sink = bytes.at[0] ^ bytes.at[bytes.n - 1];
}

static void use(const struct ms_macho *macho)
{
    struct ms_bytes bytes;
    struct ms_error err;
    for (size_t i = 0; i < macho->n_commands; i++) {
        touch(macho->commands[i].body);
        (void)ms_load_command_name(macho->commands[i].cmd);
    }
    for (size_t i = 0; i < macho->n_segments; i++)
        if (macho->segments[i].vm + macho->segments[i].vm_bytes < macho->segments[i].vm ||
            macho->segments[i].first_section + macho->segments[i].n_sections > macho->n_sections)
            abort();
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if (section->segment >= macho->n_segments ||
            section->vm + section->vm_bytes < section->vm ||
            !ms_macho_section(macho, section->segment_name, section->name))
            abort();
        enum ms_status status = ms_macho_section_bytes(macho, section, &bytes, &err);
        if (status == MS_OK && bytes.n != section->vm_bytes)
            abort();
        touch(bytes);
        if (i < 64 && section->vm_bytes && !ms_macho_section_at(macho, section->vm))
            abort();
    }
    touch(macho->nlist);
    touch(macho->strings);
    touch(macho->function_starts);
    if (macho->nlist.n != (size_t)macho->n_nlist * (macho->is64 ? 16 : 12))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes file = {data, size};
    struct ms_macho macho, inner;
    struct ms_error err;
    if (ms_macho_parse(file, "fuzz", &macho, &err) != MS_OK) {
        if (!err.text[0] || macho.commands || macho.segments || macho.sections)
            abort();
        return 0;
    }
    use(&macho);
    struct ms_fileset_entry entry;
    size_t position = 0;
    for (int i = 0; i < 16; i++) {
        enum ms_status status = ms_macho_fileset_next(&macho, &position, &entry, &err);
        if (status == MS_ABSENT)
            break;
        if (status == MS_OK &&
            ms_macho_parse_at(file, entry.off, entry.name, &inner, &err) == MS_OK) {
            use(&inner);
            ms_macho_fini(&inner);
        }
    }
    ms_macho_fini(&macho);
    return 0;
}
