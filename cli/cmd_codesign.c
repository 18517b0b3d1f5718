/*
 * machsym codesign: what the code signature of a binary says, its entitlements, whether it has
 * get-task-allow, and whether the file is still what was signed.
 */
#include "common/answer_json.h"
#include "common/args.h"
#include "common/codesign_show.h"
#include "common/console.h"
#include "common/input.h"
#include "common/out.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_V = 6 };

enum form { FORM_TREE, FORM_XML_OLD, FORM_TREE_WORD, FORM_XML, FORM_JSON, FORM_DER };
static const char *const forms[] = {"-", ":-", "tree", "xml", "json", "der", NULL};

static struct {
    const char *arch;
    bool display, verify, v, xml, requirements, get_task_allow, json;
    bool ignored; /* words such as -dvv, which expand_words has counted */
    int form;     /* enum form, or -1 */
    int n_v;
} opt = {.form = -1};

#define HIDDEN(name) {name, NULL, OPTION_FLAG, &opt.ignored, NULL, NULL, NULL}

static struct option options[] = {
    {"-arch", "-a", OPTION_TEXT, &opt.arch, "ARCH", "this slice alone", NULL},
    {"-d", "--display", OPTION_FLAG, &opt.display, NULL, "the lines of codesign -d", NULL},
    {"-v", "--verbose", OPTION_FLAG, &opt.v, NULL,
     "more lines: up to -dvvvvvv; without -d the same as --verify", NULL},
    {"--entitlements", NULL, OPTION_CHOICE, &opt.form, "[FORM]",
     "the entitlements: - or tree, :- or xml, json, der", forms},
    {"--xml", NULL, OPTION_FLAG, &opt.xml, NULL, "the entitlements as XML", NULL},
    {"--requirements", "-r-", OPTION_FLAG, &opt.requirements, NULL, "the requirements", NULL},
    {"--get-task-allow", NULL, OPTION_FLAG, &opt.get_task_allow, NULL,
     "print yes or no, and exit 0 or 1", NULL},
    {"--verify", NULL, OPTION_FLAG, &opt.verify, NULL,
     "compare the file with the hashes that were signed", NULL},
    {"--architecture", NULL, OPTION_TEXT, &opt.arch, NULL, NULL, NULL},
    HIDDEN("--deep"),
    HIDDEN("--strict"),
    HIDDEN("--no-strict"),
    HIDDEN("--all-architectures"),
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
    HIDDEN("-vv"),
    HIDDEN("-vvv"),
    HIDDEN("-vvvv"),
    HIDDEN("-vvvvv"),
    HIDDEN("-vvvvvv"),
    HIDDEN("-dv"),
    HIDDEN("-dvv"),
    HIDDEN("-dvvv"),
    HIDDEN("-dvvvv"),
    HIDDEN("-dvvvvv"),
    HIDDEN("-dvvvvvv"),
};

static const char *const usage[] = {"codesign [options] FILE…", NULL};

static const struct command command = {
    "codesign",
    "Prints what the code signature of a binary says",
    usage,
    options,
    sizeof options / sizeof *options,
    "FILE is a Mach-O file, thin or fat, or a bundle, whose main binary is meant. Every slice is\n"
    "shown. Exit status 1: not signed, --verify found a difference, or no get-task-allow.\n"
    "Certificates are shown, not checked.",
};

struct run {
    struct out out;
    struct ms_json json;
    size_t n_reports;
    int status;
};

/* One FILE. */
struct subject {
    const char *path;             /* of the binary */
    char format[640], archs[400]; /* "x86_64, arm64" */
    bool is_fat, is_archive;
    struct input input;
    struct ms_bundle bundle; /* zeroed: none */
    struct input info, resources;
    struct ms_plist_tree *info_tree, *resources_tree;
    struct ms_codesign *first; /* whose entitlements were printed: those of other slices seldom
                                  differ */
    char first_arch[MS_ARCH_TEXT];
    size_t n_slices, n_shown;
};

