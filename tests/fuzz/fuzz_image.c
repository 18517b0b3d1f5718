/*
 * The whole way from a file to answers: any bytes as a Mach-O, fat or thin, every slice
 * opened, addresses all over it looked up in one batch and one by one. The two ways must
 * agree, since they read the same debug information.
 */
#include "machsym/image.h"
#include "machsym/symbolize.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { N_ADDRESSES = 24 };

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

static void same(const struct ms_answer *a, const struct ms_answer *b)
{
    if (a->n_frames != b->n_frames)
        abort();
    for (size_t i = 0; i < a->n_frames; i++) {
        const struct ms_frame *x = &a->frames[i], *y = &b->frames[i];
        if (x->line != y->line || x->column != y->column || x->inlined != y->inlined ||
            x->source != y->source)
            abort();
        if ((x->linkage && y->linkage && strcmp(x->linkage, y->linkage) != 0) ||
            (x->name && y->name && strcmp(x->name, y->name) != 0))
            abort();
    }
}

static void look_up(struct ms_image *image)
{
    struct ms_image_info info;
    struct ms_error err;
    ms_image_info(image, &info);
    uint64_t addresses[N_ADDRESSES];
    uint64_t span = info.end_vm > info.text_vm ? info.end_vm - info.text_vm : 1;
    for (int i = 0; i < N_ADDRESSES; i++)
        addresses[i] = info.text_vm + span / N_ADDRESSES * (unsigned)i + (unsigned)i % 3;
    struct ms_answers many, one;
    memset(&one, 0, sizeof one);
    if (ms_image_find_many(image, addresses, N_ADDRESSES, &many, &err) != MS_OK)
        return;
    struct ms_show_pool *pool;
    struct ms_show_style style = {true, false, 0};
    if (ms_show_pool_open(&pool, &err) != MS_OK)
        abort();
    for (int i = 0; i < N_ADDRESSES; i++) {
        struct ms_shown shown;
        if (ms_show(pool, &many.items[i], &style, 1, 0, &shown, &err) != MS_OK)
            abort();
        if (ms_image_find(image, addresses[i], &one, &err) != MS_OK)
            abort();
        same(&many.items[i], &one.items[0]);
    }
    ms_show_pool_close(pool);
    ms_answers_fini(&one);
    ms_answers_fini(&many);
    struct ms_image_check check;
    ms_image_check(image, &check, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    const char *path = put(data, size);
    struct ms_slice_uuid *slices = NULL;
    size_t n = 0;
    struct ms_error err;
    if (ms_slice_uuids_read(path, &slices, &n, &err) == MS_OK) {
        for (size_t i = 0; i < n && i < 4; i++) {
            struct ms_image *image = NULL;
            struct ms_image_choice choice = {path, slices[i].arch,
                                             slices[i].has_uuid ? &slices[i].uuid : NULL, true};
            if (ms_image_open(&choice, &image, &err) == MS_OK) {
                look_up(image);
                ms_image_close(image);
            }
        }
        ms_slice_uuids_free(slices, n);
    }
    unlink(path);
    return 0;
}
