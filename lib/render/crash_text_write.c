#include "render/crash_text_write.h"
#include "render/frame_rest.h"
#include "report/crash_text_frame.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* One output line at most: a few names. */
#define MAX_LINE ((size_t)1 << 30)

struct writer {
    const struct ms_report *report;
    const struct ms_shown *shown;
    const struct ms_report_style *style;
    struct ms_sink *sink;
    const char *base; /* the file; spans count from here */
    size_t file_bytes;
    size_t at;           /* everything before is written */
    struct ms_text text; /* scratch: the line being made */
    char terminator;     /* of lines: '\n', or '\r' in a text without any */
    bool escaped;        /* the text is HTML source: '<' is "&lt;" */
    bool is_32_bit;
    /* Renumbering: by how much the indexes of the sequence shift, and which one it is. */
    int64_t shift;
    enum ms_report_place place;
    uint32_t group, last_index;
};

/* ---- bytes of the report -------------------------------------------------------------- */

static void copy_to(struct writer *w, size_t off)
{
    if (off > w->at)
        ms_sink_write(w->sink, w->base + w->at, off - w->at);
    if (off > w->at)
        w->at = off;
}

static void flush_text(struct writer *w)
{
    if (!w->text.failed && w->text.n)
        ms_sink_write(w->sink, w->text.at, w->text.n);
    if (!w->text.failed)
        ms_text_clear(&w->text);
}

/*
 * The line end behind `off`; where the report ends without one, the one before `line_off`. A lone
 * '\r' ends lines in a text that has no '\n' at all.
 */
static size_t line_end(const struct writer *w, size_t off, size_t line_off, const char **end)
{
    size_t left = w->file_bytes - off;
    *end = w->base + off;
    if (left >= 2 && w->base[off] == '\r' && w->base[off + 1] == '\n')
        return 2;
    if (left >= 1 && w->base[off] == w->terminator)
        return 1;
    *end = "\r\n";
    if (line_off >= 2 && w->base[line_off - 2] == '\r' && w->base[line_off - 1] == '\n')
        return 2;
    *end = w->terminator == '\r' ? "\r" : "\n";
    return 1;
}

/*
 * A report copied out of a page's source has its UUIDs in "&lt;…&gt;". That alone is proof: a
 * lone "&lt;" may come from an exception's reason.
 */
static bool is_html_source(const char *text, size_t n)
{
    enum { SHORTEST = 4 + 32 + 4 };
    for (size_t at = 0; n >= SHORTEST && at <= n - SHORTEST; at++) {
        const char *found = memchr(text + at, '&', n - SHORTEST - at + 1);
        if (!found)
            return false;
        at = (size_t)(found - text);
        struct ms_uuid uuid;
        if (memcmp(found, "&lt;", 4) != 0)
            continue;
        size_t digits = 0;
        while (digits < 36 && at + 4 + digits < n && found[4 + digits] != '&')
            digits++;
        if (n - at - 4 - digits >= 4 && memcmp(found + 4 + digits, "&gt;", 4) == 0 &&
            ms_uuid_parse(found + 4, digits, &uuid))
            return true;
    }
    return false;
}

/* Escapes what was appended to a text since it had n bytes. */
static void escape_html(const struct writer *w, struct ms_text *text, size_t from)
{
    if (!w->escaped || text->failed)
        return;
    struct ms_text plain;
    ms_text_init(&plain, MAX_LINE);
    ms_text_add(&plain, text->at + from, text->n - from);
    if (plain.failed) {
        text->failed = true;
    } else {
        text->n = from;
        text->at[from] = 0;
    }
    for (size_t i = 0; i < plain.n && !plain.failed; i++) {
        char c = plain.at[i];
        const char *entity = c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : NULL;
        if (entity)
            ms_text_puts(text, entity);
        else
            ms_text_putc(text, c);
    }
    ms_text_fini(&plain);
}

/* ---- indexes -------------------------------------------------------------------------- */

/* A new sequence of frames starts: nothing is shifted in it yet. */
static void follow_sequence(struct writer *w, const struct ms_report_frame *frame)
{
    if (frame->place != w->place || frame->group != w->group || frame->index < w->last_index)
        w->shift = 0;
    w->place = frame->place;
    w->group = frame->group;
    w->last_index = frame->index;
}

