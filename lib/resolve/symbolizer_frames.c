/*
 * The frames of a group of reports, image by image. Many reports of one build go through the same
 * units of its dSYM, and often are of one crash; deep recursion and idle threads make thousands of
 * frames of one address: each address is looked up once, and what is shown of it is shared.
 */
#include "resolve/symbolizer.h"

#include "base/error.h"
#include "resolve/image.h"

#include <stdlib.h>

static int compare_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Whether both are shown alike. */
static int compare_asked(const struct ms_question *x, const struct ms_question *y)
{
    int order = compare_u64(x->address_vm, y->address_vm);
    order = order ? order : compare_u64(x->adjust, y->adjust);
    order = order ? order : compare_u64(x->slide, y->slide);
    return order ? order : compare_u64(x->style, y->style);
}

static int compare_asker(const struct ms_question *x, const struct ms_question *y)
{
    int order = compare_u64(x->report, y->report);
    return order ? order : compare_u64(x->image, y->image);
}

/* All of an image together, by address. */
static int by_image(const void *a, const void *b)
{
    const struct ms_question *x = a, *y = b;
    int order = compare_u64(x->opened, y->opened);
    order = order ? order : compare_asked(x, y);
    order = order ? order : compare_asker(x, y);
    return order ? order : compare_u64(x->frame, y->frame);
}

/* Of one image: report by report, by address in each. */
static int by_report(const void *a, const void *b)
{
    const struct ms_question *x = a, *y = b;
    int order = compare_asker(x, y);
    order = order ? order : compare_asked(x, y);
    return order ? order : compare_u64(x->frame, y->frame);
}

static struct ms_shown *shown_of(const struct ms_group *g, const struct ms_question *q)
{
    return &g->out[q->report].shown[q->frame];
}

static struct ms_image_outcome *outcome_of(const struct ms_group *g, const struct ms_question *q)
{
    return &g->out[q->report].images[q->image];
}

static enum ms_status show_answers(const struct ms_group *g, const struct ms_image *image,
                                   const struct ms_answers *answers, const struct ms_question *q,
                                   size_t n, struct ms_error *err)
{
    enum { NAMES_BYTES = 256 << 10 }; /* pages that the names of an answer may lie on */
    size_t max = g->symbolizer->max_memory;
    size_t answer = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && compare_asked(&q[i], &q[i - 1]) == 0) {
            *shown_of(g, &q[i]) = *shown_of(g, &q[i - 1]);
            continue;
        }
        answer += i && q[i].address_vm != q[i - 1].address_vm;
        const struct ms_show_style *style = &g->requests[q[i].report].options.style;
        enum ms_status status = ms_show(g->store->pool, &answers->items[answer], style, q[i].adjust,
                                        q[i].slide, shown_of(g, &q[i]), err);
        if (status != MS_OK)
            return status;
        if (max && i % (max / NAMES_BYTES + 1) == 0)
            ms_image_give_back(image);
    }
    return MS_OK;
}

/* The image was truncated while it was read: nothing of it is believed. */
static bool give_fault(const struct ms_group *g, const struct ms_question *q, size_t n,
                       const struct ms_error *fault)
{
    struct ms_image_outcome *outcome = outcome_of(g, q); /* of all, which are one report's */
    outcome->why = MS_WHY_BAD_DEBUG_INFO;
    for (size_t i = 0; i < n; i++)
        shown_of(g, &q[i])->why = MS_WHY_BAD_DEBUG_INFO;
    return ms_outcome_fault(outcome, fault, &g->store->faults);
}

static bool tell_outcomes(const struct ms_group *g, const struct ms_image *image,
                          const struct ms_answers *answers, const struct ms_question *q, size_t n)
{
    bool told = true;
    for (size_t i = 0; i < n && told; i++) {
        struct ms_image_outcome *outcome = outcome_of(g, &q[i]);
        if (outcome->binary_path || outcome->debug_path) /* told of before */
            continue;
        told =
            ms_outcome_answered(g->symbolizer, &g->requests[q[i].report].report->images[q[i].image],
                                image, answers, &g->store->faults, outcome);
    }
    return told;
}

