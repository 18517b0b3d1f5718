/*
 * lib/demangle/filter: names in running text: what belongs to them, at every border that a text
 * can be cut at; junk; limits.
 */
#include "machsym/demangle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What a filter handed on; names stand in «» where `marks`. */
struct got {
    char *at;
    size_t n, room;
    size_t names, unread;
    char last_unread[256];
    bool marks;
    size_t stop_after; /* callbacks; 0 never */
};

static bool add(struct got *got, const char *bytes, size_t n)
{
    if (got->room - got->n < n + 1) {
        got->room = (got->n + n + 1) * 2;
        got->at = realloc(got->at, got->room);
    }
    memcpy(got->at + got->n, bytes, n);
    got->n += n;
    got->at[got->n] = 0;
    return got->stop_after == 0 || --got->stop_after > 0;
}

static bool on_text(void *to, const char *bytes, size_t n)
{
    cr_assert(n > 0);
    return add(to, bytes, n);
}

static bool on_name(void *to, const struct ms_found_name *name)
{
    struct got *got = to;
    got->names++;
    cr_assert_eq(strlen(name->demangled), name->n_demangled);
    if (!got->marks)
        return add(got, name->demangled, name->n_demangled);
    return add(got, "«", 2) && add(got, name->demangled, name->n_demangled) && add(got, "»", 2);
}

static bool on_unread(void *to, const struct ms_found_name *name)
{
    struct got *got = to;
    got->unread++;
    snprintf(got->last_unread, sizeof got->last_unread, "%.*s", (int)name->n, name->mangled);
    return true;
}

static struct ms_name_filter *open_filter(struct got *got)
{
    struct ms_name_filter_sink sink = {got, on_text, on_name, on_unread};
    struct ms_name_filter *filter = ms_name_filter_open(&sink, MS_DEMANGLE_FULL, NULL, NULL);
    cr_assert_not_null(filter);
    return filter;
}

static void run(const char *text, size_t n, size_t piece, struct got *got)
{
    got->n = got->names = got->unread = 0;
    struct ms_name_filter *filter = open_filter(got);
    for (size_t i = 0; i < n; i += piece)
        cr_assert(ms_name_filter_feed(filter, text + i, n - i < piece ? n - i : piece));
    cr_assert(ms_name_filter_finish(filter));
    ms_name_filter_close(filter);
    add(got, "", 0);
}

static void expect(const char *text, const char *wanted)
{
    struct got got = {.marks = true};
    size_t n = strlen(text);
    run(text, n, n + 1, &got);
    cr_assert_str_eq(got.at, wanted, "%s\n  gives  %s\n  wanted %s", text, got.at, wanted);
    /* Cut in two at every place, and into pieces of every size. */
    for (size_t piece = 1; piece < n; piece++) {
        run(text, n, piece, &got);
        cr_assert_str_eq(got.at, wanted, "%s in pieces of %zu\n  gives  %s\n  wanted %s", text,
                         piece, got.at, wanted);
        got.n = 0;
        struct ms_name_filter *filter = open_filter(&got);
        ms_name_filter_feed(filter, text, piece);
        ms_name_filter_feed(filter, text + piece, n - piece);
        ms_name_filter_finish(filter);
        cr_assert_str_eq(got.at, wanted, "%s cut at %zu gives %s", text, piece, got.at);
        ms_name_filter_close(filter);
    }
    free(got.at);
}

static void stays(const char *text)
{
    expect(text, text);
}

Test(demangle_filter, names_of_every_scheme)
{
    expect("_Z3foov", "«foo()»");
    expect("__Z3foov", "«foo()»");
    expect("___Z3foov_block_invoke", "«invocation function for block in foo()»");
    expect("____Z3foov_block_invoke_2", "«invocation function for block in foo()»");
    expect("_RNvC1a1b", "«a::b»");
    expect("__RNvC1a1b.llvm.12", "«a::b»");
    expect("_ZN1a1b17h0123456789abcdefE.cold", "«a::b.cold»");
    expect("_ZN9$LT$a$GT$1b17h0123456789abcdefE", "«<a>::b»");
    expect("_ZN3foo3$_0clEv", "«foo::$_0::operator()()»");
}

