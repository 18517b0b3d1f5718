/* lib/resolve: from names and folders to files, slices and slides. */
#include "machsym/image.h"
#include "machsym/slide.h"

#include "resolve/catalog.h"
#include "resolve/companion.h"
#include "resolve/part.h"
#include "resolve/paths.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch[] = "/tmp/machsym-unit.XXXXXX";

static const char *in_scratch(const char *name)
{
    static char room[8][512];
    static int next;
    char *path = room[next++ % 8];
    snprintf(path, sizeof room[0], "%s/%s", scratch, name);
    return path;
}

static void make_scratch(void)
{
    cr_assert_not_null(mkdtemp(scratch));
}

static void drop_scratch(void)
{
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    cr_assert_eq(system(command), 0);
}

static void folder(const char *name)
{
    cr_assert_eq(mkdir(in_scratch(name), 0777), 0, "%s", name);
}

static void copy(const char *from, const char *name)
{
    FILE *in = fopen(from, "rb"), *out = fopen(in_scratch(name), "wb");
    char block[4096];
    size_t n;
    cr_assert(in && out, "%s", from);
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, n, out);
    fclose(in);
    fclose(out);
}

Test(slide, both_ways_and_negative)
{
    char text[MS_SLIDE_TEXT];
    uint64_t slide = ms_slide(0x1025f8000, 0x100000000);
    cr_assert_eq(slide, 0x25f8000);
    cr_assert_eq(ms_slide_to_vm(0x1026020f8, slide), 0x10000a0f8);
    cr_assert_eq(ms_slide_to_rt(0x10000a0f8, slide), 0x1026020f8);
    cr_assert_str_eq(ms_slide_format(slide, text), "0x25f8000");
    slide = ms_slide(0x1000, 0x100000000);
    cr_assert_eq(ms_slide_to_vm(0x1010, slide), 0x100000010);
    cr_assert_str_eq(ms_slide_format(slide, text), "-0xfffff000");
    cr_assert_str_eq(ms_slide_format(UINT64_C(1) << 63, text), "-0x8000000000000000");
    cr_assert_str_eq(ms_slide_format(0, text), "0x0");
}

Test(paths, names)
{
    struct ms_arena arena;
    ms_arena_init(&arena, 0);
    cr_assert_str_eq(ms_path_base("/a/b.app/"), "b.app/");
    cr_assert_str_eq(ms_path_base("b"), "b");
    cr_assert(ms_path_has_suffix("/a/B.dSYM//", ".dSYM"));
    cr_assert_not(ms_path_has_suffix(".dSYM", ".dSYM"), "a suffix is no name");
    cr_assert_str_eq(ms_path_parent(&arena, "/a/b/"), "/a");
    cr_assert_str_eq(ms_path_parent(&arena, "/a"), "/");
    cr_assert_str_eq(ms_path_parent(&arena, "a"), ".");
    cr_assert_str_eq(ms_path_join(&arena, "/", "x"), "/x");
    cr_assert_str_eq(ms_path_join(&arena, "a/", "x"), "a/x");
    ms_arena_fini(&arena);
}

TestSuite(tree, .init = make_scratch, .fini = drop_scratch);

Test(tree, walks_sorted_without_appledouble_and_loops)
{
    folder("x");
    folder("x/B.dSYM");
    folder("x/B.dSYM/Contents");
    folder("x/B.dSYM/Contents/Resources");
    folder("x/B.dSYM/Contents/Resources/DWARF");
    copy("fixtures/README.md", "x/B.dSYM/Contents/Info.plist");
    copy("fixtures/README.md", "x/B.dSYM/Contents/Resources/DWARF/B");
    copy("fixtures/README.md", "x/B.dSYM/Contents/Resources/DWARF/._B");
    copy("fixtures/README.md", "x/a");
    folder("x/sub");
    copy("fixtures/README.md", "x/sub/c");
    cr_assert_eq(symlink("..", in_scratch("x/sub/loop")), 0);
    struct ms_paths paths;
    struct ms_error err;
    ms_paths_init(&paths);
    cr_assert_eq(ms_paths_collect(&paths, in_scratch("x"), MS_REACH_ALL, &err), MS_OK);
    cr_assert_eq(paths.n, 3);
    cr_assert_str_eq(paths.items[0] + strlen(scratch), "/x/B.dSYM/Contents/Resources/DWARF/B");
    cr_assert_str_eq(paths.items[1] + strlen(scratch), "/x/a");
    cr_assert_str_eq(paths.items[2] + strlen(scratch), "/x/sub/c");
    ms_paths_fini(&paths);
    ms_paths_init(&paths);
    cr_assert_eq(ms_paths_collect(&paths, in_scratch("x"), MS_REACH_BESIDE, &err), MS_OK);
    cr_assert_eq(paths.n, 2, "a plain folder beside is not entered");
    ms_paths_fini(&paths);
    ms_paths_init(&paths);
    cr_assert_eq(ms_paths_collect(&paths, in_scratch("none"), MS_REACH_ALL, &err), MS_E_IO);
    cr_assert_str_eq(err.text, "cannot be opened");
    ms_paths_fini(&paths);
}