/* Each address once; NULL without memory. */
static uint64_t *collect_addresses(struct ms_group *g, const struct ms_question *q, size_t n,
                                   size_t *n_addresses)
{
    *n_addresses = 0;
    for (size_t i = 0; i < n; i++)
        *n_addresses += i == 0 || q[i].address_vm != q[i - 1].address_vm;
    uint64_t *addresses = ms_arena_zeroed(&g->arena, *n_addresses, sizeof *addresses);
    size_t at = 0;
    for (size_t i = 0; addresses && i < n; i++)
        if (i == 0 || q[i].address_vm != q[i - 1].address_vm)
            addresses[at++] = q[i].address_vm;
    return addresses;
}

static bool is_of_one_report(const struct ms_question *q, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (compare_asker(&q[i], &q[0]) != 0)
            return false;
    return true;
}

/*
 * Looks up n questions of one image, by address.
 * @return MS_ABSENT: something is wrong that may concern some of the reports alone; nothing was
 *         answered
 */
static enum ms_status look_up(struct ms_group *g, struct ms_image *image,
                              const struct ms_question *q, size_t n, struct ms_error *err)
{
    size_t n_addresses;
    const uint64_t *addresses = collect_addresses(g, q, n, &n_addresses);
    struct ms_answers answers;
    struct ms_error fault;
    if (!addresses)
        return ms_fail_memory(err);
    bool alone = is_of_one_report(q, n);
    enum ms_status status = ms_image_find_many(image, addresses, n_addresses, &answers, &fault);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK && alone)
        return give_fault(g, q, n, &fault) ? MS_OK : ms_fail_memory(err);
    if (status != MS_OK)
        return MS_ABSENT;
    if (answers.n_errors && !alone)
        status = MS_ABSENT;
    else if (!tell_outcomes(g, image, &answers, q, n))
        status = ms_fail_memory(err);
    else
        status = show_answers(g, image, &answers, q, n, err);
    ms_answers_fini(&answers);
    if (g->symbolizer->max_memory)
        ms_image_give_back(image);
    return status;
}

/* As if each report were the only one. */
static enum ms_status look_up_apart(struct ms_group *g, struct ms_image *image,
                                    struct ms_question *q, size_t n, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    qsort(q, n, sizeof *q, by_report);
    for (size_t i = 0, end; i < n && status == MS_OK; i = end) {
        for (end = i + 1; end < n && compare_asker(&q[end], &q[i]) == 0;)
            end++;
        status = look_up(g, image, q + i, end - i, err);
    }
    return status;
}

/* Which objects of a debug map a report needs, and which of them are missing, is told of it alone;
 * each of them is small, and stays open. */
static bool has_objects(struct ms_image *image)
{
    struct ms_image_info info;
    ms_image_info(image, &info);
    return !info.has_dwarf && !info.has_index && ms_image_oso(image);
}

enum ms_status ms_group_answer(struct ms_group *g, struct ms_error *err)
{
    struct ms_question *q = g->questions;
    enum ms_status status = MS_OK;
    if (g->n_questions > 1)
        qsort(q, g->n_questions, sizeof *q, by_image);
    for (size_t i = 0, end; i < g->n_questions && status == MS_OK; i = end) {
        struct ms_image *image = g->symbolizer->opened[q[i].opened].image;
        for (end = i + 1; end < g->n_questions && q[end].opened == q[i].opened;)
            end++;
        status = has_objects(image) ? MS_ABSENT : look_up(g, image, q + i, end - i, err);
        if (status == MS_ABSENT)
            status = look_up_apart(g, image, q + i, end - i, err);
    }
    return status;
}
