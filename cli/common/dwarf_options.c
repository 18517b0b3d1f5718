#include "common/dwarf_options.h"

#include "common/console.h"
#include "common/prefixes.h"

#include <stdlib.h>
#include <string.h>

static struct dwarf_options opt;

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "this slice alone", NULL},
    {"--debug-info", NULL, OPTION_FLAG, &opt.info, NULL, "the tree of DIEs; the default", NULL},
    {"-n", "--name", OPTION_LIST, &opt.names, "NAME",
     "of the tree only the DIEs of this name, with what they stand in and what is in them", NULL},
    {"-f", "--find", OPTION_LIST, &opt.names, "NAME", "the same", NULL},
    {"--debug-line", NULL, OPTION_FLAG, &opt.line, NULL, "the line tables", NULL},
    {"-a", "--all", OPTION_FLAG, &opt.all, NULL, "--debug-info and --debug-line", NULL},
    {"--lookup", NULL, OPTION_LIST, &opt.lookups, "ADDRESS",
     "all that is known of an address (as linked, hexadecimal)", NULL},
    {"--statistics", NULL, OPTION_FLAG, &opt.statistics, NULL,
     "how much of the code has a name and a line, and what the units are", NULL},
    {"--oso-prefix-map", NULL, OPTION_LIST, &opt.prefixes, "FROM=TO", OSO_PREFIX_MAP_HELP, NULL},
    {"-u", "--uuid", OPTION_FLAG, &opt.uuid, NULL, "the UUID of every slice", NULL},
    {"--verify", NULL, OPTION_FLAG, &opt.verify, NULL,
     "run LLVM's DWARF verifier (dwarfdump --verify)", NULL},
    {"--quiet", NULL, OPTION_FLAG, &opt.quiet, NULL, "with --verify: the exit status alone", NULL},
    {"-v", "--verbose", OPTION_FLAG, &opt.verbose, NULL,
     "with --verify --json: LLVM's report on stderr", NULL},
    {"-c", "--show-children", OPTION_FLAG, &opt.around, NULL, "always so, with --name", NULL},
    {"-p", "--show-parents", OPTION_FLAG, &opt.around, NULL, "always so, with --name", NULL},
    {"--full-names", NULL, OPTION_FLAG, &opt.style.full, NULL, FULL_NAMES_HELP, NULL},
    {"--no-demangle", NULL, OPTION_FLAG, &opt.style.mangled, NULL, "leave names mangled", NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"dwarf [options] FILE…", NULL};

static const struct command command = {
    "dwarf",
    "Looks inside debug information",
    usage,
    options,
    sizeof options / sizeof *options,
    "FILE is a Mach-O file with debug information, a dSYM, a binary or bundle with its dSYM "
    "beside\n"
    "it, a static archive, or one member of it: 'libz.a(a.o)'. All slices and members are shown "
    "one\n"
    "after the other; --lookup needs one slice. Of an image with a debug map alone, --lookup, "
    "--name\n"
    "and --statistics go through the objects that it was linked from; all else names them.",
};

/* ---- dwarfdump's words ----------------------------------------------------------------------- */

#define SHOWN_RAW "llvm-dwarfdump shows that section; its bytes: machsym otool -s __DWARF SECTION"
#define IN_THE_TREE "the tree of --debug-info shows it where it belongs"
#define ONE_PART "--name NAME and --lookup ADDRESS show a part of it"

static const struct {
    const char *word, *instead;
} foreign[] = {
    {"--apple-names", SHOWN_RAW},
    {"--apple-namespaces", SHOWN_RAW},
    {"--apple-objc", SHOWN_RAW},
    {"--apple-types", SHOWN_RAW},
    {"--debug-abbrev", SHOWN_RAW},
    {"--debug-addr", SHOWN_RAW},
    {"--debug-aranges", SHOWN_RAW},
    {"--debug-cu-index", SHOWN_RAW},
    {"--debug-frame", SHOWN_RAW},
    {"--debug-gnu-pubnames", SHOWN_RAW},
    {"--debug-gnu-pubtypes", SHOWN_RAW},
    {"--debug-line-str", SHOWN_RAW},
    {"--debug-loc", IN_THE_TREE},
    {"--debug-loclists", IN_THE_TREE},
    {"--debug-macro", SHOWN_RAW},
    {"--debug-names", SHOWN_RAW},
    {"--debug-pubnames", SHOWN_RAW},
    {"--debug-pubtypes", SHOWN_RAW},
    {"--debug-ranges", IN_THE_TREE},
    {"--debug-rnglists", IN_THE_TREE},
    {"--debug-str", SHOWN_RAW},
    {"--debug-str-offsets", SHOWN_RAW},
    {"--debug-tu-index", SHOWN_RAW},
    {"--debug-types", IN_THE_TREE},
    {"--eh-frame", SHOWN_RAW},
    {"--gdb-index", SHOWN_RAW},
    {"-F", "llvm-dwarfdump shows the forms of attributes"},
    {"--show-form", "llvm-dwarfdump shows the forms of attributes"},
    {"--show-section-sizes", "--statistics has them"},
    {"--show-sources", "--statistics --json and --debug-line have them"},
    {"--diff", "llvm-dwarfdump has it"},
    {"--summarize-types", "llvm-dwarfdump has it"},
    {"-r", "--name NAME shows everything in a DIE"},
    {"--recurse-depth", "--name NAME shows everything in a DIE"},
    {"--parent-recurse-depth", "--name NAME shows everything that a DIE stands in"},
    {"-x", "llvm-dwarfdump has it; --name takes whole names"},
    {"--regex", "llvm-dwarfdump has it; --name takes whole names"},
    {"-i", "llvm-dwarfdump has it; --name minds upper and lower case"},
    {"--ignore-case", "llvm-dwarfdump has it; --name minds upper and lower case"},
    {"-o", "the shell's > FILE does that"},
    {"--out-file", "the shell's > FILE does that"},
    {"--verify-json", "--verify --json has the verdict"},
    {"--error-display", "--verify shows everything, --quiet nothing"},
};

