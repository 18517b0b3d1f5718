/* Names that an .ips has and keeps, made readable: their bytes change and no others. */
#include "unit/ips_builder.h"

/* A copy of the report in which each "_ZX" is the other text. */
static struct ms_text replaced(const char *report, const char *other)
{
    struct ms_text text;
    ms_text_init(&text, 1 << 20);
    for (const char *at; (at = strstr(report, "_ZX")); report = at + 3) {
        ms_text_add(&text, report, (size_t)(at - report));
        ms_text_puts(&text, other);
    }
    ms_text_puts(&text, report);
    return text;
}

static struct ms_text renamed(const struct parsed *p, enum ms_report_format format,
                              const struct ms_shown_frame *start,
                              const struct ms_report_style *style)
{
    const struct ms_report *report = &p->file.reports[0];
    struct ms_shown *shown = calloc(report->n_frames + 1, sizeof *shown);
    cr_assert_not_null(shown);
    for (size_t i = 0; i < report->n_frames; i++) {
        const char *symbol = report->frames[i].symbol;
        shown[i].why = MS_WHY_STRIPPED;
        shown[i].frames = start;
        shown[i].n_frames = start != NULL;
        if (symbol && strcmp(symbol, "_ZX") == 0)
            shown[i].symbol = "foo::\"x\"/";
    }
    struct ms_text text = write_report(p, 0, shown, format, style);
    free(shown);
    return text;
}

static void expect(const char *report, const struct ms_shown_frame *start)
{
    struct parsed p = parse(report);
    struct ms_text text = renamed(&p, MS_FORMAT_SAME, start, NULL);
    struct ms_text wanted = replaced(report, "foo::\\\"x\\\"\\/"); /* as the file has slashes */
    cr_expect_str_eq(text.at, wanted.at, "written:\n%s", text.at);
    ms_text_fini(&wanted);
    ms_text_fini(&text);
    parsed_fini(&p);
}

static const struct ms_shown_frame start = {
    .has_offset = true, .offset = 64, .start_rt = 0x1025f8000};

#define FRAME(symbol, more)                                                                        \
    "{\"imageOffset\":16,\"symbol\":\"" symbol "\",\"symbolLocation\":8," more "\"imageIndex\":0}"

Test(ips_symbol, only_the_name_changes)
{
    static const char *const members[] = {
        FRAMES(FRAME("_ZX", "") "," FRAME("other", "")),
        /* inlined frames that stay, with their function and without */
        FRAMES(FRAME("_ZX", "\"inline\":true,") "," FRAME("_ZX", "")),
        FRAMES(FRAME("_ZX", "\"inline\":true,") "," FRAME("other", "")),
        FRAMES(FRAME("_ZX", "\"inline\" : true ,")),
        "\"lastExceptionBacktrace\":[" FRAME("_ZX", "") "],\"threads\":[]",
        "\"threads\":[{\"threadState\":{\"pc\":{\"value\":4334780432,\"symbol\" : \"_ZX\"}}}]",
        "\"threads\":[{\"recursionInfoArray\":[{\"hottestElided\":1,\"coldestElided\":9,"
        "\"keyFrame\":" FRAME("_ZX", "") "}],\"frames\":[" FRAME("_ZX", "") "]}]",
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char report[2048];
        snprintf(report, sizeof report, "%s{\"procName\":\"Widget\",%s,%s}\n", HEADER, members[i],
                 IMAGES);
        expect(report, NULL);
        expect(report, &start); /* JSON has no place for that */
    }
}

#define LINE "0   Widget                              0x00000001025f8010 "

Test(ips_symbol, lines_in_strings)
{
    expect(HEADER PAYLOAD("\"asiBacktraces\":[\"" LINE "_ZX + 4\\n" LINE "other + 16\\n" LINE
                          "_ZX + 4 (a \\\"b\\\".c:7)\"]"),
           NULL);
    struct parsed p = parse(HEADER PAYLOAD("\"asiBacktraces\":[\"" LINE "_ZX + 4\"]"));
    struct ms_text text = renamed(&p, MS_FORMAT_SAME, &start, NULL);
    cr_expect_not_null(strstr(text.at, "\"" LINE "foo::\\\"x\\\"\\/ + 4 (function at 0x1025f8000 "
                                       "+ 64)\""),
                       "%s", text.at);
    ms_text_fini(&text);
    parsed_fini(&p);
}

Test(ips_symbol, in_the_text_made_of_it)
{
    static const struct ms_report_style explain = {.explain = true};
    struct parsed p = parse(HEADER PAYLOAD("\"asiBacktraces\":[\"" LINE "_ZX + 4\"]," FRAMES(
        FRAME("_ZX", "\"inline\":true,") "," FRAME("_ZX", ""))));
    struct ms_text text = renamed(&p, MS_FORMAT_TEXT, NULL, NULL);
    cr_expect_not_null(strstr(text.at, LINE "foo::\"x\"/ + 4\n"), "%s", text.at);
    cr_expect_not_null(
        strstr(text.at,
               "0   Widget                        \t       0x1025f8010 foo::\"x\"/ + 8 [inlined]\n"
               "1   Widget                        \t       0x1025f8010 foo::\"x\"/ + 8\n"),
        "%s", text.at);
    ms_text_fini(&text);
    text = renamed(&p, MS_FORMAT_TEXT, &start, &explain);
    cr_expect_not_null(strstr(text.at, "0x1025f8010 foo::\"x\"/ + 8 (function at 0x1025f8000 + "
                                       "64) // "),
                       "%s", text.at);
    ms_text_fini(&text);
    parsed_fini(&p);
}
