/* From frames as the file has them to frames as a person reads them. */
#include "machsym/demangle.h"
#include "machsym/symbolize.h"

#include "base/arena.h"
#include "base/error.h"
#include "resolve/paths.h"

#include <stdlib.h>
#include <string.h>

/*
 * Demangled names by their mangled ones. Hot functions and what is inlined into them come
 * again and again, and demangling costs some fifty times a look into this table. Direct
 * mapped: a name that meets another's place takes it. The names live in an arena of their
 * own, which is emptied between answers once it has grown large.
 */
enum { N_NAMES = 4096, MAX_NAME_BYTES = 4 << 20 };

struct known_name {
    const char *mangled;
    const char *readable; /* NULL: it can't be demangled */
    size_t n;
};

struct ms_show_pool {
    struct ms_arena arena;
    struct ms_arena name_arena;
    struct known_name *names; /* N_NAMES of them, made on first use */
};

enum ms_status ms_show_pool_open(struct ms_show_pool **out, struct ms_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ms_fail_memory(err);
    ms_arena_init(&(*out)->arena, 0);
    ms_arena_init(&(*out)->name_arena, 0);
    return MS_OK;
}

void ms_show_pool_close(struct ms_show_pool *pool)
{
    if (!pool)
        return;
    ms_arena_fini(&pool->arena);
    ms_arena_fini(&pool->name_arena);
    free(pool->names);
    free(pool);
}

void ms_show_pool_clear(struct ms_show_pool *pool)
{
    ms_arena_fini(&pool->arena);
    if (pool->names && pool->name_arena.total_bytes > MAX_NAME_BYTES) {
        ms_arena_fini(&pool->name_arena);
        memset(pool->names, 0, N_NAMES * sizeof *pool->names);
    }
}

/* The demangled name, or NULL when it has none (or memory is out: *failed). */
static const char *demangle(struct ms_arena *arena, const char *name, size_t n, bool *failed)
{
    char small[1024];
    size_t need = ms_demangle(name, n, small, sizeof small);
    if (!need)
        return NULL;
    char *out = ms_arena_take(arena, need + 1);
    if (!out) {
        *failed = true;
        return NULL;
    }
    if (need < sizeof small)
        memcpy(out, small, need + 1);
    else
        ms_demangle(name, n, out, need + 1);
    return out;
}

/* FNV-1a. */
static size_t place_of(const char *name, size_t n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return (hash ^ hash >> 16) % N_NAMES;
}

static const char *demangled(struct ms_show_pool *pool, const char *name, bool *failed)
{
    size_t n = strlen(name);
    if (ms_mangling_of(name, n) == MS_MANGLING_NONE)
        return NULL;
    if (!pool->names && !(pool->names = calloc(N_NAMES, sizeof *pool->names))) {
        *failed = true;
        return NULL;
    }
    struct known_name *known = &pool->names[place_of(name, n)];
    if (known->mangled && known->n == n && memcmp(known->mangled, name, n) == 0)
        return known->readable;
    const char *copy = ms_arena_copy(&pool->name_arena, name, n);
    const char *readable = copy ? demangle(&pool->name_arena, name, n, failed) : NULL;
    if (!copy)
        *failed = true;
    if (!*failed)
        *known = (struct known_name){copy, readable, n};
    return readable;
}

static const char *full_path(struct ms_arena *arena, const struct ms_frame *frame, bool *failed)
{
    size_t n = ms_frame_path(frame, NULL, 0);
    char *path = ms_arena_take(arena, n + 1);
    if (!path) {
        *failed = true;
        return NULL;
    }
    ms_frame_path(frame, path, n + 1);
    return path;
}

static bool show_frame(struct ms_show_pool *pool, const struct ms_frame *frame,
                       const struct ms_show_style *style, uint64_t adjust, uint64_t slide,
                       struct ms_shown_frame *out)
{
    bool failed = false;
    memset(out, 0, sizeof *out);
    /* DWARF's linkage name tells more than its plain name: parameters, templates, modules. */
    const char *name = frame->linkage ? frame->linkage : frame->name;
    out->mangled = frame->linkage;
    out->function = name;
    if (frame->linkage && !style->no_demangle) {
        const char *readable = demangled(pool, frame->linkage, &failed);
        if (readable)
            out->function = readable;
    }
    if (frame->file) {
        out->path = full_path(&pool->arena, frame, &failed);
        out->file = style->full_path || !out->path ? out->path : ms_path_base(out->path);
    }
    out->line = frame->line;
    out->column = frame->column;
    out->has_offset = frame->has_start;
    out->offset = frame->offset + adjust;
    out->start_rt = frame->start_vm + slide;
    out->inlined = frame->inlined;
    out->source = frame->source;
    return !failed;
}

enum ms_status ms_show(struct ms_show_pool *pool, const struct ms_answer *answer,
                       const struct ms_show_style *style, uint64_t adjust, uint64_t slide,
                       struct ms_shown *out, struct ms_error *err)
{
    struct ms_shown_frame *frames =
        ms_arena_zeroed(&pool->arena, answer->n_frames, sizeof *frames);
    if (!frames)
        return ms_fail_memory(err);
    for (size_t i = 0; i < answer->n_frames; i++)
        if (!show_frame(pool, &answer->frames[i], style, adjust, slide, &frames[i]))
            return ms_fail_memory(err);
    out->frames = frames;
    out->n_frames = answer->n_frames;
    out->why = answer->why;
    return MS_OK;
}
