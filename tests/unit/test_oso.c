/* lib/resolve/objects, oso, linked_map: object files behind a debug map, by the fixtures. */
#include "machsym/image.h"

#include "resolve/objects.h"
#include "resolve/oso_unit.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utime.h>

static char scratch[] = "/tmp/machsym-oso.XXXXXX";

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

static void copy(const char *from, const char *name, long mtime)
{
    FILE *in = fopen(from, "rb"), *out = fopen(in_scratch(name), "wb");
    char block[4096];
    size_t n;
    cr_assert(in && out, "%s", from);
    while ((n = fread(block, 1, sizeof block, in)) > 0)
        fwrite(block, 1, n, out);
    fclose(in);
    fclose(out);
    struct utimbuf times = {mtime, mtime};
    cr_assert_eq(utime(in_scratch(name), &times), 0);
}

/* ---- paths --------------------------------------------------------------------------------- */

Test(object_path, prefixes_and_folder)
{
    const struct ms_path_prefix prefixes[] = {{"/a/b", "/x"}, {"/a", ""}, {"", "rel/"}};
    const struct {
        size_t first, n;
        const char *folder, *path, *expected;
    } cases[] = {
        {0, 0, NULL, "/a/b.o", "/a/b.o"},
        {0, 2, NULL, "/a/b/c.o", "/x/c.o"},
        {0, 2, NULL, "/a/c.o", "/c.o"},
        {0, 2, NULL, "/z/c.o", "/z/c.o"},
        {2, 1, NULL, "c.o", "rel/c.o"},
        {0, 0, "/root", "/a/b.o", "/root/a/b.o"},
        {0, 0, "/root/", "//a/b.o", "/root/a/b.o"},
        {0, 0, "root", "b.o", "root/b.o"},
        {0, 1, "/root", "/a/b/c.o", "/root/x/c.o"},
    };
    struct ms_arena arena;
    ms_arena_init(&arena, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ms_object_search search = {prefixes + cases[i].first, cases[i].n, cases[i].folder};
        cr_assert_str_eq(ms_object_path(&search, cases[i].path, &arena), cases[i].expected, "%zu",
                         i);
    }
    cr_assert_str_eq(ms_object_path(NULL, "/a.o", &arena), "/a.o");
    ms_arena_fini(&arena);
}

/* ---- objects ------------------------------------------------------------------------------- */

TestSuite(objects, .init = make_scratch, .fini = drop_scratch);

static enum ms_status open_object(const char *path, int64_t mtime, uint32_t cputype,
                                  enum ms_why *why, struct ms_error *err)
{
    struct ms_object_files files;
    struct ms_object object;
    struct ms_object_request request = {.path = path, .mtime = mtime, .cputype = cputype};
    memset(&files, 0, sizeof files);
    enum ms_status status = ms_object_open(&files, &request, &object, why, err);
    cr_assert_eq(object.is_open, status == MS_OK);
    if (status == MS_OK)
        cr_assert_eq(object.macho.filetype, MS_MH_OBJECT);
    ms_object_close(&object);
    ms_object_files_fini(&files);
    return status;
}

Test(objects, alone)
{
    struct ms_error err;
    enum ms_why why;
    copy("fixtures/c/debugmap/main.o", "a.o", 1000000000);
    cr_assert_eq(open_object(in_scratch("a.o"), 0, MS_CPU_ARM64, &why, &err), MS_OK);
    cr_assert_eq(open_object(in_scratch("a.o"), 1000000000, MS_CPU_ARM64, &why, &err), MS_OK);
    cr_assert_eq(open_object(in_scratch("a.o"), 1000000060, MS_CPU_ARM64, &why, &err), MS_ABSENT);
    cr_assert_eq(why, MS_WHY_STALE_OBJECT);
    cr_assert_str_eq(err.text, "was written at 2001-09-09 01:46:40 UTC, but the object that was "
                               "linked at 2001-09-09 01:47:40 UTC");
    cr_assert_eq(open_object(in_scratch("a.o"), 0, MS_CPU_X86_64, &why, &err), MS_ABSENT);
    cr_assert_eq(why, MS_WHY_NO_OBJECT);
    cr_assert_str_eq(err.text, "holds arm64, not the image's unknown(16777223,0)");
    copy("fixtures/c/debugmap/libextra.a", "archive.o", 1000000000);
    cr_assert_eq(open_object(in_scratch("archive.o"), 0, MS_CPU_ARM64, &why, &err), MS_ABSENT);
    cr_assert_str_eq(err.text, "is a static archive, where the debug map has an object");
    cr_assert_eq(open_object(in_scratch("none.o"), 0, MS_CPU_ARM64, &why, &err), MS_E_IO);
    cr_assert_eq(why, MS_WHY_NO_OBJECT);
    cr_assert_str_eq(err.text, "cannot be opened");
    cr_assert_eq(open_object("none/of.o", 0, MS_CPU_ARM64, &why, &err), MS_E_IO);
    cr_assert_str_eq(err.text, "cannot be opened from the current folder");
    cr_assert_eq(open_object("none/of.a(x.o)", 0, MS_CPU_ARM64, &why, &err), MS_E_IO);
    cr_assert_str_eq(err.text, "cannot be opened from the current folder");
    static const char *const LTO[] = {"/none/lto.o", "/none/lto.tmp", "/none/2.thinlto.o"};
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(open_object(LTO[i], 0, MS_CPU_ARM64, &why, &err), MS_E_IO);
        cr_assert_eq(why, MS_WHY_NO_OBJECT);
        cr_assert_str_eq(err.text, "the linker's own object, which only its option "
                                   "-object_path_lto keeps, cannot be opened");
    }
    copy("fixtures/README.md", "text.o", 0);
    cr_assert_eq(open_object(in_scratch("text.o"), 0, MS_CPU_ARM64, &why, &err), MS_E_FORMAT);
    cr_assert_eq(why, MS_WHY_BAD_DEBUG_INFO);
}

