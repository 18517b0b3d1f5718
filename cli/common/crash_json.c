#include "common/crash_json.h"

#include "common/answer_json.h"
#include "common/input.h"
#include "machsym/error.h"

#include <stdlib.h>

#define NO_FRAME UINT32_MAX

/*
 * What would be looked for in all frames again and again, worked out in one pass: reports have
 * been seen with thousands of threads, and may have a million.
 */
struct plan {
    const struct ms_report *report;
    const struct ms_symbolication *names;
    uint32_t *first; /* of each thread, its first register; n_threads of them */
    uint32_t *next;  /* of each register, the next one of its thread; n_frames of them */
    bool *replaced;  /* of each frame: an inlined one whose real frame was looked up again, so
                        that the new chain takes its place */
};

static void plan_fini(struct plan *plan)
{
    free(plan->first);
    free(plan->next);
    free(plan->replaced);
}

/* False without memory. */
static bool plan_init(struct plan *plan, const struct ms_report *report,
                      const struct ms_symbolication *names)
{
    *plan = (struct plan){.report = report, .names = names};
    plan->first = malloc((report->n_threads + 1) * sizeof *plan->first);
    plan->next = malloc((report->n_frames + 1) * sizeof *plan->next);
    plan->replaced = calloc(report->n_frames + 1, sizeof *plan->replaced);
    if (!plan->first || !plan->next || !plan->replaced)
        return false;
    for (size_t t = 0; t < report->n_threads; t++)
        plan->first[t] = NO_FRAME;
    bool looked_up = false; /* the frame that those before it are inlined into */
    for (size_t i = report->n_frames; i-- > 0;) {
        const struct ms_report_frame *frame = &report->frames[i];
        const struct ms_report_frame *after = i + 1 < report->n_frames ? frame + 1 : NULL;
        if (!frame->inlined)
            looked_up = names->shown[i].n_frames != 0;
        else if (!after || after->place != frame->place || after->group != frame->group)
            looked_up = false;
        plan->replaced[i] = frame->inlined && looked_up;
        if (frame->place != MS_PLACE_REGISTER || !frame->reg || frame->group >= report->n_threads)
            continue;
        plan->next[i] = plan->first[frame->group];
        plan->first[frame->group] = (uint32_t)i;
    }
    return true;
}

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
    ms_json_field(json, "binary", input_shown(outcome->binary_path));
    ms_json_field(json, "debug_file", input_shown(outcome->debug_path));
    if (outcome->n_objects)
        ms_json_field_uint(json, "objects", outcome->n_objects);
    if (outcome->other_path) {
        ms_json_field(json, "other_file", input_shown(outcome->other_path));
        json_uuid(json, "other_uuid", &outcome->other_uuid);
    }
    if (outcome->error) {
        char line[MS_ERROR_LINE];
        ms_json_field(json, "error", ms_error_describe(outcome->error, line));
    }
    ms_json_object_end(json);
}

/* The name that the report has and that stays. */
static void json_kept(struct ms_json *json, const struct ms_report_frame *frame,
                      const struct ms_shown *own)
{
    struct ms_shown_frame kept = {.function = own->symbol ? own->symbol : frame->symbol,
                                  .mangled = own->mangled,
                                  .path = frame->file,
                                  .line = frame->line,
                                  .has_offset = frame->has_offset,
                                  .offset = frame->offset,
                                  .inlined = frame->inlined,
                                  .source = MS_SOURCE_REPORT};
    struct ms_shown shown = {.frames = &kept, .n_frames = 1, .why = MS_WHY_COMPLETE};
    json_shown(json, &shown);
}

static void json_report_frame(struct ms_json *json, const struct plan *plan, size_t i)
{
    const struct ms_report_frame *frame = &plan->report->frames[i];
    const struct ms_shown *shown = &plan->names->shown[i];
    ms_json_object(json);
    if (frame->place == MS_PLACE_REGISTER)
        ms_json_field(json, "name", frame->reg);
    else
        ms_json_field_uint(json, "index", frame->index);
    ms_json_field_address(json, "address", frame->address_rt);
    if (frame->image >= 0) {
        const struct ms_report_image *image = &plan->report->images[frame->image];
        ms_json_field(json, "image", image->name);
        ms_json_field_uint(json, "image_offset", frame->address_rt - image->load_rt);
    }
    bool resolved = shown->n_frames && shown->frames[shown->n_frames - 1].function;
    if (!resolved && frame->has_name)
        json_kept(json, frame, shown);
    else
        json_shown(json, shown);
    ms_json_object_end(json);
}

