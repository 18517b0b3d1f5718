/**
 * report/ips_parts.h: what the files of the .ips reader share.
 */
#ifndef MS_REPORT_IPS_PARTS_H
#define MS_REPORT_IPS_PARTS_H

#include "report/ips.h"
#include "report/json_scan.h"

/** The members of a payload that are read here, in strcmp order as ms_json_pick wants them. */
enum ms_ips_key {
    MS_IPS_ASI_BACKTRACES,
    MS_IPS_BINARY_IMAGES,
    MS_IPS_BUG_TYPE,
    MS_IPS_CALL_STACK_TREE,
    MS_IPS_CAPTURE_TIME,
    MS_IPS_CPU_TYPE,
    MS_IPS_CRASH_DIAGNOSTICS,
    MS_IPS_EXCEPTION,
    MS_IPS_FAULTING_THREAD,
    MS_IPS_INCIDENT,
    MS_IPS_LARGEST_PROCESS,
    MS_IPS_LAST_EXCEPTION,
    MS_IPS_LEGACY_INFO,
    MS_IPS_MEMORY_STATUS,
    MS_IPS_OS_VERSION,
    MS_IPS_PANIC_STRING,
    MS_IPS_PROC_NAME,
    MS_IPS_PROCESS_BY_PID,
    MS_IPS_PROCESSES,
    MS_IPS_STACKSHOT,
    MS_IPS_TERMINATION,
    MS_IPS_THREADS,
    MS_IPS_TIME_STAMP_BEGIN,
    MS_IPS_USED_IMAGES,
    MS_IPS_N_KEYS
};

/** One JSON report while it is read. */
struct ms_ips_reader {
    struct ms_report_builder *b;
    struct ms_bytes in;              /* the file */
    size_t header_off, header_bytes; /* 0 bytes: none */
    bool header_broken;
    const char *bug_type; /* in the arena, NULL when unknown */
    bool has_payload;
    struct ms_json_document payload;
    struct ms_json_value top[MS_IPS_N_KEYS]; /* of the payload */
};

/** The names of `top`. */
extern const char *const ms_ips_keys[MS_IPS_N_KEYS];

/**
 * What a JSON document is that isn't a crash report; NULL when it is one. In the arena or
 * static.
 */
const char *ms_ips_other_kind(struct ms_ips_reader *r);

/** Reads usedImages, the threads, the exception's backtraces into the open report. */
void ms_ips_read_images(struct ms_ips_reader *r);
void ms_ips_read_frames(struct ms_ips_reader *r);

/** A string's characters in the arena; NULL when it is no string. */
const char *ms_ips_copy(struct ms_report_builder *b, struct ms_json_value value);

#endif
