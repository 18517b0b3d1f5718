#include "resolve/companion.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many folders up a bundle around a binary may lie: X.app/Contents/Frameworks/
 * Y.framework/Versions/A/Y is six below X.app. */
enum { MAX_UP = 10 };

enum {
    IN_VERSIONS = 2, /* of the places of a main binary */
    MAX_LISTED = 64
};

static bool exists(const char *path)
{
    return path && access(path, F_OK) == 0;
}

/* "App" of "/x/App.app/": base name without slashes and without its last suffix. */
static char *stem(struct ms_arena *arena, const char *path)
{
    const char *base = ms_path_base(path);
    size_t n = strcspn(base, "/");
    for (size_t i = n; i > 1; i--)
        if (base[i - 1] == '.') {
            n = i - 1;
            break;
        }
    return ms_arena_copy(arena, base, n);
}

const char *ms_companion_version(struct ms_arena *arena, const char *path)
{
    const char *folder = ms_path_join(arena, path, "Versions"), *only = NULL;
    const char *current = folder ? ms_path_join(arena, folder, "Current") : NULL;
    DIR *stream = !current || ms_path_is_folder(current) ? NULL : opendir(folder);
    size_t n = 0;
    if (!stream)
        return "Current";
    /* Where a link became a file that holds its target, Current isn't a folder. */
    for (struct dirent *entry; n < 2 && (entry = readdir(stream));) {
        const char *version =
            entry->d_name[0] != '.' ? ms_path_join(arena, folder, entry->d_name) : NULL;
        if (version && ms_path_is_folder(version) && n++ == 0)
            only = ms_arena_copy(arena, entry->d_name, strlen(entry->d_name));
    }
    closedir(stream);
    return n > 1 ? NULL : n && only ? only : "Current";
}

/* ---- what a folder holds, for messages --------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a folder, sorted, in the arena: MAX_LISTED at most, so that of more not all are
 * looked at. */
static size_t list_folder(struct ms_arena *arena, const char *path, const char **names)
{
    DIR *stream = opendir(path);
    size_t n = 0;
    if (!stream)
        return 0;
    for (struct dirent *entry; n < MAX_LISTED && (entry = readdir(stream));)
        if (entry->d_name[0] != '.' &&
            (names[n] = ms_arena_copy(arena, entry->d_name, strlen(entry->d_name))))
            n++;
    closedir(stream);
    if (n > 1)
        qsort(names, n, sizeof *names, by_text);
    return n;
}

/* Adds one of a list, or "…" once for all that have no place. */
static void add_choice(char *out, size_t room, const char *folder, const char *name)
{
    static const char more[] = ", …";
    size_t n = strlen(out), all = strlen(folder) + strlen(name) + 3;
    if (n >= sizeof more - 1 && strcmp(out + n - (sizeof more - 1), more) == 0)
        return;
    if (n + all + sizeof more > room)
        snprintf(out + n, room - n, "%s", more);
    else
        snprintf(out + n, room - n, "%s%s%s%s", n ? ", " : "", folder, *folder ? "/" : "", name);
}

enum ms_status ms_companion_fail_versions(const char *path, struct ms_error *err)
{
    struct ms_arena arena;
    const char *names[MAX_LISTED];
    char choices[120] = "";
    ms_arena_init(&arena, 0);
    const char *folder = ms_path_join(&arena, path, "Versions");
    size_t n = folder ? list_folder(&arena, folder, names) : 0;
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], "Current") != 0)
            add_choice(choices, sizeof choices, "", names[i]);
    ms_arena_fini(&arena);
    return ms_fail(err, MS_E_ARGUMENT, path, MS_NO_OFFSET,
                   "has no link Versions/Current: name the binary in one of its versions %s",
                   choices);
}

