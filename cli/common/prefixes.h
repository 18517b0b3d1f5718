/*
 * common/prefixes.h: --oso-prefix-map FROM=TO, for the commands that follow a debug map.
 */
#ifndef MACHSYM_CLI_PREFIXES_H
#define MACHSYM_CLI_PREFIXES_H

#include "common/args.h"
#include "machsym/debugmap.h"

#define OSO_PREFIX_MAP_HELP "object files at FROM… are looked for at TO…; may be repeated"

/* What the options came to; zeroed is none. */
struct prefixes {
    struct ms_path_prefix *items;
    char *text; /* owned */
};

/*
 * Reads the words, each FROM=TO, and sets search->prefixes to them.
 * Returns ARGS_RUN, or the exit status to end with after having complained.
 */
int prefixes_read(struct prefixes *prefixes, const struct command *command,
                  const struct word_list *words, struct ms_object_search *search);
void prefixes_fini(struct prefixes *prefixes);

#endif
