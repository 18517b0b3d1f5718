/**
 * machsym/output.h: where results go: a streaming sink, and JSON written straight to it.
 */
#ifndef MACHSYM_OUTPUT_H
#define MACHSYM_OUTPUT_H

#include "machsym/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * A place that bytes are written to. `write` returns false when it cannot; the sink then
 * has `failed` set, writes nothing more, and its owner reports the cause once.
 *
 * Most of what is written is a few bytes long. An owner that has room for them may say where:
 * as long as they fit between `at` and `end` they are put there, `at` goes on, and `write` isn't
 * called. What has been put there stands before the bytes that `write` gets.
 */
struct ms_sink {
    bool (*write)(void *to, const char *bytes, size_t n);
    void *to;
    bool failed;
    char *at, *end; /**< NULL: every write is a call of `write` */
};

void ms_sink_write(struct ms_sink *sink, const char *bytes, size_t n);
void ms_sink_puts(struct ms_sink *sink, const char *text);
/** Writes a name out of an untrusted file, control characters as '?' (ms_text_make_plain). */
void ms_sink_plain(struct ms_sink *sink, const char *text);
/** The same of n bytes, behind which stands a NUL. */
void ms_sink_plain_n(struct ms_sink *sink, const char *text, size_t n);
/** Writes the number in decimal. */
void ms_sink_uint(struct ms_sink *sink, uint64_t value);
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void ms_sink_printf(struct ms_sink *sink, const char *format, ...);

/** How deep a struct ms_json can nest. */
#define MS_JSON_DEPTH 64

/**
 * A JSON writer: it puts the commas and the escapes. With `indent` 0 everything is on
 * one line, else each member on its own. Bytes that are not UTF-8 come out as U+FFFD.
 */
struct ms_json {
    struct ms_sink *sink;
    unsigned indent;
    unsigned depth;
    bool has_member[MS_JSON_DEPTH];
    bool after_key;
};

void ms_json_init(struct ms_json *json, struct ms_sink *sink, unsigned indent);
void ms_json_object(struct ms_json *json);      /**< { */
void ms_json_object_end(struct ms_json *json);  /**< } */
void ms_json_array(struct ms_json *json);       /**< [ */
void ms_json_array_end(struct ms_json *json);   /**< ] */
void ms_json_key(struct ms_json *json, const char *key);
void ms_json_string(struct ms_json *json, const char *text); /**< NULL = null */
void ms_json_string_n(struct ms_json *json, const char *text, size_t n);
void ms_json_uint(struct ms_json *json, uint64_t value);
void ms_json_int(struct ms_json *json, int64_t value);
void ms_json_bool(struct ms_json *json, bool value);
void ms_json_address(struct ms_json *json, uint64_t value); /**< "0x…", a string */
void ms_json_raw(struct ms_json *json, const char *text, size_t n); /**< a value that is JSON */

/** key + value in one; the string form leaves an unknown (NULL) field out. */
void ms_json_field(struct ms_json *json, const char *key, const char *text);
void ms_json_field_uint(struct ms_json *json, const char *key, uint64_t value);
void ms_json_field_address(struct ms_json *json, const char *key, uint64_t value);
void ms_json_field_bool(struct ms_json *json, const char *key, bool value);

/** Writes n bytes of text as the inside of a JSON string (no quotes) to the sink. */
void ms_json_escape(struct ms_sink *sink, const char *text, size_t n);

#ifdef __cplusplus
}
#endif
#endif
