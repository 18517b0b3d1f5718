#if !defined(_DEFAULT_SOURCE) && !defined(__APPLE__)
#define _DEFAULT_SOURCE /* madvise, which POSIX.1-2008 lacks */
#endif

#include "pack/slabs.h"

#include <stdlib.h>
#include <sys/mman.h>

struct ms_slab {
    struct ms_slab *before;
    size_t n;
};

enum { FIRST = 64 << 10, MOST = 8 << 20, LARGE_PAGE = 2 << 20 };

void ms_slabs_fini(struct ms_slabs *s)
{
    while (s->last) {
        struct ms_slab *slab = s->last;
        s->last = slab->before;
        free(slab);
    }
    *s = (struct ms_slabs){NULL, NULL, 0};
}

/* Large pages, where the system has them: one fault for 512, which cost more than filling them. */
static void ask_for_large_pages(void *memory, size_t n)
{
#ifdef MADV_HUGEPAGE
    uintptr_t from = ((uintptr_t)memory + LARGE_PAGE - 1) & ~(uintptr_t)(LARGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)memory + n) & ~(uintptr_t)(LARGE_PAGE - 1);
    if (from < end)
        (void)madvise((void *)from, end - from, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)n;
#endif
}

bool ms_slabs_grow(struct ms_slabs *s, size_t n)
{
    size_t usual = !s->last ? FIRST : s->last->n < MOST / 8 ? s->last->n * 8 : MOST;
    if (n > SIZE_MAX / 2)
        return false;
    if (n < usual)
        n = usual;
    struct ms_slab *slab = malloc(sizeof *slab + n);
    if (!slab)
        return false;
    ask_for_large_pages(slab, sizeof *slab + n);
    *slab = (struct ms_slab){s->last, n};
    s->last = slab;
    s->at = (uint8_t *)(slab + 1);
    s->left = n;
    return true;
}
