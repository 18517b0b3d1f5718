#include "common/answer_json.h"

void json_list(struct ms_json *json, struct ms_sink *sink, const char *key)
{
    ms_json_init(json, sink, 2);
    ms_json_object(json);
    ms_json_key(json, key);
    ms_json_array(json);
}

void json_list_end(struct ms_json *json)
{
    ms_json_array_end(json);
    ms_json_object_end(json);
    ms_sink_puts(json->sink, "\n");
}

void json_image_head(struct ms_json *json, const struct ms_image_info *info)
{
    char uuid[MS_UUID_TEXT];
    ms_uuid_format(&info->uuid, uuid);
    ms_json_field(json, "image", info->name);
    ms_json_field(json, "uuid", info->has_uuid ? uuid : NULL);
    ms_json_field(json, "arch", info->arch);
}

void json_frame_members(struct ms_json *json, const struct ms_shown_frame *frame)
{
    ms_json_field(json, "function", frame->function);
    ms_json_field(json, "mangled", frame->mangled);
    if (frame->has_offset)
        ms_json_field_uint(json, "offset", frame->offset);
    ms_json_field(json, "file", frame->path);
    if (frame->line)
        ms_json_field_uint(json, "line", frame->line);
    if (frame->column)
        ms_json_field_uint(json, "column", frame->column);
    if (frame->inlined)
        ms_json_field_bool(json, "inlined", true);
    ms_json_field(json, "source", ms_source_name(frame->source));
}

static void json_frame(struct ms_json *json, const struct ms_shown_frame *frame)
{
    ms_json_object(json);
    json_frame_members(json, frame);
    ms_json_object_end(json);
}

void json_shown(struct ms_json *json, const struct ms_shown *shown)
{
    ms_json_field(json, "why", ms_why_name(shown->why));
    ms_json_key(json, "frames");
    ms_json_array(json);
    for (size_t i = 0; i < shown->n_frames; i++)
        json_frame(json, &shown->frames[i]);
    ms_json_array_end(json);
}
