#include "common/dwarf_tree.h"

#include "common/console.h"
#include "common/program.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What libdwarf may use. It prints some 10 MB of debug information a second here on a busy
 * machine, and needs little memory beyond the mapped file; on a damaged one it may go round in
 * circles.
 */
enum { LEAST_SECONDS = 30, BYTES_A_SECOND = 256 << 10, MOST_NAMES = 10 };
#define MEMORY_LEAST ((uint64_t)1 << 30)
/* The longest line of JSON that is believed to be one DIE. */
#define MAX_LINE ((size_t)1 << 27)

/* The JSON that comes from the helper: by lines, since only whole ones may go into the
 * document. */
struct taking {
    struct out *out;
    struct ms_json *json;
    char *line;
    size_t n, room;
    bool no_memory;
    bool any;
};

static bool keep(struct taking *t, const char *bytes, size_t n)
{
    if (n > MAX_LINE - t->n)
        return false;
    if (n > t->room - t->n) {
        size_t room = t->room < 4096 ? 4096 : t->room;
        while (room < t->n + n)
            room *= 2;
        char *line = realloc(t->line, room);
        if (!line)
            return false;
        t->line = line;
        t->room = room;
    }
    if (n)
        memcpy(t->line + t->n, bytes, n);
    t->n += n;
    return true;
}

static bool take_lines(void *to, const char *bytes, size_t n)
{
    struct taking *t = to;
    while (n) {
        const char *end = memchr(bytes, '\n', n);
        size_t part = end ? (size_t)(end - bytes) : n;
        if (!keep(t, bytes, part)) {
            t->no_memory = true;
            return false;
        }
        if (end) {
            ms_json_raw(t->json, t->line, t->n);
            t->any = true;
            t->n = 0;
            part++;
        }
        bytes += part;
        n -= part;
    }
    return !t->out->sink.failed;
}

/* Text that has a heading, if there is any. */
struct heading {
    struct out *out;
    const char *text;
    bool any;
};

static bool take_text(void *to, const char *bytes, size_t n)
{
    struct heading *h = to;
    if (h->text)
        ms_sink_puts(&h->out->sink, h->text);
    h->text = NULL;
    h->any = true;
    ms_sink_write(&h->out->sink, bytes, n);
    return !h->out->sink.failed;
}

static unsigned seconds_for(uint64_t file_bytes)
{
    uint64_t seconds = LEAST_SECONDS + file_bytes / BYTES_A_SECOND;
    return seconds < 1u << 20 ? (unsigned)seconds : 1u << 20;
}

/* What its end says. The rest of the output stands. */
static int judge(const struct tree_request *r, const struct helper_end *end)
{
    char name[4096 + 300];
    snprintf(name, sizeof name, r->inside && r->inside->name ? "%s(%s)" : "%s", r->path,
             r->inside ? r->inside->name : NULL);
    if (end->signal == SIGXCPU) {
        complain("%s (%s): libdwarf was ended after %u seconds: it does not come to an end on "
                 "every damaged file",
                 name, r->arch, seconds_for(r->file_bytes));
        return EXIT_INPUT;
    }
    if (end->signal == SIGKILL) {
        complain("%s (%s): libdwarf was killed from outside, or for want of memory", name, r->arch);
        return EXIT_SYSTEM;
    }
    if (end->signal == SIGPIPE) /* nobody reads: nothing more is to be said, or written */
        raise(SIGPIPE);
    if (end->status == EXIT_SYSTEM)
        return EXIT_SYSTEM; /* it could not write, and has said so */
    if (end->status < 0) {
        complain("%s (%s): libdwarf was ended by signal %d (%s): it does not survive every damaged "
                 "file, or it hit its limits",
                 name, r->arch, end->signal, strsignal(end->signal));
        return EXIT_INPUT;
    }
    if (end->status == 2) {
        complain("machsym-helper-libdwarf is not of the same version: install machsym anew");
        return EXIT_SYSTEM;
    }
    if (end->status != 0 && end->status != EXIT_INPUT) {
        complain("machsym-helper-libdwarf ended with status %d: it can't run here; install machsym "
                 "anew, or see what it says itself",
                 end->status);
        return EXIT_SYSTEM;
    }
    return end->status;
}

int print_tree(const struct tree_request *r, struct out *out, struct ms_json *json)
{
    char which[64] = "-"; /* a UUID, or a place */
    const char *arguments[7 + MOST_NAMES] = {MS_VERSION, json ? "json" : "text", r->path, r->arch,
                                             which};
    struct taking t = {.out = out, .json = json};
    struct heading heading = {out, r->heading, false};
    bool is_headed = !json && (r->heading || r->n_names);
    struct helper_end end;
    if (r->n_names > MOST_NAMES) {
        complain("--name: %d names at most", MOST_NAMES);
        return EXIT_USAGE;
    }
    if (r->inside) {
        arguments[3] = r->inside->name ? r->inside->name : "-";
        snprintf(which, sizeof which, "@%" PRIu64 "+%" PRIu64, r->inside->off, r->inside->bytes);
    }
    if (!r->inside && r->uuid)
        ms_uuid_format(r->uuid, which);
    for (size_t i = 0; i < r->n_names; i++)
        arguments[5 + i] = r->names[i];
    out_flush(out); /* what it prints, or complains about, comes behind what was printed */
    if (out->sink.failed)
        return EXIT_DONE; /* which out_finish tells of */
    int status = helper_run("libdwarf", arguments, seconds_for(r->file_bytes),
                            MEMORY_LEAST + 4 * r->file_bytes,
                            json        ? take_lines
                            : is_headed ? take_text
                                        : NULL,
                            is_headed ? (void *)&heading : (void *)&t, &end);
    if (is_headed)
        out_flush(out);
    free(t.line);
    if (r->n_names)
        *r->any |= heading.any || t.any;
    if (status != EXIT_DONE)
        return status;
    if (t.no_memory) {
        complain("%s: out of memory", r->path);
        return EXIT_SYSTEM;
    }
    if (out->sink.failed) /* it was stopped for that */
        return EXIT_DONE;
    return judge(r, &end);
}
