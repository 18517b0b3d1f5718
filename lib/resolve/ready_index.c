#include "resolve/ready_index.h"

#include "dwarf/answers.h"
#include "pack/gsym.h"
#include "pack/msym.h"

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
    *out = (struct ms_pack_info){MS_PACK_MSYM, index->head.n_records, index->head.partial,
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

/* An address, and where it stands in the request. */
struct order {
    uint64_t address;
    size_t asked;
};

static int by_address(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->asked < y->asked ? -1 : x->asked > y->asked;
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
    *hit = (struct ms_dwarf_hit){MS_OK, (uint32_t)answer->n_frames, 0, frames, 0};
    return MS_OK;
}

static enum ms_status find(struct ms_ready_index *index, const struct order *order,
                           struct ms_dwarf_answers *out, enum ms_why *whys, struct ms_error *err)
{
    struct ms_error found;
    struct ms_dwarf_hit *hit = &out->hits[order->asked];
    enum ms_status status = index->gsym
                                ? ms_gsym_find(index->gsym, order->address, &index->answer, &found)
                                : ms_msym_find(index->msym, order->address, &index->answer, &found);
    if (status == MS_OK) {
        whys[order->asked] = why_of(index);
        return put_answer(&index->answer, out, hit, err);
    }
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status == MS_ABSENT) {
        if (index->head.lost || (index->msym && index->answer.damaged))
            whys[order->asked] = MS_WHY_BAD_DEBUG_INFO;
        return MS_OK;
    }
    uint32_t error = 0;
    if (!out->n_errors && !ms_answers_error(out, &found, &error))
        return ms_fail_memory(err);
    *hit = (struct ms_dwarf_hit){status, 0, error, NULL, 0};
    return MS_OK;
}

enum ms_status ms_ready_index_find(struct ms_ready_index *index, const uint64_t *addresses_vm,
                                   size_t n, struct ms_dwarf_answers *out, enum ms_why *whys,
                                   struct ms_error *err)
{
    struct order one, *order = n == 1 ? &one : malloc((n ? n : 1) * sizeof *order);
    enum ms_status status = order ? ms_answers_start(out, n, err) : ms_fail_memory(err);
    bool ascending = true;
    if (index->gsym)
        ms_gsym_begin(index->gsym);
    for (size_t i = 0; i < n && status == MS_OK; i++) {
        order[i] = (struct order){addresses_vm[i], i};
        ascending &= i == 0 || addresses_vm[i - 1] <= addresses_vm[i];
    }
    if (!ascending)
        qsort(order, n, sizeof *order, by_address);
    for (size_t i = 0; i < n && status == MS_OK; i++) {
        const struct ms_dwarf_hit *last = i ? &out->hits[order[i - 1].asked] : NULL;
        if (last && order[i].address == order[i - 1].address) {
            out->hits[order[i].asked] = *last;
            whys[order[i].asked] = whys[order[i - 1].asked];
            continue;
        }
        status = find(index, &order[i], out, whys, err);
        if (index->went_through)
            index->went_through(index->owner, MS_TOUCH_BYTES);
    }
    if (order != &one)
        free(order);
    return status;
}
