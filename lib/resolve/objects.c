#include "resolve/objects.h"

#include "base/array.h"
#include "base/bytes.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CHAIN_END = -1 };

struct member {
    const char *name;
    struct ms_bytes bytes;
    int64_t mtime;
    int64_t next; /* of that name, or CHAIN_END */
    size_t last;  /* of that name; of the first of them alone */
};

struct ms_object_archive {
    char *path;
    struct ms_file *file;
    enum ms_status status; /* of opening it */
    bool thin;             /* its members are files of their own, and it names them */
    struct ms_error error;
    struct ms_arena names;
    struct member *members;
    size_t n, room;
    struct ms_index by_name; /* the first of each name */
};

/* ---- files ----------------------------------------------------------------------------- */

/* The linker's own object of link-time optimisation: lto.o (ld64), lto.tmp (lld), 3.thinlto.o. */
static bool is_of_lto(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *lto = strstr(name, "lto.");
    return lto && (strcmp(lto, "lto.o") == 0 || strcmp(lto, "lto.tmp") == 0);
}

/* Says of a file that isn't there what is most likely the reason. */
static enum ms_status open_named(const char *path, struct ms_file **out, struct ms_error *err)
{
    enum ms_status status = ms_file_open(path, out, err);
    if (status != MS_E_IO || !err || err->sys_errno != ENOENT)
        return status;
    if (is_of_lto(path))
        return ms_fail_io(err, path, ENOENT,
                          "the linker's own object, which only its option -object_path_lto keeps, "
                          "cannot be opened");
    if (path[0] != '/')
        return ms_fail_io(err, path, ENOENT, "cannot be opened from the current folder");
    return status;
}

/* ---- archives -------------------------------------------------------------------------- */

static void close_archive(struct ms_object_archive *archive)
{
    ms_index_fini(&archive->by_name);
    ms_arena_fini(&archive->names);
    free(archive->members);
    ms_file_close(archive->file);
    free(archive->path);
    free(archive);
}

void ms_object_files_fini(struct ms_object_files *files)
{
    for (size_t i = 0; i < files->n_archives; i++)
        close_archive(files->archives[i]);
    free(files->archives);
    ms_index_fini(&files->by_path);
    memset(files, 0, sizeof *files);
}

static struct member *first_of(const struct ms_object_archive *archive, const char *name, size_t n)
{
    uint64_t hash = ms_hash(0, name, n);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&archive->by_name, hash, &probe)) != MS_INDEX_NONE;) {
        struct member *member = &archive->members[i];
        if (strlen(member->name) == n && memcmp(member->name, name, n) == 0)
            return member;
    }
    return NULL;
}

/* Members of one name form a chain in the order of the archive. */
static bool add_member(struct ms_object_archive *archive, const struct ms_archive_member *found)
{
    size_t n = strlen(found->name);
    struct member new = {ms_arena_copy(&archive->names, found->name, n), found->bytes, found->mtime,
                         CHAIN_END, archive->n};
    if (!new.name || archive->n >= MS_INDEX_NONE - 1 ||
        !MS_PUSH(archive->members, archive->n, archive->room, new))
        return false;
    struct member *first = first_of(archive, found->name, n);
    if (!first)
        return ms_index_add(&archive->by_name, ms_hash(0, new.name, n), (uint32_t)(archive->n - 1));
    archive->members[first->last].next = (int64_t)(archive->n - 1);
    first->last = archive->n - 1;
    return true;
}

static enum ms_status read_members(struct ms_object_archive *archive, struct ms_bytes bytes)
{
    struct ms_archive reader;
    struct ms_archive_member member;
    enum ms_status status = ms_archive_open(bytes, archive->path, &reader, &archive->error);
    while (status == MS_OK) {
        status = ms_archive_next(&reader, &member, &archive->error);
        if (status == MS_OK && !add_member(archive, &member))
            status = ms_fail_memory(&archive->error);
    }
    return status == MS_ABSENT ? MS_OK : status;
}

