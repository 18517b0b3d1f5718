/*
 * A JSON report as the classic text. Which of the three layouts is used follows the system
 * that the report is from, as if that system's own Console had translated it.
 */
#include "render/ips_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const keys[K_N] = {
    "asi",
    "asiBacktraces",
    "asiSignatures",
    "basebandVersion",
    "bridgeVersion",
    "buildInfo",
    "bundleInfo",
    "captureTime",
    "coalitionID",
    "coalitionName",
    "codeName",
    "cpuType",
    "crashReporterKey",
    "diagnosticOutput",
    "dyldMessages",
    "exception",
    "exceptionReason",
    "extMods",
    "externalGPUInfo",
    "fatalDyldError",
    "faultingThread",
    "filteredLog",
    "incident",
    "isBeta",
    "isCorpse",
    "isNonFatal",
    "isSimulated",
    "ktriageinfo",
    "lastExceptionBacktrace",
    "legacyInfo",
    "modelCode",
    "mtePageTags",
    "osVersion",
    "parentPid",
    "parentProc",
    "pid",
    "plugin",
    "procLaunch",
    "procName",
    "procPath",
    "procRole",
    "reportNotes",
    "responsiblePid",
    "responsibleProc",
    "simulatedCaller",
    "sip",
    "sleepWakeUUID",
    "storeInfo",
    "systemID",
    "termination",
    "threads",
    "translated",
    "uptime",
    "usedImages",
    "userID",
    "vmRegionInfo",
    "vmSummary",
    "vmregioninfo",
    "wakeTime",
    "workQueueLimits",
};

/* ---- the layout ------------------------------------------------------------------------ */

/* iOS, tvOS, watchOS, bridgeOS, visionOS by the number of LC_BUILD_VERSION. Simulators run
 * on macOS and are reported as such. */
