/*
 * render/nm_library.c: the short names of libraries, as nm -m and otool show them: what is left
 * of an install name without folders, version letter and ".dylib".
 */
#include "render/nm_table.h"

/* Where the last '/' before `end` is; -1 when there is none. */
static long slash_before(const char *path, long end)
{
    while (end > 0)
        if (path[--end] == '/')
            return end;
    return -1;
}

static bool ends_in(const char *at, size_t n, const char *suffix)
{
    size_t m = strlen(suffix);
    return n >= m && memcmp(at + n - m, suffix, m) == 0;
}

/* Frameworks and libraries of developers: Foo_debug and Foo_profile are Foo. */
static size_t without_variant(const char *at, size_t n)
{
    static const char *const variants[] = {"_debug", "_profile"};
    for (size_t i = 0; i < 2; i++)
        if (n > strlen(variants[i]) && ends_in(at, n, variants[i]))
            return n - strlen(variants[i]);
    return n;
}

/* Does the component that ends before the slash `end` read NAME.framework? */
static bool is_framework(const char *path, long end, const char *name, size_t n)
{
    static const char suffix[] = ".framework";
    if (end < 0)
        return false;
    long start = slash_before(path, end) + 1;
    size_t m = (size_t)(end - start);
    return m == n + sizeof suffix - 1 && memcmp(path + start, name, n) == 0 &&
           memcmp(path + start + n, suffix, sizeof suffix - 1) == 0;
}

/* Foo.framework/Foo and Foo.framework/Versions/A/Foo. */
static bool read_framework(const char *path, size_t n, struct nm_library *out)
{
    long last = slash_before(path, (long)n);
    if (last <= 0)
        return false;
    const char *name = path + last + 1;
    size_t m = without_variant(name, n - (size_t)last - 1);
    long version = slash_before(path, last);
    long versions = version > 0 ? slash_before(path, version) : -1;
    bool fits = is_framework(path, last, name, m);
    if (!fits && versions > 0 && version - versions == 9 &&
        memcmp(path + versions, "/Versions", 9) == 0)
        fits = is_framework(path, versions, name, m);
    if (!fits)
        return false;
    out->name = name;
    out->name_bytes = m;
    return true;
}

/* "Foo.A" is Foo: one letter of a version. */
static size_t without_letter(const char *at, size_t n)
{
    return n >= 3 && at[n - 2] == '.' ? n - 2 : n;
}

/* libFoo.A.dylib, libFoo_profile.A.dylib, libFoo.A_profile.dylib and Foo.A.qtx. */
static bool read_file(const char *path, size_t n, struct nm_library *out)
{
    bool is_dylib = ends_in(path, n, ".dylib");
    if (!is_dylib && !ends_in(path, n, ".qtx"))
        return false;
    long start = slash_before(path, (long)n) + 1;
    const char *name = path + start;
    size_t m = n - (size_t)start - (is_dylib ? 6 : 4);
    if (is_dylib)
        m = without_variant(name, without_letter(name, m));
    m = without_letter(name, m);
    if (!m)
        return false;
    out->name = name;
    out->name_bytes = m;
    return true;
}

void nm_short_name(const char *path, size_t n, struct nm_library *out)
{
    if (read_framework(path, n, out) || read_file(path, n, out))
        return;
    out->name = path;
    out->name_bytes = n;
}
