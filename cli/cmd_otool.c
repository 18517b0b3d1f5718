/*
 * machsym otool: headers, load commands, libraries, sections and code, as cctools' otool shows
 * them.
 */
#include "common/answer_json.h"
#include "common/console.h"
#include "common/otool_show.h"

#include <string.h>
#include <time.h>

static struct otool_wanted opt;

static const char *unused_section;
static bool no_effect;

static struct option options[] = {
    {"-h", NULL, OPTION_FLAG, &opt.header, NULL, "the Mach-O header", NULL},
    {"-l", NULL, OPTION_FLAG, &opt.commands, NULL, "the load commands", NULL},
    {"-L", NULL, OPTION_FLAG, &opt.libraries, NULL, "the libraries it loads", NULL},
    {"-D", NULL, OPTION_FLAG, &opt.id, NULL, "its own name as a library", NULL},
    {"-f", NULL, OPTION_FLAG, &opt.fat, NULL, "the header of a universal file", NULL},
    {"-a", NULL, OPTION_FLAG, &opt.archive, NULL, "the headers of an archive's members", NULL},
    {"-t", NULL, OPTION_FLAG, &opt.text, NULL, "the section (__TEXT,__text)", NULL},
    {"-x", NULL, OPTION_FLAG, &opt.all_text, NULL, "every section called __text", NULL},
    {"-d", NULL, OPTION_FLAG, &opt.data, NULL, "the section (__DATA,__data)", NULL},
    {"-s", NULL, OPTION_TEXT, &unused_section, "SEG SECT", "this section", NULL},
    {"-P", NULL, OPTION_FLAG, &opt.plist, NULL, "the text of (__TEXT,__info_plist)", NULL},
    {"-I", NULL, OPTION_FLAG, &opt.indirect, NULL, "the indirect symbols", NULL},
    {"-G", NULL, OPTION_FLAG, &opt.table, NULL, "the table of data in code", NULL},
    {"-v", NULL, OPTION_FLAG, &opt.verbose, NULL, "names for numbers, code as instructions", NULL},
    {"-V", NULL, OPTION_FLAG, &opt.very_verbose, NULL, "the same, and symbols", NULL},
    {"-p", NULL, OPTION_TEXT, &opt.from, "NAME", "code from this symbol on", NULL},
    {"--start", NULL, OPTION_HEX, &opt.start, "ADDRESS", "code from this address on", NULL},
    {"--stop", NULL, OPTION_HEX, &opt.stop, "ADDRESS", "code up to this address", NULL},
    {"--lookup", NULL, OPTION_HEX, &opt.lookup, "ADDRESS",
     "the instruction there, with its function and source lines", NULL},
    {"-j", NULL, OPTION_FLAG, &opt.opcodes, NULL, "the bytes of instructions, too", NULL},
    {"-X", NULL, OPTION_FLAG, &opt.bare, NULL, "no headings and no addresses", NULL},
    {"-m", NULL, OPTION_FLAG, &opt.no_member, NULL, "FILE(MEMBER) is a file's name as it stands",
     NULL},
    {"-mcpu", NULL, OPTION_TEXT, &opt.cpu, "CPU",
     "of ARM this processor's instructions alone: -mcpu=CPU", NULL},
    {"-q", NULL, OPTION_FLAG, &no_effect, NULL, "no effect: LLVM's disassembler is the only one",
     NULL},
    {"-Q", NULL, OPTION_FLAG, &no_effect, NULL, "no effect", NULL},
    {"-arch", NULL, OPTION_LIST, &opt.archs, "ARCH", "this slice (all: every slice); may repeat",
     NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL,
     "one JSON document, of -h -l -L -D -f -s --lookup", NULL},
};

static const char *const usage[] = {"otool [options] FILE…", NULL};

static const struct command command = {
    "otool",
    "Shows headers, load commands, libraries and sections",
    usage,
    options,
    sizeof options / sizeof *options,
    "Letters may be joined: -hlv. FILE is a Mach-O file, thin or universal, a static archive, a\n"
    "member of one, ARCHIVE(MEMBER), or a bundle, whose main binary is meant. Of a universal file\n"
    "every slice is shown unless -arch chooses.",
};

/* ---- the command line ---------------------------------------------------------------------- */

/* Letters that may stand together behind one dash. */
static const char LETTERS[] = "hlLDfatxdPIGvVjXmqQ";

/* cctools' other letters, and what says something of the same. */
static const struct refused {
    char letter;
    const char *what, *instead;
} REFUSED[] = {
    {'o', "the Objective-C metadata", "machsym objc FILE shows it"},
    {'r', "the relocation entries", "-tV shows the names they give to operands"},
    {'S', "an archive's table of contents", "-a shows its members, machsym nm their symbols"},
    {'T', "an old library's table of contents", "machsym nm -g shows what it exports"},
    {'M', "an old library's module table", "machsym nm shows its symbols"},
    {'R', "an old library's reference table", "machsym nm -u shows what it refers to"},
    {'H', "the two-level hints", "-l shows where they lie, machsym nm -m the library of each name"},
    {'C', "the linker's optimization hints", "-l shows where they lie"},
    {'c', "the arguments in a core file", "-l shows its threads and segments"},
};

/* The first letter of a word of letters that is cctools' and not ours; NULL. */
static const struct refused *find_refused(const char *word)
{
    const struct refused *found = NULL;
    if (word[0] != '-' || strcmp(word, "-arch") == 0)
        return NULL;
    for (const char *c = word + 1; *c; c++) {
        bool known = strchr(LETTERS, *c) != NULL;
        for (size_t i = 0; i < sizeof REFUSED / sizeof *REFUSED && !known; i++) {
            known = REFUSED[i].letter == *c;
            if (known && !found)
                found = &REFUSED[i];
        }
        if (!known)
            return NULL;
    }
    return found;
}

