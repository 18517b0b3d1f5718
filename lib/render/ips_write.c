#include "render/ips_write.h"

#include "render/ips_view.h"

#include <string.h>

/* Does nothing stand between two frames but what parts elements or lines? */
static bool is_next(const struct ms_report_frame *a, const struct ms_report_frame *b)
{
    if (a->form == MS_FORM_STRING)
        return b->line_off - (a->line_off + a->line_bytes) <= strlen("\\r\\n");
    return b->index == a->index + 1; /* an element that is no frame has an index too */
}

size_t ms_ips_run_end(const struct ms_report *report, size_t i, bool *has_real)
{
    const struct ms_report_frame *frames = report->frames, *first = &frames[i];
    *has_real = !first->inlined;
    while (!*has_real && i + 1 < report->n_frames) {
        const struct ms_report_frame *next = &frames[i + 1];
        if (next->place != first->place || next->group != first->group ||
            next->form != first->form || next->address_rt != first->address_rt ||
            !is_next(&frames[i], next))
            break;
        *has_real = !next->inlined;
        i++;
    }
    return i;
}

struct ms_shown ms_ips_shown(const struct ms_ips_view *view, size_t i)
{
    struct ms_shown shown = view->shown[i];
    if (view->style->no_inlines && shown.n_frames > 1) {
        shown.frames += shown.n_frames - 1;
        shown.n_frames = 1;
    }
    return shown;
}

static struct ms_json_value measure(struct ms_bytes in, size_t off, size_t n)
{
    struct ms_json_document document;
    if (n == 0)
        return (struct ms_json_value){MS_JSON_BAD, false, off, 0};
    ms_json_measure(in, off, off + n, NULL, NULL, &document);
    return document.value;
}

enum ms_status ms_ips_write(const struct ms_report_file *file, size_t report,
                            const struct ms_shown *shown, enum ms_report_format format,
                            const struct ms_report_style *style, struct ms_sink *sink,
                            struct ms_error *err)
{
    struct ms_ips_view view;
    memset(&view, 0, sizeof view);
    view.in = file->bytes;
    view.report = &file->reports[report];
    view.shown = shown;
    view.style = style;
    view.header = measure(view.in, view.report->header_off, view.report->header_bytes);
    view.payload = measure(view.in, view.report->payload_off, view.report->payload_bytes);
    if (format == MS_FORMAT_TEXT)
        return ms_ips_text(&view, sink, err);
    return ms_ips_splice(&view, sink, err);
}
