/*
 * common/filter.h: names that a command is to show alone (--class, --type, --protocol).
 */
#ifndef MACHSYM_CLI_FILTER_H
#define MACHSYM_CLI_FILTER_H

#include "common/args.h"

/* For an OPTION_LIST of &filter.names. Zeroed takes everything. */
struct filter {
    struct word_list names;
    bool *met; /* of each name, whether anything was called so; owned */
};

#define FILTER_NAME_HELP "NAME is a whole name or its last parts: View, SwiftUI.View."

/* Returns EXIT_DONE, or EXIT_SYSTEM after having complained. */
int filter_start(struct filter *filter);
void filter_fini(struct filter *filter);

/*
 * Is `wanted` the whole of a name, or one or more of its last parts, as they stand between dots?
 * `module`, which may be NULL, stands before `name` with another dot.
 */
bool name_ends_in(const char *module, const char *name, const char *wanted);

/* Is a thing of this name to be shown? `name` NULL, one that can't be read, fits no filter. */
bool filter_takes(struct filter *filter, const char *module, const char *name);

/*
 * After everything was looked at: complains of each name that nothing is called by, as "no class
 * is called X". Returns EXIT_NO when there is one.
 */
int filter_end(const struct filter *filter, const char *kind);

#endif
