/*
 * demangle/demanglers.h: one reader a mangling scheme, all of one shape: n bytes of a whole
 * name, without Mach-O's extra underscore, in; text appended; false, with whatever was
 * appended to be thrown away, for a name that isn't of the scheme or that would take more
 * than its share of memory, depth or time.
 */
#ifndef MS_DEMANGLE_DEMANGLERS_H
#define MS_DEMANGLE_DEMANGLERS_H

#include "base/text.h"

/* Real mangled names reach 5,000 bytes, expression templates ten times that. */
#define MS_DEMANGLE_INPUT ((size_t)1 << 18)
/* And what is made of them: substitutions double a name's text every few bytes, so that a
 * crafted name of 200 bytes means gigabytes. */
#define MS_DEMANGLE_OUTPUT ((size_t)1 << 20)

/* Of Swift names 276,000 real ones mean 14 times their length at most, and 2,400 bytes, of Rust's
 * v0 names 4 times and 3,100. A text or binary full of crafted ones shall cost what is in
 * proportion to it. */
static inline size_t ms_demangle_output(size_t n)
{
    size_t most = ((size_t)1 << 16) + 64 * n;
    return most < MS_DEMANGLE_OUTPUT ? most : MS_DEMANGLE_OUTPUT;
}

/* Mach-O's underscore before a mangled name: 0 or 1 bytes. */
size_t ms_mangling_skip(const char *name, size_t n);

/*
 * _ZN…17h<16 hex digits>E, what rustc made until 2025; also without the hash where one of Rust's
 * own escapes ($LT$) tells it from C++. `style` is of enum ms_demangle_style, of which FOLD means
 * something here and below: no suffix.
 */
bool ms_rust_legacy_is(const char *name, size_t n);
bool ms_rust_legacy(const char *name, size_t n, unsigned style, struct ms_text *out);

/* What LLVM's passes hang on to a finished Rust name (".cold", ".llvm.123"): kept as it is but
 * for the latter, as rustc-demangle has it; with FOLD nothing is. False when it is no such suffix.
 */
bool ms_rust_suffix(const char *suffix, size_t n, unsigned style, struct ms_text *out);

/* _R…: RFC 2603. */
bool ms_rust_v0(const char *name, size_t n, unsigned style, struct ms_text *out);

/**
 * Itanium C++ ABI, and clang's names of blocks, through LLVM's parser (llvm_demangle.cpp).
 * @param style  of enum ms_demangle_style, of which NO_PARAMS and FOLD mean something here
 * @return the demangled name, malloc'ed, NUL-terminated, or NULL
 */
#ifdef __cplusplus
extern "C" {
#endif
char *ms_llvm_itanium(const char *name, size_t n, unsigned style);

/** Fills kind and thunk of *out. False, with its fault filled, when the name can't be read. */
struct ms_name;
bool ms_llvm_describe(const char *name, size_t n, struct ms_name *out);
#ifdef __cplusplus
}
#endif

#endif
