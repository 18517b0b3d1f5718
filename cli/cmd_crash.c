/*
 * machsym crash: whole crash reports, text or .ips, symbolicated.
 */
#include "common/args.h"
#include "common/console.h"
#include "common/crash_group.h"
#include "common/crash_json.h"
#include "common/crash_summary.h"
#include "common/jobs.h"
#include "common/memory.h"
#include "common/names.h"
#include "common/out.h"
#include "common/prefixes.h"
#include "machsym/symbolize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum format { FORMAT_SAME, FORMAT_TEXT, FORMAT_IPS, FORMAT_JSON };
static const char *const formats[] = {"same", "text", "ips", "json", NULL};

static struct {
    struct word_list dsyms, binaries, prefixes;
    const char *output, *thread, *jobs, *max_mem;
    int format;
    bool json, no_inlines, renumber, full_path, explain, strict, keep, redo, verbose;
    struct name_options names;
} opt;

static struct option options[] = {
    {"-d", "--dsym", OPTION_LIST, &opt.dsyms, "PATH",
     "dSYM, or a folder to search for dSYMs by UUID; may be repeated", NULL},
    {"-b", "--binary", OPTION_LIST, &opt.binaries, "PATH",
     "binary, bundle, or a folder to search; may be repeated", NULL},
    {"-o", "--output", OPTION_TEXT, &opt.output, "FILE", "write there instead of standard output",
     NULL},
    {"--format", NULL, OPTION_CHOICE, &opt.format, "same|text|ips|json",
     "same: the form that came in; text: an .ips becomes the classic text", formats},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "the same as --format json", NULL},
    {"--no-inlines", NULL, OPTION_FLAG, &opt.no_inlines, NULL, "leave inlined frames out", NULL},
    {"--renumber", NULL, OPTION_FLAG, &opt.renumber, NULL,
     "give inlined frames numbers of their own, as Apple does", NULL},
    {"--full-path", NULL, OPTION_FLAG, &opt.full_path, NULL, "print full paths of source files",
     NULL},
    {"--oso-prefix-map", NULL, OPTION_LIST, &opt.prefixes, "FROM=TO", OSO_PREFIX_MAP_HELP, NULL},
    {"--full-names", NULL, OPTION_FLAG, &opt.names.full, NULL, FULL_NAMES_HELP, NULL},
    {"--fold-thunks", NULL, OPTION_FLAG, &opt.names.fold, NULL, FOLD_THUNKS_HELP, NULL},
    {"--no-demangle", NULL, OPTION_FLAG, &opt.names.mangled, NULL, "leave names mangled", NULL},
    {"--thread", NULL, OPTION_TEXT, &opt.thread, "N|crashed", "name the frames of one thread alone",
     NULL},
    {"--keep", NULL, OPTION_FLAG, &opt.keep, NULL, "leave every frame alone that has a name", NULL},
    {"--redo", NULL, OPTION_FLAG, &opt.redo, NULL, "look up frames that have a name, too", NULL},
    {"--explain", NULL, OPTION_FLAG, &opt.explain, NULL,
     "say where each name came from, and of each image which files were used", NULL},
    {"--verbose", NULL, OPTION_FLAG, &opt.verbose, NULL, VERBOSE_HELP, NULL},
    {"-j", "--jobs", OPTION_TEXT, &opt.jobs, "N", JOBS_HELP, NULL},
    {"--max-mem", NULL, OPTION_TEXT, &opt.max_mem, "SIZE", MAX_MEM_HELP, NULL},
    {"--strict", NULL, OPTION_FLAG, &opt.strict, NULL,
     "exit with status 1 when a frame stays without a name", NULL},
};

static const char *const usage[] = {"crash [-d PATH]… [-b PATH]… [-o FILE] [options] REPORT…",
                                    NULL};

static const struct command command = {
    "crash",
    "Symbolicates crash reports: crash text and .ips",
    usage,
    options,
    sizeof options / sizeof *options,
    "Without -d and -b, files are looked for beside the report. REPORT may be - for standard\n"
    "input. A file is only used when its UUID is the one that the report names.",
};

