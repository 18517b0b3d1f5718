/**
 * pack/interned.h: files and names that pieces of one lane of a spool have, each once, by the
 * addresses of their strings, in the order of their first use. What they say is hashed when they
 * are met first, so that lanes are joined quickly.
 */
#ifndef MS_PACK_INTERNED_H
#define MS_PACK_INTERNED_H

#include "base/index.h"
#include "pack/piece.h"

/** A string, borrowed. */
struct ms_text_key {
    const char *text; /* NULL: none */
    uint32_t n;       /* bytes with the NUL */
    uint32_t hash;
};
/** Fills it in; false for a text of 4 GB. */
bool ms_text_key_set(struct ms_text_key *key, const char *text);

/** Of a node: linkage name, name. Of a file: comp_dir, dir, file. */
enum { MS_NAME_TEXTS = 2, MS_FILE_TEXTS = 3 };

/** Files, or names. Zeroed is empty. */
struct ms_interned {
    unsigned width; /* texts of an item */
    struct ms_text_key *keys;
    size_t n, room; /* of items */
    struct ms_index by_texts;
    struct met *met; /* those met lately */
};

void ms_interned_init(struct ms_interned *interned, unsigned width);
void ms_interned_fini(struct ms_interned *interned);

/** The number of an item; MS_INDEX_NONE without memory, or for texts of 4 GB. */
uint32_t ms_interned_number(struct ms_interned *interned, const char *const *texts);

#endif
