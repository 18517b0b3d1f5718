/*
 * machsym debugmap: which objects an image was linked from and where their symbols are, as
 * dsymutil --dump-debug-map prints it.
 */
#include "common/answer_json.h"
#include "common/args.h"
#include "common/console.h"
#include "common/input.h"
#include "common/out.h"
#include "common/prefixes.h"
#include "common/yaml.h"
#include "machsym/debugmap.h"
#include "machsym/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct {
    const char *arch, *folder;
    struct word_list prefixes;
    bool json, dump; /* dump: of no effect */
} opt;

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "only the slice of this architecture", NULL},
    {"--oso-prefix-map", NULL, OPTION_LIST, &opt.prefixes, "FROM=TO", OSO_PREFIX_MAP_HELP, NULL},
    {"--oso-prepend-path", "-oso-prepend-path", OPTION_TEXT, &opt.folder, "FOLDER",
     "put FOLDER before the path of each object file", NULL},
    {"--object-prefix-map", "-object-prefix-map", OPTION_LIST, &opt.prefixes, NULL, NULL, NULL},
    {"--dump-debug-map", "-dump-debug-map", OPTION_FLAG, &opt.dump, NULL, NULL, NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"debugmap [options] FILE…", NULL};

static const struct command command = {
    "debugmap",
    "Prints the debug map: the object files of an image and where their symbols are",
    usage,
    options,
    sizeof options / sizeof *options,
    "The form is that of dsymutil --dump-debug-map. An object that is missing or was written\n"
    "anew since is named on standard error.",
};

struct run {
    struct out out;
    struct ms_json json;
    struct ms_object_search search;
    int status;
    size_t n_slices, n_shown; /* of the file in hand */
    char archs[200];
};

static void note(struct run *run, int status)
{
    run->status = worse(run->status, status);
}

/* ---- YAML ------------------------------------------------------------------------------ */

/* What LLVM calls a pair of cputype and cpusubtype; it has no name for others. */
static const struct {
    uint32_t cputype, cpusubtype;
    const char *triple;
} triples[] = {
    {MS_CPU_ARM64, 0, "arm64-apple-darwin"},       {MS_CPU_ARM64, 2, "arm64e-apple-darwin"},
    {MS_CPU_X86_64, 3, "x86_64-apple-darwin"},     {MS_CPU_X86_64, 8, "x86_64h-apple-darwin"},
    {MS_CPU_ARM64_32, 1, "arm64_32-apple-darwin"}, {MS_CPU_I386, 3, "i386-apple-darwin"},
    {MS_CPU_ARM, 5, "armv4t-apple-darwin"},        {MS_CPU_ARM, 6, "armv6-apple-darwin"},
    {MS_CPU_ARM, 7, "armv5e-apple-darwin"},        {MS_CPU_ARM, 8, "xscale-apple-darwin"},
    {MS_CPU_ARM, 9, "armv7-apple-darwin"},         {MS_CPU_ARM, 11, "armv7s-apple-darwin"},
    {MS_CPU_ARM, 12, "armv7k-apple-darwin"},       {MS_CPU_ARM, 14, "armv6m-apple-darwin"},
    {MS_CPU_ARM, 15, "thumbv7m-apple-darwin"},     {MS_CPU_ARM, 16, "thumbv7em-apple-darwin"},
    {MS_CPU_PPC, 0, "ppc-apple-darwin"},           {MS_CPU_PPC64, 0, "ppc64-apple-darwin"},
};

static const char *triple_of(const struct ms_macho *macho)
{
    for (size_t i = 0; i < sizeof triples / sizeof *triples; i++)
        if (triples[i].cputype == macho->cputype &&
            triples[i].cpusubtype == (macho->cpusubtype & 0x00ffffff))
            return triples[i].triple;
    return "";
}

static void yaml_object(struct ms_sink *sink, const struct ms_linked_object *object)
{
    ms_sink_puts(sink, "  - filename:        ");
    yaml_string(sink, object->path);
    ms_sink_printf(sink, "\n    timestamp:       %" PRId64 "\n    symbols:", object->mtime);
    ms_sink_puts(sink, object->n_symbols ? "\n" : "         []\n");
    for (size_t i = 0; i < object->n_symbols; i++) {
        const struct ms_linked_symbol *s = &object->symbols[i];
        ms_sink_puts(sink, "      - { sym: ");
        yaml_string(sink, s->name);
        if (s->has_object_vm)
            ms_sink_printf(sink, ", objAddr: 0x%" PRIX64, s->object_vm);
        ms_sink_printf(sink, ", binAddr: 0x%" PRIX64 ", size: 0x%" PRIX32 " }\n", s->vm, s->bytes);
    }
}

