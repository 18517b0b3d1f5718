#include "unit/macho_builder.h"

#include "base/text.h"
#include "machsym/error.h"
#include "machsym/nm.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* n_desc */
enum {
    LAZY = 1,
    PRIVATE = 4,
    PRIVATE_LAZY = 5,
    DYNAMIC = 0x10,
    KEEP = 0x20,
    WEAK_REF = 0x40,
    WEAK_DEF = 0x80,
    RESOLVER = 0x100,
    ALT = 0x200,
    COLD = 0x400,
    THUMB = 8
};
enum { TWOLEVEL = 0x80 };

static bool to_text(void *to, const char *bytes, size_t n)
{
    ms_text_add(to, bytes, n);
    return true;
}

static struct ms_text out;
static struct ms_nm_result result;
static struct ms_error err;

/* What is written of the image, which stays the caller's. */
static const char *nm(const struct build *b, const struct ms_nm_options *options)
{
    struct ms_macho macho;
    struct ms_sink sink = {.write = to_text, .to = &out};
    ms_text_fini(&out);
    ms_text_init(&out, (size_t)1 << 30);
    cr_assert_eq(ms_macho_parse(build_bytes(b), "x", &macho, &err), MS_OK, "%s", err.text);
    cr_assert_eq(ms_nm_write(&macho, options, &sink, &result, &err), MS_OK);
    ms_macho_fini(&macho);
    return out.at ? out.at : "";
}

static void check(struct image *image, struct ms_nm_options options, const char *expected)
{
    struct build b = finish_image(image);
    cr_assert_str_eq(nm(&b, &options), expected);
    cr_assert_eq(err.status, MS_OK);
    build_free(&b);
}

static struct image begin(uint32_t filetype)
{
    struct image image = begin_image(true, false, MS_CPU_ARM64, 0, filetype, 0x1000);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x1000, 0x100, 0x800, CODE);
    put_section(&image.b, image.segment, "__data", "__DATA", 0x1100, 0x100, 0, 0);
    put_section(&image.b, image.segment, "__bss", "__DATA", 0x1200, 0x100, 0, 1);
    put_section(&image.b, image.segment, "__const", "__TEXT", 0x1300, 0x100, 0, 0);
    return image;
}

static void put_library(struct image *image, uint32_t cmd, const char *path)
{
    end_command(&image->b, image->segment); /* the segment is whole: a new command begins */
    size_t at = begin_command(&image->b, cmd);
    put_u32(&image->b, 24);
    put_zeros(&image->b, 12);
    put_string(&image->b, path);
    image->segment = at; /* ended by whoever is next */
}

/* ---- letters and forms --------------------------------------------------------------------- */

static void add_kinds(struct image *image)
{
    add_symbol(image, "_text", 0xf, 1, 0, 0x1000);
    add_symbol(image, "_local", 0xe, 1, 0, 0x1010);
    add_symbol(image, "_data", 0xf, 2, 0, 0x1100);
    add_symbol(image, "_bss", 0xe, 3, 0, 0x1200);
    add_symbol(image, "_const", 0x1f, 4, 0, 0x1300);
    add_symbol(image, "_abs", 0x3, 0, 0, 0x42);
    add_symbol(image, "_common", 0x1, 0, 0x300, 0x20);
    add_symbol(image, "_undef", 0x1, 0, 0, 0);
    add_symbol(image, "_quiet", 0x0, 0, 0, 0);
    add_symbol(image, "_bound", 0xd, 0, 0, 0x7000);
    add_symbol(image, "_odd", 0x5, 0, 0, 0x9);
    add_symbol(image, "_nowhere", 0xf, 9, 0, 0x8);
    add_symbol(image, "/a.c", 0x64, 1, 0x10, 0x5f);
    add_symbol(image, "_text", 0x24, 1, 0, 0x1000);
    add_symbol(image, "/m", 0x32, 0, 0, 0);
    add_symbol(image, "what", 0xf0, 2, 3, 4);
}

