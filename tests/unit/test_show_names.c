/* Names as they are shown: demangled or not, too long ones, the same one many times over. */
#include "base/limits.h"
#include "machsym/demangle.h"
#include "machsym/symbolize.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *repeat(char c, size_t n)
{
    char *text = malloc(n + 1);
    memset(text, c, n);
    text[n] = 0;
    return text;
}

Test(show, cuts_what_is_too_long_to_be_a_name)
{
    char *name = repeat('f', MS_MAX_SHOWN_NAME + 1), *file = repeat('d', 2 * MS_MAX_SHOWN_NAME);
    char *longest = repeat('g', MS_MAX_SHOWN_NAME);
    struct ms_frame frames[] = {{.linkage = name, .file = file, .line = 1}, {.name = longest}};
    struct ms_answer answer = {frames, 2, MS_WHY_COMPLETE};
    struct ms_show_pool *pool;
    struct ms_error err;
    struct ms_shown shown;
    struct ms_show_style style = {true, false, 0};
    cr_assert_eq(ms_show_pool_open(&pool, &err), MS_OK);
    cr_assert_eq(ms_show(pool, &answer, &style, 0, 0, &shown, &err), MS_OK);
    cr_assert_eq(strlen(shown.frames[0].function), MS_MAX_SHOWN_NAME);
    cr_assert_str_eq(shown.frames[0].function + MS_MAX_SHOWN_NAME - 4, "f...");
    cr_assert_str_eq(shown.frames[0].mangled, shown.frames[0].function);
    cr_assert_eq(strlen(shown.frames[0].path), MS_MAX_SHOWN_NAME);
    cr_assert_str_eq(shown.frames[1].function, longest, "as long as it may be");
    ms_show_pool_close(pool);
    free(name);
    free(file);
    free(longest);
}

Test(show, makes_each_name_and_path_once)
{
    struct ms_frame frame = {.linkage = "_ZN3foo3barEi", .comp_dir = "/src", .file = "foo.cpp"};
    struct ms_answer answer = {&frame, 1, MS_WHY_COMPLETE};
    struct ms_show_pool *pool;
    struct ms_error err;
    struct ms_shown one, two;
    struct ms_show_style style = {true, false, 0};
    cr_assert_eq(ms_show_pool_open(&pool, &err), MS_OK);
    cr_assert_eq(ms_show(pool, &answer, &style, 0, 0, &one, &err), MS_OK);
    cr_assert_eq(ms_show(pool, &answer, &style, 0, 0, &two, &err), MS_OK);
    cr_assert_eq(one.frames[0].function, two.frames[0].function, "the same bytes");
    cr_assert_eq(one.frames[0].path, two.frames[0].path, "the same bytes");
    ms_show_pool_clear(pool);
    cr_assert_eq(ms_show(pool, &answer, &style, 0, 0, &one, &err), MS_OK);
    cr_assert_str_eq(one.frames[0].function, "foo::bar(int)");
    ms_show_pool_close(pool);
}

Test(show, a_bound_forgets_sooner)
{
    struct ms_frame frame = {.linkage = "_ZN3foo3barEi", .comp_dir = "/src", .file = "foo.cpp"};
    struct ms_answer answer = {&frame, 1, MS_WHY_COMPLETE};
    struct ms_show_pool *pool;
    struct ms_error err;
    struct ms_shown shown;
    struct ms_show_style style = {true, false, 0};
    cr_assert_eq(ms_show_pool_open(&pool, &err), MS_OK);
    for (size_t bound = 0; bound < 3; bound++) {
        ms_show_pool_set_max(pool, bound * 100);
        cr_assert_eq(ms_show(pool, &answer, &style, 0, 0, &shown, &err), MS_OK);
        cr_assert_str_eq(shown.frames[0].function, "foo::bar(int)");
        cr_assert_str_eq(shown.frames[0].path, "/src/foo.cpp");
        ms_show_pool_clear(pool);
    }
    ms_show_pool_close(pool);
}

/* ---- names as the file has them ---------------------------------------------------------- */

static const struct ms_show_style full = {.demangle = MS_DEMANGLE_FULL};
static const struct ms_show_style plain = {.no_demangle = true};

static struct ms_show_pool *open_pool(void)
{
    struct ms_show_pool *pool;
    struct ms_error err;
    cr_assert_eq(ms_show_pool_open(&pool, &err), MS_OK);
    return pool;
}

/* The frame's function, and its linkage name at *mangled. */
static const char *show_one(struct ms_show_pool *pool, const char *linkage, const char *name,
                            const struct ms_show_style *style, const char **mangled)
{
    struct ms_frame frame = {.linkage = linkage, .name = name};
    struct ms_answer answer = {&frame, 1, MS_WHY_COMPLETE};
    struct ms_error err;
    struct ms_shown shown;
    cr_assert_eq(ms_show(pool, &answer, style, 0, 0, &shown, &err), MS_OK);
    *mangled = shown.frames[0].mangled;
    return shown.frames[0].function;
}

