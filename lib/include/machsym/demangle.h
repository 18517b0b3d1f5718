/**
 * machsym/demangle.h: mangled names as people read them. Usable alone.
 */
#ifndef MACHSYM_DEMANGLE_H
#define MACHSYM_DEMANGLE_H

#include "machsym/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ms_mangling {
    MS_MANGLING_NONE = 0,    /**< not a mangled name: C, Objective-C, … */
    MS_MANGLING_ITANIUM,     /**< C++: _Z, ___Z (blocks) */
    MS_MANGLING_RUST_LEGACY, /**< _ZN…17h<16 hex digits>E */
    MS_MANGLING_RUST_V0,     /**< _R */
    MS_MANGLING_SWIFT        /**< $s, $S, $e, _T0, _Tt, @__swiftmacro_ */
};

/**
 * By which scheme a name is mangled, told from its first characters.
 * `n` bytes at `name`, as in a symbol table or in DWARF: with or without Mach-O's extra
 * leading underscore.
 */
enum ms_mangling ms_mangling_of(const char *name, size_t n);

/**
 * Demangles a name.
 * snprintf-like: writes at most `room` bytes with the NUL to `out` (which may be NULL when
 * room is 0).
 * @return the length of the whole result without the NUL; 0 when the name is not mangled
 *         or not understood (then out holds "")
 */
size_t ms_demangle(const char *name, size_t n, char *out, size_t room);

/**
 * The name to show for a symbol: demangled when that can be done, else without Mach-O's
 * leading underscore ("_main" -> "main", "-[X y]" as it is).
 * @param has_underscore  the name is from a symbol table, so that one leading underscore
 *                        is Mach-O's; false for DWARF names
 * Like ms_demangle otherwise; never 0 for a name of at least one character besides it.
 */
size_t ms_demangle_symbol(const char *name, size_t n, bool has_underscore, char *out, size_t room);

#ifdef __cplusplus
}
#endif
#endif