/* One run over all reports. */
struct job {
    struct ms_symbolizer *symbolizer;
    struct word_list beside; /* folders of reports that were searched; owned */
    struct crash_group group;
    struct ms_symbolize_request requests[MAX_GROUP]; /* of its reports … */
    struct ms_symbolication names[MAX_GROUP];        /* … and what they get */
    struct out out;
    bool many;       /* several reports: JSON comes out a line each */
    bool stopped;    /* the system failed: nothing more is done */
    size_t n_found;  /* reports of the group in hand that files were found for */
    bool unresolved; /* some frame has no name */
    bool missing;    /* some image lacks a file */
    struct unread_names unread;
};

static int add_paths(struct job *job, struct word_list *paths)
{
    for (size_t i = 0; i < paths->n; i++) {
        struct ms_error err;
        int status = input_path(&paths->items[i]);
        if (status != EXIT_DONE)
            return status;
        if (ms_symbolizer_add(job->symbolizer, paths->items[i], false, &err) != MS_OK)
            return complain_error(&err);
    }
    return EXIT_DONE;
}

/*
 * The folder that the report lies in, malloc'ed: *out is NULL where it isn't to be searched, or
 * was. Returns EXIT_DONE, or EXIT_SYSTEM after having complained.
 */
static int folder_beside(const struct job *job, const char *report, char **out)
{
    *out = NULL;
    if (opt.dsyms.n || opt.binaries.n || strcmp(report, "-") == 0)
        return EXIT_DONE;
    const char *slash = strrchr(report, '/');
    size_t n = slash ? (size_t)(slash - report) : 1;
    char *folder = malloc(n + 2);
    if (!folder)
        return complain_memory();
    snprintf(folder, n + 2, "%s", slash ? report : ".");
    folder[n] = 0;
    for (size_t i = 0; i < job->beside.n; i++)
        if (strcmp(job->beside.items[i], folder) == 0) { /* once is enough for all its reports */
            free(folder);
            return EXIT_DONE;
        }
    *out = folder;
    return EXIT_DONE;
}

/* Takes the folder over; nothing there is worth a complaint. */
static int add_beside(struct job *job, char *folder)
{
    struct ms_error err;
    enum ms_status status =
        ms_symbolizer_add(job->symbolizer, folder[0] ? folder : "/", true, &err);
    if (status != MS_E_NOMEM && word_list_push(&job->beside, folder))
        return EXIT_DONE;
    free(folder);
    return complain_memory();
}

/* The number of the thread that --thread means; false when the report has none such. */
static bool choose_thread(const struct ms_report *report, uint32_t *number)
{
    if (strcmp(opt.thread, "crashed") == 0) {
        *number = report->crashed_thread < 0 ? UINT32_MAX
                                             : report->threads[report->crashed_thread].number;
        return report->crashed_thread >= 0;
    }
    uint64_t value = 0;
    parse_address(opt.thread, false, &value);
    *number = (uint32_t)value;
    for (size_t i = 0; i < report->n_threads; i++)
        if (report->threads[i].number == value)
            return true;
    return false;
}

static void tell_thread(const char *name, const struct ms_report *report)
{
    uint32_t ignored;
    if (!opt.thread || choose_thread(report, &ignored))
        return;
    if (strcmp(opt.thread, "crashed") == 0)
        warn("%s: no thread is marked as crashed", name);
    else
        warn("%s: has no thread %s", name, opt.thread);
}

static struct ms_symbolize_request request_for(const struct ms_report *report)
{
    struct ms_symbolize_request request;
    memset(&request, 0, sizeof request);
    request.report = report;
    struct ms_symbolize_options *to = &request.options;
    to->style = (struct ms_show_style){opt.full_path, opt.names.mangled, name_style(&opt.names)};
    to->scope = opt.redo ? MS_SCOPE_ALL : opt.keep ? MS_SCOPE_BARE : MS_SCOPE_UNNAMED;
    /* Text shows pc and lr alone; an .ips may name every register that points to code. */
    to->all_registers = report->kind == MS_REPORT_IPS || opt.format == FORMAT_JSON;
    to->one_thread = opt.thread != NULL;
    if (to->one_thread)
        (void)choose_thread(report, &to->thread);
    return request;
}

static int write_report(struct job *job, const struct ms_report_file *file, size_t index,
                        const struct ms_symbolication *names)
{
    if (opt.format == FORMAT_JSON) {
        struct ms_json json;
        ms_json_init(&json, &job->out.sink, job->many ? 0 : 2);
        if (!json_report(&json, file->name, &file->reports[index], names))
            return complain_memory();
        ms_sink_puts(&job->out.sink, "\n");
        return EXIT_DONE;
    }
    static const enum ms_report_format as[] = {MS_FORMAT_SAME, MS_FORMAT_TEXT, MS_FORMAT_IPS};
    struct ms_report_style style = {opt.no_inlines, opt.renumber, opt.explain};
    struct ms_error err;
    enum ms_status status =
        ms_report_write(file, index, names->shown, as[opt.format], &style, &job->out.sink, &err);
    return status == MS_OK ? EXIT_DONE : complain_error(&err);
}

