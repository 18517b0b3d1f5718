/* Names that a crash text has and keeps, made readable: their bytes change and no others. */
#include "report_text.h"

#include <stdlib.h>

static bool append(void *to, const char *bytes, size_t n)
{
    struct ms_text *text = to;
    ms_text_add(text, bytes, n);
    return !text->failed;
}

static const char readable[] = "foo<int>::bar(char const*)";

/* Shows that name for every frame that has one called _X; `start`: and where it starts. */
static void expect_written(const char *text, const struct ms_shown_frame *start,
                           const struct ms_report_style *style, const char *expected)
{
    struct ms_report_file file = parse(text);
    struct ms_report *report = &file.reports[0];
    struct ms_shown *shown = calloc(report->n_frames + 1, sizeof *shown);
    struct ms_text out;
    struct ms_error err;
    ms_text_init(&out, 1 << 20);
    struct ms_sink sink = {.write = append, .to = &out};
    for (size_t i = 0; i < report->n_frames; i++) {
        const char *symbol = report->frames[i].symbol;
        shown[i].why = MS_WHY_STRIPPED;
        if (!symbol || strncmp(symbol, "_ZX", 3) != 0)
            continue;
        shown[i].symbol = readable;
        shown[i].frames = start;
        shown[i].n_frames = start != NULL;
    }
    cr_assert_eq(ms_report_write(&file, 0, shown, MS_FORMAT_SAME, style, &sink, &err), MS_OK);
    cr_expect_str_eq(out.at, expected, "written:\n%s", out.at);
    ms_text_fini(&out);
    free(shown);
    ms_report_file_fini(&file);
}

#define START "Process: Widget [842]\nException Type:  EXC_CRASH\n\nThread 0 Crashed:\n"
#define LINE(index, rest) index "   Widget  \t       0x102601a40 " rest

static const struct ms_report_style plain = {false, false, false};
static const struct ms_report_style renumber = {false, true, false};
static const struct ms_report_style explain = {false, false, true};

Test(report_symbol, only_the_name_changes)
{
    expect_written(
        START LINE("0", "_ZX + 120\n") LINE("1", "_ZX + 0x8 (a.cpp:3:7)  \r\n")
            LINE("2", "_ZX (in Widget) (a.cpp:3)\n") LINE("3", "_ZX\n") LINE("4", "other + 3\n")
                LINE("5", "0x1025f8000 + 39488 (_ZX + 8)\n") LINE("6", "_ZX + 1 // no-file\n"),
        NULL, &plain,
        START LINE("0", "foo<int>::bar(char const*) + 120\n")
            LINE("1", "foo<int>::bar(char const*) + 0x8 (a.cpp:3:7)  \r\n")
                LINE("2", "foo<int>::bar(char const*) (a.cpp:3)\n")
                    LINE("3", "foo<int>::bar(char const*)\n") LINE("4", "other + 3\n")
                        LINE("5", "0x1025f8000 + 39488 (foo<int>::bar(char const*) + 8)\n")
                            LINE("6", "foo<int>::bar(char const*) + 1 // no-file\n"));
}

Test(report_symbol, inlined_lines_that_stay)
{
    expect_written(START LINE("0", "_ZX (b.cpp:9) [inlined]\n") LINE("0", "_ZX + 4\n"), NULL,
                   &renumber,
                   START LINE("0", "foo<int>::bar(char const*) (b.cpp:9) [inlined]\n")
                       LINE("0", "foo<int>::bar(char const*) + 4\n"));
}

Test(report_symbol, the_line_in_a_recursion)
{
    expect_written(START LINE("0", "main + 4\n") "--------\n-------- ELIDED 4 LEVELS OF RECURSION "
                                                 "THROUGH 0x102601a40 _ZX + 8\n--------\n",
                   NULL, &plain,
                   START LINE("0", "main + 4\n") "--------\n-------- ELIDED 4 LEVELS OF RECURSION "
                                                 "THROUGH 0x102601a40 foo<int>::bar(char const*) "
                                                 "+ 8\n--------\n");
}

Test(report_symbol, with_the_reason_why_it_stays)
{
    expect_written(START LINE("0", "_ZX + 120 // no-file\n"), NULL, &explain,
                   START LINE("0", "foo<int>::bar(char const*) + 120 // stripped\n"));
}

Test(report_symbol, with_where_the_function_starts)
{
    static const struct ms_shown_frame start = {
        .has_offset = true, .offset = 64, .start_rt = 0x102601a00};
    expect_written(START LINE("0", "_ZX + 120\n"), &start, &plain,
                   START LINE("0", "foo<int>::bar(char const*) + 120 (function at 0x102601a00 "
                                   "+ 64)\n"));
}

/* Copied out of the source of a page, as the UUID shows. */
Test(report_symbol, in_html)
{
    static const struct ms_shown_frame start = {
        .has_offset = true, .offset = 64, .start_rt = 0x102601a00};
#define HTML_IMAGES                                                                                \
    "\nBinary Images:\n"                                                                           \
    "       0x1025f8000 -        0x1026affff Widget arm64  &lt;" UUID_LOW                          \
    "&gt; /var/X.app/Widget\n"
    expect_written(START LINE("0", "_ZX + 120\n") HTML_IMAGES, NULL, &plain,
                   START LINE("0", "foo&lt;int&gt;::bar(char const*) + 120\n") HTML_IMAGES);
    expect_written(START LINE("0", "_ZX + 120\n") HTML_IMAGES, &start, &plain,
                   START LINE("0", "foo&lt;int&gt;::bar(char const*) + 120 (function at "
                                   "0x102601a00 + 64)\n") HTML_IMAGES);
}
