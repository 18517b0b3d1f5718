/* The lazy half of an image: its DWARF reader and its symbol tables. */
#include "resolve/image.h"

#include "base/sort.h"
#include "dwarf/scan.h"
#include "resolve/symbol_hints.h"

#include <stdlib.h>

/* Lets the engine ask for names: of its own file's symbols, or the binary's where it has none. */
static void offer_names(const struct ms_image *image, const struct ms_part *part)
{
    const struct ms_macho *macho =
        part->macho.n_nlist || !image->binary.file ? &part->macho : &image->binary.macho;
    const struct ms_dwarf_hinter hinter = {.owner = (void *)(uintptr_t)macho,
                                           .cost = ms_symbol_hints_cost(macho),
                                           .ask = ms_symbol_hints};
    /* Tables of names are read here and there: within a bound, units one after the other are less. */
    if (macho->n_nlist && !image->max_memory)
        ms_dwarf_set_hinter(image->dwarf.reader, &hinter);
}

static enum ms_status open_dwarf(struct ms_image *image, struct ms_error *err)
{
    const struct ms_part *part = ms_image_dwarf_part(image);
    if (!ms_part_has_dwarf(part))
        return MS_ABSENT;
    enum ms_status status = ms_dwarf_load(&part->macho, &image->dwarf, err);
    if (status == MS_OK && image->n_workers)
        ms_dwarf_set_workers(image->dwarf.reader, image->n_workers);
    if (status == MS_OK)
        offer_names(image, part);
    if (status == MS_OK)
        ms_image_bound_reader(image, image->dwarf.reader);
    return status;
}

struct ms_dwarf *ms_image_dwarf(struct ms_image *image)
{
    if (image->dwarf_ready == MS_NOT_YET) {
        enum ms_status status = open_dwarf(image, &image->dwarf_error);
        image->dwarf_ready = status == MS_OK || status == MS_ABSENT ? MS_READY : MS_FAILED;
        image->starved |= status == MS_E_NOMEM;
    }
    return image->dwarf.reader;
}

struct ms_ready_index *ms_image_index(struct ms_image *image)
{
    if (image->index_ready == MS_NOT_YET) {
        enum ms_status status =
            ms_ready_index_open(ms_image_dwarf_part(image), &image->index, &image->dwarf_error);
        image->index_ready = MS_READY;
        if (image->index)
            ms_image_bound_index(image, image->index);
        image->starved |= status == MS_E_NOMEM;
        if (status != MS_OK && status != MS_ABSENT)
            image->dwarf_ready = MS_FAILED;
    }
    return image->index;
}

struct ms_oso *ms_image_oso(struct ms_image *image)
{
    if (image->oso_ready == MS_NOT_YET && image->binary.file) {
        enum ms_status status = ms_oso_open(&image->binary.macho, &image->binary_names,
                                            &image->search, &image->oso, NULL);
        if (image->oso && image->max_memory)
            ms_oso_set_max_kept(image->oso, image->max_memory / 4);
        image->oso_ready = MS_READY;
        image->starved |= status == MS_E_NOMEM;
    }
    return image->oso;
}

void ms_image_read_symbols(struct ms_image *image)
{
    if (image->symbols_ready != MS_NOT_YET)
        return;
    /* Damage of a table leaves what could be read. */
    bool read = (!image->binary.file ||
                 ms_symbols_read(&image->binary.macho, &image->binary_symbols, NULL) == MS_OK) &&
                (!image->debug.file ||
                 ms_symbols_read(&image->debug.macho, &image->debug_symbols, NULL) == MS_OK);
    image->symbols_ready = read ? MS_READY : MS_FAILED;
    image->starved |= !read;
}

