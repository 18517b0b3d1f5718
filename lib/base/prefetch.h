/**
 * base/prefetch.h: telling the processor what will be read soon. Where many small things lie far
 * apart, waiting for memory takes most of the time; what is asked for early comes meanwhile.
 */
#ifndef MS_BASE_PREFETCH_H
#define MS_BASE_PREFETCH_H

#include <stddef.h>
#include <stdint.h>

enum { MS_CACHE_LINE = 64 }; /* of most machines; a guess costs nothing but time */

/** Fetches n bytes, wherever they are: an address that can't be read does no harm. */
static inline void ms_prefetch(const void *at, size_t n)
{
    const uintptr_t from = (uintptr_t)at & ~(uintptr_t)(MS_CACHE_LINE - 1);
    const uintptr_t end = (uintptr_t)at + n;
    for (uintptr_t line = from; line < end; line += MS_CACHE_LINE)
        __builtin_prefetch((const void *)line);
}

#endif
