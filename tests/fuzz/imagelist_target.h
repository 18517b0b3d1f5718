/*
 * The body that the targets of image lists share: one reader on the text, then the way that
 * users take, by content. What must hold of every list is checked.
 */
#ifndef MS_FUZZ_IMAGELIST_TARGET_H
#define MS_FUZZ_IMAGELIST_TARGET_H

#include "report/imagelist_build.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_image(const struct ms_loaded_image *image)
{
    if (image->ambiguous && !image->has_load && !image->has_slide)
        abort();
    if (image->path && !image->name)
        abort();
    if (image->path && strlen(image->path) < strlen(image->name))
        abort();
    (void)ms_image_path_matches(image->path, "/Users/x/Widget.app/Widget");
    (void)ms_image_path_matches(image->path, "Widget");
}

static int run_reader(const uint8_t *data, size_t size, void (*reader)(struct ms_list_build *))
{
    struct ms_list_build build = {.text = {data, size}};
    ms_arena_init(&build.arena, 0);
    reader(&build);
    if (build.failed || build.n > size)
        abort();
    for (size_t i = 0; i < build.n; i++)
        check_image(&build.items[i]);
    ms_arena_fini(&build.arena);
    free(build.items);

    struct ms_image_list list;
    struct ms_error err;
    if (ms_image_list_parse((struct ms_bytes){data, size}, "fuzz", &list, &err) != MS_OK)
        return 0;
    if (!list.n || list.n > size)
        abort();
    for (size_t i = 0; i < list.n; i++)
        check_image(&list.items[i]);
    ms_image_list_fini(&list);
    return 0;
}

#endif
