/**
 * dwarf/answers.h: filling a struct ms_dwarf_answers. Its memory grows here alone.
 */
#ifndef MS_DWARF_ANSWERS_H
#define MS_DWARF_ANSWERS_H

#include "dwarf/dwarf.h"

/** Empties *out, and makes room for n hits, all MS_ABSENT. */
enum ms_status ms_answers_start(struct ms_dwarf_answers *out, size_t n, struct ms_error *err);

/** Several threads may ask for frames at once, each under its own number below n. */
enum ms_status ms_answers_share(struct ms_dwarf_answers *out, size_t n, struct ms_error *err);

/** Memory of n frames, which stay where they are; the caller fills them. NULL without memory.
 *  @param worker  0 when there is only one */
struct ms_frame *ms_answers_frames(struct ms_dwarf_answers *out, size_t worker, size_t n);

/** Adds an error; *index tells where it is. */
bool ms_answers_error(struct ms_dwarf_answers *out, const struct ms_error *error, uint32_t *index);

#endif