Test(nm, bsd)
{
    struct image image = begin(MS_MH_OBJECT);
    add_kinds(&image);
    check(&image, (struct ms_nm_options){.stabs = true},
          "000000000000005f - 01 0010    SO /a.c\n"
          "0000000000000000 - 00 0000   AST /m\n"
          "0000000000000042 A _abs\n"
          "                 U _bound\n"
          "0000000000001200 b _bss\n"
          "0000000000000020 C _common\n"
          "0000000000001300 S _const\n"
          "0000000000001100 D _data\n"
          "0000000000001010 t _local\n"
          "0000000000000008 S _nowhere\n"
          "0000000000000009 ? _odd\n"
          "                 u _quiet\n"
          "0000000000001000 T _text\n"
          "0000000000001000 - 01 0000   FUN _text\n"
          "                 U _undef\n"
          "0000000000000004 - 02 0003    f0 what\n");
    cr_assert_eq(result.n_symbols, 16);
    cr_assert_eq(result.n_shown, 16);
}

Test(nm, darwin)
{
    struct image image = begin(MS_MH_OBJECT);
    add_kinds(&image);
    check(&image,
          (struct ms_nm_options){.format = MS_NM_DARWIN, .order = MS_NM_AS_FILED, .stabs = true},
          "0000000000001000 (__TEXT,__text) external _text\n"
          "0000000000001010 (__TEXT,__text) non-external _local\n"
          "0000000000001100 (__DATA,__data) external _data\n"
          "0000000000001200 (__DATA,__bss) non-external _bss\n"
          "0000000000001300 (__TEXT,__const) private external _const\n"
          "0000000000000042 (absolute) external _abs\n"
          "0000000000000020 (common) (alignment 2^3) external _common\n"
          "                 (undefined) external _undef\n"
          "                 (undefined) non-external _quiet\n"
          "0000000000007000 (prebound undefined) external _bound\n"
          "0000000000000009 (?) external _odd\n"
          "0000000000000008 (?,?) external _nowhere\n"
          "000000000000005f - 01 0010    SO /a.c\n"
          "0000000000001000 - 01 0000   FUN _text\n"
          "0000000000000000 - 00 0000   AST /m\n"
          "0000000000000004 - 02 0003    f0 what\n");
}

Test(nm, marks_of_an_object)
{
    struct image image = begin(MS_MH_OBJECT);
    add_symbol(&image, "a", 0xf, 1, KEEP | RESOLVER | ALT | COLD | THUMB | DYNAMIC, 1);
    add_symbol(&image, "b", 0x1, 0, KEEP | WEAK_REF, 0);
    add_symbol(&image, "c", 0xf, 1, WEAK_DEF, 1);
    add_symbol(&image, "d", 0x1f, 1, WEAK_DEF, 1);
    add_symbol(&image, "e", 0xf, 1, WEAK_REF | WEAK_DEF, 1);
    add_symbol(&image, "f", 0x1e, 1, WEAK_DEF | DYNAMIC, 1);
    add_symbol(&image, "g", 0x1, 0, LAZY, 0);
    add_symbol(&image, "h", 0x1, 0, PRIVATE, 0);
    add_symbol(&image, "i", 0x1, 0, PRIVATE_LAZY, 0);
    add_symbol(&image, "j", 0x1, 0, 0, 7);
    check(&image, (struct ms_nm_options){.format = MS_NM_DARWIN},
          "0000000000000001 (__TEXT,__text) [referenced dynamically] external [no dead strip] "
          "[symbol resolver] [alt entry] [cold func] [Thumb] a\n"
          "                 (undefined) weak external [no dead strip] b\n"
          "0000000000000001 (__TEXT,__text) weak external c\n"
          "0000000000000001 (__TEXT,__text) weak private external d\n"
          "0000000000000001 (__TEXT,__text) weak external automatically hidden e\n"
          "0000000000000001 (__TEXT,__text) non-external (was a private external) f\n"
          "                 (undefined [lazy bound]) external g\n"
          "                 (undefined [private]) external h\n"
          "                 (undefined [private lazy bound]) external i\n"
          "0000000000000007 (common) external j\n");
}

Test(nm, marks_of_an_image_are_fewer)
{
    struct image image = begin(MS_MH_DYLIB);
    add_symbol(&image, "a", 0xf, 1, KEEP | RESOLVER | ALT | COLD | THUMB, 1);
    check(&image, (struct ms_nm_options){.format = MS_NM_DARWIN},
          "0000000000000001 (__TEXT,__text) external [Thumb] a\n");
}

