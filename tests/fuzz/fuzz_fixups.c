/*
 * Pointers of an image: one byte of options, two of the size of the payload (chained fixups, the
 * streams of LC_DYLD_INFO, or relocations), the payload, and then the bytes of __DATA.
 */
#include "base/cursor.h"
#include "macho/fixups.h"
#include "machsym/error.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { IS_32 = 1, IS_BIG = 2, CHAINED = 0, INFO = 1, OBJECT = 2, SYMTAB = 3, HEAD = 3 };

static void put(uint8_t *at, uint64_t value, bool big)
{
    for (unsigned i = 0; i < 4; i++)
        at[big ? 3 - i : i] = (uint8_t)(value >> (8 * i));
}

/* The payload's parts, cut into quarters for a command that has several. */
static void place(uint8_t *body, unsigned kind, uint32_t n, bool big)
{
    for (unsigned i = 0; kind == INFO && i < 4; i++) {
        put(body + 8 + 8 * i, HEAD + i * (n / 4), big);
        put(body + 12 + 8 * i, n / 4, big);
    }
    if (kind == CHAINED) {
        put(body + 8, HEAD, big);
        put(body + 12, n, big);
    }
    if (kind == SYMTAB) {
        put(body + 56, HEAD, big); /* indirect symbols */
        put(body + 60, n / 8, big);
        put(body + 64, HEAD + n / 2, big); /* external relocations */
        put(body + 68, n / 16, big);
    }
}

static bool same(const struct ms_slot *a, const struct ms_slot *b)
{
    return a->kind == b->kind && a->raw == b->raw && a->target_vm == b->target_vm &&
           a->value == b->value && a->name == b->name && a->ordinal == b->ordinal &&
           a->addend == b->addend;
}

static void read_all(const struct ms_macho *macho, uint64_t vm, uint64_t n)
{
    struct ms_fixups *fixups;
    struct ms_error err;
    if (ms_fixups_open(macho, &fixups, &err) != MS_OK)
        return;
    for (uint64_t off = 0; off < n + 8; off += 4) {
        struct ms_slot slot, again;
        memset(&err, 0, sizeof err);
        enum ms_status status = ms_fixups_read(fixups, vm + off, &slot, &err);
        if (status != MS_OK && (status == MS_ABSENT || !err.text[0]))
            abort();
        if (status == MS_OK && slot.name && strlen(slot.name) > macho->bytes.n)
            abort();
        if (status == MS_OK && slot.kind == MS_SLOT_BIND && !slot.name)
            abort();
        if (ms_fixups_read(fixups, vm + off, &again, &err) != status ||
            (status == MS_OK && !same(&slot, &again)))
            abort();
    }
    ms_fixups_close(fixups);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t COMMANDS[] = {0x80000034, 0x22, 0, 0xb};
    uint8_t body[80] = {0};
    if (size < HEAD || size > 1 << 16)
        return 0;
    bool big = data[0] & IS_BIG, is64 = !(data[0] & IS_32);
    unsigned kind = data[0] >> 2 & 3;
    uint32_t payload = data[1] | (uint32_t)data[2] << 8;
    if (payload > size - HEAD)
        payload = (uint32_t)(size - HEAD);
    uint64_t data_off = HEAD + payload, data_bytes = size - data_off;
    struct ms_load_command command = {COMMANDS[kind], 0, {body, sizeof body}};
    struct ms_segment segments[2];
    struct ms_section section;
    struct ms_macho macho;
    memset(&macho, 0, sizeof macho);
    memset(segments, 0, sizeof segments);
    memset(&section, 0, sizeof section);
    place(body, kind, payload, big);
    macho.bytes = (struct ms_bytes){data, size};
    macho.is64 = is64;
    macho.big = big;
    macho.cputype = data[0] & 0x10 ? MS_CPU_X86_64 : MS_CPU_ARM64;
    macho.filetype = kind == OBJECT ? MS_MH_OBJECT : data[0] & 0x20 ? MS_MH_FILESET : MS_MH_DYLIB;
    macho.commands = &command;
    macho.n_commands = 1;
    macho.segments = segments;
    macho.n_segments = 2;
    macho.sections = &section;
    macho.n_sections = 1;
    macho.has_text = true;
    macho.text_vm = 0x4000;
    memcpy(segments[0].name, "__TEXT", 7);
    segments[0].vm = 0x4000;
    segments[0].vm_bytes = 0x1000;
    memcpy(segments[1].name, "__DATA", 7);
    segments[1].vm = section.vm = 0x5000;
    segments[1].off = section.off = data_off;
    segments[1].file_bytes = segments[1].vm_bytes = section.vm_bytes = data_bytes;
    section.segment = 1;
    section.flags = 6; /* symbol pointers */
    if (kind == OBJECT) {
        section.reloff = HEAD;
        section.nreloc = payload / 8;
    }
    if (kind >= OBJECT) { /* symbols and names out of the same bytes */
        macho.nlist = macho.strings = macho.bytes;
        macho.n_nlist = (uint32_t)(size / (is64 ? 16 : 12));
    }
    read_all(&macho, section.vm, data_bytes);
    return 0;
}
