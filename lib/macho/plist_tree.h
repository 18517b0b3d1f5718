/**
 * macho/plist_tree.h: building the values of a property list, the same for every form that one is
 * read from. The builder keeps the path of open containers, so that no reader needs recursion.
 */
#ifndef MS_MACHO_PLIST_TREE_H
#define MS_MACHO_PLIST_TREE_H

#include "base/arena.h"
#include "base/error.h"
#include "machsym/plist.h"

enum {
    MS_PLIST_MAX_DEPTH = 40,      /* real: 3 in entitlements, 8 in an Info.plist */
    MS_PLIST_MAX_VALUES = 1 << 18 /* real: 60; an Info.plist of a large app 2,000 */
};
#define MS_PLIST_MAX_BYTES ((size_t)16 << 20) /* real: 10 KB; an Info.plist 100 KB */

struct ms_plist_tree {
    struct ms_arena arena;
    const struct ms_plist *root;
};

/* A container that is not closed yet. */
struct ms_plist_open {
    struct ms_plist *value, *last;
};

struct ms_plist_builder {
    struct ms_plist_tree *tree;
    const char *where;
    struct ms_plist_open open[MS_PLIST_MAX_DEPTH];
    unsigned depth;
    size_t n_values;
    const char *key; /* for the next value; NULL = none was read */
    size_t key_bytes;
};

/** MS_E_NOMEM, MS_E_LIMIT for an input that is too long. */
enum ms_status ms_plist_begin(struct ms_plist_builder *b, struct ms_bytes in, const char *where,
                              struct ms_error *err);
/** Ends the building: with `status` MS_OK hands the tree over, else frees it; returns `status`. */
enum ms_status ms_plist_end(struct ms_plist_builder *b, enum ms_status status,
                            struct ms_plist_tree **out);

/** True inside a dictionary that waits for a key. */
bool ms_plist_wants_key(const struct ms_plist_builder *b);
/** The key of the value to come. `key` must live as long as the tree: in its arena. */
enum ms_status ms_plist_key(struct ms_plist_builder *b, const char *key, size_t n, uint64_t offset,
                            struct ms_error *err);
/** Adds a value; a DICT or ARRAY stays open until ms_plist_leave. `offset` is for messages. */
enum ms_status ms_plist_add(struct ms_plist_builder *b, const struct ms_plist *value,
                            uint64_t offset, struct ms_error *err);
/** Closes the innermost container: sorts a dictionary, in which no key may stand twice. */
enum ms_status ms_plist_leave(struct ms_plist_builder *b, uint64_t offset, struct ms_error *err);

/** The readers, by form. */
enum ms_status ms_plist_read_xml(struct ms_plist_builder *b, struct ms_bytes in,
                                 struct ms_error *err);
enum ms_status ms_plist_read_binary(struct ms_plist_builder *b, struct ms_bytes in,
                                    struct ms_error *err);
enum ms_status ms_plist_read_der(struct ms_plist_builder *b, struct ms_bytes in,
                                 struct ms_error *err);

#endif
