/**
 * dwarf/walk.h: the DIEs of a unit one after the other, in the order of the section, without
 * looking at their attributes; and which DIE each stands in.
 */
#ifndef MS_DWARF_WALK_H
#define MS_DWARF_WALK_H

#include "dwarf/unit.h"

/** One entry of the tree. */
struct ms_walk_die {
    size_t off;                     /* from the unit's start */
    const struct ms_abbrev *abbrev; /* NULL: the entry that ends a list of children */
    uint32_t depth;                 /* of the DIE; 0 = the one that the walk began at */
};

struct ms_walk {
    const struct ms_unit *unit;
    size_t at;
    uint32_t depth;
    bool over;
    const char *fault; /* what was wrong; NULL = nothing */
};

/** Starts at the DIE at `off`, which must lie in the unit; it ends behind its last child. */
void ms_walk_start(struct ms_walk *walk, const struct ms_unit *unit, uint64_t off);

/** The next DIE or end of children; false at the end, which a fault also is. */
bool ms_walk_next(struct ms_walk *walk, struct ms_walk_die *out);

/**
 * Passes over the children of the DIE that ms_walk_next gave last, when it has DW_AT_sibling
 * or not: DIEs there are not handed on.
 */
void ms_walk_over(struct ms_walk *walk, const struct ms_walk_die *die);

/* ---- parents ----------------------------------------------------------------------------- */

/** A DIE with children. */
struct ms_family {
    uint32_t off, end; /* of the DIE and everything in it, from the unit's start */
    uint32_t parent;   /* index; MS_NO_FAMILY for the first */
    uint16_t tag;
};
#define MS_NO_FAMILY UINT32_MAX

/** All DIEs of a unit that have children, ascending. Zeroed is none. */
struct ms_families {
    struct ms_family *items;
    size_t n, room;
};

/**
 * Fills *out from the unit. What stands before a fault is kept.
 * @return false without memory
 */
bool ms_families_read(const struct ms_unit *unit, struct ms_families *out);
void ms_families_fini(struct ms_families *families);

/** The innermost family that the DIE at `off` is a child of; NULL for the unit's first. */
const struct ms_family *ms_families_find(const struct ms_families *families, uint64_t off);

#endif
