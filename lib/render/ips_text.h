/**
 * render/ips_text.h: what the files that turn a JSON report into the classic text share.
 *
 * Labels, columns and conditions are those of real reports that hold both forms, of macOS 12
 * to 26 and iOS 15 to 26.
 */
#ifndef MS_RENDER_IPS_TEXT_H
#define MS_RENDER_IPS_TEXT_H

#include "render/ips_view.h"

/** Members of the payload, in strcmp order. */
enum ms_ips_text_key {
    K_ASI,
    K_ASI_BACKTRACES,
    K_ASI_SIGNATURES,
    K_BASEBAND_VERSION,
    K_BRIDGE_VERSION,
    K_BUILD_INFO,
    K_BUNDLE_INFO,
    K_CAPTURE_TIME,
    K_COALITION_ID,
    K_COALITION_NAME,
    K_CODE_NAME,
    K_CPU_TYPE,
    K_CRASH_REPORTER_KEY,
    K_DIAGNOSTIC_OUTPUT,
    K_DYLD_MESSAGES,
    K_EXCEPTION,
    K_EXCEPTION_REASON,
    K_EXT_MODS,
    K_EXTERNAL_GPU_INFO,
    K_FATAL_DYLD_ERROR,
    K_FAULTING_THREAD,
    K_FILTERED_LOG,
    K_INCIDENT,
    K_IS_BETA,
    K_IS_CORPSE,
    K_IS_NON_FATAL,
    K_IS_SIMULATED,
    K_KTRIAGE_INFO,
    K_LAST_EXCEPTION,
    K_LEGACY_INFO,
    K_MODEL_CODE,
    K_MTE_PAGE_TAGS,
    K_OS_VERSION,
    K_PARENT_PID,
    K_PARENT_PROC,
    K_PID,
    K_PLUGIN,
    K_PROC_LAUNCH,
    K_PROC_NAME,
    K_PROC_PATH,
    K_PROC_ROLE,
    K_REPORT_NOTES,
    K_RESPONSIBLE_PID,
    K_RESPONSIBLE_PROC,
    K_SIMULATED_CALLER,
    K_SIP,
    K_SLEEP_WAKE_UUID,
    K_STORE_INFO,
    K_SYSTEM_ID,
    K_TERMINATION,
    K_THREADS,
    K_TRANSLATED,
    K_UPTIME,
    K_USED_IMAGES,
    K_USER_ID,
    K_VM_REGION_INFO,
    K_VM_SUMMARY,
    K_VM_REGION_INFO_OLD,
    K_WAKE_TIME,
    K_WORK_QUEUE_LIMITS,
    K_N
};

/** Whose text it is. OS 26 has one layout for all; before, iOS and macOS had their own. */
enum ms_ips_layout { LAYOUT_MACOS, LAYOUT_IOS, LAYOUT_OS26 };

struct ms_ips_text {
    const struct ms_ips_view *view;
    struct ms_bytes in;
    struct ms_sink *sink;
    struct ms_text out;     /* not yet given to the sink */
    struct ms_text scratch; /* one decoded value */
    enum ms_ips_layout layout;
    bool embedded;   /* iOS and its kin: thread names on lines of their own, … */
    unsigned column; /* of the values in the header */
    struct ms_json_value top[K_N];
    struct ms_json_value *images; /* the elements of usedImages */
    size_t n_images;
};

/* ---- values: ips_text_value.c ---------------------------------------------------------- */

/** Whether the member is there and not null. */
bool ms_ips_has(struct ms_json_value value);
/** A member of a member of the payload. */
struct ms_json_value ms_ips_sub(const struct ms_ips_text *t, enum ms_ips_text_key key,
                                const char *name);

void ms_ips_put(struct ms_ips_text *t, const char *text);
void ms_ips_printf(struct ms_ips_text *t, const char *format, ...) MS_PRINTF(2, 3);
/** A label padded to the column of values. */
void ms_ips_label(struct ms_ips_text *t, const char *label);
/** A value on one line: a string or a scalar; control characters come out as '?'. `or` when
 *  it is absent (NULL = nothing). */
void ms_ips_value(struct ms_ips_text *t, struct ms_json_value value, const char * or);
/** A string that may have several lines, and a line end after it. */
void ms_ips_block(struct ms_ips_text *t, struct ms_json_value value);
/** Each string of an array (or of the arrays in an object) as a block; a string alone too. */
void ms_ips_blocks(struct ms_ips_text *t, struct ms_json_value value);
/** "LABEL VALUE" and a line end, when the value is there. */
void ms_ips_line(struct ms_ips_text *t, const char *label, struct ms_json_value value);

/** Hands what is written so far to the sink, once it has `least` bytes; nothing that was
 *  written may be looked at or changed afterwards. */
void ms_ips_flush(struct ms_ips_text *t, size_t least);

/* ---- parts ----------------------------------------------------------------------------- */

void ms_ips_text_head(struct ms_ips_text *t); /**< identity, time, system: ips_text_head.c */
void ms_ips_text_why(struct ms_ips_text *t);  /**< what happened: ips_text_why.c */
void ms_ips_text_last_exception(struct ms_ips_text *t); /**< ips_text_frames.c */
void ms_ips_text_asi_backtraces(struct ms_ips_text *t);
void ms_ips_text_threads(struct ms_ips_text *t);
void ms_ips_text_state(struct ms_ips_text *t);  /**< registers: ips_text_state.c */
void ms_ips_text_images(struct ms_ips_text *t); /**< Binary Images: ips_text.c */

#endif
