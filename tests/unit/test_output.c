#include "base/text.h"
#include "machsym/output.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool to_text(void *to, const char *bytes, size_t n)
{
    struct ms_text *text = to;
    ms_text_add(text, bytes, n);
    return !text->failed;
}

static struct ms_text out;

static struct ms_sink start(size_t max)
{
    ms_text_fini(&out);
    ms_text_init(&out, max);
    return (struct ms_sink){.write = to_text, .to = &out};
}

static const char *escaped(const char *text, size_t n)
{
    struct ms_sink sink = start(4096);
    ms_json_escape(&sink, text, n);
    return out.at ? out.at : "";
}

static const char *write_sample(unsigned indent)
{
    struct ms_sink sink = start(4096);
    struct ms_json json;
    ms_json_init(&json, &sink, indent);
    ms_json_object(&json);
    ms_json_field(&json, "name", "a\"b");
    ms_json_field(&json, "absent", NULL);
    ms_json_field_uint(&json, "big", UINT64_MAX);
    ms_json_field_address(&json, "address", 0x102601a40);
    ms_json_field_bool(&json, "inlined", true);
    ms_json_key(&json, "list");
    ms_json_array(&json);
    ms_json_int(&json, INT64_MIN);
    ms_json_string(&json, NULL);
    ms_json_object(&json);
    ms_json_object_end(&json);
    ms_json_array_end(&json);
    ms_json_key(&json, "none");
    ms_json_array(&json);
    ms_json_array_end(&json);
    ms_json_object_end(&json);
    cr_assert_not(sink.failed);
    return out.at;
}

Test(output, json_on_one_line)
{
    cr_assert_str_eq(
        write_sample(0),
        "{\"name\":\"a\\\"b\",\"big\":18446744073709551615,\"address\":\"0x102601a40\","
        "\"inlined\":true,\"list\":[-9223372036854775808,null,{}],\"none\":[]}");
}

Test(output, json_indented)
{
    cr_assert_str_eq(write_sample(2), "{\n"
                                      "  \"name\": \"a\\\"b\",\n"
                                      "  \"big\": 18446744073709551615,\n"
                                      "  \"address\": \"0x102601a40\",\n"
                                      "  \"inlined\": true,\n"
                                      "  \"list\": [\n"
                                      "    -9223372036854775808,\n"
                                      "    null,\n"
                                      "    {}\n"
                                      "  ],\n"
                                      "  \"none\": []\n"
                                      "}");
}

Test(output, escapes)
{
    cr_assert_str_eq(escaped("a\n\t\r\b\f\\/\x01\x7f", 10), "a\\n\\t\\r\\b\\f\\\\/\\u0001\x7f");
    cr_assert_str_eq(escaped("nul\0!", 5), "nul\\u0000!");
    cr_assert_str_eq(escaped("gr\xc3\xbc\xc3\x9f \xf0\x9f\x8d\x8e", 11),
                     "gr\xc3\xbc\xc3\x9f \xf0\x9f\x8d\x8e");
    cr_assert_str_eq(escaped("", 0), "");
}

Test(output, bytes_that_are_no_utf8)
{
#define FFFD "\xef\xbf\xbd"
    cr_assert_str_eq(escaped("\xff", 1), FFFD);
    cr_assert_str_eq(escaped("a\x80z", 3), "a" FFFD "z");
    cr_assert_str_eq(escaped("\xc0\xaf", 2), FFFD FFFD, "an overlong slash");
    cr_assert_str_eq(escaped("\xe2\x82", 2), FFFD, "one for a sequence that is cut short");
    cr_assert_str_eq(escaped("\xe2\x82\"", 3), FFFD "\\\"", "the quote after it is still escaped");
    cr_assert_str_eq(escaped("\xed\xa0\x80", 3), FFFD FFFD FFFD, "a surrogate");
    cr_assert_str_eq(escaped("\xf4\x90\x80\x80", 4), FFFD FFFD FFFD FFFD, "above U+10FFFF");
}

Test(output, sink_fails_once_and_stays_quiet)
{
    struct ms_sink sink = start(4);
    ms_sink_puts(&sink, "1234");
    cr_assert_not(sink.failed);
    ms_sink_puts(&sink, "5");
    cr_assert(sink.failed);
    ms_sink_puts(&sink, "");
    cr_assert(sink.failed);
    cr_assert_str_eq(out.at, "1234");
}

/* What is lent in a struct with the sink, and what went through `write`. */
struct lent {
    struct ms_sink sink;
    char room[8];
    char through[64];
    size_t n_through, n_calls;
    bool refuses;
};

