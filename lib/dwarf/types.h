/**
 * dwarf/types.h: what a type is called in its source: "const char *", "int (*)(float)",
 * "std::vector<int>". DWARF has a DIE a layer; the name is put together of them.
 *
 * The spelling is that of LLVM's DWARFTypePrinter, so that `DW_AT_type` reads as in
 * llvm-dwarfdump; with two exceptions, where that one stops: `restrict` and `_Atomic` keep
 * the type that they stand before.
 */
#ifndef MS_DWARF_TYPES_H
#define MS_DWARF_TYPES_H

#include "base/index.h"
#include "base/text.h"
#include "dwarf/units.h"
#include "dwarf/walk.h"

enum {
    MS_MAX_TYPE_DEPTH = 96, /* layers and scopes; real: 12 */
    MS_MAX_TYPE_DIES = 4096 /* read for one name; real: 60 */
};

/**
 * Reads types, and remembers which DIE stands in which. Offsets of DIEs are those in .debug_info;
 * .debug_types, of DWARF 4, counts as if it stood right behind it.
 */
struct ms_types {
    struct ms_dwarf *dwarf;
    struct ms_opened_units opened;
    /* Each unit's at most once: dsymutil keeps one copy of a type for all units, so that they
     * refer to each other all the time. */
    struct ms_kept_families {
        uint64_t unit_off;
        struct ms_families families;
    } *kept;
    size_t n_kept, kept_room;
    struct ms_index by_unit; /* into kept */
    uint64_t *type_units;    /* where those of .debug_types start, in it; read when asked for */
    size_t n_type_units, type_units_room;
    bool has_type_units;
    bool no_memory;
    unsigned budget; /* DIEs that may still be read for the name at hand … */
    uint64_t left;   /* … and for all names, those that are passed by as well */
};

/** Zeroes it. `dwarf` is borrowed; `left` is what all names together may cost, in DIEs
 *  read or passed by. */
void ms_types_init(struct ms_types *types, struct ms_dwarf *dwarf, uint64_t left);

void ms_types_fini(struct ms_types *types);

/** What the name of a type hangs on, of one DIE. */
struct ms_type_die {
    uint64_t off;
    uint16_t tag;
    bool children, artificial, reference, rvalue_reference, has_type, has_container;
    bool has_lower, has_upper, has_count, has_const;
    const char *name, *linkage;
    uint64_t type, container; /* offsets of DIEs */
    uint64_t lower, upper, count;
    int64_t constant; /* DW_AT_const_value, a number */
    const char *template_name;
    uint64_t convention;
    uint64_t decl_file, decl_line;
    bool has_origin;
    uint64_t origin; /* abstract origin, else specification */
    bool has_signature;
    uint64_t signature; /* offset of the DIE that a type unit has for it */
};

/** Where a DIE of the unit counts from. */
uint64_t ms_types_base(const struct ms_types *types, const struct ms_unit *unit);

/** Reads the DIE at `off`; false when there is none. */
bool ms_type_die_read(struct ms_types *types, uint64_t off, struct ms_type_die *out);

/**
 * The unit that holds `off`, opened: borrowed until MS_OPENED_UNITS others
 * were asked for. NULL when there is none.
 */
const struct ms_unit *ms_types_unit(struct ms_types *types, uint64_t off);

/** Where a reference leads; false for one that leads nowhere. */
bool ms_types_follow(struct ms_types *types, const struct ms_unit *from,
                     const struct ms_value *value, uint64_t *off);

/** Offset of the DIE that the DIE at `off` is a child of; false for a unit's first. */
bool ms_types_parent(struct ms_types *types, uint64_t off, uint64_t *parent);

/**
 * Swift's compiler puts a bound generic type, which has no size of its own, into a structure
 * without a name, whose only member, nameless, too, is of that type.
 * @return true with *off the type of that member; false when the DIE is something else
 */
bool ms_type_contained(struct ms_types *types, const struct ms_type_die *die, uint64_t *off);

/**
 * Appends the name of the type at `off`, with the scopes it stands in. A type that leads
 * back to itself, or is too deep, ends in "...". `text` fails when memory is out.
 */
void ms_type_name(struct ms_types *types, uint64_t off, struct ms_text *text);

#endif
