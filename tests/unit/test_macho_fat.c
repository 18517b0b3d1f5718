#include "unit/macho_builder.h"

#include <criterion/criterion.h>

static struct build begin_fat(bool is64, uint32_t count)
{
    struct build b = {NULL, 0, 0, is64, true};
    put_u32(&b, is64 ? 0xcafebabf : 0xcafebabe);
    put_u32(&b, count);
    return b;
}

static void put_entry(struct build *b, uint32_t cputype, uint32_t cpusubtype, uint64_t off,
                      uint64_t n)
{
    put_u32(b, cputype);
    put_u32(b, cpusubtype);
    put_word(b, off);
    put_word(b, n);
    put_u32(b, 14);
    if (b->is64)
        put_u32(b, 0);
}

static void put_thin(struct build *b, size_t off, uint32_t cputype, uint32_t cpusubtype)
{
    struct build thin = build_macho(true, false, cputype, cpusubtype, MS_MH_DYLIB);
    pad_to(b, off);
    put_bytes(b, thin.at, thin.n);
    build_free(&thin);
}

static void fails(struct build *b, enum ms_status status, uint64_t offset, const char *text)
{
    struct ms_fat fat;
    struct ms_error err;
    cr_assert_eq(ms_fat_parse(build_bytes(b), "App", &fat, &err), status, "%s", text);
    cr_assert_eq(err.status, status);
    cr_assert_str_eq(err.where, "App");
    cr_assert_str_eq(err.text, text);
    cr_assert_eq(err.offset, offset, "offset 0x%llx: %s", (unsigned long long)err.offset, text);
    cr_assert_null(fat.slices);
    build_free(b);
}

static void check_two_slices(bool is64)
{
    struct build b = begin_fat(is64, 2);
    struct ms_fat fat;
    struct ms_error err;
    put_entry(&b, MS_CPU_X86_64, 3, 0x100, 32);
    put_entry(&b, MS_CPU_ARM64, 0x80000002, 0x200, 32);
    put_thin(&b, 0x100, MS_CPU_X86_64, 3);
    put_thin(&b, 0x200, MS_CPU_ARM64, 0x80000002);
    cr_assert_eq(ms_fat_parse(build_bytes(&b), "App", &fat, &err), MS_OK);
    cr_assert(fat.is_fat);
    cr_assert_eq(fat.is_fat64, is64);
    cr_assert_eq(fat.n_slices, 2);
    cr_assert_eq(fat.slices[0].cputype, (uint32_t)MS_CPU_X86_64);
    cr_assert_eq(fat.slices[0].kind, MS_SLICE_MACHO);
    cr_assert_eq(fat.slices[1].file_off, 0x200);
    cr_assert_eq(fat.slices[1].cpusubtype, 0x80000002);
    cr_assert_eq(fat.slices[1].bytes.at, b.at + 0x200);
    cr_assert_eq(fat.slices[1].bytes.n, 32);
    cr_assert_eq(fat.slices[1].align, 14);
    cr_assert(!fat.slices[1].hidden);
    ms_fat_fini(&fat);
    build_free(&b);
}

Test(fat, two_slices)
{
    check_two_slices(false);
    check_two_slices(true);
}

Test(fat, thin_macho)
{
    struct build b = build_macho(false, true, MS_CPU_PPC, 100, MS_MH_EXECUTE);
    struct ms_fat fat;
    struct ms_error err;
    cr_assert_eq(ms_fat_parse(build_bytes(&b), "App", &fat, &err), MS_OK);
    cr_assert(!fat.is_fat);
    cr_assert_eq(fat.n_slices, 1);
    cr_assert_eq(fat.slices[0].kind, MS_SLICE_MACHO);
    cr_assert_eq(fat.slices[0].cputype, (uint32_t)MS_CPU_PPC);
    cr_assert_eq(fat.slices[0].cpusubtype, 100);
    cr_assert_eq(fat.slices[0].bytes.n, b.n);
    cr_assert_str_eq(fat.where, "App");
    ms_fat_fini(&fat);
    build_free(&b);
}

Test(fat, archive_takes_the_architecture_of_its_first_object)
{
    struct build b = {0}, object = build_arm64(MS_MH_OBJECT);
    struct ms_fat fat;
    struct ms_error err;
    put_bytes(&b, "!<arch>\n", 8);
    put_bytes(&b, "readme          0           0     0     644     2         `\nhi", 62);
    put_bytes(&b, "a.o/            0           0     0     644     32        `\n", 60);
    put_bytes(&b, object.at, object.n);
    cr_assert_eq(ms_fat_parse(build_bytes(&b), "lib.a", &fat, &err), MS_OK);
    cr_assert_eq(fat.n_slices, 1);
    cr_assert_eq(fat.slices[0].kind, MS_SLICE_ARCHIVE);
    cr_assert_eq(fat.slices[0].cputype, (uint32_t)MS_CPU_ARM64);
    ms_fat_fini(&fat);
    build_free(&object);
    build_free(&b);
}