Test(demangle_filter, what_stands_around_a_name)
{
    expect("0x10 T __Z3foov\n0x20 t __Z3barv\n", "0x10 T «foo()»\n0x20 t «bar()»\n");
    expect("in _Z3foov.", "in «foo()».");
    expect("in _Z3foov... and", "in «foo()»... and");
    expect("_Z3foov, _Z3barv; _Z3bazv: _Z3foov?", "«foo()», «bar()»; «baz()»: «foo()»?");
    expect("\"_Z3foov\" '_Z3foov' `_Z3foov` (_Z3foov) [_Z3foov] <_Z3foov+0x8>",
           "\"«foo()»\" '«foo()»' `«foo()»` («foo()») [«foo()»] <«foo()»+0x8>");
    expect("_Z3foov + 304 (a.cpp:3)", "«foo()» + 304 (a.cpp:3)");
    expect("_Z3fooi@plt _Z3foov@@V1", "«foo(int)»@plt «foo()»@@V1");
    expect("a=_Z3foov&b", "a=«foo()»&b");
    expect("*_Z3foov*, **_Z3foov** and _`_Z3foov`_", "*«foo()»*, **«foo()»** and _`«foo()»`_");
    expect("s __ZN2ns5cacheE$tlv$init\n", "s «ns::cache»$tlv$init\n");
    expect("lib._Z3foov", "lib.«foo()»");
    expect("_Z3foov.cold.1.", "«foo() (.cold.1)».");
    expect("_Z3foov_ and", "«foo()»_ and");
    expect("-_Z3foov-", "-«foo()»-");
}

Test(demangle_filter, what_is_no_border)
{
    stays("x_Z3foov");
    stays("9_Z3foov");
    stays("$_Z3foov");
    stays("______Z3foov");
    stays("_____Z3foov");
    stays("foo__Z3foov");
    stays("_Zoo _Zls _$sTm _$sK");
    stays("_Zoom __Zooming _Zoomed. _Zany _Zplate _Znames _Znwd _Zoom.x __Zoo _Znw");
    expect("_Znwm __Znam.cold _Znwj.", "«operator new(unsigned long)» "
                                       "«operator new[](unsigned long) (.cold)» "
                                       "«operator new(unsigned int)».");
    stays("MAX_Zone KEY_Type _Reset _READ_ONLY _Template __Rest");
}

Test(demangle_filter, escapes_before_a_name)
{
    expect("\\n_Z3foov\\n\\t_Z3barv", "\\n«foo()»\\n\\t«bar()»");
    expect("@\"\\01__Z3foov\"", "@\"\\01«foo()»\"");
    expect("\x1b[31m_Z3foov\x1b[0m \x1b[1;32m_Z3foov\x1b[K_Z3barv",
           "\x1b[31m«foo()»\x1b[0m \x1b[1;32m«foo()»\x1b[K«bar()»");
    expect("\x1b[38;2;255;128;255m_Z3foov", "\x1b[38;2;255;128;255m«foo()»");
    /* As JSON, shells and programs write them out. */
    expect("\\u003c_Z3foov\\u003e \\x3C_Z3foov\\x3E", "\\u003c«foo()»\\u003e \\x3C«foo()»\\x3E");
    expect("\\u001b[31m_Z3foov\\u001B[1;32m_Z3foov\\033[0m_Z3foov",
           "\\u001b[31m«foo()»\\u001B[1;32m«foo()»\\033[0m«foo()»");
    expect("\\e[31m_Z3foov\\x1b[K_Z3foov", "\\e[31m«foo()»\\x1b[K«foo()»");
    stays("\\u03c_Z3foov u003c_Z3foov \\u00gc_Z3foov \\xc_Z3foov \\b[31m_Z3foov");
    stays("[31m_Z3foov");
    stays("\\q_Z3foov 01__Z3foov");
}

Test(demangle_filter, text_that_is_not_ascii)
{
    expect("“_Z3foov” → “_Z3barv”…", "“«foo()»” → “«bar()»”…");
    expect("“_Z3foov”→“_Z3barv”…", "“«foo()»”→“«bar()»”…");
    expect("崩溃在_Z3foov函数中，然后_Z3barv。", "崩溃在«foo()»函数中，然后«bar()»。");
    stays("_Z4größev");
    expect("_Z7größev", "«größe()»");
    expect("_Z7größev…", "«größe()»…");
    expect("_Z7größev.cold…", "«größe() (.cold)»…");
    stays("\xff\xfe_Z\xff\x80 \xc3");
}

