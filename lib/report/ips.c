/* The container of an .ips: header line, payload, what stands around them. */
#include "report/ips_parts.h"

#include "base/limits.h"

#include <stdio.h>
#include <string.h>

const char *const ms_ips_keys[MS_IPS_N_KEYS] = {
    "asiBacktraces",  "binaryImages", "bug_type",         "callStackTree",
    "captureTime",    "cpuType",      "crashDiagnostics", "exception",
    "faultingThread", "incident",     "largestProcess",   "lastExceptionBacktrace",
    "legacyInfo",     "memoryStatus", "osVersion",        "panicString",
    "procName",       "processByPid", "processes",        "stackshot",
    "termination",    "threads",      "timeStampBegin",   "usedImages",
};

enum header_key {
    H_APP_NAME,
    H_BUG_TYPE,
    H_EXCEPTION,
    H_INCIDENT_ID,
    H_NAME,
    H_OS_VERSION,
    H_PANIC_STRING,
    H_PROC_NAME,
    H_PROCESS_BY_PID,
    H_PROCESSES,
    H_SLICE_UUID,
    H_THREADS,
    H_USED_IMAGES,
    H_N_KEYS
};

static const char *const header_keys[H_N_KEYS] = {
    "app_name", "bug_type",     "exception", "incident_id", "name",    "os_version", "panicString",
    "procName", "processByPid", "processes", "slice_uuid",  "threads", "usedImages",
};

/* ---- values ---------------------------------------------------------------------------- */

const char *ms_ips_copy(struct ms_report_builder *b, struct ms_json_value value)
{
    struct ms_json_value inside = ms_json_inside(value);
    if (value.kind != MS_JSON_STRING)
        return NULL;
    const char *at = (const char *)b->file.at + inside.off;
    if (!memchr(at, '\\', inside.n))
        return ms_builder_copy(b, at, inside.n);
    struct ms_text text;
    ms_text_init(&text, 3 * inside.n + 1);
    ms_json_unescape(&text, b->file, inside.off, inside.n);
    const char *copy = NULL;
    if (text.failed)
        b->failed = true;
    else
        copy = ms_builder_copy(b, text.at ? text.at : "", text.n);
    ms_text_fini(&text);
    return copy;
}

/* A string or a number, as text. */
static const char *copy_scalar(struct ms_report_builder *b, struct ms_json_value value)
{
    if (value.kind == MS_JSON_NUMBER)
        return ms_builder_copy(b, (const char *)b->file.at + value.off, value.n);
    return ms_ips_copy(b, value);
}

/* ---- the header line ------------------------------------------------------------------- */

/* The end of the line that `off` is in, without its line end; *next is where the next begins. */
static size_t line_end(struct ms_bytes in, size_t off, size_t end, size_t *next)
{
    const uint8_t *lf = memchr(in.at + off, '\n', end - off);
    size_t at = lf ? (size_t)(lf - in.at) : end;
    *next = lf ? at + 1 : end;
    while (at > off && (in.at[at - 1] == '\r' || in.at[at - 1] == ' ' || in.at[at - 1] == '\t'))
        at--;
    return at;
}

/* Has the object a key of a header, and none of a payload? */
static bool looks_like_header(struct ms_bytes in, struct ms_json_value object)
{
    struct ms_json_value top[H_N_KEYS];
    ms_json_pick(in, object, header_keys, H_N_KEYS, top);
    bool header = top[H_APP_NAME].kind || top[H_BUG_TYPE].kind || top[H_INCIDENT_ID].kind ||
                  top[H_OS_VERSION].kind || top[H_SLICE_UUID].kind;
    bool payload = top[H_EXCEPTION].kind || top[H_PANIC_STRING].kind || top[H_PROC_NAME].kind ||
                   top[H_PROCESS_BY_PID].kind || top[H_PROCESSES].kind || top[H_THREADS].kind ||
                   top[H_USED_IMAGES].kind;
    return header && !payload;
}