enum ms_status ms_companion_fail_xcframework(const char *path, struct ms_error *err)
{
    static const char *const suffixes[] = {".framework", ".a", ".dylib"};
    struct ms_arena arena;
    const char *folders[MAX_LISTED], *names[MAX_LISTED];
    char choices[160] = "";
    ms_arena_init(&arena, 0);
    size_t n = list_folder(&arena, path, folders);
    for (size_t i = 0; i < n; i++) {
        const char *folder = ms_path_join(&arena, path, folders[i]);
        size_t m = folder ? list_folder(&arena, folder, names) : 0;
        for (size_t k = 0; k < m; k++)
            for (size_t s = 0; s < sizeof suffixes / sizeof *suffixes; s++)
                if (ms_path_has_suffix(names[k], suffixes[s]))
                    add_choice(choices, sizeof choices, folders[i], names[k]);
    }
    ms_arena_fini(&arena);
    if (!choices[0])
        return ms_fail(err, MS_E_FORMAT, path, MS_NO_OFFSET,
                       "is an .xcframework, and holds no framework or library");
    return ms_fail(err, MS_E_ARGUMENT, path, MS_NO_OFFSET, "is an .xcframework: name one of %s",
                   choices);
}

/* The main binary of a bundle, by the name that the bundle has; *out is NULL when none is
 * there. */
static enum ms_status main_binary(struct ms_arena *arena, const char *bundle, const char **out,
                                  struct ms_error *err)
{
    static const char *const inside[] = {"Contents/MacOS", "", "Versions", "Versions/A"};
    *out = NULL;
    char *name = stem(arena, bundle);
    if (!name)
        return ms_fail_memory(err);
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        char *dir =
            inside[i][0] ? ms_path_join(arena, bundle, inside[i]) : (char *)(uintptr_t)bundle;
        const char *version = i == IN_VERSIONS ? ms_companion_version(arena, bundle) : NULL;
        if (dir && version)
            dir = ms_path_join(arena, dir, version);
        char *file = dir ? ms_path_join(arena, dir, name) : NULL;
        if (!file)
            return ms_fail_memory(err);
        if (exists(file) && !ms_path_is_folder(file)) {
            *out = file;
            break;
        }
    }
    return MS_OK;
}

/* An app whose binary has another name than the bundle: the only executable in its folder. */
static enum ms_status only_executable(struct ms_paths *out, const char *bundle,
                                      struct ms_error *err)
{
    struct ms_catalog catalog;
    ms_catalog_init(&catalog);
    struct ms_arena scratch;
    ms_arena_init(&scratch, 0);
    const char *dir = ms_path_join(&scratch, bundle, "Contents/MacOS");
    struct ms_paths files;
    ms_paths_init(&files);
    enum ms_status status = dir ? MS_OK : ms_fail_memory(err);
    if (status == MS_OK)
        status =
            ms_paths_collect(&files, ms_path_is_folder(dir) ? dir : bundle, MS_REACH_BESIDE, err);
    for (size_t i = 0; i < files.n && status == MS_OK; i++) {
        if (ms_catalog_add(&catalog, files.items[i], false, NULL) == MS_E_NOMEM)
            status = ms_fail_memory(err);
    }
    const char *found = NULL;
    for (size_t i = 0; i < catalog.n && status == MS_OK; i++) {
        const struct ms_catalog_entry *e = &catalog.items[i];
        if (e->filetype != MS_MH_EXECUTE || (found && strcmp(found, e->path) == 0))
            continue;
        if (found)
            status = ms_fail(err, MS_E_ARGUMENT, bundle, MS_NO_OFFSET,
                             "holds several executables: name the one that is meant");
        found = e->path;
    }
    if (status == MS_OK && !found)
        status = ms_fail(err, MS_E_FORMAT, bundle, MS_NO_OFFSET, "no Mach-O executable in it");
    if (status == MS_OK)
        status = ms_paths_collect(out, found, MS_REACH_ALL, err);
    ms_paths_fini(&files);
    ms_arena_fini(&scratch);
    ms_catalog_fini(&catalog);
    return status;
}

