/**
 * resolve/catalog.h: which files have which UUID, out of folders of any size. Reads load
 * commands alone, each file once.
 */
#ifndef MS_RESOLVE_CATALOG_H
#define MS_RESOLVE_CATALOG_H

#include "base/arena.h"
#include "base/index.h"
#include "machsym/macho.h"

/** One slice of one file. */
struct ms_catalog_entry {
    struct ms_uuid uuid;
    const char *path;
    uint32_t cputype, cpusubtype, filetype;
    bool has_dwarf;   /* a non-empty debug_info section, compressed or not; or a ready index */
    uint8_t rank;     /* of debug information: the lowest of several is best; see catalog.c */
    bool has_code;    /* the file holds the instructions: a binary, not a dSYM */
    bool damaged;     /* part of it lies outside the file */
    int64_t mtime;    /* seconds since 1970 */
    /* The next entries of the same UUID and of the same base name, MS_INDEX_NONE at the end. */
    uint32_t next_uuid, next_name;
};

struct ms_catalog {
    struct ms_catalog_entry *items; /* in the order found: earlier paths win */
    size_t n, room;
    struct ms_index by_uuid, by_name; /* to the first entry of each */
    uint32_t *last_uuid, *last_name;  /* for those, the last entry of the same */
    size_t last_uuid_room, last_name_room;
    struct ms_arena arena;
    size_t n_skipped;    /* folders, and Mach-O files in them, that could not be read */
    struct ms_error first_skipped;
    size_t n_files;      /* Mach-O files seen */
};

void ms_catalog_init(struct ms_catalog *catalog);
void ms_catalog_fini(struct ms_catalog *catalog);

/**
 * Adds every slice that has a UUID, of a file, a bundle, or everything below a folder. In
 * a folder, files that are no Mach-O or can't be read are passed over.
 * @param beside  a folder's own files and bundles alone (see paths.h)
 * @return a file that was named itself and is no Mach-O: MS_E_FORMAT. MS_E_IO, MS_E_NOMEM
 */
enum ms_status ms_catalog_add(struct ms_catalog *catalog, const char *path, bool beside,
                              struct ms_error *err);

/** The first entry with that UUID that has DWARF; NULL. */
const struct ms_catalog_entry *ms_catalog_debug(const struct ms_catalog *catalog,
                                                const struct ms_uuid *uuid);
/** The first entry with that UUID that has code; NULL. */
const struct ms_catalog_entry *ms_catalog_binary(const struct ms_catalog *catalog,
                                                 const struct ms_uuid *uuid);
/** The first entry with that UUID of whatever kind; NULL. */
const struct ms_catalog_entry *ms_catalog_any(const struct ms_catalog *catalog,
                                              const struct ms_uuid *uuid);
/**
 * A file that bears the name but has another UUID: what a person would take for the right
 * one. The same architecture is preferred; dSYMs before binaries. NULL when there is none.
 */
const struct ms_catalog_entry *ms_catalog_namesake(const struct ms_catalog *catalog,
                                                   const char *name, const struct ms_uuid *not_this,
                                                   const char *arch);

#endif
