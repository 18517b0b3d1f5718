/**
 * resolve/symbol_hints.h: what a symbol table knows of the functions of a batch of addresses, for
 * the engine, which knows of no symbol table.
 */
#ifndef MS_RESOLVE_SYMBOL_HINTS_H
#define MS_RESOLVE_SYMBOL_HINTS_H

#include "dwarf/dwarf.h"
#include "machsym/macho.h"

/**
 * One pass over nlist: the last symbols at or below each address, and all their names without
 * Mach-O's underscore. An `ask` of struct ms_dwarf_hinter.
 * @param macho  a const struct ms_macho, which must outlive what is handed out
 */
enum ms_status ms_symbol_hints(void *macho, const uint64_t *addresses_vm, size_t n,
                               struct ms_dwarf_hints *out, struct ms_error *err);

/** What that takes: see struct ms_dwarf_hinter. */
uint64_t ms_symbol_hints_cost(const struct ms_macho *macho);

#endif
