#include "common/code.h"

#include "common/answer_json.h"
#include "common/console.h"
#include "common/program.h"
#include "machsym/demangle.h"
#include "machsym/image.h"
#include "machsym/report.h"
#include "machsym/symbolize.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/*
 * What LLVM may use: it takes a second for 2 MB of code, or of hostile code one for 256 KB; and
 * some memory for each symbol besides its own.
 */
enum { LEAST_SECONDS = 60, BYTES_A_SECOND = 128 << 10, MEMORY_RATIO = 16 };
#define LEAST_MEMORY ((uint64_t)2 << 30)

static bool take(void *to, const char *bytes, size_t n)
{
    struct out *out = to;
    ms_sink_write(&out->sink, bytes, n);
    return !out->sink.failed;
}

static int judge(const struct code_request *request, unsigned seconds, const struct helper_end *end)
{
    if (end->status == 0)
        return EXIT_DONE;
    if (end->signal == SIGXCPU)
        complain("%s: LLVM's disassembler was ended after %u seconds", request->path, seconds);
    else if (end->signal == SIGKILL)
        complain("%s: LLVM's disassembler was killed from outside, or for want of memory",
                 request->path);
    else if (end->status < 0)
        complain("%s: LLVM's disassembler was ended by signal %d (%s)", request->path, end->signal,
                 strsignal(end->signal));
    else if (end->status != 1 && end->status != 3) {
        complain("machsym-helper-llvm ended with status %d", end->status);
        return EXIT_SYSTEM;
    }
    return EXIT_INPUT; /* of the others it has said why */
}

int code_show(const struct code_request *request, struct out *out)
{
    char off[24], n[24], section[24], flags[8], start[24] = "-", stop[24] = "-", mark[24] = "-";
    snprintf(off, sizeof off, "%" PRIx64, request->off);
    snprintf(n, sizeof n, "%" PRIx64, request->n);
    snprintf(section, sizeof section, "%zx", request->section);
    snprintf(flags, sizeof flags, "-%s%s%s", request->symbolic ? "V" : "", request->bare ? "X" : "",
             request->opcodes ? "j" : "");
    if (request->has_start)
        snprintf(start, sizeof start, "%" PRIx64, request->start);
    if (request->has_stop)
        snprintf(stop, sizeof stop, "%" PRIx64, request->stop);
    if (request->has_mark)
        snprintf(mark, sizeof mark, "%" PRIx64, request->mark);
    const char *const arguments[] = {"disassemble",
                                     request->path,
                                     off,
                                     n,
                                     section,
                                     flags,
                                     start,
                                     stop,
                                     mark,
                                     request->from ? request->from : "",
                                     request->cpu ? request->cpu : "",
                                     NULL};
    uint64_t seconds = LEAST_SECONDS + request->section_bytes / BYTES_A_SECOND;
    unsigned limit = seconds < 1u << 20 ? (unsigned)seconds : 1u << 20;
    struct helper_end end;
    out_flush(out); /* its messages come after what stands before */
    int status = helper_run("llvm", arguments, limit, LEAST_MEMORY + request->n * MEMORY_RATIO,
                            take, out, &end);
    if (status != EXIT_DONE || out->sink.failed)
        return status;
    out_flush(out);
    return judge(request, limit, &end);
}

/* ---- source lines ---------------------------------------------------------------------------- */

enum { AROUND = 3, LONGEST_LINE = 400 };

/* Of each line as much as is worth showing; false at the end. */
static bool read_line(FILE *file, char line[LONGEST_LINE])
{
    size_t n = 0;
    int c;
    while ((c = getc(file)) != EOF && c != '\n')
        if (n + 1 < LONGEST_LINE)
            line[n++] = c == '\t' ? ' ' : (char)c;
    line[n] = 0;
    return n > 0 || c != EOF;
}

static void put_lines(const char *path, uint32_t wanted, struct out *out)
{
    char line[LONGEST_LINE];
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    uint32_t first = wanted > AROUND ? wanted - AROUND : 1;
    for (uint32_t i = 1; i <= wanted + AROUND && read_line(file, line); i++) {
        if (i < first)
            continue;
        ms_sink_printf(&out->sink, "%s %6u  ", i == wanted ? "->" : "  ", (unsigned)i);
        ms_sink_plain(&out->sink, line);
        ms_sink_puts(&out->sink, "\n");
    }
    fclose(file);
}

static void put_frame(const struct ms_shown_frame *frame, struct out *out)
{
    ms_sink_plain(&out->sink, frame->function ? frame->function : "?");
    if (frame->path) {
        ms_sink_puts(&out->sink, " (");
        ms_sink_plain(&out->sink, frame->path);
        ms_sink_printf(&out->sink, ":%u)", (unsigned)frame->line);
    } else if (frame->has_offset) {
        ms_sink_printf(&out->sink, " + %" PRIu64, frame->offset);
    }
    ms_sink_puts(&out->sink, frame->inlined ? " [inlined]\n" : "\n");
    if (frame->path && frame->line)
        put_lines(frame->path, frame->line, out);
}

int code_sources(const char *path, const char *arch, uint64_t address_vm, struct out *out,
                 struct ms_json *json)
{
    struct ms_image_choice choice = {path, arch, NULL, false};
    struct ms_show_style style = {true, false, MS_DEMANGLE_SIMPLIFIED};
    struct ms_image *image = NULL;
    struct ms_show_pool *pool = NULL;
    struct ms_answers answers;
    struct ms_shown shown;
    struct ms_error err;
    memset(&answers, 0, sizeof answers);
    enum ms_status status = ms_image_open(&choice, &image, &err);
    if (status == MS_OK)
        status = ms_show_pool_open(&pool, &err);
    if (status == MS_OK)
        status = ms_image_find(image, address_vm, &answers, &err);
    if (status == MS_OK && answers.n)
        status = ms_show(pool, &answers.items[0], &style, 0, 0, &shown, &err);
    if (status == MS_OK && answers.n && json)
        json_shown(json, &shown);
    else if (status == MS_OK && answers.n && shown.n_frames) {
        ms_sink_puts(&out->sink, "\n");
        for (size_t i = 0; i < shown.n_frames; i++)
            put_frame(&shown.frames[i], out);
    }
    ms_answers_fini(&answers);
    ms_show_pool_close(pool);
    ms_image_close(image);
    if (status == MS_OK)
        return EXIT_DONE;
    out_flush(out);
    return complain_error(&err);
}