static void note(struct run *run, int status)
{
    run->status = worse(run->status, status);
}

/* ---- one slice ------------------------------------------------------------------------------ */

static bool write_stderr(void *to, const char *bytes, size_t n)
{
    (void)to;
    return fwrite(bytes, 1, n, stderr) == n;
}

/* Lines that go beside an answer, as codesign has them. */
static void print_aside(const struct codesign_view *view)
{
    struct ms_sink aside = {.write = write_stderr};
    if (opt.display)
        codesign_lines(&aside, view, opt.n_v);
}

static void write_der(struct run *run, const struct codesign_view *view)
{
    const struct ms_codesign *sign = view->sign;
    for (size_t i = 0; i < sign->n_blobs; i++)
        if (sign->blobs[i].slot == MS_CSSLOT_ENTITLEMENTS_DER) {
            ms_sink_write(&run->out.sink, (const char *)sign->blobs[i].bytes.at + 8,
                          sign->blobs[i].bytes.n - 8);
            return;
        }
    complain("%s (%s): has no entitlements in DER", view->path, view->arch);
    note(run, EXIT_INPUT);
}

/* Entitlements of slices that are the same are printed once, so that a reader gets one list. */
static bool is_repeated(const struct subject *subject, const struct codesign_view *view,
                        const struct ms_plist *entitlements)
{
    char path[256];
    if (!subject->first)
        return false;
    const struct ms_plist *before = ms_codesign_entitlements(subject->first);
    if (!ms_plist_differ(before, entitlements, path, sizeof path))
        return true;
    warn("%s: the entitlements of %s differ from those of %s at '%s'; -arch picks one", view->path,
         view->arch, subject->first_arch, path);
    return false;
}

static void print_entitlements(struct run *run, const struct subject *subject,
                               const struct codesign_view *view)
{
    const struct ms_plist *entitlements = ms_codesign_entitlements(view->sign);
    print_aside(view);
    if (opt.form == FORM_DER) {
        write_der(run, view);
        return;
    }
    if (!entitlements) {
        if (!view->sign->has_xml && !view->sign->has_der)
            warn("%s (%s): has no entitlements", view->path, view->arch);
        return;
    }
    if (is_repeated(subject, view, entitlements))
        return;
    if (opt.form == FORM_JSON) {
        struct ms_json json;
        ms_json_init(&json, &run->out.sink, 2);
        ms_plist_write_json(&json, entitlements);
        ms_sink_puts(&run->out.sink, "\n");
    } else if (opt.xml || opt.form == FORM_XML || opt.form == FORM_XML_OLD) {
        ms_plist_write_xml(&run->out.sink, entitlements);
    } else {
        ms_plist_write_tree(&run->out.sink, entitlements);
    }
}

static void print_get_task_allow(struct run *run, const struct codesign_view *view)
{
    bool yes = view->sign && ms_codesign_get_task_allow(ms_codesign_entitlements(view->sign));
    if (view->is_fat && !opt.arch)
        ms_sink_printf(&run->out.sink, "%s: ", view->arch);
    ms_sink_puts(&run->out.sink, yes ? "yes\n" : "no\n");
}

static void print_mismatch(struct run *run, const struct codesign_view *view,
                           const struct ms_cs_mismatch *bad)
{
    const struct ms_code_directory *d = &view->sign->directories[bad->directory];
    const char *hash = ms_codesign_hash_name(d->hash_type);
    struct ms_sink *sink = &run->out.sink;
    if (bad->slot >= 0) {
        ms_sink_printf(sink,
                       "  page %lld: the 0x%llx bytes at 0x%llx are not what was signed (%s)\n",
                       (long long)bad->slot, (unsigned long long)bad->bytes,
                       (unsigned long long)bad->off, hash);
        return;
    }
    const char *name = ms_codesign_slot_name((uint32_t)-bad->slot);
    if (!ms_codesign_has_special(d, (uint32_t)-bad->slot))
        ms_sink_printf(sink, "  %s: was not signed, its hash is not in the code directory (%s)\n",
                       name, hash);
    else if (!bad->bytes)
        ms_sink_printf(sink, "  %s: is gone, its hash is in the code directory (%s)\n", name, hash);
    else
        ms_sink_printf(sink, "  %s: is not what was signed (%s)\n", name, hash);
}

