/* The header of the classic text: which process, when, on what system. */
#include "render/ips_text.h"

#include <string.h>

/* "NAME [ID]" */
static void with_id(struct ms_ips_text *t, const char *label, struct ms_json_value name,
                    const char *no_name, struct ms_json_value id, const char *no_id)
{
    ms_ips_label(t, label);
    ms_ips_value(t, name, no_name);
    ms_ips_put(t, " [");
    ms_ips_value(t, id, no_id);
    ms_ips_put(t, "]\n");
}

static void version(struct ms_ips_text *t)
{
    struct ms_json_value shorter = ms_ips_sub(t, K_BUNDLE_INFO, "CFBundleShortVersionString");
    struct ms_json_value full = ms_ips_sub(t, K_BUNDLE_INFO, "CFBundleVersion");
    ms_ips_label(t, "Version:");
    if (ms_ips_has(shorter)) {
        ms_ips_value(t, shorter, NULL);
        ms_ips_put(t, " (");
        ms_ips_value(t, full, "???");
        ms_ips_put(t, ")\n");
    } else {
        ms_ips_value(t, full, "???");
        ms_ips_put(t, "\n");
    }
}

static void build_info(struct ms_ips_text *t)
{
    struct ms_json_value product = ms_ips_sub(t, K_BUILD_INFO, "ProductBuildVersion");
    if (!ms_ips_has(t->top[K_BUILD_INFO]))
        return;
    ms_ips_label(t, "Build Info:");
    ms_ips_value(t, ms_ips_sub(t, K_BUILD_INFO, "ProjectName"), "Unknown");
    ms_ips_put(t, "-");
    ms_ips_value(t, ms_ips_sub(t, K_BUILD_INFO, "SourceVersion"), "Unknown");
    ms_ips_put(t, "~");
    ms_ips_value(t, ms_ips_sub(t, K_BUILD_INFO, "BuildVersion"), "Unknown");
    if (ms_ips_has(product)) {
        ms_ips_put(t, " (");
        ms_ips_value(t, product, NULL);
        ms_ips_put(t, ")");
    }
    ms_ips_put(t, "\n");
}

static void store(struct ms_ips_text *t)
{
    ms_ips_line(t, "AppStoreTools:", ms_ips_sub(t, K_BUNDLE_INFO, "DTAppStoreToolsBuild"));
    ms_ips_line(t, "AppVariant:", ms_ips_sub(t, K_STORE_INFO, "applicationVariant"));
    if (ms_json_truth(t->in, t->top[K_IS_BETA])) {
        ms_ips_label(t, "Beta:");
        ms_ips_put(t, "YES\n");
    }
}

/* A key of the device: for a beta tester the one that the developer's other reports have. */
static void reporter_key(struct ms_ips_text *t, const char *label)
{
    struct ms_json_value vendor = ms_ips_sub(t, K_STORE_INFO, "deviceIdentifierForVendor");
    if (ms_json_truth(t->in, t->top[K_IS_BETA])) {
        ms_ips_label(t, "Beta Identifier:");
        ms_ips_value(t, vendor, "Unknown");
        ms_ips_put(t, "\n");
    } else
        ms_ips_line(t, label, t->top[K_CRASH_REPORTER_KEY]);
}

static void incident(struct ms_ips_text *t)
{
    struct ms_json_value id = ms_json_get(t->in, t->view->header, "incident_id");
    ms_ips_line(t, "Incident Identifier:", ms_ips_has(id) ? id : t->top[K_INCIDENT]);
}

static void process(struct ms_ips_text *t)
{
    struct ms_json_value identifier = ms_ips_sub(t, K_BUNDLE_INFO, "CFBundleIdentifier");
    struct ms_json_value name = t->top[K_PROC_NAME];
    if (!ms_ips_has(name)) /* only the header is left of the report */
        name = ms_json_get(t->in, t->view->header, "app_name");
    with_id(t, "Process:", name, "???", t->top[K_PID], "???");
    ms_ips_label(t, "Path:");
    ms_ips_value(t, t->top[K_PROC_PATH], "???");
    ms_ips_put(t, "\n");
    ms_ips_label(t, "Identifier:");
    ms_ips_value(t, ms_ips_has(identifier) ? identifier : name, "???");
    ms_ips_put(t, "\n");
    version(t);
}

