/*
 * machsym inits: what of an image runs before main, in the order in which it runs, and how long
 * it took.
 */
#include "common/answer_json.h"
#include "common/args.h"
#include "common/console.h"
#include "common/names.h"
#include "common/out.h"
#include "common/timings.h"
#include "common/with_dsym.h"
#include "machsym/inits.h"
#include "machsym/slide.h"
#include "machsym/symbolize.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sort_key { SORT_ORDER, SORT_ADDRESS, SORT_NAME, SORT_FILE, SORT_TIME, SORT_UNSAID };
static const char *const sort_keys[] = {"order", "address", "name", "file", "time", NULL};

static struct {
    const char *arch, *dsym, *timings;
    struct option_number load;
    int sort;
    bool full_path, json, no_variables;
    struct name_options names;
} opt = {.sort = SORT_UNSAID};

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "slice of a universal file", NULL},
    {"-d", "--dsym", OPTION_TEXT, &opt.dsym, "PATH", DSYM_HELP, NULL},
    {"-l", "--load-address", OPTION_HEX, &opt.load, "ADDRESS",
     "load address of the image (hexadecimal): addresses are those of that process", NULL},
    {"--timings", NULL, OPTION_TEXT, &opt.timings, "LOG",
     "lines of an address and milliseconds: rank the initialisers by them", NULL},
    {"--sort", NULL, OPTION_CHOICE, &opt.sort, "order|address|name|file|time",
     "order: as they run; the default, but with --timings: time", sort_keys},
    {"--no-variables", NULL, OPTION_FLAG, &opt.no_variables, NULL,
     "do not look for the variables that each computes", NULL},
    {"--full-path", NULL, OPTION_FLAG, &opt.full_path, NULL, "full paths of source files", NULL},
    {"--full-names", NULL, OPTION_FLAG, &opt.names.full, NULL, FULL_NAMES_HELP, NULL},
    {"--no-demangle", NULL, OPTION_FLAG, &opt.names.mangled, NULL, "leave names mangled", NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"inits [options] FILE", NULL};

static const struct command command = {
    "inits",
    "Lists what runs before main: static initialisers, constructors and +load",
    usage,
    options,
    sizeof options / sizeof *options,
    "FILE is a Mach-O file, an .app, a .framework or another bundle; or a dSYM beside its binary.",
};

/* One initialiser, ready to be printed. */
struct row {
    const struct ms_init *init;
    size_t order; /* from 1 */
    struct ms_shown shown;
    const char *name; /* NULL: nothing names it */
    const char *file, *source;
    uint32_t line;
    char *made; /* a name that was put together; owned */
    bool measured;
    uint64_t nanoseconds;
};

struct listing {
    struct ms_image *image;
    struct ms_image_info info;
    uint64_t slide;
    struct ms_inits inits;
    struct ms_init_variables variables;
    struct ms_answers answers;
    struct ms_show_pool *pool;
    struct ms_show_style style;
    struct row *rows;
    size_t n;
    struct out out;
};

/* ---- names ----------------------------------------------------------------------------------- */

/* "+[Class(Category) load]": what metadata tells, where no symbol does. */
static char *load_name(const struct ms_init *init)
{
    const char *class_name = init->class_name ? init->class_name : "?";
    bool is_category = init->kind == MS_INIT_LOAD_CATEGORY;
    const char *category = init->category ? init->category : "?";
    size_t room = strlen(class_name) + (is_category ? strlen(category) : 0) + sizeof "+[() load]";
    char *name = malloc(room);
    if (name && is_category)
        snprintf(name, room, "+[%s(%s) load]", class_name, category);
    else if (name)
        snprintf(name, room, "+[%s load]", class_name);
    return name;
}

static bool is_load(const struct ms_init *init)
{
    return init->kind == MS_INIT_LOAD_CLASS || init->kind == MS_INIT_LOAD_CATEGORY;
}

/* The function itself is the outermost frame of its first instruction. */
static int name_row(struct listing *l, struct row *row)
{
    const struct ms_shown_frame *frame =
        row->shown.n_frames ? &row->shown.frames[row->shown.n_frames - 1] : NULL;
    /* Not the name of a function that this address merely lies in. */
    if (frame && (!frame->has_offset || frame->offset == 0)) {
        row->name = frame->function;
        row->source = ms_init_source(frame->mangled ? frame->mangled : frame->function);
        row->file = frame->file;
        row->line = frame->line;
    }
    if (!row->file)
        row->file = row->source;
    if (row->init->import)
        row->name = row->init->import;
    (void)l;
    if (row->name || !is_load(row->init))
        return EXIT_DONE;
    row->made = load_name(row->init);
    row->name = row->made;
    if (row->made)
        return EXIT_DONE;
    complain("out of memory");
    return EXIT_SYSTEM;
}

