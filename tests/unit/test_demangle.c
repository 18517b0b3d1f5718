/* lib/demangle: every scheme's names, what is left alone, and names crafted to do harm. */
#include "machsym/demangle.h"

#include "demangle/demanglers.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char out[MS_DEMANGLE_OUTPUT * 9];

static void expect(const char *name, const char *wanted)
{
    size_t n = ms_demangle(name, strlen(name), MS_DEMANGLE_FULL, out, sizeof out);
    cr_assert_str_eq(out, wanted, "%s\n  gives  %s\n  wanted %s", name, out, wanted);
    cr_assert_eq(n, strlen(wanted));
}

static void expect_shown(const char *name, bool underscore, const char *wanted)
{
    size_t n =
        ms_demangle_symbol(name, strlen(name), underscore, MS_DEMANGLE_FULL, out, sizeof out);
    cr_assert_str_eq(out, wanted, "%s\n  gives  %s\n  wanted %s", name, out, wanted);
    cr_assert_eq(n, strlen(wanted));
}

static enum ms_mangling scheme(const char *name)
{
    return ms_mangling_of(name, strlen(name));
}

Test(demangle, tells_schemes_apart)
{
    cr_assert_eq(scheme("_main"), MS_MANGLING_NONE);
    cr_assert_eq(scheme("-[Foo bar:]"), MS_MANGLING_NONE);
    cr_assert_eq(scheme("+[Foo(Bar) baz]"), MS_MANGLING_NONE);
    cr_assert_eq(scheme("___43-[Foo bar:]_block_invoke_2"), MS_MANGLING_NONE);
    cr_assert_eq(scheme("___main_block_invoke"), MS_MANGLING_NONE);
    cr_assert_eq(scheme(""), MS_MANGLING_NONE);
    cr_assert_eq(scheme("_"), MS_MANGLING_NONE);
    cr_assert_eq(scheme("_Z"), MS_MANGLING_NONE);
    cr_assert_eq(scheme("_Z3foov"), MS_MANGLING_ITANIUM);
    cr_assert_eq(scheme("__Z3foov"), MS_MANGLING_ITANIUM);
    cr_assert_eq(scheme("___Z3foov_block_invoke"), MS_MANGLING_ITANIUM);
    cr_assert_eq(scheme("____Z3foov_block_invoke"), MS_MANGLING_ITANIUM);
    cr_assert_eq(scheme("_____Z3foov_block_invoke"), MS_MANGLING_NONE);
    cr_assert_eq(scheme("_ZN3foo17h0123456789abcdefE"), MS_MANGLING_RUST_LEGACY);
    cr_assert_eq(scheme("__ZN3foo17h0123456789abcdefE"), MS_MANGLING_RUST_LEGACY);
    cr_assert_eq(scheme("_ZN3foo17h0123456789abcdefE.llvm.1"), MS_MANGLING_RUST_LEGACY);
    cr_assert_eq(scheme("_ZN3foo17h0123456789abcdefEv"), MS_MANGLING_ITANIUM);
    cr_assert_eq(scheme("_ZN3foo17h0123456789abcdexE"), MS_MANGLING_ITANIUM);
    cr_assert_eq(scheme("_ZN17h0123456789abcdefE"), MS_MANGLING_ITANIUM);
    cr_assert_eq(scheme("_RNvC1a1b"), MS_MANGLING_RUST_V0);
    cr_assert_eq(scheme("__RNvC1a1b"), MS_MANGLING_RUST_V0);
    cr_assert_eq(scheme("_Reset"), MS_MANGLING_NONE);
    cr_assert_eq(scheme("_R1NvC1a1b"), MS_MANGLING_NONE);
    cr_assert_eq(scheme("$s4main3fooyyF"), MS_MANGLING_SWIFT);
    cr_assert_eq(scheme("_$s4main3fooyyF"), MS_MANGLING_SWIFT);
    cr_assert_eq(scheme("_$S4main3fooyyF"), MS_MANGLING_SWIFT);
    cr_assert_eq(scheme("_$e4main3fooyyF"), MS_MANGLING_SWIFT);
    cr_assert_eq(scheme("__T04main3fooyyF"), MS_MANGLING_SWIFT);
    cr_assert_eq(scheme("_TtC4main3Foo"), MS_MANGLING_SWIFT);
    cr_assert_eq(scheme("@__swiftmacro_4main"), MS_MANGLING_SWIFT);
    cr_assert_eq(scheme("$s"), MS_MANGLING_NONE);
}