static void print_check(struct run *run, const struct codesign_view *view)
{
    const struct ms_cs_check *check = view->check;
    struct ms_sink *sink = &run->out.sink;
    bool bad = check->n_bad || check->cms_differs;
    ms_sink_plain(sink, input_shown(view->path));
    if (!view->sign) {
        ms_sink_printf(sink, " (%s): not signed\n", view->arch);
        return;
    }
    ms_sink_printf(sink, " (%s): %s: %llu pages and %llu parts compared\n", view->arch,
                   bad                    ? "modified"
                   : !check->n_pages      ? "nothing to compare"
                   : view->sign->n_faults ? "malformed"
                                          : "intact",
                   (unsigned long long)check->n_pages, (unsigned long long)check->n_blobs);
    for (size_t i = 0; i < check->n_kept; i++)
        print_mismatch(run, view, &check->bad[i]);
    if (check->n_bad > check->n_kept)
        ms_sink_printf(sink, "  and %llu more\n",
                       (unsigned long long)(check->n_bad - check->n_kept));
    if (check->cms_differs)
        ms_sink_puts(sink, "  the CMS signature was made for another code directory\n");
}

/* The default: all that a person asks. */
static void print_report(struct run *run, const struct codesign_view *view)
{
    struct ms_sink *sink = &run->out.sink;
    if (run->n_reports++)
        ms_sink_puts(sink, "\n");
    ms_sink_plain(sink, input_shown(view->path));
    ms_sink_printf(sink, " (%s): %s\n", view->arch, codesign_kind_text(view->sign));
    if (!view->sign)
        return;
    codesign_lines(sink, view, 4);
    codesign_more_lines(sink, view);
}

static void print_unsigned(struct run *run, const struct codesign_view *view)
{
    note(run, EXIT_NO);
    if (opt.json)
        codesign_json(&run->json, view);
    else if (opt.get_task_allow)
        print_get_task_allow(run, view);
    else if (opt.display || opt.form >= 0 || opt.requirements)
        complain("%s (%s): code object is not signed at all", view->path, view->arch);
    else if (opt.verify)
        print_check(run, view);
    else
        print_report(run, view);
}

static void print_signed(struct run *run, const struct subject *subject,
                         const struct codesign_view *view)
{
    const struct ms_cs_check *check = view->check;
    if (opt.verify && (check->n_bad || check->cms_differs))
        note(run, EXIT_NO);
    if (opt.get_task_allow && !ms_codesign_get_task_allow(ms_codesign_entitlements(view->sign)))
        note(run, EXIT_NO);
    if (opt.json) {
        codesign_json(&run->json, view);
    } else if (opt.get_task_allow) {
        print_get_task_allow(run, view);
    } else if (opt.form >= 0) {
        print_entitlements(run, subject, view);
    } else if (opt.requirements) {
        print_aside(view);
        codesign_requirement_lines(&run->out.sink, view->sign);
    } else if (opt.verify) {
        print_check(run, view);
    } else if (opt.display) {
        codesign_lines(&run->out.sink, view, opt.n_v);
    } else {
        print_report(run, view);
    }
}

/* Says what is malformed, and where DER and XML say two things. */
static void tell_faults(struct run *run, const struct codesign_view *view)
{
    char path[256];
    const struct ms_codesign *sign = view->sign;
    for (size_t i = 0; i < sign->n_faults; i++)
        note(run, complain_error(&sign->faults[i]));
    if (sign->n_faults_more) {
        complain("%s (%s): and %zu more faults", view->path, view->arch, sign->n_faults_more);
        note(run, EXIT_INPUT);
    }
    if (sign->xml && sign->der && ms_plist_differ(sign->der, sign->xml, path, sizeof path))
        warn("%s (%s): the entitlements in DER and those in XML differ at '%s'; systems since "
             "macOS 12 believe the DER",
             view->path, view->arch, path);
}

