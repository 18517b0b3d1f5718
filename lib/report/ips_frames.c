/* Images, threads and backtraces of a JSON crash report. */
#include "report/crash_text_frame.h"
#include "report/ips_parts.h"

#include "base/array.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- images ---------------------------------------------------------------------------- */

enum image_key { I_ARCH, I_BASE, I_NAME, I_PATH, I_SIZE, I_SOURCE, I_UUID, I_N_KEYS };
static const char *const image_keys[I_N_KEYS] = {"arch", "base",   "name", "path",
                                                 "size", "source", "uuid"};

static void read_image(struct ms_ips_reader *r, struct ms_json_value object)
{
    struct ms_json_value top[I_N_KEYS];
    struct ms_report_image *image = ms_builder_image(r->b);
    uint64_t base = 0, size = 0;
    ms_json_pick(r->in, object, image_keys, I_N_KEYS, top);
    bool has_base = ms_json_u64(r->in, top[I_BASE], &base) && !object.cut;
    struct ms_json_value uuid = ms_json_inside(top[I_UUID]);
    image->load_rt = base;
    if (ms_json_u64(r->in, top[I_SIZE], &size) && size &&
        ms_add_overflows(base, size, &image->end_rt))
        image->end_rt = 0;
    image->has_uuid = ms_uuid_parse((const char *)r->in.at + uuid.off, uuid.n, &image->uuid) &&
                      !ms_uuid_is_zero(&image->uuid);
    /* "A" is the absolute image: what lies in none. Its base is 0, and no file has it. */
    image->usable =
        has_base && !ms_json_says(r->in, top[I_SOURCE], "A") && (base != 0 || image->has_uuid);
    image->arch = ms_ips_copy(r->b, top[I_ARCH]);
    image->name = ms_ips_copy(r->b, top[I_NAME]);
    image->path = ms_ips_copy(r->b, top[I_PATH]);
}

void ms_ips_read_images(struct ms_ips_reader *r)
{
    struct ms_json_iter iter;
    struct ms_json_member element;
    if (r->top[MS_IPS_USED_IMAGES].kind != MS_JSON_ARRAY)
        return;
    ms_json_iter_open(&iter, r->in, r->top[MS_IPS_USED_IMAGES]);
    while (ms_json_iter_next(&iter, &element))
        read_image(r, element.value); /* a place each, whatever it is: frames speak of indices */
    if (iter.damaged)
        ms_builder_note(r->b, "usedImages is malformed after %zu images", r->b->n_images);
}

/* ---- frames ---------------------------------------------------------------------------- */

enum frame_key {
    F_IMAGE_INDEX,
    F_IMAGE_OFFSET,
    F_INLINE,
    F_SOURCE_FILE,
    F_SOURCE_LINE,
    F_SYMBOL,
    F_SYMBOL_LOCATION,
    F_N_KEYS
};
static const char *const frame_keys[F_N_KEYS] = {
    "imageIndex", "imageOffset", "inline", "sourceFile", "sourceLine", "symbol", "symbolLocation",
};

static const char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash && slash[1] ? slash + 1 : path;
}

static void read_symbol(struct ms_ips_reader *r, const struct ms_json_value *top,
                        struct ms_report_frame *frame)
{
    const char *symbol = ms_ips_copy(r->b, top[F_SYMBOL]);
    frame->symbol = symbol && *symbol ? symbol : NULL;
    frame->named = frame->symbol != NULL; /* the model judges its worth */
    frame->has_offset = frame->symbol && ms_json_u64(r->in, top[F_SYMBOL_LOCATION], &frame->offset);
    frame->file = base_name(ms_ips_copy(r->b, top[F_SOURCE_FILE]));
    if (!ms_json_index(r->in, top[F_SOURCE_LINE], &frame->line))
        frame->line = 0;
}

static void set_span(struct ms_report_frame *frame, struct ms_json_value value)
{
    frame->line_off = frame->rest_off = value.off;
    frame->line_bytes = frame->rest_bytes = value.n;
}

