#include "common/with_dsym.h"

#include "common/console.h"
#include "common/input.h"

#include <stddef.h>

static int use_dsym(const char *dsym, struct ms_image **image, struct ms_image_info *info)
{
    struct ms_slice_uuid *slices;
    size_t n, i = 0;
    struct ms_error err;
    struct ms_image *pair;
    if (ms_slice_uuids_read(dsym, &slices, &n, &err) != MS_OK)
        return complain_error(&err);
    while (i < n && !(slices[i].has_uuid && info->has_uuid && slices[i].has_dwarf &&
                      ms_uuid_equal(&slices[i].uuid, &info->uuid)))
        i++;
    int status = EXIT_DONE;
    if (i == n) {
        char uuid[MS_UUID_TEXT] = "none";
        if (info->has_uuid)
            ms_uuid_format(&info->uuid, uuid);
        complain("%s: has no debug information of %s, whose UUID is %s", dsym, info->name, uuid);
        status = EXIT_INPUT;
    } else if (ms_image_open_pair(info->binary_path, slices[i].path, &info->uuid, &pair, &err) !=
               MS_OK) {
        status = complain_error(&err);
    } else {
        ms_image_close(*image);
        *image = pair;
        ms_image_info(pair, info);
    }
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
