/**
 * render/ips_view.h: the JSON of a report that is written, and the pieces that its writers
 * share.
 */
#ifndef MS_RENDER_IPS_VIEW_H
#define MS_RENDER_IPS_VIEW_H

#include "base/text.h"
#include "machsym/report.h"
#include "report/json_scan.h"

/** One report with what is to be shown of it. */
struct ms_ips_view {
    struct ms_bytes in; /**< the file */
    const struct ms_report *report;
    const struct ms_shown *shown; /**< one a frame of the report */
    const struct ms_report_style *style;
    struct ms_json_value header, payload; /**< kind MS_JSON_BAD where the report has none */
};

/**
 * The last of the frames that belong together from frame i on: inlined frames that the report
 * has already, and the function that they were inlined into, all at one address. A frame that
 * isn't inlined stands alone.
 * @param has_real  whether that last one is the function; its names replace them all
 */
size_t ms_ips_run_end(const struct ms_report *report, size_t i, bool *has_real);

/** What is shown of a frame, without the inlined ones when the style says so. */
struct ms_shown ms_ips_shown(const struct ms_ips_view *view, size_t i);

/** The report as JSON with names put in: render/ips_splice.c. */
enum ms_status ms_ips_splice(const struct ms_ips_view *view, struct ms_sink *sink,
                             struct ms_error *err);
/** The report as the classic text: render/ips_text.c. */
enum ms_status ms_ips_text(const struct ms_ips_view *view, struct ms_sink *sink,
                           struct ms_error *err);

#endif
