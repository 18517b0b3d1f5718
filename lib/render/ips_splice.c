/*
 * A JSON report with names put in. Everything is a replacement of some bytes of the file; what
 * lies between the replacements is copied. So whatever isn't understood (unknown members,
 * duplicate keys, a template's @foo@, junk after the end) comes out as it came in, and with
 * nothing to show the file comes out byte for byte.
 *
 * Inlined frames become objects of their own, as in Apple's reports. The indices that
 * recursionInfoArray has into the frames (hottestElided, coldestElided, and originalLength)
 * are moved by as many, or they would point to other frames than they did.
 */
#include "render/ips_string.h"

#include "base/array.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bytes [off, off + n) of the file become [text_off, text_off + text_n) of the pool. */
struct edit {
    size_t off, n;
    size_t text_off, text_n;
};

struct splice {
    const struct ms_ips_view *view;
    struct ms_ips_quoting quoting;
    struct edit *edits;
    size_t n_edits, room;
    struct ms_text pool;
    struct ms_ips_strings strings;
    int64_t *moved; /* objects added in front of frame i: n_frames + 1 running sums */
    bool failed;
};

static void edit_begin(struct splice *s, size_t off, size_t n)
{
    struct edit edit = {off, n, s->pool.n, 0};
    if (!MS_PUSH(s->edits, s->n_edits, s->room, edit))
        s->failed = true;
}

static void edit_end(struct splice *s)
{
    if (!s->failed && s->n_edits) {
        struct edit *edit = &s->edits[s->n_edits - 1];
        edit->text_n = s->pool.n - edit->text_off;
    }
}

/* What was to be written is what is there. */
static void edit_cancel(struct splice *s)
{
    if (s->failed || !s->n_edits)
        return;
    s->pool.n = s->edits[--s->n_edits].text_off;
}