Test(tree, catalog_finds_by_uuid)
{
    struct ms_catalog catalog;
    struct ms_error err;
    struct ms_uuid uuid;
    cr_assert(ms_uuid_parse("4C4C4411-5555-3144-A1A2-878A2053D4EB", 36, &uuid));
    ms_catalog_init(&catalog);
    cr_assert_eq(ms_catalog_add(&catalog, "fixtures", false, &err), MS_OK);
    cr_assert_gt(catalog.n, 30);
    const struct ms_catalog_entry *debug = ms_catalog_debug(&catalog, &uuid);
    const struct ms_catalog_entry *binary = ms_catalog_binary(&catalog, &uuid);
    cr_assert(debug && binary);
    cr_assert_str_eq(
        debug->path,
        "fixtures/magicnumbers/MagicNumbers.dSYM/Contents/Resources/DWARF/MagicNumbers");
    cr_assert_str_eq(binary->path, "fixtures/magicnumbers/MagicNumbers");
    uuid.byte[0] ^= 1;
    cr_assert_null(ms_catalog_any(&catalog, &uuid));
    const struct ms_catalog_entry *other =
        ms_catalog_namesake(&catalog, "MagicNumbers", &uuid, "arm64");
    cr_assert_not_null(other);
    cr_assert(other->has_dwarf, "a dSYM before a binary");
    ms_catalog_fini(&catalog);
}

Test(tree, catalog_refuses_what_was_named_and_is_no_macho)
{
    struct ms_catalog catalog;
    struct ms_error err;
    ms_catalog_init(&catalog);
    cr_assert_eq(ms_catalog_add(&catalog, "fixtures/README.md", false, &err), MS_E_FORMAT);
    cr_assert_eq(ms_catalog_add(&catalog, in_scratch("none"), false, &err), MS_E_IO);
    cr_assert_eq(ms_catalog_add(&catalog, "fixtures/c/src", false, &err), MS_OK,
                 "in a folder, other files are passed over");
    cr_assert_eq(catalog.n, 0);
    ms_catalog_fini(&catalog);
}

Test(part, chooses_a_slice)
{
    const char *const fat[] = {"fixtures/c/fat/deep"};
    struct ms_part part;
    struct ms_error err;
    cr_assert_eq(ms_part_choose(&part, fat, 1, "deep", NULL, NULL, &err), MS_E_ARGUMENT);
    cr_assert_str_eq(err.text, "has several slices (x86_64, arm64): choose one with -arch");
    cr_assert_eq(ms_part_choose(&part, fat, 1, "deep", "armv7", NULL, &err), MS_ABSENT);
    cr_assert_str_eq(err.text, "has no armv7 slice; it has x86_64, arm64");
    cr_assert_eq(ms_part_choose(&part, fat, 1, "deep", "arm64", NULL, &err), MS_OK);
    cr_assert_eq(part.macho.cputype, (uint32_t)MS_CPU_ARM64);
    struct ms_uuid uuid = part.macho.uuid;
    ms_part_close(&part);
    cr_assert_eq(ms_part_choose(&part, fat, 1, "deep", "x86_64", &uuid, &err), MS_OK);
    cr_assert_eq(part.macho.cputype, (uint32_t)MS_CPU_ARM64, "a UUID decides before -arch");
    ms_part_close(&part);
    uuid.byte[3] ^= 1;
    cr_assert_eq(ms_part_open_uuid(&part, fat[0], &uuid, &err), MS_ABSENT);
    ms_part_close(&part);
}

Test(image, finds_the_dsym_beside_its_binary)
{
    struct ms_image_choice choice = {.path = "fixtures/c/dwarf5/deep"};
    struct ms_image *image = NULL;
    struct ms_image_info info;
    struct ms_error err;
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK);
    ms_image_info(image, &info);
    cr_assert_str_eq(info.name, "deep");
    cr_assert_str_eq(info.arch, "arm64");
    cr_assert_str_eq(info.debug_path,
                     "fixtures/c/dwarf5/deep.dSYM/Contents/Resources/DWARF/deep");
    cr_assert_eq(info.text_vm, 0x100000000);
    cr_assert_null(info.mismatch_path);
    ms_image_close(image);
}

