/*
 * machsym slide: where images were loaded against where they are linked to, S = L - A, and
 * runtime addresses as addresses in their files.
 */
#include "common/args.h"
#include "common/console.h"
#include "common/input.h"
#include "common/out.h"
#include "machsym/image.h"
#include "machsym/imagelist.h"
#include "machsym/report.h"
#include "machsym/slide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *object, *arch, *vmmap, *report, *images;
    struct option_number load;
    bool value, json;
} opt;

static struct option options[] = {
    {"-o", NULL, OPTION_TEXT, &opt.object, "BINARY",
     "a binary, a dSYM or an app: its link address gives the slide", NULL},
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "this slice of it", NULL},
    {"-l", NULL, OPTION_HEX, &opt.load, "LOAD", "it was loaded at this address (hexadecimal)",
     NULL},
    {"--vmmap", NULL, OPTION_TEXT, &opt.vmmap, "FILE",
     "where it was loaded, as vmmap, heap or leaks print it", NULL},
    {"--report", NULL, OPTION_TEXT, &opt.report, "FILE", "as a crash report or an .ips says it",
     NULL},
    {"--images", NULL, OPTION_TEXT, &opt.images, "FILE",
     "as lldb's `image list`, DYLD_PRINT_SEGMENTS, sample or spindump print it", NULL},
    {"--value", NULL, OPTION_FLAG, &opt.value, NULL, "the slide alone, for $(…)", NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"slide -o BINARY -l LOAD [ADDRESS…]",
                                    "slide --vmmap|--report|--images FILE [-o BINARY [ADDRESS…]]",
                                    NULL};

static const struct command command = {
    "slide",
    "Tells by how much an image was moved when it was loaded",
    usage,
    options,
    sizeof options / sizeof *options,
    "One line an image, separated by tabs: name, architecture, UUID, load address, link address,\n"
    "slide; `-` is unknown. With ADDRESSes one line each: the address and its address in the "
    "file.\n"
    "What FILE is, is told by its content, whichever of the three options names it. `-` is\n"
    "standard input.",
};

/* One image, with what the list tells of it and what its file does. */
struct image {
    const char *name, *arch, *path;
    bool has_uuid, has_load, has_link, has_slide, ambiguous, differs;
    struct ms_uuid uuid;
    uint64_t load_rt, link_vm, slide, end_vm;
};

struct run {
    struct input input;
    struct ms_image_list list; /* what was read of the file: one of the two */
    struct ms_report_file report;
    struct image *images;
    size_t n;
    struct ms_slice_uuid *slices; /* of BINARY */
    size_t n_slices;
    struct ms_image *object; /* the slice that was chosen */
    struct ms_image_info info;
    uint64_t *addresses;
    size_t n_addresses;
    struct out out;
};

static int out_of_memory(void)
{
    complain("out of memory");
    return EXIT_SYSTEM;
}

/* ---- where images were loaded ------------------------------------------------------------- */

static const char *list_file(void)
{
    return opt.vmmap ? opt.vmmap : opt.report ? opt.report : opt.images;
}

static struct image *make_room(struct run *run, size_t n)
{
    run->images = calloc(n + 1, sizeof *run->images);
    return run->images;
}

static int take_list(struct run *run)
{
    if (!make_room(run, run->list.n))
        return out_of_memory();
    if (run->list.note)
        warn("%s: %s", run->input.name, run->list.note);
    for (size_t i = 0; i < run->list.n; i++) {
        const struct ms_loaded_image *from = &run->list.items[i];
        struct image *to = &run->images[run->n++];
        to->name = from->name;
        to->path = from->path;
        to->arch = from->arch;
        to->has_uuid = from->has_uuid;
        to->uuid = from->uuid;
        to->has_load = from->has_load;
        to->load_rt = from->load_rt;
        to->has_slide = from->has_slide;
        to->slide = from->slide;
        to->ambiguous = from->ambiguous;
    }
    return EXIT_DONE;
}

static bool is_listed(const struct run *run, const struct ms_report_image *image)
{
    for (size_t i = 0; i < run->n; i++)
        if (run->images[i].load_rt == image->load_rt && run->images[i].has_uuid &&
            image->has_uuid && ms_uuid_equal(&run->images[i].uuid, &image->uuid))
            return true;
    return false;
}

