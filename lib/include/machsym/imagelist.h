/**
 * machsym/imagelist.h: which images a process had loaded, and where, out of the text that
 * vmmap, lldb, dyld, sample and spindump print.
 */
#ifndef MACHSYM_IMAGELIST_H
#define MACHSYM_IMAGELIST_H

#include "machsym/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ms_image_list_kind {
    MS_LIST_VMMAP,          /**< vmmap, also -w, -summary, -interleaved; heap and leaks headers */
    MS_LIST_LLDB,           /**< `image list` with any of its column options */
    MS_LIST_DYLD,           /**< DYLD_PRINT_SEGMENTS / _LIBRARIES of dyld 2, 3 and 4 */
    MS_LIST_BINARY_IMAGES   /**< the "Binary Images:" part of sample, spindump, leaks, … */
};

/** One image; strings are NULL where the text doesn't say. */
struct ms_loaded_image {
    const char *path;       /**< as printed; may be redacted or cut short with "..." */
    const char *name;       /**< file name, or what stands for it */
    const char *arch;
    bool has_uuid;
    struct ms_uuid uuid;
    bool has_load;
    uint64_t load_rt;       /**< of the Mach-O header */
    bool has_slide;         /**< the text gives the slide itself (`image list -o`) */
    uint64_t slide;         /**< modulo 2^64 */
    bool is_main;           /**< the main executable, where the text tells */
    bool ambiguous;         /**< the same path is mapped in several places; this is one of them */
};

struct ms_image_list {
    enum ms_image_list_kind kind;
    struct ms_loaded_image *items;
    size_t n;
    const char *note;       /**< something passed over or contradictory, a sentence; or NULL */
    void *storage;          /**< owned */
};

/**
 * Recognises the text by its content.
 * @param bytes  borrowed for the life of *out
 * @param name   for messages
 * @return MS_E_FORMAT when it is none of the kinds, or names no image
 */
enum ms_status ms_image_list_parse(struct ms_bytes bytes, const char *name,
                                   struct ms_image_list *out, struct ms_error *err);
void ms_image_list_fini(struct ms_image_list *list);

/**
 * True when `path`, perhaps redacted ("/Users/USER/ * /X") or cut short ("...", at either
 * end or in the middle), can mean the file `wanted` (its full path or its base name).
 */
bool ms_image_path_matches(const char *path, const char *wanted);

#ifdef __cplusplus
}
#endif
#endif
