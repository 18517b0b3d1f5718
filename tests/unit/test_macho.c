#include "unit/macho_builder.h"

#include "machsym/error.h"

#include <criterion/criterion.h>

/* All that a failure must say. */
static void fails(const struct build *b, enum ms_status status, uint64_t offset, const char *text)
{
    struct ms_macho macho;
    struct ms_error err;
    cr_assert_eq(ms_macho_parse(build_bytes(b), "t", &macho, &err), status, "%s", text);
    cr_assert_eq(err.status, status);
    cr_assert_eq(err.offset, offset, "offset 0x%llx, expected 0x%llx: %s",
                 (unsigned long long)err.offset, (unsigned long long)offset, err.text);
    cr_assert_str_eq(err.text, text);
    cr_assert_null(macho.commands);
    cr_assert_null(macho.segments);
    cr_assert_null(macho.sections);
}

static struct ms_macho parse(const struct build *b)
{
    struct ms_macho macho;
    struct ms_error err;
    char line[MS_ERROR_LINE];
    cr_assert_eq(ms_macho_parse(build_bytes(b), "t", &macho, &err), MS_OK, "%s",
                 ms_error_describe(&err, line));
    return macho;
}

static struct build whole(bool is64, bool big, uint32_t cputype)
{
    struct build b = build_macho(is64, big, cputype, 0, MS_MH_EXECUTE);
    size_t segment = begin_segment(&b, "__PAGEZERO", 0, 0x4000, 0, 0);
    end_command(&b, segment);
    segment = begin_segment(&b, "__TEXT", 0x4000, 0x1000, 0, 0x400);
    put_section(&b, segment, "__text", "__TEXT", 0x4200, 0x10, 0x200, CODE);
    put_section(&b, segment, "__sixteen_chars_", "__TEXT", 0x4210, 8, 0x210, 0);
    put_section(&b, segment, "__bss", "__TEXT", 0x4300, 0x100, 0, 1);
    end_command(&b, segment);
    put_uuid(&b, 0xa0);
    PUT_COMMAND(&b, 0x32, 2, 0x000d0100, 0x000d0200, 0);
    pad_to(&b, 0x400);
    return b;
}

