/* Backtraces in the classic text: threads, recursion, the exception's. */
#include "render/frame_rest.h"
#include "render/ips_string.h"
#include "render/ips_text.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_BYTES = 1 << 16 }; /* so much is kept, not the text of a million frames */

/* ---- one frame ------------------------------------------------------------------------- */

enum frame_key { F_INDEX, F_OFFSET, F_INLINE, F_FILE, F_LINE, F_SYMBOL, F_LOCATION, F_N };
static const char *const frame_keys[F_N] = {
    "imageIndex", "imageOffset", "inline", "sourceFile", "sourceLine", "symbol", "symbolLocation",
};

/* A frame object, read again for what the text needs. */
struct frame {
    struct ms_json_value top[F_N];
    bool has_image; /* a real one, not the absolute image */
    uint32_t image;
    uint64_t base, offset;
    const char *symbol; /* readable, for the mangled one that it has; NULL */
};

static struct frame read_frame(const struct ms_ips_text *t, const struct ms_report_frame *model)
{
    struct frame frame;
    struct ms_json_value object = {MS_JSON_OBJECT, false, model->line_off, model->line_bytes};
    memset(&frame, 0, sizeof frame);
    frame.symbol = t->view->shown[model - t->view->report->frames].symbol;
    ms_json_pick(t->in, object, frame_keys, F_N, frame.top);
    ms_json_u64(t->in, frame.top[F_OFFSET], &frame.offset);
    if (ms_json_index(t->in, frame.top[F_INDEX], &frame.image) && frame.image < t->n_images) {
        const struct ms_report_image *image = &t->view->report->images[frame.image];
        frame.has_image = image->usable;
        frame.base = image->load_rt;
    }
    return frame;
}

/* Text of the model, which a report may have put control characters into. */
static void put_clean(struct ms_ips_text *t, const char *text)
{
    size_t from = t->out.n;
    ms_text_puts(&t->out, text);
    ms_text_plain_from(&t->out, from, false);
}

/* What the report itself has after the address. */
static void add_old_rest(struct ms_ips_text *t, const struct frame *frame)
{
    uint64_t number;
    ms_text_clear(&t->scratch);
    ms_json_add(&t->scratch, t->in, frame->top[F_SYMBOL]);
    if (t->scratch.n == 0) {
        if (frame->has_image)
            ms_ips_printf(t, "0x%" PRIx64 " + %" PRIu64, frame->base, frame->offset);
        else
            ms_ips_put(t, "???");
        return;
    }
    if (frame->symbol)
        put_clean(t, frame->symbol);
    else
        ms_ips_value(t, frame->top[F_SYMBOL], NULL);
    if (ms_json_u64(t->in, frame->top[F_LOCATION], &number))
        ms_ips_printf(t, " + %" PRIu64, number);
    if (ms_ips_has(frame->top[F_FILE]) && ms_json_u64(t->in, frame->top[F_LINE], &number) &&
        number) {
        ms_ips_put(t, " (");
        ms_ips_value(t, frame->top[F_FILE], NULL);
        ms_ips_printf(t, ":%" PRIu64 ")", number);
    }
    if (ms_json_truth(t->in, frame->top[F_INLINE]))
        ms_ips_put(t, " [inlined]");
}

/* "%-4d%-30s\t%18s " */
static void add_prefix(struct ms_ips_text *t, const struct frame *frame, unsigned width,
                       uint64_t index)
{
    char address[24];
    ms_ips_printf(t, "%-*" PRIu64, (int)width, index);
    size_t start = t->out.n;
    /* The model's: looking it up would mean a pass over the image's object for each frame. */
    const char *name = frame->has_image ? t->view->report->images[frame->image].name : NULL;
    put_clean(t, name ? name : "???");
    while (t->out.n - start < 30 && !t->out.failed)
        ms_text_putc(&t->out, ' ');
    snprintf(address, sizeof address, "0x%" PRIx64, frame->base + frame->offset);
    ms_ips_printf(t, "\t%18s ", address);
}

/* What follows the address with a shown frame put in; for one without a name, the old. */
static void add_shown_rest(struct ms_ips_text *t, const struct frame *frame, bool named,
                           const struct ms_shown_frame *shown, bool inlined)
{
    struct ms_text old;
    ms_text_init(&old, SIZE_MAX / 4);
    if (!shown->function) {
        size_t start = t->out.n;
        add_old_rest(t, frame);
        if (!t->out.failed) {
            ms_text_add(&old, t->out.at + start, t->out.n - start);
            t->out.n = start;
        }
    }
    struct ms_shown_frame what = *shown;
    if (!what.function && named)
        what.has_offset = false; /* the name that is there tells more than a function's start */
    ms_frame_rest_add(&t->out, &what, inlined, old.at ? old.at : "", old.n);
    t->out.failed |= old.failed;
    ms_text_fini(&old);
}

