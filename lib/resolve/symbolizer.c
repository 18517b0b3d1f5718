/* Whole reports: images to files, frames to answers, grouped so that each file opens once. */
#include "machsym/symbolize.h"

#include "machsym/slide.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/index.h"
#include "resolve/catalog.h"
#include "resolve/paths.h"

#include <stdlib.h>
#include <string.h>

/* An image opened for one UUID; also remembers that it could not be. */
struct opened {
    struct ms_uuid uuid;
    struct ms_image *image;   /* NULL: no file, or it can't be read */
    struct ms_image *earlier; /* one without debug information, replaced when a file with it came */
    size_t n_known;           /* entries of the catalog when it was opened */
    struct ms_error error;    /* status MS_OK: there just is no file */
};

struct ms_symbolizer {
    struct ms_catalog catalog;
    struct opened *opened;
    size_t n_opened, opened_room;
    struct ms_index by_uuid; /* into opened */
    bool set_workers; /* n_workers was said */
    size_t n_workers;
    size_t max_memory; /* 0: no bound */
    struct ms_object_search search;
};

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
static void open_best(struct ms_symbolizer *s, struct opened *o)
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
static bool is_outdated(const struct ms_symbolizer *s, const struct opened *o)
{
    if (o->n_known == s->catalog.n)
        return false;
    if (!o->image)
        return ms_catalog_any(&s->catalog, &o->uuid) != NULL;
    struct ms_image_info info;
    ms_image_info(o->image, &info);
    return !info.has_dwarf && !info.has_index && ms_catalog_debug(&s->catalog, &o->uuid);
}

/* The image with this UUID, opened on first use; NULL without memory. */
static struct opened *open_image(struct ms_symbolizer *s, const struct ms_uuid *uuid)
{
    uint64_t hash = ms_hash(0, uuid->byte, sizeof uuid->byte);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&s->by_uuid, hash, &probe)) != MS_INDEX_NONE;) {
        struct opened *known = &s->opened[i];
        if (!ms_uuid_equal(&known->uuid, uuid))
            continue;
        if (is_outdated(s, known)) {
            if (known->image) /* its strings are promised for as long as the symbolizer lives */
                known->earlier = known->image;
            known->image = NULL;
            open_best(s, known);
            if (!known->image && known->error.status != MS_E_NOMEM) {
                known->image = known->earlier;
                known->earlier = NULL;
            }
        }
        return known->error.status == MS_E_NOMEM ? NULL : known;
    }
    struct opened new;
    memset(&new, 0, sizeof new);
    new.uuid = *uuid;
    open_best(s, &new);
    if (new.error.status == MS_E_NOMEM || !MS_PUSH(s->opened, s->n_opened, s->opened_room, new)) {
        ms_image_close(new.image);
        return NULL;
    }
    return ms_index_add(&s->by_uuid, hash, (uint32_t)(s->n_opened - 1))
               ? &s->opened[s->n_opened - 1]
               : NULL;
}

/* ---- one report ------------------------------------------------------------------------ */

struct work {
    struct ms_symbolizer *symbolizer;
    const struct ms_report *report;
    const struct ms_symbolize_options *options;
    struct ms_symbolication *out;
    struct ms_arena arena;     /* of the call */
    struct ms_show_pool *pool; /* of the result */
    uint32_t *order;           /* frames that want an answer, grouped by image */
    size_t n_order;
};

static bool in_chosen_thread(const struct work *w, const struct ms_report_frame *frame)
{
    if (!w->options->one_thread)
        return true;
    return (frame->place == MS_PLACE_THREAD || frame->place == MS_PLACE_REGISTER ||
            frame->place == MS_PLACE_ELIDED) &&
           frame->group < w->report->n_threads &&
           w->report->threads[frame->group].number == w->options->thread;
}

/* An inlined frame that the report has already is replaced together with its real one. */
static bool wants_name(const struct work *w, const struct ms_report_frame *frame)
{
    if (frame->image < 0 || frame->inlined || !in_chosen_thread(w, frame))
        return false;
    if (frame->place == MS_PLACE_REGISTER && !w->options->all_registers &&
        !ms_register_is_control(frame->reg))
        return false;
    switch (w->options->scope) {
    case MS_SCOPE_UNNAMED:
        return !frame->named;
    case MS_SCOPE_BARE:
        return !frame->has_name;
    case MS_SCOPE_ALL:
        break;
    }
    return true;
}

