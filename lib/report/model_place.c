#include "report/model_place.h"

#include "base/array.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

/*
 * The images of a report as disjoint ranges. Ranges of images may overlap (dyld's shared
 * __LINKEDIT, images that a tool has listed twice); where they do, the one that starts last
 * holds the address. Written once by `build`, sorted by `start`.
 */
struct range {
    uint64_t start, end; /* [start, end) */
    int32_t image;
};

/* A load address that an image has or a frame speaks of; image -1: no image has it (yet). */
struct load_slot {
    uint64_t load;
    int32_t image;
};

struct image_index {
    struct range *ranges;
    size_t n_ranges, ranges_room;
    int32_t *by_load; /* usable images, by load address */
    size_t n_by_load;
    struct load_slot *slots; /* every load address that occurs, once, sorted */
    size_t n_slots;
};

/* How far above the load address of an image without an end its code may reasonably lie. */
#define OPEN_END ((uint64_t)1 << 28)

/* ---- ranges -------------------------------------------------------------------------- */

struct sorter {
    uint64_t load, end;
    int32_t image;
};

/* By load address; of those with the same one the larger first and then the later first, so
 * that the smaller and the one the report lists first lie on top. */
static int compare_loads(const void *a, const void *b)
{
    const struct sorter *x = a, *y = b;
    if (x->load != y->load)
        return x->load < y->load ? -1 : 1;
    if (x->end != y->end)
        return x->end > y->end ? -1 : 1;
    return x->image > y->image ? -1 : x->image < y->image;
}

static bool add_range(struct image_index *index, uint64_t start, uint64_t end, int32_t image)
{
    struct range range = {start, end, image};
    return start >= end || MS_PUSH(index->ranges, index->n_ranges, index->ranges_room, range);
}

/*
 * Sweeps over the images in the order of their load addresses. `open` is the stack of those
 * that hold the position `at`, the innermost on top; one that ends takes all below it that
 * have ended too along.
 */
static bool cut_ranges(struct image_index *index, const struct sorter *sorted, size_t n,
                       struct sorter *open)
{
    size_t n_open = 0;
    uint64_t at = 0;
    for (size_t i = 0; i <= n; i++) {
        uint64_t next = i < n ? sorted[i].load : UINT64_MAX;
        while (n_open && open[n_open - 1].end <= next) {
            struct sorter top = open[--n_open];
            if (top.end <= at)
                continue;
            if (!add_range(index, at, top.end, top.image))
                return false;
            at = top.end;
        }
        if (n_open && !add_range(index, at, next, open[n_open - 1].image))
            return false;
        at = next;
        if (i < n && sorted[i].end > sorted[i].load)
            open[n_open++] = sorted[i];
    }
    return true;
}

static bool build_ranges(struct image_index *index, const struct ms_report_builder *b)
{
    size_t n = 0;
    struct sorter *sorted = calloc(b->n_images + 1, sizeof *sorted);
    struct sorter *open = calloc(b->n_images + 1, sizeof *open);
    index->by_load = calloc(b->n_images + 1, sizeof *index->by_load);
    bool done = sorted && open && index->by_load;
    for (size_t i = 0; done && i < b->n_images; i++) {
        const struct ms_report_image *image = &b->images[i];
        if (image->usable)
            sorted[n++] = (struct sorter){image->load_rt, image->end_rt, (int32_t)i};
    }
    if (done && n) {
        qsort(sorted, n, sizeof *sorted, compare_loads);
        for (size_t i = 0; i < n; i++)
            index->by_load[i] = sorted[i].image;
        index->n_by_load = n;
        done = cut_ranges(index, sorted, n, open);
    }
    free(sorted);
    free(open);
    return done;
}

/* ---- load addresses ------------------------------------------------------------------ */

/* Of equal load addresses the report's own images come first, in their order. */
static int compare_slots(const void *a, const void *b)
{
    const struct load_slot *x = a, *y = b;
    if (x->load != y->load)
        return x->load < y->load ? -1 : 1;
    uint32_t i = (uint32_t)x->image, j = (uint32_t)y->image; /* -1 is the largest */
    return i < j ? -1 : i > j;
}

static bool build_slots(struct image_index *index, const struct ms_report_builder *b)
{
    size_t n = 0;
    struct load_slot *slots = calloc(b->n_images + b->n_frames + 1, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < b->n_images; i++)
        if (b->images[i].usable)
            slots[n++] = (struct load_slot){b->images[i].load_rt, (int32_t)i};
    for (size_t i = 0; i < b->n_frames; i++)
        if (b->frames[i].hint.has_load)
            slots[n++] = (struct load_slot){b->frames[i].hint.load_rt, -1};
    qsort(slots, n, sizeof *slots, compare_slots);
    size_t n_kept = 0;
    for (size_t i = 0; i < n; i++)
        if (n_kept == 0 || slots[i].load != slots[n_kept - 1].load)
            slots[n_kept++] = slots[i];
    index->slots = slots;
    index->n_slots = n_kept;
    return true;
}

