/*
 * Any bytes as a Mach-O, or an image and the object file that all names of its debug map lead to:
 * the image's length in four bytes, little-endian, the image, the object. The symbols of a slice
 * are merged from all sources or from some, and written in one form; which is up to the input.
 * Whatever the file says, symbols are in order, each in one region, and each line of the answer is
 * one symbol.
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

/* Files are what the library opens; these are in memory where that can be had. */
static const char *put(const char *name, const uint8_t *data, size_t size)
{
    static char paths[2][64];
    char *path = paths[name[0] == 'o'];
    if (!path[0]) {
        struct stat st;
        const char *folder = stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp";
        snprintf(path, sizeof paths[0], "%s/machsym-fuzz-%s-%ld", folder, name, (long)getpid());
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

static void write_tree(const struct ms_symbol_tree *tree, unsigned dice)
{
    struct ms_tree_result result;
    struct ms_error err;
    size_t lines = 0;
    struct ms_sink sink = {.write = count, .to = &lines};
    struct ms_tree_style style = {.mangled = dice & 1, .full_path = dice & 2, .indent = dice % 5};
    if (dice % 3 == 1 && tree->n_symbols) {
        style.has_address = true;
        style.address_vm = tree->symbols[dice / 16 % tree->n_symbols].vm;
    } else if (dice % 3 == 2) {
        style.glob = dice & 4 ? "a*?b" : "_*";
    }
    if (dice & 8) {
        struct ms_json json;
        ms_json_init(&json, &sink, 0);
        (void)ms_symbol_tree_write_json(tree, &style, &json, &result, &err);
        return;
    }
    if (dice & 16) {
        (void)ms_symbol_tree_write(tree, &style, &sink, &result, &err);
        return;
    }
    style.no_sources = true;
    style.no_regions = true;
    if (ms_symbol_tree_write(tree, &style, &sink, &result, &err) != MS_OK)
        return;
    if (lines != result.n_shown || (!style.glob && !style.has_address && lines != tree->n_symbols))
        abort();
}

static void read_slice(const struct ms_image_choice *choice, const char *object, unsigned dice)
{
    static const struct ms_tree_sources wanted[] = {
        {true, true, true, true, true, true},      {true, true, true, true, true, false},
        {true, false, false, false, false, false}, {false, true, true, false, false, true},
        {false, false, true, false, true, false},  {true, true, false, true, false, true},
    };
    const struct ms_path_prefix prefixes[] = {{"/obj", object}, {"", "/none"}};
    struct ms_object_search search = {prefixes, 2, NULL};
    struct ms_image *image;
    struct ms_symbol_tree tree;
    struct ms_error err;
    if (ms_image_open(choice, &image, &err) != MS_OK)
        return;
    ms_image_set_object_search(image, &search);
    if (ms_symbol_tree_read(image, &wanted[dice / 32 % 6], &tree, &err) == MS_OK) {
        check(&tree);
        write_tree(&tree, dice);
        ms_symbol_tree_fini(&tree);
    }
    ms_image_close(image);
}

/* Cuts a pair apart; false for what isn't one. */
static bool cut(const uint8_t **data, size_t *size, struct ms_bytes *object)
{
    const uint8_t *at = *data;
    if (*size < 5 || at[3])
        return false;
    size_t n = at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16;
    if (!n || n > *size - 4)
        return false;
    *object = (struct ms_bytes){at + 4 + n, *size - 4 - n};
    *data = at + 4;
    *size = n;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_slice_uuid *slices;
    struct ms_error err;
    struct ms_bytes object = {NULL, 0};
    const char *object_path = "/none";
    size_t n;
    unsigned dice = (unsigned)size;
    for (size_t i = 0; i < size; i += 1 + size / 64)
        dice = dice * 31 + data[i];
    dice ^= dice >> 13;
    if (cut(&data, &size, &object))
        object_path = put("object", object.at, object.n);
    const char *path = put("image", data, size);
    if (ms_slice_uuids_read(path, &slices, &n, &err) != MS_OK)
        return 0;
    size_t i = n > 1 ? dice % n : 0; /* slices are read alike */
    struct ms_image_choice choice = {path, slices[i].has_uuid ? NULL : slices[i].arch,
                                     slices[i].has_uuid ? &slices[i].uuid : NULL, true};
    read_slice(&choice, object_path, dice);
    ms_slice_uuids_free(slices, n);
    return 0;
}
