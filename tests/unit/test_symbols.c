/* resolve/symbol_tree, render/symbols: what the sources of an image come to together. */
#include "unit/macho_builder.h"

#include "base/text.h"
#include "machsym/symbols.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool to_text(void *to, const char *bytes, size_t n)
{
    ms_text_add(to, bytes, n);
    return true;
}

static char scratch[] = "/tmp/machsym-symbols.XXXXXX";
static const struct ms_tree_sources all = {true, true, true, true, true, true};

static void make_scratch(void)
{
    int fd = mkstemp(scratch);
    cr_assert(fd >= 0);
    close(fd);
}

static void drop_scratch(void)
{
    unlink(scratch);
}

/* Opens what was built, cut after n bytes; NULL when it is no image. */
static struct ms_image *open_bytes(const struct build *b, size_t n)
{
    FILE *f = fopen(scratch, "wb");
    cr_assert(f && fwrite(b->at, 1, n, f) == n && fclose(f) == 0);
    struct ms_image_choice choice = {scratch, NULL, NULL, true};
    struct ms_image *image;
    struct ms_error err;
    return ms_image_open(&choice, &image, &err) == MS_OK ? image : NULL;
}

static void read_tree(struct ms_image *image, const struct ms_tree_sources *sources,
                      struct ms_symbol_tree *tree)
{
    struct ms_error err;
    cr_assert_eq(ms_symbol_tree_read(image, sources, tree, &err), MS_OK);
    for (size_t i = 1; i < tree->n_symbols; i++)
        cr_assert(tree->symbols[i - 1].vm <= tree->symbols[i].vm);
}

/* What is written of it, mangled as it stands. */
static void check(struct image *image, const struct ms_tree_sources *sources,
                  struct ms_tree_style style, const char *expected)
{
    struct build b = finish_image(image);
    struct ms_image *opened = open_bytes(&b, b.n);
    struct ms_symbol_tree tree;
    struct ms_tree_result result;
    struct ms_error err;
    struct ms_text out;
    struct ms_sink sink = {.write = to_text, .to = &out};
    ms_text_init(&out, (size_t)1 << 30);
    cr_assert_not_null(opened);
    read_tree(opened, sources, &tree);
    style.mangled = true;
    cr_assert_eq(ms_symbol_tree_write(&tree, &style, &sink, &result, &err), MS_OK);
    cr_assert_str_eq(out.at ? out.at : "", expected);
    cr_assert_eq(tree.n_broken, 0, "%s", tree.first_fault.text);
    ms_text_fini(&out);
    ms_symbol_tree_fini(&tree);
    ms_image_close(opened);
    build_free(&b);
}

static struct image begin(uint32_t cputype)
{
    bool is64 = (cputype & MS_CPU_64) != 0;
    struct image image = begin_image(is64, false, cputype, 0, MS_MH_DYLIB, 0x1000);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x1100, 0x100, 0x800, CODE);
    put_section(&image.b, image.segment, "__const", "__TEXT", 0x1200, 0x80, 0, 0);
    return image;
}

Test(symbol_tree, sources_are_merged, .init = make_scratch, .fini = drop_scratch)
{
    struct image image = begin(MS_CPU_ARM64);
    add_symbol(&image, "_data", 0xe, 2, 0, 0x1210);
    add_symbol(&image, "-[A b]", 0xe, 1, 0, 0x1140);
    add_symbol(&image, "_first", 0xf, 1, 0, 0x1100);
    add_symbol(&image, "_alias", 0x1f, 1, 0, 0x1100);
    add_symbol(&image, "_first", 0xf, 1, 0, 0x1100); /* twice the same */
    add_symbol(&image, "__mh_dylib_header", 0x1e, 1, 0, 0x1000);
    add_symbol(&image, "_end", 0xf, 2, 0, 0x1280);
    add_symbol(&image, "_absolute", 3, 0, 0, 0x1110);
    add_symbol(&image, "_undefined", 1, 0, 0, 0);
    put_uleb(&image.starts, 0x100);
    put_uleb(&image.starts, 0x40);
    put_uleb(&image.starts, 0x20);
    put_uleb(&image.starts, 0);
    check(&image, &all, (struct ms_tree_style){0},
          "        0x0000000000001000 ( 0x10000) __TEXT SEGMENT\n"
          "            0x0000000000001000 (   0x100) MACH_HEADER\n"
          "                0x0000000000001000 (   0x100) __mh_dylib_header [PEXT, NameNList, "
          "MangledNameNList, NList] \n"
          "            0x0000000000001100 (   0x100) __TEXT __text\n"
          "                0x0000000000001100 (    0x40) _first [FUNC, EXT, NameNList, "
          "MangledNameNList, Merged, NList, FunctionStarts] \n"
          "                0x0000000000001100 (    0x40) _alias [FUNC, PEXT, NameNList, "
          "MangledNameNList, NList] \n"
          "                0x0000000000001140 (    0x20) -[A b] [FUNC, OBJC, NameNList, "
          "MangledNameNList, Merged, NList, FunctionStarts] \n"
          "                0x0000000000001160 (    0xa0) null [FUNC, FunctionStarts] \n"
          "            0x0000000000001200 (    0x80) __TEXT __const\n"
          "                0x0000000000001210 (    0x70) _data [NameNList, MangledNameNList, "
          "NList] \n"
          "                0x0000000000001280 (     0x0) _end [EXT, NameNList, MangledNameNList, "
          "NList] \n");
}

