/**
 * render/ips_write.h: a JSON report with names put in, or as classic text.
 */
#ifndef MS_RENDER_IPS_WRITE_H
#define MS_RENDER_IPS_WRITE_H

#include "base/error.h"
#include "machsym/report.h"

/**
 * ms_report_write for a report of kind MS_REPORT_IPS. `format` is any but MS_FORMAT_SAME,
 * which the caller has turned into MS_FORMAT_IPS. Arguments are checked by the caller.
 */
enum ms_status ms_ips_write(const struct ms_report_file *file, size_t report,
                            const struct ms_shown *shown, enum ms_report_format format,
                            const struct ms_report_style *style, struct ms_sink *sink,
                            struct ms_error *err);

#endif