Test(image, never_uses_a_dsym_of_another_build)
{
    struct ms_image_choice choice = {.path = "fixtures/c/mismatch/deep"};
    struct ms_image *image = NULL;
    struct ms_image_info info;
    struct ms_error err;
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK);
    ms_image_info(image, &info);
    cr_assert_null(info.debug_path);
    cr_assert_str_eq(info.mismatch_path,
                     "fixtures/c/mismatch/deep.dSYM/Contents/Resources/DWARF/deep");
    cr_assert_not(ms_uuid_equal(&info.uuid, &info.mismatch_uuid));
    ms_image_close(image);
}

Test(image, opens_a_dsym_with_the_binary_beside_it)
{
    struct ms_image_choice choice = {.path = "fixtures/c/dwarf5/deep.dSYM/"};
    struct ms_image *image = NULL;
    struct ms_image_info info;
    struct ms_error err;
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK);
    ms_image_info(image, &info);
    cr_assert_str_eq(info.binary_path, "fixtures/c/dwarf5/deep");
    ms_image_close(image);
}

Test(image, names_nothing_in_a_plain_folder)
{
    struct ms_image_choice choice = {.path = "fixtures/c"};
    struct ms_image *image = NULL;
    struct ms_error err;
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "is a folder: name the binary, the bundle or the dSYM in it");
}

TestSuite(bundles, .init = make_scratch, .fini = drop_scratch);

Test(bundles, of_an_xcframework_find_each_other)
{
    /* Xcode puts the dSYMs of a library into a folder beside the framework. */
    folder("deep.framework");
    folder("dSYMs");
    folder("dSYMs/deep.framework.dSYM");
    folder("dSYMs/deep.framework.dSYM/Contents");
    folder("dSYMs/deep.framework.dSYM/Contents/Resources");
    folder("dSYMs/deep.framework.dSYM/Contents/Resources/DWARF");
    copy("fixtures/c/dwarf5/deep", "deep.framework/deep");
    copy("fixtures/c/dwarf5/deep.dSYM/Contents/Resources/DWARF/deep",
         "dSYMs/deep.framework.dSYM/Contents/Resources/DWARF/deep");
    const char *const names[] = {"deep.framework", "deep.framework/deep",
                                 "dSYMs/deep.framework.dSYM"};
    for (size_t i = 0; i < 3; i++) {
        struct ms_image_choice choice = {.path = in_scratch(names[i])};
        struct ms_image *image = NULL;
        struct ms_image_info info;
        struct ms_error err;
        cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK, "%s", names[i]);
        ms_image_info(image, &info);
        cr_assert(info.has_dwarf && info.binary_path && info.debug_path, "%s", names[i]);
        ms_image_close(image);
    }
}

Test(bundles, app_framework_and_archive)
{
    struct ms_image *image = NULL;
    struct ms_image_info info;
    struct ms_error err;
    folder("A.xcarchive");
    folder("A.xcarchive/dSYMs");
    char command[1200];
    snprintf(command, sizeof command,
             "cp -r fixtures/c/dwarf5/deep.dSYM '%s/A.xcarchive/dSYMs/Deep.app.dSYM'", scratch);
    cr_assert_eq(system(command), 0);
    folder("A.xcarchive/Products");
    folder("A.xcarchive/Products/Applications");
    folder("A.xcarchive/Products/Applications/Deep.app");
    /* The binary has another name than the bundle: it is the only executable in it. */
    copy("fixtures/c/dwarf5/deep", "A.xcarchive/Products/Applications/Deep.app/deep");
    copy("fixtures/README.md", "A.xcarchive/Products/Applications/Deep.app/Info.plist");
    struct ms_image_choice choice = {.path = in_scratch("A.xcarchive")};
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK, "%s", err.text);
    ms_image_info(image, &info);
    cr_assert_not_null(info.debug_path);
    cr_assert(strstr(info.debug_path, "/dSYMs/Deep.app.dSYM/"));
    ms_image_close(image);

    folder("F.framework");
    folder("F.framework/Versions");
    folder("F.framework/Versions/A");
    copy("fixtures/c/dylib/libdeep.dylib", "F.framework/Versions/A/F");
    choice.path = in_scratch("F.framework");
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK, "%s", err.text);
    ms_image_close(image);
    choice.path = in_scratch("A.xcarchive/Products/Applications/Deep.app");
    copy("fixtures/c/dwarf4/deep", "A.xcarchive/Products/Applications/Deep.app/other");
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_E_ARGUMENT);
    cr_assert_str_eq(err.text, "holds several executables: name the one that is meant");
}
