/* What a name is the name of: by its scheme's reader, or by what the reader printed. */
#include "demangle/demanglers.h"
#include "demangle/swift.h"
#include "machsym/demangle.h"

#include <string.h>

const char *ms_name_kind_text(enum ms_name_kind kind)
{
    static const char *const texts[] = {
        [MS_NAME_OTHER] = "other",
        [MS_NAME_FUNCTION] = "function",
        [MS_NAME_INITIALIZER] = "initializer",
        [MS_NAME_DEINITIALIZER] = "deinitializer",
        [MS_NAME_ACCESSOR] = "accessor",
        [MS_NAME_CLOSURE] = "closure",
        [MS_NAME_VARIABLE] = "variable",
        [MS_NAME_TYPE] = "type",
        [MS_NAME_METADATA] = "metadata",
        [MS_NAME_WITNESS_TABLE] = "witness-table",
        [MS_NAME_VALUE_WITNESS] = "value-witness",
        [MS_NAME_OUTLINED] = "outlined",
        [MS_NAME_THUNK] = "thunk",
        [MS_NAME_MACRO] = "macro",
    };
    return (size_t)kind < sizeof texts / sizeof *texts ? texts[kind] : "other";
}

/* Is there a text for the tree? A getter of what is no variable can be read, and says nothing. */
static enum ms_name_fault_kind try_to_print(struct ms_arena *arena,
                                            const struct ms_swift_node *root, size_t n)
{
    char first[1024];
    struct ms_text text;
    ms_text_init_on(&text, ms_demangle_output(n), first, sizeof first);
    enum ms_name_fault_kind fault = ms_swift_print(arena, root, MS_DEMANGLE_FULL, &text);
    if (fault == MS_NAME_FINE && !text.n)
        fault = MS_NAME_MALFORMED;
    ms_text_fini(&text);
    return fault;
}

static bool describe_swift(const char *name, size_t n, struct ms_name *out)
{
    _Alignas(16) char first[12288];
    struct ms_arena arena;
    ms_arena_init_on(&arena, MS_SWIFT_ARENA, first, sizeof first);
    const struct ms_swift_node *root = ms_swift_read(&arena, name, n, &out->fault);
    bool good = root;
    if (root) {
        out->fault.kind = try_to_print(&arena, root, n);
        out->fault.at = out->fault.kind == MS_NAME_MALFORMED ? n : 0;
        good = out->fault.kind == MS_NAME_FINE;
    }
    if (good)
        ms_swift_describe(root, out);
    ms_arena_fini(&arena);
    return good;
}

static bool in_identifier(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           (unsigned char)c >= 0x80;
}

/* The crate is what a path begins with; of <T as Trait>::f that of neither is known here. */
static void take_crate(const char *text, struct ms_name *out)
{
    text += strspn(text, "<");
    size_t n = 0;
    while (in_identifier(text[n]))
        n++;
    if (strncmp(text + n, "::", 2) == 0 && n < sizeof out->module) {
        memcpy(out->module, text, n);
        out->module[n] = 0;
    }
}

/* Rust's names tell functions from statics by custom alone: FOO is one, foo is none. */
static enum ms_name_kind rust_kind(const char *text)
{
    const char *last = text;
    for (const char *c = strstr(text, "::"); c; c = strstr(c + 2, "::"))
        last = c + 2;
    if (strncmp(last, "{closure", 8) == 0 || strncmp(last, "{{closure", 9) == 0)
        return MS_NAME_CLOSURE;
    size_t n = strspn(last, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    bool is_static = n > 1 && !last[n] && last[0] != '_';
    return is_static ? MS_NAME_VARIABLE : MS_NAME_FUNCTION;
}

static bool describe_rust(const char *name, size_t n, struct ms_name *out)
{
    char first[1024];
    struct ms_text text;
    ms_text_init_on(&text, ms_demangle_output(n), first, sizeof first);
    bool good = out->mangling == MS_MANGLING_RUST_V0
                    ? ms_rust_v0(name, n, MS_DEMANGLE_FOLD, &text)
                    : ms_rust_legacy(name, n, MS_DEMANGLE_FOLD, &text);
    good = good && !text.failed && text.n;
    if (good) {
        take_crate(text.at, out);
        out->kind = rust_kind(text.at);
        out->thunk = strstr(text.at, "::{shim") != NULL;
    }
    ms_text_fini(&text);
    return good;
}

static bool is_cold(const char *name, size_t n)
{
    const char *dot = n > 5 ? memchr(name, '.', n) : NULL;
    for (; dot; dot = memchr(dot + 1, '.', n - (size_t)(dot + 1 - name)))
        if (n - (size_t)(dot - name) >= 5 && memcmp(dot, ".cold", 5) == 0)
            return true;
    return false;
}

void ms_demangle_describe(const char *name, size_t n, struct ms_name *out)
{
    memset(out, 0, sizeof *out);
    out->mangling = ms_mangling_of(name, n);
    if (out->mangling == MS_MANGLING_NONE)
        return;
    if (n > MS_DEMANGLE_INPUT || memchr(name, 0, n)) {
        out->fault.kind = n > MS_DEMANGLE_INPUT ? MS_NAME_TOO_LARGE : MS_NAME_MALFORMED;
        return;
    }
    /* Without Mach-O's underscore, as ms_mangling_of takes it off. */
    size_t skip = ms_mangling_skip(name, n);
    bool good;
    if (out->mangling == MS_MANGLING_SWIFT)
        good = describe_swift(name + skip, n - skip, out);
    else if (out->mangling == MS_MANGLING_ITANIUM)
        good = ms_llvm_describe(name + skip, n - skip, out);
    else
        good = describe_rust(name + skip, n - skip, out);
    if (good) {
        out->outlined = out->outlined || is_cold(name + skip, n - skip);
        return;
    }
    struct ms_name_fault fault = out->fault;
    enum ms_mangling mangling = out->mangling;
    memset(out, 0, sizeof *out);
    out->mangling = mangling;
    out->fault = fault;
    out->fault.at += skip;
    if (fault.kind == MS_NAME_FINE)
        out->fault.kind = MS_NAME_MALFORMED;
}
