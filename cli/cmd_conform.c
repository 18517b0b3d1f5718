/*
 * machsym conform: which Swift type conforms to which protocol, and which function meets each
 * requirement, out of the metadata.
 */
#include "common/answer_json.h"
#include "common/args.h"
#include "common/console.h"
#include "common/filter.h"
#include "common/names.h"
#include "common/out.h"
#include "common/with_dsym.h"
#include "machsym/runtime.h"
#include "machsym/slide.h"
#include "machsym/symbolize.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *arch, *dsym;
    struct filter protocols, types;
    bool any; /* passed both */
    struct option_number load;
    bool list_types, lldb, full_path, json;
    struct name_options names;
} opt;

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "slice of a universal file", NULL},
    {"-d", "--dsym", OPTION_TEXT, &opt.dsym, "PATH", DSYM_HELP, NULL},
    {"--protocol", NULL, OPTION_LIST, &opt.protocols.names, "NAME",
     "conformances to this protocol alone; can be repeated", NULL},
    {"--type", NULL, OPTION_LIST, &opt.types.names, "NAME", "of this type alone; can be repeated",
     NULL},
    {"--types", NULL, OPTION_FLAG, &opt.list_types, NULL,
     "list the types and protocols that FILE defines instead", NULL},
    {"--lldb", NULL, OPTION_FLAG, &opt.lldb, NULL,
     "print a debugger's commands that set a breakpoint at each function", NULL},
    {"-l", "--load-address", OPTION_HEX, &opt.load, "ADDRESS",
     "load address of the image (hexadecimal): addresses are those of that process", NULL},
    {"--full-path", NULL, OPTION_FLAG, &opt.full_path, NULL, "full paths of source files", NULL},
    {"--full-names", NULL, OPTION_FLAG, &opt.names.full, NULL, FULL_NAMES_HELP, NULL},
    {"--no-demangle", NULL, OPTION_FLAG, &opt.names.mangled, NULL, "leave names mangled", NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"conform [options] FILE", NULL};

static const struct command command = {
    "conform",
    "Lists Swift's protocol conformances and the functions that implement them",
    usage,
    options,
    sizeof options / sizeof *options,
    "FILE is a Mach-O file, an .app, a .framework or another bundle. Symbols aren't needed; with "
    "a\n"
    "dSYM there are files and lines. " FILTER_NAME_HELP,
};

struct listing {
    struct ms_image *image;
    struct ms_image_info info;
    uint64_t slide;
    struct ms_swift_metadata swift;
    struct ms_image_witnesses places;
    struct ms_show_pool *pool;
    struct ms_show_style style;
    bool out_of_memory;
    struct out out;
};

/* ---- which ----------------------------------------------------------------------------------- */

static bool is_listed(struct filter *filter, const struct ms_swift_name *name)
{
    return filter_takes(filter, name->module, name->path);
}

static bool is_wanted(const struct ms_swift_conformance *c)
{
    /* Both are asked, so that each knows what is there. */
    bool of_type = is_listed(&opt.types, &c->type), to = is_listed(&opt.protocols, &c->protocol);
    opt.any |= of_type && to;
    return of_type && to;
}