static enum ms_status read_archive(struct ms_object_archive *archive)
{
    struct ms_fat fat;
    struct ms_error *err = &archive->error;
    bool any = false;
    enum ms_status status = open_named(archive->path, &archive->file, err);
    if (status == MS_OK)
        status = ms_fat_parse(ms_file_bytes(archive->file), archive->path, &fat, err);
    if (status != MS_OK)
        return status;
    struct ms_bytes head;
    archive->thin = ms_bytes_part(ms_file_bytes(archive->file), 0, 8, &head) &&
                    memcmp(head.at, "!<thin>\n", 8) == 0;
    for (size_t i = 0; i < fat.n_slices && status == MS_OK && !archive->thin; i++) {
        if (fat.slices[i].kind != MS_SLICE_ARCHIVE)
            continue;
        any = true;
        status = read_members(archive, fat.slices[i].bytes);
    }
    ms_fat_fini(&fat);
    if (status == MS_OK && !any && !archive->thin)
        status = ms_fail(err, MS_E_FORMAT, archive->path, 0, "not a static archive");
    /* What stands before the damage is there. */
    return status == MS_E_FORMAT && archive->n ? MS_OK : status;
}

static struct ms_object_archive *archive_of(struct ms_object_files *files, const char *path,
                                            size_t n)
{
    uint64_t hash = ms_hash(0, path, n);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&files->by_path, hash, &probe)) != MS_INDEX_NONE;) {
        struct ms_object_archive *known = files->archives[i];
        if (strlen(known->path) == n && memcmp(known->path, path, n) == 0)
            return known;
    }
    struct ms_object_archive *new = calloc(1, sizeof *new);
    if (!new)
        return NULL;
    ms_arena_init(&new->names, 0);
    new->path = malloc(n + 1);
    if (!new->path || !MS_PUSH(files->archives, files->n_archives, files->archives_room, new)) {
        close_archive(new);
        return NULL;
    }
    memcpy(new->path, path, n);
    new->path[n] = 0;
    if (!ms_index_add(&files->by_path, hash, (uint32_t)(files->n_archives - 1)))
        return NULL;
    new->status = read_archive(new);
    return new;
}

/* ---- one object ------------------------------------------------------------------------ */

/* The slice that the request is for; MS_ABSENT when there is none. */
static enum ms_status parse_slice(struct ms_bytes bytes, const struct ms_object_request *request,
                                  struct ms_macho *out, struct ms_error *err)
{
    struct ms_fat fat;
    enum ms_status status = ms_fat_parse(bytes, request->path, &fat, err);
    if (status != MS_OK)
        return status;
    const struct ms_slice *found = NULL;
    bool archive = false;
    char others[80] = "", room[MS_ARCH_TEXT];
    for (size_t i = 0; i < fat.n_slices; i++) {
        const struct ms_slice *slice = &fat.slices[i];
        archive |= slice->kind == MS_SLICE_ARCHIVE;
        bool same = ((slice->cpusubtype ^ request->cpusubtype) & 0x00ffffff) == 0;
        size_t at = strlen(others);
        snprintf(others + at, sizeof others - at, "%s%s", i ? ", " : "",
                 ms_arch_text(slice->cputype, slice->cpusubtype, room));
        if (slice->kind != MS_SLICE_MACHO || slice->cputype != request->cputype ||
            (found && !same) || !(same || request->any_subtype))
            continue;
        found = slice;
        if (same)
            break;
    }
    if (found)
        status = ms_macho_parse(found->bytes, request->path, out, err);
    else if (archive)
        status = ms_fail(err, MS_ABSENT, request->path, MS_NO_OFFSET,
                         "is a static archive, where the debug map has an object");
    else
        status =
            ms_fail(err, MS_ABSENT, request->path, MS_NO_OFFSET, "holds %s, not the image's %s",
                    others, ms_arch_text(request->cputype, request->cpusubtype, room));
    ms_fat_fini(&fat);
    return status;
}

