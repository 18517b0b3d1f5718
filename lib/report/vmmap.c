/*
 * vmmap's list of regions: where each image has its __TEXT, and so its Mach-O header.
 *
 *   __TEXT   1025f8000-1026b0000 [  736K   736K     0K     0K] r-x/r-x SM=COW   /path/Widget
 *
 * Output report formats 2.3 (addresses of 16 digits, one size), 2.4 (four sizes, PURGE), and
 * macOS 10.4's (no end address). The path is last and may have blanks; without -w it is cut.
 */
#include "base/array.h"
#include "report/crash_text_scan.h"
#include "report/imagelist_build.h"

#include <inttypes.h>
#include <stdlib.h>

/* One line of a __TEXT. */
struct region {
    uint64_t start, end;
    bool unused; /* "unused __TEXT": belongs to it, but a header isn't there */
    struct ms_bytes path;
    size_t order; /* line it was read from, so that images come out as they stand */
};

struct regions {
    struct region *items;
    size_t n, room;
    size_t n_bad, first_bad; /* lines that look like a region and can't be read */
};

bool ms_vmmap_is(struct ms_bytes text)
{
    static const char *const signs[] = {"Virtual Memory Map of process", "regions for process"};
    struct ms_line_reader lines;
    struct ms_line line;
    ms_lines_over(&lines, text, 0, text.n);
    while (ms_lines_next(&lines, &line)) {
        const char *at = line.text;
        size_t n = line.text_n;
        if (ms_scan_starts(at, n, signs[0]))
            return true;
        /* "==== Non-writable regions for process 842", or interleaved: "==== regions for …" */
        if (ms_scan_starts(at, n, "==== ") && ms_scan_find(at, n, signs[1]) < n)
            return true;
    }
    return false;
}

/* ---- a line ---------------------------------------------------------------------------- */

static size_t skip_blanks(const char *text, size_t n, size_t at)
{
    return at + ms_scan_blanks(text + at, n - at);
}

/* "[  736K   736K …": the first size in bytes, rounded up; 0 when it can't be read. */
static uint64_t first_size(const char *text, size_t n)
{
    size_t at = skip_blanks(text, n, 0);
    uint64_t whole = 0, scale = 1;
    size_t digits = ms_scan_decimal(text + at, n - at, &whole);
    if (!digits)
        return 0;
    at += digits;
    if (at < n && text[at] == '.') { /* tenths: "11.9M" */
        at++;
        while (at < n && ms_is_digit(text[at]))
            at++;
        whole++;
    }
    if (at < n && text[at] == 'K')
        scale = 1024;
    else if (at < n && text[at] == 'M')
        scale = 1024 * 1024;
    else if (at < n && text[at] == 'G')
        scale = 1024 * 1024 * 1024;
    return whole <= UINT64_MAX / scale ? whole * scale : 0;
}

/* "r-x/rwx SM=COW [PURGE=V] ": where what follows starts, 0 when it isn't there. */
static size_t skip_protection(const char *text, size_t n, size_t at)
{
    at = skip_blanks(text, n, at);
    for (size_t i = 0; i < 7; i++) {
        static const char wanted[] = "rwx/rwx";
        if (at + i >= n || (text[at + i] != wanted[i] && (text[at + i] != '-' || i == 3)))
            return 0;
    }
    at = skip_blanks(text, n, at + 7);
    static const char *const words[] = {"SM=", "PURGE="};
    for (size_t i = 0; i < 2; i++) {
        if (!ms_scan_starts(text + at, n - at, words[i]))
            continue;
        while (at < n && text[at] != ' ' && text[at] != '\t')
            at++;
        at = skip_blanks(text, n, at);
    }
    return at;
}

/* What follows the type of a region. False when it is not as it should be. */
static bool take_region(const char *text, size_t n, struct region *out)
{
    size_t at = skip_blanks(text, n, 0);
    size_t m = ms_list_hex(text + at, n - at, &out->start);
    bool has_end = m && at + m < n && text[at + m] == '-';
    if (!m)
        return false;
    at += m;
    if (has_end) {
        m = ms_list_hex(text + at + 1, n - at - 1, &out->end);
        if (!m || out->end < out->start)
            return false;
        at += 1 + m;
    }
    at = skip_blanks(text, n, at);
    const char *close = at < n && text[at] == '[' ? memchr(text + at, ']', n - at) : NULL;
    if (!close)
        return false;
    size_t end = (size_t)(close - text);
    if (!has_end) {
        uint64_t size = first_size(text + at + 1, end - at - 1);
        out->end = size <= UINT64_MAX - out->start ? out->start + size : UINT64_MAX;
    }
    at = skip_protection(text, n, end + 1);
    if (!at)
        return false;
    out->path = (struct ms_bytes){(const uint8_t *)text + at, ms_scan_trim_end(text + at, n - at)};
    return true;
}

