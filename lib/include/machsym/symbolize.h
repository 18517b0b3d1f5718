/**
 * machsym/symbolize.h: whole reports. Finds for each image of a report, or of several, the
 * files with its UUID, looks all its frames up in one go, and makes them ready to be shown.
 */
#ifndef MACHSYM_SYMBOLIZE_H
#define MACHSYM_SYMBOLIZE_H

#include "machsym/image.h"
#include "machsym/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How names and files are to be shown. */
struct ms_show_style {
    bool full_path;    /**< file: comp_dir/dir/name; else its base name */
    bool no_demangle;  /**< names as in the file */
    unsigned demangle; /**< enum ms_demangle_style */
};

/**
 * Makes frames ready to be shown, in memory of `pool`, which remembers names and paths by the
 * pointers to their strings: those must stay as they are until it is closed.
 * @param adjust  added to each frame's offset: 1 where the address looked up was the return
 *                address less one, else 0
 * @param slide   to give start_rt; 0 leaves it as linked
 * @return MS_OK or MS_E_NOMEM
 */
struct ms_show_pool;
enum ms_status ms_show_pool_open(struct ms_show_pool **out, struct ms_error *err);
void ms_show_pool_close(struct ms_show_pool *pool); /**< takes NULL */
void ms_show_pool_clear(struct ms_show_pool *pool); /**< forgets all that was shown */
/** Bounds the names that it remembers after ms_show_pool_clear; 4 MiB without. */
void ms_show_pool_set_max(struct ms_show_pool *pool, size_t bytes);
/** Whether it holds so many names that those that came last may have stayed mangled for it. */
bool ms_show_pool_is_full(const struct ms_show_pool *pool);
enum ms_status ms_show(struct ms_show_pool *pool, const struct ms_answer *answer,
                       const struct ms_show_style *style, uint64_t adjust, uint64_t slide,
                       struct ms_shown *out, struct ms_error *err);

/**
 * Sets out->mangled and out->symbol for the name that a report gives for a frame, in memory of
 * `pool`; nothing else of *out. Tools take all, one or none of the underscores of a name away
 * before they write it: a mangled one is recognised in each of these forms. Both are NULL for a
 * name that isn't mangled, symbol also with no_demangle and for one that can't be read.
 * @return MS_OK or MS_E_NOMEM
 */
enum ms_status ms_show_symbol(struct ms_show_pool *pool, const char *symbol,
                              const struct ms_show_style *style, struct ms_shown *out,
                              struct ms_error *err);

/** The files to search, and the images opened out of them, kept from report to report. */
struct ms_symbolizer;

enum ms_status ms_symbolizer_open(struct ms_symbolizer **out, struct ms_error *err);
void ms_symbolizer_close(struct ms_symbolizer *symbolizer); /**< takes NULL */

/**
 * Adds a file, a bundle, or everything below a folder to what is searched. Only load
 * commands are read.
 * @param beside  a folder's own files and the bundles in it alone, as for the folder that a
 *                report lies in
 * @return MS_E_IO, MS_E_FORMAT for a path that was named and can't be read
 */
enum ms_status ms_symbolizer_add(struct ms_symbolizer *symbolizer, const char *path, bool beside,
                                 struct ms_error *err);

/**
 * Where the object files that a debug map names are looked for, for an image with neither DWARF
 * nor a dSYM: to be said before the first report. What *search points to is borrowed for as long
 * as the symbolizer lives.
 */
void ms_symbolizer_set_object_search(struct ms_symbolizer *symbolizer,
                                     const struct ms_object_search *search);

/** As ms_image_set_workers, for each image; to be said before the first report. */
void ms_symbolizer_set_workers(struct ms_symbolizer *symbolizer, size_t n);

/** As ms_image_set_max_memory, for each image; to be said before the first report. */
void ms_symbolizer_set_max_memory(struct ms_symbolizer *symbolizer, size_t bytes);

/**
 * How many folders and files below the folders that were added could not be read, and so may
 * hide what is looked for; *first tells why the first was.
 */
