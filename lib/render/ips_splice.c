/*
 * A JSON report with names put in. Everything is a replacement of some bytes of the file; what
 * lies between the replacements is copied. So whatever isn't understood (unknown members,
 * duplicate keys, a template's @foo@, junk after the end) comes out as it came in, and with
 * nothing to show the file comes out byte for byte.
 *
 * Inlined frames become objects of their own, as in Apple's reports. The indices that
 * recursionInfoArray has into the frames (hottestElided, coldestElided, and originalLength)
 * are moved by as many, or they would point to other frames than they did.
 *
 * Those numbers may stand before the frames that they count. So where a thread has any, the
 * frames are made twice: once to count, and once to be written, each handed on as it is made.
 * What a report of a million frames becomes is some twenty times its size, and never in memory.
 */
#include "render/ips_string.h"

#include "base/array.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number of recursionInfoArray: bytes [off, off + n) of the file become `value`. */
struct number {
    size_t off, n;
    uint64_t value;
};

/* Frames that belong together (ms_ips_run_end), by where they stand in the file. */
struct run {
    size_t off;
    uint32_t first, last;
    bool has_real;
};

struct splice {
    const struct ms_ips_view *view;
    struct ms_ips_quoting quoting;
    struct run *runs;
    size_t n_runs, runs_room;
    struct number *numbers;
    size_t n_numbers, numbers_room;
    struct ms_text text; /* what takes the place of one run */
    struct ms_ips_strings strings;
    int64_t *moved;       /* objects added in front of frame i: n_frames + 1 running sums */
    struct ms_sink *sink; /* NULL while counting */
    size_t at;            /* everything before is written */
    size_t next_number;
    bool any; /* something is replaced */
    bool failed;
};

static void replace(struct splice *s, size_t off, size_t n, const char *text, size_t text_n)
{
    if (off < s->at || off > s->view->report->off + s->view->report->bytes - n)
        return; /* replacements don't overlap; a byte is never written twice */
    ms_sink_write(s->sink, (const char *)s->view->in.at + s->at, off - s->at);
    ms_sink_write(s->sink, text, text_n);
    s->at = off + n;
}

/* Writes the numbers that stand before `off`. */
static void write_numbers(struct splice *s, size_t off)
{
    for (; s->next_number < s->n_numbers && s->numbers[s->next_number].off < off;
         s->next_number++) {
        const struct number *number = &s->numbers[s->next_number];
        char text[24];
        int n = snprintf(text, sizeof text, "%" PRIu64, number->value);
        replace(s, number->off, number->n, text, (size_t)n);
    }
}

/* The scratch text takes the place of these bytes. */
static void put(struct splice *s, size_t off, size_t n)
{
    s->any = true;
    if (s->sink && !s->text.failed) {
        write_numbers(s, off);
        replace(s, off, n, s->text.at ? s->text.at : "", s->text.n);
    }
    if (s->text.failed)
        s->failed = true;
    else
        ms_text_clear(&s->text);
}

static bool has_name(const struct ms_shown *shown)
{
    return shown->n_frames && shown->frames[shown->n_frames - 1].function;
}

static struct ms_json_value object_of(const struct ms_report_frame *frame)
{
    return (struct ms_json_value){MS_JSON_OBJECT, false, frame->line_off, frame->line_bytes};
}

/* ---- objects --------------------------------------------------------------------------- */

/* A readable name for the mangled one that the object has and that stays. */
static void splice_symbol(struct splice *s, size_t i)
{
    const char *symbol = s->view->shown[i].symbol;
    if (!symbol)
        return;
    struct ms_json_value old =
        ms_json_get(s->view->in, object_of(&s->view->report->frames[i]), "symbol");
    if (old.kind != MS_JSON_STRING)
        return;
    ms_text_putc(&s->text, '"');
    ms_ips_quote(&s->text, symbol, strlen(symbol), s->quoting);
    ms_text_putc(&s->text, '"');
    put(s, old.off, old.n);
}

/* Frames i to `last` belong together; when the last is real the others are the inlined ones that
 * the report has of it. */
