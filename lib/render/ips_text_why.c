/* What happened: the thread, the exception, the termination, and what the process said. */
#include "render/ips_text.h"

#include <inttypes.h>
#include <string.h>

/* ---- which thread ---------------------------------------------------------------------- */

/* The thread that crashed, not one that is only highlighted. */
static bool faulting(const struct ms_ips_text *t, uint32_t *number)
{
    const struct ms_report *report = t->view->report;
    int32_t crashed = report->crashed_thread;
    if (ms_json_index(t->in, t->top[K_FAULTING_THREAD], number))
        return true;
    if (crashed < 0 || !report->threads[crashed].crashed)
        return false;
    *number = (uint32_t)crashed;
    return true;
}

/* "  NAME" and "SEPARATOR QUEUE", as far as the report has them. */
static void name_and_queue(struct ms_ips_text *t, const char *separator)
{
    struct ms_json_value thread = ms_ips_sub(t, K_LEGACY_INFO, "threadTriggered");
    struct ms_json_value name = ms_json_get(t->in, thread, "name");
    struct ms_json_value queue = ms_json_get(t->in, thread, "queue");
    if (ms_ips_has(name)) {
        ms_ips_put(t, "  ");
        ms_ips_value(t, name, NULL);
    }
    if (ms_ips_has(queue)) {
        ms_ips_put(t, separator);
        ms_ips_value(t, queue, NULL);
    }
}

static void which_thread(struct ms_ips_text *t)
{
    struct ms_json_value highlighted = ms_ips_sub(t, K_LEGACY_INFO, "threadHighlighted");
    const char *blank = t->layout == LAYOUT_IOS ? "  " : " ";
    uint32_t number;
    if (faulting(t, &number)) {
        if (t->layout == LAYOUT_MACOS)
            ms_ips_label(t, "Crashed Thread:");
        else
            ms_ips_printf(t, "Triggered by Thread:%s", blank);
        ms_ips_printf(t, "%" PRIu32, number);
        if (t->layout == LAYOUT_MACOS)
            name_and_queue(t, "  Dispatch queue: ");
        else if (t->layout == LAYOUT_OS26)
            name_and_queue(t, ", Dispatch Queue: ");
    } else if (ms_ips_has(highlighted)) {
        ms_ips_printf(t, "Highlighted by Thread:%s", blank);
        ms_ips_value(t, highlighted, NULL);
    } else {
        if (t->layout == LAYOUT_MACOS)
            ms_ips_label(t, "Crashed Thread:");
        else
            ms_ips_printf(t, "Triggered by Thread:%s", blank);
        ms_ips_put(t, "Unknown");
    }
    ms_ips_put(t, "\n\n");
}

/* ---- the exception --------------------------------------------------------------------- */

/* A label of the exception block: its columns differ from the header's, and a label that is
 * longer has one blank after it. */
static void why_label(struct ms_ips_text *t, const char *label)
{
    static const int columns[] = {[LAYOUT_MACOS] = 23, [LAYOUT_IOS] = 17, [LAYOUT_OS26] = 19};
    ms_ips_printf(t, "%-*s", columns[t->layout], label);
    if ((int)strlen(label) >= columns[t->layout])
        ms_ips_put(t, " ");
}

static void why_line(struct ms_ips_text *t, const char *label, struct ms_json_value value)
{
    if (!ms_ips_has(value))
        return;
    why_label(t, label);
    ms_ips_value(t, value, NULL);
    ms_ips_put(t, "\n");
}

/* rawCodes as Apple prints them; some exporters write only the text form. */
static void raw_codes(struct ms_ips_text *t)
{
    struct ms_json_value codes = ms_ips_sub(t, K_EXCEPTION, "rawCodes");
    struct ms_json_iter iter;
    struct ms_json_member element;
    bool any = false;
    if (codes.kind != MS_JSON_ARRAY) {
        why_line(t, "Exception Codes:", ms_ips_sub(t, K_EXCEPTION, "codes"));
        return;
    }
    why_label(t, "Exception Codes:");
    ms_json_iter_open(&iter, t->in, codes);
    while (ms_json_iter_next(&iter, &element)) {
        uint64_t code;
        if (!ms_json_u64(t->in, element.value, &code))
            continue;
        ms_ips_printf(t, "%s0x%016" PRIx64, any ? ", " : "", code);
        any = true;
    }
    ms_ips_put(t, "\n");
}

