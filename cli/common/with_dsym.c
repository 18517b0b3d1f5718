#include "common/with_dsym.h"

#include "common/console.h"
#include "common/input.h"
#include "machsym/symbolize.h"

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

static int use_file(const char *binary, const char *debug, struct ms_image **image,
                    struct ms_image_info *info)
{
    struct ms_error err;
    struct ms_image *pair;
    if (ms_image_open_pair(binary, debug, &info->uuid, &pair, &err) != MS_OK)
        return complain_error(&err);
    ms_image_close(*image);
    *image = pair;
    ms_image_info(pair, info);
    return EXIT_DONE;
}

static int complain_of_none(const char *dsym, const struct ms_image_info *info)
{
    char uuid[MS_UUID_TEXT] = "none";
    if (info->has_uuid)
        ms_uuid_format(&info->uuid, uuid);
    complain("%s: has no debug information of %s, whose UUID is %s", dsym, info->name, uuid);
    return EXIT_INPUT;
}

/* A folder, but none that is a dSYM. */
static bool is_plain_folder(const char *path)
{
    static const char SUFFIX[] = ".dSYM";
    struct stat st;
    size_t n = strlen(path), m = sizeof SUFFIX - 1;
    while (n > 1 && path[n - 1] == '/')
        n--;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
           !(n >= m && strncmp(path + n - m, SUFFIX, m) == 0);
}

static int search_folder(const char *folder, struct ms_image **image, struct ms_image_info *info)
{
    struct ms_symbolizer *found = NULL;
    struct ms_error err;
    int status = EXIT_DONE;
    if (ms_symbolizer_open(&found, &err) != MS_OK ||
        ms_symbolizer_add(found, folder, false, &err) != MS_OK)
        status = complain_error(&err);
    const char *debug =
        status == EXIT_DONE && info->has_uuid ? ms_symbolizer_debug_path(found, &info->uuid) : NULL;
    if (debug) {
        status = use_file(info->binary_path, debug, image, info);
    } else if (status == EXIT_DONE) {
        size_t n = ms_symbolizer_skipped(found, &err);
        char line[MS_ERROR_LINE];
        status = complain_of_none(folder, info);
        if (n)
            warn("passed over %zu files and folders, the first: %s", n,
                 ms_error_describe(&err, line));
    }
    ms_symbolizer_close(found);
    return status;
}

static int use_dsym(const char *dsym, struct ms_image **image, struct ms_image_info *info)
{
    struct ms_slice_uuid *slices;
    size_t n, i = 0;
    struct ms_error err;
    if (ms_slice_uuids_read(dsym, &slices, &n, &err) != MS_OK)
        return is_plain_folder(dsym) ? search_folder(dsym, image, info) : complain_error(&err);
    while (i < n && !(slices[i].has_uuid && info->has_uuid && slices[i].has_dwarf &&
                      ms_uuid_equal(&slices[i].uuid, &info->uuid)))
        i++;
    int status = i == n ? complain_of_none(dsym, info)
                        : use_file(info->binary_path, slices[i].path, image, info);
    ms_slice_uuids_free(slices, n);
    return status;
}

int image_with_dsym(const char *path, const char *arch, const char *dsym, struct ms_image **out,
                    struct ms_image_info *info)
{
    struct ms_error err;
    *out = NULL;
    int status = input_path(&path);
    if (status == EXIT_DONE && dsym)
        status = input_path(&dsym);
    if (status != EXIT_DONE)
        return status;
    struct ms_image_choice choice = {path, arch, NULL, dsym != NULL};
    if (ms_image_open(&choice, out, &err) != MS_OK)
        return complain_error(&err);
    ms_image_info(*out, info);
    status = dsym ? use_dsym(dsym, out, info) : EXIT_DONE;
    if (status != EXIT_DONE)
        return status;
    if (input_shown(path) != path)
        info->name = "standard input";
    if (info->mismatch_path)
        warn("%s is not used: it belongs to another build", info->mismatch_path);
    char line[MS_ERROR_LINE];
    if (info->damage->status != MS_OK)
        complain("%s", ms_error_describe(info->damage, line));
    return EXIT_DONE;
}
