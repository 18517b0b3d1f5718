/**
 * render/symbols_walk.h: which parts of a symbol tree are shown, and in what order, for the
 * writers of text and JSON.
 */
#ifndef MS_RENDER_SYMBOLS_WALK_H
#define MS_RENDER_SYMBOLS_WALK_H

#include "base/error.h"
#include "machsym/symbols.h"

/** A name to be shown. Borrowed until the next one. */
struct symbols_name {
    const char *at;
    size_t n;
    size_t raw_bytes; /* of the symbol's own name, as far as it may be shown */
};

struct symbols_walk;

/** What a writer does with each part. */
struct symbols_writer {
    /** region NULL: what lies before all of them. Each is ended before the next begins. */
    void (*region)(void *to, const struct ms_tree_region *region);
    void (*region_end)(void *to);
    void (*symbol)(void *to, const struct ms_tree_symbol *symbol, struct symbols_name name);
    void (*symbol_end)(void *to);
    void (*line)(void *to, const struct ms_tree_line *line);
    bool (*failed)(void *to);
    void *to;
};

/**
 * Hands on all that the style asks for.
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status symbols_walk(const struct ms_symbol_tree *tree, const struct ms_tree_style *style,
                            const struct symbols_writer *writer, struct ms_tree_result *out,
                            struct ms_error *err);

/** The file of a line as the style has it, "???" when unknown; the length, as snprintf. */
size_t symbols_file(const struct ms_symbol_tree *tree, const struct ms_tree_style *style,
                    uint32_t file, char *room, size_t n);

#endif
