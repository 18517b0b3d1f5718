/**
 * report/imagelist_build.h: what the readers of image lists have in common. Each reads the
 * whole text, takes what it knows, passes over the rest and adds an image for each it finds;
 * imagelist.c decides whose result counts.
 */
#ifndef MS_REPORT_IMAGELIST_BUILD_H
#define MS_REPORT_IMAGELIST_BUILD_H

#include "base/arena.h"
#include "base/error.h"
#include "machsym/imagelist.h"

/** A list while it grows. Sticky: once memory is out, nothing more is added. */
struct ms_list_build {
    struct ms_bytes text;
    struct ms_loaded_image *items;
    size_t n, room;
    struct ms_arena arena; /**< every string, and what the readers need meanwhile */
    const char *note;
    bool failed;
};

/** A new image, all of it unknown; NULL when memory is out. Valid until the next one. */
struct ms_loaded_image *ms_list_add(struct ms_list_build *build);

/** A copy that lives as long as the list; NULL for 0 bytes, and when memory is out. */
const char *ms_list_copy(struct ms_list_build *build, const char *text, size_t n);

/** Gives the image a path of n bytes, and the name that it ends in. */
void ms_list_set_path(struct ms_list_build *build, struct ms_loaded_image *image, const char *path,
                      size_t n);

/** Something the user should know of, a sentence. The first one stays. */
void ms_list_note(struct ms_list_build *build, const char *format, ...) MS_PRINTF(2, 3);

/** Hexadecimal digits of either case, with or without 0x; 0 when there is none or too many. */
size_t ms_list_hex(const char *text, size_t n, uint64_t *value);

/**
 * The block of "Key:   value" lines that vmmap, heap, leaks, sample and spindump start with.
 * Parts are borrowed from the text.
 */
struct ms_list_header {
    struct ms_bytes path, process, code_type; /**< process: without its " [PID]" */
    bool has_load;
    uint64_t load_rt;
};

/** Takes a line of the block; false when it is none of the keys that count. */
bool ms_list_header_line(struct ms_list_header *header, const char *line, size_t n);

/** "arm64" for "ARM64", …; NULL when the block doesn't tell. */
const char *ms_list_header_arch(const struct ms_list_header *header);

/* ---- the readers ---------------------------------------------------------------------- */

/** vmmap's regions, or the header alone. */
void ms_vmmap_read(struct ms_list_build *build);
/** True for vmmap's output, which other kinds of text may quote lines of. */
bool ms_vmmap_is(struct ms_bytes text);
void ms_lldb_images_read(struct ms_list_build *build);
void ms_dyld_print_read(struct ms_list_build *build);
void ms_binary_images_read(struct ms_list_build *build);

#endif
