#include "render/ips_string.h"

#include "render/frame_rest.h"
#include "report/crash_text_frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void ms_ips_strings_init(struct ms_ips_strings *s, const struct ms_ips_view *view, bool quoted,
                         struct ms_ips_quoting quoting)
{
    memset(s, 0, sizeof *s);
    s->view = view;
    s->quoted = quoted;
    s->quoting = quoting;
    ms_text_init(&s->plain, SIZE_MAX / 4);
    ms_text_init(&s->old, SIZE_MAX / 4);
}

void ms_ips_strings_fini(struct ms_ips_strings *s)
{
    ms_text_fini(&s->plain);
    ms_text_fini(&s->old);
}

size_t ms_ips_line_end(const struct ms_report_frame *frame)
{
    return frame->rest_off + frame->rest_bytes;
}

/* Bytes of the file, which are the inside of a JSON string. */
static void add_bytes(const struct ms_ips_strings *s, struct ms_text *text, size_t off, size_t n)
{
    if (s->quoted)
        ms_text_add(text, (const char *)s->view->in.at + off, n);
    else
        ms_json_unescape(text, s->view->in, off, n);
}

/* What stands before the symbol, with another index when the lines are renumbered. */
static void add_prefix(const struct ms_ips_strings *s, struct ms_text *text,
                       const struct ms_report_frame *frame)
{
    const char *at = (const char *)s->view->in.at + frame->line_off;
    size_t n = frame->rest_off - frame->line_off, digits = 0, column = 0;
    while (digits < n && at[digits] >= '0' && at[digits] <= '9')
        digits++;
    for (column = digits; column < n && at[column] == ' ';)
        column++; /* the index is padded to a column of its own */
    if (s->shift && digits && column > digits) {
        char number[24];
        size_t width =
            (size_t)snprintf(number, sizeof number, "%" PRId64, (int64_t)frame->index + s->shift);
        ms_text_add(text, number, width);
        do
            ms_text_putc(text, ' ');
        while (++width < column);
    } else
        column = 0;
    add_bytes(s, text, frame->line_off + column, n - column);
}

/* The text of a line as it is, but with a readable name for its own, if it has one. */
static void add_old_rest(const struct ms_ips_strings *s, struct ms_text *text, size_t i)
{
    const struct ms_report_frame *frame = &s->view->report->frames[i];
    const char *symbol = s->view->shown[i].symbol;
    struct ms_frame_rest parts;
    memset(&parts, 0, sizeof parts);
    if (symbol)
        ms_frame_rest_parse((const char *)s->view->in.at + frame->rest_off, frame->rest_bytes,
                            &parts);
    size_t tail = parts.symbol.at + parts.symbol.n;
    add_bytes(s, text, frame->rest_off, parts.symbol.at);
    if (parts.symbol.n && s->quoted) {
        ms_ips_quote(text, symbol, strlen(symbol), s->quoting);
    } else if (parts.symbol.n) {
        size_t from = text->n;
        ms_text_puts(text, symbol);
        ms_text_plain_from(text, from, false);
    }
    add_bytes(s, text, frame->rest_off + tail, frame->rest_bytes - tail);
}

/* What is shown of frame i, or of one inlined into it. */
static void add_rest(struct ms_ips_strings *s, struct ms_text *text, size_t i,
                     const struct ms_shown_frame *shown, bool inlined)
{
    const struct ms_report_frame *frame = &s->view->report->frames[i];
    struct ms_ips_strings plainly = *s;
    plainly.quoted = false;
    ms_text_clear(&s->plain);
    ms_text_clear(&s->old);
    add_old_rest(&plainly, &s->old, i);
    /* Less what an earlier run has appended. */
    size_t n = ms_report_rest_bytes(s->old.at ? s->old.at : "", s->old.n, true);
    struct ms_shown_frame what = *shown;
    if (!what.function && frame->named)
        what.has_offset = false; /* the name that is there tells more than a function's start */
    ms_frame_rest_add(&s->plain, &what, inlined, s->old.at ? s->old.at : "", n);
    if (s->plain.failed || s->old.failed)
        text->failed = true;
    else if (s->quoted)
        ms_ips_quote(text, s->plain.at ? s->plain.at : "", s->plain.n, s->quoting);
    else
        ms_text_add(text, s->plain.at ? s->plain.at : "", s->plain.n);
}

static void explain(const struct ms_ips_strings *s, struct ms_text *text, size_t i,
                    const struct ms_shown_frame *shown)
{
    const struct ms_report_frame *frame = &s->view->report->frames[i];
    if (s->quoted || !s->view->style->explain || (!shown && (frame->named || frame->inlined)))
        return;
    ms_frame_rest_explain(text, shown, s->view->shown[i].why);
}

/* The lines as they are, but for their indices. */
static void add_old(struct ms_ips_strings *s, struct ms_text *text, size_t i, size_t last)
{
    const struct ms_report_frame *frames = s->view->report->frames;
    for (; i <= last; i++) {
        add_prefix(s, text, &frames[i]);
        add_old_rest(s, text, i);
        explain(s, text, i, NULL);
        if (i < last)
            add_bytes(s, text, ms_ips_line_end(&frames[i]),
                      frames[i + 1].line_off - ms_ips_line_end(&frames[i]));
    }
}

static void add_shown(struct ms_ips_strings *s, struct ms_text *text, size_t i, size_t last)
{
    const struct ms_report_frame *frames = s->view->report->frames;
    struct ms_shown shown = ms_ips_shown(s->view, last);
    bool renumber = s->view->style->renumber;
    if (renumber) /* the inlined lines that the report had are replaced */
        s->shift -= (int64_t)frames[last].index - frames[i].index;
    for (size_t j = 0; j < shown.n_frames; j++) {
        bool inlined = j + 1 < shown.n_frames;
        add_prefix(s, text, &frames[last]);
        add_rest(s, text, last, &shown.frames[j], inlined);
        explain(s, text, last, &shown.frames[j]);
        if (inlined)
            ms_text_puts(text, s->quoted ? "\\n" : "\n");
        s->shift += renumber && inlined;
    }
}

bool ms_ips_strings_add(struct ms_ips_strings *s, struct ms_text *text, size_t i, size_t last,
                        bool has_real)
{
    const struct ms_report_frame *frames = s->view->report->frames;
    const struct ms_shown *shown = &s->view->shown[last];
    if (i == 0 || frames[i - 1].form != MS_FORM_STRING || frames[i - 1].group != frames[i].group)
        s->shift = 0;
    if (!has_real || shown->n_frames == 0) {
        bool renamed = false;
        for (size_t k = i; k <= last; k++)
            renamed |= s->view->shown[k].symbol != NULL;
        add_old(s, text, i, last);
        return s->shift != 0 || renamed;
    }
    if (!shown->frames[shown->n_frames - 1].function && i < last) {
        add_old(s, text, i, last - 1); /* nothing better is known of them */
        add_bytes(s, text, ms_ips_line_end(&frames[last - 1]),
                  frames[last].line_off - ms_ips_line_end(&frames[last - 1]));
        i = last;
    }
    add_shown(s, text, i, last);
    return true;
}
