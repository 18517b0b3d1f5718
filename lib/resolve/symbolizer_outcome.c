/* What became of each image of a report: which files were used, and what is missing. */
#include "resolve/symbolizer.h"

#include "resolve/paths.h"

bool ms_outcome_fault(struct ms_image_outcome *outcome, const struct ms_error *error,
                      struct ms_arena *arena)
{
    outcome->error = NULL;
    if (error->status == MS_OK)
        return true;
    struct ms_error *copy = ms_arena_take(arena, sizeof *copy);
    if (copy)
        *copy = *error;
    outcome->error = copy;
    return copy != NULL;
}

/* A file that bears the image's name but has another UUID: a person may take it for the right
 * one, so it is named. */
static void note_namesake(const struct ms_symbolizer *symbolizer,
                          const struct ms_report_image *image, struct ms_image_outcome *outcome)
{
    const char *names[] = {image->path ? ms_path_base(image->path) : NULL, image->name};
    for (int i = 0; i < 2 && image->has_uuid && !outcome->other_path; i++) {
        if (!names[i])
            continue;
        const struct ms_catalog_entry *other =
            ms_catalog_namesake(&symbolizer->catalog, names[i], &image->uuid, image->arch);
        if (!other)
            continue;
        outcome->why = MS_WHY_UUID_DIFFERS;
        outcome->other_path = other->path;
        outcome->other_uuid = other->uuid;
    }
}

/* A binary answers with its symbols alone: was there a dSYM that could not be used? */
static void explain_no_dwarf(const struct ms_symbolizer *symbolizer,
                             const struct ms_report_image *image, const struct ms_image_info *info,
                             struct ms_image_outcome *outcome)
{
    outcome->why = MS_WHY_STRIPPED;
    if (info->mismatch_path) {
        outcome->why = MS_WHY_UUID_DIFFERS;
        outcome->other_path = info->mismatch_path;
        outcome->other_uuid = info->mismatch_uuid;
    } else {
        note_namesake(symbolizer, image, outcome);
    }
}

/* Without DWARF of the image, its objects answer as far as they are there. What is damaged of them
 * comes before *fault. */
static void explain_objects(const struct ms_image *image, struct ms_image_outcome *outcome,
                            struct ms_error *fault)
{
    struct ms_image_objects objects;
    ms_image_objects(image, &objects);
    outcome->n_objects = (uint32_t)objects.n_used;
    if (outcome->why != MS_WHY_STRIPPED || objects.n_used + objects.n_failed == 0)
        return;
    outcome->why = objects.n_failed ? objects.why : MS_WHY_COMPLETE;
    if (objects.n_failed)
        *fault = objects.error;
}

bool ms_outcome_no_file(const struct ms_symbolizer *symbolizer, const struct ms_report_image *image,
                        const struct ms_opened *opened, struct ms_arena *arena,
                        struct ms_image_outcome *outcome)
{
    outcome->why = MS_WHY_NO_FILE;
    note_namesake(symbolizer, image, outcome);
    if (!opened || opened->error.status == MS_OK)
        return true;
    outcome->why = MS_WHY_BAD_DEBUG_INFO;
    return ms_outcome_fault(outcome, &opened->error, arena);
}

bool ms_outcome_answered(const struct ms_symbolizer *symbolizer,
                         const struct ms_report_image *image, const struct ms_image *found,
                         const struct ms_answers *answers, struct ms_arena *arena,
                         struct ms_image_outcome *outcome)
{
    struct ms_image_info info;
    ms_image_info(found, &info);
    struct ms_error fault = *info.damage;
    outcome->binary_path = info.binary_path;
    outcome->debug_path = info.debug_path;
    if (!info.has_dwarf && !info.has_index) {
        explain_no_dwarf(symbolizer, image, &info, outcome);
        explain_objects(found, outcome, &fault);
    } else if (answers->n_errors) {
        fault = answers->errors[0];
    }
    if (fault.status != MS_OK && outcome->why != MS_WHY_UUID_DIFFERS &&
        outcome->why != MS_WHY_NO_OBJECT && outcome->why != MS_WHY_STALE_OBJECT)
        outcome->why = MS_WHY_BAD_DEBUG_INFO;
    return ms_outcome_fault(outcome, &fault, arena);
}
