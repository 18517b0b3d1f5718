#include "dwarf/answers.h"

#include "base/arena.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* The frames of one worker; as far from another's as two processors want them. */
struct lane {
    struct ms_arena frames;
    char pad[64];
};

/* Behind answers.storage. */
struct store {
    size_t hits_room, errors_room;
    struct lane *lanes;
    size_t n_lanes;
};

enum ms_status ms_answers_share(struct ms_dwarf_answers *out, size_t n, struct ms_error *err)
{
    struct store *store = out->storage;
    if (n <= store->n_lanes)
        return MS_OK;
    struct lane *lanes = realloc(store->lanes, n * sizeof *lanes);
    if (!lanes)
        return ms_fail_memory(err);
    store->lanes = lanes;
    for (; store->n_lanes < n; store->n_lanes++)
        ms_arena_init(&lanes[store->n_lanes].frames, 0);
    return MS_OK;
}

enum ms_status ms_answers_start(struct ms_dwarf_answers *out, size_t n, struct ms_error *err)
{
    struct store *store = out->storage;
    if (!store && !(out->storage = store = calloc(1, sizeof *store)))
        return ms_fail_memory(err);
    out->n_hits = out->n_errors = 0;
    for (size_t i = 0; i < store->n_lanes; i++)
        ms_arena_fini(&store->lanes[i].frames);
    if (store->hits_room < n || !out->hits) {
        size_t room = n ? n : 1;
        if (room > SIZE_MAX / sizeof *out->hits)
            return ms_fail_memory(err);
        struct ms_dwarf_hit *hits = realloc(out->hits, room * sizeof *hits);
        if (!hits)
            return ms_fail_memory(err);
        out->hits = hits;
        store->hits_room = room;
    }
    for (size_t i = 0; i < n; i++)
        out->hits[i] = (struct ms_dwarf_hit){.status = MS_ABSENT};
    out->n_hits = n;
    return ms_answers_share(out, 1, err);
}

struct ms_frame *ms_answers_frames(struct ms_dwarf_answers *out, size_t worker, size_t n)
{
    struct store *store = out->storage;
    if (n > UINT32_MAX) /* hits count frames in 32 bits */
        return NULL;
    return ms_arena_take(&store->lanes[worker].frames, n * sizeof(struct ms_frame));
}

bool ms_answers_error(struct ms_dwarf_answers *out, const struct ms_error *error, uint32_t *index)
{
    struct store *store = out->storage;
    if (!MS_PUSH(out->errors, out->n_errors, store->errors_room, *error))
        return false;
    *index = (uint32_t)(out->n_errors - 1);
    return true;
}

void ms_dwarf_answers_fini(struct ms_dwarf_answers *answers)
{
    struct store *store = answers->storage;
    for (size_t i = 0; store && i < store->n_lanes; i++)
        ms_arena_fini(&store->lanes[i].frames);
    if (store)
        free(store->lanes);
    free(answers->hits);
    free(answers->errors);
    free(store);
    memset(answers, 0, sizeof *answers);
}
