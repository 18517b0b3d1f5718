/*
 * What must hold of every report that was read, however broken the file: spans lie in the
 * report and in order, indexes lie in their arrays, the reports cover the file.
 */
#ifndef TESTS_FUZZ_REPORT_CHECK_H
#define TESTS_FUZZ_REPORT_CHECK_H

#include "base/text.h"
#include "machsym/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void check_frame(const struct ms_report *report, const struct ms_report_frame *frame)
{
    size_t end = report->off + report->bytes;
    CHECK(frame->line_off >= report->off && frame->line_off <= end);
    CHECK(frame->line_bytes <= end - frame->line_off);
    CHECK(frame->rest_off >= frame->line_off &&
          frame->rest_off - frame->line_off <= frame->line_bytes);
    CHECK(frame->rest_bytes <= frame->line_bytes - (frame->rest_off - frame->line_off));
    CHECK(frame->image >= -1 && (frame->image < 0 || (size_t)frame->image < report->n_images));
    CHECK(frame->place != MS_PLACE_THREAD || frame->group < report->n_threads);
    CHECK(frame->lookup_rt == frame->address_rt || frame->lookup_rt == frame->address_rt - 1);
    CHECK(!frame->named || frame->symbol);
    CHECK(frame->place != MS_PLACE_REGISTER || frame->image >= 0);
}

static inline void check_reports(const struct ms_report_file *file)
{
    size_t at = 0;
    CHECK(file->n_reports > 0);
    for (size_t i = 0; i < file->n_reports; i++) {
        const struct ms_report *report = &file->reports[i];
        CHECK(report->off == at);
        at += report->bytes;
        CHECK(report->crashed_thread >= -1 && report->crashed_thread < (int64_t)report->n_threads);
        for (size_t t = 0; t < report->n_threads; t++)
            CHECK(report->threads[t].first_frame <= report->n_frames &&
                  report->threads[t].n_frames <= report->n_frames - report->threads[t].first_frame);
        for (size_t f = 0; f < report->n_frames; f++) {
            check_frame(report, &report->frames[f]);
            CHECK(report->kind != MS_REPORT_TEXT || f == 0 ||
                  report->frames[f].line_off >= report->frames[f - 1].line_off);
        }
    }
    CHECK(at == file->bytes.n);
}

static bool check_append(void *to, const char *bytes, size_t n)
{
    struct ms_text *text = to;
    ms_text_add(text, bytes, n);
    return !text->failed;
}

static inline struct ms_sink check_sink(struct ms_text *text)
{
    ms_text_init(text, (size_t)1 << 30);
    return (struct ms_sink){.write = check_append, .to = text};
}

#endif