Test(symbol_tree, thumb_and_32_bits, .init = make_scratch, .fini = drop_scratch)
{
    struct image image = begin(MS_CPU_ARM);
    add_symbol(&image, "_f", 0xf, 1, 8, 0x1101);
    put_uleb(&image.starts, 0x101);
    put_uleb(&image.starts, 0x10);
    put_uleb(&image.starts, 0);
    check(&image, &all, (struct ms_tree_style){.no_regions = true},
          "                0x00001100 (    0x10) _f [FUNC, THUMB, EXT, NameNList, "
          "MangledNameNList, Merged, NList, FunctionStarts] \n"
          "                0x00001110 (    0xf0) null [FUNC, THUMB, FunctionStarts] \n");
}

Test(symbol_tree, one_source, .init = make_scratch, .fini = drop_scratch)
{
    const struct ms_tree_sources starts = {.starts = true};
    struct image image = begin(MS_CPU_ARM64);
    add_symbol(&image, "_f", 0xf, 1, 0, 0x1100);
    put_uleb(&image.starts, 0x100);
    put_uleb(&image.starts, 0);
    check(&image, &starts, (struct ms_tree_style){.no_regions = true},
          "                0x0000000000001100 (   0x100) null [FUNC, FunctionStarts] \n");
}

Test(symbol_tree, look_up, .init = make_scratch, .fini = drop_scratch)
{
    for (int i = 0; i < 2; i++) {
        struct image image = begin(MS_CPU_ARM64);
        add_symbol(&image, "_one", 0xf, 1, 0, 0x1100);
        add_symbol(&image, "_two", 0xf, 1, 0, 0x1110);
        struct ms_tree_style style = {
            .has_address = i == 0, .address_vm = 0x110f, .glob = i ? "o*e" : NULL};
        check(&image, &all, style,
              i ? "            0x0000000000001100 (   0x100) __TEXT __text\n"
                  "                0x0000000000001100 (    0x10) _one [FUNC, EXT, NameNList, "
                  "MangledNameNList, NList] \n"
                : "        0x0000000000001000 ( 0x10000) __TEXT SEGMENT\n"
                  "            0x0000000000001100 (   0x100) __TEXT __text\n"
                  "                0x0000000000001100 (    0x10) _one [FUNC, EXT, NameNList, "
                  "MangledNameNList, NList] \n");
    }
}

Test(symbol_tree, indented, .init = make_scratch, .fini = drop_scratch)
{
    struct image image = begin(MS_CPU_ARM64);
    add_symbol(&image, "_one", 0xf, 1, 0, 0x1100);
    struct ms_tree_style style = {.glob = "one", .indent = 1};
    check(&image, &all, style,
          "             0x0000000000001100 (   0x100) __TEXT __text\n"
          "                 0x0000000000001100 (   0x100) _one [FUNC, EXT, NameNList, "
          "MangledNameNList, NList] \n");
}

Test(symbol_tree, exports_of_a_stripped_image, .init = make_scratch, .fini = drop_scratch)
{
    struct image image = begin(MS_CPU_ARM64);
    put_bytes(&image.trie, "\0\1_f\0\6\0", 7);
    put_bytes(&image.trie, "\3\0\x80\2\0", 5); /* at offset 7: 0x100 behind the header */
    image.trie.at[5] = 7;
    check(&image, &all, (struct ms_tree_style){.no_regions = true},
          "                0x0000000000001100 (   0x100) _f [FUNC, EXT, NameExport] \n");
}

