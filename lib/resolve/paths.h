/**
 * resolve/paths.h: from a name that a person gives (a binary, a bundle, a folder of
 * thousands of dSYMs) to the files that could be Mach-O. Looks at names alone: opens none.
 */
#ifndef MS_RESOLVE_PATHS_H
#define MS_RESOLVE_PATHS_H

#include "base/arena.h"
#include "base/error.h"

struct ms_paths {
    const char **items; /* in the arena's memory, but for the array itself */
    size_t n, room;
    struct ms_arena arena;
    size_t n_skipped;   /* folders that could not be read, or lie too deep */
    struct ms_error first_skipped; /* why the first of them was */
};

/** How far to look into a folder that is not a bundle. */
enum ms_paths_reach {
    MS_REACH_ALL,    /* recursively */
    MS_REACH_BESIDE  /* its own files and the bundles that lie in it, no other folders */
};

void ms_paths_init(struct ms_paths *paths);
void ms_paths_fini(struct ms_paths *paths);

/**
 * Adds every file under `path` that may be a Mach-O: the file itself; of a dSYM bundle what
 * lies in Contents/Resources/DWARF; of any other folder its files. AppleDouble files
 * ("._X") are left out, names come sorted, links that lead back into themselves end.
 * @return MS_E_IO when `path` itself is missing or unreadable; MS_E_NOMEM
 */
enum ms_status ms_paths_collect(struct ms_paths *paths, const char *path,
                                enum ms_paths_reach reach, struct ms_error *err);

/** The last component, without trailing slashes taken into account: borrowed from `path`. */
const char *ms_path_base(const char *path);
/** True when `path`, trailing slashes aside, ends in `suffix` (".dSYM"). */
bool ms_path_has_suffix(const char *path, const char *suffix);
/** The folder that holds `path` ("." for a bare name), in the arena; NULL without memory. */
char *ms_path_parent(struct ms_arena *arena, const char *path);
/** dir/name, in the arena; NULL without memory. */
char *ms_path_join(struct ms_arena *arena, const char *dir, const char *name);
bool ms_path_is_folder(const char *path);
/** A dSYM bundle: by its name, or, renamed, by the folder Contents/Resources/DWARF in it. */
bool ms_path_is_dsym(const char *path);
/** ".app", ".framework", ".dSYM", ".xcarchive", …: a folder that stands for one thing. */
bool ms_path_is_bundle_name(const char *path);

#endif
