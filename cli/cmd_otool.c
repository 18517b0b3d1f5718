/*
 * machsym otool: headers, load commands, libraries, sections and code, as cctools' otool shows
 * them.
 */
#include "common/args.h"
#include "common/code.h"
#include "common/console.h"
#include "common/input.h"
#include "common/out.h"
#include "machsym/image.h"
#include "machsym/otool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static struct {
    bool fat, header, commands, libraries, id, text, all_text, data, indirect, table, plist;
    bool verbose, very_verbose, bare, opcodes, no_member, json;
    const char *segment, *section; /* of -s */
    const char *from;              /* -p */
    struct option_number start, stop, lookup;
    struct word_list archs;
    bool all_archs;
} opt;

static const char *unused_section;

static struct option options[] = {
    {"-h", NULL, OPTION_FLAG, &opt.header, NULL, "the Mach-O header", NULL},
    {"-l", NULL, OPTION_FLAG, &opt.commands, NULL, "the load commands", NULL},
    {"-L", NULL, OPTION_FLAG, &opt.libraries, NULL, "the libraries it loads", NULL},
    {"-D", NULL, OPTION_FLAG, &opt.id, NULL, "its own name as a library", NULL},
    {"-f", NULL, OPTION_FLAG, &opt.fat, NULL, "the header of a universal file", NULL},
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
    {"-arch", NULL, OPTION_LIST, &opt.archs, "ARCH", "this slice (all: every slice); may repeat",
     NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document, of -h -l -L -D -f -s", NULL},
};

static const char *const usage[] = {"otool [options] FILE...", NULL};

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
static const char LETTERS[] = "hlLDftxdPIGvVjXm";

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
    static const char *const single[] = {"-h", "-l", "-L", "-D", "-f", "-t", "-x", "-d",
                                         "-P", "-I", "-G", "-v", "-V", "-j", "-X", "-m"};
    bool ended = false, ok = word_list_push(list, argv[0]);
    for (int i = 1; i < argc && ok; i++) {
        ended = ended || strcmp(argv[i], "--") == 0;
        if (!ended && strcmp(argv[i], "-s") == 0) {
            if (i + 2 >= argc)
                return args_misused(&command, "-s needs a segment and a section");
            if (opt.section)
                return args_misused(&command, "-s can be given once");
            opt.segment = argv[++i];
            opt.section = argv[++i];
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
    /* These ask for code whatever else is given. */
    if (wants_range() || opt.from) {
        opt.very_verbose = true;
        opt.text = opt.text || !(opt.all_text || opt.section);
    }
    opt.verbose = opt.verbose || opt.very_verbose;
    bool one = opt.header || opt.commands || opt.libraries || opt.id || opt.text || opt.all_text ||
               opt.data || opt.indirect || opt.table || opt.plist || opt.section;
    if (!one && !opt.fat)
        return args_misused(&command, "what of it? One of -f -h -l -L -D -t -x -d -s -P -I -G");
    if (opt.json &&
        (opt.text || opt.all_text || opt.data || opt.indirect || opt.table || opt.plist))
        return args_misused(&command, "--json is for -h -l -L -D -f and -s");
    for (size_t i = 0; i < opt.archs.n; i++) {
        uint32_t type, subtype;
        if (strcmp(opt.archs.items[i], "all") == 0)
            opt.all_archs = true;
        else if (!ms_arch_parse(opt.archs.items[i], &type, &subtype))
            return args_misused(&command, "there is no architecture '%s'", opt.archs.items[i]);
    }
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

/* ---- one image ----------------------------------------------------------------------------- */

struct run {
    struct out out;
    struct ms_json json;
    struct ms_otool_style style;
    struct ms_otool_out to;
    const char *path;     /* of the file at hand */
    const uint8_t *start; /* of its bytes, NULL when they are no plain file\'s */
    bool by_architecture; /* several slices are shown: each says which it is */
    int status;
};

static void note(struct run *run, int status)
{
    run->status = worse(run->status, status);
}

/* An error, after what was printed before it. */
static void note_error(struct run *run, const struct ms_error *err)
{
    out_flush(&run->out);
    note(run, complain_error(err));
}

static void local_date(int64_t seconds, char text[32])
{
    time_t time = (time_t)seconds;
    struct tm parts;
    text[0] = 0;
    if (localtime_r(&time, &parts))
        strftime(text, 32, "%a %b %e %H:%M:%S %Y", &parts);
}

static void put_heading(struct run *run, const char *member, const char *arch, const char *end)
{
    if (opt.bare)
        return;
    ms_sink_plain(&run->out.sink, run->path);
    if (member) {
        ms_sink_puts(&run->out.sink, "(");
        ms_sink_plain(&run->out.sink, member);
        ms_sink_puts(&run->out.sink, ")");
    }
    if (run->by_architecture)
        ms_sink_printf(&run->out.sink, " (architecture %s)", arch);
    ms_sink_printf(&run->out.sink, ":%s\n", end);
}

/* The code of one section as instructions. */
static void put_code(struct run *run, const struct ms_macho *macho,
                     const struct ms_section *section)
{
    if (!run->start) {
        out_flush(&run->out);
        complain("%s: code is only disassembled out of a plain file", run->path);
        note(run, EXIT_INPUT);
        return;
    }
    struct code_request request = {
        .path = run->path,
        .off = (uint64_t)(macho->bytes.at - run->start),
        .n = macho->bytes.n,
        .section = (size_t)(section - macho->sections),
        .section_bytes = section->vm_bytes,
        .symbolic = opt.very_verbose,
        .bare = opt.bare,
        .opcodes = opt.opcodes,
        .from = opt.from,
        .has_start = opt.start.given,
        .start = opt.start.value,
        .has_stop = opt.stop.given,
        .stop = opt.stop.value,
        .has_mark = opt.lookup.given,
        .mark = opt.lookup.value,
    };
    note(run, code_show(&request, &run->out));
}

static void put_section(struct run *run, const struct ms_macho *macho,
                        const struct ms_section *section, const char *contents)
{
    struct ms_error err;
    if (!opt.bare && !run->to.json)
        ms_sink_printf(&run->out.sink, "%s(%s,%s) section\n", contents, section->segment_name,
                       section->name);
    if (opt.verbose && !opt.json && ms_section_is_code(section))
        put_code(run, macho, section);
    else if (ms_otool_section(macho, section, &run->to, &err) != MS_OK)
        note_error(run, &err);
}

/* The sections of that name, in any segment when segment is NULL. */
static void put_sections(struct run *run, const struct ms_macho *macho, const char *segment,
                         const char *name, const char *contents)
{
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if ((!segment || strcmp(section->segment_name, segment) == 0) &&
            strcmp(section->name, name) == 0) {
            put_section(run, macho, section, contents);
            if (segment)
                return;
        }
    }
}

/* ---- a range of addresses ------------------------------------------------------------------ */

/* The code sections that the range touches. */
static void put_range(struct run *run, const struct ms_macho *macho)
{
    uint64_t start = opt.start.given ? opt.start.value : 0;
    uint64_t stop = opt.stop.given ? opt.stop.value : UINT64_MAX;
    bool any = false;
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if (!ms_section_is_code(section) || !section->vm_bytes || section->vm >= stop ||
            (start > section->vm && start - section->vm >= section->vm_bytes))
            continue;
        put_section(run, macho, section, "");
        any = true;
    }
    if (any)
        return;
    out_flush(&run->out);
    complain("%s: no code at these addresses", macho->where);
    note(run, EXIT_INPUT);
}

/* So much around an instruction that is looked up, within its function. */
enum { BYTES_AROUND = 32 };

static void put_lookup(struct run *run, const struct ms_macho *macho, const char *arch)
{
    const uint64_t address = opt.lookup.value;
    struct ms_symbols symbols;
    struct ms_error err;
    uint64_t low = 0, high = UINT64_MAX;
    if (ms_symbols_read_at(macho, address, &symbols, &err) == MS_OK) {
        const struct ms_symbol *symbol = ms_symbols_find(&symbols, address);
        if (symbol) {
            low = symbol->start_vm;
            high = symbol->end_vm;
        }
        ms_symbols_fini(&symbols);
    }
    if (address - low > BYTES_AROUND)
        low = address > BYTES_AROUND ? address - BYTES_AROUND : 0;
    if (high - address > BYTES_AROUND + 4)
        high = address < UINT64_MAX - BYTES_AROUND - 4 ? address + BYTES_AROUND + 4 : UINT64_MAX;
    opt.start = (struct option_number){true, low};
    opt.stop = (struct option_number){true, high};
    const struct ms_section *section = ms_macho_section_at(macho, address);
    if (!section || !ms_section_is_code(section)) {
        out_flush(&run->out);
        complain("%s: no code at 0x%llx", macho->where, (unsigned long long)address);
        note(run, EXIT_INPUT);
        return;
    }
    put_section(run, macho, section, "");
    if (macho->filetype != MS_MH_OBJECT)
        note(run, code_sources(run->path, arch, address, &run->out));
}

/* What needs the image to be sound. */
static void put_tables(struct run *run, const struct ms_macho *macho, const char *arch)
{
    struct ms_error err;
    if (opt.table)
        ms_otool_data_in_code(macho, &run->to);
    if (opt.indirect)
        ms_otool_indirect(macho, &run->to);
    if (opt.lookup.given)
        put_lookup(run, macho, arch);
    else if (wants_range())
        put_range(run, macho);
    else if (opt.all_text)
        put_sections(run, macho, NULL, "__text", "");
    else if (opt.text)
        put_sections(run, macho, "__TEXT", "__text", "");
    if (opt.data)
        put_sections(run, macho, "__DATA", "__data", "");
    if (opt.plist && ms_otool_info_plist(macho, &run->to, &err) != MS_OK)
        note_error(run, &err);
    if (opt.section)
        put_sections(run, macho, opt.segment, opt.section, "Contents of ");
}

static void put_json(struct run *run, const struct ms_otool_image *image, const char *member,
                     const char *arch)
{
    struct ms_json *json = &run->json;
    struct ms_error err;
    ms_json_object(json);
    ms_json_field(json, "arch", arch);
    ms_json_field(json, "member", member);
    if (opt.header) {
        ms_json_key(json, "header");
        ms_json_object(json);
        ms_otool_header(image, &run->to);
        ms_json_object_end(json);
    }
    if (opt.commands) {
        ms_json_key(json, "load_commands");
        if (ms_otool_commands(image, &run->to, &err) != MS_OK)
            note_error(run, &err);
    }
    if (opt.libraries) {
        ms_json_key(json, "libraries");
        if (ms_otool_libraries(image, false, &run->to, &err) != MS_OK && !opt.commands)
            note_error(run, &err);
    }
    if (opt.id && ms_otool_libraries(image, true, &run->to, &err) != MS_OK && !opt.commands &&
        !opt.libraries)
        note_error(run, &err);
}

static void put_text(struct run *run, const struct ms_otool_image *image)
{
    struct ms_error err;
    bool said = false;
    if (opt.header)
        ms_otool_header(image, &run->to);
    if (opt.commands && ms_otool_commands(image, &run->to, &err) != MS_OK) {
        note_error(run, &err);
        said = true;
    }
    if ((opt.libraries || opt.id) &&
        ms_otool_libraries(image, !opt.libraries, &run->to, &err) != MS_OK && !said)
        note_error(run, &err);
}

static bool needs_sections(void)
{
    return opt.text || opt.all_text || opt.data || opt.indirect || opt.table || opt.plist ||
           opt.section;
}

static void show_image(struct run *run, struct ms_bytes bytes, const char *member)
{
    struct ms_otool_image image;
    struct ms_macho macho;
    struct ms_error err;
    char where[512], room[MS_ARCH_TEXT];
    snprintf(where, sizeof where, member ? "%s(%s)" : "%s", run->path, member);
    if (ms_otool_open(bytes, where, &image, &err) != MS_OK) {
        note_error(run, &err);
        return;
    }
    const char *arch = ms_arch_text(image.cputype, image.cpusubtype, room);
    if (opt.json) {
        put_json(run, &image, member, arch);
    } else {
        put_heading(run, member, arch, "");
        put_text(run, &image);
    }
    if (needs_sections()) {
        if (ms_macho_parse(bytes, where, &macho, &err) == MS_OK) {
            if (opt.json)
                ms_json_key(&run->json, "contents"), ms_json_array(&run->json);
            put_tables(run, &macho, arch);
            if (opt.json)
                ms_json_array_end(&run->json);
            ms_macho_fini(&macho);
        } else {
            note_error(run, &err);
        }
    }
    if (opt.json)
        ms_json_object_end(&run->json);
}

/* ---- one file ------------------------------------------------------------------------------ */

static bool is_wanted(uint32_t cputype, uint32_t cpusubtype, const char *arch)
{
    char room[MS_ARCH_TEXT];
    return !arch || strcmp(arch, ms_arch_text(cputype, cpusubtype, room)) == 0;
}

/* A member of an archive; true when it was an image of the architecture. */
static bool show_member(struct run *run, const struct ms_archive_member *member, const char *arch)
{
    struct ms_fat fat;
    struct ms_error ignored;
    bool shown = false;
    if (ms_fat_parse(member->bytes, run->path, &fat, &ignored) != MS_OK) {
        if (!opt.json)
            put_heading(run, member->name, "", " is not an object file");
        return true;
    }
    for (size_t i = 0; i < fat.n_slices; i++) {
        if (fat.slices[i].kind != MS_SLICE_MACHO ||
            !is_wanted(fat.slices[i].cputype, fat.slices[i].cpusubtype, arch))
            continue;
        show_image(run, fat.slices[i].bytes, member->name);
        shown = true;
    }
    ms_fat_fini(&fat);
    return shown;
}

/* `only` is the one member that is asked for, or NULL. */
static bool show_archive(struct run *run, struct ms_bytes bytes, const char *only,
                         const char *slice_arch, const char *arch)
{
    struct ms_archive archive;
    struct ms_archive_member member;
    struct ms_error err;
    bool shown = false;
    enum ms_status status = ms_archive_open(bytes, run->path, &archive, &err);
    if (status == MS_OK && !opt.json && !only) {
        ms_sink_puts(&run->out.sink, "Archive : ");
        ms_sink_plain(&run->out.sink, run->path);
        if (run->by_architecture)
            ms_sink_printf(&run->out.sink, " (architecture %s)", slice_arch);
        ms_sink_puts(&run->out.sink, "\n");
    }
    while (status == MS_OK && !run->out.sink.failed) {
        status = ms_archive_next(&archive, &member, &err);
        if (status == MS_OK && (!only || strcmp(only, member.name) == 0))
            shown = show_member(run, &member, arch) || shown;
    }
    if (status != MS_ABSENT && status != MS_OK)
        note_error(run, &err);
    return shown || status != MS_ABSENT;
}

static bool show_slice(struct run *run, const struct ms_slice *slice, const char *only,
                       const char *arch)
{
    char room[MS_ARCH_TEXT];
    const char *name = ms_arch_text(slice->cputype, slice->cpusubtype, room);
    if (slice->kind == MS_SLICE_ARCHIVE)
        return show_archive(run, slice->bytes, only, name, arch);
    if (slice->kind == MS_SLICE_MACHO) {
        show_image(run, slice->bytes, NULL);
        return true;
    }
    complain("%s (%s): the slice is neither Mach-O nor an archive", run->path, name);
    note(run, EXIT_INPUT);
    return true;
}

/* The slices of one architecture, or all for NULL. */
static void show_arch(struct run *run, const struct ms_fat *fat, const char *only, const char *arch)
{
    bool shown = false;
    char list[200] = "", room[MS_ARCH_TEXT];
    for (size_t i = 0; i < fat->n_slices && !run->out.sink.failed; i++) {
        const struct ms_slice *slice = &fat->slices[i];
        bool archive = !fat->is_fat && slice->kind == MS_SLICE_ARCHIVE;
        const char *name = ms_arch_text(slice->cputype, slice->cpusubtype, room);
        size_t n = strlen(list);
        if (!archive)
            snprintf(list + n, sizeof list - n, "%s%s", n ? ", " : "", name);
        /* A thin archive's members have architectures, not the file. */
        if (archive || is_wanted(slice->cputype, slice->cpusubtype, arch))
            shown = show_slice(run, slice, only, archive ? arch : NULL) || shown;
    }
    if (shown)
        return;
    out_flush(&run->out);
    if (only)
        complain("%s: has no member '%s'%s%s", run->path, only, arch ? " of architecture " : "",
                 arch ? arch : "");
    else if (list[0])
        complain("%s: has no %s slice; it has %s", run->path, arch, list);
    else
        complain("%s: has no %s%s", run->path, arch ? arch : "", arch ? " member" : "member");
    note(run, EXIT_INPUT);
}

static void show_fat(struct run *run, const struct ms_fat *fat, const char *only)
{
    bool all = opt.all_archs || !opt.archs.n;
    run->by_architecture = all ? fat->n_slices > 1 : opt.archs.n > 1 && fat->is_fat;
    if (opt.fat && !opt.json)
        ms_otool_fat(fat, &run->to);
    if (opt.json) {
        ms_json_object(&run->json);
        ms_json_field(&run->json, "path", run->path);
        if (opt.fat && fat->is_fat) {
            ms_json_key(&run->json, "fat");
            ms_json_object(&run->json);
            ms_otool_fat(fat, &run->to);
            ms_json_object_end(&run->json);
        }
        ms_json_key(&run->json, "images");
        ms_json_array(&run->json);
    }
    if (opt.header || opt.commands || opt.libraries || opt.id || needs_sections()) {
        if (all)
            show_arch(run, fat, only, NULL);
        for (size_t i = 0; i < opt.archs.n && !all; i++)
            show_arch(run, fat, only, opt.archs.items[i]);
    }
    if (opt.json) {
        ms_json_array_end(&run->json);
        ms_json_object_end(&run->json);
    }
}

/* ARCHIVE(MEMBER): cuts the word in two; false for anything else and for a file of that name. */
static bool split_member(char *word, char **member)
{
    struct stat st;
    size_t n = strlen(word);
    char *open = n && word[n - 1] == ')' ? strrchr(word, '(') : NULL;
    if (opt.no_member || !open || open == word || stat(word, &st) == 0)
        return false;
    *open = 0;
    word[n - 1] = 0;
    *member = open + 1;
    return true;
}

static void show_file(struct run *run, const char *path, const char *only)
{
    struct input input;
    struct ms_fat fat;
    struct ms_error err;
    run->path = path;
    int status = input_open(&input, path);
    run->start = input.file ? input.bytes.at : NULL;
    if (status != EXIT_DONE)
        note(run, status);
    else if (ms_fat_parse(input.bytes, input.name, &fat, &err) != MS_OK)
        note_error(run, &err);
    else {
        show_fat(run, &fat, only);
        ms_fat_fini(&fat);
    }
    if (!input_intact(&input))
        note(run, EXIT_INPUT);
    input_close(&input);
}

static void show_operand(struct run *run, const char *word)
{
    struct stat st;
    char *copy = malloc(strlen(word) + 1), *member = NULL;
    if (!copy) {
        complain("out of memory");
        note(run, EXIT_SYSTEM);
        return;
    }
    strcpy(copy, word);
    if (strcmp(word, "-") != 0 && stat(word, &st) == 0 && S_ISDIR(st.st_mode)) {
        struct ms_slice_uuid *slices = NULL;
        struct ms_error err;
        size_t n = 0;
        if (ms_slice_uuids_read(word, &slices, &n, &err) == MS_OK && n)
            show_file(run, slices[0].path, NULL);
        else
            note_error(run, &err);
        ms_slice_uuids_free(slices, n);
    } else {
        split_member(copy, &member);
        show_file(run, copy, member);
    }
    free(copy);
}

/* ---- start --------------------------------------------------------------------------------- */

static int show_all(const struct word_list *words)
{
    static struct run run; /* large: it holds the output buffer */
    out_stdout(&run.out);
    run.style = (struct ms_otool_style){opt.verbose, opt.very_verbose, opt.bare, local_date};
    run.to = (struct ms_otool_out){&run.out.sink, opt.json ? &run.json : NULL, &run.style};
    if (opt.json) {
        ms_json_init(&run.json, &run.out.sink, 2);
        ms_json_object(&run.json);
        ms_json_key(&run.json, "files");
        ms_json_array(&run.json);
    }
    for (size_t i = 0; i < words->n && !run.out.sink.failed; i++)
        show_operand(&run, words->items[i]);
    if (opt.json) {
        ms_json_array_end(&run.json);
        ms_json_object_end(&run.json);
        ms_sink_puts(&run.out.sink, "\n");
    }
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
