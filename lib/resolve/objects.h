/**
 * resolve/objects.h: the object files that a debug map names: on their own, or members of
 * static archives, either of them in a universal file. Archives are mapped and indexed once.
 */
#ifndef MS_RESOLVE_OBJECTS_H
#define MS_RESOLVE_OBJECTS_H

#include "base/arena.h"
#include "base/index.h"
#include "machsym/debugmap.h"

struct ms_object_archive;

/** Zeroed is empty. */
struct ms_object_files {
    struct ms_object_archive **archives;
    size_t n_archives, archives_room;
    struct ms_index by_path; /* into archives, also those that can't be read */
};

void ms_object_files_fini(struct ms_object_files *files);

struct ms_object_request {
    const char *path; /* "/obj/a.o", "/obj/libz.a(a.o)", prefixes applied */
    int64_t mtime;    /* what it was when linked; 0 = unchecked */
    uint32_t cputype, cpusubtype;
    bool any_subtype; /* where there is none of that subtype, another one will do */
    bool use_stale;   /* a file with another mtime is opened, and marked */
    /** Members of one name and time: the first that suits is it; NULL = the first. */
    bool (*suits)(void *owner, const struct ms_macho *macho);
    void *owner;
};

/** An object, opened. Zeroed is closed. */
struct ms_object {
    struct ms_file *file; /* it lies in */
    bool owns_file;       /* else an archive does, for as long as the files are there */
    bool is_open;
    bool stale;
    struct ms_macho macho;
};

/**
 * @param why  what a frame that needs it is to say when this fails: MS_WHY_NO_OBJECT,
 *             MS_WHY_STALE_OBJECT, MS_WHY_BAD_DEBUG_INFO
 * @return MS_ABSENT: no such member, no such architecture, or stale; MS_E_*: the error says
 *         what in each case
 */
enum ms_status ms_object_open(struct ms_object_files *files,
                              const struct ms_object_request *request, struct ms_object *out,
                              enum ms_why *why, struct ms_error *err);
void ms_object_close(struct ms_object *object);
/** Says that an object was written at `mtime` and linked as of `linked`. Returns MS_ABSENT. */
enum ms_status ms_object_stale(const char *path, int64_t linked, int64_t mtime,
                               struct ms_error *err);

/** Where an object is to be looked for, in memory of `arena`; NULL without memory. */
const char *ms_object_path(const struct ms_object_search *search, const char *path,
                           struct ms_arena *arena);

#endif
