/* Reports, looked up in groups: which frames want a name, and what all of them come to. */
#include "resolve/symbolizer.h"

#include "machsym/slide.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* A report of the group, while it is dealt out. */
struct dealt {
    const struct ms_report *report;
    const struct ms_symbolize_options *options;
    struct ms_symbolication *out;
    struct place *places; /* one an image of the report */
    uint32_t number;      /* in the group */
    uint32_t style;       /* see struct ms_question */
};

/* Where the questions of one image of a report go. */
struct place {
    bool seen;
    uint32_t opened; /* MS_INDEX_NONE: there is nothing to ask */
    uint64_t slide;
};

static bool in_chosen_thread(const struct ms_report *report,
                             const struct ms_symbolize_options *options,
                             const struct ms_report_frame *frame)
{
    if (!options->one_thread)
        return true;
    return (frame->place == MS_PLACE_THREAD || frame->place == MS_PLACE_REGISTER ||
            frame->place == MS_PLACE_ELIDED) &&
           frame->group < report->n_threads &&
           report->threads[frame->group].number == options->thread;
}

/* An inlined frame that the report has already is replaced together with its real one. */
static bool wants_name(const struct ms_report *report, const struct ms_symbolize_options *options,
                       const struct ms_report_frame *frame)
{
    if (frame->image < 0 || frame->inlined || !in_chosen_thread(report, options, frame))
        return false;
    if (frame->place == MS_PLACE_REGISTER && !options->all_registers &&
        !ms_register_is_control(frame->reg))
        return false;
    switch (options->scope) {
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

/* ---- dealing frames out to images -------------------------------------------------------- */

/* Opens what the image's frames are to be looked up in. */
static enum ms_status find_place(struct ms_group *g, const struct dealt *d, uint32_t image,
                                 struct ms_error *err)
{
    const struct ms_report_image *wanted = &d->report->images[image];
    struct ms_image_outcome *outcome = &d->out->images[image];
    struct place *place = &d->places[image];
    const struct ms_opened *opened = NULL;
    place->seen = true;
    place->opened = MS_INDEX_NONE;
    if (wanted->has_uuid) {
        uint32_t number;
        enum ms_status status = ms_symbolizer_image(g->symbolizer, &wanted->uuid, &number, err);
        if (status != MS_OK)
            return status;
        opened = &g->symbolizer->opened[number];
        if (opened->image) {
            struct ms_image_info info;
            ms_image_info(opened->image, &info);
            place->opened = number;
            place->slide = ms_slide(wanted->load_rt, info.text_vm);
            return MS_OK;
        }
    }
    return ms_outcome_no_file(g->symbolizer, wanted, opened, &g->store->faults, outcome)
               ? MS_OK
               : ms_fail_memory(err);
}

static enum ms_status deal_report(struct ms_group *g, const struct dealt *d, struct ms_error *err)
{
    for (uint32_t i = 0; i < d->report->n_frames; i++) {
        const struct ms_report_frame *frame = &d->report->frames[i];
        struct ms_shown *shown = &d->out->shown[i];
        if (frame->image < 0)
            shown->why = MS_WHY_NO_IMAGE;
        if (!wants_name(d->report, d->options, frame))
            continue;
        uint32_t image = (uint32_t)frame->image;
        struct place *place = &d->places[image];
        enum ms_status status = place->seen ? MS_OK : find_place(g, d, image, err);
        if (status != MS_OK)
            return status;
        if (place->opened == MS_INDEX_NONE) {
            shown->why = d->out->images[image].why;
            continue;
        }
        g->questions[g->n_questions++] = (struct ms_question){
            .address_vm = ms_slide_to_vm(frame->lookup_rt, place->slide),
            .adjust = frame->address_rt - frame->lookup_rt,
            .slide = place->slide,
            .opened = place->opened,
            .report = d->number,
            .image = image,
            .frame = i,
            .style = d->style,
        };
    }
    return MS_OK;
}

static bool same_style(const struct ms_show_style *a, const struct ms_show_style *b)
{
    return a->full_path == b->full_path && a->no_demangle == b->no_demangle &&
           a->demangle == b->demangle;
}

/* Makes the group's questions out of all frames that want a name. */
static enum ms_status deal(struct ms_group *g, struct ms_error *err)
{
    size_t n = 0;
    for (size_t r = 0; r < g->n; r++)
        for (size_t i = 0; i < g->requests[r].report->n_frames; i++)
            n += wants_name(g->requests[r].report, &g->requests[r].options,
                            &g->requests[r].report->frames[i]);
    g->questions = ms_arena_zeroed(&g->arena, n, sizeof *g->questions);
    if (!g->questions)
        return ms_fail_memory(err);
    uint32_t style = 0;
    for (size_t r = 0; r < g->n; r++) {
        const struct ms_symbolize_request *request = &g->requests[r];
        if (!same_style(&request->options.style, &g->requests[style].options.style))
            style = (uint32_t)r;
        struct dealt d = {
            .report = request->report,
            .options = &request->options,
            .out = &g->out[r],
            .places = ms_arena_zeroed(&g->arena, request->report->n_images, sizeof *d.places),
            .number = (uint32_t)r,
            .style = style,
        };
        enum ms_status status = d.places ? deal_report(g, &d, err) : ms_fail_memory(err);
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
}

/* ---- one report of a group --------------------------------------------------------------- */

static bool is_resolved(const struct ms_shown *shown)
{
    return shown->n_frames && shown->frames[shown->n_frames - 1].function;
}

/* Where nothing better was found, mangled names of the report's own become readable. */
static enum ms_status show_symbols(const struct ms_group *g, size_t r, struct ms_error *err)
{
    const struct ms_report *report = g->requests[r].report;
    const struct ms_symbolize_options *options = &g->requests[r].options;
    struct ms_show_style style = options->style;
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < report->n_frames && status == MS_OK; i++) {
        const struct ms_report_frame *frame = &report->frames[i];
        struct ms_shown *shown = &g->out[r].shown[i];
        if (!frame->has_name || frame->named || is_resolved(shown))
            continue;
        style.no_demangle = options->style.no_demangle || options->scope == MS_SCOPE_BARE ||
                            !in_chosen_thread(report, options, frame);
        status = ms_show_symbol(g->store->pool, frame->symbol, &style, shown, err);
    }
    return status;
}

static void count(const struct ms_symbolize_request *request, struct ms_symbolication *out)
{
    const struct ms_report *report = request->report;
    for (size_t i = 0; i < report->n_frames; i++) {
        const struct ms_report_frame *frame = &report->frames[i];
        const struct ms_shown *shown = &out->shown[i];
        if (!counts(frame) || !in_chosen_thread(report, &request->options, frame))
            continue;
        bool resolved = is_resolved(shown);
        bool kept = !resolved && frame->has_name;
        out->n_frames++;
        out->n_resolved += resolved;
        out->n_kept += kept;
        if (frame->image >= 0) {
            struct ms_image_outcome *image = &out->images[frame->image];
            image->n_frames++;
            image->n_resolved += resolved;
            image->n_kept += kept;
            image->n_asked += wants_name(report, &request->options, frame);
        }
    }
}

/* ---- memory of results --------------------------------------------------------------------- */

static void drop_store(struct ms_shown_store *store)
{
    if (store->n_results || store->kept)
        return;
    ms_show_pool_close(store->pool);
    ms_arena_fini(&store->faults);
    free(store);
}

void ms_symbolizer_drop_store(struct ms_symbolizer *symbolizer)
{
    struct ms_shown_store *store = symbolizer->store;
    symbolizer->store = NULL;
    if (!store)
        return;
    store->kept = false;
    drop_store(store);
}

/* The one with the names of the groups before, unless somebody still has results of theirs. */
static enum ms_status take_store(struct ms_symbolizer *symbolizer, struct ms_shown_store **out,
                                 struct ms_error *err)
{
    enum { NAMES_SHARE = 16 }; /* of the memory, for names that are kept */
    *out = symbolizer->store;
    if (*out && !(*out)->n_results)
        return MS_OK;
    ms_symbolizer_drop_store(symbolizer);
    struct ms_shown_store *store = calloc(1, sizeof *store);
    if (!store)
        return ms_fail_memory(err);
    enum ms_status status = ms_show_pool_open(&store->pool, err);
    if (status != MS_OK) {
        free(store);
        return status;
    }
    if (symbolizer->max_memory)
        ms_show_pool_set_max(store->pool, symbolizer->max_memory / NAMES_SHARE);
    ms_arena_init(&store->faults, 0);
    store->kept = true;
    *out = symbolizer->store = store;
    return MS_OK;
}

void ms_symbolication_fini(struct ms_symbolication *symbolication)
{
    struct ms_shown_store *store = symbolication->storage;
    free(symbolication->shown);
    free(symbolication->images);
    memset(symbolication, 0, sizeof *symbolication);
    if (!store || --store->n_results)
        return;
    ms_arena_fini(&store->faults);
    if (store->kept)
        ms_show_pool_clear(store->pool);
    drop_store(store);
}

static enum ms_status start_result(const struct ms_report *report, struct ms_shown_store *store,
                                   struct ms_symbolication *out, struct ms_error *err)
{
    out->storage = store;
    store->n_results++;
    out->shown = calloc(report->n_frames + 1, sizeof *out->shown);
    out->images = calloc(report->n_images + 1, sizeof *out->images);
    out->n_shown = report->n_frames;
    out->n_images = report->n_images;
    return out->shown && out->images ? MS_OK : ms_fail_memory(err);
}

/* ---- all of them ------------------------------------------------------------------------- */

static enum ms_status run(struct ms_group *g, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < g->n && status == MS_OK; i++)
        status = start_result(g->requests[i].report, g->store, &g->out[i], err);
    if (status == MS_OK)
        status = deal(g, err);
    if (status == MS_OK)
        status = ms_group_answer(g, err);
    for (size_t i = 0; i < g->n && status == MS_OK; i++) {
        status = show_symbols(g, i, err);
        /* Images that only kept frames lie in were never wanted. */
        count(&g->requests[i], &g->out[i]);
    }
    return status;
}

/* Looks a group up; *shared tells whether it shares the bound on names with anything else. */
static enum ms_status attempt(struct ms_symbolizer *symbolizer,
                              const struct ms_symbolize_request *requests, size_t n,
                              struct ms_symbolication *out, bool *shared, struct ms_error *err)
{
    struct ms_shown_store *store;
    *shared = n > 1;
    memset(out, 0, n * sizeof *out);
    enum ms_status status = take_store(symbolizer, &store, err);
    if (status != MS_OK)
        return status;
    *shared = *shared || store->used;
    store->used = true;
    struct ms_group group = {
        .symbolizer = symbolizer, .requests = requests, .out = out, .n = n, .store = store};
    ms_arena_init(&group.arena, 0);
    status = run(&group, err);
    ms_arena_fini(&group.arena);
    if (status == MS_OK && *shared && ms_show_pool_is_full(store->pool))
        status = ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET,
                         "the names of several reports are too long to be kept together");
    for (size_t i = 0; i < n && status != MS_OK; i++)
        ms_symbolication_fini(&out[i]);
    if (status == MS_E_NOMEM)
        ms_symbolizer_retry(symbolizer);
    return status;
}

enum ms_status ms_symbolize_reports(struct ms_symbolizer *symbolizer,
                                    const struct ms_symbolize_request *requests, size_t n,
                                    struct ms_symbolication *out, struct ms_error *err)
{
    bool shared;
    enum ms_status status = attempt(symbolizer, requests, n, out, &shared, err);
    if (n != 1 || !shared || (status != MS_E_NOMEM && status != MS_E_LIMIT))
        return status;
    ms_symbolizer_drop_store(
        symbolizer); /* names of earlier reports are in the way of this one's */
    return attempt(symbolizer, requests, n, out, &shared, err);
}

enum ms_status ms_symbolize_report(struct ms_symbolizer *symbolizer, const struct ms_report *report,
                                   const struct ms_symbolize_options *options,
                                   struct ms_symbolication *out, struct ms_error *err)
{
    struct ms_symbolize_request request = {report, *options};
    return ms_symbolize_reports(symbolizer, &request, 1, out, err);
}
