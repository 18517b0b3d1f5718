/* What the runtimes' metadata in the binary of an image says. */
#include "resolve/image.h"

#include "machsym/runtime.h"

enum ms_status ms_image_objc(struct ms_image *image, struct ms_objc *out, struct ms_error *err)
{
    enum ms_status status = ms_objc_read(ms_image_macho(image), out, err);
    if (status == MS_OK && (status = ms_image_intact(image, err)) != MS_OK)
        ms_objc_fini(out);
    return status;
}

enum ms_status ms_image_swift(struct ms_image *image, unsigned what, struct ms_swift_metadata *out,
                              struct ms_error *err)
{
    enum ms_status status = ms_swift_metadata_read(ms_image_macho(image), what, out, err);
    if (status == MS_OK && (status = ms_image_intact(image, err)) != MS_OK)
        ms_swift_metadata_fini(out);
    return status;
}
