/* Which JSON is a crash report, and what the rest is. */
#include "report/ips_parts.h"

#include <stdio.h>
#include <string.h>

/*
 * Apple documents 309 alone. The others are those that public files carry; where a number's
 * meaning differs between systems it isn't listed, and the content decides.
 */
static const struct {
    const char *bug_type, *what;
} other_types[] = {
    {"10", "a kernel panic report"},
    {"11", "a spin report"},
    {"110", "a kernel panic report"},
    {"12", "a hang report"},
    {"142", "a micro-stackshot report"},
    {"145", "a disk-write report"},
    {"157", "a micro-stackshot report"},
    {"174", "a micro-stackshot report"},
    {"188", "a stackshot"},
    {"198", "a jetsam report"},
    {"202", "a CPU usage report"},
    {"206", "a CPU usage report"},
    {"210", "a kernel panic report"},
    {"226", "an analytics report"},
    {"23", "a micro-stackshot report"},
    {"288", "a stackshot"},
    {"298", "a jetsam report"},
    {"301", "a memory reset report"},
    {"310", "a micro-stackshot report"},
    {"313", "a Siri report"},
    {"409", "a stackshot"},
    {"410", "a kernel panic report"},
    {"509", "a stackshot"},
    {"98", "a jetsam report"},
};

static const char *by_bug_type(const char *bug_type)
{
    for (size_t i = 0; bug_type && i < sizeof other_types / sizeof *other_types; i++)
        if (strcmp(bug_type, other_types[i].bug_type) == 0)
            return other_types[i].what;
    return NULL;
}

/* The content is surer than the number. */
static const char *by_content(const struct ms_json_value *top)
{
    if (top[MS_IPS_PANIC_STRING].kind)
        return "a kernel panic report";
    if (top[MS_IPS_PROCESS_BY_PID].kind || top[MS_IPS_BINARY_IMAGES].kind ||
        top[MS_IPS_STACKSHOT].kind)
        return "a stackshot";
    if (top[MS_IPS_PROCESSES].kind &&
        (top[MS_IPS_LARGEST_PROCESS].kind || top[MS_IPS_MEMORY_STATUS].kind))
        return "a jetsam report";
    if (top[MS_IPS_CRASH_DIAGNOSTICS].kind || top[MS_IPS_CALL_STACK_TREE].kind ||
        top[MS_IPS_TIME_STAMP_BEGIN].kind)
        return "a MetricKit payload";
    return NULL;
}

/* How many of a crash payload's members are there. */
static unsigned crash_signs(const struct ms_json_value *top)
{
    static const enum ms_ips_key keys[] = {
        MS_IPS_THREADS,         MS_IPS_USED_IMAGES,  MS_IPS_EXCEPTION,   MS_IPS_PROC_NAME,
        MS_IPS_FAULTING_THREAD, MS_IPS_CAPTURE_TIME, MS_IPS_TERMINATION, MS_IPS_LAST_EXCEPTION,
    };
    unsigned n = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        n += top[keys[i]].kind != MS_JSON_BAD;
    return n;
}

/*
 * "threads" alone is in many a JSON; two members of a crash payload are in no other. A payload
 * that is cut short or missing leaves the header's word.
 */
static bool is_crash(const struct ms_ips_reader *r)
{
    unsigned signs = crash_signs(r->top);
    if (signs >= 2)
        return true;
    bool damaged = !r->has_payload || r->payload.ending != MS_JSON_WHOLE;
    return damaged && (r->header_bytes || signs) && !by_bug_type(r->bug_type);
}

const char *ms_ips_other_kind(struct ms_ips_reader *r)
{
    char text[128];
    const char *what = by_content(r->top);
    if (!what && is_crash(r))
        return NULL;
    if (!what)
        what = by_bug_type(r->bug_type);
    if (!what)
        what = "JSON that is no crash report";
    /* Only what the table knows is repeated: a bug_type may be any text. */
    if (!by_bug_type(r->bug_type))
        return what;
    int n = snprintf(text, sizeof text, "%s (bug_type %s)", what, r->bug_type);
    const char *copy = ms_builder_copy(r->b, text, (size_t)n);
    return copy ? copy : what;
}