static bool is_embedded_platform(uint32_t platform)
{
    return (platform >= 2 && platform <= 5) || platform == 11;
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The first number in "iPhone OS 26.1 (23B85)". */
static unsigned major_version(const char *system)
{
    unsigned version = 0;
    system += strcspn(system, "0123456789");
    while (*system >= '0' && *system <= '9' && version < 1000)
        version = version * 10 + (unsigned)(*system++ - '0');
    return version;
}

static void choose_layout(struct ms_ips_text *t)
{
    struct ms_json_value embedded = ms_ips_sub(t, K_OS_VERSION, "isEmbedded");
    const char *system = t->view->report->os_version;
    uint32_t platform = 0;
    ms_json_index(t->in, ms_json_get(t->in, t->view->header, "platform"), &platform);
    if (!system)
        system = "";
    if (ms_ips_has(embedded))
        t->embedded = ms_json_truth(t->in, embedded);
    else if (starts_with(system, "macOS") || starts_with(system, "Mac OS X"))
        t->embedded = false;
    else if (platform)
        t->embedded = is_embedded_platform(platform);
    else
        t->embedded = *system != 0;
    t->layout = t->embedded ? LAYOUT_IOS : LAYOUT_MACOS;
    if (major_version(system) >= 26)
        t->layout = LAYOUT_OS26;
}

/* ---- images ---------------------------------------------------------------------------- */

static bool list_images(struct ms_ips_text *t)
{
    struct ms_json_iter iter;
    struct ms_json_member element;
    size_t n = t->view->report->n_images;
    if (n == 0)
        return true;
    t->images = calloc(n, sizeof *t->images);
    if (!t->images)
        return false;
    ms_json_iter_open(&iter, t->in, t->top[K_USED_IMAGES]);
    while (t->n_images < n && ms_json_iter_next(&iter, &element))
        t->images[t->n_images++] = element.value;
    return true;
}

/* With dashes as the file has them, or without; upper case becomes lower. */
static void add_uuid(struct ms_ips_text *t, const struct ms_uuid *uuid)
{
    char text[MS_UUID_TEXT];
    ms_uuid_format(uuid, text);
    for (const char *c = text; *c; c++)
        if (!t->embedded || *c != '-')
            ms_text_putc(&t->out, *c >= 'A' && *c <= 'F' ? (char)(*c + ('a' - 'A')) : *c);
}

enum image_key { I_ID, I_VERSION, I_ARCH, I_NAME, I_PATH, I_SIZE, I_N };
static const char *const image_keys[I_N] = {
    "CFBundleIdentifier", "CFBundleShortVersionString", "arch", "name", "path", "size",
};

static void add_image(struct ms_ips_text *t, size_t i)
{
    struct ms_json_value top[I_N];
    char start[24], end[24];
    uint64_t base = t->view->report->images[i].load_rt, size = 0;
    ms_json_pick(t->in, t->images[i], image_keys, I_N, top);
    ms_json_u64(t->in, top[I_SIZE], &size);
    snprintf(start, sizeof start, "0x%" PRIx64, base);
    snprintf(end, sizeof end, "0x%" PRIx64, base + size - 1); /* modulo 2^64 for 0 + 0 - 1 */
    ms_ips_printf(t, "%18s - %18s ", start, end);
    if (t->embedded) {
        ms_ips_value(t, top[I_NAME], "???");
        ms_ips_put(t, " ");
        ms_ips_value(t, top[I_ARCH], "unknown-arch");
        ms_ips_put(t, "  <");
    } else {
        ms_ips_value(t, ms_ips_has(top[I_ID]) ? top[I_ID] : top[I_NAME], "???");
        ms_ips_put(t, " (");
        ms_ips_value(t, top[I_VERSION], "*");
        ms_ips_put(t, ") <");
    }
    add_uuid(t, &t->view->report->images[i].uuid);
    ms_ips_put(t, "> ");
    ms_ips_value(t, top[I_PATH], "???");
    ms_ips_put(t, "\n");
}

void ms_ips_text_images(struct ms_ips_text *t)
{
    ms_ips_put(t, "Binary Images:\n");
    for (size_t i = 0; i < t->n_images; i++)
        add_image(t, i);
    if (t->n_images == 0)
        ms_ips_put(t, "Binary images description not available\n");
    ms_ips_put(t, "\n");
}

/* ---- the end --------------------------------------------------------------------------- */

static void calls(struct ms_ips_text *t, const char *title, const char *who)
{
    static const char *const names[] = {"task_for_pid", "thread_create", "thread_set_state"};
    struct ms_json_value counts = ms_ips_sub(t, K_EXT_MODS, who);
    ms_ips_printf(t, "  %s:\n", title);
    for (size_t i = 0; i < 3; i++) {
        ms_ips_printf(t, "    %s: ", names[i]);
        ms_ips_value(t, ms_json_get(t->in, counts, names[i]), "0");
        ms_ips_put(t, "\n");
    }
}

static void modifications(struct ms_ips_text *t)
{
    if (!ms_ips_has(t->top[K_EXT_MODS]) || t->layout == LAYOUT_IOS)
        return;
    ms_ips_put(t, "External Modification Summary:\n");
    calls(t, "Calls made by other processes targeting this process", "targeted");
    calls(t, "Calls made by this process", "caller");
    calls(t, "Calls made by all processes on this machine", "system");
    ms_ips_put(t, "\n");
}

static void part(struct ms_ips_text *t, const char *title, struct ms_json_value value)
{
    if (!ms_ips_has(value))
        return;
    ms_ips_put(t, title);
    ms_ips_blocks(t, value);
    ms_ips_put(t, "\n");
}

static void diagnostic_output(struct ms_ips_text *t)
{
    struct ms_json_iter iter;
    struct ms_json_member member;
    if (t->top[K_DIAGNOSTIC_OUTPUT].kind != MS_JSON_OBJECT)
        return;
    ms_json_iter_open(&iter, t->in, t->top[K_DIAGNOSTIC_OUTPUT]);
    while (ms_json_iter_next(&iter, &member)) {
        ms_ips_put(t, "Diagnostic Output: ");
        ms_ips_value(t, member.key, NULL);
        ms_ips_put(t, "\n");
        ms_ips_blocks(t, member.value);
    }
    ms_ips_put(t, "\n");
}

static void tail(struct ms_ips_text *t)
{
    bool ios = t->layout == LAYOUT_IOS;
    modifications(t);
    if (!ios)
        part(t, "VM Region Summary:\n", t->top[K_VM_SUMMARY]);
    part(t, "", t->top[K_MTE_PAGE_TAGS]);
    if (t->layout != LAYOUT_MACOS)
        part(t, "Error Formulating Crash Report:\n", t->top[K_REPORT_NOTES]);
    part(t, ios ? "Filtered syslog:\n" : "Filtered log messages:\n", t->top[K_FILTERED_LOG]);
    diagnostic_output(t);
    if (ios)
        ms_ips_put(t, "EOF\n");
    if (t->layout != LAYOUT_OS26)
        ms_ips_put(t, "\n");
}

/* ---- all of it ------------------------------------------------------------------------- */

void ms_ips_flush(struct ms_ips_text *t, size_t least)
{
    if (t->out.failed || t->out.n < least)
        return;
    if (t->out.n)
        ms_sink_write(t->sink, t->out.at, t->out.n);
    ms_text_clear(&t->out);
}

static void write_parts(struct ms_ips_text *t)
{
    static void (*const parts[])(struct ms_ips_text *) = {
        ms_ips_text_head,  ms_ips_text_why,    ms_ips_text_threads,
        ms_ips_text_state, ms_ips_text_images, tail,
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !t->out.failed; i++) {
        parts[i](t);
        ms_ips_flush(t, 0);
    }
}

enum ms_status ms_ips_text(const struct ms_ips_view *view, struct ms_sink *sink,
                           struct ms_error *err)
{
    struct ms_ips_text t;
    memset(&t, 0, sizeof t);
    t.view = view;
    t.in = view->in;
    t.sink = sink;
    ms_text_init(&t.out, SIZE_MAX / 4);
    ms_text_init(&t.scratch, SIZE_MAX / 4);
    ms_json_pick(t.in, view->payload, keys, K_N, t.top);
    enum ms_status status = MS_OK;
    if (list_images(&t)) {
        choose_layout(&t);
        write_parts(&t);
        status = ms_text_check(&t.out, err);
    } else
        status = ms_fail_memory(err);
    free(t.images);
    ms_text_fini(&t.out);
    ms_text_fini(&t.scratch);
    return status;
}
