/**
 * dwarf/answers.h: filling a struct ms_dwarf_answers. Its arrays grow here alone.
 */
#ifndef MS_DWARF_ANSWERS_H
#define MS_DWARF_ANSWERS_H

#include "dwarf/dwarf.h"

/** Empties *out, keeps its memory, and makes room for n hits, all MS_ABSENT. */
enum ms_status ms_answers_start(struct ms_dwarf_answers *out, size_t n, struct ms_error *err);

/** Room for n frames more; the caller fills them all. NULL without memory. */
struct ms_frame *ms_answers_frames(struct ms_dwarf_answers *out, size_t n);

/** Adds an error; *index tells where it is. */
bool ms_answers_error(struct ms_dwarf_answers *out, const struct ms_error *error, uint32_t *index);

#endif
