#include "common/report_addresses.h"

#include "common/console.h"
#include "common/input.h"
#include "machsym/report.h"
#include "machsym/slide.h"

#include <stdlib.h>
#include <string.h>

static int no_memory(void)
{
    complain("out of memory");
    return EXIT_SYSTEM;
}

static bool push(struct report_addresses *out, uint64_t address)
{
    if (out->n == out->room) {
        size_t room = out->room ? out->room * 2 : 256;
        uint64_t *items = realloc(out->items, room * sizeof *items);
        if (!items)
            return false;
        out->items = items;
        out->room = room;
    }
    out->items[out->n++] = address;
    return true;
}

/* What a frame is looked up by; where its call returns to may be the next function's. */
static bool take_frame(struct report_addresses *out, const struct ms_report_frame *frame,
                       uint64_t slide)
{
    if (frame->place == MS_PLACE_REGISTER && !ms_register_is_control(frame->reg))
        return true;
    return push(out, ms_slide_to_vm(frame->lookup_rt, slide));
}

static bool take_report(struct report_addresses *out, const struct ms_report *report,
                        const struct ms_image_info *info)
{
    for (size_t i = 0; i < report->n_images; i++) {
        const struct ms_report_image *image = &report->images[i];
        if (!image->usable || !image->has_uuid || !ms_uuid_equal(&image->uuid, &info->uuid))
            continue;
        out->n_reports++;
        for (size_t k = 0; k < report->n_frames; k++)
            if (report->frames[k].image == (int32_t)i &&
                !take_frame(out, &report->frames[k], ms_slide(image->load_rt, info->text_vm)))
                return false;
    }
    return true;
}

static int take_file(struct report_addresses *out, const char *path,
                     const struct ms_image_info *info)
{
    struct input input;
    struct ms_report_file file;
    struct ms_error err;
    int status = input_open(&input, path);
    if (status != EXIT_DONE)
        return status;
    size_t before = out->n_reports;
    if (ms_report_parse(input.bytes, input.name, &file, &err) == MS_OK) {
        for (size_t i = 0; i < file.n_reports && status == EXIT_DONE; i++)
            if (!take_report(out, &file.reports[i], info))
                status = no_memory();
        ms_report_file_fini(&file);
        if (status == EXIT_DONE && out->n_reports == before)
            warn("%s: no image in it has the UUID of this one", input.name);
    } else {
        status = complain_error(&err);
    }
    if (status == EXIT_DONE && !input_intact(&input))
        status = EXIT_INPUT;
    input_close(&input);
    return status;
}

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

int report_addresses_read(struct report_addresses *out, const struct word_list *files,
                          const struct ms_image_info *info)
{
    int status = EXIT_DONE;
    size_t kept = 0;
    memset(out, 0, sizeof *out);
    if (!info->has_uuid) {
        complain("%s has no UUID: no report can be told to be of it", info->name);
        return EXIT_INPUT;
    }
    for (size_t i = 0; i < files->n && status == EXIT_DONE; i++)
        status = take_file(out, files->items[i], info);
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_address);
    for (size_t i = 0; i < out->n; i++)
        if (!kept || out->items[kept - 1] != out->items[i])
            out->items[kept++] = out->items[i];
    out->n = kept;
    return status;
}

void report_addresses_fini(struct report_addresses *addresses)
{
    free(addresses->items);
    memset(addresses, 0, sizeof *addresses);
}