size_t ms_ips_header_bytes(struct ms_bytes file, size_t off, size_t end)
{
    size_t next;
    if (end > file.n)
        end = file.n;
    if (off >= end || file.at[off] != '{')
        return 0;
    size_t at = ms_json_space(file, off + 1, end);
    if (at >= end || file.at[at] != '"')
        return 0;
    size_t stop = line_end(file, off, end, &next);
    if (stop <= at || file.at[stop - 1] != '}')
        return 0;
    struct ms_json_document line;
    ms_json_measure(file, off, stop, NULL, NULL, &line);
    if (line.ending != MS_JSON_WHOLE || line.value.n != stop - off)
        return 0;
    return looks_like_header(file, line.value) ? stop - off : 0;
}

static void set_text(const char **field, const char *text)
{
    if (!*field && text && *text)
        *field = text;
}

void ms_ips_read_header(struct ms_report_builder *b, size_t off, size_t n, const char **bug_type)
{
    struct ms_json_document line;
    struct ms_json_value top[H_N_KEYS];
    ms_json_measure(b->file, off, off + n, NULL, NULL, &line);
    ms_json_pick(b->file, line.value, header_keys, H_N_KEYS, top);
    b->report.header_off = off;
    b->report.header_bytes = n;
    set_text(&b->report.process, ms_ips_copy(b, top[H_APP_NAME]));
    set_text(&b->report.process, ms_ips_copy(b, top[H_NAME]));
    set_text(&b->report.os_version, ms_ips_copy(b, top[H_OS_VERSION]));
    set_text(&b->report.incident, ms_ips_copy(b, top[H_INCIDENT_ID]));
    struct ms_json_value uuid = ms_json_inside(top[H_SLICE_UUID]);
    if (!b->report.has_slice_uuid)
        b->report.has_slice_uuid =
            ms_uuid_parse((const char *)b->file.at + uuid.off, uuid.n, &b->report.slice_uuid) &&
            !ms_uuid_is_zero(&b->report.slice_uuid);
    if (bug_type)
        *bug_type = copy_scalar(b, top[H_BUG_TYPE]);
}

/* ---- header and payload ---------------------------------------------------------------- */

struct limit {
    struct ms_bytes in;
    size_t end;
};

/* A header line in the middle of a payload: the next report begins, this one was cut short. */
static bool next_report(void *context, size_t off)
{
    const struct limit *limit = context;
    return ms_ips_header_bytes(limit->in, off, limit->end) != 0;
}

static void measure_payload(struct ms_ips_reader *r, size_t off, size_t end)
{
    struct limit limit = {r->in, end};
    ms_json_measure(r->in, off, end, next_report, &limit, &r->payload);
    r->has_payload = true;
}

/* Measures the payload that follows a header whose line ends before `at`, if one does.
 * Returns the byte after all of it. */
static size_t find_payload(struct ms_ips_reader *r, size_t header_end, size_t at, size_t end)
{
    at = ms_json_space(r->in, at, end);
    if (at >= end || r->in.at[at] != '{' || ms_ips_header_bytes(r->in, at, end))
        return header_end;
    measure_payload(r, at, end);
    return at + r->payload.value.n;
}

/*
 * A first line that is no whole JSON object but begins like a header, followed by a line that
 * begins a payload: somebody has edited the header, or a tool has cut it off.
 */
static bool broken_header(struct ms_ips_reader *r, size_t off, size_t end, size_t *after)
{
    struct ms_json_document line;
    size_t next, stop = line_end(r->in, off, end, &next);
    ms_json_measure(r->in, off, stop, NULL, NULL, &line);
    size_t payload = ms_json_space(r->in, next, end);
    if ((line.ending == MS_JSON_WHOLE && line.value.n == stop - off) || payload >= end ||
        r->in.at[payload] != '{' || r->in.at[payload - 1] != '\n' ||
        ms_ips_header_bytes(r->in, payload, end) || !looks_like_header(r->in, line.value))
        return false;
    r->header_off = off;
    r->header_bytes = stop - off;
    r->header_broken = true;
    *after = find_payload(r, stop, next, end);
    return true;
}