/* What has been put into the room comes first. */
static bool take_all(void *to, const char *bytes, size_t n)
{
    struct lent *lent = to;
    size_t n_room = (size_t)(lent->sink.at - lent->room);
    lent->n_calls++;
    if (lent->refuses)
        return false;
    memcpy(lent->through + lent->n_through, lent->room, n_room);
    memcpy(lent->through + lent->n_through + n_room, bytes, n);
    lent->n_through += n_room + n;
    lent->sink.at = lent->room;
    return true;
}

static void lend(struct lent *lent)
{
    memset(lent, 0, sizeof *lent);
    lent->sink = (struct ms_sink){
        .write = take_all, .to = lent, .at = lent->room, .end = lent->room + sizeof lent->room};
}

Test(output, short_writes_go_into_the_room)
{
    struct lent lent;
    lend(&lent);
    ms_sink_puts(&lent.sink, "1234567");
    cr_assert_eq(lent.n_calls, 0, "seven bytes fit");
    ms_sink_puts(&lent.sink, "");
    cr_assert_eq(lent.n_calls, 0);
    ms_sink_puts(&lent.sink, "8");
    cr_assert_eq(lent.n_calls, 1, "what fills it is handed on");
    ms_sink_puts(&lent.sink, "a");
    ms_sink_puts(&lent.sink, "longer than the room");
    cr_assert_eq(lent.n_calls, 2);
    cr_assert_arr_eq(lent.through, "12345678alonger than the room", lent.n_through);
    lent.refuses = true;
    ms_sink_puts(&lent.sink, "b");
    cr_assert_not(lent.sink.failed);
    ms_sink_puts(&lent.sink, "does not fit");
    cr_assert(lent.sink.failed);
    cr_assert_null(lent.sink.at);
    ms_sink_puts(&lent.sink, "c");
    cr_assert_eq(lent.n_calls, 3, "a sink that failed is asked no more");
}

Test(output, copies_of_every_length)
{
    static const char text[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char room[64];
    for (size_t n = 0; n < sizeof text; n++) {
        struct ms_sink sink = {.at = room, .end = room + sizeof room};
        memset(room, '#', sizeof room);
        ms_sink_write(&sink, text, n);
        cr_assert_eq(sink.at, room + n);
        cr_assert_arr_eq(room, text, n);
        cr_assert_eq(room[n], '#');
    }
}

Test(output, numbers_of_every_length)
{
    char want[32];
    for (uint64_t power = 1, i = 0; i < 20; i++, power *= 10)
        for (uint64_t value = power - 2; value != power + 3; value++) {
            struct ms_sink sink = start(64);
            ms_sink_uint(&sink, value);
            snprintf(want, sizeof want, "%" PRIu64, value);
            cr_assert_str_eq(out.at, want);
        }
}

/* A control character is found wherever it stands. */
Test(output, plain_text_of_every_length)
{
    char text[64], want[64];
    for (size_t n = 1; n < 60; n++)
        for (size_t at = 0; at < n; at++) {
            static const char bad[] = "\n\x7f\x1f\xc2\x1b";
            for (size_t k = 0; k + 1 < sizeof bad; k++) {
                memset(text, 'a' + (int)at % 20, n);
                text[n] = 0;
                memcpy(want, text, n + 1);
                text[at] = bad[k];
                want[at] = bad[k] == '\xc2' ? '\xc2' : '?'; /* alone it is no control character */
                struct ms_sink sink = start(128);
                ms_sink_plain(&sink, text);
                cr_assert_str_eq(out.at, want);
            }
        }
}

Test(output, printf_of_any_length)
{
    char name[2000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    struct ms_sink sink = start(1 << 20);
    ms_sink_printf(&sink, "<%s|%d>", name, 7);
    cr_assert_not(sink.failed);
    cr_assert_eq(out.n, 1999 + 4);
    cr_assert_str_eq(out.at + 2000, "|7>");
}

Test(output, nesting_has_an_end)
{
    struct ms_sink sink = start(4096);
    struct ms_json json;
    ms_json_init(&json, &sink, 0);
    for (int i = 0; i < MS_JSON_DEPTH; i++)
        ms_json_array(&json);
    cr_assert_not(sink.failed);
    ms_json_array(&json);
    cr_assert(sink.failed, "a level too many fails instead of writing a broken document");
    sink = start(4096);
    ms_json_init(&json, &sink, 0);
    ms_json_object_end(&json);
    cr_assert(sink.failed, "an end without a beginning too");
}