Test(show, a_plain_name_may_be_mangled_too)
{
    struct ms_show_pool *pool = open_pool();
    const char *mangled;
    cr_assert_str_eq(show_one(pool, NULL, "_ZN3foo3barEv", &full, &mangled), "foo::bar()");
    cr_assert_str_eq(mangled, "_ZN3foo3barEv");
    cr_assert_str_eq(show_one(pool, NULL, "_ZN3foo3barEv", &plain, &mangled), "_ZN3foo3barEv");
    cr_assert_str_eq(mangled, "_ZN3foo3barEv");
    cr_assert_str_eq(show_one(pool, NULL, "_start", &full, &mangled), "_start");
    cr_assert_null(mangled);
    cr_assert_str_eq(show_one(pool, "_ZN3foo3barEv", "bar", &full, &mangled), "foo::bar()");
    ms_show_pool_close(pool);
}

Test(show, skips_no_underscore_that_is_not_there)
{
    struct ms_show_pool *pool = open_pool();
    const char *mangled;
    /* A function of C; the symbol of C++'s foo() is __Z3foov, and its linkage name _Z3foov. */
    cr_assert_str_eq(show_one(pool, "__Z3foov", NULL, &full, &mangled), "__Z3foov");
    cr_assert_str_eq(show_one(pool, "_Z3foov", NULL, &full, &mangled), "foo()");
    ms_show_pool_close(pool);
}

Test(show, one_pool_serves_several_styles)
{
    static const char name[] = "_ZN3foo3barEi";
    struct ms_show_style short_style = {.demangle = MS_DEMANGLE_NO_PARAMS};
    struct ms_show_pool *pool = open_pool();
    struct ms_shown shown = {.why = MS_WHY_NO_FILE};
    struct ms_error err;
    const char *mangled;
    for (int twice = 0; twice < 2; twice++) {
        cr_assert_str_eq(show_one(pool, name, NULL, &full, &mangled), "foo::bar(int)");
        cr_assert_str_eq(show_one(pool, name, NULL, &short_style, &mangled), "foo::bar");
        cr_assert_eq(ms_show_symbol(pool, name, &full, &shown, &err), MS_OK);
        cr_assert_str_eq(shown.symbol, "foo::bar(int)");
        cr_assert_eq(ms_show_symbol(pool, name, &short_style, &shown, &err), MS_OK);
        cr_assert_str_eq(shown.symbol, "foo::bar");
        cr_assert_eq(ms_show_symbol(pool, name, &plain, &shown, &err), MS_OK);
        cr_assert_null(shown.symbol);
        cr_assert_str_eq(shown.mangled, name);
        cr_assert_eq(shown.why, MS_WHY_NO_FILE, "not its business");
    }
    ms_show_pool_close(pool);
}

Test(show, styles_of_swift)
{
    static const struct {
        unsigned style;
        const char *function;
    } shown[] = {
        {MS_DEMANGLE_FULL, "@objc Widget.Gadget.spin(Swift.Int) -> ()"},
        {MS_DEMANGLE_SIMPLIFIED, "@objc Gadget.spin(_:)"},
        {MS_DEMANGLE_FOLD, "Widget.Gadget.spin(Swift.Int) -> ()"},
        {MS_DEMANGLE_SIMPLIFIED | MS_DEMANGLE_FOLD, "Gadget.spin(_:)"},
        {MS_DEMANGLE_SIMPLIFIED | MS_DEMANGLE_NO_PARAMS, "@objc Gadget.spin"},
    };
    static const char name[] = "$s6Widget6GadgetC4spinyySiFTo";
    struct ms_show_pool *pool = open_pool();
    const char *mangled;
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        struct ms_show_style style = {.demangle = shown[i].style};
        cr_expect_str_eq(show_one(pool, name, "spin", &style, &mangled), shown[i].function);
        cr_expect_str_eq(mangled, name);
        cr_expect_str_eq(show_one(pool, NULL, name, &style, &mangled), shown[i].function);
        cr_expect_str_eq(mangled, name);
    }
    ms_show_pool_close(pool);
}

/* A hundred and thirty bytes that read as a hundred and thirty thousand: each type holds the one
 * before twice. */
Test(show, leaves_names_mangled_that_nobody_could_read)
{
    char name[512] = "_Z1f1AIiiE";
    for (unsigned i = 0; i < 12; i++) {
        char id[4] = "";
        snprintf(id, sizeof id, "%c", i < 10 ? (char)('0' + i) : (char)('A' + i - 10));
        snprintf(name + strlen(name), sizeof name - strlen(name), "S_IS%s_S%s_E", id, id);
    }
    cr_assert_gt(ms_demangle(name, strlen(name), 0, NULL, 0), MS_MAX_SHOWN_NAME);
    struct ms_show_pool *pool = open_pool();
    struct ms_shown shown;
    struct ms_error err;
    const char *mangled;
    cr_assert_str_eq(show_one(pool, name, NULL, &full, &mangled), name);
    cr_assert_eq(ms_show_symbol(pool, name, &full, &shown, &err), MS_OK);
    cr_assert_null(shown.symbol);
    cr_assert_str_eq(shown.mangled, name);
    ms_show_pool_close(pool);
}