static int take_report(struct run *run)
{
    size_t n = 0;
    for (size_t i = 0; i < run->report.n_reports; i++)
        n += run->report.reports[i].n_images;
    if (!make_room(run, n))
        return out_of_memory();
    for (size_t i = 0; i < run->report.n_reports; i++) {
        const struct ms_report *report = &run->report.reports[i];
        if (report->note)
            warn("%s: %s", run->input.name, report->note);
        for (size_t k = 0; k < report->n_images; k++) {
            const struct ms_report_image *from = &report->images[k];
            /* A second report of the file may name the same images; few do. */
            if (!from->usable || (i && run->n < 4096 && is_listed(run, from)))
                continue;
            struct image *to = &run->images[run->n++];
            const char *slash = from->path ? strrchr(from->path, '/') : NULL;
            to->name = slash && slash[1] ? slash + 1 : from->name ? from->name : from->path;
            to->path = from->path;
            to->arch = from->arch;
            to->has_uuid = from->has_uuid;
            to->uuid = from->uuid;
            to->has_load = true;
            to->load_rt = from->load_rt;
        }
    }
    if (run->n)
        return EXIT_DONE;
    complain("%s: the report lists no image", run->input.name);
    return EXIT_INPUT;
}

/*
 * An image list first: text reports are one too, while whatever has a header like a sample's
 * could be taken for a report. Then a report: .ips.
 */
static int read_list(struct run *run)
{
    struct ms_error err, report_err;
    int status = input_open(&run->input, list_file());
    if (status != EXIT_DONE)
        return status;
    enum ms_status got = ms_image_list_parse(run->input.bytes, run->input.name, &run->list, &err);
    if (got == MS_OK) {
        status = take_list(run);
    } else if (got != MS_E_FORMAT) {
        status = complain_error(&err);
    } else {
        got = ms_report_parse(run->input.bytes, run->input.name, &run->report, &report_err);
        if (got == MS_OK)
            status = take_report(run);
        else
            status = complain_error(opt.report || got != MS_E_FORMAT ? &report_err : &err);
    }
    if (!input_intact(&run->input))
        return EXIT_INPUT;
    return status;
}

/* ---- BINARY ------------------------------------------------------------------------------- */

static const struct ms_slice_uuid *slice_with_uuid(const struct run *run, const struct image *image)
{
    for (size_t i = 0; i < run->n_slices && image->has_uuid; i++) {
        const struct ms_slice_uuid *slice = &run->slices[i];
        if (opt.arch && strcmp(slice->arch, opt.arch) != 0)
            continue;
        if (slice->has_uuid && ms_uuid_equal(&slice->uuid, &image->uuid))
            return slice;
    }
    return NULL;
}

static bool has_arch(const struct run *run, const char *arch)
{
    for (size_t i = 0; i < run->n_slices && arch; i++)
        if (strcmp(run->slices[i].arch, arch) == 0)
            return true;
    return false;
}

/* The name to look for in a list: of the file that the slices are in. */
static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool has_name(const struct image *image, const char *name)
{
    return ms_image_path_matches(image->path, name) ||
           (image->name && strcmp(image->name, name) == 0);
}

/*
 * Keeps those images that BINARY can be: by UUID, and where the list has none by name. What
 * has its name and another UUID is kept as that, only when nothing else is.
 */
static void keep_matching(struct run *run)
{
    const char *name = base_name(input_shown(run->slices[0].path));
    size_t n_uuid = 0, n_name = 0;
    for (size_t i = 0; i < run->n; i++) {
        const struct image *image = &run->images[i];
        n_uuid += slice_with_uuid(run, image) != NULL;
        n_name += has_name(image, name) && !image->has_uuid;
    }
    size_t kept = 0;
    for (size_t i = 0; i < run->n; i++) {
        struct image image = run->images[i];
        bool keep;
        if (n_uuid) {
            keep = slice_with_uuid(run, &image) != NULL;
        } else {
            keep = has_name(&image, name) && (!n_name || !image.has_uuid);
            image.differs = image.has_uuid;
        }
        if (keep)
            run->images[kept++] = image;
    }
    run->n = kept;
    /* The one that the header tells to be the program, when the others are other mappings. */
    size_t n_clear = 0, clear = 0;
    for (size_t i = 0; i < kept; i++)
        if (!run->images[i].ambiguous) {
            n_clear++;
            clear = i;
        }
    if (kept > 1 && n_clear == 1) {
        run->images[0] = run->images[clear];
        run->n = 1;
    }
}

