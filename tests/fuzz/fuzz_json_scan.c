/*
 * The JSON scanner: spans lie in their container and follow one another; a document without a
 * fault is one for json-c too, with the same members, strings and integers.
 */
#include "base/limits.h"
#include "report/json_scan.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

enum { DEPTH = 64 }; /* of the walk here, which recurses */

static void walk(struct ms_bytes in, struct ms_json_value value, unsigned depth)
{
    struct ms_json_iter iter;
    struct ms_json_member member;
    size_t at = value.off, end = value.off + value.n;
    uint64_t number;
    struct ms_text text;
    CHECK(end <= in.n);
    ms_text_init(&text, 3 * value.n + 1);
    ms_json_add(&text, in, value);
    CHECK(!text.failed);
    if (value.kind == MS_JSON_STRING && text.n && text.n < MS_JSON_NAME_ROOM &&
        !memchr(text.at, 0, text.n))
        CHECK(ms_json_says(in, value, text.at));
    ms_text_fini(&text);
    (void)ms_json_u64(in, value, &number);
    (void)ms_json_truth(in, value);
    ms_json_iter_open(&iter, in, value);
    while (depth < DEPTH && ms_json_iter_next(&iter, &member)) {
        if (member.key.kind) {
            CHECK(member.key.off >= at);
            at = member.key.off + member.key.n;
        }
        CHECK(member.value.off >= at && member.value.n);
        at = member.value.off + member.value.n;
        CHECK(at <= end);
        CHECK(!member.value.cut || value.cut);
        walk(in, member.value, depth + 1);
    }
}

static bool is_type(struct ms_json_value value, struct json_object *other)
{
    switch (value.kind) {
    case MS_JSON_NULL:
        return json_object_is_type(other, json_type_null);
    case MS_JSON_FALSE:
    case MS_JSON_TRUE:
        return json_object_is_type(other, json_type_boolean) &&
               json_object_get_boolean(other) == (value.kind == MS_JSON_TRUE);
    case MS_JSON_NUMBER:
        return json_object_is_type(other, json_type_int) ||
               json_object_is_type(other, json_type_double);
    case MS_JSON_STRING:
        return json_object_is_type(other, json_type_string);
    case MS_JSON_ARRAY:
        return json_object_is_type(other, json_type_array);
    case MS_JSON_OBJECT:
        return json_object_is_type(other, json_type_object);
    default:
        return false;
    }
}

static void compare_scalar(struct ms_bytes in, struct ms_json_value value,
                           struct json_object *other)
{
    uint64_t number;
    struct ms_text text;
    if (value.kind == MS_JSON_NUMBER && json_object_is_type(other, json_type_int) &&
        ms_json_u64(in, value, &number))
        CHECK(in.at[value.off] == '-' ? (uint64_t)json_object_get_int64(other) == number
                                      : json_object_get_uint64(other) == number);
    if (value.kind != MS_JSON_STRING)
        return;
    ms_text_init(&text, 3 * value.n + 1);
    ms_json_add(&text, in, value);
    CHECK((size_t)json_object_get_string_len(other) == text.n);
    CHECK(!text.n || !memcmp(json_object_get_string(other), text.at, text.n));
    ms_text_fini(&text);
}

/* json-c's keys are C strings: those with a NUL are left out. Of equal keys the last counts,
 * there as here. */
static void compare(struct ms_bytes in, struct ms_json_value value, struct json_object *other,
                    unsigned depth)
{
    struct ms_json_iter iter;
    struct ms_json_member member;
    size_t n = 0;
    CHECK(is_type(value, other));
    compare_scalar(in, value, other);
    ms_json_iter_open(&iter, in, value);
    while (depth < DEPTH && ms_json_iter_next(&iter, &member)) {
        struct json_object *child = NULL;
        if (value.kind == MS_JSON_ARRAY) {
            child = json_object_array_get_idx(other, n++);
            compare(in, member.value, child, depth + 1);
            continue;
        }
        struct ms_text key;
        ms_text_init(&key, 3 * member.key.n + 1);
        ms_json_add(&key, in, member.key);
        const char *name = key.at ? key.at : "";
        if (strlen(name) == key.n && key.n < 64) {
            CHECK(json_object_object_get_ex(other, name, &child));
            compare(in, ms_json_get(in, value, name), child, depth + 1);
        }
        ms_text_fini(&key);
    }
    CHECK(!iter.damaged);
    if (value.kind == MS_JSON_ARRAY && depth < DEPTH)
        CHECK(n == json_object_array_length(other));
}

static void second_opinion(struct ms_bytes in, struct ms_json_value value)
{
    struct json_tokener *tokener = json_tokener_new_ex(MS_MAX_JSON_DEPTH + 1);
    CHECK(tokener);
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT);
    struct json_object *other =
        json_tokener_parse_ex(tokener, (const char *)in.at + value.off, (int)value.n);
    CHECK(json_tokener_get_error(tokener) == json_tokener_success);
    if (value.n < 4096) /* looking each key up again takes the square of their number */
        compare(in, value, other, 0);
    json_object_put(other);
    json_tokener_free(tokener);
}

static bool stop_at_double(void *context, size_t off)
{
    const struct ms_bytes *in = context;
    return off + 1 < in->n && in->at[off + 1] == '{';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes in = {data, size};
    struct ms_json_document document;
    size_t off = ms_json_space(in, 0, size);
    ms_json_measure(in, off, size, NULL, NULL, &document);
    CHECK(document.value.off == off && document.value.n <= size - off);
    CHECK((document.ending == MS_JSON_WHOLE) == !document.value.cut || !document.value.kind);
    CHECK(document.ending == MS_JSON_WHOLE || document.fault);
    CHECK(!document.fault || (document.fault_off >= off && document.fault_off <= size));
    walk(in, document.value, 0);
    if (document.ending == MS_JSON_WHOLE && !document.fault)
        second_opinion(in, document.value);
    ms_json_measure(in, off, size, stop_at_double, &in, &document);
    walk(in, document.value, 0);
    return 0;
}
