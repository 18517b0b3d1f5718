/*
 * machsym atos: addresses to functions, files and lines, with atos's flags and output.
 */
#include "common/args.h"
#include "common/atos_fan.h"
#include "common/console.h"
#include "common/input.h"
#include "common/jobs.h"
#include "common/memory.h"
#include "common/names.h"
#include "common/out.h"
#include "common/prefixes.h"
#include "machsym/image.h"
#include "machsym/slide.h"
#include "machsym/symbolize.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many addresses one streaming pass takes at most: bounds memory, not correctness. */
enum { MAX_BATCH = 1 << 18 };
/* The same within --max-mem: an answer takes about half a kilobyte, and more where calls are
 * inlined deeply; a share of a sixth leaves room for tables. The names of an answer may lie on so
 * many bytes of pages, which are given back in time. */
enum { ANSWER_BYTES = 512, ANSWERS_SHARE = 6, NAMES_BYTES = 256 << 10 };
/* So few at a time come from someone who types, or from a program that waits for each
 * answer: then what was read of a unit is kept for the next one. */
enum { INTERACTIVE = 16 };

enum pc_kind { PC_EXACT, PC_RETURN };
static const char *const pc_kinds[] = {"exact", "return", NULL};

static struct {
    const char *object, *arch, *file, *delimiter, *jobs, *max_mem;
    struct option_number load, slide, text_exec;
    bool offset, inlines, full_path, dedup, print_header, json, verbose;
    struct name_options names;
    struct word_list prefixes;
    int pc;
} opt;

static struct option options[] = {
    {"-o", NULL, OPTION_TEXT, &opt.object, "FILE", "binary, dSYM, app or other bundle to look in",
     NULL},
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "slice of a universal file", NULL},
    {"-l", "--loadAddress", OPTION_HEX, &opt.load, "ADDRESS",
     "load address of the image (hexadecimal)", NULL},
    {"-s", "--slide", OPTION_SLIDE, &opt.slide, "SLIDE", "slide of the image (hexadecimal)", NULL},
    {"-offset", NULL, OPTION_FLAG, &opt.offset, NULL,
     "addresses are offsets from the image's start", NULL},
    {"-textExecAddress", NULL, OPTION_HEX, &opt.text_exec, "ADDRESS",
     "load address of __TEXT_EXEC (kernel)", NULL},
    {"-i", "--inlineFrames", OPTION_FLAG, &opt.inlines, NULL,
     "print inlined frames, innermost first, and an empty line after each address", NULL},
    {"-d", "--delimiter", OPTION_TEXT, &opt.delimiter, "TEXT",
     "between the frames of one address, instead of a newline", NULL},
    {"-f", NULL, OPTION_TEXT, &opt.file, "FILE", "read addresses from FILE", NULL},
    {"-fullPath", NULL, OPTION_FLAG, &opt.full_path, NULL, "print full paths of source files",
     NULL},
    {"-dedup", NULL, OPTION_FLAG, &opt.dedup, NULL,
     "print every name of code that the linker folded into one", NULL},
    {"-printHeader", NULL, OPTION_FLAG, &opt.print_header, NULL,
     "first print the image's name and base address", NULL},
    {"--pc", NULL, OPTION_CHOICE, &opt.pc, "exact|return",
     "return: addresses are return addresses, look up the call before each", pc_kinds},
    {"--oso-prefix-map", NULL, OPTION_LIST, &opt.prefixes, "FROM=TO", OSO_PREFIX_MAP_HELP, NULL},
    {"--full-names", NULL, OPTION_FLAG, &opt.names.full, NULL, FULL_NAMES_HELP, NULL},
    {"--fold-thunks", NULL, OPTION_FLAG, &opt.names.fold, NULL, FOLD_THUNKS_HELP, NULL},
    {"--no-demangle", NULL, OPTION_FLAG, &opt.names.mangled, NULL, "leave names mangled", NULL},
    {"--verbose", NULL, OPTION_FLAG, &opt.verbose, NULL, VERBOSE_HELP, NULL},
    {"-j", "--jobs", OPTION_TEXT, &opt.jobs, "N", JOBS_HELP, NULL},
    {"--max-mem", NULL, OPTION_TEXT, &opt.max_mem, "SIZE", MAX_MEM_HELP, NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON object a line for each address", NULL},
};

