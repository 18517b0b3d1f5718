/**
 * base/bytes.h: cutting borrowed bytes, and arithmetic that cannot wrap. An offset or
 * a size out of a file becomes a pointer only through ms_bytes_part.
 */
#ifndef MS_BASE_BYTES_H
#define MS_BASE_BYTES_H

#include "machsym/types.h"

#include <string.h>

/**
 * The part of `in` that starts at byte `off` and is `n` bytes long. Both come from
 * untrusted headers, so the test is on what remains; nothing is added first.
 * @return false, with *out empty, when the part does not lie whole inside `in`
 */
static inline bool ms_bytes_part(struct ms_bytes in, uint64_t off, uint64_t n,
                                 struct ms_bytes *out)
{
    if (off > in.n || n > in.n - off) {
        out->at = NULL;
        out->n = 0;
        return false;
    }
    out->at = in.at ? in.at + off : NULL;
    out->n = (size_t)n;
    return true;
}

/** The part from `off` to the end; false when `off` lies past the end. */
static inline bool ms_bytes_from(struct ms_bytes in, uint64_t off, struct ms_bytes *out)
{
    return ms_bytes_part(in, off, off <= in.n ? in.n - off : 0, out);
}

/**
 * The NUL-terminated string at `off`, NULL when it starts outside `in` or has no NUL
 * before its end. `length`, when not NULL, is its length.
 */
static inline const char *ms_bytes_string(struct ms_bytes in, uint64_t off, size_t *length)
{
    if (off >= in.n)
        return NULL;
    const char *at = (const char *)in.at + off;
    const char *end = (const char *)memchr(at, 0, in.n - (size_t)off);
    if (!end)
        return NULL;
    if (length)
        *length = (size_t)(end - at);
    return at;
}

/** True when the sum or the product does not fit; *out is then unspecified. */
static inline bool ms_add_overflows(uint64_t a, uint64_t b, uint64_t *out)
{
    return __builtin_add_overflow(a, b, out);
}
static inline bool ms_mul_overflows(uint64_t a, uint64_t b, uint64_t *out)
{
    return __builtin_mul_overflow(a, b, out);
}

#endif
