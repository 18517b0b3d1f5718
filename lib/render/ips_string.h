/**
 * render/ips_string.h: the backtraces that a report keeps as text inside a JSON string
 * (asiBacktraces), in libc's layout, with names put in.
 */
#ifndef MS_RENDER_IPS_STRING_H
#define MS_RENDER_IPS_STRING_H

#include "render/ips_object.h"
#include "render/ips_view.h"

struct ms_ips_strings {
    const struct ms_ips_view *view;
    bool quoted; /**< written back into a JSON string; else as plain text */
    struct ms_ips_quoting quoting;
    struct ms_text plain, old; /* room */
    int64_t shift;             /* of the indices that follow, with the style `renumber` */
};

void ms_ips_strings_init(struct ms_ips_strings *s, const struct ms_ips_view *view, bool quoted,
                         struct ms_ips_quoting quoting);
void ms_ips_strings_fini(struct ms_ips_strings *s);

/**
 * Appends the lines of frames i to `last`, which ms_ips_run_end has found to belong together,
 * up to where the text of the last one ends.
 * @return false when they are what the file has there already
 */
bool ms_ips_strings_add(struct ms_ips_strings *s, struct ms_text *text, size_t i, size_t last,
                        bool has_real);

/** Where the text of a line ends, in the file. */
size_t ms_ips_line_end(const struct ms_report_frame *frame);

#endif
