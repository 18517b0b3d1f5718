/*
 * machsym uuid: the UUID of every slice, as `dwarfdump --uuid` prints it, of files, bundles,
 * archives and folders.
 */
#include "common/uuids.h"

#include <stddef.h>

static struct {
    const char *arch;
    bool json;
} opt;

static struct option options[] = {
    {"-arch", NULL, OPTION_TEXT, &opt.arch, "ARCH", "this slice alone", NULL},
    {"--json", NULL, OPTION_FLAG, &opt.json, NULL, "one JSON document", NULL},
};

static const char *const usage[] = {"uuid [options] FILE…", NULL};

static const struct command command = {
    "uuid",
    "Prints the UUID of every slice",
    usage,
    options,
    sizeof options / sizeof *options,
    "FILE is a Mach-O file, thin or fat, a static archive, a dSYM, or a folder such as an .app or\n"
    "an .xcarchive, in which every Mach-O file counts. One line a slice: UUID: X (ARCH) PATH",
};

int main(int argc, char **argv)
{
    struct word_list words = {NULL, 0, 0};
    int status = args_parse(&command, argc, argv, &words);
    if (status == ARGS_RUN && !words.n)
        status = args_misused(&command, "which file?");
    if (status == ARGS_RUN)
        status = print_uuids(&words, opt.arch, opt.json);
    word_list_fini(&words);
    return status;
}
