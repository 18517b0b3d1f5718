/*
 * Rust's legacy mangling: C++'s nested name with a hash of 17 bytes as its last part, and
 * what C++ can't have in a name written as $…$ and "..".
 *
 * Source of the format: rustc_symbol_mangling::legacy; the escapes as rustc-demangle has them.
 */
#include "demangle/demanglers.h"
#include "demangle/rust_unicode.h"
#include "machsym/demangle.h"

#include <string.h>

/* One <length><bytes> part of the name. */
struct part {
    const char *at;
    size_t n;
};

/* Reads the part at *i and steps over it; false at 'E' and at anything else. */
static bool next_part(const char *name, size_t n, size_t *i, struct part *out)
{
    size_t length = 0, at = *i;
    while (at < n && name[at] >= '0' && name[at] <= '9') {
        length = length * 10 + (size_t)(name[at++] - '0');
        if (length > n)
            return false;
    }
    if (at == *i || length == 0 || length > n - at)
        return false;
    out->at = name + at;
    out->n = length;
    *i = at + length;
    return true;
}

static bool is_hash(struct part part)
{
    if (part.n != 17 || part.at[0] != 'h')
        return false;
    for (size_t i = 1; i < 17; i++)
        if (!strchr("0123456789abcdef", part.at[i]) || !part.at[i])
            return false;
    return true;
}

/* What stands between two '$'; 0 when it is no escape. */
static uint32_t escaped(const char *at, size_t n)
{
    static const struct {
        char code[3], text;
    } escapes[] = {{"SP", '@'}, {"BP", '*'}, {"RF", '&'}, {"LT", '<'},
                   {"GT", '>'}, {"LP", '('}, {"RP", ')'}, {"C", ','}};
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (n == strlen(escapes[i].code) && memcmp(at, escapes[i].code, n) == 0)
            return (uint32_t)escapes[i].text;
    if (n < 2 || n > 7 || at[0] != 'u')
        return 0;
    uint32_t c = 0;
    for (size_t i = 1; i < n; i++) {
        const char *digit = at[i] ? strchr("0123456789abcdef", at[i]) : NULL;
        if (!digit)
            return 0;
        c = c << 4 | (uint32_t)(digit - "0123456789abcdef");
    }
    return c;
}

/* C++ has names with '$' too, but "$_0" and the like, none of these. */
static bool has_escape(struct part part)
{
    for (size_t i = 0; i < part.n; i++) {
        const char *end = part.at[i] == '$' ? memchr(part.at + i + 1, '$', part.n - i - 1) : NULL;
        size_t n = end ? (size_t)(end - part.at) - i - 1 : 0;
        if (end && escaped(part.at + i + 1, n))
            return true;
        i += n;
    }
    return false;
}

/* *end is the index of the 'E' behind the parts, n_parts doesn't count the hash. */
static bool find_end(const char *name, size_t n, size_t *n_parts, size_t *end)
{
    struct part part = {NULL, 0};
    if (n < 3 || memcmp(name, "_ZN", 3) != 0)
        return false;
    bool rust = false;
    *n_parts = 0;
    *end = 3;
    while (next_part(name, n, end, &part)) {
        ++*n_parts;
        rust = rust || has_escape(part);
    }
    if (*end >= n || name[*end] != 'E')
        return false;
    if (*n_parts >= 2 && is_hash(part)) {
        --*n_parts;
        return true;
    }
    return rust;
}

bool ms_rust_legacy_is(const char *name, size_t n)
{
    size_t n_parts, end;
    return find_end(name, n, &n_parts, &end) && (end + 1 == n || name[end + 1] == '.');
}

static void put_part(struct ms_text *out, struct part part)
{
    size_t i = 0;
    /* A leading escape is kept apart from the length before it by an underscore. */
    if (part.n > 1 && part.at[0] == '_' && part.at[1] == '$')
        i = 1;
    while (i < part.n) {
        size_t left = part.n - i;
        if (part.at[i] == '.') {
            bool two = left > 1 && part.at[i + 1] == '.';
            ms_text_puts(out, two ? "::" : ".");
            i += two ? 2 : 1;
        } else if (part.at[i] == '$') {
            const char *end = memchr(part.at + i + 1, '$', left - 1);
            size_t n = end ? (size_t)(end - part.at) - i - 1 : 0;
            if (!end || !ms_rust_put_code_point(out, escaped(part.at + i + 1, n))) {
                /* An escape of a later compiler: the rest stands as it is. */
                ms_text_add(out, part.at + i, left);
                return;
            }
            i += n + 2;
        } else {
            size_t n = 1;
            while (n < left && part.at[i + n] != '$' && part.at[i + n] != '.')
                n++;
            ms_text_add(out, part.at + i, n);
            i += n;
        }
    }
}

bool ms_rust_suffix(const char *suffix, size_t n, unsigned style, struct ms_text *out)
{
    for (size_t i = 0; i < n; i++)
        if (suffix[i] <= ' ' || suffix[i] > '~' || (i == 0 && suffix[0] != '.'))
            return false;
    /* ThinLTO's ".llvm.9D1C9369", also with "@@16", tells nothing about the function. */
    if (n >= 6 && memcmp(suffix, ".llvm.", 6) == 0) {
        size_t i = 6;
        while (i < n && strchr("0123456789ABCDEF@", suffix[i]))
            i++;
        if (i == n)
            return true;
    }
    if (!(style & MS_DEMANGLE_FOLD))
        ms_text_add(out, suffix, n);
    return true;
}

bool ms_rust_legacy(const char *name, size_t n, unsigned style, struct ms_text *out)
{
    size_t n_parts, end, i = 3;
    if (!find_end(name, n, &n_parts, &end))
        return false;
    for (size_t k = 0; k < n_parts; k++) {
        struct part part;
        if (!next_part(name, n, &i, &part))
            return false;
        if (k)
            ms_text_puts(out, "::");
        put_part(out, part);
    }
    return ms_rust_suffix(name + end + 1, n - end - 1, style, out);
}
