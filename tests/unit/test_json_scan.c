/* report/json_scan: where values stand, what they say, and how damaged JSON is met. */
#include "base/limits.h"
#include "report/json_scan.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct ms_bytes bytes_of(const char *text)
{
    return (struct ms_bytes){(const uint8_t *)text, strlen(text)};
}

static struct ms_json_document measure(const char *text)
{
    struct ms_json_document document;
    ms_json_measure(bytes_of(text), 0, strlen(text), NULL, NULL, &document);
    return document;
}

static void expect_fault(const char *text, enum ms_json_ending ending, size_t off,
                         const char *fault)
{
    struct ms_json_document d = measure(text);
    cr_assert_eq(d.ending, ending, "%s: ending %d", text, (int)d.ending);
    cr_assert_not_null(d.fault, "%s: no fault", text);
    cr_assert_str_eq(d.fault, fault, "%s: %s", text, d.fault);
    cr_assert_eq(d.fault_off, off, "%s: fault at %zu", text, d.fault_off);
}

static void expect_good(const char *text)
{
    struct ms_json_document d = measure(text);
    cr_assert_eq(d.ending, MS_JSON_WHOLE, "%s", text);
    cr_assert_null(d.fault, "%s: %s at %zu", text, d.fault, d.fault_off);
    cr_assert_eq(d.value.n, strlen(text));
    cr_assert_not(d.value.cut);
}

Test(json_measure, accepts_what_rfc_8259_has)
{
    expect_good("{}");
    expect_good("[]");
    expect_good("{\"a\":[1,-0,0.5,1e3,1E+2,-1.5e-7],\"b\":{\"c\":true,\"d\":false,\"e\":null}}");
    expect_good("[ \"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\" ,\r\n\t[ ] , { } ]");
    expect_good("[18446744073709551615,99999999999999999999999]");
    expect_good("[\"\xff\xc3(\"]"); /* not UTF-8: let through */
}

Test(json_measure, finds_the_end_by_brackets_outside_of_strings)
{
    struct ms_json_document d = measure("{\"a\":\"}]\\\"}\"}Model: Mac {");
    cr_assert_eq(d.ending, MS_JSON_WHOLE);
    cr_assert_eq(d.value.n, 13);
    cr_assert_null(d.fault);
}

Test(json_measure, names_the_first_fault)
{
    expect_fault("{\"a\":1,}", MS_JSON_WHOLE, 7, "a value is missing");
    expect_fault("[1,]", MS_JSON_WHOLE, 3, "a value is missing");
    expect_fault("[,1]", MS_JSON_WHOLE, 1, "a comma where a value should stand");
    expect_fault("{\"a\"}", MS_JSON_WHOLE, 4, "a value is missing");
    expect_fault("{\"a\" 1}", MS_JSON_WHOLE, 5, "a colon is missing");
    expect_fault("[1 2]", MS_JSON_WHOLE, 3, "a comma is missing");
    expect_fault("{a:1}", MS_JSON_WHOLE, 1, "a key without quotes");
    expect_fault("{\"a\":@foo@}", MS_JSON_WHOLE, 5, "a word that is no JSON value");
    expect_fault("[01]", MS_JSON_WHOLE, 1, "a word that is no JSON value");
    expect_fault("[1.]", MS_JSON_WHOLE, 1, "a word that is no JSON value");
    expect_fault("[1e]", MS_JSON_WHOLE, 1, "a word that is no JSON value");
    expect_fault("[-]", MS_JSON_WHOLE, 1, "a word that is no JSON value");
    expect_fault("[NaN,x]", MS_JSON_WHOLE, 1, "a word that is no JSON value");
    expect_fault("[\"\\x\"]", MS_JSON_WHOLE, 2, "an escape that JSON doesn't have");
    expect_fault("[\"\\u12G4\"]", MS_JSON_WHOLE, 2, "an escape that JSON doesn't have");
    expect_fault("[\"a\nb\"]", MS_JSON_WHOLE, 3, "a control character in a string");
    expect_fault("[\"a\" \"b\"]", MS_JSON_WHOLE, 5,
                 "a string where a comma, a colon or a bracket should stand");
    expect_fault("{{}}", MS_JSON_WHOLE, 1, "a bracket where no value can stand");
    expect_fault("[1:2]", MS_JSON_WHOLE, 2, "a colon where none can stand");
    expect_fault("[1}", MS_JSON_BROKEN, 2, "'}' closes an array");
    expect_fault("{\"a\":1]", MS_JSON_BROKEN, 6, "']' closes an object");
    expect_fault("{\"a\":[1,2", MS_JSON_CUT, 9, "it ends in the middle");
    expect_fault("[\"a", MS_JSON_CUT, 3, "it ends in the middle");
    expect_fault("[\"a\\", MS_JSON_CUT, 3, "an escape that JSON doesn't have");
    expect_fault("x", MS_JSON_CUT, 0, "neither '{' nor '['");
    expect_fault("", MS_JSON_CUT, 0, "neither '{' nor '['");
}

