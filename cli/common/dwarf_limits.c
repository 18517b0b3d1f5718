#include "common/dwarf_limits.h"

#include "common/console.h"
#include "machsym/dwarf.h"

#include <inttypes.h>
#include <stdlib.h>

/* Near the reach of 32-bit offsets: what is said when so much of it is used. */
#define NEAR_REACH (MS_DWARF32_REACH / 10 * 9)

void warn_of_limits(struct ms_image *image, const char *path)
{
    struct ms_debug_section *sections;
    struct ms_error err;
    size_t n;
    if (ms_image_debug_sections(image, &sections, &n, &err) != MS_OK) {
        complain_error(&err);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t end = sections[i].off + sections[i].bytes;
        if (sections[i].bytes > MS_DWARF32_REACH)
            warn("%s: %s has %" PRIu64 " bytes: 32-bit offsets into it wrap at 4 GB, and what they "
                 "lead to is wrong",
                 path, sections[i].name, sections[i].bytes);
        else if (sections[i].off >= MS_DWARF32_REACH)
            warn("%s: %s starts %" PRIu64
                 " bytes into the slice, which its 32-bit field can't say: "
                 "most tools read the wrong bytes",
                 path, sections[i].name, sections[i].off);
        else if (sections[i].bytes > NEAR_REACH || end > NEAR_REACH)
            warn("%s: %s ends %" PRIu64 " bytes into the slice, close to the 4 GB that 32-bit "
                 "offsets reach: split the image, or build it with less debug information",
                 path, sections[i].name, end);
    }
    free(sections);
}
