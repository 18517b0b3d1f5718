/* lib/demangle/swift: names of hostile sizes. Time grows as the name does, memory stays bounded. */
#include "machsym/demangle.h"

#include "demangle/demanglers.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum {
    SHORT = 60000, /* bytes; four times that is still below MS_DEMANGLE_INPUT */
    LONG = 4 * SHORT
};
static char out[MS_DEMANGLE_OUTPUT + 16];

static const unsigned styles[] = {MS_DEMANGLE_FULL, MS_DEMANGLE_SIMPLIFIED,
                                  MS_DEMANGLE_SIMPLIFIED | MS_DEMANGLE_NO_PARAMS |
                                      MS_DEMANGLE_FOLD};

/*
 * `head`, `unit` as often as fits, `tail`, `close` once for each unit, `end`: n bytes in all, or a
 * few less. `most`: of units, where the reader has a ceiling beyond which nothing happens; 0: none.
 */
static const struct shape {
    const char *what, *head, *unit, *tail, *close, *end;
    size_t most;
} shapes[] = {
    {"nested structures", "$s1A", "1BV", "", "", "", 0},
    {"nested structures that are printed", "$s1A", "1BV", "", "", "", 700},
    {"nested old structures", "_Tt", "V", "1A", "1B", "", 0},
    {"optionals", "$sSi", "Sg", "D", "", "", 0},
    {"metatypes", "$sSi", "m", "D", "", "", 0},
    {"arrays", "$s", "Say", "Si", "G", "D", 0},
    {"dictionaries of dictionaries", "$s", "SDySi", "Si", "G", "D", 0},
    {"functions of functions", "$sy", "yc", "D", "", "", 0},
    {"nested tuples", "$sSi", "_Sit", "D", "", "", 0},
    {"one flat tuple", "$sSi_", "Si", "tD", "", "", 0},
    {"a tuple with labels", "$sSi1a_", "Si1b", "tD", "", "", 0},
    {"generic arguments", "$s1A1BVy", "Si", "GD", "", "", 0},
    {"generic lists", "$s1A1BVySi", "_Si", "GD", "", "", 0},
    {"generic nests", "$s1A1BVyx", "_x", "GD", "", "", 0},
    {"generic arguments inside generics", "$s", "1A1BVy", "Si", "G", "D", 0},
    {"local functions", "$s1A1byyF", "1cL_yyF", "", "", "", 0},
    {"closures", "$s1A1byyF", "yycfU_", "", "", "", 0},
    {"extensions", "$s1A1BV", "AAE1CV", "", "", "", 0},
    {"statics", "$s1A1byyF", "Z", "", "", "", 0},
    {"getters of subscripts", "$s1A1BV", "ySicig", "", "", "", 0},
    {"default arguments", "$s1A1byyF", "fA_", "", "", "", 0},
    {"requirements", "$s1A1b1cyxAA1PRz", "AaDRz", "lF", "", "", 0},
    {"same types", "$s1A1b1cyx", "SiRsz", "lF", "", "", 0},
    {"counts of parameters", "$s1A1bxyr", "0_", "lF", "", "", 0},
    {"associated types", "$s1A1bx", "1CQx", "D", "", "", 0},
    {"compound associated types", "$s1A1bx1C_", "1C", "QXD", "", "", 0},
    {"protocols", "$s1A1P_p", "1P", "_pD", "", "", 0},
    {"packs", "$sSi", "_QP", "D", "", "", 0},
    {"arguments of an opaque type", "$s1A1bQryFQOySi", "_Si", "Qo_D", "", "", 0},
    {"labels", "$s1A1b", "1c", "yyF", "", "", 0},
    {"empty lists", "$s", "y", "", "", "", 0},
    {"markers", "$s", "_", "", "", "", 0},
    {"modules", "$s", "s", "", "", "", 0},
    {"standard types", "$s", "Si", "", "", "", 0},
    {"repeated standard types", "$s", "S9i", "", "", "", 0},
    {"many standard types at once", "$s", "S2048i", "", "", "", 0},
    {"back references", "$s1A1BV", "AA", "", "", "", 0},
    {"repeated back references", "$s1A1BV", "A2048B", "", "", "", 0},
    {"chains of back references", "$s1A1BV", "abaabb", "A", "", "", 0},
    {"a chain behind an A", "$s1A1BVA", "b", "A", "", "", 0},
    {"large indices", "$s1A1BVA", "0", "_", "", "", 0},
    {"large numbers", "$s1A1BVA", "9", "_", "", "", 0},
    {"bytes 0xFF", "$s1A", "\xff", "1BV", "", "", 0},
    {"nothing but 0xFF", "$s", "\xff", "", "", "", 0},
    {"identifiers", "$s", "1a", "", "", "", 0},
    {"long words", "$s0", "aB0", "", "", "", 0},
    {"words put together", "$s1A9AbCdEfGhi", "0aaaaaaaaA0", "", "", "", 0},
    {"words of words", "$s26AaBbCcDdEeFfGgHhIiJjKkLlMm", "0abcdefghijklM3Xxx", "", "", "", 0},
    {"one long identifier", "$s1A4000", "x", "", "", "", 0},
    {"a suffix", "$s1A1byyF.", "x", "", "", "", 0},
    {"control characters in a suffix", "$s1A1byyF.", "\x01", "", "", "", 0},
    {"punycode", "$s1A003abc", "005abaaa", "V", "", "", 0},
    {"arguments of a specialisation", "$s1A1byyFTf4", "n", "_n", "", "", 0},
    {"dead arguments", "$s1A1byyFTf4", "d", "_n", "", "", 0},
    {"constants", "$s1A1byyFTf4", "pi1", "_n", "", "", 0},
    {"types of a specialisation", "$s1A1byyFSi_", "Si", "Tg5", "", "", 0},
    {"specialisations", "$s1A1byyF", "Si_Tg5", "", "", "", 0},
    {"merged", "$s1A1byyF", "Tm", "", "", "", 0},
    {"partial applications", "$s1A1byyF", "TA", "", "", "", 0},
    {"await points", "$s1A1byyYaF", "TY0_", "", "", "", 0},
    {"SIL parameters", "$sIeg", "n", "_", "", "", 0},
    {"SIL function types", "$sSi", "Iegy_", "TR", "", "", 0},
    {"SIL functions with types", "$s", "Si", "Ieg", "y", "_D", 0},
    {"concrete conformances", "$sSi1A1PHP", "Si1A1PHPyHC", "", "", "", 0},
    {"retroactive conformances", "$s1A1BVySi", "Si1A1PHPyHCg_", "GD", "", "", 0},
    {"macro expansions", "$s1A1byyF", "1cfMf_", "", "", "", 0},
    {"buffers of macros", "@__swiftmacro_1A1byyF", "1cfMp_", "", "", "", 0},
    {"unique names", "$s1A1byyF", "1cfMu_", "", "", "", 0},
    {"anonymous contexts", "$s1A", "1ByXZ", "1CV", "", "", 0},
    {"boxes", "$sSi", "Xb", "D", "", "", 0},
    {"box layouts", "$sSi_", "Siz", "XxD", "", "", 0},
    {"integers", "$s", "$0_", "D", "", "", 0},
    {"builtin vectors", "$sBi8_", "Bv2_", "D", "", "", 0},
    {"key paths", "$s1A1BV1cSivpAC", "AC", "TK", "", "", 0},
    {"derivatives", "$s1A1byyF", "TJfSpSr", "", "", "", 0},
    {"derivative indices", "$s1A1byyFTJf", "S", "pSr", "", "", 0},
    {"differentiable functions", "$sy", "yYjrc", "D", "", "", 0},
    {"isolated types", "$sSi", "Yi", "D", "", "", 0},
    {"typed throws", "$sSi", "YKyyc", "D", "", "", 0},
    {"constrained existentials", "$s1A1P_pSi1CRs_", "Si1CRs_", "XPD", "", "", 0},
    {"extended existentials", "$s", "1A1P_pXg", "", "", "", 0},
    {"old types", "_Tt", "GSa", "Si", "_", "", 0},
    {"old tuples", "_Tt", "T", "", "_", "", 0},
    {"old functions", "_Tt", "FT_", "Si", "", "", 0},
    {"old classes", "_Tt", "C", "1A", "1B", "", 0},
    {"old names in functions", "_TtC", "F", "1A", "1bT_T_", "1C", 0},
    {"old substitutions", "_TtT", "S_", "_", "", "", 0},
    {"old protocols", "_TtP", "1A1B", "_", "", "", 0},
    {"old inouts", "_Tt", "R", "Si", "", "", 0},
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static char *make(const struct shape *s, size_t n)
{
    size_t fixed = strlen(s->head) + strlen(s->tail) + strlen(s->end);
    size_t each = strlen(s->unit) + strlen(s->close), units = (n - fixed) / each;
    if (s->most && units > s->most)
        units = s->most;
    char *name = malloc(fixed + units * each + 1), *at = name;
    cr_assert(name);
    at = stpcpy(at, s->head);
    for (size_t i = 0; i < units; i++)
        at = stpcpy(at, s->unit);
    at = stpcpy(at, s->tail);
    for (size_t i = 0; i < units; i++)
        at = stpcpy(at, s->close);
    stpcpy(at, s->end);
    return name;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What a name takes in one style, the least of three, and that it is answered soundly. */
static double time_of(const char *name, size_t n, unsigned style, const char *what)
{
    double least = 1e9;
    for (int i = 0; i < 3 && (i == 0 || least < 0.5); i++) {
        double before = seconds();
        size_t length = ms_demangle(name, n, style, out, sizeof out);
        double took = seconds() - before;
        cr_assert_eq(strlen(out), length, "%s", what);
        cr_assert_leq(length, MS_DEMANGLE_OUTPUT, "%s", what);
        least = took < least ? took : least;
    }
    struct ms_name described;
    double before = seconds();
    ms_demangle_describe(name, n, &described);
    double took = seconds() - before;
    return took > least ? took : least;
}

static void check(const struct shape *s)
{
#if defined(__SANITIZE_ADDRESS__)
    const double slower = 10;
#else
    const double slower = 1;
#endif
    char *small = make(s, SHORT), *large = make(s, LONG);
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        double a = time_of(small, strlen(small), styles[i], s->what);
        double b = time_of(large, strlen(large), styles[i], s->what);
        /* Four times the name: four times as long, twice that for noise. What takes no time to
         * speak of has none to compare; and none takes more than what a megabyte of text does. */
        double floor = 0.016 * slower;
        if (b > floor)
            cr_expect_lt(b / (a > floor / 8 ? a : floor / 8), 8,
                         "%s, style %u: %zu bytes take %.2f ms, %zu bytes %.2f ms", s->what,
                         styles[i], strlen(small), a * 1e3, strlen(large), b * 1e3);
        cr_expect_lt(b, 1.0 * slower, "%s, style %u: %zu bytes take %.0f ms", s->what, styles[i],
                     strlen(large), b * 1e3);
    }
    free(small);
    free(large);
}

static void *check_all(void *ignored)
{
    (void)ignored;
    for (size_t i = 0; i < N_SHAPES; i++)
        check(&shapes[i]);
    return NULL;
}

/* On a thread with as little stack as a secondary one has on macOS. */
static void run_on_small_stack(void *(*f)(void *))
{
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
#if defined(__SANITIZE_ADDRESS__)
    pthread_attr_setstacksize(&attr, 4u << 20); /* whose frames are several times as large */
#else
    pthread_attr_setstacksize(&attr, 512u << 10);
#endif
    cr_assert_eq(pthread_create(&thread, &attr, f, NULL), 0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attr);
}

Test(swift_limits, time_grows_as_names_do_and_memory_is_bounded)
{
    run_on_small_stack(check_all);
#if !defined(__SANITIZE_ADDRESS__) && defined(__linux__)
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    /* 64 MB of nodes, the text, and what the test itself holds. */
    cr_assert_lt(usage.ru_maxrss, 128L << 10, "%ld KiB", usage.ru_maxrss);
#endif
}

/* A tuple in which each type is a dictionary of two of the one before: twice the text, for some
 * ten bytes. */
static void double_up(const char *between, const char *end)
{
    char name[4096];
    size_t last = 0;
    for (int levels = 1; levels < 200; levels++) {
        char *at = name + sprintf(name, "$sSDySiSiG_");
        for (int i = 0; i < levels; i++) {
            char index[16];
            if (i < 26)
                sprintf(index, "A%c", 'A' + i);
            else if (i == 26)
                sprintf(index, "A_");
            else
                sprintf(index, "A%d_", i - 27);
            at += sprintf(at, "%sSDy%s%sG", between, index, index);
        }
        sprintf(at, "%s", end);
        size_t n = ms_demangle(name, strlen(name), MS_DEMANGLE_FULL, out, sizeof out);
        cr_assert_leq(n, ms_demangle_output(strlen(name)), "%d levels", levels);
        cr_assert(!n || n >= last, "%d levels: %zu bytes after %zu", levels, n, last);
        if (levels <= 10)
            cr_assert_gt(n, 0, "%d levels", levels);
        if (levels >= 40)
            cr_assert_eq(n, 0, "%d levels can't be printed", levels);
        last = n;
    }
}

static void *double_all(void *ignored)
{
    (void)ignored;
    double_up("", "tD");
    return NULL;
}

Test(swift_limits, text_that_doubles_is_refused)
{
    double before = seconds();
    run_on_small_stack(double_all);
    cr_assert_lt(seconds() - before, 30);
}

/* A name within a specialisation's payload within one … */
static void *nest_payloads(void *ignored)
{
    (void)ignored;
    static char name[LONG + 64], next[LONG + 64];
    strcpy(name, "$s1A1byyF");
    for (int levels = 0; strlen(name) + 64 < sizeof name; levels++) {
        sprintf(next, "$s%zu%s1A1cyyFTf4pf_n", strlen(name), name);
        strcpy(name, next);
        if (levels % 100 < 5 || levels > 10000) {
            double took = time_of(name, strlen(name), MS_DEMANGLE_FULL, "payloads");
            cr_assert_lt(took, 5, "%d payloads in one another take %f s", levels, took);
        }
    }
    return NULL;
}

Test(swift_limits, names_within_names)
{
    run_on_small_stack(nest_payloads);
}

/* A name that is too long is none, and one of the greatest length is read. */
Test(swift_limits, length)
{
    static char name[MS_DEMANGLE_INPUT + 2];
    memset(name, 'x', sizeof name);
    memcpy(name, "$s1A1byyF.", 10);
    cr_assert_gt(ms_demangle(name, MS_DEMANGLE_INPUT, MS_DEMANGLE_FULL, out, sizeof out), 0);
    cr_assert_eq(ms_demangle(name, MS_DEMANGLE_INPUT + 1, MS_DEMANGLE_FULL, out, sizeof out), 0);
    struct ms_name described;
    ms_demangle_describe(name, MS_DEMANGLE_INPUT + 1, &described);
    cr_assert_eq(described.mangling, MS_MANGLING_SWIFT);
    cr_assert_eq(described.fault.kind, MS_NAME_TOO_LARGE);
}

/* Every beginning of real names is answered soundly: mostly refused, never with half a name. */
Test(swift_limits, names_cut_short)
{
    static const char *const names[] = {
        "$s1A3BoxV5storeSayxGvgAA1PRzlE",
        "$s4main3foo1a1bSiSgSS_SDySSSayypGGtYaKF",
        "$s1A1BCyxGAA1PAAWP",
        "$s4main1AV1bySiXE_SStFTf4cpfn_nSS_AEXETg5TA.resume.0",
        "@__swiftmacro_4main1AV1b11ObservablefMr_",
        "$s1A1fyycyyXEXEFyycfU_yyYaKcfu0_TY1_",
        "_TtGC4main3FooGVS_3BarSi_GSaSS__",
        "$sSSSiIegnr_SSSis5Error_pIegnrzo_TR",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t n = 0; n <= strlen(names[i]); n++)
            for (size_t k = 0; k < sizeof styles / sizeof *styles; k++) {
                char *exact = malloc(n ? n : 1); /* so that a sanitizer sees a read past it */
                memcpy(exact, names[i], n);
                size_t length = ms_demangle(exact, n, styles[k], out, sizeof out);
                cr_assert_eq(strlen(out), length);
                struct ms_name described;
                ms_demangle_describe(exact, n, &described);
                cr_assert(!length || described.fault.kind == MS_NAME_FINE, "%.*s", (int)n,
                          names[i]);
                free(exact);
            }
}