static void format_time(int64_t seconds, char out[40])
{
    time_t t = (time_t)seconds;
    struct tm tm;
    if (!gmtime_r(&t, &tm) || !strftime(out, 40, "%Y-%m-%d %H:%M:%S UTC", &tm))
        snprintf(out, 40, "%lld", (long long)seconds);
}

enum ms_status ms_object_stale(const char *path, int64_t linked, int64_t mtime,
                               struct ms_error *err)
{
    char now[40], then[40];
    format_time(mtime, now);
    format_time(linked, then);
    return ms_fail(err, MS_ABSENT, path, MS_NO_OFFSET,
                   "was written at %s, but the object that was linked at %s", now, then);
}

static enum ms_status open_file(const struct ms_object_request *request, struct ms_object *out,
                                enum ms_why *why, struct ms_error *err)
{
    *why = MS_WHY_NO_OBJECT;
    enum ms_status status = open_named(request->path, &out->file, err);
    if (status != MS_OK)
        return status;
    out->owns_file = true;
    int64_t mtime = ms_file_mtime(out->file);
    out->stale = request->mtime && request->mtime != mtime;
    if (out->stale && !request->use_stale) {
        *why = MS_WHY_STALE_OBJECT;
        return ms_object_stale(request->path, request->mtime, mtime, err);
    }
    status = parse_slice(ms_file_bytes(out->file), request, &out->macho, err);
    if (status != MS_ABSENT)
        *why = MS_WHY_BAD_DEBUG_INFO;
    return status;
}

/*
 * Goes through the members of the name. The first that can be used counts, but where `suits` is
 * there and more can be used, the first that suits.
 */
static enum ms_status choose_member(const struct ms_object_archive *archive,
                                    const struct member *member,
                                    const struct ms_object_request *request, struct ms_object *out,
                                    enum ms_why *why, struct ms_error *err)
{
    enum ms_status status = MS_ABSENT;
    *why = MS_WHY_NO_OBJECT;
    for (;; member = &archive->members[member->next]) {
        struct ms_macho macho;
        struct ms_error found;
        enum ms_status one;
        bool stale = request->mtime && request->mtime != member->mtime;
        if (stale)
            one = ms_object_stale(request->path, request->mtime, member->mtime, &found);
        else
            one = parse_slice(member->bytes, request, &macho, &found);
        bool last = member->next == CHAIN_END;
        if (one == MS_OK) {
            bool suits = !request->suits || (last && !out->is_open) ||
                         request->suits(request->owner, &macho);
            if (!out->is_open || suits) {
                if (out->is_open)
                    ms_macho_fini(&out->macho);
                out->macho = macho;
                out->is_open = true;
            } else {
                ms_macho_fini(&macho);
            }
            if (suits)
                return MS_OK;
        } else if (!out->is_open) {
            status = one;
            *why = stale              ? MS_WHY_STALE_OBJECT
                   : one == MS_ABSENT ? MS_WHY_NO_OBJECT
                                      : MS_WHY_BAD_DEBUG_INFO;
            if (err)
                *err = found;
        }
        if (last)
            return out->is_open ? MS_OK : status;
    }
}

/* A member of a thin archive lies where its name leads to from the archive's folder. */
static enum ms_status open_thin(const struct ms_object_archive *archive, const char *name, size_t n,
                                const struct ms_object_request *request, struct ms_object *out,
                                enum ms_why *why, struct ms_error *err)
{
    const char *slash = name[0] == '/' ? NULL : strrchr(archive->path, '/');
    size_t n_folder = slash ? (size_t)(slash - archive->path) + 1 : 0;
    char *path = malloc(n_folder + n + 1);
    if (!path)
        return ms_fail_memory(err);
    memcpy(path, archive->path, n_folder);
    memcpy(path + n_folder, name, n);
    path[n_folder + n] = 0;
    struct ms_object_request there = *request;
    there.path = path;
    enum ms_status status = open_file(&there, out, why, err);
    free(path);
    return status;
}