static void print_yaml(struct run *run, const struct ms_macho *macho, const char *path,
                       const struct ms_linked_map *map)
{
    struct ms_sink *sink = &run->out.sink;
    bool any = false;
    ms_sink_printf(sink, "---\ntriple:          '%s'\nbinary-path:     ", triple_of(macho));
    yaml_string(sink, input_shown(path));
    ms_sink_puts(sink, "\n");
    for (size_t i = 0; i < map->n_objects; i++) {
        if (map->objects[i].status != MS_OK)
            continue;
        ms_sink_puts(sink, any ? "" : "objects:\n");
        any = true;
        yaml_object(sink, &map->objects[i]);
    }
    ms_sink_puts(sink, "...\n");
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void json_object_file(struct ms_json *json, const struct ms_linked_object *object)
{
    ms_json_object(json);
    ms_json_field(json, "path", object->path);
    if (object->source[0]) {
        char source[4096];
        bool absolute = object->source[0] == '/';
        snprintf(source, sizeof source, "%s%s", absolute ? "" : object->folder, object->source);
        ms_json_field(json, "source", source);
    }
    ms_json_key(json, "mtime");
    ms_json_int(json, object->mtime);
    ms_json_field(json, "state",
                  object->status == MS_OK ? object->stale ? "stale" : "read"
                  : object->status == MS_ABSENT || object->status == MS_E_IO ? "missing"
                                                                             : "malformed");
    if (object->is_module)
        ms_json_field_bool(json, "module", true);
    ms_json_key(json, "symbols");
    ms_json_array(json);
    for (size_t i = 0; i < object->n_symbols; i++) {
        const struct ms_linked_symbol *s = &object->symbols[i];
        ms_json_object(json);
        ms_json_field(json, "name", s->name);
        if (s->has_object_vm)
            ms_json_field_address(json, "object_address", s->object_vm);
        ms_json_field_address(json, "file_address", s->vm);
        ms_json_field_uint(json, "size", s->bytes);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
    ms_json_object_end(json);
}

static void print_json(struct run *run, const struct ms_macho *macho, const char *arch,
                       const char *path, const struct ms_linked_map *map)
{
    struct ms_json *json = &run->json;
    ms_json_object(json);
    ms_json_field(json, "path", input_shown(path));
    ms_json_field(json, "arch", arch);
    if (macho->has_uuid) {
        char uuid[MS_UUID_TEXT];
        ms_uuid_format(&macho->uuid, uuid);
        ms_json_field(json, "uuid", uuid);
    }
    ms_json_key(json, "objects");
    ms_json_array(json);
    for (size_t i = 0; i < map->n_objects; i++)
        json_object_file(json, &map->objects[i]);
    ms_json_array_end(json);
    ms_json_object_end(json);
}

/* ---- one file -------------------------------------------------------------------------- */

/* A map of a large program names thousands of objects, which all are missing elsewhere. */
static void tell_left_out(const struct ms_linked_map *map, const char *where)
{
    static const char *const one[MS_NOTE_KINDS] = {
        "object is missing", "object was written anew", "object can't be used",
        "symbol is not in its object, or is there twice"};
    static const char *const several[MS_NOTE_KINDS] = {
        "objects are missing", "objects were written anew", "objects can't be used",
        "symbols are not in their objects, or are there twice"};
    for (int kind = 0; kind < MS_NOTE_KINDS; kind++) {
        size_t n = map->n_left_out[kind];
        if (n)
            warn("%s: and %zu more %s%s", where, n, n == 1 ? one[kind] : several[kind],
                 kind != MS_NOTE_SYMBOL && !opt.json ? "; --json names all" : "");
    }
}

static void print_slice(struct run *run, const struct ms_macho *macho, const char *arch,
                        const char *path)
{
    struct ms_linked_map map;
    struct ms_error err;
    char line[MS_ERROR_LINE];
    if (macho->damage.status != MS_OK)
        note(run, complain_error(&macho->damage));
    if (ms_linked_map_read(macho, &run->search, &map, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    if (opt.json)
        print_json(run, macho, arch, path, &map);
    else
        print_yaml(run, macho, path, &map);
    out_flush(&run->out);
    if (!map.n_objects)
        warn("%s: names no object files", macho->where);
    for (size_t i = 0; i < map.n_notes; i++)
        warn("%s", ms_error_describe(&map.notes[i], line));
    tell_left_out(&map, macho->where);
    ms_linked_map_fini(&map);
}

static void note_arch(struct run *run, const char *arch)
{
    size_t at = strlen(run->archs);
    snprintf(run->archs + at, sizeof run->archs - at, "%s%s", run->n_slices++ ? ", " : "", arch);
}

static void read_slice(struct run *run, const struct ms_slice *slice, const char *path)
{
    struct ms_macho macho;
    struct ms_error err;
    char room[MS_ARCH_TEXT];
    const char *arch = ms_arch_text(slice->cputype, slice->cpusubtype, room);
    if (slice->kind != MS_SLICE_MACHO)
        return;
    note_arch(run, arch);
    if (opt.arch && strcmp(opt.arch, arch) != 0)
        return;
    run->n_shown++;
    if (ms_macho_parse(slice->bytes, path, &macho, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    print_slice(run, &macho, arch, path);
    ms_macho_fini(&macho);
}

static void read_file(struct run *run, const char *path)
{
    struct input input;
    struct ms_fat fat;
    struct ms_error err;
    int status = input_open(&input, path);
    run->n_slices = run->n_shown = 0;
    run->archs[0] = 0;
    if (status != EXIT_DONE) {
        note(run, status);
        return;
    }
    if (ms_fat_parse(input.bytes, input.name, &fat, &err) == MS_OK) {
        for (size_t i = 0; i < fat.n_slices; i++)
            read_slice(run, &fat.slices[i], path);
        ms_fat_fini(&fat);
        if (!run->n_slices) {
            complain("%s: is a static archive: its members have no debug map", path);
            note(run, EXIT_INPUT);
        } else if (!run->n_shown) {
            complain("%s: has no %s slice; it has %s", path, opt.arch, run->archs);
            note(run, EXIT_INPUT);
        }
    } else {
        note(run, complain_error(&err));
    }
    if (!input_intact(&input))
        note(run, EXIT_INPUT);
    input_close(&input);
}

/* An app or another bundle stands for its binary. */
static void read_operand(struct run *run, const char *path)
{
    struct stat st;
    struct ms_slice_uuid *slices;
    struct ms_error err;
    size_t n;
    int status = input_path(&path);
    if (status != EXIT_DONE) {
        note(run, status);
        return;
    }
    if (stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        read_file(run, path);
        return;
    }
    if (ms_slice_uuids_read(path, &slices, &n, &err) != MS_OK) {
        note(run, complain_error(&err));
        return;
    }
    for (size_t i = 0; i < n; i++)
        if (i == 0 || strcmp(slices[i].path, slices[i - 1].path) != 0)
            read_file(run, slices[i].path);
    ms_slice_uuids_free(slices, n);
}

static int print_all(const struct word_list *words, const struct ms_object_search *search)
{
    static struct run run; /* large: it holds the output buffer */
    run.search = *search;
    run.search.folder = opt.folder;
    out_stdout(&run.out);
    if (opt.json)
        json_list(&run.json, &run.out.sink, "images");
    for (size_t i = 0; i < words->n && !run.out.sink.failed; i++)
        read_operand(&run, words->items[i]);
    if (opt.json)
        json_list_end(&run.json);
    return out_finish(&run.out, run.status, true);
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    struct prefixes prefixes = {NULL, NULL};
    struct ms_object_search search = {NULL, 0, NULL};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN && !words.n)
        status = args_misused(&command, "which file?");
    if (status == ARGS_RUN)
        status = prefixes_read(&prefixes, &command, &opt.prefixes, &search);
    if (status == ARGS_RUN)
        status = print_all(&words, &search);
    prefixes_fini(&prefixes);
    word_list_fini(&opt.prefixes);
    word_list_fini(&words);
    return status;
}