/* The slot of a load address that an image or a frame has. */
static struct load_slot *slot_of(const struct image_index *index, uint64_t load)
{
    size_t low = 0, high = index->n_slots - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->slots[middle].load < load)
            low = middle + 1;
        else
            high = middle;
    }
    return &index->slots[low];
}

static bool index_build(struct image_index *index, const struct ms_report_builder *b)
{
    memset(index, 0, sizeof *index);
    return build_slots(index, b) && build_ranges(index, b);
}

static void index_fini(struct image_index *index)
{
    free(index->ranges);
    free(index->by_load);
    free(index->slots);
}

/* ---- finding ------------------------------------------------------------------------- */

/* The image with a known end that holds the address, or -1. */
static int32_t image_by_range(const struct image_index *index, uint64_t address)
{
    size_t low = 0, high = index->n_ranges; /* the first range that starts above it */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->ranges[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || index->ranges[low - 1].end <= address)
        return -1;
    return index->ranges[low - 1].image;
}

/* The usable image with the largest load address that isn't above the address, or -1. */
static int32_t image_below(const struct image_index *index, const struct ms_report_builder *b,
                           uint64_t address)
{
    size_t low = 0, high = index->n_by_load;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->images[index->by_load[middle]].load_rt <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? index->by_load[low - 1] : -1;
}

static bool names_image(const struct ms_report_builder *b, const char *name, int32_t image)
{
    return name && ms_image_name_fits(name, b->images[image].name, b->images[image].path);
}

/*
 * For an address in no range: the image below it, if the frame calls it by that name (ends
 * are those of __TEXT on recent systems, and code may lie outside it) or if its end is not
 * known and the frame doesn't name another.
 */
static int32_t image_by_name(const struct image_index *index, const struct ms_report_builder *b,
                             const struct ms_frame_hint *hint, uint64_t address)
{
    int32_t below = image_below(index, b, address);
    if (below < 0 || names_image(b, hint->image_name, below))
        return below;
    const struct ms_report_image *image = &b->images[below];
    bool open = image->end_rt == 0 && address - image->load_rt < OPEN_END;
    return open && !hint->image_name ? below : -1;
}

/* For a frame that says "0xLOAD + OFF" of an image that the report does not list. */
static int32_t add_image(struct ms_report_builder *b, const struct ms_frame_hint *hint)
{
    struct ms_report_image *image = ms_builder_image(b);
    image->load_rt = hint->load_rt;
    image->usable = true;
    if (hint->image_name && strlen(hint->image_name) <= MS_MAX_IMAGE_NAME)
        image->name = hint->image_name;
    return b->failed ? -1 : (int32_t)(b->n_images - 1);
}

static int32_t image_of(const struct image_index *index, struct ms_report_builder *b,
                        const struct ms_frame_item *item, uint64_t address)
{
    const struct ms_frame_hint *hint = &item->hint;
    int32_t found = image_by_range(index, address);
    if (item->frame.place == MS_PLACE_REGISTER)
        return found;
    if (!hint->has_load)
        return found >= 0 ? found : image_by_name(index, b, hint, address);
    struct load_slot *slot = slot_of(index, hint->load_rt);
    /* Its own line is closer to the frame than the list; where they contradict each other, an
     * image without UUID is honest and a name out of another image's symbols is not. */
    if (slot->image < 0) {
        if (found >= 0 && names_image(b, hint->image_name, found))
            return found;
        slot->image = add_image(b, hint);
    }
    return slot->image;
}

/* ---- addresses ----------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *start)
{
    return text && strncmp(text, start, strlen(start)) == 0;
}

/*
 * Readers set arm64 or arm32 where a thread state tells; else the header and the images do. Some
 * tools write "ARM" for both.
 */
static void find_processor(struct ms_report_builder *b)
{
    const char *code = b->report.code_type;
    bool arm_code = starts_with(code, "ARM") || starts_with(code, "arm");
    bool image64 = false, image32 = false;
    if (b->arm64 || b->arm32 || (code && !arm_code))
        return;
    for (size_t i = 0; i < b->n_images; i++) {
        image64 |= starts_with(b->images[i].arch, "arm64");
        image32 |= starts_with(b->images[i].arch, "armv");
    }
    b->arm64 = (arm_code && strstr(code, "64")) || (image64 && !image32);
    b->arm32 = !b->arm64 && (arm_code || image32);
}

/*
 * Removes pointer authentication bits and tags. What is left of an address is believed only if
 * it lies in an image: user space has 39 bits, on some systems 47, and in an address of the
 * kernel (bit 55 set) the bits above are ones.
 */
static uint64_t strip(const struct image_index *index, uint64_t address)
{
    const uint64_t low[2] = {((uint64_t)1 << 39) - 1, ((uint64_t)1 << 47) - 1};
    if (address <= low[0] || image_by_range(index, address) >= 0)
        return address;
    bool kernel = address >> 55 & 1;
    for (int i = 0; i < 2; i++) {
        uint64_t stripped = kernel ? address | ~low[i] : address & low[i];
        if (image_by_range(index, stripped) >= 0)
            return stripped;
    }
    return address;
}