/* Where the printed index stands in the line: the first digits that aren't part of a tag. */
static size_t find_digits(const struct writer *w, const struct ms_report_frame *frame, size_t *n)
{
    size_t at = frame->line_off, end = frame->rest_off;
    while (at < end && !(w->base[at] >= '0' && w->base[at] <= '9')) {
        const char *tag = w->base[at] == '<' ? memchr(w->base + at, '>', end - at) : NULL;
        at = tag ? (size_t)(tag - w->base) + 1 : at + 1;
    }
    *n = 0;
    while (at + *n < end && w->base[at + *n] >= '0' && w->base[at + *n] <= '9')
        ++*n;
    return at;
}

/* Appends [line_off, rest_off) of the frame's line with another index in the same column. */
static void add_prefix(struct writer *w, const struct ms_report_frame *frame, uint64_t index)
{
    const char *base = w->base;
    size_t from = frame->line_off, digits, at = find_digits(w, frame, &digits);
    if (index == frame->index || digits == 0) {
        ms_text_add(&w->text, base + from, frame->rest_off - from);
        return;
    }
    size_t blanks = 0;
    while (at + digits + blanks < frame->rest_off && base[at + digits + blanks] == ' ')
        blanks++;
    char number[24];
    size_t n = (size_t)snprintf(number, sizeof number, "%" PRIu64, index);
    ms_text_add(&w->text, base + from, at - from);
    ms_text_add(&w->text, number, n);
    size_t pad = digits + blanks > n ? digits + blanks - n : blanks > 0;
    while (pad--)
        ms_text_putc(&w->text, ' ');
    at += digits + blanks;
    ms_text_add(&w->text, base + at, frame->rest_off - at);
}

static uint64_t shifted(const struct writer *w, uint64_t index)
{
    int64_t moved = (int64_t)index + w->shift;
    return w->style->renumber ? (uint64_t)(moved > 0 ? moved : 0) : index;
}

/* ---- frame lines ---------------------------------------------------------------------- */

/* Is there anything to put in? */
static bool has_answer(const struct ms_shown *shown)
{
    const struct ms_shown_frame *last =
        shown->n_frames ? &shown->frames[shown->n_frames - 1] : NULL;
    return last && (last->function || last->has_offset || shown->n_frames > 1);
}

/* Does it name a function, so that the report's own inlined lines are superseded? */
static bool has_name(const struct ms_shown *shown)
{
    return shown->n_frames && (shown->n_frames > 1 || shown->frames[0].function);
}

/*
 * Appends n bytes at `rest`, the first of what follows a frame's address, with another name for
 * the one that stands there.
 */
static void add_renamed(const struct writer *w, struct ms_text *text, const char *rest, size_t n,
                        const char *symbol)
{
    struct ms_frame_rest parts;
    ms_frame_rest_parse(rest, n, &parts);
    size_t tail = parts.symbol.at + parts.symbol.n;
    ms_text_add(text, rest, parts.symbol.at);
    size_t from = text->n;
    if (parts.symbol.n)
        ms_text_puts(text, symbol);
    ms_text_plain_from(text, from, false);
    escape_html(w, text, from);
    ms_text_add(text, rest + tail, n - tail);
}

/* A frame of which only the function's start is known: the old bytes, and that behind them. */
static void add_start(struct writer *w, const struct ms_report_frame *frame,
                      const struct ms_shown *shown, const struct ms_shown_frame *one)
{
    const char *old = w->base + frame->rest_off;
    struct ms_shown_frame start = *one;
    struct ms_text renamed;
    ms_text_init(&renamed, MAX_LINE);
    start.has_offset &= !frame->named;
    size_t n = frame->rest_bytes;
    if (w->style->explain)
        n = ms_report_rest_bytes(old, n, false);
    if (shown->symbol) {
        add_renamed(w, &renamed, old, n, shown->symbol);
        old = renamed.at ? renamed.at : "";
        n = renamed.n;
    }
    ms_frame_rest_add(&w->text, &start, false, old, n);
    w->text.failed |= renamed.failed;
    ms_text_fini(&renamed);
}