static void expect_styled(const char *name, unsigned style, const char *wanted)
{
    size_t n = ms_demangle(name, strlen(name), style, out, sizeof out);
    cr_assert_str_eq(out, wanted, "%s\n  gives  %s\n  wanted %s", name, out, wanted);
    cr_assert_eq(n, strlen(wanted));
}

Test(demangle, cxx_without_parameters)
{
    unsigned style = MS_DEMANGLE_NO_PARAMS;
    expect_styled("_ZN2ns1CIiE3fooEi", style, "ns::C<int>::foo");
    expect_styled("_Z3fooIiEvT_", style, "foo<int>");
    expect_styled("_ZNK1A3barEv", style, "A::bar");
    expect_styled("_ZZ3fooiENKUlvE_clEv", style, "foo::'lambda'()::operator()");
    expect_styled("_ZGVZ3fooiE1x", style, "guard variable for foo::x");
    expect_styled("_ZThn8_N1A3fooEi", style, "non-virtual thunk to A::foo");
    expect_styled("___Z3fooi_block_invoke", style, "invocation function for block in foo");
    expect_styled("_Z3fooi.cold", style, "foo (.cold)");
    expect_styled("_ZTV1A", style, "vtable for A");
    expect_styled("_ZN1A1bE", style, "A::b");
    expect_styled("_RNvC1a1b.cold", style, "a::b.cold");
}

Test(demangle, folded)
{
    unsigned style = MS_DEMANGLE_FOLD;
    expect_styled("_Z3fooi.cold.1", style, "foo(int)");
    expect_styled("_ZThn8_N1A3fooEi", style, "A::foo(int)");
    expect_styled("_ZTv0_n8_N1A3fooEi.cold", style, "A::foo(int)");
    expect_styled("_ZTch0_h8_N1A3fooEi", style, "A::foo(int)");
    expect_styled("___Z3fooi_block_invoke", style, "invocation function for block in foo(int)");
    expect_styled("_ZTV1A", style, "vtable for A");
    expect_styled("_RNvC1a1b.cold", style, "a::b");
    expect_styled("_ZN1a1b17h0123456789abcdefE.cold.1", style, "a::b");
    expect_styled("_Z3fooi.cold.1", style | MS_DEMANGLE_NO_PARAMS, "foo");
    /* What is said of a partial application is said of what it forwards to. */
    expect_styled("$s4main1fyyYaFTATQ0_", style, "main.f() async -> ()");
    expect_styled("$s4main1fyyFTATm", style, "main.f() -> ()");
    expect_styled("$s4main1fyyYaFTATu", style, "main.f() async -> ()");
    expect_styled("$s4main1fyyFTm", style, "main.f() -> ()");
}

Test(demangle, rust_without_a_hash)
{
    cr_assert_eq(scheme("_ZN8$RF$testE"), MS_MANGLING_RUST_LEGACY);
    cr_assert_eq(scheme("_ZN3foo3$_0E"), MS_MANGLING_ITANIUM);
    expect("_ZN8$RF$test1bE", "&test::b");
    expect("_ZN13_$LT$test$GT$E", "<test>");
    expect("_ZN3foo3$_0E", "foo::$_0");
}

