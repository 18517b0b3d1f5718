/**
 * resolve/image.h: what is behind struct ms_image, for the files of this floor.
 */
#ifndef MS_RESOLVE_IMAGE_H
#define MS_RESOLVE_IMAGE_H

#include "machsym/image.h"
#include "resolve/dwarf_load.h"
#include "resolve/names.h"
#include "resolve/oso.h"
#include "resolve/part.h"
#include "resolve/ready_index.h"
#include "resolve/runtime_names.h"

#include <stdatomic.h>

/** How far a lazy reader has come; a failure is remembered like a success. */
enum ms_ready { MS_NOT_YET, MS_READY, MS_FAILED };

/** The symbols that some addresses need. */
struct ms_some_symbols {
    uint64_t *addresses; /* ascending */
    size_t n;
    struct ms_symbols binary, debug;
};

struct ms_image {
    struct ms_part binary; /* holds the code; absent when only a dSYM is known */
    struct ms_part debug;  /* holds the DWARF; absent when the binary has its own, or none */

    char arch[MS_ARCH_TEXT];
    bool has_mismatch;
    char *mismatch_path;
    struct ms_uuid mismatch_uuid;

    size_t n_workers; /* 0: nobody has said */
    size_t max_memory; /* 0: no bound; else … */
    atomic_ullong n_through; /* … bytes gone through since pages were given back */
    enum ms_ready dwarf_ready;
    struct ms_loaded_dwarf dwarf; /* without a reader when there is no DWARF */
    struct ms_error dwarf_error;  /* why not, when dwarf_ready is MS_FAILED */

    enum ms_ready index_ready;
    struct ms_ready_index *index; /* NULL when the debug half is no ready index */

    enum ms_ready oso_ready;
    struct ms_oso *oso; /* NULL without a debug map */
    struct ms_object_search search;

    enum ms_ready symbols_ready;
    struct ms_symbols binary_symbols, debug_symbols;
    struct ms_symbols single[8]; /* of the first few addresses, each read alone */
    size_t n_single;
    struct ms_some_symbols some[4]; /* of the first few batches */
    size_t n_some;
    struct ms_names binary_names, debug_names;
    enum ms_ready runtime_ready;
    struct ms_runtime_names *runtime; /* NULL until a function without a symbol is met */
    bool starved; /* a table is missing since memory ran out: no answer is to be believed */
};

/** The Mach-O that A and the sections' addresses are read from. */
const struct ms_macho *ms_image_macho(const struct ms_image *image);
/** The part whose DWARF answers; its file is NULL when there is none. */
const struct ms_part *ms_image_dwarf_part(const struct ms_image *image);

/** Make a reader of its DWARF, or its index, keep to the bound of ms_image_set_max_memory. */
void ms_image_bound_reader(struct ms_image *image, struct ms_dwarf *dwarf);
void ms_image_bound_index(struct ms_image *image, struct ms_ready_index *index);

/** The linkage name of a frame that DWARF made, without what a compiler put around it. */
const char *ms_frame_linkage(const struct ms_frame *frame);

/** Counts n strings of frames that were looked at, for the same bound. */
void ms_image_touched(struct ms_image *image, size_t n);

/** Opens the DWARF reader on first use; NULL when there is none or it cannot be read. */
struct ms_dwarf *ms_image_dwarf(struct ms_image *image);

/** The ready index that stands for the DWARF, on first use; NULL when there is none, or it cannot
 *  be read: then dwarf_ready is MS_FAILED and dwarf_error says why. */
struct ms_ready_index *ms_image_index(struct ms_image *image);

/** The debug map of an image without DWARF, on first use; NULL when there is none. */
struct ms_oso *ms_image_oso(struct ms_image *image);

/**
 * The symbol that names an address, out of the tables of both halves; never one that
 * starts in another function than the one the address lies in. NULL when none does.
 */
const struct ms_symbol *ms_image_symbol(struct ms_image *image, uint64_t address_vm);
/**
 * The i-th name that the runtimes' metadata has for the function that starts at an address, read
 * on first use. @return MS_OK; MS_ABSENT: there is none, or memory ran out (image->starved)
 */
enum ms_status ms_image_runtime_name(struct ms_image *image, uint64_t start_vm, size_t i,
                                     struct ms_runtime_name *out);
/**
 * What symbols, and metadata from where a function starts, say of an address; `source` is
 * MS_SOURCE_NONE when that is nothing.
 */
void ms_image_symbol_frame(struct ms_image *image, uint64_t address_vm, struct ms_frame *out);
/** Says which addresses, in any order, ms_image_symbol will be asked for, so that a table is gone
 *  through once for all of them. Takes the array, which is malloc'ed. */
void ms_image_expect_symbols(struct ms_image *image, uint64_t *addresses_vm, size_t n);
/** Reads the symbol tables on first use. */
void ms_image_read_symbols(struct ms_image *image);

/** After memory ran out: what could not be read for it is read anew by the next look-up. */
void ms_image_retry(struct ms_image *image);

/** MS_E_IO when a file of the image was truncated under us; MS_OK. */
enum ms_status ms_image_intact(const struct ms_image *image, struct ms_error *err);

#endif
