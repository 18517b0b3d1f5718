/*
 * machsym symbols: the regions, symbols and source lines of images, merged from all that tells
 * of them, as symbols(1) prints them.
 */
#include "common/args.h"
#include "common/console.h"
#include "common/names.h"
#include "common/out.h"
#include "common/uuids.h"
#include "common/with_dsym.h"
#include "machsym/demangle.h"
#include "machsym/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
    const char *arch, *dsym, *lookup;
    bool uuid, only_nlist, only_starts, only_dwarf;
    bool no_sources, no_symbols, no_regions, no_headers, no_demangling, full_path;
    bool dsym_paths, wide, verbose, json;
} opt;

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "this slice; all without it", NULL},
    {"-uuid", NULL, OPTION_FLAG, &opt.uuid, NULL, "print UUID, architecture and path alone", NULL},
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
    {"-w", NULL, OPTION_FLAG, &opt.wide, NULL, "accepted: lines are never cut", NULL},
    {"-v", NULL, OPTION_FLAG, &opt.verbose, NULL, "say on stderr what each source had", NULL},
    {"-d", "--dsym", OPTION_TEXT, &opt.dsym, "PATH", "the dSYM, where it isn't beside FILE", NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"symbols [options] FILE...", NULL};

static const struct command command = {
    "symbols",
    "Prints regions, symbols and source lines, and which data they are from",
    usage,
    options,
    sizeof options / sizeof *options,
    "FILE is a Mach-O file, thin or fat, a dSYM, or a bundle such as an .app or a .framework, of\n"
    "which the main binary is read, with the dSYM beside it that has its UUID.",
};

struct run {
    struct out out;
    struct ms_json json;
    int status;
};

static void note(struct run *run, int status)
{
    run->status = worse(run->status, status);
}

/* ---- what is shown of an image -----------------------------------------------------------------
 */

static const char *kind_of(uint32_t filetype)
{
    static const struct {
        uint32_t filetype;
        const char *name;
    } kinds[] = {
        {MS_MH_OBJECT, "OBJECT"}, {MS_MH_EXECUTE, "AOUT"},     {MS_MH_DYLIB, "DYLIB"},
        {MS_MH_DYLINKER, "DYLD"}, {MS_MH_BUNDLE, "BUNDLE"},    {MS_MH_DYLIB_STUB, "DYLIB-STUB"},
        {MS_MH_DSYM, "dSYM"},     {MS_MH_KEXT, "KEXT-BUNDLE"},
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
    return info->binary_path && info->debug_path &&
           strcmp(info->binary_path, info->debug_path) != 0;
}

static void put_headers(struct run *run, const char *target, const struct ms_image_info *info,
                        const struct ms_symbol_tree *tree, double seconds)
{
    struct ms_sink *sink = &run->out.sink;
    char uuid[MS_UUID_TEXT];
    uuid_text(info, uuid);
    ms_sink_plain(sink, target);
    ms_sink_printf(sink, " [%s, %.6f seconds]:\n    %s ", info->arch, seconds, uuid);
    ms_sink_plain(sink, info->binary_path ? info->binary_path : info->debug_path);
    ms_sink_printf(sink, " [%s%s%s, FaultedFromDisk, MMap%d]\n", kind_of(tree->filetype),
                   tree->header_flags & 0x200000 ? ", PIE" : "",
                   found_dsym(info) ? ", Found-dSYM" : "", tree->is64 ? 64 : 32);
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
    struct ms_tree_sources sources = {all || opt.only_nlist, all || opt.only_starts,
                                      all || opt.only_dwarf, all,
                                      (all || opt.only_dwarf) && !opt.no_sources};
    if (opt.no_symbols && !opt.lookup)
        memset(&sources, 0, sizeof sources);
    return sources;
}

static void say_counts(const char *path, const struct ms_image_info *info,
                       const struct ms_symbol_tree *tree)
{
    fprintf(stderr,
            "machsym symbols: %s (%s): %zu of the symbol table, %zu function starts, %zu functions "
            "of DWARF, %zu of the debug map, %zu exports; merged %zu symbols, %zu lines\n",
            path, info->arch, tree->n_nlist, tree->n_starts, tree->n_dwarf, tree->n_debug_map,
            tree->n_exports, tree->n_symbols, tree->n_lines);
}

static void write_json(struct run *run, const struct ms_image_info *info,
                       const struct ms_symbol_tree *tree, const struct ms_tree_style *style,
                       struct ms_tree_result *result, enum ms_status *status, struct ms_error *err)
{
    char uuid[MS_UUID_TEXT];
    uuid_text(info, uuid);
    ms_json_object(&run->json);
    ms_json_field(&run->json, "path", info->binary_path ? info->binary_path : info->debug_path);
    ms_json_field(&run->json, "arch", info->arch);
    ms_json_field(&run->json, "uuid", info->has_uuid ? uuid : NULL);
    ms_json_field(&run->json, "filetype", ms_filetype_name(tree->filetype));
    ms_json_field(&run->json, "dsym", found_dsym(info) ? info->debug_path : NULL);
    ms_json_key(&run->json, "regions");
    *status = ms_symbol_tree_write_json(tree, style, &run->json, result, err);
    ms_json_object_end(&run->json);
}

static void write_text(struct run *run, const char *path, const struct ms_image_info *info,
                       const struct ms_symbol_tree *tree, const struct ms_tree_style *style,
                       double seconds, struct ms_tree_result *result, enum ms_status *status,
                       struct ms_error *err)
{
    struct ms_sink *sink = &run->out.sink;
    if (!opt.no_headers)
        put_headers(run, path, info, tree, seconds);
    if (opt.dsym_paths && found_dsym(info)) {
        ms_sink_puts(sink, "        dSYM ");
        ms_sink_plain(sink, info->debug_path);
        ms_sink_puts(sink, "\n");
    }
    if (style->glob) {
        ms_sink_puts(sink, "        symbols matching [*");
        ms_sink_plain(sink, style->glob);
        ms_sink_puts(sink, "*]:\n");
    }
    *status = ms_symbol_tree_write(tree, style, sink, result, err);
}

static void show_tree(struct run *run, const char *path, const struct ms_image_info *info,
                      const struct ms_symbol_tree *tree, double seconds)
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
    struct ms_tree_result result;
    struct ms_error err;
    enum ms_status status;
    if (opt.json)
        write_json(run, info, tree, &style, &result, &status, &err);
    else
        write_text(run, path, info, tree, &style, seconds, &result, &status, &err);
    out_flush(&run->out);
    if (status != MS_OK)
        note(run, complain_error(&err));
    if (result.cut)
        warn("%s: names were cut: its tables spell the same bytes over and over", path);
    if (opt.lookup && !result.n_shown)
        note(run, EXIT_NO);
}

