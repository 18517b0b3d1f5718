/**
 * macho/debug_map.h: the debug map for whoever wants one function of it, not the whole.
 */
#ifndef MS_MACHO_DEBUG_MAP_H
#define MS_MACHO_DEBUG_MAP_H

#include "machsym/debugmap.h"

/** A function of the map and the object that it came from; `object.first` and `.n` are those
 *  of the whole map's symbols. */
struct ms_map_function {
    struct ms_map_symbol symbol;
    struct ms_map_object object;
};

/** True when the symbol table names an object file. */
bool ms_debug_map_exists(const struct ms_macho *image);

/**
 * The function that holds the address: one pass over the symbol table that keeps nothing. Of
 * several the first, as in the whole map. MS_ABSENT when none does.
 */
enum ms_status ms_debug_map_function_at(const struct ms_macho *image, uint64_t address_vm,
                                        struct ms_map_function *out);

#endif