/* The Info.plist of a binary without a bundle: in a section. */
static struct ms_bytes info_bytes(const struct subject *subject, const struct ms_macho *macho)
{
    struct ms_bytes bytes = subject->info.bytes;
    struct ms_error ignored;
    const struct ms_section *section = ms_macho_section(macho, "__TEXT", "__info_plist");
    if (!bytes.n && section && ms_macho_section_bytes(macho, section, &bytes, &ignored) != MS_OK)
        bytes.n = 0;
    return bytes;
}

static void show_signature(struct run *run, struct subject *subject, struct codesign_view *view,
                           struct ms_codesign *sign)
{
    struct ms_plist_tree *section_tree = NULL;
    struct ms_cs_check check;
    struct ms_error ignored;
    struct ms_cs_outside outside = {info_bytes(subject, view->macho), subject->resources.bytes,
                                    subject->bundle.binary != NULL};
    view->sign = sign;
    view->resources = subject->resources_tree ? ms_plist_root(subject->resources_tree) : NULL;
    if (subject->info_tree)
        view->info = ms_plist_root(subject->info_tree);
    else if (outside.info.n && ms_plist_parse(outside.info, "", &section_tree, &ignored) == MS_OK)
        view->info = ms_plist_root(section_tree);
    if (opt.verify) {
        ms_codesign_check(view->macho, sign, &outside, &check);
        view->check = &check;
    }
    print_signed(run, subject, view);
    tell_faults(run, view);
    ms_plist_close(section_tree);
    if (!subject->first && ms_codesign_entitlements(sign)) {
        subject->first = sign;
        snprintf(subject->first_arch, sizeof subject->first_arch, "%s", view->arch);
    } else {
        ms_codesign_close(sign);
    }
}