static void splice_object(struct splice *s, size_t i, size_t last, bool has_real)
{
    const struct ms_report_frame *frame = &s->view->report->frames[last];
    struct ms_shown shown = ms_ips_shown(s->view, last);
    size_t off = s->view->report->frames[i].line_off;
    if (!has_real || !has_name(&shown)) {
        for (; i <= last; i++)
            splice_symbol(s, i);
        return;
    }
    if (last > i)
        put(s, off, frame->line_off - off); /* they go */
    if (frame->place == MS_PLACE_ELIDED)    /* alone, not in an array of frames */
        ms_ips_object_named(&s->text, s->view->in, object_of(frame), "imageOffset",
                            &shown.frames[shown.n_frames - 1], true, s->quoting);
    else {
        size_t added = ms_ips_object_frames(&s->text, s->view->in, object_of(frame), shown.frames,
                                            shown.n_frames, s->quoting);
        if (!s->sink)
            s->moved[i + 1] += (int64_t)added - (int64_t)(last - i);
    }
    put(s, frame->line_off, frame->line_bytes);
}

static void splice_register(struct splice *s, size_t i)
{
    const struct ms_report_frame *frame = &s->view->report->frames[i];
    struct ms_shown shown = ms_ips_shown(s->view, i);
    if (!has_name(&shown)) {
        splice_symbol(s, i);
        return;
    }
    ms_ips_object_named(&s->text, s->view->in, object_of(frame), "value",
                        &shown.frames[shown.n_frames - 1], false, s->quoting);
    put(s, frame->line_off, frame->line_bytes);
}

/* ---- lines of a string ----------------------------------------------------------------- */

static void splice_lines(struct splice *s, size_t i, size_t last, bool has_real)
{
    const struct ms_report_frame *frames = s->view->report->frames;
    size_t off = frames[i].line_off;
    if (ms_ips_strings_add(&s->strings, &s->text, i, last, has_real) || s->text.failed)
        put(s, off, ms_ips_line_end(&frames[last]) - off);
    else
        ms_text_clear(&s->text); /* it is what is there */
}

/* ---- recursion ------------------------------------------------------------------------- */

/* How many objects more the thread has in front of the frame that is printed as `index`. */
static int64_t moved_before(const struct splice *s, const struct ms_report_thread *thread,
                            uint64_t index)
{
    const struct ms_report *report = s->view->report;
    size_t low = thread->first_frame, high = low + thread->n_frames;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (report->frames[middle].index < index)
            low = middle + 1;
        else
            high = middle;
    }
    return s->moved[low] - s->moved[thread->first_frame];
}

static void move_number(struct splice *s, struct ms_json_value value, int64_t by)
{
    uint64_t number;
    if (by == 0 || value.kind != MS_JSON_NUMBER || !ms_json_u64(s->view->in, value, &number))
        return;
    struct number moved = {value.off, value.n, number + (uint64_t)by};
    if (!MS_PUSH(s->numbers, s->n_numbers, s->numbers_room, moved))
        s->failed = true;
}

static void splice_recursion(struct splice *s, struct ms_json_value thread, size_t number)
{
    static const char *const keys[] = {"originalLength", "recursionInfoArray"};
    static const char *const info_keys[] = {"coldestElided", "hottestElided"};
    const struct ms_report_thread *model = &s->view->report->threads[number];
    struct ms_bytes in = s->view->in;
    struct ms_json_value top[2], info[2];
    struct ms_json_iter iter;
    struct ms_json_member element;
    ms_json_pick(in, thread, keys, 2, top);
    ms_json_iter_open(&iter, in, top[1]);
    bool any = false;
    while (ms_json_iter_next(&iter, &element)) {
        uint64_t hottest;
        ms_json_pick(in, element.value, info_keys, 2, info);
        if (!ms_json_u64(in, info[1], &hottest))
            continue;
        int64_t by = moved_before(s, model, hottest);
        move_number(s, info[0], by);
        move_number(s, info[1], by);
        any = true;
    }
    if (any)
        move_number(s, top[0], moved_before(s, model, UINT64_MAX));
}

static int compare_numbers(const void *a, const void *b)
{
    const struct number *x = a, *y = b;
    return x->off < y->off ? -1 : x->off > y->off;
}