static int look_up(struct listing *l)
{
    struct ms_error err;
    l->n = l->inits.n;
    l->rows = calloc(l->n + 1, sizeof *l->rows);
    uint64_t *addresses = calloc(l->n + 1, sizeof *addresses);
    if (!l->rows || !addresses) {
        free(addresses);
        complain("out of memory");
        return EXIT_SYSTEM;
    }
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->inits.items[i].has_address)
            addresses[n++] = l->inits.items[i].vm;
    enum ms_status status = ms_image_find_many(l->image, addresses, n, &l->answers, &err);
    free(addresses);
    for (size_t i = 0, at = 0; i < l->n && status == MS_OK; i++) {
        struct row *row = &l->rows[i];
        row->init = &l->inits.items[i];
        row->order = i + 1;
        if (row->init->has_address)
            status = ms_show(l->pool, &l->answers.items[at++], &l->style, 0, l->slide, &row->shown,
                             &err);
        if (status == MS_OK && name_row(l, row) != EXIT_DONE)
            return EXIT_SYSTEM;
    }
    if (status == MS_OK && !opt.no_variables)
        status = ms_image_init_variables(l->image, &l->inits, &l->variables, &err);
    return status == MS_OK ? EXIT_DONE : complain_error(&err);
}

/* ---- timings --------------------------------------------------------------------------------- */

static int by_vm(const void *a, const void *b)
{
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
    if (x->init->vm != y->init->vm)
        return x->init->vm < y->init->vm ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The initialiser of that address: the first that runs, where several share their code. */
static struct row *find_row(struct row *const *sorted, size_t n, uint64_t vm)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sorted[middle]->init->vm < vm)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && sorted[low]->init->vm == vm ? sorted[low] : NULL;
}

static int join(struct listing *l, const struct timings *timings, struct row **sorted)
{
    size_t n = 0, n_unmatched = 0, n_measured = 0;
    uint64_t total = 0;
    bool is_arm = strncmp(l->info.arch, "armv", 4) == 0;
    for (size_t i = 0; i < l->n; i++)
        if (l->rows[i].init->has_address)
            sorted[n++] = &l->rows[i];
    qsort(sorted, n, sizeof *sorted, by_vm);
    for (size_t i = 0; i < timings->n; i++) {
        uint64_t vm = ms_slide_to_vm(timings->items[i].address, l->slide);
        struct row *row = find_row(sorted, n, is_arm ? vm & ~(uint64_t)1 : vm);
        if (!row) {
            n_unmatched++;
            continue;
        }
        n_measured += !row->measured;
        row->measured = true;
        row->nanoseconds += timings->items[i].nanoseconds;
        total += timings->items[i].nanoseconds;
    }
    if (n_unmatched)
        warn("%zu of %zu lines of the log are no initialiser of %s%s", n_unmatched, timings->n,
             l->info.name, opt.load.given ? "" : "; if it ran with a slide, give its -l");
    complain("%zu initialisers, %zu measured: %" PRIu64 ".%03" PRIu64 " ms", l->n, n_measured,
             total / 1000000, total / 1000 % 1000);
    return EXIT_DONE;
}

static int measure(struct listing *l)
{
    struct timings timings;
    int status = timings_read(&timings, opt.timings);
    struct row **sorted = calloc(l->n + 1, sizeof *sorted);
    if (status == EXIT_DONE && !sorted) {
        complain("out of memory");
        status = EXIT_SYSTEM;
    }
    if (status == EXIT_DONE)
        status = join(l, &timings, sorted);
    free(sorted);
    timings_fini(&timings);
    return status;
}

/* ---- sorting --------------------------------------------------------------------------------- */

static int by_order(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* What is unknown comes last. */
static int by_text(const char *x, const char *y)
{
    return x && y ? strcmp(x, y) : !x - !y;
}

static int by_address(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->init->has_address != y->init->has_address)
        return x->init->has_address ? -1 : 1;
    if (x->init->vm != y->init->vm)
        return x->init->vm < y->init->vm ? -1 : 1;
    return by_order(a, b);
}

static int by_name(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int difference = by_text(x->name, y->name);
    return difference ? difference : by_order(a, b);
}

static int by_file(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int difference = by_text(x->file, y->file);
    if (!difference && x->line != y->line)
        difference = x->line < y->line ? -1 : 1;
    return difference ? difference : by_order(a, b);
}

