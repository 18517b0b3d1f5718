#include "common/name_set.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 1000000 };

/* FNV-1a twice, from different beginnings, and mixed. */
static struct name_mark mark_of(const char *name, size_t n)
{
    struct name_mark mark = {0xcbf29ce484222325u, 0x9ae16a3b2f90404fu};
    for (size_t i = 0; i < n; i++) {
        mark.a = (mark.a ^ (unsigned char)name[i]) * 0x100000001b3u;
        mark.b = (mark.b ^ (unsigned char)name[i]) * 0x9e3779b97f4a7c15u;
        mark.b ^= mark.b >> 31;
    }
    mark.b |= 1; /* never free */
    return mark;
}

static bool put(struct name_set *set, struct name_mark mark)
{
    size_t i = (size_t)(mark.a ^ mark.a >> 32) & (set->room - 1);
    for (; set->marks[i].b; i = (i + 1) & (set->room - 1))
        if (set->marks[i].a == mark.a && set->marks[i].b == mark.b)
            return false;
    set->marks[i] = mark;
    set->n++;
    return true;
}

static bool grow(struct name_set *set)
{
    struct name_set larger = {NULL, 0, set->room ? set->room * 2 : 64};
    larger.marks = calloc(larger.room, sizeof *larger.marks);
    if (!larger.marks)
        return false;
    for (size_t i = 0; i < set->room; i++)
        if (set->marks[i].b)
            put(&larger, set->marks[i]);
    free(set->marks);
    *set = larger;
    return true;
}

bool name_set_add(struct name_set *set, const char *name, size_t n)
{
    if (set->n == MOST_NAMES || (set->n * 2 >= set->room && !grow(set)))
        return false;
    return put(set, mark_of(name, n));
}

void name_set_fini(struct name_set *set)
{
    free(set->marks);
    memset(set, 0, sizeof *set);
}