static void explain(struct ms_ips_text *t, size_t i, const struct ms_shown_frame *shown)
{
    const struct ms_report_frame *frame = &t->view->report->frames[i];
    if (!t->view->style->explain || (!shown && (frame->named || frame->inlined)))
        return;
    ms_frame_rest_explain(&t->out, shown, t->view->shown[i].why);
}

/* ---- a run of frames at one address ---------------------------------------------------- */

struct column {
    unsigned width; /* of the index */
    int64_t shift;  /* of the indices that follow, with the style `renumber` */
};

static void add_shown(struct ms_ips_text *t, struct column *column, size_t i, size_t last)
{
    const struct ms_report_frame *model = &t->view->report->frames[last];
    struct frame frame = read_frame(t, model);
    struct ms_shown shown = ms_ips_shown(t->view, last);
    bool renumber = t->view->style->renumber;
    if (renumber) /* the inlined frames that the report had are replaced */
        column->shift -= (int64_t)(last - i);
    for (size_t j = 0; j < shown.n_frames; j++) {
        bool inlined = j + 1 < shown.n_frames;
        add_prefix(t, &frame, column->width, (uint64_t)((int64_t)model->index + column->shift));
        add_shown_rest(t, &frame, model->named, &shown.frames[j], inlined);
        explain(t, last, &shown.frames[j]);
        ms_ips_put(t, "\n");
        column->shift += renumber && inlined;
    }
}

static void add_old(struct ms_ips_text *t, const struct column *column, size_t i, size_t last)
{
    for (; i <= last; i++) {
        const struct ms_report_frame *model = &t->view->report->frames[i];
        struct frame frame = read_frame(t, model);
        add_prefix(t, &frame, column->width, (uint64_t)((int64_t)model->index + column->shift));
        add_old_rest(t, &frame);
        explain(t, i, NULL);
        ms_ips_put(t, "\n");
    }
}

/* Writes the frames that belong together from frame i on; returns the last of them. */
static size_t add_run(struct ms_ips_text *t, struct column *column, size_t i)
{
    bool has_real;
    size_t last = ms_ips_run_end(t->view->report, i, &has_real);
    const struct ms_shown *shown = &t->view->shown[last];
    if (!has_real || shown->n_frames == 0) {
        add_old(t, column, i, last);
        return last;
    }
    if (!shown->frames[shown->n_frames - 1].function && i < last) {
        add_old(t, column, i, last - 1); /* nothing better is known of them */
        i = last;
    }
    add_shown(t, column, i, last);
    return last;
}

/* ---- recursion ------------------------------------------------------------------------- */

/*
 * Apple leaves out the middle of a deep recursion and marks the rest: a line after each frame
 * at the recursive call (the key frame), counting down from the depth, and one for what is
 * left out:
 *
 *   -------- RECURSION LEVEL 8
 *   --------
 *   -------- ELIDED 4 LEVELS OF RECURSION THROUGH 0x1c4794e18 update(_:) + 352
 *   --------
 */
struct recursion {
    uint32_t hottest, coldest;
    bool has_key, has_depth;
    size_t key;     /* the key frame, into the report's frames */
    uint64_t level; /* of the next key frame */
};

struct recursions {
    struct recursion *items;
    size_t n, room;
    size_t current; /* whose key frames are looked for */
    size_t next;    /* that is still to be marked as left out */
};

static int compare_recursions(const void *a, const void *b)
{
    const struct recursion *x = a, *y = b;
    return x->hottest < y->hottest ? -1 : x->hottest > y->hottest;
}

/* The key frame that stands at `off`; they are in the order of the file. */
static bool find_key(const struct ms_ips_text *t, size_t off, size_t *found)
{
    const struct ms_report *report = t->view->report;
    size_t low = 0, high = report->n_frames;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (report->frames[middle].line_off < off)
            low = middle + 1;
        else
            high = middle;
    }
    *found = low;
    return low < report->n_frames && report->frames[low].line_off == off &&
           report->frames[low].place == MS_PLACE_ELIDED;
}

