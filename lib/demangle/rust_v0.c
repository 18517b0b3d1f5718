/*
 * Rust's v0 mangling: a prefix code of paths, types and constants, which may refer back to
 * what stands earlier in the name. Reading and printing are one pass; a back reference
 * is read again at its place. That makes a name's text, and the time for it, exponential in
 * its length at worst, so that steps, depth and text each have their ceiling.
 *
 * Source of the format: RFC 2603 and rustc's symbol-mangling chapter. Printed as rustc-demangle
 * prints in its alternate form: no hashes of crates, no types of constants.
 */
#include "demangle/demanglers.h"
#include "demangle/rust_unicode.h"
#include "demangle/rust_v0_read.h"

#include <string.h>

static void put_path(struct ms_v0 *v, bool in_value);
static void put_type(struct ms_v0 *v);
static void put_const(struct ms_v0 *v, bool in_value);

/*
 * A back reference: reads at an earlier place and returns. `put` is what the place should
 * hold. The 'B' was read already.
 */
#define FOLLOW(v, put)                                                                             \
    do {                                                                                           \
        size_t back_ = ms_v0_take_back(v);                                                         \
        size_t here_ = (v)->next;                                                                  \
        if (!(v)->bad && !(v)->quiet) {                                                            \
            (v)->next = back_;                                                                     \
            put;                                                                                   \
            if (!(v)->bad)                                                                         \
                (v)->next = here_;                                                                 \
        }                                                                                          \
    } while (0)

/* ---- printing ------------------------------------------------------------------------ */

static void put(struct ms_v0 *v, const char *text)
{
    if (!v->quiet && !v->bad)
        ms_text_puts(v->out, text);
}

static void put_n(struct ms_v0 *v, const char *text, size_t n)
{
    if (!v->quiet && !v->bad)
        ms_text_add(v->out, text, n);
}

static void put_number(struct ms_v0 *v, uint64_t value)
{
    if (!v->quiet && !v->bad)
        ms_text_printf(v->out, "%llu", (unsigned long long)value);
}

static void put_ident(struct ms_v0 *v, struct ms_v0_ident ident)
{
    if (!ident.punycode)
        put_n(v, ident.at, ident.n);
    else if (!v->quiet && !v->bad && !ms_rust_punycode(ident.at, ident.n, v->out))
        ms_v0_spoil(v);
}

/* By de Bruijn index: 1 is the innermost lifetime that is bound here, 0 an erased one. */
static void put_lifetime(struct ms_v0 *v, uint64_t index)
{
    if (index > v->bound_lifetimes) {
        ms_v0_spoil(v);
        return;
    }
    put(v, "'");
    uint64_t depth = v->bound_lifetimes - index;
    char letter = (char)('a' + (char)(depth % 26));
    if (!index) {
        put(v, "_");
    } else if (depth < 26) {
        put_n(v, &letter, 1);
    } else {
        put(v, "z");
        put_number(v, depth - 25);
    }
}

/* [<binder>]: prints "for<'a, 'b> ". Returns how many lifetimes it bound. */
static uint64_t put_binder(struct ms_v0 *v)
{
    uint64_t n = ms_v0_take_tagged(v, 'G');
    /* A name of reasonable length can't use more lifetimes than it has bytes. */
    if (n > v->n)
        ms_v0_spoil(v);
    if (!n || v->bad)
        return 0;
    put(v, "for<");
    for (uint64_t i = 0; i < n; i++) {
        if (i)
            put(v, ", ");
        v->bound_lifetimes++;
        put_lifetime(v, 1);
    }
    put(v, "> ");
    return n;
}

static void put_generic_arg(struct ms_v0 *v)
{
    if (ms_v0_eat(v, 'L'))
        put_lifetime(v, ms_v0_take_base62(v));
    else if (ms_v0_eat(v, 'K'))
        put_const(v, false);
    else
        put_type(v);
}

static void put_generic_args(struct ms_v0 *v)
{
    for (size_t i = 0; ms_v0_more(v); i++) {
        if (i)
            put(v, ", ");
        put_generic_arg(v);
    }
}

static size_t put_types(struct ms_v0 *v)
{
    size_t n = 0;
    for (; ms_v0_more(v); n++) {
        if (n)
            put(v, ", ");
        put_type(v);
    }
    return n;
}

