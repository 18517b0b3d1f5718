/*
 * Any bytes as a Mach-O: the symbols of each slice merged from all sources and from some, and
 * written. Whatever the file says, symbols are in order, each in one region, and each line of the
 * answer is one symbol.
 */
#include "machsym/symbols.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Files are what the library opens; this one is in memory where that can be had. */
static const char *put(const uint8_t *data, size_t size)
{
    static char path[64];
    if (!path[0]) {
        struct stat st;
        const char *folder = stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp";
        snprintf(path, sizeof path, "%s/machsym-fuzz-%ld", folder, (long)getpid());
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
    return path;
}

static bool count(void *to, const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        *(size_t *)to += bytes[i] == '\n';
    return true;
}

static void check(const struct ms_symbol_tree *tree)
{
    size_t in_regions = tree->n_outside;
    for (size_t i = 1; i < tree->n_symbols; i++)
        if (tree->symbols[i - 1].vm > tree->symbols[i].vm)
            abort();
    for (size_t i = 1; i < tree->n_lines; i++)
        if (tree->lines[i - 1].vm > tree->lines[i].vm)
            abort();
    for (size_t i = 0; i < tree->n_lines; i++)
        if (tree->lines[i].file >= tree->n_files)
            abort();
    for (size_t i = 0; i < tree->n_regions; i++)
        in_regions += tree->regions[i].n;
    if (in_regions != tree->n_symbols)
        abort();
}

static void write_tree(const struct ms_symbol_tree *tree, struct ms_tree_style style)
{
    struct ms_tree_result result;
    struct ms_error err;
    size_t lines = 0;
    struct ms_sink sink = {count, &lines, false};
    style.no_sources = true;
    style.no_regions = true;
    if (ms_symbol_tree_write(tree, &style, &sink, &result, &err) != MS_OK)
        return;
    if (lines != result.n_shown || (!style.glob && !style.has_address && lines != tree->n_symbols))
        abort();
    style.no_sources = style.no_regions = false;
    struct ms_json json;
    ms_json_init(&json, &sink, 0);
    ms_symbol_tree_write_json(tree, &style, &json, &result, &err);
    ms_symbol_tree_write(tree, &style, &sink, &result, &err);
}

static void read_slice(const struct ms_image_choice *choice)
{
    static const struct ms_tree_sources wanted[] = {
        {true, true, true, true, true},
        {true, false, false, false, false},
        {false, true, true, false, false},
    };
    struct ms_image *image;
    struct ms_error err;
    if (ms_image_open(choice, &image, &err) != MS_OK)
        return;
    for (int i = 0; i < 3; i++) {
        struct ms_symbol_tree tree;
        if (ms_symbol_tree_read(image, &wanted[i], &tree, &err) != MS_OK)
            continue;
        check(&tree);
        write_tree(&tree, (struct ms_tree_style){.mangled = i == 1, .full_path = true});
        if (tree.n_symbols)
            write_tree(&tree,
                       (struct ms_tree_style){.has_address = true,
                                              .address_vm = tree.symbols[tree.n_symbols / 2].vm});
        write_tree(&tree, (struct ms_tree_style){.glob = "a*?b"});
        ms_symbol_tree_fini(&tree);
    }
    ms_image_close(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_slice_uuid *slices;
    struct ms_error err;
    size_t n;
    const char *path = put(data, size);
    if (ms_slice_uuids_read(path, &slices, &n, &err) != MS_OK)
        return 0;
    for (size_t i = 0; i < n && i < 4; i++) {
        struct ms_image_choice choice = {path, slices[i].has_uuid ? NULL : slices[i].arch,
                                         slices[i].has_uuid ? &slices[i].uuid : NULL, true};
        read_slice(&choice);
    }
    ms_slice_uuids_free(slices, n);
    return 0;
}
