/*
 * machsym verify: do a binary and a dSYM belong together?
 */
#include "common/args.h"
#include "common/console.h"
#include "common/input.h"
#include "common/llvm_verify.h"
#include "common/out.h"
#include "machsym/image.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    const char *arch;
    bool json, lookup, dwarf;
} opt;

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "compare this slice alone", NULL},
    {"--lookup", NULL, OPTION_FLAG, &opt.lookup, NULL,
     "decode all debug information of matching slices, as lookups would", NULL},
    {"--dwarf", NULL, OPTION_FLAG, &opt.dwarf, NULL,
     "run LLVM's DWARF verifier over matching slices (dwarfdump --verify)", NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"verify [options] BINARY DSYM", NULL};

static const struct command command = {
    "verify",
    "Checks that a binary and a dSYM belong together",
    usage,
    options,
    sizeof options / sizeof *options,
    "One line a slice of the binary: match, mismatch or missing, the architecture, the UUID\n"
    "of the binary and that of the dSYM. Exit status 0: all match; 1: some don't.",
};

/* The slices of one of the two. */
struct side {
    const char *path;
    struct ms_slice_uuid *slices;
    size_t n;
};

enum verdict { MATCH, MISMATCH, MISSING };
static const char *const verdicts[] = {"match", "mismatch", "missing"};

struct run {
    struct side binary, dsym;
    struct out out;
    struct ms_json json;
    size_t n_mismatch, n_missing, n_broken, n_compared;
};

static const struct ms_slice_uuid *with_uuid(const struct side *side, const struct ms_uuid *uuid)
{
    for (size_t i = 0; i < side->n; i++)
        if (side->slices[i].has_uuid && ms_uuid_equal(&side->slices[i].uuid, uuid))
            return &side->slices[i];
    return NULL;
}

static const struct ms_slice_uuid *with_arch(const struct side *side, const char *arch)
{
    for (size_t i = 0; i < side->n; i++)
        if (strcmp(side->slices[i].arch, arch) == 0)
            return &side->slices[i];
    return NULL;
}

static void uuid_text(const struct ms_slice_uuid *slice, char text[MS_UUID_TEXT])
{
    snprintf(text, MS_UUID_TEXT, "-");
    if (slice && slice->has_uuid)
        ms_uuid_format(&slice->uuid, text);
}

/* ---- --lookup ---------------------------------------------------------------------------- */

static int check_lookup(struct run *run, const struct ms_slice_uuid *slice)
{
    struct ms_error err;
    struct ms_image *image = NULL;
    struct ms_image_check check;
    struct ms_image_choice choice = {run->dsym.path, NULL, &slice->uuid, true};
    if (ms_image_open(&choice, &image, &err) != MS_OK)
        return complain_error(&err);
    enum ms_status status = ms_image_check(image, &check, &err);
    ms_image_close(image);
    if (status != MS_OK)
        return complain_error(&err);
    if (check.n_errors) {
        char line[MS_ERROR_LINE];
        run->n_broken++;
        warn("%" PRIu64 " units, %zu of them damaged; the first: %s", check.n_units, check.n_errors,
             ms_error_describe(&check.first, line));
    }
    if (opt.json) {
        ms_json_field_uint(&run->json, "units", check.n_units);
        ms_json_field_uint(&run->json, "functions", check.n_functions);
        ms_json_field_uint(&run->json, "inlined", check.n_inlined);
        ms_json_field_uint(&run->json, "line_rows", check.n_rows);
        ms_json_field_uint(&run->json, "damaged_units", check.n_errors);
    } else {
        ms_sink_printf(&run->out.sink,
                       "lookup %s %" PRIu64 " units, %" PRIu64 " functions, %" PRIu64
                       " inlined calls, %" PRIu64 " line rows, %zu damaged units\n",
                       slice->arch, check.n_units, check.n_functions, check.n_inlined, check.n_rows,
                       check.n_errors);
    }
    return EXIT_DONE;
}

/* ---- --dwarf ------------------------------------------------------------------------------ */

static bool take_report(void *to, const char *bytes, size_t n)
{
    struct run *run = to;
    ms_sink_write(&run->out.sink, bytes, n);
    return !run->out.sink.failed;
}

static int check_dwarf(struct run *run, const struct ms_slice_uuid *slice)
{
    const struct ms_slice_uuid *theirs = with_uuid(&run->dsym, &slice->uuid);
    bool clean;
    out_flush(&run->out);
    int status = llvm_verify(theirs->path, slice->arch, &slice->uuid, NULL, theirs->file_bytes,
                             opt.json ? NULL : take_report, run, &clean);
    if (status != EXIT_DONE)
        return status;
    run->n_broken += !clean;
    if (opt.json)
        ms_json_field_bool(&run->json, "dwarf_clean", clean);
    return EXIT_DONE;
}

/* ---- comparing --------------------------------------------------------------------------- */

/* The checks that were asked for beyond the UUID, and one that costs nothing. */
static int check_match(struct run *run, const struct ms_slice_uuid *slice)
{
    const struct ms_slice_uuid *theirs = with_uuid(&run->dsym, &slice->uuid);
    out_flush(&run->out); /* a check may take long, and warn */
    if (!theirs->has_dwarf) {
        warn("%s (%s): has no debug information%s", run->dsym.path, slice->arch,
             theirs->filetype == MS_MH_DSYM ? "" : ": it is a binary, not a dSYM");
        run->n_broken += opt.lookup || opt.dwarf;
        return EXIT_DONE;
    }
    int status = opt.lookup ? check_lookup(run, slice) : EXIT_DONE;
    return opt.dwarf ? worse(status, check_dwarf(run, slice)) : status;
}

