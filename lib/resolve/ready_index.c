#include "resolve/ready_index.h"

#include "base/sort.h"
#include "dwarf/answers.h"
#include "pack/gsym.h"
#include "pack/msym.h"
#include "resolve/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ms_ready_index {
    struct ms_msym *msym; /* one of the two */
    struct ms_gsym *gsym;
    struct ms_msym_head head;
    struct ms_ready_answer answer; /* to the address in hand */
    char where[320];
    void (*went_through)(void *owner, uint64_t bytes); /* NULL: nobody wants to know */
    void *owner;
};

enum ms_status ms_ready_index_open(const struct ms_part *part, struct ms_ready_index **out,
                                   struct ms_error *err)
{
    struct ms_bytes bytes;
    *out = NULL;
    if (!ms_part_index(part, &bytes))
        return MS_ABSENT;
    struct ms_ready_index *index = calloc(1, sizeof *index);
    if (!index)
        return ms_fail_memory(err);
    bool is_gsym = part->gsym.n != 0;
    snprintf(index->where, sizeof index->where, "%s%s", part->macho.where,
             is_gsym ? "" : " __msym");
    enum ms_status status = is_gsym ? ms_gsym_open(bytes, index->where, &index->gsym, err)
                                    : ms_msym_open(bytes, index->where, &index->msym, err);
    if (status != MS_OK) {
        ms_ready_index_close(index);
        return status;
    }
    if (index->msym)
        ms_msym_head(index->msym, &index->head);
    *out = index;
    return MS_OK;
}

void ms_ready_index_close(struct ms_ready_index *index)
{
    if (!index)
        return;
    ms_msym_close(index->msym);
    ms_gsym_close(index->gsym);
    free(index);
}

void ms_ready_index_info(const struct ms_ready_index *index, struct ms_pack_info *out)
{
    if (index->gsym) {
        struct ms_gsym_head head;
        ms_gsym_head(index->gsym, &head);
        *out = (struct ms_pack_info){MS_PACK_GSYM, head.n_functions, false, false};
        return;
    }
    *out = (struct ms_pack_info){MS_PACK_MSYM, index->head.n_functions, index->head.partial,
                                 index->head.broken};
}

enum ms_status ms_ready_index_check(struct ms_ready_index *index, struct ms_error *err)
{
    return index->gsym ? ms_gsym_check(index->gsym, NULL, NULL, err)
                       : ms_msym_check(index->msym, NULL, NULL, err);
}

void ms_ready_index_set_meter(struct ms_ready_index *index,
                              void (*went_through)(void *owner, uint64_t bytes), void *owner)
{
    index->went_through = went_through;
    index->owner = owner;
}

/* What look-ups of the image itself say when symbols alone name the function. */
static enum ms_why why_of(const struct ms_ready_index *index)
{
    const struct ms_ready_answer *answer = &index->answer;
    bool has_line = answer->frames[0].file != NULL;
    if (answer->damaged || (index->head.lost && answer->source != MS_SOURCE_DWARF && !has_line))
        return MS_WHY_BAD_DEBUG_INFO;
    const struct ms_frame *outer = &answer->frames[answer->n_frames - 1];
    bool named = outer->linkage || outer->name;
    return answer->source == MS_SOURCE_DWARF || (named && has_line) ? MS_WHY_COMPLETE
                                                                    : MS_WHY_STRIPPED;
}

static enum ms_status put_answer(const struct ms_ready_answer *answer, struct ms_dwarf_answers *out,
                                 struct ms_dwarf_hit *hit, struct ms_error *err)
{
    struct ms_frame *frames = ms_answers_frames(out, 0, answer->n_frames);
    if (!frames)
        return ms_fail_memory(err);
    memcpy(frames, answer->frames, answer->n_frames * sizeof *frames);
    for (size_t i = 0; i < answer->n_frames; i++)
        frames[i].linkage = ms_frame_linkage(&frames[i]);
    const struct ms_frame *outer = &frames[answer->n_frames - 1];
    *hit = (struct ms_dwarf_hit){.status = MS_OK,
                                 .n_frames = (uint32_t)answer->n_frames,
                                 .frames = frames,
                                 .final = outer->linkage || outer->name};
    return MS_OK;
}

static enum ms_status find(struct ms_ready_index *index, uint64_t address, size_t asked,
                           struct ms_dwarf_answers *out, enum ms_why *whys, struct ms_error *err)
{
    struct ms_error found;
    struct ms_dwarf_hit *hit = &out->hits[asked];
    enum ms_status status = index->gsym
                                ? ms_gsym_find(index->gsym, address, &index->answer, &found)
                                : ms_msym_find(index->msym, address, &index->answer, &found);
    if (status == MS_OK) {
        whys[asked] = why_of(index);
        return put_answer(&index->answer, out, hit, err);
    }
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status == MS_ABSENT) {
        if (index->head.lost || (index->msym && index->answer.damaged))
            whys[asked] = MS_WHY_BAD_DEBUG_INFO;
        return MS_OK;
    }
    uint32_t error = 0;
    if (!out->n_errors && !ms_answers_error(out, &found, &error))
        return ms_fail_memory(err);
    *hit = (struct ms_dwarf_hit){.status = status, .error = error};
    return MS_OK;
}

/* The addresses ascending, each with its place in the request. Memory of twice as many. */
static struct ms_keyed *in_order(const uint64_t *addresses, size_t n)
{
    if (n > SIZE_MAX / 2 / sizeof(struct ms_keyed))
        return NULL;
    struct ms_keyed *order = malloc((n ? n : 1) * 2 * sizeof *order);
    for (size_t i = 0; order && i < n; i++)
        order[i] = (struct ms_keyed){addresses[i], i};
    if (order)
        ms_sort_keyed(order, order + n, n);
    return order;
}

enum ms_status ms_ready_index_find(struct ms_ready_index *index, const uint64_t *addresses_vm,
                                   size_t n, struct ms_dwarf_answers *out, enum ms_why *whys,
                                   struct ms_error *err)
{
    if (n >= UINT32_MAX)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "%zu addresses in one request", n);
    struct ms_keyed *order = in_order(addresses_vm, n);
    enum ms_status status = order ? ms_answers_start(out, n, err) : ms_fail_memory(err);
    if (index->gsym)
        ms_gsym_begin(index->gsym);
    for (size_t i = 0; i < n && status == MS_OK; i++) {
        size_t asked = (size_t)order[i].value;
        if (i && order[i].key == order[i - 1].key) {
            size_t before = (size_t)order[i - 1].value;
            out->hits[asked] = out->hits[before];
            whys[asked] = whys[before];
            continue;
        }
        status = find(index, order[i].key, asked, out, whys, err);
        if (index->went_through)
            index->went_through(index->owner, MS_TOUCH_BYTES);
    }
    free(order);
    return status;
}