/* Many names of one address are found by an index, each once. */
Test(symbol_tree, many_aliases, .init = make_scratch, .fini = drop_scratch)
{
    struct image image = begin(MS_CPU_ARM64);
    char name[16];
    for (int i = 0; i < 400; i++) {
        snprintf(name, sizeof name, "_f%d", i % 150);
        add_symbol(&image, name, 0xf, 1, 0, 0x1100);
    }
    struct build b = finish_image(&image);
    struct ms_image *opened = open_bytes(&b, b.n);
    struct ms_symbol_tree tree;
    read_tree(opened, &all, &tree);
    cr_assert_eq(tree.n_symbols, 150);
    cr_assert_eq(tree.n_nlist, 400);
    for (size_t i = 0; i < tree.n_symbols; i++)
        cr_assert_eq(tree.symbols[i].bytes, 0x100);
    ms_symbol_tree_fini(&tree);
    ms_image_close(opened);
    build_free(&b);
}

Test(symbol_tree, without_regions_no_end_is_made_up, .init = make_scratch, .fini = drop_scratch)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    size_t at = begin_command(&b, 2);
    put_u32(&b, 56);
    put_u32(&b, 2);
    put_u32(&b, 56 + 32);
    put_u32(&b, 6);
    end_command(&b, at);
    pad_to(&b, 56);
    for (unsigned i = 0; i < 2; i++) {
        put_u32(&b, 1);
        put_u8(&b, MS_N_SECT | MS_N_EXT);
        put_u8(&b, 1);
        put_u16(&b, 0);
        put_u64(&b, 0x4000 + 0x10 * i);
    }
    put_bytes(&b, "\0_abc", 6);
    struct ms_image *image = open_bytes(&b, b.n);
    struct ms_symbol_tree tree;
    cr_assert_not_null(image);
    read_tree(image, &all, &tree);
    cr_assert_eq(tree.n_symbols, 2);
    cr_assert_eq(tree.symbols[0].bytes, 0x10);
    cr_assert_eq(tree.symbols[1].bytes, 0);
    ms_symbol_tree_fini(&tree);
    ms_image_close(image);
    build_free(&b);
}

Test(symbol_tree, a_name_outside_is_told, .init = make_scratch, .fini = drop_scratch)
{
    struct image image = begin(MS_CPU_ARM64);
    put_nlist(&image.nlist, 0x7fffffff, 0xf, 1, 0, 0x1100);
    image.n_nlist++;
    struct build b = finish_image(&image);
    struct ms_image *opened = open_bytes(&b, b.n);
    struct ms_symbol_tree tree;
    read_tree(opened, &all, &tree);
    cr_assert_eq(tree.n_symbols, 1);
    cr_assert_null(tree.symbols[0].name);
    cr_assert_eq(tree.n_broken, 1);
    cr_assert_eq(tree.first_fault.status, MS_E_FORMAT);
    cr_assert_str_eq(tree.first_fault.text,
                     "1 symbols have names outside the string table of 1 bytes");
    cr_assert_eq(tree.first_fault.offset % 8, 0);
    cr_assert_eq(get_u32(&b, (size_t)tree.first_fault.offset), 0x7fffffff);
    ms_symbol_tree_fini(&tree);
    ms_image_close(opened);
    build_free(&b);
}

Test(symbol_tree, cut_anywhere, .init = make_scratch, .fini = drop_scratch)
{
    struct image image = begin(MS_CPU_ARM64);
    add_symbol(&image, "_f", 0xf, 1, 0, 0x1100);
    put_uleb(&image.starts, 0x100);
    put_uleb(&image.starts, 0);
    struct build b = finish_image(&image);
    for (size_t n = 0; n < b.n; n++) {
        struct ms_image *opened = open_bytes(&b, n);
        struct ms_symbol_tree tree;
        if (!opened)
            continue;
        read_tree(opened, &all, &tree);
        ms_symbol_tree_fini(&tree);
        ms_image_close(opened);
    }
    build_free(&b);
}

/* ---- debug maps ------------------------------------------------------------------------------ */

static const struct ms_path_prefix fixtures = {"/src", "fixtures"};

