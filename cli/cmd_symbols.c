/*
 * machsym symbols: the regions, symbols and source lines of images, merged from all that tells
 * of them, as symbols(1) prints them.
 */
#include "common/answer_json.h"
#include "common/args.h"
#include "common/console.h"
#include "common/input.h"
#include "common/members.h"
#include "common/names_ahead.h"
#include "common/out.h"
#include "common/prefixes.h"
#include "common/uuids.h"
#include "common/with_dsym.h"
#include "machsym/demangle.h"
#include "machsym/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static struct {
    const char *arch, *dsym, *lookup;
    bool uuid, only_nlist, only_starts, only_dwarf;
    bool no_sources, no_symbols, no_regions, no_headers, no_demangling, full_path;
    bool dsym_paths, wide, verbose, json;
    bool ignored; /* words of Apple's that have no effect here */
    bool signature;
    struct word_list prefixes;
} opt;

static struct ms_object_search search;

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "this slice; all without it", NULL},
    {"-uuid", NULL, OPTION_FLAG, &opt.uuid, NULL, "print UUID, architecture, path and flags alone",
     NULL},
    {"-lookup", NULL, OPTION_TEXT, &opt.lookup, "ADDR|NAME",
     "only what holds this address (0x…, as linked), or has this in its name (* and ? are wild)",
     NULL},
    {"-onlyNListData", NULL, OPTION_FLAG, &opt.only_nlist, NULL, "read the symbol table alone",
     NULL},
    {"-onlyFuncStartsData", NULL, OPTION_FLAG, &opt.only_starts, NULL,
     "read LC_FUNCTION_STARTS alone", NULL},
    {"-onlyDwarfData", NULL, OPTION_FLAG, &opt.only_dwarf, NULL, "read DWARF alone", NULL},
    {"-noSources", NULL, OPTION_FLAG, &opt.no_sources, NULL, "without source lines", NULL},
    {"-noSymbols", NULL, OPTION_FLAG, &opt.no_symbols, NULL, "without symbols and lines", NULL},
    {"-noRegions", NULL, OPTION_FLAG, &opt.no_regions, NULL, "without segments and sections", NULL},
    {"-noHeaders", NULL, OPTION_FLAG, &opt.no_headers, NULL, "without the two lines above all",
     NULL},
    {"-noDemangling", NULL, OPTION_FLAG, &opt.no_demangling, NULL,
     "names as they stand in the file", NULL},
    {"-fullSourcePath", NULL, OPTION_FLAG, &opt.full_path, NULL, "full paths of source files",
     NULL},
    {"-printDsymPaths", NULL, OPTION_FLAG, &opt.dsym_paths, NULL,
     "print the path of the dSYM that was used", NULL},
    {"-noDaemon", NULL, OPTION_FLAG, &opt.ignored, NULL, NULL, NULL},
    {"-noTextInSOD", NULL, OPTION_FLAG, &opt.ignored, NULL, NULL, NULL},
    {"-printSignature", NULL, OPTION_FLAG, &opt.signature, NULL, NULL, NULL},
    {"-saveSignature", NULL, OPTION_FLAG, &opt.signature, NULL, NULL, NULL},
    {"-w", NULL, OPTION_FLAG, &opt.wide, NULL, "accepted: lines are never cut", NULL},
    {"-v", NULL, OPTION_FLAG, &opt.verbose, NULL, "say on stderr what each source had", NULL},
    {"-d", "--dsym", OPTION_TEXT, &opt.dsym, "PATH", "the dSYM, where it isn't beside FILE", NULL},
    {"--oso-prefix-map", NULL, OPTION_LIST, &opt.prefixes, "FROM=TO", OSO_PREFIX_MAP_HELP, NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"symbols [options] FILE…", NULL};

static const struct command command = {
    "symbols",
    "Prints regions, symbols and source lines, and which data they are from",
    usage,
    options,
    sizeof options / sizeof *options,
    "FILE is a Mach-O file, thin or fat, a static archive or a member of one, 'libz.a(a.o)', a\n"
    "kernel collection, a dSYM, or a bundle\n"
    "such as an .app or a .framework, of which the main binary is read, with the dSYM beside it "
    "that\n"
    "has its UUID; without one, with the object files that its debug map names.",
};

struct run {
    struct out out;
    struct ms_json json;
    size_t n_found; /* symbols looked up */
    int status;
};

