/* Answers of lib/dwarf as text that a test can compare. */
#ifndef DWARF_CHAIN_H
#define DWARF_CHAIN_H

#include "dwarf/dwarf.h"

#include <stdio.h>
#include <string.h>

/* One frame as a line of text: NAME LINKAGE PATH:LINE:COLUMN +OFFSET [inlined]. */
static inline void describe(const struct ms_frame *frame, char *out, size_t room)
{
    char path[128];
    ms_frame_path(frame, path, sizeof path);
    snprintf(out, room, "%.30s %.30s %.90s:%u:%u %s%llx%s", frame->name ? frame->name : "-",
             frame->linkage ? frame->linkage : "-", path[0] ? path : "-", frame->line,
             frame->column, frame->has_start ? "+" : "?",
             frame->has_start ? (unsigned long long)frame->offset : 0, frame->inlined ? " i" : "");
}

static inline void chain(const struct ms_dwarf_answers *answers, size_t i, char *out, size_t room)
{
    out[0] = 0;
    const struct ms_dwarf_hit *hit = &answers->hits[i];
    for (uint32_t k = 0; k < hit->n_frames; k++) {
        size_t n = strlen(out);
        describe(&hit->frames[k], out + n, room - n);
        n = strlen(out);
        snprintf(out + n, room - n, "|");
    }
}

#endif
