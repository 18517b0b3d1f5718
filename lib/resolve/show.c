/* From frames as the file has them to frames as a person reads them. */
#include "machsym/demangle.h"
#include "machsym/symbolize.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/index.h"
#include "base/limits.h"
#include "report/model.h"
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
 *
 * A report has a copy of a name for each frame that bears it. Those are found by what they say,
 * and their key is a copy in the table's own memory.
 */
struct made {
    const char *key[3];  /* linkage name, its style, NULL; name, name, NULL for one that is cut;
                            comp_dir, dir and file; or a report's symbol, its style, NULL */
    const char *text;    /* NULL: the name isn't mangled, or not understood */
    const char *linkage; /* of a report's symbol, and a frame's, cut if it is too long */
};

/* The second part of the key of a name: what is made of it depends on the style. Its address
 * counts, which is that of no string. */
enum { N_STYLES = 8 };
static const char of_frame[N_STYLES] = "", of_report[N_STYLES] = "", of_report_mangled = 0;

/* What the table may grow to before it is emptied between answers. */
enum { MAX_MADE_BYTES = 4 << 20, MAX_MADE = 1 << 16 };

struct ms_show_pool {
    struct ms_arena arena;
    struct ms_arena made_arena;
    struct made *made;
    size_t n_made, made_room;
    struct ms_index by_key; /* into made */
    size_t max_made_bytes;
    struct made last_path; /* the frames of one answer are likely to be of one file */
};

enum ms_status ms_show_pool_open(struct ms_show_pool **out, struct ms_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ms_fail_memory(err);
    ms_arena_init(&(*out)->arena, 0);
    ms_arena_init(&(*out)->made_arena, 0);
    (*out)->max_made_bytes = MAX_MADE_BYTES;
    return MS_OK;
}

static void forget_made(struct ms_show_pool *pool)
{
    ms_arena_fini(&pool->made_arena);
    ms_index_fini(&pool->by_key);
    free(pool->made);
    pool->made = NULL;
    pool->n_made = pool->made_room = 0;
    memset(&pool->last_path, 0, sizeof pool->last_path);
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
    ms_arena_clear(&pool->arena);
    size_t places = pool->max_made_bytes / (MAX_MADE_BYTES / MAX_MADE);
    if (pool->made_arena.total_bytes > pool->max_made_bytes || pool->n_made > places)
        forget_made(pool);
}

void ms_show_pool_set_max(struct ms_show_pool *pool, size_t bytes)
{
    pool->max_made_bytes = bytes < MAX_MADE_BYTES ? bytes : MAX_MADE_BYTES;
}

bool ms_show_pool_is_full(const struct ms_show_pool *pool)
{
    return pool->made_arena.total_bytes > MS_MAX_READABLE;
}

static bool has_key(const struct made *made, const char *const key[3])
{
    return made->key[0] == key[0] && made->key[1] == key[1] && made->key[2] == key[2];
}

/* NULL: it isn't there. Good until another is kept. */
static const struct made *find_made(const struct ms_show_pool *pool, const char *const key[3],
                                    uint64_t hash)
{
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&pool->by_key, hash, &probe)) != MS_INDEX_NONE;) {
        const struct made *made = &pool->made[i];
        if (has_key(made, key))
            return made;
    }
    return NULL;
}

static bool keep_made(struct ms_show_pool *pool, const char *const key[3], uint64_t hash,
                      const char *text, const char *linkage)
{
    struct made made = {{key[0], key[1], key[2]}, text, linkage};
    return pool->n_made < MS_INDEX_NONE &&
           MS_PUSH(pool->made, pool->n_made, pool->made_room, made) &&
           ms_index_add(&pool->by_key, hash, (uint32_t)(pool->n_made - 1));
}

/*
 * The demangled name, or NULL when it has none (or memory is out: *failed). The name comes
 * without Mach-O's underscore, so none may be skipped: __Z3foov is a function of C then.
 * Substitutions make megabytes of a few hundred crafted bytes: such a name stays mangled.
 */