/* An image, and how it is called. */
struct subject {
    struct ms_image *image;
    struct ms_image_info info;
    const char *target; /* what was asked for */
    const char *path;   /* of the file that it is in */
    const char *member; /* of an archive or a kernel collection; NULL = it is the file */
};

static void note(struct run *run, int status)
{
    run->status = worse(run->status, status);
}

/* ---- what is shown of an image ----------------------------------------------------------- */

static const char *kind_of(uint32_t filetype)
{
    static const struct {
        uint32_t filetype;
        const char *name;
    } kinds[] = {
        {MS_MH_OBJECT, "OBJECT"}, {MS_MH_EXECUTE, "AOUT"},     {MS_MH_DYLIB, "DYLIB"},
        {MS_MH_DYLINKER, "DYLD"}, {MS_MH_BUNDLE, "BUNDLE"},    {MS_MH_DYLIB_STUB, "DYLIB-STUB"},
        {MS_MH_DSYM, "dSYM_v3"},  {MS_MH_KEXT, "KEXT-BUNDLE"}, {MS_MH_FILESET, "FILESET"},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].filetype == filetype)
            return kinds[i].name;
    return "UNKNOWN";
}

static void uuid_text(const struct ms_image_info *info, char text[MS_UUID_TEXT])
{
    snprintf(text, MS_UUID_TEXT, "null-uuid");
    if (info->has_uuid)
        ms_uuid_format(&info->uuid, text);
}

static bool found_dsym(const struct ms_image_info *info)
{
    return info->debug_path &&
           (!info->binary_path || strcmp(info->binary_path, info->debug_path) != 0);
}

static void put_path(struct ms_sink *sink, const char *path, const char *member)
{
    ms_sink_plain(sink, input_shown(path));
    if (!member)
        return;
    ms_sink_puts(sink, "(");
    ms_sink_plain(sink, member);
    ms_sink_puts(sink, ")");
}

/* "PATH [AOUT, PIE, FaultedFromDisk, MMap64]" */
static void put_owner(struct ms_sink *sink, const struct subject *subject, uint32_t filetype,
                      uint32_t header_flags, bool is64)
{
    put_path(sink, subject->path, subject->member);
    ms_sink_printf(sink, " [%s%s, FaultedFromDisk%s, MMap%d]", kind_of(filetype),
                   header_flags & 0x200000 ? ", PIE" : "",
                   found_dsym(&subject->info) ? ", Found-dSYM" : "", is64 ? 64 : 32);
}

