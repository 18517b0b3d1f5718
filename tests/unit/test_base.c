/* lib/base: the bricks that everything else trusts. */
#include "base/arena.h"
#include "base/array.h"
#include "base/bytes.h"
#include "base/cursor.h"
#include "base/error.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BYTES(...)                                                                                 \
    ((struct ms_bytes){(const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})})

Test(bytes, part_lies_inside_or_is_refused)
{
    struct ms_bytes in = BYTES(1, 2, 3, 4), out;
    cr_assert(ms_bytes_part(in, 1, 3, &out));
    cr_assert_eq(out.n, 3);
    cr_assert_eq(out.at[0], 2);
    cr_assert(ms_bytes_part(in, 4, 0, &out));
    cr_assert_not(ms_bytes_part(in, 5, 0, &out));
    cr_assert_not(ms_bytes_part(in, 2, 3, &out));
    cr_assert_eq(out.n, 0);
    cr_assert_null(out.at);
    /* A sum that wraps must not look small. */
    cr_assert_not(ms_bytes_part(in, 2, UINT64_MAX, &out));
    cr_assert_not(ms_bytes_part(in, UINT64_MAX, 2, &out));
}

Test(bytes, string_ends_inside)
{
    struct ms_bytes in = BYTES('a', 'b', 0, 'c');
    size_t n = 99;
    cr_assert_str_eq(ms_bytes_string(in, 0, &n), "ab");
    cr_assert_eq(n, 2);
    cr_assert_str_eq(ms_bytes_string(in, 2, NULL), "");
    cr_assert_null(ms_bytes_string(in, 3, NULL), "no NUL before the end");
    cr_assert_null(ms_bytes_string(in, 4, NULL));
    cr_assert_null(ms_bytes_string(in, UINT64_MAX, NULL));
}

Test(error, long_where_is_cut_at_its_front)
{
    struct ms_error err;
    char path[400], small[8];
    memset(path, 'a', sizeof path);
    strcpy(path + 390, "/X.o");
    (void)ms_fail(&err, MS_E_IO, path, MS_NO_OFFSET, "is gone");
    cr_assert_eq(strlen(err.where), sizeof err.where - 1);
    cr_assert_eq(strncmp(err.where, "...a", 4), 0);
    cr_assert_str_eq(err.where + strlen(err.where) - 5, "a/X.o");
    path[sizeof err.where - 1] = 0;
    (void)ms_fail(&err, MS_E_IO, path, MS_NO_OFFSET, "is gone");
    cr_assert_str_eq(err.where, path, "it just fits");
    /* not within a character */
    ms_text_keep_end(small, sizeof small, "abcd\xc3\xa4xyz");
    cr_assert_str_eq(small, "...xyz");
    ms_text_keep_end(small, sizeof small, "abcdefg");
    cr_assert_str_eq(small, "abcdefg");
}

Test(cursor, reads_both_byte_orders)
{
    struct ms_bytes in = BYTES(1, 2, 3, 4, 5, 6, 7, 8);
    struct ms_cursor little = ms_cursor_over(in, false), big = ms_cursor_over(in, true);
    cr_assert_eq(ms_cursor_u16(&little), 0x0201);
    cr_assert_eq(ms_cursor_u16(&big), 0x0102);
    cr_assert_eq(ms_cursor_u24(&little), 0x050403);
    cr_assert_eq(ms_cursor_u24(&big), 0x030405);
    little = ms_cursor_over(in, false);
    big = ms_cursor_over(in, true);
    cr_assert_eq(ms_cursor_u64(&little), UINT64_C(0x0807060504030201));
    cr_assert_eq(ms_cursor_u64(&big), UINT64_C(0x0102030405060708));
    cr_assert_eq(ms_cursor_left(&big), 0);
    cr_assert_not(big.bad);
}

Test(cursor, is_sticky)
{
    struct ms_cursor c = ms_cursor_over(BYTES(1, 2, 3), false);
    cr_assert_eq(ms_cursor_u32(&c), 0);
    cr_assert(c.bad);
    cr_assert_eq(ms_cursor_u8(&c), 0, "a read after the first bad one gives 0, too");
    cr_assert_eq(ms_cursor_left(&c), 0);
    cr_assert_str_eq(ms_cursor_string(&c), "");
    cr_assert_eq(ms_cursor_bytes(&c, 1).n, 0);
}

