/**
 * dwarf/named.h: what is asked of a table that leads from names to DIEs.
 */
#ifndef MS_DWARF_NAMED_H
#define MS_DWARF_NAMED_H

#include "base/bytes.h"

/** Which DIEs of one name are wanted. */
struct ms_named {
    const char *name;
    uint64_t low, high; /* those that start there, in .debug_info */
    /** Entries of the table that may still be looked at, over all questions: a hostile one has
     *  the same long list behind every name. */
    uint64_t *budget;
    /** Gets the offset of each in .debug_info, in the order of the table. Nothing says that a DIE
     *  starts there, or which. False ends the search. */
    bool (*take)(void *owner, uint64_t die_off);
    void *owner;
};

/** Of the hash that both kinds of table use. */
enum { MS_DJB_START = 5381 };
static inline uint32_t ms_djb_add(uint32_t hash, unsigned char c)
{
    return hash * 33 + c;
}

/** True when one more entry may be looked at. */
static inline bool ms_named_afford(const struct ms_named *named)
{
    if (!*named->budget)
        return false;
    --*named->budget;
    return true;
}

#endif