static bool counts(const struct ms_report_frame *frame)
{
    return frame->place != MS_PLACE_REGISTER && !frame->inlined;
}

/* A counting sort by image: frames of one image are looked up in one go. */
static enum ms_status group_frames(struct work *w, struct ms_error *err)
{
    const struct ms_report *r = w->report;
    uint32_t *starts = ms_arena_zeroed(&w->arena, r->n_images + 1, sizeof *starts);
    w->order = ms_arena_zeroed(&w->arena, r->n_frames, sizeof *w->order);
    if (!starts || !w->order)
        return ms_fail_memory(err);
    for (size_t i = 0; i < r->n_frames; i++)
        if (wants_name(w, &r->frames[i]))
            starts[r->frames[i].image + 1]++;
    for (size_t i = 0; i < r->n_images; i++)
        starts[i + 1] += starts[i];
    w->n_order = starts[r->n_images];
    for (size_t i = 0; i < r->n_frames; i++)
        if (wants_name(w, &r->frames[i]))
            w->order[starts[r->frames[i].image]++] = (uint32_t)i;
    return MS_OK;
}

/* A file that bears the image's name but has another UUID: a person may take it for the right
 * one, so it is named. */
static void note_namesake(struct work *w, const struct ms_report_image *image,
                          struct ms_image_outcome *outcome)
{
    const char *names[] = {image->path ? ms_path_base(image->path) : NULL, image->name};
    for (int i = 0; i < 2 && image->has_uuid && !outcome->other_path; i++) {
        if (!names[i])
            continue;
        const struct ms_catalog_entry *other =
            ms_catalog_namesake(&w->symbolizer->catalog, names[i], &image->uuid, image->arch);
        if (!other)
            continue;
        outcome->why = MS_WHY_UUID_DIFFERS;
        outcome->other_path = other->path;
        outcome->other_uuid = other->uuid;
    }
}

/* A binary answers with its symbols alone: was there a dSYM that could not be used? */
static void explain_no_dwarf(struct work *w, const struct ms_report_image *image,
                             const struct ms_image_info *info, struct ms_image_outcome *outcome)
{
    outcome->why = MS_WHY_STRIPPED;
    if (info->mismatch_path) {
        outcome->why = MS_WHY_UUID_DIFFERS;
        outcome->other_path = info->mismatch_path;
        outcome->other_uuid = info->mismatch_uuid;
    } else {
        note_namesake(w, image, outcome);
    }
}

/* Without DWARF of the image, its objects answer as far as they are there. */
static void explain_objects(const struct ms_image *image, struct ms_image_outcome *outcome)
{
    struct ms_image_objects objects;
    ms_image_objects(image, &objects);
    outcome->n_objects = (uint32_t)objects.n_used;
    if (outcome->why != MS_WHY_STRIPPED || objects.n_used + objects.n_failed == 0)
        return;
    outcome->why = objects.n_failed ? objects.why : MS_WHY_COMPLETE;
    if (objects.n_failed)
        outcome->error = objects.error;
}

/*
 * What one frame asks. Deep recursion and idle threads make thousands of frames of one address:
 * each address is looked up once, and what is shown of it is shared.
 */
struct question {
    uint64_t lookup_rt, adjust;
    uint32_t frame;
};

static int compare_questions(const void *a, const void *b)
{
    const struct question *x = a, *y = b;
    if (x->lookup_rt != y->lookup_rt)
        return x->lookup_rt < y->lookup_rt ? -1 : 1;
    return x->adjust < y->adjust ? -1 : x->adjust > y->adjust;
}