static int print_verdict(struct run *run, enum verdict verdict, const struct ms_slice_uuid *ours,
                         const struct ms_slice_uuid *theirs)
{
    char binary[MS_UUID_TEXT], dsym[MS_UUID_TEXT];
    uuid_text(ours, binary);
    uuid_text(theirs, dsym);
    if (opt.json) {
        ms_json_object(&run->json);
        ms_json_field(&run->json, "verdict", verdicts[verdict]);
        ms_json_field(&run->json, "arch", ours->arch);
        ms_json_field(&run->json, "binary_uuid", ours->has_uuid ? binary : NULL);
        ms_json_field(&run->json, "dsym_uuid", theirs && theirs->has_uuid ? dsym : NULL);
        int status = verdict == MATCH ? check_match(run, ours) : EXIT_DONE;
        ms_json_object_end(&run->json);
        return status;
    }
    ms_sink_printf(&run->out.sink, "%s %s %s %s\n", verdicts[verdict], ours->arch, binary, dsym);
    return verdict == MATCH ? check_match(run, ours) : EXIT_DONE;
}

static int compare_slice(struct run *run, const struct ms_slice_uuid *ours)
{
    const struct ms_slice_uuid *theirs = ours->has_uuid ? with_uuid(&run->dsym, &ours->uuid) : NULL;
    run->n_compared++;
    if (theirs)
        return print_verdict(run, MATCH, ours, theirs);
    theirs = with_arch(&run->dsym, ours->arch);
    run->n_mismatch += theirs != NULL;
    run->n_missing += theirs == NULL;
    return print_verdict(run, theirs ? MISMATCH : MISSING, ours, theirs);
}

/* One sentence on what to do, with what the modification times tell. */
static void advise(const struct run *run)
{
    if (run->n_mismatch) {
        int64_t binary = run->binary.slices[0].mtime, dsym = run->dsym.slices[0].mtime;
        const char *which = binary == dsym  ? "both were modified at the same time"
                            : binary > dsym ? "the binary has the later modification time"
                                            : "the dSYM has the later modification time";
        complain("%s is not the dSYM of %s (%s): find the dSYM of the same build, or make it anew "
                 "from this binary with dsymutil",
                 run->dsym.path, run->binary.path, which);
    } else if (run->n_missing) {
        complain("%s has no debug information for %zu slice%s of %s: find the dSYM that was made "
                 "with all of them",
                 run->dsym.path, run->n_missing, run->n_missing == 1 ? "" : "s", run->binary.path);
    }
}

static int compare(struct run *run)
{
    int status = EXIT_DONE;
    if (opt.json) {
        ms_json_init(&run->json, &run->out.sink, 2);
        ms_json_object(&run->json);
        ms_json_field(&run->json, "binary", input_shown(run->binary.path));
        ms_json_field(&run->json, "dsym", input_shown(run->dsym.path));
        ms_json_key(&run->json, "slices");
        ms_json_array(&run->json);
    }
    for (size_t i = 0; i < run->binary.n; i++)
        if (!opt.arch || strcmp(opt.arch, run->binary.slices[i].arch) == 0)
            status = worse(status, compare_slice(run, &run->binary.slices[i]));
    if (opt.json) {
        ms_json_array_end(&run->json);
        ms_json_object_end(&run->json);
        ms_sink_puts(&run->out.sink, "\n");
    }
    return status;
}

static int read_side(struct side *side, const char *path)
{
    struct ms_error err;
    int status = input_path(&path);
    side->path = path;
    if (status != EXIT_DONE)
        return status;
    if (ms_slice_uuids_read(path, &side->slices, &side->n, &err) != MS_OK)
        return complain_error(&err);
    return EXIT_DONE;
}

static void complain_of_arch(const struct side *side)
{
    char list[400] = "";
    for (size_t i = 0; i < side->n; i++) {
        size_t at = strlen(list);
        snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", side->slices[i].arch);
    }
    complain("%s: has no %s slice; it has %s", side->path, opt.arch, list);
}

static int verify(const char *binary, const char *dsym)
{
    static struct run run; /* large: it holds the output buffer */
    int status = read_side(&run.binary, binary);
    status = status == EXIT_DONE ? read_side(&run.dsym, dsym) : status;
    if (status == EXIT_DONE) {
        out_stdout(&run.out);
        status = compare(&run);
        if (!run.n_compared) {
            complain_of_arch(&run.binary);
            status = EXIT_INPUT;
        }
        out_flush(&run.out); /* the verdicts, then what to do about them */
        advise(&run);
        if (run.n_mismatch || run.n_missing || run.n_broken)
            status = worse(status, EXIT_NO);
        status = out_finish(&run.out, status, true);
    }
    ms_slice_uuids_free(run.binary.slices, run.binary.n);
    ms_slice_uuids_free(run.dsym.slices, run.dsym.n);
    return status;
}

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN && words.n != 2)
        status = args_misused(&command, "takes a binary and a dSYM");
    if (status == ARGS_RUN && input_is_standard(words.items[0]) &&
        input_is_standard(words.items[1]))
        status = args_misused(&command, "only one of the two can be standard input");
    if (status == ARGS_RUN)
        status = verify(words.items[0], words.items[1]);
    word_list_fini(&words);
    return status;
}
