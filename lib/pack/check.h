/**
 * pack/check.h: the checksum of an index: the low 32 bits of XXH3 (64 bits, seed 0;
 * https://github.com/Cyan4973/xxHash). A look-up tests every page that it touches, so that
 * counts more than anything else it does: zlib's CRC-32 took a third of the time.
 */
#ifndef MS_PACK_CHECK_H
#define MS_PACK_CHECK_H

#include <stdint.h>

#define XXH_INLINE_ALL /* the header is all of the library */
#include <xxhash.h>

static inline uint32_t ms_check(const void *bytes, size_t n)
{
    return (uint32_t)XXH3_64bits(bytes, n);
}

#endif