static int by_time(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->measured != y->measured)
        return x->measured ? -1 : 1;
    if (x->nanoseconds != y->nanoseconds)
        return x->nanoseconds > y->nanoseconds ? -1 : 1;
    return by_order(a, b);
}

/* ---- printing -------------------------------------------------------------------------------- */

static int show_variable(struct listing *l, size_t i, struct ms_shown *out)
{
    struct ms_error err;
    const struct ms_answer answer = {&l->variables.items[i].frame, 1, MS_WHY_COMPLETE};
    if (ms_show(l->pool, &answer, &l->style, 0, 0, out, &err) == MS_OK)
        return EXIT_DONE;
    return complain_error(&err);
}

static void print_place(struct ms_sink *sink, const char *file, uint32_t line)
{
    if (!file)
        return;
    ms_sink_puts(sink, " (");
    ms_sink_plain(sink, file);
    if (line)
        ms_sink_printf(sink, ":%" PRIu32, line);
    ms_sink_puts(sink, ")");
}

static int print_variables(struct listing *l, const struct row *row)
{
    if (!l->variables.first)
        return EXIT_DONE;
    for (size_t i = l->variables.first[row->order - 1]; i < l->variables.first[row->order]; i++) {
        struct ms_shown shown;
        int status = show_variable(l, i, &shown);
        if (status != EXIT_DONE)
            return status;
        const struct ms_shown_frame *frame = &shown.frames[0];
        ms_sink_puts(&l->out.sink, "\t");
        ms_sink_plain(&l->out.sink, frame->function ? frame->function : "?");
        print_place(&l->out.sink, frame->file, frame->line);
        ms_sink_puts(&l->out.sink, "\n");
    }
    return EXIT_DONE;
}

static uint64_t shown_address(const struct listing *l, uint64_t vm)
{
    return ms_slide_to_rt(vm, l->slide);
}

static int print_text(struct listing *l)
{
    struct ms_sink *sink = &l->out.sink;
    int status = EXIT_DONE;
    for (size_t i = 0; i < l->n && status == EXIT_DONE; i++) {
        const struct row *row = &l->rows[i];
        ms_sink_printf(sink, "%4zu ", row->order);
        if (opt.timings && row->measured)
            ms_sink_printf(sink, "%8" PRIu64 ".%03" PRIu64 " ms ", row->nanoseconds / 1000000,
                           row->nanoseconds / 1000 % 1000);
        else if (opt.timings)
            ms_sink_puts(sink, "               - ");
        if (row->init->has_address)
            ms_sink_printf(sink, "0x%016" PRIx64, shown_address(l, row->init->vm));
        else
            ms_sink_puts(sink, "                 -");
        ms_sink_printf(sink, " %-13s ", ms_init_kind_name(row->init->kind));
        ms_sink_plain(sink, row->name ? row->name : "?");
        if (row->init->import)
            ms_sink_puts(sink, " (of another image)");
        print_place(sink, row->file, row->line);
        ms_sink_puts(sink, "\n");
        status = print_variables(l, row);
    }
    return status;
}