static void put_headers(struct run *run, const struct subject *subject,
                        const struct ms_symbol_tree *tree, const char *glob, double seconds)
{
    struct ms_sink *sink = &run->out.sink;
    char uuid[MS_UUID_TEXT];
    uuid_text(&subject->info, uuid);
    put_path(sink, subject->target, subject->member);
    ms_sink_printf(sink, " [%s, %.6f seconds]:\n", subject->info.arch, seconds);
    if (glob) {
        ms_sink_puts(sink, " symbols matching [*");
        ms_sink_plain(sink, glob);
        ms_sink_puts(sink, "*]:\n ");
    }
    ms_sink_printf(sink, "    %-36s ", uuid);
    put_owner(sink, subject, tree->filetype, tree->header_flags, tree->is64);
    ms_sink_puts(sink, "\n");
    if (opt.dsym_paths && found_dsym(&subject->info)) {
        ms_sink_puts(sink, "        dSYM ");
        put_path(sink, subject->info.debug_path, NULL);
        ms_sink_puts(sink, "\n");
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct ms_tree_sources wanted_sources(void)
{
    bool all = !opt.only_nlist && !opt.only_starts && !opt.only_dwarf;
    struct ms_tree_sources sources = {all || opt.only_nlist,
                                      all || opt.only_starts,
                                      all || opt.only_dwarf,
                                      all,
                                      (all || opt.only_dwarf) && !opt.no_sources,
                                      all};
    if (opt.uuid || (opt.no_symbols && !opt.lookup))
        memset(&sources, 0, sizeof sources);
    return sources;
}

static void say_counts(const struct subject *subject, const char *label,
                       const struct ms_symbol_tree *tree)
{
    complain("%s (%s): %zu of the symbol table, %zu function starts, %zu functions "
             "of DWARF, %zu of the debug map, %zu exports, %zu named by metadata; merged %zu "
             "symbols, %zu lines",
             label, subject->info.arch, tree->n_nlist, tree->n_starts, tree->n_dwarf,
             tree->n_debug_map, tree->n_exports, tree->n_runtime, tree->n_symbols, tree->n_lines);
}

static enum ms_status write_json(struct run *run, const struct subject *subject,
                                 const struct ms_symbol_tree *tree,
                                 const struct ms_tree_style *style, struct ms_tree_result *result,
                                 struct ms_error *err)
{
    char uuid[MS_UUID_TEXT];
    const struct ms_image_info *info = &subject->info;
    uuid_text(info, uuid);
    ms_json_object(&run->json);
    ms_json_field(&run->json, "path", input_shown(subject->path));
    ms_json_field(&run->json, "member", subject->member);
    ms_json_field(&run->json, "arch", info->arch);
    ms_json_field(&run->json, "uuid", info->has_uuid ? uuid : NULL);
    ms_json_field(&run->json, "filetype", ms_filetype_name(tree->filetype));
    ms_json_field(&run->json, "dsym", found_dsym(info) ? input_shown(info->debug_path) : NULL);
    ms_json_key(&run->json, "regions");
    enum ms_status status = ms_symbol_tree_write_json(tree, style, &run->json, result, err);
    ms_json_object_end(&run->json);
    return status;
}

/* What is looked up in the members of an archive is in few of them: the headings of a member wait
 * until there is something below them. */
struct waiting {
    struct run *run;
    const struct subject *subject;
    const struct ms_symbol_tree *tree;
    const char *glob;
    double seconds;
    bool begun;
};

static bool put_waiting(void *to, const char *bytes, size_t n)
{
    struct waiting *w = to;
    if (!w->begun && !opt.no_headers)
        put_headers(w->run, w->subject, w->tree, w->glob, w->seconds);
    w->begun = true;
    ms_sink_write(&w->run->out.sink, bytes, n);
    return !w->run->out.sink.failed;
}

static enum ms_status write_text(struct run *run, const struct subject *subject,
                                 const struct ms_symbol_tree *tree,
                                 const struct ms_tree_style *style, double seconds,
                                 struct ms_tree_result *result, struct ms_error *err)
{
    struct waiting waiting = {run, subject, tree, style->glob, seconds, false};
    struct ms_sink sink = {.write = put_waiting, .to = &waiting};
    if (opt.lookup && subject->member)
        return ms_symbol_tree_write(tree, style, &sink, result, err);
    if (!opt.no_headers)
        put_headers(run, subject, tree, style->glob, seconds);
    return ms_symbol_tree_write(tree, style, &run->out.sink, result, err);
}

static struct ms_tree_style chosen_style(void)
{
    struct ms_tree_style style = {
        .no_regions = opt.no_regions,
        .no_symbols = opt.no_symbols,
        .no_sources = opt.no_sources,
        .full_path = opt.full_path,
        .mangled = opt.no_demangling,
        .demangle_style = MS_DEMANGLE_SIMPLIFIED,
    };
    if (opt.lookup && strncmp(opt.lookup, "0x", 2) == 0)
        style.has_address = parse_address(opt.lookup, true, &style.address_vm);
    if (opt.lookup && !style.has_address)
        style.glob = opt.lookup;
    style.indent = style.glob && !opt.no_headers;
    return style;
}

static void show_tree(struct run *run, const struct subject *subject, const char *label,
                      const struct ms_symbol_tree *tree, double seconds)
{
    struct ms_tree_style style = chosen_style();
    struct names_ahead *ahead = names_ahead_start(tree, &style);
    struct ms_tree_result result;
    struct ms_error err;
    enum ms_status status = opt.json
                                ? write_json(run, subject, tree, &style, &result, &err)
                                : write_text(run, subject, tree, &style, seconds, &result, &err);
    names_ahead_end(ahead);
    out_flush(&run->out);
    if (status != MS_OK)
        note(run, complain_error(&err));
    if (result.cut)
        warn("%s: names were cut: its tables spell the same bytes over and over", label);
    run->n_found += result.n_shown;
}

/* Objects that the debug map names, and that can't be used: the answer goes on without them. */
static void tell_of_objects(struct run *run, const struct ms_symbol_tree *tree, const char *label,
                            const char *arch)
{
    char line[MS_ERROR_LINE];
    if (!tree->n_objects_failed)
        return;
    warn("%s (%s): %zu of the %zu object files that its debug map names can't be used, so that "
         "their "
         "functions have no source lines: %s",
         label, arch, tree->n_objects_failed, tree->n_objects,
         ms_error_describe(&tree->first_object, line));
    if (tree->first_object.status == MS_E_FORMAT || tree->first_object.status == MS_E_LIMIT)
        note(run, EXIT_INPUT);
}

/* "UUID ARCH PATH [AOUT, …]" */
static void put_uuid(struct run *run, const struct subject *subject,
                     const struct ms_symbol_tree *tree)
{
    char uuid[MS_UUID_TEXT];
    uuid_text(&subject->info, uuid);
    ms_sink_printf(&run->out.sink, "%-36s %-8s ", uuid, subject->info.arch);
    put_owner(&run->out.sink, subject, tree->filetype, tree->header_flags, tree->is64);
    ms_sink_puts(&run->out.sink, "\n");
}

static void show_image(struct run *run, const struct subject *subject, double start)
{
    struct ms_tree_sources sources = wanted_sources();
    struct ms_symbol_tree tree;
    struct ms_error err;
    char label[4096 + 300];
    const char *path = input_shown(subject->target), *member = subject->member;
    snprintf(label, sizeof label, member ? "%s(%s)" : "%s", path, member);
    if (subject->info.damage->status != MS_OK)
        note(run, exit_for(subject->info.damage->status));
    ms_image_set_object_search(subject->image, &search);
    if (ms_symbol_tree_read(subject->image, &sources, &tree, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    if (opt.uuid)
        put_uuid(run, subject, &tree);
    else
        show_tree(run, subject, label, &tree, now() - start);
    if (opt.verbose)
        say_counts(subject, label, &tree);
    tell_of_objects(run, &tree, label, subject->info.arch);
    if (tree.n_broken) {
        note(run, complain_error(&tree.first_fault));
        if (tree.n_broken > 1)
            complain("%s (%s): %zu more units or tables are damaged", label, subject->info.arch,
                     tree.n_broken - 1);
    }
    ms_symbol_tree_fini(&tree);
}

/* For -uuid: a dSYM's is told of the dSYM, not of the binary that lies beside it. */
static int open_alone(const char *path, const char *arch, struct subject *subject)
{
    struct ms_image_choice choice = {path, arch, NULL, true};
    struct ms_error err;
    if (ms_image_open(&choice, &subject->image, &err) != MS_OK)
        return complain_error(&err);
    ms_image_info(subject->image, &subject->info);
    if (subject->info.damage->status != MS_OK)
        (void)complain_error(subject->info.damage); /* its status is noted later */
    return EXIT_DONE;
}

static void show_slice(struct run *run, const char *path, const char *arch)
{
    struct subject subject = {.target = path};
    double start = now();
    int status = opt.uuid ? open_alone(path, arch, &subject)
                          : image_with_dsym(path, arch, opt.dsym, &subject.image, &subject.info);
    if (status == EXIT_DONE) {
        const struct ms_image_info *info = &subject.info;
        subject.path = info->binary_path ? info->binary_path : info->debug_path;
        if (info->has_index && !opt.uuid)
            warn("%s (%s): is a ready index, for atos and crash: its functions are not listed",
                 subject.path, info->arch);
        show_image(run, &subject, start);
    }
    note(run, status);
    ms_image_close(subject.image);
}

/* ---- archives and kernel collections -----------------------------------------------------------
 */

/* A file that holds others, as far as it was read. */
struct holder {
    struct run *run;
    const char *path;
    const char *only;      /* the member that is wanted; NULL = all */
    struct ms_bytes bytes; /* of the file */
    size_t n_shown, n_bad;
    char archs[256]; /* that were met */
};

static void note_arch(struct holder *holder, const char *arch)
{
    size_t n = strlen(holder->archs), m = strlen(arch);
    for (const char *at = holder->archs; (at = strstr(at, arch)); at += m)
        if ((at == holder->archs || at[-1] == ' ') && (at[m] == ',' || !at[m]))
            return;
    if (n + m + 3 < sizeof holder->archs)
        snprintf(holder->archs + n, sizeof holder->archs - n, "%s%s", n ? ", " : "", arch);
}

static bool is_asked_for(const char *arch)
{
    return !opt.arch || strcmp(opt.arch, "all") == 0 || strcmp(opt.arch, arch) == 0;
}

/* The image inside, when its architecture is asked for. */
static void show_inside(struct holder *holder, struct ms_bytes bytes, uint64_t header_off,
                        const char *name)
{
    struct ms_image_inside inside = {holder->path, name, (uint64_t)(bytes.at - holder->bytes.at),
                                     bytes.n, header_off};
    struct subject subject = {.target = holder->path, .path = holder->path, .member = name};
    struct ms_error err;
    double start = now();
    if (ms_image_open_inside(&inside, &subject.image, &err) != MS_OK) {
        holder->n_bad++;
        note(holder->run, complain_error(&err));
        return;
    }
    ms_image_info(subject.image, &subject.info);
    note_arch(holder, subject.info.arch);
    if (is_asked_for(subject.info.arch)) {
        holder->n_shown++;
        if (subject.info.damage->status != MS_OK)
            (void)complain_error(subject.info.damage);
        show_image(holder->run, &subject, start);
    }
    ms_image_close(subject.image);
}

static void show_member(struct holder *holder, const struct ms_archive_member *member)
{
    struct ms_fat fat;
    struct ms_error err;
    if (ms_fat_parse(member->bytes, holder->path, &fat, &err) != MS_OK) {
        warn("%s(%s): %s", holder->path, member->name, err.text);
        return;
    }
    for (size_t i = 0; i < fat.n_slices && !holder->run->out.sink.failed; i++)
        if (fat.slices[i].kind == MS_SLICE_MACHO)
            show_inside(holder, fat.slices[i].bytes, 0, member->name);
    ms_fat_fini(&fat);
}

static void show_archive(struct holder *holder, struct ms_bytes bytes)
{
    struct ms_archive archive;
    struct ms_archive_member member;
    struct ms_error err;
    enum ms_status status = ms_archive_open(bytes, holder->path, &archive, &err);
    while (status == MS_OK && !holder->run->out.sink.failed) {
        status = ms_archive_next(&archive, &member, &err);
        if (status == MS_OK && (!holder->only || strcmp(holder->only, member.name) == 0))
            show_member(holder, &member);
    }
    if (status != MS_OK && status != MS_ABSENT)
        note(holder->run, complain_error(&err));
}

static void show_entries(struct holder *holder, const struct ms_macho *macho)
{
    size_t position = 0;
    struct ms_fileset_entry entry;
    struct ms_error err;
    enum ms_status status = MS_OK;
    while (status != MS_ABSENT && !holder->run->out.sink.failed) {
        status = ms_macho_fileset_next(macho, &position, &entry, &err);
        if (status == MS_OK)
            show_inside(holder, macho->bytes, entry.off, entry.name);
        else if (status != MS_ABSENT)
            note(holder->run, complain_error(&err));
    }
}

/* True for a kernel collection, which *out then is. */
static bool is_collection(const struct ms_slice *slice, const char *path, struct ms_macho *out)
{
    struct ms_error ignored;
    if (slice->kind != MS_SLICE_MACHO || ms_macho_parse(slice->bytes, path, out, &ignored) != MS_OK)
        return false;
    if (out->filetype == MS_MH_FILESET)
        return true;
    ms_macho_fini(out);
    return false;
}

static void show_holder_slice(struct holder *holder, const struct ms_slice *slice)
{
    struct ms_macho macho;
    char room[MS_ARCH_TEXT];
    const char *arch = ms_arch_text(slice->cputype, slice->cpusubtype, room);
    if (slice->kind == MS_SLICE_ARCHIVE) {
        show_archive(holder, slice->bytes);
        return;
    }
    if (holder->only)
        return;
    note_arch(holder, arch);
    if (slice->kind == MS_SLICE_MACHO && is_asked_for(arch))
        show_inside(holder, slice->bytes, 0, NULL);
    if (is_collection(slice, holder->path, &macho)) {
        show_entries(holder, &macho);
        ms_macho_fini(&macho);
    }
}

/* ---- files ------------------------------------------------------------------------------- */

static void complain_of_arch(const char *path, const char *archs)
{
    complain("%s: has no %s slice; it has %s", path, opt.arch, archs);
}

/* What a file that holds archives or collections came to. */
static void judge_holder(struct holder *holder)
{
    struct run *run = holder->run;
    if (opt.dsym)
        warn("-d %s is not used: the objects of an archive and the images of a collection have no "
             "dSYM",
             opt.dsym);
    if (holder->n_shown || run->out.sink.failed)
        return;
    if (!holder->archs[0] && !holder->n_bad && holder->only)
        complain("%s: has no member %s", holder->path, holder->only);
    else if (!holder->archs[0] && !holder->n_bad)
        complain("%s: holds no Mach-O image", holder->path);
    else if (holder->archs[0])
        complain_of_arch(holder->path, holder->archs);
    note(run, EXIT_INPUT);
}

/* Reads a file that holds archives or collections; false when it doesn't. */
static bool read_holder(struct run *run, const char *path, const char *only)
{
    struct stat st;
    struct input input;
    struct ms_fat fat;
    struct ms_macho macho;
    struct ms_error err;
    struct holder holder = {.run = run, .path = path, .only = only};
    bool any = false;
    /* What is wrong with it is told when it is read as a Mach-O. */
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || input_open(&input, path) != EXIT_DONE)
        return false;
    holder.bytes = input.bytes;
    if (ms_fat_parse(input.bytes, path, &fat, &err) == MS_OK) {
        for (size_t i = 0; i < fat.n_slices && !any; i++) {
            any = fat.slices[i].kind == MS_SLICE_ARCHIVE;
            if (!any && is_collection(&fat.slices[i], path, &macho)) {
                any = true;
                ms_macho_fini(&macho);
            }
        }
        for (size_t i = 0; i < fat.n_slices && any && !run->out.sink.failed; i++)
            show_holder_slice(&holder, &fat.slices[i]);
        ms_fat_fini(&fat);
    }
    if (any && !input_intact(&input))
        note(run, EXIT_INPUT);
    input_close(&input);
    if (any)
        judge_holder(&holder);
    return any;
}

static void read_operand(struct run *run, const char *path)
{
    struct ms_slice_uuid *slices;
    struct ms_error err;
    size_t n, n_shown = 0;
    char archs[400] = "";
    int status = input_path(&path);
    if (status != EXIT_DONE) {
        note(run, status);
        return;
    }
    const char *only;
    char *archive = members_split(path, &only);
    struct stat st;
    bool is_done = read_holder(run, archive ? archive : path, only);
    if (!is_done && archive && stat(archive, &st) == 0) {
        complain("%s: has no member %s", archive, only);
        note(run, EXIT_INPUT);
        is_done = true;
    }
    free(archive);
    if (is_done)
        return;
    if (ms_slice_uuids_read(path, &slices, &n, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    for (size_t i = 0; i < n && !run->out.sink.failed; i++) {
        size_t at = strlen(archs);
        snprintf(archs + at, sizeof archs - at, "%s%s", i ? ", " : "", slices[i].arch);
        if (!is_asked_for(slices[i].arch))
            continue;
        n_shown++;
        show_slice(run, path, n > 1 ? slices[i].arch : NULL);
    }
    if (!n_shown && !run->out.sink.failed) {
        complain_of_arch(path, archs);
        note(run, EXIT_INPUT);
    }
    ms_slice_uuids_free(slices, n);
}
static int read_all(const struct word_list *words)
{
    static struct run run; /* large: it holds the output buffer */
    out_stdout(&run.out);
    if (opt.json)
        json_list(&run.json, &run.out.sink, "images");
    for (size_t i = 0; i < words->n && !run.out.sink.failed; i++)
        read_operand(&run, words->items[i]);
    if (opt.lookup && !opt.uuid && !run.n_found)
        note(&run, EXIT_NO);
    if (opt.json)
        json_list_end(&run.json);
    return out_finish(&run.out, run.status, true);
}

static int check_usage(const struct word_list *words)
{
    if (opt.signature)
        return args_misused(&command, "-printSignature, -saveSignature: signatures are a form of "
                                      "Apple's own frameworks; --json is the form for programs");
    if (!words->n)
        return args_misused(&command, "which file?");
    if (opt.lookup && !opt.lookup[0])
        return args_misused(&command, "-lookup: which address or name?");
    uint64_t address;
    if (opt.lookup && strncmp(opt.lookup, "0x", 2) == 0 &&
        !parse_address(opt.lookup, true, &address))
        return args_misused(&command, "-lookup: '%s' is not an address", opt.lookup);
    return ARGS_RUN;
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN)
        status = check_usage(&words);
    struct prefixes prefixes = {NULL, NULL};
    if (status == ARGS_RUN)
        status = prefixes_read(&prefixes, &command, &opt.prefixes, &search);
    if (status == ARGS_RUN)
        status = opt.uuid && opt.json ? print_uuids(&words, opt.arch, true) : read_all(&words);
    prefixes_fini(&prefixes);
    word_list_fini(&opt.prefixes);
    word_list_fini(&words);
    return status;
}
