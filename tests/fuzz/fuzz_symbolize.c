/*
 * The whole way of `machsym crash`: a report and the file that symbolicates it, one behind
 * the other in the input, the file from the first Mach-O magic on. The report is read, looked
 * up in the file, and written in one of the forms and styles; and what was written is read again,
 * since it is a report as well. Of several reports each is what it is alone.
 */
#include "report_check.h"

#include "machsym/symbolize.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Files are what the library opens; this one is in memory where that can be had. */
static const char *put(const uint8_t *data, size_t size)
{
    static char path[64];
    if (!path[0]) {
        struct stat st;
        const char *folder = stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp";
        snprintf(path, sizeof path, "%s/machsym-symbolize-%ld", folder, (long)getpid());
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    close(fd);
    return path;
}

/* Where the report ends and the file begins. */
static size_t find_file(const uint8_t *data, size_t size)
{
    static const uint8_t magics[][4] = {{0xcf, 0xfa, 0xed, 0xfe},
                                        {0xce, 0xfa, 0xed, 0xfe},
                                        {0xfe, 0xed, 0xfa, 0xce},
                                        {0xca, 0xfe, 0xba, 0xbe},
                                        {0xca, 0xfe, 0xba, 0xbf}};
    for (size_t at = 0; at + 4 <= size; at++)
        for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
            if (memcmp(data + at, magics[i], 4) == 0)
                return at;
    return size;
}

static void check_shown(const struct ms_report *report, const struct ms_symbolication *names)
{
    CHECK(names->n_shown == report->n_frames && names->n_images == report->n_images);
    CHECK(names->n_resolved + names->n_kept <= names->n_frames);
    for (size_t i = 0; i < names->n_shown; i++)
        for (size_t k = 0; k < names->shown[i].n_frames; k++)
            CHECK(names->shown[i].frames[k].inlined == (k + 1 < names->shown[i].n_frames));
}

/* What was written is a report again, of as many frames outside of inlining. */
static void read_again(const struct ms_text *text)
{
    struct ms_report_file file;
    struct ms_error err;
    struct ms_bytes bytes = {(const uint8_t *)text->at, text->n};
    if (ms_report_parse(bytes, "again", &file, &err) != MS_OK)
        return; /* damaged as it was, it may look like something else by now */
    check_reports(&file);
    ms_report_file_fini(&file);
}

/*
 * One way of the many, so that an input costs little: which one, its bytes decide. The corpus
 * has each report often enough for all of them.
 */
struct way {
    enum ms_symbolize_scope scope;
    enum ms_report_format format;
    bool full_path, no_demangle, all_registers, one_thread, no_inlines, renumber, explain;
    unsigned demangle;
};

static struct way choose_way(const uint8_t *data, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619u;
    hash ^= hash >> 16;
    return (struct way){hash % 3 == 0   ? MS_SCOPE_UNNAMED
                        : hash % 3 == 1 ? MS_SCOPE_BARE
                                        : MS_SCOPE_ALL,
                        hash >> 2 & 1 ? MS_FORMAT_TEXT : MS_FORMAT_SAME,
                        hash >> 3 & 1,
                        hash >> 4 & 1,
                        hash >> 5 & 1,
                        (hash >> 6 & 7) == 0,
                        hash >> 9 & 1,
                        hash >> 10 & 1,
                        hash >> 11 & 1,
                        hash >> 12 & 7};
}

static void write_report(const struct ms_report_file *file, size_t index,
                         const struct ms_symbolication *names, const struct way *way)
{
    struct ms_report_style style = {way->no_inlines, way->renumber, way->explain};
    struct ms_text text;
    struct ms_error err;
    struct ms_sink sink = check_sink(&text);
    enum ms_status status =
        ms_report_write(file, index, names->shown, way->format, &style, &sink, &err);
    CHECK(status == MS_OK || status == MS_E_LIMIT ||
          (status == MS_E_UNSUPPORTED && way->format == MS_FORMAT_TEXT));
    if (status == MS_OK)
        read_again(&text);
    ms_text_fini(&text);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A report that was looked up with others is what it is alone. */
static void check_same(const struct ms_symbolication *a, const struct ms_symbolication *b)
{
    CHECK(a->n_shown == b->n_shown && a->n_images == b->n_images);
    CHECK(a->n_frames == b->n_frames && a->n_resolved == b->n_resolved && a->n_kept == b->n_kept);
    for (size_t i = 0; i < a->n_shown; i++) {
        const struct ms_shown *x = &a->shown[i], *y = &b->shown[i];
        CHECK(x->n_frames == y->n_frames && x->why == y->why);
        CHECK(same_text(x->symbol, y->symbol) && same_text(x->mangled, y->mangled));
        for (size_t k = 0; k < x->n_frames; k++) {
            const struct ms_shown_frame *v = &x->frames[k], *w = &y->frames[k];
            CHECK(same_text(v->function, w->function) && same_text(v->mangled, w->mangled));
            CHECK(same_text(v->path, w->path) && same_text(v->file, w->file));
            CHECK(v->line == w->line && v->column == w->column && v->source == w->source);
            CHECK(v->offset == w->offset && v->start_rt == w->start_rt && v->inlined == w->inlined);
        }
    }
    for (size_t i = 0; i < a->n_images; i++) {
        const struct ms_image_outcome *x = &a->images[i], *y = &b->images[i];
        CHECK(x->why == y->why && x->n_asked == y->n_asked && x->n_objects == y->n_objects);
        CHECK(same_text(x->debug_path, y->debug_path) && same_text(x->other_path, y->other_path));
        CHECK(!x->error == !y->error);
        CHECK(!x->error || strcmp(x->error->text, y->error->text) == 0);
    }
}

enum { MOST_TOGETHER = 16 };

static void symbolize(struct ms_symbolizer *symbolizer, const struct ms_report_file *file,
                      const struct way *way)
{
    struct ms_symbolize_request requests[MOST_TOGETHER];
    struct ms_symbolication names[MOST_TOGETHER], alone;
    struct ms_error err;
    size_t n = file->n_reports < MOST_TOGETHER ? file->n_reports : MOST_TOGETHER;
    memset(requests, 0, sizeof requests);
    for (size_t i = 0; i < n; i++)
        requests[i] =
            (struct ms_symbolize_request){&file->reports[i],
                                          {{way->full_path, way->no_demangle, way->demangle},
                                           way->scope,
                                           way->all_registers,
                                           way->one_thread,
                                           0}};
    CHECK(ms_symbolize_reports(symbolizer, requests, n, names, &err) == MS_OK);
    for (size_t i = 0; i < n; i++) {
        check_shown(&file->reports[i], &names[i]);
        write_report(file, i, &names[i], way);
        if (n > 1) {
            CHECK(ms_symbolize_report(symbolizer, requests[i].report, &requests[i].options, &alone,
                                      &err) == MS_OK);
            check_same(&names[i], &alone);
            ms_symbolication_fini(&alone);
        }
        ms_symbolication_fini(&names[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t at = find_file(data, size);
    struct ms_report_file file;
    struct ms_bytes bytes = {data, at};
    struct ms_symbolizer *symbolizer;
    struct ms_error err;
    struct way way = choose_way(data, size);
    if (ms_report_parse(bytes, "fuzz", &file, &err) != MS_OK)
        return 0;
    check_reports(&file);
    CHECK(ms_symbolizer_open(&symbolizer, &err) == MS_OK);
    if (at < size) {
        const char *path = put(data + at, size - at);
        if (ms_symbolizer_add(symbolizer, path, false, &err) != MS_OK)
            CHECK(err.status != MS_OK && err.text[0]);
        symbolize(symbolizer, &file, &way);
        unlink(path);
    } else {
        symbolize(symbolizer, &file, &way);
    }
    ms_symbolizer_close(symbolizer);
    ms_report_file_fini(&file);
    return 0;
}