/* Sorts the frames by what they ask; *addresses gets each address once, as linked. */
static struct question *collect_questions(struct work *w, const uint32_t *frames, size_t n,
                                          uint64_t slide, uint64_t **addresses, size_t *n_addresses)
{
    struct question *questions = ms_arena_zeroed(&w->arena, n, sizeof *questions);
    if (!questions)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const struct ms_report_frame *frame = &w->report->frames[frames[i]];
        questions[i] =
            (struct question){frame->lookup_rt, frame->address_rt - frame->lookup_rt, frames[i]};
    }
    qsort(questions, n, sizeof *questions, compare_questions);
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++)
        n_kept += i == 0 || questions[i].lookup_rt != questions[i - 1].lookup_rt;
    *addresses = ms_arena_zeroed(&w->arena, n_kept, sizeof **addresses);
    if (!*addresses)
        return NULL;
    *n_addresses = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || questions[i].lookup_rt != questions[i - 1].lookup_rt)
            (*addresses)[(*n_addresses)++] = ms_slide_to_vm(questions[i].lookup_rt, slide);
    return questions;
}

static enum ms_status show_answers(struct work *w, const struct ms_image *image,
                                   const struct ms_answers *answers,
                                   const struct question *questions, size_t n, uint64_t slide,
                                   struct ms_error *err)
{
    enum { NAMES_BYTES = 256 << 10 }; /* pages that the names of an answer may lie on */
    size_t max = w->symbolizer->max_memory;
    size_t answer = 0;
    for (size_t i = 0; i < n; i++) {
        const struct question *q = &questions[i];
        struct ms_shown *shown = &w->out->shown[q->frame];
        if (i && compare_questions(q, q - 1) == 0) {
            *shown = w->out->shown[questions[i - 1].frame];
            continue;
        }
        answer += i && q->lookup_rt != questions[i - 1].lookup_rt;
        enum ms_status status = ms_show(w->pool, &answers->items[answer], &w->options->style,
                                        q->adjust, slide, shown, err);
        if (status != MS_OK)
            return status;
        if (max && i % (max / NAMES_BYTES + 1) == 0)
            ms_image_give_back(image);
    }
    return MS_OK;
}

/* Looks up `n` frames of one image. */
static enum ms_status look_up(struct work *w, struct ms_image *image, size_t image_index,
                              const uint32_t *frames, size_t n, struct ms_error *err)
{
    struct ms_image_outcome *outcome = &w->out->images[image_index];
    struct ms_image_info info;
    ms_image_info(image, &info);
    uint64_t slide = ms_slide(w->report->images[image_index].load_rt, info.text_vm);
    uint64_t *addresses;
    size_t n_addresses;
    struct question *questions = collect_questions(w, frames, n, slide, &addresses, &n_addresses);
    if (!questions)
        return ms_fail_memory(err);
    struct ms_answers answers;
    struct ms_error fault;
    enum ms_status status = ms_image_find_many(image, addresses, n_addresses, &answers, &fault);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK) { /* truncated while it was read: nothing of it is believed */
        outcome->why = MS_WHY_BAD_DEBUG_INFO;
        outcome->error = fault;
        for (size_t i = 0; i < n; i++)
            w->out->shown[frames[i]].why = MS_WHY_BAD_DEBUG_INFO;
        return MS_OK;
    }
    outcome->binary_path = info.binary_path;
    outcome->debug_path = info.debug_path;
    outcome->error = *info.damage;
    if (!info.has_dwarf && !info.has_index) {
        explain_no_dwarf(w, &w->report->images[image_index], &info, outcome);
        explain_objects(image, outcome);
    } else if (answers.n_errors) {
        outcome->error = answers.errors[0];
    }
    if (outcome->error.status != MS_OK && outcome->why != MS_WHY_UUID_DIFFERS &&
        outcome->why != MS_WHY_NO_OBJECT && outcome->why != MS_WHY_STALE_OBJECT)
        outcome->why = MS_WHY_BAD_DEBUG_INFO;
    status = show_answers(w, image, &answers, questions, n, slide, err);
    ms_answers_fini(&answers);
    if (w->symbolizer->max_memory)
        ms_image_give_back(image);
    return status;
}