/* "N" <namespace> <path> <identifier>. Capital namespaces are what has no name of its own. */
static void put_nested(struct ms_v0 *v, bool in_value)
{
    char space = ms_v0_take(v);
    bool special = space >= 'A' && space <= 'Z';
    if (!special && (space < 'a' || space > 'z'))
        ms_v0_spoil(v);
    put_path(v, in_value);
    uint64_t disambiguator = ms_v0_take_tagged(v, 's');
    struct ms_v0_ident name = ms_v0_take_ident(v);
    if (special) {
        put(v, "::{");
        if (space == 'C')
            put(v, "closure");
        else if (space == 'S')
            put(v, "shim");
        else
            put_n(v, &space, 1);
        if (name.n) {
            put(v, ":");
            put_ident(v, name);
        }
        put(v, "#");
        put_number(v, disambiguator);
        put(v, "}");
    } else if (name.n) {
        put(v, "::");
        put_ident(v, name);
    }
}

/* "M", "X" and "Y": <T>, <T as Trait>. Where the impl itself stands is not said. */
static void put_impl(struct ms_v0 *v, char tag)
{
    if (tag != 'Y') {
        bool quiet = v->quiet;
        (void)ms_v0_take_tagged(v, 's');
        v->quiet = true;
        put_path(v, false);
        v->quiet = quiet;
    }
    put(v, "<");
    put_type(v);
    if (tag != 'M') {
        put(v, " as ");
        put_path(v, false);
    }
    put(v, ">");
}

static void put_path(struct ms_v0 *v, bool in_value)
{
    char tag = ms_v0_enter(v) ? ms_v0_take(v) : 0;
    switch (tag) {
    case 'C':
        (void)ms_v0_take_tagged(v, 's');
        put_ident(v, ms_v0_take_ident(v));
        break;
    case 'N':
        put_nested(v, in_value);
        break;
    case 'M':
    case 'X':
    case 'Y':
        put_impl(v, tag);
        break;
    case 'I':
        put_path(v, in_value);
        put(v, in_value ? "::<" : "<");
        put_generic_args(v);
        put(v, ">");
        break;
    case 'B':
        FOLLOW(v, put_path(v, in_value));
        break;
    default:
        ms_v0_spoil(v);
    }
    ms_v0_leave(v);
}