Test(objects, in_an_archive)
{
    struct ms_error err;
    enum ms_why why;
    copy("fixtures/c/debugmap/libextra.a", "libz.a", 5);
    cr_assert_eq(open_object(in_scratch("libz.a(extra.o)"), 0, MS_CPU_ARM64, &why, &err), MS_OK);
    cr_assert_eq(open_object(in_scratch("libz.a(extra.o)"), 7, MS_CPU_ARM64, &why, &err),
                 MS_ABSENT);
    cr_assert_eq(why, MS_WHY_STALE_OBJECT, "a member has a time of its own");
    cr_assert_eq(open_object(in_scratch("libz.a(other.o)"), 0, MS_CPU_ARM64, &why, &err),
                 MS_ABSENT);
    cr_assert_eq(why, MS_WHY_NO_OBJECT);
    cr_assert_str_eq(err.text, "has no member other.o");
    cr_assert_eq(open_object(in_scratch("none.a(other.o)"), 0, MS_CPU_ARM64, &why, &err), MS_E_IO);
    cr_assert_eq(why, MS_WHY_NO_OBJECT);
    copy("fixtures/README.md", "text.a", 0);
    cr_assert_eq(open_object(in_scratch("text.a(a.o)"), 0, MS_CPU_ARM64, &why, &err), MS_E_FORMAT);
    cr_assert_eq(why, MS_WHY_BAD_DEBUG_INFO);
    copy("fixtures/c/debugmap/main.o", "main(1)", 0);
    cr_assert_eq(open_object(in_scratch("main(1)"), 0, MS_CPU_ARM64, &why, &err), MS_OK,
                 "a file of that name: %s", err.text);
}

/* ---- whole images --------------------------------------------------------------------------- */

TestSuite(oso, .init = make_scratch, .fini = drop_scratch);

static const struct ms_path_prefix fixtures = {"/src", "fixtures"};

static struct ms_image *open_image(const char *path, const struct ms_object_search *search)
{
    struct ms_image *image;
    struct ms_error err;
    struct ms_image_choice choice = {path, NULL, NULL, true};
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK, "%s", err.text);
    ms_image_set_object_search(image, search);
    return image;
}

Test(oso, one_by_one_as_all_at_once)
{
    static const struct {
        const char *path;
        uint64_t low, high, step;
    } images[] = {{"fixtures/c/debugmap/deep", 0x100000500, 0x100001200, 4},
                  {"fixtures/cxx/debugmap/shapes", 0x100000700, 0x100001200, 5}};
    struct ms_object_search search = {&fixtures, 1, NULL};
    for (size_t k = 0; k < 2; k++) {
        struct ms_image *many = open_image(images[k].path, &search);
        struct ms_image *one = open_image(images[k].path, &search);
        uint64_t addresses[1024];
        size_t n = 0, n_mapped = 0;
        struct ms_answers answers, alone;
        struct ms_error err;
        for (uint64_t a = images[k].low; a < images[k].high && n < 1024; a += images[k].step)
            addresses[n++] = a;
        memset(&alone, 0, sizeof alone);
        cr_assert_eq(ms_image_find_many(many, addresses, n, &answers, &err), MS_OK);
        cr_assert_eq(answers.n_errors, 0);
        for (size_t i = 0; i < n; i++) {
            const struct ms_answer *a = &answers.items[i], *b;
            cr_assert_eq(ms_image_find(one, addresses[i], &alone, &err), MS_OK);
            b = &alone.items[0];
            cr_assert_eq(a->n_frames, b->n_frames, "0x%llx", (unsigned long long)addresses[i]);
            cr_assert_eq(a->why, b->why);
            for (size_t f = 0; f < a->n_frames; f++) {
                cr_assert_eq(a->frames[f].line, b->frames[f].line);
                cr_assert_eq(a->frames[f].source, b->frames[f].source);
                cr_assert_eq(a->frames[f].start_vm, b->frames[f].start_vm);
                n_mapped += a->frames[f].source == MS_SOURCE_DEBUG_MAP;
            }
        }
        cr_assert_gt(n_mapped, 400);
        ms_answers_fini(&alone);
        ms_answers_fini(&answers);
        ms_image_close(many);
        ms_image_close(one);
    }
}

