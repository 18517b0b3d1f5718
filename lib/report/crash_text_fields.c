#include "report/crash_text_fields.h"
#include "report/crash_text_scan.h"

enum field {
    FIELD_PLAIN, /* counts towards being a crash report, is not kept */
    FIELD_PROCESS,
    FIELD_INCIDENT,
    FIELD_OS_VERSION,
    FIELD_CODE_TYPE,
    FIELD_CRASHED,     /* points to the thread that crashed */
    FIELD_HIGHLIGHTED, /* points to one that is only worth a look: watchdog, resource */
    FIELD_EXCEPTION
};

static const struct {
    const char *label;
    enum field field;
} labels[] = {
    {"Process", FIELD_PROCESS},
    {"Path", FIELD_PLAIN},
    {"Identifier", FIELD_PLAIN},
    {"Version", FIELD_PLAIN},
    {"Code Type", FIELD_CODE_TYPE},
    {"Parent Process", FIELD_PLAIN},
    {"Incident Identifier", FIELD_INCIDENT},
    {"CrashReporter Key", FIELD_PLAIN},
    {"Hardware Model", FIELD_PLAIN},
    {"Date/Time", FIELD_PLAIN},
    {"OS Version", FIELD_OS_VERSION},
    {"Crashed Thread", FIELD_CRASHED},
    {"Triggered by Thread", FIELD_CRASHED},
    {"Attributed to Thread", FIELD_HIGHLIGHTED},
    {"Highlighted Thread", FIELD_HIGHLIGHTED},
    {"Highlighted by Thread", FIELD_HIGHLIGHTED},
    {"Exception Type", FIELD_EXCEPTION},
    {"Exception Codes", FIELD_EXCEPTION},
};

enum { LONGEST_LABEL = 24 };

/* n without " [842]", also " [842] [unique pid 696637]", at the end. A name may have brackets. */
static size_t cut_pid(const char *text, size_t n)
{
    static const char unique[] = " [unique pid ";
    if (n && text[n - 1] == ']') {
        size_t at = ms_scan_find(text, n, unique);
        if (at < n)
            n = at;
    }
    if (!n || text[n - 1] != ']')
        return n;
    size_t at = n - 1;
    while (at && (ms_is_digit(text[at - 1]) || text[at - 1] == '?'))
        at--;
    return at > 1 && text[at - 1] == '[' ? ms_scan_trim_end(text, at - 1) : n;
}

static void keep(struct ms_report_builder *b, const char **field, const char *text, size_t n)
{
    if (!*field && n)
        *field = ms_builder_copy(b, text, n);
}

static void point(struct ms_crash_fields *fields, bool crashed, const char *text, size_t n)
{
    uint64_t number;
    fields->has_pointer = true;
    if (fields->has_thread && (fields->thread_crashed || !crashed))
        return;
    if (!ms_scan_decimal(text, n, &number) || number > UINT32_MAX)
        return;
    fields->has_thread = true;
    fields->thread = (uint32_t)number;
    fields->thread_crashed = crashed;
}

static void read_value(struct ms_report_builder *b, struct ms_crash_fields *fields,
                       enum field field, const char *text, size_t n)
{
    struct ms_report *report = &b->report;
    switch (field) {
    case FIELD_PROCESS:
        fields->has_process |= cut_pid(text, n) < n;
        keep(b, &report->process, text, cut_pid(text, n));
        break;
    case FIELD_INCIDENT:
        keep(b, &report->incident, text, n);
        break;
    case FIELD_OS_VERSION:
        keep(b, &report->os_version, text, n);
        break;
    case FIELD_CODE_TYPE: /* without "(Native)", "(Translated)" */
        keep(b, &report->code_type, text, ms_scan_trim_end(text, ms_scan_find(text, n, "(")));
        break;
    case FIELD_CRASHED:
    case FIELD_HIGHLIGHTED:
        point(fields, field == FIELD_CRASHED, text, n);
        return;
    case FIELD_EXCEPTION:
        fields->has_exception = true;
        return;
    case FIELD_PLAIN:
        break;
    }
    fields->n_header++;
}

void ms_crash_field_read(struct ms_report_builder *b, struct ms_crash_fields *fields,
                         const char *text, size_t n)
{
    if (!n || text[0] < 'A' || text[0] > 'Z')
        return;
    const char *colon = memchr(text, ':', n < LONGEST_LABEL ? n : LONGEST_LABEL);
    size_t m = colon ? (size_t)(colon - text) : 0;
    for (size_t i = 0; m && i < sizeof labels / sizeof *labels; i++) {
        if (strlen(labels[i].label) != m || memcmp(labels[i].label, text, m) != 0)
            continue;
        size_t at = m + 1 + ms_scan_blanks(text + m + 1, n - m - 1);
        read_value(b, fields, labels[i].field, text + at, n - at);
        return;
    }
}
