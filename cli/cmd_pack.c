/*
 * machsym pack: a dSYM made into a ready index.
 */
#include "common/answer_json.h"
#include "common/args.h"
#include "common/console.h"
#include "common/input.h"
#include "common/jobs.h"
#include "common/out.h"
#include "common/report_addresses.h"
#include "machsym/pack.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *arch, *output, *jobs;
    struct word_list reports;
    int format; /* enum ms_pack_format */
    bool check, json;
} opt;

static const char *const formats[] = {"msym", "gsym", NULL};

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "slice of a universal file", NULL},
    {"-o", "--output", OPTION_TEXT, &opt.output, "FILE",
     "write there; without it NAME.msym, or NAME.gsym, in the current folder", NULL},
    {"--format", NULL, OPTION_CHOICE, &opt.format, "msym|gsym",
     "what to make: msym, or gsym, which LLVM's tools read, but which has no columns", formats},
    {"--for", NULL, OPTION_LIST, &opt.reports, "REPORT",
     "take only the functions that this crash report asks for; may be repeated", NULL},
    {"--check", NULL, OPTION_FLAG, &opt.check, NULL,
     "make nothing: read a whole index and test its checksums", NULL},
    {"-j", "--jobs", OPTION_TEXT, &opt.jobs, "N", JOBS_HELP, NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document about what was made", NULL},
};

static const char *const usage[] = {
    "pack [-arch ARCH] [--format msym|gsym] [-o FILE] [--for REPORT]… DSYM", "pack --check FILE",
    NULL};

static const struct command command = {
    "pack",
    "Makes a ready index of a dSYM: smaller, and answered from at once",
    usage,
    options,
    sizeof options / sizeof *options,
    "An index is used as the dSYM is: machsym atos -o FILE, machsym crash -d FOLDER.",
};

/* Makes one index. */
struct making {
    struct ms_image *image;
    struct ms_image_info info;
    struct report_addresses addresses;
    struct ms_pack_options options;
    struct ms_pack_result result;
    char *made; /* name of the output, when none was given */
    struct out out;
};

static int json_made(const struct making *m, const char *path)
{
    static struct out out; /* large */
    struct ms_json json;
    out_stdout(&out);
    ms_json_init(&json, &out.sink, 2);
    ms_json_object(&json);
    json_image_head(&json, &m->info);
    ms_json_field(&json, "index", path);
    ms_json_field_uint(&json, "bytes", m->result.n_bytes);
    ms_json_field_uint(&json, "functions", m->result.n_functions);
    ms_json_field_uint(&json, "units", m->result.n_units);
    ms_json_field_uint(&json, "damaged_units", m->result.n_broken);
    ms_json_field_bool(&json, "partial", m->options.only != NULL);
    ms_json_object_end(&json);
    ms_sink_puts(&out.sink, "\n");
    return out_finish(&out, EXIT_DONE, true);
}

static int write_index(struct making *m, const char *path)
{
    struct ms_error err;
    int status = out_open(&m->out, path);
    if (status != EXIT_DONE)
        return status;
    enum ms_status made = ms_image_pack(m->image, &m->options, &m->out.sink, &m->result, &err);
    if (made != MS_OK && m->out.sink.failed)
        status = EXIT_SYSTEM; /* out_finish says why */
    else if (made != MS_OK)
        status = complain_error(&err);
    return out_finish(&m->out, status, status == EXIT_DONE);
}

static int make(struct making *m, const char *input)
{
    size_t room = strlen(m->info.name) + sizeof ".msym";
    if (!m->info.has_dwarf) {
        complain("%s (%s): %s", input_shown(input), m->info.arch,
                 m->info.has_index ? "is an index already"
                                   : "has no debug information to make an index of");
        return EXIT_INPUT;
    }
    int status =
        opt.reports.n ? report_addresses_read(&m->addresses, &opt.reports, &m->info) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    if (opt.reports.n && !m->addresses.n) {
        complain("the reports ask for nothing in %s", input_shown(input));
        return EXIT_INPUT;
    }
    if (opt.reports.n) {
        m->options.only = m->addresses.items;
        m->options.n_only = m->addresses.n;
    }
    const char *path = opt.output;
    if (!path) {
        path = m->made = malloc(room);
        if (!m->made) {
            complain("out of memory");
            return EXIT_SYSTEM;
        }
        snprintf(m->made, room, "%s.%s", m->info.name, formats[opt.format]);
    }
    if (m->info.debug_path && same_file(path, m->info.debug_path)) {
        complain("%s: would be written over what it is made of", path);
        return EXIT_USAGE;
    }
    status = write_index(m, path);
    if (status != EXIT_DONE)
        return status;
    if (m->result.n_broken)
        warn("%s: %" PRIu64 " of %" PRIu64
             " units are damaged, so the index lacks what they had; the "
             "first: %s",
             input_shown(input), m->result.n_broken, m->result.n_units, m->result.first_fault.text);
    return opt.json ? json_made(m, path) : EXIT_DONE;
}

static int check(const struct making *m, const char *input)
{
    struct ms_pack_info info;
    struct ms_error err;
    enum ms_status status = ms_image_check_index(m->image, &info, &err);
    if (status == MS_ABSENT) {
        complain("%s (%s): is no index", input_shown(input), m->info.arch);
        return EXIT_INPUT;
    }
    if (status != MS_OK) {
        int exit = complain_error(&err);
        return status == MS_E_FORMAT ? EXIT_NO : exit;
    }
    if (opt.json) {
        static struct out out; /* large */
        struct ms_json json;
        out_stdout(&out);
        ms_json_init(&json, &out.sink, 2);
        ms_json_object(&json);
        json_image_head(&json, &m->info);
        ms_json_field_uint(&json, "functions", info.n_functions);
        ms_json_field_bool(&json, "partial", info.partial);
        ms_json_field_bool(&json, "damaged_units", info.broken);
        ms_json_object_end(&json);
        ms_sink_puts(&out.sink, "\n");
        return out_finish(&out, EXIT_DONE, true);
    }
    printf("%s (%s): good, %" PRIu64 " functions%s%s\n", input_shown(input), m->info.arch,
           info.n_functions, info.partial ? ", cut out for some reports" : "",
           info.broken ? ", made of a damaged dSYM" : "");
    return console_end(EXIT_DONE);
}

static int run(const char *path)
{
    static struct making m; /* large: it holds the output buffer */
    struct ms_error err;
    int status = input_path(&path);
    if (status != EXIT_DONE)
        return status;
    struct ms_image_choice choice = {.path = path, .arch = opt.arch, .no_companion = opt.check};
    if (!jobs_read(opt.jobs, &m.options.n_workers))
        return args_misused(&command, JOBS_WRONG);
    m.options.format = (enum ms_pack_format)opt.format;
    enum ms_status opened = ms_image_open(&choice, &m.image, &err);
    if (opened != MS_OK)
        return complain_error(&err);
    ms_image_info(m.image, &m.info);
    status = opt.check ? check(&m, path) : make(&m, path);
    report_addresses_fini(&m.addresses);
    free(m.made);
    ms_image_close(m.image);
    return status;
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN && words.n != 1)
        status = args_misused(&command, words.n ? "one file at a time" : "which dSYM?");
    if (status == ARGS_RUN && opt.check && (opt.output || opt.reports.n))
        status = args_misused(&command, "--check makes nothing: no -o, no --for");
    if (status == ARGS_RUN)
        status = run(words.items[0]);
    word_list_fini(&words);
    word_list_fini(&opt.reports);
    return status;
}