/* Whether the frame is a return address, by its place; `before` is the frame before it. */
static bool is_return(const struct ms_frame_item *item, const struct ms_frame_item *before,
                      bool before_is_return)
{
    if (item->hint.kind != MS_ADDRESS_BY_PLACE)
        return item->hint.kind == MS_ADDRESS_RETURN;
    if (item->frame.place == MS_PLACE_REGISTER)
        return false;
    if (item->frame.place != MS_PLACE_THREAD)
        return true;
    if (!before)
        return item->frame.index != 0;
    if (before->frame.inlined && before->frame.address_rt == item->frame.address_rt)
        return before_is_return; /* inlined frames and their function share one address */
    return !ms_symbol_is_trampoline(before->frame.symbol);
}

/* ---- all frames ---------------------------------------------------------------------- */

static void judge_name(const struct ms_report_builder *b, struct ms_frame_item *item)
{
    struct ms_report_frame *frame = &item->frame;
    frame->has_name = ms_symbol_is_name(frame->symbol, item->hint.image_name);
    if (frame->has_name && frame->image >= 0) {
        const struct ms_report_image *image = &b->images[frame->image];
        const char *slash = image->path ? strrchr(image->path, '/') : NULL;
        frame->has_name = ms_symbol_is_name(frame->symbol, image->name) &&
                          (!slash || ms_symbol_is_name(frame->symbol, slash + 1));
    }
    /* A reader has cleared it for a name that it knows to say little. */
    frame->named = frame->named && frame->has_name && ms_symbol_is_kept(frame->symbol, NULL);
}

/* The frame of the same thread that stands before frame i, passing over others' places. */
static const struct ms_frame_item *frame_before(const struct ms_report_builder *b, size_t i)
{
    const struct ms_report_frame *frame = &b->frames[i].frame;
    if (frame->place != MS_PLACE_THREAD || i == 0)
        return NULL;
    const struct ms_frame_item *before = &b->frames[i - 1];
    bool same =
        (before->frame.place == MS_PLACE_THREAD || before->frame.place == MS_PLACE_ELIDED) &&
        before->frame.group == frame->group;
    return same ? before : NULL;
}

static void place_frame(const struct image_index *index, struct ms_report_builder *b, size_t i,
                        bool *was_return)
{
    struct ms_frame_item *item = &b->frames[i];
    struct ms_report_frame *frame = &item->frame;
    if (b->arm64)
        frame->address_rt = strip(index, frame->address_rt);
    else if (b->arm32)
        frame->address_rt &= ~(uint64_t)1; /* the Thumb bit */
    bool back = is_return(item, frame_before(b, i), *was_return);
    *was_return = back;
    frame->lookup_rt = frame->address_rt - (back && frame->address_rt ? 1 : 0);
    if (!item->hint.image_known)
        frame->image = image_of(index, b, item, frame->lookup_rt);
    judge_name(b, item);
}

/* Registers that point into no image are no frames; the threads' ranges are counted anew. */
static void drop_registers(struct ms_report_builder *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n_threads; i++)
        b->threads[i].first_frame = b->threads[i].n_frames = 0;
    for (size_t i = 0; i < b->n_frames; i++) {
        const struct ms_report_frame *frame = &b->frames[i].frame;
        if (frame->place == MS_PLACE_REGISTER && frame->image < 0)
            continue;
        if (frame->place == MS_PLACE_THREAD && frame->group < b->n_threads) {
            struct ms_report_thread *thread = &b->threads[frame->group];
            if (thread->n_frames == 0)
                thread->first_frame = (uint32_t)n;
            thread->n_frames = (uint32_t)n - thread->first_frame + 1;
        }
        b->frames[n++] = b->frames[i];
    }
    b->n_frames = n;
}

/*
 * An image's name is compared with each frame's and printed with each: a name of megabytes in a
 * report of a hundred thousand frames would cost terabytes. No file has such a name.
 */
static void drop_long_names(struct ms_report_builder *b)
{
    for (size_t i = 0; i < b->n_images; i++) {
        struct ms_report_image *image = &b->images[i];
        size_t n_name = image->name ? strlen(image->name) : 0;
        size_t n_path = image->path ? strlen(image->path) : 0;
        if (n_name > MS_MAX_IMAGE_NAME)
            image->name = NULL;
        if (n_path > MS_MAX_PATH)
            image->path = NULL;
        if (n_name > MS_MAX_IMAGE_NAME || n_path > MS_MAX_PATH)
            ms_builder_note(b, "the image at 0x%llx has a name of %zu bytes, which is passed over",
                            (unsigned long long)image->load_rt,
                            n_path > n_name ? n_path : n_name);
    }
}

void ms_builder_place(struct ms_report_builder *b)
{
    struct image_index index;
    bool was_return = true;
    drop_long_names(b);
    find_processor(b);
    if (!index_build(&index, b))
        b->failed = true;
    for (size_t i = 0; i < b->n_frames && !b->failed; i++)
        place_frame(&index, b, i, &was_return);
    drop_registers(b);
    index_fini(&index);
}
