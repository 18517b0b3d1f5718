/**
 * report/crash_text_images.h: one line of a "Binary Images:" section taken apart, in any of
 * the forms that macOS, iOS, spindump and third parties write.
 *
 *   0x1025f8000 - 0x1026affff +Widget arm64  <0f1e2d3c4b5a36978877665544332211> /path/Widget
 *   0x1025f8000 - 0x1026affff com.example.Widget (1.0) <0f1e2d3c-4b5a-…> /path/Widget
 */
#ifndef MS_REPORT_CRASH_TEXT_IMAGES_H
#define MS_REPORT_CRASH_TEXT_IMAGES_H

#include "machsym/types.h"
#include "report/crash_text_frame.h"

/** Parts count from the start of the line; n = 0 where the line doesn't say. */
struct ms_image_line {
    uint64_t load_rt;
    uint64_t end_rt; /**< exclusive; 0 = unknown, or not above the load address */
    struct ms_line_part name, arch, path;
    bool has_uuid; /**< false also for all zeros */
    struct ms_uuid uuid;
    bool usable; /**< false for the "???" that stands for no image */
};

/** Takes n bytes at `line` apart; false when it is no such line. */
bool ms_image_line_parse(const char *line, size_t n, struct ms_image_line *out);

#endif