Test(json_measure, has_a_floor)
{
    static char text[2 * MS_MAX_JSON_DEPTH + 8];
    memset(text, '[', MS_MAX_JSON_DEPTH);
    memset(text + MS_MAX_JSON_DEPTH, ']', MS_MAX_JSON_DEPTH);
    expect_good(text);
    memset(text, '[', MS_MAX_JSON_DEPTH + 1);
    expect_fault(text, MS_JSON_DEEP, MS_MAX_JSON_DEPTH, "nested too deep");
}

static bool stop_at_b(void *context, size_t off)
{
    const char *text = context;
    return strncmp(text + off, "{\"b", 3) == 0;
}

Test(json_measure, stops_where_another_document_begins)
{
    static char between[] = "{\"a\":[\n{\"c\":1},\n{\"b\":2}";
    static char inside[] = "{\"a\":\"x\n{\"b\":2}";
    struct ms_json_document d;
    ms_json_measure(bytes_of(between), 0, strlen(between), stop_at_b, between, &d);
    cr_assert_eq(d.ending, MS_JSON_CUT);
    cr_assert_eq(d.value.n, 16);
    ms_json_measure(bytes_of(inside), 0, strlen(inside), stop_at_b, inside, &d);
    cr_assert_eq(d.ending, MS_JSON_CUT);
    cr_assert_eq(d.value.n, 8);
}

/* ---- walking --------------------------------------------------------------------------- */

static void expect_member(struct ms_json_iter *iter, const char *key, const char *value)
{
    struct ms_json_member m;
    cr_assert(ms_json_iter_next(iter, &m), "no member %s", value);
    const char *at = (const char *)iter->in.at;
    cr_assert_eq(m.key.n, strlen(key));
    cr_assert(strncmp(at + m.key.off, key, m.key.n) == 0, "key %.*s", (int)m.key.n, at + m.key.off);
    cr_assert_eq(m.value.n, strlen(value), "%.*s for %s", (int)m.value.n, at + m.value.off, value);
    cr_assert(strncmp(at + m.value.off, value, m.value.n) == 0);
}

Test(json_iter, gives_spans)
{
    const char *text = "{ \"a\" : [1, {\"x\":\"}\"}] ,\n\"b\":\"\\\"\",\"c\":@foo@ }";
    struct ms_json_iter iter;
    struct ms_json_member m;
    ms_json_iter_open(&iter, bytes_of(text), measure(text).value);
    expect_member(&iter, "\"a\"", "[1, {\"x\":\"}\"}]");
    expect_member(&iter, "\"b\"", "\"\\\"\"");
    expect_member(&iter, "\"c\"", "@foo@");
    cr_assert_not(ms_json_iter_next(&iter, &m));
    cr_assert_not(iter.damaged);
}

Test(json_iter, walks_arrays_and_nothing_else)
{
    const char *text = "[10,\"x\",[],null]";
    struct ms_json_iter iter;
    struct ms_json_member m;
    struct ms_json_value number = {MS_JSON_NUMBER, false, 1, 2};
    ms_json_iter_open(&iter, bytes_of(text), measure(text).value);
    expect_member(&iter, "", "10");
    expect_member(&iter, "", "\"x\"");
    expect_member(&iter, "", "[]");
    expect_member(&iter, "", "null");
    cr_assert_not(ms_json_iter_next(&iter, &m));
    ms_json_iter_open(&iter, bytes_of(text), number);
    cr_assert_not(ms_json_iter_next(&iter, &m));
}

