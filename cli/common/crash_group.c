#include "common/crash_group.h"

#include "common/console.h"

#include <stdlib.h>
#include <string.h>

enum {
    FRAME_BYTES = 2560, /* that a frame takes at most in real reports: its address, answer, names */
    BYTES_RATIO = 8,    /* of what was read of a report, to the report */
    SHARE = 8,          /* of the memory that may be used, for frames, and for reports */
    GROWTH = 4          /* of one group to the next */
};

static struct crash_file *read_reports(struct crash_file *file)
{
    if (file->error.status == MS_OK)
        ms_report_parse(file->input.bytes, file->input.name, &file->reports, &file->error);
    return file;
}

struct crash_file *crash_file_map(const char *path)
{
    struct crash_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    enum ms_status status = input_map(&file->input, path, &file->error);
    if (status != MS_ABSENT && read_reports(file)->error.status != MS_E_NOMEM)
        return file;
    crash_file_close(file);
    return NULL;
}

int crash_file_open(struct crash_file **out, const char *path)
{
    struct crash_file *file = *out = calloc(1, sizeof *file);
    if (!file)
        return complain_memory();
    int status = input_open(&file->input, path);
    if (status == EXIT_DONE) {
        read_reports(file);
        return EXIT_DONE;
    }
    free(file);
    *out = NULL;
    return status;
}

void crash_file_close(struct crash_file *file)
{
    if (!file)
        return;
    ms_report_file_fini(&file->reports);
    input_close(&file->input);
    free(file);
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

void crash_group_init(struct crash_group *group, size_t max_memory)
{
    size_t share = max_memory ? max_memory / SHARE : SIZE_MAX;
    memset(group, 0, sizeof *group);
    group->max_reports = MAX_GROUP;
    group->max_frames = smaller(share / FRAME_BYTES, MAX_GROUP_FRAMES);
    group->max_bytes = smaller(share / BYTES_RATIO, MAX_GROUP_BYTES);
    group->wanted = 1;
}

bool crash_group_fits(const struct crash_group *group, const struct ms_report *report)
{
    if (group->n_steps == MAX_GROUP_STEPS)
        return false;
    if (!report || !group->n_reports)
        return true;
    return group->n_reports < group->max_reports && group->n_frames < group->max_frames &&
           report->n_frames <= group->max_frames - group->n_frames &&
           group->n_bytes < group->max_bytes && report->bytes <= group->max_bytes - group->n_bytes;
}

void crash_group_add(struct crash_group *group, struct crash_file *file, size_t report)
{
    group->steps[group->n_steps++] = (struct crash_step){file, report};
    if (report == CRASH_FILE_END)
        return;
    group->n_reports++;
    group->n_frames += file->reports.reports[report].n_frames;
    group->n_bytes += file->reports.reports[report].bytes;
}

bool crash_group_is_ready(const struct crash_group *group)
{
    return group->n_reports >= group->wanted;
}

void crash_group_next(struct crash_group *group, bool too_large, size_t n_found)
{
    if (too_large && group->n_reports > 1)
        group->max_reports = group->n_reports / 2;
    if (group->n_reports && 4 * n_found >= 3 * group->n_reports)
        group->wanted *= GROWTH;
    else if (2 * n_found < group->n_reports)
        group->wanted = 1 + group->wanted / GROWTH;
    group->wanted = smaller(group->wanted, group->max_reports);
    group->n_steps = group->n_reports = group->n_frames = 0;
    group->n_bytes = 0;
}
