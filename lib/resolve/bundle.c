/*
 * resolve/bundle.c: the main binary of a bundle. Three layouts: macOS (Contents/MacOS/X), iOS (X
 * beside Info.plist), frameworks of macOS (Versions/Current/X, its Info.plist in Resources).
 */
#include "machsym/codesign.h"

#include "base/arena.h"
#include "base/error.h"
#include "resolve/companion.h"
#include "resolve/paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* %V is the version of a framework. */
static const struct layout {
    const char *info, *binaries, *resources;
} LAYOUTS[] = {
    {"Contents/Info.plist", "Contents/MacOS", "Contents/_CodeSignature/CodeResources"},
    {"Versions/%V/Resources/Info.plist", "Versions/%V", "Versions/%V/_CodeSignature/CodeResources"},
    {"Info.plist", ".", "_CodeSignature/CodeResources"},
    {"Resources/Info.plist", ".", "_CodeSignature/CodeResources"},
};
enum { N_LAYOUTS = sizeof LAYOUTS / sizeof *LAYOUTS };

static bool is_file(const char *path)
{
    struct stat st;
    return path && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* What CFBundleExecutable says, in the arena; NULL when it says nothing or can't be read. */
static const char *executable_name(struct ms_arena *arena, const char *info)
{
    struct ms_file *file = NULL;
    struct ms_plist_tree *tree = NULL;
    struct ms_error ignored;
    const char *name = NULL;
    if (ms_file_open(info, &file, &ignored) != MS_OK)
        return NULL;
    if (ms_plist_parse(ms_file_bytes(file), info, &tree, &ignored) == MS_OK) {
        const struct ms_plist *value = ms_plist_get(ms_plist_root(tree), "CFBundleExecutable");
        /* A name: what leads out of the folder is not the bundle's. */
        if (value && value->kind == MS_PLIST_STRING && value->text_bytes &&
            !memchr(value->text, 0, value->text_bytes) && !strchr(value->text, '/') &&
            strcmp(value->text, "..") != 0)
            name = ms_arena_copy(arena, value->text, value->text_bytes);
        ms_plist_close(tree);
    }
    ms_file_close(file);
    return name;
}

/* "Some.app" -> "Some". */
static const char *own_name(struct ms_arena *arena, const char *path)
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

/* A path of a layout inside of the bundle; NULL without memory. */
static const char *place(struct ms_arena *arena, const char *path, const char *part,
                         const char *version)
{
    const char *at = strstr(part, "%V");
    if (strcmp(part, ".") == 0)
        return path;
    if (!at)
        return ms_path_join(arena, path, part);
    size_t n = (size_t)(at - part), m = strlen(version), rest = strlen(at + 2);
    char *whole = ms_arena_take(arena, n + m + rest + 1);
    if (!whole)
        return NULL;
    memcpy(whole, part, n);
    memcpy(whole + n, version, m);
    memcpy(whole + n + m, at + 2, rest + 1);
    return ms_path_join(arena, path, whole);
}

static char *copy(const char *text)
{
    size_t n = strlen(text) + 1;
    char *out = malloc(n);
    if (out)
        memcpy(out, text, n);
    return out;
}

/* Borrowed from an arena. */
struct found {
    const char *binary, *info, *resources;
};

/* By what the Info.plist names, or else by the bundle's own name. */
static bool find_in(struct ms_arena *arena, const char *path, const struct layout *layout,
                    const char *version, bool by_own_name, struct found *out)
{
    const char *folder = place(arena, path, layout->binaries, version), *name;
    out->info = place(arena, path, layout->info, version);
    out->resources = place(arena, path, layout->resources, version);
    if (!is_file(out->info))
        out->info = NULL;
    if (!is_file(out->resources))
        out->resources = NULL;
    if (by_own_name)
        name = own_name(arena, path);
    else
        name = out->info ? executable_name(arena, out->info) : NULL;
    out->binary = name && folder ? ms_path_join(arena, folder, name) : NULL;
    return is_file(out->binary);
}

enum ms_status ms_bundle_find(const char *path, struct ms_bundle *out, struct ms_error *err)
{
    struct ms_arena arena;
    struct found found = {NULL, NULL, NULL};
    bool is_there = false;
    ms_arena_init(&arena, 0);
    memset(out, 0, sizeof *out);
    enum ms_status status = MS_OK;
    if (ms_path_has_suffix(path, ".xcframework"))
        status = ms_companion_fail_xcframework(path, err);
    else if (ms_path_has_suffix(path, ".xcarchive"))
        status = ms_companion_app(&arena, path, &path, err);
    const char *version = status == MS_OK ? ms_companion_version(&arena, path) : NULL;
    const char *chosen = version ? version : "Current";
    for (int i = 0; i < 2 * N_LAYOUTS && !is_there && status == MS_OK; i++)
        is_there = find_in(&arena, path, &LAYOUTS[i % N_LAYOUTS], chosen, i >= N_LAYOUTS, &found);
    if (status == MS_OK && !is_there && !ms_path_is_bundle_name(path))
        status = ms_fail(err, MS_E_FORMAT, path, MS_NO_OFFSET,
                         "is a folder: name the binary, the bundle or the dSYM in it");
    else if (status == MS_OK && !is_there && !version)
        status = ms_companion_fail_versions(path, err);
    else if (status == MS_OK && !is_there)
        status = ms_fail(err, MS_E_FORMAT, path, MS_NO_OFFSET,
                         "holds no main binary: neither what an Info.plist names nor a file of its "
                         "own name");
    else if (status == MS_OK && (!(out->binary = copy(found.binary)) ||
                                 (found.info && !(out->info = copy(found.info))) ||
                                 (found.resources && !(out->resources = copy(found.resources)))))
        status = ms_fail_memory(err);
    if (status != MS_OK)
        ms_bundle_fini(out);
    ms_arena_fini(&arena);
    return status;
}

void ms_bundle_fini(struct ms_bundle *bundle)
{
    free(bundle->binary);
    free(bundle->info);
    free(bundle->resources);
    memset(bundle, 0, sizeof *bundle);
}
