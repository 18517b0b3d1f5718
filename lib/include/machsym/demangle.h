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

/** How a name is to be printed; flags. */
enum ms_demangle_style {
    MS_DEMANGLE_FULL = 0, /**< as swift-demangle, c++filt and rustfilt print it */
    /**
     * As atos, Xcode and crash reports print it: Swift without modules, argument types, results
     * and where clauses. Other languages' names read alike in both styles.
     */
    MS_DEMANGLE_SIMPLIFIED = 1,
    /** Without parameters: foo instead of foo(a:_:) or foo(int). */
    MS_DEMANGLE_NO_PARAMS = 2,
    /**
     * The function that somebody wrote, without what the compiler did to it: async resume
     * parts, partial application, merged and specialised bodies, outlined and cold parts,
     * thunks of one function.
     */
    MS_DEMANGLE_FOLD = 4
};

/**
 * Demangles a name.
 * snprintf-like: writes at most `room` bytes with the NUL to `out` (which may be NULL when
 * room is 0). Allocates nothing for names of ordinary length.
 * @param style  of enum ms_demangle_style
 * @return the length of the whole result without the NUL; 0 when the name is not mangled
 *         or not understood (then out holds "")
 */
size_t ms_demangle(const char *name, size_t n, unsigned style, char *out, size_t room);

/**
 * The name to show for a symbol: demangled when that can be done, else without Mach-O's
 * leading underscore ("_main" -> "main", "-[X y]" as it is).
 * @param has_underscore  the name is from a symbol table, so that one leading underscore
 *                        is Mach-O's; false for DWARF names
 * Like ms_demangle otherwise; never 0 for a name of at least one character besides it.
 */
size_t ms_demangle_symbol(const char *name, size_t n, bool has_underscore, unsigned style,
                          char *out, size_t room);

/** Why a name of a known scheme could not be read. */
enum ms_name_fault_kind {
    MS_NAME_FINE = 0,
    MS_NAME_UNKNOWN_OPERATOR, /**< newer than this library, or none */
    MS_NAME_MALFORMED,        /**< an operator without its operands, a name cut short */
    MS_NAME_TOO_LARGE,        /**< beyond the limits on depth, length, or memory */
    MS_NAME_NO_MEMORY
};

struct ms_name_fault {
    enum ms_name_fault_kind kind;
    size_t at;  /**< byte in the name */
    char op[4]; /**< UNKNOWN_OPERATOR: its letters, as far as they were read */
};

/** What a name is the name of. */
enum ms_name_kind {
    MS_NAME_OTHER = 0,
    MS_NAME_FUNCTION,    /**< functions, methods, operators */
    MS_NAME_INITIALIZER, /**< init, also of variables and default arguments */
    MS_NAME_DEINITIALIZER,
    MS_NAME_ACCESSOR, /**< getters, setters, … */
    MS_NAME_CLOSURE,
    MS_NAME_VARIABLE,
    MS_NAME_TYPE,
    MS_NAME_METADATA,      /**< metadata, descriptors, and their accessors */
    MS_NAME_WITNESS_TABLE, /**< with value witness tables, and their accessors */
    MS_NAME_VALUE_WITNESS,
    MS_NAME_OUTLINED, /**< outlined copy, destroy, … of a value of a type */
    MS_NAME_THUNK,    /**< of no one function: reabstraction, key paths, completion handlers */
    MS_NAME_MACRO
};
/** "function", "metadata", … */
const char *ms_name_kind_text(enum ms_name_kind kind);

/** A name, described. */
struct ms_name {
    enum ms_mangling mangling;
    enum ms_name_kind kind;
    char module[128];  /**< of a Swift name, crate of a Rust one; "" unknown or too long */
    bool thunk;        /**< witness, dispatch, curry, partial apply, @objc, … */
    bool async_resume; /**< a part of an async function, after an await */
    bool specialized;
    bool merged;
    bool outlined; /**< outlined code or data of a function, or kind OUTLINED; ".cold" */
    bool is_static;
    struct ms_name_fault fault; /**< when it could not be read */
};

/** Describes a name. All of it is 0 but the mangling and fault when it can't be read. */
void ms_demangle_describe(const char *name, size_t n, struct ms_name *out);

#ifdef __cplusplus
}
#endif
#endif
