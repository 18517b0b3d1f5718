/**
 * dwarf/fault.h: errors that name the image and the section they were found in.
 */
#ifndef MS_DWARF_FAULT_H
#define MS_DWARF_FAULT_H

#include "base/error.h"

/**
 * ms_fail with "IMAGE SECTION" as its place.
 * @param image    "App.dSYM (arm64)", or NULL
 * @param section  "__debug_info"
 * @param offset   in that section
 */
enum ms_status ms_dwarf_fail(struct ms_error *err, enum ms_status status, const char *image,
                             const char *section, uint64_t offset, const char *format, ...)
    MS_PRINTF(6, 7);

#endif
