/* Any file whatever: it is read or refused; what is read is sound, and can be written. */
#include "report_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_one(const struct ms_report_file *file, size_t i, enum ms_report_format format)
{
    const struct ms_report *report = &file->reports[i];
    struct ms_shown *shown = calloc(report->n_frames + 1, sizeof *shown);
    struct ms_text text;
    struct ms_error err;
    struct ms_sink sink = check_sink(&text);
    if (!shown)
        abort();
    enum ms_status status = ms_report_write(file, i, shown, format, NULL, &sink, &err);
    CHECK(status == MS_OK || format != MS_FORMAT_SAME);
    if (format == MS_FORMAT_SAME && report->kind == MS_REPORT_TEXT)
        CHECK(text.n == report->bytes &&
              (!text.n || !memcmp(text.at, file->bytes.at + report->off, text.n)));
    ms_text_fini(&text);
    free(shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_report_file file;
    struct ms_error err = {0};
    struct ms_bytes bytes = {data, size};
    enum ms_status status = ms_report_parse(bytes, "fuzz", &file, &err);
    if (status != MS_OK) {
        char line[MS_ERROR_LINE];
        CHECK(status == MS_E_FORMAT);
        CHECK(err.text[0] && ms_error_describe(&err, line));
        return 0;
    }
    check_reports(&file);
    for (size_t i = 0; i < file.n_reports; i++) {
        write_one(&file, i, MS_FORMAT_SAME);
        if (file.reports[i].kind == MS_REPORT_IPS)
            write_one(&file, i, MS_FORMAT_TEXT);
    }
    ms_report_file_fini(&file);
    return 0;
}
