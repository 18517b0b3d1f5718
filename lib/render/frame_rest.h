/**
 * render/frame_rest.h: what stands after the address in a frame line, the same in crash
 * text, in text made of an .ips, and inside an .ips's asiBacktraces.
 */
#ifndef MS_RENDER_FRAME_REST_H
#define MS_RENDER_FRAME_REST_H

#include "base/text.h"
#include "machsym/report.h"

/**
 * Appends "SYM + OFF (File.swift:42) [inlined]", leaving out what is unknown: the
 * parenthesis without a line, the offset without has_offset.
 *
 * With `function` NULL only the start of the function is known; then `old` (n bytes, what
 * the report has) is kept and " (function at 0x102601a00 + 64)" appended, the address being
 * the runtime address of the start. Readers that want "0xLOAD + DEC" still find it, and the
 * parenthesis cannot be taken for "(file:line)", having no colon.
 */
void ms_frame_rest_add(struct ms_text *text, const struct ms_shown_frame *frame, bool inlined,
                       const char *old, size_t old_bytes);

/**
 * Appends " // lr = SYM + OFF (File.swift:42)" for a register that holds the address of code:
 * the function, not what was inlined into it. Nothing without a name.
 */
void ms_register_rest_add(struct ms_text *text, const char *reg, const struct ms_shown *shown);

/** Appends " // dwarf" for a shown frame, " // no-file" for one without (frame NULL). */
void ms_frame_rest_explain(struct ms_text *text, const struct ms_shown_frame *frame,
                           enum ms_why why);

#endif