static void code_type(struct ms_ips_text *t)
{
    if (!ms_ips_has(t->top[K_CPU_TYPE]))
        return;
    ms_ips_label(t, "Code Type:");
    ms_ips_value(t, t->top[K_CPU_TYPE], NULL);
    ms_ips_put(t, ms_json_truth(t->in, t->top[K_TRANSLATED]) ? " (Translated)\n" : " (Native)\n");
}

static void responsible(struct ms_ips_text *t, const char *label)
{
    if (ms_ips_has(t->top[K_RESPONSIBLE_PID]) && ms_ips_has(t->top[K_RESPONSIBLE_PROC]))
        with_id(t, label, t->top[K_RESPONSIBLE_PROC], NULL, t->top[K_RESPONSIBLE_PID], NULL);
}

static void role_and_parents(struct ms_ips_text *t)
{
    bool classic_mac = t->layout == LAYOUT_MACOS;
    code_type(t);
    if (!classic_mac) {
        ms_ips_label(t, "Role:");
        ms_ips_value(t, t->top[K_PROC_ROLE], "Unspecified");
        ms_ips_put(t, "\n");
    }
    with_id(t, "Parent Process:", t->top[K_PARENT_PROC], "???", t->top[K_PARENT_PID], "Unknown");
    if (!classic_mac && ms_ips_has(t->top[K_COALITION_ID]))
        with_id(t, "Coalition:", t->top[K_COALITION_NAME], "<none>", t->top[K_COALITION_ID], NULL);
    responsible(t, classic_mac ? "Responsible:" : "Responsible Process:");
    if (t->layout != LAYOUT_IOS)
        ms_ips_line(t, "User ID:", t->top[K_USER_ID]);
    ms_ips_put(t, "\n");
}

static void plugin(struct ms_ips_text *t)
{
    struct ms_json_value text = ms_ips_sub(t, K_PLUGIN, "ExecutablePath");
    unsigned column = t->column;
    if (t->layout == LAYOUT_IOS || !ms_ips_has(t->top[K_PLUGIN]))
        return;
    t->column = 25;
    ms_ips_line(t, "PlugIn Path:", text);
    ms_ips_line(t, "PlugIn Identifier:", ms_ips_sub(t, K_PLUGIN, "Identifier"));
    ms_ips_label(t, "PlugIn Version:");
    ms_ips_value(t, ms_ips_sub(t, K_PLUGIN, "ShortVersionString"), NULL);
    ms_ips_put(t, " (");
    ms_ips_value(t, ms_ips_sub(t, K_PLUGIN, "Version"), "???");
    ms_ips_put(t, ")\n\n");
    t->column = column;
}

static void os_version(struct ms_ips_text *t)
{
    struct ms_json_value train = ms_ips_sub(t, K_OS_VERSION, "train");
    if (!ms_ips_has(train)) {
        ms_ips_line(t, "OS Version:", ms_json_get(t->in, t->view->header, "os_version"));
        return;
    }
    ms_ips_label(t, "OS Version:");
    ms_ips_value(t, train, NULL);
    ms_ips_put(t, " (");
    ms_ips_value(t, ms_ips_sub(t, K_OS_VERSION, "build"), NULL);
    ms_ips_put(t, ")\n");
}

static void bridge_version(struct ms_ips_text *t)
{
    struct ms_json_value train = ms_ips_sub(t, K_BRIDGE_VERSION, "train");
    unsigned column = t->column;
    t->column = 23; /* wider than its neighbours in OS 26 */
    if (ms_ips_has(train)) {
        ms_ips_label(t, "Bridge OS Version:");
        ms_ips_value(t, train, NULL);
        ms_ips_put(t, " (");
        ms_ips_value(t, ms_ips_sub(t, K_BRIDGE_VERSION, "build"), NULL);
        ms_ips_put(t, ")\n");
    } else
        ms_ips_line(t, "Bridge OS Version:", ms_ips_sub(t, K_BRIDGE_VERSION, "status"));
    t->column = column;
}

static void seconds(struct ms_ips_text *t, const char *label, struct ms_json_value value)
{
    if (!ms_ips_has(value))
        return;
    ms_ips_label(t, label);
    ms_ips_value(t, value, NULL);
    ms_ips_put(t, " seconds\n");
}

