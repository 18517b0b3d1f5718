/**
 * resolve/symbol_tree.h: what the makers of a symbol tree share.
 */
#ifndef MS_RESOLVE_SYMBOL_TREE_H
#define MS_RESOLVE_SYMBOL_TREE_H

#include "base/arena.h"
#include "base/error.h"
#include "macho/records.h"
#include "machsym/symbols.h"
#include "resolve/image.h"

/** What a record's index counts. Records of one address stand in this order. */
enum ms_tree_source {
    MS_FROM_BINARY, /* entries of its nlist */
    MS_FROM_DSYM,   /* entries of the dSYM's */
    MS_FROM_EXPORT, /* the store's facts */
    MS_FROM_STUB,
    MS_FROM_MAP,
    MS_FROM_DWARF
};

/** What a source other than nlist says of an address. */
struct ms_tree_fact {
    const char *name, *linkage; /* linkage of DWARF alone */
    uint64_t bytes;
    bool code;
    bool external; /* of DWARF: DW_AT_external */
};

/** A tree that is being made, and all that it owns. */
struct ms_tree_store {
    struct ms_image *image;
    struct ms_symbol_tree *out;
    bool runtime;              /* of what is wanted */
    struct ms_record *records; /* gone once they are merged, as the facts */
    size_t n_records, records_room;
    struct ms_tree_fact *facts;
    size_t n_facts, facts_room;
    struct ms_tree_symbol *symbols;
    size_t n_symbols, symbols_room;
    struct ms_tree_region *regions;
    struct ms_tree_line *lines;
    size_t n_lines, lines_room;
    struct ms_tree_file *files;
    size_t n_files, files_room;
    struct ms_debug_map map;
    struct ms_arena arena; /* names of exports, and what is kept of object files */
};

/** Adds a fact and its record; false without memory. */
bool ms_tree_add(struct ms_tree_store *store, enum ms_tree_source source, uint64_t vm,
                 const struct ms_tree_fact *fact);
/** Counts a fault; the first is kept. */
void ms_tree_fault(struct ms_tree_store *store, const struct ms_error *fault);

/**
 * Functions of DWARF as facts, and with `lines` all rows: the image's own DWARF or its dSYM's, else
 * that of the objects that its debug map names. @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_tree_read_dwarf(struct ms_tree_store *store, bool lines, struct ms_error *err);
/** Records of nlist, exports, stubs, the debug map. @return MS_OK, MS_E_NOMEM */
enum ms_status ms_tree_read_tables(struct ms_tree_store *store,
                                   const struct ms_tree_sources *sources, struct ms_error *err);
/** Merges the records, and with `starts` LC_FUNCTION_STARTS, into symbols. */
enum ms_status ms_tree_merge(struct ms_tree_store *store, bool starts, struct ms_error *err);
/** The regions, the symbols in each, and their sizes. */
enum ms_status ms_tree_make_regions(struct ms_tree_store *store, struct ms_error *err);

#endif
