/**
 * libdwarf/tree.h: the tree of DIEs, as libdwarf gives it, in the layout of llvm-dwarfdump
 * --debug-info or as JSON.
 */
#ifndef MS_LIBDWARF_TREE_H
#define MS_LIBDWARF_TREE_H

#include "machsym/output.h"
#include "resolve/image.h"

struct ms_tree_request {
    const char *const *names; /* only DIEs of these names, with what is around them; none: all */
    size_t n_names;
    bool json; /* a line of JSON a DIE */
};

/**
 * Gets each fault; the tree goes on where it can. The first of many that say the same.
 */
typedef void ms_tree_fault(void *owner, const struct ms_error *fault);

/** @return MS_OK however much is broken; MS_ABSENT without DWARF; MS_E_* */
enum ms_status ms_tree_write(struct ms_image *image, const struct ms_tree_request *request,
                             struct ms_sink *sink, ms_tree_fault *take, void *owner,
                             struct ms_error *err);

#endif