static const char *demangle(struct ms_arena *arena, const char *name, unsigned style, bool *failed)
{
    char small[1024];
    size_t n = strlen(name);
    if (arena->total_bytes > MS_MAX_READABLE)
        return NULL;
    errno = 0;
    size_t need = ms_demangle_symbol(name, n, false, style, small, sizeof small);
    *failed = errno == ENOMEM; /* all that malloc tells of through the layers below */
    if (*failed || need > MS_MAX_SHOWN_NAME)
        return NULL;
    if (need == n && memcmp(name, small, n < sizeof small ? n : sizeof small - 1) == 0)
        return NULL; /* as it was: no text begins like the mangled name that it is made of */
    char *out = ms_arena_take(arena, need + 1);
    if (!out) {
        *failed = true;
        return NULL;
    }
    if (need < sizeof small)
        memcpy(out, small, need + 1);
    else
        ms_demangle_symbol(name, n, false, style, out, need + 1);
    return out;
}

/* Mangled names start like this, and few others: see ms_mangling_of. */
static bool may_be_mangled(const char *name)
{
    return name && (name[0] == '_' || name[0] == '$' || name[0] == '@');
}

/*
 * A name as it is, or its beginning when it is longer than any real one: a file may give one
 * name of megabytes to each of its functions, and a report have it in each of its frames.
 */
static const char *bounded(struct ms_show_pool *pool, const char *name, bool *failed)
{
    const char *const key[3] = {name, name, NULL};
    if (!name || strnlen(name, MS_MAX_SHOWN_NAME + 1) <= MS_MAX_SHOWN_NAME)
        return name;
    uint64_t hash = ms_hash(0, key, sizeof key);
    const struct made *known = find_made(pool, key, hash);
    if (known)
        return known->text;
    char *text = ms_arena_copy(&pool->made_arena, name, MS_MAX_SHOWN_NAME);
    if (!text || !keep_made(pool, key, hash, text, NULL)) {
        *failed = true;
        return NULL;
    }
    memcpy(text + MS_MAX_SHOWN_NAME - 3, "...", 3);
    return text;
}

/*
 * The name of a function that may be mangled, as it is shown: *linkage as it is, and what is
 * returned readable, NULL when it has nothing that is.
 */
static const char *demangled(struct ms_show_pool *pool, const char *name, unsigned style,
                             const char **linkage, bool *failed)
{
    const char *const key[3] = {name, &of_frame[style % N_STYLES], NULL};
    uint64_t hash = ms_hash(0, key, sizeof key);
    const struct made *known = find_made(pool, key, hash);
    if (known) {
        *linkage = known->linkage;
        return known->text;
    }
    *linkage = bounded(pool, name, failed);
    if (*failed)
        return NULL;
    const char *readable = demangle(&pool->made_arena, name, style, failed);
    if (!*failed && !keep_made(pool, key, hash, readable, *linkage))
        *failed = true;
    return readable;
}

static const char *full_path(struct ms_show_pool *pool, const struct ms_frame *frame, bool *failed)
{
    const char *const key[3] = {frame->comp_dir, frame->dir, frame->file};
    if (has_key(&pool->last_path, key))
        return pool->last_path.text;
    uint64_t hash = ms_hash(0, key, sizeof key);
    const struct made *known = find_made(pool, key, hash);
    if (known) {
        pool->last_path = *known;
        return known->text;
    }
    size_t n = ms_frame_path(frame, NULL, 0);
    char *path = ms_arena_take(&pool->made_arena, n + 1);
    if (!path) {
        *failed = true;
        return NULL;
    }
    ms_frame_path(frame, path, n + 1);
    const char *shown = bounded(pool, path, failed);
    if (!*failed && !keep_made(pool, key, hash, shown, NULL))
        *failed = true;
    return shown;
}