Test(json_iter, half_a_value_is_no_value)
{
    const char *number = "{\"a\":1,\"base\":43347", *string = "[\"whole\",\"hal";
    struct ms_json_iter iter;
    struct ms_json_member m;
    struct ms_json_value base = ms_json_get(bytes_of(number), measure(number).value, "base");
    cr_assert_eq(base.kind, MS_JSON_BAD); /* 43347… would be another number */
    cr_assert_eq(base.n, 5);
    ms_json_iter_open(&iter, bytes_of(string), measure(string).value);
    cr_assert(ms_json_iter_next(&iter, &m) && m.value.kind == MS_JSON_STRING);
    cr_assert(ms_json_iter_next(&iter, &m) && m.value.kind == MS_JSON_BAD);
    cr_assert_not(ms_json_iter_next(&iter, &m));
}

Test(json_iter, a_cut_container_reaches_to_the_cut)
{
    const char *text = "{\"a\":{\"b\":[1,{\"c\":2}";
    struct ms_json_value a = ms_json_get(bytes_of(text), measure(text).value, "a");
    cr_assert_eq(a.kind, MS_JSON_OBJECT);
    cr_assert(a.cut);
    struct ms_json_value b = ms_json_get(bytes_of(text), a, "b");
    struct ms_json_iter iter;
    struct ms_json_member m;
    ms_json_iter_open(&iter, bytes_of(text), b);
    cr_assert(ms_json_iter_next(&iter, &m));
    cr_assert(ms_json_iter_next(&iter, &m) && m.value.kind == MS_JSON_OBJECT && !m.value.cut);
}

Test(json_iter, stops_at_what_is_no_member)
{
    static const char *const texts[] = {"{a:1}", "{\"a\" 1}", "{\"a\":}", "[1 2]",
                                        "{\"a\":1 \"b\":2}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct ms_json_iter iter;
        struct ms_json_member m;
        unsigned n = 0;
        ms_json_iter_open(&iter, bytes_of(texts[i]), measure(texts[i]).value);
        while (ms_json_iter_next(&iter, &m))
            n++;
        cr_assert(iter.damaged, "%s", texts[i]);
        cr_assert_leq(n, 1);
    }
}

Test(json_pick, the_last_of_equal_names_counts_however_it_is_written)
{
    static const char *const names[] = {"alpha", "beta", "gamma"};
    const char *text = "{\"beta\":1,\"x\":2,\"\\u0062eta\":3,\"gamma\":4,\"gamma\":[5],"
                       "\"a\\u0000lpha\":6,\"alphabet\":7}";
    struct ms_json_value out[3];
    uint64_t number;
    ms_json_pick(bytes_of(text), measure(text).value, names, 3, out);
    cr_assert_eq(out[0].kind, MS_JSON_BAD);
    cr_assert(ms_json_u64(bytes_of(text), out[1], &number) && number == 3);
    cr_assert_eq(out[2].kind, MS_JSON_ARRAY);
}

/* ---- values ---------------------------------------------------------------------------- */

static bool number_of(const char *value, uint64_t *out)
{
    static char text[128];
    snprintf(text, sizeof text, "[%s]", value);
    struct ms_json_iter iter;
    struct ms_json_member m;
    ms_json_iter_open(&iter, bytes_of(text), measure(text).value);
    return ms_json_iter_next(&iter, &m) && ms_json_u64(bytes_of(text), m.value, out);
}

