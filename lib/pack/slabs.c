#include "pack/slabs.h"

#include <stdlib.h>

struct ms_slab {
    struct ms_slab *before;
    size_t n;
};

enum { FIRST = 64 << 10, MOST = 8 << 20 };

void ms_slabs_fini(struct ms_slabs *s)
{
    while (s->last) {
        struct ms_slab *slab = s->last;
        s->last = slab->before;
        free(slab);
    }
    *s = (struct ms_slabs){NULL, NULL, 0};
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
    *slab = (struct ms_slab){s->last, n};
    s->last = slab;
    s->at = (uint8_t *)(slab + 1);
    s->left = n;
    return true;
}