static const char *const usage[] = {
    "atos -o FILE [-arch ARCH] [-l LOAD | -s SLIDE | -offset] [options] [ADDRESS…]", NULL};

static const struct command command = {
    "atos",
    "Turns addresses into functions, files and lines",
    usage,
    options,
    sizeof options / sizeof *options,
    "ADDRESS is hexadecimal with 0x or decimal; a name is answered by its address. Without\n"
    "any, and without -f, addresses are read from standard input and answered as they come.",
};

struct batch {
    char *text;
    size_t n_text, text_room;
    struct atos_question *items;
    size_t n, room;
};

struct asking {
    struct ms_image *image;
    struct ms_image_info info;
    uint64_t slide;
    struct atos_printer printer;
    struct ms_answers one; /* reused from address to address */
    struct out out;
    size_t n_errors_told;
    size_t n_workers;  /* 0 = one a processor */
    size_t max_memory; /* 0 = no bound */
    size_t max_batch;
    struct unread_names unread;
};

static bool batch_add(struct batch *batch, const char *word, size_t n)
{
    if (n + 1 > batch->text_room - batch->n_text) {
        size_t room = (batch->text_room + n + 1) * 2;
        char *text = realloc(batch->text, room);
        if (!text)
            return false;
        batch->text = text;
        batch->text_room = room;
    }
    if (batch->n == batch->room) {
        size_t room = batch->room ? batch->room * 2 : 64;
        struct atos_question *items = realloc(batch->items, room * sizeof *items);
        if (!items)
            return false;
        batch->items = items;
        batch->room = room;
    }
    batch->items[batch->n++] = (struct atos_question){batch->n_text, false, false, 0, 0};
    memcpy(batch->text + batch->n_text, word, n);
    batch->text[batch->n_text + n] = 0;
    batch->n_text += n + 1;
    return true;
}

static void batch_clear(struct batch *batch)
{
    batch->n = batch->n_text = 0;
}

/* ---- answering ------------------------------------------------------------------------- */

/* A unit that is broken is told of once, however many addresses it would have answered. */
static void tell_errors(struct asking *a, const struct ms_answers *answers)
{
    for (size_t i = 0; i < answers->n_errors && a->n_errors_told < 20; i++, a->n_errors_told++) {
        char line[MS_ERROR_LINE];
        warn("%s", ms_error_describe(&answers->errors[i], line));
    }
}

static int print_answer(struct asking *a, const struct batch *batch, const struct atos_question *q,
                        const struct ms_answer *answer)
{
    return atos_print(&a->printer, q, batch->text + q->word, answer);
}

/* A name is answered by its address; what is neither comes back as it is. */
static int answer_name(struct asking *a, const struct batch *batch, struct atos_question *q)
{
    struct ms_error err;
    uint64_t address_vm;
    enum ms_status status = ms_image_find_name(a->image, batch->text + q->word, &address_vm, &err);
    if (status == MS_ABSENT)
        return print_answer(a, batch, q, NULL);
    if (status == MS_OK && !opt.json) {
        ms_sink_printf(&a->out.sink, "0x%" PRIx64 "\n", ms_slide_to_rt(address_vm, a->slide));
        return EXIT_DONE;
    }
    if (status == MS_OK) {
        q->is_address = true;
        q->address_rt = ms_slide_to_rt(address_vm, a->slide);
        q->lookup_vm = address_vm;
        status = ms_image_find(a->image, address_vm, &a->one, &err);
    }
    return status == MS_OK ? print_answer(a, batch, q, &a->one.items[0]) : complain_error(&err);
}

static void understand(const struct asking *a, const struct batch *batch, struct atos_question *q)
{
    q->is_address = parse_address(batch->text + q->word, false, &q->address_rt);
    q->is_name = !q->is_address;
    if (opt.offset && q->is_address)
        q->address_rt = ms_slide_to_rt(q->address_rt, a->info.text_vm);
    q->lookup_vm = ms_slide_to_vm(q->address_rt, a->slide) - (opt.pc == PC_RETURN);
}