/* Says which names nothing has. */
static int tell_unmet(void)
{
    int status = filter_end(&opt.types, "type");
    status = worse(status, filter_end(&opt.protocols, "protocol"));
    if (status != EXIT_DONE || opt.list_types || opt.any || !opt.types.names.n ||
        !opt.protocols.names.n)
        return status;
    complain("no type of that name conforms to a protocol of that name");
    return EXIT_NO;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A name that is written by a function as snprintf is: in `small`, or in memory to be freed. */
enum { SMALL_NAME = 512 };

static size_t write_requirement(struct listing *l, const struct ms_swift_conformance *c,
                                size_t index, char *out, size_t room)
{
    const struct ms_swift_witness *w = &l->swift.witnesses[index];
    const char *symbol = w->symbol ? NULL : l->places.symbols[index];
    unsigned style = name_style(&opt.names);
    size_t need = symbol ? ms_swift_requirement_of_symbol(c, symbol, style, out, room) : 0;
    return need ? need : ms_swift_requirement_write(c, w, style, out, room);
}

static char *requirement_text(struct listing *l, const struct ms_swift_conformance *c, size_t index,
                              char small[SMALL_NAME])
{
    const struct ms_swift_witness *w = &l->swift.witnesses[index];
    if (opt.names.mangled && w->symbol)
        return (char *)w->symbol;
    size_t need = write_requirement(l, c, index, small, SMALL_NAME);
    if (need < SMALL_NAME)
        return small;
    char *text = malloc(need + 1);
    if (text)
        write_requirement(l, c, index, text, need + 1);
    else
        l->out_of_memory = true;
    return text;
}

static void free_text(char *text, const char *small, const struct ms_swift_witness *w)
{
    if (text != small && text != w->symbol)
        free(text);
}

static void put_name(struct ms_sink *sink, const struct ms_swift_name *name)
{
    if (name->module)
        ms_sink_plain(sink, name->module);
    if (name->module && name->path)
        ms_sink_puts(sink, ".");
    if (name->path || !name->module)
        ms_sink_plain(sink, name->path ? name->path : "?");
}

/* The place of a witness in the sources: NULL when it has none, as what a compiler made. */
static const struct ms_shown_frame *place_of(struct listing *l, size_t witness,
                                             struct ms_shown *shown)
{
    struct ms_error err;
    const struct ms_answer *answer = &l->places.items[witness];
    if (!answer->n_frames)
        return NULL;
    if (ms_show(l->pool, answer, &l->style, 0, l->slide, shown, &err) != MS_OK) {
        l->out_of_memory = true;
        return NULL;
    }
    return shown->n_frames ? &shown->frames[0] : NULL;
}

static bool has_line(const struct ms_shown_frame *frame)
{
    return frame && frame->file && frame->line;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_witness(struct listing *l, const struct ms_swift_conformance *c, size_t index)
{
    const struct ms_swift_witness *w = &l->swift.witnesses[index];
    struct ms_sink *sink = &l->out.sink;
    struct ms_shown shown;
    char small[SMALL_NAME];
    if (!w->has_address)
        return;
    char *name = requirement_text(l, c, index, small);
    if (!name)
        return;
    ms_sink_printf(sink, "\t0x%016" PRIx64 " ", ms_slide_to_rt(w->vm, l->slide));
    ms_sink_plain(sink, name);
    const struct ms_shown_frame *place = place_of(l, index, &shown);
    if (has_line(place)) {
        ms_sink_puts(sink, " (");
        ms_sink_plain(sink, place->file);
        ms_sink_printf(sink, ":%" PRIu32 ")", place->line);
    }
    ms_sink_puts(sink, "\n");
    free_text(name, small, w);
}

static void print_text(struct listing *l)
{
    struct ms_sink *sink = &l->out.sink;
    for (size_t i = 0; i < l->swift.n_conformances && !l->out_of_memory; i++) {
        const struct ms_swift_conformance *c = &l->swift.conformances[i];
        if (!is_wanted(c))
            continue;
        put_name(sink, &c->type);
        ms_sink_puts(sink, ": ");
        put_name(sink, &c->protocol);
        if (c->is_retroactive && !c->is_synthesized && c->module) {
            ms_sink_puts(sink, " (in ");
            ms_sink_plain(sink, c->module);
            ms_sink_puts(sink, ")");
        }
        ms_sink_puts(sink, "\n");
        for (size_t k = 0; k < c->n_witnesses; k++)
            print_witness(l, c, c->first_witness + k);
    }
}

/* ---- a debugger's commands ------------------------------------------------------------------- */

/* A word of lldb's command language. */
static void put_quoted(struct ms_sink *sink, const char *word)
{
    ms_sink_puts(sink, "\"");
    for (; *word; word++) {
        char c = *word;
        if (c == '"' || c == '\\')
            ms_sink_write(sink, "\\", 1);
        if ((unsigned char)c < 0x20 || c == 0x7f)
            c = '?';
        ms_sink_write(sink, &c, 1);
    }
    ms_sink_puts(sink, "\"");
}

/*
 * By address where the load address is known; else by file and line, which lldb finds whatever
 * the slide; else by address in the file, which --shlib makes of it.
 */
static void print_breakpoint(struct listing *l, size_t index)
{
    const struct ms_swift_witness *w = &l->swift.witnesses[index];
    struct ms_sink *sink = &l->out.sink;
    struct ms_shown shown;
    const struct ms_shown_frame *place = opt.load.given ? NULL : place_of(l, index, &shown);
    ms_sink_puts(sink, "breakpoint set ");
    if (has_line(place)) {
        ms_sink_puts(sink, "--file ");
        put_quoted(sink, place->file);
        ms_sink_printf(sink, " --line %" PRIu32, place->line);
    } else if (opt.load.given) {
        ms_sink_printf(sink, "--address 0x%" PRIx64, ms_slide_to_rt(w->vm, l->slide));
    } else {
        ms_sink_puts(sink, "--shlib ");
        put_quoted(sink, l->info.name);
        ms_sink_printf(sink, " --address 0x%" PRIx64, w->vm);
    }
    ms_sink_puts(sink, "\n");
}

static void print_lldb(struct listing *l)
{
    for (size_t i = 0; i < l->swift.n_conformances && !l->out_of_memory; i++) {
        const struct ms_swift_conformance *c = &l->swift.conformances[i];
        for (size_t k = 0; is_wanted(c) && k < c->n_witnesses; k++)
            if (l->swift.witnesses[c->first_witness + k].has_address)
                print_breakpoint(l, c->first_witness + k);
    }
}

/* ---- types ----------------------------------------------------------------------------------- */

static void print_types(struct listing *l, const struct ms_swift_type *types, size_t n,
                        struct filter *wanted)
{
    struct ms_sink *sink = &l->out.sink;
    for (size_t i = 0; i < n; i++) {
        const struct ms_swift_type *t = &types[i];
        if (!is_listed(wanted, &t->name))
            continue;
        if (t->vm)
            ms_sink_printf(sink, "0x%016" PRIx64, ms_slide_to_rt(t->vm, l->slide));
        else
            ms_sink_puts(sink, "                 -");
        ms_sink_printf(sink, " %-8s ", ms_swift_kind_name(t->kind));
        put_name(sink, &t->name);
        ms_sink_puts(sink, t->is_generic ? " (generic)\n" : "\n");
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_address(struct listing *l, struct ms_json *json, uint64_t vm)
{
    if (opt.load.given)
        ms_json_field_address(json, "address", ms_slide_to_rt(vm, l->slide));
    ms_json_field_address(json, "file_address", vm);
}

static void json_error(struct ms_json *json, const struct ms_error *fault)
{
    char line[MS_ERROR_LINE];
    if (fault)
        ms_json_field(json, "error", ms_error_describe(fault, line));
}

static void json_witness(struct listing *l, const struct ms_swift_conformance *c, size_t index,
                         struct ms_json *json)
{
    const struct ms_swift_witness *w = &l->swift.witnesses[index];
    struct ms_shown shown;
    char small[SMALL_NAME];
    char *name = requirement_text(l, c, index, small);
    ms_json_object(json);
    ms_json_field(json, "requirement", name);
    ms_json_field(json, "kind", ms_swift_requirement_name(w->kind));
    ms_json_field(json, "symbol", w->symbol);
    ms_json_field(json, "witness_symbol", l->places.symbols[index]);
    if (w->has_index)
        ms_json_field_uint(json, "index", w->index);
    ms_json_field_address(json, "slot", w->slot_vm);
    ms_json_field(json, "import", w->import);
    if (w->has_address) {
        json_address(l, json, w->vm);
        const struct ms_shown_frame *place = place_of(l, index, &shown);
        if (place)
            json_frame_members(json, place);
    }
    ms_json_object_end(json);
    free_text(name, small, w);
}

static void json_conformance(struct listing *l, const struct ms_swift_conformance *c,
                             struct ms_json *json)
{
    ms_json_object(json);
    ms_json_field(json, "type", c->type.path);
    ms_json_field(json, "type_module", c->type.module);
    ms_json_field(json, "protocol", c->protocol.path);
    ms_json_field(json, "protocol_module", c->protocol.module);
    ms_json_field(json, "module", c->module);
    if (c->is_retroactive)
        ms_json_field_bool(json, "retroactive", true);
    if (c->is_synthesized)
        ms_json_field_bool(json, "synthesized", true);
    if (c->is_conditional)
        ms_json_field_bool(json, "conditional", true);
    if (c->vm)
        json_address(l, json, c->vm);
    if (c->table_vm)
        ms_json_field_address(json, "witness_table", c->table_vm);
    json_error(json, c->fault);
    ms_json_key(json, "witnesses");
    ms_json_array(json);
    for (size_t k = 0; k < c->n_witnesses; k++)
        json_witness(l, c, c->first_witness + k, json);
    ms_json_array_end(json);
    ms_json_object_end(json);
}

static void json_types(struct listing *l, const char *key, const struct ms_swift_type *types,
                       size_t n, struct filter *wanted, struct ms_json *json)
{
    ms_json_key(json, key);
    ms_json_array(json);
    for (size_t i = 0; i < n; i++) {
        const struct ms_swift_type *t = &types[i];
        if (!is_listed(wanted, &t->name))
            continue;
        ms_json_object(json);
        ms_json_field(json, "kind", ms_swift_kind_name(t->kind));
        ms_json_field(json, "name", t->name.path);
        ms_json_field(json, "module", t->name.module);
        if (t->is_generic)
            ms_json_field_bool(json, "generic", true);
        if (t->vm)
            json_address(l, json, t->vm);
        if (t->access_vm)
            ms_json_field_address(json, "accessor", t->access_vm);
        ms_json_field(json, "import", t->import);
        json_error(json, t->fault);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

static void print_json(struct listing *l)
{
    struct ms_json json;
    ms_json_init(&json, &l->out.sink, 2);
    ms_json_object(&json);
    json_image_head(&json, &l->info);
    if (opt.list_types) {
        json_types(l, "types", l->swift.types, l->swift.n_types, &opt.types, &json);
        json_types(l, "protocols", l->swift.protocols, l->swift.n_protocols, &opt.protocols, &json);
    } else {
        ms_json_key(&json, "conformances");
        ms_json_array(&json);
        for (size_t i = 0; i < l->swift.n_conformances; i++)
            if (is_wanted(&l->swift.conformances[i]))
                json_conformance(l, &l->swift.conformances[i], &json);
        ms_json_array_end(&json);
    }
    ms_json_object_end(&json);
    ms_sink_puts(&l->out.sink, "\n");
}

/* ---- start ----------------------------------------------------------------------------------- */

enum { MAX_TOLD = 20 };

static size_t tell(const struct ms_error *fault, const char *what, size_t i, size_t n)
{
    char line[MS_ERROR_LINE];
    if (fault && n < MAX_TOLD)
        complain("%s %zu: %s", what, i + 1, ms_error_describe(fault, line));
    return fault ? 1 : 0;
}

/* Says what could not be read. EXIT_INPUT when there is any such thing. */
static int tell_damage(const struct listing *l)
{
    char line[MS_ERROR_LINE];
    size_t n = l->info.damage->status != MS_OK; /* which image_with_dsym has told of */
    if (l->swift.damage.status != MS_OK) {
        complain("%s", ms_error_describe(&l->swift.damage, line));
        n++;
    }
    for (size_t i = 0; i < l->swift.n_types; i++)
        n += tell(l->swift.types[i].fault, "type", i, n);
    for (size_t i = 0; i < l->swift.n_protocols; i++)
        n += tell(l->swift.protocols[i].fault, "protocol", i, n);
    for (size_t i = 0; i < l->swift.n_conformances; i++)
        n += tell(l->swift.conformances[i].fault, "conformance", i, n);
    if (n > MAX_TOLD)
        complain("%zu more can't be read", n - MAX_TOLD);
    return n ? EXIT_INPUT : EXIT_DONE;
}

static void print(struct listing *l)
{
    if (opt.json) {
        print_json(l);
    } else if (opt.list_types) {
        print_types(l, l->swift.types, l->swift.n_types, &opt.types);
        print_types(l, l->swift.protocols, l->swift.n_protocols, &opt.protocols);
    } else if (opt.lldb) {
        print_lldb(l);
    } else {
        print_text(l);
    }
}

static int run(const char *path)
{
    static struct listing l; /* large: it holds the output buffer */
    struct ms_error err;
    unsigned what = opt.list_types ? MS_SWIFT_TYPES | MS_SWIFT_PROTOCOLS : MS_SWIFT_CONFORMANCES;
    int status = image_with_dsym(path, opt.arch, opt.dsym, &l.image, &l.info);
    if (status == EXIT_DONE && (ms_show_pool_open(&l.pool, &err) != MS_OK ||
                                ms_image_swift(l.image, what, &l.swift, &err) != MS_OK ||
                                ms_image_witnesses(l.image, &l.swift, &l.places, &err) != MS_OK))
        status = complain_error(&err);
    out_stdout(&l.out);
    if (status == EXIT_DONE) {
        if (opt.load.given)
            l.slide = ms_slide(opt.load.value, l.info.text_vm);
        l.style = (struct ms_show_style){opt.full_path, opt.names.mangled, name_style(&opt.names)};
        status = tell_damage(&l);
        print(&l);
        status = worse(status, tell_unmet());
    }
    if (l.out_of_memory) {
        complain("out of memory");
        status = EXIT_SYSTEM;
    }
    status = out_finish(&l.out, status, true);
    ms_image_witnesses_fini(&l.places);
    ms_swift_metadata_fini(&l.swift);
    ms_show_pool_close(l.pool);
    ms_image_close(l.image);
    return status;
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN && words.n != 1)
        status = args_misused(&command, words.n ? "one FILE at a time" : "which file?");
    if (status == ARGS_RUN && opt.lldb && (opt.json || opt.list_types))
        status = args_misused(&command, "--lldb is instead of %s", opt.json ? "--json" : "--types");
    if (status == ARGS_RUN && name_options_clash(&command, &opt.names))
        status = EXIT_USAGE;
    if (status == ARGS_RUN &&
        (filter_start(&opt.protocols) != EXIT_DONE || filter_start(&opt.types) != EXIT_DONE))
        status = EXIT_SYSTEM;
    if (status == ARGS_RUN)
        status = run(words.items[0]);
    word_list_fini(&words);
    filter_fini(&opt.protocols);
    filter_fini(&opt.types);
    return status;
}
