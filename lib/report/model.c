#include "report/model.h"
#include "report/model_place.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void ms_builder_init(struct ms_report_builder *b, struct ms_bytes file, const char *name)
{
    memset(b, 0, sizeof *b);
    b->file = file;
    b->name = name;
    ms_arena_init(&b->arena, 0);
}

void ms_builder_fini(struct ms_report_builder *b)
{
    free(b->reports);
    free(b->images);
    free(b->threads);
    free(b->frames);
    ms_arena_fini(&b->arena);
    memset(b, 0, sizeof *b);
}

void ms_builder_open(struct ms_report_builder *b, enum ms_report_kind kind, size_t off)
{
    memset(&b->report, 0, sizeof b->report);
    b->report.kind = kind;
    b->report.off = off;
    b->report.crashed_thread = -1;
    b->arm64 = b->arm32 = false;
    b->n_images = b->n_threads = b->n_frames = 0;
}

struct ms_report_image *ms_builder_image(struct ms_report_builder *b)
{
    struct ms_report_image *image = &b->spare_image;
    if (b->n_images < INT32_MAX &&
        ms_array_grow(&b->images, b->n_images, &b->images_room, sizeof *b->images))
        image = &b->images[b->n_images++];
    else
        b->failed = true;
    memset(image, 0, sizeof *image);
    return image;
}

struct ms_report_thread *ms_builder_thread(struct ms_report_builder *b)
{
    struct ms_report_thread *thread = &b->spare_thread;
    if (b->n_threads < INT32_MAX &&
        ms_array_grow(&b->threads, b->n_threads, &b->threads_room, sizeof *b->threads))
        thread = &b->threads[b->n_threads++];
    else
        b->failed = true;
    memset(thread, 0, sizeof *thread);
    return thread;
}

struct ms_frame_item *ms_builder_frame(struct ms_report_builder *b, enum ms_report_place place,
                                       enum ms_report_form form)
{
    struct ms_frame_item *item = &b->spare_frame;
    if (b->n_frames < UINT32_MAX &&
        ms_array_grow(&b->frames, b->n_frames, &b->frames_room, sizeof *b->frames))
        item = &b->frames[b->n_frames++];
    else
        b->failed = true;
    memset(item, 0, sizeof *item);
    item->frame.place = place;
    item->frame.form = form;
    item->frame.image = -1;
    if (place == MS_PLACE_THREAD || place == MS_PLACE_ELIDED)
        item->frame.group = b->n_threads ? (uint32_t)(b->n_threads - 1) : 0;
    return item;
}

const char *ms_builder_copy(struct ms_report_builder *b, const char *text, size_t n)
{
    if (!text)
        return NULL;
    char *copy = ms_arena_copy(&b->arena, text, n);
    if (!copy) {
        b->failed = true;
        return NULL;
    }
    for (char *nul = copy; (nul = memchr(nul, 0, n - (size_t)(nul - copy)));)
        *nul = '?';
    return copy;
}

void ms_builder_note(struct ms_report_builder *b, const char *format, ...)
{
    char text[256];
    if (b->report.note)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    b->report.note = ms_builder_copy(b, text, strlen(text));
}

/* The arena's copy of n items, which the report keeps. */
static void *keep(struct ms_report_builder *b, const void *items, size_t n, size_t item_bytes)
{
    if (n == 0)
        return NULL;
    void *copy = ms_arena_zeroed(&b->arena, n, item_bytes);
    if (copy)
        memcpy(copy, items, n * item_bytes);
    else
        b->failed = true;
    return copy;
}

static void keep_frames(struct ms_report_builder *b)
{
    struct ms_report_frame *frames = NULL;
    if (b->n_frames)
        frames = ms_arena_zeroed(&b->arena, b->n_frames, sizeof *frames);
    if (b->n_frames && !frames) {
        b->failed = true;
        return;
    }
    for (size_t i = 0; i < b->n_frames; i++)
        frames[i] = b->frames[i].frame;
    b->report.frames = frames;
    b->report.n_frames = b->n_frames;
}

enum ms_status ms_builder_close(struct ms_report_builder *b, size_t end, struct ms_error *err)
{
    if (!b->failed)
        ms_builder_place(b);
    struct ms_report *report = &b->report;
    for (size_t i = 0; i < b->n_threads && report->crashed_thread < 0; i++)
        if (b->threads[i].crashed)
            report->crashed_thread = (int32_t)i;
    if (!b->failed) {
        report->bytes = end - report->off;
        report->images = keep(b, b->images, b->n_images, sizeof *b->images);
        report->n_images = b->n_images;
        report->threads = keep(b, b->threads, b->n_threads, sizeof *b->threads);
        report->n_threads = b->n_threads;
        keep_frames(b);
    }
    if (b->failed || !MS_PUSH(b->reports, b->n_reports, b->reports_room, *report)) {
        b->failed = true;
        return ms_fail_memory(err);
    }
    return MS_OK;
}
