/**
 * macho/exports.h: the names that an image exports, out of its trie. They outlive strip.
 * Source: the trie of LC_DYLD_INFO and LC_DYLD_EXPORTS_TRIE (mach-o/loader.h).
 */
#ifndef MS_MACHO_EXPORTS_H
#define MS_MACHO_EXPORTS_H

#include "base/cursor.h"
#include "base/error.h"
#include "base/text.h"
#include "machsym/macho.h"

struct ms_export_node;

struct ms_exports {
    struct ms_bytes trie;
    uint64_t trie_off; /* in the file, for messages */
    uint64_t base_vm;  /* what its addresses count from */
    uint64_t budget;   /* bytes that may still be read, so that shared or cyclic nodes end */
    struct ms_export_node *stack;
    size_t depth, room;
    struct ms_text name;
    bool started;
    const char *where;
};

/** One exported symbol that has an address in this image. */
struct ms_export {
    uint64_t vm;
    const char *name; /* until the next call */
    size_t name_bytes;
};

/** Prepares the walk; an image without a trie gives no exports. */
void ms_exports_open(const struct ms_macho *macho, struct ms_exports *out);
void ms_exports_close(struct ms_exports *exports);
/**
 * The next export, in the order of the trie. Re-exports, absolute and thread-local symbols
 * are passed over. MS_ABSENT after the last; MS_E_FORMAT or MS_E_LIMIT end the walk.
 */
enum ms_status ms_exports_next(struct ms_exports *exports, struct ms_export *out,
                               struct ms_error *err);

#endif