void ms_image_expect_symbols(struct ms_image *image, uint64_t *addresses, size_t n)
{
    enum { N_SOME = sizeof image->some / sizeof *image->some, TOO_MANY = 4 };
    uint64_t *scratch = n ? malloc(n * sizeof *scratch) : NULL;
    uint32_t n_symbols = (image->binary.file ? image->binary.macho.n_nlist : 0) +
                         (image->debug.file ? image->debug.macho.n_nlist : 0);
    /* From the next batch on, or for so many, a whole table is quicker. */
    if (n < 2 || image->symbols_ready != MS_NOT_YET || image->n_some == N_SOME ||
        n > n_symbols / TOO_MANY || !scratch) {
        free(scratch);
        free(addresses);
        return;
    }
    ms_sort_u64(addresses, scratch, n);
    free(scratch);
    n = ms_unique_u64(addresses, n);
    struct ms_some_symbols *some = &image->some[image->n_some++];
    *some = (struct ms_some_symbols){.addresses = addresses, .n = n};
    if ((image->binary.file &&
         ms_symbols_read_some(&image->binary.macho, addresses, n, &some->binary, NULL) != MS_OK) ||
        (image->debug.file &&
         ms_symbols_read_some(&image->debug.macho, addresses, n, &some->debug, NULL) != MS_OK)) {
        image->starved = true; /* and nothing is found in half of it later: ms_image_retry */
        free(some->addresses);
        ms_symbols_fini(&some->binary);
        ms_symbols_fini(&some->debug);
        image->n_some--;
    }
}

/* Those of the batch in hand, if the address is one of it. */
static const struct ms_some_symbols *some_with(const struct ms_image *image, uint64_t address_vm)
{
    if (!image->n_some)
        return NULL;
    const struct ms_some_symbols *some = &image->some[image->n_some - 1];
    size_t i = ms_lower_bound(some->addresses, some->n, address_vm);
    return i < some->n && some->addresses[i] == address_vm ? some : NULL;
}

/*
 * The symbol of one half. Sorting a large table pays from a handful of addresses on; before
 * that each is looked for by itself.
 */
static const struct ms_symbol *symbol_in(struct ms_image *image, const struct ms_part *part,
                                         const struct ms_symbols *whole, uint64_t address_vm)
{
    enum { N_SINGLE = sizeof image->single / sizeof *image->single };
    if (!part->file)
        return NULL;
    const struct ms_some_symbols *some = some_with(image, address_vm);
    if (some)
        return ms_symbols_find(part == &image->binary ? &some->binary : &some->debug, address_vm);
    if (image->symbols_ready == MS_NOT_YET && image->n_single < N_SINGLE) {
        struct ms_symbols *one = &image->single[image->n_single];
        if (ms_symbols_read_at(&part->macho, address_vm, one, NULL) != MS_OK) {
            image->starved = true;
            return NULL;
        }
        image->n_single++;
        return ms_symbols_find(one, address_vm);
    }
    ms_image_read_symbols(image);
    return ms_symbols_find(whole, address_vm);
}

const struct ms_symbol *ms_image_symbol(struct ms_image *image, uint64_t address_vm)
{
    const struct ms_symbol *binary =
        symbol_in(image, &image->binary, &image->binary_symbols, address_vm);
    if (binary && binary->name)
        return binary;
    /* A stripped binary knows where functions start, its dSYM what they are called. */
    const struct ms_symbol *debug =
        symbol_in(image, &image->debug, &image->debug_symbols, address_vm);
    if (debug && debug->name && (!binary || binary->start_vm == debug->start_vm))
        return debug;
    return binary;
}

enum ms_status ms_image_runtime_name(struct ms_image *image, uint64_t start_vm, size_t i,
                                     struct ms_runtime_name *out)
{
    if (image->runtime_ready == MS_NOT_YET && image->binary.file) {
        enum ms_status status = ms_runtime_names_open(&image->binary.macho, &image->runtime, NULL);
        image->runtime_ready = status == MS_OK ? MS_READY : MS_FAILED;
        image->starved |= status != MS_OK;
    }
    enum ms_status status =
        image->runtime ? ms_runtime_names_at(image->runtime, start_vm, i, out) : MS_ABSENT;
    image->starved |= status == MS_E_NOMEM;
    return status == MS_OK ? MS_OK : MS_ABSENT;
}