static int answer_one_by_one(struct asking *a, struct batch *batch)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < batch->n && status == EXIT_DONE; i++) {
        struct atos_question *q = &batch->items[i];
        struct ms_error err;
        if (!q->is_address) {
            status = answer_name(a, batch, q);
        } else if (ms_image_find(a->image, q->lookup_vm, &a->one, &err) != MS_OK) {
            status = complain_error(&err);
        } else {
            tell_errors(a, &a->one);
            status = print_answer(a, batch, q, &a->one.items[0]);
        }
    }
    return status;
}

/* Prints the answers to some of the batch's questions, all of them looked up. */
static int print_answers(struct asking *a, struct batch *batch, size_t first, size_t n,
                         const struct ms_answers *answers)
{
    int status = EXIT_DONE;
    /* Threads have what they print in memory. */
    if (answers->n == batch->n && !a->max_memory &&
        atos_fan_pays(&a->printer, answers->n, a->n_workers))
        return atos_fan(&a->printer, batch->items, batch->text, answers, a->n_workers);
    for (size_t i = 0, asked = 0; i < n && status == EXIT_DONE; i++) {
        struct atos_question *q = &batch->items[first + i];
        ms_answers_ahead(answers, asked);
        status = q->is_address ? print_answer(a, batch, q, &answers->items[asked++])
                               : answer_name(a, batch, q);
        if (a->max_memory && i % (a->max_memory / NAMES_BYTES + 1) == 0)
            ms_image_give_back(a->image);
    }
    return status;
}

/* The same, and looks them up. Answers that don't fit into memory are made by halves. */
static int answer_some(struct asking *a, struct batch *batch, size_t first, size_t n)
{
    uint64_t *addresses = calloc(n + 1, sizeof *addresses);
    if (!addresses)
        return complain_memory();
    size_t n_addresses = 0;
    for (size_t i = first; i < first + n; i++)
        if (batch->items[i].is_address)
            addresses[n_addresses++] = batch->items[i].lookup_vm;
    struct ms_answers answers;
    struct ms_error err;
    int status = EXIT_DONE;
    enum ms_status found = ms_image_find_many(a->image, addresses, n_addresses, &answers, &err);
    free(addresses);
    if (found == MS_E_NOMEM && a->max_memory && n > 1) {
        status = answer_some(a, batch, first, n / 2);
        return status == EXIT_DONE ? answer_some(a, batch, first + n / 2, n - n / 2) : status;
    }
    if (found != MS_OK)
        return complain_error(&err);
    tell_errors(a, &answers);
    status = print_answers(a, batch, first, n, &answers);
    ms_answers_fini(&answers);
    return status;
}

/* `keep`: more questions may follow, so what is read of a unit is worth keeping. */
static int answer_batch(struct asking *a, struct batch *batch, bool keep)
{
    for (size_t i = 0; i < batch->n; i++)
        understand(a, batch, &batch->items[i]);
    int status = keep && batch->n <= INTERACTIVE ? answer_one_by_one(a, batch)
                                                 : answer_some(a, batch, 0, batch->n);
    batch_clear(batch);
    return status;
}

/* ---- where the addresses come from ------------------------------------------------------ */

static int ask_words(struct asking *a, struct batch *batch, const char *text, size_t n)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < n && status == EXIT_DONE;) {
        while (i < n && isspace((unsigned char)text[i]))
            i++;
        size_t start = i;
        while (i < n && !isspace((unsigned char)text[i]))
            i++;
        if (i > start && !batch_add(batch, text + start, i - start))
            return complain_memory();
        if (batch->n >= a->max_batch)
            status = answer_batch(a, batch, false);
    }
    return status;
}

static int ask_file(struct asking *a, struct batch *batch, const char *path)
{
    struct input input;
    int status = input_open(&input, path);
    if (status == EXIT_DONE)
        status = ask_words(a, batch, (const char *)input.bytes.at, input.bytes.n);
    if (status == EXIT_DONE && !input_intact(&input))
        status = EXIT_INPUT;
    if (status == EXIT_DONE && batch->n)
        status = answer_batch(a, batch, false);
    input_close(&input);
    return status;
}

/* What stands between two reads: bytes after the last line end. */
struct pending {
    char *text;
    size_t n, room;
    size_t n_searched; /* so many of its first bytes hold no line end */
};