static void open_mapped(const char *path, const struct ms_object_search *search,
                        struct ms_image **image, struct ms_symbol_tree *tree)
{
    struct ms_image_choice choice = {path, NULL, NULL, true};
    struct ms_error err;
    cr_assert_eq(ms_image_open(&choice, image, &err), MS_OK);
    ms_image_set_object_search(*image, search);
    read_tree(*image, &all, tree);
}

static const struct ms_tree_symbol *named(const struct ms_symbol_tree *tree, const char *name)
{
    for (size_t i = 0; i < tree->n_symbols; i++)
        if (tree->symbols[i].name && strcmp(tree->symbols[i].name, name) == 0)
            return &tree->symbols[i];
    return NULL;
}

Test(symbol_tree, objects_of_a_debug_map)
{
    struct ms_object_search search = {&fixtures, 1, NULL};
    struct ms_image *image;
    struct ms_symbol_tree tree;
    open_mapped("fixtures/c/debugmap/deep", &search, &image, &tree);
    cr_assert_eq(tree.n_objects, 5);
    cr_assert_eq(tree.n_objects_failed, 0, "%s", tree.first_object.text);
    cr_assert_gt(tree.n_lines, 100);
    const struct ms_tree_symbol *extra = named(&tree, "_extra");
    cr_assert_not_null(extra);
    cr_assert_eq(extra->vm, 0x100000e18);
    cr_assert_eq(extra->bytes, 0x30);
    cr_assert(extra->flags & MS_TREE_DWARF && extra->flags & MS_TREE_DEBUG_MAP);
    size_t n = 0;
    for (size_t i = 0; i < tree.n_lines; i++) {
        const struct ms_tree_line *line = &tree.lines[i];
        if (line->vm < extra->vm || line->vm - extra->vm >= extra->bytes)
            continue;
        static const uint32_t expected[] = {6, 17, 6, 17};
        cr_assert_lt(n, 4);
        cr_assert_eq(line->line, expected[n++]);
        cr_assert_str_eq(tree.files[line->file].file, "extra.c");
    }
    cr_assert_eq(n, 4);
    ms_symbol_tree_fini(&tree);
    ms_image_close(image);
}

Test(symbol_tree, objects_that_are_missing)
{
    struct ms_object_search search = {NULL, 0, "/nowhere"};
    struct ms_image *image;
    struct ms_symbol_tree tree;
    open_mapped("fixtures/c/debugmap/deep", &search, &image, &tree);
    cr_assert_eq(tree.n_objects, 5);
    cr_assert_eq(tree.n_objects_failed, 5);
    cr_assert_eq(tree.first_object.status, MS_E_IO);
    cr_assert_eq(tree.n_lines + tree.n_dwarf, 0);
    cr_assert(!(named(&tree, "_extra")->flags & MS_TREE_DWARF));
    ms_symbol_tree_fini(&tree);
    ms_image_close(image);
}

/* ---- images inside others -------------------------------------------------------------------- */

Test(image_inside, part_of_a_file, .init = make_scratch, .fini = drop_scratch)
{
    struct image built = begin(MS_CPU_ARM64);
    add_symbol(&built, "_one", 0xf, 1, 0, 0x1100);
    struct build b = finish_image(&built);
    FILE *f = fopen(scratch, "wb");
    cr_assert(f && fwrite("0123456789abcdef", 1, 16, f) == 16);
    cr_assert(fwrite(b.at, 1, b.n, f) == b.n && fclose(f) == 0);
    struct ms_image_inside inside = {scratch, "a.o", 16, b.n, 0};
    struct ms_image *image;
    struct ms_image_info info;
    struct ms_symbol_tree tree;
    struct ms_error err;
    cr_assert_eq(ms_image_open_inside(&inside, &image, &err), MS_OK);
    ms_image_info(image, &info);
    cr_assert_str_eq(info.arch, "arm64");
    cr_assert_str_eq(info.binary_path, scratch);
    read_tree(image, &all, &tree);
    cr_assert_not_null(named(&tree, "_one"));
    ms_symbol_tree_fini(&tree);
    ms_image_close(image);
    inside.bytes = b.n + 1;
    cr_assert_eq(ms_image_open_inside(&inside, &image, &err), MS_E_FORMAT);
    cr_assert_null(image);
    cr_assert_str_eq(err.text, "changed while it was read");
    inside.bytes = b.n;
    inside.header_off = 4;
    cr_assert_eq(ms_image_open_inside(&inside, &image, &err), MS_E_FORMAT);
    build_free(&b);
}
