#include "common/crash_summary.h"

#include "common/console.h"

#include <stdio.h>
#include <string.h>

enum { ROOM = 400 }; /* of an image's description */

/* The file's name, which is what frames call it; a report of macOS lists bundle identifiers. */
static const char *label(const struct ms_report_image *image)
{
    const char *slash = image->path ? strrchr(image->path, '/') : NULL;
    if (slash && slash[1])
        return slash + 1;
    return image->name ? image->name : image->path ? image->path : "???";
}

/* "Widget (arm64) 0F1E2D3C-…", as far as the report says. */
static const char *describe(const struct ms_report_image *image, char text[ROOM])
{
    char uuid[MS_UUID_TEXT] = "";
    if (image->has_uuid)
        ms_uuid_format(&image->uuid, uuid);
    snprintf(text, ROOM, "%.300s%s%.40s%s%s%s", label(image), image->arch ? " (" : "",
             image->arch ? image->arch : "", image->arch ? ")" : "", uuid[0] ? " " : "", uuid);
    return text;
}

/* Apple's own images: nobody has their dSYMs, so they are told of in one line. */
static bool is_system(const struct ms_report_image *image)
{
    static const char *const folders[] = {"/System/", "/usr/lib/", "/usr/libexec/",
                                          "/Library/Apple/", "/private/preboot/"};
    for (size_t i = 0; image->path && i < sizeof folders / sizeof *folders; i++)
        if (strncmp(image->path, folders[i], strlen(folders[i])) == 0)
            return true;
    return false;
}

static bool is_unresolved(const struct ms_image_outcome *o)
{
    return o->n_resolved + o->n_kept < o->n_frames;
}

static void tell_missing(const struct ms_report_image *image, const struct ms_image_outcome *o)
{
    char who[ROOM], other[MS_UUID_TEXT], line[MS_ERROR_LINE];
    describe(image, who);
    switch (o->why) {
    case MS_WHY_UUID_DIFFERS:
        ms_uuid_format(&o->other_uuid, other);
        warn("%s: %s has UUID %s and is not used: find the dSYM of the build that crashed", who,
             o->other_path, other);
        break;
    case MS_WHY_STRIPPED:
        warn("%s: %s has no debug information, only symbols: add its dSYM with -d", who,
             o->binary_path  ? o->binary_path
             : o->debug_path ? o->debug_path
                             : "the file");
        break;
    case MS_WHY_BAD_DEBUG_INFO:
        warn("%s: %s", who,
             o->error.status != MS_OK ? ms_error_describe(&o->error, line)
                                      : "its debug information is damaged");
        break;
    case MS_WHY_COMPLETE:
        warn("%s: %u of %u frames have no name in %s", who, o->n_frames - o->n_resolved - o->n_kept,
             o->n_frames, o->debug_path ? o->debug_path : "its files");
        break;
    case MS_WHY_NO_FILE:
    case MS_WHY_NO_IMAGE:
    case MS_WHY_NO_SLIDE:
    case MS_WHY_OUTSIDE_CODE:
        if (image->has_uuid)
            warn("%s: no dSYM or binary with this UUID was found: add it with -d", who);
        else
            warn("%s: the report gives no UUID for it, so no file can be matched", who);
        break;
    }
}

static void tell_system(const struct ms_report *report, const struct ms_symbolication *names)
{
    char list[200] = "";
    unsigned n = 0, n_frames = 0;
    for (size_t i = 0; i < report->n_images; i++) {
        const struct ms_image_outcome *o = &names->images[i];
        if (!is_system(&report->images[i]) || !is_unresolved(o) || o->why != MS_WHY_NO_FILE)
            continue;
        size_t at = strlen(list);
        if (n < 5)
            snprintf(list + at, sizeof list - at, "%s%s", n ? ", " : "", label(&report->images[i]));
        n++;
        n_frames += o->n_frames - o->n_kept - o->n_resolved;
    }
    if (n)
        warn("%u frames of %u system images stay unnamed (%s%s): their symbols come with the "
             "operating system alone",
             n_frames, n, list, n > 5 ? ", …" : "");
}

static void tell_matched(const struct ms_report_image *image, const struct ms_image_outcome *o)
{
    char who[ROOM];
    complain("%s: %u of %u frames named from %s%s%s", describe(image, who), o->n_resolved,
             o->n_frames, o->debug_path ? o->debug_path : "",
             o->debug_path && o->binary_path ? " and " : "", o->binary_path ? o->binary_path : "");
}

bool summarise(const char *name, const struct ms_report *report,
               const struct ms_symbolication *names, bool explain)
{
    unsigned n_wanted = 0, n_matched = 0;
    if (report->note)
        warn("%s: %s", name, report->note);
    for (size_t i = 0; i < report->n_images; i++) {
        const struct ms_image_outcome *o = &names->images[i];
        const struct ms_report_image *image = &report->images[i];
        if (o->n_frames == o->n_kept) /* nothing was asked of its files */
            continue;
        bool matched = o->debug_path || o->binary_path;
        n_wanted++;
        n_matched += matched;
        if (explain && matched)
            tell_matched(image, o);
        bool told_together = is_system(image) && o->why == MS_WHY_NO_FILE;
        if ((is_unresolved(o) && !told_together) || (matched && o->why != MS_WHY_COMPLETE))
            tell_missing(image, o);
    }
    tell_system(report, names);
    if (!report->n_images)
        warn("%s: lists no binary images, so no address can be matched to a file", name);
    unsigned done = names->n_resolved + names->n_kept;
    complain("%s: %u of %u frames have a name (%u looked up, %u as they were); files found for "
             "%u of %u images",
             name, done, names->n_frames, names->n_resolved, names->n_kept, n_matched, n_wanted);
    return done == names->n_frames && report->n_images;
}
