/*
 * JSON reports: written back without names they are the input, byte for byte; with made-up
 * names every frame keeps its address and the result is the same report again; as text they
 * are a crash report as well.
 */
#include "report_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHAIN = 3 };

/* Up to three levels for the frame's address, by its low bits; none for one in four. */
static void make_up(const struct ms_report_frame *frame, struct ms_shown_frame chain[CHAIN],
                    struct ms_shown *shown)
{
    static const char *const names[CHAIN] = {"inner(\"x\")\\", "closure #1 in m/n", "-[Outer x:]"};
    memset(chain, 0, CHAIN * sizeof *chain);
    size_t n = frame->inlined ? 0 : frame->address_rt % 4;
    for (size_t i = 0; i < n; i++) {
        struct ms_shown_frame *one = &chain[i];
        one->function = i + 1 == n && frame->address_rt & 8 ? NULL : names[CHAIN - n + i];
        one->file = frame->address_rt & 16 ? "Some File (2).swift" : NULL;
        one->line = frame->address_rt & 32 ? 42 : 0;
        one->inlined = i + 1 < n;
        one->has_offset = i + 1 == n && !(frame->address_rt & 64);
        one->offset = 64;
        one->start_rt = frame->address_rt - 64;
        one->source = MS_SOURCE_DWARF;
    }
    shown->frames = n ? chain : NULL;
    shown->n_frames = n;
    shown->why = n ? MS_WHY_COMPLETE : MS_WHY_NO_FILE;
    if (frame->symbol && frame->address_rt & 128) /* where it keeps its name, in a readable form */
        shown->symbol = "outer<A>::x(\"/\")";
}

/* Names are put into JSON alone: what text makes of them is another target's. */
static void write_report(const struct ms_report_file *file, size_t i, enum ms_report_format format,
                         const struct ms_report_style *style, bool named, struct ms_sink *sink)
{
    const struct ms_report *report = &file->reports[i];
    struct ms_shown *shown = calloc(report->n_frames + 1, sizeof *shown);
    struct ms_shown_frame(*chains)[CHAIN] = calloc(report->n_frames + 1, sizeof *chains);
    struct ms_error err;
    if (!shown || !chains)
        abort();
    for (size_t f = 0; named && report->kind == MS_REPORT_IPS && f < report->n_frames; f++)
        make_up(&report->frames[f], chains[f], &shown[f]);
    CHECK(ms_report_write(file, i, shown, format, style, sink, &err) == MS_OK);
    CHECK(!sink->failed);
    free(shown);
    free(chains);
}

static bool is_object(const struct ms_report_frame *frame)
{
    return frame->form == MS_FORM_OBJECT && !frame->inlined;
}

/* The named report has the same images, threads and frames, but for inlined ones. */
static void compare(const struct ms_report *before, const struct ms_report *after)
{
    size_t j = 0;
    CHECK(after->kind == before->kind);
    CHECK(after->n_images >= before->n_images && after->n_threads == before->n_threads);
    CHECK(after->crashed_thread == before->crashed_thread);
    for (size_t i = 0; i < before->n_frames; i++) {
        if (!is_object(&before->frames[i]))
            continue;
        while (j < after->n_frames && !is_object(&after->frames[j]))
            j++;
        CHECK(j < after->n_frames);
        CHECK(after->frames[j].address_rt == before->frames[i].address_rt);
        CHECK(after->frames[j].image == before->frames[i].image);
        CHECK(after->frames[j].place == before->frames[i].place);
        CHECK(after->frames[j].group == before->frames[i].group);
        j++;
    }
}

/* The whole file with names in its JSON: where a damaged report ends depends on what follows. */
static void check_named(const struct ms_report_file *file, const struct ms_report_style *style)
{
    struct ms_report_file again;
    struct ms_text text;
    struct ms_error err;
    struct ms_sink sink = check_sink(&text);
    for (size_t i = 0; i < file->n_reports; i++)
        write_report(file, i, MS_FORMAT_SAME, style, true, &sink);
    struct ms_bytes bytes = {(const uint8_t *)text.at, text.n};
    CHECK(ms_report_parse(bytes, "again", &again, &err) == MS_OK);
    check_reports(&again);
    CHECK(again.n_reports == file->n_reports);
    for (size_t i = 0; i < file->n_reports; i++)
        compare(&file->reports[i], &again.reports[i]);
    ms_report_file_fini(&again);
    ms_text_fini(&text);
}

static void check_ips(const struct ms_report_file *file, size_t i,
                      const struct ms_report_style *style)
{
    const struct ms_report *report = &file->reports[i];
    struct ms_text text;
    struct ms_sink sink = check_sink(&text);
    write_report(file, i, MS_FORMAT_SAME, NULL, false, &sink);
    CHECK(text.n == report->bytes && !memcmp(text.at, file->bytes.at + report->off, text.n));
    ms_text_fini(&text);
    sink = check_sink(&text);
    write_report(file, i, MS_FORMAT_TEXT, style, true, &sink);
    CHECK(text.n && !memchr(text.at, 0, text.n));
    ms_text_fini(&text);
}

/* One style an input, by what it holds: all of them would only make each run slower. */
static struct ms_report_style pick_style(const uint8_t *data, size_t size)
{
    unsigned sum = (unsigned)size;
    for (size_t i = 0; i < size; i++)
        sum += data[i];
    return (struct ms_report_style){sum & 1, sum & 2, sum & 4};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_report_file file;
    struct ms_error err;
    struct ms_bytes bytes = {data, size};
    if (ms_report_parse(bytes, "fuzz", &file, &err) != MS_OK)
        return 0;
    check_reports(&file);
    struct ms_report_style style = pick_style(data, size);
    bool any = false;
    for (size_t i = 0; i < file.n_reports; i++) {
        if (file.reports[i].kind != MS_REPORT_IPS)
            continue;
        check_ips(&file, i, &style);
        any = true;
    }
    if (any)
        check_named(&file, &style);
    ms_report_file_fini(&file);
    return 0;
}