Test(cursor, skip_and_seek_stay_inside)
{
    struct ms_cursor c = ms_cursor_over(BYTES(1, 2, 3), false);
    ms_cursor_skip(&c, UINT64_MAX);
    cr_assert(c.bad);
    c = ms_cursor_over(BYTES(1, 2, 3), false);
    ms_cursor_seek(&c, 2);
    cr_assert_eq(ms_cursor_u8(&c), 3);
    ms_cursor_seek(&c, 3);
    cr_assert_not(c.bad);
    ms_cursor_seek(&c, 4);
    cr_assert(c.bad);
}

Test(cursor, nothing_to_read)
{
    struct ms_cursor c = ms_cursor_over((struct ms_bytes){NULL, 0}, false);
    cr_assert_eq(ms_cursor_left(&c), 0);
    ms_cursor_seek(&c, 0);
    cr_assert_not(c.bad);
    cr_assert_eq(ms_cursor_uleb(&c), 0);
    cr_assert(c.bad);
}

struct leb {
    uint8_t bytes[12];
    size_t n;
    uint64_t value;
    bool bad;
};

Test(cursor, uleb)
{
    static const struct leb cases[] = {
        {{0x02}, 1, 2, false},
        {{0xff, 0x00}, 2, 127, false},
        {{0xe5, 0x8e, 0x26}, 3, 624485, false},
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, 10, UINT64_MAX, false},
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}, 10, 0, true},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00}, 11, 0, false},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 11, 0, true},
        {{0x80}, 1, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ms_cursor c = ms_cursor_over((struct ms_bytes){cases[i].bytes, cases[i].n}, false);
        cr_assert_eq(ms_cursor_uleb(&c), cases[i].value, "case %zu", i);
        cr_assert_eq(c.bad, cases[i].bad, "case %zu", i);
    }
}

Test(cursor, sleb)
{
    static const struct leb cases[] = {
        {{0x02}, 1, 2, false},
        {{0x7e}, 1, (uint64_t)-2, false},
        {{0xff, 0x00}, 2, 127, false},
        {{0x81, 0x7f}, 2, (uint64_t)-127, false},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f},
         10,
         UINT64_C(0x8000000000000000),
         false},
        {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00}, 10, INT64_MAX, false},
        {{0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}, 10, 0, true},
        {{0xff}, 1, 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ms_cursor c = ms_cursor_over((struct ms_bytes){cases[i].bytes, cases[i].n}, false);
        cr_assert_eq((uint64_t)ms_cursor_sleb(&c), cases[i].value, "case %zu", i);
        cr_assert_eq(c.bad, cases[i].bad, "case %zu", i);
    }
}

Test(arena, gives_aligned_memory_and_keeps_its_bound)
{
    struct ms_arena arena;
    ms_arena_init(&arena, 64 * 1024);
    for (size_t n = 0; n < 100; n++) {
        char *at = ms_arena_take(&arena, n);
        cr_assert_not_null(at);
        cr_assert_eq((uintptr_t)at % 16, 0);
        memset(at, 1, n);
    }
    cr_assert_null(ms_arena_take(&arena, 64 * 1024));
    cr_assert_null(ms_arena_take(&arena, SIZE_MAX));
    cr_assert_null(ms_arena_zeroed(&arena, SIZE_MAX / 2, 3));
    cr_assert_str_eq(ms_arena_copy(&arena, "abcdef", 3), "abc");
    ms_arena_fini(&arena);
    cr_assert_eq(arena.total_bytes, 0);
    cr_assert_not_null(ms_arena_take(&arena, 10), "usable again");
    ms_arena_fini(&arena);
}

Test(text, grows_to_its_ceiling)
{
    struct ms_text text;
    struct ms_error err;
    ms_text_init(&text, 1000);
    ms_text_printf(&text, "%s %d", "x", 7);
    cr_assert_str_eq(text.at, "x 7");
    char *long_one = calloc(1, 901);
    memset(long_one, 'y', 900);
    ms_text_printf(&text, "%s", long_one);
    cr_assert_eq(text.n, 903);
    cr_assert_eq(ms_text_check(&text, &err), MS_OK);
    ms_text_puts(&text, long_one);
    cr_assert(text.failed);
    cr_assert_eq(text.n, 903, "nothing is written in part");
    cr_assert_eq(ms_text_check(&text, &err), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "text exceeds its limit of 1000 bytes");
    ms_text_clear(&text);
    ms_text_putc(&text, 'z');
    cr_assert_str_eq(text.at, "z");
    free(long_one);
    ms_text_fini(&text);
}