static void check_whole(bool is64, bool big, uint32_t cputype, const char *where)
{
    struct build b = whole(is64, big, cputype);
    struct ms_macho macho = parse(&b);
    struct ms_bytes bytes;
    struct ms_error err;
    cr_assert_str_eq(macho.where, where);
    cr_assert_eq(macho.is64, is64);
    cr_assert_eq(macho.big, big);
    cr_assert_eq(macho.cputype, cputype);
    cr_assert_eq(macho.filetype, (uint32_t)MS_MH_EXECUTE);
    cr_assert_eq(macho.n_commands, 4);
    cr_assert_eq(macho.n_segments, 2);
    cr_assert_eq(macho.n_sections, 3);
    cr_assert(macho.has_uuid && macho.has_text && macho.has_build);
    cr_assert_eq(macho.uuid.byte[0], 0xa0);
    cr_assert_eq(macho.uuid.byte[15], 0xaf);
    cr_assert_eq(macho.text_vm, 0x4000);
    cr_assert_eq(macho.text_bytes, 0x1000);
    cr_assert_eq(macho.platform, 2);
    cr_assert_eq(macho.minos, 0x000d0100);
    cr_assert_eq(macho.sdk, 0x000d0200);
    cr_assert_eq(macho.damage.status, MS_OK);
    const struct ms_section *text = ms_macho_section(&macho, "__TEXT", "__text");
    cr_assert_eq(text, &macho.sections[0]);
    cr_assert_eq(text->segment, 1);
    cr_assert(ms_section_is_code(text));
    cr_assert_eq(ms_macho_section_bytes(&macho, text, &bytes, &err), MS_OK);
    cr_assert_eq(bytes.at, b.at + 0x200);
    cr_assert_eq(bytes.n, 0x10);
    /* A 16-byte name has no NUL in the file, and a longer one that is asked for was cut. */
    cr_assert_eq(ms_macho_section(&macho, NULL, "__sixteen_chars_and_more"), &macho.sections[1]);
    cr_assert_str_eq(macho.sections[1].name, "__sixteen_chars_");
    cr_assert_null(ms_macho_section(&macho, "__DATA", "__text"));
    cr_assert_eq(ms_macho_section_at(&macho, 0x4217), &macho.sections[1]);
    cr_assert_null(ms_macho_section_at(&macho, 0x4218));
    cr_assert_eq(ms_macho_segment(&macho, "__TEXT"), &macho.segments[1]);
    cr_assert_null(ms_macho_segment(&macho, "__DATA"));
    cr_assert_eq(ms_macho_section_bytes(&macho, &macho.sections[2], &bytes, &err), MS_ABSENT);
    cr_assert_eq(bytes.n, 0);
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(macho, all_four_shapes)
{
    check_whole(true, false, MS_CPU_ARM64, "t (arm64)");
    check_whole(true, true, MS_CPU_PPC64, "t (ppc64)");
    check_whole(false, false, MS_CPU_ARM, "t (arm)");
    check_whole(false, true, MS_CPU_PPC, "t (ppc)");
}

Test(macho, what_is_not_a_macho)
{
    struct build b = {0};
    fails(&b, MS_E_FORMAT, 0, "not a Mach-O file: empty");
    put_bytes(&b, "\177ELF\2\1\1", 8);
    fails(&b, MS_E_FORMAT, 0, "not a Mach-O file: an ELF file");
    build_free(&b);
    put_bytes(&b, "\xff\xff\xff", 3);
    fails(&b, MS_E_FORMAT, 0, "not a Mach-O file: too short to be one");
    build_free(&b);
}

Test(macho, header_cut_off)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    b.n = 31;
    fails(&b, MS_E_FORMAT, 0, "a Mach-O header needs 32 bytes, 31 remain");
    build_free(&b);
    b = build_macho(false, true, MS_CPU_PPC, 0, MS_MH_EXECUTE);
    b.n = 27;
    fails(&b, MS_E_FORMAT, 0, "a Mach-O header needs 28 bytes, 27 remain");
    build_free(&b);
}

Test(macho, load_commands_beyond_the_file)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    put_uuid(&b, 0);
    b.n -= 1;
    fails(&b, MS_E_FORMAT, 20, "the load commands take 24 bytes, 23 remain");
    b.n += 1;
    set_u32(&b, 16, 4);
    fails(&b, MS_E_FORMAT, 16, "4 load commands do not fit into the 24 bytes that remain");
    set_u32(&b, 16, 2);
    fails(&b, MS_E_FORMAT, 56, "load command 1 needs 8 bytes, 0 remain");
    build_free(&b);
}

Test(macho, command_sizes)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    put_uuid(&b, 0);
    put_zeros(&b, 16);
    set_u32(&b, 36, 0);
    fails(&b, MS_E_FORMAT, 36,
          "LC_UUID has a size of 0 bytes, expected a multiple of 4 of at least 8");
    set_u32(&b, 36, 26);
    fails(&b, MS_E_FORMAT, 36,
          "LC_UUID has a size of 26 bytes, expected a multiple of 4 of at least 8");
    set_u32(&b, 36, 20);
    fails(&b, MS_E_FORMAT, 32, "LC_UUID has 20 bytes, at least 24 expected");
    set_u32(&b, 36, 44);
    fails(&b, MS_E_FORMAT, 36, "LC_UUID has 44 bytes, 40 remain");
    set_u32(&b, 32, 0x4711);
    set_u32(&b, 36, 0xfffffffc);
    fails(&b, MS_E_FORMAT, 36, "load command 0x4711 has 4294967292 bytes, 40 remain");
    build_free(&b);
}

Test(macho, contradictions)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    put_uuid(&b, 0);
    put_uuid(&b, 1);
    fails(&b, MS_E_FORMAT, 56, "a second LC_UUID, the first is at 0x20");
    build_free(&b);
    b = build_arm64(MS_MH_EXECUTE);
    PUT_COMMAND(&b, 0x2, 0, 0, 0, 0);
    PUT_COMMAND(&b, 0x2, 0, 0, 0, 0);
    fails(&b, MS_E_FORMAT, 56, "a second LC_SYMTAB, the first is at 0x20");
    build_free(&b);
}