static void read_frame(struct ms_ips_reader *r, struct ms_json_value object,
                       enum ms_report_place place, uint32_t group, uint32_t index)
{
    struct ms_json_value top[F_N_KEYS];
    uint64_t offset = 0;
    uint32_t image = 0;
    if (object.kind != MS_JSON_OBJECT || object.cut)
        return;
    ms_json_pick(r->in, object, frame_keys, F_N_KEYS, top);
    struct ms_frame_item *item = ms_builder_frame(r->b, place, MS_FORM_OBJECT);
    bool has_image = ms_json_index(r->in, top[F_IMAGE_INDEX], &image) && image < r->b->n_images;
    bool has_offset = ms_json_u64(r->in, top[F_IMAGE_OFFSET], &offset);
    item->frame.group = group;
    item->frame.index = index;
    item->frame.inlined = ms_json_truth(r->in, top[F_INLINE]);
    item->frame.address_rt = offset; /* modulo 2^64, as the offset may be negative */
    item->hint.image_known = true;   /* by index; names repeat, and ranges may be unknown */
    if (has_image) {
        item->frame.address_rt += r->b->images[image].load_rt;
        if (has_offset && r->b->images[image].usable)
            item->frame.image = (int32_t)image;
        item->hint.image_name = r->b->images[image].name;
    }
    read_symbol(r, top, &item->frame);
    set_span(&item->frame, object);
}

/* ---- recursion ------------------------------------------------------------------------- */

/* Frames `hottest` to `coldest` of the stack were left out; those that follow keep the index
 * that they had. */
struct jump {
    uint32_t hottest, coldest;
};

struct jumps {
    struct jump *items;
    size_t n, room;
};

static int compare_jumps(const void *a, const void *b)
{
    const struct jump *x = a, *y = b;
    return x->hottest < y->hottest ? -1 : x->hottest > y->hottest;
}

static void read_jumps(struct ms_ips_reader *r, struct ms_json_value recursion, struct jumps *jumps)
{
    static const char *const keys[] = {"coldestElided", "hottestElided"};
    struct ms_json_value top[2];
    struct ms_json_iter iter;
    struct ms_json_member element;
    jumps->n = 0;
    ms_json_iter_open(&iter, r->in, recursion);
    while (ms_json_iter_next(&iter, &element)) {
        struct jump jump;
        ms_json_pick(r->in, element.value, keys, 2, top);
        if (!ms_json_index(r->in, top[0], &jump.coldest) ||
            !ms_json_index(r->in, top[1], &jump.hottest) || jump.coldest < jump.hottest)
            continue;
        if (!MS_PUSH(jumps->items, jumps->n, jumps->room, jump))
            r->b->failed = true;
    }
    if (jumps->n > 1)
        qsort(jumps->items, jumps->n, sizeof *jumps->items, compare_jumps);
}

static void read_key_frames(struct ms_ips_reader *r, struct ms_json_value recursion,
                            uint32_t thread)
{
    static const char *const keys[] = {"hottestElided", "keyFrame"};
    struct ms_json_value top[2];
    struct ms_json_iter iter;
    struct ms_json_member element;
    ms_json_iter_open(&iter, r->in, recursion);
    while (ms_json_iter_next(&iter, &element)) {
        uint32_t hottest = 0;
        ms_json_pick(r->in, element.value, keys, 2, top);
        if (!ms_json_index(r->in, top[0], &hottest))
            hottest = 0;
        read_frame(r, top[1], MS_PLACE_ELIDED, thread, hottest);
    }
}

static void read_backtrace(struct ms_ips_reader *r, struct ms_json_value frames,
                           enum ms_report_place place, uint32_t group, const struct jumps *jumps)
{
    struct ms_json_iter iter;
    struct ms_json_member element;
    uint32_t index = 0;
    size_t n_jumped = 0;
    if (frames.kind != MS_JSON_ARRAY)
        return;
    ms_json_iter_open(&iter, r->in, frames);
    while (ms_json_iter_next(&iter, &element)) {
        while (jumps && n_jumped < jumps->n && jumps->items[n_jumped].hottest <= index) {
            const struct jump *jump = &jumps->items[n_jumped++];
            index += jump->coldest - jump->hottest + 1;
        }
        read_frame(r, element.value, place, group, index++);
    }
    if (iter.damaged)
        ms_builder_note(r->b, "a backtrace is malformed after frame %u", index ? index - 1 : 0);
}

