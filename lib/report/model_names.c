/* What a name in a report is worth, and which image it can mean. */
#include "report/model.h"

#include <string.h>

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_upper(c) || is_lower(c) || is_digit(c) || c == '_';
}

/* Itanium C++ behind its 'Z'. Without underscores it is what is left after a tool has taken the
 * only one away (PLCrashReporter): then only nested and local names are believed. */
static bool is_itanium(const char *name, bool underscore)
{
    if (underscore)
        return is_word(name[0]) && name[0] != '_';
    if (name[0] == 'L')
        return is_digit(name[1]);
    if (name[0] != 'N')
        return false;
    name += name[1] == 'K' || name[1] == 'V' || name[1] == 'R' || name[1] == 'O' ? 2 : 1;
    return is_digit(name[0]) || (name[0] == 'S' && is_word(name[1]));
}

/*
 * Swift 3's _TF…, Swift 4's _T0…, the runtime's _TtC…. The letters are those that a Swift 3
 * symbol can begin with; libtiff's _TIFF… and the privacy service's __TCC… are C.
 */
static bool is_old_swift(const char *name)
{
    if (strncmp(name, "IFF", 3) == 0)
        return false;
    return name[0] == '0' || (name[0] == 't' && is_upper(name[1])) ||
           (name[0] && strchr("FMWTPZILO", name[0]) && is_word(name[1]));
}

static bool is_rust_v0(const char *name)
{
    static const char path[] = "CMXYNIB";
    if (name[0] == 'N')
        return (is_upper(name[1]) || is_lower(name[1])) && name[2] && strchr(path, name[2]);
    return (name[0] == 'I' || name[0] == 'M' || name[0] == 'X' || name[0] == 'Y') && name[1] &&
           (strchr(path, name[1]) || name[1] == 's');
}

bool ms_symbol_is_mangled(const char *symbol)
{
    const char *name = symbol;
    while (*name == '_' && name - symbol < 4)
        name++;
    bool underscore = name > symbol;
    if (name[0] == '$' && (name[1] == 's' || name[1] == 'S' || name[1] == 'e'))
        return is_word(name[2]);
    if (strncmp(name, "@__swiftmacro_", 14) == 0)
        return true;
    if (name[0] == 'Z')
        return is_itanium(name + 1, underscore);
    if (underscore && name[0] == 'T')
        return is_old_swift(name + 1);
    return underscore && name[0] == 'R' && is_rust_v0(name + 1);
}

/* "0x1025f8000", "???" and what tools write for a function that they don't know either. */
static bool is_placeholder(const char *symbol)
{
    static const char *const whole[] = {
        "",
        "???",
        "(null)",
        "<redacted>",
        "&lt;redacted&gt;",
        "<unknown>",
        /* The first symbol of every image, which in-process tools find for all stripped code. */
        "_mh_execute_header",
        "__mh_execute_header",
        "_mh_dylib_header",
        "__mh_dylib_header",
    };
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (strcmp(symbol, whole[i]) == 0)
            return true;
    if (strncmp(symbol, "___lldb_unnamed_symbol", 22) == 0)
        return true;
    return symbol[0] == '0' && (symbol[1] == 'x' || symbol[1] == 'X') &&
           symbol[2 + strspn(symbol + 2, "0123456789abcdefABCDEF")] == 0;
}

bool ms_symbol_is_name(const char *symbol, const char *image_name)
{
    return symbol && !is_placeholder(symbol) && (!image_name || strcmp(symbol, image_name) != 0);
}

bool ms_symbol_is_kept(const char *symbol, const char *image_name)
{
    return ms_symbol_is_name(symbol, image_name) && !ms_symbol_is_mangled(symbol);
}

bool ms_symbol_is_trampoline(const char *symbol)
{
    if (!symbol)
        return false;
    while (*symbol == '_')
        symbol++;
    return strcmp(symbol, "sigtramp") == 0;
}

/* True when the n bytes at `text` end in the m bytes at `end`. */
static bool ends_with(const char *text, size_t n, const char *end, size_t m)
{
    return m <= n && memcmp(text + (n - m), end, m) == 0;
}

static bool fits_one(const char *a, size_t n, bool cut, const char *name)
{
    if (!name || !*name || n == 0)
        return false;
    size_t m = strlen(name);
    if (cut)
        return ends_with(name, m, a, n);
    if (n == m && memcmp(a, name, n) == 0)
        return true;
    /* A bundle identifier here and a file name there: com.example.Widget, Widget. */
    if (n > m)
        return a[n - m - 1] == '.' && ends_with(a, n, name, m);
    return n < m && name[m - n - 1] == '.' && ends_with(name, m, a, n);
}

bool ms_image_name_fits(const char *a, const char *name, const char *path)
{
    bool cut = false;
    if (a[0] == '+') /* not part of the system */
        a += 1 + strspn(a + 1, " ");
    if (strncmp(a, "...", 3) == 0 || strncmp(a, "\xe2\x80\xa6", 3) == 0) {
        cut = true;
        a += 3;
    }
    const char *slash = strrchr(a, '/');
    if (slash)
        a = slash + 1;
    size_t n = strlen(a);
    if (n > 4 && ends_with(a, n, " (*)", 4)) /* jailbreak tools mark the suspects */
        n -= 4;
    slash = path ? strrchr(path, '/') : NULL;
    return fits_one(a, n, cut, name) || fits_one(a, n, cut, slash ? slash + 1 : path);
}

bool ms_register_is_control(const char *reg)
{
    static const char *const names[] = {"pc", "lr", "rip", "eip", "srr0", "x30"};
    for (size_t i = 0; reg && i < sizeof names / sizeof *names; i++)
        if (strcmp(reg, names[i]) == 0)
            return true;
    return false;
}
