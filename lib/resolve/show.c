/* From frames as the file has them to frames as a person reads them. */
#include "machsym/demangle.h"
#include "machsym/symbolize.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/index.h"
#include "base/limits.h"
#include "resolve/paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * Demangled names and joined paths, by the strings that they were made of. Hot functions and
 * what is inlined into them come again and again: demangling costs some fifty times a look into
 * this table, and a report of a million frames in one function with a long name needs it once.
 * A frame's strings are borrowed from its image's files, so equal pointers are equal strings.
 * Only what is made is kept: a name that can't be demangled costs no memory but its place.
 */
struct made {
    const char *key[3]; /* linkage name, NULL, NULL; or comp_dir, dir and file */
    const char *text;   /* NULL: the name isn't mangled */
};

/* What the table may grow to before it is emptied between answers. */
enum { MAX_MADE_BYTES = 4 << 20, MAX_MADE = 1 << 16 };

struct ms_show_pool {
    struct ms_arena arena;
    struct ms_arena made_arena;
    struct made *made;
    size_t n_made, made_room;
    struct ms_index by_key; /* into made */
};

enum ms_status ms_show_pool_open(struct ms_show_pool **out, struct ms_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ms_fail_memory(err);
    ms_arena_init(&(*out)->arena, 0);
    ms_arena_init(&(*out)->made_arena, 0);
    return MS_OK;
}

static void forget_made(struct ms_show_pool *pool)
{
    ms_arena_fini(&pool->made_arena);
    ms_index_fini(&pool->by_key);
    free(pool->made);
    pool->made = NULL;
    pool->n_made = pool->made_room = 0;
}

void ms_show_pool_close(struct ms_show_pool *pool)
{
    if (!pool)
        return;
    forget_made(pool);
    ms_arena_fini(&pool->arena);
    free(pool);
}

void ms_show_pool_clear(struct ms_show_pool *pool)
{
    ms_arena_fini(&pool->arena);
    if (pool->made_arena.total_bytes > MAX_MADE_BYTES || pool->n_made > MAX_MADE)
        forget_made(pool);
}

static bool find_made(const struct ms_show_pool *pool, const char *const key[3], uint64_t hash,
                      const char **text)
{
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&pool->by_key, hash, &probe)) != MS_INDEX_NONE;) {
        const struct made *made = &pool->made[i];
        if (made->key[0] == key[0] && made->key[1] == key[1] && made->key[2] == key[2]) {
            *text = made->text;
            return true;
        }
    }
    return false;
}

static bool keep_made(struct ms_show_pool *pool, const char *const key[3], uint64_t hash,
                      const char *text)
{
    struct made made = {{key[0], key[1], key[2]}, text};
    return pool->n_made < MS_INDEX_NONE &&
           MS_PUSH(pool->made, pool->n_made, pool->made_room, made) &&
           ms_index_add(&pool->by_key, hash, (uint32_t)(pool->n_made - 1));
}

/* The demangled name, or NULL when it has none (or memory is out: *failed). */
static const char *demangle(struct ms_arena *arena, const char *name, size_t n, unsigned style,
                            bool *failed)
{
    char small[1024];
    errno = 0;
    size_t need = ms_demangle(name, n, style, small, sizeof small);
    if (!need) {
        *failed = errno == ENOMEM; /* all that malloc tells of through the layers below */
        return NULL;
    }
    char *out = ms_arena_take(arena, need + 1);
    if (!out) {
        *failed = true;
        return NULL;
    }
    if (need < sizeof small)
        memcpy(out, small, need + 1);
    else
        ms_demangle(name, n, style, out, need + 1);
    return out;
}

static const char *demangled(struct ms_show_pool *pool, const char *name, unsigned style,
                             bool *failed)
{
    const char *const key[3] = {name, NULL, NULL};
    const char *readable = NULL;
    if (name[0] != '_' && name[0] != '$' && name[0] != '@')
        return NULL; /* mangled names start like this: see ms_mangling_of */
    uint64_t hash = ms_hash(0, key, sizeof key);
    if (find_made(pool, key, hash, &readable))
        return readable;
    size_t n = strlen(name);
    readable = demangle(&pool->made_arena, name, n, style, failed);
    if (!*failed && !keep_made(pool, key, hash, readable))
        *failed = true;
    return readable;
}

/*
 * A name as it is, or its beginning when it is longer than any real one: a file may give one
 * name of megabytes to each of its functions, and a report have it in each of its frames.
 */
static const char *bounded(struct ms_show_pool *pool, const char *name, bool *failed)
{
    const char *const key[3] = {name, name, NULL};
    const char *cut;
    if (!name || strnlen(name, MS_MAX_SHOWN_NAME + 1) <= MS_MAX_SHOWN_NAME)
        return name;
    uint64_t hash = ms_hash(0, key, sizeof key);
    if (find_made(pool, key, hash, &cut))
        return cut;
    char *text = ms_arena_copy(&pool->made_arena, name, MS_MAX_SHOWN_NAME);
    if (!text || !keep_made(pool, key, hash, text)) {
        *failed = true;
        return NULL;
    }
    memcpy(text + MS_MAX_SHOWN_NAME - 3, "...", 3);
    return text;
}

static const char *full_path(struct ms_show_pool *pool, const struct ms_frame *frame, bool *failed)
{
    const char *const key[3] = {frame->comp_dir, frame->dir, frame->file};
    uint64_t hash = ms_hash(0, key, sizeof key);
    const char *known;
    if (find_made(pool, key, hash, &known))
        return known;
    size_t n = ms_frame_path(frame, NULL, 0);
    char *path = ms_arena_take(&pool->made_arena, n + 1);
    if (!path || !keep_made(pool, key, hash, path)) {
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
    out->mangled = bounded(pool, frame->linkage, &failed);
    out->function = out->mangled ? out->mangled : bounded(pool, frame->name, &failed);
    if (frame->linkage && !style->no_demangle) {
        const char *readable = demangled(pool, frame->linkage, style->demangle, &failed);
        if (readable)
            out->function = readable;
    }
    if (frame->file) {
        out->path = bounded(pool, full_path(pool, frame, &failed), &failed);
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
    struct ms_shown_frame *frames = ms_arena_zeroed(&pool->arena, answer->n_frames, sizeof *frames);
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
