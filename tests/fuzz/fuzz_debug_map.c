/*
 * An image with a debug map and one object file or archive, which all its names of objects lead
 * to: the map read whole and for one address, joined with the object, and addresses looked up
 * in it at once and one by one. The input is the image's length in four bytes, little-endian, the
 * image, the object.
 */
#include "macho/debug_map.h"
#include "machsym/image.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_ADDRESSES = 24 };

static const char *folder(void)
{
    struct stat st;
    return stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp";
}

static void put(const char *path, const uint8_t *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    close(fd);
}

/* One address in one pass gives what the whole map has: the first of the functions that hold it. */
static void compare(const struct ms_macho *macho, const struct ms_debug_map *map, uint64_t at)
{
    struct ms_map_function one;
    bool found = ms_debug_map_function_at(macho, at, &one) == MS_OK;
    for (size_t i = 0; i < map->n_symbols; i++) {
        const struct ms_map_symbol *s = &map->symbols[i];
        if (s->kind != MS_MAP_FUNCTION || at < s->vm || at - s->vm >= s->bytes)
            continue;
        if (!found || one.symbol.vm != s->vm || one.symbol.name != s->name ||
            one.object.path != map->objects[s->object].path)
            abort();
        return;
    }
    if (found)
        abort();
}

static void read_map(struct ms_bytes bytes, const struct ms_object_search *search)
{
    struct ms_macho macho;
    struct ms_debug_map map;
    struct ms_linked_map linked;
    struct ms_error err;
    if (ms_macho_parse(bytes, "fuzz", &macho, &err) != MS_OK)
        return;
    if (ms_debug_map_read(&macho, &map, &err) == MS_OK) {
        for (size_t i = 0; i < map.n_symbols && i < 16; i++) {
            compare(&macho, &map, map.symbols[i].vm);
            compare(&macho, &map, map.symbols[i].vm + map.symbols[i].bytes);
        }
        ms_debug_map_fini(&map);
    }
    if (ms_linked_map_read(&macho, search, &linked, &err) == MS_OK) {
        for (size_t i = 0; i < linked.n_objects; i++)
            for (size_t k = 1; k < linked.objects[i].n_symbols; k++)
                if (strcmp(linked.objects[i].symbols[k - 1].name,
                           linked.objects[i].symbols[k].name) >= 0)
                    abort();
        ms_linked_map_fini(&linked);
    }
    ms_macho_fini(&macho);
}

static void same(const struct ms_answer *a, const struct ms_answer *b)
{
    if (a->n_frames != b->n_frames)
        abort();
    for (size_t i = 0; i < a->n_frames; i++)
        if (a->frames[i].line != b->frames[i].line || a->frames[i].source != b->frames[i].source ||
            a->frames[i].inlined != b->frames[i].inlined)
            abort();
}

static void look_up(const char *path, const struct ms_object_search *search)
{
    struct ms_image *image, *single;
    struct ms_image_choice choice = {path, NULL, NULL, true};
    struct ms_error err;
    if (ms_image_open(&choice, &image, &err) != MS_OK)
        return;
    if (ms_image_open(&choice, &single, &err) != MS_OK)
        abort();
    ms_image_set_object_search(image, search);
    ms_image_set_object_search(single, search);
    struct ms_image_info info;
    ms_image_info(image, &info);
    uint64_t addresses[N_ADDRESSES];
    uint64_t span = info.end_vm > info.text_vm ? info.end_vm - info.text_vm : 1;
    for (int i = 0; i < N_ADDRESSES; i++)
        addresses[i] =
            info.text_vm + (i < 12 ? 0x100 + 4u * (unsigned)i : span / N_ADDRESSES * (unsigned)i);
    struct ms_answers many, one;
    memset(&one, 0, sizeof one);
    if (ms_image_find_many(image, addresses, N_ADDRESSES, &many, &err) == MS_OK) {
        for (int i = 0; i < N_ADDRESSES; i++) {
            if (ms_image_find(single, addresses[i], &one, &err) != MS_OK)
                break;
            same(&many.items[i], &one.items[0]);
        }
        ms_answers_fini(&one);
        ms_answers_fini(&many);
    }
    ms_image_close(image);
    ms_image_close(single);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char image_path[64], object_path[64];
    if (size < 5)
        return 0;
    size_t n = data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16;
    data += 4;
    size -= 4;
    if (n == 0 || n > size || data[-1])
        return 0;
    snprintf(image_path, sizeof image_path, "%s/machsym-fuzz-map-%ld", folder(), (long)getpid());
    snprintf(object_path, sizeof object_path, "%s/machsym-fuzz-obj-%ld", folder(), (long)getpid());
    put(image_path, data, n);
    put(object_path, data + n, size - n);
    const struct ms_path_prefix prefixes[] = {{"/obj", object_path}, {"", "/none"}};
    struct ms_object_search search = {prefixes, 2, NULL};
    struct ms_bytes image = {data, n};
    read_map(image, &search);
    look_up(image_path, &search);
    unlink(image_path);
    unlink(object_path);
    return 0;
}
