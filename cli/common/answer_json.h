/*
 * common/answer_json.h: one frame as JSON, the same in every command (machsym(5)).
 */
#ifndef MACHSYM_CLI_ANSWER_JSON_H
#define MACHSYM_CLI_ANSWER_JSON_H

#include "machsym/report.h"

/* Writes the members "why" and "frames" into the object that is open. */
void json_shown(struct ms_json *json, const struct ms_shown *shown);

/* Writes the members of one frame into the object that is open. */
void json_frame_members(struct ms_json *json, const struct ms_shown_frame *frame);

#endif