static const char *basic_type(char tag)
{
    static const char *const names[26] = {"i8",   "bool",  "char",  "f64", "str", "f32", NULL,
                                          "u8",   "isize", "usize", NULL,  "i32", "u32", "i128",
                                          "u128", "_",     NULL,    NULL,  "i16", "u16", "()",
                                          "...",  NULL,    "i64",   "u64", "!"};
    return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

/* "F": [<binder>] ["U"] ["K" <abi>] {<type>} "E" <type> */
static void put_function(struct ms_v0 *v)
{
    uint64_t bound = put_binder(v);
    if (ms_v0_eat(v, 'U'))
        put(v, "unsafe ");
    if (ms_v0_eat(v, 'K')) {
        put(v, "extern \"");
        if (ms_v0_eat(v, 'C')) {
            put(v, "C");
        } else {
            struct ms_v0_ident abi = ms_v0_take_ident(v);
            if (!abi.n || abi.punycode)
                ms_v0_spoil(v);
            for (size_t i = 0; i < abi.n; i++)
                put_n(v, abi.at[i] == '_' ? "-" : abi.at + i, 1);
        }
        put(v, "\" ");
    }
    put(v, "fn(");
    put_types(v);
    put(v, ")");
    if (!ms_v0_eat(v, 'u')) {
        put(v, " -> ");
        put_type(v);
    }
    v->bound_lifetimes -= bound;
}

/* A path whose '<' may be left open, for the associated types that follow. */
static bool put_open_path(struct ms_v0 *v)
{
    bool open = false;
    if (!ms_v0_enter(v)) {
        ms_v0_leave(v);
        return false;
    }
    if (ms_v0_eat(v, 'B')) {
        FOLLOW(v, open = put_open_path(v));
    } else if (ms_v0_eat(v, 'I')) {
        put_path(v, false);
        put(v, "<");
        put_generic_args(v);
        open = true;
    } else {
        put_path(v, false);
    }
    ms_v0_leave(v);
    return open;
}

static void put_dyn_trait(struct ms_v0 *v)
{
    bool open = put_open_path(v);
    while (ms_v0_eat(v, 'p')) {
        put(v, open ? ", " : "<");
        open = true;
        put_ident(v, ms_v0_take_ident(v));
        put(v, " = ");
        if (ms_v0_eat(v, 'K'))
            put_const(v, false);
        else
            put_type(v);
    }
    if (open)
        put(v, ">");
}

/* "D": [<binder>] {<dyn-trait>} "E" <lifetime> */
static void put_dyn(struct ms_v0 *v)
{
    put(v, "dyn ");
    uint64_t bound = put_binder(v);
    for (size_t i = 0; ms_v0_more(v); i++) {
        if (i)
            put(v, " + ");
        put_dyn_trait(v);
    }
    v->bound_lifetimes -= bound;
    if (!ms_v0_eat(v, 'L'))
        ms_v0_spoil(v);
    uint64_t index = ms_v0_take_base62(v);
    if (index) {
        put(v, " + ");
        put_lifetime(v, index);
    }
}

/* What a pattern type's values are held to. */
static void put_pattern(struct ms_v0 *v)
{
    char tag = ms_v0_enter(v) ? ms_v0_take(v) : 0;
    if (tag == 'R') {
        put_const(v, false);
        put(v, "..=");
        put_const(v, false);
    } else if (tag == 'O') {
        for (size_t i = 0; ms_v0_more(v); i++) {
            if (i)
                put(v, " | ");
            put_pattern(v);
        }
    } else if (tag == 'N') {
        put(v, "!null");
    } else {
        ms_v0_spoil(v);
    }
    ms_v0_leave(v);
}

static void put_reference(struct ms_v0 *v, char tag)
{
    put(v, "&");
    if (ms_v0_eat(v, 'L')) {
        uint64_t index = ms_v0_take_base62(v);
        if (index) {
            put_lifetime(v, index);
            put(v, " ");
        }
    }
    if (tag == 'Q')
        put(v, "mut ");
    put_type(v);
}

static void put_tuple(struct ms_v0 *v)
{
    put(v, "(");
    put(v, put_types(v) == 1 ? ",)" : ")");
}

static void put_array(struct ms_v0 *v, bool has_length)
{
    put(v, "[");
    put_type(v);
    if (has_length) {
        put(v, "; ");
        put_const(v, true);
    }
    put(v, "]");
}

static void put_type(struct ms_v0 *v)
{
    char tag = ms_v0_enter(v) ? ms_v0_take(v) : 0;
    const char *basic = basic_type(tag);
    if (basic) {
        put(v, basic);
        ms_v0_leave(v);
        return;
    }
    switch (tag) {
    case 'A':
    case 'S':
        put_array(v, tag == 'A');
        break;
    case 'T':
        put_tuple(v);
        break;
    case 'R':
    case 'Q':
        put_reference(v, tag);
        break;
    case 'P':
    case 'O':
        put(v, tag == 'P' ? "*const " : "*mut ");
        put_type(v);
        break;
    case 'F':
        put_function(v);
        break;
    case 'D':
        put_dyn(v);
        break;
    case 'W':
        put_type(v);
        put(v, " is ");
        put_pattern(v);
        break;
    case 'B':
        FOLLOW(v, put_type(v));
        break;
    default:
        if (!v->bad) {
            v->next--;
            put_path(v, false);
        }
    }
    ms_v0_leave(v);
}

/* ---- constants ------------------------------------------------------------------------ */

static void put_integer(struct ms_v0 *v)
{
    struct ms_v0_ident hex = ms_v0_take_hex_number(v);
    uint64_t value;
    if (ms_v0_hex_number(hex, &value)) {
        put_number(v, value);
    } else {
        put(v, "0x");
        put_n(v, hex.at, hex.n);
    }
}

static void put_bool_or_char(struct ms_v0 *v, char tag)
{
    struct ms_v0_ident hex = ms_v0_take_hex_number(v);
    uint64_t value;
    if (!ms_v0_hex_number(hex, &value)) {
        ms_v0_spoil(v);
    } else if (tag == 'b') {
        if (value > 1)
            ms_v0_spoil(v);
        put(v, value ? "true" : "false");
    } else {
        put(v, "'");
        if (!v->quiet && !v->bad && !ms_rust_put_escaped(v->out, value, '\''))
            ms_v0_spoil(v);
        put(v, "'");
    }
}

/* Two digits a byte of UTF-8. */
static void put_string(struct ms_v0 *v)
{
    struct ms_v0_ident hex = ms_v0_take_hex(v);
    put(v, "\"");
    for (size_t i = 0; i < hex.n && !v->bad;) {
        uint8_t bytes[4] = {0};
        size_t n = 0;
        for (; n < 4 && i + 2 * n + 1 < hex.n; n++)
            bytes[n] = (uint8_t)(ms_v0_hex_value(hex.at[i + 2 * n]) << 4 |
                                 ms_v0_hex_value(hex.at[i + 2 * n + 1]));
        uint32_t c;
        size_t used = ms_rust_utf8(bytes, n, &c);
        if (!used || (!v->quiet && !ms_rust_put_escaped(v->out, c, '"')))
            ms_v0_spoil(v);
        i += 2 * used;
    }
    put(v, "\"");
}

static size_t put_consts(struct ms_v0 *v)
{
    size_t n = 0;
    for (; ms_v0_more(v); n++) {
        if (n)
            put(v, ", ");
        put_const(v, true);
    }
    return n;
}

/* "V": a value of a struct or an enum. */
static void put_adt(struct ms_v0 *v)
{
    put_path(v, true);
    char tag = ms_v0_take(v);
    if (tag == 'T') {
        put(v, "(");
        put_consts(v);
        put(v, ")");
    } else if (tag == 'S') {
        put(v, " { ");
        for (size_t i = 0; ms_v0_more(v); i++) {
            if (i)
                put(v, ", ");
            (void)ms_v0_take_tagged(v, 's');
            put_ident(v, ms_v0_take_ident(v));
            put(v, ": ");
            put_const(v, true);
        }
        put(v, " }");
    } else if (tag != 'U') {
        ms_v0_spoil(v);
    }
}

/* Those constants that need braces around them where a type could stand. */
static void put_braced_const(struct ms_v0 *v, char tag)
{
    switch (tag) {
    case 'e': /* the str itself, not a reference to it */
        put(v, "*");
        put_string(v);
        break;
    case 'R':
    case 'Q':
        put(v, tag == 'R' ? "&" : "&mut ");
        put_const(v, true);
        break;
    case 'A':
        put(v, "[");
        put_consts(v);
        put(v, "]");
        break;
    case 'T':
        put(v, "(");
        put(v, put_consts(v) == 1 ? ",)" : ")");
        break;
    case 'V':
        put_adt(v);
        break;
    default:
        ms_v0_spoil(v);
    }
}

static void put_const(struct ms_v0 *v, bool in_value)
{
    char tag = ms_v0_enter(v) ? ms_v0_take(v) : 0;
    if (tag == 'p') {
        put(v, "_");
    } else if (tag && strchr("htmyoj", tag)) {
        put_integer(v);
    } else if (tag && strchr("aslxni", tag)) {
        if (ms_v0_eat(v, 'n'))
            put(v, "-");
        put_integer(v);
    } else if (tag == 'b' || tag == 'c') {
        put_bool_or_char(v, tag);
    } else if (tag == 'R' && ms_v0_eat(v, 'e')) {
        put_string(v);
    } else if (tag == 'B') {
        FOLLOW(v, put_const(v, in_value));
    } else {
        put(v, in_value ? "" : "{");
        put_braced_const(v, tag);
        put(v, in_value ? "" : "}");
    }
    ms_v0_leave(v);
}

bool ms_rust_v0(const char *name, size_t n, unsigned style, struct ms_text *out)
{
    if (n < 3 || memcmp(name, "_R", 2) != 0)
        return false;
    struct ms_v0 v = {.at = name + 2, .n = n - 2, .out = out};
    v.most_steps = MS_V0_FIRST_STEPS + MS_V0_STEPS_A_BYTE * n;
    if (v.most_steps > MS_V0_STEPS)
        v.most_steps = MS_V0_STEPS;
    /* What a pass appended behind a dot is no part of the mangling, and could be taken for an
     * identifier of it. */
    const char *dot = memchr(v.at, '.', v.n);
    if (dot)
        v.n = (size_t)(dot - v.at);
    put_path(&v, true);
    if (!v.bad && v.next < v.n) { /* the crate that instantiated it */
        v.quiet = true;
        put_path(&v, false);
    }
    if (v.bad || v.next != v.n)
        return false;
    size_t suffix = (size_t)(v.at + v.n - name);
    return ms_rust_suffix(name + suffix, n - suffix, style, out);
}
