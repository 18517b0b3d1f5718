#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool ms_array_grow(void *items_pointer, size_t n, size_t *room, size_t item_bytes)
{
    if (n < *room)
        return true;
    /* Copied in and out, since the owner's pointer has a type of its own. */
    void *items;
    memcpy(&items, items_pointer, sizeof items);
    size_t larger = *room ? *room + *room / 2 + 1 : 8;
    if (larger > SIZE_MAX / item_bytes)
        return false;
    void *at = realloc(items, larger * item_bytes);
    if (!at)
        return false;
    memcpy(items_pointer, &at, sizeof at);
    *room = larger;
    return true;
}

bool ms_array_reach(void *items_pointer, size_t n, size_t *room, size_t item_bytes)
{
    while (*room < n)
        if (!ms_array_grow(items_pointer, *room, room, item_bytes))
            return false;
    return true;
}
