#include "render/crash_text_write.h"
#include "render/ips_write.h"

enum ms_status ms_report_write(const struct ms_report_file *file, size_t report,
                               const struct ms_shown *shown, enum ms_report_format format,
                               const struct ms_report_style *style, struct ms_sink *sink,
                               struct ms_error *err)
{
    static const struct ms_report_style plain = {false, false, false};
    if (report >= file->n_reports)
        return ms_fail(err, MS_E_ARGUMENT, file->name, MS_NO_OFFSET,
                       "report %zu was asked for, the file has %zu", report, file->n_reports);
    if (!style)
        style = &plain;
    if (file->reports[report].kind == MS_REPORT_IPS)
        return ms_ips_write(file, report, shown, format == MS_FORMAT_SAME ? MS_FORMAT_IPS : format,
                            style, sink, err);
    if (format == MS_FORMAT_IPS)
        return ms_fail(err, MS_E_UNSUPPORTED, file->name, file->reports[report].off,
                       "a text report cannot be written as .ips: it lacks what that holds");
    return ms_crash_text_write(file, report, shown, style, sink, err);
}