/* Frame j of the n that stand for one of the report; the last is the function itself. */
static void add_line(struct writer *w, const struct ms_report_frame *frame,
                     const struct ms_shown *shown, size_t j, uint64_t index)
{
    size_t end = frame->line_off + frame->line_bytes;
    const struct ms_shown_frame *one = &shown->frames[j];
    bool inlined = j + 1 < shown->n_frames;
    add_prefix(w, frame, index);
    if (frame->rest_bytes == 0 && w->text.n && !w->text.failed &&
        !strchr(" \t", w->text.at[w->text.n - 1]))
        ms_text_putc(&w->text, ' ');
    size_t from = w->text.n;
    if (!one->function && !inlined) { /* the old bytes stay as they are, escaped or not */
        add_start(w, frame, shown, one);
    } else {
        ms_frame_rest_add(&w->text, one, inlined, NULL, 0);
        escape_html(w, &w->text, from);
    }
    if (w->style->explain)
        ms_frame_rest_explain(&w->text, one, shown->why);
    size_t tail = frame->rest_off + frame->rest_bytes;
    ms_text_add(&w->text, w->base + tail, end - tail);
}

/*
 * Writes what is shown of report frame k. Its own inlined lines are the frames from `first` on;
 * they go.
 */
static void replace_frame(struct writer *w, size_t first, size_t k)
{
    const struct ms_report_frame *frame = &w->report->frames[k];
    const struct ms_report_frame *start = &w->report->frames[first];
    const struct ms_shown *shown = &w->shown[k];
    size_t n = shown->n_frames, from = w->style->no_inlines ? n - 1 : 0;
    const char *end;
    size_t end_bytes = line_end(w, frame->line_off + frame->line_bytes, frame->line_off, &end);
    uint64_t index = shifted(w, w->style->renumber ? start->index : frame->index);
    copy_to(w, start->line_off);
    for (size_t j = from; j < n; j++) {
        add_line(w, frame, shown, j, index);
        if (j + 1 < n)
            ms_text_add(&w->text, end, end_bytes);
        flush_text(w);
        if (w->style->renumber)
            index++;
    }
    /* Old inlined lines may have had numbers of their own, or all the same. */
    uint64_t old_numbers = frame->index >= start->index ? frame->index - start->index + 1 : 1;
    w->shift += (int64_t)(n - from) - (int64_t)old_numbers;
    w->at = frame->line_off + frame->line_bytes;
}

/*
 * What follows the address stays, but for a mangled name, and for why the frame has no other, in
 * place of what an earlier run has appended.
 */
static void keep_rest(struct writer *w, const struct ms_report_frame *frame,
                      const struct ms_shown *shown, bool explain)
{
    const char *rest = w->base + frame->rest_off;
    size_t n = frame->rest_bytes;
    explain = explain && w->style->explain && shown->why != MS_WHY_COMPLETE;
    if (!explain && !shown->symbol)
        return;
    copy_to(w, frame->rest_off);
    if (explain)
        n = ms_report_rest_bytes(rest, n, false);
    if (shown->symbol)
        add_renamed(w, &w->text, rest, n, shown->symbol);
    else
        ms_text_add(&w->text, rest, n);
    if (explain)
        ms_frame_rest_explain(&w->text, NULL, shown->why);
    flush_text(w);
    w->at = frame->rest_off + frame->rest_bytes;
}

/* Frame k stays, but for its index and the explanation. */
static void keep_frame(struct writer *w, size_t k, bool explain)
{
    const struct ms_report_frame *frame = &w->report->frames[k];
    const struct ms_shown *shown = &w->shown[k];
    uint64_t index = shifted(w, frame->index);
    if (index != frame->index) {
        copy_to(w, frame->line_off);
        add_prefix(w, frame, index);
        flush_text(w);
        w->at = frame->rest_off;
    }
    keep_rest(w, frame, shown, explain);
}

static bool same_call(const struct ms_report_frame *a, const struct ms_report_frame *b)
{
    return a->form == b->form && a->place == b->place && a->group == b->group &&
           a->address_rt == b->address_rt;
}

/*
 * Writes the frames from i on that share one call: those inlined and, last, their function; gives
 * the next one. Where the report has lost the function, each inlined line stands for itself.
 */