/* A file that names come from must not be what the names are written to. */
static bool is_overwritten(const struct ms_symbolication *names)
{
    for (size_t i = 0; opt.output && i < names->n_images; i++) {
        const char *const used[] = {names->images[i].debug_path, names->images[i].binary_path};
        for (int k = 0; k < 2; k++)
            if (used[k] && same_file(opt.output, used[k])) {
                complain("-o names a file that names are read from: %s", used[k]);
                return true;
            }
    }
    return false;
}

/* Names that are shown as they are since they could not be read. */
static void tell_names(struct job *job, const struct ms_symbolication *names)
{
    for (size_t i = 0; i < names->n_shown; i++) {
        const struct ms_shown *shown = &names->shown[i];
        if (!shown->symbol && shown->mangled)
            tell_unread(&job->unread, shown->mangled);
        for (size_t k = 0; k < shown->n_frames; k++)
            if (is_unread(&shown->frames[k]))
                tell_unread(&job->unread, shown->frames[k].mangled);
    }
}

static int show_report(struct job *job, const struct ms_report_file *file, size_t index,
                       const struct ms_symbolication *names)
{
    const struct ms_report *report = &file->reports[index];
    tell_thread(file->name, report);
    if (is_overwritten(names))
        return EXIT_USAGE;
    int status = write_report(job, file, index, names);
    out_flush(&job->out); /* the report, then what is said of it */
    /* Of a text and its JSON original, one summary is enough. */
    if (opt.verbose && !opt.names.mangled)
        tell_names(job, names);
    if (!(report->translated && index + 1 < file->n_reports) || opt.format == FORMAT_TEXT)
        job->unresolved |= !summarise(file->name, report, names, opt.explain, &job->missing);
    return status;
}

/* A translated text and the JSON behind it are one report: where one form is wanted, one
 * of them is. */
static bool is_left_out(const struct ms_report_file *file, size_t index)
{
    bool has_original = file->reports[index].translated && index + 1 < file->n_reports;
    bool is_original = index > 0 && file->reports[index - 1].translated;
    return (opt.format == FORMAT_TEXT && is_original) ||
           ((opt.format == FORMAT_IPS || opt.format == FORMAT_JSON) && has_original);
}

/* Whether its JSON comes out a line each: it is one of several. */
static bool is_one_of_many(const struct job *job, const struct ms_report_file *file)
{
    size_t n_wanted = 0;
    for (size_t i = 0; i < file->n_reports && n_wanted < 2; i++)
        n_wanted += !is_left_out(file, i);
    return job->many || n_wanted > 1;
}

/* What is to be said of a file once its reports are done. */
static int end_file(struct job *job, const struct crash_file *file)
{
    int status = input_intact(&file->input) ? EXIT_DONE : EXIT_INPUT;
    if (status == EXIT_DONE && file->error.status != MS_OK)
        status = complain_error(&file->error);
    out_flush(&job->out);
    job->stopped = status == EXIT_SYSTEM || job->out.sink.failed;
    return status;
}

/* ---- groups of reports ------------------------------------------------------------------- */

/* Looks all reports of the group up at once. */
static enum ms_status look_up_group(struct job *job, struct ms_error *err)
{
    const struct crash_group *group = &job->group;
    size_t n = 0;
    for (size_t i = 0; i < group->n_steps; i++) {
        const struct crash_step *step = &group->steps[i];
        if (step->report != CRASH_FILE_END)
            job->requests[n++] = request_for(&step->file->reports.reports[step->report]);
    }
    return ms_symbolize_reports(job->symbolizer, job->requests, n, job->names, err);
}

/* Whether it was looked up in any file. */
static bool has_files(const struct ms_symbolication *names)
{
    for (size_t i = 0; i < names->n_images; i++)
        if (names->images[i].debug_path || names->images[i].binary_path)
            return true;
    return false;
}