/* How long the system had been up, and whether it is protected. */
static void uptime(struct ms_ips_text *t)
{
    bool classic_mac = t->layout == LAYOUT_MACOS;
    t->column = 23;
    ms_ips_line(t, "Sleep/Wake UUID:", t->top[K_SLEEP_WAKE_UUID]);
    if (classic_mac || ms_ips_has(t->top[K_SLEEP_WAKE_UUID]))
        ms_ips_put(t, "\n");
    seconds(t, "Time Awake Since Boot:", t->top[K_UPTIME]);
    seconds(t, "Time Since Wake:", t->top[K_WAKE_TIME]);
    ms_ips_put(t, "\n");
    if (!ms_ips_has(t->top[K_SIP]))
        return;
    ms_ips_put(t, "System Integrity Protection: ");
    ms_ips_value(t, t->top[K_SIP], NULL);
    ms_ips_put(t, "\n\n");
}

static void head_ios(struct ms_ips_text *t)
{
    ms_ips_put(t, "\n");
    incident(t);
    reporter_key(t, "CrashReporter Key:");
    ms_ips_line(t, "Hardware Model:", t->top[K_MODEL_CODE]);
    ms_ips_line(t, "Device Model:", t->top[K_CODE_NAME]);
    process(t);
    store(t);
    role_and_parents(t);
    ms_ips_line(t, "Date/Time:", t->top[K_CAPTURE_TIME]);
    ms_ips_line(t, "Launch Time:", t->top[K_PROC_LAUNCH]);
    os_version(t);
    ms_ips_line(t, "Release Type:", ms_ips_sub(t, K_OS_VERSION, "releaseType"));
    ms_ips_line(t, "Baseband Version:", t->top[K_BASEBAND_VERSION]);
    ms_ips_line(t, "UDID:", t->top[K_SYSTEM_ID]);
    ms_ips_label(t, "Report Version:");
    ms_ips_put(t, "104\n\n");
}

static void head_macos(struct ms_ips_text *t)
{
    ms_ips_put(t, "\n");
    process(t);
    build_info(t);
    role_and_parents(t);
    plugin(t);
    ms_ips_line(t, "Date/Time:", t->top[K_CAPTURE_TIME]);
    os_version(t);
    ms_ips_label(t, "Report Version:");
    ms_ips_put(t, "12\n");
    bridge_version(t);
    ms_ips_line(t, "Anonymous UUID:", t->top[K_CRASH_REPORTER_KEY]);
    ms_ips_put(t, "\n");
    uptime(t);
    if (ms_ips_has(t->top[K_REPORT_NOTES])) {
        ms_ips_put(t, "Notes:\n");
        ms_ips_blocks(t, t->top[K_REPORT_NOTES]);
        ms_ips_put(t, "\n");
    }
}

static void head_os26(struct ms_ips_text *t)
{
    process(t);
    build_info(t);
    store(t);
    role_and_parents(t);
    plugin(t);
    ms_ips_line(t, "Date/Time:", t->top[K_CAPTURE_TIME]);
    ms_ips_line(t, "Launch Time:", t->top[K_PROC_LAUNCH]);
    ms_ips_line(t, "Hardware Model:", t->top[K_MODEL_CODE]);
    ms_ips_line(t, "Device Model:", t->top[K_CODE_NAME]);
    os_version(t);
    ms_ips_line(t, "Release Type:", ms_ips_sub(t, K_OS_VERSION, "releaseType"));
    bridge_version(t);
    ms_ips_line(t, "Baseband Version:", t->top[K_BASEBAND_VERSION]);
    ms_ips_put(t, "\n");
    reporter_key(t, "Crash Reporter Key:");
    ms_ips_line(t, "UDID:", t->top[K_SYSTEM_ID]);
    incident(t);
    ms_ips_put(t, "\n");
    uptime(t);
}

void ms_ips_text_head(struct ms_ips_text *t)
{
    t->column = t->layout == LAYOUT_MACOS ? 23 : 21;
    if (t->layout == LAYOUT_IOS)
        head_ios(t);
    else if (t->layout == LAYOUT_MACOS)
        head_macos(t);
    else
        head_os26(t);
}
