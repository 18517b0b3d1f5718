/*
 * resolve/bundle.c: the main binary of a bundle. Three layouts: macOS (Contents/MacOS/X), iOS (X
 * beside Info.plist), frameworks of macOS (Versions/Current/X, its Info.plist in Resources).
 */
#include "machsym/codesign.h"

#include "base/arena.h"
#include "base/error.h"
#include "resolve/paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const struct layout {
    const char *info, *binaries, *resources;
} LAYOUTS[] = {
    {"Contents/Info.plist", "Contents/MacOS", "Contents/_CodeSignature/CodeResources"},
    {"Versions/Current/Resources/Info.plist", "Versions/Current",
     "Versions/Current/_CodeSignature/CodeResources"},
    {"Resources/Info.plist", ".", "_CodeSignature/CodeResources"},
    {"Info.plist", ".", "_CodeSignature/CodeResources"},
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

static const char *find_binary(struct ms_arena *arena, const char *path,
                               const struct layout *layout, const char *name)
{
    const char *folder =
        strcmp(layout->binaries, ".") == 0 ? path : ms_path_join(arena, path, layout->binaries);
    const char *binary = name && folder ? ms_path_join(arena, folder, name) : NULL;
    return is_file(binary) ? binary : NULL;
}

static char *copy(const char *text)
{
    size_t n = strlen(text) + 1;
    char *out = malloc(n);
    if (out)
        memcpy(out, text, n);
    return out;
}

enum ms_status ms_bundle_find(const char *path, struct ms_bundle *out, struct ms_error *err)
{
    struct ms_arena arena;
    const char *found = NULL, *list = NULL, *resources = NULL;
    ms_arena_init(&arena, 0);
    memset(out, 0, sizeof *out);
    for (int i = 0; i < N_LAYOUTS && !found; i++) {
        list = ms_path_join(&arena, path, LAYOUTS[i].info);
        if (is_file(list))
            found = find_binary(&arena, path, &LAYOUTS[i], executable_name(&arena, list));
        else
            list = NULL;
        if (!found)
            found = find_binary(&arena, path, &LAYOUTS[i], own_name(&arena, path));
        resources = ms_path_join(&arena, path, LAYOUTS[i].resources);
    }
    enum ms_status status = MS_OK;
    if (!found)
        status = ms_fail(err, MS_E_FORMAT, path, MS_NO_OFFSET,
                         "holds no main binary: neither what an Info.plist names nor a file of its "
                         "own name");
    else if (!(out->binary = copy(found)) || (list && !(out->info = copy(list))) ||
             (is_file(resources) && !(out->resources = copy(resources))))
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