static size_t write_call(struct writer *w, size_t i)
{
    const struct ms_report *report = w->report;
    const struct ms_report_frame *first = &report->frames[i];
    size_t k = i;
    while (k < report->n_frames && report->frames[k].inlined &&
           same_call(first, &report->frames[k]))
        k++;
    bool has_function = k < report->n_frames && same_call(first, &report->frames[k]);
    size_t end = has_function ? k + 1 : k;
    bool drops_inlined = has_function && has_name(&w->shown[k]);
    for (size_t j = drops_inlined ? k : i; j < end; j++) {
        size_t start = drops_inlined ? i : j;
        follow_sequence(w, &report->frames[start]);
        if (has_answer(&w->shown[j]) && (j == k || !has_function))
            replace_frame(w, start, j);
        else
            keep_frame(w, j, j == k || !has_function);
        w->last_index = report->frames[j].index;
    }
    return end;
}

/* The address in a recursion line: one line, so one name, that of the function itself. */
static void write_elided(struct writer *w, size_t i)
{
    const struct ms_shown *shown = &w->shown[i];
    const struct ms_report_frame *frame = &w->report->frames[i];
    if (!has_answer(shown)) {
        keep_rest(w, frame, shown, true);
        return;
    }
    copy_to(w, frame->line_off);
    add_line(w, frame, shown, shown->n_frames - 1, frame->index);
    flush_text(w);
    w->at = frame->line_off + frame->line_bytes;
}

/* ---- lists of addresses --------------------------------------------------------------- */

static const char *image_column(const struct writer *w, int32_t image)
{
    if (image < 0)
        return "???";
    const struct ms_report_image *one = &w->report->images[image];
    const char *slash = one->path ? strrchr(one->path, '/') : NULL;
    if (slash && slash[1]) /* frames name the file; the list may have a bundle identifier */
        return slash + 1;
    return one->name ? one->name : "???";
}

/* "0   Widget                        \t0x0000000102601a40 ", as iOS wrote frames of lists. */
static void add_list_prefix(struct writer *w, const struct ms_report_frame *frame, uint64_t index)
{
    size_t from = w->text.n;
    ms_text_printf(&w->text, "%-4" PRIu64 "%-30s", index, image_column(w, frame->image));
    ms_text_plain_from(&w->text, from, false); /* a TAB would end the column */
    escape_html(w, &w->text, from);
    ms_text_printf(&w->text, "\t0x%0*" PRIx64 " ", w->is_32_bit ? 8 : 16, frame->address_rt);
}

static void add_list_rest(struct writer *w, const struct ms_report_frame *frame,
                          const struct ms_shown_frame *one, bool inlined)
{
    char old[64];
    uint64_t load = frame->image >= 0 ? w->report->images[frame->image].load_rt : 0;
    int n = snprintf(old, sizeof old, "0x%" PRIx64 " + %" PRIu64, load, frame->address_rt - load);
    size_t from = w->text.n;
    if (one)
        ms_frame_rest_add(&w->text, one, inlined, old, (size_t)n);
    else
        ms_text_add(&w->text, old, (size_t)n);
    escape_html(w, &w->text, from);
}

/* The bytes around a list's addresses that belong to it: its parentheses and what is within. */
static size_t find_list_start(const struct writer *w, size_t first)
{
    size_t at = first;
    while (at > w->at && strchr(" \t\r\n,>", w->base[at - 1]) && w->base[at - 1])
        at--;
    return at > w->at && w->base[at - 1] == '(' ? at - 1 : first;
}

static size_t find_list_end(const struct writer *w, size_t last)
{
    size_t at = last, end = w->report->off + w->report->bytes;
    while (at < end && strchr(" \t\r\n,>", w->base[at]) && w->base[at])
        at++;
    return at < end && w->base[at] == ')' ? at + 1 : last;
}