static void read_recursions(struct ms_ips_text *t, struct ms_json_value info,
                            struct recursions *all)
{
    static const char *const keys[] = {"coldestElided", "depth", "hottestElided", "keyFrame"};
    struct ms_json_value top[4];
    struct ms_json_iter iter;
    struct ms_json_member element;
    ms_json_iter_open(&iter, t->in, info);
    while (ms_json_iter_next(&iter, &element)) {
        struct recursion one;
        memset(&one, 0, sizeof one);
        ms_json_pick(t->in, element.value, keys, 4, top);
        if (!ms_json_index(t->in, top[0], &one.coldest) ||
            !ms_json_index(t->in, top[2], &one.hottest) || one.coldest < one.hottest)
            continue;
        one.has_depth = ms_json_u64(t->in, top[1], &one.level);
        one.has_key = find_key(t, top[3].off, &one.key);
        if (!MS_PUSH(all->items, all->n, all->room, one))
            t->out.failed = true;
    }
    if (all->n > 1)
        qsort(all->items, all->n, sizeof *all->items, compare_recursions);
}

static bool is_key(const struct ms_ips_text *t, const struct recursion *one,
                   const struct ms_report_frame *frame)
{
    return one->has_key && !frame->inlined &&
           frame->address_rt == t->view->report->frames[one->key].address_rt;
}

/* How often the key frame follows before the next recursion's gap. */
static uint64_t count_keys(const struct ms_ips_text *t, const struct recursion *one, size_t i,
                           size_t end, uint64_t stop)
{
    const struct ms_report_frame *frames = t->view->report->frames;
    uint64_t n = 0;
    for (; i < end && frames[i].index < stop; i++)
        n += is_key(t, one, &frames[i]);
    return n;
}

static void add_elided(struct ms_ips_text *t, struct recursions *all, size_t i, size_t end)
{
    struct recursion *one = &all->items[all->next];
    uint64_t stop = all->next + 1 < all->n ? all->items[all->next + 1].hottest : UINT64_MAX;
    uint64_t left = count_keys(t, one, i, end, stop);
    uint64_t elided = (uint64_t)one->coldest - one->hottest + 1;
    if (one->has_depth)
        elided = one->level > left ? one->level - left : 0;
    ms_ips_printf(t, "--------\n-------- ELIDED %" PRIu64 " LEVELS OF RECURSION THROUGH ", elided);
    if (one->has_key) {
        const struct ms_report_frame *model = &t->view->report->frames[one->key];
        struct frame frame = read_frame(t, model);
        struct ms_shown shown = ms_ips_shown(t->view, one->key);
        ms_ips_printf(t, "0x%" PRIx64 " ", frame.base + frame.offset);
        if (shown.n_frames)
            add_shown_rest(t, &frame, model->named, &shown.frames[shown.n_frames - 1], false);
        else
            add_old_rest(t, &frame);
    } else
        ms_ips_put(t, "???");
    ms_ips_put(t, "\n--------\n");
    if (one->has_depth)
        one->level = left;
    all->current = all->next++;
}

/* After a frame: the level, when it is a key frame. */
static void add_level(struct ms_ips_text *t, struct recursions *all,
                      const struct ms_report_frame *frame)
{
    for (size_t k = all->current; k < all->n && k <= all->next; k++) {
        struct recursion *one = &all->items[k];
        if (one->has_depth && one->level && is_key(t, one, frame)) {
            ms_ips_printf(t, "-------- RECURSION LEVEL %" PRIu64 "\n", one->level--);
            return;
        }
    }
}

/* ---- threads --------------------------------------------------------------------------- */

/* Four, or as many more as keep a blank behind the largest index. */
static unsigned index_width(uint64_t largest)
{
    unsigned width = 4;
    for (uint64_t rest = largest / 1000; rest; rest /= 10)
        width++;
    return width;
}

static void add_frames(struct ms_ips_text *t, const struct ms_report_thread *thread,
                       struct ms_json_value object)
{
    static const char *const keys[] = {"originalLength", "recursionInfoArray"};
    struct ms_json_value top[2];
    struct recursions all;
    const struct ms_report_frame *frames = t->view->report->frames;
    ms_json_pick(t->in, object, keys, 2, top);
    uint64_t largest = thread->n_frames;
    ms_json_u64(t->in, top[0], &largest); /* left as it is where there is none */
    if (largest < thread->n_frames)
        largest = thread->n_frames;
    struct column column = {index_width(largest), 0};
    memset(&all, 0, sizeof all);
    read_recursions(t, top[1], &all);
    size_t i = thread->first_frame, end = i + thread->n_frames;
    for (; i < end && !t->out.failed; i++) {
        while (all.next < all.n && all.items[all.next].hottest < frames[i].index)
            add_elided(t, &all, i, end);
        i = add_run(t, &column, i);
        add_level(t, &all, &frames[i]);
        ms_ips_flush(t, FLUSH_BYTES);
    }
    free(all.items);
}

