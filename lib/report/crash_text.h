/**
 * report/crash_text.h: crash reports as text: Apple's of macOS and iOS, the translated text
 * above an .ips, and what PLCrashReporter, KSCrash and others write in their likeness.
 */
#ifndef MS_REPORT_CRASH_TEXT_H
#define MS_REPORT_CRASH_TEXT_H

#include "report/crash_text_scan.h"
#include "report/model.h"

/** What a line is, as far as it starts or ends something. */
enum ms_crash_line {
    MS_LINE_OTHER,          /**< none of the following */
    MS_LINE_THREAD,         /**< "Thread 0 Crashed:: name  Dispatch queue: q" */
    MS_LINE_THREAD_NAME,    /**< "Thread 0 name:  …", before the thread's own line */
    MS_LINE_STATE,          /**< "Thread 0 crashed with ARM Thread State (64-bit):" */
    MS_LINE_LAST_EXCEPTION, /**< "Last Exception Backtrace:" */
    MS_LINE_APP_SPECIFIC,   /**< "Application Specific Backtrace 0:" */
    MS_LINE_FIRST_THROW,    /**< "*** First throw call stack:" */
    MS_LINE_IMAGES,         /**< "Binary Images:" */
    MS_LINE_TITLE           /**< another line that ends in ':' and begins in upper case */
};

/** A line that starts something, taken apart. */
struct ms_crash_head {
    enum ms_crash_line kind;
    bool has_number;
    uint32_t number;  /**< of the thread or backtrace */
    bool crashed;     /**< THREAD: crashed or triggered */
    bool highlighted; /**< THREAD: highlighted or attributed */
    size_t rest;      /**< offset of what follows the ':' in the line's text */
};

void ms_crash_head_parse(const char *text, size_t n, struct ms_crash_head *out);

/**
 * Reads the text [off, end) of b->file as one report.
 * @param header_off, header_bytes  the JSON line near `off`; 0 bytes when there is none
 * @param found  set with MS_OK: false when the text is no crash report; then none is appended
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_crash_text_parse(struct ms_report_builder *b, size_t off, size_t end,
                                   size_t header_off, size_t header_bytes, bool *found,
                                   struct ms_error *err);

#endif