/* Finds the parts of the report that starts at `off`; returns the byte after them. */
static size_t find_parts(struct ms_ips_reader *r, size_t off, size_t end)
{
    size_t after;
    r->header_bytes = ms_ips_header_bytes(r->in, off, end);
    r->header_off = off;
    if (r->header_bytes)
        return find_payload(r, off + r->header_bytes, off + r->header_bytes, end);
    measure_payload(r, off, end);
    after = off + r->payload.value.n;
    if (r->payload.fault && broken_header(r, off, end, &after))
        return after;
    if (r->payload.ending == MS_JSON_WHOLE && looks_like_header(r->in, r->payload.value)) {
        size_t at = ms_json_space(r->in, after, end);
        if (at < end && r->in.at[at] == '{' && !ms_ips_header_bytes(r->in, at, end)) {
            r->header_bytes = after - off; /* a header over several lines */
            after = find_payload(r, after, after, end);
        }
    }
    return after;
}

/* ---- the report ------------------------------------------------------------------------ */

static void read_os_version(struct ms_ips_reader *r)
{
    struct ms_report_builder *b = r->b;
    struct ms_json_value os = r->top[MS_IPS_OS_VERSION];
    char text[256];
    const char *train = ms_ips_copy(b, ms_json_get(r->in, os, "train"));
    const char *build = ms_ips_copy(b, ms_json_get(r->in, os, "build"));
    if (!train || !*train)
        return;
    if (build && *build)
        snprintf(text, sizeof text, "%s (%s)", train, build);
    else
        snprintf(text, sizeof text, "%s", train);
    b->report.os_version = ms_builder_copy(b, text, strlen(text));
}

static void read_facts(struct ms_ips_reader *r)
{
    struct ms_report *report = &r->b->report;
    report->payload_off = r->payload.value.off;
    report->payload_bytes = r->payload.value.n;
    set_text(&report->process, ms_ips_copy(r->b, r->top[MS_IPS_PROC_NAME]));
    set_text(&report->code_type, ms_ips_copy(r->b, r->top[MS_IPS_CPU_TYPE]));
    set_text(&report->incident, ms_ips_copy(r->b, r->top[MS_IPS_INCIDENT]));
    read_os_version(r);
}

/* The first damage is told; the rest of it is a consequence. */
static void note_damage(struct ms_ips_reader *r)
{
    const struct ms_json_document *payload = &r->payload;
    if (r->header_broken)
        ms_builder_note(r->b, "the header line is no JSON");
    if (!r->has_payload)
        ms_builder_note(r->b, "nothing follows the header line: the payload is missing");
    else if (payload->ending == MS_JSON_CUT)
        ms_builder_note(r->b, "the JSON ends in the middle, at byte %zu",
                        payload->value.off + payload->value.n);
    else if (payload->ending == MS_JSON_DEEP)
        ms_builder_note(r->b, "the JSON is nested deeper than %d levels at byte %zu",
                        MS_MAX_JSON_DEPTH, payload->fault_off);
    else if (payload->fault)
        ms_builder_note(r->b, "malformed JSON at byte %zu: %s", payload->fault_off, payload->fault);
}

static void read_report(struct ms_ips_reader *r)
{
    if (r->has_payload) {
        read_facts(r);
        ms_ips_read_images(r);
        ms_ips_read_frames(r);
    }
    if (r->header_bytes)
        ms_ips_read_header(r->b, r->header_off, r->header_bytes, NULL);
    note_damage(r);
}

enum ms_status ms_ips_parse(struct ms_report_builder *b, size_t off, size_t end, size_t *consumed,
                            const char **what, struct ms_error *err)
{
    struct ms_ips_reader r;
    memset(&r, 0, sizeof r);
    r.b = b;
    r.in = b->file;
    if (end > b->file.n)
        end = b->file.n;
    ms_builder_open(b, MS_REPORT_IPS, off);
    *consumed = find_parts(&r, off, end);
    if (*consumed <= off)
        *consumed = off + 1;
    if (r.has_payload)
        ms_json_pick(r.in, r.payload.value, ms_ips_keys, MS_IPS_N_KEYS, r.top);
    if (r.header_bytes)
        ms_ips_read_header(b, r.header_off, r.header_bytes, &r.bug_type);
    if (!r.bug_type)
        r.bug_type = copy_scalar(b, r.top[MS_IPS_BUG_TYPE]);
    *what = ms_ips_other_kind(&r);
    if (b->failed)
        return ms_fail_memory(err);
    if (*what)
        return MS_ABSENT;
    ms_builder_open(b, MS_REPORT_IPS, off);
    read_report(&r);
    return ms_builder_close(b, *consumed, err);
}
