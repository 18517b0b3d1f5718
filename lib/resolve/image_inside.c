/* An image out of a static archive or a fileset. */
#include "resolve/image.h"

#include "base/bytes.h"
#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

static enum ms_status open_part(struct ms_part *part, const struct ms_image_inside *inside,
                                struct ms_error *err)
{
    char where[4096 + 300];
    struct ms_bytes bytes;
    snprintf(where, sizeof where, inside->name ? "%s(%s)" : "%s", inside->path, inside->name);
    enum ms_status status = ms_file_open(inside->path, &part->file, err);
    if (status != MS_OK)
        return status;
    if (!ms_bytes_part(ms_file_bytes(part->file), inside->off, inside->bytes, &bytes))
        status = ms_fail(err, MS_E_FORMAT, inside->path, MS_NO_OFFSET, "changed while it was read");
    else
        status = ms_macho_parse_at(bytes, inside->header_off, where, &part->macho, err);
    if (status == MS_OK)
        return MS_OK;
    ms_file_close(part->file);
    part->file = NULL;
    return status;
}

enum ms_status ms_image_open_inside(const struct ms_image_inside *inside, struct ms_image **out,
                                    struct ms_error *err)
{
    struct ms_image *image = calloc(1, sizeof *image);
    char room[MS_ARCH_TEXT];
    *out = NULL;
    if (!image)
        return ms_fail_memory(err);
    enum ms_status status = open_part(&image->binary, inside, err);
    if (status != MS_OK) {
        ms_image_close(image);
        return status;
    }
    const struct ms_macho *macho = &image->binary.macho;
    snprintf(image->arch, sizeof image->arch, "%s",
             ms_arch_text(macho->cputype, macho->cpusubtype, room));
    *out = image;
    return MS_OK;
}