static bool is_joined(const char *word)
{
    return word[0] == '-' && word[1] && word[2] && strspn(word + 1, LETTERS) == strlen(word + 1);
}

/*
 * Takes what the table of options can't say out of the command line: joined letters become
 * words of their own, and -s has two arguments. Returns ARGS_RUN or an exit status; *list is
 * argv[1...] then.
 */
static int spread(int argc, char **argv, struct word_list *list)
{
    static const char *const single[] = {"-h", "-l", "-L", "-D", "-f", "-a", "-t", "-x", "-d", "-P",
                                         "-I", "-G", "-v", "-V", "-j", "-X", "-m", "-q", "-Q"};
    bool ended = false, ok = word_list_push(list, argv[0]);
    for (int i = 1; i < argc && ok; i++) {
        ended = ended || strcmp(argv[i], "--") == 0;
        const struct refused *refused = ended ? NULL : find_refused(argv[i]);
        if (refused)
            return args_misused(&command, "-%c, %s, isn't taken: %s", refused->letter,
                                refused->what, refused->instead);
        if (!ended && strcmp(argv[i], "-s") == 0) {
            if (i + 2 >= argc)
                return args_misused(&command, "-s needs a segment and a section");
            if (opt.section)
                return args_misused(&command, "-s can be given once");
            opt.segment = argv[++i];
            opt.section = argv[++i];
        } else if (!ended && strncmp(argv[i], "-mcpu=", 6) == 0) {
            opt.cpu = argv[i] + 6;
            if (!opt.cpu[0])
                return args_misused(&command, "-mcpu= needs a processor");
        } else if (!ended && is_joined(argv[i])) {
            for (const char *c = argv[i] + 1; *c && ok; c++)
                ok = word_list_push(list, single[strchr(LETTERS, *c) - LETTERS]);
        } else {
            ok = word_list_push(list, argv[i]);
        }
    }
    if (ok)
        return ARGS_RUN;
    complain("out of memory");
    return EXIT_SYSTEM;
}

static bool wants_range(void)
{
    return opt.start.given || opt.stop.given || opt.lookup.given;
}

static int check_options(void)
{
    const bool whole = opt.text || (wants_range() && !opt.lookup.given) || opt.from;
    /* These ask for code whatever else is given. */
    if (wants_range() || opt.from) {
        opt.very_verbose = true;
        opt.text = opt.text || !(opt.all_text || opt.section);
    }
    opt.verbose = opt.verbose || opt.very_verbose;
    bool one = opt.header || opt.commands || opt.libraries || opt.id || opt.text || opt.all_text ||
               opt.data || opt.indirect || opt.table || opt.plist || opt.section;
    if (!one && !opt.fat && !opt.archive)
        return args_misused(&command, "what of it? One of -f -a -h -l -L -D -t -x -d -s -P -I -G");
    if (opt.json && (opt.archive || whole || opt.all_text || opt.data || opt.indirect ||
                     opt.table || opt.plist))
        return args_misused(&command, "--json is for -h -l -L -D -f -s and --lookup");
    if (opt.start.given && opt.stop.given && opt.stop.value <= opt.start.value)
        return args_misused(&command, "--stop must lie behind --start");
    for (size_t i = 0; i < opt.archs.n; i++)
        opt.all_archs = opt.all_archs || strcmp(opt.archs.items[i], "all") == 0;
    /* As cctools has it. */
    if (opt.section && strcmp(opt.segment, "__TEXT") == 0 && strcmp(opt.section, "__text") == 0 &&
        !opt.json) {
        opt.text = true;
        opt.section = NULL;
    } else if (opt.section && opt.verbose && strcmp(opt.segment, "__TEXT") == 0 &&
               strcmp(opt.section, "__info_plist") == 0 && !opt.json) {
        opt.plist = true;
        opt.section = NULL;
    }
    return ARGS_RUN;
}

static void local_date(int64_t seconds, char text[32])
{
    time_t time = (time_t)seconds;
    struct tm parts;
    text[0] = 0;
    if (localtime_r(&time, &parts))
        strftime(text, 32, "%a %b %e %H:%M:%S %Y", &parts);
}

/* ---- start --------------------------------------------------------------------------------- */

static int show_all(const struct word_list *words)
{
    static struct otool_run run; /* large: it holds the output buffer */
    run.want = &opt;
    out_stdout(&run.out);
    run.style = (struct ms_otool_style){opt.verbose, opt.very_verbose, opt.bare, local_date};
    run.to = (struct ms_otool_out){&run.out.sink, opt.json ? &run.json : NULL, &run.style};
    if (opt.json)
        json_list(&run.json, &run.out.sink, "files");
    for (size_t i = 0; i < words->n && !run.out.sink.failed; i++)
        otool_show_operand(&run, words->items[i]);
    if (opt.json)
        json_list_end(&run.json);
    return out_finish(&run.out, run.status, true);
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0}, list = {NULL, 0, 0};
    console_start("otool");
    int status = spread(argc, argv, &list);
    if (status == ARGS_RUN)
        status = args_parse(&command, (int)list.n, (char **)(uintptr_t)list.items, &words);
    if (status == ARGS_RUN && !words.n)
        status = args_misused(&command, "which file?");
    if (status == ARGS_RUN)
        status = check_options();
    if (status == ARGS_RUN)
        status = show_all(&words);
    word_list_fini(&words);
    word_list_fini(&list);
    word_list_fini(&opt.archs);
    return status;
}