/* Reads once. Returns bytes read, 0 at the end, -1 after an error. */
static ssize_t read_more(struct pending *p)
{
    if (p->room - p->n < 32768) {
        size_t room = p->room ? p->room * 2 : 65536;
        char *text = room <= (size_t)1 << 30 ? realloc(p->text, room) : NULL;
        if (!text) {
            errno = ENOMEM;
            return -1;
        }
        p->text = text;
        p->room = room;
    }
    ssize_t got;
    do
        got = read(STDIN_FILENO, p->text + p->n, p->room - p->n);
    while (got < 0 && console_wait(STDIN_FILENO, false));
    if (got > 0)
        p->n += (size_t)got;
    return got;
}

static bool can_read_at_once(void)
{
    struct pollfd fd = {STDIN_FILENO, POLLIN, 0};
    return poll(&fd, 1, 0) > 0;
}

/* Whole lines that have come are taken into the batch; the rest waits for its line end. */
static int take_lines(struct asking *a, struct batch *batch, struct pending *p, bool at_end)
{
    size_t n = p->n;
    while (!at_end && n > p->n_searched && p->text[n - 1] != '\n')
        n--;
    if (!at_end && n == p->n_searched) { /* a line that is longer than what has come of it */
        p->n_searched = p->n;
        return EXIT_DONE;
    }
    int status = ask_words(a, batch, p->text, n);
    if (n < p->n)
        memmove(p->text, p->text + n, p->n - n);
    p->n -= n;
    p->n_searched = p->n;
    return status;
}

/*
 * Standard input: as much as can be read without waiting makes one batch; its answers are
 * flushed before the next wait, since whoever asks may wait for them.
 */
static int ask_standard_input(struct asking *a, struct batch *batch)
{
    struct pending p = {NULL, 0, 0, 0};
    int status = EXIT_DONE;
    ssize_t got = 1;
    while (got > 0 && status == EXIT_DONE) {
        got = read_more(&p);
        if (got < 0) {
            if (errno == ENOMEM) {
                status = complain_memory();
                break;
            }
            complain("standard input: cannot be read: %s", strerror(errno));
            status = EXIT_INPUT;
            break;
        }
        status = take_lines(a, batch, &p, got == 0);
        if (status == EXIT_DONE && (got == 0 || !can_read_at_once())) {
            if (batch->n)
                status = answer_batch(a, batch, got > 0 || a->one.storage);
            out_flush(&a->out);
            if (a->out.sink.failed)
                break;
        }
    }
    free(p.text);
    return status;
}

static int ask(struct asking *a, const struct word_list *words)
{
    struct batch batch;
    memset(&batch, 0, sizeof batch);
    int status = EXIT_DONE;
    for (size_t i = 0; i < words->n && status == EXIT_DONE; i++)
        if (!batch_add(&batch, words->items[i], strlen(words->items[i])))
            status = complain_memory();
    if (status == EXIT_DONE && words->n)
        status = answer_batch(a, &batch, false);
    if (status == EXIT_DONE && opt.file)
        status = ask_file(a, &batch, opt.file);
    else if (status == EXIT_DONE && !words->n)
        status = ask_standard_input(a, &batch);
    free(batch.text);
    free(batch.items);
    return status;
}

/* ---- start ----------------------------------------------------------------------------- */

static void warn_of_image(const struct ms_image_info *info)
{
    if (info->mismatch_path) {
        char ours[MS_UUID_TEXT], theirs[MS_UUID_TEXT];
        ms_uuid_format(&info->uuid, ours);
        ms_uuid_format(&info->mismatch_uuid, theirs);
        warn("%s is not used: its UUID is %s, that of %s is %s; find the dSYM of this build",
             info->mismatch_path, theirs, info->name, ours);
    }
    if (info->damage->status != MS_OK) {
        char line[MS_ERROR_LINE];
        warn("%s", ms_error_describe(info->damage, line));
    }
    if (opt.load.given && opt.load.value & 0xfff)
        warn("load address 0x%" PRIx64 " is not page-aligned: is it that of the image's header?",
             opt.load.value);
}

