#include "dwarf/answers.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Behind answers.storage: what the arrays have room for. */
struct rooms {
    size_t hits, frames, errors;
};

enum ms_status ms_answers_start(struct ms_dwarf_answers *out, size_t n, struct ms_error *err)
{
    struct rooms *rooms = out->storage;
    if (!rooms && !(out->storage = rooms = calloc(1, sizeof *rooms)))
        return ms_fail_memory(err);
    out->n_hits = out->n_frames = out->n_errors = 0;
    if (rooms->hits < n || !out->hits) {
        size_t room = n ? n : 1;
        if (room > SIZE_MAX / sizeof *out->hits)
            return ms_fail_memory(err);
        struct ms_dwarf_hit *hits = realloc(out->hits, room * sizeof *hits);
        if (!hits)
            return ms_fail_memory(err);
        out->hits = hits;
        rooms->hits = room;
    }
    for (size_t i = 0; i < n; i++)
        out->hits[i] = (struct ms_dwarf_hit){MS_ABSENT, 0, 0, 0, 0};
    out->n_hits = n;
    return MS_OK;
}

struct ms_frame *ms_answers_frames(struct ms_dwarf_answers *out, size_t n)
{
    struct rooms *rooms = out->storage;
    if (n > UINT32_MAX - out->n_frames) /* hits count frames in 32 bits */
        return NULL;
    if (n > rooms->frames - out->n_frames) {
        size_t room = rooms->frames + rooms->frames / 2 + n;
        struct ms_frame *frames = realloc(out->frames, room * sizeof *frames);
        if (!frames)
            return NULL;
        out->frames = frames;
        rooms->frames = room;
    }
    struct ms_frame *first = out->frames + out->n_frames;
    out->n_frames += n;
    return first;
}

bool ms_answers_error(struct ms_dwarf_answers *out, const struct ms_error *error, uint32_t *index)
{
    struct rooms *rooms = out->storage;
    if (!MS_PUSH(out->errors, out->n_errors, rooms->errors, *error))
        return false;
    *index = (uint32_t)(out->n_errors - 1);
    return true;
}

void ms_dwarf_answers_fini(struct ms_dwarf_answers *answers)
{
    free(answers->hits);
    free(answers->frames);
    free(answers->errors);
    free(answers->storage);
    memset(answers, 0, sizeof *answers);
}