Test(macho, sections_beyond_their_command)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    size_t segment = begin_segment(&b, "__TEXT", 0, 0x1000, 0, 0);
    end_command(&b, segment);
    set_u32(&b, segment + 64, 0x10000000);
    fails(&b, MS_E_FORMAT, 32,
          "segment __TEXT: 268435456 sections need 21474836480 bytes, 0 remain of its command");
    build_free(&b);
}

Test(macho, too_many_commands)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    for (int i = 0; i < 65537; i++) {
        put_u32(&b, 0x1000);
        put_u32(&b, 8);
    }
    set_u32(&b, 16, 65537);
    set_u32(&b, 20, 65537 * 8);
    fails(&b, MS_E_LIMIT, 16,
          "65537 load commands of 524296 bytes, at most 65536 of 1073741823 are read");
    build_free(&b);
}

/* The files that a broken download leaves: everything up to the tables is there. */
Test(macho, tables_beyond_the_file_are_damage)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    put_uuid(&b, 7);
    size_t symtab = PUT_COMMAND(&b, 0x2, 200, 2, 232, 8);
    PUT_COMMAND(&b, 0x26, 0x1000, 8);
    pad_to(&b, 240);
    struct ms_macho macho = parse(&b);
    cr_assert_eq(macho.n_nlist, 2);
    cr_assert_eq(macho.nlist_off, 200);
    cr_assert_eq(macho.strings.n, 8);
    cr_assert_eq(macho.damage.status, MS_E_FORMAT);
    cr_assert_eq(macho.damage.offset, 80);
    cr_assert_str_eq(macho.damage.text,
                     "LC_FUNCTION_STARTS: its data takes 0x8 bytes from 0x1000, the file has 0xf0");
    cr_assert_eq(macho.function_starts.n, 0);
    cr_assert(macho.has_uuid);
    ms_macho_fini(&macho);

    set_u32(&b, symtab, 209);
    macho = parse(&b);
    cr_assert_eq(macho.n_nlist, 0);
    cr_assert_eq(macho.nlist.n, 0);
    cr_assert_eq(macho.damage.offset, 56);
    cr_assert_str_eq(macho.damage.text, "LC_SYMTAB: the symbol table takes 0x20 bytes from 0xd1, "
                                        "the file has 0xf0");
    ms_macho_fini(&macho);

    /* Of the strings, those before the cut are good. */
    set_u32(&b, symtab, 200);
    set_u32(&b, symtab + 12, 100);
    macho = parse(&b);
    cr_assert_eq(macho.n_nlist, 2);
    cr_assert_eq(macho.strings.n, 8);
    cr_assert_str_eq(macho.damage.text, "LC_SYMTAB: the string table takes 0x64 bytes from 0xe8, "
                                        "the file has 0xf0");
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(macho, commands_beyond_their_declared_size_are_damage)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    put_uuid(&b, 7);
    set_u32(&b, 20, 16);
    struct ms_macho macho = parse(&b);
    cr_assert(macho.has_uuid);
    cr_assert_eq(macho.damage.offset, 20);
    cr_assert_str_eq(macho.damage.text, "the load commands take 24 bytes, the header says 16");
    ms_macho_fini(&macho);
    build_free(&b);
}