static int print_json_variables(struct listing *l, const struct row *row, struct ms_json *json)
{
    ms_json_key(json, "variables");
    ms_json_array(json);
    for (size_t i = l->variables.first[row->order - 1]; i < l->variables.first[row->order]; i++) {
        struct ms_shown shown;
        int status = show_variable(l, i, &shown);
        if (status != EXIT_DONE)
            return status;
        const struct ms_shown_frame *frame = &shown.frames[0];
        ms_json_object(json);
        ms_json_field(json, "name", frame->function);
        ms_json_field(json, "mangled", frame->mangled);
        if (l->variables.items[i].has_address)
            ms_json_field_address(json, "file_address", l->variables.items[i].vm);
        ms_json_field(json, "file", frame->path);
        if (frame->line)
            ms_json_field_uint(json, "line", frame->line);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
    return EXIT_DONE;
}

static int print_json_row(struct listing *l, const struct row *row, struct ms_json *json)
{
    const struct ms_init *init = row->init;
    int status = EXIT_DONE;
    ms_json_object(json);
    ms_json_field_uint(json, "order", row->order);
    ms_json_field(json, "kind", ms_init_kind_name(init->kind));
    if (init->has_address && opt.load.given)
        ms_json_field_address(json, "address", shown_address(l, init->vm));
    if (init->has_address)
        ms_json_field_address(json, "file_address", init->vm);
    if (init->section) {
        char name[40];
        snprintf(name, sizeof name, "%s,%s", init->section->segment_name, init->section->name);
        ms_json_field(json, "section", name);
        ms_json_field_address(json, "entry", init->entry_vm);
    }
    ms_json_field(json, "name", row->name);
    ms_json_field(json, "class", init->class_name);
    ms_json_field(json, "category", init->category);
    ms_json_field(json, "import", init->import);
    ms_json_field(json, "source_file", row->source);
    if (row->measured)
        ms_json_field_uint(json, "nanoseconds", row->nanoseconds);
    if (init->fault) {
        char line[MS_ERROR_LINE];
        ms_json_field(json, "error", ms_error_describe(init->fault, line));
    }
    if (init->has_address)
        json_shown(json, &row->shown);
    if (l->variables.first)
        status = print_json_variables(l, row, json);
    ms_json_object_end(json);
    return status;
}

static int print_json(struct listing *l)
{
    struct ms_json json;
    int status = EXIT_DONE;
    ms_json_init(&json, &l->out.sink, 2);
    ms_json_object(&json);
    json_image_head(&json, &l->info);
    ms_json_key(&json, "initializers");
    ms_json_array(&json);
    for (size_t i = 0; i < l->n && status == EXIT_DONE; i++)
        status = print_json_row(l, &l->rows[i], &json);
    ms_json_array_end(&json);
    ms_json_object_end(&json);
    ms_sink_puts(&l->out.sink, "\n");
    return status;
}

/* ---- start ----------------------------------------------------------------------------------- */

enum { MAX_WARNED = 20 };

/* Says what could not be read. EXIT_INPUT when there is any such thing. */
static int tell_damage(const struct listing *l)
{
    char line[MS_ERROR_LINE];
    size_t n = l->info.damage->status != MS_OK; /* which image_with_dsym has told of */
    if (l->inits.damage.status != MS_OK) {
        complain("%s", ms_error_describe(&l->inits.damage, line));
        n++;
    }
    for (size_t i = 0; i < l->n; i++) {
        const struct ms_init *init = &l->inits.items[i];
        if (init->fault && n++ < MAX_WARNED)
            complain("initialiser %zu: %s", i + 1, ms_error_describe(init->fault, line));
    }
    if (n > MAX_WARNED)
        complain("%zu more initialisers can't be read", n - MAX_WARNED);
    for (size_t i = 0; i < l->answers.n_errors && i < MAX_WARNED; i++)
        warn("%s", ms_error_describe(&l->answers.errors[i], line));
    return n ? EXIT_INPUT : EXIT_DONE;
}

static int print(struct listing *l)
{
    static int (*const COMPARE[])(const void *, const void *) = {by_order, by_address, by_name,
                                                                 by_file, by_time};
    int key = opt.sort == SORT_UNSAID ? opt.timings ? SORT_TIME : SORT_ORDER : opt.sort;
    int status = tell_damage(l);
    qsort(l->rows, l->n, sizeof *l->rows, COMPARE[key]);
    return worse(status, opt.json ? print_json(l) : print_text(l));
}

static int run(const char *path)
{
    static struct listing l; /* large: it holds the output buffer */
    struct ms_error err;
    int status = image_with_dsym(path, opt.arch, opt.dsym, &l.image, &l.info);
    if (opt.load.given)
        l.slide = ms_slide(opt.load.value, l.info.text_vm);
    l.style = (struct ms_show_style){opt.full_path, opt.names.mangled, name_style(&opt.names)};
    out_stdout(&l.out);
    if (status == EXIT_DONE && (ms_show_pool_open(&l.pool, &err) != MS_OK ||
                                ms_image_inits(l.image, &l.inits, &err) != MS_OK))
        status = complain_error(&err);
    if (status == EXIT_DONE)
        status = look_up(&l);
    if (status == EXIT_DONE && opt.timings)
        status = measure(&l);
    if (status == EXIT_DONE)
        status = print(&l);
    status = out_finish(&l.out, status, true);
    for (size_t i = 0; i < l.n && l.rows; i++)
        free(l.rows[i].made);
    free(l.rows);
    ms_init_variables_fini(&l.variables);
    ms_answers_fini(&l.answers);
    ms_inits_fini(&l.inits);
    ms_show_pool_close(l.pool);
    ms_image_close(l.image);
    return status;
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN && words.n != 1)
        status = args_misused(&command, words.n ? "one FILE at a time" : "which file?");
    if (status == ARGS_RUN && opt.sort == SORT_TIME && !opt.timings)
        status = args_misused(&command, "--sort time needs --timings");
    if (status == ARGS_RUN && name_options_clash(&command, &opt.names))
        status = EXIT_USAGE;
    if (status == ARGS_RUN)
        status = run(words.items[0]);
    word_list_fini(&words);
    return status;
}