Test(array, grows)
{
    uint32_t *items = NULL;
    size_t n = 0, room = 0;
    for (uint32_t i = 0; i < 1000; i++)
        cr_assert(MS_PUSH(items, n, room, i));
    cr_assert_eq(n, 1000);
    cr_assert_eq(items[999], 999);
    free(items);
}

Test(error, says_where_and_what)
{
    struct ms_error err;
    char line[MS_ERROR_LINE];
    cr_assert_eq(ms_fail(&err, MS_E_FORMAT, "App (arm64) __debug_info", 0x2c, "%d units", 3),
                 MS_E_FORMAT);
    cr_assert_str_eq(ms_error_describe(&err, line), "App (arm64) __debug_info at 0x2c: 3 units");
    ms_fail(&err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "too deep");
    cr_assert_str_eq(ms_error_describe(&err, line), "too deep");
    cr_assert_eq(ms_fail_io(&err, "/x", ENOENT, "cannot be opened"), MS_E_IO);
    cr_assert_str_eq(ms_error_describe(&err, line),
                     "/x: cannot be opened: No such file or directory");
    cr_assert_eq(ms_fail_io(NULL, "/x", ENOMEM, "cannot be mapped"), MS_E_NOMEM);
}

Test(error, lets_no_control_byte_through)
{
    struct ms_error err;
    char line[MS_ERROR_LINE];
    ms_fail(&err, MS_E_FORMAT, "a\nb", MS_NO_OFFSET, "c\x1b[31m");
    cr_assert_str_eq(ms_error_describe(&err, line), "a?b: c?[31m");
}

Test(uuid, text_forms)
{
    struct ms_uuid uuid = {{0}}, other = {{9}};
    char text[MS_UUID_TEXT];
    const char dashed[] = "0F1E2D3C-4B5A-3697-8877-665544332211";
    cr_assert(ms_uuid_parse(dashed, 36, &uuid));
    ms_uuid_format(&uuid, text);
    cr_assert_str_eq(text, dashed);
    cr_assert(ms_uuid_parse("0f1e2d3c4b5a36978877665544332211", 32, &other));
    cr_assert(ms_uuid_equal(&uuid, &other));
    struct ms_uuid kept = other;
    cr_assert_not(ms_uuid_parse("0f1e2d3c4b5a3697887766554433221", 31, &other));
    cr_assert_not(ms_uuid_parse("0f1e2d3c4b5a36978877665544332211f", 33, &other));
    cr_assert_not(ms_uuid_parse("???", 3, &other));
    cr_assert(ms_uuid_equal(&kept, &other), "left alone");
    cr_assert_not(ms_uuid_is_zero(&uuid));
    cr_assert(ms_uuid_is_zero(&(struct ms_uuid){{0}}));
}

Test(frame, path_joins_as_dwarf_means_it)
{
    char out[64];
    struct ms_frame f = {.comp_dir = "/src", .dir = "lib", .file = "a.c"};
    cr_assert_eq(ms_frame_path(&f, out, sizeof out), 12);
    cr_assert_str_eq(out, "/src/lib/a.c");
    f.dir = "/abs";
    ms_frame_path(&f, out, sizeof out);
    cr_assert_str_eq(out, "/abs/a.c");
    f.file = "/f.c";
    ms_frame_path(&f, out, sizeof out);
    cr_assert_str_eq(out, "/f.c");
    f = (struct ms_frame){.comp_dir = "/src/", .file = "a.c"};
    ms_frame_path(&f, out, sizeof out);
    cr_assert_str_eq(out, "/src/a.c");
    cr_assert_eq(ms_frame_path(&f, out, 5), 8, "the length that the whole has");
    cr_assert_str_eq(out, "/src");
    f.file = NULL;
    cr_assert_eq(ms_frame_path(&f, out, sizeof out), 0);
    cr_assert_str_eq(out, "");
}

Test(names, of_sources_and_reasons)
{
    cr_assert_str_eq(ms_source_name(MS_SOURCE_FUNCTION_START), "function-start");
    cr_assert_str_eq(ms_source_name((enum ms_source)99), "none");
    cr_assert_str_eq(ms_why_name(MS_WHY_BAD_DEBUG_INFO), "bad-debug-info");
    cr_assert_str_eq(ms_why_name((enum ms_why)99), "complete");
}