Test(nm, other_forms)
{
    struct image image = begin(MS_MH_OBJECT);
    add_symbol(&image, "_b", 0xf, 1, 0x80, 0x1010);
    add_symbol(&image, "_a", 0x1, 0, 0, 0);
    add_symbol(&image, NULL, 0xe, 2, 0, 0x10);
    struct build b = finish_image(&image);
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.format = MS_NM_NAMES}), "\n_a\n_b\n");
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.format = MS_NM_POSIX}),
                     " d 10 0\n_a U 0 0\n_b T 1010 0\n");
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.format = MS_NM_POSIX, .radix = 10}),
                     " d 16 0\n_a U 0 0\n_b T 4112 0\n");
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.format = MS_NM_HEX}),
                     "0000000000000010 0e 02 0000 00000000 \n"
                     "0000000000000000 01 00 0000 00000004 _a\n"
                     "0000000000001010 0f 01 0080 00000001 _b\n");
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.radix = 8, .prefix = "f: "}),
                     "f: 0000000000000020 d \nf:                  U _a\n"
                     "f: 0000000000010020 T _b\n");
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.undefined_only = true}), "_a\n");
    build_free(&b);
}

Test(nm, wide_and_big_endian)
{
    struct image image = begin_image(false, true, MS_CPU_PPC, 0, MS_MH_OBJECT, 0x1000);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x1000, 0x100, 0, CODE);
    add_symbol(&image, "_b", 0xf, 1, 0, 0xfffff010);
    add_symbol(&image, "_a", 0x1, 0, 0, 0);
    check(&image, (struct ms_nm_options){0}, "         U _a\nfffff010 T _b\n");
}

Test(nm, kernel_extension)
{
    struct image image = begin_image(true, false, MS_CPU_ARM64, 0, MS_MH_KEXT, 0);
    put_section(&image.b, image.segment, "__text", "__TEXT_EXEC", 0, 0x100, 0, CODE);
    add_symbol(&image, "_a", 0xf, 1, 0, 0);
    check(&image, (struct ms_nm_options){0}, "0000000000000000 T _a\n");
    image = begin_image(true, false, MS_CPU_ARM64, 0, MS_MH_EXECUTE, 0);
    put_section(&image.b, image.segment, "__text", "__TEXT_EXEC", 0, 0x100, 0, CODE);
    add_symbol(&image, "_a", 0xf, 1, 0, 0);
    check(&image, (struct ms_nm_options){0}, "0000000000000000 S _a\n");
}

Test(nm, indirect)
{
    struct image image = begin(MS_MH_DYLIB);
    add_symbol(&image, "_a", 0xb, 0, 0, 4); /* "_b", which stands behind "\0_a\0" */
    add_symbol(&image, "_b", 0x1, 0, 0, 0);
    add_symbol(&image, "_c", 0xa, 0, 0, 0x7000);
    struct build b = finish_image(&image);
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){0}),
                     "                 I _a (indirect for _b)\n"
                     "                 U _b\n"
                     "                 i _c (indirect for ?)\n");
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.format = MS_NM_DARWIN, .defined_only = true}),
                     "                 (indirect) external _a (for _b)\n"
                     "                 (indirect) non-external _c (for ?)\n");
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.format = MS_NM_HEX, .external_only = true}),
                     "0000000000000004 0b 00 0000 00000001 _a (indirect for 0000000000000004 _b)\n"
                     "0000000000000000 01 00 0000 00000004 _b\n");
    build_free(&b);
}

