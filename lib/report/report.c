#include "report/crash_text.h"
#include "report/ips.h"
#include "report/report_kind.h"

#include "base/limits.h"

#include <stdlib.h>

/*
 * Cuts a file into its reports. A file is a sequence of JSON documents and stretches of text;
 * a stretch is cut again where the header of another report begins. What turns out to be no
 * report (hardware text behind a JSON payload, words before a pasted report) goes to the
 * report before it, or to the first.
 */
struct splitter {
    struct ms_report_builder *b;
    struct ms_line_reader lines;
    size_t part;         /* where the stretch of text starts that is being gathered */
    size_t header_off;   /* the JSON line that belongs to it, */
    size_t header_bytes; /* 0 = none */
    bool has_body;       /* it has threads, images or its end: a header starts another */
    bool has_incident;
    bool is_translated;     /* it says that its JSON follows */
    bool any_line;          /* a line that isn't blank was seen in the file */
    size_t dashes;          /* the line before, when it was one of dashes; else SIZE_MAX */
    bool after_full_report; /* the last lines were "Full Report" and dashes */
    const char *what;       /* the first thing found that was no crash report */
};

static void start_part(struct splitter *s, size_t off)
{
    s->part = off;
    s->header_off = s->header_bytes = 0;
    s->has_body = s->has_incident = s->is_translated = s->after_full_report = false;
    s->dashes = SIZE_MAX;
}

/* Reads the stretch of text that ends at `end`, if it is a report. */
static enum ms_status end_part(struct splitter *s, size_t end, struct ms_error *err)
{
    struct ms_report_builder *b = s->b;
    if (end <= s->part)
        return MS_OK;
    size_t after_header = s->header_bytes ? s->header_off + s->header_bytes : s->part;
    const char *kind = ms_kind_of_text(b->file, after_header, end);
    bool found = false;
    enum ms_status status = MS_OK;
    if (!kind)
        status = ms_crash_text_parse(b, s->part, end, s->header_off, s->header_bytes, &found, err);
    else if (!s->what)
        s->what = kind;
    if (status == MS_OK && found)
        b->reports[b->n_reports - 1].translated = s->is_translated;
    return status;
}

/* ---- JSON ----------------------------------------------------------------------------- */

static size_t skip_blank(struct ms_bytes file, size_t at)
{
    while (at < file.n && strchr(" \t\r\n", file.at[at]) && file.at[at])
        at++;
    return at;
}

/*
 * A line that starts with '{': a header line anywhere; other JSON only where it must be a
 * payload, since texts hold dictionaries too. *taken = false leaves the line to the text.
 */
static enum ms_status read_json(struct splitter *s, const struct ms_line *line, bool *taken,
                                struct ms_error *err)
{
    struct ms_report_builder *b = s->b;
    size_t at = (size_t)(line->text - (const char *)b->file.at);
    size_t header = ms_ips_header_bytes(b->file, at, b->file.n);
    *taken = header || !s->any_line || s->after_full_report;
    if (!*taken)
        return MS_OK;
    enum ms_status status = end_part(s, line->off, err);
    if (status != MS_OK)
        return status;
    size_t next = header ? skip_blank(b->file, at + header) : b->file.n;
    if (header && next < b->file.n && b->file.at[next] != '{') {
        start_part(s, line->off);
        s->header_off = at;
        s->header_bytes = header;
        return MS_OK;
    }
    const char *what = NULL;
    size_t consumed = at + 1;
    status = ms_ips_parse(b, at, b->file.n, &consumed, &what, err);
    if (status != MS_OK && status != MS_ABSENT)
        return status;
    if (status == MS_ABSENT && !s->what)
        s->what = what;
    if (consumed <= at || consumed > b->file.n)
        consumed = b->file.n;
    s->lines.at = consumed;
    start_part(s, consumed);
    s->has_body = true; /* so that a header behind it starts a part of its own */
    return MS_OK;
}

/* ---- text ----------------------------------------------------------------------------- */

static bool is_dashes(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] != '-')
            return false;
    return n >= 5;
}

/* "…onCrashIncident Identifier: UUID": a report appended to one without a last line end. */
static size_t find_glued_incident(const struct ms_line *line)
{
    static const char label[] = "Incident Identifier:";
    enum { LONGEST = 80 };
    size_t n = line->text_n, from = n > LONGEST ? n - LONGEST : 0;
    if (n < sizeof label + 32)
        return n;
    size_t at = from + ms_scan_find(line->text + from, n - from, label);
    if (at == n)
        return n;
    size_t value = at + sizeof label - 1;
    value += ms_scan_blanks(line->text + value, n - value);
    struct ms_uuid uuid;
    return ms_uuid_parse(line->text + value, n - value, &uuid) ? at : n;
}

