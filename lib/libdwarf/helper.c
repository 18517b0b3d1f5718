/*
 * machsym-helper-libdwarf: trees of DIEs out of libdwarf, in a process that may die.
 *   machsym-helper-libdwarf VERSION text|json FILE ARCH UUID|- [NAME...]
 *   machsym-helper-libdwarf VERSION text|json FILE MEMBER|- @OFFSET+BYTES [NAME...]
 *   machsym-helper-libdwarf serve VERSION SOCKET: these, one after another; see base/serve.h
 * Prints the tree of a slice, or of what lies at that place of the file, and what is damaged on
 * stderr. Exit status: 0 all well, 2 not called by the command of its VERSION, 3 something is
 * damaged or can't be read, 4 the output can't be written.
 */
#include "libdwarf/tree.h"
#include "machsym/dwarf.h"

#include "base/serve.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TOLD = 20 /* faults; a damaged file has as many as it likes */ };

struct run {
    const char *path;
    size_t n_faults;
    int failed_with; /* errno of the write that failed */
    struct ms_sink sink;
    size_t n;
    char buffer[1 << 18];
};

static bool flush(struct run *run)
{
    for (size_t at = 0; at < run->n;) {
        ssize_t n = write(STDOUT_FILENO, run->buffer + at, run->n - at);
        if (n < 0 && errno == EINTR)
            continue;
        /* Whoever shares the descriptor may have made it non-blocking. */
        struct pollfd ready = {STDOUT_FILENO, POLLOUT, 0};
        if (n < 0 && errno == EAGAIN && poll(&ready, 1, -1) >= 0)
            continue;
        if (n <= 0) {
            run->failed_with = errno;
            return false;
        }
        at += (size_t)n;
    }
    run->n = 0;
    return true;
}

static bool take_bytes(void *to, const char *bytes, size_t n)
{
    struct run *run = to;
    while (n) {
        size_t room = sizeof run->buffer - run->n, part = n < room ? n : room;
        memcpy(run->buffer + run->n, bytes, part);
        run->n += part;
        bytes += part;
        n -= part;
        if (run->n == sizeof run->buffer && !flush(run))
            return false;
    }
    return true;
}

/* Told when it is met, behind what was printed before it. */
static void take_fault(void *owner, const struct ms_error *fault)
{
    struct run *run = owner;
    char line[MS_ERROR_LINE];
    if (run->n_faults++ >= MAX_TOLD)
        return;
    if (!flush(run))
        run->sink.failed = true;
    fprintf(stderr, "machsym dwarf: %s\n", ms_error_describe(fault, line));
}

static enum ms_status open_image(char **argv, struct ms_image **out, struct ms_error *err)
{
    struct ms_uuid uuid;
    struct ms_image_inside inside = {argv[3], strcmp(argv[4], "-") == 0 ? NULL : argv[4], 0, 0, 0};
    if (sscanf(argv[5], "@%" SCNu64 "+%" SCNu64, &inside.off, &inside.bytes) == 2)
        return ms_image_open_inside(&inside, out, err);
    bool has_uuid = ms_uuid_parse(argv[5], strlen(argv[5]), &uuid);
    struct ms_image_choice choice = {argv[3], argv[4], has_uuid ? &uuid : NULL, true};
    return ms_image_open(&choice, out, err);
}

static int write_tree(struct run *run, char **argv)
{
    struct ms_error err;
    struct ms_image *image = NULL;
    struct ms_tree_request request = {(const char *const *)(argv + 6), 0, argv[2][0] == 'j'};
    while (argv[6 + request.n_names])
        request.n_names++;
    enum ms_status status = open_image(argv, &image, &err);
    if (status == MS_OK)
        status = ms_tree_write(image, &request, &run->sink, take_fault, run, &err);
    if (status == MS_OK)
        status = ms_image_intact(image, &err);
    if (status != MS_OK)
        take_fault(run, &err);
    if (run->n_faults > MAX_TOLD)
        fprintf(stderr, "machsym dwarf: %s: %zu more faults\n", run->path,
                run->n_faults - MAX_TOLD);
    ms_image_close(image);
    if (!flush(run) || run->failed_with) {
        fprintf(stderr, "machsym dwarf: cannot write the output: %s\n", strerror(run->failed_with));
        return 4;
    }
    return run->n_faults ? 3 : 0;
}

static int run_once(int argc, char **argv)
{
    static struct run run;
    if (argc > 1 && strcmp(argv[1], MS_VERSION) != 0) {
        fprintf(stderr, "machsym-helper-libdwarf: is of version %s, but was asked by %.40s\n",
                MS_VERSION, argv[1]);
        return 2;
    }
    if (argc < 6 || (strcmp(argv[2], "text") != 0 && strcmp(argv[2], "json") != 0)) {
        fprintf(stderr, "usage: machsym-helper-libdwarf VERSION text|json FILE ARCH UUID|- "
                        "[NAME...]\n"
                        "       machsym-helper-libdwarf VERSION text|json FILE MEMBER|- "
                        "@OFFSET+BYTES [NAME...]\n");
        return 2;
    }
    run.path = argv[3];
    run.sink = (struct ms_sink){.write = take_bytes, .to = &run};
    return write_tree(&run, argv);
}

int main(int argc, char **argv)
{
    if (argc != 4 || strcmp(argv[1], "serve") != 0)
        return run_once(argc, argv);
    return strcmp(argv[2], MS_VERSION) == 0 ? ms_serve(argv[3], argv[0], run_once) : 2;
}
