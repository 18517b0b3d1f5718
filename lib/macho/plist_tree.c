/* macho/plist_tree.c: the values of a property list: built, looked up, compared. */
#include "macho/plist_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ------------------------------------------------------------------------------- */

enum ms_status ms_plist_begin(struct ms_plist_builder *b, struct ms_bytes in, const char *where,
                              struct ms_error *err)
{
    memset(b, 0, sizeof *b);
    b->where = where;
    if (in.n > MS_PLIST_MAX_BYTES)
        return ms_fail(err, MS_E_LIMIT, where, 0,
                       "a property list of %zu bytes, at most %zu are read", in.n,
                       MS_PLIST_MAX_BYTES);
    b->tree = malloc(sizeof *b->tree);
    if (!b->tree)
        return ms_fail_memory(err);
    ms_arena_init(&b->tree->arena, 0);
    b->tree->root = NULL;
    return MS_OK;
}

enum ms_status ms_plist_end(struct ms_plist_builder *b, enum ms_status status,
                            struct ms_plist_tree **out)
{
    if (status == MS_OK)
        *out = b->tree;
    else
        ms_plist_close(b->tree);
    b->tree = NULL;
    return status;
}

void ms_plist_close(struct ms_plist_tree *tree)
{
    if (!tree)
        return;
    ms_arena_fini(&tree->arena);
    free(tree);
}

const struct ms_plist *ms_plist_root(const struct ms_plist_tree *tree)
{
    return tree->root;
}

static bool in_dict(const struct ms_plist_builder *b)
{
    return b->depth && b->open[b->depth - 1].value->kind == MS_PLIST_DICT;
}

bool ms_plist_wants_key(const struct ms_plist_builder *b)
{
    return in_dict(b) && !b->key;
}

enum ms_status ms_plist_key(struct ms_plist_builder *b, const char *key, size_t n, uint64_t offset,
                            struct ms_error *err)
{
    if (!ms_plist_wants_key(b))
        return ms_fail(err, MS_E_FORMAT, b->where, offset, "a key where a value is expected");
    if (memchr(key, 0, n))
        return ms_fail(err, MS_E_FORMAT, b->where, offset,
                       "a key with a NUL in it, behind which some readers don't look");
    b->key = key;
    b->key_bytes = n;
    return MS_OK;
}

enum ms_status ms_plist_add(struct ms_plist_builder *b, const struct ms_plist *value,
                            uint64_t offset, struct ms_error *err)
{
    bool is_container = value->kind == MS_PLIST_DICT || value->kind == MS_PLIST_ARRAY;
    if (!b->depth && b->tree->root)
        return ms_fail(err, MS_E_FORMAT, b->where, offset, "a second value behind the first");
    if (ms_plist_wants_key(b))
        return ms_fail(err, MS_E_FORMAT, b->where, offset, "a value in a dictionary without a key");
    if (b->n_values >= MS_PLIST_MAX_VALUES)
        return ms_fail(err, MS_E_LIMIT, b->where, offset, "more than %d values",
                       MS_PLIST_MAX_VALUES);
    if (is_container && b->depth >= MS_PLIST_MAX_DEPTH)
        return ms_fail(err, MS_E_LIMIT, b->where, offset, "more than %d values within values",
                       MS_PLIST_MAX_DEPTH);
    struct ms_plist *copy = ms_arena_take(&b->tree->arena, sizeof *copy);
    if (!copy)
        return ms_fail_memory(err);
    *copy = *value;
    copy->key = b->key;
    copy->key_bytes = b->key ? b->key_bytes : 0;
    copy->first = copy->next = NULL;
    copy->n = 0;
    b->key = NULL;
    b->n_values++;
    if (b->depth) {
        struct ms_plist_open *up = &b->open[b->depth - 1];
        if (up->last)
            up->last->next = copy;
        else
            up->value->first = copy;
        up->last = copy;
        up->value->n++;
    } else {
        b->tree->root = copy;
    }
    if (is_container)
        b->open[b->depth++] = (struct ms_plist_open){copy, NULL};
    return MS_OK;
}

static int compare_text(const char *a, size_t n, const char *b, size_t m)
{
    int order = memcmp(a, b, n < m ? n : m);
    return order ? order : n < m ? -1 : n > m;
}

static int by_key(const void *a, const void *b)
{
    const struct ms_plist *x = *(const struct ms_plist *const *)a;
    const struct ms_plist *y = *(const struct ms_plist *const *)b;
    return compare_text(x->key, x->key_bytes, y->key, y->key_bytes);
}

static bool is_sorted(const struct ms_plist *dict)
{
    for (const struct ms_plist *m = dict->first; m && m->next; m = m->next)
        if (by_key(&m, &m->next) > 0)
            return false;
    return true;
}

/* What is sorted here is the builder's own: the values are const for readers alone. */
static enum ms_status sort(struct ms_plist_builder *b, struct ms_plist *dict, struct ms_error *err)
{
    size_t n = 0;
    struct ms_plist **members = ms_arena_zeroed(&b->tree->arena, dict->n, sizeof(void *));
    if (!members)
        return ms_fail_memory(err);
    for (const struct ms_plist *m = dict->first; m; m = m->next)
        members[n++] = (struct ms_plist *)m;
    qsort(members, n, sizeof *members, by_key);
    for (size_t i = 0; i + 1 < n; i++)
        members[i]->next = members[i + 1];
    members[n - 1]->next = NULL;
    dict->first = members[0];
    return MS_OK;
}