static void edit_drop(struct splice *s, size_t off, size_t n)
{
    edit_begin(s, off, n);
    edit_end(s);
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

/* Frames i to real - 1 are the inlined ones that the report has of the real frame. */
static void splice_object(struct splice *s, size_t i, size_t real)
{
    const struct ms_report_frame *frame = &s->view->report->frames[real];
    struct ms_shown shown = ms_ips_shown(s->view, real);
    size_t off = s->view->report->frames[i].line_off;
    if (!has_name(&shown))
        return;
    if (real > i)
        edit_drop(s, off, frame->line_off - off);
    edit_begin(s, frame->line_off, frame->line_bytes);
    if (frame->place == MS_PLACE_ELIDED) /* alone, not in an array of frames */
        ms_ips_object_named(&s->pool, s->view->in, object_of(frame), "imageOffset",
                            &shown.frames[shown.n_frames - 1], true, s->quoting);
    else {
        size_t added = ms_ips_object_frames(&s->pool, s->view->in, object_of(frame), shown.frames,
                                            shown.n_frames, s->quoting);
        s->moved[i + 1] += (int64_t)added - (int64_t)(real - i);
    }
    edit_end(s);
}

static void splice_register(struct splice *s, size_t i)
{
    const struct ms_report_frame *frame = &s->view->report->frames[i];
    struct ms_shown shown = ms_ips_shown(s->view, i);
    if (!has_name(&shown))
        return;
    edit_begin(s, frame->line_off, frame->line_bytes);
    ms_ips_object_named(&s->pool, s->view->in, object_of(frame), "value",
                        &shown.frames[shown.n_frames - 1], false, s->quoting);
    edit_end(s);
}

/* ---- lines of a string ----------------------------------------------------------------- */

static void splice_lines(struct splice *s, size_t i, size_t last, bool has_real)
{
    const struct ms_report_frame *frames = s->view->report->frames;
    size_t off = frames[i].line_off;
    edit_begin(s, off, ms_ips_line_end(&frames[last]) - off);
    if (ms_ips_strings_add(&s->strings, &s->pool, i, last, has_real))
        edit_end(s);
    else
        edit_cancel(s);
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
    edit_begin(s, value.off, value.n);
    ms_text_printf(&s->pool, "%" PRIu64, number + (uint64_t)by);
    edit_end(s);
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

static void splice_recursions(struct splice *s)
{
    const struct ms_report *report = s->view->report;
    struct ms_json_iter iter;
    struct ms_json_member element;
    size_t number = 0;
    for (size_t i = 0; i < report->n_frames; i++)
        s->moved[i + 1] += s->moved[i];
    if (s->n_edits == 0)
        return;
    ms_json_iter_open(&iter, s->view->in, ms_json_get(s->view->in, s->view->payload, "threads"));
    while (number < report->n_threads && ms_json_iter_next(&iter, &element))
        splice_recursion(s, element.value, number++);
}

/* ---- all of it ------------------------------------------------------------------------- */

static void splice_frames(struct splice *s)
{
    const struct ms_report *report = s->view->report;
    size_t real;
    for (size_t i = 0; i < report->n_frames; i = real + 1) {
        bool has_real;
        enum ms_report_form form = report->frames[i].form;
        real = ms_ips_run_end(report, i, &has_real);
        if (form == MS_FORM_STRING)
            splice_lines(s, i, real, has_real);
        else if (form == MS_FORM_REGISTER)
            splice_register(s, i);
        else if (form == MS_FORM_OBJECT && has_real)
            splice_object(s, i, real);
    }
}

static int compare_edits(const void *a, const void *b)
{
    const struct edit *x = a, *y = b;
    return x->off < y->off ? -1 : x->off > y->off;
}

static void write_all(const struct splice *s, struct ms_sink *sink)
{
    const struct ms_report *report = s->view->report;
    const char *bytes = (const char *)s->view->in.at;
    size_t at = report->off, end = report->off + report->bytes;
    for (size_t i = 0; i < s->n_edits; i++) {
        const struct edit *edit = &s->edits[i];
        if (edit->off < at || edit->off + edit->n > end)
            continue; /* edits don't overlap; a byte is never written twice */
        ms_sink_write(sink, bytes + at, edit->off - at);
        if (edit->text_n)
            ms_sink_write(sink, s->pool.at + edit->text_off, edit->text_n);
        at = edit->off + edit->n;
    }
    ms_sink_write(sink, bytes + at, end - at);
}

/* Does the file write "/" as "\/"? Its first slash tells. */
static bool escapes_slash(const struct ms_ips_view *view)
{
    const uint8_t *at = view->in.at + view->payload.off;
    const uint8_t *slash = view->payload.n ? memchr(at, '/', view->payload.n) : NULL;
    return slash && slash > at && slash[-1] == '\\';
}

static enum ms_status check(const struct splice *s, struct ms_error *err)
{
    if (s->failed)
        return ms_fail_memory(err);
    return ms_text_check(&s->pool, err);
}

enum ms_status ms_ips_splice(const struct ms_ips_view *view, struct ms_sink *sink,
                             struct ms_error *err)
{
    struct splice s;
    memset(&s, 0, sizeof s);
    s.view = view;
    s.quoting.escape_slash = escapes_slash(view);
    ms_text_init(&s.pool, SIZE_MAX / 4);
    ms_ips_strings_init(&s.strings, view, true, s.quoting);
    s.moved = calloc(view->report->n_frames + 1, sizeof *s.moved);
    s.failed = !s.moved;
    if (!s.failed) {
        splice_frames(&s);
        splice_recursions(&s);
        if (s.n_edits > 1)
            qsort(s.edits, s.n_edits, sizeof *s.edits, compare_edits);
    }
    enum ms_status status = check(&s, err);
    if (status == MS_OK)
        write_all(&s, sink);
    free(s.edits);
    free(s.moved);
    ms_text_fini(&s.pool);
    ms_ips_strings_fini(&s.strings);
    return status;
}