Test(demangle_filter, a_name_that_begins_and_cannot_be_read)
{
    struct got got = {.marks = true};
    run("at _Z4foo. and", 14, 100, &got);
    cr_assert_str_eq(got.at, "at _Z4foo. and");
    cr_assert_eq(got.unread, 1);
    cr_assert_str_eq(got.last_unread, "_Z4foo");
    free(got.at);
    expect("_Z4foo._Z3foov", "_Z4foo.«foo()»");
    stays("$SS0t.tE $s0t.T $Ss.AbC");
    expect("_Z3foov.a.b.c.d.e.f.g.h+_Z3barv", "«foo() (.a.b.c.d.e.f.g.h)»+«bar()»");
    /* Rust's suffixes hold no such bytes, and the name is tried without them. */
    expect("_RNvC1a1b.c.d.e.f.g.h.i.j…", "«a::b.c.d.e.f.g.h.i.j»…");
}

Test(demangle_filter, variables_stay)
{
    stays("$s $S $e $source $status $SS $SSN $SHELL ${SECONDS} $sx $ss $sy $s1 $s1a $e1x $env");
    stays("%1$s %2$s %1$S $s_ $sum $sSum _T0 _T0x");
    stays("cost: 3$ euros@_host a@__swiftmacro b@__swiftmacro_");
}

Test(demangle_filter, swift_names)
{
    expect("in $s4main3fooyyF.", "in «main.foo() -> ()».");
    expect("T _$s4main3fooyyF\n_$S4main3fooyyF $e4main3fooyyF,__T04main3fooyyF",
           "T «main.foo() -> ()»\n«main.foo() -> ()» «main.foo() -> ()»,«main.foo() -> ()»");
    expect("\"$s4main3fooyyFTm\" + 24", "\"«merged main.foo() -> ()»\" + 24");
    expect("$s4main3fooyyF.resume.0, x",
           "«main.foo() -> () with unmangled suffix \".resume.0\"», x");
    expect("$s4main3fooyyYaFTQ0_: y",
           "«(1) await resume partial function for main.foo() async -> ()»: y");
    expect("崩溃在$s4main3fooyyF函数", "崩溃在«main.foo() -> ()»函数");
    expect("$sSaMa _$sypN _T0SqWOC $SSiSHsWP $sBf32_",
           "«type metadata accessor for Swift.Array» «type metadata for Any» «outlined init with "
           "copy of Swift.Optional» «protocol witness table for Swift.Int : Swift.Hashable in "
           "Swift» «Builtin.FPIEEE32»");
    stays("__$s4main3fooyyF x$s4main3fooyyF $$s4main3fooyyF $s5Foods $s4main");
}

Test(demangle_filter, swift_macros)
{
    const char *wanted =
        "«freestanding macro expansion #1 of stringify in a.b(c: Swift.Int) -> ()»";
    const char *name = "@__swiftmacro_1a1b1cySi_tF9stringifyfMf_";
    char text[200], out[200];
    snprintf(text, sizeof text, "in %s, _%s:3:4", name, name);
    snprintf(out, sizeof out, "in %s, %s:3:4", wanted, wanted);
    expect(text, out);
    snprintf(text, sizeof text, "%s.swift:3", name);
    snprintf(out, sizeof out, "%.*s with unmangled suffix \".swift\"»:3",
             (int)(strlen(wanted) - strlen("»")), wanted);
    expect(text, out);
    snprintf(text, sizeof text, "._Zx+_Zx._%s", name);
    snprintf(out, sizeof out, "._Zx+_Zx.%s", wanted);
    expect(text, out);
    stays("x@__swiftmacro_1a1b1cySi_tF9stringifyfMf_ @__swift");
}

