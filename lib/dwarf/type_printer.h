/**
 * dwarf/type_printer.h: what the files that put the names of types together share.
 */
#ifndef MS_DWARF_TYPE_PRINTER_H
#define MS_DWARF_TYPE_PRINTER_H

#include "dwarf/types.h"

/** A name on its way. */
struct ms_type_printer {
    struct ms_types *types;
    struct ms_text *text;
    bool word; /* a word came last: a blank goes between it and what follows */
    int depth;
};

/** True when depth or budget is used up; then the name ends in "...". */
bool ms_type_exhausted(struct ms_type_printer *p);

/** The layer at `off`, of tag 0 (void) with `has` false, or when it can't be read. */
struct ms_type_die ms_type_layer(struct ms_type_printer *p, bool has, uint64_t off);
/** What the layer is made of. */
struct ms_type_die ms_type_of(struct ms_type_printer *p, const struct ms_type_die *die);

/** The children of a layer, one after the other. The unit is a copy: names that are read
 *  meanwhile may open others. */
struct ms_type_children {
    struct ms_unit unit;
    struct ms_walk walk;
};
bool ms_type_children_start(struct ms_type_printer *p, const struct ms_type_die *die,
                            struct ms_type_children *out);
bool ms_type_children_next(struct ms_type_printer *p, struct ms_type_children *children,
                           struct ms_type_die *out);

/** Appends a whole type. */
void ms_type_put(struct ms_type_printer *p, const struct ms_type_die *die);
/** Appends the arguments of a template, unless its name, which was put last, has them. */
void ms_type_put_template(struct ms_type_printer *p, const struct ms_type_die *die);

#endif