static void show_slice(struct run *run, struct subject *subject, const struct ms_slice *slice)
{
    static const struct ms_cs_check unchecked;
    struct ms_macho macho;
    struct ms_error err;
    struct ms_codesign *sign = NULL;
    char room[MS_ARCH_TEXT];
    const char *arch = ms_arch_text(slice->cputype, slice->cpusubtype, room);
    if (opt.arch && strcmp(opt.arch, arch) != 0 && slice->kind != MS_SLICE_ARCHIVE)
        return;
    subject->n_shown++;
    if (slice->kind == MS_SLICE_ARCHIVE) {
        if (!subject->is_archive)
            complain("%s: is a static archive: its members have no signatures", subject->path);
        subject->is_archive = true;
        note(run, EXIT_INPUT);
        return;
    }
    enum ms_status status = ms_macho_parse(slice->bytes, subject->path, &macho, &err);
    if (status != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    struct codesign_view view = {
        subject->path, arch, subject->format, subject->is_fat, &macho, NULL, NULL, NULL, NULL};
    status = ms_codesign_read(&macho, &sign, &err);
    if (macho.damage.status != MS_OK && (status == MS_OK || status == MS_ABSENT))
        note(run, complain_error(&macho.damage));
    if (status == MS_OK) {
        show_signature(run, subject, &view, sign);
    } else if (status == MS_ABSENT) {
        view.check = &unchecked;
        print_unsigned(run, &view);
    } else {
        note(run, complain_error(&err));
    }
    ms_macho_fini(&macho);
}

/* ---- one file ------------------------------------------------------------------------------- */

static void describe_format(struct subject *subject, const struct ms_fat *fat)
{
    char room[MS_ARCH_TEXT], archs[400] = "";
    const char *name = subject->path;
    bool is_app = subject->bundle.binary && strstr(name, ".app/");
    for (size_t i = 0; i < fat->n_slices; i++) {
        const struct ms_slice *slice = &fat->slices[i];
        const char *arch = ms_arch_text(slice->cputype, slice->cpusubtype, room);
        size_t n = strlen(archs), m = strlen(subject->archs);
        snprintf(archs + n, sizeof archs - n, "%s%s", i ? " " : "", arch);
        snprintf(subject->archs + m, sizeof subject->archs - m, "%s%s", i ? ", " : "", arch);
    }
    snprintf(subject->format, sizeof subject->format, "%sMach-O %s (%s)",
             !subject->bundle.binary ? ""
             : is_app                ? "app bundle with "
                                     : "bundle with ",
             fat->is_fat ? "universal" : "thin", archs);
}

static void show_file(struct run *run, struct subject *subject)
{
    struct ms_fat fat;
    struct ms_error err;
    if (ms_fat_parse(subject->input.bytes, subject->input.name, &fat, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    subject->is_fat = fat.n_slices > 1;
    describe_format(subject, &fat);
    for (size_t i = 0; i < fat.n_slices && !run->out.sink.failed; i++)
        show_slice(run, subject, &fat.slices[i]);
    if (!subject->n_shown) {
        complain("%s: has no %s slice; it has %s", subject->path, opt.arch, subject->archs);
        note(run, EXIT_INPUT);
    }
    ms_fat_fini(&fat);
}

/* A file beside the binary, which may be unreadable: then what it says is unknown. */
static void open_beside(struct run *run, const char *path, struct input *input,
                        struct ms_plist_tree **tree)
{
    struct ms_error err;
    if (!path)
        return;
    int status = input_open(input, path);
    if (status != EXIT_DONE)
        note(run, status);
    else if (ms_plist_parse(input->bytes, path, tree, &err) != MS_OK)
        note(run, complain_error(&err));
}

static bool find_binary(struct run *run, struct subject *subject, const char *operand)
{
    struct stat st;
    struct ms_error err;
    int status = input_path(&operand);
    subject->path = operand;
    if (status != EXIT_DONE) {
        note(run, status);
        return false;
    }
    if (stat(operand, &st) != 0 || !S_ISDIR(st.st_mode))
        return true;
    if (ms_bundle_find(operand, &subject->bundle, &err) != MS_OK) {
        note(run, complain_error(&err));
        return false;
    }
    subject->path = subject->bundle.binary;
    open_beside(run, subject->bundle.info, &subject->info, &subject->info_tree);
    open_beside(run, subject->bundle.resources, &subject->resources, &subject->resources_tree);
    return true;
}

static void show_operand(struct run *run, const char *operand)
{
    struct subject subject;
    memset(&subject, 0, sizeof subject);
    if (find_binary(run, &subject, operand)) {
        int status = input_open(&subject.input, subject.path);
        if (status != EXIT_DONE)
            note(run, status);
        else
            show_file(run, &subject);
        if (status == EXIT_DONE && !input_intact(&subject.input))
            note(run, EXIT_INPUT);
        input_close(&subject.input);
    }
    ms_codesign_close(subject.first);
    ms_plist_close(subject.info_tree);
    ms_plist_close(subject.resources_tree);
    input_close(&subject.info);
    input_close(&subject.resources);
    ms_bundle_fini(&subject.bundle);
}

/* ---- start ---------------------------------------------------------------------------------- */

static int show_all(const struct word_list *words)
{
    static struct run run; /* large: it holds the output buffer */
    out_stdout(&run.out);
    if (opt.json)
        json_list(&run.json, &run.out.sink, "slices");
    for (size_t i = 0; i < words->n && !run.out.sink.failed; i++)
        show_operand(&run, words->items[i]);
    if (opt.json)
        json_list_end(&run.json);
    return out_finish(&run.out, run.status, true);
}

static bool is_count(const char *text)
{
    size_t n = strspn(text, "0123456789");
    return n && n < 4 && !text[n];
}

/* "-r", "-dr", "-dvvr": the last letter takes the path that the requirements are written to. */
static bool asks_requirements(const char *word)
{
    size_t n = word[0] == '-' ? 1 + strspn(word + 1, "dv") : 0;
    return strcmp(word, "--requirements") == 0 || (n && strcmp(word + n, "r") == 0) ||
           (n > 1 && strcmp(word + n, "r-") == 0);
}

/* "-v", "-dvv", "--verbose=3": how many v; 0 for another word. */
static int count_v(const char *word)
{
    if (strncmp(word, "--verbose=", 10) == 0 && is_count(word + 10))
        return atoi(word + 10);
    if (strcmp(word, "--verbose") == 0)
        return 1;
    const char *v = word + (word[0] == '-') + (word[0] == '-' && word[1] == 'd');
    size_t n = strspn(v, "v");
    return v > word && n && !v[n] ? (int)n : 0;
}

/* `--entitlements` has a value where one of its own follows, which no other option can. */
static char *with_form(const char *next)
{
    static char words[][24] = {"--entitlements=-",   "--entitlements=:-",   "--entitlements=tree",
                               "--entitlements=xml", "--entitlements=json", "--entitlements=der"};
    for (int i = 0; next && forms[i]; i++)
        if (strcmp(next, forms[i]) == 0)
            return words[i];
    return NULL;
}

/*
 * Apple's words that a table of options can't hold: -v as often as one likes, -r and --entitlements
 * with a value that looks like an operand. Returns the new number of words.
 */
static int expand_words(int argc, char **argv)
{
    static char tree[] = "--entitlements=-", requirements[] = "-r-", verbose[] = "-v",
                strict[] = "--strict";
    int n = 1;
    for (int i = 1; i < argc; i++) {
        char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(word, "--") == 0) {
            while (i < argc)
                argv[n++] = argv[i++];
            break;
        }
        int v = count_v(word);
        opt.n_v += v;
        opt.display = opt.display || (v && word[1] == 'd');
        opt.v = opt.v || v;
        if (strncmp(word, "--verbose=", 10) == 0 && is_count(word + 10))
            word = verbose;
        else if (strncmp(word, "--strict=", 9) == 0)
            word = strict;
        bool is_apart = next && strcmp(next, "-") == 0;
        if (asks_requirements(word) && (is_apart || word[strlen(word) - 1] == '-')) {
            bool letters = word[1] != '-';
            opt.display |= letters && strchr(word, 'd');
            for (const char *c = word; letters && *c; c++)
                opt.n_v += *c == 'v';
            i += is_apart && word[strlen(word) - 1] != '-';
            word = requirements;
        } else if (strcmp(word, "--entitlements") == 0) {
            struct stat st;
            char *joined = with_form(next);
            /* A word that is neither a form nor a file, before another: a form misspelt, which
             * args_parse takes for the value. */
            bool misspelt = !joined && next && next[0] != '-' && i + 2 < argc && stat(next, &st);
            if (!misspelt)
                word = joined ? joined : tree;
            i += joined != NULL;
        }
        argv[n++] = word;
        if ((strcmp(word, "-arch") == 0 || strcmp(word, "-a") == 0 ||
             strcmp(word, "--architecture") == 0) &&
            next)
            argv[n++] = argv[++i];
    }
    argv[n] = NULL;
    return n;
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, expand_words(argc, argv), argv, &words);
    if (opt.n_v > MAX_V)
        opt.n_v = MAX_V;
    if (opt.xml && opt.form < 0)
        opt.form = FORM_XML;
    /* As codesign has it, -v alone verifies, and -dv displays. */
    if (opt.v && !opt.display && opt.form < 0 && !opt.requirements && !opt.get_task_allow)
        opt.verify = true;
    if (status == ARGS_RUN && !words.n)
        status = args_misused(&command, "which file?");
    if (status == ARGS_RUN)
        status = show_all(&words);
    word_list_fini(&words);
    return status;
}
