#include "dwarf/zdebug.h"

#include "base/cursor.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Real debug information shrinks to a third or a tenth. Deflate could go to 1032 to 1, so that
 * 4 MB become 4 GB; sections that small in reality never need it. */
enum { HEADER = 12, DEFLATE_MAX_RATIO = 1032, MAX_RATIO = 64, MIN_CEILING = 1 << 20 };

static enum ms_status inflate_all(struct ms_bytes from, const char *where, uint8_t *to, size_t n,
                                  struct ms_error *err)
{
    z_stream z;
    memset(&z, 0, sizeof z);
    if (inflateInit(&z) != Z_OK)
        return ms_fail_memory(err);
    size_t in_left = from.n, out_left = n;
    z.next_in = (Bytef *)(uintptr_t)from.at;
    z.next_out = to;
    int code = Z_OK;
    /* zlib counts in unsigned int; sections can be longer. */
    while (code == Z_OK && (out_left || z.avail_out || in_left || z.avail_in)) {
        if (!z.avail_in && in_left) {
            z.avail_in = in_left > 1u << 30 ? 1u << 30 : (uInt)in_left;
            in_left -= z.avail_in;
        }
        if (!z.avail_out && out_left) {
            z.avail_out = out_left > 1u << 30 ? 1u << 30 : (uInt)out_left;
            out_left -= z.avail_out;
        }
        code = inflate(&z, Z_NO_FLUSH);
    }
    size_t made = n - out_left - z.avail_out;
    uint64_t consumed = from.n - in_left - z.avail_in;
    inflateEnd(&z);
    if (code == Z_STREAM_END && made == n)
        return MS_OK;
    if (code == Z_MEM_ERROR)
        return ms_fail_memory(err);
    return ms_fail(err, MS_E_FORMAT, where, HEADER + consumed,
                   "compressed section: zlib stream is broken or short: %zu of %zu bytes", made, n);
}

enum ms_status ms_zdebug_inflate(struct ms_bytes section, const char *where, uint8_t **out,
                                 size_t *n, struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(section, true);
    struct ms_bytes magic = ms_cursor_bytes(&c, 4);
    uint64_t size = ms_cursor_u64(&c);
    if (c.bad || memcmp(magic.at, "ZLIB", 4) != 0)
        return ms_fail(err, MS_E_FORMAT, where, 0,
                       "compressed section: expected \"ZLIB\" and a size, found %zu other bytes",
                       section.n);
    struct ms_bytes stream = ms_cursor_bytes(&c, ms_cursor_left(&c));
    if (size / DEFLATE_MAX_RATIO > stream.n || size > SIZE_MAX / 2)
        return ms_fail(err, MS_E_FORMAT, where, 4,
                       "compressed section: %zu bytes cannot hold the %llu that the header claims",
                       stream.n, (unsigned long long)size);
    if (size > MIN_CEILING && size / MAX_RATIO > stream.n)
        return ms_fail(err, MS_E_LIMIT, where, 4,
                       "compressed section: %llu bytes out of %zu is more than %d to 1",
                       (unsigned long long)size, stream.n, MAX_RATIO);
    uint8_t *bytes = malloc(size ? (size_t)size : 1);
    if (!bytes)
        return ms_fail_memory(err);
    enum ms_status status = inflate_all(stream, where, bytes, (size_t)size, err);
    if (status != MS_OK) {
        free(bytes);
        return status;
    }
    *out = bytes;
    *n = (size_t)size;
    return MS_OK;
}