static void add_names(struct ms_ips_text *t, const struct ms_report_thread *thread)
{
    if (thread->name)
        put_clean(t, thread->name);
    if (thread->queue) {
        ms_ips_put(t, " Dispatch queue: ");
        put_clean(t, thread->queue);
    }
}

static void add_thread(struct ms_ips_text *t, const struct ms_report_thread *thread,
                       struct ms_json_value object)
{
    const char *crashed = thread->crashed ? " Crashed" : "";
    bool has_names = thread->name || thread->queue;
    if (t->embedded && has_names) {
        ms_ips_printf(t, "Thread %" PRIu32 " name:  ", thread->number);
        add_names(t, thread);
        ms_ips_put(t, "\n");
    }
    ms_ips_printf(t, "Thread %" PRIu32 "%s:", thread->number, crashed);
    if (!t->embedded && has_names) {
        ms_ips_put(t, ": ");
        add_names(t, thread);
    }
    ms_ips_put(t, "\n");
    add_frames(t, thread, object);
    ms_ips_put(t, "\n");
}

void ms_ips_text_threads(struct ms_ips_text *t)
{
    const struct ms_report *report = t->view->report;
    struct ms_json_iter iter;
    struct ms_json_member element;
    ms_json_iter_open(&iter, t->in, t->top[K_THREADS]);
    for (size_t i = 0; i < report->n_threads && ms_json_iter_next(&iter, &element); i++)
        add_thread(t, &report->threads[i], element.value);
    if (report->n_threads == 0)
        ms_ips_put(t, "Backtrace not available\n");
    ms_ips_put(t, "\n");
}

/* ---- backtraces of an exception -------------------------------------------------------- */

void ms_ips_text_last_exception(struct ms_ips_text *t)
{
    const struct ms_report *report = t->view->report;
    struct column column = {4, 0};
    bool any = false;
    size_t n = 0;
    for (size_t i = 0; i < report->n_frames; i++)
        n += report->frames[i].place == MS_PLACE_LAST_EXCEPTION;
    column.width = index_width(n);
    for (size_t i = 0; i < report->n_frames && !t->out.failed; i++) {
        if (report->frames[i].place != MS_PLACE_LAST_EXCEPTION)
            continue;
        if (!any)
            ms_ips_put(t, "Last Exception Backtrace:\n");
        any = true;
        i = add_run(t, &column, i);
        ms_ips_flush(t, FLUSH_BYTES);
    }
    if (any)
        ms_ips_put(t, "\n");
}

/* One string, whose frames start at frame *i of the report. */
static void add_string(struct ms_ips_text *t, struct ms_ips_strings *strings,
                       struct ms_json_value string, size_t *i)
{
    const struct ms_report *report = t->view->report;
    struct ms_json_value inside = ms_json_inside(string);
    size_t at = inside.off, end = inside.off + inside.n, start = t->out.n;
    while (*i < report->n_frames && !t->out.failed) {
        const struct ms_report_frame *frame = &report->frames[*i];
        bool has_real;
        if (frame->form != MS_FORM_STRING || frame->line_off >= end)
            break;
        size_t last = ms_ips_run_end(report, *i, &has_real);
        ms_json_unescape(&t->out, t->in, at, frame->line_off - at);
        ms_ips_strings_add(strings, &t->out, *i, last, has_real);
        at = ms_ips_line_end(&report->frames[last]);
        *i = last + 1;
    }
    ms_json_unescape(&t->out, t->in, at, end - at);
    ms_text_plain_from(&t->out, start, true); /* none may forge a report or move the cursor */
    ms_ips_put(t, "\n");
}

void ms_ips_text_asi_backtraces(struct ms_ips_text *t)
{
    const struct ms_report *report = t->view->report;
    struct ms_ips_strings strings;
    struct ms_json_value value = t->top[K_ASI_BACKTRACES];
    struct ms_json_iter iter;
    struct ms_json_member element = {{0}, {0}};
    size_t i = 0, n = 0;
    bool alone = value.kind == MS_JSON_STRING;
    while (i < report->n_frames && report->frames[i].form != MS_FORM_STRING)
        i++;
    ms_ips_strings_init(&strings, t->view, false, (struct ms_ips_quoting){false});
    ms_json_iter_open(&iter, t->in, value);
    element.value = value;
    while (alone || ms_json_iter_next(&iter, &element)) {
        ms_ips_printf(t, "Application Specific Backtrace %zu:\n", n++);
        add_string(t, &strings, element.value, &i);
        if (alone)
            break;
    }
    ms_ips_put(t, "\n\n");
    ms_ips_strings_fini(&strings);
}