static bool show_frame(struct ms_show_pool *pool, const struct ms_frame *frame,
                       const struct ms_show_style *style, uint64_t adjust, uint64_t slide,
                       struct ms_shown_frame *out)
{
    bool failed = false;
    memset(out, 0, sizeof *out);
    /* DWARF's linkage name tells more than its plain name: parameters, templates, modules. What
     * a compiler made has none, and perhaps a mangled one for its plain name. */
    const char *linkage = frame->linkage;
    if (!linkage && may_be_mangled(frame->name) &&
        ms_mangling_of(frame->name, strlen(frame->name)) != MS_MANGLING_NONE)
        linkage = frame->name;
    if (may_be_mangled(linkage) && !style->no_demangle)
        out->function = demangled(pool, linkage, style->demangle, &out->mangled, &failed);
    else
        out->mangled = bounded(pool, linkage, &failed);
    if (!out->function)
        out->function = out->mangled ? out->mangled : bounded(pool, frame->name, &failed);
    if (frame->file) {
        out->path = full_path(pool, frame, &failed);
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

/* ---- names that a report has ------------------------------------------------------------ */

/*
 * The linkage name behind a mangled symbol of a report, which may have lost or kept Mach-O's
 * underscore or, from tools that take one off whatever it is, be without any. Blocks of C++ have
 * three: `blocks` reads a name with fewer as one of those.
 */
static const char *linkage_of_symbol(struct ms_arena *arena, const char *symbol, bool blocks)
{
    size_t n_underscores = strspn(symbol, "_");
    const char *name = symbol + n_underscores;
    if (name[0] == '$' || name[0] == '@')
        return name;
    size_t wanted = name[0] == 'Z' && (blocks || n_underscores > 2) ? 3 : 1;
    if (n_underscores >= wanted)
        return name - wanted;
    size_t n = strlen(name);
    char *linkage = ms_arena_take(arena, wanted + n + 1);
    if (linkage) {
        memset(linkage, '_', wanted);
        memcpy(linkage + wanted, name, n + 1);
    }
    return linkage;
}

static bool make_symbol(struct ms_show_pool *pool, const struct ms_show_style *style,
                        struct made *made)
{
    bool failed = false;
    struct ms_arena *arena = &pool->made_arena;
    made->key[0] = ms_arena_copy(arena, made->key[0], strlen(made->key[0]));
    if (!made->key[0])
        return false;
    for (int blocks = 0; blocks < 2 && !made->text && !failed; blocks++) {
        if (blocks && !strstr(made->key[0], "_block_invoke"))
            break;
        const char *linkage = linkage_of_symbol(arena, made->key[0], blocks);
        if (!linkage)
            return false;
        if (!style->no_demangle)
            made->text = demangle(arena, linkage, style->demangle, &failed);
        if (made->text || !made->linkage)
            made->linkage = linkage;
    }
    return !failed;
}

enum ms_status ms_show_symbol(struct ms_show_pool *pool, const char *symbol,
                              const struct ms_show_style *style, struct ms_shown *out,
                              struct ms_error *err)
{
    out->symbol = out->mangled = NULL;
    if (!symbol || !ms_symbol_is_mangled(symbol) ||
        strnlen(symbol, MS_MAX_SHOWN_NAME + 1) > MS_MAX_SHOWN_NAME)
        return MS_OK;
    const char *tag =
        style->no_demangle ? &of_report_mangled : &of_report[style->demangle % N_STYLES];
    uint64_t hash = ms_hash(ms_hash(0, &tag, sizeof tag), symbol, strlen(symbol));
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&pool->by_key, hash, &probe)) != MS_INDEX_NONE;)
        if (pool->made[i].key[1] == tag && strcmp(pool->made[i].key[0], symbol) == 0)
            break;
    if (i == MS_INDEX_NONE) {
        struct made made = {{symbol, tag, NULL}, NULL, NULL};
        i = (uint32_t)pool->n_made;
        if (pool->n_made >= MS_INDEX_NONE || !make_symbol(pool, style, &made) ||
            !MS_PUSH(pool->made, pool->n_made, pool->made_room, made) ||
            !ms_index_add(&pool->by_key, hash, i))
            return ms_fail_memory(err);
    }
    out->symbol = pool->made[i].text;
    out->mangled = pool->made[i].linkage;
    return MS_OK;
}