static void show_slice(struct run *run, const char *path, const char *arch)
{
    struct ms_image *image;
    struct ms_image_info info;
    struct ms_symbol_tree tree;
    struct ms_error err;
    double start = now();
    int status = image_with_dsym(path, arch, opt.dsym, &image, &info);
    if (status != EXIT_DONE) {
        note(run, status);
        ms_image_close(image);
        return;
    }
    if (info.damage->status != MS_OK)
        note(run, exit_for(info.damage->status));
    struct ms_tree_sources sources = wanted_sources();
    if (ms_symbol_tree_read(image, &sources, &tree, &err) != MS_OK) {
        note(run, complain_error(&err));
    } else {
        show_tree(run, path, &info, &tree, now() - start);
        if (opt.verbose)
            say_counts(path, &info, &tree);
        if (tree.n_broken) {
            note(run, complain_error(&tree.first_fault));
            if (tree.n_broken > 1)
                complain("%s (%s): %zu more units or tables are damaged", path, info.arch,
                         tree.n_broken - 1);
        }
        ms_symbol_tree_fini(&tree);
    }
    ms_image_close(image);
}

/* ---- files -------------------------------------------------------------------------------------
 */

static void complain_of_arch(const char *path, const struct ms_slice_uuid *slices, size_t n)
{
    char list[400] = "";
    for (size_t i = 0; i < n; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", slices[i].arch);
    }
    complain("%s: has no %s slice; it has %s", path, opt.arch, list);
}

static void read_operand(struct run *run, const char *path)
{
    struct ms_slice_uuid *slices;
    struct ms_error err;
    size_t n, n_shown = 0;
    if (ms_slice_uuids_read(path, &slices, &n, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    for (size_t i = 0; i < n && !run->out.sink.failed; i++) {
        if (opt.arch && strcmp(opt.arch, "all") != 0 && strcmp(opt.arch, slices[i].arch) != 0)
            continue;
        n_shown++;
        show_slice(run, path, n > 1 ? slices[i].arch : NULL);
    }
    if (!n_shown && !run->out.sink.failed) {
        complain_of_arch(path, slices, n);
        note(run, EXIT_INPUT);
    }
    ms_slice_uuids_free(slices, n);
}

static int read_all(const struct word_list *words)
{
    static struct run run; /* large: it holds the output buffer */
    out_stdout(&run.out);
    if (opt.json) {
        ms_json_init(&run.json, &run.out.sink, 2);
        ms_json_object(&run.json);
        ms_json_key(&run.json, "images");
        ms_json_array(&run.json);
    }
    for (size_t i = 0; i < words->n && !run.out.sink.failed; i++)
        read_operand(&run, words->items[i]);
    if (opt.json) {
        ms_json_array_end(&run.json);
        ms_json_object_end(&run.json);
        ms_sink_puts(&run.out.sink, "\n");
    }
    return out_finish(&run.out, run.status, true);
}

static int check_usage(const struct word_list *words)
{
    if (!words->n)
        return args_misused(&command, "which file?");
    if (opt.lookup && !opt.lookup[0])
        return args_misused(&command, "-lookup: which address or name?");
    uint64_t address;
    if (opt.lookup && strncmp(opt.lookup, "0x", 2) == 0 &&
        !parse_address(opt.lookup, true, &address))
        return args_misused(&command, "-lookup: '%s' is not an address", opt.lookup);
    int status = args_need_file(&command, opt.dsym);
    for (size_t i = 0; i < words->n && status == ARGS_RUN && !opt.uuid; i++)
        status = args_need_file(&command, words->items[i]);
    return status;
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN)
        status = check_usage(&words);
    if (status == ARGS_RUN)
        status = opt.uuid ? print_uuids(&words, opt.arch, opt.json) : read_all(&words);
    word_list_fini(&words);
    return status;
}