Test(nm, choice)
{
    struct image image = begin(MS_MH_DYLIB);
    add_symbol(&image, "a", 0xf, 1, 0, 1);
    add_symbol(&image, "b", 0xe, 2, 0, 2);
    add_symbol(&image, "c", 0x1, 0, WEAK_REF, 0);
    add_symbol(&image, "d", 0xf, 2, WEAK_DEF, 3);
    add_symbol(&image, "e", 0xd, 0, 0, 9);
    add_symbol(&image, "f", 0x24, 1, 0, 1);
    add_symbol(&image, "g", 0x2e, 1, 0, 1);
    struct build b = finish_image(&image);
    const struct {
        struct ms_nm_options options;
        const char *names;
    } CASES[] = {
        {{0}, "a\nb\nc\nd\ne\n"},
        {{.stabs = true}, "a\nb\nc\nd\ne\nf\ng\n"},
        {{.external_only = true, .stabs = true}, "a\nc\nd\ne\n"},
        {{.undefined_only = true, .stabs = true}, "c\ne\n"},
        {{.defined_only = true}, "a\nb\nd\n"},
        {{.no_weak = true}, "a\nb\ne\n"},
        {{.segment = "__DATA", .section = "__data"}, "b\nd\n"},
        {{.segment = "__TEXT", .section = "__text", .stabs = true}, "a\ng\n"},
        {{.segment = "__TEXT", .section = "__none"}, ""},
        {{.reverse = true}, "e\nd\nc\nb\na\n"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct ms_nm_options options = CASES[i].options;
        options.format = MS_NM_NAMES;
        cr_assert_str_eq(nm(&b, &options), CASES[i].names, "case %zu", i);
    }
    build_free(&b);
}

/* ---- libraries ----------------------------------------------------------------------------- */

/* The name that "(from …)" has for an install name. */
static const char *short_name(const char *path)
{
    static char name[256];
    struct image image = begin(MS_MH_DYLIB);
    set_u32(&image.b, 24, TWOLEVEL);
    add_symbol(&image, "u", 0x1, 0, 0x100, 0);
    put_library(&image, 0xc, path);
    struct build b = finish_image(&image);
    const char *line = nm(&b, &(struct ms_nm_options){.format = MS_NM_DARWIN});
    const char *from = strstr(line, "(from ");
    cr_assert_not_null(from, "%s", line);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(from + 6, ")\n"), from + 6);
    build_free(&b);
    return name;
}

Test(nm, short_names_of_libraries)
{
    static const char *const NAMES[][2] = {
        {"/usr/lib/libSystem.B.dylib", "libSystem"},
        {"/usr/lib/libc++.1.dylib", "libc++"},
        {"/usr/lib/libobjc.A.dylib", "libobjc"},
        {"@rpath/libswiftCore.dylib", "libswiftCore"},
        {"libz.1.2.3.dylib", "libz.1"}, /* two letters are taken off, no more */
        {"/usr/lib/libFoo_debug.dylib", "libFoo"},
        {"/usr/lib/libFoo_profile.A.dylib", "libFoo"},
        {"/usr/lib/libATS.A_profile.dylib", "libATS"},
        {"/usr/lib/libswift_Concurrency.dylib", "libswift_Concurrency"},
        {"/System/Library/Frameworks/Foundation.framework/Versions/C/Foundation", "Foundation"},
        {"/System/Library/Frameworks/UIKit.framework/UIKit", "UIKit"},
        {"@rpath/Kit.framework/Kit_debug", "Kit"},
        {"@rpath/Kit.framework/Versions/A/Kit_profile", "Kit"},
        {"Kit.framework/Kit", "Kit"},
        {"/Other.framework/Kit", "/Other.framework/Kit"},
        {"/x/QT.A.qtx", "QT"},
        {"/x/QT.qtx", "QT"},
        {"/usr/lib/dyld", "/usr/lib/dyld"},
        {"", ""},
        {".dylib", ".dylib"},
        {"/", "/"},
    };
    for (size_t i = 0; i < sizeof NAMES / sizeof *NAMES; i++)
        cr_assert_str_eq(short_name(NAMES[i][0]), NAMES[i][1], "%s: %s", NAMES[i][0],
                         short_name(NAMES[i][0]));
}

Test(nm, ordinals)
{
    struct image image = begin(MS_MH_EXECUTE);
    set_u32(&image.b, 24, TWOLEVEL);
    add_symbol(&image, "a", 0x1, 0, 0x000, 0);
    add_symbol(&image, "b", 0x1, 0, 0x100, 0);
    add_symbol(&image, "c", 0x1, 0, 0x200, 0);
    add_symbol(&image, "d", 0x1, 0, 0x300, 0);
    add_symbol(&image, "e", 0x1, 0, 0xfe00, 0);
    add_symbol(&image, "f", 0x1, 0, 0xff00, 0);
    add_symbol(&image, "g", 0x1, 0, 0x100, 8); /* common */
    add_symbol(&image, "h", 0xd, 0, 0x200, 8);
    put_library(&image, 0x80000018, "/usr/lib/liba.dylib");
    put_library(&image, 0xd, "/usr/lib/me.dylib"); /* its own name counts for nothing */
    put_library(&image, 0x8000001f, "/usr/lib/libb.dylib");
    check(&image, (struct ms_nm_options){.format = MS_NM_DARWIN},
          "                 (undefined) external a\n"
          "                 (undefined) external b (from liba)\n"
          "                 (undefined) external c (from libb)\n"
          "                 (undefined) external d (from bad library ordinal 3)\n"
          "                 (undefined) external e (dynamically looked up)\n"
          "                 (undefined) external f (from executable)\n"
          "0000000000000008 (common) (alignment 2^1) external g\n"
          "0000000000000008 (prebound undefined) external h (from libb)\n");
}

