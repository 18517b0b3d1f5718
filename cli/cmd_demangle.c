/*
 * machsym demangle: mangled names as people read them, of the command line or wherever they
 * stand in any text.
 */
#include "common/args.h"
#include "common/console.h"
#include "common/name_fan.h"
#include "common/name_set.h"
#include "common/names.h"
#include "common/out.h"
#include "machsym/demangle.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum demangler { DEMANGLER_OWN, DEMANGLER_SYSTEM };
static const char *const demanglers[] = {"own", "system", NULL};

static struct {
    bool simplified, no_params, fold, json, verbose;
    int demangler;
} opt;

static struct option options[] = {
    {"--simplified", NULL, OPTION_FLAG, &opt.simplified, NULL,
     "Swift names as crash reports have them, without modules and types", NULL},
    {"--no-params", NULL, OPTION_FLAG, &opt.no_params, NULL, "functions without parameters", NULL},
    {"--fold-thunks", NULL, OPTION_FLAG, &opt.fold, NULL, FOLD_THUNKS_HELP, NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON object a line for each name", NULL},
    {"--verbose", NULL, OPTION_FLAG, &opt.verbose, NULL, VERBOSE_HELP, NULL},
    {"--demangler", NULL, OPTION_CHOICE, &opt.demangler, "WHICH",
     "own (the default), or system: those of macOS, there alone", demanglers},
};

static const char *const usage[] = {"demangle [options] [NAME…]", NULL};

static const struct command command = {
    "demangle",
    "Makes mangled Swift, C++ and Rust names readable",
    usage,
    options,
    sizeof options / sizeof *options,
    "Without a NAME, or where it is `-`, standard input is passed on, and every mangled name in "
    "it\n"
    "is replaced by what it means, wherever it stands and with or without Mach-O's underscore.",
};

enum {
    SAID_BYTES = 600 /* of a name on stderr */
};

struct run {
    struct out out;
    struct ms_name_filter *filter;
    struct name_fan fan;
    struct ms_system_demangler *system;
    ms_demangler demangle;
    unsigned style;
    size_t found;         /* names, since this was last set to 0 */
    struct name_set said; /* names that were said to be unreadable */
    char *text;           /* what a word of the command line means */
};

static int out_of_memory(void)
{
    complain("out of memory");
    return EXIT_SYSTEM;
}

/* ---- what is found ------------------------------------------------------------------------ */

static const char *scheme_text(enum ms_mangling mangling)
{
    static const char *const texts[] = {NULL, "itanium", "rust-legacy", "rust-v0", "swift"};
    return texts[mangling];
}

static void flag(struct ms_json *json, const char *key, bool value)
{
    if (value)
        ms_json_field_bool(json, key, true);
}

/* In JSON a name is what it is without Mach-O's underscore, which only a symbol table has. */
static void strip_underscore(struct ms_found_name *name)
{
    static const char *const with[] = {"_$", "__T", "__Z", "__R", "_@", "____Z"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++)
        if (name->n > strlen(with[i]) && memcmp(name->mangled, with[i], strlen(with[i])) == 0) {
            name->mangled++;
            name->n--;
            return;
        }
}

static void print_json(struct run *run, struct ms_found_name name)
{
    struct ms_name what;
    struct ms_json json;
    char why[NAME_FAULT_ROOM];
    strip_underscore(&name);
    ms_demangle_describe(name.mangled, name.n, &what);
    ms_json_init(&json, &run->out.sink, 0);
    ms_json_object(&json);
    ms_json_key(&json, "mangled");
    ms_json_string_n(&json, name.mangled, name.n);
    ms_json_field(&json, "demangled", name.demangled);
    ms_json_field(&json, "scheme", scheme_text(what.mangling));
    if (what.kind != MS_NAME_OTHER)
        ms_json_field(&json, "kind", ms_name_kind_text(what.kind));
    ms_json_field(&json, "module", what.module[0] ? what.module : NULL);
    flag(&json, "static", what.is_static);
    flag(&json, "thunk", what.thunk);
    flag(&json, "async_resume", what.async_resume);
    flag(&json, "specialized", what.specialized);
    flag(&json, "merged", what.merged);
    flag(&json, "outlined", what.outlined);
    if (!name.demangled && what.fault.kind != MS_NAME_FINE)
        ms_json_field(&json, "error", name_fault_text(&what.fault, why));
    ms_json_object_end(&json);
    ms_sink_puts(&run->out.sink, "\n");
}

static bool on_text(void *to, const char *bytes, size_t n)
{
    struct run *run = to;
    if (!opt.json)
        ms_sink_write(&run->out.sink, bytes, n);
    return !run->out.sink.failed;
}

static bool on_name(void *to, const struct ms_found_name *name)
{
    struct run *run = to;
    run->found++;
    if (opt.json)
        print_json(run, *name);
    else
        ms_sink_plain_n(&run->out.sink, name->demangled, name->n_demangled);
    return !run->out.sink.failed;
}

/* Says once why a name can't be read. */
static bool on_unread(void *to, const struct ms_found_name *name)
{
    struct run *run = to;
    struct ms_name what;
    char why[NAME_FAULT_ROOM];
    if (!name_set_add(&run->said, name->mangled, name->n))
        return true;
    ms_demangle_describe(name->mangled, name->n, &what);
    bool cut = name->n > SAID_BYTES;
    complain("%.*s%s: %s", (int)(cut ? SAID_BYTES : name->n), name->mangled, cut ? "..." : "",
             what.fault.kind == MS_NAME_FINE ? "not understood"
                                             : name_fault_text(&what.fault, why));
    return true;
}

/* ---- the command line --------------------------------------------------------------------- */

/* What the word means as a whole, in run->text. False when it is no name; *status says so when
 * that is for want of memory. */
static bool read_word(struct run *run, const char *word, struct ms_found_name *name, int *status)
{
    size_t n = strlen(word), room = 4096;
    for (;;) {
        char *text = realloc(run->text, room);
        if (!text) {
            *status = out_of_memory();
            return false;
        }
        run->text = text;
        size_t length = run->demangle(run->system, word, n, run->style, text, room);
        *name = (struct ms_found_name){word, n, length ? text : NULL, length};
        if (length < room)
            return length > 0;
        room = length + 1;
    }
}

/* A name that lost its '$' to the shell, put together again; NULL when the word is none. */
static char *with_dollar(const char *word)
{
    size_t n = strlen(word);
    if ((word[0] != 's' && word[0] != 'S' && word[0] != 'e') || word[1] < '0' || word[1] > '9')
        return NULL;
    char *name = malloc(n + 2);
    if (name) {
        name[0] = '$';
        memcpy(name + 1, word, n + 1);
    }
    return name;
}

static bool has_blank(const char *word)
{
    for (; *word; word++)
        if ((unsigned char)*word <= ' ')
            return true;
    return false;
}

/* Not a name as a whole: a text that may hold some. */
static bool filter_word(struct run *run, const char *word)
{
    run->found = 0;
    if (!ms_name_filter_feed(run->filter, word, strlen(word)) ||
        !ms_name_filter_finish(run->filter))
        return false;
    if (opt.json && !run->found)
        print_json(run, (struct ms_found_name){word, strlen(word), NULL, 0});
    return true;
}

static int do_word(struct run *run, const char *word)
{
    struct ms_found_name name;
    int status = EXIT_DONE;
    bool read = !has_blank(word) && read_word(run, word, &name, &status);
    char *whole = read || status != EXIT_DONE ? NULL : with_dollar(word);
    if (whole)
        read = read_word(run, whole, &name, &status);
    if (status == EXIT_DONE) {
        if (read)
            on_name(run, &name);
        else
            filter_word(run, word);
        if (!opt.json)
            ms_sink_write(&run->out.sink, "\n", 1);
    }
    free(whole);
    return status;
}

/* ---- standard input ----------------------------------------------------------------------- */

static bool is_idle(int fd)
{
    struct pollfd one = {fd, POLLIN, 0};
    return poll(&one, 1, 0) == 0;
}

static bool feed(struct run *run, const char *bytes, size_t n)
{
    /* One thread where what is found is told one by one. */
    bool alone = opt.json || opt.verbose || opt.demangler == DEMANGLER_SYSTEM;
    return (alone ? ms_name_filter_feed(run->filter, bytes, n)
                  : name_fan_feed(&run->fan, bytes, n)) &&
           !run->out.sink.failed;
}

/*
 * Passes it on in large pieces; what was found is shown before waiting for more. Into *bytes goes
 * as much as there is at the moment, up to a piece.
 */
static int do_input(struct run *run)
{
    size_t room = name_fan_piece(&run->fan), have = 0;
    char *bytes = malloc(room);
    if (!bytes)
        return out_of_memory();
    int status = EXIT_DONE;
    for (bool more = true; more;) {
        bool idle = is_idle(STDIN_FILENO);
        if (have && (idle || have == room)) {
            more = feed(run, bytes, have);
            have = 0;
        }
        if (idle)
            out_flush(&run->out);
        ssize_t got = more ? read(STDIN_FILENO, bytes + have, room - have) : 0;
        if (got < 0 && console_wait(STDIN_FILENO, false))
            continue;
        if (got < 0) {
            complain("standard input: cannot be read: %s", strerror(errno));
            status = EXIT_INPUT;
        }
        if (got > 0)
            have += (size_t)got;
        else
            more = false;
    }
    if (have)
        feed(run, bytes, have);
    ms_name_filter_finish(run->filter);
    free(bytes);
    return status;
}

/* ---- start -------------------------------------------------------------------------------- */

static size_t own_demangle(void *to, const char *name, size_t n, unsigned style, char *text,
                           size_t room)
{
    (void)to;
    return ms_demangle(name, n, style, text, room);
}

static int open_system(struct run *run)
{
    struct ms_error err;
    enum ms_status status = ms_system_demangler_open(&run->system, &err);
    if (status == MS_E_UNSUPPORTED)
        return args_misused(&command, "--demangler=system: %s", err.text);
    if (status != MS_OK)
        return complain_error(&err);
    if (run->style & ~ms_system_demangler_styles(run->system))
        return args_misused(&command, "--demangler=system has no such form of names");
    run->demangle = ms_system_demangle;
    return ARGS_RUN;
}

static int prepare(struct run *run)
{
    run->style = (opt.simplified ? MS_DEMANGLE_SIMPLIFIED : 0u) |
                 (opt.no_params ? MS_DEMANGLE_NO_PARAMS : 0u) | (opt.fold ? MS_DEMANGLE_FOLD : 0u);
    run->demangle = own_demangle;
    int status = opt.demangler == DEMANGLER_SYSTEM ? open_system(run) : ARGS_RUN;
    if (status != ARGS_RUN)
        return status;
    struct ms_name_filter_sink sink = {run, on_text, on_name, opt.verbose ? on_unread : NULL};
    run->filter = ms_name_filter_open(&sink, run->style, run->demangle, run->system);
    if (!run->filter)
        return out_of_memory();
    name_fan_init(&run->fan, run->filter, &run->out.sink, run->style);
    return ARGS_RUN;
}

static int answer(struct run *run, const struct word_list *words)
{
    out_stdout(&run->out);
    int status = EXIT_DONE;
    if (!words->n)
        status = do_input(run);
    for (size_t i = 0; i < words->n && !run->out.sink.failed; i++) {
        bool input = strcmp(words->items[i], "-") == 0;
        status = worse(status, input ? do_input(run) : do_word(run, words->items[i]));
    }
    return out_finish(&run->out, status, true);
}

int main(int argc, char **argv)
{
    static struct run run; /* large: it holds the output buffer */
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN)
        status = prepare(&run);
    if (status == ARGS_RUN)
        status = answer(&run, &words);
    name_fan_fini(&run.fan);
    ms_name_filter_close(run.filter);
    ms_system_demangler_close(run.system);
    name_set_fini(&run.said);
    free(run.text);
    word_list_fini(&words);
    return status;
}
