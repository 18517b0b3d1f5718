#include "common/crash_json.h"

#include "common/answer_json.h"
#include "machsym/error.h"

static void json_uuid(struct ms_json *json, const char *key, const struct ms_uuid *uuid)
{
    char text[MS_UUID_TEXT];
    ms_uuid_format(uuid, text);
    ms_json_field(json, key, text);
}

static void json_image(struct ms_json *json, const struct ms_report_image *image,
                       const struct ms_image_outcome *outcome)
{
    ms_json_object(json);
    ms_json_field(json, "name", image->name);
    ms_json_field(json, "path", image->path);
    ms_json_field(json, "arch", image->arch);
    if (image->has_uuid)
        json_uuid(json, "uuid", &image->uuid);
    if (image->usable)
        ms_json_field_address(json, "load_address", image->load_rt);
    if (image->end_rt)
        ms_json_field_address(json, "end_address", image->end_rt);
    if (outcome->n_frames) {
        ms_json_field_uint(json, "frames", outcome->n_frames);
        ms_json_field_uint(json, "resolved", outcome->n_resolved);
        ms_json_field_uint(json, "kept", outcome->n_kept);
        if (outcome->n_kept < outcome->n_frames)
            ms_json_field(json, "why", ms_why_name(outcome->why));
    }
    ms_json_field(json, "binary", outcome->binary_path);
    ms_json_field(json, "debug_file", outcome->debug_path);
    if (outcome->other_path) {
        ms_json_field(json, "other_file", outcome->other_path);
        json_uuid(json, "other_uuid", &outcome->other_uuid);
    }
    if (outcome->error.status != MS_OK) {
        char line[MS_ERROR_LINE];
        ms_json_field(json, "error", ms_error_describe(&outcome->error, line));
    }
    ms_json_object_end(json);
}

/* The name that the report has and that stays. */
static void json_kept(struct ms_json *json, const struct ms_report_frame *frame)
{
    struct ms_shown_frame kept = {.function = frame->symbol,
                                  .path = frame->file,
                                  .line = frame->line,
                                  .has_offset = frame->has_offset,
                                  .offset = frame->offset,
                                  .inlined = frame->inlined,
                                  .source = MS_SOURCE_REPORT};
    struct ms_shown shown = {&kept, 1, MS_WHY_COMPLETE};
    json_shown(json, &shown);
}

static void json_report_frame(struct ms_json *json, const struct ms_report *report, size_t i,
                              const struct ms_symbolication *names)
{
    const struct ms_report_frame *frame = &report->frames[i];
    const struct ms_shown *shown = &names->shown[i];
    ms_json_object(json);
    if (frame->place == MS_PLACE_REGISTER)
        ms_json_field(json, "name", frame->reg);
    else
        ms_json_field_uint(json, "index", frame->index);
    ms_json_field_address(json, "address", frame->address_rt);
    if (frame->image >= 0) {
        const struct ms_report_image *image = &report->images[frame->image];
        ms_json_field(json, "image", image->name);
        ms_json_field_uint(json, "image_offset", frame->address_rt - image->load_rt);
    }
    if (!shown->n_frames && frame->symbol)
        json_kept(json, frame);
    else
        json_shown(json, shown);
    ms_json_object_end(json);
}

/* True for an inlined frame of the report whose real frame was looked up again: the new
 * chain replaces it. */
static bool is_replaced(const struct ms_report *report, size_t i,
                        const struct ms_symbolication *names)
{
    while (i < report->n_frames && report->frames[i].inlined)
        i++;
    return i < report->n_frames && names->shown[i].n_frames;
}

/* All frames of one place and group, in order. */
static void json_frames(struct ms_json *json, const char *key, const struct ms_report *report,
                        enum ms_report_place place, uint32_t group,
                        const struct ms_symbolication *names)
{
    ms_json_key(json, key);
    ms_json_array(json);
    for (size_t i = 0; i < report->n_frames; i++) {
        const struct ms_report_frame *frame = &report->frames[i];
        if (frame->place == place && frame->group == group &&
            !(frame->inlined && is_replaced(report, i, names)))
            json_report_frame(json, report, i, names);
    }
    ms_json_array_end(json);
}

