/*
 * What dyld prints for DYLD_PRINT_SEGMENTS and DYLD_PRINT_LIBRARIES.
 *
 *   dyld[842]: Kernel mapped /path/Widget                       dyld 3 and 4
 *   dyld[842]:         __TEXT (r.x) 0x0001025f8000->0x0001026b0000
 *   dyld[842]: <0F1E2D3C-4B5A-3697-8877-665544332211> /path/Widget
 *   dyld: Main executable mapped /path/Widget                   dyld 2
 *               __TEXT at 0x1025F8000->0x1026B0000
 *   dyld: loaded: /usr/lib/libSystem.B.dylib
 *
 * __PAGEZERO comes first and, with the slide added, starts at the slide: only __TEXT counts.
 */
#include "report/crash_text_scan.h"
#include "report/imagelist_build.h"

#include <stdlib.h>

enum { MAX_PROCESSES = 16 }; /* whose lines may be mixed */

/* The image that segment lines belong to, in each process. */
struct process {
    uint64_t pid;
    size_t image; /* index into the build's items, SIZE_MAX for none */
};

struct reader {
    struct ms_list_build *build;
    struct process processes[MAX_PROCESSES];
    size_t n_processes, current;
};

static void switch_to(struct reader *reader, uint64_t pid)
{
    for (size_t i = 0; i < reader->n_processes; i++)
        if (reader->processes[i].pid == pid) {
            reader->current = i;
            return;
        }
    size_t i = reader->n_processes < MAX_PROCESSES
                   ? reader->n_processes++
                   : (reader->current + 1) % MAX_PROCESSES; /* some earlier one */
    reader->processes[i] = (struct process){pid, SIZE_MAX};
    reader->current = i;
}

/* ---- lines ------------------------------------------------------------------------------ */

/* "dyld[842]: ", "dyld: ", also behind a log's time stamp: where the rest starts, 0 for none. */
static size_t skip_prefix(struct reader *reader, const char *text, size_t n)
{
    size_t at = 0;
    while (at < n) {
        at += ms_scan_find(text + at, n - at, "dyld");
        if (at == n)
            return 0;
        bool starts_word = at == 0 || text[at - 1] == ' ' || text[at - 1] == '\t';
        at += 4;
        if (ms_scan_starts(text + at, n - at, "_sim"))
            at += 4;
        uint64_t pid = 0;
        size_t digits = 0;
        if (at < n && text[at] == '[') {
            digits = ms_scan_decimal(text + at + 1, n - at - 1, &pid);
            if (!digits || at + 1 + digits >= n || text[at + 1 + digits] != ']')
                continue;
            at += digits + 2;
        }
        if (starts_word && ms_scan_starts(text + at, n - at, ":")) {
            switch_to(reader, pid);
            return at + 1;
        }
    }
    return 0;
}

/* The path at `at` to the end, without the note on where in a fat file its slice is. */
static void start_image(struct reader *reader, const char *text, size_t n, bool is_main)
{
    size_t blanks = ms_scan_blanks(text, n);
    text += blanks;
    n = ms_scan_trim_end(text, n - blanks);
    size_t note = ms_scan_find(text, n, " (slice offset=");
    n = ms_scan_trim_end(text, note);
    struct ms_loaded_image *image = n ? ms_list_add(reader->build) : NULL;
    if (!image)
        return;
    ms_list_set_path(reader->build, image, text, n);
    image->is_main = is_main;
    reader->processes[reader->current].image = reader->build->n - 1;
}

/* "<UUID> /path" of DYLD_PRINT_LIBRARIES; the UUID may be missing in dyld 2. */
static bool take_library(struct reader *reader, const char *text, size_t n, bool uuid_needed)
{
    struct ms_uuid uuid = {{0}};
    const char *close = n && text[0] == '<' ? memchr(text, '>', n) : NULL;
    bool has_uuid = close && ms_uuid_parse(text + 1, (size_t)(close - text) - 1, &uuid);
    if (uuid_needed && !has_uuid)
        return false;
    size_t skip = has_uuid ? (size_t)(close - text) + 1 : 0;
    size_t before = reader->build->n;
    start_image(reader, text + skip, n - skip, false);
    if (reader->build->n > before) {
        reader->build->items[before].has_uuid = has_uuid && !ms_uuid_is_zero(&uuid);
        reader->build->items[before].uuid = uuid;
        reader->processes[reader->current].image = SIZE_MAX; /* no segments follow */
    }
    return true;
}