/* The registers of a thread that point into an image. */
static void json_registers(struct ms_json *json, const struct plan *plan, size_t thread)
{
    uint32_t i = plan->first[thread];
    if (i == NO_FRAME)
        return;
    ms_json_key(json, "registers");
    ms_json_array(json);
    for (; i != NO_FRAME; i = plan->next[i])
        json_report_frame(json, plan, i);
    ms_json_array_end(json);
}

static void json_threads(struct ms_json *json, const struct plan *plan)
{
    ms_json_key(json, "threads");
    ms_json_array(json);
    for (size_t t = 0; t < plan->report->n_threads; t++) {
        const struct ms_report_thread *thread = &plan->report->threads[t];
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
            if (plan->report->frames[i].place == MS_PLACE_THREAD && !plan->replaced[i])
                json_report_frame(json, plan, i);
        }
        ms_json_array_end(json);
        json_registers(json, plan, t);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

static void json_exception(struct ms_json *json, const struct plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->report->n_frames; i++) {
        if (plan->report->frames[i].place != MS_PLACE_LAST_EXCEPTION)
            continue;
        if (!any) {
            ms_json_key(json, "last_exception_backtrace");
            ms_json_array(json);
        }
        any = true;
        if (!plan->replaced[i])
            json_report_frame(json, plan, i);
    }
    if (any)
        ms_json_array_end(json);
}

/* The frames of one backtrace stand together, and backtraces in the order of their numbers. */
static void json_specific(struct ms_json *json, const struct plan *plan)
{
    const struct ms_report_frame *open = NULL; /* a frame of the backtrace that is being written */
    bool any = false;
    for (size_t i = 0; i < plan->report->n_frames; i++) {
        const struct ms_report_frame *frame = &plan->report->frames[i];
        if (frame->place != MS_PLACE_APP_SPECIFIC)
            continue;
        if (!any) {
            ms_json_key(json, "application_specific_backtraces");
            ms_json_array(json);
        }
        any = true;
        if (open && open->group != frame->group) {
            ms_json_array_end(json);
            ms_json_object_end(json);
        }
        if (!open || open->group != frame->group) {
            ms_json_object(json);
            ms_json_field_uint(json, "number", frame->group);
            ms_json_key(json, "frames");
            ms_json_array(json);
        }
        open = frame;
        if (!plan->replaced[i])
            json_report_frame(json, plan, i);
    }
    if (!any)
        return;
    ms_json_array_end(json);
    ms_json_object_end(json);
    ms_json_array_end(json);
}

bool json_report(struct ms_json *json, const char *name, const struct ms_report *report,
                 const struct ms_symbolication *names)
{
    struct plan plan;
    if (!plan_init(&plan, report, names)) {
        plan_fini(&plan);
        return false;
    }
    ms_json_object(json);
    ms_json_field(json, "report", name);
    ms_json_field(json, "kind", report->kind == MS_REPORT_IPS ? "ips" : "text");
    ms_json_field(json, "incident", report->incident);
    ms_json_field(json, "process", report->process);
    ms_json_field(json, "os_version", report->os_version);
    ms_json_field(json, "note", report->note);
    if (report->crashed_thread >= 0)
        ms_json_field_uint(json, "crashed_thread", report->threads[report->crashed_thread].number);
    ms_json_field_uint(json, "frames", names->n_frames);
    ms_json_field_uint(json, "resolved", names->n_resolved);
    ms_json_field_uint(json, "kept", names->n_kept);
    ms_json_key(json, "images");
    ms_json_array(json);
    for (size_t i = 0; i < report->n_images; i++)
        json_image(json, &report->images[i], &names->images[i]);
    ms_json_array_end(json);
    json_threads(json, &plan);
    json_exception(json, &plan);
    json_specific(json, &plan);
    ms_json_object_end(json);
    plan_fini(&plan);
    return true;
}
