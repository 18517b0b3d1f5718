/* Names that are longer than any real one, and the same name many times over. */
#include "base/limits.h"
#include "machsym/symbolize.h"

#include <criterion/criterion.h>
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
