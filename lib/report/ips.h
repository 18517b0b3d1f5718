/**
 * report/ips.h: the JSON crash report (.ips): a header line and a payload, or either alone.
 */
#ifndef MS_REPORT_IPS_H
#define MS_REPORT_IPS_H

#include "report/model.h"

/**
 * Reads the JSON that starts at byte `off` of b->file (which is '{') and reaches up to `end`
 * at most: a header line and a payload, a payload alone, or a header whose payload is cut
 * short or missing. Appends one closed report (ms_builder_open, …, ms_builder_close) when it
 * is a crash report: threads and usedImages, or what a damaged file has left of them.
 *
 * A header line that is followed by text (its next byte that is not blank isn't '{') is not
 * this reader's: the caller sees to that first, with ms_ips_header_bytes.
 *
 * @param consumed  set for MS_OK and MS_ABSENT: the byte (of the file) after the JSON; what
 *                  follows up to `end` is junk or the next report. Always > off
 * @param what      MS_ABSENT: what the JSON is instead, with its article ("a jetsam report
 *                  (bug_type 298)", "a MetricKit payload", "JSON that is no crash report");
 *                  static or in the arena
 * @return MS_OK, MS_ABSENT, MS_E_NOMEM, MS_E_LIMIT
 */
enum ms_status ms_ips_parse(struct ms_report_builder *b, size_t off, size_t end, size_t *consumed,
                            const char **what, struct ms_error *err);

/**
 * When the line at `off` is a header line, that is one JSON object on one line that has one of
 * the header's keys (bug_type, incident_id, app_name, …): its bytes without the line end, else
 * 0. Cheap on other lines.
 */
size_t ms_ips_header_bytes(struct ms_bytes file, size_t off, size_t end);

/**
 * Copies what a header line says into the open report where it has nothing yet: slice_uuid,
 * incident, os_version, process; sets header_off and header_bytes. For text reports with
 * a JSON first line as well.
 * @param bug_type  the header's, in the arena; NULL when it has none. May be NULL
 */
void ms_ips_read_header(struct ms_report_builder *b, size_t off, size_t n, const char **bug_type);

#endif