static enum ms_status do_image(struct work *w, size_t image_index, const uint32_t *frames, size_t n,
                               struct ms_error *err)
{
    const struct ms_report_image *image = &w->report->images[image_index];
    struct ms_image_outcome *outcome = &w->out->images[image_index];
    struct opened *opened = NULL;
    if (image->has_uuid) {
        opened = open_image(w->symbolizer, &image->uuid);
        if (!opened)
            return ms_fail_memory(err);
        if (opened->image)
            return look_up(w, opened->image, image_index, frames, n, err);
    }
    outcome->why = MS_WHY_NO_FILE;
    note_namesake(w, image, outcome);
    if (opened && opened->error.status != MS_OK) {
        outcome->why = MS_WHY_BAD_DEBUG_INFO;
        outcome->error = opened->error;
    }
    for (size_t i = 0; i < n; i++)
        w->out->shown[frames[i]].why = outcome->why;
    return MS_OK;
}

static bool is_resolved(const struct ms_shown *shown)
{
    return shown->n_frames && shown->frames[shown->n_frames - 1].function;
}

/* Where nothing better was found, mangled names of the report's own become readable. */
static enum ms_status show_symbols(struct work *w, struct ms_error *err)
{
    struct ms_show_style style = w->options->style;
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < w->report->n_frames && status == MS_OK; i++) {
        const struct ms_report_frame *frame = &w->report->frames[i];
        if (!frame->has_name || frame->named || is_resolved(&w->out->shown[i]))
            continue;
        style.no_demangle = w->options->style.no_demangle || w->options->scope == MS_SCOPE_BARE ||
                            !in_chosen_thread(w, frame);
        status = ms_show_symbol(w->pool, frame->symbol, &style, &w->out->shown[i], err);
    }
    return status;
}

static void count(struct work *w)
{
    struct ms_symbolication *out = w->out;
    for (size_t i = 0; i < w->report->n_frames; i++) {
        const struct ms_report_frame *frame = &w->report->frames[i];
        const struct ms_shown *shown = &out->shown[i];
        if (!counts(frame) || !in_chosen_thread(w, frame))
            continue;
        bool resolved = is_resolved(shown);
        bool kept = !resolved && frame->has_name;
        out->n_frames++;
        out->n_resolved += resolved;
        out->n_kept += kept;
        if (frame->image >= 0) {
            out->images[frame->image].n_frames++;
            out->images[frame->image].n_resolved += resolved;
            out->images[frame->image].n_kept += kept;
            out->images[frame->image].n_asked += wants_name(w, frame);
        }
    }
}

static enum ms_status run(struct work *w, struct ms_error *err)
{
    const struct ms_report *r = w->report;
    enum ms_status status = group_frames(w, err);
    for (size_t i = 0; i < r->n_frames; i++)
        if (r->frames[i].image < 0)
            w->out->shown[i].why = MS_WHY_NO_IMAGE;
    size_t at = 0;
    while (at < w->n_order && status == MS_OK) {
        int32_t image = r->frames[w->order[at]].image;
        size_t n = 1;
        while (at + n < w->n_order && r->frames[w->order[at + n]].image == image)
            n++;
        status = do_image(w, (size_t)image, w->order + at, n, err);
        at += n;
    }
    if (status == MS_OK)
        status = show_symbols(w, err);
    /* Images that only kept frames lie in were never wanted. */
    count(w);
    return status;
}

enum ms_status ms_symbolize_report(struct ms_symbolizer *symbolizer, const struct ms_report *report,
                                   const struct ms_symbolize_options *options,
                                   struct ms_symbolication *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct work w;
    memset(&w, 0, sizeof w);
    w.symbolizer = symbolizer;
    w.report = report;
    w.options = options;
    w.out = out;
    ms_arena_init(&w.arena, 0);
    enum ms_status status = ms_show_pool_open(&w.pool, err);
    out->storage = w.pool;
    out->shown = calloc(report->n_frames + 1, sizeof *out->shown);
    out->images = calloc(report->n_images + 1, sizeof *out->images);
    out->n_shown = report->n_frames;
    out->n_images = report->n_images;
    if (status == MS_OK && (!out->shown || !out->images))
        status = ms_fail_memory(err);
    if (status == MS_OK)
        status = run(&w, err);
    ms_arena_fini(&w.arena);
    if (status != MS_OK)
        ms_symbolication_fini(out);
    return status;
}

void ms_symbolication_fini(struct ms_symbolication *symbolication)
{
    ms_show_pool_close(symbolication->storage);
    free(symbolication->shown);
    free(symbolication->images);
    memset(symbolication, 0, sizeof *symbolication);
}
