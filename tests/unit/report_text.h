/*
 * Crash reports as strings of the test: parsed whole, and each frame as one short line, so that
 * a test shows report and model side by side.
 */
#ifndef TESTS_UNIT_REPORT_TEXT_H
#define TESTS_UNIT_REPORT_TEXT_H

#include "base/text.h"
#include "machsym/error.h"
#include "machsym/report.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

#define UUID_LOW "0f1e2d3c4b5a36978877665544332211"
#define UUID_DASHED "0f1e2d3c-4b5a-3697-8877-665544332211"
#define UUID_UPPER "0F1E2D3C-4B5A-3697-8877-665544332211"

/* The app of most tests: 0x1025f8000, 0xb8000 bytes. */
#define IOS_IMAGE                                                                                  \
    "       0x1025f8000 -        0x1026affff Widget arm64  <" UUID_LOW "> /var/X.app/Widget\n"
#define MAC_IMAGE                                                                                  \
    "       0x1025f8000 -        0x1026affff +com.example.Widget (1.0 - 7) <" UUID_UPPER           \
    "> /Applications/Widget.app/Contents/MacOS/Widget\n"
#define HEADER                                                                                     \
    "Process:             Widget [842]\n"                                                          \
    "Code Type:           ARM-64 (Native)\n"                                                       \
    "Exception Type:  EXC_CRASH (SIGABRT)\n"                                                       \
    "\n"

static struct ms_bytes bytes_of(const char *text)
{
    return (struct ms_bytes){(const uint8_t *)text, strlen(text)};
}

/* The text must be one file with reports; `text` must outlive the result. */
static inline struct ms_report_file parse(const char *text)
{
    struct ms_report_file file;
    struct ms_error err;
    char line[MS_ERROR_LINE];
    memset(&err, 0, sizeof err);
    enum ms_status status = ms_report_parse(bytes_of(text), "test.crash", &file, &err);
    cr_assert_eq(status, MS_OK, "%s\n%s", ms_error_describe(&err, line), text);
    return file;
}

static const char *const place_letters = "TLAER";

/*
 * "T0 #1 0x102601a40-1 Widget f+8 a.c:3 kept inlined": place and group, index, address (-1: it
 * is looked up at one less), image, symbol and offset, file and line, named, inlined.
 */
static inline void describe_frame(struct ms_text *out, const struct ms_report *report, size_t i)
{
    const struct ms_report_frame *f = &report->frames[i];
    const struct ms_report_image *image = f->image >= 0 ? &report->images[f->image] : NULL;
    ms_text_printf(out, "%c%d #%" PRIu32 " 0x%" PRIx64 "%s %s", place_letters[f->place],
                   (int)f->group, f->index, f->address_rt,
                   f->lookup_rt == f->address_rt ? "" : "-1",
                   image ? (image->name ? image->name : "unnamed") : "-");
    if (f->symbol)
        ms_text_printf(out, " %s", f->symbol);
    if (f->has_offset)
        ms_text_printf(out, "+%" PRIu64, f->offset);
    if (f->file)
        ms_text_printf(out, " %s:%" PRIu32, f->file, f->line);
    ms_text_printf(out, "%s%s\n", f->named ? " kept" : "", f->inlined ? " inlined" : "");
}

static inline void expect_frames_of(const struct ms_report *report, const char *expected)
{
    struct ms_text out;
    ms_text_init(&out, 1 << 20);
    ms_text_puts(&out, "");
    for (size_t i = 0; i < report->n_frames; i++)
        describe_frame(&out, report, i);
    cr_expect_str_eq(out.at ? out.at : "", expected, "frames are\n%s", out.at ? out.at : "");
    ms_text_fini(&out);
}

/* Parses a file of one report and compares all its frames. */
static inline void expect_frames(const char *text, const char *expected)
{
    struct ms_report_file file = parse(text);
    cr_expect_eq(file.n_reports, 1);
    expect_frames_of(&file.reports[0], expected);
    ms_report_file_fini(&file);
}

#endif
