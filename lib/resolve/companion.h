/**
 * resolve/companion.h: where the other half of an image lies when nobody says: the dSYM
 * beside its binary, the binary beside its dSYM; and which file a bundle stands for.
 */
#ifndef MS_RESOLVE_COMPANION_H
#define MS_RESOLVE_COMPANION_H

#include "resolve/catalog.h"
#include "resolve/paths.h"

/**
 * Adds the files that `path` stands for when a person names it: a plain file itself; of a
 * dSYM its DWARF files; of an .app, a .framework or another bundle its main binary; of an
 * .xcarchive that of its app.
 * @param whole  all Mach-O files inside, main binary first, for a search by UUID
 * @return MS_E_IO; MS_E_FORMAT for a folder that stands for nothing in particular
 */
enum ms_status ms_companion_files(struct ms_paths *paths, const char *path, bool whole,
                                  struct ms_error *err);

/**
 * Which folder of Versions in a framework counts: "Current", which is a link; where links were
 * lost, as packages of other systems lose them, the only version that there is.
 * @return NULL: there are several, and no link says which
 */
const char *ms_companion_version(struct ms_arena *arena, const char *path);
/** Says that, with the versions. @return MS_E_ARGUMENT */
enum ms_status ms_companion_fail_versions(const char *path, struct ms_error *err);
/** Says what an .xcframework holds, of which one is to be named. @return MS_E_ARGUMENT */
enum ms_status ms_companion_fail_xcframework(const char *path, struct ms_error *err);

/**
 * The one .app among the products of an .xcarchive, in the arena.
 * @return MS_E_FORMAT: there is none; MS_E_ARGUMENT: there are several; MS_E_IO; MS_E_NOMEM
 */
enum ms_status ms_companion_app(struct ms_arena *arena, const char *archive, const char **out,
                                struct ms_error *err);

/**
 * Fills the catalog with the dSYMs that may belong to a binary: X.dSYM beside it, beside
 * each bundle around it, in the dSYMs folder of its .xcarchive.
 * @return MS_OK, also when there are none; MS_E_NOMEM
 */
enum ms_status ms_companion_dsyms(struct ms_catalog *catalog, const char *binary,
                                  struct ms_error *err);

/** The same for the binaries that may belong to a DWARF file in a dSYM. */
enum ms_status ms_companion_binaries(struct ms_catalog *catalog, const char *dwarf_file,
                                     struct ms_error *err);

#endif
