/**
 * libdwarf/object.h: our sections as the object that libdwarf reads: its own reader of Mach-O
 * files knows no fat ones, none of DWARF 5's sections, and takes seconds over a damaged header.
 *
 * .debug_ranges, .debug_rnglists, .debug_loc and .debug_loclists are kept from it: libdwarf
 * before 0.2.0 frees memory twice on a bad header of the second. Lists are decoded by us.
 */
#ifndef MS_LIBDWARF_OBJECT_H
#define MS_LIBDWARF_OBJECT_H

#include "base/error.h"
#include "dwarf/dwarf.h"

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>

/** The names of two types changed with version 0.1.0, which brought this macro. */
#ifdef DW_LIBDWARF_VERSION
typedef Dwarf_Obj_Access_Interface_a ms_object_interface;
typedef Dwarf_Obj_Access_Methods_a ms_object_methods;
typedef Dwarf_Obj_Access_Section_a ms_object_section;
#else
typedef Dwarf_Obj_Access_Interface ms_object_interface;
typedef Dwarf_Obj_Access_Methods ms_object_methods;
typedef Dwarf_Obj_Access_Section ms_object_section;
#endif

struct ms_debug_object {
    const struct ms_dwarf_sections *sections;
    uint8_t shown[16]; /* which of its sections there are, by a number of our own */
    unsigned n_shown;
    ms_object_interface interface;
    Dwarf_Debug debug;
};

/** Opens them. Borrows `sections`; *out must not move until it is closed. */
enum ms_status ms_debug_object_open(struct ms_debug_object *out,
                                    const struct ms_dwarf_sections *sections, struct ms_error *err);
void ms_debug_object_close(struct ms_debug_object *object);

/** Records libdwarf's own words for its error, and frees that. */
enum ms_status ms_debug_object_fail(const struct ms_debug_object *object, Dwarf_Error error,
                                    uint64_t off, const char *what, struct ms_error *err);

#endif