static void exception_note(struct ms_ips_text *t)
{
    bool simulated = ms_json_truth(t->in, t->top[K_IS_SIMULATED]);
    if (ms_ips_has(t->top[K_SIMULATED_CALLER])) {
        why_label(t, "Exception Note:");
        ms_ips_put(t, "SIMULATED (this is NOT a crash) requested by ");
        ms_ips_value(t, t->top[K_SIMULATED_CALLER], NULL);
        ms_ips_put(t, "\n");
    } else if (simulated) {
        why_label(t, "Exception Note:");
        ms_ips_put(t, "SIMULATED (this is NOT a crash)\n");
    }
    if (!simulated && ms_json_truth(t->in, t->top[K_IS_CORPSE])) {
        why_label(t, "Exception Note:");
        ms_ips_put(t, "EXC_CORPSE_NOTIFY\n");
    }
    if (!simulated && ms_json_truth(t->in, t->top[K_IS_NON_FATAL])) {
        why_label(t, "Exception Note:");
        ms_ips_put(t, "NON-FATAL CONDITION (this is NOT a crash)\n");
    }
}

static void exception_type(struct ms_ips_text *t)
{
    struct ms_json_value signal = ms_ips_sub(t, K_EXCEPTION, "signal");
    struct ms_json_value type = ms_ips_sub(t, K_EXCEPTION, "type");
    if (!ms_ips_has(type) && !ms_ips_has(signal))
        return;
    why_label(t, "Exception Type:");
    ms_ips_value(t, type, NULL);
    if (ms_ips_has(signal)) {
        ms_ips_put(t, " (");
        ms_ips_value(t, signal, NULL);
        ms_ips_put(t, ")");
    }
    ms_ips_put(t, "\n");
}

/* vmRegionInfo, or the other spelling that the same report has as well. */
static void region_info(struct ms_ips_text *t)
{
    struct ms_json_value info = t->top[K_VM_REGION_INFO];
    if (!ms_ips_has(info))
        info = t->top[K_VM_REGION_INFO_OLD];
    if (!ms_ips_has(info))
        return;
    ms_ips_put(t, "VM Region Info: ");
    ms_ips_block(t, info);
    if (t->layout != LAYOUT_IOS)
        ms_ips_put(t, "\n");
}

static void exception(struct ms_ips_text *t)
{
    bool classic_mac = t->layout == LAYOUT_MACOS;
    exception_type(t);
    /* Two lines of the same label: the subtype and the codes. */
    why_line(t, classic_mac ? "Exception Codes:" : "Exception Subtype:",
             ms_ips_sub(t, K_EXCEPTION, "subtype"));
    why_line(t, "Exception Message:", ms_ips_sub(t, K_EXCEPTION, "message"));
    if (classic_mac && ms_ips_has(ms_ips_sub(t, K_EXCEPTION, "codes")))
        why_line(t, "Exception Codes:", ms_ips_sub(t, K_EXCEPTION, "codes"));
    else
        raw_codes(t);
    if (t->layout == LAYOUT_OS26)
        why_line(t, "Exception Reason:", ms_ips_sub(t, K_EXCEPTION_REASON, "composed_message"));
    if (t->layout == LAYOUT_IOS)
        region_info(t);
    exception_note(t);
}

/* ---- the termination ------------------------------------------------------------------- */

static void termination_reason(struct ms_ips_text *t)
{
    if (t->layout == LAYOUT_MACOS)
        ms_ips_label(t, "Termination Reason:");
    else
        ms_ips_put(t, t->layout == LAYOUT_IOS ? "Termination Reason: " : "Termination Reason:  ");
    if (t->layout != LAYOUT_IOS)
        ms_ips_put(t, "Namespace ");
    ms_ips_value(t, ms_ips_sub(t, K_TERMINATION, "namespace"), NULL);
    ms_ips_put(t, t->layout == LAYOUT_IOS ? " " : ", Code ");
    ms_ips_value(t, ms_ips_sub(t, K_TERMINATION, "code"), NULL);
    ms_ips_put(t, t->layout == LAYOUT_OS26 ? ", " : " ");
    ms_ips_value(t, ms_ips_sub(t, K_TERMINATION, "indicator"), NULL);
    ms_ips_put(t, "\n");
}

static void termination(struct ms_ips_text *t)
{
    struct ms_json_value pid = ms_ips_sub(t, K_TERMINATION, "byPid");
    if (!ms_ips_has(t->top[K_TERMINATION]))
        return;
    termination_reason(t);
    ms_ips_blocks(t, ms_ips_sub(t, K_TERMINATION, "reasons"));
    ms_ips_blocks(t, ms_ips_sub(t, K_TERMINATION, "details"));
    if (!ms_ips_has(pid))
        return;
    if (t->layout == LAYOUT_MACOS)
        ms_ips_label(t, "Terminating Process:");
    else
        ms_ips_put(t, "Terminating Process: ");
    ms_ips_value(t, ms_ips_sub(t, K_TERMINATION, "byProc"), "<unknown>");
    ms_ips_put(t, " [");
    ms_ips_value(t, pid, NULL);
    ms_ips_put(t, "]\n");
}

