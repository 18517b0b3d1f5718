/*
 * common/dwarf_options.h: the command line of machsym dwarf, with the spellings of dwarfdump.
 */
#ifndef MACHSYM_CLI_DWARF_OPTIONS_H
#define MACHSYM_CLI_DWARF_OPTIONS_H

#include "common/args.h"
#include "common/names.h"

struct dwarf_options {
    const struct command *command; /* for messages */
    const char *arch;
    struct word_list lookups, names, prefixes;
    uint64_t *addresses; /* of `lookups`; owned */
    bool info, line, uuid, verify, statistics, json, quiet, verbose;
    bool all, around; /* what the words of dwarfdump for them were */
    struct name_options style;
};

/*
 * Reads and checks it. Returns ARGS_RUN, or an exit status after having complained: of an option
 * that dwarfdump has and this command doesn't, with what to use instead.
 */
int dwarf_options_read(struct dwarf_options *out, int argc, char **argv, struct word_list *words);
void dwarf_options_fini(struct dwarf_options *options);

#endif