Test(nm, library_without_a_name)
{
    struct image image = begin(MS_MH_EXECUTE);
    set_u32(&image.b, 24, TWOLEVEL);
    add_symbol(&image, "b", 0x1, 0, 0x100, 0);
    put_library(&image, 0xc, "liba.dylib");
    set_u32(&image.b, image.segment + 8, 4000);
    check(&image, (struct ms_nm_options){.format = MS_NM_DARWIN},
          "                 (undefined) external b (from bad library ordinal 1)\n");
}

/* ---- names --------------------------------------------------------------------------------- */

Test(nm, control_characters)
{
    struct image image = begin(MS_MH_OBJECT);
    add_symbol(&image, "a\n0000000000000000 T _fake", 0xf, 1, 0, 1);
    add_symbol(&image, "b\x1b[31m\xc2\x9b\x7f", 0xf, 1, 0, 2);
    add_symbol(&image, "block_e39_q24\x01?0", 0xf, 1, 0, 3); /* clang's own */
    add_symbol(&image, "\xc3\xa9\xc2", 0xf, 1, 0, 4);
    check(&image, (struct ms_nm_options){.format = MS_NM_NAMES},
          "a?0000000000000000 T _fake\nb?[31m??\nblock_e39_q24\x01?0\n\xc3\xa9\xc2\n");
}

Test(nm, bad_names)
{
    struct image image = begin(MS_MH_OBJECT);
    add_symbol(&image, "a", 0xf, 1, 0, 1);
    add_symbol(&image, NULL, 0xf, 1, 0, 2);
    add_symbol(&image, NULL, 0xf, 1, 0, 3);
    set_u32(&image.nlist, 16, 0x700);
    set_u32(&image.nlist, 32, 0xffffffff);
    struct build b = finish_image(&image);
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){0}), "0000000000000001 T a\n"
                                                         "0000000000000002 T bad string index\n"
                                                         "0000000000000003 T bad string index\n");
    cr_assert_eq(err.status, MS_E_FORMAT);
    cr_assert_eq(result.n_bad_names, 2);
    cr_assert_str_eq(err.text,
                     "the name of symbol 1 is at 0x700 of the string table, which has 0x3 "
                     "bytes, and 1 more such names");
    cr_assert_str_eq(err.where, "x (arm64)");
    struct ms_macho macho;
    struct ms_error ignored;
    cr_assert_eq(ms_macho_parse(build_bytes(&b), "x", &macho, &ignored), MS_OK);
    cr_assert_eq(err.offset, macho.nlist_off + 16);
    ms_macho_fini(&macho);
    build_free(&b);
}

/* Every entry names the same long string: printing all would take entries × length. */
Test(nm, one_name_many_times)
{
    enum { ENTRIES = 3000, LENGTH = 40000 };
    struct image image = begin(MS_MH_OBJECT);
    char *name = malloc(LENGTH + 1);
    memset(name, 'n', LENGTH);
    name[LENGTH] = 0;
    uint32_t off = add_string(&image, name);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        put_nlist(&image.nlist, off + i % 100, 0xf, 1, 0, i);
        image.n_nlist++;
    }
    struct build b = finish_image(&image);
    nm(&b, &(struct ms_nm_options){0});
    cr_assert_eq(err.status, MS_E_LIMIT);
    cr_assert(strstr(err.text, "names are cut at 64 bytes"), "%s", err.text);
    cr_assert_eq(result.n_shown, ENTRIES);
    cr_assert_lt(out.n, (1 << 20) + 16 * LENGTH + ENTRIES * 90);
    build_free(&b);
    free(name);
}