/* Old Xcodes put arm64 behind the entries that they counted. */
Test(fat, hidden_slice)
{
    struct build b = begin_fat(false, 1);
    struct ms_fat fat;
    struct ms_error err;
    put_entry(&b, MS_CPU_ARM, 9, 0x100, 32);
    size_t hidden = b.n;
    put_entry(&b, MS_CPU_ARM64, 0, 0x200, 32);
    put_thin(&b, 0x100, MS_CPU_ARM, 9);
    put_thin(&b, 0x200, MS_CPU_ARM64, 0);
    cr_assert_eq(ms_fat_parse(build_bytes(&b), "App", &fat, &err), MS_OK);
    cr_assert_eq(fat.n_slices, 2);
    cr_assert(!fat.slices[0].hidden);
    cr_assert(fat.slices[1].hidden);
    cr_assert_eq(fat.slices[1].bytes.at, b.at + 0x200);
    ms_fat_fini(&fat);
    /* Whatever else stands there is not one. */
    set_u32(&b, hidden + 8, 0x110);
    cr_assert_eq(ms_fat_parse(build_bytes(&b), "App", &fat, &err), MS_OK);
    cr_assert_eq(fat.n_slices, 1);
    ms_fat_fini(&fat);
    set_u32(&b, hidden + 8, 0x1f0);
    cr_assert_eq(ms_fat_parse(build_bytes(&b), "App", &fat, &err), MS_OK);
    cr_assert_eq(fat.n_slices, 1);
    ms_fat_fini(&fat);
    build_free(&b);
}

Test(fat, first_slice_where_a_hidden_entry_would_be)
{
    struct build b = begin_fat(false, 1);
    struct ms_fat fat;
    struct ms_error err;
    put_entry(&b, MS_CPU_ARM, 9, 28, 32);
    put_thin(&b, 28, MS_CPU_ARM, 9);
    cr_assert_eq(ms_fat_parse(build_bytes(&b), "App", &fat, &err), MS_OK);
    cr_assert_eq(fat.n_slices, 1);
    ms_fat_fini(&fat);
    build_free(&b);
}

Test(fat, java_class_files)
{
    struct build b = begin_fat(false, 52);
    put_zeros(&b, 2000);
    fails(&b, MS_E_FORMAT, 4, "not a Mach-O file: a Java class file (or a fat file of 52 slices)");
}

Test(fat, counts)
{
    struct build b = begin_fat(false, 0);
    fails(&b, MS_E_FORMAT, 4, "a fat file without slices");
    b = begin_fat(true, 65);
    fails(&b, MS_E_FORMAT, 4, "65 slices, at most 64 are read");
    b = begin_fat(false, 2);
    put_zeros(&b, 39);
    fails(&b, MS_E_FORMAT, 4, "2 slices need 40 bytes of headers, 39 remain");
    b = begin_fat(false, 2);
    b.n = 7;
    fails(&b, MS_E_FORMAT, 0, "a fat header needs 8 bytes, the file has 7");
}

Test(fat, slices_in_wrong_places)
{
    struct build b = begin_fat(false, 1);
    put_entry(&b, MS_CPU_ARM64, 0, 0x100, 0x21);
    put_thin(&b, 0x100, MS_CPU_ARM64, 0);
    fails(&b, MS_E_FORMAT, 8, "slice arm64 takes 0x21 bytes from 0x100, the file has 0x120");

    b = begin_fat(true, 1);
    put_entry(&b, MS_CPU_ARM64, 0, UINT64_MAX - 1, 4);
    fails(&b, MS_E_FORMAT, 8,
          "slice arm64 takes 0x4 bytes from 0xfffffffffffffffe, the file has 0x28");

    b = begin_fat(false, 1);
    put_entry(&b, MS_CPU_ARM64, 0, 27, 4);
    put_zeros(&b, 100);
    fails(&b, MS_E_FORMAT, 8,
          "slice arm64 starts at 0x1b, inside the fat headers, which end at 0x1c");

    b = begin_fat(false, 2);
    put_entry(&b, MS_CPU_ARM64, 0, 0x101, 0x20);
    put_entry(&b, 99, 0, 0x100, 2);
    put_zeros(&b, 1000);
    fails(&b, MS_E_FORMAT, 28, "slice unknown(99,0) at 0x100 overlaps slice arm64 at 0x101");

    b = begin_fat(false, 2);
    put_entry(&b, MS_CPU_ARM64, 0, 0x100, 0x20);
    put_entry(&b, MS_CPU_ARM64, 0, 0x200, 0x20);
    put_zeros(&b, 1000);
    fails(&b, MS_E_FORMAT, 28, "two slices of architecture arm64");
}

