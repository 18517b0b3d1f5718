/**
 * machsym/symbols.h: all that an image says of its symbols, from every source, as one tree:
 * segments and sections, in them symbols, below functions the lines of their sources.
 *
 * Source of the layout: Apple's symbols(1).
 */
#ifndef MACHSYM_SYMBOLS_H
#define MACHSYM_SYMBOLS_H

#include "machsym/image.h"
#include "machsym/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is known of a symbol, in the order that they are printed in. */
enum ms_tree_flag {
    MS_TREE_FUNC = 1 << 0,         /**< it lies in code */
    MS_TREE_STUB = 1 << 1,         /**< jumps to a function of another image */
    MS_TREE_OBJC = 1 << 2,         /**< a method of Objective-C */
    MS_TREE_THUMB = 1 << 3,
    MS_TREE_EXT = 1 << 4,          /**< external */
    MS_TREE_PEXT = 1 << 5,         /**< private external */
    MS_TREE_LENGTH = 1 << 6,       /**< a source tells its size; else it ends where the next begins */
    MS_TREE_NAME_NLIST = 1 << 7,   /**< where its name is from */
    MS_TREE_NAME_DWARF = 1 << 8,
    MS_TREE_NAME_LINKAGE = 1 << 9, /**< DW_AT_linkage_name */
    MS_TREE_NAME_EXPORT = 1 << 10, /**< the exports trie; Apple's tool doesn't tell it apart */
    MS_TREE_NAME_OBJC = 1 << 11,   /**< the metadata of the Objective-C runtime; nor this */
    MS_TREE_NAME_SWIFT = 1 << 12,  /**< that of Swift's; nor this */
    MS_TREE_MANGLED_NLIST = 1 << 13,
    MS_TREE_MANGLED_DWARF = 1 << 14,
    MS_TREE_MANGLED_LINKAGE = 1 << 15,
    MS_TREE_MERGED = 1 << 16,      /**< several sources know it */
    MS_TREE_NLIST = 1 << 17,
    MS_TREE_DWARF = 1 << 18,
    MS_TREE_DEBUG_MAP = 1 << 19,
    MS_TREE_STARTS = 1 << 20       /**< LC_FUNCTION_STARTS */
};
#define MS_TREE_N_FLAGS 21

/** "FUNC", "NameNList", … for the i-th flag, i below MS_TREE_N_FLAGS. */
const char *ms_tree_flag_name(unsigned i);

struct ms_tree_symbol {
    uint64_t vm, bytes;
    const char *name; /**< as the source has it: nlist and exports with Mach-O's underscore;
                           NULL where nothing names it */
    uint32_t flags;   /**< of enum ms_tree_flag */
};

/** A piece of code of one line; pieces that follow each other and are alike are one. */
struct ms_tree_line {
    uint64_t vm;
    uint32_t bytes;
    uint32_t line; /**< 0 = of no line */
    uint32_t file; /**< index into the tree's files */
};

/** They join as those of a struct ms_frame. Number 0 is the unknown file, all NULL. */
struct ms_tree_file {
    const char *comp_dir, *dir, *file;
};

enum ms_tree_region_kind { MS_TREE_SEGMENT, MS_TREE_HEADER, MS_TREE_SECTION };

/** Segments by address, each followed by what it has inside. */
struct ms_tree_region {
    enum ms_tree_region_kind kind;
    const char *segment, *section; /**< section NULL but for MS_TREE_SECTION */
    uint64_t vm, bytes;
    /** Its symbols: all up to the start of the next region. A segment with sections has none. */
    size_t first, n;
};

struct ms_symbol_tree {
    uint32_t filetype, header_flags; /**< of the Mach-O header */
    bool is64;                       /**< addresses are shown with 16 digits, not 8 */
    const struct ms_tree_symbol *symbols; /**< ascending */
    size_t n_symbols;
    size_t n_outside; /**< the first so many lie before all regions */
    const struct ms_tree_region *regions;
    size_t n_regions;
    const struct ms_tree_line *lines; /**< ascending */
    size_t n_lines;
    const struct ms_tree_file *files;
    size_t n_files;
    size_t n_nlist, n_starts, n_dwarf, n_debug_map, n_exports; /**< what was read of each */
    size_t n_runtime; /**< functions that metadata alone names */
    size_t n_broken;             /**< units and tables that can't be read */
    struct ms_error first_fault; /**< status MS_OK when all is well */
    /** Object files that the debug map led to, since there is no other DWARF, and those of them
     *  that are missing, stale or damaged. */
    size_t n_objects, n_objects_failed;
    struct ms_error first_object; /**< of the first of these */
    void *storage;               /**< owned */
};

/** Which sources to read; all false reads nothing but the regions. */
struct ms_tree_sources {
    bool nlist, starts, dwarf, debug_map;
    bool lines; /**< only with dwarf */
    bool runtime; /**< only with starts: functions that nothing else names, by the metadata of
                       Objective-C and Swift */
};

/**
 * Reads the sources of an image and merges what they say of one address: a name of nlist and
 * a function of DWARF are one symbol where they mean the same, and its size is DWARF's.
 * Takes n log n time, and memory for what is shown: 56 bytes a symbol, 40 a line.
 * @param out  strings live as long as the image; freed by ms_symbol_tree_fini
 * @return MS_OK, however much is broken: see first_fault; MS_E_NOMEM; MS_E_IO when a file was
 *         truncated while it was read
 */
enum ms_status ms_symbol_tree_read(struct ms_image *image, const struct ms_tree_sources *sources,
                                   struct ms_symbol_tree *out, struct ms_error *err);
void ms_symbol_tree_fini(struct ms_symbol_tree *tree);

/** How to show a tree. */
struct ms_tree_style {
    bool no_regions, no_symbols, no_sources;
    bool full_path;
    bool mangled;
    unsigned indent; /**< so many more blanks before each line of text */
    unsigned demangle_style; /**< of enum ms_demangle_style */
    bool has_address;
    uint64_t address_vm;     /**< with has_address, only what holds this address */
    /** Names of symbols that are made readable already, as ms_demangle_symbol does it: of the
     *  i-th of the tree, borrowed until the next is asked for. false: this one isn't, and is made so
     *  on the spot. NULL = none is. */
    bool (*readable)(void *owner, size_t i, const char **at, size_t *n);
    void *readable_owner;
    const char *glob;        /**< only symbols whose shown name has this in it, '*' and '?' are
                                  wild; NULL = all */
};

/** What came of it. */
struct ms_tree_result {
    size_t n_shown; /**< symbols */
    bool cut;       /**< names were cut, since the tables spell the same bytes over and over */
};

/**
 * Writes the regions, symbols and lines as symbols(1) does, indented by eight spaces.
 * Control characters of names come out as '?'.
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_symbol_tree_write(const struct ms_symbol_tree *tree,
                                    const struct ms_tree_style *style, struct ms_sink *sink,
                                    struct ms_tree_result *out, struct ms_error *err);
/** The same as an array of regions, as machsym(5) lists their members. */
enum ms_status ms_symbol_tree_write_json(const struct ms_symbol_tree *tree,
                                         const struct ms_tree_style *style, struct ms_json *json,
                                         struct ms_tree_result *out, struct ms_error *err);

#ifdef __cplusplus
}
#endif
#endif