/* The i-th report of the group. Where all `together` were too much, it is looked up by itself. */
static int do_report(struct job *job, const struct crash_step *step, size_t i,
                     enum ms_status together, const struct ms_error *fault)
{
    struct ms_symbolication *names = &job->names[i];
    struct ms_error err = *fault;
    enum ms_status found = together;
    if (together != MS_OK && job->group.n_reports > 1)
        found = ms_symbolize_reports(job->symbolizer, &job->requests[i], 1, names, &err);
    int status = found == MS_OK ? show_report(job, &step->file->reports, step->report, names)
                                : complain_error(&err);
    job->n_found += has_files(names);
    ms_symbolication_fini(names);
    if (status == EXIT_SYSTEM) {
        input_intact(&step->file->input);
        job->stopped = true;
    }
    return status;
}

/* Does what is in hand, in its order. */
static int do_group(struct job *job)
{
    struct crash_group *group = &job->group;
    struct ms_error fault;
    enum ms_status together = MS_OK;
    int status = EXIT_DONE;
    size_t n = 0;
    job->n_found = 0;
    memset(&fault, 0, sizeof fault);
    if (group->n_reports)
        together = look_up_group(job, &fault);
    bool many = job->many;
    for (size_t i = 0; i < group->n_steps; i++) {
        const struct crash_step *step = &group->steps[i];
        bool is_end = step->report == CRASH_FILE_END;
        if (!job->stopped && is_end) {
            status = worse(status, end_file(job, step->file));
        } else if (!job->stopped) {
            job->many = is_one_of_many(job, &step->file->reports);
            status = worse(status, do_report(job, step, n, together, &fault));
            job->many = many;
        } else if (!is_end) {
            ms_symbolication_fini(&job->names[n]);
        }
        n += !is_end;
        if (is_end)
            crash_file_close(step->file);
    }
    crash_group_next(group, together != MS_OK, job->n_found);
    return status;
}

/* Does what is in hand before something is waited for, or changes. */
static int do_group_before(struct job *job)
{
    return job->group.n_steps ? do_group(job) : EXIT_DONE;
}

/* Puts all of the file's reports into groups, and does those that are ready. */
static int take_reports(struct job *job, struct crash_file *file)
{
    struct crash_group *group = &job->group;
    int status = EXIT_DONE;
    for (size_t i = 0; i < file->reports.n_reports && !job->stopped; i++) {
        if (is_left_out(&file->reports, i))
            continue;
        if (!crash_group_fits(group, &file->reports.reports[i]))
            status = worse(status, do_group(job));
        if (job->stopped)
            break;
        crash_group_add(group, file, i);
        if (crash_group_is_ready(group) && i + 1 < file->reports.n_reports)
            status = worse(status, do_group(job));
    }
    if (!job->stopped && !crash_group_fits(group, NULL))
        status = worse(status, do_group(job));
    if (job->stopped) {
        crash_file_close(file);
        return status;
    }
    crash_group_add(group, file, CRASH_FILE_END);
    return crash_group_is_ready(group) ? worse(status, do_group(job)) : status;
}

static int do_file(struct job *job, const char *path)
{
    char *folder;
    int status = folder_beside(job, path, &folder);
    if (status != EXIT_DONE)
        return status;
    if (folder) { /* what lies there is known to this report and those that follow */
        status = do_group_before(job);
        int added = add_beside(job, folder);
        status = worse(status, added);
        if (added != EXIT_DONE)
            return status;
    }
    if (job->stopped)
        return status;
    struct crash_file *file = crash_file_map(path);
    if (!file) { /* it may be long in coming, or there is memory for it alone */
        status = worse(status, do_group_before(job));
        if (!job->stopped)
            status = worse(status, crash_file_open(&file, path));
        out_flush(&job->out);
        job->stopped |= job->out.sink.failed;
    }
    return file ? worse(status, take_reports(job, file)) : status;
}

static bool names_output(const struct word_list *paths)
{
    for (size_t i = 0; opt.output && i < paths->n; i++)
        if (same_file(opt.output, paths->items[i]))
            return true;
    return false;
}

static bool names_input(const struct word_list *paths)
{
    for (size_t i = 0; i < paths->n; i++)
        if (input_is_standard(paths->items[i]))
            return true;
    return false;
}