Test(demangle_filter, swift_classes_in_objective_c)
{
    expect("-[_TtC4main3Foo bar:]", "-[«main.Foo» bar:]");
    expect("S _OBJC_CLASS_$__TtC4main3Foo\n", "S _OBJC_CLASS_$_«main.Foo»\n");
    expect("_OBJC_IVAR_$__TtC4main3Foo.bar", "_OBJC_IVAR_$_«main.Foo».bar");
    expect("<_TtC4main3Foo: 0x600>", "<«main.Foo»: 0x600>");
    stays("_OBJC_CLASS_$_Foo a$__Z3foov");
}

Test(demangle_filter, names_with_objective_c_in_them)
{
    expect("b __ZZ25-[Editor openFile:inTab:]E4once", "b «-[Editor openFile:inTab:]::once»");
    stays("b __ZZ24-[Editor openFile:inTab:]E4once");
    expect("_ZZ10+[Foo bar]E3Baz, x", "«+[Foo bar]::Baz», x");
    expect("_ZZ10+[Foo bar]ENK3$_0clEv.", "«+[Foo bar]::$_0::operator()() const».");
    /* None after all: the name ends before it. */
    expect("_Z3foo10-[Foo bar x", "_Z3foo10-[Foo bar x");
    expect("_Z3fooi.12-[_Z3barv x]", "«foo(int) (.12)»-[«bar()» x]");
    expect("_Z1fv.10-[_Z1gv] y", "«f() (.10)»-[«g()»] y");
    expect("-[Foo bar:]_block _Z3foov", "-[Foo bar:]_block «foo()»");
    stays("_Z10-[\n_Z");
    stays("_Z9-");
}

Test(demangle_filter, bytes_pass_unchanged)
{
    enum { N = 70000 };
    char *junk = malloc(N);
    unsigned seed = 1;
    struct got got = {0};
    for (int round = 0; round < 6; round++) {
        static const char few[] = "_$@sSeTZR.0t-[]3:aE\\n\x1b m";
        for (size_t i = 0; i < N; i++) {
            seed = seed * 1103515245 + 12345;
            junk[i] = (char)(round & 1 ? (int)(seed >> 16) : few[(seed >> 16) % (sizeof few - 1)]);
        }
        run(junk, N, N, &got);
        struct got pieces = {0};
        run(junk, N, 1 + (seed >> 16) % 97, &pieces);
        cr_assert_eq(got.n, pieces.n);
        cr_assert_eq(memcmp(got.at, pieces.at, got.n), 0);
        if (!got.names) {
            cr_assert_eq(got.n, N);
            cr_assert_eq(memcmp(got.at, junk, N), 0);
        }
        free(pieces.at);
    }
    /* NULs, and names beside them. */
    run("\0_Z3foov\0\0_Z3barv\0", 19, 4, &got);
    cr_assert_eq(got.n, 15);
    cr_assert_eq(memcmp(got.at, "\0foo()\0\0bar()\0", 15), 0);
    free(got.at);
    free(junk);
}

/* The longest name there can be, and a word that is longer. */
Test(demangle_filter, long_words)
{
    enum { LIMIT = 1 << 18, N = LIMIT + 5000 };
    char *text = malloc(N + 64);
    struct got got = {.marks = true};
    for (int longer = 0; longer < 2; longer++) {
        /* _Z<len>aaa…v */
        size_t n = LIMIT + (size_t)longer;
        int digits = sprintf(text, "_Z%zu", n - 2 - 6 - 1);
        memset(text + digits, 'a', n);
        text[n - 1] = 'v';
        strcpy(text + n, " _Z3foov\n");
        size_t all = n + 9;
        for (size_t piece = 7; piece < all * 2; piece = piece * 9 + 1) {
            run(text, all, piece, &got);
            cr_assert_eq(got.names, longer ? 1 : 2, "%zu in pieces of %zu: %zu names", n, piece,
                         got.names);
            cr_assert_str_eq(got.at + got.n - 11, " «foo()»\n");
        }
    }
    /* A word that never ends has no names, however they are parted. */
    for (size_t i = 0; i < N; i++)
        text[i] = "a._Z3fo."[i % 8];
    memcpy(text, "._Zq", 4);
    run(text, N, 1000, &got);
    cr_assert_eq(got.n, N);
    free(text);
    free(got.at);
}

