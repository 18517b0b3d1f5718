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

/*
 * Apple's own images: nobody has their dSYMs, so they are told of in one line. A simulator has
 * the folders of its system below its runtime, RuntimeRoot now and an SDK in Xcode before; on
 * whatever disk that lies, its dyld has a name of its own.
 */
static bool is_system(const struct ms_report_image *image)
{
    static const char *const folders[] = {"/System/", "/usr/lib/", "/usr/libexec/",
                                          "/Library/Apple/", "/private/preboot/"};
    static const char *const roots[] = {"/RuntimeRoot/", "Simulator.sdk/"};
    if (!image->path)
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strncmp(image->path, folders[i], strlen(folders[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (strstr(image->path, roots[i]))
            return true;
    return strcmp(label(image), "dyld_sim") == 0;
}

/* A system image that no file was found for. */
static bool is_told_together(const struct ms_report_image *image, const struct ms_image_outcome *o)
{
    return is_system(image) && o->why == MS_WHY_NO_FILE;
}

static bool is_unresolved(const struct ms_image_outcome *o)
{
    return o->n_resolved + o->n_kept < o->n_frames;
}

static void tell_missing(const struct ms_report_image *image, const struct ms_image_outcome *o)
{
    static const struct ms_error nothing;
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
             o->error ? ms_error_describe(o->error, line) : "its debug information is damaged");
        break;
    case MS_WHY_NO_OBJECT:
    case MS_WHY_STALE_OBJECT:
        warn("%s: only its object files have debug information, and not all are there: %s; "
             "add its dSYM with -d",
             who, ms_error_describe(o->error ? o->error : &nothing, line));
        break;
    case MS_WHY_COMPLETE:
        warn("%s: %u of %u frames lie outside what %s has names for (--explain tells which)", who,
             o->n_frames - o->n_resolved - o->n_kept, o->n_frames,
             o->debug_path ? o->debug_path : "its file");
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
        if (!is_unresolved(o) || !is_told_together(&report->images[i], o))
            continue;
        size_t at = strlen(list);
        if (n < 5)
            snprintf(list + at, sizeof list - at, "%s%s", n ? ", " : "", label(&report->images[i]));
        n++;
        n_frames += o->n_frames - o->n_kept - o->n_resolved;
    }
    if (n)
        warn(n_frames == 1 ? "%u frame of %u system image stays unnamed (%s%s): its symbols come "
                             "with the operating system alone"
             : n == 1      ? "%u frames of %u system image stay unnamed (%s%s): its symbols come "
                             "with the operating system alone"
                           : "%u frames of %u system images stay unnamed (%s%s): their symbols "
                             "come with the operating system alone",
             n_frames, n, list, n > 5 ? ", …" : "");
}

/* Frames that no file could help. Where no images are listed at all, that is said instead. */
static void tell_homeless(const struct ms_report *report, const struct ms_symbolication *names)
{
    unsigned in_images = 0, named = 0;
    for (size_t i = 0; i < names->n_images; i++) {
        in_images += names->images[i].n_frames;
        named += names->images[i].n_resolved + names->images[i].n_kept;
    }
    unsigned n = (names->n_frames - in_images) - (names->n_resolved + names->n_kept - named);
    if (n && report->n_images)
        warn(n == 1 ? "%u frame lies in no image that the report lists: generated code, a jump "
                      "astray, or an image left out of the list"
                    : "%u frames lie in no image that the report lists: generated code, jumps "
                      "astray, or images left out of the list",
             n);
}

static void tell_matched(const struct ms_report_image *image, const struct ms_image_outcome *o)
{
    char who[ROOM], objects[60] = "";
    if (o->n_objects)
        snprintf(objects, sizeof objects, " and %u object file%s", o->n_objects,
                 o->n_objects == 1 ? "" : "s");
    complain("%s: %u of %u frames named from %s%s%s%s", describe(image, who), o->n_resolved,
             o->n_frames, o->debug_path ? o->debug_path : "",
             o->debug_path && o->binary_path ? " and " : "", o->binary_path ? o->binary_path : "",
             objects);
}

bool summarise(const char *name, const struct ms_report *report,
               const struct ms_symbolication *names, bool explain, bool *missing)
{
    unsigned n_wanted = 0, n_matched = 0;
    if (report->note)
        warn("%s: %s", name, report->note);
    for (size_t i = 0; i < report->n_images; i++) {
        const struct ms_image_outcome *o = &names->images[i];
        const struct ms_report_image *image = &report->images[i];
        if (!o->n_asked || (is_told_together(image, o) && !is_unresolved(o)))
            continue; /* nothing was wanted of its files that anybody could have */
        bool matched = o->debug_path || o->binary_path;
        n_wanted++;
        n_matched += matched;
        if (explain && matched)
            tell_matched(image, o);
        if (is_told_together(image, o) || (!is_unresolved(o) && o->why == MS_WHY_COMPLETE))
            continue;
        tell_missing(image, o);
        *missing |= o->why != MS_WHY_COMPLETE;
    }
    tell_system(report, names);
    tell_homeless(report, names);
    if (!report->n_images)
        warn("%s: lists no binary images, so no address can be matched to a file", name);
    unsigned done = names->n_resolved + names->n_kept;
    complain("%s: %u of %u frames have a name (%u looked up, %u as they were); files found for "
             "%u of %u images",
             name, done, names->n_frames, names->n_resolved, names->n_kept, n_matched, n_wanted);
    return done == names->n_frames && report->n_images;
}
