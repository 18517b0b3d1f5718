/*
 * common/uuids.h: the UUID of every slice of files, bundles, archives and folders, as
 * `dwarfdump --uuid` prints them: machsym uuid, and machsym dwarf --uuid.
 */
#ifndef MACHSYM_CLI_UUIDS_H
#define MACHSYM_CLI_UUIDS_H

#include "common/args.h"

/*
 * Prints a line a slice, or with `with_json` one document. `arch` NULL = every architecture.
 * Returns the exit status, with everything written and complained about.
 */
int print_uuids(const struct word_list *words, const char *arch, bool with_json);

#endif