/* ---- names as a report has them ---------------------------------------------------------- */

Test(show, reads_symbols_with_underscores_or_without)
{
    static const struct {
        const char *symbol, *readable, *mangled;
    } names[] = {
        {"_ZN3foo3barEv", "foo::bar()", "_ZN3foo3barEv"},
        {"__ZN3foo3barEv", "foo::bar()", "_ZN3foo3barEv"},
        {"ZN3foo3barEv", "foo::bar()", "_ZN3foo3barEv"}, /* PLCrashReporter */
        {"ZNK3foo3barEv", "foo::bar() const", "_ZNK3foo3barEv"},
        {"Z3foov", NULL, NULL}, /* rather a function of C */
        {"___ZN3foo3barEv_block_invoke_2", "invocation function for block in foo::bar()",
         "___ZN3foo3barEv_block_invoke_2"},
        {"____ZN3foo3barEv_block_invoke", "invocation function for block in foo::bar()",
         "___ZN3foo3barEv_block_invoke"},
        {"__ZN3foo3barEv_block_invoke", "invocation function for block in foo::bar()",
         "___ZN3foo3barEv_block_invoke"},
        {"ZN3foo3barEv_block_invoke", "invocation function for block in foo::bar()",
         "___ZN3foo3barEv_block_invoke"},
        {"_ZN3foo17a_block_invoke_itEv", "foo::a_block_invoke_it()",
         "_ZN3foo17a_block_invoke_itEv"},
        {"_RNvCs1234_7mycrate3foo", "mycrate::foo", "_RNvCs1234_7mycrate3foo"},
        {"__RNvCs1234_7mycrate3foo", "mycrate::foo", "_RNvCs1234_7mycrate3foo"},
        {"__ZN4core3ptr4drop17h0123456789abcdefE", "core::ptr::drop",
         "_ZN4core3ptr4drop17h0123456789abcdefE"},
        {"$s6Widget6GadgetC4spinyySiF", "Widget.Gadget.spin(Swift.Int) -> ()",
         "$s6Widget6GadgetC4spinyySiF"},
        {"_$s6Widget6GadgetC4spinyySiF", "Widget.Gadget.spin(Swift.Int) -> ()",
         "$s6Widget6GadgetC4spinyySiF"},
        {"_T06Widget6GadgetC4spinySiF", "Widget.Gadget.spin(Swift.Int) -> ()",
         "_T06Widget6GadgetC4spinySiF"},
        {"__T06Widget6GadgetC4spinySiF", "Widget.Gadget.spin(Swift.Int) -> ()",
         "_T06Widget6GadgetC4spinySiF"},
        {"__TtC6Widget6Gadget", "Widget.Gadget", "_TtC6Widget6Gadget"},
        {"$s6Widget6GadgetC4spinyySiFWQ", NULL, "$s6Widget6GadgetC4spinyySiFWQ"},
        {"_TFC6Widget6Gadget4spinfSiT_", NULL, "_TFC6Widget6Gadget4spinfSiT_"}, /* Swift 3 */
        {"_ZN3fooXX", NULL, "_ZN3fooXX"}, /* of the scheme, but not understood */
        {"_TIFFOpen", NULL, NULL},
        {"-[Gadget spin:]", NULL, NULL},
        {"foo::bar()", NULL, NULL},
        {"main", NULL, NULL},
        {"", NULL, NULL},
        {NULL, NULL, NULL},
    };
    struct ms_show_pool *pool = open_pool();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct ms_shown shown = {.symbol = "?", .mangled = "?"};
        struct ms_error err;
        cr_assert_eq(ms_show_symbol(pool, names[i].symbol, &full, &shown, &err), MS_OK);
        const char *wanted[] = {names[i].readable, names[i].mangled};
        const char *got[] = {shown.symbol, shown.mangled};
        for (int k = 0; k < 2; k++)
            cr_expect((!wanted[k] && !got[k]) ||
                          (wanted[k] && got[k] && strcmp(wanted[k], got[k]) == 0),
                      "%s: %s", names[i].symbol, got[k] ? got[k] : "NULL");
    }
    ms_show_pool_close(pool);
}

/* Each frame of a report has a copy of its name. */
Test(show, makes_a_symbol_once_wherever_it_stands)
{
    char here[] = "_ZN3foo3barEi", there[] = "_ZN3foo3barEi";
    struct ms_show_pool *pool = open_pool();
    struct ms_shown one, two;
    struct ms_error err;
    cr_assert_eq(ms_show_symbol(pool, here, &full, &one, &err), MS_OK);
    cr_assert_eq(ms_show_symbol(pool, there, &full, &two, &err), MS_OK);
    cr_assert_eq(one.symbol, two.symbol, "the same bytes");
    memset(here, 0, sizeof here);
    memset(there, 0, sizeof there);
    cr_assert_eq(ms_show_symbol(pool, "_ZN3foo3barEi", &full, &two, &err), MS_OK);
    cr_assert_eq(one.symbol, two.symbol, "nothing is borrowed from the report");
    cr_assert_str_eq(two.mangled, "_ZN3foo3barEi");
    ms_show_pool_close(pool);
}
