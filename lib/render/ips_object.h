/**
 * render/ips_object.h: a JSON object rewritten with a symbol in it, in the layout that it has.
 */
#ifndef MS_RENDER_IPS_OBJECT_H
#define MS_RENDER_IPS_OBJECT_H

#include "base/text.h"
#include "machsym/report.h"
#include "report/json_scan.h"

/** How a JSON file writes strings. */
struct ms_ips_quoting {
    bool escape_slash; /**< "\/", as Apple's writer does */
};

/**
 * Appends `object` with the members symbol, symbolLocation, sourceFile and sourceLine set to
 * what `frame` says: those that it has are replaced in place (and dropped where the frame
 * doesn't know), new ones follow the symbol or else `anchor` ("imageOffset", "value"), in its own
 * layout. All else keeps its bytes.
 * @param lines  false: symbol and symbolLocation alone (a register)
 */
void ms_ips_object_named(struct ms_text *text, struct ms_bytes in, struct ms_json_value object,
                         const char *anchor, const struct ms_shown_frame *frame, bool lines,
                         struct ms_ips_quoting quoting);

/**
 * Appends the objects of one address: for each inlined frame one with the imageOffset and
 * imageIndex of `object`, its names and "inline": true, as Apple writes them; then `object`
 * itself with the names of the last frame (ms_ips_object_named, lines). All parted like the
 * elements of the array in which `object` stands.
 * @param frames  innermost first, n_frames >= 1 of them; the last has a function. Inlined
 *                ones without are left out, and all of them when the object doesn't say where
 * @return the number of objects for inlined frames
 */
size_t ms_ips_object_frames(struct ms_text *text, struct ms_bytes in, struct ms_json_value object,
                            const struct ms_shown_frame *frames, size_t n_frames,
                            struct ms_ips_quoting quoting);

/** Appends n bytes as the inside of a JSON string. */
void ms_ips_quote(struct ms_text *text, const char *bytes, size_t n, struct ms_ips_quoting quoting);

#endif