size_t ms_symbolizer_skipped(const struct ms_symbolizer *symbolizer, struct ms_error *first);

/**
 * The first of the files added that has debug information of this UUID; NULL when none has. It
 * lives until the next is added.
 */
const char *ms_symbolizer_debug_path(const struct ms_symbolizer *symbolizer,
                                     const struct ms_uuid *uuid);

/** What became of one image of the report. */
struct ms_image_outcome {
    enum ms_why why;          /**< COMPLETE: files were found; NO_FILE, UUID_DIFFERS,
                                   STRIPPED (a binary without debug information),
                                   BAD_DEBUG_INFO, NO_OBJECT, STALE_OBJECT */
    uint32_t n_frames;        /**< frames that lie in it, registers not counted */
    uint32_t n_resolved;      /**< of them, that have a name now */
    uint32_t n_kept;          /**< of them, whose own name was kept, as it was or demangled */
    uint32_t n_asked;         /**< of them, that were looked up, found or not: a name that says
                                   little (mangled, libc's) is kept where nothing is found */
    uint32_t n_objects;       /**< object files that its debug map led its frames to and that were
                                   used */
    const char *binary_path, *debug_path; /**< NULL when none; live as long as the symbolizer */
    const char *other_path;   /**< UUID_DIFFERS: the file of that name */
    struct ms_uuid other_uuid;
    const struct ms_error *error; /**< what is damaged; NULL when nothing is. Lives as long as the
                                   result, which it belongs to */
};

/** Which frames are looked up. */
enum ms_symbolize_scope {
    MS_SCOPE_UNNAMED, /**< all but those that carry a name worth keeping */
    MS_SCOPE_BARE,    /**< only those that carry no name at all; names stay mangled, too */
    MS_SCOPE_ALL      /**< all again */
};

struct ms_symbolize_options {
    struct ms_show_style style;
    enum ms_symbolize_scope scope;
    bool all_registers;       /**< also those that hold no code address by themselves (x8) */
    bool one_thread;          /**< only the thread with this printed number */
    uint32_t thread;
};

/** One report, looked up. */
struct ms_symbolication {
    struct ms_shown *shown;   /**< as many as the report has frames */
    size_t n_shown;
    struct ms_image_outcome *images; /**< as many as the report has images */
    size_t n_images;
    uint32_t n_frames, n_resolved, n_kept; /**< sums; n_frames counts frames without image, too */
    void *storage;            /**< names and frames; owned, with others of the same call */
};

/** One report of those that are looked up together. */
struct ms_symbolize_request {
    const struct ms_report *report;
    struct ms_symbolize_options options;
};

/**
 * Looks up every frame of n reports that wants a name, and demangles the names that they have where
 * nothing better is found. A UUID that differs is never used. out[i] gets what ms_symbolize_report
 * says of requests[i].report alone; but each image is gone through once for the addresses of all
 * reports, and an address that comes again costs next to nothing. What it takes in memory is the
 * caller's to bound, by how much is asked: two to three kilobytes for each different address. Names
 * are kept for the next call, as ms_show_pool_clear keeps them.
 * Broken files degrade the images that need them.
 * @param out  n of them; each is freed by ms_symbolication_fini, in any order
 * @return MS_E_NOMEM; MS_E_LIMIT: names of crafted files are too long to be shown for all reports
 *         together, never when n is 1. Nothing has to be freed then, and fewer may be asked for.
 */
enum ms_status ms_symbolize_reports(struct ms_symbolizer *symbolizer,
                                    const struct ms_symbolize_request *requests, size_t n,
                                    struct ms_symbolication *out, struct ms_error *err);

/** The same for one report. @return MS_E_NOMEM */
enum ms_status ms_symbolize_report(struct ms_symbolizer *symbolizer, const struct ms_report *report,
                                   const struct ms_symbolize_options *options,
                                   struct ms_symbolication *out, struct ms_error *err);
void ms_symbolication_fini(struct ms_symbolication *symbolication);

#ifdef __cplusplus
}
#endif
#endif