static int complain_of_none(const struct run *run, size_t n_listed)
{
    bool cut = false, has_uuids = false;
    for (size_t i = 0; i < n_listed; i++) {
        cut |= run->images[i].path && strstr(run->images[i].path, "...");
        has_uuids |= run->images[i].has_uuid;
    }
    complain("%s: lists no image called %s%s", run->input.name,
             base_name(input_shown(run->slices[0].path)),
             has_uuids ? " and none with its UUID"
             : cut     ? "; paths in it are cut short: make it with vmmap -w"
                       : "; it gives no UUIDs, so the file must have the name of the image");
    return EXIT_INPUT;
}

static int open_slice(struct run *run, const char *arch, const struct ms_uuid *uuid)
{
    struct ms_error err;
    struct ms_image_choice choice = {opt.object, arch, uuid, true};
    if (ms_image_open(&choice, &run->object, &err) != MS_OK)
        return complain_error(&err);
    ms_image_info(run->object, &run->info);
    if (input_shown(opt.object) != opt.object)
        run->info.name = "standard input";
    return EXIT_DONE;
}

/* Gives the image the link address of the slice that is open. */
static void link_image(const struct run *run, struct image *image)
{
    image->has_link = true;
    image->link_vm = run->info.text_vm;
    image->end_vm = run->info.end_vm;
    image->arch = run->info.arch;
    image->has_uuid = run->info.has_uuid;
    image->uuid = run->info.uuid;
    if (image->has_load) {
        uint64_t slide = ms_slide(image->load_rt, image->link_vm);
        if (image->has_slide && image->slide != slide) {
            char theirs[MS_SLIDE_TEXT], ours[MS_SLIDE_TEXT];
            warn("the list gives %s the slide %s, its load address gives %s", image->name,
                 ms_slide_format(image->slide, theirs), ms_slide_format(slide, ours));
        }
        image->has_slide = true;
        image->slide = slide;
    } else if (image->has_slide) {
        image->has_load = true;
        image->load_rt = ms_slide_to_rt(image->link_vm, image->slide);
    }
}

/* BINARY has another UUID than the process had: what to do about it. */
static int complain_of_uuid(const struct run *run, const struct image *image)
{
    const struct ms_slice_uuid *slice = &run->slices[0];
    for (size_t i = 0; i < run->n_slices; i++) {
        const char *arch = opt.arch ? opt.arch : image->arch;
        if (arch && strcmp(run->slices[i].arch, arch) == 0)
            slice = &run->slices[i];
    }
    char theirs[MS_UUID_TEXT] = "none", listed[MS_UUID_TEXT];
    if (slice->has_uuid)
        ms_uuid_format(&slice->uuid, theirs);
    ms_uuid_format(&image->uuid, listed);
    complain("%s is not used: its UUID is %s%s%s%s, that of the %s that was loaded is %s; find the "
             "binary or dSYM of that build",
             slice->path, theirs, run->n_slices > 1 ? " (" : "",
             run->n_slices > 1 ? slice->arch : "", run->n_slices > 1 ? ")" : "", image->name,
             listed);
    return opt.value ? EXIT_INPUT : EXIT_NO; /* --value: the slide isn't known */
}

/* Finds BINARY's image in the list and links it. */
static int match(struct run *run)
{
    struct ms_error err;
    if (ms_slice_uuids_read(opt.object, &run->slices, &run->n_slices, &err) != MS_OK)
        return complain_error(&err);
    if (opt.arch && !has_arch(run, opt.arch))
        return open_slice(run, opt.arch, NULL); /* says which slices there are */
    size_t n_listed = run->n;
    keep_matching(run);
    if (!run->n)
        return complain_of_none(run, n_listed);
    if (run->images[0].differs)
        return complain_of_uuid(run, &run->images[0]);
    const struct ms_slice_uuid *slice = slice_with_uuid(run, &run->images[0]);
    const char *arch = opt.arch;
    if (!arch && has_arch(run, run->images[0].arch))
        arch = run->images[0].arch;
    int status = open_slice(run, slice ? slice->arch : arch, slice ? &slice->uuid : NULL);
    for (size_t i = 0; i < run->n && status == EXIT_DONE; i++)
        link_image(run, &run->images[i]);
    if (run->n > 1)
        warn("%s was loaded at %zu places; which one an address belongs to is not known",
             run->images[0].name, run->n);
    return status;
}