static enum ms_status open_member(const struct ms_object_archive *archive, const char *name,
                                  size_t n, const struct ms_object_request *request,
                                  struct ms_object *out, enum ms_why *why, struct ms_error *err)
{
    *why = MS_WHY_NO_OBJECT;
    if (archive->thin)
        return open_thin(archive, name, n, request, out, why, err);
    const struct member *member = first_of(archive, name, n);
    if (!member)
        return ms_fail(err, MS_ABSENT, archive->path, MS_NO_OFFSET, "has no member %.*s", (int)n,
                       name);
    out->file = archive->file;
    return choose_member(archive, member, request, out, why, err);
}

/* "ARCHIVE(MEMBER)"; false for anything else. */
static bool split(const char *path, size_t *n_archive, size_t *n_member)
{
    size_t n = strlen(path);
    const char *open = n && path[n - 1] == ')' ? strrchr(path, '(') : NULL;
    if (!open || open == path)
        return false;
    *n_archive = (size_t)(open - path);
    *n_member = n - *n_archive - 2;
    return *n_member > 0;
}

enum ms_status ms_object_open(struct ms_object_files *files,
                              const struct ms_object_request *request, struct ms_object *out,
                              enum ms_why *why, struct ms_error *err)
{
    size_t n_archive, n_member;
    enum ms_status status;
    struct ms_error plain;
    memset(out, 0, sizeof *out);
    *why = MS_WHY_COMPLETE;
    if (split(request->path, &n_archive, &n_member)) {
        const struct ms_object_archive *archive = archive_of(files, request->path, n_archive);
        if (!archive || archive->status == MS_E_NOMEM)
            return ms_fail_memory(err);
        status = archive->status;
        if (status == MS_OK) {
            status = open_member(archive, request->path + n_archive + 1, n_member, request, out,
                                 why, err);
        } else { /* a file may have parentheses in its name */
            status = open_file(request, out, why, &plain);
            if (status != MS_OK && status != MS_E_NOMEM) {
                status = archive->status;
                *why = status == MS_E_IO ? MS_WHY_NO_OBJECT : MS_WHY_BAD_DEBUG_INFO;
                if (err)
                    *err = archive->error;
            }
        }
    } else {
        status = open_file(request, out, why, err);
    }
    if (status == MS_OK) {
        out->is_open = true;
        *why = MS_WHY_COMPLETE;
    } else {
        ms_object_close(out);
    }
    return status;
}

void ms_object_close(struct ms_object *object)
{
    if (object->is_open)
        ms_macho_fini(&object->macho);
    if (object->owns_file)
        ms_file_close(object->file);
    memset(object, 0, sizeof *object);
}

const char *ms_object_path(const struct ms_object_search *search, const char *path,
                           struct ms_arena *arena)
{
    const char *to = "", *folder = search && search->folder ? search->folder : "";
    for (size_t i = 0; search && i < search->n_prefixes; i++) {
        size_t n = strlen(search->prefixes[i].from);
        if (strncmp(path, search->prefixes[i].from, n) != 0)
            continue;
        to = search->prefixes[i].to;
        path += n;
        break;
    }
    if (!to[0] && !folder[0])
        return path;
    size_t n_folder = strlen(folder), room = n_folder + strlen(to) + strlen(path) + 2;
    char *whole = ms_arena_take(arena, room);
    if (!whole)
        return NULL;
    snprintf(whole, room, "%s%s", to, path);
    if (!n_folder)
        return whole;
    size_t skip = 0;
    if (folder[n_folder - 1] == '/')
        skip = strspn(whole, "/");
    bool slash = folder[n_folder - 1] != '/' && whole[0] != '/';
    memmove(whole + n_folder + slash, whole + skip, strlen(whole + skip) + 1);
    memcpy(whole, folder, n_folder);
    if (slash)
        whole[n_folder] = '/';
    return whole;
}
