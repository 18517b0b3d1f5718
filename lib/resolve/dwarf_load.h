/**
 * resolve/dwarf_load.h: from the sections of a Mach-O to a reader of its debug information.
 */
#ifndef MS_RESOLVE_DWARF_LOAD_H
#define MS_RESOLVE_DWARF_LOAD_H

#include "dwarf/dwarf.h"
#include "machsym/macho.h"

/** A reader and what it borrows from. Zeroed is empty. */
struct ms_loaded_dwarf {
    struct ms_dwarf *reader;
    struct ms_dwarf_sections sections;
    struct ms_dwarf_range *code; /* owned */
    uint8_t *owned[24];          /* decompressed and relocated sections */
    size_t n_owned;
    char where[320];
};

/**
 * Opens a reader over the DWARF sections of `macho`, which must outlive it: compressed ones are
 * inflated, and those of an object file relocated, each into memory of its own.
 * @return MS_ABSENT when there is no debug_info; MS_E_*. *out is to be closed in any case
 */
enum ms_status ms_dwarf_load(const struct ms_macho *macho, struct ms_loaded_dwarf *out,
                             struct ms_error *err);
/** Closes the reader; the sections, whose strings may be in use, stay. */
void ms_dwarf_load_rest(struct ms_loaded_dwarf *loaded);
/** The reader again, after ms_dwarf_load_rest. */
enum ms_status ms_dwarf_load_wake(struct ms_loaded_dwarf *loaded, struct ms_error *err);
void ms_dwarf_unload(struct ms_loaded_dwarf *loaded);

#endif
