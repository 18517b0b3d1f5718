/*
 * machsym objc: classes and categories of Objective-C with their methods, out of the metadata.
 */
#include "common/answer_json.h"
#include "common/args.h"
#include "common/console.h"
#include "common/filter.h"
#include "common/out.h"
#include "common/with_dsym.h"
#include "machsym/runtime.h"
#include "machsym/slide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *arch;
    struct filter classes;
    struct option_number load;
    bool mangled, no_methods, json;
} opt;

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "slice of a universal file", NULL},
    {"--class", NULL, OPTION_LIST, &opt.classes.names, "NAME",
     "this class and its categories alone; can be repeated", NULL},
    {"--no-methods", NULL, OPTION_FLAG, &opt.no_methods, NULL, "classes and categories alone",
     NULL},
    {"-l", "--load-address", OPTION_HEX, &opt.load, "ADDRESS",
     "load address of the image (hexadecimal): addresses are those of that process", NULL},
    {"--no-demangle", NULL, OPTION_FLAG, &opt.mangled, NULL, "leave names of Swift classes mangled",
     NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"objc [options] FILE", NULL};

static const struct command command = {
    "objc",
    "Lists classes and categories of Objective-C, and where their methods are",
    usage,
    options,
    sizeof options / sizeof *options,
    "FILE is a Mach-O file, an .app, a .framework or another bundle. Symbols aren't "
    "needed.\n" FILTER_NAME_HELP,
};

struct listing {
    struct ms_image *image;
    struct ms_image_info info;
    uint64_t slide;
    struct ms_objc objc;
    struct out out;
};

/* By either of its names: as it is listed, and mangled. */
static bool is_wanted(const struct ms_objc_class *c)
{
    bool takes = filter_takes(&opt.classes, NULL, c->shown_name);
    return takes || (c->name != c->shown_name && filter_takes(&opt.classes, NULL, c->name));
}

static const char *name_of(const struct ms_objc_class *c)
{
    const char *name = opt.mangled ? c->name : c->shown_name;
    return name ? name : "?";
}

/* ---- text ------------------------------------------------------------------------------------ */

static int print_method(struct listing *l, const struct ms_objc_class *c,
                        const struct ms_objc_method *method)
{
    struct ms_sink *sink = &l->out.sink;
    char small[512], *name = small;
    size_t need = ms_objc_method_name(c, method, opt.mangled, small, sizeof small);
    if (need >= sizeof small) {
        name = malloc(need + 1);
        if (!name) {
            complain("out of memory");
            return EXIT_SYSTEM;
        }
        ms_objc_method_name(c, method, opt.mangled, name, need + 1);
    }
    if (method->has_address)
        ms_sink_printf(sink, "\t0x%016" PRIx64 " ", ms_slide_to_rt(method->vm, l->slide));
    else
        ms_sink_puts(sink, "\t                 - ");
    ms_sink_plain(sink, name);
    if (method->import) {
        ms_sink_puts(sink, " (");
        ms_sink_plain(sink, method->import);
        ms_sink_puts(sink, " of another image)");
    }
    ms_sink_puts(sink, "\n");
    if (name != small)
        free(name);
    return EXIT_DONE;
}