enum ms_status ms_companion_app(struct ms_arena *arena, const char *archive, const char **out,
                                struct ms_error *err)
{
    char *products = ms_path_join(arena, archive, "Products");
    enum ms_status status = products ? MS_OK : ms_fail_memory(err);
    struct ms_paths files;
    ms_paths_init(&files);
    const char *app = NULL;
    if (products)
        status = ms_paths_collect(&files, products, MS_REACH_ALL, err);
    /* The outermost .app folders on the way to the files are the archived products. */
    for (size_t i = 0; i < files.n && status == MS_OK; i++) {
        const char *end = strstr(files.items[i], ".app/");
        if (!end)
            continue;
        size_t n = (size_t)(end - files.items[i]) + 4;
        if (app && (strlen(app) != n || memcmp(app, files.items[i], n) != 0))
            status = ms_fail(err, MS_E_ARGUMENT, archive, MS_NO_OFFSET,
                             "holds several apps: name the one that is meant");
        else if (!app && !(app = ms_arena_copy(arena, files.items[i], n)))
            status = ms_fail_memory(err);
    }
    if (status == MS_OK && !app)
        status = ms_fail(err, MS_E_FORMAT, archive, MS_NO_OFFSET, "no app in its Products folder");
    ms_paths_fini(&files);
    *out = app;
    return status;
}

static enum ms_status archived_app(struct ms_paths *out, const char *archive, struct ms_error *err)
{
    const char *app;
    enum ms_status status = ms_companion_app(&out->arena, archive, &app, err);
    return status == MS_OK ? ms_companion_files(out, app, false, err) : status;
}

enum ms_status ms_companion_files(struct ms_paths *paths, const char *path, bool whole,
                                  struct ms_error *err)
{
    if (!ms_path_is_folder(path) || ms_path_is_dsym(path))
        return ms_paths_collect(paths, path, MS_REACH_ALL, err);
    enum ms_status status = MS_OK;
    if (ms_path_has_suffix(path, ".xcframework") && !whole)
        return ms_companion_fail_xcframework(path, err);
    if (ms_path_has_suffix(path, ".xcarchive") && !whole)
        return archived_app(paths, path, err);
    if (ms_path_is_bundle_name(path)) {
        const char *binary;
        status = main_binary(&paths->arena, path, &binary, err);
        if (status == MS_OK && binary)
            status = ms_paths_collect(paths, binary, MS_REACH_ALL, err);
        else if (status == MS_OK && !whole)
            status = ms_companion_version(&paths->arena, path)
                         ? only_executable(paths, path, err)
                         : ms_companion_fail_versions(path, err);
    } else if (!whole) {
        return ms_fail(err, MS_E_FORMAT, path, MS_NO_OFFSET,
                       "is a folder: name the binary, the bundle or the dSYM in it");
    }
    if (status == MS_OK && whole)
        status = ms_paths_collect(paths, path, MS_REACH_ALL, err);
    return status;
}

/* Adds what may lie there; that it is unreadable is no fault of what was asked for. */
static enum ms_status try(struct ms_catalog *catalog, const char *path, struct ms_error *err)
{
    return ms_catalog_add(catalog, path, false, err) == MS_E_NOMEM ? MS_E_NOMEM : MS_OK;
}

/* dir/NAME.dSYM, when it is there. */
static enum ms_status add_dsym(struct ms_catalog *catalog, struct ms_arena *arena, const char *dir,
                               const char *name, struct ms_error *err)
{
    size_t n = strlen(name) + sizeof ".dSYM";
    char *file = ms_arena_take(arena, n);
    if (!file)
        return ms_fail_memory(err);
    snprintf(file, n, "%s.dSYM", name);
    char *path = ms_path_join(arena, dir, file);
    if (!path)
        return ms_fail_memory(err);
    if (!exists(path))
        return MS_OK;
    return try(catalog, path, err);
}