static void guesses(const char *bytes, size_t n, const char *text)
{
    struct build b = {0};
    put_bytes(&b, bytes, n);
    fails(&b, MS_E_FORMAT, 0, text);
}

Test(fat, what_else_a_file_may_be)
{
    char junk[600];
    struct build nothing = {0};
    fails(&nothing, MS_E_FORMAT, MS_NO_OFFSET, "the file is empty");
    guesses("abc", 3, "not a Mach-O file: text");
    guesses("\1\2\3", 3, "not a Mach-O file: too short to be one");
    memset(junk, 0xff, sizeof junk);
    guesses(junk, sizeof junk, "not a Mach-O file: unknown binary data");
    memset(junk, 0, sizeof junk);
    guesses(junk, sizeof junk, "not a Mach-O file: all zeros");
    guesses("\177ELF\2\1\1", 8, "not a Mach-O file: an ELF file");
    guesses("MZ\x90\0", 4, "not a Mach-O file: a Windows program");
    guesses("\0\5\x16\7\0\2\0\0", 8,
            "not a Mach-O file: an AppleDouble file (resource fork of the real one)");
    guesses("bplist00", 8, "not a Mach-O file: a binary property list");
    guesses("\xcf\xfa\xed\xfe\7\0\0\1", 8, "not a Mach-O file: a cut-off Mach-O");
    guesses("version https://git-lfs.github.com/spec/v1\n", 43,
            "not a Mach-O file: a Git LFS pointer");
}

Test(fat, slice_of_something_else)
{
    struct build b = begin_fat(false, 1);
    struct ms_fat fat;
    struct ms_error err;
    put_entry(&b, MS_CPU_ARM64, 0, 0x40, 8);
    pad_to(&b, 0x40);
    put_bytes(&b, "BC\xc0\xde\0\0\0\0", 8);
    cr_assert_eq(ms_fat_parse(build_bytes(&b), "App", &fat, &err), MS_OK);
    cr_assert_eq(fat.slices[0].kind, MS_SLICE_OTHER);
    ms_fat_fini(&fat);
    build_free(&b);
}

/* ---- architectures -----------------------------------------------------------------------------
 */

Test(arch, names)
{
    char room[MS_ARCH_TEXT];
    cr_assert_str_eq(ms_arch_name(MS_CPU_ARM64, 0), "arm64");
    cr_assert_str_eq(ms_arch_name(MS_CPU_ARM64, 2), "arm64e");
    cr_assert_str_eq(ms_arch_name(MS_CPU_ARM64, 0x80000002), "arm64e");
    cr_assert_str_eq(ms_arch_name(MS_CPU_ARM64, 0xc1000002), "arm64e");
    cr_assert_str_eq(ms_arch_name(MS_CPU_ARM64_32, 1), "arm64_32");
    cr_assert_str_eq(ms_arch_name(MS_CPU_X86_64, 0x80000003), "x86_64");
    cr_assert_str_eq(ms_arch_name(MS_CPU_X86_64, 8), "x86_64h");
    cr_assert_str_eq(ms_arch_name(MS_CPU_I386, 3), "i386");
    cr_assert_str_eq(ms_arch_name(MS_CPU_ARM, 6), "armv6");
    cr_assert_str_eq(ms_arch_name(MS_CPU_ARM, 9), "armv7");
    cr_assert_str_eq(ms_arch_name(MS_CPU_ARM, 11), "armv7s");
    cr_assert_str_eq(ms_arch_name(MS_CPU_ARM, 12), "armv7k");
    cr_assert_str_eq(ms_arch_name(MS_CPU_PPC, 0), "ppc");
    cr_assert_str_eq(ms_arch_name(MS_CPU_PPC64, 0), "ppc64");
    cr_assert_null(ms_arch_name(4711, 0));
    cr_assert_str_eq(ms_arch_text(MS_CPU_ARM64, 2, room), "arm64e");
    cr_assert_str_eq(ms_arch_text(UINT32_MAX, UINT32_MAX, room), "unknown(4294967295,16777215)");
}

Test(arch, parsing_is_the_reverse)
{
    static const char *const NAMES[] = {"arm64",   "arm64e", "arm64_32", "x86_64",
                                        "x86_64h", "i386",   "armv6",    "armv7",
                                        "armv7s",  "armv7k", "ppc",      "ppc64"};
    uint32_t cputype = 1, cpusubtype = 1;
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++) {
        cr_assert(ms_arch_parse(NAMES[i], &cputype, &cpusubtype));
        cr_assert_str_eq(ms_arch_name(cputype, cpusubtype), NAMES[i]);
    }
    cr_assert(!ms_arch_parse("sparc", &cputype, &cpusubtype));
    cr_assert(!ms_arch_parse("", &cputype, &cpusubtype));
}