/* ---- registers ------------------------------------------------------------------------- */

/* Registers that never hold an address of code or data. */
static bool is_status_register(struct ms_bytes in, struct ms_json_value name)
{
    static const char *const names[] = {"cpsr", "cpu", "cs",     "err", "esr",
                                        "fs",   "gs",  "rflags", "trap"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ms_json_says(in, name, names[i]))
            return true;
    return false;
}

/* "lr", or "x8" of the ninth element of the array "x". */
static const char *register_name(struct ms_ips_reader *r, struct ms_json_value key, long element)
{
    const char *name = ms_ips_copy(r->b, key);
    if (!name || element < 0)
        return name;
    char text[40];
    int n = snprintf(text, sizeof text, "%.16s%ld", name, element);
    return ms_builder_copy(r->b, text, (size_t)n);
}

/* `element` is the place in an array of registers, -1 for one that stands alone. */
static void read_register(struct ms_ips_reader *r, struct ms_json_value object,
                          struct ms_json_value key, long element, uint32_t thread, uint32_t index)
{
    static const char *const keys[] = {"symbol", "symbolLocation", "value"};
    struct ms_json_value top[3];
    uint64_t value;
    if (object.kind != MS_JSON_OBJECT || object.cut)
        return;
    ms_json_pick(r->in, object, keys, 3, top);
    if (!ms_json_u64(r->in, top[2], &value) || value == 0)
        return;
    struct ms_frame_item *item = ms_builder_frame(r->b, MS_PLACE_REGISTER, MS_FORM_REGISTER);
    item->frame.group = thread;
    item->frame.index = index;
    item->frame.address_rt = value;
    const char *name = register_name(r, key, element);
    item->frame.reg = name;
    item->hint.kind = name && strcmp(name, "lr") == 0 ? MS_ADDRESS_RETURN : MS_ADDRESS_PC;
    const char *symbol = ms_ips_copy(r->b, top[0]);
    item->frame.symbol = symbol && *symbol ? symbol : NULL;
    item->frame.named = item->frame.symbol != NULL;
    item->frame.has_offset = item->frame.symbol && ms_json_u64(r->in, top[1], &item->frame.offset);
    set_span(&item->frame, object);
}

/* x[], r[] or a register by name; the model drops those that point into no image. */
static void read_state(struct ms_ips_reader *r, struct ms_json_value state, uint32_t thread)
{
    struct ms_json_iter iter, list;
    struct ms_json_member member, element;
    uint32_t index = 0;
    if (state.kind != MS_JSON_OBJECT)
        return;
    ms_json_iter_open(&iter, r->in, state);
    while (ms_json_iter_next(&iter, &member)) {
        if (member.value.kind == MS_JSON_ARRAY) {
            ms_json_iter_open(&list, r->in, member.value);
            for (long i = 0; ms_json_iter_next(&list, &element); i++)
                read_register(r, element.value, member.key, i, thread, index++);
        } else if (member.value.kind == MS_JSON_OBJECT && !is_status_register(r->in, member.key)) {
            read_register(r, member.value, member.key, -1, thread, index++);
        }
    }
}

/* ---- threads --------------------------------------------------------------------------- */

enum thread_key { T_FRAMES, T_NAME, T_QUEUE, T_RECURSION, T_STATE, T_TRIGGERED, T_N_KEYS };
static const char *const thread_keys[T_N_KEYS] = {
    "frames", "name", "queue", "recursionInfoArray", "threadState", "triggered",
};

static const char *text_or_null(const char *text)
{
    return text && *text ? text : NULL;
}

/* The members that hold frames, in the order in which they stand in the file, since the
 * frames of the model do. */
