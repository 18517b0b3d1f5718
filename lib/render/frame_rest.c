#include "render/frame_rest.h"

#include <inttypes.h>
#include <string.h>

/* Names come out of untrusted files: a line end in one must not make a second line. */
static void add_clean(struct ms_text *text, const char *name)
{
    size_t from = text->n;
    ms_text_puts(text, name);
    ms_text_plain_from(text, from, false);
}

void ms_frame_rest_add(struct ms_text *text, const struct ms_shown_frame *frame, bool inlined,
                       const char *old, size_t old_bytes)
{
    if (!frame->function && !inlined) {
        if (frame->has_offset)
            old_bytes = ms_report_rest_bytes(old, old_bytes, true);
        ms_text_add(text, old, old_bytes);
        if (frame->has_offset)
            ms_text_printf(text, "%s(function at 0x%" PRIx64 " + %" PRIu64 ")",
                           old_bytes ? " " : "", frame->start_rt, frame->offset);
        return;
    }
    add_clean(text, frame->function ? frame->function : "???");
    if (frame->has_offset)
        ms_text_printf(text, " + %" PRIu64, frame->offset);
    if (frame->file && frame->line) {
        ms_text_puts(text, " (");
        add_clean(text, frame->file);
        ms_text_printf(text, ":%" PRIu32 ")", frame->line);
    }
    if (inlined)
        ms_text_puts(text, " [inlined]");
}

void ms_register_rest_add(struct ms_text *text, const char *reg, const struct ms_shown *shown)
{
    const struct ms_shown_frame *outer =
        shown->n_frames ? &shown->frames[shown->n_frames - 1] : NULL;
    if (!outer || !outer->function)
        return;
    ms_text_printf(text, " // %s = ", reg);
    ms_frame_rest_add(text, outer, false, "", 0);
}

void ms_frame_rest_explain(struct ms_text *text, const struct ms_shown_frame *frame,
                           enum ms_why why)
{
    ms_text_puts(text, " // ");
    ms_text_puts(text, frame ? ms_source_name(frame->source) : ms_why_name(why));
}
