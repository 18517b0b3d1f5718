/**
 * resolve/symbolizer.h: what is behind struct ms_symbolizer, for the files that make up the
 * look-up of whole reports.
 *
 * Reports are taken in groups. Their frames are dealt by image (symbolizer_reports.c), each image
 * is asked once for the addresses of them all (symbolizer_frames.c), and what became of it is told
 * of each image of each report (symbolizer_outcome.c).
 */
#ifndef MS_RESOLVE_SYMBOLIZER_H
#define MS_RESOLVE_SYMBOLIZER_H

#include "machsym/symbolize.h"

#include "base/arena.h"
#include "base/index.h"
#include "resolve/catalog.h"

/** An image opened for one UUID; also remembers that it could not be. */
struct ms_opened {
    struct ms_uuid uuid;
    struct ms_image *image;   /* NULL: no file, or it can't be read */
    struct ms_image *earlier; /* one without debug information, replaced when a file with it came */
    size_t n_known;           /* entries of the catalog when it was opened */
    struct ms_error error;    /* status MS_OK: there just is no file */
};

/**
 * What is shown of a group's frames. All its results hold it, and so does the symbolizer, which
 * keeps the names for the next group.
 */
struct ms_shown_store {
    struct ms_show_pool *pool;
    struct ms_arena faults; /* errors of images */
    size_t n_results;
    bool kept; /* by the symbolizer */
    bool used; /* there may be names in it from before */
};

struct ms_symbolizer {
    struct ms_catalog catalog;
    struct ms_opened *opened;
    size_t n_opened, opened_room;
    struct ms_index by_uuid; /* into opened */
    bool set_workers;        /* n_workers was said */
    size_t n_workers;
    size_t max_memory; /* 0: no bound */
    struct ms_object_search search;
    struct ms_shown_store *store; /* NULL until the first group */
};

/** Sets *out to the number of the image with this UUID, opened on first use. MS_E_NOMEM. */
enum ms_status ms_symbolizer_image(struct ms_symbolizer *symbolizer, const struct ms_uuid *uuid,
                                   uint32_t *out, struct ms_error *err);

/** After memory ran out: what there is to be had of it is tried again. */
void ms_symbolizer_retry(struct ms_symbolizer *symbolizer);

/** Lets go of what is kept from group to group. */
void ms_symbolizer_drop_store(struct ms_symbolizer *symbolizer);

/** What a frame asks, of the image with the number `opened`. */
struct ms_question {
    uint64_t address_vm, adjust, slide;
    uint32_t opened;
    uint32_t report, image, frame; /* whose: the report's number in the group, and there */
    uint32_t style;                /* the first report of the group with the same style */
};

/** Reports that are looked up together. */
struct ms_group {
    struct ms_symbolizer *symbolizer;
    const struct ms_symbolize_request *requests;
    struct ms_symbolication *out;
    size_t n;
    struct ms_arena arena;        /* of the call */
    struct ms_shown_store *store; /* of the results */
    struct ms_question *questions;
    size_t n_questions;
};

/**
 * Answers all questions of a group, and says what became of the images that they lie in; puts
 * group->questions into another order. MS_E_NOMEM
 */
enum ms_status ms_group_answer(struct ms_group *group, struct ms_error *err);

/** Sets outcome->error to a copy in the arena; false without memory. */
bool ms_outcome_fault(struct ms_image_outcome *outcome, const struct ms_error *error,
                      struct ms_arena *arena);
/** What became of an image that there is no file for, or none that opens; false as above. */
bool ms_outcome_no_file(const struct ms_symbolizer *symbolizer, const struct ms_report_image *image,
                        const struct ms_opened *opened, struct ms_arena *arena,
                        struct ms_image_outcome *outcome);
/** What became of one that was looked up. */
bool ms_outcome_answered(const struct ms_symbolizer *symbolizer,
                         const struct ms_report_image *image, const struct ms_image *found,
                         const struct ms_answers *answers, struct ms_arena *arena,
                         struct ms_image_outcome *outcome);

#endif