enum ms_status ms_plist_leave(struct ms_plist_builder *b, uint64_t offset, struct ms_error *err)
{
    if (b->key)
        return ms_fail(err, MS_E_FORMAT, b->where, offset, "the key '%.64s' has no value", b->key);
    struct ms_plist *value = b->open[--b->depth].value;
    if (value->kind != MS_PLIST_DICT)
        return MS_OK;
    if (!is_sorted(value)) {
        enum ms_status status = sort(b, value, err);
        if (status != MS_OK)
            return status;
    }
    for (const struct ms_plist *m = value->first; m && m->next; m = m->next)
        if (by_key(&m, &m->next) == 0)
            return ms_fail(err, MS_E_FORMAT, b->where, offset,
                           "the key '%.64s' stands twice in a dictionary", m->key);
    return MS_OK;
}

/* ---- reading -------------------------------------------------------------------------------- */

typedef enum ms_status reader(struct ms_plist_builder *, struct ms_bytes, struct ms_error *);

static enum ms_status read_with(reader *read, struct ms_bytes in, const char *where,
                                struct ms_plist_tree **out, struct ms_error *err)
{
    struct ms_plist_builder b;
    enum ms_status status = ms_plist_begin(&b, in, where, err);
    if (status != MS_OK)
        return status;
    status = read(&b, in, err);
    return ms_plist_end(&b, status, out);
}

enum ms_status ms_plist_parse(struct ms_bytes in, const char *where, struct ms_plist_tree **out,
                              struct ms_error *err)
{
    bool is_binary = in.n >= 6 && memcmp(in.at, "bplist", 6) == 0;
    return read_with(is_binary ? ms_plist_read_binary : ms_plist_read_xml, in, where, out, err);
}

enum ms_status ms_plist_parse_der(struct ms_bytes in, const char *where, struct ms_plist_tree **out,
                                  struct ms_error *err)
{
    return read_with(ms_plist_read_der, in, where, out, err);
}

/* ---- asking --------------------------------------------------------------------------------- */

const struct ms_plist *ms_plist_get(const struct ms_plist *dict, const char *key)
{
    if (!dict || dict->kind != MS_PLIST_DICT)
        return NULL;
    size_t n = strlen(key);
    for (const struct ms_plist *m = dict->first; m; m = m->next)
        if (m->key_bytes == n && memcmp(m->key, key, n) == 0)
            return m;
    return NULL;
}

struct path {
    char *at;
    size_t room;
    size_t ends[MS_PLIST_MAX_DEPTH + 1]; /* where the path of each level ends */
    unsigned depth;
};

static void path_to(struct path *path, const struct ms_plist *value, size_t index)
{
    size_t end = path->ends[path->depth];
    if (!path->room)
        return;
    path->at[end] = 0;
    if (value->key)
        snprintf(path->at + end, path->room - end, "%s%s", end ? "." : "", value->key);
    else if (path->depth)
        snprintf(path->at + end, path->room - end, "[%zu]", index);
}

static bool same_leaf(const struct ms_plist *a, const struct ms_plist *b)
{
    return a->kind == b->kind && a->boolean == b->boolean && a->is_negative == b->is_negative &&
           a->number == b->number && a->n == b->n && a->text_bytes == b->text_bytes &&
           (!a->text_bytes || memcmp(a->text, b->text, a->text_bytes) == 0);
}

/* Of two members at the same place of two sorted dictionaries: the one that the other lacks. */
static const struct ms_plist *lacking(const struct ms_plist *a, const struct ms_plist *b)
{
    if (!a || !b)
        return a ? a : b;
    if (!a->key || !b->key)
        return NULL;
    int order = by_key(&a, &b);
    return order < 0 ? a : order > 0 ? b : NULL;
}

static bool differ(const struct ms_plist *a, const struct ms_plist *b, struct path *path)
{
    bool are_dicts = a->kind == MS_PLIST_DICT && b->kind == MS_PLIST_DICT;
    if (!are_dicts && !same_leaf(a, b))
        return true;
    if (path->depth >= MS_PLIST_MAX_DEPTH)
        return false; /* no tree is deeper */
    path->ends[path->depth + 1] = path->room ? strlen(path->at) : 0;
    path->depth++;
    const struct ms_plist *x = a->first, *y = b->first;
    for (size_t i = 0; x || y; x = x->next, y = y->next, i++) {
        const struct ms_plist *lone = lacking(x, y);
        path_to(path, lone ? lone : x, i);
        if (lone || differ(x, y, path))
            return true;
    }
    if (path->room)
        path->at[path->ends[path->depth]] = 0;
    path->depth--;
    return false;
}

bool ms_plist_differ(const struct ms_plist *a, const struct ms_plist *b, char *path, size_t room)
{
    struct path p = {path, room, {0}, 0};
    if (room)
        path[0] = 0;
    return differ(a, b, &p);
}
