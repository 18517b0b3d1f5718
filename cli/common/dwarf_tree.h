/*
 * common/dwarf_tree.h: the tree of DIEs, which libdwarf reads in a helper program of its own.
 */
#ifndef MACHSYM_CLI_DWARF_TREE_H
#define MACHSYM_CLI_DWARF_TREE_H

#include "common/out.h"
#include "machsym/image.h"

struct tree_request {
    const char *path, *arch;
    const struct ms_uuid *uuid;           /* NULL: the slice has none */
    const struct ms_image_inside *inside; /* where it is in the file; NULL: the slice, by UUID or
                                             architecture */
    uint64_t file_bytes;      /* of the file: limits of time and memory follow from it */
    const char *heading;      /* what stands before the first DIE, if there is any; NULL */
    const char *const *names; /* show only DIEs of these names; n_names 0: all */
    size_t n_names;
    bool *any; /* set to true when anything was printed; n_names 0: may be NULL */
};

/*
 * Prints the tree to `out`, or with `json` its DIEs as items of the array that is open.
 * Returns an exit status, with everything complained about.
 */
int print_tree(const struct tree_request *request, struct out *out, struct ms_json *json);

#endif
