/*
 * demangle/rust_unicode.h: what Rust's names need of Unicode: UTF-8, punycode identifiers, and
 * characters as they stand in a Rust literal.
 */
#ifndef MS_DEMANGLE_RUST_UNICODE_H
#define MS_DEMANGLE_RUST_UNICODE_H

#include "base/text.h"

/** Appends a code point; false when it is none, or a control character. */
bool ms_rust_put_code_point(struct ms_text *out, uint64_t c);

/** The first code point of n bytes of UTF-8. Returns its length, 0 when it is malformed. */
size_t ms_rust_utf8(const uint8_t *bytes, size_t n, uint32_t *out);

/** Appends a code point as Rust's escape_debug does within the quotes given; false for none. */
bool ms_rust_put_escaped(struct ms_text *out, uint64_t c, char quote);

/**
 * Appends an identifier in punycode (RFC 3492), whose delimiter is '_' in Rust.
 * False when it is malformed or unreasonably long.
 */
bool ms_rust_punycode(const char *at, size_t n, struct ms_text *out);

#endif