/* "Z" and a number of template arguments that each stand for all before them. */
Test(nm, names_that_grow)
{
    enum { ENTRIES = 20000 };
    struct image image = begin(MS_MH_OBJECT);
    char name[4096] = "__Z1fI1aS_";
    for (int i = 0; i < 900; i++)
        strcat(name, "S_S_"); /* each is an "a" */
    strcat(name, "EvT_");
    uint32_t off = add_string(&image, name);
    for (uint32_t i = 0; i < ENTRIES; i++) {
        put_nlist(&image.nlist, off, 0xf, 1, 0, i);
        image.n_nlist++;
    }
    struct build b = finish_image(&image);
    nm(&b, &(struct ms_nm_options){.demangle = true});
    cr_assert_eq(err.status, MS_E_LIMIT, "%s", err.text);
    build_free(&b);
}

Test(nm, demangled)
{
    struct image image = begin(MS_MH_OBJECT);
    add_symbol(&image, "_$s3App5checkyySaySiGF", 0xf, 1, 0, 1);
    add_symbol(&image, "__ZN3foo3barEi", 0xf, 1, 0, 2);
    add_symbol(&image, "_main", 0xf, 1, 0, 3);
    struct build b = finish_image(&image);
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.demangle = true}),
                     "0000000000000001 T App.check([Swift.Int]) -> ()\n"
                     "0000000000000002 T foo::bar(int)\n"
                     "0000000000000003 T _main\n");
    cr_assert_str_eq(nm(&b, &(struct ms_nm_options){.demangle = true, .demangle_style = 1}),
                     "0000000000000001 T check(_:)\n"
                     "0000000000000002 T foo::bar(int)\n"
                     "0000000000000003 T _main\n");
    build_free(&b);
}

/* ---- order --------------------------------------------------------------------------------- */

struct pair {
    char name[64];
    uint64_t value;
    uint32_t index;
};

