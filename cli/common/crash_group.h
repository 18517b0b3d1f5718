/*
 * common/crash_group.h: crash reports that are in hand together, so that what they have in common
 * is looked up once. A group is bounded in reports, frames and bytes, and so is what a run takes in
 * memory, however many reports there are. The first group is one report, so that the first answer
 * comes as soon as it can; groups grow while files are found for their reports. Where none are
 * there is nothing to share, and what many reports take in memory costs more than it saves.
 */
#ifndef MACHSYM_CLI_CRASH_GROUP_H
#define MACHSYM_CLI_CRASH_GROUP_H

#include "common/input.h"
#include "machsym/report.h"

enum {
    MAX_GROUP = 256,                 /* reports */
    MAX_GROUP_STEPS = 2 * MAX_GROUP, /* reports, and ends of files */
    MAX_GROUP_FRAMES = 32768,
    MAX_GROUP_BYTES = 8 << 20
};

/* A file of reports. */
struct crash_file {
    struct input input;
    struct ms_report_file reports;
    struct ms_error error; /* why there are none; status MS_OK */
};

/*
 * Opens and reads a file that is there at once: a regular one. NULL: it has to be waited for, or
 * memory is out.
 */
struct crash_file *crash_file_map(const char *path);
/*
 * Opens and reads a file of any kind. Returns EXIT_DONE, or an exit status after having
 * complained.
 */
int crash_file_open(struct crash_file **out, const char *path);
void crash_file_close(struct crash_file *file); /* takes NULL */

/* What is to be done, one after the other. */
struct crash_step {
    struct crash_file *file;
    size_t report; /* of the file; or CRASH_FILE_END: there are no more of it */
};
#define CRASH_FILE_END SIZE_MAX

struct crash_group {
    struct crash_step steps[MAX_GROUP_STEPS];
    size_t n_steps;
    size_t n_reports, n_frames;
    uint64_t n_bytes;
    size_t wanted; /* reports, and then it is done */
    size_t max_reports, max_frames, max_bytes;
};

/* max_memory: 0 = no bound of the user's. */
void crash_group_init(struct crash_group *group, size_t max_memory);

/* Whether a report, or with NULL the end of a file, may be added; always when there are none. */
bool crash_group_fits(const struct crash_group *group, const struct ms_report *report);
void crash_group_add(struct crash_group *group, struct crash_file *file, size_t report);
/* Whether it is time to do it. */
bool crash_group_is_ready(const struct crash_group *group);

/*
 * After it was done: empties it.
 * too_large: memory was out, those to come are smaller; n_found: reports that files were found for
 */
void crash_group_next(struct crash_group *group, bool too_large, size_t n_found);

#endif
