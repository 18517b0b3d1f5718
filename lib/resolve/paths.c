/* d_type saves one system call a file; POSIX does not have it, both our systems do. */
#define _DEFAULT_SOURCE 1
#define _DARWIN_C_SOURCE 1

#include "resolve/paths.h"

#include "base/array.h"
#include "base/limits.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEPTH = 40, MAX_PATHS = 4 << 20 };

/* A folder on the way down, to notice a link that leads back up. */
struct ancestor {
    dev_t dev;
    ino_t ino;
    const struct ancestor *up;
    unsigned depth;
};

void ms_paths_init(struct ms_paths *paths)
{
    memset(paths, 0, sizeof *paths);
    ms_arena_init(&paths->arena, 0);
}

void ms_paths_fini(struct ms_paths *paths)
{
    free(paths->items);
    ms_arena_fini(&paths->arena);
    memset(paths, 0, sizeof *paths);
}

const char *ms_path_base(const char *path)
{
    const char *base = path;
    for (const char *c = path; *c; c++)
        if (*c == '/' && c[1] && c[1] != '/')
            base = c + 1;
    return base;
}

static size_t length_without_slashes(const char *path)
{
    size_t n = strlen(path);
    while (n > 1 && path[n - 1] == '/')
        n--;
    return n;
}

bool ms_path_has_suffix(const char *path, const char *suffix)
{
    size_t n = length_without_slashes(path), m = strlen(suffix);
    return n > m && memcmp(path + n - m, suffix, m) == 0;
}

char *ms_path_parent(struct ms_arena *arena, const char *path)
{
    size_t n = length_without_slashes(path);
    while (n > 0 && path[n - 1] != '/')
        n--;
    while (n > 1 && path[n - 1] == '/')
        n--;
    return n ? ms_arena_copy(arena, path, n) : ms_arena_copy(arena, ".", 1);
}

char *ms_path_join(struct ms_arena *arena, const char *dir, const char *name)
{
    size_t n = length_without_slashes(dir), m = strlen(name);
    if (n == 1 && dir[0] == '/')
        n = 0;
    char *out = ms_arena_take(arena, n + m + 2);
    if (!out)
        return NULL;
    memcpy(out, dir, n);
    out[n] = '/';
    memcpy(out + n + 1, name, m + 1);
    return out;
}

bool ms_path_is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

bool ms_path_is_bundle_name(const char *path)
{
    static const char *const suffixes[] = {
        ".dSYM", ".app",  ".framework", ".xcarchive", ".appex",           ".bundle",
        ".xpc",  ".kext", ".plugin",    ".xctest",    ".systemextension", ".xcframework"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (ms_path_has_suffix(path, suffixes[i]))
            return true;
    return false;
}

bool ms_path_is_dsym(const char *path)
{
    if (ms_path_is_bundle_name(path)) /* an app may hold whatever it likes */
        return ms_path_has_suffix(path, ".dSYM");
    struct ms_arena scratch;
    ms_arena_init(&scratch, 0);
    char *dwarf = ms_path_join(&scratch, path, "Contents/Resources/DWARF");
    bool is_dsym = dwarf && ms_path_is_folder(dwarf);
    ms_arena_fini(&scratch);
    return is_dsym;
}

static void note_skipped(struct ms_paths *paths, const struct ms_error *why)
{
    if (paths->n_skipped++ == 0)
        paths->first_skipped = *why;
}

/* The same for a ceiling of ours. */
static void note_ceiling(struct ms_paths *paths, const char *path, const char *what)
{
    struct ms_error why;
    ms_fail(&why, MS_E_LIMIT, path, MS_NO_OFFSET, "%s", what);
    note_skipped(paths, &why);
}

static enum ms_status add(struct ms_paths *paths, const char *path, struct ms_error *err)
{
    if (paths->n >= MAX_PATHS) {
        note_ceiling(paths, path, "too many files");
        return MS_OK;
    }
    const char *copy = ms_arena_copy(&paths->arena, path, strlen(path));
    if (!copy || !MS_PUSH(paths->items, paths->n, paths->room, copy))
        return ms_fail_memory(err);
    return MS_OK;
}

struct name {
    char *text;
    bool is_folder;
};

struct names {
    struct name *items;
    size_t n, room;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

static void names_fini(struct names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->items[i].text);
    free(names->items);
}

enum kind { KIND_FILE, KIND_FOLDER, KIND_OTHER, KIND_UNKNOWN /* without memory */ };

static enum kind kind_of(const char *dir, const struct dirent *entry, struct ms_arena *scratch)
{
#ifdef DT_DIR
    if (entry->d_type == DT_DIR)
        return KIND_FOLDER;
    if (entry->d_type == DT_REG)
        return KIND_FILE;
    if (entry->d_type != DT_LNK && entry->d_type != DT_UNKNOWN)
        return KIND_OTHER;
#endif
    char *path = ms_path_join(scratch, dir, entry->d_name);
    struct stat st;
    if (!path)
        return KIND_UNKNOWN;
    if (stat(path, &st) != 0)
        return KIND_OTHER;
    return S_ISDIR(st.st_mode) ? KIND_FOLDER : S_ISREG(st.st_mode) ? KIND_FILE : KIND_OTHER;
}

/* The names in a folder, sorted, so that what is found first doesn't depend on the disk. */
static enum ms_status list(const char *dir, struct names *out, struct ms_error *err)
{
    DIR *stream = opendir(dir);
    if (!stream)
        return ms_fail_io(err, dir, errno, "cannot be read");
    struct ms_arena scratch;
    ms_arena_init(&scratch, 0);
    enum ms_status status = MS_OK;
    for (struct dirent *entry; status == MS_OK && (entry = readdir(stream));) {
        const char *text = entry->d_name;
        /* "._X" is AppleDouble: what an archive made on a Mac leaves of X's attributes. */
        if (strcmp(text, ".") == 0 || strcmp(text, "..") == 0 || strncmp(text, "._", 2) == 0)
            continue;
        enum kind kind = kind_of(dir, entry, &scratch);
        if (kind == KIND_OTHER)
            continue;
        struct name name = {kind == KIND_UNKNOWN ? NULL : strdup(text), kind == KIND_FOLDER};
        if (!name.text || !MS_PUSH(out->items, out->n, out->room, name)) {
            free(name.text);
            status = ms_fail_memory(err);
        }
    }
    ms_arena_fini(&scratch);
    closedir(stream);
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_text);
    return status;
}