static void splice_recursions(struct splice *s)
{
    const struct ms_report *report = s->view->report;
    struct ms_json_iter iter;
    struct ms_json_member element;
    size_t number = 0;
    for (size_t i = 0; i < report->n_frames; i++)
        s->moved[i + 1] += s->moved[i];
    ms_json_iter_open(&iter, s->view->in, ms_json_get(s->view->in, s->view->payload, "threads"));
    while (number < report->n_threads && ms_json_iter_next(&iter, &element))
        splice_recursion(s, element.value, number++);
    if (s->n_numbers > 1)
        qsort(s->numbers, s->n_numbers, sizeof *s->numbers, compare_numbers);
}

static bool has_recursion(const struct splice *s)
{
    struct ms_json_iter iter;
    struct ms_json_member element;
    ms_json_iter_open(&iter, s->view->in, ms_json_get(s->view->in, s->view->payload, "threads"));
    while (ms_json_iter_next(&iter, &element))
        if (ms_json_get(s->view->in, element.value, "recursionInfoArray").kind == MS_JSON_ARRAY)
            return true;
    return false;
}

/* ---- all of it ------------------------------------------------------------------------- */

static int compare_runs(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    return x->off < y->off ? -1 : x->off > y->off;
}

/* In the order of the file: members of the JSON may stand in any. */
static void find_runs(struct splice *s)
{
    const struct ms_report *report = s->view->report;
    size_t last;
    for (size_t i = 0; i < report->n_frames && !s->failed; i = last + 1) {
        struct run run = {report->frames[i].line_off, (uint32_t)i, 0, false};
        last = ms_ips_run_end(report, i, &run.has_real);
        run.last = (uint32_t)last;
        if (!MS_PUSH(s->runs, s->n_runs, s->runs_room, run))
            s->failed = true;
    }
    if (s->n_runs > 1)
        qsort(s->runs, s->n_runs, sizeof *s->runs, compare_runs);
}

static void splice_frames(struct splice *s)
{
    for (size_t k = 0; k < s->n_runs && !s->failed && !(s->sink && s->sink->failed); k++) {
        const struct run *run = &s->runs[k];
        enum ms_report_form form = s->view->report->frames[run->first].form;
        if (form == MS_FORM_STRING)
            splice_lines(s, run->first, run->last, run->has_real);
        else if (form == MS_FORM_REGISTER)
            splice_register(s, run->first);
        else if (form == MS_FORM_OBJECT)
            splice_object(s, run->first, run->last, run->has_real);
    }
}

/* Finds the numbers that change with the frames. */
static void count(struct splice *s)
{
    if (!has_recursion(s))
        return;
    splice_frames(s);
    if (s->any && !s->failed)
        splice_recursions(s);
}

static void write_all(struct splice *s, struct ms_sink *sink)
{
    const struct ms_report *report = s->view->report;
    s->sink = sink;
    s->at = report->off;
    s->strings.shift = 0;
    splice_frames(s);
    write_numbers(s, SIZE_MAX);
    replace(s, report->off + report->bytes, 0, "", 0);
}

/* Does the file write "/" as "\/"? Its first slash tells. */
static bool escapes_slash(const struct ms_ips_view *view)
{
    const uint8_t *at = view->in.at + view->payload.off;
    const uint8_t *slash = view->payload.n ? memchr(at, '/', view->payload.n) : NULL;
    return slash && slash > at && slash[-1] == '\\';
}

enum ms_status ms_ips_splice(const struct ms_ips_view *view, struct ms_sink *sink,
                             struct ms_error *err)
{
    struct splice s;
    memset(&s, 0, sizeof s);
    s.view = view;
    s.quoting.escape_slash = escapes_slash(view);
    ms_text_init(&s.text, SIZE_MAX / 4);
    ms_ips_strings_init(&s.strings, view, true, s.quoting);
    s.moved = calloc(view->report->n_frames + 1, sizeof *s.moved);
    s.failed = !s.moved;
    if (!s.failed)
        find_runs(&s);
    if (!s.failed)
        count(&s);
    if (!s.failed)
        write_all(&s, sink);
    enum ms_status status = s.failed ? ms_fail_memory(err) : MS_OK;
    free(s.runs);
    free(s.numbers);
    free(s.moved);
    ms_text_fini(&s.text);
    ms_ips_strings_fini(&s.strings);
    return status;
}