/* Frames i to `end` - 1 are one list, of which something is known: it becomes frame lines. */
static void replace_list(struct writer *w, size_t i, size_t end)
{
    const struct ms_report_frame *frames = w->report->frames;
    size_t open = find_list_start(w, frames[i].line_off);
    size_t close = find_list_end(w, frames[end - 1].line_off + frames[end - 1].line_bytes);
    size_t line_off = open;
    while (line_off > w->report->off && !strchr("\r\n", w->base[line_off - 1]))
        line_off--;
    size_t indent = strspn(w->base + line_off, " \t>");
    bool own_line = line_off + indent >= open;
    if (own_line)
        indent = open - line_off;
    const char *stop;
    size_t stop_bytes = line_end(w, close, line_off, &stop);
    copy_to(w, open);
    uint64_t number = 0;
    bool new_line = !own_line;
    for (size_t k = i; k < end; k++) {
        const struct ms_shown *shown = &w->shown[k];
        size_t n = has_answer(shown) ? shown->n_frames : 1;
        for (size_t j = w->style->no_inlines ? n - 1 : 0; j < n; j++) {
            const struct ms_shown_frame *one = has_answer(shown) ? &shown->frames[j] : NULL;
            if (new_line) {
                ms_text_add(&w->text, stop, stop_bytes);
                ms_text_add(&w->text, w->base + line_off, indent);
            }
            new_line = true;
            add_list_prefix(w, &frames[k], w->style->renumber ? number : frames[k].index);
            add_list_rest(w, &frames[k], one, j + 1 < n);
            if (w->style->explain && (one || shown->why != MS_WHY_COMPLETE))
                ms_frame_rest_explain(&w->text, one, shown->why);
            flush_text(w);
            number++;
        }
    }
    w->at = close;
}

static size_t write_list(struct writer *w, size_t i)
{
    const struct ms_report *report = w->report;
    size_t end = i;
    bool any = false;
    do
        any |= has_answer(&w->shown[end]);
    while (++end < report->n_frames && report->frames[end].form == MS_FORM_BARE &&
           report->frames[end].index > report->frames[end - 1].index);
    if (any)
        replace_list(w, i, end);
    return end;
}

/* ---- registers ------------------------------------------------------------------------ */

/* pc and lr in an image: their functions are told at the end of the line that they stand in. */
static size_t write_registers(struct writer *w, size_t i)
{
    const struct ms_report *report = w->report;
    size_t end = report->off + report->bytes, off = report->frames[i].line_off, stop = off;
    while (stop < end && !strchr("\r\n", w->base[stop]))
        stop++;
    bool told = false;
    for (size_t first = i; i < report->n_frames && report->frames[i].form == MS_FORM_REGISTER &&
                           (i == first || report->frames[i].line_off < stop);
         i++) {
        if (!ms_register_is_control(report->frames[i].reg) || !has_name(&w->shown[i]))
            continue;
        if (!told) { /* in place of what an earlier run has told */
            size_t cut = off;
            while (cut + 4 <= stop && memcmp(w->base + cut, " // ", 4) != 0)
                cut++;
            copy_to(w, cut + 4 <= stop ? cut : stop);
            w->at = stop;
        }
        told = true;
        ms_register_rest_add(&w->text, report->frames[i].reg, &w->shown[i]);
        flush_text(w);
    }
    return i;
}

/* ---- the report ----------------------------------------------------------------------- */

static void write_frames(struct writer *w)
{
    const struct ms_report *report = w->report;
    for (size_t i = 0; i < report->n_frames && !w->sink->failed && !w->text.failed;) {
        const struct ms_report_frame *frame = &report->frames[i];
        if (frame->form == MS_FORM_BARE) {
            i = write_list(w, i);
        } else if (frame->form == MS_FORM_REGISTER) {
            i = write_registers(w, i);
        } else if (frame->form != MS_FORM_LINE) {
            i++;
        } else if (frame->place == MS_PLACE_ELIDED) {
            write_elided(w, i++);
        } else {
            i = write_call(w, i);
        }
    }
}

enum ms_status ms_crash_text_write(const struct ms_report_file *file, size_t report,
                                   const struct ms_shown *shown,
                                   const struct ms_report_style *style, struct ms_sink *sink,
                                   struct ms_error *err)
{
    struct writer w;
    memset(&w, 0, sizeof w);
    w.report = &file->reports[report];
    w.shown = shown;
    w.style = style;
    w.sink = sink;
    w.base = (const char *)file->bytes.at;
    w.file_bytes = file->bytes.n;
    w.at = w.report->off;
    w.terminator = w.report->bytes && !memchr(w.base + w.at, '\n', w.report->bytes) ? '\r' : '\n';
    w.escaped = is_html_source(w.base + w.report->off, w.report->bytes);
    const char *code = w.report->code_type;
    w.is_32_bit = code && !strstr(code, "64");
    ms_text_init(&w.text, MAX_LINE);
    write_frames(&w);
    enum ms_status status = ms_text_check(&w.text, err);
    if (status == MS_OK)
        copy_to(&w, w.report->off + w.report->bytes);
    ms_text_fini(&w.text);
    return status;
}
