/*
 * How much an image keeps. Its files are mapped, and a batch of addresses goes through most units
 * of a large dSYM: all of its pages would be resident in the end, though each is read once. So they
 * are given back each time that a share of the bound has been gone through.
 */
#include "resolve/image.h"

/* What is gone through touches half as much again elsewhere: names, ranges, addresses. */
enum { SHARE = 8 };

void ms_image_set_max_memory(struct ms_image *image, size_t bytes)
{
    image->max_memory = bytes;
}

void ms_image_give_back(const struct ms_image *image)
{
    if (image->binary.file)
        ms_file_give_back(image->binary.file);
    if (image->debug.file)
        ms_file_give_back(image->debug.file);
}

/* By any thread: the one that comes to the share gives back, for all. */
static void went_through(void *owner, uint64_t bytes)
{
    struct ms_image *image = owner;
    uint64_t before = atomic_fetch_add(&image->n_through, bytes);
    if (before + bytes < image->max_memory / SHARE)
        return;
    atomic_store(&image->n_through, 0);
    ms_file_give_back(ms_image_dwarf_part(image)->file);
}

void ms_image_touched(struct ms_image *image, size_t n)
{
    if (image->max_memory && ms_image_dwarf_part(image)->file)
        went_through(image, (uint64_t)n * MS_TOUCH_BYTES);
}

/*
 * A batch goes through a unit once. Of a large dSYM the units would take more memory than all else
 * together; giving them back costs little more than at the end of the process.
 */
enum { LARGE_INFO = 32 << 20, LARGE_UNIT = 64 << 10 };

static void done_with(void *owner, struct ms_bytes unit)
{
    if (unit.n >= LARGE_UNIT)
        ms_file_give_back_part(owner, unit);
}

void ms_image_bound_reader(struct ms_image *image, struct ms_dwarf *dwarf)
{
    if (image->dwarf.sections.info.n >= LARGE_INFO)
        ms_dwarf_set_done(dwarf, done_with, ms_image_dwarf_part(image)->file);
    if (!image->max_memory)
        return;
    ms_dwarf_set_max_kept(dwarf, image->max_memory / 4);
    ms_dwarf_set_meter(dwarf, went_through, image);
}

void ms_image_bound_index(struct ms_image *image, struct ms_ready_index *index)
{
    if (image->max_memory)
        ms_ready_index_set_meter(index, went_through, image);
}

/* What was never read to its end was never part of an answer, so that nobody has strings of it. */
void ms_image_retry(struct ms_image *image)
{
    if (!image->starved)
        return;
    image->starved = false;
    if (image->symbols_ready == MS_FAILED) {
        ms_symbols_fini(&image->binary_symbols);
        ms_symbols_fini(&image->debug_symbols);
        image->symbols_ready = MS_NOT_YET;
    }
    if (image->runtime_ready == MS_FAILED)
        image->runtime_ready = MS_NOT_YET;
    if (!image->oso)
        image->oso_ready = MS_NOT_YET;
    if (image->dwarf_ready == MS_FAILED && image->dwarf_error.status == MS_E_NOMEM) {
        ms_dwarf_unload(&image->dwarf);
        image->dwarf_ready = MS_NOT_YET;
        image->index_ready = MS_NOT_YET;
    }
}