enum ms_status ms_companion_dsyms(struct ms_catalog *catalog, const char *binary,
                                  struct ms_error *err)
{
    struct ms_arena *arena = &catalog->arena;
    const char *name = ms_path_base(binary);
    char *dir = ms_path_parent(arena, binary);
    enum ms_status status = dir ? add_dsym(catalog, arena, dir, name, err) : ms_fail_memory(err);
    for (int up = 0; up < MAX_UP && status == MS_OK; up++) {
        if (strcmp(dir, ".") == 0 || strcmp(dir, "/") == 0)
            break;
        char *parent = ms_path_parent(arena, dir);
        if (!parent)
            return ms_fail_memory(err);
        if (ms_path_has_suffix(dir, ".xcarchive")) {
            char *dsyms = ms_path_join(arena, dir, "dSYMs");
            if (!dsyms)
                return ms_fail_memory(err);
            return exists(dsyms) ? try(catalog, dsyms, err) : MS_OK;
        }
        if (ms_path_is_bundle_name(dir)) {
            status = add_dsym(catalog, arena, parent, ms_path_base(dir), err);
            if (status == MS_OK)
                status = add_dsym(catalog, arena, parent, name, err);
            /* A library of an .xcframework has them in a folder of their own. */
            char *dsyms = ms_path_join(arena, parent, "dSYMs");
            if (!dsyms)
                return ms_fail_memory(err);
            if (status == MS_OK)
                status = add_dsym(catalog, arena, dsyms, ms_path_base(dir), err);
        }
        dir = parent;
    }
    return status;
}

/*
 * The binaries that `stand` may mean, the place of a dSYM without ".dSYM": X of X.dSYM is the
 * binary beside it; X.app of X.app.dSYM the bundle.
 */
static enum ms_status add_binaries(struct ms_catalog *catalog, const char *stand,
                                   const char *dwarf_name, struct ms_error *err)
{
    struct ms_arena *arena = &catalog->arena;
    const char *candidates[2] = {stand, NULL};
    enum ms_status status = MS_OK;
    if (ms_path_is_folder(stand)) {
        candidates[0] = NULL;
        if (ms_path_is_bundle_name(stand))
            status = main_binary(arena, stand, &candidates[0], err);
    }
    char *dir = ms_path_parent(arena, stand);
    candidates[1] = dir ? ms_path_join(arena, dir, dwarf_name) : NULL;
    if (!candidates[1])
        return ms_fail_memory(err);
    for (int i = 0; i < 2 && status == MS_OK; i++)
        if (exists(candidates[i]) && !ms_path_is_folder(candidates[i]))
            status = try(catalog, candidates[i], err);
    return status;
}

enum ms_status ms_companion_binaries(struct ms_catalog *catalog, const char *dwarf_file,
                                     struct ms_error *err)
{
    struct ms_arena *arena = &catalog->arena;
    const char *marker = strstr(dwarf_file, "/Contents/Resources/DWARF/");
    if (!marker)
        return MS_OK;
    size_t n = (size_t)(marker - dwarf_file), suffix = strlen(".dSYM");
    if (n > suffix && memcmp(marker - suffix, ".dSYM", suffix) == 0)
        n -= suffix;
    char *beside = ms_arena_copy(arena, dwarf_file, n);
    char *dir = beside ? ms_path_parent(arena, beside) : NULL;
    if (!dir)
        return ms_fail_memory(err);
    enum ms_status status = add_binaries(catalog, beside, ms_path_base(dwarf_file), err);
    if (status != MS_OK || strcmp(ms_path_base(dir), "dSYMs") != 0)
        return status;
    /* The folder dSYMs of an .xcframework's library stands beside the framework. */
    char *outer = ms_path_parent(arena, dir);
    char *framework = outer ? ms_path_join(arena, outer, ms_path_base(beside)) : NULL;
    if (!framework)
        return ms_fail_memory(err);
    return add_binaries(catalog, framework, ms_path_base(dwarf_file), err);
}