static int check_usage(const struct word_list *reports)
{
    uint64_t number;
    if (!reports->n)
        return args_misused(&command, "which report? name it, or - for standard input");
    if (opt.output && reports->n > 1)
        return args_misused(&command, "-o takes one report; several come out on standard output");
    for (size_t i = 0; opt.output && i < reports->n; i++)
        if (same_file(opt.output, reports->items[i]))
            return args_misused(&command, "-o names the report itself");
    if (names_output(&opt.dsyms) || names_output(&opt.binaries))
        return args_misused(&command, "-o names a file that names are read from");
    if (names_input(reports) && (names_input(&opt.dsyms) || names_input(&opt.binaries)))
        return args_misused(&command, "standard input is either a report or a binary");
    if (opt.keep && opt.redo)
        return args_misused(&command, "--keep and --redo contradict each other");
    if (name_options_clash(&command, &opt.names))
        return EXIT_USAGE;
    if (opt.json && opt.format != FORMAT_SAME && opt.format != FORMAT_JSON)
        return args_misused(&command, "--json and --format %s contradict each other",
                            formats[opt.format]);
    if (opt.thread && strcmp(opt.thread, "crashed") != 0 &&
        (!parse_address(opt.thread, false, &number) || number >= UINT32_MAX))
        return args_misused(&command, "--thread takes a number or 'crashed', not '%s'", opt.thread);
    if (opt.json)
        opt.format = FORMAT_JSON;
    return ARGS_RUN;
}

/* What is missing may lie where nothing could be read. */
static void tell_skipped(const struct job *job)
{
    struct ms_error first;
    char line[MS_ERROR_LINE];
    size_t n = job->missing ? ms_symbolizer_skipped(job->symbolizer, &first) : 0;
    if (n == 1)
        warn("passed over: %s", ms_error_describe(&first, line));
    else if (n)
        warn("passed over %zu files and folders, the first: %s", n,
             ms_error_describe(&first, line));
}

static int run(const struct word_list *reports, const struct ms_object_search *search)
{
    static struct job job; /* large: it holds the output buffer */
    struct ms_error err;
    size_t n_workers, max_memory;
    if (!jobs_read(opt.jobs, &n_workers))
        return args_misused(&command, JOBS_WRONG);
    if (!memory_read(opt.max_mem, &max_memory))
        return args_misused(&command, MAX_MEM_WRONG);
    memory_limit(opt.max_mem, max_memory, &n_workers);
    if (ms_symbolizer_open(&job.symbolizer, &err) != MS_OK)
        return complain_error(&err);
    ms_symbolizer_set_object_search(job.symbolizer, search);
    ms_symbolizer_set_workers(job.symbolizer, n_workers);
    ms_symbolizer_set_max_memory(job.symbolizer, max_memory);
    int status = add_paths(&job, &opt.dsyms);
    status = status == EXIT_DONE ? add_paths(&job, &opt.binaries) : status;
    bool opened = false;
    if (status == EXIT_DONE) {
        status = out_open(&job.out, opt.output ? opt.output : "-");
        opened = status == EXIT_DONE;
    }
    job.many = reports->n > 1;
    crash_group_init(&job.group, max_memory);
    for (size_t i = 0; opened && i < reports->n && status != EXIT_SYSTEM && !job.stopped; i++)
        status = worse(status, do_file(&job, reports->items[i]));
    status = worse(status, do_group_before(&job));
    if (opened)
        status = out_finish(&job.out, status, status == EXIT_DONE);
    tell_skipped(&job);
    ms_symbolizer_close(job.symbolizer);
    for (size_t i = 0; i < job.beside.n; i++)
        free((char *)(uintptr_t)job.beside.items[i]);
    word_list_fini(&job.beside);
    unread_names_fini(&job.unread);
    return worse(status, opt.strict && job.unresolved ? EXIT_NO : EXIT_DONE);
}

int main(int argc, char **argv)
{
    struct word_list reports = {NULL, 0, 0};
    struct prefixes prefixes = {NULL, NULL};
    struct ms_object_search search = {NULL, 0, NULL};
    int status = args_parse(&command, argc, argv, &reports);
    if (status == ARGS_RUN)
        status = check_usage(&reports);
    if (status == ARGS_RUN)
        status = prefixes_read(&prefixes, &command, &opt.prefixes, &search);
    if (status == ARGS_RUN)
        status = run(&reports, &search);
    prefixes_fini(&prefixes);
    word_list_fini(&opt.prefixes);
    word_list_fini(&reports);
    word_list_fini(&opt.dsyms);
    word_list_fini(&opt.binaries);
    return status;
}
