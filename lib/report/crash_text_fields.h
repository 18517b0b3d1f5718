/**
 * report/crash_text_fields.h: the "Label: value" lines of a crash report.
 */
#ifndef MS_REPORT_CRASH_TEXT_FIELDS_H
#define MS_REPORT_CRASH_TEXT_FIELDS_H

#include "report/model.h"

/** What the fields say besides what goes into the report; also, whether it is one at all. */
struct ms_crash_fields {
    size_t n_header;    /**< fields that a crash report's header has */
    bool has_process;    /**< "Process: Widget [842]", with a process id */
    bool has_exception; /**< an exception type or codes */
    bool has_pointer;   /**< a line that points to a thread, "Unknown" too */
    bool has_thread;
    uint32_t thread;     /**< the number there */
    bool thread_crashed; /**< crashed or triggered, not just highlighted */
};

/** Reads one line (without junk around it) where it is such a field; the first of a label counts.
 */
void ms_crash_field_read(struct ms_report_builder *b, struct ms_crash_fields *fields,
                         const char *text, size_t n);

#endif