/* Takes the line when it is one of a __TEXT; false when memory is out. */
static bool take_line(struct regions *regions, const char *text, size_t n, size_t number)
{
    struct region region = {.order = number};
    size_t at = ms_scan_starts(text, n, "unused ") ? 7 : 0;
    region.unused = at > 0;
    /* The type to the letter: __TEXT_EXEC and the like are others. */
    if (!ms_scan_starts(text + at, n - at, "__TEXT"))
        return true;
    at += 6;
    if (at == n || (text[at] != ' ' && text[at] != '\t'))
        return true;
    size_t next = skip_blanks(text, n, at);
    if (!take_region(text + at, n - at, &region)) {
        /* The summary has a line "__TEXT  180.4M …", and a type may go on: "__TEXT (zero fill)". */
        uint64_t address;
        size_t m = ms_list_hex(text + next, n - next, &address);
        if (m && next + m < n && text[next + m] == '-') {
            regions->first_bad = regions->n_bad ? regions->first_bad : number;
            regions->n_bad++;
        }
        return true;
    }
    return !region.path.n || MS_PUSH(regions->items, regions->n, regions->room, region);
}

/* ---- from regions to images ------------------------------------------------------------ */

static int compare_bytes(struct ms_bytes a, struct ms_bytes b)
{
    int order = memcmp(a.at, b.at, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int compare(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    int by_path = compare_bytes(x->path, y->path);
    if (by_path)
        return by_path;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int compare_order(const void *a, const void *b)
{
    const struct region *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/*
 * Joins the lines of each path that follow one another without a gap: one __TEXT is shown in
 * several where its pages differ in protection or sharing. Those that don't are another
 * mapping of the same file. Leaves one region an image, in the order of the text.
 */
static void join(struct regions *regions)
{
    size_t n = regions->n, kept = 0;
    if (!n)
        return;
    qsort(regions->items, n, sizeof *regions->items, compare);
    for (size_t i = 0; i < n; i++) {
        struct region *region = &regions->items[i];
        struct region *last = kept ? &regions->items[kept - 1] : NULL;
        if (!last || compare_bytes(last->path, region->path) != 0 || region->start > last->end) {
            regions->items[kept++] = *region;
            continue;
        }
        if (last->unused && !region->unused) { /* no header in what came before */
            last->start = region->start;
            last->unused = false;
        }
        if (region->end > last->end)
            last->end = region->end;
        if (region->order < last->order)
            last->order = region->order;
    }
    regions->n = kept;
    qsort(regions->items, kept, sizeof *regions->items, compare_order);
}

/* The image that the header speaks of: its regions, where they are, or one of its own. */
static void add_main(struct ms_list_build *build, size_t first, const struct ms_list_header *header)
{
    struct ms_loaded_image *found = NULL, *same_path = NULL;
    struct ms_bytes path = header->path.n ? header->path : header->process;
    if (!header->has_load && !header->path.n)
        return;
    for (size_t i = first; i < build->n; i++) {
        struct ms_loaded_image *image = &build->items[i];
        bool same = path.n && image->path && strlen(image->path) == path.n &&
                    memcmp(image->path, path.at, path.n) == 0;
        if (header->has_load && image->load_rt == header->load_rt && (!found || same))
            found = image;
        if (same && !same_path)
            same_path = image;
    }
    if (!header->has_load)
        found = same_path;
    if (!found && header->has_load) {
        if (same_path)
            ms_list_note(build,
                         "the header gives the load address 0x%" PRIx64
                         ", but the __TEXT of %s starts at 0x%" PRIx64 "; the header's is taken",
                         header->load_rt, same_path->name, same_path->load_rt);
        found = ms_list_add(build);
        if (!found)
            return;
        ms_list_set_path(build, found, (const char *)path.at, path.n);
        found->has_load = true;
        found->load_rt = header->load_rt;
    }
    if (found) {
        found->is_main = true;
        found->arch = ms_list_header_arch(header);
    }
}

/* Ends what belongs to one process; a file may hold the output for several. */
static void end_process(struct ms_list_build *build, struct regions *regions,
                        struct ms_list_header *header)
{
    size_t first = build->n;
    join(regions);
    for (size_t i = 0; i < regions->n; i++) {
        const struct region *region = &regions->items[i];
        if (region->unused)
            continue;
        struct ms_loaded_image *image = ms_list_add(build);
        if (!image)
            return;
        ms_list_set_path(build, image, (const char *)region->path.at, region->path.n);
        image->has_load = true;
        image->load_rt = region->start;
    }
    add_main(build, first, header);
    regions->n = 0;
    memset(header, 0, sizeof *header);
}

void ms_vmmap_read(struct ms_list_build *build)
{
    struct regions regions = {NULL, 0, 0, 0, 0};
    struct ms_list_header header = {.has_load = false};
    struct ms_line_reader lines;
    struct ms_line line;
    ms_lines_over(&lines, build->text, 0, build->text.n);
    for (size_t number = 1; !build->failed && ms_lines_next(&lines, &line); number++) {
        if (ms_scan_starts(line.text, line.text_n, "Process:"))
            end_process(build, &regions, &header);
        if (!ms_list_header_line(&header, line.text, line.text_n) &&
            !take_line(&regions, line.text, line.text_n, number))
            build->failed = true;
    }
    if (!build->failed)
        end_process(build, &regions, &header);
    if (regions.n_bad)
        ms_list_note(build, "%zu lines of __TEXT regions can't be read, the first is line %zu",
                     regions.n_bad, regions.first_bad);
    free(regions.items);
}