static int print_text(struct listing *l)
{
    struct ms_sink *sink = &l->out.sink;
    int status = EXIT_DONE;
    for (size_t i = 0; i < l->objc.n_classes && status == EXIT_DONE; i++) {
        const struct ms_objc_class *c = &l->objc.classes[i];
        if (!is_wanted(c))
            continue;
        ms_sink_plain(sink, name_of(c));
        if (c->category) {
            ms_sink_puts(sink, " (");
            ms_sink_plain(sink, c->category);
            ms_sink_puts(sink, ")");
        } else if (c->superclass) {
            ms_sink_puts(sink, " : ");
            ms_sink_plain(sink, opt.mangled ? c->superclass : c->shown_superclass);
        }
        ms_sink_puts(sink, c->runs_load ? " [+load]\n" : "\n");
        for (size_t k = 0; k < c->n_methods && !opt.no_methods && status == EXIT_DONE; k++)
            status = print_method(l, c, &l->objc.methods[c->first_method + k]);
    }
    return status;
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

static void print_json_class(struct listing *l, const struct ms_objc_class *c, struct ms_json *json)
{
    ms_json_object(json);
    ms_json_field(json, "kind", c->is_category ? "category" : "class");
    ms_json_field(json, "name", c->shown_name);
    ms_json_field(json, "metadata_name", c->name);
    ms_json_field(json, "category", c->category);
    ms_json_field(json, "superclass", c->shown_superclass);
    ms_json_field(json, "metadata_superclass", c->superclass);
    if (c->vm)
        json_address(l, json, c->vm);
    if (c->is_swift)
        ms_json_field_bool(json, "swift", true);
    if (c->runs_load)
        ms_json_field_bool(json, "load", true);
    json_error(json, c->fault);
    if (!opt.no_methods) {
        ms_json_key(json, "methods");
        ms_json_array(json);
    }
    for (size_t k = 0; k < c->n_methods && !opt.no_methods; k++) {
        const struct ms_objc_method *method = &l->objc.methods[c->first_method + k];
        ms_json_object(json);
        ms_json_field(json, "selector", method->selector);
        ms_json_field_bool(json, "class_method", method->is_class_method);
        if (method->has_address)
            json_address(l, json, method->vm);
        ms_json_field(json, "types", method->types);
        ms_json_field_address(json, "entry", method->entry_vm);
        ms_json_field(json, "import", method->import);
        json_error(json, method->fault);
        ms_json_object_end(json);
    }
    if (!opt.no_methods)
        ms_json_array_end(json);
    ms_json_object_end(json);
}

static void print_json(struct listing *l)
{
    struct ms_json json;
    ms_json_init(&json, &l->out.sink, 2);
    ms_json_object(&json);
    json_image_head(&json, &l->info);
    ms_json_key(&json, "classes");
    ms_json_array(&json);
    for (size_t i = 0; i < l->objc.n_classes; i++)
        if (is_wanted(&l->objc.classes[i]))
            print_json_class(l, &l->objc.classes[i], &json);
    ms_json_array_end(&json);
    ms_json_object_end(&json);
    ms_sink_puts(&l->out.sink, "\n");
}

/* ---- start ----------------------------------------------------------------------------------- */

enum { MAX_TOLD = 20 };

/* Says what could not be read. EXIT_INPUT when there is any such thing. */
static int tell_damage(const struct listing *l)
{
    char line[MS_ERROR_LINE];
    size_t n = l->info.damage->status != MS_OK; /* which image_with_dsym has told of */
    if (l->objc.damage.status != MS_OK) {
        complain("%s", ms_error_describe(&l->objc.damage, line));
        n++;
    }
    for (size_t i = 0; i < l->objc.n_classes; i++) {
        const struct ms_objc_class *c = &l->objc.classes[i];
        char name[200];
        snprintf(name, sizeof name, "%s", name_of(c));
        ms_text_make_plain(name);
        if (c->fault && n++ < MAX_TOLD)
            complain("%s %zu, %s: %s", c->is_category ? "category" : "class", i + 1, name,
                     ms_error_describe(c->fault, line));
        for (size_t k = 0; k < c->n_methods; k++) {
            const struct ms_objc_method *method = &l->objc.methods[c->first_method + k];
            if (method->fault && n++ < MAX_TOLD)
                complain("method %zu of %s: %s", k + 1, name,
                         ms_error_describe(method->fault, line));
        }
    }
    if (n > MAX_TOLD)
        complain("%zu more can't be read", n - MAX_TOLD);
    return n ? EXIT_INPUT : EXIT_DONE;
}

static int run(const char *path)
{
    static struct listing l; /* large: it holds the output buffer */
    struct ms_error err;
    int status = image_with_dsym(path, opt.arch, NULL, &l.image, &l.info);
    if (status == EXIT_DONE && ms_image_objc(l.image, &l.objc, &err) != MS_OK)
        status = complain_error(&err);
    out_stdout(&l.out);
    if (status == EXIT_DONE) {
        if (opt.load.given)
            l.slide = ms_slide(opt.load.value, l.info.text_vm);
        status = tell_damage(&l);
        if (opt.json)
            print_json(&l);
        else
            status = worse(status, print_text(&l));
        status = worse(status, filter_end(&opt.classes, "class"));
    }
    status = out_finish(&l.out, status, true);
    ms_objc_fini(&l.objc);
    ms_image_close(l.image);
    return status;
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN && words.n != 1)
        status = args_misused(&command, words.n ? "one FILE at a time" : "which file?");
    if (status == ARGS_RUN && filter_start(&opt.classes) != EXIT_DONE)
        status = EXIT_SYSTEM;
    if (status == ARGS_RUN)
        status = run(words.items[0]);
    word_list_fini(&words);
    filter_fini(&opt.classes);
    return status;
}