/* The registers of a thread that point into an image. */
static void json_registers(struct ms_json *json, const struct ms_report *report, uint32_t group,
                           const struct ms_symbolication *names)
{
    bool any = false;
    for (size_t i = 0; i < report->n_frames; i++) {
        const struct ms_report_frame *frame = &report->frames[i];
        if (frame->place != MS_PLACE_REGISTER || frame->group != group || !frame->reg)
            continue;
        if (!any) {
            ms_json_key(json, "registers");
            ms_json_array(json);
        }
        any = true;
        json_report_frame(json, report, i, names);
    }
    if (any)
        ms_json_array_end(json);
}

static void json_threads(struct ms_json *json, const struct ms_report *report,
                         const struct ms_symbolication *names)
{
    ms_json_key(json, "threads");
    ms_json_array(json);
    for (size_t t = 0; t < report->n_threads; t++) {
        const struct ms_report_thread *thread = &report->threads[t];
        ms_json_object(json);
        ms_json_field_uint(json, "number", thread->number);
        ms_json_field(json, "name", thread->name);
        ms_json_field(json, "queue", thread->queue);
        if (thread->crashed)
            ms_json_field_bool(json, "crashed", true);
        ms_json_key(json, "frames");
        ms_json_array(json);
        for (uint32_t k = 0; k < thread->n_frames; k++) {
            size_t i = thread->first_frame + k;
            const struct ms_report_frame *frame = &report->frames[i];
            if (frame->place == MS_PLACE_THREAD &&
                !(frame->inlined && is_replaced(report, i, names)))
                json_report_frame(json, report, i, names);
        }
        ms_json_array_end(json);
        json_registers(json, report, (uint32_t)t, names);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

static void json_backtraces(struct ms_json *json, const struct ms_report *report,
                            const struct ms_symbolication *names)
{
    bool exception = false;
    uint32_t n_specific = 0;
    for (size_t i = 0; i < report->n_frames; i++) {
        const struct ms_report_frame *frame = &report->frames[i];
        exception |= frame->place == MS_PLACE_LAST_EXCEPTION;
        if (frame->place == MS_PLACE_APP_SPECIFIC && frame->group >= n_specific)
            n_specific = frame->group + 1;
    }
    if (exception)
        json_frames(json, "last_exception_backtrace", report, MS_PLACE_LAST_EXCEPTION, 0, names);
    if (!n_specific)
        return;
    ms_json_key(json, "application_specific_backtraces");
    ms_json_array(json);
    for (uint32_t group = 0; group < n_specific && group < 64; group++) {
        ms_json_object(json);
        ms_json_field_uint(json, "number", group);
        json_frames(json, "frames", report, MS_PLACE_APP_SPECIFIC, group, names);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

void json_report(struct ms_json *json, const char *name, const struct ms_report *report,
                 const struct ms_symbolication *names)
{
    ms_json_object(json);
    ms_json_field(json, "report", name);
    ms_json_field(json, "kind", report->kind == MS_REPORT_IPS ? "ips" : "text");
    ms_json_field(json, "incident", report->incident);
    ms_json_field(json, "process", report->process);
    ms_json_field(json, "os_version", report->os_version);
    ms_json_field(json, "note", report->note);
    if (report->crashed_thread >= 0)
        ms_json_field_uint(json, "crashed_thread",
                           report->threads[report->crashed_thread].number);
    ms_json_field_uint(json, "frames", names->n_frames);
    ms_json_field_uint(json, "resolved", names->n_resolved);
    ms_json_field_uint(json, "kept", names->n_kept);
    ms_json_key(json, "images");
    ms_json_array(json);
    for (size_t i = 0; i < report->n_images; i++)
        json_image(json, &report->images[i], &names->images[i]);
    ms_json_array_end(json);
    json_threads(json, report, names);
    json_backtraces(json, report, names);
    ms_json_object_end(json);
}
