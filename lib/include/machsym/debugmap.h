/**
 * machsym/debugmap.h: the debug map of a linked image. A linker leaves debug information in
 * the object files and notes in the symbol table, as stabs, which objects those were and where
 * it put their functions and variables: the map from which dsymutil makes a dSYM.
 *
 * Source of the format: Apple's mach-o/stab.h, and what ld64 and LLVM's lld write.
 */
#ifndef MACHSYM_DEBUGMAP_H
#define MACHSYM_DEBUGMAP_H

#include "machsym/macho.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ms_map_kind {
    MS_MAP_FUNCTION, /**< N_FUN, with its size */
    MS_MAP_GLOBAL,   /**< N_GSYM: ld64 leaves the address out (vm is 0), the symbol table has it */
    MS_MAP_STATIC    /**< N_STSYM */
};

/** One symbol of an object that is in the image. */
struct ms_map_symbol {
    const char *name; /**< with Mach-O's underscore; borrowed from the image */
    uint64_t vm;      /**< as linked */
    uint64_t bytes;   /**< of a function; 0 for data */
    uint32_t object;  /**< index into the map's objects */
    enum ms_map_kind kind;
};

/** One object file. */
struct ms_map_object {
    const char *path;   /**< as the linker wrote it: "/obj/a.o", "/obj/libz.a(a.o)" */
    const char *folder; /**< of the source file, with its last slash; "" where the linker wrote
                             one path, or none */
    const char *source; /**< the source file, "" when it isn't told */
    int64_t mtime;      /**< of the object when it was linked, seconds since 1970; 0 = unknown */
    bool is_module;     /**< N_AST: a Swift module, which has no symbols */
    size_t first, n;    /**< its symbols */
};

/** In the order of the symbol table, in which the symbols of an object stand together. */
struct ms_debug_map {
    struct ms_map_object *objects;
    size_t n_objects, objects_room;
    struct ms_map_symbol *symbols;
    size_t n_symbols, symbols_room;
};

/**
 * Reads the debug map of an image. Opens no other file. An entry that belongs to no object, a
 * function without an end and a name outside the string table are passed over.
 * @return MS_ABSENT: the image has none; MS_E_NOMEM
 */
enum ms_status ms_debug_map_read(const struct ms_macho *image, struct ms_debug_map *out,
                                 struct ms_error *err);
void ms_debug_map_fini(struct ms_debug_map *map);

/** Names of objects begin anew: `from`, where a path begins with it, becomes `to`. */
struct ms_path_prefix {
    const char *from, *to;
};

/** Where objects are looked for. The first prefix that fits counts. */
struct ms_object_search {
    const struct ms_path_prefix *prefixes;
    size_t n_prefixes;
    const char *folder; /**< put before each path, after the prefixes; NULL or "" for none */
};

/** A symbol with both of its addresses. */
struct ms_linked_symbol {
    const char *name;
    uint64_t object_vm; /**< in the object; meaningful when has_object_vm */
    uint64_t vm;        /**< as linked */
    uint32_t bytes;     /**< of a function; 0 for data */
    bool has_object_vm; /**< common and absolute symbols have none there */
};

struct ms_linked_object {
    const char *path;   /**< where it was looked for */
    const char *folder, *source;
    int64_t mtime;
    bool is_module;
    bool stale;       /**< it was written anew since it was linked */
    /** MS_OK: it was read. Else why not; there are no symbols then. */
    enum ms_status status;
    struct ms_linked_symbol *symbols; /**< by name, each name once */
    size_t n_symbols, symbols_room;
};

enum ms_note_kind {
    MS_NOTE_MISSING,   /**< an object that isn't there */
    MS_NOTE_STALE,     /**< one that was written anew since */
    MS_NOTE_MALFORMED, /**< one that can't be read, or that the map names in two ways */
    MS_NOTE_SYMBOL     /**< a symbol that isn't in its object, or is there twice */
};
#define MS_NOTE_KINDS 4
#define MS_MAX_NOTES 10

/** What dsymutil makes of a debug map: the objects were opened, the symbols found in them. */
struct ms_linked_map {
    struct ms_linked_object *objects;
    size_t n_objects, objects_room;
    /** What is missing, stale or in doubt: files, members, symbols. Of each kind the first
     *  MS_MAX_NOTES, and how many more there are. */
    struct ms_error *notes;
    size_t n_notes, notes_room;
    size_t n_noted[MS_NOTE_KINDS];    /**< that are in `notes` */
    size_t n_left_out[MS_NOTE_KINDS]; /**< that aren't */
    void *storage; /**< owned */
};

/**
 * Reads the debug map and opens each object for its symbol table. An archive's member must
 * have the modification time that the map tells, where it tells one; a file that has another
 * is used, with a note.
 * @param image   must outlive *out
 * @param search  may be NULL
 * @return MS_OK, also when there is no debug map or no object is there; MS_E_NOMEM
 */
enum ms_status ms_linked_map_read(const struct ms_macho *image,
                                  const struct ms_object_search *search, struct ms_linked_map *out,
                                  struct ms_error *err);
void ms_linked_map_fini(struct ms_linked_map *map);

#ifdef __cplusplus
}
#endif
#endif