/* -o BINARY -l LOAD: no list needed. */
static int match_load_address(struct run *run)
{
    int status = open_slice(run, opt.arch, NULL);
    if (status != EXIT_DONE)
        return status;
    if (!make_room(run, 1))
        return out_of_memory();
    struct image *image = &run->images[run->n++];
    image->name = run->info.name;
    image->has_load = true;
    image->load_rt = opt.load.value;
    link_image(run, image);
    return EXIT_DONE;
}

/* ---- doubts ------------------------------------------------------------------------------- */

static void warn_of_image(const struct image *image)
{
    char slide[MS_SLIDE_TEXT];
    if (image->has_load && image->load_rt & 0xfff)
        warn("%s: load address 0x%" PRIx64
             " is not page-aligned: is it that of the image's header?",
             image->name ? image->name : "?", image->load_rt);
    else if (image->has_slide && image->slide & 0xfff)
        warn("%s: slide %s is not a multiple of a page: is this the binary that was loaded?",
             image->name ? image->name : "?", ms_slide_format(image->slide, slide));
}

static void warn_of_address(const struct image *image, uint64_t address_rt)
{
    uint64_t address_vm = ms_slide_to_vm(address_rt, image->slide);
    if (image->has_link && (address_vm < image->link_vm || address_vm >= image->end_vm))
        warn("0x%" PRIx64 " lies outside of %s, which was loaded at 0x%" PRIx64 " to 0x%" PRIx64,
             address_rt, image->name, image->load_rt, ms_slide_to_rt(image->end_vm, image->slide));
}

/* ---- output ------------------------------------------------------------------------------- */

/* A field: names come from files, and a tab in one must not look like the next field. */
static void print_field(struct ms_sink *sink, const char *text)
{
    ms_sink_plain(sink, text && *text ? text : "-");
    ms_sink_write(sink, "\t", 1);
}

static void print_address(struct ms_sink *sink, bool known, uint64_t address)
{
    char text[24];
    snprintf(text, sizeof text, "0x%" PRIx64, address);
    print_field(sink, known ? text : NULL);
}

static void print_image(struct ms_sink *sink, const struct image *image)
{
    char uuid[MS_UUID_TEXT], slide[MS_SLIDE_TEXT];
    ms_uuid_format(&image->uuid, uuid);
    print_field(sink, image->name);
    print_field(sink, image->arch);
    print_field(sink, image->has_uuid ? uuid : NULL);
    print_address(sink, image->has_load, image->load_rt);
    print_address(sink, image->has_link, image->link_vm);
    ms_sink_printf(sink, "%s\n", image->has_slide ? ms_slide_format(image->slide, slide) : "-");
}

static void json_image(struct ms_json *json, const struct image *image)
{
    char uuid[MS_UUID_TEXT], slide[MS_SLIDE_TEXT];
    ms_uuid_format(&image->uuid, uuid);
    ms_json_object(json);
    ms_json_field(json, "name", image->name);
    ms_json_field(json, "arch", image->arch);
    ms_json_field(json, "uuid", image->has_uuid ? uuid : NULL);
    ms_json_field(json, "path", image->path);
    if (image->has_load)
        ms_json_field_address(json, "load_address", image->load_rt);
    if (image->has_link)
        ms_json_field_address(json, "link_address", image->link_vm);
    if (image->has_slide)
        ms_json_field(json, "slide", ms_slide_format(image->slide, slide));
    if (image->ambiguous)
        ms_json_field_bool(json, "ambiguous", true);
    if (image->differs)
        ms_json_field_bool(json, "uuid_differs", true);
    ms_json_object_end(json);
}

static void print_json(struct run *run)
{
    struct ms_json json;
    ms_json_init(&json, &run->out.sink, 2);
    ms_json_object(&json);
    ms_json_key(&json, "images");
    ms_json_array(&json);
    for (size_t i = 0; i < run->n; i++)
        json_image(&json, &run->images[i]);
    ms_json_array_end(&json);
    if (run->n_addresses) {
        ms_json_key(&json, "addresses");
        ms_json_array(&json);
        for (size_t i = 0; i < run->n_addresses; i++) {
            ms_json_object(&json);
            ms_json_field_address(&json, "address", run->addresses[i]);
            ms_json_field_address(&json, "file_address",
                                  ms_slide_to_vm(run->addresses[i], run->images[0].slide));
            ms_json_object_end(&json);
        }
        ms_json_array_end(&json);
    }
    ms_json_object_end(&json);
    ms_sink_puts(&run->out.sink, "\n");
}

