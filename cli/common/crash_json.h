/*
 * common/crash_json.h: a symbolicated report as JSON (machsym(5), "Reports").
 */
#ifndef MACHSYM_CLI_CRASH_JSON_H
#define MACHSYM_CLI_CRASH_JSON_H

#include "machsym/symbolize.h"

/* Writes one object; `name` is the file it came from. False, and nothing, without memory. */
bool json_report(struct ms_json *json, const char *name, const struct ms_report *report,
                 const struct ms_symbolication *names);

#endif