/* Both "-debug-abbrev" and "--debug-abbrev", as LLVM takes them; behind a '=' may be more. */
static bool is_word(const char *word, const char *given, bool *has_value)
{
    size_t dashes = strspn(given, "-");
    const char *bare = word + strspn(word, "-");
    size_t n = strlen(bare);
    if (!dashes || dashes > 2 || (n == 1 && dashes != 1) || strncmp(given + dashes, bare, n) != 0)
        return false;
    *has_value = given[dashes + n] == '=';
    return *has_value || !given[dashes + n];
}

/* Does the word belong to the option before it? */
static bool is_taken(const char *before)
{
    for (size_t i = 0; i < command.n_options; i++) {
        const struct option *o = &options[i];
        bool has_value = false;
        if (o->kind != OPTION_FLAG && (is_word(o->name, before, &has_value) ||
                                       (o->alias && is_word(o->alias, before, &has_value))))
            return !has_value;
    }
    return false;
}

/* Says what there is instead of dwarfdump's options that this command lacks. */
static int refuse_foreign(int argc, char **argv)
{
    bool has_value;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (i > 1 && is_taken(argv[i - 1]))
            continue;
        if (is_word("--debug-info", argv[i], &has_value) && has_value)
            return args_misused(&command, "--debug-info takes no offset here: " ONE_PART);
        if (is_word("--debug-line", argv[i], &has_value) && has_value)
            return args_misused(&command,
                                "--debug-line takes no offset here: it shows every table");
        for (size_t k = 0; k < sizeof foreign / sizeof *foreign; k++)
            if (is_word(foreign[k].word, argv[i], &has_value))
                return args_misused(&command, "%s is not an option here: %s", foreign[k].word,
                                    foreign[k].instead);
    }
    return ARGS_RUN;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static int check_usage(const struct word_list *words)
{
    if (!words->n)
        return args_misused(&command, "which file?");
    opt.info |= opt.all;
    opt.line |= opt.all;
    bool others =
        opt.info || opt.line || opt.verify || opt.statistics || opt.lookups.n || opt.names.n;
    if (opt.uuid && others)
        return args_misused(&command, "--uuid stands alone");
    if (opt.quiet && !opt.verify)
        return args_misused(&command, "--quiet needs --verify");
    if (name_options_clash(&command, &opt.style))
        return EXIT_USAGE;
    opt.info |= opt.names.n || !others;
    return ARGS_RUN;
}

static int read_lookups(void)
{
    opt.addresses = calloc(opt.lookups.n + 1, sizeof *opt.addresses);
    if (!opt.addresses) {
        complain("out of memory");
        return EXIT_SYSTEM;
    }
    for (size_t i = 0; i < opt.lookups.n; i++)
        if (!parse_address(opt.lookups.items[i], true, &opt.addresses[i]))
            return args_misused(&command, "--lookup: '%s' is not an address", opt.lookups.items[i]);
    return ARGS_RUN;
}

int dwarf_options_read(struct dwarf_options *out, int argc, char **argv, struct word_list *words)
{
    console_start(command.name); /* for the messages that come before args_parse */
    int status = refuse_foreign(argc, argv);
    if (status == ARGS_RUN)
        status = args_parse(&command, argc, argv, words);
    if (status == ARGS_RUN)
        status = check_usage(words);
    if (status == ARGS_RUN)
        status = read_lookups();
    opt.command = &command;
    *out = opt;
    return status;
}

void dwarf_options_fini(struct dwarf_options *options_in)
{
    free(options_in->addresses);
    word_list_fini(&options_in->prefixes);
    word_list_fini(&options_in->lookups);
    word_list_fini(&options_in->names);
}