static void check_platform(uint32_t cputype, uint32_t cmd, uint32_t platform)
{
    struct build b = build_macho(true, false, cputype, 3, MS_MH_EXECUTE);
    PUT_COMMAND(&b, cmd, 0x90000, 0xa0000);
    struct ms_macho macho = parse(&b);
    cr_assert(macho.has_build);
    cr_assert_eq(macho.platform, platform);
    cr_assert_eq(macho.minos, 0x90000);
    cr_assert_eq(macho.sdk, 0xa0000);
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(macho, version_minimums)
{
    check_platform(MS_CPU_X86_64, 0x24, 1);
    check_platform(MS_CPU_ARM64, 0x25, 2);
    check_platform(MS_CPU_X86_64, 0x25, 7); /* a simulator */
    check_platform(MS_CPU_ARM64, 0x2f, 3);
    check_platform(MS_CPU_X86_64, 0x2f, 8);
    check_platform(MS_CPU_ARM64_32, 0x30, 4);
    check_platform(MS_CPU_X86_64, 0x30, 9);
}

Test(macho, zippered_image_is_macos)
{
    struct build b = build_arm64(MS_MH_DYLIB);
    PUT_COMMAND(&b, 0x24, 0x10000, 0x20000);
    PUT_COMMAND(&b, 0x32, 1, 0xd0000, 0xe0000, 0);
    PUT_COMMAND(&b, 0x32, 6, 0x100000, 0x110000, 0);
    struct ms_macho macho = parse(&b);
    cr_assert_eq(macho.platform, 1);
    cr_assert_eq(macho.minos, 0xd0000);
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(macho, addresses_that_wrap_are_cut)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    size_t segment = begin_segment(&b, "__TEXT", UINT64_MAX - 0xf, 0x1000, 0, 0);
    put_section(&b, segment, "__text", "__TEXT", UINT64_MAX - 7, 0x1000, 0, CODE);
    end_command(&b, segment);
    struct ms_macho macho = parse(&b);
    cr_assert_eq(macho.segments[0].vm_bytes, 0xf);
    cr_assert_eq(macho.sections[0].vm_bytes, 7);
    cr_assert_eq(macho.damage.status, MS_E_FORMAT);
    cr_assert_str_eq(macho.damage.text, "segment __TEXT: 0xf bytes from 0xfffffffffffffff0 reach "
                                        "past the end of the address space");
    cr_assert_null(ms_macho_section_at(&macho, 0));
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(macho, object_has_no_text_address)
{
    struct build b = build_arm64(MS_MH_OBJECT);
    size_t segment = begin_segment(&b, "__TEXT", 0x1000, 0x10, 0, 0);
    end_command(&b, segment);
    struct ms_macho macho = parse(&b);
    cr_assert(!macho.has_text);
    cr_assert_eq(macho.text_vm, 0);
    ms_macho_fini(&macho);
    build_free(&b);
}

/* ---- dSYMs -------------------------------------------------------------------------------- */

Test(macho, dsym_has_headers_of_sections_without_bytes)
{
    struct build b = build_arm64(MS_MH_DSYM);
    size_t segment = begin_segment(&b, "__TEXT", 0x100000000, 0x4000, 0, 0);
    put_section(&b, segment, "__text", "__TEXT", 0x100000400, 0x10, 0, CODE);
    /* As some producers leave it: the offset that the image has. */
    put_section(&b, segment, "__stubs", "__TEXT", 0x100000410, 0x10, 0x20, CODE);
    end_command(&b, segment);
    segment = begin_segment(&b, "__DWARF", 0x100008000, 0x1000, 0x300, 0x20);
    put_section(&b, segment, "__debug_info", "__DWARF", 0x100008000, 0x18, 0x300, 0x02000000);
    put_section(&b, segment, "__debug_line", "__DWARF", 0x100008018, 9, 0x318, 0x02000000);
    put_section(&b, segment, "__debug_str", "__DWARF", 0x100008020, 0, 0x320, 0x02000000);
    end_command(&b, segment);
    pad_to(&b, 0x320);
    struct ms_macho macho = parse(&b);
    struct ms_bytes bytes;
    struct ms_error err;
    cr_assert_eq(ms_macho_section_bytes(&macho, &macho.sections[0], &bytes, &err), MS_ABSENT);
    cr_assert_eq(ms_macho_section_bytes(&macho, &macho.sections[1], &bytes, &err), MS_ABSENT);
    cr_assert_null(bytes.at);
    cr_assert_eq(ms_macho_section_bytes(&macho, &macho.sections[2], &bytes, &err), MS_OK);
    cr_assert_eq(bytes.n, 0x18);
    cr_assert_eq(ms_macho_section_bytes(&macho, &macho.sections[3], &bytes, &err), MS_E_FORMAT);
    cr_assert_eq(err.offset, 0x318);
    cr_assert_str_eq(err.where, "t (arm64)");
    cr_assert_str_eq(err.text,
                     "section __DWARF,__debug_line takes 0x9 bytes from there, the file has 0x320");
    cr_assert_eq(ms_macho_section_bytes(&macho, &macho.sections[4], &bytes, &err), MS_ABSENT);
    cr_assert_eq(macho.text_vm, 0x100000000);
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(macho, section_on_the_load_commands)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    size_t segment = begin_segment(&b, "__TEXT", 0, 0x1000, 0, 0x200);
    put_section(&b, segment, "__text", "__TEXT", 0x20, 0x10, 0x20, CODE);
    end_command(&b, segment);
    pad_to(&b, 0x200);
    struct ms_macho macho = parse(&b);
    struct ms_bytes bytes;
    struct ms_error err;
    cr_assert_eq(ms_macho_section_bytes(&macho, &macho.sections[0], &bytes, &err), MS_E_FORMAT);
    cr_assert_eq(err.offset, 0x20);
    cr_assert_str_eq(err.text, "section __TEXT,__text lies on the load commands");
    ms_macho_fini(&macho);
    build_free(&b);
}

/* A dSYM of 9 GB: the 32 bits of a section's offset wrapped twice. */
Test(macho, section_offsets_beyond_4_gb)
{
    const uint64_t GB = (uint64_t)1 << 30, vm = 0x100000000, off = 0x5000;
    struct build b = build_arm64(MS_MH_DSYM);
    size_t segment = begin_segment(&b, "__DWARF", vm, 10 * GB, off, 9 * GB + 0x100);
    put_section(&b, segment, "__debug_line", "__DWARF", vm, 3 * GB, (uint32_t)off, 0);
    put_section(&b, segment, "__bss", "__DWARF", 0, 1, 0, 1);
    put_section(&b, segment, "__debug_info", "__DWARF", vm + 3 * GB, 2 * GB,
                (uint32_t)(off + 3 * GB), 0);
    put_section(&b, segment, "__debug_str", "__DWARF", vm + 5 * GB, 4 * GB,
                (uint32_t)(off + 5 * GB), 0);
    put_section(&b, segment, "__debug_loc", "__DWARF", vm + 9 * GB, 0x100, (uint32_t)(off + 9 * GB),
                0);
    end_command(&b, segment);
    struct ms_macho macho = parse(&b);
    cr_assert_eq(macho.sections[0].off, off);
    cr_assert_eq(macho.sections[2].off, off + 3 * GB);
    cr_assert_eq(macho.sections[3].off, off + 5 * GB);
    cr_assert_eq(macho.sections[4].off, off + 9 * GB);
    cr_assert_eq(macho.damage.status, MS_E_FORMAT); /* this file has none of it */
    ms_macho_fini(&macho);
    build_free(&b);
}

/* Addresses that tell nothing: each section stands behind the one before. */
Test(macho, section_offsets_beyond_4_gb_without_addresses)
{
    const uint64_t GB = (uint64_t)1 << 30, off = 0x5000;
    struct build b = build_arm64(MS_MH_DSYM);
    size_t segment = begin_segment(&b, "__DWARF", 0x100000000, GB, off, 6 * GB);
    put_section(&b, segment, "__debug_info", "__DWARF", 0, 5 * GB, (uint32_t)off, 0);
    put_section(&b, segment, "__debug_str", "__DWARF", 0, GB, (uint32_t)(off + 5 * GB), 0);
    put_section(&b, segment, "__debug_loc", "__DWARF", 0, 7 * GB, 0x7000, 0);
    end_command(&b, segment);
    struct ms_macho macho = parse(&b);
    cr_assert_eq(macho.sections[0].off, off);
    cr_assert_eq(macho.sections[1].off, off + 5 * GB);
    cr_assert_eq(macho.sections[2].off, 0x7000); /* fits nowhere: as it is */
    ms_macho_fini(&macho);
    build_free(&b);
}

/* Headers that are not in the order of the bytes: the addresses tell. */
Test(macho, section_offsets_beyond_4_gb_out_of_order)
{
    const uint64_t GB = (uint64_t)1 << 30, vm = 0x100000000, off = 0x5000;
    struct build b = build_arm64(MS_MH_DSYM);
    size_t segment = begin_segment(&b, "__DWARF", vm, 6 * GB, off, 6 * GB);
    put_section(&b, segment, "__debug_str", "__DWARF", vm + 5 * GB, GB, (uint32_t)(off + 5 * GB),
                0);
    put_section(&b, segment, "__debug_info", "__DWARF", vm, 5 * GB, (uint32_t)off, 0);
    end_command(&b, segment);
    struct ms_macho macho = parse(&b);
    cr_assert_eq(macho.sections[1].off, off);
    cr_assert_eq(macho.sections[0].off, off + 5 * GB);
    ms_macho_fini(&macho);
    build_free(&b);
}

/* ---- filesets ------------------------------------------------------------------------------- */

Test(macho, fileset_entries_are_images_of_their_own)
{
    /* Else a small file would be read as often as it has entries. */
    struct build b = build_arm64(MS_MH_FILESET);
    static const uint64_t offsets[] = {0x100, 0, 0x100, 0x200};
    for (size_t i = 0; i < 4; i++) {
        size_t at = begin_command(&b, 0x80000035);
        put_u64(&b, 0);
        put_u64(&b, offsets[i]);
        put_u32(&b, 32);
        put_u32(&b, 0);
        put_string(&b, "kext");
        end_command(&b, at);
    }
    pad_to(&b, 0x300);
    struct ms_macho macho = parse(&b);
    struct ms_fileset_entry found;
    struct ms_error err;
    size_t position = 0;
    cr_assert_eq(ms_macho_fileset_next(&macho, &position, &found, &err), MS_OK);
    cr_assert_eq(ms_macho_fileset_next(&macho, &position, &found, &err), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "LC_FILESET_ENTRY kext: its header at 0x0 is that of another image");
    cr_assert_eq(err.offset, 0x58);
    cr_assert_eq(ms_macho_fileset_next(&macho, &position, &found, &err), MS_E_FORMAT);
    cr_assert_eq(ms_macho_fileset_next(&macho, &position, &found, &err), MS_OK);
    cr_assert_eq(found.off, 0x200);
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(macho, fileset_entries)
{
    struct build b = build_arm64(MS_MH_FILESET);
    size_t at = begin_command(&b, 0x80000035);
    put_u64(&b, 0xfffffe0007004000);
    put_u64(&b, 0x100);
    put_u32(&b, 32);
    put_u32(&b, 0);
    put_string(&b, "com.apple.kernel");
    end_command(&b, at);
    at = begin_command(&b, 0x80000035);
    put_u64(&b, 0);
    put_u64(&b, 0x100000);
    put_u32(&b, 32);
    put_u32(&b, 0);
    put_string(&b, "gone");
    end_command(&b, at);
    at = begin_command(&b, 0x80000035);
    put_u64(&b, 0);
    put_u64(&b, 0);
    put_u32(&b, 400);
    put_u32(&b, 0);
    end_command(&b, at);
    pad_to(&b, 0x100);
    struct build entry = build_arm64(MS_MH_EXECUTE);
    size_t segment = begin_segment(&entry, "__TEXT", 0xfffffe0007004000, 0x1000, 0x100, 0x100);
    put_section(&entry, segment, "__text", "__TEXT", 0xfffffe0007004200, 4, 0x300, CODE);
    put_section(&entry, segment, "__const", "__TEXT", 0xfffffe0007004204, 4, 0x110, 0);
    end_command(&entry, segment);
    put_bytes(&b, entry.at, entry.n);
    pad_to(&b, 0x304);

    struct ms_macho macho = parse(&b), kernel;
    struct ms_fileset_entry found;
    struct ms_error err;
    struct ms_bytes bytes;
    size_t position = 0;
    cr_assert_eq(ms_macho_fileset_next(&macho, &position, &found, &err), MS_OK);
    cr_assert_str_eq(found.name, "com.apple.kernel");
    cr_assert_eq(found.vm, 0xfffffe0007004000);
    cr_assert_eq(found.off, 0x100);
    cr_assert_eq(ms_macho_parse_at(macho.bytes, found.off, found.name, &kernel, &err), MS_OK);
    cr_assert_str_eq(kernel.where, "com.apple.kernel (arm64)");
    cr_assert_eq(kernel.commands[0].off, 0x120);
    /* Its offsets count from the start of the whole file. */
    cr_assert_eq(ms_macho_section_bytes(&kernel, &kernel.sections[0], &bytes, &err), MS_OK);
    cr_assert_eq(bytes.at, b.at + 0x300);
    cr_assert_eq(ms_macho_section_bytes(&kernel, &kernel.sections[1], &bytes, &err), MS_E_FORMAT);
    cr_assert_eq(ms_macho_fileset_next(&macho, &position, &found, &err), MS_E_FORMAT);
    cr_assert_eq(err.offset, 0x68);
    cr_assert_str_eq(err.text, "LC_FILESET_ENTRY gone: its header at 0x100000 is outside the file "
                               "of 0x304 bytes");
    cr_assert_eq(ms_macho_fileset_next(&macho, &position, &found, &err), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "LC_FILESET_ENTRY: its name at 0x190 is not inside its 32 bytes");
    cr_assert_eq(ms_macho_fileset_next(&macho, &position, &found, &err), MS_ABSENT);
    ms_macho_fini(&kernel);
    cr_assert_eq(ms_macho_parse_at(macho.bytes, 0x10000, "far", &kernel, &err), MS_E_FORMAT);
    cr_assert_eq(err.offset, 0x10000);
    cr_assert_str_eq(err.text, "outside the file of 0x304 bytes");
    ms_macho_fini(&macho);
    build_free(&entry);
    build_free(&b);
}

/* ---- names ------------------------------------------------------------------------------------
 */

Test(macho, long_name_loses_its_beginning)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    struct ms_macho macho;
    struct ms_error err;
    char name[401];
    memset(name, 'd', 400);
    memcpy(name + 396, "/App", 5);
    cr_assert_eq(ms_macho_parse(build_bytes(&b), name, &macho, &err), MS_OK);
    cr_assert_eq(strlen(macho.where), sizeof macho.where - 1);
    cr_assert_eq(strncmp(macho.where, "...ddd", 6), 0);
    cr_assert_str_eq(macho.where + sizeof macho.where - 1 - 12, "/App (arm64)");
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(macho, names_of_numbers)
{
    cr_assert_str_eq(ms_filetype_name(MS_MH_DSYM), "DSYM");
    cr_assert_str_eq(ms_filetype_name(MS_MH_FILESET), "FILESET");
    cr_assert_null(ms_filetype_name(0));
    cr_assert_null(ms_filetype_name(99));
    cr_assert_str_eq(ms_load_command_name(0x19), "LC_SEGMENT_64");
    cr_assert_str_eq(ms_load_command_name(0x80000035), "LC_FILESET_ENTRY");
    cr_assert_null(ms_load_command_name(0x4711));
}

/* Every cut of a good file gives an answer, and never a read outside (run under ASan). */
Test(macho, every_length)
{
    struct build b = whole(true, false, MS_CPU_ARM64);
    for (size_t n = 0; n <= b.n; n++) {
        uint8_t *copy = malloc(n ? n : 1);
        memcpy(copy, b.at, n);
        struct ms_macho macho;
        struct ms_error err;
        struct ms_bytes bytes;
        enum ms_status status = ms_macho_parse((struct ms_bytes){copy, n}, "t", &macho, &err);
        cr_assert(status == MS_OK || (status == MS_E_FORMAT && err.text[0]));
        if (status == MS_OK) {
            for (size_t i = 0; i < macho.n_sections; i++)
                (void)ms_macho_section_bytes(&macho, &macho.sections[i], &bytes, &err);
            ms_macho_fini(&macho);
        }
        free(copy);
    }
    build_free(&b);
}