static enum ms_status walk(struct ms_paths *paths, const char *dir, enum ms_paths_reach reach,
                           const struct ancestor *up, struct ms_error *err);

static enum ms_status walk_names(struct ms_paths *paths, const char *dir, const struct names *names,
                                 enum ms_paths_reach reach, const struct ancestor *here,
                                 struct ms_error *err)
{
    enum ms_status status = MS_OK;
    bool in_dsym = ms_path_has_suffix(dir, ".dSYM");
    for (size_t i = 0; i < names->n && status == MS_OK; i++) {
        const struct name *name = &names->items[i];
        struct ms_arena scratch;
        ms_arena_init(&scratch, 0);
        char *path = ms_path_join(&scratch, dir, name->text);
        if (!path) {
            status = ms_fail_memory(err);
        } else if (!name->is_folder) {
            status = add(paths, path, err);
        } else if (in_dsym || reach == MS_REACH_ALL || ms_path_is_bundle_name(path) ||
                   ms_path_is_dsym(path)) {
            struct ms_error inner;
            status = walk(paths, path, MS_REACH_ALL, here, &inner);
            if (status == MS_E_IO) { /* one unreadable folder hides only what is in it */
                note_skipped(paths, &inner);
                status = MS_OK;
            } else if (status != MS_OK && err) {
                *err = inner;
            }
        }
        ms_arena_fini(&scratch);
    }
    return status;
}

static enum ms_status walk(struct ms_paths *paths, const char *dir, enum ms_paths_reach reach,
                           const struct ancestor *up, struct ms_error *err)
{
    struct stat st;
    if (stat(dir, &st) != 0)
        return ms_fail_io(err, dir, errno, "cannot be read");
    for (const struct ancestor *a = up; a; a = a->up)
        if (a->dev == st.st_dev && a->ino == st.st_ino)
            return MS_OK;
    struct ancestor here = {st.st_dev, st.st_ino, up, up ? up->depth + 1 : 0};
    if (here.depth > MAX_DEPTH) {
        note_ceiling(paths, dir, "folders within folders, too deep");
        return MS_OK;
    }
    struct ms_arena scratch;
    ms_arena_init(&scratch, 0);
    enum ms_status status = MS_OK;
    if (ms_path_is_dsym(dir)) {
        char *dwarf = ms_path_join(&scratch, dir, "Contents/Resources/DWARF");
        if (!dwarf)
            status = ms_fail_memory(err);
        else if (ms_path_is_folder(dwarf))
            dir = dwarf;
    }
    struct names names = {NULL, 0, 0};
    if (status == MS_OK)
        status = list(dir, &names, err);
    if (status == MS_OK)
        status = walk_names(paths, dir, &names, reach, &here, err);
    names_fini(&names);
    ms_arena_fini(&scratch);
    return status;
}

enum ms_status ms_paths_collect(struct ms_paths *paths, const char *path, enum ms_paths_reach reach,
                                struct ms_error *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return ms_fail_io(err, path, errno, "cannot be opened");
    if (S_ISDIR(st.st_mode))
        return walk(paths, path, ms_path_is_bundle_name(path) ? MS_REACH_ALL : reach, NULL, err);
    return add(paths, path, err);
}