/* What asks for one slide, --value and addresses, needs there to be one. */
static int check_one(const struct run *run)
{
    if (run->n == 1 && run->images[0].has_slide)
        return EXIT_DONE;
    if (run->n == 1 && run->images[0].has_load && !run->images[0].has_link)
        complain("the slide of %s isn't known without its link address: name the binary with -o",
                 run->images[0].name ? run->images[0].name : "the image");
    else if (run->n == 1)
        complain("%s: says nothing of where %s was loaded", run->input.name,
                 run->images[0].name ? run->images[0].name : "the image");
    else if (opt.object)
        complain("%s: has %s in %zu places: there is no one slide", run->input.name,
                 run->images[0].name, run->n);
    else
        complain("%s: lists %zu images: which one? name its binary with -o", run->input.name,
                 run->n);
    return EXIT_INPUT;
}

static int print(struct run *run)
{
    char slide[MS_SLIDE_TEXT];
    struct ms_sink *sink = &run->out.sink;
    for (size_t i = 0; i < run->n; i++)
        warn_of_image(&run->images[i]);
    if (opt.value || run->n_addresses) {
        int status = check_one(run);
        if (status != EXIT_DONE)
            return status;
    }
    for (size_t i = 0; i < run->n_addresses; i++)
        warn_of_address(&run->images[0], run->addresses[i]);
    if (opt.value) {
        ms_sink_printf(sink, "%s\n", ms_slide_format(run->images[0].slide, slide));
    } else if (opt.json) {
        print_json(run);
    } else if (run->n_addresses) {
        for (size_t i = 0; i < run->n_addresses; i++)
            ms_sink_printf(sink, "0x%" PRIx64 "\t0x%" PRIx64 "\n", run->addresses[i],
                           ms_slide_to_vm(run->addresses[i], run->images[0].slide));
    } else {
        for (size_t i = 0; i < run->n; i++)
            print_image(sink, &run->images[i]);
    }
    return EXIT_DONE;
}

/* ---- start -------------------------------------------------------------------------------- */

static int check_usage(const struct word_list *words, struct run *run)
{
    int ways = opt.load.given + (opt.vmmap != NULL) + (opt.report != NULL) + (opt.images != NULL);
    if (!ways)
        return args_misused(&command,
                            "loaded where? say it with -l, --vmmap, --report or --images");
    if (ways > 1)
        return args_misused(&command, "only one of -l, --vmmap, --report and --images");
    if (opt.load.given && !opt.object)
        return args_misused(&command, "-l needs the binary: name it with -o");
    if (opt.arch && !opt.object)
        return args_misused(&command, "-arch chooses a slice of -o BINARY");
    if (input_is_standard(opt.object) && input_is_standard(list_file()))
        return args_misused(&command, "only one of the two can be standard input");
    if (opt.value && (opt.json || words->n))
        return args_misused(&command, "--value prints nothing but the slide");
    run->addresses = calloc(words->n + 1, sizeof *run->addresses);
    if (!run->addresses)
        return out_of_memory();
    for (size_t i = 0; i < words->n; i++)
        if (!parse_address(words->items[i], false, &run->addresses[i]))
            return args_misused(&command, "\"%s\" is no address", words->items[i]);
    run->n_addresses = words->n;
    return ARGS_RUN;
}

static int answer(struct run *run)
{
    int status = opt.object ? input_path(&opt.object) : EXIT_DONE;
    if (status == EXIT_DONE && !opt.load.given)
        status = read_list(run);
    if (status == EXIT_DONE && opt.object)
        status = opt.load.given ? match_load_address(run) : match(run);
    if (status == EXIT_DONE || (status == EXIT_NO && !run->n_addresses)) {
        out_stdout(&run->out);
        status = worse(print(run), status);
        status = out_finish(&run->out, status, true);
    }
    return status;
}

int main(int argc, char **argv)
{
    static struct run run; /* large: it holds the output buffer */
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN)
        status = check_usage(&words, &run);
    if (status == ARGS_RUN)
        status = answer(&run);
    ms_image_close(run.object);
    ms_slice_uuids_free(run.slices, run.n_slices);
    ms_report_file_fini(&run.report);
    ms_image_list_fini(&run.list);
    input_close(&run.input);
    free(run.images);
    free(run.addresses);
    word_list_fini(&words);
    return status;
}
