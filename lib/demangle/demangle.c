/* Which scheme a name is mangled by, and handing it to that scheme's reader. */
#include "machsym/demangle.h"

#include "demangle/demanglers.h"
#include "demangle/swift.h"

#include <stdlib.h>
#include <string.h>

static bool starts(const char *name, size_t n, const char *prefix)
{
    size_t m = strlen(prefix);
    return n >= m && memcmp(name, prefix, m) == 0;
}

static bool is_swift(const char *name, size_t n)
{
    if (name[0] == '$')
        return name[1] == 's' || name[1] == 'S' || name[1] == 'e';
    if (name[0] == '_')
        return n > 3 && name[1] == 'T' && (name[2] == '0' || name[2] == 't');
    return n > 14 && starts(name, n, "@__swiftmacro_");
}

/* The scheme of a name that has no Mach-O underscore (any more). */
static enum ms_mangling mangling_of(const char *name, size_t n)
{
    if (n < 3 || (name[0] != '_' && name[0] != '$' && name[0] != '@'))
        return MS_MANGLING_NONE;
    if (is_swift(name, n))
        return MS_MANGLING_SWIFT;
    /* A v0 path starts with a capital; a digit would be a version of the scheme to come. */
    if (starts(name, n, "_R") && name[2] >= 'A' && name[2] <= 'Z')
        return MS_MANGLING_RUST_V0;
    if (starts(name, n, "_Z"))
        return ms_rust_legacy_is(name, n) ? MS_MANGLING_RUST_LEGACY : MS_MANGLING_ITANIUM;
    if (starts(name, n, "___Z"))
        return MS_MANGLING_ITANIUM;
    return MS_MANGLING_NONE;
}

/*
 * The same for a name of either kind; *skip is what stands before the mangled name. C++ and
 * its blocks are told apart by the number of underscores: _Z and ___Z in C, __Z and ____Z in
 * a symbol table.
 */
static enum ms_mangling mangling_with_skip(const char *name, size_t n, size_t *skip)
{
    *skip = 0;
    enum ms_mangling mangling = mangling_of(name, n);
    if (mangling == MS_MANGLING_NONE && n && name[0] == '_') {
        *skip = 1;
        mangling = mangling_of(name + 1, n - 1);
    }
    return mangling;
}

size_t ms_mangling_skip(const char *name, size_t n)
{
    size_t skip;
    (void)mangling_with_skip(name, n, &skip);
    return skip;
}

enum ms_mangling ms_mangling_of(const char *name, size_t n)
{
    size_t skip;
    return mangling_with_skip(name, n, &skip);
}

/* snprintf's last step. Returns n. */
static size_t give(const char *text, size_t n, char *out, size_t room)
{
    if (room) {
        size_t k = n < room ? n : room - 1;
        if (k)
            memcpy(out, text, k);
        out[k] = 0;
    }
    return n;
}

static bool swift(const char *name, size_t n, unsigned style, struct ms_text *text)
{
    /* What nearly all names need; the rest comes from malloc. */
    _Alignas(16) char first[12288];
    struct ms_arena arena;
    struct ms_name_fault fault;
    ms_arena_init_on(&arena, MS_SWIFT_ARENA, first, sizeof first);
    const struct ms_swift_node *root = ms_swift_read(&arena, name, n, &fault);
    bool good = root && ms_swift_print(&arena, root, style, text) == MS_NAME_FINE;
    ms_arena_fini(&arena);
    return good;
}

static size_t demangle_as(enum ms_mangling mangling, const char *name, size_t n, unsigned style,
                          char *out, size_t room)
{
    if (mangling == MS_MANGLING_NONE || n > MS_DEMANGLE_INPUT || memchr(name, 0, n))
        return give("", 0, out, room);
    if (mangling == MS_MANGLING_ITANIUM) {
        char *text = ms_llvm_itanium(name, n, style);
        size_t length = give(text ? text : "", text ? strlen(text) : 0, out, room);
        free(text);
        return length;
    }
    char first[1024];
    struct ms_text text;
    ms_text_init_on(&text, ms_demangle_output(n), room > sizeof first ? out : first,
                    room > sizeof first ? room : sizeof first);
    bool good = false;
    if (mangling == MS_MANGLING_RUST_LEGACY)
        good = ms_rust_legacy(name, n, style, &text);
    else if (mangling == MS_MANGLING_RUST_V0)
        good = ms_rust_v0(name, n, style, &text);
    else if (mangling == MS_MANGLING_SWIFT)
        good = swift(name, n, style, &text);
    good = good && !text.failed && text.n;
    size_t length = good ? text.n : 0;
    if (text.at != out)
        give(good ? text.at : "", length, out, room);
    else if (!good)
        out[0] = 0;
    ms_text_fini(&text);
    return length;
}

size_t ms_demangle(const char *name, size_t n, unsigned style, char *out, size_t room)
{
    size_t skip;
    enum ms_mangling mangling = mangling_with_skip(name, n, &skip);
    return demangle_as(mangling, name + skip, n - skip, style, out, room);
}

size_t ms_demangle_symbol(const char *name, size_t n, bool has_underscore, unsigned style,
                          char *out, size_t room)
{
    /* The underscore is taken off first, so that the C function Z3foov (in a symbol table
     * _Z3foov) isn't taken for C++'s foo(). */
    if (has_underscore && n > 1 && name[0] == '_') {
        name++;
        n--;
    }
    size_t length = demangle_as(mangling_of(name, n), name, n, style, out, room);
    return length ? length : give(name, n, out, room);
}