/* Where in the line the header of another report starts; SIZE_MAX when none does. */
static size_t find_next_report(const struct splitter *s, const struct ms_line *line)
{
    const char *text = line->text;
    size_t n = line->text_n;
    if (s->has_incident && ms_scan_starts(text, n, "Incident Identifier:"))
        return line->off;
    if (!s->has_body)
        return SIZE_MAX;
    if (ms_scan_starts(text, n, "Translated Report ("))
        return s->dashes != SIZE_MAX ? s->dashes : line->off;
    if (ms_scan_starts(text, n, "Incident Identifier:") ||
        (ms_scan_starts(text, n, "Process:") && text[n - 1] == ']'))
        return line->off;
    size_t glued = find_glued_incident(line);
    return glued < n ? (size_t)(text - (const char *)s->b->file.at) + glued : SIZE_MAX;
}

/* Keeps what the next lines are judged by. */
static void remember(struct splitter *s, const struct ms_line *line)
{
    const char *text = line->text;
    size_t n = line->text_n;
    bool dashes = is_dashes(text, n);
    if (ms_scan_starts(text, n, "Full Report")) {
        s->after_full_report = true;
        s->is_translated = true;
    } else if (n && !dashes) {
        s->after_full_report = false;
    }
    if (n)
        s->dashes = dashes ? line->off : SIZE_MAX;
    s->is_translated |= ms_scan_starts(text, n, "Translated Report (");
    s->has_incident |= ms_scan_starts(text, n, "Incident Identifier:");
    s->any_line |= n > 0;
    if (s->has_body || n < 3 || (text[0] != 'T' && text[0] != 'B' && text[0] != 'E'))
        return;
    struct ms_crash_head head;
    ms_crash_head_parse(text, n, &head);
    s->has_body = head.kind == MS_LINE_THREAD || head.kind == MS_LINE_IMAGES ||
                  (n == 3 && memcmp(text, "EOF", 3) == 0) ||
                  ms_scan_starts(text, n, "Backtrace not available");
}

static enum ms_status split(struct splitter *s, struct ms_error *err)
{
    struct ms_bytes file = s->b->file;
    struct ms_line line;
    ms_lines_over(&s->lines, file, 0, file.n);
    start_part(s, 0);
    while (ms_lines_next(&s->lines, &line)) {
        enum ms_status status = MS_OK;
        bool taken = false;
        if (line.text_n && line.text[0] == '{')
            status = read_json(s, &line, &taken, err);
        size_t next = taken ? SIZE_MAX : find_next_report(s, &line);
        if (next != SIZE_MAX) {
            status = end_part(s, next, err);
            start_part(s, next);
        }
        if (status != MS_OK)
            return status;
        if (!taken)
            remember(s, &line);
        s->any_line |= taken;
    }
    return end_part(s, file.n, err);
}

/* ---- the file ------------------------------------------------------------------------- */

/* Makes the reports cover the file, and hands everything over to *out. */
static enum ms_status finish(struct ms_report_builder *b, struct ms_report_file *out,
                             struct ms_error *err)
{
    struct ms_arena *arena = malloc(sizeof *arena);
    struct ms_report *reports = ms_arena_zeroed(&b->arena, b->n_reports, sizeof *reports);
    if (!arena || !reports) {
        free(arena);
        return ms_fail_memory(err);
    }
    memcpy(reports, b->reports, b->n_reports * sizeof *reports);
    reports[0].off = 0;
    for (size_t i = 0; i < b->n_reports; i++) {
        bool last = i + 1 == b->n_reports;
        reports[i].bytes = (last ? b->file.n : reports[i + 1].off) - reports[i].off;
        reports[i].translated &= !last && reports[i + 1].kind == MS_REPORT_IPS;
    }
    *arena = b->arena;
    ms_arena_init(&b->arena, 0);
    out->bytes = b->file;
    out->name = b->name;
    out->reports = reports;
    out->n_reports = b->n_reports;
    out->storage = arena;
    return MS_OK;
}

enum ms_status ms_report_parse(struct ms_bytes bytes, const char *name, struct ms_report_file *out,
                               struct ms_error *err)
{
    struct ms_report_builder b;
    struct splitter s = {0};
    if (bytes.n > MS_MAX_REPORT)
        return ms_fail(err, MS_E_LIMIT, name, MS_NO_OFFSET,
                       "%zu bytes are more than a report may have (%zu)", bytes.n, MS_MAX_REPORT);
    const char *kind = ms_kind_of_bytes(bytes);
    if (kind)
        return ms_fail(err, MS_E_FORMAT, name, MS_NO_OFFSET, "not a crash report, but %s", kind);
    ms_builder_init(&b, bytes, name);
    s.b = &b;
    enum ms_status status = split(&s, err);
    if (status == MS_OK && b.n_reports == 0)
        status = ms_fail(err, MS_E_FORMAT, name, MS_NO_OFFSET, "not a crash report, but %s",
                         s.what ? s.what : ms_kind_of_rest(bytes));
    if (status == MS_OK)
        status = finish(&b, out, err);
    ms_builder_fini(&b);
    return status;
}

void ms_report_file_fini(struct ms_report_file *file)
{
    if (file->storage)
        ms_arena_fini(file->storage);
    free(file->storage);
    memset(file, 0, sizeof *file);
}
