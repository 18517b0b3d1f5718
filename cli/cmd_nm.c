/*
 * machsym nm: the symbols of files, bundles, archives and kernel collections, as nm(1) prints
 * them.
 */
#include "common/answer_json.h"
#include "common/args.h"
#include "common/console.h"
#include "common/input.h"
#include "common/members.h"
#include "common/out.h"
#include "machsym/demangle.h"
#include "machsym/image.h"
#include "machsym/nm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FORMAT_UNSET = -1 };
#define NO_SIZES "symbols of Mach-O have no sizes; machsym symbols works them out"
static const char *const formats[] = {"bsd", "darwin", "posix", "just-symbols", NULL};
static const char *const radixes[] = {"d", "o", "x", NULL};

static struct {
    bool all, external, undefined, defined, no_weak;
    bool numeric, unsorted, reverse;
    bool darwin, names, posix, hex, file_name, file_name_too;
    bool demangle, no_demangle, simplified, json, quiet, bsd;
    bool ignored; /* words of other tools that have no effect here */
    int format, radix;
    const char *segment, *section, *half_section;
    struct word_list archs;
} opt = {.format = FORMAT_UNSET, .radix = FORMAT_UNSET};

static struct option options[] = {
    {"-arch", NULL, OPTION_LIST, &opt.archs, "ARCH", "this slice; several times, or all", NULL},
    {"-m", NULL, OPTION_FLAG, &opt.darwin, NULL, "sections, kinds and libraries in words", NULL},
    {"-j", NULL, OPTION_FLAG, &opt.names, NULL, "names alone", NULL},
    {"-P", "--portability", OPTION_FLAG, &opt.posix, NULL, "NAME LETTER VALUE 0", NULL},
    {"-x", NULL, OPTION_FLAG, &opt.hex, NULL, "the fields of each entry in hexadecimal", NULL},
    {"--format", NULL, OPTION_CHOICE, &opt.format, "FORMAT",
     "bsd, darwin (-m), posix (-P) or just-symbols (-j)", formats},
    {"-B", NULL, OPTION_FLAG, &opt.bsd, NULL, NULL, NULL},
    {"-t", "--radix", OPTION_CHOICE, &opt.radix, "RADIX", "values in d, o or x", radixes},
    {"-a", "--debug-syms", OPTION_FLAG, &opt.all, NULL, "debugging entries (stabs), too", NULL},
    {"-g", "--extern-only", OPTION_FLAG, &opt.external, NULL, "external symbols alone", NULL},
    {"-u", "--undefined-only", OPTION_FLAG, &opt.undefined, NULL, "undefined symbols alone", NULL},
    {"-U", "--defined-only", OPTION_FLAG, &opt.defined, NULL, "no undefined symbols", NULL},
    {"-W", "--no-weak", OPTION_FLAG, &opt.no_weak, NULL, "no weak symbols", NULL},
    {"-s", NULL, OPTION_TEXT, &opt.half_section, "SEG SECT", "symbols of this section alone", NULL},
    {"-n", "--numeric-sort", OPTION_FLAG, &opt.numeric, NULL, "by address, not by name", NULL},
    {"-v", NULL, OPTION_FLAG, &opt.numeric, NULL, NULL, NULL},
    {"-p", "--no-sort", OPTION_FLAG, &opt.unsorted, NULL, "in the order of the file", NULL},
    {"-r", "--reverse-sort", OPTION_FLAG, &opt.reverse, NULL, "last ones first", NULL},
    {"-o", "--print-file-name", OPTION_FLAG, &opt.file_name, NULL,
     "the file's name before each line", NULL},
    {"-A", NULL, OPTION_FLAG, &opt.file_name_too, NULL, "the same", NULL},
    {"-demangle", "-C", OPTION_FLAG, &opt.demangle, NULL, "readable names", NULL},
    {"--simplified", NULL, OPTION_FLAG, &opt.simplified, NULL,
     "readable, Swift names as in crash reports", NULL},
    {"--no-demangle", NULL, OPTION_FLAG, &opt.no_demangle, NULL, NULL, NULL},
    {"-f", "--no-llvm-bc", OPTION_FLAG, &opt.ignored, NULL, NULL, NULL},
    {"--quiet", NULL, OPTION_FLAG, &opt.quiet, NULL, "don't tell of files without symbols", NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"nm [options] FILE…", NULL};

static const struct command command = {
    "nm",
    "Prints symbol tables",
    usage,
    options,
    sizeof options / sizeof *options,
    "FILE is a Mach-O file, thin or fat, a static archive or a member of one, 'libz.a(a.o)', a\n"
    "kernel collection, a dSYM, or a bundle\n"
    "such as an .app or a .framework, of which the main binary is read. Of a fat file all slices\n"
    "are shown, unless -arch names some. Letters can be put together: -gU.",
};

/* What is being read. */
struct run {
    struct out out;
    struct ms_json json;
    struct ms_nm_options nm;
    const char *only; /* the member of an archive that is wanted, or NULL; how many were met */
    size_t n_only;
    bool several; /* files: each has its name before its symbols */
    int status;
};

/* One image of it: a member of an archive or of a collection, of one architecture. */
struct place {
    const char *path, *member, *arch; /* NULL where there is but one */
};

static void note(struct run *run, int status)
{
    run->status = worse(run->status, status);
}

/* ---- one image ---------------------------------------------------------------------------- */

/* "PATH(MEMBER) (for architecture A)", for headings and messages; NULL without memory. */
static char *describe(const struct place *place, const char *path)
{
    const char *member = place->member ? place->member : "", *arch = place->arch ? place->arch : "";
    size_t room = strlen(path) + strlen(member) + strlen(arch) + 32;
    char *text = malloc(room);
    if (!text)
        return NULL;
    snprintf(text, room, "%s%s%s%s%s%s%s", path, place->member ? "(" : "", member,
             place->member ? ")" : "", place->arch ? " (for architecture " : "", arch,
             place->arch ? ")" : "");
    ms_text_make_plain(text);
    return text;
}

/* What -o puts before each line: "(for architecture A):PATH:MEMBER: ". */
static char *line_prefix(const struct place *place, bool posix)
{
    const char *path = input_shown(place->path);
    const char *member = place->member ? place->member : "", *arch = place->arch ? place->arch : "";
    size_t room = strlen(path) + strlen(member) + strlen(arch) + 32;
    char *text = malloc(room);
    if (!text)
        return NULL;
    snprintf(text, room, "%s%s%s%s%s%s%s: ", place->arch ? "(for architecture " : "", arch,
             place->arch ? "):" : "", path,
             !place->member ? ""
             : posix        ? "["
                            : ":",
             member, place->member && posix ? "]" : "");
    ms_text_make_plain(text);
    return text;
}

static enum ms_status write_json(struct run *run, const struct ms_macho *macho,
                                 const struct place *place, struct ms_nm_result *result,
                                 struct ms_error *err)
{
    char room[MS_ARCH_TEXT], uuid[MS_UUID_TEXT];
    ms_uuid_format(&macho->uuid, uuid);
    ms_json_object(&run->json);
    ms_json_field(&run->json, "path", input_shown(place->path));
    ms_json_field(&run->json, "member", place->member);
    ms_json_field(&run->json, "arch", ms_arch_text(macho->cputype, macho->cpusubtype, room));
    ms_json_field(&run->json, "uuid", macho->has_uuid ? uuid : NULL);
    ms_json_field(&run->json, "filetype", ms_filetype_name(macho->filetype));
    ms_json_key(&run->json, "symbols");
    enum ms_status status = ms_nm_write_json(macho, &run->nm, &run->json, result, err);
    ms_json_object_end(&run->json);
    return status;
}

static enum ms_status write_text(struct run *run, const struct ms_macho *macho,
                                 const struct place *place, const char *name,
                                 struct ms_nm_result *result, struct ms_error *err)
{
    bool prefixed = opt.file_name || opt.file_name_too;
    char *prefix = NULL;
    if (prefixed) {
        prefix = line_prefix(place, run->nm.format == MS_NM_POSIX);
        if (!prefix) {
            *err = (struct ms_error){.status = MS_E_NOMEM, .offset = MS_NO_OFFSET};
            snprintf(err->text, sizeof err->text, "out of memory");
            return MS_E_NOMEM;
        }
    } else if (run->several || place->member || place->arch) {
        ms_sink_puts(&run->out.sink, "\n");
        ms_sink_puts(&run->out.sink, name);
        ms_sink_puts(&run->out.sink, ":\n");
    }
    run->nm.prefix = prefix;
    enum ms_status status = ms_nm_write(macho, &run->nm, &run->out.sink, result, err);
    run->nm.prefix = NULL;
    free(prefix);
    return status;
}

static void say_empty(const struct place *place)
{
    char *name = describe(place, place->path);
    complain("%s: no symbols", name ? name : place->path);
    free(name);
}

static void print_image(struct run *run, const struct ms_macho *macho, const struct place *place)
{
    struct ms_nm_result result;
    struct ms_error err;
    char *name = describe(place, input_shown(place->path));
    if (!name) {
        complain("out of memory");
        note(run, EXIT_SYSTEM);
        return;
    }
    enum ms_status status = opt.json ? write_json(run, macho, place, &result, &err)
                                     : write_text(run, macho, place, name, &result, &err);
    if (macho->damage.status != MS_OK)
        note(run, complain_error(&macho->damage));
    if (status != MS_OK || err.status != MS_OK)
        note(run, complain_error(&err));
    else if (!result.n_symbols && macho->damage.status == MS_OK && !opt.quiet)
        say_empty(place);
    free(name);
}

/* A kernel collection: its own symbols, if it has any, then those of each image in it. */
static void print_fileset(struct run *run, const struct ms_macho *macho, const struct place *place)
{
    size_t position = 0;
    struct ms_fileset_entry entry;
    struct ms_error err;
    if (macho->n_nlist)
        print_image(run, macho, place);
    for (;;) {
        enum ms_status status = ms_macho_fileset_next(macho, &position, &entry, &err);
        if (status == MS_ABSENT || run->out.sink.failed)
            return;
        struct ms_macho image;
        char where[4096 + 300];
        if (status == MS_OK) {
            snprintf(where, sizeof where, "%s(%s)", place->path, entry.name);
            status = ms_macho_parse_at(macho->bytes, entry.off, where, &image, &err);
        }
        if (status != MS_OK) {
            note(run, complain_error(&err));
            continue;
        }
        struct place within = {place->path, entry.name, place->arch};
        print_image(run, &image, &within);
        ms_macho_fini(&image);
    }
}

static void read_macho(struct run *run, struct ms_bytes bytes, const struct place *place)
{
    struct ms_macho macho;
    struct ms_error err;
    char where[4096 + 300];
    snprintf(where, sizeof where, place->member ? "%s(%s)" : "%s", place->path, place->member);
    if (ms_macho_parse(bytes, where, &macho, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    if (macho.filetype == MS_MH_FILESET)
        print_fileset(run, &macho, place);
    else
        print_image(run, &macho, place);
    ms_macho_fini(&macho);
}

/* ---- slices and members ------------------------------------------------------------------- */

static bool all_archs(void)
{
    for (size_t i = 0; i < opt.archs.n; i++)
        if (strcmp(opt.archs.items[i], "all") == 0)
            return true;
    return !opt.archs.n;
}

static bool is_asked_for(const char *arch)
{
    for (size_t i = 0; i < opt.archs.n; i++)
        if (strcmp(opt.archs.items[i], arch) == 0)
            return true;
    return all_archs();
}

/* One member; true when it, or a slice of it, is of an architecture asked for. */
static bool read_member(struct run *run, const struct ms_archive_member *member,
                        const struct place *place)
{
    struct ms_fat fat;
    struct ms_error err;
    char room[MS_ARCH_TEXT];
    bool any = false;
    if (ms_fat_parse(member->bytes, place->path, &fat, &err) != MS_OK) {
        warn("%s(%s): %s", place->path, member->name, err.text);
        return false;
    }
    for (size_t i = 0; i < fat.n_slices; i++) {
        const struct ms_slice *slice = &fat.slices[i];
        const char *arch = ms_arch_text(slice->cputype, slice->cpusubtype, room);
        if (slice->kind != MS_SLICE_MACHO || !is_asked_for(arch))
            continue;
        struct place within = {place->path, member->name,
                               place->arch || fat.n_slices < 2 ? place->arch : arch};
        read_macho(run, slice->bytes, &within);
        any = true;
    }
    ms_fat_fini(&fat);
    return any;
}

/* False when no member is of an architecture asked for, though there are some. */
static bool read_archive(struct run *run, struct ms_bytes bytes, const struct place *place)
{
    struct ms_archive archive;
    struct ms_archive_member member;
    struct ms_error err;
    bool any = false;
    size_t n = 0;
    enum ms_status status = ms_archive_open(bytes, place->path, &archive, &err);
    while (status == MS_OK && !run->out.sink.failed) {
        status = ms_archive_next(&archive, &member, &err);
        if (status == MS_OK && (!run->only || strcmp(run->only, member.name) == 0)) {
            run->n_only++;
            any |= read_member(run, &member, place);
            n++;
        }
    }
    if (status != MS_OK && status != MS_ABSENT)
        note(run, complain_error(&err));
    return any || !n;
}

static bool read_slice(struct run *run, const struct ms_slice *slice, const char *path,
                       const char *arch)
{
    struct place place = {path, NULL, arch};
    if (slice->kind == MS_SLICE_ARCHIVE)
        return read_archive(run, slice->bytes, &place);
    if (run->only)
        return true; /* of none such read_file complains */
    if (slice->kind == MS_SLICE_MACHO) {
        read_macho(run, slice->bytes, &place);
    } else {
        complain("%s: the %s slice at 0x%llx is neither a Mach-O file nor an archive", path,
                 arch ? arch : "only", (unsigned long long)slice->file_off);
        note(run, EXIT_INPUT);
    }
    return true;
}

static void tell_missing(struct run *run, const struct ms_fat *fat, const char *path,
                         const char *arch)
{
    char has[256] = "", room[MS_ARCH_TEXT];
    for (size_t i = 0; i < fat->n_slices; i++) {
        size_t n = strlen(has);
        snprintf(has + n, sizeof has - n, "%s%s", i ? ", " : "",
                 ms_arch_text(fat->slices[i].cputype, fat->slices[i].cpusubtype, room));
    }
    complain("%s: has no %s slice; it has %s", path, arch, has);
    note(run, EXIT_INPUT);
}

/* The slices of one architecture; there is but one, or several are an error of ms_fat_parse. */
static bool read_arch(struct run *run, const struct ms_fat *fat, const char *path, const char *arch)
{
    char room[MS_ARCH_TEXT];
    for (size_t i = 0; i < fat->n_slices; i++) {
        const struct ms_slice *slice = &fat->slices[i];
        /* A thin archive is of no one architecture: its members are looked at one by one. */
        bool by_member = !fat->is_fat && slice->kind == MS_SLICE_ARCHIVE;
        if (by_member || strcmp(ms_arch_text(slice->cputype, slice->cpusubtype, room), arch) == 0)
            return read_slice(run, slice, path, opt.archs.n > 1 && fat->is_fat ? arch : NULL);
    }
    return false;
}

static void read_fat(struct run *run, const struct ms_fat *fat, const char *path)
{
    char room[MS_ARCH_TEXT];
    if (all_archs()) {
        for (size_t i = 0; i < fat->n_slices && !run->out.sink.failed; i++) {
            const struct ms_slice *slice = &fat->slices[i];
            const char *arch = ms_arch_text(slice->cputype, slice->cpusubtype, room);
            (void)read_slice(run, slice, path, fat->n_slices > 1 ? arch : NULL);
        }
        return;
    }
    /* A thin archive is read once for all that are asked for. */
    bool once = !fat->is_fat && fat->n_slices && fat->slices[0].kind == MS_SLICE_ARCHIVE;
    for (size_t i = 0; i < (once ? 1 : opt.archs.n); i++)
        if (!read_arch(run, fat, path, opt.archs.items[i]))
            tell_missing(run, fat, path, opt.archs.items[i]);
}

/* ---- files -------------------------------------------------------------------------------- */

static void read_file(struct run *run, const char *path)
{
    struct input input;
    struct ms_fat fat;
    struct ms_error err;
    int status = input_path(&path);
    if (status != EXIT_DONE) {
        note(run, status);
        return;
    }
    status = input_open(&input, path);
    if (status == EXIT_DONE) {
        if (ms_fat_parse(input.bytes, input.name, &fat, &err) == MS_OK) {
            int before = run->status;
            run->n_only = 0;
            read_fat(run, &fat, path);
            ms_fat_fini(&fat);
            if (run->only && !run->n_only && run->status == before) {
                complain("%s: has no member %s", path, run->only);
                status = EXIT_INPUT;
            }
        } else {
            status = complain_error(&err);
        }
        if (!input_intact(&input))
            status = worse(status, EXIT_INPUT);
    }
    note(run, status);
    input_close(&input);
}

/* The DWARF files of a dSYM, the main binary of another bundle. */
static void read_bundle(struct run *run, const char *path)
{
    struct ms_slice_uuid *slices;
    size_t n;
    struct ms_error err;
    if (ms_slice_uuids_read(path, &slices, &n, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    bool several = run->several;
    for (size_t i = 1; i < n; i++)
        run->several |= strcmp(slices[i].path, slices[i - 1].path) != 0;
    for (size_t i = 0; i < n && !run->out.sink.failed; i++)
        if (i == 0 || strcmp(slices[i].path, slices[i - 1].path) != 0)
            read_file(run, slices[i].path);
    run->several = several;
    ms_slice_uuids_free(slices, n);
}

static void read_operand(struct run *run, const char *path)
{
    struct stat st;
    if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        read_bundle(run, path);
    else {
        char *archive = members_split(path, &run->only);
        read_file(run, archive ? archive : path);
        run->only = NULL;
        free(archive);
    }
}

/* ---- options ------------------------------------------------------------------------------ */

/* Spelled out, so that each letter of -gU is a word of its own. */
static const char *const letters[] = {"-m", "-j", "-P", "-x", "-a", "-g", "-u", "-U", "-W", "-n",
                                      "-v", "-p", "-r", "-o", "-A", "-C", "-s", "-t", "-B", "-f"};

static const char *letter_word(char letter)
{
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (letters[i][1] == letter)
            return letters[i];
    return NULL;
}

/* "-gU", "-ns", "-Pt"; no "-", "--x", "-arch". */
static bool is_group(const char *word)
{
    if (word[0] != '-' || !word[1])
        return false;
    for (const char *c = word + 1; *c; c++)
        if (!letter_word(*c) || (*c == 't' && c[1])) /* whose value comes next */
            return false;
    return true;
}

static bool is_format(const char *word)
{
    for (size_t i = 0; formats[i]; i++)
        if (strcmp(formats[i], word) == 0)
            return true;
    return false;
}

/* Words of other nm's that ask for what isn't here: why. NULL for other words. */
static const char *refusal(const char *word)
{
    static const struct {
        const char *word, *why;
    } refusals[] = {
        {"-S", NO_SIZES},
        {"--print-size", NO_SIZES},
        {"--size-sort", NO_SIZES},
        {"-l", "a symbol .section_start is never made up, and lines are what machsym symbols has"},
        {"-L", "bitcode is not read"},
    };
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (strcmp(refusals[i].word, word) == 0)
            return refusals[i].why;
    return NULL;
}

/* The first of these words before "--". */
static int check_words(const struct word_list *words)
{
    for (size_t i = 1; i + 1 < words->n && strcmp(words->items[i], "--") != 0; i++)
        if (refusal(words->items[i]))
            return args_misused(&command, "%s: %s", words->items[i], refusal(words->items[i]));
    return ARGS_RUN;
}

/*
 * Takes groups of letters apart and "-s SEG SECT" out, which args_parse has no words for.
 * False without memory.
 */
static bool expand(int argc, char **argv, struct word_list *out)
{
    bool good = word_list_push(out, argc ? argv[0] : "");
    for (int i = 1; i < argc && good; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--") == 0) {
            while (i < argc && good)
                good = word_list_push(out, argv[i++]);
            break;
        }
        if (strcmp(word, "-h") == 0) /* as LLVM's nm has it */
            word = "--help";
        /* LLVM's -f has a form behind it; that of cctools' nm stands alone. */
        if (strcmp(word, "-f") == 0 && argc - i > 2 && is_format(argv[i + 1]))
            word = "--format";
        if (!is_group(word)) {
            good = word_list_push(out, word);
            continue;
        }
        bool pair = false;
        for (const char *c = word + 1; *c && good; c++) {
            pair |= *c == 's';
            if (*c != 's' || argc - i <= 2)
                good = word_list_push(out, letter_word(*c));
        }
        if (pair && argc - i > 2) {
            opt.segment = argv[++i];
            opt.section = argv[++i];
        }
    }
    return good && word_list_push(out, NULL);
}

static int check_options(const struct word_list *operands)
{
    if (opt.half_section)
        return args_misused(&command, "-s needs SEG SECT");
    if (opt.undefined && opt.defined)
        return args_misused(&command, "-u and -U leave nothing to show");
    return operands->n ? ARGS_RUN : args_misused(&command, "which file?");
}

static struct ms_nm_options chosen(void)
{
    static const unsigned radix[] = {10, 8, 16};
    static const enum ms_nm_format named[] = {MS_NM_BSD, MS_NM_DARWIN, MS_NM_POSIX, MS_NM_NAMES};
    struct ms_nm_options nm = {
        .stabs = opt.all,
        .external_only = opt.external,
        .defined_only = opt.defined,
        .undefined_only = opt.undefined,
        .no_weak = opt.no_weak,
        .reverse = opt.reverse && !opt.unsorted,
        .order = opt.unsorted  ? MS_NM_AS_FILED
                 : opt.numeric ? MS_NM_BY_ADDRESS
                               : MS_NM_BY_NAME,
        .radix = opt.radix == FORMAT_UNSET ? 16 : radix[opt.radix],
        .segment = opt.segment,
        .section = opt.section,
        .demangle = (opt.demangle || opt.simplified) && !opt.no_demangle,
        .demangle_style = opt.simplified ? MS_DEMANGLE_SIMPLIFIED : MS_DEMANGLE_FULL,
    };
    if (opt.format != FORMAT_UNSET)
        nm.format = named[opt.format];
    if (opt.bsd)
        nm.format = MS_NM_BSD;
    if (opt.names)
        nm.format = MS_NM_NAMES;
    if (opt.posix)
        nm.format = MS_NM_POSIX;
    if (opt.darwin)
        nm.format = MS_NM_DARWIN;
    if (opt.hex)
        nm.format = MS_NM_HEX;
    return nm;
}

/* ---- start -------------------------------------------------------------------------------- */

static int print_all(const struct word_list *operands)
{
    static struct run run; /* large: it holds the output buffer */
    out_stdout(&run.out);
    run.nm = chosen();
    run.several = operands->n > 1;
    if (opt.json)
        json_list(&run.json, &run.out.sink, "images");
    for (size_t i = 0; i < operands->n && !run.out.sink.failed; i++)
        read_operand(&run, operands->items[i]);
    if (opt.json)
        json_list_end(&run.json);
    return out_finish(&run.out, run.status, true);
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0}, operands = {NULL, 0, 0};
    int status = ARGS_RUN;
    if (expand(argc, argv, &words)) {
        /* args_parse leaves the words as they are. */
        console_start(command.name);
        status = check_words(&words);
        if (status == ARGS_RUN)
            status = args_parse(&command, (int)words.n - 1, (char **)words.items, &operands);
    } else {
        console_start(command.name);
        complain("out of memory");
        status = EXIT_SYSTEM;
    }
    if (status == ARGS_RUN)
        status = check_options(&operands);
    if (status == ARGS_RUN)
        status = print_all(&operands);
    word_list_fini(&opt.archs);
    word_list_fini(&words);
    word_list_fini(&operands);
    return status;
}
