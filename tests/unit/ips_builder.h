/*
 * JSON reports for the tests: a header line, and a payload put together from its members.
 * Addresses: Widget at 0x1025f8000 (4334780416), 0xb8000 bytes; libfoo at 0x180000000
 * (6442450944), 0x10000 bytes; image 2 is the absolute one.
 */
#ifndef TESTS_UNIT_IPS_BUILDER_H
#define TESTS_UNIT_IPS_BUILDER_H

#include "base/text.h"
#include "machsym/error.h"
#include "machsym/report.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDGET_UUID "0f1e2d3c-4b5a-3697-8877-665544332211"

#define HEADER                                                                                     \
    "{\"app_name\":\"Widget\",\"slice_uuid\":\"" WIDGET_UUID "\",\"platform\":1,"                  \
    "\"bug_type\":\"309\",\"os_version\":\"macOS 14.4.1 (23E224)\","                               \
    "\"incident_id\":\"1B2C3D4E-0000-4000-8000-000000000001\"}\n"

#define IMAGES                                                                                     \
    "\"usedImages\":[{\"source\":\"P\",\"arch\":\"arm64\",\"base\":4334780416,\"size\":753664,"    \
    "\"uuid\":\"" WIDGET_UUID "\",\"path\":\"\\/A\\/Widget.app\\/Widget\",\"name\":\"Widget\"},"   \
    "{\"source\":\"P\",\"arch\":\"arm64e\",\"base\":6442450944,\"size\":65536,"                    \
    "\"uuid\":\"aaaaaaaa-bbbb-3ccc-8ddd-eeeeeeeeeeee\",\"path\":\"\\/usr\\/lib\\/libfoo.dylib\","  \
    "\"name\":\"libfoo.dylib\"},"                                                                  \
    "{\"size\":0,\"source\":\"A\",\"base\":0,\"uuid\":\"00000000-0000-0000-0000-000000000000\"}]"

/** A payload with these members besides procName, cpuType and the images. */
#define PAYLOAD(members)                                                                           \
    "{\"procName\":\"Widget\",\"pid\":842,\"cpuType\":\"ARM-64\"," members "," IMAGES "}"

#define FRAMES(frames) "\"faultingThread\":0,\"threads\":[{\"frames\":[" frames "]}]"

struct parsed {
    struct ms_report_file file;
    uint8_t *bytes; /* exactly as many as there are, for the sanitizers */
    size_t n;
};

static inline struct parsed parse_bytes(const void *text, size_t n)
{
    struct parsed p;
    struct ms_error err;
    char line[MS_ERROR_LINE];
    p.bytes = malloc(n ? n : 1);
    p.n = n;
    cr_assert_not_null(p.bytes);
    memcpy(p.bytes, text, n);
    enum ms_status status =
        ms_report_parse((struct ms_bytes){p.bytes, n}, "test.ips", &p.file, &err);
    cr_assert_eq(status, MS_OK, "%s", status ? ms_error_describe(&err, line) : "");
    return p;
}

static inline struct parsed parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

static inline void parsed_fini(struct parsed *p)
{
    ms_report_file_fini(&p->file);
    free(p->bytes);
}

static inline bool append_text(void *to, const char *bytes, size_t n)
{
    struct ms_text *text = to;
    ms_text_add(text, bytes, n);
    return !text->failed;
}

/** Writes report i; `shown` may be NULL for nothing. The text is the caller's. */
static inline struct ms_text write_report(const struct parsed *p, size_t i,
                                          const struct ms_shown *shown,
                                          enum ms_report_format format,
                                          const struct ms_report_style *style)
{
    struct ms_text text;
    struct ms_error err;
    struct ms_shown *nothing = calloc(p->file.reports[i].n_frames + 1, sizeof *nothing);
    ms_text_init(&text, (size_t)1 << 30);
    struct ms_sink sink = {.write = append_text, .to = &text};
    cr_assert_not_null(nothing);
    cr_assert_eq(ms_report_write(&p->file, i, shown ? shown : nothing, format, style, &sink, &err),
                 MS_OK);
    cr_assert_not(sink.failed);
    free(nothing);
    return text;
}

#endif
