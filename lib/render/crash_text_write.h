/**
 * render/crash_text_write.h: a text report with names put in.
 */
#ifndef MS_RENDER_CRASH_TEXT_WRITE_H
#define MS_RENDER_CRASH_TEXT_WRITE_H

#include "base/error.h"
#include "machsym/report.h"

/** ms_report_write for a report of kind MS_REPORT_TEXT. Arguments are checked by the caller. */
enum ms_status ms_crash_text_write(const struct ms_report_file *file, size_t report,
                                   const struct ms_shown *shown,
                                   const struct ms_report_style *style, struct ms_sink *sink,
                                   struct ms_error *err);

#endif