/* "__TEXT (r.x) 0x…->0x…" and "__TEXT at 0x…->0x… with permissions r.x". */
static bool take_segment(struct reader *reader, const char *text, size_t n)
{
    size_t name = 0;
    while (name < n && text[name] != ' ' && text[name] != '\t')
        name++;
    size_t at = name + ms_scan_blanks(text + name, n - name);
    if (!name || at == name)
        return false;
    if (ms_scan_starts(text + at, n - at, "at ")) {
        at += 3;
    } else if (at + 5 <= n && text[at] == '(' && text[at + 4] == ')') {
        at += 5;
    } else {
        return false;
    }
    at += ms_scan_blanks(text + at, n - at);
    uint64_t start, end;
    size_t m = ms_scan_starts(text + at, n - at, "0x") ? ms_list_hex(text + at, n - at, &start) : 0;
    if (!m || !ms_scan_starts(text + at + m, n - at - m, "->0x") ||
        !ms_list_hex(text + at + m + 2, n - at - m - 2, &end))
        return false;
    size_t index = reader->n_processes ? reader->processes[reader->current].image : SIZE_MAX;
    if (index != SIZE_MAX && name == 6 && memcmp(text, "__TEXT", 6) == 0 &&
        !reader->build->items[index].has_load) {
        reader->build->items[index].has_load = true;
        reader->build->items[index].load_rt = start;
    }
    return true;
}

static void take_line(struct reader *reader, const char *text, size_t n)
{
    static const struct {
        const char *start;
        bool is_main;
    } starts[] = {{"Kernel mapped ", true},
                  {"Main executable mapped ", true},
                  {"Mapping ", false},
                  {"Mapped ", false},
                  {"Using mapping in dyld cache for ", false}};
    size_t prefix = skip_prefix(reader, text, n);
    size_t at = prefix + ms_scan_blanks(text + prefix, n - prefix);
    if (!prefix) {
        take_segment(reader, text, n);
        return;
    }
    text += at;
    n -= at;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        size_t m = strlen(starts[i].start);
        if (ms_scan_starts(text, n, starts[i].start)) {
            start_image(reader, text + m, n - m, starts[i].is_main);
            return;
        }
    }
    if (ms_scan_starts(text, n, "loaded: "))
        take_library(reader, text + 8, n - 8, false);
    else if (!take_library(reader, text, n, true))
        take_segment(reader, text, n);
}

/* ---- both prints together ---------------------------------------------------------------- */

struct by_path {
    const char *path;
    size_t index;
};

static int compare(const void *a, const void *b)
{
    const struct by_path *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : x->index < y->index ? -1 : 1;
}

/* Gives the images of one path the one UUID that is told of it. */
static void share_uuid(struct ms_loaded_image *items, const struct by_path *paths, size_t n)
{
    const struct ms_uuid *uuid = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct ms_loaded_image *image = &items[paths[i].index];
        if (image->has_uuid && uuid && !ms_uuid_equal(uuid, &image->uuid))
            return; /* two files of one path: which is which isn't said */
        if (image->has_uuid)
            uuid = &image->uuid;
    }
    if (!uuid)
        return;
    struct ms_uuid copy = *uuid;
    for (size_t i = 0; i < n; i++) {
        items[paths[i].index].has_uuid = true;
        items[paths[i].index].uuid = copy;
    }
}

static void share_uuids(struct ms_list_build *build)
{
    struct by_path *paths = calloc(build->n + 1, sizeof *paths);
    if (!paths) {
        build->failed = true;
        return;
    }
    for (size_t i = 0; i < build->n; i++)
        paths[i] = (struct by_path){build->items[i].path ? build->items[i].path : "", i};
    qsort(paths, build->n, sizeof *paths, compare);
    for (size_t i = 0, end; i < build->n; i = end) {
        for (end = i + 1; end < build->n && strcmp(paths[end].path, paths[i].path) == 0;)
            end++;
        share_uuid(build->items, paths + i, end - i);
    }
    free(paths);
}

void ms_dyld_print_read(struct ms_list_build *build)
{
    struct reader reader = {.build = build};
    struct ms_line_reader lines;
    struct ms_line line;
    ms_lines_over(&lines, build->text, 0, build->text.n);
    while (!build->failed && ms_lines_next(&lines, &line))
        take_line(&reader, line.text, line.text_n);
    if (!build->failed && build->n)
        share_uuids(build);
}
