/**
 * base/array.h: growing a plain C array that lives in its owner's struct as
 * {items, n, room}. The one place that multiplies a count by a size to allocate.
 */
#ifndef MS_BASE_ARRAY_H
#define MS_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/**
 * Makes room for one item more than `n`. `items_pointer` is the address of the owner's
 * pointer to the items, of whatever type (NULL at first, malloc'ed, freed by the owner).
 * @return false, with the array as it was, when memory is out
 */
bool ms_array_grow(void *items_pointer, size_t n, size_t *room, size_t item_bytes);

/** Makes room for n items in all; else as ms_array_grow. */
bool ms_array_reach(void *items_pointer, size_t n, size_t *room, size_t item_bytes);

/** Appends *item: `MS_PUSH(list->items, list->n, list->room, value)` is false without memory. */
#define MS_PUSH(items, n, room, value)                                                             \
    (ms_array_grow(&(items), (n), &(room), sizeof *(items)) ? ((items)[(n)++] = (value), true)     \
                                                            : false)

#endif