Test(json_value, numbers_have_64_bits)
{
    static const struct {
        const char *text;
        uint64_t value;
    } good[] = {
        {"0", 0},
        {"18446744073709551615", UINT64_MAX},
        {"9223372036854775808", (uint64_t)1 << 63},
        {"9007199254740993", 9007199254740993}, /* a double has ...992 */
        {"-1", UINT64_MAX},
        {"-9223372036854775808", (uint64_t)1 << 63},
        {"\"0x1025f8000\"", 0x1025f8000},
        {"\"0XFFFFFFFFFFFFFFFF\"", UINT64_MAX},
        {"\"42\"", 42},
    };
    static const char *const bad[] = {
        "18446744073709551616",
        "-9223372036854775809",
        "1.0",
        "1e3",
        "true",
        "null",
        "\"\"",
        "\"0x\"",
        "\"0x1ffffffffffffffff\"",
        "\"12 \"",
        "\"ten\"",
        "[1]",
        "@foo@",
    };
    uint64_t value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        cr_assert(number_of(good[i].text, &value), "%s", good[i].text);
        cr_assert_eq(value, good[i].value, "%s", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_assert_not(number_of(bad[i], &value), "%s", bad[i]);
}

static void expect_text(const char *json, const char *wanted, size_t n)
{
    struct ms_text text;
    struct ms_json_document d = measure(json);
    struct ms_json_iter iter;
    struct ms_json_member m;
    ms_json_iter_open(&iter, bytes_of(json), d.value);
    cr_assert(ms_json_iter_next(&iter, &m));
    ms_text_init(&text, 1000);
    ms_json_add(&text, bytes_of(json), m.value);
    cr_assert_eq(text.n, n, "%s: %zu bytes", json, text.n);
    cr_assert(n == 0 || memcmp(text.at, wanted, n) == 0, "%s: %s", json, text.at);
    ms_text_fini(&text);
}

Test(json_value, strings_say_what_their_escapes_mean)
{
    expect_text("[\"a\\/b\"]", "a/b", 3);
    expect_text("[\"\\\"\\\\\\b\\f\\n\\r\\t\"]", "\"\\\b\f\n\r\t", 7);
    expect_text("[\"\\u0041\\u00e9\\u20AC\"]", "A\xc3\xa9\xe2\x82\xac", 6);
    expect_text("[\"\\ud83d\\ude00\"]", "\xf0\x9f\x98\x80", 4);
    expect_text("[\"\\ud83dx\"]", "\xef\xbf\xbdx", 4); /* half a pair */
    expect_text("[\"\\ude00\\ud83d\"]", "\xef\xbf\xbd\xef\xbf\xbd", 6);
    expect_text("[\"\\ud83d\\u0041\"]",
                "\xef\xbf\xbd"
                "A",
                4);
    expect_text("[\"a\\u0000b\"]", "a\0b", 3);
    expect_text("[\"\\x\\u12\"]", "\\x\\u12", 6); /* no escapes: they stand for themselves */
    expect_text("[\"\xff\"]", "\xff", 1);
    expect_text("[123]", "123", 3);
    expect_text("[true]", "true", 4);
    expect_text("[null]", "", 0);
    expect_text("[[1]]", "", 0);
}

Test(json_value, says_and_truth)
{
    const char *text = "[\"abc\",\"\\u0061bc\",\"abcd\",0,1,true,false,\"true\"]";
    static const bool says[] = {true, true, false, false, false, false, false, false};
    static const bool truth[] = {false, false, false, false, true, true, false, false};
    struct ms_json_iter iter;
    struct ms_json_member m;
    ms_json_iter_open(&iter, bytes_of(text), measure(text).value);
    for (size_t i = 0; ms_json_iter_next(&iter, &m); i++) {
        cr_assert_eq(ms_json_says(bytes_of(text), m.value, "abc"), says[i], "%zu", i);
        cr_assert_eq(ms_json_truth(bytes_of(text), m.value), truth[i], "%zu", i);
    }
}

Test(json_value, indices_are_small)
{
    const char *text = "[0,2147483647,2147483648,-1]";
    struct ms_json_iter iter;
    struct ms_json_member m;
    uint32_t index;
    ms_json_iter_open(&iter, bytes_of(text), measure(text).value);
    cr_assert(ms_json_iter_next(&iter, &m) && ms_json_index(bytes_of(text), m.value, &index));
    cr_assert(ms_json_iter_next(&iter, &m) && ms_json_index(bytes_of(text), m.value, &index));
    cr_assert_eq(index, INT32_MAX);
    cr_assert(ms_json_iter_next(&iter, &m) && !ms_json_index(bytes_of(text), m.value, &index));
    cr_assert(ms_json_iter_next(&iter, &m) && !ms_json_index(bytes_of(text), m.value, &index));
}