/* ---- what else is known ---------------------------------------------------------------- */

/* A title, the strings, and the blank line that ends the part. */
static void part(struct ms_ips_text *t, const char *title, struct ms_json_value value)
{
    if (!ms_ips_has(value))
        return;
    ms_ips_put(t, title);
    ms_ips_blocks(t, value);
    ms_ips_put(t, "\n");
}

static void dyld_error(struct ms_ips_text *t)
{
    struct ms_json_value error = t->top[K_FATAL_DYLD_ERROR];
    if (!ms_ips_has(error) || (t->layout != LAYOUT_OS26 && error.kind != MS_JSON_STRING))
        return; /* before OS 26 the flag alone isn't shown; the reasons say it all */
    ms_ips_put(t, "Dyld Error Message:\n  ");
    ms_ips_block(t, error);
    ms_ips_put(t, "\n");
}

static void queue_limits(struct ms_ips_text *t)
{
    struct ms_json_iter iter;
    struct ms_json_member member;
    if (t->top[K_WORK_QUEUE_LIMITS].kind != MS_JSON_OBJECT || t->layout == LAYOUT_IOS)
        return;
    ms_json_iter_open(&iter, t->in, t->top[K_WORK_QUEUE_LIMITS]);
    while (ms_json_iter_next(&iter, &member)) {
        ms_ips_value(t, member.key, NULL);
        ms_ips_put(t, " Reached: ");
        ms_ips_value(t, member.value, NULL);
        ms_ips_put(t, " (too many dispatch threads blocked in synchronous operations)\n");
    }
    ms_ips_put(t, "\n");
}

static bool modified(const struct ms_ips_text *t, const char *by, const char *how)
{
    struct ms_json_value who = ms_ips_sub(t, K_EXT_MODS, by);
    return ms_json_truth(t->in, ms_json_get(t->in, who, how));
}

static void modification_warnings(struct ms_ips_text *t)
{
    if (t->layout == LAYOUT_IOS || !ms_json_truth(t->in, ms_ips_sub(t, K_EXT_MODS, "warnings")))
        return;
    ms_ips_put(t, "External Modification Warnings:\n");
    if (modified(t, "targeted", "thread_create"))
        ms_ips_put(t, "Thread creation by external task.\n");
    if (modified(t, "targeted", "thread_set_state"))
        ms_ips_put(t, "Debugger attached to process.\n");
    if (modified(t, "caller", "task_for_pid"))
        ms_ips_put(t, "Process used task_for_pid().\n");
    ms_ips_put(t, "\n");
}

/* What the process and its libraries had left for the report: one more blank line. */
static void information(struct ms_ips_text *t)
{
    if (!ms_ips_has(t->top[K_ASI]))
        return;
    part(t, "Application Specific Information:\n", t->top[K_ASI]);
    ms_ips_put(t, "\n");
}

static void backtraces(struct ms_ips_text *t)
{
    bool has_asi = ms_ips_has(t->top[K_ASI_BACKTRACES]);
    if (has_asi && t->layout != LAYOUT_IOS)
        ms_ips_text_asi_backtraces(t);
    part(t, "Dyld Error Message:\n  ", t->top[K_DYLD_MESSAGES]);
    /* On macOS before 26 the text has one backtrace of an exception, not both. */
    if (!(has_asi && t->layout == LAYOUT_MACOS))
        ms_ips_text_last_exception(t);
}

void ms_ips_text_why(struct ms_ips_text *t)
{
    bool ios = t->layout == LAYOUT_IOS;
    if (!ios)
        which_thread(t);
    exception(t);
    if (!ios)
        ms_ips_put(t, "\n");
    termination(t);
    if (ms_ips_has(t->top[K_TERMINATION]))
        ms_ips_put(t, "\n");
    if (ios)
        which_thread(t);
    if (!ios)
        dyld_error(t);
    if (t->layout == LAYOUT_OS26)
        ms_ips_put(t, "\n");
    queue_limits(t);
    modification_warnings(t);
    if (!ios) {
        region_info(t);
        part(t, "", t->top[K_EXTERNAL_GPU_INFO]);
    }
    information(t);
    if (!ios)
        part(t, "Application Specific Signatures:\n", t->top[K_ASI_SIGNATURES]);
    backtraces(t);
    if (t->layout == LAYOUT_MACOS)
        part(t, "Error Formulating Crash Report:\n", t->top[K_REPORT_NOTES]);
    part(t, "Kernel Triage:\n", t->top[K_KTRIAGE_INFO]);
}