/* Text made to be read again and again. */
Test(demangle_filter, time_is_linear)
{
    static const char *const texts[] = {
        "_Zx.",
        "._Zx",
        "_Z1av10-[",
        "_Z10-[]",
        "“_Z“",
        "$s4main3foo",
        "_ZN1a1bE.$s1A1B",
        "_Z6-[_Z]",
        "_",
        "_$",
        "@__swift",
        "\x1b[31m_Zq",
        "_RNvC1a1b.é_Z",
        "__Z1fv.12-[",
    };
    enum { N = 1 << 21 };
    char *text = malloc(N);
    for (size_t k = 0; k < 2 * sizeof texts / sizeof *texts; k++) {
        /* In one line, and in lines that are long and not too long to hold names. */
        const char *of = texts[k / 2];
        size_t n = strlen(of);
        for (size_t i = 0; i < N; i++)
            text[i] = k % 2 && i % 60000 == 0 ? '\n' : of[i % n];
        struct got got = {0};
        clock_t begin = clock();
        run(text, N, 5000, &got);
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        cr_assert_lt(seconds, 60, "%s: %f s", of, seconds);
        if (getenv("VERBOSE"))
            fprintf(stderr, "%s: %.2f s, %zu names\n", of, seconds, got.names);
        free(got.at);
    }
    free(text);
}

Test(demangle_filter, a_callback_can_stop_it)
{
    for (size_t after = 1; after < 6; after++) {
        struct got got = {.stop_after = after};
        struct ms_name_filter *filter = open_filter(&got);
        const char *text = "a _Z3foov b _Z3barv c _Z3bazv d";
        bool more = ms_name_filter_feed(filter, text, strlen(text));
        cr_assert(!more);
        size_t n = got.n;
        cr_assert(!ms_name_filter_feed(filter, text, strlen(text)));
        cr_assert(!ms_name_filter_finish(filter));
        cr_assert_eq(got.n, n);
        ms_name_filter_close(filter);
        free(got.at);
    }
    ms_name_filter_close(NULL);
}

/* A line is handed on when it ends. */
Test(demangle_filter, lines_are_not_held_back)
{
    struct got got = {0};
    struct ms_name_filter *filter = open_filter(&got);
    ms_name_filter_feed(filter, "in _Z3foov\n", 11);
    cr_assert_str_eq(got.at, "in foo()\n");
    ms_name_filter_feed(filter, "in _Z3f", 7);
    cr_assert_str_eq(got.at, "in foo()\nin ");
    ms_name_filter_feed(filter, "oov\n", 4);
    cr_assert_str_eq(got.at, "in foo()\nin foo()\n");
    ms_name_filter_feed(filter, "a_", 2);
    cr_assert_str_eq(got.at, "in foo()\nin foo()\na");
    ms_name_filter_finish(filter);
    cr_assert_str_eq(got.at, "in foo()\nin foo()\na_");
    /* A new text: nothing stands before it. */
    ms_name_filter_feed(filter, "_Z3foov\n", 8);
    cr_assert_str_eq(got.at, "in foo()\nin foo()\na_foo()\n");
    ms_name_filter_close(filter);
    free(got.at);
}

static size_t shout(void *to, const char *name, size_t n, unsigned style, char *out, size_t room)
{
    ++*(int *)to;
    cr_assert_eq(style, MS_DEMANGLE_FOLD);
    return n == 7 && memcmp(name, "_Z3foov", 7) == 0 ? (size_t)snprintf(out, room, "%05000d!", 7)
                                                     : 0;
}

Test(demangle_filter, another_demangler)
{
    struct got got = {0};
    int calls = 0;
    struct ms_name_filter_sink sink = {&got, on_text, on_name, NULL};
    struct ms_name_filter *filter = ms_name_filter_open(&sink, MS_DEMANGLE_FOLD, shout, &calls);
    ms_name_filter_feed(filter, "_Z3foov _Z3barv\n", 16);
    cr_assert_eq(got.n, 5001 + 9);
    cr_assert_str_eq(got.at + 4999, "7! _Z3barv\n");
    cr_assert_eq(calls, 3); /* the first one twice: its result is long */
    ms_name_filter_close(filter);
    free(got.at);
}
