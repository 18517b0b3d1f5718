/*
 * common/answer_json.h: one frame as JSON, the same in every command (machsym(5)).
 */
#ifndef MACHSYM_CLI_ANSWER_JSON_H
#define MACHSYM_CLI_ANSWER_JSON_H

#include "machsym/image.h"
#include "machsym/report.h"

/* Starts the one document of a command, {"KEY": […, of which the items follow; and ends it. */
void json_list(struct ms_json *json, struct ms_sink *sink, const char *key);
void json_list_end(struct ms_json *json);

/* Writes "image", "uuid" and "arch", by which every document of one image begins. */
void json_image_head(struct ms_json *json, const struct ms_image_info *info);

/* Writes the members "why" and "frames" into the object that is open. */
void json_shown(struct ms_json *json, const struct ms_shown *shown);

/* Writes the members of one frame into the object that is open. */
void json_frame_members(struct ms_json *json, const struct ms_shown_frame *frame);

#endif