Test(oso, a_look_up_opens_one_object)
{
    struct ms_object_search search = {&fixtures, 1, NULL};
    struct ms_image *image = open_image("fixtures/c/debugmap/deep", &search);
    struct ms_answers answers;
    struct ms_image_objects objects;
    struct ms_error err;
    const uint64_t walk = 0x1000005d8, extra = 0x100000e20;
    ms_image_objects(image, &objects);
    cr_assert_eq(objects.n_used + objects.n_failed, 0);
    cr_assert_eq(ms_image_find_many(image, &walk, 1, &answers, &err), MS_OK);
    cr_assert_str_eq(answers.items[0].frames[0].name, "walk");
    cr_assert_eq(answers.items[0].frames[0].start_vm, walk);
    cr_assert_eq(answers.items[0].frames[0].source, MS_SOURCE_DEBUG_MAP);
    ms_answers_fini(&answers);
    ms_image_objects(image, &objects);
    cr_assert_eq(objects.n_used, 1);
    cr_assert_eq(ms_image_find_many(image, &extra, 1, &answers, &err), MS_OK);
    cr_assert_str_eq(answers.items[0].frames[0].name, "half");
    cr_assert(answers.items[0].frames[0].inlined);
    cr_assert_str_eq(answers.items[0].frames[1].name, "extra");
    ms_answers_fini(&answers);
    ms_image_objects(image, &objects);
    cr_assert_eq(objects.n_used, 1);
    ms_image_close(image);
}

Test(oso, objects_that_cannot_be_used)
{
    struct ms_path_prefix prefix = {"/src/c/debugmap", scratch};
    struct ms_object_search search = {&prefix, 1, NULL};
    const uint64_t addresses[] = {0x100001010, 0x1000005d8, 0x1000010e4, 0x1000005dc, 0x100000f30};
    struct ms_answers answers;
    struct ms_image_objects objects;
    struct ms_error err;
    copy("fixtures/c/debugmap/main.o", "main.o", 0);
    copy("fixtures/c/debugmap/main.o", "list.o", 0); /* not what was linked */
    struct ms_image *image = open_image("fixtures/c/debugmap/deep", &search);
    cr_assert_eq(ms_image_find_many(image, addresses, 5, &answers, &err), MS_OK);
    cr_assert_eq(answers.items[0].why, MS_WHY_COMPLETE);
    cr_assert_eq(answers.items[0].frames[0].source, MS_SOURCE_DEBUG_MAP);
    cr_assert_eq(answers.items[1].why, MS_WHY_NO_OBJECT);
    cr_assert_str_eq(answers.items[1].frames[0].linkage, "walk", "the symbol table has it");
    cr_assert_eq(answers.items[1].frames[0].source, MS_SOURCE_NLIST);
    cr_assert_eq(answers.items[2].why, MS_WHY_STRIPPED, "its object has no debug information");
    cr_assert_eq(answers.items[3].why, MS_WHY_NO_OBJECT);
    cr_assert_eq(answers.items[4].why, MS_WHY_BAD_DEBUG_INFO);
    cr_assert_eq(answers.n_errors, 2, "an object is told of once");
    cr_assert_str_eq(answers.errors[1].text, "has no symbol _level1, which the debug map names");
    cr_assert_eq(answers.errors[0].status, MS_E_IO);
    ms_answers_fini(&answers);
    ms_image_objects(image, &objects);
    cr_assert_eq(objects.n_used, 2);
    cr_assert_eq(objects.n_failed, 1);
    cr_assert_eq(objects.why, MS_WHY_NO_OBJECT);
    ms_image_close(image);
}

/* ---- names --------------------------------------------------------------------------------- */

Test(oso_unit, names_by_scan_and_by_index)
{
    struct ms_object_files files;
    struct ms_oso_unit unit;
    struct ms_error err;
    struct ms_object_request request = {.path = "fixtures/c/debugmap/list.o",
                                        .cputype = MS_CPU_ARM64};
    memset(&files, 0, sizeof files);
    memset(&unit, 0, sizeof unit);
    cr_assert_eq(ms_oso_unit_open(&unit, &files, &request, &err), MS_OK);
    cr_assert_eq(unit.status, MS_OK);
    for (int i = 0; i < 20; i++) {
        uint64_t vm = 0;
        cr_assert_eq(ms_oso_unit_symbol(&unit, "_digest", &vm), MS_OK, "%d", i);
        cr_assert_eq(vm, 0x9c);
        cr_assert_eq(ms_oso_unit_symbol(&unit, "_diges", &vm), MS_ABSENT);
        cr_assert_eq(ms_oso_unit_symbol(&unit, "_sink", &vm), MS_ABSENT, "undefined here");
        cr_assert_eq(ms_oso_unit_symbol(&unit, "", &vm), MS_ABSENT);
    }
    cr_assert(unit.indexed);
    ms_oso_unit_fini(&unit);
    ms_object_files_fini(&files);
}