static void print_header(struct asking *a)
{
    ms_sink_puts(&a->out.sink, "got symbolicator for ");
    ms_sink_plain(&a->out.sink, a->info.name);
    ms_sink_printf(&a->out.sink, ", base address %" PRIx64 "\n", a->info.text_vm);
}

static int check_usage(const struct word_list *words)
{
    if (!opt.object)
        return args_misused(&command, "which file? name it with -o");
    int ways = opt.load.given + opt.slide.given + opt.text_exec.given + opt.offset;
    if (ways > 1)
        return args_misused(&command, "only one of -l, -s, -offset and -textExecAddress");
    if (name_options_clash(&command, &opt.names))
        return EXIT_USAGE;
    if (input_is_standard(opt.object) && (opt.file ? input_is_standard(opt.file) : !words->n))
        return args_misused(&command, "standard input is the file: name the addresses, or a file "
                                      "of them with -f");
    return ARGS_RUN;
}

static size_t batch_within(size_t max_memory)
{
    size_t n = max_memory / ANSWERS_SHARE / ANSWER_BYTES;
    return !max_memory || n > MAX_BATCH ? MAX_BATCH : n ? n : 1;
}

static int run(const struct word_list *words, const struct ms_object_search *search)
{
    static struct asking a; /* large: it holds the output buffer */
    struct ms_error err;
    const char *path = opt.object;
    if (!jobs_read(opt.jobs, &a.n_workers))
        return args_misused(&command, JOBS_WRONG);
    if (!memory_read(opt.max_mem, &a.max_memory))
        return args_misused(&command, MAX_MEM_WRONG);
    int status = input_path(&path);
    if (status != EXIT_DONE)
        return status;
    memory_limit(opt.max_mem, a.max_memory, &a.n_workers);
    struct ms_image_choice choice = {path, opt.arch, NULL, false};
    if (ms_image_open(&choice, &a.image, &err) != MS_OK)
        return complain_error(&err);
    ms_image_set_object_search(a.image, search);
    ms_image_set_workers(a.image, a.n_workers);
    ms_image_set_max_memory(a.image, a.max_memory);
    a.max_batch = batch_within(a.max_memory);
    ms_image_info(a.image, &a.info);
    if (input_shown(path) != path)
        a.info.name = "standard input";
    warn_of_image(&a.info);
    if (opt.load.given)
        a.slide = ms_slide(opt.load.value, a.info.text_vm);
    else if (opt.text_exec.given)
        a.slide = ms_slide(opt.text_exec.value, a.info.text_exec_vm);
    else if (opt.slide.given)
        a.slide = opt.slide.value;
    out_stdout(&a.out);
    size_t n_place = 0;
    char *place = atos_place(&a.info, &n_place);
    a.printer = (struct atos_printer){
        .image = a.image,
        .info = &a.info,
        .slide = a.slide,
        .style = {opt.full_path, opt.names.mangled, name_style(&opt.names)},
        .sink = &a.out.sink,
        .unread = &a.unread,
        .delimiter = opt.delimiter,
        .inlines = opt.inlines,
        .json = opt.json,
        .dedup = opt.dedup,
        .verbose = opt.verbose,
        .place = place,
        .n_place = n_place,
    };
    if (opt.print_header && !opt.json)
        print_header(&a);
    if (!place) {
        status = complain_memory();
    } else if (ms_show_pool_open(&a.printer.pool, &err) == MS_OK) {
        if (a.max_memory)
            ms_show_pool_set_max(a.printer.pool, a.max_memory / 8);
        status = ask(&a, words);
    } else {
        status = complain_error(&err);
    }
    status = out_finish(&a.out, status, true);
    ms_answers_fini(&a.one);
    unread_names_fini(&a.unread);
    ms_show_pool_close(a.printer.pool);
    free(place);
    ms_image_close(a.image);
    return status;
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    struct prefixes prefixes = {NULL, NULL};
    struct ms_object_search search = {NULL, 0, NULL};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN)
        status = check_usage(&words);
    if (status == ARGS_RUN)
        status = prefixes_read(&prefixes, &command, &opt.prefixes, &search);
    if (status == ARGS_RUN)
        status = run(&words, &search);
    prefixes_fini(&prefixes);
    word_list_fini(&opt.prefixes);
    word_list_fini(&words);
    return status;
}
