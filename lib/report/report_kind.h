/**
 * report/report_kind.h: what a file is that holds no crash report, for the message.
 */
#ifndef MS_REPORT_REPORT_KIND_H
#define MS_REPORT_REPORT_KIND_H

#include "machsym/types.h"

/** By its first bytes: "a Mach-O file", "an empty file", …; NULL for what may be text or JSON. */
const char *ms_kind_of_bytes(struct ms_bytes file);

/**
 * By the lines that stand before any thread or exception of a crash report: the text
 * [off, end) of another tool ("a sample report", …), which may have threads and images too;
 * NULL when nothing speaks against a crash report.
 */
const char *ms_kind_of_text(struct ms_bytes file, size_t off, size_t end);

/** For a text in which no crash report was found; never NULL. */
const char *ms_kind_of_rest(struct ms_bytes file);

#endif
