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

/* ---- names in running text ------------------------------------------------------------- */

/** A mangled name that was found in a text. All of it is borrowed until the callback returns. */
struct ms_found_name {
    const char *mangled; /**< as it stood there, underscores included; not NUL-terminated */
    size_t n;
    const char *demangled; /**< NUL-terminated; NULL when it could not be read */
    size_t n_demangled;
};

/** Where a filter hands on what it reads. Whatever returns false ends the filtering. */
struct ms_name_filter_sink {
    void *to;
    /**
     * Text that stays as it is: pieces of any size, in order. Together with the names' own
     * bytes it is the whole of the input, byte for byte.
     */
    bool (*text)(void *to, const char *bytes, size_t n);
    /** A name, in its place between the pieces of text: `demangled` is never NULL. */
    bool (*name)(void *to, const struct ms_found_name *name);
    /**
     * What looks like a name and can't be read; it comes as text after this. May be NULL.
     */
    bool (*unread)(void *to, const struct ms_found_name *name);
};

/**
 * Another way to demangle than ms_demangle, whose results and parameters are the same.
 * @param to  what the filter was given with it
 */
typedef size_t (*ms_demangler)(void *to, const char *name, size_t n, unsigned style, char *out,
                               size_t room);

/**
 * Finds every mangled name of any scheme in any bytes: logs, traces, the output of nm, binary
 * junk. A name begins where none of its letters stands before it, and is as long as it can be
 * and still be read; a full stop at the end of a sentence is none of it, ".cold.1" is. What is
 * more likely a variable of a shell ($source, $SS) stays.
 *
 * Holds back no more than a name that has begun (256 KiB; what is longer is text) or a few
 * bytes that could begin one: a text that ends in a line feed is handed on whole. Where memory
 * runs out, names stay mangled and no text is lost. Takes time linear in the text.
 */
struct ms_name_filter;

/**
 * @param style     of enum ms_demangle_style
 * @param demangle  NULL for ms_demangle
 * @param context   for `demangle`
 * @return NULL when memory is out
 */
struct ms_name_filter *ms_name_filter_open(const struct ms_name_filter_sink *sink, unsigned style,
                                           ms_demangler demangle, void *context);
/** Takes NULL. */
void ms_name_filter_close(struct ms_name_filter *filter);
/** The next n bytes, cut anywhere. @return false once a callback did */
bool ms_name_filter_feed(struct ms_name_filter *filter, const char *bytes, size_t n);
/** The end of the text: what was held back is handed on. The filter is ready for another text. */
bool ms_name_filter_finish(struct ms_name_filter *filter);

/* ---- the demanglers of the system ------------------------------------------------------- */

/** Swift's and C++'s own demanglers, out of shared libraries of the system. */
struct ms_system_demangler;

/**
 * Opens those of macOS: Xcode's libswiftDemangle, else libswiftCore, which has the full form
 * alone, and libc++abi.
 * @return MS_OK; MS_E_UNSUPPORTED on other systems; MS_E_IO when there are none; MS_E_NOMEM
 */
enum ms_status ms_system_demangler_open(struct ms_system_demangler **out, struct ms_error *err);
/**
 * The same out of the libraries at these paths, on any system.
 * @param swift  NULL-terminated: the first that has such a function serves
 * @param cxx    the same for __cxa_demangle
 */
enum ms_status ms_system_demangler_open_at(const char *const *swift, const char *const *cxx,
                                           struct ms_system_demangler **out,
                                           struct ms_error *err);
/** Takes NULL. */
void ms_system_demangler_close(struct ms_system_demangler *system);
/** Of enum ms_demangle_style, those that it can do for Swift names; C++ names have one form. */
unsigned ms_system_demangler_styles(const struct ms_system_demangler *system);
/**
 * As ms_demangle, for a filter too (as its ms_demangler, with the demangler as `system`). Rust names,
 * which the system can't read, are read by ms_demangle.
 */
size_t ms_system_demangle(void *system, const char *name, size_t n, unsigned style, char *out,
                          size_t room);

#ifdef __cplusplus
}
#endif
#endif