Test(demangle, names_of_each_scheme)
{
    expect("_Z3foov", "foo()");
    expect("__Z3foov", "foo()");
    expect("_Z3foov.cold.1", "foo() (.cold.1)");
    expect("__ZNSt3__16vectorIiNS_9allocatorIiEEE9push_backERKi",
           "std::__1::vector<int, std::__1::allocator<int>>::push_back(int const&)");
    expect("____ZN3foo3barEv_block_invoke_2", "invocation function for block in foo::bar()");
    expect("___ZN3foo3barEv_block_invoke", "invocation function for block in foo::bar()");
    expect("_ZN1AcvT_I1BEEv", "A::operator B<B>()");
    expect("__ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
    expect("_RNvNtC4core3fmt3pad", "core::fmt::pad");
    expect("_main", "");
    expect("-[Foo bar:]", "");
    expect("_Z", "");
    expect("_Zfoo", "");
    expect("$s4main3fooyyF", "main.foo() -> ()");
}

Test(demangle, shows_symbols)
{
    expect_shown("_main", true, "main");
    expect_shown("_main", false, "_main");
    expect_shown("-[Foo bar:]", true, "-[Foo bar:]");
    expect_shown("___43-[Foo bar:]_block_invoke_2", true, "__43-[Foo bar:]_block_invoke_2");
    expect_shown("__Z3foov", true, "foo()");
    expect_shown("_Z3foov", false, "foo()");
    expect_shown("_Z3foov", true, "Z3foov"); /* a C function of that name */
    expect_shown("_RNvC1a1b", true, "RNvC1a1b");
    expect_shown("__RNvC1a1b", true, "a::b");
    expect_shown("____Z3foov_block_invoke", true, "invocation function for block in foo()");
    expect_shown("_$s4main3fooyyF", true, "main.foo() -> ()");
    expect_shown("$s4main3fooyyF", false, "main.foo() -> ()");
    expect_shown("_", true, "_");
    expect_shown("", true, "");
}

Test(demangle, writes_like_snprintf)
{
    char small[6] = "xxxxx";
    cr_assert_eq(ms_demangle("_Z3foov", 7, MS_DEMANGLE_FULL, NULL, 0), 5);
    cr_assert_eq(ms_demangle("_Z3foov", 7, MS_DEMANGLE_FULL, small, 3), 5);
    cr_assert_str_eq(small, "fo");
    cr_assert_eq(ms_demangle("_Z3foov", 7, MS_DEMANGLE_FULL, small, 6), 5);
    cr_assert_str_eq(small, "foo()");
    cr_assert_eq(ms_demangle("_main", 5, MS_DEMANGLE_FULL, small, 6), 0);
    cr_assert_str_eq(small, "");
    cr_assert_eq(ms_demangle_symbol("_main", 5, true, MS_DEMANGLE_FULL, small, 3), 4);
    cr_assert_str_eq(small, "ma");
    cr_assert_eq(ms_demangle("_Z3foov\0", 8, MS_DEMANGLE_FULL, small, 6), 0,
                 "a NUL is no part of a name");
}

Test(demangle, rust_legacy_escapes)
{
#define H "17h0123456789abcdefE"
    expect("_ZN4$RP$" H, ")");
    expect("_ZN8$RF$test4foob" H, "&test::foob");
    expect("_ZN35Bar$LT$$u5b$u32$u3b$$u20$4$u5d$$GT$" H, "Bar<[u32; 4]>");
    expect("_ZN13_$LT$test$GT$" H, "<test>");
    expect("_ZN28_$u7b$$u7b$closure$u7d$$u7d$" H, "{{closure}}");
    expect("_ZN8a..b$C$c" H, "a::b,c");
    expect("_ZN7$u10d0$" H, "\xe1\x83\x90");
    expect("_ZN9$u1f40d$x" H, "\xf0\x9f\x90\x8dx");
    expect("_ZN3a.b" H ".cold", "a.b.cold");
    expect("_ZN3a.b" H ".llvm.9D1C9369@@16", "a.b");
    /* Escapes that aren't known, control characters and surrogates stand as they are. */
    expect("_ZN5$XX$a" H, "$XX$a");
    expect("_ZN4$u7$" H, "$u7$");
    expect("_ZN7$ud800$" H, "$ud800$");
    expect("_ZN3a$b" H, "a$b");
}

Test(demangle, rust_v0_constants)
{
    expect("_RIC1aKj7b_E", "a::<123>");
    expect("_RIC1aKanb_E", "a::<-11>");
    expect("_RIC1aKb1_E", "a::<true>");
    expect("_RIC1aKb2_E", "");
    expect("_RIC1aKc27_E", "a::<'\\''>");
    expect("_RIC1aKe616263_E", "a::<{*\"abc\"}>");
    expect("_RIC1aKRe270a22_E", "a::<\"'\\n\\\"\">");
    expect("_RIC1aKTh1_b0_EE", "a::<{(1, false)}>");
    expect("_RIC1aKVNtC3foo3BarS1sRe616263_2chc78_EE", "a::<{foo::Bar { s: \"abc\", ch: 'x' }}>");
    expect("_RIC1aKoff00ff00ff00ff00ff_E", "a::<0xff00ff00ff00ff00ff>");
    expect("_RMC0WmORm1_m2_Rm5_m6_E", "<u32 is 1..=2 | 5..=6>");
    expect("_RIC1aFUKCEuE", "a::<unsafe extern \"C\" fn()>");
    expect("_RIC1aFG_RL0_hEuE", "a::<for<'a> fn(&'a u8)>");
}

Test(demangle, rust_v0_malformed)
{
    static const char *const names[] = {"_RN",
                                        "_RNv",
                                        "_RNvC1a",
                                        "_RNvC1a20abc",
                                        "_RB_",
                                        "_RNvB_1a",
                                        "_RIC7backrefSB9_E",
                                        "_RIC7backrefKBa_E",
                                        "_RIC1aL0_E",
                                        "_RIC1aKj_E",
                                        "_RC1a1",
                                        "_RC1aXX",
                                        "_RIC1aFGzzzzzzzz_Eu",
                                        "_RCu8b44444yy",
                                        "_RNvC1au21p18888888888888888888",
                                        "_RC18446744073709551617a",
                                        "_RIC1aKe6_E",
                                        "_RIC1aKec0_E",
                                        "_RIC1aKRezz_E"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect(names[i], "");
}

/* ---- names crafted to do harm -------------------------------------------------------- */

/* `head`, then `unit` n times, then `tail`. */
static char *repeat(const char *head, const char *unit, size_t n, const char *tail)
{
    char *name = malloc(strlen(head) + strlen(unit) * n + strlen(tail) + 1);
    char *at = name + sprintf(name, "%s", head);
    for (size_t i = 0; i < n; i++)
        at += sprintf(at, "%s", unit);
    strcpy(at, tail);
    return name;
}

static const struct {
    const char *head, *unit, *tail;
} crafted[] = {
    {"_Z1f", "P", "i"},
    {"_Z1f", "U1x", "i"},
    {"_Z1fI", "1aI", "E"},
    {"_Z1fI", "J", "E"},
    {"_Z1fIX", "ng", "EE"},
    {"_Z1fIX", "di1a", "EE"},
    {"_ZN", "1a", "E"},
    {"_ZN", "1aI", "iE"},
    {"_Z", "Z1av", "E1b"},
    {"_ZGV", "Z1av", "E1b"},
    {"_Z1fIL", "_Z", "EE"},
    {"_Z1f", "Fi", "E"},
    {"_Z1f", "A1_", "i"},
    {"_Z1f", "M1a", "i"},
    {"_Z1f", "Dp", "i"},
    {"_Z1f", "u1xI", "iE"},
    {"_Z1fITt", "Tt", "E"},
    {"_ZN1fUlTt", "Tt", "E"},
    {"_ZN1fUlTp", "Tp", "E"},
    {"_Z1fIXtl", "tl", "E"},
    {"_ZN1A", "cv", "T_"},
    {"_Z1f", "DTsZ", "E"},
    {"_Z1fITk", "1a", "E"},
    {"_Z1aN1bC1", "C1", "E"},
    /* text that doubles with each unit */
    {"_Z1f3foo", "St4pairIS_S_E", ""},
    {"_Z1f1aS_IS_S_E", "S0_IS0_S0_E", "v"},
    {"_ZN1f", "IJiiEEDpT_", "v"},
    {"_RNvC1a", "", "1b"},
    {"_RIC1a", "R", "E"},
    {"_RIC1a", "IC1a", "E"},
    {"_RIC1aK", "R", "E"},
    {"_RN", "vN", "C1a"},
    {"_RM", "M", "C1a"},
    {"_RIC1a", "TB5_", "E"},
    {"_RIC1aD", "NC1a1b", "E"},
};

static void *run_crafted(void *ignored)
{
    static const size_t lengths[] = {1, 2, 5, 20, 100, 255, 256, 300, 1000, 5000, 20000, 100000};
    (void)ignored;
    for (size_t i = 0; i < sizeof crafted / sizeof *crafted; i++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            char *name = repeat(crafted[i].head, crafted[i].unit, lengths[k], crafted[i].tail);
            struct timespec before, after;
            clock_gettime(CLOCK_MONOTONIC, &before);
            size_t n = ms_demangle(name, strlen(name), MS_DEMANGLE_FULL, out, sizeof out);
            clock_gettime(CLOCK_MONOTONIC, &after);
            double took = (double)(after.tv_sec - before.tv_sec) +
                          (double)(after.tv_nsec - before.tv_nsec) / 1e9;
            cr_assert_lt(n, sizeof out, "%s × %zu", crafted[i].unit, lengths[k]);
            cr_assert_lt(took, 5, "%s × %zu took %f s", crafted[i].unit, lengths[k], took);
            free(name);
        }
    return NULL;
}

/* Tuples of two of the one before: a report full of such names is to be read in seconds, too. */
Test(demangle, rust_tuples_that_double)
{
    static const char few[] = "_RIC1aTllETB3_B3_ETB7_B7_ETBf_Bf_ETBn_Bn_ETBv_Bv_ETBD_BD_EE";
    static const char many[] =
        "_RIC1aTllETB3_B3_ETB7_B7_ETBf_Bf_ETBn_Bn_ETBv_Bv_ETBD_BD_ETBL_BL_ETBT_BT_ETB11_B11_E"
        "TB19_B19_ETB1j_B1j_ETB1t_B1t_ETB1D_B1D_ETB1N_B1N_ETB1X_B1X_ETB27_B27_ETB2h_B2h_E"
        "TB2r_B2r_ETB2B_B2B_ETB2L_B2L_EE";
    cr_assert_gt(ms_demangle(few, sizeof few - 1, MS_DEMANGLE_FULL, out, sizeof out), 1500);
    clock_t before = clock();
    for (int i = 0; i < 200; i++)
        cr_assert_eq(ms_demangle(many, sizeof many - 1, MS_DEMANGLE_FULL, out, sizeof out), 0);
    cr_assert_lt((double)(clock() - before) / CLOCKS_PER_SEC, 5);
}

Test(demangle, crafted_names_end)
{
    /* On a thread with as little stack as a secondary one has on macOS. */
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
#if defined(__SANITIZE_ADDRESS__)
    pthread_attr_setstacksize(&attr, 4u << 20); /* whose frames are several times as large */
#else
    pthread_attr_setstacksize(&attr, 512u << 10);
#endif
    cr_assert_eq(pthread_create(&thread, &attr, run_crafted, NULL), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

/* Each level is a pair of the one before: 2^n times the text. */
Test(demangle, exponential_text_is_refused)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char name[2048];
    for (int levels = 1; levels < 34; levels++) {
        char *at = name + sprintf(name, "_Z1f1aIiE");
        for (int i = 0; i < levels; i++) /* S0_ is a<int>, S1_ the first pair, … */
            at += sprintf(at, "S_IS%c_S%c_E", digits[i], digits[i]);
        size_t n = ms_demangle(name, strlen(name), MS_DEMANGLE_FULL, NULL, 0);
        if (levels < 8)
            cr_assert_gt(n, (size_t)1 << levels);
        if (levels > 18)
            cr_assert_eq(n, 0, "%d levels gave %zu bytes", levels, n);
    }
    for (int levels = 1; levels < 60; levels++) {
        /* (((T, T), (T, T)), …): the tuple of the level before, referred to twice. */
        char *at = name + sprintf(name, "_RMC0");
        for (int i = 0; i < levels; i++)
            *at++ = 'T';
        *at++ = 'p';
        for (int i = levels; i-- > 0;) {
            int back = 3 + i + 1; /* the next 'T' inwards, or the 'p' */
            at += back == 0 ? sprintf(at, "B_E")
                            : sprintf(at, "B%c_E",
                                      "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVW"
                                      "XYZ"[back - 1]);
        }
        *at = 0;
        size_t n = ms_demangle(name, strlen(name), MS_DEMANGLE_FULL, NULL, 0);
        if (levels < 10)
            cr_assert_gt(n, (size_t)1 << levels, "%s", name);
        if (levels > 20)
            cr_assert_eq(n, 0, "%d levels gave %zu bytes", levels, n);
    }
}

Test(demangle, long_names_are_left_alone)
{
    char *name = repeat("_ZN", "1a", 40000, "E");
    cr_assert_eq(ms_demangle(name, strlen(name), MS_DEMANGLE_FULL, NULL, 0), 0);
    cr_assert_eq(ms_demangle_symbol(name, strlen(name), false, MS_DEMANGLE_FULL, NULL, 0),
                 strlen(name));
    free(name);
}

/* ---- vectors of the reference implementations, where they are ------------------------- */

static FILE *open_vectors(const char *file)
{
    const char *folder = getenv("MACHSYM_SHARED");
    char path[1024];
    snprintf(path, sizeof path, "%s/demangle/%s", folder ? folder : "../shared", file);
    FILE *in = fopen(path, "r");
    if (!in)
        cr_skip_test("%s is not there", path);
    return in;
}

/* The tab-separated field i of a line without its newline. */
static char *field(char *line, int i)
{
    while (i-- && line) {
        line = strchr(line, '\t');
        line = line ? line + 1 : NULL;
    }
    return line;
}

static size_t run_vectors(const char *file, const char *only, int mangled, int wanted)
{
    static char line[1 << 17];
    size_t n_differ = 0, n = 0;
    FILE *in = open_vectors(file);
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        char *name = field(line, mangled), *text = field(line, wanted);
        if (!name || !text || strncmp(line, "# ", 2) == 0 || strncmp(line, only, strlen(only)) != 0)
            continue;
        name[strcspn(name, "\t")] = 0;
        size_t length = ms_demangle(name, strlen(name), MS_DEMANGLE_FULL, out, sizeof out);
        /* The name itself stands for "refused". */
        bool same = strcmp(name, text) == 0 ? length == 0 : strcmp(out, text) == 0;
        if (!same) {
            fprintf(stderr, "%s: %s\n  gives  %s\n  wanted %s\n", file, name, out, text);
            n_differ++;
        }
        n++;
    }
    fclose(in);
    cr_assert_gt(n, 0);
    return n_differ;
}

Test(demangle, itanium_vectors)
{
    cr_assert_eq(run_vectors("itanium-subset.tsv", "", 0, 1), 0);
}

Test(demangle, rust_real_names)
{
    cr_assert_eq(run_vectors("rust-real-names.tsv", "", 0, 1), 0);
}

Test(demangle, rust_demangle_vectors)
{
    cr_assert_eq(run_vectors("rust-rustc-demangle.tsv", "v0\tnohash", 2, 3), 0);
}

Test(demangle, llvm_rust_vectors)
{
    /* LLVM escapes all of Unicode in a char and keeps ".llvm.N" (two names). */
    cr_assert_eq(run_vectors("rust-llvm.tsv", "", 0, 1), 3);
}

static struct ms_name describe(const char *name)
{
    struct ms_name described;
    memset(&described, 0xaa, sizeof described);
    ms_demangle_describe(name, strlen(name), &described);
    return described;
}

Test(demangle, kinds_of_cxx_names)
{
    static const struct {
        const char *name;
        enum ms_name_kind kind;
        bool thunk, outlined;
    } names[] = {
        {"_Z3foov", MS_NAME_FUNCTION, false, false},
        {"__Z3fooIiEvT_", MS_NAME_FUNCTION, false, false},
        {"_ZNK1AIiE3barB5tag_1Ev.cold.1", MS_NAME_FUNCTION, false, true},
        {"_ZNK1A3barEv.llvm.1", MS_NAME_FUNCTION, false, false},
        {"_ZN1AC2Ev", MS_NAME_INITIALIZER, false, false},
        {"_ZN1AD0Ev", MS_NAME_DEINITIALIZER, false, false},
        {"_ZN1A1bE", MS_NAME_VARIABLE, false, false},
        {"_ZGVZ3foovE1x", MS_NAME_VARIABLE, false, false},
        {"_ZTV1A", MS_NAME_METADATA, false, false},
        {"_ZTC1A0_1B", MS_NAME_METADATA, false, false},
        {"_ZTS1A", MS_NAME_METADATA, false, false},
        {"_ZThn8_N1A3fooEi", MS_NAME_FUNCTION, true, false},
        {"_ZThn8_N1AD1Ev.cold", MS_NAME_DEINITIALIZER, true, true},
        {"_ZZ3foovENKUlvE_clEv", MS_NAME_CLOSURE, false, false},
        {"_ZZ3foovENK3$_0clEi", MS_NAME_CLOSURE, false, false},
        {"_ZNK1AclEv", MS_NAME_FUNCTION, false, false},
        {"____Z3foov_block_invoke", MS_NAME_CLOSURE, false, false},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ms_name got = describe(names[i].name);
        cr_assert_eq(got.mangling, MS_MANGLING_ITANIUM);
        cr_assert_eq(got.kind, names[i].kind, "%s is a %s", names[i].name,
                     ms_name_kind_text(got.kind));
        cr_assert_eq(got.thunk, names[i].thunk, "%s", names[i].name);
        cr_assert_eq(got.outlined, names[i].outlined, "%s", names[i].name);
        cr_assert_eq(got.fault.kind, MS_NAME_FINE);
        cr_assert_str_eq(got.module, "");
    }
}

Test(demangle, kinds_of_rust_names)
{
    static const struct {
        const char *name;
        enum ms_name_kind kind;
        const char *crate;
        bool outlined;
    } names[] = {
        {"_RNvC5crate1b", MS_NAME_FUNCTION, "crate", false},
        {"__RNvC5crate1b.cold.3", MS_NAME_FUNCTION, "crate", true},
        {"_RNvC5crate3FOO", MS_NAME_VARIABLE, "crate", false},
        {"_RNCNvC1a1b0", MS_NAME_CLOSURE, "a", false},
        {"_ZN5crate1b17h0123456789abcdefE", MS_NAME_FUNCTION, "crate", false},
        {"_ZN9$LT$a$GT$1b17h0123456789abcdefE", MS_NAME_FUNCTION, "", false},
        {"_ZN5crate1b28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", MS_NAME_CLOSURE, "crate",
         false},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ms_name got = describe(names[i].name);
        cr_assert_eq(got.kind, names[i].kind, "%s is a %s", names[i].name,
                     ms_name_kind_text(got.kind));
        cr_assert_str_eq(got.module, names[i].crate);
        cr_assert_eq(got.outlined, names[i].outlined);
    }
}

Test(demangle, faults)
{
    cr_assert_eq(describe("_main").mangling, MS_MANGLING_NONE);
    cr_assert_eq(describe("_main").fault.kind, MS_NAME_FINE);
    struct ms_name got = describe("_Zfoo");
    cr_assert_eq(got.mangling, MS_MANGLING_ITANIUM);
    cr_assert_eq(got.fault.kind, MS_NAME_MALFORMED);
    cr_assert_eq(got.kind, MS_NAME_OTHER);
    cr_assert_eq(describe("_RNvC5c").fault.kind, MS_NAME_MALFORMED);
    ms_demangle_describe("_Z\0foo", 6, &got);
    cr_assert_eq(got.fault.kind, MS_NAME_MALFORMED);
    /* A getter of no variable, and a type of a million types, can be read, but not printed. */
    got = describe("$s11EventModels8ReminderV8pSrioritySivg");
    cr_assert_eq(got.fault.kind, MS_NAME_MALFORMED);
    cr_assert_eq(got.fault.at, 39);
    cr_assert_eq(got.kind, MS_NAME_OTHER);
    got = describe("$s1m1AVyACyACyACyACyACyACyACyACyACyACyACyACyACyACyACyACyACyACyACyACyAC"
                   "yACySbSbGADGAEGAFGAGGAHGAIGAJGAKGALGAMGANGAOGAPGAQGARGASGATGAUGAVGAWGAXGSbGD");
    cr_assert_eq(got.fault.kind, MS_NAME_TOO_LARGE);
    cr_assert_eq(got.module[0], 0);
    char *large = malloc(MS_DEMANGLE_INPUT + 1);
    memset(large, '1', MS_DEMANGLE_INPUT + 1);
    memcpy(large, "_Z", 2);
    ms_demangle_describe(large, MS_DEMANGLE_INPUT + 1, &got);
    cr_assert_eq(got.fault.kind, MS_NAME_TOO_LARGE);
    free(large);
    cr_assert_str_eq(ms_name_kind_text(MS_NAME_MACRO), "macro");
    cr_assert_str_eq(ms_name_kind_text((enum ms_name_kind)99), "other");
}
