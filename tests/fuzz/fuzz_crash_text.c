/*
 * Crash text: written back without names it is the input, byte for byte; with made-up names
 * every frame keeps its address, and the result is a report again.
 */
#include "report/crash_text.h"
#include "report_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHAIN = 3 };

/* Up to three levels, as a hash of the frame's address says; none for one in four. */
static void make_up(const struct ms_report_frame *frame, struct ms_shown_frame chain[CHAIN],
                    struct ms_shown *shown)
{
    static const char *const names[CHAIN] = {"inner(_:)", "closure #1 in <middle>", "-[Outer x:]"};
    uint64_t hash = (frame->address_rt * 0x9e3779b97f4a7c15u) >> 32;
    memset(chain, 0, CHAIN * sizeof *chain);
    size_t n = hash % (CHAIN + 1);
    for (size_t i = 0; i < n; i++) {
        struct ms_shown_frame *one = &chain[i];
        one->function = i + 1 == n && hash & 8 ? NULL : names[CHAIN - n + i];
        one->file = hash & 16 ? "Some File (2).swift" : NULL;
        one->line = 42;
        one->inlined = i + 1 < n;
        one->has_offset = i + 1 == n;
        one->offset = 64;
        one->start_rt = frame->address_rt - 64;
        one->source = MS_SOURCE_DWARF;
    }
    shown->frames = n ? chain : NULL;
    shown->n_frames = n;
    shown->why = n ? MS_WHY_COMPLETE : MS_WHY_NO_FILE;
    if (frame->symbol && hash & 32) /* where it keeps its name, in a readable form */
        shown->symbol = "outer<A>::x(_:)";
}

static void write_report(const struct ms_report_file *file, const struct ms_report_style *style,
                         bool named, struct ms_text *text)
{
    const struct ms_report *report = &file->reports[0];
    struct ms_shown *shown = calloc(report->n_frames + 1, sizeof *shown);
    struct ms_shown_frame(*chains)[CHAIN] = calloc(report->n_frames + 1, sizeof *chains);
    struct ms_error err;
    struct ms_sink sink = check_sink(text);
    if (!shown || !chains)
        abort();
    for (size_t i = 0; named && i < report->n_frames; i++)
        make_up(&report->frames[i], chains[i], &shown[i]);
    CHECK(ms_report_write(file, 0, shown, MS_FORMAT_SAME, style, &sink, &err) == MS_OK);
    CHECK(!sink.failed);
    free(shown);
    free(chains);
}

/* The frame after i that isn't at the same address; registers are passed over. */
static size_t next_address(const struct ms_report *report, size_t i, uint64_t *address)
{
    size_t n = report->n_frames;
    bool started = i > 0;
    for (; i < n; i++) {
        const struct ms_report_frame *frame = &report->frames[i];
        if (frame->place == MS_PLACE_REGISTER || (started && frame->address_rt == *address))
            continue;
        *address = frame->address_rt;
        return i + 1;
    }
    return SIZE_MAX;
}

/* The named text has the same addresses in the same order; how often each is repeated depends on
 * what was inlined. */
static void compare(const struct ms_report *before, const struct ms_report *after)
{
    size_t i = 0, j = 0;
    for (uint64_t a = 0, b = 0; i != SIZE_MAX;) {
        i = next_address(before, i, &a);
        j = next_address(after, j, &b);
        CHECK((i == SIZE_MAX) == (j == SIZE_MAX));
        CHECK(i == SIZE_MAX || a == b);
    }
}

/*
 * A pasted fragment has no line of a thread; frames are told by "0xLOAD + OFF", which naming
 * them takes away.
 */
static bool is_fragment(const struct ms_report_file *file)
{
    const struct ms_report *report = &file->reports[0];
    struct ms_line_reader lines;
    struct ms_line line;
    ms_lines_over(&lines, file->bytes, 0, file->bytes.n);
    while (report->n_threads && ms_lines_next(&lines, &line)) {
        struct ms_crash_head head;
        ms_crash_head_parse(line.text, line.text_n, &head);
        if (head.kind == MS_LINE_THREAD || head.kind == MS_LINE_THREAD_NAME)
            return report->n_frames && report->frames[0].line_off < line.off;
    }
    return report->n_threads > 0;
}

/* Eight bytes: "0x" and six digits, which are more than a part of a name has. */
static bool is_long_address(const char *text)
{
    for (size_t i = 2; i < 8; i++)
        if (!memchr("0123456789abcdefABCDEF", text[i], 22))
            return false;
    return memcmp(text, "0x", 2) == 0;
}

/*
 * A line without a TAB may hold two addresses. Where "0xLOAD + OFF" told which of them is the
 * frame's, naming it takes that away, too.
 */
static bool is_ambiguous(const struct ms_report_file *file)
{
    const struct ms_report *report = &file->reports[0];
    for (size_t i = 0; i < report->n_frames; i++) {
        const struct ms_report_frame *frame = &report->frames[i];
        unsigned n = 0;
        for (size_t at = frame->line_off; at + 8 <= frame->rest_off; at++)
            n += is_long_address((const char *)file->bytes.at + at);
        if (frame->form == MS_FORM_LINE && frame->place != MS_PLACE_ELIDED && n > 1)
            return true;
    }
    return false;
}

static void check_text(const struct ms_report_file *file)
{
    const struct ms_report *report = &file->reports[0];
    struct ms_text text;
    write_report(file, NULL, false, &text);
    CHECK(text.n == report->bytes && !memcmp(text.at, file->bytes.at + report->off, text.n));
    ms_text_fini(&text);
    if (is_fragment(file))
        return;
    unsigned flags = 0; /* one style an input: its bytes say which */
    for (size_t i = 0; i < file->bytes.n; i++)
        flags = flags * 31 + file->bytes.at[i];
    struct ms_report_style style = {flags & 1, flags & 2, flags & 4};
    struct ms_report_file again;
    struct ms_error err;
    write_report(file, &style, true, &text);
    struct ms_bytes bytes = {(const uint8_t *)text.at, text.n};
    CHECK(ms_report_parse(bytes, "again", &again, &err) == MS_OK);
    check_reports(&again);
    CHECK(again.n_reports == 1);
    if (!is_ambiguous(file))
        compare(report, &again.reports[0]);
    ms_report_file_fini(&again);
    ms_text_fini(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_report_file file;
    struct ms_error err;
    struct ms_bytes bytes = {data, size};
    if (ms_report_parse(bytes, "fuzz", &file, &err) != MS_OK)
        return 0;
    check_reports(&file);
    if (file.n_reports == 1 && file.reports[0].kind == MS_REPORT_TEXT)
        check_text(&file);
    ms_report_file_fini(&file);
    return 0;
}
