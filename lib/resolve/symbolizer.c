/* The files to search, and the images opened out of them, each once for all reports. */
#include "resolve/symbolizer.h"

#include "base/array.h"
#include "base/error.h"
#include "resolve/image.h"

#include <stdlib.h>
#include <string.h>

enum ms_status ms_symbolizer_open(struct ms_symbolizer **out, struct ms_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ms_fail_memory(err);
    ms_catalog_init(&(*out)->catalog);
    return MS_OK;
}

void ms_symbolizer_close(struct ms_symbolizer *symbolizer)
{
    if (!symbolizer)
        return;
    for (size_t i = 0; i < symbolizer->n_opened; i++) {
        ms_image_close(symbolizer->opened[i].image);
        ms_image_close(symbolizer->opened[i].earlier);
    }
    free(symbolizer->opened);
    ms_symbolizer_drop_store(symbolizer);
    ms_index_fini(&symbolizer->by_uuid);
    ms_catalog_fini(&symbolizer->catalog);
    free(symbolizer);
}

enum ms_status ms_symbolizer_add(struct ms_symbolizer *symbolizer, const char *path, bool beside,
                                 struct ms_error *err)
{
    return ms_catalog_add(&symbolizer->catalog, path, beside, err);
}

void ms_symbolizer_set_object_search(struct ms_symbolizer *symbolizer,
                                     const struct ms_object_search *search)
{
    symbolizer->search = *search;
}

void ms_symbolizer_set_workers(struct ms_symbolizer *symbolizer, size_t n)
{
    symbolizer->set_workers = true;
    symbolizer->n_workers = n;
}

void ms_symbolizer_set_max_memory(struct ms_symbolizer *symbolizer, size_t bytes)
{
    symbolizer->max_memory = bytes;
}

size_t ms_symbolizer_skipped(const struct ms_symbolizer *symbolizer, struct ms_error *first)
{
    if (symbolizer->catalog.n_skipped)
        *first = symbolizer->catalog.first_skipped;
    return symbolizer->catalog.n_skipped;
}

const char *ms_symbolizer_debug_path(const struct ms_symbolizer *symbolizer,
                                     const struct ms_uuid *uuid)
{
    const struct ms_catalog_entry *debug = ms_catalog_debug(&symbolizer->catalog, uuid);
    return debug ? debug->path : NULL;
}

/* Opens the best there is in the catalog now; leaves *image NULL where there is nothing. */
static void open_best(struct ms_symbolizer *s, struct ms_opened *o)
{
    const struct ms_catalog_entry *debug = ms_catalog_debug(&s->catalog, &o->uuid);
    const struct ms_catalog_entry *binary = ms_catalog_binary(&s->catalog, &o->uuid);
    if (!debug && !binary)
        debug = ms_catalog_any(&s->catalog, &o->uuid); /* a dSYM without DWARF still has symbols */
    memset(&o->error, 0, sizeof o->error);
    o->n_known = s->catalog.n;
    if (binary && !debug) { /* its dSYM may lie beside it, outside what was named */
        struct ms_image_choice choice = {binary->path, NULL, &o->uuid, false};
        ms_image_open(&choice, &o->image, &o->error);
    } else if (debug) {
        ms_image_open_pair(binary ? binary->path : NULL, debug->path, &o->uuid, &o->image,
                           &o->error);
    }
    if (o->image)
        ms_image_set_object_search(o->image, &s->search);
    if (o->image && s->set_workers)
        ms_image_set_workers(o->image, s->n_workers);
    if (o->image && s->max_memory)
        ms_image_set_max_memory(o->image, s->max_memory);
}

/* Whether files that were added since would tell more than what was opened. */
static bool is_outdated(const struct ms_symbolizer *s, const struct ms_opened *o)
{
    if (o->n_known == s->catalog.n)
        return false;
    if (!o->image)
        return ms_catalog_any(&s->catalog, &o->uuid) != NULL;
    struct ms_image_info info;
    ms_image_info(o->image, &info);
    return !info.has_dwarf && !info.has_index && ms_catalog_debug(&s->catalog, &o->uuid);
}

/* More files are known than when it was opened. False without memory: then it is as it was. */
static bool open_better(struct ms_symbolizer *s, struct ms_opened *known)
{
    const struct ms_opened before = *known;
    known->image = NULL;
    open_best(s, known);
    if (known->error.status == MS_E_NOMEM) {
        ms_image_close(known->image);
        *known = before;
        return false;
    }
    if (!known->image)
        known->image = before.image;
    else if (before.image) /* its strings are promised for as long as the symbolizer lives */
        known->earlier = before.image;
    return true;
}

enum ms_status ms_symbolizer_image(struct ms_symbolizer *s, const struct ms_uuid *uuid,
                                   uint32_t *out, struct ms_error *err)
{
    uint64_t hash = ms_hash(0, uuid->byte, sizeof uuid->byte);
    for (size_t probe = 0; (*out = ms_index_next(&s->by_uuid, hash, &probe)) != MS_INDEX_NONE;) {
        struct ms_opened *known = &s->opened[*out];
        if (!ms_uuid_equal(&known->uuid, uuid))
            continue;
        return is_outdated(s, known) && !open_better(s, known) ? ms_fail_memory(err) : MS_OK;
    }
    struct ms_opened new;
    memset(&new, 0, sizeof new);
    new.uuid = *uuid;
    open_best(s, &new);
    if (new.error.status == MS_E_NOMEM || !MS_PUSH(s->opened, s->n_opened, s->opened_room, new)) {
        ms_image_close(new.image);
        return ms_fail_memory(err);
    }
    *out = (uint32_t)(s->n_opened - 1);
    return ms_index_add(&s->by_uuid, hash, *out) ? MS_OK : ms_fail_memory(err);
}

void ms_symbolizer_retry(struct ms_symbolizer *s)
{
    ms_symbolizer_drop_store(s); /* names of tables that are read anew among them */
    for (size_t i = 0; i < s->n_opened; i++)
        if (s->opened[i].image)
            ms_image_retry(s->opened[i].image);
}