static int by_name(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    if (!order)
        order = (left->value > right->value) - (left->value < right->value);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int by_value(const void *a, const void *b)
{
    const struct pair *left = a, *right = b;
    int order = (left->value > right->value) - (left->value < right->value);
    return order ? order : by_name(a, b);
}

/* Checks both orders of these pairs against qsort; the section is the index's low byte. */
static void check_order(struct pair *pairs, size_t n)
{
    struct image image = begin(MS_MH_OBJECT);
    for (uint32_t i = 0; i < n; i++) {
        pairs[i].index = i;
        add_symbol(&image, pairs[i].name, 0xf, 1, i & 0xffff, pairs[i].value);
    }
    struct build b = finish_image(&image);
    for (int numeric = 0; numeric < 2; numeric++) {
        struct ms_nm_options options = {.format = MS_NM_HEX,
                                        .order = numeric ? MS_NM_BY_ADDRESS : MS_NM_BY_NAME};
        const char *line = nm(&b, &options);
        qsort(pairs, n, sizeof *pairs, numeric ? by_value : by_name);
        for (size_t i = 0; i < n; i++) {
            char expected[160];
            snprintf(expected, sizeof expected, "%016llx 0f 01 %04x ",
                     (unsigned long long)pairs[i].value, (unsigned)pairs[i].index & 0xffff);
            const char *name = line + 37;
            size_t length = strcspn(name, "\n");
            cr_assert(strncmp(line, expected, strlen(expected)) == 0 &&
                          strncmp(name, pairs[i].name, length) == 0 && !pairs[i].name[length],
                      "%zu: %.100s", i, line);
            line = name + length + 1;
        }
        cr_assert_eq(*line, 0);
    }
    build_free(&b);
}

static uint32_t dice = 1;
static uint32_t roll(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 17;
    return dice ^= dice << 5;
}

Test(nm, order_of_many)
{
    enum { N = 20000 };
    struct pair *pairs = calloc(N, sizeof *pairs);
    for (int kind = 0; kind < 5; kind++) {
        for (uint32_t i = 0; i < N; i++) {
            static const char *const begins[] = {"", "_$s", "__ZN12longbeginning6inside", "_"};
            uint32_t x = kind == 0   ? roll()
                         : kind == 1 ? roll() % 50 /* many equal */
                         : kind == 2 ? i           /* ascending */
                         : kind == 3 ? N - i       /* descending */
                                     : (i % 2 ? i : N - i);
            snprintf(pairs[i].name, sizeof pairs[i].name, "%s%0*x", begins[(kind + x) % 4],
                     (int)(x % 13), (unsigned)x);
            pairs[i].value = kind == 1 ? roll() % 3 + 1 : (uint64_t)roll() << 20 | (i + 1);
        }
        check_order(pairs, N);
    }
    free(pairs);
}

/* 0xff and bytes beyond it are greater than any letter, the end of a name less than any byte. */
Test(nm, order_of_bytes)
{
    struct pair pairs[40] = {{{0}, 0, 0}};
    for (uint32_t i = 0; i < 40; i++) {
        memset(pairs[i].name, i % 4 == 3 ? 0xc3 : 'a', i / 2 + i % 3);
        pairs[i].name[i / 2 + i % 3] = i % 5 == 1 ? (char)0xff : i % 5 == 2 ? 1 : 0;
        pairs[i].value = 1;
    }
    check_order(pairs, 40);
}

/* Three medians of three on an "organ pipe" and its kin are the classic bad pivots; whatever the
 * order, what is left after too many of them is heap-sorted. */
Test(nm, order_of_bad_pivots)
{
    enum { N = 1 << 15 };
    struct pair *pairs = calloc(N, sizeof *pairs);
    for (uint32_t i = 0; i < N; i++) {
        /* McIlroy's killer of the median of three, as a fixed permutation */
        uint32_t x = i < N / 2 ? (i % 2 ? N / 2 + i - 1 + 1 : i + 1) : 2 * (i - N / 2) + 2;
        snprintf(pairs[i].name, sizeof pairs[i].name, "_%08x", (unsigned)x);
        pairs[i].value = x;
    }
    check_order(pairs, N);
    free(pairs);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

Test(nm, json)
{
    struct image image = begin(MS_MH_DYLIB);
    set_u32(&image.b, 24, TWOLEVEL);
    add_symbol(&image, "__Z1av", 0xf, 1, 0x10, 0x1000);
    add_symbol(&image, "b", 0x1, 0, 0x100, 0);
    add_symbol(&image, "c", 0x1, 0, 0x200, 64);
    add_symbol(&image, "d", 0xb, 0, 0, 8);
    add_symbol(&image, "e\n", 0x66, 3, 1, 5);
    add_symbol(&image, NULL, 0x1e, 200, 0x80, 5);
    put_library(&image, 0xc, "/usr/lib/liba.B.dylib");
    struct build b = finish_image(&image);
    struct ms_macho macho;
    struct ms_json json;
    ms_text_fini(&out);
    ms_text_init(&out, 1 << 20);
    struct ms_sink sink = {.write = to_text, .to = &out};
    ms_json_init(&json, &sink, 0);
    cr_assert_eq(ms_macho_parse(build_bytes(&b), "x", &macho, &err), MS_OK);
    struct ms_nm_options options = {.order = MS_NM_AS_FILED, .stabs = true, .demangle = true};
    cr_assert_eq(ms_nm_write_json(&macho, &options, &json, &result, &err), MS_OK);
    cr_assert_eq(err.status, MS_OK);
    cr_assert_str_eq(
        out.at,
        "[{\"name\":\"__Z1av\",\"demangled\":\"a()\",\"letter\":\"T\",\"kind\":\"section\","
        "\"address\":\"0x1000\",\"segment\":\"__TEXT\",\"section\":\"__text\",\"external\":true,"
        "\"referenced_dynamically\":true},"
        "{\"name\":\"b\",\"letter\":\"U\",\"kind\":\"undefined\",\"external\":true,\"ordinal\":1,"
        "\"library\":\"liba\",\"library_path\":\"/usr/lib/liba.B.dylib\"},"
        "{\"name\":\"c\",\"letter\":\"C\",\"kind\":\"common\",\"size\":64,\"alignment\":2,"
        "\"external\":true},"
        "{\"name\":\"d\",\"letter\":\"I\",\"kind\":\"indirect\",\"indirect\":\"b\","
        "\"external\":true},"
        "{\"name\":\"e\\n\",\"letter\":\"-\",\"kind\":\"stab\",\"address\":\"0x5\","
        "\"stab\":\"OSO\",\"sect\":3,\"desc\":1},"
        "{\"name\":\"\",\"letter\":\"s\",\"kind\":\"section\",\"address\":\"0x5\","
        "\"private_external\":true,\"weak_definition\":true}]");
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(nm, nothing)
{
    struct image image = begin(MS_MH_EXECUTE);
    check(&image, (struct ms_nm_options){0}, "");
    cr_assert_eq(result.n_symbols, 0);
}