static void read_thread_frames(struct ms_ips_reader *r, const struct ms_json_value *top,
                               uint32_t number, struct jumps *jumps)
{
    enum thread_key order[] = {T_FRAMES, T_RECURSION, T_STATE};
    for (size_t i = 1; i < 3; i++)
        for (size_t j = i; j > 0 && top[order[j]].off < top[order[j - 1]].off; j--) {
            enum thread_key swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    read_jumps(r, top[T_RECURSION], jumps);
    for (size_t i = 0; i < 3; i++) {
        if (order[i] == T_FRAMES)
            read_backtrace(r, top[T_FRAMES], MS_PLACE_THREAD, number, jumps);
        else if (order[i] == T_RECURSION)
            read_key_frames(r, top[T_RECURSION], number);
        else
            read_state(r, top[T_STATE], number);
    }
}

static void read_thread(struct ms_ips_reader *r, struct ms_json_value object, uint32_t number,
                        struct jumps *jumps)
{
    struct ms_json_value top[T_N_KEYS];
    struct ms_report_thread *thread = ms_builder_thread(r->b);
    ms_json_pick(r->in, object, thread_keys, T_N_KEYS, top);
    thread->number = number; /* its place is its number; there is no key for it */
    thread->crashed = ms_json_truth(r->in, top[T_TRIGGERED]);
    thread->name = text_or_null(ms_ips_copy(r->b, top[T_NAME]));
    thread->queue = text_or_null(ms_ips_copy(r->b, top[T_QUEUE]));
    read_thread_frames(r, top, number, jumps);
}

/* faultingThread; without it the model takes the one that is `triggered`, and without that the
 * one that a watchdog or a resource limit points at. */
static void find_crashed(struct ms_ips_reader *r)
{
    struct ms_report_builder *b = r->b;
    struct ms_json_value highlighted =
        ms_json_get(r->in, r->top[MS_IPS_LEGACY_INFO], "threadHighlighted");
    uint32_t thread;
    if (ms_json_index(r->in, r->top[MS_IPS_FAULTING_THREAD], &thread) && thread < b->n_threads) {
        b->threads[thread].crashed = true;
        b->report.crashed_thread = (int32_t)thread;
        return;
    }
    for (size_t i = 0; i < b->n_threads; i++)
        if (b->threads[i].crashed)
            return;
    if (ms_json_index(r->in, highlighted, &thread) && thread < b->n_threads)
        b->report.crashed_thread = (int32_t)thread;
}

static void read_threads(struct ms_ips_reader *r)
{
    struct ms_json_iter iter;
    struct ms_json_member element;
    struct jumps jumps = {NULL, 0, 0};
    uint32_t number = 0;
    if (r->top[MS_IPS_THREADS].kind != MS_JSON_ARRAY)
        return;
    ms_json_iter_open(&iter, r->in, r->top[MS_IPS_THREADS]);
    while (ms_json_iter_next(&iter, &element))
        read_thread(r, element.value, number++, &jumps);
    if (iter.damaged)
        ms_builder_note(r->b, "threads is malformed after %u threads", number);
    free(jumps.items);
    find_crashed(r);
}

/* ---- asiBacktraces --------------------------------------------------------------------- */

static const char *copy_part(struct ms_ips_reader *r, size_t line, struct ms_line_part part)
{
    struct ms_text text;
    const char *copy = NULL;
    if (part.n == 0)
        return NULL;
    ms_text_init(&text, 3 * part.n + 1);
    ms_json_unescape(&text, r->in, line + part.at, part.n);
    if (text.failed)
        r->b->failed = true;
    else
        copy = ms_builder_copy(r->b, text.at ? text.at : "", text.n);
    ms_text_fini(&text);
    return copy;
}

/*
 * A line of a string, escapes and all. The parts that are cut out of it (digits, address)
 * have no escapes, or it is no line of backtrace_symbols and stays as it is. The name is
 * what dladdr makes of it, the nearest exported symbol and mangled: never worth keeping.
 */
static void read_line(struct ms_ips_reader *r, size_t off, size_t n, uint32_t group)
{
    struct ms_frame_line line;
    if (!ms_frame_line_parse((const char *)r->in.at + off, n, &line))
        return;
    struct ms_frame_item *item = ms_builder_frame(r->b, MS_PLACE_APP_SPECIFIC, MS_FORM_STRING);
    struct ms_report_frame *frame = &item->frame;
    frame->group = group;
    frame->index = line.index;
    frame->address_rt = line.address_rt;
    frame->inlined = line.rest.inlined;
    frame->symbol = copy_part(r, off + line.text.at, line.rest.symbol);
    frame->has_offset = line.rest.has_offset && frame->symbol;
    frame->offset = frame->has_offset ? line.rest.offset : 0;
    frame->file = copy_part(r, off + line.text.at, line.rest.file);
    frame->line = line.rest.line;
    frame->named = frame->symbol && frame->file; /* a file is not from libc: named before */
    frame->line_off = off;
    frame->line_bytes = n;
    frame->rest_off = off + line.text.at;
    frame->rest_bytes = line.text.n;
    item->hint.image_name = copy_part(r, off, line.image);
    item->hint.has_load = line.rest.has_load;
    item->hint.load_rt = line.rest.load_rt;
}

/* The end of the line that starts at `at`: an escaped or a raw line feed. */
static size_t string_line_end(struct ms_bytes in, size_t at, size_t end, size_t *next)
{
    size_t start = at;
    *next = end;
    for (; at < end; at++) {
        if (in.at[at] == '\n') {
            *next = at + 1;
            break;
        }
        if (in.at[at] == '\\' && at + 1 < end) {
            if (in.at[at + 1] == 'n') {
                *next = at + 2;
                break;
            }
            at++;
        }
    }
    if (at > end)
        at = end;
    if (at - start >= 2 && in.at[at - 2] == '\\' && in.at[at - 1] == 'r')
        at -= 2;
    return at;
}

static void read_string_backtrace(struct ms_ips_reader *r, struct ms_json_value string,
                                  uint32_t group)
{
    struct ms_json_value inside = ms_json_inside(string);
    size_t at = inside.off, end = inside.off + inside.n, next;
    while (at < end) {
        size_t stop = string_line_end(r->in, at, end, &next);
        read_line(r, at, stop - at, group);
        at = next;
    }
}

static void read_asi_backtraces(struct ms_ips_reader *r)
{
    struct ms_json_iter iter;
    struct ms_json_member element;
    uint32_t group = 0;
    struct ms_json_value value = r->top[MS_IPS_ASI_BACKTRACES];
    if (value.kind == MS_JSON_STRING)
        read_string_backtrace(r, value, 0);
    if (value.kind != MS_JSON_ARRAY)
        return;
    ms_json_iter_open(&iter, r->in, value);
    while (ms_json_iter_next(&iter, &element))
        read_string_backtrace(r, element.value, group++);
}

/* ---- all of them ----------------------------------------------------------------------- */

static void read_part(struct ms_ips_reader *r, enum ms_ips_key key)
{
    if (key == MS_IPS_THREADS)
        read_threads(r);
    else if (key == MS_IPS_LAST_EXCEPTION)
        read_backtrace(r, r->top[key], MS_PLACE_LAST_EXCEPTION, 0, NULL);
    else
        read_asi_backtraces(r);
}

void ms_ips_read_frames(struct ms_ips_reader *r)
{
    enum ms_ips_key order[] = {MS_IPS_ASI_BACKTRACES, MS_IPS_LAST_EXCEPTION, MS_IPS_THREADS};
    for (size_t i = 1; i < 3; i++)
        for (size_t j = i; j > 0 && r->top[order[j]].off < r->top[order[j - 1]].off; j--) {
            enum ms_ips_key swap = order[j];
            order[j] = order[j - 1];
            order[j - 1] = swap;
        }
    for (size_t i = 0; i < 3; i++)
        read_part(r, order[i]);
}
